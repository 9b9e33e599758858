"""The formulas of TheMachine with the numbers in them, and the code that does what the hand did.

machine_words.js writes the same.
"""

import numpy as np

from course_utils.arrays.shapes import Array
from course_utils.explorables.base import format_number, format_vector, listed
from course_utils.explorables.machine_models import Pass, Source
from course_utils.explorables.machine_vectors import Vectors

FEW = 4  # numbers of a vector that are written out; of a longer one, one less


def first_few(vector: Array["d"]) -> str:
    """Format a vector, and only its first numbers if it is long.

    >>> first_few(np.zeros(24))
    '(0.00, 0.00, 0.00, …)'
    """
    return format_vector(vector) if len(vector) <= FEW else f"{format_vector(vector[: FEW - 1])[:-1]}, …)"


def _terms(pairs, sizes):
    """The two largest of these terms, with what they are multiplied by."""
    order = np.argsort(-np.abs(sizes), kind="stable")[:2]
    return " + ".join(f"{a} · {b}" for a, b in (pairs[i] for i in order)) + (" + …" if len(pairs) > 2 else "")


def formulas(
    source: Source, at: Pass, head: int, query: int, key: int, names: list[str], forced: dict, uncut: Array["n"]
) -> dict[str, str]:
    """Return what each step computes for one query and one key of a head, by the name of the step.

    names: of the tokens, with their positions. forced: key -> its weight, for the keys of this row set by hand.
    uncut: the row without changes.
    """
    q, k, v, row = at.Q[head, query], at.K[head, key], at.V[head, key], at.weights[head, query]
    products, root = q * k, len(q) ** 0.5
    scores = at.K[head] @ q / root  # (n,)
    sees = row > 0
    parts = _terms([(format_number(a), format_number(b)) for a, b in zip(q, k, strict=True)], products)
    mixture = _terms([(format_number(w), first_few(value)) for w, value in zip(row, at.V[head], strict=True)], row)
    texts = {
        "vectors": f"key of {names[key]}: {first_few(k)}, value: {first_few(v)}; "
        f"query of {names[query]}: {first_few(q)}",
        "scores": f"score = q · k / √{len(q)} = ({parts}) / {format_number(root)} = {format_number(products.sum())} / "
        f"{format_number(root)} = {format_number(scores[key])}",
        "weights": _weight(scores, row, sees, key, forced, uncut),
        "mix": f"output of {names[query]} = {mixture} = {first_few(at.mixed[head, query])}",
    }
    if at.out is None:
        return texts
    sums = f"{first_few(at.X[query])} + {first_few(at.brought[query])}"
    after = {"norm": ", normalised", "norm after": ", normalised, through feed-forward, normalised"}
    said = after.get(source.block_kind, ", and what feed-forward adds")
    return texts | {
        "block": f"out of {names[query]} = vector + what the heads bring = {sums}{said} = {first_few(at.out[query])}"
    }


def _weight(scores, row, sees, key, forced, uncut):
    number = format_number(row[key])
    if key in forced:
        return f"weight = {number}, forced; the other keys share {format_number(1 - row[key])}"
    if forced:
        return f"weight = {number}, its part of the {format_number(1 - sum(forced.values()))} that is left"
    if not sees[key]:
        why = "this line is cut" if uncut[key] else "too thin to be drawn"
        return f"weight = {number}: {why}, and the other keys share the budget"
    largest = scores[sees].max()
    exponentials = np.exp(scores[sees] - largest)
    own = np.exp(scores[key] - largest)
    return (
        f"weight = e^({format_number(scores[key])} − {format_number(largest)}) / sum = {format_number(own)} / "
        f"{format_number(exponentials.sum())} = {number}"
    )


def _places(changes):
    return f"[{', '.join(map(repr, changes))}]"


def code_of(
    source: Source, sentence: str, hide: tuple, given: tuple, layer: int, head: int
) -> tuple[list[str], list[str]]:
    """Return the lines that come before, and those that do what the hand did."""
    before, call = source.code(sentence)
    if not call:
        return before, _code_of_vectors(source, len(source.names(sentence)), hide, given, layer, head)
    words = f", hide={_places(hide)}" if hide else ""
    if given:
        before = ["from course_utils.models.reading import with_weights", *before]
        words += f", attention=with_weights({_places(given)})"
    return before, [f"{call}{words})"]


def _code_of_vectors(source, n, hide, given, layer, head):
    """Vectors are not a model that could be called, so the code changes their mask and their weights."""
    of = "" if source.sizes == (1, 1) else f"[{layer}, {head}]"
    mine = [place for place in hide if len(place) == 4 and place[0] in (layer, None) and place[1] in (head, None)]
    lines = [f"mask = np.ones(({n}, {n}), bool)"] if mine else []
    lines += [f"mask[{':' if query is None else query}, {key}] = False" for _, _, query, key in mine]
    arrays = f"Q{of}, K{of}, V{of}" + (", mask" if mine else "")
    lines.append(f"output, weights = scaled_dot_product_attention({arrays})")
    for query, key, weight in [place[2:] for place in given if place[:2] == (layer, head)]:
        lines.append(f"weights[{query}] *= (1 - {weight}) / (1 - weights[{query}, {key}])")
        lines.append(f"weights[{query}, {key}] = {weight}")
        lines.append(f"output[{query}] = weights[{query}] @ V{of}")
    if (layer, head) in hide:
        lines.append("output[:] = 0")
    return lines


class TextMixin:
    """A part of TheMachine: its picture in words."""

    def text(self) -> str:
        """Return the sentence, the changes, the answer, the row and the formulas of the line in focus, and the code."""
        at, (layer, head, query) = self.source.passes(self.sentence, self.hide, self.given)[self.layer], self._row()
        scores = at.K[head] @ at.Q[head, query] / at.Q.shape[-1] ** 0.5  # (n,)
        uncut = self._read()[0][self._row()]
        numbers = zip(scores, at.weights[head, query], uncut, strict=True)
        looks = [f"{self._token(j)} {listed(('score', 'weight', 'uncut'), n)}" for j, n in enumerate(numbers)]
        names = [self._token(j) for j in range(len(self.tokens))]
        forced = {place[3]: place[4] for place in self.given if place[:3] == (layer, head, query)}
        texts = formulas(self.source, at, head, query, self.key, names, forced, uncut)
        return "\n".join(
            [
                " ".join(self.tokens),
                f"Cut: {self._listed(self.hide)}. Given: {self._listed(self.given)}.",
                self._answers(),
                *self._control(),
                f"Step: {self.step}.",
                f"layer {layer}, head {head}: {names[query]} looks at: {'; '.join(looks)}.",
                *texts.values(),
                self.code,
            ]
        )

    def _row(self):
        return self.layer, self.head, self.query

    def _answers(self):
        """The answer, without and with the changes."""
        if isinstance(self.source, Vectors):
            said = f"The output of {self._token(self.query)} is {first_few(self.uncut)}."
            return said + (f" With the changes: {first_few(self.answer)}." if self.hide or self.given else "")
        uncut, cut = (
            f"{self.source.label(x, self.sentence, *changes)}, {self.source.number_name} {format_number(x, 3)}"
            for x, changes in ((self.uncut, ()), (self.answer, (self.hide, self.given)))
        )
        return f"The model says: {uncut}." + (f" With the changes: {cut}." if self.hide or self.given else "")

    def _control(self):
        if isinstance(self.source, Vectors) or not len(self.source.kinds) or not (self.hide or self.given):
            return []
        others, before, after = self.others()
        if not others:
            return ["No other sentence built like this one is known."]
        own, uncut, cut = (np.asarray(x) >= self.source.threshold for x in (self.uncut, before, after))
        return [
            f"Of {len(others)} other sentences built like this one, {(uncut == own).sum()} get the same answer uncut. "
            f"The same changes turn {(uncut != cut).sum()} of their answers; {self.source.number_name} moves by "
            f"{format_number(np.abs(after - before).mean(), 3)} on average."
        ]

    def _listed(self, changes):
        return "; ".join(self._in_words(*change) for change in changes) or "nothing"

    def _in_words(self, layer, head, *edge):
        place = "everywhere" if layer is None else f"layer {layer}" + ("" if head is None else f", head {head}")
        if not edge:
            return place
        query, key, *weight = edge
        line = f"all lines from {self._token(key)}" if query is None else f"{self._token(query)} → {self._token(key)}"
        return f"{place}, {line}" + "".join(f" {format_number(x)}" for x in weight)

    def _token(self, i):
        return f"{self.tokens[i]} ({i})"
