"""Bad input of every other module meets a sentence that names the argument, its shape or value, and what was wanted.

attention, layers and cls_task have tables of their own, since their mutants are judged by them; so have the arguments.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_encoder import TENSORS, TINY, Letters

from course_utils.arrays.named_arrays import check_axes
from course_utils.computer.measure import power
from course_utils.explorables import TheMachine
from course_utils.long_sequences import tiled_attention
from course_utils.models.card_model import build_card_writer
from course_utils.models.card_reader import PLAIN
from course_utils.models.cls_baselines import build_mean_pooling
from course_utils.models.cls_model import predict
from course_utils.models.deep_stack import train_stack
from course_utils.models.encoder import build_encoder
from course_utils.models.heads import best_head, best_of_any_pair, by_coins, edge, weight_on
from course_utils.models.induction import induction_scores, repeat_loss, repeated_rows
from course_utils.models.review_reader import load_reader
from course_utils.models.writer_model import RECIPE, build_writer, train
from course_utils.models.writer_reader import from_arrays, load_writer, to_arrays
from course_utils.pictures import plots
from course_utils.pictures.head_plots import small_multiples
from course_utils.pictures.live_look import LiveLook
from course_utils.pictures.live_training import LiveTraining
from course_utils.tasks.review_grammar import limit
from course_utils.tasks.review_task import encode, make_reviews
from course_utils.tasks.writer_task import character_rows, in_words, judge_by_grammar, text_of, writing_rows

eye, ones = np.eye, np.ones
LOGS, ROW = {"loss": 0.5, "accuracy": 0.75, "focus": 0.0}, [0.2, 0.7, 0.1]
TOKENS = ["[CLS]", "the", "cat", "saw", "the", "dog", ".", "[SEP]"]
EIGHT, EDGE = ones((1, 1, 8, 8)), edge(TOKENS, "dog", "cat")
ROWS = writing_rows(make_reviews(20, seed=9))
AXES = {"W": ("d_model", "d_k"), "b": ("d_k",), "V": ("d_model", "d_v"), "bias": ("1",), "n_heads": ()}
ARRAYS = {"W": ones((4, 2)), "b": ones(2), "V": ones((4, 3)), "bias": ones(1), "n_heads": np.int32(2)}

writer, reader = cache(load_writer), cache(load_reader)


def axes(**other):
    check_axes(ARRAYS | other, AXES)


def look():
    return LiveLook([0, 42, 7], lambda: 0.9, label=0)


def live(**changed):
    return LiveTraining(**{"keys": ["a", "b", "c"], "query": "a", "epochs": 3, "highlight": [1]} | changed)


def stack(**changed):
    return train_stack(**{"tokens": [[0, 1, 2]] * 60, "targets": [[0, 1, 2]] * 60, "depth": 1} | changed)


OF_2 = r"mask\(queries, keys\) .*wanted: bool of shape \(2, 2\)"
CASES = [
    # attention in tiles
    *(
        (lambda mask=mask: tiled_attention(eye(4), eye(4), eye(4), mask, tile=2), says)
        for mask, says in [
            (lambda query, key: (key <= query) * 1.0, r"mask\(queries, keys\) .*dtype float64; wanted: bool"),
            (lambda query, key: ones(4, bool), OF_2),
            (lambda query, key: ones((4, 4), bool), OF_2),
            (lambda query, key: None, OF_2),
            (lambda query, key: (key <= query) & (query != 3), "mask is .*row 3 has none"),
        ]
    ),
    (lambda: tiled_attention(eye(4), eye(4), eye(4), tile=0), "tile .*wanted: a whole number of at least 1"),
    (lambda: tiled_attention(eye(4), eye(4), np.full((4, 2), 1.5e308)), "V has shape .* the sum of 4 of them"),
    # arrays by name
    (lambda: axes(b=ones(3)), r"b has shape \(3,\) .* wanted: \(2,\)$"),
    (lambda: axes(V=ones((2, 3))), r"V has shape \(2, 3\) .* wanted: \(4, d_v\)$"),
    (lambda: axes(W=np.full((4, 2), np.nan)), r"W .* finite numbers; nan stands at \(0, 0\)"),
    # the search of heads, and the rows that repeat themselves
    (lambda: edge(TOKENS, "it", "cat"), r"query is 'it' .* one of the tokens \[CLS\] the cat"),
    (lambda: weight_on(ones(3), ones((3, 3)) > 0), r"weights has shape \(3,\)"),
    (lambda: weight_on(eye(3), ones((2, 3)) > 0), r"wanted has shape \(2, 3\) .* \(3, 3\) and bool"),
    (lambda: weight_on(eye(3), ones((3, 3)) > 1), "wanted .* at least one wanted pair"),
    (lambda: best_head(eye(3), ones((3, 3)) > 0), r"weights has shape \(3, 3\) .* \(n_layers"),
    (lambda: best_of_any_pair(ones((1, 1, 7, 7)), TOKENS, EDGE), r"weights has shape .* 8, 8\)"),
    (lambda: best_of_any_pair(EIGHT, TOKENS, eye(8) > 0), "like .* one edge between two places"),
    (lambda: best_of_any_pair(EIGHT, list("a......."), EDGE), "tokens .* two words that are not neighbours"),
    (lambda: by_coins(ones((3, 2))), r"right has shape \(3, 2\) and dtype float64; wanted: \(n_pairs, 2"),
    (lambda: by_coins(ones((1, 2)) > 0, rounds=0), "rounds is 0"),
    (lambda: repeated_rows(0), "n is 0"),
    (lambda: induction_scores(np.zeros((2, 1, 1, 4, 4)), [8]), "periods"),
    (lambda: repeat_loss(None, [[99]], [8]), "tokens"),
    # the encoder
    (lambda: TINY(b"abc"), "sentences is b'abc'"),
    (lambda: TINY("a\ud800"), "sentences is .*as text"),
    (lambda: TINY(["abcdefg"]), "sentences is .*at most 6 tokens; this sentence has 7"),
    (
        lambda: build_encoder(
            {name: TENSORS[name] for name in TENSORS if "1.output.dense.bias" not in name}, Letters(), 2
        ),
        r"tensors .*encoder\.layer\.1\.output\.dense\.bias is missing",
    ),
    # models that Keras trains
    (lambda: build_mean_pooling(d_model=0), "d_model is 0"),
    (lambda: predict(build_mean_pooling(), ones((2, 4), int)), "tokens has shape"),
    (lambda: stack(tokens=[[0.5, 1.0]]), r"tokens .*wanted: \(n_sentences, n\), whole numbers from 0"),
    (lambda: stack(targets=[[0]]), r"targets .*wanted: \(60, m\), m at most 3"),
    (lambda: stack(depth=0), "depth .*wanted: "),
    (lambda: stack(norm=None), "norm is None .*wanted: one of "),
    (lambda: stack(n_heads=3), "n_heads .*divides d_model = "),
    (lambda: stack(rate=np.inf), "rate .*wanted: "),
    (lambda: build_writer(n_heads=5), "n_heads"),
    (lambda: build_writer(n_positions=0), "n_positions is 0"),
    (lambda: build_card_writer(PLAIN | {"num_key_value_heads": 3}), "n_kv_heads is 3"),
    (lambda: train(build_writer(), ROWS[:, :5], **RECIPE), "tokens has shape"),
    (lambda: train(build_writer(), ROWS, **RECIPE | {"steps": 3}), "steps is 3"),
    # reviews, and the writer
    (lambda: make_reviews(0), "n_pairs is 0"),
    (lambda: make_reviews(2, split="test"), "split is 'test'"),
    (lambda: limit(1), "n_pairs is 1"),
    (lambda: encode(["The", "cat"]), "words .*'cat' is none of them"),
    (lambda: encode(["good."]), "words .*'good.' is none of them, so write a blank between 'good' and '.'"),
    (lambda: encode(["Movie"]), "words .*but 'movie' is"),
    (lambda: encode(["good"] * 24), "words .*at most 23 words"),
    (lambda: writer()([[0, 99]]), "tokens"),
    (lambda: writer().next_scores(ones(3)), "hidden"),
    (lambda: writer().write([2]), "verdicts"),
    (lambda: writer().write([1], temperature=0), "temperature is 0"),
    (lambda: writer().block_weights(2), "layer is 2"),
    (lambda: writer().with_positions(ones((9, 3))), "positions has shape"),
    (lambda: from_arrays(to_arrays(writer()) | {"gain": ones(3)}), "gain has shape"),
    (lambda: in_words([99]), "tokens"),
    (lambda: judge_by_grammar(np.full((2, 5), 3), ROWS), ".*verdict in front"),
    (lambda: writing_rows(make_reviews(2)._replace(labels=np.array([0, 1, 2, 1]))), "labels"),
    (lambda: text_of(Path(__file__).parent / "data"), ".*1000 characters"),
    (lambda: character_rows("ab", 3), "text"),
    # pictures, and the measures of the computer
    (lambda: plots.heatmap(np.zeros((1, 2, 2)), ["a", "b"]), "weights has shape"),
    (lambda: plots.heatmap(eye(3), ["a", "b"]), "queries"),
    (lambda: plots.heatmap(eye(2), ["a", "b"], ["c"]), "keys"),
    (lambda: plots.row_bars(eye(2), ["a", "b"]), "row has shape"),
    (lambda: plots.row_bars([0.5, 0.5], ["a", "b"], reference=[1.0]), "reference"),
    (lambda: plots.arrows(eye(3), ["a", "b", "c"]), "vectors has shape"),
    (lambda: plots.mixtures(eye(3), eye(3), ["a", "b", "c"]), "values has shape"),
    (lambda: plots.curves([1, 2], {"y": [1.0]}, xlabel="x", ylabel="y"), "lines"),
    (lambda: small_multiples(ones((4, 5, 5))), r"weights has shape \(4, 5, 5\) .* \(n_layers, n_heads, n, n\)"),
    (lambda: LiveLook([0, 42, 7], lambda: 0.9, label=0, pause=-1), "pause is -1"),
    (lambda: look().update(9, 8, LOGS | {"row": ROW}), "done is 9"),
    (lambda: look().update(1, 8, LOGS | {"row": [0.5, 0.5]}), "row has shape"),
    (lambda: live(epochs=0), "epochs is 0"),
    (lambda: live(highlight=[3]), "highlight is"),
    (lambda: live().update(0, LOGS, [0.5, 0.5]), "row has shape"),
    (lambda: live().update(3, LOGS, ROW), "epoch is 3"),
    (lambda: power([[1, 2, 3]], [1, 2, 3]), "sizes has shape"),
    (lambda: power([1, 2, 3], [1, 2]), r"values has shape \(2,\).*wanted: \(3,\)"),
    (lambda: power([1, 2, 3], [1, 0, 2]), "values has shape .*all above 0"),
    # the model that is cut by hand
    (lambda: TheMachine(3), "model is 3"),
    (lambda: TheMachine(TINY, "abcd", poles=("ab",)), "poles is"),
    *(
        (lambda text=text: TheMachine(reader(), text), "sentence ")
        for text in ("The moovie .", "", 3, "[PAD]", "a " * 24)
    ),
    *((lambda v=v: TheMachine(reader(), hide=v), "(a place of |layer of )?hide (is|has)") for v in (3, "ab", [(2, 0)])),
    (lambda: TheMachine(reader(), hide=[(0, 0, 0, key) for key in range(13)]), "hide"),
    *(
        (lambda weight=weight: TheMachine(reader(), given=[(0, 1, 5, 4, *weight)]), "(a weight of |a place of )?given ")
        for weight in ((), (0,), (1.5,))
    ),
    (lambda: TheMachine(reader(), given=[(0, 1, 5, 4, 0.1), (0, 1, 5, 3, 0.1)]), "given "),
    (lambda: TheMachine(reader(), key=1.5), "key is 1.5"),
]


@pytest.mark.parametrize(("call", "says"), CASES)
def test_bad_input_is_met_by_a_sentence(call, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        call()
