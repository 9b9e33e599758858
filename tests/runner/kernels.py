"""The kernels of a test run share a profile of their own, so that the user's IPython settings change nothing."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

FOLDER = pytest.StashKey[Path]()
# Collecting garbage takes a quarter of the import of Keras.
TEXT = "import gc; gc.set_threshold(100_000, 20, 20); del gc"
PROFILE = f"c = get_config()\nc.InteractiveShellApp.exec_lines = [{TEXT!r}]\n"


def pytest_configure(config):
    """Write the profile; the workers and their kernels find it through the environment."""
    if not hasattr(config, "workerinput"):
        config.stash[FOLDER] = folder = Path(tempfile.mkdtemp(prefix="kernels-"))
        (folder / "profile_default").mkdir()
        (folder / "profile_default" / "ipython_config.py").write_text(PROFILE, encoding="utf-8")
        os.environ["IPYTHONDIR"] = str(folder)


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
