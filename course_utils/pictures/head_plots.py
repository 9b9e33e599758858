"""All heads of an encoder in one picture. Arrays in, Axes out, in the style of plots.py."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_finite, wrong
from course_utils.arrays.shapes import Array
from course_utils.pictures.alternatives import say
from course_utils.pictures.palette import MISSING
from course_utils.pictures.plots import WEIGHTS

GAP = 2  # cells between two heads


def small_multiples(weights: Array["n_layers, n_heads, n, n"], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the weights of many heads as small heat maps: one row for each layer, one column for each head.

    In each map rows are queries and columns are keys; the strongest colour is a weight of 1.
    Returns the Axes, whose image is the mosaic, with NaN between the heads.
    Raises ValueError for weights of another rank, NaN and inf.

    >>> small_multiples(np.ones((2, 3, 4, 4)) / 4).images[0].get_array().shape
    (14, 20)
    """
    weights = as_finite("weights", weights, "(n_layers, n_heads, n, n)", rank=4, exact=True)
    n_layers, n_heads, n, n_keys = weights.shape
    if n != n_keys:
        raise wrong("weights", weights, "(n_layers, n_heads, n, n), square at the end")
    step = n + GAP
    padded = np.pad(weights, ((0, 0), (0, 0), (GAP, 0), (GAP, 0)), constant_values=np.nan)
    mosaic = padded.swapaxes(1, 2).reshape(n_layers * step, n_heads * step)
    mosaic = np.pad(mosaic, (0, GAP), constant_values=np.nan)
    ax = plt.subplots(figsize=(1.4 + 0.8 * n_heads, 1.0 + 0.8 * n_layers))[1] if ax is None else ax
    image = ax.imshow(mosaic, cmap=WEIGHTS.with_extremes(bad=MISSING), vmin=0, vmax=1, interpolation="nearest")
    ax.set_xticks(GAP + step * np.arange(n_heads) + (n - 1) / 2, range(n_heads))
    ax.set_yticks(GAP + step * np.arange(n_layers) + (n - 1) / 2, range(n_layers))
    ax.set(xlabel="head (in each square: keys)", ylabel="layer (in each square: queries)", title=title)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="weight", shrink=0.9, pad=0.02)
    _say_favourites(ax, weights)
    return ax


def _say_favourites(ax, weights):
    """Say in words which key gets most of each head's weight, in how many heads."""
    n_layers, n_heads, n, _ = weights.shape
    keys, counts = np.unique(weights.mean(axis=2).argmax(axis=-1), return_counts=True)
    most = ", ".join(f"key {keys[i]} in {counts[i]}" for i in np.argsort(-counts, kind="stable")[:3])
    say(
        ax,
        f"One small heat map for each of {n_layers * n_heads} heads: {n_layers} layers, one below the other, of "
        f"{n_heads} heads each. Rows are {n} queries, columns {n} keys, counted from 0. "
        f"Heads by their favourite key: {most}.",
    )
