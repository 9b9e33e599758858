# %% [markdown]
# # Attention, in your hands

# %% [markdown]
# ## 0 · A review
# *The movie was not good, but the soundtrack was amazing.*
#
# **Ask first:** a program counts the words of this review. Does it say *good* or *bad*?
# Then put *not* in front of *amazing*: the same words, and the movie was good. Why can the program not know?

# %% [markdown]
# ## 1 · Do two arrows agree?
# **Ask first:** at which angle is the dot product 0?
# What happens to it when one arrow is twice as long?

# %%
from course_utils.cls_reader import load_training
from course_utils.cls_task import make_task
from course_utils.encoder import load_encoder
from course_utils.explorables import (
    AttentionExplorer,
    HeadGallery,
    LookPlayground,
    SoftmaxDial,
    TrainingReplay,
    VectorPad,
)

pad = VectorPad(a=[1, 2], b=[5, -1], presenter=True)
pad

# %% [markdown]
# ## 2 · From scores to shares
# **Ask first:** d_k grows from 64 to 1,024, and nobody divides by √d_k.
# What happens to the weights, and to the gradient?

# %%
dial = SoftmaxDial([0.7, 0.4, 0.0], ["good", "not", "The"], d_k=64, presenter=True)
dial

# %% [markdown]
# ## 3 · Where does *good* look?
# **Ask first:** the sentence says *not good*.
# Which word will *good* look at most? Why that one: its direction, or its length?

# %%
explorer = AttentionExplorer(query=0, presenter=True)
explorer

# %% [markdown]
# ## 4 · Many heads, many looks
# **Ask first:** a real model with 72 heads reads that the animal was tired.
# How many heads will look from *it* to *animal*?

# %%
try:
    reading = load_encoder()("The animal didn't cross the street because it was too tired.")
    gallery = HeadGallery(reading.weights, reading.tokens, query=reading.tokens.index("it"), presenter=True)
except (FileNotFoundError, ValueError):  # the model is not installed here: three heads made by hand
    gallery = HeadGallery(presenter=True)
gallery

# %% [markdown]
# ## 5 · Always right: does it look?
# **Ask first:** this model ends with every sentence right.
# How much of the weight of [CLS] lies on position 4 then?
# Then it answers this sentence with *no*. Will it still say *no* when 42 stands at other positions, but never at 4?

# %%
task = make_task(2000, seed=1)  # its first sentence is a no
replay = TrainingReplay(load_training("usual"), task, epoch=0, tokens=task.tokens[0], presenter=True)
replay

# %% [markdown]
# ## 6 · Twenty models, four recipes
# **Ask first:** twenty models learn to answer, and each answers right.
# How many of them look at position 4? Then step through the story with Page Down.

# %%
playground = LookPlayground(presenter=True)
playground

# %% [markdown]
# ## 7 · Close
# **Ask first:** somebody shows you a heat map of attention, and says: "The model looks at this word."
# What do you want to know before you believe it? Lesson 14 measures it.
