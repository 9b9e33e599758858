"""The widgets of a page: those that a lesson made, and the trainings that the page runs in place of a kernel."""

import json
import re

from widget_states import kind_and_state

from course_utils.explorables import LookPlayground

WIDGET = """<div class="book-widget" id="{id}" data-kind="{kind}">
<div class="book-still">{still}</div>
<script type="application/json">{state}</script>
<script defer src="{up}_static/explorables/{kind}.js"></script>
</div>"""
# The trainings of lessons that the page can do as well: the recipes of a cell, in the order of its outputs.
TRAININGS = {
    "12-031": [{"preset": "usual"}],
    "13-009": [{"preset": "decoys"}],
    "13-011": [{"preset": "decoys", "first_seed": 1}],
    # The reward counts from the first batch on. Two of the page's twenty seeds look all the same; 0 finds another way.
    "13-016": [{"preset": "full", "patience": 10, "first_seed": 1}],
    "13-019": [{"preset": "full"}],
    "13-032": [{"preset": "full", "decoys": 0.0, "question": "above", "position": 3, "target": 25}],
}
TRAINING_PLACE = re.compile("<em class='learning-says'>(?:The training shows here|Recorded run)[^<]*</em>")
TRAINING = (
    '<p class="book-check">In JupyterLab the training shows here. This page can train the same model with the '
    "same recipe. Its random numbers are its own, and so are its figures.</p>"
)
N_SENTENCES = 8000  # to learn from, as in look_recipe.js
TRAINING_SECONDS = 6  # how long a training takes on a page, so that it can be watched


def trainings_of(cell_id):
    """Return a list: the HTML of each training that the page runs for a cell."""
    return [training(cell_id, i, recipe) for i, recipe in enumerate(TRAININGS.get(cell_id, []))]


def training(cell_id, number, recipe):
    """Return the HTML of a training that the page runs: of one model, with the recipe and the seed of the lesson."""
    plan = LookPlayground(**recipe)
    batches = N_SENTENCES // plan.batch_size * plan.epochs
    made = LookPlayground(**recipe, seeds=1, given=True, pace=round(batches / TRAINING_SECONDS))
    kind, state = kind_and_state(json.loads(json.dumps(made.get_state())))
    return TRAINING + widget_html(f"{cell_id}-training-{number + 1}", kind, state, "", "../")


def widget_html(holder, kind, state, still, up):
    """Return the HTML of a widget that lives on the page, with what stands there until its script runs."""
    text = json.dumps(state, ensure_ascii=False).replace("<", "\\u003c")  # a word may hold "</script>"
    return WIDGET.format(id=holder, kind=kind, up=up, still=still, state=text)


def put_trainings(page, trainings):
    """Return an output with the page's trainings in place of the cell's; those used leave the list."""
    return TRAINING_PLACE.sub(lambda place: take_place(place[0], trainings), page)


def take_place(said, trainings):
    """Return what replaces a training: the page's next one, followed by the recorded run if this is one."""
    if not trainings:
        return said
    return trainings.pop(0) + (said if "Recorded" in said else "")
