"""Judges the answers of a sandboxed notebook: inputs go in, results come out, and everything else happens here.

The other process sends no verdicts and no code. A message that breaks the protocol makes the whole notebook suspect.
"""

import builtins
import functools
import inspect
import linecache
from dataclasses import replace

import numpy as np
from grading.held_out import held_out_finding
from grading.plain_values import Opaque

from course_utils.checks.exercises import exercise_of
from pagecheck.exercise import Value
from pagecheck.judge import cannot_be_called, judge
from pagecheck.run import TimeOver, run
from pagecheck.words import DONE, NOT_STARTED, NOT_YET, Verdict

STAND_INS = {  # empty values of the same type, for values that cannot cross the pipe
    **dict.fromkeys(("generator", "map", "filter", "zip"), lambda: iter(())),
    "bytes": bytes,
    "MaskedArray": lambda: np.ma.masked_all(1),
    "function": lambda: len,
    "builtin_function_or_method": lambda: len,
    "type": lambda: object,
}


MAX_SUMMARY = 240  # characters
SOURCE_NAME = "<a line of the returned notebook>"


class Suspect(Exception):
    """Raised when a process sends a message that breaks the protocol."""


class Answer:
    """A proxy for a function of the notebook, called by the checks like any other."""

    def __init__(self, conversation, message):
        self._conversation, self._number = conversation, message["function"]
        self.__name__, self.__doc__ = str(message["name"]), str(message["doc"])
        self.__signature__ = signature_of(message["parameters"])
        self.modules_read = list(map(str, message["modules"]))

    def __call__(self, *arguments):
        reply = self._conversation.call(self._number, arguments)
        if "slow" in reply:
            raise TimeOver  # as for the check's own time limit
        if "raised" in reply:
            raise_error(*map(str, reply["raised"]))
        for index, value in reply["given"]:
            update_in_place(arguments[index], value)
        return replace_opaque(reply["returned"])


def signature_of(parameters):
    """Return a signature with these parameters, *arguments if unknown. Raises ValueError for invalid names."""
    any_arguments = [["arguments", int(inspect.Parameter.VAR_POSITIONAL), False]]
    named_parameters = [
        inspect.Parameter(name, inspect._ParameterKind(kind), default=None if has_default else inspect.Parameter.empty)
        for name, kind, has_default in parameters or any_arguments
    ]
    return inspect.Signature(named_parameters)


def raise_error(kind, message, line, location):
    """Raise the notebook's error with its source line, which the checks quote."""
    error = make_error(kind, message)
    error.add_note(f"raised in {location}")
    linecache.cache[SOURCE_NAME] = (len(line), None, [f"{line or 'your function'}\n"], SOURCE_NAME)
    exec(compile("raise error", SOURCE_NAME, "exec"), {"error": error})


def make_error(kind, message):
    """Return a built-in error of this kind, else one of a new class with the same name."""
    error_type = getattr(builtins, kind, None)
    if not (
        isinstance(error_type, type) and issubclass(error_type, (Exception, SystemExit))
    ):  # others would stop the judge
        error_type = type(str(kind), (Exception,), {})
    try:
        return error_type(message)
    except Exception:  # some built-in errors need more than a message
        return type(str(kind), (Exception,), {})(message)


def update_in_place(old, new):
    """Repeat an in-place change that the answer made to its copy of an argument."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.shape == new.shape:
        old[...] = new.astype(old.dtype)
    elif isinstance(old, list) and isinstance(new, list):
        old[:] = new


def replace_opaque(value):
    """Replace opaque parts of a value by stand-ins of the same type."""
    if isinstance(value, Opaque):
        return STAND_INS.get(value.kind, type(value.kind, (), {}))()
    if isinstance(value, list):
        return [replace_opaque(part) for part in value]
    if type(value) is tuple:
        return tuple(map(replace_opaque, value))
    return value


@functools.cache
def plain_exercise(name):
    """Return an exercise as the judge needs it: Keras layers are wrapped as functions inside the sandbox."""
    exercise = exercise_of(name)
    return replace(exercise, adapt="", takes=(), kind="function") if exercise.adapt else exercise


def verdict_on(message, conversation, seed):
    """Return the verdict on an answer described by a message. Raises Suspect for a malformed message."""
    try:
        exercise = exercise_of(message["check"])
        answer = Answer(conversation, message) if "function" in message else replace_opaque(message["answer"])
        target = type("A", (), {"__signature__": answer.__signature__}) if message.get("class") else answer
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise Suspect(f"a message that no check sends: {problem}") from None
    if "too_large" in message:
        return too_large(exercise.name, message["too_large"])
    if message["stub"]:
        return Verdict(NOT_STARTED, name=exercise.name)
    if exercise.adapt:
        if finding := cannot_be_called(exercise, target):
            return Verdict(*finding, exercise.name)
        del answer.__signature__  # from here on it takes the inputs of the layers
    verdict = judge(plain_exercise(exercise.name), answer, limits=None)  # its process has limits of its own
    if verdict.state == DONE and (finding := held_out_finding(plain_exercise(exercise.name), answer, seed)):
        return Verdict(*finding, exercise.name)
    return verdict


def too_large(name, what):
    """The verdict on an answer, or a result, that is larger than any that an exercise asks for."""
    return Verdict(NOT_YET, ("too-large",), f"It is too large to be judged: {str(what)[:200]}.", name)


def summarize_result(message, conversation):
    """Summarize what an answer returns for its first probe, rounded to three decimals."""
    exercise = plain_exercise(message["check"])
    if isinstance(exercise, Value) or "function" not in message:
        return repr(replace_opaque(message.get("answer")))[:MAX_SUMMARY]
    [outcome] = run(Answer(conversation, message), exercise.probes[:1], len(exercise.gives), limits=None).outcomes
    if outcome.problem:
        return " ".join([outcome.problem, *outcome.detail.split()])[:MAX_SUMMARY]
    parts = [f"{part.shape} {np.array2string(np.round(part, 3), threshold=12)}" for part in outcome.parts]
    return " ".join(" and ".join(parts).split())[:MAX_SUMMARY]
