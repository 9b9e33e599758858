"""Answers to the exercises of lesson 02."""

import math

import numpy as np

from answers import tf


def exp_loop(scores):
    exponentials = [math.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def soft(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax32(scores):
    e = np.exp(np.asarray(scores, dtype=np.float32))
    return e / e.sum()


def in_place(scores):
    scores -= scores.max()
    return np.exp(scores) / np.exp(scores).sum()


def stable_loops(scores):
    if scores.ndim > 1:
        return np.array([stable_loops(row) for row in scores])
    top = max(scores)
    e = [math.exp(s - top) for s in scores]
    return np.array([x / sum(e) for x in e])


def stable_log(scores):
    shifted = scores - np.max(scores, axis=-1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def stable32(scores):
    scores = scores.astype(np.float32)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def naive_loops(scores):
    if scores.ndim > 1:
        return np.array([naive_loops(row) for row in scores])
    e = [math.exp(s) for s in scores]
    return np.array([x / sum(e) for x in e])


def long_double(scores):
    e = np.exp(scores.astype(np.longdouble))
    return (e / e.sum(axis=-1, keepdims=True)).astype(float)


def first_axis(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


def rows_of_matrix(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def everything(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def row_max_all_sum(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum()


def one_max(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)


def no_keepdims(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


def no_keepdims_at_all(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1)


def no_keepdims_in_max(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1, keepdims=True)


def shifted_by(shift):
    def softmax(scores):
        e = np.exp(shift(scores))
        return e / e.sum(axis=-1, keepdims=True)

    return softmax


def not_shared(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def sum_of_column(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def hidden_nan(scores):
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))


def each_score(scores):
    return [1 / (1 + math.exp(-s)) for s in scores]


RIGHT = {
    "softmax": [
        exp_loop,
        soft,
        softmax32,
        lambda scores: tf.nn.softmax(scores),
        lambda scores: np.exp(scores) / np.einsum("i->", np.exp(scores)),
        lambda scores: np.e**scores / sum(np.e**scores),
    ],
    "temperature": [
        lambda scores, T: soft(scores / T),
        lambda scores, T: exp_loop([s / T for s in scores]),
        lambda scores, T: softmax32(scores / T),
        lambda scores, T: tf.nn.softmax(tf.constant(scores, tf.float32) / T),
        lambda scores, T: soft(scores) ** (1 / T) / np.sum(soft(scores) ** (1 / T)),
    ],
    "stable_softmax": [stable_loops, stable_log, stable32, soft, lambda scores: tf.nn.softmax(scores, axis=-1)],
    "softmax_axes": [(-1, -1, -2, -2), (1, 2, 0, 1), [-1, 2, 0, -2], np.array([1, -1, -2, 1])],
}


def shifted(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


WRONG = {
    "softmax": [
        ("softmax-even", lambda scores: np.exp(0 * scores) / len(scores)),
        ("softmax-missing", lambda scores: scores * 1),
        ("softmax-unnormalised", lambda scores: np.exp(scores)),
        ("softmax-unnormalised", lambda scores: [math.exp(s) for s in scores]),
        ("softmax-unnormalised", lambda scores: np.exp(scores) / max(np.exp(scores))),
        ("softmax-without-exp", lambda scores: scores / scores.sum()),
        ("softmax-without-exp", lambda scores: abs(scores) / sum(abs(scores))),
        ("softmax-without-exp", lambda scores: scores**2 / (scores**2).sum()),
        ("softmax-without-exp", lambda scores: (scores - min(scores)) / sum(scores - min(scores))),
        ("softmax-wrong-sum", lambda scores: np.exp(scores) / sum(scores)),
        ("softmax-wrong-sum", lambda scores: np.exp(scores) / np.exp(scores.sum())),
        ("softmax-wrong-sum", lambda scores: np.exp(scores - np.sum(scores))),
        ("softmax-by-n", lambda scores: np.exp(scores) / len(scores)),
        ("softmax-sigmoid", each_score),
        ("softmax-hard", lambda scores: (scores == scores.max()).astype(float)),
        ("softmax-log", lambda scores: scores - np.log(np.exp(scores).sum())),
        ("softmax-twice", lambda scores: soft(soft(scores))),
        ("softmax-sign", lambda scores: np.exp(-scores) / np.exp(-scores).sum()),
        ("softmax-base", lambda scores: 2**scores / (2**scores).sum()),
        ("softmax-base", lambda scores: 10**scores / (10**scores).sum()),
        ("softmax-max-kept", lambda scores: np.exp(scores - scores.max()) / np.exp(scores).sum()),
        ("softmax-max-kept", lambda scores: np.exp(scores) / np.exp(scores - scores.max()).sum()),
        ("softmax-without-exp", lambda scores: (scores - scores.min()) / (scores.max() - scores.min())),
        ("softmax-without-exp", lambda scores: np.maximum(scores, 0) / np.maximum(scores, 0).sum()),
        ("softmax-without-exp", lambda scores: scores / np.linalg.norm(scores)),
        ("softmax-wrong-sum", lambda scores: np.exp(scores) / np.linalg.norm(np.exp(scores))),
        ("softmax-by-n", lambda scores: np.exp(scores) / np.mean(np.exp(scores))),
        ("softmax-upside-down", lambda scores: sum(np.exp(scores)) / np.exp(scores)),
        ("softmax-order", lambda scores: np.exp(scores / scores.sum())),
        ("changes-input", in_place),
        ("rounded", lambda scores: soft(scores).round(2)),
        ("sorted", lambda scores: np.sort(soft(scores))),
        ("shape-extra-axis", lambda scores: soft(scores[None])),
        ("softmax-missing", lambda scores: scores),
    ],
    "temperature": [
        ("temperature-unused", lambda scores, T: soft(scores)),
        ("temperature-unused", lambda scores, T: soft(scores + T)),
        ("temperature-inverted", lambda scores, T: soft(scores * T)),
        ("temperature-inverted", lambda scores, T: soft(scores) ** T / (soft(scores) ** T).sum()),
        ("temperature-root", lambda scores, T: soft(scores / np.sqrt(T))),
        ("temperature-root", lambda scores, T: soft(scores / T**2)),
        ("temperature-after-softmax", lambda scores, T: soft(scores) / T),
        ("temperature-after-softmax", lambda scores, T: T * soft(scores)),
        ("temperature-after-softmax", lambda scores, T: soft(scores) ** (1 / T)),
        ("temperature-half", lambda scores, T: np.exp(scores / T) / np.exp(scores).sum()),
        ("temperature-half", lambda scores, T: np.exp(scores) / np.exp(scores / T).sum()),
        ("softmax-missing", lambda scores, T: scores / T),
        ("softmax-unnormalised", lambda scores, T: np.exp(scores / T)),
        ("softmax-unnormalised", lambda scores, T: np.exp((scores - scores.max()) / T)),
        ("softmax-without-exp", lambda scores, T: (scores / T) / sum(scores / T)),
        ("softmax-wrong-sum", lambda scores, T: np.exp(scores / T) / sum(scores / T)),
        ("softmax-wrong-sum", lambda scores, T: np.exp(scores / T) / np.exp(sum(scores / T))),
        ("softmax-by-n", lambda scores, T: np.exp(scores / T) / len(scores)),
        ("softmax-sigmoid", lambda scores, T: 1 / (1 + np.exp(-scores / T))),
        ("softmax-hard", lambda scores, T: np.eye(len(scores))[np.argmax(scores / T)]),
        ("softmax-log", lambda scores, T: np.log(soft(scores / T))),
        ("softmax-twice", lambda scores, T: soft(soft(scores / T))),
        ("softmax-sign", lambda scores, T: soft(-scores / T)),
        ("softmax-base", lambda scores, T: 2 ** (scores / T) / sum(2 ** (scores / T))),
        ("wrong-arguments", lambda scores: soft(scores)),
        ("arguments-order", lambda T, scores: soft(scores / T)),
        ("arguments-order", lambda t, s: soft(s / t)),
        ("promise-broken", lambda scores, T: soft(scores / max(T, 0.1))),
    ],
    "stable_softmax": [
        ("edit-axis", lambda scores: shifted(scores) / shifted(scores).sum(axis=-2, keepdims=True)),
        ("edit-early", lambda scores: scores - scores.max(axis=-1, keepdims=True)),
        ("softmax-axis", first_axis),
        ("softmax-axis", lambda scores: soft(scores, axis=-2)),
        ("softmax-axis", sum_of_column),
        ("axis-from-front", rows_of_matrix),
        ("axis-from-front", lambda scores: not_shared(scores) / not_shared(scores).sum(axis=1, keepdims=True)),
        ("softmax-over-all", everything),
        ("softmax-over-all", row_max_all_sum),
        ("softmax-keepdims", no_keepdims),
        ("softmax-keepdims", no_keepdims_in_max),
        ("softmax-keepdims", no_keepdims_at_all),
        ("softmax-unnormalised", not_shared),
        ("softmax-by-n", lambda scores: not_shared(scores) / scores.shape[-1]),
        ("softmax-overflow", shifted_by(lambda s: s)),
        ("softmax-overflow", shifted_by(lambda s: s - s.mean(axis=-1, keepdims=True))),
        ("softmax-overflow", shifted_by(lambda s: s - s.min(axis=-1, keepdims=True))),
        ("softmax-overflow", naive_loops),
        ("softmax-overflow", long_double),
        ("softmax-overflow softmax-axis", lambda scores: np.exp(scores) / np.exp(scores).sum(axis=0, keepdims=True)),
        ("softmax-underflow", one_max),
        ("softmax-underflow", shifted_by(lambda s: s - np.abs(s[np.isfinite(s)]).max())),
        ("softmax-max-axis", shifted_by(lambda s: s - s.max(axis=0))),
        ("softmax-clipped", shifted_by(lambda s: np.clip(s, -500, 500))),
        ("softmax-clipped", shifted_by(lambda s: np.clip(s, -700, 700))),
        ("softmax-clipped", shifted_by(lambda s: np.where(s > 700, 700, s))),
        ("softmax-clipped", shifted_by(lambda s: np.clip(s, -100, 100))),
        ("softmax-rescaled", shifted_by(lambda s: s / s.max(axis=-1, keepdims=True))),
        ("softmax-sign", shifted_by(lambda s: s.max(axis=-1, keepdims=True) - s)),
        ("softmax-nan-hidden", hidden_nan),
        ("softmax-max-kept", lambda scores: not_shared(scores) / np.exp(scores).sum(axis=-1, keepdims=True)),
        ("softmax-log", lambda scores: np.log(soft(scores))),
        ("softmax-hard", lambda scores: (scores == scores.max(axis=-1, keepdims=True)).astype(float)),
        ("softmax-without-exp", lambda scores: scores / scores.sum(axis=-1, keepdims=True)),
        ("promise-broken", lambda scores: np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None])),
    ],
    "softmax_axes": [
        ("axes-range", (2, 2, 0, 1)),
        ("axes-range", (1, 2, 3, 4)),
        ("axes-batch", (-1, -1, -2, 0)),
        ("axes-batch", (-1, -3, -2, -2)),
        ("axes-always-last", [1, 2, 1, 2]),
        ("axes-always-last", (-1, -1, 0, -1)),
        ("axes-queries", (0, -1, 0, 1)),
        ("axes-queries", (0, 1, 1, 2)),
        ("not-a-value", (-1, -1)),
        ("not-a-value", (-1, -1, -2, 0.5)),
        ("not-a-value", "last"),
    ],
}
