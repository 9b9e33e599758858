# %% [markdown]
# # After the course: fourteen questions
#
# You answered a questionnaire [before](before.ipynb) the course.
# This one asks for the same things with other questions.
#
# - It is made for ten minutes.
#   Please answer alone, without looking anything up.
# - There are no marks.
#   Where you do not know an answer, say so.
# - Your code from before puts both together.
#   Where your file of answers lies beside this notebook, it is found by itself; otherwise type the code.
# - When both questionnaires are finished, you see which answers were right, and why.
#
# Click into the next cell and press Shift+Enter.
# The keyboard is enough: Tab and the arrow keys move, 1 to 5 choose, Enter goes on.

# %%
from course_utils.inventory.questionnaire import Questionnaire

Questionnaire("after")

# %% [markdown]
# Your answers stand in `answers_CODE.json`, beside this notebook.
# If your class takes part in a study, hand in this file; whether you do is up to you.
# On the last screen you may add what the checks noted: for each exercise the tries, the mistakes and the minutes.
