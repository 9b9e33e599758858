"""The questions of the inventory: every option is computed, the wrong ones from the mistakes that the checks know.

A wrong option is what the named misconception gives, so whoever holds it finds an answer, and whoever does not finds
no second one that is right.
"""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from inventory_parts import mask_of

from course_utils.attention import scaled_dot_product_attention, sinusoidal_positions, softmax
from course_utils.checks.exercises import COURSE, exercise_of
from course_utils.inventory.items import FORMS, LETTERS, load, picture_of

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks" / "source").glob("*.py")}
ALL = load()
ITEMS = list(ALL.items.values())
every_item = pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)


def with_fault(exercise, id, nth=0):
    """The reference of an exercise with one of its faults; with "" as it should be."""
    known = exercise_of(exercise)
    if not id:
        return known.reference
    wrong = [fault for fault in known.faults if fault.id == id][nth]
    return lambda *arguments: known.reference(*arguments, **dict(wrong.switches))


def minus(text):
    return text.replace("-", "−")


# For each pair, what every option says: {"" for the right one, or the id of a misconception: the text}.


def largest_product(q, **keys):
    vectors = np.array(list(keys.values()), dtype=float)
    scores = {id: with_fault("scores", id)(np.array([q], dtype=float), vectors)[0] for id in
              ("", "product-cosine", "product-absolute", "product-distance")}  # fmt: skip
    for values in scores.values():
        best, second = np.sort(values)[:-3:-1]
        assert best - second > 0.02 * abs(best)  # nobody has to guess
    return {id: f"key {list(keys)[values.argmax()]}" for id, values in scores.items()}


def longer_vectors(product, query, key):
    q, k = np.array([1.0, 2.0]), np.array([product - 4.0, 2.0])  # any two vectors with this dot product
    assert q @ k == product
    told = {}
    for exercise, id in (("dot_product", ""), ("cosine", "cosine-one-length")):
        with_it = with_fault(exercise, id)
        told[id] = product * with_it(query * q, key * k) / with_it(q, k)
    for id in ("product-cosine", "product-absolute"):
        with_it = with_fault("scores", id)
        told[id] = (with_it(query * q[None], key * k[None]) / with_it(q[None], k[None])).item() * abs(product)
    told["product-cosine"] *= np.sign(product)  # the angle stays obtuse
    return {id: minus(f"{number:.0f}") for id, number in told.items()}


ORDINALS = ("first", "second", "third")


def same_weights(rows):
    told = {}
    for id in ("", "softmax-hard", "softmax-without-exp", "softmax-sigmoid"):
        weights = [with_fault("softmax", id)(np.array(row, dtype=float)) for row in rows]
        pairs = [(i, j) for i in range(3) for j in range(i) if np.allclose(weights[i], weights[j], atol=1e-3)]
        if len(pairs) == 1:
            ((later, earlier),) = pairs
            told[id] = f"the {ORDINALS[earlier]} and the {ORDINALS[later]}"
        else:
            told[id] = {0: "no two of them", 3: "all three"}[len(pairs)]
    return told


def division_forgotten(scores, d_k, root, weights):
    assert d_k == root**2
    scores = np.array(scores, dtype=float)
    assert softmax(scores).round(2).tolist() == weights
    told = {}
    for id in ("", "temperature-unused", "temperature-inverted", "temperature-after-softmax"):
        first, second = with_fault("temperature", id)(scores, 1 / root)
        told[id] = f"{first:.2f} and {second:.2f}" + ", as before" * (id == "temperature-unused")
    return told


def mixed_values(words, weights, values, asks):
    weights, V = np.array(weights), np.array(values, dtype=float)[:, None]
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    Q, K = np.log(weights), np.eye(3) * 3**0.5  # scores log(weights), so that attention has these weights
    ids = "", "weights-transposed", "value-mean", "value-largest"
    told = {id: with_fault("attention", id)(Q, K, V) for id in ids}
    told = {id: (output if output.ndim == 2 else np.tile(output, (3, 1)))[asks, 0] for id, output in told.items()}
    assert not np.isclose(told["value-mean"], values[asks])  # it stands for one misconception only
    return {id: f"{number:.0f}" for id, number in told.items()}


COUNTS = {5: "five", 6: "six"}


def what_reaches_others(words, changed, cases):
    before, told = np.random.default_rng(0).normal(size=(3, words, 4)), {}  # Q, K, V
    for id in ("", "query-value-swapped", "query-key-swapped", "value-unweighted"):
        reached = []
        for case in cases:
            after = before.copy()
            after[["query", "key", "value"].index(case), changed] += 1.0
            outputs = [with_fault("attention", id)(*one) for one in (before, after)]
            moved = np.abs(np.subtract(*outputs)).max(axis=1) > 1e-9
            others = np.delete(moved, changed)
            assert others.all() or not others.any()
            reached.append(bool(others.all()))
        told[id] = {
            (True, True): "in both cases", (True, False): "in case 1 only",
            (False, True): "in case 2 only", (False, False): "in neither case",
        }[tuple(reached)]  # fmt: skip
    return told


def whose_outputs(words, changed, back):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(words, 4))
    Y = X.copy()
    Y[changed] += 1.0
    mask, told = mask_of({"words": words, "back": back}), {}
    for id in ("", "mask-transposed", "mask-fixed", "mask-missing"):
        before, after = (with_fault("masked_weights", id)(Z, Z, mask) @ Z for Z in (X, Y))
        moved = np.flatnonzero(np.abs(before - after).max(axis=1) > 1e-9) + 1
        *most, last = map(str, moved)
        told[id] = f"those of words {', '.join(most)} and {last}"
        if len(moved) == words:
            told[id] = f"those of all {COUNTS[words]} words"
    return told


def always_the_same(pairs):
    told = {}
    for ordered, once in product((False, True), repeat=2):
        same = [all(answers_agree(*pair, ordered, once, seed) for seed in range(5)) for pair in pairs]
        ids = ["order-for-free"] * ordered + ["bag-presence"] * once
        told[" ".join(ids)] = {
            (True, True): "in both pairs", (True, False): "in pair 1 only",
            (False, True): "in pair 2 only", (False, False): "in neither pair",
        }[tuple(same)]  # fmt: skip
    return told


def answers_agree(one, other, ordered, once, seed):
    """Whether [CLS] gives one output for two texts in a random model; ordered, once: as a misconception sees it."""
    rng = np.random.default_rng(seed)
    vocabulary = sorted({*one.split(), *other.split()})
    E = dict(zip(["[CLS]", *vocabulary], rng.normal(size=(len(vocabulary) + 1, 6)), strict=True))
    matrices = rng.normal(size=(3, 6, 6))
    outputs = []
    for text in (one, other):
        tokens = ["[CLS]", *(dict.fromkeys(text.split()) if once else text.split())]
        X = np.array([E[token] for token in tokens]) + ordered * sinusoidal_positions(len(tokens), 6)
        outputs.append(scaled_dot_product_attention(*(X @ W for W in matrices)).output[0])
    return np.allclose(*outputs)


def tables_of_weights(tokens, width, heads):
    X, told = np.random.default_rng(0).normal(size=(tokens, width)), {}
    for id in ("", "heads-split-tokens", "heads-ignored"):
        parts = X[None] if id == "heads-ignored" else with_fault("split_heads", id)(X, heads)
        told[id] = scaled_dot_product_attention(parts, parts, parts).weights.shape
    parts = with_fault("split_heads", "")(X, heads)
    told["product-over-tokens"] = heads, *with_fault("scores", "product-over-tokens")(parts[0], parts[0]).shape
    return {id: f"{n} table{'s' * (n > 1)} of {rows} × {columns}" for id, (n, rows, columns) in told.items()}


def megabytes_of_weights(n_layers, n_heads, n, megabytes):
    assert with_fault("attention_bytes", "")(n[0], n_layers, n_heads[0], 4) == megabytes * 1e6
    told = {}
    for id in ("", "bytes-not-squared", "bytes-one-head", "bytes-added"):
        filled = [with_fault("attention_bytes", id)(n[i], n_layers, n_heads[i], 4) for i in (0, 1)]
        told[id] = f"{megabytes * filled[1] / filled[0]:.0f} MB"
    return told


def change_of_a_weight(weights, nudged, by):
    w, wish = np.array(weights), np.array([1.0, 0, 0])  # d weights[0] / d scores
    told = {}
    for id in ("", "gradient-weight-missing", "gradient-diagonal-only", "gradient-plus"):
        change = by * with_fault("softmax_gradient", id)(w, wish)[nudged]
        told[id] = minus(f"{change:+.2f}") if abs(change) > 1e-9 else "0: its own score stays"
    after = softmax(np.log(w) + by * np.eye(3)[nudged])[0] - w[0]  # the true change, not the slope
    texts = {id: 0.0 if text.startswith("0:") else float(text.replace("−", "-")) for id, text in told.items()}
    assert min(texts, key=lambda id: abs(texts[id] - after)) == ""
    return told


def larger_gradient(S, E, key):
    wish, told = -np.eye(3)[key], {}
    faults = {"": 0, "gradient-not-centred": 0, "gradient-untouched": 0, "gradient-weight-missing": 1}
    reasons = {
        "": "those of E, because its weights move more with its scores",
        "gradient-not-centred": f"those of S, because its {ORDINALS[key]} weight is larger",
        "gradient-untouched": "both the same, because a softmax passes a gradient on",
        "gradient-weight-missing": "those of S, because small weights have more room to grow",
    }
    for id, nth in faults.items():
        sizes = [np.abs(with_fault("softmax_gradient", id, nth)(np.array(w), wish)).max() for w in (S, E)]
        who = "both the same" if np.isclose(*sizes) else f"those of {'SE'[int(np.argmax(sizes))]}"
        assert reasons[id].startswith(who), (id, sizes)
        told[id] = reasons[id]
    return told


def how_many_found(n, yes, percent):
    possible = set()
    for found, alarms in product(range(yes + 1), range(n - yes + 1)):
        if yes - found + alarms == n - n * percent // 100:
            possible.add(found)
    assert possible == set(range(yes + 1)) and n * percent % 100 == 0
    labels, predictions = np.arange(n) < yes, np.arange(n) < 0  # always no has this accuracy
    assert (labels == predictions).mean() == percent / 100
    labels, predictions = labels.astype(int), predictions.astype(int)
    told = {
        id: yes * with_fault("recall", id)(labels, predictions) for id in ("recall-is-accuracy", "recall-is-base-rate")
    }
    told = {id: f"about {number:.0f}" for id, number in told.items()}
    none = with_fault("recall", "")(labels, predictions)
    assert none == 0
    return told | {"": f"it may be any number from 0 to {yes}", "always-no": "none"}


def what_follows(n, weights, turned, names):
    """The statements of the last pair, where the numbers make them true or false."""
    (heavy, light), (heavy_turned, light_turned, random) = names, turned
    assert weights[0] > weights[1]
    assert light_turned > n / 2 and max(heavy_turned, random) < n / 20
    kind = "verdicts" if heavy == "the full stop" else "answers"
    return {
        "": f"The {kind} depend on {light}, although its weight is small.",
        "plan-importance": f"The {kind} depend most on {heavy}, because it has the most weight.",
        "study-no-control": f"{light.capitalize()} is nothing special, because hiding any word breaks a model.",
        "hiding-shows-nothing": "Nothing follows, because only weights show what a model uses.",
    }


COMPUTED = (
    largest_product, longer_vectors, same_weights, division_forgotten, mixed_values, what_reaches_others, whose_outputs,
    always_the_same, tables_of_weights, megabytes_of_weights, change_of_a_weight, larger_gradient, how_many_found,
    what_follows,
)  # fmt: skip


@every_item
def test_every_option_is_what_the_course_or_a_mistake_gives(item):
    told = COMPUTED[item.pair - 1](**item.given)
    assert len(set(told.values())) == len(LETTERS)
    assert {" ".join(option.mistakes): option.text for option in item.options} == told


PLACES = ("changed", "asks", "nudged", "back", "key")  # said in words: "the second word"
IN_WORDS = {4: "four", 5: "five", 6: "six", 8: "eight", 2: "two"}


def numbers_of(value):
    if isinstance(value, list | dict):
        return [n for part in (value.values() if isinstance(value, dict) else value) for n in numbers_of(part)]
    return [value] if isinstance(value, int | float) else []


@every_item
def test_the_numbers_of_a_question_stand_in_its_text_or_its_picture(item):
    told = minus(f"{item.question} {picture_of(item)[1]}").lower()
    given = {name: value for name, value in item.given.items() if item.pair == 2 or name not in PLACES}
    for number in numbers_of(given):
        digits = rf"(?<![\d.−]){re.escape(minus(f'{number:g}'))}(?![\d.]*\d)"
        assert re.search(rf"{digits}|\b{IN_WORDS.get(number, digits)}\b", told), number


@every_item
def test_a_misconception_is_known_to_the_checks_or_has_a_place_in_a_lesson(item):
    for id in {id for option in item.options for id in option.mistakes}:
        assert id in COURSE.mistakes or id in ALL.misconceptions, id


@pytest.mark.parametrize("pair", range(1, 15))
def test_the_forms_are_parallel(pair):
    a, b = (ALL.items[f"{form}{pair}"] for form in FORMS)
    assert (a.concept, a.step, bool(a.picture)) == (b.concept, b.step, bool(b.picture))
    assert a.given != b.given and a.question != b.question
    shared = {option.mistakes for option in a.options} & {option.mistakes for option in b.options}
    assert len(shared) == 4
