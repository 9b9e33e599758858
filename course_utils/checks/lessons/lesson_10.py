"""The exercises of lesson 10: learning where to look."""

import numpy as np

from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_10 import PROMISED
from course_utils.checks.lessons.shared import attention_back, draw


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def train_step(
    w,
    b,
    X,
    labels,
    learning_rate,
    *,
    squash=sigmoid,
    error=lambda p, y: p - y,
    average=lambda n: 1 / n,
    step=lambda old, rate, gradient: old - rate * gradient,
    keep=lambda old, new: new,
    moved="",
):
    """Return w (d,) and b after one step down the mean cross-entropy of logistic regression.

    moved: "w" where b sees the new w, "b" where w sees the new b.
    """
    e = error(squash(X @ w + b), labels) * average(len(labels))
    new_w, new_b = step(w, learning_rate, X.T @ e), step(b, learning_rate, e.sum())
    if moved:
        e = error(squash(X @ new_w + b if moved == "w" else X @ w + new_b), labels) * average(len(labels))
        new_w, new_b = (
            (new_w, step(b, learning_rate, e.sum())) if moved == "w" else (step(w, learning_rate, X.T @ e), new_b)
        )
    return keep((w, b), (new_w, new_b))


def counted(E, tokens, dX):
    """Return what each token gets, added up over all its places: (n_tokens, d)."""
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)
    return dE


def once(E, tokens, dX):
    dE = np.zeros(E.shape)
    dE[tokens] += dX  # NumPy writes the last of equal tokens
    return dE


def times(E, tokens):
    return np.bincount(tokens.ravel(), minlength=len(E))[:, None]


def join(dQ, dK, dV):
    dX = dK + dV
    dX[:, : dQ.shape[1]] += dQ
    return dX


def reader_gradient(
    E,
    P,
    tokens,
    gradient,
    *,
    rows=lambda E, P, tokens: E[tokens] + P,
    asks=lambda X: X[:, :1],
    join=join,
    to_E=counted,
    to_P=lambda dX: dX.sum(0),
    order=lambda dE, dP: (dE, dP),
):
    """Return dE, dP of a reader with X = E[tokens] + P (n, length, d), from dL/doutput (n, d) of row 0."""
    X = rows(E, P, tokens)
    Q = asks(X)
    dX = join(*attention_back(Q, X, X, np.broadcast_to(gradient[:, None], Q.shape)))
    return order(to_E(E, tokens, dX), to_P(dX))


def without_where(E, P, w, b, *, off="P", hold=np.zeros_like, order=lambda *numbers: numbers):
    """Return E, P, w, b, those named in `off` held at 0."""
    numbers = dict(zip("EPwb", (E, P, w, b), strict=True))
    return order(*(hold(value) if name in off else value for name, value in numbers.items()))


def sample(n, d, rate, seed):
    w, X, labels = draw(d, (n, d), n, seed=seed)
    return w, 0.3, X, (labels > 0).astype(float), rate


def film(n, length, n_tokens, d, seed):
    """Return E, P, tokens and the gradient of the output; most tokens occur several times."""
    E, P, gradient = draw((n_tokens, d), (length, d), (n, d), seed=seed)
    return E, P, np.random.default_rng(seed).integers(0, n_tokens, size=(n, length)), gradient


def numbers(n_tokens, length, d, seed):
    return *draw((n_tokens, d), (length, d), d, seed=seed), 0.3


EXERCISES = (
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
            fault("step-one-after-other", moved="w"),
            fault("step-one-after-other", "new_b", moved="b"),
            fault("step-bias-kept", keep=lambda old, new: (new[0], old[1])),
            fault("step-weights-kept", keep=lambda old, new: (old[0], new[1])),
        ),
    ),
    Exercise(
        name="reader_gradient",
        reference=reader_gradient,
        solution=solutions.reader_gradient,
        arguments=("E", "P", "tokens", "gradient"),
        gives={"dE": "(n_tokens, d)", "dP": "(length, d)"},
        **PROMISED["reader_gradient"],
        probes=(film(4, 3, 4, 2, seed=1), film(4, 3, 4, 2, seed=2), film(3, 4, 4, 3, seed=3), film(5, 3, 6, 4, seed=4)),
        hint="Each row of X is a key and a value, and row 0 asks as well.",
        faults=(
            fault("reader-query-forgotten", join=lambda dQ, dK, dV: dK + dV),
            fault("reader-query-everywhere", join=lambda dQ, dK, dV: dQ + dK + dV),
            fault("reader-keys-forgotten", join=lambda dQ, dK, dV: join(dQ, dK * 0, dV)),
            fault("reader-values-forgotten", join=lambda dQ, dK, dV: join(dQ, dK, dV * 0)),
            fault("reader-values-only", join=lambda dQ, dK, dV: dV),
            fault("reader-other-query", asks=lambda X: X[:, -1:]),
            fault("reader-all-ask", asks=lambda X: X),
            fault("reader-without-positions", rows=lambda E, P, tokens: E[tokens]),
            fault("reader-counted-once", to_E=once),
            fault(
                "reader-mean",
                "token",
                to_E=lambda E, tokens, dX: counted(E, tokens, dX) / np.maximum(times(E, tokens), 1),
            ),
            fault("reader-mean", "position", to_P=lambda dX: dX.mean(0)),
            fault("reader-mean", to_E=lambda E, tokens, dX: counted(E, tokens, dX) / len(tokens)),
            fault("reader-order", order=lambda dE, dP: (dP, dE)),
        ),
    ),
    Exercise(
        name="without_where",
        reference=without_where,
        solution=solutions.without_where,
        arguments=("E", "P", "w", "b"),
        gives={"E": "(n_tokens, d)", "P": "(length, d)", "w": "(d,)", "b": "one number"},
        **PROMISED["without_where"],
        probes=(numbers(5, 3, 2, seed=1), numbers(5, 3, 2, seed=2), numbers(4, 4, 4, seed=3)),
        hint="What would two films look like that differ in the order of the grades only?",
        faults=(
            fault("control-without-tokens", off="E"),
            fault("control-without-read-out", off="w"),
            fault("control-without-read-out", off="wb"),
            fault("control-without-bias", off="b"),
            fault("control-unchanged", off=""),
            fault("control-too-much", off="EP"),
            fault("control-too-much", off="Pw"),
            fault("control-too-much", off="Pb"),
            fault("control-too-much", off="Pwb"),
            fault("control-too-much", off="EPwb"),
            fault("control-not-zero", hold=np.ones_like),
            fault("control-not-zero", hold=lambda P: np.broadcast_to(P.mean(0), P.shape)),
        ),
    ),
)
