"""What a student can copy for an assistant after two wrong tries: a request for one question, and no solution.

A chat assistant that solves the exercise helps in practice and hurts in the exam; one that only hints does not hurt
(Bastani et al. 2025, doi 10.1073/pnas.2422633122).
"""

import json
from html import escape
from pathlib import Path

from course_utils.checks.exercises import home_of
from course_utils.checks.student.own_source import CannotStandAlone, standalone_source

NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"
REQUEST = """I am learning self-attention, and I want to solve the exercise below by myself.
Read it, my code and what the check says about my code.
Then ask me one question that lets me find my mistake. Give me no solution and no code, and wait for my answer."""
LONGEST_VALUE = 300  # characters
# It selects the text and copies it. execCommand also works where a page without https may not use the clipboard.
COPY = (
    "const text = this.parentNode.querySelector('pre'); getSelection().selectAllChildren(text);"
    "if (document.execCommand('copy')) this.textContent = 'Copied'"
)


def text_to_copy(name: str, answer: object, verdict: str) -> str:
    """Return the request, the text of an exercise, the student's code, and what the check said, as plain text.

    name: of the exercise. answer: the student's function or value. verdict: the check's words.
    """
    parts = {
        f"The exercise `{name}`, of lesson {home_of(name)}": exercise_text(name),
        "My code": code_of(name, answer),
        "The check": verdict,
    }
    return "\n\n".join([REQUEST, *(f"{title}:\n{part}" for title, part in parts.items() if part)])


def exercise_text(name: str) -> str:
    """Return what the lesson asks in this exercise, without its hints; "" if the lesson is not there.

    >>> print(exercise_text("cosine").splitlines()[-1])
    Their lengths must not matter.
    """
    heading = f"### Exercise: `{name}`"
    for path in sorted(NOTEBOOKS.glob(f"{home_of(name)}_*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            _, found, text = "".join(cell["source"]).partition(heading)
            if found:
                return text.partition("\n")[2].partition("<details>")[0].strip()
    return ""


def code_of(name: str, answer: object) -> str:
    """Return the source of a function or a class with the helpers that it calls, else what a value looks like."""
    if not callable(answer):
        return repr(answer)[:LONGEST_VALUE]
    try:
        return standalone_source(answer, getattr(answer, "__name__", name).replace("<lambda>", name))
    except (CannotStandAlone, OSError, SyntaxError, TypeError):
        return ""


def assistant_html(text: str) -> str:
    """Return a fold that holds the text, and copies it on a click."""
    return (
        "<details><summary><strong>Ask an assistant</strong>, for a question and not for the solution</summary>"
        f'<button type="button" onclick="{escape(COPY)}">Copy this text</button>'
        f'<pre tabindex="0" style="user-select: all; white-space: pre-wrap">{escape(text)}</pre></details>'
    )
