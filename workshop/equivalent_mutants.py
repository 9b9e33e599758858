"""Read equivalent_mutants.toml: mutants that behave like the original code, so that no test can kill them.

A mutant is identified by module, function and the lines before and after the change: line numbers would shift.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

EQUIVALENTS = Path(__file__).with_suffix(".toml")


class Equivalent(NamedTuple):
    """A change that does not alter behaviour, and why."""

    path: str
    function: str
    before: str
    after: str
    reason: str

    def is_for(self, mutant):
        return self[:4] == (mutant.path, mutant.function, mutant.before, mutant.after)


def read_equivalents(path=EQUIVALENTS):
    """Return the list. One entry may cover several changes of a line: `after` is a list.

    Raises ValueError for an entry with other fields.
    """
    equivalents = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]:
        if set(entry) != set(Equivalent._fields):
            raise ValueError(f"{path.name}: an entry has {', '.join(Equivalent._fields)}; this one: {entry}")
        fields = {name: value.strip() for name, value in entry.items() if name != "after"}
        equivalents += [Equivalent(**fields, after=after.strip()) for after in entry["after"]]
    return equivalents
