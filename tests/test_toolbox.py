"""The toolbox says ready, or what to do."""

from importlib.metadata import PackageNotFoundError

import pytest
from packaging.requirements import Requirement

from course_utils import toolbox as module
from course_utils.toolbox import MEND, applies, state, toolbox


def test_everything_is_ready_here():
    assert len(toolbox()) > 8 and all(line.endswith(" ready") for line in toolbox())


def test_the_same_lines_on_every_system():
    assert [line.split()[0] for line in toolbox()].count("tensorflow") == 1


@pytest.mark.parametrize(
    ("requirement", "words"), [("no-such-package>=1", "MISSING"), ("numpy<1", "the course needs <1")]
)
def test_what_is_wrong_comes_with_what_to_do(requirement, words):
    assert words in state(Requirement(requirement)) and MEND in state(Requirement(requirement))


def test_test_tools_and_other_systems_are_not_asked_for():
    assert not applies(Requirement("pytest; extra == 'dev'")) and not applies(
        Requirement("x; sys_platform == 'nowhere'")
    )


def test_a_course_that_is_not_installed_says_so(monkeypatch):
    def missing(_):
        raise PackageNotFoundError

    monkeypatch.setattr(module, "requires", missing)
    assert toolbox() == [f"the course itself is not installed; {MEND}"]


def test_a_missing_font_says_so(monkeypatch):
    def missing(*_, **__):
        raise ValueError

    monkeypatch.setattr("matplotlib.font_manager.findfont", missing)
    assert "MISSING" in module.fonts() and MEND in module.fonts()
