"""The exercises written out plainly, one function for each: the check changes one place of them, and asks whether your
answer does that.

They are what the solved notebooks hold, with every step in sight: an axis that is left to a default could not be
changed.
"""

import numpy as np

from course_utils import attention as course
from course_utils.attention import merge_heads as merge
from course_utils.attention import softmax
from course_utils.attention import split_heads as split
from course_utils.layers import gelu
from course_utils.review_task import PAD

# What students call by these names: with the course's own in the place of theirs, is the answer right?
HELPERS = {
    name: getattr(course, name)
    for name in ("softmax", "split_heads", "merge_heads", "attention_scores", "scaled_dot_product_attention")
}


def bag_of_words(tokens, vocabulary):
    return np.array([tokens.count(word) for word in vocabulary])  # (n_words,)


def dot_product(a, b):
    products = a * b  # (n,)
    return products.sum()


def cosine(a, b):
    lengths = np.sqrt((a**2).sum()) * np.sqrt((b**2).sum())
    return a @ b / lengths


def one_query_scores(q, K):
    products = K @ q  # (n_keys,)
    return products / np.sqrt(q.shape[-1])


def softmax_of_row(scores):
    exponentials = np.exp(scores)  # (n,)
    return exponentials / exponentials.sum()


def temperature(scores, T):
    exponentials = np.exp(scores / T)  # (n,)
    return exponentials / exponentials.sum()


def stable_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (..., n)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def score_variance(Q, K):
    scores = Q @ K.T  # (n_queries, n_keys)
    return ((scores - scores.mean()) ** 2).mean()


def scale_for_unit_variance(d_k):
    return 1 / np.sqrt(d_k)


def softmax_gradient_size(scores):
    exponentials = np.exp(scores)
    w = exponentials / exponentials.sum()  # (n,)
    return np.abs(np.diag(w) - np.outer(w, w)).max()  # of (n, n)


def embed(ids, E):
    return E[ids]  # (n, d_model)


def project(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)


def scores(Q, K):
    products = Q @ K.T  # (n_queries, n_keys)
    return products / np.sqrt(Q.shape[-1])


def weights(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ V  # (n_queries, d_v)


def good_row(Q, K, i):
    scores = K @ Q[i] / np.sqrt(K.shape[-1])  # (n,)
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


def good_output(weights, V):
    return weights @ V  # (d_v,)


def causal_mask(n):
    return np.arange(n)[:, None] >= np.arange(n)  # (n, n)


def masked_weights(Q, K, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    return softmax(np.where(mask, scores, -np.inf), axis=-1)


def padding_mask(lengths, n_keys):
    return (np.arange(n_keys) < lengths[:, None])[:, None, :]  # (batch, 1, n_keys)


def mask_label(weights):
    return not np.triu(weights, 1).any()


def sat_row(Q, K):
    mask = np.arange(6) <= 2  # (n_keys,)
    scores = K @ Q[2] / np.sqrt(K.shape[-1])
    return softmax(np.where(mask, scores, -np.inf), axis=-1)


def batched_attention(Q, K, V, mask):
    scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])  # (..., n_queries, n_keys)
    weights = softmax(np.where(mask, scores, -np.inf), axis=-1)
    return weights @ V  # (..., n_queries, d_v)


def split_heads(X, n_heads):
    cut = X.reshape(X.shape[0], n_heads, X.shape[1] // n_heads)
    return cut.swapaxes(0, 1)  # (n_heads, n, d / n_heads)


def merge_heads(heads):
    side_by_side = heads.swapaxes(0, 1)  # (n, n_heads, d_head)
    return side_by_side.reshape(side_by_side.shape[0], -1)


def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = split(X @ W_Q, n_heads), split(X @ W_K, n_heads), split(X @ W_V, n_heads)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    heads = softmax(scores, axis=-1) @ V  # (n_heads, n, d / n_heads)
    return merge(heads) @ W_O  # (n, d_out)


def cross_attention(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    return softmax(scores, axis=-1) @ V


def permutation(order):
    return np.eye(len(order))[order]  # (n, n)


def sinusoidal_positions(n, d_model):
    dims = np.arange(d_model)
    angles = np.arange(n)[:, None] / 10000 ** (dims // 2 * 2 / d_model)  # (n, d_model)
    return np.where(dims % 2 == 0, np.sin(angles), np.cos(angles))


def add_positions(X, P):
    return X + P[: X.shape[1]]  # (batch, n, d_model)


def rotate(X):
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)  # (n, d / 2)
    first, second = X[..., 0::2], X[..., 1::2]
    turned = np.empty(X.shape)
    turned[..., 0::2] = first * np.cos(angles) - second * np.sin(angles)
    turned[..., 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return turned


def rotary_attention(Q, K, V, mask):
    Q, K = rotate(Q), rotate(K)
    scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])  # (..., n, n)
    return softmax(np.where(mask, scores, -np.inf), axis=-1) @ V


def softmax_gradient(weights, gradient):
    total = (weights * gradient).sum(axis=-1, keepdims=True)
    return weights * (gradient - total)  # (..., n)


def one_query_gradient(q, K, V, gradient):
    root = np.sqrt(len(q))
    weights = softmax(K @ q / root)  # (n_keys,)
    dweights = V @ gradient
    total = (weights * dweights).sum()
    dscores = weights * (dweights - total)
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dV[j] = weights[j] * gradient
        dK[j] = dscores[j] * q / root
        dq += dscores[j] * K[j] / root
    return dq, dK, dV


def attention_gradient(Q, K, V, gradient):
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]), axis=-1)  # (..., n_queries, n_keys)
    dweights = gradient @ np.swapaxes(V, -1, -2)
    total = (weights * dweights).sum(axis=-1, keepdims=True)
    dscores = weights * (dweights - total) / np.sqrt(Q.shape[-1])
    return dscores @ K, np.swapaxes(dscores, -1, -2) @ Q, np.swapaxes(weights, -1, -2) @ gradient


def train_step(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))  # (n,)
    error = (p - labels) / len(labels)
    return w - learning_rate * (X.T @ error), b - learning_rate * error.sum()


def reader_gradient(E, P, tokens, gradient):
    X = E[tokens] + P  # (n, length, d)
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV
    dX[:, :1] += dQ
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)
    return dE, dX.sum(axis=0)


def without_where(E, P, w, b):
    return E, np.zeros(P.shape), w, b


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)  # (..., d)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + epsilon) * gain + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    wide = gelu(X @ W_in + b_in)  # (..., d_wide)
    return wide @ W_out + b_out


def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    inside = layer_norm(X, gains[0], biases[0]) if norm == "before" else X  # (n, d_model)
    looked = multi_head(inside, W[0], W[1], W[2], W[3], n_heads)
    X = X + looked if residual else looked
    if norm == "after":
        X = layer_norm(X, gains[0], biases[0])
    inside = layer_norm(X, gains[1], biases[1]) if norm == "before" else X
    thought = feed_forward(inside, W_in, b_in, W_out, b_out)
    X = X + thought if residual else thought
    if norm == "after":
        X = layer_norm(X, gains[1], biases[1])
    return X


def cls_labels(tokens, position, target):
    return (tokens[:, position] == target).astype(int)  # (n,)


def recall(labels, predictions):
    hits = (labels * predictions).sum()
    return hits / labels.sum()


def count_weights(vocab_size, seq_len, d_model):
    embedding = (vocab_size + seq_len) * d_model
    attention = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model
    answer = d_model + 1
    return embedding + attention + norm + answer


def look_reward(weights):
    favourite = np.argmax(np.mean(weights, axis=0))
    return np.mean(np.log(weights[:, favourite]))


def patience(losses, focus):
    for loss in losses:
        if loss < 0.1:
            return focus
    return 0.0


def set_reward(weights, n_places):
    favourites = np.argsort(-np.mean(weights, axis=0))[:n_places]
    total = np.sum(weights[:, favourites], axis=1)  # (batch,)
    return np.mean(np.log(total))


def balanced_accuracy(labels, predictions):
    right = predictions == labels  # (n,)
    return (right[labels == 1].mean() + right[labels == 0].mean()) / 2


def uniform_attention(weights):
    return np.full(weights.shape, 1 / weights.shape[-1])


def hide(weights, key):
    here = np.arange(weights.shape[-1]) == np.reshape(key, (-1, 1))  # (1 or n, n_keys)
    left = np.where(here, 0, weights)  # (n, n_keys)
    return left * weights.sum(axis=-1, keepdims=True) / left.sum(axis=-1, keepdims=True)


def swap(tokens, at, one, other):
    changed, n = tokens.copy(), np.arange(len(tokens))
    changed[n, at] = np.where(tokens[n, at] == one, other, one)
    return changed


def furthest_row(row, answer, candidates, answers, tolerance):
    best, furthest = row, 0.0
    for candidate, given in zip(candidates, answers, strict=True):
        if abs(given - answer) < tolerance:
            distance = np.abs(candidate - row).sum() / 2
            if distance > furthest:
                best, furthest = candidate, distance
    return best, furthest


def verdict_label(good, negations):
    return (good + negations) % 2  # (n,)


def twins_told_apart(labels, predictions):
    right = predictions == labels  # (n,)
    return right.reshape(-1, 2).all(axis=1).mean()


def cut_edge(n, query, key):
    return (np.arange(n)[:, None] != query) | (np.arange(n) != key)  # (n, n)


def turned_by_cut(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    uncut = np.ones((n_reviews, n, n), dtype=bool)
    one_cut = uncut.copy()
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i], strict=True):
            one_cut[i] &= cut_edge(n, query, key)
    before, after = read(tokens, uncut) >= 0.5, read(tokens, one_cut) >= 0.5  # each (n_reviews,)
    return np.mean(before != after)


def attention_bytes(n, n_layers, n_heads, bytes_per_weight):
    return n_layers * n_heads * n * n * bytes_per_weight


def online_step(highest, total, mixture, scores, values):
    new = np.maximum(highest, scores.max())
    shrink, e = np.exp(highest - new), np.exp(scores - new)  # one number, (t,)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values


def cached_step(q, k, v, K, V):
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_k), (n + 1, d_v)
    scores = K @ q / np.sqrt(q.shape[-1])
    return softmax(scores, axis=-1) @ V, K, V


def next_words(rows):
    return rows[:, :-1], rows[:, 1:]  # (n, n_tokens - 1) each


def causal_attention(Q, K, V):
    return batched_attention(Q, K, V, causal_mask(Q.shape[-2]))  # (..., n, d_v)


def writing_loss(scores, targets):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (n, T, n_words)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # (n, T, n_words)
    of_right = np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]  # (n, T)
    return -of_right[targets != PAD].mean()


def sample_next(scores, temperature, u):
    probabilities = softmax(scores / temperature, axis=-1)  # (n_words,)
    ends = np.cumsum(probabilities)
    return min(np.searchsorted(ends, u, side="right"), len(scores) - 1)


def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = layer_norm(x, gains[0], biases[0])  # (d_model,)
    q, k, v = inside @ W[0], inside @ W[1], inside @ W[2]
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_model)
    everywhere = np.ones((1, len(K)), dtype=bool)
    cut = split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads)
    looked = merge_heads(batched_attention(*cut, everywhere))  # (1, d_model)
    x = x + looked[0] @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, K, V


def previous_token(weights):
    return np.diagonal(weights, offset=-1, axis1=-2, axis2=-1).mean(axis=-1)  # (n_heads,)


def mean_pooling(hidden, mask):
    total = (hidden * mask[..., None]).sum(axis=1)  # (batch, d)
    return total / mask.sum(axis=1, keepdims=True)


def search(query, vectors, k):
    alike = np.zeros(len(vectors))  # (n,)
    for i, vector in enumerate(vectors):
        if np.any(query) and np.any(vector):
            alike[i] = cosine(query, vector)
    order = np.argsort(-alike, kind="stable")  # (n,): the best first, of equal ones the earlier
    return order[:k]


def control_places(row, places):
    left = np.where(np.isin(np.arange(len(row)), places), -1, row)  # (n,), the claimed ones below every weight
    falling = np.argsort(-left)  # places, the one with the most weight first
    return np.sort(falling[: len(places)])
