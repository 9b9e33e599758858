"""One page an exercise: its plain solution, its inputs and promises, and its mistakes as other lines of the solution.

A page is read when its exercise is first asked for; `shared` holds the names that its Python may use.
lessons.json says which lesson asks for which exercises; `nox -s build` writes it from the lessons.
"""

import json
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from itertools import chain

from course_utils.arguments import wrong
from course_utils.checks.engine import exercise_page
from course_utils.checks.engine.exercise import Exercise
from course_utils.checks.engine.mistakes import FOLDER, page_of

LESSONS = json.loads((FOLDER / "lessons.json").read_text(encoding="utf-8"))  # {number: the names of its exercises}


def lesson_of(name):
    """Return the number of the lesson that asks for this exercise, None for a name that no lesson has.

    >>> lesson_of("cosine")
    '01'
    """
    return next((lesson for lesson, names in LESSONS.items() if name in names), None)


def close_names(text):
    """Return the names of exercises that are written almost so, the closest first.

    >>> close_names("Dot product")
    ['dot_product']
    """
    known = [exercise for names in LESSONS.values() for exercise in names]
    return get_close_matches(text.lower().replace(" ", "_"), known)


def exercise_of(name):
    """Return the Exercise, or the Value, of this name.

    Raises ValueError for a name that no lesson has; it says which are close.
    """
    if lesson_of(name) is None:
        close = close_names(name)
        known = ", ".join(close or [exercise for names in LESSONS.values() for exercise in names])
        raise wrong("name", name, f"an exercise of the course, {'such as' if close else 'one of these'}: {known}")
    return _on_page(name)


@cache
def _on_page(name):
    shared = import_module(f"{__name__}.shared")
    names = {each: getattr(shared, each) for each in shared.__all__} | {"__name__": __name__}
    return exercise_page.exercise_of(page_of(name), names, page_of)


def function_name(name):
    """Return the name of the function that an exercise asks for: the page's own, or that of the course's answer.

    >>> function_name("scores"), function_name("cosine"), function_name("positional_embedding")
    ('scores_of', 'cosine', 'PositionalEmbedding')
    """
    exercise = exercise_of(name)
    if not isinstance(exercise, Exercise):
        return name
    return exercise.course.rpartition(".")[2] or exercise.reference.__name__


def exercise_named(name):
    """Return the exercise that has this name, or whose function has it; None where none has."""
    if lesson_of(name):
        return _on_page(name)
    first = f"def {name}("  # with which the first block of its page begins
    texts = {each: (FOLDER / f"{each}.md").read_text(encoding="utf-8") for each in chain(*LESSONS.values())}
    found = (each for each, text in texts.items() if text.partition("```python\n")[2].startswith(first))
    return next(map(_on_page, found), None)


def __getattr__(name):
    """The course's own function, as students' files import it."""
    exercise = exercise_named(name)
    if exercise is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return exercise.stand_in


__all__ = ["FOLDER", "LESSONS", "close_names", "exercise_named", "exercise_of", "function_name", "lesson_of", "page_of"]
