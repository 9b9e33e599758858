# %% [markdown]
# # 15 · Learning "not good": does *good* look at *not*?
#
# **You will build** a model with two layers of attention that learns to read reviews.
# Then you cut single looks out of it and watch its verdict.
#
# **You will be able to**
# - make a test that no count of words can pass,
# - measure where a word looks, in each layer and head,
# - cut one look, and say what follows from that and what does not.
#
# **You need** lessons [07](07_many_heads.ipynb), [10](12_cls_classifier.ipynb) and [11](14_reading_attention.ipynb).
# **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils import review_model
from course_utils.checks import check, predict, progress, recap
from course_utils.live_training import LiveTraining
from course_utils.plots import heatmap
from course_utils.review_reader import load_reader, load_study
from course_utils.review_task import SEQ_LEN, VOCABULARY, encode, make_reviews, places
from course_utils.sentences import REVIEW

# %% [markdown]
# ## Reviews with twins
#
# **Goal.** Make reviews that can only be understood in their order.
#
# In lesson [05](05_not_good.ipynb) the vectors were made by hand.
# Now a model shall find its own.
# A small grammar makes its reviews.
# Each has two clauses, in either order: one about the movie, one about something else.
# The label is the verdict **about the movie**: 1 for praise, 0 for blame.
#
# Every review has a **twin**: the same words, and the other label.
# A negation moves to the other clause, or the adjectives change places, or the nouns.

# %%
task = make_reviews(20_000, seed=0)  # pairs to learn from: tokens (40000, 24), labels (40000,)
fresh = make_reviews(2000, split="held out", seed=1)  # new ones: bags of words that the training never has
for i in (10, 11, 56, 57, 82, 83, 118, 119):  # four pairs of twins
    print(int(fresh.labels[i]), " ".join(fresh.reviews[i].words))

# %% [markdown]
# In the first pair *hardly* moved, in the second the adjectives changed places, in the third the nouns.
# A negation stands one to six tokens before its adjective.
# A clause may hold two of them.
# Then the second turns the verdict back: in this grammar *never not brilliant* is praise.
# (Real life is not always like that.)
#
# ### Exercise: `verdict_label` · 4 minutes
# `good` is `(n,)`: 1 where the adjective of the clause is a good word, 0 where it is a bad one.
# `negations` is `(n,)`: how many negations the clause holds.
# Return the verdicts, `(n,)`, of 0 and 1.
#
# <details><summary>Hint 1</summary>Write down the verdicts for 0, 1, 2 and 3 negations.
# What do the even numbers share?</details>
#
# <details><summary>Hint 2</summary><code>negations % 2</code> is 1 where the number is odd.
# There the verdict turns.</details>


# %%
def verdict_label(good, negations):
    # solution
    return (good + negations) % 2  # (n,)
    # end solution


check("verdict_label", verdict_label)

# %% [markdown]
# ## Who counts words
#
# **Goal.** Let the classifier of lesson [00](00_start_here.ipynb) try.
#
# It counts each word of the review, multiplies by a learned weight for the word, and adds up.
# To help it, it learns from one twin of each pair only.

# %%
predict(
    "Its accuracy on new reviews is",
    {
        "about 0.9: good words make a good review": "Each bag of words stands there twice, once as praise and once as blame.",
        "exactly 0.5": True,
        "below 0.5: the negations lead it astray": "It gives both twins one answer. So it is right about one of the two, always.",
    },
)


# %%
def counts(tokens):
    return (tokens[:, :, None] == np.arange(len(VOCABULARY))).sum(axis=1)  # (n, vocabulary)


w = np.linalg.lstsq(counts(task.tokens[::2]), task.labels[::2] - 0.5)[0]  # least squares, from one twin of each pair
says = counts(fresh.tokens) @ w > 0  # (4000,)
print(f"bag of words, accuracy on new reviews: {np.mean(says == fresh.labels):.2f}")

# %% [markdown]
# A coin has 0.50 too, and it gets some pairs right by luck.
# Counting words gets none: it is right about one twin, and wrong about the other.
# So we count pairs.
# Rows `2i` and `2i + 1` are twins.
# A pair is **told apart** if both of its answers are right.
#
# ### Exercise: `twins_told_apart` · 5 minutes
# `labels` and `predictions` are both `(n,)`, of 0 and 1.
# Return the share of the pairs that are told apart.
#
# <details><summary>Hint 1</summary>First find out which answers are right, <code>(n,)</code>.
# Then put two neighbours into one row.</details>
#
# <details><summary>Hint 2</summary><code>.reshape(-1, 2)</code> makes rows of two.
# <code>.all(axis=1)</code> asks whether all of a row are True.</details>


# %%
def twins_told_apart(labels, predictions):
    # solution
    right = predictions == labels  # (n,)
    return right.reshape(-1, 2).all(axis=1).mean()
    # end solution


check("twins_told_apart", twins_told_apart)

# %% [markdown]
# ## Two layers
#
# **Goal.** Train a model that could do it.
#
# 1. Each token has a learned vector.
#    A sinusoid for its position is added, as in lesson [08](08_word_order.ipynb).
# 2. **Layer 0:** every word looks at every word, with three heads.
#    Output and input are added and normalised.
# 3. **Layer 1:** the same again.
#    Only `[CLS]` asks here, since only its row reaches the answer.
#
# That is lesson 12's model with a second layer and more heads.
# Its recipe: both twins of a pair stand in one batch, and training starts with the shortest reviews.
# It takes half a minute.
# The bars show where *good* looks in layer 0, mean of the heads.
# An *epoch* here is a twelfth of the training.


# %%
ours = encode(REVIEW)[None]  # (1, seq_len) = (1, 24): [CLS], 12 tokens, padding
words = ["[CLS]", *REVIEW]
model = review_model.build_reviewer()
live = LiveTraining(epochs=review_model.EPOCHS, keys=words, query="good", highlight=[4])


def redraw(epoch, logs):
    weights = review_model.to_reader(model)(ours).weights  # (1, layers, heads, queries, keys) = (1, 2, 3, 24, 24)
    live.update(epoch, logs, weights[0, 0, :, 5, :13].mean(axis=0))


losses = review_model.train(model, task, **review_model.RECIPE, on_epoch=redraw)
print(f"{model.count_params()} weights   the loss fell below 0.05: {losses[-1] < 0.05}")

# %%
for split in ("held out", "new pairs"):
    test = make_reviews(2000, split=split, seed=1)
    right = ((review_model.predict(model, test.tokens) >= 0.5) == test.labels).reshape(-1, 2)  # (pairs, 2)
    told = right.all(axis=1)  # (pairs,)
    print(f"{split:<10} at least 0.99: accuracy {right.mean() >= 0.99}, twins told apart {told.mean() >= 0.99}")

# %% [markdown]
# In *new pairs*, the noun and the adjective about the movie never met in the training.
# The review itself is such a case: *movie* never was *good* there, and *soundtrack* never *amazing*.
# Change the sentences below, with words from `VOCABULARY`.

# %%
for sentence in (" ".join(REVIEW), "The movie was good , but the soundtrack was not amazing ."):
    p = review_model.predict(model, encode(sentence.split())[None])[0]
    print("praise" if p >= 0.5 else "blame ", " ", sentence)

# %%
study = load_study()  # ten seeds, each trained like yours: nox -s review_study
for name in ("held_out", "held_out_twins", "new_pairs", "new_pairs_twins"):
    found = [run[name] for run in study]
    print(f"{name:<16} {min(found):.4f} to {max(found):.4f}   exactly 1 on {sum(f == 1 for f in found)} of 10 seeds")

# %% [markdown]
# No seed was left out.
# Where it is not exactly 1, one pair of 2,000 was missed.
#
# ## Does *good* look at *not*?
#
# **Goal.** Measure, in each layer and head, on the review.
#
# From here on we read a saved model, seed 0 of the study, so that your numbers are these numbers.
# NumPy runs it, with the attention of lesson 07.

# %%
predict(
    "In layer 0, the head in which good looks most at not gives it a weight of",
    {
        "nearly 1": "No reward asked for a sharp look, and the answer does not need one. Lesson 12 had the same surprise.",
        "nearly a half": True,
        "nearly 0": "Something has to carry the negation. Here a part of it does go this way.",
    },
)

# %%
reader = load_reader()
reading = reader(ours)  # weights: (1, layers, heads, queries, keys) = (1, 2, 3, 24, 24)
fig, axes = plt.subplots(4, 1, figsize=(9.5, 11), sharex=True)
for head in range(3):
    rows = reading.weights[0, 0, head, [4, 5, 11], :13]  # (queries, keys) = (3, 13)
    heatmap(rows, ["not", "good", "amazing"], words, title=f"layer 0, head {head}", vmax=1, ax=axes[head])
    axes[head].set_xlabel("")
    print(f"layer 0, head {head}: good -> not {rows[1, 4]:.2f}   amazing -> not {rows[2, 4]:.2f}")
heads = [f"[CLS], head {head}" for head in range(3)]
heatmap(reading.weights[0, 1, :, 0, :13], heads, words, title="layer 1", vmax=1, ax=axes[3])
plt.show()

# %% [markdown]
# Head 0 of *good* looks at *movie*.
# Head 1 looks at *not*, and elsewhere.
# In layer 1, `[CLS]` looks at *not* and at *good*.
# But *amazing* looks at *not* as well.
# One review is one review, so the next cell takes many: one negation in the clause about the movie, none in the other, like ours.
# We call the words by the names that they have in our review.

# %%
at = [(i, *places(review)) for i, review in enumerate(fresh.reviews)]
at = [(i, m, o) for i, m, o in at if len(m.negations) == 1 and not o.negations]
tokens = fresh.tokens[[i for i, m, o in at]]  # (n, 24)
good, no, amazing = np.array([(m.adjective, m.negations[0], o.adjective) for i, m, o in at]).T  # positions, (n,) each
many, n = reader(tokens), np.arange(len(at))

# %%
print(len(at), "reviews. Mean weights:      head 0  head 1  head 2")
for name, query, key in (("good -> not", good, no), ("amazing -> not", amazing, no), ("not -> good", no, good)):
    print(f"  layer 0  {name:<18}", *(f"{x:7.2f}" for x in many.weights[n, 0, :, query, key].mean(axis=0)))
for name, key in (("[CLS] -> good", good), ("[CLS] -> not", no), ("[CLS] -> amazing", amazing)):
    print(f"  layer 1  {name:<18}", *(f"{x:7.2f}" for x in many.weights[n, 1, :, 0, key].mean(axis=0)))

# %% [markdown]
# ## Cut one look
#
# **Goal.** Take one weight away, and leave all the others to the model.
#
# Few weights of layer 0 are large.
# Do they matter?
# A mask with one False cuts one look, and the row of that query shares out its weight anew.
# Below, the reader makes such masks: we write what it may not use into `hide`, as (layer, head, query, key).
# `None` in place of a head means all heads.
#
# ### Exercise: `cut_edge` · 5 minutes
# Return the mask `(n, n)`, boolean, True = may look, in which every query may look at every key, except `query` at `key`.
#
# <details><summary>Hint 1</summary>Start with a mask in which everything is allowed.
# Rows are queries.</details>
#
# <details><summary>Hint 2</summary><code>np.ones((n, n), dtype=bool)</code> is all True.
# One place becomes False.</details>


# %%
def cut_edge(n, query, key):
    # solution
    mask = np.ones((n, n), dtype=bool)
    mask[query, key] = False
    return mask
    # end solution


check("cut_edge", cut_edge)

# %%
predict(
    "We cut good -> not in our review, in all heads of layer 0. Nothing else changes. The verdict",
    {
        "stays blame: all other words still see not": "They do, and [CLS] as well. But the answer reads good, and it now looks as if nothing stood before it.",
        "turns to praise": True,
        "becomes unsure, near 0.5": "Nothing in the training asked for doubt. The model sees a review that is not negated, and is sure of that.",
    },
)

# %%
for query, key in ((5, 4), (11, 4), (4, 5), (0, 4)):
    name = f"{words[query]} -> {words[key]}"
    p = reader(ours, hide=[(0, None, query, key)]).probability[0]
    verdict = "praise" if p >= 0.5 else "blame "
    print(f"layer 0, cut {name:<15} {verdict}   sure, by more than 99 to 1: {abs(p - 0.5) > 0.49}")

# %%
# The same over all the reviews: in how many does the verdict turn?
others = [(no + step) % SEQ_LEN for step in range(1, SEQ_LEN)]  # every position but that of not, each (n,)
cuts = {
    "good -> not": [(0, None, good, no)],
    "amazing -> not": [(0, None, amazing, no)],
    "not -> good": [(0, None, no, good)],
    "[CLS] -> not, layer 1": [(1, None, 0, no)],
    "good and [CLS] -> not": [(0, None, good, no), (1, None, 0, no)],
    "all -> not": [(None, None, other, no) for other in others],  # in both layers
}
for name, hide in cuts.items():
    after = reader(tokens, hide=hide).probability >= 0.5  # (n,)
    print(f"cut {name:<22} {np.mean(after != (many.probability >= 0.5)):4.0%} of the verdicts turn")

# %% [markdown]
# The look of *good* carries the verdict in our review, and in about half of the others.
# `[CLS]` itself is a second way: cut both, and most verdicts turn.
# The look of *amazing* at *not* has a weight too, and its cut changes nothing.
#
# ## Ten seeds
#
# **Goal.** Ask the question again for each of the ten models.

# %%
predict(
    "One seed has by far the largest weight good -> not. Cutting that look turns",
    {
        "the most verdicts of all seeds": "Weight is how much of a value flows. It does not say whether the layers above use it.",
        "hardly any verdict": True,
        "about half, as for seed 0": "Each seed found a way of its own, and they differ a lot.",
    },
)

# %%
fig, ax = plt.subplots(figsize=(8, 5))
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
# **What follows.** All ten models use *not*: hide it from all other words, and nearly all verdicts turn.
# In some models the look of *good* at *not* is a part of the way.
#
# **What does not follow.**
# - That *good* has to look at *not*.
#   On several seeds the cut turns hardly any verdict, and these models read as well as the others.
#   Seed 0, which we read above, fits the well-known story best of all.
# - That the weight tells you which case you have.
#   It does not.
# - That a look whose cut changes nothing is useless.
#   Another way may take over.
#   To see that, cut both.
# - Anything about English.
#   This is a grammar of 57 tokens, in which two negations always cancel out.
#
# ## What we now know
#
# - Twins make a test that counting cannot pass.
#   A small model with two layers passes it, on ten seeds of ten.
# - It learned *not good* from verdicts alone.
#   Nobody told it where to look.
# - "*good* looks at *not*" is true of some models and some reviews.
#   A cut tells which; a heat map does not.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# Every word looked at every word.
# For 24 tokens that is cheap.
# What does it cost for 24,000?
# That is lesson [16](16_cost_and_scale.ipynb).
