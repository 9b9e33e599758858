"""What the judge learns about an answer besides its result: its signature, in-place changes and errors."""

import inspect
import traceback


def parameters(answer):
    """Return [name, kind, has_default] for each parameter; None if the signature is unknown."""
    try:
        signature = inspect.signature(answer).parameters
    except (TypeError, ValueError):
        return None
    return [[one.name, int(one.kind), one.default is not inspect.Parameter.empty] for one in signature.values()]


def changed_arguments(before, after):
    """Return the arguments that were changed in place: [(index, value)]."""
    import numpy as np

    def differs(old, new):
        if isinstance(old, np.ndarray):
            return not np.array_equal(old, new, equal_nan=old.dtype.kind in "fc")
        return not callable(new) and old != new

    return [(i, new) for i, (old, new) in enumerate(zip(before, after, strict=True)) if differs(old, new)]


def describe_error(error):
    """Return an error as four texts: type, message, innermost notebook line, and the files that it passed."""
    try:
        message = str(error)[:1000]
    except BaseException:
        message = ""
    frames = traceback.extract_tb(error.__traceback__)
    notebook_lines = [frame.line for frame in frames if frame.line and "<ipython" in frame.filename]
    return [
        type(error).__name__,
        message,
        notebook_lines[-1] if notebook_lines else "",
        " ".join(dict.fromkeys(frame.filename for frame in frames))[:2000],
    ]
