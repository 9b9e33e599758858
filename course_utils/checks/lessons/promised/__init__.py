"""What the text of each exercise promises, and the inputs that hold an answer to it: one module for each lesson.

PROMISED[name] is what an Exercise takes besides its faults: promises, shapes, tied, parts. Inputs are small, and a
right answer in
float32 stays within its tolerance on them.
"""
