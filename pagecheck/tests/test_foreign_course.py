"""A course of another subject, football tables, by somebody who read the README only."""

from pathlib import Path

import numpy as np
import pytest

from pagecheck import Course
from pagecheck.judge import judge

COURSE = Course(Path(__file__).parent / "foreign")
ROUNDS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def check(name, answer):
    return judge(COURSE.exercise(name), answer)


def points_loop(scored, conceded):
    total = 0
    for mine, theirs in zip(scored, conceded, strict=False):
        total += 3 if mine > theirs else mine == theirs
    return total


def running_list(scored, conceded):
    sums, total = [], 0
    for mine, theirs in zip(scored, conceded, strict=False):
        total += mine - theirs
        sums.append(total)
    return sums


def goals_loop(table):
    home, away = [0] * len(table), [0] * len(table)
    for host, guest in np.ndindex(table.shape[:2]):
        home[host] += table[host, guest, 0]
        away[guest] += table[host, guest, 1]
    return home, away


def points_of(win=3, draw=1, won=lambda mine, theirs: mine > theirs):
    def points(scored, conceded):
        return sum(win * won(a, b) + draw * (a == b) for a, b in zip(scored, conceded, strict=False))

    return points


def running_of(change):
    return lambda scored, conceded: [sum(map(change, scored[: k + 1], conceded)) for k in range(len(scored))]


RIGHT = {"points": points_loop, "running": running_list, "goals": goals_loop, "rounds": ROUNDS}
MISTAKES = [
    ("points", "sides-swapped", points_of(won=lambda mine, theirs: mine < theirs)),
    ("points", "draw-as-win", points_of(won=lambda mine, theirs: mine >= theirs)),
    ("points", "two-for-a-win", points_of(win=2)),
    ("points", "draws-forgotten", points_of(draw=0)),
    ("running", "sides-swapped", running_of(lambda mine, theirs: theirs - mine)),
    ("running", "sign-lost", running_of(lambda mine, theirs: abs(mine - theirs))),
    ("running", "each-game-alone", lambda scored, conceded: [a - b for a, b in zip(scored, conceded, strict=False)]),
    ("goals", "home-by-guest", lambda table: (table[..., 0].sum(0), goals_loop(table)[1])),
    ("goals", "home-mean", lambda table: (np.array(goals_loop(table)[0]) / len(table), goals_loop(table)[1])),
    ("goals", "away-by-host", lambda table: (goals_loop(table)[0], table[..., 1].sum(1))),
    ("goals", "results-in-other-order", lambda table: goals_loop(table)[::-1]),
    ("rounds", "plays-itself", [(0, 0), *ROUNDS[1:]]),
    ("rounds", "plays-twice", [*ROUNDS, (1, 0)]),
    ("rounds", "game-missing", ROUNDS[:-1]),
]
TWO = [
    ("points", {"two-for-a-win", "sides-swapped"}, points_of(win=2, won=lambda mine, theirs: mine < theirs)),
    ("running", {"sides-swapped", "each-game-alone"}, lambda scored, conceded: conceded - scored),
    ("goals", {"home-mean", "away-by-host"}, lambda table: (table[..., 0].mean(1), table[..., 1].sum(1))),
]


def test_the_solution_a_right_answer_in_another_style_and_a_stub():
    for name, answer in RIGHT.items():
        stub = ... if name == "rounds" else lambda *arguments: ...
        solution = getattr(COURSE.exercise(name), "solution", answer)
        assert [check(name, one).state for one in (solution, answer, stub)] == ["done", "done", "not started"]


@pytest.mark.parametrize("name, id, answer", MISTAKES, ids=[f"{name}-{id}" for name, id, _ in MISTAKES])
def test_mistake(name, id, answer):
    verdict = check(name, answer)
    assert (verdict.state, tuple(verdict.mistakes)) == ("not yet", (id,)), verdict
    assert ("changed places" in verdict.message) == (id == "sides-swapped")  # in words that two pages share


@pytest.mark.parametrize("name, ids, answer", TWO)
def test_two_at_once(name, ids, answer):
    verdict = check(name, answer)
    assert set(verdict.mistakes) == ids, verdict
    assert "two things to look at" in verdict.message


def test_without_end():
    endless = lambda scored, conceded: sum(1 for _ in iter(int, 1))  # noqa: E731
    assert tuple(check("points", endless).mistakes) == ("too-slow",)


def test_unknown_mistake_on_a_small_case():
    def clear_win_counts_more(scored, conceded):
        return np.cumsum(scored - conceded + 7 * (scored > conceded + 1))

    verdict = check("running", clear_win_counts_more)
    assert not set(verdict.mistakes) & set(COURSE.exercise("running").ids), verdict
    assert "scored = [2], conceded = [0]" in verdict.message
    assert "[9], but it should be [2]" in verdict.message
