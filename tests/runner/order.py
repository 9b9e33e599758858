"""How the workers share the tests: longest files first, and the browser in one of them beside other work."""

import re

import pytest
from xdist.scheduler import LoadFileScheduling

BROWSER = "tests/apart/browser/"
# Each test of these is a unit of its own: together they take a third of the run, and share what a worker starts once.
DIVIDED = ("tests/apart/browser/test_lessons.py", "tests/apart/browser/test_every_explorable.py")
# Of these the tests of one lesson are a unit: they share a run of it.
BY_LESSON = re.compile(r"(tests/apart/test_tools_matter\.py)::\w+\[(\d\d)\b")
# What takes ten seconds or more, the longest first. The rest is as long as it has tests.
# A wrong place costs idle time, no test.
LONG = (
    "notebooks/solutions/15_learning_not_good.ipynb",  # it trains, the lesson replays; so do most of the next
    "notebooks/solutions/17_a_model_that_writes.ipynb",
    "notebooks/solutions/12_cls_classifier.ipynb",
    "notebooks/solutions/11_the_block.ipynb",
    "notebooks/13_making_it_look.ipynb",
    "notebooks/solutions/13_making_it_look.ipynb",
    "notebooks/solutions/19_your_question.ipynb",
    "notebooks/19_your_question.ipynb",
    "tests/apart/test_tools_matter.py",
    "tests/apart/test_review_model.py",
    "tests/apart/test_three_students.py",
    "tests/apart/test_preflight.py",
    "tests/apart/test_making_it_look.py",
    "tests/apart/test_cls_model.py",
    "tests/apart/browser/test_demo.py",
    "tests/apart/browser/test_talk.py",
    "tests/apart/browser/test_lessons.py",
    "tests/test_checks.py",
    "tests/test_checks_engine.py",
    "notebooks/17_a_model_that_writes.ipynb",
    "notebooks/15_learning_not_good.ipynb",
    "notebooks/12_cls_classifier.ipynb",
    "notebooks/16_cost_and_scale.ipynb",
    "notebooks/solutions/16_cost_and_scale.ipynb",
)
# Lessons that train come last in the browser: by then another worker has trained what they replay.
LATE = re.compile(r"test_run_all\[(11|12|13|15|17|19)_")


def place(nodeid):
    """Return where a test stands in the queue: the place of its file in LONG, or behind."""
    if LATE.search(nodeid):
        return len(LONG) + 1
    return next((number for number, name in enumerate(LONG) if name in nodeid), len(LONG))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the longest first where workers share the tests; whoever runs them alone keeps the order of the files."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place(item.nodeid))


@pytest.hookimpl(optionalhook=True)  # there is no such hook without xdist
def pytest_xdist_make_scheduler(config, log):
    return Halves(config, log)


class Halves(LoadFileScheduling):
    """The first worker begins with the browser, which starts once then; the others with the rest. At last all help."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        lesson = BY_LESSON.match(nodeid)
        return "::".join(lesson.groups()) if lesson else nodeid if file in DIVIDED else file

    def _assign_work_unit(self, node):
        own = node is self.nodes[0]
        mine = (unit for unit in self.workqueue if unit.startswith(BROWSER) is own)
        self.workqueue.move_to_end(next(mine, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)
