# %% [markdown]
# # 07 · Many heads: look at several things at once
#
# ![](../images/machine_07.svg)
#
# **You will build** attention for any number of heads and sentences at once, and from it the whole layer: project, split, attend, merge, mix.
# Then you will compare your layer with Keras's, number for number.
#
# **You will be able to**
# - run attention on many heads and sentences, with a mask,
# - split and merge heads without mixing up the tokens,
# - say what a head costs,
# - tell self-attention from cross-attention.
#
# **You need** [04_queries_keys_values](04_queries_keys_values.ipynb) and [06_masks](06_masks.ipynb).
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.pictures.plots import heatmap

softmax, masked_weights, causal_mask = mine("stable_softmax", "masked_weights", "causal_mask")

# %%
look_back("07")

# %% [markdown]
# ## One head after the other
#
# **Goal.** Run attention with several heads.
#
# One row of weights is one way to look, and a word may need several: *was*, in our review, has to find its subject and notice *not*, but it cannot spend its whole budget of 1 on each of them.
# So a layer runs several attentions side by side, each with its own queries, keys and values.
# Each of them is called a **head**, and together they are called **multi-head attention**.
#
# The simplest way to run several heads is one after another.
# The program in *Part 6: The Eyes of the Model - Self-Attention*, one of our five texts, ends by running 8 heads on a sentence of 6 tokens, under a causal mask.
# We use the same shapes, and loop over the heads with your `masked_weights` from lesson 06.

# %%
rng = np.random.default_rng(0)
Q, K, V = rng.normal(size=(3, 1, 8, 6, 64))  # each (batch, n_heads, n, d_k) = (1, 8, 6, 64)
mask = causal_mask(6)  # (n_queries, n_keys)
weights = np.stack([masked_weights(Q[0, h], K[0, h], mask) for h in range(8)])  # (n_heads, n, n)
one_by_one = np.stack([weights[h] @ V[0, h] for h in range(8)])  # (n_heads, n, d_v)
print("weights:", weights.shape, "  outputs of the heads:", one_by_one.shape)

# %%
predict(
    "How many rows of weights, each with a sum of 1, did that cell compute?",
    {
        6: "One head has 6 rows. But there are eight heads.",
        8: "That would be one row per head. Each head has a row for each of the 6 tokens.",
        48: "Each of the 8 heads has one row for each of the 6 tokens.",
    },
    answer=lambda: weights[..., 0].size,
)

# %% [markdown]
# ## All heads at once
#
# **Goal.** Compute all the heads of all the sentences at once.
#
# We do not need the loop, because `@` multiplies along the last two axes and repeats this over all axes before them, called the **leading axes**.
# So the formula from lesson 04 stays as it is, with the mask between the scores and the softmax, as in lesson 06:
#
# $$\underset{\textstyle(\dots,\;n_q,\;d_v)}{\mathrm{output}} = \mathrm{softmax}\bigg(\mathrm{mask}\bigg(\frac{\underset{\textstyle(\dots,\;n_q,\;d_k)}{Q}\,\underset{\textstyle(\dots,\;d_k,\;n_k)}{K^\top}}{\sqrt{d_k}}\bigg)\bigg)\,\underset{\textstyle(\dots,\;n_k,\;d_v)}{V}$$
#
# ### Exercise: `batched_attention` · 6 minutes
# `Q` is `(…, n_queries, d_k)`, `K` is `(…, n_keys, d_k)`, `V` is `(…, n_keys, d_v)`.
# The dots are any leading axes, the same for all three: none, heads, or sentences and heads.
# `mask` is bool, True = may look, and `np.where` fits it to the scores `(…, n_queries, n_keys)`.
# A hidden key weighs exactly 0, however large its score is, and a visible key counts, whatever its score is.
# Return the output `(…, n_queries, d_v)`.
#
# <details><summary>Hint 1</summary><code>K.T</code> reverses the order of all axes, but only the last two should be swapped: use <code>np.swapaxes</code>.</details>
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
output = batched_attention(Q, K, V, mask)  # (batch, n_heads, n, d_v)
print("output:", output.shape)
print(f"largest difference from one head after the other: {np.abs(output[0] - one_by_one).max():.6f}")

# %% [markdown]
# <details><summary>About the solution</summary>Every step counts its axes from the end, so the function works with any number of axes in front.
# With <code>np.einsum("...id,...jd->...ij", Q, K)</code> you don't have to swap any axes; both versions do the same multiplications.</details>
#
# Later lessons come back to this function, and in lesson 19 it runs inside a published model.
#
# ## Split
#
# **Goal.** Give each head its own part of every token.
#
# Where does each head get its queries from?
# The product `X @ W_Q` turns each token's vector into a query.
# Such a product with a matrix is called a **projection**.
# A layer makes a single wide projection, `(n, d)`, whose columns are divided among the heads: with $h$ heads, head 0 gets the first $d / h$ numbers of **every** token, head 1 gets the next $d / h$, and so on.
# Keys and values are divided in the same way.
# To see where the numbers go, we fill each row of `X` with its token's number.

# %%
X = np.repeat(np.arange(6.0)[:, None], 8, axis=1)  # (n, d) = (6, 8): row i holds only the number i
by_loop = np.stack([X[:, 2 * h : 2 * h + 2] for h in range(4)])  # (n_heads, n, d / n_heads) = (4, 6, 2)
print("head 0 holds the tokens:", by_loop[0, :, 0])
print("head 3 holds the tokens:", by_loop[3, :, 0])

# %% [markdown]
# ### Exercise: `split_heads` · 5 minutes
# Turn `X` of shape `(n, d)` into `(n_heads, n, d / n_heads)`, without a loop if you can.
#
# <details><summary>Hint 1</summary>It takes two steps: first split the last axis into two axes, then bring the heads to the front.</details>
#
# <details><summary>Hint 2</summary>Reshape to <code>(n, n_heads, -1)</code>, and then swap the first two axes.</details>


# %%
def split_heads(X, n_heads):
    # solution
    cut = X.reshape(X.shape[0], n_heads, -1)  # (n, n_heads, d / n_heads)
    return cut.swapaxes(0, 1)  # (n_heads, n, d / n_heads)
    # end solution


check("split_heads", split_heads)

# %% [markdown]
# <details><summary>About the solution</summary>Reshape cuts each row into heads, and swapaxes brings the heads to the front; for an <code>X</code> like ours, no numbers are copied.
# <code>np.stack(np.split(X, n_heads, axis=1))</code> does the same in one line, but copies everything.</details>
#
# A shortcut suggests itself: `X.reshape(n_heads, n, -1)` gives the same shape in one step.
#
# **Before you run it:** each row of `X` contains only its token's number.
# What does head 0 hold after this bare reshape?

# %%
predict(
    "Head 0 after a bare reshape holds",
    {
        "all six tokens": "The shape would allow that. But a reshape reads X row by row, so all of token 0 comes first.",
        "tokens 0 and 1 only": True,
        "token 0 only": "Head 0 has room for 12 numbers, and a token has only 8.",
    },
)

# %%
# answers prediction 2
split_heads = keep("split_heads")
heads, bare = split_heads(X, 4), X.reshape(4, 6, 2)  # (n_heads, n, d_head) each, with other tokens
figure, axes = plt.subplots(1, 2, figsize=(11, 3.4))
for ax, found, title in zip(axes, (heads, bare), ("split", "bare reshape")):
    heatmap(found[:, :, 0], [f"head {h}" for h in range(4)], list("012345"), title=title, form="{:.0f}", ax=ax)
    ax.set(xlabel="row of the head", ylabel="head")
    ax.figure.axes[-1].set_ylabel("token found there")
    print(f"{title}, head 0 holds the tokens:", found[0, :, 0])
plt.show()

# %% [markdown]
# Python reports no error and the shape is right, but the numbers are in the wrong places, and only a test that compares numbers will notice.
#
# ## The whole layer
#
# **Goal.** Project, split, attend, merge, mix.
#
# After the merge the outputs of the heads stand side by side, like reports by people who have never met, and one last matrix, `W_O`, combines them.
# In words: attend in each of the $h$ heads, put the outputs side by side, and multiply by $W_O$.
# This is the layer from [@vaswani2017], with the heads counted from 0:
#
# $$\begin{gathered} \underset{\textstyle(n,\;d_{out})}{\mathrm{MultiHead}(X)} = \underset{\textstyle(n,\;h\,d_v)}{\big[\mathrm{head}_0 \;\dots\; \mathrm{head}_{h-1}\big]}\;\underset{\textstyle(h\,d_v,\;d_{out})}{W_O} \\[1.5ex] \underset{\textstyle(n,\;d_v)}{\mathrm{head}_i} = \mathrm{Attention}(Q_i, K_i, V_i) \end{gathered}$$
#
# $Q_i$, $K_i$ and $V_i$ are head $i$'s parts of the three projections.
#
# ### Exercise: `multi_head` · 9 minutes
# `X` is `(n, d_model)`; `W_Q`, `W_K`, `W_V` are `(d_model, d)`, where `d` is `n_heads` times the width of one head; `W_O` is `(d, d_out)`.
# Write the five steps (project, split, attend, merge and mix), and return `(n, d_out)`.
# The merge is new: it undoes the split, so each token's row holds the output of head 0 for that token, then the output of head 1, and so on.
# Nothing is hidden, there are no biases, and scores may be larger than 1,000.
#
# <details><summary>Hint 1</summary>Let the shapes guide you: <code>(n, d_model)</code>, <code>(n, d)</code>, <code>(n_heads, n, d / n_heads)</code>, the same again after attention, <code>(n, d)</code>, <code>(n, d_out)</code>.
# You already have functions for two of these steps, and a mask that hides nothing is <code>np.ones((n, n), dtype=bool)</code>.</details>
#
# <details><summary>Hint 2</summary>Your split has two steps, and the merge undoes them in reverse order.</details>
#
# <details><summary>Hint 3</summary>A reshape reads the numbers in the order of the axes.
# So the heads of each token have to be next to each other, <code>(n, n_heads, d / n_heads)</code>, before a reshape to <code>(n, -1)</code> makes them one row.
# <code>W_O</code> comes last.</details>


# %%
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    # solution
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))  # (n_heads, n, d / n_heads)
    everywhere = np.ones((len(X), len(X)), dtype=bool)  # (n, n): all may look at all
    heads = batched_attention(Q, K, V, everywhere)  # (n_heads, n, d / n_heads)
    side_by_side = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d)
    return side_by_side @ W_O  # (n, d_out)
    # end solution


check("multi_head", multi_head)

# %% [markdown]
# <details><summary>About the solution</summary>Each wide projection is computed once and then split, so three products are enough for all heads.
# A loop over the heads with <code>W_Q[:, h * d_head : (h + 1) * d_head]</code> gives the same numbers, but needs three products per head; <code>np.concatenate(list(heads), axis=-1)</code> also does the merge.</details>
#
# ## The same numbers as Keras
#
# **Goal.** Compare your layer with the layer of a library.
#
# Does your layer compute what a library's layer computes?
# Keras's layer starts with random weights, so we take **its** matrices, lay the parts for its heads side by side (for `W_O`, one below the other), and put them into your layer.
# If the two compute the same thing, they must now produce the same numbers.

# %%
from course_utils.models.cls_model import keras  # Keras, told to be quiet; here it is the judge

keras.utils.set_random_seed(1)
layer = keras.layers.MultiHeadAttention(num_heads=4, key_dim=8, use_bias=False)
X = rng.normal(size=(6, 32)).astype("float32")  # (n, d_model)
theirs, their_weights = layer(X[None], X[None], return_attention_scores=True)  # a batch of one sentence

# %%
multi_head = keep("multi_head")
# W_Q, W_K, W_V: (d_model, n_heads * d_k), W_O: (n_heads * d_k, d_model)
matrices = [w.reshape(32, 32) for w in layer.get_weights()]
yours = multi_head(X, *matrices, 4)  # (n, d_out)
print("numbers in the output:", yours.size)
print(f"largest difference from Keras: {np.abs(yours - theirs[0]).max():.4f}")

# %%
predict(
    "Keras's layer with 1 head of 32 instead of 4 heads of 8 has",
    {
        "a quarter of the weights to train": "The matrices keep their width: 1 · 32 columns instead of 4 · 8.",
        "as many weights to train": "One head of 32 columns is as wide as four heads of 8, so the number of weights does not tell you how many heads a layer has.",
        "four times the weights to train": "Together, four heads of 8 are as wide as one head of 32.",
    },
    answer="as many weights to train",
)

# %%
# answers prediction 3
one_head = keras.layers.MultiHeadAttention(num_heads=1, key_dim=32, use_bias=False)
_, its_weights = one_head(X[None], X[None], return_attention_scores=True)
print(f"4 heads of 8:   {layer.count_params()} weights to train, {np.size(their_weights)} scores to store")
print(f"1 head of 32:   {one_head.count_params()} weights to train, {np.size(its_weights)} scores to store")

# %% [markdown]
# The memory for scores depends on the number of heads, because every head has n · n scores of its own; lesson 16 measures what that costs.
#
# ## Heads that look at different things
#
# **Goal.** See three heads at work on one sentence.
#
# What might several heads be good for?
# We do by hand what training would do: each token gets its position and a mark for nouns, and we make head 0 look at the previous token, head 1 at the token itself, and head 2 at nouns.
# (A trained layer finds its own patterns; lesson 19 looks at some.)

# %%
tokens = ["The", "cat", "sat", "on", "the", "mat"]
noun = np.array([0, 1, 0, 0, 0, 1.0])
X = np.column_stack([np.eye(6), noun, np.ones(6)])  # (n, 8): position, noun, a constant 1
looks_for = np.zeros((3, 8, 8))  # (n_heads, d_model, d_k)
looks_for[0, 1:6, 0:5] = np.eye(5)  # position i asks for position i - 1
looks_for[1, 0:6, 0:6] = np.eye(6)  # position i asks for position i
looks_for[2, 7, 6] = 1  # every token asks for nouns

# %%
W_Q = 20 * np.concatenate(looks_for, axis=1)  # (d_model, n_heads * d_k) = (8, 24)
Q, K = split_heads(X @ W_Q, 3), split_heads(np.tile(X, 3), 3)  # (n_heads, n, d_k); a key is the token itself
weights = softmax(Q @ K.swapaxes(-2, -1) / np.sqrt(8))  # (n_heads, n, n) = (3, 6, 6)
names = ("previous", "itself", "nouns")
figure, axes = plt.subplots(1, 3, figsize=(11.5, 3.6))
for h, ax in enumerate(axes):
    heatmap(weights[h], tokens, title=f"head {h}: {names[h]}", vmax=1, numbers=False, ax=ax)
    seen = [f"{token} {weight:.2f}" for token, weight in zip(tokens, weights[h, 2]) if weight > 0.1]
    print(f"head {h}, {names[h]:<9} sat ->", ", ".join(seen))
plt.show()

# %% [markdown]
# *Part 6: The Eyes of the Model - Self-Attention* says: "Each head learns different relationships", such as the meaning that links "cat" to "kitten".
# Our three heads show only that heads *can* look at different things.
# They did not learn to; we told them where to look.
#
# *The* has no previous token, so its scores in head 0 are all equal, and it looks at all tokens equally.
#
# ### Try it: the heads beside each other
# - Click a head, and point at a word below it.
#   Where does the word look in this head, and in the next?
# - Change the 20 in `W_Q` to 2, and run that cell and the one below again.
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
# Our heads took Q, K and V from one sequence, which is why this is called *self*-attention.
# But a translator may let French words look for English partners in another sentence.
# When one sequence looks at another, this is called **cross-attention**.
# This is why a reference page on self-attention, one of our five texts, lists "Self-attention is the same as attention" as a misconception.
#
# Your `batched_attention` can already do this, because its Q, K and V can come from anywhere.

# %%
predict(
    "“le chat noir” looks at “the black cat”. Which arrays come from the French words?",
    {
        "Q, K and V": "Then no English word takes part, and French looks at itself.",
        "Q and K": "Weight j belongs to value j, so key j and value j have to come from the same word.",
        "Q alone": "The words that look bring the queries, and the words they look at bring the keys and values.",
        "V alone": "The output has a row for each query, and it is the French words that look.",
    },
    answer="Q alone",
)

# %%
french, english = ["le", "chat", "noir"], ["the", "black", "cat"]
meaning = 5 * np.eye(3)  # (3, 3): the, black, cat
# Each value marks its place, so the output shows how much each place gave.
queries, keys, values = meaning[[0, 2, 1]], meaning, np.eye(3)  # (n_q, d_k), (n_k, d_k), (n_k, d_v)
cross = batched_attention(queries, keys, values, np.ones((3, 3), dtype=bool))  # (n_q, d_v)

# %%
# answers prediction 4
heatmap(cross, french, english, title="French looks at English", vmax=1)
print("chat looks at:", english[cross[1].argmax()], "  noir looks at:", english[cross[2].argmax()])
plt.show()

# %% [markdown]
# *Chat noir* and *black cat* put noun and adjective in opposite orders, so the large weights of *chat* and *noir* cross.
#
# ## What we now know
#
# - A head runs attention on its own part of the columns.
#   To split heads, cut the columns and swap two axes; a bare reshape mixes up the tokens.
# - Four heads of 8 have as many weights to train as one head of 32, need four times the memory for scores, and can each look at something different.
# - Your layer matches Keras's numbers.
# - In cross-attention one sequence looks at another: queries come from the first, and keys and values from the second.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.2 explains multi-head attention, and 3.2.3 says where a translator uses cross-attention, which the paper calls encoder-decoder attention.
# - [@alammar2018]: the same steps as pictures, head by head.
# - [@bahdanau2014]: a translator that looks back at the sentence it is translating, with pictures of French and English words like the one above.
#
# ## Next question
#
# So far, only a mask and the positions that we wrote into `X` by hand have told the model where a word stands.
# Can attention tell the order of words on its own?
# Go on with [08_word_order](08_word_order.ipynb).
