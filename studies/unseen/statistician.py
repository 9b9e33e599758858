"""Answers of a statistician who comes from R: columns first, counts from 1, centres and normalises unasked."""
import math

import numpy as np
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# 00
wrong("first_check", "the length of the table of tokens: each distinct token once")(len(set(REVIEW)))


@wrong("bag_of_words", "in the order of the sorted table", "words that do not occur have no entry")
def _(tokens, vocabulary):
    words, n = np.unique(tokens, return_counts=True)
    return n[np.isin(words, vocabulary)]


@wrong("bag_of_words", "counts in the joined text, so a word inside another word counts")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return np.char.count(text, vocabulary)


@right("bag_of_words", "an outer comparison, then column sums")
def _(tokens, vocabulary):
    tokens = np.array(tokens, dtype=object)
    return (tokens[:, None] == np.array(vocabulary, dtype=object)).sum(axis=0)


# 01
@wrong("dot_product", "centres both first", "divides by n - 1: a covariance")
def _(a, b):
    total = 0
    ma, mb = np.mean(a), np.mean(b)
    for x, y in zip(a, b):
        total += (x - ma) * (y - mb)
    return total / (len(a) - 1)


@wrong("dot_product", "counts from 1, and so leaves out the first product")
def _(a, b):
    total = 0
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


@wrong("cosine", "a correlation, which centres")
def _(a, b):
    return np.corrcoef(a, b)[0, 1]


@odd("cosine", "returns the 2 x 2 matrix of all cosines")
def _(a, b):
    M = np.column_stack([a, b])
    M = M / np.sqrt((M**2).sum(axis=0))
    return M.T @ M


@wrong("one_query_scores", "a row mean: divides by d_k and not by its root")
def _(q, K):
    return (K * q).mean(axis=1)


@wrong("one_query_scores", "divides by the root of d_k - 1, as for degrees of freedom")
def _(q, K):
    return (K @ q) / np.sqrt(q.shape[-1] - 1)


# 02
@wrong("softmax", "standardises the scores first")
def _(scores):
    z = (scores - scores.mean()) / scores.std()
    e = np.exp(z)
    return e / e.sum()


@right("softmax", "one over the sum of the exponentials of all differences, by broadcasting")
def _(scores):
    return 1 / np.exp(scores[None, :] - scores[:, None]).sum(axis=1)


@wrong("temperature", "takes T for a standard deviation, and divides by T squared")
def _(scores, T):
    return softmax(scores / T**2)


@wrong("temperature", "a power of the weights that is not normalised again")
def _(scores, T):
    return softmax(scores) ** (1 / T)


@wrong("stable_softmax", "centres each row by its mean, which is minus infinity as soon as one score is")
def _(scores):
    e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "sweeps over the transposed array: right for one or two axes only")
def _(scores):
    e = np.exp(scores.T - scores.max(axis=-1))
    return (e / e.sum(axis=0)).T


# 03
@wrong("score_variance", "mean of the variances of the columns", "scales by the root of d_k")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    return S.var(axis=0).mean()


@odd("score_variance", "the unbiased variance, which divides by the number minus 1")
def _(Q, K):
    return np.var(Q @ K.T, ddof=1)


@wrong("scale_for_unit_variance", "estimates the factor by a simulation")
def _(d_k):
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 2000, d_k))
    return 1 / (q * k).sum(axis=1).std()


@wrong("softmax_gradient_size", "the largest eigenvalue of the matrix, not its largest entry")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - np.outer(w, w)
    return np.abs(np.linalg.eigvalsh(J)).max()


@right("softmax_gradient_size", "a Bernoulli variance: the largest weight has the largest w(1 - w)")
def _(scores):
    p = softmax(scores).max()
    return p * (1 - p)


# 04
@wrong("project", "binds the columns and cuts in three equal parts, although d_v may differ from d_k")
def _(X, W_Q, W_K, W_V):
    QKV = X @ np.hstack([W_Q, W_K, W_V])
    return tuple(np.split(QKV, 3, axis=1))


@wrong("scores", "each query's scores become a column, as R's apply returns them")
def _(Q, K):
    return np.column_stack([K @ q / np.sqrt(len(q)) for q in Q])


@wrong("weights", "divides by the grand total of the table")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    e = np.exp(S - S.max())
    return e / e.sum()


@wrong("weights", "divides the rows by their sums and then the columns by theirs")
def _(Q, K):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=-1)
    return A / A.sum(axis=0)


@wrong("attention", "a kernel smoother: squared distances in place of dot products")
def _(Q, K, V):
    D2 = ((Q[:, None, :] - K[None, :, :]) ** 2).sum(axis=2)
    w = softmax(-D2 / (2 * np.sqrt(Q.shape[1])), axis=1)
    return w @ V


# 05
@wrong("good_row", "takes the position for one that counts from 1")
def _(Q, K, i):
    return softmax(K @ Q[i - 1] / np.sqrt(K.shape[1]))


@wrong("good_row", "the root of the number of keys", "sums run over the queries")
def _(Q, K, i):
    S = Q @ K.T / np.sqrt(len(K))
    return softmax(S, axis=0)[i]


@wrong("good_output", "the mean of the weighted values, divided by the number of keys")
def _(weights, V):
    return (weights[:, None] * V).mean(axis=0)


@odd("good_output", "np.average, which also divides by the sum of the weights")
def _(weights, V):
    return np.average(V, axis=0, weights=weights)


_offers = np.log(np.maximum(CONCEPTUAL_ROW, 1e-4))
_z = (_offers - _offers.mean()) / _offers.std()
wrong("conceptual_keys", "standardises the keys")((np.array([1.0]), _z[:, None]))
right("conceptual_keys", "a constant query of four ones")((np.ones(4), np.outer(_offers, np.full(4, 0.5))))


# 06
@wrong("causal_mask", "queries count from 1 and keys from 0, so one later key is seen")
def _(n):
    return np.greater_equal.outer(np.arange(1, n + 1), np.arange(n))


@wrong("masked_weights", "NA for hidden scores, and the sum without them is taken over the whole matrix")
def _(Q, K, mask):
    S = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), np.nan)
    e = np.exp(S)
    return np.nan_to_num(e / np.nansum(e))


@wrong("masked_weights", "fills with the smallest score", "the root of the number of queries")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[0])
    S = np.where(mask, S, S.min())
    return softmax(S, axis=-1)


@right("masked_weights", "a masked array that leaves hidden scores out")
def _(Q, K, mask):
    S = np.ma.array(Q @ K.T / np.sqrt(Q.shape[1]), mask=~mask)
    e = np.ma.exp(S - S.max(axis=1).data[:, None])
    return (e / e.sum(axis=1).data[:, None]).filled(0.0)


@wrong("padding_mask", "fills column by column: reshapes where it must transpose")
def _(lengths, n_keys):
    M = np.less.outer(np.arange(n_keys), lengths)
    return M.reshape(len(lengths), 1, n_keys)


@wrong("mask_label", "rounds to two decimals first")
def _(weights):
    return bool((np.triu(weights, 1).round(2) == 0).all())


@wrong("mask_label", "asks only where the largest weight of each row is")
def _(weights):
    return bool((weights.argmax(axis=1) <= np.arange(len(weights))).all())


@wrong("sat_row", "word 2 counted from 1", "the root of the number of words")
def _(Q, K):
    w = softmax(K[:2] @ Q[1] / np.sqrt(len(K)))
    return np.concatenate([w, np.zeros(4)])


# 07
@wrong("split_heads", "column-major reshape to the right shape")
def _(X, n_heads):
    return X.reshape((n_heads, len(X), -1), order="F")


@right("split_heads", "hsplit and stack")
def _(X, n_heads):
    return np.stack(np.hsplit(X, n_heads))


@wrong("merge_heads", "the heads vary fastest: columns are interleaved")
def _(heads):
    n_heads, n, d = heads.shape
    return np.moveaxis(heads, 0, -1).reshape(n, n_heads * d)


@right("merge_heads", "cbind of the heads")
def _(heads):
    return np.column_stack(list(heads))


@wrong("multi_head", "the root of the full width, not of the width of a head")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (np.stack(np.hsplit(X @ W, n_heads)) for W in (W_Q, W_K, W_V))
    A = softmax(np.einsum("hik,hjk->hij", Q, K) / np.sqrt(W_Q.shape[1]), axis=-1)
    return np.hstack(list(A @ V)) @ W_O


@wrong("multi_head", "deals the columns out in turn, and binds the heads in blocks")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    heads = []
    for h in range(n_heads):
        pick = slice(h, None, n_heads)
        heads.append(scaled_dot_product_attention(X @ W_Q[:, pick], X @ W_K[:, pick], X @ W_V[:, pick])[0])
    return np.hstack(heads) @ W_O


@wrong("cross_attention", "rbind: X may look at itself as well")
def _(X, context, W_Q, W_K, W_V):
    both = np.vstack([X, context])
    return scaled_dot_product_attention(X @ W_Q, both @ W_K, both @ W_V)[0]


@wrong("cross_attention", "the root of d_model")
def _(X, context, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (context @ W_K).T / np.sqrt(X.shape[1])
    return softmax(S, axis=1) @ (context @ W_V)


# 08
@wrong("permutation", "R's order(): sorts back instead of shuffling")
def _(order):
    return np.eye(len(order))[np.argsort(order)]


@wrong("permutation", "the order counts from 1", "shuffles the columns")
def _(order):
    order = np.asarray(order)
    return np.eye(len(order))[:, order - 1]


@right("permutation", "an outer comparison of the order with the column numbers")
def _(order):
    return np.equal.outer(order, np.arange(len(order))).astype(float)


@wrong("sinusoidal_positions", "places start at 1", "all sines, then all cosines")
def _(n, d_model):
    i = np.arange(0, d_model, 2)
    angles = np.outer(np.arange(1, n + 1), 1 / 10000 ** (i / d_model))
    return np.hstack([np.sin(angles), np.cos(angles)])[:, :d_model]


@wrong("sinusoidal_positions", "as many cosines as sines: an odd d_model fails")
def _(n, d_model):
    P = np.zeros((n, d_model))
    angles = np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d_model, 2) / d_model))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)
    return P


@wrong("add_positions", "recycles the rows of P over the whole batch, as R would")
def _(X, P):
    return X + np.resize(P, X.shape)


@wrong("add_positions", "rows 1 to n of P, counted from 1")
def _(X, P):
    n = X.shape[1]
    return X + P[1:n + 1]


# 09
@wrong("softmax_gradient", "the plain mean of g, not the weighted one")
def _(weights, gradient):
    return weights * (gradient - gradient.mean())


@right("softmax_gradient", "a covariance matrix of one multinomial draw, times g")
def _(weights, gradient):
    return (np.diag(weights) - np.outer(weights, weights)) @ gradient


@wrong("attention_gradient", "the average in the softmax step runs down the columns")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    A = softmax(Q @ K.T / root, axis=1)
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=0))
    return dS @ K / root, dS.T @ Q / root, A.T @ gradient


@wrong("attention_gradient", "an unweighted row mean in the softmax step", "dK is not divided by the root")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    A = softmax(Q @ K.T / root, axis=1)
    dA = gradient @ V.T
    dS = A * (dA - dA.mean(axis=1, keepdims=True))
    return dS @ K / root, dS.T @ Q, A.T @ gradient


@wrong("train_step", "centres the columns of X")
def _(w, b, X, labels, learning_rate):
    X = X - X.mean(axis=0)
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


@wrong("train_step", "sums over the sentences, not divided by n", "b is updated after w, with the new w")
def _(w, b, X, labels, learning_rate):
    def p(w):
        return 1 / (1 + np.exp(-(X @ w + b)))

    new_w = w - learning_rate * X.T @ (p(w) - labels)
    new_b = b - learning_rate * (p(new_w) - labels).sum()
    return new_w, new_b


# 10
@wrong("cls_labels", "drops [CLS] first, and so reads one column too far")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("recall", "the other margin of the table: precision")
def _(labels, predictions):
    return (labels * predictions).sum() / predictions.sum()


@right("recall", "a conditional probability: joint by marginal")
def _(labels, predictions):
    return np.mean(np.multiply(labels, predictions)) / np.mean(labels)


@wrong("count_weights", "one more position for [CLS]")
def _(vocab_size, seq_len, d_model):
    embedding = (vocab_size + seq_len + 1) * d_model
    return embedding + 4 * (d_model**2 + d_model) + 2 * d_model + d_model + 1


@wrong("count_weights", "no bias after the fourth matrix", "no bias in the last step")
def _(vocab_size, seq_len, d_model):
    parts = np.array([vocab_size, seq_len, 3 * (d_model + 1), d_model, 2, 1])
    return int((parts * d_model).sum())


# 11
@wrong("balanced_accuracy", "the other margin: shares among those predicted 1 and those predicted 0")
def _(labels, predictions):
    return np.mean([np.mean(labels[predictions == c] == c) for c in (0, 1)])


@wrong("balanced_accuracy", "the geometric mean of both shares")
def _(labels, predictions):
    share = [np.mean(predictions[labels == c] == c) for c in (0, 1)]
    return np.sqrt(np.prod(share))


@wrong("uniform_attention", "full_like keeps whole numbers: weights of 0 and 1 become zeros")
def _(weights):
    return np.full_like(weights, 1 / weights.shape[-1])


@wrong("uniform_attention", "the mean row over the queries, the same for every query")
def _(weights):
    return np.ones_like(weights) * weights.mean(axis=-2, keepdims=True)


@odd("uniform_attention", "a read-only broadcast of the row means")
def _(weights):
    return np.broadcast_to(weights.mean(axis=-1, keepdims=True), weights.shape)


# 12
@wrong("verdict_label", "a sign times the good word: -1 for not good, 0 for not bad")
def _(good, negations):
    return good * (-1) ** negations


@right("verdict_label", "centres, multiplies by a sign, and asks what is positive")
def _(good, negations):
    return ((good - 0.5) * (-1.0) ** negations > 0).astype(int)


@wrong("twins_told_apart", "a matrix of two rows: pairs row i with row i + n / 2")
def _(labels, predictions):
    ok = (labels == predictions).reshape(2, -1)
    return ok.all(axis=0).mean()


@wrong("twins_told_apart", "all neighbours are pairs, overlapping ones as well")
def _(labels, predictions):
    ok = labels == predictions
    return (ok[:-1] & ok[1:]).mean()


@wrong("cut_edge", "columns are queries", "counts from 1")
def _(n, query, key):
    M = np.ones((n, n), dtype=bool)
    M[key - 1, query - 1] = False
    return M


@wrong("cut_edge", "cuts both directions, as in a symmetric matrix")
def _(n, query, key):
    M = np.ones((n, n), dtype=bool)
    M[[query, key], [key, query]] = False
    return M


# 13
@wrong("attention_bytes", "unordered pairs only", "a token does not look at itself")
def _(n, n_layers, n_heads, bytes_per_weight):
    return math.comb(n, 2) * n_layers * n_heads * bytes_per_weight


@right("attention_bytes", "the product of the dimensions of one four-dimensional array")
def _(n, n_layers, n_heads, bytes_per_weight):
    return np.prod([n_layers, n_heads, n, n]) * bytes_per_weight


@wrong("online_step", "a running weighted mean: the mixture is divided by the total")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    old = total * np.exp(highest - new)
    e = np.exp(scores - new)
    total = old + e.sum()
    return new, total, (old * mixture + e @ values) / total


@wrong("cached_step", "the new token on top", "the root of the number of keys")
def _(q, k, v, K, V):
    K = np.vstack([k, K])
    V = np.vstack([v, V])
    w = softmax(K @ q / np.sqrt(len(K)))
    return w @ V, K, V


@wrong("cached_step", "looks at the old tokens, and adds its own value in full")
def _(q, k, v, K, V):
    out = softmax(K @ q / np.sqrt(K.shape[1])) @ V + v
    return out, np.vstack([K, k]), np.vstack([V, v])


# 14
@wrong("batched_attention", "the second axis for d_k: the root of the number of heads")
def _(Q, K, V, mask):
    S = np.einsum("bhik,bhjk->bhij", Q, K) / np.sqrt(Q.shape[1])
    A = softmax(np.where(mask, S, -np.inf), axis=-1)
    return A @ V, A


@wrong("batched_attention", "hides the padding among the queries as well: their rows are empty")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    pair = mask & np.swapaxes(mask, -1, -2)
    e = np.exp(S - S.max(axis=-1, keepdims=True)) * pair
    A = e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)
    return A @ V, A


@wrong("previous_token", "divides by n, although only n - 1 tokens have one before them")
def _(weights):
    return np.trace(weights, offset=-1, axis1=1, axis2=2) / weights.shape[1]


@wrong("previous_token", "the mean of the whole shifted block, not of its diagonal")
def _(weights):
    return weights[:, 1:, :-1].mean(axis=(1, 2))


@right("previous_token", "times a shifted identity, and summed")
def _(weights):
    n = weights.shape[-1]
    return (weights * np.eye(n, k=-1)).sum(axis=(1, 2)) / (n - 1)


@wrong("mean_pooling", "counts the numbers that are not 0, not the tokens")
def _(hidden, mask):
    H = hidden * mask[..., None]
    return H.sum(axis=1) / np.maximum((H != 0).sum(axis=1), 1)


@wrong("mean_pooling", "centres the columns of the result over the batch")
def _(hidden, mask):
    m = mask[..., None]
    M = (hidden * m).sum(axis=1) / m.sum(axis=1)
    return M - M.mean(axis=0)


@right("mean_pooling", "NA for padding, and a mean that removes it")
def _(hidden, mask):
    return np.nanmean(np.where(mask[..., None], hidden, np.nan), axis=1)
