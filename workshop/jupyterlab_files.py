"""Install the course's settings and extension into the JupyterLab of this Python.

    python workshop/jupyterlab_files.py

Two settings: widgets are saved in the notebook file, and a click on the glossary opens it as rendered text.
And a small extension for lessons (jupyterlab/static).
The settings have a file of their own, so those of other packages and of the user stay.
"""

import shutil
import sys
from pathlib import Path

FILES_FOLDER = Path(__file__).parent / "jupyterlab"
SETTINGS = "learning-to-look.json"
EXTENSION = "learning-to-look"


def install(share):
    """Copy the files into a folder share/jupyter, replacing those of an older version."""
    settings, extension = share / "lab" / "settings" / "overrides.d", share / "labextensions" / EXTENSION
    settings.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(FILES_FOLDER / SETTINGS, settings / SETTINGS)
    shutil.rmtree(extension, ignore_errors=True)
    (extension / "static").mkdir(parents=True)
    for file in ("package.json", "static/lesson.js"):
        shutil.copyfile(FILES_FOLDER / file, extension / file)


if __name__ == "__main__":
    install(Path(sys.prefix) / "share" / "jupyter")
