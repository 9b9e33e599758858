"""Mistakes in reading an encoder: id -> (what is seen, what is suspected, an example). See mistakes.py."""

ENCODER = {
    "key-all-axes": (
        "The scores belong to the wrong heads and sentences.",
        "You seem to turn round all four axes of K.",
        "Q @ K.T",
    ),
    "scale-wrong-axis": (
        "The scores are scaled by the size of another axis.",
        "Which axis of four holds d_k?",
        "np.sqrt(Q.shape[1])",
    ),
    "pair-swapped": (
        "Both arrays are there, in the opposite order.",
        "The output comes first.",
        "return weights, output",
    ),
    "head-next-token": (
        "Your number says how much a head looks at the token after.",
        "Rows and columns seem to have changed places.",
        "weights[:, i, i + 1]",
    ),
    "head-itself": (
        "Your number says how much a head looks at the token itself.",
        "The diagonal seems to lack its shift.",
        "np.diagonal(weights, axis1=1, axis2=2)",
    ),
    "head-two-before": (
        "Your number says how much a head looks two tokens back.",
        "The shift seems to be too large by 1.",
        "weights[:, i, i - 2]",
    ),
    "head-wraps-round": (
        "The first token counts too, and nothing stands before it.",
        "An index of -1 seems to lead to the last token.",
        "weights[:, i, i - 1] for i in range(n)",
    ),
    "head-first-column": (
        "Your number says how much a head looks at the first token.",
        "The column seems to stand still while the row moves.",
        "weights[:, 1:, 0]",
    ),
    "head-sum": (
        "Your numbers grow with the length of the sentence.",
        "You seem to add up where a mean is wanted.",
        "diagonal.sum(axis=-1)",
    ),
    "head-divided-by-n": (
        "Your numbers are a little too small.",
        "You seem to divide by all tokens, and the first one has nothing before it.",
        "diagonal.sum(axis=-1) / n",
    ),
    "head-largest": (
        "One place of each head came back.",
        "You seem to take the largest weight where a mean is wanted.",
        "diagonal.max(axis=-1)",
    ),
    "head-one-number": (
        "One number came back, and each head has its own.",
        "The mean seems to run over the heads too.",
        "diagonal.mean()",
    ),
    "head-over-heads": (
        "There is one number for each token.",
        "The mean seems to run over the heads and not over the tokens.",
        "diagonal.mean(axis=0)",
    ),
    "head-not-averaged": (
        "There is one number for each head and token.",
        "The mean seems to be missing.",
        "return diagonal",
    ),
    "pool-mask-unused": (
        "The padding counts as if it were words.",
        "The mask seems to be unused.",
        "hidden.mean(axis=1)",
    ),
    "pool-divided-by-n": (
        "Sentences with padding come out too short.",
        "You seem to divide by the padded length.",
        "total / n",
    ),
    "pool-padding-added": (
        "The padding is in the sum.",
        "You seem to use the mask for the number of tokens only.",
        "hidden.sum(axis=1) / lengths",
    ),
    "pool-padding-only": (
        "The mean is taken over the padding.",
        "The mask seems to be turned round.",
        "hidden[~mask]",
    ),
    "pool-sum": (
        "Your vectors grow with the length of the sentence.",
        "You seem to add up where a mean is wanted.",
        "(hidden * mask[..., None]).sum(axis=1)",
    ),
    "pool-all-tokens": (
        "All sentences are divided by one number.",
        "You seem to count the tokens of the whole batch.",
        "total / mask.sum()",
    ),
    "pool-first": (
        "The vector of the first token came back.",
        "The other tokens seem to be left out.",
        "hidden[:, 0]",
    ),
    "pool-largest": (
        "Each number is the largest of its column.",
        "You seem to take a maximum where a mean is wanted.",
        "hidden.max(axis=1)",
    ),
    "pool-axis": (
        "The mean runs along the wrong axis.",
        "Which axis counts the tokens?",
        "(hidden * mask[..., None]).sum(axis=-1)",
    ),
    "pool-normalised": (
        "Your vectors point the right way, and all have length 1.",
        "You seem to go one step further than asked.",
        "mean / np.linalg.norm(mean)",
    ),
    "pool-batch": (
        "One vector came back for the whole batch.",
        "The mean seems to run over the sentences too.",
        "hidden[mask].mean(axis=0)",
    ),
}
