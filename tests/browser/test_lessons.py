"""Every lesson in a real JupyterLab: opened, Run All, and nothing goes wrong, on the page or in the kernel."""

import shutil
from pathlib import Path

import pytest

LESSONS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_run_all(path, lab, page, shot):
    shutil.copy(path, lab.folder)
    lab.open(page, path.name)
    try:
        lab.run_all(page, seconds=240)
        cells = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")
        shot(page, f"lessons/{path.stem}")
    finally:
        lab.shut_down(page)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    for cell in code:
        for output in cell["outputs"]:
            assert output["output_type"] != "error" and output.get("name") != "stderr", (cell["source"], output)
