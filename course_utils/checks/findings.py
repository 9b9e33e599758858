"""Verdicts in the catalogue's words."""

from course_utils.checks import words
from course_utils.checks.verdict import DONE, NOT_YET, Verdict


def not_yet(id, message="", **details):
    """Return the verdict that names one mistake of the catalogue, or says `message` in place of its words.

    >>> not_yet("argument-unused", argument="T").mistakes
    ('argument-unused',)
    """
    return Verdict(NOT_YET, (id,), message or words.about(id, **details))


def verdict_on(faults):
    """Return the verdict that names these faults; done for none."""
    ids = tuple(dict.fromkeys(f.id for f in faults))
    return Verdict(NOT_YET, ids, words.suspicion(faults)) if faults else Verdict(DONE)
