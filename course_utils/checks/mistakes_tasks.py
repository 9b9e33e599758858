"""Mistakes in vectors, projections, rows, labels and counts: id -> (what is seen, what is suspected, an example). See mistakes.py."""

VECTORS = {
    "terms-added": (
        "Your number does not grow with both vectors.",
        "You seem to add where you should multiply.",
        "a + b",
    ),
    "terms-multiplied": (
        "Your number is far too large or too small.",
        "You seem to multiply the products instead of adding them.",
        "np.prod(a * b)",
    ),
    "terms-reversed": (
        "The numbers of one vector meet the other ones backwards.",
        "One of the vectors seems to be turned round.",
        "a @ b[::-1]",
    ),
    "sums-multiplied": (
        "Your number mixes places that never meet.",
        "You seem to add up each vector first and then multiply the sums.",
        "sum(a) * sum(b)",
    ),
    "running-totals": ("A whole list of totals came back.", "Only the last total is wanted.", "np.cumsum(a * b)"),
    "total-overwritten": (
        "Only the last product arrived in the total.",
        "Each round of the loop seems to write over the total.",
        "total = x * y",
    ),
    "returned-too-early": (
        "Only the first product arrived in the total.",
        "The return seems to stand inside the loop.",
        "for ...: return x * y",
    ),
    "total-of-one": ("Your number is always 1 too large.", "The total seems to start at 1.", "total = 1"),
    "cosine-without-lengths": (
        "Longer vectors give a larger number, and a cosine must not care.",
        "The lengths seem to be left out.",
        "a @ b",
    ),
    "cosine-one-length": (
        "The length of one of the vectors still changes your number.",
        "You seem to divide by one length only.",
        "a @ b / norm(a)",
    ),
    "cosine-one-vector": (
        "The length of one vector makes your number smaller, that of the other one larger.",
        "The same length seems to stand twice in the denominator.",
        "a @ b / (a @ a)",
    ),
    "cosine-root-missing": (
        "Longer vectors give a smaller number, and a cosine must not care.",
        "The lengths seem to be squared: a root is missing.",
        "a @ b / ((a @ a) * (b @ b))",
    ),
    "cosine-lengths-added": (
        "Longer vectors give another number, and a cosine must not care.",
        "The two lengths seem to be added.",
        "a @ b / (norm(a) + norm(b))",
    ),
    "cosine-brackets": (
        "One length makes your number larger, the other one smaller.",
        "A division followed by a multiplication may need brackets.",
        "a @ b / norm(a) * norm(b)",
    ),
    "cosine-wrong-length": (
        "Your number is near a cosine, but it is none.",
        "The length of an arrow seems to be measured in another way.",
        "a @ b / (abs(a).sum() * abs(b).sum())",
    ),
    "cosine-counts": (
        "Longer arrows give a larger number.",
        "You seem to count numbers with len: how long is the arrow?",
        "a @ b / (len(a) * len(b))",
    ),
    "cosine-root-twice": (
        "Longer vectors still give a larger number.",
        "A root too many seems to be taken.",
        "a @ b / np.sqrt(norm(a) * norm(b))",
    ),
    "cosine-angle": ("An angle came back.", "You seem to go one step further than the cosine.", "np.arccos(c)"),
    "cosine-distance": (
        "Vectors that point the same way get 0.",
        "You seem to give back a distance made from the cosine.",
        "1 - c",
    ),
    "cosine-of-number": (
        "Your number does not follow the angle.",
        "You seem to take the cosine of something that is no angle.",
        "np.cos(a @ b)",
    ),
    "cosine-squared": ("No number is negative, and some should be.", "You seem to square the cosine.", "c**2"),
}

PROJECTIONS = {
    "key-value-swapped": ("Q is right.", "K and V seem to come back in each other's place.", "return Q, V, K"),
    "query-value-swapped": ("K is right.", "Q and V seem to come back in each other's place.", "return V, K, Q"),
    "project-order": (
        "All three are there, in another order.",
        "The return seems to name them in the wrong order.",
        "return K, V, Q",
    ),
    "project-one-matrix": (
        "Q, K and V are all the same.",
        "One matrix seems to make all three.",
        "X @ W_Q, X @ W_Q, X @ W_Q",
    ),
    "project-reuses": (
        "Two of the three are the same.",
        "One matrix seems to be used twice.",
        "X @ W_Q, X @ W_K, X @ W_K",
    ),
    "project-chained": (
        "Q is right and the next ones are not.",
        "Each product seems to start from the one before instead of from X.",
        "K = Q @ W_K",
    ),
    "project-missing": (
        "What came back is what went in.",
        "The product of X and its matrix seems to be missing.",
        "return X, X, X",
    ),
    "project-adds": ("The matrices are added to X.", "A projection is no sum.", "X + W_Q"),
    "project-matrix-first": (
        "The matrix stands on the wrong side of the product.",
        "Each row of X is a token: does a row meet the matrix?",
        "W_Q @ X",
    ),
    "project-matrix-transposed": (
        "The numbers of each token meet the wrong axis of the matrix.",
        "The matrix seems to be transposed.",
        "X @ W_Q.T",
    ),
}

ROWS = {
    "row-is-column": (
        "Your numbers are what all queries give to one key.",
        "You seem to take a column where the query has a row.",
        "weights[:, i]",
    ),
    "row-off-by-one": ("This is the row of a neighbour.", "The index seems to be off by one.", "weights[i - 1]"),
    "row-fixed": (
        "The same row comes back whatever i is.",
        "A fixed number seems to stand where i should.",
        "weights[4]",
    ),
    "row-all": ("The weights of all queries came back.", "Only one row is wanted.", "return weights"),
    "row-one-weight": (
        "A single weight came back.",
        "You seem to take one place where the query has a whole row.",
        "weights[i, i]",
    ),
    "keys-are-weights": (
        "Your scores are the wanted weights themselves.",
        "The softmax comes after the scores and changes them: which scores does it turn into these weights?",
        "keys = row[:, None]",
    ),
    "keys-log-base": (
        "Your scores lead to weights that are too even.",
        "The exponential undoes one logarithm only, and you seem to use another.",
        "keys = np.log2(row)[:, None]",
    ),
    "keys-shape": ("The vectors do not fit together.", "The message says which shape came.", "keys of shape (2, 12)"),
    "keys-row": (
        "These vectors do not reach the wanted row yet.",
        "The message names the first weight that is off.",
        "keys = np.ones((12, 2))",
    ),
}

TASKS = VECTORS | PROJECTIONS | ROWS
