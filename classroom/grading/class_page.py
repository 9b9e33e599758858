"""The instructor's page about a class: progress, mistakes, and answers that no mistake explains."""

import re
from collections import Counter, defaultdict

from grading.likeness import pieces_of, similar_groups

WIDTH = 30  # characters of the longest bar


def page(marks, absent, graded_returns, codes, lessons):
    """Return the page as Markdown.

    marks: those that count. absent: names without a return. codes: {digest: code that the student added}.
    """
    parts = [
        progress_section(marks, lessons),
        mistakes_section(marks),
        unexplained_section(marks),
        ungraded_section(graded_returns),
        similarity_section(marks, codes),
    ]
    missing = [f"No notebook came from: {', '.join(map(escape_markdown, absent))}."] if absent else []
    return "\n".join(["# The class", "", *missing, *(line for part in parts for line in part)]) + "\n"


def escape_markdown(text):
    """Escape a student's text so that it adds no link, image, table or HTML to the page.

    >>> escape_markdown("<b> [a](http://b)")
    '\\\\<b\\\\> \\\\[a\\\\](http\\\\://b)'
    """
    return re.sub(r"([\\`*_\[\]<>|~&#]|:(?=//))", r"\\\1", " ".join(text.split()))


def progress_section(marks, lessons):
    """How many students have done each exercise, as numbers and as a bar."""
    for lesson in sorted({mark.lesson for mark in marks}):
        in_lesson = [mark for mark in marks if mark.lesson == lesson and mark.graded]
        yield from ["", f"## Lesson {lesson}: {len(in_lesson)} returns", ""]
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
        yield from ["", "## What the class has not got yet", "", "| mistake | how often |", "|---|---|"]
        yield from (f"| `{id}` | {number} |" for id, number in counts)


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


def ungraded_section(graded_returns):
    """Returns that were not graded or need a look by the instructor."""
    rows = [(graded, row) for graded in graded_returns for row in graded.rows if not row.exercise]
    if rows:
        yield from ["", "## Look at these yourself", ""]
    for graded, row in rows:
        student, name, message = map(escape_markdown, (graded.student, graded.name, row.message))
        yield f"- {student}, {name}: {row.state}; {message}"


def similarity_section(marks, codes):
    """Groups of students with nearly the same code for a lesson, ignoring layout and names."""
    groups = []
    for lesson in sorted({mark.lesson for mark in marks}):
        in_lesson = [mark for mark in marks if mark.lesson == lesson and mark.graded and mark.graded.digest in codes]
        similar = similar_groups({mark.student: pieces_of(codes[mark.graded.digest]) for mark in in_lesson})
        groups += [(lesson, group) for group in similar]
    if groups:
        yield from ["", "## Returns that are much alike", ""]
        yield "Short exercises have few right answers, and those who learn together write alike."
        yield "So this proves nothing: ask before you think of copying."
        yield ""
    for lesson, group in sorted(groups, key=lambda pair: -len(pair[1])):
        yield f"- lesson {lesson}: {', '.join(map(escape_markdown, group))}"
