# %% [markdown]
# # 13 · Making it look: decoys, a reward, and patience
#
# In lesson 12, your model gave the right answers with about a third of its attention on position 4, where *good* stood in the review and where the 42 counts now.
# Can you make the model look harder, and what would a harder look tell you?
#
# **You will build** a reward for looking, and train the model of lesson 12 with it until nearly all its attention lies on the right position.
#
# **You will be able to**
# - make a task so hard that accuracy depends on where the model looks,
# - add your own term to a loss, and decide when it should begin to count,
# - train a model on your own question, and interpret a sharp look with care.
#
# **You need** lesson [12](12_cls_classifier.ipynb), because you continue with its model.
# **Time:** {minutes} minutes, 1 of them while cells run.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import LookPlayground, TheMachine, TrainingReplay
from course_utils.models import cls_baselines, cls_model
from course_utils.models.cls_model import keras  # Keras, told to be quiet
from course_utils.models.cls_reader import answer_with, cls_row, load_study
from course_utils.models.own_model import load_mine, save_mine
from course_utils.pictures.live_look import LiveLook
from course_utils.pictures.live_training import only_live
from course_utils.pictures.plots import curves, row_bars
from course_utils.tasks.cls_task import best_counter, hardest, make_task

build_model, recall = mine("build_model", "recall")  # from lesson 12

# %%
look_back("13")

# %% [markdown]
# ## Sentences full of decoys
#
# **Goal.** Find out how far a third of the attention goes when the sentences get harder.
#
# *A First Look at Self-Attention* says that such a model "can learn to focus nearly all its attention" on position 4.
# In lesson 12, a third was enough, because a 42 at any other position was rare.
# So we first change the task, and then the loss, until the model does focus like that.
#
# A 42 that must not count is called a *decoy*.
# Each of the other five positions now has a decoy with probability 0.5, and position 4 has a 42 in half of the sentences, so always saying no is right half of the time.

# %%
usual = load_mine("my_classifier", instead="usual")
hard, new = make_task(decoys=0.5), make_task(5000, decoys=0.5, seed=1)  # to learn from, and held out
print(hard.question)
print(hard.tokens[:3], hard.labels[:3])

# %%
predict(
    "Your trained model of lesson 12 meets sentences full of decoys. Its accuracy is",
    {
        "1.00, as before": "Each decoy gets some weight, and enough decoys together lead to a yes.",
        "clearly below 1, clearly above 0.5": True,
        "0.50, a guess": "The model does look at position 4 more than elsewhere. That helps until there are many decoys.",
    },
)

# %%
# answers prediction 1
says = (answer_with(usual, new.tokens) >= 0.5).astype(int)  # (5000,)
wrong = says != new.labels
print(f"your accuracy {np.mean(~wrong):.2f}   recall {recall(new.labels.astype(int), says):.2f}")
print(f"wrong: {wrong.sum()} of 5,000, of which a yes: {says[wrong].sum()}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# The model still finds every *yes*, and all its mistakes are false alarms, because several decoys together look like a 42 at position 4.
#
# </details>
#
# ## Train on decoys, and watch
#
# **Goal.** Watch a model find position 4, batch by batch.
#
# Would a model that grows up among decoys look harder?
# The cell below makes a fresh model with **your** `build_model` and trains it on decoys, with larger steps than in lesson 12 and batches of 250 sentences.
# Watch four things at once:
#
# - the **loss** and the **accuracy** of each batch,
# - the **look**, in orange: the mean weight that `[CLS]` gives to its *favourite*, the position it looks at most; from 0.99 on, we call the look *sharp*,
# - **one sentence**, with a 42 everywhere but at position 4, so the right answer is no.
#
# This training takes a few seconds; a later one, with `slow=True`, pauses whenever the look moves.


# %%
def train_live(task, seed=0, slow=False, **changed):
    keras.utils.set_random_seed(seed)  # decides the first weights
    model = build_model(int(task.tokens.max()) + 1, task.tokens.shape[1], 8)
    trap = hardest(task)  # a sentence whose no is hard to see
    live = LiveLook(trap, lambda: answer_with(cls_model.to_reader(model), trap[None])[0], 0, pause=0.12 * slow)
    epochs = [cls_model.to_reader(model)]  # before the training, then after each epoch
    recipe = cls_model.FOCUSED | {"seed": seed, "on_batch": live.update} | changed
    recipe["on_epoch"] = lambda *_: epochs.append(cls_model.to_reader(model))
    return epochs, cls_model.train(model, task, **recipe) | {"focus": recipe["focus"]}


without, history = train_live(hard, focus=0)  # focus=0: no reward yet

# %%
predict(
    "The accuracy was 1.00 on nearly every batch at the end. Train again with other seeds: is the look sharp every time?",
    {
        "yes: the answer is right only if the look is sharp": "Part of the weight may lie on a token that says nothing, such as [CLS], and the answers are still right.",
        "no: with some seeds a part of the weight stays elsewhere": True,
    },
)


# %%
# answers prediction 2
def measured(epochs, task):
    yes = answer_with(epochs[-1], task.tokens) >= 0.5  # (n,)
    row = cls_row(epochs[-1], task.tokens).mean(axis=0)  # (n_places,)
    return np.mean(yes == task.labels), row


looks = {}
for seed in range(2):
    epochs = without if seed == 0 else train_live(hard, seed, focus=0)[0]
    accuracy, row = measured(epochs, new)
    looks[f"off, seed {seed}"] = row[4]
    print(f"seed {seed}: accuracy {accuracy:.3f}")
runs = [f"off, seed {run['seed']}: look {run['weight']:.2f}" for run in load_study() if run["recipe"] == "decoys"]
only_live("\n".join(f"{name}: look {look:.2f}" for name, look in looks.items()), recorded="\n".join(runs[:2]))
print("look at least 0.99:", sum(look >= 0.99 for look in looks.values()), "of 2")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Both models answer correctly, yet neither puts 0.99 of its weight on position 4, because the answers do not need a sharp look.
# If we want a sharp look with every seed, we have to ask for it.
#
# </details>
#
# ## A reward for one place
#
# **Goal.** Add a term to the loss that is not about the answers.
#
# How do you ask a model to look somewhere?
# You pay it: the favourite is the position that gets the most weight from `[CLS]` on average in a batch, and the more weight it gets in *every* sentence, the lower the loss is:
#
# $$L \;=\; \text{cross-entropy} \;-\; \lambda \, R \qquad\quad R \;=\; \frac1B \sum_{i=1}^{B} \log w_{i,f}$$
#
# $$f \;=\; \arg\max_j \; \frac1B \sum_{i=1}^{B} w_{i,j} \qquad\quad w\colon (B, n)$$
#
# $w$ contains the weights of `[CLS]` in the $B$ sentences of a batch, $f$ is one position for the whole batch, and $R$, $\lambda$ and $L$ are single numbers.
# The reward $R$ is never above 0, and it reaches 0 when all the weight lies on the favourite.
# We choose $\lambda$, which sets how much the reward counts.
#
# Such a term, added to the loss of the task, is called an **auxiliary loss**.
# Many models answer correctly, and our loss prefers those with a sharp look.
# Such a preference is called **regularisation**.
# The reward does not name a position or a token, so the model still has to find where to look.
#
# ![](../images/parts_13.svg)
#
# Why one favourite for the whole batch?
# If each sentence had its own favourite, `[CLS]` could look at position 4 when a 42 is there, and at itself otherwise.
#
# ### Exercise: `look_reward` · 8 minutes
# Return the reward: the mean over the batch of the logarithm of the weight on the favourite.
# `weights` is `(batch, n)`; you return one number, for any batch and any number of positions.
# Use `keras.ops`, whose functions have NumPy's names (`mean`, `argmax`, `take`, `log`), because Keras can compute gradients through them, but not through NumPy's.
#
# <details><summary>Hint 1</summary>The mean over <code>axis=0</code> gives one number for each position, <code>(n,)</code>, and its <code>argmax</code> is the favourite.</details>
#
# <details><summary>Hint 2</summary><code>keras.ops.take(weights, favourite, axis=1)</code> is one column, <code>(batch,)</code>.</details>


# %%
def look_reward(weights):
    # solution
    favourite = keras.ops.argmax(keras.ops.mean(weights, axis=0))  # one place for the whole batch
    on_it = keras.ops.take(weights, favourite, axis=1)  # (batch,)
    return keras.ops.mean(keras.ops.log(on_it))
    # end solution


check("look_reward", look_reward)

# %%
look_reward = keep("look_reward")
for sharp in (1 / 7, 0.5, 0.99):
    weights = np.full((2, 7), (1 - sharp) / 6, dtype="float32")  # (2, 7)
    weights[:, 4] = sharp
    print(f"look {sharp:.2f}: reward {float(look_reward(weights)):.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>The logarithm falls without bound as a weight nears 0, so a single sentence with a weak look costs a lot, whereas the mean of the weights themselves would forgive it.
# <code>log 0</code> is −∞, so the training replaces every weight below 10⁻⁹ with 10⁻⁹.</details>
#
# ## Off, on, and too early
#
# **Goal.** Find out when the reward should begin.
#
# What if we pay from the first batch on, when the model knows nothing yet?
# Watch the favourite.


# %%
def no_patience(losses, focus):
    return focus


impatient, _ = train_live(hard, reward=look_reward, patience=no_patience)
accuracy, row = measured(impatient, new)
place = "position 4" if row.argmax() == 4 else "another place"
print(f"accuracy {accuracy:.1f}   look {row.max():.2f}, at {place}")

# %% [markdown]
# The look became sharp before the model knew where to look, and then it never moved: a model that is paid for staring has no reason to look around.
# So the reward needs **patience**.
# Before each epoch, a function gets the losses of all the epochs so far, without the reward, and sets $\lambda$ to `focus` or to 0.
# Here are three possible signals:
#
# - **A.** four epochs are done;
# - **B.** the last epoch's loss was below 0.1;
# - **C.** at least one epoch's loss was below 0.1.
#
# ### Exercise: `patience` · 5 minutes
# **Decide** which signal you can trust, with `epochs=30` and small steps too; one bad epoch must not switch the reward off again.
# Then write the function: return `focus` if the signal has come, and 0 otherwise.
# `losses` is `(n_epochs,)`, an array of the losses so far; before the first epoch it is empty.
# A loss of 0.1 is low: a model that always answers 0.5 has a loss of 0.69.
#
# <details><summary>Hint 1</summary>A counts epochs, but what has a slow model learned after four?
# B forgets: what happens after an epoch whose loss is 0.12?</details>
#
# <details><summary>Hint 2</summary><code>losses &lt; 0.1</code> is an array of True and False, and <code>np.any</code> of an empty array is False.</details>


# %%
def patience(losses, focus):
    # solution
    return focus if np.any(losses < 0.1) else 0.0  # C: once one epoch's loss was below 0.1
    # end solution


check("patience", patience)

# %%
patience = keep("patience")
ours = {"reward": look_reward, "patience": patience}
# slow=True waits where the look moves: watch the orange line after the mark.
focused, history = train_live(hard, slow=True, **ours)

# %%
accuracy, row = measured(focused, new)
print(f"accuracy {accuracy:.3f}   look at position 4: {row[4]:.2f}   on 5,000 new sentences")
losses = np.array(history["loss"])  # (epochs,)
counts = [patience(losses[:i], history["focus"]) > 0 for i in range(len(losses))]  # before each epoch
print(f"the reward counts from epoch {np.argmax(counts) + 1}" if any(counts) else "the reward never counted")
save_mine(focused[-1], "my_focused")

# %% [markdown]
# Run the next cell to draw your whole run, epoch by epoch; until you do, you see the course's own run, with seed 0.

# %%
run = [measured([epoch], new) for epoch in focused]  # before the training, then after each epoch
lines = {"accuracy": [right for right, _ in run], "look at position 4": [row[4] for _, row in run]}
curves(np.arange(len(run)), lines, xlabel="epoch", ylabel="on 5,000 new sentences", title="Your run, epoch by epoch")
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>C is right, because it waits until the model has learned the task, and never switches the reward off again.
# A counts epochs and says nothing about what the model learned in them.
# λ could also grow slowly from 0 instead of being switched on.</details>
#
# ### Try it: take a part away
# Change the last call to `train_live` above and run its cell; afterwards, undo the change and run the cell again, because the cells below show `focused`.
# - `train_live(hard, seed=5, **ours)`, then `train_live(hard, seed=5, focus=0)`: the reward on and off, with another seed.
# - `train_live(hard, epochs=5, **ours)`: is that enough?
# - `train_live(hard, epochs=30, learning_rate=0.003, **ours)`: when does the reward begin now?

# %%
# answers prediction 2
looks["too early"] = measured(impatient, new)[1][4]
looks["on"] = measured(focused, new)[1][4]
ax = row_bars(list(looks.values()), looks, title="Mean weight on position 4", highlight=[3])
ax.set_ylabel("the reward")
plt.show()

# %% [markdown]
# ### Try it: twenty seeds at once
# Below, twenty models train in your browser, without Python.
# - Press **▶**, and wait until the blue button says **Again**; do that four times, once for each recipe.
#   How many models look at position 4 each time?
# - Click the first recipe and wait.
#   How many decoys does a sentence need to fool all twenty models?
# - Click the fourth recipe, and set *patience* to *none*: the reward counts from the first batch.
#   How many look at position 4 now?

# %%
LookPlayground()

# %% [markdown]
# ### Try it: epoch by epoch
# - Press **Play**.
#   Which comes first, a high accuracy or a sharp look?
# - Put a 7 at position 4 and a 42 at each of the other five, and step from epoch to epoch.
#   After which epochs do the decoys fool your model?

# %%
TrainingReplay(focused, new, epoch=0)  # epoch 0 is before the training

# %% [markdown]
# ### Try it: a model with one line
# - Cut the only thick line: what does your model answer without it?
# - Press **Put it back**, and click the other 42 on the left to hide it instead.
# - Run the cell with `focused[0]`, the model before its training: where is the thick line now?

# %%
TheMachine(focused[-1], "7 42 19 42 3 28")

# %% [markdown]
# ## A question of your own
#
# **Goal.** Train on a question that you choose.
#
# The reward names neither position 4 nor 42, so it should work for other questions too, including yours.
# `make_task` takes a `position`, a `target` and a `length`, as in `make_task(length=9, position=8, decoys=0.5)`.
# It also takes a **question**: a function that takes `tokens (n, length + 1)` and answers yes or no for each sentence; half of the sentences are then chosen so that the answer is yes.
#
# Before you believe an accuracy, ask whether anyone could reach it without looking.
# One figure to compare with is the base rate.
# The other is the accuracy of the *best counter*, a program that knows which tokens are in a sentence, but not where they are.


# %%
def above(tokens):
    """Is the token at position 3 above 25?"""
    return tokens[:, 3] > 25


def report(question=None, reward=look_reward, seed=0, epochs=12, **changed):
    task = make_task(question=question, **changed)
    fresh = make_task(5000, question=question, **changed, seed=1)
    trained, _ = train_live(task, seed, reward=reward, patience=patience, epochs=epochs)
    accuracy, row = measured(trained, fresh)
    base = max(fresh.labels.mean(), 1 - fresh.labels.mean())
    print(fresh.question)
    print(f"base rate {base:.2f}   best counter {best_counter(fresh):.2f}   accuracy {accuracy:.2f}")
    print("looks at", ", ".join(f"place {i} ({row[i]:.1f})" for i in np.flatnonzero(row >= 0.05)))
    return trained, fresh


own, fresh = report(above)

# %% [markdown]
# ### Try it: your question
# - `report(length=9, position=8, target=7, decoys=0.5)`: the usual question, about a 7 at position 8.
# - Write a function like `above`, with its question as the docstring, and pass it to `report`.
# - *Is the token at position 2 equal to the one at position 5?*
#   This is hard for so small a model: compare its accuracy with the best counter's, and say whether the reward ever counted.
#
# ## Two places
#
# **Goal.** See what rewarding one position does when the answer needs two.
#
# Your reward pays for one position, but an answer may depend on two: **is there a 42 at position 2 and also at position 5?**

# %%
predict(
    "The reward pays for one place only. The model will",
    {
        "look at both places alike, since it needs both": "Weight on the second position lowers the reward, so training moves it to the favourite.",
        "put nearly all weight on one of the two": True,
        "look at a third place": "The reward waits until the loss is low, and by then the favourite is a position that helps.",
    },
)


# %%
# answers prediction 3
def both(tokens):
    """Is there a 42 at position 2 and at position 5?"""
    return (tokens[:, 2] == 42) & (tokens[:, 5] == 42)


one_place, fresh = report(both, decoys=0.5)
only_live(f"place 2: {measured(one_place, fresh)[1][2]:.2f}, place 5: {measured(one_place, fresh)[1][5]:.2f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# A heat map of this model tells only half the truth: it shows one position, but the answer needs two.
# With seed 1 the accuracy falls below 0.8: try `report(both, seed=1, decoys=0.5)`.
#
# </details>
#
# Now reward a **set** of positions, with the logarithm of the weight on all of them together:
#
# $$R = \frac1B \sum_{i=1}^{B} \log \sum_{j \in F} w_{i,j} \qquad\quad w\colon (B, n)$$
#
# $F$ is the set of the $k$ positions with the largest mean weight over the batch.
#
# ### Exercise: `set_reward` · 6 minutes
# Return this reward, one number, for any batch and any number of positions.
# `weights` is `(batch, n)` and `n_places` is $k$, from 1 to `n`.
#
# <details><summary>Hint 1</summary><code>keras.ops.top_k(average, k)</code> returns two things: the k largest numbers and their positions.</details>
#
# <details><summary>Hint 2</summary>With k positions, <code>keras.ops.take</code> returns <code>(batch, k)</code>: add up over the positions before you take the logarithm.</details>


# %%
def set_reward(weights, n_places):
    # solution
    _, favourites = keras.ops.top_k(keras.ops.mean(weights, axis=0), n_places)  # (n_places,)
    taken = keras.ops.take(weights, favourites, axis=1)  # (batch, n_places)
    together = keras.ops.sum(taken, axis=1)  # (batch,)
    return keras.ops.mean(keras.ops.log(together))
    # end solution


check("set_reward", set_reward)

# %%
set_reward = keep("set_reward")


def two_places(weights):
    return set_reward(weights, 2)


two, fresh = report(both, two_places, decoys=0.5)

# %% [markdown]
# <details><summary>About the solution</summary>The sum comes before the logarithm, so the model can divide the weight between the positions as it likes; a sum of logarithms would push towards equal shares, which we do not ask for.</details>

# %% [markdown]
# ## Optional: Is it the attention?
#
# Was it the attention, or would another kind of model have done equally well?
# Give such a model the same sentences, batch size, learning rate and epochs:
#
# - `"no positions"`: the same layers, without position vectors;
# - `"mean pooling"`: the mean of all vectors, positions included, instead of attention;
# - `"recurrent"`: a network that reads tokens one by one into a memory of 8 numbers.
#
# A model that cannot tell positions apart can only count.
# Choose a model in the first line, and compare its accuracy with the best counter's.

# %%
chosen = "no positions"
others = {
    "no positions": lambda: cls_model.build_classifier(positions=False),
    "mean pooling": cls_baselines.build_mean_pooling,
    "recurrent": cls_baselines.build_recurrent,
}
other = others[chosen]()
cls_model.train(other, hard, epochs=12, batch_size=250, learning_rate=1e-2)
accuracy = np.mean((cls_model.predict(other, new.tokens) >= 0.5) == new.labels)
print(f"{chosen}: accuracy {accuracy:.1f}   best counter {best_counter(new):.1f}")

# %% [markdown]
# ## What we now know
#
# - Among decoys, the look of lesson 12 is not enough, and training for accuracy alone does not make the look sharp with every seed.
# - An auxiliary loss can ask for something the answers do not need.
#   Ours led to position 4 when it started late enough, and you get what you pay for: one position, or a set.
# - Under these conditions, the model "can learn to focus nearly all its attention" on position 4, but a sharp look may say more about the loss than about the task.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@liu2016]: an auxiliary loss that tells attention where to look, in translation.
# - [@jain2019]: nearly the same answers from very different weights.
#
# ## Next question
#
# Your second model looks at position 4 and answers correctly.
# Does it answer correctly *because* it looks there?
# Go on with [14_reading_attention](14_reading_attention.ipynb), where you move the attention by hand and watch the answers.
#
# On the short way, go on with the finale, the first section of [15_learning_not_good](15_learning_not_good.ipynb), which takes 20 minutes: a model reads *not good*, and you cut the look that its verdict depends on.
