"""Mistakes in gradients and in reading attention: id -> (what is seen, what is suspected, an example). See mistakes.py."""

GRADIENTS = {
    "gradient-diagonal-only": (
        "Only the weight's own score is counted.",
        "A score changes the other weights too: that part seems to be missing.",
        "w * (1 - w) * gradient",
    ),
    "gradient-not-centred": (
        "Your numbers do not sum to 0.",
        "The mean under the weights seems to stay in.",
        "w * gradient",
    ),
    "gradient-plain-mean": (
        "Your numbers do not sum to 0.",
        "You seem to take away a plain mean or sum: which weights does this mean have?",
        "w * (gradient - gradient.mean())",
    ),
    "gradient-weight-missing": (
        "Small weights get large derivatives.",
        "The factor in front seems to be wrong.",
        "gradient - (w * gradient).sum()",
    ),
    "gradient-weight-squared": (
        "Small weights get too small derivatives.",
        "The weight seems to stand there twice.",
        "w**2 * (...)",
    ),
    "gradient-untouched": ("The gradient came back as it was.", "The softmax seems to be skipped.", "return gradient"),
    "gradient-scale-missing": (
        "The gradients dQ and dK are off by a factor.",
        "The scaling seems to be lost on the way back.",
        "dQ = dS @ K",
    ),
    "gradient-softmax-skipped": (
        "The gradient dV is right, dQ and dK are not.",
        "The way back seems to skip the softmax.",
        "dS = gradient @ V.T",
    ),
    "gradient-not-transposed": (
        "One of the three mixes the wrong rows.",
        "A transpose seems to be missing or too many on the way back.",
        "dV = weights @ gradient",
    ),
    "gradient-same-factor": (
        "One of the three meets the wrong factor.",
        "Which of Q and K stood on the other side of the product?",
        "dQ = dS @ Q",
    ),
    "step-uphill": ("The loss grows.", "The step seems to go up the gradient.", "w + rate * gradient"),
    "step-without-rate": ("The step is too long.", "The learning rate seems to be unused.", "w - gradient"),
    "step-is-gradient": (
        "The step came back, not the new weights.",
        "The old weights seem to be missing.",
        "return gradient",
    ),
    "step-not-averaged": (
        "The step grows with the number of sentences.",
        "You seem to add up where a mean is wanted.",
        "X.T @ (p - y)",
    ),
    "step-halved": (
        "The step is twice as long or half as long.",
        "A factor of 2 seems to be too many.",
        "2 * X.T @ (p - y) / n",
    ),
    "step-without-sigmoid": (
        "The step does not follow the probabilities.",
        "The sigmoid seems to be missing.",
        "p = X @ w + b",
    ),
    "step-hard": (
        "Sure and unsure answers count the same.",
        "You seem to round the probabilities to 0 and 1.",
        "p = (X @ w + b) > 0",
    ),
    "step-squared-error": (
        "The step is too short where the model is sure.",
        "You seem to follow the squared error.",
        "(p - y) * p * (1 - p)",
    ),
    "step-absolute-error": ("All errors push the same way.", "You seem to take absolute values.", "abs(p - y)"),
    "step-no-labels": ("The labels change nothing.", "The labels seem to be unused.", "X.T @ p / n"),
    "step-bias-kept": (
        "The weights w are right, and b did not move.",
        "The bias seems to be left out.",
        "return new_w, b",
    ),
    "step-weights-kept": (
        "The bias b is right, and w did not move.",
        "The weights seem to be left out.",
        "return w, new_b",
    ),
}

READING = {
    "balanced-is-accuracy": (
        "The larger class decides your number.",
        "You seem to compute the accuracy.",
        "(labels == predictions).mean()",
    ),
    "balanced-is-recall": (
        "Sentences labelled 0 change nothing.",
        "You seem to compute the recall alone.",
        "predictions[labels == 1].mean()",
    ),
    "balanced-is-specificity": (
        "Sentences labelled 1 change nothing.",
        "You seem to compute the share for label 0 alone.",
        "(predictions[labels == 0] == 0).mean()",
    ),
    "balanced-not-halved": (
        "Your number can reach 2, or 0 for a model that knows nothing.",
        "The mean of the two shares seems to be unfinished.",
        "recall + specificity",
    ),
    "balanced-product": (
        "One bad class pulls your number down too far.",
        "You seem to join the two shares in another way than by their mean.",
        "recall * specificity",
    ),
    "balanced-precision": (
        "False alarms count in another way.",
        "You seem to mix in the precision.",
        "(recall + precision) / 2",
    ),
    "balanced-false-alarms": (
        "A better model gets a smaller share for label 0.",
        "You seem to use false alarms where right answers belong.",
        "(recall + false_alarms) / 2",
    ),
    "uniform-queries": (
        "The rows do not sum to 1.",
        "You seem to divide by the number of queries or of sentences.",
        "1 / len(weights)",
    ),
    "uniform-everything": (
        "All weights together sum to 1, and each row should do so by itself.",
        "You seem to divide by the number of all weights.",
        "1 / weights.size",
    ),
    "uniform-ones": (
        "The rows do not sum to 1.",
        "The weights are even, but they are no shares.",
        "np.ones_like(weights)",
    ),
    "uniform-average": (
        "All queries look alike, but not evenly.",
        "You seem to average over the queries.",
        "weights.mean(axis=-2)",
    ),
    "uniform-one-row": (
        "One row or one number came back.",
        "The shape of the weights should stay.",
        "np.full(n, 1 / n)",
    ),
    "uniform-unchanged": ("The weights came back as they were.", "Nothing seems to be evened out.", "return weights"),
}

LEARNING = GRADIENTS | READING
