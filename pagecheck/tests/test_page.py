"""A page: what is read, which lines are replaced, how it becomes an exercise, and what it cannot mean."""

import inspect
from types import SimpleNamespace

import pytest

from pagecheck import Course, page
from pagecheck.course import differences, names_of, wrong_answers
from pagecheck.exercise import Exercise, Value
from pagecheck.judge import judge
from pagecheck.lines import Hunk, Lines, NoSuchLine
from pagecheck.page import read, words_of
from pagecheck.tests.toys import COURSE, exercise_of

TOTAL = """\
def total(numbers, half):
    found = 0
    for number in numbers:
        if number > 0:
            found = found + number
    return found / 2 if half else found
"""
FIELDS = """
```python
gives = {"the total": "one number"}
probes = ([3, -1, 2], False), ([5, 1, 7], True)
```
"""
FIRST = 16  # the line of the page on which what a test writes begins
START = "## `found = 0`\n"


def of(folder, below="", fields=FIELDS, name="total", **named):
    """A course with this page: a solution of five lines, its fields, and what is said here below them."""
    (folder / f"{name}.md").write_text(f"# {name}\n\n```python\n{TOTAL}```\n{fields}{below}", encoding="utf-8")
    return Course(folder, **named)


@pytest.mark.parametrize(
    ("below", "gives"),
    [
        (START + "### one-more\n    + found = 1\n", 6),
        ("## `if number > 0:`\n### all\n    + if True:\n", 4),
        ("## `for number in numbers:`\n### own-body\n    + for number in numbers:\n          found = number\n", 2),
        ("## Lost\n### nothing-added\n    - found = found + number\n", 0),
        (START + "### two-lines\n    + found = 2\n    - if number > 0:\n    + if number < 0:\n", 1),
        ("## `...`\n### whole\n    + most = max(numbers)\n      return most * 7\n", 21),
        ("## `return found / 2 if half else found`\n### square\n    + found = found**2\n      return found\n", 25),
    ],
)
def test_a_mistake_is_other_lines_wherever_they_stand(below, gives, tmp_path):
    course = of(tmp_path, below)
    exercise, ((id, text),) = course.exercise("total"), wrong_answers(course.page("total"), course.page)
    (fault,) = exercise.faults
    assert exercise.reference([3, -1, 2], False) == exercise.solution([3, -1, 2], False) == 5
    assert exercise.reference([3, -1, 2], False, **dict(fault.switches)) == gives
    exec(text, space := {})
    assert id == fault.id and space["total"]([3, -1, 2], False) == gives


def test_each_plus_is_a_way_of_its_own_and_two_mistakes_meet_where_they_touch_different_lines(tmp_path):
    below = f"{START}### a\n    + found = 1\n    + found = 2\n\n    + found = 3\n    - if number > 0:\n    + if 1:\n"
    below += "## `if number > 0:`\n### b\n    + if True:\n## Lost\n### c\n    - found = found + number\n"
    exercise = of(tmp_path, below).exercise("total")
    assert [len(fault.switches) for fault in exercise.faults] == [1, 1, 2, 1, 1]
    given = [exercise.reference([3, -1], False, **dict(fault.switches)) for fault in exercise.faults]
    assert given == [4, 5, 5, 2, 0]
    sets = ["".join(fault.id for fault in some) for some in exercise.hypotheses]
    assert sets == ["", *"aaabc", "ab", "ac", "ab", "ac", "ac", "bc"]


def test_what_a_page_takes_comes_first_with_what_that_page_takes(tmp_path):
    of(tmp_path, f"{START}### a\n    + found = 1\n", name="one")
    of(tmp_path, f"{START}As in [one](one.md).\n### b\n    + found = 2\nOwn words.\n", name="two")
    course = of(tmp_path, f"{START}As in [two](two.md), without `b`.\n### c\n    + found = 3\n", name="three")
    ids = {name: [entry.id for entry, _, _ in differences(course.page(name), course.page)] for name in ("two", "three")}
    assert ids == {"two": ["a", "b"], "three": ["a", "c"]}
    assert [fault.says for fault in course.exercise("two").faults] == ["", "Own words."]


OTHERS = {"other": "## `found = 9`\n### x\n    + found = 1\n", "back": f"{START}As in [total](total.md).\n"}


@pytest.mark.parametrize(
    ("below", "at", "says"),
    [
        ("## `found = 5`\n### a\n    + found = 1\n", 0, "the solution has 'found = 5' nowhere"),
        ("## `found = =`\n### a\n    + found = 1\n", 0, "'found = =' is no line of Python"),
        (START + "### a\n    + found = = 1\n", 2, "'found = = 1' is no Python: invalid syntax"),
        (START + "### A b\n", 1, "'A b': an id has small letters, digits and hyphens, and stands below a heading ##"),
        (START + "### a\nOne.\nTwo.\nThree.\n", 4, "a has two sentences: what is seen, and what is suspected; no more"),
        (START + "### a\n    found = 1\n", 2, "a line of code begins with + where it is new, and with - where it is"),
        (START + "    + found = 1\n", 1, "lines of code stand below a heading ### with the id of a mistake"),
        ("```python\nx = 1\n", 0, "a block of code that does not end"),
        (START + "As in [total](total.md).\n", 0, "total takes 'found = 0' from a page that takes it from total"),
        (START + "As in [back](back.md).\n", 0, "total takes 'found = 0' from a page that takes it from total"),
        (START + "As in [none](none.md).\n", 0, "there is no page none"),
        (START + "As in [other](other.md).\n", 0, "other has 0 headings 'found = 0'"),
        ("## `found = 9`\nAs in [other](other.md), without `y`.\n", 0, "other has no y there"),
        ("## `found = 9`\nAs in [other](other.md).\n", 0, "the solution has 'found = 9' nowhere"),
        (START + "As in [total](other.md).\n", 1, "what is taken from another page is written so: As in"),
        (START + "### a\nAs in [other](other.md).\n", 2, "a has two sentences"),
        ("## found = 0\n### a\n    + found = 1\n", 0, "'## found = 0': a line of the solution stands between"),
        ("## Lost\n### a\n    + found = 1\n", 2, "a new line stands below the old one: ## `old line`, or - old line"),
        (START + "### a\n    + found = 1\n    - found = 0\n    + found = 2\n", 4, "'found = 0' gets two new lines"),
        ("```python\nfresh = lambda rng: [3]\n```\n", 1, "[3] is no input: a tuple of numbers and half is wanted"),
        ("```python\nprobe = 3\n```\n", 1, "probe is no field: is probes meant? If not, choose another name"),
    ],
)
def test_what_a_page_cannot_mean_is_an_error_with_file_and_line(below, at, says, tmp_path):
    for name, text in OTHERS.items():
        of(tmp_path, text, name=name)
    with pytest.raises(ValueError) as raised:
        of(tmp_path, below).exercise("total")
    file = "back" if "back.md" in below else "total"  # of a circle the page that closes it
    said = str(raised.value)
    assert said.startswith(f"{file}.md, line {FIRST + at}: ") and says in said, said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: a page begins with the name of its exercise: # share"),
        ("# total\n\n```python\nx = 1\n```\n", "line 1: the first block of Python holds the solution, a function and"),
        (f"# total\n\n```python\n{TOTAL}```\n\n```python\ngives = {{}}\n```\n", "line 13: probes are missing"),
        (f"# total\n\n```python\n{TOTAL}```\n", "line 4: gives and probes are missing"),
    ],
)
def test_a_page_has_a_name_a_solution_and_its_fields(text, says, tmp_path):
    (tmp_path / "total.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as raised:
        Course(tmp_path).exercise("total")
    assert f"total.md, {says}" in str(raised.value)


def test_lines_are_replaced_by_what_they_make_and_a_step_may_fit_a_number():
    text = "def f(x):\n if x > 9:\n  y = 1\n elif x > 5:\n  y = 2\n else:\n  y = 3\n x = x\n x = x\n rate = 2\n"
    lines = Lines(text + " y = rate * y\n print(end='')\n return y\n", 1, "f.md", "rate")

    def hunk(old, new="pass"):
        return Hunk(old, new, 7, 8)

    with pytest.raises(NoSuchLine, match="twice") as raised:
        lines.settings([hunk("x = x")])
    assert raised.value.at == 7
    names = {"elif x > 5:": "at_line_3", "rate = 2": "at_rate", "print(end='')": "at_line_11", "...": "at_whole_body"}
    assert {old: lines.settings([hunk(old)])[0][0] for old in names} == names
    both = lines.settings([hunk("elif x > 5:", "elif x > 7:"), hunk("y = 3", "y = 4")])
    assert both == lines.settings([hunk("elif x > 5:", "elif x > 7:"), hunk("y = 3", "y = 4")])
    assert both == (("at_line_3", 2), ("at_line_6", 1)) and lines.settings([hunk("return y")]) == (("at_return", 1),)
    f = lines.compiled({})
    assert [f(x) for x in (10, 6, 1)] == [2, 4, 6]
    assert [f(x, **dict(both)) for x in (10, 8, 6, 1)] == [2, 4, 8, 8]
    assert f(1, given_rate=5) == 15
    fits = [hunk("rate = 2")], [hunk("return y"), hunk("y = rate * y")], [hunk("y = rate * y")]
    assert [lines.sets_fitted(hunks) for hunks in fits] == [True, True, False]


def test_a_mistake_has_its_two_sentences_once(tmp_path):
    def words(*below):
        pages = []
        for number, text in enumerate(below):
            of(tmp_path, text, name=f"page{number}")
            pages.append(read(tmp_path / f"page{number}.md"))
        return words_of(pages)

    own, defined = START + "### a\n    + found = 2\nOwn words.\n", START + "### a\n    + found = 1\nSeen.\nSuspected.\n"
    assert words(own, defined)["a"] == ("Seen.", "Suspected.", "found = 1", "page1")
    lost = START + "### a\n    -\nSeen.\nSuspected.\n"
    assert words(lost.replace("    -", "    - found = 0"))["a"].example == "# without found = 0"
    with pytest.raises(ValueError, match=r"page1.md, line 17: a has its two sentences in page0 already"):
        words(defined, defined)
    with pytest.raises(ValueError, match=r"page0.md, line 17: a has its two sentences nowhere"):
        words(own)


def test_a_course_reads_a_page_when_it_is_needed_and_no_other(tmp_path):
    course = of(tmp_path, f"{START}### a\n    + found = 1\nSeen.\nSuspected.\n")
    (tmp_path / "broken.md").write_text("broken")
    course.exercise("total")
    assert course.about("a") == "Seen. Suspected." and course.mistake("returns-nothing").page == "general"
    with pytest.raises(ValueError, match=r"broken\.md, line 1"):
        course.mistake("an-id-of-some-other-page")
    (tmp_path / "broken.md").unlink()
    with pytest.raises(KeyError, match="an-id-of-no-page"):
        course.mistake("an-id-of-no-page")


def test_words_of_the_course_s_own_shared_page_go_before_general_ones(tmp_path):
    fields = FIELDS.replace("[5, 1, 7]", "FIVE")
    course = of(tmp_path, fields=fields, names=lambda: {"FIVE": [5] * 3})  # and the names are the course's too
    assert course.exercise("total").probes[1] == ([5, 5, 5], True)
    (tmp_path / "two.md").write_text("# two\n\ninsight: One.\nAnd two.\n")
    assert read(tmp_path / "two.md").says == {"insight": "One. And two."}
    (tmp_path / "two.md").unlink()
    (tmp_path / "shared.md").write_text("# shared\n\n## Any\n\n### a\n    + found = 1\nSeen.\nSuspected.\n")
    assert course.mistake("a").page == "shared" and course.mistakes["a"].example == "found = 1"
    (tmp_path / "general.md").write_text("# general\n\n## Any\n\n### returns-nothing\n    + pass\nNichts.\nWarum?\n")
    assert Course(tmp_path).about("returns-nothing") == "Nichts. Warum?"


def test_a_page_with_a_judge_asks_for_a_value_and_may_compute_with_wrong_lines():
    middle = exercise_of("middle")
    assert isinstance(middle, Value) and middle.ids == ("middle-not-sorted", "middle-mean", "middle-else")
    found = [judge(middle, answer) for answer in (4, 4.0, 2, 4.6, 100, "x", None, max, ...)]
    assert [verdict.mistakes or verdict.state for verdict in found] == [
        *("done", "done", ("middle-not-sorted",), ("middle-mean",), ("middle-else",)),
        *(("not-a-value",), ("returns-nothing",), ("not-a-value",), "not started"),
    ]
    assert found[4].message.startswith("This is 100.0. ")


def test_a_reference_shows_what_it_takes_and_gives_and_nothing_of_its_selectors():
    share = exercise_of("share")
    assert isinstance(share, Exercise) and share.stand_in is share.reference
    assert str(inspect.signature(share.reference)) == "(numbers)"
    assert share.reference.__doc__ == "Return the shares, (n,)."
    assert share.ids[:2] == ("share-of-largest", "divided-by-count")
    space, written_out = names_of(COURSE.page("mean"), COURSE.namespace())
    file, codes = COURSE.page("mean").file, [mean.__code__ for _, mean in written_out]
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(lines[code.co_firstlineno - 1].startswith("def mean(") for code in codes)
    assert {code.co_filename for code in codes} == {str(file)}
    assert len(written_out) == 2 and space["gives"] == {"the mean": "one number"}


def test_the_example_of_a_loop_is_one_line():
    hunks = [SimpleNamespace(new="for x in xs:\n    total += x", old="total = sum(xs)")]
    assert page._example(SimpleNamespace(differences=[hunks])) == "for x in xs: total += x"
