# %% [markdown]
# # 09 · Learning by gradient: how attention finds out where to look
#
# **You will build** the gradient of attention by hand, and a reader in NumPy that learns with it.
#
# **You will be able to**
# - derive the gradient of softmax and of attention, one small step at a time,
# - test a gradient with two independent judges,
# - measure what attention learns first, and when it cannot learn.
#
# **You need** [03_scaling](03_scaling.ipynb), [04_queries_keys_values](04_queries_keys_values.ipynb), and the derivatives of $e^x$ and $1/x$.
# The mathematics here is the hardest of the course.
# We go in small steps, and numbers test each one.
# **Time:** 30 minutes.

# %%
import time
from collections import namedtuple

import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.checks import check, predict, progress, recap
from course_utils.cls_task import make_task
from course_utils.plots import curves, heatmap, row_bars

# %% [markdown]
# ## A nudge to one score
#
# **Goal.** Know how all weights react when one score moves.
#
# Many texts say: attention is *differentiable*, so it learns from the training signal alone where to look.
# A **derivative** says how strongly a result reacts to a small nudge.
# A weight is $w_i = e^{s_i} / Z$, with $Z = \sum_k e^{s_k}$.
# Nudge one score, $s_j$:
#
# - **Below the line**, $Z$ reacts with $e^{s_j}$, so $1/Z$ reacts with $-e^{s_j}/Z^2$.
#   Times $e^{s_i}$ that is $-w_i w_j$.
#   This hits every weight.
# - **Above the line**, only weight $j$ has $e^{s_j}$.
#   It reacts with $e^{s_j}/Z = w_j$.
#
# So weight $i$ reacts to score $j$ with $-w_i w_j$, and weight $j$ with $w_j$ more.
# All reactions form a matrix, the **Jacobian**: $J = \mathrm{diag}(w) - w\,w^\top$.
# Row $i$ is the weight, column $j$ the score.
#
# A formula needs a test.
# **Central differences** nudge each number up and down, and watch the result.


# %%
def central_differences(loss, *arrays, step=1e-5):
    arrays = [np.array(array) for array in arrays]  # copies
    slopes = [np.zeros_like(array) for array in arrays]
    for array, slope in zip(arrays, slopes):
        for place in np.ndindex(array.shape):
            middle = array[place].copy()
            array[place] = middle + step
            up = loss(*arrays)
            array[place] = middle - step
            slope[place] = (up - loss(*arrays)) / (2 * step)
            array[place] = middle
    return slopes  # one for each array, of the same shape


# %%
def jacobian(w):
    return np.diag(w) - np.outer(w, w)  # (n_keys, n_keys)


scores = np.array([1, 0.5, 0]) / np.sqrt(2)  # "good" scores good, not, The: lesson 01
measured = [central_differences(lambda s, i=i: softmax(s)[i], scores)[0] for i in range(3)]  # its 3 rows
print(jacobian(softmax(scores)).round(2), "\nright to 1e-6:", np.abs(jacobian(softmax(scores)) - measured).max() < 1e-6)

# %% [markdown]
# Each column sums to 0: what one weight gains, the others lose.
#
# ## From a wish to the scores
#
# **Goal.** Carry a gradient back through the softmax.
#
# Training makes one number small, the **loss** $L$.
# Say that $L$ reacts to weight $i$ with $g_i$.
# A score acts on $L$ through *all* weights, and the effects add up.
# This is the **chain rule**:
#
# $$\frac{\partial L}{\partial s_j} = \sum_i g_i J_{ij} = g_j w_j - \sum_i g_i w_i w_j = w_j\,\Bigl(g_j - \sum_i w_i\, g_i\Bigr)$$
#
# In words: **its own weight, times how far its own $g$ lies above the average**.
# Remember this line.
# It explains all that follows.
#
# ### Exercise: `softmax_gradient` · 4 minutes
# `weights` is one row, `(n,)`.
# Some weights may be 0.
# `gradient` holds the $g_i$, also `(n,)`.
# Return how $L$ reacts to each score, `(n,)`.
#
# <details><summary>Hint 1</summary>The average of g, by weight, is one number: <code>weights @ gradient</code>.</details>
#
# <details><summary>Hint 2</summary>Subtract it from every g.
# Then multiply each result by its own weight.</details>


# %%
def softmax_gradient(weights, gradient):
    # solution
    return weights * (gradient - weights @ gradient)  # (n,)
    # end solution


check("softmax_gradient", softmax_gradient)

# %%
values, moved = np.array([1.0, -1.0, 0.0]), scores  # the wish: a small output w @ values. So L = w @ values, g = values
for _ in range(20):
    moved = moved - jacobian(softmax(moved)) @ values  # one step against the gradient
looks = np.stack([softmax(scores), softmax(moved)])  # (2, n_keys)
heatmap(looks, ["before", "after"], ["good", "not", "The"], title="Where “good” looks", vmax=1)
print("weight on 'not':", looks[:, 1].round(2), "  output:", (looks @ values).round(2))
plt.show()

# %% [markdown]
# Now *good* looks at *not*.
# Nobody told it where to look: a wish about the **output** was enough.
#
# ## Back through attention
#
# **Goal.** Find the gradients of Q, K and V, and test them.
#
# This is the hardest part.
# Take one query $q$ first, and go back through the steps of attention.
# Now $g$ says how $L$ reacts to the output, `(d_v,)`.
# At each step ask: how does the result react to what came in?
#
# | forward | backward |
# |:---|:---|
# | output $= \sum_j w_j v_j$ | value $j$ gets $w_j\,g$, and weight $j$ gets $g \cdot v_j$ |
# | $w = \mathrm{softmax}(s)$ | score $j$ gets $\delta_j$ (in code `ds`), by the line to remember |
# | $s_j = q \cdot k_j / \sqrt{d_k}$ | $q$ gets $\sum_j \delta_j\, k_j / \sqrt{d_k}$, and key $j$ gets $\delta_j\, q / \sqrt{d_k}$ |
#
# Then all queries.
# Every query reads every key and value, so what these get from the queries adds up.
# Two judges follow: central differences, and TensorFlow.
# Its `GradientTape` records a computation and finds the gradient alone.
# It takes some seconds to load.


# %%
def one_query(q, K, V, g):
    root = np.sqrt(len(q))
    w = softmax(np.array([q @ k for k in K]) / root)  # (n_keys,)
    dV = np.stack([weight * g for weight in w])  # (n_keys, d_v)
    dw = np.array([g @ v for v in V])  # (n_keys,)
    ds = jacobian(w) @ dw  # (n_keys,)
    dq = sum(d * k for d, k in zip(ds, K)) / root  # (d_k,)
    dK = np.stack([d * q for d in ds]) / root  # (n_keys, d_k)
    return dq, dK, dV


# %%
def all_queries(Q, K, V, G):
    parts = [one_query(q, K, V, g) for q, g in zip(Q, G)]
    dQ = np.stack([dq for dq, _, _ in parts])  # (n_queries, d_k): a row for each query
    return dQ, sum(dK for _, dK, _ in parts), sum(dV for _, _, dV in parts)  # from all queries


# %%
from course_utils.cls_model import keras  # starts TensorFlow, and keeps it quiet

print("the second judge:", keras.backend.backend())
import tensorflow as tf


def tape_gradient(loss, *arrays):
    tensors = [tf.Variable(array) for array in arrays]  # float64, as in NumPy
    with tf.GradientTape() as tape:
        result = loss(*tensors)
    return [gradient.numpy() for gradient in tape.gradient(result, tensors)]


by_hand = softmax(scores) * (values - softmax(scores) @ values)  # (n_keys,): the line to remember
nudge = central_differences(lambda s: softmax(s) @ values, scores)[0]
tape = tape_gradient(lambda s: tf.reduce_sum(values * tf.nn.softmax(s)), scores)[0]
print("softmax, both judges to 1e-6:", np.abs(by_hand - nudge).max() < 1e-6, np.abs(by_hand - tape).max() < 1e-6)

# %%
Q, K, V, G = (np.random.default_rng(10 * n + d).normal(size=(n, d)) for n, d in ((4, 2), (3, 2), (3, 5), (4, 5)))


def loss(Q, K, V):
    return (G * scaled_dot_product_attention(Q, K, V).output).sum()  # so L reacts to the output with G


def tf_loss(Q, K, V):
    return tf.reduce_sum(G * (tf.nn.softmax(Q @ tf.transpose(K) / np.sqrt(2)) @ V))


# %%
nudged, taped = central_differences(loss, Q, K, V), tape_gradient(tf_loss, Q, K, V)
for name, ours, nudge, tape in zip(("dQ", "dK", "dV"), all_queries(Q, K, V, G), nudged, taped):
    by_nudge, by_tape = np.abs(ours - nudge).max() < 1e-6, np.abs(ours - tape).max() < 1e-6
    print(f"{name} {ours.shape}   central differences to 1e-6: {by_nudge}   tape to 1e-6: {by_tape}")

# %% [markdown]
# ### Exercise: `attention_gradient` · 8 minutes
# Now without a loop.
# `Q` is `(n_queries, d_k)`, `K` `(n_keys, d_k)`, `V` `(n_keys, d_v)`; scores are divided by $\sqrt{d_k}$.
# `gradient` is `(n_queries, d_v)`: how $L$ reacts to the output.
# Return the tuple `(dQ, dK, dV)`.
#
# <details><summary>Hint 1</summary>Walk down the table.
# All weights get <code>gradient @ V.T</code>.
# In the softmax step each row has its own average: <code>.sum(axis=-1, keepdims=True)</code>.</details>
#
# <details><summary>Hint 2</summary>Let the shapes guide you.
# dV is (n_keys, d_v), and <code>weights.T @ gradient</code> gives that.
# Find dQ and dK in the same way.</details>


# %%
def attention_gradient(Q, K, V, gradient):
    # solution
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))  # (n_queries, n_keys)
    dweights = gradient @ V.T  # (n_queries, n_keys)
    dscores = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dscores @ K, dscores.T @ Q, weights.T @ gradient  # each with the shape of its array
    # end solution


check("attention_gradient", attention_gradient)

# %% [markdown]
# ## A step downhill
#
# **Goal.** Turn a gradient into learning.
#
# A small step *against* the gradient makes the loss smaller: **gradient descent**.
# The last part of a classifier is the simplest case.
# It gives each sentence a probability $p = 1 / (1 + e^{-(Xw + b)})$.
# The loss is the mean **cross-entropy**: minus the log of the probability of the right label.
# Its gradient at $Xw + b$ is short: $(p - \text{label}) / n$ for each of $n$ sentences.
# The test of the reader below covers it, too.
#
# ### Exercise: `train_step` · 5 minutes
# `X` is `(n, d)`, `labels` `(n,)`, `w` `(d,)`, `b` a number.
# Take one step: subtract `learning_rate` times the gradient.
# Return the new tuple `(w, b)`; leave the old arrays unchanged.
#
# <details><summary>Hint 1</summary>First <code>error = (p - labels) / n</code>.
# Nudge one number of w: Xw moves by a column of X.</details>
#
# <details><summary>Hint 2</summary>The gradient of w is <code>X.T @ error</code>, that of b is <code>error.sum()</code>.</details>


# %%
def train_step(w, b, X, labels, learning_rate):
    # solution
    p = 1 / (1 + np.exp(-(X @ w + b)))  # (n,)
    error = (p - labels) / len(labels)  # (n,)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()
    # end solution


check("train_step", train_step)

# %% [markdown]
# ## A reader that learns where to look
#
# **Goal.** Train attention with the gradient from above, in NumPy.
#
# A sentence is `[CLS]`, token 0, and six tokens.
# The label is 1 if the token at **position 4** is 42.
# At every other position a 42 stands in half of the sentences too.
# Such a 42 is a **decoy**: only the place tells.
#
# The reader is as small as possible.
# Each token and each position has a vector of 4 numbers; their sum is `X`.
# Row 0, `[CLS]`, is the query.
# The rows of `X` are keys and values at once.
# A read-out as above turns the output into $p$.
# No line knows position 4.
#
# The gradient is the one from above, for many sentences at once.
# `X` has three roles, so it gets three gradients: as values, as keys, and, in row 0, as query.


# %%
task, fresh = make_task(4000, decoys=0.5), make_task(4000, decoys=0.5, seed=1)  # to train, to test
many = (fresh.tokens == 42).sum(axis=1) >= 4  # (n,): the best guess that only counts
print(task.tokens[2], "->", int(task.labels[2]), "  accuracy of counting 42s:", np.mean(many == fresh.labels).round(2))

Reading = namedtuple("Reading", "X weights output p")


def start(seed):
    rng = np.random.default_rng(seed)
    return [0.1 * rng.normal(size=shape) for shape in ((51, 4), (7, 4), (4,), ())]  # tokens E, positions P, w, b


def read(E, P, w, b, tokens, lead=0):
    X = E[tokens] + P  # (n, n_keys, d) = (n, 7, 4)
    scores = np.einsum("nd,nkd->nk", X[:, 0], X) / np.sqrt(4)  # (n, n_keys): [CLS] meets every key
    scores[:, 2] += lead  # 0 until the last section
    weights = softmax(scores)  # (n, n_keys)
    output = np.einsum("nk,nkd->nd", weights, X)  # (n, d)
    return Reading(X, weights, output, p=1 / (1 + np.exp(-(output @ w + b))))


# %%
def cross_entropy(p, labels):
    return -np.log(np.abs(labels - 1 + p)).mean()  # |label - 1 + p| is the probability of the right label


def reader_gradient(E, P, w, b, tokens, labels, lead=0):
    X, weights, output, p = read(E, P, w, b, tokens, lead)
    error = (p - labels) / len(labels)  # (n,)
    doutput = np.outer(error, w)  # (n, d)
    dweights = np.einsum("nkd,nd->nk", X, doutput)  # (n, n_keys)
    dscores = weights * (dweights - (weights * dweights).sum(axis=1, keepdims=True))  # (n, n_keys)
    dX = weights[:, :, None] * doutput[:, None]  # (n, n_keys, d): the rows of X as values
    dX += dscores[:, :, None] * X[:, :1] / np.sqrt(4)  # as keys
    dX[:, 0] += np.einsum("nk,nkd->nd", dscores, X) / np.sqrt(4)  # [CLS] as query
    dE = np.zeros_like(E)
    np.add.at(dE, tokens, dX)  # a token adds up what it gets at all its places
    return [dE, dX.sum(axis=0), output.T @ error, error.sum()], dscores


# %%
few, first = make_task(50, decoys=0.5), start(0)
nudged = central_differences(lambda *numbers: cross_entropy(read(*numbers, few.tokens).p, few.labels), *first)
errors = [np.ravel(ours - nudge) for ours, nudge in zip(reader_gradient(*first, *few)[0], nudged)]
print(len(np.concatenate(errors)), "numbers to learn, right to 1e-6:", np.abs(np.concatenate(errors)).max() < 1e-6)

# %%
predict(
    "What will the reader learn first?",
    {
        "where to look: position 4": "A score learns from differences between values. At the start all values say nearly the same.",
        "what a 42 means": True,
        "both at the same time": "Before the values differ, every g lies near the average, and no score gets a gradient.",
    },
)


# %%
def train(seed=0, lead=0, epochs=10, rate=0.7):
    numbers, rng = start(seed), np.random.default_rng(seed)
    history = [numbers]
    for _ in range(epochs):
        for batch in rng.permutation(4000).reshape(-1, 100):  # 40 steps an epoch, 100 sentences each
            gradients, _ = reader_gradient(*numbers, task.tokens[batch], task.labels[batch], lead)
            numbers = [number - rate * gradient for number, gradient in zip(numbers, gradients)]
        history.append(numbers)
    return history


def accuracy(numbers, lead=0):
    return np.mean((read(*numbers, fresh.tokens, lead).p > 0.5) == fresh.labels)  # on new sentences


begin = time.process_time()  # counts this program only
history = train()
print("trained in under a second:", time.process_time() - begin < 1)

# %%
rows = np.stack([read(*numbers, fresh.tokens).weights.mean(axis=0) for numbers in history])  # (epochs + 1, n_keys)
places = ["[CLS]", *(f"pos {i}" for i in range(1, 7))]
heatmap(rows, range(11), places, title="Where [CLS] looks, epoch by epoch", vmax=1).set_ylabel("[CLS] after epoch")
print("position 4 after 0, 2, 4, 10 epochs:", rows[[0, 2, 4, 10], 4].round(2))
plt.show()


# %%
print("epoch   accuracy   weight at 4   what 42 says   1000 * gradient of score 4")
for epoch, (E, P, w, b) in enumerate(history):
    says = (E[42] - E[1:].mean(axis=0)) @ w  # how far a 42 moves Xw + b, against the mean token
    slope = 1000 * reader_gradient(E, P, w, b, *task)[1].sum(axis=0)[4]
    print(f"{epoch:>5}  {accuracy((E, P, w, b)):>9.2f}  {rows[epoch, 4]:>12.2f}  {says:>13.1f}  {slope:>27.1f}")

# %%
push = -1000 * reader_gradient(*history[2], *task)[1].sum(axis=0)  # (n_keys,)
row_bars(push, places, title="The push on each score after 2 epochs", highlight=[4], xlabel="−1000 · gradient")
print("pushed up:", [places[i] for i in np.flatnonzero(push > 0)], "  all pushes sum to 0:", abs(push.sum()) < 1e-6)
plt.show()

# %%
ends = [train(seed)[-1] for seed in range(8)]
eight = np.stack([read(*end, fresh.tokens).weights.mean(axis=0) for end in ends])  # (starts, n_keys)
heatmap(eight, range(8), places, title="Where [CLS] looks in the end, from 8 starts", vmax=1).set_ylabel("start")
print("accuracy above 0.99:", min(map(accuracy, ends)) > 0.99, "  position 4:", np.sort(eight[:, 4]).round(1))
plt.show()

# %% [markdown]
# So the claim holds: nobody named position 4, and it was found.
# You can say how:
#
# 1. At first all values say nearly the same.
#    Hardly any gradient reaches the scores.
# 2. The read-out learns what a 42 means.
#    For two epochs attention stays flat.
#    With equal weights the reader can only count 42s: accuracy 0.65.
# 3. Now the values differ.
#    At position 4 a 42 goes with the label, elsewhere it does not.
#    Only this score gets a push up, and attention jumps.
# 4. When the answers are right, the gradient fades.
#    **Hardly anything pushes the weight on to 1.**
#    Where it stops depends on the start.
#    Most of the rest lies on `[CLS]`, which says nothing and so does no harm.
#
# ## A softmax that is already sure
#
# **Goal.** Measure when attention cannot learn.
#
# In lesson [03](03_scaling.ipynb) large scores saturated the softmax, and its gradient vanished.
# What does that cost a reader?
# We add a fixed **lead** to the score of position 2, from the first step on.
# With a lead of 8, an untrained `[CLS]` looks at position 2 and hardly anywhere else.

# %%
predict(
    "With a lead of 8 for position 2, the same training ends with an accuracy of about",
    {
        1.0: "To get there, score 4 has to rise. Its gradient has its own weight as a factor, and that is nearly 0.",
        0.7: "That is what counting 42s gives. To count, the reader has to see all positions, and it sees one.",
        0.5: "It reads position 2, which says nothing about the label. And score 4 gets no gradient that could change it.",
    },
    answer=lambda: float(accuracy(train(lead=8)[-1], 8).round(1)),
)

# %%
leads = np.array([0, 1, 2, 4, 8, 16, 32])
slopes = [abs(reader_gradient(*history[2], *task, lead)[1].sum(axis=0)[4]) for lead in leads]
labels = {"xlabel": "lead of position 2", "ylabel": "gradient of score 4"}
curves(leads, {"gradient": slopes}, title="A sure softmax leaves no gradient", **labels).set_yscale("log")
for lead in leads:
    print(f"lead {lead:>2}: accuracy {accuracy(train(lead=lead)[-1], lead):.1f}")
print("times smaller at a lead of 32: more than 10^12:", slopes[0] / slopes[-1] > 1e12)
print("a lead of 1000: the largest derivative is exactly", jacobian(softmax(np.array([1000.0, 0, 0]))).max())
plt.show()

# %% [markdown]
# The formula said it, and here it is measured: no weight, no gradient.
# The reader stays sure of the wrong position.
# (A small gradient is slow, not dead: try `accuracy(train(lead=4, epochs=200)[-1], 4)`.)
#
# A lead of 32 is nothing special.
# At $d_k$ = 1,024, scores that nobody scaled have a standard deviation of $\sqrt{1024} = 32$.
# Dividing by $\sqrt{d_k}$ brings it back to 1, where the reader learns.
# This closes the circle to lesson 03.
#
# ## What we now know
#
# - The gradient of a score is its weight, times how far its own $g$ lies above the average.
# - The gradient of attention, by hand, equals central differences and TensorFlow's tape to 1e-6.
# - Labels alone teach attention where to look: first *what*, then *where*.
#   It nearly stops when the answers are right.
# - This needs two things: values that differ, and a softmax that is not saturated.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# Decoys forced this reader to look at position 4.
# Does a usual model, with usual sentences, look there as well?
# Go on with [12_cls_classifier](12_cls_classifier.ipynb).
