"""Mistakes in counting words, scaling and masks: id -> (what is seen, what is suspected, an example). See mistakes.py."""

BAG = {
    "tokens-words-only": (
        "Your number is too small.",
        "You seem to count the words only, without comma and full stop.",
        "10",
    ),
    "tokens-one-short": (
        "Your number is too small by 1.",
        "Is it the position of the last token, counted from 0?",
        "11",
    ),
    "tokens-letters": ("Your number is far too large.", "You seem to count letters.", "len(text)"),
    "tokens-not-counted": (
        "The tokens themselves came, and their number is wanted.",
        "Something has to count them.",
        "list(REVIEW)",
    ),
    "tokens-miscounted": ("That is not the number of tokens.", "Does anything count twice, or not at all?", "13"),
    "bag-presence": (
        "No count is larger than 1, and some words stand there twice.",
        "You seem to ask whether a word is there, not how often.",
        "word in tokens",
    ),
    "bag-substrings": (
        "Some counts are too large.",
        "You seem to find a word inside longer words too.",
        "text.count(word)",
    ),
    "bag-positions": (
        "Your numbers are places in the sentence.",
        "You seem to look where a word stands, not how often.",
        "tokens.index(word)",
    ),
    "bag-shares": (
        "Your numbers are shares.",
        "You seem to divide by the length of the sentence.",
        "count / len(tokens)",
    ),
    "bag-total": ("One number came back, and each word has its own.", "You seem to add up the counts.", "sum(counts)"),
    "bag-sorted": (
        "The counts are right, in another order.",
        "The order of the vocabulary seems to be changed.",
        "for word in sorted(vocabulary)",
    ),
    "bag-over-tokens": (
        "There is one number for each token, and each word of the vocabulary should have one.",
        "The loop seems to run over the tokens.",
        "for word in tokens",
    ),
}

SCALING = {
    "variance-of-scaled": (
        "Your variance does not grow with d_k as it should.",
        "You seem to scale the scores; here they are wanted as they are.",
        "(Q @ K.T / np.sqrt(d_k)).var()",
    ),
    "variance-is-deviation": (
        "Your number is the root of the one that is wanted.",
        "You seem to take the standard deviation.",
        "(Q @ K.T).std()",
    ),
    "variance-is-mean": ("Your number lies near 0.", "You seem to take the mean of the scores.", "(Q @ K.T).mean()"),
    "variance-without-mean": (
        "Your number is a little too large.",
        "The mean seems to stay in: a variance measures the distance from it.",
        "(S**2).mean()",
    ),
    "variance-not-averaged": (
        "Your number grows with the number of scores.",
        "You seem to add up the squares without taking their mean.",
        "((S - S.mean())**2).sum()",
    ),
    "variance-one-less": (
        "Your number is a little too large.",
        "You seem to divide by one less than the number of scores.",
        "S.var(ddof=1)",
    ),
    "variance-per-row": (
        "Each row or column was measured by itself.",
        "All scores together have one variance.",
        "S.var(axis=-1)",
    ),
    "variance-range": (
        "Your number is the distance between the largest and the smallest score.",
        "A range is no variance.",
        "S.max() - S.min()",
    ),
    "scale-is-divisor": (
        "Scores multiplied by your number get larger.",
        "You seem to give back what one would divide by.",
        "np.sqrt(d_k)",
    ),
    "scale-root-twice": ("Your factor shrinks too slowly.", "A root too many seems to be taken.", "d_k ** -0.25"),
    "gradient-weight-only": (
        "Your number is the largest weight.",
        "One half of the derivative seems to be missing.",
        "w.max()",
    ),
    "gradient-outer-only": (
        "Your number is a weight squared.",
        "The part on the diagonal seems to be missing.",
        "np.outer(w, w).max()",
    ),
    "gradient-plus": (
        "Your number is too large.",
        "A minus sign seems to have become a plus.",
        "np.diag(w) + np.outer(w, w)",
    ),
    "gradient-one-minus": (
        "Your number is near 1.",
        "The weight itself seems to be missing as a factor.",
        "(1 - w).max()",
    ),
    "gradient-smallest": ("This is the smallest derivative.", "You seem to take the minimum.", "J.min()"),
    "gradient-summed": (
        "Your number is made of all derivatives.",
        "You seem to add them up or to average them.",
        "abs(J).sum()",
    ),
    "gradient-whole": ("All derivatives came back.", "One number is wanted of them.", "np.diag(w) - np.outer(w, w)"),
}

MASKS = {
    "mask-inverted": (
        "What should be hidden is visible, and the other way round.",
        "True and False of the mask seem to have changed places.",
        "np.where(mask, -np.inf, scores)",
    ),
    "mask-diagonal": (
        "The diagonal is not right.",
        "May a token look at itself, and not one further?",
        "np.tri(n, k=-1)",
    ),
    "mask-transposed": (
        "Queries look into the future and not into the past.",
        "Rows and columns of the mask seem to have changed places.",
        "np.triu(np.ones((n, n)))",
    ),
    "mask-fixed": (
        "The weights follow another mask than the one that was given.",
        "The argument seems to be left out for a mask of your own.",
        "np.where(np.tri(n), scores, -np.inf)",
    ),
    "mask-missing": ("Hidden keys still get weight.", "Nothing seems to be masked.", "softmax(scores)"),
    "mask-self-only": ("Each query looks at itself only.", "The past seems to be hidden as well.", "np.eye(n)"),
    "mask-additive": (
        "Your mask holds numbers to add to the scores.",
        "True and False are wanted here.",
        "np.where(allowed, 0, -np.inf)",
    ),
    "mask-not-bool": (
        "The mask is right, but it holds numbers.",
        "True and False are wanted: other code reads them differently.",
        "np.tri(n)",
    ),
    "mask-additive-small": (
        "Hidden keys still get a little weight.",
        "The number that stands for hidden seems to be too small to hide anything.",
        "scores - 10",
    ),
    "mask-added": (
        "The mask moves the scores by 1 and hides nothing.",
        "You seem to add True and False to the scores.",
        "scores + mask",
    ),
    "mask-times-scores": (
        "Hidden keys still get weight.",
        "You seem to multiply the scores with the mask, and a score of 0 is a score like others.",
        "scores * mask",
    ),
    "mask-after-softmax": (
        "The weights of a row no longer sum to 1.",
        "The mask seems to come after the softmax, when the shares are dealt out already.",
        "softmax(scores) * mask",
    ),
    "mask-off-by-one": (
        "One key too many or too few is hidden.",
        "The comparison seems to be off by one: positions begin at 0.",
        "np.arange(n_keys) <= length",
    ),
    "mask-left": (
        "The beginning of each sentence is hidden.",
        "The padding stands at the end.",
        "np.arange(n_keys) >= n_keys - length",
    ),
    "mask-last-only": (
        "Only one key of each sentence is visible.",
        "You seem to ask for equal where smaller is meant.",
        "np.arange(n_keys) == length",
    ),
    "mask-axis": (
        "The numbers are right, but the axis of length 1 is missing or in the wrong place.",
        "The mask should stretch over the queries.",
        "mask[:, :, None]",
    ),
    "mask-every-query": (
        "The mask is written out for every query.",
        "One axis of length 1 does that for any number of queries.",
        "np.repeat(mask, n_keys, axis=1)",
    ),
    "mask-label-one-row": (
        "Some leaks are found and others are not.",
        "You seem to look at one row only.",
        "weights[4, 5:].any()",
    ),
    "mask-label-neighbour": (
        "Some leaks are found and others are not.",
        "You seem to look at one distance only, next to the diagonal or beyond it.",
        "np.diag(weights, 1).any()",
    ),
    "mask-label-amount": (
        "A number came back that says how much leaks.",
        "True or False is wanted.",
        "np.triu(weights, 1).sum()",
    ),
    "row-cut": (
        "The weights are right, but the hidden keys have no place.",
        "A key that weighs 0 is still a key.",
        "softmax(scores[:3])",
    ),
}

MASKED = BAG | SCALING | MASKS
