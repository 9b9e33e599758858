"""What an exercise is, for a check: a reference with switches, faults that turn them, inputs that tell them apart.

A fault turns one switch of the reference away from its right setting.
A hypothesis is a set of faults, no two on one switch: none at all for the right answer, one, or two.
The check looks for the hypothesis that gives what the student's function gives.
"""

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

import numpy as np

from course_utils.checks.engine.edits import edits_of
from course_utils.checks.engine.fault import Fault, hypotheses
from course_utils.checks.engine.outcome import RAISED, Outcome, as_outcome, is_finite, same


class Promise(NamedTuple):
    """What the text of an exercise promises, and the inputs that hold an answer to it.

    words: as they stand in the exercise's text, which a test compares. inputs: a tuple of arguments for each probe.
    when: where only these inputs fail, the student reads that the answer is right, "but not" and then this.
    """

    words: str
    when: str
    inputs: tuple[tuple, ...]


# What lesson 00 says of every exercise.
WHOLE = "whole numbers and fractions"


class Part(NamedTuple):
    """A few steps of the computation, and inputs on which only they can go wrong: with one key, every softmax gives 1.

    where: why they stand alone there, "with a single key".
    The part with the fewest steps comes first: the first one on which an answer is wrong says where to look.
    like: whether arguments are of this kind, too.
    """

    where: str
    inputs: tuple[tuple, ...]
    like: Callable = lambda *arguments: False


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. reference(*arguments, **switches) is right when no switch is named.

    arguments: their names.
    gives: the names of what is wanted, with shapes in words: {"weights": "(n_queries, n_keys)"}.
    probes: inputs on which every hypothesis gives other numbers; the first two have equal shapes.
    promises: what the text says besides. by_hand: what the text wants written out: a name, or "a loop".
    parts: steps that can be looked at alone, the fewest first.
    solution: the right answer written out plainly; edits of it are hypotheses too.
    shapes: the axes of the arguments that may become shorter when a small example is sought, "" for one that may not,
    () for a number that may become smaller, ... for any axes, (..., "n") for any axes before the last.
    tied: arguments whose numbers must stay (labels, masks), and whose rows go on summing to 1.
    allowed: whether arguments are what the text allows, where sizes alone do not say it.
    axes: what the axes of the answer count.
    facts: (test, sentence): what holds for the right answer; the first that an answer breaks is said, or else the hint.
    adapt: where an answer is not a function of the arguments, what makes it one: builds the layers, copies weights in.
    takes: the arguments of such an answer. kind: what it is, "function" or "class".
    returns: what a right answer gives back, where that is no numbers.
    course: the course's own answer, for the lessons that go on with it, where that is not the reference.
    adapt and course are names, "module.function" of course_utils, imported when they are needed: they may load Keras.
    """

    name: str
    reference: Callable
    arguments: tuple[str, ...]
    gives: dict[str, str]
    probes: tuple[tuple, ...]
    faults: tuple[Fault, ...]
    promises: tuple[Promise, ...] = ()
    by_hand: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    solution: Callable | None = None
    shapes: dict[str, object] = field(default_factory=dict)
    tied: tuple[str, ...] = ()
    allowed: Callable = lambda *arguments: True
    axes: tuple[str, ...] = ()
    facts: tuple[tuple[Callable, str], ...] = ()
    hint: str = ""
    adapt: str = ""
    takes: tuple[str, ...] = ()
    kind: str = "function"
    returns: str = ""
    course: str = ""
    _imagined: dict = field(default_factory=dict, init=False)

    def as_function(self, answer):
        """Return an answer as a function of the arguments."""
        return _named(self.adapt)(answer) if self.adapt else answer

    @property
    def stand_in(self):
        """What a lesson goes on with until the student's own is done."""
        return _named(self.course) if self.course else self.reference

    @cached_property
    def all_promises(self):
        """What the text promises, and what lesson 00 promises for every exercise: whole numbers too.

        In all arrays at once, and in each of them alone: a result may take its dtype from any of them.
        """
        first = dict(zip(self.arguments, self.probes[0], strict=True))
        floats = [n for n, v in first.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        whole = [("all numbers are whole", tuple(self._with_whole_numbers(floats)))]
        for name in floats if len(floats) > 1 else ():
            whole.append((f"only {name} holds whole numbers", tuple(self._with_whole_numbers([name]))[:1]))
        return (*self.promises, *(Promise(WHOLE, f"when {when}", inputs) for when, inputs in whole if inputs))

    def _with_whole_numbers(self, names):
        """Yield the first probe with small whole numbers in these arrays, then with some 0 among them.

        Where there are more arrays than three, the numbers are 1, 0 and -1: products of more would be too large for a
        plain exponential. Rows that sum to 1 become rows with a single 1.
        """
        first = dict(zip(self.arguments, self.probes[0], strict=True))
        most = 2 if len(names) < 4 else 1
        for rounded in (_away_from_zero, np.round) if names else ():
            whole = {
                name: _one_of_each(first[name])
                if name in self.tied
                else np.clip(rounded(first[name]), -most, most).astype(int)
                for name in names
            }
            arguments = tuple((first | whole).values())
            if self.allowed(*arguments) and is_finite(self.give(arguments)):
                yield arguments

    @cached_property
    def promised(self):
        """All inputs of the promises, in one row."""
        return tuple(arguments for promise in self.all_promises for arguments in promise.inputs)

    @property
    def ids(self):
        """The mistakes that its faults make."""
        return tuple(dict.fromkeys(f.id for f in self.faults))

    @property
    def helpers(self):
        """The functions that an answer may call by these names: {name: the right one}."""
        return getattr(self.solution, "__globals__", {}).get("HELPERS", {})

    @property
    def has_scale(self):
        """Whether it has a factor on scores that may be any number."""
        return any(name == "at_scale" for fault in self.faults for name, _ in fault.switches)

    def with_scale(self, factor):
        """The switches with which the reference uses this factor on scores."""
        return {"given_scale": factor}

    @cached_property
    def hypotheses(self):
        return hypotheses(self.faults)

    @cached_property
    def edits(self):
        """The edits of the plain solution that change something, each with what it gives for the probes.

        None for an answer that is built of layers: it is not a formula, so an edit of one could fit it by chance alone.
        Slow: some tens of milliseconds.
        """
        edits = edits_of(self.solution) if self.solution and not self.adapt else ()
        found = [(edit, [give(edit.function, probe, len(self.gives)) for probe in self.probes]) for edit in edits]
        right = [self.imagine((), i) for i in range(len(self.probes))]
        found = [(edit, given) for edit, given in found if not all(map(same, given, right))]
        return [(edit, given) for edit, given in found if not all(outcome.problem for outcome in given)]

    def imagine(self, faults, probe) -> Outcome:
        """Return what the reference gives with these faults for the probe of that number (promises come last)."""
        key = (faults, probe)
        if key not in self._imagined:
            switches = dict(switch for fault in faults for switch in fault.switches)
            self._imagined[key] = self.give((*self.probes, *self.promised)[probe], **switches)
        return self._imagined[key]

    def give(self, arguments, **switches) -> Outcome:
        """Return what the reference gives for these arguments with these switches; an error is an outcome too."""
        return give(self.reference, arguments, len(self.gives), **switches)


def _named(name):
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"course_utils.{module}"), function)


def _away_from_zero(value):
    return np.sign(value) * np.ceil(abs(value))


def _one_of_each(weights):
    """Rows of weights, with all weight on the largest."""
    return np.eye(weights.shape[-1], dtype=int)[weights.argmax(-1)]


def give(function, arguments, n_parts, **switches) -> Outcome:
    """Return what a function of the course gives; an error is an outcome too.

    It gets copies: an edit that leaves out a copy writes into its arguments.
    """
    copies = [one.copy() if type(one) is np.ndarray else copy.deepcopy(one) for one in arguments]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return as_outcome(function(*copies, **switches), n_parts)
    except (ValueError, IndexError, TypeError, AttributeError, ArithmeticError):
        return RAISED


@dataclass(frozen=True, eq=False)
class Value:
    """An exercise that asks for a value, or for a function of which many are right.

    judge(answer) gives what is found. wanted: what to pass, in words. ids: the mistakes that the judge knows.
    stand_in: the course's own answer, where a lesson goes on with it until the student's own is done.
    takes: the names of the arguments where a function is wanted, () where a value is.
    """

    name: str
    judge: Callable
    wanted: str
    ids: tuple[str, ...]
    stand_in: object = None
    takes: tuple[str, ...] = ()
    kind = "function"
    adapt = ""
