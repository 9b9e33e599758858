"""Published cards, writers that differ in one line of theirs, and classifiers that learn with few weights."""

import numpy as np
import pytest

from course_utils.checks.exercises.solutions import (
    attention_gradient,
    card_costs,
    gated_part,
    low_rank,
    shared_key_heads,
    window_mask,
)
from course_utils.models import adapter, card_reader
from course_utils.models.card_reader import LOCAL, PLAIN, VARIANTS, card_of, load_card_writer, load_cards, load_study
from course_utils.models.cls_reader import load_classifier
from course_utils.tasks.cls_task import make_task
from course_utils.tasks.review_task import make_reviews
from course_utils.tasks.writer_task import writing_rows

CARDS, TASK = load_cards(), make_reviews(40, split="held out", seed=3)
ROWS = writing_rows(TASK)[:, :-1]
# What the count of the lesson leaves out: GPT-2's positions and biases; norms of Gemma's parts, queries and keys.
LEFT_OUT = {
    "GPT-2 small": 768 * (1024 + 12 * (3 + 1 + 4 + 1 + 2) + 1),
    "Mistral 7B": 0,
    "Llama 3.1 8B": 0,
    "Gemma 3 1B": 26 * (2 * 1152 + 2 * 256),
}


@pytest.mark.parametrize("name", CARDS)
def test_a_card_counts_to_the_published_number_of_weights(name):
    assert card_costs(CARDS[name], 100)[0] + LEFT_OUT[name] == CARDS[name]["published"]


def test_the_cache_of_a_card_is_that_of_keys_and_values_layer_by_layer():
    gemma = CARDS["Gemma 3 1B"]
    assert gemma["layer_types"].count(LOCAL) == 22 and len(gemma["layer_types"]) == 26
    assert card_costs(gemma, 1000)[1] == 2 * 2 * 256 * (22 * 512 + 4 * 1000)
    assert card_costs(CARDS["Mistral 7B"], 5000)[1] == card_costs(CARDS["Mistral 7B"], 4096)[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_reader_gives_the_numbers_of_keras(variant):
    from course_utils.models.card_model import build_card_writer, to_card_writer

    card = card_of(variant)
    model, rng = build_card_writer(card, seed=1), np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(weight + 0.1 * rng.normal(size=weight.shape))
    scores = to_card_writer(model, card)(ROWS)
    np.testing.assert_allclose(scores, np.asarray(model(ROWS)), atol=1e-4)
    assert scores.std() > 0.1
    biases = sum(np.size(weight) for weight in model.weights if weight.path.endswith(("bias", "beta")))
    assert card_costs(card, 1)[0] + biases == model.count_params()


@pytest.mark.parametrize("variant", card_reader.SHIPPED)
def test_a_writer_runs_on_the_functions_of_the_lesson_and_gives_the_figures_of_the_study(variant):
    writer = load_card_writer(variant)
    masks = [window_mask(23, 4 if kind == LOCAL else 23) for kind in writer.card["layer_types"]]
    feed = {"feed": gated_part} if writer.card["gated"] else {}
    own = writer(ROWS, attend=shared_key_heads, masks=masks, **feed)
    np.testing.assert_allclose(own, writer(ROWS), atol=1e-3)
    import card_study

    row = next(row for row in load_study() if row["variant"] == variant and row["seed"] == 0)
    assert card_study.skill(writer) == pytest.approx({name: row[name] for name in ("nats", "near", "far")}, abs=1e-4)


def test_no_place_knows_what_lies_outside_its_mask():
    writer, changed = load_card_writer("window 4"), ROWS.copy()
    changed[:, 5] = (changed[:, 5] + 3) % 40
    moved = np.abs(writer(changed) - writer(ROWS)).max(axis=(0, 2)) > 1e-3  # (23,)
    assert moved[5:12].all() and not moved[:5].any() and not moved[12:].any()  # 6 places on, through two layers


def test_five_seeds_of_each_kind_and_what_they_show():
    seeds = {v: sorted(row["nats"] for row in load_study() if row["variant"] == v) for v in VARIANTS}
    assert {len(found) for found in seeds.values()} == {5}
    assert max(seeds["1 key head"] + seeds["2 key heads"] + seeds["gated"]) < min(seeds["plain"]) + 0.02
    assert min(seeds["window 4"]) > max(seeds["window 4, then all"] + seeds["plain"]) + 0.04
    assert max(row["far"] for row in load_study() if row["variant"] == "window 4") < 0.55
    rows = load_study("adapters")
    usual, focused = ([row for row in rows if row["start"] == start] for start in ("usual", "focused"))
    learned = sorted(row["new_after"] for row in focused)
    assert min(row["new_after"] for row in usual) > 0.95 and learned[2] < 0.51 and 0.7 < learned[3] < learned[4] < 0.85
    assert min(row["old_before"] for row in rows) > 0.7
    assert max(row["old_after"] for row in rows if row["new_after"] > 0.6) < 0.52


def test_the_gradient_of_the_keys_is_that_of_small_steps():
    classifier, task = load_classifier("usual"), make_task(200, position=2, decoys=0.5, seed=3)
    W = classifier.W_K.astype(float)
    gradient, _ = adapter.key_gradient(classifier, *task, W, attention_gradient)
    for place in ((0, 0), (3, 2), (7, 5)):
        step = np.zeros_like(W)
        step[place] = 1e-4
        low, high = (adapter.key_gradient(classifier, *task, W + s * step, attention_gradient)[1] for s in (-1, 1))
        assert gradient[place] == pytest.approx((high - low) / 2e-4, abs=1e-5)


def test_with_two_matrices_of_zeros_nothing_is_learned():
    _, dA, dB = low_rank(np.eye(3), np.zeros((3, 1)), np.zeros((1, 3)), lambda M: M + 1)
    assert not dA.any() and not dB.any()


@pytest.mark.parametrize(
    "call",
    [
        lambda: load_card_writer("2 key heads"),
        lambda: card_of("plane"),
        lambda: load_card_writer()(ROWS[:, :5] + 1000),
        lambda: load_card_writer()(np.zeros((1, 24), int)),
        lambda: load_card_writer()(ROWS, masks=[window_mask(23, 4)]),
        lambda: card_reader.right_side(np.zeros((3, 23, 59)), TASK),
        lambda: adapter.key_gradient(load_classifier("usual"), ROWS[:, :7] % 50, np.ones(3), np.eye(8), None),
        lambda: adapter.adam(lambda x: [x], [np.zeros(1)], steps=0),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_the_base_card_is_what_the_others_change():
    assert card_of("plain") == PLAIN and card_of("1 key head")["num_key_value_heads"] == 1
