"""The exercises of lesson 15: reviews, twins, and a look that is cut."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_15 import PROMISED, barely, coarse, reviews
from course_utils.checks.lessons.shared import SENSE_FAULTS, digits


def verdict_label(good, negations, *, turn=lambda n: n % 2, join=lambda g, t: g != t, last=lambda y: y):
    """Return the verdicts (n,): good (n,): is the adjective a good word? negations (n,): how often is it negated?"""
    return last(np.multiply(join(good, turn(negations)), 1))


def twins_told_apart(
    labels,
    predictions,
    *,
    right=lambda y, p: y == p,
    pairs=lambda hits: hits.reshape(-1, 2),
    both=lambda hits: hits.all(axis=-1),
    last=np.mean,
):
    """Return the share of pairs (rows 2i and 2i + 1) in which both predictions are right."""
    return last(both(pairs(right(labels, predictions))))


def cut_edge(n, query, key, *, places=lambda n, q, k: (q, k), sense=lambda mask: mask):
    """Return the mask (n, n) in which every query may look at every key, except this one at this one."""
    mask = np.ones((n, n), dtype=bool)
    where = places(n, query, key)
    if where:
        mask[where] = False
    return sense(mask)


def edges_cut(tokens, queries, keys):
    """Return masks (n_reviews, n, n) without these edges: queries and keys (n_reviews, n_cuts)."""
    masks = np.ones((*tokens.shape, tokens.shape[-1]), dtype=bool)
    masks[np.arange(len(tokens))[:, None], queries, keys] = False
    return masks


def turned_by_cut(
    read,
    tokens,
    queries,
    keys,
    *,
    edges=lambda queries, keys: (queries, keys),
    masks=edges_cut,
    sense=lambda masks: masks,
    praise=lambda p: p >= 0.5,
    compare=lambda p, q, praise: praise(p) != praise(q),
    last=np.mean,
):
    """Return the share of verdicts that turn when edges are cut: queries and keys (n_reviews, n_cuts).

    read(tokens, masks) gives probabilities (n_reviews,).
    """
    cut = masks(tokens, *edges(np.asarray(queries), np.asarray(keys)))
    return last(compare(read(tokens, sense(np.ones_like(cut))), read(tokens, sense(cut)), praise))


# The doubts about a cut that the lesson names, each with the control that answers it.
CONTROLS = ("amazing -> not", "good -> movie", "all -> not")
NO_CONTROLS = ("not -> good", "[CLS] -> good")


def judge_controls(answer):
    """Say what is found in the names of three cuts, one for each doubt."""
    named = list(answer) if isinstance(answer, list | tuple) else []
    if len(named) != len(CONTROLS) or any(name not in CONTROLS + NO_CONTROLS for name in named):
        names = ", ".join(f'"{name}"' for name in sorted(CONTROLS + NO_CONTROLS))  # in no order that tells
        return not_yet("not-a-value", f"Three names are wanted, one for each doubt, out of these: {names}.")
    for name, id in zip(NO_CONTROLS, ("control-both-ends", "control-later"), strict=True):
        if name in named:
            return not_yet(id)
    ids = ("control-same-key", "control-same-query", "control-all-ways")
    wrong = [id for id, name, wanted in zip(ids, named, CONTROLS, strict=True) if name != wanted]
    return first_of(wrong)


EXERCISES = (
    Exercise(
        name="verdict_label",
        reference=verdict_label,
        solution=solutions.verdict_label,
        arguments=("good", "negations"),
        gives={"the labels": "(n,)"},
        **PROMISED["verdict_label"],
        probes=(
            digits("1100110101", "0120312002"),
            digits("0110100110", "1102201320"),
            digits("10011", "32001"),
            digits("0101", "0312"),
        ),
        facts=((lambda y: np.isin(y, (0, 1)).all(), "A label is 0 or 1."),),
        hint="Say it aloud: never not good. How often did the verdict turn?",
        faults=(
            fault("verdict-negation-unused", turn=lambda n: 0 * n),
            fault("verdict-any-negation", turn=lambda n: n > 0),
            fault("verdict-two-is-none", turn=lambda n: n == 1),
            fault("verdict-two-is-none", turn=lambda n: n == 2),
            fault("verdict-adjective-unused", join=lambda g, t: t),
            fault("verdict-adjective-unused", join=lambda g, t: 1 - t),
            fault("verdict-bad-stays-bad", join=lambda g, t: g * (1 - t)),
            fault("verdict-negated-is-good", join=lambda g, t: np.maximum(g, t)),
            fault("verdict-inverted", last=lambda y: 1 - y),
            fault("verdict-added", join=lambda g, t: g + t),
            fault("verdict-added", join=lambda g, t: g - t),
            fault("label-signs", last=lambda y: 2 * y - 1),
        ),
    ),
    Exercise(
        name="twins_told_apart",
        reference=twins_told_apart,
        solution=solutions.twins_told_apart,
        arguments=("labels", "predictions"),
        gives={"the share of pairs": "one number"},
        **PROMISED["twins_told_apart"],
        probes=(
            digits("10011001011010011001", "10010101111000011010"),
            digits("01100110100101100101", "01100010101111000101"),
            digits("1010010110", "1001010010"),
            digits("011001", "000001"),
            digits("10010110", "10010110"),
            digits("1001", "0110"),
        ),
        facts=((lambda r: r.min() >= 0 and r.max() <= 1, "A share lies between 0 and 1."),),
        hint="A pair counts once, and only if both of its predictions are right.",
        faults=(
            fault("twins-one-by-one", both=lambda hits: hits),
            fault("twins-one-is-enough", both=lambda hits: hits.any(axis=-1)),
            fault("twins-first-only", both=lambda hits: hits[..., 0]),
            fault("twins-first-only", both=lambda hits: hits[..., 1]),
            fault("twins-only-different", both=lambda hits: hits[..., 0] == hits[..., 1]),  # labels differ in each pair
            fault("twins-far-apart", pairs=lambda hits: hits.reshape(2, -1).T),
            fault("twins-neighbours", pairs=lambda hits: np.stack([hits, np.roll(hits, -1)], axis=-1)),
            fault("twins-neighbours", pairs=lambda hits: np.stack([hits[:-1], hits[1:]], axis=-1)),
            fault("twins-not-divided", last=np.sum),
            fault("twins-per-review", last=lambda told: told.sum() / (2 * len(told))),
            fault("twins-missed", last=lambda told: 1 - told.mean()),
            fault("recall-percent", last=lambda told: 100 * told.mean()),
        ),
    ),
    Exercise(
        name="cut_edge",
        reference=cut_edge,
        solution=solutions.cut_edge,
        arguments=("n", "query", "key"),
        gives={"the mask": "(n, n)"},
        **PROMISED["cut_edge"],
        probes=((6, 4, 1), (6, 2, 5), (5, 3, 1), (7, 1, 4)),
        axes=("query", "key"),
        hint="One look is taken away, and every other one stays.",
        faults=(
            fault("cut-nothing", places=lambda n, q, k: ()),
            fault("cut-other-way", places=lambda n, q, k: (k, q)),
            fault("cut-both-ways", places=lambda n, q, k: ([q, k], [k, q])),
            fault("cut-whole-query", places=lambda n, q, k: (q,)),
            fault("cut-two-rows", places=lambda n, q, k: ([q, k],)),
            fault("cut-whole-key", places=lambda n, q, k: (slice(None), k)),
            fault("cut-whole-key", places=lambda n, q, k: (np.arange(n) != k, k)),
            fault("cut-cross", places=lambda n, q, k: (np.add.outer(np.arange(n) == q, np.arange(n) == k),)),
            fault("cut-neighbour", places=lambda n, q, k: (q - 1, k - 1)),
            fault("cut-neighbour", places=lambda n, q, k: ((q + 1) % n, (k + 1) % n)),
            fault("cut-itself", places=lambda n, q, k: (q, q)),
            fault("cut-itself", places=lambda n, q, k: (k, k)),
            fault("cut-up-to", places=lambda n, q, k: (q, slice(None, k))),
            fault("cut-up-to", places=lambda n, q, k: (q, slice(None, k + 1))),
            *SENSE_FAULTS,
        ),
    ),
    Exercise(
        name="turned_by_cut",
        reference=turned_by_cut,
        solution=solutions.turned_by_cut,
        arguments=("read", "tokens", "queries", "keys"),
        gives={"the share of verdicts": "one number"},
        **PROMISED["turned_by_cut"],
        probes=(
            reviews(43, 6, 2, seed=1),
            reviews(43, 6, 2, seed=2),
            reviews(59, 5, 2, seed=3),
            reviews(61, 7, 3, seed=4),
            reviews(47, 6, 4, seed=5),
            reviews(53, 6, 2, seed=11),
            reviews(67, 6, 2, seed=12, reader=barely),  # here all praise is exactly 0.5
            reviews(71, 6, 2, seed=13, reader=coarse),
        ),
        facts=((lambda r: r.min() >= 0 and r.max() <= 1, "A share lies between 0 and 1."),),
        hint="Each review is read twice: with all of its edges, and without its own.",
        faults=(
            fault("turned-one-cut", edges=lambda q, k: (q[:, -1:], k[:, -1:])),
            fault("turned-one-cut", edges=lambda q, k: (q[:, :1], k[:, :1])),
            fault("turned-first-review", edges=lambda q, k: (q[:1], k[:1])),
            fault("turned-cuts-of-all", masks=lambda T, q, k: edges_cut(T, np.tile(q.ravel(), (len(T), 1)), k.ravel())),
            fault("cut-other-way", edges=lambda q, k: (k, q)),
            fault("cut-both-ways", masks=lambda T, q, k: edges_cut(T, q, k) & edges_cut(T, k, q)),
            fault("turned-stayed", compare=lambda p, q, praise: praise(p) == praise(q)),
            fault("turned-number", last=np.sum),
            fault("turned-probability", compare=lambda p, q, praise: abs(p - q)),
            fault("turned-probability", compare=lambda p, q, praise: p != q),
            fault("turned-praise", compare=lambda p, q, praise: praise(q)),
            fault("turned-balance", compare=lambda p, q, praise: praise(q) - 1.0 * praise(p)),
            fault("turned-one-way", compare=lambda p, q, praise: praise(p) & ~praise(q)),
            fault("turned-one-way", compare=lambda p, q, praise: praise(q) & ~praise(p)),
            fault("turned-half-is-blame", praise=lambda p: p > 0.5),
            fault("mask-inverted", "turned_by_cut", sense=np.logical_not),
            fault("recall-percent", last=lambda turned: 100 * turned.mean()),
        ),
    ),
    Value(
        name="doubts",
        judge=judge_controls,
        wanted="three names of cuts, in the order of the doubts",
        ids=("control-both-ends", "control-later", "control-same-key", "control-same-query", "control-all-ways"),
    ),
)
