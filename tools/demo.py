"""Show the explorables on stage: JupyterLab with one notebook and nothing beside it, or one page that needs no kernel.

    python tools/demo.py              what else stands here goes to JupyterLab: --no-browser --port 8890
    python tools/demo.py --page FILE  write an HTML page; it works from a stick, without Python and without a network

The notebook is made anew from demo_notebook.py each time, in a folder of its own that goes when JupyterLab stops.
The widgets are alive as soon as it opens, also when the kernel is not.
"""

import argparse
import html
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import jupyterlab_files
import jupytext
import mistune
import nbformat
from build_notebooks import ENVIRONMENT, ThisPython
from nbclient import NotebookClient
from nbformat.sign import NotebookNotary

from course_utils.explorables import export_html
from course_utils.explorables.base import Explorable

SOURCE = Path(__file__).with_name("demo_notebook.py")
NAME = "Explorables.ipynb"
SETTINGS = {  # of JupyterLab: the notebook alone, large, and no question about news
    "application-extension/shell": {"startMode": "single"},
    "statusbar-extension/plugin": {"visible": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "apputils-extension/themes": {"overrides": {"code-font-size": "18px", "content-font-size1": "20px"}},
}
SHUT = {"collapsed": True, "visible": False, "widgets": []}
WORKSPACE = {
    "metadata": {"id": "default"},
    "data": {"layout-restorer:data": {"left": SHUT, "right": SHUT, "top": {"simpleVisibility": False}}},
}
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention, in your hands</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 20px sans-serif }}
iframe {{ width: 100%; height: 40em; border: 0 }}
</style>
<script>
// Before the frames, and while the event is on its way down: a frame that loads at once is not missed.
document.addEventListener("load", ({{ target }}) => {{
  if (target.tagName !== "IFRAME") return;
  const {{ documentElement }} = target.contentDocument;
  const fit = () => target.style.height = `${{documentElement.scrollHeight + 4}}px`;
  new ResizeObserver(fit).observe(documentElement.querySelector("#explorable"));
  fit();
}}, true);
</script>
{parts}
</html>
"""


def main(arguments=None):
    """Open JupyterLab, or write the page. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--page", metavar="FILE", help="write a page that needs no kernel, in place of opening JupyterLab"
    )
    options, for_lab = parser.parse_known_args(arguments)
    if options.page:
        print("written:", write_page(options.page))
        return 0
    with tempfile.TemporaryDirectory(prefix="demo-", ignore_cleanup_errors=True) as scratch:
        environment = furnish(Path(scratch))
        try:
            return subprocess.run(command(Path(scratch), for_lab), env=environment).returncode
        except KeyboardInterrupt:  # Ctrl-C in the terminal is how one ends JupyterLab
            return 0


def cells():
    """The code of the demo's cells, one for each explorable."""
    return [cell.source for cell in jupytext.read(SOURCE, fmt="py:percent").cells if cell.cell_type == "code"]


def widgets():
    """The explorables of the demo, in their order."""
    return [value for value in runpy.run_path(str(SOURCE)).values() if isinstance(value, Explorable)]


def write_page(path):
    """Write the demo, texts and explorables, as one page that needs no kernel. Returns its Path."""
    path = Path(path)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "one.html"
        pages = [(type(one).__name__, export_html(one, file).read_text(encoding="utf-8")) for one in widgets()]
    frames = iter([f'<iframe title="{name}" srcdoc="{html.escape(text)}"></iframe>' for name, text in pages])
    cells = jupytext.read(SOURCE, fmt="py:percent").cells
    parts = [mistune.html(cell.source) if cell.cell_type == "markdown" else next(frames) for cell in cells]
    path.write_text(PAGE.format(parts="\n".join(parts)), encoding="utf-8")
    return path


def notebook():
    """The demo as a notebook that has run and holds the state of its widgets."""
    made = jupytext.read(SOURCE, fmt="py:percent")
    made.metadata = nbformat.from_dict(
        {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    for cell in made.cells:
        cell.metadata = nbformat.from_dict({"jupyter": {"source_hidden": True}} if cell.cell_type == "code" else {})
    client = NotebookClient(made, kernel_manager_class=ThisPython, extra_arguments=["--log-level=ERROR"])
    client.execute(env=os.environ | ENVIRONMENT)
    return made


def furnish(scratch):
    """Write notebook, settings and layout into a folder. Returns the environment for a JupyterLab that uses them."""
    rooms = {name: scratch / name for name in ("show", "data", "settings", "workspaces")}
    for room in rooms.values():
        room.mkdir()
    jupyterlab_files.put(rooms["data"])
    made = notebook()
    nbformat.write(made, rooms["show"] / NAME)
    NotebookNotary(data_dir=str(rooms["data"])).sign(made)  # JupyterLab shows stored widgets of trusted notebooks only
    for name, settings in SETTINGS.items():
        file = rooms["settings"] / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    (rooms["workspaces"] / "default-37a8.jupyterlab-workspace").write_text(json.dumps(WORKSPACE), encoding="utf-8")
    return os.environ | {
        "JUPYTER_DATA_DIR": str(rooms["data"]),
        "JUPYTERLAB_SETTINGS_DIR": str(rooms["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(rooms["workspaces"]),
        "LEARNING_TO_LOOK_DATA": "off",
    }


def command(scratch, for_lab):
    """The command line: this machine only, with the token that JupyterLab makes and prints."""
    options = [f"--ServerApp.root_dir={scratch / 'show'}", f"--LabApp.default_url=/doc/tree/{NAME}"]
    options += ["--LabApp.extension_manager=readonly"]
    if not any(word.startswith(("--ip", "--ServerApp.ip")) for word in for_lab):
        options.append("--ip=127.0.0.1")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options, *for_lab]


if __name__ == "__main__":
    sys.exit(main())
