"""Traits that check their values: a wrong one raises a ValueError that names the trait and says what is wanted.

They are synced with the page: it gets lists and numbers, Python gets read-only NumPy arrays and plain values.
"""

import base64
from collections.abc import Iterable, Sequence

import numpy as np
import traitlets

from course_utils.arrays.arguments import as_count, as_finite, as_real, wrong
from course_utils.arrays.shapes import Array


def pack_array(array: Array["..."]) -> dict:
    """Return an array for the page to unpack: its shape, and float32 bytes, since nested lists would be slow."""
    return {"shape": list(array.shape), "float32": base64.b64encode(array.astype("<f4").tobytes()).decode()}


class Checked(traitlets.TraitType):
    """A synced trait. A subclass checks values in `validate`, the first one too.

    fixed: the page reads it once, so it cannot change once the explorable exists.
    `rule` says what fits as plain values, for a page that has no Python: book/static/links.js reads it.
    """

    rule = {}

    def __init__(self, default: object, *, fixed: bool = False, **options: object) -> None:
        super().__init__(default, **options)
        self.fixed = fixed
        self.tag(sync=True, to_json=self.for_page)

    def _validate(self, owner, value):
        if self.fixed and getattr(owner, "is_initialised", False):
            raise wrong(self.name, value, "no change: the page reads this once, so make a new explorable")
        return super()._validate(owner, value)

    @staticmethod
    def for_page(value: object, widget: traitlets.HasTraits) -> object:
        return value


class Numbers(Checked):
    """Finite numbers of one shape, as a read-only float64 array; the page gets nested lists.

    shape, in words: "(2,)" or "(n_queries, n_keys)"; digits must match, names stand for any length from 1. most: the
    largest absolute value.

    >>> class Pad(traitlets.HasTraits):
    ...     a = Numbers([2, 3], "(2,)")
    >>> Pad().a
    array([2., 3.])
    >>> Pad(a=[1, 2, 3])
    Traceback (most recent call last):
    ValueError: a has shape (3,) and dtype int64; wanted: (2,)
    """

    def __init__(self, default: Array["..."], shape: str, *, most: float = 1e6, **options: object) -> None:
        self.shape, self.most = shape, most
        self.axes = [axis.strip() for axis in shape.strip("()").split(",") if axis.strip()]
        super().__init__(default, **options)

    @property
    def rule(self) -> dict[str, object]:
        return {"shape": self.axes, "least": -self.most, "most": self.most}

    @staticmethod
    def for_page(value: Array["..."], widget: traitlets.HasTraits) -> list:
        return value.tolist()

    def validate(self, owner: traitlets.HasTraits, value: object) -> Array["..."]:
        array = as_finite(self.name, value, self.shape, rank=len(self.axes), exact=True)
        if any(axis.isdigit() and int(axis) != length for axis, length in zip(self.axes, array.shape, strict=True)):
            raise wrong(self.name, np.asarray(value), self.shape)
        if np.abs(array).max() > self.most:
            raise wrong(self.name, np.asarray(value), f"{self.shape}, no number beyond {self.most:g} in size")
        array = array.astype(np.float64)  # a copy, so that the caller may change the original
        array.flags.writeable = False
        return array


class Real(Checked):
    """A finite number from `least` to `most`, as a float."""

    def __init__(self, default: float, *, least: float, most: float) -> None:
        self.least, self.most = least, most
        super().__init__(default)

    @property
    def rule(self) -> dict[str, object]:
        return {"least": self.least, "most": self.most}

    def validate(self, owner: traitlets.HasTraits, value: object) -> float:
        wanted = f"a number from {self.least:g} to {self.most:g}"
        number = as_real(self.name, value, wanted=wanted)
        if not self.least <= number <= self.most:
            raise wrong(self.name, value, wanted)
        return number


class Count(Checked):
    """A whole number from `least` to `most`."""

    def __init__(self, default: int | None, *, least: int = 0, most: int | None = None, **options: object) -> None:
        self.least, self.most = least, most
        super().__init__(default, **options)

    @property
    def rule(self) -> dict[str, object]:
        return {"whole": True, "least": self.least, "most": self.most, "none": self.allow_none}

    def validate(self, owner: traitlets.HasTraits, value: object) -> int:
        return as_count(self.name, value, least=self.least, most=self.most)


class OneOf(Checked):
    """One of a few texts."""

    def __init__(self, default: str, choices: Iterable[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(default)

    @property
    def rule(self) -> dict[str, object]:
        return {"of": self.choices}

    def validate(self, owner: traitlets.HasTraits, value: object) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise wrong(self.name, value, "one of " + ", ".join(map(repr, self.choices)))
        return value


class Yes(Checked):
    """True or False, and nothing else."""

    rule = {"of": (True, False)}

    def validate(self, owner: traitlets.HasTraits, value: object) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise wrong(self.name, value, "True or False")
        return bool(value)


class Words(Checked):
    """From `least` to `most` texts, not empty, in any script, as a tuple; one text is not a list of its letters."""

    def __init__(self, default: Sequence[str], *, least: int = 1, most: int = 64, **options: object) -> None:
        self.least, self.most = least, most
        super().__init__(default, **options)

    @property
    def rule(self) -> dict[str, object]:
        return {"shape": ["n"], "text": True, "axes": {"n": (self.least, self.most)}}

    def validate(self, owner: traitlets.HasTraits, value: object) -> tuple[str, ...]:
        count = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        wanted = f"a list of {count} words, each a text that is not empty"
        words = () if isinstance(value, str) or not np.iterable(value) else tuple(value)
        fits = self.least <= len(words) <= self.most
        if not fits or not all(isinstance(word, str) and word.strip() for word in words):
            raise wrong(self.name, value, wanted)
        return tuple(str(word) for word in words)
