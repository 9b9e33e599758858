# %% [markdown]
# # 04 · Queries, keys, values: a look-up that takes a share of everything
#
# ![](../images/machine_04.svg)
#
# **You will build** attention, step by step: embed, project, score, normalise, mix.
# The projection is given; you write the other steps, after seeing most of them done for one word.
#
# **You will be able to**
# - say where word vectors come from, and what queries, keys and values are for,
# - write down the shape of every array on the way,
# - show that each output is a mixture of values, and use this to find mistakes.
#
# **You need** [01_dot_products](01_dot_products.ipynb) and [02_softmax](02_softmax.ipynb).
# The short way through the course skips lesson 03, which shows why scores are divided by $\sqrt{d_k}$.
# One result is enough here: without the division, most queries give nearly all their weight to one key, if the vectors contain many random numbers.
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
# **Goal.** Understand what a soft look-up is.
#
# You can now turn scores into shares, but shares of what?
# A Python dict compares your request with its keys: if a key matches, you get its value; otherwise you get a `KeyError`.
# Attention always has an answer, because it scores how well *every* key fits the query, turns the scores into shares, and uses them to blend what belongs to the keys, the **values**.
# To give something a share is **to attend** to it.
#
# *Self-Attention: Teaching Machines to Focus* compares attention to “a library search system”, as our picture does, and to “highlighting sentences that are relevant to your current question”.
# A reference page compares it to a search engine: you type a query, each page has keywords (its key), and you read its content (the value).
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
        60: "That is the best book alone. A dict returns one value; a soft look-up also takes from the other books.",
        155: "That adds up all the pages. The shares sum to 1, so a blend can't exceed the largest value, 90.",
        39: "That is what the best book contributes, 0.65 · 60. The others contribute too.",
        50: "0.11 · 90 + 0.65 · 60 + 0.20 · 5 + 0.04 · 0. Every book contributes its share.",
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
# With a query 20 times as long, one book contributes nearly everything, so this is almost a dict's look-up, although a dict would raise a `KeyError`.
#
# ## Embed: from words to vectors
#
# **Goal.** Know where the vectors come from.
#
# Words cannot be multiplied, so they must become vectors before we can compare them.
# First the text is cut into words, parts of words and punctuation marks; each piece is called a **token**.
# The list of all tokens that the model knows, in a fixed order, is called its **vocabulary**, and a token's number in this list is its *id*.
# The id picks a row in a table `E`; this row is called the **embedding** of the token.
# We made our rows by hand, so you can read them (*pointer* marks a word that stands for another); in a real model, training finds the rows, and nobody names the columns.

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
# Write the id as a row of zeros with a single 1 in the id's column: such a row is called **one-hot**, and multiplying it by `E` picks out one row of `E`.
#
# $$\underset{\textstyle(n,\;d_{model})}{X} = \underset{\textstyle(n,\;n_{vocabulary})}{\mathrm{onehot}(ids)}\;\underset{\textstyle(n_{vocabulary},\;d_{model})}{E}$$
#
# Programs look the row up instead, because multiplying by thousands of zeros is wasted work; but the product shows that `E` can be trained like any other matrix.
#
# ### Exercise: `embed` · 3 minutes
# `ids` is `(n,)`, whole numbers from 0; `E` is `(n_vocabulary, d_model)`.
# A token can occur twice, and `ids` can be a batch of sentences, `(batch, n)`.
# Return the embeddings, one row for each id: `(n, d_model)`, or `(batch, n, d_model)`.
#
# <details><summary>Hint 1</summary>Each id says which row of <code>E</code> comes next.</details>
#
# <details><summary>Hint 2</summary>NumPy accepts an array of whole numbers as an index: <code>a[[2, 0, 2]]</code> returns three rows of <code>a</code>.</details>


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
# <details><summary>About the solution</summary>Indexing copies n rows and touches nothing else.
# <code>np.eye(len(E))[ids] @ E</code> is also right, but nearly all of its multiplications are by zero.</details>
#
# ## Project: one word, three roles
#
# **Goal.** Make queries, keys and values from the same words.
#
# Attention takes four steps, which the drawing at the top shows for the first five words of the review.
# **Project** makes a query, a key and a value (*Q, K, V*) from the vector of each word.
# The lines show **score** and **normalise**: each query meets every key, the softmax turns the scores into *weights*, and the thicker the line, the larger the weight.
# **Mix** adds up the values that arrive along the lines, each multiplied by its weight, and the sum is the *output*.
# Now take the same steps with *Cats jump when they play*: who are *they*?
#
# A word has three roles: it asks, it is found, and it hands something over.
# So three matrices turn its `d_model` = 4 numbers into three vectors: a query (what the word looks for), a key (what it offers) and a value (what it passes on):
#
# $$\begin{gathered} \underset{\textstyle(n,\;d_k)}{Q} = \underset{\textstyle(n,\;d_{model})}{X}\;\underset{\textstyle(d_{model},\;d_k)}{W_Q}\,,\qquad \underset{\textstyle(n,\;d_k)}{K} = X\,\underset{\textstyle(d_{model},\;d_k)}{W_K}\,, \\[1.5ex] \underset{\textstyle(n,\;d_v)}{V} = X\,\underset{\textstyle(d_{model},\;d_v)}{W_V} \end{gathered}$$

# %%
W_Q = np.array([[0, 1, 0], [1, -1, 0], [1, 0, -1], [0, 1, -1]])  # (d_model, d_k)
W_K = np.array([[1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])  # (d_model, d_k)
W_V = np.array([[2, 0], [0, 2], [1, 1], [0, 1]])  # (d_model, d_v)
print("'they' looks for", X[3] @ W_Q, "  (animal, action, time)")  # (d_k,)
print("'Cats' offers   ", X[0] @ W_K)  # (d_k,)

# %% [markdown]
# *they* looks for an animal and avoids a time, and *Cats* offers an animal.
# One matrix product does this for all the words at once, because row *i* of the product uses only row *i* of `X`.

# %%
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
for name, vectors in (("Q", Q), ("K", K), ("V", V)):
    print(f"{name} {vectors.shape}   they: {vectors[3]}   Cats: {vectors[0]}")

# %% [markdown]
# ## Score: every query meets every key
#
# **Goal.** Get one number for each pair of words.
#
# First one query meets all the keys in a loop, then all the queries in a double loop, and finally one matrix product does the same.
# `K.T` is `K` turned on its side, so each key becomes a column.

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
# One thing is missing: attention divides the products by $\sqrt{d_k}$, for the reason given in lesson 03.
# The number in row *i*, column *j* says how well key *j* fits query *i*.
#
# ### Exercise: `scores` · 3 minutes
# Return the scaled scores of all pairs.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, for any $d_k$, and you return `(n_queries, n_keys)`.
#
# <details><summary>Hint 1</summary>Queries go in the rows, keys in the columns: which array do you turn on its side?</details>
#
# <details><summary>Hint 2</summary>One query has $d_k$ numbers, and $d_k$ is <code>Q.shape[-1]</code>: divide by its square root.</details>


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
# <details><summary>About the solution</summary>We take the root of <code>Q.shape[-1]</code>, so the code works for queries of any size.
# <code>np.einsum("id,jd->ij", Q, K)</code> needs no <code>.T</code>: it names the axis to sum over.</details>
#
# ## Normalise: each query has one whole to share
#
# **Goal.** Turn each row of scores into shares.
#
# Each query shares out its own budget of 1, so the shares in row *i* say where word *i* looks.
# These shares are called **attention weights**.
#
# **Before you run the next cell:** if *they* looks at *Cats*, does *Cats* look back?

# %%
predict(
    f"“they” gives {softmax(scores_of(Q, K)[3])[0]:.2f} of its weight to “Cats”. What does “Cats” give to “they”?",
    {
        0.69: "Then looking would be mutual. But “Cats” asks with its own query, and “they” answers with its own key.",
        0.31: "That is what “they” has left for the other words. “Cats” has a row of its own.",
        0.01: "“Cats” looks for an action. The key of “they” says: no action here.",
    },
    answer=lambda: float(softmax(scores_of(Q, K)[0])[3].round(2)),
)

# %% [markdown]
# ### Exercise: `weights` · 3 minutes
# Return the weights of all queries over all keys, from the scaled scores.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, and you return `(n_queries, n_keys)`.
# Decide which axis has to sum to 1, and check your choice on a small example of your own.
# When your function is done, make a mistake on purpose (forget the root, or transpose the scores) and read what the check says.
#
# <details><summary>Hint 1</summary>Which of the two has a budget of 1, a query or a key, and where are the scores of one query?</details>
#
# <details><summary>Hint 2</summary>Your <code>scores_of</code> computes the scores, and your <code>softmax</code> from lesson 02 runs along the last axis.</details>


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
# <details><summary>About the solution</summary>The keys lie along the last axis, and that is where each query shares out its 1.
# <code>softmax(scores_of(K, Q).T)</code> is also right: a score is the same from either side, a weight is not.</details>
#
# Figure 1 of *Self-Attention: Teaching Machines to Focus* shows the same four steps.
# Under “Attention scores”, before the softmax in step 3, the figure prints three rows: 0.8 0.1 0.1, then 0.3 0.6 0.1, then 0.2 0.2 0.6.
# Add up each row: what are these numbers?
#
# <details><summary>Answer</summary>The numbers in each row are positive and sum to 1, like a row of attention weights.
# Scores can have any sum: the row <i>jump</i> above sums to 2.9.</details>
#
# ## Mix: every output takes from all values
#
# **Goal.** Blend the values, first for one word, then for all.
#
# Now each word spends its budget: its output is the sum of all the values, each multiplied by its weight.
# We start with *they*, in a loop.

# %%
mixed = np.zeros(2)  # (d_v,)
for j in range(5):
    mixed = mixed + weights[3, j] * V[j]
print("value of they: ", V[3], "  value of Cats:", V[0])
print("output of they:", mixed.round(2))

# %% [markdown]
# The output of *they* is closer to the value of *Cats* than to its own: the pronoun has taken in something of the animal that it stands for.
#
# One formula contains the last three steps; the shapes under the arrays are for $n_q$ queries and $n_k$ keys.
# This is called **scaled dot-product attention**:
#
# $$\underset{\textstyle(n_q,\;d_v)}{\mathrm{Attention}(Q, K, V)} = \mathrm{softmax}\Bigg(\frac{\underset{\textstyle(n_q,\;d_k)}{Q}\;\;\underset{\textstyle(d_k,\;n_k)}{K^\top}}{\sqrt{d_k}}\Bigg)\;\underset{\textstyle(n_k,\;d_v)}{V}$$
#
# ### Exercise: `attention` · 3 minutes
# Put the steps together.
# `Q` is `(n_queries, d_k)`, `K` is `(n_keys, d_k)`, `V` is `(n_keys, d_v)`.
# Return only the output, `(n_queries, d_v)`.
#
# <details><summary>Hint 1</summary>Score, normalise, mix: you have already written two of these three steps.</details>
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
# No query has to wait for another, so all the rows can be computed at once.
# In the table's left column, Q, K and V all come from one `X`, a case named in lesson [05](05_not_good.ipynb); in the right column, other words ask and `X` answers, as in lesson [07](07_many_heads.ipynb).
# A query meets every key, so Q and K have the same $d_k$; every key has a value, so K and V have the same number of rows; only $d_v$ is free.
#
# ### Try it: the four steps with your own numbers
# - Press **1 Project** to **4 Mix** in turn, and follow the numbers of *they* from step to step.
# - Choose *Cats* on the left.
#   Where do its lines go?
# - Choose *they* again, and go back to **2 Score**, where you see the keys.
#   Change the key of *play* until *they* looks at *play*.

# %%
# answers prediction 2
explorer = AttentionExplorer(tokens, Q, K, V, query=3)
explorer

# %% [markdown]
# If you change a key, one column of the scores changes, and perhaps every row of weights; if you change a value, no weight changes, only the outputs.
#
# ## Where an output can lie
#
# **Goal.** See what an output can be, and what it cannot be.
#
# *Self Attention*, another of the five texts, first says that “each output vector is a weighted sum of all the input vectors”.
# That can't be right here, because an input has 4 numbers and an output has 2.
# Further down, the text says what the sum is really made of: each output is “a convex combination of the original Value vectors”.
# A weighted sum whose weights are at least 0 and sum to 1 is called a **convex combination**, and it lies in the region between the vectors.
# The next cell prints each number's range, and its picture shows both numbers together.

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
        "Ada's": "Her columns sum to 1, but her rows don't. So an output spends more than 1, or less.",
        "Ben's": "His weights are sharper, but still at least 0, and each row sums to 1. So his outputs stay inside.",
        "both": "Ben's weights are still positive, and each row sums to 1. Such a mixture stays inside.",
        "nobody's": "Ada's rows don't sum to 1. So her outputs aren't mixtures of the values any more.",
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
# - Rows are queries, columns are keys; the weights sum to 1 in each row, but the scores don't have to.
#   A look doesn't have to be mutual: *they* looks at *Cats*, but *Cats* looks at *jump*.
# - Each output lies in the region between the values, because its weights are at least 0 and sum to 1.
#   The wrong axis can push an output out of this region; a forgotten root cannot, so only a comparison with the right numbers reveals it.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.1 has the formula of this lesson, and section 3.4 describes the embeddings.
# - [@alammar2018]: queries, keys and values in pictures, word by word.
# - [@bengio2003]: a model with a table of learned rows, called C, one row for each word.
#
# ## Next question
#
# Can these four steps find out that a movie was *not* good?
# Go on with [05_not_good](05_not_good.ipynb).
