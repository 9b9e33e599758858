"""Lesson 13 as a student tries it: the functions of its solved notebook, and what its "Try it" sentences say."""

import ast

import pytest
from runner.in_process import SOURCES, code_cells, run

from course_utils.explorables import TrainingReplay
from course_utils.tasks.cls_task import best_counter, make_task


@pytest.fixture(scope="module")
def lesson():
    """The imports and the functions of the lesson: nothing trains yet."""
    code = "\n".join(cell for _, cell in code_cells(SOURCES / "13_making_it_look.py", "solved"))
    defines = ast.Import | ast.ImportFrom | ast.FunctionDef
    kept = [ast.unparse(node) for node in ast.parse(code).body if isinstance(node, defines)]
    names = {"__name__": "__main__"}
    run("\n".join([*kept, 'build_model = mine("build_model")']), "<lesson 13, tried>", names, go_on=False)
    return names


@pytest.mark.parametrize(
    ("tried", "n_epochs"), [({"seed": 5}, 12), ({"epochs": 5}, 5), ({"epochs": 30, "learning_rate": 0.003}, 30)]
)
def test_what_one_tries_first_works(lesson, tried, n_epochs):
    """13: take a part away"""
    reward = {"reward": lesson["look_reward"], "patience": lesson["patience"]}
    epochs, history = lesson["train_live"](make_task(decoys=0.5), **tried, **reward)
    accuracy, row = lesson["measured"](epochs, make_task(5000, decoys=0.5, seed=1))
    assert len(epochs) == n_epochs + 1 and len(history["loss"]) == n_epochs
    assert accuracy == 1 and row[4] >= 0.98


def test_another_place_another_target_and_longer_sentences(lesson, capsys):
    """13: your question

    Its second sentence, a function like `above`, is a cell of the lesson; its third has the next test.
    """
    epochs, fresh = lesson["report"](length=9, position=8, target=7, decoys=0.5)
    said = capsys.readouterr().out
    assert "Is the token at position 8 the number 7?\nbase rate 0.50   best counter 0.6" in said
    assert "accuracy 1.00\nlooks at place 8 (1.0)" in said
    assert TrainingReplay(epochs, fresh).question[0] == fresh.question


def test_the_hard_question_stays_below_the_best_counter_and_the_reward_never_begins(lesson, capsys):
    def equal(tokens):
        """Is the token at position 2 equal to the one at position 5?"""
        return tokens[:, 2] == tokens[:, 5]

    epochs, fresh = lesson["report"](equal)
    assert capsys.readouterr().out.startswith(f"{equal.__doc__}\nbase rate 0.50")
    accuracy, row = lesson["measured"](epochs, fresh)
    assert 0.6 < accuracy < best_counter(fresh) and row[[2, 5]].sum() > 0.8
