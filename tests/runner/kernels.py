"""The kernels of a test run share a profile: nobody's settings of IPython count, and a training is done once.

Each run begins with an empty folder, so each run trains everything that it trains at least once.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from runner import trained_once

FOLDER = pytest.StashKey[Path]()
PROFILE = """import importlib.util, sys
spec = importlib.util.spec_from_file_location("trained_once", {path!r})
sys.modules["trained_once"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
c = get_config()
c.InteractiveShellApp.extensions = ["trained_once"]
"""


def write_profile(folder):
    """Write a folder for IPython, to be named by IPYTHONDIR, in which kernels train once."""
    profile = folder / "profile_default"
    profile.mkdir()
    (profile / "ipython_config.py").write_text(PROFILE.format(path=trained_once.__file__), encoding="utf-8")


def pytest_configure(config):
    """Make the folder; the workers, and the kernels that they start, find its name in their environment."""
    if not hasattr(config, "workerinput"):
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="kernels-"))
        write_profile(config.stash[FOLDER])
        os.environ["IPYTHONDIR"] = str(config.stash[FOLDER])


def pytest_terminal_summary(terminalreporter, config):
    real, replayed = trained_once.counted(config.stash[FOLDER] / "trainings")
    if real:
        terminalreporter.write_line(f"notebooks trained {real} times, and replayed such a training {replayed} times")


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
