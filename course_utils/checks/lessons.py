"""Import paths of older versions, for students' files that still use them: the functions are on pages now."""

import sys
from types import ModuleType

from course_utils.checks import exercises

OTHER_MODULES = ("shared", "batched", "rotary", "causal", "drawn_words", "one_token")
RENAMED = {"control_at": "control_places"}


class _LegacyModule(ModuleType):
    def __getattr__(self, name):
        return getattr(exercises, RENAMED.get(name, name))


__path__: list[str] = []  # makes this a package, so that `import course_utils.checks.lessons.lesson_04` works
for _name in (*(f"lesson_{number:02}" for number in range(20)), *OTHER_MODULES):
    sys.modules[f"{__name__}.{_name}"] = _LegacyModule(f"{__name__}.{_name}")
