"""Lessons, documents and code have no findings: workshop/lint.py prints each as FILE:LINE: what is wrong."""

import lint
import pytest


@pytest.mark.parametrize("rule", lint.RULES, ids=lambda rule: rule.__name__)
def test_nothing_is_found(rule):
    assert "\n".join(lint.findings(rule)) == ""
