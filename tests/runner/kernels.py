"""The kernels of a test run share a profile: nobody's settings of IPython count, and a training is done once.

Each run begins with an empty folder, so it trains at least once whatever it trains.
`--changed`, which is no proof, keeps its trainings for the next one: their keys hold code, data and versions.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from runner import tapes, trained_once

ROOT = Path(__file__).resolve().parents[2]
KEPT, DAYS = ROOT / "artefacts" / "trainings", 7  # where `--changed` keeps trainings, and for how long
FOLDER = pytest.StashKey[Path]()
PROFILE = """import sys
sys.path.append({tests!r})
c = get_config()
c.InteractiveShellApp.extensions = ["runner.trained_once"]
"""


def write_profile(folder):
    """Write a folder for IPython, to be named by IPYTHONDIR, in which kernels train once."""
    profile = folder / "profile_default"
    profile.mkdir()
    (profile / "ipython_config.py").write_text(PROFILE.format(tests=str(ROOT / "tests")), encoding="utf-8")


def pytest_configure(config):
    """Make the folder; the workers, and the kernels that they start, find its name in their environment."""
    if not hasattr(config, "workerinput"):
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="kernels-"))
        write_profile(config.stash[FOLDER])
        trainings = KEPT if config.option.changed else config.stash[FOLDER] / "trainings"
        forget(trainings)
        os.environ |= {"IPYTHONDIR": str(config.stash[FOLDER]), trained_once.FOLDER: str(trainings)}


def forget(trainings):
    """Delete trainings that were not asked for in the last days."""
    for path in trainings.glob("*.sqlite"):
        if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
            path.unlink()


def pytest_terminal_summary(terminalreporter):
    if trainings := tapes.counted(Path(os.environ[trained_once.FOLDER])):
        words = "trainings of notebooks: {} stored, replayed {} times since"
        terminalreporter.write_line(words.format(len(trainings), sum(trainings)))


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
