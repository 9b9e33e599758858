"""Answers of a busy student who asks a chat assistant each time and pastes what comes: fluent, vectorised, and about a neighbouring problem."""
import numpy as np
from unseen import odd, right, wrong

from course_utils.cls_model import keras
from course_utils.cls_task import make_task
from course_utils.layers import gelu
from keras import layers


# what the student has from earlier lessons (all of it right)

def softmax(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def batched_attention(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ V


def one_query_scores(q, K):
    return K @ q / np.sqrt(q.shape[-1])


def softmax_gradient(weights, gradient):
    return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


def attention_gradient(Q, K, V, gradient):
    scale = np.sqrt(Q.shape[-1])
    W = softmax(Q @ np.swapaxes(K, -1, -2) / scale)
    dS = softmax_gradient(W, gradient @ np.swapaxes(V, -1, -2))
    return dS @ K / scale, np.swapaxes(dS, -1, -2) @ Q / scale, np.swapaxes(W, -1, -2) @ gradient


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    n, d = X.shape
    Q, K, V = ((X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V))
    out = batched_attention(Q, K, V, np.ones((n, n), dtype=bool))
    return out.swapaxes(0, 1).reshape(n, -1) @ W_O


def cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        return self.tokens(token_ids) + self.positions(keras.ops.arange(token_ids.shape[1]))


def attend(query, value, d_model):
    return layers.MultiHeadAttention(num_heads=1, key_dim=d_model)(query, value, return_attention_scores=True)


def add_and_norm(X, output):
    return layers.LayerNormalization(epsilon=1e-6)(X + output)


# 00

wrong("fool_the_counter", "the word of praise behind not is not in the vocabulary, so the counter never sees it (nor film)")(
    "the film was not great , but the soundtrack was amazing ."
)

right("fool_the_counter", "praises two other things")(
    "the movie was not clever , but the soundtrack was amazing and the acting was good"
)

# 01

wrong("can_win", "takes the size of the dot product and forgets its sign, so bad wins too")(["not", "bad"])

odd("can_win", "the right word, as a text and not as a list")("not")

# 02

wrong("softmax_axes", "axis 0 for the keys in front, also where the batch stands in front of them")((-1, -1, 0, 0))

right("softmax_axes", "an array that mixes counting from the front and from the back")(np.array([1, -1, 0, -2]))

# 03

wrong("broken_conditions", "halves: reads the doubled variance of the scores as a broken variance of the numbers")(
    ("none", "variance", "mean", "independent", "variance")
)

wrong(
    "broken_conditions",
    "coins: a number that is never 0 cannot have variance 1, it seems",
    "copies: reads the mean of the scores as a broken mean of the numbers",
)(["variance", "variance", "mean", "mean", "independent"])


# 04

@wrong("embed", "np.take without axis=0 looks into the flattened table")
def _(ids, E):
    ids = np.asarray(ids)
    return np.take(E, ids)


@wrong("embed", "one-hot rows are filled for one sentence only, a batch fails")
def _(ids, E):
    one_hot = np.zeros((len(ids), E.shape[0]))
    one_hot[np.arange(len(ids)), ids] = 1.0
    return one_hot @ E


# 07

@wrong("batched_attention", "adds -1e9 to hidden scores, so a large hidden score survives")
def _(Q, K, V, mask):
    d_k = Q.shape[-1]
    scores = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(d_k)
    scores = scores + (1.0 - mask) * -1e9
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kv->...qv", weights, V)


@wrong("batched_attention", "takes d_k from axis 1, which is d_k only without leading axes")
def _(Q, K, V, mask):
    d_k = K.shape[1]
    scores = np.matmul(Q, np.swapaxes(K, -2, -1)) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    return np.matmul(softmax(scores), V)


# 08

def _rope_angles(n, d):
    inv_freq = 1.0 / (10000 ** (np.arange(0, d, 2) / d))
    return np.outer(np.arange(n), inv_freq)


def _rotated(X, angles):
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = X[..., 0::2], X[..., 1::2]
    return np.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(X.shape)


@wrong("rotate", "pairs number i with number i + d/2 (rotate_half of the published models)")
def _(X):
    n, d = X.shape[-2:]
    angles = _rope_angles(n, d)
    angles = np.concatenate([angles, angles], axis=-1)
    x1, x2 = X[..., : d // 2], X[..., d // 2 :]
    rotated_half = np.concatenate([-x2, x1], axis=-1)
    return X * np.cos(angles) + rotated_half * np.sin(angles)


@wrong("rotate", "the two halves are views of the copy, so the second line reads what the first has already turned")
def _(X):
    n, d = X.shape[-2:]
    angles = _rope_angles(n, d)
    cos, sin = np.cos(angles), np.sin(angles)
    out = np.array(X, dtype=float)
    x_even, x_odd = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = x_even * cos - x_odd * sin
    out[..., 1::2] = x_even * sin + x_odd * cos
    return out


@right("rotary_attention", "places counted from 1, as only the distance counts; einsum for the scores")
def _(Q, K, V, mask):
    n, d = Q.shape[-2:]
    theta = 10000.0 ** (-np.arange(0, d, 2) / d)
    angles = np.arange(1, n + 1)[:, None] * theta
    scores = np.einsum("...id,...jd->...ij", _rotated(Q, angles), _rotated(K, angles)) / d**0.5
    weights = softmax(np.where(mask, scores, -np.inf))
    return np.einsum("...ij,...jv->...iv", weights, V)


@wrong(
    "rotary_attention",
    "turns the keys the other way round, so that scores know the sum of the places",
    "turns the values too, where they are as wide as the keys",
)
def _(Q, K, V, mask):
    n, d = Q.shape[-2:]
    angles = _rope_angles(n, d)
    if V.shape[-1] == d:
        V = _rotated(V, angles)
    return batched_attention(_rotated(Q, angles), _rotated(K, -angles), V, mask)


# 09

@wrong("softmax_gradient", "only the diagonal of the Jacobian, as for a sigmoid")
def _(weights, gradient):
    return gradient * weights * (1.0 - weights)


@right("softmax_gradient", "builds the Jacobian of every row, and einsum")
def _(weights, gradient):
    n = weights.shape[-1]
    J = weights[..., :, None] * np.eye(n) - weights[..., :, None] * weights[..., None, :]
    return np.einsum("...ij,...i->...j", J, gradient)


@wrong("one_query_gradient", "q got a batch axis on the way, and dq comes back as (1, d_k)")
def _(q, K, V, gradient):
    scale = np.sqrt(K.shape[-1])
    Q, G = q[None, :], gradient[None, :]
    weights = softmax(Q @ K.T / scale)
    dV = weights.T @ G
    dweights = G @ V.T
    dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    return dscores @ K / scale, dscores.T @ Q / scale, dV


@odd("one_query_gradient", "the right three arrays without a loop, in a list and not in a tuple")
def _(q, K, V, gradient):
    scale = np.sqrt(len(q))
    weights = softmax(K @ q / scale)
    dweights = V @ gradient
    dscores = weights * (dweights - weights @ dweights) / scale
    return [dscores @ K, np.outer(dscores, q), np.outer(weights, gradient)]


@right("attention_gradient", "einsum everywhere, no transpose")
def _(Q, K, V, gradient):
    scale = 1 / np.sqrt(K.shape[-1])
    P = softmax(np.einsum("...qd,...kd->...qk", Q, K) * scale)
    dV = np.einsum("...qk,...qv->...kv", P, gradient)
    dP = np.einsum("...qv,...kv->...qk", gradient, V)
    D = np.einsum("...qk,...qk->...q", P, dP)
    dS = P * (dP - D[..., None]) * scale
    return np.einsum("...qk,...kd->...qd", dS, K), np.einsum("...qk,...qd->...kd", dS, Q), dV


@wrong("attention_gradient", "transposes exactly three axes, so none or two leading axes fail")
def _(Q, K, V, gradient):
    d_k = Q.shape[-1]
    weights = softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(d_k))
    d_weights = gradient @ V.transpose(0, 2, 1)
    d_scores = softmax_gradient(weights, d_weights) / np.sqrt(d_k)
    dQ = d_scores @ K
    dK = d_scores.transpose(0, 2, 1) @ Q
    dV = weights.transpose(0, 2, 1) @ gradient
    return dQ, dK, dV


wrong("test_sizes", "as many keys as d_k, so the wrong root is the right one")((2, 4, 4, 8))

wrong("test_sizes", "sizes of a usual test, beyond 9", "d_v is d_k")((2, 10, 64, 64))


# 10

@wrong("reader_gradient", "the gradient of the one query is added to every row by broadcasting")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dQ + dK + dV
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)
    return dE, dX.sum(axis=0)


@wrong("reader_gradient", "dE has only as many rows as the largest token that occurs")
def _(E, P, tokens, gradient):
    X = E[tokens] + P
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None, :])
    dX = dK + dV
    dX[:, 0] += dQ[:, 0]
    one_hot = np.eye(tokens.max() + 1)[tokens]  # (n, length, n_tokens)
    dE = np.einsum("nlt,nld->td", one_hot, dX)
    dP = np.einsum("nld->ld", dX)
    return dE, dP


@wrong("without_where", "sets the positions to 0 in the student's own array")
def _(E, P, w, b):
    P.fill(0)
    return E, P, w, b


@odd("without_where", "a generator that yields the four arrays")
def _(E, P, w, b):
    for array in (E, np.zeros_like(P), w, b):
        yield array


# 11

@wrong("layer_norm", "divides by n - 1, as the other library's std does", "epsilon stands outside the root")
def _(X, gain, bias, epsilon=1e-3):
    mean = X.mean(axis=-1, keepdims=True)
    std = X.std(axis=-1, keepdims=True, ddof=1)
    return gain * (X - mean) / (std + epsilon) + bias


@right("layer_norm", "a helper for one token, applied along the last axis")
def _(X, gain, bias, epsilon=1e-3):
    def normalise(x):
        mu = sum(x) / len(x)
        sigma2 = sum((v - mu) ** 2 for v in x) / len(x)
        return np.array([(v - mu) * (sigma2 + epsilon) ** -0.5 for v in x])

    return np.apply_along_axis(normalise, -1, np.asarray(X, dtype=float)) * gain + bias


@wrong("feed_forward", "the first bias comes after the bend")
def _(X, W_in, b_in, W_out, b_out):
    hidden = gelu(np.einsum("...d,dw->...w", X, W_in)) + b_in
    return np.einsum("...w,wd->...d", hidden, W_out) + b_out


@odd("feed_forward", "its own GELU, the tanh approximation, off by up to 5e-4 a number")
def _(X, W_in, b_in, W_out, b_out):
    h = X @ W_in + b_in
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return h @ W_out + b_out


@wrong("block", "norm before: both parts read the same X (a parallel block), the second does not see the first")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    if norm == "before":
        attn = multi_head(layer_norm(X, gains[0], biases[0]), *W, n_heads)
        ffn = feed_forward(layer_norm(X, gains[1], biases[1]), W_in, b_in, W_out, b_out)
        return X + attn + ffn if residual else attn + ffn
    for i, part in enumerate((lambda x: multi_head(x, *W, n_heads), lambda x: feed_forward(x, W_in, b_in, W_out, b_out))):
        out = part(X)
        X = X + out if residual else out
        if norm == "after":
            X = layer_norm(X, gains[i], biases[i])
    return X


@wrong("block", "norm after: without the residual connection the norm goes too")
def _(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    def sublayer(x, fn, gain, bias):
        y = fn(layer_norm(x, gain, bias) if norm == "before" else x)
        if not residual:
            return y
        y = x + y
        return layer_norm(y, gain, bias) if norm == "after" else y

    X = sublayer(X, lambda x: multi_head(x, W[0], W[1], W[2], W[3], n_heads), gains[0], biases[0])
    return sublayer(X, lambda x: feed_forward(x, W_in, b_in, W_out, b_out), gains[1], biases[1])


wrong("deep_stack", "as in the first Transformer, where 6 blocks were enough")(("after", True))

wrong("deep_stack", "the norm is right, and the sum is left out")(("before", False))


# 12

class _ScaledEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.d_model = d_model
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        length = token_ids.shape[1]
        x = self.tokens(token_ids)
        x = x * keras.ops.sqrt(keras.ops.cast(self.d_model, "float32"))
        return x + self.positions(keras.ops.arange(length))[None, :, :]


wrong("positional_embedding", "multiplies the token vectors by the root of d_model, as the tutorial does")(_ScaledEmbedding)


class _CountedEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        places = keras.ops.cumsum(keras.ops.ones_like(token_ids), axis=1) - 1
        return keras.ops.add(self.tokens(token_ids), self.positions(places))


right("positional_embedding", "counts the places of every sentence with a running sum of ones")(_CountedEmbedding)


@wrong("attend", "averages the weights over the heads, as the other library does: the axis of the heads is gone")
def _(query, value, d_model):
    mha = layers.MultiHeadAttention(num_heads=1, key_dim=d_model)
    output, weights = mha(query, value, return_attention_scores=True)
    return output, keras.ops.mean(weights, axis=1)


@wrong("attend", "a causal mask, pasted from a model that writes")
def _(query, value, d_model):
    mha = layers.MultiHeadAttention(num_heads=1, key_dim=d_model, dropout=0.0)
    return mha(query=query, value=value, key=value, use_causal_mask=True, return_attention_scores=True)


@wrong("add_and_norm", "epsilon 1e-5, the other library's default")
def _(X, output):
    return layers.LayerNormalization(axis=-1, epsilon=1e-5)(layers.Add()([X, output]))


@wrong("add_and_norm", "normalises the output of attention first and adds X afterwards")
def _(X, output):
    return X + layers.LayerNormalization(epsilon=1e-6)(output)


@wrong("build_model", "no sigmoid: the answer is a logit", "51 tokens and 7 places are typed into the embedding")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size=51, seq_len=7, d_model=d_model)(tokens)
    output, _ = attend(X, X, d_model)
    X = add_and_norm(X, output)
    logits = layers.Dense(1)(X[:, 0])
    return keras.Model(inputs=tokens, outputs=logits)


@right("build_model", "one sigmoid unit goes over all rows, then row 0 is taken")
def _(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)
    output, _ = attend(X, X, d_model)
    X = add_and_norm(X, output)
    probabilities = layers.Dense(1, activation="sigmoid")(X)  # (batch, n, 1)
    return keras.Model(tokens, probabilities[:, 0])


@odd("compile_model", "from_logits=True on a sigmoid: wrong to read, but Keras finds the logits and the loss is right")
def _(model):
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=1e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


@wrong("compile_model", "Adam with 3e-4, the rate that everybody quotes")
def _(model):
    optimizer = keras.optimizers.Adam(learning_rate=3e-4)
    model.compile(optimizer=optimizer, loss="binary_crossentropy", metrics=["accuracy"])
    return model


# 13

@wrong("look_reward", "the logarithm of the mean, not the mean of the logarithms")
def _(weights):
    mean_per_place = keras.ops.mean(weights, axis=0)
    return keras.ops.log(keras.ops.max(mean_per_place))


@wrong("look_reward", "the right number, made with NumPy: there is no gradient")
def _(weights):
    weights = np.asarray(weights)
    favourite = weights.mean(axis=0).argmax()
    return np.log(weights[:, favourite]).mean()


@wrong("patience", "another patience: the reward begins when the loss has not improved for three epochs")
def _(losses, focus):
    wait = 3
    losses = np.asarray(losses)
    if len(losses) <= wait:
        return 0
    best_before = losses[:-wait].min()
    return focus if losses[-wait:].min() >= best_before else 0


@wrong("patience", "the smallest of no losses fails before the first epoch")
def _(losses, focus):
    return focus if np.min(losses) < 0.1 else 0


@wrong("set_reward", "each sentence has its own k largest weights", "the logarithm of the mean")
def _(weights, n_places):
    top, _ = keras.ops.top_k(weights, n_places)
    return keras.ops.log(keras.ops.mean(keras.ops.sum(top, axis=-1)))


@wrong("set_reward", "logsumexp of weights that are no logarithms")
def _(weights, n_places):
    average = keras.ops.mean(weights, axis=0)
    _, places = keras.ops.top_k(average, n_places)
    chosen = keras.ops.take(weights, places, axis=1)
    return keras.ops.mean(keras.ops.logsumexp(chosen, axis=1))


# 14

@wrong("hide", "left[:, key] takes whole columns when there is one key for each row", "the rows sum to 1 afterwards")
def _(weights, key):
    left = np.array(weights, dtype=float)
    left[:, key] = 0
    return left / left.sum(axis=-1, keepdims=True)


@right("hide", "a loop over the rows, with a mask of the other keys")
def _(weights, key):
    new = []
    for row, k in zip(np.asarray(weights, dtype=float), np.broadcast_to(key, (len(weights),))):
        others = [j for j in range(len(row)) if j != k]
        factor = row.sum() / row[others].sum()
        new.append([float(row[j] * factor) if j != k else 0.0 for j in range(len(row))])
    return np.array(new)


@wrong("swap", "exchanges one and other, and leaves every third token as it is")
def _(tokens, at, one, other):
    changed = tokens.copy()
    rows = np.arange(len(tokens))
    old = tokens[rows, at]
    changed[rows, at] = np.where(old == one, other, np.where(old == other, one, old))
    return changed


@wrong("swap", "the second line writes into a copy that fancy indexing made, so nothing changes")
def _(tokens, at, one, other):
    new = np.array(tokens)
    picked = new[np.arange(len(new)), at]
    is_one = picked == one
    picked[is_one] = other
    picked[~is_one] = one
    return new


@wrong("furthest_row", "the place among the near ones is used as a place among all", "no near candidate fails")
def _(row, answer, candidates, answers, tolerance):
    near = np.abs(answers - answer) < tolerance
    distances = 0.5 * np.abs(candidates[near] - row).sum(axis=1)
    best = np.argmax(distances)
    return candidates[best], distances[best]


@right("furthest_row", "max over a list of pairs, with the own row as the first of them")
def _(row, answer, candidates, answers, tolerance):
    pairs = [(row, 0.0)]
    pairs += [
        (candidate, 0.5 * float(np.linalg.norm(np.asarray(candidate) - row, ord=1)))
        for candidate, given in zip(candidates, answers)
        if abs(given - answer) < tolerance
    ]
    return max(pairs, key=lambda pair: pair[1])


wrong("experiments", "compare for importance and hide the top for the interpretable matrix")(
    ("new context", "compare", "new meanings", "hide the top")
)

wrong("experiments", "measures the accuracy to tell self-attention from attention")(
    ("score", "hide the top", "new meanings", "compare")
)


# 15

@wrong("turned_by_cut", "pairs reviews with cuts by broadcasting, so each review gets the cuts of all the others", "praise only above 0.5")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    masks = np.ones((n_reviews, n, n), dtype=bool)
    before = read(tokens, masks) > 0.5
    cut = masks.copy()
    cut[:, queries, keys] = False
    after = read(tokens, cut) > 0.5
    return np.mean(before != after)


@wrong("turned_by_cut", "counts only the verdicts that turn from praise to blame")
def _(read, tokens, queries, keys):
    n_reviews, n = tokens.shape
    allowed = np.ones((n_reviews, n, n), dtype=bool)
    cut = allowed.copy()
    cut[np.arange(n_reviews)[:, None], queries, keys] = False
    was_praise = read(tokens, allowed) >= 0.5
    is_praise = read(tokens, cut) >= 0.5
    return float(np.mean(was_praise & ~is_praise))


wrong("doubts", "the control for the query and the control for the key changed places")(
    ("good -> movie", "amazing -> not", "all -> not")
)

odd("doubts", "the right three names, in a list and not in a tuple")(["amazing -> not", "good -> movie", "all -> not"])

# 18

wrong("which_control", "coins for the weight and other pairs for the share: the first two changed places")(
    ("coins", "other pairs", "other word", "other token")
)

right("which_control", "the four names as an array")(
    np.array(["other pairs", "coins", "other word", "other token"])
)


@wrong("search", "argpartition fails for k above n", "of equal ones any may come first, or be left out")
def _(query, vectors, k):
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    similarities = np.divide(vectors @ query, norms, out=np.zeros(len(vectors)), where=norms > 0)
    top = np.argpartition(-similarities, k - 1)[:k]
    return top[np.argsort(-similarities[top])]


@right("search", "sorted with a key, which keeps equal ones in order")
def _(query, vectors, k):
    def similarity(i):
        if not np.any(query) or not np.any(vectors[i]):
            return 0.0
        return float(cosine(query, vectors[i]))

    similarities = [similarity(i) for i in range(len(vectors))]
    return sorted(range(len(vectors)), key=similarities.__getitem__, reverse=True)[:k]


# 19

@wrong("my_question", "compares with the mean of the batch: a sentence is not judged by itself")
def _(tokens):
    """Is the word at position 3 larger than usual?"""
    return tokens[:, 3] > tokens[:, 3].mean()


@right("my_question", "a list, sentence by sentence")
def _(tokens):
    """Is the first word larger than the last one?"""
    return [bool(sentence[1] > sentence[6]) for sentence in tokens]


wrong("claim", "0.6 for each of two places is more than all the weight there is")(
    {
        "places": [2, 5],
        "at_least": 0.6,
        "seeds": 4,
        "refuted_by": "On two seeds or more, place 2 or place 5 gets less than 0.6 of the weight.",
    }
)

wrong("claim", "uniform weights fulfil it", "seeds is a share of the seeds and not a number of them")(
    {
        "places": [3],
        "at_least": 0.1,
        "seeds": 0.8,
        "refuted_by": "On more than a fifth of the seeds the mean weight on place 3 is below 0.1.",
    }
)


@wrong("control_places", "deletes the claimed places first, so the positions are those of the shorter row")
def _(row, places):
    remaining = np.delete(row, places)
    return np.sort(np.argsort(remaining)[::-1][: len(places)])


@wrong("control_places", "never takes place 0, since [CLS] is no word")
def _(row, places):
    left = np.array(row, dtype=float)
    left[places] = -np.inf
    left[0] = -np.inf
    return np.sort(np.argsort(-left)[: len(places)])


def _my_question(tokens):
    """Is the word at position 2 smaller than the one at position 5?"""
    return tokens[:, 2] < tokens[:, 5]


_task = make_task(800, question=_my_question)
_fresh = make_task(500, question=_my_question, seed=1)
_readers = dict.fromkeys(range(5))
_places, _control = np.array([2, 5]), np.array([0, 4])
_held = [True, True, False, True, False]
_base_rate = 0.5
_scores = {
    "nothing": np.array([0.93, 0.91, 0.88, 0.94, 0.90]),
    "claimed": np.array([0.52, 0.50, 0.55, 0.51, 0.50]),
    "control": np.array([0.90, 0.91, 0.85, 0.93, 0.88]),
}

wrong("my_study", "only the seeds on which the claim holds")(
    {
        "seeds": [seed for seed in _readers if _held[seed]],
        "learned_from": _task,
        "measured_on": _fresh,
        "claimed": _scores["claimed"],
        "control": _scores["control"],
        "base_rate": _base_rate,
    }
)

wrong("my_study", "measured on the sentences that it learned from", "the accuracy with nothing hidden as the base rate")(
    {
        "seeds": list(_readers),
        "learned_from": _task,
        "measured_on": _task,
        "claimed": _scores["claimed"],
        "control": _scores["control"],
        "base_rate": _scores["nothing"].mean(),
    }
)

wrong("my_sentences", "the second sentence gives no numbers")(
    [
        "I claimed that [CLS] would give places 2 and 5 at least 0.3 of its weight each, on 4 of 5 seeds.",
        "The claim held on most seeds, and hiding the claimed places hurt far more than hiding the control.",
        "I have not shown that this holds for other questions, other recipes or other seeds.",
    ]
)

wrong("my_sentences", "the third sentence sums up what was shown, and says nothing about what was not")(
    [
        "I claimed that [CLS] would give places 2 and 5 at least 0.3 of its weight each, on 4 of 5 seeds.",
        "This held on 3 of 5 seeds: the balanced accuracy fell from 0.91 to 0.52 with the claimed places hidden, "
        "and to 0.89 with the control hidden.",
        "Overall, the results demonstrate that the model understands the question and needs both places.",
    ]
)
