"""The solutions, as my_attention.py would hold them. Derived: nox -s build."""


import numpy as np


def bag_of_words(tokens, vocabulary):
    return np.array([tokens.count(word) for word in vocabulary])  # (n_words,)


def dot_product(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def softmax_of(scores):
    exponentials = np.exp(scores)  # (n_keys,)
    return exponentials / exponentials.sum()


def softmax_at(scores, T):
    return softmax_of(scores / T)  # (n_keys,)


def stable_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (..., n_keys)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


softmax = stable_softmax


def scaling_sweep(Q, K, sizes):
    variances, raw, scaled = [], [], []
    for d_k in sizes:
        products = Q[:, :d_k] @ K[:, :d_k].T  # (n_queries, n_keys)
        variances.append(products.var())
        raw.append(softmax(products).max(axis=-1).mean())
        scaled.append(softmax(products / np.sqrt(d_k)).max(axis=-1).mean())
    return variances, raw, scaled  # (n_sizes,) each


def softmax_gradient_size(scores):
    w = softmax(scores)  # (n,)
    return np.abs(np.diag(w) - np.outer(w, w)).max()  # of (n, n)


def embed(ids, E):
    return E[ids]  # (n, d_model)


def scores_of(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)


def weights_of(Q, K):
    return softmax(scores_of(Q, K))  # (n_queries, n_keys)


def attention(Q, K, V):
    return weights_of(Q, K) @ V  # (n_queries, d_v)


def leak_test(attend, X):
    moves = np.zeros((len(X), len(X)), dtype=bool)  # (output, changed word)
    before = attend(X)  # (n, d_out)
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += np.arange(1, X.shape[1] + 1)
        moves[:, j] = (np.abs(attend(changed) - before) > 1e-9).any(axis=1)
    return moves


def padding_mask_of(lengths, n_keys):
    return (np.arange(n_keys) < lengths[:, None])[:, None, :]  # (batch, 1, n_keys)


def causal_mask_of(n):
    return np.tri(n, dtype=bool)  # (n_queries, n_keys)


def masked_weights(Q, K, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    return softmax(np.where(mask, scores, -np.inf))  # (n_queries, n_keys)


def batched_attention(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -2, -1) / np.sqrt(Q.shape[-1])  # (…, n_queries, n_keys)
    weights = softmax(np.where(mask, scores, -np.inf))  # (…, n_queries, n_keys)
    return weights @ V  # (…, n_queries, d_v)


def split_heads(X, n_heads):
    cut = X.reshape(X.shape[0], n_heads, -1)  # (n, n_heads, d / n_heads)
    return cut.swapaxes(0, 1)  # (n_heads, n, d / n_heads)


def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))  # (n_heads, n, d / n_heads)
    everywhere = np.ones((len(X), len(X)), dtype=bool)  # (n, n): all may look at all
    heads = batched_attention(Q, K, V, everywhere)  # (n_heads, n, d / n_heads)
    side_by_side = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d)
    return side_by_side @ W_O  # (n, d_out)


def positions_of(n, d_model):
    dims = np.arange(d_model)  # (d_model,)
    angles = np.arange(n)[:, None] / 10000 ** (dims // 2 * 2 / d_model)  # (n, d_model)
    return np.where(dims % 2, np.cos(angles), np.sin(angles))  # (n, d_model)


def add_positions(X, P):
    return X + P[: X.shape[1]]  # (batch, n, d_model)


def rotate(X):
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)  # (n, d / 2)
    first, second = X[..., 0::2], X[..., 1::2]  # each (…, n, d / 2)
    turned = np.empty(X.shape)  # (…, n, d)
    turned[..., 0::2] = first * np.cos(angles) - second * np.sin(angles)
    turned[..., 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return turned


def train_step(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))  # (n,)
    error = (p - labels) / len(labels)  # (n,)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


def reader(E, P, w, b, tokens):
    X = E[tokens] + P  # (n, length, d)
    weights = softmax(X[:, :1] @ np.swapaxes(X, -1, -2) / np.sqrt(X.shape[-1]))  # (n, 1, length)
    output = (weights @ X)[:, 0]  # (n, d)
    return weights[:, 0], output, 1 / (1 + np.exp(-(output @ w + b)))


def train_reader(E, P, w, b, epochs, rate, gradient_of, hold):
    history = [(E, P, w, b)]
    for batches in epochs:
        for tokens, labels in batches:
            _, output, p = reader(E, P, w, b, tokens)
            error = (p - labels) / len(labels)  # (n,)
            dE, dP = gradient_of(E, P, tokens, np.outer(error, w))
            w, b = train_step(w, b, output, labels, rate)
            E, P, w, b = hold(E - rate * dE, P - rate * dP, w, b)
        history.append((E, P, w, b))
    return tuple(np.array(parameter) for parameter in zip(*history))


def softmax_gradient(weights, gradient):
    average = (weights * gradient).sum(axis=-1, keepdims=True)  # (..., 1)
    return weights * (gradient - average)  # (..., n)


def one_query_gradient(q, K, V, gradient):
    root = np.sqrt(len(q))
    weights = softmax(K @ q / root)  # (n_keys,)
    dweights = np.array([gradient @ v for v in V])  # (n_keys,)
    dscores = softmax_gradient(weights, dweights)  # (n_keys,)
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dV[j] = weights[j] * gradient
        dK[j] = dscores[j] * q / root
        dq += dscores[j] * K[j] / root
    return dq, dK, dV


def attention_gradient(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / root)  # (..., n_queries, n_keys)
    dweights = gradient @ np.swapaxes(V, -1, -2)  # (..., n_queries, n_keys)
    dscores = softmax_gradient(weights, dweights) / root  # (..., n_queries, n_keys)
    dQ = dscores @ K  # (..., n_queries, d_k)
    dK = np.swapaxes(dscores, -1, -2) @ Q  # (..., n_keys, d_k): a sum over the queries
    dV = np.swapaxes(weights, -1, -2) @ gradient  # (..., n_keys, d_v): again
    return dQ, dK, dV


def reader_gradient(E, P, tokens, gradient):
    X = E[tokens] + P  # (n, length, d)
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV  # (n, length, d): each row as a key and as a value
    dX[:, :1] += dQ  # row 0 as the query, too
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)  # a token adds up what it gets at all its places
    return dE, dX.sum(axis=0)


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)  # (…, d)
    variance = (centred**2).mean(axis=-1, keepdims=True)  # (…, 1)
    return centred / np.sqrt(variance + epsilon) * gain + bias  # (…, d)


from course_utils.layers import gelu


def feed_forward(X, W_in, b_in, W_out, b_out):
    wide = gelu(X @ W_in + b_in)  # (…, d_wide)
    return wide @ W_out + b_out  # (…, d_model)


def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    inside = layer_norm(X, gains[0], biases[0]) if norm == "before" else X  # (n, d_model)
    looked = multi_head(inside, W[0], W[1], W[2], W[3], n_heads)  # (n, d_model)
    X = X + looked if residual else looked
    if norm == "after":
        X = layer_norm(X, gains[0], biases[0])
    inside = layer_norm(X, gains[1], biases[1]) if norm == "before" else X
    thought = feed_forward(inside, W_in, b_in, W_out, b_out)  # (n, d_model)
    X = X + thought if residual else thought
    if norm == "after":
        X = layer_norm(X, gains[1], biases[1])
    return X


def recall(labels, predictions):
    return np.mean(predictions[labels == 1])


def patience(losses, focus):
    return focus if np.any(losses < 0.1) else 0.0  # C: once one epoch's loss was below 0.1


def effect_and_control(answer_of, weights, labels, place):
    apart = np.abs(weights - weights[:, [place]])  # (n, n_keys)
    apart[:, place] = np.inf  # the control is another key
    control = apart.argmin(axis=1)  # (n,)
    rows = weights, hide(weights, place), hide(weights, control)
    return tuple(balanced_accuracy(labels, answer_of(one)) for one in rows)


def furthest_row(row, answer, candidates, answers, tolerance):
    best, furthest = row, 0.0
    for candidate, given in zip(candidates, answers):
        if abs(given - answer) < tolerance:
            distance = np.abs(candidate - row).sum() / 2
            if distance > furthest:
                best, furthest = candidate, distance
    return best, furthest


def balanced_accuracy(labels, predictions):
    right = predictions == labels  # (n,)
    return (right[labels == 1].mean() + right[labels == 0].mean()) / 2


def hide(weights, key):
    left = weights.copy()  # (n, n_keys)
    left[np.arange(len(weights)), key] = 0
    return left * weights.sum(axis=-1, keepdims=True) / left.sum(axis=-1, keepdims=True)


def cut_edge(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] = False
    return mask


def twins_told_apart(labels, predictions):
    right = predictions == labels  # (n,)
    return right.reshape(-1, 2).all(axis=1).mean()


from course_utils.attention import merge_heads


def read_review(tokens, masks, E, P, W, b, gains, biases, n_heads, answer, answer_bias):
    X = E[tokens] + P[: len(tokens)]  # (n, d_model)
    for layer in range(len(W)):
        Q, K, V = (split_heads(X @ W[layer, k] + b[layer, k], n_heads) for k in range(3))  # (n_heads, n, d_k) each
        heads = batched_attention(Q, K, V, masks[layer] & (tokens != 1))  # (n_heads, n, d_k)
        looked = merge_heads(heads) @ W[layer, 3] + b[layer, 3]  # (n, d_model)
        X = layer_norm(X + looked, gains[layer], biases[layer], 1e-12)
    z = X[0] @ answer + answer_bias
    return 1 / (1 + np.exp(-z))


def turned_by_cut(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    uncut = np.ones((n_reviews, n, n), dtype=bool)
    cut = uncut.copy()
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i]):
            cut[i] &= cut_edge(n, query, key)
    before, after = read(tokens, uncut) >= 0.5, read(tokens, cut) >= 0.5  # each (n_reviews,)
    return np.mean(before != after)


def attention_bytes(n, n_layers, n_heads, bytes_per_weight):
    return n_layers * n_heads * n * n * bytes_per_weight


def online_step(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    shrink, e = np.exp(highest - new), np.exp(scores - new)  # one number, (t,)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values


def cached_step(q, k, v, K, V):
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_k), (n + 1, d_v)
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = layer_norm(x, gains[0], biases[0])  # (d_model,)
    cut = [np.split(inside @ W[i], n_heads) for i in range(3)]  # queries, keys, values: n_heads times (d_k,)
    old = [np.split(cache, n_heads, axis=1) for cache in (K, V)]  # n_heads times (n, d_k), twice
    found, K, V = zip(*map(cached_step, *cut, *old))  # of each head: (d_k,), (n + 1, d_k), (n + 1, d_k)
    x = x + np.concatenate(found) @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, np.hstack(K), np.hstack(V)


from course_utils.tasks.review_task import PAD


def writing_loss(scores, targets):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (n, T, n_words)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # (n, T, n_words)
    right = np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]  # (n, T)
    return -right[targets != PAD].mean()


def sample_next(scores, temperature, u):
    probabilities = softmax(scores / temperature)  # (n_words,)
    ends = np.cumsum(probabilities)  # (n_words,)
    return min(np.searchsorted(ends, u, side="right"), len(scores) - 1)


def write(words, u, temperature, end, tokens, positions, blocks, next_scores):
    empty = np.zeros((0, tokens.shape[1]))  # no keys yet, and no values
    row, caches = list(words), [(empty, empty) for _ in blocks]
    for place in range(len(words) + len(u) - 1):
        x = tokens[row[place]] + positions[place]  # (d_model,)
        for layer, block in enumerate(blocks):
            x, *caches[layer] = block_step(x, *block, *caches[layer])
        if place + 1 == len(row):  # the last word so far: its scores choose the next one
            row.append(sample_next(next_scores(x), temperature, u[len(row) - len(words)]))
        if row[-1] == end:
            break
    return row


def induction_score(weights, tokens):
    found = []
    for i in range(len(tokens)):
        earlier = np.flatnonzero(tokens[:i] == tokens[i])
        if len(earlier):
            found.append(weights[i, earlier[-1] + 1])
    return np.mean(found)


def patch_head(Q, K, V, mask, other, head, place):
    z = batched_attention(Q, K, V, mask)  # (n_heads, n, d_v)
    z[head, place] = other[head, place]
    return z


def mean_pooling(hidden, mask):
    total = (hidden * mask[..., None]).sum(axis=1)  # (batch, d)
    return total / mask.sum(axis=1, keepdims=True)  # (batch, d)


def search(query, vectors, k):
    alike = np.zeros(len(vectors))  # (n,)
    for i, vector in enumerate(vectors):
        if np.any(query) and np.any(vector):
            alike[i] = cosine(query, vector)
    order = np.argsort(-alike, kind="stable")  # (n,): the best first, of equal ones the earlier
    return order[:k]


def card_costs(card, n):
    d, words = card["hidden_size"], card["vocab_size"] * card["hidden_size"]
    queries = card["num_attention_heads"] * card["head_dim"]  # the numbers of all queries of a token
    keys = card["num_key_value_heads"] * card["head_dim"]
    block = 2 * d * queries + 2 * d * keys + (3 if card["gated"] else 2) * d * card["intermediate_size"]
    layers, seen = len(card["layer_types"]), 0
    for kind in card["layer_types"]:
        seen += min(n, card["sliding_window"]) if kind == "sliding_attention" else n
    weights = layers * (block + 2 * d) + d + (words if card["tie_word_embeddings"] else 2 * words)
    return weights, 2 * keys * seen * 2, layers * block + 2 * queries * seen + words


def shared_key_heads(Q, K, V, mask):
    share = Q.shape[-3] // K.shape[-3]
    K, V = np.repeat(K, share, axis=-3), np.repeat(V, share, axis=-3)  # (…, n_heads, n, d)
    return batched_attention(Q, K, V, mask)


def window_mask(n, window):
    back = np.arange(n)[:, None] - np.arange(n)  # (n, n): how far back a key stands
    return (back >= 0) & (back < window)


def low_rank(W, A, B, gradient_of):
    M = W + A @ B  # (d, k)
    dM = gradient_of(M)  # (d, k)
    return M, dM @ B.T, A.T @ dM


from course_utils.layers import silu


def gated_part(X, gain, W_gate, W_in, W_out):
    size = np.sqrt((X**2).mean(axis=-1, keepdims=True) + 1e-3)  # (…, 1)
    inside = X / size * gain  # (…, d)
    wide = silu(inside @ W_gate) * (inside @ W_in)  # (…, d_wide)
    return X + wide @ W_out


def my_question(tokens):
    """Is the token at position 5 even?"""
    return tokens[:, 5] % 2 == 0


def control_places(row, places):
    left = row.copy()
    left[places] = -1  # below every weight
    falling = np.argsort(-left)  # places, the one with the most weight first
    return np.sort(falling[: len(places)])
