"""The exercises of lesson 14: reading attention."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_14 import PROMISED
from course_utils.checks.lessons.shared import NO_NEGATIVE, ROWS_SUM, digits, f1, spread


def balanced_accuracy(labels, predictions, *, join=lambda r, s: (r + s) / 2, whole=None):
    """Return the mean of the shares of right answers in both classes."""
    if whole:
        return whole(labels, predictions)
    return join(predictions[labels == 1].mean(), 1 - predictions[labels == 0].mean())


def uniform_attention(weights, *, even=lambda W: np.full(W.shape, 1 / W.shape[-1])):
    """Return weights of the same shape in which every key of a row counts the same."""
    return even(weights)


def at_key(weights, key):
    return np.arange(weights.shape[-1]) == np.reshape(key, (-1, 1))  # (1 or n, n_keys)


def rows_sum(weights):
    return weights.sum(-1, keepdims=True)


def grown(left, weights, here):
    return left * rows_sum(weights) / rows_sum(left)


def hide(weights, key, *, place=at_key, regrow=grown):
    """Return weights (n, n_keys) with 0 at the key, one or (n,); the others grow, so that each row keeps its sum."""
    here = place(weights, key)
    return regrow(np.where(here, 0, weights), weights, here)


def swap(
    tokens,
    at,
    one,
    other,
    *,
    place=lambda at: at,
    new=lambda old, one, other: np.where(old == one, other, one),
    whole=None,
):
    """Return tokens (n, seq_len) in which `at`, one position or (n,), holds `other` for `one`, and else `one`."""
    if whole:
        return whole(tokens, at, one, other)
    changed, n = tokens.copy(), np.arange(len(tokens))
    changed[n, place(at)] = new(tokens[n, place(at)], one, other)
    return changed


def sentences(*rows):
    return (np.stack(digits(*rows)),)


def swap_columns(tokens, at, one, other):
    """Swap at all these positions in every sentence."""
    changed = tokens.copy()
    changed[:, at] = np.where(tokens[:, at] == one, other, one)
    return changed


def total_variation(rows, row):
    return np.abs(rows - row).sum(-1) / 2


def furthest_row(
    row,
    answer,
    candidates,
    answers,
    tolerance,
    *,
    fits=lambda given, answer, tolerance: abs(given - answer) < tolerance,
    distance=total_variation,
    choose=np.nanargmax,
    last=lambda candidates, distances, i: (candidates[i], distances[i]),
):
    """Return the candidate furthest from `row` whose answer hardly differs, and its distance; `row` where none does."""
    fitting = np.broadcast_to(fits(answers, answer, tolerance), answers.shape)
    if not fitting.any():
        return row, 0.0
    distances = np.where(fitting, distance(candidates, row), np.nan)
    return last(candidates, distances, choose(distances))


def candidates(m, n, seed, tolerance, near=0.5):
    """Return a row, its answer, m candidates and their answers, of which a share lies near, and the others anywhere."""
    rng = np.random.default_rng(seed)
    row, *others = rng.dirichlet(np.ones(n), size=m + 1)
    answer = rng.uniform(0.55, 0.7)
    small, large = rng.uniform(0.1, 0.9, m) * tolerance, rng.uniform(1.3 * tolerance, 0.29, m)
    answers = answer + np.where(rng.random(m) < near, small, large) * rng.choice([-1, 1], m)
    return row, answer, np.array(others), answers, tolerance


def first_that_fits(distances):
    return np.flatnonzero(~np.isnan(distances))[0]


# The four sentences of document 004 that the lesson tests, each with the experiment that could refute it.
PLAN = ("new context", "hide the top", "new meanings", "compare")
LEFT_OVER = "score"


def judge_plan(answer):
    """Say what is found in the names of four experiments, one for each sentence."""
    named = list(answer) if isinstance(answer, list | tuple) else []
    if len(named) != len(PLAN) or any(name not in (*PLAN, LEFT_OVER) for name in named):
        names = ", ".join(f'"{name}"' for name in sorted((*PLAN, LEFT_OVER)))  # in no order that tells
        return not_yet("not-a-value", f"Four names are wanted, one for each sentence, out of these: {names}.")
    if LEFT_OVER in named:
        return not_yet("plan-score")
    ids = ("plan-context", "plan-importance", "plan-meaning", "plan-rows")
    wrong = [id for id, name, wanted in zip(ids, named, PLAN, strict=True) if name != wanted]
    return first_of(wrong)


EXERCISES = (
    Exercise(
        name="balanced_accuracy",
        reference=balanced_accuracy,
        solution=solutions.balanced_accuracy,
        arguments=("labels", "predictions"),
        gives={"the balanced accuracy": "one number"},
        **PROMISED["balanced_accuracy"],
        probes=(
            digits("110010111000", "100011010010"),
            digits("101100010011", "001101110001"),
            digits("0100101000", "1100111000"),
            digits("110010000", "000000000"),
            digits("11010", "11110"),
        ),
        facts=((lambda a: a.min() >= 0 and a.max() <= 1, "A balanced accuracy lies between 0 and 1."),),
        hint="A model that always answers no gets 0.5.",
        faults=(
            fault("balanced-is-accuracy", whole=lambda y, p: (y == p).mean()),
            fault("balanced-is-recall", join=lambda r, s: r),
            fault("balanced-is-specificity", join=lambda r, s: s),
            fault("balanced-not-halved", join=lambda r, s: r + s),
            fault("balanced-not-halved", join=lambda r, s: r + s - 1),
            fault("balanced-product", join=lambda r, s: r * s),
            fault("balanced-product", join=lambda r, s: (r * s) ** 0.5),
            fault("balanced-product", join=min),
            fault("balanced-precision", whole=lambda y, p: ((y * p).sum() / y.sum() + (y * p).sum() / p.sum()) / 2),
            fault("balanced-precision", whole=f1),
            fault("balanced-false-alarms", join=lambda r, s: (r + 1 - s) / 2),
            fault("recall-percent", join=lambda r, s: 50 * (r + s)),
        ),
    ),
    Exercise(
        name="uniform_attention",
        reference=uniform_attention,
        solution=solutions.uniform_attention,
        arguments=("weights",),
        gives={"the weights": "the shape of the weights"},
        **PROMISED["uniform_attention"],
        probes=(spread((4, 5), 1), spread((4, 5), 2), spread((2, 3, 6), 3), spread((3, 3), 4)),
        facts=(NO_NEGATIVE, ROWS_SUM),
        hint="Each row sums to 1, and no key of it counts more than another.",
        faults=(
            fault("uniform-queries", even=lambda W: np.full(W.shape, 1 / W.shape[-2])),
            fault("uniform-queries", even=lambda W: np.full(W.shape, 1 / len(W))),
            fault("uniform-root", even=lambda W: np.full(W.shape, W.shape[-1] ** -0.5)),
            fault("uniform-everything", even=lambda W: np.full(W.shape, 1 / W.size)),
            fault("uniform-ones", even=np.ones_like),
            fault("uniform-ones", even=np.zeros_like),
            fault("uniform-average", even=lambda W: np.broadcast_to(W.mean(-2, keepdims=True), W.shape)),
            fault("uniform-average", even=lambda W: np.broadcast_to(W.mean(0), W.shape)),
            fault("uniform-one-row", even=lambda W: np.full(W.shape[-1], 1 / W.shape[-1])),
            fault("uniform-one-row", even=lambda W: 1 / W.shape[-1]),
            fault("uniform-unchanged", even=lambda W: W),
        ),
    ),
    Exercise(
        name="hide",
        reference=hide,
        solution=solutions.hide,
        arguments=("weights", "key"),
        gives={"the weights": "(n, n_keys)"},
        **PROMISED["hide"],
        probes=(
            (spread((4, 5), 1)[0], 3),
            (spread((4, 5), 2)[0], 1),
            (0.8 * spread((4, 5), 3)[0], np.array([3, 1, 3, 4])),
            (spread((5, 6), 4)[0] * np.array([[0.5], [1.0], [2.0], [1.0], [0.7]]), np.array([2, 2, 0, 4, 0])),
            (1.5 * spread((3, 4), 5)[0], 2),
        ),
        facts=(NO_NEGATIVE,),
        hint="The key gets nothing, and what it had goes to the others, in the proportion in which they stand.",
        faults=(
            fault("hide-lost", regrow=lambda left, W, here: left),
            fault("hide-sums-to-one", regrow=lambda left, W, here: left / rows_sum(left)),
            fault(
                "hide-shared-evenly",
                regrow=lambda left, W, here: left + ~here * rows_sum(W - left) / (W.shape[-1] - 1),
            ),
            fault(
                "hide-shared-evenly",
                regrow=lambda left, W, here: left + rows_sum(W - left) / W.shape[-1],
            ),
            fault("hide-made-even", regrow=lambda left, W, here: ~here * rows_sum(W) / (W.shape[-1] - 1)),
            fault(
                "hide-softmax",
                regrow=lambda left, W, here: np.where(here, 0, np.exp(W)) / rows_sum(np.where(here, 0, np.exp(W))),
            ),
            fault("hide-softmax", regrow=lambda left, W, here: np.exp(left) / rows_sum(np.exp(left))),
            fault("hide-others", place=lambda W, key: ~at_key(W, key)),
            fault("hide-all-of-them", place=lambda W, key: np.isin(np.arange(W.shape[-1]), key)[None]),
            fault("hide-same-for-all", place=lambda W, key: at_key(W, np.ravel(key)[0])),
            fault("hide-off-by-one", place=lambda W, key: at_key(W, np.subtract(key, 1) % W.shape[-1])),
            fault("hide-highest", place=lambda W, key: at_key(W, W.argmax(-1))),
        ),
    ),
    Exercise(
        name="swap",
        reference=swap,
        solution=solutions.swap,
        arguments=("tokens", "at", "one", "other"),
        gives={"the tokens": "(n, seq_len)"},
        **PROMISED["swap"],
        probes=(
            (*sentences("07437", "03773", "07317", "01233", "03334"), 3, 7, 3),
            (*sentences("07337", "03773", "07347", "01273", "04733"), 2, 3, 4),
            (*sentences("07437", "03773", "07717", "01233"), np.array([1, 2, 4, 1]), 7, 3),
            (*sentences("0535", "0553", "0111", "0355", "0533"), np.array([3, 2, 1, 3, 1]), 5, 3),
        ),
        hint="One place of each sentence changes, and no sentence stays as it was.",
        faults=(
            fault("swap-one-way", new=lambda old, one, other: np.where(old == one, other, old)),
            fault("swap-put-one", new=lambda old, one, other: one),
            fault("swap-put-one", new=lambda old, one, other: other),
            fault("swap-other-way", new=lambda old, one, other: np.where(old == one, one, other)),
            fault("swap-roles", new=lambda old, one, other: np.where(old == other, one, other)),
            fault(
                "swap-these-two-only",
                new=lambda old, one, other: np.select([old == one, old == other], [other, one], old),
            ),
            fault("swap-everywhere", whole=lambda T, at, one, other: np.where(one == T, other, one)),
            fault("swap-everywhere", whole=lambda T, at, one, other: np.where(one == T, other, T)),
            fault("swap-columns", whole=swap_columns),
            fault("swap-same-for-all", place=lambda at: np.ravel(at)[0]),
            fault("swap-off-by-one", place=lambda at: np.subtract(at, 1)),
        ),
    ),
    Exercise(
        name="furthest_row",
        reference=furthest_row,
        solution=solutions.furthest_row,
        arguments=("row", "answer", "candidates", "answers", "tolerance"),
        gives={"the row": "(n_keys,)", "its distance": "one number"},
        **PROMISED["furthest_row"],
        probes=(
            candidates(12, 4, 1, 0.05),
            candidates(12, 4, 2, 0.05),
            candidates(15, 6, 3, 0.1, near=0.7),
            candidates(20, 5, 4, 0.02),
            candidates(16, 3, 5, 0.04, near=0.7),
            candidates(16, 4, 6, 0.04, near=0.3),
            candidates(16, 4, 7, 0.04, near=0.8),
            candidates(16, 4, 8, 0.04, near=0.3),
            candidates(16, 4, 9, 0.04, near=0.3),
            candidates(16, 4, 11, 0.04, near=0.3),
            candidates(16, 4, 12, 0.04, near=0.3),
        ),
        hint="First ask which candidates answer as the model does; among those, the largest distance wins.",
        faults=(
            fault("furthest-not-halved", distance=lambda rows, row: np.abs(rows - row).sum(-1)),
            fault("furthest-mean", distance=lambda rows, row: np.abs(rows - row).mean(-1)),
            fault("furthest-euclidean", distance=lambda rows, row: np.sqrt(((rows - row) ** 2).sum(-1))),
            fault("furthest-euclidean", distance=lambda rows, row: ((rows - row) ** 2).sum(-1)),
            fault("furthest-one-key", distance=lambda rows, row: np.abs(rows - row).max(-1)),
            fault("furthest-nearest", choose=np.nanargmin),
            fault("furthest-first", choose=first_that_fits),
            fault("furthest-any-answer", fits=lambda given, answer, tolerance: True),
            fault("furthest-same-verdict", fits=lambda given, answer, tolerance: (given >= 0.5) == (answer >= 0.5)),
            fault("furthest-other-answers", fits=lambda given, answer, tolerance: abs(given - answer) > tolerance),
            fault("furthest-gap-signed", fits=lambda given, answer, tolerance: given - answer < tolerance),
            fault("furthest-gap-signed", fits=lambda given, answer, tolerance: answer - given < tolerance),
            fault("furthest-index", last=lambda candidates, distances, i: (i, distances[i])),
        ),
    ),
    Value(
        name="experiments",
        judge=judge_plan,
        wanted="four names of experiments, in the order of the sentences",
        ids=("plan-score", "plan-context", "plan-importance", "plan-meaning", "plan-rows"),
    ),
)
