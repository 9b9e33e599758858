"""Points, the tables of the platforms, the roster, the pages, and what is written down between two runs."""

import csv

import pytest
from grading import class_page, feedback, platforms, tables
from grading.marks import Mark, disambiguate_names, marks_of, points_of, read_worth
from grading.one_return import Row
from grading.platforms import Person, Roster, read_roster
from grading.records import GradedReturn, Records
from grading.returns import Return

LESSONS = {"04": {"embed": "embed", "scores": "scores"}}
BOTH = Row("embed", "done"), Row("scores", "done")
ONE = Row("embed", "done"), Row("scores", "not yet", ("scale-missing",), "The scores are too large.")


def graded(student, *rows, attempt=0, number="", lesson="04", place="here"):
    digest = f"{student}{attempt}"
    return GradedReturn(student, number, place, "04_queries_keys_values.ipynb", attempt, digest, lesson, 1.0, rows)


def mark(student, *rows, points=1.0, **identity):
    return Mark(student, "04", points, 2.0, graded(student, *rows, **identity) if rows else None)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_points_by_state_and_none_for_what_is_suspect():
    assert [points_of(graded("a", *rows), {"embed": 2.5}) for rows in (BOTH, ONE)] == [3.5, 2.5]
    assert points_of(graded("a", *BOTH, Row("", "suspect")), {}) is None
    assert points_of(graded("a", Row("", "not graded")), {}) is None
    assert points_of(graded("a", *ONE, Row("", "not graded")), {}) == 1


def test_the_last_return_counts_or_the_best_one_and_two_students_of_one_name_are_two():
    returns = [graded("a", *BOTH), graded("a", *ONE, attempt=1), graded("b", *BOTH, lesson="05")]
    returns += [graded("Bo", *BOTH, number="1"), graded("Bo", *ONE, number="2"), graded("Bo (1)", *ONE, number="3")]
    for take, points in (("last", 1), ("best", 2)):
        marks = marks_of(disambiguate_names(returns), LESSONS, {}, take, "04")
        found = [(one.student, one.points) for one in marks[:4]]
        assert found == [("a", points), ("Bo (1)", 2), ("Bo (1) (3)", 1), ("Bo (2)", 1)]


@pytest.mark.parametrize("state", ["another lesson", "not graded"])
def test_who_handed_in_what_cannot_be_graded_has_a_row_and_reads_why(state):
    returns = [graded("a", *BOTH), graded("b", Row("", state, (), "the reason"), lesson="")]
    for asked in ("04", ""):
        b = marks_of(returns, LESSONS, {}, "last", asked)[1]
        assert (b.student, b.lesson, b.points, b.max_points) == ("b", "04", None, 2)
        assert "the reason" in feedback.page_of("b", [b]) and "the reason" in feedback.comment_of(b)


def test_a_table_of_points_is_read_and_one_that_cannot_be_used_is_named_with_the_place(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("exercise,points\nembed,2\nscores,0.5\n")
    assert read_worth(path) == {"embed": 2.0, "scores": 0.5}
    for read_table, text, place in (
        (read_worth, "exercise,points\nembed,x\n", "line 2"),
        (read_roster, "x\n", "student"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=rf"table\.csv.*{place}"):
            read_table(path)


CANVAS_HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 05\n    Points Possible,,,,,4\n"
ROSTERS = {
    "own": "student ,id,email\nAnna Müller,1000,a@x\nBert Ode,2000,b@x\n",
    "Moodle": "Identifier,Full name,Email address\nParticipant 1000,Anna Müller,a@x\n",
    "Canvas": CANVAS_HEAD + '"Müller, Anna",1000,,amueller,A,\n"Student, Test",1,,x,A,\n',
}


@pytest.mark.parametrize("table", ROSTERS)
def test_a_roster_finds_its_people_as_the_platforms_write_them(tmp_path, table):
    encoding, sign = ("cp1252", ";") if table == "own" else ("utf-8-sig", ",")  # as Excel writes it in half of Europe
    (tmp_path / "roster.csv").write_text(ROSTERS[table].replace(",", sign), encoding=encoding)
    people = read_roster(tmp_path / "roster.csv")
    roster = Roster(people)
    for student, number in (("Anna Müller", ""), ("mulleranna", ""), ("müller_anna", ""), ("whoever", "1000")):
        assert roster.person_of(student, number) == people[0], student
    assert roster.person_of("nobody", "") is None is roster.person_of("Student, Test", "")
    assert Roster(people * 2).person_of("Anna Müller", "") is None


def test_a_person_is_nobody_where_name_and_number_do_not_agree(tmp_path):
    (tmp_path / "roster.csv").write_text(CANVAS_HEAD + '"Klein, Bob",1001,,bk,A,\n', encoding="utf-8")
    one_section = Roster(read_roster(tmp_path / "roster.csv"))
    assert one_section.person_of("kleinbob", "1002") is None  # of the other section
    assert one_section.person_of("kleinbob", "1001") == one_section.person_of("Bob Klein", "") is not None
    people = [Person("Bob Klein", "1"), Person("Bob Klein", "2"), Person("Klein Bob", "3"), Person("Anna", "1001")]
    roster = Roster(people)
    assert roster.person_of("Bob Klein", "") is None and roster.person_of("Bob Klein", "2") == people[1]
    assert roster.person_of("Bob Klein", "1001") is None  # a number of Anna's in another list
    assert [roster.label(one) for one in people] == ["Bob Klein (1)", "Bob Klein (2)", "Klein Bob", "Anna"]
    (tmp_path / "roster.csv").write_text("student\nbob\nbob\n", encoding="utf-8")
    assert len(read_roster(tmp_path / "roster.csv")) == 1


def test_moodle_reads_its_worksheet_and_no_number_that_may_be_somebody_else_s(tmp_path):
    marks = [mark("Anna", *ONE, number="1000"), mark("=Bert"), mark("Cleo"), mark("Dora"), mark("Lena")]
    ids = {"Cleo": "Participant 12", "Dora": "12", "Lena": "20231234567890"}
    people = {name: Person(name, id) for name, id in ids.items()}
    platforms.write_moodle(tmp_path / "m.csv", marks, people, feedback.comment_of)
    header, anna, bert, *others = read(tmp_path / "m.csv")
    assert header == [
        *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed"),
        *("Last modified (submission)", "Last modified (grade)", "Feedback comments"),
    ]
    assert (anna[0], *anna[4:7], anna[-1]) == ("Participant 1000", "1", "2", "Yes", "scores: not yet")
    assert (bert[1], bert[-1]) == ("'=Bert", "No notebook came.")
    assert [row[0] for row in others] == ["Participant 12", "", ""]


def test_canvas_reads_its_gradebook(tmp_path):
    person = Person("Anna Müller", "77", "", "amueller", "A")
    platforms.write_canvas(tmp_path / "c.csv", [mark("anna", *ONE, points=1.5, number="77")], {"anna": person})
    assert read(tmp_path / "c.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 04"],
        ["    Points Possible", "", "", "", "", "2"],
        ["Anna Müller", "77", "", "amueller", "A", "1.5"],
    ]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1", "\t=1", "＝1", "a;=1", "a; @x", "a.ipynb;+1;b"])
def test_no_cell_is_a_formula(tmp_path, text):
    tables.write_table(tmp_path / "t.csv", ["student"], [[text]])
    [[cell]] = read(tmp_path / "t.csv")[1:]
    assert not [part for part in cell.split(";") if part.strip()[0] in "=+-@＝＋－＠"] and cell.replace("'", "") == text


def test_each_student_has_a_file_of_their_own_that_every_system_can_write(tmp_path):
    students = ["anna", "Anna", "../anna", "", "..", "CON", "nul.x", "a" * 900, "a" * 901, "👩🏽‍🎓" * 99, "أحمد"]
    students.append("a\nb")
    once = feedback.file_names(["anna", "Anna"])
    students += [f"<{name}" for name in once.values()]  # what a second anna would be called
    names = feedback.file_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students) and names["أحمد"] == "أحمد"
    for name in names.values():
        (tmp_path / f"{name}.html").write_text("")
    assert len(list(tmp_path.iterdir())) == len(students)
    assert not {name.casefold() for name in names.values()} & {"con", "nul.x"}


def test_no_word_of_a_student_is_markup_on_a_page():
    name, row = "[x](http://y) <b> | `", Row("", "suspect", (), "<script> ![x](http://y)")
    returns = [graded(name, Row("scores", "not yet", (), "Is `<script>` missing?", "` <b> "), row)]
    marks = marks_of(returns, LESSONS, {}, "last")
    page = class_page.page(class_page.ClassWork(marks, returns, [], [name], [name]), {}, LESSONS)
    assert not [sign for sign in ("[x]", "http:", " <b> |", " <script") if sign in page]
    page = feedback.page_of(name, marks)
    assert "<script" not in page and "<code>&lt;script&gt;</code>" in page and "<b>" not in page


def test_lines_that_few_share_are_shown_and_those_of_many_or_of_one_are_not():
    few = ["total = sum(row * row for row in rows)  # mine", "return total / 3.0000001"]
    lines = {**{f"{name}0": few for name in "ab"}, **{f"{name}0": ["return weights @ values"] * 3 for name in "abcdef"}}
    lines["c0"] = ["a line that nobody else has", "and one more of that kind"]
    marks = [mark(name, *BOTH) for name in "abcdef"]
    lines = {digest: [*few, *shared] if digest in ("a0", "b0") else shared for digest, shared in lines.items()}
    page = class_page.page(class_page.ClassWork(marks, [], [], ["emil"]), lines, LESSONS)
    assert f"- lesson 04: a, b: `{few[0]}`, `{few[1]}`\n" in page and "No notebook came from: emil." in page
    assert "weights @" not in page and "nobody else has" not in page


def test_records_find_a_return_by_its_content_and_survive_a_cut_line(tmp_path):
    returned = Return("anna", "", "anna", "04_x.ipynb", 0, ("content",), {})
    one = graded("anna\u2028\x85", Row("scores", "not yet", (), "\ud800 \x1c"))._replace(digest=returned.digest)
    records = Records(tmp_path, "key")
    records.add(one)
    with records.path.open("a", encoding="utf-8") as file:
        file.write('key\t{"student": "be')
    again = Records(tmp_path, "key")
    assert again.lines == {one.digest: one} and again.find(returned._replace(student="renamed")).student == "renamed"
    again.add(one._replace(digest="other"))
    assert len(Records(tmp_path, "key").lines) == 2 and Records(tmp_path, "another key").lines == {}
