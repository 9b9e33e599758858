# %% [markdown]
# # 03 · Scaling: why attention divides by √d_k
#
# ![](../images/parts_03.svg)
#
# **You will build** an experiment that compares scaled and unscaled scores, for random queries and keys with 2 to 1,024 numbers.
#
# **You will be able to**
# - measure how fast dot products grow, and explain why,
# - say what large scores do to the softmax and to learning,
# - say when $1/\sqrt{d_k}$ is right, and when it is not.
#
# **You need** [01_dot_products](01_dot_products.ipynb), [02_softmax](02_softmax.ipynb), and the notion of *variance*.
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import SoftmaxDial
from course_utils.pictures.plots import curves, row_bars

softmax = mine("stable_softmax")
sizes = 2 ** np.arange(1, 11)  # d_k = 2, 4, ..., 1024

# %%
look_back("03")

# %% [markdown]
# ## Dot products grow
#
# **Goal.** See how the scores spread out when vectors contain more numbers.
#
# In lesson 02, two words of the review had such long vectors that the usual formula failed in `float32`.
# But scores also grow when vectors contain *more* numbers, even before a model has learned anything.
# A new model has random numbers in its matrices, so its queries and keys are random too.
# We take the simplest case: every number is drawn independently, with mean 0 and variance 1.
# Here are five scores for vectors of 4 numbers, and five for vectors of 1,024.

# %%
rng = np.random.default_rng(3)
for d_k in (4, 1024):
    q, k = rng.normal(size=(2, 5, d_k))  # each (5, d_k)
    print(f"d_k = {d_k:>4}:", " ".join(f"{score:7.1f}" for score in (q * k).sum(axis=1)))

# %% [markdown]
# Look how far apart the second row's scores are.
# Each score is a sum of $d_k$ products, and each product pushes the sum up or down at random.
#
# **Before you measure it:** d_k grows from 4 to 1,024, so it becomes 256 times as large.
# What happens to the **variance** of the scores?

# %%
predict(
    "The variance of q · k grows",
    {
        "not at all": "Every extra product adds randomness, and nothing takes any away.",
        "16 times": "That is how the standard deviation grows. The variance is its square.",
        "256 times": True,
        "65,536 times": "That would need products that all move together. Here the products are independent.",
    },
)

# %%
# answers prediction 1
for d_k in (4, 1024):
    q, k = rng.normal(size=(2, 1000, d_k))  # each (1000, d_k)
    print(f"d_k = {d_k:>4}: variance of 1,000 scores {(q * k).sum(axis=1).var():7.1f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Apart from a little randomness, the variance of the scores **is** $d_k$.
# The product of two independent numbers with mean 0 and variance 1 also has variance 1, and the variances of independent products add up:
#
# $$\mathrm{Var}\big(\underset{\textstyle(d_k)}{q} \cdot \underset{\textstyle(d_k)}{k}\big) = \sum_{m=1}^{d_k} \mathrm{Var}(q_m k_m) = d_k$$
#
# A reference page on self-attention gives the same figure: “If queries and keys have components with variance 1, their dot product has variance” $d_k$.
# The page leaves out two conditions: the components must be independent and have mean 0.
#
# </details>
#
# ## What large scores do to the softmax
#
# **Goal.** See a softmax that has made up its mind by chance, and one that never will.
#
# Let a query choose among 8 random keys of 512 numbers; no key deserves more weight than any other.
# We give the softmax the dot products as they are, and then divided by $d_k$.

# %%
rng = np.random.default_rng(2)
q, K = rng.normal(size=512), rng.normal(size=(8, 512))  # (d_k,), (n_keys, d_k)
keys = [f"key {i}" for i in range(8)]
figure, axes = plt.subplots(1, 2, figsize=(11, 3.4))
for ax, name, divisor in zip(axes, ("as they are", "divided by d_k"), (1, 512)):
    row = softmax(K @ q / divisor)  # (n_keys,)
    row_bars(row, keys, title=name, ax=ax).set_xlim(0, 1.15)  # one scale for both
    print(f"{name:<15} weights from {row.min():.2f} to {row.max():.2f}")
plt.show()

# %% [markdown]
# Without any division, one key takes everything: the softmax is saturated, and chance has made the choice.
# When we divide by $d_k$, all the keys get nearly the same weight, as if nothing had been compared.
# Not dividing is too little, and dividing by $d_k$ is too much, so the right divisor lies in between.
# The variance tells us where: if you multiply a random number by a factor $c$, you multiply its variance by $c^2$.
#
# ## The whole sweep
#
# **Goal.** Measure at every size what you saw at one size, and find the divisor.
#
# A result from a single query or a single $d_k$ can be misleading.
#
# ### Exercise: `scaling_sweep` · 10 minutes
# `Q` is `(n_queries, width)`, `K` is `(n_keys, width)`, and both contain random vectors, longer than needed.
# `sizes`, `(n_sizes,)`, holds whole numbers from 1 to `width`, in any order.
# For each `d_k` in `sizes`, use only the first `d_k` numbers of each vector, take the dot product of every query with every key, and record three numbers:
# - `variances`: the variance of all these products together, as `.var()` computes it,
# - `raw`: each query's highest weight, averaged over the queries, when the softmax gets the products as they are,
# - `scaled`: the same mean, after you divide the products so that their variance is near 1.
#
# Return all three in this order, each `(n_sizes,)`.
# The divisor must depend on `d_k` alone, because attention does not measure its products before it divides them.
# The products may be large, but your `softmax` from lesson 02 can handle that.
#
# <details><summary>Hint 1</summary>Begin with a single <code>d_k</code>: which axis of <code>Q</code> do you cut?
# You have met <code>K @ q</code> for one query; for all queries, one of the two arrays has to be transposed.</details>
#
# <details><summary>Hint 2</summary>Row i of the weights belongs to query i.
# Along which axis do you look for its highest weight, and what do you average over?</details>
#
# <details><summary>Hint 3</summary>The products have a variance of about <code>d_k</code>, and you want c² · <code>d_k</code> = 1, so solve for c.</details>


# %%
def scaling_sweep(Q, K, sizes):
    # solution
    variances, raw, scaled = [], [], []
    for d_k in sizes:
        products = Q[:, :d_k] @ K[:, :d_k].T  # (n_queries, n_keys)
        variances.append(products.var())
        raw.append(softmax(products).max(axis=-1).mean())
        scaled.append(softmax(products / np.sqrt(d_k)).max(axis=-1).mean())
    return variances, raw, scaled  # (n_sizes,) each
    # end solution


check("scaling_sweep", scaling_sweep)

# %% [markdown]
# <details><summary>About the solution</summary>We solve c² · d_k = 1 and get c = 1 / √d_k.
# <code>products / products.std()</code> would make the variance exactly 1, but then each draw would be divided by a different number.
# Instead of appending to three lists, you can fill the columns of an array of zeros, <code>(3, n_sizes)</code>.</details>
#
# A single draw can be misleading too, so we draw 40 times; each band covers the middle 80 % of the draws.


# %%
def draw_sweep(measured, ax, **labels):
    stats = {name: np.quantile(values, [0.5, 0.1, 0.9], axis=0) for name, values in measured.items()}  # (3, sizes)
    lines, bands = {n: s[0] for n, s in stats.items()}, {n: s[1:] for n, s in stats.items()}
    return curves(sizes, lines, bands=bands, ax=ax, xlabel="d_k", powers_of_two=True, **labels)


# %%
scaling_sweep = keep("scaling_sweep")
draws = np.random.default_rng(0).standard_normal((40, 132, 1024), dtype=np.float32)  # 100 queries, then 32 keys
swept = np.array([scaling_sweep(draw[:100], draw[100:], sizes) for draw in draws])  # (draws, 3, sizes)
variances, raw, scaled = swept.swapaxes(0, 1)  # each (draws, sizes)

# %%
# answers prediction 1
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
draw_sweep({"variance": variances}, left, ylabel="variance of q · k", title="The variance is d_k")
left.set_yscale("log", base=2)
highest = {"as they are": raw, "divided by √d_k": scaled}
draw_sweep(highest, right, ylabel="highest of 32 weights", title="How much the best key takes")
right.set_ylim(0, 1)
print("measured variance / d_k:", " ".join(f"{ratio:.2f}" for ratio in variances.mean(axis=0) / sizes))
for name, (first, *_, last) in ((name, np.median(values, axis=0)) for name, values in highest.items()):
    print(f"{name:<16} highest weight at d_k = 2: {first:.2f}   at d_k = 1024: {last:.2f}")
plt.show()

# %% [markdown]
# Without division, the best of 32 keys takes nearly all the weight at 1,024 numbers, although none deserves it.
# After division by √d_k, the variance is near 1 at every size, as the first printed line shows, and the best key takes hardly more at 1,024 numbers than at 2.
#
# ## What is left to learn from
#
# **Goal.** See what a saturated softmax costs.
#
# Suppose chance has put all the weight on the wrong key: can training still correct that?
# Training works by moving scores, so it can correct the choice only if the weights move with them.
# The derivative says how far a weight moves; lesson 10 derives it for weight $i$ and score $j$:
#
# $$\frac{\partial w_i}{\partial s_j} = \begin{cases} w_i\,(1 - w_i) & i = j \\ -\,w_i\,w_j & i \neq j \end{cases} \qquad \underset{\textstyle(n)}{w}\;\;\underset{\textstyle(n)}{s}$$
#
# **Before you go on:** one weight is 1.00 and all the others are 0.00.
# How large is the largest derivative?

# %%
predict(
    "With weights 1, 0, 0, 0 the largest derivative is",
    {
        1: "The weight itself is 1. The derivative multiplies it by 1 − 1.",
        0.25: "That is the largest value w(1 − w) can reach, at w = 0.5.",
        0: "1 · (1 − 1) = 0. A small change in the scores changes nothing, so the model can't learn from it.",
    },
    answer=lambda: max(w * (1 - w) for w in (1, 0, 0, 0)),
)

# %% [markdown]
# ### Exercise: `softmax_gradient_size` · 6 minutes
# `scores` is one row, `(n,)`.
# Return one number: the largest absolute derivative of any weight with respect to any score.
#
# <details><summary>Hint 1</summary>Compute the weights first; all the derivatives together form a matrix, (n, n).</details>
#
# <details><summary>Hint 2</summary>That matrix is <code>np.diag(w) - np.outer(w, w)</code>.
# Mind the minus signs before you take the largest number.</details>


# %%
def softmax_gradient_size(scores):
    # solution
    w = softmax(scores)  # (n,)
    return np.abs(np.diag(w) - np.outer(w, w)).max()  # of (n, n)
    # end solution


check("softmax_gradient_size", softmax_gradient_size)

# %% [markdown]
# <details><summary>About the solution</summary>The matrix contains every derivative, so you see them all at once.
# <code>(w * (1 - w)).max()</code> gives the same number, because $w_i w_j$ is never larger than $w_i(1 - w_i)$ when $j \neq i$.</details>
#
# ### Try it: one row, any d_k
# The dial shows the 8 random keys from the bar charts above, with their scores divided by √d_k.
# - Move d_k from one end to the other.
#   Does any weight change?
# - Untick **divide by √d_k** and move d_k again.
#   Watch the size of the gradient.
# - Now find the d_k at which one key takes nearly all the weight.

# %%
dial = SoftmaxDial((K @ q / np.sqrt(512)).round(2), keys, d_k=512)
dial

# %% [markdown]
# The entropy (lesson [02](02_softmax.ipynb)) measures how evenly the keys share the weight: with 32 keys, 5 bits means equal shares, and 0 bits means that one key has everything.
# For the weights $w$ of one row, $(n_{keys})$, the entropy is
#
# $$H = -\sum_j w_j \log_2 w_j$$
#
# The function below computes the entropy; yours computes the dial's other number, the size of the gradient.

# %%
softmax_gradient_size = keep("softmax_gradient_size")


def entropy(weights):
    return -(weights * np.log2(np.maximum(weights, 1e-30))).sum(axis=-1)  # bits


left = np.log(np.maximum(dial.weights, 1e-30))  # (n_keys,): scores that give these weights
print(f"your dial: entropy {entropy(dial.weights):.2f} bits, gradient {softmax_gradient_size(left):.3f}")

# %% [markdown]
# Now we compute both numbers for three ways of scaling.


# %%
def rows_of_scores(d_k, queries=150, keys=32, seed=5):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((queries, 1, d_k), dtype=np.float32)
    K = rng.standard_normal((queries, keys, d_k), dtype=np.float32)
    return (q * K).sum(axis=-1)  # (queries, keys): each query has its own 32 keys


# %%
scalings, gradients = {"not scaled": lambda d_k: 1, "divided by √d_k": np.sqrt, "divided by d_k": lambda d_k: d_k}, {}
for name, divisor in scalings.items():
    scaled = [rows_of_scores(d_k) / divisor(d_k) for d_k in sizes]  # each (queries, keys) = (150, 32)
    gradients[name] = np.array([[softmax_gradient_size(row) for row in rows] for rows in scaled]).T  # (queries, sizes)
    first, last = (np.median(entropy(softmax(scaled[i]))) for i in (0, -1))
    print(f"{name:<16} entropy at d_k = 2: {first:.1f} bits   at d_k = 1024: {last:.1f} bits")

# %%
ax = draw_sweep(gradients, None, ylabel="size of the gradient", title="What is left to learn from")
ax.set_yscale("log")
ax.set_ylim(bottom=1e-6)
lost = np.median(gradients["not scaled"][:, -1]) < np.median(gradients["divided by √d_k"][:, -1]) / 100
print("without scaling more than 99 % of the gradient is lost at d_k = 1024:", bool(lost))
plt.show()

# %% [markdown]
# Follow the three curves from left to right:
#
# - **Not scaled**: the printed entropy falls to 0, and from about d_k = 64 on, the gradient collapses as well.
#   The softmax has chosen by chance, and so small a gradient can hardly change the choice.
# - **Divided by √d_k**: entropy and gradient stay nearly constant, so it hardly matters how many numbers the vectors contain.
# - **Divided by d_k**: the scores become nearly equal, and all 32 keys share the weight more and more evenly, until attention becomes an average.
#   A check that only asks “does each row sum to 1?” won't notice this.
#
# ## Queries and keys that match
#
# **Goal.** Find out what $1/\sqrt{d_k}$ still guarantees when its conditions are not met.
#
# *Self-Attention: Teaching Machines to Focus*, another of the five texts, says that dividing by √d_k “keeps the variance stable regardless of model size”.
# But the argument needs queries and keys that are **independent**, and training can make them dependent: a query can learn to match a key.
# So we let each key copy a share of its query: at share 0 the key is random, and at share 1 it is the query itself.
#
# **Before you run it:** each key copies half of its query, and we divide by √d_k.
# What happens to the scores as d_k grows?

# %%
predict(
    "The scaled scores of matching pairs",
    {
        "stay near 0, as before": "Each of the d_k products now has a positive mean. The means add up; they do not cancel.",
        "grow like √d_k": True,
        "grow like d_k": "They do before the division, but dividing d_k by √d_k leaves √d_k.",
    },
)


# %%
# answers prediction 3
def matching_scores(d_k, share, n=1000, seed=7):
    q, noise = np.random.default_rng(seed).normal(size=(2, n, d_k))  # each (n, d_k)
    k = share * q + np.sqrt(1 - share**2) * noise  # (n, d_k), still variance 1
    return (q * k).sum(axis=1) / np.sqrt(d_k)  # (n,)


few = sizes[:8]
means = {f"share {s}": [matching_scores(d, s).mean() for d in few] for s in (0, 0.25, 0.5)}
labels = {"xlabel": "√d_k", "ylabel": "mean of q · k / √d_k"}
curves(np.sqrt(few), means, title="The mean score of matching pairs grows", **labels)
for s in (0.25, 0.5):
    growth = np.array(means[f"share {s}"]) / (s * np.sqrt(few))
    print(f"share {s}: mean / (share · √d_k) is {growth.min():.2f} to {growth.max():.2f}, for d_k from 2 to {few[-1]}")
print("variance at share 0.5:", " ".join(f"{matching_scores(d, 0.5).var():.2f}" for d in few))
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# The quoted sentence is only about the variance, and it is right: the variance stays near 1 + share².
# What grows is the **mean**, so matching pairs still get large scores.
# The factor $1/\sqrt{d_k}$ keeps scores small at the start of training, while queries and keys are still random.
# It doesn't have to do so in a trained model, where a matching key is meant to stand out.
#
# </details>
#
# Here is the full rule: *for independent components of mean 0 and variance 1*, dividing by $\sqrt{d_k}$ keeps the variance of the scores at 1.
#
# ### Exercise: `broken_conditions` · 4 minutes
# Here are five ways to draw queries and keys.
# For each, decide which condition it breaks: `"independent"`, `"mean"`, `"variance"`, or `"none"` if it breaks none.
# Put your five words into `broken`, in the order of the table.
#
# | name | how queries and keys are drawn |
# |---|---|
# | coins | every number is +1 or −1, by the toss of a coin |
# | large keys | as in this lesson, then every key is multiplied by 2 |
# | positive | as in this lesson, then 1 is added to every number of queries and keys |
# | copies | each key is 0.6 times its query plus 0.8 times a random vector |
# | halves | the second half of each vector repeats its first half |
#
# <details><summary>Hint 1</summary>Look at one number of a key: what are its mean and its variance?
# Then ask whether another number tells you anything about this one.</details>
#
# <details><summary>Hint 2</summary>The conditions don't ask for a bell curve, and the square of +1 or −1 is always 1.</details>

# %%
# solution
broken = ("none", "variance", "mean", "independent", "independent")
# end solution

check("broken_conditions", broken)


# %%
def five_ways(d_k, n=2000, seed=11):
    rng = np.random.default_rng(seed)
    q, k = rng.normal(size=(2, n, d_k))  # each (n, d_k)
    ways = {"coins": np.sign(rng.normal(size=(2, n, d_k))), "large keys": (q, 2 * k), "positive": (q + 1, k + 1)}
    ways["copies"] = q, 0.6 * q + 0.8 * k
    ways["halves"] = [np.tile(x[:, : d_k // 2], 2) for x in (q, k)]
    return {name: (q * k).sum(axis=1) / np.sqrt(d_k) for name, (q, k) in ways.items()}  # scaled scores, each (n,)


# %%
small, large = five_ways(64), five_ways(1024)
print("            d_k = 64: mean, variance   d_k = 1024: mean, variance   your word")
for name, word in zip(small, broken if np.shape(broken) == (5,) else "?????"):
    numbers = [f"{s.mean().round(1) + 0:9.1f}  {s.var():9.1f}" for s in (small[name], large[name])]
    print(f"{name:<12}", *numbers, sep="     ", end=f"         {word}\n")

# %% [markdown]
# <details><summary>About the solution</summary>Coins meet all three conditions; the others betray themselves by a variance near 4, 3 or 2, or by a mean that grows with √d_k.
# Instead of changing the divisor, you can change the vectors: the last paper under <i>Read more</i> scales each query and key to length 1, and multiplies the scores by one learned number.</details>
#
# ## What we now know
#
# - The variance of a dot product of independent numbers with mean 0 and variance 1 is d_k, as you measured for d_k from 2 to 1,024.
# - For such numbers √d_k is the right divisor: without it, as d_k grows, the softmax chooses by chance and its gradient vanishes, whereas dividing by d_k makes all the keys share evenly.
# - Queries and keys that match are not independent, and the mean of their scores grows like √d_k even after the division.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.1 introduces the division by √d_k, and a footnote, with all the conditions, shows why dot products grow.
# - [@brown2020]: table 2.1 lists, as d_head, how many numbers a key has in each GPT-3 model (128 in the largest).
# - [@henry2020]: scales the queries and keys themselves to length 1, instead of dividing by √d_k.
#
# ## Next question
#
# Where do queries and keys come from, and what does a word do with its weights?
# Go on with [04_queries_keys_values](04_queries_keys_values.ipynb).
