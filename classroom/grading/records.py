"""The returns graded so far, one line each, written immediately so that none is graded twice or lost."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from grading.one_return import Row

FILE = "graded.jsonl"


class GradedReturn(NamedTuple):
    """A return and its verdicts."""

    student: str
    number: str
    place: str
    name: str
    attempt: int
    digest: str
    lesson: str
    seconds: float
    rows: tuple[Row, ...]

    def as_line(self):
        """Return one line of ASCII JSON, because some Unicode characters end a line in Python."""
        return json.dumps(self._asdict() | {"rows": [row._asdict() for row in self.rows]})


def parse_line(line):
    """Return the GradedReturn of a line; None if the line was cut off."""
    try:
        fields = json.loads(line)
        rows = tuple(Row(**row | {"mistakes": tuple(row["mistakes"])}) for row in fields["rows"])
        return GradedReturn(**fields | {"rows": rows})
    except (ValueError, TypeError, KeyError):
        return None


class Records:
    """The records of a folder. `find` looks a return up by content, whatever its file is called."""

    def __init__(self, folder, key):
        """key: what else verdicts depend on; records with another key stay in the file but are ignored."""
        self.path = Path(folder) / FILE
        self.key = key
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lines = {}
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        if not f"\n{text}".endswith("\n"):  # the last line was cut off
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")
        for line in text.split("\n"):
            line_key, _, rest = line.partition("\t")
            if line_key == key and (graded := parse_line(rest)):
                self.lines[graded.digest] = graded

    def find(self, returned):
        """Return the record of a return, under its current name; None if there is none."""
        record = self.lines.get(returned.digest)
        identity = ("student", "number", "place", "name", "attempt")
        return record and record._replace(**{name: getattr(returned, name) for name in identity})

    def add(self, graded):
        """Append a record and fsync it, in case of a power failure."""
        self.lines[graded.digest] = graded
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{self.key}\t{graded.as_line()}\n")
            file.flush()
            os.fsync(file.fileno())
