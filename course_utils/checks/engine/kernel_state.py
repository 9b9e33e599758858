"""What an answer may not change for good: NumPy's and Python's own names, the folder, the environment, random numbers.

`kept()` stands around every check. What an answer changed is put back, and said.
"""

import builtins
import contextlib
import gc
import math
import os
import random
import sys
import types
import warnings

import numpy as np

from course_utils.checks.engine.threads import is_installed

MODULES = {"": builtins, "math.": math, "np.": np, "np.linalg.": np.linalg, "np.random.": np.random, "random.": random}


def _own_names(module):
    """The functions of a module, and all names of NumPy and math.

    Of Python's own those that it made: IPython adds some, and a kernel has its own input.
    """
    names = dict(vars(module))
    if module is builtins:
        return {
            n: v for n, v in names.items() if getattr(v, "__module__", "") in ("builtins", "io", "_io") and n != "input"
        }
    return {n: v for n, v in names.items() if callable(v) or module in (math, np)}


# As they were when the checks were loaded. A check answers with these, also when a notebook has replaced one since.
OURS = {prefix: _own_names(module) for prefix, module in MODULES.items()}
BETWEEN_RUNS = []  # the names that were put back before the answer ran again: a thread cannot start without `len`


# Objects that other modules hold on to: what stands there when a check begins has to stand there afterwards.
PLACES = {"os.environ": os, "sys.path": sys, "sys.excepthook": sys, "warnings.filters": warnings}
HELD = {}  # place -> the object, while a check runs


@contextlib.contextmanager
def kept():
    """Leave the kernel as it was. Gives what was put back, and what was taken away, in words: two lists.

    They are complete when the block has ended.

    A name of NumPy or Python that a cell replaced before the check counts too: np.exp = 2.7 would make every later
    answer wrong. What a package sets up when it is first loaded stays, because no answer did that.
    """
    BETWEEN_RUNS.clear()
    put_back, taken_away = [f"`{name}`" for name in put_back_names()], []
    HELD.update({place: getattr(module, _last(place)) for place, module in PLACES.items()})
    before = {words: _got(get) for words, (get, _) in STATES.items()}
    names, loaded = {prefix: set(vars(module)) for prefix, module in MODULES.items()}, set(sys.modules)
    try:
        yield put_back, taken_away
    finally:
        taken_away += [f"`{name}`" for name in _take_away(names)]
        put_back += dict.fromkeys(f"`{name}`" for name in [*BETWEEN_RUNS, *put_back_names()])
        HELD.clear()
        set_up = SET_UP_BY_PACKAGES if _packages_since(loaded) else ()
        for words, (get, put) in STATES.items():
            if words not in set_up and not _same(_got(get), before[words]):
                with contextlib.suppress(Exception):  # what cannot be put back is said all the same
                    put(before[words])
                put_back.append(words)


def put_back_names():
    """Give the modules their own names again, and return those that had been replaced or deleted."""
    owners = [(module, prefix, OURS[prefix]) for prefix, module in MODULES.items()]
    owners += [(PLACES[place], place.removesuffix(_last(place)), {_last(place): held}) for place, held in HELD.items()]
    found = []
    for module, prefix, names in owners:
        there = vars(module)
        for name, value in names.items():
            if there.get(name, OURS) is not value:
                setattr(module, name, value)
                found.append(prefix + name)
    return found


def _packages_since(loaded):
    """Return the packages that were loaded since then. One that was there, and loads a part of itself, is not new."""
    names = {name for name in set(sys.modules) - loaded if "." not in name} - sys.stdlib_module_names
    found = {name: sys.modules[name] for name in names if isinstance(sys.modules[name], types.ModuleType)}
    return [name for name, module in found.items() if is_installed(str(vars(module).get("__file__")))]


def _last(place):
    return place.rpartition(".")[2]


def _take_away(before):
    """Delete the names that are new in a module, and return them; not its parts, which an import adds."""
    found = []
    for prefix, module in MODULES.items():
        for name in set(vars(module)) - before[prefix]:
            if not name.startswith("__") and not isinstance(vars(module)[name], types.ModuleType):
                delattr(module, name)
                found.append(prefix + name)
    return sorted(found)


def _got(get):
    """A state, or what stands for one that cannot be asked for any more."""
    try:
        return get()
    except Exception as problem:
        return type(problem)


def _same(now, before):
    try:
        return bool(now == before)
    except ValueError:  # arrays inside
        return repr(now) == repr(before)


def _put_environment(before):
    os.environ.clear()
    os.environ.update(before)


def _folder():
    try:
        return os.getcwd()
    except FileNotFoundError:  # somebody deleted it
        return None


def _put_folder(before):
    if before is not None:
        with contextlib.suppress(OSError):
            os.chdir(before)


GENERATOR = np.random.get_bit_generator()


def _numpy_random():
    name, keys, *rest = np.random.get_state()
    return (name, keys.tobytes(), *rest)


def _put_numpy_random(before):
    name, keys, *rest = before
    np.random.set_bit_generator(GENERATOR)
    np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))


def _tensorflow():
    """TensorFlow's context, which holds its seed and draws; None as long as nobody has loaded it."""
    module = sys.modules.get("tensorflow.python.eager.context")
    return module and module.context()


def _tensorflow_random():
    here = _tensorflow()
    return None if here is None or here._seed is None else (here._seed, here._rng.getstate())


def _put_tensorflow_random(before):
    seed, state = before or (None, None)
    _tensorflow()._set_global_seed(seed)
    if before:
        _tensorflow()._rng.setstate(state)


def _put_path(before):
    sys.path[:] = before


def _put_filters(before):
    warnings.filters[:] = before
    warnings._filters_mutated()


RANDOM_OF_PYTHON = "the random numbers of Python"
# TensorFlow, at its first import, writes variables, ignores warnings of others, and draws.
SET_UP_BY_PACKAGES = {"the environment variables", "the filters of warnings", RANDOM_OF_PYTHON}
# words -> (what gives the state, what puts it back)
STATES = {
    "the working folder": (_folder, _put_folder),
    "the environment variables": (lambda: dict(os.environ), _put_environment),
    "the path of imports": (lambda: list(sys.path), _put_path),
    "the filters of warnings": (lambda: list(warnings.filters), _put_filters),
    "NumPy's handling of errors": (np.geterr, lambda before: np.seterr(**before)),
    "the way NumPy prints": (np.get_printoptions, lambda before: np.set_printoptions(**before)),
    "the random numbers of NumPy": (_numpy_random, _put_numpy_random),
    RANDOM_OF_PYTHON: (random.getstate, random.setstate),
    "the random numbers of TensorFlow": (_tensorflow_random, _put_tensorflow_random),
    "Python's garbage collection": (gc.isenabled, lambda before: gc.enable() if before else gc.disable()),
    "the limit of recursion": (sys.getrecursionlimit, sys.setrecursionlimit),
}
