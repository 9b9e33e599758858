"""Answers of a data analyst (pandas, SQL, spreadsheets): joins, groups, means, percent; NumPy from snippets."""
from collections import Counter

import numpy as np
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# ---- 00
wrong("first_check", "drops duplicates first: the number of different tokens")(len(set(REVIEW)))


@wrong("bag_of_words", "cleans the text first: everything in lower case, as before any group by")
def bag_lower(tokens, vocabulary):
    tokens = [t.lower() for t in tokens]
    return [tokens.count(word.lower()) for word in vocabulary]


@wrong("bag_of_words", "shares of all tokens in place of counts", "most frequent word first, like value_counts")
def bag_value_counts(tokens, vocabulary):
    counts = Counter(t for t in tokens if t in vocabulary)
    table = [(word, counts[word] / max(len(tokens), 1)) for word in vocabulary]
    table.sort(key=lambda row: row[1], reverse=True)
    return [share for _, share in table]


@right("bag_of_words", "a left join of the vocabulary with a Counter, missing filled with 0")
def bag_join(tokens, vocabulary):
    counts = Counter(tokens)
    return np.array([counts.get(word, 0) for word in vocabulary])


@odd("bag_of_words", "returns a dictionary, word to count")
def bag_dict(tokens, vocabulary):
    return {word: tokens.count(word) for word in vocabulary}


# ---- 01
@wrong("dot_product", "puts the pairs into a dictionary, so a number that occurs twice in a counts once")
def dot_dict(a, b):
    pairs = dict(zip(a, b))
    total = 0
    for x, y in pairs.items():
        total += x * y
    return total


@wrong("cosine", "takes the correlation, which subtracts the means first")
def cosine_corr(a, b):
    return np.corrcoef(a, b)[0, 1]


@wrong("cosine", "rounds to two decimals, as for a report")
def cosine_report(a, b):
    return round(float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))), 2)


@wrong("one_query_scores", "len(K) counts the rows, so it divides by the root of the number of keys")
def one_query_rows(q, K):
    d_k = len(K)
    return np.array([(row * q).sum() for row in K]) / np.sqrt(d_k)


# ---- 02
@wrong("softmax", "the total is the sum over the distinct values only")
def softmax_distinct(scores):
    e = np.exp(scores)
    return e / np.unique(e).sum()


@wrong("softmax", "percent in place of shares", "rounded to one decimal")
def softmax_percent(scores):
    e = np.exp(scores)
    return (100 * e / e.sum()).round(1)


@wrong("temperature", "raises the weights to 1/T and forgets to share out anew")
def temperature_power(scores, T):
    weights = softmax(scores)
    return weights ** (1 / T)


@wrong("stable_softmax", "treats minus infinity as a missing value and fills in 0")
def stable_fillna(scores):
    scores = np.where(np.isinf(scores), 0, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "one maximum for the whole table in place of one for each row")
def stable_table_max(scores):
    e = np.exp(scores - np.max(scores))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable_softmax", "fills minus infinity with the mean of the finite scores", "a table only: axis=1")
def stable_impute(scores):
    scores = np.array(scores, dtype=float)
    scores[np.isinf(scores)] = scores[np.isfinite(scores)].mean()
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- 03
@wrong("score_variance", "the sample variance of pandas, ddof=1")
def variance_sample(Q, K):
    return (Q @ K.T).var(ddof=1)


@wrong("score_variance", "grouped by query: the mean of the variances of the rows", "divides by n - 1")
def variance_by_query(Q, K):
    table = Q @ K.T
    return table.var(axis=1, ddof=1).mean()


@wrong("scale_for_unit_variance", "without brackets the exponent is -1, and the result is halved")
def scale_precedence(d_k):
    return float(d_k) ** -1 / 2


@wrong("softmax_gradient_size", "the largest of each column, and then their mean")
def gradient_column_mean(scores):
    w = softmax(scores)
    J = np.abs(np.diag(w) - np.outer(w, w))
    return J.max(axis=0).mean()


@right("softmax_gradient_size", "the diagonal only, since it always holds the largest")
def gradient_diagonal(scores):
    w = softmax(scores)
    return max(x * (1 - x) for x in w)


# ---- 04
@wrong("project", "one wide table, cut into three equal parts, although V may have another width")
def project_wide(X, W_Q, W_K, W_V):
    table = X @ np.hstack([W_Q, W_K, W_V])
    width = table.shape[1] // 3
    return table[:, :width], table[:, width : 2 * width], table[:, 2 * width :]


@wrong("scores", "the cross join runs over the keys first, and reshape takes it for queries first")
def scores_cross_join(Q, K):
    d_k = Q.shape[1]
    rows = [(q * k).sum() / np.sqrt(d_k) for k in K for q in Q]
    return np.array(rows).reshape(len(Q), len(K))


@wrong("scores", "keys on the rows and queries on the columns", "the root of 3 of the example")
def scores_example(Q, K):
    return K @ Q.T / np.sqrt(3)


@wrong("weights", "like crosstab with normalize='all': one whole for the table in place of one for each row")
def weights_all(Q, K):
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return e / e.sum()


@wrong("weights", "each score by the sum of its row, no exponential", "in percent")
def weights_percent_of_row(Q, K):
    table = Q @ K.T / np.sqrt(Q.shape[1])
    return 100 * table / table.sum(axis=1, keepdims=True)


@wrong("attention", "a lookup: each query gets the value of its best key only")
def attention_lookup(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]), axis=-1)
    best = weights.argmax(axis=1)
    return V[best]


# ---- 05
@wrong("good_row", "sorts the weights, largest first")
def good_row_sorted(Q, K, i):
    row = softmax(K @ Q[i] / np.sqrt(Q.shape[1]))
    return np.sort(row)[::-1]


@wrong("good_row", "counts positions from 1, as in a spreadsheet", "the root of the number of words")
def good_row_from_one(Q, K, i):
    return softmax(K @ Q[i - 1] / np.sqrt(len(Q)))


@wrong("good_output", "the mean of the weighted rows in place of their sum")
def good_output_mean(weights, V):
    return (np.asarray(weights)[:, None] * V).mean(axis=0)


@right("good_output", "drops the rows of weight 0, then adds up row by row")
def good_output_dropped(weights, V):
    keep = np.asarray(weights) != 0
    total = np.zeros(V.shape[1])
    for w, row in zip(np.asarray(weights)[keep], V[keep]):
        total = total + w * row
    return total


wrong("conceptual_keys", "the logarithm is the key: the division by the root of 2 is not undone")(
    (np.array([0.0, 1.0]), np.column_stack([np.zeros(12), np.log(CONCEPTUAL_ROW)]))
)
wrong("conceptual_keys", "the logarithm to base 10")(
    (np.array([0.0, 1.0]), np.column_stack([np.zeros(12), np.log10(CONCEPTUAL_ROW) * np.sqrt(2)]))
)
right("conceptual_keys", "four columns, the last three free, the query makes up for the root")(
    (np.array([2, 0, 0, 0]), np.column_stack([np.log(100 * np.array(CONCEPTUAL_ROW)), np.arange(36).reshape(12, 3)]))
)


# ---- 06
@wrong("causal_mask", "rows and columns changed places in the comparison")
def causal_turned(n):
    place = np.arange(n)
    return place[:, None] <= place[None, :]


@wrong("causal_mask", "without the diagonal: earlier words only", "1 and 0 in place of True and False")
def causal_strict(n):
    table = np.zeros((n, n), dtype=int)
    for i in range(n):
        table[i, :i] = 1
    return table


@wrong("masked_weights", "hidden scores become 0, then every 0 counts as missing, also a visible one")
def masked_zero_is_missing(Q, K, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    S = S * mask
    S[S == 0] = -np.inf
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("masked_weights", "filters after the softmax, divides by the row total: 0 beside a huge hidden one")
def masked_filter_later(Q, K, mask):
    W = softmax(Q @ K.T / np.sqrt(Q.shape[1])) * mask
    return W / W.sum(axis=1, keepdims=True)


@odd("masked_weights", "returns a masked array in which the hidden weights are masked")
def masked_array(Q, K, mask):
    S = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)
    return np.ma.masked_array(softmax(S), mask=~mask)


@wrong("padding_mask", "the axis in the middle is missing")
def padding_two_axes(lengths, n_keys):
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


@wrong("padding_mask", "counts the keys from 1, so the last word is hidden", "the new axis comes last")
def padding_from_one(lengths, n_keys):
    number = np.arange(1, n_keys + 1)
    return (number < np.asarray(lengths)[:, None])[:, :, None]


@wrong("mask_label", "the mean over the whole table, with a threshold of one percent")
def label_mean(weights):
    return bool(np.triu(weights, 1).mean() < 0.01)


@wrong("mask_label", "compares each row with the next column only, as with shift(1)")
def label_neighbour(weights):
    return all(weights[i, i + 1] == 0 for i in range(len(weights) - 1))


@wrong("sat_row", "the empty row copies the type of K: with whole numbers all weights become 0")
def sat_zeros_like(Q, K):
    row = np.zeros_like(K[:, 0])
    row[:3] = softmax(K[:3] @ Q[2] / np.sqrt(K.shape[1]))
    return row


# ---- 07
@wrong("split_heads", "deals out the columns in turn in place of in blocks")
def split_in_turn(X, n_heads):
    return np.stack([X[:, h::n_heads] for h in range(n_heads)])


@right("split_heads", "np.split along the columns, then stack")
def split_blocks(X, n_heads):
    return np.stack(np.split(X, n_heads, axis=1))


@wrong("merge_heads", "dstack puts the heads side by side for each column, so they are interleaved")
def merge_dstack(heads):
    n = heads.shape[1]
    return np.dstack(list(heads)).reshape(n, -1)


@wrong("multi_head", "takes the mean of the heads' weights and applies it to all values")
def multi_mean_weights(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K = ((X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K))
    weights = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
    return weights.mean(axis=0) @ (X @ W_V) @ W_O


@wrong("cross_attention", "appends the two tables, so X looks at itself, too")
def cross_union(X, context, W_Q, W_K, W_V):
    both = np.concatenate([X, context])
    return scaled_dot_product_attention(X @ W_Q, both @ W_K, both @ W_V).output


# ---- 08
@wrong("permutation", "a pivot with the order on the rows and the old place on the columns: the inverse")
def permutation_pivot(order):
    n = len(order)
    P = np.zeros((n, n))
    P[order, np.arange(n)] = 1
    return P


@right("permutation", "one-hot columns like get_dummies, by a comparison")
def permutation_dummies(order):
    order = np.asarray(order)
    return (order[:, None] == np.arange(len(order))[None, :]).astype(int)


@wrong("sinusoidal_positions", "as many cosines as sines: an odd d_model does not fit")
def positions_even_only(n, d_model):
    P = np.zeros((n, d_model))
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    P[:, 0::2] = np.sin(angle)
    P[:, 1::2] = np.cos(angle)
    return P


@wrong("sinusoidal_positions", "places 1 to n", "every column has an angle of its own, also the cosine")
def positions_from_one(n, d_model):
    dims = np.arange(d_model)
    angle = np.arange(1, n + 1)[:, None] / 10000 ** (dims / d_model)
    return np.where(dims % 2 == 0, np.sin(angle), np.cos(angle))


@wrong("add_positions", "len(X) rows of P, one for each sentence: the place in the batch")
def add_row_number(X, P):
    return X + P[: len(X)][:, None, :]


@wrong("add_positions", "adds in place: the input changes, and an array of whole numbers raises")
def add_in_place(X, P):
    X += P[: X.shape[1]]
    return X


# ---- 09
@wrong("softmax_gradient", "the plain mean of the gradient in place of the weighted one")
def softmax_gradient_mean(weights, gradient):
    return weights * (gradient - gradient.mean())


@wrong("attention_gradient", "the plain mean of each row in the softmax step")
def attention_gradient_mean(Q, K, V, gradient):
    root = np.sqrt(Q.shape[-1])
    W = softmax(Q @ K.T / root)
    dW = gradient @ V.T
    dS = W * (dW - dW.mean(axis=-1, keepdims=True)) / root
    return dS @ K, dS.T @ Q, W.T @ gradient


@wrong("attention_gradient", "one average for the whole table, not for each row", "the root is missing on the way back")
def attention_gradient_total(Q, K, V, gradient):
    W = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    dW = gradient @ V.T
    dS = W * (dW - (W * dW).sum())
    return dS @ K, dS.T @ Q, W.T @ gradient


@wrong("train_step", "w -= changes the old array")
def train_in_place(w, b, X, labels, learning_rate):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    error = (p - labels) / len(labels)
    w -= learning_rate * (X.T @ error)
    b -= learning_rate * error.sum()
    return w, b


@wrong("train_step", "the rounded answer in place of the probability", "b gets the mean of the error once more")
def train_rounded(w, b, X, labels, learning_rate):
    p = (1 / (1 + np.exp(-(X @ w + b)))).round()
    error = (p - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.mean()


# ---- 10
@wrong("cls_labels", "returns the numbers of the rows that match, like a filter")
def labels_rows(tokens, position, target):
    return np.where(tokens[:, position] == target)[0]


@wrong("recall", "filters by the predictions: that is the precision")
def recall_precision(labels, predictions):
    return np.mean(labels[predictions == 1])


@wrong("count_weights", "stretch and shift are one number each")
def count_two_numbers(vocab_size, seq_len, d_model):
    tables = (vocab_size + seq_len) * d_model
    matrices = 4 * (d_model**2 + d_model)
    return tables + matrices + 2 + d_model + 1


# ---- 11
@wrong("balanced_accuracy", "groups by the predictions in place of the labels")
def balanced_by_prediction(labels, predictions):
    hit = labels == predictions
    return np.mean([hit[predictions == group].mean() for group in np.unique(predictions)])


@right("balanced_accuracy", "group by label with bincount: sums by counts")
def balanced_bincount(labels, predictions):
    groups = np.asarray(labels).astype(int)
    hits = np.bincount(groups, weights=np.asarray(labels) == np.asarray(predictions))
    return (hits / np.bincount(groups)).mean()


@wrong("uniform_attention", "len(weights) counts the rows, not the keys")
def uniform_len(weights):
    return np.full(weights.shape, 1 / len(weights))


# ---- 12
@wrong("verdict_label", "turns wherever there is any negation, also two")
def verdict_any(good, negations):
    return np.where(negations > 0, 1 - good, good)


@right("verdict_label", "the remainder of the sum")
def verdict_sum(good, negations):
    return (np.asarray(good) + np.asarray(negations)) % 2


@wrong("twins_told_apart", "told apart = the two predictions differ, right or not")
def twins_differ(labels, predictions):
    return np.mean(predictions[0::2] != predictions[1::2])


@wrong("cut_edge", "a list in the index: two whole rows become False")
def cut_rows(n, query, key):
    mask = np.ones((n, n), dtype=bool)
    mask[[query, key]] = False
    return mask


# ---- 13
@wrong("attention_bytes", "multiplies NumPy's whole numbers as they come: int32 overflows")
def bytes_plain(n, n_layers, n_heads, bytes_per_weight):
    return n**2 * n_layers * n_heads * bytes_per_weight


@right("attention_bytes", "np.prod over a column of floats")
def bytes_prod(n, n_layers, n_heads, bytes_per_weight):
    return np.prod([n, n, n_layers, n_heads, bytes_per_weight], dtype=float)


@odd("attention_bytes", "returns a text with thousands separators")
def bytes_text(n, n_layers, n_heads, bytes_per_weight):
    return f"{int(n) ** 2 * int(n_layers) * int(n_heads) * int(bytes_per_weight):,} bytes"


@wrong("online_step", "fills minus infinity with 0 before the first tile, so negative scores never set the highest")
def online_fill(highest, total, mixture, scores, values):
    if np.isinf(highest):
        highest = 0
    new = max(highest, scores.max())
    shrink = np.exp(highest - new)
    part = np.exp(scores - new)
    return new, total * shrink + part.sum(), mixture * shrink + part @ values


@wrong("cached_step", "the newest row on top")
def cached_newest_first(q, k, v, K, V):
    K = np.vstack([k, K])
    V = np.vstack([v, V])
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V


@right("cached_step", "np.append flattens, reshape makes the table again; np.average mixes")
def cached_append(q, k, v, K, V):
    K = np.append(K, k).reshape(-1, len(k))
    V = np.append(V, v).reshape(-1, len(v))
    weights = softmax(K @ q / np.sqrt(len(q)))
    return np.average(V, axis=0, weights=weights), K, V


# ---- 14
@wrong("batched_attention", "fills hidden scores with the smallest score of the table")
def batched_fill_min(Q, K, V, mask):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    weights = softmax(np.where(mask, S, S.min()))
    return weights @ V, weights


@wrong("previous_token", "the first token has no value; it is filled with 0 and counts in the mean")
def previous_fill(weights):
    n_heads, n, _ = weights.shape
    shifted = np.zeros((n_heads, n))
    for i in range(1, n):
        shifted[:, i] = weights[:, i, i - 1]
    return shifted.mean(axis=1)


@wrong("mean_pooling", "padding becomes 0, but still counts in the number of rows")
def pooling_mean(hidden, mask):
    return (hidden * mask[..., None]).mean(axis=1)


@wrong("mean_pooling", "every 0 is a missing value, also a 0 of a token")
def pooling_zero_missing(hidden, mask):
    table = hidden * mask[..., None]
    count = (table != 0).sum(axis=1)
    return table.sum(axis=1) / np.maximum(count, 1)


@right("mean_pooling", "padding becomes nan, nanmean skips it")
def pooling_nanmean(hidden, mask):
    return np.nanmean(np.where(mask[..., None], hidden, np.nan), axis=1)
