"""Answers of a doctoral student in physics: Fortran and Julia before Python, careless with types and tolerances."""
import math

import numpy as np
from unseen import odd, right, wrong

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW

NMAX = 64  # work arrays

# 00
right("first_check", "an unsigned byte of NumPy")(np.uint8(len(REVIEW)))


@wrong("bag_of_words", "an unknown word counts for its neighbour in the alphabet", "takes the vocabulary to be sorted")
def _(tokens, vocabulary):
    bins = np.searchsorted(vocabulary, tokens)
    return np.bincount(bins, minlength=len(vocabulary))[: len(vocabulary)]


# 01
@wrong("dot_product", "the sum is kept in the type of a, so fractions are cut off when a holds whole numbers",
       "stops at the first product of about 0, as if it were a series that converges")
def _(a, b):
    total = np.zeros(1, dtype=a.dtype)
    for x, y in zip(a, b):
        term = x * y
        if abs(term) < 1e-12:
            break
        total[0] += term
    return total[0]


@wrong("dot_product", "loop unrolled by two: with an odd length the last product is lost")
def _(a, b):
    s0 = s1 = 0.0
    for i in range(0, len(a) - 1, 2):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
    return s0 + s1


@right("dot_product", "compensated summation (Kahan) with an index")
def _(a, b):
    total, carry, i = 0.0, 0.0, 0
    while i < len(a):
        y = float(a[i]) * float(b[i]) - carry
        t = total + y
        carry = (t - total) - y
        total = t
        i += 1
    return total


@wrong("cosine", "adds 1e-8 to the product of the lengths, so very short vectors come out too small")
def _(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-8)


@wrong("cosine", "takes the length of the projection: the sign is lost")
def _(a, b):
    shadow = (a @ b) / (b @ b) * b
    return np.linalg.norm(shadow) / np.linalg.norm(a)


@wrong("one_query_scores", "** binds before /: divides by d_k and by 2")
def _(q, K):
    return K @ q / q.shape[-1] ** 1/2


# 02
@wrong("softmax", "writes the exponentials into a copy of the scores: whole-number scores cut them down")
def _(scores):
    e = scores.copy()
    e[:] = np.exp(e)
    return e / e.sum()


@odd("softmax", "endless for some rows: normalises until the sum is exactly 1")
def _(scores):
    w = np.exp(scores)
    while w.sum() != 1.0:
        w /= w.sum()
    return w


@wrong("temperature", "Boltzmann factor with its minus sign: low scores get most")
def _(scores, T):
    boltzmann = np.exp(-scores / T)
    Z = boltzmann.sum()
    return boltzmann / Z


@wrong("stable_softmax", "minus infinity is set to -1e4, so it wins or shares where the other scores lie lower")
def _(scores):
    s = np.nan_to_num(scores, neginf=-1e4)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "one maximum for all rows: a row far below it becomes 0/0",
       "sums along axis 1, which is the last axis of a matrix only")
def _(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable_softmax", "minus the log of the sum, by logaddexp.reduce: among huge equal scores the log is lost")
def _(scores):
    free_energy = -np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return np.exp(scores + free_energy)


# 03
@wrong("score_variance", "divides by one less than the number of scores, as for a sample")
def _(Q, K):
    return np.var(Q @ K.T, ddof=1)


@wrong("scale_for_unit_variance", "-1 // 2 is -1: the root is missing")
def _(d_k):
    return float(d_k) ** (-1 // 2)


@wrong("softmax_gradient_size", "forward differences with a step of 0.01: too coarse",
       "the step is added to a copy of the same type: lost when the scores are whole numbers")
def _(scores):
    h = 1e-2
    w = softmax(scores)
    J = np.empty((len(scores), len(scores)))
    for j in range(len(scores)):
        moved = scores.copy()
        moved[j] += h
        J[:, j] = (softmax(moved) - w) / h
    return np.abs(J).max()


# 04
@wrong("project", "one product with all matrices, cut in three equal parts: takes d_v for d_k")
def _(X, W_Q, W_K, W_V):
    return tuple(np.split(X @ np.hstack([W_Q, W_K, W_V]), 3, axis=1))


@wrong("scores", "divides in place: an error with whole numbers")
def _(Q, K):
    S = Q @ K.T
    S /= np.sqrt(Q.shape[-1])
    return S


@wrong("scores", "a work array of 64 x 64: an error with more words")
def _(Q, K):
    S = np.zeros((NMAX, NMAX))
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = np.dot(Q[i], K[j])
    return S[: len(Q), : len(K)] / math.sqrt(Q.shape[1])


@wrong("weights", "divides by the measured standard deviation of the scores, not by the root of d_k")
def _(Q, K):
    S = Q @ K.T
    return softmax(S / S.std(), axis=-1)


@odd("weights", "scales Q in place: changes its input, and fails with whole numbers")
def _(Q, K):
    Q *= 1 / np.sqrt(Q.shape[-1])
    return softmax(Q @ K.T)


@wrong("attention", "the output gets as many rows as V, also when there are more or fewer queries",
       "the output has the type of V: fractions are cut off when V holds whole numbers")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    out = np.zeros_like(V)
    for i in range(len(Q)):
        out[i] = A[i] @ V
    return out


@wrong("attention", "weights under 1e-3 are neglected, and nothing makes up for them")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    A[A < 1e-3] = 0.0
    return A @ V


@right("attention", "streams over the keys, with a running maximum for each query")
def _(Q, K, V):
    top = np.full((len(Q), 1), -np.inf)
    Z = np.zeros((len(Q), 1))
    out = np.zeros((len(Q), V.shape[1]))
    for k, v in zip(K, V):
        s = (Q @ k / math.sqrt(len(k)))[:, None]
        old, top = top, np.maximum(top, s)
        shrink, e = np.exp(old - top), np.exp(s - top)
        Z = shrink * Z + e
        out = shrink * out + e * v
    return out / Z


# 05
@wrong("good_row", "counts the words from 1")
def _(Q, K, i):
    return softmax(K @ Q[i - 1] / np.sqrt(K.shape[1]))


@wrong("good_output", "a buffer for two numbers: further columns of V are lost")
def _(weights, V):
    out = np.zeros(2)
    for w, v in zip(weights, V):
        out[0] += w * v[0]
        out[1] += w * v[1]
    return out


right("conceptual_keys", "64 dimensions, all alike, logarithms shifted by a constant")(
    (np.ones(64) / 8, np.outer(np.log(CONCEPTUAL_ROW) + 5, np.ones(64)))
)


# 06
@wrong("causal_mask", "each row is the bits of one 64-bit number: wrong from 65 words on")
def _(n):
    i = np.arange(n)
    rows = (2 << i) - 1
    return ((rows[:, None] >> i) & 1).astype(bool)


@wrong("causal_mask", "the wrong triangle, as if arrays were column-major", "small integers in place of bool")
def _(n):
    return np.triu(np.ones((n, n), dtype=np.int8))


@odd("causal_mask", "a bool np.matrix")
def _(n):
    return np.asmatrix(np.tri(n, dtype=bool))


@wrong("masked_weights", "takes 100 off forbidden scores: too little where scores are far apart")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(S - 100.0 * ~mask)


@wrong("padding_mask", "looks the rows up in a table without a row for the full length")
def _(lengths, n_keys):
    table = np.tri(n_keys, n_keys, -1, dtype=bool)
    return table[lengths][:, None, :]


@wrong("mask_label", "a tolerance of 1e-3: small weights on later keys pass")
def _(weights):
    return bool(np.abs(np.triu(weights, 1)).max() < 1e-3)


@wrong("sat_row", "takes the end of a slice as included: sat does not see itself")
def _(Q, K):
    row = np.zeros(6)
    row[0:2] = softmax(K[0:2] @ Q[2] / np.sqrt(K.shape[1]))
    return row


# 07
@right("split_heads", "only new strides, no copy")
def _(X, n_heads):
    n, d = X.shape
    row, col = X.strides
    return np.lib.stride_tricks.as_strided(X, (n_heads, n, d // n_heads), (d // n_heads * col, row, col))


@wrong("merge_heads", "the heads become the fastest axis: the numbers of a row are interleaved")
def _(heads):
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


@wrong("multi_head", "the merged heads get the width of X: takes d for d_model",
       "the merged heads get the type of X: fractions are cut off when X holds whole numbers")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    merged = np.empty_like(X)
    d_head = Q.shape[1] // n_heads
    for h in range(n_heads):
        c = slice(h * d_head, (h + 1) * d_head)
        merged[:, c] = scaled_dot_product_attention(Q[:, c], K[:, c], V[:, c])[0]
    return merged @ W_O


@wrong("cross_attention", "divides by the root of d_model, not of d_k")
def _(X, context, W_Q, W_K, W_V):
    S = np.einsum("id,jd->ij", X @ W_Q, context @ W_K) / np.sqrt(W_Q.shape[0])
    return softmax(S, axis=-1) @ (context @ W_V)


# 08
@wrong("permutation", "rows and columns exchanged: the inverse order")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    P[order, np.arange(n)] = 1
    return P


@right("sinusoidal_positions", "complex exponentials, seen as pairs of real numbers")
def _(n, d_model):
    k = np.arange((d_model + 1) // 2)
    z = np.exp(1j * np.arange(n)[:, None] * 10000.0 ** (-2 * k / d_model))
    return (1j * z.conj()).view(float)[:, :d_model]


@wrong("add_positions", "np.resize reads P on from sentence to sentence when P is longer than n")
def _(X, P):
    return X + np.resize(P, X.shape)


# 09
@wrong("softmax_gradient", "w * w in place of the outer product")
def _(weights, gradient):
    J = np.diag(weights) - weights * weights
    return gradient @ J


def attend(Q, K, V):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.real.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True) @ V


@right("attention_gradient", "complex-step derivatives")
def _(Q, K, V, gradient):
    arrays = [np.array(a, dtype=complex) for a in (Q, K, V)]
    result = []
    for a in arrays:
        d = np.zeros(a.shape)
        for place in np.ndindex(a.shape):
            kept = a[place]
            a[place] = kept + 1e-30j
            d[place] = (gradient * attend(*arrays).imag).sum() / 1e-30
            a[place] = kept
        result.append(d)
    return tuple(result)


@wrong("train_step", "changes w in place", "the sum over the sentences, not the mean")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = p - labels
    w -= learning_rate * X.T @ error
    b -= learning_rate * error.sum()
    return w, b


# 10
@wrong("cls_labels", "counts the positions after [CLS]")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("recall", "labels taken as indices 0 and 1, not as a mask")
def _(labels, predictions):
    return predictions[labels].mean()


@right("count_weights", "a polynomial in d_model")
def _(vocab_size, seq_len, d_model):
    return np.polyval([4, vocab_size + seq_len + 7, 1], d_model)


# 11
@wrong("balanced_accuracy", "covariance over variance, but np.cov divides by n - 1 and np.var by n")
def _(labels, predictions):
    slope = np.cov(labels, predictions)[0, 1] / np.var(labels)
    return 0.5 * (1 + slope)


@wrong("uniform_attention", "full_like keeps the type: weights of whole numbers give zeros")
def _(weights):
    return np.full_like(weights, 1 / weights.shape[-1])


# 12
@wrong("verdict_label", "spins: -1 where it should be 0")
def _(good, negations):
    spin = 2 * good - 1
    return spin * (-1) ** negations


@right("twins_told_apart", "one minus the share of pairs with an error, by reduceat")
def _(labels, predictions):
    failed = np.not_equal(labels, predictions)
    return 1 - np.logical_or.reduceat(failed, np.arange(0, len(failed), 2)).mean()


@wrong("cut_edge", "flat index as in column-major arrays: cuts key at query")
def _(n, query, key):
    mask = np.ones(n * n, dtype=bool)
    mask[query + n * key] = False
    return mask.reshape(n, n)


# 13
@wrong("attention_bytes", "32-bit integers overflow for a large model")
def _(n, n_layers, n_heads, bytes_per_weight):
    return np.prod([n, n, n_layers, n_heads, bytes_per_weight], dtype=np.int32)


@wrong("online_step", "keeps the mixture as a running mean: divides in each step")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    e = np.exp(scores - new)
    total = total * np.exp(highest - new) + e.sum()
    mixture = mixture + (e @ values - e.sum() * mixture) / total
    return new, total, mixture


@wrong("cached_step", "np.insert at -1 puts the new token before the last one",
       "divides by the root of the number of keys")
def _(q, k, v, K, V):
    K = np.insert(K, -1, k, axis=0)
    V = np.insert(V, -1, v, axis=0)
    return softmax(K @ q / np.sqrt(K.shape[0])) @ V, K, V


WORK = {}


@odd("cached_step", "returns views of a work array that the next call overwrites")
def _(q, k, v, K, V):
    n = len(K)
    for name, old, row in (("K", K, k), ("V", V, v)):
        if name not in WORK or WORK[name].shape[0] <= n or WORK[name].shape[1] != len(row):
            WORK[name] = np.empty((2 * n + 2, len(row)))
        WORK[name][:n], WORK[name][n] = old, row
    K, V = WORK["K"][: n + 1], WORK["V"][: n + 1]
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


# 14
@wrong("batched_attention", "np.tile where np.repeat is needed: sentences get each other's masks")
def _(Q, K, V, mask):
    batch, n_heads, n, d_k = Q.shape
    q, k, v = (x.reshape(batch * n_heads, n, -1) for x in (Q, K, V))
    may = np.tile(mask.reshape(batch, 1, n), (n_heads, 1, 1))
    A = softmax(np.where(may, q @ k.transpose(0, 2, 1) / np.sqrt(d_k), -np.inf))
    return (A @ v).reshape(V.shape), A.reshape(batch, n_heads, n, n)


@wrong("previous_token", "divides by n, though only n - 1 tokens have one before")
def _(weights):
    return np.trace(weights, offset=-1, axis1=1, axis2=2) / weights.shape[-1]


@wrong("mean_pooling", "padding becomes NaN in a copy: an error when hidden holds whole numbers")
def _(hidden, mask):
    h = hidden.copy()
    h[~mask] = np.nan
    return np.nanmean(h, axis=1)
