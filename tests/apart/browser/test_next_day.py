"""The next day: a saved lesson in the same JupyterLab and in another one, and a lesson that was only opened."""

import contextlib
import shutil
from pathlib import Path

import nbformat
import pytest
import real_browser as machine
from nbformat.sign import NotebookNotary

from course_utils.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[3]
LESSON = ROOT / "notebooks" / "01_dot_products.ipynb"
PAD = 16  # the cell with an explorable; predictions stand before and behind it
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
SCROLL = "(i) => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, 'start').then(() => null)"
NOTE = "As saved. Run the cell, and Python hears of it again."
BEFORE = """(area) => [area, ...area.querySelectorAll('*')].map((node) => getComputedStyle(node, '::before').content)
  .filter((content) => content !== 'none').map((content) => content.slice(1, -1))"""
# A view looks for its widget for 2 seconds, ten times a second.
# From here on, each widget comes right after the last look.
LATE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const renderer = panel.content.rendermime.createRenderer('WIDGET');
  return renderer._manager.promise.then((manager) => {
    let kind = Object.getPrototypeOf(manager);
    while (!Object.hasOwn(kind, 'get_model')) kind = Object.getPrototypeOf(kind);
    const ask = kind.get_model;
    kind.get_model = async function (id) {
      if (this.has_model(id)) return ask.call(this, id);
      await new Promise((resolve) => this.restored.connect(resolve));
      throw Error('widget model not found');
    };
  });
}""".replace("WIDGET", WIDGET)
REVEALED = "() => window.jupyterapp.shell.currentWidget.revealed.then(() => null)"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel().then(() => null)"


@pytest.fixture(scope="module")
def days(chromium, tmp_path_factory):
    """A JupyterLab of its own: what it keeps about trust is not that of the other tests."""
    lab = machine.Lab(folder := tmp_path_factory.mktemp("days"))
    lab.folder = folder
    yield lab
    lab.stop()


@pytest.fixture(scope="module")
def window(chromium):
    """One window for all days: a page of JupyterLab that is loaded once more knows as little as one in a new window."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@contextlib.contextmanager
def day(page, lab, name):
    """A lesson in a JupyterLab that is loaded anew, with a new kernel, until that kernel ends: the page."""
    page.goto("about:blank")
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.open(page, name)
    page.wait_for_timeout(1500)  # what JupyterLab writes down about the kernel comes a moment later
    try:
        yield page
    finally:
        lab.close(page)


def seen(page):
    """The text of every cell's outputs, brought into sight one by one."""
    found = []
    for i in range(page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")):
        page.evaluate(SCROLL, i)
        page.wait_for_timeout(50)
        found.append(cell(page, i).inner_text())
    return found


def cell(page, position):
    return page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{position}']")


def notes(page, position):
    """What stands before the outputs of a cell and before anything in them, and is not in the page's text."""
    return cell(page, position).locator(".jp-Cell-outputArea").evaluate(BEFORE)


def nothing_is_dead(page):
    return not [text for text in seen(page) if "Error displaying widget" in text or "Loading widget" in text]


@pytest.fixture(scope="module")
def saved(window, days):
    """The name of a lesson that was run and saved."""
    shutil.copy(LESSON, days.folder / "saved.ipynb")
    with day(window, days, "saved.ipynb") as page:
        days.run_all(page)
        page.evaluate(SCROLL, 6)
        page.get_by_role("radio", name="7", exact=False).first.click()
        page.get_by_text("That is the old value.").first.wait_for()
        days.command(page, "docmanager:save")
        assert not page.evaluate(DIRTY)
    return "saved.ipynb"


@pytest.fixture
def changed(days, saved):
    """A function that writes the saved lesson under another name, changed; `sign` says whether it is still trusted."""

    def write(name, change, *, sign):
        lesson = nbformat.read(days.folder / saved, as_version=4)
        change(lesson)
        nbformat.write(lesson, days.folder / name)
        if sign:
            NotebookNotary(data_dir=str(days.scratch / "data")).sign(lesson)
        return name

    return write


def test_in_the_same_jupyterlab_the_widgets_are_alive(window, days, saved, shot):
    with day(window, days, saved) as page:
        assert nothing_is_dead(page)
        page.evaluate(SCROLL, 6)
        cell(page, 6).get_by_role("radio", checked=True).filter(has_text="✗").wait_for()
        page.evaluate(SCROLL, PAD)
        pad = cell(page, PAD).locator("section.look")
        assert NOTE in notes(page, PAD)
        before = pad.locator(".look-big").inner_text()
        pad.locator(".look-handle").first.focus()
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(200)
        assert pad.locator(".look-big").inner_text() != before, "it moves without a kernel that made it"
        shot(page, "next-day-same")


def test_a_widget_that_comes_back_late_is_not_taken_for_lost(window, days, saved):
    """Closed and opened again in one window, with a kernel that takes 2 seconds to begin."""
    with day(window, days, saved) as page:
        page.evaluate(LATE)
        days.close(page)
        days.command(page, "docmanager:open", {"path": saved})
        page.evaluate(REVEALED)
        for position in (6, PAD):
            page.evaluate(SCROLL, position)
            cell(page, position).locator("section.look, [role=radiogroup]").first.wait_for()
        assert not page.get_by_text("This is what was saved.").count()


MIXED = """import ipywidgets as w
from IPython.display import display
from course_utils.explorables import VectorPad
from course_utils.live_training import only_live
"""
SHOWN = {  # the code of a cell, and how many notes stand in it
    "only_live('good -> not 0.35')": 0,
    "w.Output(outputs=({'output_type': 'stream', 'name': 'stdout', 'text': 'opened'},))": 0,
    "display(w.IntSlider(), w.HTML('words'), VectorPad())": 1,
    "VectorPad(presenter=True)": 0,
}


def test_one_note_stands_above_what_can_be_operated_and_none_beside_what_is_read(window, days, shot):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (MIXED, *SHOWN)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, days.folder / "mixed.ipynb")
    with day(window, days, "mixed.ipynb") as page:
        days.run_all(page)
        days.command(page, "docmanager:save")
    with day(window, days, "mixed.ipynb") as page:
        page.set_viewport_size({"width": 1024, "height": 768})
        for position, wanted in enumerate(SHOWN.values(), 1):
            page.evaluate(SCROLL, position)
            cell(page, position).locator(".jupyter-widgets-disconnected").first.wait_for()
            assert notes(page, position) == [NOTE] * wanted
            shot(page, f"next-day-note-{position}")
        area = cell(page, 3).locator(".jp-Cell-outputArea")
        first = area.locator(".jp-OutputArea-child").first
        assert first.bounding_box()["y"] - area.bounding_box()["y"] > 10, "above, not beside"
        page.evaluate(SCROLL, 1)
        read = cell(page, 1).locator("pre").bounding_box()
        assert read["x"] < cell(page, 1).locator(".jp-OutputArea-output").bounding_box()["x"] + 20


def test_in_another_jupyterlab_their_pictures_say_how_to_wake_them(window, days, changed, shot):
    """Another JupyterLab knows nothing of the lesson, and trusts it as little as this one trusts a changed one."""
    other = changed("other.ipynb", lambda lesson: lesson.metadata.update(seen="elsewhere"), sign=False)
    with day(window, days, other) as page:
        assert nothing_is_dead(page)
        page.evaluate(SCROLL, PAD)
        assert cell(page, PAD).locator(".jp-OutputArea img").is_visible()
        page.evaluate(SCROLL, 6)
        assert cell(page, 6).get_by_text("Choose one, then unfold it.").is_visible()
        shot(page, "next-day-other")


def test_a_widget_whose_state_was_lost_gives_way_to_its_picture(window, days, changed, shot):
    lost = changed("lost.ipynb", lambda lesson: lesson.metadata.pop("widgets"), sign=True)
    with day(window, days, lost) as page:
        page.evaluate(SCROLL, PAD)
        cell(page, PAD).locator(".jp-OutputArea img").wait_for()
        assert nothing_is_dead(page)
        page.evaluate(SCROLL, 6)
        cell(page, 6).get_by_text("Run the cell, and it answers again.").wait_for()
        assert cell(page, 6).get_by_text("Choose one, then unfold it.").is_visible()
        shot(page, "next-day-lost")


def test_what_was_saved_after_a_restart_is_not_dead_either(window, days):
    shutil.copy(LESSON, days.folder / "restarted.ipynb")
    with day(window, days, "restarted.ipynb") as page:
        days.run_all(page)
        page.evaluate(RESTART)
        days.command(page, "docmanager:save")
    with day(window, days, "restarted.ipynb") as page:
        seen(page)
        page.wait_for_timeout(500)
        assert nothing_is_dead(page)


def test_a_lesson_that_was_only_opened_is_not_changed_and_one_that_was_typed_into_is(window, days, saved):
    shutil.copy(LESSON, days.folder / "opened.ipynb")
    for name in ("opened.ipynb", saved):
        with day(window, days, name) as page:
            seen(page)
            assert not page.evaluate(DIRTY)
            page.evaluate(SCROLL, 1)
            cell(page, 1).locator(".cm-content").click()
            page.keyboard.type("#")
            assert page.evaluate(DIRTY)
