"""A small course for tests, its pages beside it, and answers whose source can be read, as that of a cell can."""

import linecache
from pathlib import Path

import numpy as np

from pagecheck import Course
from pagecheck.judge import Case, judge
from pagecheck.run import run

COURSE = Course(
    Path(__file__).parent / "pages",
    names=lambda: {"__name__": "small_course"},
    package="small_course",
    steps_in_words={
        "total": "the total",
        "parts": "the shares",
        "gaps": "the gaps",
        "squares": "their squares",
        "products": "the products",
        "sums": "the sums",
        "large": "the marks",
    },
    helpers=lambda: {"share": COURSE.exercise("share").reference},
    numbers_for_bools="marks-are-numbers",
)
exercise_of = COURSE.exercise


def answer_from(code, arguments="a, b", **names):
    """The function `answer` of an expression, or of the lines of a body. names: what it reads from outside."""
    body = code if "\n" in code else f"return {code}"
    text = f"def answer({arguments}):\n" + "".join(f"    {line}\n" for line in body.strip().splitlines())
    file = f"<{text}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"np": np, "__name__": "__main__"} | names
    exec(compile(text, file, "exec"), space)
    return space["answer"]


def answer_to(name, code, arguments="", **names):
    return answer_from(code, arguments or ", ".join(exercise_of(name).arguments), **names)


def verdict_on(name, code, arguments="", **names):
    """The verdict on an answer of this code."""
    return judge(exercise_of(name), answer_to(name, code, arguments, **names))


def case_of(exercise, answer, limits=None):
    wanted = [exercise.imagine((), i) for i in range(len(exercise.probes))]
    return Case(exercise, answer, run(answer, exercise.probes, len(exercise.gives), limits), wanted, limits)
