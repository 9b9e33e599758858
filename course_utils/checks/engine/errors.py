"""Says in plain words why a student's function stopped: the words of NumPy and Python are for people who know both."""

from course_utils.checks.engine import error_reasons, keras_reasons
from course_utils.checks.engine.grammar import capital

MOST_OF_A_LINE = 110  # characters: a longer line of code is not quoted
MOST_OF_A_MESSAGE = 140  # a longer message that nobody has put into plain words is left out


def in_words(detail):
    """Return kind, line and reason of an error in plain words; detail: what running.py kept of it, in three lines."""
    kind_of_error, message, line = detail.split("\n")
    where = f" at {line}" if line and len(line) <= MOST_OF_A_LINE else ""
    return f"Your function stops with {kind_of_error}{where}. {' '.join(_reason(message).split())}".strip()


def _reason(message):
    message = keras_reasons.bare(message)
    for pattern, said in (*keras_reasons.REASONS, *error_reasons.REASONS):
        if found := pattern.search(message):
            return said(found) if callable(said) else said.format(*found.groups())
    message = " ".join(message.replace("numpy.ndarray", "array").replace("ndarray", "array").split())
    if not message or len(message) > MOST_OF_A_MESSAGE:
        return ""
    return capital(message) + ("" if message.endswith((".", "?", "!")) else ".")
