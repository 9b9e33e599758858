"""What the checks say, as texts: no line of the course quoted, nothing cut; and the table's examples run."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from answers import WRONG
from answers.pairs import SINGLES

from course_utils.attention import softmax
from course_utils.checks import check
from course_utils.checks.engine.error_reasons import REASONS
from course_utils.checks.engine.errors import in_words
from course_utils.checks.engine.mistakes import MISTAKES
from course_utils.checks.lessons.names import exercise_of
from course_utils.sentences import REVIEW

ROOT = Path(__file__).resolve().parents[1]
COURSE_LINES = {
    line.strip()
    for path in (ROOT / "course_utils").rglob("*.py")
    for line in path.read_text(encoding="utf-8").splitlines()
    if len(line.strip()) > 30
}
MOST_WORDS = 80
COUNTED = "things|axes|axis|arguments|argument|inputs|numbers|places|indices|index|tokens"


def tune_half():
    """The unseen answers that the checks may be improved on; none where the study is not there."""
    path = ROOT / "studies" / "diagnosis.py"
    spec = importlib.util.spec_from_file_location("diagnosis", path)
    sys.modules["diagnosis"] = diagnosis = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(diagnosis)
    return [(unseen.exercise, unseen.answer) for unseen in diagnosis.all_answers() if unseen.half == "tune"]


@pytest.fixture(scope="module")
def messages():
    """All messages, each with the exercise that it was said in."""
    answers = [(case.exercise, case.answer) for case in WRONG + SINGLES] + tune_half()
    with np.errstate(all="ignore"):
        return sorted({(name, check(name, answer).message) for name, answer in answers})


def faults_of(text):
    """Yield what is wrong with a message as a text."""
    plain = re.sub(r"`[^`]*`", "CODE", text)
    for line in re.findall(r"`([^`]*)`", text):
        if line in COURSE_LINES:
            yield "quotes a line of the course"
    if text.count("`") % 2 or "..." in plain.replace("[...", "") or "…" in plain:
        yield "is cut in the middle"
    if text and text[-1] not in ".?":
        yield "does not end with a full stop or a question mark"
    if len(text.split()) > MOST_WORDS:
        yield f"has {len(text.split())} words"
    if "  " in plain or " ." in plain or " ," in plain:
        yield "has a blank too many"
    if "ndarray" in text or "numpy." in plain:
        yield "speaks of an ndarray"
    if re.search(r"\b[Aa] [aeio]\w|\b[Aa]n (?![aeiouAEIOUdhMNx8]|NaN)\w", plain):
        yield "has a wrong article"
    if re.search(rf"\b1 (?:{COUNTED.replace('axis|', '').replace('index|', '').replace('argument|', '')})\b", plain):
        yield "counts one thing in the plural"
    if re.search(r"\b(?:[2-9]|\d\d+) (?:axis|argument|index|thing)\b", plain):
        yield "counts several things in the singular"


def test_messages_are_good_texts(messages):
    assert [(name, fault, text) for name, text in messages for fault in faults_of(text)] == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("It stops at `raise wrong(name, value, wanted)`", "does not end"),
        ("Size is 3 but ...1.", "is cut"),
        ("An array has 2 axis.", "in the singular"),
        ("There are 1 things.", "in the plural"),
        ("Here came a array.", "article"),
        ("Here came an list.", "article"),
        ("A ndarray came.", "ndarray"),
        ("word " * 81 + ".", "82 words"),
        ("Two  blanks.", "blank"),
    ],
)
def test_a_bad_text_is_found(text, fault):
    assert any(fault in found for found in faults_of(text)), list(faults_of(text))


def test_a_line_of_the_course_is_found():
    line = next(line for line in sorted(COURSE_LINES) if "`" not in line)
    assert "quotes a line of the course" in list(faults_of(f"It stops at `{line}`."))


def test_true_and_false_are_called_so():
    found = check("cut_edge", lambda n, query, key: np.add.outer(np.arange(n) * query, np.arange(n) * key) % 3 > 0)
    assert "your function gives [[False, True], [True, True]], and that is not it." in found.message


ERRORS = {
    "only 0-dimensional arrays can be converted to Python scalars": "The functions of math take one number",
    "operands could not be broadcast together with shapes (3,4) (4,) ": "The shapes (3, 4) and (4,) do not fit",
    "could not broadcast input array from shape (3,3) into shape (3,2)": "Numbers of shape (3, 3) do not fit there into",
    "matmul: Input operand 1 has a mismatch in its core dimension 0, (size 5 is different from 3)": "An axis of length 3",
    "index 3 is out of bounds for axis 0 with size 3": "the last index is 2",
    "name 'd_k' is not defined": "Nothing is called d_k there",
    "'tuple' object has no attribute 'shape'": "A tuple has no shape",
    "'numpy.ndarray' object has no attribute 'append'": "An array has no append",
    "The truth value of an array with more than one element is ambiguous.": "a whole array of them came",
    "unhashable type: 'list'": "A list cannot stand in a set",
    "Python int too large to convert to C long": "A whole number there is too large",
    "softmax() got an unexpected keyword argument 'dim'": "softmax does not take the argument dim",
    "cannot reshape array of size 15 into shape (3,newaxis,3)": "15 numbers cannot be cut into shape (3, -1, 3)",
    "too many indices for array: array is 1-dimensional, but 2 were indexed": "The array there has 1 axis, and 2 indices came",
    "axis 1 is out of bounds for array of dimension 1": "the array there has 1 axis",
}


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_is_said_in_plain_words(text):
    said = in_words(f"ValueError\n{text}\n`x = Q[3]`")
    assert said.startswith("Your function stops with ValueError at `x = Q[3]`. ")
    assert ERRORS[text] in said
    assert list(faults_of(said)) == []


def test_what_nobody_knows_is_said_whole_or_not_at_all():
    assert in_words("KeyError\n7\n").endswith("KeyError. 7.")
    assert in_words("ValueError\n" + "long " * 60 + "\n") == "Your function stops with ValueError."
    assert not any(pattern.search("") for pattern, _ in REASONS)


# What stands before the example of a mistake, so that it runs: as a student would have written it in this exercise.
BEFORE = {
    "scores": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T / np.sqrt(d_k)\n",
    "attention": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T / np.sqrt(d_k)\ne = np.exp(scores)\nweights = e / e.sum(axis=-1, keepdims=True)\n",
    "weights": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T / np.sqrt(d_k)\ne = np.exp(scores)\nweights = e / e.sum(axis=-1, keepdims=True)\n",
    "softmax": "e = np.exp(scores)\nweights = e / e.sum()\n",
    "stable_softmax": "e = np.exp(scores - scores.max(axis=-1, keepdims=True))\n",
    "softmax_gradient_size": "w = softmax(scores)\nJ = np.diag(w) - np.outer(w, w)\n",
    "project": "Q, K, V = X @ W_Q, X @ W_K, X @ W_V\n",
    "good_row": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T / np.sqrt(d_k)\ne = np.exp(scores)\nweights = e / e.sum(axis=-1, keepdims=True)\n",
    "masked_weights": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T / np.sqrt(d_k)\ne = np.exp(scores)\nweights = e / e.sum(axis=-1, keepdims=True)\nweights = softmax(np.where(mask, scores, -np.inf))\n",
    "cls_labels": "hits = tokens == target\nhit = hits[:, position]\n",
    "recall": "hits = (labels * predictions).sum()\n",
    "bag_of_words": "text = ' '.join(tokens)\ncounts = np.array([tokens.count(word) for word in vocabulary])\ncount = counts\n",
    "dot_product": "total = 0\nproducts = a * b\n",
    "cosine": "norm = np.linalg.norm\ndot = a @ b\nc = a @ b / (norm(a) * norm(b))\n",
    "one_query_scores": "d_k = len(q)\nscores = K @ q / np.sqrt(d_k)\n",
    "temperature": "e = np.exp(scores / T)\nweights = softmax(scores)\n",
    "score_variance": "n = len(K)\nd_k = Q.shape[-1]\nnorm = lambda x: np.linalg.norm(x, axis=-1)\nscores = Q @ K.T\n",
    "scale_for_unit_variance": "",
    "good_output": "n = len(weights)\n",
    "causal_mask": "",
    "padding_mask": "keys = np.arange(n_keys)\nmask = keys < lengths[:, None]\n",
    "mask_label": "",
    "split_heads": "n, d = X.shape\nd_head = d // n_heads\n",
    "permutation": "n = len(order)\n",
    "add_positions": "n = X.shape[1]\n",
    "softmax_gradient": "w, g = weights, gradient\n",
    "balanced_accuracy": "recall = predictions[labels == 1].mean()\nspecificity = 1 - predictions[labels == 0].mean()\nfalse_alarms = 1 - specificity\nprecision = (labels * predictions).sum() / max(predictions.sum(), 1)\nhits = 0\n",
    "uniform_attention": "n = weights.shape[-1]\n",
    "verdict_label": "",
    "twins_told_apart": "right = labels == predictions\nboth = right.reshape(-1, 2).all(axis=1)\n",
    "cut_edge": "mask = np.ones((n, n), bool)\n",
    "attention_bytes": "weights = n_layers * n_heads * n * n\n",
    "previous_token": "n = weights.shape[-1]\ndiagonal = np.diagonal(weights, -1, 1, 2)\n",
    "mean_pooling": "n = hidden.shape[1]\nlengths = mask.sum(axis=1, keepdims=True)\ntotal = (hidden * mask[..., None]).sum(axis=1)\nmean = total / lengths\n",
}

# The mistakes whose examples run as printed, behind these lines, and get their own id; the others are parts of a line,
# or of a loop.
AS_PRINTED = {
    "scores": (
        "key-unused query-unused product-elementwise product-absolute product-cosine key-not-transposed "
        "product-over-tokens scale-missing scale-dk-not-sqrt scale-multiplied scale-n scale-half-not-root "
        "softmax-too-early product-same-row query-key-swapped"
    ),
    "attention": (
        "output-divided output-transposed softmax-too-late value-missing value-elementwise value-is-key "
        "value-is-query value-transposed value-first value-mean value-sum weights-transposed output-pooled"
    ),
    "weights": "softmax-missing scale-after-softmax",
    "softmax": (
        "softmax-unnormalised softmax-without-exp softmax-wrong-sum softmax-by-n softmax-sigmoid softmax-hard "
        "softmax-log softmax-twice softmax-sign softmax-order softmax-upside-down softmax-even"
    ),
    "stable_softmax": "softmax-axis softmax-over-all softmax-keepdims softmax-overflow softmax-clipped",
    "softmax_gradient_size": (
        "gradient-plus gradient-whole gradient-weight-only gradient-outer-only gradient-one-minus "
        "gradient-smallest gradient-summed"
    ),
    "project": (
        "key-value-swapped project-order project-one-matrix project-reuses query-value-swapped project-missing"
    ),
    "good_row": "row-is-column row-off-by-one row-all row-fixed row-one-weight",
    "masked_weights": "mask-inverted mask-missing mask-added mask-times-scores mask-after-softmax mask-fixed",
    "cls_labels": (
        "label-signs label-position label-row label-all-positions label-token label-inverted label-comparison "
        "label-is-token label-anywhere label-first-only label-everywhere label-count label-indices"
    ),
    "recall": (
        "recall-percent recall-is-precision recall-is-accuracy recall-over-all recall-not-divided "
        "recall-of-the-rest recall-is-specificity recall-is-false-alarms recall-counts-all recall-is-f1 "
        "recall-upside-down recall-is-overlap recall-is-base-rate recall-is-miss-rate recall-labels-as-index"
    ),
    "bag_of_words": "bag-shares bag-total bag-absent",
    "dot_product": "terms-added terms-multiplied terms-reversed sums-multiplied running-totals",
    "cosine": (
        "cosine-without-lengths cosine-one-length cosine-one-vector cosine-root-missing cosine-lengths-added "
        "cosine-brackets cosine-wrong-length cosine-counts cosine-root-twice cosine-angle cosine-distance "
        "cosine-of-number cosine-squared"
    ),
    "one_query_scores": "product-summed-up scale-norm",
    "temperature": "temperature-unused temperature-inverted temperature-root temperature-after-softmax temperature-half",
    "score_variance": "variance-of-scaled variance-is-deviation variance-is-mean",
    "scale_for_unit_variance": "scale-is-divisor scale-root-twice",
    "good_output": "value-largest value-unweighted value-small-dropped output-wrong-axis output-summed weights-reversed",
    "causal_mask": "mask-diagonal mask-transposed mask-self-only",
    "padding_mask": "mask-axis",
    "mask_label": "mask-label-neighbour mask-label-amount",
    "split_heads": "heads-reshape-without-transpose heads-not-moved heads-not-cut heads-split-tokens heads-transposed",
    "permutation": "permutation-identity permutation-reversed permutation-order",
    "add_positions": (
        "position-axis position-one-for-all position-not-cut position-multiplied position-subtracted position-missing"
    ),
    "softmax_gradient": (
        "gradient-diagonal-only gradient-not-centred gradient-plain-mean gradient-weight-missing gradient-untouched"
    ),
    "balanced_accuracy": (
        "balanced-is-accuracy balanced-is-recall balanced-is-specificity balanced-not-halved balanced-product "
        "balanced-false-alarms"
    ),
    "uniform_attention": "uniform-ones uniform-one-row uniform-unchanged",
    "verdict_label": (
        "verdict-negation-unused verdict-any-negation verdict-two-is-none verdict-adjective-unused "
        "verdict-bad-stays-bad verdict-negated-is-good verdict-added"
    ),
    "twins_told_apart": "twins-one-by-one twins-first-only twins-not-divided twins-per-review twins-missed",
    "cut_edge": (
        "cut-nothing cut-other-way cut-both-ways cut-whole-query cut-two-rows cut-whole-key cut-cross "
        "cut-itself cut-up-to"
    ),
    "attention_bytes": "bytes-one-layer bytes-one-head bytes-one-matrix bytes-are-weights bytes-in-gigabytes bytes-divided",
    "previous_token": (
        "head-itself head-first-column head-sum head-divided-by-n head-largest head-one-number "
        "head-over-heads head-not-averaged head-wrong-axes"
    ),
    "mean_pooling": (
        "pool-mask-unused pool-divided-by-n pool-padding-added pool-sum pool-all-tokens pool-first "
        "pool-largest pool-axis pool-batch"
    ),
}


@pytest.mark.parametrize(("name", "id"), [(name, id) for name, ids in AS_PRINTED.items() for id in ids.split()])
def test_an_example_as_printed_gets_its_own_id(name, id):
    example = MISTAKES[id].example
    changes = example.endswith("] = False")  # the mask, in place
    body = BEFORE[name] + (f"{example}\nreturn mask" if changes else f"return {example.removeprefix('return ')}")
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    space = {"np": np, "softmax": softmax}
    exec(f"def answer({', '.join(exercise_of(name).arguments)}):\n{lines}", space)
    with np.errstate(all="ignore"):
        assert id in check(name, space["answer"]).mistakes


@pytest.mark.parametrize(
    "id", ["tokens-words-only", "tokens-one-short", "tokens-letters", "tokens-not-counted", "tokens-miscounted"]
)
def test_a_value_as_printed_gets_its_own_id(id):
    answer = eval(MISTAKES[id].example, {"REVIEW": REVIEW, "text": " ".join(REVIEW)})
    assert check("first_check", answer).mistakes == (id,)
