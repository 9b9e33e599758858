"""Answers of a backend engineer: ten years of Java and Go, new to NumPy, loops with explicit buffers and guards."""
import bisect
import math
import sys

import numpy as np
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW
from unseen import odd, right, wrong

# ---------------------------------------------------------------- lesson 00

wrong("first_check", "the index of the last token, counted from 0, instead of the number of tokens")(11)


def _lookup(vocabulary, token):
    at = bisect.bisect_left(vocabulary, token)
    if at < len(vocabulary) and vocabulary[at] == token:
        return at
    return -1


@wrong("bag_of_words", "binary search, which finds words only in a sorted vocabulary")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    for token in tokens:
        at = _lookup(vocabulary, token)
        if at >= 0:
            counts[at] += 1
    return counts


@wrong("bag_of_words", "counts in single bytes, so a count of 256 starts again at 0")
def _(tokens, vocabulary):
    index = {word: i for i, word in enumerate(vocabulary)}
    counts = np.zeros(len(vocabulary), dtype=np.uint8)
    for token in tokens:
        if token not in index:
            continue
        counts[index[token]] += 1
    return counts


@right("bag_of_words", "one pass with a map from word to its place, and a buffer")
def _(tokens, vocabulary):
    index = {}
    for i, word in enumerate(vocabulary):
        index[word] = i
    counts = [0] * len(vocabulary)
    for token in tokens:
        i = index.get(token, -1)
        if i == -1:
            continue
        counts[i] += 1
    return counts


# ---------------------------------------------------------------- lesson 01

@wrong("dot_product", "leaves the loop at the first 0 instead of going on to the next pair")
def _(a, b):
    if len(a) != len(b):
        raise ValueError("a and b must have the same length")
    total = 0
    for x, y in zip(a, b):
        if x == 0 or y == 0:
            break
        total += x * y
    return total


@wrong("cosine", "clamps the result to 0..1, so that opposite arrows look unrelated")
def _(a, b):
    norm_a = math.sqrt(sum(x * x for x in a))
    norm_b = math.sqrt(sum(x * x for x in b))
    if norm_a == 0 or norm_b == 0:
        return 0.0
    similarity = sum(x * y for x, y in zip(a, b)) / (norm_a * norm_b)
    return max(0.0, min(1.0, similarity))


@right("cosine", "math.hypot of both vectors and an exact sum of the products of unit vectors")
def _(a, b):
    norm_a = math.hypot(*(float(x) for x in a))
    norm_b = math.hypot(*(float(x) for x in b))
    return math.fsum((float(x) / norm_a) * (float(y) / norm_b) for x, y in zip(a, b))


@wrong("one_query_scores", "the root is cut to a whole number")
def _(q, K):
    root = int(np.sqrt(q.shape[-1]))
    return K @ q / root


@wrong("one_query_scores", "the buffer takes its type from the keys, so whole-number keys cut the scores")
def _(q, K):
    n_keys, d_k = K.shape
    out = np.zeros(n_keys, dtype=K.dtype)
    for i in range(n_keys):
        total = 0
        for j in range(d_k):
            total += K[i, j] * q[j]
        out[i] = total / math.sqrt(d_k)
    return out


# ---------------------------------------------------------------- lesson 02

@wrong("softmax", "keeps the exponentials in a map keyed by score, so equal scores enter the sum once")
def _(scores):
    exps = {float(s): math.exp(s) for s in scores}
    total = sum(exps.values())
    return np.array([exps[float(s)] / total for s in scores])


@right("softmax", "subtracts the logarithm of the sum, taken with logaddexp.reduce")
def _(scores):
    return np.exp(scores - np.logaddexp.reduce(scores))


MIN_TEMPERATURE = 1.0


@wrong("temperature", "a guard lifts every temperature below 1 to 1")
def _(scores, T):
    safe = max(float(T), MIN_TEMPERATURE)
    return softmax(scores / safe)


@wrong("stable_softmax", "starts the search for the largest at the smallest POSITIVE number (Double.MIN_VALUE)")
def _(scores):
    scores = np.asarray(scores, dtype=np.float64)
    rows = scores.reshape(-1, scores.shape[-1])
    out = np.zeros(rows.shape)
    for i in range(rows.shape[0]):
        largest = sys.float_info.min
        for s in rows[i]:
            if s > largest:
                largest = s
        exps = np.exp(rows[i] - largest)
        out[i] = exps / exps.sum()
    return out.reshape(scores.shape)


@wrong("stable_softmax", "subtracts the largest of the whole array, not of the row", "-inf is cleaned to a score of 0")
def _(scores):
    clean = np.where(np.isfinite(scores), scores, 0.0)
    e = np.exp(clean - clean.max())
    return e / e.sum(axis=-1, keepdims=True)


# ---------------------------------------------------------------- lesson 03

class _Welford:
    """Running mean and variance, as in our metrics library."""

    def __init__(self):
        self.count, self.mean, self.m2 = 0, 0.0, 0.0

    def add(self, x):
        self.count += 1
        delta = x - self.mean
        self.mean += delta / self.count
        self.m2 += delta * (x - self.mean)

    def variance(self):
        return self.m2 / (self.count - 1) if self.count > 1 else 0.0


@wrong("score_variance", "the running variance divides by the count minus 1")
def _(Q, K):
    stats = _Welford()
    for q in Q:
        for k in K:
            stats.add(float(q @ k))
    return stats.variance()


@wrong("score_variance", "scores only query i against key i, not all pairs")
def _(Q, K):
    scores = []
    for q, k in zip(Q, K):
        scores.append(float(np.dot(q, k)))
    return np.array(scores).var()


@wrong("scale_for_unit_variance", "takes the whole-number square root")
def _(d_k):
    if d_k <= 0:
        raise ValueError("d_k must be positive")
    return 1.0 / math.isqrt(int(d_k))


@wrong("softmax_gradient_size", "np.gradient of the weights: steps between neighbours, not derivatives by the scores")
def _(scores):
    w = softmax(scores)
    return float(np.abs(np.gradient(w)).max())


@wrong("softmax_gradient_size", "the inner loop starts behind the diagonal, so only pairs of different keys count")
def _(scores):
    w = softmax(scores)
    n = len(w)
    largest = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = abs(-w[i] * w[j])
            if d > largest:
                largest = d
    return largest


@right("softmax_gradient_size", "only w(1 - w) of the heaviest key, which is always the largest entry")
def _(scores):
    heaviest = float(np.max(softmax(scores)))
    return heaviest * (1.0 - heaviest)


# ---------------------------------------------------------------- lesson 04

def _matmul_int(A, B):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    out = np.zeros((n, p), dtype=int)
    for i in range(n):
        for j in range(p):
            acc = 0
            for k in range(m):
                acc += A[i, k] * B[k, j]
            out[i, j] = acc
    return out


@wrong("project", "whole-number buffers, as in the example, cut off all fractions")
def _(X, W_Q, W_K, W_V):
    return _matmul_int(X, W_Q), _matmul_int(X, W_K), _matmul_int(X, W_V)


@wrong("project", "queries and keys are written into one shared buffer, so Q holds the keys")
def _(X, W_Q, W_K, W_V):
    buffer = np.empty((X.shape[0], W_Q.shape[1]))
    Q = np.matmul(X, W_Q, out=buffer)
    K = np.matmul(X, W_K, out=buffer)
    V = np.matmul(X, W_V)
    return Q, K, V


@wrong("scores", "reshapes the keys instead of transposing them", "the root of the number of queries, not of d_k")
def _(Q, K):
    n_keys, d_k = K.shape
    turned = K.reshape(d_k, n_keys)
    return Q @ turned / np.sqrt(len(Q))


@wrong("weights", "one softmax over all pairs: the whole matrix sums to 1, not each row")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(S.ravel()).reshape(S.shape)


class AttentionWeights:
    """Stateless service."""

    def __init__(self, normalizer):
        self.normalizer = normalizer

    def __call__(self, Q, K):
        return self.normalizer(Q @ K.T / math.sqrt(Q.shape[1]))


odd("weights", "an object with __call__ and an injected softmax instead of a function")(AttentionWeights(softmax))


@wrong("attention", "the root of d_v in place of d_k", "the output buffer takes the type of Q, whole numbers cut it")
def _(Q, K, V):
    n_queries, d_v = Q.shape[0], V.shape[1]
    out = np.zeros((n_queries, d_v), dtype=Q.dtype)
    for i in range(n_queries):
        w = softmax(K @ Q[i] / math.sqrt(d_v))
        for d in range(d_v):
            out[i, d] = sum(w[j] * V[j, d] for j in range(len(w)))
    return out


@right("attention", "plain Python lists, one query and one key after the other, divided at the end")
def _(Q, K, V):
    root = math.sqrt(len(Q[0]))
    out = []
    for q in Q:
        scores = [sum(float(x) * float(y) for x, y in zip(q, k)) / root for k in K]
        top = max(scores)
        acc, total = [0.0] * len(V[0]), 0.0
        for s, v in zip(scores, V):
            e = math.exp(s - top)
            total += e
            for d in range(len(acc)):
                acc[d] += e * float(v[d])
        out.append([a / total for a in acc])
    return np.array(out)


# ---------------------------------------------------------------- lesson 05

@wrong("good_row", "the key of the word meets all queries, roles exchanged")
def _(Q, K, i):
    if i < 0 or i >= len(K):
        raise IndexError(i)
    return softmax(Q @ K[i] / np.sqrt(K.shape[1]))


@odd("good_row", "returns (weights, error) as in Go, after a log line")
def _(Q, K, i):
    if i >= Q.shape[0]:
        return None, f"index {i} out of range"
    print(f"INFO good_row: i={i} d_k={Q.shape[1]}")
    return softmax(K @ Q[i] / math.sqrt(Q.shape[1])), None


@wrong("good_output", "filters the values by weight but not the weights, so they no longer belong together")
def _(weights, V):
    kept = V[weights > 0]
    out = np.zeros(V.shape[1])
    for weight, value in zip(weights, kept):
        out += weight * value
    return out


_q = np.array([0, 1])
_keys = np.zeros((12, 2), dtype=int)
_keys[:, 1] = np.log(CONCEPTUAL_ROW) * np.sqrt(2)

wrong("conceptual_keys", "the keys stand in a whole-number buffer, which cuts the logarithms")((_q, _keys))


# ---------------------------------------------------------------- lesson 06

@wrong("causal_mask", "appends the same row object in each round, so all rows end up alike")
def _(n):
    rows = []
    row = np.zeros(n, dtype=bool)
    for i in range(n):
        row[i] = True
        rows.append(row)
    return np.array(rows)


@wrong("causal_mask", "takes the end of a slice as included, so no word may look at itself")
def _(n):
    mask = np.full((n, n), False)
    for i in range(n):
        mask[i, 0:i] = True
    return mask


@right("causal_mask", "greater_equal.outer over two ranges")
def _(n):
    places = np.arange(n)
    return np.greater_equal.outer(places, places)


HIDDEN = sys.float_info.min


@wrong("masked_weights", "hides with the smallest positive number, which is a score of about 0, not -inf")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(np.where(mask, S, HIDDEN), axis=-1)


@wrong("masked_weights", "takes a score of 0 as the mark of a hidden key, so visible keys with score 0 vanish")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1]) * mask
    S[S == 0] = -np.inf
    return softmax(S, axis=-1)


@wrong("padding_mask", "one row buffer, never cleared, so a short sentence keeps a longer one's words")
def _(lengths, n_keys):
    batch = len(lengths)
    mask = np.zeros((batch, 1, n_keys), dtype=bool)
    row = np.zeros(n_keys, dtype=bool)
    for b in range(batch):
        row[: lengths[b]] = True
        mask[b, 0] = row
    return mask


@right("padding_mask", "nested lists with a triple loop, turned into a bool array at the end")
def _(lengths, n_keys):
    result = []
    for length in lengths:
        row = []
        for j in range(n_keys):
            row.append(bool(j < length))
        result.append([row])
    return np.array(result, dtype=bool).reshape(len(lengths), 1, n_keys)


@wrong("mask_label", "cuts the sum of the later weights to a whole number, so less than 1 in all goes unseen")
def _(weights):
    leaked = int(np.triu(weights, 1).sum())
    return leaked == 0


@wrong("mask_label", "returns inside the loop, so only the first later key of the first query is tested")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i][j] > 0:
                return False
            else:
                return True
    return True


SAT = 2


@wrong("sat_row", "the row takes the type of Q, so with whole numbers the weights are cut to 0")
def _(Q, K):
    row = np.zeros(6, dtype=Q.dtype)
    row[: SAT + 1] = softmax(K[: SAT + 1] @ Q[SAT] / np.sqrt(Q.shape[1]))
    return row


@wrong("sat_row", "the slice ends before sat itself", "the root of the number of visible keys instead of d_k")
def _(Q, K):
    seen = K[0:SAT]
    row = np.zeros(6)
    row[0:SAT] = softmax(seen @ Q[SAT] / np.sqrt(len(seen)))
    return row


# ---------------------------------------------------------------- lesson 07

@wrong("split_heads", "deals the columns out in turn, round robin, instead of in blocks")
def _(X, n_heads):
    heads = []
    for h in range(n_heads):
        heads.append(X[:, h::n_heads])
    return np.array(heads)


@wrong("split_heads", "transposes and then reshapes straight to the wanted shape, which mixes tokens and columns")
def _(X, n_heads):
    n, d = X.shape
    assert d % n_heads == 0
    return X.T.reshape(n_heads, n, d // n_heads)


@right("split_heads", "copies number by number, with computed indices, into a buffer")
def _(X, n_heads):
    n, d = X.shape
    size = d // n_heads
    out = np.zeros((n_heads, n, size), dtype=X.dtype)
    for i in range(n):
        for c in range(d):
            out[c // size, i, c % size] = X[i, c]
    return out


@wrong("merge_heads", "np.dstack puts the heads on the last axis, so their columns interleave")
def _(heads):
    n = heads.shape[1]
    return np.dstack(list(heads)).reshape(n, -1)


@odd("merge_heads", "a generator that yields one merged row after the other")
def _(heads):
    n_heads, n, _ = heads.shape
    for i in range(n):
        row = []
        for h in range(n_heads):
            row.extend(heads[h, i])
        yield np.array(row)


@wrong("multi_head", "divides the scores by the root of the full width, not of one head's width")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d = Q.shape[1]
    size = d // n_heads
    out = np.zeros((X.shape[0], d))
    for h in range(n_heads):
        lo, hi = h * size, (h + 1) * size
        S = Q[:, lo:hi] @ K[:, lo:hi].T / np.sqrt(d)
        out[:, lo:hi] = softmax(S, axis=-1) @ V[:, lo:hi]
    return out @ W_O


@wrong("multi_head", "takes the width of a head from d_model, not from d", "every head reads the values of head 0")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    n, d_model = X.shape
    size = d_model // n_heads
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    out = np.zeros(Q.shape)
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        out[:, part] = scaled_dot_product_attention(Q[:, part], K[:, part], V[:, :size]).output
    return out @ W_O


@wrong("cross_attention", "an early check refuses a context of another length than X")
def _(X, context, W_Q, W_K, W_V):
    if X.shape != context.shape:
        raise ValueError(f"shape mismatch: {X.shape} vs {context.shape}")
    return scaled_dot_product_attention(X @ W_Q, context @ W_K, context @ W_V).output


# ---------------------------------------------------------------- lesson 08

@wrong("permutation", "swaps rows one after the other in place, so a later swap moves a row that was already set")
def _(order):
    P = np.eye(len(order))
    for i, source in enumerate(order):
        P[[i, source]] = P[[source, i]]
    return P


@right("permutation", "compares each wanted word with each place, as an int8 array")
def _(order):
    order = np.asarray(order)
    n = order.shape[0]
    return np.equal(order.reshape(n, 1), np.arange(n).reshape(1, n)).astype(np.int8)


@wrong("sinusoidal_positions", "whole-number division in the exponent makes it 0, so all waves are equally fast")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for c in range(d_model):
            angle = t / 10000 ** ((c // 2 * 2) // d_model)
            P[t, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return P


@wrong("sinusoidal_positions", "places run from 1 to n, not from 0", "an odd d_model: the last sine is never written")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(1, n + 1):
        for c in range(0, d_model - 1, 2):
            angle = t / math.pow(10000, c / d_model)
            P[t - 1, c] = math.sin(angle)
            P[t - 1, c + 1] = math.cos(angle)
    return P


@right("sinusoidal_positions", "one complex exponential for each pair; imaginary and real part side by side, then cut")
def _(n, d_model):
    pairs = (d_model + 1) // 2
    out = np.zeros((n, 2 * pairs))
    for i in range(pairs):
        wave = np.exp(1j * np.arange(n) * 10000.0 ** (-2 * i / d_model))
        out[:, 2 * i], out[:, 2 * i + 1] = wave.imag, wave.real
    return out[:, :d_model]


@wrong("add_positions", "takes len(X), the size of the batch, for the length of a sentence")
def _(X, P):
    n = len(X)
    if n > len(P):
        n = len(P)
    return X + P[:n]


@wrong("add_positions", "the position counter goes on from one sentence to the next instead of starting again")
def _(X, P):
    out = np.array(X, dtype=float)
    pos = 0
    for sentence in out:
        for word in sentence:
            word += P[pos % len(P)]
            pos += 1
    return out


# ---------------------------------------------------------------- lesson 09

@wrong("softmax_gradient", "the average is the plain mean over the keys with a weight, not the mean by weight")
def _(weights, gradient):
    alive = weights > 0
    if not alive.any():
        return np.zeros(len(weights))
    average = gradient[alive].mean()
    return weights * (gradient - average)


@wrong("softmax_gradient", "uses the diagonal of the Jacobian alone: a score acts on its own weight only")
def _(weights, gradient):
    n = len(weights)
    out = np.zeros(n)
    for j in range(n):
        out[j] = gradient[j] * weights[j] * (1 - weights[j])
    return out


@wrong("attention_gradient", "each query overwrites what the values got from the query before, instead of adding")
def _(Q, K, V, gradient):
    root = math.sqrt(Q.shape[1])
    W = softmax(Q @ K.T / root, axis=-1)
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for i in range(Q.shape[0]):
        dw = V @ gradient[i]
        ds = W[i] * (dw - W[i] @ dw)
        for j in range(K.shape[0]):
            dQ[i] += ds[j] * K[j] / root
            dK[j] += ds[j] * Q[i] / root
            dV[j] = W[i, j] * gradient[i]
    return dQ, dK, dV


@wrong("attention_gradient", "one average for the whole matrix instead of one for each row", "no root in dQ")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    W = softmax(Q @ K.T / root, axis=-1)
    dW = gradient @ V.T
    average = (W * dW).sum()
    dS = W * (dW - average)
    return dS @ K, dS.T @ Q / root, W.T @ gradient


def _sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


@wrong("train_step", "the copy is only a second reference, so the caller's w changes too")
def _(w, b, X, labels, learning_rate):
    new_w = w
    error = (_sigmoid(X @ w + b) - labels) / len(labels)
    new_w -= learning_rate * (X.T @ error)
    new_b = b - learning_rate * error.sum()
    return new_w, new_b


@wrong("train_step", "moves w first, and computes the gradient of b with the new w")
def _(w, b, X, labels, learning_rate):
    def errors(weights, bias):
        return (_sigmoid(X @ weights + bias) - labels) / len(labels)

    new_w = w - learning_rate * (X.T @ errors(w, b))
    new_b = b - learning_rate * errors(new_w, b).sum()
    return new_w, new_b


@odd("train_step", "returns a map with the keys w and b")
def _(w, b, X, labels, learning_rate):
    error = (_sigmoid(X @ w + b) - labels) / len(labels)
    return {"w": w - learning_rate * X.T @ error, "b": float(b - learning_rate * error.sum())}


# ---------------------------------------------------------------- lesson 10

def _index_of(row, target):
    for i, token in enumerate(row):
        if token == target:
            return i
    return -1


@wrong("cls_labels", "asks where the target stands first, and so misses it behind an earlier one")
def _(tokens, position, target):
    labels = np.zeros(len(tokens), dtype=int)
    for i in range(len(tokens)):
        labels[i] = 1 if _index_of(tokens[i], target) == position else 0
    return labels


@wrong("recall", "& binds more tightly than == in Python, so the condition is another one and raises")
def _(labels, predictions):
    found = (labels == 1 & predictions == 1).sum()
    return found / (labels == 1).sum()


@wrong("recall", "a guard returns -1 when nothing was found, although the recall is then 0")
def _(labels, predictions):
    true_positives, false_negatives = 0, 0
    for label, prediction in zip(labels, predictions):
        if label != 1:
            continue
        if prediction == 1:
            true_positives += 1
        else:
            false_negatives += 1
    if true_positives == 0:
        return -1
    return true_positives / (true_positives + false_negatives)


@right("recall", "packs label and prediction into one code and counts the four codes")
def _(labels, predictions):
    code = 2 * np.asarray(labels).astype(int) + np.asarray(predictions).astype(int)
    counts = np.bincount(code, minlength=4)
    return counts[3] / (counts[2] + counts[3])


@wrong("count_weights", "one more row for [CLS], which the vocabulary holds already")
def _(vocab_size, seq_len, d_model):
    embeddings = (vocab_size + 1) * d_model + seq_len * d_model
    attention = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model
    head = d_model + 1
    return embeddings + attention + norm + head


@wrong("count_weights", "one bias for all four matrices together", "the normalisation has one vector instead of two")
def _(vocab_size, seq_len, d_model):
    total = 0
    total += vocab_size * d_model
    total += seq_len * d_model
    total += 4 * d_model * d_model + d_model
    total += d_model
    total += d_model + 1
    return total


# ---------------------------------------------------------------- lesson 11

@wrong("balanced_accuracy", "rows and columns of the table are mixed up: shares of the predictions, not of the labels")
def _(labels, predictions):
    table = [[0, 0], [0, 0]]
    for label, prediction in zip(labels, predictions):
        table[int(prediction)][int(label)] += 1
    shares = []
    for c in (0, 1):
        total = sum(table[c])
        shares.append(table[c][c] / total if total > 0 else 0.0)
    return (shares[0] + shares[1]) / 2


@wrong("uniform_attention", "np.full_like keeps the type of the weights: with whole numbers all shares are cut to 0")
def _(weights):
    return np.full_like(weights, 1 / weights.shape[-1])


@wrong("uniform_attention", "len(weights) is the first axis, not the number of keys")
def _(weights):
    return np.full(weights.shape, 1 / len(weights))


# ---------------------------------------------------------------- lesson 12

@wrong("verdict_label", "exclusive or with the count itself, without taking its last bit")
def _(good, negations):
    return good ^ negations


@wrong("verdict_label", "~ turns a whole number into -1 or -2, not 0 or 1", "any number of negations turns the verdict")
def _(good, negations):
    return np.where(negations > 0, ~good, good)


@wrong("twins_told_apart", "the loop stops one pair too early")
def _(labels, predictions):
    n = len(labels)
    pairs = n // 2
    told = 0
    for i in range(0, n - 2, 2):
        if labels[i] == predictions[i] and labels[i + 1] == predictions[i + 1]:
            told += 1
    return told / pairs


@wrong("twins_told_apart", "every neighbour is a pair, also across pairs", "different predictions count as told apart")
def _(labels, predictions):
    told, pairs = 0, 0
    for i in range(len(predictions) - 1):
        pairs += 1
        if predictions[i] != predictions[i + 1]:
            told += 1
    return told / pairs


@right("twins_told_apart", "a map from pair number to the number of wrong answers")
def _(labels, predictions):
    errors = {}
    for i, (label, prediction) in enumerate(zip(labels, predictions)):
        errors.setdefault(i // 2, 0)
        errors[i // 2] += int(label != prediction)
    return sum(1 for count in errors.values() if count == 0) / len(errors)


@wrong("cut_edge", "all rows of the list are one and the same row, so the key is hidden from every query")
def _(n, query, key):
    rows = [[True] * n] * n
    rows[query][key] = False
    return np.array(rows)


# ---------------------------------------------------------------- lesson 13

@wrong("attention_bytes", "widens to 64 bits after the multiplication, when small NumPy integers have overflowed")
def _(n, n_layers, n_heads, bytes_per_weight):
    return int(np.int64(n * n * n_layers * n_heads * bytes_per_weight))


@wrong("online_step", "the old mixture does not shrink when a higher score comes, only the total does")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    total = total * np.exp(highest - new)
    out = np.array(mixture, dtype=float)
    for s, v in zip(scores, values):
        e = np.exp(s - new)
        total += e
        out += e * v
    return new, total, out


@wrong("online_step", "a guard turns the first -inf into 0, a highest score that nobody had", "divides in each step")
def _(highest, total, mixture, scores, values):
    if np.isinf(highest):
        highest = 0.0
    new = max(highest, float(np.max(scores)))
    shrink = math.exp(highest - new)
    e = np.exp(scores - new)
    total = total * shrink + e.sum()
    mixture = (mixture * shrink + e @ values) / total
    return new, total, mixture


@right("online_step", "takes the tile key by key, each with its own new highest score")
def _(highest, total, mixture, scores, values):
    best, acc = float(highest), float(total)
    mix = [float(m) for m in mixture]
    for s, v in zip(scores, values):
        s = float(s)
        if s > best:
            shrink = math.exp(best - s)
            acc *= shrink
            mix = [m * shrink for m in mix]
            best = s
        e = math.exp(s - best)
        acc += e
        mix = [m + e * float(x) for m, x in zip(mix, v)]
    return best, acc, np.array(mix)


@wrong("cached_step", "the guard for an empty cache returns k and v as vectors, without the row axis")
def _(q, k, v, K, V):
    if len(K) == 0:
        return v, k, v
    K = np.vstack([K, k])
    V = np.vstack([V, v])
    w = softmax(K @ q / np.sqrt(len(q)))
    return w @ V, K, V


# ---------------------------------------------------------------- lesson 14

@wrong("batched_attention", "the mask selects rows of the scores, the queries, instead of columns, the keys")
def _(Q, K, V, mask):
    batch, n_heads, n, d_k = Q.shape
    output, weights = np.zeros(V.shape), np.zeros((batch, n_heads, n, n))
    for b in range(batch):
        visible = mask[b, 0, 0]
        for h in range(n_heads):
            S = Q[b, h] @ K[b, h].T / math.sqrt(d_k)
            e = np.exp(S - S.max(axis=-1, keepdims=True))
            e[~visible] = 0.0
            total = e.sum(axis=-1, keepdims=True)
            weights[b, h] = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
            output[b, h] = weights[b, h] @ V[b, h]
    return output, weights


@wrong("batched_attention", "the third axis, n, is taken for d_k", "hides after the softmax, does not share out anew")
def _(Q, K, V, mask):
    d_k = Q.shape[2]
    S = np.matmul(Q, K.transpose(0, 1, 3, 2)) / np.sqrt(d_k)
    weights = softmax(S, axis=-1) * mask
    return np.matmul(weights, V), weights


@wrong("previous_token", "row 0 counts as well: its column -1 is the last token, not an error")
def _(weights):
    n_heads, n, _ = weights.shape
    out = np.zeros(n_heads)
    for h in range(n_heads):
        total = 0.0
        for i in range(n):
            total += weights[h, i, i - 1]
        out[h] = total / n
    return out


@wrong("previous_token", "np.diagonal with its usual axes runs through heads and queries")
def _(weights):
    return np.diagonal(weights, offset=-1).mean(axis=-1)


@wrong("mean_pooling", "counts the tokens and takes so many from the front, as if padding stood at the end only")
def _(hidden, mask):
    batch, n, d = hidden.shape
    out = np.zeros((batch, d))
    for b in range(batch):
        length = int(mask[b].sum())
        out[b] = hidden[b, :length].mean(axis=0)
    return out


@right("mean_pooling", "a loop over all cells with a running mean for each sentence")
def _(hidden, mask):
    batch, n, d = hidden.shape
    out = np.zeros((batch, d))
    for b in range(batch):
        seen = 0
        for t in range(n):
            if not mask[b, t]:
                continue
            seen += 1
            out[b] += (hidden[b, t] - out[b]) / seen
    return out
