"""Right notebooks get right marks, whatever program, machine or habit they come from."""

import csv
import shutil

import grade
import honest
import pytest
from honest import CHANGES, FILES, LESSON, as_bytes, right

pytestmark = [
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
    pytest.mark.xdist_group("a class"),  # judged by two processes: not beside the other class
]


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """The points of each of them, graded as one class, and the folder of the results."""
    folder = tmp_path_factory.mktemp("honest")
    for name, change in CHANGES.items():
        notebook = right()
        change(notebook)
        (folder / "class" / name).mkdir(parents=True)
        (folder / "class" / name / f"{LESSON}.ipynb").write_bytes(as_bytes(notebook))
    for name, (file, written) in FILES.items():
        (folder / "class" / name).mkdir()
        (folder / "class" / name / file).write_bytes(written(right()))
    grade.main([str(folder / "class"), "--out", str(folder), "--lesson", "04"])
    with (folder / "students.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row["points"] for row in csv.DictReader(file)}, folder


@pytest.mark.parametrize("name", [*CHANGES, *FILES])
def test_a_right_notebook_has_all_points(points, name):
    rows = (points[1] / "exercises.csv").read_text(encoding="utf-8").splitlines()
    assert points[0][name] == honest.points(), [row for row in rows if row.startswith(name)]


def test_what_stops_in_a_cell_of_imports_is_read_first(points):
    _, folder = points
    page = (folder / "feedback" / "seaborn.html").read_text(encoding="utf-8")
    first = page.index("import seaborn as sns")
    assert first < page.index("embed: done") and "numpy, matplotlib, tensorflow and ipywidgets" in page[first:]
    assert "Look at these" not in (folder / "class.md").read_text(encoding="utf-8")  # nobody has lost a point by it
