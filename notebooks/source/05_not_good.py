# %% [markdown]
# # 05 · Not good: attention on a whole review, by hand
#
# ![](../images/parts_05_asked.svg)
#
# In lesson [04](04_queries_keys_values.ipynb) you ran attention on five words with hand-made vectors.
# Now your `attention` reads the review that the word counter of lesson [00](00_start_here.ipynb) got wrong, because it could not tell what *not* belongs to.
# The word to watch is *good*, at position 4: if attention is any use here, *good* has to find *not*.
#
# **You will build** the three matrices that give the review its queries, keys and values, run your own `attention` on it, and design keys for any row of weights.
#
# **You will be able to**
# - follow one word from its embedding to its output,
# - use direction and length to explain why one key gets more weight than another,
# - find claims about an example that its numbers do not support,
# - find the same look in a trained model, and say what this does not show yet.
#
# **You need** [02_softmax](02_softmax.ipynb) and [04_queries_keys_values](04_queries_keys_values.ipynb).
# **Time:** {minutes} minutes.

# %%
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import AttentionExplorer, TheMachine
from course_utils.models.encoder import good_in_the_review
from course_utils.pictures.plots import arrows, curves, heatmap, row_bars
from course_utils.sentences import CONCEPTUAL_ROW, REVIEW, review_vectors

softmax, embed, weights_of, attention = mine("stable_softmax", "embed", "weights", "attention")

# %%
look_back("05")

# %% [markdown]
# ## A review with a trap
#
# **Goal.** See why counting words is not enough.
#
# *The movie was not good, but the soundtrack was amazing.*
# The review and its vectors come from a text, *A First Look at Self-Attention*.
# A classifier that only counts words finds two words of praise, *good* and *amazing*, and calls the review good.
# Counting better would not help, because no count tells you where *not* is, as a twin of the review shows:

# %%
print(" ".join(f"{i}:{token}" for i, token in enumerate(REVIEW)))
other = "The movie was good , but the soundtrack was not amazing ."
print("same counts for:", other, "->", Counter(REVIEW) == Counter(other.split()))

# %% [markdown]
# The twin has the same counts but says the opposite about movie and soundtrack, so anyone who only counts gives the same answer twice.
# What is missing is a way for *good* to find the words that belong to it, and attention provides one: it lets each word look at the others.
# (To tell the twins apart, attention also needs the order of the words, which lesson [08](08_word_order.ipynb) adds.)
# Attention whose queries, keys and values all come from one text, as here, is called **self-attention**.
#
# ## Three matrices give each word three roles
#
# **Goal.** Make the queries, keys and values of the review from its words.
#
# The text gives us the queries, keys and values of the review ready-made, and calls them “hand-crafted”; a model computes them from its embeddings with three matrices, as in lesson 04.
# So we give the words three features with a clear meaning, and you find the matrices.

# %%
# an embedding for each word: denies, praises, strong
features = {"not": [1, 0, 0], "good": [0, 1, 0], "amazing": [0, 1, 1]}  # all other words have zeros
vocabulary = sorted(set(REVIEW))
E = np.array([features.get(token, [0, 0, 0]) for token in vocabulary], float)  # (n_vocabulary, d_model) = (11, 3)
ids = np.array([vocabulary.index(token) for token in REVIEW])  # (n,) = (12,)
for name, vectors in zip(("query", "key", "value"), review_vectors()):  # each (n, 2), as the text gives them
    print(f"{name:<6}", "  ".join(f"{REVIEW[i]} {vectors[i]}" for i in (3, 4, 10)))

# %% [markdown]
# ### Exercise: `review_matrices` · 6 minutes
# Find `W_Q`, `W_K` and `W_V`, each `(d_model, 2)` = `(3, 2)`, so that `X @ W` turns the three words into the vectors above.
# The rows stand for *denies*, *praises* and *strong*, in this order.
# Decide what each feature has to become in each role; the hard word is *amazing*, which has two features.
#
# <details><summary>Hint 1</summary>A row of <code>E</code> with a single 1 picks one row of the matrix.
# Which row does the word <i>not</i> pick, and what must that row contain?</details>
#
# <details><summary>Hint 2</summary><i>amazing</i> picks two rows and adds them up.
# The word <i>good</i> settles one of these rows, so the other has to supply the rest.</details>

# %%
# solution
W_Q = np.array([[20, 20], [0, 1], [19, 18]])  # (d_model, d_k)
W_K = W_Q.copy()  # (d_model, d_k): in this example a word offers what it looks for
W_V = np.array([[1, 0], [0, 1], [1, 0]])  # (d_model, d_v)
# end solution

check("review_matrices", (W_Q, W_K, W_V))

# %%
matrices = keep("review_matrices")
X = embed(ids, E)  # (n, d_model) = (12, 3)
Q, K, V = (X @ W for W in matrices)  # each (n, 2)
print("as in the text:", *(np.allclose(own, given) for own, given in zip((Q, K, V), review_vectors())))
print("tokens with only zeros:", int((K == 0).all(axis=1).sum()), "of", len(REVIEW))

# %% [markdown]
# <details><summary>About the solution</summary>For queries and keys, <i>strong</i> adds (19, 19) − (0, 1), because <i>praises</i> already adds (0, 1).
# A model finds such rows by training, and nobody tells it what they should mean.</details>
#
# ## Where does *good* look?
#
# **Goal.** Follow one word from its query to its weights.
#
# Put your finger on *good*.
# Its query meets each of the twelve keys in a dot product, which is divided by $\sqrt{d_k}$, here $\sqrt 2$.

# %%
q_good = Q[4]  # (d_k,) = (2,)
scores = np.array([q_good @ k / np.sqrt(2) for k in K])  # (n_keys,) = (12,)
row_bars(scores, REVIEW, title="Scores of the query “good”", xlabel="score", highlight=[3, 10])
plt.show()

# %%
predict(
    "Two scores stand out: 14.14 and 13.44. The weight of “not” is",
    {
        0.5: "The scores look alike, but a difference of 0.71 already means twice the weight.",
        0.67: "Only the difference counts. A difference of 0.71 means two thirds against one third.",
        0.98: "For that, the difference would have to be about 4. Here it is 0.71.",
    },
    answer=lambda: softmax(scores)[3],
)

# %%
# answers prediction 1
row = softmax(scores)  # (n_keys,) = (12,)
row_bars(row, REVIEW, query="good", highlight=[3, 10])
print(f"not {row[3]:.2f}   amazing {row[10]:.2f}")
plt.show()

# %% [markdown]
# Remember the larger share: you will meet it again, and at the end even in a trained model.
#
# ## The output of *good*
#
# **Goal.** Mix the values, and read the two numbers that come out.
#
# Now *good* spends its budget: from each word's **value** it takes a share as large as the weight on that word's key, and the sum of these shares is the output of *good*.
# With the weights $w$ of *good* and row $v_j$ of $V$:
#
# $$\underset{\textstyle(d_v)}{\text{output}} = \sum_{j=0}^{11} w_j\,v_j = \underset{\textstyle(n_{keys})}{w}\;\underset{\textstyle(n_{keys},\;d_v)}{V}$$
#
# The values are $(1, 0)$ for *not*, $(0, 1)$ for *good* and $(1, 1)$ for *amazing*.

# %%
output = np.zeros(2)  # (d_v,)
for weight, value in zip(row, V):
    output = output + weight * value
print("loop:   ", output.round(8))
print("row @ V:", (row @ V).round(8), "  same:", np.allclose(output, row @ V))
ax = arrows([V[3], V[4], V[10], output], ["not", "good", "amazing", "output"])
ax.set(xlim=(-0.3, 1.5), ylim=(-0.3, 1.5), title="Three values and the output of “good”")
plt.show()

# %%
predict(
    "The second number is 0.33, and “good” has a 1 there. The weight that “good” gives to itself is",
    {
        "0.33": "This part comes from “amazing”: its value (1, 1) also has a 1 as its second number.",
        "less than one in a million": True,
        "1, a word always keeps its own value": "Nothing is reserved for the word itself. It competes like all the others.",
    },
)

# %%
# answers prediction 2
print(f"good looks at itself with {row[4]:.1e}")
print(f"first number:  not + amazing  = {row[3]:.6f} + {row[10]:.6f} = {row[3] + row[10]:.6f}")
print(f"second number: good + amazing = {row[4]:.6f} + {row[10]:.6f} = {row[4] + row[10]:.6f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# The first number is the sum of the weights on *not* and *amazing*, whose values begin with a 1; the second is the sum for *good* and *amazing*, whose values end with a 1.
# So *good* has traded itself away: two thirds of its output come from *not*, one third from *amazing*, and next to nothing is left of its own value.
#
# ![](../images/parts_05.svg)
#
# </details>
#
# ### Try it: cut a line
# The next cell draws such a picture from your `Q`, `K` and `V`.
# - Click the line from *not* to *good*: which word gets what *good* spent on *not*, and which number of the output changes?
# - Put the line back, and move the weight of *not* from one end of its slider to the other.
#   Which number of the output never changes, and why?

# %%
# answers prediction 2
TheMachine((Q, K, V), REVIEW)

# %% [markdown]
# ## All twelve tokens
#
# **Goal.** Run your own attention on the review, and read the weights row by row.
#
# So far only *good* has asked.
# Now let all twelve tokens ask at once; your `weights_of` and `attention` from lesson 04 can do that already.
# *The*, like eight other tokens, has the query $(0, 0)$.
# Where will it look?

# %%
predict(
    "A query of zeros looks",
    {
        "nowhere, all weights are 0": "Its scores are all 0. But weights always sum to 1, so they cannot all be 0.",
        "at its own word": "Its own score is 0, like all the others. Nothing in the formula prefers the word itself.",
        "at every word equally": "The query prefers no key, so it spreads its budget evenly over all twelve.",
    },
    answer="at every word equally",
)

# %%
# answers prediction 3
A = weights_of(Q, K)  # (n_queries, n_keys) = (12, 12), by your function of lesson 04
one_by_one = np.stack([softmax(K @ q / np.sqrt(2)) for q in Q])  # (n_queries, n_keys), one word after the other
print(f"your weights, largest difference from one word after the other: {np.abs(A - one_by_one).max():.6f}")
print("your attention says of good:", attention(Q, K, V)[4])  # (d_v,)
even = np.isclose(A, 1 / 12).all(axis=-1)  # (n_queries,)
print(f"look everywhere equally, {1 / 12:.2f} each: {even.sum()} of 12 tokens")
print(f"amazing looks at not with {A[10, 3]:.2f} and at itself with {A[10, 10]:.2f}")
heatmap(A, REVIEW, title="Who looks at whom")
plt.show()

# %% [markdown]
# Put your finger on the row of *amazing*, because here the text and its numbers disagree.
# The text promises: "Self-attention can discover that “not” modifies “good” while leaving “amazing” untouched."
# Yet with these vectors *amazing* spends practically **all** its weight on *not*, more than *good* does.
#
# And *good*, at position 4, looks at *amazing*, at position 10, six tokens into the future.
# Attention that lets each word look both back and ahead is called **bidirectional**; in lesson [06](06_masks.ipynb) you forbid the future, and meet a program that only claims to.
#
# ## What decides between the two
#
# **Goal.** Find the reason in the keys.
#
# Why does the word *not* get more weight than *amazing*?
# A key can win by its direction or by its length (lesson [01](01_dot_products.ipynb)), and the next cell separates the two.
# Then we change the length of *not*'s key, and watch its weight.

# %%
# answers prediction 1
for i in (3, 10):
    length = np.linalg.norm(K[i])  # the length of q_good is 1
    print(f"{REVIEW[i]:<8} cos = {q_good @ K[i] / length:.2f}   length = {length:.2f}   score = {scores[i]:.2f}")
gap = scores[3] - scores[10]
print(f"difference of the scores {gap:.2f}   ratio of the weights e^{gap:.2f} = {np.exp(gap):.2f}")

# %%
# answers prediction 1
sizes = np.arange(14, 27)
shares = []
for size in sizes:
    keys_now = K.copy()  # (n_keys, d_k)
    keys_now[3] = size  # "not" gets the key (size, size)
    shares.append(softmax(keys_now @ q_good / np.sqrt(2))[3])
ax = curves(sizes, {"weight": shares}, xlabel="a in the key (a, a) of “not”", ylabel="weight of “not”")
ax.set_title("Only the length of the key changes")
ax.axvline(20, color="black", linestyle="--", label="a = 20, the example")
ax.legend()
print("   ".join(f"a = {a}: {share:.2f}" for a, share in zip(sizes, shares) if 18 <= a <= 22))
plt.show()

# %% [markdown]
# Both keys point the same way, so the direction cannot be the reason.
# **Only the length** decides, $(20, 20)$ against $(19, 19)$.
# Nothing in these numbers says that *not* denies and *amazing* praises.
#
# ## A table without vectors
#
# **Goal.** Compare an explanation's numbers with its code, and find the way back from weights to scores.
#
# Before it shows its program, the text explains the example “conceptually”, with a table of weights.
# There, “the model assigns more than half of the total weight” to *not*, namely 0.55, but the text does not say which vectors produce such a table.
# The black lines in the next picture mark these weights.
# The cell also tries the way back: it takes three shares, and uses their logarithms as scores.

# %%
# answers prediction 1
wanted = np.array(CONCEPTUAL_ROW)  # (n_keys,) = (12,)
row_bars(row, REVIEW, query="good", highlight=[3, 10], reference=wanted)
print(f"the table: sum {wanted.sum():.2f}, not {wanted[3]:.2f}   the vectors: not {row[3]:.2f}")
logs = np.log([0.5, 0.3, 0.2])
print("log of 0.5, 0.3, 0.2:", logs.round(2), "-> softmax", softmax(logs).round(2))
print("the same plus 10:    ", (logs + 10).round(2), "-> softmax", softmax(logs + 10).round(2))
plt.show()

# %% [markdown]
# The program's vectors do not produce the table, so you are going to make others.
# You already have both tools: the softmax takes $e^s$, which the logarithm undoes, and shifting all the scores equally changes nothing.
#
# ### Try it: reach the table by hand
# You see the review, its vectors and, for each word, a black mark where its bar should end.
# - Bring the second number of the key of *not* down to 15.
#   Who gets the weight that *not* loses?
# - Watch the line **Game**, which names the word that is furthest off.
#   Change that word's key.
# - Got two words right?
#   Then try the other ten.
#   Is there a rule that turns a weight into a key?

# %%
# answers prediction 1
game = AttentionExplorer(query=4, step="score")
game

# %% [markdown]
# ### Exercise: `conceptual_keys` · 8 minutes
# Design a query `q`, `(d_k,)`, and keys, `(12, d_k)`, so that `softmax(keys @ q / np.sqrt(d_k))` is `CONCEPTUAL_ROW` to two decimals.
# Many vectors do that: you choose $d_k$, the query and the keys.
# Any vectors that reach the row are right, including those of your game: `q, keys = game.Q[4], game.K`.
# The cell below the check draws your row; until you have keys, it draws the row of the game.
#
# The hard part: a score is not yet a key.
# Two things happen to a key on its way to a score.
#
# <details><summary>Hint 1</summary>Keep the query of <i>good</i>, (0, 1).
# Which of a key's two numbers does this query see?
# You can choose the other number freely.</details>
#
# <details><summary>Hint 2</summary>Write down the twelve scores that you want.
# Then undo the division by the square root of <code>d_k</code>.</details>

# %%
# solution
q = np.array([0.0, 1.0])  # (d_k,) = (2,)
keys = np.stack([np.zeros(12), np.sqrt(2) * np.log(wanted)], axis=1)  # (n_keys, d_k) = (12, 2)
# end solution

check("conceptual_keys", (q, keys))

# %%
reached = game.weights[4] if q is ... or keys is ... else softmax(keys @ q / np.sqrt(len(q)))  # (n_keys,)
row_bars(reached, REVIEW, query="good", highlight=[3, 10], reference=wanted)
print(f"largest distance from the table: {np.abs(reached - wanted).max():.2f}")
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>The keys use only the number that the query sees; the other number is 0 here and could be anything.
# With $d_k = 1$, <code>q = [1]</code> and <code>keys = np.log(wanted)[:, None]</code>, there is nothing to undo, and shifting all the keys by the same amount changes nothing.</details>
#
# Your success is also a warning.
# **Any** row of positive weights can be produced by some vectors, so a picture drawn from hand-made vectors shows how attention works, but tells us nothing about language.
# For that, we need vectors learned from examples.
#
# ## The same sentence in a trained model
#
# **Goal.** Find the same look in a model where nobody put it.
#
# So let us ask a model whose vectors nobody made by hand: *all-MiniLM-L6-v2* was trained on more than a billion pairs of texts.
# In each of its layers twelve attentions, called heads, run side by side, and we look at the first two layers.
# In lesson [19](19_real_encoder.ipynb) you will run this model with your own functions.
# Here we read off one row of each head: how *good* spreads its weight over the review and over `[CLS]` and `[SEP]`, which the model adds.

# %%
# answers prediction 1
words, rows = good_in_the_review()  # rows (layers, heads, n_keys): where "good" looks
its_not = words.index("not")
share = rows[:, :, its_not]  # (layers, heads)
print("more than half of good's weight is on not in", *map(tuple, np.argwhere(share > 0.5).tolist()), "(layer, head)")
figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), sharex=True)
for ax, (layer, head) in zip(axes, ((0, 2), (1, 6))):
    row_bars(rows[layer, head], words, query="good", highlight=[its_not], ax=ax)
    ax.set_title(f"Layer {layer}, head {head}: where “good” looks")
    print(f"layer {layer}, head {head}: not {share[layer, head]:.2f}")
plt.show()

# %% [markdown]
# There it is, and nobody placed it there: in four heads of the first two layers *good* puts more than half of its weight on *not*, and in one of them *not* gets, by coincidence, the same share as with our vectors.
#
# What have we not shown yet?
# First, that these heads look at *not* because it denies, rather than because it comes right before *good*; second, that they do so in other sentences; third, that a model's answer depends on this look.
# You will run all three experiments: in lesson [19](19_real_encoder.ipynb) you change the word and the sentence, and in lesson [15](15_learning_not_good.ipynb) you cut the look in a smaller model and watch the verdict.
#
# ## What we now know
#
# - Embeddings and three matrices make the queries, keys and values of the review, and your own attention does the rest: *good* looks at *not* with a weight of 0.67 and at *amazing* with 0.33.
# - Both keys point the same way, so only the length decides; a query of zeros looks at every word equally.
# - The output of *good*, $(1.00, 0.33)$, mixes the values of *not* and *amazing*, and next to nothing of its own value is left.
# - Hand-made vectors can produce any row of positive weights, so they prove nothing about language.
# - In a trained model four early heads send more than half of *good*'s weight to *not*; what this look does is still open.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.3 says where a Transformer uses self-attention.
# - [@bahdanau2014]: an earlier form of attention, between two sentences, with pictures of learned weights.
# - [@jain2019]: other rows of weights, made on purpose, that leave the answers of trained models nearly unchanged.
#
# ## Next question
#
# *good* saw a word that comes six positions later.
# How do you forbid such a look, and how do you notice one that slips through?
# Go on with [06_masks](06_masks.ipynb).
