"""Answers of a mixed class in its third week: they talk, copy half a line, and translate from Matlab, R and pandas."""
import numpy as np
from course_utils.attention import causal_mask, scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# ---------------------------------------------------------------- 00, 01

wrong("first_check", "counts each different token once, like R's unique")(len(set(REVIEW)))


@wrong("bag_of_words", "answers in alphabetical order: the lesson's vocabulary happens to be sorted")
def _(tokens, vocabulary):
    known = [word for word in tokens if word in vocabulary]
    return [known.count(word) for word in sorted(vocabulary)]


@odd("bag_of_words", "endless as soon as a token is not in the vocabulary: only known words move the counter on")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    i = 0
    while i < len(tokens):
        if tokens[i] in vocabulary:
            counts[vocabulary.index(tokens[i])] += 1
            i += 1
    return counts


@wrong("dot_product", "counts from 1 as in Matlab, so the first pair is left out")
def _(a, b):
    total = 0
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


@odd("dot_product", "prints the running total and gives nothing back")
def _(a, b):
    total = 0
    for x, y in zip(a, b):
        total += x * y
        print(total)


@wrong("cosine", "R's cor(): the correlation, which takes the mean away from both vectors first")
def _(a, b):
    return np.corrcoef(a, b)[0, 1]


@wrong("one_query_scores", "reads 'length of a key' as its norm, as in the cosine")
def _(q, K):
    return K @ q / np.sqrt(np.linalg.norm(K, axis=1))


# ---------------------------------------------------------------- 02, 03

@right("softmax", "in logarithms: minus the log of the sum, by logaddexp")
def _(scores):
    scores = np.asarray(scores, dtype=float)
    return np.exp(scores - np.logaddexp.reduce(scores))


@wrong("temperature", "divides by the root of T, as the scores were divided by the root of d_k")
def _(scores, T):
    return softmax(scores / np.sqrt(T))


@wrong("stable_softmax", "puts the lost axis back with [:, None], so it works for a table only")
def _(scores):
    highest = scores.max(axis=-1)[:, None]
    e = np.exp(scores - highest)
    return e / e.sum(axis=-1)[:, None]


@wrong("score_variance", "one variance for each column, then their mean", "divides by n - 1, as pandas and R do")
def _(Q, K):
    S = Q @ K.T
    return S.var(axis=0, ddof=1).mean()     # pd.DataFrame(S).var().mean()


@wrong("scale_for_unit_variance", "Matlab's d_k^(-1/2) without the brackets")
def _(d_k):
    return d_k ** -1 / 2


@right("softmax_gradient_size", "without a matrix: it is the largest weight by its own score")
def _(scores):
    top = softmax(scores).max()
    return top * (1 - top)


# ---------------------------------------------------------------- 04, 05

@wrong("project", "puts the three matrices into one stack: only where d_v is d_k")
def _(X, W_Q, W_K, W_V):
    Q, K, V = X @ np.stack([W_Q, W_K, W_V])
    return Q, K, V


@odd("project", "returns a dict with names")
def _(X, W_Q, W_K, W_V):
    return {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}


@right("scores", "np.inner, and d_k to the power of -1/2")
def _(Q, K):
    return np.inner(Q, K) * Q.shape[1] ** -0.5


@wrong("weights", "the row sums lose their axis, so column j is divided by the sum of row j")
def _(Q, K):
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return e / e.sum(axis=1)


@odd("attention", "a generator: yields the output of one query after the other")
def _(Q, K, V):
    for q in Q:
        yield softmax(K @ q / np.sqrt(len(q))) @ V


@wrong("good_row", "divides by the root after the softmax")
def _(Q, K, i):
    return softmax(Q @ K.T)[i] / np.sqrt(Q.shape[-1])


@right("good_output", "np.average with weights, as in R's weighted.mean")
def _(weights, V):
    return np.average(V, axis=0, weights=weights)


def _keys_of_the_row():
    q = np.array([0.0, 1.0])
    keys = np.zeros((12, 2))
    keys[:, 1] = np.log(CONCEPTUAL_ROW)
    return q, keys


wrong("conceptual_keys", "takes logarithms, but does not undo the root of 2")(_keys_of_the_row())


# ---------------------------------------------------------------- 06

@right("causal_mask", "the identity, summed up downwards")
def _(n):
    return np.cumsum(np.eye(n), axis=0).astype(bool)


@wrong("masked_weights", "repairs the masked softmax with the sums of the columns instead of the rows")
def _(Q, K, mask):
    W = softmax(Q @ K.T / np.sqrt(Q.shape[-1])) * mask
    return W / W.sum(axis=0)


@wrong("masked_weights", "scales by the number of keys", "hides with -99, a missing value, which large scores can beat")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(len(K))
    S[~mask] = -99
    return softmax(S)


@wrong("padding_mask", "counts the keys from 1 but still asks for smaller: the last word is hidden")
def _(lengths, n_keys):
    keys = np.arange(1, n_keys + 1)
    return (keys < np.asarray(lengths)[:, None])[:, None, :]


@wrong("mask_label", "rounds to two decimals as in the printed table, so a small leak passes")
def _(weights):
    return bool((np.triu(weights, 1).round(2) == 0).all())


@wrong("sat_row", "no root, since d_k is 1 in the design", "takes the later words out after the softmax")
def _(Q, K):
    w = softmax(K @ Q[2])
    w[3:] = 0
    return w


# ---------------------------------------------------------------- 07

@right("split_heads", "a reshape in Matlab's order, which cuts the columns in the right way")
def _(X, n_heads):
    n, d = X.shape
    return np.moveaxis(X.reshape((n, d // n_heads, n_heads), order="F"), 2, 0)


@wrong("merge_heads", "Matlab's reshape (order F) without a permute")
def _(heads):
    n_heads, n, d_head = heads.shape
    return heads.reshape((n, n_heads * d_head), order="F")


@wrong("multi_head", "the width of a head comes from d_model, so it works only where d is d_model")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    size = X.shape[1] // n_heads
    outs = []
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        outs.append(scaled_dot_product_attention(Q[:, part], K[:, part], V[:, part]).output)
    return np.concatenate(outs, axis=1) @ W_O


def _split(X, n_heads):
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


@wrong("multi_head", "takes the causal mask of the lesson's first cell along", "scales before a function that scales")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = _split(X @ W_Q, n_heads), _split(X @ W_K, n_heads), _split(X @ W_V, n_heads)
    Q = Q / np.sqrt(Q.shape[-1])
    heads, _ = scaled_dot_product_attention(Q, K, V, mask=causal_mask(len(X)))
    return heads.swapaxes(0, 1).reshape(len(X), -1) @ W_O


@wrong("cross_attention", "divides by the root of d_model, the width of X, instead of d_k")
def _(X, context, W_Q, W_K, W_V):
    S = X @ W_Q @ (context @ W_K).T / np.sqrt(X.shape[-1])
    return softmax(S) @ (context @ W_V)


# ---------------------------------------------------------------- 08

@wrong("permutation", "says where each word goes instead of who comes: the inverse shuffle")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    for i in range(n):
        P[order[i], i] = 1
    return P


@wrong("sinusoidal_positions", "an odd d_model is made even first, and that number goes into the speeds")
def _(n, d_model):
    even = d_model + d_model % 2
    speeds = 10000 ** (np.arange(0, even, 2) / even)
    angles = np.arange(n)[:, None] / speeds
    P = np.zeros((n, even))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)
    return P[:, :d_model]


@wrong("sinusoidal_positions", "places 1 to n, as in Matlab", "the exponent has i where the formula has 2i")
def _(n, d_model):
    places = np.arange(1, n + 1)
    dims = np.arange(d_model)
    angles = places[:, None] / 10000 ** (dims // 2 / d_model)
    return np.where(dims % 2, np.cos(angles), np.sin(angles))


@wrong("add_positions", "np.resize recycles P like R: the second sentence goes on where the first ended")
def _(X, P):
    return X + np.resize(P, X.shape)


@odd("add_positions", "the right sum, but written into X itself")
def _(X, P):
    X += P[: X.shape[1]]
    return X


# ---------------------------------------------------------------- 09

@wrong("softmax_gradient", "only the diagonal of the matrix: each score through its own weight")
def _(weights, gradient):
    return weights * gradient - weights**2 * gradient


@wrong("attention_gradient", "divides all three by the root, dV too")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    W = softmax(Q @ K.T / root)
    dW = gradient @ V.T
    ds = W * (dW - (W * dW).sum(axis=-1, keepdims=True))
    return tuple(part / root for part in (ds @ K, ds.T @ Q, W.T @ gradient))


@wrong("attention_gradient", "the average runs down the columns", "dK is not divided by the root")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    W = softmax(Q @ K.T / root)
    dW = gradient @ V.T
    ds = W * (dW - (W * dW).sum(axis=0))
    dQ = ds @ K / root
    dK = ds.T @ Q
    return dQ, dK, W.T @ gradient


@wrong("train_step", "b is moved by the error after w has moved")
def _(w, b, X, labels, learning_rate):
    n = len(labels)

    def error(w, b):
        return (1 / (1 + np.exp(-(X @ w + b))) - labels) / n

    w = w - learning_rate * X.T @ error(w, b)
    b = b - learning_rate * error(w, b).sum()
    return w, b


@wrong("train_step", "the minus reaches Xw only, not b", "the gradient of b is a mean, so it is divided by n twice")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-X @ w + b))
    error = (p - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.mean()


@right("train_step", "a column of ones for b, and the sigmoid as a tanh")
def _(w, b, X, labels, learning_rate):
    X1 = np.column_stack([X, np.ones(len(X))])
    theta = np.append(w, b)
    p = (1 + np.tanh(X1 @ theta / 2)) / 2
    theta = theta - learning_rate * np.mean((p - labels)[:, None] * X1, axis=0)
    return theta[:-1], theta[-1]


# ---------------------------------------------------------------- 10, 11, 12

@wrong("cls_labels", "drops [CLS] first, and counts the position among the words that are left")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("recall", "labels of 0 and 1 as an index: picks predictions 0 and 1 again and again")
def _(labels, predictions):
    return predictions[labels].mean()


@wrong("count_weights", "the two vectors of the normalisation once for each row")
def _(vocab_size, seq_len, d_model):
    tables = (vocab_size + seq_len) * d_model
    matrices = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model * seq_len
    return tables + matrices + norm + d_model + 1


@wrong("balanced_accuracy", "the share of ones in both classes: among the zeros that is the share of wrong answers")
def _(labels, predictions):
    return (predictions[labels == 1].mean() + predictions[labels == 0].mean()) / 2


@wrong("uniform_attention", "shares among all numbers of the array, not among the keys of one row")
def _(weights):
    return np.ones_like(weights) / weights.size


@wrong("verdict_label", "Matlab's ~ on whole numbers: not 1 becomes -2, not 0 becomes -1")
def _(good, negations):
    return np.where(negations % 2, ~good, good)


@right("verdict_label", "with signs: +1 and -1, turned by powers of -1")
def _(good, negations):
    sign = (2.0 * good - 1) * (-1.0) ** negations
    return np.rint((sign + 1) / 2).astype(int)


@wrong("twins_told_apart", "Matlab's reshape(x, 2, []): in NumPy row i and row i + n/2 become a pair")
def _(labels, predictions):
    answers = (labels == predictions).reshape(2, -1)
    return answers.all(axis=0).mean()


@wrong("cut_edge", "n times the same inner list, so the key is cut for every query")
def _(n, query, key):
    mask = [[True] * n] * n
    mask[query][key] = False
    return np.array(mask)


# ---------------------------------------------------------------- 13, 14

@wrong("attention_bytes", "n ^ 2 as in Matlab and R: in Python that is a bitwise xor")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n ^ 2 * n_layers * n_heads * bytes_per_weight


@wrong("online_step", "starts from 0 instead of -inf to get rid of it, so all-negative first tiles report 0")
def _(highest, total, mixture, scores, values):
    if highest == -np.inf:
        highest = 0.0
    new = max(highest, scores.max())
    shrink = np.exp(highest - new)
    e = np.exp(scores - new)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values


@wrong("online_step", "only the total shrinks", "new part: sum of exponentials times sum of values")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    part = np.exp(scores - new).sum()
    total = total * np.exp(highest - new) + part
    mixture = mixture + part * values.sum(axis=0)
    return new, total, mixture


@right("online_step", "the old sums enter as one more key with the highest score so far")
def _(highest, total, mixture, scores, values):
    all_scores = np.append(scores, highest)
    new = all_scores.max()
    e = np.exp(all_scores - new)
    amounts = np.append(np.ones(len(scores)), total)
    return new, e @ amounts, e @ np.vstack([values, mixture])


@wrong("cached_step", "np.insert at -1 puts the new row before the last one")
def _(q, k, v, K, V):
    K = np.insert(K, -1, k, axis=0)
    V = np.insert(V, -1, v, axis=0)
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


@wrong("batched_attention", "Q.shape[1], remembered from two axes: here that is the number of heads")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[1])
    weights = softmax(np.where(mask, S, -np.inf))
    return weights @ V, weights


@wrong("previous_token", "offset 1 is the token after", "divides by n, although the diagonal has n - 1 entries")
def _(weights):
    return np.diagonal(weights, 1, 1, 2).sum(axis=-1) / weights.shape[-1]


@right("mean_pooling", "padding becomes nan, and nanmean leaves it out as pandas does")
def _(hidden, mask):
    return np.nanmean(np.where(mask[..., None], hidden, np.nan), axis=1)
