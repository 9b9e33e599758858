"""Mistakes in scores: id -> (what is seen, what is suspected, an example). See mistakes.py."""

SCORES = {
    "query-key-swapped": (
        "The numbers stand on the wrong side of the diagonal.",
        "Queries and keys seem to have changed roles: rows must be queries and columns keys.",
        "K @ Q.T",
    ),
    "key-unused": ("Your answer ignores K.", "The queries seem to be compared with queries.", "Q @ Q.T"),
    "query-unused": ("Your answer ignores Q.", "The keys seem to be compared with keys.", "K @ K.T"),
    "key-not-transposed": (
        "The matrix product runs over the wrong axes.",
        "It seems that K went in as it is, or was reshaped: dot products need whole keys to meet whole queries.",
        "Q @ K",
    ),
    "product-over-tokens": (
        "The result has one row for each dimension, not for each query.",
        "Your product seems to sum over the tokens.",
        "Q.T @ K",
    ),
    "product-elementwise": (
        "The products are there, but nobody added them up.",
        "The sign * multiplies number by number and adds nothing.",
        "Q * K",
    ),
    "product-same-row": (
        "There is one number for each query, and there should be one for each pair.",
        "Each query seems to meet only the key of its own row.",
        "(Q * K).sum(axis=-1)",
    ),
    "product-summed-up": (
        "One number came back, and each key has its own score.",
        "One sum too many seems to run.",
        "np.sum(K * q)",
    ),
    "product-absolute": (
        "No score is negative, and some should be.",
        "Something seems to take absolute values.",
        "np.abs(Q @ K.T)",
    ),
    "product-cosine": (
        "Long vectors count no more than short ones in your answer.",
        "You seem to use cosines, which leave the lengths out.",
        "Q @ K.T / np.outer(norm(Q), norm(K))",
    ),
    "product-distance": (
        "Your scores measure how far apart two vectors lie.",
        "You seem to use distances in place of dot products.",
        "-np.linalg.norm(q - k)",
    ),
    "scale-missing": (
        "The scores are too large, and more so for longer keys.",
        "The scores look like bare dot products: the scaling is missing.",
        "Q @ K.T",
    ),
    "scale-dk-not-sqrt": (
        "The scores are too small, and more so for longer keys.",
        "You seem to divide by d_k as it is, which is too much.",
        "Q @ K.T / d_k",
    ),
    "scale-dmodel": (
        "The scores are off by a factor that does not follow the length of a key.",
        "You seem to scale with d_model: which length do the summed products really have?",
        "Q @ K.T / np.sqrt(d_model)",
    ),
    "scale-multiplied": (
        "The scores grow much too fast with the length of a key.",
        "You seem to multiply where you should divide.",
        "Q @ K.T * np.sqrt(d_k)",
    ),
    "scale-n": (
        "The scores change with the number of tokens, and they should not.",
        "You seem to scale with the number of tokens instead of the length of a key.",
        "Q @ K.T / np.sqrt(K.shape[0])",
    ),
    "scale-half-not-root": (
        "The scores are off by a factor that grows with d_k.",
        "Python reads ** 1/2 as the first power divided by 2: does your code hold something like that?",
        "Q @ K.T / d_k ** 1/2",
    ),
    "scale-hardcoded": (
        "The scores are divided by the same number, whatever the length of a key.",
        "A fixed number seems to stand where the length of a key should be read from the arrays.",
        "Q @ K.T / np.sqrt(2)",
    ),
    "scale-wrong": (
        "The scores are right up to a factor.",
        "The factor of your scaling is wrong.",
        "Q @ K.T / (d_k + 1)",
    ),
    "scale-after-softmax": (
        "The weights of a row sum to less than 1.",
        "You seem to scale the weights; it is the scores that need it, before the softmax.",
        "softmax(Q @ K.T) / np.sqrt(d_k)",
    ),
}
