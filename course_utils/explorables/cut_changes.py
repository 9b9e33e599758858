"""What CutByHand may change, how a given weight acts, and which other sentences the same change is made in."""

import contextlib
import json

import numpy as np
import traitlets

from course_utils.arguments import as_count, as_real, wrong
from course_utils.attention import scaled_dot_product_attention
from course_utils.explorables.traits import Checked

N_OTHERS = 100
TRIES = 8  # for each of them: a sentence that came before does not count


def words_of(text):
    """Return the words of a text; commas and full stops stand alone. cut_reading.js has the same.

    >>> words_of("Not good, but amazing.")
    ['Not', 'good', ',', 'but', 'amazing', '.']
    """
    return text.replace(",", " , ").replace(".", " . ").split()


class Sentence(Checked):
    """A sentence that the model of the explorable reads, as one text."""

    def validate(self, owner, value):
        owner.source.names(value)
        return " ".join(value.split())


class Places(Checked):
    """Places of a model as a sorted tuple: (layer, head) or (layer, head, query, key), or with a weight added."""

    def __init__(self, *lengths, weighed=False):
        self.lengths, self.weighed = lengths, weighed
        super().__init__(())

    def validate(self, owner, value):
        edge = "(layer, head, query, key"
        wanted = f"a list of {edge}, weight)" if self.weighed else f"a list of (layer, head) or {edge})"
        if isinstance(value, str) or not np.iterable(value):
            raise wrong(self.name, value, wanted)
        return tuple(sorted({self._place(place, wanted) for place in value}, key=lambda place: (len(place), place)))

    def _place(self, place, wanted):
        if isinstance(place, str) or not np.iterable(place) or len(place) not in self.lengths:
            raise wrong(f"a place of {self.name}", place, wanted)
        numbers = [as_count(f"a place of {self.name}", x, least=0) for x in place[:4]]
        if not self.weighed:
            return tuple(numbers)
        weight = as_real(f"a weight of {self.name}", place[4])
        if not 0 < weight <= 1:
            raise wrong(f"a weight of {self.name}", place[4], "a number above 0, up to 1; to cut an edge, hide it")
        return (*numbers, weight)


def fitting(places, before, after):
    """Return the places that another sentence leaves alone: whole heads, and edges with the same token at both ends.

    before, after: the tokens of the two sentences.

    >>> fitting([(0, 1), (0, 1, 2, 1), (0, 1, 2, 0)], ["The", "not", "good"], ["The", "very", "good"])
    ((0, 1), (0, 1, 2, 0))
    """
    shared = {i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old == new}
    return tuple(place for place in places if len(place) == 2 or shared.issuperset(place[2:4]))


class GivesBack(traitlets.HasTraits):
    """Of CutByHand: another sentence gives back the changes that stand at other tokens, and counts them."""

    _given_back = traitlets.Dict().tag(sync=True)  # how many changes did not fit a new sentence, and what was left then
    _comes_whole = False

    def set_state(self, sync_data):
        with self._whole("sentence" in sync_data):  # the page has sent what is left
            super().set_state(sync_data)

    def _take(self, state):
        with self._whole():
            super()._take(state)

    @contextlib.contextmanager
    def _whole(self, whole=True):
        """Within it a new sentence comes with its changes, and none is given back."""
        self._comes_whole = whole
        try:
            yield
        finally:
            self._comes_whole = False

    @traitlets.observe("sentence")
    def _keep_what_fits(self, change):
        """Another sentence: give back what was changed at other tokens, and show a place that is there."""
        if not self.made or self._comes_whole:
            return
        before, now = self.source.names(change["old"]), self.source.names(self.sentence)
        n_before = len(self.hide) + len(self.given)
        with self.hold_trait_notifications():
            self.hide, self.given = (fitting(places, before, now) for places in (self.hide, self.given))
            self.query, self.key = (min(place, len(now) - 1) for place in (self.query, self.key))
        state = json.loads(json.dumps(self._state()))
        left = [state[name] for name in ("sentence", "hide", "given")]
        self._given_back = {"count": n_before - len(self.hide) - len(self.given), "left": left}


def mixed(i, place):
    """Return a whole number below 2**32 that looks as if drawn; cut_reading.js has the same: a mixer of 32 bits."""
    h = ((i + 1) * 0x9E3779B1 ^ (place + 1) * 0x85EBCA6B) & 0xFFFFFFFF
    h = (h ^ h >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    return h ^ h >> 12


def built_alike(words, kinds, n=N_OTHERS):
    """Return up to n other sentences of the same build, each once: words give way to others of their kind.

    words: a list. kinds: lists of equally long tuples; a word of one tuple gives way to the word in the same place of
    another one, and so do all words of its tuple: ("good", "bad") takes both to ("hot", "cold").
    Returns dictionaries, word -> what stands in its place. One sentence, the same others on every machine.

    >>> built_alike(["The", "red", "car"], [[("red",), ("blue",)], [("cat",), ("dog",)]], n=2)
    [{'red': 'blue'}]
    """
    groups = [kind for kind in kinds if any(word in group for group in kind for word in words)]
    found, whole = {}, " ".join(words)
    for i in range(TRIES * n):
        if len(found) == n:
            break
        changes = {}
        for place, kind in enumerate(groups):
            own = [group for group in kind if any(word in group for word in words)]
            rest = [group for group in kind if group not in own]
            for k, group in enumerate(own if rest else ()):
                changes |= dict(zip(group, rest[mixed(i, 8 * place + k) % len(rest)], strict=True))
        sentence = " ".join(changes.get(word, word) for word in words)
        if sentence != whole:
            found.setdefault(sentence, changes)
    return list(found.values())


def with_given(given):
    """Return, for each layer with weights that a hand gave, the attention function that uses them.

    given: places (layer, head, query, key, weight). The other keys of the row share the rest in proportion;
    where all of them have 0, evenly.
    """
    return {layer: _attention_with([rest for one, *rest in given if one == layer]) for layer, *_ in given}


def _attention_with(places):
    def attention(Q, K, V, mask):
        _, weights = scaled_dot_product_attention(Q, K, V, mask)  # (batch, n_heads, n, n)
        sees = np.broadcast_to(True if mask is None else mask, weights.shape)
        for head, query, key, weight in places:
            row = weights[:, head, query]  # (batch, n), a view
            others = sees[:, head, query].copy()  # (batch, n)
            others[:, key] = False
            left = (row * others).sum(axis=-1, keepdims=True)  # (batch, 1)
            even = others / np.maximum(others.sum(axis=-1, keepdims=True), 1)
            shares = np.where(left > 0, row * others / np.where(left > 0, left, 1), even)
            changed = (1 - weight) * shares
            changed[:, key] = weight
            row[:] = np.where(others.any(axis=-1, keepdims=True), changed, row)
        return weights @ V, weights

    return attention
