"""Reads INSIGHTS.md, the table of what a right answer was good for."""

import re
from pathlib import Path

from course_utils.arguments import wrong

FILE = Path(__file__).resolve().parents[1] / "INSIGHTS.md"
ROW = re.compile(r"\| `(\w+)` \| ([^|]+) \|")


def read(path) -> dict[str, str]:
    """Return the insights of a file, name of the exercise -> sentence.

    Raises ValueError with the line that cannot be read, and for a name that comes twice.
    """
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|") or line in ("| exercise | insight |", "|---|---|"):
            continue
        row = ROW.fullmatch(line)
        if not row or row[1] in found:
            raise wrong(f"{path.name}, line {number}", line, "| `exercise` | sentence |, each exercise once")
        found[row[1]] = row[2].strip()
    return found


INSIGHTS = read(FILE)
