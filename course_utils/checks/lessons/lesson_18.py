"""The exercises of lesson 18: a real encoder."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_18 import PROMISED, clear, padded, sentences
from course_utils.checks.lessons.shared import spread


def previous_token(weights, *, places=lambda W: np.diagonal(W, -1, -2, -1), mean=lambda found: found.mean(-1)):
    """Return the mean weight of each head (n_heads, n, n) on the token before."""
    return mean(places(weights))


def mean_pooling(
    hidden,
    mask,
    *,
    look=lambda mask: mask,
    keep=lambda X, mask: X * mask[..., None],
    over=lambda X: X.sum(1),
    count=lambda mask: mask.sum(1, keepdims=True),
    whole=None,
):
    """Return the mean (batch, d) of the tokens of each sentence of hidden (batch, n, d)."""
    mask = look(mask)
    return whole(hidden, mask) if whole else over(keep(hidden, mask)) / count(mask)


def without_first(hidden, mask):
    """Return the mean of the tokens after the first one; zeros where there are none."""
    return (hidden[:, 1:] * mask[:, 1:, None]).sum(1) / np.maximum(mask[:, 1:].sum(1, keepdims=True), 1)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def cosines(query, vectors):
    """Return the cosine of the query (d,) with each vector (n, d): 0 where one of the two has no direction."""
    over = np.linalg.norm(query) * np.linalg.norm(vectors, axis=1)  # (n,)
    return np.divide(vectors @ query, over, out=np.zeros(len(vectors)), where=over > 0)


def best_first(alike):
    return np.argsort(-alike, kind="stable")


def without_zeros(alike_of_zero):
    """Return `cosines` with another number for vectors of zeros, unless the query is one too."""

    def measure(query, vectors):
        nowhere = ~vectors.any(axis=1) & query.any()
        return np.where(nowhere, alike_of_zero, cosines(query, vectors))

    return measure


def search(
    query,
    vectors,
    k,
    *,
    measure=cosines,
    sort=best_first,
    cut=lambda order, k: order[:k],
    give=lambda places, alike, vectors: places,
):
    """Return the places of the k vectors (n, d) with the largest cosine with the query (d,), the best first."""
    alike = measure(query, vectors)
    return give(cut(sort(alike), k), alike, vectors)


CONTROLS = ("again", "coins", "other pairs", "other token", "other word")
MISSED = {  # what each finding needs, and what is said when it gets something else
    "other pairs": "finding-searched",
    "coins": "finding-answers",
    "other word": "finding-named",
    "other token": "finding-cut",
}


def judge_control(answer):
    """Say what is found in four names of controls: the first finding that its control cannot take back."""
    try:
        chosen = [str(name).strip().lower() for name in answer]
    except TypeError:
        chosen = []
    if len(chosen) != len(MISSED):
        return not_yet("not-a-value", "Four names of controls are wanted, one for each finding.")
    if not set(chosen) <= set(CONTROLS):
        return not_yet("finding-unknown")
    if "again" in chosen:
        return not_yet("finding-again")
    wrong = [id for name, (wanted, id) in zip(chosen, MISSED.items(), strict=True) if name != wanted]
    return first_of(wrong)


EXERCISES = (
    Exercise(
        name="mean_pooling",
        reference=mean_pooling,
        solution=solutions.mean_pooling,
        arguments=("hidden", "mask"),
        gives={"the means": "(batch, d)"},
        **PROMISED["mean_pooling"],
        probes=(
            padded(5, 3, (2, 4), seed=1),
            padded(5, 3, (3, 1), seed=2),
            padded(4, 2, (3, 2, 1), seed=3),
            padded(3, 3, (1, 2, 2), seed=4),  # three equal axes: here each of them may pass for another
        ),
        hint="A sentence of two tokens is divided by 2, however long the others are.",
        faults=(
            fault("pool-padding-only", look=np.logical_not),
            fault("pool-padding-added", keep=lambda X, mask: X),
            fault("pool-divided-by-n", count=lambda mask: mask.shape[1]),
            fault("pool-sum", count=lambda mask: 1),
            fault("pool-all-tokens", count=lambda mask: mask.sum()),
            fault("pool-mask-unused", whole=lambda X, mask: X.mean(1)),
            fault("pool-without-first", whole=without_first),
            fault("pool-first", whole=lambda X, mask: X[:, 0]),
            fault("pool-largest", "maximum", over=lambda X: X.max(1)),
            fault("pool-largest", whole=lambda X, mask: X.max(1)),
            fault("pool-largest", whole=lambda X, mask: (X * mask[..., None]).max(1)),
            fault("pool-axis", over=lambda X: X.sum(-1)),
            fault("pool-axis", over=lambda X: X.sum(0)),
            fault("pool-normalised", whole=lambda X, mask: unit(mean_pooling(X, mask))),
            fault("pool-batch", whole=lambda X, mask: X[mask].mean(0)),
        ),
    ),
    Exercise(
        name="previous_token",
        reference=previous_token,
        solution=solutions.previous_token,
        arguments=("weights",),
        gives={"the means": "(n_heads,)"},
        **PROMISED["previous_token"],
        probes=(spread((3, 5, 5), 1), spread((3, 5, 5), 2), spread((2, 4, 4), 3), spread((4, 6, 6), 4)),
        facts=((lambda means: means.min() >= 0 and means.max() <= 1, "A mean of weights lies between 0 and 1."),),
        hint="Token 1 looks at token 0, token 2 at token 1, and so on.",
        faults=(
            fault("head-next-token", places=lambda W: np.diagonal(W, 1, -2, -1)),
            fault("head-itself", places=lambda W: np.diagonal(W, 0, -2, -1)),
            fault("head-two-before", places=lambda W: np.diagonal(W, -2, -2, -1)),
            fault("head-wrong-axes", places=lambda W: np.diagonal(W, -1)),
            fault("head-wraps-round", places=lambda W: W[:, np.arange(W.shape[1]), np.arange(W.shape[1]) - 1]),
            fault("head-first-column", places=lambda W: W[:, 1:, 0]),
            fault("head-sum", mean=lambda found: found.sum(-1)),
            fault("head-divided-by-n", mean=lambda found: found.sum(-1) / (found.shape[-1] + 1)),
            fault("head-largest", mean=lambda found: found.max(-1)),
            fault("head-one-number", mean=lambda found: found.mean()),
            fault("head-over-heads", mean=lambda found: found.mean(0)),
            fault("head-not-averaged", mean=lambda found: found),
        ),
    ),
    Exercise(
        name="search",
        reference=search,
        solution=solutions.search,
        arguments=("query", "vectors", "k"),
        gives={"the places": "(k,)"},
        **PROMISED["search"],
        probes=(
            sentences((5, 3), 4, seed=3, equal=(1, 3), nowhere=2),
            sentences((5, 3), 4, seed=11, equal=(2, 4), nowhere=0),
            sentences((7, 4), 5, seed=1, equal=(0, 5), nowhere=3),
            sentences((6, 5), 2, seed=4, equal=(1, 2), nowhere=5),
        ),
        allowed=clear,
        hint="Print the cosines, and beside them the places that you return.",
        faults=(
            fault("search-without-lengths", measure=lambda q, V: V @ q),
            fault("search-distance", measure=lambda q, V: -np.linalg.norm(V - q, axis=1)),
            fault("product-absolute", measure=lambda q, V: abs(cosines(q, V))),
            fault("search-zero-last", measure=without_zeros(-9)),
            fault("search-zero-first", measure=without_zeros(9)),
            fault("search-worst-first", sort=lambda alike: np.argsort(alike, kind="stable")),
            fault("search-later-first", sort=lambda alike: np.argsort(alike, kind="stable")[::-1]),
            fault("search-not-sorted", sort=lambda alike: np.arange(len(alike))),
            fault("search-all", cut=lambda order, k: order),
            fault("search-one-less", cut=lambda order, k: order[: k - 1]),
            fault("search-one-less", "one_more", cut=lambda order, k: order[: k + 1]),
            fault("search-best-left-out", cut=lambda order, k: order[1 : k + 1]),
            fault("search-best-only", cut=lambda order, k: order[0]),
            fault("search-best-last", cut=lambda order, k: order[:k][::-1]),
            fault("search-by-place", cut=lambda order, k: np.sort(order[:k])),
            fault("search-gives-cosines", give=lambda places, alike, V: alike[places]),
            fault("search-gives-vectors", give=lambda places, alike, V: V[places]),
            fault("search-from-one", give=lambda places, alike, V: places + 1),
        ),
    ),
    Value(
        name="which_control",
        judge=judge_control,
        wanted="four names of controls, one for each finding",
        ids=(*MISSED.values(), "finding-again", "finding-unknown"),
    ),
)
