# %% [markdown]
# # 02 · Softmax: from scores to shares
#
# ![](../images/machine_02.svg)
#
# **You will build** the softmax: first with a loop, then without one, then in a form that no finite score can break.
#
# **You will be able to**
# - turn any scores into shares that sum to 1,
# - say what changes the shares and what leaves them alone,
# - find the score at which the usual formula fails, and fix the formula,
# - choose the right axis of a matrix.
#
# **You need** [01_dot_products](01_dot_products.ipynb): the scores of one query against its keys.
# **Time:** {minutes} minutes.

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import softmax
from course_utils.checks import check, keep, mine, predict, progress, recap
from course_utils.explorables import SoftmaxDial
from course_utils.pictures.plots import curves, heatmap, row_bars
from course_utils.sentences import REVIEW, first_look, review_vectors

# %% [markdown]
# ## From scores to shares
#
# **Goal.** Turn scores into shares of one whole.
#
# *good* has a score for every word in the review, but only one whole to give away, so the scores must become shares.
# A score can be any number, even a negative one, whereas a share lies between 0 and 1, and all the shares add up to 1.
# Two steps turn scores into shares: replace each score $s$ with $e^s$, which is always positive, and divide by the sum.
# This is called the **softmax**, and its inputs are called **logits**; in attention, the logits are the scores.
# For scores and weights of shape $(n_{keys})$:
#
# $$\text{weight}_j = \frac{e^{s_j}}{\sum_k e^{s_k}}$$

# %%
words = ["good", "not", "The"]
Q, K, _ = first_look()
dot_product = mine("dot_product")
scores = np.array([dot_product(Q[0], k) for k in K]) / np.sqrt(2)  # (n_keys,) = (3,), by your loop of lesson 01
exponentials = [math.exp(s) for s in scores]
weights = np.array([e / sum(exponentials) for e in exponentials])  # (n_keys,)
print("weights:", weights.round(2), "  sum:", weights.sum().round(6))

figure, axes = plt.subplots(1, 3, figsize=(12, 2.6))
for ax, row, name in zip(axes, (scores, exponentials, weights), ("score", "exp(score)", "weight")):
    row_bars(row, words, ax=ax, xlabel=name, title=f"sum {sum(row):.2f}")
    ax.locator_params(axis="x", nbins=3)
    ax.label_outer()
plt.show()

# %% [markdown]
# The order stays the same: the best score gets the largest share, and no key goes away empty-handed, not even with a score of 0.
#
# Is the detour through $e^s$ necessary?
# Divide two scores by their sum instead, and see.

# %%
two = np.array([2.0, -1.0])
print("divided by the sum:", two / two.sum(), "  softmax:", softmax(two).round(2))

# %% [markdown]
# 200 % and −100 % also add up to 100 %, but what would it mean to look at a word with −100 % of the attention?
#
# ### Exercise: `softmax` · 4 minutes
# Write the softmax of one row, without a loop.
# `scores` is `(n_keys,)`, and you return `(n_keys,)`.
# Scores may be negative, and some may be equal.
#
# <details><summary>Hint 1</summary>NumPy's <code>np.exp</code> takes a whole array at once.</details>
#
# <details><summary>Hint 2</summary>Keep the exponentials in a variable, because you need them twice: on their own, and for the sum.</details>


# %%
def softmax_of(scores):
    # solution
    exponentials = np.exp(scores)  # (n_keys,)
    return exponentials / exponentials.sum()
    # end solution


check("softmax", softmax_of)

# %% [markdown]
# <details><summary>About the solution</summary>The exponentials are kept in a variable, because they are needed above and below the fraction line.
# <code>np.exp(scores - np.log(np.exp(scores).sum()))</code> subtracts in the exponent, and gives the same shares.</details>
#
# ## The same number on every score
#
# **Goal.** Know which changes to the scores leave the shares alone.
#
# The weights of our three words are 0.46, 0.32 and 0.22.
# What would the weights be if every score were 100 higher?

# %%
predict(
    "After adding 100 to every score the weights are",
    {
        "nearly equal": "Next to 100, the differences do look tiny. But they haven't changed.",
        "the same": True,
        "nearly all on the first word": "That happens when the scores are multiplied by 100, because then their differences grow.",
    },
)

# %%
# answers prediction 1
softmax_of = keep("softmax")
print("before:   ", softmax_of(scores).round(2))
print("plus 100: ", softmax_of(scores + 100).round(2))
print("times 100:", softmax_of(scores * 100).round(2))

# %% [markdown]
# <details><summary>What came out</summary>
#
# Why does nothing happen?
# Because $e^{s+100} = e^s \cdot e^{100}$: adding 100 to every score multiplies each exponential, and therefore their sum, by the same enormous number, which then cancels.
# It is like paying everyone in cents instead of euros: the figures change, but the shares don't.
# A score alone therefore tells you nothing: only **differences** between scores count.
#
# </details>
#
# Here is the share of the better key when there are only two.

# %%
difference = np.linspace(0, 6, 25)
better = [softmax(np.array([d, 0.0]))[0] for d in difference]
ax = curves(difference, {"better key": better}, xlabel="difference of the two scores", ylabel="share of the better key")
ax.set_title("The difference decides")
for d in (0, 1 / np.sqrt(2), 1, 2, 4):
    print(f"difference {d:.2f}: shares {softmax(np.array([d, 0.0])).round(2)}   ratio e^{d:.2f} = {np.exp(d):.2f}")
plt.show()

# %% [markdown]
# A difference of 0.71 is enough for shares of two thirds and one third.
#
# ## Temperature
#
# **Goal.** Make a row sharp or flat on purpose.
#
# The differences between the scores can also be stretched or shrunk: before the softmax, we divide all scores by a number $T > 0$, which is called the **temperature**.
# A $T$ below 1 makes the differences larger and a $T$ above 1 makes them smaller, but the order of the keys never changes.

# %%
predict(
    "When T comes close to 0, what happens to the weights?",
    {
        "all keys get the same weight": "That happens at the other end: a large T makes all the differences small.",
        "the best key gets all the weight": True,
        "all weights go to 0": "They can't, because the weights of a row sum to 1 at every temperature.",
    },
)

# %% [markdown]
# ### Try it: turn the temperature
# The dial shows the scores of our three words, not yet divided by anything, and measures in bits how evenly the weight is spread: 0 bits when one key has all of it, and $\log_2$ of the number of keys when all the shares are equal.
# This measure is called the **entropy** of the row.
# (The dial also shows the size of the gradient, for lesson 03.)
# - Turn the temperature all the way down, then all the way up.
# - Come back to 1 and drag the score of *The*.
#   How much weight can it take?
# - Leave the temperature where you like it: the cell after the exercise uses it for its last picture.

# %%
raw = K @ Q[0]  # (n_keys,) = (3,)
dial = SoftmaxDial(raw, words)
dial

# %% [markdown]
# ### Exercise: `temperature` · 3 minutes
# Return the weights of one row at temperature `T`.
# `scores` is `(n_keys,)`, `T` is a positive number, and you return `(n_keys,)`.
# You may use your `softmax_of`.
#
# <details><summary>Hint 1</summary>A large <code>T</code> must make the scores smaller.</details>
#
# <details><summary>Hint 2</summary>The temperature goes in before the exponential, not after it.</details>


# %%
def softmax_at(scores, T):
    # solution
    return softmax_of(scores / T)  # (n_keys,)
    # end solution


check("temperature", softmax_at)

# %%
# answers prediction 2
softmax_at = keep("temperature")
figure, axes = plt.subplots(1, 4, figsize=(13, 2.6))
for ax, T in zip(axes, (0.05, np.sqrt(2), 50, dial.temperature)):
    row_bars(softmax_at(raw, T), words, ax=ax, title=f"T = {T:.2f}")
    ax.set(xlim=(0, 1.2), xticks=(0, 0.5, 1))
    ax.label_outer()
    print(f"T = {T:5.2f}   weights {softmax_at(raw, T).round(2)}")
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>Only <code>scores / T</code> is new, so one line is enough.
# <code>softmax_of(scores) ** (1 / T)</code>, divided by its own sum, gives the same row, because raising a share to the power <code>1 / T</code> divides its score by <code>T</code>.</details>
#
# You know the second row of weights from lesson 01: attention divides by $\sqrt{d_k}$, here $\sqrt 2$, so this division **is** a temperature.
# When one key has nearly all the weight, a small change in the scores hardly changes the weights; this is called **saturation**.
#
# ## The score at which the formula breaks
#
# **Goal.** Find the largest score that the usual formula survives.
#
# On paper the formula never fails, but a computer's numbers have a limit: $e^s$ grows very fast, and beyond the largest floating-point value NumPy returns `inf`.
# The edge for a score is the logarithm of that value, and depends on the number type, which is usually `float64` in NumPy and `float32` in Keras.

# %%
for dtype in (np.float64, np.float32):
    edge = np.log(np.finfo(dtype).max)
    with np.errstate(over="ignore"):  # keep NumPy's warning out of this page
        below, above = np.exp(np.array([int(edge), int(edge) + 1], dtype=dtype))
    print(f"{dtype.__name__}: edge {edge:.2f}   e^{int(edge)} = {below:.1e}   e^{int(edge) + 1} = {above}")

# %%
predict(
    "The usual formula turns the scores 710 and 0 into the weights",
    {
        "1 and 0": "On paper, that would be right. But the computer has to divide inf by inf.",
        "nan and 0": True,
        "none: an error stops the program": "NumPy only warns. The program goes on with the wrong numbers.",
    },
)


# %%
# answers prediction 3
def naive_softmax(scores):
    with np.errstate(over="ignore", invalid="ignore"):
        return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


for row in ([709, 0], [710, 0], [709, 709, 709], [-750, -751]):
    print(row, "->", naive_softmax(np.array(row, dtype=float)).round(2))

# %% [markdown]
# <details><summary>What came out</summary>
#
# `nan` means *not a number*; here it comes from `inf / inf`, and it is contagious, because every sum that contains it is `nan` too.
# The last two rows fail in other ways.
# In the third row, each exponential is still finite and only their **sum** overflows, so all the weights become 0; in the last row, the exponentials are so small that they become 0, and 0 / 0 is `nan`.
#
# </details>
#
# When a number is too small for its type and becomes 0, as in the last row, this is called **underflow**.
#
# Is a score of 710 far-fetched?
# You don't have to invent large scores: *A First Look at Self-Attention* runs our review through the usual formula, with hand-made vectors that you will take apart in lesson [05](05_not_good.ipynb).
# How close do its scores come to the edge?

# %%
# answers prediction 3
review = review_vectors()  # review.Q and review.K are (n, d_k) = (12, 2)
S = review.Q @ review.K.T / np.sqrt(2)  # (n_queries, n_keys) = (12, 12)
broken = np.isnan(naive_softmax(S.astype(np.float32))).any(axis=-1)  # (n_queries,)
print(f"largest score {S.max():.0f}   room up to the edge of float64 {np.log(np.finfo(S.dtype).max) - S.max():.0f}")
print("rows with nan in float32:", [word for word, bad in zip(REVIEW, broken) if bad])

edges = [np.log(np.finfo(dtype).max) for dtype in (np.float64, np.float32)]
names = ["edge of float64", "largest score", "edge of float32"]
ax = row_bars([edges[0], S.max(), edges[1]], names, highlight=[1], title="How far a score may go", xlabel="score")
ax.set(ylabel="", xlim=(0, 850))
plt.show()

# %% [markdown]
# In `float64` the example works; in `float32` two of its rows break.
#
# ## The stable softmax, row by row
#
# **Goal.** Make the formula safe without changing its result, for many queries at once.
#
# You have the tool: adding the same number to every score changes nothing.
# So which number should we add?
# Subtract the row's largest score from all its scores: then the largest is 0, so no exponential exceeds $e^0 = 1$ and nothing becomes `inf`.
# This 1 is part of the sum, so the sum is at least 1, and no row is divided by 0.
#
# So far we've had one query.
# With many queries the scores form a matrix $S$, and each query shares out its own total of 1, so each row must sum to 1.
# *Self-Attention: Teaching Machines to Focus*, another of our five texts, says: “Apply softmax row-wise.”
# Row $i$ has its own maximum $m_i$ and its own sum:
#
# $$A_{ij} = \frac{e^{S_{ij} - m_i}}{\sum_k e^{S_{ik} - m_i}}, \qquad \underset{\textstyle(n_{queries})}{m_i = \max_k S_{ik}}, \qquad \underset{\textstyle(n_{queries},\;n_{keys})}{S\text{ and }A}$$
#
# The keys lie along the last axis, `axis=-1`; with `axis=0` the code still runs, but it gives a different matrix.

# %%
# answers prediction 3
far = np.array([1000.0, 999.0, 0.0])  # (n_keys,)
print("the row:          ", far, "->", naive_softmax(far).round(2))
print("minus its largest:", far - far.max(), "->", naive_softmax(far - far.max()).round(2))

# %%
grid = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])  # (n_queries, n_keys) = (3, 3)
looped = np.stack([softmax(row) for row in grid])  # (n_queries, n_keys)
print("a loop over the rows is axis=-1:", np.allclose(looped, softmax(grid, axis=-1)))
figure, axes = plt.subplots(1, 2, figsize=(12, 4))
for axis, whole, ax in zip((-1, 0), ("row", "column"), axes):
    A = softmax(grid, axis=axis)  # (n_queries, n_keys)
    heatmap(A, words, ax=ax, title=f"axis={axis}: each {whole} is one whole", vmax=1)
    print(f"axis={axis:>2}   row sums {A.sum(axis=1).round(2)}   column sums {A.sum(axis=0).round(2)}")
plt.show()

# %% [markdown]
# Rows are queries only because we write `Q @ K.T`.
# Other programs write `K @ Q.T`, where each query is a column; most programs also process a whole batch of sentences at once, which adds an axis in front.

# %%
predict(
    "A batch of scores made by K @ Q.T has the shape (batch, n_keys, n_queries). Which axis gives each query one whole?",
    {
        "axis=-1": "The queries are on the last axis now, so each key's weights, over all the queries, would sum to 1.",
        "axis=-2": True,
        "axis=0": "Axis 0 counts the sentences, and sentences have nothing to share.",
    },
)

# %%
# answers prediction 4
batch = np.stack([grid[:2], grid[1:]])  # (batch, n_queries, n_keys) = (2, 2, 3)
turned = np.swapaxes(batch, -1, -2)  # (batch, n_keys, n_queries)
for axis in (-1, -2, 0):
    sums = softmax(turned, axis=axis).sum(axis=-2)  # (batch, n_queries), over the keys
    print(f"axis={axis:>2}: the shares of each query sum to {sums.round(2).tolist()}")

# %% [markdown]
# So count axes from the end: then the axis of the keys keeps its number when a batch is added, whereas its number counted from the front would change.
#
# ### Exercise: `stable_softmax` · 6 minutes
# Write a softmax that no finite score can break.
# It works along the last axis of any array: `scores` is `(..., n_keys)`, and you return the same shape.
# A score of −∞ (`-np.inf`) weighs 0, and each row has at least one other score.
#
# The hard part: `scores.max(axis=-1)` loses an axis, and then the shapes no longer fit, or they fit in the wrong way.
#
# <details><summary>Hint 1</summary>Each row needs its own maximum and its own sum.</details>
#
# <details><summary>Hint 2</summary><code>keepdims=True</code> keeps the lost axis with length 1: (12, 12) becomes (12, 1).</details>


# %%
def stable_softmax(scores):
    # solution
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (..., n_keys)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
    # end solution


check("stable_softmax", stable_softmax)

# %% [markdown]
# <details><summary>About the solution</summary>Any shift leaves the shares alone; after subtracting the row's maximum, no exponential overflows, and the sum is at least 1.
# <code>np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))</code> subtracts the logarithm of the whole sum, and is equally stable for ordinary scores; with scores of 10¹⁵, rounding ruins that logarithm.</details>

# %%
stable_softmax = keep("stable_softmax")
for row in ([710.0, 0.0], [709.0, 709.0, 709.0], [-750.0, -751.0]):
    print(row, "->", stable_softmax(np.array(row)).round(2))
repaired = stable_softmax(S.astype(np.float32))  # (n_queries, n_keys) = (12, 12)
print("rows of the review with nan in float32:", [word for word, row in zip(REVIEW, repaired) if np.isnan(row).any()])

# %% [markdown]
# ## What we now know
#
# - The softmax computes $e^s$ for each score and divides by the sum, so each row sums to 1.
# - Only differences between scores count, and a temperature stretches or shrinks them.
# - Unless you subtract the maximum, large scores break the formula: in `float64` the edge is about 709.8, or a little less with many keys, and in `float32` it is about 88.7.
#   In `float64`, it also breaks when all scores are below about −745.
# - Rows are queries, so the softmax runs along the keys: `axis=-1`.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@milakov2018]: the softmax with the maximum subtracted, and a way to compute it in fewer passes over the scores.
# - [@hinton2015]: section 2 writes the softmax of logits with a temperature T.
# - [@vaswani2017]: section 3.2.1 turns the scores of attention into weights with a softmax.
#
# ## Next question
#
# The largest score in the review was 566, because *not* has a long query and a long key.
# What else makes scores large, and what does attention do about it?
# Go on with [03_scaling](03_scaling.ipynb).
