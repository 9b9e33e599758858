"""Skip nbval for notebooks that a browser test already runs and compares with their stored outputs.

Without a Chromium, or if the browser test is not selected, nbval runs the notebook.
"""

import re
import shutil

import pytest
from runner.changed import deselect

IN_BROWSER = re.compile(r"tests/apart/browser/test_lessons\.py::test_run_all\[(.+)\]")
IN_NBVAL = re.compile(r"notebooks/(.+)\.ipynb::")


@pytest.hookimpl(trylast=True)  # after all plugins that deselect tests
def pytest_collection_modifyitems(config, items):
    covered = run_in_browser(item.nodeid for item in items)
    deselect(config, items, [item for item in items if notebook_of(IN_NBVAL, item.nodeid) in covered])


def run_in_browser(nodeids):
    """The names of the notebooks that a browser will run: 05_not_good, solutions/05_not_good."""
    selected = {name for nodeid in nodeids if (name := notebook_of(IN_BROWSER, nodeid))}
    if not selected:
        return selected
    from real_browser import NAMES

    return selected if any(map(shutil.which, NAMES)) else set()


def notebook_of(pattern, nodeid):
    return match[1] if (match := pattern.match(nodeid)) else None
