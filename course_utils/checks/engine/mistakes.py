"""Reads MISTAKES.md: what each mistake says, and what exercises say of one in their own words.

People edit it: what cannot be read raises an error with its line.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from course_utils.arguments import wrong
from course_utils.checks.engine import page as pages

FILE = Path(__file__).resolve().parents[1] / "MISTAKES.md"
COLUMNS = ["id", "seen", "suspect", "example"]
OWN_COLUMNS = ["id", "where", "suspect"]
# What a cell has to look like, as a pattern and in words; the other cells hold a sentence.
FORMS = {
    "id": ("`[a-z0-9]+(-[a-z0-9]+)*`", "an id of small letters, digits and single hyphens, between backticks"),
    "where": ("`[A-Za-z0-9_]+`", "a name of letters, digits and underlines, between backticks"),
    "example": ("`[^`]+`", "an example between backticks"),
}


class Mistake(NamedTuple):
    """What is seen and what is suspected, a sentence each; code or an answer as an example; the heading above."""

    seen: str
    suspect: str
    example: str
    section: str


class OwnWords(NamedTuple):
    """What is suspected, in the words of an exercise; the heading above."""

    suspect: str
    section: str


class Row(NamedTuple):
    """A row of a table: file and line, the line itself, the heading above, and the cells by their columns."""

    where: str
    line: str
    section: str
    cells: dict[str, str]


def read(path) -> tuple[dict[str, Mistake], dict[tuple[str, str], OwnWords]]:
    """Return the mistakes of a file by their ids, and the own words by their ids and where, in its order.

    Raises ValueError with the line that cannot be read, and why.
    """
    mistakes, own = {}, {}
    rows = list(_rows(path))
    for row in rows:
        id, *words = row.cells.values()
        if "where" in row.cells:
            _add(own, (id, words[0]), OwnWords(words[1], row.section), row)
        else:
            _add(mistakes, id, Mistake(*words, row.section), row)
    for row in rows:
        if row.cells["id"] not in mistakes:
            raise wrong(row.where, row.line, f"an id that has a row with an example, and {row.cells['id']} has none")
    return mistakes, own


def _add(found, key, words, row):
    if key in found:
        said = key if isinstance(key, str) else " with ".join(key)
        raise wrong(row.where, row.line, f"a row that is new, and {said} stands under {found[key].section} already")
    found[key] = words


def _rows(path):
    """Yield the rows of all tables of a file."""
    section, place, columns = "", "text", []  # place: "text", below the "head" of a table, or among its "rows"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}, line {number}"
        if line.startswith("#"):
            section, place = _section(where, line, section), "text"
        elif place == "rows" and line.strip():
            yield Row(where, line, section, _row(where, line, columns))
        else:
            place = _place(where, line, section, place)
            columns = _cells(line) if place == "head" else columns


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
    if cells in (COLUMNS, OWN_COLUMNS) and section and before == "text":
        return "head"
    if before == "head" and cells and all(re.fullmatch(":?-+:?", cell) for cell in cells):
        return "rows"
    if line.startswith("|") or before == "head":
        heads = " or ".join(f"| {' | '.join(columns)} |" for columns in (COLUMNS, OWN_COLUMNS))
        table = f"{heads}, a line such as |---|---|---|---|, and then the rows without a gap"
        raise wrong(where, line, f"below ## Shared or ## Lesson with two digits a table: {table}")
    return "text"


def _row(where, line, columns):
    """The cells of a row by their columns."""
    cells = _cells(line)
    if len(cells) != len(columns):
        raise wrong(where, line, rf"the cells | {' | '.join(columns)} |, with \| for a | inside one of them")
    row = dict(zip(columns, cells, strict=True))
    if empty := [name for name, cell in row.items() if not cell.strip("` ")]:
        raise wrong(where, line, f"no empty cell: {' and '.join(empty)}")
    for name, (pattern, words) in FORMS.items():
        if name in row and not re.fullmatch(pattern, row[name]):
            raise wrong(where, line, words)
    return {name: cell[1:-1] if name in FORMS else cell for name, cell in row.items()}


def _cells(line):
    """The cells of a line that begins and ends with a bar; none for another line."""
    first, *cells, last = re.split(r"\|(?<!\\\|)", line.strip()) if line.count("|") > 1 else ("", "")
    return [] if first or last else [cell.strip().replace(r"\|", "|") for cell in cells]


def own_words(id, where):
    """Return what an exercise says of a mistake in its own words. Raises ValueError where no row holds them."""
    if (id, where) not in OWN_WORDS:
        names = [name for one, name in OWN_WORDS if one == id]
        raise wrong("where", where, f"a name that stands beside {id} in MISTAKES.md: {', '.join(names) or 'none does'}")
    return OWN_WORDS[id, where].suspect


MISTAKES, OWN_WORDS = read(FILE)


FOLDER = Path(__file__).resolve().parents[1] / "exercises"


@cache
def page_of(name):
    """Return the page of this name."""
    return pages.read(FOLDER / f"{name}.md")
