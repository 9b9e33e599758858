"""The next day: a saved lesson in the same JupyterLab and in another one, and a lesson that was only opened."""

import contextlib
import shutil
from pathlib import Path

import nbformat
import pytest
import real_browser as machine
from nbformat.sign import NotebookNotary

from course_utils.computer.notebook import WIDGET

ROOT = Path(__file__).resolve().parents[3]
LESSON = ROOT / "notebooks" / "01_dot_products.ipynb"
PAD, CHOICE = 16, 6  # the cells with an explorable and with a prediction
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
SCROLL = "(i) => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, 'start').then(() => null)"
NOTE = "As saved. You can move it, but Python hears of it only after you run this cell."
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
    """A JupyterLab of its own, which shares no record of trust with the other tests."""
    lab = machine.Lab(folder := tmp_path_factory.mktemp("days"))
    lab.folder = folder
    yield lab
    lab.stop()


@pytest.fixture(scope="module")
def window(chromium):
    """One window for all days: a reloaded page of JupyterLab knows as little as one in a new window."""
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


def cell(page, position):
    """A cell, brought into sight."""
    page.evaluate(SCROLL, position)
    return page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{position}']")


def notes(page, position):
    """What stands before the outputs of a cell and before anything in them, and is not in the page's text."""
    return cell(page, position).locator(".jp-Cell-outputArea").evaluate(BEFORE)


def dead(page):
    """The outputs in which a widget neither lives nor gave way. All cells are brought into sight one by one."""
    seen = []
    for i in range(page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")):
        found = cell(page, i)
        page.wait_for_timeout(50)
        seen.append(found.inner_text())
    return [text for text in seen if "Error displaying widget" in text or "Loading widget" in text]


@pytest.fixture(scope="module")
def saved(window, days):
    """The names of lessons that were saved: one that was run, and the same after its kernel began anew."""
    names = ["saved.ipynb", "restarted.ipynb"]
    shutil.copy(LESSON, days.folder / names[1])
    with day(window, days, names[1]) as page:
        days.run_all(page)
        cell(page, CHOICE).get_by_role("radio", name="7", exact=False).first.click()
        page.get_by_text("That is the old value.").first.wait_for()
        days.command(page, "docmanager:save")
        assert not page.evaluate(DIRTY)
        shutil.copy(days.folder / names[1], days.folder / names[0])
        page.evaluate(RESTART)
        days.command(page, "docmanager:save")
    return names


def test_in_the_same_jupyterlab_the_widgets_are_alive_and_late_ones_are_not_taken_for_lost(window, days, saved):
    with day(window, days, saved[0]) as page:
        assert not dead(page) and not page.evaluate(DIRTY)
        cell(page, CHOICE).get_by_role("radio", checked=True).filter(has_text="✗").wait_for()
        assert NOTE in notes(page, PAD)
        pad = cell(page, PAD).locator("section.look")
        before = pad.locator(".look-big").inner_text()
        pad.locator(".look-handle").first.focus()
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(200)
        assert pad.locator(".look-big").inner_text() != before, "it moves without a kernel that made it"
        page.evaluate(LATE)  # closed and opened again in one window, with a kernel that takes 2 seconds to begin
        days.close(page)
        days.command(page, "docmanager:open", {"path": saved[0]})
        page.evaluate(REVEALED)
        for position in (CHOICE, PAD):
            cell(page, position).locator("section.look, [role=radiogroup]").first.wait_for()
        assert not page.get_by_text("This is what was saved.").count()


MIXED = """import ipywidgets as w
from IPython.display import display
from course_utils.explorables import VectorPad
from course_utils.pictures.live_training import only_live
"""
SHOWN = {  # the code of a cell, and how many notes stand in it
    "only_live('good -> not 0.35')": 0,
    "w.Output(outputs=({'output_type': 'stream', 'name': 'stdout', 'text': 'opened'},))": 0,
    "display(w.IntSlider(), w.HTML('words'), VectorPad())": 1,
    "VectorPad(presenter=True)": 0,
}


def test_one_note_stands_by_what_can_be_operated_and_none_by_what_is_read(window, days):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (MIXED, *SHOWN)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, days.folder / "mixed.ipynb")
    with day(window, days, "mixed.ipynb") as page:
        days.run_all(page)
        days.command(page, "docmanager:save")
    with day(window, days, "mixed.ipynb") as page:
        for position, wanted in enumerate(SHOWN.values(), 1):
            cell(page, position).locator(".jupyter-widgets-disconnected").first.wait_for()
            assert notes(page, position) == [NOTE] * wanted


@pytest.mark.parametrize(
    ("change", "signed", "said"),
    [
        (lambda lesson: lesson.metadata.update(seen="elsewhere"), False, "Choose one, then unfold it."),
        (lambda lesson: lesson.metadata.pop("widgets"), True, "Run the cell, and it answers again."),
    ],
)
def test_a_widget_that_another_jupyterlab_does_not_know_gives_way_to_its_picture(
    window, days, saved, change, signed, said
):
    lesson = nbformat.read(days.folder / saved[0], as_version=4)
    change(lesson)
    nbformat.write(lesson, days.folder / "changed.ipynb")
    if signed:
        NotebookNotary(data_dir=str(days.scratch / "data")).sign(lesson)
    with day(window, days, "changed.ipynb") as page:
        cell(page, PAD).locator(".jp-OutputArea img").wait_for()
        assert not dead(page)
        for words in (said, "Choose one, then unfold it."):
            cell(page, CHOICE).get_by_text(words).wait_for()


@pytest.mark.parametrize("name", ["as it comes", "restarted"])
def test_only_typing_changes_a_lesson_whose_widgets_no_kernel_made(window, days, saved, name):
    shutil.copy(LESSON, days.folder / "as it comes.ipynb")
    with day(window, days, f"{name}.ipynb") as page:
        dead(page)  # what is looked for takes a moment
        page.wait_for_timeout(500)
        assert not dead(page) and not page.evaluate(DIRTY)
        cell(page, 1).locator(".cm-content").click()
        page.keyboard.type("#")
        assert page.evaluate(DIRTY)


PRINTS, IMPORTS = 3, 1  # a cell that prints, and the one that it needs
GO_TO = """(i) => { const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.deselectAll(); notebook.activeCellIndex = i; notebook.mode = 'command'; }"""
COUNTS = """() => { const wrapper = document.querySelector('.learning-busy .jp-Cell-inputWrapper');
  return wrapper && /Running, [3-9] s/.test(getComputedStyle(wrapper, '::after').content); }"""
ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
STORED = "The course's run. Run this cell, and yours stands here."


def test_an_output_is_the_courses_until_the_cell_has_run_here(window, days):
    shutil.copy(LESSON, days.folder / "fresh.ipynb")
    with day(window, days, "fresh.ipynb") as page:
        assert notes(page, PRINTS) == [STORED] and not page.evaluate(DIRTY)
        for position in (IMPORTS, PRINTS):
            page.evaluate(GO_TO, position)
            days.command(page, "notebook:run-cell")
        page.wait_for_function(
            "(i) => !document.querySelector(`[data-windowed-list-index='${i}'].learning-stored`)", arg=PRINTS
        )
        assert notes(page, PRINTS) == []
        days.command(page, "docmanager:save")
    with day(window, days, "fresh.ipynb") as page:
        assert notes(page, PRINTS) == [], "the student's own run, on the next day"
        assert page.locator(".learning-stored").count() > 0, "those that never ran here"


def test_arrows_and_digits_reach_the_cards_of_a_prediction_whose_code_is_folded(window, days):
    shutil.copy(LESSON, days.folder / "keys.ipynb")
    with day(window, days, "keys.ipynb") as page:
        for position in (IMPORTS, PRINTS):
            page.evaluate(GO_TO, position)
            days.command(page, "notebook:run-cell")
        cell(page, CHOICE - 1).locator(".jp-InputPrompt").click()
        page.keyboard.press("ArrowDown")
        assert page.evaluate(ACTIVE) == CHOICE
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(f"{ACTIVE[6:]} === {CHOICE + 1}")
        cell(page, CHOICE).get_by_role("radio").first.wait_for()
        page.keyboard.press("1")
        cell(page, CHOICE).get_by_role("radio", checked=True).wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        assert page.evaluate(ACTIVE) == CHOICE
        types = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.map((c) => c.model.type)")
        assert types == [one.cell_type for one in nbformat.read(LESSON, as_version=4).cells]


def test_a_link_to_a_solution_opens_it_at_its_cell_and_its_tab_says_so(window, days):
    (days.folder / "solutions").mkdir(exist_ok=True)
    shutil.copy(LESSON.parent / "solutions" / LESSON.name, days.folder / "solutions")
    shutil.copy(LESSON, days.folder / "linked.ipynb")
    with day(window, days, "linked.ipynb") as page:
        link = cell(page, 8).get_by_role("link", name="Solution")
        wanted = link.get_attribute("href").split("cell-id=")[1]
        link.click()
        page.locator(".lm-TabBar-tabLabel", has_text=f"Solution: {LESSON.name}").wait_for()
        notebook = "window.jupyterapp.shell.currentWidget.content"
        page.wait_for_function(f"(id) => {notebook}.activeCell?.model.id === id", arg=wanted)
        assert page.evaluate(f"() => {notebook}.selectedCells.length") == 1


def test_a_long_cell_counts_its_seconds_and_a_name_of_a_cell_that_did_not_run_is_explained(window, days):
    codes = ("missing = 1", "import time; time.sleep(6)", "print(missing)")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, days.folder / "long.ipynb")
    with day(window, days, "long.ipynb") as page:
        page.evaluate(GO_TO, 1)
        page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-cell'); }")
        page.wait_for_function(COUNTS)
        page.wait_for_function("() => !document.querySelector('.learning-busy')")
        page.evaluate(GO_TO, 2)
        days.command(page, "notebook:run-cell")
        cell(page, 2).get_by_text("Run All Above Selected Cell").wait_for()
        days.run_all(page)
        assert not page.get_by_text("Run All Above Selected Cell").count()
