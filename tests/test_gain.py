"""The gain of a class: formulas against published examples, classes with a known gain, and folders of every sort."""

import json
import re
import shutil
from pathlib import Path

import gain as tool
import matplotlib.pyplot as plt
import numpy as np
import pytest
from measuring import each_item, forms, formulas, lessons_left, picture, simulated, sizes
from measuring.distributions import power, t_quantile
from measuring.formulas import Estimate
from measuring.report import page
from measuring.returned import Class, as_student, read_class

from course_utils.inventory.answers import SITTINGS, write
from course_utils.inventory.codes import draw_code, first_form, form_of
from course_utils.inventory.items import UNKNOWN, load

ROOT = Path(__file__).resolve().parents[1]
GAIN = (ROOT / "docs" / "GAIN.md").read_text(encoding="utf-8")
A, B = draw_code("A"), draw_code("B")


# Formulas, against published examples


@pytest.mark.parametrize(
    "df, published", [(1, 12.706), (2, 4.303), (9, 2.262), (29, 2.045), (59, 2.001), (10**5, 1.96)]
)
def test_quantiles_are_those_of_the_tables(df, published):
    assert t_quantile(0.975, df) == pytest.approx(published, abs=6e-4)


@pytest.mark.parametrize("before, after, published", [(0.70, 0.80, 0.33), (0.90, 0.95, 0.5)])
def test_the_gain_of_a_class_is_hake_s(before, after, published):
    """Two examples of a summary of Crouch and Mazur 2001."""
    spread = np.array([-0.05, 0, 0.05])
    assert formulas.class_gain(before + spread, after + spread).value == pytest.approx(published, abs=0.005)


def test_a_change_is_a_share_of_what_was_missing_or_of_what_was_there():
    """Marx and Cummings 2007: 0.5 up of 0.5 missing halves to 0.25/0.5; a loss is a share of what was there."""
    estimate, without = formulas.mean_of_changes([0.5, 0.8, 0.4, 1.0, 0.0], [0.75, 0.4, 0.4, 1.0, 0.0])
    assert without == 2 and estimate.value == pytest.approx(np.mean([0.5, -0.5, 0]))


def test_the_effect_size_is_bonett_s():
    """The worked example of ci.stdmean.ps in the R package statpsych, by D. G. Bonett."""
    d, error = formulas.standardised((102.1, 110.4), (14.6**2, 15.3**2), 0.75 * 14.6 * 15.3, 25)
    assert (d, error) == pytest.approx((0.5550319, 0.1609934), abs=1e-7)
    assert (d - 1.959964 * error, d + 1.959964 * error) == pytest.approx((0.2394905, 0.8705732), abs=1e-6)
    d, error = formulas.standardised((602.4, 705.6), (33.17**2, 51.08**2), 0.769 * 33.17 * 51.08, 8)
    assert (d, error) == pytest.approx((2.3963, 0.65209), abs=1e-4)


def test_the_correction_for_small_classes_is_hedges_s():
    for df in (5, 9, 29, 299):
        assert formulas.hedges_factor(df) == pytest.approx(1 - 3 / (4 * df - 1), rel=3e-3)  # his approximation
    x = np.random.default_rng(0).normal(size=(2, 12))
    d, _ = formulas.standardised(x.mean(axis=1), x.var(axis=1, ddof=1), np.cov(*x)[0, 1], 12)
    assert formulas.effect_size(*x).value == pytest.approx(d * formulas.hedges_factor(11))


def test_the_point_biserial_correlation_is_that_of_scipy_s_example():
    estimate = formulas.correlation([0, 0, 0, 1, 1, 1, 1], np.arange(7))
    assert estimate.value == pytest.approx(0.8660254037844386)
    assert estimate.low < 0.5 < estimate.high < 1


def test_upper_and_lower_groups_hold_27_percent():
    right = np.array([0] * 30 + [1] * 70)
    assert formulas.upper_lower(right, np.arange(100)) == 1.0
    assert formulas.upper_lower(right[::-1], np.arange(100)) == -1.0
    assert formulas.upper_lower(np.arange(100) % 2, np.arange(100)) == pytest.approx(0, abs=0.04)


def test_the_order_of_students_with_one_total_changes_nothing():
    """Groups of 3 of 10, by hand: above one and two of the four with 6, below two and one of the three with 3."""
    right = np.array([0, 0, 1, 0, 0, 1, 1, 0, 0, 1])
    totals = np.array([1, 2, 3, 3, 3, 6, 6, 6, 6, 9])
    for order in (np.arange(10), np.arange(10)[::-1], np.random.default_rng(0).permutation(10)):
        assert formulas.upper_lower(right[order], totals[order]) == pytest.approx((1 + 2 / 2) / 3 - (1 / 3) / 3)
    assert formulas.upper_lower(right, np.full(10, 7)) == 0


def test_a_share_has_wilson_s_interval():
    low, high = formulas.share(0, 10)[1:]
    assert low == 0 and high == pytest.approx(1.96**2 / (10 + 1.96**2), abs=1e-3)  # known in closed form
    assert formulas.share(5, 10)[1:] == pytest.approx((0.2366, 0.7634), abs=1e-3)


def test_the_interval_of_a_ratio_is_where_the_t_test_does_not_reject():
    rng = np.random.default_rng(3)
    top, bottom = rng.normal(2, 1, 12), rng.normal(5, 1, 12)
    for ratio in formulas.fieller(top, bottom):
        rest = top - ratio * bottom
        assert abs(rest.mean()) / (rest.std(ddof=1) / 12**0.5) == pytest.approx(formulas.quantile(11))


def test_a_difference_of_two_gains_has_the_intervals_of_both():
    found = formulas.difference(Estimate(0.5, 0.4, 0.6), Estimate(0.2, 0.1, 0.4))
    assert found == pytest.approx((0.3, 0.3 - (0.1**2 + 0.2**2) ** 0.5, 0.3 + (0.1**2 + 0.1**2) ** 0.5))


@pytest.mark.parametrize(
    "effect, wanted, one_class, two_groups",
    [(0.2, 0.8, 199, 394), (0.5, 0.8, 34, 64), (0.8, 0.8, 15, 26)],
)
def test_the_sizes_of_a_study_are_the_published_ones(effect, wanted, one_class, two_groups):
    """Cohen's effects at the usual power, as G*Power gives them."""
    assert (sizes.n_paired(effect, wanted), sizes.n_per_group(effect, wanted)) == (one_class, two_groups)
    assert power(effect * (one_class - 1) ** 0.5, one_class - 2) < wanted


@pytest.mark.parametrize(
    "before, after",
    [([], []), ([0.5], [0.6]), ([1, 1, 1], [1, 1, 1]), ([0.5] * 4, [0.5] * 4), ([1, 1, 1, 0.9], [1, 1, 1, 1])],
)
def test_no_class_is_too_small_or_too_even_for_an_answer(before, after):
    for estimate in (formulas.class_gain(before, after), formulas.effect_size(before, after), formulas.mean(before)):
        assert estimate.value is None or np.isfinite(estimate.value)
        assert estimate.low is None or estimate.low <= estimate.value <= estimate.high


def test_students_who_are_all_alike_make_no_number_certain():
    assert formulas.mean([0.5] * 4) == (0.5, None, None)
    assert formulas.class_gain([0.2] * 4, [0.6] * 4) == (pytest.approx(0.5), None, None)
    assert formulas.class_gain([0.2, 0.6, 0.5], [0.6, 0.8, 0.75]) == (pytest.approx(0.5), None, None)
    assert formulas.correlation([0, 0, 1, 1, 1], [3, 3, 5, 5, 5]) == (pytest.approx(1), None, None)


def test_a_gain_has_no_interval_above_1():
    assert formulas.class_gain([0.0, 0.1, 0.5, 0.2, 0.2], [1, 1, 0.8, 1, 1]).high == 1


# Classes with a known gain

FEW = 200  # `nox -s gain -- --coverage` draws 1,000


@pytest.mark.parametrize("n", simulated.SIZES)
@pytest.mark.parametrize("gain", simulated.GAINS)
def test_the_intervals_hold_the_gain_of_simulated_classes(n, gain):
    """95 % of 200 classes, give or take four standard errors of that share."""
    held, width = simulated.coverage(n, gain, FEW)
    margin = 4 * (0.95 * 0.05 / FEW) ** 0.5
    assert all(0.95 - margin < share for share in held.values()), held
    assert held["class gain"] < 0.95 + margin and width < 1.9 / n**0.5


def test_an_interval_that_is_too_narrow_would_be_noticed(monkeypatch):
    monkeypatch.setattr(formulas, "quantile", lambda df: 1.0)
    assert simulated.coverage(30, 0.3, FEW)[0]["class gain"] < 0.8


def test_the_truth_of_a_simulated_class_is_its_gain():
    for gain in simulated.GAINS:
        before, after, _ = simulated.draw_answers(simulated.MANY, gain, np.random.default_rng(1))
        assert formulas.class_gain(before.mean(axis=1), after.mean(axis=1)).value == pytest.approx(gain, abs=0.006)


# Folders


@pytest.fixture
def folder(tmp_path):
    simulated.write_class(tmp_path / "class", 30, 0.3)
    return tmp_path / "class"


def sitting(code, name, letters, **changes):
    """A sitting whose answers are these letters in their order; "r" for the right one."""
    form = form_of(code, name)
    items = load().form(form)[: len(letters)]
    chosen = {
        item.id: item.right if letter == "r" else letter
        for item, letter in zip(items, letters, strict=True)
        if letter != "-"
    }
    return {"form": form, "answers": chosen, "seconds": 500, "finished": True} | changes


def put(folder, code, before=None, after=None, **more):
    """Write the answers of one student. before, after: letters, or whole sittings."""
    folder.mkdir(exist_ok=True)
    parts = {"before": before, "after": after}
    inside = {"inventory": load().version, "code": code} | more
    inside |= {k: sitting(code, k, v) if isinstance(v, str) else v for k, v in parts.items() if v is not None}
    return write(inside, folder)


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
    assert all(concept.name in told for concept in load().concepts.values())
    assert all(f"| {item} |" in told for item in load().items)


def test_answers_are_read_as_they_were_given(tmp_path):
    put(tmp_path, A, "rrab" + "r" * 10, "r" * 12 + "-" + UNKNOWN)
    (student,) = read_class(tmp_path).students
    right = [load().items[f"A{pair}"].right == letter for pair, letter in ((3, "a"), (4, "b"))]
    assert student.right("before").tolist() == [1, 1, *map(float, right), *[1.0] * 10]
    assert student.right("after").tolist() == [1] * 12 + [0, 0]
    assert student.count_open("after") == (1, 1)


def test_below_60_students_a_concept_has_an_interval_and_no_number(folder, tmp_path):
    few = page(read_class(folder))
    row = r"\| The dot product: direction and length \| 01 \| (.*) \|"
    assert re.fullmatch(r"\[.*, .*\]", re.search(row, few)[1])
    simulated.write_class(tmp_path / "many", 60, 0.3)
    many = page(read_class(tmp_path / "many"))
    assert re.fullmatch(r"\d.\d\d \[.*, .*\]", re.search(row, many)[1])


def test_who_answered_once_is_counted_and_said(tmp_path):
    put(tmp_path, A, "r" * 14, "r" * 14)
    put(tmp_path, B, "r" * 7 + "-" * 7)
    put(tmp_path, draw_code("A"), None, "r" * 14)
    told = page(read_class(tmp_path))
    assert "| before | 2 |" in told and "| after | 2 |" in told and "| both | 1 |" in told
    assert "1 answered before only, with a mean score of 0.50; those who stayed had 1.00." in told
    assert "1 answered after only." in told
    assert "| before | 2 | 8 | 25% | 0% |" in told


def test_the_codes_pair_the_forms_that_were_swapped():
    assert [first_form(code) for code in (A, B)] == ["A", "B"]
    assert [form_of(code, "after") for code in (A, B)] == ["B", "A"]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_tiny_class_gets_a_page_without_false_numbers(n, tmp_path, capsys):
    simulated.write_class(tmp_path / "class", n, 0.3)
    status, told, _ = run(capsys, tmp_path / "class", "--out", tmp_path / "out")
    assert status == 0 and "nan" not in told.lower() and "inf" not in told.lower()
    assert "So few students say hardly anything" in told
    assert "28 questions have fewer than 20 answers" in told and "No question stands out." in told


def test_an_empty_folder_and_none_are_one_sentence(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    status, told, error = run(capsys, tmp_path / "empty")
    assert status == 1 and told == "" and error.strip() == f"{tmp_path / 'empty'}: no finished answers here."
    status, told, error = run(capsys, tmp_path / "nothing")
    assert status == 1 and error.strip() == f"{tmp_path / 'nothing'}: no such folder"


def damaged(code=A, **parts):
    return json.dumps({"inventory": load().version, "code": code} | parts)


def with_answers(answers):
    return damaged(before=sitting(A, "before", "r") | {"answers": answers})


DAMAGED = {
    "half.json": ('{"inventory": 1, "code": ', "this is no JSON"),
    "binary.json": ("\x00\xff", "this is no JSON"),
    "list.json": ("[1]", "these are no answers"),
    "other.json": ('{"cells": []}', "these are no answers"),
    "deep.json": ("[" * 100_000, "this is no JSON"),
    "version.json": (damaged(inventory=99), "version 99 of the questions"),
    "code.json": (damaged(code="ABCDEF"), "its code"),
    "codes.json": (damaged(code=["A"]), "its code"),
    "sitting.json": (damaged(before=3), "is damaged"),
    "form.json": (damaged(before={"form": "B", "answers": {}, "finished": True}), "another form"),
    "answer.json": (with_answers({"A1": "z"}), "answers that no question has"),
    "unhashable.json": (with_answers({"A1": ["a"]}), "answers that no question has"),
    "item.json": (with_answers({"B1": "a"}), "answers that no question has"),
    "seconds.json": (damaged(before=sitting(A, "before", "r", seconds="long")), "no sensible time"),
    "checks.json": (damaged(checks={"cosine": 3}), "is damaged"),
    "CAPITAL.JSON": ("[1]", "these are no answers"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_named_in_one_sentence_and_costs_itself_only(name, folder, tmp_path, capsys):
    before = page(read_class(folder))
    (folder / "Müller, Ana").mkdir()
    text, reason = DAMAGED[name]
    (folder / "Müller, Ana" / name).write_text(text, encoding="utf-8")
    status, told, error = run(capsys, folder, "--out", tmp_path / "out")
    assert status == 0 and error == ""
    (said,) = re.findall(rf"^- Müller, Ana/{re.escape(name)}: (.*)$", told, re.M)
    assert reason in said and said.endswith("; left out.") and "Traceback" not in told
    assert before.rstrip() == page(read_class(folder)).split("\n\n## What was left out")[0]
    assert (folder / "Müller, Ana" / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", ["answers_{}.json.txt", "ANSWERS_{}.JSON", "answers_{} (1).json", "answers_{}"])
def test_answers_are_found_under_the_names_that_mail_and_browsers_give_them(name, tmp_path):
    path = put(tmp_path, A, "r" * 14, "r" * 14)
    path.rename(tmp_path / name.format(A))
    assert [student.code for student in read_class(tmp_path).students] == [A]


def test_a_file_that_cannot_be_opened_is_named(folder):
    (folder / "answers_lost.json").symlink_to(folder / "nowhere")
    (folder / "answers_all.zip").write_bytes(b"PK\x03\x04\xff\xfe")
    (folder / "notes.txt").write_text("What I thought of the class.")
    group = read_class(folder)
    assert len(group.students) == 30 and group.problems == [
        "answers_all.zip: it cannot be read (UnicodeDecodeError); left out.",
        "answers_lost.json: it cannot be read (FileNotFoundError); left out.",
    ]


def test_a_class_of_students_who_are_all_alike_gets_a_page_and_a_picture(tmp_path, capsys):
    for i in range(40):
        put(tmp_path / "class", draw_code("AB"[i % 2]), "r" * 4 + "?" * 10, "r" * 9 + "?" * 5)
    status, told, _ = run(capsys, tmp_path / "class", "--out", tmp_path / "out")
    assert status == 0 and "(Hake) | **0.50 [no interval]** |" in told
    assert "form A is easier by 0.00 [no interval]" in told
    assert "- A1: everybody answers alike, so it tells nobody apart." in told


def test_a_file_that_is_far_too_large_is_not_read(folder):
    (folder / "large.json").write_bytes(b" " * 2_000_000)
    assert read_class(folder).problems == ["large.json: it is far too large for answers; left out."]


def test_an_unfinished_sitting_is_left_out_and_said(tmp_path):
    put(tmp_path, A, "r" * 14, sitting(A, "after", "rrr", finished=False))
    group = read_class(tmp_path)
    assert [list(s.sittings) for s in group.students] == [["before"]]
    assert group.problems == [f'{A}: "after" was left after 3 of 14 questions; left out.']
    put(tmp_path, A, "r" * 14, sitting(A, "after", "r" * 14, finished=False))
    assert read_class(tmp_path).problems == []  # all is answered; only the last button was not pressed


def test_two_files_with_one_code_are_one_student(tmp_path):
    put(tmp_path / "1", A, "r" * 14)
    put(tmp_path / "2", A, None, "a" * 14)
    shutil.copytree(tmp_path / "2", tmp_path / "3")
    group = read_class(tmp_path)
    assert [set(s.sittings) for s in group.students] == [set(SITTINGS)] and group.problems == []
    put(tmp_path / "4", A, "a" * 14)
    assert "differs" in read_class(tmp_path).problems[0]


@pytest.mark.parametrize("first, second", ["12", "21"])
def test_of_two_files_with_one_code_the_fuller_one_counts(first, second, tmp_path):
    put(tmp_path / first, A, "r" * 14, sitting(A, "after", "rr", finished=False))
    put(tmp_path / second, A, "r" * 14, "r" * 13 + "-")
    group = read_class(tmp_path)
    assert group.students[0].right("after").sum() == 13
    assert ["; the fuller one counts." in problem for problem in group.problems] == [True]


def test_a_concept_gains_by_both_of_its_questions_and_an_option_tells_all_its_misconceptions(tmp_path):
    first, second = "??" + "r" * 12, "?r" + "r" * 12
    for code, after in ((A, first), (draw_code("A"), second), (draw_code("B"), second)):
        put(tmp_path, code, "?" * 14, after)
    assert each_item.by_concept(read_class(tmp_path))["scores"].value == pytest.approx(1 / 3)
    item = load().items["A8"]
    letter = next(x for x in "abcd" if len(item.option(x).mistakes) == 2)
    put(tmp_path / "more", A, "?" * 7 + letter + "?" * 6)
    (student,) = read_class(tmp_path / "more").students
    assert each_item.mistakes_of(student, "before") == {"order-for-free", "bag-presence"}


def test_all_right_before_leaves_nothing_to_gain(tmp_path):
    for _ in range(5):
        put(tmp_path, draw_code(), "r" * 14, "r" * 14)
    told = page(read_class(tmp_path))
    assert "(Hake) | **–** |" in told and "5 had everything right before and after" in told


# Items and forms


def test_questions_that_measure_nothing_are_named_with_the_reason(tmp_path):
    """Question 1 everybody knew, question 2 nobody learns, question 3 the best get wrong."""
    rng = np.random.default_rng(0)
    for i in range(60):
        knows = int(rng.integers(0, 12))
        rest = "".join(rng.permutation(list("r" * knows + UNKNOWN * (11 - knows))))
        third = UNKNOWN if knows > 5 else "r"
        put(tmp_path, draw_code("AB"[i % 2]), f"r{UNKNOWN}r{rest}", f"r{UNKNOWN}{third}{rest}")
    told = page(read_class(tmp_path))
    for form in "AB":
        assert f"- {form}1: nearly everybody knew it before the course." in told
        assert f"- {form}2: hardly anybody gets it after the course" in told
        assert f"- {form}3: those who know more get it wrong more often: look for a second right answer." in told
        assert f"- {form}4:" not in told


def test_the_discrimination_of_a_question_leaves_the_question_itself_out(folder):
    group = read_class(folder)
    row = each_item.row(group, load().items["A1"])
    students = [s for s in group.students if s.sittings["after"]["form"] == "A"]
    right = group.right("after", students)
    assert row.discrimination.value == pytest.approx(np.corrcoef(right[:, 0], right[:, 1:].sum(axis=1))[0, 1])


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


def test_untaken_options_are_listed(tmp_path):
    for i in range(40):
        put(tmp_path, draw_code("AB"[i % 2]), "abcd"[i % 2] * 14, "abcd"[i % 2 + 1] * 14)
    told = page(read_class(tmp_path))
    assert re.search(r"\| A1 \| .* \| b, d \|", told)


# The lessons


def test_tries_minutes_and_mistakes_of_the_lessons_stand_beside_the_gain(tmp_path):
    wrong = next(
        letter for letter, o in zip("abcd", load().items["B1"].options, strict=True) if "product-cosine" in o.mistakes
    )
    for i, code in enumerate([A, draw_code("A"), draw_code("A")]):
        entry = {
            "state": "done",
            "tries": 2 + i,
            "seconds": 60 * (i + 1),
            "seen": ["product-cosine", "sign"][: 2 - i % 2],
        }
        checks = {"dot_product": entry, "softmax": {"state": "not yet", "tries": 1, "seconds": 30, "seen": []}}
        put(tmp_path, code, "r" * 14, (wrong if i else "r") + "r" * 13, **({"checks": checks} if i < 3 else {}))
    put(tmp_path, B, "r" * 14, "r" * 14)
    group = read_class(tmp_path)
    first, second = lessons_left.lessons(group)
    assert (first.number, first.students, first.done, first.tries, first.minutes) == ("01", 3, 1.0, 3, 2.0)
    assert first.mistakes == [("product-cosine", 3), ("sign", 2)]
    assert (second.number, second.done, second.tries) == ("02", 0.0, None)
    told = page(group)
    assert "3 handed in what the checks noted" in told
    assert "- `product-cosine`, lesson 01: 2 of 3 who met it." in told


@pytest.mark.parametrize("entry", [{"state": "done"}, {"state": "done", "seen": 3, "tries": "x", "seconds": None}])
def test_a_strange_record_of_the_checks_stops_nothing(entry, tmp_path):
    put(tmp_path, A, "r" * 14, "r" * 14, checks={"cosine": entry, "no_such_exercise": entry})
    assert "1 handed in what the checks noted" in page(read_class(tmp_path))


# The command


def test_the_comparison_group_stands_beside_the_class(tmp_path, capsys):
    simulated.write_class(tmp_path / "course", 100, 0.6)
    simulated.write_class(tmp_path / "other", 100, 0.0, seed=5)
    status, told, _ = run(capsys, tmp_path / "course", "--compare", tmp_path / "other", "--out", tmp_path / "out")
    low = float(re.search(r"The difference is \S+ \[(\S+),", told)[1].replace("−", "-"))
    assert status == 0 and 0.3 < low < 0.6


def test_half_of_the_codes_begins_with_each_form(capsys):
    status, told, _ = run(capsys, "--codes", 30)
    codes = told.split()
    assert status == 0 and len(set(codes)) == 30 and [first_form(code) for code in codes].count("A") == 15


def test_a_made_up_class_can_be_read_again(tmp_path, capsys):
    assert run(capsys, "--made-up", tmp_path / "made", 12)[0] == 0
    group = read_class(tmp_path / "made")
    assert len(group.students) == 12 and group.problems == []


def test_without_a_word_it_says_how_it_is_used(capsys):
    status, _, error = run(capsys)
    assert status == 2 and "nox -s gain -- FOLDER" in error


@pytest.mark.parametrize(
    "words", [("--codes", "-3"), ("--codes", "0"), ("--made-up", "x", "many"), ("--coverage", "0")]
)
def test_a_number_that_makes_no_sense_is_one_sentence(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run(capsys, *words)
    assert "is at least 1, in digits" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_coverage_is_printed_for_nine_kinds_of_classes(capsys):
    status, told, _ = run(capsys, "--coverage", 20)
    rows = [line.split() for line in told.splitlines() if re.match(r" +\d+ ", line)]
    assert status == 0 and [(int(row[0]), float(row[1])) for row in rows] == [
        (n, gain) for n in simulated.SIZES for gain in simulated.GAINS
    ]
    assert all(0 <= float(cell) <= 1 for row in rows for cell in row[2:6])


# The picture


def test_the_picture_has_a_line_for_each_student_and_an_interval_for_each_concept(folder):
    group = read_class(folder)
    figure = picture.draw(group)
    left, right = figure.axes
    assert len(left.lines) == 30 + 1
    ends = np.array([line.get_ydata() for line in left.lines[:-1]])
    assert abs(ends[:, 0] - group.right("before", group.students).mean(axis=1)).max() < 0.01
    intervals = [line for line in right.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 6]
    gains = each_item.by_concept(group)
    for line, estimate in zip(intervals, gains.values(), strict=True):
        assert line.get_xdata() == pytest.approx(np.clip([estimate.low, estimate.high], -1, 1))
    assert not [line for line in right.lines if line.get_marker() == "D"]  # fewer than 60 students
    plt.close(figure)
    assert "Left: the scores of 30 students" in picture.describe(group)


# The document


def test_the_document_says_what_was_computed():
    for line in sizes.tables():
        assert line in GAIN.splitlines(), line


def test_the_document_shows_the_coverage_of_1000_classes_of_each_kind():
    for n in simulated.SIZES:
        for gain in simulated.GAINS:
            (row,) = re.findall(rf"^\| {n} \| {gain} \| (.*) \|$", GAIN, re.M)
            held, _ = simulated.coverage(n, gain, 1000)
            assert [float(cell) for cell in row.split(" | ")] == pytest.approx(list(held.values()), abs=0.01)


def test_the_document_lists_the_concepts():
    for id, concept in load().concepts.items():
        numbers = ", ".join(str(item.pair) for item in load().form("A") if item.concept == id)
        assert f"| {concept.name} | {', '.join(concept.lessons)} | {numbers} |" in GAIN


def test_the_document_claims_no_class():
    assert "**No class has been measured yet.**" in GAIN
