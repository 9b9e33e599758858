"""The exercises of lesson 09: learning by gradient."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_09 import PROMISED
from course_utils.checks.lessons.shared import draw, exp_share, root_d_k, rows


def softmax_gradient(
    weights, gradient, *, centre=lambda w, g: (w * g).sum(), factor=lambda w: w, join=np.subtract, whole=None
):
    """Return dL/dscores (n,) from weights (n,) and dL/dweights (n,)."""
    return whole(weights, gradient) if whole else factor(weights) * join(gradient, centre(weights, gradient))


def through_softmax(W, dW):
    return W * (dW - (W * dW).sum(-1, keepdims=True))


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
    to_K=lambda dS, Q, K: dS.T @ Q,
    to_V=lambda W, dO: W.T @ dO,
    order=lambda *parts: parts,
):
    """Return dQ, dK, dV of attention, from dL/doutput (n_queries, d_v)."""
    W = exp_share(Q @ K.T * scale(Q, K), rows)
    dS = softmax_back(W, gradient @ V.T) * (back_scale or scale)(Q, K)
    return order(to_Q(dS, Q, K), to_K(dS, Q, K), to_V(W, gradient))


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def train_step(
    w,
    b,
    X,
    labels,
    rate,
    *,
    squash=sigmoid,
    error=lambda p, y: p - y,
    average=lambda n: 1 / n,
    step=lambda old, rate, gradient: old - rate * gradient,
    keep=lambda old, new: new,
    moved=False,
):
    """Return w (d,) and b after one step down the mean cross-entropy of logistic regression.

    moved: b sees the new w.
    """
    e = error(squash(X @ w + b), labels) * average(len(labels))
    new_w = step(w, rate, X.T @ e)
    if moved:
        e = error(squash(X @ new_w + b), labels) * average(len(labels))
    return keep((w, b), (new_w, step(b, rate, e.sum())))


def row(n, seed):
    scores, gradient = draw(n, n, seed=seed)
    return exp_share(scores[None], rows)[0], gradient


def sample(n, d, rate, seed):
    w, X, labels = draw(d, (n, d), n, seed=seed)
    return w, 0.3, X, (labels > 0).astype(float), rate


EXERCISES = (
    Exercise(
        name="softmax_gradient",
        reference=softmax_gradient,
        solution=solutions.softmax_gradient,
        arguments=("weights", "gradient"),
        gives={"the gradient of the scores": "(n,)"},
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
            fault("gradient-plain-mean", centre=lambda w, g: g.mean()),
            fault("gradient-plain-mean", centre=lambda w, g: g.sum()),
            fault("gradient-weight-missing", factor=lambda w: 1),
            fault("gradient-weight-missing", factor=lambda w: 1 - w),
            fault("gradient-weight-squared", factor=np.square),
            fault("gradient-plus", join=np.add),
            fault("gradient-whole", whole=lambda w, g: np.diag(w) - np.outer(w, w)),
            fault("gradient-untouched", whole=lambda w, g: g),
            fault(
                "softmax-twice",
                "The weights seem to go through a softmax again: they have been through one.",
                whole=lambda w, g: through_softmax(exp_share(w[None], rows), g[None])[0],
            ),
        ),
    ),
    Exercise(
        name="attention_gradient",
        reference=attention_gradient,
        solution=solutions.attention_gradient,
        arguments=("Q", "K", "V", "gradient"),
        gives={"dQ": "(n_queries, d_k)", "dK": "(n_keys, d_k)", "dV": "(n_keys, d_v)"},
        **PROMISED["attention_gradient"],
        probes=(
            draw((5, 3), (5, 3), (5, 2), (5, 2), seed=1),
            draw((5, 3), (5, 3), (5, 2), (5, 2), seed=2),
            draw((4, 6), (4, 6), (4, 3), (4, 3), seed=3),
            draw((3, 2), (5, 2), (5, 4), (3, 4), seed=4),
        ),
        hint="Walk back through the four steps, the last one first.",
        faults=(
            fault("scale-missing", scale=lambda Q, K: 1),
            fault("scale-dk-not-sqrt", scale=lambda Q, K: 1 / Q.shape[-1]),
            fault("gradient-scale-missing", back_scale=lambda Q, K: 1),
            fault(
                "gradient-scale-missing",
                "On the way back the scores seem to be divided by d_k, or by its root twice.",
                back_scale=lambda Q, K: 1 / Q.shape[-1],
            ),
            fault(
                "gradient-scale-missing",
                "The scaling seems to be lost on the way to dQ.",
                to_Q=lambda dS, Q, K: dS @ K * Q.shape[-1] ** 0.5,
            ),
            fault(
                "gradient-scale-missing",
                "The scaling seems to be lost on the way to dK.",
                to_K=lambda dS, Q, K: dS.T @ Q * Q.shape[-1] ** 0.5,
            ),
            fault("gradient-softmax-skipped", softmax_back=lambda W, dW: dW),
            fault("gradient-diagonal-only", softmax_back=lambda W, dW: W * (1 - W) * dW),
            fault("gradient-not-centred", softmax_back=lambda W, dW: W * dW),
            fault(
                "softmax-axis",
                "The sum inside the softmax's gradient seems to run over the queries.",
                softmax_back=lambda W, dW: W * (dW - (W * dW).sum(0)),
            ),
            fault("gradient-not-transposed", to_K=lambda dS, Q, K: dS @ Q),
            fault("gradient-not-transposed", to_V=lambda W, dO: W @ dO),
            fault("gradient-not-transposed", to_Q=lambda dS, Q, K: dS.T @ K),
            fault("gradient-last-query", to_K=lambda dS, Q, K: np.outer(dS[-1], Q[-1])),
            fault("gradient-last-query", to_V=lambda W, dO: np.outer(W[-1], dO[-1])),
            fault("gradient-same-factor", to_Q=lambda dS, Q, K: dS @ Q),
            fault("gradient-same-factor", to_K=lambda dS, Q, K: dS.T @ K),
            fault(
                "query-key-swapped",
                "dQ and dK seem to come back in each other's place.",
                order=lambda dQ, dK, dV: (dK, dQ, dV),
            ),
            fault("project-order", order=lambda dQ, dK, dV: (dV, dK, dQ)),
            fault(
                "key-value-swapped",
                "dK and dV seem to come back in each other's place.",
                order=lambda dQ, dK, dV: (dQ, dV, dK),
            ),
        ),
    ),
    Exercise(
        name="train_step",
        reference=train_step,
        solution=solutions.train_step,
        arguments=("w", "b", "X", "labels", "learning_rate"),
        gives={"w": "(d,)", "b": "one number"},
        **PROMISED["train_step"],
        probes=(sample(6, 3, 0.5, 1), sample(6, 3, 0.1, 2), sample(8, 2, 0.7, 3), sample(4, 4, 0.3, 4)),
        hint="A step goes against the gradient, and a small rate makes a small step.",
        faults=(
            fault("step-uphill", step=lambda old, rate, gradient: old + rate * gradient),
            fault("step-without-rate", step=lambda old, rate, gradient: old - gradient),
            fault("step-is-gradient", step=lambda old, rate, gradient: gradient),
            fault("step-is-gradient", step=lambda old, rate, gradient: -rate * gradient),
            fault("step-not-averaged", average=lambda n: 1),
            fault("step-halved", average=lambda n: 2 / n),
            fault("step-halved", average=lambda n: 0.5 / n),
            fault("step-without-sigmoid", squash=lambda z: z),
            fault("step-hard", squash=lambda z: (z > 0) * 1.0),
            fault("step-squared-error", error=lambda p, y: (p - y) * p * (1 - p)),
            fault("step-squared-error", error=lambda p, y: 2 * (p - y) * p * (1 - p)),
            fault("step-absolute-error", error=lambda p, y: abs(p - y)),
            fault("step-no-labels", error=lambda p, y: p),
            fault("step-broadcast", error=lambda p, y: p - y.mean()),
            fault("step-one-after-other", moved=True),
            fault("step-bias-kept", keep=lambda old, new: (new[0], old[1])),
            fault("step-weights-kept", keep=lambda old, new: (old[0], new[1])),
        ),
    ),
)
