"""Arrays that go by names: do their shapes fit each other, and are they in a file? NumPy only."""

from pathlib import Path

import numpy as np

from course_utils.arguments import as_finite, wrong


def check_axes(arrays, axes) -> None:
    """Raise ValueError, with the name of the array, unless all arrays are finite numbers whose axes fit each other.

    arrays: a dict, name -> array.
    axes: a dict, name -> the names of its axes; axes of one name have one length,
    the length that the first of them has. An axis "1" has length 1.

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


def load_arrays(path, axes) -> dict:
    """Read the arrays of an .npz file, without pickle: a dict, name -> array, in the order of `axes`.

    Raises FileNotFoundError for a file that is not there, and ValueError for other names and for shapes
    that `check_axes` refuses.
    """
    with np.load(path, allow_pickle=False) as file:
        if set(file.files) != set(axes):
            raise ValueError(f"{Path(path).name} holds {sorted(file.files)}; wanted: {sorted(axes)}")
        arrays = {name: file[name] for name in axes}
    check_axes(arrays, axes)
    return arrays
