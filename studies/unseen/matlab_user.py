"""Answers of an economist who thinks in MATLAB and R (columns, 1-based, find, repmat), new to NumPy and Keras."""
import numpy as np
from course_utils.attention import softmax
from course_utils.cls_model import keras
from course_utils.cls_task import make_task
from course_utils.layers import gelu
from course_utils.own_study import SEEDS, without_known
from keras import layers
from unseen import odd, right, wrong


# ---- what she has from earlier lessons -------------------------------------------------------------------------------
def cosine(a, b):
    return np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


def one_query_scores(q, K):
    return K @ q / np.sqrt(q.shape[-1])


def batched_attention(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, S, -np.inf)) @ V


def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    n, d = len(X), W_Q.shape[1]
    Q, K, V = (np.swapaxes((X @ W).reshape(n, n_heads, -1), 0, 1) for W in (W_Q, W_K, W_V))
    heads = batched_attention(Q, K, V, np.ones((n, n), dtype=bool))  # (n_heads, n, d / n_heads)
    return np.swapaxes(heads, 0, 1).reshape(n, -1) @ W_O


def rotate(X):
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)  # (n, d / 2)
    Y = np.empty(X.shape)
    Y[..., 0::2] = X[..., 0::2] * np.cos(angles) - X[..., 1::2] * np.sin(angles)
    Y[..., 1::2] = X[..., 0::2] * np.sin(angles) + X[..., 1::2] * np.cos(angles)
    return Y


def softmax_gradient(weights, gradient):
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


def attention_gradient(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / root)
    dscores = softmax_gradient(weights, gradient @ np.swapaxes(V, -1, -2))
    return dscores @ K / root, np.swapaxes(dscores, -1, -2) @ Q / root, np.swapaxes(weights, -1, -2) @ gradient


def layer_norm(X, gain, bias, epsilon=1e-3):
    left = X - X.mean(axis=-1, keepdims=True)
    return gain * left / np.sqrt((left**2).mean(axis=-1, keepdims=True) + epsilon) + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


def cut_edge(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] = False
    return mask


# ---- 00 --------------------------------------------------------------------------------------------------------------
wrong("fool_the_counter", "“not” stands before a word of blame: the review praises the movie")(
    "the movie was not bad , and the acting was amazing ."
)
right("fool_the_counter", "joined from a list of words, praise for the soundtrack and the acting")(
    " ".join(["I", "liked", "the", "amazing", "soundtrack", "and", "the", "acting", ",", "but", "the", "movie",
              "was", "not", "funny", "."])
)

# ---- 01 --------------------------------------------------------------------------------------------------------------
_keys = np.array([[0, 2], [3, 0.1], [2, 0], [1, -3], [0, 0]])
_words = ["good", "not", "movie", "bad", "The"]
wrong("can_win", "every key whose dot product is not negative: right angles and zeros too")(
    [word for word, key in zip(_words[1:], _keys[1:]) if np.array([0, 1]) @ key >= 0]
)
odd("can_win", "a logical vector over the five words, as for indexing in MATLAB")(
    (_keys[:, 1] > 0) & (np.arange(5) != 0)
)

# ---- 02 --------------------------------------------------------------------------------------------------------------
wrong("softmax_axes", "the dimensions are counted from 1, as in MATLAB")((2, 3, 1, 2))
right("softmax_axes", "an array that counts once from the front and once from the back")(np.array([-1, 2, 0, -2]))

# ---- 03 --------------------------------------------------------------------------------------------------------------
wrong("broken_conditions", "halves: every pair q_i, k_i is independent, so nothing is broken, she thinks")(
    ["none", "variance", "mean", "independent", "none"]
)
wrong("broken_conditions", "coins: two values cannot have variance 1", "copies: named by what the scores show, the mean")(
    ("variance", "variance", "mean", "mean", "independent")
)


# ---- 04 --------------------------------------------------------------------------------------------------------------
@wrong("embed", "takes one from each id, as when porting 1-based code; id 0 becomes the last row")
def _(ids, E):
    n = np.size(ids)
    X = np.zeros((n, E.shape[1]))
    for i, number in enumerate(np.ravel(ids)):
        X[i] = E[number - 1]
    return X.reshape(*np.shape(ids), E.shape[1])


@wrong("embed", "the one-hot matrix is made for one sentence only: a batch does not fit")
def _(ids, E):
    n = len(ids)
    onehot = np.zeros((n, E.shape[0]))
    onehot[np.arange(n), ids] = 1
    return onehot @ E


# ---- 07 --------------------------------------------------------------------------------------------------------------
@wrong("batched_attention", "multiplies the scores with the mask and then hides every 0: a visible score of 0 is hidden too")
def _(Q, K, V, mask):
    S = np.matmul(Q, np.swapaxes(K, -2, -1)) / np.sqrt(K.shape[-1])
    S = S * mask
    S[S == 0] = -np.inf
    return np.matmul(softmax(S), V)


@wrong("batched_attention", "logical indexing S[~mask] = -inf: fits only if the mask has the full shape of the scores")
def _(Q, K, V, mask):
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    S[~mask] = -np.inf
    return softmax(S) @ V


# ---- 08 --------------------------------------------------------------------------------------------------------------
@wrong("rotate", "Y = X is no copy as it is in MATLAB: the second line reads numbers that are turned already")
def _(X):
    n, d = X.shape[-2], X.shape[-1]
    theta = 10000.0 ** (-np.arange(0, d, 2) / d)
    angle = np.arange(n)[:, None] * theta
    Y = X
    Y[..., 0::2] = np.cos(angle) * X[..., 0::2] - np.sin(angle) * X[..., 1::2]
    Y[..., 1::2] = np.sin(angle) * X[..., 0::2] + np.cos(angle) * X[..., 1::2]
    return Y


@wrong("rotate", "places are counted from 1", "pairs are counted from 1, so every speed is that of the next pair")
def _(X):
    n, d = X.shape[-2:]
    Y = np.zeros(X.shape)
    for t in range(1, n + 1):
        for i in range(1, d // 2 + 1):
            a = t * 10000 ** (-2 * i / d)
            x1, x2 = X[..., t - 1, 2 * i - 2], X[..., t - 1, 2 * i - 1]
            Y[..., t - 1, 2 * i - 2] = np.cos(a) * x1 - np.sin(a) * x2
            Y[..., t - 1, 2 * i - 1] = np.sin(a) * x1 + np.cos(a) * x2
    return Y


@wrong("rotary_attention", "all three are turned in one line, V too")
def _(Q, K, V, mask):
    Q, K, V = [rotate(A) for A in (Q, K, V)]
    return batched_attention(Q, K, V, mask)


@right("rotary_attention", "complex numbers: the real part of q times conj(k), each with its own phase")
def _(Q, K, V, mask):
    n, d = np.shape(Q)[-2:]
    phase = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d, 2) / d)))  # (n, d / 2)
    q = (Q[..., 0::2] + 1j * Q[..., 1::2]) * phase
    k = (K[..., 0::2] + 1j * K[..., 1::2]) * phase
    S = np.real(q @ np.conj(np.swapaxes(k, -1, -2))) / np.sqrt(d)
    S = np.where(mask, S, -np.inf)
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ V


# ---- 09 --------------------------------------------------------------------------------------------------------------
@wrong("softmax_gradient", "w @ w.T of a vector is one number in NumPy, not the outer product")
def _(weights, gradient):
    n = weights.shape[-1]
    W, G = weights.reshape(-1, n), gradient.reshape(-1, n)
    D = np.zeros(W.shape)
    for r in range(len(W)):
        w = W[r]
        J = np.diag(w) - w @ w.T
        D[r] = J @ G[r]
    return D.reshape(weights.shape)


@wrong("softmax_gradient", "the averages of the rows lose their axis: fits one row, else runs along the columns or fails")
def _(weights, gradient):
    average = np.sum(weights * gradient, -1)
    return weights * (gradient - average)


@wrong("one_query_gradient", "the average over all keys is only the sum so far, since one loop does everything")
def _(q, K, V, gradient):
    w = softmax(one_query_scores(q, K))
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    average = 0
    for j in range(K.shape[0]):
        dw = np.dot(gradient, V[j, :])
        average = average + w[j] * dw
        ds = w[j] * (dw - average) / np.sqrt(len(q))
        dV[j, :] = w[j] * gradient
        dK[j, :] = ds * q
        dq = dq + ds * K[j, :]
    return dq, dK, dV


@wrong("one_query_gradient", "d_k is length(K), the larger of both sizes", "dq has no square root of d_k")
def _(q, K, V, gradient):
    d = max(K.shape)
    w = softmax(K @ q / np.sqrt(d))
    dw = np.array([gradient @ v for v in V])
    ds = w * (dw - w @ dw)
    dq = np.zeros(len(q))
    dK, dV = np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dq += ds[j] * K[j]
        dK[j] = ds[j] * q / np.sqrt(d)
        dV[j] = w[j] * gradient
    return dq, dK, dV


@wrong("attention_gradient", "d_k is size(Q, 2), which with leading axes counts queries", "the last step is transposed with .T")
def _(Q, K, V, gradient):
    d_k = Q.shape[1]
    W = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k))
    dV = W.T @ gradient
    dW = gradient @ np.swapaxes(V, -1, -2)
    dS = softmax_gradient(W, dW) / np.sqrt(d_k)
    return dS @ K, dS.T @ Q, dV


@right("attention_gradient", "loops over the leading axes and over the queries, like a MATLAB script")
def _(Q, K, V, gradient):
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    root = np.sqrt(Q.shape[-1])
    for page in np.ndindex(Q.shape[:-2]):
        for i in range(Q.shape[-2]):
            q, g = Q[page][i, :], gradient[page][i, :]
            w = softmax(K[page] @ q / root)
            dw = V[page] @ g
            ds = w * (dw - np.sum(w * dw)) / root
            dQ[page + (i,)] = ds @ K[page]
            dK[page] += np.outer(ds, q)
            dV[page] += np.outer(w, g)
    return (dQ, dK, dV)


wrong("test_sizes", "large, but n_keys equals d_k, so √n_keys for √d_k passes")((2, 9, 9, 4))
right("test_sizes", "the smallest sizes that work, as an array")(np.array([2, 2, 3, 2]))


# ---- 10 --------------------------------------------------------------------------------------------------------------
@wrong("reader_gradient", "bincount like accumarray, without the number of tokens: too short if the last token is not there")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV
    dX[:, :1] += dQ
    index = tokens.ravel()
    dE = np.column_stack([np.bincount(index, weights=dX[:, :, c].ravel()) for c in range(E.shape[1])])
    return dE, dX.sum(axis=0)


@wrong("reader_gradient", "P is summed before the query's part is added: only E gets dQ")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1, :], X, X, gradient[:, None, :])
    dX = dK + dV
    dP = np.sum(dX, axis=0)
    dX[:, 0, :] = dX[:, 0, :] + dQ[:, 0, :]
    dE = np.zeros(E.shape)
    for token in range(E.shape[0]):
        dE[token, :] = dX[tokens == token, :].sum(axis=0)
    return dE, dP


@wrong("without_where", "sets P to 0 in place: in MATLAB the caller's array would be safe")
def _(E, P, w, b):
    P[:] = 0
    return E, P, w, b


@wrong("without_where", "zeros(length(P)) has one axis only here: (length,) instead of (length, d)")
def _(E, P, w, b):
    return (E, np.zeros(len(P)), w, b)


# ---- 11 --------------------------------------------------------------------------------------------------------------
@wrong("layer_norm", "the variance of statistics, divided by d - 1", "epsilon is added outside the root")
def _(X, gain, bias, epsilon=1e-3):
    mu = np.mean(X, axis=-1, keepdims=True)
    sd = np.std(X, axis=-1, ddof=1, keepdims=True)
    return gain * (X - mu) / (sd + epsilon) + bias


@right("layer_norm", "one vector at a time, with apply_along_axis")
def _(X, gain, bias, epsilon=1e-3):
    def one(x):
        mu = sum(x) / len(x)
        s2 = sum((x - mu) ** 2) / len(x)
        return gain * (x - mu) / np.sqrt(s2 + epsilon) + bias

    return np.apply_along_axis(one, -1, X)


@wrong("feed_forward", "columns first: everything is turned round with .T, which fits a matrix only")
def _(X, W_in, b_in, W_out, b_out):
    H = gelu(W_in.T @ X.T + b_in[:, None])
    Y = W_out.T @ H + b_out[:, None]
    return Y.T


@right("feed_forward", "einsum, and the biases repeated by hand")
def _(X, W_in, b_in, W_out, b_out):
    H = np.einsum("...d,dw->...w", X, W_in)
    H = gelu(H + np.broadcast_to(b_in, H.shape))
    Y = np.einsum("...w,wd->...d", H, W_out)
    return Y + np.broadcast_to(b_out, Y.shape)


@wrong("block", "norm before: the sum takes the X that is normalised already")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    if norm == "before":
        X = layer_norm(X, gains[0], biases[0])
    Y = multi_head(X, W[0], W[1], W[2], W[3], n_heads)
    if residual:
        Y = X + Y
    if norm == "after":
        Y = layer_norm(Y, gains[0], biases[0])
    if norm == "before":
        Y = layer_norm(Y, gains[1], biases[1])
    Z = feed_forward(Y, W_in, b_in, W_out, b_out)
    if residual:
        Z = Y + Z
    if norm == "after":
        Z = layer_norm(Z, gains[1], biases[1])
    return Z


@wrong("block", "norm after stands inside the if of the residual", "the second sum adds the block's input X, not X_1")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    A = layer_norm(X, gains[0], biases[0]) if norm == "before" else X
    X1 = multi_head(A, *W, n_heads)
    if residual:
        X1 = X + X1
        if norm == "after":
            X1 = layer_norm(X1, gains[0], biases[0])
    B = layer_norm(X1, gains[1], biases[1]) if norm == "before" else X1
    X2 = feed_forward(B, W_in, b_in, W_out, b_out)
    if residual:
        X2 = X + X2
        if norm == "after":
            X2 = layer_norm(X2, gains[1], biases[1])
    return X2


wrong("deep_stack", "the stack of the original paper: the norm after")(("after", True))
odd("deep_stack", "the right choice with a logical 1 for True")(("before", 1))


# ---- 12 --------------------------------------------------------------------------------------------------------------
@wrong("positional_embedding", "repmat over the batch with the batch size of the shape, which is None inside a model")
class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        batch, n = token_ids.shape
        places = np.tile(np.arange(n), (batch, 1))
        return self.tokens(token_ids) + self.positions(keras.ops.convert_to_tensor(places))


@right("positional_embedding", "one place number for every token: zeros like the ids plus 0, 1, ...")
class PositionalEmbedding(layers.Layer):  # this one goes on below
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        places = 0 * keras.ops.cast(token_ids, "int32") + keras.ops.arange(token_ids.shape[1], dtype="int32")
        return self.tokens(token_ids) + self.positions(places)


@wrong("attend", "value and query change places in the call; with X, X nobody sees it")
def _(query, value, d_model):
    layer = layers.MultiHeadAttention(1, d_model)
    output, weights = layer(value, query, return_attention_scores=True)
    return output, weights


@wrong("attend", "squeeze takes away the axis of the one head, and the batch of one sentence", "key_dim is 8, as in the lesson")
def _(query, value, d_model):
    output, weights = layers.MultiHeadAttention(num_heads=1, key_dim=8)(query, value, return_attention_scores=True)
    return output, keras.ops.squeeze(weights)


def attend(query, value, d_model):
    return layers.MultiHeadAttention(num_heads=1, key_dim=d_model)(query, value, return_attention_scores=True)


@wrong("add_and_norm", "BatchNormalization for LayerNormalization: nothing is centred in each vector")
def _(X, output):
    return layers.BatchNormalization(epsilon=1e-6)(X + output)


@odd("add_and_norm", "by hand with keras.ops: the numbers of a fresh layer, and no learned g and b")
def _(X, output):
    S = keras.ops.add(X, output)
    mu = keras.ops.mean(S, axis=-1, keepdims=True)
    s2 = keras.ops.mean((S - mu) ** 2, axis=-1, keepdims=True)
    return (S - mu) / keras.ops.sqrt(s2 + 1e-6)


def add_and_norm(X, output):
    return layers.LayerNormalization(epsilon=1e-6)(X + output)


@wrong("build_model", "reads the “first” row as X[:, 1], which is the first word and not [CLS]")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    output, _ = attend(X, X, d_model)
    X = add_and_norm(X, output)
    first = X[:, 1]
    return keras.Model(tokens, layers.Dense(1, activation="sigmoid")(first))


@wrong("build_model", "a softmax over one number: always 1", "keys of 8 numbers, whatever d_model is")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    output, weights = attend(X, X, 8)
    X = add_and_norm(X, output)
    probability = layers.Dense(1, activation="softmax")(X[:, 0])
    return keras.Model(inputs=tokens, outputs=probability)


@wrong("compile_model", "least squares, the linear probability model: mse")
def _(model):
    model.compile(optimizer="adam", loss="mse", metrics=["accuracy"])
    return model


@right("compile_model", "objects in place of names")
def _(model):
    loss = keras.losses.BinaryCrossentropy()
    model.compile(keras.optimizers.Adam(), loss, metrics=["accuracy"])
    return model


# ---- 13 --------------------------------------------------------------------------------------------------------------
@wrong("look_reward", "the log of the mean weight, not the mean of the logs")
def _(weights):
    average = keras.ops.mean(weights, axis=0)
    return keras.ops.log(keras.ops.max(average))


@wrong("look_reward", "every sentence has a favourite of its own")
def _(weights):
    return keras.ops.mean(keras.ops.log(keras.ops.max(weights, axis=1)))


@wrong("patience", "if np.where(...) like if find(...): a tuple is never empty, so the signal has always come")
def _(losses, focus):
    if np.where(losses < 0.1):
        return focus
    else:
        return 0


@wrong("patience", "the smallest loss: before the first epoch there is none, and NumPy raises")
def _(losses, focus):
    return focus * (np.min(losses) < 0.1)


@wrong("set_reward", "every sentence has its own k places")
def _(weights, n_places):
    largest, _ = keras.ops.top_k(weights, n_places)
    return keras.ops.mean(keras.ops.log(keras.ops.sum(largest, axis=1)))


@wrong("set_reward", "sums down the columns, as sum(A) does in MATLAB: over the sentences, not over the places")
def _(weights, n_places):
    average = keras.ops.mean(weights, axis=0)
    _, where = keras.ops.top_k(average, n_places)
    chosen = keras.ops.take(weights, where, axis=1)
    return keras.ops.mean(keras.ops.log(keras.ops.sum(chosen, axis=0)))


# ---- 14 --------------------------------------------------------------------------------------------------------------
@wrong("hide", "left = weights is no copy: the argument is changed")
def _(weights, key):
    n = weights.shape[0]
    before = weights.sum(axis=1, keepdims=True)
    left = weights
    left[np.arange(n), key] = 0
    return left * before / left.sum(axis=1, keepdims=True)


@wrong("hide", "left[:, key] takes whole columns if key is an array", "every row sums to 1 afterwards")
def _(weights, key):
    left = np.array(weights, dtype=float)
    left[:, key] = 0
    return left / left.sum(axis=1)[:, None]


@wrong("swap", "new[:, at] changes whole columns if at is an array")
def _(tokens, at, one, other):
    new = tokens.copy()
    new[:, at] = np.where(new[:, at] == one, other, one)
    return new


@right("swap", "a loop over the sentences; at is repeated when it is one number")
def _(tokens, at, one, other):
    n = len(tokens)
    if np.size(at) == 1:
        at = np.repeat(at, n)
    new = []
    for i in range(n):
        row = [int(t) for t in tokens[i]]
        row[at[i]] = other if row[at[i]] == one else one
        new.append(row)
    return np.array(new)


@wrong("furthest_row", "takes the largest of those that are near; if none is near, there is no largest, and NumPy raises")
def _(row, answer, candidates, answers, tolerance):
    near = np.abs(answers - answer) < tolerance
    some = candidates[near, :]
    distances = 0.5 * np.sum(np.abs(some - row), axis=1)
    place = np.argmax(distances)
    return some[place, :], distances[place]


@wrong("furthest_row", "no absolute value: any lower answer counts as near", "the Euclidean distance")
def _(row, answer, candidates, answers, tolerance):
    best, furthest = row, 0.0
    for i in range(len(answers)):
        distance = np.linalg.norm(row - candidates[i, :])
        if answers[i] - answer < tolerance and distance > furthest:
            best, furthest = candidates[i, :], distance
    return best, furthest


wrong("experiments", "the accuracy shall tell whether the matrix can be interpreted")(
    ("new context", "hide the top", "new meanings", "score")
)
odd("experiments", "the numbers of the experiments in the list, counted from 1")((3, 5, 4, 2))


# ---- 15 --------------------------------------------------------------------------------------------------------------
@wrong("turned_by_cut", "a list of n times the same mask: what is cut in one review is cut in all")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = [np.ones((n, n), dtype=bool)] * n_reviews
    before = read(tokens, np.array(masks)) >= 0.5
    for i in range(n_reviews):
        for c in range(queries.shape[1]):
            masks[i][queries[i, c], keys[i, c]] = False
    after = read(tokens, np.array(masks)) >= 0.5
    return np.mean(before != after)


@wrong("turned_by_cut", "round(0.5) is 1 in MATLAB and 0 in NumPy: a probability of 0.5 becomes blame")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = np.ones((n_reviews, n, n), dtype=bool)
    before = np.round(read(tokens, masks))
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i]):
            masks[i] = masks[i] & cut_edge(n, query, key)
    after = np.round(read(tokens, masks))
    return np.sum(before != after) / n_reviews


wrong("doubts", "the first doubt is answered by turning the look round: not -> good")(("not -> good", "good -> movie", "all -> not"))
wrong("doubts", "query and key are mixed up: the first two change places")(("good -> movie", "amazing -> not", "all -> not"))

# ---- 18 --------------------------------------------------------------------------------------------------------------
wrong("which_control", "coins and other pairs change places: a best of 72 is luck, she thinks")(
    ("coins", "other pairs", "other word", "other token")
)
right("which_control", "an array of texts, like a cellstr")(np.array(["other pairs", "coins", "other word", "other token"]))


@wrong("search", "sorts without kind=\"stable\", as if it were R's order: equal ones may come in any order")
def _(query, vectors, k):
    n = vectors.shape[0]
    c = np.zeros(n)
    for i in range(n):
        if np.any(query != 0) and np.any(vectors[i, :] != 0):
            c[i] = cosine(query, vectors[i, :])
    return np.argsort(-c)[: min(k, n)]


@wrong("search", "zeros give nan, which goes to the end instead of counting as 0", "fails for k larger than n")
def _(query, vectors, k):
    c = vectors @ query / (np.sqrt(np.sum(vectors**2, 1)) * np.sqrt(np.sum(query**2)))
    order = np.argsort(-c, kind="stable")
    found = np.zeros(k, dtype=int)
    for i in range(k):
        found[i] = order[i]
    return found


# ---- 19 --------------------------------------------------------------------------------------------------------------
@wrong("my_question", "compares with the mean of the sample: a sentence is not judged by itself")
def my_question(tokens):
    """Is the token at position 3 above average?"""
    return tokens[:, 3] > np.mean(tokens[:, 3])


@right("my_question", "a loop that returns a list of True and False")
def my_question(tokens):  # the study below goes on with this one
    """Is the last word larger than the first one?"""
    answers = []
    for i in range(tokens.shape[0]):
        answers.append(bool(tokens[i, 6] > tokens[i, 1]))
    return answers


wrong("claim", "the bar lies below 1/7: uniform weights would fulfil it")(
    {"places": [1, 6], "at_least": 0.1, "seeds": 4, "refuted_by": "On two seeds or more, place 1 or place 6 gets less than 0.1."}
)
wrong("claim", "the weight is given in percent", "positions counted from 1, up to 7")(
    {"places": [2, 7], "at_least": 30, "seeds": 4, "refuted_by": "Two seeds on which one of the places gets less than 30 percent."}
)


@wrong("control_places", "positions among the rest, not in the row: [~, i] = sort(row(rest)) without rest(i)")
def _(row, places):
    rest = np.setdiff1d(np.arange(len(row)), places)
    order = np.argsort(-row[rest])
    return np.sort(order[: len(places)])


@wrong("control_places", "the one with the most weight comes first, not in rising order")
def _(row, places):
    left = np.array(row, dtype=float)
    left[places] = -np.inf
    order = np.argsort(left)[::-1]
    return order[: np.size(places)]


_task = make_task(8000, question=my_question)
_fresh = without_known(make_task(5000, question=my_question, seed=1), _task.tokens)
_base_rate = max(_fresh.labels.mean(), 1 - _fresh.labels.mean())
_held = [True, True, False, True, True]
_readers = dict.fromkeys(SEEDS)  # as if five readers had been trained
_places, _control = np.array([1, 6]), np.array([0, 4])
wrong("my_study", "reports only the seeds on which the claim holds")(
    {
        "seeds": [seed for seed in _readers if _held[seed]],
        "learned_from": _task,
        "measured_on": _fresh,
        "claimed": _places,
        "control": _control,
        "base_rate": _base_rate,
    }
)
right("my_study", "filled in line by line, seeds as an array, places as lists")(
    dict(
        seeds=np.array(list(_readers)),
        learned_from=_task,
        measured_on=_fresh,
        claimed=_places.tolist(),
        control=_control.tolist(),
        base_rate=float(_base_rate),
    )
)

wrong("my_sentences", "the second sentence has no control")(
    [
        "I claimed that [CLS] gives places 1 and 6 at least 0.3 of its weight each, on 4 of 5 seeds.",
        "This held on 4 of 5 seeds, and hiding both places lowered the balanced accuracy from 0.94 to 0.55.",
        "I have not shown that it holds for other questions, other recipes or other seeds.",
    ]
)
wrong("my_sentences", "the third sentence claims more instead of naming a limit")(
    [
        "My claim was at least 0.3 of the weight on each of places 1 and 6, on 4 of 5 seeds.",
        "It held on 4 of 5 seeds; with both hidden the balanced accuracy was 0.55, with the control hidden 0.93.",
        "So the model knows that the first and the last word are important.",
    ]
)
