# %% [markdown]
# # 08 · Word order: attention cannot see it, so we add it
#
# ![](../images/machine_08.svg)
#
# **You will build** two methods for telling attention where a word stands, waves and rotations, once you have measured that attention without a mask ignores word order.
# At the end you compare both with a third method, a table.
#
# **You will be able to**
# - say what happens to the outputs when you shuffle the words,
# - compute sinusoidal encodings, add them to a batch, and measure whether the outputs reveal the word order,
# - turn vectors so that a score depends on the distance between two words and not on where the pair stands,
# - say how well each of the three methods works on texts longer than those in training.
#
# **You need** [06_masks](06_masks.ipynb) and [07_many_heads](07_many_heads.ipynb).
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.pictures.plots import arrows, curves, heatmap, row_bars

# %%
look_back("08")

# %%
softmax, weights_of = mine("stable_softmax", "weights")
causal_mask, batched_attention = mine("causal_mask", "batched_attention")

# %% [markdown]
# ## Shuffle the words
#
# **Goal.** See what a new order does to the outputs.
#
# Swap *not good* and *amazing* in our review, and it praises the movie and pans the soundtrack, with the very same words.
# Does our machine notice?
# `X` has one row for each word, so we shuffle its rows and see.
# An order such as `[2, 0, 1]` says which row comes first, second and third, so `X[order]` is the shuffled sentence.
# In a formula, the same shuffle is the product $P X$ with a **permutation matrix** $P$, the identity matrix with its rows in the new order; each row of $P$ picks one row of $X$.

# %%
rng = np.random.default_rng(8)
X = rng.normal(size=(5, 4))  # (n, d_model): five words
W_Q, W_K, W_V = rng.normal(size=(3, 4, 4))  # each (d_model, d_k)


# %%
def attend(X):
    everywhere = np.ones((len(X), len(X)), dtype=bool)  # (n, n): all may look at all
    return batched_attention(X @ W_Q, X @ W_K, X @ W_V, everywhere)  # (n, d_v)


# %%
order = [3, 0, 4, 1, 2]
P = np.eye(5)[order]  # (n, n)
print("P @ X = X[order]:", np.array_equal(P @ X, X[order]))

# %%
after = attend(X[order])  # (n, d_v)
for place, word in enumerate(order):
    print(f"word {word}, now at place {place}: {after[place].round(2)}, before {attend(X)[word].round(2)}")

# %%
worst = 0.0
for _ in range(1000):
    P = np.eye(5)[rng.permutation(5)]  # (n, n)
    worst = max(worst, np.abs(attend(P @ X) - P @ attend(X)).max())
print(f"1,000 random orders, largest difference: {worst:.6f}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(11, 3.4))
for ax, some, title in zip(axes, ([0, 1, 2, 3, 4], order), ("weights", "weights after the shuffle")):
    W = weights_of(X[some] @ W_Q, X[some] @ W_K)  # (n, n)
    heatmap(W, [f"word {i}" for i in some], title=title, ax=ax, vmax=1)
plt.show()

# %% [markdown]
# Nothing is lost and nothing is new, since the weights are the same numbers in different places.
# Each step of attention passes the shuffle on: the rows and columns of the scores move in the same way, each score keeps its weight, and the values move with them.
# So when you shuffle the inputs, the outputs come out shuffled in the same way, and nothing else changes.
# This is called **permutation equivariance**:
#
# $$\underset{\textstyle(n,\;d_v)}{\mathrm{attend}(P X)} = \underset{\textstyle(n,\;n)}{P}\;\underset{\textstyle(n,\;d_v)}{\mathrm{attend}(X)}$$
#
# A reference page on self-attention, one of our five texts, says this in words: "shuffling input tokens shuffles the output in the same way".
#
# ## Dog bites man
#
# **Goal.** See what this means for reading.

# %%
predict(
    "We turn “dog bites man” into “man bites dog”. With a causal mask, the output of “dog” is",
    {
        "the same as before": "That is true without a mask. Under a causal mask “dog” first saw only itself, and now it sees all three words.",
        "the old output of “man”": "In its new position “dog” may look where “man” looked. But it still has its own query.",
        "a new one": "In the first position “dog” saw only itself, and in the last it sees all three words.",
    },
    answer="a new one",
)

# %%
vectors = {"dog": [2, 0], "bites": [1, 1], "man": [0, 2]}  # hand-made; Q = K = V = X
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8))
for ax, sentence in zip(axes, (["dog", "bites", "man"], ["man", "bites", "dog"])):
    S = np.array([vectors[word] for word in sentence])  # (n, d_model)
    output = batched_attention(S, S, S, np.ones((3, 3), dtype=bool))  # (n, d_v)
    by_word = np.array([output[sentence.index(word)] for word in vectors])  # (n, d_v)
    arrows(by_word, list(vectors), title=f"outputs of “{' '.join(sentence)}”", ax=ax)
    ax.set(xlim=(-0.3, 2.4), ylim=(-0.3, 2.4))
    said = "  ".join(f"{word} {o.round(2)}" for word, o in zip(vectors, by_word))
    print(f"{' '.join(sentence)}:  {said}  mean {output.mean(axis=0).round(2)}")
plt.show()

# %%
# answers prediction 1
S = np.array([vectors[word] for word in ("dog", "bites", "man")])  # (n, d_model)
masked = batched_attention(S, S, S, causal_mask(3))  # (n, d_v)
turned = batched_attention(S[::-1], S[::-1], S[::-1], causal_mask(3))  # (n, d_v)
print("with a causal mask, dog first:", masked[0], "  dog last:", turned[2].round(2))

# %% [markdown]
# Without a mask each word has the same output in both sentences, so no output tells you who bites.
# On its own, attention sees a bag of words, even though these words look at each other.
#
# <details><summary>What came out</summary>
#
# A causal mask is an exception, because it gives each position a different set of words to look at.
#
# </details>
#
# ## A vector for each place
#
# **Goal.** Give every position its own pattern of waves.
#
# If attention cannot see where a word stands, the word itself can carry this information.
# So each word gets a second vector, which depends on its position alone and is called a **positional encoding**.
# [@vaswani2017] use *sinusoidal* encodings, which work like the hands of a row of clocks: each pair of neighbouring dimensions contains the sine and the cosine of one angle, which grows with the position $t$, fast in the first pair and slowly in the last.
#
# $$P_{t,\,2i} = \sin\frac{t}{10000^{2i/d_{model}}} \qquad P_{t,\,2i+1} = \cos\frac{t}{10000^{2i/d_{model}}} \qquad P\colon (n,\;d_{model})$$
#
# ### Exercise: `sinusoidal_positions` · 6 minutes
# Return `(n, d_model)` for the positions 0 to n − 1.
# `d_model` may be odd, and then the last sine has no cosine.
#
# <details><summary>Hint 1</summary>First make all the angles, <code>(n, d_model)</code>.
# Dimensions 2i and 2i + 1 share one angle: <code>dims // 2 * 2</code> is 2i for both.</details>
#
# <details><summary>Hint 2</summary><code>places[:, None] / divisors</code> gives all the angles.
# Then put sines into the even columns and cosines into the odd ones: <code>np.where(dims % 2, ..., ...)</code>.</details>


# %%
def positions_of(n, d_model):
    # solution
    dims = np.arange(d_model)  # (d_model,)
    angles = np.arange(n)[:, None] / 10000 ** (dims // 2 * 2 / d_model)  # (n, d_model)
    return np.where(dims % 2, np.cos(angles), np.sin(angles))  # (n, d_model)
    # end solution


check("sinusoidal_positions", positions_of)

# %%
positions_of = keep("sinusoidal_positions")
P = positions_of(60, 64)  # (n, d_model)
lines = {f"dimension {i}": P[:, i] for i in (4, 10, 16, 24)}
ax = plt.subplots(figsize=(9, 3.2))[1]
curves(np.arange(60), lines, xlabel="place", ylabel="value", title="Fast waves and slow waves", markers=False, ax=ax)
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
print("smallest and largest value:", P.min().round(1), P.max().round(1))
plt.show()

# %%
predict(
    "We walk away from a place and take the dot product of its vector with the others. It",
    {
        "falls at every step": "The fast waves come round again and raise the product.",
        "falls, but not at every step": True,
        "depends on where we start": "sin a · sin b + cos a · cos b = cos(a − b), so only the distance matters.",
        "stays the same": "All the vectors have the same length, but they point in different directions.",
    },
)

# %%
# answers prediction 2
P = positions_of(101, 64)  # (n, d_model)
D = P @ P.T  # (n, n): every place with every place
labels = {"xlabel": "distance", "ylabel": "dot product", "title": "Near places have large products"}
curves(np.arange(101), {"dot product": D[0]}, markers=False, ax=plt.subplots(figsize=(7.6, 3.2))[1], **labels)
print(f"distance 0: {D[0, 0]:.1f}   1: {D[0, 1]:.1f}   5: {D[0, 5]:.2f}   6: {D[0, 6]:.2f}   100: {D[0, 100]:.1f}")
print("distance 5, from place 0, 40, 95:", D[[0, 40, 95], [5, 45, 100]].round(2))
print("steps that rise:", (np.diff(D[0]) > 0).sum(), "of 100")
plt.show()

# %% [markdown]
# <details><summary>About the solution</summary>Integer division gives both members of a pair the same angle, and <code>np.where</code> chooses sine or cosine.
# Filling <code>P[:, 0::2]</code> and <code>P[:, 1::2]</code> works as well, but for an odd <code>d_model</code> the last cosine must be dropped.</details>
#
# On the whole, the vectors of nearby positions have larger dot products, and a query can use that.
#
# The encoder of lesson 19 uses a *learned table* instead, one row of numbers for each position.
# The rows start out random and are trained like all the other weights, so training has to discover which positions are near each other.
# [@vaswani2017] tried both methods and got nearly the same results.
#
# ## Add them
#
# **Goal.** Put word and position into one vector.
#
# The reference page says that positional encodings "must be added externally", and in *A First Look at Self-Attention* the token and position vectors "are summed", so we add them:
#
# $$\underset{\textstyle(batch,\;n,\;d_{model})}{X'} = \underset{\textstyle(batch,\;n,\;d_{model})}{X} + \underset{\textstyle(n,\;d_{model})}{P_{0 \dots n-1}}$$
#
# ### Exercise: `add_positions` · 3 minutes
# `X` is a batch of sentences, `(batch, n, d_model)`, and `P` is `(longest, d_model)` with at least `n` rows.
# Return `(batch, n, d_model)`: add to each word the vector of its **position in the sentence**, never of its sentence's position in the batch.
#
# <details><summary>Hint 1</summary>You need the first <code>n</code> rows of <code>P</code>.
# Which axis of <code>X</code> is <code>n</code>?</details>
#
# <details><summary>Hint 2</summary>NumPy lines up shapes from the right: <code>(n, d_model)</code> fits <code>(batch, n, d_model)</code>.</details>


# %%
def add_positions(X, P):
    # solution
    return X + P[: X.shape[1]]  # (batch, n, d_model)
    # end solution


check("add_positions", add_positions)

# %% [markdown]
# <details><summary>About the solution</summary>The shapes line up from the right, so every sentence gets the same n rows.
# Appending the rows with <code>np.concatenate</code> keeps word and position apart, but makes every vector longer.</details>
#
# ## Read the order again
#
# **Goal.** Find out whether the output of *dog* now tells you who bites.
#
# Can we read the order now?
# To find out, we use a very modest reader, a *linear readout*: a single vector `w`, whose answer is the sign of `output @ w`.
# Each of 300 random verbs appears in two sentences, *dog verb man* and *man verb dog*; we fit the readout on 100 verbs and test it on the other 200.

# %%
add_positions = keep("add_positions")
rng = np.random.default_rng(0)
dog, man = rng.normal(size=(2, 16))  # each (d_model,)
verbs = rng.normal(size=(300, 16))  # (batch, d_model)
both = np.stack([[[dog, v, man] for v in verbs], [[man, v, dog] for v in verbs]])  # (2, batch, n, d_model)
tables = {
    "no positions": np.zeros((3, 16)),
    "sinusoidal": positions_of(3, 16),
    "random table": rng.normal(size=(3, 16)),
}


# %%
def share_right(F):  # F (2, batch, d_model): something read from each sentence, in both orders
    learn, test = F[:, :100].reshape(200, -1), F[:, 100:]
    w = np.linalg.lstsq(learn, np.repeat([1, -1], 100), rcond=None)[0]  # (d_model,)
    return np.mean([test[0] @ w > 0, test[1] @ w < 0])


# %%
from_dog, from_mean = [], []
for P in tables.values():
    X = np.stack([add_positions(sentences, P) for sentences in both])  # (2, batch, n, d_model)
    output = batched_attention(X, X, X, np.ones((3, 3), dtype=bool))  # (2, batch, n, d_model)
    from_dog.append(share_right(np.stack([output[0, :, 0], output[1, :, 2]])))
    from_mean.append(share_right(output.mean(axis=2)))
print("read from the mean of all outputs:", dict(zip(tables, np.round(from_mean, 1).tolist())))
ax = row_bars(from_dog, list(tables), title="Does the dog bite? Read from the output of “dog”", xlabel="share right")
ax.set_ylabel("positions")
plt.show()

# %% [markdown]
# Without positions both outputs of *dog* are equal, so the readout gives both orders the same answer and is right about exactly one of them.
# With positions the readout is right every time here, even with a random table.
# But you cannot read the order everywhere: the **mean** of the outputs hardly shows it.
# Adding positions makes the order available, but it is up to training to use it.
#
# ## Turn instead of add
#
# **Goal.** Make a score depend on how far one word stands before or after the other, and not on where the pair stands.
#
# Adding a position has a side effect, because whatever we add to a word ends up in its query, its key and its value.
# [@su2021] leave the words as they are and *turn* vectors instead.
# Take two neighbouring numbers of a vector as a point in a plane, the tip of a clock hand.
# At position $t$ this hand is turned by the angle $t\,\theta_i$, where $\theta_i$ is the speed of wave $i$:
#
# $$\begin{pmatrix} y_{2i} \\ y_{2i+1} \end{pmatrix} = \begin{pmatrix} \cos t\theta_i & -\sin t\theta_i \\ \sin t\theta_i & \phantom{-}\cos t\theta_i \end{pmatrix} \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix} \qquad \theta_i = 10000^{-2i/d} \qquad x, y\colon (d)$$
#
# This is called a rotary position embedding, or **RoPE** for short.
#
# ### Exercise: `rotate` · 7 minutes
# `X` is `(…, n, d)`, with an even `d`; the dots are any leading axes.
# Return an array of the same shape, in which each pair $(2i, 2i+1)$ of row $t$ is turned by $t\,\theta_i$; rows count from 0.
#
# <details><summary>Hint 1</summary>The angles are <code>(n, d / 2)</code>.
# The first numbers of all pairs are <code>X[..., 0::2]</code>, the second ones <code>X[..., 1::2]</code>.</details>
#
# <details><summary>Hint 2</summary>Make a new array, <code>np.empty(X.shape)</code>, and fill its even and its odd columns.
# Both lines need the old pair.</details>


# %%
def rotate(X):
    # solution
    n, d = X.shape[-2:]
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)  # (n, d / 2)
    first, second = X[..., 0::2], X[..., 1::2]  # each (…, n, d / 2)
    turned = np.empty(X.shape)  # (…, n, d)
    turned[..., 0::2] = first * np.cos(angles) - second * np.sin(angles)
    turned[..., 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return turned
    # end solution


check("rotate", rotate)

# %%
rotate = keep("rotate")
q, k = np.random.default_rng(3).normal(size=(2, 64))  # one query and one key, each (d_k,)
at_each_place = np.tile(q, (100, 1)), np.tile(k, (100, 1))  # each (n, d_k)
turned = rotate(at_each_place[0]) @ rotate(at_each_place[1]).T  # (n, n)
added = (at_each_place[0] + positions_of(100, 64)) @ (at_each_place[1] + positions_of(100, 64)).T  # (n, n)
for name, scores in (("turned", turned), ("added", added)):
    spread = max(np.ptp(np.diagonal(scores, k)) for k in range(-90, 91))  # on a diagonal the distance is the same
    print(
        f"{name:<7} distance 5, from place 5, 40, 95: {scores[[5, 40, 95], [0, 35, 90]].round(2)}  spread {spread:.2f}"
    )

# %% [markdown]
# <details><summary>About the solution</summary>Both lines use the old numbers, so nothing is turned twice; a rotation leaves every length unchanged.
# With complex numbers the rotation is one product: <code>(first + 1j * second) * np.exp(1j * angles)</code>.</details>
#
# Why do the turned scores agree wherever the pair stands?
# Move both words three positions to the right, and both hands turn by the same extra angle, so the angle between them, and with it the dot product, stays the same.
# A score therefore depends only on the two words and on their **distance**, which has a sign: two positions before is not the same as two positions after.
# When waves are added, as above, this holds only for position times position, and the score also has products of a word and a position.
#
# So which arrays do we turn?

# %%
predict(
    "Which arrays do we turn before attention runs?",
    {
        "Q alone": "Then a score depends on the position of the query, and not on the distance.",
        "Q and K": True,
        "Q, K and V": "The scores would be right. But a turned value gives away where its word stands.",
    },
)


# %%
def of_dog(sentence, before, turned):  # before: how many hidden words stand before the sentence
    S = np.array([[0, 0]] * before + [vectors[word] for word in sentence])  # (n, d_model)
    may_look = np.tile(np.arange(len(S)) >= before, (len(S), 1))  # (n, n)
    Q, K, V = (rotate(S) if name in turned else S for name in "QKV")  # each (n, d_model)
    return batched_attention(Q, K, V, may_look)[before + sentence.index("dog")].round(2)  # (d_v,)


# %%
# answers prediction 3
print("the output of dog, with 0, 5 and 50 hidden words before the sentence")
for turned in ("Q", "QK", "QKV"):
    for sentence in ("dog bites man", "man bites dog"):
        print(f"{turned:>3} turned, {sentence}: ", *(of_dog(sentence.split(), before, turned) for before in (0, 5, 50)))

# %% [markdown]
# <details><summary>What came out</summary>
#
# When queries and keys are turned, *dog* has two outputs, one for each order, although nothing was added to any word.
# Moving the sentence changes neither output, unless the values are turned too, because then what a word passes on depends on its position.
#
# </details>
#
# ## Beyond the trained length
#
# **Goal.** Train on short sentences, and test on longer ones.
#
# One day somebody pastes in a text longer than any in training.
# How do our three methods cope then?
# We give them a small task: the last word has to look three positions back, whatever the words are.
# So each score depends on the positions alone and is linear in the numbers that we learn, `features @ learned`; we train with 4 to 12 words and test with up to 64.
#
# For the table and the waves we learn how much each pair of numbers counts, one number from the last position and one from position $j$.
# The rows of the table stay random here; even in a real model, training would not reach the rows beyond the trained length.
# For RoPE we learn the query, and every key is all ones.
# Seen from the last word, RoPE turns key $j$ by $-(n-1-j)$ steps; the code turns it by $+(n-1-j)$, which only swaps the two numbers of each pair in the learned query, so the weights stay the same.

# %%
table = np.random.default_rng(1).normal(size=(64, 16)) / np.sqrt(2)  # (longest, d), about as long as the waves


def products(P):
    return lambda n: (P[n - 1][:, None] * P[:n, None, :]).reshape(n, -1)  # (n, d * d)


schemes = {
    "learned table": products(table),
    "sinusoidal": products(positions_of(64, 16)),
    "RoPE": lambda n: rotate(np.ones((n, 16)))[::-1],  # (n, d): row j is the key, turned by n - 1 - j steps
}


# %%
def learn(features, steps=300):
    sentences = [features(n) for n in range(4, 13)]  # each (n, n_features)
    learned = np.zeros(sentences[0].shape[1])
    for _ in range(steps):
        for F in sentences:
            error = softmax(F @ learned)  # (n,)
            error[-4] -= 1  # all weight should lie three places before the last word
            learned -= 0.03 * error @ F
    return learned


# %%
predict(
    "Here a score with RoPE depends on the distance only. Trained on 4 to 12 words, at 64 words the weight on the right word is",
    {
        "as large as at 12 words": "The right distance was trained. But the softmax also weighs distances that were never trained.",
        "smaller, but far above 1/64": True,
        "1/64, a guess": "Distance 3 was learned, wherever the sentence ends. That still helps at 64 words.",
    },
)

# %%
# answers prediction 4
lengths = np.arange(4, 65)
lines = {}
for name, features in schemes.items():
    learned = learn(features)
    lines[name] = [softmax(features(n) @ learned)[-4] for n in lengths]  # (lengths,)
    print(f"{name:<14}", "  ".join(f"{n} words: {lines[name][n - 4]:.2f}" for n in (12, 13, 16, 24, 64)))
ax = plt.subplots(figsize=(8, 3.4))[1]
curves(lengths, lines, xlabel="words in the sentence", ylabel="weight on the right word", markers=False, ax=ax)
ax.axvline(12, color="grey", linestyle=":", label="longest in training")
ax.legend()
ax.set_title("Beyond the trained length")
plt.show()

# %% [markdown]
# Reading texts longer than those in training is called **extrapolation**.
#
# <details><summary>What came out</summary>
#
# - The table fails at once, because row 12 was never used in training.
# - The waves are *defined* for every position, but what was *learned* soon fails beyond the trained positions and recovers only partly.
# - RoPE lasts longest, because distance 3 means the same everywhere.
#   Its curve falls in steps, because some new distances look like 3: at 23 words distance 22 appears, which is 19 more than 3, and for the fastest pair that is nearly three full turns, 3 · 2π ≈ 18.85.
#
# </details>
#
# So "defined for every length" does not mean "works at every length".
# With RoPE, one remedy is to slow the rotation down after training and then train a little more ([@chen2023]).

# %% [markdown]
# ## Optional: Corner cases of the waves
#
# What if a text is very long, or `d_model` is odd?

# %%
for d_model in (4, 5, 64):
    P = positions_of(20_000, d_model)  # (n, d_model)
    away = np.linalg.norm(P[1:] - P[0], axis=1)  # (n - 1,): how far the others are from place 0
    print(f"d_model {d_model:>2}: closest to place 0 is place {away.argmin() + 1:>5}, {away.min():.2f} away")

# %%
for d_model in (4, 5, 64):
    P = positions_of(20_000, d_model)  # (n, d_model)
    step = (P[:-1] * P[1:]).sum(axis=1)  # (n - 1,): dot products of neighbours, all at distance 1
    print(f"d_model {d_model:>2}: spread over 50 places {np.ptp(step[:50]):.2f}, over all {np.ptp(step):.2f}")

# %% [markdown]
# With few dimensions, the vectors of distant positions can nearly coincide, as a clock with few hands soon shows the same time again; with 64 dimensions, 20,000 positions stay apart.
# With an odd `d_model` the last sine has no partner, so the dot product no longer depends only on the distance; the code still runs, and short texts hardly show the difference.

# %% [markdown]
# ## Optional: One word, two outputs
#
# **Goal.** See the same word come out differently in two contexts.
#
# *bank* means one thing in *river bank* and another in *bank account*, and yet a table of embeddings has a single row for it.
# How can a model tell the two meanings apart?
# We use hand-made vectors (nature, money) without positions.

# %%
river, bank, account = [3, 0], [1, 1], [0, 3]
pairs = {"river bank": np.array([bank, river]), "bank account": np.array([bank, account])}  # each (n, d_model)
everywhere = np.ones((2, 2), dtype=bool)
outputs = {name: batched_attention(S, S, S, everywhere) for name, S in pairs.items()}  # each (n, d_v)
ax = plt.subplots(figsize=(5, 3.6))[1]
arrows([bank, *(o[0] for o in outputs.values())], ["bank", *pairs], ax=ax)
ax.set(xlim=(-0.9, 3.4), ylim=(-0.9, 3.4), xlabel="nature", ylabel="money", title="One word, two outputs")
plt.show()

# %%
for name, S in pairs.items():
    print(f"{name:<13} bank: query in layer 0 {S[0]}   output, and query in layer 1 {outputs[name][0].round(2)}")

# %% [markdown]
# The reference page on self-attention says that *bank* "issues a different query" in each of the two phrases, because its representation "is influenced by surrounding context in deeper layers".
# The last three words are the ones that matter.
# In the first layer the query is made from the word alone, and only the keys and values around it differ; from the second layer on, the query differs too, because it is made from the first layer's output.
# When positions are added, the position of *bank* also changes its query.

# %% [markdown]
# ## What we now know
#
# - Without a mask and without positions, shuffling the words shuffles the outputs, so attention cannot tell *dog bites man* from *man bites dog*.
# - With sinusoidal positions and an even `d_model`, the dot product of two positions depends only on their distance; it falls as the distance grows, but not at every step.
# - With positions added, the order can be read from a word's output.
# - RoPE turns queries and keys, so a score depends only on the two words and on how far one stands before or after the other.
# - Beyond the trained length, our table failed at once, the waves failed soon after, and RoPE lasted longest.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.5 defines the sinusoids and says that they may extrapolate.
# - [@su2021]: how RoPE follows from one wish: a score should depend on positions only through their distance.
# - [@press2021]: language models trained on short texts and tested on long ones, with sinusoids, with RoPE and with a method of the authors' own.
#
# ## Next question
#
# So far hardly any query, key or value has been learned: we made them by hand, so that *good* would find *not*.
# Can a model find out on its own where to look?
# Go on with [09_learning_where](09_learning_where.ipynb).
