"""CutByHand: cut looks and heads of a trained model by hand, beside what the same cut does in a hundred sentences."""

import json

import numpy as np
import traitlets

from course_utils.arguments import as_count, wrong
from course_utils.cls_reader import Classifier
from course_utils.encoder import Encoder
from course_utils.explorables.assets import joined
from course_utils.explorables.base import Explorable, written
from course_utils.explorables.cut_changes import GivesBack, Places, Sentence
from course_utils.explorables.cut_models import InKernel, source_of
from course_utils.explorables.traits import Count, packed
from course_utils.plots import row_bars
from course_utils.review_reader import Reader

SENTENCES = {
    Classifier: "7 42 19 42 3 28",
    Reader: "The movie was not good , but the soundtrack was amazing .",
    Encoder: "The movie was not good.",
}
POLES = ("The movie was good.", "The movie was bad.")


class CutByHand(GivesBack, Explorable):
    """Cut looks and heads of a trained model, or drag a weight, and see its answer move, beside other sentences.

    model: a Classifier, a Reader (lesson 15) or an Encoder. sentence: what it reads, words of its own.
    hide: what is cut, (layer, head) or (layer, head, query, key), as in `model(..., hide=hide)`.
    given: weights that a hand gave, (layer, head, query, key, weight); the other keys of the row share the rest.
    layer, head, query, key: what is shown. target: the number that a Classifier asks for.
    poles: of an Encoder, two sentences; it answers which of them the sentence lies nearer to.
    Of another sentence only those changes stay that have the same token at both ends, and those of whole heads.
    The same changes are made in up to a hundred sentences of the same build: each word gives way to one of its kind.
    Python reads and sets these, reads `uncut`, `answer`, `weights`, `others()`, and `log`: what was tried in the page.
    The classifier and the reviewer are computed in the page; the encoder by the kernel.
    Raises ValueError for what does not fit.

    >>> from course_utils.review_reader import load_reader
    >>> hand = CutByHand(load_reader())
    >>> hand.hide = [(0, 1, 5, 4)]
    >>> print(f"{hand.uncut:.2f} {hand.answer:.2f}")
    0.00 1.00
    """

    _esm = joined("cut_by_hand.js")
    STATE = ("sentence", "hide", "given", "layer", "head", "query", "key")
    sentence = Sentence("")
    hide, given = Places(2, 4), Places(5, weighed=True)
    layer, head, query, key = Count(0), Count(0), Count(0), Count(0)
    log = traitlets.List().tag(sync=True)
    _model = traitlets.Dict().tag(sync=True)  # what the page computes with, and what it says
    _told = traitlets.Dict().tag(sync=True)  # what the kernel computed, for a model that is too large for the page
    _asked = traitlets.Dict().tag(sync=True)  # which state the page wants the other sentences for, counted
    _typed = traitlets.Dict().tag(sync=True)  # a sentence for the kernel, which may refuse it, counted
    _problem = traitlets.Dict().tag(sync=True)  # what the kernel says of the typed sentence with this count

    def __init__(self, model, sentence=None, *, hide=(), given=(), target=42, poles=POLES, **more):
        self.source = source_of(model, target, poles)
        if sentence is None:
            sentence = next(text for kind, text in SENTENCES.items() if isinstance(model, kind))
        blocks = self.source.blocks
        self._sizes = len(blocks), blocks[0].attention.n_heads
        more = self._first_shown(sentence) | more
        super().__init__(sentence=sentence, hide=hide, given=given, **more, _model=self._for_page())
        if isinstance(self.source, InKernel):
            self.observe(self._compute, [*self.STATE, "_asked"])
            self.observe(self._read_typed, "_typed")
            self._compute()

    def _first_shown(self, sentence):
        """The edge from "good" to "not", or from the first token to the fifth, in the head that uses it most."""
        names = self.source.names(sentence)
        query, key = 0, min(4, len(names) - 1)
        if "good" in names and "not" in names:
            query, key = names.index("good"), names.index("not")
        uses = self.source.read(sentence)[0][:, :, query, key]  # (n_layers, n_heads)
        layer, head = (int(i) for i in np.unravel_index(uses.argmax(), uses.shape))
        return {"layer": layer, "head": head, "query": query, "key": key}

    def _for_page(self):
        source = self.source
        n_layers, n_heads = self._sizes
        shared = {"answers": source.answers, "asked": source.asked, "threshold": source.threshold}
        shared |= {"n_layers": n_layers, "n_heads": n_heads}
        if isinstance(source, InKernel):
            return shared
        words = {"vocabulary": source.vocabulary, "kinds": source.kinds, "length": source.length}
        return shared | words | {"arrays": source.arrays(), "epsilon": source.blocks[0].epsilon}

    @traitlets.validate("sentence", "hide", "given", "layer", "head", "query", "key")
    def _fits(self, proposal):
        """Every place is there, and no row is left with nothing to look at."""
        name, value = proposal["trait"].name, proposal["value"]
        if not self.sentence:
            return value
        sizes = (*self._sizes, n := len(self.source.names(self.sentence)), n)
        for at, (part, most) in enumerate(zip(("layer", "head", "query", "key"), sizes, strict=True)):
            numbers = [value] if name == part else []
            if name in ("hide", "given"):
                numbers = [place[at] for place in value if at < len(place)]
            for number in numbers:
                as_count(part if name == part else f"{part} of {name}", number, least=0, most=most - 1)
        rows = [place[:3] for place in value if len(place) == 4] if name == "hide" else []
        if any(rows.count(row) == n for row in rows):
            raise wrong(name, value, f"at most {n - 1} of the {n} keys of a row: something has to be looked at")
        if name == "given" and len({place[:3] for place in value}) < len(value):
            raise wrong(name, value, "at most one weight for each row")
        return value

    def _read_typed(self, change):
        """Take a sentence that was typed in the page, or say what is wrong with it."""
        try:
            self.sentence = self._typed["sentence"]
            self._problem = {"count": self._typed["count"], "said": ""}
        except ValueError as problem:
            self._problem = {"count": self._typed["count"], "said": str(problem)}

    @property
    def tokens(self):
        """The tokens of the sentence as words, [CLS] included."""
        return self.source.names(self.sentence)

    @property
    def uncut(self):
        """What the model says when nothing is changed: a probability, or of an encoder the lead of the second pole."""
        return float(self._read()[1])

    @property
    def answer(self):
        """What it says with the changes."""
        return float(self._read(self.hide, self.given)[1])

    @property
    def weights(self):
        """Where all tokens look, with the changes (n_layers, n_heads, n, n); a head that is cut keeps its weights."""
        return self._read(self.hide, self.given)[0]

    def others(self):
        """The other sentences, and what the model says of each: (sentences, uncut (n,), with the changes (n,))."""
        found = self.source.others(self.sentence)
        if not found:
            return [], np.zeros(0), np.zeros(0)
        return found, self.source.read_others(found), self.source.read_others(found, self.hide, self.given)

    def _read(self, *changes):
        return self.source.read(self.sentence, *changes)

    def _compute(self, change=None):
        """Tell the page what the kernel computed: of the sentence at once, of the others when the page asks."""
        state = json.loads(json.dumps(self._state()))  # lists, as the page has them
        told = self._told.get("state") == state
        if change is not None and change["name"] == "_asked":
            if told and self._asked["state"] == state:  # else the hand has moved on
                _, before, after = self.others()
                self._told = self._told | {"others": [before.tolist(), after.tolist()]}
        elif not told:
            Q, K = self.source.vectors(self.sentence, self.hide, self.given, self.layer, self.head)  # (n, d_k)
            (own, uncut), (cut, answer) = self._read(), self._read(self.hide, self.given)
            now = {"state": state, "tokens": self.tokens, "answers": [uncut, answer]}
            self._told = now | {"weights": [packed(own), packed(cut)], "Q": packed(Q), "K": packed(K)}

    def figure(self):
        """Draw where the chosen token looks, with the changes and without them. Returns the Axes."""
        names, own = self.tokens, self._read()[0][self.layer, self.head, self.query]
        ax = row_bars(self.weights[self.layer, self.head, self.query], names, reference=own)
        head = self._place(self.layer, self.head)
        ax.set_title(f"{head}, {self._named(self.query)} looks; line: uncut\n{self._says()}")
        return ax

    def text(self):
        """Return the sentence, what was changed, what the model says, and the row and the score that are shown."""
        (own, _), weights = self._read(), self.weights
        Q, K = self.source.vectors(self.sentence, self.hide, self.given, self.layer, self.head)  # (n, d_k) each
        scores = K @ Q[self.query] / Q.shape[1] ** 0.5  # (n,)
        row, before = (all_[self.layer, self.head, self.query] for all_ in (weights, own))  # (n,) each
        rows = zip(scores, row, before, strict=True)
        looks = [
            f"{self._named(j)} score {written(score)}, weight {written(weight)}, uncut {written(uncut)}"
            for j, (score, weight, uncut) in enumerate(rows)
        ]
        products = Q[self.query] * K[self.key]  # (d_k,)
        parts = ", ".join(f"{i}: {written(product)}" for i, product in enumerate(products))
        return "\n".join(
            [
                " ".join(self.tokens),
                f"Cut: {self._listed(self.hide)}. Given: {self._listed(self.given)}.",
                self._says(),
                *self._control(),
                f"{self._place(self.layer, self.head)}: {self._named(self.query)} looks at: {'; '.join(looks)}.",
                f"{self._named(self.query)} · {self._named(self.key)}, by dimension: {parts}. Their sum "
                f"{written(products.sum())}, divided by √{len(products)}: {written(scores[self.key])}.",
            ]
        )

    def _says(self):
        """What the model says, and what it says with the changes."""
        source = self.source
        both = (self.uncut, self.answer)
        said = [f"{source.answers[int(x >= source.threshold)]}, {source.asked} {written(x, 3)}" for x in both]
        return f"The model says: {said[0]}." + (f" With the changes: {said[1]}." if self.hide or self.given else "")

    def _control(self):
        if not self.hide and not self.given:
            return []
        found, before, after = self.others()
        if not found:
            return ["No other sentence of this build is known."]
        own, uncut, cut = (np.asarray(x) >= self.source.threshold for x in (self.uncut, before, after))
        return [
            f"Of {len(found)} other sentences of this build, {(uncut == own).sum()} get the same answer uncut. "
            f"The same changes turn {(uncut != cut).sum()} of their answers; {self.source.asked} moves by "
            f"{written(np.abs(after - before).mean(), 3)} on average."
        ]

    def _listed(self, places):
        return "; ".join(self._place(*place) for place in places) or "nothing"

    def _place(self, layer, head, query=None, key=None, weight=None):
        edge = "" if query is None else f", {self._named(query)} → {self._named(key)}"
        return f"layer {layer}, head {head}{edge}" + ("" if weight is None else f" {written(weight)}")

    def _named(self, i):
        return f"{self.tokens[i]} ({i})"
