"""Tables of figures that come with the course: read their rows."""

import csv
from collections.abc import Callable
from pathlib import Path


def load_table(path: str | Path, **kinds: Callable) -> list[dict]:
    """Return the rows of a .csv file with a head, as dictionaries; figures are floats.

    kinds: a function for each column of something else, as in recipe=str. Raises FileNotFoundError for a missing file,
    and ValueError for a text that is not a number.

    >>> path = Path(__file__).parents[1] / "data" / "card" / "writers.csv"
    >>> load_table(path, variant=str, seed=int)[0]
    {'variant': 'plain', 'seed': 0, 'nats': 1.2931, 'near': 0.9983, 'far': 0.9981}
    """
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: kinds.get(name, float)(text) for name, text in row.items()} for row in csv.DictReader(file)]
