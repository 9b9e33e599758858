"""Arrays by name: the first one that does not fit the others is named, in memory and in a file."""

import numpy as np
import pytest

from course_utils.named_arrays import check_axes, load_arrays

AXES = {"W": ("d_model", "d_k"), "b": ("d_k",), "V": ("d_model", "d_v"), "bias": ("1",), "n_heads": ()}
FITS = {"W": np.ones((4, 2)), "b": np.ones(2), "V": np.ones((4, 3)), "bias": np.ones(1), "n_heads": np.int32(2)}


def test_arrays_that_fit_are_let_pass():
    check_axes(FITS, AXES)
    check_axes(FITS | {"other": "not looked at"}, AXES)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"b": np.ones(3)}, r"^b has shape \(3,\) .* wanted: \(2,\)$"),
        ({"b": np.ones((2, 1))}, r"^b has shape \(2, 1\) .* wanted: \(2,\)$"),
        ({"V": np.ones((2, 3))}, r"^V has shape \(2, 3\) .* wanted: \(4, d_v\)$"),
        ({"V": np.ones(4)}, r"^V has shape \(4,\) .* wanted: \(4, d_v\)$"),
        ({"bias": np.ones(2)}, r"^bias has shape \(2,\) .* wanted: \(1,\)$"),
        ({"n_heads": np.ones(1)}, r"^n_heads has shape \(1,\) .* wanted: \(\)$"),
        ({"W": np.full((4, 2), np.nan)}, r"^W .* finite numbers; nan stands at \(0, 0\)"),
        ({"b": np.array(["a", "b"])}, "^b .* real numbers"),
    ],
)
def test_what_does_not_fit_is_named(changed, says):
    with pytest.raises(ValueError, match=says):
        check_axes(FITS | changed, AXES)


def test_arrays_come_from_a_file_in_order_and_checked(tmp_path):
    np.savez(tmp_path / "fits.npz", **dict(reversed(FITS.items())))
    arrays = load_arrays(tmp_path / "fits.npz", AXES)
    assert list(arrays) == list(AXES)
    assert all(np.array_equal(arrays[name], FITS[name]) for name in AXES)
    np.savez(tmp_path / "more.npz", **FITS, more=np.ones(1))
    with pytest.raises(
        ValueError, match=r"^more.npz holds \['V', 'W', 'b', 'bias', 'more', 'n_heads'\]; wanted: \['V', 'W'"
    ):
        load_arrays(tmp_path / "more.npz", AXES)
    np.savez(tmp_path / "shape.npz", **FITS | {"b": np.ones(3)})
    with pytest.raises(ValueError, match=r"^b has shape \(3,\)"):
        load_arrays(tmp_path / "shape.npz", AXES)
