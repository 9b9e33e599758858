# %% [markdown]
# # 10 · The gradient by hand: a wish travels back through attention
#
# ![](../images/machine_10.svg)
#
# **You will build** the backward pass of attention, first with a pencil, then as a loop, then as matrices, and put it into the training of lesson 09.
#
# **You will be able to**
# - carry a gradient back through a softmax, a sum and a dot product,
# - write the gradient of attention without a loop,
# - check a gradient against three others that were found in different ways.
#
# **You need** [03_scaling](03_scaling.ipynb), [04_queries_keys_values](04_queries_keys_values.ipynb), [09_learning_where](09_learning_where.ipynb), and the derivatives of $e^x$ and $1/x$.
# The mathematics here is the hardest in the course, so we go slowly.
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.pictures.plots import curves, heatmap
from course_utils.tasks.critics_task import make_films, start

# %%
look_back("10")

# %%
softmax, reader, train_reader = mine("stable_softmax", "reader", "train_reader")

# %% [markdown]
# ## A nudge to one score
#
# **Goal.** See how all the weights react when one score moves.
#
# In lesson 09 your reader found critic 4 by walking down a gradient that was handed to it.
# Where does such a gradient come from?
# The text *Self-Attention: Teaching Machines to Focus* says that attention "is fully differentiable", so such a gradient exists.
# To find it, we have to go back through the softmax.
#
# We take one row from lesson 01, in which the query *good* meets *good*, *not* and *The*, and we nudge one of its scores.
# A **derivative** says how strongly a result reacts to such a nudge.

# %%
predict(
    "You nudge the score of “not” up. What does the weight of “good” do?",
    {
        "it rises": "All the weights sum to 1. If one gains, the others pay.",
        "it stays": "Its own score did not change. But the sum below the fraction line did.",
        "it falls": "The weights are a budget of 1: what “not” gains, “good” and “The” have to lose.",
    },
    answer="it falls",
)

# %%
words = ["good", "not", "The"]
q = np.array([0.0, 1.0])  # (d_k,): the query of "good"
K = np.array([[0.0, 1.0], [0.5, 0.5], [0.0, 0.0]])  # (n_keys, d_k) = (3, 2)
scores = K @ q / np.sqrt(2)  # (n_keys,), divided by the root of d_k
w = softmax(scores)

# %%
# answers prediction 1
nudged = softmax(scores + [0, 0.01, 0])  # the score of "not", 0.01 higher
print("weights ", w.round(2))
print("reaction", ((nudged - w) / 0.01).round(2), "times the nudge")

# %% [markdown]
# Can we say how large these reactions are, without nudging?
# In the formula for a weight, $w_i = e^{s_i} / Z$ with $Z = \sum_k e^{s_k}$, the score $s_j$ can appear twice.
#
# - **Below the fraction line** it appears in every weight: the derivative of $Z$ is $e^{s_j}$, so the derivative of $1/Z$ is $-e^{s_j}/Z^2$, and multiplying by $e^{s_i}$ gives $-w_i w_j$.
# - **Above the fraction line** it appears only in weight $j$, where it adds $e^{s_j}/Z = w_j$.
#
# All the reactions together form a matrix, called a **Jacobian**, with a row for each weight and a column for each score:
#
# $$\underset{(n,\,n)}{J} = \mathrm{diag}(\underset{(n)}{w}) - \underset{(n,\,1)}{w}\;\underset{(1,\,n)}{w^\top}$$


# %%
# answers prediction 1
def jacobian(w):
    return np.diag(w) - np.outer(w, w)  # (n_keys, n_keys): weights, scores


print(jacobian(w).round(2))
print("column of 'not':   ", jacobian(w)[:, 1].round(2))
print("sum of each column:", jacobian(w).sum(axis=0).round(2) + 0.0)

# %% [markdown]
# The middle column shows the reactions that you measured.
#
# ## From a wish to the scores
#
# **Goal.** Carry a gradient back through the softmax.
#
# Training makes one number small, the loss $L$, and a score affects the loss only through the weights and the output.
# Suppose we already know how $L$ reacts to each weight $i$; call this derivative $g_i$.
# A single score moves *all* the weights, so there are as many paths from a score to $L$ as there are weights.
# Along each path we multiply two reactions (of the weight to the score, and of $L$ to the weight), and then we add up the paths.
# This is called the **chain rule**:
#
# $$\frac{\partial L}{\partial s_j} = \sum_i g_i\, J_{ij} = g_j w_j - \sum_i g_i w_i w_j = w_j\,\Bigl(g_j - \sum_i w_i\, g_i\Bigr)$$
#
# In words, a score gets **its own weight, times how far its own $g$ lies above the average**, and this average is weighted by $w$.
# Remember this line; you met it in lesson 09, where it told you how hard critic 4's score is pushed.
#
# Now take a pencil and make a wish: *good* should come out of attention less positive and more negating.
# The value of each word consists of two numbers, *how positive* and *how negating*.
# As a loss, the wish is the first number of the output minus the second number, so $L$ reacts to the output with $(1, -1)$.
# Work out the next cell's three lines on paper first.

# %%
V = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])  # (n_keys, d_v): how positive, how negating
g = np.array([1.0, -1.0])  # (d_v,): how L reacts to the output
dw = np.array([g @ v for v in V])  # (n_keys,): how L reacts to each weight
for word, weight, own in zip(words, w, dw):
    print(f"{word:>4}: {weight:.2f} * ({own:4.1f} - {w @ dw:.2f}) = {weight * (own - w @ dw):5.2f}")

# %% [markdown]
# ### Exercise: `softmax_gradient` · 5 minutes
# `weights` is `(..., n)`: one row, or any number of rows, and the softmax ran along the last axis.
# Some weights may be 0.
# `gradient` holds the $g_i$, of the same shape.
# Return how $L$ reacts to each score, as an array of the same shape.
#
# <details><summary>Hint 1</summary>Each row has its own weighted average of g.
# For one row it is <code>weights @ gradient</code>; for many rows, multiply and sum along the last axis, and keep that axis.</details>
#
# <details><summary>Hint 2</summary>Subtract the average from every g of its row, and then multiply each result by its own weight.</details>


# %%
def softmax_gradient(weights, gradient):
    # solution
    average = (weights * gradient).sum(axis=-1, keepdims=True)  # (..., 1)
    return weights * (gradient - average)  # (..., n)
    # end solution


check("softmax_gradient", softmax_gradient)

# %%
softmax_gradient = keep("softmax_gradient")
print("with a pencil:", softmax_gradient(w, dw).round(2))
print("J transposed: ", (jacobian(w).T @ dw).round(2))

# %% [markdown]
# <details><summary>About the solution</summary>
# The matrix $J$ gives the same result, but it needs $n^2$ numbers for each row of weights, and the one-line formula only $n$; the gradient of TensorFlow's softmax uses it, too.</details>
#
# Now take twenty steps *against* this gradient, and look at the weights again.

# %%
moved = scores
for _ in range(20):
    moved = moved - softmax_gradient(softmax(moved), dw)
looks = np.stack([w, softmax(moved)])  # (2, n_keys)
heatmap(looks, ["before", "after"], words, title="Where the query “good” looks", vmax=1)
print("weight on 'not':", looks[:, 1].round(2), "  output:", *(looks @ V).round(2))
plt.show()

# %% [markdown]
# Now *good* looks at *not*, and nobody told it to: a wish about the **output** was enough.
#
# ## One query, one step at a time
#
# **Goal.** Go back through all of attention, for one query.
#
# In a model we can't choose the scores freely: they are computed from a query and keys, and the output is made of values, so the query, the keys and the values all need gradients.
# To find these gradients, walk backwards through attention; at each step multiply by one reaction, and where several paths meet, add them up.
# The chain rule, applied like this from the loss back to the inputs, is called **backpropagation**.
#
# | forward | backward, with $g$ at the output | shape |
# |:---|:---|:---|
# | output $= \sum_j w_j v_j$ | value $j$ gets $w_j\,g$ | `(d_v,)` |
# | | weight $j$ gets $g \cdot v_j$ | a number |
# | $w = \mathrm{softmax}(s)$ | score $j$ gets $\delta_j$, by the line to remember | a number |
# | $s_j = q \cdot k_j / \sqrt{d_k}$ | key $j$ gets $\delta_j\, q / \sqrt{d_k}$ | `(d_k,)` |
# | | $q$ gets $\sum_j \delta_j\, k_j / \sqrt{d_k}$ | `(d_k,)` |
#
# The last row contains a sum, because the query meets every key.
# Work out one word on paper, then compare.

# %%
ds = softmax_gradient(w, dw)  # (n_keys,): the three numbers from above
for j, word in enumerate(words):
    to_value, to_key = w[j] * g, ds[j] * q / np.sqrt(2)  # (d_v,), (d_k,)
    print(f"{word:>4}   value gets", to_value.round(2), "  key gets", to_key.round(2) + 0.0)

# %% [markdown]
# ### Exercise: `one_query_gradient` · 8 minutes
# Write the walk as a function, with a loop over the keys.
# `q` is `(d_k,)`, `K` `(n_keys, d_k)`, `V` `(n_keys, d_v)`; scores are divided by $\sqrt{d_k}$.
# `gradient` is `(d_v,)`: how $L$ reacts to the output.
# Return the tuple `(dq, dK, dV)`, with the shapes of `q`, `K` and `V`.
#
# <details><summary>Hint 1</summary>Begin with the weights of the forward pass: <code>softmax(K @ q / root)</code>.
# A first loop finds what each weight gets, and the softmax step comes after that loop, because it needs the average over all keys.</details>
#
# <details><summary>Hint 2</summary>Start with dq, dK and dV full of zeros; in a second loop, fill row j of dK and of dV, and add to dq.</details>


# %%
def one_query_gradient(q, K, V, gradient):
    # solution
    root = np.sqrt(len(q))
    weights = softmax(K @ q / root)  # (n_keys,)
    dweights = np.array([gradient @ v for v in V])  # (n_keys,)
    dscores = softmax_gradient(weights, dweights)  # (n_keys,)
    dq, dK, dV = np.zeros(q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        dV[j] = weights[j] * gradient
        dK[j] = dscores[j] * q / root
        dq += dscores[j] * K[j] / root
    return dq, dK, dV
    # end solution


check("one_query_gradient", one_query_gradient)

# %%
one_query_gradient = keep("one_query_gradient")
dq, dK, dV = one_query_gradient(q, K, V, g)
print("query gets", dq.round(2))
longer = one_query_gradient(2 * q, K, V, g)
print("key of 'not' gets", dK[1].round(2) + 0.0, "  with a longer query", longer[1][1].round(2) + 0.0)

# %% [markdown]
# <details><summary>About the solution</summary>
# You need two loops, because the softmax step between them uses all of <code>dweights</code> at once.
# <code>np.zeros_like(q)</code> looks shorter, but if <code>q</code> contains whole numbers, so does the new array: <code>dK</code> and <code>dV</code> would lose their decimal places, and adding to <code>dq</code> would raise an error.</details>
#
# ## Three judges
#
# **Goal.** Compare your gradient with three that were found in different ways.
#
# A wrong gradient is a quiet mistake: it raises no error, and training with it often looks fine for a while.
# So we call in three judges, who find the gradient in different ways:
#
# - **central differences** nudge each number up and down, and watch the loss, as you did in lesson 09,
# - TensorFlow's **`GradientTape`** records our forward pass, and then goes back along it,
# - Keras's **`MultiHeadAttention`** has a forward pass of its own, which the tape also traces back; with one head and four identity matrices it is plain attention.


# %%
def central_differences(loss, *arrays, step=1e-5):
    arrays = [np.array(array) for array in arrays]  # copies
    slopes = [np.zeros(array.shape) for array in arrays]
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
import tensorflow as tf

from course_utils.models.cls_model import keras  # starts TensorFlow, and keeps it quiet

layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=2, use_bias=False, dtype="float64")


def tape_gradient(loss, *arrays):
    tensors = [tf.Variable(array) for array in arrays]
    with tf.GradientTape() as tape:
        result = loss(*tensors)
    return [gradient.numpy() for gradient in tape.gradient(result, tensors)]


# %%
def loss(Q, K, V, G):  # reacts to the output with G
    return (G * (softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V)).sum()


def tf_loss(Q, K, V, G):
    return tf.reduce_sum(G * (tf.nn.softmax(Q @ tf.transpose(K) / np.sqrt(Q.shape[1])) @ V))


def keras_loss(Q, K, V, G):
    return tf.reduce_sum(G * layer(Q[None], V[None], K[None])[0])  # Keras wants the value before the key


# %%
layer.build((1, 1, 2), (1, 3, 2), (1, 3, 2))
layer.set_weights([np.eye(2).reshape(weight.shape) for weight in layer.get_weights()])
G = g[None]  # (n_queries, d_v) = (1, 2)
nudges = central_differences(lambda *arrays: loss(*arrays, G), q[None], K, V)
tape = tape_gradient(lambda *tensors: tf_loss(*tensors, G), q[None], K, V)
of_keras = tape_gradient(lambda *tensors: keras_loss(*tensors, G), q[None], K, V)
judges = {"you": (dq, dK, dV), "nudges": nudges, "tape": tape, "Keras": of_keras}
for judge, (a, b, c) in judges.items():
    shown = [part.round(4) + 0.0 for part in (np.ravel(a), b[1], c[1])]
    print(f"{judge:>6}   dq {shown[0]}   dK['not'] {shown[1]}   dV['not'] {shown[2]}")

# %% [markdown]
# You and the three judges agree to four decimal places.
#
# ## All queries at once
#
# **Goal.** Write the same gradient without a loop.
#
# With many queries, every query reads every key, so a key gets a part of its gradient from each query, and by the chain rule these parts add up.
# A matrix product computes this sum once the $g$ of all the queries are stacked as the rows of a matrix $G$:
#
# $$\underset{(n_k,\,d_v)}{dV} = W^\top G \qquad \underset{(n_q,\,n_k)}{dW} = G\,V^\top \qquad \underset{(n_q,\,d_k)}{dQ} = \frac{\Delta\,K}{\sqrt{d_k}} \qquad \underset{(n_k,\,d_k)}{dK} = \frac{\Delta^\top Q}{\sqrt{d_k}}$$
#
# Here $n_q$ and $n_k$ are the numbers of queries and keys, $W$ contains the weights, and $\Delta$ is $dW$ after the softmax step, row by row.

# %% [markdown]
# ### Exercise: `attention_gradient` · 8 minutes
# `Q` is `(..., n_queries, d_k)`, `K` `(..., n_keys, d_k)`, `V` `(..., n_keys, d_v)`; scores are divided by $\sqrt{d_k}$.
# The dots stand for any leading axes, the same in all arguments, or for none.
# `gradient` is `(..., n_queries, d_v)`: how $L$ reacts to the output.
# Return the tuple `(dQ, dK, dV)`.
#
# <details><summary>Hint 1</summary>Walk down the table: weights, what the weights get, what the scores get; your <code>softmax_gradient</code> works on rows.
# With leading axes <code>K.T</code> reverses too many axes: use <code>np.swapaxes(K, -1, -2)</code>.</details>
#
# <details><summary>Hint 2</summary>Let the shapes guide you: dV is (..., n_keys, d_v), and only the transposed weights times the gradient have that shape.
# Find dQ and dK in the same way.</details>


# %%
def attention_gradient(Q, K, V, gradient):
    # solution
    root = np.sqrt(Q.shape[-1])
    weights = softmax(Q @ np.swapaxes(K, -1, -2) / root)  # (..., n_queries, n_keys)
    dweights = gradient @ np.swapaxes(V, -1, -2)  # (..., n_queries, n_keys)
    dscores = softmax_gradient(weights, dweights) / root  # (..., n_queries, n_keys)
    dQ = dscores @ K  # (..., n_queries, d_k)
    dK = np.swapaxes(dscores, -1, -2) @ Q  # (..., n_keys, d_k): a sum over the queries
    dV = np.swapaxes(weights, -1, -2) @ gradient  # (..., n_keys, d_v): again
    return dQ, dK, dV
    # end solution


check("attention_gradient", attention_gradient)

# %%
attention_gradient = keep("attention_gradient")


def random_case(n_queries, n_keys, d_k, d_v):
    rng = np.random.default_rng(0)
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v), (n_queries, d_v)
    return [rng.normal(size=shape) for shape in shapes]  # Q, K, V, G


# %%
Q4, K3, V3, G4 = case = random_case(4, 3, 2, 5)
loops = [one_query_gradient(q, K3, V3, g) for q, g in zip(Q4, G4)]
tape = tape_gradient(lambda *tensors: tf_loss(*tensors, G4), Q4, K3, V3)
print("row 0 of dQ, matrices:", attention_gradient(*case)[0][0].round(4), "   loop:", loops[0][0].round(4))
print(
    "row 0 of dK, matrices:",
    attention_gradient(*case)[1][0].round(4),
    "   loops:",
    sum(loop[1] for loop in loops)[0].round(4),
)
for name, ours, judge in zip(("dQ", "dK", "dV"), attention_gradient(*case), tape):
    print(f"{name} {ours.shape}   last number: {ours[-1, -1]:.4f}   of the tape: {judge[-1, -1]:.4f}")

# %% [markdown]
# <details><summary>About the solution</summary>
# <code>np.einsum("...qk,...qd->...kd", dscores, Q)</code> says in one string which axis is summed away, and needs no transpose.
# If you keep <code>weights</code> from the forward pass, as a tape does, you save yourself a product and a softmax, but you need memory for n² numbers.</details>

# %% [markdown]
# ## Optional: into the loop
#
# **Goal.** Train the reader of lesson 09 with your own gradient.
#
# ### Exercise: `reader_gradient` · 9 minutes
# Write the backward pass, from the output to the vectors, for many films at once.
# `E` is `(n_tokens, d)`, `P` `(length, d)`, `tokens` `(n, length)`.
# `gradient` is `(n, d)`: how $L$ reacts to the output of row 0.
# Return the tuple `(dE, dP)`, with the shapes of `E` and `P`.
#
# Call your `attention_gradient` with one query for each film, `X[:, :1]`, and with `X` as keys and as values.
# A row of `X` can have several roles, and it gets a gradient from each of them.
# Then go back through `X = E[tokens] + P`: a token adds up what it gets at all its positions, in all films.
#
# <details><summary>Hint 1</summary>The gradient of the output needs an axis for the query: <code>gradient[:, None]</code>.
# All rows are keys and values, but only row 0 is a query.</details>
#
# <details><summary>Hint 2</summary><code>tokens == 7</code> picks all positions of token 7, and <code>dX[tokens == 7]</code> contains their gradients.
# With <code>dE[tokens] += dX</code> a token that occurs twice counts once; with <code>np.add.at(dE, tokens, dX)</code> it counts twice.</details>


# %%
def reader_gradient(E, P, tokens, gradient):
    # solution
    X = E[tokens] + P  # (n, length, d)
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV  # (n, length, d): each row as a key and as a value
    dX[:, :1] += dQ  # row 0 as the query, too
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)  # a token adds up what it gets at all its places
    return dE, dX.sum(axis=0)
    # end solution


check("reader_gradient", reader_gradient)

# %%
reader_gradient = keep("reader_gradient")
tokens, labels = make_films(4000, seed=0)


# %%
def no_query(E, P, tokens, gradient):  # the row of the ? stays what it is
    dE, dP = reader_gradient(E, P, tokens, gradient)
    dE[0], dP[0] = 0, 0
    return dE, dP


# %%
def weight_by_epoch(gradient_of):  # lesson 09's training: the mean weight of critic 4, at the start and by epochs
    rng = np.random.default_rng(0)
    orders = [rng.permutation(4000).reshape(-1, 100) for _ in range(10)]  # each (batches, films)
    epochs = [[(tokens[films], labels[films]) for films in order] for order in orders]
    history = zip(*train_reader(*start(0), epochs, 0.7, gradient_of, lambda *numbers: numbers))
    return [reader(*numbers, tokens)[0][:, 4].mean() for numbers in history]


# %%
found = {"yours": weight_by_epoch(reader_gradient), "no query": weight_by_epoch(no_query)}
curves(range(11), found, title="Weight of critic 4", xlabel="epoch", ylabel="mean weight").set_ylim(0, 1)
plt.legend(loc="upper left")
print("critic 4 after 10 epochs:", *(f"{name} {weights[-1]:.2f}" for name, weights in found.items()))
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>
# The line <code>dX[:, :1] += dQ</code> is easy to forget, but the query must learn, too: in the second curve the row of <code>?</code> is frozen, so the critics have to learn to be found.
# A loop over the tokens, <code>dE[t] = dX[tokens == t].sum(axis=0)</code>, works as well as <code>np.add.at</code>, and is easier to read.</details>
#
# Now even the gradient in this training is your own: run lesson 09 again, and it will say that it uses your `reader_gradient`.

# %% [markdown]
# ## Optional: a test that can fail
#
# **Goal.** Choose sizes that catch wrong gradients.
#
# Our worked example has one query, and $d_k = d_v = 2$.
# A gradient that forgets to add up over the queries would pass a test on this example with honours.
# A test tells you something only if a mistake can make it fail, so here are four gradients, each with one mistake.


# %%
def with_mistakes(Q, K, V, G):
    dQ, dK, dV = attention_gradient(Q, K, V, G)
    _, last_dK, last_dV = attention_gradient(Q[-1:], K, V, G[-1:])
    d_k, d_v, n_keys = Q.shape[1], V.shape[1], len(K)
    factors = {"no √d_k": d_k, "√d_v for √d_k": d_k / d_v, "√n_keys for √d_k": d_k / n_keys}
    return {"the last query only": (dQ, last_dK, last_dV)} | {
        name: (dQ * np.sqrt(factor), dK * np.sqrt(factor), dV) for name, factor in factors.items()
    }


# %%
for sizes in ((1, 3, 2, 2), (4, 3, 2, 5)):  # queries, keys, d_k, d_v: the worked example, and sizes that all differ
    *inputs, G = case = random_case(*sizes)
    truth = central_differences(lambda *arrays, G=G: loss(*arrays, G), *inputs)
    for mistake, parts in with_mistakes(*case).items():
        error = max(np.abs(part - true).max() for part, true in zip(parts, truth))
        verdict = "caught" if error > 1e-6 else "passes"
        print(f"{sizes} {mistake:<20} differs from the nudges by {error:.3f}   {verdict}")

# %% [markdown]
# If the sizes are all different and above 1, none of them can be mistaken for another.
#
# ### Try it: the smallest sizes
# Look for sizes that catch all four mistakes with as few numbers as possible.
# What does a single key hide, and what does $d_k = 1$ hide?
#
# ## What we now know
#
# - The gradient for a score is its weight, times how far its own $g$ lies above the average.
# - Backpropagation multiplies the reactions along each path and adds up the paths; in the code, matrix products carry out most of these sums.
# - Four matrix products and the softmax step are all it takes, and the result agrees with the loops and with the tape.
# - In training, your gradient leads the reader to critic 4; if `?` never learns to ask, critic 4 gets less in 10 epochs.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@rumelhart1986]: four pages on backpropagation, with two networks as examples.
# - [@baydin2018]: what a tape does, and how it differs from nudges and formulas.
#
# ## Next question
#
# This reader consists of one look and a read-out.
# What do large models put around a look, and why?
# Go on with [11_the_block](11_the_block.ipynb).
