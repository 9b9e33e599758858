"""What was graded so far: a line for each return, written at once, so that nothing is graded twice or lost."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from grading.one_return import Row

FILE = "graded.jsonl"


class Graded(NamedTuple):
    """A return and what came of it."""

    student: str
    number: str
    name: str
    attempt: int
    digest: str
    lesson: str
    seconds: float
    rows: tuple[Row, ...]

    def as_line(self):
        """One line of plain ASCII, whatever signs stand in it: some of them end a line for Python."""
        return json.dumps(self._asdict() | {"rows": [row._asdict() for row in self.rows]})


def of_line(line):
    """Return the Graded of a line; None for one that was cut off in the middle."""
    try:
        told = json.loads(line)
        rows = tuple(Row(**row | {"mistakes": tuple(row["mistakes"])}) for row in told["rows"])
        return Graded(**told | {"rows": rows})
    except (ValueError, TypeError, KeyError):
        return None


class Records:
    """The lines of a folder. `known` finds what was graded by its content, whatever the file is called."""

    def __init__(self, folder, key):
        """key: what else decides about a verdict; other verdicts are kept, and count no more."""
        self.path = Path(folder) / FILE
        self.key = key
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lines = {}
        for line in self.path.read_text(encoding="utf-8").split("\n") if self.path.exists() else ():
            with_key = _split(line)
            if with_key and with_key[0] == key and (graded := of_line(with_key[1])):
                self.lines[graded.digest] = graded

    def known(self, returned):
        """Return what is known of a return, under its own name; None for nothing."""
        found = self.lines.get(returned.digest)
        own = ("student", "number", "name", "attempt")
        return found and found._replace(**{name: getattr(returned, name) for name in own})

    def add(self, graded):
        """Write one line, to the disk and not only to the system: the power may fail, too."""
        self.lines[graded.digest] = graded
        with self.path.open("a", encoding="utf-8") as file:
            if file.tell() and not _ends_with_a_line(self.path):
                file.write("\n")
            file.write(f"{self.key}\t{graded.as_line()}\n")
            file.flush()
            os.fsync(file.fileno())


def _split(line):
    key, tab, rest = line.partition("\t")
    return (key, rest) if tab else None


def _ends_with_a_line(path):
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
