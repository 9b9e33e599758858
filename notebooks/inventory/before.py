# %% [markdown]
# # Before the course: fourteen questions
#
# This questionnaire asks what you know about attention today.
# After the course a second one asks for the same things with other questions, and together they show what was learned.
#
# - It is made for ten minutes.
#   Please answer alone, without looking anything up.
# - There are no marks.
#   Most questions are about things that the course teaches, so *I do not know yet* is a good answer now.
# - You are anonymous.
#   A code pairs your two questionnaires: **write it down**.
# - Your answers go into a small file beside this notebook, `answers_CODE.json`.
#   Nothing is sent anywhere.
#   If your class takes part in a study, hand in this file; whether you do is up to you.
#
# Click into the next cell and press Shift+Enter.
# The keyboard is enough: Tab and the arrow keys move, 1 to 5 choose, Enter goes on.

# %%
from course_utils.inventory.questionnaire import Questionnaire

Questionnaire("before")

# %% [markdown]
# Every answer is kept at once, so you may stop, close the notebook and go on later: run the cell again.
#
# The course begins with [00, Start here](../00_start_here.ipynb).
# The second questionnaire is [after](after.ipynb).
