"""Fine-tune one matrix of a trained classifier, the one that makes its keys, in NumPy: gradient and optimizer."""

from collections.abc import Callable, Sequence

import numpy as np

from course_utils.arrays.arguments import as_array, as_count, as_finite, as_real, as_tokens, wrong
from course_utils.arrays.shapes import Array
from course_utils.attention import softmax
from course_utils.models.cls_reader import EPSILON, Classifier


def key_gradient(
    classifier: Classifier,
    tokens: Array["n, seq_len"],
    labels: Array["n"],
    W_K: Array["d_model, d_k"],
    attention_gradient: Callable,
) -> tuple[Array["d_model, d_k"], float]:
    """Return how the loss of a classifier reacts to W_K, when W_K stands in place of its own; and the loss, in nats.

    attention_gradient: a function (Q, K, V, gradient of the output) -> (dQ, dK, dV), such as that of lesson 10.
    Raises ValueError for arrays that do not fit the classifier.
    """
    tokens = as_tokens(tokens, len(classifier.tokens), len(classifier.positions))
    labels, W_K = as_array("labels", labels, "(n,)"), as_finite("W_K", W_K, str(classifier.W_K.shape))
    if labels.shape != tokens.shape[:1] or W_K.shape != classifier.W_K.shape:
        raise wrong("labels and W_K", (labels.shape, W_K.shape), f"{tokens.shape[:1]} and {classifier.W_K.shape}")
    c = classifier._replace(W_K=W_K)
    X = c.tokens[tokens] + c.positions  # (n, seq_len, d_model)
    Q, K, V = X[:, :1] @ c.W_Q + c.b_Q, X @ c.W_K + c.b_K, X @ c.W_V + c.b_V  # the only query is [CLS]
    weights = softmax(Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5)  # (n, 1, seq_len)
    total = X[:, 0] + (weights @ V)[:, 0] @ c.W_O + c.b_O  # (n, d_model)
    centred = total - total.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + EPSILON)  # (n, 1)
    normal = centred / spread
    logits = (normal * c.norm_scale + c.norm_shift) @ c.answer + c.answer_bias  # (n,)
    loss = np.logaddexp(0, np.where(labels == 1, -logits, logits)).mean()
    # The way back, from the last step to the first.
    errors = (0.5 + 0.5 * np.tanh(logits / 2) - labels) / len(labels)  # probability minus label, (n,)
    back = errors[:, None] * (c.answer * c.norm_scale)  # (n, d_model)
    mean, along = back.mean(axis=-1, keepdims=True), (back * normal).mean(axis=-1, keepdims=True)
    back = (back - mean - normal * along) / spread @ c.W_O.T  # (n, d_v)
    _, dK, _ = attention_gradient(Q, K, V, back[:, None])  # (n, seq_len, d_k)
    return X.reshape(-1, X.shape[-1]).T @ np.asarray(dK).reshape(-1, W_K.shape[1]), float(loss)


def adam(
    gradients: Callable, start: Sequence[Array["..."]], *, steps: int = 200, rate: float = 0.05
) -> list[Array["..."]]:
    """Return the arrays after that many steps of Adam, downhill. gradients: a function of all arrays, one for each.

    Raises ValueError for a number of steps below 1. Source: Kingma and Ba 2014, algorithm 1, with 0.9 and 0.99.

    >>> adam(lambda x: [2 * (x - 3)], [np.zeros(1)], rate=0.1)[0].round(1)
    array([3.])
    """
    rate, arrays = as_real("rate", rate), [np.array(one, dtype=float) for one in start]
    first, second = ([np.zeros_like(one) for one in arrays] for _ in range(2))
    for step in range(1, as_count("steps", steps) + 1):
        for i, gradient in enumerate(gradients(*arrays)):
            first[i] += 0.1 * (gradient - first[i])
            second[i] += 0.01 * (np.square(gradient) - second[i])
            scale = np.sqrt(second[i] / (1 - 0.99**step)) + 1e-8
            arrays[i] = arrays[i] - rate * first[i] / (1 - 0.9**step) / scale
    return arrays
