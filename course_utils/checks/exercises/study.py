"""What the questions about a study share: its sizes, and how two mistakes at once are said."""

from course_utils.checks.exercises import COURSE
from pagecheck.words import NOT_YET, Finding

SEQ_LEN, SEEDS = 7, range(5)


def so(found):
    """Return the ids that are so, of {id: is it so?}."""
    return [id for id, is_so in found.items() if is_so]


def with_another(found, id, sentence):
    """Return the finding of the first mistake and of this one, said in a sentence; None where not both are there."""
    first, *others = so(found) or [""]
    return Finding(NOT_YET, (first, id), f"{COURSE.not_yet(first).message} {sentence}") if id in others else None
