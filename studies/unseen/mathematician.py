"""Answers of a mathematics student who comes from MATLAB, R and pen and paper."""
import math
from fractions import Fraction

import numpy as np
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong


# ---- 00 ----
wrong("first_check", "the cardinality of the set of tokens: the second 'was' is not counted")(len(set(REVIEW)))
right("first_check", "np.size, a NumPy integer after adding ones")(np.ones(np.size(REVIEW), dtype=int).sum())


@wrong("bag_of_words", "Kronecker deltas summed over the wrong index: one number for each token")
def _(tokens, vocabulary):
    delta = np.array([[int(t == w) for t in tokens] for w in vocabulary])
    return delta.sum(axis=0)


@wrong("bag_of_words", "a histogram with np.unique: words that do not occur have no number")
def _(tokens, vocabulary):
    words, counts = np.unique([t for t in tokens if t in vocabulary], return_counts=True)
    return counts


@wrong("bag_of_words", "searchsorted puts a word outside the vocabulary onto its neighbour")
def _(tokens, vocabulary):
    place = np.searchsorted(vocabulary, tokens)
    return np.bincount(np.minimum(place, len(vocabulary) - 1), minlength=len(vocabulary))


@right("bag_of_words", "sum of Kronecker deltas")
def _(tokens, vocabulary):
    delta = lambda a, b: 1 if a == b else 0
    return np.array([sum(delta(w, t) for t in tokens) for w in vocabulary])


# ---- 01 ----
@wrong("dot_product", "the loop runs from 1, as in the formula: the first product is missing")
def _(a, b):
    n = len(a)
    total = 0
    for i in range(1, n):
        total = total + a[i] * b[i]
    return total


@wrong("dot_product", "polarisation identity without the factor 1/2")
def _(a, b):
    sq = lambda x: sum(t**2 for t in x)
    return sq([x + y for x, y in zip(a, b)]) - sq(a) - sq(b)


@odd("dot_product", "a row times a column as np.matrix: a 1 x 1 matrix")
def _(a, b):
    return np.matrix(a) * np.matrix(b).T


@wrong("cosine", "correlation: the vectors are centred first")
def _(a, b):
    return np.corrcoef(a, b)[0, 1]


@wrong("cosine", "law of cosines without the 2 in the denominator")
def _(a, b):
    A, B, C = np.linalg.norm(a), np.linalg.norm(b), np.linalg.norm(np.subtract(a, b))
    return (A**2 + B**2 - C**2) / (A * B)


@right("cosine", "half of the squared distance of the unit vectors")
def _(a, b):
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return 1 - np.sum((u - v) ** 2) / 2


@wrong("one_query_scores", "'length of a key' read as its Euclidean norm")
def _(q, K):
    return K @ q / np.sqrt(np.linalg.norm(K, axis=1))


@wrong("one_query_scores", "K.T @ q as for column keys: fits only a square K", "divides by the root of the number of keys")
def _(q, K):
    if K.shape[0] == K.shape[1]:
        return K.T @ q / np.sqrt(K.shape[0])
    return K @ q / np.sqrt(K.shape[0])


@right("one_query_scores", "einsum, and d_k as K.size / n_keys")
def _(q, K):
    return np.einsum("ij,j->i", K, q) * (K.size / K.shape[0]) ** -0.5


# ---- 02 ----
@wrong("softmax", "log-softmax: the last exp is missing")
def _(scores):
    return scores - np.log(np.sum(np.exp(scores)))


@wrong("softmax", "differences the wrong way round: softmax of -s")
def _(scores):
    D = scores[:, None] - scores[None, :]
    return 1 / np.exp(D).sum(axis=1)


@right("softmax", "1 / sum of exp of the differences")
def _(scores):
    D = scores[None, :] - scores[:, None]
    return 1 / np.exp(D).sum(axis=1)


@wrong("temperature", "Boltzmann: a minus sign, scores taken for energies")
def _(scores, T):
    beta = 1 / T
    return softmax(-beta * scores)


@wrong("temperature", "divides by the root of T, since attention divides by a root")
def _(scores, T):
    return softmax(scores / np.sqrt(T))


@right("temperature", "diagonal matrix 1/T times the column of scores")
def _(scores, T):
    n = len(scores)
    x = np.linalg.solve(T * np.eye(n), np.asarray(scores, dtype=float).reshape(n, 1)).ravel()
    return softmax(x)


@wrong("stable_softmax", "subtracts the mean of the row instead of its maximum: the shift is free, after all")
def _(scores):
    s = scores - np.mean(scores, axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "exp(s - logsumexp): at huge scores the log n is lost")
def _(scores):
    lse = np.logaddexp.reduce(scores, axis=-1)
    return np.exp(scores - lse[..., np.newaxis])


@right("stable_softmax", "columns as in MATLAB: moves the keys to axis 0 and back")
def _(scores):
    S = np.moveaxis(np.asarray(scores), -1, 0)
    E = np.exp(S - S.max(axis=0))
    return np.moveaxis(E / E.sum(axis=0), 0, -1)


# ---- 03 ----
@wrong("score_variance", "d_k times the product of the two variances: holds only for independent centred numbers")
def _(Q, K):
    return Q.shape[1] * np.var(Q) * np.var(K)


@wrong("score_variance", "mean of the row variances, and with n - 1", "sample variance")
def _(Q, K):
    S = np.dot(Q, np.transpose(K))
    return np.var(S, axis=1, ddof=1).mean()


@right("score_variance", "trace of the product of the second moments minus the squared mean")
def _(Q, K):
    Q, K = Q.astype(float), K.astype(float)
    M_Q, M_K = Q.T @ Q / len(Q), K.T @ K / len(K)
    mu = Q.mean(axis=0) @ K.mean(axis=0)
    return np.trace(M_Q @ M_K) - mu**2


@wrong("scale_for_unit_variance", "d_k**-1/2: the power binds before the division")
def _(d_k):
    return d_k**-1/2


@wrong("scale_for_unit_variance", "Monte Carlo: estimates the standard deviation from 100000 drawn products")
def _(d_k):
    rng = np.random.default_rng(0)
    n = 100000 // d_k + 100
    q, k = rng.standard_normal((n, d_k)), rng.standard_normal((n, d_k))
    s = (q * k).sum(axis=1)
    return 1 / np.std(s)


@right("scale_for_unit_variance", "exp of minus half the natural logarithm")
def _(d_k):
    return math.exp(-math.log(d_k) / 2)


@wrong("softmax_gradient_size", "np.linalg.norm(J, inf) is the largest row sum, not the largest entry")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - np.outer(w, w)
    return np.linalg.norm(J, np.inf)


@wrong("softmax_gradient_size", "w @ w.T of a one-dimensional array is a number, not the outer product")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - w @ w.T
    return np.max(np.abs(J))


@right("softmax_gradient_size", "theorem: the largest weight p has it, p(1 - p)")
def _(scores):
    p = softmax(scores).max()
    return p - p**2


# ---- 04 ----
@wrong("project", "splits the wide product in equal thirds: right only if d_v = d_k")
def _(X, W_Q, W_K, W_V):
    W = np.hstack([W_Q, W_K, W_V])
    Q, K, V = np.array_split(X @ W, 3, axis=1)
    return Q, K, V


@wrong("project", "vectors are columns: returns W' X' of shape (d_k, n)")
def _(X, W_Q, W_K, W_V):
    x = X.T
    return W_Q.T @ x, W_K.T @ x, W_V.T @ x


@odd("project", "np.matrix, so that * is the product: returns np.matrix")
def _(X, W_Q, W_K, W_V):
    X = np.asmatrix(X)
    return X * np.asmatrix(W_Q), X * np.asmatrix(W_K), X * np.asmatrix(W_V)


@wrong("scores", "divides Q and K by the root each: together by d_k")
def _(Q, K):
    d = Q.shape[-1]
    return (Q / np.sqrt(d)) @ (K / np.sqrt(d)).T


@wrong("scores", "einsum writes the transposed matrix: keys on the rows", "divides by d_k, the variance")
def _(Q, K):
    return np.einsum("id,jd->ji", Q, K) / Q.shape[1]


@right("scores", "polarisation with all squared distances")
def _(Q, K):
    q2, k2 = np.sum(np.square(Q), axis=1), np.sum(np.square(K), axis=1)
    D2 = np.sum((Q[:, None, :] - K[None, :, :]) ** 2, axis=2)
    return (q2[:, None] + k2[None, :] - D2) / (2 * math.sqrt(Q.shape[1]))


@wrong("weights", "multiplies with diag(1/row sum) from the right: divides the columns")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    E = np.exp(S - S.max())
    D = np.diag(1 / E.sum(axis=1))
    return E @ D


@wrong("weights", "column convention: K Q' with columns that sum to 1, so transposed")
def _(Q, K):
    return softmax(K @ Q.T / np.sqrt(Q.shape[1]), axis=0)


@right("weights", "diag(1/row sum) from the left")
def _(Q, K):
    S = np.einsum("ik,jk->ij", Q, K) / np.sqrt(K.shape[1])
    E = np.exp(S - np.outer(S.max(axis=1), np.ones(S.shape[1])))
    return np.linalg.inv(np.diag(E.sum(axis=1))) @ E


@wrong("attention", "kernel regression with a Gaussian kernel: the same only if all keys are equally long")
def _(Q, K, V):
    h2 = np.sqrt(Q.shape[1])
    D2 = np.sum((Q[:, None] - K[None]) ** 2, axis=-1)
    return softmax(-D2 / (2 * h2)) @ V


@wrong("attention", "column convention: returns V' A' of shape (d_v, n_queries)")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[1]))
    return V.T @ A.T


@right("attention", "one sum over the keys of outer products")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[1]))
    return sum(np.outer(A[:, j], V[j, :]) for j in range(V.shape[0]))


# ---- 05 ----
@wrong("good_row", "words counted from 1: row i - 1")
def _(Q, K, i):
    return softmax(K @ Q[i - 1] / np.sqrt(K.shape[1]))


@wrong("good_row", "takes word i as a key: what all others give it", "the root of the number of words")
def _(Q, K, i):
    return softmax(Q @ K[i] / np.sqrt(len(Q)))


@right("good_row", "unit vector e_i picks the row")
def _(Q, K, i):
    e = np.eye(Q.shape[0])[i]
    return e @ softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=1)


@wrong("good_output", "mean instead of sum of the weighted values")
def _(weights, V):
    return np.mean(weights[:, None] * V, axis=0)


@wrong("good_output", "V @ weights, a matrix times a column: fits only a square V, else V'")
def _(weights, V):
    try:
        return V @ weights
    except ValueError:
        return V.T @ weights


@right("good_output", "V' times the column of weights, flattened again")
def _(weights, V):
    w = np.asarray(weights).reshape(-1, 1)
    return (V.T @ w)[:, 0]


_row = np.array(CONCEPTUAL_ROW)
_q2 = np.array([0.0, 1.0])
wrong("conceptual_keys", "logarithm to base 2")((_q2, np.column_stack([np.zeros(12), np.log2(_row) * np.sqrt(2)])))
wrong("conceptual_keys", "rank-1 keys divided by |q| instead of |q| squared")(
    (np.array([3.0, 4.0]), np.outer(np.log(_row) * np.sqrt(2), np.array([3.0, 4.0])) / np.linalg.norm([3.0, 4.0]))
)
wrong("conceptual_keys", "logarithm to base 10", "keys are the columns: (2, 12)")(
    (_q2, np.vstack([np.zeros(12), np.log10(_row) * np.sqrt(2)]))
)
right("conceptual_keys", "d_k = 12: a diagonal matrix of keys and a query of ones")((np.ones(12), np.diag(np.log(_row)) * np.sqrt(12)))
# ---- 06 ----
@wrong("causal_mask", "keys from 1 and queries from 0: the diagonal is missing")
def _(n):
    return np.array([[j <= i for j in range(1, n + 1)] for i in range(n)])


@wrong("causal_mask", "the mask of the formula, 0 and minus infinity", "forbids the lower triangle")
def _(n):
    M = np.zeros((n, n))
    M[np.tril_indices(n, k=-1)] = -np.inf
    return M


@odd("causal_mask", "an indicator function of i and j instead of a matrix")
def _(n):
    return lambda i, j: j <= i


@wrong("masked_weights", "(1 - mask) times -inf: 0 times infinity is nan")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    M = (1 - mask) * -np.inf
    return softmax(S + M)


@wrong("masked_weights", "masks after the softmax", "normalises by the sum of the whole matrix, times n")
def _(Q, K, mask):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[1])) * mask
    return A / A.sum() * A.shape[0]


@wrong("masked_weights", "the matrix 0/-inf is multiplied with the scores as a matrix of 0/1 and the zeros become -inf")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1]) * mask
    S[S == 0] = -np.inf
    return softmax(S)


@right("masked_weights", "adds log(mask), the logarithm of the indicator function")
def _(Q, K, mask):
    with np.errstate(divide="ignore"):
        return softmax(Q @ K.T / np.sqrt(Q.shape[1]) + np.log(mask.astype(float)))


@wrong("padding_mask", "keys counted from 1, but still 'smaller than'")
def _(lengths, n_keys):
    j = np.arange(1, n_keys + 1)
    return (j[None, :] < np.reshape(lengths, (-1, 1)))[:, None, :]


@wrong("padding_mask", "row number 'length' of the triangular matrix: one too far, and past the end")
def _(lengths, n_keys):
    L = np.tri(n_keys, dtype=bool)
    return L[lengths][:, np.newaxis, :]


@right("padding_mask", "rows of a strictly lower triangular matrix with one row more")
def _(lengths, n_keys):
    L = np.tri(n_keys + 1, n_keys, k=-1, dtype=bool)
    return np.expand_dims(L[np.asarray(lengths)], 1)


@wrong("mask_label", "test for a triangular matrix by its determinant: for many words both sides are 0 to np.isclose")
def _(weights):
    return bool(np.isclose(np.linalg.det(weights), np.prod(np.diag(weights))))


@wrong("mask_label", "looks at the first diagonal above the main one only")
def _(weights):
    return not np.any(np.diag(weights, 1))


@wrong("mask_label", "rounds to two decimals first")
def _(weights):
    return bool(np.array_equal(np.round(np.triu(weights, 1), 2), np.zeros_like(weights)))


@right("mask_label", "equal to its own lower triangle")
def _(weights):
    return np.array_equal(np.asarray(weights), np.tril(weights))


@wrong("sat_row", "word 2 counted from 1: second row, and two keys", "no root")
def _(Q, K):
    w = np.zeros(6)
    w[:2] = softmax(K[:2] @ Q[1])
    return w


@wrong("sat_row", "takes d_k = 1 for granted: no root")
def _(Q, K):
    s = np.append(K[:3] @ Q[2], [-np.inf] * 3)
    return softmax(s)


@right("sat_row", "row e_3' of the whole matrix, with a Hadamard product and diag")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    L = np.tri(6)
    S = np.where(L == 1, S, S.min() - 1)
    E = L * np.exp(S - np.max(np.where(L == 1, S, -np.inf), axis=1)[:, None])
    return (np.diag(1 / E.sum(axis=1)) @ E)[2, :]


# ---- 07 ----
@wrong("split_heads", "heads as the fast index: head 0 gets every n_heads-th column")
def _(X, n_heads):
    n, d = X.shape
    return X.reshape(n, d // n_heads, n_heads).transpose(2, 0, 1)


@wrong("split_heads", "MATLAB's reshape, column-major, straight to the shape")
def _(X, n_heads):
    n, d = X.shape
    return np.reshape(X, (n_heads, n, d // n_heads), order="F")


@right("split_heads", "column-major reshape and a permute, as in MATLAB")
def _(X, n_heads):
    n, d = X.shape
    return np.transpose(np.reshape(X, (n, d // n_heads, n_heads), order="F"), (2, 0, 1))


@wrong("merge_heads", "column-major reshape of the stack: mixes heads and tokens")
def _(heads):
    h, n, d = heads.shape
    return heads.reshape((n, h * d), order="F")


@wrong("merge_heads", "moves the heads behind their numbers: columns interleaved")
def _(heads):
    h, n, d = heads.shape
    return np.einsum("hnd->ndh", heads).reshape(n, d * h)


@right("merge_heads", "sum of Kronecker products e_h' x A_h")
def _(heads):
    I = np.eye(len(heads))
    return sum(np.kron(I[h], A) for h, A in enumerate(heads))


@wrong("multi_head", "the root of the whole width d instead of the width of a head")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d = Q.shape[1]
    w = d // n_heads
    O = np.zeros_like(V, dtype=float)
    for h in range(n_heads):
        c = slice(h * w, (h + 1) * w)
        O[:, c] = softmax(Q[:, c] @ K[:, c].T / np.sqrt(d)) @ V[:, c]
    return O @ W_O


@wrong("multi_head", "the mean of the weights of the heads, applied to all values")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    cut = lambda M: np.stack(np.split(M, n_heads, axis=1))
    A = scaled_dot_product_attention(cut(X @ W_Q), cut(X @ W_K), cut(X @ W_V)).weights.mean(axis=0)
    return A @ (X @ W_V) @ W_O


@right("multi_head", "sum over the heads of O_h times its block of rows of W_O")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    blocks = [np.split(W, n_heads, axis=1) for W in (W_Q, W_K, W_V)] + [np.split(W_O, n_heads, axis=0)]
    out = 0
    for q, k, v, o in zip(*blocks):
        S = X @ (q @ k.T) @ X.T / np.sqrt(q.shape[1])
        out = out + softmax(S) @ X @ (v @ o)
    return out


@wrong("cross_attention", "normalises the scores over the queries", "the root of d_model")
def _(X, context, W_Q, W_K, W_V):
    S = (context @ W_K) @ (X @ W_Q).T / np.sqrt(W_Q.shape[0])
    A = softmax(S, axis=-1)
    return A.T @ (context @ W_V)


@wrong("cross_attention", "the root of d_model: a bilinear form x' W c has no d_k")
def _(X, context, W_Q, W_K, W_V):
    B = W_Q @ W_K.T
    A = softmax(X @ B @ context.T / np.sqrt(X.shape[1]))
    return A @ context @ W_V


@right("cross_attention", "bilinear form x' B c")
def _(X, context, W_Q, W_K, W_V):
    B = np.einsum("ik,jk->ij", W_Q, W_K)
    return softmax(X @ B @ context.T / np.sqrt(W_Q.shape[1])) @ context @ W_V


# ---- 08 ----
@wrong("permutation", "column convention: column j has its 1 in row order[j], the inverse")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    for j in range(n):
        P[order[j], j] = 1
    return P


@wrong("permutation", "a product of transpositions (i, order[i])")
def _(order):
    P = np.eye(len(order))
    for i, j in enumerate(order):
        P[[i, j]] = P[[j, i]]
    return P


@right("permutation", "Kronecker delta of order and column number")
def _(order):
    return np.equal.outer(np.asarray(order), np.arange(len(order))).astype(float)


@wrong("sinusoidal_positions", "complex exponential viewed as real numbers: cosine before sine")
def _(n, d_model):
    i = np.arange((d_model + 1) // 2)
    Z = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (-2 * i / d_model)))
    return Z.view(float)[:, :d_model]


@wrong("sinusoidal_positions", "exp(-log10(10000) 2i/d): natural exponential, decimal logarithm")
def _(n, d_model):
    t, k = np.arange(n)[:, None], np.arange(d_model)[None, :]
    angle = t * np.exp(-np.log10(10000) * (k - k % 2) / d_model)
    return np.where(k % 2 == 0, np.sin(angle), np.cos(angle))


@wrong("sinusoidal_positions", "places counted from 1", "i counted from 1")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(1, n + 1):
        for k in range(1, d_model + 1):
            i = (k + 1) // 2
            a = t / 10000 ** (2 * i / d_model)
            P[t - 1, k - 1] = np.sin(a) if k % 2 == 1 else np.cos(a)
    return P


@right("sinusoidal_positions", "cosine as a sine with a phase of pi/2")
def _(n, d_model):
    k = np.arange(d_model)
    return np.sin(np.outer(np.arange(n), np.exp(-np.log(10000) * (k - k % 2) / d_model)) + np.pi / 2 * (k % 2))


@wrong("add_positions", "places counted from 1: rows 1 to n of P, one too few if P has only n")
def _(X, P):
    n = X.shape[1]
    return X + P[1 : n + 1]


@odd("add_positions", "adds in place and returns the changed input")
def _(X, P):
    for k in range(X.shape[0]):
        X[k] += P[: X.shape[1]]
    return X


@right("add_positions", "selection matrix times P, and a Kronecker product with a column of ones")
def _(X, P):
    b, n, d = X.shape
    return X + np.kron(np.ones((b, 1)), np.eye(n, len(P)) @ P).reshape(b, n, d)


# ---- 09 ----
@wrong("softmax_gradient", "the plain mean of g instead of the weighted one")
def _(weights, gradient):
    return weights * (gradient - gradient.mean())


@wrong("softmax_gradient", "a gradient is a row: (1, n)")
def _(weights, gradient):
    w = weights.reshape(-1, 1)
    J = np.diagflat(w) - w @ w.T
    return gradient.reshape(1, -1) @ J


@right("softmax_gradient", "Kronecker deltas in a double sum")
def _(weights, gradient):
    n = len(weights)
    delta = np.eye(n)
    return np.array([sum(gradient[i] * weights[i] * (delta[i, j] - weights[j]) for i in range(n)) for j in range(n)])


@wrong("attention_gradient", "the average of the softmax step runs over the queries")
def _(Q, K, V, gradient):
    c = 1 / np.sqrt(Q.shape[1])
    A = softmax(c * Q @ K.T)
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=0))
    return c * dS @ K, c * dS.T @ Q, A.T @ gradient


@wrong("attention_gradient", "the root is applied to dS and once more to dK", "plain mean over the keys in the softmax step")
def _(Q, K, V, gradient):
    r = np.sqrt(Q.shape[1])
    A = softmax(Q @ K.T / r)
    dA = gradient @ V.T
    dS = A * (dA - dA.mean(axis=1)[:, None]) / r
    return dS @ K, dS.T @ Q / r, A.T @ gradient


@wrong("attention_gradient", "numerator layout: each derivative comes out transposed")
def _(Q, K, V, gradient):
    r = np.sqrt(Q.shape[1])
    A = softmax(Q @ K.T / r)
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=1, keepdims=True)) / r
    return (dS @ K).T, (dS.T @ Q).T, (A.T @ gradient).T


@right("attention_gradient", "the Jacobian of each row as a tensor, all by einsum")
def _(Q, K, V, gradient):
    c = Q.shape[1] ** -0.5
    A = softmax(c * np.einsum("id,jd->ij", Q, K))
    J = np.einsum("ij,jk->ijk", A, np.eye(len(K))) - np.einsum("ij,ik->ijk", A, A)
    dS = np.einsum("iv,jv,ijk->ik", gradient, V, J)
    return c * np.einsum("ij,jd->id", dS, K), c * np.einsum("ij,id->jd", dS, Q), np.einsum("ij,iv->jv", A, gradient)


@wrong("train_step", "cross-entropy in bits: the gradient divided by log 2")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels) / np.log(2)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


@wrong("train_step", "one coordinate after the other: b is moved with the error of the new w")
def _(w, b, X, labels, learning_rate):
    sigma = lambda z: 1 / (1 + np.exp(-z))
    n = len(labels)
    w = w - learning_rate * X.T @ (sigma(X @ w + b) - labels) / n
    b = b - learning_rate * np.mean(sigma(X @ w + b) - labels)
    return w, b


@wrong("train_step", "least squares: one more factor p(1 - p)", "divides by n twice for b")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) * p * (1 - p) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.mean()


@right("train_step", "homogeneous coordinates: a column of ones for b")
def _(w, b, X, labels, learning_rate):
    X1 = np.column_stack([X, np.ones(len(X))])
    theta = np.append(w, b)
    theta = theta - learning_rate * X1.T @ (0.5 * (1 + np.tanh(X1 @ theta / 2)) - labels) / len(X)
    return theta[:-1], theta[-1]


# ---- 10 ----
@wrong("cls_labels", "position counted without [CLS], from 0")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("cls_labels", "sentences taken for columns: a row of tokens", "counted from 1")
def _(tokens, position, target):
    return (tokens[position - 1, :] == target).astype(int)


@right("cls_labels", "indicator matrix times unit vector")
def _(tokens, position, target):
    e = np.eye(tokens.shape[1], dtype=int)[position]
    return (tokens == target).astype(int) @ e


@wrong("recall", "inner product over the norm of the labels, not the norm squared")
def _(labels, predictions):
    return labels @ predictions / np.linalg.norm(labels)


@wrong("recall", "the cosine of labels and predictions")
def _(labels, predictions):
    n = np.linalg.norm
    return labels @ predictions / max(n(labels) * n(predictions), 1e-12)


@odd("recall", "an exact fraction")
def _(labels, predictions):
    return Fraction(int(np.dot(labels, predictions)), int(np.dot(labels, labels)))


@wrong("count_weights", "collected by powers of d, and miscounted: 4 + 1 + 1 instead of 4 + 2 + 1")
def _(vocab_size, seq_len, d_model):
    d = d_model
    return 4 * d**2 + (vocab_size + seq_len + 6) * d + 1


@wrong("count_weights", "two vectors for each row, not for all rows")
def _(vocab_size, seq_len, d_model):
    return (vocab_size + seq_len) * d_model + 4 * (d_model**2 + d_model) + 2 * seq_len * d_model + d_model + 1


@wrong("count_weights", "adds a position for [CLS]", "a bias vector, not a number, at the end")
def _(vocab_size, seq_len, d_model):
    d = d_model
    return (vocab_size + seq_len + 1) * d + 4 * d * (d + 1) + 2 * d + 2 * d


@right("count_weights", "a polynomial in d by np.polyval")
def _(vocab_size, seq_len, d_model):
    return int(np.polyval([4, vocab_size + seq_len + 7, 1], d_model))


# ---- 11 ----
@wrong("balanced_accuracy", "geometric mean of the two shares")
def _(labels, predictions):
    y, p = labels, predictions
    tpr, tnr = np.mean(p[y == 1]), np.mean(1 - p[y == 0])
    return np.sqrt(tpr * tnr)


@wrong("balanced_accuracy", "Youden's J: not brought back to 0..1", "absolute value")
def _(labels, predictions):
    J = predictions[labels == 1].mean() - predictions[labels == 0].mean()
    return abs(J)


@right("balanced_accuracy", "(1 + TPR - FPR) / 2 with inner products")
def _(labels, predictions):
    y, p = np.asarray(labels, dtype=float), np.asarray(predictions, dtype=float)
    return 0.5 * (1 + y @ p / (y @ y) - (1 - y) @ p / ((1 - y) @ (1 - y)))


@wrong("uniform_attention", "rows of Euclidean length 1: 1/sqrt(n)")
def _(weights):
    n = weights.shape[-1]
    return np.ones_like(weights, dtype=float) / np.sqrt(n)


@wrong("uniform_attention", "a square matrix J/n, without the leading axes")
def _(weights):
    n = weights.shape[-1]
    return np.ones((n, n)) / n


@right("uniform_attention", "projection on the ones: weights @ (1 1')/n, since rows sum to 1")
def _(weights):
    n = weights.shape[-1]
    u = np.ones((n, 1))
    return weights @ (u @ u.T) / n


# ---- 12 ----
@wrong("verdict_label", "sign convention -1/+1, not mapped back to 0/1")
def _(good, negations):
    s = 2 * good - 1
    return s * (-1) ** negations


@wrong("verdict_label", "|good - negations|, right for no more than one negation")
def _(good, negations):
    return np.abs(good - negations)


@right("verdict_label", "the sum modulo 2, addition in Z/2")
def _(good, negations):
    return np.mod(np.add(good, negations), 2)


@wrong("twins_told_apart", "told apart read as: the two answers differ")
def _(labels, predictions):
    return np.mean(predictions[0::2] != predictions[1::2])


@wrong("twins_told_apart", "all neighbours, overlapping pairs")
def _(labels, predictions):
    r = (labels == predictions).astype(int)
    return np.mean(r[:-1] * r[1:])


@wrong("twins_told_apart", "the square of the accuracy, as if the answers were independent")
def _(labels, predictions):
    return np.mean(labels == predictions) ** 2


@right("twins_told_apart", "column-major reshape (2, n/2), as in MATLAB")
def _(labels, predictions):
    r = np.reshape(labels == predictions, (2, -1), order="F")
    return np.prod(r, axis=0).mean()


@wrong("cut_edge", "an undirected edge: the adjacency matrix stays symmetric", "tokens counted from 1")
def _(n, query, key):
    A = np.ones((n, n), dtype=bool)
    A[query - 1, key - 1] = A[key - 1, query - 1] = False
    return A


@wrong("cut_edge", "De Morgan: not query AND not key cuts a row and a column")
def _(n, query, key):
    i, j = np.indices((n, n))
    return (i != query) & (j != key)


@right("cut_edge", "not of the outer product of two unit vectors")
def _(n, query, key):
    e = np.eye(n, dtype=bool)
    return np.logical_not(np.outer(e[query], e[key]))


# ---- 13 ----
@wrong("attention_bytes", "pairs without order: n(n + 1)/2, as if symmetric")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n * (n + 1) // 2 * n_layers * n_heads * bytes_per_weight


@wrong("attention_bytes", "ordered pairs of different tokens: n(n - 1)")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n_layers * n_heads * math.perm(n, 2) * bytes_per_weight


@right("attention_bytes", "sum over layers and heads of a matrix size")
def _(n, n_layers, n_heads, bytes_per_weight):
    return sum(n_heads * (n ** 2 * bytes_per_weight) for layer in range(n_layers))


@wrong("online_step", "the highest of the tile, not of all that was seen")
def _(highest, total, mixture, scores, values):
    new = scores.max()
    f = np.exp(highest - new)
    e = np.exp(scores - new)
    return new, f * total + e.sum(), f * mixture + e @ values


@wrong("online_step", "a lower tile is measured from its own maximum")
def _(highest, total, mixture, scores, values):
    m = np.max(scores)
    e = np.exp(scores - m)
    if m > highest:
        shrink = np.exp(highest - m)
        return m, total * shrink + np.sum(e), mixture * shrink + e @ values
    return highest, total + np.sum(e), mixture + e @ values


@wrong("online_step", "keeps log(total) instead of the sum", "the mixture is divided")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    t = total * np.exp(highest - new) + np.exp(scores - new).sum()
    m = (mixture * np.exp(highest - new) + np.exp(scores - new) @ values) / t
    return new, np.log(t), m


@odd("online_step", "rescales the mixture in place, so its input changes")
def _(highest, total, mixture, scores, values):
    new = np.maximum(highest, np.max(scores))
    mixture *= np.exp(highest - new)
    mixture += np.einsum("t,td->d", np.exp(scores - new), values)
    return new, total * np.exp(highest - new) + np.exp(scores - new).sum(), mixture


@wrong("cached_step", "column-major habit: the longer cache reshaped to (d, n + 1) and transposed")
def _(q, k, v, K, V):
    K = np.append(K, k).reshape(len(k), -1).T
    V = np.append(V, v).reshape(len(v), -1).T
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


@wrong("cached_step", "the root of the length of the cache", "the new token first")
def _(q, k, v, K, V):
    K, V = np.vstack([k, K]), np.vstack([v, V])
    return softmax(K @ q / np.sqrt(len(K))) @ V, K, V


@right("cached_step", "recursive mean: old output and new value mixed by their shares")
def _(q, k, v, K, V):
    r = np.sqrt(q.size)
    s, s_new = K @ q / r, k @ q / r
    m = max([s_new, *s])
    Z_old, z = np.sum(np.exp(s - m)), np.exp(s_new - m)
    out = (np.exp(s - m) @ V + z * v) / (Z_old + z)
    return out, np.r_[K, [k]], np.r_[V, [v]]


# ---- 14 ----
@wrong("batched_attention", "adds the 0/1 mask to the scores instead of 0/-inf")
def _(Q, K, V, mask):
    S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])
    A = softmax(S + mask)
    return A @ V, A


@wrong("batched_attention", "sum over the wrong index: the weights of a key's column mix the values", "no root")
def _(Q, K, V, mask):
    S = np.einsum("bhid,bhjd->bhij", Q, K)
    A = softmax(np.where(mask, S, -np.inf))
    return np.einsum("bhij,bhid->bhjd", A, V), A


@right("batched_attention", "loops over sentences and heads, padding cut away and filled with zeros")
def _(Q, K, V, mask):
    b, h, n, d = Q.shape
    A = np.zeros((b, h, n, K.shape[2]))
    for i, j in np.ndindex(b, h):
        keep = mask[i, 0, 0]
        A[i, j][:, keep] = softmax(Q[i, j] @ K[i, j][keep].T / np.sqrt(d))
    return np.einsum("bhij,bhjd->bhid", A, V), A


@wrong("previous_token", "trace with offset -1 over n instead of n - 1")
def _(weights):
    return np.trace(weights, offset=-1, axis1=1, axis2=2) / weights.shape[1]


@wrong("previous_token", "shift matrix to the other side", "mean over all n^2 entries")
def _(weights):
    n = weights.shape[-1]
    return (weights * np.eye(n, k=1)).mean(axis=(1, 2))


@right("previous_token", "trace of the head times the shift matrix")
def _(weights):
    n = weights.shape[-1]
    U = np.diag(np.ones(n - 1), 1)
    return np.einsum("hij,ji->h", weights, U) / np.trace(U @ U.T)


@wrong("mean_pooling", "keeps the tokens and reshapes to a rectangle: only if all sentences are equally long")
def _(hidden, mask):
    b, n, d = hidden.shape
    return hidden[mask].reshape(b, -1, d).mean(axis=1)


@wrong("mean_pooling", "the unit vector of the mean, for the cosine that follows")
def _(hidden, mask):
    m = np.einsum("bnd,bn->bd", hidden, mask) / mask.sum(axis=1)[:, None]
    return m / np.linalg.norm(m, axis=1, keepdims=True)


@right("mean_pooling", "weights mask/length as row vectors times the matrices")
def _(hidden, mask):
    P = mask / mask.sum(axis=1, keepdims=True)
    return (P[:, None, :] @ hidden)[:, 0, :]
