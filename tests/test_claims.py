"""CLAIMS.md quotes what the lessons print, and counts its verdicts rightly."""

import functools
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "CLAIMS.md").read_text("utf-8")
QUOTE = r"“(?:[^|]|\\\|)+”(?: \(a misconception, says E\))?"
WHERE = r"[A-E], [^|;]+(?:; [A-E], [^|;]+)*"
ROWS = re.findall(rf"^\| ({QUOTE}) \| ({WHERE}) \| (\d\d, \*[^|*]+\*) \| `([^|]+)` \| ([^|]+) \|$", TEXT, re.M)


@functools.cache
def output_of(section: str) -> str:
    """Return what the cells of a section print, in the solved notebook: "05, *One row*"."""
    lesson, heading = section.split(", ", 1)
    (path,) = (ROOT / "notebooks" / "solutions").glob(f"{lesson}_*.ipynb")
    texts, here = [], ""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            here = ([here] + re.findall("^## (.+)$", cell.source, re.M))[-1]
        elif re.sub("[`*]", "", here).strip() == heading.strip("*"):
            outputs = (out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
            texts.append("".join(outputs))
    return "\n".join(texts)


def test_the_head_counts_the_verdicts():
    times = Counter(re.match("holds with a condition|holds|does not hold", row[4])[0] for row in ROWS)
    counted = "Of {} rows, {} hold, {} hold with a condition, and {} do not hold.".format(
        len(ROWS), *(times[kind] for kind in ("holds", "holds with a condition", "does not hold"))
    )
    assert counted in TEXT and len(ROWS) > 30


@pytest.mark.parametrize(("claim", "where", "section", "output", "verdict"), ROWS, ids=[row[0] for row in ROWS])
def test_the_output_stands_in_the_section(claim, where, section, output, verdict):
    assert output in output_of(section)
