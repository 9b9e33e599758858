"""Tests leave the user's record of progress alone, and TensorFlow is quiet; kernels that run notebooks inherit both."""

import os

from course_utils import QUIET_TENSORFLOW

os.environ |= QUIET_TENSORFLOW | {"LEARNING_TO_LOOK_DATA": "off"}
pytest_plugins = ["runner.order", "runner.slowest", "runner.changed"]
