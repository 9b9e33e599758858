"""The states of a lesson's widgets after each cell, with which the book runs them without a kernel.

The stored notebook shows a picture in place of a widget. Its state goes into book/states/NN_name.json, under the id of
its cell; the book passes it to the same script that JupyterLab runs.
"""

import json

from anywidget import AnyWidget

# Traits that every widget has and none of our scripts reads.
COMMON_TRAITS = {*AnyWidget.class_trait_names(sync=True), "_esm", "_css", "_anywidget_id"}


class WidgetStates:
    """Record the widgets of an nbclient run. `cells` is {cell id: [[kind, state] of each widget that it made]}."""

    def __init__(self):
        self.cells = {}
        self._seen = set()

    def record(self, client, cell):
        """After a cell has run, store the state of the widgets that it made, including covered ones."""
        new_keys = [key for key in client.widget_state if key not in self._seen]
        self._seen.update(new_keys)
        states = [state for key in new_keys if (state := kind_and_state(client.widget_state[key]))]
        if states:
            self.cells[cell.id] = states

    def text(self, digest):
        """Return the text of the file. digest: that of the notebook."""
        cells = [
            f"{json.dumps(cell)}: {json.dumps(states, ensure_ascii=False, separators=(',', ':'))}"
            for cell, states in self.cells.items()
        ]
        return f'{{"digest": {json.dumps(digest)}, "cells": {{\n' + ",\n".join(cells) + "\n}}\n"


def kind_and_state(state):
    """Return [name of the class, what its script reads], or None for a widget without a script of its own.

    >>> kind_and_state({"_anywidget_id": "course_utils.explorables.vector_pad.VectorPad", "a": [1, 2], "layout": "x"})
    ['VectorPad', {'a': [1, 2]}]
    """
    name = state.get("_anywidget_id")
    own = {key: value for key, value in state.items() if key not in COMMON_TRAITS}
    return [name.split(".")[-1], own] if name else None
