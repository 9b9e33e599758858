"""Answers to every exercise, wrong and right, written as students write them.

Each module holds RIGHT {exercise: [answer, ...]} and WRONG {exercise: [(ids, answer), ...]};
ids are the mistakes that the check has to name, separated by spaces.
`python tools/measure_checks.py` prints how the checks do on all of them.
"""

import types
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """An answer to an exercise and the ids that the check has to name: none for a right answer."""

    exercise: str
    ids: tuple[str, ...]
    answer: object
    number: int

    def __str__(self):
        return f"{self.exercise}-{'+'.join(self.ids) or 'right'}-{self.number}"


class TensorFlow(types.ModuleType):
    """Imports TensorFlow when the first answer needs it."""

    def __getattr__(self, name):
        return getattr(import_module("tensorflow"), name)


tf = TensorFlow("tensorflow")
MODULES = [import_module(f"{__name__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("lesson_*.py"))]
RIGHT = [
    Case(name, (), answer, i)
    for module in MODULES
    for name, answers in module.RIGHT.items()
    for i, answer in enumerate(answers)
]
WRONG = [
    Case(name, tuple(ids.split()), answer, i)
    for module in MODULES
    for name, answers in module.WRONG.items()
    for i, (ids, answer) in enumerate(answers)
]
