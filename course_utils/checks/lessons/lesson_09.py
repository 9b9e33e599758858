"""The exercises of lesson 09: the gradient by hand."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_09 import PROMISED
from course_utils.checks.lessons.shared import draw, exp_share, root_d_k, rows, through_softmax, turned


def softmax_gradient(
    weights, gradient, *, centre=lambda w, g: rows(w * g), factor=lambda w: w, join=np.subtract, whole=None
):
    """Return dL/dscores (..., n) from weights (..., n) and dL/dweights (..., n)."""
    return whole(weights, gradient) if whole else factor(weights) * join(gradient, centre(weights, gradient))


def attention_gradient(
    Q,
    K,
    V,
    gradient,
    *,
    scale=root_d_k,
    back_scale=None,
    softmax_back=through_softmax,
    to_Q=lambda dS, Q, K: dS @ K,
    to_K=lambda dS, Q, K: turned(dS) @ Q,
    to_V=lambda W, dO: turned(W) @ dO,
    order=lambda *parts: parts,
):
    """Return dQ, dK, dV of attention, from dL/doutput (..., n_queries, d_v)."""
    W = exp_share(Q @ turned(K) * scale(Q, K), rows)
    dS = softmax_back(W, gradient @ turned(V)) * (back_scale or scale)(Q, K)
    return order(to_Q(dS, Q, K), to_K(dS, Q, K), to_V(W, gradient))


def one_query_gradient(q, K, V, gradient, **switches):
    """Return dq (d_k,), dK, dV of one query (d_k,), from dL/doutput (d_v,)."""
    dQ, dK, dV = attention_gradient(q[None], K, V, gradient[None], **switches)
    return (dQ[0] if len(dQ) == 1 else dQ), dK, dV


def judge_sizes(answer):
    """Say what is found in four sizes: the mistakes of the lesson that pass on them."""
    sizes = np.asarray(answer)
    if sizes.shape != (4,) or sizes.dtype.kind not in "iu":
        return not_yet("not-a-value", "Four whole numbers are wanted: (n_queries, n_keys, d_k, d_v).")
    n_queries, n_keys, d_k, d_v = sizes
    if not ((sizes >= 1) & (sizes <= 9)).all():
        return not_yet("sizes-range")
    passing = {
        "sizes-one-key": n_keys == 1,
        "sizes-one-query": n_queries == 1,
        "sizes-root-of-one": d_k == 1,
        "sizes-values-as-keys": d_v == d_k,
        "sizes-keys-as-many": n_keys == d_k,
    }
    return first_of(id for id, passes in passing.items() if passes)


def row(n, seed):
    scores, gradient = draw(n, n, seed=seed)
    return exp_share(scores[None], rows)[0], gradient


BACK_FAULTS = (  # of one query, and of all
    fault("scale-missing", scale=lambda Q, K: 1),
    fault("scale-dk-not-sqrt", scale=lambda Q, K: 1 / Q.shape[-1]),
    fault("gradient-scale-missing", back_scale=lambda Q, K: 1),
    fault("gradient-scale-missing", "twice", back_scale=lambda Q, K: 1 / Q.shape[-1]),
    fault("gradient-scale-missing", "dQ", to_Q=lambda dS, Q, K: dS @ K * Q.shape[-1] ** 0.5),
    fault("gradient-scale-missing", "dK", to_K=lambda dS, Q, K: dS.T @ Q * Q.shape[-1] ** 0.5),
    fault("gradient-softmax-skipped", softmax_back=lambda W, dW: dW),
    fault("gradient-diagonal-only", softmax_back=lambda W, dW: W * (1 - W) * dW),
    fault("gradient-not-centred", softmax_back=lambda W, dW: W * dW),
)
EXERCISES = (
    Exercise(
        name="softmax_gradient",
        reference=softmax_gradient,
        solution=solutions.softmax_gradient,
        arguments=("weights", "gradient"),
        gives={"the gradient of the scores": "(..., n)"},
        **PROMISED["softmax_gradient"],
        probes=(row(5, 1), row(5, 2), row(4, 3), row(7, 4)),
        facts=(
            (
                lambda g: abs(g.sum()) < 1e-3,
                "The derivatives by the scores sum to 0: adding 1 to all scores changes nothing.",
            ),
        ),
        hint="A score that gets weight takes it from the others.",
        faults=(
            fault("gradient-diagonal-only", whole=lambda w, g: w * (1 - w) * g),
            fault("gradient-not-centred", centre=lambda w, g: 0),
            fault("gradient-plain-mean", centre=lambda w, g: rows(g) / g.shape[-1]),
            fault("gradient-plain-mean", centre=lambda w, g: rows(g)),
            fault("gradient-weight-missing", factor=lambda w: 1),
            fault("gradient-weight-missing", factor=lambda w: 1 - w),
            fault("gradient-weight-squared", factor=np.square),
            fault("gradient-plus", join=np.add),
            fault("gradient-whole", whole=lambda w, g: np.diag(w) - np.outer(w, w)),
            fault("gradient-untouched", whole=lambda w, g: g),
            fault(
                "softmax-twice",
                "softmax_gradient",
                whole=lambda w, g: through_softmax(exp_share(w[None], rows), g[None])[0],
            ),
        ),
    ),
    Exercise(
        name="one_query_gradient",
        reference=one_query_gradient,
        solution=solutions.one_query_gradient,
        arguments=("q", "K", "V", "gradient"),
        gives={"dq": "(d_k,)", "dK": "(n_keys, d_k)", "dV": "(n_keys, d_v)"},
        **PROMISED["one_query_gradient"],
        probes=(
            draw(3, (5, 3), (5, 2), 2, seed=1),
            draw(3, (5, 3), (5, 2), 2, seed=2),
            draw(2, (4, 2), (4, 2), 2, seed=3),
            draw(4, (3, 4), (3, 5), 5, seed=4),
        ),
        hint="Walk up the table, one row after the other.",
        faults=(
            *BACK_FAULTS,
            fault("gradient-plain-mean", softmax_back=lambda W, dW: W * (dW - rows(dW) / dW.shape[-1])),
            fault("gradient-weight-missing", softmax_back=lambda W, dW: dW - rows(W * dW)),
            fault("gradient-average-so-far", softmax_back=lambda W, dW: W * (dW - np.cumsum(W * dW, axis=-1))),
            fault("gradient-last-key", to_Q=lambda dS, Q, K: dS[:, -1:] * K[-1:]),
            fault("gradient-last-key", to_Q=lambda dS, Q, K: dS[:, :1] * K[:1]),
            fault("gradient-same-factor", "dK", to_K=lambda dS, Q, K: dS.T * K),
            fault("gradient-same-factor", "dQ", to_Q=lambda dS, Q, K: dS.sum() * Q),
            fault("gradient-value-unweighted", to_V=lambda W, dO: np.ones_like(W.T) @ dO),
            fault("gradient-value-unweighted", to_V=lambda W, dO: np.ones_like(W.T) @ dO / W.size),
            fault("key-value-swapped", "gradients", order=lambda dQ, dK, dV: (dQ, dV, dK)),
        ),
    ),
    Exercise(
        name="attention_gradient",
        reference=attention_gradient,
        solution=solutions.attention_gradient,
        arguments=("Q", "K", "V", "gradient"),
        gives={"dQ": "(..., n_queries, d_k)", "dK": "(..., n_keys, d_k)", "dV": "(..., n_keys, d_v)"},
        **PROMISED["attention_gradient"],
        probes=(
            draw((5, 3), (5, 3), (5, 2), (5, 2), seed=1),
            draw((5, 3), (5, 3), (5, 2), (5, 2), seed=2),
            draw((4, 6), (4, 6), (4, 3), (4, 3), seed=3),
            draw((3, 2), (5, 2), (5, 4), (3, 4), seed=4),
        ),
        hint="Walk back through the four steps, the last one first.",
        faults=(
            *BACK_FAULTS,
            fault("softmax-axis", "attention_gradient", softmax_back=lambda W, dW: W * (dW - (W * dW).sum(0))),
            fault("softmax-over-all", "attention_gradient", softmax_back=lambda W, dW: W * (dW - (W * dW).sum())),
            fault("gradient-plain-mean", softmax_back=lambda W, dW: W * (dW - rows(dW) / dW.shape[-1])),
            fault("gradient-not-transposed", to_K=lambda dS, Q, K: dS @ Q),
            fault("gradient-not-transposed", to_V=lambda W, dO: W @ dO),
            fault("gradient-not-transposed", to_Q=lambda dS, Q, K: dS.T @ K),
            fault("gradient-last-query", to_K=lambda dS, Q, K: np.outer(dS[-1], Q[-1])),
            fault("gradient-last-query", to_V=lambda W, dO: np.outer(W[-1], dO[-1])),
            fault("gradient-same-factor", to_Q=lambda dS, Q, K: dS @ Q),
            fault("gradient-same-factor", to_K=lambda dS, Q, K: dS.T @ K),
            fault("query-key-swapped", "attention_gradient", order=lambda dQ, dK, dV: (dK, dQ, dV)),
            fault("project-order", order=lambda dQ, dK, dV: (dV, dK, dQ)),
            fault("key-value-swapped", "gradients", order=lambda dQ, dK, dV: (dQ, dV, dK)),
        ),
    ),
    Value(
        name="test_sizes",
        judge=judge_sizes,
        wanted="four sizes: (n_queries, n_keys, d_k, d_v)",
        ids=(
            "sizes-range",
            "sizes-one-key",
            "sizes-one-query",
            "sizes-root-of-one",
            "sizes-values-as-keys",
            "sizes-keys-as-many",
        ),
    ),
)
