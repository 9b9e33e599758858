"""What is found in an answer, and the verdict that a student reads: an object, one plain line, HTML."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from course_utils.checks.engine import words

NOT_STARTED, NOT_YET, DONE = "not started", "not yet", "done"
SIGNS = {NOT_STARTED: "○", NOT_YET: "✗", DONE: "✓"}
# JupyterLab's own colours, so that light and dark themes both fit; the second one is for pages without a theme.
COLOURS = {
    NOT_STARTED: "var(--jp-ui-font-color2, #5F6368)",
    NOT_YET: "var(--jp-warn-color1, #B45309)",
    DONE: "var(--jp-success-color1, #2E7D32)",
}


class Finding(NamedTuple):
    """What a step finds in an answer: a state, the ids of the mistakes, and what is said about them."""

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""


def not_yet(id, message="", **details):
    """Return the finding of one mistake, in the words of its page, its blanks filled in, or in those of `message`.

    >>> not_yet("argument-unused", argument="T").mistakes
    ('argument-unused',)
    """
    return Finding(NOT_YET, (id,), message or words.about(id, **details))


def first_of(ids, message=""):
    """Return the finding of the first of these ids; done, with this message, where there is none."""
    id = next(iter(ids), None)
    return not_yet(id) if id else Finding(DONE, (), message)


def on_faults(faults, gives=("the weights",)):
    """Return the finding of these faults, one or two; done for none. gives: the names of what the exercise asks for."""
    ids = tuple(dict.fromkeys(f.id for f in faults))
    return Finding(NOT_YET, ids, words.suspicion(faults, gives)) if faults else Finding(DONE)


class Explanation(NamedTuple):
    """What is offered after two "not yet": a misconception and the section to read, and small numbers.

    title, text, lesson and section are empty where no misconception is behind the mistake.
    numbers: a function that gives the lines about small numbers, none where there are none; it is called when they are
    shown, because it runs the student's function. again: whether the section stands in a lesson that the student has
    seen.
    """

    title: str = ""
    text: str = ""
    lesson: str = ""
    section: str = ""
    numbers: Callable[[], tuple[str, ...]] = tuple
    again: bool = True

    @property
    def read(self):
        """What to do with the section."""
        return "Read again" if self.again else "More will be said later"

    def __str__(self):
        title = f"Explain: {self.title}" if self.title else "Explain"
        read = f"{self.read}: {self.section}, in {self.lesson}." if self.section else ""
        said = list(filter(None, [self.text, *self.numbers(), read]))
        return "\n".join([title, *said]) if said else ""

    def html(self):
        """A fold, open when it is clicked; nothing where there is nothing to say."""
        lines = self.numbers()
        if not lines and not self.text:
            return ""
        title = f": {escape(self.title)}" if self.title else ""
        text = f"<p>{with_code(self.text)}</p>" if self.text else ""
        numbers = f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""
        link = f'<a href="{self.lesson}.ipynb">{self.lesson}</a>'
        read = f"<p>{self.read}: <em>{escape(self.section)}</em>, in {link}.</p>" if self.section else ""
        return f"<details><summary><strong>Explain</strong>{title}</summary>{text}{numbers}{read}</details>"


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer of a check: state ("not started", "not yet", "done"), mistakes (stable ids) and message (sentences).

    >>> Verdict("not yet", ("softmax-axis",), "Each column sums to 1, and each row should.", "weights")
    ✗ weights: not yet. Each column sums to 1, and each row should. (softmax-axis)
    """

    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""
    name: str = ""
    trace: str = ""  # of the student's error; shown only when it was asked for
    insight: str = ""  # what a right answer was good for
    explanation: Explanation | None = None  # offered after two "not yet"

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


def with_code(text):
    """Return text as HTML, with what stands between backticks as code.

    >>> with_code("at `a < b`")
    'at <code>a &lt; b</code>'
    """
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))
