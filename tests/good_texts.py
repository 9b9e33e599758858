"""What every message of a check has to be as a text, whatever it says."""

import re
from pathlib import Path

from course_utils.checks.exercises import COURSE

ROOT = Path(__file__).resolve().parents[1]
COURSE_LINES = {
    line.strip()
    for path in (ROOT / "course_utils").rglob("*.py")
    for line in path.read_text(encoding="utf-8").splitlines()
    if len(line.strip()) > 30
}
MOST_WORDS = 80
COUNTED = "things|axes|axis|arguments|argument|inputs|numbers|places|indices|index|tokens"


def faults_of(text):
    """Yield what is wrong with a message as a text."""
    plain = re.sub(r"`[^`]*`", "CODE", text)
    for line in re.findall(r"`([^`]*)`", text):
        if line in COURSE_LINES:
            yield "quotes a line of the course"
    if (
        text.count("`") % 2
        or "..." in plain.replace("[...", "").replace("(..., ", "(")
        or "…" in plain.replace("(…, ", "(")
    ):  # leading axes
        yield "is cut in the middle"
    if text and text[-1] not in ".?":
        yield "does not end with a full stop or a question mark"
    if len(text.split()) > MOST_WORDS:
        yield f"has {len(text.split())} words"
    if "  " in plain or " ." in plain or " ," in plain:
        yield "has a blank too many"
    if "ndarray" in text or "numpy." in plain:
        yield "speaks of an ndarray"
    if re.search(r"\b[Aa] [aeio]\w|\b[Aa]n (?![aeiouAEIOUdhMNx8]|NaN)\w", plain):
        yield "has a wrong article"
    if re.search(rf"\b1 (?:{COUNTED.replace('axis|', '').replace('index|', '').replace('argument|', '')})\b", plain):
        yield "counts one thing in the plural"
    if re.search(r"\b(?:[2-9]|\d\d+) (?:axis|argument|index|thing)\b", plain):
        yield "counts several things in the singular"


def is_fit_for_students(verdict):
    """Not yet, with known ids, in at most three sentences, and nothing of Python's own."""
    words = verdict.message
    assert verdict.state == "not yet"
    assert set(verdict.mistakes) <= set(COURSE.mistakes)
    assert len(verdict.mistakes) == len(set(verdict.mistakes))
    assert 1 <= len(re.findall(r"[.?!](?=\s|$)", words)) <= 3, words
    assert "Traceback" not in words
    assert "lambda" not in words.split("`")[0]
    assert "{" not in words, "a blank was not filled in"
    assert list(faults_of(words)) == []
