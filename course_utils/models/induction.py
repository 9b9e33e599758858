"""Rows that repeat themselves, and how much a head looks at what came after a token the last time. NumPy only.

Source: Olsson et al. 2022, "In-context Learning and Induction Heads".
"""

from collections.abc import Iterable

import numpy as np

from course_utils.arrays.arguments import as_count, as_finite, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.models.writer_reader import Writer

N_TOKENS, N_WORDS = 32, 22  # of a row; 0 and 1 are not words here
SHORTEST, LONGEST = 8, 16  # tokens, until a row starts again


def repeated_rows(n: int, seed: int = 0) -> tuple[Array["n, N_TOKENS"], Array["n"]]:
    """Return rows, int32, of random tokens that repeat, and the period of each row in tokens.

    The period differs from row to row, so that no fixed step back is the answer. One seed, one set of rows.
    Raises ValueError for a count below 1 and a seed below 0.

    >>> rows, periods = repeated_rows(2)
    >>> bool((rows[0, periods[0] :] == rows[0, : -periods[0]]).all())
    True
    """
    rng = np.random.default_rng(as_count("seed", seed, least=0))
    periods = rng.integers(SHORTEST, LONGEST + 1, as_count("n", n))  # (n,)
    tokens = rng.integers(2, N_WORDS, (n, LONGEST))
    return tokens[np.arange(n)[:, None], np.arange(N_TOKENS) % periods[:, None]].astype(np.int32), periods


def induction_scores(
    weights: Array["n, n_layers, n_heads, n_tokens, n_tokens"], periods: Array["n"]
) -> Array["n_layers, n_heads"]:
    """Return, for each head, its mean weight on the token that followed the last appearance of the token that looks.

    periods: of the rows, in tokens. Raises ValueError for shapes that do not fit.
    """
    weights = as_finite("weights", weights, "(n, n_layers, n_heads, n_tokens, n_tokens)", rank=5, exact=True)
    periods = np.asarray(periods)
    if periods.shape != weights.shape[:1]:
        raise wrong("periods", periods, f"{weights.shape[:1]}, one for each row")
    positions = np.arange(weights.shape[-1])
    is_repeat = positions >= periods[:, None]  # (n, n_tokens): has this token appeared before?
    successors = np.where(is_repeat, positions - periods[:, None] + 1, 0)  # (n, n_tokens)
    # (n, n_layers, n_heads, n_tokens)
    on_successor = np.take_along_axis(weights, successors[:, None, None, :, None], axis=-1)[..., 0]
    return (on_successor * is_repeat[:, None, None]).sum(axis=(0, 3)) / is_repeat.sum()


def previous_scores(weights: Array["n, n_layers, n_heads, n_tokens, n_tokens"]) -> Array["n_layers, n_heads"]:
    """Return, for each head, its mean weight on the token before."""
    return np.diagonal(weights, offset=-1, axis1=-2, axis2=-1).mean(axis=(0, -1))


def repeat_loss(writer: Writer, rows: Array["n, n_tokens"], periods: Array["n"], hide: Iterable = ()) -> float:
    """Return the loss of a Writer, in nats per token, where the rows repeat themselves; hide: as in its call."""
    rows = as_tokens(rows, N_WORDS)
    scores = writer.next_scores(writer(rows[:, :-1], hide=hide).hidden).astype(float)  # (n, n_tokens - 1, N_WORDS)
    logs = scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    right = np.take_along_axis(logs, rows[:, 1:, None], axis=-1)[..., 0]  # (n, n_tokens - 1)
    return float(-right[np.arange(rows.shape[1] - 1) >= np.asarray(periods)[:, None]].mean())
