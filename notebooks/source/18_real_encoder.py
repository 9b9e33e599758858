# %% [markdown]
# # 18 · A real encoder: run it with your own attention, and test what its heads do
#
# **You will build** small experiments on the 72 heads of a real pretrained encoder, which runs on your own attention.
#
# **You will be able to**
# - run a published model with code that you wrote,
# - search many heads for a pattern, and say how much a find is worth,
# - hide a head or an edge, measure what changes, and not conclude too much.
#
# **You need** [06_masks](06_masks.ipynb) and [07_many_heads](07_many_heads.ipynb).
# **Time:** 25 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import scaled_dot_product_attention
from course_utils.checks import check, mine, predict, progress, recap
from course_utils.encoder import load_encoder
from course_utils.explorables import HeadGallery
from course_utils.head_plots import small_multiples
from course_utils.heads import best_head, best_of_any_pair, by_coins, edge, prefers, usual_patterns, weight_on
from course_utils.layers import sentence_vectors
from course_utils.plots import curves, heatmap, row_bars
from course_utils.stored_outputs import show_stored_outputs

try:
    encoder = load_encoder()  # or load_encoder("the/folder/of/its/files")
except (FileNotFoundError, ValueError) as problem:
    show_stored_outputs("18_real_encoder", problem)

# %% [markdown]
# ## A model that others trained
#
# **Goal.** Run a published encoder on your attention.
#
# *all-MiniLM-L6-v2* turns a sentence into one vector, to search by meaning.
# A token starts as the vector of its word plus the vector of its position.
# Then come 6 layers.
# In each, 12 heads look, and two dense matrices change every token by itself.
# You know all the parts.
# The whole code is in `course_utils/encoder.py`.
# It takes another attention function in place of its own: yours.
#
# Your `batched_attention` of lesson 07 gives the outputs of all heads.
# For the pictures, the course's own attention gives the weights.

# %%
batched_attention = mine("batched_attention")


def attend(Q, K, V, mask):
    return batched_attention(Q, K, V, mask), scaled_dot_product_attention(Q, K, V, mask).weights


# %%
tired = "The animal didn't cross the street because it was too tired."
pair = [tired, "It was wide."]  # a batch: the short one is padded, and the mask hides the padding
reading = encoder(tired)
print(" ".join(reading.tokens))
print("weights:", reading.weights.shape, "= (layers, heads, queries, keys)")

# %%
runs, ours = encoder(pair, attention=attend), encoder(pair)
print(f"largest difference from the course's vectors: {abs(runs.hidden - ours.hidden).max():.4f}")

# %% [markdown]
# ## 72 heads at once
#
# **Goal.** See where a whole model looks, and how sparse its rows are.
#
# The next picture shows all heads on this sentence.
# Many texts say that in practice most words look strongly at a few others and hardly at the rest.
# The numbers above the picture test that.

# %%
predict(
    "Averaged over all heads and tokens, where does most of the weight go?",
    {
        "to the token itself": "A word needs no look for that: its own vector is added after each attention.",
        "to “animal”, the word that matters": "No head is told what matters. “animal” gets less than its share of one sixteenth.",
        "to [CLS], which says nothing": True,
    },
)

# %%
print(f"mean weight on [CLS] {reading.weights[..., 0].mean():.2f}, on “animal” {reading.weights[..., 2].mean():.2f}")
three = np.sort(reading.weights)[..., -3:].sum(axis=-1)  # (6, 12, 16): what three keys hold of a row
print(f"three keys hold {three.mean():.2f} of a row, and over 0.9 of {100 * (three > 0.9).mean():.0f} % of the rows")
small_multiples(reading.weights, title="72 heads read “… because it was too tired.”")
plt.show()

# %% [markdown]
# Half sparse: three of 16 keys hold most of a row, but in many heads one of them is [CLS].
# A head must put its weight somewhere, and [CLS] costs nothing.
#
# ### Exercise: `previous_token` · 5 minutes
# How much does a head look at the token before?
# `weights` is `(n_heads, n, n)`.
# Return `(n_heads,)`: the mean weight from a token to the one before it, over all tokens that have one.
#
# <details><summary>Hint 1</summary>Row i, column i − 1.
# The first row has no such column.</details>
#
# <details><summary>Hint 2</summary><code>np.diagonal</code> takes an <code>offset</code>, and the two axes that it runs through.</details>


# %%
def previous_token(weights):
    # solution
    return np.diagonal(weights, offset=-1, axis1=-2, axis2=-1).mean(axis=-1)  # (n_heads,)
    # end solution


check("previous_token", previous_token)

# %%
# The same mean for other patterns, by the course's own search.
twice = encoder("The dog saw the cat, and then the cat saw the dog.")
for name, wanted in usual_patterns(twice.tokens).items():
    print(f"{name:<24} best: {best_head(twice.weights, wanted)}")

# %% [markdown]
# Some heads have a clear job.
# For *itself* and *[SEP]* there is none, although other models of this kind have heads that rest on [SEP].
# A search always returns a best head.
# Look at its number before you give it a name.
#
# ## Does "good" look at "not"?
#
# **Goal.** Tell two heads apart by changing one word.
#
# The same 72 heads read the review, and the word *good* is chosen.
# Go through the heads of layers 0 and 1.
# Two of them take *good* to *not*: one with all its weight, one with two thirds.
# Which are they?
# Where do the other words look in these two heads?

# %%
review = encoder("The movie was not good, but the soundtrack was amazing.")
gallery = HeadGallery(review.weights, review.tokens, layer=1, head=8, query=review.tokens.index("good"))
gallery

# %%
predict(
    "Now “very” or “quite” stands in place of “not”. Which of the two heads still looks at that word?",
    {
        "layer 0, head 2": True,
        "layer 1, head 6": "Its weight falls from two thirds to a quarter or less. In this sentence it prefers negations.",
        "both": "One of them does. Its weight of 1.00 was about the place, not about the word.",
    },
)


# %%
def looks(frame, word, adjective):
    read = encoder(frame.format(word, adjective))
    return weight_on(read.weights, edge(read.tokens, adjective, word))  # (layers, heads)


frame, heads = "The movie was {} {}, but the soundtrack was amazing.", ([0, 1], [2, 6])
before, adjectives = ["not", "never", "hardly", "very", "so", "quite"], ["good", "nice", "bad", "long", "tall", "late"]
found = [looks(frame, word, "good")[heads] for word in before], [looks(frame, "not", a)[heads] for a in adjectives]
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.6))
for ax, rows, words, title in zip(axes, found, (before, adjectives), ("“good” looks at …", "… looks at “not”")):
    heatmap(rows, words, ["0, 2", "1, 6"], title=title, vmax=1, ax=ax)
    ax.set(xlabel="layer, head", ylabel="")
    print("layer 1, head 6:", title, *(f"{word} {row[1]:.2f}" for word, row in zip(words, rows)))
plt.show()

# %%
from course_utils.sentences import ADJECTIVES, TWINS

# A search that can fail: choose a head on every second adjective, test it on the others, after another subject.
lead = []  # how much more weight "not" gets than "very", each time (layers, heads)
for frame, some in (("The soup was {} {}.", ADJECTIVES[::2]), ("They are {} {}.", ADJECTIVES[1::2])):
    lead.append(np.mean([looks(frame, "not", a) - looks(frame, "very", a) for a in some], axis=0))
best = tuple(map(int, np.unravel_index(lead[0].argmax(), lead[0].shape)))
for place in (best, (1, 6)):
    print(f"layer, head {place}: “not” gets {lead[0][place]:.2f} more in the choice, {lead[1][place]:.2f} in the test")

# %% [markdown]
# The larger weight meant less: layer 0, head 2 finds what stands before, whatever it is.
# The left picture gives layer 1, head 6 a fine name, "finds negations".
# The right one takes it back: *tall* and *late* do not look there.
# One sentence suggests a name, other sentences test it.
# The search over many sentences finds another head.
# Its lead shrinks on new words, as the lead of a winner does, but it holds.
#
# ## What does "it" mean?
#
# **Goal.** Put a beautiful find to the test.
#
# The animal is *tired*, the street is *wide*: one word decides what *it* means.
# Does the attention know?

# %%
wide, cat = tired.replace("tired", "wide"), "The cat sat on the mat because it was tired."
for sentence, noun in ((tired, "animal"), (wide, "animal"), (wide, "street"), (cat, "cat")):
    weights, it = encoder(sentence).weights, edge(encoder(sentence).tokens, "it", noun)
    print(f"… {sentence[-6:]:>6} it -> {noun:<6}   in layer 3, head 1 {weight_on(weights, it)[3, 1]:.2f}", end="")
    print(f"   best {best_head(weights, it)}")

# %% [markdown]
# Layer 3, head 1 gives *animal* 0.68 when it is tired and 0.28 when the street is wide.
# That would make a fine picture.
# But in the *wide* sentence another head gives *animal* more than half, and none gives *street* a quarter.
# And we looked at 72 heads.
#
# Two controls.
# First: how often does the same search succeed for **any** two words of the sentence?
# Second: 13 new pairs of sentences of this kind, such as *The trophy did not fit into the box because it was too large* (or *small*).
# How often does a head give more weight to the right noun?
# And if the answers meant nothing, because a coin for each pair says which noun counts as right, in 1,000 rounds?

# %%
any_pair = best_of_any_pair(reading.weights, reading.tokens)  # (n_pairs,), sorted
print(f"{len(any_pair)} pairs, median {np.median(any_pair):.2f}; {(any_pair > 0.67).sum()} of them above 0.67")
lines = {"any two words": any_pair, "it → animal": np.full(len(any_pair), 0.68)}
curves(np.arange(len(any_pair)), lines, xlabel="pair of words, sorted", ylabel="weight of its best head", markers=False)
plt.show()


# %%
right = []  # of both sentences of a pair: which heads give more weight to the right noun?
for sentence, words, nouns in TWINS[1:]:  # all but the animal
    reads = [encoder(sentence.format(word)) for word in words]
    right.append([prefers(read.weights, read.tokens, "it", *order) for read, order in zip(reads, (nouns, nouns[::-1]))])
share, luck = np.mean(right, axis=(0, 1)), by_coins(right)  # (layers, heads), (1000, layers, heads)
as_good, best = (luck[:, 3, 1] >= share[3, 1]).mean(), luck.max(axis=(1, 2)).mean()
print(f"layer 3, head 1:  {100 * share[3, 1]:.0f} % right; coins do as well in {100 * as_good:.0f} % of the rounds")
print(f"best of 72 heads: {100 * share.max():.0f} % right; by coins {100 * best:.0f} % on average")

# %% [markdown]
# *It → animal* is among the strongest pairs of its sentence.
# But no head is shown to know what *it* means.
# A search through 72 heads finds one that does as well, even when coins give the answers.
#
# ## Hide a head, hide an edge
#
# **Goal.** Cut something, and see what the model says then.
#
# The model speaks with one vector for a sentence: the mean of its tokens.
# Two sentences are alike when their vectors point the same way.
#
# ### Exercise: `mean_pooling` · 5 minutes
# `hidden` is `(batch, n, d)`, `mask` is `(batch, n)`, bool: True = token, False = padding.
# Return `(batch, d)`: the mean of the **tokens** of each sentence.
#
# <details><summary>Hint 1</summary>Padding must count neither in the sum nor in the number of tokens.</details>
#
# <details><summary>Hint 2</summary><code>mask[..., None]</code> has the shape to multiply with <code>hidden</code>.</details>


# %%
def mean_pooling(hidden, mask):
    # solution
    total = (hidden * mask[..., None]).sum(axis=1)  # (batch, d)
    return total / mask.sum(axis=1, keepdims=True)  # (batch, d)
    # end solution


check("mean_pooling", mean_pooling)


# %%
def vector(sentence, hide=()):
    read = encoder(sentence, hide=hide)
    return sentence_vectors(read.hidden, read.mask)  # (d_model,): the mean, scaled to length 1


short, bad, good = "The movie was not good.", vector("The movie was bad."), vector("The movie was good.")
print(f"cosine with “bad” {vector(short) @ bad:.2f}, with “good” {vector(short) @ good:.2f}")

# %%
predict(
    "The model puts “not good” nearer to “bad”. Which is the smallest cut that brings it nearer to “good”?",
    {
        "the edge good → not in the two heads that we saw first": "Their weights are large. But 70 other heads can bring the same news.",
        "these two heads, whole": "That takes more away than one edge, and still leaves 70 heads.",
        "the edge good → not in all 72 heads": True,
    },
)

# %%
query, key = np.argwhere(edge(encoder(short).tokens, "good", "not"))[0]
two, every = [(0, 2), (1, 6)], [(layer, head) for layer in range(6) for head in range(12)]
cuts = {"nothing": []}
cuts |= {f"the edge in {len(heads)} heads": [(*head, query, key) for head in heads] for heads in (two, every)}
cuts["the two heads"] = two
cuts["layer 5, head 9"] = [(5, 9)]
cuts["all edges to “not”"] = [(*head, other, key) for head in every for other in range(8) if other != key]
lean = [vector(short, hide) @ (bad - good) for hide in cuts.values()]
ax = row_bars(lean, cuts, title=short, xlabel="cosine with “bad” minus cosine with “good”")
ax.set(ylabel="what is hidden", xlim=(-0.19, 0.15))
print("turns the verdict:", [name for name, side in zip(cuts, lean) if side < 0])
for start, word, opposite in (("He is", "happy", "sad"), ("She is", "tall", "short")):
    side = vector(f"{start} not {word}.") @ (vector(f"{start} {opposite}.") - vector(f"{start} {word}."))
    print(f"“{start} not {word}.”, nothing hidden: {side:.2f}, nearer to “{opposite if side > 0 else word}”")
plt.show()

# %% [markdown]
# In this sentence, for this measure, the two heads that we saw first matter little, and the head of the search matters much.
# None of them decides alone.
# What you may **not** conclude:
#
# - *"A head that can be hidden is not used."*
#   Others bring the same news, and the weight of a hidden edge goes to other keys.
# - *"Layer 5, head 9 is the head for negation."*
#   Two tests point to it, weights in 40 sentences and this cut.
#   But it sits in the last layer, where all that it writes reaches the mean.
# - *"The map shows the reason."*
#   The two edges that we saw first changed little.
# - *"The model understands “not”."*
#   Its vectors put *not happy* nearer to *happy*, and *not tall* nearer to *tall*.
#
# ## Which bank?
#
# **Goal.** Watch the query of one word change with its sentence.
#
# In the three sentences below *bank* is always token 6.
# An attention function can listen to Q.


# %%
def queries(sentence):
    heard = []

    def listen(Q, K, V, mask):
        heard.append(Q[0, :, 6].ravel())  # (d_model,): all heads side by side
        return scaled_dot_product_attention(Q, K, V, mask)

    encoder(sentence, attention=listen)
    return np.array(heard) / np.linalg.norm(heard, axis=1, keepdims=True)  # (n_layers, d_model), of length 1


river = queries("She sat by the river bank.")
others = ("He walked along the grassy bank.", "She asked for a new bank account.")
lines = {other: (river * queries(other)).sum(axis=1) for other in others}  # cosines, (n_layers,)
curves(np.arange(6), lines, xlabel="layer", ylabel="cosine with “river bank”", title="The query of “bank”")
print("layers 0 and 5:", [f"{cosines[0]:.2f}, {cosines[5]:.2f}" for cosines in lines.values()])
plt.show()

# %% [markdown]
# In layer 0 the queries are equal: there a query knows its word and its place, no more.
# Later they move apart, further for the other meaning.
#
# ## Three sentences of your own
#
# **Goal.** Search, and say at once what the find is worth.
#
# Write three sentences, and two words of each.
# The last number says how many pairs of words of that sentence have a head as strong.

# %%
own = [
    ("The dog lost its ball because it was careless.", "it", "dog"),
    ("Nobody told the pianist that the concert was cancelled.", "cancelled", "concert"),
    ("The soup was hot, so she waited.", "waited", "hot"),
]
for sentence, query, key in own:
    read = encoder(sentence)
    best = best_head(read.weights, edge(read.tokens, query, key))
    rank = (best_of_any_pair(read.weights, read.tokens) >= best.weight).mean()
    print(f"{query} -> {key}: {best}. Pairs with a head as strong: {100 * rank:.0f} %")

# %% [markdown]
# ## What we now know
#
# - A real encoder is made of what you built, and runs on your attention.
# - Some heads have one job.
#   Many changed sentences show which.
#   A large weight in one sentence does not.
# - Search 72 heads, and you find something.
#   Compare with other pairs of words, with new sentences, with a coin.
# - Hiding a part shows what the model can do without it.
#   It does not show what the part is for.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# You have come from the dot product to a real model.
# What would *you* ask it?
# Take a claim about attention that you have read, write down beforehand what would count against it, and measure.
