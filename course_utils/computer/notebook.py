"""The notebook that runs the code: whether there is one, and how to show a widget in it.

Nothing heavy is imported here.
"""

import os
import sys
from pathlib import Path

WIDGET = "application/vnd.jupyter.widget-view+json"  # the mime type under which an output holds a widget


def kernel() -> object | None:
    """Return the kernel that runs this code; None outside a notebook, where no widget can be shown.

    >>> kernel() is None
    True
    """
    if "IPython" not in sys.modules:  # a kernel imports it before any cell runs
        return None
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)


SOLVED = ("solved_attention.py", "solved_model.py")  # in the folder of the solved notebooks


def keeps_files() -> bool:
    """Tell whether a lesson may read and write the student's files in the current folder.

    Not if LEARNING_TO_LOOK_DATA is "off", as in tests and builds, nor in the folder of the solved notebooks.
    """
    return os.environ.get("LEARNING_TO_LOOK_DATA") != "off" and not any(Path(file).exists() for file in SOLVED)


def show(widget: object, static: dict[str, str] | None = None) -> None:
    """Display a widget. Where no kernel runs, as in a stored notebook, `static`, {mime type: text}, is shown instead.

    Without `static` the output is empty there.
    """
    from IPython.display import display

    display({**(static or {}), WIDGET: widget.get_view_spec()}, raw=True)
