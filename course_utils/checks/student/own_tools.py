"""Later lessons use what a student wrote: keep(name) saves a solved exercise to the student's own file, and mine(name)
loads it from there.

The files are where the lesson runs: my_attention.py holds the functions, my_model.py those that need Keras.
If a function is missing or wrong, the course's own runs, and a line says so.
In the solved notebooks the solutions replace the student's files.
"""

import contextlib
from pathlib import Path
from typing import NamedTuple

from course_utils.arrays.arguments import wrong
from course_utils.checks.exercises import exercise_of, function_name, home_of
from course_utils.checks.student import record
from course_utils.checks.student.own_arrays import array_version
from course_utils.checks.student.own_file import (
    HEADERS,
    BrokenFile,
    append,
    is_unchanged,
    load,
    names_in,
    source_in,
    text_of,
)
from course_utils.checks.student.own_source import CannotStandAlone, names_around, names_read_by, standalone_source
from course_utils.computer.notebook import SOLVED, keeps_files
from pagecheck.exercise import Value
from pagecheck.judge import judge
from pagecheck.words import DONE, listed

OWN = tuple(HEADERS)


class Tool(NamedTuple):
    """A function for an exercise, whether it is the student's own, and if not, what is wrong with the student's."""

    name: str
    function: object
    own: bool
    problem: str = ""


def mine(*names: str) -> object:
    """Return the student's functions for these exercises, and print whose code runs: yours, or the course's.

    One name gives a function, several give a list. A function is yours if its check is done, in this kernel or for
    the student's file as it is now.
    Raises ValueError for a name that does not belong to an exercise with a function.

    >>> scores_of, softmax = mine("scores", "stable_softmax")
    the course's scores and stable_softmax, until yours are done
    """
    if not names:
        raise wrong("names", names, "at least one exercise")
    tools = [_tool(name) for name in names]
    own, others = ([tool.name for tool in tools if tool.own is whose] for whose in (True, False))
    until = f", until {'yours is' if len(others) == 1 else 'yours are'} done" if others else ""
    whose = [f"your {listed(own)}" if own else "", f"the course's {listed(others)}" if others else ""]
    print(", ".join(filter(None, whose)) + until)
    for problem in dict.fromkeys(tool.problem for tool in tools if tool.problem):
        print(problem)
    functions = [tool.function for tool in tools]
    return functions if len(functions) > 1 else functions[0]


def keep(name: str) -> object:
    """Save an answer whose check is done to the student's own file; return it, or else the course's function.

    Nothing in the file is ever changed: a new version goes below the old one, unless the student edited the old one
    there. Prints whose function is returned, and which file it is in.
    Raises ValueError for a name that does not belong to an exercise with a function.

    >>> scores_of = keep("scores")
    scores: the course's, until yours is done
    """
    tool = _tool(name)
    if name not in record.done_answers:
        whose = "yours" if tool.own else "the course's, until yours is done"
        print(f"{name}: {whose}")
        return tool.function
    print(f"{name}: yours{_save(name, record.done_answers[name])}")
    return tool.function


def _save(name, answer):
    """Save an answer to its file, and return the outcome in a few words."""
    file, function = _file_for(name, answer), function_name(name)
    if file is None:
        return ""
    try:
        text = text_of(file)
        source = standalone_source(answer, function, names_in(text))
    except CannotStandAlone as reason:
        return f". It is not in {file.name}, because it {reason}."
    except OSError as error:
        return f". It is not in {file.name}, which cannot be read: {error.strerror}."
    if source_in(text, function) == source_in(source, function):
        return f", in {file.name}"
    if source_in(text, function) and not is_unchanged(text, function) and _tool_in(file, name).own:
        return f". {file.name} goes on with the version that you changed there."
    try:
        problem = append(file, function, home_of(name), source, lambda module: _problem_with(name, module))
    except OSError as error:
        problem = f"{file.name} cannot be written: {error.strerror}."
    return f". It is not in {file.name}: {problem}" if problem else f", now in {file.name}"


def _tool(name):
    """Return the Tool for an exercise: checked in this kernel, from a file, or the course's."""
    exercise = exercise_of(name)
    if isinstance(exercise, Value) and exercise.stand_in is None:
        raise wrong("name", name, "an exercise that asks for a function, or whose answer the lesson goes on with")
    if name in record.done_answers:
        return Tool(name, array_version(record.done_answers[name], exercise), own=True)
    problem = ""
    for file in _files():
        tool = _tool_in(file, name)
        if tool.own:
            return tool
        problem = problem or tool.problem
    return Tool(name, exercise.stand_in, own=False, problem=problem)


def _tool_in(file, name):
    """Return the Tool of a file if it is right and not an import of the course's, which saved functions may need."""
    course = Tool(name, exercise_of(name).stand_in, own=False)
    try:
        text = text_of(file)
        if not text.strip() or (names_in(text) and function_name(name) not in names_in(text)):
            return course
        module = load(file)
    except (BrokenFile, OSError, ValueError) as error:
        return course._replace(problem=f"{error} Until that is mended, the course's functions run.")
    function = getattr(module, function_name(name), None)
    if str(getattr(function, "__module__", "")).startswith("course_utils."):
        return course
    if problem := _problem_with(name, module):
        return course._replace(problem=f"{function_name(name)} in {file.name} is not right any more: {problem}")
    return Tool(name, array_version(function, exercise_of(name)), own=True)


def _problem_with(name, module):
    """Return what a check finds wrong with a module's function, "" if it is done."""
    verdict = judge(exercise_of(name), getattr(module, function_name(name), None))
    return "" if verdict.state == DONE else verdict.message or "it is not finished."


def _files():
    """The files that tools are read from: the student's own, or else the solutions."""
    return [file for file in map(Path, OWN if keeps_files() else SOLVED) if file.exists()]


def _file_for(name, answer):
    """The file that an answer is saved to; None where nothing is saved: among the solutions, or if saving is off."""
    if not keeps_files():
        return None
    attention, model = map(Path, OWN)
    if not callable(answer):  # a value belongs to its lesson
        return None
    in_model = set()
    with contextlib.suppress(OSError):
        in_model = names_in(text_of(model), imports=False)  # NumPy is not part of Keras
    return model if exercise_of(name).adapt or _reads_keras(answer, in_model) else attention


def _reads_keras(answer, in_model):
    """Tell whether an answer uses Keras, TensorFlow, or one of these names of my_model.py."""
    outside = names_around(answer)
    read = {name: outside.get(name) for name in names_read_by(answer)}
    modules = (getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in read.values())
    return bool(set(read) & in_model) or any(str(module).split(".")[0] in ("keras", "tensorflow") for module in modules)
