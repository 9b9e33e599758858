# %% [markdown]
# # 12 · A [CLS] classifier: build it, train it, ask where it looks
#
# ![](../images/machine_12.svg)
#
# *The movie was not good, but the soundtrack was amazing.*
# In lesson [05](05_not_good.ipynb) *good*, at position 4, found *not*, in vectors made by hand for this.
# Now we ask: **does a model that answers correctly also look in the right place?**
#
# **You will build** a small Keras model, part by part, train it, and look inside it.
#
# **You will be able to**
# - write a layer in Keras, and build a model from layers,
# - say how much an accuracy is worth, and measure where a trained model looks.
#
# **You need** lessons [02](02_softmax.ipynb), [04](04_queries_keys_values.ipynb) and [05](05_not_good.ipynb), but no knowledge of Keras.
#
# **Time:** {minutes} minutes, 1 of them while cells run.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.explorables import TheMachine
from course_utils.models import cls_model
from course_utils.models.cls_reader import load_training
from course_utils.models.own_model import save_mine
from course_utils.pictures.live_training import LiveTraining
from course_utils.pictures.plots import heatmap, row_bars
from course_utils.sentences import REVIEW
from course_utils.tasks.cls_task import metrics

weights_of = mine("weights")  # from lesson 04

# %%
look_back("12")

# %%
import keras  # after course_utils, which keeps TensorFlow quiet
from keras import layers

# %% [markdown]
# ## The review, stripped
#
# **Goal.** Make sentences in which one position decides the answer.
#
# Count the tokens of the review from 0, and you find *good*, on which everything depended, at position 4.
# To find out whether a model looks there, we take away everything else that could help it: we keep the first seven tokens and replace six with random numbers from 1 to 50, which say nothing about their neighbours.
# The other one, *The* at position 0, makes room for a token that says nothing: an empty seat that collects what it sees, and from which we read the answer.
# This token is called **[CLS]** and written 0.


# %%
def sentences(n, seed):
    words = np.random.default_rng(seed).integers(1, 51, size=(n, 6))  # (n, 6)
    return np.concatenate([np.zeros((n, 1), dtype=int), words], axis=1)  # (n, 7)


tokens = sentences(8000, seed=0)  # to learn from
fresh = sentences(8000, seed=1)  # the model never learns from these
for row in (REVIEW[:7], ["[CLS]", *tokens[0, 1:]]):
    print("".join(f"{i}:{token}".ljust(9) for i, token in enumerate(row)))

# %% [markdown]
# What is left is the position of *good* and one question: **is the token at position 4 the number 42?**
# One line of Python answers it and makes the labels: 1 for yes, 0 for no.
# The model gets sentences and labels, and has to discover position 4 on its own.

# %%
labels = (tokens[:, 4] == 42).astype(int)  # (8000,): position 4 of every sentence
fresh_labels = (fresh[:, 4] == 42).astype(int)
for i in [*np.flatnonzero(labels)[:2], 0, 1]:
    print(tokens[i], "->", labels[i])

# %% [markdown]
# ## How much an accuracy is worth
#
# **Goal.** Find out how well a program can score without looking at all.
#
# Meet the laziest rival of your model: a program that answers *no* to every sentence, without reading a token.
# The share of right answers is called **accuracy**.

# %%
predict(
    "Always answering no is right in how many percent of the sentences?",
    {
        50: "That would be true if yes and no were equally frequent. A random token is 42 only one time in fifty.",
        89: "You counted a 42 at any of the six positions. Only position 4 counts.",
        98: "About one sentence in fifty has a 42 at position 4. For all the others, the answer is no.",
    },
    answer=lambda: round(100 * np.mean(labels == 0)),
)

# %% [markdown]
# A score that we can get without reading proves nothing about where a model looks.
# The share of the more frequent answer is called the **base rate**; compare every accuracy with it.
#
# ## First half: build, layer by layer
#
# **Goal.** Turn tokens into vectors that also carry their position.
#
# Your functions in lesson 04 got their matrices from you, but a model that learns has to keep its own.
# In Keras, an object that keeps such matrices is called a **layer**, and their numbers are its weights.
# You make a layer by stating its sizes, and then call it like a function; `layers.Dense(2)(x)` does both at once.
# Most errors here come from leaving out one of these steps:
#
# | **Make a layer, then call it:** wrong | right |
# |:---|:---|
# | `y = layers.Dense(x)`: the input is where the size should be | `dense = layers.Dense(2)`: make it |
# | `y = layers.Dense(2)`: the layer is never called, so there are no numbers | `y = dense(x)`: call it |
#
# | what you computed | the layer that keeps the weights for it |
# |:---|:---|
# | `E[ids]`, a vector for each token | `layers.Embedding(n_rows, d_model)` |
# | Q, K and V, and their attention | `layers.MultiHeadAttention(num_heads, key_dim)` |
# | each vector with mean 0 and variance 1 | `layers.LayerNormalization(epsilon)` |
# | `x @ w + b`, and a function of it | `layers.Dense(units, activation)` |
#
# A 42 at position 4 has the same embedding as a 42 at position 5, so attention could not tell which 42 counts.
# We therefore give each position a learned vector too, and add it: $E$ is a table of shape $(\text{vocab}, d_\text{model})$, and $P$ has the shape $(n, d_\text{model})$.
#
# $$\underset{\textstyle(n,\;d_\text{model})}{X} = \underset{\textstyle(n,\;d_\text{model})}{E[\text{tokens}]} + \underset{\textstyle(n,\;d_\text{model})}{P}$$
#
# Keras has no layer with these two tables, so you write one.
# Its `__init__` makes the tables; its `call` reads a **batch**: many sentences, along the first axis.
#
# ### Exercise: `positional_embedding` · 4 minutes
# Complete `call`: return the vector of each token plus the vector of its position.
# `token_ids` is `(batch, n)`, with any number of sentences.
# You return `(batch, n, d_model)`.
#
# <details><summary>Hint 1</summary><code>self.tokens(token_ids)</code> looks up rows of one table.
# What do you look up in the other table?</details>
#
# <details><summary>Hint 2</summary><code>keras.ops.arange(k)</code> is 0, 1, ..., k - 1, and <code>token_ids.shape[1]</code> is n.</details>


# %%
class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, seq_len, d_model):
        super().__init__()
        self.tokens = layers.Embedding(vocab_size, d_model)
        self.positions = layers.Embedding(seq_len, d_model)

    def call(self, token_ids):
        # solution
        places = keras.ops.arange(token_ids.shape[1])  # (n,)
        return self.tokens(token_ids) + self.positions(places)  # (batch, n, d_model)
        # end solution


check("positional_embedding", PositionalEmbedding)

# %%
PositionalEmbedding = keep("positional_embedding")
keras.utils.set_random_seed(0)
embed = PositionalEmbedding(vocab_size=51, seq_len=7, d_model=8)
X, twice = embed(tokens[:2]), embed(np.array([[0, 1, 2, 3, 42, 42, 4]]))[0]
print("X:", X.shape, f"  42 at position 4 and 42 at position 5: {np.abs(twice[4] - twice[5]).max():.2f} apart")

# %% [markdown]
# ## Attention, as a layer
#
# **Goal.** Let every token look at every token.
#
# `MultiHeadAttention` computes what you wrote in lesson 04, softmax(Q Kᵀ / √d_k) V, and keeps the matrices for it.
# Such a layer can have several heads that work side by side (lesson [07](07_many_heads.ipynb)); ours has one.
# You make the layer with the number of heads and `key_dim`, which is d_k.
# Then you call it with `query`, the vectors that look, and `value`, the vectors that are looked at and also serve as keys.
# In self-attention, `query` and `value` are both X.
#
# ### Exercise: `attend` · 4 minutes
# Make an attention layer with one head and keys of `d_model` numbers, and let `query` look at `value`.
# `query` is `(batch, n_query, d_model)` and `value` is `(batch, n_value, d_model)`.
# Return the output `(batch, n_query, d_model)` and the weights `(batch, 1, n_query, n_value)`, which Keras calls *attention scores*.
#
# <details><summary>Hint 1</summary>The first brackets, <code>layers.MultiHeadAttention(...)</code>, make the layer; the second brackets take <code>query, value</code>.</details>
#
# <details><summary>Hint 2</summary>With <code>return_attention_scores=True</code> in the second brackets, you get both results.</details>


# %%
def attend(query, value, d_model):
    # solution
    attention = layers.MultiHeadAttention(num_heads=1, key_dim=d_model, name="self_attn")
    return attention(query, value, return_attention_scores=True)
    # end solution


check("attend", attend)

# %%
attend = keep("attend")
output, weights = attend(X, X, d_model=8)
print("output:", output.shape, "  weights:", weights.shape)
print(f"a row of weights sums to {np.sum(weights[0, 0, 0]):.2f}")

# %% [markdown]
# ## The whole model
#
# **Goal.** Write the forward pass, and decide where to read the answer.
#
# While a token looks around, it must not forget itself.
# So the output of attention does not replace X but is added to it, in a *residual connection*.
# Then *layer normalisation* brings each vector of the sum back to mean 0 and variance 1, and the learned vectors $g$ and $b$ stretch and shift it.
#
# $$\text{norm}(x) = g \odot \frac{x - \text{mean}(x)}{\sqrt{\text{variance}(x) + \varepsilon}} + b \qquad x, g, b: (d_\text{model},)$$
#
# Seven rows come out, and we need one number between 0 and 1.
# A `Dense` layer with one unit turns one row $x$ into a number $z = x \cdot w + b$, and $\sigma(z) = 1 / (1 + e^{-z})$ squeezes it into a probability.
# This function is called the **sigmoid**; a probability of 0.5 or more counts as a *yes*.
#
# A model begins with `keras.Input`, which represents future sentences.
# Then you call your layers one after the other, and `keras.Model(tokens, answer)` collects everything between the two.
#
# ### Exercise: `build_model` · 10 minutes
# Write the whole model, from `tokens = keras.Input((seq_len,), dtype="int32")` to the `keras.Model` that you return.
# It must work for any sizes.
# Between input and answer come the vectors with their positions, then attention, the sum, the norm with `epsilon=1e-6`, and one sigmoid on **one row**.
# Decide which row can get the answer only by looking.
#
# <details><summary>Hint 1</summary>Write the shape after each step: <code>(batch, n, d_model)</code> from the embedding to the norm, <code>(batch, d_model)</code> for the row, <code>(batch, 1)</code> for the answer.
# Every layer has to be made and then called.</details>
#
# <details><summary>Hint 2</summary>You only need the first result of <code>attend</code>.
# <code>layers.LayerNormalization(epsilon=1e-6)</code> makes the norm: do you give it X, the output or their sum?</details>
#
# <details><summary>Hint 3</summary>Which token is in every sentence and says nothing itself?
# <code>X[:, i]</code> is row i of every sentence, and <code>layers.Dense(1, activation="sigmoid")</code> reads it.</details>


# %%
def build_model(vocab_size=51, seq_len=7, d_model=8):
    # solution
    tokens = keras.Input((seq_len,), dtype="int32")
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)  # (batch, n, d_model)
    output, _ = attend(X, X, d_model)  # queries, keys and values all come from X
    X = layers.LayerNormalization(epsilon=1e-6)(X + output)  # sum, then norm
    answer = layers.Dense(1, activation="sigmoid")(X[:, 0])  # row 0 is [CLS]: (batch, 1)
    return keras.Model(tokens, answer)
    # end solution


check("build_model", build_model)

# %%
build_model = keep("build_model")
keras.utils.set_random_seed(0)
model = build_model()  # the seed gives the same first weights each time
print("two sentences give two probabilities:", model(tokens[:2]).shape)
print("weights for training to find:", model.count_params(), " and where they are:")
for layer in model.layers:
    if layer.count_params():
        print(f"  {type(layer).__name__:<22} {layer.count_params():>5}")
print("by hand: (51 + 7) * 8 + 4 * (8 * 8 + 8) + 2 * 8 + 8 + 1 =", (51 + 7) * 8 + 4 * (8 * 8 + 8) + 2 * 8 + 8 + 1)

# %% [markdown]
# <details><summary>About the solution</summary>Only row 0 reaches the answer, so only attention can bring the token at position 4 there; in a mean over all the rows, every token would speak for itself.</details>
#
# More than half of the 777 weights are in the two tables: one vector for each of the 51 tokens and 7 positions.
#
# Now for the number to watch: how much of its budget of 1 does [CLS] spend on position 4?
# A second model with the same layers, which ends at the attention weights, tells us.

# %%
looker = keras.Model(model.input, cls_model.attention_scores_of(model))


def look(sentences):
    seen = looker.predict(sentences, batch_size=1000, verbose=0)  # (n, 1 head, 7, 7)
    return seen[:, 0, 0].mean(axis=0)  # where [CLS] looks, mean over the sentences: (7,)


print(f"untrained: your mean weight on position 4 is {look(fresh)[4]:.2f}, an equal share {1 / 7:.2f}")

# %% [markdown]
# ## Second half: train it, then ask
#
# **Goal.** Choose a loss, and take the first steps.
#
# Training needs one number that says how wrong the model is.
# Ours is the model's mean surprise at the true answers to $B$ sentences, and an answer surprises it most when it was sure of the opposite.
# This number is called **cross-entropy**:
#
# $$L = -\frac1B \sum_{i=1}^{B} \big[\,y_i \log p_i + (1 - y_i) \log(1 - p_i)\,\big] \qquad y, p: (B,)$$
#
# Here $y$ contains the labels and $p$ the probabilities.
# The rule that turns the gradient of $L$ into a step for all weights is called the **optimizer**.
# We use **Adam** [@kingma2014], which adapts the step size of each weight, at its usual rate of 0.001.
#
# ### Exercise: `compile_model` · 3 minutes
# Compile the model with Adam at its usual rate, `metrics=["accuracy"]`, and the loss that fits a model whose output is one number between 0 and 1; then return the model.
#
# - `"mse"`: the squared distance between two amounts,
# - `"binary_crossentropy"`: yes or no, with one probability,
# - `"categorical_crossentropy"`: one of many classes, with a probability for each.
#
# <details><summary>Hint 1</summary><code>model.compile(optimizer=..., loss=..., metrics=...)</code> changes the model and returns nothing.</details>
#
# <details><summary>Hint 2</summary>Return <code>model</code> itself, on a line of its own.</details>


# %%
def compile_model(model):
    # solution
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model
    # end solution


check("compile_model", compile_model)

# %% [markdown]
# <details><summary>About the solution</summary>With <code>"categorical_crossentropy"</code> the loss would be 0 from the start: a single class is always the right one.</details>
#
# ## One epoch
#
# **Goal.** Score the model on sentences that it has never seen.
#
# Each step uses a batch of 32 sentences, and one pass through all the training sentences is called an **epoch**.
# A model can learn answers by heart, so we score it on `fresh`, which it never trains on; such data are called **held-out**.
# If a model does better on the sentences it learned from than on held-out ones, it has memorised sentences instead of learning the rule.
# This is called **overfitting**.

# %%
compile_model = keep("compile_model")
model = compile_model(model)
model.fit(tokens, labels, batch_size=32, epochs=1, verbose=0)
loss, accuracy = model.evaluate(fresh, fresh_labels, batch_size=1000, verbose=0)
print(f"after one epoch, held-out: accuracy {accuracy:.2f}")

# %% [markdown]
# Take only the *yes* sentences, which have a 42 at position 4: the share of them that a model finds is called **recall**.

# %%
predict(
    "After one epoch your model's recall is",
    {
        "0.98, like its accuracy": "Accuracy is about all sentences. Nearly all are a no, so the others hardly affect it.",
        "about 0.5": "That would be the recall of a model that has begun to find the 42. Yours has found something easier.",
        "0": True,
    },
)

# %%
# answers prediction 2
says = model.predict(fresh, batch_size=1000, verbose=0)[:, 0]  # (8000,)
score = metrics(fresh_labels, says)
print(f"recall {score.recall:.2f}: a yes to {np.sum(says >= 0.5)} of 8,000 sentences")
print(f"your mean weight on position 4: {look(fresh)[4]:.2f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Your model has become the lazy program: it has learned that the answer is mostly *no*, and its attention has hardly moved.
#
# </details>
#
# ## Nine epochs more
#
# **Goal.** Watch where the model looks while it learns to answer.
#
# *A First Look at Self-Attention*, which this recipe comes from, says that its code "demonstrates how a Transformer can learn to focus nearly all its attention on the task-relevant token (position 4)".

# %%
predict(
    "When all answers are right, the mean weight from [CLS] to position 4, on held-out sentences, is",
    {
        "nearly all, above 0.9": "That much isn't needed. Once the answers are right, training has hardly any reason to push further.",
        "about a third": True,
        "about a seventh, as for every position": "If all the weights were equal in every sentence, a 42 at position 5 would count as much as one at position 4. The cells below test this.",
    },
)

# %%
# answers prediction 3
places = ["[CLS]", *(f"position {i}" for i in range(1, 7))]
recorded = [one(fresh).weights[:, 0, 0, 0, 4].mean() for one in load_training("usual")]  # the course's own run
recorded = "position 4, epochs 0 to 10: " + " ".join(f"{look:.2f}" for look in recorded)
live = LiveTraining(epochs=10, keys=places, query="[CLS]", highlight=[4], recorded=recorded)


def redraw(epoch, logs):
    live.update(epoch, logs, look(fresh))


watch = keras.callbacks.LambdaCallback(on_epoch_end=redraw)
model.fit(tokens, labels, batch_size=32, epochs=10, initial_epoch=1, verbose=0, callbacks=[watch])
says = model.predict(fresh, batch_size=1000, verbose=0)[:, 0]  # (8000,)
known = model.predict(tokens, batch_size=1000, verbose=0)[:, 0]  # (8000,): sentences that it learned from
found = {"always no": (fresh_labels, 0 * says), "your model": (fresh_labels, says), "known": (labels, known)}
for name, (truth, answers) in found.items():
    score = metrics(truth, answers)
    print(f"{name:<10} accuracy {score.accuracy:.2f}   recall {score.recall:.2f}")

# %% [markdown]
# Only two hundredths of accuracy separate your model, which has learned the task, from the lazy program.
# Your model does as well on held-out sentences as on *known* ones, so there is no overfitting.
# Larger models fight overfitting with a trick: each training step sets some randomly chosen numbers to 0.
# This is called **dropout**.
# [@vaswani2017] drop a tenth of the output of each part of a block.
#
# Does your model go by position 4?
# Take a *yes* sentence, remove its 42, and let a new 42 walk from position to position.

# %%
positive = fresh[fresh_labels == 1][0]  # (7,)
for position in range(1, 7):
    moved = np.where(positive == 42, 17, positive)  # (7,)
    moved[position] = 42
    print(moved, "->", f"{model.predict(moved[None], verbose=0)[0, 0]:.1f}")

# %% [markdown]
# ## Where does [CLS] look?
#
# **Goal.** Measure the attention of your trained model, and compute it yourself.

# %%
# answers prediction 3
row = look(fresh)  # (7,)
print(f"your mean weight on position 4: {row[4]:.1f}")
bars = row_bars(row, places, title="Your model: where [CLS] looks, mean", highlight=[4])
bars.set_xlim(0, 1.1)
plt.show()

# %%
# answers prediction 3
weights = looker.predict(positive[None], verbose=0)[0, 0]  # (query, key) = (7, 7)
print(f"in this sentence, a yes, position 4 gets {'more' if weights[0, 4] > row[4] else 'less'} than on average")
heatmap(weights, ["[CLS]", *positive[1:]], title="Your model, the positive sentence", vmax=1)
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# Your model looks at position 4 more than anywhere else, and it answers correctly without "nearly all its attention" there.
#
# </details>
#
# Is this the attention from lesson 04?
# Take the matrices out of Keras, and compute the attention weights with your function.

# %%
arrays = cls_model.to_reader(model)
x = arrays.tokens[positive] + arrays.positions  # (7, 8)
Q = x @ arrays.W_Q + arrays.b_Q  # (7, 8)
K = x @ arrays.W_K + arrays.b_K  # (7, 8)
print(f"largest difference from Keras: {np.abs(weights_of(Q, K) - weights).max():.4f}")
save_mine(model, "my_classifier")

# %% [markdown]
# ### Try it: cut what it looks at
# The drawing below runs on your model's weights.
# - Cut the line from position 4 to `[CLS]`: what is the answer now?
# - Press **Put it back**, and cut another line.

# %%
TheMachine(arrays, " ".join(map(str, positive[1:])))

# %% [markdown]
# ## Optional: recall by hand
#
# ### Exercise: `recall` · 4 minutes
# Return the recall.
# `labels` and `predictions` are both `(n,)`, made of 0s and 1s.
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

# %%
recall = keep("recall")
for limit in (0.5, 0.9):
    yes = (says >= limit).astype(int)  # (8000,)
    print(f"yes from {limit} on: recall {recall(fresh_labels, yes):.1f}")


# %% [markdown]
# ## Optional: what the text prints
#
# A summary and two sentences follow, as in *A First Look at Self-Attention*; the course's list of claims explains where its figures mislead.

# %%
model.summary(line_length=68, print_fn=print)

# %%
negative = fresh[0]  # (7,)
for sentence in (negative, positive):
    p = model.predict(sentence[None], verbose=0)[0, 0]
    print("Sentence:", sentence, "  Token at pos-3:", sentence[3], "  position 4:", sentence[4])
    print(f"    Model output: {p:.1f}")
loss, accuracy = model.evaluate(fresh, fresh_labels, batch_size=1000, verbose=0)
print(f"Keras says: loss {loss:.2f}, accuracy {accuracy:.2f}")
print(f"the largest weight in its heat map is {'above' if weights.max() > 0.9 else 'below'} 0.9")

# %% [markdown]
# The summary says 2,333 because Adam keeps 2 · 777 + 2 numbers besides the 777 weights.

# %% [markdown]
# ## What we now know
#
# - A Keras model consists of layers, which you make and then call.
# - After one epoch, your model only reached the base rate and found no *yes*, so judge an accuracy by the base rate and the recall, on held-out sentences.
# - Training raised the mean weight on position 4 from a seventh to about a third, and by then all answers were right.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@devlin2018]: where `[CLS]` comes from.
# - [@vaswani2017]: section 3.1 describes the sum and the norm in your model, and section 5.4 describes dropout.
# - [@kingma2014]: Adam, and what it remembers for each weight.
#
# ## Next question
#
# Your model answers correctly, so nothing in its training pushes it to look harder.
# What would?
# Go on with [13_making_it_look](13_making_it_look.ipynb).
