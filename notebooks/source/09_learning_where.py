# %% [markdown]
# # 09 · Learning where to look: a reader trained with your gradients
#
# **You will build** a small reader in NumPy that finds out by itself where to look, step by step, with the gradients that you wrote.
#
# **You will be able to**
# - train a model by hand: read, find the gradient, take a step,
# - watch what is learned first, and test the reason with a control,
# - say when attention cannot learn.
#
# **You need** [02_softmax](02_softmax.ipynb), [08_word_order](08_word_order.ipynb) and [10_gradient_by_hand](10_gradient_by_hand.ipynb).
# **Time:** {minutes} minutes.

# %%
from collections import namedtuple

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.pictures.plots import curves, heatmap, row_bars

# %%
look_back("09")

# %%
softmax = mine("stable_softmax")
softmax_gradient, attention_gradient = mine("softmax_gradient", "attention_gradient")

# %% [markdown]
# ## Six critics
#
# **Goal.** Meet a task in which everything depends on where the model looks.
#
# *Self-Attention: Teaching Machines to Focus*, one of our five texts, says that a model learns where to look "purely from training signal, with no hand-crafted rules".
# We test this on a model so small that you can watch every part of it.
#
# Six critics give each film a grade from 1 to 10.
# The audience follows critic 4: it likes the film if this grade is above 5.
# The other five only make noise.
# A film is a row of seven tokens: token 0, written `?`, which asks, and the six grades.
# So critic 4 stands at position 4.
# We call our model a *reader*.
# It sees many films, and for each one whether the audience liked it.
# Nobody tells it about critic 4.


# %%
def films(n, seed):
    grades = np.random.default_rng(seed).integers(1, 11, size=(n, 6))
    tokens = np.column_stack([np.zeros(n, dtype=int), grades])  # (n, 7): “?” and six grades
    return tokens, (grades[:, 3] > 5).astype(float)  # the audience follows critic 4


# %%
tokens, labels = films(4000, seed=0)  # to train
new_tokens, new_labels = films(4000, seed=1)  # to test
print("a film: ?", *tokens[0, 1:], "  liked:", int(labels[0]))
many = (new_tokens[:, 1:] > 5).sum(axis=1) > 3  # (n,): more than half of the grades are high
print(f"accuracy of counting high grades: {np.mean(many == new_labels):.2f}")

# %% [markdown]
# A reader that only counts high grades is right in two films of three.
# Keep this number in mind.
#
# ## A step downhill
#
# **Goal.** Turn a gradient into learning.
#
# If a step *against* the gradient is small enough, it makes the loss smaller.
# To take such steps again and again is called **gradient descent**.
# We begin with the last part of our reader, the *read-out*.
# It turns the output of attention, $x$, into a probability $p = 1 / (1 + e^{-(x \cdot w + b)})$.
# The loss of one film is minus the logarithm of the probability of the right label, and we take the mean over $n$ films.
# Its gradient at $x \cdot w + b$ is short: it is the error $e = (p - \text{label}) / n$.
# By the chain rule, the gradient at $w$ is this error times $x$, summed over the films.
# So a step with learning rate $\eta$ is
#
# $$\underset{(d)}{w} \;\leftarrow\; \underset{(d)}{w} - \eta\,\underset{(d,\,n)}{X^\top}\,\underset{(n)}{e} \qquad\quad b \;\leftarrow\; b - \eta \sum_{i=1}^{n} e_i$$
#
# ### Exercise: `train_step` · 5 minutes
# `X` is `(n, d)`, `labels` `(n,)`, `w` `(d,)`, `b` a number.
# Take one step: subtract `learning_rate` times the gradient.
# Return the new tuple `(w, b)`; leave the old arrays unchanged.
#
# <details><summary>Hint 1</summary>First <code>error = (p - labels) / n</code>.
# If you nudge one number of w, then <code>X @ w</code> moves by a column of X.</details>
#
# <details><summary>Hint 2</summary>The gradient of w is <code>X.T @ error</code>, that of b is <code>error.sum()</code>.</details>


# %%
def train_step(w, b, X, labels, learning_rate):
    # solution
    p = 1 / (1 + np.exp(-(X @ w + b)))  # (n,)
    error = (p - labels) / len(labels)  # (n,)
    return w - learning_rate * X.T @ error, b - learning_rate * error.sum()
    # end solution


check("train_step", train_step)

# %%
train_step = keep("train_step")
w, b = np.zeros(1), 0.0
grade = tokens[:, 4:5] - 5.5  # (n, 1): what critic 4 said, so that 0 is the middle
for _ in range(100):
    w, b = train_step(w, b, grade, labels, learning_rate=0.5)
right = (grade @ w + b > 0) == labels
print(f"100 steps on the grade of critic 4: w {w[0]:.2f}, accuracy {right.mean():.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>
# Both results come from the old <code>w</code> and <code>b</code>.
# Instead of <code>/ len(labels)</code> you may take the sum and a smaller rate; with the mean the size of a step does not grow with the number of films.</details>
#
# When we hand over the right critic, 100 steps are enough.
# Now the reader has to find that critic.
#
# ## The reader
#
# **Goal.** Go from the error at the answer back to every number of the reader.
#
# Each token has a vector, a row of `E`, and each position has one, a row of `P`.
# Their sum is `X`, as in lesson 08.
# Row 0, `?`, is the only query; all rows are keys and values.
# The read-out from above turns the output of that query into $p$:
#
# $$\underset{(7,\,4)}{X} = E[\text{tokens}] + P \qquad \underset{(4)}{x} = \mathrm{softmax}\Bigl(\frac{X_0\,X^\top}{\sqrt{4}}\Bigr)\,X \qquad p = \frac{1}{1 + e^{-(x \cdot w + b)}}$$
#
# Nothing in these formulas knows position 4.

# %%
Reading = namedtuple("Reading", "X weights output p")


def start(seed):
    rng = np.random.default_rng(seed)
    return [0.1 * rng.normal(size=shape) for shape in ((11, 4), (7, 4), (4,), ())]  # E, P, w, b


def read(E, P, w, b, tokens):
    X = E[tokens] + P  # (n, 7, 4)
    weights = softmax(X[:, :1] @ np.swapaxes(X, -1, -2) / np.sqrt(4))  # (n, 1, 7)
    output = (weights @ X)[:, 0]  # (n, 4)
    return Reading(X, weights[:, 0], output, p=1 / (1 + np.exp(-(output @ w + b))))


# %% [markdown]
# Your `attention_gradient` takes leading axes, so it goes through many films at once.
# Here it gets two, and a gradient of 1 at each number of the output.

# %%
X = read(*start(0), tokens[:2]).X  # (2, 7, 4)
dQ, dK, dV = attention_gradient(X[:, :1], X, X, np.ones((2, 1, 4)))
print("shapes:", dQ.shape, dK.shape, dV.shape)
print("what the values of film 0 get:", dV[0, :, 0].round(2))

# %% [markdown]
# Each value gets its weight, and at the start all weights are nearly equal.
#
# ### Exercise: `reader_gradient` · 10 minutes
# Write the way back from the output to the vectors, for many films at once.
# `E` is `(n_tokens, d)`, `P` `(length, d)`, `tokens` `(n, length)`.
# `gradient` is `(n, d)`: how $L$ reacts to the output of row 0.
# Return the tuple `(dE, dP)`, with the shapes of `E` and `P`.
#
# Call your `attention_gradient`.
# It takes one query for each film, `X[:, :1]`, with `X` as keys and as values.
# Each row of `X` has several roles, and gets a gradient from each.
# Then `X = E[tokens] + P` is undone: a token adds up what it gets at all its places, in all films.
#
# <details><summary>Hint 1</summary>The gradient of the output needs an axis for the query: <code>gradient[:, None]</code>.
# Keys and values are all rows; the query is row 0 alone.</details>
#
# <details><summary>Hint 2</summary><code>tokens == 7</code> picks all places of token 7, and <code>dX[tokens == 7]</code> holds their gradients.
# In <code>dE[tokens] += dX</code> a token that stands there twice is counted once; <code>np.add.at(dE, tokens, dX)</code> counts all.</details>


# %%
def reader_gradient(E, P, tokens, gradient):
    # solution
    X = E[tokens] + P  # (n, length, d)
    dQ, dK, dV = attention_gradient(X[:, :1], X, X, gradient[:, None])
    dX = dK + dV  # (n, length, d): each row as a key and as a value
    dX[:, :1] += dQ  # row 0 as the query, too
    dE = np.zeros(E.shape)
    np.add.at(dE, tokens, dX)  # a token adds up what it gets at all its places
    return dE, dX.sum(axis=0)
    # end solution


check("reader_gradient", reader_gradient)

# %%
reader_gradient = keep("reader_gradient")


# %%
E, P, w, b = start(0)


def loss():  # minus the log of the probability of the right label
    return -np.log(np.abs(labels - 1 + read(E, P, w, b, tokens).p)).mean()


def nudged(array, place, step=1e-4):
    middle, ends = array[place], []
    for array[place] in (middle + step, middle - step, middle):
        ends.append(loss())
    return (ends[0] - ends[1]) / (2 * step)


# %%
error = (read(E, P, w, b, tokens).p - labels) / len(labels)  # (n,): how L reacts to x · w + b
dE, dP = reader_gradient(E, P, tokens, np.outer(error, w))
print(f"E[7, 0]: yours {dE[7, 0]:.2e}, nudged {nudged(E, (7, 0)):.2e}")
print(f"P[4, 0]: yours {dP[4, 0]:.2e}, nudged {nudged(P, (4, 0)):.2e}")

# %% [markdown]
# <details><summary>About the solution</summary>
# The line <code>dX[:, :1] += dQ</code> is easy to forget; without it attention stays nearly even here, and the accuracy far below 1.
# <code>E[7, 0]</code> and <code>P[4, 0]</code> do not show the mistake, because they are never in row 0; <code>P[0, 0]</code> does.
# A loop over the tokens, <code>dE[t] = dX[tokens == t].sum(axis=0)</code>, is as right as <code>np.add.at</code>, and easier to read.</details>
#
# ## What, then where
#
# **Goal.** Watch what is learned first.

# %%
predict(
    "What will the reader learn first?",
    {
        "where to look: critic 4": "A score learns from differences between values. At the start all values are nearly the same.",
        "what a grade means": True,
        "both at the same time": "Before the values differ, every g lies near the average, and hardly any gradient reaches a score.",
    },
)

# %% [markdown]
# Training repeats four things: take 100 films, read them, go back, and move all the numbers one step.
# One *epoch* is a pass over all 4,000 films, which is 40 steps.
# Your `reader_gradient` and `train_step` are called in each step, and your `attention_gradient` inside the first of them.
# `hold` is for later; now it changes nothing.


# %%
def train(seed=0, hold=lambda *numbers: numbers, epochs=10, rate=0.7, begin=None):
    numbers, rng = hold(*(begin or start(seed))), np.random.default_rng(seed)
    history = [numbers]
    for _ in range(epochs):
        for batch in rng.permutation(4000).reshape(-1, 100):
            E, P, w, b = numbers
            reading = read(*numbers, tokens[batch])
            error = (reading.p - labels[batch]) / len(batch)  # (100,)
            dE, dP = reader_gradient(E, P, tokens[batch], np.outer(error, w))
            w, b = train_step(w, b, reading.output, labels[batch], rate)
            numbers = hold(E - rate * dE, P - rate * dP, w, b)
        history.append(numbers)
    return history  # the numbers at the start, and after each epoch


# %%
# answers prediction 1
def accuracy(numbers):
    return np.mean((read(*numbers, new_tokens).p > 0.5) == new_labels)  # on films that it never saw


def looks(numbers):
    return read(*numbers, new_tokens).weights.mean(axis=0)  # (7,)


history = train()
rows = np.stack([looks(numbers) for numbers in history])  # (epochs + 1, 7)
places = ["?", *(f"critic {i}" for i in range(1, 7))]
ax = plt.subplots(figsize=(7.5, 3.6))[1]
heatmap(rows, range(11), places, title="Where “?” looks, epoch by epoch", vmax=1, ax=ax)
ax.set_ylabel("“?” after epoch")
print("critic 4 after 0, 4, 5, 10 epochs:", rows[[0, 4, 5, 10], 4].round(2))
plt.show()

# %% [markdown]
# The next table also shows what the reader knows, and what pushes the score of critic 4.
# The column *what* says how much a high grade raises $x \cdot w + b$ over a low one, if all weight lies on it.


# %%
def score_gradients(numbers):
    X, weights, _, p = read(*numbers, tokens)
    w = numbers[2]
    dweights = np.einsum("n,d,nkd->nk", (p - labels) / len(labels), w, X)  # (n, 7): gradient · value
    return softmax_gradient(weights, dweights).sum(axis=0)  # (7,): over all films


def what(E, P, w, b):
    return (E[6:].mean(axis=0) - E[1:6].mean(axis=0)) @ w


# %%
# answers prediction 1
print("epoch   accuracy    what   weight of critic 4   1000 * gradient of its score")
for epoch, numbers in enumerate(history):
    slope = 1000 * score_gradients(numbers)[4]
    right, weight = accuracy(numbers), rows[epoch, 4]
    print(f"{epoch:>5}  {right:>9.2f}  {what(*numbers):>6.1f}  {weight:>19.2f}  {slope:>27.1f}")

# %%
push = -1000 * score_gradients(history[4])  # (7,): up, where the gradient is negative
ax = plt.subplots(figsize=(7.2, 3.2))[1]
row_bars(push, places, title="−1000 · gradient, after 4 epochs", highlight=[4], xlabel="push", ax=ax).margins(x=0.2)
print("pushed up:", *[places[i] for i in np.flatnonzero(push > 0)])
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# Read the table from the top.
#
# 1. At first all values are nearly the same, so every $g$ lies near the average.
#    Hardly any gradient reaches the scores.
# 2. The vectors of the grades and the read-out together learn *what* a grade means, and attention stays nearly flat.
#    With equal weights the reader can do no better than count.
# 3. Now the values differ.
#    The grades of critic 4 go with the label, and the other grades do not.
#    After 4 epochs only the score of critic 4 is pushed up, and then attention jumps.
# 4. When the answers are right, the errors fade, and the gradient with them.
#    **Hardly anything pushes the weight on to 1.**
#
# </details>
#
# Does what is learned first really prepare the other?
# Their order does not prove it.
# We need a **control**: another reader that differs in one thing only.
#
# ### Exercise: `without_where` · 4 minutes
# The four arrays are `E`, a vector for each token, `P`, one for each position, and the read-out `w` and `b`.
# Decide which one must be 0 after every step, so that the reader can still learn *what* a grade means, but never *where* to look.
# Return all four, `(E, P, w, b)`, with that one as zeros of the same shape, and leave the arguments unchanged.
#
# <details><summary>Hint 1</summary>Go through the four: without this array, what do two films look like that differ in one grade?
# And two films with the same grades in another order?</details>
#
# <details><summary>Hint 2</summary>Be careful with w: every gradient on its way back passes through it.</details>


# %%
def without_where(E, P, w, b):
    # solution
    return E, np.zeros(P.shape), w, b  # without positions, two orders of the same grades are one film
    # end solution


check("without_where", without_where)

# %%
without_where = keep("without_where")

# %%
blind = train(hold=without_where)
E, P, w, b = history[-1]
given = train(seed=1, begin=[E, start(1)[1], w, b])  # a fresh P, and what the first reader knows
print("after 1, 4, 10 epochs   accuracy           weight of critic 4")
for name, run in {"learns both": history, "never where": blind, "given what": given}.items():
    right = "  ".join(f"{accuracy(run[i]):.2f}" for i in (1, 4, 10))
    weight = "  ".join(f"{looks(run[i])[4]:.2f}" for i in (1, 4, 10))
    print(f"{name:<21}   {right}   {weight}")

# %% [markdown]
# <details><summary>About the solution</summary>
# With <code>E</code> at 0 no film differs from another, and with <code>w</code> at 0 no gradient comes back: both readers give the same answer to every film.
# If you freeze <code>P</code> at its random start, you have no clean control, because even random position vectors tell places apart.</details>
#
# The reader that never learns *where* stays close to the accuracy of counting.
# The one that was given *what* finds critic 4 within the first epoch.
# So where the values differ already, the scores learn at once.
#
# ## Eight starts
#
# **Goal.** See what depends on the start.
#
# One training shows one case.
# We train from eight random starts, and note two epochs for each: the first in which *what* is above 1, and the first in which critic 4 has more than twice an even share.

# %%
runs = [history, *(train(seed) for seed in range(1, 8))]
ends = np.stack([looks(run[-1]) for run in runs])  # (8, 7)

# %%
print("start   what   where   accuracy   critic 4      ?")
for seed, run in enumerate(runs):
    knows = np.argmax([what(*numbers) > 1 for numbers in run])  # the first epoch
    sees = np.argmax([looks(numbers)[4] > 2 / 7 for numbers in run])
    right, weight, self_weight = accuracy(run[-1]), ends[seed, 4], ends[seed, 0]
    print(f"{seed:>5}  {knows:>5}  {sees:>6}  {right:>9.2f}  {weight:>9.2f}  {self_weight:>5.2f}")

# %%
ax = plt.subplots(figsize=(7.5, 3.3))[1]
heatmap(ends, range(8), places, title="Where “?” looks in the end, from 8 starts", vmax=1, ax=ax)
ax.set_ylabel("start")
most = ends[:, 0] > (1 - ends[:, 4]) / 2  # more than half of what critic 4 does not get
print(f"most of the rest lies on “?” itself: in {most.sum()} of 8")
plt.show()

# %% [markdown]
# All eight readers answer right, and all learn *what* before *where*.
# How much weight critic 4 gets in the end depends on the start.
# From most starts, but not from all, more than half of the rest lies on `?`, which is the same in every film and so does no harm.
# So a right answer does not say how much weight a position has.
#
# ## A softmax that is already sure
#
# **Goal.** Measure when attention cannot learn.
#
# In lesson [03](03_scaling.ipynb) large scores saturated the softmax, and its gradient vanished.
# What does that cost a reader?
# We give critic 2 a fixed **lead**, a number that is added to its score from the first step on.
# For that `hold` takes the last number of each vector away from learning.
# It holds 0.1 in `?` and 20 times the lead in critic 2, so that their product divided by $\sqrt{4}$ is the lead.


# %%
def lead_of_critic_2(lead):
    def hold(E, P, w, b):
        E, P, w = E.copy(), P.copy(), w.copy()
        E[:, 3], P[:, 3], w[3] = 0, 0, 0  # it is never learned, and the read-out does not see it
        P[0, 3], P[2, 3] = 0.1, 20 * lead
        return E, P, w, b

    return hold


# %%
predict(
    "With a lead of 8 for critic 2, the same training ends with an accuracy of about",
    {
        1.0: "To get there, critic 4 has to catch up. The gradient of its score has its own weight as a factor, and that is nearly 0.",
        0.7: "That is what counting gives. To count, the reader has to see all critics, and it sees hardly more than one.",
        0.5: "It reads critic 2, who only makes noise. And the score of critic 4 gets too small a gradient to change that.",
    },
    answer=lambda: float(accuracy(train(hold=lead_of_critic_2(8))[-1]).round(1)),
)

# %%
# answers prediction 2
leads = [0, 2, 4, 8, 32]
begun = train(hold=lead_of_critic_2(0), epochs=4)[-1]  # this reader knows what, and not yet where
slopes = [abs(score_gradients(lead_of_critic_2(lead)(*begun))[4]) for lead in leads]
for lead, slope in zip(leads, slopes):
    ended = accuracy(train(hold=lead_of_critic_2(lead))[-1])
    print(f"lead {lead:>2}   gradient of critic 4's score {slope:.0e}   accuracy after training {ended:.1f}")
ax = plt.subplots(figsize=(7.2, 3.2))[1]
title = "A sure softmax leaves hardly any gradient"
curves(leads, {"": slopes}, title=title, xlabel="lead", ylabel="gradient", ax=ax)
ax.set_yscale("log")
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# Where there is hardly any weight, there is hardly any gradient, so the reader stays sure of the wrong critic.
# A small gradient only makes learning slow: try `accuracy(train(hold=lead_of_critic_2(3), epochs=40)[-1])`, and then 10 epochs.
#
# </details>
#
# A lead of 32 is nothing special.
# At $d_k$ = 1,024, unscaled scores have a standard deviation of $\sqrt{1024} = 32$, under the conditions of lesson 03.
# Dividing by $\sqrt{d_k}$ brings it back to 1, and with a lead of 1 the reader learns: put a 1 into `leads` and look.

# %%
far = softmax(np.array([1000.0, 0, 0]))  # a lead of 1000
slopes = softmax_gradient(far, np.array([1.0, -1.0, 0.0])) + 0.0
print("a lead of 1000, gradients of the scores:", slopes)

# %% [markdown]
# ## What we now know
#
# - Your gradients train a reader: it reads, goes back, and takes a step.
# - Labels alone taught attention where to look, from each of eight starts: first *what*, then *where*.
#   So the sentence of *Teaching Machines to Focus* holds here, as long as the softmax is not already sure.
# - Differing values are what a score learns from: with *what* given, the reader finds the place within an epoch.
# - A softmax that is already sure leaves hardly any gradient.
#   And once the answers are right, hardly anything pushes the weight on to 1.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@saxe2013]: why learning waits on a plateau, and then jumps, in networks without attention that can be solved exactly.
# - [@vaswani2017]: section 3.2.1 suspects small gradients, and gives them as the reason for dividing by $\sqrt{d_k}$.
#
# ## Next question
#
# This reader is one look and a read-out.
# What do large models put around a look, and why?
# Go on with [11_the_block](11_the_block.ipynb).
