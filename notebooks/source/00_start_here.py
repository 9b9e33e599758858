# %% [markdown]
# # 00 · Start here: a review that word counting cannot read
#
# **You will build** a small classifier that reads reviews by counting words.
# Then you break it with one sentence.
#
# **You will be able to**
# - work with this course: run cells, predict, solve exercises, read a check,
# - turn a sentence into word counts, and train a classifier on them,
# - say exactly what such a classifier cannot know.
#
# **You need** some Python.
# **Time:** {minutes} minutes.

# %% [markdown]
# ## Does it look?
#
# A model with attention reads a sentence as a row of tokens: words, parts of words and signs, each turned into a list of numbers.
# To understand *not good*, it has to bring *not* and *good* together.
# **Attention** does that: it lets each token take something from the others.
# Each token gives every token a weight, and all its weights sum to 1.
# Then it takes in a mixture of all of them, each by its weight.
# Nobody sets these weights; they follow from the sentence, and from what the model has learned.
#
# Below, twenty small models learn one question: *is the token at position 4 the number 42?*
# Soon they answer nearly every sentence right.
# But do they look at position 4?
# Click through the four scenes, and watch the last number.
# By the end of lesson [13](13_making_it_look.ipynb) you will have built and trained such a model yourself.

# %%
from course_utils.checks import course_map
from course_utils.explorables import LookPlayground

LookPlayground("usual", running=True)

# %% [markdown]
# ## Your way through the course
#
# Each card is a lesson, with what you hold at its end.
# The frame says where to go on.

# %%
course_map()

# %% [markdown]
# ## Is your toolbox complete?
#
# **Goal.** Know that everything works before you need it.
#
# A notebook is made of cells.
# Click on a cell and press **Shift + Enter** to run it.
# Go from top to bottom.
# If a line below does not say *ready*, it says what to do.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, predict, progress, recap
from course_utils.computer.toolbox import toolbox
from course_utils.pictures.plots import row_bars
from course_utils.sentences import LITTLE_REVIEWS, REVIEW

# %%
print("\n".join(toolbox()))

# %% [markdown]
# The next cell is a **prediction**.
# You commit to an answer before you see the result.
# [@kornell2009] found that people remember an answer better when they guess before they read it, even when the guess is wrong.
# Use the mouse, or **Shift + Tab** to go back from the next cell to the cards, then the arrow keys and Enter.
# After that, **Shift + Enter** runs on.
# Your choice is kept, and the result that answers a prediction stays covered until you choose.

# %%
predict(
    "Can you see cards to choose from?",
    {
        "yes": True,
        "no": "Then widgets do not work yet. Run the cell again; if that does not help, see “When something fails” in the README.",
    },
)

# %% [markdown]
# ## The review
#
# **Goal.** Meet the sentence of this course, and let a check answer you.
#
# *The movie was not good, but the soundtrack was amazing.*
# Here are its tokens.

# %%
print(REVIEW)

# %% [markdown]
# ### Exercise: `first_check` · 2 minutes
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
# <details><summary>About the solution</summary><code>len</code> counts what is there, so the line stays right when the review gets longer or shorter; a typed 12 does not.
# A loop with <code>n_tokens += 1</code> also works; <code>len</code> saves you writing it.</details>
#
# ## Count words
#
# **Goal.** Turn a sentence into numbers.
#
# Take a fixed list of words, the vocabulary, and count how often each of them occurs in the sentence.
# The counts are kept, and the order is forgotten.
# This is called a **bag of words**.
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
# A check calls your function with inputs of its own.
# In this course they may hold whole numbers and fractions, few numbers or many.
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
# The classifier gives each word a number, adds up the numbers of all words in a review, and turns the sum into a probability:
#
# $$\underset{\textstyle(n_{reviews})}{p} = \frac{1}{1 + e^{-Xw}} \qquad\text{from}\qquad \underset{\textstyle(n_{reviews},\;n_{words})}{X}\;\;\text{and}\;\;\underset{\textstyle(n_{words})}{w}$$
#
# `X` holds the counts of each review, `w` the number of each word, and `p` the probability that each review speaks for the movie.
# Training moves the numbers, step by step, so that the probabilities fit the labels.
# You need not follow each line; in lesson [09](09_learning_where.ipynb) you write such a step yourself.
#
# The counting is yours.
# `keep` hands over your function when its check says *done*, and until then the course's.
# It also writes yours into **`my_attention.py`**, a file beside this notebook that grows into your own module.
# Later lessons import from it.

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
# Look at the ones that it gets wrong, although it has seen the answers.
# Which word in each of them turns another word around?

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
# Did you see the number of *bad*?
# It is near 0, because one review says *not bad*.
# Each word has one number for all sentences.
#
# **Before you run it:** the review says that the movie was *not good*.
# What does the classifier say?

# %%
predict(
    "The classifier calls the review",
    {
        "good": True,
        "bad": "Here “not” does not turn “good” around. Each word adds its own number, whatever stands beside it, and “not” adds too little.",
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
# *A First Look at Self-Attention* has this example, too.
# The course follows this text and four others; the file `docs/CLAIMS.md`, says which, and what was measured.
#
# ### Exercise: `fool_the_counter` · 4 minutes
# Now fool it yourself.
# Write a review that is **bad** for the movie, and that the classifier calls **good**.
# Put it into `my_review`, a text of your own.
# It must hold *not* in front of a word of praise, as in *not good*.
# Use the words of the vocabulary, with a blank before each comma and full stop.
# Choose the words around it so that the sum comes out as praise.
#
# The check cannot read either.
# It asks the trained classifier, and looks where *not* stands.
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
# <details><summary>About the solution</summary>One strong word of praise about something else outweighs <i>not</i>, wherever <i>not</i> stands.
# Writing <i>amazing</i> three times works as well, because nothing limits a count.</details>
#
# Could more training reviews help?
# Look at the twin of our review.
# It has the same words in another order, and says the opposite about the movie.


# %%
def answers_to_random_orders(n=1000):
    rng = np.random.default_rng(0)
    return {float(probability_good(" ".join(rng.permutation(REVIEW)))) for _ in range(n)}


# %%
twin = "The movie was good , but the soundtrack was not amazing ."
print(f"review: {probability_good(review):.4f}   {review}")
print(f"twin:   {probability_good(twin):.4f}   {twin}")

# %%
predict(
    "In how many ways can the classifier answer, over 1,000 random orders of the review?",
    {
        1: "The counts do not change when words change places, and the answer is made from the counts alone.",
        2: "That would be one answer for each meaning. But the counts of both meanings are the same.",
        1000: "The orders differ. The counts do not.",
    },
    answer=lambda: len(answers_to_random_orders()),
)

# %%
# answers prediction 3
print("different answers over 1,000 orders:", len(answers_to_random_orders()))

# %% [markdown]
# No training can help.
# A bag of words has lost the order, and no classifier can learn what its input does not hold.
# To read *not good*, a model has to find out which word *not* belongs to.
# Attention can do this, by letting one word **look at** another.
#
# That is the question of this course: **how does a word look at other words, how does it learn where to look, and how do we know that it does?**
# *Part 6: The Eyes of the Model - Self-Attention* names what is built on such looks: translation, summaries, chat, image captions, protein folding, programs, music.
#
# ## What we now know
#
# - You run cells, you predict, and checks answer in words.
# - What you solve goes on working: later cells and later lessons call it.
#   On a borrowed machine, `take_away()` from `course_utils.checks` packs all your work for you to download.
# - A bag of words keeps counts and forgets order.
# - So a classifier that reads such a bag gives every reordering of a sentence the same score.
#   It cannot tell the review from its twin.

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
# What does "look at" mean in numbers?
# It begins with one number for how well two things fit: [01_dot_products](01_dot_products.ipynb).
