"""TheMachine: the drawing of the course, running on a trained model: see the numbers on their way, and change them."""

import json
from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_count, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import causal_mask
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable
from course_utils.explorables.machine_changes import Places, Sentence, SentenceMixin, hidden_edges
from course_utils.explorables.machine_sources import InKernel, source_of
from course_utils.explorables.machine_vectors import Vectors
from course_utils.explorables.machine_words import TextMixin, code_of
from course_utils.explorables.traits import Count, OneOf, pack_array
from course_utils.models.cls_reader import Classifier
from course_utils.models.encoder import Encoder
from course_utils.models.review_reader import Reader
from course_utils.models.writer_reader import Writer
from course_utils.pictures.plots import row_bars
from course_utils.sentences import REVIEW

SENTENCES = {
    Classifier: "7 42 19 42 3 28",
    Reader: " ".join(REVIEW),
    Writer: "[blame] The movie was very",
    Encoder: "The movie was not good.",
}
POLES = ("The movie was good.", "The movie was bad.")
STEPS = ("all", "vectors", "scores", "weights", "mix", "block", "answer")
SHOWN = 64  # numbers of a vector that the kernel sends, at most


class TheMachine(SentenceMixin, TextMixin, Explorable):
    """Watch a sentence pass through a trained model; cut a line, hide a word, force a weight, and its answer moves.

    model: a Classifier, a Reader (lesson 15), a Writer (17) or an Encoder (19); or vectors (Q, K, V), each (n, d) or
    (n_layers, n_heads, n, d), whose n words stand in `sentence`. sentence: what is read, in words the model knows.
    hide: what is cut, (layer, head) or (layer, head, query, key), as in `model(..., hide=hide)`; None stands for all.
    given: weights forced by hand, (layer, head, query, key, weight); the other keys of the row share the rest.
    layer, head, query, key: what is shown. step: how far it has run, "all" or "vectors", "scores", "weights", "mix",
    "block", "answer". target: the number that a Classifier asks for.
    poles: for an Encoder, two sentences; it answers which of them the sentence is nearer to.
    When the sentence changes, only changes of whole heads and those with the same token at both ends stay.
    The same changes are made in up to a hundred sentences of the same build, each word replaced by one of its kind.
    Python reads and sets these, reads `uncut`, `answer`, `weights`, `code`, `others()`, and `log`: what was tried.
    The page computes all models but the encoder, which the kernel computes.
    Raises ValueError for what does not fit.

    >>> from course_utils.models.review_reader import load_reader
    >>> machine = TheMachine(load_reader())
    >>> machine.hide = [(0, 1, 5, 4)]
    >>> print(f"{machine.uncut:.2f} {machine.answer:.2f}", machine.code.splitlines()[-1])
    0.00 1.00 model(tokens, hide=[(0, 1, 5, 4)])
    """

    _esm = bundle("the_machine.js")
    STATE = ("sentence", "hide", "given", "layer", "head", "query", "key", "step")
    sentence = Sentence("")
    hide, given = Places(2, 4, all_of=True), Places(5)
    layer, head, query, key = Count(0), Count(0), Count(0), Count(0)
    step = OneOf("all", STEPS)
    log = traitlets.List().tag(sync=True)
    _model = traitlets.Dict().tag(sync=True)  # what the page computes with, and its words
    _told = traitlets.Dict().tag(sync=True)  # what the kernel computed, for a model that is too large for the page
    _asked = traitlets.Dict().tag(sync=True)  # the state for which the page wants the other sentences, with a count
    _typed = traitlets.Dict().tag(sync=True)  # a sentence for the kernel, which may refuse it, with a count
    _problem = traitlets.Dict().tag(sync=True)  # the kernel's reply to the typed sentence with this count

    def __init__(
        self,
        model: Classifier | Reader | Writer | Encoder | tuple[Array["..., n, d"], ...],
        sentence: str | Sequence[str] | None = None,
        *,
        hide: Sequence[tuple[int | None, ...]] = (),
        given: Sequence[tuple[int | float, ...]] = (),
        target: int = 42,
        poles: Sequence[str] = POLES,
        **settings: object,
    ) -> None:
        if sentence is None:
            sentence = next((text for kind, text in SENTENCES.items() if isinstance(model, kind)), SENTENCES[Reader])
        self.source = source_of(model, sentence, target, poles)
        sentence = (
            " ".join(sentence) if isinstance(self.source, Vectors) and not isinstance(sentence, str) else sentence
        )
        settings = self._first_shown(sentence) | settings
        super().__init__(sentence=sentence, hide=hide, given=given, **settings, _model=self._for_page())
        if isinstance(self.source, InKernel):
            self.observe(self._compute, [*self.STATE, "_asked"])
            self.observe(self._read_typed, "_typed")
            self._compute()

    def _first_shown(self, sentence):
        """The line from "not" to "good", or from the fifth token to the first, in the head that uses it most."""
        names = self.source.names(sentence)
        query, key = (len(names) - 1, 0) if self.source.causal else (0, min(4, len(names) - 1))
        if "good" in names and "not" in names and not self.source.causal:
            query, key = names.index("good"), names.index("not")
        weights = self.source.read(sentence)[0][:, :, query, key]  # (n_layers, n_heads)
        layer, head = (int(i) for i in np.unravel_index(weights.argmax(), weights.shape))
        return {"layer": layer, "head": head, "query": query, "key": key}

    def _for_page(self):
        source = self.source
        shared = {"answers": source.answers, "asked": source.number_name, "threshold": source.threshold}
        shared |= {"block_kind": source.block_kind, "causal": source.causal}
        shared |= dict(zip(("n_layers", "n_heads"), source.sizes, strict=True))
        return shared if isinstance(source, InKernel) else shared | source.for_page()

    @traitlets.validate("sentence", "hide", "given", "layer", "head", "query", "key")
    def _fits(self, proposal):
        """Check that every position exists, and that no row is left with nothing to look at."""
        name, value = proposal["trait"].name, proposal["value"]
        if not self.sentence:
            return value
        n, axes = len(self.source.names(self.sentence)), ("layer", "head", "query", "key")
        shape = (*self.source.sizes, n, n)
        most = dict(zip(axes, shape, strict=True))
        if name in axes:
            as_count(name, value, least=0, most=most[name] - 1)
        for change in value if name in ("hide", "given") else ():
            for axis, number in zip(axes, change, strict=False):
                if number is not None:
                    as_count(f"{axis} of {name}", number, least=0, most=most[axis] - 1)
        if name == "hide" and (hidden_edges(value, shape) | ~(causal_mask(n) | (not self.source.causal))).all(-1).any():
            raise wrong(name, value, f"at most {n - 1} of the {n} keys of a row: something has to be looked at")
        if name == "given" and len({change[:3] for change in value}) < len(value):
            raise wrong(name, value, "at most one weight for each row")
        return value

    def _limits(self):
        layer, head = (count - 1 for count in self.source.sizes)
        places = {"most": (layer, head)}
        return {"layer": {"most": layer}, "head": {"most": head}, "hide": places, "given": places}

    def _read_typed(self, change):
        """Take a sentence typed in the page, or reply with what is wrong."""
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
    def uncut(self) -> float | Array["d_v"]:
        """The answer without changes: a probability, an encoder's lead of the second pole, or an output of vectors."""
        return self._number()

    @property
    def answer(self) -> float | Array["d_v"]:
        """The answer with the changes."""
        return self._number(self.hide, self.given)

    @property
    def weights(self) -> Array["n_layers, n_heads, n, n"]:
        """Where all tokens look, with the changes (n_layers, n_heads, n, n); a head that is cut keeps its weights."""
        return self._read(self.hide, self.given)[0]

    @property
    def code(self) -> str:
        """The lines of code that do what the hand did, with the model named `model` and vectors Q, K and V."""
        before, lines = code_of(self.source, self.sentence, self.hide, self.given, self.layer, self.head)
        return "\n".join([*before, *lines])

    def others(self) -> tuple[list, Array["n_others"], Array["n_others"]]:
        """The other sentences and the model's answers: (sentences, uncut, with the changes)."""
        sentences = self.source.others(self.sentence)
        if not sentences:
            return [], np.zeros(0), np.zeros(0)
        return sentences, self.source.read_others(sentences), self.source.read_others(sentences, self.hide, self.given)

    def _read(self, *changes):
        return self.source.read(self.sentence, *changes)

    def _number(self, *changes):
        number = self._read(*changes)[1]
        return number[self.layer, self.head, self.query] if isinstance(self.source, Vectors) else number

    def _compute(self, change=None):
        """Send the page the kernel's results: for the sentence at once, for the others on request."""
        state = json.loads(json.dumps(self._state()))  # lists, as the page has them
        is_current = self._told.get("state") == state
        if change is not None and change["name"] == "_asked":
            if is_current and self._asked["state"] == state:  # else the state has changed since
                _, before, after = self.others()
                self._told = self._told | {"others": [before.tolist(), after.tolist()]}
        elif not is_current:
            (own, uncut), (cut, answer) = self._read(), self._read(self.hide, self.given)
            at = self.source.passes(self.sentence, self.hide, self.given)[self.layer]
            heads = {name: getattr(at, name)[self.head] for name in ("Q", "K", "V", "mixed")}  # (n, d) each
            rows = {name: getattr(at, name)[:, :SHOWN] for name in ("X", "brought", "out")}
            arrays = {name: pack_array(array) for name, array in (heads | rows).items()}
            results = {"state": state, "tokens": self.tokens, "answers": [uncut, answer], "at": arrays}
            self._told = results | {"weights": [pack_array(own), pack_array(cut)]}

    def figure(self) -> Axes:
        """Draw where the chosen token looks, with the changes and without them."""
        names, own = self.tokens, self._read()[0][self.layer, self.head, self.query]
        ax = row_bars(self.weights[self.layer, self.head, self.query], names, reference=own, reference_name="uncut")
        ax.set_title(f"layer {self.layer}, head {self.head}, {self._token(self.query)} looks\n{self._answers()}")
        return ax
