"""Answers to every exercise, wrong and right, written as students write them.

Each module holds RIGHT {exercise: [answer, ...]} and WRONG {exercise: [(ids, answer), ...]};
ids are the mistakes that the check has to name, separated by spaces.
Wrong ones stand here only where no line of a page says the mistake.
"""

import functools
import types
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Later:
    """An answer that cannot stand there yet, such as a layer of Keras: made when it is first asked for."""

    def __init__(self, make):
        self.made = functools.cache(make)


class Case(NamedTuple):
    """An answer to an exercise and the ids that the check has to name: none for a right answer."""

    exercise: str
    ids: tuple[str, ...]
    given: object
    number: int

    @property
    def answer(self):
        return self.given.made() if isinstance(self.given, Later) else self.given

    def __str__(self):
        return f"{self.exercise}-{'+'.join(self.ids) or 'right'}-{self.number}"


class Heavy(types.ModuleType):
    """Imports TensorFlow, or Keras, when the first answer needs it."""

    def __getattr__(self, name):
        return getattr(import_module(self.__name__), name)


tf, keras = Heavy("tensorflow"), Heavy("keras")
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
