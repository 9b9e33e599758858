"""A notebook that trains what another notebook of this run has trained replays that training, as it was told of it.

The kernels of a test run load this file as an extension of IPython (kernels.py); nobody else does.
The first notebook that asks for a training trains for real, and so do the tests in pytest's own process.
So does every training of which the key below cannot be told.
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
from runner.training_state import arguments_of, chance, give, hashed, leave, values_of, without_counts

FOLDER = "LEARNING_TO_LOOK_TRAININGS"  # the variable that names the folder of the trainings
# Modules whose `train` is no `fit`.
LOOPS = tuple(f"course_utils.{name}_model" for name in ("cls", "review", "writer"))
STACKS = ("course_utils.deep_stack",)  # whose `train_stack` takes arrays and gives arrays
ROWS = 256  # the key says what one step on so many rows of the data does
BATCHES = "on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"  # these are not replayed


def load_ipython_extension(shell):
    """Hook the trainings before the first cell that finds Keras imported."""
    gc.set_threshold(100_000, 20, 20)  # else a quarter of what the import of Keras takes is a search for garbage

    def look(*_):
        if "keras" in sys.modules:
            shell.events.unregister("pre_run_cell", look)
            put_in_place(install(Path(os.environ[FOLDER])), shell.user_ns)

    shell.events.register("pre_run_cell", look)


def install(folder):
    """Let `keras.Model.fit` and the course's own loops train once for this folder. Returns what they replace."""
    import keras

    folder.mkdir(parents=True, exist_ok=True)
    hooks = [(keras.Model, "fit", fitted_once)]
    hooks += [(sys.modules[name], "train", looped_once) for name in LOOPS if name in sys.modules]
    hooks += [(sys.modules[name], "train_stack", computed_once) for name in STACKS if name in sys.modules]
    real = [(place, name, getattr(place, name)) for place, name, _ in hooks]
    for (place, name, hook), (_, _, train) in zip(hooks, real, strict=True):
        setattr(place, name, hook(train, folder))
    return real


def put_in_place(replaced, names):
    """Exchange what a notebook has imported by name before the hooks came."""
    for place, name, real in replaced:
        names.update({known: getattr(place, name) for known, value in names.items() if value is real})


@contextlib.contextmanager
def with_notebooks():
    """Let a test train once together with the notebooks of its run."""
    replaced = install(Path(os.environ[FOLDER]))
    try:
        yield
    finally:
        for place, name, real in replaced:
            setattr(place, name, real)


# Keras's own training


def fitted_once(fit, folder):
    """Return what stands for `keras.Model.fit`."""

    @functools.wraps(fit)
    def wrapped(*args, **kwargs):
        asked = arguments_of(fit, args, kwargs)
        model, callbacks = asked.pop("self"), asked.pop("callbacks") or []
        key = key_of_fit(model, asked) if only_look(callbacks) else None
        if key is None:
            return fit(*args, **kwargs)
        train = functools.partial(recorded_fit, fit, model, asked, callbacks)
        return once(key, folder, train, functools.partial(replayed_fit, model, asked, callbacks))

    return wrapped


def only_look(callbacks):
    """Whether callbacks want nothing but to be told of epochs. Keras's own steer, but for one."""
    import keras

    def looks(callback):
        heard = [getattr(getattr(callback, name), "__func__", None) for name in BATCHES]
        own = not type(callback).__module__.startswith("keras.") or type(callback) is keras.callbacks.LambdaCallback
        return own and heard == [getattr(keras.callbacks.Callback, name) for name in BATCHES]

    return isinstance(callbacks, list | tuple) and all(map(looks, callbacks))


def key_of_fit(model, asked):
    """Return the key of a training: what goes in, and what a step makes of it. None where it cannot be told."""
    import keras
    import tensorflow as tf

    before = chance()
    leaves = keras.tree.flatten([asked[name] for name in asked])
    plain = all(isinstance(leaf, np.ndarray | tf.Tensor | int | float | str | None) for leaf in leaves)
    if before[0] is None or asked["verbose"] != 0 or asked["x"] is None or not plain or not model.compiled:
        return None
    asked = {name: keras.tree.map_structure(as_array, value) for name, value in asked.items()}
    some = np.linspace(0, len(keras.tree.flatten(asked["x"])[0]) - 1, ROWS).astype(int)
    rows = keras.tree.map_structure(lambda leaf: tf.convert_to_tensor(leaf[some]), (asked["x"], asked["y"]))
    if not model.built:
        model(rows[0])
    model.optimizer.build(model.trainable_variables)
    start = values_of(model)
    step = [float(value) for value in model.train_step(rows).values()], values_of(model)
    give(model, start)
    leave(before)
    with warnings.catch_warnings(action="ignore"):  # of a loss without a name, which `step` tells from others
        compiled = without_counts(json.dumps(model.get_compile_config(), default=str))
    return hashed(asked, start, step, before, compiled)


def as_array(leaf):
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


def recorded_fit(fit, model, asked, callbacks, tape):
    import keras

    first = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: tape.hear(model, epoch, logs), on_train_end=lambda logs: tape.end(model)
    )
    last = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tape.watch(model))
    history = fit(model, **asked, callbacks=[first, *callbacks, last])
    tape.params = history.params
    return history


def replayed_fit(model, asked, callbacks, tape):
    import keras

    told = keras.callbacks.CallbackList(callbacks, add_history=True, model=model, **tape.params)
    model.stop_training = False
    told.on_train_begin()
    tape.play(model, told.on_epoch_end)
    (_, logs), _ = tape.moments[-1]
    told.on_train_end(logs)
    return model.history


# The course's own loops: (model, ..., on_epoch), with a seed among what they are given

TOLD = "on_epoch", "on_batch"


def looped_once(loop, folder):
    """Return what stands for a loop of the course's own."""

    @functools.wraps(loop)
    def wrapped(*args, **kwargs):
        asked = arguments_of(loop, args, kwargs)
        if asked.get("focus", 0) is None:  # the classifier's usual recipe: that is `fit`, which replays by itself
            return loop(*args, **kwargs)
        model, told = asked.pop("model"), {name: tell for name in TOLD if (tell := asked.pop(name, None))}
        given = sorted(told), {name: settings(value) for name, value in asked.items()}
        try:
            key = hashed(loop.__qualname__, given, without_counts(model.to_json()), values_of(model))
        except (OSError, TypeError, AttributeError, pickle.PicklingError):  # a function that nobody can read
            return loop(*args, **kwargs)

        def train(tape):
            heard = {name: functools.partial(recorded_call, tape, model, name, tell) for name, tell in told.items()}
            tape.result = loop(model, **asked, **heard)
            tape.end(model)
            return tape.result

        def replay(tape):
            tape.play(model, lambda name, *said: told[name](*said))
            return tape.result

        return once(key, folder, train, replay)

    return wrapped


def computed_once(function, folder):
    """Return what stands for a function whose result depends on its arguments alone."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        def compute(tape):
            tape.result = function(*args, **kwargs)
            return tape.result

        key = hashed(function.__qualname__, arguments_of(function, args, kwargs))
        return once(key, folder, compute, lambda tape: tape.result)

    return wrapped


def recorded_call(tape, model, name, tell, *said):
    tape.hear(model, name, *said)
    tell(*said)
    if name != "on_batch":  # to compare the weights after each batch would take longer than to train
        tape.watch(model)


def settings(value):
    """What a key holds of an argument: of an optimizer its settings, of all others themselves."""
    return without_counts(json.dumps(value.get_config())) if hasattr(value, "get_config") else value
