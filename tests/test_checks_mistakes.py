"""MISTAKES.md: each row has its place, and an answer or a fault needs it; a broken row is an error with its line."""

import ast
import re
from pathlib import Path

import pytest
from answers import WRONG
from answers.pairs import SINGLES
from course_utils.checks.lessons.lesson_05 import KEY_FAULTS
from markdown_it import MarkdownIt

from course_utils.checks.engine.mistakes import FILE, MISTAKES, OWN_WORDS, read
from course_utils.checks.engine.relations import RELATIONS
from course_utils.checks.exercises import LESSONS, exercise_of

ROOT = Path(__file__).resolve().parents[1]
DESIGNED = """softmax-axis softmax-unnormalised softmax-overflow
    scale-missing scale-dk-not-sqrt scale-dmodel scale-multiplied
    key-not-transposed query-key-swapped value-missing
    mask-after-softmax mask-inverted mask-diagonal mask-transposed mask-additive-small
    heads-reshape-without-transpose heads-merged-wrong
    position-axis position-sin-cos-split position-base label-position label-token"""
EXERCISES = {exercise_of(name): lesson for lesson, names in LESSONS.items() for name in names}
# The faults that an exercise of a lesson may name. Those of the keys stand behind a judge, not in an exercise.
FAULTS = [(fault, lesson) for one, lesson in EXERCISES.items() for fault in getattr(one, "faults", ())]
FAULTS += [(fault, "05") for fault in KEY_FAULTS]
# Lower-case names and numbers with which a sentence of an exercise may begin.
NAMES = re.compile(r"(q|d[QK]|(\d \* )?d_model) ")


def ids_of_the_engine():
    """Return the ids that the engine's code names: strings with a hyphen, what not_yet gets, what the table has."""
    found = set(RELATIONS)
    for path in (ROOT / "course_utils" / "checks" / "engine").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "not_yet":
                found |= {part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= (
                    {node.value} if re.fullmatch("[a-z]+(-[a-z]+)+", node.value) or node.value in MISTAKES else set()
                )
    return found - {"site-packages"}


ENGINE = ids_of_the_engine()


def test_each_mistake_stands_in_its_section_and_nothing_else_does():
    """Under its lesson when one lesson's exercises use it, and under Shared when more do, or the engine."""
    lessons = {id: {"the engine"} for id in ENGINE}
    for exercise, lesson in EXERCISES.items():
        for id in exercise.ids:
            lessons.setdefault(id, set()).add(f"Lesson {lesson}")
    wanted = {id: found.pop() if len(found) == 1 and id not in ENGINE else "Shared" for id, found in lessons.items()}
    assert {id: mistake.section for id, mistake in MISTAKES.items()} == wanted


def test_mistakes_stand_in_the_order_of_lessons_and_exercises():
    sections = list(dict.fromkeys(mistake.section for mistake in MISTAKES.values()))
    assert sections == ["Shared", *(f"Lesson {lesson}" for lesson in LESSONS)]
    for section in sections:
        first = [
            next(i for i, exercise in enumerate(EXERCISES) if id in exercise.ids)
            for id, mistake in MISTAKES.items()
            if mistake.section == section and id not in ENGINE
        ]
        assert first == sorted(first), section


def test_the_ids_that_others_rely_on_are_there():
    assert set(DESIGNED.split()) <= set(MISTAKES)


@pytest.mark.parametrize("id", MISTAKES)
def test_each_mistake_is_said_in_two_sentences(id):
    mistake = MISTAKES[id]
    for text in (mistake.seen, mistake.suspect):
        assert len(re.findall(r"[.?!](?=\s|$)", text)) == 1, text
        assert text[-1] in ".?!", text
        assert text[0].isupper() or text[0] == "{", text
        assert not re.search(r"\b(just|simply|obviously)\b", text, re.I), text
        assert "{" not in text or id in ENGINE - {id for exercise in EXERCISES for id in exercise.ids}, text


@pytest.mark.parametrize(("id", "where"), OWN_WORDS)
def test_own_words_are_one_sentence(id, where):
    text = OWN_WORDS[id, where].suspect
    assert len(re.findall(r"[.?!](?=\s|$)", text)) == 1, text
    assert text[-1] in ".?!", text
    assert text[0].isupper() or NAMES.match(text), text
    assert not re.search(r"\b(just|simply|obviously)\b|[{}]", text, re.I), text


def test_of_two_mistakes_each_is_understood_without_what_was_seen():
    """Where an answer makes two, their suspicions are said one after the other, without the sentences before them."""
    said = {(fault.id, fault.says or MISTAKES[fault.id].suspect) for fault, _ in FAULTS}
    assert len(said) > 350
    pronoun = re.compile(r"(They|Their|Them|It|Its|That|This|These|Those) ")
    assert [(id, suspect) for id, suspect in said if pronoun.match(suspect)] == []


def test_own_words_stand_in_the_section_of_the_exercises_that_say_them():
    """As mistakes do; and there is no row that nobody says."""
    lessons = {}
    for fault, lesson in FAULTS:
        if fault.says:
            lessons.setdefault((fault.id, fault.says), []).append(lesson)
    wanted = {pair: f"Lesson {found[0]}" if len(set(found)) == 1 else "Shared" for pair, found in lessons.items()}
    assert {(id, words.suspect): words.section for (id, _), words in OWN_WORDS.items()} == wanted
    assert len(OWN_WORDS) == len(wanted), "the same sentence twice"


def test_no_fault_has_its_sentence_in_the_code():
    """People edit MISTAKES.md, and would not find a sentence that stands in a lesson's file."""
    calls = [
        (path.name, node)
        for path in sorted((ROOT / "course_utils" / "checks" / "lessons").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    faults = [(name, node) for name, node in calls if getattr(node.func, "id", "") == "fault"]
    assert len(faults) > 1000
    found = [
        (name, part.value)
        for name, node in faults
        for argument in node.args
        for part in ast.walk(argument)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
    ]
    found += [(name, keyword.arg) for name, node in calls for keyword in node.keywords if keyword.arg == "says"]
    assert found + [name for name, node in calls if getattr(node.func, "id", "") == "Fault"] == []


def test_each_mistake_is_made_by_an_answer_in_the_tests():
    answers = {id for case in WRONG + SINGLES for id in case.ids}
    elsewhere = (ROOT / "tests" / "test_checks_survive.py").read_text(encoding="utf-8")
    assert [id for id in MISTAKES if id not in answers and f'"{id}"' not in elsewhere] == []


GOOD = rf"""# Title

Words, also with a | in them.

## Shared{" "}

### Any answer
Words.

| id         | seen     | suspect    | example  |
| ---------- | -------- | :--------: | -------- |
  | `too-slow` | It runs. | A loop \|? | `a \| b` | {""}
## Lesson 02
Words.

| id | seen | suspect | example |
|---|---|---|---|
| `softmax-axis` | Seen. | Suspected. | `e.sum(0)` |
{"  "}
Words.

### Own words

| id | where | suspect |
|---|---|---|
| `too-slow` | `dQ` | A loop \|? |
| `softmax-axis` | `dQ` | Here. |
"""
OWN = "| `softmax-axis` | `dQ` | Here. |"
OWN_HEAD = "| id | where | suspect |"
ROW = "| `softmax-axis` | Seen. | Suspected. | `e.sum(0)` |"


def written(folder, text):
    path = folder / "TABLE.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_is_read(tmp_path):
    assert read(written(tmp_path, GOOD)) == (
        {
            "too-slow": ("It runs.", "A loop |?", "a | b", "Shared"),
            "softmax-axis": ("Seen.", "Suspected.", "e.sum(0)", "Lesson 02"),
        },
        {
            ("too-slow", "dQ"): ("A loop |?", "Lesson 02"),
            ("softmax-axis", "dQ"): ("Here.", "Lesson 02"),
        },
    )


def test_own_words_may_stand_above_their_mistake(tmp_path):
    above = f"{OWN_HEAD}\n|---|---|---|\n{OWN}\n\n"
    _, own = read(written(tmp_path, GOOD.replace(OWN, "").replace("## Lesson 02\n", f"## Lesson 02\n{above}")))
    assert own["softmax-axis", "dQ"] == ("Here.", "Lesson 02")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (ROW, "| `softmax-axis` | Seen. | `e.sum(0)` |", 18, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, "| `softmax-axis` | Seen. | Sus|pected. | `e.sum(0)` |", 18, r"with \| for a | inside"),
        (ROW, ROW.removesuffix("|"), 18, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, ROW.removeprefix("| "), 18, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, ROW.removesuffix("|") + r"\|", 18, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, ROW + "\nwords", 19, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, ROW + " words", 18, "wanted: the cells | id | seen | suspect | example |"),
        (ROW, "words " + ROW, 18, "wanted: the cells | id | seen | suspect | example |"),
        ("Seen.", "", 18, "no empty cell: seen"),
        ("Suspected.", "", 18, "no empty cell: suspect"),
        ("`e.sum(0)`", "``", 18, "no empty cell: example"),
        ("Seen. | Suspected.", "|", 18, "no empty cell: seen and suspect"),
        ("`e.sum(0)`", "e.sum(0)", 18, "an example between backticks"),
        ("`softmax-axis`", "softmax-axis", 18, "an id of small letters"),
        ("`softmax-axis`", "`Softmax-axis`", 18, "an id of small letters"),
        ("`softmax-axis`", "`softmax_axis`", 18, "an id of small letters"),
        ("`softmax-axis`", "`softmax--axis`", 18, "an id of small letters"),
        ("`softmax-axis`", "`too-slow`", 18, "too-slow stands under Shared already"),
        (ROW, ROW + "\n" + ROW, 19, "softmax-axis stands under Lesson 02 already"),
        (ROW, "\n" + ROW, 19, "or ## Lesson with two digits a table:"),
        ("|---|---|---|---|\n", "", 17, "or ## Lesson with two digits a table:"),
        ("|---|---|---|---|\n", "|---|---|---|---|\n| id | seen | suspect | example |\n", 18, "an id of small letters"),
        ("|---|---|---|---|\n", "words\n", 17, "or ## Lesson with two digits a table:"),
        ("|---|---|---|---|\n", "| id | seen | suspect | example |\n", 17, "or ## Lesson with two digits a table:"),
        ("02\nWords.\n", "02\n|---|---|---|---|", 14, "or ## Lesson with two digits a table:"),
        ("02\nWords.\n", "02\n| `softmax-axis` | Seen.", 14, "or ## Lesson with two digits a table:"),
        ("02\nWords.\n", "02\n" + ROW, 14, "or ## Lesson with two digits a table:"),
        ("# Title\n", "# Title\n\n| id | seen | suspect | example |", 3, "or ## Lesson with two digits a table:"),
        ("## Lesson 02", "## Lesson 2", 13, "wanted: ## Shared, or"),
        ("## Lesson 02", "## Lektion 02", 13, "wanted: ## Shared, or"),
        ("## Lesson 02", "##Lesson 02", 13, "wanted: ## Shared, or"),
        ("## Lesson 02", "# Lesson 02", 13, "wanted: ## Shared, or"),
        ("## Shared", "### Shared", 5, "wanted: ## Shared, or"),
        (OWN, "| `softmax-axis` | Here. |", 27, "wanted: the cells | id | where | suspect |"),
        (OWN, "| `softmax-axis` | `dQ` | He|re. |", 27, r"with \| for a | inside"),
        (OWN, OWN.replace("Here. |", "Here. | `e.sum(0)` |"), 27, "wanted: the cells | id | where | suspect |"),
        (OWN, OWN + "\nwords", 28, "wanted: the cells | id | where | suspect |"),
        (OWN, ROW, 27, "wanted: the cells | id | where | suspect |"),
        (ROW, OWN, 18, "wanted: the cells | id | seen | suspect | example |"),
        ("`softmax-axis` | `dQ`", "`softmax-axis` | ``", 27, "no empty cell: where"),
        ("Here.", "", 27, "no empty cell: suspect"),
        ("`softmax-axis` | `dQ`", "softmax-axis | `dQ`", 27, "an id of small letters"),
        ("`softmax-axis` | `dQ`", "`softmax_axis` | `dQ`", 27, "an id of small letters"),
        ("`softmax-axis` | `dQ`", "`softmax-axis` | dQ", 27, "a name of letters, digits and underlines"),
        ("`softmax-axis` | `dQ`", "`softmax-axis` | `to dQ`", 27, "a name of letters, digits and underlines"),
        (OWN, OWN + "\n" + OWN, 28, "softmax-axis with dQ stands under Lesson 02 already"),
        ("`softmax-axis` | `dQ`", "`too-slow` | `dQ`", 27, "too-slow with dQ stands under Lesson 02 already"),
        ("`softmax-axis` | `dQ`", "`too-fast` | `dQ`", 27, "an example, and too-fast has none"),
        (OWN_HEAD, "| id | suspect |", 24, "or ## Lesson with two digits a table:"),
        (OWN_HEAD, "| id | where | seen |", 24, "or | id | where | suspect |, a line such as"),
        (OWN_HEAD, OWN_HEAD + "\n" + OWN_HEAD, 25, "or ## Lesson with two digits a table:"),
        ("# Title\n", f"# Title\n\n{OWN_HEAD}", 3, "or ## Lesson with two digits a table:"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_line(tmp_path, old, new, line, words):
    assert old in GOOD
    with pytest.raises(ValueError, match=f"^TABLE.md, line {line} is .*{re.escape(words)}"):
        read(written(tmp_path, GOOD.replace(old, new)))


def shown():
    """Return the cells of each row of MISTAKES.md as a page shows them, code between backticks."""
    rows, inside = [], False
    for token in MarkdownIt("commonmark").enable("table").parse(FILE.read_text(encoding="utf-8")):
        if token.type in ("tr_open", "tr_close"):
            inside = token.type == "tr_open"
            rows += [[]] if inside else []
        elif token.type == "inline" and inside:
            kinds = {"text": "{}", "code_inline": "`{}`"}
            rows[-1].append("".join(kinds.get(part.type, "<{}>").format(part.content) for part in token.children))
    return rows


def test_the_page_shows_what_the_program_reads():
    """To Markdown a star or an underline may mean another thing, and what is no table is shown as a heap of words."""
    rows = [cells for cells in shown() if cells[0] != "id"]
    read = [[f"`{id}`", words.seen, words.suspect, f"`{words.example}`"] for id, words in MISTAKES.items()]
    own = [[f"`{id}`", f"`{where}`", words.suspect] for (id, where), words in OWN_WORDS.items()]
    assert [cells for cells in rows if len(cells) == 4] == read
    assert [cells for cells in rows if len(cells) != 4] == own


def test_contributing_shows_a_mistake_that_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.findall(r"^((?:course_utils|tests)/\S+)\n    (.+)\n", text, re.M)
    assert len(places) == 4
    assert all(line in (ROOT / place).read_text(encoding="utf-8") for place, line in places)
