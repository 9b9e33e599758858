"""Mistakes in cost and scale: id -> (what is seen, what is suspected, an example). See mistakes.py."""

SCALE = {
    "bytes-not-squared": (
        "Twice the tokens give twice the bytes.",
        "Each query seems to have one weight: how many keys does it weigh?",
        "n * n_heads",
    ),
    "bytes-half-matrix": (
        "Your number is about half as large.",
        "Half of the matrix seems to be left out, and no mask was asked for.",
        "n * (n + 1) // 2",
    ),
    "bytes-one-layer": ("The number of layers changes nothing.", "Only one layer seems to count.", "n_heads * n * n"),
    "bytes-one-head": ("The number of heads changes nothing.", "Only one head seems to count.", "n_layers * n * n"),
    "bytes-one-matrix": (
        "Neither layers nor heads change your number.",
        "Only one matrix of weights seems to count.",
        "n * n * bytes_per_weight",
    ),
    "bytes-added": (
        "Layers and heads count too little.",
        "They seem to be added: does each layer have only one head?",
        "n_layers + n_heads",
    ),
    "bytes-are-weights": (
        "Larger numbers take no more bytes in your answer.",
        "You seem to count weights and not bytes.",
        "n_layers * n_heads * n * n",
    ),
    "bytes-in-gigabytes": (
        "Your number is about a thousand million times too small.",
        "You seem to count gigabytes, and the text asks for bytes.",
        "weights * bytes_per_weight / 1e9",
    ),
    "bytes-are-bits": ("Your number is 8 times too large.", "You seem to count bits.", "8 * bytes_per_weight"),
    "bytes-divided": (
        "Larger numbers take fewer bytes in your answer.",
        "A division seems to stand where a product belongs.",
        "weights / bytes_per_weight",
    ),
    "online-highest-forgotten": (
        "The highest score can fall.",
        "The old highest score seems to be forgotten.",
        "new = scores.max()",
    ),
    "online-highest-kept": (
        "The highest score never rises.",
        "The scores of the new tile seem to have no part in it.",
        "new = highest",
    ),
    "online-shrink-missing": (
        "What was summed before counts too much after a higher score.",
        "The old sums seem to stay as they were.",
        "total + e.sum()",
    ),
    "online-shrink-inverted": (
        "What was summed before grows when a higher score comes.",
        "The factor of the old sums seems to be upside down.",
        "np.exp(new - highest)",
    ),
    "online-not-exponential": (
        "The factor of the old sums is no share.",
        "An exponential seems to be missing in it.",
        "total * (highest - new)",
    ),
    "online-own-measure": (
        "A tile of low scores counts as much as one of high scores.",
        "The new scores seem to be measured from their own highest, not from that of all.",
        "np.exp(scores - scores.max())",
    ),
    "online-old-measure": (
        "A higher score comes, and the sums are still measured from the old one.",
        "The new highest score seems to be unused in the exponentials.",
        "np.exp(scores - highest)",
    ),
    "online-not-measured": (
        "The exponentials are not measured from the highest score.",
        "A subtraction seems to be missing.",
        "np.exp(scores)",
    ),
    "online-total-not-shrunk": (
        "The mixture is right, and the total is not.",
        "The old total seems to stay as it was.",
        "total + e.sum()",
    ),
    "online-total-lost": (
        "The total knows only the last tile.",
        "The old total seems to be written over.",
        "total = e.sum()",
    ),
    "online-mixture-not-shrunk": (
        "The total is right, and the mixture is not.",
        "The old mixture seems to stay as it was.",
        "mixture + e @ values",
    ),
    "online-mixture-lost": (
        "The mixture knows only the last tile.",
        "The old mixture seems to be written over.",
        "mixture = e @ values",
    ),
    "online-divided-too-early": (
        "The mixture is too small for the next step.",
        "You seem to divide already, and more tiles may come.",
        "mixture / total",
    ),
    "online-values-unweighted": (
        "The scores of the tile do not change the mixture's new part.",
        "The values seem to be added without their exponentials.",
        "values.sum(axis=0)",
    ),
    "online-order": (
        "Highest score and total came back in each other's place.",
        "In which order are they wanted?",
        "return total, highest, mixture",
    ),
    "cache-without-itself": (
        "The new value has no part in the output.",
        "The token seems to look before its own key is in the cache.",
        "softmax(K @ q / ...) @ V before vstack",
    ),
    "cache-in-front": (
        "The new token stands first in the cache.",
        "In which order were the tokens written?",
        "np.vstack([k, K])",
    ),
    "cache-overwritten": (
        "The cache did not grow, and its last token is gone.",
        "The new token seems to be written over the last one.",
        "K[-1] = k",
    ),
    "cache-rolls": (
        "The cache did not grow, and its first token is gone.",
        "The oldest token seems to be thrown out.",
        "np.vstack([K[1:], k])",
    ),
    "cache-not-kept": (
        "The cache came back as it was.",
        "The next token will not find this one: what seems to be missing in the return?",
        "return output, K, V with the old K and V",
    ),
    "cache-key-value-swapped": (
        "The new value stands among the keys, or the new key among the values.",
        "They seem to be appended in each other's place.",
        "np.vstack([K, v])",
    ),
    "cache-query-kept": (
        "A query stands among the keys.",
        "You seem to append it in the place of the new key.",
        "np.vstack([K, q])",
    ),
    "cache-key-asks": (
        "The query changes nothing.",
        "The new key seems to ask in its place.",
        "K @ k",
    ),
    "cache-order": (
        "All three are there, in another order.",
        "The output comes first.",
        "return K, V, output",
    ),
}
