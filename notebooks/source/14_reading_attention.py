# %% [markdown]
# # 14 · Reading attention: change it, and see what it did
#
# ![](../images/parts_14.svg)
#
# **You will build** an intervention and its control, and use them on two classifiers that you trained.
#
# **You will be able to**
# - test a claim about attention instead of believing it,
# - choose a fair control, and say what an intervention proves and what it leaves open,
# - say the right things about a heat map, and leave out the wrong ones.
#
# **You need** [07_many_heads](07_many_heads.ipynb), [09_learning_where](09_learning_where.ipynb), [12_cls_classifier](12_cls_classifier.ipynb) and [13_making_it_look](13_making_it_look.ipynb).
# **Time:** {minutes} minutes.

# %%
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import TheMachine, TrainingReplay
from course_utils.models.cls_reader import answer_with, load_study, load_training
from course_utils.models.own_model import load_mine
from course_utils.pictures.plots import row_bars
from course_utils.tasks.cls_task import make_task

# %%
look_back("14")

# %%
softmax, batched_attention = mine("stable_softmax", "batched_attention")
train_step, reader_gradient = mine("train_step", "reader_gradient")
usual = load_mine("my_classifier", instead="usual")
focused = load_mine("my_focused", instead="focused")
models = {"usual": usual, "focused": focused}

# %% [markdown]
# ## Two models, one score
#
# **Goal.** Meet two models that the usual test cannot tell apart.
#
# Both say whether the token at position 4 is the number 42.
# *usual* is the model of lesson 12; *focused*, from lesson 13, was trained on decoys, with a reward for looking sharply.
# Here they run in NumPy, with your `batched_attention`, whose output *is* the weights if V is the identity matrix.


# %%
def attend(Q, K, V, mask):
    n = K.shape[-2]
    identity = np.broadcast_to(np.eye(n), (*K.shape[:-1], n))  # (batch, n_heads, n, n)
    weights = batched_attention(Q, K, identity, mask)  # (batch, n_heads, n, n)
    return weights @ V, weights


# %%
def read(model, tokens):  # the answers (n,), and where [CLS] looks (n, n_keys)
    reading = model(tokens, attention=attend)
    return (reading.probability >= 0.5).astype(int), reading.weights[:, 0, 0, 0]


# %%
tokens, labels = make_task(seed=1)  # held-out sentences: (n, seq_len) = (8000, 7) and (n,)
answers, rows = ({name: read(model, tokens)[k] for name, model in models.items()} for k in (0, 1))
_, axes = plt.subplots(1, 2, figsize=(11, 3.5), sharex=True)
for ax, (name, row) in zip(axes, rows.items()):
    row_bars(row.mean(axis=0), ["[CLS]", *"123456"], title=f"{name}, mean [CLS] row", highlight=[4], ax=ax)
    accuracy = np.mean(answers[name] == labels)
    print(f"{name:<8} accuracy {accuracy:.2f}   mean weight on position 4: {row[:, 4].mean():.2f}")
plt.show()

# %% [markdown]
# The models' answers agree, but their pictures differ, so what do these weights *do*?
#
# Accuracy can't tell us what they do, because 98 % of the labels are *no*: a broken model that always says no is nearly always right.
# So we take two shares, one of right answers among the sentences labelled 1 and one among those labelled 0, and their mean: always saying no gets 0.50.
# This mean is called **balanced accuracy**.
#
# ### Exercise: `balanced_accuracy` · 3 minutes
# Return the balanced accuracy.
# `labels` and `predictions` are both `(n,)`, made of 0s and 1s, and both labels occur.
#
# <details><summary>Hint 1</summary>The first share is the recall of lesson 12; the second is the same for the zeros.</details>
#
# <details><summary>Hint 2</summary><code>predictions == labels</code> says where the answers are right.
# Take the mean over one class, then over the other.</details>


# %%
def balanced_accuracy(labels, predictions):
    # solution
    right = predictions == labels  # (n,)
    return (right[labels == 1].mean() + right[labels == 0].mean()) / 2
    # end solution


check("balanced_accuracy", balanced_accuracy)

# %% [markdown]
# ## Take the look away
#
# **Goal.** Change one thing inside a trained model, and leave everything else as it is.
#
# At a fuse box you learn what a wire does by switching it off and seeing which light goes out.
# Such a change is called an **intervention**, and taking a part away to see what is lost is called an **ablation**.
# Here are three interventions:
#
# - *uniform weights*: every key gets the same weight,
# - *position 4 hidden*: its weight becomes 0, and the other weights grow,
# - *values zeroed*: the weights stay, and every value becomes zero.
#
# ### Exercise: `hide` · 4 minutes
# Return new weights `(n, n_keys)` in which the weight of one key is 0.
# The other weights of the row grow, all by the same factor, so that each row has the same sum as before.
# `key` is one position, or `(n,)`, one for each row.
# In every row, some weight lies on other keys.
# Leave `weights` unchanged.
#
# <details><summary>Hint 1</summary>Set the weight to 0 in a copy, then compare the sums of the rows before and after.</details>
#
# <details><summary>Hint 2</summary><code>left[np.arange(n), key] = 0</code> sets one weight per row to 0, for both kinds of key.
# The factor is the old sum divided by the new one, with <code>keepdims=True</code>.</details>


# %%
def hide(weights, key):
    # solution
    left = weights.copy()  # (n, n_keys)
    left[np.arange(len(weights)), key] = 0
    return left * weights.sum(axis=-1, keepdims=True) / left.sum(axis=-1, keepdims=True)
    # end solution


check("hide", hide)

# %%
taken = {  # functions of a model and its [CLS] rows, that give probabilities (n,)
    "uniform weights": lambda m, row: answer_with(m, tokens, np.full(7, 1 / 7)),
    "position 4 hidden": lambda m, row: answer_with(m, tokens, hide(row, 4)),
    "values zeroed": lambda m, row: answer_with(m._replace(W_V=0 * m.W_V, b_V=0 * m.b_V), tokens, row),
}

# %%
predict(
    "Which of the three leaves the usual model able to find a yes sentence?",
    {
        "uniform weights": "A seventh of the weight is left at position 4. This model needs more to say yes.",
        "position 4 hidden": "Then the token at position 4 cannot reach the row of [CLS], and nothing else tells yes from no.",
        "values zeroed": "The weights are as good as before, but a mix of zeros is zero.",
        "none of them": True,
    },
)


# %%
# answers prediction 1
balanced_accuracy, hide = keep("balanced_accuracy"), keep("hide")


def show(changes):
    for (change, answer), (name, model) in product(changes.items(), models.items()):
        says = (answer(model, rows[name]) >= 0.5).astype(int)  # (n,)
        scores = np.mean(says == labels), balanced_accuracy(labels, says)
        print(f"{change:<24} {name:<8} accuracy {scores[0]:.2f}   balanced {scores[1]:.2f}")


show(taken)
for what, row in (("uncut", rows["usual"]), ("position 4 hidden", hide(rows["usual"], 4))):
    print(f"mean row of usual, {what:<18}", *(f"{weight:.2f}" for weight in row.mean(axis=0)))

# %% [markdown]
# <details><summary>What came out</summary>
#
# All three changes blind both models: an accuracy of 0.98 is the base rate, as the balanced accuracy shows.
# With values zeroed, the heat map is unchanged, yet neither model finds a *yes*.
#
# </details>
#
# Weights say how much of a value flows, never what flows.
#
# ## Take something else away
#
# **Goal.** Find out whether hiding another key would do as much harm.
#
# Is position 4 to blame?
# That is not proven yet: as the last two printed lines show, hiding it takes one key away and makes all the others grow.
# A **control** does the same to another key.
#
# ### Exercise: `effect_and_control` · 10 minutes
# Return three balanced accuracies, as a tuple: with the rows as they are, with `place` hidden in every sentence, and with the control hidden instead.
# `weights` is `(n, n_keys)`: where [CLS] looks in each sentence.
# `answer_of(rows)` runs the rest of the model with such rows and returns `n` answers, each 0 or 1.
# Both labels occur in `labels`, `(n,)`.
# `place` is one position; in every sentence some weight lies on other keys, and no two other weights are equally near to the one at `place`.
#
# **Decide** which key is the control in each sentence.
# The two experiments should differ only in which key is hidden, so no third key should have a weight nearer to the weight at `place`.
#
# <details><summary>Hint 1</summary>Begin with any fixed key as the control, and call <code>answer_of</code> three times, with rows made from <code>weights</code>.</details>
#
# <details><summary>Hint 2</summary>Now choose the control, one key for each sentence.
# <code>weights[:, [place]]</code> keeps its axis, <code>(n, 1)</code>: how far from it is each weight of the row, whichever is larger?</details>
#
# <details><summary>Hint 3</summary>The smallest distance in a row is that of <code>place</code> itself, unless you set it to <code>np.inf</code>.
# <code>argmin</code> along the keys returns <code>(n,)</code>, and your <code>hide</code> accepts a key for each row.</details>


# %%
def effect_and_control(answer_of, weights, labels, place):
    # solution
    apart = np.abs(weights - weights[:, [place]])  # (n, n_keys)
    apart[:, place] = np.inf  # the control is another key
    control = apart.argmin(axis=1)  # (n,)
    rows = weights, hide(weights, place), hide(weights, control)
    return tuple(balanced_accuracy(labels, answer_of(one)) for one in rows)
    # end solution


check("effect_and_control", effect_and_control)

# %%
# answers prediction 1
effect_and_control = keep("effect_and_control")


def answers_of(model):  # the rest of the model, as a function of the [CLS] rows
    return lambda row: (answer_with(model, tokens, row) >= 0.5).astype(int)


for name, model in models.items():
    scores = effect_and_control(answers_of(model), rows[name], labels, place=4)
    print(f"{name:<8} uncut {scores[0]:.2f}   position 4 hidden {scores[1]:.2f}   control hidden {scores[2]:.2f}")
    most = np.delete(rows[name], 4, axis=1).max(axis=1)  # (n,)
    print(f"{'':<8} mean weight: position 4 {rows[name][:, 4].mean():.2f}, the heaviest other key {most.mean():.2f}")
found = [effect_and_control(answers_of(usual), rows["usual"], labels, place) for place in range(7)]
for k, what in ((1, "hidden, position by position:"), (2, "the control of each position:")):
    print(f"usual    {what}", *(f"{scores[k]:.2f}" for scores in found))

# %% [markdown]
# <details><summary>About the solution</summary>If the control were the heaviest other key, position 2's control would break the model, because that key is nearly always position 4.</details>
#
# In *usual*, hiding any other position does no harm.
# But compare how much weight the controls took away: in *usual* about half as much as position 4 has, in *focused* practically none.
# A control that takes nothing away tests nothing, so for *focused* the doubt remains until we change the sentence.
#
# ### Other shapes
# Here are three more rows for `[CLS]`:
#
# - *all weight on position 4*,
# - *mean row of all*: every sentence gets the mean of all rows,
# - *mean row of yes*: every sentence gets the mean row of the sentences labelled 1.

# %%
predict(
    "With which of these does the usual model still have a balanced accuracy of 1.00?",
    {
        "all weight on position 4": "This model usually gives it a third of the weight, a little more than half for a yes. With so much of one value, it mistakes other tokens for a 42.",
        "mean row of all": "98 % of the sentences are a no, so this is nearly the mean row of a no. Most yes sentences need more weight at position 4.",
        "mean row of yes": True,
    },
)

# %%
# answers prediction 2
show({"all weight on position 4": lambda m, row: answer_with(m, tokens, np.eye(7)[4])})
show({"mean row of all": lambda m, row: answer_with(m, tokens, row.mean(axis=0))})
show({"mean row of yes": lambda m, row: answer_with(m, tokens, row[labels == 1].mean(axis=0))})

# %%
# answers prediction 2
for name, row in rows.items():
    no, yes = (row[labels == label, 4].mean() for label in (0, 1))
    print(f"weight on position 4   {name:<8} no {no:.2f}   yes {yes:.2f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# A mean heat map hides the rare sentences: in *usual*, a yes has far more weight at position 4 than the mean row shows.
# More weight is not always better, because the later layers were trained on the model's own rows.
#
# </details>
#
# ## Change the sentence
#
# **Goal.** Leave the model alone, and change what it reads.
#
# Now we change one token in each sentence: a 42 becomes 17, any other token 42.

# %%
predict(
    "The labels stay, and so both models are scored on the old answers. Balanced accuracy with 42 and 17 swapped at position 4, and elsewhere?",
    {
        "1.00 and 1.00": "Then the answer would not depend on position 4 at all.",
        "0.50 and 1.00": "0.50 would be guessing. Here every answer follows the new token and is the opposite of the old label.",
        "0.00 and 1.00": True,
        "0.00 and 0.50": "One 42 elsewhere disturbs neither model. The optional part shows how many it takes.",
    },
)


# %%
# answers prediction 3
def swapped(at):  # at: one position, or one for each sentence
    changed, n = tokens.copy(), np.arange(len(tokens))
    changed[n, at] = np.where(tokens[n, at] == 42, 17, 42)
    return changed  # (n, seq_len)


elsewhere = np.random.default_rng(0).choice([1, 2, 3, 5, 6], size=len(tokens))  # (n,)
show({"swapped at position 4": lambda m, row: answer_with(m, swapped(4))})
show({"swapped elsewhere": lambda m, row: answer_with(m, swapped(elsewhere))})

# %% [markdown]
# <details><summary>What came out</summary>
#
# The swap at position 4 flipped every answer, and its control, the swap elsewhere, flipped none, even in *focused*, which had no fair control until now.
#
# </details>
#
# ## Two tests from the literature
#
# **Goal.** Test whether weights explain answers.
#
# A row explains an answer if it describes what the model really computes.
# This is called **faithfulness**.
# [@jain2019] found rows far from a model's own that lead to nearly the same answer, and we search for such *adversarial* rows among many random ones.
# The total variation distance between two rows is the weight that has to move to make them equal:
#
# $$\mathrm{distance}(w, v) = \frac12 \sum_{j=1}^{n_\mathrm{keys}} |w_j - v_j| \qquad w, v: (n_\mathrm{keys},)$$
#
# ### Exercise: `furthest_row` · 6 minutes
# `row`, `(n_keys,)`, is the model's own, and `answer` is its probability.
# `candidates` is `(m, n_keys)`, with their answers in `answers`, `(m,)`.
# Return the tuple `(candidate, distance)` for the candidate that is furthest from `row`, among those whose answer differs from the model's by less than `tolerance`.
# If there is none, return the model's own row and 0.
#
# <details><summary>Hint 1</summary>Go through candidates and answers together, with <code>zip</code>, and remember the best so far.</details>
#
# <details><summary>Hint 2</summary>Start with <code>best, furthest = row, 0.0</code>.
# A candidate passes if its answer is close to the model's and its distance is larger than <code>furthest</code>.</details>


# %%
def furthest_row(row, answer, candidates, answers, tolerance):
    # solution
    best, furthest = row, 0.0
    for candidate, given in zip(candidates, answers):
        if abs(given - answer) < tolerance:
            distance = np.abs(candidate - row).sum() / 2
            if distance > furthest:
                best, furthest = candidate, distance
    return best, furthest
    # end solution


check("furthest_row", furthest_row)

# %%
furthest_row = keep("furthest_row")
candidates = np.random.default_rng(0).dirichlet(np.ones(7), size=5000)  # (m, n_keys), each row sums to 1
first = {"no": np.flatnonzero(labels == 0)[0], "yes": np.flatnonzero(labels == 1)[0]}
for (name, model), (label, i) in product(models.items(), first.items()):
    own = answer_with(model, tokens[[i]])[0]
    given = answer_with(model, tokens[[i] * 5000], candidates)  # (m,)
    found, distance = furthest_row(rows[name][i], own, candidates, given, tolerance=0.05)
    same = np.mean(abs(given - own) < 0.05)
    print(f"{name:<8} {label:<4} rows with the same answer: {same:6.1%}", end="   ")
    print(f"the furthest: {distance:.2f} away, {found[4]:.2f} at position 4")

# %% [markdown]
# <details><summary>About the solution</summary>Because the search starts with the model's own row and 0, nothing more is needed if no candidate fits.</details>
#
# ### What follows, and what does not
# For the *no* above, nearly any row leads to the same answer, so the model's own row does not explain it.
# For the *yes*, few rows do, yet in each model one lies at least 0.30 away.
#
# It does not follow that attention explains nothing.
# [@wiegreffe2019] object that no training produced these rows, and that they were made up for one sentence at a time.
# One of their tests measures how much the weights are worth *without* the model: a model without attention gets the frozen rows.
# Each sentence becomes $x = \sum_j w_j \cdot \text{one-hot}(\text{token}_j)$, of shape (51,), and your `train_step` from lesson 09 fits a read-out to these vectors.


# %%
def features(tokens, weights):  # tokens and weights (n, n_keys) -> (n, 51)
    return (weights[:, :, None] * np.eye(51)[tokens]).sum(axis=1)


def frozen(rows_of, n=4000):
    train, test = make_task(n, decoys=0.5, seed=2), make_task(n, decoys=0.5, seed=1)
    X, w, b = features(train.tokens, rows_of(train.tokens)), np.zeros(51), 0.0  # X (n, 51)
    for _ in range(500):
        w, b = train_step(w, b, X, train.labels, learning_rate=5)
    says = features(test.tokens, rows_of(test.tokens)) @ w + b > 0  # (n,)
    return balanced_accuracy(test.labels, says.astype(int))


# %%
print(f"uniform rows      {frozen(lambda tokens: np.full(tokens.shape, 1 / 7)):.2f}")
print(f"rows of usual     {frozen(lambda tokens: read(usual, tokens)[1]):.2f}")
print(f"rows of focused   {frozen(lambda tokens: read(focused, tokens)[1]):.2f}")

# %% [markdown]
# With uniform rows, a model can only count, whereas trained rows tell it *where*, even though it cannot look.
# So both papers have a point: a trained row carries information, but other rows can lead to the same answer.
#
# ## Five seeds of your own
#
# **Goal.** See whether a row of weights is a property of the task or of the seed.
#
# Each model came from one seed, so five readers from lesson 09 now learn which critic to follow, from the same films, with your gradients.


# %%
def films(n, seed):
    grades = np.random.default_rng(seed).integers(1, 11, size=(n, 6))
    return np.column_stack([np.zeros(n, dtype=int), grades]), (grades[:, 3] > 5).astype(int)


def look(E, P, tokens):  # X (n, 7, 4), and the weights of the query in row 0, (n, 7)
    X = E[tokens] + P
    return X, softmax(X[:, :1] @ np.swapaxes(X, -1, -2) / 2)[:, 0]


# %%
def trained(seed, tokens, labels, steps=400, rate=0.7):
    rng = np.random.default_rng(seed)
    E, P, w, b = (0.1 * rng.normal(size=shape) for shape in ((11, 4), (7, 4), (4,), ()))
    for batch in rng.integers(len(tokens), size=(steps, 100)):
        X, weights = look(E, P, tokens[batch])
        output = (weights[:, None] @ X)[:, 0]  # (100, 4)
        error = (1 / (1 + np.exp(-(output @ w + b))) - labels[batch]) / 100  # (100,)
        dE, dP = reader_gradient(E, P, tokens[batch], np.outer(error, w))
        w, b = train_step(w, b, output, labels[batch], rate)
        E, P = E - rate * dE, P - rate * dP
    return E, P, w, b


# %%
def says_of(X, w, b):  # the rest of a reader, as a function of its weights
    return lambda weights: (np.einsum("nk,nkd->nd", weights, X) @ w + b > 0).astype(int)


new_films, liked = films(4000, seed=1)
for seed in range(5):
    E, P, w, b = trained(seed, *films(4000, seed=0))
    X, row = look(E, P, new_films)
    says = says_of(X, w, b)
    print(f"seed {seed}   critic 4 {row[:, 4].mean():.2f}", end="   balanced accuracy ")
    scores = (*effect_and_control(says, row, liked, place=4), balanced_accuracy(liked, says(np.full_like(row, 1 / 7))))
    print("uncut {:.2f}   critic 4 hidden {:.2f}   control {:.2f}   uniform {:.2f}".format(*scores))

# %% [markdown]
# All five readers answer correctly and need critic 4: the balanced accuracy is 0.50 with this critic hidden, and 1.00 with the control.
# The weight on critic 4 and the balanced accuracy with uniform weights differ from seed to seed.
# One row from one seed is an anecdote.

# %% [markdown]
# ## Optional: twenty seeds, and four decoys
#
# We trained 20 models with each of three recipes; *decoys* is the usual recipe with decoys in the training sentences.
# Each is tested on 5,000 unseen sentences with decoys.
#
# ### Try it: fool the model yourself
# The second cell replays the training of the course's *usual* model, on a sentence whose answer is no.
# - Write 42 into one position after another, but never into position 4.
#   How many does it take before the model says yes?
# - Go back to epoch 3, when accuracy without decoys is already 1.00.
#   How many does it take now?

# %%
study = [run for run in load_study() if run["seed"] < 20]  # the others have other lengths and targets
_, ax = plt.subplots(figsize=(8, 3.5))
for recipe, marker in zip(("usual", "decoys", "focused"), "os^"):
    runs = [run for run in study if run["recipe"] == recipe]
    weights, right = ([run[name] for run in runs] for name in ("weight", "decoy_accuracy"))
    ax.plot(weights, right, marker, alpha=0.6, markersize=10, label=recipe)
    print(f"{recipe:<8} weights {min(weights):.2f} to {max(weights):.2f}", end="   ")
    print(f"accuracies {min(right):.2f} to {max(right):.2f}")
ax.set(xlabel="mean weight on position 4", ylabel="accuracy among decoys", title="20 seeds each")
ax.legend(loc="lower right")
plt.show()

# %%
TrainingReplay(load_training("usual"), make_task(seed=1), tokens=tokens[0])

# %% [markdown]
# ### Try it: force a weight
# Below, the course's *usual* model reads one sentence, and 100 others with 42 at the same positions.
# - The line from position 4 is selected: move its *weight* down.
#   It starts at 0.52, and the answer flips between 0.30 and 0.20, so the model gives more weight than it needs.
# - Type *7 42 42 13 42 28*.
#   The answer is no, as it nearly always is with three decoys.
#   Move the weight of 13, at position 4, up to 0.50: now the model says yes.
#   To this model, a high weight at position 4 is a sign of a yes, whatever the token is.

# %%
hand = TheMachine(load_training("usual")[-1], "7 42 19 42 3 28")  # hand.log: what you tried
hand

# %% [markdown]
# Small looks add up: to this model, four decoys usually look like one 42 at position 4.
# In the plot, models with about the same weight differ in accuracy, and vice versa.

# %% [markdown]
# ## Four sentences that you will hear
#
# **Goal.** Choose the experiment that could prove a sentence wrong.
#
# The reference page on self-attention lists four *Common Misconceptions*:
#
# 1. "Self-attention is the same as attention."
# 2. "Higher attention weight means the model thinks the word is more important."
# 3. "Self-attention captures word meaning."
# 4. "The attention matrix is interpretable."
#
# Which of these experiments could prove which sentence wrong?
#
# - *compare*: set rows of weights beside the answers, for *yes* and *no* and for two models,
# - *new context*: keep the queries, and take keys and values from another sentence,
# - *new meanings*: keep the weights, and swap the vectors of two tokens,
# - *hide the top*: in each sentence hide the key with the highest weight.
#
# <details><summary>Which for which</summary>In the order of the sentences: new context, hide the top, new meanings, compare.
# For sentence 2, a comparison would show that the weights differ, but not what they are needed for.</details>


# %%
def before(Q, K, V, mask):  # 1. New context: each [CLS] reads the sentence before its own.
    return attend(Q, np.roll(K, 1, axis=0), np.roll(V, 1, axis=0), mask)


says = (focused(tokens, attention=before).probability >= 0.5).astype(int)  # (n,)
print(f"right about the sentence that asks:    {balanced_accuracy(labels, says):.2f} (balanced)")
print(f"right about the sentence that is read: {balanced_accuracy(np.roll(labels, 1), says):.2f} (balanced)")

# %%
for name, model in models.items():  # 2. Hide the top, in each sentence.
    hidden = hide(rows[name], rows[name].argmax(axis=-1))  # (n, n_keys)
    changed = answers[name] != (answer_with(model, tokens, hidden) >= 0.5)
    no, yes = (changed[labels == label].mean() for label in (0, 1))
    print(f"{name:<8} answers that change: {no:.0%} of no, {yes:.0%} of yes")

# %%
# 3. New meanings: 42 and 17 exchange their vectors, and the weights stay.
order = [{42: 17, 17: 42}.get(token, token) for token in range(51)]
says = answer_with(focused._replace(tokens=focused.tokens[order]), tokens, rows["focused"]) >= 0.5  # (n,)
print("answered yes:", *(f"{t} at position 4 {says[tokens[:, 4] == t].mean():.0%}  " for t in (42, 17)))

# %%
yes, no = (rows["focused"][labels == label].mean(axis=0) for label in (1, 0))  # 4. Compare.
print(f"focused: mean rows of yes and no {np.abs(yes - no).sum() / 2:.2f} apart")
same = np.mean(answers["usual"] == answers["focused"])
apart = np.abs(rows["usual"] - rows["focused"]).sum(axis=-1) / 2  # (n,)
print(f"usual and focused: {same:.0%} of the answers equal, rows {apart.mean():.2f} apart")

# %% [markdown]
# 1. In self-attention, queries, keys and values come from one sequence.
#    Here the keys and values came from another, the formula was the same, and the answer followed *them*.
# 2. When we hid the top key, all the *yes* answers flipped and none of the *no* answers did.
#    For a *yes*, this supports "important", but a *no* also has a top key and loses nothing without it.
#    In *focused*, both top keys weigh 1.00, so a high weight cannot tell yes from no.
# 3. The weights stayed the same, and the answer moved with the token vectors, from which the values are made.
# 4. Rows that hardly differ can go with opposite answers (*yes* and *no* in *focused*), and rows far apart with the same one (*usual* and *focused*).
#
# ## What to say about a heat map
#
# **You may say**
# - which model, seed, layer, head and sentence the map shows,
# - how much of each *value* flows into a token, in this layer,
# - what changed when you hid a key, zeroed a value or swapped a token.
#
# **Do not say**
# - that a word is important, or that the model *thinks* something, because a cell has a strong colour,
# - that more weight would be better,
# - that another seed or another sentence would look like this one.
#
# ## What we now know
#
# - A heat map shows how values are mixed; only an intervention shows what depends on the mix.
# - Balanced accuracy shows damage that accuracy hides, and a control shows what caused it.
# - Very different rows can lead to the same answer, yet trained rows carry information.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@jain2019]: adversarial rows, for models that read real texts.
# - [@wiegreffe2019]: four tests, one with frozen weights.
#
# ## Next question
#
# Here the deciding token was always at the same position, but in a review it is not.
# When a small model learns to read reviews on its own, does *good* look at *not*?
# That is lesson [15](15_learning_not_good.ipynb).
