"""Predictions: the student commits to a choice before the answer shows, and sees at the end what was predicted."""

import base64
import json
from dataclasses import dataclass
from html import escape
from numbers import Real

from course_utils.arguments import wrong
from course_utils.checks.student import covers
from course_utils.checks.student.kept_choices import keep_choice, kept_choice
from course_utils.checks.student.table import Table
from course_utils.notebook import kernel, show

_asked = {}  # question -> Prediction, in the order in which they were asked in this kernel


@dataclass
class Prediction:
    """A question, its choices with what is said about each, the right one, and the one that the student chose.

    number: its place in the lesson, counted from 1, where cells wait for the choice; None where nothing is covered.
    title: what the cells that answer it call it.
    """

    question: str
    said: dict
    right: object
    number: int | None = None
    title: str = "Prediction"
    chosen: object = None

    def commit(self, choice):
        """Keep the choice, here and in the student's record, and open what was covered. It cannot be changed."""
        if self.chosen is None:
            self.chosen = choice
            keep_choice(self.question, choice)
            covers.uncover(self.number)

    def feedback(self):
        """Return what the student is told after choosing, as one text."""
        if self.chosen == self.right:
            return f"✓ Right: {self.right}. {self.said[self.right]}".strip()
        right = f"The answer is: {self.right}. {self.said[self.right]}".strip()
        return f"✗ You chose: {self.chosen}. {self.said[self.chosen]} {right}"


def predict(question, choices, answer=None, *, number=None, sealed=None):
    """Ask the student to choose before the next cell shows the answer.

    Shows cards, or a static form without a kernel.
    choices {choice: what is said about it}:
    the right one is marked with True, or is the one that equals `answer`, a value or a function without arguments;
    then every choice has a sentence. A number is equal when it rounds to the choice as it is written.
    In a student's notebook, which the build makes, choices is a list and `sealed` holds the rest, so that the code
    gives nothing away; what cells with `# answers prediction {number}` show is then covered until somebody chooses.
    A choice stays, over a restart too. Nobody has to choose: the lesson goes on.
    Raises ValueError unless exactly one choice is right.
    """
    if sealed is not None:
        choices, answer = _unsealed(choices, answer, sealed)
    ask(question, *_checked(choices, answer), title=f"Prediction {number}" if number else "Prediction", number=number)


def ask(question, said, right, *, title, number=None):
    """Show the cards of a question, with the choice that was made before, here or in an earlier run.

    said: each choice with what is said about it; right: one of them.
    """
    asked = Prediction(question, said, right, number, title)
    if question in _asked and _asked[question].said == asked.said:
        asked = _asked[question]  # the cell runs again: the choice stands
    else:
        asked.chosen = kept_choice(question, asked.said)
    _asked[question] = asked
    if asked.chosen is None:
        covers.cover(asked.number)
    else:
        covers.uncover(asked.number)
    _show(asked)


def _unsealed(choices, answer, sealed):
    """Return {choice: what is said about it} and the answer from the student's form (workshop/seal_predictions.py)."""
    try:
        inside = json.loads(base64.b64decode(sealed))
        said = dict(zip(choices, inside["said"], strict=True))
        right = inside["right"]
        return said, answer if right is None else list(choices)[right]
    except (ValueError, KeyError, TypeError, IndexError):
        raise wrong("sealed", sealed, "what the build of the lessons wrote there, unchanged") from None


def recap():
    """Show every prediction of this kernel: the question, what the student predicted and what came out.

    What came out stays covered where the student's notebook asked and nobody has chosen.
    """
    table = made()
    if kernel() is None:
        print(table)
    else:
        from IPython.display import display

        display(table)


def made():
    """Return the predictions of this kernel as a table. Questions about earlier lessons are not among them."""
    asked = [p for p in _asked.values() if p.title.startswith("Prediction")]
    rows = [(p.question, _words(p), _came_out(p)) for p in asked]
    chosen = [p for p in asked if p.chosen is not None]
    right = sum(p.chosen == p.right for p in chosen)
    caption = f"{right} of {len(chosen)} predictions came true" if chosen else "No prediction was made in this run"
    return Table(caption, ("question", "you predicted", "what came out"), rows)


def _words(prediction):
    if prediction.chosen is None:
        return "—"
    return f"{'✓' if prediction.chosen == prediction.right else '✗'} {prediction.chosen}"


def _came_out(prediction):
    return str(prediction.right) if prediction.number is None or prediction.chosen is not None else "choose first"


def _checked(choices, answer):
    """Return what is said about each choice, and the right choice."""
    if not isinstance(choices, dict) or len(choices) < 2:
        raise wrong("choices", choices, "a dict of at least two choices")
    if answer is None:
        right = [choice for choice, says in choices.items() if says is True]
    else:
        answer = answer() if callable(answer) else answer
        right = [choice for choice in choices if _equal(choice, answer)]
    if len(right) != 1:
        raise wrong("choices", choices, f"exactly one right choice, and these are right: {right} (answer: {answer})")
    said = {choice: "" if says is True else says for choice, says in choices.items()}
    if silent := [c for c, says in said.items() if not isinstance(says, str) or (not says and c != right[0])]:
        raise wrong("choices", choices, f"a sentence for each wrong choice, missing for {silent}")
    return said, right[0]


def _equal(choice, answer):
    """Tell whether the answer is this choice; 0.66976 is the choice 0.67, since it rounds to it."""
    if isinstance(choice, Real) and not isinstance(choice, bool):
        digits = str(choice).partition(".")[2] if "e" not in str(choice) else "0" * 6
        return round(float(answer), len(digits)) == choice
    return str(choice) == str(answer)


def _show(asked):
    """Display the prediction: cards where a notebook runs, the static form beside them for the stored notebook."""
    plain = "\n".join([f"? {asked.question}", *(f"  · {choice}" for choice in asked.said)])
    if kernel() is None:
        print(plain)
        return
    from course_utils.checks.student.predict_widget import widget_of

    show(widget_of(asked), {"text/plain": plain, "text/html": _static(asked)})


def _static(asked):
    """The form that a page without a kernel shows: each choice unfolds what is said about it."""
    signs = {choice: "✓" if choice == asked.right else "✗" for choice in asked.said}
    choices = "".join(
        f"<details><summary>{escape(str(choice))}</summary><p>{signs[choice]} {escape(says)}</p></details>"
        for choice, says in asked.said.items()
    )
    title = f"{asked.title}: " if asked.title != "Prediction" else ""
    return f"<p>{title}<strong>{escape(asked.question)}</strong> Choose one, then unfold it.</p>{choices}"
