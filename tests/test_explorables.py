"""Explorables as Python sees them: what they refuse, keep, show without a page, write."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from random_writer import random_writer
from samples import NEEDED, other

from course_utils import explorables
from course_utils.attention import scaled_dot_product_attention, softmax
from course_utils.computer.notebook import WIDGET
from course_utils.explorables import (
    AttentionExplorer,
    HeadGallery,
    LookPlayground,
    NextWord,
    SoftmaxDial,
    TrainingReplay,
    VectorPad,
    base,
    export_html,
)
from course_utils.explorables.look_playground import RECIPE as LOOK_RECIPE
from course_utils.explorables.traits import Checked
from course_utils.models.cls_reader import answer_with, cls_row, load_classifier, load_training
from course_utils.tasks.cls_task import Task, make_task, metrics
from course_utils.tasks.writer_task import WORDS

ALL = [getattr(explorables, name) for name in explorables.__all__ if name != "export_html"]
WRITER = NEEDED["NextWord"]["writer"]
every_explorable = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
LONGEST = ["The", "movie"] * 11  # as many words as the writer reads behind the verdict
EVEN = np.full((2, 4, 3, 3), 1 / 3)
EPOCHS = load_training("usual")
PICTURE = re.compile(r'<div class="plot"><img alt="[^"]{20,}" width="\d+" src="data:image/svg\+xml,%3Csvg')


def widget_of(kind, **given):
    return kind(**NEEDED.get(kind.__name__, {}) | given)


@every_explorable
def test_shows_a_picture_and_a_text_beside_the_widget(kind):
    data, _ = widget_of(kind)._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", WIDGET}
    assert PICTURE.match(data["text/html"])
    assert data["text/plain"] == widget_of(kind).text() and "\n" in data["text/plain"]


@every_explorable
def test_reset_brings_back_what_the_arguments_gave(kind):
    widget = widget_of(kind)
    assert widget.STATE and set(widget._initial) == set(widget.STATE)
    before = widget.text()
    widget._take({name: other(value) for name, value in widget._initial.items()})
    widget.reset()
    assert widget._state() == widget._initial and widget.text() == before


@every_explorable
def test_an_unknown_argument_is_refused(kind):
    with pytest.raises(TypeError, match="has no colour"):
        widget_of(kind, colour="red")


@every_explorable
def test_each_trait_refuses_what_is_beyond_its_limits_or_of_another_kind(kind):
    widget = widget_of(kind)
    for name, trait in widget.traits().items():
        if isinstance(trait, Checked):
            refuses(widget, name, object(), "wanted: ")
            for limit, step in (("least", -1), ("most", 1)):
                if getattr(trait, limit, None) is not None:
                    refuses(widget, name, getattr(trait, limit) + step, "wanted: ")


def refuses(widget, name, value, wanted):
    """Assert that a value is refused, and that nothing changes."""
    before = widget.text()
    with pytest.raises(ValueError, match=rf"\b{name} (is|has) .*{wanted}"):
        setattr(widget, name, value)
    assert widget.text() == before


@every_explorable
def test_a_standalone_page_asks_for_nothing_and_holds_words_as_words(kind, tmp_path):
    page = export_html(widget_of(kind), tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"""\b(src|href)=["'](?!data:|%23)|@import|url\((?!%23)|https?://(?!www\.w3\.org/)""", page)


def test_a_word_cannot_end_the_script_of_the_page(tmp_path):
    pad = VectorPad(names=["</script><b>", "b"])
    page = export_html(pad, tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2 and "<b>" not in page


def test_only_explorables_are_exported(tmp_path):
    with pytest.raises(ValueError, match=r"^widget is 'pad'"):
        export_html("pad", tmp_path / "page.html")


UNLABELLED = Task(make_task(10).tokens, make_task(11, decoys=0.5).labels)
SHORTER = EPOCHS[0]._replace(positions=EPOCHS[0].positions[:5])
NAN = EPOCHS[0]._replace(b_K=EPOCHS[0].b_K * np.nan)
# arguments, and what the error says is wanted instead of the last one
WRONG = {
    VectorPad: [
        ({"a": [1, 2e6]}, "no number beyond 1e+06"),
        ({"names": "ab"}, "a list of 2 words"),
        ({"names": ["a", " "]}, "not empty"),
    ],
    SoftmaxDial: [
        ({"scores": [1, 101]}, "no number beyond 100"),
        ({"scores": [1, 2, np.inf]}, "finite numbers"),
        ({"words": ["a"] * 65}, "a list of 1 to 64 words"),
    ],
    AttentionExplorer: [
        ({"Q": np.zeros((3, 2))}, "(12, 2)"),
        ({"V": np.zeros((12, 5))}, "(12, 1 to 4)"),
        ({"query": 12}, "a whole number from 0 to 11, for 12 tokens"),
    ],
    HeadGallery: [
        ({"weights": EVEN[0]}, "(n_layers, n_heads, n_queries, n_keys)"),
        ({"weights": 2 * EVEN}, "sum to 1 along the keys"),
        ({"weights": EVEN - np.eye(3)}, "at least 0"),
        ({"weights": np.ones((17, 1, 1, 1))}, "at most 16 layers and heads, 64 tokens"),
        ({"weights": EVEN, "query_words": ["a", "b"]}, "3 words, to go with weights of shape"),
        ({"query_words": ["a", "b"], "weights": None}, "to go with the words"),
        ({"weights": EVEN, "layer": 2}, "a whole number from 0 to 1"),
        ({"weights": EVEN, "head": 4}, "a whole number from 0 to 3"),
    ],
    TrainingReplay: [
        ({"classifiers": EPOCHS[0]}, "a list of 1 to 200 classifiers of the same shapes"),
        ({"classifiers": EPOCHS * 20}, "1 to 200"),
        ({"classifiers": [EPOCHS[0], SHORTER]}, "of the same shapes"),
        ({"task": tuple(make_task(10))}, "a Task"),
        ({"task": UNLABELLED}, "a Task with one label for each sentence"),
        ({"epoch": 13}, "a whole number from 0, before the training, to 12"),
        ({"tokens": [0, 1, 2]}, "(7,), [CLS] = 0 and then"),
        ({"tokens": [0, 1, 2, 3, 4, 5, 51]}, "whole numbers from 1 to 50"),
        ({"tokens": [7, 1, 2, 3, 4, 5, 6]}, "[CLS] = 0"),
        ({"tokens": [0.0, 1, 2, 3, 4, 5, 6]}, "whole numbers"),
    ],
    NextWord: [
        ({"writer": random_writer(n_words=60)}, "a Writer of 59 words"),
        ({"words": "The movie"}, "a list of at most 22 words of the reviews"),
        ({"words": ["The", "moovie"]}, "'moovie' is none of them"),
        ({"words": ["[praise]"]}, "'[praise]' is none of them"),
        ({"words": [*LONGEST, "was"]}, "these are 23"),
        ({"words": ["The", ".", "movie"]}, "none of them after the full stop"),
        ({"hide": [3]}, "(layer, head)"),
        ({"hide": [(2, 0)]}, "a whole number from 0 to 1"),
        ({"hide": [(0, 4)]}, "a whole number from 0 to 3"),
        ({"head": 4}, "a whole number from 0 to 3"),
    ],
    LookPlayground: [
        ({"preset": "best"}, "one of 'usual', 'decoys', 'early', 'full'"),
        ({"position": 7}, "from 1 to 6, the length of a sentence"),
        ({"question": "equal", "other": 4}, "a position other than"),
        ({"question": "above", "target": 50}, "below 50"),
        ({"tokens": [0, 1]}, "(7,)"),
        ({"tokens": [0, 1, 2, 3, 4, 5, 51]}, "from 1 to 50"),
        ({"classifier": "mine"}, "Classifier"),
        ({"length": 5, "classifier": load_classifier("usual")}, "of 51 tokens and 6 positions"),
    ],
}
# what is wrong with an argument may lie within it, or in how it goes with another one
WITHIN = [
    (SoftmaxDial, {"scores": [1, 2], "words": ["a"]}, r"^scores has shape .* wanted: \(1,\), one score for each"),
    (AttentionExplorer, {"tokens": ["a", "b"], "K": np.zeros((2, 3))}, r"^[QK] has shape .* wanted: \(2, [23]\)"),
    (TrainingReplay, {"classifiers": [NAN]}, r"^b_K .* finite numbers; nan"),
    (TrainingReplay, {"task": make_task(50, length=9, decoys=0.5)}, r"^tokens has shape \(50, 10\)"),
    (TrainingReplay, {"task": Task(make_task(4).tokens, np.ones(4))}, r"^labels .* all one class"),
]


def errors():
    """Explorable, wrong arguments, and what the error has to match."""
    for kind, rows in WRONG.items():
        for given, wanted in rows:
            yield kind, given, rf"{[*given][-1]} (is|has) .* wanted: .*{re.escape(wanted)}"
    yield from WITHIN


@pytest.mark.parametrize(("kind", "given", "message"), list(errors()))
def test_a_wrong_argument_is_named_with_what_is_wanted_and_changes_nothing(kind, given, message):
    with pytest.raises(ValueError, match=message):
        widget_of(kind, **given)
    *others, (name, value) = given.items()
    if name in kind.STATE:
        refuses(widget_of(kind, **dict(others)), name, value, "wanted: ")


@pytest.mark.parametrize(
    ("widget", "name", "value", "wanted"),
    [
        (SoftmaxDial([1, 2]), "scores", [1, 2, 3], "one score for each"),
        (AttentionExplorer(), "tokens", ["a", "b"], "for another sentence make a new explorer"),
        (TrainingReplay(), "loss", np.ones(13), "no change: .* make a new explorable"),
        (NextWord(WRITER), "writer", random_writer(1), "no change: .* make a new explorable"),
    ],
)
def test_what_belongs_together_cannot_change_alone(widget, name, value, wanted):
    refuses(widget, name, value, wanted)


def gallery_of(*rows):
    return HeadGallery([[rows]], ["a", "b", "c"][: len(rows)])


SPREAD = "entropy {} of {} bits, size of the gradient {}\n{}"


@pytest.mark.parametrize(
    ("widget", "words"),
    [
        (VectorPad(a=[1, 0], b=[0, 3]), "= 0.00: nothing in common\nangle 90.0°, cosine 0.00"),
        (VectorPad(a=[1, 0], b=[2, 0]), "= 2.00: they agree\nangle 0.0°, cosine 1.00"),
        (VectorPad(a=[1, 1], b=[-1, -1]), "they disagree\nangle 180.0°, cosine −1.00, projection of b on a −1.41"),
        (VectorPad(a=[0, 0]), "= 0.00: nothing in common\nangle none, cosine none, projection of b on a 0.00"),
        (SoftmaxDial([3]), SPREAD.format("0.00", "0.00", "0.000", "A single key gets all the weight.")),
        (SoftmaxDial([0] * 8), SPREAD.format("3.00", "3.00", "0.109", "All keys share nearly evenly")),
        (SoftmaxDial([2, 0], temperature=0.1), SPREAD.format("0.00", "1.00", "0.000", "One key takes nearly all")),
        (SoftmaxDial([1, 0], temperature=0.5), SPREAD.format("0.53", "1.00", "0.105", "The keys share")),
        (gallery_of([0.5, 0.5, 0], [0.2, 0.2, 0.6], [0.25, 0.5, 0.25]), "a: most at a, b\nb: most at c\nc: most at b"),
        (gallery_of([0.25] * 4, [0.25] * 4), "a looks at: 0 0.25, 1 0.25"),
        (
            TrainingReplay(tokens=[0, 1, 2, 3, 4, 5, 6]),
            "Sentence: [CLS] 1 2 3 4 5 6\nIs the token at position 4 the number 42? no",
        ),
        (
            NextWord(WRITER, "blame", ["The", "movie"], 0.5, [(1, 2), [0, 1], (1, 2)], head=1),
            "[blame] The movie\nTemperature 0.50. Heads that are off: layer 0, head 1; layer 1, head 2.\nNext word: ",
        ),
        (
            NextWord(WRITER, "blame", ["The"], hide=[(0, 1)], head=1),
            "“The” looks, layer 0, head 1, which is off: [blame] ",
        ),
        (NextWord(WRITER, hide=[(0, h) for h in range(4)]), "All heads of layer 0 are off: “[praise]” gets nothing"),
        (NextWord(WRITER, words=["The", "."]), "\nThe review has ended with its full stop.\n“.” looks"),
        (NextWord(WRITER, words=LONGEST), "\n22 words are the most that this writer reads.\nNext word: "),
    ],
)
def test_the_text_says_what_is_seen(widget, words):
    assert words in widget.text()
    if isinstance(widget, NextWord):  # also where there is nothing to draw
        assert PICTURE.match(widget.picture())


def test_attention_explorer_computes_what_the_course_computes():
    Q, K, V = np.random.default_rng(3).normal(size=(3, 5, 4))
    explorer = AttentionExplorer(list("abcde"), Q, K, V, causal=True, padding=2, scaled=False)
    mask = np.tri(5, dtype=bool) & (np.arange(5) < 3)
    output, weights = scaled_dot_product_attention(Q, K, V, mask, scale=1.0)
    np.testing.assert_allclose(explorer.weights, weights)
    np.testing.assert_allclose(explorer.output, output)


def test_head_gallery_keeps_its_heads_and_goes_back_to_a_word_that_the_sentence_has():
    def read_evenly(sentence):
        words = sentence.split()
        return SimpleNamespace(weights=np.full((2, 4, len(words), len(words)), 1 / len(words)), tokens=words)

    gallery = HeadGallery(EVEN, ["a", "b", "c"], layer=1, query=2, head=3, read=read_evenly)
    with pytest.raises(ValueError, match=r"^layer is 1"):
        gallery.weights = EVEN[:1]
    assert gallery.weights.shape == EVEN.shape and gallery.weights.dtype == np.float32
    gallery._typed = {"sentence": "x y", "count": 1}
    gallery.head = 1
    gallery._take(gallery._initial)  # as the page's button
    assert (gallery.query_words, gallery.head, gallery.query) == (("x", "y"), 3, 0)
    gallery._typed = {"sentence": "1 2 3 4 5", "count": 2}
    gallery.query = 4
    again = HeadGallery(EVEN, ["a", "b", "c"], read=read_evenly)
    again._take(gallery._state())  # as a cell that runs again
    assert (again.head, again.query) == (3, 2)


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


def test_an_unknown_training_is_no_file():
    with pytest.raises(FileNotFoundError, match="no recorded training 'own'; there are focused, usual"):
        load_training("own")


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


def test_numbers_are_read_only_and_no_part_of_what_was_given():
    given = np.array([1.0, 0.0])
    pad = VectorPad(a=given)
    given[0] = 9
    assert pad.a.tolist() == [1, 0]
    with pytest.raises(ValueError, match="read-only"):
        pad.a[0] = 9


def test_a_cell_that_runs_again_keeps_its_state_and_another_one_begins_anew(monkeypatch):
    """In JupyterLab too: tests/apart/browser."""
    monkeypatch.setattr(base, "_LAST_WIDGETS", {})
    monkeypatch.setattr(base, "_RUN_COUNTS", {})
    runs = iter(range(100))

    def run(name, *arguments):
        """Run a cell that makes a pad for each of the arguments."""
        message = f"message {next(runs)}"
        monkeypatch.setattr(base, "_running_cell", lambda: (name, message))
        return [VectorPad(**given) for given in arguments]

    run("one", {}, {})[1].a = [7, 7]
    for _ in range(2):
        first, second = run("one", {}, {})
        assert (first.a.tolist(), second.a.tolist()) == ([2, 3], [7, 7])
    assert run("two", {})[0].a.tolist() == [2, 3], "another cell"
    assert run("one", {}, {"a": [1, 1]})[1].a.tolist() == [1, 1], "other arguments"
    run(None, {})[0].a = [7, 7]
    assert run(None, {})[0].a.tolist() == [2, 3], "where cells have no names nothing is kept"


def test_look_playground_reads_what_the_page_measured_as_long_as_it_fits():
    playground = LookPlayground("full", seeds=2)
    weights = np.concatenate([np.ravel(array) for array in load_classifier("focused")]).astype(float)
    recipe = {name: value for name, value in playground._state().items() if name in LOOK_RECIPE}
    result = {"recipe": recipe, "step": 384, "epoch": 12, "accuracy": [1.0, 0.5], "look": [0.999, 0.2], "opened": 0}
    result |= {"rows": [[0.0, 0, 0, 0, 1, 0, 0], [0.2, 0.2, 0.2, 0.2, 0.2, 0, 0]], "weights": weights.tolist()}
    playground._result, playground.step = result, 384
    assert playground.answer == answer_with(playground.classifier, playground.tokens[None])[0]
    assert "75.0 % right. 1 of 2 look at position 4, with a weight of at least 0.99." in playground.text()
    assert playground.figure().get_title() == "seed 0: where [CLS] looks, mean"
    playground.opened = 1
    assert playground.classifier is None, "the weights are those of the model that was open"
    playground.decoys = 0.2
    assert playground.looks is None and "Nothing is trained yet." in playground.text()


def test_look_playground_draws_the_recorded_models_before_it_trained():
    figure = LookPlayground().figure().figure
    assert figure.get_suptitle().startswith("Nothing is trained here yet.")
    looks = [[bar.get_height() for bar in ax.patches] for ax in figure.axes]
    assert [len(scene) for scene in looks] == [20, 20] and max(looks[0]) < 0.5 < 0.99 <= min(looks[1])
    assert all(ax.get_ylim() == (0, 1) for ax in figure.axes), "a third looks like a third"
