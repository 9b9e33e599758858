"""Answers of a gamer who writes C++ and JavaScript: fast, one-liners, in place, off by one, blog posts on GPT in mind.

The oracle is the text of the exercise alone: each label was written before any run, without a look at the checks.
"""
import math
from bisect import bisect_right
from itertools import accumulate

import numpy as np
from unseen import odd, right, wrong

PAD = 1


# ---- what he has from earlier lessons --------------------------------------------------------------------------------
def softmax(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2)))


def layer_norm(X, gain, bias, epsilon=1e-3):
    mean, var = X.mean(axis=-1, keepdims=True), X.var(axis=-1, keepdims=True)
    return (X - mean) / np.sqrt(var + epsilon) * gain + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


def cached_step(q, k, v, K, V):
    K, V = np.vstack([K, k[None]]), np.vstack([V, v[None]])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


# ---- next_words ------------------------------------------------------------------------------------------------------
@wrong("next_words", "the pair comes back in the other order: targets first")
def _(rows):
    return rows[:, 1:], rows[:, :-1]


@wrong("next_words", "the leading axis is forgotten: the reviews are shifted by one, not the tokens")
def _(rows):
    return rows[:-1], rows[1:]


@wrong("next_words", "nothing is cut: both have n_tokens columns", "rolled the wrong way: the target is token i - 1")
def _(rows):
    return rows, np.roll(rows, 1, axis=1)


@wrong("next_words", "the padding of the targets becomes -100, the ignore_index of blog posts")
def _(rows):
    inputs, targets = rows[:, :-1], rows[:, 1:]
    return inputs, np.where(targets == PAD, -100, targets)


@wrong("next_words", "a memmove inside rows before the inputs are taken: the inputs are shifted too, and rows changes")
def _(rows):
    targets = rows[:, 1:].copy()
    rows[:, :-1] = targets
    return rows[:, :-1], targets


@right("next_words", "two shift matrices of zeros and ones: the main diagonal and the one below")
def _(rows):
    n_tokens = rows.shape[1]
    keep, shift = (np.eye(n_tokens, n_tokens - 1, k=k, dtype=int) for k in (0, -1))
    return np.einsum("ni,ij->nj", rows, keep), np.einsum("ni,ij->nj", rows, shift)


@right("next_words", "rows rolled as one flat buffer; what wraps into another review is the last column, which is cut")
def _(rows):
    return rows[:, :-1], np.roll(rows, -1)[:, :-1]


@odd("next_words", "a generator that yields one pair per review")
def _(rows):
    for row in rows:
        yield row[:-1], row[1:]


# ---- writing_loss ----------------------------------------------------------------------------------------------------
@wrong("writing_loss", "the sum over the real words is divided by the number of all places")
def _(scores, targets):
    s = scores - scores.max(axis=-1, keepdims=True)
    logs = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]
    return -(picked * (targets != PAD)).mean()


@wrong("writing_loss", "one maximum for the whole batch: a place whose scores lie far below it gets log(0)")
def _(scores, targets):
    s = scores - scores.max()
    logs = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0][targets != PAD].mean()


@wrong("writing_loss", "truthy targets are real words, as if PAD were 0: padding counts, and word 0 does not")
def _(scores, targets):
    s = scores - scores.max(-1, keepdims=True)
    logs = s - np.log(np.exp(s).sum(-1, keepdims=True))
    b, t = np.nonzero(targets)
    return -logs[b, t, targets[b, t]].mean()


@wrong("writing_loss", "thinks of (T, n_words): the softmax runs along axis 1, the places of the review")
def _(scores, targets):
    s = scores - scores.max(axis=1, keepdims=True)
    logs = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0][targets != PAD].mean()


@wrong(
    "writing_loss",
    "1e-9 inside the logarithm: no word costs more than 20.7",
    "the mean of the means of the reviews: a short review counts as much as a long one",
)
def _(scores, targets):
    p = np.take_along_axis(softmax(scores), targets[..., None], axis=-1)[..., 0]
    return np.mean([-np.log(row[t != PAD] + 1e-9).mean() for row, t in zip(p, targets) if (t != PAD).any()])


@right("writing_loss", "only the real places are kept, the maximum goes, and the rest runs in float32")
def _(scores, targets):
    real = targets != PAD
    s, y = scores[real], targets[real]
    s = (s - s.max(axis=-1, keepdims=True)).astype(np.float32)
    return (np.log(np.exp(s).sum(axis=-1)) - s[np.arange(len(y)), y]).mean()


@right("writing_loss", "two loops and a counter, logaddexp.reduce at each place, a Python float comes back")
def _(scores, targets):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for i in range(targets.shape[1]):
            if (y := targets[b, i]) != PAD:
                total += float(np.logaddexp.reduce(scores[b, i].astype(float)) - scores[b, i, y])
                count += 1
    return total / count


@odd("writing_loss", "the right number, but -= takes the maximum out of the caller's scores")
def _(scores, targets):
    scores -= scores.max(axis=-1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0][targets != PAD].mean()


# ---- too_good --------------------------------------------------------------------------------------------------------
wrong("too_good", "the first two are exchanged: the low mean over all places is called a leak")(
    ("leak", "padding", "memorised", "honest")
)

wrong("too_good", "the second and the third are exchanged: leak and memorised")(
    ("padding", "memorised", "leak", "honest")
)

wrong("too_good", "the first and the last are exchanged: the mean over all places is called honest, the last padding")(
    ("honest", "leak", "memorised", "padding")
)

wrong("too_good", "the second is called memorised, not leak", "the third, on training reviews, is called honest")(
    ("padding", "memorised", "honest", "honest")
)

wrong("too_good", "the right words from the last report to the first, as they come off a stack")(
    ["padding", "leak", "memorised", "honest"][::-1]
)

right("too_good", "one text that is split: a list")("padding leak memorised honest".split())

right("too_good", "an array of strings")(np.array(["padding", "leak", "memorised", "honest"]))

odd("too_good", "one string with commas, as join gives it")(",".join(("padding", "leak", "memorised", "honest")))


# ---- sample_next -----------------------------------------------------------------------------------------------------
@wrong("sample_next", "side left: a point on a border belongs to the word before it")
def _(scores, temperature, u):
    return min(int(np.searchsorted(np.cumsum(softmax(scores / temperature)), u)), len(scores) - 1)


@wrong("sample_next", "searches the left ends and forgets the - 1: the word after the right one, save for the last")
def _(scores, temperature, u):
    p = softmax(scores / temperature)
    starts = np.concatenate([[0.0], np.cumsum(p)[:-1]])
    return min(int(np.searchsorted(starts, u, side="right")), len(p) - 1)


@wrong("sample_next", "no limit at the end: n_words comes back if rounding leaves the last end at or below u")
def _(scores, temperature, u):
    return int((np.cumsum(softmax(scores / temperature)) <= u).sum())


@wrong("sample_next", "top-k with k = 3, which nobody asked for: only the best three words can come")
def _(scores, temperature, u):
    logits = np.array(scores) / temperature
    logits[np.argsort(-logits, kind="stable")[3:]] = -np.inf
    return min(int(np.searchsorted(np.cumsum(softmax(logits)), u, side="right")), len(logits) - 1)


@wrong(
    "sample_next",
    "the words lie on the line from the most to the least probable, as in top-p code",
    "the rank comes back, not the word",
)
def _(scores, temperature, u):
    p = np.sort(softmax(scores / temperature))[::-1]
    return min(int(np.searchsorted(np.cumsum(p), u, side="right")), len(p) - 1)


@wrong("sample_next", "// divides to whole numbers: close scores become equal")
def _(scores, temperature, u):
    return min(int(np.searchsorted(np.cumsum(softmax(scores // temperature)), u, side="right")), len(scores) - 1)


@right("sample_next", "argmax of a comparison finds the first end above u; the last end is set to 1")
def _(scores, temperature, u):
    ends = softmax(scores / temperature).cumsum()
    ends[-1] = 1.0
    return (ends > u).argmax()


@right("sample_next", "bisect_right among the inner borders only, so no index can be too large")
def _(scores, temperature, u):
    best = max(scores)
    e = [math.exp((s - best) / temperature) for s in scores]
    total = math.fsum(e)
    return bisect_right(list(accumulate(w / total for w in e[:-1])), u)


# ---- block_step ------------------------------------------------------------------------------------------------------
@wrong("block_step", "vectors are columns, as in a shader: W @ x for all four matrices of the attention")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = W[:3] @ layer_norm(x, gains[0], biases[0])
    steps = [cached_step(*a) for a in zip(*(np.split(m, n_heads, axis=-1) for m in (q, k, v, K, V)))]
    heads, K, V = (np.concatenate(part, axis=-1) for part in zip(*steps))
    x = x + W[3] @ heads
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), K, V


@wrong("block_step", "the first head's cache overwrites K and V, so that the second head finds no columns of its own")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = (layer_norm(x, gains[0], biases[0]) @ w for w in W[:3])
    d_k, heads = len(x) // n_heads, []
    for h in range(n_heads):
        s = slice(h * d_k, (h + 1) * d_k)
        out, K, V = cached_step(q[s], k[s], v[s], K[:, s], V[:, s])
        heads.append(out)
    x = x + np.concatenate(heads) @ W[3]
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), K, V


@wrong("block_step", "the heads are interleaved: head h owns every n_heads-th column, from h on")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = (layer_norm(x, gains[0], biases[0]) @ w for w in W[:3])
    heads = np.empty(len(x))
    for h in range(n_heads):
        own = slice(h, None, n_heads)
        heads[own] = cached_step(q[own], k[own], v[own], K[:, own], V[:, own])[0]
    x = x + heads @ W[3]
    out = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return out, np.vstack([K, k]), np.vstack([V, v])


@wrong(
    "block_step",
    "the first gain and bias serve for both norms",
    "the second part is added to x, not to the sum: the attention is missing there",
)
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    norm = lambda a: layer_norm(a, gains[0], biases[0])
    q, k, v = norm(x) @ W[:3]
    d_k = len(x) // n_heads
    cut = [slice(i, i + d_k) for i in range(0, len(x), d_k)]
    y = x + np.hstack([cached_step(q[s], k[s], v[s], K[:, s], V[:, s])[0] for s in cut]) @ W[3]
    return x + feed_forward(norm(y), W_in, b_in, W_out, b_out), np.vstack([K, k]), np.vstack([V, v])


@wrong("block_step", "the new token is put first in the cache, an unshift", "V comes back before K")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = layer_norm(x, gains[0], biases[0]) @ W[:3]
    K, V = np.vstack([k, K]), np.vstack([v, V])
    heads = []
    for q_h, K_h, V_h in zip(np.split(q, n_heads), np.split(K, n_heads, axis=1), np.split(V, n_heads, axis=1)):
        heads += [cached_step(q_h, K_h[0], V_h[0], K_h[1:], V_h[1:])[0]]
    x = x + np.concatenate(heads) @ W[3]
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), V, K


@wrong("block_step", "q and k are turned by RoPE at place n, which nobody asked for; the turned keys go into the cache")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = ((layer_norm(x, gains[0], biases[0]) @ w).reshape(n_heads, -1) for w in W[:3])
    half = q.shape[1] // 2
    angle = len(K) / 10000 ** (np.arange(half) / half)
    for a in (q, k):
        one, two = a[:, :half].copy(), a[:, half : 2 * half].copy()
        a[:, :half] = one * np.cos(angle) - two * np.sin(angle)
        a[:, half : 2 * half] = one * np.sin(angle) + two * np.cos(angle)
    steps = [cached_step(*a) for a in zip(q, k, v, np.split(K, n_heads, axis=1), np.split(V, n_heads, axis=1))]
    heads, K, V = (np.concatenate(part, axis=-1) for part in zip(*steps))
    x = x + heads @ W[3]
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), K, V


@right("block_step", "each head adds its part through its own rows of W[3], and writes into caches made beforehand")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    n, d = K.shape
    d_k = d // n_heads
    q, k, v = np.einsum("d,mde->me", layer_norm(x, gains[0], biases[0]), W[:3])
    new_K, new_V, y = np.empty((n + 1, d)), np.empty((n + 1, d)), np.array(x, dtype=float)
    for i in range(0, d, d_k):
        j = i + d_k
        head, new_K[:, i:j], new_V[:, i:j] = cached_step(q[i:j], k[i:j], v[i:j], K[:, i:j], V[:, i:j])
        y += head @ W[3, i:j]
    y += feed_forward(layer_norm(y, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return y, new_K, new_V


@right("block_step", "one row is a matrix of one row: q, k, v, K, V in one stack, cut to heads by reshape")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    row = x[None]  # (1, d_model)
    q, k, v = (layer_norm(row, gains[0], biases[0]) @ W[:3]).reshape(3, n_heads, -1)
    old_K, old_V = (m.reshape(len(m), n_heads, q.shape[-1]).transpose(1, 0, 2) for m in (K, V))
    outs, Ks, Vs = zip(*map(cached_step, q, k, v, old_K, old_V))
    row = row + np.stack(outs).reshape(1, -1) @ W[3]
    row = row + feed_forward(layer_norm(row, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return row[0], np.hstack(Ks), np.hstack(Vs)
