"""What lessons import: check, keep and mine, predict, look_back and recap, progress and course_map, take_away."""

import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("pagecheck") is None:  # an environment of an older version, which had no package beside course_utils
    sys.path.append(str(Path(__file__).resolve().parents[2]))

from course_utils.checks.check import check
from course_utils.checks.student.course_map import course_map
from course_utils.checks.student.look_back import look_back
from course_utils.checks.student.own_tools import keep, mine
from course_utils.checks.student.predictions import predict, recap
from course_utils.checks.student.record import progress
from course_utils.checks.student.take_away import take_away
from pagecheck import Verdict

__all__ = ["Verdict", "check", "course_map", "keep", "look_back", "mine", "predict", "progress", "recap", "take_away"]
