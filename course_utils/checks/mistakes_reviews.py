"""Mistakes in verdicts, twins and cuts: id -> (what is seen, what is suspected, an example). See mistakes.py."""

REVIEWS = {
    "verdict-negation-unused": (
        "A negated adjective gets the same verdict as a plain one.",
        "The negations seem to be left out.",
        "return good",
    ),
    "verdict-any-negation": (
        "Two negations give the same verdict as one.",
        "You seem to ask whether there is a negation: what does the second one do to the first?",
        "good ^ (negations > 0)",
    ),
    "verdict-two-is-none": (
        "The labels are wrong for some numbers of negations.",
        "One number of negations seems to be asked for; the rule has to hold for every number.",
        "good ^ (negations == 1)",
    ),
    "verdict-adjective-unused": (
        "Your labels depend on the negations alone.",
        "The adjective seems to be left out.",
        "negations % 2",
    ),
    "verdict-bad-stays-bad": (
        "A bad word that is negated once gets 0.",
        "You seem to let a negation spoil a good word only: what is it to be not bad?",
        "good & (negations % 2 == 0)",
    ),
    "verdict-negated-is-good": (
        "A good word that is negated once gets 1.",
        "You seem to call everything good that is good or negated.",
        "good | (negations % 2)",
    ),
    "verdict-inverted": ("Every verdict is turned round.", "Does 1 mean praise?", "1 - labels"),
    "verdict-added": (
        "Some labels are neither 0 nor 1.",
        "You seem to add or subtract where the verdict should turn.",
        "good + negations % 2",
    ),
    "twins-one-by-one": (
        "Your number is the accuracy.",
        "You seem to count reviews; whoever counts words has 0.5 in that, and tells no twins apart.",
        "np.mean(labels == predictions)",
    ),
    "twins-one-is-enough": (
        "A pair with one right answer counts as told apart.",
        "One of two seems to be enough for you.",
        "right.any(axis=1)",
    ),
    "twins-first-only": (
        "Half of the predictions change nothing.",
        "You seem to look at one twin of each pair only.",
        "right[0::2].mean()",
    ),
    "twins-only-different": (
        "A pair counts too when both answers are wrong.",
        "You seem to ask whether the two answers differ; they may differ the wrong way round.",
        "predictions[0::2] != predictions[1::2]",
    ),
    "twins-far-apart": (
        "Your pairs are not the twins.",
        "Twins are neighbours, and you seem to pair the first half with the second.",
        "right.reshape(2, -1).all(axis=0)",
    ),
    "twins-neighbours": (
        "There are too many pairs.",
        "Each row seems to be paired with the next one; then most pairs are no twins.",
        "right[1:] & right[:-1]",
    ),
    "twins-not-divided": ("A number of pairs came back.", "A share was asked for.", "both.sum()"),
    "twins-per-review": (
        "Your number is half of what it should be.",
        "You seem to divide by the number of reviews, not of pairs.",
        "both.sum() / len(labels)",
    ),
    "twins-missed": (
        "Perfect predictions get 0.",
        "You seem to count the pairs that were not told apart.",
        "1 - both.mean()",
    ),
    "cut-nothing": (
        "Every query may look at every key.",
        "No place of the mask seems to be False.",
        "np.ones((n, n), bool)",
    ),
    "cut-other-way": (
        "The look of the key at the query is cut.",
        "Row and column seem to be exchanged: who looks?",
        "mask[key, query] = False",
    ),
    "cut-both-ways": (
        "Two looks are cut.",
        "You seem to cut the way back as well.",
        "mask[key, query] = mask[query, key] = False",
    ),
    "cut-whole-query": (
        "The query may look at nothing any more.",
        "A whole row seems to be False, which leaves the softmax nothing to share out.",
        "mask[query] = False",
    ),
    "cut-whole-key": (
        "Nobody may look at the key any more.",
        "A whole column seems to be False, and only one query was meant.",
        "mask[:, key] = False",
    ),
    "cut-cross": (
        "A whole row and a whole column are cut.",
        "You seem to take everything that touches one of the two words.",
        "mask[query] = mask[:, key] = False",
    ),
    "cut-neighbour": (
        "Another look is cut.",
        "Both indices seem to be off by one.",
        "mask[query - 1, key - 1] = False",
    ),
    "cut-itself": (
        "A word may not look at itself any more, and the look that was meant is still there.",
        "The same word seems to stand for query and key.",
        "mask[query, query] = False",
    ),
    "cut-up-to": (
        "Other keys are cut than the one that was meant.",
        "A slice seems to stand where one index should.",
        "mask[query, :key] = False",
    ),
}
