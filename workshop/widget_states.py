"""What the book needs to move a lesson's widgets without a kernel: their state, as each cell left it.

The stored notebook shows a picture in a widget's stead. The state goes into book/states/NN_name.json, beside the id of
its cell; the page of the book gives it to the same script that JupyterLab runs.
"""

import json

from anywidget import AnyWidget

# Every widget has these, and no script of ours reads them.
OF_ALL = {*AnyWidget.class_trait_names(sync=True), "_esm", "_css", "_anywidget_id"}


class WidgetStates:
    """Watches a run of nbclient. `cells` holds {id of a cell: [[kind, state] of each widget that it made]}."""

    def __init__(self):
        self.cells = {}
        self._seen = set()

    def note(self, client, cell):
        """After a cell has run: keep the state of the widgets that it made, those under a cover too."""
        made = [key for key in client.widget_state if key not in self._seen]
        self._seen.update(made)
        found = [found for key in made if (found := kind_and_state(client.widget_state[key]))]
        if found:
            self.cells[cell.id] = found

    def text(self, digest):
        """Return the text of the file. digest: of the notebook whose cells these are."""
        cells = [
            f"{json.dumps(cell)}: {json.dumps(found, ensure_ascii=False, separators=(',', ':'))}"
            for cell, found in self.cells.items()
        ]
        return f'{{"digest": {json.dumps(digest)}, "cells": {{\n' + ",\n".join(cells) + "\n}}\n"


def kind_and_state(state):
    """Return [name of the class, what its script reads], or None for a widget that has no script of its own.

    >>> kind_and_state({"_anywidget_id": "course_utils.explorables.vector_pad.VectorPad", "a": [1, 2], "layout": "x"})
    ['VectorPad', {'a': [1, 2]}]
    """
    name = state.get("_anywidget_id")
    own = {key: value for key, value in state.items() if key not in OF_ALL}
    return [name.split(".")[-1], own] if name else None
