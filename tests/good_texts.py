"""What every message of a check has to be as a text, whatever it says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COURSE_LINES = {
    line.strip()
    for path in (ROOT / "course_utils").rglob("*.py")
    for line in path.read_text(encoding="utf-8").splitlines()
    if len(line.strip()) > 30
}
ONE = r"\b1 (?:things|axes|arguments|inputs|numbers|places|indices|tokens)\b"
FAULTS = {  # what is wrong, and how it looks where code stands as CODE
    "is cut in the middle": r"(?<!\[)(?<!\()\.\.\.|(?<!\()…|\A[^`]*`[^`]*\Z",  # not the dots of leading axes
    "does not end with a full stop or a question mark": r"[^.?]\Z",
    "has more than 80 words": r"\A(\S+\s+){80}\S",
    "has a blank too many": r"  | \.| ,",
    "speaks of an ndarray": r"ndarray|numpy\.",
    "has a wrong article": r"\b(?:a|A(?! of shape)) [aeio]\w|\b[Aa]n (?![aeiouAEIOUdhMNx8]|NaN)\w",
    "counts one thing in the plural": ONE,
    "counts several things in the singular": r"\b(?:[2-9]|\d\d+) (?:axis|argument|index|thing)\b",
    "shows what stands inside": r"Traceback|(?<! = )\{|\A[^`]*lambda",
}


def faults_of(text):
    """Return what is wrong with a message as a text."""
    plain = re.sub(r"`[^`]*`", "CODE", text)
    quoted = COURSE_LINES.intersection(re.findall(r"`([^`]*)`", text))
    return [f"quotes a line of the course: {line}" for line in quoted] + [
        fault for fault, pattern in FAULTS.items() if re.search(pattern, plain)
    ]
