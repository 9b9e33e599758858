"""The kernels of a test run share a profile: the user's IPython settings are ignored, and each training is done once.

Each run begins with an empty folder, so every training happens at least once per run.
`--changed` is no full test, so it keeps trainings between runs: their keys contain code, data and versions.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from runner import tapes, trained_once

ROOT = Path(__file__).resolve().parents[2]
CACHE, DAYS = ROOT / "artefacts" / "trainings", 7  # where `--changed` keeps trainings, and for how long
FOLDER = pytest.StashKey[Path]()
PROFILE = """import sys
sys.path.append({tests!r})
c = get_config()
c.InteractiveShellApp.extensions = ["runner.trained_once"]
"""


def write_profile(folder):
    """Write an IPython folder, for IPYTHONDIR, whose kernels train once."""
    profile = folder / "profile_default"
    profile.mkdir()
    (profile / "ipython_config.py").write_text(PROFILE.format(tests=str(ROOT / "tests")), encoding="utf-8")


def pytest_configure(config):
    """Create the folder; the workers and their kernels find it through the environment."""
    if not hasattr(config, "workerinput"):
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="kernels-"))
        write_profile(config.stash[FOLDER])
        trainings = CACHE if config.option.changed else config.stash[FOLDER] / "trainings"
        delete_old(trainings)
        os.environ |= {"IPYTHONDIR": str(config.stash[FOLDER]), trained_once.FOLDER: str(trainings)}


def delete_old(trainings):
    """Delete trainings that were not used in the last days."""
    for path in trainings.glob("*.sqlite"):
        if time.time() - path.stat().st_mtime > DAYS * 24 * 3600:
            path.unlink()


def pytest_terminal_summary(terminalreporter):
    if trainings := tapes.replay_counts(Path(os.environ[trained_once.FOLDER])):
        words = "trainings of notebooks: {} stored, replayed {} times since"
        terminalreporter.write_line(words.format(len(trainings), sum(trainings)))


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
