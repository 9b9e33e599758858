"""Attention against the conformance vectors of ONNX's Attention operator, which the onnx wheel carries.

The adapter below only rearranges: it splits heads, puts the past in front, repeats the keys of a group,
and joins masks. The course's functions compute.
Which vectors are run is read from the models, so that a new wheel cannot add one unseen.
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from course_utils.attention import (
    attention_scores,
    causal_mask,
    merge_heads,
    padding_mask,
    scaled_dot_product_attention,
    split_heads,
)

FOLDERS = {path.name: path for path in Path(onnx.__file__).parent.glob("backend/test/data/node/test_attention_*")}

# What the adapter understands. A vector with anything else must fail, not pass by chance.
ATTRIBUTES = {"q_num_heads", "kv_num_heads", "scale", "is_causal", "qk_matmul_output_mode", "softcap"}
INPUTS = {"Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"}


def load(folder):
    """Return the attributes of the operator, its inputs and its outputs by name. An expanded model has no operator."""
    graph = onnx.load(FOLDERS[folder] / "model.onnx").graph
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in graph.node[0].attribute}
    inputs = {value.name: tensor(folder, f"input_{i}") for i, value in enumerate(graph.input)}
    outputs = {value.name: tensor(folder, f"output_{i}") for i, value in enumerate(graph.output)}
    return attributes, inputs, outputs


def tensor(folder, name):
    return numpy_helper.to_array(onnx.load_tensor(FOLDERS[folder] / "test_data_set_0" / f"{name}.pb"))


def is_run(folder):
    """Tell whether the vector is run: not if it writes the operator out as many small ones, and not with softcap.

    Read from the model, not from the name. Softcap squeezes the scores with tanh, which the course does not teach.
    """
    nodes = onnx.load(FOLDERS[folder] / "model.onnx").graph.node
    return [node.op_type for node in nodes] == ["Attention"] and not load(folder)[0].get("softcap", 0)


VECTORS = [folder for folder in sorted(FOLDERS) if is_run(folder)]


def run(attributes, given):
    """Compute every output that the operator can give, by the names of its outputs."""
    Q, K, V = given["Q"], given["K"], given["V"]
    merged = Q.ndim == 3  # heads side by side: (batch, n, heads * d)
    if merged:
        Q = split_heads(Q, attributes["q_num_heads"])
        K, V = (split_heads(array, attributes["kv_num_heads"]) for array in (K, V))
    n_past = 0
    if "past_key" in given:
        n_past = given["past_key"].shape[-2]
        K = np.concatenate([given["past_key"], K], axis=-2)  # (batch, heads, n_past + n, d_k)
        V = np.concatenate([given["past_value"], V], axis=-2)
    present = {"present_key": K, "present_value": V}
    K, V = (np.repeat(array, Q.shape[1] // K.shape[1], axis=1) for array in (K, V))  # one key for a group of queries
    mask = joined_mask(attributes, given, n_past, Q.shape[-2], K.shape[-2])
    scale = attributes.get("scale")
    output, weights = scaled_dot_product_attention(Q, K, V, mask, scale)
    scores = attention_scores(Q, K, scale)
    masked = scores if mask is None else np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    looked_at = {0: scores, 2: masked, 3: weights}[attributes.get("qk_matmul_output_mode", 0)]
    return present | {"Y": merge_heads(output) if merged else output, "qk_matmul_output": looked_at}


def joined_mask(attributes, given, n_past, n_queries, n_keys):
    """One mask from the given one, the causal one and the padding: False or -inf wins. None if there is none."""
    mask = given.get("attn_mask")
    hidden = []  # boolean masks, True = may look
    if attributes.get("is_causal"):
        hidden.append(causal_mask(n_past + n_queries, n_keys)[n_past:])  # the queries stand behind the past
    if "nonpad_kv_seqlen" in given:
        hidden.append(padding_mask(given["nonpad_kv_seqlen"], n_keys)[:, None])  # (batch, 1, 1, n_keys)
    if mask is not None and mask.shape[-1] < n_keys:  # a short mask hides the keys behind its end
        behind = [(0, 0)] * (mask.ndim - 1) + [(0, n_keys - mask.shape[-1])]
        mask = np.pad(mask, behind, constant_values=False if mask.dtype == bool else -np.inf)
    for visible in hidden:
        if mask is None:
            mask = visible
        else:
            mask = mask & visible if mask.dtype == bool else np.where(visible, mask, mask.dtype.type(-np.inf))
    return mask


def test_the_adapter_understands_every_vector():
    assert (len(VECTORS), len(FOLDERS)) == (54, 128)
    for attributes, given, _ in map(load, VECTORS):
        assert attributes.keys() <= ATTRIBUTES and given.keys() <= INPUTS


@pytest.mark.parametrize("folder", VECTORS)
def test_the_course_gives_the_numbers_of_onnx(folder):
    attributes, given, wanted = load(folder)
    results = run(attributes, given)
    for name, array in wanted.items():
        assert results[name].dtype == array.dtype
        rtol = 1e-5 if array.dtype == np.float32 else 2 * np.finfo(array.dtype).eps  # two roundings of float16
        np.testing.assert_allclose(results[name], array, rtol=rtol, atol=1e-7, err_msg=name)
