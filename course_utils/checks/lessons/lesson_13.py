"""The exercises of lesson 13: a reward for looking, and when it may begin. The rewards are written in Keras."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_13 import PROMISED
from course_utils.checks.lessons.shared import rows_of_weights

LEARNED = 0.1


def over_batch(W):
    return W.mean(0)


def look_reward(
    weights,
    *,
    average=over_batch,
    choose=np.argmax,
    pick=lambda W, favourite: W[:, favourite],
    log=np.log,
    reduce=np.mean,
    last=lambda r: r,
    whole=None,
):
    """Return the mean log weight on the favourite of a batch, weights (batch, n)."""
    return last(whole(weights) if whole else reduce(log(pick(weights, choose(average(weights))))))


def patience(losses, focus, *, low=lambda x: x < LEARNED, when=np.any, yes=lambda focus: focus, no=lambda focus: 0.0):
    """Return the focus of the next epoch, given the losses (n_epochs,) so far."""
    return yes(focus) if when(low(np.asarray(losses))) else no(focus)


def stalled(losses, epochs):
    """Tell whether so many epochs have passed since the lowest loss: the patience of early stopping."""
    return losses.size > 0 and losses.size - 1 - losses.argmin() >= epochs


def the_most(row, k):
    return np.argsort(-row)[:k]


def set_reward(
    weights,
    n_places,
    *,
    average=over_batch,
    choose=the_most,
    join=lambda taken: taken.sum(1),
    log=np.log,
    reduce=np.mean,
    last=lambda r: r,
    whole=None,
):
    """Return the mean log of the weight on the n_places favourites of a batch together, weights (batch, n)."""
    if whole:
        return last(whole(weights, n_places))
    return last(reduce(log(join(weights[:, choose(average(weights), n_places)]))))


def votes(W):
    """How many sentences look at each place most."""
    return np.bincount(W.argmax(1), minlength=W.shape[1])


def not_cls(row):
    return row[1:].argmax() + 1


# What both rewards may do wrong.
SHARED = (
    fault("reward-leaves-keras", last=lambda r: np.full_like(r, np.nan)),
    fault("reward-sign", last=lambda r: -r),
    fault("reward-log-missing", log=lambda w: w),
    fault("reward-log-base", log=np.log2),
    fault("reward-log-base", log=np.log10),
    fault("reward-mean-missing", reduce=lambda logs: logs),
    fault("reward-mean-missing", reduce=np.sum),
    fault("reward-first-sentence", average=lambda W: W[0]),
    fault("reward-first-sentence", average=lambda W: W[-1]),
)
# The mean, the vote, the first sentence and the last one all have another favourite.
TORN = np.array(
    [[1, 8, 2, 20, 1], [16, 10, 2, 3, 1], [15, 13, 1, 1, 2], [13, 11, 3, 2, 3], [1, 28, 1, 1, 1], [1, 9, 2, 1, 19]]
)
TORN = TORN / 32

EXERCISES = (
    Exercise(
        name="look_reward",
        reference=look_reward,
        solution=solutions.look_reward,
        arguments=("weights",),
        adapt="keras_answers.of_reward",
        course="cls_rewards.look_reward",
        gives={"the reward": "one number"},
        **PROMISED["look_reward"],
        probes=(
            (rows_of_weights(6, 7, seed=1, towards=2),),
            (rows_of_weights(6, 7, seed=2, towards=5),),
            (TORN,),
            (rows_of_weights(4, 5, seed=3, towards=0),),
            (rows_of_weights(9, 6, seed=4, towards=3),),
        ),
        facts=((lambda r: np.all(r <= 0), "The log of a weight is never above 0, so a reward is not either."),),
        hint="Find the favourite of the whole batch first, then look at its weight in each sentence.",
        faults=(
            *SHARED,
            fault("reward-each-sentence", whole=lambda W: np.log(W.max(1)).mean()),
            fault("reward-each-sentence", whole=lambda W: W.max(1).mean()),
            fault("reward-log-of-mean", whole=lambda W: np.log(over_batch(W).max())),
            fault("reward-position-fixed", choose=lambda row: 4),
            fault("reward-position-fixed", choose=lambda row: 3),
            fault("reward-axis", choose=lambda row: 0),  # the means of rows that sum to 1 are all alike
            fault("reward-least", choose=np.argmin),
            fault("reward-without-cls", choose=not_cls),
            fault("reward-without-cls", choose=lambda row: row[1:].argmax()),
            fault("reward-sentence-taken", pick=lambda W, favourite: W[favourite]),
            fault("reward-vote", average=votes),
            fault("reward-every-place", whole=lambda W: np.log(W).mean()),
            fault("reward-every-place", whole=lambda W: np.log(W).sum(1).mean()),
            fault("reward-entropy", whole=lambda W: (W * np.log(W)).sum(1).mean()),
            fault("reward-is-position", whole=lambda W: over_batch(W).argmax()),
        ),
    ),
    Exercise(
        name="patience",
        reference=patience,
        solution=solutions.patience,
        arguments=("losses", "focus"),
        gives={"the focus": "one number"},
        **PROMISED["patience"],
        probes=(
            (np.array([0.7, 0.6, 0.3, 0.05]), 0.3),
            (np.array([0.7, 0.4, 0.2, 0.15]), 0.3),
            (np.array([0.6, 0.08, 0.2]), 0.5),
            (np.array([0.69, 0.68, 0.67, 0.66, 0.4, 0.3]), 0.2),
            (np.array([0.15, 0.05, 0.04]), 0.7),
            (np.array([0.05]), 0.3),
            (np.array([0.5]), 0.4),
            (np.array([0.69, 0.5, 0.07, 0.3, 0.2]), 0.25),
            (np.array([0.03, 0.005]), 0.6),
            (np.array([0.04, 0.5, 0.6]), 0.6),
            (np.array([0.69, 0.6, 0.64, 0.66, 0.6]), 0.35),  # here nothing gets better, and nothing is learned
            (np.array([0.68, 0.69, 0.7]), 0.45),
            (np.array([0.6, 0.05, 0.06, 0.07, 0.09]), 0.55),
        ),
        hint="The losses say when the model has learned the task; the number of epochs does not.",
        faults=(
            fault("patience-last-only", when=lambda low: low[-1]),
            fault("patience-first-only", when=lambda low: low[0]),
            fault("patience-all", when=np.all),
            fault("patience-counts-epochs", when=lambda low: len(low) >= 4),
            fault("patience-counts-epochs", when=lambda low: len(low) > 4),
            fault("patience-counts-epochs", when=lambda low: len(low) >= 3),
            fault("patience-counts-epochs", when=lambda low: len(low) >= 2),
            fault("patience-none", when=lambda low: True),
            fault("patience-never", when=lambda low: False),
            fault("patience-inverted", when=lambda low: not low.all()),
            fault("patience-inverted", when=lambda low: not low.any()),
            fault("patience-early-stopping", low=lambda x: stalled(x, 2)),
            fault("patience-early-stopping", low=lambda x: stalled(x, 3)),
            fault("patience-mean", low=lambda x: np.mean(x) < LEARNED),
            fault("patience-threshold", low=lambda x: x < 0.01),
            fault("patience-threshold", low=lambda x: x < 0.5),
            fault("patience-focus-fixed", yes=lambda focus: 0.3),
            fault("patience-truth", yes=lambda focus: True),
            fault("patience-nothing-before", no=lambda focus: np.nan),
        ),
    ),
    Exercise(
        name="set_reward",
        reference=set_reward,
        solution=solutions.set_reward,
        arguments=("weights", "n_places"),
        adapt="keras_answers.of_reward",
        course="cls_rewards.set_reward",
        gives={"the reward": "one number"},
        **PROMISED["set_reward"],
        probes=(
            (rows_of_weights(6, 7, seed=1, towards=2), 2),
            (rows_of_weights(6, 7, seed=2, towards=5), 3),
            (TORN, 2),
            (rows_of_weights(4, 5, seed=3, towards=0), 3),
            (rows_of_weights(9, 6, seed=4, towards=3), 4),
            (rows_of_weights(5, 6, seed=5, towards=1), 1),
        ),
        facts=((lambda r: np.all(r <= 0), "The log of a share is never above 0, so a reward is not either."),),
        hint="Choose the places for the whole batch, and add their weights up in each sentence.",
        faults=(
            *SHARED,
            fault("set-each-sentence", whole=lambda W, k: np.log(np.sort(W, 1)[:, -k:].sum(1)).mean()),
            fault("set-log-each", join=lambda taken: taken),
            fault("set-log-each", whole=lambda W, k: np.log(W[:, the_most(over_batch(W), k)]).sum(1).mean()),
            fault("set-mean", join=lambda taken: taken.mean(1)),
            fault("set-batch-added", join=lambda taken: taken.sum(0)),
            fault("set-log-of-mean", whole=lambda W, k: np.log(np.sort(over_batch(W))[-k:].sum())),
            fault("set-log-of-mean", whole=lambda W, k: np.log(np.sort(over_batch(W))[-k:]).mean()),
            fault("set-number-fixed", choose=lambda row, k: the_most(row, 2)),
            fault("set-one-place", choose=lambda row, k: the_most(row, 1)),
            fault("set-one-place", choose=lambda row, k: the_most(row, k)[-1:]),
            fault("set-least", choose=lambda row, k: np.argsort(row)[:k]),
            fault("set-first-places", choose=lambda row, k: np.arange(k)),
            fault("set-without-cls", choose=lambda row, k: the_most(row[1:], k) + 1),
            fault("set-vote", average=votes),
        ),
    ),
)
