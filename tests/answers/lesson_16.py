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


def old_measure(highest, total, mixture, scores, values):
    new = max(highest, *scores)
    with np.errstate(all="ignore"):
        f, e = np.exp(highest - new), np.exp(scores - highest)
    return new, f * total + e.sum(), f * mixture + values.T @ e


def measured_from(base):
    """The right highest score comes back, and the exponentials are measured from another one."""

    def online_step(highest, total, mixture, scores, values):
        with np.errstate(all="ignore"):
            zero = base(highest, scores)
            f, e = np.exp(highest - zero), np.exp(scores - zero)
            return max(highest, *scores), f * total + e.sum(), f * mixture + values.T @ e

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


def swapped(q, k, v, K, V):
    return cached()(q, v, k, K, V)


def weights_only(q, k, v, K, V):
    K = np.vstack([K, k])
    return soft(K @ q / np.sqrt(len(q))), K, np.vstack([V, v])


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
        ("bytes-xor", lambda n, n_layers, n_heads, bytes_per_weight: (n ^ 2) * n_layers * n_heads * bytes_per_weight),
        ("bytes-xor", lambda n, n_layers, n_heads, bytes_per_weight: n_layers * n_heads * bytes_per_weight * n ^ 2),
        ("bytes-not-squared", lambda n, n_layers, n_heads, size: n_layers * n_heads * n * size),
        ("bytes-not-squared", lambda n, n_layers, n_heads, size: n_layers * n_heads * (n + n) * size),
        ("bytes-half-matrix", lambda n, n_layers, n_heads, size: n_layers * n_heads * np.tri(n).sum() * size),
        ("bytes-half-matrix", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2 * size / 2),
        ("bytes-one-layer", lambda n, n_layers, n_heads, size: n_heads * n**2 * size),
        ("bytes-one-head", lambda n, n_layers, n_heads, size: n_layers * n**2 * size),
        ("bytes-one-matrix", lambda n, n_layers, n_heads, size: n**2 * size),
        ("bytes-added", lambda n, n_layers, n_heads, size: (n_layers + n_heads) * n**2 * size),
        ("bytes-are-weights", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2),
        ("bytes-in-gigabytes", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2 * size / 10**9),
        ("bytes-in-gigabytes", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2 * size / 1024**3),
        ("bytes-are-bits", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2 * size * 8),
        ("bytes-divided", lambda n, n_layers, n_heads, size: n_layers * n_heads * n**2 / size),
        ("bytes-one-layer bytes-are-weights", lambda n, n_layers, n_heads, size: n_heads * n**2),
        (
            "promise-broken",
            lambda n, n_layers, n_heads, bytes_per_weight: np.prod(
                [n, n, n_layers, n_heads, bytes_per_weight], dtype=np.int32
            ),
        ),
    ],
    "online_step": [
        ("online-highest-forgotten", online(top=lambda old, s: max(s))),
        ("online-highest-kept", online(top=lambda old, s: old)),
        ("online-shrink-missing", online(factor=lambda old, new: 1)),
        ("online-shrink-inverted", online(factor=lambda old, new: np.exp(new - old))),
        ("online-not-exponential", online(factor=lambda old, new: old - new)),
        ("online-own-measure", measured_from(lambda old, s: max(s))),
        ("online-old-measure", measured_from(lambda old, s: old)),
        ("online-old-measure", old_measure),
        ("online-own-measure", online(own=lambda s, new: np.exp(s - max(s)))),
        ("online-not-measured", online(own=lambda s, new: np.exp(s))),
        ("online-total-not-shrunk", online(total_of=lambda total, f, e: total + sum(e))),
        ("online-total-lost", online(total_of=lambda total, f, e: sum(e))),
        ("online-mixture-not-shrunk", online(mixture_of=lambda mixture, f, e, values: mixture + e @ values)),
        ("online-mixture-lost", online(mixture_of=lambda mixture, f, e, values: e @ values)),
        ("online-divided-too-early", online(out=lambda new, total, mixture: (new, total, mixture / total))),
        (
            "online-divided-too-early",
            online(mixture_of=lambda mixture, f, e, values: mixture * f + (e / sum(e)) @ values),
        ),
        ("online-values-unweighted", online(mixture_of=lambda mixture, f, e, values: mixture * f + sum(values))),
        ("online-order", online(out=lambda new, total, mixture: (total, new, mixture))),
        ("returns-too-few", online(out=lambda new, total, mixture: (total, mixture))),
        ("promise-broken", measured_from_0),
    ],
    "cached_step": [
        ("cache-without-itself", cached(looks=lambda old, new: old)),
        ("cache-in-front", cached(longer=lambda K, k: np.vstack([k, K]))),
        ("cache-overwritten", cached(longer=lambda K, k: np.vstack([K[:-1], k]))),
        ("cache-rolls", cached(longer=lambda K, k: np.vstack([K[1:], k]))),
        ("cache-not-kept", cached(out=lambda output, old, new: (output, *old))),
        ("cache-key-value-swapped", swapped),
        ("cache-key-asks", cached(asks=lambda q, k: k)),
        ("scale-missing", cached(scale=lambda q, K: 1)),
        ("scale-dk-not-sqrt", cached(scale=lambda q, K: len(q))),
        ("scale-multiplied", cached(scale=lambda q, K: 1 / math.sqrt(len(q)))),
        ("scale-n", cached(scale=lambda q, K: math.sqrt(len(K)))),
        ("softmax-unnormalised", cached(share=lambda s: np.exp(s - max(s)))),
        ("softmax-unnormalised", cached(share=lambda s: np.e**s)),
        ("softmax-missing", cached(share=np.array)),
        ("value-missing", weights_only),
        ("cache-query-kept", lambda q, k, v, K, V: cached()(q, q, v, K, V)),
        ("cache-order", cached(out=lambda output, old, new: (*new, output))),
        ("scale-missing cache-without-itself", cached(scale=lambda q, K: 1, looks=lambda old, new: old)),
        ("returns-too-few", cached(out=lambda output, old, new: output)),
    ],
    "which_tool": [
        ("tool-matrix", ["plain", "plain", "plain", "plain"]),
        ("tool-one-by-one", ("cache", "tiles", "recurrent", "plain")),
        ("tool-forgets", ("recurrent", "cache", "recurrent", "plain")),
        ("tool-forgets", ("tiles", "recurrent", "cache", "plain")),
        ("tool-forgets", ("tiles", "cache", "recurrent", "recurrent")),
        ("tool-all-again", ("tiles", "plain", "recurrent", "plain")),
        ("tool-grows", ("tiles", "cache", "tiles", "plain")),
        ("tool-needless", ("tiles", "cache", "recurrent", "cache")),
        ("not-a-value", ("tiles", "cache", "recurrent")),
        ("not-a-value", ("tiles", "cache", "rnn", "plain")),
        ("not-a-value", "tiles"),
        ("not-a-value", 4),
    ],
}
