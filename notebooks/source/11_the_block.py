# %% [markdown]
# # 11 · The block: what stands around attention
#
# ![](../images/machine_11.svg)
#
# **You will build** the block that a Transformer stacks many times, in NumPy, and then take it apart again to measure what each part is good for.
#
# **You will be able to**
# - write layer normalisation, the feed-forward layer and the whole block, and get the same numbers as Keras,
# - say what is lost when a part is missing,
# - decide where to put the normalisation, and say why.
#
# **You need** [07_many_heads](07_many_heads.ipynb) and [10_gradient_by_hand](10_gradient_by_hand.ipynb).
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.layers import gelu, random_block
from course_utils.models.cls_model import keras  # Keras, told to be quiet; here it is the judge
from course_utils.models.deep_stack import train_stack
from course_utils.pictures.plots import curves, row_bars

# %%
look_back("11")

# %%
cosine, multi_head = mine("cosine", "multi_head")

# %% [markdown]
# ## Add, do not replace
#
# **Goal.** Let a token keep what it is while it learns from the others.
#
# Your reader in lessons 09 and 10 was a single look, and a look has its price: the output of *good* is a mixture of values, and *good* itself is part of that mixture only as far as it looked at itself.
# So a Transformer *adds* the output of attention to the input: a token stays what it was and learns something new.
# This is called a **residual connection**; a reference page on self-attention, one of our five texts, calls it a *skip connection*.
#
# $$\underset{\textstyle(n,\;d_{model})}{X} + \underset{\textstyle(n,\;d_{model})}{\mathrm{MultiHead}(X)}$$
#
# Here are 8 tokens and a layer that has learned nothing; the cosine says how much a token still resembles what it was.

# %%
X = np.random.default_rng(0).normal(size=(8, 16))  # (n, d_model)
w = random_block(d_model=16, d_wide=32, seed=0)
looked = multi_head(X, *w.W, 2)  # w.W (4, d_model, d_model) holds W_Q, W_K, W_V and W_O
for name, output in (("replaced", looked), ("added", X + looked)):
    print(f"{name:<9} mean cosine with itself: {np.mean([cosine(a, b) for a, b in zip(X, output)]):.2f}")

# %% [markdown]
# ## Keep the numbers within bounds
#
# **Goal.** Give every token the same scale again.
#
# Adding has a price, too: with each sum the numbers may grow, and a deep stack has many sums.
# So every token, **on its own**, is brought back to mean 0 and variance 1 over its $d_{\text{model}}$ numbers, and then each component is multiplied by a learned gain and shifted by a learned bias.
# This is called **layer normalisation**.
#
# $$\mathrm{LN}(x) = g \odot \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b \qquad x, g, b\colon (d_{\text{model}},) \quad \mu, \sigma^2, \varepsilon\colon \text{one number each}$$
#
# The mean $\mu$ and the variance $\sigma^2$ belong to one token, and the small $\varepsilon$ prevents a division by 0.
#
# ### Exercise: `layer_norm` · 5 minutes
# `X` is `(…, d)`, `gain` and `bias` are `(d,)`, and `epsilon` is added to the variance, inside the root.
# Return `(…, d)`.
#
# <details><summary>Hint 1</summary>Take the mean and variance along the last axis; <code>keepdims=True</code> lets NumPy subtract each mean from its own row.</details>
#
# <details><summary>Hint 2</summary>Subtract the mean first; the variance is the mean of the squares of what is left.</details>


# %%
def layer_norm(X, gain, bias, epsilon=1e-3):
    # solution
    centred = X - X.mean(axis=-1, keepdims=True)  # (…, d)
    variance = (centred**2).mean(axis=-1, keepdims=True)  # (…, 1)
    return centred / np.sqrt(variance + epsilon) * gain + bias  # (…, d)
    # end solution


check("layer_norm", layer_norm)

# %% [markdown]
# <details><summary>About the solution</summary><code>X.var(axis=-1, keepdims=True)</code> gives the same variance in one call.
# The longer version shows that the mean is needed twice but computed once.</details>

# %%
layer_norm = keep("layer_norm")
judge = keras.layers.LayerNormalization()
judge.build((None, 16))
gain, bias = np.random.default_rng(1).normal(size=(2, 16))
judge.set_weights([gain, bias])

# %%
large = 3 + 7 * X  # (n, d_model): off centre, and large
print("yours:", layer_norm(large, gain, bias)[0, :4].round(3))
print("Keras:", judge(large).numpy()[0, :4].round(3))
for epsilon in (1e-3, 1e-5):  # the defaults of Keras and of PyTorch
    print(f"numbers near 0.01, epsilon {epsilon}: spread {layer_norm(X / 100, 1, 0, epsilon)[0].std():.2f}")

# %% [markdown]
# The last two lines show a trap: Keras and PyTorch have different defaults for $\varepsilon$, which matters a lot for small numbers.
# So when you move weights from one library to the other, move $\varepsilon$ too.
#
# ## Think about what you saw
#
# **Goal.** Let each token work on its own vector.
#
# Attention carries things from token to token, but all it does is average, and an average of *not* and *good* is only something in between.
# To react to the *combination*, a token needs a step that can say "both, so flip".
# Two matrices in a row cannot say that, because together they amount to one matrix, which only adds things up.
# So we put a function between them whose curve is not a straight line.
# Such a function is called **nonlinear**, and between matrices it is called an **activation function**.
# Function and matrices together, applied to each token on its own, are called a **feed-forward layer**, or *MLP* (multi-layer perceptron).
# Our activation function is *GELU*, which lets large positive numbers through and makes strongly negative ones nearly 0.
#
# $$\underset{\textstyle(n,\;d_{model})}{\mathrm{FFN}(X)} = \mathrm{GELU}\big(\underset{\textstyle(n,\;d_{model})}{X}\;\underset{\textstyle(d_{model},\;d_{wide})}{W_{in}} + b_{in}\big)\;\underset{\textstyle(d_{wide},\;d_{model})}{W_{out}} + b_{out}$$
#
# The biases $b_{in}$, $(d_{wide},)$, and $b_{out}$, $(d_{model},)$, are added to each row.
#
# ### Exercise: `feed_forward` · 4 minutes
# `X` is `(…, d_model)`; `W_in` is `(d_model, d_wide)`, `W_out` `(d_wide, d_model)`; `b_in` is `(d_wide,)` and `b_out` `(d_model,)`.
# `gelu` was imported above; it takes and returns an array of any shape.
# Return `(…, d_model)`, without a residual connection here.
#
# <details><summary>Hint 1</summary>First compute the wide array, <code>(…, d_wide)</code>, including its bias.</details>
#
# <details><summary>Hint 2</summary>Apply the activation function once, between the two products.</details>


# %%
def feed_forward(X, W_in, b_in, W_out, b_out):
    # solution
    wide = gelu(X @ W_in + b_in)  # (…, d_wide)
    return wide @ W_out + b_out  # (…, d_model)
    # end solution


check("feed_forward", feed_forward)

# %% [markdown]
# <details><summary>About the solution</summary>Vaswani et al. 2017 use <code>np.maximum(…, 0)</code>, called ReLU, as their activation function; GELU is a smooth version of ReLU.
# Without an activation function, the two matrices could be replaced by one, <code>W_in @ W_out</code>.</details>

# %%
feed_forward = keep("feed_forward")
alone = np.stack([feed_forward(token, *w[1:5]) for token in X])  # w[1:5]: W_in, b_in, W_out, b_out
print(f"all tokens at once, and one by one: at most {np.abs(feed_forward(X, *w[1:5]) - alone).max():.6f} apart")

# %%
line = np.linspace(-3, 3, 25)
functions = {"GELU": gelu(line), "ReLU": np.maximum(line, 0)}
curves(line, functions, title="Two activation functions", xlabel="number that comes in", ylabel="number that goes out")
plt.gcf().set_size_inches(6, 3.5)
plt.show()

# %% [markdown]
# ## The block
#
# **Goal.** Put the parts together.
#
# Now you have attention, which fetches, and a feed-forward layer, which works on what was fetched; around each come a sum and a layer normalisation, or *norm* for short.
# All this is called a **Transformer block**, and there are two ways to build one: [@vaswani2017] normalise **after** the sum; GPT-3 ([@brown2020]) normalises **before** each part and leaves the sum alone.
#
# | part | after | before |
# |:---|:---|:---|
# | attention | $X_1 = \mathrm{LN}_0(X + \mathrm{MultiHead}(X))$ | $X_1 = X + \mathrm{MultiHead}(\mathrm{LN}_0(X))$ |
# | feed-forward | $X_2 = \mathrm{LN}_1(X_1 + \mathrm{FFN}(X_1))$ | $X_2 = X_1 + \mathrm{FFN}(\mathrm{LN}_1(X_1))$ |
#
# $X$, $X_1$ and $X_2$ are all $(n, d_{\text{model}})$, so blocks can be stacked.
# With the norm before each part, one sum runs through the whole stack, like a notebook passed from desk to desk: each part reads it and adds what it found.
# This sum is called the **residual stream**.
#
# ### Exercise: `block` · 10 minutes
# Write the block so that parts can be left out, because the experiments below leave some out.
# `X` is `(n, d_model)`.
# `W` is `(4, d_model, d_model)`: `W_Q`, `W_K`, `W_V`, `W_O`.
# `gains` and `biases` are `(2, d_model)`: row 0 is for attention, row 1 for the feed-forward layer.
# `norm` is `"after"`, `"before"` or `"none"`.
# `residual=False` leaves out both sums; `"none"` leaves out both norms.
# Call `multi_head`, `layer_norm` (with its default `epsilon`) and `feed_forward`, and return `(n, d_model)`.
#
# <details><summary>Hint 1</summary>Each half of the block has four steps: norm, part, sum, and norm again.
# At most one of the two norms is used.</details>
#
# <details><summary>Hint 2</summary>With <code>norm="before"</code> the sum takes the <code>X</code> that was <b>not</b> normalised, and the second part begins with what the first one returned.</details>


# %%
def block(X, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, norm="after", residual=True):
    # solution
    inside = layer_norm(X, gains[0], biases[0]) if norm == "before" else X  # (n, d_model)
    looked = multi_head(inside, W[0], W[1], W[2], W[3], n_heads)  # (n, d_model)
    X = X + looked if residual else looked
    if norm == "after":
        X = layer_norm(X, gains[0], biases[0])
    inside = layer_norm(X, gains[1], biases[1]) if norm == "before" else X
    thought = feed_forward(inside, W_in, b_in, W_out, b_out)  # (n, d_model)
    X = X + thought if residual else thought
    if norm == "after":
        X = layer_norm(X, gains[1], biases[1])
    return X
    # end solution


check("block", block)

# %% [markdown]
# <details><summary>About the solution</summary>The two halves take the same steps, so a helper <code>around(X, part, gain, bias, norm, residual)</code>, called twice, would be shorter.
# When they are written out, you can compare each line with the table.</details>

# %%
block = keep("block")
d, heads = 16, 2
rng = np.random.default_rng(3)
b_in, b_out, gains, biases = (rng.normal(size=shape) for shape in (32, d, (2, d), (2, d)))
w = w._replace(b_in=b_in, b_out=b_out, gains=gains, biases=biases)  # else they would be 0 and 1, and prove little


# %%
def keras_block(X, w):
    looks = keras.layers.MultiHeadAttention(heads, d // heads, use_bias=False)
    norms = [keras.layers.LayerNormalization() for _ in range(2)]
    wide, back = keras.layers.Dense(32, activation="gelu"), keras.layers.Dense(d)
    looks.build((None, 8, d), (None, 8, d))
    looks.set_weights([*w.W[:3].reshape(3, d, heads, -1), w.W[3].reshape(heads, -1, d)])
    for layer, weights in zip((wide, back, *norms), (w[1:3], w[3:5], *zip(w.gains, w.biases))):
        layer.build((None, d if layer is not back else 32))
        layer.set_weights(weights)
    X = norms[0](X + looks(X, X))
    return norms[1](X + back(wide(X))).numpy()[0]  # (n, d_model)


# %%
ours, theirs = block(X, *w, heads), keras_block(X[None].astype("float32"), w)
print("yours:", ours[0, :5].round(3), "\nKeras:", theirs[0, :5].round(3))
print(f"largest difference of {ours.size} numbers: {np.abs(ours - theirs).max():.4f}")

# %%
usual = random_block(d_model=512, d_wide=2048, seed=0)  # the sizes of Vaswani et al.
shares = {name: part.size for name, part in zip(usual._fields, usual)}
print(f"feed-forward holds {(shares['W_in'] + shares['W_out']) / sum(shares.values()):.0%} of a usual block's numbers")

# %% [markdown]
# With the same weights, your function and five Keras layers give the same numbers, so you can trust your block and take parts out.
#
# ## What depth does to tokens
#
# **Goal.** Measure how alike the tokens of a sentence become.
#
# What happens to a sentence that goes through many blocks?
# A mixture of values lies between them, and mixtures of such mixtures lie in an even smaller region.
# We send 8 random tokens through 24 random blocks, and take the mean cosine of all pairs: 1 means that all tokens point the same way.

# %%
blocks = [random_block(d, 32, seed) for seed in range(24)]


def likeness(X):  # (n, d_model) -> one number
    return np.mean([cosine(a, b) for i, a in enumerate(X) for b in X[:i]])


# %%
def layers_of(X, norm, residual):
    found = [X]
    for w in blocks:
        found.append(block(found[-1], *w, heads, norm, residual))
    return np.stack(found)  # (depth + 1, n, d_model)


# %%
predict(
    "Without the residual connection, after two of the 24 blocks the mean cosine is about",
    {
        0.0: "That is where random tokens start. But each block mixes all of them.",
        0.5: "A single block already gets a little further. The second block mixes tokens that are already similar.",
        1.0: "Mixing twice is enough: after that, all tokens say nearly the same.",
    },
    answer=lambda: round(likeness(layers_of(X, "before", False)[2]), 1),
)

# %%
# answers prediction 1
stacks = {
    "norm before": ("before", True),
    "norm after": ("after", True),
    "no norm": ("none", True),
    "no residual": ("before", False),
    "neither": ("none", False),
}
layers = {name: layers_of(X, *how) for name, how in stacks.items()}
alike = {name: [likeness(X) for X in layers[name]] for name in stacks}  # each (depth + 1,)
curves(range(25), alike, title="Tokens become alike", xlabel="blocks", ylabel="mean cosine of two tokens")
plt.gcf().set_size_inches(7, 3.5)
for name, line in alike.items():
    print(f"{name:<12} after 2, 6, 24 blocks: {line[2]:.2f} {line[6]:.2f} {line[24]:.2f}")
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# Without the residual connection, two blocks made all the tokens nearly alike here.
# [@dong2021] prove this for attention alone: as depth grows, the outputs of all tokens approach each other *doubly exponentially* fast.
# The residual connection slows this down, but after 24 blocks the tokens differ visibly only in the stack with the norm before each part.
#
# </details>
#
# ## What depth does to the gradient
#
# **Goal.** Measure how strongly the output of a stack reacts to its input.
#
# Tokens that stay different are of no use if training cannot reach the first blocks.
# Training works through gradients, and a gradient says how a result reacts to a nudge (lesson 10), so we nudge the input and see how far the output moves after each block.
# A reaction of 1 means that a nudge comes out as large as it went in; we nudge both ways along ten random directions and take the root mean square.


# %%
def reaction(norm, residual, step=1e-6):
    squares = []
    for seed in range(10):
        nudge = np.random.default_rng(seed).normal(size=X.shape)
        nudge *= step / np.linalg.norm(nudge)
        moved = layers_of(X + nudge, norm, residual) - layers_of(X - nudge, norm, residual)
        squares.append((moved**2).sum(axis=(1, 2)) / (2 * step) ** 2)  # (depth + 1,)
    return np.sqrt(np.mean(squares, axis=0))


# %%
reactions = {name: reaction(*how) for name, how in stacks.items()}
ax = curves(range(25), reactions, title="What is left of a nudge", xlabel="blocks", ylabel="reaction to the input")
ax.set_yscale("log")
ax.figure.set_size_inches(8.5, 3.5)
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
for name in stacks:
    size = np.sqrt(np.mean(layers[name][24] ** 2))
    print(f"{name:<12} after 24 blocks: reaction {reactions[name][24]:7.0e}   size of a number {size:7.0e}")
plt.show()

# %% [markdown]
# Without a norm, the sums grow like an avalanche: after 24 blocks the numbers have grown some 30,000-fold, and the reaction to a nudge is even larger.
# With neither norm nor residual connection, everything fades.
# With a norm the reaction stayed between 0.01 and 100 here; without the residual connection, another start can push it lower.
#
# ### Try it: another start
# Change `seed` to `100 + seed` in the cell with `blocks`, and run all the cells from there to here.
# In each of the two pictures, which of the five lines stay where they are?
#
# ## Where does the norm stand?
#
# **Goal.** Decide from the pictures of untrained blocks, then test your decision by training.
#
# So far our blocks have learned nothing; now four stacks of **24 blocks** have to learn something easy: **each token has to name itself**, with 8 names to choose from.
# To do so, a stack only needs tokens that stay different all the way through; a guess is right one time in eight.
# TensorFlow trains each stack for 40 steps, with five seeds, and then *your* block reads 20 new sentences with the trained weights.
# Read both tables again before you decide: in which stack do the tokens still differ at the end, while the numbers and reactions neither explode nor fade?

# %%
predict(
    "Which stack of 24 blocks learns to name its tokens in 40 steps?",
    {
        "no norm": "After 24 blocks its numbers are 30,000 times as large, and its reactions even larger. Nothing brings them back to one scale.",
        "norm after": "Its numbers stay in bounds. But after 24 blocks all its tokens point the same way.",
        "norm before": True,
        "no residual": "After two blocks its tokens are nearly alike. Nothing helps a token stay what it was.",
    },
)


# %%
def answers(model, tokens, **how):
    X = model.E[tokens] + model.P  # (n, d_model)
    for w in model.blocks:
        X = block(X, *w, heads, **how)
    return (X @ model.R).argmax(axis=1)  # (n,)


train, fresh = np.split(np.random.default_rng(0).integers(0, 8, (1020, 6)), [1000])  # sentences of 6 tokens
accuracies = {}
for name, (place, add) in list(stacks.items())[:4]:
    models = train_stack(train, train, depth=24, n_heads=heads, norm=place, residual=add)  # one for each seed
    said = [[answers(model, tokens, norm=place, residual=add) for tokens in fresh] for model in models]
    accuracies[name] = (np.array(said) == fresh).mean(axis=(1, 2))  # (5,)

# %%
# answers prediction 2
row_bars(
    [a.mean() for a in accuracies.values()], accuracies, title="24 blocks: name yourself", xlabel="accuracy"
).set_ylabel("stack")
plt.gcf().set_size_inches(7, 3)
for name, found in accuracies.items():
    print(f"{name:<12} seeds of 5 that learned it (accuracy above 0.9): {sum(found > 0.9)}")
plt.show()

# %% [markdown]
# <details><summary>What came out</summary>
#
# Only one of the four stacks learned to name its tokens in 40 steps.
# "Norm after" is not a mistake in general, but it is the wrong choice at this depth and with so few steps.
# [@vaswani2017] train stacks of 6 blocks with the norm after, and begin with small steps, a *warm-up*; [@xiong2020] find that with the norm before, the warm-up is not needed.
#
# </details>
#
# ## Four verdicts and one head
#
# **Goal.** Find out what the feed-forward layer is for.
#
# What can the feed-forward layer do that attention cannot?
# The four reviews *not good*, *so good*, *not bad* and *so bad* put this question to the test, because no single word tells you the verdict; only the pair does, as in our long review.
# One layer of attention with **one head** reads them, and the output at the token [CLS], with its residual connection, gives the verdict.
# We leave out the norms, because they are nonlinear, too, and we train with ten different seeds.

# %%
predict(
    "With one head of attention alone, how many of the four verdicts can be right at most?",
    {
        2: "A guess gets two. But attention can set one of the four apart from the other three.",
        3: True,
        4: "[CLS] always asks the same question, so each word casts a vote of its own. A sum of votes cannot say 'only one of the two'.",
    },
)

# %%
reviews = np.array([[0, 1, 3], [0, 2, 3], [0, 1, 4], [0, 2, 4]])  # 0 is [CLS], 1 not, 2 so, 3 good, 4 bad
verdicts = np.array([[0], [1], [1], [0]])
ten = {"depth": 1, "n_heads": 1, "norm": "none", "seeds": 10, "steps": 200, "rate": 0.01}


def right(model, thinks):  # how many of the four
    total = 0
    for tokens, verdict in zip(reviews, verdicts):
        X = model.E[tokens] + model.P  # (3, d_model)
        X = X + multi_head(X, *model.blocks[0].W, ten["n_heads"])
        X = X + feed_forward(X, *model.blocks[0][1:5]) if thinks else X
        total += (X[0] @ model.R).argmax() == verdict[0]
    return total


# %%
# answers prediction 3
for name, thinks in (("attention alone", False), ("with feed-forward", True)):
    found = [right(model, thinks) for model in train_stack(reviews, verdicts, feed_forward=thinks, **ten)]
    print(f"{name:<18} at most {max(found)} of 4 right; all four right: {found.count(4)} of 10 seeds")

# %% [markdown]
# <details><summary>What came out</summary>
#
# Why three?
# Because [CLS] always asks with the same query, the lead of one verdict over the other is $\sum_j e^{s_j} c_j$, divided by a positive number, and each token $j$ adds a term of its own.
# Compared with *so*, *not* would have to lower the sum next to *good* and raise it next to *bad*, but *not* has only one term.
# We are back in lesson 00: adding up words is not enough to read *not good*.
# Activation functions work on the sum, and together they can treat a high sum and a low sum alike.
#
# </details>
#
# ### Try it: a second head
# Set `"n_heads": 2` and run the last two cells.
# Two heads divide by two different numbers, so attention alone now gets all four right with most seeds: here, with nine of ten.
#
# ## What we now know
#
# - A block is attention and a feed-forward layer, each with a residual connection and a norm; yours gives the same numbers as Keras's layers.
# - In our random blocks, leaving out the residual connection made the tokens alike within two blocks; leaving out only the norm made numbers and gradients explode.
# - In 40 steps, 24 blocks learned their task only with the norm before each part.
# - One head of attention adds up votes; the feed-forward layer makes *not good* more than a sum.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.1 describes the block as it was first drawn, with the norm after.
# - [@he2015]: the residual connection, in networks of up to 152 layers on ImageNet.
# - [@ba2016]: layer normalisation, and how it differs from normalising a batch.
# - [@xiong2020]: how the position of the norm affects the first gradients, and whether a warm-up is needed.
#
# ## Next question
#
# You have all the parts of a Transformer.
# What does a small model made of these parts look like in Keras, and where does it look once it is trained?
# Go on with [12_cls_classifier](12_cls_classifier.ipynb).
