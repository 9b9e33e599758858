"""CLAIMS.md quotes what the lessons print, judges in one of three ways, and counts rightly."""

import functools
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "CLAIMS.md").read_text("utf-8")
LINES = re.findall(r"^\|.+", TEXT, re.M)
QUOTE = r"“(?:[^|]|\\\|)+”(?: \(a misconception, says E\))?"
WHERE = r"[A-E], [^|;]+(?:; [A-E], [^|;]+)*"
ROWS = re.findall(rf"^\| ({QUOTE}) \| ({WHERE}) \| (\d\d, \*[^|*]+\*) \| `([^|]+)` \| ([^|]+) \|$", TEXT, re.M)
UNTESTED = re.findall(rf"^\| ({QUOTE}) \| ({WHERE}) \| ([^|]+) \|$", TEXT, re.M)
VERDICT = re.compile(r"(holds)(?:: (.+))?|(holds with a condition): (.+)|(does not hold): (.+)")
SECTION = re.compile(r"\d\d, \*[^|*]+\*")
WORDS = 25  # the longest condition


@functools.cache
def printed(section: str) -> str:
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


def judged(verdict: str) -> tuple[str, str]:
    """Return which of the three verdicts it is, and its condition."""
    found = VERDICT.fullmatch(verdict)
    assert found, verdict
    kind, *condition = [part for part in found.groups() if part]
    return kind, *(condition or [""])


def test_every_line_of_the_tables_is_read():
    heads = [line for line in LINES if line.startswith(("| quote |", "|---"))]
    assert len(ROWS) + len(UNTESTED) + len(heads) == len(LINES)
    assert len(heads) == 2 * len(re.findall("^## ", TEXT, re.M))
    assert len(ROWS) > 30


def test_no_claim_is_judged_twice():
    assert not [row for row, times in Counter(row[:2] for row in [*ROWS, *UNTESTED]).items() if times > 1]


def test_the_head_counts_the_verdicts():
    times = Counter(judged(row[4])[0] for row in ROWS)
    counted = "Of {} rows, {} hold, {} hold with a condition, and {} do not hold.".format(
        len(ROWS), *(times[kind] for kind in ("holds", "holds with a condition", "does not hold"))
    )
    assert counted in TEXT


@pytest.mark.parametrize(("claim", "where", "section", "output", "verdict"), ROWS, ids=[row[0] for row in ROWS])
def test_the_output_stands_in_the_section_and_the_verdict_is_short(claim, where, section, output, verdict):
    assert output in printed(section)
    assert len(SECTION.sub("", judged(verdict)[1]).split()) <= WORDS


@pytest.mark.parametrize("section", sorted(set(SECTION.findall(TEXT))))
def test_sections_that_are_named_print_something(section):
    assert printed(section)
