"""The exercises of lesson 01: dot products."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_01 import PROMISED
from course_utils.checks.lessons.shared import SCALE_FAULTS, draw, lengths, root_d_k


def dot_product(a, b, *, terms=lambda a, b: a * b, total=np.sum):
    """Return a . b: terms, one for each pair of numbers, and their total."""
    return total(terms(a, b))


def cosine(a, b, *, product=lambda a, b: a @ b, over=lambda a, b: lengths(a) * lengths(b), last=lambda c: c):
    """Return the cosine of the angle between a and b."""
    return last(product(a, b) / over(a, b))


def one_query_scores(q, K, *, product=lambda q, K: K @ q, scale=root_d_k, last=lambda s: s):
    """Return the scaled scores of q (d_k,) over K (n_keys, d_k)."""
    return last(product(q, K) * scale(q[None], K))


WORDS = ("good", "not", "movie", "bad", "The")  # with their keys in the lesson: 0, 88, 90, 162 degrees, and no angle


def judge_winners(answer):
    """Say what is found in a list of words whose keys are said to win when they grow."""
    words = [answer] if isinstance(answer, str) else answer
    if not isinstance(words, list | tuple | set) or not all(word in WORDS for word in words):
        return not_yet("not-a-value", f"A list of words is wanted, each of them one of {', '.join(WORDS)}.")
    told = {"bad": "win-opposite", "movie": "win-right-angle", "The": "win-zeros", "good": "win-already"}
    found = [id for word, id in told.items() if word in words] + ["win-none"] * ("not" not in words)
    return first_of(found)


def share(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


PAIRS = (
    (np.array([1.0, 2.0, 3.0]), np.array([4.0, -5.0, 6.5])),
    (np.array([-2.0, 0.5, 1.0]), np.array([3.0, 1.5, -4.0])),
    draw(5, 5, seed=1),
    draw(2, 2, seed=3),
    draw(4, 4, seed=5),
)
ONE_QUERY = (
    draw(3, (5, 3), seed=1),
    draw(3, (5, 3), seed=2),
    draw(6, (4, 6), seed=3),
    draw(3, (3, 3), seed=4),  # here also the wrong side of a product runs
)

EXERCISES = (
    Exercise(
        name="dot_product",
        reference=dot_product,
        solution=solutions.dot_product,
        arguments=("a", "b"),
        gives={"a · b": "one number"},
        **PROMISED["dot_product"],
        probes=PAIRS,
        hint="Multiply pair by pair, and add up.",
        faults=(
            fault("terms-added", terms=lambda a, b: a + b),
            fault("product-distance", "dot_product", terms=lambda a, b: (a - b) ** 2),
            *(
                fault("product-absolute", "one_number", **switch)
                for switch in ({"terms": lambda a, b: abs(a * b)}, {"total": lambda terms: abs(terms.sum())})
            ),
            fault("sums-multiplied", terms=lambda a, b: a.sum() * b.sum()),
            fault("key-unused", "dot_product", terms=lambda a, b: a * a),
            fault("query-unused", "dot_product", terms=lambda a, b: b * b),
            fault("product-cosine", terms=lambda a, b: a * b / (lengths(a) * lengths(b))),
            fault("product-elementwise", "dot_product", total=lambda terms: terms),
            fault("running-totals", total=np.cumsum),
            fault("total-overwritten", total=lambda terms: terms.flat[-1]),
            fault("returned-too-early", total=lambda terms: terms.flat[0]),
            fault("total-of-one", total=lambda terms: terms.sum() + 1),
            fault("last-missing", total=lambda terms: terms[:-1].sum()),
            fault("first-missing", total=lambda terms: terms[1:].sum()),
            fault("output-divided", "dot_product", total=np.mean),
            fault("terms-multiplied", total=np.prod),
            fault("terms-multiplied", total=lambda terms: 0 * terms.sum()),
            fault("terms-reversed", terms=lambda a, b: a * b[::-1]),
        ),
    ),
    Exercise(
        name="cosine",
        reference=cosine,
        solution=solutions.cosine,
        arguments=("a", "b"),
        gives={"the cosine": "one number"},
        **PROMISED["cosine"],
        probes=PAIRS,
        facts=((lambda c: abs(c).max() <= 1 + 1e-9, "A cosine lies between -1 and 1."),),
        hint="Twice as long a vector has to give the same cosine.",
        faults=(
            *(
                fault("product-absolute", "one_number", product=product)
                for product in (lambda a, b: abs(a @ b), lambda a, b: abs(a) @ abs(b))
            ),
            fault("product-elementwise", product=lambda a, b: a * b),
            fault("cosine-without-lengths", over=lambda a, b: 1),
            fault("cosine-one-length", over=lambda a, b: lengths(a)),
            fault("cosine-one-length", over=lambda a, b: lengths(b)),
            fault("cosine-one-vector", over=lambda a, b: a @ a),
            fault("cosine-one-vector", over=lambda a, b: b @ b),
            fault("cosine-root-missing", over=lambda a, b: (a @ a) * (b @ b)),
            fault("cosine-lengths-added", over=lambda a, b: lengths(a) + lengths(b)),
            fault("cosine-brackets", over=lambda a, b: lengths(a) / lengths(b)),
            fault("cosine-wrong-length", over=lambda a, b: abs(a).sum() * abs(b).sum()),
            fault("cosine-wrong-length", over=lambda a, b: abs(a).max() * abs(b).max()),
            fault("cosine-wrong-length", over=lambda a, b: a.sum() * b.sum()),
            fault("cosine-wrong-length", over=lambda a, b: abs(a.sum() * b.sum())),
            fault("cosine-wrong-length", over=lambda a, b: lengths(a * b)),
            fault("cosine-wrong-length", over=lambda a, b: lengths(a + b)),
            fault("cosine-counts", over=lambda a, b: len(a) * len(b)),
            fault("cosine-counts", over=lambda a, b: len(a)),
            fault("cosine-root-twice", over=lambda a, b: np.sqrt(lengths(a) * lengths(b))),
            fault("cosine-angle", last=np.arccos),
            fault("cosine-angle", last=lambda c: np.degrees(np.arccos(c))),
            fault("cosine-distance", last=lambda c: 1 - c),
            fault("cosine-of-number", last=np.cos),
            fault("cosine-squared", last=np.square),
        ),
    ),
    Value(
        name="can_win",
        judge=judge_winners,
        wanted="a list of words",
        ids=("win-opposite", "win-right-angle", "win-zeros", "win-already", "win-none"),
    ),
    Exercise(
        name="one_query_scores",
        reference=one_query_scores,
        solution=solutions.one_query_scores,
        arguments=("q", "K"),
        gives={"the scores": "(n_keys,)"},
        **PROMISED["one_query_scores"],
        probes=ONE_QUERY,
        axes=("key",),
        hint="Each key has one score: its dot product with q, scaled.",
        faults=(
            *SCALE_FAULTS,
            fault("key-not-transposed", product=lambda q, K: q @ K),
            fault("key-not-transposed", product=lambda q, K: q @ K.reshape(K.shape[::-1])),
            fault("product-elementwise", product=lambda q, K: K * q),
            fault("product-over-tokens", product=lambda q, K: (K * q).sum(0)),
            fault("product-summed-up", product=lambda q, K: (K * q).sum()),
            fault("product-absolute", product=lambda q, K: abs(K @ q)),
            fault("product-cosine", product=lambda q, K: K @ q / (lengths(K) * lengths(q))),
            fault("product-distance", product=lambda q, K: lengths(K - q)),
            fault("product-distance", product=lambda q, K: -lengths(K - q)),
            fault("query-unused", "one_query_scores", product=lambda q, K: K.sum(-1)),
            fault("scale-norm", scale=lambda q, K: lengths(K) ** -0.5),
            fault("scale-norm", scale=lambda q, K: lengths(q) ** -0.5),
            fault("softmax-too-early", last=share),
        ),
    ),
)
