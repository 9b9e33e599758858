# %% [markdown]
# # 12 · A [CLS] classifier: train it, then ask where it looks
#
# **You will build** a small Transformer in Keras.
# You train it twice, and only the second time it really looks where the answer stands.
#
# **You will be able to**
# - say what an accuracy of 98 % is worth, and measure what it hides,
# - account for every weight of a model,
# - measure where a trained model looks, and change the task so that it has to look.
#
# **You need** lessons [02](02_softmax.ipynb), [04](04_queries_keys_values.ipynb) and [05](05_not_good.ipynb).
# No Keras.
# **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils import cls_baselines, cls_model
from course_utils.checks import check, predict, progress, recap
from course_utils.cls_task import make_task, metrics
from course_utils.explorables import TrainingReplay
from course_utils.live_training import LiveTraining
from course_utils.plots import heatmap, row_bars

# %% [markdown]
# ## One question about one position
#
# **Goal.** Make sentences whose answer stands at one place.
#
# A sentence is the token `[CLS]`, written 0, and then six random tokens from 1 to 50.
# The question is always the same: **is the token at position 4 the number 42?**
# `[CLS]` stands at position 0.
# It says nothing about the sentence.
# The model will write its answer there.

# %%
task = make_task()  # tokens (8000, 7), labels (8000,)
yes_or_no = [*np.flatnonzero(task.labels)[:2], 0, 1]
for i in yes_or_no:
    print(task.tokens[i], "->", int(task.labels[i]))

# %% [markdown]
# ### Exercise: `cls_labels` · 3 minutes
# Return the label of every sentence: 1 where the token at `position` is `target`, else 0.
# `tokens` is `(n, seq_len)` and starts with `[CLS]`.
# You return `(n,)`.
#
# <details><summary>Hint 1</summary>One column of <code>tokens</code> holds all that you need.</details>
#
# <details><summary>Hint 2</summary><code>==</code> on an array gives True and False.
# <code>.astype(int)</code> turns them into 1 and 0.</details>


# %%
def cls_labels(tokens, position, target):
    # solution
    return (tokens[:, position] == target).astype(int)  # (n,)
    # end solution


check("cls_labels", cls_labels)

# %% [markdown]
# ## What an accuracy is worth
#
# **Goal.** Know the score of somebody who does not look at all.
#
# **Accuracy** is the share of right answers.
# Before you train anything, think of a program without any weights.
# It answers *no* to every sentence.

# %%
predict(
    "Always answering no is right in how many percent of the sentences?",
    {
        50: "That would hold if yes and no were equally frequent. A random token is 42 only once in fifty.",
        89: "You counted a 42 at any of the six positions. Only position 4 counts.",
        98: "One token in fifty is a 42. All the other sentences are a no.",
    },
    answer=lambda: round(100 * np.mean(task.labels == 0)),
)

# %% [markdown]
# The share of the more frequent answer is the **base rate**.
# Read every accuracy against it.
# **Recall** asks another question: of the sentences that are truly a *yes*, which share was found?
#
# ### Exercise: `recall` · 5 minutes
# Return the recall.
# `labels` and `predictions` are both `(n,)`, of 0 and 1.
#
# <details><summary>Hint 1</summary>Keep only the sentences whose label is 1.
# The others do not count.</details>
#
# <details><summary>Hint 2</summary>The mean of zeros and ones is the share of ones.</details>


# %%
def recall(labels, predictions):
    # solution
    return np.mean(predictions[labels == 1])
    # end solution


check("recall", recall)

# %% [markdown]
# ## The smallest Transformer that can do it
#
# **Goal.** Account for every weight.
#
# 1. Each token and each position has a learned vector of `d_model` numbers.
#    Their sum is `X`.
# 2. Three matrices make Q, K and V, all with `d_model` columns.
#    After the attention, a fourth matrix mixes the output.
#    Each of the four adds a **bias**, a vector, to its result.
# 3. Output and `X` are added, and each row is normalised with two learned vectors: one stretches, one shifts.
# 4. Row 0, `[CLS]`, becomes one number between 0 and 1: a vector, a bias, a sigmoid.
#    From 0.5 on it means *yes*.
#
# ### Exercise: `count_weights` · 6 minutes
# Return how many numbers the training has to find, for any sizes.
# You return one whole number.
#
# <details><summary>Hint 1</summary>Go down the list.
# Steps 1 to 4 give four sums.</details>
#
# <details><summary>Hint 2</summary>Step 2 alone: four times <code>d_model * d_model + d_model</code>.</details>


# %%
def count_weights(vocab_size, seq_len, d_model):
    # solution
    embedding = (vocab_size + seq_len) * d_model
    attention = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model
    answer = d_model + 1
    return embedding + attention + norm + answer
    # end solution


check("count_weights", count_weights)

# %%
model = cls_model.build_classifier(vocab_size=51, seq_len=7, d_model=8)
for weight in model.weights:
    print(f"{weight.path:<36} {tuple(weight.shape)!s:<10} {np.prod(weight.shape):>4}")
print(f"{'together':<47} {sum(np.prod(weight.shape) for weight in model.weights):>4}")

# %% [markdown]
# The 1 in `(8, 1, 8)` is the number of heads.
# More than half of the weights are vectors for tokens.
#
# ## Train, then test on new sentences
#
# **Goal.** Score the model where it cannot have learned the answers by heart.
#
# The usual recipe goes ten times through 8,000 sentences, in batches of 32, with the optimizer Adam and a learning rate of 0.001.
# Many texts then report the accuracy on the *same* sentences.
# We draw **held-out** sentences with another seed.
# The training takes about ten seconds.
#
# After the scores you see two held-out sentences, a negative and a positive one, printed with the words of the usual example.

# %%
model = cls_model.build_classifier()  # new weights each time you run this cell
live = LiveTraining(epochs=10)
history = cls_model.train(model, task, epochs=10, batch_size=32, learning_rate=0.001, on_epoch=live.update)
print("the loss fell to less than a fiftieth:", history["loss"][-1] < history["loss"][0] / 50)

# %%
fresh = make_task(seed=1)  # 8,000 held-out sentences
always_no = np.zeros(len(fresh.labels))  # (8000,)
for name, answers in [("always no", always_no), ("trained", cls_model.predict(model, fresh.tokens))]:
    score = metrics(fresh.labels, answers)
    print(f"{name:<10} accuracy {score.accuracy:.2f}   recall {score.recall:.2f}")

# %%
negative, positive = fresh.tokens[0], fresh.tokens[fresh.labels == 1][0]
for sentence in (negative, positive):
    p = cls_model.predict(model, sentence[None])[0]
    print("Sentence:", sentence, "  Token at pos-3:", sentence[3])
    print("    answer:", "yes" if p >= 0.5 else "no", "  sure, by more than 95 to 5:", abs(p - 0.5) > 0.45)

# %%
predict(
    "A student wants to see why the answer is yes, and reads 'Token at pos-3'. What is wrong?",
    {
        "nothing: counting from 0, index 3 is position 4": "[CLS] is at index 0. So index 4 is position 4. Look where 42 stands.",
        "the line prints a token that the label does not depend on": True,
        "the model reads the wrong token": "The answer is right, and 42 does stand at position 4. Only the printed line looks elsewhere.",
    },
)

# %%
# The test: take the 42 away from position 4, and let it walk through the sentence.
for position in range(1, 7):
    moved = np.where(positive == 42, 17, positive)  # (7,)
    moved[position] = 42
    print(moved, "->", "yes" if cls_model.predict(model, moved[None])[0] >= 0.5 else "no")

# %% [markdown]
# ## Where does [CLS] look?
#
# **Goal.** Measure the attention of a trained model.
#
# The answer is read from row 0 alone, and only attention can bring the token at position 4 into that row.
# So `[CLS]` has to look there.
# Many texts say that it does so with *nearly all its attention*.
# Looking at all seven tokens alike would give each of them 0.14.

# %%
predict(
    "The mean weight from [CLS] to position 4, on held-out sentences, is",
    {
        "nearly all, above 0.9": "It need not be so much. Once a 42 at position 4 is noticed, training has no reason to push on.",
        "about a third": True,
        "about a seventh, as for every position": "Then a 42 at position 5 would count as much, and you saw that it does not.",
    },
)

# %%
places = ["[CLS]", *(f"position {i}" for i in range(1, 7))]

row = cls_model.cls_weights(model, fresh.tokens).mean(axis=0)  # (8000, 7) -> (7,)
weights = cls_model.attention_weights(model, positive[None])[0]  # (query, key) = (7, 7)
_, (top, bottom) = plt.subplots(2, figsize=(8, 9.5), height_ratios=[4, 5])
row_bars(row, places, title="Usual recipe: where [CLS] looks, mean", highlight=[4], ax=top).set_xlim(0, 1.1)
heatmap(weights, ["[CLS]", *positive[1:]], title="Usual recipe: the positive sentence", vmax=1, ax=bottom)
print("mean weight on position 4 between 0.25 and 0.40:", 0.25 <= row[4] <= 0.40)
plt.show()

# %% [markdown]
# Only the top row of the heat map reaches the answer, and its weight is spread.
# The model answers well, and it does not look the way the texts say.
#
# ## Make it necessary to look
#
# **Goal.** Change the data until a third of a look is not enough.
#
# Nothing forced the model to look more: at the other positions a 42 is rare.
# A 42 that must not count is a **decoy**.
# Now every other position holds a decoy with probability 0.5, and position 4 holds a 42 in half of the sentences.
# Always-no is right in 50 %.

# %%
predict(
    "Your trained model meets sentences full of decoys. Its accuracy is",
    {
        "1.00, as before": "One decoy does no harm. But each one gets some weight, and several together sound like a yes.",
        "clearly below 1, clearly above 0.5": True,
        "0.50, a guess": "It does look at position 4 more than elsewhere. That helps, until several decoys speak at once.",
    },
)

# %%
hard, fresh_hard = make_task(decoys=0.5), make_task(5000, decoys=0.5, seed=1)
says_yes = cls_model.predict(model, fresh_hard.tokens) >= 0.5  # (5000,)
wrong = says_yes != fresh_hard.labels
print("accuracy between 0.7 and 0.97:", 0.7 <= np.mean(~wrong) <= 0.97)
print("every wrong answer is a false yes:", bool(says_yes[wrong].all()))

# %% [markdown]
# So train on decoys.
# That brings right answers, but not with every seed a clear look: weight on a token that says nothing, `[CLS]` itself for example, costs nothing.
# The recipe below has three parts.
#
# 1. **Decoys.** A look at a wrong position now costs accuracy.
# 2. **A reward for one place.** In each batch, one position gets the most weight from `[CLS]` on average: its *favourite*.
#    More weight there lowers the loss.
#    Nobody says which position that is.
#    It is one favourite for the whole batch.
#    With one for each sentence, `[CLS]` could look at position 4 only when it holds a 42.
# 3. **Patience.** The reward starts once the loss is low, so when the model answers well.
#    Before that, `[CLS]` may settle on a place that does not help.
#
# Take a part away and watch the bars: `train_live(hard, seed=8, focus=0)`, with other seeds too.
# Or set `cls_model.LEARNED = 9`, a loss that is reached at once, train, and bring the patience back with 0.1.
#
# ### Try it: your training, epoch by epoch
# The second cell below holds the models of all your epochs.
# - Press **Play**.
#   Which comes first, a high accuracy or a sharp look?
# - Put a 42 at every position but 4, and go from epoch to epoch.
#   Which of your models fall for it?


# %%
def train_live(task, position=4, seed=0, **changed):
    model = cls_model.build_classifier(seed=seed)
    live = LiveTraining(epochs=cls_model.FOCUSED["epochs"], keys=places, query="[CLS]", highlight=[position])
    epochs = [cls_model.to_reader(model)]  # its weights as plain arrays: before the training, then after each epoch

    def redraw(epoch, logs):
        live.update(epoch, logs, cls_model.cls_weights(model, task.tokens[:1000]).mean(axis=0))
        epochs.append(cls_model.to_reader(model))

    cls_model.train(model, task, **cls_model.FOCUSED | changed, seed=seed, on_epoch=redraw)
    return model, epochs


focused, epochs = train_live(hard)
print(cls_model.FOCUSED, "focus waits for a loss below", cls_model.LEARNED)

# %%
score = metrics(fresh_hard.labels, cls_model.predict(focused, fresh_hard.tokens))
look = cls_model.cls_weights(focused, fresh_hard.tokens).mean(axis=0)[4]
print(f"5,000 new sentences with decoys: accuracy {score.accuracy:.2f}   recall {score.recall:.2f}")
print("mean weight on position 4 at least 0.99:", look >= 0.99)
TrainingReplay(epochs, fresh_hard, epoch=0)  # measured on the new sentences; epoch 0 is before the training

# %% [markdown]
# ## Is it the attention?
#
# **Goal.** Give other models the same sentences, batches, rate and epochs.
#
# - the same model **without position vectors**;
# - **mean pooling**: the mean of all vectors, positions included, in place of attention;
# - a small **recurrent** network: it reads token by token into a memory of 8 numbers.
#
# Who cannot tell positions apart can only count the 42s.
# The cell prints how far the best counter gets.
# Below it, choose your own position and target.

# %%
models = {
    "attention": focused,
    "no positions": cls_model.build_classifier(positions=False),
    "mean pooling": cls_baselines.build_mean_pooling(),
    "recurrent": cls_baselines.build_recurrent(),
}
for name in list(models)[1:]:
    cls_model.train(models[name], hard, **cls_model.FOCUSED | {"focus": 0})
scores = [metrics(fresh_hard.labels, cls_model.predict(m, fresh_hard.tokens)).accuracy for m in models.values()]
n_42 = (fresh_hard.tokens == 42).sum(axis=1)  # (5000,)
best = sum(max(np.sum(fresh_hard.labels[n_42 == n] == answer) for answer in (0, 1)) for n in range(7)) / 5000
print(f"the best counter: {best:.2f}   near it:", [m for m, s in zip(models, scores) if abs(s - best) < 0.03])
row_bars(scores, models, title="Accuracy on 5,000 new sentences", xlabel="accuracy").set_ylabel("model")
plt.show()

# %%
# Your turn: choose a position from 1 to 6 and a target from 1 to 50.
position, target = 2, 7
mine, _ = train_live(make_task(position=position, target=target, decoys=0.5), position)
new = make_task(5000, position=position, target=target, decoys=0.5, seed=1)
look = cls_model.cls_weights(mine, new.tokens).mean(axis=0)[position]
print(
    f"accuracy {metrics(new.labels, cls_model.predict(mine, new.tokens)).accuracy:.2f}   weight at least 0.99: {look >= 0.99}"
)

# %% [markdown]
# ## What we now know
#
# - Read an accuracy against the base rate, add recall, and measure both on held-out sentences.
# - A right answer does not tell where a model looks.
#   The usual recipe gives position 4 about a third of the weight.
# - Decoys make a look necessary, and a reward makes it sharp.
#   We asked for that; accuracy alone never does.
# - Attention without positions counts, no more.
#   A recurrent network needs no attention here.
#   It shows no weights that you could read.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# The second model looks at position 4 and answers right.
# Does it answer right *because* it looks there?
# Lesson 14 moves the attention by hand and watches the answers.
