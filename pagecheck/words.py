"""The words of a verdict: numbers, shapes and calls as a student writes them, errors in plain English, the Verdict."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pagecheck.compare import TOLERANCES, close, with_article

NOT_STARTED, NOT_YET, DONE = "not started", "not yet", "done"
SIGNS = {NOT_STARTED: "○", NOT_YET: "✗", DONE: "✓"}
# JupyterLab's own colours, so that light and dark themes both fit; the second one is for pages without a theme.
COLOURS = {
    NOT_STARTED: "var(--jp-ui-font-color2, #5F6368)",
    NOT_YET: "var(--jp-warn-color1, #B45309)",
    DONE: "var(--jp-success-color1, #2E7D32)",
}
MOST_SHOWN = 12  # numbers of an array that is written out
MOST_NUMBERS = 24  # of an input that is written out
DIGITS, MOST_DIGITS = 4, 12  # of a number: more only where they are needed to see that it is wrong
MOST_OF_A_LINE = 110  # characters: a longer line of code is not quoted
MOST_OF_A_MESSAGE = 140  # characters: a longer message of an error, in nobody's plain words, is left out


class Finding(NamedTuple):
    """What a step finds in an answer: a state, the ids of the mistakes, and what is said about them."""

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer of a check: state ("not started", "not yet", "done"), mistakes (stable ids) and message (sentences).

    >>> Verdict("not yet", ("share-in-percent",), "The shares sum to 100.", "share")
    ✗ share: not yet. The shares sum to 100. (share-in-percent)
    """

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""
    name: str = ""
    trace: str = ""  # of the student's error; shown only when it was asked for
    insight: str = ""  # what a right answer was good for
    explanation: object = None  # has str() and html()

    def __repr__(self):
        end = "." if self.message or self.insight else ""
        words = [f"{SIGNS[self.state]} {self.name}: {self.state}{end}", self.message, self.insight]
        ids = f"({', '.join(self.mistakes)})" if self.mistakes else ""
        line = " ".join(word for word in (*words, ids) if word)
        return "\n".join(filter(None, [line, self.trace, self.explanation and str(self.explanation)]))

    def _repr_html_(self):
        colour = COLOURS[self.state]
        sign = f'<span style="color: {colour}; font-size: 1.2em">{SIGNS[self.state]}</span>'
        lines = [f"{sign} <strong>{escape(self.name)}: {self.state}</strong>"]
        lines += [f"<div>{with_code(self.message)}</div>"] if self.message else []
        lines += [f"<div><em>{escape(self.insight)}</em></div>"] if self.insight else []
        lines += [f"<div><small><code>{escape(', '.join(self.mistakes))}</code></small></div>"] if self.mistakes else []
        lines += [f"<pre>{escape(self.trace)}</pre>"] if self.trace else []
        lines += [self.explanation.html()] if self.explanation else []
        frame = f"border-left: 4px solid {colour}; padding: 4px 12px; margin: 4px 0; max-width: 46em; line-height: 1.5"
        return f'<div style="{frame}">{"".join(lines)}</div>'


def with_code(text: str) -> str:
    """Return text as HTML, with what stands between backticks as code.

    >>> with_code("at `a < b`")
    'at <code>a &lt; b</code>'
    """
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


# Grammar


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    >>> listed(["Q"]), listed(["Q", "K", "V"])
    ('Q', 'Q, K and V')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int | str, thing: str) -> str:
    """Return how many things there are.

    >>> counted("1", "axis"), counted(2, "axis"), counted(2, "argument")
    ('1 axis', '2 axes', '2 arguments')
    """
    plurals = {"axis": "axes", "index": "indices"}
    return f"{number} {thing if int(number) == 1 else plurals.get(thing, thing + 's')}"


def capital(text: str) -> str:
    """Return text with a capital letter at its beginning; a name such as dQ has one of its own way."""
    return text[:1].upper() + text[1:]


def of_kind(message: str, kind: str) -> str:
    """Return a message about a function as one about an answer of this kind: a class makes a layer.

    >>> of_kind("There your function gives 2.", "class")
    'There your layer gives 2.'
    """
    return re.sub(r"\b([Yy]our) function\b", r"\1 layer", message) if kind == "class" else message


# Numbers and inputs


def number(value: object, separator: str = ",", digits: int = DIGITS) -> str:
    """Return a number as a student would write it; True and False are not numbers.

    >>> number(0.123456), number(np.array(True)), number(7)
    ('0.1235', 'True', '7')
    >>> number(50_000), number(1e18), number(np.nan)
    ('50,000', '1e+18', 'NaN')
    """
    if np.asarray(value).dtype == bool:
        return str(bool(value))
    value = float(value)
    if np.isnan(value):
        return "NaN"
    whole = 1e4 <= abs(value) < 1e15 and not value % 1
    return f"{value:{separator}.0f}" if whole else f"{value:.{digits}g}"


def short(value: object, digits: int = DIGITS) -> str:
    """Return a value as a student would write it; of a large array only its shape."""
    if isinstance(value, np.ndarray) and value.size > MOST_SHOWN:
        return f"an array of shape {value.shape}"
    if callable(value):
        return "a function"
    if value is None:
        return "None"
    if np.size(value) > MOST_SHOWN and _is_one_thing_again(value):
        return f"{len(value)} times {short(value[0])}"
    if np.ndim(value):
        return f"[{', '.join(_inside(one, digits) for one in value)}]"
    return repr(value) if isinstance(value, str) else number(value, digits=digits)


def _inside(value, digits):
    """One thing of a list, whose numbers have no commas of their own."""
    plain = np.ndim(value) or isinstance(value, str)
    return short(value, digits) if plain else number(value, separator="", digits=digits)


def _is_one_thing_again(value):
    return isinstance(value, list) and len(set(map(str, value))) == 1


def call(names: Sequence[str], arguments: Sequence[object]) -> str:
    """Return arguments with their names, large arrays as shapes only."""
    return ", ".join(f"{name} = {short(value)}" for name, value in zip(names, arguments, strict=True))


def sizes(names: Sequence[str], arguments: Sequence[object]) -> str:
    """Return arguments with their names: of an array its shape, of a list its length."""
    return ", ".join(f"{name} {_size(value)}" for name, value in zip(names, arguments, strict=True))


def _size(value):
    if isinstance(value, np.ndarray):
        return f"of shape {value.shape}"
    return f"of length {len(value)}" if isinstance(value, list) else f"= {short(value)}"


def can_be_shown(arguments: Sequence[object]) -> bool:
    """Tell whether a person can work with an input: no function is in it, and few numbers."""
    return not any(
        callable(value) or (np.size(value) > MOST_SHOWN and not _is_one_thing_again(value)) for value in arguments
    )


def near(got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tell, for each number, whether it is right."""
    relative, absolute = TOLERANCES[8]
    return np.isclose(got.astype(float), right, rtol=relative, atol=absolute, equal_nan=True)


def digits_to_see(got: object, right: object) -> int:
    """Return how many digits show that numbers are not the right ones, which otherwise look right.

    >>> digits_to_see(0.5, 1.0), digits_to_see(0.268962, 0.268941)
    (4, 6)
    """
    if np.shape(got) != np.shape(right):
        return DIGITS
    wrong = ~near(np.asarray(got), np.asarray(right))
    got, right = (np.asarray(value, dtype=float)[wrong] for value in (got, right))
    if not got.size or not (np.isfinite(got) & np.isfinite(right)).all():
        return DIGITS
    gap = (abs(got - right) / np.maximum(abs(got), abs(right))).max()
    return int(np.clip(np.ceil(-np.log10(gap)) + 1, DIGITS, MOST_DIGITS))


def shape_message(exercise, part: str, got: np.ndarray, right: np.ndarray, came: str = "") -> str:
    """Return what is said about a wrong shape. part: the name of the result; came: "list" where a list came."""
    came = came if came == "list" else "array"
    what = "one number" if got.shape == () else f"{with_article(came)} of shape {got.shape}"
    if came == "list" and got.ndim == 1:
        what = f"a list of {counted(len(got), 'number')}"
    if right.shape == ():
        return f"Your function gives {what}, and one number is wanted for {part}."
    return f"Your function gives {what} where {right.shape} was wanted for {part}, {exercise.gives[part]}."


def first_difference(exercise, arguments: Sequence[object], part: str, got: np.ndarray, right: np.ndarray) -> str:
    """Return where the answer differs first, what stands there, and what should."""
    several = len(exercise.gives) > 1
    if right.ndim == 0:
        named, digits = f" for {part}" if several else "", digits_to_see(got, right)
        few = sum(map(np.size, arguments)) <= MOST_NUMBERS and not any(map(callable, arguments))
        given = f"For {call(exercise.arguments, arguments)} your" if few else "Your"
        return f"{given} function gives {number(got, digits=digits)}{named}{_expected(exercise, right, digits)}."
    wrong = ~near(got, right)
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * right.ndim
    digits = digits_to_see(got[at], right[at])
    where = f"{capital(exercise.position(at))}{f' of {part}' if several else ''}"
    return f"{where} holds {number(got[at], digits=digits)}{_expected(exercise, right[at], digits)}."


def _expected(exercise, right, digits):
    """What should have come. An answer that is one of two, such as a label, is told by "not it" already."""
    if np.asarray(right).dtype == bool or exercise.secret:
        return ", and that is not it"
    return f", and {short(right, digits)} is right"


def example(exercise, found: tuple) -> str:
    """Return a sentence about a small input on which an answer is wrong. found: what `shrink.smallest` returns.

    Where the input cannot be written out its sizes stand there, and nobody is asked to work it out.
    """
    arguments, got, right = found
    names = list(exercise.gives)
    part, wanted, name = next(
        (g, r, n) for g, r, n in zip(got.parts, right.parts, names, strict=True) if not close(g, r)
    )
    named, digits = f" for {name}" if len(names) > 1 else "", digits_to_see(part, wanted)
    there = f"there your function gives {short(part, digits)}{named}{_expected(exercise, wanted, digits)}"
    if part.size > MOST_SHOWN:
        at = tuple(int(i) for i in np.argwhere(~near(part, wanted))[0])
        digits = digits_to_see(part[at], wanted[at])
        holds = f"position {list(at)} of your result{named} holds {number(part[at], digits=digits)}"
        there = f"there {holds}{_expected(exercise, wanted[at], digits)}"
    if not can_be_shown(arguments):
        return f"With {sizes(exercise.arguments, arguments)}, {there.removeprefix('there ')}."
    return f"Work it out by hand for {call(exercise.arguments, arguments)}: {there}."


def contrast(exercise, found: tuple) -> str:
    """Return one line about a small input: what the answer gives and what is right; "" where it cannot be written."""
    arguments, got, right = found
    if not can_be_shown(arguments) or any(part.size > MOST_SHOWN for part in (*got.parts, *right.parts)):
        return ""
    digits = max(digits_to_see(*pair) for pair in zip(got.parts, right.parts, strict=True))
    yours, wanted = (", ".join(short(part, digits) for part in outcome.parts) for outcome in (got, right))
    return f"For {call(exercise.arguments, arguments)} your function gives {yours}, and right is {wanted}."


# Errors


class Reasons:
    """What the errors of Python and its libraries mean, in plain words: the tables of TOML files, the first come first.

    An entry has a pattern, which is looked for in the error's message, a sentence with the pattern's groups in braces
    ({0:kind} is a type in words, {1:axis} a counted thing, {0:shape} a shape), and perhaps the id of a mistake.
    """

    def __init__(self, *files: Path):
        self.bare: list[re.Pattern] = []
        self.entries: list[tuple[re.Pattern, str, str]] = []
        for file in files:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
            self.bare += [re.compile(pattern) for pattern in table.get("bare", [])]
            self.entries += [(re.compile(e["pattern"]), e["says"], e.get("id", "")) for e in table["error"]]

    def of(self, detail: str) -> tuple[str, str]:
        """Return what is said about an error, and the id of its mistake. detail: kind, message and line, one each."""
        kind_of_error, message, line = detail.split("\n")
        where = f" at {line}" if line and len(line) <= MOST_OF_A_LINE else ""
        reason, id = self._reason(kind_of_error, message)
        return f"Your function stops with {kind_of_error}{where}. {' '.join(reason.split())}".strip(), id

    def _reason(self, kind_of_error, message):
        for pattern in self.bare:  # what a library puts round the message
            if found := pattern.search(message):
                message = found[1]
        for pattern, says, id in self.entries:
            if found := pattern.search(f"{kind_of_error}: {message}"):
                return says.format(*map(_Group, found.groups(default=""))), id
        message = " ".join(message.replace("numpy.ndarray", "array").replace("ndarray", "array").split())
        if not message or len(message) > MOST_OF_A_MESSAGE:
            return "", ""
        return capital(message) + ("" if message.endswith((".", "?", "!")) else "."), ""


TYPES = {
    "ndarray": "an array",
    "NoneType": "None",
    "builtin_function_or_method": "a function",
    "function": "a function",
    "type": "a type",
    "int": "a whole number",
    "float": "a number",
    "float64": "a number",
    "int64": "a whole number",
    "str": "a text",
    "string": "a text",
    "bool": "True or False",
}


class _Group(str):
    """A piece of an error's message that knows how to stand in a sentence.

    >>> "{:kind} and {:Kind}, {:axis}, {:shape}".format(*map(_Group, ("numpy.ndarray", "tuple", "2", "(3,2)")))
    'an array and A tuple, 2 axes, (3, 2)'
    """

    FORMS: dict[str, Callable[[str], str]] = {
        "": str,
        "kind": lambda text: TYPES.get(text.rsplit(".", 1)[-1]) or with_article(text.rsplit(".", 1)[-1]),
        "Kind": lambda text: capital(_Group.FORMS["kind"](text)),
        "shape": lambda text: _in_brackets(text),
        "plain": lambda text: text.removesuffix(".__init__").rsplit(".", 1)[-1],
        "before": lambda text: str(int(text) - 1),
        "unquoted": lambda text: text.replace("'", ""),
    }

    def __format__(self, form):
        return self.FORMS[form](str(self)) if form in self.FORMS else counted(str(self), form)


def _in_brackets(text):
    """A shape as a student writes it: (3,) and (3, 2); what a reshape leaves open is -1."""
    found = re.findall(r"\d+|newaxis", text)
    inside = ", ".join("-1" if one == "newaxis" else one for one in found)
    return f"({inside},)" if len(found) == 1 else f"({inside})"
