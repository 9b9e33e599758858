# %% [markdown]
# # 07 · Many heads: look at several things at once
#
# **You will build** multi-head attention: split, attend, merge.
# Then you compare it with Keras's layer, weight for weight.
#
# **You will be able to**
# - split and merge heads without mixing up the tokens,
# - say what a head costs,
# - tell self-attention from cross-attention.
#
# **You need** [04_queries_keys_values](04_queries_keys_values.ipynb) and [06_masks](06_masks.ipynb).
# **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import MultiHeadAttention, scaled_dot_product_attention
from course_utils.checks import check, keep, mine, predict, progress, recap
from course_utils.plots import curves, heatmap

# %% [markdown]
# ## Eight softmaxes for each word
#
# **Goal.** Run attention with several heads at once.
#
# One row of weights is one way to look.
# A word often needs several: a verb looks for its subject and for its object.
# So a layer runs several attentions side by side, its **heads**.
# Each head has queries, keys and values of its own.
# Here are 8 heads for a sentence of 6 tokens, with the causal mask.

# %%
rng = np.random.default_rng(0)
Q, K, V = rng.normal(size=(3, 1, 8, 6, 64))  # each (batch, n_heads, n, d_k) = (1, 8, 6, 64)
softmax, masked_weights, causal_mask = mine("stable_softmax", "masked_weights", "causal_mask")
weights = np.array([masked_weights(Q[0, h], K[0, h], causal_mask(6)) for h in range(8)])  # one head after the other
print("weights:", weights.shape, "= (heads, queries, keys)")

# %%
predict(
    "How many rows of weights, each with a sum of 1, did that cell compute?",
    {
        6: "That is one head. Here are eight, and each has its own row for each token.",
        8: "That would be one row a head. Each head has one for each of the 6 tokens.",
        48: "Each of the 8 heads has one row for each of the 6 tokens.",
    },
    answer=lambda: weights[..., 0].size,
)

# %% [markdown]
# ## All heads at once
#
# **Goal.** Let one matrix product serve all heads of all sentences.
#
# ### Exercise: `batched_attention` · 6 minutes
# `Q` is `(…, n_queries, d_k)`, `K` is `(…, n_keys, d_k)`, `V` is `(…, n_keys, d_v)`.
# The dots are any leading axes, the same for all three: none, heads, or sentences and heads.
# `mask` is bool, True = may look, and `np.where` fits it to the scores `(…, n_queries, n_keys)`.
# A hidden key weighs exactly 0, however large its score is.
# Return the output `(…, n_queries, d_v)`.
#
# <details><summary>Hint 1</summary><code>K.T</code> turns round all axes.
# Only the last two should swap: <code>np.swapaxes</code>.</details>
#
# <details><summary>Hint 2</summary>Where the mask is False, the score becomes <code>-np.inf</code>, before the softmax.
# Your <code>softmax</code> runs along the last axis of any array.</details>


# %%
def batched_attention(Q, K, V, mask):
    # solution
    scores = Q @ np.swapaxes(K, -2, -1) / np.sqrt(Q.shape[-1])  # (…, n_queries, n_keys)
    weights = softmax(np.where(mask, scores, -np.inf))  # (…, n_queries, n_keys)
    return weights @ V  # (…, n_queries, d_v)
    # end solution


check("batched_attention", batched_attention)

# %%
batched_attention = keep("batched_attention")
output = batched_attention(Q, K, V, causal_mask(6))  # (1, 8, 6, 64)
difference = max(abs(weights[h] @ V[0, h] - output[0, h]).max() for h in range(8))
print(f"all heads at once {output.shape}, at most {difference:.6f} from one head after the other")

# %% [markdown]
# ## Split
#
# **Goal.** Give each head its own part of every token.
#
# The layer computes one wide matrix of queries, `(n, d)`.
# Head 0 gets the first $d / h$ numbers of **every** token, head 1 the next ones, and so on.
# To see where numbers go, we write into each cell the number of its token.

# %%
X = np.repeat(np.arange(6.0)[:, None], 8, axis=1)  # (n, d) = (6, 8): row i holds only the number i
by_loop = np.stack([X[:, 2 * h : 2 * h + 2] for h in range(4)])  # (n_heads, n, d / n_heads) = (4, 6, 2)
print("head 0 holds the tokens:", by_loop[0, :, 0])
print("head 3 holds the tokens:", by_loop[3, :, 0])

# %% [markdown]
# ### Exercise: `split_heads` · 6 minutes
# Turn `X` of shape `(n, d)` into `(n_heads, n, d / n_heads)`, without a loop if you can.
#
# <details><summary>Hint 1</summary>It takes two steps.
# First cut the last axis in two.
# Then bring the heads to the front.</details>
#
# <details><summary>Hint 2</summary>Reshape to <code>(n, n_heads, -1)</code>.
# Then swap the first two axes.</details>


# %%
def split_heads(X, n_heads):
    # solution
    cut = X.reshape(X.shape[0], n_heads, -1)  # (n, n_heads, d / n_heads)
    return cut.swapaxes(0, 1)  # (n_heads, n, d / n_heads)
    # end solution


check("split_heads", split_heads)

# %% [markdown]
# One step looks shorter: `X.reshape(n_heads, n, -1)` gives the same shape at once.
#
# **Before you run it:** each cell of `X` holds the number of its token.
# What does head 0 hold after the bare reshape?

# %%
predict(
    "Head 0 after a bare reshape holds",
    {
        "all six tokens": "The shape says so. But a reshape fills its rows in the order of memory, and there token 0 comes first, whole.",
        "tokens 0 and 1 only": True,
        "token 0 only": "Head 0 has room for 12 numbers, and a token has 8.",
    },
)

# %%
bare = X.reshape(4, 6, 2)  # the right shape, the wrong tokens
fig, axes = plt.subplots(1, 2, figsize=(11, 4.6))
columns = [f"{i}" for i in range(6)]
for ax, split, title in zip(axes, (by_loop, bare), ("split", "bare reshape")):
    heatmap(split[:, :, 0], [f"head {h}" for h in range(4)], columns, title=title, form="{:.0f}", ax=ax)
    ax.set(xlabel="row of the head", ylabel="head")
    ax.figure.axes[-1].set_ylabel("token found there")
print("bare reshape, head 0 holds the tokens:", bare[0, :, 0])
plt.show()

# %% [markdown]
# No error, the right shape, wrong numbers.
# This is the worst kind of mistake.
# Only a test on numbers finds it.
#
# ### Exercise: `merge_heads` · 4 minutes
# Undo the split: `(n_heads, n, d_head)` becomes `(n, n_heads * d_head)`.
#
# <details><summary>Hint 1</summary>Do the two steps of the split in the opposite order.</details>
#
# <details><summary>Hint 2</summary>Swap the first two axes.
# Then reshape to <code>(n, -1)</code>.</details>


# %%
def merge_heads(heads):
    # solution
    side_by_side = heads.swapaxes(0, 1)  # (n, n_heads, d_head)
    return side_by_side.reshape(side_by_side.shape[0], -1)  # (n, n_heads * d_head)
    # end solution


check("merge_heads", merge_heads)

# %% [markdown]
# ## The whole layer
#
# **Goal.** Project, split, attend, merge, mix.
#
# After the merge, one last matrix `W_O` mixes what the heads found.
#
# ### Exercise: `multi_head` · 8 minutes
# `X` is `(n, d_model)`; `W_Q`, `W_K`, `W_V` are `(d_model, d)`; `W_O` is `(d, d_out)`.
# Return `(n, d_out)`.
# No mask, no biases.
#
# <details><summary>Hint 1</summary>You wrote all parts already.
# <code>scaled_dot_product_attention</code> takes a leading axis of heads as it is.</details>
#
# <details><summary>Hint 2</summary>It returns a pair: first the outputs of the heads, then the weights.
# Merge the first, then multiply by <code>W_O</code>.</details>


# %%
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    # solution
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))  # (n_heads, n, d / n_heads)
    heads, _ = scaled_dot_product_attention(Q, K, V)  # (n_heads, n, d / n_heads)
    return merge_heads(heads) @ W_O  # (n, d_out)
    # end solution


check("multi_head", multi_head)

# %% [markdown]
# ## The same numbers as Keras
#
# **Goal.** Compare with a layer that thousands of people use.
#
# Keras's layer starts with random weights.
# We take **its** matrices, flatten each head's part into columns, and put them into our layer.
# If both compute the same thing, both give the same numbers.

# %%
from course_utils.cls_model import keras  # Keras, told to be quiet; here it is the judge

keras.utils.set_random_seed(1)
layer = keras.layers.MultiHeadAttention(num_heads=4, key_dim=8, use_bias=False)
X = rng.normal(size=(6, 32)).astype("float32")  # (n, d_model)
theirs, their_weights = layer(X[None], X[None], return_attention_scores=True)  # a batch of one sentence

# W_Q, W_K, W_V: (d_model, n_heads * d_k), W_O: (n_heads * d_k, d_model)
matrices = [w.reshape(32, 32) for w in layer.get_weights()]
ours = MultiHeadAttention(*matrices, n_heads=4)(X)
yours = multi_head(X, *matrices, 4)
print("the course's layer equals Keras's to 1e-5:", bool(np.abs(ours.output - theirs[0]).max() < 1e-5))
print("and so do its weights:", bool(np.abs(ours.weights - their_weights[0]).max() < 1e-5))
print("yours:", "not written yet" if yours is None else bool(np.abs(yours - theirs[0]).max() < 1e-5))

# %%
predict(
    "Keras's layer with 1 head of 32 instead of 4 heads of 8 has",
    {
        "a quarter of the weights": "The matrices keep their width: 1 · 32 columns instead of 4 · 8.",
        "as many weights": True,
        "four times the weights": "Four heads of 8 numbers are as wide as one head of 32.",
    },
)

# %%
one_head = keras.layers.MultiHeadAttention(num_heads=1, key_dim=32, use_bias=False)
one_head(X[None], X[None])
print("4 heads of 8:", layer.count_params(), "  1 head of 32:", one_head.count_params())

# %% [markdown]
# ## Heads that look at different things
#
# **Goal.** See three heads on one sentence.
#
# We give each token its position and a mark for nouns, and design three heads by hand: one looks at the previous token, one at itself, one at nouns.
# (A trained layer finds its own; lesson 18 looks at some.)

# %%
tokens = ["The", "cat", "sat", "on", "the", "mat"]
noun = np.array([0, 1, 0, 0, 0, 1.0])
X = np.column_stack([np.eye(6), noun, np.ones(6)])  # (n, 8): position, noun, a constant 1
looks_for = np.zeros((3, 8, 8))  # (n_heads, d_model, d_k)
looks_for[0, 1:6, 0:5] = np.eye(5)  # position i asks for position i - 1
looks_for[1, 0:6, 0:6] = np.eye(6)  # position i asks for position i
looks_for[2, 7, 6] = 1  # everybody asks for nouns

# %%
W_Q = 20 * np.concatenate(looks_for, axis=1)  # (d_model, n_heads * d_k) = (8, 24)
three = MultiHeadAttention(W_Q, np.tile(np.eye(8), 3), np.tile(np.eye(8), 3), np.eye(24), n_heads=3)
weights = three(X).weights  # (n_heads, n, n) = (3, 6, 6)
fig, axes = plt.subplots(3, 1, figsize=(7.4, 13))
for ax, head, name in zip(axes, weights, ("the previous token", "itself", "nouns")):
    heatmap(head, tokens, title=f"A head that looks at {name}", vmax=1, ax=ax)
for head, name in zip(weights, ("previous", "itself", "nouns")):
    seen = [f"{tokens[j]} {head[2, j]:.2f}" for j in range(6) if head[2, j] > 0.1]
    print(f"head {name:<9} sat ->", ", ".join(seen))
plt.show()

# %% [markdown]
# *The* has no previous token.
# Its scores are all equal in the first head, so it looks everywhere.
#
# ### Try it: the heads beside each other
# - Click a head, and point at a word below.
#   Where does it look in this head, where in the next one?
# - Change 20 in `W_Q` to 2, and run both cells again.
#   Which heads can you still tell apart?

# %%
from course_utils.explorables import HeadGallery

gallery = HeadGallery(weights[None], tokens, query=2)  # layers, heads, queries, keys: (1, 3, 6, 6)
gallery

# %% [markdown]
# ## Cross-attention
#
# **Goal.** Let one sentence look at another.
#
# In **self-attention** Q, K and V come from one sequence.
# In **cross-attention** the queries come from one sequence, keys and values from another.
# A translator does that: each French word looks for its English partner.
#
# ### Exercise: `cross_attention` · 5 minutes
# `X` `(n_queries, d_model)` looks at `context` `(n_keys, d_model)`.
# `W_Q` and `W_K` are `(d_model, d_k)`, `W_V` is `(d_model, d_v)`.
# Return the output `(n_queries, d_v)`.
# One head.
#
# <details><summary>Hint 1</summary>Which of Q, K, V belongs to the one who looks?</details>
#
# <details><summary>Hint 2</summary>Queries from <code>X</code>.
# Keys <b>and</b> values from <code>context</code>.</details>


# %%
def cross_attention(X, context, W_Q, W_K, W_V):
    # solution
    return scaled_dot_product_attention(X @ W_Q, context @ W_K, context @ W_V).output  # (n_queries, d_v)
    # end solution


check("cross_attention", cross_attention)

# %%
meaning = {
    "the": (1, 0, 0),
    "le": (1, 0, 0),
    "black": (0, 1, 0),
    "noir": (0, 1, 0),
    "cat": (0, 0, 1),
    "chat": (0, 0, 1),
}
french, english = ["le", "chat", "noir"], ["the", "black", "cat"]
X, context = (5.0 * np.array([meaning[w] for w in words]) for words in (french, english))  # each (3, 3)
cross = softmax(X @ context.T / np.sqrt(3))  # (French, English)
heatmap(cross, french, english, title="French looks at English")
print("chat looks at:", english[cross[1].argmax()], "  noir looks at:", english[cross[2].argmax()])
plt.show()

# %% [markdown]
# The order of the words differs, and the weights cross over.
# A common table compares the older attention between an encoder and a decoder, built on recurrent networks, with self-attention.
# It says that long distances are *weak* there and *strong* here.
# Measure it: change token 1 a little.
# How much does the last output change, in a simple recurrent network and in attention?


# %%
def influence(n, d=16, step=1e-4):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))  # (n, d)
    W = 0.9 * np.linalg.qr(rng.normal(size=(d, d)))[0]  # (d, d): each step keeps 0.9 of what was there
    changed = X.copy()
    changed[0] += step
    states = np.zeros((2, d))
    for x in zip(X, changed):
        states = np.tanh(states @ W + np.array(x))  # n steps, one after the other
    last = [scaled_dot_product_attention(Z, Z, Z).output[-1] for Z in (X, changed)]  # one step
    return np.linalg.norm(states[1] - states[0]) / step, np.linalg.norm(last[1] - last[0]) / step


# %%
lengths = 2 ** np.arange(1, 7)
recurrent, attention = np.array([influence(n) for n in lengths]).T  # each (lengths,)
lines = {"recurrent": recurrent, "attention": attention}
ax = curves(
    lengths,
    lines,
    xlabel="length of the sentence",
    ylabel="influence on the last output",
    title="What is left of the first token",
    powers_of_two=True,
)
ax.set_yscale("log")
print("at length 64 attention keeps over 1,000 times more:", bool(attention[-1] > 1000 * recurrent[-1]))
plt.show()

# %% [markdown]
# The table, with what was measured:
#
# | | recurrent encoder and decoder | self-attention | measured here |
# |---|---|---|---|
# | looks | from decoder to encoder | within one sequence | `cross` against `weights` |
# | steps that wait for each other | n | 1 | the loop in `influence` |
# | long distances | weak | strong | the last picture, for random weights |
# | scales | limited | highly | only partly: n² scores; lesson 16 |
#
# ## What we now know
#
# - A head is an attention on a part of the columns.
#   Splitting swaps axes; a bare reshape mixes tokens.
# - Four heads of 8 cost as much as one head of 32, and look at four things.
# - The course's layer gives Keras's numbers.
# - Cross-attention takes its queries from one sequence, and keys and values from another.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# Nothing so far knew where a word stands, except through a mask.
# Does attention know the order of words?
# Go on with [08_word_order](08_word_order.ipynb).
