# %% [markdown]
# # 14 · Reading attention: change it, and see what it did
#
# **You will build** nine interventions on two trained classifiers: you change weights, values or sentences, and measure what is left.
#
# **You will be able to**
# - test a claim about attention instead of believing it,
# - predict which changes break a model and which do not,
# - say the right things about a heat map, and leave out the wrong ones.
#
# **You need** [12_cls_classifier](12_cls_classifier.ipynb).
# **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import scaled_dot_product_attention
from course_utils.checks import check, predict, progress, recap
from course_utils.cls_reader import answer_with, cls_row, load_classifier, load_study, load_training
from course_utils.cls_task import make_task, metrics
from course_utils.explorables import TrainingReplay
from course_utils.plots import curves, heatmap, row_bars

# %% [markdown]
# ## Two models, one score
#
# **Goal.** Meet two models that the usual test cannot tell apart.
#
# Both answer the question of lesson 12: is the token at position 4 the number 42?
# *usual* was trained on random sentences, as in many texts.
# *focused* was trained on sentences with **decoys**, where a 42 often stands at the other positions too, and its training also rewarded a sharp look.
# The command `nox -s study -- --ship` trained both and saved them.
# Here NumPy reads the files and gives Keras's answers.

# %%
models = {name: load_classifier(name) for name in ("usual", "focused")}
tokens, labels = make_task(seed=1)  # held-out sentences: (n, seq_len) = (8000, 7) and (n,)
rows = {name: cls_row(model, tokens) for name, model in models.items()}  # where [CLS] looks: (n, n_keys)
for name, model in models.items():
    print(f"{name:<8} accuracy {metrics(labels, answer_with(model, tokens)).accuracy:.2f}")

# %%
fig, axes = plt.subplots(1, 2, figsize=(12, 4.2), sharex=True)
for ax, (name, row) in zip(axes, rows.items()):
    row_bars(row.mean(axis=0), ["[CLS]", *"123456"], title=f"{name}, mean [CLS] row", highlight=[4], ax=ax)
    print(f"{name:<8} mean weight on position 4: {row[:, 4].mean():.2f}")
plt.show()

# %% [markdown]
# The same answers, and two different pictures.
# What do these weights *do*?
#
# Accuracy is a poor measure for that: 98 % of the labels are *no*.
# **Balanced accuracy** counts both classes alike.
# It is the mean of two shares: the right answers among the sentences labelled 1, and the right answers among those labelled 0.
# A model that does not look has 0.50.
#
# ### Exercise: `balanced_accuracy` · 4 minutes
# Return the balanced accuracy.
# `labels` and `predictions` are both `(n,)`, of 0 and 1, and both labels occur.
#
# <details><summary>Hint 1</summary>The first share is the recall of lesson 12.
# The second is the same question about the zeros.</details>
#
# <details><summary>Hint 2</summary><code>predictions == labels</code> says where the answers are right.
# Keep one class, take the mean; then the other.</details>


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
# That is an **intervention**.
# Here are three that should blind `[CLS]`:
#
# - *uniform weights*: every key gets the same weight,
# - *position 4 hidden*: its weight becomes 0, and the others grow until they sum to 1,
# - *values zeroed*: the weights stay, but every value is a vector of zeros.
#
# ### Exercise: `uniform_attention` · 3 minutes
# Return weights of the same shape as `weights`, `(..., n_keys)`, in which every key of a row counts the same.
#
# <details><summary>Hint 1</summary>Each row still sums to 1.
# How many keys share it?</details>
#
# <details><summary>Hint 2</summary><code>np.full(shape, number)</code> makes an array of one number.
# The keys are the last axis.</details>


# %%
def uniform_attention(weights):
    # solution
    return np.full(weights.shape, 1 / weights.shape[-1])  # (..., n_keys)
    # end solution


check("uniform_attention", uniform_attention)


# %%
def hide(row, key=4):
    rest = np.where(np.arange(7) == key, 0, row)  # (n, n_keys)
    return rest / rest.sum(axis=-1, keepdims=True)


def measure(change):  # change(model, its [CLS] rows) returns probabilities (n,)
    return {name: metrics(labels, change(model, rows[name])) for name, model in models.items()}


# %%
blind = {  # each change is a function of a model and its [CLS] rows
    "uniform weights": lambda m, row: answer_with(m, tokens, np.full_like(row, 1 / 7)),
    "position 4 hidden": lambda m, row: answer_with(m, tokens, hide(row)),
    "values zeroed": lambda m, row: answer_with(m._replace(W_V=0 * m.W_V, b_V=0 * m.b_V), tokens, row),
}

# %%
predict(
    "Which of the three leaves the usual model able to find a yes sentence?",
    {
        "uniform weights": "A seventh of the weight is left at position 4. This model needs more to say yes.",
        "position 4 hidden": "Then the token at position 4 cannot reach the row of [CLS], and nothing else tells yes from no.",
        "values zeroed": "The weights are as good as before, but the mix of zeros is zero.",
        "none of them": True,
    },
)


# %%
def show(changes):
    for change in changes:
        for name, found in measure(changes[change]).items():
            accuracy, recall, balanced = found
            print(f"{change:<24} {name:<8} accuracy {accuracy:.2f}   recall {recall:.2f}   balanced {balanced:.2f}")


show(blind)

# %% [markdown]
# All three blind both models: no yes is found again, and the accuracy of 0.98 is the base rate.
# So the answers do come through the look at position 4.
#
# With values zeroed, the heat map is unchanged, and the model knows nothing.
# Weights say how much of a value flows.
# They do not say what flows.
#
# ## More, mixed, average
#
# **Goal.** Give the look another shape.
#
# Four more:
#
# - *all weight on position 4*,
# - *weights permuted*: each row is shuffled at random,
# - *mean row of all*: every sentence gets the mean of all rows,
# - *mean row of yes*: every sentence gets the mean row of the sentences labelled 1.

# %%
rng = np.random.default_rng
shapes = {
    "all weight on position 4": lambda m, row: answer_with(m, tokens, np.eye(7)[4]),
    "weights permuted": lambda m, row: answer_with(m, tokens, rng(0).permuted(row, axis=-1)),
    "mean row of all": lambda m, row: answer_with(m, tokens, row.mean(axis=0)),
    "mean row of yes": lambda m, row: answer_with(m, tokens, row[labels == 1].mean(axis=0)),
}

# %%
predict(
    "With which of these four does the usual model still have a balanced accuracy of 1.00?",
    {
        "all weight on position 4": "It was trained with a third, and about a half for a yes. With so much of one value it takes nearly every token for a 42.",
        "weights permuted": "Position 4 then gets its large weight only by chance, and other positions get it instead.",
        "mean row of all": "98 % of the sentences are a no, so this is the row of a no. A yes needs more weight at position 4.",
        "mean row of yes": True,
    },
)

# %%
show(shapes)
for name, row in rows.items():
    no, yes = (row[labels == label, 4].mean() for label in (0, 1))
    print(f"weight on position 4     {name:<8} no {no:.2f}   yes {yes:.2f}")

# %%
# Turn the weight on position 4 like a dial. The other six keys share the rest.
dial = np.arange(2, 21) / 20  # 0.10, 0.15, ..., 1.00
turns = [np.where(np.arange(7) == 4, x, (1 - x) / 6) for x in dial]  # each (n_keys,)
dialled = [measure(lambda m, row, turn=turn: answer_with(m, tokens, turn)) for turn in turns]
lines = {name: [found[name].balanced_accuracy for found in dialled] for name in models}
curves(dial, lines, xlabel="weight on position 4", ylabel="balanced accuracy", title="One row for every sentence")
good = dial[np.array(lines["usual"]) > 0.95]
print(f"the usual model is above 0.95 from weight {good.min():.2f} to weight {good.max():.2f}, not beyond")
plt.show()

# %% [markdown]
# A mean heat map hides the rare sentences.
# In *usual*, a yes has far more weight at position 4 than the mean row shows.
# Permuted weights hit position 4 by chance only.
#
# And more attention is not more understanding.
# Each model works inside a window of its own, because the numbers behind its attention were fitted to its own weights.
#
# ## Change the sentence
#
# **Goal.** Leave the model alone, and change what it reads.
#
# *Token swapped*: where a 42 stands, put a 17; where another token stands, put a 42.
# First at position 4, then at one other position, drawn at random.
# The **old** labels stay.


# %%
def swapped(at):  # at: (n,) positions
    n = np.arange(len(tokens))
    changed = tokens.copy()  # (n, 7)
    changed[n, at] = np.where(tokens[n, at] == 42, 17, 42)
    return changed


elsewhere = rng(0).choice([1, 2, 3, 5, 6], size=len(tokens))  # (n,)
sentences = {
    "token at 4 swapped": lambda m, row: answer_with(m, swapped(np.full(len(tokens), 4))),
    "token elsewhere swapped": lambda m, row: answer_with(m, swapped(elsewhere)),
}

# %%
predict(
    "Labels kept, both models: the balanced accuracy with the token at 4 swapped, and with one elsewhere swapped?",
    {
        "1.00 and 1.00": "Then the answer would not depend on position 4 at all.",
        "0.50 and 1.00": "0.50 is guessing. Here every answer follows the new token, so it is the opposite of the old label.",
        "0.00 and 1.00": True,
        "0.00 and 0.50": "One 42 elsewhere disturbs neither model. It takes several, as you will see.",
    },
)

# %%
everything = {"as trained": lambda m, row: answer_with(m, tokens, row), **blind, **shapes, **sentences}
found = {change: measure(everything[change]) for change in everything}  # all again, for one picture
fig, axes = plt.subplots(1, 2, figsize=(12, 6.4), sharey=True)
for ax, name in zip(axes, models):
    table = [found[change][name] for change in found]  # (changes, 3 measures)
    heatmap(table, found, ["accuracy", "recall", "balanced"], title=name, vmax=1, label="share", ax=ax)
    ax.set(xlabel="measure", ylabel="intervention" if name == "usual" else "")
balanced = {change: [scores.balanced_accuracy for scores in found[change].values()] for change in found}
apart = [change for change, (one, two) in balanced.items() if abs(one - two) > 0.1]
print("usual and focused differ by more than 0.1 in:", *apart, sep="\n  ")
plt.show()

# %% [markdown]
# Read the picture row by row.
# Accuracy hides most of the damage in *usual*.
# When the *sentence* changes, both models behave alike, and rightly: the answer follows the token at position 4, and no other.
# Two changes of the *weights* tell the models apart.
#
# ## Twenty seeds
#
# **Goal.** See whether a heat map is a property of the task or of the seed.
#
# The same command trains three recipes with 20 seeds each and writes the table that we read here.
# The recipe in the middle, *decoys*, is the usual one on sentences with decoys: no reward for a sharp look.
# Each model meets 5,000 unseen sentences with decoys.
# The cell below the picture asks why *usual* fails there: it counts the decoys in sentences labelled 0.
#
# ### Try it: fool the model yourself
# The same cell holds the training of *usual*, and a sentence whose answer is no.
# - Write 42 into one position after the other, never into 4.
#   With how many does the model say yes?
# - Go back to epoch 3.
#   Its accuracy without decoys is 1.00, too.
#   How many does it need?

# %%
study = [run for run in load_study() if run["seed"] < 20]  # the others have other lengths and targets
fig, ax = plt.subplots(figsize=(8, 5))
for recipe, marker in zip(("usual", "decoys", "focused"), "os^"):
    runs = [run for run in study if run["recipe"] == recipe]
    weights, right, plain = ([run[name] for run in runs] for name in ("weight", "decoy_accuracy", "accuracy"))
    ax.plot(weights, right, marker, alpha=0.6, markersize=10, label=recipe)
    print(f"{recipe:<8} weights {min(weights):.2f} to {max(weights):.2f}", end="   ")
    print(f"accuracies {min(right):.2f} to {max(right):.2f}   without decoys above 0.99:", min(plain) > 0.99)
ax.set(xlabel="mean weight on position 4", ylabel="accuracy among decoys", title="20 seeds each")
ax.legend(loc="lower right")
plt.show()

# %%
decoyed = make_task(decoys=0.5, seed=1)
no = decoyed.tokens[decoyed.labels == 0]  # (n_no, seq_len)
said_yes, decoys = answer_with(models["usual"], no) >= 0.5, (no == 42).sum(axis=-1)  # each (n_no,)
print("usual answers yes, with 0 to 5 decoys:", *(f"{said_yes[decoys == k].mean():.0%}" for k in range(6)))
TrainingReplay(load_training("usual"), make_task(seed=1), tokens=tokens[0])

# %% [markdown]
# Small looks add up: to this *usual* model, four decoys look like one 42 at position 4.
# Its mean heat map does not warn you.
#
# And look at the picture again.
# Models with about the same weight differ in accuracy.
# Models with the same accuracy differ in weight.
# Neither number tells you the other, and the test without decoys tells you neither.
#
# ## Four sentences that you will hear
#
# **Goal.** Meet each with an experiment.
#
# 1. "Self-attention is the same as attention."
# 2. "Higher weight means the model thinks the word is more important."
# 3. "Self-attention captures word meaning."
# 4. "The attention matrix is interpretable."

# %%
# 1. The same as attention? Let the [CLS] of each sentence read the sentence before it.
focused = models["focused"]
X, C = (focused.tokens[t] + focused.positions for t in (tokens, np.roll(tokens, 1, axis=0)))  # (n, 7, d_model)
Q = X[:, :1] @ focused.W_Q + focused.b_Q  # (n, 1, d_k), the query of [CLS]
K, V = C @ focused.W_K + focused.b_K, C @ focused.W_V + focused.b_V  # each (n, 7, d_k)
output = scaled_dot_product_attention(Q, K, V).output[:, 0]  # (n, d_v)
for name, Z in (("that asks", X), ("that is read", C)):
    value = Z[:, 4] @ focused.W_V + focused.b_V  # (n, d_v)
    equal = np.isclose(output, value, atol=0.01).all(axis=-1)  # (n,)
    print(f"the output is the value at 4 of the sentence {name}: {equal.mean():.0%}")

# %%
predict(
    "In each sentence we hide the key with the highest weight from the usual model. How many answers change?",
    {
        "all": "A no stays a no. Nothing that could make it a yes has been added.",
        "about half": "The answers that change are those of one class, and the classes are not of equal size.",
        "about 2 %": True,
    },
)

# %%
# 2. More important? Hide the key with the highest weight.
usual, row = models["usual"], rows["usual"]
hidden = hide(row, row.argmax(axis=-1, keepdims=True))  # (n, n_keys)
changed = (answer_with(usual, tokens, hidden) >= 0.5) != (answer_with(usual, tokens) >= 0.5)  # (n,)
print(f"answers that change: {changed[labels == 0].mean():.0%} of no, {changed[labels == 1].mean():.0%} of yes")

# %%
# 3. Word meaning? Let 42 and 17 exchange their token vectors, and keep the old weights.
order = [{42: 17, 17: 42}.get(token, token) for token in range(51)]
renamed = focused._replace(tokens=focused.tokens[order])
said_yes = answer_with(renamed, tokens, rows["focused"]) >= 0.5  # (n,)
print("answered yes:", *(f"{t} at position 4 {said_yes[tokens[:, 4] == t].mean():.0%}  " for t in (42, 17)))

# %%
# 4. Interpretable? Compare rows with answers.
yes, no = (rows["focused"][labels == label].mean(axis=0) for label in (1, 0))  # each (n_keys,)
print("focused: yes and no have the same row to 0.01:", bool(np.abs(yes - no).max() < 0.01))
same = (answer_with(usual, tokens) >= 0.5) == (answer_with(focused, tokens) >= 0.5)  # (n,)
print(f"usual, focused: same answers {same.mean():.0%}, rows {np.abs(row - rows['focused']).max():.1f} apart")

# %% [markdown]
# What came out:
#
# 1. The formula is the same.
#    In self-attention, queries, keys and values come from one sequence.
#    Here keys and values came from another one, and the output followed *them*.
# 2. Every sentence has a key with the highest weight.
#    Without it, no *no* changed, and every *yes* did.
# 3. The weights stayed, and the meaning moved with the token vectors, from which values are made.
# 4. Equal rows belong to opposite answers, and different rows to equal answers.
#
# ## What to say about a heat map
#
# **You may say**
# - which model, seed, layer, head and sentence it shows,
# - how much of each *value* flows into a token, in this layer,
# - what changed when you hid a key, zeroed a value or swapped a token.
#
# **Do not say**
# - that a word is important, or that the model *thinks* something, because a cell is dark,
# - that more weight would be better,
# - that another seed or another sentence would look like this one.
#
# ## What we now know
#
# - A heat map shows how values are mixed.
#   An intervention shows what depends on it.
# - Accuracy hides damage when one answer is frequent.
#   Balanced accuracy shows it.
# - Two models can give the same answers and look in different ways.
#   Whether that matters, only harder sentences tell.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# Here we knew the right place to look.
# In a review nobody does.
# Does a small model learn by itself that *good* should look at *not*?
# That is lesson 15.
