"""Judges the answers of a notebook that runs in a sandbox: inputs go in, numbers come out, and all else happens here.

Nothing that the other process sends is a verdict, and nothing of it runs here.
What it sends against the rules makes the whole notebook suspect.
"""

import builtins
import functools
import inspect
import linecache
from dataclasses import replace

import numpy as np
from grading.held_out import wrong_elsewhere
from grading.plain_values import Something

from course_utils.checks.exercises import exercise_of
from pagecheck.exercise import Value
from pagecheck.judge import cannot_be_called, judge
from pagecheck.run import TimeOver, run
from pagecheck.words import DONE, NOT_STARTED, Verdict

STAND_INS = {  # of what is not plain the judge sees something of the same kind, without its contents
    **dict.fromkeys(("generator", "map", "filter", "zip"), lambda: iter(())),
    "set": set,
    "frozenset": frozenset,
    "bytes": bytes,
    "MaskedArray": lambda: np.ma.masked_all(1),
    "function": lambda: len,
    "builtin_function_or_method": lambda: len,
    "type": lambda: object,
}


SHORT = 240  # characters
LINE = "<a line of the returned notebook>"


class Suspect(Exception):
    """Raised where a process sends what no notebook of this course would."""


class Answer:
    """A function of a notebook, which runs there; the checks call it like any other."""

    def __init__(self, line, told):
        self._line, self._number = line, told["function"]
        self.__name__, self.__doc__ = str(told["name"]), str(told["doc"])
        self.__signature__ = signature_of(told["parameters"])
        self.modules_read = list(map(str, told["modules"]))

    def __call__(self, *arguments):
        said = self._line.called(self._number, arguments)
        if "slow" in said:
            raise TimeOver  # as if the time of the check itself were over
        if "raised" in said:
            stop(*map(str, said["raised"]))
        for place, value in said["given"]:
            put_into(arguments[place], value)
        return without_strangers(said["returned"])


def signature_of(parameters):
    """A signature of these names; of any, where they are not known. Raises ValueError for names that Python refuses."""
    any_of_them = [["arguments", int(inspect.Parameter.VAR_POSITIONAL), False]]
    named = [
        inspect.Parameter(name, inspect._ParameterKind(kind), default=None if has_default else inspect.Parameter.empty)
        for name, kind, has_default in parameters or any_of_them
    ]
    return inspect.Signature(named)


def stop(kind, said, line, place):
    """Raise the error of the other side, at its line: what the checks say of it names that line."""
    error = as_error(kind, said)
    error.add_note(f"raised in {place}")
    linecache.cache[LINE] = (len(line), None, [f"{line or 'your function'}\n"], LINE)
    exec(compile("raise error", LINE, "exec"), {"error": error})


def as_error(kind, said):
    """An error of the same kind where that is one of Python's, else one with the same name."""
    found = getattr(builtins, kind, None)
    if not (isinstance(found, type) and issubclass(found, (Exception, SystemExit))):  # the others would end the judge
        found = type(str(kind), (Exception,), {})
    try:
        return found(said)
    except Exception:  # some errors of Python's want more than a text
        return type(str(kind), (Exception,), {})(said)


def put_into(old, new):
    """Change an argument in place, as the answer has changed its own."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.shape == new.shape:
        old[...] = new.astype(old.dtype)
    elif isinstance(old, list) and isinstance(new, list):
        old[:] = new


def without_strangers(value):
    """A value in which what was not plain is something of its kind."""
    if isinstance(value, Something):
        return STAND_INS.get(value.kind, type(value.kind, (), {}))()
    if isinstance(value, list):
        return [without_strangers(part) for part in value]
    if type(value) is tuple:
        return tuple(map(without_strangers, value))
    return value


@functools.cache
def plain_exercise(name):
    """An exercise as the judge sees it: layers of Keras are made into functions on the other side."""
    exercise = exercise_of(name)
    return replace(exercise, adapt="", takes=(), kind="function") if exercise.adapt else exercise


def verdict_on(told, line, seed):
    """Return the verdict on an answer that a process has told of. Raises Suspect for what is no answer."""
    try:
        exercise = exercise_of(told["check"])
        answer = Answer(line, told) if "function" in told else without_strangers(told["answer"])
        shown = type("A", (), {"__signature__": answer.__signature__}) if told.get("class") else answer
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise Suspect(f"a message that no check sends: {problem}") from None
    if told["stub"]:
        return Verdict(NOT_STARTED, name=exercise.name)
    if exercise.adapt:
        if found := cannot_be_called(exercise, shown):
            return Verdict(*found, exercise.name)
        del answer.__signature__  # from here on it takes the numbers that the layers are given
    verdict = judge(plain_exercise(exercise.name), answer, limits=None)  # its process has limits of its own
    if verdict.state == DONE and (found := wrong_elsewhere(plain_exercise(exercise.name), answer, seed)):
        return Verdict(*found, exercise.name)
    return verdict


def gave_back(told, line):
    """Return in short what an answer gives back for the first input of its exercise, numbers to three places."""
    exercise = plain_exercise(told["check"])
    if isinstance(exercise, Value) or "function" not in told:
        return repr(without_strangers(told.get("answer")))[:SHORT]
    [outcome] = run(Answer(line, told), exercise.probes[:1], len(exercise.gives), limits=None).outcomes
    if outcome.problem:
        return " ".join([outcome.problem, *outcome.detail.split()])[:SHORT]
    parts = [f"{part.shape} {np.array2string(np.round(part, 3), threshold=12)}" for part in outcome.parts]
    return " ".join(" and ".join(parts).split())[:SHORT]
