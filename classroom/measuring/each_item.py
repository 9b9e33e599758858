"""Item analysis: difficulty, discrimination and unchosen options of each question."""

from collections import Counter
from typing import NamedTuple

import numpy as np
from measuring import formulas
from measuring.formulas import Estimate

from course_utils.inventory.answers import SITTINGS
from course_utils.inventory.items import LETTERS, load

MIN_ANSWERS = 20  # to one question after the course: with fewer, no problem is reported
KNOWN_SHARE, GUESS_SHARE, MIN_DISCRIMINATION = 0.8, 0.35, 0.2


class Row(NamedTuple):
    """The statistics of one item in a class.

    before, after: the share of right answers. discrimination: the correlation of a right answer after the course with
    the score on the other questions. upper_lower: the upper 27 % less the lower 27 %. unchosen: letters of wrong
    options that nobody chose, before or after. problems: why the question measures nothing here.
    """

    item: object
    n: dict
    before: Estimate
    after: Estimate
    discrimination: Estimate
    upper_lower: float | None
    unchosen: str
    problems: list


def rows(group):
    """Return a Row for each item, in the order of the forms."""
    return [row(group, item) for item in load().items.values()]


def row(group, item):
    """Return the Row of one item, from all students whose form contained it."""
    respondents = {
        name: [s for s in group.respondents(name) if s.sittings[name]["form"] == item.form] for name in SITTINGS
    }
    right = {name: group.right(name, students) for name, students in respondents.items()}  # each (n, n_pairs)
    item_right = {name: matrix[:, item.pair - 1] for name, matrix in right.items()}
    rest_score = right["after"].sum(axis=1) - item_right["after"]
    choices = Counter(s.choices(name)[item.pair - 1][1] for name, students in respondents.items() for s in students)
    result = Row(
        item,
        {name: len(students) for name, students in respondents.items()},
        *(formulas.share(int(item_right[name].sum()), len(respondents[name])) for name in SITTINGS),
        formulas.correlation(item_right["after"], rest_score),
        formulas.upper_lower(item_right["after"], right["after"].sum(axis=1)),
        "".join(letter for letter in LETTERS if letter != item.right and not choices[letter]),
        [],
    )
    return result._replace(problems=complaints(result))


def complaints(row):
    """Return sentences that say why a question measures nothing in this class."""
    if row.n["after"] < MIN_ANSWERS:
        return []
    problems, r = [], row.discrimination
    if row.before.low is not None and row.before.low > KNOWN_SHARE:
        problems.append("nearly everybody knew it before the course")
    if row.after.high < GUESS_SHARE:
        problems.append("hardly anybody gets it after the course: look at the question, and at the lesson")
    if row.after.value in (0, 1):
        problems.append("everybody answers alike, so it tells nobody apart")
    highest = next((end for end in (r.high, r.value) if end is not None), 1)
    if highest < 0:
        problems.append("those who know more get it wrong more often: look for a second right answer")
    elif highest < MIN_DISCRIMINATION:
        problems.append("it does not go with the other questions")
    return problems


def misconceptions(group):
    """Return {id: (share before, share after)} of chosen options, for those who answered both; the most after first."""
    students, chosen = group.respondents(*SITTINGS), {name: Counter() for name in SITTINGS}
    for student in students:
        for name in SITTINGS:
            chosen[name].update(mistakes_of(student, name))
    ids = sorted(set(chosen["before"]) | set(chosen["after"]), key=lambda id: (-chosen["after"][id], id))
    return {id: tuple(formulas.share(chosen[name][id], len(students)) for name in SITTINGS) for id in ids}


def mistakes_of(student, sitting):
    """Return the set of misconceptions behind a student's wrong answers."""
    chosen = (item.option(letter) for item, letter in student.choices(sitting))
    return {id for option in chosen if option for id in option.mistakes}


def by_concept(group):
    """Return {id of a concept: its gain} over its two questions, for those who answered both."""
    students = group.respondents(*SITTINGS)
    right = [group.right(name, students) for name in SITTINGS]
    concepts = [item.concept for item in load().form("A")]
    columns = {id: np.flatnonzero([concept == id for concept in concepts]) for id in load().concepts}
    return {
        id: formulas.class_gain(*(matrix[:, index].mean(axis=1) for matrix in right)) for id, index in columns.items()
    }
