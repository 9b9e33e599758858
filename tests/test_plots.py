"""Pictures: axes are named, numbers in the cells are the numbers given."""

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.attention import causal_mask, scaled_dot_product_attention
from course_utils.pictures import plots
from course_utils.pictures.head_plots import GAP, small_multiples
from course_utils.sentences import REVIEW, review_vectors

WEIGHTS = scaled_dot_product_attention(*review_vectors(), mask=causal_mask(12)).weights
LINES = {"plain": [2.0, 4.0, 8.0], "scaled": [1.0, 1.0, 1.0]}
VALUES = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [1.0, 1.0]])  # the last one lies inside
OUTPUTS = scaled_dot_product_attention(VALUES, VALUES, VALUES).output
HEADS = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 4, 5))  # (n_layers, n_heads, n, n) = (3, 4, 5, 5)
PICTURES = {
    "small_multiples": lambda: small_multiples(HEADS, title="Heads"),
    "heatmap": lambda: plots.heatmap(WEIGHTS, REVIEW, title="Who looks at whom"),
    "small heatmap": lambda: plots.heatmap([[1.0, 0.0]], ["it"], ["cat", "mat"], title="Two keys"),
    "row_bars": lambda: plots.row_bars(WEIGHTS[10], REVIEW, query="amazing", highlight=[3], reference=WEIGHTS[4]),
    "arrows": lambda: plots.arrows([[2, 3], [5, -1]], ["a", "b"], title="Two arrows"),
    "mixtures": lambda: plots.mixtures(VALUES, OUTPUTS, ["a", "b", "c", "d"], title="Outputs among values"),
    "curves": lambda: plots.curves([2, 4, 8], LINES, xlabel="d_k", ylabel="variance", title="Growth"),
}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
def test_axes_and_title_are_named_in_a_readable_size(draw):
    ax = draw()
    named = [ax.xaxis.label, ax.yaxis.label, ax.title]
    assert all(text.get_text() for text in named)
    assert all(text.get_fontsize() >= 11 for text in [*named, *ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels()])


def test_the_heat_map_has_queries_on_the_rows_and_shows_the_given_numbers():
    ax = plots.heatmap(WEIGHTS, REVIEW)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(REVIEW)
    assert ax.get_ylabel().startswith("query") and ax.get_xlabel().startswith("key")
    np.testing.assert_array_equal(ax.images[0].get_array(), WEIGHTS)
    shown = {text.get_position(): text.get_text() for text in ax.texts}
    assert shown == {(j, i): f"{WEIGHTS[i, j]:.2f}" for i in range(12) for j in range(12)}


@pytest.mark.parametrize("weight", np.linspace(0, 1, 21))
def test_numbers_stand_out_from_their_cells(weight):
    ax = plots.heatmap([[weight, 1.0]], ["q"], ["a", "b"], vmax=1)
    cell = np.array(ax.images[0].cmap(weight)[:3]) ** 2.2 @ [0.2126, 0.7152, 0.0722]
    text = 0.0 if ax.texts[0].get_color() == "black" else 1.0
    contrast = (max(cell, text) + 0.05) / (min(cell, text) + 0.05)
    assert contrast >= 4.5  # WCAG AA


def test_the_region_of_mixtures_has_the_outermost_values_as_corners_and_holds_every_output():
    region = plots.mixtures(VALUES, OUTPUTS, ["a", "b", "c", "d"]).patches[0].get_path()
    assert {tuple(corner) for corner in region.vertices} == {(0, 0), (4, 0), (0, 4)}
    assert region.contains_points(OUTPUTS).all()
    assert not region.contains_points([[2.1, 2.1], [-0.1, 1.0], [1.0, -0.1]]).any()


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0, 2.0]] * 2, [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]])
def test_values_without_a_region_are_drawn_as_well(values):
    ax = plots.mixtures(values, values, "abc"[: len(values)])
    ax.figure.canvas.draw()
    assert len(ax.patches) == 1


def test_each_head_stands_in_its_row_and_column_with_its_label_in_the_middle():
    ax = small_multiples(HEADS)
    mosaic, step = np.asarray(ax.images[0].get_array().filled(np.nan)), 5 + GAP
    for layer, head in np.ndindex(3, 4):
        square = mosaic[GAP + layer * step :, GAP + head * step :][:5, :5]
        np.testing.assert_array_equal(square, HEADS[layer, head])
    assert np.isfinite(mosaic).sum() == HEADS.size and ax.images[0].norm.vmin == 0 and ax.images[0].norm.vmax == 1
    labels = [[label.get_text() for label in ticks] for ticks in (ax.get_xticklabels(), ax.get_yticklabels())]
    assert labels == [["0", "1", "2", "3"], ["0", "1", "2"]]
    middle = np.round([ax.get_xticks()[1], ax.get_yticks()[2]]).astype(int)
    assert middle.tolist() == [GAP + 5 + GAP + 2, GAP + 2 * (5 + GAP) + 2]
    assert "keys" in ax.get_xlabel() and "queries" in ax.get_ylabel()
