"""Answers of a second-year student: loops and lists are home, NumPy is two weeks old, the exercise is read quickly."""
import math
import statistics

import numpy as np
from course_utils.attention import causal_mask, scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# ---------------------------------------------------------------- 00 first_check

wrong("first_check", "counts the different tokens: 'was' stands there twice, a set keeps it once")(len(set(REVIEW)))

wrong("first_check", "takes len of the sentence as one string, so it counts the characters")(
    len("The movie was not good, but the soundtrack was amazing.")
)

odd("first_check", "the right number as a string")(str(len(REVIEW)))

# ---------------------------------------------------------------- 00 bag_of_words


@wrong("bag_of_words", "the return is indented one step too far and ends the loop after the first known word")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    for token in tokens:
        if token in vocabulary:
            counts[vocabulary.index(token)] += 1
            return counts


@wrong("bag_of_words", "'in' between two strings: a word is also found inside a longer word")
def _(tokens, vocabulary):
    counts = [0] * len(vocabulary)
    for i in range(len(vocabulary)):
        for token in tokens:
            if vocabulary[i] in token:
                counts[i] += 1
    return counts


@wrong("bag_of_words", "the numbers stand in the order of the tokens", "words of the vocabulary that do not occur are left out")
def _(tokens, vocabulary):
    counts = {}
    for token in tokens:
        if token in vocabulary:
            if token not in counts:
                counts[token] = 0
            counts[token] += 1
    return list(counts.values())


# ---------------------------------------------------------------- 01 dot_product


@wrong("dot_product", "one loop inside the other: every number of a meets every number of b")
def _(a, b):
    total = 0
    for x in a:
        for y in b:
            total += x * y
    return total


@wrong("dot_product", "range(1, len(a)): thinks that the first index is 1")
def _(a, b):
    total = 0
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


@right("dot_product", "a while loop with an index")
def _(a, b):
    i = 0
    total = 0.0
    while i < len(a):
        total = total + float(a[i]) * float(b[i])
        i += 1
    return total


@odd("dot_product", "endless: the while loop never counts i up")
def _(a, b):
    i = 0
    total = 0
    while i < len(a):
        total += a[i] * b[i]
    return total


# ---------------------------------------------------------------- 01 cosine


@wrong("cosine", "no brackets around the two lengths: divides by one and multiplies by the other")
def _(a, b):
    return a @ b / np.linalg.norm(a) * np.linalg.norm(b)


@wrong("cosine", "takes np.cos of the cosine: 'the cosine of the angle', read as something still to be done")
def _(a, b):
    c = (a @ b) / (np.linalg.norm(a) * np.linalg.norm(b))
    return np.cos(c)


@wrong("cosine", "the lengths are len(a) and len(b)")
def _(a, b):
    return a @ b / (len(a) * len(b))


@right("cosine", "one loop with three sums and math.sqrt")
def _(a, b):
    ab = 0
    aa = 0
    bb = 0
    for i in range(len(a)):
        ab += a[i] * b[i]
        aa += a[i] * a[i]
        bb += b[i] * b[i]
    return ab / (math.sqrt(aa) * math.sqrt(bb))


# ---------------------------------------------------------------- 01 one_query_scores


@wrong("one_query_scores", "** 1/2 is read as 'to the power 1, then halved'")
def _(q, K):
    d_k = q.shape[-1]
    return K @ q / d_k ** 1 / 2


@wrong("one_query_scores", "'the length of a key' is taken as its norm, which the lesson also calls length")
def _(q, K):
    scores = []
    for k in K:
        scores.append(q @ k / np.sqrt(np.linalg.norm(k)))
    return np.array(scores)


@right("one_query_scores", "a list comprehension over keys and numbers, a list comes back")
def _(q, K):
    root = math.sqrt(len(q))
    return [sum(q[j] * k[j] for j in range(len(q))) / root for k in K]


# ---------------------------------------------------------------- 02 softmax


@wrong("softmax", "np.exp stands alone on its line: its result is thrown away")
def _(scores):
    np.exp(scores)
    return scores / np.sum(scores)


@wrong("softmax", "e typed as 2.72")
def _(scores):
    e = 2.72
    powers = e**scores
    return powers / powers.sum()


@wrong("softmax", "math.exp takes one number, not an array")
def _(scores):
    exps = math.exp(scores)
    return exps / sum(exps)


@odd("softmax", "right numbers by math.exp and a loop, though the text wants none")
def _(scores):
    exps = [math.exp(s) for s in scores]
    return [x / sum(exps) for x in exps]


# ---------------------------------------------------------------- 02 temperature


@wrong("temperature", "the exponentials are divided by T, which cancels when they are divided by their sum")
def _(scores, T):
    exps = np.exp(scores - scores.max()) / T
    return exps / exps.sum()


@wrong("temperature", "divides by the root of T: 'attention divides by sqrt(d_k), that is a temperature'")
def _(scores, T):
    return softmax(scores / np.sqrt(T))


@wrong("temperature", "// instead of /")
def _(scores, T):
    return softmax(scores // T)


@right("temperature", "a list comprehension divides each score")
def _(scores, T):
    cooler = [s / T for s in scores]
    return softmax(np.array(cooler))


# ---------------------------------------------------------------- 02 stable_softmax


@wrong("stable_softmax", "clips the scores at 700 instead of subtracting the maximum: two large scores become equal")
def _(scores):
    safe = np.clip(scores, -700, 700)
    e = np.exp(safe)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "a score of minus infinity becomes 0 before the exponential, so it weighs e^0")
def _(scores):
    scores = np.where(scores == -np.inf, 0, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "turns the array round with .T instead of keepdims: not for three axes", "one maximum for the whole array")
def _(scores):
    e = np.exp(scores - np.max(scores))
    return (e.T / e.sum(axis=-1)).T


@odd("stable_softmax", "-= and np.exp(out=) change the input array")
def _(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


# ---------------------------------------------------------------- 03 score_variance


@wrong("score_variance", "scores only pairs with the same index, as the picture of the lesson does")
def _(Q, K):
    n = min(len(Q), len(K))
    scores = np.array([Q[i] @ K[i] for i in range(n)])
    return scores.var()


@wrong("score_variance", "statistics.variance divides by n - 1")
def _(Q, K):
    scores = Q @ K.T
    return statistics.variance([float(s) for row in scores for s in row])


@wrong("score_variance", "scales by the square root", "returns the standard deviation")
def _(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return np.std(scores)


@right("score_variance", "a flat list of all scores, and the formula of the mean of squares by hand")
def _(Q, K):
    scores = (K @ Q.T).flatten().tolist()
    mean = sum(scores) / len(scores)
    return sum((s - mean) ** 2 for s in scores) / len(scores)


# ---------------------------------------------------------------- 03 scale_for_unit_variance


@wrong("scale_for_unit_variance", "** -1/2 is (1 / d_k) / 2")
def _(d_k):
    return float(d_k) ** -1 / 2


@wrong("scale_for_unit_variance", "measures the factor on random numbers instead of solving for it")
def _(d_k):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(50, d_k)) @ rng.normal(size=(50, d_k)).T
    return 1 / scores.std()


@odd("scale_for_unit_variance", "a stub half filled: c is computed, the dots stay, nothing is returned")
def _(d_k):
    c = 1 / np.sqrt(d_k)
    ...


# ---------------------------------------------------------------- 03 softmax_gradient_size


@wrong("softmax_gradient_size", "looks only beside the diagonal: the case i = j is forgotten")
def _(scores):
    w = softmax(scores)
    largest = 0
    for i in range(len(w)):
        for j in range(len(w)):
            if i != j:
                d = abs(-w[i] * w[j])
                if d > largest:
                    largest = d
    return largest


@wrong("softmax_gradient_size", "largest w times largest 1 - w, which belong to two different keys")
def _(scores):
    w = softmax(scores)
    return max(w) * max(1 - w)


@wrong("softmax_gradient_size", "puts the scores themselves in as weights")
def _(scores):
    w = scores
    return np.abs(np.diag(w) - np.outer(w, w)).max()


@right("softmax_gradient_size", "only the diagonal, since nothing beside it is larger")
def _(scores):
    w = softmax(scores)
    return max([x * (1 - x) for x in w])


# ---------------------------------------------------------------- 04 project


@wrong("project", "copies X[3] @ W_Q from the cell above, so only one word is projected")
def _(X, W_Q, W_K, W_V):
    return X[3] @ W_Q, X[3] @ W_K, X[3] @ W_V


@wrong("project", "the lesson's sizes 5, 3 and 2 are hard-coded", "V is made with W_K's columns: the third line was copied and not changed")
def _(X, W_Q, W_K, W_V):
    Q, K, V = np.zeros((5, 3)), np.zeros((5, 3)), np.zeros((5, 2))
    for i in range(5):
        for j in range(3):
            Q[i, j] = X[i] @ W_Q[:, j]
            K[i, j] = X[i] @ W_K[:, j]
        for j in range(2):
            V[i, j] = X[i] @ W_K[:, j]
    return Q, K, V


@odd("project", "prints the three matrices and returns nothing")
def _(X, W_Q, W_K, W_V):
    print(X @ W_Q, X @ W_K, X @ W_V)


# ---------------------------------------------------------------- 04 scores


@wrong("scores", "/= in place cannot turn an array of whole numbers into fractions: it stops with an error on the lesson's own Q and K")
def _(Q, K):
    S = Q @ K.T
    S /= np.sqrt(Q.shape[-1])
    return S


@wrong("scores", "both loops run over len(Q): keys beyond that are never scored")
def _(Q, K):
    S = np.zeros((len(Q), len(Q)))
    for i in range(len(Q)):
        for j in range(len(Q)):
            S[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    return S


@wrong("scores", "the root of 3 from the lesson", "rows are keys")
def _(Q, K):
    return K @ Q.T / math.sqrt(3)


# ---------------------------------------------------------------- 04 weights


@wrong("weights", "the loop goes over the columns: each key is one whole")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    A = np.zeros(S.shape)
    for j in range(S.shape[1]):
        A[:, j] = softmax(S[:, j])
    return A


@wrong("weights", "one softmax over the flattened matrix: all rows share one whole")
def _(Q, K):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(S.flatten()).reshape(S.shape)


@wrong("weights", "sum(axis=1) without keepdims", "root of the number of keys")
def _(Q, K):
    S = Q @ K.T / np.sqrt(K.shape[0])
    e = np.exp(S - S.max())
    return e / e.sum(axis=1)


# ---------------------------------------------------------------- 04 attention


@wrong("attention", "np.zeros_like(V) as the place for the output: wrong number of rows, and whole numbers when V has whole numbers")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    output = np.zeros_like(V)
    for i in range(len(Q)):
        for j in range(len(K)):
            output[i] = output[i] + A[i, j] * V[j]
    return output


@wrong("attention", "d_k is read off V")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(V.shape[-1]), axis=-1)
    return A @ V


@wrong("attention", "the variable mixed is set to zero once, before the loop over the queries, so later words keep the earlier ones")
def _(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    output = []
    mixed = np.zeros(V.shape[1])
    for i in range(len(Q)):
        for j in range(len(K)):
            mixed = mixed + A[i, j] * V[j]
        output.append(mixed)
    return np.array(output)


@odd("attention", "returns the course's pair of output and weights, the text wants only the output")
def _(Q, K, V):
    return scaled_dot_product_attention(Q, K, V)


# ---------------------------------------------------------------- 05 good_row


@wrong("good_row", "the key of word i meets all queries")
def _(Q, K, i):
    return softmax(Q @ K[i] / np.sqrt(K.shape[1]))


@wrong("good_row", "always the row of good, 4", "always the root of 2")
def _(Q, K, i):
    good = 4
    scores = []
    for j in range(len(K)):
        scores.append(Q[good] @ K[j] / np.sqrt(2))
    return softmax(np.array(scores))


@wrong("good_row", "counts words from 1, so it takes Q[i - 1]")
def _(Q, K, i):
    q = Q[i - 1]
    return softmax(K @ q / np.sqrt(len(q)))


# ---------------------------------------------------------------- 05 good_output


@wrong("good_output", "the mean over the keys instead of the sum")
def _(weights, V):
    return np.mean([w * v for w, v in zip(weights, V)], axis=0)


@wrong("good_output", "a place for two numbers, because the lesson's values have two")
def _(weights, V):
    out = np.zeros(2)
    for j in range(len(weights)):
        out[0] += weights[j] * V[j, 0]
        out[1] += weights[j] * V[j, 1]
    return out


@right("good_output", "np.average along the keys")
def _(weights, V):
    return np.average(V, axis=0, weights=weights)


# ---------------------------------------------------------------- 05 conceptual_keys


def _keys_with(scores, column):
    keys = np.zeros((12, 2))
    for j in range(12):
        keys[j, column] = scores[j]
    return keys


wrong("conceptual_keys", "the scores stand in the first column, which the query (0, 1) does not see")(
    (np.array([0.0, 1.0]), _keys_with([math.log(w) * math.sqrt(2) for w in CONCEPTUAL_ROW], 0))
)

wrong("conceptual_keys", "log10 instead of the natural logarithm", "divides by the root of 2 once more instead of multiplying")(
    (np.array([0.0, 1.0]), _keys_with([math.log10(w) / math.sqrt(2) for w in CONCEPTUAL_ROW], 1))
)

right("conceptual_keys", "a query (3, -1) of another length, and a key of 1000 logs that is shifted by 5")(
    (
        np.array([3.0, -1.0]),
        np.array([[0.0, -(math.log(1000 * w) + 5) * math.sqrt(2)] for w in CONCEPTUAL_ROW]),
    )
)

odd("conceptual_keys", "plain lists instead of arrays")(
    ([0, 1], [[0, math.log(w) * math.sqrt(2)] for w in CONCEPTUAL_ROW])
)

# ---------------------------------------------------------------- 06 causal_mask


@wrong("causal_mask", "[[False] * n] * n holds one row n times: setting one sets all")
def _(n):
    mask = [[False] * n] * n
    for i in range(n):
        for j in range(i + 1):
            mask[i][j] = True
    return np.array(mask)


@wrong("causal_mask", "the axes are mixed up: True above the diagonal", "floats instead of bool")
def _(n):
    mask = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j <= i:
                mask[j][i] = True
    return mask


@right("causal_mask", "a list comprehension in a list comprehension, made an array")
def _(n):
    return np.array([[j <= i for j in range(n)] for i in range(n)])


# ---------------------------------------------------------------- 06 masked_weights


@wrong("masked_weights", "the weights of the allowed keys are put into the first places of the row: right for a causal mask only")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    A = np.zeros(S.shape)
    for i in range(len(Q)):
        allowed = [S[i, j] for j in range(len(K)) if mask[i, j]]
        A[i, : len(allowed)] = softmax(np.array(allowed))
    return A


@wrong("masked_weights", "-100 for a forbidden score is not low enough when the allowed ones are lower still")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            if mask[i, j] == False:
                S[i, j] = -100
    return softmax(S)


@wrong("masked_weights", "copies the lesson's loop S[i, :i + 1]: always causal, the mask is never read")
def _(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[-1])
    n = len(K)
    return np.array([np.append(softmax(S[i, : i + 1]), np.zeros(n - 1 - i)) for i in range(n)])


@right("masked_weights", "row by row: a softmax over the allowed keys only, set in with the mask's row")
def _(Q, K, mask):
    A = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        row = np.array([Q[i] @ k for k in K]) / math.sqrt(len(Q[i]))
        A[i, mask[i]] = softmax(row[mask[i]])
    return A


# ---------------------------------------------------------------- 06 padding_mask


@wrong("padding_mask", "[:-pad] with pad = 0 is empty: a full sentence loses all its words")
def _(lengths, n_keys):
    mask = np.zeros((len(lengths), 1, n_keys), dtype=bool)
    for b in range(len(lengths)):
        pad = n_keys - lengths[b]
        mask[b, 0, :-pad] = True
    return mask


@wrong("padding_mask", "the longest sentence of the batch is taken for the common length")
def _(lengths, n_keys):
    longest = max(lengths)
    mask = []
    for length in lengths:
        row = [j < length for j in range(longest)]
        mask.append([row])
    return np.array(mask)


@wrong("padding_mask", "[None] puts the new axis in front", "<= counts one padding as a word")
def _(lengths, n_keys):
    mask = np.arange(n_keys) <= lengths[:, None]
    return mask[None]


# ---------------------------------------------------------------- 06 mask_label


@wrong("mask_label", "an else: return True inside the loop: decides after the first later key")
def _(weights):
    n = len(weights)
    for i in range(n):
        for j in range(i + 1, n):
            if weights[i, j] > 0:
                return False
            else:
                return True
    return True


@wrong("mask_label", "demands that every earlier key has a weight, too: compares weights > 0 with the causal mask")
def _(weights):
    return bool(((weights > 0) == causal_mask(len(weights))).all())


@wrong("mask_label", "rounds to two decimals first, so a small look ahead passes", "takes the diagonal for a later key")
def _(weights):
    rounded = np.round(weights, 2)
    return bool(np.triu(rounded).sum() == 0)


@odd("mask_label", "'write the test': an assert, which raises and returns nothing")
def _(weights):
    assert np.triu(weights, 1).sum() == 0, "a query looks at a later key"


# ---------------------------------------------------------------- 06 sat_row


@wrong("sat_row", "returns the design, low, high, self, low, low, low, and never uses Q and K")
def _(Q, K):
    offers = [0, 3, 1, 0, 0, 0]
    return softmax(np.array(offers))


@wrong("sat_row", "shares among all six and then sets the last three to 0")
def _(Q, K):
    row = softmax(K @ Q[2] / np.sqrt(Q.shape[1]))
    row[3:] = 0
    return row


@wrong("sat_row", "K[:2] leaves out sat itself", "no root: 'd_k = 1'")
def _(Q, K):
    before = softmax(K[:2] @ Q[2])
    return np.append(before, [0, 0, 0, 0])


# ---------------------------------------------------------------- 07 split_heads


@wrong("split_heads", "X[:, h : h + d_head]: the start is not multiplied, the heads overlap")
def _(X, n_heads):
    d_head = X.shape[1] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(X[:, h : h + d_head])
    return np.array(heads)


@wrong("split_heads", "X[:, h::n_heads] deals the columns out like cards")
def _(X, n_heads):
    return np.array([X[:, h::n_heads] for h in range(n_heads)])


@wrong("split_heads", "two columns for each head, as in the lesson", "four heads, as in the lesson")
def _(X, n_heads):
    return np.stack([X[:, 2 * h : 2 * h + 2] for h in range(4)])


@right("split_heads", "three loops into zeros")
def _(X, n_heads):
    n, d = X.shape
    width = d // n_heads
    out = np.zeros((n_heads, n, width))
    for h in range(n_heads):
        for i in range(n):
            for j in range(width):
                out[h, i, j] = X[i, h * width + j]
    return out


# ---------------------------------------------------------------- 07 merge_heads


@wrong("merge_heads", "stacks the heads on the last axis: the numbers of the heads alternate")
def _(heads):
    n = heads.shape[1]
    return np.stack([h for h in heads], axis=-1).reshape(n, -1)


@wrong("merge_heads", "always four heads", "always two numbers for each head")
def _(heads):
    out = np.zeros((heads.shape[1], 8))
    for h in range(4):
        out[:, 2 * h : 2 * h + 2] = heads[h]
    return out


@right("merge_heads", "a row is the sum of Python lists")
def _(heads):
    rows = []
    for i in range(len(heads[0])):
        row = []
        for head in heads:
            row = row + list(head[i])
        rows.append(row)
    return np.array(rows)


# ---------------------------------------------------------------- 07 multi_head


def split_heads(X, n_heads):
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


def merge_heads(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


@wrong("multi_head", "each head is divided by the root of the whole d, not of its own part")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    d = W_Q.shape[1]
    Q, K, V = split_heads(X @ W_Q, n_heads), split_heads(X @ W_K, n_heads), split_heads(X @ W_V, n_heads)
    heads = []
    for h in range(n_heads):
        A = softmax(Q[h] @ K[h].T / np.sqrt(d))
        heads.append(A @ V[h])
    return merge_heads(np.array(heads)) @ W_O


@wrong("multi_head", "the width of a head is taken from X: d_model // n_heads instead of d // n_heads")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    size = X.shape[1] // n_heads
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    out = []
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        out.append(scaled_dot_product_attention(Q[:, part], K[:, part], V[:, part])[0])
    return np.concatenate(out, axis=1) @ W_O


@wrong("multi_head", "forgets W_O", "returns inside the loop: only head 0")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = split_heads(X @ W_Q, n_heads), split_heads(X @ W_K, n_heads), split_heads(X @ W_V, n_heads)
    outputs = []
    for h in range(n_heads):
        outputs.append(scaled_dot_product_attention(Q[h], K[h], V[h]).output)
        return np.hstack(outputs)


@right("multi_head", "adds up what each head sends through its own rows of W_O, nothing is merged")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    size = W_Q.shape[1] // n_heads
    total = 0
    for h in range(n_heads):
        a, b = h * size, h * size + size
        head = scaled_dot_product_attention(X @ W_Q[:, a:b], X @ W_K[:, a:b], X @ W_V[:, a:b]).output
        total = total + head @ W_O[a:b]
    return total


# ---------------------------------------------------------------- 07 cross_attention


@wrong("cross_attention", "d_k is read off X: the root of d_model")
def _(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    A = softmax(Q @ K.T / np.sqrt(X.shape[1]), axis=-1)
    return A @ V


@wrong("cross_attention", "X looks at context without any matrices, as in the French picture")
def _(X, context, W_Q, W_K, W_V):
    return softmax(X @ context.T / np.sqrt(X.shape[1])) @ context


@right("cross_attention", "one word of X at a time")
def _(X, context, W_Q, W_K, W_V):
    outputs = []
    for x in X:
        q = x @ W_Q
        scores = [q @ (c @ W_K) / math.sqrt(len(q)) for c in context]
        w = softmax(np.array(scores))
        outputs.append(sum(w[j] * (context[j] @ W_V) for j in range(len(context))))
    return np.array(outputs)


# ---------------------------------------------------------------- 08 permutation


@wrong("permutation", "assigns eye's rows to the places in order: P[order] = eye is the way back")
def _(order):
    n = len(order)
    P = np.zeros((n, n))
    P[order] = np.eye(n)
    return P


@wrong("permutation", "swaps rows one after the other in place: later swaps move earlier ones again")
def _(order):
    P = np.eye(len(order))
    for i in range(len(order)):
        j = order[i]
        P[[i, j]] = P[[j, i]]
    return P


@right("permutation", "compares each column number with the order, in lists")
def _(order):
    n = len(order)
    return [[1 if order[i] == j else 0 for j in range(n)] for i in range(n)]


# ---------------------------------------------------------------- 08 sinusoidal_positions


@wrong("sinusoidal_positions", "sin(t) / 10000**...: divides the sine, not the angle")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for j in range(d_model):
            speed = 10000 ** (j // 2 * 2 / d_model)
            if j % 2 == 0:
                P[t, j] = math.sin(t) / speed
            else:
                P[t, j] = math.cos(t) / speed
    return P


@wrong("sinusoidal_positions", "range(d_model // 2) pairs: the last column of an odd d_model stays 0")
def _(n, d_model):
    P = np.zeros((n, d_model))
    for t in range(n):
        for i in range(d_model // 2):
            angle = t / 10000 ** (2 * i / d_model)
            P[t, 2 * i] = math.sin(angle)
            P[t, 2 * i + 1] = math.cos(angle)
    return P


@wrong("sinusoidal_positions", "places from 1 to n", "each column has its own angle: the column's number is taken for 2i")
def _(n, d_model):
    P = []
    for t in range(1, n + 1):
        row = []
        for i in range(d_model):
            angle = t / 10000 ** (i / d_model)
            row.append(math.cos(angle) if i % 2 else math.sin(angle))
        P.append(row)
    return np.array(P)


@right("sinusoidal_positions", "a row is a list, appended sine then cosine, and cut to d_model")
def _(n, d_model):
    rows = []
    for t in range(n):
        row = []
        for i in range(d_model):
            angle = t / math.pow(10000, 2 * i / d_model)
            row.append(math.sin(angle))
            row.append(math.cos(angle))
        rows.append(row[:d_model])
    return np.array(rows)


# ---------------------------------------------------------------- 08 add_positions


@wrong("add_positions", "P[:n, None] makes (n, 1, d_model), which lines up with the batch")
def _(X, P):
    n = X.shape[1]
    return X + P[:n, None]


@wrong("add_positions", "places start at row 1 of P, row 0 is kept for nothing; P may be too short for that")
def _(X, P):
    result = []
    for sentence in X:
        new = []
        for t, word in enumerate(sentence, start=1):
            new.append(word + P[t])
        result.append(new)
    return np.array(result)


@wrong("add_positions", "X + P fits only when P has exactly n rows")
def _(X, P):
    return X + P


@odd("add_positions", "new = X is no copy: the sums are right, but X is changed")
def _(X, P):
    new = X
    for sentence in new:
        for t in range(len(sentence)):
            sentence[t] += P[t]
    return new


# ---------------------------------------------------------------- 09 softmax_gradient


@wrong("softmax_gradient", "weights * gradient is not summed up: no average, each key only sees itself")
def _(weights, gradient):
    return weights * (gradient - weights * gradient)


@wrong("softmax_gradient", "takes the softmax of the weights again, since the name says softmax")
def _(weights, gradient):
    w = softmax(weights)
    return w * (gradient - w @ gradient)


@right("softmax_gradient", "the double sum over g_i J_ij with if and else")
def _(weights, gradient):
    n = len(weights)
    ds = [0.0] * n
    for j in range(n):
        for i in range(n):
            if i == j:
                ds[j] += gradient[i] * weights[i] * (1 - weights[i])
            else:
                ds[j] += -gradient[i] * weights[i] * weights[j]
    return np.array(ds)


# ---------------------------------------------------------------- 09 attention_gradient


@wrong("attention_gradient", "a loop over the queries with = instead of +=: dK and dV come from the last query only")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    dQ = np.zeros(Q.shape)
    for i in range(len(Q)):
        w = softmax(K @ Q[i] / root)
        dw = V @ gradient[i]
        ds = w * (dw - w @ dw)
        dQ[i] = ds @ K / root
        dK = np.outer(ds, Q[i]) / root
        dV = np.outer(w, gradient[i])
    return dQ, dK, dV


@wrong("attention_gradient", "the root is missing in dK, it stands in dQ only")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    A = softmax(Q @ K.T / root)
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))
    return dS @ K / root, dS.T @ Q, A.T @ gradient


@wrong("attention_gradient", "the average is taken over the queries, axis=0", "walks down the table and returns dV first")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    A = softmax(Q @ K.T / root)
    dV = A.T @ gradient
    dA = gradient @ V.T
    dS = A * (dA - (A * dA).sum(axis=0, keepdims=True))
    return dV, dS @ K / root, dS.T @ Q / root


@right("attention_gradient", "query by query with a Jacobian, sums in zeros")
def _(Q, K, V, gradient):
    root = math.sqrt(len(Q[0]))
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for i in range(len(Q)):
        w = softmax(np.array([Q[i] @ k for k in K]) / root)
        J = np.diag(w) - np.outer(w, w)
        ds = J @ np.array([gradient[i] @ v for v in V])
        for j in range(len(K)):
            dQ[i] += ds[j] * K[j] / root
            dK[j] += ds[j] * Q[i] / root
            dV[j] += w[j] * gradient[i]
    return dQ, dK, dV


# ---------------------------------------------------------------- 09 train_step


@wrong("train_step", "w is moved first, and the error for b is then computed with the new w")
def _(w, b, X, labels, learning_rate):
    n = len(labels)
    p = 1 / (1 + np.exp(-(X @ w + b)))
    w = w - learning_rate * X.T @ ((p - labels) / n)
    p = 1 / (1 + np.exp(-(X @ w + b)))
    b = b - learning_rate * ((p - labels) / n).sum()
    return w, b


@wrong("train_step", "w -= changes the old array")
def _(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    w -= learning_rate * (X.T @ error)
    b -= learning_rate * error.sum()
    return w, b


@wrong("train_step", "moves after each sentence, so the next sentence already sees the new w and b")
def _(w, b, X, labels, learning_rate):
    n = len(X)
    for i in range(n):
        p = 1 / (1 + math.exp(-(X[i] @ w + b)))
        error = (p - labels[i]) / n
        w = w - learning_rate * error * X[i]
        b = b - learning_rate * error
    return w, b


@right("train_step", "sums up the slopes of the sentences in loops and lists")
def _(w, b, X, labels, learning_rate):
    n, d = X.shape
    slope_w = [0.0] * d
    slope_b = 0.0
    for i in range(n):
        z = sum(X[i, j] * w[j] for j in range(d)) + b
        error = (1 / (1 + np.exp(-z)) - labels[i]) / n
        for j in range(d):
            slope_w[j] += X[i, j] * error
        slope_b += error
    return np.array([w[j] - learning_rate * slope_w[j] for j in range(d)]), b - learning_rate * slope_b


# ---------------------------------------------------------------- 10 cls_labels


@wrong("cls_labels", "list.index finds the first target only: a decoy before the position hides it")
def _(tokens, position, target):
    labels = []
    for sentence in tokens:
        sentence = list(sentence)
        if target in sentence and sentence.index(target) == position:
            labels.append(1)
        else:
            labels.append(0)
    return np.array(labels)


@wrong("cls_labels", "tokens start with [CLS], so one is added to the position")
def _(tokens, position, target):
    words = tokens[:, 1:]
    return (words[:, position] == target).astype(int)


@wrong("cls_labels", "np.where gives the numbers of the sentences, not their labels")
def _(tokens, position, target):
    return np.where(tokens[:, position] == target)[0]


@odd("cls_labels", "True and False instead of 1 and 0")
def _(tokens, position, target):
    return tokens[:, position] == target


# ---------------------------------------------------------------- 10 recall


@wrong("recall", "labels are used as an index: labels of 0 and 1 pick answers number 0 and 1, again and again")
def _(labels, predictions):
    return predictions[labels].mean()


@wrong("recall", "counts how many yes were said, not how many of them were right")
def _(labels, predictions):
    return sum(predictions) / sum(labels)


@right("recall", "collects the answers for the ones in a list")
def _(labels, predictions):
    answers = []
    for i in range(len(labels)):
        if labels[i] == 1:
            answers.append(int(predictions[i]))
    return sum(answers) / len(answers)


# ---------------------------------------------------------------- 10 count_weights


@wrong("count_weights", "'each row is normalised with two learned vectors': counts two for every row")
def _(vocab_size, seq_len, d_model):
    step1 = vocab_size * d_model + seq_len * d_model
    step2 = 4 * (d_model * d_model + d_model)
    step3 = seq_len * 2 * d_model
    step4 = d_model + 1
    return step1 + step2 + step3 + step4


@wrong("count_weights", "one more vector for [CLS], which is in the vocabulary already", "the bias of step 4 is forgotten")
def _(vocab_size, seq_len, d_model):
    total = (vocab_size + 1) * d_model
    total += seq_len * d_model
    for matrix in ["Q", "K", "V", "O"]:
        total += d_model * d_model + d_model
    total += 2 * d_model
    total += d_model
    return total


@right("count_weights", "a list of shapes, and a loop that multiplies")
def _(vocab_size, seq_len, d_model):
    shapes = [(vocab_size, d_model), (seq_len, d_model)]
    for _ in range(4):
        shapes.append((d_model, d_model))
        shapes.append((1, d_model))
    shapes += [(1, d_model), (1, d_model), (d_model, 1), (1, 1)]
    total = 0
    for a, b in shapes:
        total += a * b
    return total


# ---------------------------------------------------------------- 11 balanced_accuracy


@wrong("balanced_accuracy", "a + b / 2 without brackets")
def _(labels, predictions):
    ones = (predictions[labels == 1] == 1).mean()
    zeros = (predictions[labels == 0] == 0).mean()
    return ones + zeros / 2


@wrong("balanced_accuracy", "the second share is the answers 1 among the zeros: the false alarms")
def _(labels, predictions):
    shares = []
    for c in [1, 0]:
        shares.append(np.mean([predictions[i] for i in range(len(labels)) if labels[i] == c]))
    return sum(shares) / 2


@wrong("balanced_accuracy", "chooses by the answers instead of by the labels: among the sentences answered 1 and answered 0")
def _(labels, predictions):
    good = predictions == labels
    return (good[predictions == 1].mean() + good[predictions == 0].mean()) / 2


@right("balanced_accuracy", "four counters and one loop")
def _(labels, predictions):
    n0 = n1 = right0 = right1 = 0
    for i in range(len(labels)):
        if labels[i] == 1:
            n1 += 1
            if predictions[i] == 1:
                right1 += 1
        else:
            n0 += 1
            if predictions[i] == 0:
                right0 += 1
    return (right1 / n1 + right0 / n0) / 2


# ---------------------------------------------------------------- 11 uniform_attention


@wrong("uniform_attention", "len(weights) is the length of the first axis, not the number of keys")
def _(weights):
    return np.full(weights.shape, 1 / len(weights))


@wrong("uniform_attention", "seven keys, as in the model of the lesson")
def _(weights):
    return np.ones(weights.shape) / 7


@wrong("uniform_attention", "fills the array that came in, and forgets the return")
def _(weights):
    n = weights.shape[-1]
    weights[...] = 1 / n


@right("uniform_attention", "a list of n equal shares, put into every row by [...]")
def _(weights):
    n = weights.shape[-1]
    out = np.empty(weights.shape)
    out[...] = [1 / n] * n
    return out


# ---------------------------------------------------------------- 12 verdict_label


@wrong("verdict_label", "turns the verdict for exactly one negation: 'a clause may hold two of them', three are not thought of")
def _(good, negations):
    return np.where(negations == 1, 1 - good, good)


@wrong("verdict_label", "if on a whole array: an error as soon as there is more than one clause")
def _(good, negations):
    if negations % 2 == 1:
        return 1 - good
    else:
        return good


@wrong("verdict_label", "multiplies by -1 for each negation: negated praise becomes -1, and a negated bad word stays 0")
def _(good, negations):
    return np.array([g * (-1) ** int(k) for g, k in zip(good, negations)])


@right("verdict_label", "turns the verdict once for each negation, in a loop")
def _(good, negations):
    verdicts = np.zeros(len(good), dtype=int)
    for i in range(len(good)):
        v = int(good[i])
        for _ in range(int(negations[i])):
            v = 1 - v
        verdicts[i] = v
    return verdicts


# ---------------------------------------------------------------- 12 twins_told_apart


@wrong("twins_told_apart", "a step of 1: also neighbours that are no twins count as a pair")
def _(labels, predictions):
    ok = labels == predictions
    told = 0
    for i in range(len(ok) - 1):
        if ok[i] and ok[i + 1]:
            told += 1
    return told / (len(ok) // 2)


@wrong("twins_told_apart", "two different answers are enough, also when both are wrong")
def _(labels, predictions):
    told = [predictions[i] != predictions[i + 1] for i in range(0, len(labels), 2)]
    return sum(told) / len(told)


@wrong("twins_told_apart", "reshape(2, -1) puts i and i + n/2 together", "any instead of all")
def _(labels, predictions):
    return (labels == predictions).reshape(2, -1).any(axis=0).mean()


@right("twins_told_apart", "zip over every second one, a list of 0 and 1")
def _(labels, predictions):
    good = [int(a == b) for a, b in zip(labels, predictions)]
    both = [x * y for x, y in zip(good[::2], good[1::2])]
    return sum(both) / len(both)


# ---------------------------------------------------------------- 12 cut_edge


@wrong("cut_edge", "i != query and j != key: the whole row and the whole column are cut")
def _(n, query, key):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            if i != query and j != key:
                mask[i, j] = True
    return mask


@wrong("cut_edge", "cuts the edge both ways: query at key, and key at query")
def _(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[[query, key], [key, query]] = False
    return mask


@wrong("cut_edge", "24 words, as in the lesson", "ones and a zero instead of booleans")
def _(n, query, key):
    mask = np.ones((24, 24))
    mask[query, key] = 0
    return mask


@right("cut_edge", "a list comprehension with not (... and ...)")
def _(n, query, key):
    return np.array([[not (i == query and j == key) for j in range(n)] for i in range(n)])


# ---------------------------------------------------------------- 13 attention_bytes


@wrong("attention_bytes", "n^2 is no square in Python")
def _(n, n_layers, n_heads, bytes_per_weight):
    one_head = n ^ 2
    return one_head * n_heads * n_layers * bytes_per_weight


@wrong("attention_bytes", "the answer in GB, as in the question below")
def _(n, n_layers, n_heads, bytes_per_weight):
    return n**2 * n_layers * n_heads * bytes_per_weight / 1e9


@wrong("attention_bytes", "Q, K and V of each head are counted as well", "a causal half of the matrix")
def _(n, n_layers, n_heads, bytes_per_weight):
    weights = n * (n + 1) // 2
    return 3 * weights * n_layers * n_heads * bytes_per_weight


# ---------------------------------------------------------------- 13 online_step


@wrong("online_step", "np.max(highest, scores): the second argument is an axis, not a second number")
def _(highest, total, mixture, scores, values):
    new = np.max(highest, scores)
    shrink = np.exp(highest - new)
    e = np.exp(scores - new)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values


@wrong("online_step", "score by score, but only the total shrinks when a higher one comes, the mixture does not")
def _(highest, total, mixture, scores, values):
    for s, v in zip(scores, values):
        old, highest = highest, max(highest, s)
        total = total * np.exp(old - highest) + np.exp(s - highest)
        mixture = mixture + np.exp(s - highest) * v
    return highest, total, mixture


@wrong("online_step", "the tile is measured from its own highest score, not from the new one")
def _(highest, total, mixture, scores, values):
    tile = max(scores)
    new = max(highest, tile)
    e = np.exp(scores - tile)
    factor = np.exp(highest - new)
    return new, total * factor + sum(e), mixture * factor + e @ values


@right("online_step", "one score after the other, as in the lesson's loop")
def _(highest, total, mixture, scores, values):
    for j in range(len(scores)):
        old = highest
        if scores[j] > highest:
            highest = scores[j]
        total = total * math.exp(old - highest) + math.exp(scores[j] - highest)
        mixture = mixture * math.exp(old - highest) + math.exp(scores[j] - highest) * values[j]
    return highest, total, mixture


# ---------------------------------------------------------------- 13 cached_step


@wrong("cached_step", "K.append(k): an array is no list")
def _(q, k, v, K, V):
    K.append(k)
    V.append(v)
    w = softmax(K @ q / np.sqrt(len(q)))
    return w @ V, K, V


@wrong("cached_step", "the look comes first and the cache grows afterwards: the token does not see itself")
def _(q, k, v, K, V):
    weights = softmax(K @ q / np.sqrt(len(q)))
    output = sum(weights[j] * V[j] for j in range(len(V)))
    K = np.vstack([K, k])
    V = np.vstack([V, v])
    return output, K, V


@wrong("cached_step", "the new token stands first in the cache", "the root of the number of keys")
def _(q, k, v, K, V):
    K = np.array([k] + list(K))
    V = np.array([v] + list(V))
    return softmax(K @ q / math.sqrt(len(K))) @ V, K, V


@right("cached_step", "lists of rows, then loops")
def _(q, k, v, K, V):
    K = [row for row in K] + [k]
    V = [row for row in V] + [v]
    w = softmax(np.array([q @ key for key in K]) / math.sqrt(len(q)))
    output = np.zeros(len(v))
    for j in range(len(V)):
        output = output + w[j] * V[j]
    return output, np.array(K), np.array(V)


# ---------------------------------------------------------------- 14 batched_attention


@wrong("batched_attention", "S[~mask] = -inf: (batch, 1, 1, n) is no mask for (batch, n_heads, n, n)")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    S[~mask] = -np.inf
    A = softmax(S)
    return A @ V, A


@wrong("batched_attention", "the mask of the first sentence serves the whole batch")
def _(Q, K, V, mask):
    S = Q @ np.swapaxes(K, 2, 3) / np.sqrt(Q.shape[-1])
    allowed = mask[0, 0, 0]
    S = np.where(allowed, S, -np.inf)
    weights = softmax(S, axis=-1)
    return weights @ V, weights


@wrong("batched_attention", "Q.shape[1] is the number of heads, the root is taken of that", "returns weights first")
def _(Q, K, V, mask):
    S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[1])
    weights = softmax(np.where(mask, S, -np.inf))
    return weights, weights @ V


@odd("batched_attention", "a class: Q, K, V go into its __init__, the arrays wait in its attributes")
class _:
    def __init__(self, Q, K, V, mask):
        S = Q @ np.swapaxes(K, 2, 3) / np.sqrt(Q.shape[-1])
        self.weights = softmax(np.where(mask, S, -np.inf))
        self.output = self.weights @ V


# ---------------------------------------------------------------- 14 previous_token


@wrong("previous_token", "the loop begins at row 0, and column -1 is the last one")
def _(weights):
    n = weights.shape[1]
    total = 0
    for i in range(n):
        total = total + weights[:, i, i - 1]
    return total / n


@wrong("previous_token", "np.diagonal without its axes runs through heads and tokens")
def _(weights):
    return np.diagonal(weights, offset=-1).mean(axis=-1)


@wrong("previous_token", "column i + 1, the token after", "one mean over all heads")
def _(weights):
    n = weights.shape[-1]
    found = []
    for h in range(len(weights)):
        for i in range(n - 1):
            found.append(weights[h, i, i + 1])
    return np.mean(found)


@odd("previous_token", "a generator that yields one mean for each head")
def _(weights):
    for head in weights:
        yield np.mean([head[i, i - 1] for i in range(1, len(head))])


# ---------------------------------------------------------------- 14 mean_pooling


@wrong("mean_pooling", "hidden[mask] puts the tokens of all sentences into one list: one mean for the batch")
def _(hidden, mask):
    return hidden[mask].mean(axis=0)


@wrong("mean_pooling", "counts the tokens and takes that many from the front: padding in front or between is not thought of")
def _(hidden, mask):
    vectors = []
    for b in range(len(hidden)):
        length = sum(mask[b])
        vectors.append(hidden[b, :length].mean(axis=0))
    return np.array(vectors)


@wrong("mean_pooling", "mask.sum(axis=1) without [:, None] lines up with d instead of with the batch")
def _(hidden, mask):
    total = (hidden * mask[..., None]).sum(axis=1)
    return total / mask.sum(axis=1)


@right("mean_pooling", "a list of the true rows of each sentence")
def _(hidden, mask):
    vectors = []
    for sentence, real in zip(hidden, mask):
        tokens = [vector for vector, yes in zip(sentence, real) if yes]
        vectors.append(sum(tokens) / len(tokens))
    return np.array(vectors)
