"""Answers of a student late at night, who pastes snippets from the web or a chat assistant and adapts them until the lesson's own example looks right."""
import functools
import math
import operator
import statistics
from collections import Counter

import numpy as np

from course_utils.attention import causal_mask, scaled_dot_product_attention, sinusoidal_positions, softmax
from course_utils.cls_task import metrics
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong  # decorators

# ---------------------------------------------------------------- left over from earlier cells of this student

total = 0  # some cell had this
PE = sinusoidal_positions(60, 64)  # made once, in the cell with the waves
MASK = np.tri(12, dtype=bool)  # made once for the review
KEY_CACHE, VALUE_CACHE = [], []


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def my_scores(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[-1])


def my_split(X, n_heads):
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


def my_merge(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def my_recall(labels, predictions):
    return np.mean(predictions[labels == 1])


# ---------------------------------------------------------------- 00

wrong("first_check", "length of the joined text, so characters")(len(" ".join(REVIEW)))
right("first_check", "size of a NumPy array of strings")(np.array(REVIEW).size)
odd("first_check", "the shape, a tuple")(np.array(REVIEW).shape)


@wrong("bag_of_words", "substrings count: 'not' is found in 'nothing'")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return [text.count(word) for word in vocabulary]


@wrong("bag_of_words", "try around the whole loop: stops at the first unknown word")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    try:
        for t in tokens:
            counts[vocabulary.index(t)] += 1
    except ValueError:
        pass  # ignore words that are not in the vocabulary
    return counts


@wrong("bag_of_words", "sorts the vocabulary, as the lesson does", "lowers the tokens")
def _(tokens, vocabulary):
    c = Counter(t.lower() for t in tokens)
    return np.array([c[w] for w in sorted(vocabulary)])


@odd("bag_of_words", "needs pandas, which is not installed here")
def _(tokens, vocabulary):
    import pandas as pd

    return pd.Series(tokens).value_counts().reindex(vocabulary).fillna(0).astype(int).tolist()


# ---------------------------------------------------------------- 01


@wrong("dot_product", "the total is a global that is never set back to 0")
def _(a, b):
    global total
    for x, y in zip(a, b):
        total = total + x * y
    return total


@wrong("dot_product", "a set swallows equal products")
def _(a, b):
    return sum({x * y for x, y in zip(a, b)})


@right("dot_product", "fsum over map(mul)")
def _(a, b):
    return math.fsum(map(operator.mul, a, b))


@wrong("cosine", "difference of two arctan2, only the first two numbers count")
def _(a, b):
    theta = np.arctan2(a[1], a[0]) - np.arctan2(b[1], b[0])
    return np.cos(theta)


@wrong("cosine", "cosine distance, as in SciPy")
def _(a, b):
    return 1 - np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


@wrong("cosine", "rounded to two decimals like the text", "clipped at 0")
def _(a, b):
    c = a @ b / np.sqrt((a @ a) * (b @ b))
    return np.round(np.clip(c, 0, 1), 2)


@wrong("one_query_scores", "the root of 2 from the cell below", "the softmax of that cell too")
def _(q, K):
    return softmax(K @ q / np.sqrt(2))


@wrong("one_query_scores", "scales the query, then the scores again")
def _(q, K):
    d_k = q.shape[-1]
    q = q / np.sqrt(d_k)
    scores = K @ q
    scores = scores / np.sqrt(d_k)
    return scores


@odd("one_query_scores", "divides q in place, so its input changes (ints raise)")
def _(q, K):
    q /= np.sqrt(q.shape[-1])
    return K @ q


# ---------------------------------------------------------------- 02


@wrong("softmax", "log_softmax from a snippet, without the exp at the end")
def _(scores):
    m = scores.max()
    return scores - m - np.log(np.exp(scores - m).sum())


@wrong("softmax", "axis=1 on one row, the error is swallowed and even shares come back")
def _(scores):
    try:
        e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    except Exception:
        return np.ones(len(scores)) / len(scores)


@wrong("softmax", "a batch axis is left over")
def _(scores):
    x = np.atleast_2d(scores)  # (1, n)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("temperature", "below 0.1 an if returns a one-hot row")
def _(scores, T):
    if T < 0.1:
        weights = np.zeros(len(scores))
        weights[np.argmax(scores)] = 1
        return weights
    return softmax(scores / T)


@wrong("temperature", "floor division")
def _(scores, T):
    return softmax(scores // T)


@right("temperature", "differences of all pairs")
def _(scores, T):
    s = np.asarray(scores, float)
    return 1 / np.exp(np.clip((s[None, :] - s[:, None]) / T, -700, 700)).sum(axis=1)


@wrong("stable_softmax", "the usual formula, nan_to_num hides what overflowed")
def _(scores):
    with np.errstate(all="ignore"):
        e = np.exp(scores)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@wrong("stable_softmax", "clips the scores at 500 instead of subtracting")
def _(scores):
    e = np.exp(np.clip(scores.astype(float), -500, 500))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "axis=1 for the maximum, so only matrices work")
def _(scores):
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


# ---------------------------------------------------------------- 03


@wrong("score_variance", "mean of the variances of the rows")
def _(Q, K):
    return (Q @ K.T).var(axis=1).mean()


@wrong("score_variance", "statistics.variance divides by n - 1")
def _(Q, K):
    return statistics.variance((Q @ K.T).ravel().tolist())


@right("score_variance", "double loop and pvariance")
def _(Q, K):
    return statistics.pvariance([float(np.dot(q, k)) for q in Q for k in K])


@wrong("scale_for_unit_variance", "d_k ** -1 / 2 is half of 1 / d_k")
def _(d_k):
    return float(d_k) ** -1 / 2


@wrong("scale_for_unit_variance", "measured with random vectors, so only nearly right")
def _(d_k):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 2000, d_k))
    return 1 / (q * k).sum(axis=1).std()


@right("scale_for_unit_variance", "exp of minus half the log")
def _(d_k):
    return math.exp(-0.5 * math.log(d_k))


@wrong("softmax_gradient_size", "np.gradient, the differences of neighbours")
def _(scores):
    return np.abs(np.gradient(softmax(scores))).max()


@wrong("softmax_gradient_size", "w @ w.T of one row is a number, not a matrix")
def _(scores):
    w = softmax(scores)
    J = np.abs(np.diag(w)) - w @ w.T
    return J.max()


@right("softmax_gradient_size", "only the largest weight is needed")
def _(scores):
    w = softmax(np.asarray(scores, float)).max()
    return w - w**2


# ---------------------------------------------------------------- 04


@wrong("project", "one wide product, split into three equal parts, so d_v must equal d_k")
def _(X, W_Q, W_K, W_V):
    qkv = X @ np.hstack([W_Q, W_K, W_V])
    Q, K, V = np.array_split(qkv, 3, axis=1)
    return Q, K, V


@wrong("project", "cut to whole numbers, as the lesson prints them", "a pasted line: the values come from the keys' matrix")
def _(X, W_Q, W_K, W_V):
    Q = (X @ W_Q).astype(int)
    K = (X @ W_K).astype(int)
    V = (X @ W_K).astype(int)
    return Q, K, V


@odd("project", "a dict with the names")
def _(X, W_Q, W_K, W_V):
    return {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}


@wrong("scores", "zeros_like of the whole numbers cuts the quotients")
def _(Q, K):
    products = Q @ K.T
    S = np.zeros_like(products)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            S[i, j] = products[i, j] / np.sqrt(Q.shape[1])
    return S


@wrong("scores", "cosine similarity from lesson 01 in place of the product", "then the root on top")
def _(Q, K):
    Qn = Q / (np.linalg.norm(Q, axis=1, keepdims=True) + 1e-9)
    Kn = K / (np.linalg.norm(K, axis=1, keepdims=True) + 1e-9)
    return Qn @ Kn.T / np.sqrt(Q.shape[1])


@right("scores", "np.inner and a power")
def _(Q, K):
    return np.inner(Q, K) * len(Q[0]) ** -0.5


@wrong("weights", "scales again what the helper has scaled")
def _(Q, K):
    scores = my_scores(Q, K)
    return softmax(scores / np.sqrt(K.shape[-1]), axis=-1)


@wrong("weights", "softmax of a softmax")
def _(Q, K):
    S = np.stack([softmax(row) for row in my_scores(Q, K)])
    return softmax(S, axis=-1)


@odd("weights", "endless: divides until every sum is exactly 1")
def _(Q, K):
    w = np.exp(my_scores(Q, K))
    while (w.sum(axis=1) != 1).any():
        w = w / w.sum(axis=1)[:, None]
    return w


@wrong("attention", "the causal mask of a GPT snippet is left in")
def _(Q, K, V):
    T = Q.shape[0]
    att = my_scores(Q, K)
    att[np.triu_indices(T, 1)] = -np.inf
    return softmax(att, axis=-1) @ V


@wrong("attention", "returns output and weights")
def _(Q, K, V):
    return scaled_dot_product_attention(Q, K, V)


@wrong("attention", "mean instead of sum over the keys", "no root")
def _(Q, K, V):
    w = softmax(Q @ K.T, axis=-1)
    return (w[:, :, None] * V[None]).mean(axis=1)


@right("attention", "a loop over queries and an accumulator")
def _(Q, K, V):
    out = []
    for q in Q.astype(float):
        e = [math.exp(s) for s in (K @ q - (K @ q).max()) / math.sqrt(len(q))]
        out.append(sum(w * v for w, v in zip(e, V)) / sum(e))
    return np.array(out)


# ---------------------------------------------------------------- 05


@wrong("good_row", "the query is the key of word i, in the example they are equal")
def _(Q, K, i):
    q = K[i]
    return softmax(K @ q / np.sqrt(K.shape[1]))


@wrong("good_row", "always word 4", "always the root of 2")
def _(Q, K, i):
    q_good = Q[4]
    scores = np.array([q_good @ k / np.sqrt(2) for k in K])
    return softmax(scores)


@odd("good_row", "right, but a debug print is left")
def _(Q, K, i):
    scores = K @ Q[i] / np.sqrt(Q.shape[1])
    print("DEBUG scores", scores)
    return softmax(scores)


@wrong("good_output", "keeps only weights above 0.01, as in flatnonzero(row > 0.01)")
def _(weights, V):
    keep = weights > 0.01
    return weights[keep] @ V[keep]


@wrong("good_output", "np.matrix keeps two axes")
def _(weights, V):
    return np.asarray(np.matrix(weights) * np.matrix(V))


@wrong("good_output", "the lesson's loop with 2 numbers and 12 words")
def _(weights, V):
    output = np.zeros(2)
    for j in range(12):
        output = output + weights[j] * V[j]
    return output


@right("good_output", "np.average with weights")
def _(weights, V):
    return np.average(V, axis=0, weights=weights)


def _keys(q, scores):
    q = np.array(q, float)
    return q, np.outer(scores, q) * np.sqrt(len(q)) / (q @ q)


wrong("conceptual_keys", "the logarithm is missing")((np.array([0, 1]), np.column_stack([np.zeros(12), np.array(CONCEPTUAL_ROW) * np.sqrt(2)])))
wrong("conceptual_keys", "rounded to whole numbers, for nice keys")((np.array([0, 1]), np.column_stack([np.zeros(12), np.log(CONCEPTUAL_ROW) * np.sqrt(2)]).round()))
right("conceptual_keys", "a query of five odd numbers, keys by an outer product, scores shifted")(_keys([0.5, -1, 2, 0, 3], np.log(CONCEPTUAL_ROW) + 7))

# ---------------------------------------------------------------- 06


@wrong("causal_mask", "the (1, 1, n, n) buffer of a GPT snippet")
def _(n):
    return np.tril(np.ones((n, n))).reshape(1, 1, n, n) == 1


@wrong("causal_mask", "cuts a piece out of a global mask of 12")
def _(n):
    return MASK[:n, :n]


@right("causal_mask", "greater_equal.outer")
def _(n):
    return np.greater_equal.outer(range(n), range(n))


@wrong("masked_weights", "builds the causal mask, the argument is not used")
def _(Q, K, mask):
    mask = causal_mask(len(Q))
    return softmax(np.where(mask, my_scores(Q, K), -np.inf))


@wrong("masked_weights", "adds -10,000, as in BERT's code")
def _(Q, K, mask):
    extended = (1.0 - mask.astype(float)) * -10000.0
    return softmax(my_scores(Q, K) + extended)


@wrong("masked_weights", "the mask after the softmax, repaired by the row sums: nan when all was lost")
def _(Q, K, mask):
    w = softmax(my_scores(Q, K)) * mask
    with np.errstate(all="ignore"):
        return w / w.sum(axis=1, keepdims=True)


@right("masked_weights", "one row at a time, over the allowed keys only")
def _(Q, K, mask):
    A = np.zeros(mask.shape)
    for i, allowed in enumerate(mask):
        A[i, allowed] = softmax(K[allowed] @ Q[i] / np.sqrt(Q.shape[1]))
    return A


@wrong("padding_mask", "sequence_mask up to the longest sentence, n_keys is not used")
def _(lengths, n_keys):
    maxlen = int(np.max(lengths))
    return (np.arange(maxlen)[None, :] < np.asarray(lengths)[:, None])[:, None, :]


@wrong("padding_mask", "two axes of length 1, for heads as well", "counts from 1 with <")
def _(lengths, n_keys):
    mask = np.arange(1, n_keys + 1) < lengths[:, None]
    return mask[:, None, None, :]


@right("padding_mask", "three nested lists")
def _(lengths, n_keys):
    return np.array([[[j < n for j in range(n_keys)]] for n in lengths])


@wrong("mask_label", "rounded to two decimals first")
def _(weights):
    return bool((np.triu(weights, 1).round(2) == 0).all())


@wrong("mask_label", "looks at row 4 only, the row of good", "0.01 and less does not count")
def _(weights):
    looked_at = np.flatnonzero(weights[4] > 0.01)
    return not looked_at.max() > 4


@odd("mask_label", "a text instead of True and False")
def _(weights):
    return "not masked" if np.triu(weights, 1).any() else "masked"


@wrong("sat_row", "counts the words from 1")
def _(Q, K):
    row = np.zeros(6)
    row[:2] = softmax(K[:2] @ Q[1] / np.sqrt(Q.shape[1]))
    return row


@wrong("sat_row", "the query of sat is taken as 1", "only the first number of each key counts")
def _(Q, K):
    q = 1
    scores = np.where(np.arange(6) <= 2, K[:, 0] * q, -np.inf)
    return softmax(scores)


@right("sat_row", "whole attention, then row 2")
def _(Q, K):
    return scaled_dot_product_attention(Q, K, K, causal_mask(6)).weights[2]


# ---------------------------------------------------------------- 07


@wrong("split_heads", "the lesson's loop with 2 columns a head")
def _(X, n_heads):
    return np.stack([X[:, 2 * h : 2 * h + 2] for h in range(n_heads)])


@wrong("split_heads", "head h gets every n_heads-th column")
def _(X, n_heads):
    n, d = X.shape
    return X.reshape(n, d // n_heads, n_heads).transpose(2, 0, 1)


@right("split_heads", "np.split along the columns, stacked")
def _(X, n_heads):
    return np.stack(np.split(X, n_heads, axis=1))


@wrong("merge_heads", "undoes the split that deals out every n_heads-th column")
def _(heads):
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


@wrong("merge_heads", "reshape to the 6 tokens of the lesson")
def _(heads):
    return heads.swapaxes(0, 1).reshape(6, -1)


@right("merge_heads", "np.hstack of the heads")
def _(heads):
    return np.hstack(list(heads))


@wrong("multi_head", "the root of d_model instead of that of a head's width")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (my_split(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(X.shape[-1])
    return my_merge(softmax(scores) @ V) @ W_O


@wrong("multi_head", "a pasted line that was not adapted: V is made with W_K")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q = my_split(X @ W_Q, n_heads)
    K = my_split(X @ W_K, n_heads)
    V = my_split(X @ W_K, n_heads)
    out, _ = scaled_dot_product_attention(Q, K, V)
    return my_merge(out) @ W_O


@wrong("multi_head", "x @ W.T as in PyTorch's Linear", "heads stay in a bare reshape")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K, V = ((X @ W.T).reshape(n_heads, n, -1) for W in (W_Q, W_K, W_V))
    out, _ = scaled_dot_product_attention(Q, K, V)
    return out.reshape(n, -1) @ W_O.T


@right("multi_head", "a loop over the heads, each with its rows of W_O, added up")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    w, out = W_Q.shape[1] // n_heads, 0
    for h in range(n_heads):
        part = slice(h * w, h * w + w)
        q, k, v = X @ W_Q[:, part], X @ W_K[:, part], X @ W_V[:, part]
        out = out + softmax(q @ k.T / np.sqrt(w)) @ v @ W_O[part]
    return out


@wrong("cross_attention", "keys and values from both sentences, one behind the other")
def _(X, context, W_Q, W_K, W_V):
    both = np.concatenate([X, context])
    return scaled_dot_product_attention(X @ W_Q, both @ W_K, both @ W_V).output


@right("cross_attention", "einsum from start to end")
def _(X, context, W_Q, W_K, W_V):
    s = np.einsum("qd,dk,ne,ek->qn", X, W_Q, context, W_K) / math.sqrt(W_K.shape[1])
    return np.einsum("qn,nd,dv->qv", softmax(s), context, W_V)


@wrong("cross_attention", "values from X, and the longer sentence is cut so that the shapes fit", "cuts the queries too")
def _(X, context, W_Q, W_K, W_V):
    n = min(len(X), len(context))
    Q, K, V = X[:n] @ W_Q, context[:n] @ W_K, X[:n] @ W_V
    return scaled_dot_product_attention(Q, K, V).output


# ---------------------------------------------------------------- 08


@wrong("permutation", "argsort, to put the direction right a second time")
def _(order):
    order = np.asarray(order)
    return np.eye(len(order))[np.argsort(order)]


@wrong("permutation", "np.eye(5) from the lesson's cell")
def _(order):
    return np.eye(5)[order]


@right("permutation", "comparison with arange, as float32")
def _(order):
    order = np.array(order)
    return (order[:, None] == np.arange(order.size)).astype(np.float32)


@wrong("sinusoidal_positions", "the well-known snippet with 0::2 and 1::2: an odd width raises")
def _(n, d_model):
    position = np.arange(n)[:, None]
    div_term = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe


@wrong("sinusoidal_positions", "a piece of the global table of 60 places with 64 numbers")
def _(n, d_model):
    return PE[:n, :d_model].copy()


@right("sinusoidal_positions", "real and imaginary parts of complex waves, built longer and cut")
def _(n, d_model):
    half = np.arange((d_model + 1) // 2)
    waves = np.exp(1j * np.arange(n)[:, None] / 10000.0 ** (2 * half / d_model))
    return np.stack([waves.imag, waves.real], axis=-1).reshape(n, -1)[:, :d_model]


@wrong("add_positions", "first times the root of d_model, as in the paper's code")
def _(X, P):
    return X * np.sqrt(X.shape[-1]) + P[: X.shape[1]]


@wrong("add_positions", "its own sinusoids, P is not used")
def _(X, P):
    batch, n, d_model = X.shape
    return X + sinusoidal_positions(n, d_model)[None]


@odd("add_positions", "adds in place, so X changes")
def _(X, P):
    X += P[: X.shape[1]]
    return X


# ---------------------------------------------------------------- 09


@wrong("softmax_gradient", "a softmax of the weights, as in jacobian(softmax(scores))")
def _(weights, gradient):
    w = softmax(weights)
    return (np.diag(w) - np.outer(w, w)) @ gradient


@wrong("softmax_gradient", "a bracket is missing: the average is subtracted after the product")
def _(weights, gradient):
    return weights * gradient - weights @ gradient


@right("softmax_gradient", "double loop over the derivatives")
def _(weights, gradient):
    n = len(weights)
    return np.array([sum(gradient[i] * weights[i] * ((i == j) - weights[j]) for i in range(n)) for j in range(n)])


@wrong("attention_gradient", "ds is divided by the root, then dQ and dK again")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    w = softmax(Q @ K.T / root)
    dw = gradient @ V.T
    ds = w * (dw - (w * dw).sum(axis=-1, keepdims=True)) / root
    return ds @ K / root, ds.T @ Q / root, w.T @ gradient


@wrong("attention_gradient", "the average runs over the queries", "dV without turning the weights")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    w = softmax(Q @ K.T / root)
    dw = gradient @ V.T
    ds = w * (dw - (w * dw).sum(axis=0, keepdims=True))
    return ds @ K / root, ds.T @ Q / root, w @ gradient


@right("attention_gradient", "query after query with the Jacobian, added up in lists")
def _(Q, K, V, gradient):
    root = math.sqrt(Q.shape[1])
    dQ, dK, dV = [], 0, 0
    for q, g in zip(Q, gradient):
        w = softmax(K @ q / root)
        ds = (np.diag(w) - np.outer(w, w)) @ (V @ g) / root
        dQ.append(ds @ K)
        dK, dV = dK + np.outer(ds, q), dV + np.outer(w, g)
    return np.array(dQ), dK, dV


@wrong("train_step", "lesson 00's (labels - p) pasted behind a minus")
def _(w, b, X, labels, learning_rate):
    error = (labels - sigmoid(X @ w + b)) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


@wrong("train_step", "b is moved with the error after w has moved")
def _(w, b, X, labels, learning_rate):
    w = w - learning_rate * X.T @ (sigmoid(X @ w + b) - labels) / len(labels)
    b = b - learning_rate * (sigmoid(X @ w + b) - labels).sum() / len(labels)
    return w, b


@wrong("train_step", "subtracts in place, so the old w changes", "the mean of an error that is already divided by n")
def _(w, b, X, labels, learning_rate):
    error = (sigmoid(X @ w + b) - labels) / len(labels)
    w -= learning_rate * X.T @ error
    b -= learning_rate * error.mean()
    return w, b


@right("train_step", "sentence by sentence with math.tanh for the sigmoid")
def _(w, b, X, labels, learning_rate):
    dw, db = [0.0] * len(w), 0.0
    for x, y in zip(X, labels):
        e = 0.5 * (1 + math.tanh((sum(map(operator.mul, x, w)) + b) / 2)) - y
        dw, db = [d + e * xi for d, xi in zip(dw, x)], db + e
    return np.array([wi - learning_rate * d / len(X) for wi, d in zip(w, dw)]), b - learning_rate * db / len(X)


# ---------------------------------------------------------------- 10


@wrong("cls_labels", "drops [CLS] first and then counts as before")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("cls_labels", "a row instead of a column")
def _(tokens, position, target):
    return (tokens[position] == target).astype(int)


@odd("cls_labels", "True and False instead of 1 and 0")
def _(tokens, position, target):
    return tokens[:, position] == target


@wrong("recall", "labels as an index: takes answers 0 and 1 again and again")
def _(labels, predictions):
    return predictions[np.asarray(labels, dtype=int)].mean()


@wrong("recall", "arguments exchanged (precision)", "a try returns 0 when the division fails")
def _(labels, predictions):
    try:
        return sum(1 for p, l in zip(labels, predictions) if p == l == 1) / int(sum(predictions))
    except ZeroDivisionError:
        return 0.0


@right("recall", "the course's own metrics")
def _(labels, predictions):
    return metrics(labels, predictions).recall


@wrong("count_weights", "8 instead of d_model in the attention and behind it")
def _(vocab_size, seq_len, d_model):
    tables = (vocab_size + seq_len) * d_model
    return tables + 4 * (8 * 8 + 8) + 2 * 8 + 8 + 1


@wrong("count_weights", "one number each to stretch and to shift", "one more place for [CLS]")
def _(vocab_size, seq_len, d_model):
    return vocab_size * d_model + (seq_len + 1) * d_model + 4 * (d_model**2 + d_model) + 2 + d_model + 1


@right("count_weights", "sizes of real arrays, added up")
def _(vocab_size, seq_len, d_model):
    d = d_model
    shapes = [(vocab_size, d), (seq_len, d), *[(d, d), (d,)] * 4, (2, d), (d, 1), (1,)]
    return sum(np.zeros(s, dtype=bool).size for s in shapes)


# ---------------------------------------------------------------- 11


@wrong("balanced_accuracy", "recall with exchanged arguments as the second share")
def _(labels, predictions):
    if predictions.sum() == 0:
        return 0.5
    return (my_recall(labels, predictions) + my_recall(predictions, labels)) / 2


@wrong("balanced_accuracy", "the zeros are turned in the labels, not in the predictions")
def _(labels, predictions):
    return (my_recall(labels, predictions) + my_recall(1 - labels, predictions)) / 2


@right("balanced_accuracy", "a 2 by 2 table by bincount")
def _(labels, predictions):
    table = np.bincount(2 * np.asarray(labels, int) + np.asarray(predictions, int), minlength=4).reshape(2, 2)
    return (np.diagonal(table) / table.sum(axis=1)).sum() / 2


@wrong("uniform_attention", "1 / 7 from the lesson's cell")
def _(weights):
    return np.full_like(weights, 1 / 7)


@wrong("uniform_attention", "the mean row of all for every query")
def _(weights):
    return np.zeros(weights.shape) + weights.mean(axis=0)


@right("uniform_attention", "softmax of zeros")
def _(weights):
    return softmax(np.zeros(weights.shape))


# ---------------------------------------------------------------- 12


@wrong("verdict_label", "xor takes 2 negations for one")
def _(good, negations):
    return np.logical_xor(good, negations).astype(int)


@wrong("verdict_label", "(-1) to the power of the negations: 0 stays 0", "negative numbers for turned praise")
def _(good, negations):
    return good * (-1) ** negations


@right("verdict_label", "turns in a loop, one negation at a time")
def _(good, negations):
    verdicts = []
    for g, n in zip(good, negations):
        for _ in range(int(n)):
            g = 1 - g
        verdicts.append(int(g))
    return np.array(verdicts)


@wrong("twins_told_apart", "told apart when the two answers differ, right or not")
def _(labels, predictions):
    return np.mean(predictions[::2] != predictions[1::2])


@wrong("twins_told_apart", "row i and row i + n/2 as twins")
def _(labels, predictions):
    return (labels == predictions).reshape(2, -1).all(axis=0).mean()


@right("twins_told_apart", "zip over every second, counted by hand")
def _(labels, predictions):
    ok = [a == b for a, b in zip(labels, predictions)]
    told = [x and y for x, y in zip(ok[::2], ok[1::2])]
    return told.count(True) / len(told)


@functools.lru_cache
def _all_true(n):
    return np.ones((n, n), dtype=bool)


@wrong("cut_edge", "the mask comes out of a cache, so the cuts add up")
def _(n, query, key):
    mask = _all_true(n)
    mask[query, key] = False
    return mask


@wrong("cut_edge", "a list as index cuts two whole rows")
def _(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[[query, key]] = False
    return mask


@wrong("cut_edge", "the other way round: True where it may not look", "cuts both directions")
def _(n, query, key):
    mask = np.zeros((n, n), dtype=bool)
    mask[query, key] = mask[key, query] = True
    return mask


# ---------------------------------------------------------------- 13


@wrong("attention_bytes", "in GB", "rounded, like the numbers of the prediction")
def _(n, n_layers, n_heads, bytes_per_weight):
    return round(n_layers * n_heads * n**2 * bytes_per_weight / 1e9, 1)


@wrong("attention_bytes", "only the triangle that a causal mask leaves")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n_layers * n_heads * (n * (n + 1) // 2) * bytes_per_weight


@wrong("attention_bytes", "the formula of the key and value cache: 2 for K and V", "n only once")
def _(n, n_layers, n_heads, bytes_per_weight):
    return 2 * n_layers * n_heads * n * bytes_per_weight


@wrong("online_step", "highest is overwritten before the old one is used, so nothing shrinks")
def _(highest, total, mixture, scores, values):
    highest = max(highest, scores.max())
    shrink = np.exp(highest - highest)
    p = np.exp(scores - highest)
    return highest, total * shrink + p.sum(), mixture * shrink + p @ values


@wrong("online_step", "the highest score of the tile only")
def _(highest, total, mixture, scores, values):
    new = scores.max()
    shrink = np.exp(highest - new)
    p = np.exp(scores - new)
    return new, total * shrink + p.sum(), mixture * shrink + p @ values


@wrong("online_step", "divides the mixture in each step, as in an article on FlashAttention")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    shrink, p = np.exp(highest - new), np.exp(scores - new)
    new_total = total * shrink + p.sum()
    return new, new_total, (mixture * total * shrink + p @ values) / new_total


@odd("online_step", "multiplies the old mixture in place")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    p = np.exp(scores - new)
    mixture *= np.exp(highest - new)
    mixture += p @ values
    return new, total * np.exp(highest - new) + p.sum(), mixture


@wrong("cached_step", "one query as a matrix: a row too many in the output")
def _(q, k, v, K, V):
    K, V = np.vstack([K, k]), np.vstack([V, v])
    output, _ = scaled_dot_product_attention(q[None], K, V)
    return output, K, V


@wrong("cached_step", "a global cache that nobody empties")
def _(q, k, v, K, V):
    if not KEY_CACHE:
        KEY_CACHE.extend(K)
        VALUE_CACHE.extend(V)
    KEY_CACHE.append(k)
    VALUE_CACHE.append(v)
    K, V = np.array(KEY_CACHE), np.array(VALUE_CACHE)
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


@wrong("cached_step", "the line for V is pasted from the one for K", "looks before the cache gets longer")
def _(q, k, v, K, V):
    output = softmax(K @ q / np.sqrt(len(q))) @ V
    K = np.vstack([K, k])
    V = np.vstack([V, k])
    return output, K, V


@right("cached_step", "np.append and a reshape, the mix by a loop")
def _(q, k, v, K, V):
    K, V = np.append(K, k).reshape(-1, len(k)), np.append(V, v).reshape(-1, len(v))
    e = np.exp(my_scores(q, K) - my_scores(q, K).max())
    return sum(x * row for x, row in zip(e, V)) / e.sum(), K, V


# ---------------------------------------------------------------- 14


@wrong("batched_attention", "d_k is read from axis 1, where the heads are")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[1])
    weights = softmax(np.where(mask, S, -np.inf))
    return weights @ V, weights


@wrong("batched_attention", "the other convention: mask * -1e9 is added, so words are hidden")
def _(Q, K, V, mask):
    S = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(Q.shape[-1])
    S += mask * -1e9
    weights = softmax(S)
    return weights @ V, weights


@wrong("batched_attention", "squeeze, then the mask of sentence i lies on query i")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    weights = softmax(np.where(mask.squeeze(), S, -np.inf))
    return weights @ V, weights


@right("batched_attention", "a loop over sentences and heads, padding cut off")
def _(Q, K, V, mask):
    output, weights = np.zeros(V.shape), np.zeros((*Q.shape[:3], K.shape[2]))
    for b, h in np.ndindex(*Q.shape[:2]):
        ok = mask[b, 0, 0]
        A = softmax(Q[b, h] @ K[b, h][ok].T / math.sqrt(Q.shape[3]))
        weights[b, h][:, ok] = A
        output[b, h] = A @ V[b, h][ok]
    return output, weights


@wrong("previous_token", "for token 0 the index -1 takes the last key")
def _(weights):
    n = weights.shape[-1]
    return np.mean([weights[:, i, i - 1] for i in range(n)], axis=0)


@wrong("previous_token", "trace divided by n, not by n - 1")
def _(weights):
    return np.trace(weights, offset=-1, axis1=1, axis2=2) / weights.shape[-1]


@right("previous_token", "einsum over the cut matrix")
def _(weights):
    return np.einsum("hii->h", weights[:, 1:, :-1]) / (weights.shape[1] - 1)


@wrong("mean_pooling", "scaled to length 1, as on the model's card")
def _(hidden, mask):
    m = mask[..., None].astype(float)
    pooled = (hidden * m).sum(axis=1) / np.clip(m.sum(axis=1), 1e-9, None)
    return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


@wrong("mean_pooling", "the first tokens by number: padding in front is taken for words")
def _(hidden, mask):
    return np.array([h[: m.sum()].mean(axis=0) for h, m in zip(hidden, mask)])


@right("mean_pooling", "nanmean over padding turned into nan")
def _(hidden, mask):
    return np.nanmean(np.where(mask[..., None], hidden, np.nan), axis=1)
