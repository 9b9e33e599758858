# %% [markdown]
# The code of the demo's notebook: one cell for each explorable, in the order of talk/talk.toml, which holds its texts.

# %%
from course_utils.explorables import (
    AttentionExplorer,
    HeadGallery,
    LookPlayground,
    SoftmaxDial,
    TrainingReplay,
    VectorPad,
)
from course_utils.models.cls_reader import load_training
from course_utils.models.encoder import load_encoder
from course_utils.tasks.cls_task import make_task

pad = VectorPad(a=[1, 2], b=[5, -1], presenter=True)
pad

# %%
dial = SoftmaxDial([0.7, 0.4, 0.0], ["good", "not", "The"], d_k=64, presenter=True)
dial

# %%
explorer = AttentionExplorer(query=0, game=False, presenter=True)
explorer

# %%
try:
    reading = load_encoder()("The animal didn't cross the street because it was too tired.")
    gallery = HeadGallery(reading.weights, reading.tokens, query=reading.tokens.index("it"), presenter=True)
except (FileNotFoundError, ValueError):  # the model is not installed here: three heads made by hand
    gallery = HeadGallery(presenter=True)
gallery

# %%
task = make_task(2000, seed=1)  # its first sentence is a no
replay = TrainingReplay(load_training("usual"), task, epoch=0, tokens=task.tokens[0], presenter=True)
replay

# %%
playground = LookPlayground(reduced=True, presenter=True)
playground
