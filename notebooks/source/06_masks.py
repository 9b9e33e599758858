# %% [markdown]
# # 06 · Masks: decide who may look at whom
#
# ![](../images/machine_06.svg)
#
# **You will build** two masks that language models use, and a test that catches a look into the future.
#
# **You will be able to**
# - hide later words and padding, separately and together,
# - test a mask by changing a word,
# - say what goes wrong when a mask comes too late, is too weak, or is the wrong way round.
#
# **You need** [04_queries_keys_values](04_queries_keys_values.ipynb) and [05_not_good](05_not_good.ipynb).
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import causal_mask, padding_mask, scaled_dot_product_attention
from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import AttentionExplorer
from course_utils.pictures.plots import heatmap, row_bars
from course_utils.sentences import REVIEW, masked_review_vectors, review_vectors

softmax, scores_of = mine("stable_softmax", "scores")

# %%
look_back("06")

# %% [markdown]
# ## No look into the future
#
# **Goal.** Write down who may look at whom.
#
# In lesson 05 *good* looked wherever it liked, even at *amazing*, six words further on, and for a model that reads, that is fine.
# A model that writes is different: it learns to predict the next word, and if it could already see that word, it could copy it and learn nothing.
# A **mask** says who may look at whom: rows are queries, columns are keys, and `True` means **may look**.
# A mask that hides all later words is called a **causal mask**.
# A model with a causal mask, which can write, is called a **decoder**; a model without one, which reads a whole text in both directions, is called an **encoder**.
#
# ### Exercise: `causal_mask` · 3 minutes
# Return the mask for `n` words: a bool array `(n, n)`, `True` where the key is not later than the query.
#
# <details><summary>Hint 1</summary>In row 0 only the first entry is <code>True</code>; in the last row all entries are.</details>
#
# <details><summary>Hint 2</summary>Query <code>i</code> may look at key <code>j</code> when <code>j &lt;= i</code>.
# A double loop will do; <code>np.tri</code> is shorter, but mind the dtype.</details>


# %%
def causal_mask_of(n):
    # solution
    return np.tri(n, dtype=bool)  # (n_queries, n_keys)
    # end solution


check("causal_mask", causal_mask_of)

# %% [markdown]
# <details><summary>About the solution</summary><code>np.tri</code> fills the triangle, including the diagonal.
# <code>np.arange(n) &lt;= np.arange(n)[:, None]</code> says what the mask means and is easy to change, for example to a window of three words.</details>
#
# ## Hide the scores, then share
#
# **Goal.** Give a forbidden key a weight of exactly 0.
#
# How do you keep a query from looking at a key?
# Even a very low score will not do, because on paper every finite score gets a share.
# *Part 6: The Eyes of the Model - Self-Attention*, one of our five texts, describes the causal mask as “setting attention scores for future tokens to negative infinity (effectively zero after softmax)”.
# That works because $e^{-\infty} = 0$: a forbidden key gets nothing, and the softmax shares out the whole budget among the other keys.
#
# $$\begin{gathered} \underset{\textstyle(n_q,\;n_k)}{A} = \mathrm{softmax}(\underset{\textstyle(n_q,\;n_k)}{\tilde S}) \\[1ex] \tilde S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d_k} & \text{if query } i \text{ may look at key } j \\ -\infty & \text{otherwise} \end{cases} \end{gathered}$$
#
# For its heat map with a mask, *A First Look at Self-Attention* uses a second set of vectors for the review, in which *soundtrack* and *amazing* have long keys.
#
# ### Try it: masks on and off
# First make your prediction, then use the explorer below it.
# - Look at the row of *good*.
#   Then tick **causal mask**: which scores are hidden, and where does their weight go?
# - Choose *The* to check your prediction, then choose *amazing*.
# - Untick **causal mask** and hide the last 4 words as padding.
#   Which words in the heat map still see *amazing*?

# %%
predict(
    "The query of “The” is (0, 0). Without a mask it looks at all 12 words equally. With the causal mask it looks at itself with",
    {
        0.08: "That is 1/12, its share without a mask. Now 11 of the 12 keys are forbidden.",
        0: "Its score is 0, but the weights of a row always sum to 1.",
        1: "It is the first word, so there is no other key to share with.",
    },
    answer=lambda: scaled_dot_product_attention(*masked_review_vectors(), causal_mask(12)).weights[0, 0],
)

# %%
Q, K, V = masked_review_vectors()  # each (n, d_k) = (12, 2)
scores = np.array([Q[4] @ k / np.sqrt(2) if j <= 4 else -np.inf for j, k in enumerate(K)])  # (n_keys,): "good" asks
print("good, with later words hidden:", softmax(scores).round(2))
masks = AttentionExplorer(REVIEW, Q, K, V, query=4, step="normalise", game=False)
masks

# %% [markdown]
# ### Exercise: `masked_weights` · 5 minutes
# Return the weights of all queries, with a mask.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, `mask` is bool `(n_queries, n_keys)`, and each row has at least one `True`.
# Scale the scores by $1/\sqrt{d_k}$.
# A hidden key weighs exactly 0, however large its score is, and a visible key counts, whatever its score is.
#
# <details><summary>Hint 1</summary>The mask comes after the scores and before the softmax.</details>
#
# <details><summary>Hint 2</summary><code>np.where(mask, a, b)</code> takes the numbers from <code>a</code> where the mask is <code>True</code>, and from <code>b</code> elsewhere.</details>


# %%
def masked_weights(Q, K, mask):
    # solution
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    return softmax(np.where(mask, scores, -np.inf))  # (n_queries, n_keys)
    # end solution


check("masked_weights", masked_weights)

# %%
# answers prediction 1
causal_mask_of, masked_weights = keep("causal_mask"), keep("masked_weights")
S = scores_of(Q, K)  # (n_queries, n_keys) = (12, 12)
A = masked_weights(Q, K, causal_mask_of(12))  # (n_queries, n_keys)
looped = [np.append(softmax(S[i, : i + 1]), np.zeros(11 - i)) for i in range(12)]
print("one query at a time, over the keys so far = all at once:", np.allclose(looped, A))
for i, looks_at in [(0, [0]), (4, range(5)), (8, [8]), (10, [10, 8])]:
    print(f"{REVIEW[i]:<11}", "  ".join(f"{REVIEW[j]} {A[i, j]:.2f}" for j in looks_at))
print("hidden pairs: with the causal mask", (~causal_mask_of(12)).sum(), "  in your explorer", (~masks.mask).sum())
heatmap(A, REVIEW, title="The review with a causal mask")
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary><code>np.where</code> builds new scores and leaves the old ones as they are.
# <code>scores[~mask] = -np.inf</code> also works for one mask and one matrix, but it overwrites <code>scores</code> and cannot take a mask of shape (batch, 1, n_keys).</details>
#
# Everything to the right of the diagonal is 0, and the weight that *good* would have spent on later words now goes to earlier words and to itself.
# The keys of *not* and *good* have length 1, so these words get 0.29 each; the three words before them have keys made of zeros and get 0.14 each.
#
# ## The future-leak test
#
# **Goal.** Find out whether a function looks into the future, without reading its code.
#
# Your mask is right, but how would you notice if it were not?
# You would get no error, and the weights would still look like attention.
# So test what the mask is there to prevent: change **one** word, and no output of an **earlier** word should move.
#
# ### Exercise: `leak_test` · 10 minutes
# `attend` is any function from `X` `(n, d)` to outputs `(n, d_out)`.
# Change one word at a time, each time in a fresh copy of `X`, run `attend` again, and note every output that moved.
# To change a word, add 1 to its first number, 2 to its second, and so on.
# (Adding the same number everywhere would not do, because a layer that subtracts the mean of each row, like the one in lesson 11, would not notice.)
# An output has moved when **any** of its numbers went up or down by more than $10^{-9}$.
# Return a bool array `(n, n)`, with a row for each output and a column for each changed word.
#
# <details><summary>Hint 1</summary>Run <code>attend(X)</code> once, and start with a table of <code>False</code>.
# Loop over the words: each pass fills one column.</details>
#
# <details><summary>Hint 2</summary>Each pass has four steps: copy <code>X</code>, add to one row of the copy, run <code>attend</code> on it, and compare.
# <code>np.arange(1, d + 1)</code> is what you add.</details>
#
# <details><summary>Hint 3</summary>The difference between the two results is <code>(n, d_out)</code>, and you need one answer for each output.
# So which axis has to go, and should <code>.any</code> or <code>.all</code> remove it?</details>


# %%
def leak_test(attend, X):
    # solution
    moves = np.zeros((len(X), len(X)), dtype=bool)  # (output, changed word)
    before = attend(X)  # (n, d_out)
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += np.arange(1, X.shape[1] + 1)
        moves[:, j] = (np.abs(attend(changed) - before) > 1e-9).any(axis=1)
    return moves
    # end solution


check("leak_test", leak_test)

# %%
leak_test = keep("leak_test")
words = ["The", "cat", "sat", "on", "the", "mat"]
X = np.random.default_rng(6).normal(size=(6, 4))  # (n, d_model): six random words, Q = K = V = X


# %%
def masked(X):
    return masked_weights(X, X, causal_mask_of(len(X))) @ X  # (n, d_model)


def free(X):
    return scaled_dot_product_attention(X, X, X).output  # (n, d_model)


# %%
def leaks(moves):  # counts the moves of outputs that stand before the changed word
    return f"earlier outputs that moved: {np.triu(moves, 1).sum():>2} of {len(moves) * (len(moves) - 1) // 2}"


figure, axes = plt.subplots(1, 2, figsize=(12, 4.2))
for ax, attend, title in zip(axes, (masked, free), ("causal mask", "no mask")):
    moves = leak_test(attend, X)  # (output, changed word)
    print(f"{title:<12} {leaks(moves)}")
    heatmap(moves.astype(float), words, title=f"{title}: blue = moves", ax=ax, vmax=1, numbers=False)
    ax.images[0].colorbar.remove()
    ax.set(xlabel="word that changes", ylabel="output (query)")
print("first three outputs of six = the three words alone:", np.allclose(masked(X)[:3], masked(X[:3])))
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>The limit of $10^{-9}$ is larger than a float's rounding errors and smaller than any leak that one would build.
# <code>changed = X + (np.arange(n) == j)[:, None] * np.arange(1, d + 1)</code> makes the changed copy in one line.</details>
#
# With the mask, each word's output is what it would be if the sentence ended there.
# That is why a model can learn from all the words of a sentence at once, and later write one word after another.
#
# ## The mask after the softmax
#
# **Goal.** See why the order matters.
#
# Why not run the softmax first and put in the zeros afterwards?
# The result looks right, since later words get no weight.
# But by then the budget has been shared out among all the words, and what went to later words is lost.

# %%
late = softmax(S) * causal_mask_of(12)  # (n_queries, n_keys)
ax = row_bars(late.sum(axis=1), REVIEW, title="Mask after the softmax", xlabel="sum of the row")
ax.set_ylabel("query")
print(f"good keeps {late[4].sum():.6f} of its weight, soundtrack {late[8].sum():.2f}")
plt.show()


# %%
def masked_late(X):
    return softmax(scores_of(X, X)) * causal_mask_of(6) @ X  # (n, d_model)


print(leaks(leak_test(masked_late, X)))
print("divided by the row sums = masked before:", np.allclose(late / late.sum(axis=1, keepdims=True), A))

# %% [markdown]
# So a row can lose weight and sum to less than 1, **and** the outputs leak, because every exponential was divided by a sum that includes the future.
# Dividing by the row sums repairs both faults, unless a row has lost all its weight.
#
# ## Padding, and both masks together
#
# **Goal.** Hide the padding.
#
# The rows of an array all have the same length, but sentences do not, so the shorter sentences in a batch are filled up with **padding**, which means nothing and which no word should look at.
# The mask that hides the padding is called a **padding mask**.
#
# ### Exercise: `padding_mask` · 5 minutes
# `lengths` is a `(batch,)` array of whole numbers, and `n_keys` is the common length.
# Return a bool array `(batch, 1, n_keys)`, `True` for keys that are words; the axis of length 1 serves every query.
#
# <details><summary>Hint 1</summary>Key <code>j</code> is a word when <code>j</code> is smaller than the length of the sentence.</details>
#
# <details><summary>Hint 2</summary>Compare <code>np.arange(n_keys)</code> with <code>lengths[:, None]</code>, then add the axis in the middle.</details>


# %%
def padding_mask_of(lengths, n_keys):
    # solution
    return (np.arange(n_keys) < lengths[:, None])[:, None, :]  # (batch, 1, n_keys)
    # end solution


check("padding_mask", padding_mask_of)

# %%
batch = np.stack([X, np.where(np.arange(6)[:, None] < 3, X[::-1], 99)])  # (batch, n, d_model): padding is 99
padding_mask_of = keep("padding_mask")
both = causal_mask_of(6) & padding_mask_of(np.array([6, 3]), 6)  # (batch, n_queries, n_keys)
output = scaled_dot_product_attention(batch, batch, batch, both).output  # (batch, n, d_model)
same = np.allclose(output[1, :3], masked(batch[1, :3]))
print("both masks:", both.shape, "  three words with padding = the three words alone:", same)
figure, axes = plt.subplots(1, 2, figsize=(12, 4.2))
for ax, mask, n_words in zip(axes, both, (6, 3)):
    names = words if n_words == 6 else ["dog", "bites", "man", "pad", "pad", "pad"]
    heatmap(mask.astype(float), names, title=f"{n_words} words: blue = may look", ax=ax, vmax=1, numbers=False)
    ax.images[0].colorbar.remove()
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>Comparing (n_keys,) with (batch, 1) gives (batch, n_keys), and <code>[:, None, :]</code> adds the axis for the queries.
# A loop, <code>[np.arange(n_keys) < length for length in lengths]</code>, is as easy to read, but its rows have to be stacked afterwards.</details>
#
# A query that is padding still looks somewhere, so its output must not be used.

# %% [markdown]
# ## Optional: how small is minus infinity?
#
# **Goal.** Compare $-\infty$ with the numbers many programs use instead.
#
# Not every program dares to write $-\infty$.
# The program in *A First Look* **sets** forbidden scores to $-10^9$, in two lines that are switched off.
# The softmax layer of Keras 3.15 does the same, with $-3 \cdot 10^4$ in `float16`, and after the softmax it sets the forbidden weights to 0.
# Other programs **add** a number: the original code of BERT, an encoder, adds $-10^4$.
# The largest number that fits into `float16`, a 16-bit format, is 65,504.
#
# What happens in a blind row, whose query may look at **nothing**?
# Such rows occur: when padding comes first, the causal mask lets the first query look only at itself, which is padding.
# The last cell of this part tries such a row.

# %%
predict(
    "Key 0 is allowed and has score 0. Key 1 is forbidden, its score is 20,000, and we add −10,000. The weight of the forbidden key is",
    {
        0: "After the addition its score is 10,000, and that is still far above 0.",
        0.5: "For that, the two scores would have to be equal. But they are 0 and 10,000.",
        1: "The large score beats the mask. Only −∞ is below every other number.",
    },
    answer=lambda: softmax(np.array([0.0, 20_000 - 10_000]))[1],
)


# %%
# answers prediction 2
def naive_softmax(scores):
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max())  # (n_keys,)
        return e / e.sum()


print(f"largest float16: {np.finfo(np.float16).max:.0f}")
for added in (-1e4, -1e9, -np.inf):
    for kind in (np.float64, np.float16):
        with np.errstate(over="ignore"):
            number = kind(added)
        weights = naive_softmax(np.array([0, 20_000], dtype=kind) + np.array([0, number]))  # (n_keys,)
        print(f"{added:>6.0e} in {kind.__name__} is {number:>6.0e}: weight of the forbidden key {weights[1]:.0f}")


# %%
def refusal(mask):
    try:
        scaled_dot_product_attention(X, X, X, mask)
    except ValueError as error:
        return error


front = causal_mask(6) & np.array([False, False, False, True, True, True])  # (n_queries, n_keys)
row = scores_of(X, X)[0]  # (n_keys,): the scores of the first query, all forbidden
print("-inf:      ", naive_softmax(np.where(front[0], row, -np.inf)))
print("add -1e9:  ", naive_softmax(row - 1e9).round(2))
print("set -1e9:  ", naive_softmax(np.full(6, -1e9)).round(2))
print("no mask:   ", naive_softmax(row).round(2))
print("the course:", refusal(front))

# %% [markdown]
# In `float16` $-10^9$ **is** $-\infty$.
# What happens to the blind row depends on how its scores were hidden.
# With $-\infty$ the row turns into `nan`, which spreads through everything that uses it.
# With $-10^9$ **added** to all its scores, the weights hardly change in `float64`, so the row looks as if there were no mask.
# With $-10^9$ **set**, all forbidden words get equal weights; Keras's layer then sets these weights to 0, so the row sums to 0.
# None of these raises an error, whereas the course's function stops with an error that names the row.

# %% [markdown]
# ## Optional: which way round?
#
# **Goal.** Read a boolean mask the way its library does.
#
# | library and argument | `True` means | its documentation says |
# |---|---|---|
# | this course, `mask` | may look | |
# | [Keras](https://keras.io/api/layers/attention_layers/multi_head_attention/), `attention_mask` | may look | “1 indicates attention” |
# | [PyTorch](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html) function, `attn_mask` | may look | “should take part in attention” |
# | [PyTorch](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html) layer, `attn_mask` | may **not** look | “not allowed to attend” |
# | the same layer, `key_padding_mask` | may **not** look | “will be ignored” |
# | [ONNX](https://onnx.ai/onnx/operators/onnx__Attention.html) operator, `attn_mask` | may look | “should take part in attention” |

# %%
print("causal mask, wrong way round: ", refusal(~causal_mask(6)))
wrong = scaled_dot_product_attention(batch[1], batch[1], batch[1], ~padding_mask([3], 6)[0]).weights  # (n, n)
print(f"padding mask, wrong way round: no error, and {wrong[0, 3:].sum():.2f} of the weight lies on padding")

# %% [markdown]
# An inverted causal mask has a blind row, so our function notices, but this inverted padding mask slips through.
# A test like the leak test finds the mistake: change the padding, and no word's output should change.

# %% [markdown]
# ## A title that a test takes back
#
# **Goal.** Put a title to the test.
#
# *A First Look at Self-Attention* prints the row of *good* with 0.67 and 0.33, as you did in lesson 05, but under the title “Masked attention weights”.
# Your test does not read titles.
# The program has a query, a key and a value for each word, so here a word is six numbers, and your test changes all of them.


# %%
def as_it_runs(X):
    return scaled_dot_product_attention(*np.hsplit(X, 3)).output  # (n, d_v)


def with_mask(X):
    Q, K, V = np.hsplit(X, 3)  # each (n, 2)
    return masked_weights(Q, K, causal_mask_of(len(X))) @ V  # (n, d_v)


for name, vectors, attend in [
    ("printed as “Masked”", review_vectors(), as_it_runs),
    ("the heat map above", masked_review_vectors(), with_mask),
]:
    print(f"{name:<20} {leaks(leak_test(attend, np.hstack(vectors)))}")

# %%
printed = scaled_dot_product_attention(*review_vectors()).weights  # (n, n): the program's vectors, as it runs
hidden = masked_weights(*review_vectors()[:2], causal_mask_of(12))  # (n, n): the same vectors, with the mask
print(f"weight on later keys: printed {np.triu(printed, 1).sum():.2f}, with the mask {np.triu(hidden, 1).sum():.2f}")
print(f"good -> not:          printed {printed[4, 3]:.2f}, with the mask {hidden[4, 3]:.2f}")

# %% [markdown]
# The heat map is masked, but the printed row is not: the program's two masking lines are switched off by a `#`, and the title does not say so.
# (A few outputs do not move even without a mask.
# The output of *not*, for example, comes almost entirely from one word, so changing most other words has no visible effect.)
#
# ## The row of *sat*
#
# **Goal.** Compare a row described in words with rows that we compute.
#
# For *The cat sat on the mat*, *Part 6: The Eyes of the Model - Self-Attention* gives *sat* this row: **low, high, self, low, low, low**.
# But how high is *high*, and how much is "self"?
# The text leaves that open, so we choose how much each of the six words offers *sat*; with a query of 1 and $d_k = 1$, these offers are the scores.

# %%
offers = np.array([0, 3, 1, 0, 0, 0])  # The cat sat on the mat; a 3 more means e³ ≈ 20 times the weight
rows = {
    "no mask": softmax(offers),
    "causal mask": masked_weights(np.ones((6, 1)), offers[:, None], causal_mask_of(6))[2],
}
figure, axes = plt.subplots(1, 2, figsize=(12, 3.8), sharex=True)
for ax, (title, row) in zip(axes, rows.items()):
    row_bars(row, words, title=f"“sat”, {title}", ax=ax, highlight=[2])
    low = row[[0, 3, 4, 5]].max() < 0.1 and row[1] > 0.5
    print(f"{title:<12} cat high, four others low: {low}   weight on “on the mat”: {row[3:].sum():.2f}")
plt.show()

# %% [markdown]
# An encoder can produce such a row, though “self” names a position, not an amount.
# In a decoder *sat* cannot look at *on the mat*, so those three weights are not low but 0.
#
# ### Try it: a row of your own
# Decide how large *high*, *self* and *low* should be, and choose six offers that produce such a row.
# With the causal mask, can any offers produce this row?
#
# ## What we now know
#
# - A mask hides scores before the softmax; hiding weights afterwards makes rows lose weight and outputs leak.
# - To test a causal mask, change a later word: no earlier output should move, whatever a title says.
# - A forbidden score becomes −∞, because −∞ is below every other score.
# - From the optional parts: adding −10,000 does not hide every score, a blind row should raise an error, and in PyTorch's layer `True` means may **not** look.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: in section 3.2.3, the decoder sets the scores of later words to −∞.
# - [@devlin2018]: BERT, an encoder, which reads in both directions and has no causal mask.
# - [@brown2020]: GPT-3, a decoder that writes one token after another.
#
# ## Next question
#
# Each word has one row of weights, and so only one way to look.
# What if it has two reasons to look?
# Go on with [07_many_heads](07_many_heads.ipynb).
