"""All heads in one picture: each stands where its number says, and the words can be read."""

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.head_plots import GAP, small_multiples

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 4, 5))  # (n_layers, n_heads, n, n) = (3, 4, 5, 5)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_each_head_stands_in_its_row_and_column():
    ax = small_multiples(WEIGHTS)
    mosaic, step = np.asarray(ax.images[0].get_array().filled(np.nan)), 5 + GAP
    for layer, head in np.ndindex(3, 4):
        square = mosaic[GAP + layer * step :, GAP + head * step :][:5, :5]
        np.testing.assert_array_equal(square, WEIGHTS[layer, head])
    assert np.isfinite(mosaic).sum() == WEIGHTS.size
    assert [ax.images[0].norm.vmin, ax.images[0].norm.vmax] == [0, 1]


def test_the_labels_stand_in_the_middle_of_their_heads():
    ax = small_multiples(WEIGHTS, title="Heads")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1", "2"]
    middle = np.round([ax.get_xticks()[1], ax.get_yticks()[2]]).astype(int)
    assert middle.tolist() == [GAP + 5 + GAP + 2, GAP + 2 * (5 + GAP) + 2]
    assert "keys" in ax.get_xlabel() and "queries" in ax.get_ylabel() and ax.get_title() == "Heads"
    assert all(t.get_fontsize() >= 11 for t in [ax.xaxis.label, ax.yaxis.label, ax.title, *ax.get_xticklabels()])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: small_multiples(WEIGHTS[0]), r"weights has shape \(4, 5, 5\) .* \(n_layers, n_heads, n, n\)"),
        (lambda: small_multiples(WEIGHTS[..., :3]), "square at the end"),
        (lambda: small_multiples(WEIGHTS * np.nan), "nan stands at"),
    ],
)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
