"""Protect the user's record of progress and silence TensorFlow, in the tests and in the kernels that they start."""

import gc
import os

import pytest
from hypothesis import settings

from course_utils import QUIET_TENSORFLOW

os.environ |= QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
pytest_plugins = ["runner.order", "runner.changed", "runner.covered", "runner.kernels"]
settings.register_profile("course", deadline=None)  # first calls import modules, and machines are busy
settings.load_profile("course")

WRONG_ON_PURPOSE = ("test_checks", "test_own_tools", "test_three_students", "test_tools_matter")


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
