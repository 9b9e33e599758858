"""Each question by itself: how hard it is, whether it tells students apart, which options nobody takes."""

from collections import Counter
from typing import NamedTuple

import numpy as np
from measuring import formulas
from measuring.formulas import Estimate

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.items import LETTERS, load

FEWEST = 20  # answers to one question after the course: with fewer, nothing is said against it
KNOWN, GUESSED, APART = 0.8, 0.35, 0.2


class Row(NamedTuple):
    """What a class did with one item.

    before, after: the share of right answers. discrimination: the correlation of a right answer after the course with
    the score on the other questions. upper_lower: the upper 27 % less the lower 27 %. untaken: letters of wrong
    options that nobody chose, before or after. said: why the question measures nothing here.
    """

    item: object
    n: dict
    before: Estimate
    after: Estimate
    discrimination: Estimate
    upper_lower: float | None
    untaken: str
    said: list


def rows(group):
    """Return a Row for each item, in the order of the forms."""
    return [row(group, item) for item in load().items.values()]


def row(group, item):
    """Return the Row of one item, from everybody whose form held it."""
    asked = {name: [s for s in group.who(name) if s.sittings[name]["form"] == item.form] for name in SITTINGS}
    right = {name: group.right(name, students) for name, students in asked.items()}  # each (n, n_pairs)
    own = {name: matrix[:, item.pair - 1] for name, matrix in right.items()}
    rest = right["after"].sum(axis=1) - own["after"]
    taken = Counter(s.choice(name, item.pair)[1] for name, students in asked.items() for s in students)
    found = Row(
        item,
        {name: len(students) for name, students in asked.items()},
        *(formulas.share(int(own[name].sum()), len(asked[name])) for name in SITTINGS),
        formulas.correlation(own["after"], rest),
        formulas.upper_lower(own["after"], right["after"].sum(axis=1)),
        "".join(letter for letter in LETTERS if letter != item.right and not taken[letter]),
        [],
    )
    return found._replace(said=complaints(found))


def complaints(row):
    """Why a question measures nothing in this class, a sentence each."""
    if row.n["after"] < FEWEST:
        return []
    said, r = [], row.discrimination
    if row.before.low is not None and row.before.low > KNOWN:
        said.append("nearly everybody knew it before the course")
    if row.after.high < GUESSED:
        said.append("hardly anybody gets it after the course: look at the question, and at the lesson")
    if row.after.value in (0, 1):
        said.append("everybody answers alike, so it tells nobody apart")
    highest = next((end for end in (r.high, r.value) if end is not None), 1)
    if highest < 0:
        said.append("those who know more get it wrong more often: look for a second right answer")
    elif highest < APART:
        said.append("it does not go with the other questions")
    return said


def misconceptions(group):
    """Return {id: (share before, share after)} of chosen options, for those who answered both; the most after first."""
    students, chosen = group.who(*SITTINGS), {name: Counter() for name in SITTINGS}
    for student in students:
        for name in SITTINGS:
            chosen[name].update(mistakes_of(student, name))
    ids = sorted(set(chosen["before"]) | set(chosen["after"]), key=lambda id: (-chosen["after"][id], id))
    return {id: tuple(formulas.share(chosen[name][id], len(students)) for name in SITTINGS) for id in ids}


def mistakes_of(student, sitting):
    """The misconceptions behind a student's wrong answers, each once."""
    found = set()
    for pair in range(1, len(load().form("A")) + 1):
        item, letter = student.choice(sitting, pair)
        option = item.option(letter)
        found.update(option.mistakes if option else ())
    return found


def by_concept(group):
    """Return {id of a concept: its gain} over its two questions, for those who answered both."""
    students = group.who(*SITTINGS)
    right = [group.right(name, students) for name in SITTINGS]
    concepts = [item.concept for item in load().form("A")]
    places = {id: np.flatnonzero([concept == id for concept in concepts]) for id in load().concepts}
    return {id: formulas.class_gain(*(r[:, at].mean(axis=1) for r in right)) for id, at in places.items()}
