# %% [markdown]
# # 01 · Dot products: one number for how well two arrows agree
#
# ![](../images/machine_01.svg)
#
# **You will build** the dot product in three ways, with a loop, with `@` and as a picture, and let a query meet three keys.
#
# **You will be able to**
# - compute a dot product by hand and in code,
# - say what it tells you about direction and about length,
# - score every key for one query in a single line.
#
# **You need** Python lists and loops, but no linear algebra.
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.attention import softmax
from course_utils.checks import check, keep, predict, progress, recap
from course_utils.explorables import VectorPad
from course_utils.pictures.plots import arrows, row_bars

# %% [markdown]
# ## Multiply and add
#
# **Goal.** Turn two lists of numbers into one number.
#
# When *good* looks for the word that changes its meaning, it compares itself with each word, and each comparison has to end in one number: how well do the two fit together?
# Attention does this with the dot product.
# Take two lists of the same length, say [2, 3] and [5, −1].
# Multiply the numbers in the same position, 2·5 = 10 and 3·(−1) = −3, and add the products: 10 − 3 = 7.
# A list of numbers in a fixed order is called a **vector**, and this sum is called the **dot product** of the two vectors, written $a \cdot b$.
# For two vectors of $d$ numbers each:
#
# $$a \cdot b = \sum_{i=1}^{d} a_i\,b_i$$

# %%
a = np.array([2, 3])  # (d,) with d = 2
b = np.array([5, -1])  # (d,)
products = [x * y for x, y in zip(a, b)]
print(f"{a[0]}*{b[0]} + {a[1]}*({b[1]}) = {sum(products)}")

# %%
arrows([a, b], ["a", "b"], title="Two vectors as arrows")
plt.show()

# %% [markdown]
# Both vectors come from *A First Look at Self-Attention*.
#
# **Before you run the next cell:** what happens to $a \cdot b$ when the last number of `b` changes from −1 to −4?

# %%
predict(
    "a · b with b = [5, −4] is",
    {
        7: "That is the old value. The second product changes from −3 to −12.",
        -2: "10 − 12 = −2. The two arrows now point slightly against each other.",
        22: "The minus sign got lost: 3·(−4) is −12, not +12.",
    },
    answer=lambda: a @ np.array([5, -4]),
)

# %%
# answers prediction 1
print("a · [5, -4] =", a @ np.array([5, -4]))

# %% [markdown]
# ### Exercise: `dot_product` · 4 minutes
# Write the dot product with a loop.
# `a` and `b` contain equally many numbers, at least one, which may be whole numbers as above.
# Return one number.
#
# <details><summary>Hint 1</summary>Start with a total of 0, and add one product each time round the loop.</details>
#
# <details><summary>Hint 2</summary><code>for x, y in zip(a, b):</code> gives you one pair at a time.</details>


# %%
def dot_product(a, b):
    # solution
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total
    # end solution


check("dot_product", dot_product)

# %% [markdown]
# <details><summary>About the solution</summary>The total starts outside the loop and is returned after it, so no product is lost.
# <code>sum(x * y for x, y in zip(a, b))</code> is the same loop in one line.</details>
#
# ## From the loop to `@`
#
# **Goal.** Write the same sum without a loop.
#
# NumPy has an operator for this sum: `a @ b` gives the same number up to rounding and is much faster for long lists, so we use it from here on.
# Once the check says *done*, the cell below runs your loop.

# %%
dot_product = keep("dot_product")
for n in (2, 1000, 100_000):
    u, v = np.arange(n) % 7, np.arange(n) % 5  # each (n,)
    print(f"{n:>7} numbers   loop: {dot_product(u, v):.0f}   @: {u @ v}")

# %% [markdown]
# ## What the angle says
#
# **Goal.** See what the dot product says about direction.
#
# A 7 on its own tells us little: do the two arrows point nearly the same way, or are they long?
# The distance from the tail of an arrow to its tip is called its **norm**, or *length*: $\lVert a\rVert = \sqrt{a \cdot a}$.
# (A vector's "length" is its norm; the number of elements is $d$.)
# The dot product mixes direction and length, because it also equals the product of both lengths and the cosine of the angle $\theta$ between the arrows:
#
# $$a \cdot b = \lVert a\rVert\,\lVert b\rVert\cos\theta$$
#
# To see what the angle does, we turn one arrow of length 1 away from another and watch the dot product.

# %%
east = np.array([1.0, 0.0])
print("angle   cos    dot product")
for degrees in (0, 45, 90, 135, 180):
    angle = np.radians(degrees)
    turned = np.array([np.cos(angle), np.sin(angle)])
    print(f"{degrees:>4}°  {np.cos(angle):+.2f}  {east @ turned:+.2f}")

# %%
angles = np.radians([0, 90, 180])
turned = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # (3, 2)
names = [f"{d}°: {round(east @ t)}" for d, t in zip((0, 90, 180), turned)]
arrows(turned, names, title="Dot product with the arrow that points east")
plt.show()

# %% [markdown]
# For two arrows of length 1, the dot product is +1 if they point the same way, 0 at a right angle, and −1 if they point opposite ways.
# In words: **they agree, they have nothing in common, they disagree**.
#
# ### Try it: two arrows in your hand
# Drag an arrow's round tip, or reach it with Tab and press the arrow keys.
# - Turn *b* until the dot product is 0, and read off the angle.
# - Press **180°**, and check the sign.
# - Pull *a* out to (2, 4), twice its length in the same direction.
#   Which numbers change?
#   Is the cosine one of them?

# %%
pad = VectorPad(a=[1, 2], b=[5, -1])
pad

# %% [markdown]
# The cosine stays the same, because it depends only on the directions, while the dot product doubles with the length of *a*.
# Python remembers the arrows as you left them: drag one and run the next cell again.

# %%
print("a =", pad.a.round(2), "  b =", pad.b.round(2), "  a @ b =", (pad.a @ pad.b).round(2))

# %% [markdown]
# ### Exercise: `cosine` · 5 minutes
# The cosine of the angle between two vectors says how similar their directions are, and is called **cosine similarity**.
# Return the cosine of `a` and `b`, which are both `(d,)`, for any `d`.
# Their lengths must not matter.
#
# <details><summary>Hint 1</summary>Solve the formula above for the cosine.</details>
#
# <details><summary>Hint 2</summary>The length of <code>a</code> is the square root of <code>a @ a</code>, or <code>np.linalg.norm(a)</code>.</details>


# %%
def cosine(a, b):
    # solution
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    # end solution


check("cosine", cosine)

# %% [markdown]
# <details><summary>About the solution</summary>The brackets matter: <code>a @ b / na * nb</code> divides by one length and multiplies by the other.
# You can also scale both vectors to length 1 first, <code>(a / na) @ (b / nb)</code>, which saves work when the same vectors are compared many times.</details>
#
# ## What the length does
#
# **Goal.** Tell direction and length apart.
#
# Does a large score mean that two arrows point the same way?
# *A First Look at Self-Attention* says that it does: a large score, which is a dot product, “implies a small angle between the vectors”.
# Put that to the test with one query and two keys.
# One key points the same way as the query; the other is 45 degrees off, but long.
#
# **Before you run the next cell:** which key gets the larger dot product?

# %%
predict(
    "The larger dot product belongs to",
    {
        "the key that points the same way": "Direction is only half the story. Length counts, too.",
        "the long key at 45 degrees": "It wins, 20 to 1: a large score is a sign of a small angle only if the lengths are the same.",
        "neither, they are equal": "The long key's cosine is 0.71 against 1, but its length is 28 against 1.",
    },
    answer="the long key at 45 degrees",
)

# %%
# answers prediction 2
cosine = keep("cosine")
query, same_way, long_key = np.array([0, 1]), np.array([0, 1]), np.array([20, 20])
for name, key in [("same way", same_way), ("long, 45°", long_key)]:
    print(
        f"{name:<10} cos = {cosine(query, key):.2f}   length = {np.linalg.norm(key):5.2f}   dot product = {query @ key}"
    )

# %% [markdown]
# Keep this in mind for lesson [05](05_not_good.ipynb), where two keys compete for the attention of *good*.
#
# ### Exercise: `can_win` · 3 minutes
# In the next cell, a query meets the keys of five words, and *good* wins with the largest dot product.
# Now one key may grow: it keeps its direction and becomes as long as you like, while the others stay the same.
# Decide **which of the other four words can win that way**, and put them into the list `can_win`.
#
# <details><summary>Hint 1</summary>A key that is ten times as long has a dot product ten times as large.
# Ten times what?</details>
#
# <details><summary>Hint 2</summary>The dot product's sign decides, and growing can't change it.</details>

# %%
five_keys = np.array([[0, 2], [3, 0.1], [2, 0], [1, -3], [0, 0]])  # (n_keys, d_k) = (5, 2); the query is (0, 1)
meeting = dict(zip(["good", "not", "movie", "bad", "The"], five_keys))

# solution
can_win = ["not"]
# end solution

check("can_win", can_win)

# %%
for word, key in meeting.items():
    grown = [round(float(query @ (times * key)), 1) for times in (1, 10, 100)]
    picked = "" if can_win is ... or word not in can_win else "   your choice"
    cos = f"{cosine(query, key):+.2f}" if any(key) else "none "  # zeros have no direction
    print(f"{word:<6} cos = {cos}   1, 10, 100 times as long: {grown}{picked}")

# %% [markdown]
# <details><summary>About the solution</summary>The key of <i>not</i> is nearly at a right angle to the query, but it still wins once it is long enough.
# The keys of <i>movie</i> and <i>bad</i> would have to turn first; the key of <i>The</i> is all zeros and cannot grow.</details>
#
# ## A query meets its keys
#
# **Goal.** Score several keys at once for one query.
#
# When two words meet, one is looking and the other is being looked at.
# So each word gets two vectors, which lesson [04](04_queries_keys_values.ipynb) makes from it: its **query** says what the word looks for, and its **key** says what the word offers.
# The dot product of a query and a key is called a **score**: it says how well that key fits that query.
# Here are a query for *good* and keys for three words, all from *A First Look at Self-Attention*.

# %%
q_good = np.array([0.0, 1.0])  # (d_k,)
K = np.array([[0.0, 1.0], [0.5, 0.5], [0.0, 0.0]])  # (n_keys, d_k) = (3, 2)
words = ["good", "not", "The"]
print("one at a time:", [float(dot_product(q_good, k)) for k in K])  # your loop
print("all at once:  ", K @ q_good)  # (n_keys,)

# %% [markdown]
# `K @ q` takes the dot product of every row of `K` with `q`, and attention divides these scores by $\sqrt{d_k}$, where $d_k$ is the number of elements in a key:
#
# $$\underset{\textstyle(n_{keys})}{s} = \frac{1}{\sqrt{d_k}}\;\underset{\textstyle(n_{keys},\;d_k)}{K}\;\underset{\textstyle(d_k)}{q}$$
#
# Lesson [03](03_scaling.ipynb) shows why attention does this.
# The softmax, the subject of the next lesson, turns our scores into shares:

# %%
scores = np.array([dot_product(q_good, k) for k in K]) / np.sqrt(len(q_good))  # (n_keys,), with your loop
print("scores:", scores.round(2), "  K @ q / √d_k:", (K @ q_good / np.sqrt(len(q_good))).round(2))
weights = softmax(scores)  # (n_keys,)
row_bars(weights, words, query="good", highlight=[0])
print("good, not, The:", weights.round(2), "  sum:", weights.sum().round(6))
plt.show()

# %% [markdown]
# ## What we now know
#
# - A dot product multiplies two vectors number by number and adds up the products.
# - Its sign says whether two arrows agree, disagree or have nothing in common; its size depends on direction **and** length, so a key at less than 90° can win by length alone.
# - `K @ q` scores every key for one query.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@vaswani2017]: section 3.2.1 scores queries and keys with the dot product.
# - [@salton1975]: long before attention, texts were turned into vectors, with a small angle between similar texts.
# - [@mikolov2013]: word vectors that are learned from text and compared by their cosine.
#
# ## Next question
#
# Where do the shares 0.46, 0.32 and 0.22 come from, and what can go wrong on the way?
# Go on with [02_softmax](02_softmax.ipynb).
