"""Mistakes in weights and outputs: id -> (what is seen, what is suspected, an example). See mistakes.py."""

WEIGHTS = {
    "softmax-axis": (
        "Each column sums to 1, and each row should.",
        "Your softmax runs over the queries.",
        "e / e.sum(axis=0)",
    ),
    "softmax-over-all": (
        "All numbers together sum to 1, and each row should do so by itself.",
        "Your softmax seems to divide by the sum of everything.",
        "e / e.sum()",
    ),
    "softmax-keepdims": (
        "The rows do not sum to 1, though you divide by the sums of rows.",
        "The sums seem to have lost an axis, so that NumPy lays them along the columns.",
        "e / e.sum(axis=-1)",
    ),
    "softmax-missing": (
        "Your numbers are still scores: they do not sum to 1.",
        "The step from scores to weights seems to be missing.",
        "Q @ K.T / np.sqrt(d_k)",
    ),
    "softmax-unnormalised": (
        "All numbers are positive, but they do not sum to 1.",
        "The exponentials seem to be there, without the step that makes them shares of a whole.",
        "np.exp(scores)",
    ),
    "softmax-without-exp": (
        "The numbers sum to 1, but some are negative or far too large.",
        "You seem to divide the scores themselves by their sum, without exponentials.",
        "scores / scores.sum(axis=-1, keepdims=True)",
    ),
    "softmax-wrong-sum": (
        "The numbers do not sum to 1.",
        "The exponentials seem to be divided by something made from the sum of the scores.",
        "np.exp(scores) / scores.sum(axis=-1, keepdims=True)",
    ),
    "softmax-by-n": (
        "The numbers do not sum to 1.",
        "The exponentials seem to be divided by how many there are.",
        "np.exp(scores) / len(scores)",
    ),
    "softmax-sigmoid": (
        "Each number lies between 0 and 1, but together they do not sum to 1.",
        "You seem to squeeze each score by itself, as a sigmoid does.",
        "1 / (1 + np.exp(-scores))",
    ),
    "softmax-hard": (
        "One weight is 1 and all others are 0.",
        "You seem to pick the largest score; a softmax gives every key a share.",
        "scores == scores.max()",
    ),
    "softmax-log": (
        "All numbers are negative.",
        "You seem to give back the logarithms of the weights.",
        "scores - np.log(e.sum())",
    ),
    "softmax-twice": (
        "The weights are more even than they should be.",
        "The softmax seems to run twice, the second time over weights.",
        "softmax(softmax(scores))",
    ),
    "softmax-sign": (
        "The smallest score gets the largest weight.",
        "A minus sign seems to stand before the scores.",
        "softmax(-scores)",
    ),
    "softmax-base": (
        "The weights sum to 1 but are too even.",
        "You seem to use powers of 2 instead of exponentials.",
        "2**scores / ...",
    ),
    "softmax-overflow": (
        "Large scores come back as NaN.",
        "The exponential of a large score does not fit into a float: what can you take away from all scores first?",
        "np.exp(scores) / np.exp(scores).sum()",
    ),
    "softmax-underflow": (
        "A row of low scores comes back as NaN while another row holds high ones.",
        "You seem to subtract one number from all rows, and then all exponentials of the low row are 0.",
        "np.exp(scores - scores.max())",
    ),
    "softmax-clipped": (
        "Large scores that differ get equal weights.",
        "You seem to cut the scores off at some limit.",
        "np.exp(np.clip(scores, -500, 500))",
    ),
    "softmax-max-kept": (
        "The numbers do not sum to 1, though no score overflows.",
        "The maximum seems to be taken away in one place and not in the other.",
        "np.exp(s - s.max()) / np.exp(s).sum()",
    ),
    "softmax-order": (
        "The numbers do not sum to 1.",
        "The two halves seem to have changed order: first shares, then exponentials.",
        "np.exp(scores / scores.sum())",
    ),
    "softmax-max-axis": (
        "Some rows are right, and some overflow.",
        "The maximum that you subtract seems to belong to a column.",
        "scores - scores.max(axis=0)",
    ),
    "softmax-rescaled": (
        "The weights no longer follow the differences between the scores.",
        "You seem to divide the scores to make them small, and that changes the weights.",
        "np.exp(scores / scores.max())",
    ),
    "softmax-nan-hidden": (
        "Large scores come back as 0.",
        "You seem to write 0 over NaN, which hides the overflow and does not mend it.",
        "np.nan_to_num(e / e.sum())",
    ),
    "softmax-upside-down": (
        "The smallest score gets the largest number, and the numbers are larger than 1.",
        "The fraction seems to stand upside down.",
        "np.exp(scores).sum() / np.exp(scores)",
    ),
    "softmax-too-late": (
        "Each row of your output sums to 1, and nothing asks it to.",
        "The softmax seems to run after the values are mixed in, too late for the weights.",
        "softmax(scores @ V)",
    ),
    "softmax-too-early": (
        "Your numbers sum to 1: they are weights, and scores were wanted.",
        "The softmax seems to run one step too early.",
        "softmax(Q @ K.T / np.sqrt(d_k))",
    ),
    "axis-from-front": (
        "Two axes work, one or three do not.",
        "You seem to count the axis from the front, and then it depends on how many there are.",
        "e / e.sum(axis=1, keepdims=True)",
    ),
    "temperature-unused": (
        "The temperature changes nothing.",
        "T seems to be left out, or to move all scores alike.",
        "softmax(scores)",
    ),
    "temperature-inverted": (
        "A high temperature makes your weights less even.",
        "T seems to work the wrong way round.",
        "softmax(scores * T)",
    ),
    "temperature-root": (
        "The temperature works too weakly or too strongly.",
        "You seem to take a power or a root of T.",
        "softmax(scores / np.sqrt(T))",
    ),
    "temperature-after-softmax": (
        "The weights do not sum to 1.",
        "T seems to come after the softmax, and it belongs to the scores.",
        "softmax(scores) / T",
    ),
    "temperature-half": (
        "The weights do not sum to 1.",
        "T seems to stand in one half of the fraction only.",
        "np.exp(scores / T) / np.exp(scores).sum()",
    ),
}

VALUES = {
    "value-missing": (
        "These are weights, and the output was wanted.",
        "The last step seems to be missing: nothing is taken from V.",
        "return weights",
    ),
    "value-elementwise": (
        "The values are weighed, but nobody added them up.",
        "The sign * multiplies number by number and adds nothing.",
        "weights * V",
    ),
    "value-is-key": (
        "Your output is a mix of keys.",
        "The weights seem to meet K where they should meet V.",
        "weights @ K",
    ),
    "value-is-query": (
        "Your output is a mix of queries.",
        "The weights seem to meet Q where they should meet V.",
        "weights @ Q",
    ),
    "value-transposed": (
        "The values are turned on their side.",
        "V seems to be transposed, so that the weights meet dimensions instead of keys.",
        "weights @ V.T",
    ),
    "value-first": (
        "The values stand on the wrong side of the matrix product.",
        "V seems to come before the weights.",
        "V @ weights",
    ),
    "value-mean": (
        "Every value counts the same in your output.",
        "You seem to take a plain mean of V, without the weights.",
        "V.mean(axis=0)",
    ),
    "value-sum": (
        "Every value counts the same in your output.",
        "You seem to add up V without the weights.",
        "V.sum(axis=0)",
    ),
    "value-largest": (
        "Your output is one of the values.",
        "You seem to pick the value with the largest weight.",
        "V[weights.argmax()]",
    ),
    "weights-transposed": (
        "The weights of a row do not mix that row's output.",
        "The weights seem to be transposed before they meet V.",
        "weights.T @ V",
    ),
    "output-transposed": (
        "The output stands on its side.",
        "Tokens seem to run along the columns; each token has a row.",
        "(weights @ V).T",
    ),
    "output-divided": (
        "The output is too small.",
        "You seem to divide by the number of tokens, and the weights sum to 1 already.",
        "weights @ V / n",
    ),
    "output-pooled": (
        "One vector came back, and each query has its own.",
        "The outputs of all queries seem to be added up.",
        "(weights @ V).sum(axis=0)",
    ),
    "value-unweighted": (
        "Every value came back as it was.",
        "The weights seem to be added up before they meet the values.",
        "weights.sum() * V",
    ),
    "output-wrong-axis": (
        "There is one number for each key, and the output is one value.",
        "The sum seems to run inside each value instead of over the keys.",
        "(weights[:, None] * V).sum(axis=1)",
    ),
    "output-summed": (
        "One number came back, and the output is a vector.",
        "One sum too many seems to run.",
        "(weights @ V).sum()",
    ),
    "weights-reversed": (
        "The weights meet the values in the opposite order.",
        "The weights seem to run backwards.",
        "weights[::-1] @ V",
    ),
}
