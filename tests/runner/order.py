"""Distribute the tests among the workers: longest files first, and the browser tests on one worker."""

import pytest
from xdist.scheduler import LoadFileScheduling

BROWSER = "tests/apart/browser/"  # of the course, and of each house
TOOLS_MATTER = "tests/apart/test_tools_matter.py"  # the tests of one lesson share a run of it
# Each test of these files is a unit: together they take a third of the run, and share what a worker starts once.
SPLIT_BY_TEST = (
    "tests/apart/browser/test_lessons.py",
    "tests/apart/browser/test_every_explorable.py",
    "tests/test_oracle.py",
    "tests/test_checks_pages.py",
)
# Everything that takes ten seconds or more, the longest first. A wrong order only wastes time.
LONG = (
    "notebooks/solutions/15_learning_not_good.ipynb",
    "notebooks/solutions/17_a_model_that_writes.ipynb",
    "notebooks/solutions/12_cls_classifier.ipynb",
    "notebooks/solutions/11_the_block.ipynb",
    "notebooks/13_making_it_look.ipynb",
    "notebooks/solutions/13_making_it_look.ipynb",
    "notebooks/solutions/21_your_question.ipynb",
    "notebooks/21_your_question.ipynb",
    "tests/apart/test_tools_matter.py",
    "tests/apart/test_review_model.py",
    "tests/apart/test_three_students.py",
    "classroom/tests/apart/test_preflight.py",
    "tests/apart/test_making_it_look.py",
    "tests/apart/test_cls_model.py",
    "classroom/tests/apart/browser/test_talk.py",
    "tests/apart/browser/test_lessons.py",
    "tests/test_oracle.py",
    "tests/test_checks_pages.py",
    "tests/test_checks_engine.py",
    "notebooks/17_a_model_that_writes.ipynb",
    "notebooks/15_learning_not_good.ipynb",
    "notebooks/12_cls_classifier.ipynb",
    "notebooks/16_cost_and_scale.ipynb",
    "notebooks/solutions/16_cost_and_scale.ipynb",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put the longest tests first if workers share them; a single process keeps the file order."""
    if hasattr(config, "workerinput"):
        place = {name: i for i, name in enumerate(LONG)}
        items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(LONG)))


@pytest.hookimpl(optionalhook=True)  # the hook exists only with xdist
def pytest_xdist_make_scheduler(config, log):
    return Halves(config, log)


class Halves(LoadFileScheduling):
    """The first worker starts with the browser tests, so that the browser starts once; the others with the rest."""

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        if file == TOOLS_MATTER:
            return test.partition("[")[2][:2]
        return nodeid if file in SPLIT_BY_TEST else file

    def _assign_work_unit(self, node):
        is_first = node is self.nodes[0]
        preferred = (unit for unit in self.workqueue if (BROWSER in unit) is is_first)
        self.workqueue.move_to_end(next(preferred, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)
