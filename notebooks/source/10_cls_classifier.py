# %% [markdown]
# # 10 · A [CLS] classifier: train it, then ask where it looks
#
# **You will build** a small Transformer in Keras. You train it in a few seconds and read its attention.
#
# **You will be able to**
# - say what an accuracy of 98 % is worth, and measure what it hides,
# - account for every weight of a model,
# - measure where a trained model looks, on sentences that it has never seen.
#
# **You need** lessons [02](02_softmax.ipynb), [04](04_queries_keys_values.ipynb) and [05](05_not_good.ipynb). No Keras. **Time:** 30 minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils import cls_model
from course_utils.checks import check, predict, progress, recap
from course_utils.cls_task import make_task
from course_utils.plots import heatmap, row_bars

# %% [markdown]
# ## One question about one position
#
# **Goal.** Make sentences whose answer stands at one place.
#
# A sentence is the token `[CLS]`, written 0, and then six random tokens from 1 to 50. The question is always the same: **is the token at position 4 the
# number 42?** `[CLS]` stands at position 0. It says nothing about the sentence. The model will write its answer there.

# %%
task = make_task()  # tokens (8000, 7), labels (8000,)
yes_or_no = [*np.flatnonzero(task.labels)[:2], 0, 1]
for i in yes_or_no:
    print(task.tokens[i], "->", int(task.labels[i]))

# %% [markdown]
# ### Exercise: `cls_labels` · 3 minutes
# Return the label of every sentence: 1 where the token at `position` is `target`, else 0. `tokens` is `(n, seq_len)` and starts with `[CLS]`. You return
# `(n,)`.
#
# <details><summary>Hint 1</summary>One column of <code>tokens</code> holds all that you need.</details>
#
# <details><summary>Hint 2</summary><code>==</code> on an array gives True and False. <code>.astype(int)</code> turns them into 1 and 0.</details>


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
# **Accuracy** is the share of right answers. Before you train anything, think of a program without any weights. It answers *no* to every sentence.

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
# The share of the more frequent answer is the **base rate**. Read every accuracy against it. **Recall** asks another question: of the sentences that
# are truly a *yes*, which share was found?
#
# ### Exercise: `recall` · 5 minutes
# Return the recall. `labels` and `predictions` are both `(n,)`, of 0 and 1.
#
# <details><summary>Hint 1</summary>Keep only the sentences whose label is 1. The others do not count.</details>
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
# 1. Each token and each position has a learned vector of `d_model` numbers. Their sum is `X`.
# 2. Three matrices make Q, K and V, all with `d_model` columns. After the attention, a fourth matrix mixes the output. Each of the four adds a **bias**,
#    a vector, to its result.
# 3. Output and `X` are added, and each row is normalised with two learned vectors: one stretches, one shifts.
# 4. Row 0, `[CLS]`, becomes one number between 0 and 1: a vector, a bias, a sigmoid. From 0.5 on it means *yes*.
#
# ### Exercise: `count_weights` · 6 minutes
# Return how many numbers the training has to find, for any sizes. You return one whole number.
#
# <details><summary>Hint 1</summary>Go down the list. Steps 1 to 4 give four sums.</details>
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
# The 1 in `(8, 1, 8)` is the number of heads. More than half of the weights are vectors for tokens.
#
# ## Train, then test on new sentences
#
# **Goal.** Score the model where it cannot have learned the answers by heart.
#
# The usual recipe goes ten times through 8,000 sentences, in batches of 32, with the optimizer Adam and a learning rate of 0.001. Many texts then report the
# accuracy on the *same* sentences. We draw **held-out** sentences with another seed. The training takes about ten seconds.

# %%
model = cls_model.build_classifier()  # new weights each time you run this cell
history = cls_model.train(model, task, epochs=10, batch_size=32, learning_rate=0.001)
print("the loss fell to less than a fiftieth:", history["loss"][-1] < history["loss"][0] / 50)

# %%
fresh = make_task(seed=1)  # 8,000 held-out sentences
always_no = np.zeros(len(fresh.labels))  # (8000,)
trained = cls_model.predict(model, fresh.tokens) >= 0.5  # (8000,)
for name, answers in [("always no", always_no), ("trained", trained)]:
    right, found = np.mean(answers == fresh.labels), np.mean(answers[fresh.labels == 1])
    print(f"{name:<10} accuracy {right:.2f}   recall {found:.2f}")

# %% [markdown]
# Two points of accuracy are the whole difference, and recall shows what they are worth. Now two samples, a negative and a positive one. The usual example
# prints them with the same words as here.

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
# The answer is read from row 0 alone, and only attention can bring the token at position 4 into that row. So `[CLS]` has to look there. Many texts say that
# it does so with *nearly all its attention*. Looking at all seven tokens alike would give each of them 0.14.

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
cls_row = cls_model.cls_weights(model, fresh.tokens).mean(axis=0)  # (8000, 7) -> (7,)
places = ["[CLS]", *(f"position {i}" for i in range(1, 7))]
ax = row_bars(cls_row, places, title="Where [CLS] looks, mean of 8,000 sentences", highlight=[4])
ax.set_xlim(0, 1)
print("position 4 has between 0.25 and 0.40:", 0.25 <= cls_row[4] <= 0.40)
plt.show()

# %%
words = ["[CLS]", *map(str, positive[1:])]
weights = cls_model.attention_weights(model, positive[None])[0]  # (query, key) = (7, 7)
heatmap(weights, words, title="Self-attention in the positive sentence", vmax=1)
print("top row: 42 has the largest weight:", weights[0].argmax() == 4, "  and less than 0.7:", weights[0, 4] < 0.7)
plt.show()

# %% [markdown]
# Only the top row reaches the answer. Even in this sentence, much of its weight lies elsewhere. The model answers well, and it does not look the way the texts
# say. Nothing forced it to: at the other positions a 42 is rare, so it seldom does harm to look there as well.
#
# ## What we now know
#
# - Read an accuracy against the base rate, add recall, and measure both on held-out sentences.
# - `[CLS]` looks at position 4 with about a third of its weight. The right answer does not tell where a model looks.
# - Do not believe a line that is printed below a model. Change the input, and see what happens.

# %%
recap()

# %%
progress()

# %% [markdown]
# ## Next question
#
# What would a sentence look like that *forces* the model to look at position 4? A first idea: `make_task(decoys=0.5)` puts a 42 at every position of every
# second sentence. Give such sentences to your model and measure its accuracy.
