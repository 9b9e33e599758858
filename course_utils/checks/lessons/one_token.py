"""The last exercise of lesson 17: one token through a block that normalises before its parts, with a cache."""

from types import SimpleNamespace

import numpy as np

from course_utils.attention import softmax
from course_utils.checks.engine.exercise import Exercise, fault
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_17 import PROMISED, token
from course_utils.layers import FeedForward, layer_norm

EPSILON = 1e-3  # of the student's norm, in lesson 11


def below(rows, new):
    return np.concatenate([rows, new[None]])


def in_pieces(rows, n_heads):
    """Cut rows (..., d_model) into heads: (n_heads, ..., d_k), each of them one piece."""
    return np.moveaxis(rows.reshape(*rows.shape[:-1], n_heads, -1), -2, 0)


def in_turns(rows, n_heads):
    """Cut rows (..., d_model) into heads so that their columns alternate."""
    return np.moveaxis(rows.reshape(*rows.shape[:-1], -1, n_heads), -1, 0)


STEPS = {
    "norms": lambda i: True,
    "behind": "",  # "part": the norm stands behind a part, "sum": behind the sum
    "row": lambda i: i,
    "swap": lambda gain, bias: (gain, bias),
    "sources": lambda inside, x: (inside, inside, inside),
    "matrices": lambda W: W,
    "heads": lambda n_heads: n_heads,
    "cut": in_pieces,
    "merge": lambda found: found.reshape(-1),
    "pair": lambda q, k, v: (k, v),
    "append": below,
    "seen": lambda old, new: new,
    "scale": lambda d_k, d_model, n: d_k**-0.5,
    "out": lambda merged, W_O: merged @ W_O,
    "kept": lambda old, new: new,
    "adds": lambda i: True,
    "base": lambda x, inside, start: x,
    "reads": lambda x, start: x,
    "order": (0, 1),
    "last": lambda output, K, V: (output, K, V),
}


def look(step, x, inside, W, n_heads, K, V):
    """Return what attention finds for one token, (d_model,), and the longer cache."""
    W, n_heads = step.matrices(W), step.heads(n_heads)
    q, k, v = (source @ matrix for source, matrix in zip(step.sources(inside, x), W[:3], strict=True))
    k, v = step.pair(q, k, v)
    longer = step.append(K, k), step.append(V, v)
    q, K, V = (step.cut(rows, n_heads) for rows in (q, *step.seen((K, V), longer)))
    scores = np.einsum("hd,hnd->hn", q, K) * step.scale(q.shape[-1], len(x), K.shape[1])
    found = np.einsum("hn,hnd->hd", softmax(scores), V)
    return step.out(step.merge(found), W[3]), *longer


def block_step(x, W, W_in, b_in, W_out, b_out, gains, biases, n_heads, K, V, **wrong):
    """Return the output (d_model,) of one token, and K and V (n + 1, d_model) with its key and value.

    wrong: steps of STEPS in another setting.
    """
    step = SimpleNamespace(**STEPS | wrong)
    start, old, new = x, (K, V), (K, V)
    for i in step.order:
        gain, bias = step.swap(gains[step.row(i)], biases[step.row(i)])
        before = step.reads(x, start)
        inside = layer_norm(before, gain, bias, EPSILON) if step.norms(i) and not step.behind else before
        if i == 0:
            out, *new = look(step, before, inside, W, n_heads, K, V)
        else:
            out = FeedForward(W_in, b_in, W_out, b_out)(inside)
        out = layer_norm(out, gain, bias, EPSILON) if step.behind == "part" else out
        x = step.base(x, inside, start) + out if step.adds(i) else out
        x = layer_norm(x, gain, bias, EPSILON) if step.behind == "sum" else x
    return step.last(x, *step.kept(old, new))


BLOCK_STEP = Exercise(
    name="block_step",
    reference=block_step,
    solution=solutions.block_step,
    arguments=("x", "W", "W_in", "b_in", "W_out", "b_out", "gains", "biases", "n_heads", "K", "V"),
    gives={"the output": "(d_model,)", "K": "(n + 1, d_model)", "V": "(n + 1, d_model)"},
    **PROMISED["block_step"],
    probes=(
        token(5, 4, 6, 2, seed=1),
        token(5, 4, 6, 2, seed=2),
        token(3, 6, 4, 3, seed=3),
        token(4, 6, 5, 2, seed=4),
        token(2, 4, 4, 4, seed=5),
    ),
    hint="One token is a block of one row whose keys and values stand in the cache, too.",
    faults=(
        fault("cache-without-itself", seen=lambda old, new: old),
        fault("cache-twice", seen=lambda old, new: tuple(below(rows, rows[-1]) for rows in new)),
        fault("cache-in-front", append=lambda rows, new: np.concatenate([new[None], rows])),
        fault("cache-overwritten", append=lambda rows, new: np.concatenate([rows[:-1], new[None]])),
        fault("cache-rolls", append=lambda rows, new: np.concatenate([rows[1:], new[None]])),
        fault("cache-not-kept", kept=lambda old, new: old),
        fault("cache-key-value-swapped", pair=lambda q, k, v: (v, k)),
        fault("cache-query-kept", pair=lambda q, k, v: (q, v)),
        fault("cache-order", last=lambda output, K, V: (K, V, output)),
        fault("cache-order", "block_step", last=lambda x, K, V: (x, V, K)),
        fault("key-value-swapped", "block_step", seen=lambda old, new: new[::-1]),
        fault("query-key-swapped", matrices=lambda W: W[[1, 0, 2, 3]]),
        fault("block-not-normalised", sources=lambda inside, x: (inside, x, x)),
        fault("block-not-normalised", sources=lambda inside, x: (x, inside, inside)),
        fault("block-not-normalised", sources=lambda inside, x: (inside, x, inside)),
        fault("block-not-normalised", sources=lambda inside, x: (inside, inside, x)),
        fault("scale-missing", scale=lambda d_k, d_model, n: 1),
        fault("scale-dk-not-sqrt", scale=lambda d_k, d_model, n: 1 / d_k),
        fault("scale-multiplied", scale=lambda d_k, d_model, n: d_k**0.5),
        fault("scale-n", scale=lambda d_k, d_model, n: n**-0.5),
        fault("scale-dmodel", scale=lambda d_k, d_model, n: d_model**-0.5),
        fault("output-matrix-missing", out=lambda merged, W_O: merged),
        fault("output-matrix-transposed", out=lambda merged, W_O: merged @ W_O.T),
        fault("output-matrix-transposed", "all_matrices", matrices=lambda W: W.swapaxes(1, 2)),
        fault("block-one-head", heads=lambda n_heads: 1),
        fault("heads-interleaved", cut=in_turns),
        fault("heads-interleaved", "merged", merge=lambda found: found.T.reshape(-1)),
        fault("block-norm-missing", norms=lambda i: i == 1),
        fault("block-norm-missing", norms=lambda i: i == 0),
        fault("block-norm-missing", norms=lambda i: False),
        fault("block-norm-behind", behind="sum"),
        fault("block-norm-behind", behind="part"),
        fault("block-nothing-added", adds=lambda i: i == 1),
        fault("block-nothing-added", adds=lambda i: i == 0),
        fault("block-nothing-added", adds=lambda i: False),
        fault("block-residual-normalised", "block_step", base=lambda x, inside, start: inside),
        fault("block-residual-from-start", base=lambda x, inside, start: start),
        fault("block-side-by-side", reads=lambda x, start: start),
        fault("block-one-norm", row=lambda i: 0),
        fault("block-one-norm", row=lambda i: 1),
        fault("block-norms-swapped", row=lambda i: 1 - i),
        fault("norm-gain-bias-swapped", swap=lambda gain, bias: (bias, gain)),
        fault("block-part-missing", order=(0,)),
        fault("block-part-missing", order=(1,)),
        fault("block-parts-swapped", "block_step", order=(1, 0)),
    ),
)
