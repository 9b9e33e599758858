"""What a figure shows, in words and as a table: read from its Axes, so that they hold for every figure of the course.

The words name what is largest, with two digits, sum up the rest, and follow a curve from one end to the other.
"""

import re
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from course_utils.pictures.spoken_numbers import count_in_words, course, reach, row_text, writer

MOST_ROWS = 14  # of a heat map that are described one by one
MOST_COLUMNS = 32  # of a table
MOST_POINTS = 25  # in the table of a curve
SPOKEN = {",": "comma", ".": "full stop", "?": "question mark", "!": "exclamation mark"}  # else a voice is silent
NUMBER = re.compile(r"[-−+]?[\d.,]+ ?%?")
_own_words = WeakKeyDictionary()  # Axes -> words of the function that drew them


class Part(NamedTuple):
    """One thing in an Axes: its words, and the columns (name, cells) of its table, first that with the rows' names."""

    words: str
    columns: list[tuple[str, list[str]]]


def say(ax: Axes, words: str) -> None:
    """Give an Axes words of its own, where its marks alone do not tell what it shows. It then has no table."""
    _own_words[ax] = words


def describe(figure: Figure) -> str:
    """Return what a figure shows in words, with two digits for each number.

    >>> from course_utils.pictures.plots import row_bars
    >>> words = ["The", "movie", "was", "not", "good", "but", "amazing"]
    >>> ax = row_bars([0.01, 0, 0, 0.66, 0, 0, 0.33], words, query="good")
    >>> describe(ax.figure)
    'Bars: Where “good” looks. Weight by key: not 0.66, amazing 0.33, The 0.01, the four others 0.00 together.'
    """
    axes = _axes(figure)
    words = [_described(ax)[0] for ax in axes]
    if len(axes) > 1:
        words = [f"{i} of {len(axes)}: {text}" for i, text in enumerate(words, 1)]
    above = figure.get_suptitle()
    below = [text.get_text() for text in figure.texts if text.get_text() != above]
    return " ".join(filter(None, [_sentence(above), *words, *below])) or "An empty figure."


def tables(figure: Figure) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return the numbers of each Axes of a figure: its title, and columns (name, cells), the rows' names first."""
    return [(title, columns) for _, title, columns in map(_described, _axes(figure)) if columns]


def _axes(figure):
    return [ax for ax in figure.axes if not hasattr(ax, "_colorbar") and ax.get_visible()]


def _described(ax):
    """Return the words of an Axes, its title and the columns of its table."""
    title = ". ".join(ax.get_title().splitlines())
    try:
        kind, parts = ("Picture", [Part(_own_words[ax], [])]) if ax in _own_words else _parts(ax)
    except (TypeError, ValueError, IndexError, AttributeError):  # a student's own figure may hold anything
        kind, parts = "Picture", []
    words = " ".join(part.words for part in parts if part.words)
    head = _sentence(f"{kind}: {title}" if title else kind)
    return (
        f"{head} {words}".strip(),
        title,
        _side_by_side(part.columns for part in parts),
    )


def _side_by_side(parts):
    """Return the columns of all parts whose rows have the names of the first one's."""
    rows, *others = [*filter(None, parts)] or [[]]
    return rows + [column for more in others if more[0] == rows[0] for column in more[1:]]


def _parts(ax):
    """Return what kind of picture an Axes is, and its parts."""
    bars = [container for container in ax.containers if isinstance(container, BarContainer)]
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    lines = [line for line in ax.get_lines() if _is_data(ax, line)]
    curves = [line for line in lines if line.get_linestyle() != "None"]
    points = [line for line in lines if line.get_linestyle() == "None"]
    if ax.images:
        return "Heat map", [_heat_map(ax, ax.images[0])]
    if bars:
        return "Bars", [part for bar in bars for part in _bars(ax, bar, points)]
    if arrows:
        return "Arrows", [_arrows(ax, arrows)]
    kind = "Points" if not curves else "Curve" if len(curves) == 1 else "Curves"
    found = [_curves(ax, curves)] if curves else []
    return kind, [*found, *_points(ax, points), _marks(ax)]


def _is_data(ax, line):
    """Whether a line is drawn from numbers, as those of axvline and axhline are not."""
    return line.get_transform() == ax.transData and len(line.get_xdata())


def _heat_map(ax, image):
    values = np.ma.filled(image.get_array().astype(float), np.nan)
    rows, columns = _ticks(ax.yaxis, range(len(values))), _ticks(ax.xaxis, range(values.shape[1]))
    write = writer(values)
    label = image.colorbar.ax.get_ylabel() if image.colorbar else ""
    axes = "; ".join(
        f"{each}: {axis.get_label_text()}"
        for each, axis in (("rows", ax.yaxis), ("columns", ax.xaxis))
        if axis.get_label_text()
    )
    extent = f"{label or 'values'} {reach(values[np.isfinite(values)], write)}"
    if len(values) <= MOST_ROWS:
        said = [f"{row}: {row_text(columns, line, write)}" for row, line in zip(rows, values, strict=True)]
    elif len(columns) <= MOST_ROWS:
        said = [f"{column}: {row_text(rows, line, write)}" for column, line in zip(columns, values.T, strict=True)]
    else:
        most = values.round(6).argmax(axis=1)
        said = [f"{row} → {columns[j]} {write(line[j])}" for row, line, j in zip(rows, values, most, strict=True)]
        said = [f"the largest of each row: {', '.join(said)}"] if len(rows) <= MOST_COLUMNS else []
    cells = [(name, [*map(write, column)]) for name, column in zip(columns, values.T, strict=True)]
    table = [("", rows), *cells] if len(columns) <= MOST_COLUMNS else []
    return Part(f"{_capital('; '.join(filter(None, [axes, extent])))}. {'. '.join(said)}.", table)


def _bars(ax, bars, points):
    is_flat = bars.orientation == "horizontal"
    name_axis, measured = (ax.yaxis, ax.xaxis) if is_flat else (ax.xaxis, ax.yaxis)
    at = [(bar.get_y() + bar.get_height() / 2) if is_flat else (bar.get_x() + bar.get_width() / 2) for bar in bars]
    names, values = _ticks(name_axis, at), np.array(bars.datavalues, dtype=float)
    write, what = writer(values), _label(measured, "value")
    by = f" by {_label(name_axis, '')}" if _label(name_axis, "") else ""
    yield Part(f"{_capital(what)}{by}: {row_text(names, values, write)}.", [("", names), (what, [*map(write, values)])])
    for line in points:  # marks on the bars
        marked = np.asarray(line.get_xdata() if is_flat else line.get_ydata(), dtype=float)
        if len(marked) == len(values):
            what = line.get_label()
            words = f"{_capital(what)}: {row_text(names, marked, write)}."
            yield Part(words, [("", names), (what, [*map(write, marked)])])


def _arrows(ax, arrows):
    tips = [(arrow.xy, _name_at(ax, arrow.xy)) for arrow in arrows]
    write = writer([xy for xy, _ in tips])
    words = ", ".join(f"{name} to ({write(x)}, {write(y)})" for (x, y), name in tips)
    xs, ys = [write(x) for (x, _), _ in tips], [write(y) for (_, y), _ in tips]
    columns = [("", [name for _, name in tips]), (_label(ax.xaxis, "x"), xs), (_label(ax.yaxis, "y"), ys)]
    return Part(f"From the origin: {words}.", columns)


def _curves(ax, curves):
    what, over = _label(ax.yaxis, "y"), _label(ax.xaxis, "x")
    drawn = [[np.asarray(data, dtype=float) for data in line.get_data()] for line in curves]
    all_x, all_y = (np.concatenate(numbers) for numbers in zip(*drawn, strict=True))
    write_x, write = writer(all_x, whole=True), writer(all_y, ax.get_yscale() == "log")
    said, tables = [f"{_capital(what)} over {over}{':' if len(curves) == 1 else '.'}"], []
    for line, (x, y) in zip(curves, drawn, strict=True):
        name = _legend_name(line)
        said.append(f"{_capital(name) + ': ' if name and len(curves) > 1 else ''}{course(x, y, write_x, write)}.")
        indices = np.unique(np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int))
        tables.append([(over, [write_x(x[i]) for i in indices]), (name or what, [write(y[i]) for i in indices])])
    return Part(" ".join([*said, *_crossings(curves)]), _side_by_side(tables))


def _crossings(curves):
    """Say where two curves cross, if there are two and they cross once; a rounding error apart is not apart."""
    if len(curves) != 2 or not np.array_equal(curves[0].get_xdata(), curves[1].get_xdata()):
        return
    x, one, other = (np.asarray(data, dtype=float) for data in (*curves[0].get_data(), curves[1].get_ydata()))
    apart = np.flatnonzero(~np.isclose(one, other))
    turns = [(i, j) for i, j in pairwise(apart) if (one[i] > other[i]) != (one[j] > other[j])]
    if len(turns) == 1:
        yield "They cross between {} and {}.".format(*map(writer(x), x[list(turns[0])]))


def _points(ax, points):
    over, what = _label(ax.xaxis, "x"), _label(ax.yaxis, "y")
    for line in points:
        x, y = (np.asarray(data, dtype=float) for data in line.get_data())
        write_x, write, name = writer(x), writer(y), _capital(_legend_name(line)) or "Points"
        names = [_name_at(ax, xy) for xy in zip(x, y, strict=True)]
        if all(names):
            write_x = write = writer([x, y])
            words = ", ".join(f"{n} ({write_x(a)}, {write(b)})" for n, a, b in zip(names, x, y, strict=True))
        else:
            words = f"{count_in_words(len(x))} points, {over} {reach(x, write_x)}, {what} {reach(y, write)}"
            order = np.argsort(x, kind="stable")
            names, x, y = [f"point {i + 1}" for i in range(len(x))], x[order], y[order]
        columns = [("", names), (f"{name}: {over}", [*map(write_x, x)]), (f"{name}: {what}", [*map(write, y)])]
        yield Part(f"{name}: {words}.", columns)


def _marks(ax):
    """Say what lines across the picture and texts in it mark."""
    said = [_legend_name(line) for line in ax.get_lines() if not _is_data(ax, line) and _legend_name(line)]
    places = {tuple(map(float, xy)) for line in ax.get_lines() for xy in zip(*line.get_data(), strict=True)}
    for text in ax.texts:
        at = getattr(text, "xy", text.get_position())
        if not NUMBER.fullmatch(text.get_text()) and tuple(map(float, at)) not in places:
            said.append(text.get_text().replace("\n", " "))
    return Part(f"Marked: {', '.join(said)}." if said else "", [])


def _sentence(text):
    return f"{text}." if text and text[-1] not in ".?!" else text


def _capital(text):
    return text if text[:3].isupper() or text[1:2] in "_·(" else text[:1].upper() + text[1:]


def _label(axis, default):
    """Return the label of an axis without an explanation in brackets at its end."""
    return re.sub(r" *\([^()]*\)$", "", axis.get_label_text()).strip() or default


def _legend_name(line):
    name = str(line.get_label())
    return "" if name.startswith("_") else name


def _name_at(ax, xy):
    """Return the words that an annotation writes at a point."""
    return next((t.get_text() for t in ax.texts if t.get_text() and np.array_equal(getattr(t, "xy", ()), xy)), "")


def _ticks(axis, at):
    """Return what the ticks of an axis call these places, whether they are drawn or not."""
    ticks = np.asarray(axis.get_majorticklocs(), dtype=float)
    names = dict(zip(ticks.round(6), axis.get_major_formatter().format_ticks(ticks), strict=True))
    names = [names.get(round(float(place), 6), writer(at)(place)) for place in at]
    return [SPOKEN.get(name, name) for name in names]
