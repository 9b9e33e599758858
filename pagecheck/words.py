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
DIGITS, MOST_DIGITS = 4, 12  # of a number: more only if needed to see that it is wrong
MOST_OF_A_LINE = 110  # characters: longer lines of code are not quoted
MOST_OF_A_MESSAGE = 140  # characters: longer error messages without a plain version are left out


class Finding(NamedTuple):
    """What a step finds in an answer: a state, the ids of the mistakes, and the message about them."""

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, repr=False)
class Verdict:
    """The result of a check: state ("not started", "not yet", "done"), mistakes (stable ids) and message (sentences).

    >>> Verdict("not yet", ("share-in-percent",), "The shares sum to 100.", "share")
    ✗ share: not yet. The shares sum to 100. (share-in-percent)
    """

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""
    name: str = ""
    trace: str = ""  # of the student's error; shown only when it was asked for
    insight: str = ""  # what a right answer shows
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
    """Return text as HTML, with text between backticks as code.

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
    """Return text with its first letter capitalised."""
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
    value = float(value) + 0.0  # which turns -0 into 0
    if np.isnan(value):
        return "NaN"
    whole = 1e4 <= abs(value) < 1e15 and not value % 1
    return f"{value:{separator}.0f}" if whole else f"{value:.{digits}g}"


def short(value: object, digits: int = DIGITS) -> str:
    """Return a value as a student would write it; for a large array only its shape."""
    if isinstance(value, np.ndarray) and value.size > MOST_SHOWN:
        return f"an array of shape {value.shape}"
    if callable(value):
        return "a function"
    if value is None:
        return "None"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {short(one, digits)}' for key, one in value.items())}}}"
    if amount(value) > MOST_SHOWN and _is_one_thing_again(value):
        return f"{len(value)} times {short(value[0])}"
    if isinstance(value, list | tuple) or np.ndim(value):
        return f"[{', '.join(_item(one, digits) for one in value)}]"
    return repr(value) if isinstance(value, str) else number(value, digits=digits)


def _item(value, digits):
    """An item of a list, whose numbers have no thousands separators."""
    has_own_commas = isinstance(value, list | tuple | str) or np.ndim(value)
    return short(value, digits) if has_own_commas else number(value, separator="", digits=digits)


def amount(value: object) -> int:
    """Return how many numbers a value holds, in the arrays of a list too.

    >>> amount(3.0), amount([1, 2]), amount([(np.zeros((2, 3)), 1), ()])
    (1, 2, 7)
    """
    return sum(map(amount, value)) if isinstance(value, list | tuple) else np.size(value)


def _is_one_thing_again(value):
    return isinstance(value, list) and len(set(map(str, value))) == 1


def call(names: Sequence[str], arguments: Sequence[object]) -> str:
    """Return arguments with their names, large arrays as shapes only."""
    return ", ".join(f"{name} = {short(value)}" for name, value in zip(names, arguments, strict=True))


def sizes(names: Sequence[str], arguments: Sequence[object]) -> str:
    """Return arguments with their names: the shape of an array, the length of a list."""
    return listed([f"{name} {_size(value)}" for name, value in zip(names, arguments, strict=True)])


def _size(value):
    if isinstance(value, np.ndarray):
        return f"of shape {value.shape}"
    return f"of length {len(value)}" if isinstance(value, list) else f"= {short(value)}"


def can_be_shown(arguments: Sequence[object]) -> bool:
    """Tell whether a person can work with an input: it has no function, and few numbers."""
    return not any(
        callable(value) or (amount(value) > MOST_SHOWN and not _is_one_thing_again(value)) for value in arguments
    )


def near(got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tell, for each number, whether it is right."""
    relative, absolute = TOLERANCES[8]
    return np.isclose(got.astype(float), right, rtol=relative, atol=absolute, equal_nan=True)


def digits_to_see(got: object, right: object) -> int:
    """Return how many digits are needed to see that numbers are not the right ones.

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


def shape_message(exercise, part: str, got: np.ndarray, right: np.ndarray, kind: str = "") -> str:
    """Return the message about a wrong shape. part: the name of the result; kind: "list" for a list."""
    kind = kind if kind == "list" else "array"
    description = "one number" if got.shape == () else f"{with_article(kind)} of shape {got.shape}"
    if kind == "list" and got.ndim == 1:
        description = f"a list of {counted(len(got), 'number')}"
    should = "be one number" if right.shape == () else f"have shape {right.shape}"
    axes = exercise.gives[part]  # of a single input, where a batch has more
    if right.ndim and (len(axes.strip("(,)").split(",")) == right.ndim or "…" in axes or "..." in axes):
        should += f", that is, {axes}"
    return f"Your function returns {description}, but {part} should {should}."


def first_difference(exercise, arguments: Sequence[object], part: str, got: np.ndarray, right: np.ndarray) -> str:
    """Return where the answer first differs, with its number there and the right one."""
    several = len(exercise.gives) > 1
    if right.ndim == 0:
        named, digits = f" for {part}" if several else "", digits_to_see(got, right)
        is_short = sum(map(amount, arguments)) <= MOST_NUMBERS and not any(map(callable, arguments))
        subject = f"For {call(exercise.arguments, arguments)}, your" if is_short else "Your"
        return f"{subject} function gives {number(got, digits=digits)}{named}{_expected(exercise, right, digits)}."
    wrong = ~near(got, right)
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * right.ndim
    digits = digits_to_see(got[index], right[index])
    position_text = f"{capital(exercise.position(index))}{f' of {part}' if several else ''}"
    return f"{position_text} holds {number(got[index], digits=digits)}{_expected(exercise, right[index], digits)}."


def _expected(exercise, right, digits):
    """The right value in words, unless it would give the answer away, as for True or False."""
    if np.asarray(right).dtype == bool or exercise.secret:
        return ", which is not right"
    return f", but it should be {short(right, digits)}"


def example(exercise, small_case: tuple) -> str:
    """Return a sentence about a small input on which an answer is wrong. small_case: what `shrink.smallest` returns.

    If the input is too large to write out, it gives its sizes, and does not ask to work it out by hand.
    """
    arguments, got, right = small_case
    names = list(exercise.gives)
    part, wanted, name = next(
        (g, r, n) for g, r, n in zip(got.parts, right.parts, names, strict=True) if not close(g, r)
    )
    named, digits = f" for {name}" if len(names) > 1 else "", digits_to_see(part, wanted)
    sentence = f"your function gives {short(part, digits)}{named}{_expected(exercise, wanted, digits)}"
    if part.shape != wanted.shape:
        sentence = f"your function gives numbers{named} of shape {part.shape}, but the shape should be {wanted.shape}"
    elif part.size > MOST_SHOWN:
        index = tuple(int(i) for i in np.argwhere(~near(part, wanted))[0])
        digits = digits_to_see(part[index], wanted[index])
        holds = f"position {list(index)} of your result{named} holds {number(part[index], digits=digits)}"
        sentence = f"{holds}{_expected(exercise, wanted[index], digits)}"
    if not can_be_shown(arguments):
        return f"With {sizes(exercise.arguments, arguments)}, {sentence}."
    return f"Try this by hand: for {call(exercise.arguments, arguments)}, {sentence}."


def contrast(exercise, small_case: tuple) -> str:
    """Return one line about a small input: what the answer gives and what is right; "" if it is too long."""
    arguments, got, right = small_case
    if not can_be_shown(arguments) or any(part.size > MOST_SHOWN for part in (*got.parts, *right.parts)):
        return ""
    digits = max(digits_to_see(*pair) for pair in zip(got.parts, right.parts, strict=True))
    yours, wanted = (", ".join(short(part, digits) for part in outcome.parts) for outcome in (got, right))
    return f"For {call(exercise.arguments, arguments)}, your function gives {yours}, but it should be {wanted}."


# Errors


class Reasons:
    """What the errors of Python and its libraries mean, in plain words: tables of TOML files; the first match wins.

    An entry has a pattern, which is searched in the error's message, a sentence with the pattern's groups in braces
    ({0:kind} is a type in words, {1:axis} a counted thing, {0:shape} a shape), and optionally the id of a mistake.
    """

    def __init__(self, *files: Path):
        self.bare: list[re.Pattern] = []
        self.entries: list[tuple[re.Pattern, str, str]] = []
        for file in files:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
            self.bare += [re.compile(pattern) for pattern in table.get("bare", [])]
            self.entries += [(re.compile(e["pattern"]), e["says"], e.get("id", "")) for e in table["error"]]

    def of(self, detail: str) -> tuple[str, str]:
        """Return the message about an error, and the id of its mistake. detail: lines with kind, message and code."""
        kind_of_error, message, line = detail.split("\n")
        at_line = f" at {line}" if line and len(line) <= MOST_OF_A_LINE else ""
        reason, id = self._reason(kind_of_error, message)
        return f"Your function stops with {kind_of_error}{at_line}. {' '.join(reason.split())}".strip(), id

    def _reason(self, kind_of_error, message):
        for pattern in self.bare:  # what a library adds around the message
            if match := pattern.search(message):
                message = match[1]
        for pattern, says, id in self.entries:
            if match := pattern.search(f"{kind_of_error}: {message}"):
                return says.format(*map(_Group, match.groups(default=""))), id
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
    """A piece of an error's message that formats itself for a sentence.

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
    """A shape as a student writes it: (3,) and (3, 2), with -1 for what a reshape leaves open."""
    parts = re.findall(r"\d+|newaxis", text)
    text_inside = ", ".join("-1" if one == "newaxis" else one for one in parts)
    return f"({text_inside},)" if len(parts) == 1 else f"({text_inside})"
