"""Explorables as Python sees them: what they refuse, keep, show without a page, write."""

import base64
import re
from types import SimpleNamespace

import numpy as np
import pytest
from random_writer import random_writer

from course_utils import explorables
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.cls_reader import answer_with, cls_row, load_classifier, load_training
from course_utils.cls_task import Task, make_task, metrics
from course_utils.explorables import (
    AttentionExplorer,
    CutByHand,
    HeadGallery,
    LookPlayground,
    NextWord,
    SoftmaxDial,
    TrainingReplay,
    VectorPad,
    base,
    export_html,
)
from course_utils.explorables.assets import FOLDER, bundle
from course_utils.explorables.base import format_number
from course_utils.explorables.example_sentences import SENTENCES
from course_utils.explorables.look_playground import RECIPE as LOOK_RECIPE
from course_utils.explorables.traits import Count, OneOf, Real
from course_utils.notebook import WIDGET
from course_utils.review_reader import load_reader
from course_utils.sentences import CONCEPTUAL_ROW
from course_utils.writer_task import WORDS

ALL = [getattr(explorables, name) for name in explorables.__all__ if name != "export_html"]
NEEDED = {NextWord: {"writer": random_writer()}, CutByHand: {"model": load_reader()}}  # arguments without a default
every_explorable = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


def made(kind, **given):
    return kind(**NEEDED.get(kind, {}), **given)


@every_explorable
def test_shows_a_picture_and_a_text_beside_the_widget(kind):
    data, _ = made(kind)._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/png", WIDGET}
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == made(kind).text() and "\n" in data["text/plain"]


@every_explorable
def test_reset_brings_back_what_the_arguments_gave(kind):
    widget = made(kind)
    assert widget.STATE and set(widget._initial) == set(widget.STATE)
    before = widget.text()
    widget._take({name: other(value) for name, value in widget._initial.items()})
    widget.reset()
    assert widget._state() == widget._initial and widget.text() == before


def other(value):
    """A value that differs from a boolean, numbers or nested numbers, of the same shape.

    Texts, a count of 1 and what is empty stay.
    Whole numbers stay whole, since they may be token numbers.
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value // 2 or value
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and (not value or isinstance(value[0], str)):
        return value
    numbers = np.asarray(value)
    return (numbers * 0.5 if numbers.dtype.kind == "f" else -(-numbers // 2)).tolist()


@every_explorable
@pytest.mark.parametrize("wrong", [1, None, "yes"])
def test_presenter_is_true_or_false(kind, wrong):
    with pytest.raises(ValueError, match=r"^presenter is .* wanted: True or False"):
        made(kind, presenter=wrong)


@every_explorable
def test_an_unknown_argument_is_refused(kind):
    with pytest.raises(TypeError, match="has no colour"):
        made(kind, colour="red")


@every_explorable
def test_modules_stay_short_and_come_as_one(kind):
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() + ".js"
    assert kind._esm == bundle(name)
    assert not re.search(r"^import |https?://(?!www\.w3\.org/)", kind._esm, re.M)
    assert kind._esm.count("export default ") == 1


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_scripts_stay_readable(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 250 and max(map(len, lines)) <= 120


@every_explorable
def test_a_standalone_page_asks_for_nothing_and_holds_words_as_words(kind, tmp_path):
    page = export_html(made(kind), tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"""\b(src|href)=["'](?!data:)|@import|url\(|https?://(?!www\.w3\.org/)""", page)


def test_a_word_cannot_end_the_script_of_the_page(tmp_path):
    pad = VectorPad(names=["</script><b>", "b"])
    page = export_html(pad, tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2 and "<b>" not in page


def test_only_explorables_are_exported(tmp_path):
    with pytest.raises(ValueError, match=r"^widget is 'pad'"):
        export_html("pad", tmp_path / "page.html")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": [1, 2, 3]}, r"^a has shape \(3,\).* wanted: \(2,\)"),
        ({"b": [[1, 2]]}, r"^b has shape \(1, 2\).* wanted: \(2,\)"),
        ({"b": [1, np.nan]}, r"^b has shape \(2,\).* nan stands at \(1,\)"),
        ({"a": [1, 2e6]}, r"^a .* no number beyond 1e\+06"),
        ({"a": "ab"}, r"^a .* real numbers"),
        ({"names": "ab"}, r"^names is 'ab' \(str\); wanted: a list of 2 words"),
        ({"names": ["a", " "]}, r"^names .* not empty"),
        ({"names": ["a", "b", "c"]}, r"^names .* 2 words"),
        ({"names": 7}, r"^names is 7 \(int\)"),
        ({"snap": 1}, r"^snap is 1 \(int\); wanted: True or False"),
    ],
)
def test_vector_pad_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        VectorPad(**given)
    pad = VectorPad()
    if "names" not in given:
        with pytest.raises(ValueError, match=message):
            setattr(pad, *next(iter(given.items())))
    assert pad.text() == VectorPad().text()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scores": [[1, 2]]}, r"^scores has shape \(1, 2\).* wanted: \(n_keys,\)"),
        ({"scores": [1, np.inf]}, r"^scores .* finite numbers; inf stands at \(1,\)"),
        ({"scores": []}, r"^scores .* no empty axis"),
        ({"scores": [1, 101]}, r"^scores .* no number beyond 100"),
        ({"scores": [1, 2], "words": ["a"]}, r"^scores has shape \(2,\).* wanted: \(1,\), one score for each"),
        ({"scores": np.zeros(65)}, r"^words .* 1 to 64 words"),
        ({"temperature": 0}, r"^temperature is 0 \(int\); wanted: a number from 0.01 to 100"),
        ({"d_k": 0}, r"^d_k is 0 \(int\); wanted: a whole number from 1 to 1024"),
        ({"d_k": 2.0}, r"^d_k is 2.0 \(float\)"),
        ({"scaled": "no"}, r"^scaled is 'no' \(str\)"),
    ],
)
def test_softmax_dial_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        SoftmaxDial(**given)


def test_words_that_the_page_draws_once_cannot_change():
    with pytest.raises(ValueError, match=r"^names is \['c', 'd'\].* no change: .* make a new explorable"):
        VectorPad().names = ["c", "d"]


def test_softmax_dial_keeps_one_score_for_each_word():
    dial = SoftmaxDial([1, 2])
    with pytest.raises(ValueError, match=r"^scores has shape \(3,\)"):
        dial.scores = [1, 2, 3]
    assert dial.scores.tolist() == [1, 2]


@pytest.mark.parametrize("d_k", [2, 64, 1024])
def test_softmax_dial_with_the_division_does_not_depend_on_d_k(d_k):
    scores = [1.5, 0.5, -1]
    np.testing.assert_allclose(SoftmaxDial(scores, d_k=d_k).weights, softmax(scores))
    loose = SoftmaxDial(scores, d_k=d_k, scaled=False, temperature=2)
    np.testing.assert_allclose(loose.weights, softmax(np.array(scores) * np.sqrt(d_k) / 2))


@pytest.mark.parametrize(
    ("scores", "temperature", "words"),
    [
        ([3], 1, "entropy 0.00 of 0.00 bits, size of the gradient 0.000\nA single key gets all the weight."),
        ([0] * 8, 1, "entropy 3.00 of 3.00 bits, size of the gradient 0.109\nAll keys share nearly evenly"),
        ([2, 0], 0.1, "entropy 0.00 of 1.00 bits, size of the gradient 0.000\nOne key takes nearly all"),
        ([1, 0], 0.5, "entropy 0.53 of 1.00 bits, size of the gradient 0.105\nThe keys share"),
    ],
)
def test_softmax_dial_says_what_it_sees(scores, temperature, words):
    assert words in SoftmaxDial(scores, temperature=temperature).text()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tokens": 7}, r"^tokens is 7 \(int\); wanted: a list of 1 to 64 words"),
        ({"tokens": []}, r"^tokens .* 1 to 64 words"),
        ({"tokens": ["a"] * 65}, r"^tokens .* 1 to 64 words"),
        ({"Q": np.zeros((3, 2))}, r"^Q has shape \(3, 2\).* wanted: \(12, 2\)"),
        ({"tokens": ["a", "b"], "K": np.zeros((2, 3))}, r"has shape .* wanted: \(2, [23]\)"),
        ({"V": np.zeros((11, 2))}, r"^V has shape \(11, 2\).* wanted: \(12, 2\), one row for each"),
        ({"V": np.zeros((12, 5))}, r"^V has shape \(12, 5\).* wanted: \(12, 1 to 4\)"),
        ({"K": np.zeros(12)}, r"^K has shape \(12,\).* wanted: \(n, d_k\)"),
        ({"query": 12}, r"^query is 12 \(int\); wanted: a whole number from 0 to 11, for 12 tokens"),
        ({"padding": 12}, r"^padding is 12 \(int\); wanted: a whole number from 0 to 11"),
        ({"step": "softmax"}, r"^step is 'softmax' \(str\); wanted: one of 'project', 'score'"),
        ({"causal": 0}, r"^causal is 0 \(int\); wanted: True or False"),
    ],
)
def test_attention_explorer_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        AttentionExplorer(**given)
    explorer = AttentionExplorer()
    name, value = next(reversed(given.items()))
    with pytest.raises(ValueError, match=f"^{name} "):
        setattr(explorer, name, value)
    assert explorer.text() == AttentionExplorer().text()


def test_attention_explorer_keeps_its_sentence():
    with pytest.raises(ValueError, match="for another sentence make a new explorer"):
        AttentionExplorer().tokens = ["a", "b"]


def test_attention_explorer_computes_what_the_course_computes():
    Q, K, V = np.random.default_rng(3).normal(size=(3, 5, 4))
    explorer = AttentionExplorer(list("abcde"), Q, K, V, causal=True, padding=2, scaled=False)
    mask = np.tri(5, dtype=bool) & (np.arange(5) < 3)
    output, weights = scaled_dot_product_attention(Q, K, V, mask, scale=1.0)
    np.testing.assert_allclose(explorer.weights, weights)
    np.testing.assert_allclose(explorer.output, output)


def test_attention_explorer_knows_when_its_game_is_won():
    explorer = AttentionExplorer()
    assert explorer.text().endswith("Game: amazing is furthest off: 0.33, wanted 0.11.")
    explorer.K = np.stack([np.zeros(12), np.sqrt(2) * np.log(CONCEPTUAL_ROW)], axis=1)
    assert explorer.text().endswith("Game: reached. All weights are those of the table, to two decimals.")
    explorer.causal = True
    assert explorer.text().endswith("Game: not is furthest off: 0.77, wanted 0.55.")
    explorer.query = 3
    assert "Game" not in explorer.text()


def test_every_sentence_to_choose_fits_and_its_token_looks_at_something():
    for sentence in SENTENCES:
        own = {name: value for name, value in sentence.items() if name != "name"}
        row = AttentionExplorer(**own).weights[sentence["query"]]
        assert row.max() > 0.25, sentence["name"]


EVEN = np.full((2, 4, 3, 3), 1 / 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": EVEN[0]}, r"^weights has shape \(4, 3, 3\).* wanted: \(n_layers, n_heads, n_queries, n_keys\)"),
        ({"weights": 7}, r"^weights has shape \(\).* wanted: \(n_layers"),
        ({"weights": 2 * EVEN}, r"^weights .* sum to 1 along the keys"),
        ({"weights": EVEN - np.eye(3)}, r"^weights .* at least 0"),
        ({"weights": EVEN * np.nan}, r"^weights .* finite numbers; nan"),
        ({"weights": np.ones((17, 1, 1, 1))}, r"^weights .* at most 16 layers and heads, 64 tokens"),
        ({"weights": np.ones((1, 1, 65, 1))}, r"^weights .* at most 16 layers and heads, 64 tokens"),
        (
            {"weights": EVEN, "query_words": ["a", "b"]},
            r"^query_words is .* wanted: 3 words, to go with weights of shape",
        ),
        ({"weights": EVEN, "key_words": "abc"}, r"^key_words is 'abc' \(str\)"),
        ({"query_words": ["a", "b"]}, r"^weights is None .* to go with the words"),
        ({"weights": EVEN, "layer": 2}, r"^layer is 2 \(int\); wanted: a whole number from 0 to 1"),
        ({"weights": EVEN, "head": 4}, r"^head is 4 \(int\); wanted: a whole number from 0 to 3"),
        ({"weights": EVEN, "query": -1}, r"^query is -1 \(int\); wanted: a whole number of at least 0"),
    ],
)
def test_head_gallery_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        HeadGallery(**given)


def test_head_gallery_keeps_what_fits():
    gallery = HeadGallery(EVEN, ["a", "b", "c"], layer=1)
    with pytest.raises(ValueError, match=r"^layer is 1"):
        gallery.weights = EVEN[:1]
    with pytest.raises(ValueError, match=r"^query_words .* wanted: no change"):
        gallery.query_words = ["a"]
    assert gallery.weights.shape == EVEN.shape and gallery.weights.dtype == np.float32
    assert list(gallery.key_words) == ["a", "b", "c"]


def read_evenly(sentence):
    words = sentence.split()
    n = len(words)
    return SimpleNamespace(weights=np.full((2, 4, n, n), 1 / n), tokens=words)


def test_head_gallery_goes_back_to_a_word_that_the_sentence_has():
    gallery = HeadGallery(EVEN, ["a", "b", "c"], query=2, head=3, read=read_evenly)
    gallery._typed = {"sentence": "x y", "count": 1}
    gallery.head = 1
    gallery._take(gallery._initial)  # as the page's button
    assert (gallery.query_words, gallery.head, gallery.query) == (("x", "y"), 3, 0)
    gallery._typed = {"sentence": "1 2 3 4 5", "count": 2}
    gallery.query = 4
    again = HeadGallery(EVEN, ["a", "b", "c"], read=read_evenly)
    again._take(gallery._state())  # as a cell that runs again
    assert (again.head, again.query) == (3, 2)


def test_the_gallery_names_every_key_that_shares_the_largest_weight():
    shared = HeadGallery([[[[0.5, 0.5, 0], [0.2, 0.2, 0.6], [0.25, 0.5, 0.25]]]], ["a", "b", "c"])
    assert shared.text().splitlines()[-3:] == ["a: most at a, b", "b: most at c", "c: most at b"]


def test_head_gallery_numbers_words_that_it_was_not_given():
    gallery = HeadGallery(np.full((1, 1, 2, 4), 1 / 4), ["a", "b"])
    assert list(gallery.key_words) == ["0", "1", "2", "3"]
    assert "a looks at: 0 0.25, 1 0.25" in gallery.text()


EPOCHS = load_training("usual")
NAMELESS = tuple(EPOCHS[0])
SHORTER = EPOCHS[0]._replace(positions=EPOCHS[0].positions[:5])
NAN = EPOCHS[0]._replace(b_K=EPOCHS[0].b_K * np.nan)
PAIR = tuple(make_task(10))
UNLABELLED = Task(make_task(10).tokens, make_task(11, decoys=0.5).labels)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"classifiers": EPOCHS[0]}, r"^classifiers is .* wanted: a list of 1 to 200 classifiers of the same shapes"),
        ({"classifiers": [NAMELESS]}, r"^classifiers is .* wanted: a list of 1 to 200 classifiers"),
        ({"classifiers": []}, r"^classifiers is '0 classifiers, 0 sets of shapes' .* wanted: 1 to 200"),
        ({"classifiers": EPOCHS * 20}, r"^classifiers is '220 classifiers, 1 sets of shapes' .* wanted: 1 to 200"),
        (
            {"classifiers": [EPOCHS[0], SHORTER]},
            r"^classifiers is '2 classifiers, 2 sets of shapes' .* of the same shapes",
        ),
        ({"classifiers": [NAN]}, r"^b_K .* finite numbers; nan"),
        ({"task": PAIR}, r"^task is .* \(tuple\); wanted: a Task"),
        ({"task": UNLABELLED}, r"^task is .* wanted: a Task with one label for each sentence"),
        ({"task": make_task(50, length=9, decoys=0.5)}, r"^tokens has shape \(50, 10\)"),
        ({"task": Task(make_task(4).tokens, np.ones(4))}, r"^labels .* all one class"),
        ({"epoch": 13}, r"^epoch is 13 \(int\); wanted: a whole number from 0, before the training, to 12"),
        ({"epoch": -1}, r"^epoch is -1"),
        ({"tokens": [0, 1, 2]}, r"^tokens has shape \(3,\).* wanted: \(7,\), \[CLS\] = 0 and then"),
        ({"tokens": [0, 1, 2, 3, 4, 5, 51]}, r"^tokens is \[0, .* whole numbers from 1 to 50"),
        ({"tokens": [0, 1, 2, 3, 0, 5, 6]}, r"^tokens is \[0, .* whole numbers from 1 to 50"),
        ({"tokens": [7, 1, 2, 3, 4, 5, 6]}, r"^tokens is \[7, .* wanted: \(7,\), \[CLS\] = 0"),
        ({"tokens": [0.0, 1, 2, 3, 4, 5, 6]}, r"^tokens has shape \(7,\) and dtype float64"),
        ({"question": ""}, r"^question .* not empty"),
    ],
)
def test_training_replay_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        TrainingReplay(**given)


def test_training_replay_measures_each_epoch_and_answers_as_the_classifier_of_the_epoch():
    task = make_task(500, decoys=0.5, seed=3)
    replay = TrainingReplay(EPOCHS, task, tokens=[0, 42, 1, 2, 42, 3, 4])
    assert replay.epoch == len(EPOCHS) - 1 == 10
    for epoch, classifier in enumerate(EPOCHS):
        replay.epoch = epoch
        probabilities = answer_with(classifier, task.tokens)
        assert replay.accuracy[epoch] == metrics(task.labels, probabilities).accuracy
        right = np.where(task.labels == 1, probabilities, 1 - probabilities)
        np.testing.assert_allclose(replay.loss[epoch], -np.log(right).mean(), rtol=1e-4)
        np.testing.assert_allclose(replay.weights[epoch][0], cls_row(classifier, task.tokens).mean(axis=0), atol=1e-6)
        np.testing.assert_allclose(replay.row, cls_row(classifier, replay.tokens[None])[0], atol=1e-6)
        assert abs(replay.answer - answer_with(classifier, replay.tokens[None])[0]) < 1e-6
    assert replay.loss[0] > 2 * replay.loss[-1]


def test_training_replay_keeps_what_was_recorded():
    replay = TrainingReplay()
    for name, value in (("classifiers", EPOCHS), ("loss", replay.loss / 2), ("weights", replay.weights)):
        with pytest.raises(ValueError, match=f"^{name} .* no change: it belongs to the recorded training"):
            setattr(replay, name, value)
    with pytest.raises(ValueError, match="read-only"):
        replay.tokens[1] = 7
    replay.tokens = [0, 1, 2, 3, 4, 5, 6]
    assert "Sentence: [CLS] 1 2 3 4 5 6\nIs the token at position 4 the number 42? no" in replay.text()


@pytest.mark.parametrize(("name", "epochs", "weight"), [("usual", 10, (0.2, 0.4)), ("focused", 12, (0.99, 1))])
def test_a_recorded_training_begins_untrained_and_ends_with_the_classifier_that_is_shipped(name, epochs, weight):
    training = load_training(name)
    assert len(training) == epochs + 1
    for recorded, shipped in zip(training[-1], load_classifier(name), strict=True):
        np.testing.assert_array_equal(recorded, shipped)
    task = make_task(decoys=0.5, seed=1)
    first, last = (cls_row(one, task.tokens).mean(axis=0) for one in (training[0], training[-1]))
    np.testing.assert_allclose(first, 1 / 7, atol=0.02)
    assert weight[0] <= last[4] <= weight[1]
    assert (FOLDER.parent / "data" / "cls" / f"{name}.npz").stat().st_size < 100_000


def test_an_unknown_training_is_no_file():
    with pytest.raises(FileNotFoundError, match="no recorded training 'own'; there are focused, usual"):
        load_training("own")


LONGEST = ["The", "movie"] * 11  # as many words as the writer reads behind the verdict
WRITER = random_writer()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"writer": None}, r"^writer is None \(NoneType\); wanted: a Writer of 59 words"),
        ({"writer": random_writer(n_words=60)}, r"^writer is .* wanted: a Writer of 59 words"),
        ({"verdict": "good"}, r"^verdict is 'good' \(str\); wanted: one of 'praise', 'blame'"),
        ({"verdict": "[praise]"}, r"^verdict is '\[praise\]'"),
        ({"words": "The movie"}, r"^words is 'The movie' \(str\); wanted: a list of at most 22 words of the reviews"),
        ({"words": ["The", "moovie"]}, r"^words is .* wanted: .* of the reviews; 'moovie' is none of them$"),
        ({"words": ["[praise]"]}, r"^words is .*; '\[praise\]' is none of them$"),
        ({"words": ["[PAD]"]}, r"^words is .*; '\[PAD\]' is none of them$"),
        ({"words": [7]}, r"^words is .*; 7 is none of them$"),
        ({"words": [*LONGEST, "was"]}, r"^words is .* a list of at most 22 words of the reviews; these are 23$"),
        ({"words": ["The", ".", "movie"]}, r"^words is .* none of them after the full stop$"),
        ({"temperature": 0}, r"^temperature is 0 \(int\); wanted: a number from 0.1 to 2"),
        ({"temperature": -1.0}, r"^temperature is -1.0 \(float\)"),
        ({"temperature": "warm"}, r"^temperature is 'warm' \(str\)"),
        ({"hide": 3}, r"^hide is 3 \(int\); wanted: a list of \(layer, head\)"),
        ({"hide": [3]}, r"^a place of hide is 3 \(int\); wanted: \(layer, head\)"),
        ({"hide": [(0, 1, 2, 3)]}, r"^a place of hide is \(0, 1, 2, 3\)"),
        ({"hide": [(2, 0)]}, r"^layer of hide is 2 \(int\); wanted: a whole number from 0 to 1"),
        ({"hide": [(0, 4)]}, r"^head of hide is 4 \(int\); wanted: a whole number from 0 to 3"),
        ({"layer": 2}, r"^layer is 2 \(int\); wanted: a whole number from 0 to 1"),
        ({"head": 4}, r"^head is 4 \(int\); wanted: a whole number from 0 to 3"),
        ({"seed": -1}, r"^seed is -1 \(int\); wanted: a whole number from 0 to 4294967295"),
    ],
)
def test_next_word_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        NextWord(**{"writer": WRITER} | given)
    one = NextWord(WRITER)
    if "writer" not in given:
        with pytest.raises(ValueError, match=message):
            setattr(one, *next(iter(given.items())))
    assert one.text() == NextWord(WRITER).text()


def test_next_word_keeps_its_writer():
    with pytest.raises(ValueError, match=r"^writer is .* no change: .* make a new explorable"):
        NextWord(WRITER).writer = random_writer(1)


@pytest.mark.parametrize(
    ("verdict", "words", "temperature", "hide"),
    [
        ("praise", [], 1.0, []),
        ("blame", ["The", "movie", "was"], 0.3, [(1, 2)]),
        ("praise", LONGEST, 2, [(0, 0), (0, 3), (1, 1)]),
    ],
)
def test_next_word_shows_what_the_writer_says(verdict, words, temperature, hide):
    one = NextWord(WRITER, verdict, words, temperature, hide)
    tokens = [WORDS.index(f"[{verdict}]"), *map(WORDS.index, words)]
    reading = WRITER([tokens], hide=hide)
    wanted = softmax(WRITER.next_scores(reading.hidden)[0, -1] / temperature)
    np.testing.assert_allclose(one.probabilities, wanted, atol=1e-5)  # the page has single precision
    np.testing.assert_allclose(one.weights, reading.weights[0], atol=1e-5)
    likely = [(word, p) for word, p in zip(WORDS, wanted, strict=True) if word[0] != "["]
    best = sorted(likely, key=lambda pair: -pair[1])[:10]
    assert [word for word, _ in one.next_words] == [word for word, _ in best]
    for layer in (0, 1):
        one.layer, one.head = layer, None
        on = [head for head in range(4) if (layer, head) not in hide]
        np.testing.assert_allclose(one.row, reading.weights[0, layer, on, -1].mean(axis=0), atol=1e-5)
        one.head = 3
        np.testing.assert_allclose(one.row, reading.weights[0, layer, 3, -1], atol=1e-5)


def test_next_word_says_what_it_sees():
    one = NextWord(WRITER, "blame", ["The", "movie"], 0.5, [(1, 2), [0, 1], (1, 2)], head=1)
    first, second, third, last = one.text().splitlines()
    assert first == "[blame] The movie"
    assert second == "Temperature 0.50. Heads that are off: layer 0, head 1; layer 1, head 2."
    word, p = one.next_words[0]
    assert third.startswith(f"Next word: {word} {format_number(p, 3)}, ")
    others = 1 - sum(p for _, p in one.next_words)
    assert third.endswith(f", all others {format_number(others, 3)}") and third.count(",") >= 10
    looks = ", ".join(
        f"{word} {format_number(x)}" for word, x in zip(["[blame]", "The", "movie"], one.row, strict=True)
    )
    assert last == f"“movie” looks, layer 0, head 1, which is off: {looks}"
    one.head, one.hide = None, [(0, head) for head in range(4)]
    assert one.row is None and one.text().endswith("All heads of layer 0 are off: “movie” gets nothing from there")


def test_next_word_says_why_a_review_cannot_go_on():
    one = NextWord(WRITER, words=["The", "."])
    assert one.next_words == [] and "\nThe review has ended with its full stop.\n" in one.text()
    assert "Next word" not in one.text()
    one.words = LONGEST
    assert len(one.next_words) == 10 and "\n22 words are the most that this writer reads.\nNext word: " in one.text()
    for words in ([], ["The", "."], LONGEST):
        one.words, one.hide = words, [(0, head) for head in range(4)]
        assert one.picture().startswith(b"\x89PNG")


def test_numbers_are_read_only_and_no_part_of_what_was_given():
    given = np.array([1.0, 0.0])
    pad = VectorPad(a=given)
    given[0] = 9
    assert pad.a.tolist() == [1, 0]
    with pytest.raises(ValueError, match="read-only"):
        pad.a[0] = 9


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1, 0], [0, 3], "= 0.00: nothing in common\nangle 90.0°, cosine 0.00"),
        ([1, 0], [2, 0], "= 2.00: they agree\nangle 0.0°, cosine 1.00"),
        ([1, 1], [-1, -1], "= −2.00: they disagree\nangle 180.0°, cosine −1.00, projection of b on a −1.41"),
        ([0, 0], [1, 2], "= 0.00: nothing in common\nangle none, cosine none, projection of b on a 0.00"),
    ],
)
def test_vector_pad_says_what_it_sees(a, b, words):
    assert words in VectorPad(a=a, b=b).text()


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: Real(2.0, least=0.1, most=1), "a number from 0.1 to 1"),
        (lambda: Real("1", least=0.1, most=1), "a number from 0.1 to 1"),
        (lambda: Count(1.5, most=3), "a whole number from 0 to 3"),
        (lambda: OneOf("c", ["a", "b"]), "one of 'a', 'b'"),
    ],
)
def test_other_traits_name_what_they_want(make, wanted):
    trait = make()
    trait.name = "T"
    with pytest.raises(ValueError, match=f"^T is .*; wanted: {wanted}$"):
        trait.validate(None, trait.default_value)


def test_numbers_are_written_as_the_page_writes_them():
    assert [format_number(x) for x in (1, -0.0, -0.004, 2.675, 0.125, -7)] == [
        "1.00",
        "0.00",
        "0.00",
        "2.67",
        "0.13",
        "−7.00",
    ]


@pytest.fixture
def cell(monkeypatch):
    """A function that stands for the run of a cell: it calls `make` twice and returns both pads.

    Lab is in tests/apart/browser.
    """
    runs = iter(range(100))

    def run(name, *arguments):
        message = f"message {next(runs)}"
        monkeypatch.setattr(base, "_running_cell", lambda: (name, message))
        return [VectorPad(**given) for given in arguments]

    monkeypatch.setattr(base, "_LAST_WIDGETS", {})
    monkeypatch.setattr(base, "_RUN_COUNTS", {})
    return run


def test_state_is_kept_when_a_cell_runs_again(cell):
    cell("one", {}, {})[1].a = [7, 7]
    first, second = cell("one", {}, {})
    assert (first.a.tolist(), second.a.tolist()) == ([2, 3], [7, 7])
    assert cell("one", {}, {})[1].a.tolist() == [7, 7], "and when it runs a third time"
    second = cell("one", {}, {})[1]
    second.reset()
    assert second.a.tolist() == [2, 3]


def test_state_is_new_in_another_cell_and_with_other_arguments(cell):
    cell("one", {})[0].a = [7, 7]
    assert cell("two", {})[0].a.tolist() == [2, 3]
    assert cell("one", {"a": [1, 1]})[0].a.tolist() == [1, 1]


def test_nothing_is_kept_where_cells_have_no_names(cell):
    cell(None, {})[0].a = [7, 7]
    assert cell(None, {})[0].a.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"preset": "best"}, r"^preset is 'best'.* one of 'usual', 'decoys', 'early', 'full'"),
        ({"position": 7}, r"^position is 7 .* from 1 to 6, the length of a sentence"),
        ({"question": "equal", "other": 4}, r"^other is 4 .* a position other than"),
        ({"question": "above", "target": 50}, r"^target is 50 .* below 50"),
        ({"question": "why"}, r"^question is 'why'"),
        ({"length": 13}, r"^length is 13 .* from 2 to 12"),
        ({"decoys": 1}, r"^decoys is 1 .* from 0 to 0.9"),
        ({"batch_size": 2.5}, r"^batch_size is 2.5"),
        ({"seeds": 41}, r"^seeds is 41"),
        ({"tokens": [0, 1]}, r"^tokens has shape \(2,\).* wanted: \(7,\)"),
        ({"tokens": [0, 1, 2, 3, 4, 5, 51]}, r"^all_tokens is .* from 1 to 50"),
        ({"classifier": "mine"}, r"^classifier is 'mine'"),
        ({"classifier": load_classifier("usual"), "length": 5}, r"^classifier .* of 51 tokens and 6 places"),
    ],
)
def test_look_playground_names_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        LookPlayground(**given)


def test_look_playground_reads_what_the_page_measured_as_long_as_it_fits():
    playground = LookPlayground("full", seeds=2)
    weights = np.concatenate([np.ravel(array) for array in load_classifier("focused")]).astype(float)
    result = {"recipe": {name: playground._state()[name] for name in playground._state() if name in LOOK_RECIPE}}
    result |= {"step": 384, "epoch": 12, "accuracy": [1.0, 0.5], "look": [0.999, 0.2], "opened": 0}
    result |= {"rows": [[0.0, 0, 0, 0, 1, 0, 0], [0.2, 0.2, 0.2, 0.2, 0.2, 0, 0]], "weights": weights.tolist()}
    playground._result, playground.step = result, 384
    np.testing.assert_array_equal(playground.classifier.W_Q, load_classifier("focused").W_Q)
    assert playground.answer == answer_with(playground.classifier, playground.tokens[None])[0]
    assert "75.0 % right. 1 of 2 look at position 4, with a weight of at least 0.99." in playground.text()
    assert playground.figure().get_title() == "seed 0: where [CLS] looks, mean"
    playground.opened = 1
    assert playground.classifier is None, "the weights are those of the model that was open"
    playground.decoys = 0.2
    assert playground.looks is None and "Nothing is trained yet." in playground.text()


def test_look_playground_draws_the_recorded_models_before_it_trained():
    ax = LookPlayground().figure()
    assert ax.figure.get_suptitle().startswith("Nothing is trained here yet.")
    task = make_task(2000, decoys=0.5, seed=1)
    row = cls_row(load_training("usual")[-1], task.tokens).mean(axis=0)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], row, atol=1e-6)
