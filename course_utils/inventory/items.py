"""The questions of the inventory, from items.toml."""

import functools
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("items.toml")
PICTURES = Path(__file__).resolve().parents[2] / "images"
FORMS = ("A", "B")
LETTERS = "abcd"
UNKNOWN = "?"  # the answer "I do not know yet"


class Option(NamedTuple):
    """One choice: its text, the ids of the misconceptions that lead to it (none for the right one), and the reason."""

    text: str
    mistakes: tuple[str, ...]
    why: str


class Item(NamedTuple):
    """One question of one form. pair: its number, shared with its twin in the other form. given: its numbers."""

    form: str
    pair: int
    concept: str
    step: str
    question: str
    picture: str
    given: dict
    options: tuple[Option, ...]

    @property
    def id(self) -> str:
        """The form and the number, as A3."""
        return f"{self.form}{self.pair}"

    @property
    def right(self) -> str:
        """The letter of the right option."""
        return next(letter for letter, option in zip(LETTERS, self.options, strict=True) if not option.mistakes)

    def option(self, letter: str) -> Option | None:
        """The option with this letter; None for "I do not know yet" and for no answer."""
        return self.options[LETTERS.index(letter)] if letter in tuple(LETTERS) else None


class Concept(NamedTuple):
    """What two pairs of questions are about, and the lessons that teach it."""

    name: str
    lessons: tuple[str, ...]


class Inventory(NamedTuple):
    """All of it: concepts and misconceptions by their ids, and the items by theirs, form A before form B."""

    version: int
    concepts: dict[str, Concept]
    misconceptions: dict[str, dict]
    items: dict[str, Item]

    def form(self, name: str) -> list[Item]:
        """The items of one form, in order."""
        return [item for item in self.items.values() if item.form == name]


@functools.cache
def load(path: Path | str = FILE) -> Inventory:
    """Return the Inventory of a file.

    >>> load().items["A3"].right
    'b'
    """
    content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    concepts = {name: Concept(c["name"], tuple(c["lessons"])) for name, c in content["concept"].items()}
    items = [_item(form, number, pair) for form in FORMS for number, pair in enumerate(content["pair"], 1)]
    return Inventory(content["version"], concepts, content["misconception"], {item.id: item for item in items})


def _item(form, number, pair):
    own = pair[form]
    options = tuple(Option(o["text"], tuple(o.get("mistake", "").split()), o["why"]) for o in own["options"])
    return Item(
        form, number, pair["concept"], pair["step"], own["question"], own.get("picture", ""), own["given"], options
    )


def picture_of(item: Item) -> tuple[str, str]:
    """Return the picture of an item, the text of an SVG, and its description; ("", "") for an item without one."""
    if not item.picture:
        return "", ""
    svg = (PICTURES / f"{item.picture}.svg").read_text(encoding="utf-8")
    return svg, re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.S)[1]
