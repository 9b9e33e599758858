"""Answers of a web developer of ten years: fluent in JavaScript and Python, NumPy for the first time."""
import math
import statistics
from functools import reduce

import numpy as np

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# ---- 00
wrong("first_check", "counts the different tokens, with a set: 'was' counts once")(len(set(REVIEW)))


@wrong("bag_of_words", "joins the tokens to one string and counts substrings: 'good' is found in 'goodness'")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return [text.count(word) for word in vocabulary]


# ---- 01
@wrong("dot_product", "reduce without a starting value: the first pair itself becomes the accumulator")
def _(a, b):
    return reduce(lambda total, pair: total + pair[0] * pair[1], zip(a, b))


@odd("dot_product", "endless: a while loop that never advances i (for a and b of length 1 or more)")
def _(a, b):
    i, total = 0, 0
    while i < len(a):
        total += a[i] * b[i]
    return total


@right("cosine", "no NumPy: zip and math.hypot")
def _(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    return dot / (math.hypot(*a) * math.hypot(*b))


@wrong("one_query_scores", "** 1/2 is (.. ** 1) / 2: divides by d_k and then by 2")
def _(q, K):
    return K @ q / len(q) ** 1/2


# ---- 02
@wrong("softmax", "rounds the weights to two decimals, as the lesson prints them (toFixed)")
def _(scores):
    exps = np.exp(scores)
    return (exps / exps.sum()).round(2)


@odd("temperature", "divides in place: changes the caller's scores, raises for whole numbers")
def _(scores, T):
    scores /= T
    return softmax(scores)


@wrong("temperature", "takes the softmax first and raises the weights to 1/T, does not share out again")
def _(scores, T):
    return softmax(scores) ** (1 / T)


@right("stable_softmax", "recursion down to single rows, math.exp and lists")
def _(scores):
    def one(row):
        if np.ndim(row[0]) > 0:
            return [one(inner) for inner in row]
        highest = max(row)
        exps = [math.exp(s - highest) for s in row]
        total = sum(exps)
        return [e / total for e in exps]

    return np.array(one(scores))


@wrong("stable_softmax", "subtracts the largest absolute score: far negative rows and rows with -inf become nan")
def _(scores):
    biggest = np.abs(scores).max(axis=-1, keepdims=True)
    exps = np.exp(scores - biggest)
    return exps / exps.sum(axis=-1, keepdims=True)


# ---- 03
@wrong("score_variance", "zip: scores query i against key i only", "statistics.variance divides by n - 1")
def _(Q, K):
    return statistics.variance([float(q @ k) for q, k in zip(Q, K)])


@right("scale_for_unit_variance", "a negative power with math.pow")
def _(d_k):
    return math.pow(d_k, -0.5)


@right("softmax_gradient_size", "only the largest weight w matters: w (1 - w)")
def _(scores):
    top = max(softmax(scores))
    return top * (1 - top)


# ---- 04
@odd("project", "parentheses that look like a tuple make a generator")
def _(X, W_Q, W_K, W_V):
    return (X @ W for W in (W_Q, W_K, W_V))


@wrong("project", "builds rows in an array like X: fractions of the matrices are cut off when X holds whole numbers")
def _(X, W_Q, W_K, W_V):
    def project_with(W):
        rows = np.zeros((len(X), W.shape[1]), dtype=X.dtype)
        for i, x in enumerate(X):
            rows[i] = x @ W
        return rows

    return project_with(W_Q), project_with(W_K), project_with(W_V)


@wrong("scores", "nested comprehension the wrong way round: keys on the rows", "root of 3 as in the lesson's example")
def _(Q, K):
    return np.array([[q @ k for q in Q] for k in K]) / math.sqrt(3)


@right("weights", "works on (keys, queries) so that no keepdims is needed, turns round at the end")
def _(Q, K):
    S = K @ Q.T / math.sqrt(len(Q[0]))
    exps = np.exp(S - S.max(axis=0))
    return (exps / exps.sum(axis=0)).T


@wrong("attention", "mixed = V is no copy: the second query gets values that the first has scaled already")
def _(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    output = []
    for row in weights:
        mixed = V
        for j, weight in enumerate(row):
            mixed[j] = mixed[j] * weight
        output.append(mixed.sum(axis=0))
    return np.array(output)


# ---- 05
@wrong("good_row", "the key of word i meets all queries", "root of the number of words")
def _(Q, K, i):
    return softmax(Q @ K[i] / np.sqrt(len(K)))


@wrong("good_output", "break instead of continue at a weight of 0")
def _(weights, V):
    output = np.zeros(V.shape[1])
    for weight, value in zip(weights, V):
        if not weight:
            break
        output += weight * value
    return output


right("conceptual_keys", "d_k = 1, a list comprehension over the logarithms")(
    (np.array([1.0]), np.array([[math.log(share)] for share in CONCEPTUAL_ROW]))
)


# ---- 06
@right("causal_mask", "np.greater_equal.outer of two ranges")
def _(n):
    return np.greater_equal.outer(range(n), range(n))


@wrong("masked_weights", "filters the visible keys and fills up zeros at the end: holds for a causal mask only")
def _(Q, K, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    rows = []
    for row, allowed in zip(scores, mask):
        visible = softmax(row[allowed])
        rows.append([*visible, *[0] * (len(row) - len(visible))])
    return np.array(rows)


@wrong("padding_mask", "mask[i][length:] slices the axis of length 1, so that nothing is hidden")
def _(lengths, n_keys):
    mask = np.ones((len(lengths), 1, n_keys), dtype=bool)
    for i, length in enumerate(lengths):
        mask[i][length:] = False
    return mask


@wrong("mask_label", "early return: the first row decides")
def _(weights):
    for i, row in enumerate(weights):
        if any(row[i + 1:]):
            return False
        return True


@odd("mask_label", "prints the verdict like console.log, and returns nothing")
def _(weights):
    print(not np.triu(weights, 1).any())


@wrong("sat_row", "[:2] leaves out sat itself", "no square root")
def _(Q, K):
    return np.array([*softmax(K[:2] @ Q[2]), 0, 0, 0, 0])


# ---- 07
@wrong("split_heads", "chunks with a step: head h gets every n_heads-th column")
def _(X, n_heads):
    return np.array([[row[h::n_heads] for row in X] for h in range(n_heads)])


@right("merge_heads", "np.hstack of the list of heads")
def _(heads):
    return np.hstack(list(heads))


@wrong("multi_head", "width of a head from d_model instead of d: holds only when the two are equal")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    size = X.shape[1] // n_heads
    outputs = []
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        outputs.append(scaled_dot_product_attention(Q[:, part], K[:, part], V[:, part])[0])
    return np.concatenate(outputs, axis=1) @ W_O


@wrong("cross_attention", "softmax along the queries, since the scores are turned only afterwards", "root of d_model instead of d_k")
def _(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    weights = softmax(K @ Q.T / np.sqrt(X.shape[-1])).T
    return weights @ V


# ---- 08
@wrong("permutation", "P[order] = 1 fills whole rows, not one place in each")
def _(order):
    P = np.zeros((len(order), len(order)))
    P[order] = 1
    return P


@wrong("sinusoidal_positions", "range(0, d_model, 2) steps by two already, and i is doubled once more")
def _(n, d_model):
    table = []
    for t in range(n):
        row = []
        for i in range(0, d_model, 2):
            angle = t / 10000 ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row[:d_model])
    return np.array(table)


@wrong("add_positions", "len(X) is the number of sentences, not of words")
def _(X, P):
    return X + P[:len(X)]


# ---- 09
@wrong("softmax_gradient", "the average is subtracted, but not multiplied by the own weight")
def _(weights, gradient):
    return weights * gradient - sum(w * g for w, g in zip(weights, gradient))


@wrong("attention_gradient", "dV is set in each round instead of added up: only the last query counts")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ K.T / root)
    dQ, dK = np.zeros(Q.shape), np.zeros(K.shape)
    for i, (q, w, g) in enumerate(zip(Q, weights, gradient)):
        dV = np.outer(w, g)
        dw = V @ g
        ds = w * (dw - w @ dw)
        dQ[i] = ds @ K / root
        dK += np.outer(ds, q) / root
    return dQ, dK, dV


@wrong("train_step", "-X @ w + b: the minus does not reach b", "no division by n")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-X @ w + b))
    error = p - labels
    return w - learning_rate * (X.T @ error), b - learning_rate * error.sum()


# ---- 10
@wrong("cls_labels", "indexOf: asks whether the FIRST target stands at the position, a decoy before it hides it")
def _(tokens, position, target):
    return np.array([int(target in row and list(row).index(target) == position) for row in tokens])


@wrong("recall", "labels as an index instead of a mask: picks sentences 0 and 1 over and over")
def _(labels, predictions):
    return predictions[labels].mean()


@wrong("count_weights", "one more row in the vocabulary for [CLS]", "a bias of d_model numbers at the end")
def _(vocab_size, seq_len, d_model):
    embeddings = (vocab_size + 1 + seq_len) * d_model
    attention = 4 * (d_model ** 2 + d_model)
    norm = 2 * d_model
    head = d_model + d_model
    return embeddings + attention + norm + head


# ---- 11
@wrong("balanced_accuracy", "/ 2 divides the second share only")
def _(labels, predictions):
    hits = predictions == labels
    return hits[labels == 1].mean() + hits[labels == 0].mean() / 2


@wrong("uniform_attention", "len(weights) is the first axis, not the keys")
def _(weights):
    return np.full(weights.shape, 1 / len(weights))


@odd("uniform_attention", "fill returns the array in JavaScript, None in NumPy; changes its input")
def _(weights):
    return weights.fill(1 / weights.shape[-1])


# ---- 12
@wrong("verdict_label", "bitwise xor with the count itself: 2 and more negations give 2, 3, ...")
def _(good, negations):
    return good ^ negations


@wrong("twins_told_apart", "zip(hits, hits[1:]) slides by one: also strangers count as a pair")
def _(labels, predictions):
    hits = labels == predictions
    pairs = [a and b for a, b in zip(hits, hits[1:])]
    return sum(pairs) / len(pairs)


@right("twins_told_apart", "two slices with step 2 and zip, plain Python counting")
def _(labels, predictions):
    hits = [p == l for p, l in zip(predictions, labels)]
    return sum(1 for a, b in zip(hits[::2], hits[1::2]) if a and b) * 2 / len(hits)


@wrong("cut_edge", "[[True] * n] * n is one row n times: the key is hidden from every query")
def _(n, query, key):
    mask = [[True] * n] * n
    mask[query][key] = False
    return np.array(mask)


# ---- 13
@wrong("attention_bytes", "int(...) around the finished product: NumPy's small whole numbers have overflowed by then")
def _(n, n_layers, n_heads, bytes_per_weight):
    return int(n * n * n_layers * n_heads * bytes_per_weight)


@wrong("online_step", "early return when the tile holds no new highest score: the tile is forgotten")
def _(highest, total, mixture, scores, values):
    new = scores.max()
    if new <= highest:
        return highest, total, mixture
    shrink = np.exp(highest - new)
    exps = np.exp(scores - new)
    return new, total * shrink + exps.sum(), mixture * shrink + exps @ values


@right("online_step", "takes the tile apart: one score and one value after the other, no array operations on the tile")
def _(highest, total, mixture, scores, values):
    mixture = [float(m) for m in mixture]
    for score, value in zip(scores, values):
        if score > highest:
            shrink = math.exp(highest - score)
            total, mixture, highest = total * shrink, [m * shrink for m in mixture], score
        part = math.exp(score - highest)
        total = total + part
        mixture = [m + part * v for m, v in zip(mixture, value)]
    return highest, total, np.array(mixture)


@wrong("cached_step", "np.append flattens, and V is given the width of the keys back (copied line)")
def _(q, k, v, K, V):
    K = np.append(K, k).reshape(-1, len(q))
    V = np.append(V, v).reshape(-1, len(q))
    weights = softmax(K @ q / np.sqrt(len(q)))
    return weights @ V, K, V


# ---- 14
@wrong("batched_attention", "zip stops at the mask's axis of length 1: only the first head comes out")
def _(Q, K, V, mask):
    outputs, weights = [], []
    for sentence in zip(Q, K, V, mask):
        pairs = []
        for q, k, v, m in zip(*sentence):
            w = softmax(np.where(m, q @ k.T / np.sqrt(q.shape[-1]), -np.inf))
            pairs.append((w @ v, w))
        outputs.append([o for o, _ in pairs])
        weights.append([w for _, w in pairs])
    return np.array(outputs), np.array(weights)


@wrong("previous_token", "range(n) starts at 0, and column -1 is the last token")
def _(weights):
    n = weights.shape[-1]
    return np.array([np.mean([head[i][i - 1] for i in range(n)]) for head in weights])


@wrong("mean_pooling", "hidden[mask] forgets the sentences, and the reshape deals the tokens out evenly")
def _(hidden, mask):
    tokens = hidden[mask].reshape(len(hidden), -1, hidden.shape[-1])
    return tokens.mean(axis=1)
