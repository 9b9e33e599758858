"""What a hand can change in TheMachine, and which other sentences get the same change."""

import contextlib
import json
from collections.abc import Iterable

import numpy as np
import traitlets

from course_utils.arrays.arguments import as_count, as_real, wrong
from course_utils.arrays.shapes import Array
from course_utils.explorables.traits import Checked

N_OTHERS = 100
TRIES = 8  # for each of them, since duplicates do not count


def words_of(text: str) -> list[str]:
    """Return the words of a text, with commas and full stops as words of their own. machine_reading.js does the same.

    >>> words_of("Not good, but amazing.")
    ['Not', 'good', ',', 'but', 'amazing', '.']
    """
    return text.replace(",", " , ").replace(".", " . ").split()


class Sentence(Checked):
    """A sentence that the model of the explorable reads, as one text."""

    rule = {"text": True}

    def validate(self, owner: traitlets.HasTraits, value: object) -> str:
        owner.source.names(value)
        return " ".join(value.split())


class Places(Checked):
    """Places in a model as a sorted tuple: (layer, head), (layer, head, query, key), or with a weight as the fifth.

    lengths: the allowed numbers of a place.
    all_of: whether layer, head and query of four may be None, which stands for all of them, as in `reading.run_blocks`.
    """

    def __init__(self, *lengths: int, all_of: bool = False) -> None:
        self.lengths, self.all_of = lengths, all_of
        super().__init__(())

    @property
    def rule(self) -> dict[str, object]:
        return {"places": self.lengths, "all_of": self.all_of}

    def validate(self, owner: traitlets.HasTraits, value: object) -> tuple[tuple, ...]:
        parts = "layer", "head", "query", "key", "weight"
        wanted = "a list of " + " or ".join(f"({', '.join(parts[:length])})" for length in self.lengths)
        if isinstance(value, str) or not np.iterable(value):
            raise wrong(self.name, value, wanted)
        changes = {self._checked_change(change, wanted) for change in value}
        return tuple(sorted(changes, key=lambda change: (len(change), [-1 if x is None else x for x in change])))

    def _checked_change(self, change, wanted):
        if isinstance(change, str) or not np.iterable(change) or len(change) not in self.lengths:
            raise wrong(f"a place of {self.name}", change, wanted)
        weights = [as_real(f"a weight of {self.name}", x) for x in change[4:]]
        if not all(0 < weight <= 1 for weight in weights):
            raise wrong(f"a weight of {self.name}", change[4], "a number above 0, up to 1; to cut an edge, hide it")
        stands_for_all = 3 if self.all_of and len(change) == 4 else 0
        return (
            *(
                None if x is None and i < stands_for_all else as_count(f"a place of {self.name}", x, least=0)
                for i, x in enumerate(change[:4])
            ),
            *weights,
        )


def fitting_changes(changes: Iterable[tuple], before: list[str], after: list[str]) -> tuple[tuple, ...]:
    """Return the changes that also fit another sentence: whole heads, and edges with the same token at both ends.

    before, after: the tokens of the two sentences.

    >>> fitting_changes([(0, 1), (0, 1, 2, 1), (0, 1, 2, 0)], ["The", "not", "good"], ["The", "very", "good"])
    ((0, 1), (0, 1, 2, 0))
    """
    shared = {i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old == new}
    return tuple(change for change in changes if shared.issuperset(set(change[2:4]) - {None}))


def hidden_edges(hide: Iterable[tuple], shape: tuple[int, int, int, int]) -> Array["n_layers, n_heads, n, n"]:
    """Return which edges are hidden, as bool; None in a place stands for all.

    >>> hidden_edges([(0, None, None, 1)], (1, 2, 2, 2))[0, 1].astype(int)
    array([[0, 1],
           [0, 1]])
    """
    hidden = np.zeros(shape, bool)
    for place in hide:
        if len(place) == 4:
            hidden[tuple(slice(None) if x is None else x for x in place)] = True
    return hidden


class SentenceMixin(traitlets.HasTraits):
    """A part of TheMachine: a new sentence drops the changes at tokens that differ, and counts them."""

    _given_back = traitlets.Dict().tag(sync=True)  # how many changes did not fit a new sentence, and what is left
    _comes_whole = False

    def set_state(self, sync_data: dict[str, object]) -> None:
        with self._keeping_changes("sentence" in sync_data):  # the page sends what is left
            super().set_state(sync_data)

    def _take(self, state):
        with self._keeping_changes():
            super()._take(state)

    @contextlib.contextmanager
    def _keeping_changes(self, whole=True):
        """Within it, a new sentence arrives together with its changes, and none of them is dropped."""
        self._comes_whole = whole
        try:
            yield
        finally:
            self._comes_whole = False

    @traitlets.observe("sentence")
    def _keep_what_fits(self, change):
        """On a new sentence, drop changes at tokens that differ, and show a position that exists."""
        if not self.is_initialised or self._comes_whole:
            return
        old_names, names = self.source.names(change["old"]), self.source.names(self.sentence)
        n_before = len(self.hide) + len(self.given)
        with self.hold_trait_notifications():
            self.hide, self.given = (fitting_changes(changes, old_names, names) for changes in (self.hide, self.given))
            self.query, self.key = (min(position, len(names) - 1) for position in (self.query, self.key))
        state = json.loads(json.dumps(self._state()))
        remaining = [state[name] for name in ("sentence", "hide", "given")]
        self._given_back = {"count": n_before - len(self.hide) - len(self.given), "left": remaining}


def hash32(i: int, j: int) -> int:
    """Return a pseudo-random 32-bit hash of two numbers; machine_reading.js does the same."""
    h = ((i + 1) * 0x9E3779B1 ^ (j + 1) * 0x85EBCA6B) & 0xFFFFFFFF
    h = (h ^ h >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    return h ^ h >> 12


def sentence_variants(words: list[str], kinds: Iterable, n: int = N_OTHERS) -> list[dict[str, str]]:
    """Return up to n distinct sentences of the same build, with words replaced by others of their kind.

    words: a list. kinds: lists of equally long tuples; all words of a tuple are replaced by those at the same index of
    another one: ("good", "bad") by ("hot", "cold").
    Returns dictionaries, word -> its replacement: the same for a sentence on every machine.

    >>> sentence_variants(["The", "red", "car"], [[("red",), ("blue",)], [("cat",), ("dog",)]], n=2)
    [{'red': 'blue'}]
    """
    groups = [kind for kind in kinds if any(word in group for group in kind for word in words)]
    variants, whole = {}, " ".join(words)
    for i in range(TRIES * n):
        if len(variants) == n:
            break
        changes = {}
        for position, kind in enumerate(groups):
            own = [group for group in kind if any(word in group for word in words)]
            rest = [group for group in kind if group not in own]
            for k, group in enumerate(own if rest else ()):
                changes |= dict(zip(group, rest[hash32(i, 8 * position + k) % len(rest)], strict=True))
        sentence = " ".join(changes.get(word, word) for word in words)
        if sentence != whole:
            variants.setdefault(sentence, changes)
    return list(variants.values())
