"""Answers of a third-year biologist: R first, Python from a friend; data frames, counting from 1, apply(), recycling, lines copied from the lesson's cells."""
import math

import numpy as np

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# --- 00 ---

wrong("first_check", "counts the different tokens, as length(unique(x)): 'was' stands there twice")(len(np.unique(REVIEW)))

right("first_check", "nrow: the shape of an array, a NumPy whole number")(np.int64(np.array(REVIEW).shape[0]))


@wrong("bag_of_words", "%in%: 1 where the word occurs, not how often")
def _(tokens, vocabulary):
    return np.isin(vocabulary, tokens).astype(int)


# --- 01 ---


@wrong("dot_product", "for (i in 1:length(a)), so the first pair is left out")
def _(a, b):
    total = 0
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


@wrong("cosine", "takes cor(a, b): the means are subtracted first")
def _(a, b):
    return np.corrcoef(a, b)[0, 1]


@wrong("one_query_scores", "d_k is len(K): the number of keys, where he thinks of the columns of a data frame")
def _(q, K):
    products = np.apply_along_axis(lambda k: (k * q).sum(), 1, K)
    d_k = len(K)
    return products / np.sqrt(d_k)


# --- 02 ---


@wrong("softmax", "rounds to two decimals, as every print of the lesson does")
def _(scores):
    e = np.exp(scores)
    return (e / e.sum()).round(2)


@right("softmax", "on the log scale: exp(s - log(sum(exp(s))))")
def _(scores):
    scores = np.asarray(scores, dtype=float)
    return np.exp(scores - np.log(np.sum(np.exp(scores))))


@wrong("temperature", "the temperature is used above the line only, not in the sum")
def _(scores, T):
    return np.exp(scores / T) / np.exp(scores).sum()


@wrong("stable_softmax", "apply(scores, 1, f): MARGIN 1 fits a matrix, not one row and not three axes")
def _(scores):
    def one_row(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(one_row, 1, scores)


# --- 03 ---


@wrong("score_variance", "var of a data frame: column by column, then the mean", "n - 1 below the line, as in R")
def _(Q, K):
    S = Q @ K.T
    return S.var(axis=0, ddof=1).mean()


@wrong("scale_for_unit_variance", "estimates it by a simulation, the standard deviation of 2000 random scores, instead of solving for it")
def _(d_k):
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, 2000, d_k))
    return 1 / (q * k).sum(axis=1).std()


@odd("scale_for_unit_variance", "no return: in R the last line is what comes back")
def _(d_k):
    c = 1 / np.sqrt(d_k)
    c


@wrong("softmax_gradient_size", "np.gradient of the weights: differences between neighbouring keys")
def _(scores):
    w = softmax(scores)
    return np.abs(np.gradient(w)).max()


# --- 04 ---


@odd("project", "wants data frames, and pandas is not installed: raises")
def _(X, W_Q, W_K, W_V):
    import pandas as pd

    X = pd.DataFrame(X)
    return X @ W_Q, X @ W_K, X @ W_V


@wrong("scores", "the empty table has the type of Q @ K.T: with whole numbers every scaled score is cut off")
def _(Q, K):
    S = np.zeros_like(Q @ K.T)
    for i in range(len(Q)):
        for j in range(len(K)):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


@wrong("weights", "sapply puts each row's result into a column: the matrix comes back turned on its side")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    return np.column_stack([softmax(row) for row in S])


@wrong("attention", "apply with axis 0, 'over the rows': the softmax runs over the queries")
def _(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[1])
    A = np.apply_along_axis(softmax, 0, S)
    return A @ V


@right("attention", "one query after the other, one column of V after the other")
def _(Q, K, V):
    out = []
    for q in Q:
        w = softmax(np.array([sum(q * k) for k in K]) / math.sqrt(len(q)))
        out.append([sum(w * column) for column in V.T])
    return np.array(out)


# --- 05 ---


@wrong("good_row", "positions count from 1: takes row i - 1", "the square root of 2 copied from the cell above")
def _(Q, K, i):
    q = Q[i - 1]
    return softmax(K @ q / np.sqrt(2))


@wrong("good_output", "keeps only the keys with more than 0.01, as the lesson's looked_at does")
def _(weights, V):
    keep = weights > 0.01
    return weights[keep] @ V[keep]


@right("good_output", "weighted.mean of each column")
def _(weights, V):
    return np.array([np.average(V[:, j], weights=weights) for j in range(V.shape[1])])


_shares = np.array(CONCEPTUAL_ROW)

wrong("conceptual_keys", "log10 instead of the natural logarithm")(
    (np.array([0.0, 1.0]), np.column_stack([np.zeros(12), np.log10(_shares) * np.sqrt(2)]))
)

right("conceptual_keys", "a key with a place of its own for each word: a diagonal matrix, d_k = 12, and a query of ones")(
    (np.ones(12), np.diag(np.log(_shares) * np.sqrt(12)))
)


# --- 06 ---


@wrong("causal_mask", "lower.tri() of R: without the diagonal")
def _(n):
    return np.tril(np.ones((n, n), dtype=bool), -1)


@wrong("masked_weights", "like a value below the detection limit: hidden scores get the smallest score minus 10")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(K.shape[-1])
    S = np.where(mask, S, S.min() - 10)
    return softmax(S)


@wrong("padding_mask", "keys are numbered 1 to n_keys, and still '<'", "the axis in the middle is missing")
def _(lengths, n_keys):
    keys = np.arange(1, n_keys + 1)
    return keys < np.array(lengths)[:, None]


@wrong("mask_label", "all weight lies in the lower triangle: the sum == n, compared exactly although sums are rounded")
def _(weights):
    n = len(weights)
    return bool(np.tril(weights).sum() == n)


@wrong("sat_row", "masks after the softmax and divides by what is left: 0 / 0 when a later word takes everything")
def _(Q, K):
    w = softmax(K @ Q[2] / np.sqrt(K.shape[1]))
    w = w * np.array([1, 1, 1, 0, 0, 0])
    return w / w.sum()


# --- 07 ---


@right("split_heads", "array() fills by column as in R (order='F'), then aperm")
def _(X, n_heads):
    n = X.shape[0]
    boxes = np.reshape(X, (n, -1, n_heads), order="F")
    return np.transpose(boxes, (2, 0, 1))


@wrong("merge_heads", "dstack instead of cbind: the columns of the heads come out interleaved")
def _(heads):
    return np.dstack(list(heads)).reshape(heads.shape[1], -1)


@wrong("multi_head", "the heads are numbered from 1, so head 0 stays a block of zeros", "the root of the whole width, not of the width of a head")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d = W_Q.shape[1]
    width = d // n_heads
    merged = np.zeros((len(X), d))
    for h in range(1, n_heads):
        part = slice(h * width, (h + 1) * width)
        A = softmax(Q[:, part] @ K[:, part].T / np.sqrt(d))
        merged[:, part] = A @ V[:, part]
    return merged @ W_O


@wrong("cross_attention", "rbind: X may look at the context and at itself")
def _(X, context, W_Q, W_K, W_V):
    both = np.vstack([X, context])
    return scaled_dot_product_attention(X @ W_Q, both @ W_K, both @ W_V).output


# --- 08 ---


@wrong("permutation", "order - 1, as if the order counted from 1; -1 silently means the last column")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    for i in range(n):
        P[i, order[i] - 1] = 1
    return P


@right("permutation", "outer(order, 0:(n-1), '==')")
def _(order):
    return np.equal.outer(np.array(order), np.arange(len(order))) * 1


@wrong("sinusoidal_positions", "places count from 1", "columns count from 1 too: the sine lands in columns 1, 3, 5")
def _(n, d_model):
    places = np.arange(1, n + 1)
    dims = np.arange(d_model)
    speeds = 10000 ** (dims // 2 * 2 / d_model)
    angles = places[:, None] / speeds
    columns = dims + 1
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


@odd("add_positions", "adds in place, as X[] <- X + P: the caller's X is changed")
def _(X, P):
    for sentence in X:
        sentence += P[: len(sentence)]
    return X


# --- 09 ---


@wrong("softmax_gradient", "the plain mean of g instead of the mean by weight")
def _(weights, gradient):
    return weights * (gradient - np.mean(gradient))


@right("softmax_gradient", "the whole Jacobian, filled in cell by cell, then summed over its rows")
def _(weights, gradient):
    n = len(weights)
    J = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            J[i, j] = weights[i] * ((i == j) - weights[j])
    return (J * np.reshape(gradient, (n, 1))).sum(axis=0)


@wrong("attention_gradient", "M - rowSums(M) is right in R, where recycling goes down the columns; NumPy subtracts along the rows")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    W = softmax(Q @ K.T / root)
    dV = W.T @ gradient
    dW = gradient @ V.T
    dS = W * (dW - (W * dW).sum(axis=1))
    return dS @ K / root, dS.T @ Q / root, dV


@wrong("train_step", "the gradient of b is the mean of an error that is divided by n already", "the step of b goes without the learning rate")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    return w - learning_rate * (X.T @ error), b - error.mean()


# --- 10 ---


@wrong("cls_labels", "which(): the numbers of the sentences with the target, not a label for each sentence")
def _(tokens, position, target):
    return np.where(tokens[:, position] == target)[0]


@wrong("recall", "table() of the answers to the yes sentences: has no second entry when all of them are found, or none")
def _(labels, predictions):
    _, table = np.unique(predictions[labels == 1], return_counts=True)
    return table[1] / table.sum()


@wrong("count_weights", "one token more for [CLS], which the vocabulary counts already", "the two vectors of the normalising are two numbers, mean and sd")
def _(vocab_size, seq_len, d_model):
    embeddings = (vocab_size + 1) * d_model + seq_len * d_model
    attention = 4 * (d_model * d_model + d_model)
    scaling = 2
    answer = d_model + 1
    return embeddings + attention + scaling + answer


# --- 11 ---


@wrong("balanced_accuracy", "groups by the prediction instead of the label")
def _(labels, predictions):
    ok = predictions == labels
    return np.mean([ok[predictions == group].mean() for group in (0, 1)])


@right("uniform_attention", "the mean of each row of weights, repeated; the rows sum to 1")
def _(weights):
    means = weights.mean(axis=-1, keepdims=True)
    return np.repeat(means, weights.shape[-1], axis=-1)


# --- 12 ---


@wrong("verdict_label", "turns the sign with (-1)^negations, but bad is 0 and not -1, so it cannot turn")
def _(good, negations):
    return (good * (-1.0) ** negations > 0).astype(int)


@wrong("twins_told_apart", "compares all neighbours, like diff(): also the second twin with the first of the next pair")
def _(labels, predictions):
    ok = labels == predictions
    return np.mean(ok[:-1] & ok[1:])


@wrong("cut_edge", "a list of n times the same row: the cut goes through the whole column")
def _(n, query, key):
    mask = [[True] * n] * n
    mask[query][key] = False
    return np.array(mask)


# --- 13 ---


@wrong("attention_bytes", "pairs as in a distance matrix: each pair once, plus the diagonal")
def _(n, n_layers, n_heads, bytes_per_weight):
    pairs = math.comb(int(n), 2) + int(n)
    return int(n_layers) * int(n_heads) * pairs * int(bytes_per_weight)


@wrong("online_step", "the total of a tile is measured from the tile's own highest score, the mixture from the new one")
def _(highest, total, mixture, scores, values):
    tile = scores.max()
    new = max(highest, tile)
    shrink = np.exp(highest - new)
    total = total * shrink + np.exp(scores - tile).sum()
    mixture = mixture * shrink + np.exp(scores - new) @ values
    return new, total, mixture


@wrong("cached_step", "append() makes one long vector, and V is folded again with the length of q")
def _(q, k, v, K, V):
    K = np.append(K, k).reshape(-1, len(q))
    V = np.append(V, v).reshape(-1, len(q))
    w = softmax(K @ q / np.sqrt(len(q)))
    return w @ V, K, V


# --- 14 ---


@wrong("batched_attention", "gives K new dimensions, dim(K) <-, instead of swapping its axes", "counts the axes from 1 wrongly: the root of n, not of d_k")
def _(Q, K, V, mask):
    batch, heads, n, d_k = K.shape
    S = Q @ K.reshape(batch, heads, d_k, n) / np.sqrt(Q.shape[2])
    A = softmax(np.where(mask, S, -np.inf))
    return A @ V, A


@wrong("previous_token", "for (i in 2:n): the first pair, token 1 to token 0, is left out")
def _(weights):
    n = weights.shape[-1]
    return np.mean([weights[:, i, i - 1] for i in range(2, n)], axis=0)


@odd("mean_pooling", "padding becomes NA and the mean takes na.rm: right, but it writes nan into the caller's array")
def _(hidden, mask):
    hidden[~mask] = np.nan
    return np.nanmean(hidden, axis=1)
