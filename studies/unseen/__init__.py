"""Answers to the exercises that nobody had in mind when the checks were written: what the checks say of them is their
true score.

Each module is one hand: its answers were written from the texts of the exercises alone, and labelled with an oracle of
the hand's own, before a check ever saw them. @wrong(exercise, what is wrong, ...), @right(exercise, how it is written)
and @odd(exercise, what it is) collect them.

They come in waves. The checks are frozen before a wave first meets them, and its figures are kept in history.csv.
An answer that somebody has looked at for a change of the checks says nothing any more about answers that nobody
listed; so with the first such look the whole wave is for tuning, and the next wave is reported.
Of the first wave, half was for tuning from the beginning: see `Unseen.split`.
"""

import hashlib
import sys
from typing import NamedTuple

SEED = "2026-11-21"  # of the split of the first wave, drawn before the first run
WAVES = {
    "beginner": 1,
    "classroom": 1,
    "hurried": 1,
    "mathematician": 1,
    "practitioner": 1,
    "evening": 2,
    "physicist": 2,
    "statistician": 2,
    "engineer": 3,
    "pupil": 3,
    "analyst": 4,
    "linguist": 4,
    "biologist": 5,
    "control": 5,
    "developer": 5,
    "teacher": 5,
    "matlab_user": 6,
    "paster": 6,
    "second_year": 6,
    "torch_user": 6,
    "librarian": 7,
    "nurse": 7,
    "gamer": 7,
    "economist": 8,
    "returner": 8,
}
REPORTED = 8  # the last wave; once it stands in history.csv it is closed, and the next one is still to be written
FROZEN = "2026-11-22, 06:09 UTC"  # when the checks were last changed before they met that wave

# Exercises that ask for something else since waves were written (leading axes, or the output alone), and the first wave
# that was written for their new text.
CHANGED = {"attention_gradient": 6, "batched_attention": 6, "softmax_gradient": 6}


class Unseen(NamedTuple):
    """One answer: the exercise, its label, in the writer's words what it is, the answer itself, and the hand."""

    exercise: str
    label: str  # "wrong", "right" or "odd"
    words: tuple[str, ...]
    answer: object
    hand: str

    @property
    def key(self):
        """A name that stays the same whatever is added."""
        text = "\n".join((SEED, self.hand, self.exercise, self.label, *self.words))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def split(self):
        """The half of the first wave that it was in: "tune" or "report"."""
        return "tune" if int(self.key, 16) % 2 else "report"

    @property
    def fits(self):
        """Whether it was written for the text that its exercise has today."""
        return WAVES[self.hand] >= CHANGED.get(self.exercise, 1)

    @property
    def half(self):
        """Whether it is of the last wave ("report"), at which nobody looks before it is closed, or earlier ("tune")."""
        return "report" if WAVES[self.hand] == REPORTED else "tune"


ANSWERS: list[Unseen] = []


def _collector(label):
    def of(exercise, *words):
        def keep(answer):
            hand = sys._getframe(1).f_globals["__name__"].rsplit(".", 1)[-1]
            ANSWERS.append(Unseen(exercise, label, words, answer, hand))
            return answer

        return keep

    return of


wrong, right, odd = map(_collector, ("wrong", "right", "odd"))
