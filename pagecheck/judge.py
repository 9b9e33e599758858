"""From an answer to a verdict."""

import contextlib
import inspect
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecheck import guard, promise
from pagecheck.compare import FUNCTIONS, Outcome, kind_in_words, same
from pagecheck.describe import small_input
from pagecheck.exercise import Exercise, Value
from pagecheck.name import find_faults, name, remembers
from pagecheck.run import LIMITS, Limits, Run, run
from pagecheck.shrink import counting
from pagecheck.source import fresh_copies, globals_read, is_stub, loops, reaches
from pagecheck.words import DONE, NOT_STARTED, NOT_YET, Finding, Verdict, contrast, counted, listed, of_kind

MOST_PROMISES = 3  # that are named when an answer is right
PRINTED = "What your function prints is kept back here: call it in a cell of its own to see it."


class Case(NamedTuple):
    """An exercise, the student's function, what it gave for the probes, what was wanted, and how long it may take."""

    exercise: Exercise
    answer: Callable
    run: Run
    wanted: list[Outcome]
    limits: Limits | None
    fresh: Callable[[], Callable] | None = None  # makes the answer as it was before its first call

    @property
    def course(self):
        return self.exercise.course

    @property
    def is_slow(self) -> bool:
        """Whether time ran out, so that the answer is not run again."""
        return self.run.done < len(self.wanted)

    def pairs(self):
        """For each probe that gave numbers: its number, and the first part that differs: name, got, wanted."""
        for i, (got, wanted) in enumerate(zip(self.run.outcomes, self.wanted, strict=False)):
            for part, g, w in zip(self.exercise.gives, got.parts, wanted.parts, strict=False):
                if not got.problem and not same(Outcome((g,)), Outcome((w,))):
                    yield i, part, g, w
                    break

    def other_shape(self) -> tuple | None:
        """The first result of a wrong shape, even if an earlier part has wrong numbers: name, got, wanted; or None."""
        for got, wanted in zip(self.run.outcomes, self.wanted, strict=False):
            for part, g, w in zip(self.exercise.gives, got.parts, wanted.parts, strict=False):
                if not got.problem and g.shape != w.shape:
                    return part, g, w
        return None

    def run_on(self, inputs) -> Run:
        return run(self.answer, inputs, len(self.exercise.gives), self.limits)

    def outcomes_on(self, inputs) -> list[Outcome]:
        """What the function gives for other inputs; where time runs out, the last outcome is that it is too slow."""
        if self.is_slow:
            return [Outcome(problem="too-slow")]
        return self.run_on(inputs).outcomes


def judge(exercise: Exercise | Value, answer: object, trace: bool = False, limits: Limits | None = LIMITS) -> Verdict:
    """Return the verdict on an answer, whatever it is.

    trace=True shows the traceback of an error in the function. limits: how long it may take; None for no limit.
    """
    with guard.protect() as left:
        try:
            found, traceback = _find(exercise, answer, limits)
        except (Exception, SystemExit) as problem:  # an object whose own methods raise; the lesson goes on
            found, traceback = exercise.course.not_yet("unreadable", type=type(problem).__name__), ""
    if left.put_back and reaches(answer, "keras"):  # a new layer takes one of these numbers, unasked
        left.put_back[:] = [name for name in left.put_back if name != guard.RANDOM_OF_PYTHON]
    message = " ".join(filter(None, [found.message, _left_behind(left)]))
    message = of_kind(message, exercise.kind) if exercise.kind != "function" else message
    insight = exercise.insight if found.state == DONE else ""
    return Verdict(found.state, found.mistakes, message, exercise.name, traceback if trace else "", insight)


def _find(exercise, answer, limits):
    """What is found in an answer, and the traceback of an error in it, "" for none."""
    if is_stub(answer) and (not callable(answer) or exercise.adapt or exercise.takes):
        return Finding(NOT_STARTED), ""
    look = _in_value if isinstance(exercise, Value) else cannot_be_called
    if found := look(exercise, answer):
        return found, ""
    case = _case(exercise, answer, limits)
    found = _untouched(case) or _right(case) or _too_slow(case) or name(case)
    if case.run.printed and found.state == NOT_YET and "prints-only" not in found.mistakes:
        found = found._replace(message=f"{found.message} {PRINTED}")
    return found, next((outcome.trace for outcome in case.run.outcomes if outcome.trace), "")


def _case(exercise, answer, limits):
    wanted, function = [exercise.imagine((), i) for i in range(len(exercise.probes))], exercise.as_function(answer)
    fresh = None if exercise.adapt else fresh_copies(function)
    return Case(exercise, function, run(function, exercise.probes, len(exercise.gives), limits), wanted, limits, fresh)


def _untouched(case):
    first = case.run.outcomes[0]
    stub = first.problem == "returns-nothing" and is_stub(case.answer)
    raised = first.detail.startswith("NotImplementedError") and "`raise NotImplementedError" in first.detail
    return Finding(NOT_STARTED) if stub or raised else None


def _right(case):
    """Return what is found in an answer that is right for all probes; None for another one."""
    exercise, course = case.exercise, case.course
    if not all(map(same, case.run.outcomes, case.wanted)):
        return None
    found = _breaks_promise(case)
    if case.run.changed:
        changed = {exercise.arguments[i]: exercise.probes[0][i] for i in sorted(case.run.changed)}
        said = course.about("changes-input", argument=", ".join(changed), owned=_kind_of(changed.values()))
        return course.not_yet("changes-input", said if found else f"The numbers are right. {said}")
    if found:
        return found
    pairs = zip(case.run.outcomes[0].parts, case.wanted[0].parts, strict=True)
    if course.numbers_for_bools and any(right.dtype == bool != got.dtype for got, right in pairs):
        return course.not_yet(course.numbers_for_bools)
    return Finding(DONE, (), _shortcut(case) or _why_done(exercise))


def _breaks_promise(case):
    """What is found in an answer that is right for the probes, and not for all that is promised; None for nothing."""
    exercise = case.exercise
    done = case.run_on(exercise.promised)
    right = [exercise.imagine((), len(exercise.probes) + i) for i in range(len(exercise.promised))]
    if all(map(same, done.outcomes, right)):
        return None
    outcomes = promise.results(case)
    if done.done < len(right) and all(map(same, outcomes[: done.done], right)):
        return _stopped(case, done.outcomes[-1], len(case.wanted) + done.done)
    if all(map(same, outcomes, right)):
        return None
    if found := remembers(case):
        return found
    if faults := find_faults(exercise, [*case.run.outcomes, *outcomes], 1):
        return case.course.on_faults(faults, exercise)
    return promise.broken(case, outcomes)


def _too_slow(case):
    """What is found where time ran out, or too much was printed, before a result was wrong."""
    if not case.is_slow:
        return None
    results = case.run.outcomes[: case.run.done]
    return _stopped(case, case.run.outcomes[-1], len(results)) if all(map(same, results, case.wanted)) else None


def _stopped(case, last, done):
    """Return the finding of an answer that was stopped after so many right results."""
    total = len(case.exercise.probes) + len(case.exercise.promised)
    if last.problem == "too-slow" and done:
        kind = last.detail.split("\n")[1]
        waited = " It spent that time waiting: does it sleep?" if kind == "waiting" else ""
        said = f"Right so far, but too slow: time ran out after {done} of {total} inputs."
        seconds = getattr(case.limits, kind, 0)
        given = f" Together they may take {seconds:g} seconds." if seconds else ""
        return case.course.not_yet("too-slow", said + given + waited)
    if last.detail.endswith("waiting"):
        said = "Your function was stopped because it waits and does not go on."
        return case.course.not_yet("too-slow", f"{said} Does it sleep, or wait for something that never comes?")
    return case.course.not_yet(last.problem)


def _shortcut(case):
    """Return a sentence about a right answer that calls a library function instead of implementing it; "" for none."""
    for wanted in case.exercise.by_hand:
        if wanted == "a loop" and not loops(case.answer):
            return "The numbers are right. The text asks for a loop, and there is none: write it once, without `@`."
        called = getattr(case.answer, "__globals__", {}).get(wanted)
        made = str(getattr(called, "__module__", None))
        if (
            case.course.package
            and wanted in globals_read(case.answer, Callable)
            and made.startswith(case.course.package)
        ):
            return f"The numbers are right, and the course's `{wanted}` has made them: write its steps yourself once."
    return ""


def _why_done(exercise):
    """Return what a right answer was held to: how many inputs, and what the text promises of them."""
    inputs = f"Right on {len(exercise.probes) + len(exercise.promised)} inputs"
    *most, last = [promise.when for promise in exercise.promises][:MOST_PROMISES] or [""]
    including = "; ".join([*most, f"and {last}" if most else last])
    return f"{inputs}: including {including}." if last else f"{inputs}."


def _kind_of(values):
    """Return what somebody has who passes these values to a function: an array or a list, by its name alone."""
    kinds = {"array" if isinstance(value, np.ndarray) else type(value).__name__ for value in values}
    return kinds.pop() if len(kinds) == 1 else "input"


def _left_behind(left):
    """Return what is said about what an answer, or a cell before it, left in the kernel; nothing for nothing."""
    said = []
    for what, names, done in (("changed", left.put_back, "put {} back"), ("added", left.taken_away, "taken {} away")):
        if names:
            them = "them" if _are_several(names) else "it"
            said.append(f"Something had {what} {listed(names)}. The check has {done.format(them)}.")
    if left.threads:
        threads = "a thread" if len(left.threads) == 1 else f"{len(left.threads)} threads"
        said.append(f"Your function started {threads} that still run. Choose Kernel, Restart Kernel to end them.")
    return " ".join(said)


def _are_several(names):
    """Whether names in words stand for more than one thing: two of them, or one like "the random numbers of NumPy"."""
    return len(names) > 1 or bool(re.match(r"the \w+ (?:numbers|variables)|the (?:filters|handlers|signals)", names[0]))


def small_numbers(exercise: Exercise | Value, answer: object) -> str:
    """Return a line on the smallest input that is found on which an answer is wrong: what it gives, and what is right.

    Empty where there is none that can be written out, and for a value, which has no inputs.
    """
    if isinstance(exercise, Value) or exercise.takes or not callable(answer):
        return ""
    found = None
    with guard.protect(), contextlib.suppress(Exception, SystemExit):  # as above: the lesson goes on
        case = _case(exercise, answer, LIMITS)
        found = counting(exercise, answer) or small_input(case, finite=True) or small_input(case)
    return of_kind(contrast(exercise, found), exercise.kind) if found else ""


def _in_value(exercise, answer):
    if exercise.takes:
        return cannot_be_called(exercise, answer) or exercise.judge(answer)
    found = exercise.course.not_yet
    if answer is None:
        return found("returns-nothing", f"None came, and {exercise.wanted} is wanted. Was the cell above run?")
    if callable(answer):
        return found("not-a-value", kind=kind_in_words(answer))
    try:
        return exercise.judge(answer)
    except (TypeError, ValueError, AttributeError):
        return found("not-a-value", f"This is {kind_in_words(answer)}, and it cannot be read as {exercise.wanted}.")


def cannot_be_called(exercise: Exercise | Value, answer: object) -> Finding | None:
    """Return the finding of an answer that cannot be called with the exercise's arguments; None for one that can."""
    found = exercise.course.not_yet
    if answer is None:
        return found("returns-nothing", f"None came, and the check wants a {exercise.kind}. Was the cell above run?")
    if not callable(answer) or isinstance(answer, type) != (exercise.kind == "class"):
        kind = "a function" if isinstance(answer, FUNCTIONS) else kind_in_words(answer)
        if exercise.kind == "function":
            return found("not-a-function", kind=kind)
        said = f"This is {kind}, and the check wants the class itself. Pass its name, without brackets."
        return found("not-a-function", said)
    takes = exercise.takes or exercise.arguments
    try:
        inspect.signature(answer).bind(*takes)
    except TypeError:
        return found("wrong-arguments", count=counted(len(takes), "argument"), argument=", ".join(takes))
    except ValueError:  # compiled functions may have no signature
        pass
    return None
