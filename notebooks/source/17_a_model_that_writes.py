# %% [markdown]
# # 17 · A model that writes: one word after another
#
# **You will build** a small decoder that writes reviews, with its loss and its dice.
#
# **You will be able to**
# - turn a text into questions, which the causal mask keeps honest,
# - compute the loss of a writer, and the limit that none can beat,
# - draw the next word, more carefully or more boldly,
# - measure what was written.
#
# **You need** [06_masks](06_masks.ipynb) and [11_the_block](11_the_block.ipynb).
# The optional part on the cache also needs [16_cost_and_scale](16_cost_and_scale.ipynb).
# **Time:** {minutes} minutes, 2 of them while cells run.

# %%
import os
import time
from timeit import timeit

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}  # small matrices need no second core

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import NextWord
from course_utils.models import writer_model
from course_utils.models.writer_reader import load_study, load_writer
from course_utils.pictures.live_training import LiveTraining, only_live
from course_utils.pictures.plots import heatmap
from course_utils.tasks.review_grammar import limit, log_probability
from course_utils.tasks.review_task import PAD, VOCABULARY, make_reviews
from course_utils.tasks.writer_task import END, WORDS, held_against_the_grammar, in_words, writing_rows

# %%
look_back("17")

# %%
softmax, causal_mask_of, batched_attention = mine("stable_softmax", "causal_mask", "batched_attention")
split_heads, merge_heads = mine("split_heads", "merge_heads")
layer_norm, feed_forward, block = mine("layer_norm", "feed_forward", "block")

# %% [markdown]
# ## A text is many questions
#
# **Goal.** Turn a review into questions that a classifier can answer.
#
# After each word this model answers one question: which word comes next?
# This is called **next-token prediction**.
# To write, the model puts its answer behind the text and asks again.
# A model that does so is called **autoregressive**.
#
# The reviews are those of lesson [15](15_learning_not_good.ipynb), with the verdict first.

# %%
training = writing_rows(make_reviews(40_000, seed=0))  # (80000, 24): the verdict, the words, padding
fresh = make_reviews(500, split="held out", seed=1)  # 1,000 reviews that the training does not have
new = writing_rows(fresh)  # (1000, 24)
print(" ".join(in_words(new[0], verdict=True)))
print(" ".join(in_words(new[1], verdict=True)))

# %% [markdown]
# ### Exercise: `next_words` · 2 minutes
# `rows` is `(n, n_tokens)`: numbers of tokens, the verdict first, the padding last.
# The token at place i has to say which token stands at place i + 1.
# Return the pair `(inputs, targets)`, each `(n, n_tokens − 1)`: what the model reads, and what it should say.
#
# <details><summary>Hint 1</summary>The verdict is never a target.
# What is never an input?</details>
#
# <details><summary>Hint 2</summary>Two slices of the same rows, one of them shifted by one place.</details>


# %%
def next_words(rows):
    # solution
    return rows[:, :-1], rows[:, 1:]
    # end solution


check("next_words", next_words)

# %%
next_words = keep("next_words")
inputs, targets = next_words(new)  # (1000, 23) each
for place in range(6):
    print(f"{WORDS[inputs[0, place]]:>8} -> {WORDS[targets[0, place]]}")

# %% [markdown]
# The model answers all questions of a review in **one** pass: row i of the output answers question i.
# All answers but the last are also in the input, one place on, and only the causal mask of lesson [06](06_masks.ipynb) keeps row i from reading its own.
# The mask makes our stack of blocks a decoder.
#
# ### Exercise: `causal_attention` · 3 minutes
# `Q` and `K` are `(…, n, d_k)`, `V` is `(…, n, d_v)`: one row for each of `n` words.
# The dots are any leading axes, the same for all three: none, heads, or reviews and heads.
# Return the output `(…, n, d_v)` of attention in which each word looks at itself and at the words before it.
# A later word weighs exactly 0, however large its score is; an earlier one is never masked, whatever its score.
#
# <details><summary>Hint 1</summary>Two functions of yours do it: <code>causal_mask_of</code> and <code>batched_attention</code>.</details>
#
# <details><summary>Hint 2</summary>The mask is <code>(n, n)</code>, and one mask serves all heads of all reviews.
# Which axis of <code>Q</code> has length n, counted from the end?</details>


# %%
def causal_attention(Q, K, V):
    # solution
    return batched_attention(Q, K, V, causal_mask_of(Q.shape[-2]))  # (…, n, d_v)
    # end solution


check("causal_attention", causal_attention)

# %% [markdown]
# ## How wrong is it?
#
# **Goal.** Measure a writer with one number.
#
# At each place a softmax turns scores into probabilities of all words.
# The loss is minus the logarithm of the right word's: the cross-entropy of lesson [12](12_cls_classifier.ipynb).
# Padding does not count.
#
# $$\begin{gathered} L = -\frac{1}{\text{number of real words}} \sum_{\text{real words } y_{b,i}} \log \mathrm{softmax}(s_{b,i})_{y_{b,i}} \\[1ex] s\colon (n, T, n_{\text{words}}) \quad y\colon (n, T) \end{gathered}$$
#
# ### Exercise: `writing_loss` · 6 minutes
# `scores` is `(n, T, n_words)` and `targets` is `(n, T)`: the right word of each place, or `PAD`, which is 1, where the review is over.
# Return $L$, one number: the mean over all real words, in nats (the logarithm is `np.log`).
# It must be right for a score of 1,000, too.
#
# <details><summary>Hint 1</summary>log softmax(s) = s − max − log(sum(exp(s − max))): then no number is too large, and none becomes log(0).</details>
#
# <details><summary>Hint 2</summary><code>np.take_along_axis(logs, targets[..., None], axis=-1)</code> takes, at each place, the number of the right word.</details>


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
nothing_learned = np.zeros((*targets.shape, len(WORDS)))  # the same score for every word, (1000, 23, 59)
print(f"a writer that knows nothing: {writing_loss(nothing_learned, targets):.2f} nats a word")
often = nothing_learned + np.log(np.bincount(training[:, 1:][training[:, 1:] != PAD], minlength=len(WORDS)) + 1e-9)
print(f"one that only knows how often each word comes: {writing_loss(often, targets):.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>The mean runs over words, so a long review counts more than a short one.</details>
#
# $e^L$ is called the **perplexity**.
# A writer with a perplexity of 4 is on average as surprised as somebody who rolls a four-sided die.
#
# ## The limit
#
# **Goal.** Find the loss that no writer can beat.

# %%
predict(
    "A perfect writer knows the grammar by heart. What is its loss on new reviews?",
    {
        "0, because it knows everything": "It knows which words may come. Which of them does come was drawn by chance.",
        "above 0, because the grammar rolls dice": True,
        "nobody can know that": "For English, nobody can. But we have the program that draws these reviews.",
    },
)

# %% [markdown]
# Behind *The movie was* the grammar draws *really*, *funny* or *not*, for example.
# The best writer gives each word the probability with which it is drawn, and its loss is the entropy of the grammar, per word.
# `log_probability` adds up all ways in which the grammar comes to a review.

# %%
# answers prediction 1
for i in (0, 2, 4):
    words = fresh.reviews[i].words
    print(f"{-log_probability(fresh.reviews[i]) / len(words):.2f} nats a word: {' '.join(words)}")
best, error = limit(seed=1)  # estimated from these 1,000 reviews
print(f"limit: {best:.2f} nats a word, plus or minus {2 * error:.2f}; a perplexity of {np.exp(best):.1f}")

# %% [markdown]
# ## The model
#
# **Goal.** Train a decoder.
#
# - Each token has a learned vector, and each place a sinusoid, as in lesson [08](08_word_order.ipynb).
# - Two blocks of lesson [11](11_the_block.ipynb) follow, with four heads each, the norm *before* each part, and the causal mask.
# - After a last norm, one matrix and a bias score the words.
#
# The training takes a minute on two quiet cores; below the bar stands what the model writes.

# %%
seed = 0  # take any other whole number
model = writer_model.build_writer(seed=seed)
live = LiveTraining(epochs=writer_model.EPOCHS)
praise = len(VOCABULARY) + 1  # the number of [praise]


def redraw(epoch, logs):
    row = writer_model.to_writer(model).most_likely([praise])
    live.update(epoch, logs, says=" ".join(in_words(row, verdict=True)))


losses = writer_model.train(model, training, **writer_model.RECIPE, seed=seed, on_epoch=redraw)
writer = writer_model.to_writer(model)  # all its numbers as arrays
print(f"{model.count_params()} weights")


# %%
causal_attention = keep("causal_attention")


def my_block(part, X, mask, attention):  # X (batch, n, d_model); part holds the numbers of one block
    a, f, n = part.attention, part.feed_forward, X.shape[1]
    inside = layer_norm(X, *part.norms[0])  # (batch, n, d_model)
    cut = (len(X), n, a.n_heads, -1)
    Q, K, V = ((inside @ W).reshape(cut).swapaxes(1, 2) for W in (a.W_Q, a.W_K, a.W_V))  # (batch, heads, n, d_k)
    heads = causal_attention(Q, K, V)  # (batch, heads, n, d_k); the padding stands behind all words
    X = X + heads.swapaxes(1, 2).reshape(X.shape) @ a.W_O
    thought = feed_forward(layer_norm(X, *part.norms[1]), f.W_in, f.b_in, f.W_out, f.b_out)
    return X + thought, np.zeros((len(X), a.n_heads, n, n))  # the weights are not asked for here


# %%
hidden = writer(inputs, block=my_block).hidden  # (1000, 23, 48), by your functions
scores = writer.next_scores(hidden)  # (1000, 23, 59)
theirs = np.asarray(model(inputs[:50]))
print(f"your functions and Keras: at most {abs(scores[:50] - theirs)[targets[:50] != PAD].max():.3f} apart")
loss = writing_loss(scores, targets)
entropies = writer_model.keras.losses.sparse_categorical_crossentropy(targets, scores, from_logits=True)
by_keras = np.asarray(entropies)  # (1000, 23)
print(f"your loss and that of Keras: {abs(loss - by_keras[targets != PAD].mean()):.3f} apart")
only_live(
    f"new reviews: {loss:.3f} nats a word, limit {best:.3f}; perplexity {np.exp(loss - best):.3f} times the limit's"
)
print(f"perplexity within a tenth of the limit: {np.exp(loss - best) < 1.1}")

# %% [markdown]
# ## Too good to be true
#
# **Goal.** See what the causal mask is for.
#
# We train the same model without the mask: row i may look at its answer.

# %%
predict(
    "Without the mask the loss falls far below the limit. What does such a model write?",
    {
        "better reviews: its loss is lower": "Its loss is low because it reads the next word. When it writes, there is no next word.",
        "rubbish": True,
        "the reviews of the training, word for word": "It never had to learn any review: it copies the word that stands one place further on.",
    },
)

# %%
# answers prediction 2
leaky = writer_model.build_writer(seed=seed, causal=False)
losses = writer_model.train(leaky, training, **writer_model.RECIPE | {"steps": 240}, seed=seed)
print(f"without the mask, after 240 steps: {losses[-1]:.1f} nats a word")
row = [praise]
for _ in range(15):
    padded = np.array([row + [PAD] * (inputs.shape[1] - len(row))])  # (1, 23)
    row.append(int(np.argmax(leaky(padded)[0, len(row) - 1])))
only_live("it writes: " + " ".join(WORDS[token] for token in row))

# %% [markdown]
# So a loss far below the limit is never good news.
#
# ### Exercise: `too_good` · 4 minutes
# Four colleagues report the loss of a writer of these reviews, in nats.
# Decide what happened in each case, and put four words into `reports`: `"leak"`, `"padding"`, `"memorised"` or `"honest"`.
#
# 1. "0.97 on new reviews, as Keras prints it: the mean over all 23 places; the reviews it writes are mostly good."
# 2. "0.01 on new reviews, mean over the real words, but what it writes makes no sense at all."
# 3. "0.31 on the 200 reviews it was trained on, mean over the real words, and 2.9 on new ones."
# 4. "1.31 on new reviews, mean over the real words, and it writes well."
#
# <details><summary>Hint 1</summary>Three losses lie below the limit.
# Which come from new reviews, and which from places that are no words?</details>
#
# <details><summary>Hint 2</summary>A review has 17 words on average, its comma and its full stop among them, and a row has 23 places to answer.
# Padding is easy to predict.</details>

# %%
# solution
reports = ("padding", "leak", "memorised", "honest")
# end solution

check("too_good", reports)

# %% [markdown]
# <details><summary>About the solution</summary>1.31 times 17 real words, divided by 23 places, is 0.97: only the denominator is wrong.
# What it writes, or new reviews, tell the other two apart.</details>
#
# ## The dice
#
# **Goal.** Draw the next word, and write.
#
# To take the likeliest word each time is called **greedy**; it writes one review per verdict.
# To draw each word with the probability that the model gives it is called **sampling**.
# The temperature of lesson [02](02_softmax.ipynb) divides the scores: below 1 the writer is careful, above 1 bold.
#
# Lay the probabilities side by side on a line from 0 to 1, in the order of the words, and throw a point `u` onto it.
#
# ### Exercise: `sample_next` · 5 minutes
# `scores` is `(n_words,)`, `temperature` is above 0, and `u` is a number from 0 up to, but not including, 1.
# Return the number of the word on whose part of the line `u` lies.
# A part begins with its left end: with two words of probability 0.5 each, `u = 0.5` is word 1.
# Always return a word, also if rounding makes all probabilities together a little less than `u`.
#
# <details><summary>Hint 1</summary><code>np.cumsum(probabilities)</code> holds the right ends of all parts.</details>
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
after_was = writer.next_scores(writer([start], block=my_block).hidden)[0, -1]  # (59,)
points = np.random.default_rng(0).random(1000)


def likely(shares):  # the most likely words, and their shares (n_words,)
    return "  ".join(f"{WORDS[i]} {shares[i]:.2f}" for i in np.argsort(-shares)[:5])


for temperature in (0.3, 1.0, 3.0):
    drawn = [sample_next(after_was, temperature, u) for u in points]
    only_live(f"temperature {temperature}: {likely(np.bincount(drawn, minlength=len(WORDS)) / 1000)}")

# %% [markdown]
# <details><summary>About the solution</summary>One random number is enough, however many words there are to choose from.</details>
#
# Now the model writes: it draws a word for each review, puts it behind the others, and asks again.


# %%
def write(verdicts, temperature, rng):  # verdicts (n,) -> rows (n, n_tokens): the verdict, the words, padding
    rows = len(VOCABULARY) + np.array(verdicts)[:, None]  # (n, 1)
    while rows.shape[1] < training.shape[1]:
        scores = writer.next_scores(writer(rows, block=my_block).hidden[:, -1])  # (n, n_words)
        drawn = [sample_next(one, temperature, u) for one, u in zip(scores, rng.random(len(rows)))]
        over = np.isin(rows[:, -1], (END, PAD))  # (n,): these reviews have their full stop
        rows = np.column_stack([rows, np.where(over, PAD, drawn)])  # one place longer
    return rows


for row in write([1, 1, 0, 0], 1.0, np.random.default_rng(1)):
    only_live(" ".join(in_words(row, verdict=True)))

# %% [markdown]
# ## Ask the grammar
#
# **Goal.** Measure what was written.
#
# Is it a review, and does it have the verdict we asked for?

# %%
predict(
    "At which temperature does the grammar accept the most reviews?",
    {
        "0.5": True,
        "1": "That is how the grammar itself draws. But every small mistake of the model has its chance too.",
        "1.5": "Then unlikely words are drawn more often, and a word that the grammar forbids is an unlikely one.",
    },
)


# %%
# answers prediction 3
def written(temperature, n=200):
    rows = write(np.arange(n) % 2, temperature, np.random.default_rng(2))  # (n, 24)
    return rows, held_against_the_grammar(rows, training)


at = {temperature: written(temperature) for temperature in (0.5, 1.0, 1.5)}
for temperature, (_, found) in at.items():
    good, asked, unseen = (part.sum() for part in found)
    only_live(f"temperature {temperature}: {good} of 200 accepted; of these {asked} as asked, {unseen} new")
print("fewest accepted at temperature:", min(at, key=lambda t: at[t][1].accepted.sum()))

# %%
for times in (1, 4):  # writers trained like yours, and four times as long: nox -s writer_study
    seeds = [row for row in load_study() if row["times"] == times]
    for name in ("accepted", "obeyed", "twice", "times_limit"):
        values = [row[name] for row in seeds]
        print(f"{len(seeds)} seeds, {times} x the steps, {name:>11}: {min(values):.3f} to {max(values):.3f}")

# %% [markdown]
# All ten seeds nearly reach the limit's perplexity (`times_limit`), yet the grammar refuses three to five of a hundred reviews.
# Most of these say a phrase twice in one clause (`twice`), which the grammar never does.
# The loss is a mean over all words, so a rare mistake costs little.
# On three seeds, four times the steps leave a fifth to a half of the mistakes.
#
# ## Where a word looks while it is written
#
# **Goal.** Look at the heads, and cut them.
#
# The last row of the picture writes the next word.
# [praise] was asked for, and *never* turns the adjective: which are likely now?
#
# ### Try it: write with it
# Below the picture, the movie is blamed.
# - Which adjectives are likely?
#   Switch off layer 1, head 0; switch it on again, and switch off layer 0, head 0.
#   Which of them does the verdict need, which the grammar?
# - Press **Reset**, go back to *was*, and press *not*: which adjectives are likely now?
# - Press **Sample** until the full stop, at temperature 0.3 and at temperature 2.

# %%
words = ["[praise]", "The", "movie", "was", "never", "very"]
reading = writer([[WORDS.index(word) for word in words]])
only_live(likely(softmax(writer.next_scores(reading.hidden)[0, -1])))  # (59,)
heatmap(reading.weights[0, 1].mean(axis=0), words, words, title="layer 1, mean of the heads")
plt.show()

# %%
NextWord(load_writer(), "blame", ["The", "movie", "was", "very"])  # the course's; NextWord(writer) is yours

# %% [markdown]
# ## Optional: one row a word
#
# **Goal.** Write fast.
#
# So far each new word sends the whole review through both blocks again, though with a causal mask old rows never change.
# Now each block keeps its keys and values, as your `cached_step` does in lesson [16](16_cost_and_scale.ipynb), and computes one row.
#
# ### Exercise: `block_step` · 10 minutes
# One token goes through one block, the norm **before** each part.
# `x` is `(d_model,)`.
# `K` and `V`, the cache, are `(n, d_model)`: keys and values of the old tokens, with all heads side by side; at first `n` is 0.
# `W` `(4, d_model, d_model)`, `W_in`, `b_in`, `W_out`, `b_out`, `gains`, `biases` and `n_heads` are as for `block`.
# Call `layer_norm` and `feed_forward`; `split_heads`, `batched_attention` and `merge_heads` serve all heads at once.
# Return `(output, K, V)`: the output `(d_model,)` and the longer cache, the new token last.
#
# <details><summary>Hint 1</summary>Make the cache longer, then look: one query, <code>q[None]</code> <code>(1, d_model)</code>, and n + 1 keys.
# All of them may be seen: the mask is <code>np.ones((1, len(K)), dtype=bool)</code>.</details>
#
# <details><summary>Hint 2</summary>Put the outputs of the heads side by side, then multiply by <code>W[3]</code>, then add <code>x</code>.
# The second part starts from this sum.</details>


# %%
def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V):
    # solution
    inside = layer_norm(x, gains[0], biases[0])  # (d_model,)
    q, k, v = inside @ W[0], inside @ W[1], inside @ W[2]  # (d_model,) each
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (n + 1, d_model) each
    cut = split_heads(q[None], n_heads), split_heads(K, n_heads), split_heads(V, n_heads)  # (n_heads, …, d_k)
    looked = merge_heads(batched_attention(*cut, np.ones((1, len(K)), dtype=bool)))  # (1, d_model)
    x = x + looked[0] @ W[3]
    x = x + feed_forward(layer_norm(x, gains[1], biases[1]), W_in, b_in, W_out, b_out)
    return x, K, V
    # end solution


check("block_step", block_step)

# %%
block_step = keep("block_step")
parts = [writer.block_weights(layer) for layer in (0, 1)]  # each a BlockWeights, as in lesson 11
x, empty = writer.tokens[praise] + writer.positions[0], writer.tokens[:0]  # (d_model,), and no token yet
apart = block_step(x, *parts[0], 4, empty, empty)[0] - block(x[None], *parts[0], 4, "before")[0]
print(f"one token through block_step and through your block: {abs(apart).max():.4f} apart")


# %%
def step(model, token, n, caches):  # token number n goes through both blocks -> scores of the next one (59,)
    x = model.tokens[token] + model.positions[n]  # (d_model,)
    for layer in range(2):
        x, *caches[layer] = block_step(x, *parts[layer], 4, *caches[layer])
    return model.next_scores(x)


caches = [(empty, empty), (empty, empty)]
for n, token in enumerate(start):  # [praise] The movie was
    scores = step(writer, token, n, caches)
print(f"the scores of the next word, with the cache and without: {abs(scores - after_was).max():.3f} apart")

# %% [markdown]
# ### What the cache saves
#
# A cache pays on long texts, so the model gets 256 positions and random words.

# %%
n_text = 256
long = writer.with_positions(writer_model.positions(n_text, len(x)))  # sinusoids know no end
text = np.random.default_rng(3).integers(2, len(VOCABULARY), n_text)  # (256,)


def all_again():  # for each new token, the whole text so far
    for n in range(1, n_text + 1):
        long.next_scores(long(text[None, :n], block=my_block).hidden[0, -1])


def with_cache():
    caches = [(empty, empty), (empty, empty)]
    for n in range(n_text):
        step(long, text[n], n, caches)


slow, fast = (timeit(way, timer=time.thread_time, number=1) for way in (all_again, with_cache))
only_live(
    f"tokens a second: {n_text / slow:,.0f} without, {n_text / fast:,.0f} with the cache: {slow / fast:.0f} times"
)
print("the cache writes more than twice as fast:", slow > 2 * fast)

# %% [markdown]
# ## Optional: a text of your own
#
# A decoder can be trained on any text, character by character.
# Name a file or a folder in `own_text`; without one it reads this course's lessons.
# Some minutes of training give words; sense takes far more text.

# %%
from course_utils.tasks.writer_task import character_rows, text_of

own_text, steps = None, 0  # a file or a folder; 3,000 steps take three or four minutes
own_rows, characters = character_rows(text_of(own_text))  # (n, 65)
example = "".join(characters[i - 2] for i in own_rows[9])
only_live(f"{len(characters)} different characters, {len(own_rows)} rows: {example!r}")

# %%
if steps:
    own_model = writer_model.build_writer(len(characters) + 2, 64, d_model=96, d_wide=192)
    own_recipe = writer_model.RECIPE | {"steps": steps, "batch_size": 32, "short_first": 0}
    writer_model.train(own_model, own_rows, **own_recipe, on_epoch=LiveTraining(epochs=writer_model.EPOCHS).update)
    reader = writer_model.to_writer(own_model)

# %%
if steps:
    row, rng = list(own_rows[9, :8]), np.random.default_rng(4)
    while len(row) < 64:
        scores = reader.next_scores(reader([row]).hidden)[0, -1]  # (n_characters + 2,)
        row.append(max(2, sample_next(scores, 0.7, rng.random())))
    only_live("".join(characters[token - 2] for token in row))

# %% [markdown]
# ## Optional: a head that goes on
#
# *A B … A*: what comes next?
# A head that looks at the token *behind* the earlier *A*, and so says *B*, is called an **induction head**.
# Ten writers learned rows of random tokens that begin again after 8 to 16, and were tested after each tenth of the training.

# %%
heads = load_study("induction_study")  # nox -s writer_study; nats where the rows repeat, and chance is 3.00
middle = {name: np.median([row[name] for row in heads]) for name in heads[0]}  # of the ten seeds
print("tenth:", *(f"{i:5}" for i in range(1, 11)))
for name in ("score", "loss"):
    print(f"{name}:", *(f"{middle[f'{name}_{i}']:5.2f}" for i in range(1, 11)))

# %%
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
# The score is the mean weight that the best head gives to the token behind the earlier *A*.
# All ten writers have such a head at the end, in layer 1; the score rises most in the second tenth, when the loss falls most.
# Cut alone, it costs little: on nine seeds, another one (neither of the best two, nor the one before) costs more.
# Cut with the second best, it costs far more on most seeds.
# So neither a high score nor a cheap cut says how much a head is needed.
# Without the head of layer 0 that looks at the token before, the loss is above 1 on every seed.

# %% [markdown]
# ## What we now know
#
# - A text is one question for each of its words, and a decoder answers all in one pass.
# - The causal mask keeps that honest.
# - On average over new reviews, no writer beats the entropy of the grammar.
#   If a loss lies far below it, ask whether the model saw the answers, knew the reviews by heart, or was measured on padding.
# - A loss near the limit does not mean that every review is correct: ask the grammar.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@holtzman2019]: the likeliest text repeats itself, and how to leave out unlikely words before drawing.
# - [@olsson2022]: induction heads, which two layers can have and one cannot, and the fall of the loss when they form.
#
# ## Next question
#
# Do the same functions run a real, pretrained model?
# Go on with [19_real_encoder](19_real_encoder.ipynb).
