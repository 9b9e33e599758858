"""Answers of a quantitative economist, fluent in R and Stata, who learns NumPy on the way."""
import numpy as np
from course_utils.layers import gelu
from course_utils.sentences import REVIEW
from unseen import odd, right, wrong


# What earlier lessons left behind.

def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def causal_mask_of(n):
    return np.tri(n, dtype=bool)

def batched_attention(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, S, -np.inf)) @ V

def split_heads(X, n_heads):
    return X.reshape(X.shape[0], n_heads, -1).swapaxes(0, 1)

def merge_heads(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)

def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    everything = np.ones((len(X), len(X)), dtype=bool)
    return merge_heads(batched_attention(Q, K, V, everything)) @ W_O

def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) + bias

def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out

def softmax_gradient(weights, gradient):
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))

def attention_gradient(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / root)
    dscores = softmax_gradient(weights, gradient @ np.swapaxes(V, -1, -2))
    dQ, dK = dscores @ K / root, np.swapaxes(dscores, -1, -2) @ Q / root
    return dQ, dK, np.swapaxes(weights, -1, -2) @ gradient


# 00

wrong("first_check", "counts the levels of a factor: a token that comes twice counts once")(int(np.unique(REVIEW).size))

@wrong("bag_of_words", "a table comes out in the order of the alphabet, not in that of the vocabulary")
def _(tokens, vocabulary):
    kept = [word for word in tokens if word in vocabulary]
    words, counts = np.unique(kept + list(vocabulary), return_counts=True)  # each word once more, so that none is missing
    return counts - 1


# 01

@wrong("cosine", "the root of the R-squared of a regression through the origin: the sign is lost")
def _(a, b):
    slope = (a @ b) / (a @ a)
    back = (a @ b) / (b @ b)
    return np.sqrt(slope * back)

@wrong("one_query_scores", "the result takes its type from K: keys of whole numbers cut the scores off")
def _(q, K):
    scores = np.zeros_like(K[:, 0])
    for j in range(K.shape[0]):
        scores[j] = q @ K[j] / np.sqrt(q.shape[0])
    return scores


# 02

@right("softmax", "one over the sum of the odds against each key")
def _(scores):
    odds = np.exp(scores[None, :] - scores[:, None])
    return 1 / odds.sum(axis=1)

@wrong("stable_softmax", "the first key is the reference category: its score is subtracted, not the largest")
def _(scores):
    e = np.exp(scores - scores[..., :1])
    return e / e.sum(axis=-1, keepdims=True)


# 03

@right("softmax_gradient_size", "only the derivative of the largest share by its own score")
def _(scores):
    top = softmax(np.asarray(scores)).max()
    return top * (1 - top)

wrong("broken_conditions", "reads the condition of the halves off the variance that is measured")(
    ["none", "variance", "mean", "independent", "variance"]
)


# 04

@wrong("embed", "squeezes the result: a single word, or a single sentence, loses its axis")
def _(ids, E):
    return np.squeeze(np.array([E[row] for row in ids]))

@wrong("scores", "divides by the standard deviation of these scores instead of the root of d_k")
def _(Q, K):
    S = Q @ K.T
    return S / S.std()

@wrong("attention", "prop.table without a margin: the shares of all queries together sum to 1")
def _(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[1])
    E = np.exp(S - S.max())
    return (E / E.sum()) @ V


# 05

@right("good_output", "adds up the rows with a weight above 0, starting from a vector of zeros")
def _(weights, V):
    return sum((w * v for w, v in zip(weights, V) if w > 0), start=np.zeros(V.shape[1]))


# 06

@wrong("masked_weights", "hidden is missing and left out of sums, but one maximum serves the whole table: low rows underflow")
def _(Q, K, mask):
    S = np.where(mask, Q @ K.T / np.sqrt(K.shape[1]), np.nan)
    E = np.exp(S - np.nanmax(S))
    return np.nan_to_num(E / np.nansum(E, axis=1, keepdims=True))

@wrong("mask_label", "asks for the full triangle: an earlier key that weighs exactly 0 makes it False")
def _(weights):
    return np.array_equal(weights > 0, np.tri(weights.shape[0]))


# 07

@right("split_heads", "fills a table by columns, as array() does, then turns the axes")
def _(X, n_heads):
    n, d = X.shape
    return X.reshape((n, d // n_heads, n_heads), order="F").transpose(2, 0, 1)

@wrong("multi_head", "the heads are collected in an array of the shape and type of X: fails unless d is d_model, cuts off for whole numbers")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    width = W_Q.shape[1] // n_heads
    merged = np.zeros_like(X)
    for h in range(n_heads):
        cols = slice(h * width, (h + 1) * width)
        Q, K, V = X @ W_Q[:, cols], X @ W_K[:, cols], X @ W_V[:, cols]
        merged[:, cols] = softmax(Q @ K.T / np.sqrt(width)) @ V
    return merged @ W_O


# 08

@right("permutation", "a comparison: a matrix of True and False")
def _(order):
    return np.asarray(order)[:, None] == np.arange(len(order))

@wrong("add_positions", "recycles P over the whole batch: with a longer P the second sentence goes on where the first one ended")
def _(X, P):
    return X + np.resize(P, X.shape)

@right("rotary_attention", "complex numbers, and places from 1: the distances are the same")
def _(Q, K, V, mask):
    n, d = Q.shape[-2:]
    speeds = 10000.0 ** (-2 * np.arange(d // 2) / d)
    turn = np.exp(1j * np.arange(1, n + 1)[:, None] * speeds)
    q = (Q[..., 0::2] + 1j * Q[..., 1::2]) * turn
    k = (K[..., 0::2] + 1j * K[..., 1::2]) * turn
    S = (q @ np.swapaxes(k, -1, -2).conj()).real / np.sqrt(d)
    return softmax(np.where(mask, S, -np.inf)) @ V


# 09

@wrong("one_query_gradient", "the plain mean instead of the mean by weight", "the query's gradient lacks the root of d_k")
def _(q, K, V, gradient):
    root = np.sqrt(len(q))
    w = softmax(K @ q / root)
    dw = np.array([gradient @ v for v in V])
    ds = w * (dw - dw.mean())
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dV[j] = w[j] * gradient
        dK[j] = ds[j] * q / root
        dq += ds[j] * K[j]
    return dq, dK, dV

wrong("test_sizes", "all sizes differ, but there is one key only, and then no gradient reaches the scores")((4, 1, 2, 3))


# 10

@wrong("reader_gradient", "sums by group, as tapply does: a row only for the tokens that occur")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV
    dX[:, 0] += dQ[:, 0]
    dE = np.array([dX[tokens == token].sum(axis=0) for token in np.unique(tokens)])
    return dE, dX.sum(axis=0)


# 11

@wrong("layer_norm", "the variance of a sample, as var() in R: divided by d - 1")
def _(X, gain, bias, epsilon=1e-3):
    mean = X.mean(axis=-1, keepdims=True)
    var = X.var(axis=-1, ddof=1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + epsilon) + bias

@wrong("block", "unpacks gains, then biases, instead of zipping them: attention gets two gains, feed-forward two biases")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    for part, (gain, bias) in enumerate((gains, biases)):
        Z = layer_norm(X, gain, bias) if norm == "before" else X
        if part == 0:
            Y = multi_head(Z, *W, n_heads)
        else:
            Y = feed_forward(Z, W_in, b_in, W_out, b_out)
        if residual:
            Y = X + Y
        X = layer_norm(Y, gain, bias) if norm == "after" else Y
    return X


# 14

@odd("balanced_accuracy", "no return: the last line is the value, as in R")
def _(labels, predictions):
    confusion = np.zeros((2, 2))
    for truth, guess in zip(labels, predictions):
        confusion[truth, guess] += 1
    recalls = np.diag(confusion) / confusion.sum(axis=1)
    recalls.mean()

@wrong("hide", "a slice is taken for a copy, so the argument changes", "one key for each row hides all these columns in every row")
def _(weights, key):
    before = weights.sum(axis=1, keepdims=True)
    left = weights[:]
    left[:, key] = 0
    return left * before / left.sum(axis=1, keepdims=True)

@wrong("furthest_row", "finds the place of the best one in the subset, and takes that place from all candidates")
def _(row, answer, candidates, answers, tolerance):
    near = np.abs(answers - answer) < tolerance
    if not near.any():
        return row, 0.0
    distances = np.abs(candidates[near] - row).sum(axis=1) / 2
    best = distances.argmax()
    return candidates[best], distances[best]


# 15

@right("twins_told_apart", "numbers the pairs, and sums the right answers by pair")
def _(labels, predictions):
    correct = (labels == predictions).astype(int)
    pair = np.arange(len(correct)) // 2
    return np.mean(np.bincount(pair, weights=correct) == 2)

@wrong("turned_by_cut", "a list of the same mask many times: each cut is made in every review", "round() makes a blame of exactly 0.5")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = [np.ones((n, n), dtype=bool)] * n_reviews
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i]):
            masks[i][query, key] = False
    before = np.round(read(tokens, np.ones((n_reviews, n, n), dtype=bool)))
    after = np.round(read(tokens, np.array(masks)))
    return np.mean(before != after)


# 16

@wrong("attention_bytes", "^ for a power, as in R and Stata")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n_layers * n_heads * bytes_per_weight * n ^ 2

@wrong("cached_step", "after the first token the cache is two vectors, not two tables of one row")
def _(q, k, v, K, V):
    if K.shape[0] == 0:
        return v, k, v
    K, V = np.vstack([K, k]), np.vstack([V, v])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


# 17

@odd("next_words", "a named list: a dict with two names")
def _(rows):
    n_tokens = rows.shape[1]
    return dict(inputs=rows[:, : n_tokens - 1], targets=rows[:, 1:n_tokens])

@wrong("sample_next", "divides the shares by the temperature, which cancels", "a part ends with its right end")
def _(scores, temperature, u):
    shares = softmax(np.asarray(scores)) / temperature
    ends = np.cumsum(shares / shares.sum())
    for word, end in enumerate(ends):
        if u <= end:
            return word
    return len(ends) - 1

wrong("too_good", "every loss below the limit on new reviews is taken for a leak, the one over all places too")(
    ["leak", "leak", "memorised", "honest"]
)


@wrong("causal_attention", "leading axes are put together by columns and taken apart by rows")
def _(Q, K, V):
    n = Q.shape[-2]
    flat = [A.reshape((-1, *A.shape[-2:]), order="F") for A in (Q, K, V)]
    output = batched_attention(*flat, causal_mask_of(n))
    return output.reshape(V.shape)

@wrong("causal_attention", "the loop starts with 1: the first word keeps its zeros", "the root of the number of keys so far")
def _(Q, K, V):
    output = np.zeros(V.shape)
    for i in range(1, Q.shape[-2]):
        keys, values = K[..., : i + 1, :], V[..., : i + 1, :]
        s = (keys @ Q[..., i, :, None])[..., 0] / np.sqrt(keys.shape[-2])
        output[..., i, :] = (softmax(s)[..., None] * values).sum(axis=-2)
    return output

@wrong("causal_attention", "divides by the row sums as R recycles them: column j by the sum of row j")
def _(Q, K, V):
    n, d_k = Q.shape[-2:]
    S = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(d_k)
    S = np.where(causal_mask_of(n), S, -np.inf)
    highest = S.max(axis=-1)[..., None]
    E = np.exp(S - highest)
    return (E / E.sum(axis=-1)) @ V

@wrong("causal_attention", "hides an upper triangle of the first two axes, which are not queries and keys once there are heads")
def _(Q, K, V):
    n = Q.shape[-2]
    S = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])
    S[np.triu_indices(n, 1)] = -np.inf
    return softmax(S) @ V

@wrong("causal_attention", "shares first, hides then, and shares anew: nothing is left where a later word had it all")
def _(Q, K, V):
    A = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))
    A = np.tril(A)
    return A / A.sum(axis=-1, keepdims=True) @ V

@wrong("causal_attention", "lags only: a word does not look at itself, and the first one gets zeros", "the root of the width of V")
def _(Q, K, V):
    n = Q.shape[-2]
    before = np.tri(n, k=-1, dtype=bool)
    S = np.where(before, Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1]), -np.inf)
    weights = np.nan_to_num(softmax(S))
    return weights @ V

@wrong("causal_attention", "binds the rows of the words in front of all axes, before the heads")
def _(Q, K, V):
    rows = []
    for i in range(Q.shape[-2]):
        so_far = slice(0, i + 1)
        asks = Q[..., i : i + 1, :]
        found = batched_attention(asks, K[..., so_far, :], V[..., so_far, :], np.ones((1, i + 1), dtype=bool))
        rows.append(found[..., 0, :])
    return np.array(rows)

@right("causal_attention", "key after key, with recursive sums for all words from there on")
def _(Q, K, V):
    highest = np.full(Q.shape[:-1], -np.inf)
    total, mix = np.zeros(Q.shape[:-1]), np.zeros(V.shape)
    for j in range(Q.shape[-2]):
        s = (Q[..., j:, :] @ K[..., j, :, None])[..., 0] / np.sqrt(Q.shape[-1])
        new = np.maximum(highest[..., j:], s)
        old, fresh = np.exp(highest[..., j:] - new), np.exp(s - new)
        total[..., j:] = total[..., j:] * old + fresh
        mix[..., j:, :] = mix[..., j:, :] * old[..., None] + fresh[..., None] * V[..., j : j + 1, :]
        highest[..., j:] = new
    return mix / total[..., None]

@right("causal_attention", "the where of max and exp, and the division at the end")
def _(Q, K, V):
    S = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(Q.shape[-1])
    seen = np.broadcast_to(np.tri(S.shape[-1], dtype=bool), S.shape)
    top = S.max(axis=-1, keepdims=True, where=seen, initial=-np.inf)
    E = np.exp(S - top, where=seen, out=np.zeros(S.shape))
    return (E @ V) / E.sum(axis=-1, keepdims=True)

@odd("causal_attention", "divides Q by the root in place: the caller's Q changes, and whole numbers raise")
def _(Q, K, V):
    Q /= np.sqrt(Q.shape[-1])
    S = np.where(causal_mask_of(Q.shape[-2]), Q @ np.swapaxes(K, -1, -2), -np.inf)
    return softmax(S) @ V


@wrong("block_step", "a causal mask of one row: only the oldest token is seen")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    z = layer_norm(x, gains[0], biases[0])
    q, k, v = z @ W[0], z @ W[1], z @ W[2]
    K, V = np.vstack([K, k]), np.vstack([V, v])
    mask = np.tri(1, len(K), dtype=bool)
    heads = batched_attention(split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads), mask)
    x = x + merge_heads(heads)[0] @ W[3]
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), K, V

@wrong("block_step", "only the query is normalised: key and value are made of x itself", "the output is a table of one row")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q = layer_norm(x, gains[0], biases[0]) @ W[0]
    K = np.vstack([K, x @ W[1]])
    V = np.vstack([V, x @ W[2]])
    mask = np.ones((1, len(K)), dtype=bool)
    heads = batched_attention(split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads), mask)
    x1 = x + merge_heads(heads) @ W[3]
    x2 = x1 + feed_forward(layer_norm(x1, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x2, K, V

@wrong("block_step", "K and V are overwritten by their heads: the cache comes back cut in heads")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = layer_norm(x, gains[0], biases[0])
    q = split_heads((inside @ W[0])[None], n_heads)
    K = split_heads(np.vstack([K, inside @ W[1]]), n_heads)
    V = split_heads(np.vstack([V, inside @ W[2]]), n_heads)
    mask = np.ones((1, K.shape[1]), dtype=bool)
    x = x + merge_heads(batched_attention(q, K, V, mask))[0] @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, K, V

@right("block_step", "a loop over the heads, and a cache that grows by append and reshape")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    d = len(x)
    z = layer_norm(x, gains[0], biases[0])
    q, k, v = (z @ W[i] for i in range(3))
    K = np.append(K, k).reshape(-1, d)
    V = np.append(V, v).reshape(-1, d)
    found = []
    for cols in np.split(np.arange(d), n_heads):
        share = softmax(K[:, cols] @ q[cols] / np.sqrt(len(cols)))
        found.extend(share @ V[:, cols])
    x = x + np.array(found) @ W[3]
    return x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out), K, V
