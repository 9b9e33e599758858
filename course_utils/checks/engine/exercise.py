"""What an exercise is, for a check: a reference with switches, faults that turn them, inputs that tell them apart.

A fault turns one switch of the reference away from its right setting.
A hypothesis is a set of faults, no two on one switch: none at all for the right answer, one, or two.
The check looks for the hypothesis that gives what the student's function gives.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine.outcome import RAISED, Outcome, as_outcome


class Fault(NamedTuple):
    """A wrong setting of one switch. `says`: a sentence of this exercise's own, in place of the table's suspicion."""

    id: str
    switch: str
    setting: object
    says: str = ""


def fault(id, says="", **switch):
    """Return the fault that sets one switch: fault("softmax-axis", axis=columns)."""
    ((name, setting),) = switch.items()
    return Fault(id, name, setting, says)


def hypotheses(faults):
    """Return all sets of at most two faults that turn different switches, the simplest first: () for right."""
    sets = [chosen for most in range(3) for chosen in combinations(faults, most)]
    return [chosen for chosen in sets if len({f.switch for f in chosen}) == len(chosen)]


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. reference(*arguments, **switches) is right when no switch is named.

    arguments: their names.
    gives: the names of what is wanted, with shapes in words: {"weights": "(n_queries, n_keys)"}.
    probes: inputs on which every hypothesis gives other numbers; the first two have equal shapes.
    beyond: inputs that go further than the text asks; who fails only there is done, and is told the remark.
    axes: what the axes of the answer count.
    facts: (test, sentence): what holds for the right answer; the first that an answer breaks is said, or else the hint.
    """

    name: str
    reference: Callable
    arguments: tuple[str, ...]
    gives: dict[str, str]
    probes: tuple[tuple, ...]
    faults: tuple[Fault, ...]
    beyond: tuple[tuple, ...] = ()
    remark: str = ""
    axes: tuple[str, ...] = ()
    facts: tuple[tuple[Callable, str], ...] = ()
    hint: str = ""
    _imagined: dict = field(default_factory=dict, init=False)

    @property
    def ids(self):
        """The mistakes that its faults make."""
        return tuple(dict.fromkeys(f.id for f in self.faults))

    @cached_property
    def hypotheses(self):
        return hypotheses(self.faults)

    def imagine(self, faults, probe) -> Outcome:
        """Return what the reference gives with these faults, for the probe of that number (those beyond come last)."""
        key = (faults, probe)
        if key not in self._imagined:
            switches = {f.switch: f.setting for f in faults}
            self._imagined[key] = self.give((*self.probes, *self.beyond)[probe], **switches)
        return self._imagined[key]

    def give(self, arguments, **switches) -> Outcome:
        """Return what the reference gives for these arguments with these switches; an error is an outcome too."""
        try:
            with np.errstate(all="ignore"):
                return as_outcome(self.reference(*arguments, **switches), len(self.gives))
        except (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
            return RAISED


class Value(NamedTuple):
    """An exercise that asks for a value, not for a function.

    judge(answer) gives what is found. wanted: what to pass, in words. ids: the mistakes that the judge knows.
    """

    name: str
    judge: Callable
    wanted: str
    ids: tuple[str, ...]
