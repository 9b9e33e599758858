"""The gain of a class: formulas against published examples, classes with a known gain, and folders of every sort."""

import json
import re
from pathlib import Path

import gain as tool
import numpy as np
import pytest
from measuring import each_item, forms, formulas, lessons_left, simulated, sizes
from measuring.distributions import t_quantile
from measuring.formulas import Estimate
from measuring.report import page
from measuring.returned import Class, as_student, read_class

from course_utils.inventory.answers import SITTINGS, write
from course_utils.inventory.codes import draw_code, first_form, form_of
from course_utils.inventory.items import UNKNOWN, load

GAIN = (Path(__file__).resolve().parents[3] / "docs" / "GAIN.md").read_text(encoding="utf-8")
A, B = draw_code("A"), draw_code("B")
SPREAD = np.array([-0.05, 0, 0.05])
SMALL = np.random.default_rng(0).normal(size=(2, 12))
ESTIMATES = Estimate(0.5, 0.4, 0.6), Estimate(0.2, 0.1, 0.4)


def gain_of(before, after):
    return formulas.class_gain(before + SPREAD, after + SPREAD).value


def bonett(means, deviations, correlation, n):
    covariance = correlation * deviations[0] * deviations[1]
    return formulas.standardised_difference(means, (deviations[0] ** 2, deviations[1] ** 2), covariance, n)


T = {1: 12.706, 2: 4.303, 9: 2.262, 29: 2.045, 59: 2.001, 10**5: 1.96}  # the table of t
COHEN = {0.2: (199, 394), 0.5: (34, 64), 0.8: (15, 26)}  # students of one class, and of two, as G*Power gives them
# What is published of a formula, and how exactly.
PUBLISHED = [
    *((t_quantile, (0.975, df), t, 6e-4) for df, t in T.items()),
    *((sizes.n_paired, (effect, 0.8), n, 0) for effect, (n, _) in COHEN.items()),
    *((sizes.n_per_group, (effect, 0.8), n, 0) for effect, (_, n) in COHEN.items()),
    *((gain_of, scores, gain, 0.005) for scores, gain in {(0.7, 0.8): 0.33, (0.9, 0.95): 0.5}.items()),  # Hake's
    (bonett, ((102.1, 110.4), (14.6, 15.3), 0.75, 25), (0.5550319, 0.1609934), 1e-7),  # of the R package statpsych
    (bonett, ((602.4, 705.6), (33.17, 51.08), 0.769, 8), (2.3963, 0.65209), 1e-4),
    *((formulas.hedges_factor, (df,), 1 - 3 / (4 * df - 1), 3e-3) for df in (5, 9, 29, 299)),  # his approximation
    (formulas.correlation, ([0, 0, 0, 1, 1, 1, 1], range(7)), (0.86603, 0.3248, 0.9801), 5e-4),  # SciPy's
    (formulas.correlation, ([0, 0, 1, 1, 1], [3, 3, 5, 5, 5]), (1, None, None), 1e-9),  # all alike: no interval
    (formulas.share, (0, 10), (0, 0, 1.96**2 / (10 + 1.96**2)), 1e-3),  # Wilson's, in closed form
    (formulas.share, (5, 10), (0.5, 0.2366, 0.7634), 1e-3),
    (formulas.difference, ESTIMATES, (0.3, 0.3 - 0.05**0.5, 0.3 + 0.02**0.5), 1e-12),  # Zou and Donner
]


@pytest.mark.parametrize("formula, arguments, published, error", PUBLISHED)
def test_a_formula_gives_what_is_published(formula, arguments, published, error):
    assert formula(*arguments) == pytest.approx(published, abs=error)


def test_a_change_is_a_share_of_what_was_missing_or_of_what_was_there():
    """Marx and Cummings 2007; who has everything right both times, or nothing, has none."""
    estimate, without = formulas.mean_of_changes([0.5, 0.8, 0.4, 1.0, 0.0], [0.75, 0.4, 0.4, 1.0, 0.0])
    assert without == 2 and estimate.value == pytest.approx(np.mean([0.5, -0.5, 0]))


def test_the_interval_of_a_ratio_is_where_the_t_test_does_not_reject():
    top, bottom = SMALL + np.array([[2], [5]])
    for ratio in formulas.fieller(top, bottom):
        rest = top - ratio * bottom
        assert abs(rest.mean()) / (rest.std(ddof=1) / 12**0.5) == pytest.approx(formulas.quantile(11))


def test_upper_and_lower_groups_hold_27_percent_and_the_order_of_equal_students_changes_nothing():
    """Groups of 3 of 10, by hand: above one and two of the four with 6, below two and one of the three with 3."""
    right = np.array([0, 0, 1, 0, 0, 1, 1, 0, 0, 1])
    totals = np.array([1, 2, 3, 3, 3, 6, 6, 6, 6, 9])
    for order in (np.arange(10), np.arange(10)[::-1], np.random.default_rng(0).permutation(10)):
        assert formulas.upper_lower(right[order], totals[order]) == pytest.approx((1 + 2 / 2) / 3 - (1 / 3) / 3)
    assert formulas.upper_lower(right, np.full(10, 7)) == 0


@pytest.mark.parametrize(
    "before, after, gain",
    [
        ([], [], None),
        ([0.5], [0.6], 0.2),
        ([1, 1, 1], [1, 1, 1], None),
        ([0.2] * 4, [0.6] * 4, 0.5),
        ([0.2, 0.6, 0.5], [0.6, 0.8, 0.75], 0.5),  # each of them gains a half
        ([1, 1, 1, 0.9], [1, 1, 1, 1], 1),
    ],
)
def test_a_class_that_is_too_small_or_too_even_has_no_interval(before, after, gain):
    found = formulas.class_gain(before, after)
    assert found == ((None, None, None) if gain is None else (pytest.approx(gain), None, None))
    assert formulas.class_gain([0.0, 0.1, 0.5, 0.2, 0.2], [1, 1, 0.8, 1, 1]).high == 1, "and none goes beyond 1"
    assert formulas.mean(after[:1]).low is formulas.mean([0.5] * 4).low is formulas.effect_size([1] * 3, [1] * 3).low


# Folders


@pytest.fixture
def folder(tmp_path):
    """The answers of thirty students who do not exist."""
    assert tool.main(["--made-up", str(tmp_path / "class"), "30"]) == 0
    return tmp_path / "class"


def sitting(code, name, letters, **changes):
    """A sitting whose answers are these letters in their order; "r" for the right one."""
    form = form_of(code, name)
    answered = zip(load().form(form)[: len(letters)], letters, strict=True)
    chosen = {item.id: item.right if letter == "r" else letter for item, letter in answered if letter != "-"}
    return {"form": form, "answers": chosen, "seconds": 500, "finished": True} | changes


def put(folder, code, before=None, after=None, **more):
    """Write the answers of one student. before, after: letters, or whole sittings."""
    folder.mkdir(exist_ok=True)
    parts = {name: part for name, part in (("before", before), ("after", after)) if part is not None}
    parts = {name: sitting(code, name, part) if isinstance(part, str) else part for name, part in parts.items()}
    return write({"inventory": load().version, "code": code} | more | parts, folder)


def put_class(folder, *students):
    """Write the answers of one student for each pair of letters; every second one begins with form B."""
    for i, (before, after) in enumerate(students):
        put(folder, draw_code("AB"[i % 2]), before, after)
    return read_class(folder)


def run(capsys, *words):
    status = tool.main([str(word) for word in words])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_page_of_a_class_says_its_gain_and_the_picture_shows_it(folder, tmp_path, capsys):
    status, told, _ = run(capsys, folder, "--out", tmp_path / "out")
    assert status == 0 and (tmp_path / "out" / "gain.md").read_text(encoding="utf-8") in told + "\n"
    assert (tmp_path / "out" / "gain.png").read_bytes().startswith(b"\x89PNG")
    group = read_class(folder)
    before, after = (group.right(name, group.students).mean(axis=1) for name in SITTINGS)
    value = formulas.class_gain(before, after).value
    assert f"| **normalised gain of the class** (Hake) | **{value:.2f} [" in told
    assert f"on average {before.mean():.2f} before and {after.mean():.2f} after" in told
    assert "| both | 30 | | | |" in told and "left out" not in told
    assert all(f"| {item} |" in told for item in load().items)
    for concept in load().concepts.values():  # few students have an interval, and no number
        assert re.search(rf"^\| {concept.name} \| [\d, ]+ \| \[.*, .*\] \|$", told, re.M)


def test_answers_are_read_as_they_were_given_and_who_answered_once_is_counted(tmp_path):
    put(tmp_path, A, "rrab" + "r" * 10, "r" * 12 + "-" + UNKNOWN)
    [student] = read_class(tmp_path).students
    right = [float(load().items[f"A{pair}"].right == letter) for pair, letter in ((3, "a"), (4, "b"))]
    assert student.right("before").tolist() == [1, 1, *right, *[1] * 10]
    assert student.right("after").tolist() == [1] * 12 + [0, 0] and student.count_open("after") == (1, 1)
    put(tmp_path, A, "r" * 14, "r" * 14)
    put(tmp_path, B, "r" * 7 + "-" * 7)
    put(tmp_path, draw_code("A"), None, "r" * 14)
    told = page(read_class(tmp_path))
    assert "| before | 2 | 8 | 25% | 0% |" in told and "| after | 2 |" in told and "| both | 1 |" in told
    assert "1 answered before only, with a mean score of 0.50; those who stayed had 1.00." in told
    assert "1 answered after only." in told


def damaged(**parts):
    return json.dumps({"inventory": load().version, "code": A} | parts)


DAMAGED = {
    "answers_all.zip": (b"PK\x03\x04\xff\xfe", "it cannot be read (UnicodeDecodeError)"),
    "large.json": (" " * 2_000_000, "it is far too large for answers"),
    "deep.json": ("[" * 100_000, "this is not JSON"),
    "version.json": (damaged(inventory=99), "version 99 of the questions"),
    "unhashable.json": (damaged(before=sitting(A, "before", "", answers={"A1": ["a"]})), "answers that no question"),
    "seconds.json": (damaged(before=sitting(A, "before", "r", seconds="long")), "no sensible time"),
    "checks.json": (damaged(checks={"cosine": 3}), "is damaged"),
}


def test_a_damaged_file_is_named_in_one_sentence_and_costs_itself_only(folder, tmp_path, capsys):
    before = page(read_class(folder))
    (place := folder / "Müller, Ana").mkdir()
    for name, (content, _) in DAMAGED.items():
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (place / "answers_lost.json").symlink_to(folder / "nowhere")
    (place / "notes.txt").write_text("What I thought of the class.")
    status, told, error = run(capsys, folder, "--out", tmp_path / "out")
    assert status == 0 and error == "" and "Traceback" not in told
    page_before, _, omissions = told.partition("\n\n## What was left out\n\n")
    said = dict(re.findall(r"^- Müller, Ana/(.*?): (.*); left out\.$", omissions, re.M))
    reasons = {name: reason for name, (_, reason) in DAMAGED.items()} | {"answers_lost.json": "it cannot be read"}
    assert said.keys() == reasons.keys() and [name for name in said if reasons[name] not in said[name]] == []
    assert page_before.partition("![")[0] == before.partition("\n\n## By concept")[0] + "\n\n"


def test_answers_are_found_under_the_names_that_mail_and_browsers_give_them(tmp_path):
    names = "answers_{}.json.txt", "ANSWERS_{}.JSON", "answers_{} (1).json", "answers_{}"
    names = {draw_code(): name for name in names}
    for code, name in names.items():
        put(tmp_path, code, "r" * 14, "r" * 14).rename(tmp_path / name.format(code))
    assert {student.code for student in read_class(tmp_path).students} == names.keys()


def test_an_unfinished_sitting_is_left_out_and_said(tmp_path):
    put(tmp_path, A, "r" * 14, sitting(A, "after", "rrr", finished=False))
    group = read_class(tmp_path)
    assert [list(s.sittings) for s in group.students] == [["before"]]
    assert group.problems == [f'{A}: "after" was left after 3 of 14 questions; left out.']
    put(tmp_path, A, "r" * 14, sitting(A, "after", "r" * 14, finished=False))
    assert read_class(tmp_path).problems == []  # all is answered; only the last button was not pressed


@pytest.mark.parametrize("first, second", ["12", "21"])
def test_files_with_one_code_are_one_student_and_of_two_that_differ_the_fuller_one_counts(first, second, tmp_path):
    put(tmp_path / "0", A, "r" * 14)
    put(tmp_path / first, A, None, sitting(A, "after", "rr", finished=False))
    assert [set(s.sittings) for s in read_class(tmp_path).students] == [{"before"}]
    put(tmp_path / second, A, "r" * 14, "r" * 13 + "-")
    [student], [problem] = read_class(tmp_path)
    assert student.right("after").sum() == 13 and 'differs in "after"; the fuller one counts.' in problem


def test_a_concept_gains_by_both_of_its_questions_and_an_option_tells_all_its_misconceptions(tmp_path):
    first, second = "??" + "r" * 12, "?r" + "r" * 12
    group = put_class(tmp_path, *(("?" * 14, after) for after in (first, second, second)))
    assert each_item.by_concept(group)["scores"].value == pytest.approx(1 / 3)
    item = load().items["A8"]
    letter = next(x for x in "abcd" if len(item.option(x).mistakes) == 2)
    put(tmp_path / "more", A, "?" * 7 + letter + "?" * 6)
    [student] = read_class(tmp_path / "more").students
    assert each_item.mistakes_of(student, "before") == {"order-for-free", "bag-presence"}


ALIKE, EVERYTHING = ("r" * 4 + "?" * 10, "r" * 9 + "?" * 5), ("r" * 14, "r" * 14)


@pytest.mark.parametrize(
    "students, words",
    [
        ([ALIKE], "So few students say hardly anything"),
        ([ALIKE] * 40, "(Hake) | **0.50 [no interval]** |"),
        ([ALIKE] * 40, "- A1: everybody answers alike, so it tells nobody apart."),
        ([EVERYTHING] * 5, "5 had everything right before and after"),
    ],
)
def test_a_class_that_is_tiny_or_all_alike_gets_a_page_without_false_numbers(students, words, tmp_path):
    told = page(put_class(tmp_path, *students))
    assert words in told and not re.search("nan|inf", told.lower())


def test_questions_that_measure_nothing_are_named_with_the_reason(tmp_path):
    """Question 1 everybody knew, question 2 nobody learns, question 3 the best get wrong; nobody takes b or d in 4."""
    rng, students = np.random.default_rng(0), []
    for i in range(60):
        knows = int(rng.integers(0, 11))
        rest = "acac"[i % 4] + "".join(rng.permutation(list("r" * knows + UNKNOWN * (10 - knows))))
        third = UNKNOWN if knows > 5 else "r"
        students.append((f"r{UNKNOWN}r{rest}", f"r{UNKNOWN}{third}{rest}"))
    told = page(put_class(tmp_path, *students))
    for form in "AB":
        assert f"- {form}1: nearly everybody knew it before the course." in told
        assert f"- {form}2: hardly anybody gets it after the course" in told
        assert f"- {form}3: those who know more get it wrong more often: look for a second right answer." in told
        assert f"- {form}5:" not in told
        untaken = [letter for letter in "bd" if letter != load().items[f"{form}4"].right]
        assert re.search(rf"\| {form}4 \| .* \| {', '.join(untaken)} \|", told)


@pytest.mark.parametrize("harder", [0.0, 0.3])
def test_a_harder_form_is_found_and_does_not_touch_the_change(harder, monkeypatch):
    """Over 60 classes of 30, with a true difference of the forms and no gain."""
    monkeypatch.setattr(simulated, "FORM_B_HARDER", harder)
    rng, held = np.random.default_rng(0), np.zeros(3)
    for _ in range(60):
        students = [as_student(inside["code"], inside)[0] for inside in simulated.files_of(30, 0.0, rng)]
        found = forms.compare(Class(students, []))
        held += found.easier.contains(harder), found.before.contains(harder), found.change.contains(0)
        assert found.easier.high - found.easier.low < 0.25
    assert (held / 60 > 0.95 - 4 * (0.95 * 0.05 / 60) ** 0.5).all(), held


def test_tries_minutes_and_mistakes_of_the_lessons_stand_beside_the_gain(tmp_path):
    options = zip("abcd", load().items["B1"].options, strict=True)
    wrong = next(letter for letter, option in options if "product-cosine" in option.mistakes)
    for i in range(3):
        seen = ["product-cosine", "sign"][: 2 - i % 2]
        first = {"state": "done", "tries": 2 + i, "seconds": 60 * (i + 1), "seen": seen}
        checks = {"dot_product": first, "softmax": {"state": "not yet", "tries": 1, "seconds": 30, "seen": []}}
        put(tmp_path, draw_code("A"), "r" * 14, (wrong if i else "r") + "r" * 13, checks=checks)
    strange = {"state": "done", "seen": 3, "tries": "x", "seconds": None}
    put(tmp_path, B, "r" * 14, "r" * 14, checks={"no_such_exercise": strange, "masked_scores": {"state": "done"}})
    group = read_class(tmp_path)
    first, second, *_ = lessons_left.lessons(group)
    assert (first.number, first.students, first.done, first.tries, first.minutes) == ("01", 3, 1.0, 3, 2.0)
    assert first.mistakes == [("product-cosine", 3), ("sign", 2)]
    assert (second.number, second.done, second.tries) == ("02", 0.0, None)
    told = page(group)
    assert "4 handed in what the checks noted" in told
    assert "- `product-cosine`, lesson 01: 2 of 3 who met it." in told


# The command


def test_the_comparison_group_stands_beside_the_class(tmp_path, capsys):
    simulated.write_class(tmp_path / "course", 100, 0.6)
    simulated.write_class(tmp_path / "other", 100, 0.0, seed=5)
    status, told, _ = run(capsys, tmp_path / "course", "--compare", tmp_path / "other", "--out", tmp_path / "out")
    low = float(re.search(r"The difference is \S+ \[(\S+),", told)[1].replace("−", "-"))
    assert status == 0 and 0.3 < low < 0.6
    assert re.search(r"\| The dot product: direction and length \| 01 \| \d.\d\d \[", told)  # enough for a number


def test_half_of_the_codes_begins_with_each_form(capsys):
    codes = run(capsys, "--codes", 30)[1].split()
    assert len(set(codes)) == 30 and [first_form(code) for code in codes].count("A") == 15


def test_the_sizes_and_the_coverage_are_printed_as_the_document_shows_them(capsys):
    """95 % of 1000 simulated classes of each kind, give or take four standard errors of that share."""
    assert set(run(capsys, "--sizes")[1].splitlines()) <= set(GAIN.splitlines())
    printed = re.findall(r"^ +(\d+) +(0\.\d) (.*?) +(\S+)$", run(capsys, "--coverage")[1], re.M)
    shown = re.findall(r"^\| (\d+) \| (0\.\d) \| (0.*) \|$", GAIN, re.M)
    assert [row[:2] for row in printed] == [row[:2] for row in shown] and len(shown) == 9
    for (n, _, held, width), (_, _, documented) in zip(printed, shown, strict=True):
        held, margin = [float(share) for share in held.split()], 4 * (0.95 * 0.05 / 1000) ** 0.5
        assert held == pytest.approx([float(share) for share in documented.split(" | ")], abs=0.01)
        assert min(held) > 0.95 - margin and held[0] < 0.95 + margin and float(width) < 1.9 / int(n) ** 0.5


@pytest.mark.parametrize(
    "words, status, error",
    [
        ((), 2, "nox -s gain -- FOLDER"),
        ((".",), 1, ".: no finished answers here."),
        (("nothing",), 1, "nothing: no such folder"),
        *(((*words,), 2, "is at least 1, in digits") for words in (("--codes", -3), ("--codes", 0), ("--coverage", 0))),
        (("--made-up", "x", "many"), 2, "is at least 1, in digits"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(words, status, error, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        found, _, told = run(capsys, *words)
    except SystemExit as ended:
        found, told = ended.code, capsys.readouterr().err
    assert found == status and error in told and not list(tmp_path.iterdir())
