"""A notebook that the browser runs is compared with its stored outputs there: nbval does not run it a second time.

Without a Chromium, or where its test in the browser is not among those that were asked for, nbval runs it.
"""

import re
import shutil

import pytest
from runner.changed import leave_out

IN_BROWSER = re.compile(r"tests/apart/browser/test_lessons\.py::test_run_all\[(.+)\]")
IN_NBVAL = re.compile(r"notebooks/(.+)\.ipynb::")


@pytest.hookimpl(trylast=True)  # after all that leaves out tests, those in the browser too
def pytest_collection_modifyitems(config, items):
    covered = in_browser(item.nodeid for item in items)
    leave_out(config, items, [item for item in items if named(IN_NBVAL, item.nodeid) in covered])


def in_browser(nodeids):
    """The names of the notebooks that a browser will run: 05_not_good, solutions/05_not_good."""
    asked = {name for nodeid in nodeids if (name := named(IN_BROWSER, nodeid))}
    if not asked:
        return asked
    from real_browser import NAMES

    return asked if any(map(shutil.which, NAMES)) else set()


def named(pattern, nodeid):
    return found[1] if (found := pattern.match(nodeid)) else None
