"""The toolbox says ready, or what to do."""

from importlib.metadata import PackageNotFoundError

import pytest
from packaging.requirements import Requirement

from course_utils.computer import toolbox as module
from course_utils.computer.toolbox import MEND, applies, state, toolbox


def failing(error):
    def fail(*_, **__):
        raise error

    return fail


def test_everything_is_ready_here_and_test_tools_are_not_asked_for():
    assert len(toolbox()) > 8 and all(line.endswith(" ready") for line in toolbox())
    assert [line.split()[0] for line in toolbox()].count("tensorflow") == 1
    assert not any(applies(Requirement(other)) for other in ("pytest; extra == 'dev'", "x; sys_platform == 'nowhere'"))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: state(Requirement("no-such-package>=1")), "MISSING"),
        (lambda: state(Requirement("numpy<1")), "the course needs <1"),
        (lambda: " ".join(toolbox()), "the course itself is not installed"),
        (module.fonts, "MISSING"),
    ],
)
def test_what_is_wrong_comes_with_what_to_do(ask, words, monkeypatch):
    monkeypatch.setattr(module, "requires", failing(PackageNotFoundError))
    monkeypatch.setattr("matplotlib.font_manager.findfont", failing(ValueError))
    assert words in ask() and MEND in ask()
