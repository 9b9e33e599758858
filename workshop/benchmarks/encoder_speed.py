"""The encoder of lesson 18: a sentence in NumPy, and in torch if installed."""

import statistics
import time

import numpy as np

from course_utils.encoder import load_encoder

SENTENCE = "The animal didn't cross the street because it was too tired."  # 16 tokens


def figures():
    """Yield (what, figure, unit) and a goal, for the table of bench.py."""
    encoder = load_encoder()
    ours = milliseconds(lambda: encoder(SENTENCE))
    yield f"encoder, {len(encoder(SENTENCE).tokens)} tokens", ours, "ms", 15
    yield "  in a batch of 16 such sentences, each", milliseconds(lambda: encoder([SENTENCE] * 16)) / 16, "ms"
    try:
        theirs = in_torch(encoder)
    except ModuleNotFoundError:
        print("  torch is not installed here, so nothing to compare with")
        return
    yield "  NumPy / torch", ours / milliseconds(theirs), "x"


def milliseconds(function, runs=50):
    """Return the median time of one call, after five warm-up calls."""
    times = []
    for _ in range(runs + 5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times[5:])


def in_torch(encoder):
    """Return a function that computes the sentence's hidden states with the encoder's own matrices."""
    import torch
    from torch.nn import functional as F

    def dense(X, W, b):
        return X @ torch.from_numpy(W) + torch.from_numpy(b)

    def norm(X, pair):
        gain, bias = map(torch.from_numpy, pair)
        return F.layer_norm(X, gain.shape, gain, bias, 1e-12)

    def heads(X, n_heads):
        return X.unflatten(-1, (n_heads, -1)).transpose(-3, -2)  # (n_heads, n, d_k)

    def run():
        ids = encoder.tokenizer.encode(SENTENCE).ids
        X = norm(torch.from_numpy(encoder.words[ids] + encoder.positions[: len(ids)]), encoder.norm)  # (n, d_model)
        for block in encoder.blocks:
            own, wide = block.attention, block.feed_forward
            pairs = ((own.W_Q, own.b_Q), (own.W_K, own.b_K), (own.W_V, own.b_V))
            Q, K, V = (heads(dense(X, W, b), own.n_heads) for W, b in pairs)
            mixed = F.scaled_dot_product_attention(Q, K, V).transpose(-3, -2).flatten(-2)  # (n, d_model)
            X = norm(X + dense(mixed, own.W_O, own.b_O), block.norms[0])
            inner = F.gelu(dense(X, wide.W_in, wide.b_in))  # (n, d_wide)
            X = norm(X + dense(inner, wide.W_out, wide.b_out), block.norms[1])
        return X.numpy()

    with torch.inference_mode():
        assert np.abs(run() - encoder(SENTENCE).hidden).max() < 1e-4  # the same model, or no comparison
    return torch.inference_mode()(run)
