"""Reads MISTAKES.md, the table of what each mistake says.

People edit it: what cannot be read raises an error with its line.
"""

import re
from pathlib import Path
from typing import NamedTuple

from course_utils.arguments import wrong

FILE = Path(__file__).resolve().parents[1] / "MISTAKES.md"
COLUMNS = ["id", "seen", "suspect", "example"]


class Mistake(NamedTuple):
    """What is seen and what is suspected, a sentence each; code or an answer as an example; the heading above."""

    seen: str
    suspect: str
    example: str
    section: str


def read(path) -> dict[str, Mistake]:
    """Return the mistakes of a file by their ids, in its order.

    Raises ValueError with the line that cannot be read, and why.
    """
    found, section, place = {}, "", "text"  # place: "text", below the "head" of a table, or among its "rows"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}, line {number}"
        if line.startswith("#"):
            section, place = _section(where, line, section), "text"
        elif place == "rows" and line.strip():
            id, words = _row(where, line)
            if id in found:
                raise wrong(where, line, f"an id that is new, and {id} stands under {found[id].section} already")
            found[id] = Mistake(*words, section)
        else:
            place = _place(where, line, section, place)
    return found


def _section(where, line, section):
    """The section that a heading opens, or in which it stands."""
    if heading := re.fullmatch(r"## (Shared|Lesson \d\d)\s*", line):
        return heading[1]
    if line.startswith("### ") if section else line.startswith("# "):
        return section
    raise wrong(where, line, "## Shared, or ## Lesson with two digits, or ### below one of them")


def _place(where, line, section, before):
    """Where the next line is, after a line that is neither a heading nor a row."""
    cells = _cells(line)
    if cells == COLUMNS and section and before == "text":
        return "head"
    if before == "head" and cells and all(re.fullmatch(":?-+:?", cell) for cell in cells):
        return "rows"
    if line.startswith("|") or before == "head":
        table = "| id | seen | suspect | example |, |---|---|---|---|, and then the rows without a gap"
        raise wrong(where, line, f"below ## Shared or ## Lesson with two digits a table: {table}")
    return "text"


def _row(where, line):
    """The id of a row, and its other cells."""
    cells = _cells(line)
    if len(cells) != len(COLUMNS):
        raise wrong(
            where, line, r"four cells, | `id` | seen | suspect | `example` |, with \| for a | inside one of them"
        )
    if empty := [name for name, cell in zip(COLUMNS, cells, strict=True) if not cell.strip("` ")]:
        raise wrong(where, line, f"no empty cell: {' and '.join(empty)}")
    id, seen, suspect, example = cells
    if not re.fullmatch("`[a-z0-9]+(-[a-z0-9]+)*`", id):
        raise wrong(where, line, "an id of small letters, digits and single hyphens, between backticks")
    if not re.fullmatch("`[^`]+`", example):
        raise wrong(where, line, "an example between backticks")
    return id[1:-1], (seen, suspect, example[1:-1])


def _cells(line):
    """The cells of a line that begins and ends with a bar; none for another line."""
    first, *cells, last = re.split(r"\|(?<!\\\|)", line.strip()) if line.count("|") > 1 else ("", "")
    return [] if first or last else [cell.strip().replace(r"\|", "|") for cell in cells]


MISTAKES = read(FILE)
