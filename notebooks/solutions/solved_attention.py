"""The solutions, as my_attention.py would hold them. Derived: nox -s build."""


def cls_labels(tokens, position, target):
    return (tokens[:, position] == target).astype(int)


def count_weights(vocab_size, seq_len, d_model):
    embedding = (vocab_size + seq_len) * d_model
    attention = 4 * (d_model * d_model + d_model)
    norm = 2 * d_model
    answer = d_model + 1
    return embedding + attention + norm + answer


import numpy as np


def recall(labels, predictions):
    return np.mean(predictions[labels == 1])


def patience(losses, focus):
    return focus if np.any(losses < 0.1) else 0.0
