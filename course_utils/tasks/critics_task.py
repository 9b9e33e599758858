"""Films that six critics grade, for the reader of lessons 09 and 10: the audience follows the critic at position 4."""

import numpy as np

from course_utils.arrays.arguments import as_count
from course_utils.arrays.shapes import Array
from course_utils.tasks.cls_task import Task

POSITION = 4  # as the 42 of the classifier
N_TOKENS, LENGTH = 11, 7  # “?” and the grades 1 to 10; “?” and the six critics


def make_films(n: int, *, seed: int = 0) -> Task:
    """Draw films: “?”, which is token 0, and six grades from 1 to 10; the label is 1 where critic 4 gives more than 5.

    Returns tokens (n, 7) and labels (n,).

    >>> tokens, labels = make_films(2)
    >>> tokens.shape, labels == (tokens[:, 4] > 5)
    ((2, 7), array([ True,  True]))
    """
    grades = np.random.default_rng(seed).integers(1, N_TOKENS, size=(as_count("n", n), LENGTH - 1))
    tokens = np.column_stack([np.zeros(n, dtype=int), grades])  # (n, 7)
    return Task(tokens, (tokens[:, POSITION] > 5).astype(float))


def start(seed: int, d: int = 4) -> tuple[Array["11, d"], Array["7, d"], Array["d"], float]:
    """Return a reader that knows nothing: small random token vectors E and positions P, and a read-out w and b.

    >>> [part.shape for part in start(seed=0)[:3]]
    [(11, 4), (7, 4), (4,)]
    """
    rng, d = np.random.default_rng(seed), as_count("d", d)
    E, P, w, b = (0.1 * rng.normal(size=shape) for shape in ((N_TOKENS, d), (LENGTH, d), (d,), ()))
    return E, P, w, float(b)
