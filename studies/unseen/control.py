"""Answers of a control-engineering student: fluent in MATLAB and linear algebra (columns, `*` and `.*`, transposes, norms, column-major reshape), new to NumPy."""
import numpy as np
from course_utils.attention import softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# 00 ------------------------------------------------------------------------------------------------------------------

odd("first_check", "the size as MATLAB's size() gives it, a tuple")(np.shape(REVIEW))


@wrong("bag_of_words", "compares the list with a word, which is False once and not element by element")
def _(tokens, vocabulary):
    counts = np.zeros(len(vocabulary))
    for i in range(len(vocabulary)):
        counts[i] = np.sum(tokens == vocabulary[i])
    return counts


@right("bag_of_words", "a table of comparisons, vocabulary down and tokens across, summed over the tokens")
def _(tokens, vocabulary):
    T = np.array(tokens, dtype=str)
    W = np.array(vocabulary, dtype=str)
    return np.sum(W[:, None] == T[None, :], axis=1)


# 01 ------------------------------------------------------------------------------------------------------------------

@wrong("dot_product", "starts with the first product and adds it once more in the loop")
def _(a, b):
    s = a[0] * b[0]
    for i in range(len(a)):
        s = s + a[i] * b[i]
    return s


@wrong("cosine", "the norm of the elementwise product instead of the product of the norms")
def _(a, b):
    return a @ b / np.linalg.norm(a * b)


@odd("cosine", "makes columns first and returns a (1, 1) array")
def _(a, b):
    a = a.reshape(-1, 1)
    b = b.reshape(-1, 1)
    return a.T @ b / (np.linalg.norm(a) * np.linalg.norm(b))


@wrong("one_query_scores", "length(K) of MATLAB: the larger of the two sizes serves as d_k")
def _(q, K):
    d_k = max(K.shape)
    return K @ q / np.sqrt(d_k)


# 02 ------------------------------------------------------------------------------------------------------------------

@wrong("softmax", "normalises the exponentials to length 1 (2-norm), not to sum 1")
def _(scores):
    e = np.exp(scores)
    return e / np.linalg.norm(e)


@wrong("stable_softmax", "the maximum is taken down the columns, as MATLAB's max does; the sum along the rows")
def _(scores):
    m = scores.max(axis=0, keepdims=True)
    e = np.exp(scores - m)
    return e / e.sum(axis=-1, keepdims=True)


# 03 ------------------------------------------------------------------------------------------------------------------

@wrong("score_variance", "divides by N - 1, as MATLAB's var does")
def _(Q, K):
    S = Q @ K.T
    return np.var(S.flatten(), ddof=1)


@wrong("score_variance", "the variance of each column, then their mean", "divides by N - 1")
def _(Q, K):
    S = np.matmul(Q, K.transpose())
    v = S.var(axis=0, ddof=1)
    return v.mean()


@right("scale_for_unit_variance", "one over the norm of a vector of ones")
def _(d_k):
    return 1 / np.linalg.norm(np.ones(d_k))


@wrong("softmax_gradient_size", "w @ w.T of a flat array is the inner product, not the outer one")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - w @ w.T
    return np.max(np.abs(J))


@wrong("softmax_gradient_size", "takes the inf-norm of the matrix, the largest row sum, for its largest entry")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - np.outer(w, w)
    return np.linalg.norm(J, np.inf)


# 04 ------------------------------------------------------------------------------------------------------------------

@wrong("scores", "einsum output indices exchanged: keys on the rows")
def _(Q, K):
    return np.einsum("id,jd->ji", Q, K) / np.sqrt(Q.shape[1])


@odd("scores", "np.matrix, so that * multiplies; returns a matrix")
def _(Q, K):
    Q = np.matrix(Q)
    K = np.matrix(K)
    return Q * K.T / np.sqrt(Q.shape[1])


@wrong("weights", "K Q' with a query in each column, but the softmax runs along the rows")
def _(Q, K):
    S = K @ Q.T / np.sqrt(K.shape[1])
    return softmax(S, axis=-1).T


@right("weights", "the exponentials of each row over their 1-norm")
def _(Q, K):
    S = np.inner(Q, K) / np.sqrt(Q.shape[1])
    E = np.exp(S - np.max(S, axis=1, keepdims=True))
    return E / np.linalg.norm(E, ord=1, axis=1, keepdims=True)


@wrong("attention", "divides by the root of the number of keys", "V' A transposed back is A' V: the weights are turned round")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(K.shape[0]))
    return (V.T @ A).T


# 05 ------------------------------------------------------------------------------------------------------------------

@wrong("good_row", "counts the positions from 1")
def _(Q, K, i):
    q = Q[i - 1, :]
    return softmax(K @ q / np.sqrt(K.shape[1]))


@wrong("good_output", "a row vector times a matrix stays a row vector, (1, d_v)")
def _(weights, V):
    w = weights.reshape(1, -1)
    return w @ V


_q = np.array([3.0, 4.0])
_s = np.sqrt(2) * np.log(np.maximum(CONCEPTUAL_ROW, 1e-6))  # scores wanted, root undone

wrong("conceptual_keys", "divides by the norm of q, not by its square: the scores are five times too large")(
    (_q, np.outer(_s, _q / np.linalg.norm(_q)))
)
right("conceptual_keys", "the pseudoinverse of the query (3, 4)")((_q, _s.reshape(-1, 1) @ np.linalg.pinv(_q.reshape(-1, 1))))


# 06 ------------------------------------------------------------------------------------------------------------------

@wrong("causal_mask", "meshgrid gives the column number first: rows and columns exchanged")
def _(n):
    i, j = np.meshgrid(np.arange(n), np.arange(n))
    return j <= i


@wrong("masked_weights", "the maximum of the row counts hidden keys too: a large hidden score leaves 0 / 0")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True)) * mask
    return E / E.sum(axis=1, keepdims=True)


@wrong("padding_mask", "builds it with a sentence in each column, and reshapes where it should transpose")
def _(lengths, n_keys):
    M = np.arange(n_keys)[:, None] < lengths  # n_keys x batch
    return M.reshape(len(lengths), 1, n_keys)


@wrong("mask_label", "looks at the first upper diagonal only, diag for triu")
def _(weights):
    future = np.diag(weights, 1)
    return not np.any(future)


@wrong("sat_row", "tril, then every zero is hidden: a visible score of 0 is lost", "root of the number of words for d_k")
def _(Q, K):
    S = np.tril(Q @ K.T) / np.sqrt(len(K))
    row = S[2]
    row[row == 0] = -np.inf
    return softmax(row)


# 07 ------------------------------------------------------------------------------------------------------------------

@right("split_heads", "column-major reshape with the heads last, as in MATLAB, then permute")
def _(X, n_heads):
    n, d = X.shape
    return np.transpose(np.reshape(X, (n, d // n_heads, n_heads), order="F"), (2, 0, 1))


@wrong("split_heads", "column-major reshape with the heads in the middle: a head gets every n_heads-th column")
def _(X, n_heads):
    n, d = X.shape
    Y = np.reshape(X, (n, n_heads, d // n_heads), order="F")
    return np.swapaxes(Y, 0, 1)


@right("merge_heads", "[H1 H2 H3]: hstack over the heads")
def _(heads):
    return np.hstack([H for H in heads])


@wrong("multi_head", "a head takes every n_heads-th column", "and the heads are joined in blocks")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    H = []
    for h in range(n_heads):
        q, k, v = Q[:, h::n_heads], K[:, h::n_heads], V[:, h::n_heads]
        H.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ v)
    return np.hstack(H) @ W_O


@wrong("cross_attention", "all in columns, and shape[1] is then the number of queries, not d_k")
def _(X, context, W_Q, W_K, W_V):
    Q = W_Q.T @ X.T
    K = W_K.T @ context.T
    V = W_V.T @ context.T
    A = softmax(K.T @ Q / np.sqrt(Q.shape[1]), axis=0)
    return (V @ A).T


# 08 ------------------------------------------------------------------------------------------------------------------

@right("permutation", "P(:, order) = I")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    P[:, order] = np.eye(n)
    return P


@wrong("sinusoidal_positions", "places 1 to n", "fails when d_model is odd")
def _(n, d_model):
    P = np.zeros((n, d_model))
    t = np.arange(1, n + 1).reshape(-1, 1)
    w = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    P[:, 0::2] = np.sin(t * w)
    P[:, 1::2] = np.cos(t * w)
    return P


@odd("add_positions", "writes the sum into X and returns X")
def _(X, P):
    for b in range(X.shape[0]):
        X[b, :, :] = X[b, :, :] + P[: X.shape[1], :]
    return X


# 09 ------------------------------------------------------------------------------------------------------------------

@wrong("softmax_gradient", "w * w.T of a flat array holds squares, not the outer product")
def _(weights, gradient):
    J = np.diag(weights) - weights * weights.T
    return J @ gradient


@right("attention_gradient", "query by query, with the Jacobian diag(w) - w w'")
def _(Q, K, V, gradient):
    c = 1 / np.sqrt(Q.shape[1])
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for i in range(Q.shape[0]):
        w = softmax(c * (K @ Q[i]))
        J = np.diag(w) - np.outer(w, w)
        ds = J @ (V @ gradient[i])
        dQ[i] = c * (K.T @ ds)
        dK += c * np.outer(ds, Q[i])
        dV += np.outer(w, gradient[i])
    return dQ, dK, dV


@wrong("attention_gradient", "subtracts the plain mean of the row instead of the weighted one", "dK without the root")
def _(Q, K, V, gradient):
    d_k = Q.shape[1]
    W = softmax(Q @ K.T / np.sqrt(d_k))
    dW = gradient @ V.T
    dS = W * (dW - dW.mean(axis=-1, keepdims=True))
    dQ = dS @ K / np.sqrt(d_k)
    dK = dS.T @ Q
    dV = W.T @ gradient
    return dQ, dK, dV


@wrong("train_step", "p is a column and labels a row: the error is n by n")
def _(w, b, X, labels, learning_rate):
    n = X.shape[0]
    wc = w.reshape(-1, 1)
    p = 1 / (1 + np.exp(-(X @ wc + b)))
    error = (p - labels) / n
    w_new = wc - learning_rate * (X.T @ error)
    b_new = b - learning_rate * error[:, 0].sum()
    return w_new[:, 0], b_new


# 10 ------------------------------------------------------------------------------------------------------------------

@wrong("cls_labels", "find: asks whether the first place of the target is the position")
def _(tokens, position, target):
    first = np.argmax(tokens == target, axis=1)
    found = (tokens == target).any(axis=1)
    return (found & (first == position)).astype(int)


@odd("recall", "shows the result and returns nothing, a line without semicolon")
def _(labels, predictions):
    hits = predictions[labels == 1]
    print("recall =", hits.mean())


# 11 ------------------------------------------------------------------------------------------------------------------

@wrong("balanced_accuracy", "the confusion matrix over its column sums: shares of the predictions, not of the labels")
def _(labels, predictions):
    C = np.zeros((2, 2))
    for i in range(len(labels)):
        C[int(labels[i]), int(predictions[i])] += 1
    return np.mean(np.diag(C / C.sum(axis=0)))


@wrong("uniform_attention", "[n, m] = size(weights): works in two dimensions only")
def _(weights):
    n, m = weights.shape
    return np.ones((n, m)) / m


# 12 ------------------------------------------------------------------------------------------------------------------

@right("verdict_label", "signs: +1 and -1, each negation times -1, and back to 0 and 1")
def _(good, negations):
    s = (2 * good - 1) * np.cos(np.pi * negations)
    return np.heaviside(s, 0)


@wrong("verdict_label", "logical xor takes 2 negations for true")
def _(good, negations):
    return np.logical_xor(good, negations).astype(int)


@wrong("twins_told_apart", "reshape to two rows, which pairs neighbours in MATLAB but halves in NumPy")
def _(labels, predictions):
    correct = labels == predictions
    pairs = np.reshape(correct, (2, -1))
    return np.mean(np.all(pairs, axis=0))


@right("cut_edge", "everything except e_q e_k'")
def _(n, query, key):
    I = np.eye(n)
    return np.outer(I[:, query], I[:, key]) == 0


# 13 ------------------------------------------------------------------------------------------------------------------

@wrong("attention_bytes", "squares n before it becomes a double: 32-bit sizes overflow")
def _(n, n_layers, n_heads, bytes_per_weight):
    return np.double(n * n) * n_layers * n_heads * bytes_per_weight


@wrong("online_step", "the new part of the mixture is relative to the highest score of its own tile")
def _(highest, total, mixture, scores, values):
    m = max(highest, scores.max())
    r = np.exp(highest - m)
    e = np.exp(scores - m)
    total = r * total + e.sum()
    mixture = r * mixture + values.T @ np.exp(scores - scores.max())
    return m, total, mixture


@wrong("cached_step", "append flattens, and the values are reshaped to the length of a key", "root of the number of keys for d_k")
def _(q, k, v, K, V):
    d = len(k)
    K = np.append(K, k).reshape(-1, d)
    V = np.append(V, v).reshape(-1, d)
    w = softmax(K @ q / np.sqrt(len(K)))
    return w @ V, K, V


# 14 ------------------------------------------------------------------------------------------------------------------

@wrong("batched_attention", "einsum mixes the values with the transposed weights")
def _(Q, K, V, mask):
    S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])
    W = softmax(np.where(mask, S, -np.inf), axis=-1)
    out = np.einsum("bhij,bhid->bhjd", W, V)
    return out, W


@right("previous_token", "the inner product with the shift matrix, over n - 1")
def _(weights):
    n = weights.shape[-1]
    return np.einsum("hij,ij->h", weights, np.eye(n, k=-1)) / (n - 1)


@wrong("previous_token", "the upper diagonal: the weight on the next token", "divided by n, not by n - 1")
def _(weights):
    n = weights.shape[1]
    return np.trace(weights, offset=1, axis1=1, axis2=2) / n


@wrong("mean_pooling", "one number of tokens for the whole batch")
def _(hidden, mask):
    return np.einsum("bnd,bn->bd", hidden, mask) / np.sum(mask)
