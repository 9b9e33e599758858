"""Put what the course brings along for JupyterLab where the JupyterLab of this Python finds it.

    python workshop/jupyterlab_files.py

Two settings: widgets stay in the notebook's file, and a click on the glossary opens it to read.
And a small extension for the next day (jupyterlab/static).
The settings have a file of their own, so those of other packages and of the user stay.
"""

import shutil
import sys
from pathlib import Path

BROUGHT = Path(__file__).parent / "jupyterlab"
SETTINGS = "learning-to-look.json"
EXTENSION = "learning-to-look"


def put(share):
    """Copy the files into a folder share/jupyter, in place of those of an older version."""
    settings, extension = share / "lab" / "settings" / "overrides.d", share / "labextensions" / EXTENSION
    settings.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(BROUGHT / SETTINGS, settings / SETTINGS)
    shutil.rmtree(extension, ignore_errors=True)
    (extension / "static").mkdir(parents=True)
    for file in ("package.json", "static/next_day.js"):
        shutil.copyfile(BROUGHT / file, extension / file)


if __name__ == "__main__":
    put(Path(sys.prefix) / "share" / "jupyter")
