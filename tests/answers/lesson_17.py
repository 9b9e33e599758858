"""Answers to the exercises of lesson 17."""

# ruff: noqa: B905

import itertools
import math

import numpy as np

from answers import tf
from answers.lesson_04 import soft
from answers.lesson_07 import batched, batched_loops, turned
from answers.lesson_11 import erf_gelu, feed, norm_1
from answers.lesson_16 import cached

PAD = 1


def next_in_loops(rows):
    pairs = [[(row[i], row[i + 1]) for i in range(len(row) - 1)] for row in rows.tolist()]
    found = np.array(pairs).reshape(len(rows), -1, 2)
    return found[..., 0], found[..., 1]


def next_by_index(rows):
    n = rows.shape[1]
    return np.take(rows, np.arange(n - 1), axis=1), np.take(rows, np.arange(1, n), axis=1)


def rolled_and_cut(rows):
    return np.delete(rows, -1, axis=1), np.roll(rows, -1, axis=1)[:, :-1]


def logs_of(scores, axis=-1):
    highest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - highest).sum(axis=axis, keepdims=True)
    return scores - highest - np.log(e)


def plain_softmax(scores):
    e = np.exp(scores)
    return e / e.sum(-1, keepdims=True)


def loss(logs=logs_of, average=None, real=lambda targets: targets != PAD, choose=None):
    """The loss of a writer with one line written in another way."""
    average = average or (lambda right, real: -right[real].sum() / real.sum())
    choose = choose or (lambda L, y: L[np.arange(len(y))[:, None], np.arange(y.shape[1]), y])

    def writing_loss(scores, targets):
        with np.errstate(all="ignore"):
            return average(choose(logs(scores), targets), real(targets))

    return writing_loss


def loss_in_loops(scores, targets):
    total, count = 0.0, 0
    for review, words in zip(scores.tolist(), targets.tolist()):
        for row, word in zip(review, words):
            if word != 1:
                top = max(row)
                total += top + math.log(sum(math.exp(s - top) for s in row)) - row[word]
                count += 1
    return total / count


def loss_one_hot(scores, targets):
    one_hot = np.eye(scores.shape[-1])[targets] * (targets != 1)[..., None]
    return -np.einsum("ntw,ntw->", one_hot, logs_of(scores)) / one_hot.sum()


def loss_in_tensorflow(scores, targets):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, scores)
    return tf.reduce_mean(tf.boolean_mask(each, targets != PAD))


def loss32(scores, targets):
    return loss()(scores.astype(np.float32), targets)


def looking_back(may=lambda Q: np.tri(Q.shape[-2]) > 0, attend=None, **lines):
    """Attention with a causal mask and one line written in another way."""
    attend = attend or batched(**lines)
    return lambda Q, K, V: attend(Q, K, V, may(Q))


def word_by_word(Q, K, V):
    """Each word meets the beginning that it may see, without any mask."""
    rows = []
    for i in range(Q.shape[-2]):
        scores = np.einsum("...d,...kd->...k", Q[..., i, :], K[..., : i + 1, :]) / np.sqrt(Q.shape[-1])
        rows.append(np.einsum("...k,...kd->...d", soft(scores), V[..., : i + 1, :]))
    return np.stack(rows, axis=-2)


def back_in_tensorflow(Q, K, V):
    scores = tf.matmul(Q, K, transpose_b=True) / np.sqrt(Q.shape[-1])
    ahead = np.triu(np.ones(scores.shape[-2:], bool), 1)
    return tf.nn.softmax(tf.where(ahead, tf.constant(-np.inf, scores.dtype), scores)) @ V


LONGEST = np.tri(24) > 0  # a mask that is cut out of this one serves no longer text


def added_minus_infinity(Q, K, V):
    n = Q.shape[-2]
    return soft(Q @ turned(K) / Q.shape[-1] ** 0.5 + np.triu(np.full((n, n), -np.inf), 1)) @ V


def back32(Q, K, V):
    return looking_back()(*(M.astype(np.float32) for M in (Q, K, V)))


def draw(share=lambda s, T: soft(s / T), word=None, out=lambda i, p: min(i, len(p) - 1), point=lambda u: u):
    """A draw with one line written in another way."""
    word = word or (lambda p, u: int(np.sum(np.cumsum(p) <= u)))

    def sample_next(scores, temperature, u):
        with np.errstate(all="ignore"):
            p = share(scores, temperature)
            return out(word(p, point(u)), p)

    return sample_next


def draw_in_a_loop(scores, temperature, u):
    e = [math.exp((s - max(scores)) / temperature) for s in scores]
    end = 0.0
    for word, part in enumerate(e):
        end += part / sum(e)
        if u < end:
            return word
    return len(e) - 1


def draw_by_bisection(scores, temperature, u):
    import bisect

    ends = list(itertools.accumulate(soft(scores / temperature)))
    return bisect.bisect_right(ends, u, hi=len(ends) - 1)


def draw_in_tensorflow(scores, temperature, u):
    p = tf.nn.softmax(tf.cast(scores, tf.float64) / temperature)
    return tf.minimum(tf.reduce_sum(tf.cast(tf.cumsum(p) <= u, tf.int32)), len(scores) - 1)


def draw32(scores, temperature, u):
    ends = np.cumsum(soft(np.float32(scores) / np.float32(temperature)), dtype=np.float32)
    return np.searchsorted(ends[:-1], u, side="right")


def draw_with_a_last_end(scores, temperature, u):
    ends = soft(scores / temperature).cumsum()
    ends[-1] = 1
    return np.argmax(ends > u)


TURNS = itertools.count()


def in_turns(scores, temperature, u):
    """As a draw of its own would: another word each time, whatever u is. Chance itself now and then repeats itself."""
    return next(TURNS) % len(scores)


def pieces(rows, h, n_heads):
    width = rows.shape[-1] // n_heads
    return rows[..., h * width : (h + 1) * width]


def step_with(
    attend=None,
    norms=(True, True),
    behind="",
    rows=(0, 1),
    flip=False,
    sources=lambda inside, x: (inside, inside, inside),
    turn=lambda W: W,
    many=lambda n_heads: n_heads,
    cut=pieces,
    beside=np.concatenate,
    kept=lambda q, k, v: (k, v),
    longer=lambda M, m: np.vstack([M, m]),
    returned=lambda old, new: new,
    out=lambda y, W_O: y @ W_O,
    adds=(True, True),
    base=lambda x, inside, start: x,
    reads=lambda x, start: x,
    order=(0, 1),
    last=lambda x, K, V: (x, K, V),
):
    """One token through a block, with one line written in another way."""
    attend = attend or cached()

    def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
        W, n_heads, start, old, new = turn(W), many(n_heads), x, (K, V), (K, V)
        gains, biases = (biases, gains) if flip else (gains, biases)
        for i in order:
            before = reads(x, start)
            inside = norm_1(before, gains, biases, rows[i]) if norms[i] and not behind else before
            if i == 0:
                q, k, v = (source @ M for source, M in zip(sources(inside, before), W))
                k, v = kept(q, k, v)
                own = [[cut(M, h, n_heads) for M in (q, k, v, K, V)] for h in range(n_heads)]
                y = out(beside([attend(*head)[0] for head in own]), W[3])
                new = longer(K, k), longer(V, v)
            else:
                y = feed()(inside, W_in, b_in, W_out, b_out)
            y = norm_1(y, gains, biases, rows[i]) if behind == "part" else y
            x = base(x, inside, start) + y if adds[i] else y
            x = norm_1(x, gains, biases, rows[i]) if behind == "sum" else x
        return last(x, *returned(old, new))

    return block_step


def all_heads_at_once(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = norm_1(x, gains, biases, 0)
    q, k, v = np.einsum("d,mde->me", inside, W[:3])
    K, V = np.append(K, k[None], axis=0), np.append(V, v[None], axis=0)
    q, keys, values = q.reshape(n_heads, -1), K.reshape(len(K), n_heads, -1), V.reshape(len(V), n_heads, -1)
    weights = soft(np.einsum("hd,nhd->hn", q, keys) / math.sqrt(q.shape[1]))
    x = x + np.einsum("hn,nhd->hd", weights, values).ravel() @ W[3]
    wide = erf_gelu(norm_1(x, gains, biases, 1) @ W_in + b_in)
    return x + wide @ W_out + b_out, K, V


def with_a_sum_over_heads(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    """Each head meets its own rows of W_O: then the heads add up."""
    Q, new_k, new_v = (norm_1(x, gains, biases, 0) @ M for M in W[:3])
    K, V = np.r_[K, [new_k]], np.r_[V, [new_v]]
    for own in np.split(np.arange(len(x)), n_heads):
        weights = soft(K[:, own] @ Q[own] * len(own) ** -0.5)
        x = x + weights @ V[:, own] @ W[3][own]
    return x + feed()(norm_1(x, gains, biases, 1), W_in, b_in, W_out, b_out), K, V


def step_in_tensorflow(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = tf.constant(norm_1(x, gains, biases, 0))[None]
    q, k, v = (inside @ M for M in W[:3])
    K, V = tf.concat([K, k], 0), tf.concat([V, v], 0)
    q, keys, values = (tf.transpose(tf.reshape(M, (M.shape[0], n_heads, -1)), (1, 0, 2)) for M in (q, K, V))
    weights = tf.nn.softmax(tf.matmul(q, keys, transpose_b=True) / q.shape[-1] ** 0.5)
    x = x + tf.reshape(weights @ values, (1, -1)) @ W[3]
    inside = norm_1(x.numpy(), gains, biases, 1)
    return (x + tf.nn.gelu(inside @ W_in + b_in) @ W_out + b_out)[0], K, V


def step32(*given):
    return all_heads_at_once(*(a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in given))


RIGHT = {
    "next_words": [next_in_loops, next_by_index, rolled_and_cut, lambda rows: (rows.T[:-1].T, rows.T[1:].T)],
    "writing_loss": [loss_in_loops, loss_one_hot, loss_in_tensorflow, loss32, loss()],
    "causal_attention": [
        looking_back(),
        looking_back(attend=batched_loops),
        word_by_word,
        back_in_tensorflow,
        added_minus_infinity,
        back32,
        looking_back(lambda Q: np.arange(Q.shape[-2])[:, None] >= np.arange(Q.shape[-2])),
    ],
    "too_good": [
        ("padding", "leak", "memorised", "honest"),
        ["padding", "leak", "memorised", "honest"],
        np.array(["padding", "leak", "memorised", "honest"]),
    ],
    "sample_next": [draw_in_a_loop, draw_by_bisection, draw_in_tensorflow, draw32, draw_with_a_last_end, draw()],
    "block_step": [all_heads_at_once, with_a_sum_over_heads, step_in_tensorflow, step32, step_with()],
}
WRONG = {
    "next_words": [
        ("returns-too-few", lambda rows: rows[:, 1:]),
    ],
    "writing_loss": [
        ("sign", loss(average=lambda right, real: right[real].mean())),
        ("promise-broken", loss(real=lambda targets: targets > PAD)),
    ],
    "causal_attention": [
        ("raises-on-some", looking_back(lambda Q: np.tri(Q.shape[1]) > 0)),
        ("raises-on-some", looking_back(lambda Q: np.tri(len(Q)) > 0)),
        ("raises-on-some", looking_back(lambda Q: np.tri(Q.shape[-1]) > 0)),
        ("promise-broken", looking_back(hide=lambda s, mask: np.where(mask, s, -1e9))),
        ("promise-broken", looking_back(hide=lambda s, mask: np.where(mask, s, -50.0))),
        ("promise-broken", looking_back(lambda Q: LONGEST[: Q.shape[-2], : Q.shape[-2]])),
        ("shape", lambda Q, K, V: np.moveaxis(word_by_word(Q, K, V), -2, 0)),  # the words come first
    ],
    "too_good": [
        ("not-a-value", ("padding", "leak", "memorised")),
        ("not-a-value", ("padding", "leak", "memorised", "fine")),
        ("not-a-value", "leak"),
        ("not-a-value", 1.31),
    ],
    "sample_next": [
        ("remembers", in_turns),
        ("promise-broken", draw(lambda s, T: plain_softmax(s / T))),
    ],
    "block_step": [
        ("returns-too-few", step_with(last=lambda x, K, V: x)),
    ],
}
