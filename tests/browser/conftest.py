"""A real Chromium and a real JupyterLab for the tests of this folder.

Without a Chromium they skip, and say how to get one.
"""

import os
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import real_browser as machine  # noqa: E402 - tools/ is no package
from explorable_text import text  # noqa: E402

SHOTS = ROOT / "artefacts" / "screenshots"


@pytest.fixture(scope="session")
def chromium():
    """Playwright's Browser. `nox -s browser` sets the variable: there, a missing browser is a failure."""
    with machine.chromium() as running:
        if running is None and os.environ.get("LEARNING_TO_LOOK_BROWSER") == "needed":
            pytest.fail(machine.MISSING)
        if running is None:
            pytest.skip(machine.MISSING)
        yield running


@pytest.fixture(scope="session")
def lab(chromium, tmp_path_factory):
    """A JupyterLab that shows a folder of this test run; `lab.folder` is that folder."""
    folder = tmp_path_factory.mktemp("notebooks")
    running = machine.Lab(folder)
    running.folder = folder
    yield running
    running.stop()


@pytest.fixture
def page(chromium):
    """An empty page. In the end: no error on its console, and no request to another host than JupyterLab's."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    errors, hosts = machine.watch(page)
    yield page
    allowed = {page.url.split("/")[2]} if page.url.startswith(f"http://{machine.LOOPBACK}") else set()
    context.close()
    assert not errors
    assert set(hosts) <= allowed


@pytest.fixture
def cells(lab, page):
    """A function that writes code cells into a notebook, opens it, runs it and returns the page."""

    def run(*sources, dark=False, name="explorable.ipynb"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, lab.folder / name)
        lab.open(page, name, dark=dark)
        lab.run_all(page)
        return page

    yield run
    if page.url.startswith(lab.url):
        lab.shut_down(page)


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
def static(page, tmp_path):
    """A function that exports a widget, opens the page from its file URL and returns the page."""
    from course_utils.explorables import export_html

    def show(widget, *, dark=False):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto(export_html(widget, tmp_path / "page.html").as_uri())
        return page

    return show


@pytest.fixture
def shot(request):
    """A function that keeps a screenshot of a page, or of a part of it, as an artefact; returns its path."""

    def keep(what, name):
        path = SHOTS / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        what.screenshot(path=path)
        return path

    return keep


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
