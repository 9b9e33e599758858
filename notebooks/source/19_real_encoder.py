# %% [markdown]
# # 19 · A real encoder: run it on your own module, test its heads, search by meaning
#
# ![](../images/parts_19.svg)
#
# The models in the last few lessons had two blocks and a few dozen words.
# Now your functions run a much larger model, the one from lesson 05, and we ask again whether *good* looks at *not*, this time with experiments.
#
# **You will build** a search by meaning: a real pretrained model, run by the functions you have written since lesson 01.
#
# **You will be able to**
# - run a published model on your own code,
# - search many heads for a pattern, and say how much a finding is worth,
# - say which control can overturn a finding,
# - find sentences of similar meaning, and say when counting words works better.
#
# **You need** [07_many_heads](07_many_heads.ipynb) and [11_the_block](11_the_block.ipynb).
# **Time:** {minutes} minutes.

# %%
import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # small matrices: one core is faster

import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import merge_heads
from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.computer.stored_outputs import show_stored_outputs
from course_utils.explorables import HeadGallery, TheMachine
from course_utils.models.encoder import load_encoder, stored_sentence
from course_utils.models.heads import best_head, best_of_any_pair, by_coins, edge, prefers, usual_patterns, weight_on
from course_utils.pictures.head_plots import small_multiples
from course_utils.pictures.plots import curves, heatmap
from course_utils.sentences import ADJECTIVES, BANKS, TWINS

# %%
look_back("19")

# %%
bag_of_words, cosine, layer_norm, feed_forward = mine("bag_of_words", "cosine", "layer_norm", "feed_forward")
batched_attention, split_heads = mine("batched_attention", "split_heads")
try:
    encoder = load_encoder()  # or load_encoder("the/folder/of/its/files")
except (FileNotFoundError, ValueError) as problem:
    show_stored_outputs("19_real_encoder", problem)

# %% [markdown]
# ## A model that others trained
#
# **Goal.** Run a published model on your functions.
#
# *all-MiniLM-L6-v2* turns a sentence into one vector.
# No lesson is long enough to train it: others trained its 22.7 million numbers on more than a billion pairs of related texts.
# Such a model is called **pretrained**.
# It is an encoder (lesson 06) with 6 blocks of 12 heads, in which every token may look at every other.
#
# And yet you have written every kind of part it needs, from attention to the feed-forward layer.
# The next cells assemble the parts afresh, because this model's attention has biases, which your `multi_head` and `block` lack.
# (The course cuts the sentence into tokens, looks up their vectors, and puts the heads side by side.)
#
# Your `batched_attention` does not return the weights, but we want to see where the heads look.
# A small trick brings them out: if we append a one-hot vector to each value, the mixture of these vectors *is* the row of weights.


# %%
def attend(Q, K, V, mask):
    one_hot = np.broadcast_to(np.eye(K.shape[-2], dtype=V.dtype), (*K.shape[:-1], K.shape[-2]))  # (…, n, n)
    both = np.asarray(batched_attention(Q, K, np.concatenate([V, one_hot], axis=-1), mask))  # (…, n, d_head + n)
    return both[..., : V.shape[-1]], both[..., V.shape[-1] :]


# %%
def my_block(part, X, mask, attention):  # X (batch, n, d_model); part holds the numbers of one block
    a, f = part.attention, part.feed_forward
    matrices = (a.W_Q, a.b_Q), (a.W_K, a.b_K), (a.W_V, a.b_V)
    Q, K, V = (np.stack([split_heads(x @ W + b, a.n_heads) for x in X]) for W, b in matrices)  # (batch, heads, n, 32)
    heads, weights = (attention or attend)(Q, K, V, mask)
    looked = np.stack([merge_heads(h) for h in heads]) @ a.W_O + a.b_O  # (batch, n, d_model)
    X = layer_norm(X + looked, *part.norms[0], part.epsilon)
    thought = np.asarray(feed_forward(X, f.W_in, f.b_in, f.W_out, f.b_out))  # (batch, n, d_model)
    return layer_norm(X + thought, *part.norms[1], part.epsilon), weights


def read(sentences, **changes):  # what to hide, say; one sentence, or a list of them
    return encoder(sentences, block=my_block, **changes)


# %%
tired = "The animal didn't cross the street because it was too tired."
pair = [tired, "It was wide."]  # a batch: the short one is padded, and the mask hides the padding
yours, theirs = read(pair).hidden, encoder(pair).hidden  # (batch, n, d_model) each
print(f"your largest number {abs(yours).max():.2f}, largest difference {abs(yours - theirs).max():.5f}")
reading = read(tired)  # from here on `read` runs on your functions, as far as they are done
print(reading.weights.shape, " ".join(reading.tokens))
print(" ".join(read("Zoologists photographed a quokka with my chatbot.").tokens))

# %% [markdown]
# ## How words are cut
#
# **Goal.** Understand the two lines of tokens above.
#
# How does a model with a fixed list of 30,522 entries read a word that is not on it?
# It cuts the word into pieces from the list, so hardly any word is unknown, and `##` marks a piece that continues a word.
# Each piece is called a **sub-word**, and this way of cutting is called **WordPiece**.
# Punctuation marks are tokens of their own, hence *didn ' t*.
#
# Two tokens do not come from the sentence: `[CLS]` (classification) begins each sentence, and a classifier reads its answer there; `[SEP]` (separator) ends the sentence.
#
# ## One vector for a sentence
#
# **Goal.** Turn the tokens' vectors into one.
#
# A search compares two vectors, but a sentence has one for each token.
# This model takes their mean.
# A vector that represents a whole sentence is called a **sentence embedding**.
#
# $$\bar{x} = \frac{\sum_i m_i\, x_i}{\sum_i m_i} \qquad x_i\colon (d_{\text{model}},) \quad m_i\colon \text{1 for a token, 0 for padding}$$
#
# ### Exercise: `mean_pooling` · 4 minutes
# `hidden` is `(batch, n, d)`, `mask` is `(batch, n)`, bool: True = token, False = padding.
# Return `(batch, d)`: the mean of the **tokens** of each sentence.
#
# <details><summary>Hint 1</summary>Leave the padding out of both the sum and the number of tokens.</details>
#
# <details><summary>Hint 2</summary><code>mask[..., None]</code> has the right shape to multiply <code>hidden</code>.</details>


# %%
def mean_pooling(hidden, mask):
    # solution
    total = (hidden * mask[..., None]).sum(axis=1)  # (batch, d)
    return total / mask.sum(axis=1, keepdims=True)  # (batch, d)
    # end solution


check("mean_pooling", mean_pooling)

# %%
mean_pooling = keep("mean_pooling")


def vector(sentence, **changes):
    seen = read([sentence], **changes)
    return np.asarray(mean_pooling(seen.hidden, seen.mask))[0]  # (d_model,)


print([f"{cosine(vector('tired animal'), vector(other)):.2f} {other}" for other in ("exhausted cat", "wide street")])

# %% [markdown]
# ## 72 heads at once
#
# **Goal.** See where a whole model looks.
#
# Where does all the attention go?
# The course's reference page on self-attention (text E in `docs/CLAIMS.md`) says: "most tokens attend strongly to only a few other tokens, with the rest receiving near-zero weight".
# The numbers above the picture test this claim.

# %%
predict(
    "Averaged over all heads and tokens, where does the largest part of the weight go?",
    {
        "to the token itself": "The residual connection adds a token's own vector anyway.",
        "to “animal”, the word that matters": "No head is told what matters. “animal” gets less than an equal share of one sixteenth.",
        "to [CLS], which is no word": True,
    },
)

# %%
# answers prediction 1
print(f"mean weight on [CLS] {reading.weights[..., 0].mean():.2f}, on “animal” {reading.weights[..., 2].mean():.2f}")
three = np.sort(reading.weights)[..., -3:].sum(axis=-1)  # (6, 12, 16): what three keys hold of a row
print(f"three keys hold {three.mean():.2f} of a row, and over 0.9 of {100 * (three > 0.9).mean():.0f} % of the rows")
small_multiples(reading.weights, title="72 heads read “… it was too tired.”", ax=plt.subplots(figsize=(9, 4.3))[1])
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# On average the claim is true for this sentence: three of the 16 keys share 0.73 of a row's weight, and the others get 0.02 each.
# But in three rows out of four, [CLS] gets the most weight.
#
# </details>
#
# That was the whole crowd, but does any single head follow a pattern, such as looking at the token before?
# The weights on the token before lie on the diagonal below the main one, and their mean is one number for each head.

# %%
twice = read("The dog saw the cat, and then the cat saw the dog.")
before = np.diagonal(twice.weights, -1, -2, -1).mean(axis=-1)  # (layers, heads)
print(f"on the token before: {before.max():.2f} in the best head, {np.median(before):.2f} in the middle one")
for name, wanted in usual_patterns(twice.tokens).items():  # the same mean, and that of other patterns
    print(f"{name:<24} best: {best_head(twice.weights, wanted)}")

# %% [markdown]
# Some heads follow a clear pattern, but none looks mainly at *itself* or *[SEP]*.
# A search always returns a best head, as a race always has a winner, so look at the number before you name the head.
#
# ## Take one token away
#
# **Goal.** Take [CLS] away, and see what it was good for.
#
# If [CLS] says nothing, can the model do without it?
# We forbid looks with `hide=[(layer, head, query, key)]`, where `None` means all, and each row shares out its weight among the other keys.

# %%
predict(
    "No token may look at [CLS] any more. How like the old sentence embedding is the new one?",
    {
        "almost equal: cosine near 1, because [CLS] is no word": "Even if [CLS] says nothing, nearly half of all the weight now has to go elsewhere.",
        "about as when “animal” is forbidden, near 0.9": "Of all words, forbidding “animal” costs the most. [CLS] costs far more.",
        "quite another vector: cosine near 0.5": True,
    },
)


# %%
def silenced(key):  # an attention in which every look is allowed, but the value of this key is 0
    def attention(Q, K, V, mask):
        return attend(Q, K, V * (np.arange(V.shape[-2]) != key)[:, None], mask)

    return attention


# %%
# answers prediction 2
old, n = vector(tired), len(reading.tokens)
forbidden = [cosine(old, vector(tired, hide=[(None, None, None, key)])) for key in range(n)]
silent = [cosine(old, vector(tired, attention=silenced(key))) for key in range(n)]
ax = plt.subplots(figsize=(5, 4.3))[1]
heatmap(np.transpose([forbidden, silent]), reading.tokens, ["forbidden", "silenced"], label="cosine", vmax=1, ax=ax)
ax.set(xlabel="", ylabel="key that is taken away", title="What is left of the embedding")
print(f"forbidden: [CLS] {forbidden[0]:.2f}, animal {forbidden[2]:.2f}, full stop {forbidden[14]:.3f}")
print(f"silenced:  [CLS] {silent[0]:.2f}, animal {silent[2]:.2f}, full stop {silent[14]:.3f}")
plt.show()

# %%
# answers prediction 2
values = []  # of each layer, (heads, n, d_head)
read(tired, attention=lambda Q, K, V, mask: values.append(V[0]) or attend(Q, K, V, mask))
W_O = [part.attention.W_O.reshape(12, 32, -1) for part in encoder.blocks]  # (heads, d_head, d_model) each
lengths = np.stack([np.linalg.norm(V @ W, axis=-1) for V, W in zip(values, W_O)])  # (layers, heads, n)
passed = reading.weights * lengths[:, :, None]  # (layers, heads, queries, keys): weight · ‖value · W_O‖
print(f"[CLS] gets {reading.weights[..., 0].sum() / reading.weights.sum():.2f} of all weight", end=", ")
print(f"and passes on {passed[..., 0].sum() / passed.sum():.2f} of what is passed on")
print(f"[CLS] is the top key of {100 * (reading.weights.argmax(axis=-1) == 0).mean():.0f} % of the rows")

# %% [markdown]
# <details><summary>What came out</summary>
#
# For every word the two columns differ by about 0.01 at most, so a word matters because of what it says.
# [CLS] is the opposite case.
# Silence it, and hardly anything changes, because its values are so short that it passes on only a twentieth of the total.
# Forbid it, and the cosine falls to 0.51, because each row still has to sum to 1, and its weight moves to tokens that had little before.
# [@kobayashi2020] found such short values in BERT, and [@xiao2023] showed how models that write suffer without such a token.
#
# </details>
#
# A token that gets a lot of weight but passes on next to nothing is called an **attention sink**.
#
# ## Does "good" look at "not"?
#
# **Goal.** Tell two heads apart by changing one word.
#
# In lesson 05, four early heads of this model sent most of *good*'s weight to *not*, but do they look at a negation, or at whatever word comes before?
# Here they are again, live: find layer 0, head 2, which gives *not* all the weight, and layer 1, head 6, which gives it two thirds.
# Then type your own sentence, and your functions will read it.

# %%
review = read("The movie was not good, but the soundtrack was amazing.")
gallery = HeadGallery(review.weights, review.tokens, layer=1, head=8, query=review.tokens.index("good"), read=read)
gallery

# %%
predict(
    "Now “very” or “quite” stands in place of “not”. Which of these two heads still gives that word most of its weight?",
    {
        "layer 0, head 2": True,
        "layer 1, head 6": "The weight falls from two thirds to a quarter or a fifth. Here the head prefers negations.",
        "both": "Only one does. Its weight of 1.00 depends on the position, not on the word.",
    },
)


# %%
def looks(frame, word, adjective):
    seen = read(frame.format(word, adjective))
    return weight_on(seen.weights, edge(seen.tokens, adjective, word))  # (layers, heads)


# %%
# answers prediction 3
frame = "The movie was {} {}, but the soundtrack was amazing."
words, adjectives = ["not", "never", "hardly", "very", "quite"], ["good", "nice", "bad", "tall", "late"]
for place in ((0, 2), (1, 6)):
    print(place, "good →", *(f"{word} {looks(frame, word, 'good')[place]:.2f}" for word in words))
    print(place, *(f"{a} {looks(frame, 'not', a)[place]:.2f}" for a in adjectives), "→ not")

# %%
# answers prediction 3
# A search that can fail: choose a head on every second adjective, test it on the others, after another subject.
lead = []  # how much more weight "not" gets than "very", each time (layers, heads)
for frame, some in (("The soup was {} {}.", ADJECTIVES[::2]), ("They are {} {}.", ADJECTIVES[1::2])):
    lead.append(np.mean([looks(frame, "not", a) - looks(frame, "very", a) for a in some], axis=0))
best = tuple(map(int, np.unravel_index(lead[0].argmax(), lead[0].shape)))
for place in (best, (1, 6)):
    print(f"layer, head {place}: “not” gets {lead[0][place]:.2f} more; in the test {lead[1][place]:.2f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Layer 0, head 2 looks at the word before, whatever it is.
# With *very* and *quite*, layer 1, head 6 earns a fine name, "finds negations".
# With *tall* and *late*, it loses that name.
#
# </details>
#
# One sentence suggests a name; other sentences test it.
# The search over many sentences finds another head, whose lead shrinks on new words but does not vanish.
#
# ## What does "it" mean?
#
# **Goal.** Put a beautiful finding to the test.
#
# Either the animal is *tired* or the street is *wide*, so one word decides what *it* means.
# *Self-Attention: Teaching Machines to Focus* says that self-attention "learns to assign a high score" to the pair *it* and *animal*.

# %%
wide, cat = tired.replace("tired", "wide"), "The cat sat on the mat because it was tired."
for sentence, noun in ((tired, "animal"), (wide, "animal"), (wide, "street"), (cat, "cat"), (cat, "mat")):
    seen = read(sentence)
    it = edge(seen.tokens, "it", noun)
    print(f"{sentence[-6:]:>6} it -> {noun:<6}  in head (3, 1) {weight_on(seen.weights, it)[3, 1]:.2f}", end="   ")
    print(f"best {best_head(seen.weights, it)}")

# %% [markdown]
# Layer 3, head 1 gives *animal* 0.68 when the animal is tired and 0.28 when the street is wide, and it is tempting to stop here.
# But in the *wide* sentence another head gives *animal* more than half, and no head gives *street* even a quarter.
# And we looked at 72 heads.
#
# So how rare is a weight of 0.68 in this sentence?
# To find out, we look for the best head for every other pair of words that are not neighbours.
# And does a head know what *it* means in other sentences?
# We take 13 new pairs of sentences, such as *The trophy did not fit into the box because it was too large* (or *small*), and count how often each head gives the right noun more weight.

# %%
any_pair = best_of_any_pair(reading.weights, reading.tokens, like=edge(reading.tokens, "it", "animal"))  # sorted
print(f"{len(any_pair)} pairs, median {np.median(any_pair):.2f}; {(any_pair > 0.67).sum()} of them above 0.67")
lines = {"any two words": any_pair, "it → animal": np.full(len(any_pair), 0.68)}
ax = curves(
    np.arange(len(any_pair)), lines, xlabel="pair of words, sorted", ylabel="weight of best head", markers=False
)
ax.set_title("Any two words of the sentence")
plt.gcf().set_size_inches(7, 3.2)
plt.show()

# %%
right = []  # of both sentences of a pair: which heads give more weight to the right noun?
for sentence, words, nouns in TWINS[1:]:  # all but the animal
    both = [read(sentence.format(word)) for word in words]
    right.append([prefers(seen.weights, seen.tokens, "it", *order) for seen, order in zip(both, (nouns, nouns[::-1]))])
share = np.mean(right, axis=(0, 1))  # (layers, heads)
print(f"right: layer 3, head 1 in {share[3, 1]:.0%} of the sentences, the best of 72 heads in {share.max():.0%}")

# %% [markdown]
# *It → animal* is among the strongest pairs of its sentence, and in the new sentences the best head is right more often than not.
# A control repeats everything except the one thing that the finding names as its reason.
# You have met three controls: we replaced *not* with *very* to test whether a head finds negations, forbade *animal* to judge what forbidding [CLS] costs, and searched other pairs to see how rare a weight was.

# %%
predict(
    "The best of 72 heads finds the right noun more often than not. Which control can take this back?",
    {
        "run the same once more": "This model leaves nothing to chance, so the numbers would be the same.",
        "search the best head for other pairs of words": "That control shows how rare a weight is, but this finding is about right answers.",
        "toss a coin for which noun is right, and search again": True,
    },
)

# %%
# answers prediction 4
luck = by_coins(right)  # (1000, layers, heads): what each head gets right when a coin decides, in 1,000 rounds
print(f"coins do as well as layer 3, head 1 in {(luck[:, 3, 1] >= share[3, 1]).mean():.0%} of the rounds")
print(f"best of 72 heads, by coins: {luck.max(axis=(1, 2)).mean():.0%} right on average")

# %% [markdown]
# <details><summary>What came out</summary>
#
# We have not shown that any head knows what *it* means: when a coin decides for each pair which noun counts as right, the search finds a head that does nearly as well.
#
# </details>
#
# ## Search by meaning
#
# **Goal.** Let the model do what it was trained for.
#
# This model was trained to put texts that belong together close to each other, which makes it a librarian.
# Each of your sentences becomes a vector, once, as does a question; the sentences closest by cosine are the answer.
#
# ### Exercise: `search` · 8 minutes
# `query` is `(d,)`, `vectors` is `(n, d)`.
# Return the positions of the `k` vectors whose cosine with the query is largest, the best first; if two are equal, the earlier comes first.
# A cosine with a vector of zeros counts as 0, whether it is the query or one of the `vectors`.
# If `k` is larger than `n`, return all `n`.
# Call your `cosine`, which takes two vectors.
#
# <details><summary>Hint 1</summary>First make an array of n zeros for the cosines: which will stay 0?</details>
#
# <details><summary>Hint 2</summary><code>np.argsort</code> puts the smallest first.
# Sort the negated cosines instead, with <code>kind="stable"</code>, so that equal ones keep their order.</details>


# %%
def search(query, vectors, k):
    # solution
    alike = np.zeros(len(vectors))  # (n,)
    for i, vector in enumerate(vectors):
        if np.any(query) and np.any(vector):
            alike[i] = cosine(query, vector)
    order = np.argsort(-alike, kind="stable")  # (n,): the best first, of equal ones the earlier
    return order[:k]
    # end solution


check("search", search)

# %% [markdown]
# <details><summary>About the solution</summary>If all the vectors and the query have length 1, one product computes all the cosines: <code>vectors @ query</code>.</details>
#
# Put your own sentences into `NOTES` and your questions below; for comparison, we also search with lesson 00's bag of words.

# %%
NOTES = [
    "My laptop will not start since the update.",
    "Her cat sleeps on the warm windowsill all day.",
    "We bought tomatoes, basil and fresh bread.",
    "The doctor told him to stay in bed for a week.",
    "Trains to the coast leave every hour.",
    "Order 7731 is on its way.",
    "Order 7713 was cancelled.",
]


# %%
def words_of(text):
    return "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()


notes = read(NOTES)  # one batch, padded
meaning = np.asarray(mean_pooling(notes.hidden, notes.mask))  # (n_notes, d_model)
vocabulary = sorted({word for note in NOTES for word in words_of(note)})
counts = np.stack([bag_of_words(words_of(note), vocabulary) for note in NOTES])  # (n_notes, n_words)

# %%
search = keep("search")
for question in ("Is there something to eat?", "My computer is broken.", "a sleeping pet", "Where is order 7713?"):
    print(question)
    asked, counted = vector(question), np.asarray(bag_of_words(words_of(question), vocabulary))
    for place in search(asked, meaning, 2):
        print(f"   by meaning {cosine(asked, meaning[place]):.2f}   {NOTES[place]}")
    print(f"   by words          {NOTES[search(counted, counts, 1)[0]]}")

# %% [markdown]
# Searching by meaning finds the right note for the first three questions, although they share hardly a word with it.
# For the last question it fails and counting words wins, because one exact word decides.
# And a search always returns a nearest note: here a wrong note has the highest cosine of all, so read what you found.

# %% [markdown]
# ## Optional: cut the "not"
#
# The embedding of *The movie was not good.* lies nearer to *The movie was bad.* than to *The movie was good.*, and we cut parts of the model until this is reversed.

# %%
short = "The movie was not good."
bad, good = vector("The movie was bad."), vector("The movie was good.")
query, key = np.argwhere(edge(read(short).tokens, "good", "not"))[0]


# %%
def lean(hide):  # above 0: nearer to "bad"
    left = vector(short, hide=hide)
    return cosine(left, bad) - cosine(left, good)


print(f"nothing hidden: {lean([]):+.3f}")

# %%
predict(
    "We cut the edge good → not in all 72 heads. What becomes of this lead?",
    {
        "it hardly changes: other words still see not": "Other words do, but the adjective is where the news is needed most.",
        "it is gone, or nearly so": True,
        "it turns round: the sentence now says good, clearly": "Other words still see not, and pass the news on.",
    },
)

# %%
alone = {(layer, head): lean([(layer, head)]) for layer in range(6) for head in range(12)}  # each head by itself
first, second = sorted(alone, key=alone.get)[:2]

# %%
cuts = {
    "the edge in heads (0, 2), (1, 6)": [(0, 2, query, key), (1, 6, query, key)],
    "heads (0, 2), (1, 6), whole": [(0, 2), (1, 6)],
    f"head {first}, whole": [first],
    f"heads {first}, {second}, whole": [first, second],
    "the edge in all 72 heads": [(None, None, query, key)],
    "all edges to “not”": [(None, None, other, key) for other in range(8) if other != key],
}

# %%
# answers prediction 5
for name, hide in cuts.items():
    print(f"{lean(hide):+.3f}  {name}")

# %%
# answers prediction 5
for start, word, opposite in (("He is", "happy", "sad"), ("She is", "tall", "short"), ("The soup is", "hot", "cold")):
    said = vector(f"{start} not {word}.")
    side = cosine(said, vector(f"{start} {opposite}.")) - cosine(said, vector(f"{start} {word}."))
    print(f"“{start} not {word}.”, nothing hidden: {side:+.2f}, nearer to “{opposite if side > 0 else word}”")

# %% [markdown]
# ### Try it: cut by hand
# The next cell makes your cuts in 100 other sentences too, such as *The soup was not hot.*
# - Take away head 9 of layer 5 and head 1 of layer 2.
#   The verdict flips, but in how many of the other sentences does it flip too?
# - How many others get the same answer as ours *uncut*, and what does that say about this experiment?

# %%
hand = TheMachine(encoder, short, poles=("The movie was good.", "The movie was bad."))  # hand.log: what you tried
hand

# %% [markdown]
# <details><summary>What came out</summary>
#
# Cutting heads (5, 9) and (2, 1) is the first cut that flips the verdict, by a hair; only the last one does so by a wide margin.
#
# </details>
#
# Do **not** conclude:
#
# - *"A head that can be hidden is not used."*
#   Other heads may carry the same news.
# - *"These two heads are the negation."*
#   We chose them from 72 heads, using one sentence.
# - *"The model understands not."*
#   Of 100 sentences built like ours, only five lie nearer to the opposite, so ours was lucky.

# %% [markdown]
# ## Optional: which bank?
#
# The reference page says that *bank* "issues a different query" in *river bank* than in *bank account*, because of the context "in deeper layers".
# In our 14 sentences *bank* is always token 6, so its position says nothing.


# %%
def queries(sentence):
    heard = []  # of each layer, (d_model,): all heads side by side
    read(sentence, attention=lambda Q, K, V, mask: heard.append(Q[0, :, 6].ravel()) or attend(Q, K, V, mask))
    return np.array(heard)  # (layers, d_model)


# %%
banks = np.stack([queries(sentence) for sentence in BANKS["river"] + BANKS["money"]], axis=1)  # (layers, 14, d_model)
alike = np.array([[[cosine(a, b) for a in layer] for b in layer] for layer in banks])  # (layers, 14, 14)
same = np.kron(np.eye(2), np.ones((7, 7))) == 1  # (14, 14): do two sentences mean the same bank?
alike[:, np.eye(14, dtype=bool)] = np.nan  # a query with itself says nothing

# %%
lines = {name: np.nanmean(alike[:, pairs], axis=1) for name, pairs in (("same bank", same), ("other bank", ~same))}
curves(np.arange(6), lines, xlabel="layer", ylabel="mean cosine of two queries", title="The query of “bank”")
plt.gcf().set_size_inches(7, 3.5)
print("layers 0 and 5:", *(f"{name} {line[0]:.2f}, {line[5]:.2f}  " for name, line in lines.items()))
plt.show()

# %%
for layer in (1, 5):
    nearest = np.nanargmax(alike[layer], axis=1)  # (14,)
    print(f"layer {layer}: nearest query means the same bank in {same[np.arange(14), nearest].sum()} of 14")

# %% [markdown]
# In layer 0 the queries are equal, because there a query depends only on its word and position.
# From layer 1 on they differ, most of all between the two meanings.
# In layers 1 and 5 the nearest query always means the same bank, so "in deeper layers" is already true of the second layer.

# %% [markdown]
# ## Optional: all heads, without the model
#
# The machine that cut the *not* needs the model for every answer, so it cannot work on a page of the book.
# But where a head looks depends on its queries and keys alone, and what it passes on depends on its values too.
# For one sentence, all these fit on a page, so the course has stored them, and no model has to run.
#
# ### Try it: who is exhausted?
# - Which animal does *it* choose in layer 3, head 1, the head that gave the tired animal 0.68?
# - Cut this line: which token inherits most of its weight?
# - Stay in layer 3, and find the head in which *it* prefers the other animal.
# - Take head 1 away.
#   Does any line of another head move?

# %%
chase = "The dog chased the cat until it was exhausted."
tokens, (Q, K, V) = stored_sentence(chase)  # Q, K, V (layers, heads, n, 32) each
TheMachine((Q, K, V), tokens, layer=3, head=1, query=7, key=5)

# %%
# the model itself, without head 1 of layer 3
moved = np.abs(read(chase, hide=[(3, 1)]).weights - read(chase).weights).max(axis=(1, 2, 3))  # (layers,)
print("largest move of a weight, layers 0 to 5:", *(f"{m:.2f}" for m in moved))

# %% [markdown]
# Head 1 chooses *cat*, with two thirds of its weight, and after the cut, [CLS] gets nearly half of the row's weight, as a sink would.
# Head 10 chooses *dog*, with 0.29 against 0.07 for *cat*, so anyone who shows you one head of this layer has chosen a reading for you.
# Without head 1 no other line moves, because with stored vectors every head works on its own.
# In the model, the layers above read what head 1 wrote, so their weights do move.
# Stored vectors show where each head looks, but never what a missing part does to the rest.

# %% [markdown]
# ## What we now know
#
# - A real encoder is made of parts you built, and runs on your code.
# - In our sentence, nearly half of the weight goes to a sink that passes on next to nothing, yet the embedding breaks if no token may look at it.
# - If you search 72 heads, you will find something, so compare it with other pairs of words, new sentences and a coin.
# - Hiding a part shows what the model can do without it, not what the part is for.
# - The mean of the tokens finds sentences by meaning, but may miss an exact word.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@clark2019]: what the heads of BERT look at, and how to search them.
# - [@reimers2019]: how BERT is trained to make sentence embeddings, with mean pooling.
#
# ## Next question
#
# You knew this model's sizes because somebody had written them down.
# Can you read what the makers of today's models write down, and say what each line costs?
# Go on with [20_a_model_card](20_a_model_card.ipynb).
