"""Key press to painted, for each explorable and for a matplotlib slider that draws a heat map, in one JupyterLab.

A press is timed from the browser's time stamp of the key to the second animation frame after the picture changed: by
then it is on the screen. This method has a floor of about one frame, 17 ms.
"""

import statistics
import tempfile
from pathlib import Path

import nbformat
import real_browser as machine

PRESSES, WARM_UP = 40, 5
SLIDER_PRESSES, SLIDER_WARM_UP = 16, 2  # fewer: each takes half a second and more
SLIDER = "matplotlib slider, {n} x {n}"
HEADS = "softmax(np.random.default_rng(0).normal(size=(6, 12, {n}, {n})))"
# label -> (cell, selector of what receives the keys, two keys that alternate, size of the slider's heat map)
CASES = {
    "VectorPad": ("VectorPad()", ".look-handle", "ArrowRight ArrowLeft", 12),
    "SoftmaxDial": ("SoftmaxDial([2, 1, 0.5, 0, -1] * 2, d_k=64)", ".look-score", "ArrowRight ArrowLeft", 12),
    "AttentionExplorer": ("AttentionExplorer(step='mix')", ".look-asker[tabindex='0']", "ArrowRight ArrowLeft", 12),
    "CutByHand": ("CutByHand(load_reader())", ".look-cut-left canvas", "ArrowRight ArrowLeft", 12),
    "HeadGallery": (f"HeadGallery({HEADS.format(n=12)})", ".look-gallery canvas", "ArrowRight ArrowLeft", 12),
    "LookPlayground": ("LookPlayground()", ".look-seed[tabindex='0']", "ArrowRight ArrowLeft", 12),
    "NextWord": (
        "NextWord(load_writer(), 'blame', ['The', 'movie', 'was', 'very'])",
        ".look-cuts input[type='range']",
        "ArrowRight ArrowLeft",
        12,
    ),
    "TrainingReplay": ("TrainingReplay()", ".look-epochs input", "ArrowLeft ArrowRight", 12),
    "AttentionExplorer, 64 tokens": (
        "AttentionExplorer(['token'] * 64)",
        ".look-asker[tabindex='0']",
        "ArrowRight ArrowLeft",
        64,
    ),
    "HeadGallery, 64 tokens": (
        f"HeadGallery({HEADS.format(n=64)})",
        ".look-gallery canvas",
        "ArrowRight ArrowLeft",
        64,
    ),
}
HEAT_MAP = """import matplotlib.pyplot as plt
import numpy as np
from ipywidgets import FloatSlider, interact
from course_utils.attention import softmax
from course_utils.pictures.plots import heatmap
scores, words = np.random.default_rng(0).normal(size=({n}, {n})), [f"token {{i}}" for i in range({n})]

@interact(temperature=FloatSlider(1, min=0.1, max=3, step=0.1))
def draw(temperature):
    heatmap(softmax(scores / temperature), words)
    plt.show()"""

PROBE = """() => {
  const probe = (window.probe = { pressed: 0, painted: [] });
  const inside = (node) => (node.nodeType === 1 ? node : node.parentElement);
  const counts = ({ target, type, addedNodes }) => {
    const node = inside(target);
    if (!node?.closest('.jp-Cell-outputArea')) return false;
    if (node.closest('.widget-slider, .widget-readout, .look-hidden')) return false;
    return type !== 'childList' || addedNodes.length > 0; // an output that is cleared is no new picture
  };
  const mark = () => requestAnimationFrame(() => requestAnimationFrame(() => probe.painted.push(performance.now())));
  new MutationObserver((changes) => {
    const seen = changes.filter(counts);
    if (!seen.length || !probe.pressed) return; // what changed before the key is not its picture
    const added = seen.flatMap((change) => [...change.addedNodes]).filter((node) => node.querySelector);
    const image = added.map((node) => (node.matches('img') ? node : node.querySelector('img'))).find(Boolean);
    if (image) image.decode().then(mark, mark);
    else mark();
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  document.addEventListener('keydown', (event) => (probe.pressed = event.timeStamp), true);
}"""
PAINTED = """() => new Promise((done) => {
  const end = performance.now() + 20000;
  const look = () => {
    const { pressed, painted } = window.probe;
    if (painted.length || performance.now() > end) done(painted.length ? painted[0] - pressed : NaN);
    else setTimeout(look, 2);
  };
  look();
})"""


def measure():
    """Return {label: [milliseconds of each press]} for CASES and their sliders; None without a browser."""
    with tempfile.TemporaryDirectory() as folder, machine.chromium() as browser:
        if browser is None:
            return None
        lab = machine.Lab(folder)
        try:
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            times = {}
            for n in sorted({size for *_, size in CASES.values()}):
                times |= press_all(page, lab, Path(folder), n)
            return times
        finally:
            lab.stop()


def press_all(page, lab, folder, n):
    """Press keys in a notebook with all cases of one size and their slider. Returns {label: [milliseconds]}.

    Each size has its own notebook: 64 tokens bring 256 number fields, which slow down the whole page.
    """
    cases = {name: case[:3] for name, case in CASES.items() if case[3] == n}
    names = "import numpy as np\nfrom course_utils.attention import softmax\nfrom course_utils.explorables import *\n"
    names += "from course_utils.models.review_reader import load_reader\n"
    names += "from course_utils.models.writer_reader import load_writer\n"
    cells = [names + code for code, *_ in cases.values()] + [HEAT_MAP.format(n=n)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / f"bench{n}.ipynb")
    lab.open(page, f"bench{n}.ipynb")
    lab.run_all(page)
    page.evaluate(PROBE)
    outputs = page.locator(".jp-Cell-outputArea")
    times = {}
    for i, (name, (_, target, keys)) in enumerate(cases.items()):
        times[name] = press(page, outputs.nth(i).locator(target).first, keys.split(), 120, PRESSES, WARM_UP)
    handle = outputs.nth(len(cases)).locator(".noUi-handle").first
    times[SLIDER.format(n=n)] = press(page, handle, ["ArrowRight", "ArrowLeft"], 400, SLIDER_PRESSES, SLIDER_WARM_UP)
    lab.close(page)
    return times


def press(page, target, keys, rest, presses, warm_up):
    """Press the keys alternately, with `rest` milliseconds between a picture and the next key.

    Returns milliseconds, without the warm-up.
    """
    target.scroll_into_view_if_needed()
    target.focus()
    times = []
    for i in range(warm_up + presses):
        page.wait_for_timeout(rest)
        page.evaluate("() => { Object.assign(window.probe, { pressed: 0, painted: [] }); }")
        page.keyboard.press(keys[i % 2])
        times.append(page.evaluate(PAINTED))
    return times[warm_up:]


def figures():
    """Key press to painted in a real browser, beside a matplotlib slider that draws a heat map."""
    times = measure()
    if times is None:
        print(machine.MISSING)
        return
    sliders = {n: statistics.median(times[SLIDER.format(n=n)]) for *_, n in CASES.values()}
    for n, slider in sliders.items():
        yield f"{SLIDER.format(n=n)}: median", slider, "ms", None
        yield "  p95", p95(times[SLIDER.format(n=n)]), "ms", None
    for name, (*_, n) in CASES.items():
        median, many = statistics.median(times[name]), n > 16
        yield f"{name}: median", median, "ms", 50 if many else 25
        yield "  p95", p95(times[name]), "ms", None if many else 40
        yield f"  as part of the slider's time, {n} x {n}", median / sliders[n], "x", 0.1


def p95(times):
    return statistics.quantiles(times, n=20, method="inclusive")[-1]
