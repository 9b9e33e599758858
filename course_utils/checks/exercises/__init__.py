"""One page an exercise: its plain solution, its inputs and promises, and its mistakes as other lines of the solution.

A page is read when its exercise is first asked for; `shared` holds the names that its Python may use.
"""

from functools import cache

from course_utils.checks.engine import exercise_page
from course_utils.checks.engine.mistakes import FOLDER, page_of


@cache
def exercise_on_page(name):
    """Return the Exercise or the Value of the page of this name."""
    from course_utils.checks.exercises import shared

    names = {each: getattr(shared, each) for each in shared.__all__} | {"__name__": __name__}
    return exercise_page.exercise_of(page_of(name), names, page_of)


def __getattr__(name):
    """The course's own function of an exercise, by the name that a student's file imports it under."""
    begins = f"```python\ndef {name}("
    page = next((path for path in sorted(FOLDER.glob("*.md")) if begins in path.read_text(encoding="utf-8")), None)
    if page is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return exercise_on_page(page.stem).reference


__all__ = ["FOLDER", "exercise_on_page", "page_of"]
