# %% [markdown]
# # 21 · Your question: a claim, five seeds, an intervention and a control
#
# ![](../images/parts_21.svg)
#
# **You will build** a small study of your own, from a question to three sentences that you can defend.
#
# **You will be able to**
# - turn a guess about attention into a claim that can fail,
# - test it on five seeds, with an intervention and a control,
# - write down what you measured, and no more.
#
# **You need** lessons [12](12_cls_classifier.ipynb), [13](13_making_it_look.ipynb) and [14](14_reading_attention.ipynb), because this lesson uses what you wrote there.
# **Time:** {minutes} minutes.

# %%
import matplotlib.pyplot as plt
import numpy as np

from course_utils.checks import check, keep, look_back, mine, predict, progress, recap
from course_utils.models import cls_model
from course_utils.models.cls_model import keras  # Keras, told to be quiet
from course_utils.models.cls_reader import answer_with, cls_row
from course_utils.models.own_study import SEEDS, file_claim, load_examples, without_known
from course_utils.pictures.live_training import only_live
from course_utils.pictures.plots import heatmap
from course_utils.tasks.cls_task import best_counter, make_task

# %%
look_back("21")

# %%
build_model, look_reward, patience = mine("build_model", "look_reward", "patience")
hide, balanced_accuracy, effect_and_control = mine("hide", "balanced_accuracy", "effect_and_control")

# %% [markdown]
# ## Two finished studies
#
# **Goal.** See two studies from end to end, before you begin your own.
#
# So far we have asked the questions; now it is your turn.
# First look at two finished studies; for each we trained the model of lesson 12 on five seeds.
# They are worked examples, not discoveries, because we had already trained one model on each question when we fixed its claim and trained these five seeds.
# Your study will be better in this respect, because you file your claim first.
#
# - **A.** *Is the token at position 3 above 25?*
#   Claim: `[CLS]` gives position 3 at least 0.5 of its weight, on 4 of 5 seeds.
# - **B.** *Is there a 42 at position 2 and at position 5?*
#   The sentences had decoys, and the loss included lesson 13's reward for looking at one position.
#   Claim: positions 2 and 5 get at least 0.3 **each**, on 4 of 5 seeds, because the answer needs both.

# %%
predict(
    "The claim of B holds on",
    {
        "all five seeds": "The answer needs both positions. But needing a position and giving it much weight are two different things.",
        "some of the seeds": "If both positions get at least 0.3, neither can get more than 0.7. A reward for one position works against that, whatever the seed.",
        "none of the seeds": True,
    },
)

# %%
# answers prediction 1
claims = {"A": ((3,), 0.5), "B": ((2, 5), 0.3)}
print("study  seed  accuracy  look        holds  hidden  control")
for row in load_examples():
    claimed, least = claims[row["example"]]
    seen = [row[f"look_{place}"] for place in claimed]
    words = " ".join(f"{weight:.2f}" for weight in seen), "yes" if min(seen) >= least else "no"
    print(f"{row['example']:<5} {row['seed']:5} {row['accuracy']:9.2f}  {words[0]:<11} {words[1]:<5}", end="")
    print(f"{row['hidden']:8.2f} {row['control']:8.2f}")

# %% [markdown]
# *look* is the mean weight on each claimed position, and *holds* says whether the claim holds on this seed.
# The last two columns are balanced accuracies: *hidden* with the claimed positions hidden, *control* with as many other positions hidden.
#
# <details><summary>What came out</summary>
#
# **A's claim held**, and here are the three sentences:
#
# > We claimed at least 0.5 of the weight for position 3, on 4 of 5 seeds, after seeing one earlier training.
# > The claim held on 5 of 5 seeds, with weights of 0.78 or more; hiding position 3 left a balanced accuracy of 0.50, and hiding the control changed nothing.
# > We did not test numbers other than 25, and the control had little weight: 0.07 at most.
#
# **B's claim failed, and B is the more useful study**: the claim could fail, and we learned something when it did.
# Three models answer all the sentences correctly, although one of the two positions they need gets more than 0.9 of the weight.
# We did not leave out the two seeds with low accuracy.
# Here are B's three sentences:
#
# > We claimed at least 0.3 of the weight for each of positions 2 and 5, on 4 of 5 seeds, after seeing one earlier training.
# > The claim held on 0 of 5 seeds: one position got more than 0.9 each time; hiding both left a balanced accuracy of 0.50, and hiding the control changed nothing.
# > We did not test whether the reward is the reason; that would take the same five seeds, trained without it.
#
# </details>
#
# ## Ask
#
# **Goal.** Choose a question about the six words of a sentence.
#
# ### Exercise: `my_question` · 5 minutes
# **Decide** what you want to ask, and write it as a function.
# `tokens` is `(n, 7)`, whole numbers: `[CLS]` = 0 at position 0, then six words from 1 to 50.
# Return `n` answers, each yes or no; the first line of the docstring is your question in words.
# Judge each sentence on its own, and make sure that positions matter.
#
# <details><summary>Hint 1</summary>Compare a position with a number, or two positions with each other.
# <code>tokens[:, 3]</code> is one position of all sentences.</details>
#
# <details><summary>Hint 2</summary>Both answers have to occur, each in more than 3 of 1,000 random sentences.
# Whether one position contains a 42, for example, can nearly always be guessed from the words alone.</details>


# %%
def my_question(tokens):
    # solution
    """Is the token at position 5 even?"""
    return tokens[:, 5] % 2 == 0
    # end solution


check("my_question", my_question)

# %%
my_question = keep("my_question")
task = make_task(8000, question=my_question)  # to learn from
fresh = without_known(make_task(5000, question=my_question, seed=1), task.tokens)  # held out: no leak
base_rate = max(fresh.labels.mean(), 1 - fresh.labels.mean())
print(f"{task.question}\nbase rate {base_rate:.2f}   best counter {best_counter(fresh):.2f}")

# %% [markdown]
# Only an accuracy well above both figures shows that the model uses positions.
#
# <details><summary>About the solution</summary>One position decides the answer, so a claim about one position is natural.
# Comparing two positions makes a more interesting study, and if the model is too small for it, that is a result too.</details>
#
# ## Claim, before you look
#
# **Goal.** Say where `[CLS]` will look, so that the result can prove you wrong.
#
# A claim made after the result is only a description, like a target painted around the arrow.
# So write your claim now: it is **filed**, and any later change will show.
#
# ### Exercise: `claim` · 5 minutes
# **Decide** four things, and write a dict:
#
# - `"places"`: a list of one to three positions, from 0 to 6,
# - `"at_least"`: the smallest mean weight that *each* of them should get,
# - `"seeds"`: the smallest number of seeds, out of five, on which this is true,
# - `"refuted_by"`: a sentence that says which result would prove you wrong.
#
# <details><summary>Hint 1</summary>Uniform weights give every position 1/7, so a claim of 1/7 or less says nothing.</details>
#
# <details><summary>Hint 2</summary>The claim of study B: <code>{"places": [2, 5], "at_least": 0.3, "seeds": 4, "refuted_by": "On two seeds or more, one of the two gets less than 0.3."}</code></details>

# %%
# solution
my_claim = {
    "places": [5],
    "at_least": 0.5,
    "seeds": 4,
    "refuted_by": "On two seeds or more, place 5 gets less than half of the weight.",
}
# end solution

check("claim", my_claim)

# %%
my_claim = keep("claim")
places, at_least = np.atleast_1d(my_claim["places"]), my_claim["at_least"]
filed = file_claim(my_claim)
print(f"places {places}, at least {at_least} each, on {my_claim['seeds']} of 5 seeds: filed as {filed}")

# %% [markdown]
# <details><summary>About the solution</summary>You can claim a low bar on many seeds or a high bar on few.
# "At least 0.9 on 5 of 5 seeds" would say more, but would fail more easily.</details>
#
# ## Train on five seeds
#
# **Goal.** Train five models, and report all of them.
#
# The seeds are 0 to 4 for everybody, so nobody, not even you, can pick the nice ones.
# For each seed we measure the mean weight of a position p over the n held-out sentences:
#
# $$\begin{gathered} \mathrm{look}_p = \frac1n \sum_{i=1}^{n} w_{i,p} \\[1ex] w\colon (n, 7), \text{ the row of [CLS] in each sentence} \qquad \mathrm{look}\colon (7,) \end{gathered}$$
#
# The claim holds for a seed if the look at each claimed position reaches your bar.
#
# You must decide one more thing before the training: with `FOCUS = 0.3`, your `look_reward` pays for a look at one position, as in study B, but then a sharp look may say more about the reward than about your question.
# Five trainings take about 15 seconds.

# %%
FOCUS = 0  # no reward


def train_on(seed):
    keras.utils.set_random_seed(seed)  # decides the first weights
    model = build_model(51, 7, 8)
    recipe = cls_model.FOCUSED | {"seed": seed, "focus": FOCUS, "reward": look_reward, "patience": patience}
    cls_model.train(model, task, **recipe)
    return cls_model.to_reader(model)


# %%
readers, filed_before = {seed: train_on(seed) for seed in SEEDS}, filed

# %%
rows = {seed: cls_row(reader, fresh.tokens) for seed, reader in readers.items()}  # each (n, 7)
looks = np.array([row.mean(axis=0) for row in rows.values()])  # (5, 7)
holds = [bool(np.all(looks[seed, places] >= at_least)) for seed in SEEDS]

# %%
for seed, reader in readers.items():
    accuracy = np.mean((answer_with(reader, fresh.tokens) >= 0.5) == fresh.labels)
    print(f"seed {seed}: accuracy {accuracy:.2f}   the claim holds: {'yes' if holds[seed] else 'no'}")
print(f"It holds on {sum(holds)} of 5 seeds; you claimed {my_claim['seeds']}.")
only_live("\n".join(f"seed {seed}: weight on your places {looks[seed, places].round(2)}" for seed in SEEDS))

# %%
models = [f"seed {seed}" for seed in SEEDS]
ax = heatmap(looks, models, ["[CLS]", *"123456"], title="Mean [CLS] row of five models")
ax.set(xlabel="key (looked at)", ylabel="model; the query is [CLS]")
plt.show()

# %% [markdown]
# ## Take it away, and take something else away
#
# **Goal.** Find out whether the answers depend on the claimed positions.
#
# A weight says how much of a value is passed on; only an intervention can show whether an answer depends on it.
# So hide the claimed positions with your `hide`; then, as a control, hide as many other positions, and change nothing else.

# %%
predict(
    "You hide the claimed places, and the answers break. You hide the control, and they break as well. What have you shown?",
    {
        "that all these places are needed": "Perhaps hiding any position breaks this model. Then the result says nothing about these positions.",
        "that hiding alone may do the harm": True,
        "that the claim was wrong": "The claim is about the weights of [CLS], and those have not changed.",
    },
)

# %% [markdown]
# ### Exercise: `control_places` · 5 minutes
# **Decide** which positions make a fair control, and return them in ascending order.
# A fair control hides as many positions as the claim names, but different ones; the more weight they have, the harder the test.
# `row` is `(n,)`, mean weights of which no two are equal; position 0 counts like any other.
# `places`, `(k,)`, are whole numbers in any order, at most half of all positions.
# You return `(k,)` positions in `row`.
#
# <details><summary>Hint 1</summary>Make the claimed positions lose every comparison, in a copy of the row.</details>
#
# <details><summary>Hint 2</summary><code>np.argsort(-left)</code> returns all the positions, the one with the most weight first.
# Take some of them, then call <code>np.sort</code>.</details>


# %%
def control_places(row, places):
    # solution
    left = row.copy()
    left[places] = -1  # below every weight
    falling = np.argsort(-left)  # places, the one with the most weight first
    return np.sort(falling[: len(places)])
    # end solution


check("control_places", control_places)

# %%
control_places = keep("control_places")
control = control_places(looks.mean(axis=0), places)  # one control for all seeds


# %%
def balanced_without(seed, hidden):
    row = rows[seed].astype(float)  # (n, 7)
    for place in hidden:
        row = hide(row, place)
    return balanced_accuracy(fresh.labels, (answer_with(readers[seed], fresh.tokens, row) >= 0.5).astype(int))


# %%
hidden = {"nothing": [], "claimed": places, "control": control}
scores = {name: np.array([balanced_without(seed, what) for seed in SEEDS]) for name, what in hidden.items()}
before, after, other = (score.mean() for score in scores.values())
print(f"mean: before {before:.1f}   claimed hidden {after:.1f}   control hidden {other:.1f}")

# %%
print("balanced accuracy with these places hidden:")
for seed in SEEDS:
    print(f"seed {seed}", *(f"   {name} {score[seed]:.1f}" for name, score in scores.items()))
only_live(f"The control hides {control}, with a mean weight of {looks[:, control].sum(axis=1).mean():.2f} together.")

# %% [markdown]
# Your control hides the same positions in every sentence.
# The control of lesson 14 is stricter: in each sentence it hides the key whose weight is closest to the claimed key's, but it tests only your first position.


# %%
def answers_of(seed):
    return lambda row: (answer_with(readers[seed], fresh.tokens, row) >= 0.5).astype(int)


for seed in SEEDS:
    effect = effect_and_control(answers_of(seed), rows[seed].astype(float), fresh.labels, places[0])
    print(f"seed {seed}    place {places[0]} hidden {effect[1]:.1f}    a key of similar weight {effect[2]:.1f}")

# %% [markdown]
# <details><summary>About the solution</summary>Of the remaining positions, those with the most weight make the hardest control, and if even these have little weight, say so; you could also choose positions at random, many times over.</details>
#
# ## Put it together
#
# **Goal.** Choose what a reader has to see, even where it makes the study look worse.
#
# ### Exercise: `my_study` · 3 minutes
# **Decide** which of these your study reports: `task`, `fresh`, `readers`, `places`, `control`, `base_rate`, `holds`, `scores`.
# Write a dict with `"seeds"`, `"learned_from"`, `"measured_on"`, `"claimed"`, `"control"` and `"base_rate"`.
#
# <details><summary>Hint 1</summary>Which seeds: those on which the claim holds, or all that you trained?</details>
#
# <details><summary>Hint 2</summary>The keys of <code>readers</code> are the seeds.
# Only one of <code>task</code> and <code>fresh</code> contains sentences that the models never met.</details>

# %%
# solution
my_study = {
    "seeds": list(readers),
    "learned_from": task,
    "measured_on": fresh,
    "claimed": places,
    "control": control,
    "base_rate": base_rate,
}
# end solution

check("my_study", my_study)

# %% [markdown]
# <details><summary>About the solution</summary>All seeds, held-out sentences and a control can each make a study look worse, which is why they belong in it.
# A longer report would add the recipe, so that somebody else can repeat the study.</details>
#
# ## Three sentences
#
# **Goal.** Say what the numbers say, and stop there.
#
# ### Exercise: `my_sentences` · 5 minutes
# Write a list of three sentences: what you claimed, what you measured, and what you have **not** shown.
# The second sentence gives the numbers, says on how many seeds they were found, and names the control.
# If your claim failed, say so: it costs no points.
#
# <details><summary>Hint 1</summary>Read the three sentences of study B once more.
# A model does not think, know or want; it computes weights and answers.</details>
#
# <details><summary>Hint 2</summary>You have not tested the reason, or other questions, recipes or seeds.
# An f-string puts a number into a sentence: <code>f"{sum(holds)} of 5 seeds, {after:.1f}"</code>.</details>

# %%
# solution
my_sentences = [
    f"Before the training we claimed at least {at_least} of the weight for place {places[0]} on {my_claim['seeds']} of 5 seeds.",
    f"This held on {sum(holds)} of 5 seeds; hiding the place took the balanced accuracy from {before:.1f} to {after:.1f}, "
    f"and hiding the control to {other:.1f}.",
    "We did not test other questions or recipes, and the control had little weight.",
]
# end solution

check("my_sentences", my_sentences)

# %%
same = file_claim(my_claim) == filed_before
print("Your claim", "is as you filed it." if same else "was changed after the training!")
print(*(my_sentences if my_sentences is not ... else ["Your three sentences stand here later."]), sep="\n")

# %% [markdown]
# <details><summary>About the solution</summary>The numbers come from the cells above, so they cannot be mistyped.
# "Place 5 is needed" would be shorter, but it says more than hiding a key can show.</details>
#
# ## How it is graded
#
# | what counts | 2 points | 1 point | 0 points |
# |---|---|---|---|
# | question | positions matter, and the question is your own | the question is one of the course's | words alone answer it |
# | claim | filed first, could fail, says what would refute it | could fail, but hardly | changed after the training |
# | evidence | five seeds, held-out sentences, both figures to compare with | one of them is missing | seeds picked, or a leak |
# | intervention | with a control of equal size, whose weight is stated | with a weak control | without a control |
# | three sentences | each number is in a cell above, and the stated limit is real | the limit is an empty phrase | more is said than was measured |
#
# A claim that fails gets the same points as one that holds.
#
# ### Try it: the next study
# Set `FOCUS = 0.3`, and run the lesson again from *Train on five seeds*.
# Does your claim still hold, and would you have filed it?
#
# ## What we now know
#
# - A claim is worth something only if it could have failed.
# - Five seeds, held-out sentences and a control each remove one way of fooling yourself.
# - What was not shown belongs in the report too.

# %%
recap()
progress()

# %% [markdown]
# ## Read more
#
# - [@jain2019]: whether weights explain an answer, with experiments that you could repeat on your own model.
# - [@wiegreffe2019]: how far weights differ from seed to seed, as a yardstick for Jain and Wallace's experiments.
#
# ## Next question
#
# You have come from one dot product to a study of your own.
# The next question is yours: take a claim about attention that you have read somewhere, write down what would refute it, and measure.
