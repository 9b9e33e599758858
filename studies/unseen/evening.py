"""Answers of a career changer who learns in the evening: tired, patient, all by hand with loops and lists."""
import math

import numpy as np
from unseen import odd, right, wrong

from course_utils.attention import attention_scores, scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW

# ---------------------------------------------------------------- 00

wrong("first_check", "counts one of the two signs only")(11)


@wrong("bag_of_words", "walks through the tokens and not through the vocabulary")
def _(tokens, vocabulary):
    counts = []
    for word in tokens:
        if word in vocabulary:
            counts.append(tokens.count(word))
    return counts


@wrong("bag_of_words", "writes 1 instead of adding 1", "stops at the first unknown word instead of skipping it")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    for word in tokens:
        if word not in vocabulary:
            break
        counts[vocabulary.index(word)] = 1
    return counts


@right("bag_of_words", "a dict that is filled first, and read out in the order of the vocabulary")
def _(tokens, vocabulary):
    how_often = {}
    for word in tokens:
        if word not in how_often:
            how_often[word] = 0
        how_often[word] = how_often[word] + 1
    result = []
    for word in vocabulary:
        if word in how_often:
            result.append(how_often[word])
        else:
            result.append(0)
    return result


# ---------------------------------------------------------------- 01


@wrong("dot_product", "the return stands inside the loop, so only the first product counts")
def _(a, b):
    total = 0
    for x, y in zip(a, b):
        total = total + x * y
        return total


@wrong("dot_product", "typed =+ for +=, so only the last product is kept")
def _(a, b):
    total = 0
    for x, y in zip(a, b):
        total =+ x * y
    return total


@odd("dot_product", "endless: the while loop never counts up")
def _(a, b):
    total = 0
    i = 0
    while i < len(a):
        total = total + a[i] * b[i]
    return total


@wrong("cosine", "no brackets around the two lengths, so it multiplies with the second one")
def _(a, b):
    length_a = np.sqrt(a @ a)
    length_b = np.sqrt(b @ b)
    return a @ b / length_a * length_b


@wrong("cosine", "the length is the sum of the absolute numbers", "the sign of the dot product is lost")
def _(a, b):
    top, length_a, length_b = 0, 0, 0
    for x, y in zip(a, b):
        top = top + x * y
        length_a = length_a + abs(x)
        length_b = length_b + abs(y)
    return abs(top) / (length_a * length_b)


@right("cosine", "each vector is brought to length 1 by a loop, then the products are added")
def _(a, b):
    a = [float(x) for x in a]
    b = [float(y) for y in b]
    length_a = math.sqrt(sum([x * x for x in a]))
    length_b = math.sqrt(sum([y * y for y in b]))
    total = 0.0
    for i in range(len(a)):
        total = total + (a[i] / length_a) * (b[i] / length_b)
    return total


@wrong("one_query_scores", "takes the number of keys for d_k")
def _(q, K):
    d_k = len(K)
    scores = []
    for key in K:
        scores.append(q @ key / np.sqrt(d_k))
    return np.array(scores)


@wrong("one_query_scores", "the total is not set back to 0 for the next key")
def _(q, K):
    scores = []
    total = 0
    for key in K:
        for x, y in zip(q, key):
            total = total + x * y
        scores.append(total / np.sqrt(len(q)))
    return np.array(scores)


@right("one_query_scores", "adds column by column, and divides in each round")
def _(q, K):
    d_k = len(q)
    scores = np.zeros(len(K))
    for c in range(d_k):
        scores = scores + K[:, c] * (q[c] / math.sqrt(d_k))
    return scores


# ---------------------------------------------------------------- 02


@wrong("softmax", "divides by the sum so far, inside the loop that adds it up")
def _(scores):
    e = np.exp(scores)
    total = 0
    shares = []
    for x in e:
        total = total + x
        shares.append(x / total)
    return np.array(shares)


@odd("softmax", "prints the shares and returns nothing")
def _(scores):
    e = np.exp(scores)
    print(e / e.sum())


@wrong("temperature", "the temperature is in the exponentials, but not in the sum below")
def _(scores, T):
    e = np.exp(scores / T)
    return e / np.exp(scores).sum()


@wrong("stable_softmax", "subtracts the largest score of the whole array, so far smaller rows become 0 / 0")
def _(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "one loop over the rows, which is right for two axes only")
def _(scores):
    result = []
    for row in scores:
        e = np.exp(row - row.max())
        result.append(e / e.sum())
    return np.array(result)


@wrong("stable_softmax", "minus infinity is set to 0 before the exponential", "subtracts the maximum of axis 0")
def _(scores):
    clean = np.where(scores == -np.inf, 0, scores)
    e = np.exp(clean - clean.max(axis=0, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@right("stable_softmax", "calls itself until one row is left, then lists and math.exp")
def stable_by_lists(scores):
    if scores.ndim > 1:
        return np.array([stable_by_lists(part) for part in scores])
    highest = float(max(scores))
    e = []
    for s in scores:
        e.append(math.exp(float(s) - highest))
    total = sum(e)
    return np.array([x / total for x in e])


# ---------------------------------------------------------------- 03


@wrong("score_variance", "zip: query i meets key i only, not all keys")
def _(Q, K):
    scores = []
    for q, k in zip(Q, K):
        scores.append(q @ k)
    return np.array(scores).var()


@wrong("scale_for_unit_variance", "** 1/2 without brackets halves instead of taking the root")
def _(d_k):
    return 1 / d_k ** 1/2


@right("scale_for_unit_variance", "halves an interval until c * c * d_k is 1")
def _(d_k):
    low, high = 0.0, 1.0
    for _round in range(100):
        c = (low + high) / 2
        if c * c * d_k > 1:
            high = c
        else:
            low = c
    return high


@wrong("softmax_gradient_size", "the double loop leaves out i == j")
def _(scores):
    w = softmax(scores)
    largest = 0
    for i in range(len(w)):
        for j in range(len(w)):
            if i != j:
                largest = max(largest, abs(-w[i] * w[j]))
    return largest


@right("softmax_gradient_size", "looks at w (1 - w) only, since the other derivatives are never larger")
def _(scores):
    w = softmax(scores)
    candidates = []
    for x in w:
        candidates.append(x * (1 - x))
    return max(candidates)


# ---------------------------------------------------------------- 04


@wrong("project", "copied the line of Q, and W_Q stayed in the line of K")
def _(X, W_Q, W_K, W_V):
    Q, K, V = [], [], []
    for x in X:
        Q.append(x @ W_Q)
        K.append(x @ W_Q)
        V.append(x @ W_V)
    return np.array(Q), np.array(K), np.array(V)


@wrong("scores", "the table of zeros is square, n_queries by n_queries")
def _(Q, K):
    n = len(Q)
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(len(K)):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


@wrong("scores", "rows and columns change places", "the root of the number of keys in place of d_k")
def _(Q, K):
    d = K.shape[0]
    S = np.zeros((len(K), len(Q)))
    for i in range(len(Q)):
        for j in range(len(K)):
            S[j][i] = Q[i] @ K[j] / np.sqrt(d)
    return S


@right("scores", "three loops and lists of lists")
def _(Q, K):
    d_k = len(Q[0])
    S = []
    for q in Q:
        row = []
        for k in K:
            total = 0.0
            for c in range(d_k):
                total += float(q[c]) * float(k[c])
            row.append(total / math.sqrt(d_k))
        S.append(row)
    return np.array(S)


@wrong("weights", "one sum for the whole table, not one for each row")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max())
    total = 0
    for row in E:
        for e in row:
            total += e
    return E / total


@wrong("weights", "K and Q change places in the product", "the root comes after the softmax")
def _(Q, K):
    S = K @ Q.T
    return softmax(S, axis=-1) / np.sqrt(Q.shape[-1])


@wrong("attention", "mixes V[i] where V[j] is meant")
def _(Q, K, V):
    W = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    output = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        for j in range(len(K)):
            output[i] = output[i] + W[i, j] * V[i]
    return output


@wrong("attention", "forgets the root", "the output has as many columns as Q, not as V")
def _(Q, K, V):
    n, d = Q.shape
    W = softmax(Q @ K.T, axis=-1)
    output = np.zeros((n, d))
    for i in range(n):
        for c in range(d):
            for j in range(len(K)):
                output[i, c] += W[i, j] * V[j, c]
    return output


# ---------------------------------------------------------------- 05


@wrong("good_row", "counts the words from 1")
def _(Q, K, i):
    q = Q[i - 1]
    scores = []
    for k in K:
        scores.append(k @ q / np.sqrt(len(q)))
    return softmax(np.array(scores))


@wrong("good_output", "two columns by hand, as in the lesson's own values")
def _(weights, V):
    first, second = 0, 0
    for w, v in zip(weights, V):
        first = first + w * v[0]
        second = second + w * v[1]
    return np.array([first, second])


def _without_the_root():
    q = np.array([0.0, 1.0])
    keys = np.zeros((12, 2))
    for j in range(12):
        keys[j, 1] = np.log(max(CONCEPTUAL_ROW[j], 1e-6))
    return q, keys


def _with_four_numbers():
    q = np.array([0.0, 0.0, 0.0, -2.0])
    keys = []
    for share in CONCEPTUAL_ROW:
        score = math.log(max(share, 1e-6)) + 5
        keys.append([7.0, -1.0, 0.5, score * math.sqrt(4) / -2])
    return q, np.array(keys)


wrong("conceptual_keys", "the division by the root of d_k is not undone")(_without_the_root())
right("conceptual_keys", "d_k = 4, a negative query, all scores shifted by 5, other numbers in the free columns")(
    _with_four_numbers()
)

# ---------------------------------------------------------------- 06


@wrong("causal_mask", "the two indices change places when it is written")
def _(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            if j <= i:
                mask[j, i] = True
    return mask


@wrong("masked_weights", "shares among the allowed keys, and puts all the zeros at the end of the row")
def _(Q, K, mask):
    S = attention_scores(Q, K)
    rows = []
    for i in range(len(Q)):
        allowed = []
        for j in range(len(K)):
            if mask[i, j]:
                allowed.append(S[i, j])
        row = list(softmax(np.array(allowed)))
        while len(row) < len(K):
            row.append(0.0)
        rows.append(row)
    return np.array(rows)


@wrong("masked_weights", "the mask comes after the softmax", "no root")
def _(Q, K, mask):
    W = softmax(Q @ K.T, axis=-1)
    for i in range(len(Q)):
        for j in range(len(K)):
            if not mask[i, j]:
                W[i, j] = 0
    return W


@wrong("padding_mask", "one key too many: smaller or equal")
def _(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b, length in enumerate(lengths):
        for j in range(n_keys):
            mask[b, 0, j] = j <= length
    return mask


@wrong("padding_mask", "the axis of length 1 is put in front")
def _(lengths, n_keys):
    rows = []
    for length in lengths:
        row = []
        for j in range(n_keys):
            row.append(bool(j < length))
        rows.append(row)
    return np.array([rows])


@right("padding_mask", "lists of True and False, glued together by +")
def _(lengths, n_keys):
    mask = []
    for length in lengths:
        length = int(length)
        mask.append([[True] * length + [False] * (n_keys - length)])
    return np.array(mask, dtype=bool)


@wrong("mask_label", "returns True at the first later key that is clean, without looking at the others")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i, j] > 0:
                return False
            else:
                return True
    return True


@wrong("mask_label", "rounds to two decimals, so a small leak passes")
def _(weights):
    later = np.triu(weights, 1)
    for row in later:
        for w in row:
            if round(float(w), 2) != 0:
                return False
    return True


@wrong("sat_row", "sat may not look at itself")
def _(Q, K):
    scores = []
    for j in range(6):
        if j < 2:
            scores.append(Q[2] @ K[j] / np.sqrt(Q.shape[1]))
        else:
            scores.append(-np.inf)
    return softmax(np.array(scores))


# ---------------------------------------------------------------- 07


@wrong("split_heads", "each part is n_heads wide, not d / n_heads")
def _(X, n_heads):
    heads = []
    for h in range(n_heads):
        heads.append(X[:, h * n_heads : (h + 1) * n_heads])
    return np.array(heads)


@wrong("split_heads", ".T turns all three axes, not the first two")
def _(X, n_heads):
    n = X.shape[0]
    return X.reshape(n, n_heads, -1).T


@wrong("merge_heads", "the two inner loops are nested the other way round, so the heads are shuffled like cards")
def _(heads):
    n_heads, n, d_head = heads.shape
    rows = []
    for i in range(n):
        row = []
        for c in range(d_head):
            for h in range(n_heads):
                row.append(heads[h, i, c])
        rows.append(row)
    return np.array(rows)


@wrong("multi_head", "the values of every head are those of head 0")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    size = Q.shape[1] // n_heads
    outputs = []
    for h in range(n_heads):
        a, b = h * size, (h + 1) * size
        result = scaled_dot_product_attention(Q[:, a:b], K[:, a:b], V[:, :size])
        outputs.append(result.output)
    return np.hstack(outputs) @ W_O


@wrong("multi_head", "divides by the root of the whole width d", "the keys are made with W_Q")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_Q, X @ W_V
    d = Q.shape[1]
    size = d // n_heads
    outputs = []
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        W = softmax(Q[:, part] @ K[:, part].T / np.sqrt(d), axis=-1)
        outputs.append(W @ V[:, part])
    return np.concatenate(outputs, axis=1) @ W_O


@wrong("cross_attention", "W_Q and W_K change places")
def _(X, context, W_Q, W_K, W_V):
    Q = X @ W_K
    K = context @ W_Q
    V = context @ W_V
    return scaled_dot_product_attention(Q, K, V).output


# ---------------------------------------------------------------- 08


@wrong("permutation", "[[0] * n] * n is n times the same row")
def _(order):
    n = len(order)
    P = [[0] * n] * n
    for i in range(n):
        P[i][order[i]] = 1
    return np.array(P)


@wrong("permutation", "order[i - 1]: each row gets the place of the row before")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    for i in range(n):
        P[i, order[i - 1]] = 1
    return P


@right("permutation", "asks each pair whether it belongs together, 1.0 or 0.0")
def _(order):
    P = []
    for place in order:
        row = []
        for column in range(len(order)):
            row.append(1.0 if column == place else 0.0)
        P.append(row)
    return np.array(P)


@wrong("sinusoidal_positions", "the loop over pairs leaves the last column of an odd d_model at 0")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for i in range(d_model // 2):
            angle = t / 10000 ** (2 * i / d_model)
            P[t, 2 * i] = np.sin(angle)
            P[t, 2 * i + 1] = np.cos(angle)
    return P


@wrong("sinusoidal_positions", "the places start at 1", "sine and cosine change places")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for c in range(d_model):
            angle = (t + 1) / 10000 ** (c // 2 * 2 / d_model)
            if c % 2 == 1:
                P[t, c] = np.sin(angle)
            else:
                P[t, c] = np.cos(angle)
    return P


@wrong("add_positions", "writes the sums into X itself, where whole numbers cut off the decimals")
def _(X, P):
    for b in range(len(X)):
        for i in range(X.shape[1]):
            X[b, i] = X[b, i] + P[i]
    return X


@wrong("add_positions", "the first word gets no position", "all other words get the place before theirs")
def _(X, P):
    output = np.array(X, dtype=float)
    for b in range(len(X)):
        for i in range(1, X.shape[1]):
            output[b, i] = X[b, i] + P[i - 1]
    return output


# ---------------------------------------------------------------- 09


@wrong("softmax_gradient", "the plain mean of g, not the average by weight")
def _(weights, gradient):
    average = sum(gradient) / len(gradient)
    result = []
    for w, g in zip(weights, gradient):
        result.append(w * (g - average))
    return np.array(result)


@wrong("attention_gradient", "divides dQ by the root, and forgets it in dK")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    W = softmax(Q @ K.T / root, axis=-1)
    dV = W.T @ gradient
    dW = gradient @ V.T
    dS = W * (dW - (W * dW).sum(axis=-1, keepdims=True))
    dQ = dS @ K / root
    dK = dS.T @ Q
    return dQ, dK, dV


@wrong("attention_gradient", "the average in the softmax step is not weighted", "forgets the root on the way back")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    W = softmax(Q @ K.T / root, axis=-1)
    dV = np.zeros(V.shape)
    for i in range(len(Q)):
        for j in range(len(K)):
            dV[j] = dV[j] + W[i, j] * gradient[i]
    dW = gradient @ V.T
    dS = W * (dW - dW.mean(axis=-1, keepdims=True))
    return dS @ K, dS.T @ Q, dV


@wrong("train_step", "changes the old w in place")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    slope = X.T @ error
    for j in range(len(w)):
        w[j] = w[j] - learning_rate * slope[j]
    b = b - learning_rate * error.sum()
    return w, b


@wrong("train_step", "the step of b is computed with the new w already")
def _(w, b, X, labels, learning_rate):
    n = len(labels)
    p = 1 / (1 + np.exp(-(X @ w + b)))
    w = w - learning_rate * X.T @ ((p - labels) / n)
    p = 1 / (1 + np.exp(-(X @ w + b)))
    b = b - learning_rate * ((p - labels) / n).sum()
    return w, b


# ---------------------------------------------------------------- 10


@wrong("cls_labels", "asks with `is`, which is never true for the numbers of an array")
def _(tokens, position, target):
    labels = []
    for sentence in tokens:
        if sentence[position] is target:
            labels.append(1)
        else:
            labels.append(0)
    return np.array(labels)


@wrong("recall", "counts every agreement as found, also those of the zeros")
def _(labels, predictions):
    found, yes = 0, 0
    for i in range(len(labels)):
        if labels[i] == 1:
            yes = yes + 1
        if labels[i] == predictions[i]:
            found = found + 1
    return found / yes


@odd("recall", "half filled: the dots still stand in the last line")
def _(labels, predictions):
    truly = []
    for i in range(len(labels)):
        if labels[i] == 1:
            truly.append(predictions[i])
    return ...


@wrong("count_weights", "the two vectors of the normalisation are seq_len long")
def _(vocab_size, seq_len, d_model):
    step_1 = vocab_size * d_model + seq_len * d_model
    step_2 = 4 * (d_model * d_model + d_model)
    step_3 = 2 * seq_len
    step_4 = d_model + 1
    return step_1 + step_2 + step_3 + step_4


@wrong("count_weights", "the vectors of the positions are forgotten", "three matrices and not four")
def _(vocab_size, seq_len, d_model):
    total = vocab_size * d_model
    for _matrix in ("W_Q", "W_K", "W_V"):
        total = total + d_model * d_model + d_model
    total = total + 2 * d_model
    total = total + d_model + 1
    return total


# ---------------------------------------------------------------- 11


@wrong("balanced_accuracy", "the second share counts the ones among the zeros, which are the wrong answers")
def _(labels, predictions):
    ones, zeros = [], []
    for label, answer in zip(labels, predictions):
        if label == 1:
            ones.append(answer)
        else:
            zeros.append(answer)
    return (sum(ones) / len(ones) + sum(zeros) / len(zeros)) / 2


@wrong("uniform_attention", "len(weights) counts the first axis, not the keys")
def _(weights):
    share = 1 / len(weights)
    return np.full(weights.shape, share)


# ---------------------------------------------------------------- 12


@wrong("verdict_label", "any negation turns the verdict, also two of them")
def _(good, negations):
    verdicts = []
    for g, n in zip(good, negations):
        if n > 0:
            verdicts.append(1 - g)
        else:
            verdicts.append(g)
    return np.array(verdicts)


@right("verdict_label", "turns the verdict once for each negation, in a loop")
def _(good, negations):
    verdicts = []
    for g, n in zip(good, negations):
        verdict = int(g)
        for _turn in range(int(n)):
            if verdict == 1:
                verdict = 0
            else:
                verdict = 1
        verdicts.append(verdict)
    return np.array(verdicts)


@wrong("twins_told_apart", "a step of 1: each row is paired with the next one, so neighbours of two pairs count too")
def _(labels, predictions):
    apart, pairs = 0, 0
    for i in range(len(labels) - 1):
        pairs += 1
        if labels[i] == predictions[i] and labels[i + 1] == predictions[i + 1]:
            apart += 1
    return apart / pairs


@wrong("twins_told_apart", "asks only whether the two answers differ")
def _(labels, predictions):
    apart = 0
    for i in range(0, len(predictions), 2):
        if predictions[i] != predictions[i + 1]:
            apart = apart + 1
    return apart / (len(predictions) / 2)


@wrong("cut_edge", "or in place of and: a whole row and a whole column are cut")
def _(n, query, key):
    mask = []
    for i in range(n):
        row = []
        for j in range(n):
            if i == query or j == key:
                row.append(False)
            else:
                row.append(True)
        mask.append(row)
    return np.array(mask)


@right("cut_edge", "one long list of n * n, one place changed, then folded")
def _(n, query, key):
    flat = [True] * (n * n)
    flat[query * n + key] = False
    return np.array(flat).reshape(n, n)


# ---------------------------------------------------------------- 13


@wrong("attention_bytes", "counts each pair of tokens once, as with a causal mask")
def _(n, n_layers, n_heads, bytes_per_weight):
    weights = 0
    for i in range(n):
        weights = weights + (i + 1)
    return weights * n_layers * n_heads * bytes_per_weight


@wrong("online_step", "the old mixture does not shrink, only the old total does")
def _(highest, total, mixture, scores, values):
    new = max(highest, scores.max())
    e = np.exp(scores - new)
    total = total * np.exp(highest - new) + e.sum()
    mixture = mixture + e @ values
    return new, total, mixture


@wrong("online_step", "the highest of this tile only", "the factor is upside down, exp(new - old)")
def _(highest, total, mixture, scores, values):
    new = scores[0]
    for s in scores:
        if s > new:
            new = s
    factor = np.exp(new - highest) if highest > -np.inf else 0.0
    total = total * factor
    mixture = mixture * factor
    for s, v in zip(scores, values):
        total = total + np.exp(s - new)
        mixture = mixture + np.exp(s - new) * v
    return new, total, mixture


@wrong("cached_step", "looks first and makes the cache longer afterwards, so the token does not see itself")
def _(q, k, v, K, V):
    scores = []
    for old in K:
        scores.append(q @ old / np.sqrt(len(q)))
    weights = softmax(np.array(scores))
    output = weights @ V
    K = np.vstack([K, k])
    V = np.vstack([V, v])
    return output, K, V


@wrong("cached_step", "gives back the old, short cache")
def _(q, k, v, K, V):
    longer_K = np.vstack([K, k])
    longer_V = np.vstack([V, v])
    weights = softmax(longer_K @ q / np.sqrt(len(q)))
    output = weights @ longer_V
    return output, K, V


@right("cached_step", "turns the cache into lists, appends, and adds up by hand")
def _(q, k, v, K, V):
    keys = [list(map(float, row)) for row in K] + [list(map(float, k))]
    values = [list(map(float, row)) for row in V] + [list(map(float, v))]
    scores = []
    for key in keys:
        scores.append(sum([float(x) * y for x, y in zip(q, key)]) / math.sqrt(len(q)))
    highest = max(scores)
    e = [math.exp(s - highest) for s in scores]
    output = [0.0] * len(v)
    for share, value in zip(e, values):
        for c in range(len(v)):
            output[c] += share / sum(e) * value[c]
    return np.array(output), np.array(keys), np.array(values)


# ---------------------------------------------------------------- 14


@wrong("batched_attention", "mixes up n and d_k below the root")
def _(Q, K, V, mask):
    batch, n_heads, n, d_k = Q.shape
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(n)
    S = np.where(mask, S, -np.inf)
    weights = softmax(S, axis=-1)
    return weights @ V, weights


@wrong("batched_attention", "a hidden score becomes 0 and not minus infinity", "no root")
def _(Q, K, V, mask):
    output = np.zeros(V.shape)
    weights = np.zeros(Q.shape[:3] + (K.shape[2],))
    for b in range(Q.shape[0]):
        for h in range(Q.shape[1]):
            S = Q[b, h] @ K[b, h].T
            S = np.where(mask[b, 0], S, 0)
            weights[b, h] = softmax(S, axis=-1)
            output[b, h] = weights[b, h] @ V[b, h]
    return output, weights


@wrong("previous_token", "takes row 0 too, whose index -1 is the last key")
def _(weights):
    result = []
    for head in weights:
        total = 0
        for i in range(len(head)):
            total = total + head[i, i - 1]
        result.append(total / len(head))
    return np.array(result)


@right("previous_token", "two loops, and counts the tokens that have one before")
def _(weights):
    means = np.zeros(len(weights))
    for h in range(len(weights)):
        count = 0
        for i in range(1, weights.shape[1]):
            means[h] = means[h] + weights[h][i][i - 1]
            count = count + 1
        means[h] = means[h] / count
    return means


@odd("previous_token", "a generator: yield in place of append")
def _(weights):
    for head in weights:
        total = 0
        for i in range(1, len(head)):
            total = total + head[i, i - 1]
        yield total / (len(head) - 1)


@wrong("mean_pooling", "one mean over the tokens of all sentences together")
def _(hidden, mask):
    mean = hidden[mask].mean(axis=0)
    return np.array([mean for _sentence in hidden])


@wrong("mean_pooling", "the number of tokens is not set back to 0 for the next sentence")
def _(hidden, mask):
    result = []
    count = 0
    for sentence, words in zip(hidden, mask):
        total = np.zeros(hidden.shape[2])
        for i in range(len(words)):
            if words[i]:
                total = total + sentence[i]
                count = count + 1
        result.append(total / count)
    return np.array(result)
