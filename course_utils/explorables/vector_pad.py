"""VectorPad: two arrows to drag, and their dot product."""

import numpy as np
from matplotlib.axes import Axes

from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, format_vector
from course_utils.explorables.traits import Numbers, Words, Yes
from course_utils.pictures.plots import arrows


class VectorPad(Explorable):
    """Two arrows whose tips can be dragged, their dot product, lengths, angle, cosine, and the projection of b on a.

    a, b (2,): the arrows, no number beyond 1e6 in size. names: their two names. snap: a dragged tip snaps where the
    angle is 0, 90 or 180 degrees. presenter: a larger view. Python reads `pad.a`, `pad.b` as arrays.
    Raises ValueError for other shapes.

    >>> pad = VectorPad(a=[2, 3], b=[5, -1])
    >>> float(pad.a @ pad.b)
    7.0
    """

    _esm = bundle("vector_pad.js")
    STATE = ("a", "b", "snap")
    a = Numbers([2, 3], "(2,)")
    b = Numbers([5, -1], "(2,)")
    names = Words(["a", "b"], least=2, most=2, fixed=True)
    snap = Yes(True)

    def figure(self) -> Axes:
        """Draw both arrows."""
        a, b = self.names
        return arrows([self.a, self.b], self.names, title=f"{a} · {b} = {format_number(self.a @ self.b)}")

    def text(self) -> str:
        """Return vectors, lengths, dot product, angle, cosine and projection in four lines."""
        (name_a, name_b), product = self.names, self.a @ self.b
        lengths = np.hypot(*self.a), np.hypot(*self.b)
        cosine = np.clip(product / np.prod(lengths), -1, 1) if all(lengths) else None
        angle = "none" if cosine is None else f"{format_number(np.degrees(np.arccos(cosine)), 1)}°"
        projection = product / lengths[0] if lengths[0] else 0.0
        return "\n".join(
            [
                f"{name_a} = {format_vector(self.a)}, length {format_number(lengths[0])}",
                f"{name_b} = {format_vector(self.b)}, length {format_number(lengths[1])}",
                f"{name_a} · {name_b} = {_sums(self.a, self.b)} = {format_number(product)}: {_sign(product)}",
                f"angle {angle}, cosine {'none' if cosine is None else format_number(cosine)}, "
                f"projection of {name_b} on {name_a} {format_number(projection)}",
            ]
        )


def _sums(a, b):
    """The dot product as a sum of products, with negative second factors in brackets."""
    factors = [f"({format_number(y)})" if format_number(y).startswith("−") else format_number(y) for y in b]
    return " + ".join(f"{format_number(x)} · {factor}" for x, factor in zip(a, factors, strict=True))


def _sign(product):
    text = format_number(product)
    return "they disagree" if text.startswith("−") else "they agree" if float(text) else "nothing in common"
