"""Answers of a working engineer who knows PyTorch and Keras by heart, and types NumPy with their habits, briefly and with belt and braces."""
import functools
import math
from collections import Counter

import numpy as np
from unseen import odd, right, wrong

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW

EPS = 1e-8  # as in torch.nn.functional

# ---------------------------------------------------------------- 00

wrong("first_check", "makes a set of the tokens, so the second 'was' is lost")(len(set(REVIEW)))

wrong("first_check", "counts the characters of the joined sentence")(len(" ".join(REVIEW)))

right("first_check", "a NumPy integer, the size of an array")(np.int64(np.array(REVIEW).size))


@wrong("bag_of_words", "joins the tokens and counts substrings: 'not' is also found in 'nothing'")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return [text.count(word) for word in vocabulary]


@wrong("bag_of_words", "counts[indices] += 1 adds a word that comes twice only once")
def _(tokens, vocabulary):
    index = {word: i for i, word in enumerate(vocabulary)}
    counts = np.zeros(len(vocabulary), dtype=int)
    counts[[index[t] for t in tokens if t in index]] += 1
    return counts


@wrong("bag_of_words", "searchsorted takes the vocabulary for sorted", "unknown words count at the place where they would stand")
def _(tokens, vocabulary):
    return np.bincount(np.searchsorted(vocabulary, tokens), minlength=len(vocabulary))[: len(vocabulary)]


@right("bag_of_words", "a Counter, asked with get")
def _(tokens, vocabulary):
    c = Counter(tokens)
    return np.fromiter((c.get(w, 0) for w in vocabulary), dtype=np.float32, count=len(vocabulary))


# ---------------------------------------------------------------- 01


@wrong("dot_product", "reduce has no start: the index 0 is the first total, and the first product is skipped")
def _(a, b):
    return functools.reduce(lambda total, i: total + a[i] * b[i], range(len(a)))


@wrong("dot_product", "the products go into an array of the type of a: with whole numbers in a, fractions are cut off")
def _(a, b):
    prod = np.empty_like(a)
    for i in range(len(a)):
        prod[i] = a[i] * b[i]
    return prod.sum()


@odd("dot_product", "endless: i never grows")
def _(a, b):
    i, total = 0, 0.0
    while i < len(a):
        total += a[i] * b[i]
    return total


@wrong("cosine", "an epsilon of 1e-8 in the denominator, so the length of short vectors matters")
def _(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + EPS)


@wrong("cosine", "uses the first two numbers only, as in the plane")
def _(a, b):
    return np.cos(np.arctan2(a[1], a[0]) - np.arctan2(b[1], b[0]))


@right("cosine", "one root of all squares; a @ a * b @ b happens to mean (a @ a)(b @ b)")
def _(a, b):
    return a @ b / (a @ a * b @ b) ** 0.5


@odd("cosine", "normalises both arguments in place")
def _(a, b):
    a /= np.linalg.norm(a)
    b /= np.linalg.norm(b)
    return np.clip(a @ b, -1.0, 1.0)


@wrong("one_query_scores", "the root of K.ndim, as if it were the size (dim() of torch); right for d_k = 2 only")
def _(q, K):
    return K @ q / np.sqrt(K.ndim)


@wrong("one_query_scores", "einsum with a wrong letter in the result: sums over the keys")
def _(q, K):
    return np.einsum("d,nd->d", q, K) / np.sqrt(q.shape[-1])


@wrong("one_query_scores", "// instead of / rounds the scores down")
def _(q, K):
    return q @ K.T // q.shape[-1] ** 0.5


# ---------------------------------------------------------------- 02


@wrong("softmax", "subtracts the maximum above the line and not below it")
def _(scores):
    return np.exp(scores - scores.max()) / np.exp(scores).sum()


@wrong("softmax", "an epsilon of 1e-8 beside the sum: too large for very negative scores")
def _(scores):
    e = np.exp(scores)
    return e / (e.sum() + EPS)


@wrong("softmax", "divides by the largest score instead of subtracting it", "rounds to two decimals, as the lesson prints it")
def _(scores):
    e = np.exp(scores / scores.max())
    return (e / e.sum()).round(2)


@right("softmax", "exp of the log-softmax, with logaddexp")
def _(scores):
    return np.exp(scores - np.logaddexp.reduce(scores))


@wrong("temperature", "does not let the temperature fall below 0.1")
def _(scores, T):
    return softmax(scores / max(T, 0.1))


@wrong("temperature", "divides by the standard deviation of the scores, too", "multiplies with T at the end, as in distillation")
def _(scores, T):
    z = (scores - scores.mean()) / (scores.std() + 1e-5)
    return softmax(z / T) * T


@right("temperature", "1 over the sum of exp of the differences, score by score")
def _(scores, T):
    with np.errstate(over="ignore"):
        return np.array([1 / np.exp((scores - s) / T).sum() for s in scores])


@wrong("stable_softmax", "max(axis=-1)[:, None] fits two axes only")
def _(scores):
    e = np.exp(scores - scores.max(axis=-1)[:, None])
    return e / e.sum(axis=-1)[:, None]


@wrong("stable_softmax", "axis=1 (dim=1) instead of the last axis")
def _(scores):
    m = scores.max(axis=1, keepdims=True)
    e = np.exp(scores - m)
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable_softmax", "casts to float32 first, so large scores lose their differences")
def _(scores):
    s = np.asarray(scores).astype(np.float32)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong("stable_softmax", "in the log space: logaddexp along the last axis loses the log n of huge equal scores")
def _(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


# ---------------------------------------------------------------- 03


@wrong("score_variance", "ddof=1, the default of torch.var")
def _(Q, K):
    return (Q @ K.T).var(ddof=1)


@wrong("score_variance", "turns K with reshape instead of a transpose")
def _(Q, K):
    return (Q @ K.reshape(K.shape[::-1])).var()


@right("score_variance", "mean of the squares minus square of the mean, without the matrix of scores")
def _(Q, K):
    Q, K = Q.astype(np.float64), K.astype(np.float64)
    n = len(Q) * len(K)
    return np.einsum("ij,ij->", Q.T @ Q, K.T @ K) / n - (Q.sum(0) @ K.sum(0) / n) ** 2


@wrong("scale_for_unit_variance", "d_k ** -1 / 2 means (1 / d_k) / 2")
def _(d_k):
    return float(d_k) ** -1 / 2


@wrong("scale_for_unit_variance", "He initialisation: the root of 2 / d_k")
def _(d_k):
    return np.sqrt(2.0 / d_k)


@wrong("scale_for_unit_variance", "measures the factor on random numbers instead of solving for it")
def _(d_k):
    q, k = np.random.default_rng(0).standard_normal((2, 2000, d_k))
    return 1 / (q * k).sum(-1).std()


@right("scale_for_unit_variance", "the Glorot formula with fan_in = fan_out = d_k")
def _(d_k):
    fan_in = fan_out = d_k
    return math.sqrt(2.0 / (fan_in + fan_out))


@wrong("softmax_gradient_size", "np.linalg.norm(J, np.inf) is the largest row sum, not the largest entry")
def _(scores):
    w = softmax(scores)
    return np.linalg.norm(np.diag(w) - np.outer(w, w), np.inf)


@wrong("softmax_gradient_size", "w @ w.T of a one-dimensional array is a number, not an outer product")
def _(scores):
    w = softmax(scores)
    return np.abs(np.diag(w) - w @ w.T).max()


@wrong("softmax_gradient_size", "w_i (1 - w_j) over all pairs instead of i = j")
def _(scores):
    w = softmax(scores)
    return (w[:, None] * (1 - w)).max()


@right("softmax_gradient_size", "only the largest weight: w (1 - w) is never larger for another one")
def _(scores):
    p = softmax(np.asarray(scores, dtype=float)).max()
    return p - p**2


# ---------------------------------------------------------------- 04


@wrong("project", "returns (Q, V, K), the order of the Keras layer")
def _(X, W_Q, W_K, W_V):
    q, k, v = (X @ W for W in (W_Q, W_K, W_V))
    return q, v, k


@wrong("project", "one wide product, cut into three equal parts: wrong when d_v is not d_k")
def _(X, W_Q, W_K, W_V):
    qkv = X @ np.concatenate([W_Q, W_K, W_V], axis=-1)
    return tuple(np.array_split(qkv, 3, axis=-1))


@odd("project", "a generator instead of a tuple")
def _(X, W_Q, W_K, W_V):
    return (np.einsum("nm,mk->nk", X, W) for W in (W_Q, W_K, W_V))


@wrong("scores", "K.transpose(0, 1) is torch: in NumPy it changes nothing")
def _(Q, K):
    return Q @ K.transpose(0, 1) / np.sqrt(K.shape[-1])


@wrong("scores", "divides both Q and K by the root, so the scores are divided by d_k")
def _(Q, K):
    s = Q.shape[-1] ** 0.5
    return (Q / s) @ (K / s).T


@wrong("scores", "einsum with -> ji: queries and keys change places", "d_k is taken from the wrong axis")
def _(Q, K):
    return np.einsum("id,jd->ji", Q, K) / np.sqrt(Q.shape[0])


@right("scores", "the fourth root of d_k on each side")
def _(Q, K):
    s = Q.shape[-1] ** -0.25
    return np.inner(Q * s, K * s)


@wrong("weights", "e.sum(1) without keepdims: divides the columns by the sums of the rows")
def _(Q, K):
    s = Q @ K.T / np.sqrt(Q.shape[1])
    e = np.exp(s - s.max())
    return e / e.sum(1)


@wrong("weights", "scales all queries and keys to length 1 first (cosine attention)")
def _(Q, K):
    normalize = lambda x: x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    return softmax(normalize(Q) @ normalize(K).T / np.sqrt(Q.shape[-1]))


@wrong("weights", "the softmax twice", "no root")
def _(Q, K):
    probs = softmax(np.dot(Q, K.T))
    return softmax(probs, axis=-1)


@odd("weights", "np.matrix all the way, and it returns one")
def _(Q, K):
    Q, K = np.asmatrix(Q), np.asmatrix(K)
    e = np.exp(Q * K.T / np.sqrt(Q.shape[1]))
    return e / e.sum(1)


@wrong("attention", "the root of d_v")
def _(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(V.shape[-1])) @ V


@wrong("attention", "leaves a dropout of 0.1 on")
def _(Q, K, V):
    w = softmax(Q @ K.T / Q.shape[-1] ** 0.5)
    keep = np.random.default_rng(0).random(w.shape) >= 0.1
    return (w * keep / 0.9) @ V


@right("attention", "one query after the other, np.average with the exponentials")
def _(Q, K, V):
    out = np.empty((Q.shape[0], V.shape[1]))
    for i, q in enumerate(Q):
        s = (K * q).sum(-1) / math.sqrt(Q.shape[1])
        out[i] = np.average(V, axis=0, weights=np.exp(s - s.max()))
    return out


@odd("attention", "a class like nn.Module, not an instance of it")
class Attention:
    def __init__(self, d_k, d_v=None, dropout=0.0):
        self.scale, self.dropout = d_k, dropout

    def __call__(self, Q, K, V):
        return softmax(Q @ K.T * self.scale**-0.5) @ V


# ---------------------------------------------------------------- 05


@wrong("good_row", "keeps a batch axis: (1, n) instead of (n,)")
def _(Q, K, i):
    return softmax(Q[i : i + 1] @ K.T / np.sqrt(Q.shape[-1]), axis=-1)


@wrong("good_row", "key i meets all queries; the same only while Q = K")
def _(Q, K, i):
    return softmax(Q @ K[i] / np.sqrt(K.shape[-1]))


@wrong("good_row", "normalises over the queries", "no root")
def _(Q, K, i):
    return softmax(Q @ K.T, axis=0)[i]


@wrong("good_output", "a softmax over the weights, again")
def _(weights, V):
    return softmax(weights) @ V


@wrong("good_output", "drops weights below 0.01 as noise", "changes its input")
def _(weights, V):
    weights[weights < 0.01] = 0
    return weights @ V


@right("good_output", "np.average with weights: a row sums to 1")
def _(weights, V):
    return np.average(V, axis=0, weights=weights)


_row = np.array(CONCEPTUAL_ROW)

wrong("conceptual_keys", "log2 instead of the natural logarithm")(
    (np.array([0.0, 1.0]), np.stack([np.zeros(12), np.log2(_row) * np.sqrt(2)], axis=1))
)

wrong("conceptual_keys", "the keys lie in the columns: (2, 12)")(
    (np.array([0.0, 1.0]), np.stack([np.zeros(12), np.log(_row) * np.sqrt(2)]))
)


wrong("conceptual_keys", "multiplies with d_k instead of its root", "rounds the keys to whole numbers")(
    (np.array([0.0, 1.0]), np.column_stack([np.ones(12), np.round(np.log(_row) * 2)]))
)

right("conceptual_keys", "d_k = 12: a diagonal of logarithms, and a query of ones")(
    (np.ones(12), np.diag(np.log(_row) - 3.0) * np.sqrt(12) + np.sqrt(12) * 3.0 / 12)
)


# ---------------------------------------------------------------- 06


@wrong("causal_mask", "the float mask of torch: 0 where it may look, -inf elsewhere")
def _(n):
    return np.triu(np.full((n, n), -np.inf), 1)


@wrong("causal_mask", "cut out of a buffer of 64 words, as with block_size")
def _(n):
    block_size = 64
    bias = np.tril(np.ones((block_size, block_size))).astype(bool)
    return bias[:n, :n]


@wrong("causal_mask", "a batch axis in front", "the words themselves are hidden, too")
def _(n):
    return np.tril(np.ones((1, n, n), dtype=bool), k=-1)


@wrong("masked_weights", "finfo.tiny is the smallest positive number; the lowest one is finfo.min")
def _(Q, K, mask):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, s, np.finfo(float).tiny))


@wrong("masked_weights", "adds -10,000 as in BERT: too little for large scores")
def _(Q, K, mask):
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1]) + (1.0 - mask) * -10000.0)


@wrong("masked_weights", "masks after the softmax and divides again: a row whose allowed keys score low is lost")
def _(Q, K, mask):
    w = softmax(Q @ K.T / np.sqrt(K.shape[-1])) * mask
    return w / (w.sum(axis=-1, keepdims=True) + 1e-9)


@right("masked_weights", "adds the logarithm of the mask")
def _(Q, K, mask):
    with np.errstate(divide="ignore"):
        return softmax(np.einsum("qd,kd->qk", Q, K) / K.shape[1] ** 0.5 + np.log(mask.astype(float)))


@wrong("padding_mask", "as long as the longest sentence (the default of tf.sequence_mask), not n_keys")
def _(lengths, n_keys):
    return (np.arange(max(lengths)) < np.asarray(lengths)[:, None])[:, None, :]


@wrong("padding_mask", "pads on the left, as for generation")
def _(lengths, n_keys):
    return (np.arange(n_keys) >= n_keys - lengths[:, None])[:, None]


@wrong("padding_mask", "the new axis comes first: (1, batch, n_keys)", "<= lets one padding key through")
def _(lengths, n_keys):
    return (np.arange(n_keys) <= lengths[:, None])[None]


@wrong("mask_label", "looks at the next word only, not at all later ones")
def _(weights):
    return not np.diag(weights, k=1).any()


@wrong("mask_label", "asks whether the seen part of each row sums to 1")
def _(weights):
    return bool(np.allclose(np.tril(weights).sum(axis=-1), 1.0))


@wrong("mask_label", "returns in the first round of the loop: only weights[0, 1] is tested")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i, j] > 0:
                return False
            else:
                return True
    return True


@right("mask_label", "equal to its own lower triangle")
def _(weights):
    return np.array_equal(weights, np.tril(weights))


@wrong("sat_row", "no root: in the design d_k is 1")
def _(Q, K):
    return np.pad(softmax(K[:3] @ Q[2]), (0, 3))


@wrong("sat_row", "zeros_like of whole numbers: the weights are cut to 0")
def _(Q, K):
    row = np.zeros_like(Q[:, 0])
    row[:3] = softmax(K[:3] @ Q[2] / np.sqrt(Q.shape[-1]))
    return row


@wrong("sat_row", "counts from 1: query 1, two keys", "divides by the root of the number of words")
def _(Q, K):
    s = Q @ K.T / np.sqrt(len(Q))
    s[np.triu_indices(6, 1)] = -np.inf
    return softmax(s)[1]


# ---------------------------------------------------------------- 07


@wrong("split_heads", "reshape with the heads last: head 0 gets every n_heads-th column")
def _(X, n_heads):
    return X.reshape(len(X), -1, n_heads).transpose(2, 0, 1)


@wrong("split_heads", ".T on three axes turns round all of them")
def _(X, n_heads):
    n, d = X.shape
    return X.reshape(n, n_heads, d // n_heads).T


@right("split_heads", "hsplit and stack")
def _(X, n_heads):
    return np.stack(np.hsplit(X, n_heads))


@wrong("merge_heads", "the width is n_heads * n: right only while n = d_head")
def _(heads):
    return heads.swapaxes(0, 1).reshape(-1, heads.shape[0] * heads.shape[1])


@wrong("merge_heads", "heads last before the reshape: the columns are interleaved")
def _(heads):
    h, n, d_head = heads.shape
    return heads.transpose(1, 2, 0).reshape(n, h * d_head)


@right("merge_heads", "hstack of the heads")
def _(heads):
    return np.hstack(list(heads))


@wrong("multi_head", "divides by the root of d_model instead of the width of a head")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    n, d_model = X.shape
    q, k, v = ((X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V))
    w = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(d_model))
    return (w @ v).swapaxes(0, 1).reshape(n, -1) @ W_O


@wrong("multi_head", "reshapes the matrices to (n_heads, d_model, d_head) and so mixes their rows")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    q, k, v = (X @ W.reshape(n_heads, X.shape[-1], -1) for W in (W_Q, W_K, W_V))
    out = scaled_dot_product_attention(q, k, v).output
    return np.concatenate(list(out), axis=-1) @ W_O


@wrong("multi_head", "W_O.T, as in nn.Linear", "adds X at the end, the residual of a block")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    split = lambda t: t.reshape(len(X), n_heads, -1).transpose(1, 0, 2)
    out = scaled_dot_product_attention(*(split(X @ W) for W in (W_Q, W_K, W_V))).output
    return X + out.transpose(1, 0, 2).reshape(len(X), -1) @ W_O.T


@right("multi_head", "adds up the heads, each through its own rows of W_O")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    total = np.zeros((len(X), W_O.shape[1]))
    for part in np.array_split(np.arange(W_Q.shape[1]), n_heads):
        q, k, v = X @ W_Q[:, part], X @ W_K[:, part], X @ W_V[:, part]
        total = total + softmax(q @ k.T / np.sqrt(len(part))) @ v @ W_O[part]
    return total


@wrong("cross_attention", "keys and values from context and X together (a memory)")
def _(X, context, W_Q, W_K, W_V):
    memory = np.vstack([context, X])
    return scaled_dot_product_attention(X @ W_Q, memory @ W_K, memory @ W_V)[0]


@wrong("cross_attention", "query, value, key: the order of the Keras layer")
def _(X, context, W_Q, W_K, W_V):
    return scaled_dot_product_attention(X @ W_Q, context @ W_V, context @ W_K).output


@wrong("cross_attention", "the root of d_model, from X", "masks later keys")
def _(X, context, W_Q, W_K, W_V):
    s = (X @ W_Q) @ (context @ W_K).T / np.sqrt(X.shape[-1])
    s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
    return softmax(s) @ (context @ W_V)


@right("cross_attention", "multiplies the matrices first, W_Q @ W_K.T, and W_V last")
def _(X, context, W_Q, W_K, W_V):
    A = softmax(X @ (W_Q @ W_K.T) @ context.T / np.sqrt(W_K.shape[1]))
    return A @ context @ W_V


# ---------------------------------------------------------------- 08


@wrong("permutation", "argsort gives the inverse order")
def _(order):
    return np.eye(len(order))[np.argsort(order)]


@wrong("permutation", "the columns are shuffled instead of the rows", "eye(5), as many words as in the lesson")
def _(order):
    return np.eye(5)[:, order]


@right("permutation", "a comparison, so True and False")
def _(order):
    return np.asarray(order)[:, None] == np.arange(len(order))


@odd("permutation", "an object that knows @ only")
def _(order):
    class P:
        shape = (len(order), len(order))

        def __matmul__(self, X):
            return X[order]

    return P()


@wrong("sinusoidal_positions", "the code of the PyTorch tutorial: it stops at an odd d_model")
def _(n, d_model):
    pe = np.zeros((n, d_model))
    position = np.arange(n)[:, None]
    div_term = np.exp(np.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe


@wrong("sinusoidal_positions", "divides by half - 1, as tensor2tensor does", "the places start at 1")
def _(n, d_model):
    half = max((d_model + 1) // 2, 2)
    speed = np.exp(-np.log(10000.0) * np.arange(half) / (half - 1)).repeat(2)[:d_model]
    a = np.arange(1, n + 1)[:, None] * speed
    return np.where(np.arange(d_model) % 2 == 0, np.sin(a), np.cos(a))


@right("sinusoidal_positions", "real and imaginary part of a complex exponential")
def _(n, d_model):
    half = (d_model + 1) // 2
    z = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(half) / d_model)))
    return np.stack([z.imag, z.real], axis=-1).reshape(n, 2 * half)[:, :d_model]


@odd("sinusoidal_positions", "prints its shapes and is right")
def _(n, d_model):
    dims = np.arange(d_model)
    a = np.arange(n)[:, None] / 10000 ** (dims // 2 * 2 / d_model)
    print("angles", a.shape, a.dtype)
    out = np.where(dims % 2, np.cos(a), np.sin(a))
    print("out", out.shape)
    return out


@wrong("add_positions", "sequence first, as in the PyTorch tutorial: adds the place in the batch")
def _(X, P):
    return X + P[: X.shape[0], None]


@wrong("add_positions", "multiplies the words by the root of d_model, as in the paper")
def _(X, P):
    return X * np.sqrt(X.shape[-1]) + P[None, : X.shape[1]]


@wrong("add_positions", "normalises each row afterwards, as BERT does", "takes the last n rows")
def _(X, P):
    e = X + P[-X.shape[1] :]
    return (e - e.mean(-1, keepdims=True)) / np.sqrt(e.var(-1, keepdims=True) + 1e-12)


@odd("add_positions", "X += changes its input")
def _(X, P):
    X += P[: X.shape[-2]]
    return X


# ---------------------------------------------------------------- 09


@wrong("softmax_gradient", "the diagonal only: w (1 - w) g, as with a sigmoid")
def _(weights, gradient):
    return weights * (1 - weights) * gradient


@wrong("softmax_gradient", "w - g, the short form for softmax with cross-entropy")
def _(weights, gradient):
    return weights - gradient


@wrong("softmax_gradient", "the unweighted mean of g", "clips the gradient to -1 to 1")
def _(weights, gradient):
    return np.clip(weights * (gradient - gradient.mean()), -1.0, 1.0)


@wrong("attention_gradient", "the root is missing in dK, and is there in dQ")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    w = softmax(Q @ K.T / root)
    dw = gradient @ V.T
    ds = w * (dw - (w * dw).sum(axis=-1, keepdims=True))
    return ds @ K / root, ds.T @ Q, w.T @ gradient


@wrong("attention_gradient", "returns in the order of the way back: (dV, dK, dQ)")
def _(Q, K, V, gradient):
    scale = K.shape[-1] ** -0.5
    w = softmax(Q @ K.T * scale)
    dV = w.T @ gradient
    dw = gradient @ V.T
    ds = w * (dw - np.sum(w * dw, axis=-1, keepdims=True)) * scale
    dK, dQ = ds.T @ Q, ds @ K
    return dV, dK, dQ


@odd("attention_gradient", "a stub half filled: dQ is there, dK and dV are still ...")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    w = softmax(Q @ K.T / root)
    dw = gradient @ V.T
    dQ = w * (dw - (w * dw).sum(-1, keepdims=True)) @ K / root
    dK = ...
    dV = ...
    return dQ, dK, dV


@right("attention_gradient", "einsum through the whole Jacobian (query, key, key)")
def _(Q, K, V, gradient):
    s = Q.shape[-1] ** -0.5
    w = softmax(np.einsum("id,jd->ij", Q, K) * s)
    jac = np.einsum("ij,jk->ijk", w, np.eye(len(K))) - np.einsum("ij,ik->ijk", w, w)
    ds = np.einsum("ie,je,ijk->ik", gradient, V, jac) * s
    return np.einsum("ij,jd->id", ds, K), np.einsum("ij,id->jd", ds, Q), np.einsum("ij,ie->je", w, gradient)


@wrong("train_step", "w -= changes the old array")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    w -= learning_rate * X.T @ error
    b -= learning_rate * error.sum()
    return w, b


@wrong("train_step", "the error is already divided by n, and b gets its mean")
def _(w, b, X, labels, learning_rate):
    error = (1 / (1 + np.exp(-(X @ w + b))) - labels) / len(X)
    return w - learning_rate * X.T @ error, b - learning_rate * error.mean()


@wrong("train_step", "p is (n, 1) and labels (n,): the difference becomes (n, n)")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w.reshape(-1, 1) + b)))  # (n, 1)
    error = p - labels
    dw = (X.T @ error / len(X)).mean(axis=1)
    return w - learning_rate * dw, b - learning_rate * error.mean()


@right("train_step", "the sigmoid as a tanh, the mean as np.mean")
def _(w, b, X, labels, learning_rate):
    residual = 0.5 * (1 + np.tanh(0.5 * (np.dot(X, w) + b))) - labels
    return w - learning_rate * np.mean(residual[:, None] * X, axis=0), float(b - learning_rate * np.mean(residual))


# ---------------------------------------------------------------- 10


@wrong("cls_labels", "argmax finds the first place of the target only")
def _(tokens, position, target):
    return (np.argmax(tokens == target, axis=1) == position).astype(int)


@wrong("cls_labels", "counts positions without [CLS]", "labels of shape (n, 1)")
def _(tokens, position, target):
    body = tokens[:, 1:]
    return (body[:, position - 2 : position - 1] == target).astype("float32")


@right("cls_labels", "isin on the column, as uint8")
def _(tokens, position, target):
    return np.isin(tokens.T[position], [target]).view(np.uint8)


@wrong("recall", "predictions[labels] takes 0 and 1 as indices, not as a mask")
def _(labels, predictions):
    return predictions[labels].mean()


@wrong("recall", "reads the confusion matrix as tp, fp, fn, tn; its order is tn, fp, fn, tp")
def _(labels, predictions):
    cm = np.zeros((2, 2))
    np.add.at(cm, (labels.astype(int), predictions.astype(int)), 1)
    tp, fp, fn, tn = cm.ravel()
    return tp / (tp + fn + 1e-7)


@right("recall", "an epsilon of 1e-7, as in Keras")
def _(labels, predictions):
    tp = np.sum(labels * predictions)
    return tp / (np.sum(labels) + 1e-7)


@odd("recall", "& between arrays: it stops at floats 0.0 and 1.0")
def _(labels, predictions):
    return (labels & predictions).sum() / labels.sum()


@wrong("count_weights", "BatchNorm in place of the normalisation of a row: four vectors, not two")
def _(vocab_size, seq_len, d_model):
    embed = (vocab_size + seq_len) * d_model
    attn = 4 * (d_model + 1) * d_model
    return embed + attn + 4 * d_model + d_model + 1


@wrong("count_weights", "each bias is one number instead of a vector")
def _(vocab_size, seq_len, d_model):
    return vocab_size * d_model + seq_len * d_model + 4 * (d_model * d_model + 1) + 2 * d_model + d_model + 1


@wrong("count_weights", "one row more for [CLS] in both tables", "two output units for yes and no")
def _(vocab_size, seq_len, d_model):
    dense = lambda i, o: i * o + o
    return (vocab_size + 1 + seq_len + 1) * d_model + 4 * dense(d_model, d_model) + 2 * d_model + dense(d_model, 2)


@odd("count_weights", "a float")
def _(vocab_size, seq_len, d_model):
    return float((vocab_size + seq_len) * d_model + 4 * (d_model**2 + d_model) + 3 * d_model + 1)


# ---------------------------------------------------------------- 11


@wrong("balanced_accuracy", "~labels of whole numbers is -1 and -2: it picks the last two answers")
def _(labels, predictions):
    hit = predictions == labels
    return (hit[labels.astype(bool)].mean() + hit[~labels.astype(int)].mean()) / 2


@wrong("balanced_accuracy", "the second share is counted among the predicted zeros")
def _(labels, predictions):
    tpr = ((labels == 1) & (predictions == 1)).sum() / (labels == 1).sum()
    tnr = ((labels == 0) & (predictions == 0)).sum() / max((predictions == 0).sum(), 1)
    return (tpr + tnr) / 2


@wrong("balanced_accuracy", "the mean of recall and precision", "1e-3 in the denominators")
def _(labels, predictions):
    tp = (labels * predictions).sum()
    return 0.5 * (tp / (labels.sum() + 1e-3) + tp / (predictions.sum() + 1e-3))


@right("balanced_accuracy", "sample weights: one over the count of the class")
def _(labels, predictions):
    y = labels.astype(int)
    return np.average(y == predictions, weights=1 / np.bincount(y)[y])


@wrong("uniform_attention", "shape[1] instead of the last axis")
def _(weights):
    return np.ones_like(weights, dtype=float) / weights.shape[1]


@wrong("uniform_attention", "keys that weigh 0 stay at 0")
def _(weights):
    seen = (weights > 0).astype(float)
    return seen / np.clip(seen.sum(-1, keepdims=True), 1e-9, None)


@right("uniform_attention", "the mean of each row: a row sums to 1")
def _(weights):
    return np.broadcast_to(weights.mean(axis=-1, keepdims=True), weights.shape).copy()


# ---------------------------------------------------------------- 12


@wrong("verdict_label", "~good of whole numbers is -1 and -2")
def _(good, negations):
    return np.where(negations % 2, ~good, good)


@wrong("verdict_label", "xor with the number instead of with its last bit")
def _(good, negations):
    return good ^ negations


@wrong("verdict_label", "the sign turns, and blame is -1", "one negation or more turns once")
def _(good, negations):
    return (2 * good - 1) * np.where(negations > 0, -1, 1)


@right("verdict_label", "the parity of the distance")
def _(good, negations):
    return np.abs(good - negations) % 2


@wrong("twins_told_apart", "all neighbours, not only the pairs")
def _(labels, predictions):
    ok = labels == predictions
    return (ok[:-1] & ok[1:]).mean()


@wrong("twins_told_apart", "asks only whether the two answers differ")
def _(labels, predictions):
    a, b = predictions.reshape(-1, 2).T
    return float((a != b).mean())


@wrong("twins_told_apart", "pairs row i with row i + n / 2", "any instead of all")
def _(labels, predictions):
    return (labels == predictions).reshape(2, -1).any(axis=0).mean()


@right("twins_told_apart", "reduceat adds up the pairs")
def _(labels, predictions):
    hits = np.add.reduceat((labels == predictions).astype(int), np.arange(0, len(labels), 2))
    return np.mean(hits == 2)


@wrong("cut_edge", "mask[[query, key]] takes two rows")
def _(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[[query, key]] = False
    return mask


@wrong("cut_edge", "and instead of or: the whole row and the whole column are cut")
def _(n, query, key):
    i, j = np.ogrid[:n, :n]
    return (i != query) & (j != key)


@wrong("cut_edge", "True = may not look, as attn_mask in torch", "query and key change places")
def _(n, query, key):
    attn_mask = np.zeros((n, n), bool)
    attn_mask[key, query] = True
    return attn_mask


@right("cut_edge", "not the outer product of two one-hot rows")
def _(n, query, key):
    eye = np.eye(n, dtype=bool)
    return ~np.outer(eye[query], eye[key])


# ---------------------------------------------------------------- 13


@wrong("attention_bytes", "counts the matrices of the projections, with heads of 64")
def _(n, n_layers, n_heads, bytes_per_weight):
    d_model = 64 * n_heads
    return n_layers * 4 * d_model * d_model * bytes_per_weight


@wrong("attention_bytes", "multiplies in int32, which overflows")
def _(n, n_layers, n_heads, bytes_per_weight):
    return int(np.prod([n, n, n_layers, n_heads, bytes_per_weight], dtype=np.int32))


@wrong("attention_bytes", "GiB instead of bytes", "twice, once for the scores")
def _(n, n_layers, n_heads, bytes_per_weight):
    return 2 * n**2 * n_layers * n_heads * bytes_per_weight / 1024**3


@wrong("online_step", "the tile is measured from its own highest score, not from the new one")
def _(highest, total, mixture, scores, values):
    new = np.maximum(highest, scores.max())
    c = np.exp(highest - new)
    p = np.exp(scores - scores.max())
    return new, total * c + p.sum(), mixture * c + p @ values


@wrong("online_step", "-inf at the start becomes 0, so negative scores are measured from 0")
def _(highest, total, mixture, scores, values):
    if not np.isfinite(highest):
        highest = 0.0
    new = max(highest, scores.max())
    p, c = np.exp(scores - new), np.exp(highest - new)
    return new, c * total + p.sum(), c * mixture + p @ values


@right("online_step", "one key after the other")
def _(highest, total, mixture, scores, values):
    for s, v in zip(scores, values):
        if s > highest:
            f = math.exp(highest - s)
            highest, total, mixture = s, total * f, mixture * f
        e = math.exp(s - highest)
        total, mixture = total + e, mixture + e * v
    return highest, total, mixture


@odd("online_step", "total and mixture are changed in place, and None comes back at the first tile")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    if highest == -np.inf:
        mixture[:] = np.exp(scores - new) @ values
        return
    mixture *= np.exp(highest - new)
    mixture += np.exp(scores - new) @ values
    return new, total * np.exp(highest - new) + np.exp(scores - new).sum(), mixture


@wrong("cached_step", "copied the line: the values get the key")
def _(q, k, v, K, V):
    K = np.vstack([K, k])
    V = np.vstack([V, k])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


@wrong("cached_step", "drops the oldest row, so that the cache keeps its size")
def _(q, k, v, K, V):
    K, V = np.vstack([K[1:], k]), np.vstack([V[1:], v])
    return softmax(q @ K.T / np.sqrt(q.shape[-1])) @ V, K, V


@wrong("cached_step", "np.append without an axis flattens the cache", "the root of the number of tokens")
def _(q, k, v, K, V):
    K, V = np.append(K, k), np.append(V, v)
    n = K.size // q.size
    return softmax(K.reshape(n, -1) @ q / np.sqrt(n)) @ V.reshape(n, -1), K, V


# ---------------------------------------------------------------- 14


@wrong("batched_attention", "averages the weights over the heads, as nn.MultiheadAttention does")
def _(Q, K, V, mask):
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    w = softmax(np.where(mask, S, -np.inf), axis=-1)
    return w @ V, w.mean(axis=1)


@wrong("batched_attention", "merges the heads already: (batch, n, d_model)")
def _(Q, K, V, mask):
    b, h, n, d = Q.shape
    w = softmax(np.where(mask, np.einsum("bhqd,bhkd->bhqk", Q, K) / d**0.5, -np.inf))
    return (w @ V).transpose(0, 2, 1, 3).reshape(b, n, h * d), w


@wrong("batched_attention", "einsum with k and q swapped: the rows are keys")
def _(Q, K, V, mask):
    S = np.einsum("bhqd,bhkd->bhkq", Q, K) / np.sqrt(K.shape[-1])
    A = softmax(np.where(mask, S, -np.inf))
    return A @ V, A


@right("batched_attention", "one matrix after the other, -inf by a boolean index")
def _(Q, K, V, mask):
    output, weights = np.zeros(Q.shape[:3] + V.shape[3:]), np.zeros(Q.shape[:3] + K.shape[2:3])
    for b, h in np.ndindex(Q.shape[:2]):
        s = Q[b, h] @ K[b, h].T / math.sqrt(Q.shape[-1])
        s[:, ~mask[b, 0, 0]] = -np.inf
        weights[b, h] = softmax(s)
        output[b, h] = weights[b, h] @ V[b, h]
    return output, weights


@wrong("previous_token", "row 0 takes column -1, which is the last one")
def _(weights):
    i = np.arange(weights.shape[-1])
    return weights[:, i, i - 1].mean(axis=-1)


@wrong("previous_token", "the share of tokens that look most at the one before", "and the first row counts as a miss")
def _(weights):
    return (weights.argmax(-1) == np.arange(weights.shape[-1]) - 1).mean(-1)


@right("previous_token", "einsum hii->h on the shifted block")
def _(weights):
    return np.einsum("hii->h", weights[:, 1:, :-1]) / (weights.shape[1] - 1)


@wrong("mean_pooling", "scales the vectors to length 1, as sentence-transformers does")
def _(hidden, mask):
    m = mask[..., None].astype(hidden.dtype)
    e = (hidden * m).sum(1) / np.clip(m.sum(1), 1e-9, None)
    return e / np.linalg.norm(e, axis=-1, keepdims=True)


@wrong("mean_pooling", "hidden[mask] fits back only if all sentences are equally long")
def _(hidden, mask):
    batch, _, d = hidden.shape
    return hidden[mask].reshape(batch, -1, d).mean(axis=1)


@wrong("mean_pooling", "leaves out the first token as [CLS]", "changes the mask")
def _(hidden, mask):
    mask[:, 0] = False
    m = mask[..., None]
    return (hidden * m).sum(1) / np.maximum(m.sum(1), 1)


@right("mean_pooling", "clip(min=1e-9) below the line, from the model card")
def _(hidden, mask):
    expanded = np.broadcast_to(mask[..., None], hidden.shape).astype(float)
    return np.sum(hidden * expanded, 1) / np.clip(expanded.sum(1), a_min=1e-9, a_max=None)
