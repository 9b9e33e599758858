"""The helpers of the course "Learning to Look". A student can read every module here.

Nothing is imported at this level, so that `import course_utils` costs nothing and no lesson pays
for what it does not use.
"""

import os

# TensorFlow reads these once, on import: print errors only, and leave out oneDNN,
# which announces itself and rounds differently.
# They stand here because Python runs this file before any module of the course, so before any of them imports Keras.
QUIET_TENSORFLOW = {"TF_CPP_MIN_LOG_LEVEL": "2", "TF_ENABLE_ONEDNN_OPTS": "0"}
for _name, _value in QUIET_TENSORFLOW.items():
    os.environ.setdefault(_name, _value)
