"""Answers of a returner: Java and C years ago, back to study; explicit loops, arrays made beforehand, copies from earlier cells."""
import math

import numpy as np

from course_utils.layers import gelu
from course_utils.sentences import CONCEPTUAL_ROW
from unseen import odd, right, wrong

# ---------------------------------------------------------------- what I wrote in earlier lessons


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=-1, keepdims=True)


def causal_mask_of(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def batched_attention(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V


def split_heads(X, n_heads):
    n, d = X.shape
    return X.reshape(n, n_heads, d // n_heads).swapaxes(0, 1)


def merge_heads(heads):
    n_heads, n, d_head = heads.shape
    return heads.swapaxes(0, 1).reshape(n, n_heads * d_head)


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - X.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + epsilon) + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


# ---------------------------------------------------------------- lesson 00

wrong("fool_the_counter", "'not' stands in front of a word of blame, not of praise")(
    "the movie was bad , but the acting was amazing and it was not boring"
)

# ---------------------------------------------------------------- lesson 01


@wrong("dot_product", "keeps the products in an array of whole numbers, which cuts fractions off")
def _(a, b):
    n = len(a)
    products = np.zeros(n, dtype=int)
    for i in range(n):
        products[i] = a[i] * b[i]
    total = 0
    for i in range(n):
        total += products[i]
    return total


wrong("can_win", "lists every word with a positive product, also 'good', which has won already")(["good", "not"])

# ---------------------------------------------------------------- lesson 02


@odd("temperature", "right numbers, but divides the caller's own array in place (and raises for whole numbers)")
def _(scores, T):
    scores /= T
    e = np.exp(scores - np.max(scores))
    return e / np.sum(e)


right("softmax_axes", "a NumPy array, counted partly from the front and partly from the back")(np.array([1, -1, -2, 1]))

# ---------------------------------------------------------------- lesson 03


@wrong("score_variance", "the mean of the variances of the rows", "divides by n - 1")
def _(Q, K):
    scores = Q @ K.T
    n_queries, n_keys = scores.shape
    variances = np.zeros(n_queries)
    for i in range(n_queries):
        mean = scores[i].sum() / n_keys
        for j in range(n_keys):
            variances[i] += (scores[i, j] - mean) ** 2
        variances[i] /= n_keys - 1
    return variances.mean()


@wrong("scale_for_unit_variance", "the power -1/2 without brackets is 1 / (2 d_k); right for d_k = 4 only")
def _(d_k):
    return d_k ** -1 / 2


# ---------------------------------------------------------------- lesson 04


def multiply(A, B):
    """C[i][j] = sum over k of A[i][k] * B[k][j]"""
    rows, inner, columns = A.shape[0], A.shape[1], B.shape[1]
    C = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                C[i, j] += A[i, k] * B[k, j]
    return C


@right("project", "a matrix product of its own, with three loops")
def _(X, W_Q, W_K, W_V):
    return multiply(X, W_Q), multiply(X, W_K), multiply(X, W_V)


@wrong("weights", "the total is not set back to 0 for the next row")
def _(Q, K):
    n_queries, n_keys = len(Q), len(K)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    weights = np.zeros((n_queries, n_keys))
    total = 0.0
    for i in range(n_queries):
        highest = scores[i].max()
        for j in range(n_keys):
            weights[i, j] = math.exp(scores[i, j] - highest)
            total += weights[i, j]
        for j in range(n_keys):
            weights[i, j] /= total
    return weights


# ---------------------------------------------------------------- lesson 05


@wrong("good_row", "the key of the word meets all queries (there Q = K)", "always divides by the root of 2")
def _(Q, K, i):
    n = len(Q)
    scores = np.zeros(n)
    for j in range(n):
        scores[j] = Q[j] @ K[i] / np.sqrt(2)
    return softmax(scores)


def _twelve_keys():
    d_k = 12
    q = np.ones(d_k)
    keys = np.zeros((12, d_k))
    for j in range(12):
        keys[j, j] = math.sqrt(d_k) * (math.log(CONCEPTUAL_ROW[j]) + 5.0)  # + 5: a shift changes nothing
    return q, keys


right("conceptual_keys", "d_k = 12: each key has one place of its own, a diagonal matrix")(_twelve_keys())

# ---------------------------------------------------------------- lesson 06


@wrong("causal_mask", "[[False] * n] * n: all rows are one and the same list")
def _(n):
    mask = [[False] * n] * n
    for i in range(n):
        for j in range(n):
            if j <= i:
                mask[i][j] = True
    return np.array(mask)


@odd("padding_mask", "endless: the inner while never counts up")
def _(lengths, n_keys):
    batch = len(lengths)
    mask = np.zeros((batch, 1, n_keys), dtype=bool)
    for b in range(batch):
        j = 0
        while j < lengths[b]:
            mask[b, 0, j] = True
    return mask


@wrong("sat_row", "takes the first number of a key for its score, as with the query 1 and d_k = 1 below; never looks at Q")
def _(Q, K):
    row = np.zeros(6)
    offers = np.array([float(K[0, 0]), float(K[1, 0]), float(K[2, 0])])
    row[:3] = softmax(offers)
    return row


# ---------------------------------------------------------------- lesson 07


@wrong("batched_attention", "goes through the masks in a circle, so with (batch, 1, n, n) a head gets another sentence's mask")
def _(Q, K, V, mask):
    n_queries, d_k = Q.shape[-2:]
    n_keys, d_v = V.shape[-2:]
    masks = np.broadcast_to(mask, mask.shape[:-2] + (n_queries, n_keys)).reshape(-1, n_queries, n_keys)
    all_Q = Q.reshape(-1, n_queries, d_k)
    all_K = K.reshape(-1, n_keys, d_k)
    all_V = V.reshape(-1, n_keys, d_v)
    output = np.zeros((len(all_Q), n_queries, d_v))
    for h in range(len(all_Q)):
        scores = all_Q[h] @ all_K[h].T / np.sqrt(d_k)
        scores = np.where(masks[h % len(masks)], scores, -np.inf)
        output[h] = softmax(scores) @ all_V[h]
    return output.reshape(Q.shape[:-1] + (d_v,))


@wrong("merge_heads", "the numbers of the heads alternate: column k * n_heads + h")
def _(heads):
    n_heads, n, d_head = heads.shape
    merged = np.zeros((n, n_heads * d_head))
    for h in range(n_heads):
        for i in range(n):
            for k in range(d_head):
                merged[i, k * n_heads + h] = heads[h, i, k]
    return merged


@wrong("cross_attention", "divides by the root of d_model", "the output is made as wide as X")
def _(X, context, W_Q, W_K, W_V):
    n_queries, d_model = X.shape
    Q = X @ W_Q
    K = context @ W_K
    V = context @ W_V
    output = np.zeros((n_queries, d_model))
    for i in range(n_queries):
        weights = softmax(K @ Q[i] / np.sqrt(d_model))
        output[i] = weights @ V
    return output


# ---------------------------------------------------------------- lesson 08


@wrong("sinusoidal_positions", "j / 2 * 2 as in C: in Python it is j again, so a cosine has a speed of its own")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for j in range(d_model):
            angle = t / 10000 ** (j / 2 * 2 / d_model)
            if j % 2 == 0:
                P[t, j] = math.sin(angle)
            else:
                P[t, j] = math.cos(angle)
    return P


@wrong("rotate", "i counts columns and not pairs, and is doubled again in the speed")
def _(X):
    n, d = X.shape[-2:]
    turned = np.empty(X.shape)
    for t in range(n):
        for i in range(0, d, 2):
            theta = 10000 ** (-2 * i / d)
            c, s = math.cos(t * theta), math.sin(t * theta)
            turned[..., t, i] = c * X[..., t, i] - s * X[..., t, i + 1]
            turned[..., t, i + 1] = s * X[..., t, i] + c * X[..., t, i + 1]
    return turned


# ---------------------------------------------------------------- lesson 09


@right("softmax_gradient", "builds the Jacobian of each row with two loops")
def _(weights, gradient):
    n = weights.shape[-1]
    w = weights.reshape(-1, n)
    g = gradient.reshape(-1, n)
    result = np.zeros(w.shape)
    for r in range(len(w)):
        J = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                if i == j:
                    J[i, j] = w[r, i] * (1 - w[r, i])
                else:
                    J[i, j] = -w[r, i] * w[r, j]
        result[r] = J.T @ g[r]
    return result.reshape(weights.shape)


@right("attention_gradient", "one sentence and one query at a time, sums in arrays made beforehand")
def _(Q, K, V, gradient):
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    root = math.sqrt(Q.shape[-1])
    n_queries, n_keys = Q.shape[-2], K.shape[-2]
    for lead in np.ndindex(Q.shape[:-2]):
        for i in range(n_queries):
            w = softmax(K[lead] @ Q[lead][i] / root)
            dw = np.zeros(n_keys)
            for j in range(n_keys):
                dV[lead][j] += w[j] * gradient[lead][i]
                dw[j] = gradient[lead][i] @ V[lead][j]
            average = w @ dw
            for j in range(n_keys):
                ds = w[j] * (dw[j] - average)
                dQ[lead][i] += ds * K[lead][j] / root
                dK[lead][j] += ds * Q[lead][i] / root
    return dQ, dK, dV


# ---------------------------------------------------------------- lesson 10


@wrong("train_step", "takes a step after each film, so the next film meets new numbers", "does not divide by n")
def _(w, b, X, labels, learning_rate):
    new_w = np.array(w, dtype=float)
    new_b = float(b)
    for i in range(len(labels)):
        z = X[i] @ new_w + new_b
        p = 1 / (1 + math.exp(-z))
        error = p - labels[i]
        new_w = new_w - learning_rate * error * X[i]
        new_b = new_b - learning_rate * error
    return new_w, new_b


@wrong("without_where", "the zeros for P are made like E")
def _(E, P, w, b):
    no_places = np.zeros_like(E)
    return E, no_places, w, b


# ---------------------------------------------------------------- lesson 11


@wrong("feed_forward", "b_out is added inside the loop over the wide numbers, d_wide times")
def _(X, W_in, b_in, W_out, b_out):
    d_model, d_wide = W_in.shape
    rows = X.reshape(-1, d_model)
    output = np.zeros(rows.shape)
    for r in range(len(rows)):
        wide = gelu(rows[r] @ W_in + b_in)
        for k in range(d_wide):
            output[r] += wide[k] * W_out[k] + b_out
    return output.reshape(X.shape)


wrong("deep_stack", "the name of the row in the printed table instead of the name of the norm")(("norm before", True))

# ---------------------------------------------------------------- lesson 14


@wrong("uniform_attention", "counts the second axis, which holds the keys in (n, n_keys) only")
def _(weights):
    n_keys = weights.shape[1]
    return np.full(weights.shape, 1.0 / n_keys)


@wrong("swap", "two ifs without else: the second one takes the first back")
def _(tokens, at, one, other):
    n = len(tokens)
    changed = tokens.copy()
    place = np.zeros(n, dtype=int)
    place[:] = at
    for i in range(n):
        if changed[i, place[i]] == one:
            changed[i, place[i]] = other
        if changed[i, place[i]] != one:
            changed[i, place[i]] = one
    return changed


# ---------------------------------------------------------------- lesson 15


@right("verdict_label", "exclusive or with the last bit")
def _(good, negations):
    return good ^ (negations & 1)


@wrong("cut_edge", "'and' instead of 'or': the whole row and the whole column are cut", "numbers instead of bool")
def _(n, query, key):
    mask = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != query and j != key:
                mask[i, j] = True
    return mask


# ---------------------------------------------------------------- lesson 16


@wrong("online_step", "what the tile has mixed so far does not shrink when the scores rise within the tile")
def _(highest, total, mixture, scores, values):
    before = highest
    part = np.zeros(values.shape[1])
    for j in range(len(scores)):
        if scores[j] > highest:
            total = total * np.exp(highest - scores[j])
            highest = scores[j]
        total = total + np.exp(scores[j] - highest)
        part = part + np.exp(scores[j] - highest) * values[j]
    mixture = mixture * np.exp(before - highest) + part
    return highest, total, mixture


def _four_tools():
    tools = np.empty(4, dtype=object)
    tools[3] = "plain"
    tools[1] = "cache"
    tools[2] = "recurrent"
    tools[0] = "tiles"
    return tools


right("which_tool", "an array of objects, filled place by place")(_four_tools())

# ---------------------------------------------------------------- lesson 17

PAD = 1


@wrong("writing_loss", "the return stands inside the loop: only the first review is counted")
def _(scores, targets):
    n, T, n_words = scores.shape
    total = 0.0
    count = 0
    for b in range(n):
        for t in range(T):
            if targets[b, t] == PAD:
                continue
            row = scores[b, t]
            highest = row.max()
            log_sum = highest + math.log(np.exp(row - highest).sum())
            total += log_sum - row[targets[b, t]]
            count += 1
        return total / count


@wrong("causal_attention", "shifts by the highest score of the whole row, later words too: beside a large one the words before vanish")
def _(Q, K, V):
    n = Q.shape[-2]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    e = np.where(causal_mask_of(n), e, 0.0)
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = 1.0  # no division by zero
    return e / total @ V


@wrong("causal_attention", "later words keep the score 0 of the empty array", "the root of the number of words")
def _(Q, K, V):
    n, d_k = Q.shape[-2:]
    scores = np.zeros(Q.shape[:-1] + (n,))
    for i in range(n):
        for j in range(i + 1):
            scores[..., i, j] = (Q[..., i, :] * K[..., j, :]).sum(axis=-1) / np.sqrt(n)
    return softmax(scores) @ V


@wrong("causal_attention", "from the second word on only the words before, not the word itself")
def _(Q, K, V):
    n, d_k = Q.shape[-2:]
    output = np.zeros(Q.shape[:-1] + V.shape[-1:])
    output[..., 0, :] = V[..., 0, :]  # the first word has nobody else
    for i in range(1, n):
        everything = np.ones((1, i), dtype=bool)
        looked = batched_attention(Q[..., i : i + 1, :], K[..., :i, :], V[..., :i, :], everything)
        output[..., i, :] = looked[..., 0, :]
    return output


LONGEST = 24  # the rows of the training
MASK = causal_mask_of(LONGEST)


@wrong("causal_attention", "cuts its mask out of one of 24 words, so longer texts do not fit")
def _(Q, K, V):
    n = Q.shape[-2]
    return batched_attention(Q, K, V, MASK[:n, :n])


@wrong("causal_attention", "K.transpose(0, 1, 3, 2): serves reviews and heads only, neither one head nor none")
def _(Q, K, V):
    n = Q.shape[2]
    scores = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(Q.shape[3])
    scores = np.where(causal_mask_of(n), scores, -np.inf)
    return softmax(scores) @ V


@wrong("causal_attention", "the output is made as wide as a query")
def _(Q, K, V):
    n, d_k = Q.shape[-2:]
    output = np.zeros(Q.shape)
    for lead in np.ndindex(Q.shape[:-2]):
        for i in range(n):
            scores = K[lead][: i + 1] @ Q[lead][i] / math.sqrt(d_k)
            output[lead][i] = softmax(scores) @ V[lead][: i + 1]
    return output


@wrong("causal_attention", "the search for the highest score begins at 0, so very small scores become 0 / 0")
def _(Q, K, V):
    n, d_k = Q.shape[-2:]
    output = np.zeros(V.shape)
    for lead in np.ndindex(Q.shape[:-2]):
        for i in range(n):
            scores = np.zeros(i + 1)
            highest = 0.0
            for j in range(i + 1):
                scores[j] = Q[lead][i] @ K[lead][j] / math.sqrt(d_k)
                if scores[j] > highest:
                    highest = scores[j]
            e = np.exp(scores - highest)
            weights = e / e.sum()
            for j in range(i + 1):
                output[lead][i] += weights[j] * V[lead][j]
    return output


@right("causal_attention", "no mask at all: each word looks at a longer piece of K and V")
def _(Q, K, V):
    n = Q.shape[-2]
    rows = []
    for i in range(n):
        q = Q[..., i : i + 1, :]
        scores = (q * K[..., : i + 1, :]).sum(axis=-1) / np.sqrt(Q.shape[-1])
        weights = softmax(scores)
        rows.append((weights[..., None] * V[..., : i + 1, :]).sum(axis=-2))
    return np.stack(rows, axis=-2)


@right("causal_attention", "calls itself for each leading axis, then plain loops with the sum of one row at a time")
def look_back(Q, K, V):
    if Q.ndim > 2:
        return np.array([look_back(Q[b], K[b], V[b]) for b in range(len(Q))])
    n, d_k = Q.shape
    output = np.zeros((n, V.shape[1]))
    for i in range(n):
        scores = [float(sum(Q[i, k] * K[j, k] for k in range(d_k))) / math.sqrt(d_k) for j in range(i + 1)]
        highest = max(scores)
        total = 0.0
        for j in range(i + 1):
            share = math.exp(scores[j] - highest)
            total += share
            output[i] += share * V[j]
        output[i] /= total
    return output


@odd("causal_attention", "returns lists of lists of rows, filled with append, not an array")
def list_back(Q, K, V):
    output = []
    if Q.ndim > 2:
        for b in range(len(Q)):
            output.append(list_back(Q[b], K[b], V[b]))
        return output
    for i in range(len(Q)):
        weights = softmax(K[: i + 1] @ Q[i] / np.sqrt(Q.shape[1]))
        output.append((weights @ V[: i + 1]).tolist())
    return output


@wrong("block_step", "the new token stands first in the cache")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = layer_norm(x, gains[0], biases[0])
    q = inside @ W[0]
    K = np.vstack([inside @ W[1], K])
    V = np.vstack([inside @ W[2], V])
    mask = np.ones((1, len(K)), dtype=bool)
    heads = batched_attention(split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads), mask)
    x = x + merge_heads(heads)[0] @ W[3]
    inside = layer_norm(x, gains[1], biases[1])
    return x + feed_forward(inside, W_in, b_in, W_out, b_out), K, V


@wrong("block_step", "the second norm is a copied line and takes row 0 of gains and biases")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    inside = layer_norm(x, gains[0], biases[0])
    q, k, v = inside @ W[0], inside @ W[1], inside @ W[2]
    K = np.concatenate([K, k[None]])
    V = np.concatenate([V, v[None]])
    everything = np.ones((1, len(K)), dtype=bool)
    looked = batched_attention(split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads), everything)
    first = x + merge_heads(looked)[0] @ W[3]
    inside = layer_norm(first, gains[0], biases[0])
    second = first + feed_forward(inside, W_in, b_in, W_out, b_out)
    return second, K, V


@wrong("block_step", "each head divides by the root of d_model", "the second sum adds the x from the very beginning")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    d_model = len(x)
    d_head = d_model // n_heads
    inside = layer_norm(x, gains[0], biases[0])
    q = inside @ W[0]
    K = np.vstack([K, inside @ W[1]])
    V = np.vstack([V, inside @ W[2]])
    looked = np.zeros(d_model)
    for h in range(n_heads):
        part = slice(h * d_head, (h + 1) * d_head)
        weights = softmax(K[:, part] @ q[part] / np.sqrt(d_model))
        looked[part] = weights @ V[:, part]
    first = x + looked @ W[3]
    thought = feed_forward(layer_norm(first, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x + thought, K, V


@right("block_step", "a loop over heads and keys, and a new cache made beforehand, one row longer")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    n, d_model = K.shape
    d_head = d_model // n_heads
    inside = layer_norm(x, gains[0], biases[0])
    q = inside @ W[0]
    new_K = np.zeros((n + 1, d_model))
    new_V = np.zeros((n + 1, d_model))
    for i in range(n):
        new_K[i] = K[i]
        new_V[i] = V[i]
    new_K[n] = inside @ W[1]
    new_V[n] = inside @ W[2]
    looked = np.zeros(d_model)
    for h in range(n_heads):
        begin, end = h * d_head, (h + 1) * d_head
        scores = np.zeros(n + 1)
        for j in range(n + 1):
            scores[j] = q[begin:end] @ new_K[j, begin:end] / math.sqrt(d_head)
        weights = softmax(scores)
        for j in range(n + 1):
            looked[begin:end] += weights[j] * new_V[j, begin:end]
    first = x + looked @ W[3]
    second = first + feed_forward(layer_norm(first, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return second, new_K, new_V


# ---------------------------------------------------------------- lesson 18


@wrong("mean_pooling", "takes the first so many rows, wherever the padding stands")
def _(hidden, mask):
    batch, n, d = hidden.shape
    pooled = np.zeros((batch, d))
    for b in range(batch):
        length = int(mask[b].sum())
        pooled[b] = hidden[b, :length].sum(axis=0) / length
    return pooled


@wrong("previous_token", "counts row 0 as well, whose index -1 is the last column")
def _(weights):
    n_heads, n, _ = weights.shape
    result = np.zeros(n_heads)
    for h in range(n_heads):
        total = 0.0
        for i in range(n):
            total += weights[h, i, i - 1]
        result[h] = total / n
    return result
