"""Mistakes in heads and positions: id -> (what is seen, what is suspected, an example). See mistakes.py."""

HEADS = {
    "heads-reshape-without-transpose": (
        "The shape is right, but each head got other tokens.",
        "A bare reshape seems to fill the heads in the order of memory.",
        "X.reshape(n_heads, n, -1)",
    ),
    "heads-not-moved": (
        "The tokens still come first.",
        "The axes of tokens and heads seem to wait for their exchange.",
        "X.reshape(n, n_heads, -1)",
    ),
    "heads-interleaved": (
        "Each head got every second or third number of a vector.",
        "The last axis seems to be cut in the wrong order: a head is one piece.",
        "X.reshape(n, -1, n_heads)",
    ),
    "heads-not-cut": (
        "Every head got the whole vectors.",
        "You seem to copy where you should cut.",
        "np.stack([X] * n_heads)",
    ),
    "heads-split-tokens": (
        "The tokens are shared out among the heads.",
        "You seem to cut the wrong axis: each head sees all tokens.",
        "np.split(X, n_heads, axis=0)",
    ),
    "heads-transposed": (
        "Tokens and dimensions have changed places inside each head.",
        "One transpose too many seems to run.",
        "X.T.reshape(n_heads, -1, n)",
    ),
    "heads-merged-wrong": (
        "The shape is right, but tokens are mixed.",
        "A bare reshape seems to put the heads together in the order of memory.",
        "X.reshape(n, -1)",
    ),
    "heads-added": (
        "The heads are added up or averaged.",
        "Heads stand side by side, each with its own columns.",
        "X.sum(axis=0)",
    ),
    "heads-stacked": (
        "The heads stand below each other.",
        "The heads seem to be joined along the tokens.",
        "X.reshape(-1, d_head)",
    ),
    "heads-first-only": ("One head came back.", "The others seem to be lost.", "X[0]"),
    "heads-last-first": ("All heads are there, in the opposite order.", "Something runs backwards.", "X[::-1]"),
    "heads-ignored": (
        "Your layer has one large head.",
        "The number of heads seems to be unused.",
        "attention(X @ W_Q, X @ W_K, X @ W_V) @ W_O",
    ),
    "scale-all-heads": (
        "The scores are too small, and more so for more heads.",
        "You seem to scale with the width of all heads together.",
        "Q @ K.T / np.sqrt(W_Q.shape[1])",
    ),
    "output-matrix-missing": (
        "The heads stand side by side, not mixed.",
        "The last matrix seems to be missing.",
        "merge_heads(heads)",
    ),
    "output-matrix-transposed": (
        "The last matrix meets the wrong axis.",
        "W_O seems to be transposed.",
        "merged @ W_O.T",
    ),
    "cross-swapped": (
        "The wrong sentence looks.",
        "Input and context seem to have changed places.",
        "attention(context @ W_Q, X @ W_K, X @ W_V)",
    ),
    "cross-context-unused": (
        "The sentence looks at itself.",
        "The context seems to be unused.",
        "attention(X @ W_Q, X @ W_K, X @ W_V)",
    ),
    "cross-input-unused": ("The context looks at itself.", "X seems to be unused.", "attention(context @ W_Q, ...)"),
    "cross-values-from-input": (
        "The output is a mix of the wrong values.",
        "The values seem to come from the one who looks.",
        "V = X @ W_V",
    ),
    "cross-keys-from-input": (
        "The weights belong to the wrong keys.",
        "The keys seem to come from the one who looks.",
        "K = X @ W_K",
    ),
}

POSITIONS = {
    "permutation-inverse": (
        "Your matrix undoes the order.",
        "The matrix seems to be transposed: row i says which token comes to place i.",
        "P[order, range(n)] = 1",
    ),
    "permutation-identity": ("Your matrix moves nothing.", "The order seems to be unused.", "np.eye(n)"),
    "permutation-reversed": (
        "Your matrix puts the tokens in the opposite order.",
        "Something runs backwards.",
        "np.eye(n)[order[::-1]]",
    ),
    "permutation-order": ("A list or a diagonal came back.", "A matrix of zeros and ones is wanted.", "return order"),
    "position-sin-cos-split": (
        "The sines stand in one half and the cosines in the other.",
        "Sines and cosines seem to be joined where they should alternate.",
        "np.concatenate([sines, cosines], axis=1)",
    ),
    "position-sin-cos-swapped": (
        "Position 0 starts with 1.",
        "Sines and cosines seem to have changed places.",
        "np.cos at even columns",
    ),
    "position-one-wave": ("Only one kind of wave is there.", "Sines or cosines seem to be missing.", "np.sin(angles)"),
    "position-angles": ("The angles came back.", "The waves seem to be missing.", "positions / 10000 ** ..."),
    "position-degrees": (
        "The waves are far too slow.",
        "The angles seem to be turned into other units.",
        "np.sin(np.radians(angles))",
    ),
    "position-base": (
        "The slow columns turn at the wrong speed.",
        "The base of the powers seems to be another number.",
        "1000 ** (2 * i / d_model)",
    ),
    "position-pairs": (
        "The two columns of a pair turn at different speeds.",
        "Each column seems to have its own exponent.",
        "10000 ** (column / d_model)",
    ),
    "position-exponent": (
        "The columns turn at the wrong speed.",
        "The exponent seems to be wrong: look at its 2 and at its d_model.",
        "10000 ** (i / d_model)",
    ),
    "position-times": (
        "The columns turn faster and faster.",
        "You seem to multiply where you should divide.",
        "positions * 10000 ** ...",
    ),
    "position-from-one": ("Every position is one too far.", "The positions seem to begin at 1.", "np.arange(1, n + 1)"),
    "position-axis": (
        "The positions run along the wrong axis.",
        "Which axis counts the tokens, and which the sentences or the dimensions?",
        "X + P[:len(X), None]",
    ),
    "position-last": ("The tokens get positions from the end.", "You seem to take the last rows of P.", "P[-n:]"),
    "position-reversed": (
        "The positions run backwards.",
        "The first token seems to get the last position.",
        "P[:n][::-1]",
    ),
    "position-one-for-all": ("All tokens get the same vector.", "One position seems to serve all.", "X + P[0]"),
    "position-not-cut": ("P was added as it is.", "P may be longer than the sentence.", "X + P"),
    "position-multiplied": ("The positions are multiplied with the tokens.", "A sum is wanted.", "X * P[:n]"),
    "position-subtracted": ("The positions are taken away from the tokens.", "A sum is wanted.", "X - P[:n]"),
    "position-missing": ("The tokens came back as they were.", "The positions seem to be unused.", "return X"),
    "position-only": ("The positions came back alone.", "The tokens seem to be lost.", "return P[:n]"),
    "position-appended": (
        "The vectors are longer than before.",
        "You seem to append the positions; a sum is wanted.",
        "np.concatenate([X, P], axis=-1)",
    ),
    "position-scaled": (
        "The tokens grew before the sum.",
        "You seem to multiply X; here it is wanted as it is.",
        "X * np.sqrt(d_model) + P[:n]",
    ),
}

LAYERS = HEADS | POSITIONS
