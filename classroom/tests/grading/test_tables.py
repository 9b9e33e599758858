"""Points, the tables of the platforms, the roster, and the page of the class."""

import csv
import random
import time
from collections import Counter

import grade
import pytest
from grading import class_page, feedback, likeness, platforms
from grading.marks import Mark, disambiguate_names, marks_of, points_of, read_worth
from grading.one_return import Row
from grading.records import GradedReturn, Records
from grading.returns import Return

LESSONS = {"04": {"embed": "embed", "scores": "scores"}}


def graded(student, *rows, attempt=0, number="", lesson="04"):
    digest = f"{student}{attempt}"
    return GradedReturn(student, number, "04_queries_keys_values.ipynb", attempt, digest, lesson, 1.0, rows)


BOTH = Row("embed", "done"), Row("scores", "done")
ONE = Row("embed", "done"), Row("scores", "not yet", ("scale-missing",), "The scores are too large.")


def test_points_by_state_and_none_for_what_is_suspect():
    assert points_of(graded("a", *BOTH), {}) == 2
    assert points_of(graded("a", *ONE), {"embed": 2.5}) == 2.5
    assert points_of(graded("a", *BOTH, Row("", "suspect")), {}) == 0


def test_the_last_return_or_the_best_one():
    both = [graded("a", *BOTH, attempt=0), graded("a", *ONE, attempt=1)]
    assert [mark.points for mark in marks_of(both, LESSONS, {}, "last")] == [1]
    assert [mark.points for mark in marks_of(both, LESSONS, {}, "best")] == [2]
    assert marks_of([graded("a", Row("", "another lesson"))], LESSONS, {}, "last") == []


def test_a_table_of_points_is_read_and_a_wrong_line_is_named(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("exercise,points\nembed,2\nscores,0.5\n")
    assert read_worth(path) == {"embed": 2.0, "scores": 0.5}
    path.write_text("exercise,points\nembed,many\n")
    with pytest.raises(ValueError, match="line 2"):
        read_worth(path)


def test_the_roster_finds_its_people_as_the_platforms_write_them(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("student,id,email\nAnna Müller,1000,a@x\nBert Ode,2000,b@x\n", encoding="utf-8")
    roster = platforms.read_roster(path)
    for student, number in (("Anna Müller", ""), ("mulleranna", ""), ("anna_muller", ""), ("whoever", "1000")):
        assert platforms.Roster(roster).person_of(student, number).email == "a@x"
    assert platforms.Roster(roster).person_of("nobody", "") is None
    assert platforms.Roster(roster * 2).person_of("Anna Müller", "") is None
    path.write_text("name\nx\n")
    with pytest.raises(ValueError, match="student"):
        platforms.read_roster(path)


def test_the_tables_that_platforms_give_are_rosters(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("Identifier,Full name,Email address\nParticipant 1000,Anna Müller,a@x\n", encoding="utf-8")
    assert platforms.Roster(platforms.read_roster(path)).person_of("somebody", "1000").email == "a@x"
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 05\n    Points Possible,,,,,4\n"
    path.write_text(header + '"Müller, Anna",77,,amueller,A,\n"Student, Test",1,,x,A,\n', encoding="utf-8")
    assert platforms.read_roster(path) == [platforms.Person("Müller, Anna", "77", "", "amueller", "A")]
    assert platforms.Roster(platforms.read_roster(path)).person_of("mulleranna", "").login == "amueller"


def test_moodle_gets_no_number_that_may_be_somebody_else_s(tmp_path):
    ids = {"Lena": "20231234567890", "Anna": "1000", "Bert": "Participant 12", "Cleo": ""}
    people = {name: platforms.Person(name, id) for name, id in ids.items()}
    platforms.write_moodle(tmp_path / "m.csv", [Mark(name, "04", 0, 2, None) for name in ids], people, str)
    assert [row[0] for row in read(tmp_path / "m.csv")[1:]] == ["", "", "Participant 12", ""]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1", "\t=1", "＝1", "a;=1", "a; @x", "a.ipynb;+1;b"])
def test_no_cell_is_a_formula(tmp_path, text):
    platforms.write_table(tmp_path / "t.csv", ["student"], [[text]])
    [[cell]] = read(tmp_path / "t.csv")[1:]
    assert not [part for part in cell.split(";") if part.strip()[0] in "=+-@＝＋－＠"] and cell.replace("'", "") == text


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_moodle_reads_its_worksheet(tmp_path):
    marks = [Mark("Anna", "04", 1.0, 2.0, graded("Anna", *ONE, number="1000")), Mark("=Bert", "04", 0.0, 2.0, None)]
    platforms.write_moodle(tmp_path / "m.csv", marks, {}, feedback.comment_of)
    header, anna, bert = read(tmp_path / "m.csv")
    assert header == [
        *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed"),
        *("Last modified (submission)", "Last modified (grade)", "Feedback comments"),
    ]
    assert anna[0] == "Participant 1000" and anna[4:7] == ["1", "2", "Yes"] and anna[-1] == "scores: not yet"
    assert bert[1] == "'=Bert" and bert[-1] == "No notebook came."


def test_canvas_reads_its_gradebook(tmp_path):
    marks = [Mark("anna", "04", 1.5, 2.0, graded("anna", *ONE, number="77"))]
    person = platforms.Person("Anna Müller", "77", "", "amueller", "A")
    platforms.write_canvas(tmp_path / "c.csv", marks, {"anna": person})
    assert read(tmp_path / "c.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 04"],
        ["    Points Possible", "", "", "", "", "2"],
        ["Anna Müller", "77", "", "amueller", "A", "1.5"],
    ]


def test_feedback_is_escaped_and_its_name_is_no_path():
    row = Row("scores", "not yet", ("x",), "Is `<script>` missing?")
    page = feedback.page_of("<b>", [Mark("<b>", "04", 0.0, 2.0, graded("<b>", row))])
    assert "<script" not in page and "<code>&lt;script&gt;</code>" in page and "<b>" not in page
    assert feedback.file_name("../../Anna") == "Anna" and feedback.file_name("///") == "student"


def test_the_class_page_groups_what_no_mistake_explains():
    odd = Row("scores", "not yet", (), "Not right.", "(2, 2) [[1. 2.] [3. 4.]]")
    marks = [Mark(name, "04", 0.0, 2.0, graded(name, odd)) for name in ("a", "b")]
    marks.append(Mark("c", "04", 1.0, 2.0, graded("c", *ONE)))
    page = class_page.page(marks, ["dora"], [mark.graded for mark in marks], {}, LESSONS)
    assert "`scores`, 2 of them: a, b." in page and "[[1. 2.] [3. 4.]]" in page
    assert "| `scale-missing` | 1 |" in page and "No notebook came from: dora." in page


def test_returns_that_are_alike_stand_together_whatever_their_names_are():
    long = "\n".join(f"x_{i} = left @ right[{i}] + offset" for i in range(20))
    other = long.replace("left", "links").replace("offset", "plus")
    marks = [Mark(name, "04", 2.0, 2.0, graded(name, *BOTH)) for name in "abc"]
    codes = {"a0": long, "b0": other, "c0": "\n".join(f"for k in range({i}):\n    print(k)" for i in range(20))}
    assert "- lesson 04: a, b" in class_page.page(marks, [], [], codes, LESSONS)


def test_likeness_misses_none_that_a_comparison_of_all_finds():
    rng = random.Random(1)
    lines = [f"x = {sign} {number} * (y {sign} {number})" for sign in "+-" for number in range(6)]
    codes = ["\n".join(rng.choices(lines, k=12)) for _ in range(20)]
    for code in list(codes):  # a copy, one with an added line, one with a changed line
        codes += [code, f"{code}\n{rng.choice(lines)}", "\n".join([*code.split("\n")[1:], rng.choice(lines)])]
    pieces = dict(enumerate(map(likeness.pieces_of, codes)))
    group_of = {number: group for group in likeness.similar_groups(pieces) for number in group}
    pairs = [
        (a, b) for a in pieces for b in pieces if likeness.similarity(pieces[a], pieces[b]) >= likeness.MIN_SIMILARITY
    ]
    assert all(b in group_of[a] for a, b in pairs if a != b)
    assert all(len(group) < 40 and any((a, b) in pairs for b in group if b != a) for a, group in group_of.items())


def test_a_thousand_returns_are_compared_in_seconds():
    rng = random.Random(1)
    texts = {i: Counter(rng.choices([(str(n),) for n in range(300)], k=100)) for i in range(1000)}
    start = time.monotonic()
    assert likeness.similar_groups(texts) == []
    assert time.monotonic() - start < 5  # comparing all pairs exactly took three times as long


def test_records_find_a_return_by_its_content_and_survive_a_cut_line(tmp_path):
    records = Records(tmp_path, "key")
    returned = Return("anna", "", "04_x.ipynb", 0, b"content", {})
    one = graded("anna", *ONE)._replace(digest=returned.digest)
    records.add(one)
    with records.path.open("a", encoding="utf-8") as file:
        file.write('key\t{"student": "be')
    again = Records(tmp_path, "key")
    assert again.find(returned._replace(student="renamed")).student == "renamed"
    again.add(one._replace(digest="other"))
    assert len(Records(tmp_path, "key").lines) == 2
    assert Records(tmp_path, "another key").lines == {}


def test_a_record_is_one_line_whatever_stands_in_it(tmp_path):
    one = graded("anna\u2028\x85", Row("scores", "not yet", (), "\ud800 \x1c"))
    Records(tmp_path, "key").add(one)
    assert Records(tmp_path, "key").lines == {one.digest: one}


def test_two_students_of_one_name_are_two():
    both = [graded("Bo", *BOTH, number="1"), graded("Bo", *ONE, number="2"), graded("Cy", *ONE, number="3")]
    marks = marks_of(disambiguate_names(both), LESSONS, {}, "last")
    assert [(mark.student, mark.points) for mark in marks] == [("Bo (1)", 2), ("Bo (2)", 1), ("Cy", 1)]


@pytest.mark.parametrize("state", ["another lesson", "not graded"])
def test_who_handed_in_what_cannot_be_graded_has_a_row_and_reads_why(state):
    returns = [graded("a", *BOTH), graded("b", Row("", state, (), "the reason"), lesson="")]
    for asked in ("04", ""):
        b = marks_of(returns, LESSONS, {}, "last", asked)[1]
        assert (b.student, b.lesson, b.points, b.max_points) == ("b", "04", 0, 2)
        assert "the reason" in feedback.page_of("b", [b]) and "the reason" in feedback.comment_of(b)


def test_each_student_has_a_file_of_their_own_that_every_system_can_write(tmp_path):
    students = [
        "anna",
        "Anna",
        "../anna",
        "",
        "..",
        "CON",
        "nul.x",
        "a" * 900,
        "a" * 901,
        "👩🏽‍🎓" * 99,
        "أحمد",
        "a\nb",
    ]
    names = feedback.file_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students)
    for name in names.values():
        (tmp_path / f"{name}.html").write_text("")
    assert len(list(tmp_path.iterdir())) == len(students)
    assert not {name.casefold() for name in names.values()} & {"con", "nul.x"} and names["أحمد"] == "أحمد"


def test_no_word_of_a_student_is_markup_on_the_page_of_the_class():
    name, row = "[x](http://y) <b> | `", Row("", "suspect", (), "<script> ![x](http://y)")
    odd = Row("scores", "not yet", (), "", "` <b> ")
    returns = [graded(name, odd, row)]
    page = class_page.page(marks_of(returns, LESSONS, {}, "last"), [name], returns, {}, LESSONS)
    assert not [sign for sign in ("[x]", "http:", " <b> |", " <script") if sign in page]


def test_the_progress_bar_takes_no_orders_from_names(capsys):
    shown = list(grade.track_progress([graded("[/red]", *BOTH), graded("[bold]x", *BOTH)], 2))
    assert len(shown) == 2 and "[bold]x" in capsys.readouterr().out
