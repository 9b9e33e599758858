"""CutByHand: cut looks and heads of a trained model by hand, next to the same cut in a hundred other sentences."""

import json

import numpy as np
import traitlets

from course_utils.arrays.arguments import as_count, wrong
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, listed
from course_utils.explorables.cut_changes import GivesBack, Places, Sentence
from course_utils.explorables.cut_models import InKernel, source_of
from course_utils.explorables.traits import Count, pack_array
from course_utils.models.cls_reader import Classifier
from course_utils.models.encoder import Encoder
from course_utils.models.review_reader import Reader
from course_utils.pictures.plots import row_bars

SENTENCES = {
    Classifier: "7 42 19 42 3 28",
    Reader: "The movie was not good , but the soundtrack was amazing .",
    Encoder: "The movie was not good.",
}
POLES = ("The movie was good.", "The movie was bad.")


class CutByHand(GivesBack, Explorable):
    """Cut looks and heads of a trained model, or drag a weight, and see its answer move, next to other sentences.

    model: a Classifier, a Reader (lesson 15) or an Encoder. sentence: what it reads, words of its own.
    hide: what is cut, (layer, head) or (layer, head, query, key), as in `model(..., hide=hide)`.
    given: weights set by hand, (layer, head, query, key, weight); the other keys of the row share the rest.
    layer, head, query, key: what is shown. target: the number that a Classifier asks for.
    poles: for an Encoder, two sentences; it answers which of them the sentence is nearer to.
    When the sentence changes, only changes of whole heads and those with the same token at both ends stay.
    The same changes are made in up to a hundred sentences of the same build, each word replaced by one of its kind.
    Python reads and sets these, reads `uncut`, `answer`, `weights`, `others()`, and `log`: what was tried in the page.
    The classifier and the reviewer are computed in the page; the encoder by the kernel.
    Raises ValueError for what does not fit.

    >>> from course_utils.models.review_reader import load_reader
    >>> hand = CutByHand(load_reader())
    >>> hand.hide = [(0, 1, 5, 4)]
    >>> print(f"{hand.uncut:.2f} {hand.answer:.2f}")
    0.00 1.00
    """

    _esm = bundle("cut_by_hand.js")
    STATE = ("sentence", "hide", "given", "layer", "head", "query", "key")
    sentence = Sentence("")
    hide, given = Places(2, 4), Places(5)
    layer, head, query, key = Count(0), Count(0), Count(0), Count(0)
    log = traitlets.List().tag(sync=True)
    _model = traitlets.Dict().tag(sync=True)  # what the page computes with, and its words
    _told = traitlets.Dict().tag(sync=True)  # what the kernel computed, for a model that is too large for the page
    _asked = traitlets.Dict().tag(sync=True)  # the state for which the page wants the other sentences, with a count
    _typed = traitlets.Dict().tag(sync=True)  # a sentence for the kernel, which may refuse it, with a count
    _problem = traitlets.Dict().tag(sync=True)  # the kernel's reply to the typed sentence with this count

    def __init__(self, model, sentence=None, *, hide=(), given=(), target=42, poles=POLES, **settings):
        self.source = source_of(model, target, poles)
        if sentence is None:
            sentence = next(text for kind, text in SENTENCES.items() if isinstance(model, kind))
        blocks = self.source.blocks
        self._sizes = len(blocks), blocks[0].attention.n_heads
        settings = self._first_shown(sentence) | settings
        super().__init__(sentence=sentence, hide=hide, given=given, **settings, _model=self._for_page())
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
        weights = self.source.read(sentence)[0][:, :, query, key]  # (n_layers, n_heads)
        layer, head = (int(i) for i in np.unravel_index(weights.argmax(), weights.shape))
        return {"layer": layer, "head": head, "query": query, "key": key}

    def _for_page(self):
        source = self.source
        shared = {"answers": source.answers, "asked": source.number_name, "threshold": source.threshold}
        shared |= dict(zip(("n_layers", "n_heads"), self._sizes, strict=True))
        if isinstance(source, InKernel):
            return shared
        words = {"vocabulary": source.vocabulary, "kinds": source.kinds, "length": source.length}
        return shared | words | {"arrays": source.arrays(), "epsilon": source.blocks[0].epsilon}

    @traitlets.validate("sentence", "hide", "given", "layer", "head", "query", "key")
    def _fits(self, proposal):
        """Check that every position exists, and that no row is left with nothing to look at."""
        name, value = proposal["trait"].name, proposal["value"]
        if not self.sentence:
            return value
        n, axes = len(self.source.names(self.sentence)), ("layer", "head", "query", "key")
        most = dict(zip(axes, (*self._sizes, n, n), strict=True))
        if name in axes:
            as_count(name, value, least=0, most=most[name] - 1)
        for change in value if name in ("hide", "given") else ():
            for axis, number in zip(axes, change, strict=False):
                as_count(f"{axis} of {name}", number, least=0, most=most[axis] - 1)
        rows = [change[:3] for change in value if len(change) == 4] if name == "hide" else []
        if any(rows.count(row) == n for row in rows):
            raise wrong(name, value, f"at most {n - 1} of the {n} keys of a row: something has to be looked at")
        if name == "given" and len({change[:3] for change in value}) < len(value):
            raise wrong(name, value, "at most one weight for each row")
        return value

    def _read_typed(self, change):
        """Take a sentence typed in the page, or reply what is wrong with it."""
        try:
            self.sentence = self._typed["sentence"]
            self._problem = {"count": self._typed["count"], "said": ""}
        except ValueError as problem:
            self._problem = {"count": self._typed["count"], "said": str(problem)}

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence as words, [CLS] included."""
        return self.source.names(self.sentence)

    @property
    def uncut(self) -> float:
        """The model's answer without changes: a probability, or for an encoder the lead of the second pole."""
        return float(self._read()[1])

    @property
    def answer(self) -> float:
        """The model's answer with the changes."""
        return float(self._read(self.hide, self.given)[1])

    @property
    def weights(self) -> np.ndarray:
        """Where all tokens look, with the changes (n_layers, n_heads, n, n); a head that is cut keeps its weights."""
        return self._read(self.hide, self.given)[0]

    def others(self) -> tuple[list, np.ndarray, np.ndarray]:
        """The other sentences and the model's answers: (sentences, uncut (n,), with the changes (n,))."""
        sentences = self.source.others(self.sentence)
        if not sentences:
            return [], np.zeros(0), np.zeros(0)
        return sentences, self.source.read_others(sentences), self.source.read_others(sentences, self.hide, self.given)

    def _read(self, *changes):
        return self.source.read(self.sentence, *changes)

    def _compute(self, change=None):
        """Send the page the kernel's results: for the sentence at once, for the others on request."""
        state = json.loads(json.dumps(self._state()))  # lists, as the page has them
        is_current = self._told.get("state") == state
        if change is not None and change["name"] == "_asked":
            if is_current and self._asked["state"] == state:  # else the state has changed since
                _, before, after = self.others()
                self._told = self._told | {"others": [before.tolist(), after.tolist()]}
        elif not is_current:
            Q, K = self.source.vectors(self.sentence, self.hide, self.given, self.layer, self.head)  # (n, d_k)
            (own, uncut), (cut, answer) = self._read(), self._read(self.hide, self.given)
            arrays = {"weights": [pack_array(own), pack_array(cut)], "Q": pack_array(Q), "K": pack_array(K)}
            self._told = {"state": state, "tokens": self.tokens, "answers": [uncut, answer]} | arrays

    def figure(self):
        """Draw where the chosen token looks, with the changes and without them. Returns the Axes."""
        names, own = self.tokens, self._read()[0][self.layer, self.head, self.query]
        ax = row_bars(self.weights[self.layer, self.head, self.query], names, reference=own, reference_name="uncut")
        head = self._in_words(self.layer, self.head)
        ax.set_title(f"{head}, {self._named(self.query)} looks\n{self._says()}")
        return ax

    def text(self):
        """Return the sentence, the changes, the model's answer, and the displayed row and score."""
        (own, _), weights = self._read(), self.weights
        Q, K = self.source.vectors(self.sentence, self.hide, self.given, self.layer, self.head)  # (n, d_k) each
        scores = K @ Q[self.query] / Q.shape[1] ** 0.5  # (n,)
        row, before = (weights_[self.layer, self.head, self.query] for weights_ in (weights, own))  # (n,) each
        numbers = zip(scores, row, before, strict=True)
        looks = [f"{self._named(j)} {listed(('score', 'weight', 'uncut'), n)}" for j, n in enumerate(numbers)]
        products = Q[self.query] * K[self.key]  # (d_k,)
        parts = listed((f"{i}:" for i in range(len(products))), products)
        return "\n".join(
            [
                " ".join(self.tokens),
                f"Cut: {self._listed(self.hide)}. Given: {self._listed(self.given)}.",
                self._says(),
                *self._control(),
                f"{self._in_words(self.layer, self.head)}: {self._named(self.query)} looks at: {'; '.join(looks)}.",
                f"{self._named(self.query)} · {self._named(self.key)}, by dimension: {parts}. Their sum "
                f"{format_number(products.sum())}, divided by √{len(products)}: {format_number(scores[self.key])}.",
            ]
        )

    def _says(self):
        """The model's answer, without and with the changes."""
        source = self.source
        uncut, cut = (
            f"{source.answers[int(x >= source.threshold)]}, {source.number_name} {format_number(x, 3)}"
            for x in (self.uncut, self.answer)
        )
        return f"The model says: {uncut}." + (f" With the changes: {cut}." if self.hide or self.given else "")

    def _control(self):
        if not self.hide and not self.given:
            return []
        others, before, after = self.others()
        if not others:
            return ["No other sentence of this build is known."]
        own, uncut, cut = (np.asarray(x) >= self.source.threshold for x in (self.uncut, before, after))
        return [
            f"Of {len(others)} other sentences of this build, {(uncut == own).sum()} get the same answer uncut. "
            f"The same changes turn {(uncut != cut).sum()} of their answers; {self.source.number_name} moves by "
            f"{format_number(np.abs(after - before).mean(), 3)} on average."
        ]

    def _listed(self, changes):
        return "; ".join(self._in_words(*change) for change in changes) or "nothing"

    def _in_words(self, layer, head, query=None, key=None, weight=None):
        edge = "" if query is None else f", {self._named(query)} → {self._named(key)}"
        return f"layer {layer}, head {head}{edge}" + ("" if weight is None else f" {format_number(weight)}")

    def _named(self, i):
        return f"{self.tokens[i]} ({i})"
