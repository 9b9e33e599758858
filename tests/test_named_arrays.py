"""Arrays by name, out of a file: in order, all of them and no other, and the first that does not fit is named."""

import numpy as np
import pytest

from course_utils.arrays.named_arrays import load_arrays

AXES = {"W": ("d_model", "d_k"), "b": ("d_k",)}
FITS = {"W": np.ones((4, 2)), "b": np.ones(2)}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"more": np.ones(1)}, r"^it.npz holds \['W', 'b', 'more'\]; wanted: \['W', 'b'\]"),
        ({"b": np.ones(3)}, r"^b has "),
    ],
)
def test_arrays_come_from_a_file_in_order_and_checked(tmp_path, changed, says):
    np.savez(tmp_path / "it.npz", **dict(reversed(FITS.items())))
    arrays = load_arrays(tmp_path / "it.npz", AXES)
    assert list(arrays) == list(AXES) and all(np.array_equal(arrays[name], FITS[name]) for name in AXES)
    np.savez(tmp_path / "it.npz", **FITS | changed)
    with pytest.raises(ValueError, match=says):
        load_arrays(tmp_path / "it.npz", AXES)
