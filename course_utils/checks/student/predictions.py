"""Predictions: the student commits to a choice before the answer shows, and sees at the end what was predicted."""

from dataclasses import dataclass
from html import escape
from numbers import Real

from course_utils.arguments import wrong
from course_utils.checks.student.table import Table
from course_utils.notebook import kernel, show

_asked = {}  # question -> Prediction, in the order in which they were asked in this kernel


@dataclass
class Prediction:
    """A question, its choices with what is said about each, the right one, and the one that the student chose."""

    question: str
    said: dict
    right: object
    chosen: object = None

    def feedback(self):
        """Return what the student is told after choosing, as HTML."""
        if self.chosen == self.right:
            return f"<strong>✓ Right: {escape(str(self.right))}.</strong> {escape(self.said[self.right])}"
        right = f"<strong>The answer: {escape(str(self.right))}.</strong> {escape(self.said[self.right])}"
        return f"<strong>✗ Not {escape(str(self.chosen))}.</strong> {escape(self.said[self.chosen])}<br>{right}"


def predict(question, choices, answer=None):
    """Ask the student to choose before the next cell shows the answer.

    Shows buttons, or a static form without a kernel.
    choices {choice: what is said about it}:
    the right one is marked with True, or is the one that equals `answer`, a value or a function without arguments;
    then every choice has a sentence. A number is equal when it rounds to the choice as it is written.
    Nobody has to choose: the lesson goes on. Raises ValueError unless exactly one choice is right.
    """
    asked = Prediction(question, *_checked(choices, answer))
    if question in _asked and _asked[question].said == asked.said:
        asked = _asked[question]  # the cell runs again: the choice stands
    _asked[question] = asked
    _show(asked)


def recap():
    """Show every prediction of this kernel: the question, what the student predicted and what came out."""
    rows = [(p.question, _words(p), str(p.right)) for p in _asked.values()]
    made = [p for p in _asked.values() if p.chosen is not None]
    right = sum(p.chosen == p.right for p in made)
    caption = f"{right} of {len(made)} predictions came true" if made else "No prediction was made in this run"
    return Table(caption, ("question", "you predicted", "what came out"), rows)


def _words(prediction):
    if prediction.chosen is None:
        return "—"
    return f"{'✓' if prediction.chosen == prediction.right else '✗'} {prediction.chosen}"


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
    """Display the prediction: buttons where a notebook runs, the static form beside them for the stored notebook."""
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
    return f"<p><strong>{escape(asked.question)}</strong> Choose one, then unfold it.</p>{choices}"
