"""Choose which tests judge a mutant when running all of them takes too long: those that call its function come first.

The tests run once on the original modules, recording the duration of each and the functions that it calls.
Tests that call the mutated function come first, then the others, the quickest first. For code outside functions, tests
that call a function of the module alternate with all tests. Tests that exceed a budget of seconds are left out, so a
mutant may survive that a later test would kill: the score can only be too low. The tests run in two batches, since
few mutants survive the first.
"""

import ast
import importlib.util
import json
import sys
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import NamedTuple

import pytest

FIRST_BATCH = 0.1  # of the budget
HOOK = "_called_by_a_test"  # the global in each module that its functions report their calls to


class CallLog(NamedTuple):
    """The seconds of each test, and the tests that call each function, "path:name"."""

    seconds: dict[str, float]
    callers: dict[str, list[str]]

    def order_for(self, mutant, budget):
        """Return the ids of the tests that judge a mutant, in order, within the budget of seconds."""
        quickest = sorted(self.seconds, key=self.seconds.get)
        callers = set(self.callers.get(f"{mutant.path}:{mutant.function}", ()))
        order = sorted(quickest, key=lambda test: test not in callers)
        if not callers:  # code outside functions, such as a table: its readers are not recorded
            module_tests = [tests for name, tests in self.callers.items() if name.startswith(f"{mutant.path}:")]
            nearby = {test for tests in module_tests for test in tests}
            pairs = zip([test for test in quickest if test in nearby], quickest, strict=False)
            order = list(dict.fromkeys([*(test for pair in pairs for test in pair), *quickest]))
        remaining, chosen = budget, []
        for test in order:
            remaining -= self.seconds[test]
            if remaining < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def batches(self, mutant, budget):
        """Return that order in two parts. Most mutants do not survive the first, which needs few test files."""
        order, first = self.order_for(mutant, budget), self.order_for(mutant, FIRST_BATCH * budget)
        return [part for part in (first, order[len(first) :]) if part]


class CallRecorder:
    """A pytest plugin that records the calls into some modules while the tests run, and writes them to a file.

    Each function of the modules reports its own calls. A profiler or tracer would take five times as long, and would
    hang when a check kills the thread of an endless answer.
    """

    def __init__(self, root, modules, file):
        self.file, self.test, self.seconds, self.callers = Path(file), "", {}, {}
        sys.meta_path.insert(0, RecordingFinder(Path(root), modules, self.record))

    def record(self, name):
        self.callers.setdefault(name, {})[self.test] = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.test, start = item.nodeid, time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid], self.test = time.perf_counter() - start, ""

    def pytest_sessionfinish(self):
        callers = {function: [test for test in tests if test] for function, tests in self.callers.items()}
        self.file.write_text(json.dumps([self.seconds, callers]), encoding="utf-8")


class RecordingFinder:
    """An import hook for these modules that runs before Python's own finders."""

    def __init__(self, root, modules, record):
        self.paths = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in modules}
        self.root, self.record = root, record

    def find_spec(self, name, path=None, target=None):
        if name not in self.paths:
            return None
        loader = RecordingLoader(name, str(self.root / self.paths[name]), self.paths[name], self.record)
        return importlib.util.spec_from_file_location(name, loader.path, loader=loader)


class RecordingLoader(SourceFileLoader):
    """Load a module whose functions and methods report "path:function" when they are called."""

    def __init__(self, name, path, label, record):
        super().__init__(name, path)
        self.label, self.record = label, record

    def get_code(self, fullname):
        module = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        for scope in [module, *(node for node in module.body if isinstance(node, ast.ClassDef))]:
            prefix = f"{self.label}:" + (f"{scope.name}." if scope is not module else "")
            for node in scope.body:
                if isinstance(node, ast.FunctionDef):
                    report = ast.parse(f"{HOOK}({prefix + node.name!r})").body[0]
                    first = 1 if ast.get_docstring(node) is not None else 0
                    node.body.insert(first, ast.copy_location(report, node.body[0]))
        return compile(ast.fix_missing_locations(module), self.path, "exec")

    def exec_module(self, module):
        vars(module)[HOOK] = self.record
        super().exec_module(module)


class OnlyTests:
    """A pytest plugin that runs only these tests, in this order."""

    def __init__(self, tests):
        self.positions = {test: position for position, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((i for i in items if i.nodeid in self.positions), key=lambda i: self.positions[i.nodeid])


def read_log(file):
    """Return the CallLog in a file."""
    return CallLog(*json.loads(Path(file).read_text(encoding="utf-8")))
