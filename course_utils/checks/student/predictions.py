"""Predictions: the student commits to a choice before the answer appears, and sees all predictions at the end."""

import base64
import json
from dataclasses import dataclass
from html import escape
from numbers import Real

from course_utils.arrays.arguments import wrong
from course_utils.checks.student import covers
from course_utils.checks.student.kept_choices import load_choice, save_choice
from course_utils.checks.student.table import Table
from course_utils.computer.notebook import kernel, show

_by_question = {}  # question -> Prediction, in the order of this kernel


@dataclass
class Prediction:
    """A question, {choice: comment}, the right choice, and the one that the student chose.

    number: its number in the lesson, from 1, if cells wait for the choice; None if nothing is covered.
    title: the heading of its cards.
    """

    question: str
    comments: dict
    right: object
    number: int | None = None
    title: str = "Prediction"
    chosen: object = None

    def commit(self, choice: object) -> None:
        """Save the choice, here and in the student's file, and open what was covered. It cannot be changed."""
        if self.chosen is None:
            self.chosen = choice
            save_choice(self.question, choice)
            covers.uncover(self.number)

    def feedback(self) -> str:
        """Return what the student reads after choosing, as one text."""
        if self.chosen == self.right:
            return f"✓ Right: {self.right}. {self.comments[self.right]}".strip()
        right = f"The answer is: {self.right}. {self.comments[self.right]}".strip()
        return f"✗ You chose: {self.chosen}. {self.comments[self.chosen]} {right}"


def predict(
    question: str,
    choices: dict | list,
    answer: object = None,
    *,
    number: int | None = None,
    sealed: str | None = None,
) -> None:
    """Ask the student to choose before the next cell shows the answer.

    Shows cards, or a static form without a kernel.
    choices {choice: comment}: the right one has True as comment, or is the one that equals `answer`, a value or a
    function without arguments; then every choice has a comment. A number is equal if it rounds to the choice as
    written.
    In a student's notebook, which the build makes, choices is a list and `sealed` holds the rest, so that the code
    gives nothing away; outputs of cells with `# answers prediction {number}` are then covered until somebody chooses.
    A choice survives a restart. Nobody has to choose: the lesson goes on.
    Raises ValueError unless exactly one choice is right.
    """
    if sealed is not None:
        choices, answer = _unsealed(choices, answer, sealed)
    ask(question, *_validated(choices, answer), title=f"Prediction {number}" if number else "Prediction", number=number)


def ask(question: str, comments: dict, right: object, *, title: str, number: int | None = None) -> None:
    """Show the cards of a question, with the choice of an earlier run, if any.

    comments: {choice: the comment on it}. right: one of the choices.
    """
    prediction = Prediction(question, comments, right, number, title)
    if question in _by_question and _by_question[question].comments == prediction.comments:
        prediction = _by_question[question]  # the cell runs again: the choice stands
    else:
        prediction.chosen = load_choice(question, prediction.comments)
    _by_question[question] = prediction
    if prediction.chosen is None:
        covers.cover(prediction.number)
    else:
        covers.uncover(prediction.number)
    _show(prediction)


def _unsealed(choices, answer, sealed):
    """Return {choice: comment} and the answer from the student's form (workshop/seal_predictions.py)."""
    try:
        content = json.loads(base64.b64decode(sealed))
        comments = dict(zip(choices, content["said"], strict=True))
        right = content["right"]
        return comments, answer if right is None else list(choices)[right]
    except (ValueError, KeyError, TypeError, IndexError):
        raise wrong("sealed", sealed, "what the build of the lessons wrote there, unchanged") from None


def recap() -> None:
    """Show every prediction of this kernel: the question, what the student predicted, and the outcome.

    In a student's notebook the outcome stays covered until somebody has chosen.
    """
    table = recap_table()
    if kernel() is None:
        print(table)
    else:
        from IPython.display import display

        display(table)


def recap_table() -> Table:
    """Return the predictions of this kernel as a table, without questions about earlier lessons."""
    predictions = [p for p in _by_question.values() if p.title.startswith("Prediction")]
    rows = [(p.question, _choice_in_words(p), _outcome(p)) for p in predictions]
    chosen = [p for p in predictions if p.chosen is not None]
    right = sum(p.chosen == p.right for p in chosen)
    caption = f"{right} of {len(chosen)} predictions came true" if chosen else "No prediction was made in this run"
    return Table(caption, ("question", "you predicted", "what came out"), rows)


def _choice_in_words(prediction):
    if prediction.chosen is None:
        return "—"
    return f"{'✓' if prediction.chosen == prediction.right else '✗'} {prediction.chosen}"


def _outcome(prediction):
    return str(prediction.right) if prediction.number is None or prediction.chosen is not None else "choose first"


def _validated(choices, answer):
    """Return {choice: comment} and the right choice."""
    if not isinstance(choices, dict) or len(choices) < 2:
        raise wrong("choices", choices, "a dict of at least two choices")
    if answer is None:
        right = [choice for choice, comment in choices.items() if comment is True]
    else:
        answer = answer() if callable(answer) else answer
        right = [choice for choice in choices if _equal(choice, answer)]
    if len(right) != 1:
        raise wrong("choices", choices, f"exactly one right choice, and these are right: {right} (answer: {answer})")
    comments = {choice: "" if comment is True else comment for choice, comment in choices.items()}
    if missing := [
        c for c, comment in comments.items() if not isinstance(comment, str) or (not comment and c != right[0])
    ]:
        raise wrong("choices", choices, f"a sentence for each wrong choice, missing for {missing}")
    return comments, right[0]


def _equal(choice, answer):
    """Tell whether the answer is this choice; 0.66976 is the choice 0.67, to which it rounds."""
    if isinstance(choice, Real) and not isinstance(choice, bool):
        digits = str(choice).partition(".")[2] if "e" not in str(choice) else "0" * 6
        return round(float(answer), len(digits)) == choice
    return str(choice) == str(answer)


def _show(prediction):
    """Display the prediction: cards in a running notebook, with the static form for the stored one."""
    plain = "\n".join([f"? {prediction.question}", *(f"  · {choice}" for choice in prediction.comments)])
    if kernel() is None:
        print(plain)
        return
    from course_utils.checks.student.predict_widget import widget_of

    show(widget_of(prediction), {"text/plain": plain, "text/html": _static(prediction)})


def _static(prediction):
    """The form for a page without a kernel: each choice unfolds its comment."""
    signs = {choice: "✓" if choice == prediction.right else "✗" for choice in prediction.comments}
    choices = "".join(
        f"<details><summary>{escape(str(choice))}</summary><p>{signs[choice]} {escape(comment)}</p></details>"
        for choice, comment in prediction.comments.items()
    )
    title = f"{prediction.title}: " if prediction.title != "Prediction" else ""
    return f"<p>{title}<strong>{escape(prediction.question)}</strong> Choose one, then unfold it.</p>{choices}"
