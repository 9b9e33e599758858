"""What an instructor reads about a class: how far it is, what it has not got yet, and what no mistake explains."""

import re
from collections import Counter, defaultdict

from grading.likeness import groups_alike, pieces_of

WIDTH = 30  # signs of the longest bar


def page(marks, others, all_graded, codes, lessons):
    """Return the page as Markdown.

    marks: those that count. others: people without a return. codes: {digest: the code that a student added}.
    """
    parts = [how_far(marks, lessons), mistakes_of(marks), unexplained(marks), wholes(all_graded), alike(marks, codes)]
    missing = [f"No notebook came from: {', '.join(map(plain, others))}."] if others else []
    return "\n".join(["# The class", "", *missing, *(line for part in parts for line in part)]) + "\n"


def plain(text):
    """A student's words as Markdown: no link, no picture, no table and no HTML of theirs.

    >>> plain("<b> [a](http://b)")
    '\\\\<b\\\\> \\\\[a\\\\](http\\\\://b)'
    """
    return re.sub(r"([\\`*_\[\]<>|~&#]|:(?=//))", r"\\\1", " ".join(text.split()))


def how_far(marks, lessons):
    """Each exercise with how many have it, as numbers and as a bar of signs."""
    for lesson in sorted({mark.lesson for mark in marks}):
        here = [mark for mark in marks if mark.lesson == lesson and mark.graded]
        yield from ["", f"## Lesson {lesson}: {len(here)} returns", ""]
        yield from ["| exercise | done | not yet | else | |", "|---|---|---|---|---|"]
        for exercise in lessons[lesson]:
            states = Counter(row.state for mark in here for row in mark.graded.rows if row.exercise == exercise)
            done, not_yet = states["done"], states["not yet"]
            bar = "█" * round(WIDTH * done / max(1, len(here)))
            yield f"| {exercise} | {done} | {not_yet} | {states.total() - done - not_yet} | {bar} |"
        yield from ["", in_words(here)]


def in_words(marks):
    """The distribution of points, as a sentence."""
    if not marks:
        return "Nobody handed in anything."
    points = sorted(mark.points for mark in marks)
    most, middle = marks[0].most, points[len(points) // 2]
    full = sum(point == most for point in points)
    low = f"the one in the middle has {middle:g}, the lowest {points[0]:g}"
    return f"{full} of {len(points)} have all {most:g} points; {low}."


def counted(marks):
    """Return (mistake, how often), the most frequent first."""
    rows = (row for mark in marks if mark.graded for row in mark.graded.rows if row.state == "not yet")
    return Counter(id for row in rows for id in row.mistakes).most_common()


def mistakes_of(marks):
    if found := counted(marks):
        yield from ["", "## What the class has not got yet", "", "| mistake | how often |", "|---|---|"]
        yield from (f"| `{id}` | {number} |" for id, number in found)


def unexplained(marks):
    """Answers that no mistake of the table explains, those that gave back the same together."""
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
        yield f"- `{exercise}`, {len(students)} of them: {', '.join(map(plain, students))}."
        yield f"  Gave back: `{gave.replace('`', chr(39))}`"


def wholes(all_graded):
    """Returns that could not be graded, or not as they are."""
    rows = [(graded, row) for graded in all_graded for row in graded.rows if not row.exercise]
    if rows:
        yield from ["", "## Look at these yourself", ""]
    for graded, row in rows:
        yield f"- {plain(graded.student)}, {plain(graded.name)}: {row.state}; {plain(row.message)}"


def alike(marks, codes):
    """Groups of students whose code for a lesson is nearly the same, layout and chosen names aside."""
    groups = []
    for lesson in sorted({mark.lesson for mark in marks}):
        here = [mark for mark in marks if mark.lesson == lesson and mark.graded and mark.graded.digest in codes]
        found = groups_alike({mark.student: pieces_of(codes[mark.graded.digest]) for mark in here})
        groups += [(lesson, group) for group in found]
    if groups:
        yield from ["", "## Returns that are much alike", ""]
        yield "Short exercises have few right answers, and those who learn together write alike."
        yield "So this proves nothing: ask before you think of copying."
        yield ""
    for lesson, group in sorted(groups, key=lambda pair: -len(pair[1])):
        yield f"- lesson {lesson}: {', '.join(map(plain, group))}"
