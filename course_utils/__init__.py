"""The helpers of the course "Learning to Look". A student can read every module here.

Nothing is imported at this level, so that `import course_utils` costs nothing and no lesson pays
for what it does not use.
"""

import os
import sys

# TensorFlow reads these once, on import: print errors only, and leave out oneDNN,
# which announces itself and rounds differently.
# They stand here because Python runs this file before any module of the course, so before any of them imports Keras.
QUIET_TENSORFLOW = {"TF_CPP_MIN_LOG_LEVEL": "2", "TF_ENABLE_ONEDNN_OPTS": "0"}
for _name, _value in QUIET_TENSORFLOW.items():
    os.environ.setdefault(_name, _value)


class _ShortNames:
    """Import course_utils.cls_task as course_utils.tasks.cls_task: a module in a room has a short name too.

    Lessons and students' files that are older than the rooms use it. Both names give one and the same module.
    """

    ROOMS = "arrays", "tasks", "models", "pictures", "computer"

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Return how to import the short name of a module in one of the rooms; else None."""
        package, _, module = name.rpartition(".")
        if package == __name__:
            for room in cls.ROOMS:
                if os.path.exists(os.path.join(__path__[0], room, f"{module}.py")):
                    return type(__spec__)(name, cls(), origin=f"{package}.{room}.{module}")
        return None

    def create_module(self, spec):
        """Return the module itself."""
        __import__(spec.origin)
        module = sys.modules[spec.origin]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        """Give the module its own spec back: importlib has put that of the short name there."""
        module.__spec__ = sys.modules[module.__name__].__spec__ = module.__spec__.loader_state


sys.meta_path.append(_ShortNames)
