"""Tests leave the user's record of progress alone, and TensorFlow is quiet; kernels that run notebooks inherit both."""

import gc
import os

import pytest
from hypothesis import settings

from course_utils import QUIET_TENSORFLOW

os.environ |= QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
pytest_plugins = ["runner.order", "runner.slowest", "runner.changed", "runner.covered", "runner.kernels"]
settings.register_profile("course", deadline=None)  # a first call loads things, and machines have other work
settings.load_profile("course")

WRONG_ON_PURPOSE = ("test_checks", "test_own_tools", "test_three_students", "test_tools_matter")


def pytest_collection_modifyitems(items):
    """Silence what NumPy and Keras say of wrong answers: a thousand lines of it would hide what failed."""
    for item in items:
        if item.path.name.startswith(WRONG_ON_PURPOSE) or item.path.parts[-3:-1] == ("pagecheck", "tests"):
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """The tests themselves are a million objects. Looking through them for garbage took a quarter of a whole run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
