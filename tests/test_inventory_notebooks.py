"""The two questionnaires as notebooks: derived, run once, without a trace of one student, and with links that lead."""

import nbformat
import pytest
from build_notebooks import select_jobs
from compare_notebooks import digest, stored_digest
from inventory_notebooks import sittings
from lesson_paths import BuildError
from my_work import prepare
from test_notebooks import FLEETING, FOLDER, ROOT, broken, links, texts

SITTINGS = sittings(ROOT)
every_sitting = pytest.mark.parametrize("sitting", SITTINGS, ids=lambda sitting: sitting.number)


def stored(sitting):
    return nbformat.read(sitting.path("questions"), as_version=4)


def test_there_are_two_and_each_notebook_has_its_source():
    assert {sitting.number for sitting in SITTINGS} == {"before", "after"}
    assert {sitting.path("questions") for sitting in SITTINGS} == set((FOLDER / "inventory").glob("*.ipynb"))


@every_sitting
def test_is_what_its_source_gives(sitting):
    there = stored(sitting)
    kept = ("id", "cell_type", "source", "metadata")
    texts_of = [
        [{key: cell[key] for key in kept} for cell in notebook.cells] for notebook in (there, sitting.questions)
    ]
    assert texts_of[0] == texts_of[1], f"run nox -s build -- {sitting.number}"
    assert stored_digest(there) == digest(there), "somebody ran or edited a built notebook"


@every_sitting
def test_it_ran_once_and_holds_no_code_of_anybody(sitting):
    (cell,) = [cell for cell in stored(sitting).cells if cell.cell_type == "code"]
    assert cell.execution_count == 1 and [output.output_type for output in cell.outputs] == ["execute_result"]
    assert set(cell.outputs[0].data) == {"text/plain"}
    told = "\n".join(texts(cell.outputs))
    assert f"The questionnaire {sitting.number} the course: 14 questions" in told and not FLEETING.search(told)


@every_sitting
def test_its_links_lead_somewhere(sitting):
    targets = [target for cell in sitting.questions.cells for target in links(cell.source)]
    path = sitting.path("questions")
    assert targets and not [broken(path, target, FOLDER) for target in targets if broken(path, target, FOLDER)]


def test_the_build_takes_their_names_and_builds_them_with_everything_else():
    assert [(job.number, kind) for job, kind in select_jobs(ROOT, ["after"])] == [("after", "questions")]
    assert {job.number for job, _ in select_jobs(ROOT, [])} >= {"before", "after", "00", "19"}
    with pytest.raises(BuildError, match="no lesson during"):
        select_jobs(ROOT, ["during"])


def test_a_student_finds_them_in_my_work(tmp_path):
    prepare(FOLDER, tmp_path, "2.0.0")
    assert {path.name for path in (tmp_path / "inventory").iterdir()} == {"before.ipynb", "after.ipynb"}
