"""Where a student's file of an older version imports the course's own functions from: they stand on pages now."""

import sys
from types import ModuleType

from course_utils.checks import exercises

OTHERS = ("shared", "batched", "rotary", "causal", "drawn_words", "one_token")
RENAMED = {"control_at": "control_places"}


class _Old(ModuleType):
    def __getattr__(self, name):
        return getattr(exercises, RENAMED.get(name, name))


__path__: list[str] = []  # so that `import course_utils.checks.lessons.lesson_04` is looked up among these
for _name in (*(f"lesson_{number:02}" for number in range(20)), *OTHERS):
    sys.modules[f"{__name__}.{_name}"] = _Old(f"{__name__}.{_name}")
