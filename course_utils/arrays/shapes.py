"""Shapes in signatures: `scores: Array["..., n_keys"]` is an array whose last axis has one entry per key.

An array-like of that shape is accepted wherever the function converts its arguments, as most do.
"""

from typing import Annotated

import numpy as np


class Array:
    """An array of the shape in brackets; axes have names or lengths, and "..." stands for any number of them.

    >>> Array["n, 2"] == Annotated[np.ndarray, "n, 2"]
    True
    """

    def __class_getitem__(cls, shape: str):
        return Annotated[np.ndarray, shape]
