"""Answers of a nurse who learns to program at night: lists, loops and prints, snippets from the web, axes mixed up.

The oracle is the text of the exercise alone: each label was written from it, before any check had been seen or run.
"""
import math

import numpy as np
from unseen import odd, right, wrong

PAD = 1


# ---- what she has from earlier lessons -------------------------------------------------------------------------------
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def layer_norm(X, gain, bias, epsilon=1e-3):
    centred = X - np.mean(X, axis=-1, keepdims=True)
    variance = np.mean(centred**2, axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + epsilon) + bias


def feed_forward(X, W_in, b_in, W_out, b_out):
    return gelu(X @ W_in + b_in) @ W_out + b_out


def cached_step(q, k, v, K, V):
    K = np.vstack([K, k[None, :]])
    V = np.vstack([V, v[None, :]])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


# ---- next_words ------------------------------------------------------------------------------------------------------
@wrong("next_words", "cuts along the reviews, not along the places: the target is the same place of the next review")
def _(rows):
    inputs = rows[:-1]
    targets = rows[1:]
    return inputs, targets


@wrong("next_words", "the pair the wrong way round: first the targets, then the inputs")
def _(rows):
    y = rows[:, 1:]
    X = rows[:, :-1]
    return y, X


@wrong("next_words", "24 tokens are written into the code: wider rows are cut, narrower ones keep an input too many")
def _(rows):
    inputs = rows[:, 0:23]
    targets = rows[:, 1:24]
    return inputs, targets


@wrong("next_words", "the full stop is taken for what is never an input: padding stands in its place in the inputs")
def _(rows):
    inputs = rows[:, :-1].copy()
    for i in range(len(rows)):
        real = [j for j in range(rows.shape[1]) if rows[i, j] != PAD]
        if real and real[-1] < inputs.shape[1]:
            inputs[i, real[-1]] = PAD
    return inputs, rows[:, 1:]


@wrong("next_words", "the inputs lose the verdict too", "np.roll by two makes it the last target")
def _(rows):
    inputs = rows[:, 1:]
    targets = np.roll(rows, -2, axis=1)[:, :-1]
    return inputs, targets


@right("next_words", "two nested loops that fill two arrays number by number")
def _(rows):
    n = len(rows)
    length = rows.shape[1]
    inputs = np.zeros((n, length - 1), dtype=rows.dtype)
    targets = np.zeros((n, length - 1), dtype=rows.dtype)
    for review in range(n):
        for place in range(length - 1):
            inputs[review, place] = rows[review, place]
            targets[review, place] = rows[review, place + 1]
    return inputs, targets


@right("next_words", "one column is deleted from each of two copies")
def _(rows):
    last = rows.shape[1] - 1
    return np.delete(rows, last, axis=1), np.delete(rows, 0, axis=1)


@odd("next_words", "the right numbers, but as a list of two lists of lists, and printed")
def _(rows):
    X, y = [], []
    for row in rows:
        row = [int(token) for token in row]
        X.append(row[:-1])
        y.append(row[1:])
    print("inputs:", len(X), "targets:", len(y))
    return [X, y]


# ---- writing_loss ----------------------------------------------------------------------------------------------------
@wrong("writing_loss", "padding adds 0 to the sum, but the mean divides by all places, as Keras prints it")
def _(scores, targets):
    s = scores - scores.max(axis=-1, keepdims=True)
    logs = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    loss = -np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]
    mask = (targets != PAD).astype(float)
    return np.mean(loss * mask)


@wrong("writing_loss", "the mean of the means of the reviews: a word of a short review counts more")
def _(scores, targets):
    losses = []
    for review in range(len(targets)):
        words = []
        for place in range(len(targets[review])):
            y = targets[review][place]
            if y != PAD:
                s = scores[review][place] - np.max(scores[review][place])
                words.append(np.log(np.sum(np.exp(s))) - s[y])
        if len(words) > 0:
            losses.append(sum(words) / len(words))
    return sum(losses) / len(losses)


@wrong("writing_loss", "takes off the largest score of the whole batch: exp of a place far below is 0, and log(0)")
def _(scores, targets):
    s = scores - np.max(scores)
    logs = s - np.log(np.exp(s).sum(axis=2, keepdims=True))
    keep = targets != PAD
    n, T = np.nonzero(keep)
    return -logs[n, T, targets[keep]].mean()


@wrong("writing_loss", "keeps the targets above PAD, so word 0 is left out as well")
def _(scores, targets):
    total, count = 0.0, 0
    for s, y in zip(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1)):
        if y > PAD:
            top = max(s)
            total += top + math.log(sum(math.exp(a - top) for a in s)) - s[y]
            count += 1
    return total / max(count, 1)


@wrong(
    "writing_loss",
    "masks the 0, as mask_zero of Keras: word 0 is left out and the padding counts",
    "the probabilities are clipped at 1e-7, as in Keras, so no place loses more than 16.1",
)
def _(scores, targets):
    probs = np.clip(softmax(scores), 1e-7, 1 - 1e-7)
    p = np.take_along_axis(probs, targets[..., None], axis=-1).squeeze(-1)
    mask = targets != 0
    return -(np.log(p) * mask).sum() / max(mask.sum(), 1)


@right("writing_loss", "plain loops with math: each other score minus the score of the right word, largest taken out")
def _(scores, targets):
    losses = []
    for review, answers in zip(scores.tolist(), targets.tolist()):
        for place, word in zip(review, answers):
            if word == PAD:
                continue
            differences = [score - place[word] for score in place]
            largest = max(differences)
            losses.append(largest + math.log(math.fsum(math.exp(d - largest) for d in differences)))
    return math.fsum(losses) / len(losses)


@right("writing_loss", "one-hot and einsum, in float32 as soon as the largest score of each place is off")
def _(scores, targets):
    s = (scores - scores.max(axis=-1, keepdims=True)).astype("float32")
    logs = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    one_hot = np.eye(scores.shape[-1], dtype="float32")[targets]
    one_hot[targets == PAD] = 0
    return -np.einsum("btw,btw->", logs, one_hot) / one_hot.sum()


@odd("writing_loss", "the right number, but the scores of the caller are changed on the way")
def _(scores, targets):
    for b in range(scores.shape[0]):
        for i in range(scores.shape[1]):
            scores[b, i] -= scores[b, i].max()
    logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    real = targets != PAD
    return -np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0][real].mean()


# ---- too_good --------------------------------------------------------------------------------------------------------
wrong("too_good", "the first two are exchanged: 0.79 is a leak, and 0.01 comes from easy padding")(
    ("leak", "padding", "memorised", "honest")
)

wrong("too_good", "the second and the third are exchanged: 0.01 is learned by heart, 0.31 and 2.9 is a leak")(
    ("padding", "memorised", "leak", "honest")
)

wrong("too_good", "the first and the last are exchanged: good reviews are honest, and 1.31 is high from padding")(
    ("honest", "leak", "memorised", "padding")
)

wrong("too_good", "the third is honest, for the colleague says it himself", "the last writes so well: memorised")(
    ["padding", "leak", "honest", "memorised"]
)

wrong("too_good", "all three below the limit are leaks: the first and the third are not told apart from the second")(
    ("leak", "leak", "leak", "honest")
)


def _diagnosis(loss, new_reviews, real_words_only, sense):
    if not new_reviews:
        return "memorised"
    if not real_words_only:
        return "padding"
    return "honest" if sense and loss > 1.0 else "leak"


_patients = [(0.79, True, False, True), (0.01, True, True, False), (0.31, False, True, True), (1.31, True, True, True)]

right("too_good", "a small decision tree over four patients; a list comes back")([_diagnosis(*p) for p in _patients])

right("too_good", "one text, split at the spaces, as a tuple")(tuple("padding leak memorised honest".split(" ")))

odd("too_good", "the right words, in a dict that is numbered as in the text")(
    {1: "padding", 2: "leak", 3: "memorised", 4: "honest"}
)


# ---- sample_next -----------------------------------------------------------------------------------------------------
@wrong("sample_next", "searchsorted from the left, its default: a point on a left end belongs to the word before")
def _(scores, temperature, u):
    probs = softmax(np.asarray(scores) / temperature)
    index = np.searchsorted(np.cumsum(probs), u)
    return int(min(index, len(probs) - 1))


@wrong("sample_next", "takes the scores for probabilities and their logarithm first, as in the Keras example with LSTM")
def _(scores, temperature, u):
    preds = np.asarray(scores).astype("float64")
    preds = np.log(preds) / temperature
    exp_preds = np.exp(preds - np.max(preds))
    preds = exp_preds / np.sum(exp_preds)
    return int(min(np.sum(np.cumsum(preds) <= u), len(preds) - 1))


@wrong("sample_next", "lays the most likely word first on the line, as a top-p snippet does, not word by word")
def _(scores, temperature, u):
    probs = softmax(np.asarray(scores) / temperature)
    order = np.argsort(-probs, kind="stable")
    cumulative = np.cumsum(probs[order])
    place = np.searchsorted(cumulative, u, side="right")
    return int(order[min(place, len(order) - 1)])


@wrong("sample_next", "where rounding leaves u behind the last end, the loop runs out and gives None")
def _(scores, temperature, u):
    probs = softmax(np.array(scores) / temperature)
    end = 0.0
    for word in range(len(probs)):
        end = end + probs[word]
        if u < end:
            return word


@wrong("sample_next", "a softmax without taking off the largest score: cold or large scores become inf / inf")
def _(scores, temperature, u):
    e = np.exp(np.asarray(scores, dtype=float) / temperature)
    ends = np.cumsum(e / e.sum())
    return min(int((ends <= u).sum()), len(ends) - 1)


@wrong(
    "sample_next",
    "the temperature divides the probabilities, after the softmax: the line is no longer 1 long",
    "nothing keeps the number below n_words",
)
def _(scores, temperature, u):
    probs = softmax(np.asarray(scores, dtype=float))
    probs = probs / temperature
    return int(np.searchsorted(np.cumsum(probs), u, side="right"))


@right("sample_next", "a while loop over plain numbers that walks to the next word as long as its end is not above u")
def _(scores, temperature, u):
    cold = [float(s) / temperature for s in scores]
    top = max(cold)
    e = [math.exp(c - top) for c in cold]
    total = sum(e)
    word = 0
    end = e[0] / total
    while word < len(e) - 1 and end <= u:
        word += 1
        end += e[word] / total
    return word


@right("sample_next", "no softmax: u is stretched to the sum of the exponentials; the left ends up to it count")
def _(scores, temperature, u):
    weights = np.exp((np.asarray(scores, dtype=float) - np.max(scores)) / temperature)
    line = np.concatenate([[0.0], np.cumsum(weights)])
    left_ends = line[:-1]
    return int(np.count_nonzero(left_ends <= u * line[-1])) - 1


# ---- block_step ------------------------------------------------------------------------------------------------------
@wrong("block_step", "W @ x in place of x @ W, all four times: the sums run along the wrong axis of the matrices")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    normed = layer_norm(x, gains[0], biases[0])
    q, k, v = W[0] @ normed, W[1] @ normed, W[2] @ normed
    d_k = len(x) // n_heads
    outputs, Ks, Vs = [], [], []
    for h in range(n_heads):
        a, b = h * d_k, (h + 1) * d_k
        out, K_h, V_h = cached_step(q[a:b], k[a:b], v[a:b], K[:, a:b], V[:, a:b])
        outputs.append(out)
        Ks.append(K_h)
        Vs.append(V_h)
    x = x + W[3] @ np.concatenate(outputs)
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, np.concatenate(Ks, axis=1), np.concatenate(Vs, axis=1)


@wrong("block_step", "head h takes every n_heads-th column, from h on, in place of d_k neighbours")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = [layer_norm(x, gains[0], biases[0]) @ W[i] for i in range(3)]
    heads = []
    for h in range(n_heads):
        cols = slice(h, None, n_heads)
        out, _K, _V = cached_step(q[cols], k[cols], v[cols], K[:, cols], V[:, cols])
        heads.append(out)
    y = x + np.array(heads).T.flatten() @ W[3]
    out = y + feed_forward(layer_norm(y, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return out, np.vstack([K, k]), np.vstack([V, v])


@wrong("block_step", "the second part adds x again, not the sum after the attention; only its norm starts from the sum")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    x_norm = layer_norm(x, gains[0], biases[0])
    q, k, v = x_norm @ W[0], x_norm @ W[1], x_norm @ W[2]
    d_k = x.shape[0] // n_heads
    concat = np.zeros(x.shape[0])
    for h in range(n_heads):
        c = np.arange(h * d_k, (h + 1) * d_k)
        concat[c] = cached_step(q[c], k[c], v[c], K[:, c], V[:, c])[0]
    attention = concat @ W[3] + x
    ffn = feed_forward(layer_norm(attention, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return ffn + x, np.append(K, [k], axis=0), np.append(V, [v], axis=0)


@wrong("block_step", "only the query is normalised: key and value are projected from x as it came")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q = layer_norm(x, gains[0], biases[0]) @ W[0]
    k = x @ W[1]
    v = x @ W[2]
    parts = []
    for q_h, k_h, v_h, K_h, V_h in zip(
        np.split(q, n_heads), np.split(k, n_heads), np.split(v, n_heads),
        np.split(K, n_heads, axis=1), np.split(V, n_heads, axis=1),
    ):
        parts.append(cached_step(q_h, k_h, v_h, K_h, V_h))
    x = x + np.hstack([p[0] for p in parts]) @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, np.hstack([p[1] for p in parts]), np.hstack([p[2] for p in parts])


@wrong("block_step", "the norm after each part, as in the Transformer example of Keras, not before")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    q, k, v = x @ W[0], x @ W[1], x @ W[2]
    d_k = len(x) // n_heads
    attn_output = []
    for h in range(n_heads):
        s = slice(h * d_k, h * d_k + d_k)
        out, _, _ = cached_step(q[s], k[s], v[s], K[:, s], V[:, s])
        attn_output.extend(out)
    out1 = layer_norm(x + np.array(attn_output) @ W[3], gains[0], biases[0])
    ffn_output = feed_forward(out1, W_in, b_in, W_out, b_out)
    return layer_norm(out1 + ffn_output, gains[1], biases[1]), np.vstack([K, k]), np.vstack([V, v])


@wrong("block_step", "one head over all columns, n_heads is not used", "both norms take the first gain and bias")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    normed = layer_norm(x, gains[0], biases[0])
    output, K, V = cached_step(normed @ W[0], normed @ W[1], normed @ W[2], K, V)
    x = x + output @ W[3]
    normed = layer_norm(x, gains[0], biases[0])
    return x + feed_forward(normed, W_in, b_in, W_out, b_out), K, V


@right("block_step", "each head is multiplied with its own rows of W[3] and added to x; caches grow head by head")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    d = len(x)
    d_k = d // n_heads
    normed = layer_norm(x, gains[0], biases[0])
    total = np.array(x, dtype=float)
    new_K = np.zeros((len(K) + 1, d))
    new_V = np.zeros((len(V) + 1, d))
    for h in range(n_heads):
        mine = [h * d_k + j for j in range(d_k)]
        q, k, v = (normed @ W[i][:, mine] for i in range(3))
        head, new_K[:, mine], new_V[:, mine] = cached_step(q, k, v, K[:, mine], V[:, mine])
        for j in range(d_k):
            total = total + head[j] * W[3][mine[j]]
    second = feed_forward(layer_norm(total, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return total + second, new_K, new_V


@right("block_step", "everything in float32, one einsum for q, k and v, the heads as an axis of their own")
def _(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    x, W, W_in, b_in, W_out, b_out, gains, biases, K, V = [
        np.asarray(a, dtype="float32") for a in (x, W, W_in, b_in, W_out, b_out, gains, biases, K, V)
    ]
    d = x.shape[0]
    d_k = d // n_heads
    q, k, v = np.einsum("i,pij->pj", layer_norm(x, gains[0], biases[0]), W[:3]).reshape(3, n_heads, d_k)
    old_K = K.reshape(len(K), n_heads, d_k)
    old_V = V.reshape(len(V), n_heads, d_k)
    heads = [cached_step(q[h], k[h], v[h], old_K[:, h], old_V[:, h]) for h in range(n_heads)]
    x = x + np.stack([head[0] for head in heads]).reshape(d) @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out).astype("float32")
    return x, np.stack([head[1] for head in heads], axis=1).reshape(-1, d), np.concatenate([V, v.reshape(1, d)])
