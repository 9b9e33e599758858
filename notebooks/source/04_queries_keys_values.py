# %% [markdown]
# # 04 · Queries, keys, values: a look-up that takes a share of everything
#
# ![](../images/machine_04.svg)
#
# **You will build** attention from words: embed, project, score, normalise, mix.
# The projection is given; you write the other steps, most of them first for one word, then for all at once.
#
# **You will be able to**
# - say where the vectors of words come from, and what queries, keys and values are for,
# - write down the shape of every array on the way,
# - show that each output is a mixture of values, and use this to find mistakes.
#
# **You need** [01_dot_products](01_dot_products.ipynb) and [02_softmax](02_softmax.ipynb).
# The short way through the course leaves out lesson 03, which measures why scores are divided by $\sqrt{d_k}$.
# One result is enough here: without the division, and with many random numbers in each vector, most queries give nearly all their weight to one key.
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import AttentionExplorer
from course_utils.pictures.plots import heatmap, mixtures

softmax, dot_product = mine("stable_softmax", "dot_product")

# %%
look_back("04")

# %% [markdown]
# ## Look up one book, or take a share of all
#
# **Goal.** Know what a soft look-up is.
#
# You can turn scores into shares now, but shares of what?
# A Python dict compares your request with its keys: if one key is equal you get its value, and if none is you get a `KeyError`.
# Attention always has an answer: it scores how well *every* key fits the query, turns the scores into shares, and blends what stands behind the keys, the **values**.
# To give a share to something is called **to attend** to it.
#
# *Self-Attention: Teaching Machines to Focus*, one of the five texts that this course follows, compares this with “a library search system”, and so does the picture; it also speaks of “highlighting sentences that are relevant to your current question”.
# A reference page takes a search engine: you type a query, each page has keywords, its key, and you read its content, the value.
# The same page adds that, “unlike a convolutional filter with fixed weights, attention weights change for every input”.
#
# ![A request, the query, meets the index entries of four books, the keys. Each book gives a share of its content, its value, to one output. The better the key fits, the larger the share; the shares sum to 1.](../images/library_lookup.svg)

# %%
# pages about bread
books = {"bread recipes": 90, "Roman bakeries": 60, "Roman emperors": 5, "moons of Jupiter": 0}
print("Roman bakeries:", books["Roman bakeries"], "pages about bread")
try:
    print(books["bread in Rome"])
except KeyError as error:
    print("KeyError:", error)

# %%
predict(
    "With the shares in the picture: how many pages about bread are in the blend?",
    {
        60: "That is the best book alone. A dict gives one value; a soft look-up also takes from the others.",
        155: "That is the sum of all pages. The shares sum to 1, so a blend cannot pass the largest value, 90.",
        39: "That is the share of the best book, 0.65 · 60. The other books give something too.",
        50: "0.11 · 90 + 0.65 · 60 + 0.20 · 5 + 0.04 · 0. Every book gives its share.",
    },
    answer=lambda: round(softmax(np.array([2, 5, 3, 0]) / np.sqrt(3)) @ [90, 60, 5, 0]),
)

# %%
# answers prediction 1
query = np.array([2, 3, 0])  # (d_k,): food, past, space
keys = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])  # (n_keys, d_k)
for length in (1, 20):
    shares = softmax(keys @ (length * query) / np.sqrt(3))  # (n_keys,)
    print(f"query times {length:>2}: shares {shares.round(2)}  pages {shares @ list(books.values()):.0f}")

# %% [markdown]
# With a query 20 times as long, one book gives nearly everything, and the look-up is nearly a hard one, though a dict would still have raised its `KeyError`.
#
# ## Embed: from words to vectors
#
# **Goal.** Know where the vectors come from.
#
# Words cannot be multiplied, so before they can meet they must become vectors.
# First the text is cut into words, parts of words and signs; each piece is called a **token**.
# The list of all tokens that the model knows, in a fixed order, is called its **vocabulary**, and a token's number in it is its *id*.
# The id picks a row in a table `E`, which is called the **embedding** of the token.
# Our rows are hand-made, so that you can read them (*pointer* marks a word that stands for another one), whereas in a model training finds them, and nobody names their columns.

# %%
# a vocabulary of seven tokens
table = {  # animal, action, pointer, time
    "Cats": [2, 0, 0, 0],
    "bread": [0, 0, 0, 0],
    "jump": [1, 2, 0, 0],
    "play": [0, 1, 0, 1],
    "sleep": [1, 1, 0, 0],
    "they": [0, 0, 2, 0],
    "when": [0, 0, 0, 2],
}
vocabulary, E = list(table), np.array(list(table.values()))  # E (n_vocabulary, d_model)
tokens = ["Cats", "jump", "when", "they", "play"]
ids = np.array([vocabulary.index(token) for token in tokens])  # (n,)
print("ids of", *tokens, "=", ids, "  E:", E.shape, "= (n_vocabulary, d_model)")

# %% [markdown]
# A look-up in a table does not look like a matrix product, but it is one.
# Write the id as a row of zeros with a single 1 in its own column, which is called **one-hot**: multiplied by `E`, it picks one row.
#
# $$\underset{\textstyle(n,\;d_{model})}{X} = \underset{\textstyle(n,\;n_{vocabulary})}{\mathrm{onehot}(ids)}\;\underset{\textstyle(n_{vocabulary},\;d_{model})}{E}$$
#
# Programs look the row up instead, because multiplying by thousands of zeros is wasted work; still, the product tells us something: `E` can be trained like any other matrix.
#
# ### Exercise: `embed` · 3 minutes
# `ids` is `(n,)`, whole numbers from 0; `E` is `(n_vocabulary, d_model)`.
# A token may come twice, and `ids` may be a batch of sentences, `(batch, n)`.
# Return the embeddings, one row for each id: `(n, d_model)`, or `(batch, n, d_model)`.
#
# <details><summary>Hint 1</summary>Each id says which row of <code>E</code> comes next.</details>
#
# <details><summary>Hint 2</summary>NumPy takes an array of whole numbers as an index: <code>a[[2, 0, 2]]</code> is three rows of <code>a</code>.</details>


# %%
def embed(ids, E):
    # solution
    return E[ids]  # (n, d_model)
    # end solution


check("embed", embed)

# %%
embed = keep("embed")
X = embed(ids, E)  # (n, d_model)
one_hot = np.eye(len(vocabulary))[ids]  # (n, n_vocabulary)
print(f"one-hot @ E, largest difference from your rows: {np.abs(one_hot @ E - X).max():.0f}")
for token, x in zip(tokens, X):
    print(f"{token:<5}", *(f" {name} {number}" for name, number in zip(("animal", "action", "pointer", "time"), x)))

# %% [markdown]
# <details><summary>About the solution</summary>The index copies n rows and touches nothing else.
# <code>np.eye(len(E))[ids] @ E</code> is right too, but nearly all of its products are with a zero.</details>
#
# ## Project: one word, three roles
#
# **Goal.** Make queries, keys and values from the same words.
#
# Attention takes four steps, and the drawing at the top of this lesson shows them on the first five words of the review.
# **Project** makes a query, a key and a value from the vector of each word, under *Q, K, V*.
# **Score** and **normalise** are what the lines show: each query meets every key, the softmax turns the scores into *weights*, and the thicker a line, the larger its weight.
# **Mix** adds up the values that come along the lines, each with its weight, and the sum is the *output*.
# You take the same steps with *Cats jump when they play*: whom does *they* mean?
#
# A word plays three parts: it asks, it is asked for, and it hands something over.
# So three matrices make three vectors from its `d_model` = 4 numbers, a query (what it looks for), a key (what it offers) and a value (what it passes on):
#
# $$\begin{gathered} \underset{\textstyle(n,\;d_k)}{Q} = \underset{\textstyle(n,\;d_{model})}{X}\;\underset{\textstyle(d_{model},\;d_k)}{W_Q}\,,\qquad \underset{\textstyle(n,\;d_k)}{K} = X\,\underset{\textstyle(d_{model},\;d_k)}{W_K}\,, \\[1.5ex] \underset{\textstyle(n,\;d_v)}{V} = X\,\underset{\textstyle(d_{model},\;d_v)}{W_V} \end{gathered}$$

# %%
W_Q = np.array([[0, 1, 0], [1, -1, 0], [1, 0, -1], [0, 1, -1]])  # (d_model, d_k)
W_K = np.array([[1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])  # (d_model, d_k)
W_V = np.array([[2, 0], [0, 2], [1, 1], [0, 1]])  # (d_model, d_v)
print("'they' looks for", X[3] @ W_Q, "  (animal, action, time)")  # (d_k,)
print("'Cats' offers   ", X[0] @ W_K)  # (d_k,)

# %% [markdown]
# *they* looks for an animal and away from time, and *Cats* offers an animal.
# One product does this for all words at once, because row *i* of a product uses row *i* of `X` only.

# %%
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
for name, vectors in (("Q", Q), ("K", K), ("V", V)):
    print(f"{name} {vectors.shape}   they: {vectors[3]}   Cats: {vectors[0]}")

# %% [markdown]
# ## Score: every query meets every key
#
# **Goal.** Get one number for each pair of words.
#
# First one query meets all keys in a loop, then all queries meet them in a double loop, and in the end a single matrix product does the same.
# `K.T` is `K` turned on its side, so that each key becomes a column.

# %%
for j in range(5):
    print(f"they -> {tokens[j]}: {Q[3]} · {K[j]} = {dot_product(Q[3], K[j])}")

products = np.zeros((5, 5))  # (n_queries, n_keys), not yet divided by anything
for i in range(5):
    for j in range(5):
        products[i, j] = dot_product(Q[i], K[j])
print(products.astype(int))
print(f"largest difference from Q @ K.T: {np.abs(Q @ K.T - products).max():.0f}")

# %% [markdown]
# One thing is missing: attention divides the products by $\sqrt{d_k}$, for the reason that lesson 03 measures.
# Row *i*, column *j* of the result says how well key *j* fits query *i*.
#
# ### Exercise: `scores` · 3 minutes
# Return the scaled scores of all pairs.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, for any $d_k$, and you return `(n_queries, n_keys)`.
#
# <details><summary>Hint 1</summary>Queries on the rows, keys on the columns: which of the two do you turn on its side?</details>
#
# <details><summary>Hint 2</summary>$d_k$ is how many numbers one query has, <code>Q.shape[-1]</code>: divide by its square root.</details>


# %%
def scores_of(Q, K):
    # solution
    return Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    # end solution


check("scores", scores_of)

# %%
scores_of = keep("scores")
print(scores_of(Q, K).round(2))  # (n_queries, n_keys)

# %% [markdown]
# <details><summary>About the solution</summary>The root is taken of <code>Q.shape[-1]</code>, so that it fits any array of queries.
# <code>np.einsum("id,jd->ij", Q, K)</code> needs no <code>.T</code>: it names the axis that is summed.</details>
#
# ## Normalise: each query has one whole to share
#
# **Goal.** Turn each row of scores into shares.
#
# Each query has a budget of 1 and shares out its own, so the shares in row *i* say where word *i* looks.
# They are called **attention weights**.
#
# **Before you run the next cell:** if *they* looks at *Cats*, does *Cats* look back?

# %%
predict(
    f"“they” gives {softmax(scores_of(Q, K)[3])[0]:.2f} of its weight to “Cats”. What does “Cats” give to “they”?",
    {
        0.69: "That would be a mirror. But “Cats” asks with its own query, and “they” answers with its own key.",
        0.31: "That is what “they” has left for the other words. “Cats” has a row of its own.",
        0.01: "“Cats” looks for an action. The key of “they” says: no action here.",
    },
    answer=lambda: float(softmax(scores_of(Q, K)[0])[3].round(2)),
)

# %% [markdown]
# ### Exercise: `weights` · 3 minutes
# Return the weights of all queries over all keys, from the scaled scores.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, and you return `(n_queries, n_keys)`.
# Decide which axis has to sum to 1, and check it on a small example of your own.
# When it is done, make a mistake on purpose, say forget the root or transpose the scores, and read what the check says.
#
# <details><summary>Hint 1</summary>Who shares out one whole, a query or a key, and where do the numbers of one query stand?</details>
#
# <details><summary>Hint 2</summary>Your <code>scores_of</code> gives the scores, and your <code>softmax</code> of lesson 02 runs along the last axis.</details>


# %%
def weights_of(Q, K):
    # solution
    return softmax(scores_of(Q, K))  # (n_queries, n_keys)
    # end solution


check("weights", weights_of)

# %%
# answers prediction 2
weights_of = keep("weights")
scores, weights = scores_of(Q, K), weights_of(Q, K)  # (n_queries, n_keys) each
one_by_one = np.stack([softmax(row) for row in scores])  # (n_queries, n_keys)
print(f"largest difference from row by row: {np.abs(one_by_one - weights).max():.6f}")
print(f"they -> Cats {weights[3, 0]:.2f}   Cats -> they {weights[0, 3]:.2f}")
print(f"row 'jump' sums to {scores[1].sum():.1f} as scores, to {weights[1].sum():.1f} as weights")
heatmap(weights, tokens, title="Where each word looks", vmax=1)
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>The keys stand on the last axis, and along it each query has its whole.
# <code>softmax(scores_of(K, Q).T)</code> is right too: a score is the same from either side, a weight is not.</details>
#
# Figure 1 of *Self-Attention: Teaching Machines to Focus* shows the same four steps.
# Under “Attention scores”, with the softmax still to come as step 3, it prints three rows: 0.8 0.1 0.1, then 0.3 0.6 0.1, then 0.2 0.2 0.6.
# Add up each row: what are these numbers?
#
# <details><summary>Answer</summary>Each row sums to 1 and holds positive numbers, as a row of attention weights does.
# Scores can have any sum: the row <i>jump</i> above sums to 2.9.</details>
#
# ## Mix: every output takes from all values
#
# **Goal.** Blend the values, for one word and for all.
#
# Now each word spends its budget: its output is a weighted sum, weight times value, added over all keys.
# We start with *they*, in a loop.

# %%
mixed = np.zeros(2)  # (d_v,)
for j in range(5):
    mixed = mixed + weights[3, j] * V[j]
print("value of they: ", V[3], "  value of Cats:", V[0])
print("output of they:", mixed.round(2))

# %% [markdown]
# The output of *they* lies nearer to the value of *Cats* than to its own: the pronoun has taken in something of the animal that it stands for.
#
# The last three steps have one formula, with the shape of each array under it, for $n_q$ queries and $n_k$ keys.
# This is called **scaled dot-product attention**:
#
# $$\underset{\textstyle(n_q,\;d_v)}{\mathrm{Attention}(Q, K, V)} = \mathrm{softmax}\Bigg(\frac{\underset{\textstyle(n_q,\;d_k)}{Q}\;\;\underset{\textstyle(d_k,\;n_k)}{K^\top}}{\sqrt{d_k}}\Bigg)\;\underset{\textstyle(n_k,\;d_v)}{V}$$
#
# ### Exercise: `attention` · 3 minutes
# Put the steps together.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, `V` is `(n_keys, d_v)`.
# Return only the output, `(n_queries, d_v)`.
#
# <details><summary>Hint 1</summary>Score, normalise, mix: two of the three you have written above.</details>
#
# <details><summary>Hint 2</summary>The weights are <code>(n_queries, n_keys)</code>, the values <code>(n_keys, d_v)</code>.
# One matrix product does all the sums.</details>


# %%
def attention(Q, K, V):
    # solution
    return weights_of(Q, K) @ V  # (n_queries, d_v)
    # end solution


check("attention", attention)

# %%
attention = keep("attention")
output = attention(Q, K, V)  # (n_queries, d_v)
for i in (3, 0, 4, 2, 1):  # one query after the other, in any order
    alone = softmax(K @ Q[i] / np.sqrt(3)) @ V  # (d_v,)
    print(f"{tokens[i]:<5} alone {alone.round(2)}   in one go {output[i].round(2)}")


# %%
def shapes(asking):
    Q, K, V = asking @ W_Q, X @ W_K, X @ W_V  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    return [a.shape for a in (asking, Q, K, V, scores_of(Q, K), weights_of(Q, K), attention(Q, K, V))]


two_words = np.array([[0, 0, 2, 0], [0, 2, 0, 0]])  # (n_queries, d_model), from another sentence
names = ["who asks", "Q", "K", "V", "scores (S)", "weights (A)", "output"]
print(f"{'':<12} X asks X   two words ask X")
for name, own, other in zip(names, shapes(X), shapes(two_words)):
    print(f"{name:<12} {own!s:<10} {other!s}")

# %% [markdown]
# <details><summary>About the solution</summary>One product does all the sums, because row i of the weights meets each column of the values.
# <code>np.einsum("ij,jd->id", weights, V)</code> is the same product with its axes named.</details>
#
# No query waits for another one, so all rows can be computed at once.
# On the left, Q, K and V all come from one `X`, which lesson [05](05_not_good.ipynb) gives a name; on the right, other words ask and `X` answers, as in lesson [07](07_many_heads.ipynb).
# A query meets every key, so Q and K have the same $d_k$; every key has a value, so K and V have equal numbers of rows; $d_v$ is free.
#
# ### Try it: the four steps with your own numbers
# - Press **1 Project** to **4 Mix**, and follow the numbers of *they* from step to step.
# - Choose *Cats* on the left.
#   Where do its lines go?
# - Choose *they* again, and go back to **2 Score**, where the keys stand.
#   Change the key of *play* until *they* looks there.

# %%
explorer = AttentionExplorer(tokens, Q, K, V, query=3)
explorer

# %% [markdown]
# So a changed key changes one column of the scores, and with it every row of weights may change, whereas a changed value changes no weight at all, only what comes out.
#
# ## Where an output can lie
#
# **Goal.** See what an output can be, and what it cannot be.
#
# *Self Attention*, another of the five texts, first says that “each output vector is a weighted sum of all the input vectors”.
# Here that cannot be right, because an input has 4 numbers and an output 2.
# Further down the text says what the sum is really made of: each output is “a convex combination of the original Value vectors”.
# A weighted sum whose weights are at least 0 and sum to 1 is called a **convex combination**, and it lies in the region between the vectors.
# The code prints the range of each number, and the picture shows both numbers together.

# %%
print(f"smallest weight: {weights.min():.4f}   row sums:", weights.sum(axis=1).round(6))
for name, A in [("values", V), ("outputs", output), ("your values", explorer.V), ("your outputs", explorer.output)]:
    print(f"{name:<12} from", A.min(axis=0).round(2), "to", A.max(axis=0).round(2))
ax = mixtures(V, output, tokens, ax=plt.subplots(figsize=(7.4, 4.2))[1])
ax.set_title("Every output lies among the values", pad=24)
plt.show()

# %%
predict(
    "Ada runs the softmax over the queries (axis=0). Ben forgets to divide by √d_k. Whose outputs can leave the region?",
    {
        "Ada's": "Her columns sum to 1, and her rows do not. Then an output takes more than there is, or less.",
        "Ben's": "His weights are sharper, but still at least 0, and each row sums to 1. So they stay inside.",
        "both": "Ben's weights are still positive, and each row sums to 1. Such a mixture stays inside.",
        "nobody's": "Ada's rows do not sum to 1. Then an output is no mixture of the values any more.",
    },
    answer="Ada's",
)

# %%
# answers prediction 3
wrong_axis, no_root = softmax(scores.T).T, softmax(products)  # (n_queries, n_keys) each
figure, axes = plt.subplots(1, 2, figsize=(11, 4))
for ax, A, title in zip(axes, (wrong_axis, no_root), ("Ada: over the queries", "Ben: no square root")):
    mixtures(V, A @ V, tokens, ax=ax).set_title(title, pad=24)
    inside = ax.patches[0].get_path().contains_points(A @ V)  # (n_queries,)
    error = np.abs(A @ V - output).max()
    print(f"{title:<22} row sums {A.sum(axis=1).round(2)}   outside {(~inside).sum()}   largest error {error:.1f}")
plt.show()

# %% [markdown]
# ## What we now know
#
# - A token has an id, and its embedding is a row of a table: `E[ids]`, or one-hot @ E.
# - First project; then score, normalise and mix: `softmax(Q @ K.T / sqrt(d_k)) @ V`.
# - Rows are queries, columns are keys; the weights sum to 1 in each row, and the scores need not.
#   Looking need not be mutual: *they* looks at *Cats*, but *Cats* looks at *jump*.
# - Each output lies in the region of the values, because its weights are at least 0 and sum to 1.
#   A wrong axis can lead out of it; a forgotten root cannot, and only a comparison of numbers finds it.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.1 holds the formula of this lesson, and section 3.4 the embeddings.
# - [@alammar2018]: queries, keys and values as pictures, word by word.
# - [@bengio2003]: a model with a table of one learned row for each word, called C there.
#
# ## Next question
#
# Can these four steps find out that a movie was *not* good?
# Go on with [05_not_good](05_not_good.ipynb).
