"""The catalogue of mistakes: a stable id, what is seen in the numbers, what the check suspects, and an example.

Ids do not change: records, tests and instructors' tables use them. With two mistakes at once only the suspicions are said, so
each has to stand alone. No sentence says what the right code is.
"""

from typing import NamedTuple

from course_utils.checks.mistakes_answers import ANSWERS
from course_utils.checks.mistakes_classifier import CLASSIFIER
from course_utils.checks.mistakes_encoder import ENCODER
from course_utils.checks.mistakes_heads import LAYERS
from course_utils.checks.mistakes_learning import LEARNING
from course_utils.checks.mistakes_masks import MASKED
from course_utils.checks.mistakes_reviews import REVIEWS
from course_utils.checks.mistakes_scale import SCALE
from course_utils.checks.mistakes_scores import SCORES
from course_utils.checks.mistakes_tasks import TASKS
from course_utils.checks.mistakes_weights import VALUES, WEIGHTS


class Mistake(NamedTuple):
    """What the numbers show, what the check suspects (one sentence each), and a line of code or an answer as an example."""

    seen: str
    suspect: str
    example: str


CATALOGUES = (TASKS, SCORES, WEIGHTS, VALUES, MASKED, LAYERS, LEARNING, CLASSIFIER, REVIEWS, SCALE, ENCODER, ANSWERS)
MISTAKES = {id: Mistake(*words) for catalogue in CATALOGUES for id, words in catalogue.items()}
