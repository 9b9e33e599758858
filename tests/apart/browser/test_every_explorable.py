"""What holds for every explorable, in a real browser. A new one is added to ORDINARY, HARD and HANDS in samples.py.

`test_NAME.py` beside this file drives each by mouse and by keyboard.
"""

from pathlib import Path

import pytest
from hands import act
from samples import HANDS, HARD, ORDINARY

FOLDERS = [str(Path(__file__).parents[2])]  # of the samples
FROM_SAMPLES = f"import sys; sys.path[:0] = {FOLDERS}; from samples import HARD, ORDINARY\n"
SIZES = {"wide": (1280, 900), "projector": (1024, 768), "zoomed": (640, 450), "phone": (390, 844)}  # zoomed: 200 %

every_explorable = pytest.mark.parametrize("name", ORDINARY)

# Two frames: a change of the window is heard in the first, and what it changes is drawn in the second.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"

# What sticks out of the explorable or of the window, as a list of descriptions. A long list may scroll within it,
# and a table of steps also to the side.
STICKING_OUT = """(root) => {
  const { left, right, top, bottom } = root.getBoundingClientRect();
  const visible = (node) => !node.closest('.look-hidden') && node.checkVisibility();
  const seen = [...root.querySelectorAll('*')].filter(visible);
  const out = seen.filter((node) => {
    if (node.parentElement.closest('.look-list')) return false;
    const box = node.getBoundingClientRect();
    const above = !node.closest('.look-scroll') && (box.top < top - 1 || box.bottom > bottom + 1);
    return box.left < left - 1 || box.right > right + 1 || above;
  });
  const wide = root.scrollWidth > root.clientWidth + 1 || right > document.documentElement.clientWidth + 1;
  return [...out.map((node) => node.outerHTML.slice(0, 120)), ...(wide ? ['the explorable itself'] : [])];
}"""

# What can take the focus and has no name for a screen reader.
NAMELESS = """(root) => [...root.querySelectorAll('button, input, select, summary, [tabindex]')].filter((node) =>
  !(node.getAttribute('aria-label') || node.textContent || node.closest('label')?.textContent).trim()
).map((node) => node.outerHTML.slice(0, 120))"""

# Buttons whose name lacks the words seen on them, which people who control a page by voice say (WCAG 2.2, 2.5.3).
MISNAMED = """(root) => [...root.querySelectorAll('button[aria-label]')].filter((node) => {
  const plain = (text) => text.toLowerCase().replace(/\\s+/g, ' ').trim();
  const seen = plain(node.innerText);
  return node.checkVisibility() && /\\p{L}/u.test(seen) && !plain(node.getAttribute('aria-label')).includes(seen);
}).map((node) => node.outerHTML.slice(0, 120))"""

# Texts whose contrast with what lies behind them is below 4.5 to 1 (WCAG 2.2, 1.4.3).
FAINT = """(root) => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    const colour = rgb(getComputedStyle(node).backgroundColor);
    return colour.length === 3 || colour[3] === 1 ? colour : behind(node.parentElement);
  };
  const texts = [...root.querySelectorAll('*')].filter((node) => !node.closest('.look-hidden') && node.checkVisibility()
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()));
  return texts.map((node) => {
    const style = getComputedStyle(node);
    const [a, b] = [rgb(node.ownerSVGElement ? style.fill : style.color), behind(node)].map(light);
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent];
  }).filter(([contrast]) => contrast < 4.5);
}"""


def hold_together(root):
    """The explorable `root` keeps its drawing within its frame, names what can be focused, and can be read.

    Its sliders have ticks of their own, whatever else is on the page.
    """
    assert root.evaluate(STICKING_OUT) == []
    assert root.evaluate(NAMELESS) == []
    assert root.evaluate(MISNAMED) == []
    assert root.evaluate(FAINT) == []
    assert root.evaluate("(root) => [...root.querySelectorAll('[list]')].every((one) => root.contains(one.list))")


@every_explorable
@pytest.mark.parametrize("sample", [ORDINARY, HARD], ids=["ordinary", "hard"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_standalone_page_at_every_size(name, sample, dark, page, static, shot):
    for presenter in (False, True):
        widget = sample[name](presenter=presenter)
        static(widget, dark=dark)
        root = page.locator("section.look")
        assert page.locator("main h1").inner_text() == name, "the heading belongs to the main part"
        assert root.locator(".look-text").text_content() == widget.text()
        for size, (width, height) in SIZES.items():
            if presenter and size == "phone":
                continue  # nobody presents from one
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(DRAWN)
            hold_together(root)
            kind = "hard" if sample is HARD else "ordinary"
            words = [name, kind, "dark" if dark else "light", size, *["presenter"] * presenter]
            shot(page, f"static/{'-'.join(words)}")


@every_explorable
def test_in_jupyterlab_all_views_and_python_hold_the_same_in_both_themes_and_after_a_rerun(
    name, cells, python, agrees, lab, shot
):
    """What the hand does, Python hears of; what Python sets, the page shows. No key moves JupyterLab's active cell."""
    widget = ORDINARY[name]()
    start = widget.text()
    make = f"{FROM_SAMPLES}first, second = ORDINARY['{name}'](), HARD['{name}']()"
    page = cells(make, "first", "first", "second")
    roots = page.locator("section.look")
    roots.nth(2).wait_for()
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    for dark in (False, True):  # the second while it is looked at: nothing stays as it was painted before
        lab.theme(page, dark=dark)
        page.evaluate(DRAWN)
        for root, shown in zip(roots.all(), ["first", "first", "second"], strict=True):
            root.scroll_into_view_if_needed()
            assert root.locator(".look-text").text_content() == python(f"print({shown}.text())")
            hold_together(root)
        shot(roots.first, f"lab/{name}-{'dark' if dark else 'light'}")
    lab.theme(page, dark=False)

    def both_views_say(text):
        page.wait_for_function(BOTH_SAY, arg=text)
        agrees("first")

    page.locator(HANDS[name][0][0]).first.focus()
    active = page.evaluate(ACTIVE)
    for where, how, changes in HANDS[name]:
        act(page, where, how)
        widget._take(widget._state() | changes)
    assert page.evaluate(ACTIVE) == active, "JupyterLab took a key for its own"
    both_views_say(widget.text())
    changed = python(CHANGE)
    assert changed not in (start, widget.text())
    both_views_say(changed)
    lab.run_all(page)
    both_views_say(changed)
    assert python("print(first is old)") == "False"
    roots.first.get_by_role("button", name="Reset").click()
    both_views_say(start)


ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
BOTH_SAY = """(wanted) => {
  const texts = [...document.querySelectorAll('.look-text')].map((node) => node.textContent);
  return texts.length === 3 && texts[0] === wanted && texts[1] === wanted;
}"""
CHANGE = """from samples import other
old = first
old._take({name: other(value) for name, value in old._initial.items() if not isinstance(value, bool)})
print(old.text())"""
