"""What the questions about a study share: its sizes, and how two mistakes at once are reported."""

from course_utils.checks.exercises import COURSE
from pagecheck.words import NOT_YET, Finding

SEQ_LEN, SEEDS = 7, range(5)


def true_ids(conditions: dict[str, bool]) -> list[str]:
    """Return the ids whose condition holds, of {id: condition}."""
    return [id for id, holds in conditions.items() if holds]


def two_mistakes(conditions: dict[str, bool], id: str, sentence: str) -> Finding | None:
    """Return a finding of the first mistake and this one, with a sentence about it; None unless both occur."""
    first, *others = true_ids(conditions) or [""]
    return Finding(NOT_YET, (first, id), f"{COURSE.not_yet(first).message} {sentence}") if id in others else None
