# %% [markdown]
# # 15 · Learning "not good": does *good* look at *not*?
#
# **You will build** a model with two layers of attention that learns to read reviews.
# Then you cut single looks out of it and watch its verdict.
#
# **You will be able to**
# - make a test that no count of words can pass,
# - measure where a word looks, in each layer and head,
# - cut one look, choose the control, and say what follows and what does not.
#
# **You need** [07_many_heads](07_many_heads.ipynb), [12_cls_classifier](12_cls_classifier.ipynb) and [14_reading_attention](14_reading_attention.ipynb).
# **Time:** {minutes} minutes, 1 of them while cells run.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import CutByHand
from course_utils.models import review_model
from course_utils.models.review_reader import load_reader, load_study
from course_utils.pictures.live_training import LiveTraining, only_live
from course_utils.pictures.plots import heatmap
from course_utils.sentences import REVIEW
from course_utils.tasks.review_task import GOOD, NEGATIONS, SEQ_LEN, VOCABULARY, encode, make_reviews, places

# %%
look_back("15")

# %%
bag_of_words, batched_attention = mine("bag_of_words", "batched_attention")

# %% [markdown]
# ## Reviews with twins
#
# **Goal.** Make reviews that can only be understood in their order.
#
# In lesson [05](05_not_good.ipynb) the vectors were made by hand.
# Now a model finds its own.
# A small grammar makes its reviews, from these 57 tokens.
# Each review has two clauses, in either order: one about the movie, one about something else.
# The label is the verdict **about the movie**: 1 for praise, 0 for blame.
#
# Every review has a **twin**: the same words, and the other label.
# A negation moves to the other clause, or the adjectives change places, or the nouns do.

# %%
print(*VOCABULARY)
task = make_reviews(20_000, seed=0)  # pairs to learn from, (40000, 24)
fresh = make_reviews(2000, split="held out", seed=1)  # with other bags of words
for i in (10, 11, 56, 57, 82, 83, 118, 119):  # four pairs of twins
    print(int(fresh.labels[i]), " ".join(fresh.reviews[i].words))

# %% [markdown]
# In the first pair *hardly* moved; in the second the adjectives changed places, in the third the nouns.
# A negation stands one to six tokens before its adjective.
# A clause may hold two of them.
# Then the second turns the verdict back: in this grammar *never not brilliant* is praise.
# (Real life is not always like that.)
#
# ### Exercise: `verdict_label` · 3 minutes
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

# %%
verdict_label = keep("verdict_label")


def labelled(reviews):
    about = [review.first if review.movie_first else review.second for review in reviews.reviews]
    good = np.array([int(clause.adjective in GOOD) for clause in about])  # (n,)
    negations = np.array([sum(word in NEGATIONS for word in clause.middle) for clause in about])  # (n,)
    return reviews._replace(labels=verdict_label(good, negations))


def counts(reviews):
    return np.array([bag_of_words(list(review.words), list(VOCABULARY)) for review in reviews])


task, fresh = labelled(task), labelled(fresh)
print("labels from your verdicts:", *fresh.labels[[10, 11, 56, 57, 82, 83, 118, 119]])

# %% [markdown]
# <details><summary>About the solution</summary>Each negation turns the verdict, and two turns cancel out, so only odd and even matter.
# <code>np.where(negations % 2, 1 - good, good)</code> says the same, case by case.</details>
#
# ## Counting words
#
# **Goal.** Let the classifier of lesson [00](00_start_here.ipynb) try.
#
# Your `bag_of_words` counts each word of the review.
# The classifier multiplies each count by a learned weight, and adds up.
# To help it, we give it only one twin of each pair, from 4,000 pairs: from both twins all its weights would come out as 0.

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
# answers prediction 1
w = np.linalg.lstsq(counts(task.reviews[:8000:2]), task.labels[:8000:2] - 0.5)[0]  # (n_words,)
says = (counts(fresh.reviews) @ w > 0).astype(int)  # (4000,)
print(f"bag of words, accuracy on new reviews: {np.mean(says == fresh.labels):.2f}")

# %% [markdown]
# Such an accuracy does not say whether any twins were told apart: a coin gets some pairs right, by luck.
# So we count pairs.
# Rows `2i` and `2i + 1` are twins.
# A pair is **told apart** if both of its answers are right.
#
# ### Exercise: `twins_told_apart` · 4 minutes
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

# %%
twins_told_apart = keep("twins_told_apart")
coin = np.random.default_rng(0).integers(0, 2, size=len(fresh.labels))
for name, answers in (("bag of words", says), ("a coin", coin)):
    print(f"{name:<13} twins told apart {twins_told_apart(fresh.labels, answers):.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>Reshaping puts the two answers about a pair side by side.
# <code>(right[::2] &amp; right[1::2]).mean()</code> does the same with two slices.</details>
#
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
# That is lesson 12's model with a second layer, more heads, longer vectors, and sinusoids in place of learned positions.
# Its attention is bidirectional, as in lesson 05: every word looks at words before and behind it.
# Both twins of a pair stand in one batch, and training starts with the shortest reviews.
# The training takes half a minute.
# The bars show where *good* looks in layer 0, on average over the heads.
# Below them stands what the model says of our review; watch whether the verdict flips.
# An *epoch* here is a twelfth of the training.

# %%
ours = encode(REVIEW)[None]  # (1, seq_len) = (1, 24): [CLS], 12 tokens, padding
words = ["[CLS]", *REVIEW]
seed = 1  # take any other whole number
model = review_model.build_reviewer(seed=seed)
live = LiveTraining(epochs=review_model.EPOCHS, keys=words, query="good", highlight=[4])


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
    test = labelled(make_reviews(2000, split=split, seed=1))
    says = (review_model.predict(model, test.tokens) >= 0.5).astype(int)  # (4000,)
    told = twins_told_apart(test.labels, says)
    print(f"{split:<10} accuracy {np.mean(says == test.labels):.2f}   twins told apart {told:.2f}")

# %%
study = load_study()  # ten seeds, each trained like yours, on reviews of its own: nox -s review_study
for name in ("held_out", "held_out_twins", "new_pairs", "new_pairs_twins"):
    found = [run[name] for run in study]
    print(f"{name:<16} {min(found):.4f} to {max(found):.4f}   exactly 1 on {sum(f == 1 for f in found)} of 10 seeds")

# %% [markdown]
# In *new pairs*, the noun and the adjective about the movie never shared a clause in the training.
# The review itself is such a case: *movie* and *good* never shared a clause there, nor did *soundtrack* and *amazing*.
# The ten models have the seeds 0 to 9, and none was left out.
# Where a figure is not exactly 1, the model missed one pair out of 2,000.
#
# ## Does *good* look at *not*?
#
# **Goal.** Measure it on the review, in each layer and head.
#
# Your model, which began with another seed, and the course's seed 0 are read side by side, in NumPy, by your `batched_attention`.
# Where a cell measures your own model too, its numbers stand below when you run it; seed 0 gives the same numbers on every machine.

# %%
predict(
    "In layer 0 of seed 0, the head in which good looks most at not gives it a weight of",
    {
        "nearly 1": "No reward asked for a sharp look, and the answer does not need one. Lesson 12 had the same surprise.",
        "nearly a half": True,
        "nearly 0": "Something has to carry the negation. Here a part of it does go this way.",
    },
)


# %%
def attend(Q, K, V, mask):
    identity = np.broadcast_to(np.eye(SEQ_LEN, dtype=V.dtype), (*K.shape[:-1], SEQ_LEN))  # as in lesson 14
    weights = batched_attention(Q, K, identity, mask)  # (batch, n_heads, n, n)
    return weights @ V, weights


yours, seed_0 = review_model.to_reader(model), load_reader()

# %%
# answers prediction 2
weights = seed_0(ours, attention=attend).weights[0, :, :, :, :13]  # (layers, heads, queries, keys)
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
# Head 0 of *good* looks at *movie*.
# Head 1 looks at *not*, and elsewhere.
# In layer 1, `[CLS]` looks at *not* and at *good*.
# But *amazing* looks at *not* as well.
# One review is one review, so the next cells take many that are built like ours: one negation in the clause about the movie, none in the other.
# We call their words by the names from our review: *good* is the adjective about the movie, *amazing* the other one, *not* the negation.

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
# ## Cut one look
#
# **Goal.** Take one weight away, and leave all the others to the model.
#
# The mean weights of layer 0 are small.
# Do they matter?
# A mask with one False cuts one look, and the row of that query shares out its weight anew:
#
# $$w_{ij} = \frac{m_{ij}\, e^{s_{ij}}}{\sum_k m_{ik}\, e^{s_{ik}}} \qquad s, m, w\colon (n, n) \qquad m_{ij} = 0 \text{ where a look is cut, else } 1$$
#
# ### Exercise: `cut_edge` · 3 minutes
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
    "We cut good -> not in our review, in all heads of layer 0 of seed 0. Nothing else changes. The verdict",
    {
        "stays blame: all other words still see not": "They do, and [CLS] as well. But the answer reads good, and it now looks as if no negation stood before it.",
        "turns to praise": True,
        "becomes unsure, near 0.5": "Nothing in the training asked for doubt. The model sees a review that is not negated, and is sure of that.",
    },
)


# %%
def reading_with(reader, *layers):  # a function read(tokens, masks): the masks hold in these layers
    def read(tokens, masks):  # masks (n_reviews, n, n)
        cut = {layer: lambda Q, K, V, mask: attend(Q, K, V, mask & masks[:, None]) for layer in layers}
        return reader(tokens, attention={0: attend, 1: attend} | cut).probability  # (n_reviews,)

    return read


# %%
# answers prediction 3
cut_edge = keep("cut_edge")


def cut_ours(reader):
    for query, key in ((5, 4), (11, 4), (4, 5), (0, 4)):
        p = reading_with(reader, 0)(ours, cut_edge(SEQ_LEN, query, key)[None])[0]
        edge, verdict = f"{words[query]} -> {words[key]}", "praise" if p >= 0.5 else "blame"
        yield f"layer 0, cut {edge:<15} {verdict:<6}  p {p:.2f}"


print("seed 0", *cut_ours(seed_0), sep="\n")
only_live("\n".join(["your model", *cut_ours(yours)]))

# %% [markdown]
# <details><summary>About the solution</summary>One False in a matrix of True; the softmax then shares out the row without that key.
# <code>~np.outer(np.arange(n) == query, np.arange(n) == key)</code> needs no second line.</details>
#
# ### Try it: cut by hand
# The next cell holds seed 0 and our review, and shows head 1 of layer 0.
# Below the map stand the dimensions of q · k that make the score.
# - Click the cell in the row of *good* and the column of *not*.
#   What becomes of the verdict, and of the verdicts of 100 other reviews of the same build?
# - Give it back, and drag the weight of *not* down.
#   Is there a weight at which the verdict flips?
# - Of the other 1,013 edges, one turns the verdict alone.
#   It is a look of `[CLS]`, in layer 1.
#   Find it.
# - Type *The soundtrack was amazing, but the movie was not good.* and cut *good -> not* there, in the same head.
#   In how many of the others does the verdict turn now?
# - Type other reviews, with words of the grammar.
#   The model has read reviews of two clauses only, so do not trust the number that it gives for *The movie was good.* alone.

# %%
hand = CutByHand(seed_0, layer=0, head=1, query=5, key=4)  # or yours; hand.log: what you tried
hand

# %% [markdown]
# ### Exercise: `turned_by_cut` · 7 minutes
# Return the share of reviews whose verdict turns when you cut edges of each.
# `read(tokens, masks)` gives the probability of praise for each review, `(n_reviews,)`.
# `tokens` is `(n_reviews, n)`, and `masks` has to be `(n_reviews, n, n)`, bool, True = may look.
# `queries` and `keys` are both `(n_reviews, n_cuts)`: in review i, cut every `queries[i, c]` at `keys[i, c]`.
# The verdict is praise from 0.5 on; compare it with the verdict when nothing is cut.
#
# <details><summary>Hint 1</summary>Two loops, over reviews and over the cuts of one, fill an array of masks that begins with True everywhere.
# Then read twice.</details>
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
# <details><summary>About the solution</summary>The masks of all reviews go through the model at once, and the loops only write False.
# <code>cut[np.arange(n_reviews)[:, None], queries, keys] = False</code> replaces both loops.</details>
#
# A result alone proves little, so you need controls.
# You cut *good -> not*, and say: *the look of good at not carries the verdict*.
# Three people doubt it:
#
# 1. "Any look at *not* would have done, whoever looks."
# 2. "Any cut in the row of *good* would have done, wherever it looks."
# 3. "In my review the verdict stayed, so my model does not use *not*."
#
# ### Exercise: `doubts` · 4 minutes
# Decide which cut answers each doubt.
# Write a tuple of three names, in the order of the doubts, out of these: `"not -> good"`, `"amazing -> not"`, `"[CLS] -> good"`, `"good -> movie"`, `"all -> not"`.
# *all* are all other words, in both layers.
#
# <details><summary>Hint 1</summary>A control changes one thing about the experiment, and keeps the rest.</details>
#
# <details><summary>Hint 2</summary>Each look has a query and a key: which of them is the doubt about?</details>

# %%
# solution
chosen = ("amazing -> not", "good -> movie", "all -> not")
# end solution

check("doubts", chosen)

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
def cut_all(reader):
    for name, (layers, queries, keys) in cuts.items():
        share = turned_by_cut(reading_with(reader, *layers), tokens, queries, keys)
        doubt = f"   doubt {chosen.index(name) + 1}" if chosen is not ... and name in chosen else ""
        yield f"cut {name:<22} {share:4.0%} of the verdicts turn{doubt}"


print("seed 0", *cut_all(seed_0), sep="\n")
only_live("\n".join(["your model", *cut_all(yours)]))

# %% [markdown]
# <details><summary>About the solution</summary>The first control keeps the key, the second the query, and the third leaves no way at all.
# <i>not -> good</i> changes query and key together, so it can answer neither of the first two doubts.</details>
#
# In seed 0 the look of *good* carries the verdict in our review, and in about half of the others.
# The first two controls turn few verdicts or none, so it is this query, at this key.
# `[CLS]` is a second way: cut both, and most verdicts turn.
# Is your model like seed 0?
# If *amazing -> not* turns more verdicts than *good -> not*, the first doubt has a point, and only this control can tell.
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
# **What follows.** All ten models use *not*: hide it from all words, and nearly all verdicts turn.
# In some models the look of *good* at *not* is a part of the way.
#
# **What does not follow.**
# - That *good* has to look at *not*.
#   On four seeds the cut turns hardly any verdict, and these models read as well as the others.
#   *A First Look at Self-Attention* says that self-attention "can discover" that *not* modifies *good* "while leaving “amazing” untouched".
#   It can: in seed 0, which we read above, the cut *good -> not* turns more verdicts than in any other seed, and *amazing -> not* turns none.
# - That the weight tells you which case you have.
# - That no other model is different.
#   On these ten seeds the cut *amazing -> not* turned one single verdict; the model trained above is an eleventh.
# - That a look whose cut changes nothing is useless.
#   Another way may take over.
# - Anything about English.
#   This is a grammar of 57 tokens, in which two negations always cancel out.
#
# ## What we now know
#
# - Twins make a test that counting cannot pass.
#   A small model with two layers misses at most one pair of 2,000, on ten seeds of ten.
# - It learned *not good* from verdicts alone.
#   Nobody told it where to look.
# - In some models and some reviews the verdict depends on the look of *good* at *not*.
#   A cut tells in which; on these ten seeds the mean weight did not.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@clark2019]: where the heads of a large model look, counted over many sentences.
# - [@jain2019]: weights against what happens when they change.
#
# ## Next question
#
# Every word looked at every word.
# For 24 tokens that is cheap.
# What does it cost for 24,000?
# That is lesson [16](16_cost_and_scale.ipynb).
