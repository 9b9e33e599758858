"""Tables that Moodle and Canvas import, and the roster that names the students of a class.

Moodle: the grading worksheet of an assignment with "offline grading worksheet", docs.moodle.org, "Assignment settings".
Canvas: the gradebook's CSV, community.canvaslms.com, "How do I import grades in the Gradebook?".
"""

import csv
import re
import unicodedata
from collections import defaultdict
from typing import NamedTuple

MOODLE = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed")
MOODLE += ("Last modified (submission)", "Last modified (grade)", "Feedback comments")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


TITLES = {  # of a column: ours, that of Moodle's grading worksheet, that of a gradebook of Canvas
    "student": ("student", "Full name", "Student"),
    "id": ("id", "Identifier", "ID"),
    "email": ("email", "Email address"),
    "login": ("login", "SIS Login ID"),
    "section": ("section", "Section"),
}
PARTICIPANT = "Participant "  # what Moodle's worksheet writes before a number, which holds for one assignment
NO_PEOPLE = ("", "Points Possible", "Student, Test")  # lines of a gradebook that are nobody's


class Person(NamedTuple):
    """A line of the roster; only the name has to be there."""

    student: str
    id: str = ""
    email: str = ""
    login: str = ""
    section: str = ""


def read_roster(path):
    """Return the people of a table with the column student, and id, email, login and section as far as it has them.

    The worksheet that Moodle gives for an assignment will do, and a gradebook that Canvas exports.
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        there = table.fieldnames or ()
        column = {name: next((title for title in titles if title in there), "") for name, titles in TITLES.items()}
        if not column["student"]:
            raise ValueError(f"{path}: the first line has to name the columns, and one of them is student")
        people = [Person(*((row.get(column[name]) or "").strip() for name in Person._fields)) for row in table]
    return [person for person in people if person.student not in NO_PEOPLE]


def plain(name):
    """A name as Canvas writes it into the names of files.

    >>> plain("Anna Müller")
    'annamuller'
    """
    without_marks = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    return re.sub(r"[\W_]", "", "".join(sign for sign in without_marks if not unicodedata.combining(sign)))


class Roster:
    """The people of a class, to be found by the number that a platform gave them, or by their names."""

    def __init__(self, people):
        self.numbered, self.named, self.turned = defaultdict(list), defaultdict(list), defaultdict(list)
        for person in people:
            self.numbered[person.id.removeprefix(PARTICIPANT)].append(person)
            self.named[plain(person.student)].append(person)
            self.turned[plain("".join(person.student.split()[::-1]))].append(person)

    def person_of(self, student, number):
        """Return the one person that a return belongs to; None for none, or for several."""
        name = plain(student)
        found = self.numbered.get(number, ()) if number else (), self.named.get(name, ()), self.turned.get(name, ())
        return next((people[0] for people in found if len(people) == 1), None)


def safe(text):
    """Return a cell that no spreadsheet takes for a formula: names, files and errors are the students' own words.

    A spreadsheet of a country that writes 2,5 begins a cell after each semicolon.

    >>> safe("=1+1"), safe("a;@b"), safe("-")
    ("'=1+1", "a;'@b", '-')
    """
    text = str(text)
    return text if text == "-" else re.sub(r"(^|;)(?=\s*[=+\-@\t\r＝＋－＠])", r"\1'", text)


def write_table(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows([safe(cell) for cell in row] for row in rows)


def number(points):
    """Points as both platforms read them: 3 or 2.5."""
    return f"{points:g}"


def identifier_of(person):
    """What Moodle's own worksheet calls a person; "" for all other numbers, in which Moodle would see somebody else."""
    return person.id if person and person.id.startswith(PARTICIPANT) else ""


def write_moodle(path, marks, people, comment):
    """Write the worksheet of one lesson. people: {student: Person or None}. comment(mark): what the student reads."""
    rows = []
    for mark in marks:
        person, given = people.get(mark.student), mark.graded.number if mark.graded else ""
        identifier = f"{PARTICIPANT}{given}" if given else identifier_of(person)
        name, email = (person.student, person.email) if person else (mark.student, "")
        status = "Submitted for grading - " if mark.graded else "No submission - "
        row = [identifier, name, email, status, number(mark.points), number(mark.most), "Yes", "-", "-", comment(mark)]
        rows.append(row)
    write_table(path, MOODLE, rows)


def by_student(marks):
    """Return {student: their marks}, in the order in which they come."""
    own = defaultdict(list)
    for mark in marks:
        own[mark.student].append(mark)
    return own


def write_canvas(path, marks, people):
    """Write the gradebook: one column for each lesson, the points that are possible in the second line."""
    lessons = {mark.lesson: mark.most for mark in marks}
    titles = {lesson: f"Lesson {lesson}" for lesson in lessons}
    rows = [["    Points Possible", "", "", "", "", *(number(most) for most in lessons.values())]]
    for student, several in by_student(marks).items():
        own = {mark.lesson: number(mark.points) for mark in several}
        person = people.get(student) or Person(student)
        given = next((mark.graded.number for mark in several if mark.graded), "")
        who = [person.student, person.id or given, "", person.login, person.section]
        rows.append([*who, *(own.get(lesson, "") for lesson in lessons)])
    write_table(path, [*CANVAS, *titles.values()], rows)
