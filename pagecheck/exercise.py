"""An exercise, as a check sees it.

The solution is compiled once, with a selector for each line that has alternatives (lines.py). A fault sets some
selectors. A hypothesis is a set of compatible faults: none for the right answer, one, or two. The check looks for the
hypothesis that gives the same results as the student's function.
"""

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pagecheck.compare import RAISED, Outcome, as_outcome, is_finite
from pagecheck.words import Finding

if TYPE_CHECKING:
    from pagecheck.course import Course

WHOLE = "whole numbers and fractions"  # promised by every exercise that takes numbers


class Promise(NamedTuple):
    """What the text of an exercise promises, and inputs that test it.

    words: a quotation of the exercise's text. inputs: a tuple of arguments each.
    when: if only these inputs fail, the message is that the answer is right, "but not" followed by this.
    """

    words: str
    when: str
    inputs: tuple[tuple, ...]


class Part(NamedTuple):
    """A few steps of the computation, and inputs on which only they can fail: the mean of one number is the number.

    where: what isolates them, "with a single number". The part with the fewest steps comes first.
    like: whether some arguments are of this kind too.
    """

    where: str
    inputs: tuple[tuple, ...]
    like: Callable[..., bool] = lambda *arguments: False


class Fault(NamedTuple):
    """A mistake in one or more lines: the selectors that it sets, ((name, number), ...).

    says: the exercise's own words instead of the suspicion of this id. sets_fitted: whether it sets the number that a
    course's step may fit.
    """

    id: str
    switches: tuple[tuple[str, object], ...]
    says: str = ""
    sets_fitted: bool = False


def hypotheses(faults: tuple[Fault, ...]) -> list[tuple[Fault, ...]]:
    """Return all sets of at most two faults that set different selectors, the simplest first: () is right."""
    sets = [chosen for most in range(3) for chosen in combinations(faults, most)]
    named = [(chosen, [name for fault in chosen for name, _ in fault.switches]) for chosen in sets]
    return [chosen for chosen, names in named if len(set(names)) == len(names)]


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise. reference(*arguments, **selectors) is right if no selector is set.

    arguments: their names. gives: the names of the results, with shapes in words: {"mean": "one number"}.
    probes: inputs on which every hypothesis gives different numbers; the first two have equal shapes.
    promises: what else the text promises. by_hand: what the student should implement: a name, or "a loop".
    parts: steps that can be tested alone. solution: the right answer as a student would write it.
    shapes: the axes of the arguments that may shrink in the search for a small example, "" for one that may not,
    () for a number that may shrink, ... for any axes, (..., "n") for any axes before the last.
    tied: arguments whose numbers must stay (labels, masks), and whose rows must still sum to 1.
    allowed: whether the text allows these arguments, if sizes alone do not say it.
    fresh: fresh(rng) draws an input anew, all its arguments at once, if one of them depends on another.
    axes: what the axes of the result count. facts: (test, sentence): what holds for the right answer.
    insight: what a right answer shows. secret: whether a right result would give the answer away.
    adapt: turns an answer that is not a function into one. takes: the arguments of such an answer.
    kind: "function" or "class". returns: what a right answer returns, if not numbers.
    numbers_for_bools: what is said of right numbers in place of True and False, if not what the course says of them.
    stands_in: the course's own answer, if that is not the reference.
    adapt and stands_in are names, "module.function" of the course's package, imported on demand.
    """

    course: "Course"
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
    allowed: Callable[..., bool] = lambda *arguments: True
    fresh: Callable[[np.random.Generator], tuple] | None = None
    axes: tuple[str, ...] = ()
    facts: tuple[tuple[Callable, str], ...] = ()
    secret: bool = False
    insight: str = ""
    adapt: str = ""
    takes: tuple[str, ...] = ()
    kind: str = "function"
    returns: str = ""
    numbers_for_bools: str = ""
    stands_in: str = ""
    _imagined: dict = field(default_factory=dict, init=False)

    def as_function(self, answer: Callable) -> Callable:
        """Return an answer as a function of the arguments."""
        return self.course.resolve(self.adapt)(answer) if self.adapt else answer

    @property
    def stand_in(self) -> Callable:
        """What a lesson uses until the student's own is done."""
        return self.course.resolve(self.stands_in) if self.stands_in else self.reference

    def position(self, index: tuple[int, ...]) -> str:
        """Return a position of the result in words: row 0, column 2."""
        if words := self.course.position_in_words(self, index):
            return words
        if len(index) > 2:
            return f"position {list(index)}"
        axes = ["row", "column"] if len(index) == 2 else ["position"]
        return ", ".join(f"{axis} {i}" for axis, i in zip(axes, index, strict=True))

    @cached_property
    def all_promises(self) -> tuple[Promise, ...]:
        """What the text promises, and what every exercise promises: that whole numbers work too.

        In all arrays at once, and in each one alone, because a result may take its dtype from any of them.
        """
        first = dict(zip(self.arguments, self.probes[0], strict=True))
        floats = [n for n, v in first.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        whole = [("all numbers are whole", tuple(self._with_whole_numbers(floats)))]
        for name in floats if len(floats) > 1 else ():
            whole.append((f"only {name} holds whole numbers", tuple(self._with_whole_numbers([name]))[:1]))
        return (*self.promises, *(Promise(WHOLE, f"when {when}", inputs) for when, inputs in whole if inputs))

    def _with_whole_numbers(self, names):
        """Yield the first probe with small whole numbers in these arrays, then with some zeros.

        With more than three arrays the numbers are 1, 0 and -1: larger products would overflow a plain exponential.
        Rows that sum to 1 become rows with a single 1.
        """
        first = dict(zip(self.arguments, self.probes[0], strict=True))
        largest = 2 if len(names) < 4 else 1
        for rounded in (lambda value: np.sign(value) * np.ceil(abs(value)), np.round) if names else ():
            whole = {
                name: np.eye(first[name].shape[-1], dtype=int)[first[name].argmax(-1)]
                if name in self.tied
                else np.clip(rounded(first[name]), -largest, largest).astype(int)
                for name in names
            }
            arguments = tuple((first | whole).values())
            if self.allowed(*arguments) and is_finite(self.give(arguments)):
                yield arguments

    @cached_property
    def promise_inputs(self) -> tuple[tuple, ...]:
        """The inputs of all promises."""
        return tuple(arguments for promise in self.all_promises for arguments in promise.inputs)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the mistakes in its lines."""
        return tuple(dict.fromkeys(f.id for f in self.faults))

    @cached_property
    def hypotheses(self) -> list[tuple[Fault, ...]]:
        return hypotheses(self.faults)

    def imagine(self, faults: tuple[Fault, ...], probe: int) -> Outcome:
        """Return the outcome of the reference with these faults for a probe; promised inputs are numbered last."""
        key = (faults, probe)
        if key not in self._imagined:
            switches = dict(switch for fault in faults for switch in fault.switches)
            self._imagined[key] = self.give((*self.probes, *self.promise_inputs)[probe], **switches)
        return self._imagined[key]

    def give(self, arguments: tuple, **switches) -> Outcome:
        """Return the outcome of the reference for these arguments with these selectors; an error is an outcome too."""
        return give(self.reference, arguments, len(self.gives), **switches)


def give(function: Callable, arguments: tuple, n_parts: int, **switches) -> Outcome:
    """Return the outcome of a function of the course for copies of these arguments; an error is an outcome too."""
    copies = [one.copy() if type(one) is np.ndarray else copy.deepcopy(one) for one in arguments]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return as_outcome(function(*copies, **switches), n_parts)
    except (ValueError, IndexError, TypeError, AttributeError, ArithmeticError):
        return RAISED


@dataclass(frozen=True, eq=False)
class Value:
    """An exercise that asks for a value, or for a function with many right versions.

    judge(answer) returns the Finding. wanted: what to pass, in words. ids: the mistakes that the judge knows.
    stand_in: the course's own answer, if a lesson uses it until the student's own is done.
    takes: the names of the arguments if a function is wanted, () for a value.
    """

    course: "Course"
    name: str
    judge: Callable[[object], Finding]
    wanted: str
    ids: tuple[str, ...]
    stand_in: object = None
    takes: tuple[str, ...] = ()
    insight: str = ""
    kind = "function"
    adapt = ""
