"""The classifier that trains in the page: its gradient, its optimizer, its sentences, and what becomes of its recipes.

The gradient is held to central differences and to Keras's tape, in double precision, for the same weights and batch.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf

from course_utils.explorables.look_recipes import classifier_of, flat_weights, sizes_of
from course_utils.models.cls_model import attention_scores_of, build_classifier
from course_utils.models.cls_reader import AXES
from course_utils.models.cls_rewards import look_reward
from course_utils.models.own_model import by_name, to_reader
from course_utils.tasks.cls_task import make_task

ASK = {"question": "target", "position": 4, "target": 42, "other": 2, "length": 6, "decoys": 0.5, "vocabulary": 51}
SIZES = {"vocabulary": 51, "size": 7}
FOCUS = 0.3


@pytest.fixture
def ask_worker(compute):
    """A function that calls a JavaScript function, which sees all that the worker is made of, with one argument."""
    return lambda body, argument: compute(body, [argument], "look_worker.js")[0]


def draw_case(seed):
    """Weights of every size that a training meets, and a batch of sentences with labels."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=777) * rng.choice([0.3, 0.8], size=777)
    tokens, labels = make_task(64, decoys=0.4, seed=seed)
    return weights, tokens, labels


GRADIENT = """({ sizes, weights, tokens, labels, focus }) => {
  const model = new LookModel(sizes, Float64Array.from(weights));
  const task = { tokens: Uint16Array.from(tokens.flat()), labels: Uint8Array.from(labels), n: labels.length };
  const seen = model.batch(task, null, 0, task.n, { focus });
  return { ...seen, gradient: [...model.gradient], mean: [...model.mean] };
}"""


def case_of(weights, tokens, labels, focus, sizes=SIZES):
    arrays = {"weights": weights.tolist(), "tokens": tokens.tolist(), "labels": labels.tolist()}
    return arrays | {"focus": focus, "sizes": sizes}


DIFFERENCES = """({ sizes, weights, tokens, labels, focus }) => {
  const all = Float64Array.from(weights), model = new LookModel(sizes, all), step = 1e-5;
  const task = { tokens: Uint16Array.from(tokens.flat()), labels: Uint8Array.from(labels), n: labels.length };
  const total = () => {
    const { loss, reward } = model.batch(task, null, 0, task.n, { learn: false });
    return loss - focus * reward;
  };
  return weights.map((weight, i) => {
    const sides = [weight + step, weight - step].map((moved) => (all[i] = moved) && total());
    all[i] = weight;
    return (sides[0] - sides[1]) / (2 * step);
  });
}"""


def test_the_gradient_of_other_widths_is_that_of_central_differences(ask_worker):
    """A student's model may have queries and values of other widths than its vectors."""
    rng = np.random.default_rng(1)
    sizes = {"vocabulary": 51, "size": 5, "d": 4, "dK": 3, "dV": 6}
    n_weights = 51 * 4 + 5 * 4 + 2 * (4 * 3 + 3) + (4 * 6 + 6) + (6 * 4 + 4) + 3 * 4 + 1
    weights, tokens = rng.normal(size=n_weights), np.insert(rng.integers(1, 51, size=(8, 4)), 0, 0, axis=1)
    labels = np.arange(8) % 2
    case = case_of(weights, tokens, labels, FOCUS, sizes)
    np.testing.assert_allclose(ask_worker(GRADIENT, case)["gradient"], ask_worker(DIFFERENCES, case), rtol=0, atol=1e-7)


@pytest.fixture
def double_model():
    """The Keras classifier in double precision."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")
    model = build_classifier()
    # Keras rounds 1 / sqrt(8) to single precision on its way, in a model of double precision too.
    model.get_layer("self_attn")._inverse_sqrt_key_dim = tf.constant(1 / np.sqrt(8), "float64")
    yield model
    keras.config.set_dtype_policy(before)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("focus", [0.0, FOCUS])
def test_the_gradient_is_that_of_keras_in_double_precision(ask_worker, double_model, seed, focus):
    weights, tokens, labels = draw_case(seed)
    classifier = classifier_of(weights, 6, sizes_of(None))
    np.testing.assert_array_equal(flat_weights(classifier, 6), weights)
    for name, variable in by_name(double_model.weights, 7).items():
        variable.assign(getattr(classifier, name).reshape(variable.shape))
    both = keras.Model(double_model.input, [double_model.output, attention_scores_of(double_model)])
    with tf.GradientTape() as tape:
        probability, scores = both(tokens)
        loss = tf.reduce_mean(keras.losses.binary_crossentropy(labels.astype(float), probability[:, 0]))
        row = scores[:, 0, 0]
        total = loss - focus * look_reward(tf.maximum(row, 1e-9))
    variables = by_name(double_model.trainable_variables, 7)
    gradients = tape.gradient(total, [variables[name] for name in AXES])  # in the order of the page's one array
    gradient = np.concatenate([np.ravel(tf.convert_to_tensor(one)) for one in gradients])
    assert np.abs(gradient).max() > 0.1, "a gradient of zeros would prove nothing"
    got = ask_worker(GRADIENT, case_of(weights, tokens, labels, focus))
    for name, wanted in {"loss": loss, "mean": np.mean(row, axis=0), "gradient": gradient}.items():
        np.testing.assert_allclose(got[name], wanted, rtol=0, atol=1e-9, err_msg=name)


def test_adam_takes_the_steps_of_keras(ask_worker):
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=20), rng.normal(size=(30, 20)) * 10.0 ** rng.integers(-9, 2, size=20)
    variable = keras.Variable(start, dtype="float64")
    optimizer = keras.optimizers.Adam(0.01)
    for gradient in gradients:
        optimizer.apply([tf.constant(gradient)], [variable])
    take = """({ start, gradients }) => {
      const [weights, adam] = [Float64Array.from(start), new Adam(start.length)];
      for (const gradient of gradients) adam.step(weights, Float64Array.from(gradient), 0.01);
      return [...weights];
    }"""
    got = ask_worker(take, {"start": start.tolist(), "gradients": gradients.tolist()})
    # Keras keeps its rate and its powers in single precision.
    np.testing.assert_allclose(got, variable.numpy(), rtol=0, atol=2e-6)


def test_first_weights_are_spread_as_keras_spreads_them(ask_worker):
    """The largest of each array over many seeds, and biases of 0; Keras draws other numbers from the same ranges."""
    draw = "(sizes) => Array.from({ length: 40 }, (_, seed) => [...firstWeights(sizes, seed)])"
    page = [classifier_of(one, 6, sizes_of(None)) for one in ask_worker(draw, SIZES)]
    python = [to_reader(build_classifier(seed=seed)) for seed in range(40)]
    for name in AXES:
        found, wanted = (np.stack([getattr(one, name) for one in all_]) for all_ in (page, python))
        np.testing.assert_allclose([found.min(), found.max()], [wanted.min(), wanted.max()], rtol=0.05, err_msg=name)
        np.testing.assert_allclose(found.std(), wanted.std(), rtol=0.06, err_msg=name)


DRAW = """(ask) => {
  const { tokens, labels, n, size } = drawTask(ask, 8000, 1);
  const rows = Array.from({ length: n }, (_, i) => [...tokens.subarray(i * size, (i + 1) * size)]);
  return { labels: [...labels], tokens: rows };
}"""


@pytest.mark.parametrize(
    ("changed", "ask", "yes", "elsewhere"),
    [
        ({"decoys": 0}, lambda t: t[:, 4] == 42, 1 / 50, 1 / 50),
        ({"decoys": 0.5}, lambda t: t[:, 4] == 42, 0.5, 0.5),
        ({"decoys": 0.3, "position": 2, "length": 9}, lambda t: t[:, 2] == 42, 0.5, 0.3),
        ({"question": "above", "target": 25, "decoys": 0}, lambda t: t[:, 4] > 25, 0.5, 1 / 50),
        ({"question": "equal", "decoys": 0}, lambda t: t[:, 4] == t[:, 2], 0.5, 1 / 50),
    ],
)
def test_sentences_are_drawn_as_in_python(ask_worker, changed, ask, yes, elsewhere):
    now = ASK | changed
    got = ask_worker(DRAW, now)
    tokens, labels = np.array(got["tokens"]), np.array(got["labels"])
    assert tokens.shape == (8000, now["length"] + 1) and (tokens[:, 0] == 0).all()
    assert tokens[:, 1:].min() == 1 and tokens.max() == 50
    np.testing.assert_array_equal(labels, ask(tokens))
    assert labels.mean() == pytest.approx(yes, abs=0.02)
    assert (tokens[:, 1] == now["target"]).mean() == pytest.approx(elsewhere, abs=0.02)


TRAIN = """([recipe, seeds]) => {
  const tasks = tasksOf(recipe);
  return seeds.map((seed) => {
    const training = new Training(recipe, tasks, seed);
    while (!training.done) training.advance();
    return [training.measured.accuracy, training.measured.look, training.rewardedFrom];
  });
}"""
RECIPE = ASK | {"reward": 0.3, "patience": 0.1, "rate": 0.01, "batch": 250, "epochs": 12}


@pytest.mark.parametrize(
    "changed", [{"position": 1, "length": 5}, {"position": 8, "target": 7, "length": 9}, {"question": "above"}]
)
def test_the_full_recipe_looks_elsewhere_too(ask_worker, changed):
    for accuracy, look, _ in ask_worker(TRAIN, [RECIPE | changed, [0, 1]]):
        assert accuracy >= 0.99 and look >= 0.99


def test_patience_waits_for_an_epoch_below_it(ask_worker):
    """The reward begins after the first epoch with a loss below it; 10 waits for nothing; 0 reward never counts."""
    begins = {
        (patience, reward): ask_worker(TRAIN, [RECIPE | {"patience": patience, "reward": reward}, [0]])[0][2]
        for patience, reward in ((10, 0.3), (1, 0.3), (0.1, 0.3), (0.1, 0))
    }
    assert begins[10, 0.3] == 0 and begins[1, 0.3] == 1 and begins[0.1, 0.3] > 1 and begins[0.1, 0] == -1


def test_one_seed_is_one_training(ask_worker):
    first, second, other = ask_worker(TRAIN, [RECIPE | {"epochs": 3}, [5, 5, 6]])
    assert first == second != other
