"""Where there is no bubblewrap, a container engine is asked: here a stand-in for one, which shuts nothing in."""

import os
import sys
from pathlib import Path

import pytest
from grading import container
from grading.one_return import graded
from grading.sandbox import Limits, NoSandbox, tried
from grading.workers import fonts

ROOT = Path(__file__).resolve().parents[3]
STAND_IN = """#!/bin/sh
[ "$1" = image ] && exit 0
echo "$@" > {said}
export PYTHONPATH={root}/classroom:{root} MPLCONFIGDIR={folder} COURSE_FONTS={folder}
exec {python} -m grading.inside
"""


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """A program called podman, alone on the path; gives the file with what it was asked."""
    program, said = tmp_path / "podman", tmp_path / "said"
    program.write_text(STAND_IN.format(said=said, root=ROOT, folder=tmp_path, python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    container.engine.cache_clear()
    yield said
    container.engine.cache_clear()


def test_a_return_is_graded_in_a_container_without_network_and_rights(engine):
    tried()
    cells = ["from course_utils.checks import check", "check('scale_for_unit_variance', lambda d_k: d_k**-0.5)"]
    wanted = {"scale_for_unit_variance": "scale"}
    rows = graded(cells, {}, wanted, 1, fonts(), Limits(), False)
    assert [row.state for row in rows] == ["done"]
    said = engine.read_text()
    for words in ("--network none", "--read-only", "--cap-drop ALL", "--memory 2000000000", "--user 65534:65534"):
        assert words in said
    assert "--tmpfs /course/notebooks/solutions" in said and "-v " not in said and "PATH=/course/classroom" in said


def test_an_engine_without_the_image_serves_nothing(engine, tmp_path):
    (tmp_path / "podman").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(NoSandbox):
        tried()
    assert os.environ["PATH"] == str(tmp_path)
