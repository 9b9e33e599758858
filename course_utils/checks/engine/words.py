"""The sentences of a verdict that depend on the answer: shapes, places, errors."""

import re

import numpy as np

from course_utils.checks.engine.mistakes import MISTAKES
from course_utils.sentences import REVIEW


def suspicion(faults):
    """Return what is said about one fault, or about two at once, in at most three sentences."""
    if len({f.id for f in faults}) == 1:
        fault = faults[0]
        return f"{MISTAKES[fault.id].seen} {fault.says or MISTAKES[fault.id].suspect}"
    return " ".join(["Two things at once.", *(fault.says or MISTAKES[fault.id].suspect for fault in faults)])


def about(id, **details):
    """Return what the table says about a mistake, with its blanks filled in."""
    mistake = MISTAKES[id]
    return f"{mistake.seen} {mistake.suspect}".strip().format(**details)


def error(detail):
    """Return kind, line and reason of an error in plain words; detail: what running.py kept of it."""
    kind, message, line = detail.split("\n")
    where = f" at {shorter(line, 70)}" if line else ""
    if sizes := re.search(r"size (\d+) is different from (\d+)", message):
        reason = f"An axis of length {sizes[2]} meets one of length {sizes[1]} there, and they must be equal."
    elif shapes := re.search(
        r"broadcast together with (?:remapped )?shapes (\([\d,]*\)) ?(?:and )?(\([\d,]*\))", message
    ):
        first, second = (shape.replace(",", ", ").replace(", )", ",)") for shape in shapes.groups())
        reason = f"The shapes {first} and {second} do not fit together there."
    elif name := re.search(r"name '(\w+)' is not defined", message):
        reason = f"The name {name[1]} is not known there: run the cell that makes it, or look at its spelling."
    else:
        message = shorter(message, 90)
        reason = message[:1].upper() + message[1:] + ("" if message.endswith((".", "?", "!")) or not message else ".")
    return f"Your function stops with {kind}{where}. {reason}".strip()


def shorter(text, most):
    """Return at most so many characters of a text, dots for the rest; a quoted line keeps its last quote."""
    return text if len(text) <= most else text[: most - 4] + "..." + text[-1]


def shapes(exercise, part, got, right):
    """Return what is said about a wrong shape; `part` is the name of what was wanted."""
    axes = exercise.gives[part]
    wanted = f"one number for {part}" if right.shape == () else f"{right.shape} was wanted for {part}, {axes}"
    came = "one number" if got.shape == () else f"an array of shape {got.shape}"
    if right.shape == ():
        return f"Your function gives {came}, where {wanted} was wanted."
    return f"Your function gives {came} where {wanted}."


def first_difference(exercise, arguments, part, got, right):
    """Return where the answer differs first, what stands there, and a fact about the right answer that it breaks."""
    fact = next((sentence for holds, sentence in exercise.facts if not holds(got)), exercise.hint)
    if right.ndim == 0:
        return f"For {_call(exercise, arguments)} your function gives {number(got)}, and that is not it. {fact}".strip()
    wrong = ~np.isclose(got.astype(float), right, rtol=1e-5, atol=1e-6, equal_nan=True)
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * right.ndim
    where = _place(exercise, place)
    of = f" of {part}" if len(exercise.gives) > 1 else ""
    return f"{where}{of} holds {number(got[place])}, and that is not it. {fact}".strip()


def _place(exercise, place):
    axes = ["row", "column"] if len(place) == 2 else ["position"] if len(place) == 1 else ["index"] * len(place)
    words = ", ".join(f"{axis} {i}" for axis, i in zip(axes, place, strict=True))
    if exercise.axes == ("query", "key"):
        return f'The place where "{REVIEW[place[0]]}" looks at "{REVIEW[place[1]]}" ({words})'
    if exercise.axes == ("key",):
        return f'The place for the key of "{REVIEW[place[0]]}" ({words})'
    return words[:1].upper() + words[1:]


def _call(exercise, arguments):
    pairs = zip(exercise.arguments, arguments, strict=True)
    return ", ".join(f"{name} = {_short(value)}" for name, value in pairs)


def _short(value):
    if isinstance(value, np.ndarray) and value.size > 12:
        return f"an array of shape {value.shape}"
    if isinstance(value, list | np.ndarray):
        return f"[{', '.join(map(_short, value))}]"
    return repr(value) if isinstance(value, str) else number(value)


def number(value):
    """Return a number as a student would write it down."""
    return f"{float(value):.4g}"
