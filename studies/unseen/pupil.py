"""Answers of a bright pupil of 17, who learned Python from games and competitions and skims formulas."""
import math
import statistics
from collections import Counter
from itertools import combinations, compress
from operator import mul

import numpy as np
from course_utils.attention import softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# 00 ------------------------------------------------------------------------------------------------------------

wrong("first_check", "a set: the second 'was' is gone")(len(set(REVIEW)))


@wrong("bag_of_words", "the counts in alphabetical order, not in that of the vocabulary")
def _(tokens, vocabulary):
    d = dict.fromkeys(vocabulary, 0)
    for t in tokens:
        if t in d:
            d[t] += 1
    return [d[word] for word in sorted(d)]


@wrong("bag_of_words", "stops at the first word that is not in the vocabulary")
def _(tokens, vocabulary):
    out = [0] * len(vocabulary)
    for t in tokens:
        if t not in vocabulary:
            break
        out[vocabulary.index(t)] += 1
    return out


@right("bag_of_words", "a Counter and map")
def _(tokens, vocabulary):
    c = Counter(tokens)
    return [*map(c.__getitem__, vocabulary)]


@odd("bag_of_words", "returns a dict from word to count")
def _(tokens, vocabulary):
    return {word: tokens.count(word) for word in vocabulary}


# 01 ------------------------------------------------------------------------------------------------------------

@wrong("dot_product", "a dict of the pairs: a number that comes again in a replaces the earlier pair")
def _(a, b):
    d = dict(zip(a, b))
    return sum(x * y for x, y in d.items())


@wrong("dot_product", "the return stands inside the loop")
def _(a, b):
    total = 0
    for x, y in zip(a, b):
        total += x * y
        return total


@odd("dot_product", "endless: the while loop never moves i on")
def _(a, b):
    i = total = 0
    while i < len(a):
        total += a[i] * b[i]
    return total


@wrong("cosine", "law of cosines, without brackets around 2ab below the line")
def _(a, b):
    A, B, C = (np.linalg.norm(x) for x in (a, b, a - b))
    return (A * A + B * B - C * C) / 2 * A * B


@wrong("cosine", "makes both arrows 1 long by their largest number, not by their length")
def _(a, b):
    a = a / np.abs(a).max()
    b = b / np.abs(b).max()
    return a @ b


@wrong("one_query_scores", "the whole-number square root")
def _(q, K):
    return K @ q / math.isqrt(len(q))


@wrong("one_query_scores", "divides by the root of the number of keys", "floor division")
def _(q, K):
    return np.array([sum(x * y for x, y in zip(q, k)) for k in K]) // len(K) ** 0.5


# 02 ------------------------------------------------------------------------------------------------------------

@wrong("softmax", "a dict from score to exponential: equal scores are summed once only")
def _(scores):
    e = {s: math.exp(s) for s in scores}
    total = sum(e.values())
    return np.array([e[s] / total for s in scores])


@wrong("softmax", "returns the shares sorted, the largest first")
def _(scores):
    e = np.exp(sorted(scores, reverse=True))
    return e / e.sum()


@wrong("temperature", "protects itself against a small T: max(T, 1)")
def _(scores, T):
    return softmax(scores / max(T, 1))


@wrong("stable_softmax", "cuts scores off at ±700 in place of subtracting the largest")
def _(scores):
    e = np.exp(np.clip(scores, -700, 700))
    e[np.isneginf(scores)] = 0
    return e / e.sum(axis=-1, keepdims=True)


# 03 ------------------------------------------------------------------------------------------------------------

@wrong("score_variance", "statistics.variance divides by one less than the number of scores")
def _(Q, K):
    return statistics.variance((Q @ K.T).ravel().tolist())


@wrong("score_variance", "only query i against key i", "mean of squares minus the mean, which is not squared")
def _(Q, K):
    s = np.array([q @ k for q, k in zip(Q, K)])
    return (s ** 2).mean() - s.mean()


@wrong("scale_for_unit_variance", "d_k ** -1/2 is (d_k ** -1) / 2")
def _(d_k):
    return d_k ** -1/2


@right("scale_for_unit_variance", "halves the logarithm")
def _(d_k):
    return math.exp(-math.log(d_k) / 2)


@wrong("softmax_gradient_size", "nudges a copy; a copy of whole numbers stays whole")
def _(scores):
    h, best = 1e-6, 0
    for j in range(len(scores)):
        up = scores.copy()
        up[j] = up[j] + h
        best = max(best, abs((softmax(up) - softmax(scores)) / h).max())
    return best


@wrong("softmax_gradient_size", "only pairs of two different places")
def _(scores):
    w = softmax(scores)
    return max((x * y for x, y in combinations(w, 2)), default=0)


@right("softmax_gradient_size", "the largest weight alone decides")
def _(scores):
    w = max(softmax(scores))
    return w - w * w


# 04 ------------------------------------------------------------------------------------------------------------

@wrong("project", "fills tables of whole numbers: fractions are cut off")
def _(X, W_Q, W_K, W_V):
    out = []
    for W in (W_Q, W_K, W_V):
        table = np.zeros((len(X), len(W[0])), dtype=int)
        for i in range(len(X)):
            for j in range(len(W[0])):
                table[i, j] = sum(X[i, m] * W[m, j] for m in range(len(W)))
        out.append(table)
    return tuple(out)


@wrong("scores", "reshapes K in place of turning it")
def _(Q, K):
    d = Q.shape[-1]
    return Q @ K.reshape(d, -1) / np.sqrt(d)


@wrong("scores", "keys on the rows", "d_k of the lesson, 3, for every d_k")
def _(Q, K):
    return np.array([[q @ k for q in Q] for k in K]) / 3 ** 0.5


@wrong("weights", "shares of the largest: only the total of the last row is used for all rows")
def _(Q, K):
    e = np.exp(Q @ K.T / np.sqrt(K.shape[1]))
    for row in e:
        total = sum(row)
    return e / total


@wrong("attention", "takes the value of the best key, as in a dictionary")
def _(Q, K, V):
    return V[(Q @ K.T).argmax(axis=1)]


@wrong("attention", "the output has as many rows as V", "the output takes the whole numbers of V and cuts fractions")
def _(Q, K, V):
    out = np.zeros_like(V)
    for i, q in enumerate(Q):
        for w, v in zip(softmax(K @ q / len(q) ** 0.5), V):
            out[i] = out[i] + w * v
    return out


# 05 ------------------------------------------------------------------------------------------------------------

@wrong("good_row", "the word may not look at itself")
def _(Q, K, i):
    s = [Q[i] @ k / len(k) ** 0.5 if j != i else -np.inf for j, k in enumerate(K)]
    return softmax(np.array(s))


@wrong("good_output", "stops at the first weight of 0")
def _(weights, V):
    out = 0 * V[0]
    for w, v in zip(weights, V):
        if not w:
            break
        out = out + w * v
    return out


@right("good_output", "map and operator.mul")
def _(weights, V):
    return sum(map(mul, weights, V))


_root = np.sqrt(2)
wrong("conceptual_keys", "logarithm of base 2")(
    (np.array([0.0, 1.0]), np.array([[0, _root * math.log2(p)] for p in CONCEPTUAL_ROW]))
)
right("conceptual_keys", "d_k = 1, so there is nothing to undo")((np.ones(1), np.log(CONCEPTUAL_ROW)[:, None]))


# 06 ------------------------------------------------------------------------------------------------------------

@wrong("causal_mask", "bits of a 64-bit number: with 65 words and more the bits run out")
def _(n):
    rows = (np.int64(2) << np.arange(n)) - 1
    return ((rows[:, None] >> np.arange(n)) & 1).astype(bool)


@wrong("causal_mask", "off by one: a word does not see itself")
def _(n):
    return np.array([[j in range(i) for j in range(n)] for i in range(n)])


@right("causal_mask", "bits of Python's long numbers")
def _(n):
    return np.array([[bool((2 << i) - 1 >> j & 1) for j in range(n)] for i in range(n)])


@wrong("masked_weights", "score times mask; then every 0 counts as hidden, also a visible score of 0")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1]) * mask
    return softmax(np.where(S == 0, -np.inf, S), axis=-1)


@wrong("padding_mask", "words only where j <= length")
def _(lengths, n_keys):
    return np.array([[[j <= L for j in range(n_keys)]] for L in lengths])


@wrong("padding_mask", "sorts the lengths")
def _(lengths, n_keys):
    return np.array([[np.arange(n_keys) < L] for L in sorted(lengths)])


@right("padding_mask", "lists, repeated and added")
def _(lengths, n_keys):
    return np.array([[[True] * int(L) + [False] * (n_keys - int(L))] for L in lengths])


@wrong("mask_label", "returns at the first pair that it looks at")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i, j] == 0:
                return True
            return False
    return True


@right("mask_label", "not any, row by row")
def _(weights):
    return not any(any(row[i + 1:]) for i, row in enumerate(weights))


@wrong("sat_row", "the row takes the whole numbers of K, and shares are cut to 0")
def _(Q, K):
    row = np.zeros_like(K[:, 0])
    row[:3] = softmax(K[:3] @ Q[2] / np.sqrt(K.shape[1]))
    return row


@wrong("sat_row", "range(2) sees two keys only", "no square root")
def _(Q, K):
    s = [Q[2] @ K[j] for j in range(2)]
    return np.array([*softmax(np.array(s)), 0, 0, 0, 0])


# 07 ------------------------------------------------------------------------------------------------------------

@wrong("split_heads", "deals the columns out like cards: head h gets every n_heads-th")
def _(X, n_heads):
    return np.stack([X[:, h::n_heads] for h in range(n_heads)])


@right("split_heads", "hsplit")
def _(X, n_heads):
    return np.array(np.hsplit(X, n_heads))


@wrong("merge_heads", "dstack mixes the numbers of the heads one by one")
def _(heads):
    return np.dstack(list(heads)).reshape(heads.shape[1], -1)


@wrong("multi_head", "Q, K and V are overwritten by their first slice")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    k = Q.shape[1] // n_heads
    out = []
    for h in range(n_heads):
        Q, K, V = (M[:, h * k:(h + 1) * k] for M in (Q, K, V))
        out.append(softmax(Q @ K.T / np.sqrt(k)) @ V)
    return np.hstack(out) @ W_O


@wrong("multi_head", "scales with the whole width d", "slices one number too early: the last column of a head is lost")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d = Q.shape[1]
    k = d // n_heads
    out = np.zeros((len(X), d))
    for s in range(0, d, k):
        e = s + k - 1
        out[:, s:e] = softmax(Q[:, s:e] @ K[:, s:e].T / d ** 0.5) @ V[:, s:e]
    return out @ W_O


@wrong("cross_attention", "the root of d_model: len(W_Q) counts rows")
def _(X, context, W_Q, W_K, W_V):
    S = X @ W_Q @ (context @ W_K).T / np.sqrt(len(W_Q))
    return softmax(S, axis=-1) @ (context @ W_V)


# 08 ------------------------------------------------------------------------------------------------------------

@wrong("permutation", "swaps rows one after the other, in the matrix that is already changed")
def _(order):
    P = np.eye(len(order))
    for i, j in enumerate(order):
        P[[i, j]] = P[[j, i]]
    return P


@wrong("sinusoidal_positions", "d_model // 2 pairs: the last sine of an odd d_model stays 0")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for i in range(d_model // 2):
            a = t / 10000 ** (2 * i / d_model)
            P[t, 2 * i], P[t, 2 * i + 1] = math.sin(a), math.cos(a)
    return P


@wrong("sinusoidal_positions", "10000 ** 2 * i / d without brackets", "places from 1 to n")
def _(n, d_model):
    P = []
    for t in range(1, n + 1):
        row = []
        for j in range(d_model):
            i = j >> 1
            a = t / (10000 ** 2 * i / d_model or 1)
            row.append(math.cos(a) if j & 1 else math.sin(a))
        P.append(row)
    return np.array(P)


@wrong("add_positions", "the counter is not set back: the next sentence goes on where the last one ended")
def _(X, P):
    out, place = np.zeros(X.shape), 0
    for b in range(len(X)):
        for t in range(len(X[b])):
            out[b, t] = X[b, t] + P[place % len(P)]
            place += 1
    return out


@wrong("add_positions", "adds into X itself")
def _(X, P):
    for sentence in X:
        for word, p in zip(sentence, P):
            word += p
    return X


# 09 ------------------------------------------------------------------------------------------------------------

@wrong("softmax_gradient", "the inner sum is not set back to 0 for the next score")
def _(weights, gradient):
    n, s, out = len(weights), 0, []
    for j in range(n):
        for i in range(n):
            s += gradient[i] * weights[i] * weights[j]
        out.append(gradient[j] * weights[j] - s)
    return np.array(out)


@wrong("softmax_gradient", "leaves weights of 0 out, so that the answer is shorter")
def _(weights, gradient):
    mean = weights @ gradient
    return np.array([w * (g - mean) for w, g in zip(weights, gradient) if w])


@wrong("attention_gradient", "Q is overwritten by its gradient before K's is made")
def _(Q, K, V, gradient):
    r = Q.shape[-1] ** 0.5
    W = softmax(Q @ K.T / r)
    dW = gradient @ V.T
    dS = W * (dW - (W * dW).sum(axis=-1, keepdims=True)) / r
    Q = dS @ K
    K = dS.T @ Q
    return Q, K, W.T @ gradient


@wrong("attention_gradient", "one average for the whole matrix", "the root is missing in dQ and dK")
def _(Q, K, V, gradient):
    W = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    dW = gradient @ V.T
    dS = W * (dW - (W * dW).sum())
    return dS @ K, dS.T @ Q, W.T @ gradient


@wrong("train_step", "b is moved with the error after the move of w")
def _(w, b, X, labels, learning_rate):
    def error():
        return (1 / (1 + np.exp(-(X @ w + b))) - labels) / len(labels)
    w = w - learning_rate * X.T @ error()
    b = b - learning_rate * error().sum()
    return w, b


@wrong("train_step", "b's gradient is a mean, so it is divided by n twice", "e ** +(Xw + b)")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(X @ w + b))
    error = (p - labels) / len(X)
    return w - learning_rate * X.T @ error, b - learning_rate * error.mean()


# 10 ------------------------------------------------------------------------------------------------------------

@wrong("cls_labels", "asks where the target stands first: a second one is not seen")
def _(tokens, position, target):
    out = []
    for row in tokens.tolist():
        out.append(int(target in row and row.index(target) == position))
    return np.array(out)


@wrong("recall", "every wrong answer counts as a miss, false alarms too")
def _(labels, predictions):
    hit = miss = 0
    for y, p in zip(labels, predictions):
        if y == p == 1:
            hit += 1
        elif y != p:
            miss += 1
    return hit / (hit + miss)


@right("recall", "sets of positions")
def _(labels, predictions):
    true = {i for i, y in enumerate(labels) if y == 1}
    said = {i for i, p in enumerate(predictions) if p == 1}
    return len(true & said) / len(true)


@wrong("count_weights", "d_model ^ 2 is a bitwise xor")
def _(vocab_size, seq_len, d_model):
    return (vocab_size + seq_len) * d_model + 4 * ((d_model ^ 2) + d_model) + 2 * d_model + d_model + 1


@wrong("count_weights", "one row for each token at each position", "no bias at the end")
def _(vocab_size, seq_len, d_model):
    return d_model * (vocab_size * seq_len + 4 * (d_model + 1) + 2 + 1)


# 11 ------------------------------------------------------------------------------------------------------------

@wrong("balanced_accuracy", "a + b / 2 without brackets")
def _(labels, predictions):
    a, b = (np.mean(predictions[labels == c] == c) for c in (1, 0))
    return a + b / 2


@wrong("uniform_attention", "full_like keeps the type: whole-number weights give 0 everywhere")
def _(weights):
    return np.full_like(weights, 1 / weights.shape[-1])


@wrong("uniform_attention", "only the keys that had a weight share the row")
def _(weights):
    seen = weights > 0
    return seen / seen.sum(axis=-1, keepdims=True)


# 12 ------------------------------------------------------------------------------------------------------------

@wrong("verdict_label", "good ^ negations, with all the bits of the count")
def _(good, negations):
    return good ^ negations


@right("verdict_label", "the parity of the sum")
def _(good, negations):
    return (good + negations) % 2


@wrong("twins_told_apart", "all neighbours are pairs, also 1 and 2")
def _(labels, predictions):
    ok = labels == predictions
    pairs = [x and y for x, y in zip(ok, ok[1:])]
    return sum(pairs) / len(pairs)


@wrong("cut_edge", "n times the same list: the whole column is cut")
def _(n, query, key):
    mask = [[True] * n] * n
    mask[query][key] = False
    return np.array(mask)


@right("cut_edge", "compares the running number of each place")
def _(n, query, key):
    return np.arange(n * n).reshape(n, n) != query * n + key


# 13 ------------------------------------------------------------------------------------------------------------

@wrong("attention_bytes", "math.prod of NumPy's whole numbers: int() comes after the overflow")
def _(n, n_layers, n_heads, bytes_per_weight):
    return int(math.prod([n, n, n_layers, n_heads, bytes_per_weight]))


@wrong("online_step", "highest is overwritten before the factor is made from it: the factor is 1")
def _(highest, total, mixture, scores, values):
    highest = max(highest, max(scores))
    e = np.exp(scores - highest)
    shrink = np.exp(highest - highest)
    return highest, total * shrink + e.sum(), mixture * shrink + e @ values


@wrong("online_step", "leaves early when the tile has nothing higher: the tile is not counted")
def _(highest, total, mixture, scores, values):
    new = scores.max()
    if new <= highest:
        return highest, total, mixture
    e, f = np.exp(scores - new), np.exp(highest - new)
    return new, total * f + e.sum(), mixture * f + e @ values


@right("online_step", "one score of the tile after the other")
def _(highest, total, mixture, scores, values):
    for s, v in zip(scores, values):
        new = max(highest, s)
        f, e = math.exp(highest - new), math.exp(s - new)
        highest, total, mixture = new, total * f + e, mixture * f + e * v
    return highest, total, mixture


@wrong("cached_step", "an early return for the empty cache, which does not put the token in")
def _(q, k, v, K, V):
    if len(K) == 0:
        return v, K, V
    K, V = np.vstack([K, k]), np.vstack([V, v])
    return softmax(K @ q / len(q) ** 0.5) @ V, K, V


@wrong("cached_step", "the new token goes to the front", "root of the number of tokens")
def _(q, k, v, K, V):
    K, V = np.vstack([k, K]), np.vstack([v, V])
    return softmax(K @ q / len(K) ** 0.5) @ V, K, V


_seen = {"K": [], "V": []}


@odd("cached_step", "keeps a cache of its own between the calls, whatever K and V say")
def _(q, k, v, K, V):
    _seen["K"].append(k)
    _seen["V"].append(v)
    if any(len(old) != len(k) for old in _seen["K"]):
        _seen.update(K=[k], V=[v])
    K, V = np.array(_seen["K"]), np.array(_seen["V"])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


# 14 ------------------------------------------------------------------------------------------------------------

@wrong("batched_attention", "the mask of the first sentence for all sentences")
def _(Q, K, V, mask):
    S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])
    W = softmax(np.where(mask[0], S, -np.inf), axis=-1)
    return W @ V, W


@wrong("batched_attention", "a hidden score is the smallest score minus 1, which still weighs something")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    W = softmax(np.where(mask, S, S.min() - 1), axis=-1)
    return W @ V, W


@wrong("previous_token", "row 0 takes column -1, which is the last one")
def _(weights):
    n = weights.shape[-1]
    return np.mean([weights[:, i, i - 1] for i in range(n)], axis=0)


@wrong("previous_token", "the diagonal of the next token", "divided by n in place of n - 1")
def _(weights):
    return np.array([sum(w[i, i + 1] for i in range(len(w) - 1)) / len(w) for w in weights])


@odd("previous_token", "a generator of one number for each head")
def _(weights):
    for w in weights:
        yield np.diagonal(w, -1).mean()


@wrong("mean_pooling", "argmin finds the first padding, and 0 when there is none")
def _(hidden, mask):
    return np.array([h[:m.argmin()].mean(axis=0) for h, m in zip(hidden, mask)])


@wrong("mean_pooling", "slices the first tokens by their number: padding in front is taken for tokens")
def _(hidden, mask):
    return np.stack([h[:sum(m)].mean(axis=0) for h, m in zip(hidden, mask)])


@right("mean_pooling", "compress and sum")
def _(hidden, mask):
    return np.array([sum(compress(h, m)) / sum(m) for h, m in zip(hidden, mask)])
