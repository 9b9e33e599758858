"""The two questionnaires as notebooks: derived, run once, without a trace of one student.

workshop/lint.py holds their links and what their cells show.
"""

import nbformat
import pytest
from build_notebooks import select_jobs
from compare_notebooks import digest, stored_digest
from inventory_notebooks import sittings
from lesson_paths import BuildError
from my_work import prepare
from test_notebooks import FOLDER, ROOT


@pytest.mark.parametrize("sitting", sittings(ROOT), ids=lambda sitting: sitting.number)
def test_is_what_its_source_gives_and_ran_once(sitting):
    there = nbformat.read(sitting.path("questions"), as_version=4)
    kept = ("id", "cell_type", "source", "metadata")
    stored, given = ([{key: cell[key] for key in kept} for cell in nb.cells] for nb in (there, sitting.questions))
    assert stored == given, f"run nox -s build -- {sitting.number}"
    assert stored_digest(there) == digest(there), "somebody ran or edited a built notebook"
    (cell,) = [cell for cell in there.cells if cell.cell_type == "code"]
    assert cell.execution_count == 0 and [set(output.data) for output in cell.outputs] == [{"text/plain"}]
    assert f"The questionnaire {sitting.number} the course: 14 questions" in cell.outputs[0].data["text/plain"]


def test_the_build_takes_their_names_and_a_student_finds_them_in_my_work(tmp_path):
    assert [(job.number, kind) for job, kind in select_jobs(ROOT, ["after"])] == [("after", "questions")]
    assert {job.number for job, _ in select_jobs(ROOT, [])} >= {"before", "after", "00", "21"}
    with pytest.raises(BuildError, match="no lesson during"):
        select_jobs(ROOT, ["during"])
    prepare(FOLDER, tmp_path, "2.0.0")
    assert {path.name for path in (tmp_path / "inventory").iterdir()} == {"before.ipynb", "after.ipynb"}
