"""Tests leave the user's record of progress alone, and TensorFlow is quiet; kernels that run notebooks inherit both."""

import os

from hypothesis import settings

from course_utils import QUIET_TENSORFLOW

os.environ |= QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
pytest_plugins = ["runner.order", "runner.slowest", "runner.changed", "runner.covered", "runner.kernels"]
settings.register_profile("course", deadline=None)  # a first call loads things, and machines have other work
settings.load_profile("course")
