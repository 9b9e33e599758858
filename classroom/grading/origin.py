"""Whether an answer is the course's own: known by where it comes from, never by its text, which may be one line."""

import functools
import sys
import threading
from pathlib import Path

COURSE = str(Path(__file__).resolve().parents[1] / "course_utils")  # as the sandbox mounts them, side by side
MAX_WRAPPED = 8  # a decorator, a method, a partial around a function


def is_of_course(exercise, value):
    """Whether an answer is the course's: what `keep` and `mine` substitute, a wrapper of it, a class built on it."""
    for _ in range(MAX_WRAPPED):
        if value is None:
            return False
        homes = [str(getattr(one, "__module__", "")) for one in (value, *getattr(value, "__mro__", ()))]
        file = str(getattr(getattr(value, "__code__", None), "co_filename", ""))
        if value is exercise.stand_in or file.startswith(COURSE) or any(h.startswith("course_utils.") for h in homes):
            return True
        value = next((getattr(value, name, None) for name in ("func", "__wrapped__", "__func__", "__call__")), None)
    return False


@functools.cache
def _home(exercise_name):
    """The page of an exercise, and what its function is called."""
    from course_utils.checks.exercises import FOLDER, function_name

    return str(FOLDER / f"{exercise_name}.md"), function_name(exercise_name)


class Witness:
    """Sees whether the course's own solution of an exercise runs while an answer is called."""

    def __init__(self, exercise_name):
        self.page, self.name = _home(exercise_name)
        self.seen = False

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self._on_call)
        threading.setprofile(self._on_call)
        return self

    def __exit__(self, *_):
        sys.setprofile(self.before if callable(self.before) else None)  # that of %prun cannot be set again
        threading.setprofile(None)

    def _on_call(self, frame, event, _):
        if event == "call":
            code = frame.f_code
            named = code.co_name == self.name and code.co_filename.startswith(COURSE)
            self.seen = self.seen or named or code.co_filename == self.page
