"""A writer that has learned nothing, for tests of what reads and shows writers."""

import numpy as np

from course_utils.models.writer_reader import AXES, Writer, from_arrays
from course_utils.tasks.writer_task import WORDS

LENGTHS = {"n_words": len(WORDS), "n_positions": 23, "d_model": 48, "heads": 48, "d_wide": 192, "2": 2}


def random_writer(seed=0, n_heads=4, **lengths) -> Writer:
    """Return a Writer of the shipped one's shapes, other `lengths` by the names of AXES; one seed, one writer.

    Its numbers are large enough that heads look at some words more than at others, and that words differ.
    """
    lengths = LENGTHS | lengths
    rng = np.random.default_rng(seed)

    def drawn(name, axes):
        shape = tuple(lengths[axis] for axis in axes)
        if name.endswith("n_heads"):
            return np.array(n_heads)
        if name.endswith(("gain", "gains")):
            return rng.uniform(0.5, 1.5, size=shape)
        matrix = len(shape) == 2 and not name.endswith(("tokens", "positions", "biases"))
        return rng.normal(size=shape) * (2 / shape[0] ** 0.5 if matrix else 0.5)

    return from_arrays({name: drawn(name, axes) for name, axes in AXES.items()})
