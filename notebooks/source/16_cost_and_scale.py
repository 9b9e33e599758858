# %% [markdown]
# # 16 · Cost and scale: what long texts ask of attention
#
# ![](../images/parts_16.svg)
#
# **You will build** a price list for attention, a softmax that reads its row in pieces, and a block that takes one token at a time and keeps a cache.
#
# **You will be able to**
# - measure how time and memory grow with n, and fit the power,
# - compute the bytes that a large model needs,
# - say how attention can do without its large matrix,
# - send one token through a block, and choose between a matrix, tiles and a cache.
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
# A page of text has a thousand tokens, and each of them looks at a thousand: what does that cost?
# We measure it with a clock.
# `seconds` measures how long one core works on a call (on an idle computer, that is what a clock shows), and `peak_bytes` finds the most memory that the call holds at any moment.
# If a price is c · nᵖ, then p is its **power**; `power` fits p and says how uncertain it is.

# %%
predict(
    "We double n. The time of attention becomes",
    {
        "2 times as long": "There are twice as many queries, and each meets twice as many keys.",
        "about 4 times as long": True,
        "8 times as long": "For that, a third length would have to double. The width d stays the same.",
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
# Both axes are logarithmic, so a power becomes a straight line; if both axes use the same logarithm, its slope is p.
#
# <details><summary>What came out</summary>
#
# A reference page on self-attention, which this course follows (text E in `docs/CLAIMS.md`), calls the time "quadratic in sequence length due to the attention matrix".
# Each of the n queries meets n keys, each score takes d multiplications, and mixing the values takes as many again:
#
# $$\underbrace{n \cdot n \cdot d}_{Q K^\top} + \underbrace{n \cdot n \cdot d}_{\text{weights} \cdot V} = 2\, n^2 d \qquad Q, K, V\colon (n, d) \quad \text{weights}\colon (n, n)$$
#
# Once n is large, the price is proportional to n²·d.
# This is called its **complexity** and written O(n²·d).
#
# The claim is true, and memory is quadratic too, because both depend on the n × n scores: at the peak, three such matrices are in memory.
#
# </details>
#
# ## Where the matrix no longer fits
#
# **Goal.** Turn a model's sizes into bytes.
#
# So much for one head on your own machine.
# A large model has thousands of heads in its layers, and each head makes its own n × n matrix of weights.
#
# ### Exercise: `attention_bytes` · 3 minutes
# Return the bytes of **all** attention weights of a model for one text of `n` tokens, without a mask.
# One weight takes `bytes_per_weight` bytes.
# The answer may lie far beyond $2^{31}$, even when the sizes are of type `np.int64`.
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
# <details><summary>About the solution</summary>Python's own integers have no upper limit, and <code>np.int64</code> is exact up to 9 · 10<sup>18</sup>.</details>

# %%
predict(
    "GPT-3: 96 layers of 96 heads, texts of 2,048 tokens, 2 bytes a number. The attention weights of one text take, in GB,",
    {
        0.8: "That is one layer, not all 96.",
        9.7: "That is what its keys and values take, as you will see.",
        77.3: "There are 96 · 96 matrices of 2,048 · 2,048 weights for one text.",
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
# GPT-3's sizes come from [@brown2020], and the results bring two surprises.
#
# <details><summary>What came out</summary>
#
# The attention weights would fill a large graphics card, but a model that only reads never has to hold them all: like a reader turning the page, it can forget one layer's weights before it begins the next layer.
# And at GPT-3's length the quadratic part is still small, because a layer also multiplies each token by 12 · d_model² trained numbers, and that work grows only linearly.
# (The real GPT-3 needs less, because half of its layers look only at nearby tokens.)
#
# </details>
#
# ## Softmax in pieces
#
# **Goal.** Compute the sum of a softmax without seeing the whole row at once.
#
# A softmax subtracts the highest score of its row, and that score may come last, so the whole row seems to be needed at once.
# Instead, let it subtract the highest score *so far*: when a higher score comes, we multiply the old sum by exp(old − new) to measure it from the new score.
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
# The mixture of values is rescaled in the same way.
# A step can also take several keys at once, and such a piece of the row is called a **tile**.
#
# ### Exercise: `online_step` · 7 minutes
# Three things sum up what came before:
# - `highest`: the highest score, or `-np.inf` before the first tile,
# - `total`: the sum of exp(score − highest),
# - `mixture` `(d_v,)`: the sum of exp(score − highest) · value.
#
# Now one more tile arrives: `scores` `(t,)` and `values` `(t, d_v)`.
# Return the new `(highest, total, mixture)`.
# Do not divide: the division happens once, at the very end.
#
# <details><summary>Hint 1</summary>Find the new highest score first, because it sets the factor by which both old sums shrink.</details>
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
# At the end, one number can replace the highest score and the total: highest + log(total), the log of the sum of all exponentials.</details>

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
# `tiled_attention` in `course_utils/long_sequences.py` does this for all rows, with tiles of queries and of keys, so it never needs an n × n array.
# Even the causal mask isn't an array but a function of positions, called for one tile at a time.


# %%
plain = batched_attention(*QKV[128], causal_mask_of(128))  # (n, d_v)
for tile in (1, 7, 64, 128):
    tiled = tiled_attention(*QKV[128], mask=lambda query, key: key <= query, tile=tile)  # (n, d_v)
    print(f"tile {tile:>3}: the same output, to 1e-6:", np.allclose(tiled, plain, rtol=0, atol=1e-6))

# %%
predict(
    "We double n, with tiles of 32 queries and 32 keys. The memory of tiled attention becomes",
    {
        "the same": "The tile stays the same size, but the output has a row for each token.",
        "about twice as large": True,
        "4 times as large": "The whole matrix would grow like that, but only one tile of it exists at a time.",
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
# The result is the same, so tiling is not an approximation: the price has changed, not the answer.
# Every product is still computed, so the time grows as before.
# With tiles of 512 the time is shorter here, but mostly because the code makes fewer copies and checks: even one tile of 4,096 was faster than plain attention.
# Tiles of 32 were slower because of their many small calls.
# [@dao2022] chose tiles that fit into the small, fast memory of a graphics card, so the scores never leave it.
# This is called **FlashAttention**.
#
# ## One token at a time
#
# **Goal.** Write a text without paying for all of it again with each word.
#
# Picture a writer who reads the whole page again before each new word.
# A model that computes every row anew does the same, although under a causal mask the old rows never change.
# So we store the old keys and values, and compute only the new row; the store is called a **KV cache**.
#
# ### Exercise: `cached_step` · 5 minutes
# A new token has `q`, `k` `(d_k,)` and `v` `(d_v,)`.
# The cache holds `K` `(n, d_k)` and `V` `(n, d_v)`; before the first token it is empty, which means that `n` is 0.
# The token looks at every old token **and at itself**.
# Return `(output, K, V)`: the token's output `(d_v,)` and the longer cache, with the new token last.
# Scale the scores as usual.
#
# <details><summary>Hint 1</summary>First make the cache longer, then look.</details>
#
# <details><summary>Hint 2</summary><code>np.vstack([K, k])</code> adds one more row at the bottom.</details>


# %%
def cached_step(q, k, v, K, V):
    # solution
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_k), (n + 1, d_v)
    return softmax(K @ q / np.sqrt(len(q))) @ V, K, V
    # end solution


check("cached_step", cached_step)

# %% [markdown]
# <details><summary>About the solution</summary>No mask is needed, because later tokens are not there yet.
# <code>np.vstack</code> copies the whole cache for each token, whereas a library can reserve arrays for the longest text once and write one row at a time.</details>

# %%
cached_step = keep("cached_step")
K, V, rows = np.zeros((0, 64)), np.zeros((0, 64)), []  # an empty cache
for q, k, v in QKV[128].swapaxes(0, 1):  # one token after the other, each (d,)
    output, K, V = cached_step(q, k, v, K, V)
    rows.append(output)

# %%
print(f"token by token against all at once: {np.abs(np.array(rows) - plain).max():.4f} apart")
per_token = 2 * n_layers * d_model * size  # a key and a value for each layer
print(f"GPT-3 keeps {per_token / 1e6:.1f} MB a token, {per_token * n_text / 1e9:.1f} GB a text")


# %%
# answers prediction 1
with_cache = [seconds(scaled_dot_product_attention, QKV[n][0, -1:], *QKV[n][1:]) for n in sizes]  # one query, n keys
draw(seconds={"all again": times, "with the cache": with_cache})  # times differ from run to run
print("token 4,096: the cache saves over 99 parts of 100:", with_cache[-1] < times[-1] / 100)
plt.show()

# %% [markdown]
# With the cache, one more token costs one row: n scores instead of n².
# (The fitted power is below 1, because the fixed price of a call makes up much of such a short time.)
#
# However long that row is, token 1 stays one step away.
# The reference page says that "Token 1 can directly attend to token 1000 in a single step", and your function can tell you how much of token 1 arrives.
# We raise every number in the value of token 1 by 1 and see how far the output of token 1,000 moves.

# %%
_, K, V = QKV[1024][:, :999]  # the 999 tokens before, (999, d) each
q, k, v = QKV[1024][:, 999]  # token 1,000, (d,) each
up = V + np.eye(999, 1)  # (999, d): all numbers of the value of token 1 are larger by 1
for name, query in (("its query aims at token 1", 4 * K[0]), ("its query aims at none", q)):
    moved = [cached_step(query, k, v, K, values)[0].mean() for values in (V, up)]
    print(f"{name}: {moved[1] - moved[0]:.4f} of the step arrives at token 1,000")

# %% [markdown]
# The weight decides how much arrives, and the query that aims so well was made by hand; a model has to learn such a query.
#
# An older kind of layer is like a reader who may keep only one page of notes: it reads one token after another into a state `h` of fixed size, and keeps nothing else of the earlier tokens.
# This is called a **recurrent network** ([@hochreiter1997] describe its best-known kind).
# On a long text it does far less work, but in small steps that have to wait for each other, whereas attention computes all rows at once:


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
# When a model writes, each token passes through whole blocks, and in every block it looks back with several heads.
# The norm and the feed-forward layer don't need a cache, because they work on each token on its own.
#
# ### Exercise: `block_step` · 8 minutes
# One token goes through one block, with the norm **before** each part.
# `x` is `(d_model,)`.
# `K` and `V`, the cache, are `(n, d_model)`: keys and values of the old tokens, with all heads side by side; at first `n` is 0.
# `W` `(4, d_model, d_model)`, `W_in`, `b_in`, `W_out`, `b_out`, `gains`, `biases` and `n_heads` are as for `block`.
# Call `layer_norm` and `feed_forward`, and call `cached_step` once for each head.
# Return `(output, K, V)`: the output `(d_model,)` and the longer cache, with the new token last.
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
print(f"token 20, step by step and through your block at once: {abs(output - at_once[-1]).max():.4f} apart")
print("the cache holds keys", K.shape, "and values", V.shape)

# %%
predict(
    "Read a text of 100,000 tokens in one go, with attention's own result, on a computer with 8 GB. What will you take?",
    {
        "the matrix": "100,000 × 100,000 weights of 4 bytes take up 40 GB, for one head.",
        "tiles": True,
        "the cache": "The cache fits, but it takes 100,000 steps, one after another, although all the tokens are there from the start.",
    },
)

# %%
# answers prediction 4
for job, n in (("read a review", 50), ("write a page", 1_000), ("read a book", 100_000)):
    numbers = {"matrix": n * n, "tiles": 32 * 32 + 64 * n, "cache": 2 * 64 * n}  # for one head, d = 64
    print(f"{job:>13}, {n:>7,} tokens:", "  ".join(f"{name} {4 * m / 1e6:,.2f} MB" for name, m in numbers.items()))

# %% [markdown]
# <details><summary>What came out</summary>
#
# No single method is always best.
# For a review, the matrix is small and takes the least code; a long text read in one go needs tiles; and a writer goes word by word anyway, so a cache lets it skip the old rows.
#
# </details>
#
# ## What we now know
#
# | claim of the five texts | measured here | its condition |
# |---|---|---|
# | time is quadratic | yes | for large n; a whole layer of GPT-3 isn't there yet at 2,048 |
# | memory is quadratic | yes, for plain attention | in tiles it grows as n, with the same result |
# | attention is parallel | yes | for reading, not for writing |
# | attention is faster than a recurrent layer | for short texts | n² overtakes n; measured on one core, against a loop in Python |
# | token 1 reaches token 1,000 in one step | yes | as much as its weight: a query must aim at it |
# | weights are mostly near 0 | not yet | needs a trained model: lesson 19 |

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: table 1 compares attention, recurrence and convolution by complexity, sequential steps and the length of the path.
# - [@milakov2018]: how to find a softmax's highest score and total in one pass over the row.
# - [@dao2022]: exact attention in tiles, and how many accesses to slow memory the tiles save.
#
# ## Next question
#
# So far our models have read reviews; can a model also write them, using your cache?
# Go on with [17_a_model_that_writes](17_a_model_that_writes.ipynb).
