"""Tables that Moodle and Canvas import, and the roster that names the students of a class.

Moodle: the grading worksheet of an assignment with "offline grading worksheet", docs.moodle.org, "Assignment settings".
Canvas: the gradebook's CSV, community.canvaslms.com, "How do I import grades in the Gradebook?".
"""

import csv
import re
import unicodedata
from typing import NamedTuple

MOODLE = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed")
MOODLE += ("Last modified (submission)", "Last modified (grade)", "Feedback comments")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


class Person(NamedTuple):
    """A line of the roster; only the name has to be there."""

    student: str
    id: str = ""
    email: str = ""
    login: str = ""
    section: str = ""


def read_roster(path):
    """Return the people of a table with the column student, and id, email, login and section as far as it has them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        if "student" not in (table.fieldnames or ()):
            raise ValueError(f"{path}: the first line has to name the columns, and one of them is student")
        return [Person(*((row.get(name) or "").strip() for name in Person._fields)) for row in table]


def plain(name):
    """A name as Canvas writes it into the names of files.

    >>> plain("Anna Müller")
    'annamuller'
    """
    without_marks = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    return re.sub(r"[\W_]", "", "".join(sign for sign in without_marks if not unicodedata.combining(sign)))


def person_of(student, number, roster):
    """Return the one person of the roster that a return belongs to; None for none, or for several."""
    numbered = [person for person in roster if number and person.id == number]
    named = [person for person in roster if plain(person.student) == plain(student)]
    turned = [person for person in roster if plain("".join(person.student.split()[::-1])) == plain(student)]
    return next((found[0] for found in (numbered, named, turned) if len(found) == 1), None)


def safe(text):
    """Return a cell that no spreadsheet takes for a formula: names are the students' own words."""
    text = str(text)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") and text != "-" else text


def write_table(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows([safe(cell) for cell in row] for row in rows)


def number(points):
    """Points as both platforms read them: 3 or 2.5."""
    return f"{points:g}"


def write_moodle(path, marks, people, comment):
    """Write the worksheet of one lesson. people: {student: Person or None}. comment(mark): what the student reads."""
    rows = []
    for mark in marks:
        person, given = people.get(mark.student), mark.graded.number if mark.graded else ""
        identifier = f"Participant {given}" if given else person.id if person else ""
        name, email = (person.student, person.email) if person else (mark.student, "")
        status = "Submitted for grading - " if mark.graded else "No submission - "
        row = [identifier, name, email, status, number(mark.points), number(mark.most), "Yes", "-", "-", comment(mark)]
        rows.append(row)
    write_table(path, MOODLE, rows)


def write_canvas(path, marks, people):
    """Write the gradebook: one column for each lesson, the points that are possible in the second line."""
    lessons = {mark.lesson: mark.most for mark in marks}
    titles = {lesson: f"Lesson {lesson}" for lesson in lessons}
    rows = [["    Points Possible", "", "", "", "", *(number(most) for most in lessons.values())]]
    for student in dict.fromkeys(mark.student for mark in marks):
        own = {mark.lesson: number(mark.points) for mark in marks if mark.student == student}
        person = people.get(student) or Person(student)
        given = next((mark.graded.number for mark in marks if mark.student == student and mark.graded), "")
        who = [person.student, person.id or given, "", person.login, person.section]
        rows.append([*who, *(own.get(lesson, "") for lesson in lessons)])
    write_table(path, [*CANVAS, *titles.values()], rows)
