# %% [markdown]
# # 00 · Start here: a review that word counting cannot read
#
# ![](../images/first_look.svg)
#
# All forty models behind this picture are right nearly every time, but only twenty of them look where the answer is.
# This course asks why, and it begins with a review.
#
# *The movie was not good, but the soundtrack was amazing.*
# When you came to *good*, you flipped its meaning, because you still had *not* in mind.
# A model has to do the same, but the first one you build can't.
#
# **You will build** a word counter, and write a review that fools the classifier trained on its counts.
#
# **You will be able to**
# - use this course: run cells, make predictions, solve exercises and read what a check says,
# - turn a sentence into word counts, and train a classifier on them,
# - say exactly what such a classifier cannot know.
#
# **You need** some Python.
# **Time:** {minutes} minutes.

# %% [markdown]
# ## Run a cell
#
# **Goal.** Run your first cell, and meet the review and its twin.
#
# Click into the grey cell below and press **Shift + Enter**: its code runs, the output appears below, and the next cell is selected.
# Keep going like this, from top to bottom, because each cell uses results from the cells above it.

# %%
from course_utils.sentences import LITTLE_REVIEWS, REVIEW

twin = "The movie was good , but the soundtrack was not amazing ."
print("review:", *REVIEW)
print("twin:  ", twin)
print("the same words:", sorted(REVIEW) == sorted(twin.split()))

# %% [markdown]
# ![](../images/parts_00.svg)
#
# Both lines contain the same words, yet the first criticises the movie and the second praises it.
# Two sentences like these are called **twins**.
# What does a model that only counts words make of them?
#
# ## Does it look?
#
# **Goal.** See what this course is after, before you learn how attention works.
#
# In a model, the part that brings *not* and *good* together is called **attention**.
# Think of it as a budget.
# Each token (a word, a piece of a word or a punctuation mark, stored as a list of numbers) has exactly 1 to spend on the tokens of its sentence, and the share that each of them gets is a **weight**.
# *good* might spend 0.6 on *not* and next to nothing on the comma; it then takes in a blend of what those tokens hold, in those proportions.
# We say that *good* **looks at** *not*.
# Nobody sets the weights by hand: the model computes them from the sentence, by a rule that it learned from examples.
#
# Does a model look in the right place?
# To find out, we strip the review down to one question: each sentence is now six random numbers, and a model has to say whether *the token at position 4 is a 42*.
# A start mark sits in front, at position 0, and does the looking: it spends its budget on all seven positions.
# In the review, *good* is at position 4, counting from 0, and this position comes back in lessons 09, 12 and 13.
#
# In the next cell, twenty small models learn to answer this question; an **epoch** is one pass through their training sentences.
# We say that a model looks if its start mark gives position 4 at least 0.99 of its weight, on average over unseen sentences.
# Run the cell and watch the large number, then press the blue button to go on; a line tells you what each of the four scenes is about.

# %%
from course_utils.explorables import LookPlayground

LookPlayground("usual", running=True, reduced=True)

# %% [markdown]
# So a model can be right nearly every time without looking, and the training decides how many models look.
# By the end of lesson [13](13_making_it_look.ipynb) you will have built and trained a model that looks, with a reward of your own.
#
# ## Is your toolbox complete?
#
# **Goal.** Make sure that everything works before you need it.
#
# If a line below does not say *ready*, it tells you what to do.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, course_map, keep, predict, progress, recap
from course_utils.computer.toolbox import toolbox
from course_utils.pictures.plots import row_bars

# %%
print("\n".join(toolbox()))

# %% [markdown]
# The next cell is a **prediction**: you commit to an answer before you see the result.
# Click on a card, or use the arrow keys and Enter.
# Your choice is saved, and the result stays covered until you choose.

# %%
predict(
    "Can you see cards to choose from?",
    {
        "yes": True,
        "no": "Then widgets do not work yet. Run the cell again; if that does not help, see “When something fails” in the README.",
    },
)

# %% [markdown]
# ## Your way through the course
#
# **Goal.** See which lessons lead to the answers.
#
# How does *good* find *not*?
# Lesson [05](05_not_good.ipynb) gives a first answer, with vectors made by hand and with a model trained on real text; in lesson [15](15_learning_not_good.ipynb) you stop *good* from looking at *not*, by hand and with a line of code, to see whether a verdict *depends* on that look.
# The **short way** leads there: 00, 01, 02, 04, 05, 12, 13, and the first section of 15 as its finale.
#
# On the map, each card is a lesson and says what you will have by its end; the frame marks where to continue.

# %%
course_map()

# %% [markdown]
# ## The review
#
# **Goal.** Let a check judge your first answer.
#
# ### Exercise: `first_check` · 2 minutes
# `REVIEW` contains the tokens that you printed above.
# How many tokens does the review have?
# Put the number into `n_tokens`.
#
# Run the cell once with the wrong number 10, which counts only the words, and read what the check says.
# Then correct the number.
#
# <details><summary>Hint 1</summary>The comma and the full stop are tokens too.</details>
#
# <details><summary>Hint 2</summary>Python can count for you: <code>len(...)</code>.</details>

# %%
# solution
n_tokens = len(REVIEW)
# end solution

check("first_check", n_tokens)

# %% [markdown]
# <details><summary>About the solution</summary><code>len</code> counts whatever is there, so the line stays right when the review gets longer or shorter; a 12 typed by hand doesn't.</details>
#
# **Do you work with an assistant?**
# In a study of nearly a thousand pupils ([@bastani2025]), those whose assistant answered every question did 48 % better in mathematics practice than pupils without one, but 17 % worse in the exam, where nobody had one.
# An assistant that only gave hints helped even more in practice and did hardly any harm in the exam.
# So let your assistant ask you questions, and write the code yourself.
# After two wrong tries, a check offers you a message for your assistant: it contains the exercise, your code, the verdict, and a request for one question instead of the solution.
#
# ## Count words
#
# **Goal.** Turn a sentence into numbers.
#
# Before a machine can judge a review, the review has to become numbers, and a simple tally will do for a start.
# Take a fixed list of words, the vocabulary, and count how often each word occurs: *not good* leaves one stroke for *not* and one for *good*, but no trace of which came first.
# This is called a **bag of words**: shake the bag as you like, and the counts stay the same.
# Here are some little reviews with their labels: 1 if the review praises the movie, 0 if it criticises the movie.

# %%
for sentence, label in LITTLE_REVIEWS[:4]:
    print(label, " ", sentence)
print("... and", len(LITTLE_REVIEWS) - 4, "more")

# %%
vocabulary = sorted({word for sentence, _ in LITTLE_REVIEWS for word in sentence.split()})
print(len(vocabulary), "words and signs:", " ".join(vocabulary))

# %% [markdown]
# ### Exercise: `bag_of_words` · 5 minutes
# Return the counts of the words of `tokens`, in the order of `vocabulary`: one number for each word of the vocabulary.
# Both are lists of words.
# Ignore words that are not in the vocabulary.
# Capital letters count: *Good* is not *good*.
#
# A check calls your function with inputs of its own: short ones and long ones and, where it takes numbers, whole numbers and fractions.
#
# <details><summary>Hint 1</summary>For one word: how often does it occur in the list?
# Then do that for each word of the vocabulary.</details>
#
# <details><summary>Hint 2</summary>A list can count for you: <code>tokens.count(word)</code>.</details>


# %%
def bag_of_words(tokens, vocabulary):
    # solution
    return np.array([tokens.count(word) for word in vocabulary])  # (n_words,)
    # end solution


check("bag_of_words", bag_of_words)

# %% [markdown]
# <details><summary>About the solution</summary>The loop runs over the vocabulary, so every word in it gets a number, even if it is 0.
# For long texts, a <code>Counter(tokens)</code> named <code>counted</code> is faster: <code>[counted[word] for word in vocabulary]</code>.</details>
#
# ## Train a classifier
#
# **Goal.** Let a classifier learn which words praise a movie.
#
# How does a tally become a verdict?
# Each word gets a vote, a number above 0 for praise and below 0 for criticism; the classifier adds up the votes of a whole review and turns the sum into a probability:
#
# $$\underset{\textstyle(n_{reviews})}{p} = \frac{1}{1 + e^{-Xw}} \qquad\text{from}\qquad \underset{\textstyle(n_{reviews},\;n_{words})}{X}\;\;\text{and}\;\;\underset{\textstyle(n_{words})}{w}$$
#
# `X` contains the counts of each review, `w` the vote of each word, and `p` the probability that each review praises the movie.
# Nobody sets the votes by hand: training changes them step by step, to bring the probabilities closer to the labels.
# In lesson [09](09_learning_where.ipynb) you will write such a step yourself.
#
# From here on your own function does the counting: `keep` hands it over once its check says *done*, and until then you get the course's function.
# `keep` also saves your function in **`my_attention.py`**, a file beside this notebook that grows into your own module, and later lessons import from it.

# %%
bag_of_words = keep("bag_of_words")


def counts(text):
    return np.array(bag_of_words(text.lower().split(), vocabulary), dtype=float)  # (n_words,)


X = np.array([counts(sentence) for sentence, _ in LITTLE_REVIEWS])  # (n_reviews, n_words)
labels = np.array([label for _, label in LITTLE_REVIEWS])  # (n_reviews,)
print("X:", X.shape, "  good reviews:", labels.sum(), "of", len(labels))

# %%
word_weights = np.zeros(len(vocabulary))  # (n_words,)
for _ in range(500):
    probability = 1 / (1 + np.exp(-X @ word_weights))  # (n_reviews,)
    word_weights = word_weights + 0.5 * X.T @ (labels - probability) / len(labels)
right = (probability > 0.5) == labels  # (n_reviews,)
print("right on the reviews it learned from:", right.sum(), "of", len(labels))

# %%
print("wrong on:", *(sentence for (sentence, _), ok in zip(LITTLE_REVIEWS, right) if not ok), sep="\n  ")

# %% [markdown]
# The classifier has seen the right answers, and still gets these reviews wrong.
# Which word in each review turns another word around?

# %%
shown = ["amazing", "good", "funny", "not", "was", "bad", "awful"]
values = [word_weights[vocabulary.index(word)] for word in shown]
ax = row_bars(values, shown, title="What the classifier learned about words", xlabel="speaks against / for the movie")
ax.set_ylabel("word")
print("amazing and good speak for a movie:", values[0] > 0 and values[1] > 0)
plt.show()

# %% [markdown]
# ## Read the review
#
# **Goal.** See what counting makes of *not good*.
#
# Did you notice the vote of *bad*?
# It is near 0, because one review says *not bad*, and a word has only one vote for all the reviews.
#
# **Before you run the next cell:** the review says that the movie was *not good*.
# What will the classifier say?

# %%
predict(
    "Its probability that the review speaks for the movie is",
    {
        "below 0.3: bad": "Here “not” doesn't turn “good” around. Each word adds its own vote, whatever its neighbours are, and the vote of “not” is too weak.",
        "about 0.5: it cannot decide": "For that, the vote of “not” would have to cancel all the other votes.",
        "above 0.7: good": True,
    },
)


# %%
# answers prediction 2
def probability_good(text):
    return 1 / (1 + np.exp(-counts(text) @ word_weights))


review = " ".join(REVIEW)
print("called good:", bool(probability_good(review) > 0.5), f"  probability {probability_good(review):.2f}")

# %% [markdown]
# <details><summary>What came out</summary>
#
# The classifier calls the review good: *good* and *amazing* outvote *not*.
# *A First Look at Self-Attention* expects this: such a classifier “will see both good and amazing (positive) and probably predict a positive sentiment”.
#
# </details>
#
# The example comes from *A First Look at Self-Attention*, one of the five texts that this course follows.
#
# ### Exercise: `fool_the_counter` · 4 minutes
# Write a review of your own that says the movie is **bad** but the classifier calls **good**, and put it into `my_review`.
# It must contain *not* in front of a word of praise, as in *not good*.
# Use words from the vocabulary, with a space before each comma and full stop.
# Choose the other words so that the votes add up to praise.
#
# The check can't read either: it asks the trained classifier and looks at the words after *not*.
#
# <details><summary>Hint 1</summary>The picture above shows how much some words count.
# Which words outweigh <i>not</i>?</details>
#
# <details><summary>Hint 2</summary>Praise something else: the acting, the plot, the soundtrack.</details>

# %%
# solution
my_review = "it was not a clever movie , but the acting was amazing"
# end solution

check("fool_the_counter", my_review)

# %%
tried = "" if my_review is ... else str(my_review).lower()
for word in dict.fromkeys(tried.split()):
    if word in vocabulary:
        print(f"{word:<12} {word_weights[vocabulary.index(word)]:+.1f}")
print(f"probability of good: {probability_good(tried):.2f}   {tried or 'no review yet'}")

# %% [markdown]
# <details><summary>About the solution</summary>One strong word of praise about something else outweighs <i>not</i>, wherever <i>not</i> appears.</details>
#
# Would more training reviews help?
# Let the classifier read the twin, which says the opposite about the movie.


# %%
def answers_to_random_orders(n=1000):
    rng = np.random.default_rng(0)
    return {float(probability_good(" ".join(rng.permutation(REVIEW)))) for _ in range(n)}


# %%
# answers prediction 2
print(f"review: {probability_good(review):.4f}   {review}")
print(f"twin:   {probability_good(twin):.4f}   {twin}")

# %%
predict(
    "We shuffle the words of the review, 1,000 times. How many different answers does the classifier give?",
    {
        "one": "The counts don't change when words change places, and the answer depends on nothing else.",
        "two": "That would be one answer for each meaning. But both meanings have the same counts.",
        "hundreds": "The orders differ, but the counts don't.",
    },
    answer=lambda: "one" if len(answers_to_random_orders()) == 1 else "hundreds",
)

# %%
# answers prediction 3
print("different answers over 1,000 orders:", len(answers_to_random_orders()))

# %% [markdown]
# <details><summary>What came out</summary>
#
# No training can help, because a bag of words has lost the order, and no classifier can learn what its input doesn't contain.
#
# </details>
#
# To read *not good*, a model has to find out which word *not* belongs to, and attention makes this possible by letting one word **look at** another.
#
# So this course asks: **how does a word look at other words, how does it learn where to look, and how do we know that it does?**
#
# ## What we now know
#
# - Your solutions stay in use, because later lessons call them; on a borrowed machine, `take_away()` from `course_utils.checks` packs them for you.
# - A bag of words keeps the counts and forgets the order, so a classifier that reads it gives every reordering of a sentence the same score.
#   It cannot tell the review from its twin.
# - A model can be right and still not look where the answer is.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@pang2002]: classifiers that read real movie reviews as bags of features, such as words, with a mark on words that follow a *not*.
# - [@salton1975]: texts as lists of numbers, one number for each term.
# - [@vaswani2017]: the paper that introduced the Transformer, a model built from attention.
# - [@alammar2018]: the same model in pictures.
#
# ## Next question
#
# If *good* is to find *not* among all the other words, it needs a number that says how well two words fit together.
# What does "look at" mean in numbers?
# Go on with [01_dot_products](01_dot_products.ipynb).
