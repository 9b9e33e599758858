"""Mistakes in labels, measures and counts: id -> (what is seen, what is suspected, an example). See mistakes.py."""

LABELS = {
    "label-position": (
        "Your labels follow the token of another position.",
        "The column seems to be off: position 0 is [CLS], and columns count from 0 too.",
        "tokens[:, position - 1] == target",
    ),
    "label-row": (
        "Your labels describe one sentence, and each sentence has a label.",
        "You seem to take a row where the position is a column.",
        "tokens[position] == target",
    ),
    "label-all-positions": (
        "Each token got a label, and each sentence should have one.",
        "The choice of the position seems to be missing.",
        "tokens == target",
    ),
    "label-token": (
        "Your labels ask for another token.",
        "The comparison seems to use a wrong token.",
        "tokens[:, position] == 42",
    ),
    "label-inverted": (
        "Every label is the opposite of what it should be.",
        "The comparison seems to be turned round.",
        "tokens[:, position] != target",
    ),
    "label-comparison": (
        "Too many sentences get label 1, or the wrong ones.",
        "You seem to compare sizes; tokens are names, not amounts.",
        "tokens[:, position] >= target",
    ),
    "label-is-token": (
        "Your labels are tokens.",
        "The comparison with the target seems to be missing, or hidden.",
        "tokens[:, position]",
    ),
    "label-anywhere": (
        "A sentence gets label 1 wherever the target stands.",
        "Your labels seem to ignore the position.",
        "(tokens == target).any(axis=1)",
    ),
    "label-first-only": (
        "A sentence in which the target stands twice gets the wrong label.",
        "Your labels seem to look at the first place of the target only.",
        "(tokens == target).argmax(axis=1) == position",
    ),
    "label-everywhere": (
        "Hardly any sentence gets label 1.",
        "Your labels seem to ask for the target at every position.",
        "(tokens == target).all(axis=1)",
    ),
    "label-count": (
        "Some labels are larger than 1.",
        "You seem to count how often the target stands in the sentence.",
        "(tokens == target).sum(axis=1)",
    ),
    "label-indices": (
        "A list of places came back, and each sentence should have a label.",
        "You seem to give back which sentences fit.",
        "np.where(tokens[:, position] == target)[0]",
    ),
    "label-signs": ("Your labels are 1 and -1.", "The other label is 0 here.", "np.where(hit, 1, -1)"),
}

MEASURES = {
    "recall-is-precision": (
        "Your number gets smaller with false alarms, and a recall does not.",
        "You seem to divide by what was predicted: that is the precision.",
        "hits / predictions.sum()",
    ),
    "recall-is-accuracy": (
        "Sentences labelled 0 change your number.",
        "You seem to count all right answers: that is the accuracy.",
        "(labels == predictions).mean()",
    ),
    "recall-over-all": (
        "Sentences labelled 0 make your number smaller.",
        "You seem to divide by the number of all sentences.",
        "hits / len(labels)",
    ),
    "recall-not-divided": (
        "Your number is larger than 1.",
        "You seem to count the hits without making them a share.",
        "(labels * predictions).sum()",
    ),
    "recall-of-the-rest": (
        "The hits are counted, but compared with the wrong sentences.",
        "You seem to divide by the number of sentences labelled 0.",
        "hits / (labels == 0).sum()",
    ),
    "recall-is-specificity": (
        "Your number is about the sentences labelled 0.",
        "You seem to compute the specificity.",
        "(predictions[labels == 0] == 0).mean()",
    ),
    "recall-is-false-alarms": (
        "Your number is about the sentences labelled 0.",
        "You seem to compute the share of false alarms.",
        "predictions[labels == 0].mean()",
    ),
    "recall-counts-all": (
        "Predictions for sentences labelled 0 count too.",
        "The hits seem to be counted over all sentences.",
        "predictions.sum() / labels.sum()",
    ),
    "recall-is-f1": (
        "Your number changes with false alarms.",
        "You seem to compute the F1 score.",
        "2 * hits / (labels.sum() + predictions.sum())",
    ),
    "recall-upside-down": (
        "Your number is larger than 1.",
        "The fraction seems to stand upside down.",
        "labels.sum() / hits",
    ),
    "recall-is-overlap": (
        "Your number gets smaller with false alarms.",
        "You seem to divide by all sentences that are labelled 1 or predicted 1.",
        "hits / (labels | predictions).sum()",
    ),
    "recall-is-base-rate": (
        "Your number does not depend on the predictions.",
        "You seem to compute how many labels are 1.",
        "labels.mean()",
    ),
    "recall-is-miss-rate": (
        "A better model gets a smaller number.",
        "You seem to count what was missed.",
        "1 - hits / labels.sum()",
    ),
    "recall-percent": (
        "Your number is a percentage.",
        "A share between 0 and 1 is wanted.",
        "100 * hits / labels.sum()",
    ),
}

COUNTS = {
    "count-tokens": (
        "Your count misses the mark by something that grows with the vocabulary.",
        "Look at the token embedding: one vector for each token.",
        "vocab_size",
    ),
    "count-positions": (
        "Your count misses the mark by something that grows with the sentence.",
        "Look at the position embedding: one vector for each position.",
        "vocab_size * d_model + ...",
    ),
    "count-biases": (
        "Your count is a little too small.",
        "The biases of the attention layer seem to be missing.",
        "4 * d_model**2",
    ),
    "count-three-matrices": (
        "Your count is too small by about one matrix.",
        "You seem to count three matrices of the attention layer.",
        "3 * (d_model**2 + d_model)",
    ),
    "count-one-matrix": (
        "Your count is too small by about three matrices.",
        "You seem to count one matrix of the attention layer.",
        "d_model**2 + d_model",
    ),
    "count-attention": (
        "Your count is too small by something that grows with d_model.",
        "Look at the attention layer again: how long is each bias, and is the layer there at all?",
        "4 * (d_model**2 + 1)",
    ),
    "count-norm": (
        "Your count is off by a small multiple of d_model.",
        "Look at the layer norm: what does it learn for each dimension?",
        "d_model",
    ),
    "count-read-out": (
        "Your count is off at the end of the model.",
        "Look at the last unit: what does it read, and has it a bias?",
        "d_model",
    ),
    "count-feed-forward": (
        "Your count is too large by something that grows with d_model squared.",
        "A layer seems to be counted that this model does not have.",
        "... + 2 * d_model * 4 * d_model",
    ),
    "count-optimiser": (
        "Your count is about three times too large.",
        "You seem to count what the optimiser keeps as well.",
        "2333",
    ),
}

CLASSIFIER = LABELS | MEASURES | COUNTS
