"""Looking back: two questions about earlier lessons open a lesson. They are in look_back.toml."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from course_utils.arrays.arguments import wrong
from course_utils.checks.student.predictions import ask

FILE = Path(__file__).resolve().parents[1] / "look_back.toml"
FIELDS = {"opens", "from", "question", "right", "choices"}


class Question(NamedTuple):
    """A question that opens a lesson and asks about an earlier one. comments: {choice: the comment on it}."""

    opens: str
    about: str
    question: str
    right: str
    comments: dict[str, str]


def look_back(lesson: str) -> None:
    """Ask the two questions that open a lesson: what do you still know of earlier ones?

    lesson: its number, such as "07". Nobody has to choose: the lesson goes on.
    Raises ValueError for a lesson that opens without questions.
    """
    questions = [question for question in QUESTIONS if question.opens == lesson]
    if not questions:
        lessons = ", ".join(sorted({question.opens for question in QUESTIONS}))
        raise wrong("lesson", lesson, f"the number of a lesson that looks back, in quotes: {lessons}")
    for question in questions:
        ask(question.question, question.comments, question.right, title=f"From lesson {question.about}")


def read(path: Path) -> list[Question]:
    """Return the questions of a file, in order. Raises ValueError for an invalid one, and says why."""
    questions = tomllib.loads(path.read_text(encoding="utf-8")).get("question", [])
    return [_question(f"{path.name}, question {number}", entry) for number, entry in enumerate(questions, 1)]


def _question(location, entry):
    if entry.keys() != FIELDS:
        raise wrong(location, sorted(entry), f"these fields: {', '.join(sorted(FIELDS))}")
    question = Question(*(entry[name] for name in ("opens", "from", "question", "right", "choices")))
    lessons = question.about, question.opens  # which may be a new one: a test asks whether both are there
    if not all(re.fullmatch(r"\d\d", one) for one in lessons) or question.about >= question.opens:
        raise wrong(location, f"{question.about}, asked in {question.opens}", "two lessons, the earlier one in `from`")
    if question.right not in question.comments or not all(question.comments.values()):
        raise wrong(location, question.right, "one of the choices, and a sentence for each of them")
    return question


QUESTIONS = read(FILE)
