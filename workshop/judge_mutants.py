"""Let tests judge mutants, each in its own process, in which importing one module yields the mutant.

Each process is forked from one that has already loaded NumPy, pytest and Hypothesis, and ends with the first failing
test. Nothing is written: no copy of the project, no cache. Forking needs Linux or macOS.
"""

import faulthandler
import gc
import importlib
import os
import resource
import time
from collections import deque
from importlib.machinery import SourceFileLoader
from pathlib import Path

# Set before importing NumPy, which reads the first only once. No pytest plugins: each process would load them.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LEARNING_TO_LOOK_DATA": "off"}

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
# Plain asserts: otherwise pytest's import hook for the doctest modules would run before ours.
QUIET = ["-x", "-q", "--assert=plain", "--tb=native", "-pno:cacheprovider", "-pno:faulthandler"]
# CPU seconds after which a mutant counts as an endless loop: a minimum plus a multiple of the normal duration.
LEAST_SECONDS, PATIENCE = 10, 5
MEMORY = 4 << 30  # bytes of a process: a mutant that fails to stop an answer would let it take the machine down
# By the exit status of pytest: 2 is an error before the first test, 3 a mutant that crashes pytest itself.
JUDGEMENTS = {0: "survived", 1: "killed", 2: "killed", 3: "killed"}
NO_TESTS = 5


def judge(mutants, tests, workers, progress=lambda n_judged: None, slow_imports=()):
    """Return the judgement of the tests on each mutant: "killed" or "survived".

    tests: files or ids. A mutant meets one after the other, first the one that killed last: neighbours die alike.
    slow_imports: modules of the tests that no mutant touches.
    Raises RuntimeError if the tests fail on the original modules, or if pytest cannot run them.
    """
    warm_up(slow_imports)
    seconds = {test: time_limit(test) for test in tests}
    order = [test for test in tests if seconds[test]]
    queue, running, judgements = deque((i, None) for i in range(len(mutants))), {}, {}
    while queue or running:
        while queue and len(running) < workers:
            i, left = queue.popleft()
            test, *later = left or order
            running[fork(mutants[i], test, seconds[test])] = i, test, later
        process, status = os.wait()
        i, test, later = running.pop(process)
        judgements[i] = judgement(status)
        if judgements[i] == "killed":
            order.remove(test)
            order.insert(0, test)
        elif later:
            queue.appendleft((i, later))
            continue
        progress(len(judgements))
    return [judgements[i] for i in range(len(mutants))]


def time_limit(test):
    """Return the CPU seconds that a test may take; None if nothing is collected, as in a module without examples."""
    start = time.monotonic()
    status = os.waitpid(fork(None, test, 1200), 0)[1]
    if os.waitstatus_to_exitcode(status) == NO_TESTS:
        return None
    if judgement(status) == "killed":
        raise RuntimeError(f"the tests fail on the modules as they are: pytest {test}")
    return LEAST_SECONDS + PATIENCE * (time.monotonic() - start)


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


def fork(mutant, test, seconds):
    """Start a process that runs a test on the mutant (None: on the original modules). Returns its id."""
    process, status = os.fork(), 3
    if process == 0:
        try:
            status = run(mutant, test, seconds)
        finally:
            os._exit(status)
    return process


def run(mutant, test, seconds):
    os.chdir(ROOT)
    devnull = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(devnull, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    # Wall time, for a mutant that waits; generous, since the machine may be busy.
    faulthandler.dump_traceback_later(3 * seconds, exit=True)
    if mutant:
        import_mutant(mutant)
    return int(pytest.main([*QUIET, test]))


def import_mutant(mutant):
    """Let Python compile the mutant's text where it would read the module's file, and no cache of it."""
    get_code, file = SourceFileLoader.get_code, str(ROOT / mutant.path)

    def get_code_or_mutant(self, name):
        return compile(mutant.source, file, "exec") if self.path == file else get_code(self, name)

    SourceFileLoader.get_code = get_code_or_mutant
