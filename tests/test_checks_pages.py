"""The pages of the exercises: each mistake on them is named, and said in two sentences that stand on their own."""

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
from course_utils.checks.exercises import COURSE, LESSONS, exercise_of, function_name, mistake, page_of
from pagecheck.compare import same
from pagecheck.course import names_of, wrong_answers
from pagecheck.exercise import Exercise, Value, give
from pagecheck.judge import judge

ROOT = Path(__file__).resolve().parents[1]
NAMES = [name for names in LESSONS.values() for name in names]
EXERCISES = [exercise for exercise in map(exercise_of, NAMES) if isinstance(exercise, Exercise)]
WRONG = {one.name: list(wrong_answers(page_of(one.name), page_of)) for one in EXERCISES}  # [(id, code)]
DESIGNED = """softmax-axis softmax-unnormalised softmax-overflow
    scale-missing scale-dk-not-sqrt scale-dmodel scale-multiplied
    key-not-transposed query-key-swapped value-missing
    mask-after-softmax mask-inverted mask-diagonal mask-transposed mask-additive-small
    heads-reshape-without-transpose heads-merged-wrong
    position-axis position-sin-cos-split position-base label-position label-token"""
# Lower-case names and numbers with which a sentence of an exercise may begin.
BEGINS = re.compile(r"[A-Z]|(q|d[QK]|(\d \* )?d_model) ")


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


def test_a_page_is_an_exercise_with_an_insight():
    assert [name for name in NAMES if exercise_of(name).name != name or not page_of(name).says["insight"]] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_plain_solution_and_the_one_that_is_spelled_out_are_equal(exercise):
    for arguments in (*exercise.probes, *exercise.promised):
        plain = give(exercise.solution, arguments, len(exercise.gives))
        assert same(plain, exercise.give(arguments)), arguments


@pytest.mark.parametrize("name", WRONG)
def test_each_way_to_make_a_mistake_is_named(name):
    exercise = in_numpy(name)
    verdicts = [(id, judged(exercise, text, f"<{name}, {i}>")) for i, (id, text) in enumerate(WRONG[name])]
    assert [(id, verdict) for id, verdict in verdicts if verdict.mistakes != (id,)] == []
    for _, verdict in verdicts:
        is_fit_for_students(verdict)


@pytest.mark.parametrize("name", WRONG)
def test_the_solutions_are_done(name):
    exercise = in_numpy(name)
    for solution in (exercise.solution, exercise.reference):
        assert judge(exercise, solution).state == "done"


@pytest.mark.parametrize("name", WRONG)
def test_without_a_mistake_its_answer_is_named_otherwise(name):
    """Once for each exercise: take one mistake out, and the verdict changes."""
    id, text = WRONG[name][0]
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


def test_each_wrong_answer_to_a_question_is_named_and_the_right_one_is_done():
    spaces = {name: names_of(page_of(name), COURSE.namespace())[0] for name, _, _ in VALUES}
    assert [name for name, space in spaces.items() if check(name, space["answer"]).state != "done"] == []
    verdicts = [(id, check(name, eval(text, spaces[name]))) for name, id, text in VALUES]
    assert [(id, verdict) for id, verdict in verdicts if verdict.mistakes != (id,)] == []


def test_the_ids_that_others_rely_on_are_there():
    assert set(DESIGNED.split()) <= set(COURSE.mistakes)


def test_each_mistake_is_said_in_two_sentences_and_own_words_in_one():
    own = [entry.sentences[0] for name in NAMES for entry in page_of(name).entries if len(entry.sentences) == 1]
    said = [text for one in COURSE.mistakes.values() for text in (one.seen, one.suspect)]
    for text in said + own:
        assert len(re.findall(r"[.?!](?=\s|$)", text)) == 1 and text[-1] in ".?!", text
        assert BEGINS.match(text) or text[0] == "{", text
    # those of errors and those that the check finds by itself
    filled_in = [id for id, one in COURSE.mistakes.items() if "{" in one.seen + one.suspect]
    assert {COURSE.mistakes[id].page for id in filled_in} <= {"shared", "general"}


def test_of_two_mistakes_each_is_understood_without_what_was_seen():
    """Where an answer makes two, their suspicions are said one after the other, without the sentences before them."""
    said = {(fault.id, fault.says or mistake(fault.id).suspect) for one in EXERCISES for fault in one.faults}
    assert len(said) > 350
    pronoun = re.compile(r"(They|Their|Them|It|Its|That|This|These|Those) ")
    assert [(id, suspect) for id, suspect in said if pronoun.match(suspect)] == []


def test_each_mistake_is_made_somewhere():
    """By a line of a page, by an error, or by an answer that the project holds."""
    made = {id for one in EXERCISES for id in one.ids} | {id for _, id, _ in VALUES}
    made |= {id for one in oracle.read()[1] for id in one["ids"]} | {id for *_, id in COURSE.reasons.entries if id}
    tests = [ROOT / "tests" / "test_checks_survive.py", *(ROOT / "pagecheck" / "tests").glob("*.py")]
    elsewhere = "".join(path.read_text(encoding="utf-8") for path in tests)
    assert [id for id in COURSE.mistakes if id not in made and f'"{id}"' not in elsewhere] == []
    assert made <= COURSE.mistakes.keys()


def test_the_python_of_the_pages_has_no_fault():
    assert lint_pages.problems() == []
    page = page_of("temperature")
    odd = page._replace(blocks=[*page.blocks, page.blocks[-1]._replace(text="import math\nspare = nowhere\n")])
    found = [fault["message"] for fault in lint_pages.run_ruff(lint_pages.page_source(odd))]
    assert found == ["`math` imported but unused", "Undefined name `nowhere`"]
    assert lint_pages.mistake_at(lint_pages.page_source(odd), 1) == "above all ids"
