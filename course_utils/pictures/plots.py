"""Pictures of the course: arrays in, Axes out. Nothing here computes attention.

Importing this module sets fonts that are legible from the back of a room. Weights have a white-to-blue scale whose
lightness falls evenly, so that it survives greyscale and colour blindness; lines have Okabe and Ito's palette.
"""

from collections.abc import Collection, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke

from course_utils.arrays.arguments import as_finite, wrong
from course_utils.arrays.shapes import Array
from course_utils.pictures.figure_html import show_in_words
from course_utils.pictures.palette import BLUE, CELLS, FIGURE_SIZES, GREEN, GREY, GRID, MIXTURES, ORANGE, PURPLE
from course_utils.pictures.palette import WEIGHTS as STOPS

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, GREY)
MARKERS = ("o", "s", "^", "D", "v")  # never colour alone
WEIGHTS = LinearSegmentedColormap.from_list("weights", STOPS)

plt.rcParams.update(
    {
        **FIGURE_SIZES,
        "figure.dpi": 80,  # letters as large as those of the page, and a picture on one screen with its code
        "figure.constrained_layout.use": True,
        "axes.titlepad": 12,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "lines.linewidth": 2.2,
        "lines.markersize": 7,
        "legend.frameon": False,
        "axes.prop_cycle": plt.cycler(color=COLOURS),
        "savefig.facecolor": "white",
    }
)
show_in_words()  # in a notebook, each figure with its words


def heatmap(weights: Array["n_queries, n_keys"], queries: Sequence[str], keys: Sequence[str] | None = None, *,
            title: str = "", ax: Axes | None = None, vmax: float | None = None, numbers: bool | None = None,
            form: str = "{:.2f}", label: str = "weight") -> Axes:  # fmt: skip
    """Draw weights as a heat map: queries on the rows, keys on the columns, both labelled.

    queries, keys: one word for each row and column (keys=None: the same words). label: what a colour stands for.
    vmax: the weight of the darkest colour (None: the largest). numbers: write each weight into its cell, in this form
    (None: up to 16 keys). Raises ValueError for weights that are not a finite matrix and words that do not fit.
    """
    weights = as_finite("weights", weights, "(n_queries, n_keys)", rank=2, exact=True)
    keys = queries if keys is None else keys
    queries, keys = _words("queries", queries, weights.shape[0]), _words("keys", keys, weights.shape[1])
    numbers = len(keys) <= 16 if numbers is None else numbers
    ax = _axes(ax, (2.6 + 0.6 * len(keys), 1.6 + 0.36 * len(queries)))
    top = max(weights.max(), 1e-12) if vmax is None else vmax
    image = ax.imshow(weights, cmap=WEIGHTS, vmin=0, vmax=top, aspect="auto")
    _name_cells(ax, queries, keys)
    ax.set_title(title)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.9, pad=0.02)
    if numbers:
        _write_numbers(ax, weights, image, form)
    return ax


def _name_cells(ax, queries, keys):
    """Write the words on the axes of a heat map, long ones slanted, and draw thin lines between its cells."""
    is_long = len(keys) > 8 or max(map(len, keys)) > 5
    slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if is_long else {}
    ax.set_xticks(range(len(keys)), keys, **slanted)
    ax.set_yticks(range(len(queries)), queries)
    ax.set(xlabel="key (looked at)", ylabel="query (looking)")
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(1, len(keys)) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, len(queries)) - 0.5, minor=True)
    ax.grid(which="minor", color=CELLS, linewidth=0.8)
    ax.tick_params(which="both", length=0)


def row_bars(row: Array["n_keys"], keys: Sequence[str], *, query: str = "", title: str = "", ax: Axes | None = None,
             highlight: Collection[int] = (), reference: Array["n_keys"] | None = None,
             reference_name: str = "wanted", xlabel: str = "weight") -> Axes:  # fmt: skip
    """Draw one row of weights as horizontal bars, one key below the other, each with its number.

    query: the word that looks, for the title. highlight: positions drawn in the second colour and in bold.
    reference: a second row, drawn as a small black line on each bar. reference_name: what the legend calls it.
    Raises ValueError for lengths that do not fit.
    """
    row = as_finite("row", row, "(n_keys,)", rank=1, exact=True)
    keys = _words("keys", keys, len(row))
    ax = _axes(ax, (7.2, 1.2 + 0.29 * len(row)))
    positions = np.arange(len(row))
    ax.barh(positions, row, color=[ORANGE if i in highlight else BLUE for i in positions], height=0.68)
    if reference is not None:
        reference = as_finite("reference", reference, f"({len(row)},)", rank=1, exact=True)
        if reference.shape != row.shape:
            raise wrong("reference", reference, f"({len(row)},), one weight for each key")
        ax.plot(reference, positions, "|", color="black", markersize=18, markeredgewidth=2.5, label=reference_name)
        ax.legend(loc="lower right")
    tips = row if reference is None else np.maximum(row, reference)
    _write_weights(ax, row, tips)
    ax.set_yticks(positions, keys)
    for position in highlight:
        ax.get_yticklabels()[position].set_fontweight("bold")
    ax.invert_yaxis()
    ax.margins(x=0.14)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=xlabel, ylabel="key", title=title or (f"Where “{query}” looks" if query else ""))
    return ax


def _write_weights(ax, row, tips):
    for position, (weight, tip) in enumerate(zip(row, tips, strict=True)):
        gap, side = (6, "left") if weight >= 0 else (-6, "right")
        ax.annotate(f"{weight:.2f}", (tip, position), (gap, 0), textcoords="offset points", va="center", ha=side)


def arrows(vectors: Array["n, 2"], names: Sequence[str], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw 2-D vectors as arrows from the origin, each with its name at the tip.

    Raises ValueError for vectors that are not (n, 2) and for a number of names that does not fit.
    """
    vectors = as_finite("vectors", vectors, "(n, 2)", rank=2, exact=True)
    if vectors.shape[1] != 2:
        raise wrong("vectors", vectors, "(n, 2), two numbers for each arrow")
    names = _words("names", names, len(vectors))
    ax = _axes(ax, (4.9, 4.3))
    reach = 1.3 * max(np.abs(vectors).max(), 1e-12)
    for (x, y), name, colour in zip(vectors, names, COLOURS * len(names), strict=False):
        style = {"arrowstyle": "-|>", "color": colour, "lw": 2.6, "mutation_scale": 20}
        ax.annotate("", (x, y), (0, 0), arrowprops=style)
        length = max(np.hypot(x, y), 1e-12)
        flat = abs(y) < 0.3 * length  # then the name goes above the tip: beside it, it would not fit
        side = "center" if flat or abs(x) < 0.3 * length else "left" if x > 0 else "right"
        gap = (0, 16) if flat else (14 * x / length, 14 * y / length)
        ax.annotate(name, (x, y), gap, textcoords="offset points", color=colour, ha=side, va="center",
                    fontweight="bold")  # fmt: skip
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title)
    ax.set(xlabel="first number", ylabel="second number")
    ax.grid(color=GRID, linewidth=0.8)
    return ax


def curves(x: Array["n"], lines: dict[str, Array["n"]], *, xlabel: str, ylabel: str, title: str = "",
           bands: dict[str, tuple[Array["n"], Array["n"]]] | None = None, ax: Axes | None = None,
           markers: bool = True, powers_of_two: bool = False) -> Axes:  # fmt: skip
    """Draw lines {name: y} over x, each in its colour and marker, and bands {name: (low, high)} around them.

    powers_of_two: x doubles from tick to tick. Raises ValueError for lengths that do not fit.
    """
    x = as_finite("x", x, "(n,)", rank=1, exact=True)
    ax = _axes(ax, (7.6, 4.2))
    for (name, y), colour, marker in zip(lines.items(), COLOURS * len(lines), MARKERS * len(lines), strict=False):
        y = np.asarray(y, dtype=float)
        if y.shape != x.shape:
            raise wrong(f"lines[{name!r}]", y, f"{x.shape}, one number for each x")
        ax.plot(x, y, color=colour, marker=marker if markers else None, label=name)
        if bands and name in bands:
            ax.fill_between(x, *bands[name], color=colour, alpha=0.2, linewidth=0)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.grid(color=GRID, linewidth=0.8)
    if len(lines) > 1:
        ax.legend()
    if powers_of_two:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:.0f}")
    return ax


def mixtures(values: Array["n, 2"], outputs: Array["n, 2"], names: Sequence[str], *, title: str = "",
             ax: Axes | None = None) -> Axes:  # fmt: skip
    """Draw 2-D values, the region of all their mixtures, and the outputs, each pair with its name.

    The region is the convex hull of the values, the first patch of the Axes:
    weights that are at least 0 and sum to 1 reach every point of it, and none outside.
    Raises ValueError for points that are not (n, 2) and names that do not fit.
    """
    values = as_finite("values", values, "(n, 2)", rank=2, exact=True)
    if values.shape[1] != 2:
        raise wrong("values", values, "(n, 2), two numbers for each value")
    outputs = as_finite("outputs", outputs, f"{values.shape}", rank=2, exact=True)
    if outputs.shape != values.shape:
        raise wrong("outputs", outputs, f"{values.shape}, one output for each value")
    names = _words("names", names, len(values))
    ax = _axes(ax, (7.4, 4.3))
    ax.fill(*_hull(values).T, facecolor=MIXTURES, edgecolor=GREEN, linewidth=1.5, label="all mixtures of values")
    ax.plot(*values.T, "o", color=GREEN, markersize=11, label="value")
    ax.plot(*outputs.T, "^", color=PURPLE, markersize=11, label="output")
    _name_points(ax, np.concatenate([values, outputs]), names * 2, [GREEN] * len(values) + [PURPLE] * len(outputs))
    ax.margins(x=0.22, y=0.16)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xlabel="first number", ylabel="second number", title=title)
    ax.grid(color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, columnspacing=1.2, handletextpad=0.5)
    return ax


def _hull(points):
    """Return the corners of the convex hull of points (n, 2), in order (Andrew's monotone chain)."""
    points = np.unique(points, axis=0)  # sorted by the first number, then by the second
    corners = []
    for order in (points, points[::-1]):  # the lower side, then the upper side
        side = []
        for point in order:
            while len(side) > 1 and _turn(side[-2], side[-1], point) <= 0:
                side.pop()
            side.append(point)
        corners += side[:-1]
    return np.array(corners) if corners else points


def _turn(a, b, c):
    """Return a number that is positive if the path from a to b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _name_points(ax, points, names, colours):
    """Write a name beside each point, on the side that is free: the other points push the name away."""
    for point, name, colour in zip(points, names, colours, strict=True):
        away = point - points  # (n, 2)
        distances = np.maximum(np.hypot(*away.T), 1e-12)[:, None]  # (n, 1)
        push = (away / distances**3).sum(axis=0)
        x, y = push / max(np.hypot(*push), 1e-12)
        ax.annotate(name, point, (11 * x, 17 * y), textcoords="offset points", color=colour, fontweight="bold",
                    ha="center" if abs(x) < 0.4 else "left" if x > 0 else "right", va="center",
                    path_effects=[withStroke(linewidth=3, foreground="white")])  # fmt: skip


def _axes(ax, size):
    return plt.subplots(figsize=size)[1] if ax is None else ax


def _words(name, words, count):
    words = [str(word) for word in words]
    if len(words) != count:
        raise wrong(name, words, f"{count} words, one for each of the {count} rows or columns it names")
    return words


def _write_numbers(ax, weights, image, form):
    for (i, j), weight in np.ndenumerate(weights):
        red, green, blue, _ = np.array(image.cmap(image.norm(weight))) ** 2.2
        luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue  # at 0.18 black and white stand out equally
        colour = "black" if luminance > 0.18 else "white"
        ax.text(j, i, form.format(weight), ha="center", va="center", fontsize=11, color=colour)
