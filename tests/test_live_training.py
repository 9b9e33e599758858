"""The view of a training: what it draws, what it refuses, and its one static sentence in a stored notebook."""

import re

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from course_utils.live_training import OWN, WAITING, LiveTraining, only_live
from course_utils.notebook import WIDGET

LOGS = {"loss": 0.1}
KEYS = ["[CLS]", "position <1>", "position 2"]


def live(**changed):
    return LiveTraining(**{"keys": KEYS, "query": "[CLS]", "epochs": 3, "highlight": [1]} | changed)


def test_draws_the_row_and_how_far_the_training_is():
    view = live()
    assert WAITING in view.html
    view.update(1, {"loss": 0.25}, np.array([0.2, 0.7, 0.1]))
    assert re.findall(r">(\d\.\d\d)</td>", view.html) == ["0.20", "0.70", "0.10"]
    assert re.findall(r"width: (\d+\.\d)%", view.html) == ["17.0", "59.5", "8.5"]
    assert 'max="3" value="2"' in view.html and "epoch 2 of 3 · loss 0.2500" in view.html


def test_without_keys_there_is_a_progress_bar_only():
    view = LiveTraining(epochs=3)
    view.update(0, LOGS)
    assert 'max="3" value="1"' in view.html and "<table" not in view.html


def test_marks_the_highlighted_key_alone_and_escapes_words():
    view = live()
    view.update(0, {"loss": 0.25}, [0.2, 0.7, 0.1])
    assert re.findall(r'class="live-chosen">([^<]*)<', view.html) == ["position &lt;1&gt;"]


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("epochs", lambda: live(epochs=0)),
        ("highlight", lambda: live(highlight=[3])),
        ("row", lambda: live().update(0, LOGS, [0.5, 0.5])),
        ("row", lambda: live().update(0, LOGS)),
        ("row", lambda: LiveTraining(epochs=3).update(0, LOGS, [1.0])),
        ("row", lambda: live().update(0, LOGS, [[0.5, 0.3, 0.2]])),
        ("row", lambda: live().update(0, LOGS, [0.5, np.nan, 0.2])),
        ("epoch", lambda: live().update(3, LOGS, [0.5, 0.3, 0.2])),
        ("epoch", lambda: live().update(-1, LOGS, [0.5, 0.3, 0.2])),
    ],
)
def test_bad_input_is_named(name, act):
    with pytest.raises(ValueError, match=rf"^{name} (is|has shape)"):
        act()


def test_stored_notebook_shows_the_same_sentence_whatever_was_learned(tmp_path):
    code = (
        "import random\nfrom course_utils.live_training import LiveTraining\n"
        "view = LiveTraining(keys=['a', 'b'], query='a', epochs=1)\n"
        "view.update(0, {'loss': random.random()}, [random.random(), 0])"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/plain"] == WAITING and WAITING in output.data["text/html"]
    assert set(output.data) == {"text/plain", "text/html", WIDGET}
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    shown = state[output.data[WIDGET]["model_id"]]["state"]["value"]
    assert "epoch 1 of 1" in shown


def test_accuracy_and_what_the_model_says_are_shown_where_they_are_known():
    view = LiveTraining(epochs=2)
    view.update(0, {"loss": 0.5, "accuracy": 0.75}, says="<praise>")
    assert "loss 0.5000 · accuracy 0.75" in view.html and "<div>&lt;praise&gt;</div>" in view.html
    view.update(1, {"loss": 0.5})
    assert "accuracy" not in view.html


def test_what_only_this_machine_knows_is_in_the_widget_and_not_in_the_stored_output(tmp_path):
    code = "from course_utils.live_training import only_live\nonly_live('a -> b 0.123')"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/plain"] == OWN and set(output.data) == {"text/plain", "text/html", WIDGET}
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert "a -&gt; b 0.123" in state[output.data[WIDGET]["model_id"]]["state"]["value"]


def test_outside_a_notebook_the_numbers_are_printed(capsys):
    only_live("a -> b 0.123")
    assert capsys.readouterr().out == "a -> b 0.123\n"
