"""The door to the checks: check(name, answer), predict(question, choices), recap() and progress()."""

from course_utils.checks.check import check
from course_utils.checks.predictions import predict, recap
from course_utils.checks.record import progress
from course_utils.checks.verdict import Verdict

__all__ = ["Verdict", "check", "predict", "progress", "recap"]
