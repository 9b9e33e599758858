"""The feedback page of a student, in the words of the checks, without scripts or external links."""

import hashlib
import re
import sys
from html import escape

from course_utils.pictures.palette import LIGHT, PAGE_TYPE
from pagecheck.words import SIGNS, with_code

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
STATE_SIGNS = {"done": SIGNS["done"], "not yet": SIGNS["not yet"]}
STATE_TEXTS = {
    "missing": "This exercise is no longer in your notebook, or the name that it checks is nowhere defined.",
    "not started": "Nothing is written here yet.",
    "not judged": "Your notebook did not get as far as this exercise, or this answer did not reach its check.",
    "suspect": "There are no points before your instructor has looked at this notebook.",
    "syntax error": f"Python {VERSION}, with which notebooks are graded, cannot read the cell.",
    "remark": "Read this first: your notebook ran where not everything is as on your machine.",
}
WINDOWS_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)  # device names
MAX_NAME_BYTES = 150  # bytes
STYLE = """body { font: %s; max-width: 46em; margin: 2em auto; padding: 0 1em }
body { color: %s; background: %s } section { border-left: 4px solid %s; padding: 0 12px; margin: 16px 0 }
.done { border-color: %s } .not-yet { border-color: %s }
h2 { font-size: 1.1em; margin: 0 } p { margin: 4px 0 }
code { background: %s }"""
TONES = (LIGHT[name] for name in ("ink", "paper", "soft", "look-green", "look-orange", "raised"))
STYLE %= PAGE_TYPE, *TONES


def file_name(student):
    """Return a file name for a student that is not a path and that every operating system accepts.

    >>> file_name("../Anna Müller")
    'Anna Müller'
    """
    printable = "".join(char for char in student if char.isprintable() and char not in '<>:"/\\|?*')
    short = printable.encode("utf-8", "ignore")[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip(" .") or "student"
    return f"{short}_" if WINDOWS_RESERVED.fullmatch(short) else short


def file_names(students):
    """Return {student: file name}, unique even on case-insensitive file systems."""
    names, taken = {}, set()
    for student in sorted(students):
        name = file_name(student)
        while name.casefold() in taken:  # a student may be called what the first attempt gives
            name += "-" + hashlib.sha256(f"{student}{name}".encode("utf-8", "replace")).hexdigest()[:8]
        taken.add(name.casefold())
        names[student] = name
    return names


def page_of(student, marks):
    """Return the HTML page of one student: points per lesson, state and message per exercise."""
    parts = [part for mark in marks for part in lesson_section(mark)]
    title = f"Learning to Look: {escape(student)}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = "\n".join([f"<h1><bdi>{escape(student)}</bdi></h1>", *parts])
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def lesson_section(mark):
    points = "not graded yet" if mark.points is None else f"{mark.points:g} of {mark.max_points:g} points"
    yield f"<h1>{f'Lesson {mark.lesson}' if mark.lesson else 'Your return'}: {points}</h1>"
    rows = mark.graded.rows if mark.graded else ()
    for row in sorted(rows, key=lambda row: bool(row.exercise)):  # what concerns the whole notebook first
        name = escape(row.exercise or mark.graded.name)
        texts = [with_code(text) for text in (STATE_TEXTS.get(row.state, ""), row.message) if text]
        ids = f"<p><small><code>{escape(', '.join(row.mistakes))}</code></small></p>" if row.mistakes else ""
        kind = row.state.replace(" ", "-")
        heading = f"<h2>{STATE_SIGNS.get(row.state, '○')} {name}: {row.state}</h2>"
        yield f'<section class="{escape(kind)}">{heading}{"".join(f"<p>{text}</p>" for text in texts)}{ids}</section>'
    for other in mark.others:
        yield f"<p>You handed in more than one notebook. This one does not count: {escape(other.name)}</p>"
    if not mark.graded:
        yield "<p>No notebook came.</p>"


def comment_of(mark):
    """Return the feedback as one line for a table: the exercises that are not done."""
    if not mark.graded:
        return "No notebook came."
    unfinished = [f"{row.exercise}: {row.state}" for row in mark.graded.rows if row.exercise and row.state != "done"]
    remarks = [f"{row.state}: {row.message}" for row in mark.graded.rows if not row.exercise]
    return "; ".join([*remarks, *unfinished]) or "All exercises are done."
