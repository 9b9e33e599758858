"""What a student reads: one page, in the words of the checks, without a script and without a link to elsewhere."""

import hashlib
import re
from html import escape

from pagecheck.words import SIGNS, with_code

SIGN = {"done": SIGNS["done"], "not yet": SIGNS["not yet"]}
STATES = {
    "missing": "This exercise is no longer in your notebook, or the name that it checks is nowhere defined.",
    "not started": "Nothing is written here yet.",
    "not judged": "Your notebook did not get as far as this exercise, or this answer did not reach its check.",
    "suspect": "There are no points before your instructor has looked at this notebook.",
    "syntax error": "Python cannot read the cell.",
}
OF_WINDOWS = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)  # names that it keeps for itself
LONGEST = 150  # bytes
STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
body { color: #1f2328; background: #fff } section { border-left: 4px solid #57606a; padding: 0 12px; margin: 16px 0 }
.done { border-color: #1a7f37 } .not-yet { border-color: #b45309 }
h2 { font-size: 1.1em; margin: 0 } p { margin: 4px 0 }
code { background: #f0f1f3 }"""


def file_name(student):
    """A file name for a student: no path, no sign and no word that a system refuses, and not too long for one.

    >>> file_name("../Anna Müller")
    'Anna Müller'
    """
    kept = "".join(sign for sign in student if sign.isprintable() and sign not in '<>:"/\\|?*')
    short = kept.encode("utf-8", "ignore")[:LONGEST].decode("utf-8", "ignore").strip(" .") or "student"
    return f"{short}_" if OF_WINDOWS.fullmatch(short) else short


def file_names(students):
    """Return {student: a file name}, no two of them the same, on systems too that read Anna and anna as one."""
    names, taken = {}, set()
    for student in sorted(students):
        own = file_name(student)
        if own.casefold() in taken:
            own += "-" + hashlib.sha256(student.encode("utf-8", "replace")).hexdigest()[:8]
        taken.add(own.casefold())
        names[student] = own
    return names


def page_of(student, marks):
    """Return the page of one student: each lesson with its points, each exercise with its state and what is said."""
    parts = [part for mark in marks for part in lesson_part(mark)]
    title = f"Learning to Look: {escape(student)}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = "\n".join([f"<h1><bdi>{escape(student)}</bdi></h1>", *parts])
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def lesson_part(mark):
    yield f"<h1>Lesson {mark.lesson}: {mark.points:g} of {mark.most:g} points</h1>"
    for row in mark.graded.rows if mark.graded else ():
        name = escape(row.exercise or mark.graded.name)
        said = [with_code(text) for text in (STATES.get(row.state, ""), row.message) if text]
        ids = f"<p><small><code>{escape(', '.join(row.mistakes))}</code></small></p>" if row.mistakes else ""
        kind = row.state.replace(" ", "-")
        heading = f"<h2>{SIGN.get(row.state, '○')} {name}: {row.state}</h2>"
        yield f'<section class="{escape(kind)}">{heading}{"".join(f"<p>{text}</p>" for text in said)}{ids}</section>'
    if not mark.graded:
        yield "<p>No notebook came.</p>"


def comment_of(mark):
    """The same in one line of text, for a table: how many are done, and what is not."""
    if not mark.graded:
        return "No notebook came."
    left = [f"{row.exercise}: {row.state}" for row in mark.graded.rows if row.exercise and row.state != "done"]
    whole = [f"{row.state}: {row.message}" for row in mark.graded.rows if not row.exercise]
    return "; ".join([*whole, *left]) or "All exercises are done."
