"""Answers of a school teacher of mathematics: careful with the formula, hesitant with the keyboard, new to programming."""
import math
import statistics

import numpy as np
from course_utils.attention import softmax
from course_utils.sentences import CONCEPTUAL_ROW
from unseen import odd, right, wrong

# What the cells of lesson 04 leave behind in the notebook: five words, d_k = 3, d_v = 2.
X_04 = np.array([[2, 0, 0, 0], [1, 2, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0], [0, 1, 0, 1]])
products = X_04 @ np.array([[0, 1, 0], [1, -1, 0], [1, 0, -1], [0, 1, -1]]) @ (
    X_04 @ np.array([[1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])
).T
weights = softmax(products / np.sqrt(3), axis=-1)  # (n_queries, n_keys) = (5, 5)

# ------------------------------------------------------------------------------------------------ lesson 00

wrong("first_check", "counts the comma, but not the full stop")(11)


@wrong("bag_of_words", "joins the tokens to one text and counts there, so that a word inside another word counts too")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return [text.count(word) for word in vocabulary]


# ------------------------------------------------------------------------------------------------ lesson 01


@wrong("dot_product", "the sum starts at i = 1, as in the formula of a school book")
def _(a, b):
    total = 0
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


@right("dot_product", "fsum of the products, zipped")
def _(a, b):
    return math.fsum(float(x) * float(y) for x, y in zip(a, b))


@wrong("cosine", "takes the angles of the two arrows with arctan2: only in the plane")
def _(a, b):
    alpha = np.arctan2(a[1], a[0])
    beta = np.arctan2(b[1], b[0])
    return np.cos(alpha - beta)


@wrong("one_query_scores", "rounds to two decimals, as the lesson prints")
def _(q, K):
    d_k = len(q)
    return np.round(K @ q / np.sqrt(d_k), 2)


# ------------------------------------------------------------------------------------------------ lesson 02


@wrong("softmax", "types e as 2.718")
def _(scores):
    e = 2.718
    powers = e**scores
    return powers / powers.sum()


@wrong("temperature", "// in place of /")
def _(scores, T):
    return softmax(scores // T)


@wrong("stable_softmax", "subtracts the largest absolute value of the row")
def _(scores):
    largest = np.max(np.abs(scores), axis=-1, keepdims=True)
    e = np.exp(scores - largest)
    return e / e.sum(axis=-1, keepdims=True)


# ------------------------------------------------------------------------------------------------ lesson 03


@wrong("score_variance", "the sample variance, which divides by one less than the number of scores")
def _(Q, K):
    scores = []
    for q in Q:
        for k in K:
            scores.append(float(q @ k))
    return statistics.variance(scores)


@odd("score_variance", "prints the variance, and returns nothing")
def _(Q, K):
    S = Q @ K.T
    print("variance", S.var())


@wrong("scale_for_unit_variance", "the whole-number root: right for square numbers only")
def _(d_k):
    return 1 / math.isqrt(int(d_k))


@wrong("softmax_gradient_size", "squares the weights instead of the outer product")
def _(scores):
    w = softmax(scores)
    J = np.diag(w) - w * w
    return np.abs(J).max()


@right("softmax_gradient_size", "only the largest weight: w(1 - w) is never beaten by another entry")
def _(scores):
    w = max(softmax(np.asarray(scores, dtype=float)))
    return float(w * (1 - w))


# ------------------------------------------------------------------------------------------------ lesson 04


def multiply(A, B):
    """The product of two matrices as on the blackboard."""
    C = np.zeros((len(A), len(B[0])), dtype=int)
    for i in range(len(A)):
        for j in range(len(B[0])):
            total = 0
            for k in range(0, len(B) - 1):
                total = total + A[i][k] * B[k][j]
            C[i, j] = total
    return C


@wrong("project", "the inner sum stops one term too early", "the results are cut to whole numbers")
def _(X, W_Q, W_K, W_V):
    return multiply(X, W_Q), multiply(X, W_K), multiply(X, W_V)


@wrong("scores", "d_k ** 1/2 without brackets round the exponent: half of d_k, right for d_k = 4")
def _(Q, K):
    d_k = Q.shape[-1]
    root = d_k ** 1 / 2
    return Q @ K.T / root


@wrong("weights", "return stands inside the loop: only the first row becomes weights")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    for i in range(len(S)):
        S[i] = softmax(S[i])
        return S


@wrong("attention", "mixes with `weights` of an earlier cell, not with those just computed")
def _(Q, K, V):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    Weights = softmax(S, axis=-1)
    output = weights @ V
    return output


@right("attention", "plain loops and math.exp, one query after the other")
def _(Q, K, V):
    rows = []
    for q in Q:
        s = [sum(float(a) * float(b) for a, b in zip(q, k)) / math.sqrt(len(q)) for k in K]
        top = max(s)
        e = [math.exp(x - top) for x in s]
        rows.append([sum(e[j] * float(V[j][c]) for j in range(len(V))) / sum(e) for c in range(len(V[0]))])
    return np.array(rows)


# ------------------------------------------------------------------------------------------------ lesson 05


@wrong("good_row", "counts the words from 1, so takes the query of the word before")
def _(Q, K, i):
    q = Q[i - 1]
    return softmax(K @ q / np.sqrt(len(q)))


@wrong("good_output", "two numbers, as in the lesson, whatever d_v is")
def _(weights, V):
    first = 0
    second = 0
    for j in range(len(weights)):
        first = first + weights[j] * V[j, 0]
        second = second + weights[j] * V[j, 1]
    return np.array([first, second])


wrong("conceptual_keys", "the logarithm to base 10")(
    (
        np.array([0.0, 1.0]),
        np.column_stack([np.zeros(12), np.sqrt(2) * np.log10(np.array(CONCEPTUAL_ROW))]),
    )
)

# ------------------------------------------------------------------------------------------------ lesson 06


@wrong("causal_mask", "n times the same row: [[False] * n] * n, so that all rows change together")
def _(n):
    mask = [[False] * n] * n
    for i in range(n):
        for j in range(i + 1):
            mask[i][j] = True
    return np.array(mask)


@right("masked_weights", "adds the logarithm of the mask: log 1 = 0, log 0 = -inf")
def _(Q, K, mask):
    with np.errstate(divide="ignore"):
        S = Q @ K.T / np.sqrt(K.shape[1]) + np.log(mask.astype(float))
    return softmax(S)


@wrong("padding_mask", "believes that a slice includes its end")
def _(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b in range(len(lengths)):
        last = lengths[b] - 1
        if last >= 0:
            mask[b, 0, 0:last] = True
    return mask


@wrong("mask_label", "both returns stand inside the loop: only the first pair is looked at")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i, j] > 0:
                return False
            else:
                return True
    return True


@odd("mask_label", "returns the word True or False as text")
def _(weights):
    later = 0
    for i in range(len(weights)):
        later += sum(weights[i][i + 1 :])
    if later == 0:
        return "True"
    return "False"


@wrong("sat_row", "hides sat itself too", "forgets the root of d_k")
def _(Q, K):
    s = (K @ Q[2]).astype(float)
    s[2:] = -np.inf
    return softmax(s)


# ------------------------------------------------------------------------------------------------ lesson 07


@wrong("split_heads", "two columns for each head, as in the cell above, whatever d and n_heads are")
def _(X, n_heads):
    return np.stack([X[:, 2 * h : 2 * h + 2] for h in range(n_heads)])


@right("merge_heads", "puts the heads side by side with hstack")
def _(heads):
    return np.hstack([head for head in heads])


@wrong("multi_head", "the total is set to 0 inside the loop: only the last head counts")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d_head = Q.shape[1] // n_heads
    for h in range(n_heads):
        total = np.zeros((len(X), W_O.shape[1]))
        part = slice(h * d_head, (h + 1) * d_head)
        A = softmax(Q[:, part] @ K[:, part].T / np.sqrt(d_head))
        total = total + A @ V[:, part] @ W_O[part]
    return total


@wrong("cross_attention", "divides by the root of d_model, not of d_k")
def _(X, context, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = context @ W_K
    V = context @ W_V
    d = X.shape[1]
    return softmax(Q @ K.T / np.sqrt(d)) @ V


@right("cross_attention", "one asking word after the other, with np.dot, in a list")
def _(X, context, W_Q, W_K, W_V):
    K = np.dot(context, W_K)
    V = np.dot(context, W_V)
    rows = []
    for x in X:
        q = np.dot(x, W_Q)
        rows.append(np.dot(softmax(np.dot(K, q) / len(q) ** 0.5), V))
    return np.array(rows)


# ------------------------------------------------------------------------------------------------ lesson 08


@right("permutation", "a list of lists with == in it, made an array of 0 and 1")
def _(order):
    n = len(order)
    return np.array([[1 if order[i] == j else 0 for j in range(n)] for i in range(n)])


@odd("permutation", "an np.matrix, for which * is the matrix product")
def _(order):
    P = np.matrix(np.zeros((len(order), len(order))))
    for i in range(len(order)):
        P[i, order[i]] = 1
    return P


@wrong(
    "sinusoidal_positions",
    "no brackets round the exponent 2i / d_model",
    "for an odd d_model the last sine is missing",
)
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for i in range(d_model // 2):
            P[t, 2 * i] = np.sin(t / 10000 ** (2 * i) / d_model)
            P[t, 2 * i + 1] = np.cos(t / 10000 ** (2 * i) / d_model)
    return P


@right("sinusoidal_positions", "the complex number exp(i·angle): imaginary and real part")
def _(n, d_model):
    t = np.arange(n).reshape(n, 1)
    even = np.arange(0, d_model, 2)
    z = np.exp(1j * t * 10000.0 ** (-even / d_model))
    P = np.empty((n, d_model))
    P[:, 0::2] = z.imag
    P[:, 1::2] = z.real[:, : d_model // 2]
    return P


@odd("add_positions", "adds in the loop, into the given X itself")
def _(X, P):
    for b in range(X.shape[0]):
        for t in range(X.shape[1]):
            X[b, t] += P[t]
    return X


# ------------------------------------------------------------------------------------------------ lesson 09


@wrong("softmax_gradient", "uses the average while its sum is still running")
def _(weights, gradient):
    average = 0
    result = []
    for j in range(len(weights)):
        average = average + weights[j] * gradient[j]
        result.append(weights[j] * (gradient[j] - average))
    return np.array(result)


@wrong("attention_gradient", "dQ is divided by the root of d_k, dK is not")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    A = softmax(Q @ K.T / root)
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))
    dQ = dS @ K / root
    dK = dS.T @ Q
    dV = A.T @ gradient
    return dQ, dK, dV


@wrong("train_step", "sign: exp(-Xw + b) in place of exp(-(Xw + b))", "changes the given w")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w) + b))
    error = (p - labels) / len(labels)
    w -= learning_rate * (X.T @ error)
    b -= learning_rate * error.sum()
    return w, b


# ------------------------------------------------------------------------------------------------ lesson 10


@wrong("cls_labels", "takes the first row for [CLS], and leaves it 0")
def _(tokens, position, target):
    labels = np.zeros(len(tokens), dtype=int)
    for i in range(1, len(tokens)):
        if tokens[i, position] == target:
            labels[i] = 1
    return labels


@wrong("recall", "indentation: the found ones are counted among all sentences")
def _(labels, predictions):
    total = 0
    found = 0
    for i in range(len(labels)):
        if labels[i] == 1:
            total += 1
        if predictions[i] == 1:
            found += 1
    return found / total


@wrong("count_weights", "brackets: the bias is counted once for four matrices", "no bias in the last step")
def _(vocab_size, seq_len, d_model):
    step_1 = (vocab_size + seq_len) * d_model
    step_2 = 4 * d_model * d_model + d_model
    step_3 = 2 * d_model
    step_4 = d_model
    return step_1 + step_2 + step_3 + step_4


# ------------------------------------------------------------------------------------------------ lesson 11


@wrong("balanced_accuracy", "right[labels] without == 1: the labels are taken as row numbers")
def _(labels, predictions):
    right = predictions == labels
    ones = right[labels].mean()
    zeros = right[1 - labels].mean()
    return (ones + zeros) / 2


@wrong("uniform_attention", "len(weights) for the number of keys: right for one row and for squares")
def _(weights):
    return np.full(weights.shape, 1 / len(weights))


# ------------------------------------------------------------------------------------------------ lesson 12


@right("verdict_label", "signs: +1 and -1 times (-1) to the power of the negations")
def _(good, negations):
    sign = (2 * good - 1) * (-1) ** negations
    return (sign + 1) // 2


@wrong("twins_told_apart", "== between the twins where 'and' is meant: a pair with two wrong answers counts too")
def _(labels, predictions):
    right = labels == predictions
    return np.mean(right[0::2] == right[1::2])


@wrong("cut_edge", "== in place of =: nothing is cut")
def _(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] == False  # noqa: B015, E712
    return mask


# ------------------------------------------------------------------------------------------------ lesson 13


@wrong("attention_bytes", "each pair of tokens is counted once: n(n + 1)/2", "whole numbers of NumPy overflow")
def _(n, n_layers, n_heads, bytes_per_weight):
    pairs = n * (n + 1) // 2
    return pairs * n_layers * n_heads * bytes_per_weight


@wrong("online_step", "overwrites highest before the factor is computed: the factor is always 1")
def _(highest, total, mixture, scores, values):
    highest = max(highest, scores.max())
    shrink = np.exp(highest - highest)
    e = np.exp(scores - highest)
    total = total * shrink + e.sum()
    mixture = mixture * shrink + e @ values
    return highest, total, mixture


@wrong("cached_step", "the root of the number of tokens", "the new value is put before the old ones")
def _(q, k, v, K, V):
    K = np.vstack([K, k])
    V = np.vstack([v, V])
    w = softmax(K @ q / np.sqrt(len(K)))
    return w @ V, K, V


# ------------------------------------------------------------------------------------------------ lesson 14


@right("batched_attention", "a loop over sentences and heads, the visible keys only")
def _(Q, K, V, mask):
    batch, n_heads, n, d_k = Q.shape
    output = np.zeros(V.shape)
    weights = np.zeros((batch, n_heads, n, n))
    for b in range(batch):
        seen = mask[b, 0, 0]
        for h in range(n_heads):
            S = Q[b, h] @ K[b, h][seen].T / math.sqrt(d_k)
            weights[b, h][:, seen] = softmax(S)
            output[b, h] = weights[b, h] @ V[b, h]
    return output, weights


@wrong("previous_token", "the first token joins in: column -1 is the last one")
def _(weights):
    n = weights.shape[1]
    result = []
    for head in weights:
        total = 0
        for i in range(n):
            total += head[i, i - 1]
        result.append(total / n)
    return np.array(result)


@wrong("mean_pooling", "divides by the tokens of the whole batch")
def _(hidden, mask):
    total = (hidden * mask[..., None]).sum(axis=1)
    return total / mask.sum()
