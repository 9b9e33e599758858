"""The view of a training: what it draws, and its one static sentence in a stored notebook."""

import re

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from course_utils.computer.notebook import WIDGET
from course_utils.pictures.live_training import OWN, RECORDED, WAITING, LiveTraining


def test_draws_the_row_and_how_far_the_training_is():
    view = LiveTraining(keys=["[CLS]", "position <1>", "position 2"], query="[CLS]", epochs=3, highlight=[1])
    assert WAITING in view.html
    view.update(1, {"loss": 0.25}, np.array([0.2, 0.7, 0.1]))
    assert re.findall(r">(\d\.\d\d)</td>", view.html) == ["0.20", "0.70", "0.10"]
    assert re.findall(r"width: (\d+\.\d)%", view.html) == ["17.0", "59.5", "8.5"]
    assert 'max="3" value="2"' in view.html and "epoch 2 of 3 · loss 0.2500" in view.html
    assert re.findall(r'class="live-chosen">([^<]*)<', view.html) == ["position &lt;1&gt;"], "the highlighted key alone"
    without_keys = LiveTraining(epochs=2)
    without_keys.update(0, {"loss": 0.5, "accuracy": 0.75}, says="<praise>")
    assert "accuracy 0.75" in without_keys.html and "<div>&lt;praise&gt;</div>" in without_keys.html


TRAINING = """
import random
from course_utils.pictures.live_training import LiveTraining
view = LiveTraining(keys=['a', 'b'], query='a', epochs=1)
view.update(0, {'loss': random.random()}, [random.random(), 0])"""
MACHINE = "from course_utils.pictures.live_training import only_live\nonly_live('a -> b 0.123')"


@pytest.mark.parametrize(
    ("code", "stored", "live"),
    [
        (TRAINING, WAITING, "epoch 1 of 1"),
        (TRAINING.replace("epochs=1", "epochs=1, recorded='loss 0.5'"), f"{RECORDED}\nloss 0.5", "epoch 1 of 1"),
        (MACHINE, OWN, "a -&gt; b 0.123"),
        (MACHINE.replace("')", "', recorded='b 0.5')"), f"{RECORDED}\nb 0.5", "a -&gt; b 0.123"),
    ],
)
def test_what_differs_each_time_is_in_the_widget_and_a_sentence_in_the_stored_output(code, stored, live, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/plain"] == stored and set(output.data) == {"text/plain", "text/html", WIDGET}
    assert all(line in output.data["text/html"] for line in stored.split("\n"))
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert live in state[output.data[WIDGET]["model_id"]]["state"]["value"]
