"""Let tests judge mutants, each in its own process, in which importing one module yields the mutant.

Each process is forked from one that has already loaded NumPy, pytest and Hypothesis, and ends with the first failing
test. Nothing is written: no copy of the project, no cache. Forking needs Linux or macOS.
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

# Set before importing NumPy, which reads the first only once. No pytest plugins: each process would load them.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LEARNING_TO_LOOK_DATA": "off"}

import pytest
from choose_tests import CallRecorder, OnlyTests, read_log
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
# Plain asserts: otherwise pytest's import hook for the doctest modules would run before ours.
QUIET = ["-x", "-q", "--assert=plain", "--tb=native", "-pno:cacheprovider", "-pno:faulthandler"]
# CPU seconds after which a mutant counts as an endless loop: a minimum plus a multiple of the normal duration.
LEAST_SECONDS, PATIENCE, OF_BUDGET = 10, 5, 2
# Exit statuses of pytest: 2 is an error before the first test, 3 a mutant that crashes pytest itself.
SURVIVED, CRASHED, NO_TESTS = 0, 3, 5
JUDGEMENTS = {SURVIVED: "survived", 1: "killed", 2: "killed", CRASHED: "killed"}
# Imports of the tests of a room with a budget that take longer than most of these tests.
SLOW_IMPORTS = ("course_utils", "keras")  # the first silences TensorFlow and loads nothing else


class MutantLoader(SourceFileLoader):
    """Load a module from this text instead of its file, without a cache."""

    def __init__(self, name, path, text):
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname):
        return compile(self.text, self.path, "exec")


class MutantFinder:
    """An import hook for one module that runs before Python's own finders."""

    def __init__(self, path, text):
        self.name = path.removesuffix(".py").replace("/", ".")
        self.loader = MutantLoader(self.name, str(ROOT / path), text)

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.loader.path, loader=self.loader)
        return None


def judge(mutants, tests, workers, progress=lambda n_judged: None, budget=None):
    """Return the judgement of the tests on each mutant: "killed" or "survived".

    budget: seconds of tests for each mutant, those that call its function first (choose_tests.py); None for all.
    Raises RuntimeError if the tests fail on the original modules, or if pytest cannot run them.
    """
    warm_up(SLOW_IMPORTS if budget else ())
    start, modules = time.monotonic(), sorted({mutant.path for mutant in mutants})
    with tempfile.NamedTemporaryFile() as file:
        recorder = partial(CallRecorder, ROOT, modules, file.name)
        if os.waitpid(fork(None, tests, 1200, lambda: [recorder()] if budget else []), 0)[1]:
            raise RuntimeError(f"the tests fail on the modules as they are: pytest {' '.join(tests)}")
        log = read_log(file.name) if Path(file.name).stat().st_size else None
    seconds = LEAST_SECONDS + (OF_BUDGET * budget if log else PATIENCE * (time.monotonic() - start))
    queue = deque((i, log.batches(mutant, budget) if log else [[]]) for i, mutant in enumerate(mutants))
    running, judgements = {}, {}
    while queue or running:
        while queue and len(running) < workers:
            i, (batch, *later) = queue.popleft()
            running[fork(mutants[i], files_of(batch) or tests, seconds, partial(plugins_for, batch))] = i, later
        process, status = os.wait()
        i, later = running.pop(process)
        if later and os.waitstatus_to_exitcode(status) in (SURVIVED, NO_TESTS):
            queue.appendleft((i, later))
            continue
        if os.waitstatus_to_exitcode(status) == CRASHED:  # perhaps due to the order: run all in the usual one
            status = os.waitpid(fork(mutants[i], tests, seconds, list), 0)[1]
        judgements[i] = judgement(status)
        progress(len(judgements))
    return [judgements[i] for i in range(len(mutants))]


def files_of(tests):
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))


def plugins_for(tests):
    return [OnlyTests(tests)] if tests else []


def warm_up(slow_imports):
    """Do once in this process what would cost time in each fork."""
    # Deterministic examples without shrinking: the first failing one is enough.
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutants", derandomize=True, deadline=None, database=None, phases=phases)
    settings.load_profile("mutants")
    for module in ("doctest", "hypothesis.extra.numpy", "numpy.random", "numpy.testing", *slow_imports):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # the forks need not scan these objects


def judgement(status):
    if os.WIFSIGNALED(status):  # out of time, or crashed
        return "killed"
    if os.WEXITSTATUS(status) not in JUDGEMENTS:
        raise RuntimeError(f"pytest ended with {os.WEXITSTATUS(status)}, without a judgement")
    return JUDGEMENTS[os.WEXITSTATUS(status)]


def fork(mutant, tests, seconds, plugins):
    """Start a process that runs the tests on the mutant (None: on the original modules). Returns its id.

    plugins() returns additional pytest plugins; it is called in the new process.
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
    devnull = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(devnull, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    faulthandler.dump_traceback_later(
        10 * seconds, exit=True
    )  # wall time, for a mutant that waits; generous, since the machine may be busy
    if mutant:
        sys.meta_path.insert(0, MutantFinder(mutant.path, mutant.source))
    return int(pytest.main([*QUIET, *tests], plugins()))
