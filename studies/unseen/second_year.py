"""Answers of a second-year student: average, tired, reads half of the text, copies patterns of earlier exercises."""
import numpy as np
from unseen import odd, right, wrong

from course_utils.cls_model import keras  # quiet TensorFlow
from course_utils.cls_task import make_task
from course_utils.layers import gelu
from course_utils.own_study import SEEDS, without_known
from keras import layers


# ---- what the student has kept from earlier lessons

def softmax(scores):
    scores = np.asarray(scores, dtype=float)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))

def one_query_scores(q, K):
    return K @ q / np.sqrt(q.shape[-1])

def batched_attention(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ V

def rotate(X):
    d = X.shape[-1]
    angles = np.arange(X.shape[-2])[:, None] * 10000 ** (-np.arange(0, d, 2) / d)
    out = np.empty(X.shape)
    out[..., 0::2] = X[..., 0::2] * np.cos(angles) - X[..., 1::2] * np.sin(angles)
    out[..., 1::2] = X[..., 0::2] * np.sin(angles) + X[..., 1::2] * np.cos(angles)
    return out

def softmax_gradient(weights, gradient):
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))

def attention_gradient(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / root)
    ds = softmax_gradient(weights, gradient @ np.swapaxes(V, -1, -2))
    return ds @ K / root, np.swapaxes(ds, -1, -2) @ Q / root, np.swapaxes(weights, -1, -2) @ gradient

def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    split = lambda Y: np.swapaxes(Y.reshape(len(X), n_heads, -1), 0, 1)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    heads = batched_attention(Q, K, V, np.ones((len(X), len(X)), dtype=bool))
    return np.swapaxes(heads, 0, 1).reshape(len(X), -1) @ W_O

def layer_norm(X, gain, bias, epsilon=1e-3):
    return gain * (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + epsilon) + bias

def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out

def cut_edge(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] = False
    return mask


# ---- 00
wrong("fool_the_counter", "the comma sticks to 'good', and the full stop to 'amazing'")(
    "The movie was not good, but the soundtrack was amazing.")
right("fool_the_counter", "two words of praise, twice not, no full stop")(
    "the movie was not funny , the story was not good , but the acting was amazing and the plot was amazing")

# ---- 01
wrong("can_win", "a dot product of 0 is thought to grow")(["not", "movie"])
odd("can_win", "the word alone, no list")("not")

# ---- 02
wrong("softmax_axes", "program 4 copies program 3, and sums over the batch")((-1, -1, 0, 0))
right("softmax_axes", "from the front and from the back, mixed, in an array")(np.array([1, -1, 0, -2]))

# ---- 03
wrong("broken_conditions", "halves: queries and keys are drawn independently, so nothing is broken")(
    ["none", "variance", "mean", "independent", "none"])
wrong("broken_conditions", "coins are no bell curve, called variance", "halves have no condition broken")(
    ["variance", "variance", "mean", "independent", "none"])

# ---- 04
@wrong("embed", "one-hot rows as long as the largest id that occurs, not as long as the table")
def _(ids, E):
    one_hot = np.eye(np.max(ids) + 1)[ids]
    return one_hot @ E

@wrong("embed", "a loop that fills n rows, for one sentence only")
def _(ids, E):
    X = np.zeros((len(ids), E.shape[1]))
    for i in range(len(ids)):
        X[i] = E[ids[i]]
    return X

# ---- 07
@wrong("batched_attention", "-1e9 in place of minus infinity")
def _(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scores = np.where(mask, scores, -1e9)
    return softmax(scores) @ V

@wrong("batched_attention", "the axes that change places are counted for (batch, heads, n, d) only")
def _(Q, K, V, mask):
    d_k = Q.shape[-1]
    scores = Q @ np.transpose(K, (0, 1, 3, 2)) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V

# ---- 08
@wrong("rotate", "the second line reads the numbers that the first has already turned")
def _(X):
    d = X.shape[-1]
    theta = 10000 ** (-np.arange(0, d, 2) / d)
    angles = np.arange(X.shape[-2])[:, None] * theta
    Y = np.array(X, dtype=float)
    Y[..., 0::2] = Y[..., 0::2] * np.cos(angles) - Y[..., 1::2] * np.sin(angles)
    Y[..., 1::2] = Y[..., 0::2] * np.sin(angles) + Y[..., 1::2] * np.cos(angles)
    return Y

@wrong("rotate", "the speeds use i, not 2i", "the number of rows is len(X), also with leading axes")
def _(X):
    n, d = len(X), X.shape[-1]
    i = np.arange(d // 2)
    angles = np.outer(np.arange(n), 10000 ** (-i / d))
    out = np.empty(X.shape)
    out[..., 0::2] = X[..., 0::2] * np.cos(angles) - X[..., 1::2] * np.sin(angles)
    out[..., 1::2] = X[..., 0::2] * np.sin(angles) + X[..., 1::2] * np.cos(angles)
    return out

@wrong("rotary_attention", "the values are turned as well")
def _(Q, K, V, mask):
    Q, K, V = rotate(Q), rotate(K), rotate(V)
    return batched_attention(Q, K, V, mask)

@right("rotary_attention", "complex numbers, and the real part of a product")
def _(Q, K, V, mask):
    n, d = Q.shape[-2:]
    turn = np.exp(1j * np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d))
    q = (Q[..., ::2] + 1j * Q[..., 1::2]) * turn
    k = (K[..., ::2] + 1j * K[..., 1::2]) * turn
    scores = np.einsum("...id,...jd->...ij", q, k.conj()).real / d ** 0.5
    return softmax(np.where(mask, scores, -np.inf)) @ V

# ---- 09
@wrong("softmax_gradient", "the plain mean of g, not the mean by weight")
def _(weights, gradient):
    average = gradient.mean(axis=-1, keepdims=True)
    return weights * (gradient - average)

@right("softmax_gradient", "the Jacobian of every row, with einsum")
def _(weights, gradient):
    w = np.asarray(weights, dtype=float)
    J = np.eye(w.shape[-1]) * w[..., None] - np.einsum("...i,...j->...ij", w, w)
    return np.einsum("...ij,...i->...j", J, gradient)

@wrong("one_query_gradient", "zeros_like: whole numbers cut the gradients off")
def _(q, K, V, gradient):
    w = softmax(one_query_scores(q, K))
    dw = [gradient @ v for v in V]
    ds = softmax_gradient(w, np.array(dw))
    dq, dK, dV = np.zeros_like(q), np.zeros_like(K), np.zeros_like(V)
    for j in range(len(K)):
        dV[j] = w[j] * gradient
        dK[j] = ds[j] * q / np.sqrt(len(q))
        dq = dq + ds[j] * K[j] / np.sqrt(len(q))
    return dq, dK, dV

@wrong("one_query_gradient", "no brackets in the softmax step", "no square root at the query")
def _(q, K, V, gradient):
    w = softmax(one_query_scores(q, K))
    dweights = np.array([gradient @ V[j] for j in range(len(V))])
    average = w @ dweights
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        delta = w[j] * dweights[j] - average
        dV[j] = w[j] * gradient
        dK[j] = delta * q / np.sqrt(q.shape[-1])
        dq += delta * K[j]
    return dq, dK, dV

@wrong("attention_gradient", "d_k is taken from axis 1, which is the queries when there are leading axes")
def _(Q, K, V, gradient):
    d_k = Q.shape[1]
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k))
    dweights = gradient @ np.swapaxes(V, -1, -2)
    ds = softmax_gradient(weights, dweights)
    dQ = ds @ K / np.sqrt(d_k)
    dK = np.swapaxes(ds, -1, -2) @ Q / np.sqrt(d_k)
    dV = np.swapaxes(weights, -1, -2) @ gradient
    return dQ, dK, dV

@right("attention_gradient", "flat leading axes, a loop over the sentences, einsum inside")
def _(Q, K, V, gradient):
    lead = Q.shape[:-2]
    flat = [np.asarray(A, dtype=float).reshape(-1, *A.shape[-2:]) for A in (Q, K, V, gradient)]
    found = []
    for q, k, v, g in zip(*flat):
        w = softmax(np.einsum("id,jd->ij", q, k) / q.shape[-1] ** 0.5)
        dw = np.einsum("id,jd->ij", g, v)
        ds = w * (dw - np.einsum("ij,ij->i", w, dw)[:, None]) / q.shape[-1] ** 0.5
        found.append((np.einsum("ij,jd->id", ds, k), np.einsum("ij,id->jd", ds, q), np.einsum("ij,id->jd", w, g)))
    return tuple(np.stack(part).reshape(*lead, *part[0].shape) for part in zip(*found))

wrong("test_sizes", "all different, but one query only")((1, 2, 3, 4))
right("test_sizes", "a list, not a tuple")([2, 3, 4, 5])

# ---- 10
@wrong("reader_gradient", "dE[tokens] += counts a token that stands there twice once", "dP is the mean over the films")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV
    dX[:, :1] += dQ
    dE = np.zeros(E.shape)
    dE[tokens] += dX
    return dE, dX.mean(axis=0)

@wrong("reader_gradient", "dQ is added to all rows by broadcasting, not to row 0 alone")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dQ + dK + dV
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)
    dP = dX.sum(axis=0)
    return dE, dP

@wrong("without_where", "E is zero, not P: 'where' is taken for the token")
def _(E, P, w, b):
    return np.zeros(E.shape), P, w, b

@wrong("without_where", "P itself is overwritten")
def _(E, P, w, b):
    P *= 0
    return E, P, w, b

# ---- 11
@wrong("layer_norm", "epsilon stands outside the root")
def _(X, gain, bias, epsilon=1e-3):
    mean = np.mean(X, axis=-1, keepdims=True)
    std = np.std(X, axis=-1, keepdims=True)
    return gain * (X - mean) / (std + epsilon) + bias

@wrong("layer_norm", "[:, None] in place of keepdims: two axes only")
def _(X, gain, bias, epsilon=1e-3):
    mean = X.mean(axis=-1)
    X = X - mean[:, None]
    var = (X ** 2).mean(axis=-1)
    return gain * X / np.sqrt(var[:, None] + epsilon) + bias

@right("feed_forward", "one token after the other, in flat rows")
def _(X, W_in, b_in, W_out, b_out):
    X = np.asarray(X, dtype=float)
    rows = [gelu(x @ W_in + b_in) @ W_out + b_out for x in X.reshape(-1, X.shape[-1])]
    return np.reshape(rows, X.shape)

@wrong("feed_forward", "adds X, as the section before said")
def _(X, W_in, b_in, W_out, b_out):
    wide = gelu(X @ W_in + b_in)
    return X + wide @ W_out + b_out

@wrong("block", "with the norm before, the sum takes the normalised X")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    if norm == "before":
        X = layer_norm(X, gains[0], biases[0])
    out = multi_head(X, *W, n_heads)
    if residual:
        out = X + out
    if norm == "after":
        out = layer_norm(out, gains[0], biases[0])
    X = out
    if norm == "before":
        X = layer_norm(X, gains[1], biases[1])
    out = feed_forward(X, W_in, b_in, W_out, b_out)
    if residual:
        out = X + out
    if norm == "after":
        out = layer_norm(out, gains[1], biases[1])
    return out

@wrong("block", "row 0 of gains and biases in both parts", "'none' is treated as 'after'")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    parts = [lambda Y: multi_head(Y, *W, n_heads), lambda Y: feed_forward(Y, W_in, b_in, W_out, b_out)]
    for part in parts:
        if norm == "before":
            new = part(layer_norm(X, gains[0], biases[0]))
            X = X + new if residual else new
        else:
            new = part(X)
            X = layer_norm(X + new if residual else new, gains[0], biases[0])
    return X

wrong("deep_stack", "the default of the block")(("after", True))
odd("deep_stack", "1 in place of True")(("before", 1))

# ---- 12
@wrong("positional_embedding", "looks the tokens up in both tables")
class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        return self.tokens(token_ids) + self.positions(token_ids)

@wrong("positional_embedding", "positions begin with 1")
class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        n = token_ids.shape[1]
        return self.tokens(token_ids) + self.positions(keras.ops.arange(1, n + 1))

class PositionalEmbedding(layers.Layer):  # the one that was kept, for build_model
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        return self.tokens(token_ids) + self.positions(keras.ops.arange(token_ids.shape[1]))

def attend(query, value, d_model):
    return layers.MultiHeadAttention(1, d_model)(query, value, return_attention_scores=True)

def add_and_norm(X, output):
    return layers.LayerNormalization(epsilon=1e-6)(X + output)

@wrong("attend", "the query looks at itself")
def _(query, value, d_model):
    layer = layers.MultiHeadAttention(num_heads=1, key_dim=d_model)
    return layer(query, query, return_attention_scores=True)

@right("attend", "everything by name, the result unpacked")
def _(query, value, d_model):
    look = layers.MultiHeadAttention(key_dim=d_model, num_heads=1, output_shape=d_model)
    output, weights = look(query=query, key=value, value=value, return_attention_scores=True)
    return output, weights

@wrong("add_and_norm", "Keras's own epsilon")
def _(X, output):
    return layers.LayerNormalization()(X + output)

@right("add_and_norm", "the layer Add, and the axis by name")
def _(X, output):
    added = layers.Add()([X, output])
    return layers.LayerNormalization(axis=-1, epsilon=0.000001)(added)

@wrong("build_model", "reads row 4, where the 42 stands")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    output, weights = attend(X, X, d_model)
    X = add_and_norm(X, output)
    answer = layers.Dense(1, activation="sigmoid")(X[:, 4])
    return keras.Model(tokens, answer)

@wrong("build_model", "the sizes of the lesson are typed in", "the sigmoid is forgotten")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(51, 7, 8)(tokens)
    output, _ = attend(X, X, 8)
    X = add_and_norm(X, output)
    answer = layers.Dense(1)(X[:, 0])
    return keras.Model(tokens, answer)

@wrong("compile_model", "returns what compile returns, which is nothing")
def _(model):
    return model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])

@right("compile_model", "objects in place of names")
def _(model):
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3), loss=keras.losses.BinaryCrossentropy(), metrics=["accuracy"])
    return model

# ---- 13
@wrong("look_reward", "every sentence chooses a favourite of its own")
def _(weights):
    return keras.ops.mean(keras.ops.log(keras.ops.max(weights, axis=1)))

@odd("look_reward", "the right number, by NumPy, through which no gradient comes")
def _(weights):
    weights = np.array(weights)
    favourite = weights.mean(axis=0).argmax()
    return np.mean(np.log(weights[:, favourite]))

@wrong("patience", "signal B, with a guard for the empty array")
def _(losses, focus):
    if len(losses) == 0:
        return 0
    return focus if losses[-1] < 0.1 else 0

@wrong("patience", "min of an empty array, before the first epoch")
def _(losses, focus):
    if np.min(losses) < 0.1:
        return focus
    return 0

@wrong("set_reward", "the logarithm comes before the sum over the places")
def _(weights, n_places):
    average = keras.ops.mean(weights, axis=0)
    _, places = keras.ops.top_k(average, n_places)
    chosen = keras.ops.take(weights, places, axis=1)
    return keras.ops.mean(keras.ops.sum(keras.ops.log(chosen), axis=1))

@right("set_reward", "a product with one-hot columns, as a matrix")
def _(weights, n_places):
    weights = keras.ops.convert_to_tensor(weights)
    places = keras.ops.top_k(keras.ops.mean(weights, axis=0), n_places)[1]
    picked = keras.ops.sum(keras.ops.one_hot(places, weights.shape[1], dtype=weights.dtype), axis=0)  # (n,)
    return keras.ops.mean(keras.ops.log(keras.ops.matmul(weights, picked[:, None])))

# ---- 14
@wrong("hide", "with one key for each row, all of these columns become 0")
def _(weights, key):
    left = weights.copy()
    left[:, key] = 0
    factor = weights.sum(axis=1, keepdims=True) / left.sum(axis=1, keepdims=True)
    return left * factor

@wrong("hide", "each row sums to 1, whatever it summed to", "the argument is changed")
def _(weights, key):
    n = len(weights)
    left = weights
    left[np.arange(n), key] = 0
    return left / left.sum(axis=1, keepdims=True)

@wrong("swap", "one and other change places, and any third token stays")
def _(tokens, at, one, other):
    new = tokens.copy()
    rows = np.arange(len(tokens))
    old = tokens[rows, at]
    new[rows, at] = np.where(old == one, other, np.where(old == other, one, old))
    return new

@right("swap", "a loop over lists")
def _(tokens, at, one, other):
    new = np.array(tokens).tolist()
    places = [int(at)] * len(new) if np.ndim(at) == 0 else [int(a) for a in at]
    for sentence, place in zip(new, places):
        sentence[place] = other if sentence[place] == one else one
    return np.array(new)

@wrong("furthest_row", "a lower answer always counts as near: no absolute value", "no one half in the distance")
def _(row, answer, candidates, answers, tolerance):
    best, furthest = row, 0.0
    for candidate, own in zip(candidates, answers):
        distance = np.abs(candidate - row).sum()
        if own - answer < tolerance and distance > furthest:
            best, furthest = candidate, distance
    return best, furthest

@wrong("furthest_row", "without a near candidate the first candidate comes back")
def _(row, answer, candidates, answers, tolerance):
    near = np.abs(answers - answer) < tolerance
    distances = 0.5 * np.abs(candidates - row).sum(axis=1) * near
    i = distances.argmax()
    return candidates[i], distances[i]

wrong("experiments", "2 and 4 exchanged: compare for important, hide the top for interpretable")(
    ("new context", "compare", "new meanings", "hide the top"))
odd("experiments", "a dict with the numbers of the sentences")(
    {1: "new context", 2: "hide the top", 3: "new meanings", 4: "compare"})

# ---- 15
@wrong("turned_by_cut", "each new cut replaces the mask, so only the last one counts", "praise only above 0.5")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = np.ones((n_reviews, n, n), dtype=bool)
    before = read(tokens, masks) > 0.5
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i]):
            masks[i] = cut_edge(n, query, key)
    after = read(tokens, masks) > 0.5
    return np.mean(before != after)

@wrong("turned_by_cut", "the colon cuts the edges of all reviews in every review")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    whole = np.ones((n_reviews, n, n), dtype=bool)
    masks = whole.copy()
    masks[:, queries, keys] = False
    before, after = read(tokens, whole) >= 0.5, read(tokens, masks) >= 0.5
    return (before != after).mean()

wrong("doubts", "the first two are exchanged: query and key mixed up")(("good -> movie", "amazing -> not", "all -> not"))
wrong("doubts", "the look is turned round for the first doubt", "only [CLS] is asked about the third")(
    ("not -> good", "good -> movie", "[CLS] -> good"))

# ---- 18
wrong("which_control", "coins and other pairs are exchanged")(("coins", "other pairs", "other word", "other token"))
right("which_control", "a list")(["other pairs", "coins", "other word", "other token"])

@wrong("search", "turned round with [::-1], and equal ones with it")
def _(query, vectors, k):
    cosines = np.zeros(len(vectors))
    for i in range(len(vectors)):
        if np.any(vectors[i]) and np.any(query):
            cosines[i] = cosine(query, vectors[i])
    return np.argsort(cosines, kind="stable")[::-1][:k]

@wrong("search", "a vector of zeros has cosine nan, and comes last")
def _(query, vectors, k):
    cosines = np.array([cosine(query, v) for v in vectors])
    return np.argsort(-cosines, kind="stable")[:k]

# ---- 19
@wrong("my_question", "each sentence is compared with the mean of all the others")
def _(tokens):
    """Is the word at position 3 larger than usual?"""
    return tokens[:, 3] > tokens[:, 3].mean()

@wrong("my_question", "it does not matter where the words stand")
def _(tokens):
    """Is there a word above 45 in the sentence?"""
    return (tokens[:, 1:] > 45).any(axis=1)

@right("my_question", "a loop, a list of Python's bools")
def _(tokens):
    """Does the larger one of the words 2 and 6 stand at position 6?"""
    found = []
    for sentence in tokens:
        found.append(bool(sentence[6] > sentence[2]))
    return found

wrong("claim", "uniform weights would fulfil it")(
    {"places": [3], "at_least": 0.1, "seeds": 4, "refuted_by": "If place 3 gets less than 0.1 on two seeds."})
wrong("claim", "nothing says what would refute it")({"places": [2, 5], "at_least": 0.3, "seeds": 4})

@wrong("control_places", "in the order of their weight, not in rising order")
def _(row, places):
    left = np.array(row, dtype=float)
    left[places] = -1
    return np.argsort(-left)[: len(places)]

@wrong("control_places", "[CLS] is never a control")
def _(row, places):
    left = row.copy()
    left[places] = -1
    left[0] = -1
    return np.sort(np.argsort(-left)[: len(places)])


def above(tokens):
    """Is the word at position 3 larger than the one at position 5?"""
    return tokens[:, 3] > tokens[:, 5]

task = make_task(8000, question=above)
fresh = without_known(make_task(5000, question=above, seed=1), task.tokens)
base_rate = max(fresh.labels.mean(), 1 - fresh.labels.mean())
readers = dict.fromkeys(SEEDS)
places, control = np.array([3, 5]), np.array([1, 4])
held = [True, True, False, True, False]

wrong("my_study", "only the seeds on which the claim holds")({
    "seeds": [seed for seed in SEEDS if held[seed]], "learned_from": task, "measured_on": fresh,
    "claimed": places, "control": control, "base_rate": base_rate})
wrong("my_study", "measured on the sentences of the training", "no control")({
    "seeds": list(readers), "learned_from": task, "measured_on": task,
    "claimed": places, "base_rate": base_rate})

wrong("my_sentences", "the second sentence names no control")([
    "Before the training we claimed that places 3 and 5 get at least 0.3 of the weight each, on 4 of 5 seeds.",
    "This held on 3 of 5 seeds, and hiding both places left a balanced accuracy of 0.5.",
    "We did not test other questions, recipes or seeds."])
odd("my_sentences", "one text of three sentences, no list")(
    "We claimed at least 0.3 of the weight for each of places 3 and 5, on 4 of 5 seeds. "
    "It held on 3 of 5 seeds; hidden places gave 0.5 and the control 0.9. "
    "We have not shown that other seeds or recipes would do the same.")
