"""Covers in a real kernel: what is caught, in which order, and what a choice opens."""

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from seal_predictions import seal

from course_utils.checks.student.covers import FOLD, outputs_as_html, unfold

ASK = "from course_utils.checks import predict\n" + seal('predict("Is it?", {"yes": True, "no": "It is not."})', 1)
CHOOSE = "from course_utils.checks.student import predictions\npredictions._by_question['Is it?'].commit('no')"
ANSWER = "# answers prediction 1\n"
MIXED = (
    ANSWER
    + "from IPython.display import HTML, display\nprint('first', end='')\ndisplay(HTML('<b>x</b>'))\nprint('<')\n7"
)
PAGE = '<pre style="margin: 0">first</pre><b>x</b><pre style="margin: 0">&lt;</pre><pre style="margin: 0">7</pre>'


def run(*sources, allow_errors=False):
    """The outputs of cells, the last of them in a notebook that asks first."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=60, allow_errors=allow_errors).execute()
    return [cell.outputs for cell in notebook.cells]


def test_all_outputs_go_under_one_cover_in_their_order():
    (cover,) = run(ASK, MIXED)[1]
    assert FOLD.fullmatch(cover.data["text/html"])[1] == PAGE
    assert cover.data["text/plain"].startswith("Covered: this answers prediction 1.")
    assert "first" not in cover.data["text/plain"]


def test_the_choice_opens_what_stands_and_covers_nothing_more():
    _, stood, _, again, other = run(ASK, MIXED, CHOOSE, MIXED, ANSWER + "'open'")
    assert [output.data["text/html"] for output in stood] == [PAGE]
    assert [output.output_type for output in again] == ["stream", "display_data", "stream", "execute_result"]
    assert other[0].data == {"text/plain": "'open'"}


def test_cells_that_answer_nothing_or_another_prediction_are_left_alone():
    readable = 'from course_utils.checks import predict\npredict("Is it?", {"yes": True, "no": "It is not."})'
    assert run(readable, MIXED)[1][0].output_type == "stream"
    _, plain, other, solved, silent = run(
        ASK, "print(1)", "# answers prediction 2\nprint(2)", "x = '# answers prediction 1'\nx", ANSWER + "x = 1"
    )
    assert silent == []
    assert [outputs[0].get("text") for outputs in (plain, other)] == ["1\n", "2\n"]
    assert solved[0].data == {"text/plain": "'# answers prediction 1'"}


def test_an_error_is_seen_with_all_that_came_before_it():
    _, outputs, after = run(ASK, ANSWER + "print('so far')\n1 / 0", "print('free')", allow_errors=True)
    assert sorted(output.output_type for output in outputs) == ["display_data", "error"]
    assert "so far" in next(o for o in outputs if o.output_type == "display_data").data["text/html"]
    assert after[0].text == "free\n"


def test_a_picture_stays_a_picture_and_a_widget_its_static_form():
    draw = ANSWER + "from course_utils.pictures.plots import plt\nplt.plot([1])\nplt.title('One point')\nplt.show()"
    photo = ANSWER + "from IPython.display import Image, display\ndisplay(Image(b'\\x89PNG'))"
    live = ANSWER + "from course_utils.pictures.live_training import only_live\nonly_live('the secret')"
    _, plot, shown, widget = run(ASK, draw, photo, live)
    assert '<img alt="Curve: One point.' in plot[0].data["text/html"]
    assert '<img alt="a picture" src="data:image/png;base64,iVBOR' in shown[0].data["text/html"]
    assert "stands here after you have run this cell" in widget[0].data["text/html"]
    assert "secret" not in widget[0].data["text/html"]


@pytest.mark.parametrize("html", ["<b>x</b>", "<details><summary>Hint</summary>x</details>"])
def test_only_a_cover_is_taken_off(html):
    assert unfold(html) == html
    assert outputs_as_html([{"data": {"text/html": html}}]) == html
