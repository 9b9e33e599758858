"""What version 2's solved lessons import, check and keep still works: their cells run, and every check says done.

tests/data/version_2.jsonl holds the code cells as they were published, and the files beside them.
"""

import json
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

RECORDS = Path(__file__).parents[1] / "data" / "version_2.jsonl"
RECORDS = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
FILES = {one["file"]: one["text"] for one in RECORDS if "file" in one}
LESSONS = {one["notebook"]: one["cells"] for one in RECORDS if "notebook" in one}
CHECK = re.compile(r"^(?:\w+ = )?check\(\"(\w+)\"", re.M)


@pytest.mark.parametrize("name", LESSONS)
def test_a_solved_lesson_of_version_2_still_runs(name, tmp_path):
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in LESSONS[name]])
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    asked = [CHECK.search(cell.source) for cell in notebook.cells]
    verdicts = {found[1]: str(cell.outputs) for found, cell in zip(asked, notebook.cells, strict=True) if found}
    assert {exercise for exercise, text in verdicts.items() if f"{exercise}: done" not in text} == set()
