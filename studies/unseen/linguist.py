"""Answers of a linguist who learned Python for corpora: thinks in words, lists, counters and tables."""
import statistics
from collections import Counter, defaultdict

import numpy as np
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW
from unseen import odd, right, wrong

# ---------------------------------------------------------------- lesson 00
wrong("first_check", "counts the types instead of the tokens: was occurs twice")(len(set(REVIEW)))


@wrong("bag_of_words", "counts pieces of text: good is found inside of goodness too")
def _(tokens, vocabulary):
    text = " ".join(tokens)
    return [text.count(word) for word in vocabulary]


@wrong("bag_of_words", "lowers the tokens, as the cell below does", "relative frequencies instead of counts")
def _(tokens, vocabulary):
    tokens = [token.lower() for token in tokens]
    return np.array([tokens.count(word) for word in vocabulary], dtype=float) / len(tokens)


@wrong("bag_of_words", "the counts come in the order of the text, and words that do not occur have none")
def _(tokens, vocabulary):
    counter = Counter(token for token in tokens if token in vocabulary)
    return list(counter.values())


@odd("bag_of_words", "returns a Counter")
def _(tokens, vocabulary):
    counter = Counter({word: 0 for word in vocabulary})
    counter.update(token for token in tokens if token in vocabulary)
    return counter


# ---------------------------------------------------------------- lesson 01
@wrong("dot_product", "pairs go through a dictionary, so a number that occurs twice in a counts once")
def _(a, b):
    total = 0
    for x, y in dict(zip(a, b)).items():
        total += x * y
    return total


@right("dot_product", "a counter that is summed up at the end")
def _(a, b):
    products = Counter()
    for place, (x, y) in enumerate(zip(a, b)):
        products[place] += x * y
    return sum(products.values())


@wrong("cosine", "takes len, how many numbers there are, for the length of a vector")
def _(a, b):
    return (a @ b) / np.sqrt(len(a) * len(b))


@wrong("one_query_scores", "the table of scores has the dtype of K, so whole numbers lose their fractions")
def _(q, K):
    scores = np.zeros(len(K), dtype=K.dtype)
    for j in range(len(K)):
        scores[j] = K[j] @ q / np.sqrt(len(q))
    return scores


@wrong("one_query_scores", "the root of the number of keys", "sorts the scores, the best first")
def _(q, K):
    return np.array(sorted((K @ q / np.sqrt(len(K))), reverse=True))


# ---------------------------------------------------------------- lesson 02
@wrong("softmax", "equal scores enter the sum once")
def _(scores):
    total = sum(np.exp(score) for score in set(scores))
    return np.exp(scores) / total


@wrong("softmax", "rounds to two decimals, as the lesson prints")
def _(scores):
    exps = np.exp(scores)
    return (exps / exps.sum()).round(2)


@wrong("temperature", "the weights to the power 1 / T, not normalised again")
def _(scores, T):
    return softmax(scores) ** (1 / T)


@right("temperature", "lists and a dictionary of places")
def _(scores, T):
    highest = max(scores)
    table = {place: np.e ** ((score - highest) / T) for place, score in enumerate(scores)}
    total = sum(table.values())
    return [table[place] / total for place in range(len(scores))]


@wrong("stable_softmax", "one maximum for the whole array", "axis 1 instead of the last in the sum")
def _(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum(axis=1, keepdims=True)


@wrong("stable_softmax", "row by row for a table only, not for one row or three axes")
def _(scores):
    rows = []
    for row in scores:
        exps = [np.exp(score - max(row)) for score in row]
        rows.append([e / sum(exps) for e in exps])
    return np.array(rows)


# ---------------------------------------------------------------- lesson 03
@wrong("score_variance", "the sample variance of the statistics module")
def _(Q, K):
    return statistics.variance([float(q @ k) for q in Q for k in K])


@wrong("scale_for_unit_variance", "d_k ** -1 / 2 is half of 1 / d_k")
def _(d_k):
    return float(d_k) ** -1 / 2


@wrong("softmax_gradient_size", "the outer product only, without the diagonal")
def _(scores):
    w = softmax(scores)
    return max(abs(-x * y) for x in w for y in w)


@right("softmax_gradient_size", "the largest weight alone")
def _(scores):
    best = sorted(softmax(scores))[-1]
    return best - best * best


# ---------------------------------------------------------------- lesson 04
@wrong("project", "one array of three tables, so d_v must be d_k")
def _(X, W_Q, W_K, W_V):
    return tuple(np.array([X @ W for W in (W_Q, W_K, W_V)]))


@wrong("scores", "the table is queries by queries, so it needs as many keys")
def _(Q, K):
    table = np.zeros((len(Q), len(Q)))
    for i, q in enumerate(Q):
        table[i] = [q @ k / np.sqrt(len(q)) for k in K]
    return table


@odd("scores", "returns a dictionary of dictionaries")
def _(Q, K):
    table = defaultdict(dict)
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            table[i][j] = q @ k / np.sqrt(len(k))
    return table


@wrong("weights", "one sum for the whole table instead of one for each row")
def _(Q, K):
    table = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))
    return table / table.sum()


@wrong("weights", "the root of the number of queries", "normalises over the queries")
def _(Q, K):
    return softmax(Q @ K.T / np.sqrt(len(Q)), axis=0)


@wrong("attention", "scales by the length of a value")
def _(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(V.shape[-1])) @ V


@right("attention", "a sum in words: for each query, the values times their weights")
def _(Q, K, V):
    output = []
    for q in Q:
        row = softmax([sum(x * y for x, y in zip(q, k)) / len(k) ** 0.5 for k in K])
        output.append(sum(w * v for w, v in zip(row, V)))
    return output


# ---------------------------------------------------------------- lesson 05
@wrong("good_row", "always the row of good, word 4, unless the sentence is shorter")
def _(Q, K, i):
    i = min(4, len(Q) - 1)
    return softmax(K @ Q[i] / np.sqrt(K.shape[-1]))


@wrong("good_row", "who looks and who is looked at are swapped", "no division")
def _(Q, K, i):
    return softmax([word @ K[i] for word in Q])


@wrong("good_output", "leaves out the weights that round to 0.00")
def _(weights, V):
    output = np.zeros(V.shape[1])
    for weight, value in zip(weights, V):
        if round(float(weight), 2) != 0:
            output = output + weight * value
    return output


# the logarithms are rounded to whole numbers
wrong("conceptual_keys", "the keys are rounded to whole numbers")(
    (np.array([0, 1]), np.array([[0, np.round(np.log(w) * np.sqrt(2))] for w in CONCEPTUAL_ROW])))
right("conceptual_keys", "counts out of a hundred, spread over four equal numbers")(
    (np.ones(4), np.array([[np.log(100 * w) / 2] * 4 for w in CONCEPTUAL_ROW])))


# ---------------------------------------------------------------- lesson 06
@wrong("causal_mask", "a word may not look at itself")
def _(n):
    return np.array([[True] * i + [False] * (n - i) for i in range(n)])


@wrong("causal_mask", "the rows are keys", "zeros and ones instead of bool")
def _(n):
    return np.array([[1 if i <= j else 0 for j in range(n)] for i in range(n)])


@wrong("masked_weights", "hidden scores become 0 first, then every 0 is hidden, also a visible one")
def _(Q, K, mask):
    table = Q @ K.T / np.sqrt(K.shape[-1]) * mask
    table[table == 0] = -np.inf
    return softmax(table)


@wrong("masked_weights", "the weights of the visible keys stand in front, the zeros behind")
def _(Q, K, mask):
    rows = []
    for q, may_look in zip(Q, mask):
        seen = softmax(K[may_look] @ q / np.sqrt(len(q)))
        rows.append(list(seen) + [0] * (len(K) - len(seen)))
    return np.array(rows)


@wrong("padding_mask", "as wide as the longest sentence in the batch, not n_keys")
def _(lengths, n_keys):
    longest = max(lengths)
    return np.array([[[j < length for j in range(longest)]] for length in lengths])


@wrong("padding_mask", "one key too many", "the axis of length 1 comes last")
def _(lengths, n_keys):
    return np.array([[[j <= length] for j in range(n_keys)] for length in lengths])


@wrong("mask_label", "looks at the next word only")
def _(weights):
    return all(weights[i][i + 1] == 0 for i in range(len(weights) - 1))


@wrong("mask_label", "a weight below half a percent counts as none")
def _(weights):
    table = weights.round(2)
    return not any(table[i, j] for i in range(len(table)) for j in range(i + 1, len(table)))


@odd("mask_label", "prints the guilty pairs and returns yes or no as a word")
def _(weights):
    guilty = [(i, j) for i, row in enumerate(weights) for j, w in enumerate(row) if j > i and w > 0]
    print(guilty[:5])
    return "no" if guilty else "yes"


@wrong("sat_row", "the row has the dtype of K, so whole numbers lose all weights")
def _(Q, K):
    row = np.zeros_like(K[:, 0])
    row[:3] = softmax(K[:3] @ Q[2] / np.sqrt(K.shape[1]))
    return row


@wrong("sat_row", "looks at the words before it, not at itself")
def _(Q, K):
    seen = softmax([Q[2] @ k / np.sqrt(len(k)) for k in K[:2]])
    return np.array(list(seen) + [0] * 4)


# ---------------------------------------------------------------- lesson 07
@wrong("split_heads", "deals out the columns like cards")
def _(X, n_heads):
    return np.array([X[:, head::n_heads] for head in range(n_heads)])


@right("split_heads", "slices of every row, in lists")
def _(X, n_heads):
    size = X.shape[1] // n_heads
    return [[list(word[h * size:(h + 1) * size]) for word in X] for h in range(n_heads)]


@wrong("merge_heads", "glues the first and the last head, which is all for two heads")
def _(heads):
    return np.concatenate([heads[0], heads[-1]], axis=1)


@wrong("merge_heads", "glues the heads below each other", "turns the table on its side")
def _(heads):
    return np.concatenate(list(heads)).T


@wrong("multi_head", "the width of a head comes from d_model, not from d")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    size = X.shape[1] // n_heads
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    outputs = []
    for h in range(n_heads):
        part = slice(h * size, (h + 1) * size)
        outputs.append(scaled_dot_product_attention(Q[:, part], K[:, part], V[:, part]).output)
    return np.hstack(outputs) @ W_O


@wrong("multi_head", "the root of d in every head instead of the root of the head's width")
def _(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    heads = zip(*[np.split(part, n_heads, axis=1) for part in (Q, K, V)])
    return np.hstack([softmax(q @ k.T / np.sqrt(Q.shape[1])) @ v for q, k, v in heads]) @ W_O


@wrong("cross_attention", "context and sentence form one text, and the words look at both")
def _(X, context, W_Q, W_K, W_V):
    both = np.vstack([X, context])
    return scaled_dot_product_attention(X @ W_Q, both @ W_K, both @ W_V).output


# ---------------------------------------------------------------- lesson 08
@wrong("permutation", "says where each word goes, not where it comes from")
def _(order):
    P = np.zeros((len(order), len(order)))
    for new, old in enumerate(order):
        P[old, new] = 1
    return P


@wrong("sinusoidal_positions", "whole-number division in the exponent")
def _(n, d_model):
    table = np.zeros((n, d_model))
    for t in range(n):
        for dim in range(d_model):
            angle = t / 10000 ** (dim // 2 * 2 // d_model)
            table[t, dim] = np.cos(angle) if dim % 2 else np.sin(angle)
    return table


@wrong("sinusoidal_positions", "counts the places from 1", "i is the dimension itself, not its pair")
def _(n, d_model):
    waves = (np.sin, np.cos)
    return np.array([[waves[i % 2](t / 10000 ** (2 * i / d_model)) for i in range(d_model)]
                     for t in range(1, n + 1)])


@right("sinusoidal_positions", "word after word, appending sine and cosine, then cut to the width")
def _(n, d_model):
    rows = []
    for t in range(n):
        row = []
        for even in range(0, d_model, 2):
            angle = t * 10000 ** (-even / d_model)
            row += [np.sin(angle), np.cos(angle)]
        rows.append(row[:d_model])
    return np.array(rows)


@wrong("add_positions", "writes into a copy of X, where whole numbers cut the fractions")
def _(X, P):
    new = X.copy()
    for s, sentence in enumerate(X):
        for place, word in enumerate(sentence):
            new[s, place] = word + P[place]
    return new


# ---------------------------------------------------------------- lesson 09
@wrong("softmax_gradient", "drops the words of weight 0, so the row becomes shorter")
def _(weights, gradient):
    average = sum(w * g for w, g in zip(weights, gradient))
    return np.array([w * (g - average) for w, g in zip(weights, gradient) if w])


@wrong("attention_gradient", "the average of a row is taken without the weights")
def _(Q, K, V, gradient):
    root = np.sqrt(Q.shape[1])
    weights = softmax(Q @ K.T / root)
    d_weights = gradient @ V.T
    d_scores = weights * (d_weights - d_weights.mean(axis=-1, keepdims=True)) / root
    return d_scores @ K, d_scores.T @ Q, weights.T @ gradient


@wrong("attention_gradient", "dQ and dK are not divided by the root", "dV without the transpose")
def _(Q, K, V, gradient):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[1]))
    d_weights = gradient @ V.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    return d_scores @ K, d_scores.T @ Q, weights @ gradient


@wrong("train_step", "the error is that of the answers yes and no, not of the probabilities")
def _(w, b, X, labels, learning_rate):
    p = (1 / (1 + np.exp(-(X @ w + b)))).round()
    error = (p - labels) / len(labels)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()


@wrong("train_step", "the new b is computed first and already used for w")
def _(w, b, X, labels, learning_rate):
    def error():
        return (1 / (1 + np.exp(-(X @ w + b))) - labels) / len(X)
    b = b - learning_rate * error().sum()
    w = w - learning_rate * X.T @ error()
    return w, b


# ---------------------------------------------------------------- lesson 10
@wrong("cls_labels", "index finds the first occurrence only")
def _(tokens, position, target):
    answer = []
    for sentence in tokens:
        sentence = list(sentence)
        answer.append(1 if target in sentence and sentence.index(target) == position else 0)
    return np.array(answer)


@wrong("recall", "precision: of those found, which share is true")
def _(labels, predictions):
    found = [label for label, prediction in zip(labels, predictions) if prediction == 1]
    return sum(found) / len(found) if found else 0.0


@right("recall", "a contingency table of pairs")
def _(labels, predictions):
    table = Counter(zip(map(int, labels), map(int, predictions)))
    return table[1, 1] / (table[1, 1] + table[1, 0])


@wrong("count_weights", "[CLS] is one more word of the vocabulary", "the two learned vectors of step 3 are left out")
def _(vocab_size, seq_len, d_model):
    words = (vocab_size + 1) * d_model + seq_len * d_model
    return words + 4 * (d_model * d_model + d_model) + d_model + 1


# ---------------------------------------------------------------- lesson 11
@wrong("balanced_accuracy", "the F score, the harmonic mean of precision and recall")
def _(labels, predictions):
    table = Counter(zip(map(int, labels), map(int, predictions)))
    return 2 * table[1, 1] / (2 * table[1, 1] + table[1, 0] + table[0, 1])


@right("balanced_accuracy", "groups the answers by label in a dictionary")
def _(labels, predictions):
    groups = defaultdict(list)
    for label, prediction in zip(labels, predictions):
        groups[int(label)].append(int(prediction == label))
    return statistics.mean(sum(group) / len(group) for group in groups.values())


@wrong("uniform_attention", "full_like keeps the dtype, so weights of whole numbers become 0")
def _(weights):
    return np.full_like(weights, 1 / weights.shape[-1])


# ---------------------------------------------------------------- lesson 12
@wrong("verdict_label", "only a single negation turns, three do not")
def _(good, negations):
    return np.array([1 - g if n == 1 else g for g, n in zip(good, negations)])


@right("verdict_label", "adds the good word and the negations, and asks whether the sum is odd")
def _(good, negations):
    return [1 if (g + n) % 2 == 1 else 0 for g, n in zip(good, negations)]


@wrong("twins_told_apart", "all neighbours, as bigrams, instead of rows 2i and 2i + 1")
def _(labels, predictions):
    hits = list(labels == predictions)
    pairs = list(zip(hits, hits[1:]))
    return sum(one and two for one, two in pairs) / len(pairs)


@wrong("twins_told_apart", "told apart if the two answers differ, right or not")
def _(labels, predictions):
    pairs = list(zip(predictions[::2], predictions[1::2]))
    return sum(one != two for one, two in pairs) / len(pairs)


@wrong("cut_edge", "cuts both directions")
def _(n, query, key):
    return np.array([[{i, j} != {query, key} for j in range(n)] for i in range(n)])


# ---------------------------------------------------------------- lesson 13
@wrong("attention_bytes", "counts each pair of tokens once")
def _(n, n_layers, n_heads, bytes_per_weight):
    n, n_layers, n_heads = int(n), int(n_layers), int(n_heads)
    return n * (n + 1) // 2 * n_layers * n_heads * int(bytes_per_weight)


@wrong("online_step", "the highest of the tile, also when the old one was higher")
def _(highest, total, mixture, scores, values):
    new = max(scores)
    shrink = np.exp(highest - new)
    exps = np.exp(scores - new)
    return new, total * shrink + exps.sum(), mixture * shrink + exps @ values


@wrong("online_step", "the mixture does not shrink", "the tile is weighed against its own highest score")
def _(highest, total, mixture, scores, values):
    new = max(highest, max(scores))
    exps = np.exp(scores - max(scores))
    return new, total * np.exp(highest - new) + exps.sum(), mixture + exps @ values


@wrong("cached_step", "the root of the number of tokens in the cache")
def _(q, k, v, K, V):
    K, V = np.vstack([K, k]), np.vstack([V, v])
    return softmax(K @ q / np.sqrt(len(K))) @ V, K, V


# ---------------------------------------------------------------- lesson 14
@wrong("batched_attention", "hidden scores become 0 instead of minus infinity")
def _(Q, K, V, mask):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    weights = softmax(np.where(mask, scores, 0))
    return weights @ V, weights


@wrong("previous_token", "the first word looks at place -1, the last word")
def _(weights):
    return np.array([np.mean([head[i][i - 1] for i in range(len(head))]) for head in weights])


@wrong("mean_pooling", "the first words, as many as there are tokens, wherever the padding is")
def _(hidden, mask):
    return np.array([sentence[:sum(real)].mean(axis=0) for sentence, real in zip(hidden, mask)])


@right("mean_pooling", "picks the tokens of each sentence from a list")
def _(hidden, mask):
    means = []
    for sentence, real in zip(hidden, mask):
        words = [word for word, is_token in zip(sentence, real) if is_token]
        means.append(sum(words) / len(words))
    return means
