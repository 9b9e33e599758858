"""The notebook around the code: whether there is one, and how a widget is shown in it.

Nothing heavy is imported here.
"""

import os
import sys
from pathlib import Path

WIDGET = "application/vnd.jupyter.widget-view+json"  # the mime type under which an output holds a widget


def kernel():
    """Return the kernel that runs this code; None outside a notebook, where no widget can be shown.

    >>> kernel() is None
    True
    """
    if "IPython" not in sys.modules:  # a kernel has imported it
        return None
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)


SOLVED = ("solved_attention.py", "solved_model.py")  # they lie beside the solved notebooks


def keeps_files():
    """Tell whether a lesson may read and write the student's files where it runs.

    It may not where LEARNING_TO_LOOK_DATA is "off", as in tests and builds, nor among the solved notebooks.
    """
    return os.environ.get("LEARNING_TO_LOOK_DATA") != "off" and not any(Path(file).exists() for file in SOLVED)


def show(widget, static=None):
    """Display a widget where a kernel runs. `static`, {mime type: text}, is what the stored notebook holds beside it.

    Returns None. Without `static` the output is empty wherever no kernel runs.
    """
    from IPython.display import display

    display({**(static or {}), WIDGET: widget.get_view_spec()}, raw=True)
