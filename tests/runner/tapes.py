"""What a training said while it ran, kept in a file of a test run, so that it can be said again."""

import contextlib
import copy
import pickle
import sqlite3

import numpy as np
from runner.training_state import chance, give, leave, values_of

PATIENCE = 600  # seconds that a notebook waits for another one that trains the same


class Tape:
    """What a training said, with the variables at that moment, and what it left behind."""

    def __init__(self):
        self.moments = []
        self.steered = False  # whether a callback changed the model or ended the training

    def hear(self, model, *said):
        """Note what the callbacks are about to hear."""
        self.moments.append((copy.deepcopy(said), values_of(model)))

    def watch(self, model):
        """Note what the callbacks made of it."""
        self.steered |= is_steered(model, self.moments[-1][1])

    def end(self, model):
        """Note what is left when the callbacks hear of the end."""
        self.last, self.chance = values_of(model), chance()

    def play(self, model, tell):
        """Do to a model what the training did, and `tell` what it said."""
        for said, values in self.moments:
            give(model, values)
            tell(*copy.deepcopy(said))
            if said[0] != "on_batch" and is_steered(model, values):
                raise RuntimeError("a callback steers this training, and the first one of its kind was not steered")
        give(model, self.last)
        leave(self.chance)


def is_steered(model, values):
    return getattr(model, "stop_training", False) or not all(map(np.array_equal, values, values_of(model)))


def once(key, folder, train, replay):
    """Return `train(tape)` and store the tape; where it is stored, `replay` it. Others wait meanwhile."""
    store = sqlite3.connect(folder / f"{key}.sqlite", timeout=PATIENCE, isolation_level=None)
    try:
        store.execute("CREATE TABLE IF NOT EXISTS tapes (tape BLOB, replays INTEGER)")
        store.execute("BEGIN EXCLUSIVE")  # ends with its process, whatever happens to that
        found = store.execute("SELECT tape FROM tapes").fetchone()
        if found is None:
            tape = Tape()
            result = train(tape)
            store.execute("INSERT INTO tapes VALUES (?, 0)", [None if tape.steered else pickle.dumps(tape)])
        elif found[0]:
            store.execute("UPDATE tapes SET replays = replays + 1")
        store.execute("COMMIT")
    finally:
        store.close()
    if found is None:
        return result
    return replay(pickle.loads(found[0])) if found[0] else train(Tape())


def counted(folder):
    """Return how often each training of a folder was replayed; it was done for real once."""
    rows = []
    for path in folder.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as store:
            rows += store.execute("SELECT replays FROM tapes").fetchall()
    return [replays for (replays,) in rows]
