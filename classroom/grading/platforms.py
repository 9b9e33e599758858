"""Tables that Moodle and Canvas import, and the roster of a class.

Moodle: the grading worksheet of an assignment with "offline grading worksheet", docs.moodle.org, "Assignment settings".
Canvas: the gradebook's CSV, community.canvaslms.com, "How do I import grades in the Gradebook?".
"""

import unicodedata
from collections import defaultdict
from typing import NamedTuple

from grading.marks import format_points
from grading.owners import OF_CANVAS
from grading.tables import read_table, write_table

MOODLE = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed")
MOODLE += ("Last modified (submission)", "Last modified (grade)", "Feedback comments")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


TITLES = {  # of a column: ours, Moodle's grading worksheet, Canvas's gradebook
    "student": ("student", "Full name", "Student"),
    "id": ("id", "Identifier", "ID"),
    "email": ("email", "Email address"),
    "login": ("login", "SIS Login ID"),
    "section": ("section", "Section"),
    "sis": ("sis", "SIS User ID"),
}
PARTICIPANT = "Participant "  # precedes a number in Moodle's worksheet, valid for one assignment only
NOT_PEOPLE = ("", "Points Possible", "Student, Test")  # lines of a gradebook


class Person(NamedTuple):
    """A line of the roster; only the name is required."""

    student: str
    id: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    sis: str = ""
    platform: bool = False  # whether id is the number by which Moodle or Canvas knows them


def read_roster(path):
    """Return the people of a table with the column student and optional columns id, email, login and section.

    A Moodle grading worksheet or an exported Canvas gradebook works, too.
    """
    table = read_table(path)
    header = table.fieldnames or ()
    column = {name: next((title for title in titles if title in header), "") for name, titles in TITLES.items()}
    if not column["student"]:
        raise ValueError(f"{path}: the first line has to name the columns, and one of them is student")
    is_platform = bool({"Identifier", "SIS User ID"} & set(header))
    rows = [[(row.get(column[name]) or "").strip() for name in TITLES] for row in table]
    people = dict.fromkeys(Person(**dict(zip(TITLES, row, strict=True)), platform=is_platform) for row in rows)
    return [person for person in people if person.student not in NOT_PEOPLE]


def normalize_name(name):
    """Return a name as Canvas writes it into file names. Accents of Latin letters go, signs of other scripts stay.

    >>> normalize_name("Anna Müller"), normalize_name("किरण") == normalize_name("करण")
    ('annamuller', False)
    """
    letters = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    return "".join(char for char in letters if char.isalnum() or (unicodedata.category(char)[0] == "M" and char > "ͯ"))


class Roster:
    """Finds the people of a class by platform number or by name."""

    def __init__(self, people):
        self.people = people
        self.by_number, self.by_name, self.by_reversed_name = defaultdict(list), defaultdict(list), defaultdict(list)
        self.namesakes = defaultdict(list)
        for person in people:
            self.namesakes[person.student].append(person)
            self.by_number[person.id.removeprefix(PARTICIPANT)].append(person)
            self.by_name[normalize_name(person.student)].append(person)
            self.by_reversed_name[normalize_name("".join(person.student.split()[::-1]))].append(person)

    def person_of(self, student, number):
        """Return the person that a return belongs to; None if there is no unique one, or name and number disagree."""
        name = normalize_name(student)
        by_name = self.by_name.get(name) or self.by_reversed_name.get(name) or []
        by_number = self.by_number.get(number, []) if number else []
        if by_number:
            agreed = [person for person in by_number if person in by_name] if by_name else by_number
            return agreed[0] if len(agreed) == 1 else None
        if number:  # a platform that numbers its people otherwise means somebody else
            by_name = [person for person in by_name if not person.platform or not person.id]
        return by_name[0] if len(by_name) == 1 else None

    def label(self, person):
        """Return the name of a person as the results have it: with a number where two have one name."""
        same = self.namesakes[person.student]
        number = person.id.removeprefix(PARTICIPANT) or person.login or person.email or str(same.index(person) + 1)
        return f"{person.student} ({number})" if len(same) > 1 else person.student

    def with_roster_name(self, graded):
        """Return a graded return under its student's name in the roster, if it is known there."""
        person = self.person_of(graded.student, graded.number)
        return graded._replace(student=self.label(person)) if person else graded

    def absent_and_strangers(self, graded_returns):
        """Return the names of those who handed in nothing, and of those who are not on the roster, if there is one."""
        people = [(one.student, self.person_of(one.student, one.number)) for one in graded_returns]
        present = {person for _, person in people}
        strangers = dict.fromkeys(student for student, person in people if person is None) if self.people else {}
        return [self.label(person) for person in self.people if person not in present], list(strangers)


def identifier_of(person):
    """Return a Moodle participant id, "" for any other number, which Moodle would take for someone else's."""
    return person.id if person and person.id.startswith(PARTICIPANT) else ""


def write_moodle(path, marks, people, comment):
    """Write the worksheet of one lesson. people: {student: Person or None}. comment(mark): what the student reads."""
    rows = []
    for mark in marks:
        person, graded = people.get(mark.student), mark.graded
        number = graded.number if graded and not graded.place.endswith(OF_CANVAS) else ""
        identifier = f"{PARTICIPANT}{number}" if number else identifier_of(person)
        name, email = (person.student, person.email) if person else (mark.student, "")
        status = "Submitted for grading - " if mark.graded else "No submission - "
        row = [
            identifier,
            name,
            email,
            status,
            format_points(mark.points),
            f"{mark.max_points:g}",
            "Yes",
            "-",
            "-",
            comment(mark),
        ]
        rows.append(row)
    write_table(path, MOODLE, rows)


def by_student(marks):
    """Return {student: marks}, in order of first appearance."""
    grouped = defaultdict(list)
    for mark in marks:
        grouped[mark.student].append(mark)
    return grouped


def write_canvas(path, marks, people):
    """Write the gradebook: one column per lesson, possible points in the second line."""
    lessons = {mark.lesson: mark.max_points for mark in marks if mark.lesson}
    titles = {lesson: f"Lesson {lesson}" for lesson in lessons}
    rows = [["    Points Possible", "", "", "", "", *(f"{max_points:g}" for max_points in lessons.values())]]
    for student, student_marks in by_student(marks).items():
        points = {mark.lesson: format_points(mark.points) for mark in student_marks}
        person = people.get(student) or Person(student)
        number = next((mark.graded.number for mark in student_marks if mark.graded), "")
        own_id = "" if person.id.startswith(PARTICIPANT) else person.id  # Moodle's numbers mean nothing to Canvas
        columns = [person.student, own_id or number, person.sis, person.login, person.section]
        rows.append([*columns, *(points.get(lesson, "") for lesson in lessons)])
    write_table(path, [*CANVAS, *titles.values()], rows)
