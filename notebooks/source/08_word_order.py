# %% [markdown]
# # 08 · Word order: attention cannot see it, so we add it
#
# **You will build** a proof on numbers that attention ignores word order, and the position vectors that bring it back.
#
# **You will be able to**
# - say what happens to the outputs when you shuffle the words,
# - make sinusoidal positions and say what their dot products tell,
# - add positions to a batch, and measure that the order can be read again,
# - show that one word gets two outputs in two contexts.
#
# **You need** [04_queries_keys_values](04_queries_keys_values.ipynb) and [06_masks](06_masks.ipynb).
# **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import causal_mask, scaled_dot_product_attention, sinusoidal_positions
from course_utils.checks import check, predict, progress, recap
from course_utils.plots import arrows, curves, heatmap, row_bars

# %% [markdown]
# ## Shuffle the words
#
# **Goal.** See what a new order does to the outputs.
#
# `X` holds one row for each word.
# An order such as `[2, 0, 1]` says which row comes first, second, third: `X[order]`.
# The same shuffle can be written as a product `P @ X`, with a **permutation matrix** `P` of zeros and ones.
#
# ### Exercise: `permutation` · 4 minutes
# `order` is `(n,)`.
# Return the `(n, n)` matrix `P` for which `P @ X` equals `X[order]`.
#
# <details><summary>Hint 1</summary>Row <code>i</code> of <code>P @ X</code> is to be one row of <code>X</code>.
# So row <code>i</code> of <code>P</code> has a single 1.
# In which column?</details>
#
# <details><summary>Hint 2</summary>What happens to <code>np.eye(n)</code> when you shuffle its rows?</details>


# %%
def permutation(order):
    # solution
    return np.eye(len(order))[order]  # (n, n)
    # end solution


check("permutation", permutation)

# %%
rng = np.random.default_rng(8)
X = rng.normal(size=(5, 4))  # (n, d_model): five words
W_Q, W_K, W_V = rng.normal(size=(3, 4, 4))  # each (d_model, d_k)


def attend(X):
    return scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)  # output (n, d_v), weights (n, n)


# %%
order = [3, 0, 4, 1, 2]
for place, word in enumerate(order):
    same = np.allclose(attend(X[order]).output[place], attend(X).output[word])
    print(f"word {word} moved to place {place}. Its output is the same as before: {same}")

# %%
worst = 0.0
for _ in range(1000):
    P = np.eye(5)[rng.permutation(5)]  # (n, n)
    worst = max(worst, np.abs(attend(P @ X).output - P @ attend(X).output).max())
print("1,000 random orders, all differences below 1e-12:", bool(worst < 1e-12))

# %%
figure, axes = plt.subplots(1, 2, figsize=(12, 4.4))
before = [f"word {i}" for i in range(5)]
after = [f"word {i}" for i in order]
heatmap(attend(X).weights, before, title="weights", ax=axes[0], vmax=1)
heatmap(attend(X[order]).weights, after, title="weights after the shuffle", ax=axes[1], vmax=1)
plt.show()

# %% [markdown]
# The weights are the same numbers in other places.
# Each row of scores is shuffled, the softmax does not care, and the values are shuffled in the same way.
# So: shuffle the inputs, and the outputs come out **shuffled in the same way**, nothing else.
# This is called **permutation equivariance**.
#
# ## Dog bites man
#
# **Goal.** See what this means for reading.

# %%
predict(
    "We turn “dog bites man” into “man bites dog”. The output of “dog” is",
    {
        "the same as before": True,
        "the old output of “man”": "“dog” takes the place of “man”, but a place has no number in the formula. Only the words have.",
        "a new one": "Its query meets the same three keys and mixes the same three values. Only the order of the sum changes.",
    },
)

# %%
vectors = {"dog": [2, 0], "bites": [1, 1], "man": [0, 2]}  # hand-made; Q = K = V = X
figure, axes = plt.subplots(1, 2, figsize=(11, 5.2))
means = []
for ax, sentence in zip(axes, (["dog", "bites", "man"], ["man", "bites", "dog"])):
    S = np.array([vectors[word] for word in sentence])  # (n, d_model)
    output = scaled_dot_product_attention(S, S, S).output  # (n, d_v)
    means.append(output.mean(axis=0))
    by_word = np.array([output[sentence.index(word)] for word in vectors])  # (n, d_v)
    arrows(by_word, list(vectors), title=f"outputs of “{' '.join(sentence)}”", ax=ax)
    ax.set(xlim=(-0.3, 2.2), ylim=(-0.3, 2.2))
    print(f"{' '.join(sentence)}: ", "  ".join(f"{word} {o.round(2)}" for word, o in zip(vectors, by_word)))
print("the mean of the outputs is the same:", np.allclose(*means))
plt.show()

# %%
S = np.array([vectors[word] for word in ("dog", "bites", "man")])  # (n, d_model)
masked = scaled_dot_product_attention(S, S, S, causal_mask(3)).output  # (n, d_v)
turned = scaled_dot_product_attention(S[::-1], S[::-1], S[::-1], causal_mask(3)).output  # (n, d_v)
print("with a causal mask, dog first:", masked[0], "  dog last:", turned[2].round(2))

# %% [markdown]
# Without a mask each word has the same output in both sentences, so no output tells who bites.
# Attention alone is a bag of words that look at each other.
# (A causal mask is an exception: it gives each place another set of words to look at.)
#
# ## A vector for each place
#
# **Goal.** Give every place its own pattern of waves.
#
# The first Transformer used **sinusoidal positions**.
# Two neighbouring dimensions hold the sine and the cosine of one angle.
# It grows with the place $t$, fast in the first dimensions, slowly in the last:
#
# $$P_{t,\,2i} = \sin\frac{t}{10000^{2i/d_{model}}} \qquad P_{t,\,2i+1} = \cos\frac{t}{10000^{2i/d_{model}}}$$
#
# ### Exercise: `sinusoidal_positions` · 8 minutes
# Return `(n, d_model)` for the places 0 to n − 1.
# `d_model` may be odd; then the last sine has no cosine.
#
# <details><summary>Hint 1</summary>Make all angles first, <code>(n, d_model)</code>.
# Dimensions 2i and 2i + 1 share one angle: <code>dims // 2 * 2</code> is 2i for both.</details>
#
# <details><summary>Hint 2</summary><code>places[:, None] / speeds</code> gives all angles.
# Then sine in the even, cosine in the odd columns: <code>np.where(dims % 2, ..., ...)</code>.</details>


# %%
def positions_of(n, d_model):
    # solution
    dims = np.arange(d_model)  # (d_model,)
    angles = np.arange(n)[:, None] / 10000 ** (dims // 2 * 2 / d_model)  # (n, d_model)
    return np.where(dims % 2, np.cos(angles), np.sin(angles))  # (n, d_model)
    # end solution


check("sinusoidal_positions", positions_of)

# %%
P = sinusoidal_positions(60, 64)  # (n, d_model)
lines = {f"dimension {i}": P[:, i] for i in (4, 10, 16, 24)}
ax = curves(np.arange(60), lines, xlabel="place", ylabel="value", title="Fast waves and slow waves", markers=False)
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
print("smallest and largest value:", P.min().round(1), P.max().round(1))
plt.show()

# %%
predict(
    "We walk away from a place and take the dot product of its vector with the others. It",
    {
        "falls at every step": "The waves come round again, and lift it.",
        "falls, but not at every step": True,
        "depends on where we start": "sin a · sin b + cos a · cos b = cos(a − b): only the distance is left.",
        "stays the same": "All vectors have the same length, but they point in different directions.",
    },
)

# %%
P = sinusoidal_positions(101, 64)  # (n, d_model)
D = P @ P.T  # (n, n): every place with every place
labels = {"xlabel": "distance", "ylabel": "dot product", "title": "Near places have large products"}
curves(np.arange(101), {"dot product": D[0]}, markers=False, **labels)
spread = max(np.ptp(np.diagonal(D, k)) for k in range(100))  # on a diagonal the distance is the same
print(f"distance 0: {D[0, 0]:.1f}   1: {D[0, 1]:.1f}   5: {D[0, 5]:.2f}   6: {D[0, 6]:.2f}   100: {D[0, 100]:.1f}")
print("depends on the distance only:", bool(spread < 1e-9), "  steps that rise:", (np.diff(D[0]) > 0).sum(), "of 100")
plt.show()

# %% [markdown]
# Near places have the larger products, and a query can use that.
# Now two corner cases: a very long text, and an odd `d_model`.

# %%
for d_model in (4, 5, 64):
    P = sinusoidal_positions(20_000, d_model)  # (n, d_model)
    away = np.linalg.norm(P[1:] - P[0], axis=1)  # (n - 1,): how far the others are from place 0
    print(f"d_model {d_model:>2}: closest to place 0 is place {away.argmin() + 1:>5}, {away.min():.2f} away")

# %%
for d_model in (4, 5, 64):
    P = sinusoidal_positions(20_000, d_model)  # (n, d_model)
    step = (P[:-1] * P[1:]).sum(axis=1)  # (n - 1,): dot products of neighbours, all at distance 1
    print(f"d_model {d_model:>2}: spread over 50 places {np.ptp(step[:50]):.2f}, over all {np.ptp(step):.2f}")

# %% [markdown]
# With few dimensions far places come close to each other again; 64 keep 20,000 places apart.
# With an odd number the last sine has no partner, so the dot product no longer depends on the distance only.
# It still runs, and short texts hardly show it.
#
# ## A table of vectors
#
# **Goal.** Compare the formula with positions that are learned.
#
# Many models, BERT and the first GPTs among them, keep a **table**: one row of free numbers for each place, moved by training like all other weights.
# Here it is random, as before training.
# We train nothing in this lesson; lesson 12 does.

# %%
table = np.random.default_rng(1).normal(size=(101, 64)) / np.sqrt(2)  # (longest, d_model), as long as the waves
lines = {"sinusoidal": D[0], "random table": table @ table[0]}
curves(np.arange(101), lines, xlabel="distance from place 0", ylabel="dot product", markers=False)
print("numbers to learn:", table.size, "  places that it knows:", len(table))
plt.show()

# %% [markdown]
# A fresh table knows nothing of near and far; training must find that.
# And it ends: it has no row for place 101.
# The formula has nothing to learn, and no end.
#
# ## Add them
#
# **Goal.** Tell word and place in one vector.
#
# ### Exercise: `add_positions` · 4 minutes
# `X` is a batch of sentences, `(batch, n, d_model)`.
# `P` is `(longest, d_model)` with at least `n` rows.
# Return `(batch, n, d_model)`: add to each word the vector of its **place in the sentence**, never of its place in the batch.
#
# <details><summary>Hint 1</summary>You need the first <code>n</code> rows of <code>P</code>.
# Which axis of <code>X</code> is <code>n</code>?</details>
#
# <details><summary>Hint 2</summary>NumPy lines up shapes from the right: <code>(n, d_model)</code> fits <code>(batch, n, d_model)</code>.</details>


# %%
def add_positions(X, P):
    # solution
    return X + P[: X.shape[1]]  # (batch, n, d_model)
    # end solution


check("add_positions", add_positions)

# %% [markdown]
# ## Read the order again
#
# **Goal.** Find out whether the output of *dog* now says if it bites or is bitten.
#
# 300 random verbs give 300 pairs of sentences: *dog verb man* and *man verb dog*.
# A **linear readout** is one vector `w`; the sign of `output @ w` is its answer.
# We fit it on 100 verbs and test it on the other 200.

# %%
rng = np.random.default_rng(0)
dog, man = rng.normal(size=(2, 16))  # each (d_model,)
verbs = rng.normal(size=(300, 16))  # (batch, d_model)
both = np.stack([[[dog, v, man] for v in verbs], [[man, v, dog] for v in verbs]])  # (2, batch, n, d_model)
tables = {"no positions": 0, "sinusoidal": sinusoidal_positions(3, 16), "random table": rng.normal(size=(3, 16))}


# %%
def share_right(F):  # F (2, batch, d_model): something read from each sentence, in both orders
    learn, test = F[:, :100].reshape(200, -1), F[:, 100:]
    w = np.linalg.lstsq(learn, np.repeat([1, -1], 100), rcond=None)[0]  # (d_model,)
    return np.mean([test[0] @ w > 0, test[1] @ w < 0])


# %%
from_dog, from_mean = [], []
for P in tables.values():
    X = both + P  # (2, batch, n, d_model)
    output = scaled_dot_product_attention(X, X, X).output  # (2, batch, n, d_model)
    from_dog.append(share_right(np.stack([output[0, :, 0], output[1, :, 2]])))
    from_mean.append(share_right(output.mean(axis=2)))
print("from the mean of all outputs, all below 0.7:", bool(max(from_mean) < 0.7))
row_bars(from_dog, list(tables), title="Does the dog bite? Read from the output of “dog”", xlabel="share right")
plt.gca().set_ylabel("positions")
plt.show()

# %% [markdown]
# Without positions the readout is right in one order of two, as it must be: both outputs are equal.
# With positions the order is back, even with a random table.
# But it is not everywhere: the **mean** of the outputs hardly shows it.
# Adding positions makes order available.
# To use it is what training is for.
#
# ## One word, two outputs
#
# **Goal.** See the same word come out differently in two contexts.
#
# *bank* means one thing in *river bank* and another in *bank account*.
# Its word vector is the same in both.
# We use hand-made vectors, (nature, money), without positions.

# %%
river, bank, account = [3, 0], [1, 1], [0, 3]
pairs = {"river bank": np.array([bank, river]), "bank account": np.array([bank, account])}  # each (n, d_model)
outputs = {name: scaled_dot_product_attention(S, S, S).output for name, S in pairs.items()}  # each (n, d_v)
ax = arrows([bank, *(o[0] for o in outputs.values())], ["bank", *pairs])
ax.set(xlim=(-0.9, 3.4), ylim=(-0.9, 3.4), xlabel="nature", ylabel="money", title="One word, two outputs")
plt.show()

# %%
for name, S in pairs.items():
    print(f"{name:<13} bank: query in layer 0 {S[0]}   output, and query in layer 1 {outputs[name][0].round(2)}")

# %% [markdown]
# Some texts say that *bank* asks a **different query** in each context.
# In the first layer it does not: the query is made from the word alone, and only the keys around it differ.
# From the second layer on it does, because its input is the first layer's output.
# (With positions added, the place of *bank* changes its query too.)
#
# ## What we now know
#
# - Shuffled words give shuffled outputs.
#   Attention alone cannot tell *dog bites man* from *man bites dog*.
# - Sinusoidal positions: the dot product depends on the distance only, for an even `d_model`.
#   It falls, but not at every step.
# - A table is learned, and ends at its last row.
# - After adding positions, order can be read from the outputs.
# - One word gets two outputs in two contexts.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# All queries, keys and values so far were made by hand or drawn at random.
# How does attention learn its own?
# Go on with [09_gradient_by_hand](09_gradient_by_hand.ipynb).
