"""The door to the checks: check(name, answer), predict(question, choices), recap() and progress()."""

from course_utils.checks.check import check
from course_utils.checks.engine.verdict import Verdict
from course_utils.checks.student.predictions import predict, recap
from course_utils.checks.student.record import progress

__all__ = ["Verdict", "check", "predict", "progress", "recap"]
