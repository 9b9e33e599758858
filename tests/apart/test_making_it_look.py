"""Lesson 13 as a student tries it: its own cells run, and then what its "Try it" sentences say, word for word."""

import ast
import runpy
from pathlib import Path

import numpy as np
import pytest
from derive_notebooks import derive

from course_utils.cls_task import best_counter, make_task
from course_utils.explorables import TrainingReplay

SOURCE = Path(__file__).parents[2] / "notebooks" / "source" / "13_making_it_look.py"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    """The imports and the functions of the solved lesson, in a module of their own: nothing trains yet."""
    notebook = derive(SOURCE).solved
    code = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    defines = ast.Import | ast.ImportFrom | ast.FunctionDef
    kept = [ast.get_source_segment(code, node) for node in ast.parse(code).body if isinstance(node, defines)]
    kept.append('build_model = mine("build_model")')
    path = tmp_path_factory.mktemp("lesson") / "lesson.py"
    path.write_text("\n".join(kept), encoding="utf-8")
    names = runpy.run_path(str(path))
    return names | {"ours": {"reward": names["look_reward"], "patience": names["patience"]}}


@pytest.fixture(scope="module")
def hard():
    return make_task(decoys=0.5), make_task(5000, decoys=0.5, seed=1)


@pytest.mark.parametrize(
    ("tried", "n_epochs"),
    [({"seed": 5}, 12), ({"epochs": 5}, 5), ({"epochs": 30, "learning_rate": 0.003}, 30)],
    ids=["seed=5", "epochs=5", "epochs=30, learning_rate=0.003"],
)
def test_what_one_tries_first_works(lesson, hard, tried, n_epochs):
    """13: take a part away"""
    epochs, history = lesson["train_live"](hard[0], **tried, **lesson["ours"])
    accuracy, row = lesson["measured"](epochs, hard[1])
    assert len(epochs) == n_epochs + 1 and len(history["loss"]) == n_epochs
    assert accuracy == 1 and row[4] >= 0.98
    assert TrainingReplay(epochs, hard[1]).question[0] == "Is the token at position 4 the number 42?"


def test_another_place_another_target_and_longer_sentences(lesson, capsys):
    """13: your question

    The other two sentences of that heading have the next two tests.
    """
    epochs, fresh = lesson["report"](length=9, position=8, target=7, decoys=0.5)
    said = capsys.readouterr().out
    assert "Is the token at position 8 the number 7?\nbase rate 0.50   best counter 0.6" in said
    assert "accuracy 1.00\nlooks at place 8 (1.0)" in said
    assert TrainingReplay(epochs, fresh).question[0] == fresh.question


def test_a_question_of_ones_own(lesson, capsys):
    lesson["report"](lesson["above"])
    assert "accuracy 1.00\nlooks at place 3 (1.0)" in capsys.readouterr().out


def test_the_hard_question_stays_below_the_best_counter_and_the_reward_never_begins(lesson, capsys):
    def equal(tokens):
        """Is the token at position 2 equal to the one at position 5?"""
        return tokens[:, 2] == tokens[:, 5]

    epochs, fresh = lesson["report"](equal)
    assert capsys.readouterr().out.startswith(f"{equal.__doc__}\nbase rate 0.50")
    accuracy, row = lesson["measured"](epochs, fresh)
    assert 0.6 < accuracy < best_counter(fresh) and row[[2, 5]].sum() > 0.8


def test_one_place_is_not_enough_for_a_question_about_two(lesson):
    lost, fresh = lesson["report"](lesson["both"], seed=1, decoys=0.5)
    accuracy, row = lesson["measured"](lost, fresh)
    assert accuracy < 0.8 and row.max() > 0.9
    from course_utils.cls_rewards import set_reward

    found, _ = lesson["report"](lesson["both"], lambda weights: set_reward(weights, 2), seed=1, decoys=0.5)
    accuracy, row = lesson["measured"](found, fresh)
    assert accuracy == 1 and row[[2, 5]].sum() > 0.99 and np.min(row[[2, 5]]) > 0.2
