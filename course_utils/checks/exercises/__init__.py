"""Exercises, one page each: a plain solution, inputs and promises, and mistakes as other lines of the solution.

A page is read when its exercise is first needed; `shared` holds the names that its Python may use.
lessons.json says which lesson asks for which exercises; `nox -s build` writes it from the lessons.
"""

import json
from difflib import get_close_matches
from importlib import import_module
from itertools import chain
from pathlib import Path

from course_utils.arrays.arguments import wrong
from course_utils.checks import steps
from pagecheck import Course
from pagecheck.course import RETIRED
from pagecheck.exercise import Exercise, Value
from pagecheck.guard import LIBRARIES

FOLDER = Path(__file__).resolve().parent
LIBRARIES.append(str(FOLDER.parents[1]))  # the course's files are not the student's


def _shared():
    return import_module(f"{__name__}.shared")


COURSE = Course(
    FOLDER,
    names=lambda: {name: getattr(_shared(), name) for name in _shared().__all__} | {"__name__": __name__},
    package="course_utils",
    errors=(FOLDER.parent / "errors.toml",),
    steps_in_words=steps.IN_WORDS,
    helpers=lambda: _shared().HELPERS,
    fitted="scale",
    further=(steps.unknown_scale, steps.layer_outside),
    numbers_for_bools="mask-not-bool",
    position_in_words=steps.position_in_words,
    is_seen=steps.is_seen,
)
page_of, mistake = COURSE.page, COURSE.mistake
LESSONS = json.loads((FOLDER / "lessons.json").read_text(encoding="utf-8"))  # {number: the names of its exercises}


def lesson_of(name: str) -> str | None:
    """Return the number of the lesson with this exercise, None if no lesson has it.

    >>> lesson_of("cosine")
    '01'
    """
    return next((lesson for lesson, names in LESSONS.items() if name in names), None)


def has_page(name: str) -> bool:
    """Whether an exercise of this name can be checked: a lesson asks for it, or one did before.

    >>> has_page("cosine"), has_page("sine")
    (True, False)
    """
    return lesson_of(name) is not None or (name.isidentifier() and (FOLDER / RETIRED / f"{name}.md").exists())


def home_of(name: str) -> str:
    """Return the number of the lesson that asks for this exercise, or once asked for it.

    >>> home_of("cosine")
    '01'
    """
    return lesson_of(name) or page_of(name).says["retired"][:2]


def similar_names(text: str) -> list[str]:
    """Return the names of exercises that are spelled similarly, the closest first.

    >>> similar_names("Dot product")
    ['dot_product']
    """
    candidates = [exercise for names in LESSONS.values() for exercise in names]
    return get_close_matches(text.lower().replace(" ", "_"), candidates)


def exercise_of(name: str) -> Exercise | Value:
    """Return the Exercise, or the Value, of this name.

    Raises ValueError for a name that no lesson has; it suggests similar ones.
    """
    if not has_page(name):
        similar = similar_names(name)
        known = ", ".join(similar or [exercise for names in LESSONS.values() for exercise in names])
        raise wrong("name", name, f"an exercise of the course, {'such as' if similar else 'one of these'}: {known}")
    return COURSE.exercise(name)


def function_name(name: str) -> str:
    """Return the name of the function that an exercise asks for: the page's, or that of the course's answer.

    >>> function_name("scores"), function_name("cosine"), function_name("positional_embedding")
    ('scores_of', 'cosine', 'PositionalEmbedding')
    """
    exercise = exercise_of(name)
    if not isinstance(exercise, Exercise):
        return name
    return exercise.stands_in.rpartition(".")[2] or exercise.reference.__name__


def exercise_named(name: str) -> Exercise | Value | None:
    """Return the exercise with this name, or with a function of this name; None if there is none."""
    if has_page(name):
        return COURSE.exercise(name)
    opening = f"def {name}("  # how the first block of its page begins
    asked = (FOLDER / f"{exercise}.md" for exercise in chain(*LESSONS.values()))
    pages = [*asked, *sorted((FOLDER / RETIRED).glob("*.md"))]
    texts = ((page.stem, page.read_text(encoding="utf-8")) for page in pages)
    matches = (exercise for exercise, text in texts if text.partition("```python\n")[2].startswith(opening))
    return next(map(COURSE.exercise, matches), None)


def __getattr__(name):
    """The course's own function, which students' files import from here."""
    exercise = exercise_named(name)
    if exercise is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return exercise.stand_in


__all__ = [
    "COURSE",
    "FOLDER",
    "LESSONS",
    "exercise_named",
    "exercise_of",
    "function_name",
    "has_page",
    "home_of",
    "lesson_of",
    "mistake",
    "page_of",
    "similar_names",
]
