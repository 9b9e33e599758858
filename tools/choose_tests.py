"""Which tests judge a mutant first, where running all of them takes too long: those that call its function.

The tests run once on the modules as they are, and each is noted with its seconds and with the functions that it calls.
For a mutant they come in this order: those that call its function, then the others, the quickest first. What does not
fit into a budget of seconds is left out. That can let a mutant live that a later test would kill, and never the other
way round: the score is at most too low.
"""

import ast
import json
import time
from pathlib import Path
from typing import NamedTuple

import pytest


class Noted(NamedTuple):
    """Of all tests their seconds, and for each function, "path:name", the tests that call it."""

    seconds: dict[str, float]
    callers: dict[str, list[str]]

    def order_for(self, mutant, budget):
        """Return the ids of the tests that judge a mutant, in their order, as far as the budget of seconds reaches."""
        callers = set(self.callers.get(f"{mutant.path}:{mutant.function}", ()))
        order = sorted(self.seconds, key=lambda test: (test not in callers, self.seconds[test]))
        left, chosen = budget, []
        for test in order:
            left -= self.seconds[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen


class Noting:
    """A plugin of pytest that notes this for some modules while the tests run, and writes it to a file."""

    def __init__(self, modules, file):
        import coverage  # of the environment of mutmut, which needs it too

        self.file, self.seconds = Path(file), {}
        # A check calls an answer, and what reads it, in a thread of its own: coverage follows threads.
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=modules, messages=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.coverage.switch_context(item.nodeid)
        start = time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.perf_counter() - start
            self.coverage.switch_context("")

    def pytest_sessionfinish(self):
        self.coverage.stop()
        data, root = self.coverage.get_data(), Path.cwd()
        callers = {}
        for path in map(Path, data.measured_files()):
            tests = data.contexts_by_lineno(str(path))
            for name, lines in functions(path):
                found = {test for line in lines for test in tests.get(line, ()) if test}
                callers[f"{path.relative_to(root).as_posix()}:{name}"] = sorted(found)
        self.file.write_text(json.dumps([self.seconds, callers]), encoding="utf-8")


def functions(path):
    """Yield the name, "function" or "Class.method", and the lines of the body of each function of a module."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    places = [("", node) for node in module.body]
    places += [(f"{kind.name}.", node) for kind in module.body if isinstance(kind, ast.ClassDef) for node in kind.body]
    for prefix, node in places:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, range(node.body[0].lineno, node.end_lineno + 1)


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
