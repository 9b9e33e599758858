"""Answers to the exercises of lesson 17."""

# ruff: noqa: B905

import itertools
import math

import numpy as np

from answers import tf
from answers.lesson_04 import soft
from answers.lesson_07 import batched, batched_loops, late, turned
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


def overflowing(scores):
    return scores - np.log(np.sum(np.exp(scores), axis=-1, keepdims=True))


def one_highest(scores):
    shifted = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


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


def shifted_again(early, late):
    return lambda scores, targets: loss()(scores[:, early], targets[:, late])


def per_review(right, real):
    return -np.mean([row[words].mean() for row, words in zip(right, real)])


def without_floor(scores, targets):
    """Right for ordinary scores; large ones turn to infinity in math.exp."""
    rows = [(row, word) for review, words in zip(scores, targets) for row, word in zip(review, words) if word != PAD]
    return sum(-math.log(math.exp(row[word]) / sum(map(math.exp, row))) for row, word in rows) / len(rows)


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


def times_mask(scores, mask):
    return scores * mask


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


def loop_without_cumsum(none):
    def sample_next(scores, temperature, u):
        for word, p in enumerate(soft(scores / temperature)):
            if p > u:
                return word
        return none(scores)

    return sample_next


def loop_without_end(scores, temperature, u):
    """When the loop is over without a hit, word 0 comes back."""
    end, found = 0, 0
    for word, p in enumerate(soft(scores / temperature)):
        end += p
        if end > u:
            found = word
            break
    return found


def sorted_words(order, back=True):
    def sample_next(scores, temperature, u):
        p = soft(scores / temperature)
        places = np.argsort(order(p))
        place = min(int((np.cumsum(p[places]) <= u).sum()), len(p) - 1)
        return places[place] if back else place

    return sample_next


TURNS = itertools.count()


def in_turns(scores, temperature, u):
    """As a draw of its own would: another word each time, whatever u is. Chance itself now and then repeats itself."""
    return next(TURNS) % len(scores)


def pieces(rows, h, n_heads):
    width = rows.shape[-1] // n_heads
    return rows[..., h * width : (h + 1) * width]


def every_other(rows, h, n_heads):
    return rows[..., h::n_heads]


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


def unlike(scale):
    return cached(scale=scale)


def values_look(q, k, v, K, V):
    return cached()(q, v, k, V, K)


def scaled_by_all(x, *others):
    return step_with(unlike(lambda q, K: len(x) ** 0.5))(x, *others)


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
        ("next-not-shifted", lambda rows: (rows[:, :-1], rows[:, :-1])),
        ("next-not-shifted", lambda rows: (rows[:, 1:], rows[:, 1:])),
        ("next-not-shifted", lambda rows: (rows, rows)),
        ("next-backwards", lambda rows: (rows[:, 1:], rows[:, :-1])),
        ("next-by-two", lambda rows: (rows[:, :-2], rows[:, 2:])),
        ("next-verdict-lost", lambda rows: (rows[:, 1:-1], rows[:, 2:])),
        ("next-review", lambda rows: (rows[:-1], rows[1:])),
        ("next-wraps", lambda rows: (rows, np.roll(rows, -1, 1))),
        ("next-wraps", lambda rows: (rows, np.roll(rows, 1, 1))),
        ("next-wraps", lambda rows: (rows[:, :-1], np.roll(rows, 1, 1)[:, :-1])),
        ("next-last-kept", lambda rows: (rows, rows[:, 1:])),
        ("next-last-kept", lambda rows: (rows, np.pad(rows[:, 1:], ((0, 0), (0, 1)), constant_values=PAD))),
        ("next-one-question", lambda rows: (rows[:, :-1], rows[:, -1])),
        ("returns-too-few", lambda rows: rows[:, 1:]),
    ],
    "writing_loss": [
        ("loss-shifted-again", shifted_again(slice(None, -1), slice(1, None))),
        ("loss-shifted-again", shifted_again(slice(1, None), slice(None, -1))),
        ("loss-padding-counted", loss(real=lambda targets: np.ones(targets.shape, bool))),
        ("loss-padding-only", loss(real=lambda targets: targets == PAD)),
        ("loss-padding-divided", loss(average=lambda right, real: -np.where(real, right, 0).mean())),
        ("loss-padding-added", loss(average=lambda right, real: -np.sum(right) / np.count_nonzero(real))),
        ("loss-sum", loss(average=lambda right, real: -right[real].sum())),
        ("loss-per-review", loss(average=per_review)),
        ("loss-per-review", loss(average=lambda right, real: -(right * real).sum(axis=1).mean())),
        ("loss-log-of-mean", loss(average=lambda right, real: -math.log(np.exp(right)[real].mean()))),
        ("loss-perplexity", loss(average=lambda right, real: math.exp(-right[real].mean()))),
        ("loss-other-log", loss(average=lambda right, real: -right[real].mean() * math.log2(math.e))),
        ("loss-other-log", loss(average=lambda right, real: -right[real].mean() * math.log10(math.e))),
        ("loss-probability", loss(soft)),
        ("loss-probability", loss(soft, lambda right, real: right[real].mean())),
        ("loss-probability", loss(soft, lambda right, real: 1 - right[real].mean())),
        ("loss-favourite", loss(choose=lambda L, y: L.max(-1))),
        ("loss-all-words", loss(choose=lambda L, y: L.mean(-1))),
        ("loss-all-words", loss(choose=lambda L, y: L.sum(-1))),
        ("softmax-missing", loss(lambda scores: scores)),
        ("softmax-unnormalised", loss(lambda scores: np.log(np.exp(scores - scores.max(-1, keepdims=True))))),
        ("softmax-unnormalised", loss(lambda scores: scores - scores.max(-1, keepdims=True))),
        ("softmax-axis", loss(lambda scores: logs_of(scores, 1))),
        ("softmax-axis", loss(lambda scores: logs_of(scores, 0))),
        ("softmax-over-all", loss(lambda scores: logs_of(scores, (0, 1, 2)))),
        ("softmax-overflow", loss(lambda scores: np.log(plain_softmax(scores)))),
        ("softmax-overflow", loss(overflowing)),
        ("softmax-underflow", loss(one_highest)),
        ("loss-log-of-zero", loss(lambda scores: np.log(soft(scores)))),
        ("loss-clipped", loss(lambda scores: np.log(np.maximum(soft(scores), 1e-6)))),
        ("loss-clipped", loss(lambda scores: np.log(np.clip(soft(scores), 1e-7, 1)))),
        ("loss-clipped", loss(lambda scores: np.log(np.maximum(soft(scores), 1e-15)))),
        ("loss-clipped", loss(lambda scores: np.log(soft(scores) + 1e-8))),
        ("loss-clipped", loss(lambda scores: np.log(soft(scores) + 1e-9))),
        ("loss-clipped", loss(lambda scores: np.log(soft(scores) + 1e-10))),
        ("loss-clipped", loss(lambda scores: np.log(soft(scores) + 1e-12))),
        ("sign", loss(average=lambda right, real: right[real].mean())),
        ("promise-broken", loss(real=lambda targets: targets > PAD)),
        (
            "loss-padding-counted loss-other-log",
            loss(real=lambda targets: targets > 0, average=lambda right, real: -right[real].mean() / np.log(2)),
        ),
    ],
    "causal_attention": [
        ("mask-missing", looking_back(hide=lambda s, mask: s)),
        ("mask-missing", looking_back(lambda Q: np.ones((Q.shape[-2], Q.shape[-2]), bool))),
        ("mask-inverted", looking_back(lambda Q: np.triu(np.ones((Q.shape[-2],) * 2, bool), 1))),
        ("mask-transposed", looking_back(lambda Q: np.triu(np.ones((Q.shape[-2],) * 2, bool)))),
        ("mask-diagonal", looking_back(lambda Q: np.tri(Q.shape[-2], k=1) > 0)),
        ("mask-diagonal", looking_back(lambda Q: np.tri(Q.shape[-2], k=-1) > 0)),
        ("mask-self-only", looking_back(lambda Q: np.eye(Q.shape[-2]) > 0)),
        ("edit-size", looking_back(lambda Q: np.tri(Q.shape[1]) > 0)),
        ("edit-size", looking_back(lambda Q: np.tri(len(Q)) > 0)),
        ("edit-size", looking_back(lambda Q: np.tri(Q.shape[-1]) > 0)),
        ("mask-times-scores", looking_back(hide=times_mask)),
        ("mask-zero-hidden", looking_back(hide=lambda s, mask: np.where(s * mask == 0, -np.inf, s))),
        ("mask-added", looking_back(hide=lambda s, mask: s + mask)),
        ("mask-after-softmax", looking_back(attend=late)),
        ("query-key-swapped", looking_back(product=lambda Q, K: K @ turned(Q))),
        ("key-not-transposed", looking_back(product=lambda Q, K: Q @ K)),
        ("key-all-axes", looking_back(product=lambda Q, K: Q @ K.T)),
        ("scale-missing", looking_back(scale=lambda Q: 1)),
        ("scale-dk-not-sqrt", looking_back(scale=lambda Q: Q.shape[-1])),
        ("scale-multiplied", looking_back(scale=lambda Q: Q.shape[-1] ** -0.5)),
        ("scale-n", looking_back(scale=lambda Q: Q.shape[-2] ** 0.5)),
        ("softmax-axis", looking_back(share=lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True))),
        ("softmax-unnormalised", looking_back(share=np.exp)),
        ("value-missing", looking_back(mix=lambda W, K, V: W)),
        ("value-is-key", looking_back(mix=lambda W, K, V: W @ K)),
        ("weights-transposed", looking_back(mix=lambda W, K, V: turned(W) @ V)),
        ("scale-missing mask-missing", looking_back(scale=lambda Q: 1, hide=lambda s, mask: s)),
        ("promise-broken", looking_back(hide=lambda s, mask: np.where(mask, s, -1e9))),
        ("promise-broken", looking_back(hide=lambda s, mask: np.where(mask, s, -50.0))),
        ("promise-broken", looking_back(lambda Q: LONGEST[: Q.shape[-2], : Q.shape[-2]])),
        ("shape", lambda Q, K, V: np.moveaxis(word_by_word(Q, K, V), -2, 0)),  # the words come first
    ],
    "too_good": [
        ("report-below", ("honest", "leak", "memorised", "honest")),
        ("report-below", ("padding", "honest", "memorised", "honest")),
        ("report-below", ["padding", "leak", "honest", "honest"]),
        ("report-denominator", ("leak", "leak", "memorised", "honest")),
        ("report-denominator", ("memorised", "leak", "memorised", "honest")),
        ("report-nonsense", ("padding", "memorised", "leak", "honest")),
        ("report-nonsense", ("padding", "padding", "memorised", "honest")),
        ("report-trained", ("padding", "leak", "leak", "honest")),
        ("report-trained", ("padding", "leak", "padding", "honest")),
        ("report-accused", ("padding", "leak", "memorised", "memorised")),
        ("report-accused", ("padding", "leak", "memorised", "padding")),
        ("not-a-value", ("padding", "leak", "memorised")),
        ("not-a-value", ("padding", "leak", "memorised", "fine")),
        ("not-a-value", "leak"),
        ("not-a-value", 1.31),
    ],
    "sample_next": [
        ("temperature-unused", draw(lambda s, T: soft(s))),
        ("temperature-inverted", draw(lambda s, T: soft(s * T))),
        ("temperature-after-softmax", draw(lambda s, T: soft(s) / T)),
        ("temperature-after-softmax", draw(lambda s, T: soft(s) ** (1 / T))),
        ("softmax-missing", draw(lambda s, T: s / T)),
        ("softmax-unnormalised", draw(lambda s, T: np.exp(s / T))),
        ("softmax-without-exp", draw(lambda s, T: (s / T) / np.sum(s / T))),
        ("softmax-sign", draw(lambda s, T: soft(-s / T))),
        ("sample-greedy", lambda scores, temperature, u: np.argmax(scores)),
        ("sample-greedy", lambda scores, temperature, u: int(soft(scores / temperature).argmax())),
        ("sample-even", lambda scores, temperature, u: math.floor(u * len(scores))),
        ("sample-other-end", draw(point=lambda u: 1 - u)),
        ("sample-right-end", draw(word=lambda p, u: int(np.sum(np.cumsum(p) < u)))),
        ("sample-not-summed", loop_without_cumsum(lambda scores: len(scores) - 1)),
        ("sample-not-summed", loop_without_cumsum(lambda scores: 0)),
        ("sample-not-summed", draw(word=lambda p, u: np.searchsorted(p, u, "right"))),
        ("sample-nearest", draw(word=lambda p, u: np.argmin(np.abs(np.cumsum(p) - u)))),
        ("sample-nearest", draw(word=lambda p, u: np.argmin(np.abs(p - u)))),
        ("sample-counts-above", draw(word=lambda p, u: np.count_nonzero(np.cumsum(p) > u))),
        ("sample-sorted", sorted_words(lambda p: -p)),
        ("sample-sorted", sorted_words(lambda p: p)),
        ("sample-sorted", sorted_words(lambda p: -p, back=False)),
        ("sample-sorted", sorted_words(lambda p: p, back=False)),
        ("sample-off-by-one", draw(out=lambda i, p: i + 1)),
        ("sample-off-by-one", draw(out=lambda i, p: min(i + 1, len(p) - 1))),
        ("sample-off-by-one", draw(out=lambda i, p: min(i, len(p) - 1) + 1)),
        ("sample-off-by-one", draw(out=lambda i, p: i - 1)),
        ("sample-off-by-one", draw(out=lambda i, p: min(i, len(p) - 1) - 1)),
        ("sample-off-by-one", draw(out=lambda i, p: max(i - 1, 0))),
        ("sample-no-word", draw(out=lambda i, p: i)),
        ("sample-first-word", draw(word=lambda p, u: np.argmax(np.cumsum(p) > u))),
        ("sample-first-word", loop_without_end),
        ("sample-gives-probability", draw(out=lambda i, p: p[min(i, len(p) - 1)])),
        ("remembers", in_turns),
        ("promise-broken", draw(lambda s, T: plain_softmax(s / T))),
    ],
    "block_step": [
        ("cache-without-itself", step_with(cached(looks=lambda old, new: old))),
        ("cache-twice", step_with(cached(lambda M, m: np.vstack([M, m, m])))),
        ("cache-in-front", step_with(cached(lambda M, m: np.vstack([m, M])), longer=lambda M, m: np.vstack([m, M]))),
        (
            "cache-overwritten",
            step_with(cached(lambda M, m: np.vstack([M[:-1], m])), longer=lambda M, m: np.vstack([M[:-1], m])),
        ),
        (
            "cache-rolls",
            step_with(cached(lambda M, m: np.vstack([M[1:], m])), longer=lambda M, m: np.vstack([M[1:], m])),
        ),
        ("cache-not-kept", step_with(returned=lambda old, new: old)),
        ("cache-key-value-swapped", step_with(kept=lambda q, k, v: (v, k))),
        ("cache-key-value-swapped", step_with(turn=lambda W: W[[0, 2, 1, 3]])),
        ("cache-query-kept", step_with(kept=lambda q, k, v: (q, v))),
        ("cache-order", step_with(last=lambda x, K, V: (K, V, x))),
        ("cache-order", step_with(last=lambda x, K, V: (x, V, K))),
        ("key-value-swapped", step_with(values_look)),
        ("query-key-swapped", step_with(turn=lambda W: W[[1, 0, 2, 3]])),
        ("block-not-normalised", step_with(sources=lambda inside, x: (inside, x, x))),
        ("block-not-normalised", step_with(sources=lambda inside, x: (x, inside, inside))),
        ("block-not-normalised", step_with(sources=lambda inside, x: (inside, x, inside))),
        ("block-not-normalised", step_with(sources=lambda inside, x: (inside, inside, x))),
        ("scale-missing", step_with(unlike(lambda q, K: 1))),
        ("scale-dk-not-sqrt", step_with(unlike(lambda q, K: len(q)))),
        ("scale-multiplied", step_with(unlike(lambda q, K: 1 / math.sqrt(len(q))))),
        ("scale-n", step_with(unlike(lambda q, K: math.sqrt(len(K))))),
        ("scale-dmodel", scaled_by_all),
        ("output-matrix-missing", step_with(out=lambda y, W_O: y)),
        ("output-matrix-transposed", step_with(out=lambda y, W_O: W_O @ y)),
        ("output-matrix-transposed", step_with(turn=lambda W: W.swapaxes(1, 2))),
        ("block-one-head", step_with(many=lambda n_heads: 1)),
        ("heads-interleaved", step_with(cut=every_other)),
        ("heads-interleaved", step_with(beside=lambda heads: np.stack(heads, axis=-1).ravel())),
        ("heads-interleaved", step_with(cut=every_other, beside=lambda heads: np.stack(heads, axis=-1).ravel())),
        ("block-norm-missing", step_with(norms=(False, True))),
        ("block-norm-missing", step_with(norms=(True, False))),
        ("block-norm-missing", step_with(norms=(False, False))),
        ("block-norm-behind", step_with(behind="sum")),
        ("block-norm-behind", step_with(behind="part")),
        ("block-nothing-added", step_with(adds=(False, True))),
        ("block-nothing-added", step_with(adds=(True, False))),
        ("block-nothing-added", step_with(adds=(False, False))),
        ("block-residual-normalised", step_with(base=lambda x, inside, start: inside)),
        ("block-residual-from-start", step_with(base=lambda x, inside, start: start)),
        ("block-side-by-side", step_with(reads=lambda x, start: start)),
        ("block-one-norm", step_with(rows=(0, 0))),
        ("block-one-norm", step_with(rows=(1, 1))),
        ("block-norms-swapped", step_with(rows=(1, 0))),
        ("norm-gain-bias-swapped", step_with(flip=True)),
        ("block-part-missing", step_with(order=(0,))),
        ("block-part-missing", step_with(order=(1,))),
        ("block-parts-swapped", step_with(order=(1, 0))),
        ("cache-not-kept block-one-head", step_with(returned=lambda old, new: old, many=lambda n_heads: 1)),
        ("returns-too-few", step_with(last=lambda x, K, V: x)),
    ],
}
