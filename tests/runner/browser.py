"""A real Chromium and a real JupyterLab for the tests of all houses.

Without a Chromium they skip, and say how to get one.
"""

import os
from pathlib import Path

import pytest
import real_browser as machine
from hands import text

NEEDED = os.environ.get("LEARNING_TO_LOOK_BROWSER") == "needed"  # said by `nox -s browser`
SHOTS = Path(__file__).resolve().parents[2] / "artefacts" / "screenshots"


@pytest.fixture(scope="session")
def chromium():
    """Playwright's Browser. For `nox -s browser` a missing one is a failure."""
    with machine.chromium() as running:
        if running is None and NEEDED:
            pytest.fail(machine.MISSING)
        if running is None:
            pytest.skip(machine.MISSING)
        yield running


@pytest.fixture(scope="session")
def lab(chromium, tmp_path_factory):
    """A JupyterLab that shows a folder of this test run; `lab.folder` is that folder."""
    folder = tmp_path_factory.mktemp("notebooks")
    running = machine.Lab(folder, IPYTHONDIR=os.environ["IPYTHONDIR"])  # of this run: conftest.py
    running.folder = folder
    yield running
    running.stop()


SIZE = {"width": 1280, "height": 900}


class Window:
    """A page, the errors on its console, and the hosts that it asked for."""

    def __init__(self, context):
        self.page = context.new_page()
        self.errors, self.hosts = machine.watch(self.page)

    def faults(self):
        """The errors, and the hosts that are not JupyterLab's."""
        own = self.page.url.split("/")[2] if self.page.url.startswith(f"http://{machine.LOOPBACK}") else None
        return [*self.errors, *(host for host in self.hosts if host != own)]


@pytest.fixture(scope="session")
def windows():
    """The windows that one test leaves for the next: an empty one, and one in which JupyterLab shows nothing."""
    return {}


@pytest.fixture
def page(request, chromium, windows):
    """A page; asserts at the end that its console had no error, and that it contacted no host but JupyterLab's.

    It is empty, but tests of JupyterLab hand one on: loading it takes longer than most lessons.
    A new window takes longer than most tests.
    """
    kind = "lab" if "lab" in request.fixturenames else "empty"
    alone = "own_window" in request.fixturenames
    window = None if alone else windows.pop(kind, None)
    window = window or Window(chromium.new_context(viewport=SIZE))
    for heard in (window.errors, window.hosts):
        heard.clear()  # what the page that was left still asked for is not a request of this one
    yield window.page
    faults = window.faults()
    if faults or alone or not reset_page(window.page, kind):
        window.page.context.close()
    else:
        windows[kind] = window
    assert not faults


def reset_page(page, kind):
    """Bring a page back to where the next test begins. Returns whether that was possible."""
    page.mouse.move(0, 0)  # a pointer that rests on the page would point at what the next test draws below it
    if kind == "lab":
        return page.evaluate(NOTHING_OPEN)
    page.goto("about:blank")
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme="light")
    return True


@pytest.fixture
def own_window():
    """For a test that stops the clock of the page, which then stands still on every later one."""


@pytest.fixture
def cells(lab, page):
    """A function that writes code cells into a notebook, opens it, runs it and returns the page."""
    import nbformat  # takes seconds, and every mutant imports this file

    def run(*sources, dark=False, name="explorable.ipynb"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, lab.folder / name)
        lab.open(page, name, dark=dark)
        lab.run_all(page)
        return page

    yield run
    if page.url.startswith(lab.url):
        lab.close(page)


@pytest.fixture
def python(lab, page):
    """A function that runs code in the notebook's kernel, without a cell, and returns what the code prints."""

    def run(code):
        return page.evaluate(RUN, code)

    return run


@pytest.fixture
def agrees(page, python):
    """A function that asserts that Python tells what the page tells; Python hears of a change a moment later."""

    def wait(widget):
        shown = text(page)
        for _ in range(50):
            if (said := python(f"print({widget}.text())")) == shown:
                return
            page.wait_for_timeout(100)
        assert said == shown

    return wait


@pytest.fixture
def compute(page):
    """A function that gives each of many inputs to a JavaScript function of a module and returns the results."""
    from course_utils.explorables.assets import bundle

    def run(body, inputs, name="maths.js"):
        return page.evaluate(CALL, [f"{bundle(name)}\nexport const asked = {body};", inputs])

    return run


@pytest.fixture
def static(page, tmp_path):
    """A function that exports a widget, opens the page from its file URL and returns the page."""
    from course_utils.explorables import export_html

    def show(widget, *, dark=False):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto(export_html(widget, tmp_path / "page.html").as_uri())
        return page

    return show


@pytest.fixture
def shot():
    """A function that keeps a screenshot of a page, or of a part of it, as an artefact of `nox -s browser`."""

    def keep(what, name):
        if NEEDED:
            what.screenshot(path=SHOTS / f"{name}.png")

    return keep


CALL = """async ([module, inputs]) => {
  const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
  const { asked } = await import(url);
  return inputs.map(asked);
}"""
NOTHING_OPEN = """() => window.jupyterapp && !document.querySelector('.jp-Notebook, .jp-Dialog')"""
RUN = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, store_history: false });
  let text = '';
  future.onIOPub = (message) => {
    if (message.header.msg_type === 'stream') text += message.content.text;
    if (message.header.msg_type === 'error') text += message.content.traceback.join('');
  };
  await future.done;
  return text.trim();
}"""
