"""Show the explorables on stage: JupyterLab with one notebook and nothing beside it, or one page that needs no kernel.

    python classroom/demo.py              other options go to JupyterLab: --no-browser --port 8890
    python classroom/demo.py --page FILE  write a page that works from a USB stick, without Python or a network

Both show one part of talk/talk.toml a screen, for a clicker: talk/stage.js.
The notebook is built from that file and demo_notebook.py each time, in a temporary folder.
The widgets are live as soon as it opens, even before the kernel is.
"""

import argparse
import html
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import jupytext
import mistune
import nbformat
import talk_script as talk
from nbclient import NotebookClient
from nbformat.sign import NotebookNotary

from course_utils.explorables import export_html
from course_utils.explorables.base import Explorable
from course_utils.models.encoder import load_encoder

sys.path.append(str(Path(__file__).resolve().parents[1] / "workshop"))
import jupyterlab_files
from build_notebooks import ENVIRONMENT, ThisPython

SOURCE = Path(__file__).with_name("demo_notebook.py")
TALK = Path(__file__).with_name("talk")
NAME, STAGE = "Explorables.ipynb", "learning-to-look-stage"
SETTINGS = {  # of JupyterLab: the notebook alone, large, and no question about news
    "application-extension/shell": {"startMode": "single"},
    "statusbar-extension/plugin": {"visible": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # all parts are rendered, all but one hidden
    "apputils-extension/themes": {"overrides": {"code-font-size": "18px", "content-font-size1": "20px"}},
}
SHUT = {"collapsed": True, "visible": False, "widgets": []}
WORKSPACE = {
    "metadata": {"id": "default"},
    "data": {"layout-restorer:data": {"left": SHUT, "right": SHUT, "top": {"simpleVisibility": False}}},
}


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
        environment = set_up(Path(scratch))
        try:
            return subprocess.run(command(Path(scratch), for_lab), env=environment).returncode
        except KeyboardInterrupt:  # Ctrl-C in the terminal is the usual way to stop JupyterLab
            return 0


def cells():
    """The code of the demo's cells, one for each explorable."""
    return [cell.source for cell in jupytext.read(SOURCE, fmt="py:percent").cells if cell.cell_type == "code"]


def widgets():
    """The explorables of the demo, in their order."""
    return [value for value in runpy.run_path(str(SOURCE)).values() if isinstance(value, Explorable)]


def has_weights():
    """Whether the model of lesson 19 is installed and intact."""
    try:
        load_encoder()
    except (FileNotFoundError, ValueError):
        return False
    return True


def write_page(path):
    """Write the demo, texts and explorables, as one page that needs no kernel. Returns its Path."""
    path, next_widgets = Path(path), iter(widgets())
    with tempfile.TemporaryDirectory() as scratch:
        parts = [
            section(i, part, next_widgets, Path(scratch)) for i, part in enumerate(talk.parts(weights=has_weights()))
        ]
    fields = {"title": talk.script()["title"], "parts": "\n".join(parts)}
    fields |= {"notes": in_script(talk.notes_page()), "machines": machines_in_script()}
    fields["script"] = "\n".join((TALK / name).read_text(encoding="utf-8") for name in ("stage.js", "stage_page.js"))
    page = (TALK / "stage.html").read_text(encoding="utf-8")
    path.write_text(re.sub(r"\{\{(\w+)\}\}", lambda field: fields[field[1]], page), encoding="utf-8")
    return path


def in_script(value):
    """Return a value as JavaScript, escaped because a tag in it could end the script."""
    return json.dumps(value).replace("<", "\\u003c")


def machines_in_script():
    """Return the drawing of the machine of each part as JavaScript."""
    return in_script([talk.page(talk.machine(part)) for part in talk.parts()])


def section(number, part, widgets, scratch):
    """Return one part as HTML; `widgets` yields the next explorable if it needs one."""
    text = mistune.html(talk.markdown(number, part))
    if not talk.has_widget(part):
        return f'<section class="part words">{text}</section>'
    page = html.escape(export_html(next(widgets), scratch / "one.html").read_text(encoding="utf-8"))
    return f'<section class="part">{text}<iframe title="{part["name"]}" srcdoc="{page}"></iframe></section>'


def notebook():
    """Return the demo as an executed notebook with its widget state."""
    result = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    code = iter(cells())
    for number, part in enumerate(talk.parts(weights=has_weights())):
        result.cells.append(nbformat.v4.new_markdown_cell(talk.markdown(number, part)))
        if talk.has_widget(part):
            hidden_source = {"jupyter": {"source_hidden": True}}
            result.cells.append(nbformat.v4.new_code_cell(next(code), metadata=hidden_source))
    client = NotebookClient(result, kernel_manager_class=ThisPython, extra_arguments=["--log-level=ERROR"])
    client.execute(env=os.environ | ENVIRONMENT)
    return result


def put_stage(labextensions):
    """Put the stage and the notes as one file into a folder of prebuilt extensions."""
    folder = labextensions / STAGE
    (folder / "static").mkdir(parents=True)
    parts = [(TALK / name).read_text(encoding="utf-8") for name in ("stage.js", "stage_lab.js")]
    constants = [f"const NOTES = {in_script(talk.notes_page())};", f"const MACHINES = {machines_in_script()};"]
    text = "\n".join(["(() => {", *constants, *parts, "})();"])
    (folder / "static" / "stage.js").write_text(text, encoding="utf-8")
    build = {"load": "static/stage.js", "extension": "./extension"}
    package = {
        "name": STAGE,
        "version": version("learning-to-look"),
        "jupyterlab": {"extension": True, "_build": build},
    }
    (folder / "package.json").write_text(json.dumps(package), encoding="utf-8")


def set_up(scratch):
    """Write notebook, settings and layout into a folder. Returns the environment for a JupyterLab that uses them."""
    folders = {name: scratch / name for name in ("show", "data", "settings", "workspaces")}
    for folder in folders.values():
        folder.mkdir()
    jupyterlab_files.install(folders["data"])
    put_stage(folders["data"] / "labextensions")
    demo_notebook = notebook()
    nbformat.write(demo_notebook, folders["show"] / NAME)
    NotebookNotary(data_dir=str(folders["data"])).sign(
        demo_notebook
    )  # JupyterLab shows stored widgets only in trusted notebooks
    for name, settings in SETTINGS.items():
        file = folders["settings"] / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    (folders["workspaces"] / "default-37a8.jupyterlab-workspace").write_text(json.dumps(WORKSPACE), encoding="utf-8")
    return os.environ | {
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTERLAB_SETTINGS_DIR": str(folders["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(folders["workspaces"]),
        "LEARNING_TO_LOOK_DATA": "off",
    }


def command(scratch, for_lab):
    """Return the command line: loopback only by default, with a token generated by JupyterLab."""
    options = [f"--ServerApp.root_dir={scratch / 'show'}", f"--LabApp.default_url=/doc/tree/{NAME}"]
    options += ["--LabApp.extension_manager=readonly"]
    if not any(word.startswith(("--ip", "--ServerApp.ip")) for word in for_lab):
        options.append("--ip=127.0.0.1")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options, *for_lab]


if __name__ == "__main__":
    sys.exit(main())
