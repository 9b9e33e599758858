"""Protect the user's record of progress and settings, and silence TensorFlow, in the tests and in their kernels."""

import gc
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from jupyter_client.manager import KernelManager

from course_utils import QUIET_TENSORFLOW

os.environ |= QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
pytest_plugins = ["runner.order", "runner.changed", "runner.browser"]
settings.register_profile("course", deadline=None)  # first calls import modules, and machines are busy
settings.load_profile("course")

WRONG_ON_PURPOSE = ("test_checks", "test_own_tools", "test_three_students", "test_tools_matter")
# The kernels' own profile. Collecting garbage takes a quarter of the import of Keras.
PROFILE = """
c = get_config()
c.InteractiveShellApp.exec_lines = ["import gc; gc.set_threshold(100_000, 20, 20); del gc"]
"""

if "PYTEST_XDIST_WORKER" not in os.environ:  # the workers and all kernels share the folder of the first process
    FOLDER = tempfile.TemporaryDirectory(prefix="kernels-", ignore_cleanup_errors=True)  # deleted at its end
    profile = Path(FOLDER.name) / "profile_default" / "ipython_config.py"
    profile.parent.mkdir()
    profile.write_text(PROFILE, encoding="utf-8")
    os.environ["IPYTHONDIR"] = FOLDER.name

manage, folders = KernelManager.__init__, os.environ["IPYTHONDIR"]


def manage_by_files(self, *args, **kwargs):
    """Let a kernel listen at files of its own: until it begins, another process may take the port that was free."""
    if os.name == "posix":
        folder = tempfile.mkdtemp(dir=folders)
        kwargs = {"transport": "ipc", "ip": os.path.join(folder, "kernel")} | kwargs
    manage(self, *args, **kwargs)


KernelManager.__init__ = manage_by_files


def pytest_collection_modifyitems(items):
    """Silence the warnings of NumPy and Keras about wrong answers: thousands of lines would hide failures."""
    for item in items:
        if item.path.name.startswith(WRONG_ON_PURPOSE) or item.path.parts[-3:-1] == ("pagecheck", "tests"):
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Exempt the collected tests from garbage collection: scanning their million objects took a quarter of a run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
