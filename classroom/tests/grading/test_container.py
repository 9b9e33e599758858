"""Without bubblewrap, a container engine is used: here a fake one without isolation."""

import os
import sys
from pathlib import Path

import pytest
from grading import container
from grading.one_return import grade_return
from grading.sandbox import Limits, NoSandbox, require_sandbox
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
    """A fake podman, alone on the path; yields the file with its recorded arguments."""
    program, log = tmp_path / "podman", tmp_path / "said"
    program.write_text(STAND_IN.format(said=log, root=ROOT, folder=tmp_path, python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    container.engine.cache_clear()
    yield log
    container.engine.cache_clear()


def test_a_return_is_graded_in_a_container_without_network_and_rights(engine):
    require_sandbox()
    cells = ["from course_utils.checks import check", "check('scale_for_unit_variance', lambda d_k: d_k**-0.5)"]
    expressions = {"scale_for_unit_variance": "scale"}
    rows = grade_return(cells, {}, expressions, 1, fonts(), Limits(), False)
    assert [row.state for row in rows] == ["done"]
    log = engine.read_text()
    for words in ("--network none", "--read-only", "--cap-drop ALL", "--memory 2000000000", "--user 65534:65534"):
        assert words in log
    assert "--tmpfs /course/notebooks/solutions" in log and "-v " not in log and "PATH=/course/classroom" in log


def test_an_engine_without_the_image_serves_nothing(engine, tmp_path):
    (tmp_path / "podman").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(NoSandbox):
        require_sandbox()
    assert os.environ["PATH"] == str(tmp_path)
