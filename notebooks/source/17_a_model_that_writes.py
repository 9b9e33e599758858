# %% [markdown]
# # 17 · A model that writes: how near can it come to the limit?
#
# ![](../images/machine_17.svg)
#
# With the cache of lesson [16](16_cost_and_scale.ipynb), one more word costs only one row, so a model can afford to write.
# But which word comes next?
# A reader of *The movie was not good* has all the words in front of it, whereas a writer has got only as far as *The movie was not …* and has to choose: *good*, *dull* or *really*?
# Even a careful reader could only guess.
# So how near can a writer come to the best that anyone could do, measured in **nats a word**?
#
# **You will build** a writer's loss, a function that draws the next word, and the loop that writes a whole review with your cache.
#
# **You will be able to**
# - compute a writer's loss, and compare it with the limit,
# - say what a loss tells you about a writer, and what it doesn't,
# - write a text word by word, carefully or boldly.
#
# **You need** [06_masks](06_masks.ipynb) and [16_cost_and_scale](16_cost_and_scale.ipynb).
# **Time:** {minutes} minutes, 2 of them while cells run.

# %%
import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # small matrices need no second core

import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import TheMachine
from course_utils.models import writer_model
from course_utils.models.writer_reader import load_study, load_writer
from course_utils.pictures.live_training import LiveTraining, only_live
from course_utils.tasks.review_grammar import limit, log_probability
from course_utils.tasks.review_task import PAD, VOCABULARY, make_reviews
from course_utils.tasks.writer_task import END, WORDS, in_words, judge_by_grammar, writing_rows

# %%
look_back("17")

# %%
softmax, causal_mask_of, batched_attention = mine("stable_softmax", "causal_mask", "batched_attention")
leak_test, block_step = mine("leak_test", "block_step")

# %% [markdown]
# ## A text is many questions
#
# **Goal.** Turn a review into questions.
#
# Who labels all the text that a model learns to write from?
# Nobody has to, because after each word we ask which word comes next, and the text contains the answer.
# This is called **next-token prediction**.
# To write, the model appends its own answer and predicts again.
# Such a model is called **autoregressive**.
# We use the reviews of lesson [15](15_learning_not_good.ipynb), each preceded by its verdict, which serves as an instruction.

# %%
fresh = make_reviews(500, split="held out", seed=1)  # 1,000 reviews that no training here will see
new = writing_rows(fresh)  # (1000, 24): the verdict, the words, padding
print(" ".join(in_words(new[0], verdict=True)))
print(" ".join(in_words(new[1], verdict=True)))

# %% [markdown]
# At position i we ask for the token at position i + 1, so questions and answers are the same row, shifted by one.
# The last position has no question, and the verdict is never an answer.

# %%
inputs, targets = new[:, :-1], new[:, 1:]  # (1000, 23) each: what a writer reads, and what it should say
for place in range(6):
    print(f"{WORDS[inputs[0, place]]:>8} -> {WORDS[targets[0, place]]}")

# %% [markdown]
# ## How wrong is it?
#
# **Goal.** Measure a writer with one number.
#
# At each position a writer scores all 59 words, and a softmax turns the scores into probabilities.
# The writer's surprise is minus the logarithm of the probability that it gave to the word that actually came, which is the cross-entropy of lesson [12](12_cls_classifier.ipynb).
# The mean over all real words is the number to watch.
#
# $$\begin{gathered} L = -\frac{1}{\text{number of real words}} \sum_{\text{real words } y_{b,i}} \log \mathrm{softmax}(s_{b,i})_{y_{b,i}} \\[1ex] s\colon (n, T, n_{\text{words}}) \quad y\colon (n, T) \end{gathered}$$
#
# ### Exercise: `writing_loss` · 5 minutes
# `scores` is `(n, T, n_words)` and `targets` is `(n, T)`: the right word at each position, or `PAD`, which is 1, once the review is over.
# Return $L$, one number: the mean surprise over all real words, in nats (the logarithm is `np.log`).
# It must be right for a score of 1,000, too.
#
# <details><summary>Hint 1</summary>log softmax(s) = s − max − log(sum(exp(s − max))): this avoids huge exponentials and log(0).</details>
#
# <details><summary>Hint 2</summary><code>np.take_along_axis(logs, targets[..., None], axis=-1)</code> picks out the right word's number at each position.</details>


# %%
def writing_loss(scores, targets):
    # solution
    shifted = scores - scores.max(axis=-1, keepdims=True)  # (n, T, n_words)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # (n, T, n_words)
    right = np.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]  # (n, T)
    return -right[targets != PAD].mean()
    # end solution


check("writing_loss", writing_loss)

# %%
writing_loss = keep("writing_loss")
ladder = {}  # the name of each writer, and its loss


def stand(name, loss):  # one more writer: all losses so far, as numbers and as bars
    ladder[name] = loss
    for one, nats in ladder.items():
        print(f"{one:>20} {round(float(nats), 2):4} nats a word {'█' * round(10 * nats)}")


nothing_learned = np.zeros((*targets.shape, len(WORDS)))  # the same score for every word, (1000, 23, 59)
stand("knows nothing", writing_loss(nothing_learned, targets))

# %% [markdown]
# <details><summary>About the solution</summary>The mean runs over words, so a long review counts more than a short one.</details>
#
# Two writers that only count do better than the one that knows nothing: the first counts how often each word occurs in 4,000 reviews, and the second counts how often one word follows another.

# %%
some = writing_rows(make_reviews(2_000, seed=0))  # (4000, 24), to learn from
read, said = some[:, :-1], some[:, 1:]  # (4000, 23) each

# %%
counts = np.full((len(WORDS), len(WORDS)), 1e-3)
np.add.at(counts, (read[said != PAD], said[said != PAD]), 1)  # row: the word before, column: the next word
ladder["word frequencies"] = writing_loss(nothing_learned + np.log(counts.sum(axis=0)), targets)
stand("the word before", writing_loss(np.log(counts)[inputs], targets))

# %% [markdown]
# A loss in nats is hard to picture, so people often quote $e^L$, the **perplexity**: at a perplexity of 4, a writer is on average as surprised as somebody rolling a four-sided die.
#
# ## The limit
#
# **Goal.** Find the loss that no writer can beat.

# %%
predict(
    "A perfect writer knows the grammar by heart. What is its loss on new reviews?",
    {
        0: "A perfect writer knows which words may come next, but chance chooses one of them.",
        0.6: "That would be a choice between two words on average. This grammar leaves more words open.",
        1.3: "That is a perplexity of 3.6: the grammar keeps rolling dice, and nobody can predict dice.",
    },
    answer=lambda: round(limit(seed=1)[0], 1),
)

# %%
# answers prediction 1
for review in fresh.reviews[:6:2]:
    print(f"{-log_probability(review) / len(review.words):.2f} nats a word: {' '.join(review.words)}")
best, error = limit(seed=1)  # estimated from these 1,000 reviews
print(f"limit: {best:.2f} nats a word, plus or minus {2 * error:.2f}; a perplexity of {np.exp(best):.1f}")
stand("THE LIMIT", best)

# %% [markdown]
# <details><summary>What came out</summary>
#
# After *The movie was* our grammar may draw *really*, *funny* or *not*, and no amount of cleverness can predict a die.
# The best writer gives each word the probability with which it is drawn, and the surprise that remains is the entropy of the grammar.
# We have the program that rolls the dice, so `log_probability` can add up the probabilities of all the ways to produce a review.
# A writer that sees only the previous word comes within a third of a nat of this limit, but no nearer, because at the adjective it has forgotten the verdict and any earlier *not*.
#
# </details>
#
# ## A first try
#
# **Goal.** Train a model that sees the whole review.
#
# Now we train a writer that doesn't only count: two blocks from lesson [11](11_the_block.ipynb), with four heads each, read a review and answer all its questions in **one** pass; row i of the output answers question i.
# First, we let every row look at every token, as in lesson 15.

# %%
seed = 0  # take any other whole number
praise = len(VOCABULARY) + 1  # the number of [praise]
sees_all = writer_model.build_writer(seed=seed, causal=False)
live = LiveTraining(epochs=writer_model.EPOCHS, recorded="after 240 steps: 0.0 nats a word")
losses = writer_model.train(
    sees_all,
    some,
    **writer_model.RECIPE | {"steps": 240},
    seed=seed,
    on_epoch=lambda epoch, logs: live.update(epoch, logs),
)
print(f"without the mask, after 240 steps: {losses[-1]:.1f} nats a word")

# %%
predict(
    "The loss has fallen far below the limit. What does such a model write?",
    {
        "better reviews: its loss is lower": "Its loss is low because it reads the next word, but when it writes, there is none.",
        "rubbish": True,
        "the reviews of the training, word for word": "It never had to learn a review, because it copies the word one position further on.",
    },
)

# %%
# answers prediction 2
row = [praise]
for _ in range(15):
    padded = np.array([row + [PAD] * (inputs.shape[1] - len(row))])  # (1, 23)
    row.append(int(np.argmax(sees_all(padded)[0, len(row) - 1])))
only_live("it writes: " + " ".join(WORDS[token] for token in row))
print("its grammar is right:", judge_by_grammar([row], some).accepted[0])
stand("looks everywhere", round(writing_loss(np.asarray(sees_all(inputs)), targets), 1))

# %% [markdown]
# <details><summary>What came out</summary>
#
# The course's own model wrote *The music was boring . . bad , and the whole boring . . .*
# All the answers but the last are in the input too, one position further on, and copying them is all that such a model learns.
# A loss far below the limit is never good news: here the answers leaked.
#
# </details>
#
# Your `leak_test` from lesson [06](06_masks.ipynb) finds the reason without training: it changes one word at a time, and reports which scores move.

# %%
review = np.eye(len(WORDS))[inputs[0]]  # (23, 59), a one-hot vector for each word
masked = writer_model.build_writer(seed=seed)  # the same model with the causal mask, not trained yet
leaks = [np.triu(leak_test(writer_model.on_one_row(one), review), 1).sum() for one in (sees_all, masked)]
print("scores that move when a later word changes: {} without the mask, {} with it".format(*leaks))

# %%
predict(
    "“0.96 nats on new reviews”, says a colleague, “the mean over all 23 places, and what it writes is mostly good.” What happened?",
    {
        "a leak: it sees its answers": "Then the loss would be far lower, and its texts would be rubbish.",
        "it knows the reviews by heart": "These reviews are new, so nothing learned by heart helps here.",
        "padding was counted": True,
        "nothing: it is better than the limit": "On average over new reviews, no model beats the limit.",
    },
)

# %%
# answers prediction 3
share = (targets != PAD).mean()
print(f"real words: {share:.0%} of all places, so an honest 1.31 nats a word are {1.31 * share:.2f} nats a place")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Only the denominator is wrong: padding is easy to predict, so it adds next to nothing to the sum, but each padded position still counts.
# So ask three questions about a loss below the limit: what does the model see, which reviews was it tested on, and over what is the mean taken?
#
# </details>
#
# ## Only what stands before
#
# **Goal.** Train the same model honestly.
#
# You have had the cure since lesson [06](06_masks.ipynb): under the causal mask, row i sees only the tokens up to i, so its answer is out of sight, and our stack of blocks becomes a decoder.
# On two idle cores, the training takes a minute.

# %%
course = load_writer()  # trained like yours: the recorded runs below are its own
recorded = f"the course's writer, seed 0: {' '.join(in_words(course.most_likely([praise]), verdict=True))}"
live = LiveTraining(epochs=writer_model.EPOCHS, recorded=recorded)
training, model = writing_rows(make_reviews(40_000, seed=0)), writer_model.build_writer(seed=seed)  # (80000, 24)


def redraw(epoch, logs):
    row = writer_model.to_writer(model).most_likely([praise])
    live.update(epoch, logs, says=" ".join(in_words(row, verdict=True)))


writer_model.train(model, training, **writer_model.RECIPE, seed=seed, on_epoch=redraw)
writer = writer_model.to_writer(model)  # all its numbers as arrays
print(f"{model.count_params()} weights")


# %%
def only_before(Q, K, V, mask):  # each (batch, heads, n, d_k); your functions, and no weights are asked for
    return batched_attention(Q, K, V, causal_mask_of(Q.shape[-2])), np.zeros((*Q.shape[:-1], K.shape[-2]))


def loss_of(one, rows):  # the loss of a writer on these rows, its attention by your functions
    return writing_loss(one.next_scores(one(rows[:, :-1], attention=only_before).hidden), rows[:, 1:])


times = "perplexity {:.3f} times the limit's"

# %%
# answers prediction 1
apart = writer.next_scores(writer(inputs[:50], attention=only_before).hidden) - np.asarray(model(inputs[:50]))
print(f"your attention and Keras: at most {abs(apart[targets[:50] != PAD]).max():.3f} apart")
loss, recorded = loss_of(writer, new), loss_of(course, new)
stand("looks back", loss)
only_live("yours: " + times.format(np.exp(loss - best)), "the course's: " + times.format(np.exp(recorded - best)))

# %% [markdown]
# That is very near the limit, because a head can fetch the verdict and the *not*, however far back they are.
#
# ## Draw the next word
#
# **Goal.** Choose one word out of 59.
#
# The model hands you 59 probabilities, and you have to choose one word.
# Always taking the likeliest word is called **greedy**; drawing each word with the probability that the model gives it is called **sampling**.
# The temperature from lesson [02](02_softmax.ipynb) divides the scores: the writer is careful below 1, and bold above 1.
# How do you draw from 59 unequal probabilities with a single random number?
# Lay the probabilities side by side on a line from 0 to 1, in the order of the words, and drop the random point `u` onto it: the longer a word's part, the more likely it is to be hit.
#
# ### Exercise: `sample_next` · 5 minutes
# `scores` is `(n_words,)`, `temperature` is above 0, and `u` is a number from 0 up to, but not including, 1.
# Return the number of the word whose part of the line contains `u`.
# A part includes its left end: with two words of probability 0.5 each, `u = 0.5` means word 1.
# Always return a word, even if rounding makes all probabilities together a little less than `u`.
#
# <details><summary>Hint 1</summary><code>np.cumsum(probabilities)</code> contains the right ends of all parts.</details>
#
# <details><summary>Hint 2</summary><code>np.searchsorted(ends, u, side="right")</code> counts the ends that are not above <code>u</code>.</details>


# %%
def sample_next(scores, temperature, u):
    # solution
    probabilities = softmax(scores / temperature)  # (n_words,)
    ends = np.cumsum(probabilities)  # (n_words,)
    return min(np.searchsorted(ends, u, side="right"), len(scores) - 1)
    # end solution


check("sample_next", sample_next)

# %%
sample_next = keep("sample_next")
start = [praise, *(WORDS.index(word) for word in ("The", "movie", "was"))]
after_was = course.next_scores(course([start]).hidden)[0, -1]  # (59,)

# %%
for temperature in (0.3, 1.0, 3.0):
    drawn = [sample_next(after_was, temperature, u) for u in np.random.default_rng(0).random(1000)]
    shares = np.bincount(drawn, minlength=len(WORDS)) / 1000  # (59,)
    print(f"temperature {temperature}:", "  ".join(f"{WORDS[i]} {shares[i]:.2f}" for i in np.argsort(-shares)[:6]))


# %% [markdown]
# ## The loop that writes
#
# **Goal.** Write whole reviews with your cache.
#
# You have built all the parts: `block_step` sends one word through a block, and `sample_next` draws the next word.
# Only the loop around them is missing, and it decides a lot: which words go in and in which order, what is kept from word to word, whose scores choose the next word, and when the text ends.
#
# ### Exercise: `write` · 12 minutes
# `words` is a list: the first words of a text, at least one.
# `u` is `(n,)`: at most one word is written for each number in `u`, in that order.
# `end` is the number of the word that ends a text; it is not among `words`.
# The model comes in four parts:
# - `tokens` `(n_words, d_model)` and `positions` `(n_places, d_model)`: word `t` at place `i`, counted from 0, begins as `tokens[t] + positions[i]`, and you cannot count on more places than words that go in,
# - `blocks` is a list, the first block first: `x, K, V = block_step(x, *block, K, V)` sends one word through a block.
#   Each block has a cache of its own, and at first both arrays in it are empty, `(0, d_model)`,
# - `next_scores` is a function that turns the last block's output for a word, `(d_model,)`, into the scores of the word after it, `(n_words,)`.
#
# Read the first words one by one.
# Then draw with `sample_next`, at the given `temperature`, until `end` is drawn or `u` is used up.
# Return a list of all words: the first ones and the written ones, including `end` if it was drawn.
#
# <details><summary>Hint 1</summary>Which words have to go through the blocks before the first draw?
# And which other word has to go through before the second draw?</details>
#
# <details><summary>Hint 2</summary>One loop over the places is enough: at each place one word goes in, and if it is the last word of the row, its scores choose the next one.
# The last word that you write never has to be read.</details>
#
# <details><summary>Hint 3</summary>Each block's cache begins as a pair of arrays, both <code>np.zeros((0, d_model))</code>.
# With a list <code>caches</code> of such pairs, <code>x, *caches[layer] = block_step(x, *block, *caches[layer])</code> puts the longer cache back.</details>


# %%
def write(words, u, temperature, end, tokens, positions, blocks, next_scores):
    # solution
    empty = np.zeros((0, tokens.shape[1]))  # no keys yet, and no values
    row, caches = list(words), [(empty, empty) for _ in blocks]
    for place in range(len(words) + len(u) - 1):
        x = tokens[row[place]] + positions[place]  # (d_model,)
        for layer, block in enumerate(blocks):
            x, *caches[layer] = block_step(x, *block, *caches[layer])
        if place + 1 == len(row):  # the last word so far: its scores choose the next one
            row.append(sample_next(next_scores(x), temperature, u[len(row) - len(words)]))
        if row[-1] == end:
            break
    return row
    # end solution


check("write", write)

# %% [markdown]
# <details><summary>About the solution</summary>Reading and writing are one loop: the only difference is whether the next word is there already.
# Large models read the first words in one pass, as in training, and fill their caches on the way.</details>

# %%
write = keep("write")
likeliest = write([praise], np.full(23, 0.5), 1e-6, END, *course.parts())
print("word by word:  ", " ".join(in_words(likeliest)))
print("in whole passes:", " ".join(in_words(course.most_likely([praise]))))


# %%
def reviews(parts, n=4, temperature=1.0):  # n rows (24,), half of them praise: the verdict, the words, padding
    u = np.random.default_rng(1).random((n, 23))
    rows = [write([len(VOCABULARY) + i % 2], u[i], temperature, END, *parts) for i in range(n)]
    return np.array([[*row, *[PAD] * (24 - len(row))] for row in rows])


yours, theirs = (
    "\n".join(" ".join(in_words(row, verdict=True)) for row in reviews(one.parts())) for one in (writer, course)
)
only_live("your writer:\n" + yours, recorded="the course's writer:\n" + theirs)

# %% [markdown]
# ## Optional: cut the order
#
# The course's writer has read *[blame] The movie was very*, and is choosing the next word.
# - Cut the thick line from *[blame]* to *very*: what does the writer choose now?
# - Put the line back, and take whole heads away, one by one.
#   Which of the eight heads does the writer need in order to obey?

# %%
TheMachine(course, "[blame] The movie was very")

# %% [markdown]
# ## Ask the grammar
#
# **Goal.** Find out what the loss hides.
#
# Are the texts really reviews, with the verdict we asked for?


# %%
def judged(name, rows, nats):
    accepted, obeyed, unseen = (part.sum() for part in judge_by_grammar(rows, some))
    return f"{name:>15}: {accepted:3} of 100 accepted; of these {obeyed} as asked, {unseen} new; {nats:.2f} nats a word"


def at_temperatures(one):  # what a writer writes, and how much its own words surprise it
    rows = {t: reviews(one.parts(), 100, t) for t in (0.5, 1.0, 1.5)}
    return "\n".join(judged(f"temperature {t}", written, loss_of(one, written)) for t, written in rows.items())


# %%
logs = np.log(counts / counts.sum(axis=1, keepdims=True))  # (59, 59)
counted = reviews((np.eye(59), np.zeros((23, 59)), [], lambda x: x @ logs), 100)  # a writer without any block
print(judged("the word before", counted, writing_loss(logs[counted[:, :-1]], counted[:, 1:])))
only_live("your writer:\n" + at_temperatures(writer), recorded="the course's writer:\n" + at_temperatures(course))

# %%
seeds = [row for row in load_study() if row["times"] == 1]  # writers trained like yours: nox -s writer_study
for name in ("times_limit", "accepted", "obeyed", "twice"):
    values = [row[name] for row in seeds]
    print(f"{len(seeds)} seeds, {name:>11}: {min(values):.3f} to {max(values):.3f}")

# %% [markdown]
# With all ten seeds, the writer's perplexity comes within two per cent of the limit's.
# Yet the grammar rejects three to five of every hundred reviews, mostly because a clause repeats a phrase (`twice`), which the grammar never does.
# At a temperature of 1.5 the grammar rejects more reviews, but the writer's surprise at its own words hardly rises.
# The loss is a mean over all words, so a rare mistake costs little.
#
# ## What we now know
#
# - A decoder answers all its questions in one pass, and the causal mask keeps the answers honest.
# - On average over new reviews, no writer beats the entropy of the grammar.
#   If a loss is far below that, the model saw the answers, knew the reviews by heart, or was measured on padding.
# - Two blocks that look back came within two per cent of the limit's perplexity, but a few of their reviews are wrong, so ask the grammar too.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@holtzman2019]: that the likeliest text repeats itself, and how to leave out unlikely words before drawing.
# - [@brown2020]: the loss of larger and larger decoders on real text (Figure 3.1).
#
# ## Next question
#
# The verdict was many words back, and yet it found its way to the adjective.
# How does a model use what it read a moment ago?
# Go on with [18_learning_in_context](18_learning_in_context.ipynb).
