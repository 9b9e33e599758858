"""CLAIMS.md quotes what the lessons print."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
ROWS = re.findall(
    r"^\| (?!claim|---)(.+?) \| ([A-E, ]+) \| (\d\d-\d{3}) \| `(.+?)` \| (.+?) \|$",
    (ROOT / "CLAIMS.md").read_text("utf-8"),
    re.M,
)
VERDICTS = ("holds", "holds with a condition", "does not hold")


def printed(cell_id: str) -> str:
    """Return the text that a cell of the solved notebooks printed."""
    (path,) = (ROOT / "notebooks" / "solutions").glob(f"{cell_id[:2]}_*.ipynb")
    (cell,) = [cell for cell in nbformat.read(path, as_version=4).cells if cell.id == cell_id]
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def test_every_row_of_the_table_is_read():
    lines = [line for line in (ROOT / "CLAIMS.md").read_text("utf-8").splitlines() if line.startswith("|")]
    assert len(ROWS) == len(lines) - 2 > 30


@pytest.mark.parametrize(("claim", "text", "cell", "quote", "verdict"), ROWS, ids=[row[0] for row in ROWS])
def test_the_quote_stands_in_the_output_of_the_cell(claim, text, cell, quote, verdict):
    assert quote in printed(cell)
    assert verdict.startswith(VERDICTS)


@pytest.mark.parametrize("cell", re.findall(r"\((\d\d-\d{3})\)", (ROOT / "CLAIMS.md").read_text("utf-8")))
def test_cells_that_are_named_in_a_verdict_exist(cell):
    assert printed(cell)
