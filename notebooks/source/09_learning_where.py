# %% [markdown]
# # 09 · Learning where to look: a reader finds the critic that counts
#
# ![](../images/parts_09.svg)
#
# **You will build** a small reader in NumPy and the loop that trains it.
# The gradient is given; you check it before you trust it, and in lesson 10 you write your own.
#
# **You will be able to**
# - train a model by hand: read, find out who is to blame, take a step,
# - watch what is learned first, and test the reason with a control,
# - say when attention cannot learn.
#
# **You need** [02_softmax](02_softmax.ipynb) and [08_word_order](08_word_order.ipynb).
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.pictures.plots import curves, heatmap, row_bars
from course_utils.tasks.critics_task import make_films, start

# %%
look_back("09")

# %%
softmax = mine("stable_softmax")
softmax_gradient, reader_gradient = mine("softmax_gradient", "reader_gradient")  # of lesson 10

# %% [markdown]
# ## Six critics
#
# **Goal.** Meet a task in which everything depends on where the model looks.
#
# In the review *good* found *not* because the vectors had been made by hand so that it would.
# *Self-Attention: Teaching Machines to Focus* promises that a model learns where to look "purely from training signal, with no hand-crafted rules", and we put that to the test on a model so small that you can watch every number move.
#
# Six critics give each film a grade from 1 to 10.
# The audience follows critic 4: it likes the film if *this* grade is above 5, whatever the other five say.
# A film is a row of seven tokens: first comes token 0, written `?`, which asks, and then come the six grades.
# So the critic who counts stands at position 4, counted from 0, as *good* does in the review and the 42 will in lesson 12.
# Our model, the *reader*, is told which films the audience liked, and nothing about critic 4.

# %%
tokens, labels = make_films(4000, seed=0)  # to train
new_tokens, new_labels = make_films(4000, seed=1)  # to test
print("a film: ?", *tokens[0, 1:], "  liked:", int(labels[0]))
many = (new_tokens[:, 1:] > 5).sum(axis=1) > 3  # (n,): more than half of the grades are high
print(f"accuracy of counting high grades: {np.mean(many == new_labels):.2f}")

# %% [markdown]
# A reader that only counts high grades is right in two films out of three, more often than a coin, because critic 4 is one of the six.
# Keep this number in mind: a reader that cannot tell critic 4 from the others cannot do much better.
#
# ## A step downhill
#
# **Goal.** Turn a gradient into learning.
#
# To get better, a model needs one number that says how bad it is, the **loss** $L$: for us the mean, over the films, of minus the logarithm of the probability that the reader gave to the right answer.
# Now turn one number of the model by a hair, like a knob.
# The **gradient** at a number says how far the loss moves per unit of such a turn, so a step *against* the gradient makes the loss smaller, if it is small enough.
# Taking such steps repeatedly is called **gradient descent**.
#
# We begin with the reader's last part, the *read-out*, which turns the output of attention, $x$, into a probability $p = 1 / (1 + e^{-(x \cdot w + b)})$.
# Its gradient is short: at $x \cdot w + b$ it is the error $e = (p - \text{label}) / n$, and at $w$ it is this error times $x$, summed over the films.
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
# With the mean, the size of a step does not grow with the number of films.</details>
#
# When we hand over the right critic, a hundred steps are enough, but the reader has to find it.
#
# ## The reader
#
# **Goal.** Write a whole model, in which nothing knows position 4.
#
# Each token has a vector, a row of `E`, and each position has one, a row of `P`; their sum is `X`, as in lesson 08.
# Row 0, the `?`, is the only query, while all seven rows are keys and values.
# The read-out from above turns the output of that query into $p$:
#
# $$\underset{(7,\,d)}{X} = E[\text{tokens}] + P \qquad \underset{(d)}{x} = \mathrm{softmax}\Bigl(\frac{X_0\,X^\top}{\sqrt{d}}\Bigr)\,X \qquad p = \frac{1}{1 + e^{-(x \cdot w + b)}}$$
#
# ### Exercise: `reader` · 6 minutes
# Read many films at once.
# `E` is `(n_tokens, d)`, `P` `(length, d)`, `w` `(d,)`, `b` a number.
# `tokens` is `(n, length)`, a film a row, and `?` comes first.
# Return the weights of `?` `(n, length)`, its output `(n, d)`, and the probability `p` `(n,)`.
#
# <details><summary>Hint 1</summary><code>X = E[tokens] + P</code> is <code>(n, length, d)</code>, and <code>X[:, :1]</code> keeps an axis for the one query.
# Multiply it with <code>np.swapaxes(X, -1, -2)</code>, divide by √d, and take your <code>softmax</code>.</details>
#
# <details><summary>Hint 2</summary>The weights are <code>(n, 1, length)</code> then, and <code>weights @ X</code> is <code>(n, 1, d)</code>.
# Take row 0 of both: <code>[:, 0]</code>.</details>


# %%
def reader(E, P, w, b, tokens):
    # solution
    X = E[tokens] + P  # (n, length, d)
    weights = softmax(X[:, :1] @ np.swapaxes(X, -1, -2) / np.sqrt(X.shape[-1]))  # (n, 1, length)
    output = (weights @ X)[:, 0]  # (n, d)
    return weights[:, 0], output, 1 / (1 + np.exp(-(output @ w + b)))
    # end solution


check("reader", reader)

# %%
reader = keep("reader")
E, P, w, b = start(0)  # (11, 4), (7, 4), (4,), a number: small random numbers
weights, output, p = reader(E, P, w, b, tokens)
print("weights of one film:", weights[0].round(2), "  p:", p[0].round(2))

# %% [markdown]
# <details><summary>About the solution</summary>
# <code>np.einsum("nd,nkd->nk", X[:, 0], X)</code> gives the scores without the extra axis.</details>
#
# It looks at all positions alike, and its answer is a shrug.
#
# ## A gradient that is given
#
# **Goal.** Trust a gradient because you have checked it.
#
# The way back from the output to the vectors leads through the softmax, and finding it takes a lesson of its own.
# So in this lesson `reader_gradient(E, P, tokens, gradient)` is given: you tell it how $L$ reacts to the output, and it returns how $L$ reacts to every number of `E` and `P`.
# You needn't believe it: turn one number by a hair, and watch the loss.


# %%
def loss():  # minus the log of the probability of the right label
    return -np.log(np.abs(labels - 1 + reader(E, P, w, b, tokens)[2])).mean()


def nudged(array, place, step=1e-4):
    middle, ends = array[place], []
    for array[place] in (middle + step, middle - step, middle):  # writes each into the array, the old one last
        ends.append(loss())
    return (ends[0] - ends[1]) / (2 * step)


# %%
error = (p - labels) / len(labels)  # (n,): how L reacts to x · w + b
dE, dP = reader_gradient(E, P, tokens, np.outer(error, w))
print(f"E[7, 0]: given {dE[7, 0]:.2e}, nudged {nudged(E, (7, 0)):.2e}")
print(f"P[4, 0]: given {dP[4, 0]:.2e}, nudged {nudged(P, (4, 0)):.2e}")
print(f"P[0, 0]: given {dP[0, 0]:.2e}, nudged {nudged(P, (0, 0)):.2e}")

# %% [markdown]
# They agree, also for the row that asks.
# What is missing is the loop that calls all the parts.
#
# ### Exercise: `train_reader` · 11 minutes
# `epochs` is a list, and each epoch in it a list of batches; each batch is a pair `(tokens, labels)`, `(n, length)` and `(n,)`.
# For each batch, which may have any size, take one step from where the step before has left you:
#
# 1. read its films;
# 2. find how $L$ reacts to each output: the error of a film times `w`, `(n, d)` for all films;
# 3. ask `gradient_of(E, P, tokens, gradient)`, where that is the gradient, for the pair `(dE, dP)`;
# 4. move `E` and `P` against it, by `rate` times the gradient, and let your `train_step` move the read-out;
# 5. call `hold(E, P, w, b)`, which gives the four back as they should go on, and start the next step from these.
#
# Keep the four as they come in, and again after each epoch.
# Return the tuple `(Es, Ps, ws, bs)`: `Es` holds each `E` that you kept, `(epochs + 1, n_tokens, d)`, `ws` each `w`, `(epochs + 1, d)`, and `bs` each `b`, `(epochs + 1,)`.
# Leave the old arrays unchanged.
#
# <details><summary>Hint 1</summary>One loop stands inside the other: epochs outside, the batches of one epoch inside.
# A step belongs into the inner loop; where does the keeping belong?</details>
#
# <details><summary>Hint 2</summary>The error is <code>(p - labels) / n</code>, and for all films at once you need <code>np.outer(error, w)</code>.</details>
#
# <details><summary>Hint 3</summary>All four gradients belong to the numbers that read the batch, so the old <code>w</code> has to be used before the new one takes its name.
# <code>E = E - …</code> makes a new array, while <code>E -= …</code> changes the one that you have kept.</details>


# %%
def train_reader(E, P, w, b, epochs, rate, gradient_of, hold):
    # solution
    history = [(E, P, w, b)]
    for batches in epochs:
        for tokens, labels in batches:
            _, output, p = reader(E, P, w, b, tokens)
            error = (p - labels) / len(labels)  # (n,)
            dE, dP = gradient_of(E, P, tokens, np.outer(error, w))
            w, b = train_step(w, b, output, labels, rate)
            E, P, w, b = hold(E - rate * dE, P - rate * dP, w, b)
        history.append((E, P, w, b))
    return tuple(np.array(kept) for kept in zip(*history))
    # end solution


check("train_reader", train_reader)

# %% [markdown]
# <details><summary>About the solution</summary>
# <code>zip(*history)</code> turns a list of fours into four lists; four lists, each with its own <code>append</code>, do as well.</details>
#
# ## What is learned first
#
# **Goal.** Watch the order, and find its reason.

# %%
predict(
    "What will the reader learn first?",
    {
        "where to look: critic 4": "A score learns from differences between values. At the start all values are nearly the same.",
        "what a grade means": True,
        "both at the same time": "At the start all values are nearly the same, so no weight is better than another, and hardly any gradient reaches a score.",
    },
)

# %% [markdown]
# An *epoch* is a pass over all 4,000 films, in 40 batches of 100.

# %%
train_reader = keep("train_reader")


def as_they_are(*numbers):
    return numbers


def train(seed=0, hold=as_they_are, epochs=10, rate=0.7, begin=None):
    numbers, rng = hold(*(begin or start(seed))), np.random.default_rng(seed)
    orders = [rng.permutation(4000).reshape(-1, 100) for _ in range(epochs)]  # each (batches, films)
    batches = [[(tokens[films], labels[films]) for films in order] for order in orders]
    return list(zip(*train_reader(*numbers, batches, rate, reader_gradient, hold)))  # (E, P, w, b) by epochs


# %%
# answers prediction 1
def accuracy(numbers):
    return np.mean((reader(*numbers, new_tokens)[2] > 0.5) == new_labels)  # on films that it never saw


def looks(numbers):
    return reader(*numbers, new_tokens)[0].mean(axis=0)  # (7,)


history = train()
rows = np.stack([looks(numbers) for numbers in history])  # (epochs + 1, 7)
places = ["?", *(f"critic {i}" for i in range(1, 7))]
ax = plt.subplots(figsize=(7.5, 3.6))[1]
heatmap(rows, range(11), places, title="Where “?” looks, epoch by epoch", vmax=1, ax=ax)
ax.set_ylabel("“?” after epoch")
print("critic 4 after 0, 4, 5, 10 epochs:", rows[[0, 4, 5, 10], 4].round(2))
plt.show()

# %% [markdown]
# To see why, look at what pushes a score.
# Say that $L$ reacts to the weight of token $j$ with $g_j$; then it reacts to its *score* with $w_j\,(g_j - \text{average})$, as lesson 10 derives.
# So a score is pushed up if its value is better than the average, and the push is proportional to its weight.
#
# The next table shows this gradient for critic 4 (negative means that its score is pushed up), and *what* says how much a high grade raises $x \cdot w + b$ over a low one, if all weight lies on it.


# %%
def score_gradients(numbers):
    E, P, w, _ = numbers
    weights, _, p = reader(*numbers, tokens)
    g = np.einsum("n,d,nkd->nk", (p - labels) / len(labels), w, E[tokens] + P)  # (n, 7)
    return softmax_gradient(weights, g).sum(axis=0)  # (7,): over all films


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
# 1. At first all values are nearly the same, so none is better than the average, and hardly any push reaches the scores.
# 2. Meanwhile the vectors of the grades and the read-out learn together *what* a grade means, while attention stays nearly flat, and with equal weights the reader can do no better than count.
# 3. Now the values differ, and those of critic 4 go with the label while the others don't.
#    After 4 epochs only the score of critic 4 is pushed up, and then attention jumps.
# 4. Once the answers are right, the errors fade, and the push with them.
#    **Hardly anything drives the weight on to 1.**
#
# </details>
#
# Does what came first really prepare the second?
# An order proves nothing, so we need a **control**: another reader that differs in one thing only, which your loop holds at 0.
# %%
predict(
    "The control should still learn what a grade means, but never where to look. Which of the four has to be 0?",
    {
        "E": "Then no token differs from another, so this reader cannot even count.",
        "P": True,
        "w": "Every gradient passes through w on its way back to the vectors, so this reader learns nothing at all.",
        "b": "The middle of the grades can be shifted elsewhere, so this reader learns both as before.",
    },
)


# %%
def without(which):  # a hold in which one of the four is 0
    return lambda *numbers: [0 * number if name == which else number for name, number in zip("EPwb", numbers)]


controls = {f"{name} = 0": train(hold=without(name)) for name in "EPwb"}
E, P, w, b = history[-1]
given = train(seed=1, begin=[E, start(1)[1], w, b])  # a fresh P, and what the first reader knows

# %%
# answers prediction 2
print("after 1, 4, 10 epochs   accuracy           weight of critic 4")
for name, run in {"nothing held": history, **controls, "given what": given}.items():
    right = "  ".join(f"{accuracy(run[i]):.2f}" for i in (1, 4, 10))
    weight = "  ".join(f"{looks(run[i])[4]:.2f}" for i in (1, 4, 10))
    print(f"{name:<21}   {right}   {weight}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Without positions, two orders of the same grades are one film, so this reader never learns *where*, and stays close to the accuracy of counting.
# (Frozen at its random start, `P` would make no clean control, because even random positions tell places apart.)
#
# </details>
#
# The reader that was given *what* finds critic 4 within the first epoch: where the values differ already, the scores learn at once.
#
# ## Eight starts
#
# **Goal.** See what depends on the start.
#
# One training shows one case, so we train from eight random starts and note two epochs for each: the first in which *what* is above 1, and the first in which critic 4 has more than twice an even share.

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
# But their weights on critic 4 depend on the start.
# From most starts, but not from all, more than half of the rest lies on `?`, which is the same in every film and so does no harm.
#
# ## A softmax that is already sure
#
# **Goal.** Measure what a sure start does to learning.
#
# So far our reader began undecided.
# Suppose it starts out convinced that critic 2, who knows nothing, is the one to watch: from the first step on we add a constant, the **lead**, to critic 2's score.
# Does critic 4 still get a hearing?


# %%
def lead_of_critic_2(lead):
    def hold(E, P, w, b):
        E, P, w = E.copy(), P.copy(), w.copy()
        E[:, 3], P[:, 3], w[3] = 0, 0, 0  # the last number is never learned, and the read-out does not see it
        P[0, 3], P[2, 3] = 0.1, 20 * lead  # their product, divided by the root of 4, is the lead
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
# answers prediction 3
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
# The gradient of a score is proportional to the weight of its token.
# Critic 4, the only one who could help, has hardly any weight, so the training hardly hears it, and the reader stays sure of the wrong one.
#
# </details>
#
# Is it only slow, and would patience help?
# Four times the epochs, from two starts:

# %%
for lead, seed in ((2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1)):
    run = train(seed, hold=lead_of_critic_2(lead), epochs=40)
    print(
        f"lead {lead}, start {seed}: accuracy {accuracy(run[10]):.2f} after 10 epochs, {accuracy(run[40]):.2f} after 40"
    )

# %% [markdown]
# Sometimes it does: patience rescues one of the two starts with a lead of 3, and neither with a lead of 4.
#
# Much larger leads occur: at $d_k$ = 1,024, unscaled scores have a standard deviation of $\sqrt{1024} = 32$, under the conditions of lesson 03.
# That is what the division is for: it brings 32 back to 1, and with a lead of 1 the reader learns.
# Put a 1 into `leads` and look.

# %%
far = softmax(np.array([1000.0, 0, 0]))  # a lead of 1000
slopes = softmax_gradient(far, np.array([1.0, -1.0, 0.0])) + 0.0
print("a lead of 1000, gradients of the scores:", slopes)

# %% [markdown]
# ## What we now know
#
# - Training repeats one step: read, find out how each number acts on the loss, and move every number a little against its gradient.
# - Labels alone taught attention where to look, from each of eight starts: first *what*, then *where*.
#   So the sentence of *Teaching Machines to Focus* holds here, as long as the softmax is not already sure.
# - A score learns from values that differ: with *what* given, the reader finds the position within an epoch.
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
# The gradient of this lesson was given, and you believed it because three nudges agreed.
# How does one *find* it, through a softmax and two products, without nudging every number?
# Go on with [10_gradient_by_hand](10_gradient_by_hand.ipynb), where you write it and put it into this loop.
