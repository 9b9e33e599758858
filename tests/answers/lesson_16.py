"""Answers to the exercises of lesson 16."""

# ruff: noqa: B905

import math

import numpy as np

from answers import tf
from answers.lesson_04 import soft


def bytes_in_loops(n, n_layers, n_heads, bytes_per_weight):
    total = 0
    for _ in range(n_layers):
        for _ in range(n_heads):
            total += n**2 * bytes_per_weight
    return total


def online(factor=None, own=None, total_of=None, mixture_of=None, top=None, out=None):
    """The online softmax with one line written in another way."""
    factor = factor or (lambda old, new: np.exp(old - new))
    own = own or (lambda s, new: np.exp(s - new))
    top = top or (lambda old, s: np.maximum(old, np.max(s)))
    total_of = total_of or (lambda total, f, e: total * f + np.sum(e))
    mixture_of = mixture_of or (lambda mixture, f, e, values: mixture * f + np.einsum("t,tv->v", e, values))
    out = out or (lambda new, total, mixture: (new, total, mixture))

    def online_step(highest, total, mixture, scores, values):
        with np.errstate(all="ignore"):
            new = top(highest, scores)
            f, e = factor(highest, new), own(scores, new)
            return out(new, total_of(total, f, e), mixture_of(mixture, f, e, values))

    return online_step


def one_key_at_a_time(highest, total, mixture, scores, values):
    mixture = np.array(mixture)
    for s, v in zip(scores, values):
        new = max(highest, s)
        total = total * math.exp(highest - new) + math.exp(s - new)
        mixture = mixture * math.exp(highest - new) + math.exp(s - new) * v
        highest = new
    return highest, total, mixture


def with_tensorflow(highest, total, mixture, scores, values):
    new = tf.maximum(tf.reduce_max(scores), highest)
    e = tf.exp(scores - new)
    return (
        new,
        total * tf.exp(highest - new) + tf.reduce_sum(e),
        mixture * tf.exp(highest - new) + tf.linalg.matvec(tf.transpose(values), e),
    )


def step32(highest, total, mixture, scores, values):
    return online()(np.float32(highest), np.float32(total), *(np.float32(a) for a in (mixture, scores, values)))


def cached(longer=None, share=soft, scale=None, looks=None, asks=None, out=None):
    """A cached step with one line written in another way."""
    longer = longer or (lambda K, k: np.append(K, [k], axis=0))
    scale = scale or (lambda q, K: math.sqrt(len(q)))
    out = out or (lambda output, old, new: (output, *new))

    def cached_step(q, k, v, K, V):
        new = longer(K, k), longer(V, v)
        keys, values = looks((K, V), new) if looks else new
        weights = share(keys @ (asks(q, k) if asks else q) / scale(q, keys))
        return out(weights @ values, (K, V), new)

    return cached_step


def cached_loop(q, k, v, K, V):
    keys, values = [*K, k], [*V, v]
    e = [math.exp(sum(a * b for a, b in zip(q, key)) / math.sqrt(len(q))) for key in keys]
    output = sum(x / sum(e) * value for x, value in zip(e, values))
    return output, np.array(keys), np.array(values)


def cached_tf(q, k, v, K, V):
    K, V = tf.concat([K, k[None]], 0), tf.concat([V, v[None]], 0)
    return tf.linalg.matvec(V, tf.nn.softmax(tf.linalg.matvec(K, q) / len(q) ** 0.5), transpose_a=True), K, V


CALLS = []


def counting(n, n_layers, n_heads, bytes_per_weight):
    CALLS.append(n)
    return len(CALLS) * n_layers * n_heads * n * n * bytes_per_weight


RIGHT = {
    "attention_bytes": [
        bytes_in_loops,
        lambda n, n_layers, n_heads, bytes_per_weight: bytes_per_weight * n**2 * n_heads * n_layers,
        lambda n, n_layers, n_heads, bytes_per_weight: np.prod([n, n, n_layers, n_heads, bytes_per_weight]),
        lambda n, n_layers, n_heads, bytes_per_weight: float(n_layers * n_heads) * n * n * bytes_per_weight,
    ],
    "online_step": [one_key_at_a_time, with_tensorflow, step32, online()],
    "cached_step": [
        cached_loop,
        cached_tf,
        cached(),
        lambda q, k, v, K, V: cached(lambda a, b: np.vstack((a, b)))(*(np.float32(a) for a in (q, k, v, K, V))),
    ],
    "which_tool": [
        ("tiles", "cache", "recurrent", "plain"),
        ["tiles", "cache", "recurrent", "plain"],
        np.array(["tiles", "cache", "recurrent", "plain"]),
    ],
}


def measured_from_0(highest, total, mixture, scores, values):
    highest = highest if np.isfinite(highest) else 0.0
    new = max(highest, scores.max())
    e, shrink = np.exp(scores - new), np.exp(highest - new)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values


WRONG = {
    "attention_bytes": [
        ("remembers", counting),
        (
            "bytes-overflow",
            lambda n, n_layers, n_heads, bytes_per_weight: np.prod(
                [n, n, n_layers, n_heads, bytes_per_weight], dtype=np.int32
            ),
        ),
    ],
    "online_step": [
        ("returns-too-few", online(out=lambda new, total, mixture: (total, mixture))),
        ("promise-broken", measured_from_0),
    ],
    "cached_step": [
        ("returns-too-few", cached(out=lambda output, old, new: output)),
    ],
    "which_tool": [
        ("not-a-value", ("tiles", "cache", "recurrent")),
        ("not-a-value", ("tiles", "cache", "rnn", "plain")),
        ("not-a-value", "tiles"),
        ("not-a-value", 4),
    ],
}
