"""The exercises of lesson 16: cost and scale."""

import numpy as np

from course_utils.attention import softmax
from course_utils.checks.engine.exercise import Exercise, Value, fault
from course_utils.checks.engine.verdict import first_of, not_yet
from course_utils.checks.lessons import solutions
from course_utils.checks.lessons.promised.text_16 import PROMISED
from course_utils.checks.lessons.shared import draw


def attention_bytes(
    n,
    n_layers,
    n_heads,
    bytes_per_weight,
    *,
    matrix=lambda n: n * n,
    copies=lambda n_layers, n_heads: n_layers * n_heads,
    size=lambda weights, bytes_per_weight: weights * bytes_per_weight,
    power=lambda squared, once: squared,
):
    """Return the bytes of all weights of a model for one text of n tokens."""
    heads = copies(n_layers, n_heads)
    return power(size(heads * matrix(n), bytes_per_weight), heads * n * bytes_per_weight)


def online_step(
    highest,
    total,
    mixture,
    scores,
    values,
    *,
    top=lambda highest, scores: max(highest, scores.max()),
    base=lambda old, scores, new: new,
    shrink=lambda old, new: np.exp(old - new),
    measure=lambda scores, new, old: scores - new,
    old_total=lambda total, factor: total * factor,
    old_mixture=lambda mixture, factor: mixture * factor,
    part=lambda e, values: e @ values,
    last=lambda highest, total, mixture: (highest, total, mixture),
):
    """Return highest, total and mixture after one more tile: scores (t,), values (t, d_v)."""
    new = top(highest, scores)
    zero = base(highest, scores, new)
    factor, e = shrink(highest, zero), np.exp(measure(scores, zero, highest))
    return last(new, old_total(total, factor) + e.sum(), old_mixture(mixture, factor) + part(e, values))


def below(rows, new):
    return np.concatenate([rows, new[None]])


def cached_step(
    q,
    k,
    v,
    K,
    V,
    *,
    append=below,
    pair=lambda q, k, v: (k, v),
    asks=lambda q, k: q,
    seen=lambda old, new: new,
    scale=lambda q, K: len(q) ** -0.5,
    share=softmax,
    mix=lambda weights, values: weights @ values,
    kept=lambda old, new: new,
    last=lambda output, K, V: (output, K, V),
):
    """Return the output (d_v,) of a new token, and K (n + 1, d_k) and V (n + 1, d_v) with its key and value."""
    k, v = pair(q, k, v)
    longer = append(K, k), append(V, v)
    keys, values = seen((K, V), longer)
    scores = keys @ asks(q, k) * scale(q, keys)
    return last(mix(share(scores), values), *kept((K, V), longer))


def tile(t, d_v, lift, seed):
    """Return a state after four keys, and a tile of t keys whose scores lie higher by `lift`."""
    scores, values, before = draw(t, (t, d_v), 4, seed=seed)
    return (
        *online_step(-np.inf, 0.0, np.zeros(d_v), before, draw((4, d_v), seed=-seed % 99)[0]),
        scores + lift,
        values,
    )


def first_tile(t, d_v, seed):
    return (-np.inf, 0.0, np.zeros(d_v), *draw(t, (t, d_v), seed=seed))


RIGHT_TOOLS = ("tiles", "cache", "recurrent", "plain")
WRONG_TOOLS = (  # for each job, the mistake of each wrong tool
    {"plain": "tool-matrix", "cache": "tool-one-by-one", "recurrent": "tool-forgets"},
    {"plain": "tool-all-again", "tiles": "tool-all-again", "recurrent": "tool-forgets"},
    dict.fromkeys(("plain", "tiles", "cache"), "tool-grows"),
    {"tiles": "tool-needless", "cache": "tool-needless", "recurrent": "tool-forgets"},
)


def judge_tools(answer):
    """Say what is found in four tools, one for each job of the lesson."""
    tools = list(answer) if isinstance(answer, list | tuple | np.ndarray) and np.ndim(answer) else []
    if len(tools) != len(RIGHT_TOOLS) or not all(tool in RIGHT_TOOLS for tool in tools):
        return not_yet("not-a-value", f"Four words are wanted, each of them one of {', '.join(RIGHT_TOOLS)}.")
    found = [wrong[tool] for tool, wrong in zip(tools, WRONG_TOOLS, strict=True) if tool in wrong]
    return first_of(found)


EXERCISES = (
    Exercise(
        name="attention_bytes",
        reference=attention_bytes,
        solution=solutions.attention_bytes,
        arguments=("n", "n_layers", "n_heads", "bytes_per_weight"),
        gives={"the bytes": "one number"},
        **PROMISED["attention_bytes"],
        probes=((768, 12, 8, 4), (1024, 24, 16, 2), (1000, 6, 10, 8), (1500, 32, 5, 2), (5, 3, 2, 4)),
        hint="Every head of every layer has weights of its own.",
        faults=(
            fault("bytes-not-squared", matrix=lambda n: n),
            fault("bytes-not-squared", matrix=lambda n: 2 * n),
            fault("bytes-xor", matrix=lambda n: n ^ 2),
            fault("bytes-xor", power=lambda squared, once: once ^ 2),
            fault("bytes-half-matrix", matrix=lambda n: n * (n + 1) // 2),
            fault("bytes-half-matrix", matrix=lambda n: n * n / 2),
            fault("bytes-one-layer", copies=lambda n_layers, n_heads: n_heads),
            fault("bytes-one-head", copies=lambda n_layers, n_heads: n_layers),
            fault("bytes-one-matrix", copies=lambda n_layers, n_heads: 1),
            fault("bytes-added", copies=lambda n_layers, n_heads: n_layers + n_heads),
            fault("bytes-are-weights", size=lambda weights, bytes_per_weight: weights),
            fault("bytes-in-gigabytes", size=lambda weights, bytes_per_weight: weights * bytes_per_weight / 1e9),
            fault("bytes-in-gigabytes", size=lambda weights, bytes_per_weight: weights * bytes_per_weight / 2**30),
            fault("bytes-are-bits", size=lambda weights, bytes_per_weight: 8 * weights * bytes_per_weight),
            fault("bytes-divided", size=lambda weights, bytes_per_weight: weights / bytes_per_weight),
        ),
    ),
    Exercise(
        name="online_step",
        reference=online_step,
        solution=solutions.online_step,
        arguments=("highest", "total", "mixture", "scores", "values"),
        gives={"highest": "one number", "total": "one number", "mixture": "(d_v,)"},
        **PROMISED["online_step"],
        probes=(
            tile(5, 2, 4, seed=1),  # the new tile holds the highest score
            tile(5, 2, -4, seed=2),  # it does not
            tile(3, 3, 1.5, seed=3),
            tile(4, 2, -1.5, seed=4),
            first_tile(4, 3, seed=5),
        ),
        hint="Old and new sums must be measured from the same highest score before they are added.",
        faults=(
            fault("online-highest-forgotten", top=lambda highest, scores: scores.max()),
            fault("online-highest-kept", top=lambda highest, scores: highest),
            fault("online-shrink-missing", shrink=lambda old, new: 1.0),
            fault("online-shrink-inverted", shrink=lambda old, new: np.exp(new - old)),
            fault("online-not-exponential", shrink=lambda old, new: old - new),
            fault("online-own-measure", measure=lambda scores, new, old: scores - scores.max()),
            fault("online-own-measure", base=lambda old, scores, new: scores.max()),
            fault("online-old-measure", base=lambda old, scores, new: old),
            fault("online-old-measure", measure=lambda scores, new, old: scores - old),
            fault("online-not-measured", measure=lambda scores, new, old: scores),
            fault("online-total-not-shrunk", old_total=lambda total, factor: total),
            fault("online-total-lost", old_total=lambda total, factor: 0),
            fault("online-mixture-not-shrunk", old_mixture=lambda mixture, factor: mixture),
            fault("online-mixture-lost", old_mixture=lambda mixture, factor: 0),
            fault("online-divided-too-early", last=lambda highest, total, mixture: (highest, total, mixture / total)),
            fault("online-divided-too-early", part=lambda e, values: e @ values / e.sum()),
            fault("online-values-unweighted", part=lambda e, values: values.sum(0)),
            fault("online-order", last=lambda highest, total, mixture: (total, highest, mixture)),
        ),
    ),
    Exercise(
        name="cached_step",
        reference=cached_step,
        solution=solutions.cached_step,
        arguments=("q", "k", "v", "K", "V"),
        gives={"the output": "(d_v,)", "K": "(n + 1, d_k)", "V": "(n + 1, d_v)"},
        **PROMISED["cached_step"],
        probes=(
            draw(5, 5, 2, (6, 5), (6, 2), seed=1),
            draw(5, 5, 2, (6, 5), (6, 2), seed=2),
            draw(3, 3, 3, (4, 3), (4, 3), seed=3),  # keys and values equally long: here they can change places
            draw(6, 6, 4, (3, 6), (3, 4), seed=4),
        ),
        hint="The new token is the last of the keys that it looks at.",
        faults=(
            fault("cache-without-itself", seen=lambda old, new: old),
            fault("cache-in-front", append=lambda rows, new: np.concatenate([new[None], rows])),
            fault("cache-overwritten", append=lambda rows, new: np.concatenate([rows[:-1], new[None]])),
            fault("cache-rolls", append=lambda rows, new: np.concatenate([rows[1:], new[None]])),
            fault("cache-not-kept", kept=lambda old, new: old),
            fault("cache-key-value-swapped", pair=lambda q, k, v: (v, k)),
            fault("cache-query-kept", pair=lambda q, k, v: (q, v)),
            fault("cache-key-asks", asks=lambda q, k: k),
            fault("scale-missing", scale=lambda q, K: 1),
            fault("scale-dk-not-sqrt", scale=lambda q, K: 1 / len(q)),
            fault("scale-multiplied", scale=lambda q, K: len(q) ** 0.5),
            fault("scale-n", scale=lambda q, K: len(K) ** -0.5),
            fault("softmax-missing", share=lambda scores: scores),
            fault("softmax-unnormalised", share=np.exp),
            fault("softmax-unnormalised", share=lambda scores: np.exp(scores - scores.max())),
            fault("value-missing", mix=lambda weights, values: weights),
            fault("cache-order", last=lambda output, K, V: (K, V, output)),
        ),
    ),
    Value(
        name="which_tool",
        judge=judge_tools,
        wanted="four tools, one for each job",
        ids=("tool-matrix", "tool-one-by-one", "tool-forgets", "tool-all-again", "tool-grows", "tool-needless"),
    ),
)
