# %% [markdown]
# # 18 · Learning in context: how a model uses what it read a moment ago
#
# The writer of lesson [17](17_a_model_that_writes.ipynb) obeys a verdict at the front of its review, many words back.
# Somewhere inside the model, the verdict must be carried from *[blame]* to the position where the adjective is chosen.
# And what about something that no training could teach, such as a name that appears only in this text?
# A person who has read *Mrs Okafor* once expects *Okafor* after the next *Mrs*.
# So the question of this lesson is: **how does a model use what it read a moment ago?**
# A B … A: what comes next?
#
# **You will build** a score that finds the heads behind the answer *B*, and a patch that copies what a head wrote for one text into another, to see whether the answer comes along.
#
# **You will be able to**
# - measure what a model learns while it reads,
# - find induction heads, and test what they do,
# - use activation patching to test which head carries an answer, and where,
# - choose the controls that could overturn a finding.
#
# **You need** [07_many_heads](07_many_heads.ipynb) and [17_a_model_that_writes](17_a_model_that_writes.ipynb).
# **Time:** {minutes} minutes.

# %%
import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # small matrices need no second core

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import NextWord
from course_utils.models.writer_reader import DATA, load_study, load_writer
from course_utils.pictures.live_training import LiveTraining, only_live
from course_utils.pictures.plots import curves, heatmap
from course_utils.tasks.review_task import BAD, GOOD
from course_utils.tasks.writer_task import WORDS, character_rows, text_of

# %%
look_back("18")

# %%
batched_attention, writing_loss, write = mine("batched_attention", "writing_loss", "write")

# %% [markdown]
# ## A row that begins again
#
# **Goal.** Give a model something that it can know only from reading.
#
# Here are twelve letters in a random order, and then the same twelve again.
# No training can teach this order, because it was drawn a moment ago.
# But from the thirteenth letter on, anyone who remembers the first twelve knows what comes next.

# %%
LETTERS = "··EFGHIJKLMNOPQRSTUVWX"  # tokens 2 to 21; A to D are left for the text
rng = np.random.default_rng(1)
once = np.array([rng.permutation(np.arange(2, 22))[:12] for _ in range(100)])  # (100, 12)
rows = np.hstack([once, once])  # (100, 24)


def in_letters(row):
    return " ".join(LETTERS[token] for token in row)


print(in_letters(rows[0]))

# %% [markdown]
# Three writers read these rows, and your `writing_loss` from lesson 17 scores them position by position.
# The first knows the 20 letters and nothing else.
# The second counts what it reads: each letter that has occurred in the row so far gets the same probability.
# The third is a trained model with two blocks, like your writer; it has read thousands of rows that repeat, but never these.

# %%
model = load_writer(DATA / "induction.npz")  # nox -s writer_study trained it
chance, counts = np.full((2, 100, 23, 22), -2.3)  # scores after each letter but the last, for the 22 tokens
chance[..., :2] = counts[..., :2] = -9  # no letters
for place in range(23):
    counts[np.arange(100)[:, None], place, rows[:, : place + 1]] = 0  # the letters of the row so far
scores = {"chance": chance, "counts": counts, "the model": model.next_scores(model(rows[:, :-1]).hidden)}

# %%
lines = {name: [writing_loss(s[:, i : i + 1], rows[:, i + 1 : i + 2]) for i in range(23)] for name, s in scores.items()}
curves(np.arange(1, 24), lines, xlabel="letters read", ylabel="nats", title="Loss of the next letter")
for name, line in lines.items():
    print(f"{name:>9}: {np.mean(line[:11]):.2f} nats in the first half, {np.mean(line[12:]):.2f} once the row repeats")
plt.show()

# %%
written = np.array([write([*row[:13]], np.full(11, 0.5), 0.1, -1, *model.parts()) for row in rows])  # (100, 24)
print("read, then written by your loop:", in_letters(written[0, :13]), "|", in_letters(written[0, 13:]))
print(f"of what it writes, {(written == rows)[:, 13:].mean():.0%} stands as in the first half")

# %% [markdown]
# Counting fails, because it shows *which* letters occur, but not which of them comes next.
# The model's loss falls to almost nothing, and in your loop it completes the rows with hardly a mistake, although none of its weights changes.
# What it knows about a row can only be in the keys and values in your caches.
# A model that gets better at predicting a text by reading it, with all its weights fixed, has learned from the text itself.
# This is called **in-context learning**.
#
# ## Who looks at what came next?
#
# **Goal.** Find the heads that do this.
#
# Suppose the row was A B …, and now A comes again.
# The token that the model needs is B, which came right after the earlier A.
# So if some head does the work, we should catch it looking at B, and we can put a number on that.
# Let $R$ be the positions whose token has occurred before, and $p(i)$ the most recent earlier position of the token at $i$:
#
# $$\text{score} = \frac{1}{|R|} \sum_{i \in R} w_{i,\,p(i)+1} \qquad w\colon (n, n)$$
#
# ### Exercise: `induction_score` · 6 minutes
# `weights` is `(n, n)`, the weights of one head, and `tokens` is `(n,)`, the numbers of the tokens in the row.
# For each token that has occurred earlier in the row, take the weight that it gives to the token right after its most recent earlier position.
# Return the mean of these weights.
# Tokens that occur for the first time do not count; at least one token occurs twice.
#
# <details><summary>Hint 1</summary><code>np.flatnonzero(tokens[:i] == tokens[i])</code> contains the earlier positions of token number i, and may be empty.</details>
#
# <details><summary>Hint 2</summary>Collect in a list one weight for each token that has occurred before, and take the mean at the end.
# Which row of <code>weights</code> belongs to the token that looks?</details>


# %%
def induction_score(weights, tokens):
    # solution
    found = []
    for i in range(len(tokens)):
        earlier = np.flatnonzero(tokens[:i] == tokens[i])
        if len(earlier):
            found.append(weights[i, earlier[-1] + 1])
    return np.mean(found)
    # end solution


check("induction_score", induction_score)

# %%
induction_score = keep("induction_score")
weights = model(rows[:, :-1]).weights  # (100, 2, 4, 23, 23)
for layer in (0, 1):
    mean = [np.mean([induction_score(w[layer, head], row[:-1]) for w, row in zip(weights, rows)]) for head in range(4)]
    print(f"layer {layer}:", "  ".join(f"head {head} {score:.2f}" for head, score in enumerate(mean)))

# %%
print(f"layer 0, head 1, on the letter before: {np.diagonal(weights[:, 0, 1], -1, 1, 2).mean():.2f}")
letters = [LETTERS[token] for token in rows[0, :-1]]
heatmap(weights[0, 1, 1], letters, letters, title="layer 1, head 1, on the first row")
plt.show()

# %% [markdown]
# A head that looks from A at what followed the earlier A, and so continues A B … A with B, is called an **induction head**.
# Layer 1 has three of them and layer 0 has none, because B itself does not say what came before it.
# So a head in layer 0 has to help first: it looks one token back, at A, as head 1 does with half of its weight, and writes the note "before me came A" into the vector of B.
# Only then can a head in layer 1 search for that note.
#
# ![](../images/parts_18.svg)
#
# Now switch off the head with the highest score.

# %%
predict(
    "Without layer 1, head 1, what happens to the loss where the row repeats?",
    {
        "it rises to that of chance": "Then this head would have to do all the work alone. Look at the scores of its neighbours.",
        "it rises to that of counting": "Then the model would have to lose the order and keep the letters, but other heads know the order too.",
        "it stays far below both": True,
    },
)


# %%
# answers prediction 1
def repeat_loss(hide):  # the loss where the rows repeat, with these heads switched off
    scores = model.next_scores(model(rows[:, :-1], hide=hide).hidden)  # (100, 23, 22)
    return writing_loss(scores[:, 12:], rows[:, 13:])


cuts = {"none": [], "layer 1, head 1": [(1, 1)], "the three induction heads": [(1, 0), (1, 1), (1, 2)]}
cuts |= {"layer 1, head 3": [(1, 3)], "layer 0, head 1, which looks one token back": [(0, 1)]}
for name, hide in cuts.items():
    print(f"{repeat_loss(hide):5.2f} nats without {name}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# This head has the highest score, and yet the model loses little without it, because its neighbours do the same work; with all three switched off, the model is worse than chance.
# So neither a picture nor a single cut tells us what one head contributes.
#
# </details>
#
# So far we have taken something away; now let's put something in.
#
# ## Put it into another text
#
# **Goal.** Use what a head wrote to change an answer.
#
# Take two texts that are alike except that B and D have swapped places:
#
# - one: … A **B** … C **D** … A, and the answer is *B*,
# - other: … A **D** … C **B** … A, and the answer is *D*.
#
# We measure how far the score of B lies above that of D: positive if *B* wins, negative if *D* wins.
# You are going to change this difference; the next cell prints which letters play the four parts in the first pair.

# %%
one = np.hstack([once, once[:, :4]])  # (100, 16): A is letter number 3, B is 4, C is 7 and D is 8; A comes again
other = one.copy()
other[:, [4, 8]] = one[:, [8, 4]]
B, D = one[:, 4], one[:, 8]  # (100,) each
print("one:  ", in_letters(one[0]))
print("other:", in_letters(other[0]))
print("A, B, C, D:", in_letters(one[0, [3, 4, 7, 8]]))


# %%
def b_over_d(scores):  # the mean over all texts of how far B lies above D; scores (100, 22)
    return (scores[np.arange(100), B] - scores[np.arange(100), D]).mean()


# %% [markdown]
# Now run the model on the *other* text, but while it runs, take out what one head writes at one position, and put in what the same head wrote there for text *one*.
# Everything else runs as before, including the later layers, which have to work with the foreign vector.
# This is called **activation patching**.
# If the answer moves, the head carries it; if nothing moves, that head wrote the same thing in both texts, or its output was not needed.
#
# ### Exercise: `patch_head` · 8 minutes
# `Q` and `K` are `(n_heads, n, d_k)`, `V` is `(n_heads, n, d_v)`, and `mask` is `(n, n)`.
# All four belong to the text that is being read.
# `other` is `(n_heads, n, d_v)`: what the heads of this layer wrote for another text, that is, the outputs of their attention.
# `head` is one number, or a list of several, and `place` is one number.
# Return the attention outputs `(n_heads, n, d_v)` for the text that is being read, except that at `place` the chosen heads write what they wrote for the other text.
# Call `batched_attention`.
#
# <details><summary>Hint 1</summary>First compute what the heads write without any patch.
# Which axis counts the heads, and which counts the positions?</details>
#
# <details><summary>Hint 2</summary>One assignment is enough, with the same index on both sides.
# NumPy accepts a list of heads as an index, as well as a single number.</details>


# %%
def patch_head(Q, K, V, mask, other, head, place):
    # solution
    z = batched_attention(Q, K, V, mask)  # (n_heads, n, d_v)
    z[head, place] = other[head, place]
    return z
    # end solution


check("patch_head", patch_head)

# %%
patch_head = keep("patch_head")


def run(model, texts, layer, wrote=None, head=0, place=0):  # -> scores of the next token, and what the heads wrote
    outputs = []

    def attend(Q, K, V, mask):  # each (n_texts, n_heads, n, d_k); without `wrote`, nothing is put in
        see = np.tri(Q.shape[-2], dtype=bool)  # (n, n), the causal mask
        given = [None] * len(Q) if wrote is None else wrote
        outputs[:] = [
            batched_attention(q, k, v, see) if z is None else patch_head(q, k, v, see, z, head, place)
            for q, k, v, z in zip(Q, K, V, given)
        ]
        return np.array(outputs), np.zeros((*Q.shape[:-1], Q.shape[-2]))

    hidden = model(texts, attention={layer: attend}).hidden  # (n_texts, n, d_model)
    return model.next_scores(hidden[:, -1]), np.array(outputs)


# %%
wrote = [run(model, one, layer)[1] for layer in (0, 1)]  # (100, 4, 16, d_v) each
from_one, from_other = (b_over_d(run(model, texts, 0)[0]) for texts in (one, other))
print(f"B over D: {from_one:.1f} in text one, {from_other:.1f} in the other")

# %%
predict(
    "Into the other text we put what layer 1, head 1 wrote for text one, at the last place. What does the model answer there?",
    {
        "B": "That head has the highest score, but two other heads still say D.",
        "still D, but less surely": True,
        "D, exactly as before": "Then its neighbours would do all the work.",
    },
)

# %%
# answers prediction 2
last = one.shape[1] - 1
moved = np.zeros((2, 4))
for layer, head in np.ndindex(2, 4):
    moved[layer, head] = b_over_d(run(model, other, layer, wrote[layer], head, last)[0])
    print(f"layer {layer}, head {head} at the last place: B over D {moved[layer, head]:6.1f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# No single head flips the answer: three each move it part of the way, though not in the order of their scores.
# Layer 0 moves nothing here, because what it writes at the last A is almost the same in both texts.
#
# </details>
#
# What if you put in the outputs of all three induction heads at once?

# %%
for name, layer, head, place in (
    ("the three induction heads, last place", 1, [0, 1, 2], last),
    ("control: the fourth head, last place", 1, 3, last),
    ("control: the three, one place earlier", 1, [0, 1, 2], last - 1),
    ("control: the head that looks back, at B", 0, 1, 4),
):
    scores = run(model, other, layer, wrote[layer], head, place)[0]
    share, first = (scores.argmax(axis=-1) == B).mean(), LETTERS[scores[0].argmax()]
    print(f"{name:>40}: B over D {b_over_d(scores):6.1f}, answers B in {share:.0%}, {first} in the first text")

# %% [markdown]
# Now the answer flips: we exchanged three vectors, and the model answers with the letter that is right for text *one*.
# The controls matter as much as the result.
# The same heads change nothing one position earlier, so not every foreign vector will do, and the fourth head changes nothing either.
# And the head in layer 0 hardly moves the answer, although without that head the model did no better than counting.
# Its note says "before me came A" in both texts, whichever letter carries the note.
# A patch shows only what *differs* between two texts, so choose the texts according to what you want to know.
#
# ## The same patch on a review
#
# **Goal.** Trace the path of the verdict.
#
# Your function does not care which model it patches, so try the course's writer from lesson 17, with two orders, *praise* and *blame*.
# After *not very*, praise needs a bad adjective, and blame needs a good one.
# We measure how far the bad adjectives score above the good ones.

# %%
writer = load_writer()
praise, blame = (
    np.array([[WORDS.index(word) for word in f"[{order}] The movie was not very".split()]])
    for order in ("praise", "blame")
)
bad, good = ([WORDS.index(word) for word in words] for words in (BAD, GOOD))


# %%
def bad_over_good(scores):  # scores (1, 59)
    return scores[0, bad].mean() - scores[0, good].mean()


print(
    f"{bad_over_good(run(writer, praise, 0)[0]):.1f} for praise, {bad_over_good(run(writer, blame, 0)[0]):.1f} for blame"
)

# %%
places = [WORDS[token] for token in praise[0]]
for layer in (0, 1):
    z = run(writer, praise, layer)[1]  # (1, 4, 6, d_v)
    for place, word in enumerate(places):
        shown = [bad_over_good(run(writer, blame, layer, z, head, place)[0]) for head in range(4)]
        print(
            f"layer {layer}, at {word:>8}:", "  ".join(f"head {head} {value:5.1f}" for head, value in enumerate(shown))
        )

# %% [markdown]
# The verdict travels in two steps.
# In layer 0, one head carries it to *was* and to *not*; in layer 1, two heads carry it on to the last word, where the adjective is chosen.
# Everywhere else the exchange changes hardly anything, and blame stays blame.
#
# ### Try it: write with it
# In the text below the picture, the order is *blame*.
# - Which adjectives are likely?
#   Switch off layer 1, head 0; switch it on again, and switch off layer 0, head 0.
#   Which of the two heads does the verdict need, and which does the grammar need?
# - Press **Reset**, go back to *was*, and press *not*: which adjectives are likely now?
# - Press **Sample** until the full stop comes, first at temperature 0.3 and then at temperature 2.

# %%
NextWord(writer, "blame", ["The", "movie", "was", "very"])

# %% [markdown]
# ## Optional: ten seeds
#
# **Goal.** See whether another training run would have told a different story.
#
# Ten letter models like ours were tested after each tenth of their training.

# %%
heads = load_study("induction_study")  # nox -s writer_study; chance is 3.00 nats
middle = {name: np.median([row[name] for row in heads]) for name in heads[0]}  # of the ten seeds
print("tenth:", *(f"{i:5}" for i in range(1, 11)))
for name in ("score", "loss"):
    print(f"{name}:", *(f"{middle[f'{name}_{i}']:5.2f}" for i in range(1, 11)))

# %%
# answers prediction 1
cuts = {
    "cut": "the best head",
    "cut_two": "the best two",
    "cut_previous": "the one before",
    "cut_other": "the worst other",
}
for name, what in cuts.items():
    values = [row[name] for row in heads]
    print(f"without {what:>15}: {min(values):.2f} to {max(values):.2f}, in the middle {middle[name]:.2f}")
print("layer of the best head:", [int(row["layer"]) for row in heads])

# %% [markdown]
# The best head's score rises most in the second tenth, when the loss falls most.
# All ten end with such a head, in layer 1.
#
# <details><summary>What came out</summary>
#
# Cutting that head alone costs little.
# But every model needs the head in layer 0 that looks one token back: without that head, the loss is above 1.
#
# </details>

# %% [markdown]
# ## Optional: a text of your own
#
# A decoder can be trained on any text, character by character.
# Name a file or a folder in `own_text`; without one, the decoder reads this course's lessons.
# A few minutes of training are enough for words, but making sense takes far more text.

# %%
own_text, steps = None, 0  # a file or a folder; 3,000 steps take three or four minutes
own_rows, characters = character_rows(text_of(own_text))  # (n, 65)
example = "".join(characters[i - 2] for i in own_rows[9])
only_live(f"{len(characters)} different characters, {len(own_rows)} rows: {example!r}", "the text of the lessons")

# %%
if steps:
    from course_utils.models import writer_model

    own_model = writer_model.build_writer(len(characters) + 2, 64, d_model=96, d_wide=192)
    own_recipe = writer_model.RECIPE | {"steps": steps, "batch_size": 32, "short_first": 0}
    writer_model.train(own_model, own_rows, **own_recipe, on_epoch=LiveTraining(epochs=writer_model.EPOCHS).update)
    reader = writer_model.to_writer(own_model)

# %%
if steps:
    row = write([*own_rows[9, :8]], np.random.default_rng(4).random(56), 0.7, -1, *reader.parts())
    only_live("".join(characters[max(2, token) - 2] for token in row))

# %% [markdown]
# ## What we now know
#
# - A model learns while it reads, with all its weights fixed: after A B … A, it says B.
# - This takes two heads in successive layers: one that notes what came before, and an induction head that searches for the note.
# - A high score, or a cut that costs little, says little about a single head, because its neighbours may do the same work.
# - Activation patching asks the better question: which vector, put into another text, takes the answer with it?
#   It needs controls, another head and another position, and shows only what differs between the texts.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@olsson2022]: induction heads, why they take two layers, and how the loss falls when they form.
# - [@meng2022]: how patching finds where a large model stores a fact, such as the Space Needle's city.
# - [@zhang2023]: how the result of a patch depends on the texts, the measure, and what is put in.
#
# ## Next question
#
# Our models had two blocks and a few dozen words at most.
# Can the same functions run a real model, and open it up?
# Go on with [19_real_encoder](19_real_encoder.ipynb).
