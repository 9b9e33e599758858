"""The instructor's page about a class: progress, mistakes, and answers that no mistake explains."""

import re
from collections import Counter, defaultdict
from typing import NamedTuple

from grading.archives import HIDDEN
from grading.marks import OTHER_LESSON
from grading.one_return import REMARK
from grading.owners import NOBODY
from grading.returns import NOTHING, OF_COURSE, SOLUTION, names_inside

from course_utils.checks.exercises import COURSE, mistake
from pagecheck.words import counted

WIDTH = 30  # characters of the longest bar
MAX_FILES = 5  # named of one person
MAX_ALIKE, MIN_LINES, LONG_LINE = 4, 2, 15  # students at most, lines and characters at least: all else is chance
HARMLESS = ("The magic ", "Nothing is installed ")  # remarks that a student reads, and that ask nothing of a teacher


class ClassWork(NamedTuple):
    """What a class handed in, for its page. strangers: who is not on the roster; absent: who handed in nothing.

    marks: those that count. graded_returns: all. items: what became of every file.
    """

    marks: list
    graded_returns: list
    items: list = ()
    absent: list = ()
    strangers: list = ()


def page(class_work, own_lines, lessons):
    """Return the page as Markdown. own_lines: {digest: lines that are neither the stub's nor the solution's}."""
    parts = [
        progress_section(class_work.marks, lessons),
        mistakes_section(class_work.marks),
        unexplained_section(class_work.marks),
        look_section(class_work),
        works_section(class_work.marks),
        alike_section(class_work.marks, own_lines),
    ]
    return "\n".join(["# The class", "", *people(class_work), *(line for part in parts for line in part)]) + "\n"


def people(class_work):
    """Who handed in nothing, and who is not on the roster."""
    if class_work.absent:
        yield f"No notebook came from: {', '.join(map(escape_markdown, class_work.absent))}."
    if class_work.strangers:
        yield f"Not on the roster: {', '.join(map(escape_markdown, class_work.strangers))}."
        if class_work.absent:
            yield "Their work may be somebody's above, so nobody has a 0 for having handed in nothing."
            yield "Give each of these names a line in the roster, and grade again: that takes seconds."


def escape_markdown(text):
    """Escape a student's text so that it adds no link, image, table or HTML to the page.

    >>> escape_markdown("<b> [a](http://b)")
    '\\\\<b\\\\> \\\\[a\\\\](http\\\\://b)'
    """
    return re.sub(r"([\\`*_\[\]<>|~&#]|:(?=//))", r"\\\1", " ".join(text.split()))


def progress_section(marks, lessons):
    """How many students have done each exercise, as numbers and as a bar."""
    for lesson in sorted({mark.lesson for mark in marks} - {""}):
        in_lesson = [mark for mark in marks if mark.lesson == lesson and mark.graded and mark.points is not None]
        yield from ["", f"## Lesson {lesson}: {counted(len(in_lesson), 'return')}", ""]
        yield from ["| exercise | done | not yet | else | |", "|---|---|---|---|---|"]
        for exercise in lessons[lesson]:
            states = Counter(row.state for mark in in_lesson for row in mark.graded.rows if row.exercise == exercise)
            done, not_yet = states["done"], states["not yet"]
            bar = "█" * round(WIDTH * done / max(1, len(in_lesson)))
            yield f"| {exercise} | {done} | {not_yet} | {states.total() - done - not_yet} | {bar} |"
        yield from ["", points_summary(in_lesson)]


def points_summary(marks):
    """Describe the distribution of points in a sentence."""
    if not marks:
        return "Nobody handed in anything."
    points = sorted(mark.points for mark in marks)
    maximum, median = marks[0].max_points, points[len(points) // 2]
    full = sum(point == maximum for point in points)
    low = f"the one in the middle has {median:g}, the lowest {points[0]:g}"
    return f"{full} of {len(points)} have all {maximum:g} points; {low}."


def mistake_counts(marks):
    """Return (mistake, count) pairs, most frequent first."""
    rows = (row for mark in marks if mark.graded for row in mark.graded.rows if row.state == "not yet")
    return Counter(id for row in rows for id in row.mistakes).most_common()


def mistakes_section(marks):
    if counts := mistake_counts(marks):
        yield from [
            "",
            "## What the class has not got yet",
            "",
            "| mistake | how often | what is seen |",
            "|---|---|---|",
        ]
        yield from (f"| `{id}` | {number} | {escape_markdown(first_sentence(id))} |" for id, number in counts)


def first_sentence(id):
    """Return the first sentence of a mistake, for one that a page of an exercise has."""
    return mistake(id).seen if id in COURSE.mistakes else ""


def unexplained_section(marks):
    """Answers that no known mistake explains, grouped by what they returned."""
    groups = defaultdict(list)
    for mark in marks:
        for row in mark.graded.rows if mark.graded else ():
            if row.gave:
                groups[row.exercise, row.gave].append(mark.student)
    if groups:
        yield from ["", "## Answers that no mistake explains", ""]
        yield "Those that gave back the same stand together: one sentence of yours serves them all."
        yield "To let the check say it to the next class, add a mistake to the exercise's page; CONTRIBUTING shows how."
        yield ""
    for (exercise, gave), students in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        yield f"- `{exercise}`, {len(students)} of them: {', '.join(map(escape_markdown, students))}."
        yield f"  Gave back: `{gave.replace('`', chr(39))}`"


def look_section(class_work):
    """What no program can decide: returns that were not graded, and files that nobody read."""
    lines = [*ungraded_lines(class_work), *unread_lines(class_work.items)]
    for owner, names in sorted(names_inside(class_work.items).items()):
        names = escape_markdown(", ".join(sorted(names)[:MAX_FILES]))
        lines.append(
            f"- {escape_markdown(owner.student)}: what came names {names} inside. All of it counts as "
            f"{escape_markdown(owner.student)}'s; if it is the class's own folder or archive, name it in the command."
        )
    if lines:
        yield from ["", "## Look at these yourself", "", *lines]


def ungraded_lines(class_work):
    """A line for each return that was not graded, and for what was passed over where points are missing."""
    has_all = {mark.student for mark in class_work.marks if mark.points == mark.max_points}
    has_mark = {mark.student for mark in class_work.marks if mark.points is not None}
    for graded in class_work.graded_returns:
        for row in graded.rows:
            is_settled = graded.student in has_mark and (row.state == OTHER_LESSON or row.message.startswith(NOTHING))
            is_settled = is_settled or (row.state == REMARK and graded.student in has_all)
            if not row.exercise and not is_settled and not row.message.startswith(HARMLESS):
                student, name, message = map(escape_markdown, (graded.student, graded.name, row.message))
                yield f"- {student}, {name}: {row.state}; {message}"


def unread_lines(all_items):
    """A line for each person with files that nobody read."""
    with_notebook = {item.owner for item in all_items if item.cells is not None}
    for owner, items in unread_items(all_items).items():
        if len(items) <= MAX_FILES and owner not in with_notebook and owner != NOBODY:
            continue  # it is said above, as what came in place of a notebook
        files = list(dict.fromkeys(f"{'/'.join(item.path.parts[-3:])} ({item.became})" for item in items))
        more = f", and {len(files) - MAX_FILES} more, in files.csv" if len(files) > MAX_FILES else ""
        files = escape_markdown("; ".join(files[:MAX_FILES]))
        yield f"- {escape_markdown(owner.student) or 'nobody'}: {files}{more}"


def unread_items(items):
    """Return {owner: items} of the files that nobody read, and that neither a system nor the course left there."""
    found = defaultdict(list)
    for item in sorted(items, key=lambda item: len(item.path.parts)):  # what is said of a whole archive first
        if item.became not in ("", HIDDEN, SOLUTION, OF_COURSE) and item.cells is None:
            found[item.owner].append(item)
    return found


def works_section(marks):
    """Students with more than one work of a lesson, and which one counts."""
    lines = []
    for mark in marks:
        if mark.others:
            others = escape_markdown("; ".join(f"{other.place}: {title_of(other)}" for other in mark.others))
            counts = escape_markdown(f"{mark.graded.place}: {title_of(mark.graded)}")
            lines.append(f"- {escape_markdown(mark.student)}, lesson {mark.lesson}: {counts} counts; not {others}")
    if lines:
        yield from ["", "## More than one work", "", *lines]


def title_of(graded):
    return f"{graded.name} ({graded.attempt})" if graded.attempt else graded.name


def alike_section(marks, own_lines):
    """Lines that few students share, and that nobody else, no lesson and no solution has."""
    lines = [
        f"- lesson {lesson}: {', '.join(map(escape_markdown, students))}: " + ", ".join(f"`{line}`" for line in shared)
        for lesson in sorted({mark.lesson for mark in marks})
        for students, shared in rare_lines(
            {
                mark.student: own_lines.get(mark.graded.digest, ())
                for mark in marks
                if mark.lesson == lesson and mark.graded
            }
        )
    ]
    if lines:
        yield from ["", "## Lines that only these wrote", ""]
        yield "Those who learn together write alike, and a line may come from one book or one assistant."
        yield "So this proves nothing: ask before you think of copying."
        yield from ["", *lines]


def rare_lines(lines_of):
    """Return [(students, lines)] of students who share several lines that nobody else has. lines_of: {student: lines}.

    >>> rare_lines({"a": ["x = one + 1  # odd", "y = two - 22222"], "b": ["y = two - 22222", "x = one + 1  # odd"]})
    [(('a', 'b'), ['x = one + 1  # odd', 'y = two - 22222'])]
    """
    students_of = defaultdict(list)
    for student, lines in lines_of.items():
        for line in dict.fromkeys(lines):
            if len(line) >= LONG_LINE:
                students_of[line].append(student)
    groups = defaultdict(list)
    for line, students in students_of.items():
        if 2 <= len(students) <= MAX_ALIKE:
            groups[tuple(students)].append(line)
    return [(students, lines[:MAX_FILES]) for students, lines in sorted(groups.items()) if len(lines) >= MIN_LINES]
