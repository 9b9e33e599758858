# %% [markdown]
# # 15 · Learning "not good": does *good* look at *not*?
#
# *The movie was not good, but the soundtrack was amazing.*
# In lesson [05](05_not_good.ipynb), *good* looked at *not*, with vectors made by hand and in a trained model, but does a verdict depend on that look?
# This time a model has learned *not good* from verdicts alone, and we cut the look.
#
# **You will build** a cut through a single look, a complete reader of reviews, and a function that measures how many verdicts a cut flips.
#
# **You will be able to**
# - cut one look, and see which verdicts flip,
# - run a trained model with functions of your own, and cut it wherever you like,
# - choose a control, and say what a cut does and does not prove.
#
# **You need** [05_not_good](05_not_good.ipynb) and [12_cls_classifier](12_cls_classifier.ipynb) for the first section, which ends the short way and takes 20 minutes.
# The rest also needs [07_many_heads](07_many_heads.ipynb), [11_the_block](11_the_block.ipynb) and [14_reading_attention](14_reading_attention.ipynb).
# **Time:** {minutes} minutes in all, 1 of them while cells run.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import merge_heads
from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import TheMachine
from course_utils.models import review_model
from course_utils.models.review_reader import load_reader, load_study, numbers_in_order
from course_utils.pictures.live_training import LiveTraining, only_live
from course_utils.pictures.plots import heatmap
from course_utils.sentences import REVIEW
from course_utils.tasks.review_task import SEQ_LEN, VOCABULARY, encode, make_reviews, places

bag_of_words, batched_attention = mine("bag_of_words", "batched_attention")

# %%
look_back("15")

# %% [markdown]
# ## Cut one look
#
# **Goal.** Find the look that a verdict depends on, and cut it.
#
# We trained a model on short reviews, telling it only whether each one praises or blames the movie.
# The model has two layers of attention, with three heads side by side in each, and the second layer reads what the first has written.
# The verdict is read from `[CLS]`, the empty seat of lesson [12](12_cls_classifier.ipynb).
# `[CLS]` comes first and shifts every word by one: *not* is now at position 4, and *good* at 5.
# The counter of lesson [00](00_start_here.ipynb) could not tell our review from its twin; can this model?

# %%
seed_0 = load_reader()  # the first of ten models that the course trained
twin = "The movie was good , but the soundtrack was not amazing ."
for text in (REVIEW, twin.split()):
    p = seed_0(encode(text)[None]).probability[0]  # the probability of praise
    print("praise" if p >= 0.5 else "blame ", f"p {p:.2f}  ", *text)

# %% [markdown]
# It can; the next picture shows, head by head, where *good* and *amazing* look in layer 0 and where `[CLS]` looks in layer 1.

# %%
ours, words = encode(REVIEW)[None], ["[CLS]", *REVIEW]  # (1, seq_len) = (1, 24): [CLS], 12 tokens, padding
weights = seed_0(ours).weights[0, :, :, :, :13]  # (layers, heads, queries, keys)
rows = np.concatenate([weights[0, :, 5], weights[0, :, 11], weights[1, :, 0]])  # (9, 13)
askers = ("good, layer 0", "amazing, layer 0", "[CLS], layer 1")
heads = [f"{asker}, head {head}" for asker in askers for head in range(3)]
_, ax = plt.subplots(figsize=(9.5, 4.3))
heatmap(rows, heads, words, title="seed 0, our review", vmax=1, ax=ax)
for head in range(3):
    good_not, amazing_not = weights[0, head, [5, 11], 4]
    print(f"layer 0, head {head}: good -> not {good_not:.2f}   amazing -> not {amazing_not:.2f}")
plt.show()

# %% [markdown]
# Put your finger on the three rows of *good*.
# Head 0 spends practically all its budget on *movie*, head 1 puts somewhat less than half on *not*, and head 2 puts a little on everything.
# Which of these wires carries the negation?
# Staring at the numbers will not tell you, so treat the model like a fuse box: switch off one wire and see which light goes out.

# %%
predict(
    "You cut one look of “good” in layer 0, and nothing else. The verdict on our review turns to praise when you cut",
    {
        "good -> movie in head 0, the strongest": "Its weight is the largest in its row, yet the verdict stays: the negation does not come through this wire.",
        "good -> not in head 1, not even half of the row": True,
        "neither: [CLS] still sees “not” by itself": "It does. But [CLS] also reads “good”, and after the cut “good” comes across as if nothing negated it.",
    },
)

# %% [markdown]
# ### Try it: cut by hand
# The next cell shows head 0 of layer 0 at work on our review.
# - Click the line from *movie* to *good*: what happens to the verdict?
# - Put it back, choose head 1 of layer 0, and click the line from *not* to *good*.
#   What happens to the verdict, and to the verdicts on 100 other reviews built the same way?
# - Put it back, and lower the weight of *not*: does the verdict flip at some point?
# - Type *The soundtrack was amazing, but the movie was not good.* and choose *good*, then cut the same line.
#   How many of the other verdicts flip?

# %%
hand = TheMachine(seed_0, layer=0, head=0, query=5, key=2)  # hand.log: what you tried
hand

# %% [markdown]
# A click cuts one look in the review you see.
# For hundreds of reviews you need a mask: where it is False, the key gets nothing, and the query divides its budget among the other keys.
#
# $$w_{ij} = \frac{m_{ij}\, e^{s_{ij}}}{\sum_k m_{ik}\, e^{s_{ik}}} \qquad s, m, w\colon (n, n) \qquad m_{ij} = 0 \text{ where a look is cut, else } 1$$
#
# ### Exercise: `cut_edge` · 3 minutes
# Return the boolean mask `(n, n)`, True = may look, in which every query may look at every key, except `query` at `key`.
#
# <details><summary>Hint 1</summary>Start with a mask in which everything is allowed.
# Each row belongs to a query.</details>
#
# <details><summary>Hint 2</summary><code>np.ones((n, n), dtype=bool)</code> is all True.
# Then one entry has to become False.</details>


# %%
def cut_edge(n, query, key):
    # solution
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] = False
    return mask
    # end solution


check("cut_edge", cut_edge)

# %%
cut_edge = keep("cut_edge")


def attend(Q, K, V, mask):
    identity = np.broadcast_to(np.eye(SEQ_LEN, dtype=V.dtype), (*K.shape[:-1], SEQ_LEN))  # as in lesson 14
    weights = batched_attention(Q, K, identity, mask)  # (batch, n_heads, n, n)
    return weights @ V, weights


def reading_with(reader, *layers):  # a function read(tokens, masks): the masks hold in these layers
    def read(tokens, masks):  # masks (n_reviews, n, n)
        cut = {layer: lambda Q, K, V, mask: attend(Q, K, V, mask & masks[:, None]) for layer in layers}
        return reader(tokens, attention={0: attend, 1: attend} | cut).probability  # (n_reviews,)

    return read


# %%
# answers prediction 1
def cut_ours(reader):  # in all heads of layer 0
    for query, key in ((5, 2), (5, 4), (11, 4), (4, 5), (0, 4)):
        p = reading_with(reader, 0)(ours, cut_edge(SEQ_LEN, query, key)[None])[0]
        yield f"layer 0, cut {words[query] + ' -> ' + words[key]:<15} {'praise' if p >= 0.5 else 'blame '}  p {p:.2f}"


print("seed 0", *cut_ours(seed_0), sep="\n")

# %% [markdown]
# <details><summary>What came out</summary>
#
# ![](../images/machine_15.svg)
#
# One False, and the model takes *not good* for praise: this verdict depends on a look like our hand-made one in lesson 05, but this one is learned.
# It was not the strongest of *good*'s looks, and lesson [14](14_reading_attention.ipynb) shows why weights alone could not have told you which wire mattered.
# But this was one review: with the clauses swapped, the same cut left the verdict as it was and flipped fewer of the other verdicts.
#
# </details>
#
# **The short way ends here**: you have come from two lists of numbers to a wire in a model that reads *not good*, and cut it with a line of your own.
# The rest asks whether this finding holds for hundreds of reviews and for ten models.
#
# ## Reviews with twins
#
# **Goal.** Make reviews that nobody can judge without knowing the order of the words.
#
# Now you train such a model yourself, on reviews that a small grammar builds from 57 tokens.
# Each review has two clauses, in either order: one is about the movie, the other about something else.
# The label is the verdict **about the movie**, 1 for praise and 0 for blame.
# Every review has a **twin** with the same words and the opposite label: either a negation moves to the other clause, or the adjectives or the nouns are swapped.

# %%
print(*VOCABULARY)
task = make_reviews(20_000, seed=0)  # pairs to learn from, (40000, 24)
fresh = make_reviews(2000, split="held out", seed=1)  # with other bags of words
for i in (10, 11, 56, 57, 82, 83, 118, 119):  # four pairs of twins
    print(int(fresh.labels[i]), " ".join(fresh.reviews[i].words))

# %% [markdown]
# A negation comes one to six tokens before its adjective; here two in a clause cancel: *never not brilliant* is praise.
#
# How do we score a reader of such reviews?
# We count pairs: rows `2i` and `2i + 1` are twins, and we call a pair **told apart** if both answers are right.

# %% [markdown]
# ## Optional: count the pairs
#
# ### Exercise: `twins_told_apart` · 4 minutes
# `labels` and `predictions` are both `(n,)`, made of 0s and 1s.
# Return the share of pairs that are told apart.
#
# <details><summary>Hint 1</summary>First find out which answers are right, <code>(n,)</code>.
# Then put each pair into its own row.</details>
#
# <details><summary>Hint 2</summary><code>.reshape(-1, 2)</code> makes rows of two.
# <code>.all(axis=1)</code> checks whether all entries of a row are True.</details>


# %%
def twins_told_apart(labels, predictions):
    # solution
    right = predictions == labels  # (n,)
    return right.reshape(-1, 2).all(axis=1).mean()
    # end solution


check("twins_told_apart", twins_told_apart)

# %%
twins_told_apart = keep("twins_told_apart")
coin = np.random.default_rng(0).integers(0, 2, size=len(fresh.labels))
print(f"a coin: twins told apart {twins_told_apart(fresh.labels, coin):.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>Reshaping puts the two answers of a pair side by side.
# <code>(right[::2] &amp; right[1::2]).mean()</code> does the same.</details>

# %% [markdown]
# ## Optional: let the counter of lesson 00 try
#
# Give the counter one more chance: your `bag_of_words` counts the words of each review, and a classifier adds up the counts, each multiplied by a learned weight.
# To help it, we train it on one twin from each of 4,000 pairs, because seeing both twins would make all its weights 0.

# %%
predict(
    "Its accuracy on new reviews is",
    {
        "about 0.9: good words make a good review": "Each bag of words occurs twice, once as praise and once as blame.",
        "exactly 0.5": True,
        "below 0.5: the negations lead it astray": "It gives both twins the same answer. So it is always right about exactly one of the two.",
    },
)


# %%
def counts(reviews):
    return np.array([bag_of_words(list(review.words), list(VOCABULARY)) for review in reviews])


# %%
# answers prediction 2
w = np.linalg.lstsq(counts(task.reviews[:8000:2]), task.labels[:8000:2] - 0.5)[0]  # (n_words,)
says = (counts(fresh.reviews) @ w > 0).astype(int)  # (4000,)
share = twins_told_apart(fresh.labels, says)
print(f"bag of words: accuracy on new reviews {np.mean(says == fresh.labels):.2f}   twins told apart {share:.2f}")

# %% [markdown]
# ## Two layers
#
# **Goal.** Train a reader of your own.
#
# What does lesson 12's model need to read a review?
# It needs longer vectors, three heads, sinusoids instead of learned positions ([08](08_word_order.ipynb)) and a second layer, where only `[CLS]` looks, because only its row reaches the answer.
# Watch where *good* looks in layer 0 and whether the verdict on our review flips.

# %%
seed = 1  # take any other whole number
model = review_model.build_reviewer(seed=seed)
study = load_study()  # ten seeds, each trained like yours, on reviews of its own: nox -s review_study
recorded = f"ten runs of the course: twins told apart {min(run['held_out_twins'] for run in study):.4f} or more"
live = LiveTraining(epochs=review_model.EPOCHS, keys=words, query="good", highlight=[4], recorded=recorded)


def redraw(epoch, logs):
    reader = review_model.to_reader(model)
    right = np.mean((reader(fresh.tokens[:400]).probability >= 0.5) == fresh.labels[:400])
    now = reader(ours)  # weights: (1, layers, heads, queries, keys) = (1, 2, 3, 24, 24)
    verdict = f"our review: {'praise' if now.probability[0] >= 0.5 else 'blame'}, p {now.probability[0]:.2f}"
    live.update(epoch, logs | {"accuracy": right}, now.weights[0, 0, :, 5, :13].mean(axis=0), says=verdict)


losses = review_model.train(model, task, **review_model.RECIPE, seed=seed, on_epoch=redraw)
print(f"{model.count_params()} weights, loss of the last epoch {losses[-1]:.1f}")

# %%
for split in ("held out", "new pairs"):
    test = make_reviews(2000, split=split, seed=1)
    says = (review_model.predict(model, test.tokens) >= 0.5).astype(int)  # (4000,)
    share = twins_told_apart(test.labels, says)
    print(f"{split:<10} accuracy {np.mean(says == test.labels):.2f}   twins told apart {share:.2f}")

# %%
for name in ("held_out", "held_out_twins", "new_pairs", "new_pairs_twins"):
    found = [run[name] for run in study]
    print(f"{name:<16} {min(found):.4f} to {max(found):.4f}   exactly 1 on {sum(f == 1 for f in found)} of 10 seeds")

# %% [markdown]
# In *new pairs*, the noun and the adjective about the movie never shared a clause in training, and neither did *movie* and *good* from our review.
# No seed was left out, and each figure below 1 means one missed pair in 2,000.

# %%
# answers prediction 1
yours = review_model.to_reader(model)
only_live("\n".join(["your model", *cut_ours(yours)]), recorded="\n".join(["seed 0", *cut_ours(seed_0)]))

# %% [markdown]
# ## Read it yourself
#
# **Goal.** Run the trained model with your own functions.
#
# You have written all the model's parts (positions, heads, attention with a mask, the norm), so you can read it line by line.
# Each of its two layers adds to every vector what the heads have collected, and normalises the sum:
#
# $$X \leftarrow \mathrm{LN}\big(X + \mathrm{merge}(\text{heads})\, W_O + b_O\big) \qquad X\colon (n, d_{\text{model}}) \quad \text{heads}\colon (n_{\text{heads}}, n, d_k)$$
#
# The model has no feed-forward layer, and a sigmoid turns its last number into a probability.

# %%
split_heads, layer_norm, positions_of = mine("split_heads", "layer_norm", "sinusoidal_positions")


def numbers_of(reader):  # a trained model as the arguments of your function, in their order
    E, *others = numbers_in_order(reader)
    return E, 0.5 * positions_of(SEQ_LEN, 24), *others  # positions half as long as those of lesson 08


print("E, P, W, b, gains, biases, answer:", *(part.shape for part in numbers_of(seed_0) if np.ndim(part)))

# %% [markdown]
# ### Exercise: `read_review` · 12 minutes
# Return one number: the probability of praise that the model gives to one review.
# `tokens` is `(n,)`: the number 0 is [CLS] and comes first; the number 1 is padding, and nobody looks at it, wherever it is.
# (A padding token still looks, as in lesson 06, but its row is not used.)
# The answer is read from the row of [CLS].
# `masks` is `(n_layers, n, n)`, bool, True = may look: one mask for each layer; each mask leaves every token at least one real token to look at.
# `E` is `(vocab_size, d_model)`, and `P` has at least `n` rows.
# `W` is `(n_layers, 4, d_model, d_model)`, in the order `W_Q`, `W_K`, `W_V`, `W_O`; `b`, `(n_layers, 4, d_model)`, contains the biases of the four products, in the same order.
# Every layer has `n_heads` heads, and a norm with its own row of `gains` and `biases`, both `(n_layers, d_model)`.
# The epsilon of the norm is 1e-12, not the default of `layer_norm`.
# `merge_heads`, imported above, turns `(n_heads, n, d_k)` into `(n, d_model)`.
# `answer` is `(d_model,)`, and `answer_bias` is one number.
#
# <details><summary>Hint 1</summary>Before the loop you need X, <code>(n, d_model)</code>, and after it a single row of X.
# The loop over the layers replaces X by the X that the next layer reads.</details>
#
# <details><summary>Hint 2</summary>A layer has four steps: <code>split_heads</code> on the three products, your <code>batched_attention</code>, the last matrix on <code>merge_heads(heads)</code>, which is <code>(n, d_model)</code>, and <code>layer_norm</code> on a sum.</details>
#
# <details><summary>Hint 3</summary>A query may look at a key where the layer's mask <i>and</i> <code>tokens != 1</code> are True; NumPy lines the two up along the last axis, the keys.</details>


# %%
def read_review(tokens, masks, E, P, W, b, gains, biases, n_heads, answer, answer_bias):
    # solution
    X = E[tokens] + P[: len(tokens)]  # (n, d_model)
    for layer in range(len(W)):
        Q, K, V = (split_heads(X @ W[layer, k] + b[layer, k], n_heads) for k in range(3))  # (n_heads, n, d_k) each
        heads = batched_attention(Q, K, V, masks[layer] & (tokens != 1))  # (n_heads, n, d_k)
        looked = merge_heads(heads) @ W[layer, 3] + b[layer, 3]  # (n, d_model)
        X = layer_norm(X + looked, gains[layer], biases[layer], 1e-12)
    z = X[0] @ answer + answer_bias
    return 1 / (1 + np.exp(-z))
    # end solution


check("read_review", read_review)

# %%
# answers prediction 1
read_review = keep("read_review")


def read_with(reader, *layers):  # as reading_with, with your own model: the masks hold in these layers
    numbers, others = numbers_of(reader), ~np.isin((0, 1), layers)[:, None, None]  # (n_layers, 1, 1)

    def read(tokens, masks):
        return np.array([read_review(one, mask | others, *numbers) for one, mask in zip(tokens, masks)])

    return read


everything = np.ones((200, SEQ_LEN, SEQ_LEN), dtype=bool)
yours_of, course_of = read_with(seed_0, 0)(fresh.tokens[:200], everything), seed_0(fresh.tokens[:200]).probability
print(f"200 reviews: largest difference from the course's reader {np.abs(yours_of - course_of).max():.6f}")
for name, mask in (("nothing cut", everything[0]), ("cut good -> not", cut_edge(SEQ_LEN, 5, 4))):
    print(f"our review, {name:<15}  p {read_with(seed_0, 0)(ours, mask[None])[0]:.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>Only row 0 of the last X is read, so in the last layer all the other queries look in vain; training leaves them out, but here they cost little.</details>
#
# You get the same numbers, and the cut has the same effect, in a model whose every line you now know.

# %% [markdown]
# ## Hundreds of reviews
#
# **Goal.** Use controls to find out how far the finding reaches.
#
# The next cells take many reviews built like ours: one negation in the clause about the movie, and none in the other.
# We name their words as in our review: *good* is the adjective about the movie, *amazing* the other adjective, and *not* the negation.

# %%
at = [(i, *places(review)) for i, review in enumerate(fresh.reviews)]
at = [(i, m, o) for i, m, o in at if len(m.negations) == 1 and not o.negations]
tokens = fresh.tokens[[i for i, m, o in at]]  # (n, 24)
good, no, amazing = np.array([(m.adjective, m.negations[0], o.adjective) for _, m, o in at]).T


# %%
def table(reader):
    seen, n = reader(tokens, attention=attend).weights, np.arange(len(tokens))
    for name, query in (("good -> not", good), ("amazing -> not", amazing)):
        yield f"layer 0  {name:<16}" + "".join(f"{w:7.2f}" for w in seen[n, 0, :, query, no].mean(axis=0))
    for name, key in (("[CLS] -> good", good), ("[CLS] -> not", no), ("[CLS] -> amazing", amazing)):
        yield f"layer 1  {name:<16}" + "".join(f"{w:7.2f}" for w in seen[n, 1, :, 0, key].mean(axis=0))


print(f"seed 0, mean weights over {len(tokens)} reviews, heads 0, 1, 2", *table(seed_0), sep="\n")
only_live("\n".join(["your model, the same reviews", *table(yours)]))

# %% [markdown]
# How many verdicts depend on each of these looks?
#
# ### Exercise: `turned_by_cut` · 7 minutes
# Return the share of reviews whose verdict flips when you cut some looks in each.
# `read(tokens, masks)` gives the probability of praise for each review, `(n_reviews,)`.
# `tokens` is `(n_reviews, n)`, and `masks` has to be `(n_reviews, n, n)`, bool, True = may look.
# `queries` and `keys` are both `(n_reviews, n_cuts)`: in review i, cut the look from `queries[i, c]` to `keys[i, c]`, for every c.
# A probability of 0.5 or more means praise; compare each verdict with the one before the cut.
#
# <details><summary>Hint 1</summary>Begin with masks that are True everywhere, and change them in two loops, one over the reviews and one over the cuts in each.
# Then call <code>read</code> twice.</details>
#
# <details><summary>Hint 2</summary>Each cut takes something away from the mask of its review: <code>masks[i] &amp;= cut_edge(n, query, key)</code>.
# At the end, take the mean of <code>before != after</code>.</details>


# %%
def turned_by_cut(read, tokens, queries, keys):
    # solution
    n_reviews, n = tokens.shape
    uncut = np.ones((n_reviews, n, n), dtype=bool)
    cut = uncut.copy()
    for i in range(n_reviews):
        for query, key in zip(queries[i], keys[i]):
            cut[i] &= cut_edge(n, query, key)
    before, after = read(tokens, uncut) >= 0.5, read(tokens, cut) >= 0.5  # each (n_reviews,)
    return np.mean(before != after)
    # end solution


check("turned_by_cut", turned_by_cut)

# %% [markdown]
# <details><summary>About the solution</summary><code>read</code> gets the masks of all reviews in one call, and the loops only write False.
# <code>cut[np.arange(n_reviews)[:, None], queries, keys] = False</code> replaces both loops.</details>
#
# Suppose you cut *good -> not* and say: *the verdict depends on good looking at not*.
# Is that proven?
# Three people doubt it, and each could be right:
#
# 1. "Cutting any other look at *not* would have done the same, whoever looks."
# 2. "Any other cut in the row of *good* would have done the same, wherever *good* looks."
# 3. "In my review the verdict stayed the same, so my model does not use *not*."

# %%
predict(
    "Which cut answers the first doubt?",
    {
        "not -> good": "This cut has a different query and a different key. If its effect differs, which change was the reason?",
        "good -> movie": "This cut keeps the query and changes the key, so it answers the second doubt.",
        "amazing -> not": True,
    },
)

# %%
turned_by_cut = keep("turned_by_cut")
movie = np.array([m.noun for i, m, o in at])  # (n,)
others = (no[:, None] + np.arange(1, SEQ_LEN)) % SEQ_LEN  # (n, 23): every position but that of not
first = np.zeros((len(tokens), 1), dtype=int)  # (n, 1): the position of [CLS]
cuts = {  # layers, queries, keys
    "good -> not": ((0,), good[:, None], no[:, None]),
    "amazing -> not": ((0,), amazing[:, None], no[:, None]),
    "good -> movie": ((0,), good[:, None], movie[:, None]),
    "[CLS] -> not, layer 1": ((1,), first, no[:, None]),
    "good, [CLS] -> not": ((0, 1), np.c_[good, first], np.c_[no, no]),
    "all -> not": ((0, 1), others, np.tile(no[:, None], SEQ_LEN - 1)),
}


# %%
# answers prediction 3
def cut_all(reader):
    for name, (layers, queries, keys) in cuts.items():
        share = turned_by_cut(read_with(reader, *layers), tokens, queries, keys)
        yield f"cut {name:<22} {share:4.0%} of the verdicts turn"


print("seed 0", *cut_all(seed_0), sep="\n")
only_live("\n".join(["your model", *cut_all(yours)]))

# %% [markdown]
# <details><summary>What came out</summary>
#
# *amazing -> not* keeps the key and answers the first doubt, *good -> movie* keeps the query and answers the second, and *all -> not* answers the third, because it leaves no path from *not* to the verdict.
# In seed 0 *good*'s look carries the verdict in our review and in about half of the others; the first two controls flip few verdicts or none, so both the query and the key matter.
# `[CLS]`'s own look is a second path: cut both looks, and most verdicts flip.
#
# </details>
#
# ## Ten seeds
#
# **Goal.** Ask the same question of all ten models.

# %%
predict(
    "One seed has by far the largest weight good -> not. Cutting that look turns",
    {
        "the most verdicts of all seeds": "A weight says how much of a value flows. It does not say whether the next layer uses it.",
        "hardly any verdict": "This model reads as well as the others, yet it hardly needs this look: the weight does not tell you.",
        "about half, as for seed 0": "Each seed found a way of its own, and the seeds differ a lot.",
    },
    answer="hardly any verdict",
)

# %%
# answers prediction 4
_, ax = plt.subplots(figsize=(8, 3.8))
for name, end, marker in (("good -> not", "", "o"), ("amazing -> not", "_amazing", "s")):
    weights, turned = ([run[what + end] for run in study] for what in ("weight", "turned"))
    ax.plot(weights, turned, marker, markersize=10, alpha=0.7, label=name)
    print(f"{name:<15} turned {min(turned):.2f} to {max(turned):.2f}", end="   ")
    print(f"with the largest weight, {max(weights):.2f}: turned {turned[np.argmax(weights)]:.2f}")
ax.set(xlabel="mean weight, in the head that has most", ylabel="share of verdicts that turn")
ax.set(xlim=(0, 0.4), ylim=(-0.03, 0.7), title="Ten seeds: the weight, and what its cut does")
ax.legend(loc="upper left")
idle, most = sum(run["turned"] < 0.01 for run in study), max(study, key=lambda run: run["turned"])
print(f"good -> not     turned below 0.01 on {idle} of 10 seeds, most on seed {most['seed']:.0f}")
print(f"all -> not      turned above 0.9 on {sum(run['turned_hidden'] > 0.9 for run in study)} of 10 seeds")
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# **What follows.** All ten models use *not*, because hiding it flips nearly all verdicts, and in some models part of the negation comes from *good* looking at *not*.
#
# **What does not follow.**
# - That *good* has to look at *not*.
#   With four of the seeds the cut flips hardly any verdicts, yet these models read as well as all the others.
#   *A First Look at Self-Attention* says that self-attention "can discover" that *not* modifies *good* "while leaving “amazing” untouched".
#   It can: in seed 0 the cut *good -> not* flips more verdicts than in any other seed, and *amazing -> not* flips none.
# - That the weight tells you which kind of model you have.
# - Anything about English: this is a grammar of 57 tokens, in which two negations always cancel out.
#
# </details>
#
# ## What we now know
#
# - Twins make a test that no word counter can pass, and with all ten seeds a small model learned to pass it from verdicts alone.
# - In some models and reviews the verdict depends on *good*'s look at *not*, and a cut tells you which.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@clark2019]: where the heads of a large model look, counted over many sentences.
# - [@jain2019]: what happens to the answers when attention weights change.
#
# ## Next question
#
# Letting every word look at every word is cheap for 24 tokens.
# What does it cost for 24,000?
# Lesson [16](16_cost_and_scale.ipynb) finds out.
