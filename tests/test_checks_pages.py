"""The pages of the exercises: what is read, which lines are replaced, and that each mistake on them is named."""

import importlib
import inspect
import linecache
import re
from dataclasses import replace
from pathlib import Path

import lint_pages
import numpy as np
import oracle
import pytest
from good_texts import is_fit_for_students

from course_utils.checks import check, exercises
from course_utils.checks.engine import exercise_page
from course_utils.checks.engine.exercise import Exercise, Value, give
from course_utils.checks.engine.judge import judge
from course_utils.checks.engine.lines import Hunk, Lines
from course_utils.checks.engine.mistakes import mistake, mistakes
from course_utils.checks.engine.outcome import same
from course_utils.checks.engine.page import read, words_of
from course_utils.checks.exercises import LESSONS, exercise_of, function_name, page_of, shared

ROOT = Path(__file__).resolve().parents[1]
NAMES = [name for names in LESSONS.values() for name in names]
EXERCISES = [exercise for exercise in map(exercise_of, NAMES) if isinstance(exercise, Exercise)]
WRONG = [
    (exercise.name, number, id, text)
    for exercise in EXERCISES
    for number, (id, text) in enumerate(exercise_page.wrong_answers(page_of(exercise.name), page_of))
]
DESIGNED = """softmax-axis softmax-unnormalised softmax-overflow
    scale-missing scale-dk-not-sqrt scale-dmodel scale-multiplied
    key-not-transposed query-key-swapped value-missing
    mask-after-softmax mask-inverted mask-diagonal mask-transposed mask-additive-small
    heads-reshape-without-transpose heads-merged-wrong
    position-axis position-sin-cos-split position-base label-position label-token"""
# Lower-case names and numbers with which a sentence of an exercise may begin.
BEGINS = re.compile(r"[A-Z]|(q|d[QK]|(\d \* )?d_model) ")
TOTAL = """\
def total(numbers, half):
    found = 0
    for number in numbers:
        if number > 0:
            found = found + number
    return found / 2 if half else found
"""


def page(tmp_path, text):
    """A page with a solution of five lines and with what is said here below it."""
    path = tmp_path / "total.md"
    path.write_text(f"# total\n\n```python\n{TOTAL}```\n\n{text}", encoding="utf-8")
    return read(path)


def made(page):
    names = {"__name__": "pages", "gives": {"the total": "one number"}, "probes": (([3, -1, 2], False), ([5], True))}
    return exercise_page.exercise_of(page, names, lambda name: page)


@pytest.mark.parametrize(
    ("below", "gives"),
    [
        ("## `found = 0`\n### one-more\n    + found = 1\n", 6),
        ("## `if number > 0:`\n### all\n    + if True:\n", 4),
        ("## `for number in numbers:`\n### late\n    + for number in numbers[1:]:\n", 2),
        ("## `found = found + number`\n### last\n    + found = number\n", 2),
        ("## Lost\n### nothing-added\n    - found = found + number\n", 0),
        ("## `found = 0`\n### two-lines\n    + found = 2\n    - if number > 0:\n    + if number < 0:\n", 1),
        ("## `...`\n### whole\n    + most = max(numbers)\n      return most * 7\n", 21),
        ("## `return found / 2 if half else found`\n### square\n    + found = found**2\n      return found\n", 25),
    ],
)
def test_a_mistake_is_other_lines_wherever_they_stand(below, gives, tmp_path):
    exercise = made(page(tmp_path, below))
    (fault,) = exercise.faults
    assert exercise.reference([3, -1, 2], False) == 5
    assert exercise.reference([3, -1, 2], False, **dict(fault.switches)) == gives
    ((id, text),) = exercise_page.wrong_answers(page(tmp_path, below), None)
    space = {}
    exec(text, space)
    assert id == fault.id and space["total"]([3, -1, 2], False) == gives


def test_a_new_loop_with_a_body_of_its_own_keeps_it(tmp_path):
    below = "## `for number in numbers:`\n### a\n    + for number in numbers:\n          found = number\n"
    exercise = made(page(tmp_path, below))
    assert exercise.reference([3, -1, 2], False, **dict(exercise.faults[0].switches)) == 2


def test_what_a_page_takes_comes_with_what_that_page_takes(tmp_path):
    one = page(tmp_path, "## `found = 0`\n### a\n    + found = 1\n")
    two = page(tmp_path, "## `found = 0`\nAs in [one](one.md).\n### b\n    + found = 2\n")
    three = page(tmp_path, "## `found = 0`\nAs in [two](two.md), without `b`.\n")
    found = list(exercise_page.differences(three, {"one": one, "two": two}.get))
    assert [entry.id for entry, _, _ in found] == ["a"]
    wrong = page(tmp_path, "## `found = 0`\nAs in [two](two.md), without `c`.\n")
    with pytest.raises(ValueError, match="two has no c there"):
        list(exercise_page.differences(wrong, {"one": one, "two": two}.get))


def test_each_plus_is_a_way_of_its_own_and_a_blank_line_ends_a_difference(tmp_path):
    below = "## `found = 0`\n### a\n    + found = 1\n    + found = 2\n\n    + found = 3\n"
    below += "    - if number > 0:\n    + if 1:\n"
    exercise = made(page(tmp_path, below))
    assert [len(fault.switches) for fault in exercise.faults] == [1, 1, 2]
    assert [exercise.reference([3], False, **dict(fault.switches)) for fault in exercise.faults] == [4, 5, 6]


def test_two_mistakes_meet_where_they_touch_different_lines(tmp_path):
    below = (
        "## `found = 0`\n### a\n    + found = 1\n### b\n    + found = 2\n## `if number > 0:`\n### c\n    + if True:\n"
    )
    exercise = made(page(tmp_path, below))
    assert [[fault.id for fault in some] for some in exercise.hypotheses if len(some) == 2] == [["a", "c"], ["b", "c"]]


@pytest.mark.parametrize(
    ("below", "says"),
    [
        ("## `found = 5`\n### a\n    + found = 1\n", "total.md, line 12: the solution has 'found = 5' nowhere"),
        ("## `found = 0`\n### a\n    + found = = 1\n", "total.md, line 14: 'found = = 1' is no Python"),
        ("## `found = 0`\n### A b\n", "total.md, line 13: 'A b': an id has small letters"),
        ("### a\n", "total.md, line 12: 'a': an id has small letters, digits and hyphens, and stands below a heading"),
        ("## `found = 0`\n### a\nOne.\nTwo.\nThree.\n", "total.md, line 16: a has two sentences"),
        ("## `found = 0`\n### a\n    found = 1\n", "total.md, line 14: a line of code begins with +"),
        ("## `found = 0`\n    + found = 1\n", "total.md, line 13: lines of code stand below a heading ###"),
        ("```python\nx = 1\n", "total.md, line 12: a block of code that does not end"),
        ("## `found = 1`\nAs in [total](total.md).\n", "line 12: total takes 'found = 1' from a page that takes it"),
        ("## `found = 1`\nAs in [total](other.md).\n", "line 13: what is taken from another page is written so"),
        ("## `found = 1`\n### a\nAs in [other](other.md).\n", "line 14: a has two sentences"),
        ("## found = 0\n### a\n    + found = 1\n", "total.md, line 12: '## found = 0': a line of the solution stands"),
        ("## Lost\n### a\n    + found = 1\n", "total.md, line 14: a new line stands below the old one"),
        (
            "## `found = 0`\n### a\n    + found = 1\n    - found = 0\n    + found = 2\n",
            "line 16: 'found = 0' gets two new lines",
        ),
        ("```python\nprobe = 3\n```\n", "line 13: probe is no field: is probes meant?"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_file_and_line(below, says, tmp_path):
    with pytest.raises(ValueError) as raised:
        made(page(tmp_path, below))
    assert says in str(raised.value)


def test_a_line_that_stands_twice_is_an_error():
    lines = Lines("def f(x):\n    x = x + 1\n    x = x + 1\n    return x\n", 3, "f.md")
    with pytest.raises(ValueError, match="twice") as raised:
        lines.settings([Hunk("x = x + 1", "x = x", 9, 10)])
    assert raised.value.at == 9


def test_a_mistake_has_its_two_sentences_once(tmp_path):
    one, two = "## `found = 0`\n### a\n    + found = 1\nSeen.\nSuspected.\n", "### a\n    + found = 2\nOwn words.\n"
    assert words_of([page(tmp_path, one + two)])["a"][:3] == ("Seen.", "Suspected.", "found = 1")
    with pytest.raises(ValueError, match="line 17: a has its two sentences in total already"):
        words_of([page(tmp_path, one + "### a\nSeen.\nSuspected.\n")])
    with pytest.raises(ValueError, match="line 13: a has its two sentences nowhere"):
        words_of([page(tmp_path, "## `found = 0`\n" + two)])


def test_the_imports_in_a_file_of_an_older_version_lead_to_the_same_exercises():
    """What `keep` wrote there for the course's own function."""
    for lesson, names in LESSONS.items():
        for name in names:
            right = exercise_of(name).stand_in
            if callable(right) and right.__module__ == "course_utils.checks.exercises":
                module = importlib.import_module(f"course_utils.checks.lessons.lesson_{lesson}")
                assert getattr(module, name) is getattr(exercises, function_name(name)) is right
    assert importlib.import_module("course_utils.checks.lessons.shared").weights is exercise_of("weights").stand_in
    assert importlib.import_module("course_utils.checks.lessons.lesson_19").control_at


def test_a_function_of_the_course_shows_what_it_takes_and_gives():
    scores = exercise_of("scores").stand_in
    assert str(inspect.signature(scores)) == "(Q, K)" and scores.__doc__.startswith("Return the scores, (n_queries")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_an_exercise_with_an_insight(name):
    assert exercise_of(name).name == name
    assert page_of(name).says["insight"]
    assert isinstance(exercise_of(name), Value) or page_of(name).says["hint"]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_plain_solution_and_the_one_that_is_spelled_out_are_equal(exercise):
    for arguments in (*exercise.probes, *exercise.promised):
        plain = give(exercise.solution, arguments, len(exercise.gives))
        assert same(plain, exercise.give(arguments)), arguments


@pytest.mark.parametrize(("name", "number", "id", "text"), WRONG, ids=lambda value: str(value)[:40])
def test_each_way_to_make_a_mistake_is_named(name, number, id, text):
    verdict = judged(in_numpy(name), text, f"<{name}, {number}>")
    assert verdict.mistakes == (id,), verdict
    is_fit_for_students(verdict)


@pytest.mark.parametrize("name", [exercise.name for exercise in EXERCISES])
def test_the_solutions_are_done(name):
    exercise = in_numpy(name)
    for solution in (exercise.solution, exercise.reference):
        assert judge(exercise, solution).state == "done"


@pytest.mark.parametrize("name", [exercise.name for exercise in EXERCISES])
def test_without_a_mistake_its_answer_is_named_otherwise(name):
    """Once for each exercise: take one mistake out, and the verdict changes."""
    id, text = next((id, text) for _, number, id, text in (one for one in WRONG if one[0] == name))
    exercise = in_numpy(name)
    lesser = replace(exercise, faults=tuple(fault for fault in exercise.faults if fault.id != id))
    assert judged(lesser, text, f"<{name}>").mistakes != (id,)


def in_numpy(name):
    """An exercise as its page has it: those in Keras, too, take the page's own NumPy."""
    return replace(exercise_of(name), adapt="", takes=(), kind="function", returns="")


def judged(exercise, text, file):
    space = dict(exercise.solution.__globals__, __name__="answer")
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), space)
    with np.errstate(all="ignore"):
        return judge(exercise, space[text[4 : text.index("(")]])


VALUES = [
    (name, entry.id, hunks[0].new)
    for name in NAMES
    if isinstance(exercise_of(name), Value)
    for entry in page_of(name).entries
    for hunks in entry.differences
    if not hunks[0].old  # the others are lines of what the judge computes
]


@pytest.mark.parametrize(("name", "id", "text"), VALUES)
def test_each_wrong_answer_to_a_question_is_named_and_the_right_one_is_done(name, id, text):
    space, _ = exercise_page.names_of(page_of(name), vars(shared))
    assert check(name, space["answer"]).state == "done"
    assert check(name, eval(text, space)).mistakes == (id,)


def test_the_ids_that_others_rely_on_are_there():
    assert set(DESIGNED.split()) <= set(mistakes())


def test_each_mistake_is_said_in_two_sentences_and_own_words_in_one():
    own = [entry.sentences[0] for name in NAMES for entry in page_of(name).entries if len(entry.sentences) == 1]
    said = [text for one in mistakes().values() for text in (one.seen, one.suspect)]
    for text in said + own:
        assert len(re.findall(r"[.?!](?=\s|$)", text)) == 1 and text[-1] in ".?!", text
        assert BEGINS.match(text) or text[0] == "{", text
    braces = [id for id, one in mistakes().items() if "{" in one.seen + one.suspect and one.page != "shared"]
    assert braces == [], "blanks are filled in for what the check finds by itself, on the page shared.md"


def test_of_two_mistakes_each_is_understood_without_what_was_seen():
    """Where an answer makes two, their suspicions are said one after the other, without the sentences before them."""
    said = {(fault.id, fault.says or mistake(fault.id).suspect) for one in EXERCISES for fault in one.faults}
    assert len(said) > 350
    pronoun = re.compile(r"(They|Their|Them|It|Its|That|This|These|Those) ")
    assert [(id, suspect) for id, suspect in said if pronoun.match(suspect)] == []


def test_each_mistake_is_made_somewhere():
    """By a line of a page, or by an answer that the project holds."""
    made = {id for one in EXERCISES for id in one.ids} | {id for _, id, _ in VALUES}
    made |= {id for one in oracle.read()[1] for id in one["ids"]}
    elsewhere = (ROOT / "tests" / "test_checks_survive.py").read_text(encoding="utf-8")
    assert [id for id in mistakes() if id not in made and f'"{id}"' not in elsewhere] == []


def test_the_python_of_the_pages_has_no_fault():
    assert lint_pages.problems() == []
    page = page_of("temperature")
    odd = page._replace(blocks=[*page.blocks, page.blocks[-1]._replace(text="import math\nspare = nowhere\n")])
    found = [fault["message"] for fault in lint_pages.linted(lint_pages.written_out(odd))]
    assert found == ["`math` imported but unused", "Undefined name `nowhere`"]
    assert lint_pages.place(lint_pages.written_out(odd), 1) == "above all ids"
