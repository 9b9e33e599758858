"""What a student wrote goes on working: keep(name) puts a solved exercise into the student's own file, and mine(name)
takes it from there.

The files lie where the lesson runs. my_attention.py holds the functions, my_model.py those that need Keras.
Where a function is missing or not right, the course's own runs, and a line says so.
In the solved notebooks the solutions take the place of the student's files.
"""

import contextlib
from pathlib import Path
from typing import NamedTuple

from course_utils.arguments import wrong
from course_utils.checks.exercises import exercise_of, function_name, lesson_of
from course_utils.checks.student import record
from course_utils.checks.student.own_arrays import giving_arrays
from course_utils.checks.student.own_file import HEADERS, Broken, append, as_kept, defined, load, source_in, text_of
from course_utils.checks.student.own_source import CannotStandAlone, names_around, read_by, standing_alone
from course_utils.notebook import SOLVED, keeps_files
from pagecheck.exercise import Value
from pagecheck.judge import judge
from pagecheck.words import DONE, listed

OWN = tuple(HEADERS)


class Tool(NamedTuple):
    """A function for an exercise, whether it is the student's own, and what is wrong with that one if it is not."""

    name: str
    function: object
    own: bool
    problem: str = ""


def mine(*names):
    """Return the student's functions for these exercises, and print whose code runs: yours, or the course's.

    One name gives a function, several give a list. A function is yours when its check is done, in this kernel or as it
    stands in my_attention.py now.
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


def keep(name):
    """Put the answer that its check called done into the student's own file; return it, or else the course's function.

    Nothing in the file is ever changed: a new version goes below the old one, unless the student edited the old one
    there. Prints whose function comes back, and where it stands.
    Raises ValueError for a name that does not belong to an exercise with a function.

    >>> scores_of = keep("scores")
    scores: the course's, until yours is done
    """
    tool = _tool(name)
    if name not in record.done_here:
        whose = "yours" if tool.own else "the course's, until yours is done"
        print(f"{name}: {whose}")
        return tool.function
    print(f"{name}: yours{_kept(name, record.done_here[name])}")
    return tool.function


def _kept(name, answer):
    """Put an answer into its file, and say in a few words what became of it."""
    file, function = _file_for(name, answer), function_name(name)
    if file is None:
        return ""
    text = text_of(file)
    try:
        source = standing_alone(answer, function, defined(text))
    except CannotStandAlone as reason:
        return f". It is not in {file.name}, because it {reason}."
    if source_in(text, function) == source_in(source, function):
        return f", in {file.name}"
    if source_in(text, function) and not as_kept(text, function) and _tool_in(file, name).own:
        return f". {file.name} goes on with the version that you changed there."
    try:
        problem = append(file, function, lesson_of(name), source, lambda module: _wrong_with(name, module))
    except OSError as error:
        problem = f"{file.name} cannot be written: {error.strerror}."
    return f". It is not in {file.name}: {problem}" if problem else f", now in {file.name}"


def _tool(name):
    """Return the Tool for an exercise: as checked in this kernel, as it stands in a file, or the course's."""
    exercise = exercise_of(name)
    if isinstance(exercise, Value) and exercise.stand_in is None:
        raise wrong("name", name, "an exercise that asks for a function, or whose answer the lesson goes on with")
    if name in record.done_here:
        return Tool(name, giving_arrays(record.done_here[name], exercise), own=True)
    problem = ""
    for file in _files():
        found = _tool_in(file, name)
        if found.own:
            return found
        problem = problem or found.problem
    return Tool(name, exercise.stand_in, own=False, problem=problem)


def _tool_in(file, name):
    """Return the Tool that a file holds, if it is right, and none of the course's that a kept function reads."""
    course = Tool(name, exercise_of(name).stand_in, own=False)
    try:
        text = file.read_text(encoding="utf-8")
        if defined(text) and function_name(name) not in defined(text):
            return course
        module = load(file)
    except FileNotFoundError:
        return course
    except (Broken, OSError, ValueError) as broken:
        return course._replace(problem=f"{broken} Until that is mended, the course's functions run.")
    function = getattr(module, function_name(name), None)
    if str(getattr(function, "__module__", "")).startswith("course_utils."):
        return course
    if problem := _wrong_with(name, module):
        return course._replace(problem=f"{function_name(name)} in {file.name} is not right any more: {problem}")
    return Tool(name, giving_arrays(function, exercise_of(name)), own=True)


def _wrong_with(name, module):
    """Return what a check says against a module's function, "" when it is done."""
    verdict = judge(exercise_of(name), getattr(module, function_name(name), None))
    return "" if verdict.state == DONE else verdict.message or "it is not finished."


def _files():
    """The files that tools are read from: the solutions' where they lie, else the student's own, unless all is off."""
    return [file for file in map(Path, OWN if keeps_files() else SOLVED) if file.exists()]


def _file_for(name, answer):
    """The file that an answer is kept in; None where nothing is kept: among the solutions, and where all is off."""
    if not keeps_files():
        return None
    attention, model = map(Path, OWN)
    if not callable(answer):  # a value belongs to its lesson
        return None
    in_model = set()
    with contextlib.suppress(OSError):
        in_model = defined(model.read_text(encoding="utf-8"), imports=False)  # NumPy is not part of Keras
    return model if exercise_of(name).adapt or _reads_keras(answer, in_model) else attention


def _reads_keras(answer, in_model):
    """Tell whether an answer reads something of Keras or TensorFlow, or one of these names of my_model.py."""
    around = names_around(answer)
    read = {name: around.get(name) for name in read_by(answer)}
    homes = (getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in read.values())
    return bool(set(read) & in_model) or any(str(home).split(".")[0] in ("keras", "tensorflow") for home in homes)
