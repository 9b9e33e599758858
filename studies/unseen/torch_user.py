"""Answers of a person who has used PyTorch for two years without looking inside: vectorises, and trusts its conventions."""
import numpy as np
from course_utils.cls_model import keras
from course_utils.cls_task import make_task
from course_utils.layers import gelu
from course_utils.own_study import SEEDS, without_known
from keras import layers
from unseen import odd, right, wrong

# --- what this student wrote in earlier lessons, all of it right ---


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def one_query_scores(q, K):
    return K @ q / np.sqrt(len(q))


def batched_attention(Q, K, V, mask):
    scores = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ V


def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (np.stack(np.split(X @ W, n_heads, axis=1)) for W in (W_Q, W_K, W_V))
    heads = batched_attention(Q, K, V, np.ones((len(X), len(X)), dtype=bool))
    return np.concatenate(list(heads), axis=-1) @ W_O


def softmax_gradient(weights, gradient):
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


def attention_gradient(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(np.einsum("...id,...jd->...ij", Q, K) / root)
    ds = softmax_gradient(weights, np.einsum("...id,...jd->...ij", gradient, V)) / root
    return ds @ K, np.einsum("...ij,...id->...jd", ds, Q), np.einsum("...ij,...id->...jd", weights, gradient)


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) * gain + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


def rotate(X):
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    first, second = X[..., 0::2], X[..., 1::2]
    Y = np.empty(X.shape)
    Y[..., 0::2] = first * np.cos(angles) - second * np.sin(angles)
    Y[..., 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return Y


# --- 00 ---

wrong("fool_the_counter", "comma and full stop stick to the words, so that amazing is not counted")(
    "The movie was not good, but the soundtrack was amazing."
)

right("fool_the_counter", "praises nothing else: amazing outweighs the not in front of it")("The movie was not amazing .")

# --- 01 ---

wrong("can_win", "a dot product of 0 is taken for one that can grow")(["not", "movie"])

odd("can_win", "the word itself, not in a list")("not")

# --- 02 ---

wrong("softmax_axes", "the last axis in all programs, as dim=-1 everywhere")((-1, -1, -1, -1))

wrong("softmax_axes", "in the fourth program axis 0 is the batch")((-1, -1, 0, 0))

# --- 03 ---

wrong("broken_conditions", "adds 0.6 and 0.8 and finds another variance in the copies")(
    ("none", "variance", "mean", "variance", "independent")
)

wrong("broken_conditions", "coins are thought to have variance p(1 - p)", "halves are thought to be fine")(
    ["variance", "variance", "mean", "independent", "none"]
)

# --- 04 ---


@wrong("embed", "one-hot is as wide as the largest id that occurs, not as the vocabulary")
def _(ids, E):
    ids = np.asarray(ids)
    one_hot = np.eye(ids.max() + 1)[ids]
    return one_hot @ E


@odd("embed", "a class like nn.Embedding, whose forward nobody calls")
class Embedding:
    def __init__(self, ids, E):
        self.ids = ids
        self.weight = E

    def forward(self):
        return self.weight[self.ids]


# --- 07 ---


@wrong("batched_attention", "fills with -1e9 in place of -inf")
def _(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scores = np.where(mask, scores, -1e9)
    return softmax(scores) @ V


@wrong("batched_attention", "only for (batch, heads, n, d)", "the root is that of d_v")
def _(Q, K, V, mask):
    d_head = V.shape[-1]
    scores = np.einsum("bhqd,bhkd->bhqk", Q, K) / np.sqrt(d_head)
    weights = softmax(np.where(mask, scores, -np.inf))
    return np.einsum("bhqk,bhkd->bhqd", weights, V)


# --- 08 ---


@wrong("rotate", "pairs number i with number i + d/2, as rotate_half of Llama does")
def _(X):
    n, d = X.shape[-2:]
    inv_freq = 1.0 / 10000 ** (np.arange(0, d, 2) / d)
    freqs = np.outer(np.arange(n), inv_freq)
    emb = np.concatenate([freqs, freqs], axis=-1)
    x1, x2 = X[..., : d // 2], X[..., d // 2 :]
    rotated = np.concatenate([-x2, x1], axis=-1)
    return X * np.cos(emb) + rotated * np.sin(emb)


@right("rotate", "complex numbers, and the pairs by a reshape")
def _(X):
    X = np.asarray(X, dtype=float)
    n, d = X.shape[-2:]
    pairs = X.reshape(*X.shape[:-1], d // 2, 2)
    z = pairs[..., 0] + 1j * pairs[..., 1]
    freqs = np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(d // 2) / d))
    z = z * np.exp(1j * freqs)
    return np.stack([z.real, z.imag], axis=-1).reshape(X.shape)


@wrong("rotary_attention", "queries and keys go through rotate as one sequence, so that the keys count on from n")
def _(Q, K, V, mask):
    n = Q.shape[-2]
    both = rotate(np.concatenate([Q, K], axis=-2))
    return batched_attention(both[..., :n, :], both[..., n:, :], V, mask)


@wrong("rotary_attention", "the mask is turned over: True = hidden")
def _(Q, K, V, mask):
    return batched_attention(rotate(Q), rotate(K), V, ~mask)


# --- 09 ---


@wrong("softmax_gradient", "the gradient of log_softmax")
def _(weights, gradient):
    return gradient - weights * gradient.sum(axis=-1, keepdims=True)


@right("softmax_gradient", "the whole Jacobian of each row, and einsum")
def _(weights, gradient):
    n = weights.shape[-1]
    J = np.eye(n) * weights[..., None, :] - weights[..., :, None] * weights[..., None, :]
    return np.einsum("...i,...ij->...j", gradient, J)


@wrong("one_query_gradient", "the root divides the score gradients already, and dK once more")
def _(q, K, V, gradient):
    scale = 1 / np.sqrt(q.shape[0])
    weights = softmax(K @ q * scale)
    dV = np.outer(weights, gradient)
    dscores = softmax_gradient(weights, V @ gradient) * scale
    dq = dscores @ K
    dK = np.outer(dscores, q) * scale
    return dq, dK, dV


@wrong("one_query_gradient", "dq is written anew for each key, so only the last one stays")
def _(q, K, V, gradient):
    w = softmax(one_query_scores(q, K))
    dw = V @ gradient
    ds = softmax_gradient(w, dw)
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dV[j] = w[j] * gradient
        dK[j] = ds[j] * q / np.sqrt(len(q))
        dq = ds[j] * K[j] / np.sqrt(len(q))
    return dq, dK, dV


@wrong("attention_gradient", "dK and dV are added up over the leading axes too, like those of parameters")
def _(Q, K, V, gradient):
    d_k = Q.shape[-1]
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k))
    dW = gradient @ np.swapaxes(V, -1, -2)
    dS = softmax_gradient(weights, dW) / np.sqrt(d_k)
    dQ = np.einsum("...qk,...kd->...qd", dS, K)
    dK = np.einsum("...qk,...qd->kd", dS, Q)
    dV = np.einsum("...qk,...qd->kd", weights, gradient)
    return dQ, dK, dV


@wrong("attention_gradient", "bmm: none or one leading axis only", "dQ lacks the root")
def _(Q, K, V, gradient):
    squeeze = Q.ndim == 2
    if squeeze:
        Q, K, V, gradient = Q[None], K[None], V[None], gradient[None]
    scale = Q.shape[-1] ** -0.5
    weights = softmax(np.einsum("bqd,bkd->bqk", Q, K) * scale)
    dV = np.einsum("bqk,bqd->bkd", weights, gradient)
    dW = np.einsum("bqd,bkd->bqk", gradient, V)
    dS = softmax_gradient(weights, dW)
    dQ = np.einsum("bqk,bkd->bqd", dS, K)
    dK = np.einsum("bqk,bqd->bkd", dS, Q) * scale
    return (dQ[0], dK[0], dV[0]) if squeeze else (dQ, dK, dV)


wrong("test_sizes", "10 keys are more than 9", "d_k equals d_v, as usual")((2, 10, 8, 8))

right("test_sizes", "large ones, three of them equal, d_k another")([9, 9, 4, 9])

# --- 10 ---


@wrong("reader_gradient", "broadcasting adds the gradient of the query to all rows")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dQ + dK + dV
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)
    return dE, dX.sum(axis=0)


@right("reader_gradient", "the look-up as one-hot, and einsum back")
def _(E, P, tokens, gradient):
    one_hot = np.eye(len(E))[tokens]
    X = one_hot @ E + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = np.concatenate([dQ, np.zeros_like(dK[:, 1:])], axis=1) + dK + dV
    return np.einsum("blt,bld->td", one_hot, dX), np.einsum("bld->ld", dX)


@wrong("without_where", "zeroes P itself, like nn.init.zeros_")
def _(E, P, w, b):
    P.fill(0)
    return E, P, w, b


@wrong("without_where", "every place gets the mean position, so places are alike but not 0")
def _(E, P, w, b):
    return E, np.broadcast_to(P.mean(axis=0, keepdims=True), P.shape).copy(), w, b


# --- 11 ---


@wrong("layer_norm", "the standard deviation is the unbiased one", "epsilon is added outside the root")
def _(X, gain, bias, epsilon=1e-3):
    mean = X.mean(-1, keepdims=True)
    std = X.std(-1, keepdims=True, ddof=1)
    return gain * (X - mean) / (std + epsilon) + bias


@wrong("layer_norm", "the default of epsilon is changed to that of PyTorch")
def _(X, gain, bias, epsilon=1e-5):
    mean = X.mean(axis=-1, keepdims=True)
    var = X.var(axis=-1, keepdims=True)
    return (X - mean) / np.sqrt(var + epsilon) * gain + bias


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@wrong("feed_forward", "the tanh approximation of GELU, as in GPT-2, in place of the course's")
def _(X, W_in, b_in, W_out, b_out):
    return gelu_new(X @ W_in + b_in) @ W_out + b_out


@wrong("feed_forward", "the first bias comes after the bend; in the lesson's block it is 0")
def _(X, W_in, b_in, W_out, b_out):
    hidden = gelu(X @ W_in) + b_in
    return hidden @ W_out + b_out


@wrong("block", "norm is read as norm_first: whatever is not before is after, also none")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    norm_first = norm == "before"
    skip = 1.0 if residual else 0.0
    if norm_first:
        X = skip * X + multi_head(layer_norm(X, gains[0], biases[0]), *W, n_heads)
        X = skip * X + feed_forward(layer_norm(X, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    else:
        X = layer_norm(skip * X + multi_head(X, *W, n_heads), gains[0], biases[0])
        X = layer_norm(skip * X + feed_forward(X, W_in, b_in, W_out, b_out), gains[1], biases[1])
    return X


@right("block", "two sublayers made by one function, with identity functions for what is left out")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    identity = lambda x: x

    def sublayer(part, i):
        normalise = lambda x: layer_norm(x, gains[i], biases[i])
        pre = {"before": normalise}.get(norm, identity)
        post = {"after": normalise}.get(norm, identity)
        return lambda x: post((x if residual else 0) + part(pre(x)))

    attention = sublayer(lambda x: multi_head(x, W[0], W[1], W[2], W[3], n_heads), 0)
    mlp = sublayer(lambda x: feed_forward(x, W_in, b_in, W_out, b_out), 1)
    return mlp(attention(X))


wrong("deep_stack", "norm after the sum, the default of nn.TransformerEncoderLayer")(("after", True))

odd("deep_stack", "the right choice, with True as a text")(("before", "True"))

# --- 12 ---


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        return self.tokens(token_ids) + self.positions(keras.ops.arange(token_ids.shape[1]))


@wrong("positional_embedding", "the tokens are multiplied by the root of d_model, as in the Transformer tutorial")
class ScaledEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)
        self.d_model = d_model

    def call(self, token_ids):
        positions = keras.ops.arange(token_ids.shape[1])
        return self.tokens(token_ids) * self.d_model**0.5 + self.positions(positions)


@right("positional_embedding", "a position for every token of the batch, expanded")
class ExpandedEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        position_ids = keras.ops.zeros_like(token_ids) + keras.ops.arange(token_ids.shape[-1], dtype=token_ids.dtype)
        return self.positions(position_ids) + self.tokens(token_ids)


@wrong("attend", "the arguments of nn.MultiheadAttention: d_model heads with keys of one number")
def _(query, value, d_model):
    return layers.MultiHeadAttention(d_model, 1)(query, value, return_attention_scores=True)


@wrong("attend", "the weights come back as the mean of the heads, without their axis")
def _(query, value, d_model):
    mha = layers.MultiHeadAttention(num_heads=1, key_dim=d_model)
    output, weights = mha(query, value, value, return_attention_scores=True)
    return output, keras.ops.mean(weights, axis=1)


def attend(query, value, d_model):
    return layers.MultiHeadAttention(num_heads=1, key_dim=d_model)(query, value, return_attention_scores=True)


def add_and_norm(X, output):
    return layers.LayerNormalization(epsilon=1e-6)(X + output)


@wrong("add_and_norm", "pre-norm: X is added to the normalised output")
def _(X, output):
    return X + layers.LayerNormalization(epsilon=1e-6)(output)


@wrong("add_and_norm", "the epsilon of nn.LayerNorm, 1e-5")
def _(X, output):
    return layers.LayerNormalization(axis=-1, epsilon=1e-5)(X + output)


@wrong("build_model", "returns logits, without the sigmoid")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    output, weights = attend(X, X, d_model)
    X = add_and_norm(X, output)
    logits = layers.Dense(1)(X[:, 0])
    return keras.Model(tokens, logits)


@right("build_model", "the sigmoid on all rows, and row 0 is taken afterwards")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    X = add_and_norm(X, attend(X, X, d_model)[0])
    return keras.Model(tokens, layers.Dense(1, activation="sigmoid")(X)[:, 0])


@wrong("compile_model", "the loss takes the probabilities for logits")
def _(model):
    model.compile(optimizer="adam", loss=keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


@wrong("compile_model", "AdamW in place of Adam", "a rate of 3e-4")
def _(model):
    model.compile(optimizer=keras.optimizers.AdamW(3e-4), loss="binary_crossentropy", metrics=["accuracy"])
    return model


# --- 13 ---


@wrong("look_reward", "the logarithm of the mean weight, not the mean of the logarithms")
def _(weights):
    average = keras.ops.mean(weights, axis=0)
    return keras.ops.log(keras.ops.max(average))


@right("look_reward", "the favourite as one-hot, multiplied and summed")
def _(weights):
    favourite = keras.ops.argmax(keras.ops.sum(weights, axis=0))
    one_hot = keras.ops.one_hot(favourite, weights.shape[-1], dtype=weights.dtype)
    return keras.ops.sum(keras.ops.mean(keras.ops.log(weights), axis=0) * one_hot)


@wrong("patience", "patience as in early stopping: no better loss for three epochs")
def _(losses, focus):
    if len(losses) == 0:
        return 0
    since_best = len(losses) - 1 - np.argmin(losses)
    return focus if since_best >= 3 else 0


@right("patience", "next over the losses, with 0 as its default")
def _(losses, focus):
    return next((focus for loss in losses if loss < 0.1), 0)


@wrong("set_reward", "all places as large as the k-th count, so equal ones come along")
def _(weights, n_places):
    average = keras.ops.mean(weights, axis=0)
    smallest = keras.ops.top_k(average, n_places)[0][-1]
    kept = keras.ops.where(average >= smallest, weights, 0.0)
    return keras.ops.mean(keras.ops.log(keras.ops.sum(kept, axis=-1)))


@wrong("set_reward", "each sentence has its own k places", "the mean of the k weights, not their sum")
def _(weights, n_places):
    values, _ = keras.ops.top_k(weights, n_places)
    return keras.ops.mean(keras.ops.log(keras.ops.mean(values, axis=-1)))


# --- 14 ---


@wrong("hide", "what is left is found by subtraction, which is 0 where nearly all weight is hidden")
def _(weights, key):
    rows = np.arange(len(weights))
    total = weights.sum(axis=-1, keepdims=True)
    taken = weights[rows, key][:, None]
    left = weights.copy()
    left[rows, key] = 0
    return left * total / (total - taken)


@wrong("hide", "rows are scaled to 1, not to their old sum", "the keys of all rows are hidden in each row")
def _(weights, key):
    left = np.array(weights, dtype=float)
    left[:, key] = 0
    return left / left.sum(axis=-1, keepdims=True)


@wrong("swap", "a swap in both directions: any third token stays")
def _(tokens, at, one, other):
    new = tokens.copy()
    rows = np.arange(len(tokens))
    old = tokens[rows, at]
    new[rows, at] = np.where(old == one, other, np.where(old == other, one, old))
    return new


@wrong("swap", "[:] is taken for a copy", "at picks whole columns")
def _(tokens, at, one, other):
    new = tokens[:]
    new[:, at] = np.where(new[:, at] == one, other, one)
    return new


@wrong("furthest_row", "near is asked without the absolute value")
def _(row, answer, candidates, answers, tolerance):
    near = answers - answer < tolerance
    if not near.any():
        return row, 0.0
    distances = np.abs(candidates - row).sum(axis=-1) / 2
    best = np.where(near, distances, -1).argmax()
    return candidates[best], distances[best]


@wrong("furthest_row", "the half is missing", "where nothing is near, the first candidate comes back")
def _(row, answer, candidates, answers, tolerance):
    near = np.abs(answers - answer) < tolerance
    distances = np.linalg.norm(candidates - row, ord=1, axis=1) * near
    best = distances.argmax()
    return candidates[best], distances[best]


wrong("experiments", "the second and the fourth are exchanged")(("new context", "compare", "new meanings", "hide the top"))

wrong("experiments", "new meanings and new context are exchanged")(
    ("new meanings", "hide the top", "new context", "compare")
)

# --- 15 ---


@wrong("turned_by_cut", "True = cut, the polarity of attn_mask", "praise only above 0.5")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = np.zeros((n_reviews, n, n), dtype=bool)
    before = read(tokens, masks) > 0.5
    cut = masks.copy()
    cut[np.arange(n_reviews)[:, None], queries, keys] = True
    return (before != (read(tokens, cut) > 0.5)).mean()


@right("turned_by_cut", "one-hot queries times one-hot keys, summed over the cuts")
def _(read, tokens, queries, keys):
    n = tokens.shape[1]
    edges = np.einsum("rcq,rck->rqk", np.eye(n)[queries], np.eye(n)[keys])
    after = read(tokens, edges == 0) >= 0.5
    before = read(tokens, np.ones_like(edges, dtype=bool)) >= 0.5
    return float(np.logical_xor(before, after).mean())


wrong("doubts", "the first two are exchanged")(("good -> movie", "amazing -> not", "all -> not"))

wrong("doubts", "whoever looks is read as all words, and the rest follows")(
    ("all -> not", "good -> movie", "amazing -> not")
)

# --- 18 ---

wrong("which_control", "coins are tossed for the first, other pairs for the second")(
    ("coins", "other pairs", "other word", "other token")
)

wrong("which_control", "another word for the [CLS] finding", "another token for the negation")(
    ["other pairs", "coins", "other token", "other word"]
)


@wrong("search", "the eps of F.cosine_similarity: the product of lengths is at least 1e-8")
def _(query, vectors, k):
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    cos = vectors @ query / np.maximum(norms, 1e-8)
    return np.argsort(-cos, kind="stable")[:k]


@wrong("search", "argsort without stable: equal ones keep their order for few vectors only")
def _(query, vectors, k):
    cos = np.zeros(len(vectors))
    for i, v in enumerate(vectors):
        if v.any() and query.any():
            cos[i] = cosine(query, v)
    return np.argsort(-cos)[:k]


@right("search", "sorted of Python, with the cosine as key; a list comes back")
def _(query, vectors, k):
    def score(i):
        v = vectors[i]
        return cosine(query, v) if np.any(v) and np.any(query) else 0.0

    return sorted(range(len(vectors)), key=score, reverse=True)[:k]


# --- 19 ---


@wrong("my_question", "the limit is the mean of the batch, so a sentence is not judged by itself")
def my_question(tokens):
    """Is the token at position 3 larger than the average token?"""
    return tokens[:, 3] > tokens[:, 1:].mean()


@wrong("my_question", "a count over all words: it does not matter where they stand")
def my_question(tokens):
    """Are there more big words (above 25) than small ones?"""
    return (tokens[:, 1:] > 25).sum(axis=1) > 3


wrong("claim", "the bar lies below 1/7, so uniform weights fulfil it")(
    {
        "places": [3],
        "at_least": 0.1,
        "seeds": 5,
        "refuted_by": "On one seed or more, place 3 gets less than 0.1 of the weight.",
    }
)

wrong("claim", "two places cannot both get 0.6 of one whole")(
    {
        "places": [2, 5],
        "at_least": 0.6,
        "seeds": 4,
        "refuted_by": "On two seeds or more, place 2 or place 5 gets less than 0.6.",
    }
)


@wrong("control_places", "the claimed places are deleted first, so that the positions are those of a shorter row")
def _(row, places):
    left = np.delete(row, places)
    return np.sort(np.argsort(-left)[: len(places)])


@wrong("control_places", "rising order of weight, not of place", "[CLS] never takes part")
def _(row, places):
    left = np.array(row, dtype=float)
    left[places] = -np.inf
    left[0] = -np.inf
    return np.argsort(left)[-len(places) :]


@right("control_places", "sets and sorted, a list comes back")
def _(row, places):
    free = set(range(len(row))) - set(int(p) for p in places)
    best = sorted(free, key=lambda i: row[i], reverse=True)[: len(places)]
    return sorted(best)


def above(tokens):
    """Is the token at position 3 above 25?"""
    return tokens[:, 3] > 25


task = make_task(8000, question=above)
fresh = without_known(make_task(5000, question=above, seed=1), task.tokens)
base_rate = max(fresh.labels.mean(), 1 - fresh.labels.mean())
readers = dict.fromkeys(SEEDS)
places, control = np.array([3]), np.array([0])
held = [True, True, False, True, True]
scores = {"nothing": np.full(5, 0.99), "claimed": np.full(5, 0.5), "control": np.array([0.98, 0.97, 0.99, 0.9, 0.98])}

wrong("my_study", "only the seeds on which the claim holds")(
    {
        "seeds": [seed for seed in readers if held[seed]],
        "learned_from": task,
        "measured_on": fresh,
        "claimed": places,
        "control": control,
        "base_rate": base_rate,
    }
)

odd("my_study", "the scores of claimed and control in place of the positions")(
    {
        "seeds": list(readers),
        "learned_from": task,
        "measured_on": fresh,
        "claimed": scores["claimed"],
        "control": scores["control"],
        "base_rate": base_rate,
    }
)

wrong("my_sentences", "the second sentence says nothing about the control")(
    [
        "Before the training we claimed at least 0.5 of the weight for place 3, on 4 of 5 seeds.",
        "This held on 4 of 5 seeds, and hiding place 3 left a balanced accuracy of 0.50.",
        "We have not shown that other recipes or other questions lead to the same look.",
    ]
)

odd("my_sentences", "one text with three lines in place of a list")(
    "Before the training we claimed at least 0.5 of the weight for place 3, on 4 of 5 seeds.\n"
    "This held on 4 of 5 seeds: hiding place 3 left a balanced accuracy of 0.50, and hiding the control left 0.96.\n"
    "We have not shown that other recipes or other questions lead to the same look."
)
