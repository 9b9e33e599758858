"""Recordings of trainings, stored in a file per training, so that later kernels can replay them."""

import contextlib
import copy
import pickle
import sqlite3

import numpy as np
from runner.training_state import assign_values, random_state, restore_random_state, values_of

PATIENCE = 600  # seconds that a notebook waits for another one with the same training


class Tape:
    """The callback arguments of a training, the variables at each call, and the final state."""

    def __init__(self):
        self.moments = []
        self.steered = False  # whether a callback changed the model or stopped the training

    def before_callbacks(self, model, *arguments):
        """Record the arguments of the callbacks."""
        self.moments.append((copy.deepcopy(arguments), values_of(model)))

    def after_callbacks(self, model):
        """Record whether the callbacks changed anything."""
        self.steered |= is_steered(model, self.moments[-1][1])

    def end(self, model):
        """Record the final state."""
        self.last, self.chance = values_of(model), random_state()

    def play(self, model, callback):
        """Replay the training on a model, and call `callback` as the training did."""
        for arguments, values in self.moments:
            assign_values(model, values)
            callback(*copy.deepcopy(arguments))
            if arguments[0] != "on_batch" and is_steered(model, values):
                raise RuntimeError("a callback steers this training, and the first one of its kind was not steered")
        assign_values(model, self.last)
        restore_random_state(self.chance)


def is_steered(model, values):
    return getattr(model, "stop_training", False) or not all(map(np.array_equal, values, values_of(model)))


def once(key, folder, train, replay):
    """Return `train(tape)` and store the tape, or `replay` a stored one. Other processes wait meanwhile."""
    store = sqlite3.connect(folder / f"{key}.sqlite", timeout=PATIENCE, isolation_level=None)
    try:
        store.execute("CREATE TABLE IF NOT EXISTS tapes (tape BLOB, replays INTEGER)")
        store.execute("BEGIN EXCLUSIVE")  # released when the process ends, even by a crash
        row = store.execute("SELECT tape FROM tapes").fetchone()
        if row is None:
            tape = Tape()
            result = train(tape)
            store.execute("INSERT INTO tapes VALUES (?, 0)", [None if tape.steered else pickle.dumps(tape)])
        elif row[0]:
            store.execute("UPDATE tapes SET replays = replays + 1")
        store.execute("COMMIT")
    finally:
        store.close()
    if row is None:
        return result
    return replay(pickle.loads(row[0])) if row[0] else train(Tape())


def replay_counts(folder):
    """Return how often each training of a folder was replayed, after one real run."""
    rows = []
    for path in folder.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as store:
            rows += store.execute("SELECT replays FROM tapes").fetchall()
    return [replays for (replays,) in rows]
