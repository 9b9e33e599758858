# %% [markdown]
# # 00 · Start here: a review that word counting cannot read
#
# ![](../images/first_look.svg)
#
# All forty models behind this picture answer correctly, but only twenty of them look where the answer stands.
# This course asks why, and it begins with a review.
#
# *The movie was not good, but the soundtrack was amazing.*
# When you came to *good* you turned it round, because you still had *not* in mind.
# A model has to do the same, and the first one that you build cannot.
#
# **You will build** a word counter, and a review of your own that fools the classifier trained on its counts.
#
# **You will be able to**
# - work with this course: run cells, predict, solve exercises, read a check,
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
# Click into the grey cell below and press **Shift + Enter**: its code runs, what it prints appears under it, and the next cell is chosen.
# Go on like this from top to bottom, because a cell uses what the cells above it have made.

# %%
from course_utils.sentences import LITTLE_REVIEWS, REVIEW

twin = "The movie was good , but the soundtrack was not amazing ."
print("review:", *REVIEW)
print("twin:  ", twin)
print("the same words:", sorted(REVIEW) == sorted(twin.split()))

# %% [markdown]
# ![](../images/parts_00.svg)
#
# Both lines have the same words, and yet the first blames the movie and the second praises it.
# Such a pair is called **twins**.
# What does a model that only counts words make of them?
#
# ## Does it look?
#
# **Goal.** See what this course is after, before you learn how it works.
#
# In a model, the part that brings *not* and *good* together is called **attention**.
# Think of it as a budget.
# Each token (a word, a piece of a word or a punctuation mark, stored as a list of numbers) has exactly 1 to spend on the tokens of its sentence, and the share that it gives to one of them is a **weight**.
# *good* might spend 0.6 on *not* and next to nothing on the comma; it then takes in a blend of what those tokens hold, in these proportions.
# We say that *good* **looks at** *not*.
# Nobody writes the weights down: the model computes them from the sentence, by a rule that it learned from examples.
#
# Does it look at the right place?
# So we strip the review down to one question.
# A sentence is now six random numbers, and a model has to say whether *the token at position 4 is a 42*.
# A start mark stands in front, at position 0.
# It does the looking, so its budget is shared among seven positions.
# Position 4, counted from 0, is where *good* stands in the review, and it will count again in lessons 09, 12 and 13.
#
# In the next cell twenty small models learn this question at once; an **epoch** is one round through the sentences that they learn from.
# We say that a model looks if its start mark gives position 4 at least 0.99 of its weight, on average over sentences that the model has not seen.
# Run the cell and watch the large number, then go on with the blue button: each of the four scenes says what it changes in the training.

# %%
from course_utils.explorables import LookPlayground

LookPlayground("usual", running=True, reduced=True)

# %% [markdown]
# So a model can be right nearly every time and not look, and the training decides how many do.
# By the end of lesson [13](13_making_it_look.ipynb) you will have built and trained one that looks, with a reward of your own.
#
# ## Is your toolbox complete?
#
# **Goal.** Know that everything works before you need it.
#
# If a line below does not say *ready*, it says what to do.

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
# Your choice is kept, and the result that answers it stays covered until you choose.

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
# **Goal.** Know where the answers come.
#
# How does *good* find *not*?
# Lesson [05](05_not_good.ipynb) gives a first answer, in vectors made by hand and in a model trained on real text, and lesson [15](15_learning_not_good.ipynb) says whether a verdict *depends* on that look: there you cut it, by one click and by one line of yours.
# The **short way** leads there: 00, 01, 02, 04, 05, 12, 13, and the first section of 15 as its finale.
#
# On the map each card is a lesson, with what you hold at its end, and the frame says where to go on.

# %%
course_map()

# %% [markdown]
# ## The review
#
# **Goal.** Let a check answer you.
#
# ### Exercise: `first_check` · 2 minutes
# `REVIEW` is the list of tokens that you printed above.
# How many tokens does the review have?
# Put the number into `n_tokens`.
#
# Run the cell once with the wrong number 10, which counts the words only, and read what the check says.
# Then put it right.
#
# <details><summary>Hint 1</summary>The comma and the full stop are tokens too.</details>
#
# <details><summary>Hint 2</summary>Python counts for you: <code>len(...)</code>.</details>

# %%
# solution
n_tokens = len(REVIEW)
# end solution

check("first_check", n_tokens)

# %% [markdown]
# <details><summary>About the solution</summary><code>len</code> counts what is there, so the line stays right when the review gets longer or shorter; a typed 12 does not.</details>
#
# **Do you work with an assistant?**
# In a study of nearly a thousand pupils ([@bastani2025]), an assistant that answers whatever it is asked made practice in mathematics 48 % better, but the exam without it 17 % worse, compared with pupils who had no assistant.
# One that only hinted helped more in practice and cost hardly anything in the exam.
# So let yours ask you questions, and write the code yourself.
# After two wrong tries a check offers you a message for your assistant: the exercise, your code, the verdict, and the request to ask you one question and give no solution.
#
# ## Count words
#
# **Goal.** Turn a sentence into numbers.
#
# Before a machine can judge a review, the review has to become numbers, and a simple tally will do for a start.
# Take a fixed list of words, the vocabulary, and count how often each of them occurs: *not good* leaves one stroke at *not* and one at *good*, and which came first is forgotten.
# This is called a **bag of words**: shake the bag as you like, and the counts stay the same.
# Here are some little reviews with their labels: 1 if the review speaks for the movie, 0 if it speaks against it.

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
# A check calls your function with inputs of its own: whole numbers and fractions, short inputs and long ones.
#
# <details><summary>Hint 1</summary>For one word: how often is it in the list?
# Then do that for each word of the vocabulary.</details>
#
# <details><summary>Hint 2</summary>A list counts for you: <code>tokens.count(word)</code>.</details>


# %%
def bag_of_words(tokens, vocabulary):
    # solution
    return np.array([tokens.count(word) for word in vocabulary])  # (n_words,)
    # end solution


check("bag_of_words", bag_of_words)

# %% [markdown]
# <details><summary>About the solution</summary>The loop runs over the vocabulary, so every word of it gets a number, also a 0.
# A <code>Counter(tokens)</code> goes through the tokens only once, which pays for long texts: then <code>[counted[word] for word in vocabulary]</code>.</details>
#
# ## Train a classifier
#
# **Goal.** Learn from the little reviews which words speak for a movie.
#
# How does a tally become a verdict?
# Each word gets a vote, a number above 0 for praise and below 0 for blame; the classifier adds up the votes of a whole review and turns the sum into a probability:
#
# $$\underset{\textstyle(n_{reviews})}{p} = \frac{1}{1 + e^{-Xw}} \qquad\text{from}\qquad \underset{\textstyle(n_{reviews},\;n_{words})}{X}\;\;\text{and}\;\;\underset{\textstyle(n_{words})}{w}$$
#
# `X` holds the counts of each review, `w` the vote of each word, and `p` the probability that each review speaks for the movie.
# Nobody sets the votes: training moves them step by step, so that the probabilities come to fit the labels.
# In lesson [09](09_learning_where.ipynb) you write such a step yourself.
#
# From here on your own function does the counting: `keep` hands it over once its check says *done*, and until then you get the course's.
# It also writes yours into **`my_attention.py`**, a file beside this notebook that grows into your own module, and later lessons import from it.

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
# It has seen the answers, and still it gets these wrong.
# Which word in each of them turns another word round?

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
# Did you see the vote of *bad*?
# It is near 0, because one review says *not bad*, and a word has only one vote for all the sentences it occurs in.
#
# **Before you run it:** the review says that the movie was *not good*.
# What will the classifier say?

# %%
predict(
    "Its probability that the review speaks for the movie is",
    {
        "below 0.3: bad": "Here “not” does not turn “good” around. Each word adds its own number, whatever stands beside it, and “not” adds too little.",
        "about 0.5: it cannot decide": "For that “not” would have to weigh as much as “good” and “amazing” together.",
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
# It calls the review good: *good* and *amazing* outvote *not*.
# *A First Look at Self-Attention* expects this: such a classifier “will see both good and amazing (positive) and probably predict a positive sentiment”.
#
# </details>
#
# The example comes from *A First Look at Self-Attention*, one of the five texts that this course follows.
#
# ### Exercise: `fool_the_counter` · 4 minutes
# Write a review that is **bad** for the movie and that the classifier calls **good**, and put it into `my_review`, a text of your own.
# It must hold *not* in front of a word of praise, as in *not good*.
# Use the words of the vocabulary, with a blank before each comma and full stop.
# Choose the words around it so that the sum comes out as praise.
#
# The check cannot read either: it asks the trained classifier, and sees where *not* stands.
#
# <details><summary>Hint 1</summary>The picture above shows how much some words count.
# Which ones outweigh <i>not</i>?</details>
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
# <details><summary>About the solution</summary>One strong word of praise about something else outweighs <i>not</i>, wherever <i>not</i> stands.</details>
#
# Would more training reviews help?
# Let it read the twin, which says the opposite about the movie.


# %%
def answers_to_random_orders(n=1000):
    rng = np.random.default_rng(0)
    return {float(probability_good(" ".join(rng.permutation(REVIEW)))) for _ in range(n)}


# %%
print(f"review: {probability_good(review):.4f}   {review}")
print(f"twin:   {probability_good(twin):.4f}   {twin}")

# %%
predict(
    "We shuffle the words of the review, 1,000 times. How many different answers does the classifier give?",
    {
        "one": "The counts do not change when words change places, and the answer is made from the counts alone.",
        "two": "That would be one answer for each meaning. But the counts of both meanings are the same.",
        "hundreds": "The orders differ. The counts do not.",
    },
    answer=lambda: "one" if len(answers_to_random_orders()) == 1 else "hundreds",
)

# %%
# answers prediction 3
print("different answers over 1,000 orders:", len(answers_to_random_orders()))

# %% [markdown]
# <details><summary>What came out</summary>
#
# No training can help, because a bag of words has lost the order, and no classifier can learn what its input does not hold.
#
# </details>
#
# To read *not good*, a model has to find out which word *not* belongs to, and attention can do this, by letting one word **look at** another.
#
# That is the question of this course: **how does a word look at other words, how does it learn where to look, and how do we know that it does?**
#
# ## What we now know
#
# - What you solve goes on working, since later lessons call it; on a borrowed machine, `take_away()` from `course_utils.checks` packs it for you.
# - A bag of words keeps counts and forgets order, so a classifier that reads one gives every reordering of a sentence the same score.
#   It cannot tell the review from its twin.
# - A model can be right without looking at the right place.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@pang2002]: classifiers that read real movie reviews as bags of features, such as the words that occur, with a mark on those that follow a *not*.
# - [@salton1975]: texts as lists of numbers, one number for each term.
# - [@vaswani2017]: the paper that introduced the Transformer, a model built from attention.
# - [@alammar2018]: the same model in pictures.
#
# ## Next question
#
# If *good* is to find *not* among all the other words, it needs a number that says how well two words fit together.
# What does "look at" mean in numbers?
# Go on with [01_dot_products](01_dot_products.ipynb).
