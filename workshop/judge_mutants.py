"""Let tests judge mutants: each in a process of its own, in which the import of one module gives the mutant.

A process is forked from one that has NumPy, pytest and Hypothesis loaded already, and ends with the first test that
fails. Nothing is written: no copy of the project, no cache. Forking needs Linux or macOS.
"""

import faulthandler
import gc
import importlib.util
import os
import resource
import sys
import tempfile
import time
from collections import deque
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path

# Before NumPy, which reads the first once. Plugins of pytest would be loaded in each process, and none is needed.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LEARNING_TO_LOOK_DATA": "off"}

import pytest
from choose_tests import InOrder, Noting, read
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
# Plain asserts: pytest's own import of the modules whose doctests it runs would come before ours.
QUIET = ["-x", "-q", "--assert=plain", "--tb=native", "-pno:cacheprovider", "-pno:faulthandler"]
# Seconds of computing after which a mutant is an endless loop: these, and so many times what the tests take without it.
LEAST_SECONDS, PATIENCE, OF_BUDGET = 10, 5, 2
# By the exit status of pytest: 2 is an error before the first test, 3 a mutant that lets pytest itself crash.
SURVIVED, CRASHED, NO_TEST = 0, 3, 5
JUDGEMENTS = {SURVIVED: "survived", 1: "killed", 2: "killed", CRASHED: "killed"}
# What the tests of a room with a budget load, and takes longer than most of them.
LARGE = ("course_utils", "keras")  # the first quiets TensorFlow, and loads nothing of the course


class MutantLoader(SourceFileLoader):
    """Loads a module from another text than the one of its file, and caches nothing."""

    def __init__(self, name, path, text):
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname):
        return compile(self.text, self.path, "exec")


class MutantFinder:
    """Stands before Python's own finders, and answers for one module only."""

    def __init__(self, path, text):
        self.name = path.removesuffix(".py").replace("/", ".")
        self.loader = MutantLoader(self.name, str(ROOT / path), text)

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.loader.path, loader=self.loader)
        return None


def judge(mutants, tests, workers, tell=lambda done: None, budget=None):
    """Return what the tests say of each mutant: "killed" or "survived".

    budget: seconds of tests for each mutant, those first that call its function (see choose_tests.py); None for all.
    Raises RuntimeError if they fail on the modules as they are, and if pytest does not run them at all.
    """
    warm_up(LARGE if budget else ())
    start = time.monotonic()
    modules = sorted({mutant.path for mutant in mutants})
    with tempfile.NamedTemporaryFile() as file:
        if os.waitpid(fork(None, tests, 1200, lambda: [Noting(ROOT, modules, file.name)] if budget else []), 0)[1]:
            raise RuntimeError(f"the tests fail on the modules as they are: pytest {' '.join(tests)}")
        noted = read(file.name) if Path(file.name).stat().st_size else None
    seconds = LEAST_SECONDS + (OF_BUDGET * budget if noted else PATIENCE * (time.monotonic() - start))
    waiting = deque((i, noted.turns(mutant, budget) if noted else [[]]) for i, mutant in enumerate(mutants))
    running, judgements = {}, {}
    while waiting or running:
        while waiting and len(running) < workers:
            i, (turn, *later) = waiting.popleft()
            running[fork(mutants[i], files_of(turn) or tests, seconds, partial(plugins_for, turn))] = i, later
        process, status = os.wait()
        i, later = running.pop(process)
        if later and os.waitstatus_to_exitcode(status) in (SURVIVED, NO_TEST):
            waiting.appendleft((i, later))
            continue
        if os.waitstatus_to_exitcode(status) == CRASHED:  # perhaps of the order: ask all tests, in their own
            status = os.waitpid(fork(mutants[i], tests, seconds, list), 0)[1]
        judgements[i] = judgement(status)
        tell(len(judgements))
    return [judgements[i] for i in range(len(mutants))]


def files_of(tests):
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))


def plugins_for(tests):
    return [InOrder(tests)] if tests else []


def warm_up(large):
    """Load and set here, once, what would cost time in each process."""
    # The same examples every time; the first one that fails is enough.
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutants", derandomize=True, deadline=None, database=None, phases=phases)
    settings.load_profile("mutants")
    for module in ("doctest", "hypothesis.extra.numpy", "numpy.random", "numpy.testing", *large):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # the processes need not look through what is here already


def judgement(status):
    if os.WIFSIGNALED(status):  # out of time, or crashed
        return "killed"
    if os.WEXITSTATUS(status) not in JUDGEMENTS:
        raise RuntimeError(f"pytest ended with {os.WEXITSTATUS(status)}, without a judgement")
    return JUDGEMENTS[os.WEXITSTATUS(status)]


def fork(mutant, tests, seconds, plugins):
    """Start a process that runs the tests on the mutant (on the modules as they are for None). Returns its id.

    plugins() gives what pytest takes besides, in the new process.
    """
    process = os.fork()
    if process == 0:
        status = CRASHED
        try:
            status = run_tests(mutant, tests, seconds, plugins)
        finally:
            os._exit(status)
    return process


def run_tests(mutant, tests, seconds, plugins):
    os.chdir(ROOT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    faulthandler.dump_traceback_later(10 * seconds, exit=True)  # for a mutant that waits, on a machine with other work
    if mutant:
        sys.meta_path.insert(0, MutantFinder(mutant.path, mutant.source))
    return int(pytest.main([*QUIET, *tests], plugins()))
