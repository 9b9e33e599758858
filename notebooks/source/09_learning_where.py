# %% [markdown]
# # 09 · Learning where to look: a reader finds the critic that counts
#
# ![](../images/parts_09.svg)
#
# **You will build** a small reader in NumPy and the loop that trains it.
# The gradient is given: you check it here, and write your own in lesson 10.
#
# **You will be able to**
# - train a model by hand: read, get the gradient, take a step,
# - see what is learned first, and test your explanation with a control,
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
# In the review, we had built the vectors by hand so that *good* would find *not*.
# *Self-Attention: Teaching Machines to Focus* promises that a model learns where to look "purely from training signal, with no hand-crafted rules", and we test that promise on a model so small that you can watch every number move.
#
# Six critics give each film a grade from 1 to 10.
# The audience follows critic 4: it likes the film if *this* critic's grade is above 5, whatever the others say.
# A film is a row of seven tokens: first token 0, written `?`, which does the asking, and then the six grades.
# So the critic who counts is at position 4, counting from 0, like *good* in the review and the 42 in lesson 12.
# Our model, the *reader*, is told which films the audience liked, but nothing about critic 4.

# %%
tokens, labels = make_films(4000, seed=0)  # to train
new_tokens, new_labels = make_films(4000, seed=1)  # to test
print("a film: ?", *tokens[0, 1:], "  liked:", int(labels[0]))
many = (new_tokens[:, 1:] > 5).sum(axis=1) > 3  # (n,): more than half of the grades are high
print(f"accuracy of counting high grades: {np.mean(many == new_labels):.2f}")

# %% [markdown]
# A reader that only counts high grades gets two films out of three right, which beats tossing a coin, because critic 4 is one of the six.
# Keep this number in mind: a reader that cannot single out critic 4 cannot do much better.
#
# ## A step downhill
#
# **Goal.** Turn a gradient into learning.
#
# To get better, a model needs one number that says how bad it is: the **loss** $L$.
# Ours is minus the logarithm of the probability that the reader gave to the right answer, averaged over the films.
# Now turn one of the model's numbers by a hair, like a knob.
# The **gradient** for this number says how much the loss changes per unit of turn, so a small enough step *against* the gradient makes the loss smaller.
# Taking such steps again and again is called **gradient descent**.
#
# We begin with the reader's last part, the *read-out*, which turns the output of attention, $x$, into a probability $p = 1 / (1 + e^{-(x \cdot w + b)})$.
# The gradient is short: for $x \cdot w + b$ it is the error $e = (p - \text{label}) / n$, and for $w$ it is this error times $x$, summed over the films.
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
# If you nudge one number of w, <code>X @ w</code> changes in proportion to one column of X.</details>
#
# <details><summary>Hint 2</summary>The gradient of w is <code>X.T @ error</code>, and the gradient of b is <code>error.sum()</code>.</details>


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
# Both new values are computed from the old <code>w</code> and <code>b</code>.
# Because the loss is a mean, steps don't grow with the number of films.</details>
#
# If we tell the reader which critic to trust, a hundred steps are enough, but it has to find that critic on its own.
#
# ## The reader
#
# **Goal.** Write a complete model that knows nothing about position 4.
#
# Each token has a vector (a row of `E`), each position has one (a row of `P`), and `X` is their sum, as in lesson 08.
# Row 0, the `?`, is the only query, while all seven rows are keys and values.
# The read-out turns the output for this query into $p$:
#
# $$\underset{(7,\,d)}{X} = E[\text{tokens}] + P \qquad \underset{(d)}{x} = \mathrm{softmax}\Bigl(\frac{X_0\,X^\top}{\sqrt{d}}\Bigr)\,X \qquad p = \frac{1}{1 + e^{-(x \cdot w + b)}}$$
#
# ### Exercise: `reader` · 6 minutes
# Process many films at once.
# `E` is `(n_tokens, d)`, `P` `(length, d)`, `w` `(d,)`, `b` a number.
# `tokens` is `(n, length)`: each row is a film and begins with `?`.
# Return the weights of `?` `(n, length)`, its output `(n, d)`, and the probability `p` `(n,)`.
#
# <details><summary>Hint 1</summary><code>X = E[tokens] + P</code> is <code>(n, length, d)</code>, and <code>X[:, :1]</code> keeps an axis for the one query.
# Multiply this query by <code>np.swapaxes(X, -1, -2)</code>, divide by √d, and apply your <code>softmax</code>.</details>
#
# <details><summary>Hint 2</summary>The weights are now <code>(n, 1, length)</code>, and <code>weights @ X</code> is <code>(n, 1, d)</code>.
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
# <code>np.einsum("nd,nkd->nk", X[:, 0], X)</code> computes the dot products without the extra axis.</details>
#
# The untrained reader looks at all positions almost equally, and its answer is a shrug.
#
# ## A gradient that is given
#
# **Goal.** Trust a gradient because you have checked it.
#
# The way back from the output to the vectors leads through the softmax, and finding it takes a lesson of its own.
# So here `reader_gradient(E, P, tokens, gradient)` is given: you tell it how $L$ reacts to the output, and it tells you how $L$ reacts to every number in `E` and `P`.
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
# The two gradients agree, even for row 0, which asks.
# Now we need a loop that calls these parts.
#
# ### Exercise: `train_reader` · 11 minutes
# `epochs` is a list, and each epoch in it is a list of batches; each batch is a pair `(tokens, labels)`, `(n, length)` and `(n,)`.
# For each batch, which can be of any size, take one step from where the previous step ended:
#
# 1. read the films of the batch;
# 2. find how $L$ reacts to each output: the error times `w`, `(n, d)` for all films;
# 3. pass this as `gradient` to `gradient_of(E, P, tokens, gradient)`, which returns the pair `(dE, dP)`;
# 4. move `E` and `P` downhill, by `rate` times the gradient, and let your `train_step` move the read-out;
# 5. call `hold(E, P, w, b)`, which returns the four, perhaps changed, and start the next step from what it returns.
#
# Store the four as they come in, and again after each epoch.
# Return the tuple `(Es, Ps, ws, bs)`: `Es` contains every `E` that you stored, `(epochs + 1, n_tokens, d)`; likewise, `ws` is `(epochs + 1, d)` and `bs` is `(epochs + 1,)`.
# Leave the old arrays unchanged.
#
# <details><summary>Hint 1</summary>Put a loop over the batches of one epoch inside a loop over the epochs.
# A step belongs in the inner loop; where do you store the four?</details>
#
# <details><summary>Hint 2</summary>The error is <code>(p - labels) / n</code>, and for all films at once you need <code>np.outer(error, w)</code>.</details>
#
# <details><summary>Hint 3</summary>All four gradients are those at the old numbers, so use the old <code>w</code> before you overwrite it.
# <code>E = E - …</code> makes a new array, while <code>E -= …</code> changes the array that you have stored.</details>


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
    return tuple(np.array(parameter) for parameter in zip(*history))
    # end solution


check("train_reader", train_reader)

# %% [markdown]
# <details><summary>About the solution</summary>
# <code>zip(*history)</code> collects each of the four in turn; you could also append to four separate lists.</details>
#
# ## What is learned first
#
# **Goal.** See what comes first, and find out why.

# %%
predict(
    "What will the reader learn first?",
    {
        "where to look: critic 4": "A score learns from differences between values. At the start all the values are nearly the same.",
        "what a grade means": True,
        "both at the same time": "At the start all the values are nearly the same, so no weight is better than another, and hardly any gradient reaches a score.",
    },
)

# %% [markdown]
# An *epoch* is one pass over all 4,000 films, in 40 batches of 100.

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
# To see the reason for this order, look at what pushes a score.
# If the gradient for the weight of token $j$ is $g_j$, then for this token's *score* it is $w_j\,(g_j - \text{average})$, as lesson 10 shows.
# So a score is pushed up if the token's value is better than average, and the push is proportional to the token's weight.
#
# The next table shows this gradient for critic 4; where it is negative, the score is pushed up.
# The column *what* is the difference in $x \cdot w + b$ between giving all the weight to a high grade and to a low one.


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
# 1. At first all the values are nearly the same, so none is much better than the average, and hardly any push reaches the scores.
# 2. Meanwhile the grades' vectors and the read-out learn together *what* a grade means.
#    Attention stays nearly flat, and with equal weights the reader can only count.
# 3. Now the values differ, and only critic 4's values go with the label.
#    After 4 epochs only the score of critic 4 is pushed up, and then attention jumps.
# 4. Once the answers are right, the errors fade, and the push fades with them.
#    **Hardly anything then drives the weight up to 1.**
#
# </details>
#
# Did the first thing learned really pave the way for the second?
# The order alone proves nothing, so we need a **control**, a reader that differs in one thing only: your loop holds `E`, `P`, `w` or `b` at 0.
# %%
predict(
    "The control should still learn what a grade means, but never where to look. Which of the four has to be 0?",
    {
        "E": "Then no token differs from any other, so this reader cannot even count.",
        "P": True,
        "w": "Every gradient passes through w on its way back to the vectors, so the vectors learn nothing at all.",
        "b": "The vectors can do the work of b, so this reader learns both, as before.",
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
# Without positions, the same grades in another order are the same film, so this reader never learns *where*, and its accuracy stays close to that of counting.
# (Freezing `P` at its random start wouldn't be a clean control, because even random vectors tell positions apart.)
#
# </details>
#
# The reader that was given *what* finds critic 4 within the first epoch: its values already differ, so the scores learn at once.
#
# ## Eight starts
#
# **Goal.** See what depends on the start.
#
# One training run shows only one case, so we train from eight starts and note two epochs for each: the first in which *what* is above 1, and the first in which critic 4 gets more than twice an even share.

# %%
runs = [history, *(train(seed) for seed in range(1, 8))]
ends = np.stack([looks(run[-1]) for run in runs])  # (8, 7)

# %%
# answers prediction 1
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
# All eight readers end up answering correctly, and all of them learn in the same order.
# But how much weight critic 4 gets depends on the start.
# With most starts, more than half of the remaining weight lies on `?`, which is the same in every film and so does no harm.
#
# ## A softmax that is already sure
#
# **Goal.** Measure how starting out sure affects learning.
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
        1.0: "To get there, critic 4 has to catch up. But the gradient of its score is proportional to its weight, which is nearly 0.",
        0.7: "Counting would get that far. But to count, the reader has to see all the critics, and it sees hardly more than one.",
        0.5: "The reader listens to critic 2, who only makes noise. And the gradient of critic 4's score is too small to change that.",
    },
    answer=lambda: float(accuracy(train(hold=lead_of_critic_2(8))[-1]).round(1)),
)

# %%
# answers prediction 3
leads = [0, 2, 4, 8, 32]
begun = train(hold=lead_of_critic_2(0), epochs=4)[-1]  # this reader has learned the first thing only
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
# Critic 4, the only critic who could help, has hardly any weight, so training hardly hears this critic, and the reader stays sure of the wrong critic.
#
# </details>
#
# Is learning only slow here, so that patience would help?
# We train four times as long, from two starts for each lead:

# %%
for lead, seed in ((2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1)):
    run = train(seed, hold=lead_of_critic_2(lead), epochs=40)
    print(
        f"lead {lead}, start {seed}: accuracy {accuracy(run[10]):.2f} after 10 epochs, {accuracy(run[40]):.2f} after 40"
    )

# %% [markdown]
# Sometimes patience helps: with a lead of 3 it rescues one of the two starts, but with a lead of 4 it rescues neither.
#
# Much larger leads can occur: under the conditions of lesson 03, unscaled scores at $d_k$ = 1,024 have a standard deviation of $\sqrt{1024} = 32$.
# The division by $\sqrt{d_k}$ brings 32 back to 1, and with a lead of 1 the reader learns.
# Put a 1 into `leads` and look.

# %%
far = softmax(np.array([1000.0, 0, 0]))  # a lead of 1000
slopes = softmax_gradient(far, np.array([1.0, -1.0, 0.0])) + 0.0
print("a lead of 1000, gradients of the scores:", slopes)

# %% [markdown]
# ## What we now know
#
# - Training repeats one step: read, find out how each number affects the loss, and move every number a little against its gradient.
# - From each of eight starts, labels alone taught the reader both: first *what*, then *where*.
#   So *Teaching Machines to Focus* keeps its promise here, as long as the softmax is not already sure.
# - A score learns from values that differ: once given *what*, the reader found the position within one epoch.
# - A softmax that is already sure leaves hardly any gradient.
#   And once the answers are right, hardly anything pushes the weight up to 1.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@saxe2013]: why learning sits on a plateau and then jumps, in networks without attention that can be solved exactly.
# - [@vaswani2017]: in section 3.2.1 the authors divide by $\sqrt{d_k}$, suspecting that gradients would otherwise be too small.
#
# ## Next question
#
# In this lesson the gradient was given, and you believed it because three nudges agreed.
# How do you *find* such a gradient, through a softmax and two products, without nudging every number?
# Go on with [10_gradient_by_hand](10_gradient_by_hand.ipynb), where you write it and put it into this loop.
