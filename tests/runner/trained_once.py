"""Train once per test run: a notebook replays a training that another notebook of the run has already done.

Only the kernels of a test run load this file, as an IPython extension (kernels.py).
The first notebook with a training really trains, and so do the tests in pytest's own process,
and every training whose key cannot be computed.
"""

import contextlib
import functools
import gc
import json
import os
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
from runner.tapes import once
from runner.training_state import (
    arguments_of,
    assign_values,
    hashed,
    random_state,
    restore_random_state,
    values_of,
    without_counts,
)

FOLDER = "LEARNING_TO_LOOK_TRAININGS"  # the environment variable with the folder of the trainings
# Modules whose `train` does not use `fit`.
LOOPS = tuple(f"course_utils.{name}_model" for name in ("cls", "review", "writer"))
STACKS = ("course_utils.deep_stack",)  # whose `train_stack` takes and returns arrays
ROWS = 256  # the key contains the result of one step on this many rows of the data
BATCH_CALLBACKS = "on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"  # not replayed


def load_ipython_extension(shell):
    """Install the hooks before the first cell that runs after Keras was imported."""
    gc.set_threshold(100_000, 20, 20)  # garbage collection takes a quarter of the import of Keras

    def hook_if_imported(*_):
        if "keras" in sys.modules:
            shell.events.unregister("pre_run_cell", hook_if_imported)
            replace_imported(install(Path(os.environ[FOLDER])), shell.user_ns)

    shell.events.register("pre_run_cell", hook_if_imported)


def install(folder):
    """Hook `keras.Model.fit` and the course's own training loops. Returns (owner, name, original) of each."""
    import keras

    folder.mkdir(parents=True, exist_ok=True)
    hooks = [(keras.Model, "fit", fit_once)]
    hooks += [(sys.modules[name], "train", loop_once) for name in LOOPS if name in sys.modules]
    hooks += [(sys.modules[name], "train_stack", compute_once) for name in STACKS if name in sys.modules]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in hooks]
    for (owner, name, hook), (_, _, train) in zip(hooks, originals, strict=True):
        setattr(owner, name, hook(train, folder))
    return originals


def replace_imported(originals, names):
    """Replace originals that a notebook imported by name before the hooks were installed."""
    for owner, name, original in originals:
        names.update({key: getattr(owner, name) for key, value in names.items() if value is original})


@contextlib.contextmanager
def with_notebooks():
    """Let a test share its trainings with the notebooks of its run."""
    originals = install(Path(os.environ[FOLDER]))
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


# keras.Model.fit


def fit_once(fit, folder):
    """Return the replacement of `keras.Model.fit`."""

    @functools.wraps(fit)
    def wrapped(*args, **kwargs):
        arguments = arguments_of(fit, args, kwargs)
        model, callbacks = arguments.pop("self"), arguments.pop("callbacks") or []
        key = key_of_fit(model, arguments) if are_passive(callbacks) else None
        if key is None:
            return fit(*args, **kwargs)
        train = functools.partial(record_fit, fit, model, arguments, callbacks)
        return once(key, folder, train, functools.partial(replay_fit, model, arguments, callbacks))

    return wrapped


def are_passive(callbacks):
    """Whether callbacks only observe epochs. Keras's own, except LambdaCallback, may change the training."""
    import keras

    def is_passive(callback):
        handlers = [getattr(getattr(callback, name), "__func__", None) for name in BATCH_CALLBACKS]
        own = not type(callback).__module__.startswith("keras.") or type(callback) is keras.callbacks.LambdaCallback
        return own and handlers == [getattr(keras.callbacks.Callback, name) for name in BATCH_CALLBACKS]

    return isinstance(callbacks, list | tuple) and all(map(is_passive, callbacks))


def key_of_fit(model, arguments):
    """Return the key of a training: its inputs, and the result of one step. None if it cannot be computed."""
    import keras
    import tensorflow as tf

    before = random_state()
    leaves = keras.tree.flatten([arguments[name] for name in arguments])
    plain = all(isinstance(leaf, np.ndarray | tf.Tensor | int | float | str | None) for leaf in leaves)
    if before[0] is None or arguments["verbose"] != 0 or arguments["x"] is None or not plain or not model.compiled:
        return None
    arguments = {name: keras.tree.map_structure(as_array, value) for name, value in arguments.items()}
    sample = np.linspace(0, len(keras.tree.flatten(arguments["x"])[0]) - 1, ROWS).astype(int)
    rows = keras.tree.map_structure(lambda leaf: tf.convert_to_tensor(leaf[sample]), (arguments["x"], arguments["y"]))
    if not model.built:
        model(rows[0])
    model.optimizer.build(model.trainable_variables)
    start = values_of(model)
    step = [float(value) for value in model.train_step(rows).values()], values_of(model)
    assign_values(model, start)
    restore_random_state(before)
    with warnings.catch_warnings(action="ignore"):  # about a loss without a name, which `step` distinguishes
        compiled = without_counts(json.dumps(model.get_compile_config(), default=str))
    return hashed(arguments, start, step, before, compiled)


def as_array(leaf):
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


def record_fit(fit, model, arguments, callbacks, tape):
    import keras

    first = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: tape.before_callbacks(model, epoch, logs),
        on_train_end=lambda logs: tape.end(model),
    )
    last = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tape.after_callbacks(model))
    history = fit(model, **arguments, callbacks=[first, *callbacks, last])
    tape.params = history.params
    return history


def replay_fit(model, arguments, callbacks, tape):
    import keras

    callback_list = keras.callbacks.CallbackList(callbacks, add_history=True, model=model, **tape.params)
    model.stop_training = False
    callback_list.on_train_begin()
    tape.play(model, callback_list.on_epoch_end)
    (_, logs), _ = tape.moments[-1]
    callback_list.on_train_end(logs)
    return model.history


# The course's own loops: (model, ..., on_epoch), with a seed among the arguments

LOOP_CALLBACKS = "on_epoch", "on_batch"


def loop_once(loop, folder):
    """Return the replacement of one of the course's training loops."""

    @functools.wraps(loop)
    def wrapped(*args, **kwargs):
        arguments = arguments_of(loop, args, kwargs)
        if arguments.get("focus", 0) is None:  # the classifier's usual recipe calls `fit`, which is hooked itself
            return loop(*args, **kwargs)
        model = arguments.pop("model")
        callbacks = {name: call for name in LOOP_CALLBACKS if (call := arguments.pop(name, None))}
        inputs = sorted(callbacks), {name: settings(value) for name, value in arguments.items()}
        try:
            key = hashed(loop.__qualname__, inputs, without_counts(model.to_json()), values_of(model))
        except (OSError, TypeError, AttributeError, pickle.PicklingError):  # a function without source
            return loop(*args, **kwargs)

        def train(tape):
            recorders = {name: functools.partial(record_call, tape, model, name, callbacks[name]) for name in callbacks}
            tape.result = loop(model, **arguments, **recorders)
            tape.end(model)
            return tape.result

        def replay(tape):
            tape.play(model, lambda name, *values: callbacks[name](*values))
            return tape.result

        return once(key, folder, train, replay)

    return wrapped


def compute_once(function, folder):
    """Return the replacement of a function whose result depends only on its arguments."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        def compute(tape):
            tape.result = function(*args, **kwargs)
            return tape.result

        key = hashed(function.__qualname__, arguments_of(function, args, kwargs))
        return once(key, folder, compute, lambda tape: tape.result)

    return wrapped


def record_call(tape, model, name, callback, *values):
    tape.before_callbacks(model, name, *values)
    callback(*values)
    if name != "on_batch":  # comparing the weights after each batch would take longer than the training
        tape.after_callbacks(model)


def settings(value):
    """What goes into the key for an argument: the settings of an optimizer, otherwise the argument itself."""
    return without_counts(json.dumps(value.get_config())) if hasattr(value, "get_config") else value
