"""Named arrays: check that their shapes fit each other, and load them from a file. NumPy only."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from course_utils.arrays.arguments import as_finite, wrong


def check_axes(arrays: Mapping[str, np.ndarray], axes: Mapping[str, Sequence[str]]) -> None:
    """Raise ValueError, with the name of the array, unless all arrays are finite numbers whose axes fit each other.

    axes: the names of the axes of each array; axes with the same name must have the same length, an axis "1" length 1.

    >>> check_axes({"W": np.ones((8, 2)), "b": np.ones(3)}, {"W": ("d_model", "d_k"), "b": ("d_k",)})
    Traceback (most recent call last):
    ValueError: b has shape (3,) and dtype float64; wanted: (2,)
    """
    lengths = {"1": 1}
    for name, names in axes.items():
        wanted = f"({', '.join(str(lengths.get(axis, axis)) for axis in names)}{',' * (len(names) == 1)})"
        array = as_finite(name, arrays[name], wanted, rank=len(names), exact=True)
        if any(lengths.setdefault(axis, n) != n for axis, n in zip(names, array.shape, strict=True)):
            raise wrong(name, array, wanted)


def load_arrays(path: str | Path, axes: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Read the arrays of an .npz file, without pickle, in the order of `axes`.

    Raises FileNotFoundError for a missing file, and ValueError for other names and shapes that `check_axes` refuses.
    """
    with np.load(path, allow_pickle=False) as file:
        if set(file.files) != set(axes):
            raise ValueError(f"{Path(path).name} holds {sorted(file.files)}; wanted: {sorted(axes)}")
        arrays = {name: file[name] for name in axes}
    check_axes(arrays, axes)
    return arrays
