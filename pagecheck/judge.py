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
from pagecheck.shrink import consecutive_case
from pagecheck.source import fresh_copies, globals_read, is_stub, loops, reaches
from pagecheck.words import DONE, NOT_STARTED, NOT_YET, Finding, Verdict, contrast, counted, listed, of_kind

MOST_PROMISES = 3  # that are named when an answer is right
NONE = "This is None, but the check needs {}. Did you run the cell above?"
PRINTED = "The check does not show what your function prints: to see it, call your function in a cell of its own."


class Case(NamedTuple):
    """An exercise, the student's function, its run on the probes, the right outcomes, and its limits."""

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
        """Whether the answer was stopped, so that it is not run again."""
        return self.run.done < len(self.wanted)

    def pairs(self):
        """For each probe with wrong numbers: its index, and the first part that differs: name, got, wanted."""
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
        """The outcomes for other inputs; if time runs out, the last one is that it is too slow."""
        if self.is_slow:
            return [Outcome(problem="too-slow")]
        return self.run_on(inputs).outcomes


def judge(exercise: Exercise | Value, answer: object, trace: bool = False, limits: Limits | None = LIMITS) -> Verdict:
    """Return the verdict on any answer.

    trace=True shows the traceback of an error in the function. limits: how long it may take; None for no limit.
    """
    with guard.protect() as leftovers:
        try:
            finding, traceback = _find(exercise, answer, limits)
        except (Exception, SystemExit) as problem:  # an object whose own methods raise; the lesson goes on
            finding, traceback = exercise.course.not_yet("unreadable", type=type(problem).__name__), ""
    if leftovers.put_back and reaches(answer, "keras"):  # a new layer always draws one of these numbers
        leftovers.put_back[:] = [name for name in leftovers.put_back if name != guard.RANDOM_OF_PYTHON]
    message = " ".join(filter(None, [finding.message, _leftovers_message(leftovers)]))
    message = of_kind(message, exercise.kind) if exercise.kind != "function" else message
    insight = exercise.insight if finding.state == DONE else ""
    return Verdict(finding.state, finding.mistakes, message, exercise.name, traceback if trace else "", insight)


def _find(exercise, answer, limits):
    """Return the finding on an answer, and the traceback of an error in it, "" for none."""
    if is_stub(answer) and (not callable(answer) or exercise.adapt or exercise.takes):
        return Finding(NOT_STARTED), ""
    inspect = _judge_value if isinstance(exercise, Value) else cannot_be_called
    if finding := inspect(exercise, answer):
        return finding, ""
    case = _case(exercise, answer, limits)
    finding = _not_started(case) or _judge_right(case) or _judge_slow(case) or name(case)
    if case.run.printed and finding.state == NOT_YET and "prints-only" not in finding.mistakes:
        finding = finding._replace(message=f"{finding.message} {PRINTED}")
    return finding, next((outcome.trace for outcome in case.run.outcomes if outcome.trace), "")


def _case(exercise, answer, limits):
    wanted, function = [exercise.imagine((), i) for i in range(len(exercise.probes))], exercise.as_function(answer)
    fresh = None if exercise.adapt else fresh_copies(function)
    return Case(exercise, function, run(function, exercise.probes, len(exercise.gives), limits), wanted, limits, fresh)


def _not_started(case):
    first = case.run.outcomes[0]
    stub = first.problem == "returns-nothing" and is_stub(case.answer)
    raised = first.detail.startswith("NotImplementedError") and "`raise NotImplementedError" in first.detail
    return Finding(NOT_STARTED) if stub or raised else None


def _judge_right(case):
    """Return the finding on an answer that is right for all probes; None if it is not."""
    exercise, course = case.exercise, case.course
    if not all(map(same, case.run.outcomes, case.wanted)):
        return None
    finding = _broken_promise(case)
    if case.run.changed:
        arguments = {exercise.arguments[i]: exercise.probes[0][i] for i in sorted(case.run.changed)}
        words = course.about("changes-input", argument=", ".join(arguments), owned=_kind_of(arguments.values()))
        return course.not_yet("changes-input", words if finding else f"The numbers are right. {words}")
    if finding:
        return finding
    pairs = zip(case.run.outcomes[0].parts, case.wanted[0].parts, strict=True)
    if course.numbers_for_bools and any(right.dtype == bool != got.dtype for got, right in pairs):
        return course.not_yet(course.numbers_for_bools, exercise.numbers_for_bools)
    return Finding(DONE, (), _shortcut(case) or _why_done(exercise))


def _broken_promise(case):
    """Return the finding on an answer that is right for the probes but not for every promise; None if it is."""
    exercise = case.exercise
    rerun = case.run_on(exercise.promise_inputs)
    right = [exercise.imagine((), len(exercise.probes) + i) for i in range(len(exercise.promise_inputs))]
    if all(map(same, rerun.outcomes, right)):
        return None
    outcomes = promise.results(case)
    if rerun.done < len(right) and all(map(same, outcomes[: rerun.done], right)):
        return _stopped_finding(case, rerun.outcomes[-1], len(case.wanted) + rerun.done)
    if all(map(same, outcomes, right)):
        return None
    if finding := remembers(case):
        return finding
    if faults := find_faults(exercise, [*case.run.outcomes, *outcomes], 1):
        return case.course.on_faults(faults, exercise)
    return promise.broken_promise(case, outcomes)


def _judge_slow(case):
    """Return the finding if time ran out, or too much was printed, before a result was wrong."""
    if not case.is_slow:
        return None
    results = case.run.outcomes[: case.run.done]
    return _stopped_finding(case, case.run.outcomes[-1], len(results)) if all(map(same, results, case.wanted)) else None


def _stopped_finding(case, last_outcome, count):
    """Return the finding on an answer that was stopped after `count` right results."""
    total = len(case.exercise.probes) + len(case.exercise.promise_inputs)
    if last_outcome.problem == "too-slow" and count:
        kind = last_outcome.detail.split("\n")[1]
        hint = " Your function spent that time waiting: does it sleep?" if kind == "waiting" else ""
        sentence = f"Right so far, but too slow: time ran out after {count} of {total} inputs."
        seconds = getattr(case.limits, kind, 0)
        allowance = f" All the inputs together may take {seconds:g} seconds." if seconds else ""
        busy = "" if hint else " If the computer is busy with something else, run the cell again."
        return case.course.not_yet("too-slow", sentence + allowance + hint + busy)
    if last_outcome.detail.endswith("waiting"):
        sentence = "Your function was stopped because it kept waiting."
        return case.course.not_yet("too-slow", f"{sentence} Does it sleep, or wait for something that never comes?")
    return case.course.not_yet(last_outcome.problem)


def _shortcut(case):
    """Return a sentence about a right answer that calls a library function instead of implementing it; "" for none."""
    for wanted in case.exercise.by_hand:
        if wanted == "a loop" and not loops(case.answer):
            return "The numbers are right. The exercise asks for a loop, but there is none: write one, without `@`."
        function = getattr(case.answer, "__globals__", {}).get(wanted)
        module = str(getattr(function, "__module__", None))
        if (
            case.course.package
            and wanted in globals_read(case.answer, Callable)
            and module.startswith(case.course.package)
        ):
            return f"The numbers are right, but the course's `{wanted}` computed them: try writing its steps yourself."
    return ""


def _why_done(exercise):
    """Return what a right answer was tested on: how many inputs, and the promises among them."""
    inputs = f"Right on {len(exercise.probes) + len(exercise.promise_inputs)} inputs"
    *earlier, last = [promise.when for promise in exercise.promises][:MOST_PROMISES] or [""]
    including = ", ".join([*earlier, f"and {last}" if earlier else last])
    return f"{inputs}, including {including}." if last else f"{inputs}."


def _kind_of(values):
    """Return the common type of these values in a word: array or list; "input" if they differ."""
    kinds = {"array" if isinstance(value, np.ndarray) else type(value).__name__ for value in values}
    return kinds.pop() if len(kinds) == 1 else "input"


def _leftovers_message(leftovers):
    """Return the message about what an answer, or a cell before it, left in the kernel, "" for nothing."""
    sentences = []
    for what, names, undone in (
        ("changed", leftovers.put_back, "put {} back"),
        ("added", leftovers.taken_away, "taken {} away"),
    ):
        if names:
            pronoun = "them" if _is_plural(names) else "it"
            sentences.append(f"Something had {what} {listed(names)}. The check has {undone.format(pronoun)}.")
    if leftovers.threads:
        threads, it = counted(len(leftovers.threads), "thread"), "it" if len(leftovers.threads) == 1 else "them"
        sentences.append(f"Your function left {threads} running. To end {it}, choose Kernel, Restart Kernel.")
    return " ".join(sentences)


def _is_plural(names):
    """Tell whether names in words are plural: several, or one like "the random numbers of NumPy"."""
    return len(names) > 1 or bool(re.match(r"the \w+ (?:numbers|variables)|the (?:filters|handlers|signals)", names[0]))


def small_numbers(exercise: Exercise | Value, answer: object) -> str:
    """Return a line about the smallest known input on which an answer is wrong: what it gives, and what is right.

    Empty if there is none that can be written out, and for a value, which has no inputs.
    """
    if isinstance(exercise, Value) or exercise.takes or not callable(answer):
        return ""
    small_case = None
    with guard.protect(), contextlib.suppress(Exception, SystemExit):  # as above: the lesson goes on
        case = _case(exercise, answer, LIMITS)
        small_case = consecutive_case(exercise, answer) or small_input(case, finite=True) or small_input(case)
    return of_kind(contrast(exercise, small_case), exercise.kind) if small_case else ""


def _judge_value(exercise, answer):
    if exercise.takes:
        return cannot_be_called(exercise, answer) or exercise.judge(answer)
    not_yet = exercise.course.not_yet
    if answer is None:
        return not_yet("returns-nothing", NONE.format(exercise.wanted))
    if callable(answer):
        return not_yet("not-a-value", kind=kind_in_words(answer))
    try:
        return exercise.judge(answer)
    except (TypeError, ValueError, AttributeError):
        return not_yet("not-a-value", f"This is {kind_in_words(answer)}, but the check needs {exercise.wanted}.")


def cannot_be_called(exercise: Exercise | Value, answer: object) -> Finding | None:
    """Return the finding on an answer that cannot be called with the exercise's arguments; None if it can."""
    not_yet = exercise.course.not_yet
    if answer is None:
        return not_yet("returns-nothing", NONE.format(f"a {exercise.kind}"))
    if not callable(answer) or isinstance(answer, type) != (exercise.kind == "class"):
        kind = "a function" if isinstance(answer, FUNCTIONS) else kind_in_words(answer)
        if exercise.kind == "function":
            return not_yet("not-a-function", kind=kind)
        message = f"This is {kind}, but the check needs the class itself. Pass its name, without brackets."
        return not_yet("not-a-function", message)
    arguments = exercise.takes or exercise.arguments
    try:
        inspect.signature(answer).bind(*arguments)
    except TypeError:
        return not_yet("wrong-arguments", count=counted(len(arguments), "argument"), argument=", ".join(arguments))
    except ValueError:  # compiled functions may have no signature
        pass
    return None
