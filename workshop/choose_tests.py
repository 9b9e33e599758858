"""Which tests judge a mutant first, where running all of them takes too long: those that call its function.

The tests run once on the modules as they are, and each is noted with its seconds and with the functions that it calls.
For a mutant they come in this order: those that call its function, then the others, the quickest first; for what
stands outside functions, one that calls a function of its module and one of all others, in turn. What does not
fit into a budget of seconds is left out. That can let a mutant live that a later test would kill, and never the other
way round: the score is at most too low. The tests come in two turns, since few mutants survive the first ones.
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

FIRST_TURN = 0.1  # of the budget
CALLED = "_called_by_a_test"  # the name under which each function finds what it says it to


class Noted(NamedTuple):
    """Of all tests their seconds, and for each function, "path:name", the tests that call it."""

    seconds: dict[str, float]
    callers: dict[str, list[str]]

    def order_for(self, mutant, budget):
        """Return the ids of the tests that judge a mutant, in their order, as far as the budget of seconds reaches."""
        quickest = sorted(self.seconds, key=self.seconds.get)
        callers = set(self.callers.get(f"{mutant.path}:{mutant.function}", ()))
        order = sorted(quickest, key=lambda test: test not in callers)
        if not callers:  # what stands outside functions, a table for example: who reads it is not noted
            of_module = [tests for name, tests in self.callers.items() if name.startswith(f"{mutant.path}:")]
            near = {test for tests in of_module for test in tests}
            pairs = zip([test for test in quickest if test in near], quickest, strict=False)
            order = list(dict.fromkeys([*(test for pair in pairs for test in pair), *quickest]))
        left, chosen = budget, []
        for test in order:
            left -= self.seconds[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def turns(self, mutant, budget):
        """Return that order in two parts. Most mutants do not survive the first, which needs few files of tests."""
        order, first = self.order_for(mutant, budget), self.order_for(mutant, FIRST_TURN * budget)
        return [part for part in (first, order[len(first) :]) if part]


class Noting:
    """A plugin of pytest that notes this for some modules while the tests run, and writes it to a file.

    Each function of the modules says that it was called: a profiler or a tracer would do, but takes five times as
    long, and waits for ever when a check ends the thread of an endless answer in the middle of it.
    """

    def __init__(self, root, modules, file):
        self.file, self.test, self.seconds, self.callers = Path(file), "", {}, {}
        sys.meta_path.insert(0, NotingFinder(Path(root), modules, self.called))

    def called(self, name):
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


class NotingFinder:
    """Stands before Python's own finders, for these modules."""

    def __init__(self, root, modules, called):
        self.paths = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in modules}
        self.root, self.called = root, called

    def find_spec(self, name, path=None, target=None):
        if name not in self.paths:
            return None
        loader = NotingLoader(name, str(self.root / self.paths[name]), self.paths[name], self.called)
        return importlib.util.spec_from_file_location(name, loader.path, loader=loader)


class NotingLoader(SourceFileLoader):
    """Loads a module whose functions, methods of classes too, say "path:function" when they are called."""

    def __init__(self, name, path, label, called):
        super().__init__(name, path)
        self.label, self.called = label, called

    def get_code(self, fullname):
        module = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        for place in [module, *(node for node in module.body if isinstance(node, ast.ClassDef))]:
            prefix = f"{self.label}:" + (f"{place.name}." if place is not module else "")
            for node in place.body:
                if isinstance(node, ast.FunctionDef):
                    said = ast.parse(f"{CALLED}({prefix + node.name!r})").body[0]
                    first = 1 if ast.get_docstring(node) is not None else 0
                    node.body.insert(first, ast.copy_location(said, node.body[0]))
        return compile(ast.fix_missing_locations(module), self.path, "exec")

    def exec_module(self, module):
        vars(module)[CALLED] = self.called
        super().exec_module(module)


class InOrder:
    """A plugin of pytest that keeps these tests only, in this order."""

    def __init__(self, tests):
        self.places = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((i for i in items if i.nodeid in self.places), key=lambda i: self.places[i.nodeid])


def read(file):
    """Return what was noted in a file."""
    return Noted(*json.loads(Path(file).read_text(encoding="utf-8")))
