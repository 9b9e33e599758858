# %% [markdown]
# # 16 · Cost and scale: what long texts ask of attention
#
# ![](../images/parts_16.svg)
#
# **You will build** a price list of attention, a softmax that reads its row in pieces, and a block that takes one token at a time from its cache.
#
# **You will be able to**
# - measure how time and memory grow, and fit the power of n,
# - compute the bytes that a large model needs,
# - say how attention works without its large matrix,
# - send one token through a block, and choose between matrix, tiles and cache.
#
# **You need** [06_masks](06_masks.ipynb) and [11_the_block](11_the_block.ipynb).
# **Time:** {minutes} minutes.

# %%
import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # one core, so that times can be compared

import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import scaled_dot_product_attention
from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.computer.measure import peak_bytes, power, seconds
from course_utils.long_sequences import tiled_attention
from course_utils.models.writer_reader import load_writer
from course_utils.pictures.plots import curves

softmax, causal_mask_of, batched_attention = mine("stable_softmax", "causal_mask", "batched_attention")
layer_norm, feed_forward, block = mine("layer_norm", "feed_forward", "block")

# %%
look_back("16")

# %% [markdown]
# ## Time and memory, measured
#
# **Goal.** Find out how the price of attention grows with the number of tokens n.
#
# Our review has twelve tokens, and every one of them may look at all twelve.
# A page of text has a thousand, and each of these looks at a thousand: what does that cost?
# We measure it with a clock.
# `seconds` counts how long one core works for a call (on an idle computer, that is what a clock shows), and `peak_bytes` counts the most memory that the call holds at any moment.
# If a price is c · nᵖ, then p is its **power**; `power` fits p and says how uncertain it is.

# %%
predict(
    "We double n. The time of attention becomes",
    {
        "2 times as long": "The queries double, and the keys that each of them meets double too.",
        "about 4 times as long": True,
        "8 times as long": "That would need a third length that doubles. The width d stays.",
    },
)

# %%
sizes = 2 ** np.arange(7, 13)  # n = 128, 256, ..., 4096
QKV = {n: np.random.default_rng(n).standard_normal((3, n, 64), dtype=np.float32) for n in sizes}  # Q, K, V, each (n, d)
times = [seconds(scaled_dot_product_attention, *QKV[n]) for n in sizes]
memory = [peak_bytes(scaled_dot_product_attention, *QKV[n]) for n in sizes]


# %%
def long(line):  # the power from n = 512 on: below that, the fixed price of a call hides how it grows
    return power(sizes[2:], line[2:])


def draw(**panels):  # a panel for each unit; the legend says how each line grows with n
    _, axes = plt.subplots(1, len(panels), figsize=(5.8 * len(panels), 4.3), squeeze=False)
    for ax, (unit, lines) in zip(axes[0], panels.items(), strict=True):
        named = {f"{name}: power {long(line)}": line for name, line in lines.items()}
        curves(sizes, named, xlabel="n, the number of tokens", ylabel=unit, powers_of_two=True, ax=ax)
        ax.set_yscale("log")
        ax.legend()


# %%
# answers prediction 1
draw(seconds={"plain attention": times}, bytes={"plain attention": memory})  # times differ from run to run
print("time: power between 1.6 and 2.6:", 1.6 < long(times).exponent < 2.6)
print(f"memory: power {long(memory).exponent:.1f}")
print(f"matrices of n x n that are held at a time: {memory[-1] / (4 * sizes[-1] ** 2):.0f}")
plt.show()

# %% [markdown]
# Both axes are logarithmic, so a power becomes a straight line, and where both axes have the same logarithm its slope is p.
#
# <details><summary>What came out</summary>
#
# A reference page on self-attention, which this course follows (text E in `docs/CLAIMS.md`), calls the time "quadratic in sequence length due to the attention matrix".
# Each of n queries meets n keys, with d multiplications for each score, and as many again for the values:
#
# $$\underbrace{n \cdot n \cdot d}_{Q K^\top} + \underbrace{n \cdot n \cdot d}_{\text{weights} \cdot V} = 2\, n^2 d \qquad Q, K, V\colon (n, d) \quad \text{weights}\colon (n, n)$$
#
# Once n is large, the price is proportional to n²·d.
# This is called its **complexity** and written O(n²·d).
#
# The claim holds, and memory is quadratic too, because both come from the n × n scores: at its peak, memory holds three such matrices.
#
# </details>
#
# ## Where the matrix no longer fits
#
# **Goal.** Turn a model's sizes into bytes.
#
# So much for one head on your own machine.
# A large model has thousands of heads in its layers, and each of them makes an n × n matrix of weights of its own.
#
# ### Exercise: `attention_bytes` · 3 minutes
# Return the bytes of **all** attention weights of a model for one text of `n` tokens, without a mask.
# One weight takes `bytes_per_weight` bytes.
# The answer may lie far beyond $2^{31}$, also when the sizes are of the type `np.int64`.
#
# <details><summary>Hint 1</summary>How many weights does one head have, and how many heads are there in all?</details>
#
# <details><summary>Hint 2</summary>Neither the width of a head nor the number of words in the vocabulary plays a part.</details>


# %%
def attention_bytes(n, n_layers, n_heads, bytes_per_weight):
    # solution
    return n_layers * n_heads * n * n * bytes_per_weight
    # end solution


check("attention_bytes", attention_bytes)

# %% [markdown]
# <details><summary>About the solution</summary>Python's own whole numbers have no largest one, and <code>np.int64</code> goes up to 9 · 10<sup>18</sup>, so up to there the product is exact.</details>

# %%
predict(
    "GPT-3: 96 layers of 96 heads, texts of 2,048 tokens, 2 bytes a number. The attention weights of one text take, in GB,",
    {
        0.8: "That is one layer. All layers are wanted.",
        9.7: "That is what its keys and values take, as you will see.",
        77.3: "96 · 96 matrices of 2,048 · 2,048 weights, for one text.",
    },
    answer=lambda: round(96 * 96 * 2048**2 * 2 / 1e9, 1),
)

# %%
# answers prediction 2
n_layers, n_heads, n_text, d_model, size = 96, 96, 2048, 12288, 2  # GPT-3, as published; 2 bytes a number
attention_bytes = keep("attention_bytes")
one, every = (attention_bytes(n_text, *heads, size) for heads in ((1, 1), (n_layers, n_heads)))
print(f"one head {one / 1e6:.1f} MB   all heads {every / 1e9:.1f} GB")
for gigabytes in (8, 24, 80):
    longest = sizes[-1] * (gigabytes * 1e9 / memory[-1]) ** 0.5
    print(f"{gigabytes:>2} GB hold our plain attention, one head alone, up to n = {round(longest, -3):>6,.0f}")
for n in (n_text, 6 * d_model, 1_000_000):  # of 2 n d_model + 12 d_model^2 multiplications for a token in a layer
    print(f"n = {n:>9,}: Q @ K^T and weights @ V are {n / (n + 6 * d_model):.0%} of the work of a layer of GPT-3")

# %% [markdown]
# The sizes are those of [@brown2020], and they hold two surprises.
#
# <details><summary>What came out</summary>
#
# The attention weights would fill a large graphics card, but a model that only reads never has to hold them all: like a reader who turns the page, it can forget those of one layer before it begins the next.
# And at GPT-3's own length the quadratic part is still small, because for each token a layer also multiplies with 12 · d_model² trained numbers, which grows only as n.
# (The real GPT-3 needs less, because half of its layers look only at near tokens.)
#
# </details>
#
# ## Softmax in pieces
#
# **Goal.** Get the sum of a softmax without seeing the whole row at once.
#
# A softmax subtracts the highest score of its row, and the highest may come last, so it seems to need the whole row at once.
# Let it subtract the highest score *so far*: when a higher one comes, the old sum is multiplied by exp(old − new), and then it is measured from the new one.
# This is called the **online softmax**.
#
# $$\begin{gathered} m' = \max(m, s) \qquad \ell' = \ell \cdot e^{m - m'} + e^{s - m'} \\[0.5ex] \text{score } s, \text{ highest } m, \text{ total } \ell\colon \text{one number each} \end{gathered}$$

# %%
highest, total = -np.inf, 0.0
for score in (1.0, 3.0, 2.0, 7.0, 5.0):
    old, highest = highest, max(highest, score)
    total = total * np.exp(old - highest) + np.exp(score - highest)
    print(f"score {score:.0f}: highest so far {highest:.0f}, total {total:.4f}")
print(f"all at once: {np.exp(np.array([1, 3, 2, 7, 5]) - 7.0).sum():.4f}")

# %% [markdown]
# The mixture of values shrinks in the same way.
# A step may also take several keys at once, and such a piece of the row is called a **tile**.
#
# ### Exercise: `online_step` · 7 minutes
# Three things hold what was seen before:
# - `highest`: the highest score, and `-np.inf` before the first tile,
# - `total`: the sum of exp(score − highest),
# - `mixture` `(d_v,)`: the sum of exp(score − highest) · value.
#
# Now comes one tile: `scores` `(t,)` and `values` `(t, d_v)`.
# Return the new `(highest, total, mixture)`.
# Do not divide: that happens once, at the very end.
#
# <details><summary>Hint 1</summary>Find the new highest score first, because both old sums shrink by the same factor, which comes from it.</details>
#
# <details><summary>Hint 2</summary>The new part of the mixture is <code>np.exp(scores - new) @ values</code>.</details>


# %%
def online_step(highest, total, mixture, scores, values):
    # solution
    new = max(highest, scores.max())
    shrink, e = np.exp(highest - new), np.exp(scores - new)  # one number, (t,)
    return new, total * shrink + e.sum(), mixture * shrink + e @ values
    # end solution


check("online_step", online_step)

# %% [markdown]
# <details><summary>About the solution</summary>One factor, <code>shrink</code>, serves both sums, and before the first tile it is exp(−∞) = 0.
# At the end one number can stand for both, highest + log(total), which is the logarithm of the sum of all exponentials.</details>

# %%
online_step = keep("online_step")
Q, K, V = QKV[128]  # each (n, d)
so_far = -np.inf, 0.0, np.zeros(64)  # the highest score, the total, the mixture (d_v,)

# %%
for start in range(0, 128, 32):  # four tiles of 32 keys
    tile = slice(start, start + 32)
    so_far = online_step(*so_far, K[tile] @ Q[0] / 8, V[tile])
    print(f"after {start + 32:>3} keys: highest {so_far[0]:.3f}, total {so_far[1]:.3f}")

# %%
distance = np.abs(so_far[2] / so_far[1] - batched_attention(Q[:1], K, V, np.ones((1, 128), bool))[0]).max()
print(f"mixture / total against all keys at once: {distance:.6f} apart")

# %% [markdown]
# `tiled_attention` in `course_utils/long_sequences.py` does this for all rows, with tiles of queries and of keys, so that it never needs an n × n array.
# Even the causal mask is no array but a function of positions, which is called for one tile at a time.


# %%
plain = batched_attention(*QKV[128], causal_mask_of(128))  # (n, d_v)
for tile in (1, 7, 64, 128):
    tiled = tiled_attention(*QKV[128], mask=lambda query, key: key <= query, tile=tile)  # (n, d_v)
    print(f"tile {tile:>3}: the same output, to 1e-6:", np.allclose(tiled, plain, rtol=0, atol=1e-6))

# %%
predict(
    "We double n, with tiles of 32 queries and 32 keys. The memory of tiled attention becomes",
    {
        "the same": "The tile stays, but the output has a row for each token.",
        "about twice as large": True,
        "4 times as large": "That was the matrix. It is gone: only one tile of it exists at a time.",
    },
)

# %%
# answers prediction 3
tiled_memory = [peak_bytes(tiled_attention, *QKV[n], None, 32) for n in sizes]  # tiles of 32
tiled_times = [seconds(tiled_attention, *QKV[n]) for n in sizes]  # tiles of 512
lines = {"seconds": {"plain": times, "in tiles": tiled_times}, "bytes": {"plain": memory, "in tiles": tiled_memory}}
draw(**lines)  # times differ from run to run
growth = [f"{line[-1] / line[-2]:.1f}" for line in (memory, tiled_memory)]
print("from 2,048 to 4,096 tokens the memory grows: plain {} times, in tiles {} times".format(*growth))
print("at n = 4096 plain attention holds over 50 times as much:", memory[-1] > 50 * tiled_memory[-1])
print("  and takes longer:", times[-1] > tiled_times[-1])
plt.show()

# %% [markdown]
# The result is the same, so this is no approximation: what has changed is the price, not the answer.
# The time is still quadratic, because every product is still computed.
# With tiles of 512 it is shorter here, but mostly because the code makes fewer copies and checks: one tile of 4,096 was still faster than plain attention, and tiles of 32 took longer, because of the many small calls.
# [@dao2022] chose tiles that fit into the small fast memory of a graphics card, so that the scores never leave it.
# This is called **FlashAttention**.
#
# ## One token at a time
#
# **Goal.** Write a text without paying for all of it again at each word.
#
# Picture a writer who reads the whole page again before each new word.
# A model that computes all rows anew does that, although under a causal mask the old rows never change.
# So we keep the old keys and values, and compute one new row; what keeps them is called a **KV cache**.
#
# ### Exercise: `cached_step` · 5 minutes
# A new token has `q`, `k` `(d_k,)` and `v` `(d_v,)`.
# The cache holds `K` `(n, d_k)` and `V` `(n, d_v)`; before the first token it is empty, which means that `n` is 0.
# The token looks at all old tokens **and at itself**.
# Return `(output, K, V)`: its output `(d_v,)` and the longer cache, the new token last.
# Scale the scores as always.
#
# <details><summary>Hint 1</summary>First make the cache longer, then look.</details>
#
# <details><summary>Hint 2</summary><code>np.vstack([K, k])</code> puts one more row below.</details>


# %%
def cached_step(q, k, v, K, V):
    # solution
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_k), (n + 1, d_v)
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V
    # end solution


check("cached_step", cached_step)

# %% [markdown]
# <details><summary>About the solution</summary>No mask is needed, because later tokens are not there yet.
# <code>np.vstack</code> copies the whole cache at each token, whereas a library can set aside arrays for the longest text once and write one row at a time.</details>

# %%
cached_step = keep("cached_step")
K, V, rows = np.zeros((0, 64)), np.zeros((0, 64)), []  # an empty cache
for q, k, v in QKV[128].swapaxes(0, 1):  # one token after the other, each (d,)
    output, K, V = cached_step(q, k, v, K, V)
    rows.append(output)

# %%
print(f"token by token against all at once: {np.abs(np.array(rows) - plain).max():.6f} apart")
kept = 2 * n_layers * d_model * size  # a key and a value for each layer
print(f"GPT-3 keeps {kept / 1e6:.1f} MB a token, {kept * n_text / 1e9:.1f} GB a text")


# %%
with_cache = [seconds(scaled_dot_product_attention, QKV[n][0, -1:], *QKV[n][1:]) for n in sizes]  # one query, n keys
draw(seconds={"all again": times, "with the cache": with_cache})  # times differ from run to run
print("token 4,096: the cache saves over 99 parts of 100:", with_cache[-1] < times[-1] / 100)
plt.show()

# %% [markdown]
# With the cache, one more token costs one row, n scores instead of n².
# (The fit gives less than 1, because even here the fixed price of a call is a good part of so short a time.)
#
# However long that row is, token 1 stays one step away.
# The reference page says that "Token 1 can directly attend to token 1000 in a single step", and your function can say how much arrives there.
# We raise all numbers of the value of token 1 by 1 and look how far the output of token 1,000 moves.

# %%
_, K, V = QKV[1024][:, :999]  # the 999 tokens before, (999, d) each
q, k, v = QKV[1024][:, 999]  # token 1,000, (d,) each
up = V + np.eye(999, 1)  # (999, d): all numbers of the value of token 1 are larger by 1
for name, query in (("its query aims at token 1", 4 * K[0]), ("its query aims at none", q)):
    moved = [cached_step(query, k, v, K, values)[0].mean() for values in (V, up)]
    print(f"{name}: {moved[1] - moved[0]:.4f} of the step arrives at token 1,000")

# %% [markdown]
# As much arrives as the weight lets through, and the query that aims so well was made by hand; a model has to learn it.
#
# An older kind of layer is like a reader who may keep only one page of notes: it reads one token after the other into a state `h` of fixed size, and nothing else is left of the earlier tokens.
# This is called a **recurrent network** ([@hochreiter1997] is its best-known kind).
# In a long text it does far less work, but in small steps that wait for each other, whereas attention reads all rows at once:


# %%
def recurrent(X):  # X (n, d) -> the state after the last token (d,)
    h = np.zeros(64, np.float32)  # (d,)
    for x in X:
        h = np.tanh(W @ x + U @ h)
    return h


# %%
W, U = np.random.default_rng(1).standard_normal((2, 64, 64), dtype=np.float32) / 8  # each (d, d)
steps = [seconds(recurrent, QKV[n][0]) for n in sizes[[0, -1]]]  # a loop in Python, on one core
print("attention is faster at n = 128:", times[0] < steps[0], "  at n = 4096:", times[-1] < steps[-1])

# %% [markdown]
# ## One token through a whole block
#
# **Goal.** Keep a cache for all heads of a block.
#
# A token that is written passes through whole blocks, in each of which it looks back with several heads.
# The norm and the feed-forward layer need no cache, because they work on each token by itself.
#
# ### Exercise: `block_step` · 8 minutes
# One token goes through one block, the norm **before** each part.
# `x` is `(d_model,)`.
# `K` and `V`, the cache, are `(n, d_model)`: keys and values of the old tokens, with all heads side by side; at first `n` is 0.
# `W` `(4, d_model, d_model)`, `W_in`, `b_in`, `W_out`, `b_out`, `gains`, `biases` and `n_heads` are as for `block`.
# Call `layer_norm`, `feed_forward`, and `cached_step` once for each head.
# Return `(output, K, V)`: the output `(d_model,)` and the longer cache, the new token last.
#
# <details><summary>Hint 1</summary>Head 0 owns the first <code>d_model / n_heads</code> numbers of the query, the key and the value, and the same columns of both caches.
# <code>np.split(q, n_heads)</code> and <code>np.split(K, n_heads, axis=1)</code> cut them apart.</details>
#
# <details><summary>Hint 2</summary>Put the outputs of the heads side by side, multiply by <code>W[3]</code>, and add <code>x</code>: the second part starts from this sum.</details>


# %%
def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    # solution
    inside = layer_norm(x, gains[0], biases[0])  # (d_model,)
    cut = [np.split(inside @ W[i], n_heads) for i in range(3)]  # queries, keys, values: n_heads times (d_k,)
    old = [np.split(cache, n_heads, axis=1) for cache in (K, V)]  # n_heads times (n, d_k), twice
    found, K, V = zip(*map(cached_step, *cut, *old))  # of each head: (d_k,), (n + 1, d_k), (n + 1, d_k)
    x = x + np.concatenate(found) @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, np.hstack(K), np.hstack(V)
    # end solution


check("block_step", block_step)

# %%
block_step = keep("block_step")
parts = load_writer().block_weights(0)  # a trained block of the model of the next lesson, with four heads
X, K, V = QKV[128][0, :20, :48], np.zeros((0, 48)), np.zeros((0, 48))  # 20 tokens; an empty cache

# %%
for x in X:
    output, K, V = block_step(x, *parts, 4, K, V)
at_once = block(X, *parts, 4, norm="before")  # (20, d_model): without a mask, only the last row is the same
print(f"token 20, step by step and through your block at once: {abs(output - at_once[-1]).max():.6f} apart")
print("the cache holds keys", K.shape, "and values", V.shape)

# %%
predict(
    "Read a text of 100,000 tokens in one go, with attention's own result, on a computer with 8 GB. What will you take?",
    {
        "the matrix": "100,000 × 100,000 weights of 4 bytes are 40 GB, for one head.",
        "tiles": True,
        "the cache": "It fits, and takes 100,000 steps, one after the other, although all tokens are there at once.",
    },
)

# %%
# answers prediction 4
for job, n in (("read a review", 50), ("write a page", 1_000), ("read a book", 100_000)):
    held = {"matrix": n * n, "tiles": 32 * 32 + 64 * n, "cache": 2 * 64 * n}  # numbers: one head, d = 64
    print(f"{job:>13}, {n:>7,} tokens:", "  ".join(f"{name} {4 * m / 1e6:,.2f} MB" for name, m in held.items()))

# %% [markdown]
# Of matrix, tiles and cache, none is always best.
# For a review the matrix is small, and it takes the least code; a long text that is read at once needs tiles; and a writer has to wait for each word anyway, so there the cache saves all that would be computed again.
#
# ## What we now know
#
# | claim of the five texts | measured here | its condition |
# |---|---|---|
# | time is quadratic | yes | large n; a whole layer of GPT-3 is not yet there at 2,048 |
# | memory is quadratic | yes, for plain attention | in tiles it grows as n, with the same result |
# | attention is parallel | yes | for reading, not for writing |
# | attention is faster than a recurrent layer | for short texts | n² overtakes n; on one core, against a loop in Python |
# | token 1 reaches token 1,000 in one step | yes | as much as its weight: a query must aim at it |
# | weights are mostly near 0 | not yet | needs a trained model: lesson 19 |

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: table 1 compares attention, recurrence and convolution by complexity, by steps in a row and by the length of the path.
# - [@milakov2018]: the highest score and the total of a softmax, in one pass over the row.
# - [@dao2022]: exact attention in tiles, and how many accesses to slow memory that saves.
#
# ## Next question
#
# So far our models read reviews; can one write them, with your cache?
# Go on with [17_a_model_that_writes](17_a_model_that_writes.ipynb).
