# %% [markdown]
# # 20 · A model card: read a published configuration, and build its lines
#
# ![](../images/parts_20.svg)
#
# In lesson [19](19_real_encoder.ipynb) a real encoder ran on your functions, and somebody had to tell them that the model has 6 blocks of 12 heads.
# These numbers came from a small text file beside its weights.
# Nearly every open model comes with such a file, and you have built what most of its lines describe.
# So take our review once more: a present-day model that has read *not* at position 3 must still remember it when *good* comes at position 4.
# **What does it cost to keep a word in mind, and which lines of the file decide that?**
#
# **You will build** a function that works out from its card what a model costs, then shared key heads and a sliding window; optional parts add a gated layer and retraining with few weights.
#
# **You will be able to**
# - read a published configuration, and check its numbers,
# - say what some of its lines save, and what small models lose by them on five seeds,
# - teach your own classifier something new with few weights, and undo it (optional).
#
# **You need** [07_many_heads](07_many_heads.ipynb), [12_cls_classifier](12_cls_classifier.ipynb), [16_cost_and_scale](16_cost_and_scale.ipynb) and [17_a_model_that_writes](17_a_model_that_writes.ipynb).
# **Time:** {minutes} minutes.

# %%
import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # small matrices need no second core

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.layers import silu
from course_utils.models.adapter import adam, key_gradient
from course_utils.models.card_reader import CardWriter, card_of, load_card_writer, load_cards, load_study, right_side
from course_utils.models.own_model import load_mine
from course_utils.pictures.plots import curves, heatmap
from course_utils.sentences import REVIEW
from course_utils.tasks.cls_task import make_task, metrics
from course_utils.tasks.review_grammar import limit
from course_utils.tasks.review_task import make_reviews
from course_utils.tasks.writer_task import writing_rows

# %%
look_back("20")

# %%
leak_test, batched_attention = mine("leak_test", "batched_attention")
attention_gradient, writing_loss = mine("attention_gradient", "writing_loss")

# %% [markdown]
# ## Line by line
#
# **Goal.** Read four published configurations.
#
# Most of the lines below are in a file called `config.json`, and the rest follow from the model's code.
# The page beside that file, which describes the model's data, purpose and faults, is its **model card**; we say *card* for both.

# %%
cards = load_cards()  # course_utils/data/card/cards.toml says where each line was published
lines = "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"
lines += "intermediate_size", "gated", "norm", "vocab_size", "tie_word_embeddings", "rope_theta"
lines += "max_position_embeddings", "sliding_window"
print(f"{'':>23}", *(f"{name:>13}" for name in cards))
for line in lines:
    print(f"{line:>23}", *(f"{card[line]!s:>13}" for card in cards.values()))

# %%
local = [card["layer_types"].count("sliding_attention") for card in cards.values()]
print(f"{'of these have a window':>23}", *(f"{count:>6} layers" for count in local))

# %% [markdown]
# The models are those of [@radford2019], [@jiang2023], [@grattafiori2024] and [@gemma2025].
#
# | line | what it is | yours since |
# |:---|:---|:---|
# | `hidden_size` | $d_{\text{model}}$, how many numbers a token has | 04 |
# | `num_attention_heads`, `head_dim` | the heads, and $d_k$ | 07 |
# | `num_hidden_layers`, `intermediate_size` | the blocks, and $d_{\text{wide}}$ | 11 |
# | `rope_theta`, `max_position_embeddings` | how fast positions turn (0: they are learned), and how many there are | 08 |
# | `num_key_value_heads`, `sliding_window`, `gated`, `norm` | new | this lesson |
# | `vocab_size`, `tie_word_embeddings` | the tokens; does their table also score the next word? | 19, and the last table here |
#
# From these lines you can compute what a model costs.
#
# ### Exercise: `card_costs` · 12 minutes
# `card` is a dict with these lines; its `layer_types` is a list with an entry for each layer.
# Return three whole numbers, for a text of `n` tokens.
#
# 1. **The weights.** A block has `W_Q`, `W_K`, `W_V`, `W_O`, a feed-forward layer of two matrices (three if `gated`), and two norms with a gain for each number of a token; one more norm follows the last block.
#    There are no biases.
#    Each word has a row in the table of the tokens and a column in the matrix that scores the next word; with `tie_word_embeddings` these two tables are one.
# 2. **The bytes of the cache.** Each layer keeps the key and the value of every token that may still be looked at: normally all `n`, but in a layer of the kind `"sliding_attention"` only the last `sliding_window` of them.
#    Each number takes 2 bytes.
# 3. **The multiplications** for one token that looks at the whole cache: those with weight matrices, including the scores of the next word, and those in attention.
#    Looking up a row is free; norms do not count.
#
# All the queries of a token together have `num_attention_heads` times `head_dim` numbers, but its keys only `num_key_value_heads` times `head_dim`.
# `head_dim` need not be `hidden_size / num_attention_heads`.
#
# <details><summary>Hint 1</summary>Begin with one block: <code>W_Q</code> and <code>W_O</code> are the same size, and so are <code>W_K</code> and <code>W_V</code>.</details>
#
# <details><summary>Hint 2</summary>Let a loop over <code>layer_types</code> add up how many tokens are seen across all layers: the cache and attention both need this number.</details>
#
# <details><summary>Hint 3</summary>Comparing a query with a key takes <code>head_dim</code> multiplications, and so does weighting a value.
# How many heads do both?</details>


# %%
def card_costs(card, n):
    # solution
    d, words = card["hidden_size"], card["vocab_size"] * card["hidden_size"]
    queries = card["num_attention_heads"] * card["head_dim"]  # the numbers of all queries of a token
    keys = card["num_key_value_heads"] * card["head_dim"]
    block = 2 * d * queries + 2 * d * keys + (3 if card["gated"] else 2) * d * card["intermediate_size"]
    layers, seen = len(card["layer_types"]), 0
    for kind in card["layer_types"]:
        seen += min(n, card["sliding_window"]) if kind == "sliding_attention" else n
    weights = layers * (block + 2 * d) + d + (words if card["tie_word_embeddings"] else 2 * words)
    return weights, 2 * keys * seen * 2, layers * block + 2 * queries * seen + words
    # end solution


check("card_costs", card_costs)

# %%
card_costs = keep("card_costs")
for name, card in cards.items():
    weights, cache, _ = card_costs(card, len(REVIEW))
    off = weights - card["published"]
    print(f"{name:>13}: {weights:13,} weights, {off:+9,} beside its files; announced as {card['said']:>5}", end="   ")
    print(f"“not” takes {cache / 12 / 1e3:3.0f} kB")

# %% [markdown]
# For Mistral and Llama, your number is right to the last weight.
# Gemma has more norms than we counted, four in a block and one each for queries and keys, and GPT-2 has biases and a table of positions.
# GPT-2's *117M* was an error, which its authors corrected in their repository.
#
# The last column answers our question: Llama keeps 131 kB for one word.

# %%
sizes = 2 ** np.arange(7, 16)  # n = 128, ..., 32768; GPT-2 itself ends at 1,024
cache = {name: [card_costs(card, n)[1] / 1e9 for n in sizes] for name, card in cards.items()}
curves(sizes, cache, xlabel="tokens", ylabel="GB", title="The cache of one text", powers_of_two=True).set_yscale("log")
for name, line in cache.items():
    growth = card_costs(cards[name], 32768)[2] / card_costs(cards[name], 128)[2]  # in multiplications
    print(f"{name:>13}: {line[-1]:6.3f} GB for 32,768 tokens; the next one costs {growth:.1f} times token 129")
plt.show()

# %% [markdown]
# Mistral's line goes flat; Gemma's bends and then rises again, because four of Gemma's layers have no window.
# Which lines of the card keep a cache small?
#
# ## Several queries, one key
#
# **Goal.** Make the cache smaller, and measure what that costs.
#
# A query is thrown away as soon as its token has looked, whereas the token's key and value stay in the cache until the text ends.
# So the key heads are expensive, and nothing says that each query head needs its own.
# With 4 query heads and 2 key heads, query heads 0 and 1 share key head 0, and heads 2 and 3 share key head 1:
#
# $$\text{output}_h = \mathrm{Attention}(Q_h,\; K_{\lfloor h / s \rfloor},\; V_{\lfloor h / s \rfloor}) \qquad s = \frac{n_{\text{heads}}}{n_{\text{kv heads}}} \qquad Q_h, K_g\colon (n, d_k) \quad V_g\colon (n, d_v)$$
#
# This is called **grouped-query attention** ([@ainslie2023]); with one key head for all, it is *multi-query attention* ([@shazeer2019]).
#
# ### Exercise: `shared_key_heads` · 6 minutes
# `Q` is `(…, n_heads, n, d_k)`, `K` is `(…, n_kv_heads, n, d_k)`, `V` is `(…, n_kv_heads, n, d_v)`, and `mask` is `(n, n)`.
# The dots are any leading axes, or none.
# Neighbours share: the first `n_heads / n_kv_heads` query heads share key head 0, the next group shares key head 1, and so on.
# Return the outputs of all query heads, `(…, n_heads, n, d_v)`.
# Call `batched_attention`.
#
# <details><summary>Hint 1</summary>Give <code>batched_attention</code> as many key heads as query heads: repeat each key head for its group.
# Which axis belongs to the heads, counting from the end?</details>
#
# <details><summary>Hint 2</summary><code>np.repeat([0, 1], 2)</code> is 0 0 1 1, and <code>np.tile([0, 1], 2)</code> is 0 1 0 1.</details>


# %%
def shared_key_heads(Q, K, V, mask):
    # solution
    share = Q.shape[-3] // K.shape[-3]
    K, V = np.repeat(K, share, axis=-3), np.repeat(V, share, axis=-3)  # (…, n_heads, n, d)
    return batched_attention(Q, K, V, mask)
    # end solution


check("shared_key_heads", shared_key_heads)

# %% [markdown]
# <details><summary>About the solution</summary>The repeated keys need memory while the function runs, but no room in the cache.</details>
#
# We measure the effect on small models that have two blocks, four heads and 32 numbers per token, and write the reviews of lesson 17.
# They differ in one line of their card, and each kind was trained with five seeds.
# First the cheap method: we average a trained writer's four key heads into one, and its value heads too.

# %%
shared_key_heads = keep("shared_key_heads")
fresh = make_reviews(500, split="held out", seed=1)  # 1,000 reviews that no training here saw
new = writing_rows(fresh)  # (1000, 24): the verdict, the words, padding
best, _ = limit(seed=1)  # nats a word, the limit of lesson 17


# %%
def scores_of(writer, **how):  # of the next word, (1000, 23, 59), the attention by your function
    return writer(new[:, :-1], attend=shared_key_heads, **how)


def above(writer, **how):  # nats a word between a writer and the limit
    return writing_loss(scores_of(writer, **how), new[:, 1:]) - best


# %%
plain, one_head = load_card_writer("plain"), load_card_writer("1 key head")
averaged = dict(plain.arrays)
for name in ("0.W_K", "0.W_V", "1.W_K", "1.W_V"):
    averaged[name] = averaged[name].reshape(32, 4, 8).mean(axis=1)  # four heads of 8 numbers become one
averaged = CardWriter(one_head.card, averaged)
print(f"{above(plain):.3f} nats above the limit with four key heads, {above(averaged):.3f} with their average")

# %%
predict(
    "Another writer had one key head for all four queries from the first step of its training. Compared with the plain one, it is",
    {
        "about as bad as the average": "Those key heads were averaged only after the training.",
        "clearly worse, on every seed": "Compare the two lines of five seeds: do they overlap?",
        "nearly as good": True,
    },
)


# %%
def compare(*variants):  # the five seeds of each kind, and the cache of a review, 23 places
    for variant in variants:
        rows = [row for row in load_study("writers") if row["variant"] == variant]
        found, cache = np.array([row["nats"] for row in rows]) - best, card_costs(card_of(variant), 23)[1]
        print(f"{variant:>18}: {found.min():.3f} to {found.max():.3f} nats above the limit; cache {cache:5,} bytes")


# %%
# answers prediction 1
print(f"one key head, seed 0, through your function: {above(one_head):.3f} nats above the limit")
compare("plain", "2 key heads", "1 key head")

# %% [markdown]
# <details><summary>What came out</summary>
#
# With a quarter of the cache these writers lose nothing that five seeds can show, if they are trained that way from the start.
# Four heads of a small writer say little about the thirty-two of a large one: [@ainslie2023] find a small loss with one key head, and hardly any with eight, as in Llama 3 and Mistral 7B.
#
# </details>
#
# Each query still meets every key, so attention needs as many multiplications as before.
#
# ## Look only nearby
#
# **Goal.** Keep the price of a word the same, however long the text grows.
#
# Even with a cache, word 100,000 has to meet 100,000 keys.
# But what *good* needs is often close by, as *not* is in our review, so a query may look at the last few words only, and the cache forgets the rest.
# This is called a **sliding window** ([@beltagy2020]).
#
# ### Exercise: `window_mask` · 3 minutes
# Return the mask for `n` words, `(n, n)`, bool, True = may look.
# A query looks at itself and the words before it, at no more than `window` words in all: the word itself is one of the `window`.
# `window` is at least 1, and may be larger than `n`.
#
# <details><summary>Hint 1</summary>For query i and key j, <code>i - j</code> says how far back the key is.
# Which of these numbers are allowed?</details>
#
# <details><summary>Hint 2</summary><code>np.arange(n)[:, None] - np.arange(n)</code> contains all these numbers.
# Join two comparisons with <code>&amp;</code>.</details>


# %%
def window_mask(n, window):
    # solution
    back = np.arange(n)[:, None] - np.arange(n)  # (n, n): how far back a key stands
    return (back >= 0) & (back < window)
    # end solution


check("window_mask", window_mask)

# %% [markdown]
# Does a window of 4 make a word blind to everything further back?
# Your `leak_test` from lesson 06 changes each word in turn and reports which outputs change.

# %%
window_mask = keep("window_mask")
X = np.random.default_rng(0).normal(size=(12, 8))  # a vector for each word of the review


def layers(count):  # that many layers of attention with a window of 4, each added to its input
    def attend(X):
        for _ in range(count):
            X = X + batched_attention(X, X, X, window_mask(12, 4))
        return X

    return attend


# %%
predict(
    "Through two layers with a window of 4, how many words back does a word still hear?",
    {
        3: "That is one layer's reach. The second layer looks at words that have already taken in earlier ones.",
        6: "Each layer adds three words, because the news is handed on.",
        8: "The word itself is one of the four, so each layer reaches three words back.",
    },
    answer=lambda: int(leak_test(layers(2), X)[11].sum() - 1),
)

# %%
# answers prediction 2
_, axes = plt.subplots(1, 2, figsize=(13, 5))
for ax, count in zip(axes, (1, 2)):
    moves = leak_test(layers(count), X)  # (n, n): which outputs move when which word changes
    heatmap(moves.astype(float), REVIEW, REVIEW, title=f"what a word hears, layers: {count}", label="moves", ax=ax)
    print(f"layers: {count}   “amazing” hears the {moves[10].sum() - 1} words before it")
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# The reach grows by window − 1 with each layer, because the words it looks at have already taken in earlier ones.
# With 32 layers, Mistral's reach exceeds its longest text.
#
# </details>
#
# But does a writer use such a long path?
# In our reviews the verdict comes first, and a later adjective must obey it, so we ask how much of that adjective's probability lies on the right side.
# A coin would get 0.5.

# %%
reach, every, near = leak_test(layers(2), X)[11].sum() - 1, window_mask(23, 23), window_mask(23, 4)
readers = {"plain": [every, every], "window 4": [near, near], "window 4, then all": [near, every]}
lines = {}  # of each kind, seed 0: the share on the right side, for each distance from the verdict
for variant, masks in readers.items():
    side, back = right_side(scores_of(load_card_writer(variant), masks=masks), fresh)  # (1000,) each
    lines[variant] = [side[back == distance].mean() for distance in range(3, 18)]
    within, beyond = side[back <= reach].mean(), side[back > reach].mean()
    print(f"{variant:>18}: on the right side {within:.2f} within the reach, {beyond:.2f} beyond")

# %%
ax = curves(range(3, 18), lines, xlabel="words from the verdict to the adjective", ylabel="share on the right side")
ax.set_title("Does the adjective obey the verdict?")
print(f"plain, with windows it never learned with: {above(plain, masks=[near, near]):.3f} nats above the limit")
compare("plain", "window 4", "window 4, then all")
plt.show()

# %%
near_by = sorted(row["near"] for row in load_study("writers") if row["variant"] == "window 4")
print("window 4, five seeds, within the reach:", *(f"{share:.2f}" for share in near_by))

# %% [markdown]
# Beyond the reach your leak test found, a writer with two windows can only toss a coin, and no training can change that.
# Within the reach, two of the five seeds score only 0.85, so what can be reached still has to be learned.
# One layer that sees everything solves both problems; Gemma 3 has one after every five.

# %% [markdown]
# ## Optional: teach it something new with few weights
#
# **Goal.** Teach a trained model another question, and undo it.
#
# Training a finished model a little further, on a task of your own, is called **fine-tuning**.
# Your classifier of lesson 12 was trained to say whether the 42 is at position 4; now it should answer for position 2.
# We could train all its 777 weights, but then there would be two models to store, and with Llama's eight billion weights that hurts.
# So we leave a large matrix `W` as it is, and add to it a learned product of two thin matrices:
#
# $$M = \underset{(d,\,k)}{W} + \underset{(d,\,r)}{A}\;\underset{(r,\,k)}{B} \qquad \frac{\partial L}{\partial A} = \frac{\partial L}{\partial M}\, B^\top \qquad \frac{\partial L}{\partial B} = A^\top\, \frac{\partial L}{\partial M}$$
#
# The length $r$ of the axis that `A` and `B` share is called the **rank**, and this method is called **low-rank adaptation**, or **LoRA** ([@hu2021]).
# We change `W_K` so that the keys of position 2 fit the query of `[CLS]`; with $r = 1$ that takes 16 numbers.
# `A` starts with random numbers and `B` with zeros, so nothing changes before the first step.
#
# ### Exercise: `low_rank` · 5 minutes
# `W` is `(d, k)`, `A` is `(d, r)` and `B` is `(r, k)`; `gradient_of` is a function: given a matrix `(d, k)` in place of `W`, it returns the gradient of the loss for that matrix, `(d, k)`.
# Return `(M, dA, dB)`: the matrix that the model uses now, and the gradients for `A` and `B`.
# `W` stays as it is.
#
# <details><summary>Hint 1</summary>Call <code>gradient_of</code> once, on the matrix the model uses now.</details>
#
# <details><summary>Hint 2</summary>Check the formula's shapes: <code>(d, k) @ (k, r)</code> has the shape of <code>A</code>.</details>


# %%
def low_rank(W, A, B, gradient_of):
    # solution
    M = W + A @ B  # (d, k)
    dM = gradient_of(M)  # (d, k)
    return M, dM @ B.T, A.T @ dM
    # end solution


check("low_rank", low_rank)

# %%
low_rank = keep("low_rank")
usual, focused = load_mine("my_classifier", instead="usual"), load_mine("my_focused", instead="focused")
lesson = make_task(500, position=2, decoys=0.5, seed=0)  # with decoys, as in lesson 13
exams = {place: make_task(5000, position=place, decoys=0.5, seed=1) for place in (4, 2)}  # old question, new one


# %%
def grade(name, model):  # balanced accuracy, a coin gets 0.50
    old, new = (metrics(exam.labels, model(exam.tokens).probability).balanced_accuracy for exam in exams.values())
    print(f"{name:>28}: position 4 {old:.2f}   position 2 {new:.2f}")


# %%
def learned(model, rank):  # -> A and B after 200 steps; the gradient of W_K runs through your attention_gradient
    def ask(M):
        return key_gradient(model, *lesson, M, attention_gradient)[0]

    start = np.random.default_rng(0).normal(size=(8, rank)) / 8**0.5, np.zeros((rank, 8))
    return adam(lambda A, B: low_rank(model.W_K, A, B, ask)[1:], start)


# %%
predict(
    "Lesson 13 made a model that gives position 4 all its weight. Does it learn the new question better than the usual one of lesson 12?",
    {
        "yes, because it looks so clearly": "A clear look means a saturated softmax. How much gradient does it leave a position without weight?",
        "no, it does worse on all five seeds": True,
        "neither learns it: 16 numbers of 777 are too few": "They add one direction to the keys, and one may be enough.",
    },
)

# %%
# answers prediction 3
for name, model in (("focused", focused), ("usual", usual)):
    grade(name, model)
    for rank in (1, 8):
        A, B = learned(model, rank)
        changed = model._replace(W_K=model.W_K + A @ B)
        grade(f"{name}, + {A.size + B.size} numbers", changed)
grade("usual, the product taken away", changed._replace(W_K=changed.W_K - A @ B))

# %% [markdown]
# <details><summary>What came out</summary>
#
# The usual model learns the new question with 16 numbers about as well as with 128.
# The focused model begins with a weight of almost 0 on position 2, so hardly any gradient comes back from there at first (lessons 03 and 10).
#
# </details>
#
# Here are five seeds of each, next to models with all 777 weights trained.

# %%
# answers prediction 3
for start, n in (("focused", 16), ("usual", 16), ("usual", 128), ("usual", 777)):
    rows = [row for row in load_study("adapters") if (row["start"], row["weights"]) == (start, n)]
    old, new_one = (" ".join(f"{row[f'{name}_after']:.2f}" for row in rows) for name in ("old", "new"))
    print(f"{start:>7}, {n:3} numbers: position 4: {old}   position 2: {new_one}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Of the five focused models, three learned nothing, and two got part of the way; none did as well as any of the usual ones.
#
# </details>
#
# A model that has learned the new question can only guess at the old one, because it has only one answer to give.
# But the old model is still there, because `W` never changed: take the product away, and it answers as before.

# %% [markdown]
# ## Optional: RMSNorm and a gated layer
#
# **Goal.** Build the other half of a modern block, and compare it with yours from lesson 11.
#
# Two lines of the card are still unexplained.
# `norm`: **RMSNorm** ([@zhang2019]) is a layer norm with no mean subtracted and no bias.
# `gated`: a **gated feed-forward layer** ([@shazeer2020]) multiplies two matrix products number by number, so one decides how much of the other gets through.
#
# $$u = \frac{x}{\sqrt{\mathrm{mean}(x^2) + \varepsilon}} \odot g \qquad x' = x + \big(\mathrm{SiLU}(u\, W_{gate}) \odot (u\, W_{in})\big)\, W_{out} \qquad x, g\colon (d,) \quad W_{gate}, W_{in}\colon (d, d_{wide})$$
#
# ### Exercise: `gated_part` · 6 minutes
# `X` is `(…, d)`, `gain` is `(d,)`, `W_gate` and `W_in` are `(d, d_wide)`, `W_out` is `(d_wide, d)`.
# $\varepsilon$ is 0.001, inside the root.
# `silu`, which is $x$ times its sigmoid, was imported above; like GELU, it works on arrays of any shape.
# Return the tokens after this part, `(…, d)`, including the residual connection.
#
# <details><summary>Hint 1</summary>The mean of the squares runs along the last axis, for each token on its own.</details>
#
# <details><summary>Hint 2</summary>Both products use the normalised tokens, but only one of them goes through <code>silu</code>.
# The residual connection adds the tokens as they came in.</details>


# %%
def gated_part(X, gain, W_gate, W_in, W_out):
    # solution
    size = np.sqrt((X**2).mean(axis=-1, keepdims=True) + 1e-3)  # (…, 1)
    inside = X / size * gain  # (…, d)
    wide = silu(inside @ W_gate) * (inside @ W_in)  # (…, d_wide)
    return X + wide @ W_out
    # end solution


check("gated_part", gated_part)

# %%
gated_part = keep("gated_part")
gated = load_card_writer("gated")
for name, writer in (("plain", plain), ("gated", gated)):
    print(f"{name}: {sum(array.size for array in writer.arrays.values()):,} weights, by your function", end=" ")
    print(f"{card_costs(writer.card, 1)[0]:,}")

# %%
print(f"gated, seed 0, through your function: {above(gated, feed=gated_part):.3f} nats above the limit")
compare("plain", "gated")

# %% [markdown]
# With nearly as many weights (your `card_costs` leaves out biases) and the same recipe, the modern block does as well as yours from lesson 11; this close to the limit, it could hardly do better.
# [@shazeer2020] found that such a layer helps far larger models.

# %% [markdown]
# ## Optional: the rest of a card
#
# | line or name | what it is | which of your parts it changes | read |
# |:---|:---|:---|:---|
# | `rope_theta` | the base of RoPE: a larger one turns the clock hands more slowly, for longer texts | `rotate` (08) | [@su2021] |
# | `num_local_experts` | many feed-forward layers: for each token only the few with the highest scores work, and a softmax weighs what they return | `feed_forward` (11) | [@shazeer2017] |
# | `tie_word_embeddings` | one table for the tokens and for the scores of the next word | `embed` (04), the scores (17) | [@press2016] |
# | `merges` of the tokenizer | pairs of characters that are often neighbours become one token | the tokens (19) | [@sennrich2015] |
# | `top_p` | draw only from the likeliest words that together have this probability | `sample_next` (17) | [@holtzman2019] |
# | `patch_size` | an image cut into squares, each of them a token | `embed` (04): a matrix instead of a table | [@dosovitskiy2020] |
# | `state_size` | no attention: each token updates a state of fixed size | your cache (16): `recurrent` there replaces it | [@gu2023] |

# %% [markdown]
# ## What we now know
#
# - A dozen lines of a card tell you a model's size, memory and cost.
# - Shared key heads shrink the cache: a writer trained that way lost nothing measurable, but one whose heads were averaged afterwards lost a lot.
# - A window makes the price of a word constant; the reach grows by window − 1 with each layer, and beyond it only a layer that sees everything helps.
# - Sixteen numbers taught a classifier another question, and can be taken away again; models with a saturated look learned less, most of them nothing.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@ainslie2023]: how a trained model gets shared key heads, and how little is lost with eight.
# - [@jiang2023]: a card in one table, with the window and cache explained.
# - [@hu2021]: which matrices to adapt, and how low a rank will do.
#
# ## Next question
#
# What would *you* ask a model?
# State a claim, and what would count against it, before you measure.
# Go on with [21_your_question](21_your_question.ipynb).
