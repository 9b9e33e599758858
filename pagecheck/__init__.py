"""Checks answers to exercises and names the mistake: an exercise is a page, a mistake is a line. See README.md."""

from pagecheck.course import Course
from pagecheck.words import Verdict

__all__ = ["Course", "Verdict"]
