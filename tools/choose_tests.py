"""Which tests judge a mutant first, where running all of them takes too long: those that call its function.

The tests run once on the modules as they are, and each is noted with its seconds and with the functions that it calls.
For a mutant they come in this order: those that call its function, then the others, the quickest first. What does not
fit into a budget of seconds is left out. That can let a mutant live that a later test would kill, and never the other
way round: the score is at most too low.
"""

import json
import sys
import threading
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
    """A plugin of pytest that notes this while the tests run, and writes it to a file."""

    def __init__(self, root, file):
        self.root, self.file = f"{root}/", Path(file)
        self.test, self.seconds, self.callers = "", {}, {}
        threading.setprofile(self._called)  # a check calls an answer, and what reads it, in a thread of its own
        sys.setprofile(self._called)

    def _called(self, frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(self.root):
            name = code.co_qualname.split(".<locals>")[0]
            self.callers.setdefault(f"{code.co_filename.removeprefix(self.root)}:{name}", {})[self.test] = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.test, start = item.nodeid, time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid], self.test = time.perf_counter() - start, ""

    def pytest_sessionfinish(self):
        sys.setprofile(None)
        threading.setprofile(None)
        callers = {function: [test for test in tests if test] for function, tests in self.callers.items()}
        self.file.write_text(json.dumps([self.seconds, callers]), encoding="utf-8")


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
