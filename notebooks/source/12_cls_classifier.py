# %% [markdown]
# # 12 · A [CLS] classifier: build it, train it, ask where it looks
#
# **You will build** a small Transformer-style model in Keras, part by part, train it, and look into it.
# You keep the trained model, because later lessons open it again.
#
# **You will be able to**
# - write a layer of your own in Keras, and put a model together from layers,
# - account for every weight of a model (in an optional part),
# - say how much a high accuracy is worth, and measure where a trained model looks.
#
# **You need** lessons [02](02_softmax.ipynb), [04](04_queries_keys_values.ipynb) and [05](05_not_good.ipynb); you need not know Keras.
# On the short way you have not met heads, which are several attentions side by side; there is one head here.
#
# **Time:** {minutes} minutes, 1 of them while cells run.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.models import cls_model
from course_utils.models.own_model import save_mine
from course_utils.pictures.live_training import LiveTraining
from course_utils.pictures.plots import heatmap, row_bars
from course_utils.tasks.cls_task import metrics

weights_of = mine("weights")  # from lesson 04

# %%
look_back("12")

# %%
import keras  # after course_utils, which keeps TensorFlow quiet
from keras import layers

# %% [markdown]
# ## One question about one position
#
# **Goal.** Make sentences in which one place decides the answer.
#
# This lesson follows the last example of *A First Look at Self-Attention*; below it is called the document.
#
# A sentence is the token `[CLS]`, written 0, and then six random tokens from 1 to 50.
# The question is always the same: **is the token at position 4 the number 42?**
# `[CLS]` stands at position 0 and says nothing about the sentence.


# %%
def sentences(n, seed):
    words = np.random.default_rng(seed).integers(1, 51, size=(n, 6))  # (n, 6)
    return np.concatenate([np.zeros((n, 1), dtype=int), words], axis=1)  # (n, 7)


tokens = sentences(8000, seed=0)  # to learn from
fresh = sentences(8000, seed=1)  # the model never learns from these

# %% [markdown]
# ### Exercise: `cls_labels` · 2 minutes
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

# %%
cls_labels = keep("cls_labels")
labels = cls_labels(tokens, position=4, target=42)  # (8000,)
fresh_labels = cls_labels(fresh, position=4, target=42)
for i in [*np.flatnonzero(labels)[:2], 0, 1]:
    print(tokens[i], "->", labels[i])

# %% [markdown]
# <details><summary>About the solution</summary>The comparison runs over a whole column at once, without a loop.
# <code>np.where(tokens[:, position] == target, 1, 0)</code> says the same and needs no <code>astype</code>.
# The document also converts the labels to <code>float32</code>; Keras does that by itself.</details>
#
# ## How much an accuracy is worth
#
# **Goal.** Know the score of a program that does not look at all.
#
# The share of right answers is called **accuracy**.
# Before you train anything, think of a program that answers *no* to every sentence.

# %%
predict(
    "Always answering no is right in how many percent of the sentences?",
    {
        50: "That would hold if yes and no were equally frequent. A random token is 42 only once in fifty.",
        89: "You counted a 42 at any of the six positions. Only position 4 counts.",
        98: "About one sentence in fifty has a 42 at position 4. All the others are a no.",
    },
    answer=lambda: round(100 * np.mean(labels == 0)),
)

# %% [markdown]
# The share of the more frequent answer is called the **base rate**.
# Compare every accuracy with it.
# The share of the true *yes* sentences that a model finds is called **recall**.
# For always-no it is 0.
#
# ## A layer of your own
#
# **Goal.** Turn tokens into vectors that know their position.
#
# In Keras a *layer* is an object that can hold weights, the numbers that training changes.
# You make it with its sizes, and then you call it like a function.
# Many sentences go in at once, and the first dimension counts them.
# Together they are called a **batch**.
#
# | what you computed | the layer that holds the weights for it |
# |---|---|
# | `E[ids]`, a vector for each token | `layers.Embedding(n_rows, d_model)` |
# | Q, K, V, their attention, and the mix of heads | `layers.MultiHeadAttention(num_heads, key_dim)` |
# | each vector with mean 0 and variance 1 | `layers.LayerNormalization(epsilon)` |
# | `x @ w + b`, and a function of it | `layers.Dense(units, activation)` |
#
# Without positions attention cannot tell position 4 from position 5.
# So each position gets a learned vector too, and the two are added, with $E$ a table of shape $(\text{vocab}, d_\text{model})$:
#
# $$\underset{\textstyle(n,\;d_\text{model})}{X} = \underset{\textstyle(n,\;d_\text{model})}{E[\text{tokens}]} + \underset{\textstyle(n,\;d_\text{model})}{P}$$
#
# Keras itself has no layer with these two tables, so you write one: `__init__` makes the tables, and `call` says what comes out.
#
# ### Exercise: `positional_embedding` · 4 minutes
# Complete `call`: return the vector of each token plus the vector of its position.
# `token_ids` is `(batch, n)`, with any number of sentences.
# You return `(batch, n, d_model)`.
#
# <details><summary>Hint 1</summary>An embedding looks up rows: <code>self.tokens(token_ids)</code> is <code>(batch, n, d_model)</code>.
# What do you look up in the other table?</details>
#
# <details><summary>Hint 2</summary><code>keras.ops.arange(k)</code> is 0, 1, ..., k - 1, and <code>token_ids.shape[1]</code> is n.
# A sum of <code>(batch, n, d_model)</code> and <code>(n, d_model)</code> adds the second to every sentence.</details>


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
X = PositionalEmbedding(vocab_size=51, seq_len=7, d_model=8)(tokens[:2])
print("X:", X.shape)

# %% [markdown]
# <details><summary>About the solution</summary>The document counts the positions with <code>tf.range</code>; <code>keras.ops</code> also runs where Keras works without TensorFlow.
# The document's <code>**kw</code> passes on what Keras may want to know, such as a name for the layer.</details>
#
# ## Attention, as a layer
#
# **Goal.** Let every token look at every token.
#
# `MultiHeadAttention` holds four matrices and four biases: for Q, K, V, and for the mix at the end.
# It computes softmax(Q Kᵀ / √d_k) V, as you did.
# You make it with the number of heads and with `key_dim`, which is d_k.
# You call it with the vectors that look, `query`, and those that are looked at, `value`, which serve as keys too.
# In self-attention both are the same X.
#
# ### Exercise: `attend` · 4 minutes
# Make a layer of attention with one head and keys of `d_model` numbers, and let `query` look at `value`.
# `query` is `(batch, n_query, d_model)` and `value` is `(batch, n_value, d_model)`.
# Return the output `(batch, n_query, d_model)` and the attention weights `(batch, 1, n_query, n_value)`, which Keras calls *attention scores*.
#
# <details><summary>Hint 1</summary>Two calls stand in one line: <code>layers.MultiHeadAttention(...)</code> makes the layer, and the layer is called with <code>query, value</code>.</details>
#
# <details><summary>Hint 2</summary>With <code>return_attention_scores=True</code> in the second call, both results come back.</details>


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
# <details><summary>About the solution</summary>The document also passes <code>output_shape=D_MODEL</code>, which Keras takes anyway: the length of a query.
# Four <code>Dense</code> layers and your own attention between them would give the same numbers (lesson 07).</details>
#
# ## Sum, then norm
#
# **Goal.** Keep what a token knew, and keep the numbers within bounds.
#
# The output of attention is added to X and does not replace it: a residual connection.
# Then layer normalisation brings each vector to mean 0 and variance 1, and learns two vectors, $g$ and $b$.
# Lesson 11 takes both parts away and measures what is lost.
#
# $$\text{norm}(x) = g \odot \frac{x - \text{mean}(x)}{\sqrt{\text{variance}(x) + \varepsilon}} + b \qquad x, g, b: (d_\text{model},)$$
#
# Before training the vectors are short, so we take a small ε, 10⁻⁶, as the document does.
# Keras's own ε is 10⁻³.
#
# ### Exercise: `add_and_norm` · 3 minutes
# Add, normalise, and return the result.
# `X` and `output` are `(batch, n, d_model)`, for any sizes.
#
# <details><summary>Hint 1</summary>The sum goes into the layer, and what comes out is the result.</details>
#
# <details><summary>Hint 2</summary><code>layers.LayerNormalization(epsilon=1e-6)</code> makes the layer.</details>


# %%
def add_and_norm(X, output):
    # solution
    return layers.LayerNormalization(epsilon=1e-6)(X + output)
    # end solution


check("add_and_norm", add_and_norm)

# %%
add_and_norm = keep("add_and_norm")
vector = add_and_norm(X, output).numpy()[0, 0]  # (8,)
print(f"one vector: mean {abs(vector.mean()):.2f}, variance {vector.var():.2f}")

# %% [markdown]
# <details><summary>About the solution</summary>The norm comes after the sum, as in the first Transformer.
# In <code>X + attention(norm(X))</code> it comes first; in lesson 11 only a stack with the norm first learns with 24 blocks.</details>
#
# ## The whole model
#
# **Goal.** Put the parts together, and decide where the answer is read.
#
# X now has seven rows, and the answer is one number between 0 and 1.
# A `Dense` layer with one unit makes a number $z = x \cdot w + b$ of one row $x$.
# Then $\sigma(z) = 1 / (1 + e^{-z})$ makes it a probability.
# This function is called the **sigmoid**.
# From 0.5 on we read its result as *yes*.
#
# A model begins with `keras.Input`, which stands for a sentence that comes later.
# Call the layers one after the other, and `keras.Model(tokens, answer)` collects all that lies between the two.
# The document calls the result *Transformer-style*; a whole Transformer block also has a feed-forward layer (lesson 11).
#
# ### Exercise: `build_model` · 5 minutes
# Return the model: embedding, attention, sum and norm, and one sigmoid on **one row that you choose**.
# It must work for any sizes.
#
# <details><summary>Hint 1</summary>Your three parts come in the order in which you wrote them; of the two results of <code>attend</code>, the first goes on.</details>
#
# <details><summary>Hint 2</summary>Which token says nothing itself and is there in every sentence?
# <code>X[:, i]</code> is row i of each sentence, and <code>layers.Dense(1, activation="sigmoid")</code> reads it.</details>


# %%
def build_model(vocab_size=51, seq_len=7, d_model=8):
    tokens = keras.Input((seq_len,), dtype="int32")
    # solution
    X = PositionalEmbedding(vocab_size, seq_len, d_model)(tokens)  # (batch, n, d_model)
    output, _ = attend(X, X, d_model)
    X = add_and_norm(X, output)
    answer = layers.Dense(1, activation="sigmoid")(X[:, 0])  # row 0 is [CLS]: (batch, 1)
    return keras.Model(tokens, answer)
    # end solution


check("build_model", build_model)

# %%
build_model = keep("build_model")
keras.utils.set_random_seed(0)
model = build_model()  # the seed gives the same first weights each time
print("two sentences give two probabilities:", model(tokens[:2]).shape)

# %% [markdown]
# <details><summary>About the solution</summary>Only row 0 reaches the answer, so only attention can bring the token at position 4 there.
# The mean over all rows would also give one vector; then every token would speak for itself, and where [CLS] looks would no longer decide the answer.</details>

# %% [markdown]
# ## Optional: count the weights
#
# ### Exercise: `count_weights` · 3 minutes
# Say in advance what Keras counts.
# Return how many numbers the training has to find, for any sizes: two tables, four matrices with a bias each, two vectors of the norm, and the last unit.
# You return one whole number.
#
# <details><summary>Hint 1</summary>Go through the model: four of its layers have weights.</details>
#
# <details><summary>Hint 2</summary>Attention alone: four times <code>d_model * d_model + d_model</code>.</details>


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
count_weights = keep("count_weights")
for layer in model.layers:
    print(f"{type(layer).__name__:<22} {layer.count_params():>5}")
print(f"{'counted by you':<22} {count_weights(51, 7, 8):>5}")
print(f"{'with d_model=64':<22} {count_weights(51, 7, 64):>5}")

# %% [markdown]
# <details><summary>About the solution</summary>More than half of the 777 weights are vectors for tokens.
# With longer vectors the four matrices take over, because they grow with the square of <code>d_model</code>; <code>build_model(d_model=64).count_params()</code> gives 20,545, too.</details>

# %% [markdown]
# ## Train it
#
# **Goal.** Choose a loss, and fit the model.
#
# Training makes one number small, the *loss*.
# Ours is the mean surprise at the true answers over a batch of $B$ sentences.
# It is called **cross-entropy**:
#
# $$L = -\frac1B \sum_{i=1}^{B} \big[\,y_i \log p_i + (1 - y_i) \log(1 - p_i)\,\big] \qquad y, p: (B,)$$
#
# Here $y$ holds the labels and $p$ the probabilities.
# The method that takes the steps is called the **optimizer**; ours is **Adam** ([@kingma2014]), with a learning rate of 0.001.
# Each step sees a batch of 32 sentences; once through all sentences is called an **epoch**.
#
# ### Exercise: `compile_model` · 3 minutes
# Compile the model and return it: optimizer Adam with its usual rate, `metrics=["accuracy"]`, and the loss that fits a model whose output is one number between 0 and 1.
#
# - `"mse"`: the squared distance of two amounts,
# - `"binary_crossentropy"`: a yes or no, one probability,
# - `"categorical_crossentropy"`: one of many classes, a probability for each.
#
# <details><summary>Hint 1</summary><code>model.compile(optimizer=..., loss=..., metrics=...)</code> changes the model and returns nothing.</details>
#
# <details><summary>Hint 2</summary>Return <code>model</code> itself, in a line of its own.</details>


# %%
def compile_model(model):
    # solution
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model
    # end solution


check("compile_model", compile_model)

# %%
compile_model = keep("compile_model")
model = compile_model(model)
live = LiveTraining(epochs=10)
watch = keras.callbacks.LambdaCallback(on_epoch_end=live.update)
fitted = model.fit(tokens, labels, batch_size=32, epochs=10, verbose=0, callbacks=[watch])
first, *_, last = fitted.history["loss"]
print(f"loss {first:.1f} in the first epoch, {last:.2f} in the last")

# %%
model.summary(line_length=68, print_fn=print)

# %% [markdown]
# <details><summary>About the solution</summary><code>fit</code> shuffles the sentences and cuts the batches; the document does both by hand with <code>tf.data</code>.
# With <code>"categorical_crossentropy"</code> the loss would be 0 from the start: a single class out of one is always right.</details>
#
# Why does the summary say 2,333?
# Adam remembers two numbers for each weight, a mean of its gradients and one of their squares, and two more for itself: 777 + 2 · 777 + 2.
# The model that answers still has 777.
#
# ## Score it on new sentences
#
# **Goal.** Measure where the model cannot have learned the answers by heart.
#
# The document reports the accuracy on its training sentences.
# The sentences of `fresh` took no part in the training.
# Such data are called **held-out**.

# %%
loss, accuracy = model.evaluate(fresh, fresh_labels, batch_size=1000, verbose=0)
print(f"Keras says: loss {loss:.2f}, accuracy {accuracy:.2f}")
says = model.predict(fresh, batch_size=1000, verbose=0)[:, 0]  # (8000,)
for name, answers in [("always no", np.zeros(8000)), ("your model", says)]:
    score = metrics(fresh_labels, answers)
    print(f"{name:<10} accuracy {score.accuracy:.2f}   recall {score.recall:.2f}")

# %% [markdown]
# Now one negative and one positive sentence, both printed as the document prints its negative one.

# %%
negative, positive = fresh[0], fresh[fresh_labels == 1][0]
for sentence in (negative, positive):
    p = model.predict(sentence[None], verbose=0)[0, 0]
    print("Sentence:", sentence, "  Token at pos-3:", sentence[3])
    print(f"    Model output: {p:.1f}")

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
# answers prediction 2
# The test: take the 42 away from position 4, and let it walk through the sentence.
for position in range(1, 7):
    moved = np.where(positive == 42, 17, positive)  # (7,)
    moved[position] = 42
    print(moved, "->", f"{model.predict(moved[None], verbose=0)[0, 0]:.1f}")

# %% [markdown]
# ## Where does [CLS] look?
#
# **Goal.** Measure the attention of your trained model.
#
# The labels and the text of the document speak of position 4, as yours do; only its printed line shows another token.
# Its code, it says, "demonstrates how a Transformer can learn to focus nearly all its attention on the task-relevant token (position 4)".
# With equal weights each of the seven tokens would get 0.14.

# %%
predict(
    "The mean weight from [CLS] to position 4, on held-out sentences, is",
    {
        "nearly all, above 0.9": "So much is not needed. Once the answers are right, training has hardly a reason to push on.",
        "about a third": True,
        "about a seventh, as for every position": "If all weights were equal in every sentence, a 42 at position 5 would count as much. You saw that it does not.",
    },
)

# %% [markdown]
# A second model of the same layers, from the input to the attention weights, shows them.

# %%
# answers prediction 3
looker = keras.Model(model.input, cls_model.attention_scores_of(model))
looks = looker.predict(fresh, batch_size=1000, verbose=0)  # (8000, 1 head, 7, 7)
row = looks[:, 0, 0].mean(axis=0)  # where [CLS] looks: (7,)
print(f"your mean weight on position 4: {row[4]:.1f}")
places = ["[CLS]", *(f"position {i}" for i in range(1, 7))]
bars = row_bars(row, places, title="Your model: where [CLS] looks, mean", highlight=[4])
bars.set_xlim(0, 1.1)
plt.show()

# %%
# answers prediction 3
weights = looker.predict(positive[None], verbose=0)[0, 0]  # (query, key) = (7, 7)
heatmap(weights, ["[CLS]", *positive[1:]], title="Your model, the positive sentence", vmax=1)
plt.show()

# %% [markdown]
# Only the top row of the heat map reaches the answer.
#
# <details><summary>What came out</summary>
#
# In this sentence, a *yes*, position 4 gets more than it does on average: 0.58 against 0.33 in the course's own model.
# The document ends its colours at the map's largest weight, `vmax=A.max()`, so the largest weight gets the darkest colour, however small it is.
# Your model answers right without "nearly all its attention" on position 4.
#
# </details>
#
# Is that really the attention of lesson 04?
# Take the trained weights out of Keras as arrays, and compute the attention weights with your function.

# %%
arrays = cls_model.to_reader(model)
x = arrays.tokens[positive] + arrays.positions  # (7, 8)
Q = x @ arrays.W_Q + arrays.b_Q  # (7, 8)
K = x @ arrays.W_K + arrays.b_K  # (7, 8)
print(f"largest difference from Keras: {np.abs(weights_of(Q, K) - weights).max():.4f}")

# %%
save_mine(model, "my_classifier")

# %% [markdown]
# ## Optional: recall by hand
#
# ### Exercise: `recall` · 4 minutes
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

# %%
recall = keep("recall")
for limit in (0.5, 0.9):
    yes = (says >= limit).astype(int)  # (8000,)
    print(f"yes from {limit} on: recall {recall(fresh_labels, yes):.1f}")

# %% [markdown]
# <details><summary>About the solution</summary><code>(labels * predictions).sum() / labels.sum()</code> counts the hits and divides.
# Both fail where no label is 1, because then there is nothing to find.</details>

# %% [markdown]
# ## What we now know
#
# - Your model in Keras is a few layers, called one after the other, with 777 weights.
# - Compare an accuracy with the base rate, add recall, and measure both on held-out sentences.
# - A right answer does not tell where a model looks: with the document's recipe position 4 gets about a third of the weight.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@devlin2018]: where `[CLS]` comes from, and how an answer is read from it.
# - [@vaswani2017]: section 3.1 is your `add_and_norm`.
# - [@kingma2014]: Adam, and what it remembers for each weight.
#
# ## Next question
#
# Your model answers right and looks at position 4 with about a third of its weight.
# What would make it *necessary* to look harder?
# Go on with [13_making_it_look](13_making_it_look.ipynb), which changes the sentences, and then the loss.
