"""TrainingReplay: a recorded training, epoch by epoch, and a sentence that the model of each epoch answers."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.arguments import as_array, wrong
from course_utils.arrays.shapes import Array
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, listed, position_names
from course_utils.explorables.traits import Checked, Count, Numbers, Words, pack_array
from course_utils.models.cls_reader import Classifier, check_classifier, load_training
from course_utils.pictures.plots import curves, row_bars
from course_utils.tasks.cls_task import CLS, Task, check_labels, make_task

MOST_EPOCHS, MOST_TOKENS = 200, 64


class Classifiers(Checked):
    """Classifiers of the same shapes, as a tuple; the page gets the bytes of each array over all epochs."""

    @staticmethod
    def for_page(value: tuple[Classifier, ...], widget: traitlets.HasTraits) -> dict[str, dict]:
        arrays = zip(*value, strict=True)  # per name, over all epochs
        return {name: pack_array(np.stack(epochs)) for name, epochs in zip(Classifier._fields, arrays, strict=True)}

    def validate(self, owner: traitlets.HasTraits | None, value: object) -> tuple[Classifier, ...]:
        wanted = (
            f"1 to {MOST_EPOCHS} classifiers of the same shapes, each as cls_model.to_reader or load_training gives it"
        )
        if not isinstance(value, list | tuple) or not all(isinstance(one, Classifier) for one in value):
            raise wrong(self.name, value, f"a list of {wanted}")
        shapes = {tuple(np.shape(array) for array in one) for one in value}
        if not 1 <= len(value) <= MOST_EPOCHS or len(shapes) != 1 or len(value[0].positions) > MOST_TOKENS:
            description = f"{len(value)} classifiers, {len(shapes)} sets of shapes"
            raise wrong(self.name, description, f"{wanted}, with at most {MOST_TOKENS} tokens")
        return tuple(check_classifier(one) for one in value)


class Sentence(Checked):
    """Token numbers (seq_len,) of the classifiers' vocabulary, a read-only array; [CLS] stands first and only there."""

    rule = {"shape": ["seq_len"], "whole": True, "least": 1, "first": CLS}

    @staticmethod
    def for_page(value: Array["seq_len"], widget: traitlets.HasTraits) -> list[int]:
        return np.asarray(value).tolist()

    def validate(self, owner: traitlets.HasTraits, value: object) -> Array["seq_len"]:
        vocab_size, seq_len = len(owner.classifiers[0].tokens), len(owner.classifiers[0].positions)
        wanted = f"({seq_len},), [CLS] = {CLS} and then whole numbers from 1 to {vocab_size - 1}"
        tokens = as_array(self.name, value, wanted).copy()
        if tokens.shape != (seq_len,) or tokens.dtype.kind not in "iu":
            raise wrong(self.name, tokens, wanted)
        if tokens[0] != CLS or not all(1 <= token < vocab_size for token in tokens[1:]):
            raise wrong(self.name, tokens.tolist(), wanted)
        tokens.flags.writeable = False
        return tokens


class TrainingReplay(Explorable):
    """Scrub or play the epochs of a training: loss, accuracy, where [CLS] looks.

    The model of the epoch answers a sentence.
    classifiers: the untrained one, then one for each epoch (None: the recorded training "focused").
    task: the sentences and labels on which loss, accuracy and mean weights are measured,
    preferably unseen ones (None: 2,000 of them with decoys). question: what the model answers (None: the task's own).
    epoch: 0 is before the training; None means the last.
    tokens (seq_len,): the sentence, [CLS] = 0 first; None means the first sentence of the task whose label is 1.
    presenter: a larger view.
    Python reads `replay.epoch`, `replay.tokens`, `replay.classifier`, `replay.row`, `replay.answer`.
    Raises ValueError for what does not fit.

    >>> replay = TrainingReplay(epoch=2, tokens=[0, 42, 42, 42, 7, 42, 42])
    >>> replay.accuracy.round(1)[[0, 12]], replay.answer > 0.5
    (array([0.5, 1. ]), True)
    >>> replay.epoch = 12
    >>> replay.answer > 0.5, replay.row.argmax()
    (False, np.int64(4))
    """

    _esm = bundle("training_replay.js")
    STATE = ("epoch", "tokens")
    classifiers = Classifiers((), fixed=True)
    loss, accuracy = (Numbers([0.0], "(n_epochs,)", fixed=True) for _ in range(2))
    # The mean over the sentences of the task.
    weights = Numbers([[[0.0]]], "(n_epochs, seq_len, seq_len)", fixed=True)
    n_sentences = Count(1, fixed=True)
    question = Words([Task.question], least=1, most=1, fixed=True)
    epoch = Count(0)
    tokens = Sentence(())

    def __init__(
        self,
        classifiers: Sequence[Classifier] | None = None,
        task: Task | None = None,
        *,
        question: str | None = None,
        epoch: int | None = None,
        tokens: Array["seq_len"] | None = None,
        **settings: object,
    ) -> None:
        classifiers = load_training("focused") if classifiers is None else classifiers
        classifiers = type(self).classifiers.validate(None, classifiers)
        task = make_task(2000, decoys=0.5, seed=1) if task is None else task
        settings |= _measurements(classifiers, task) | {"question": [task.question if question is None else question]}
        chosen = {
            "epoch": len(classifiers) - 1 if epoch is None else epoch,
            "tokens": task.tokens[np.argmax(task.labels)] if tokens is None else tokens,
        }
        # In this order: the classifiers check the tokens.
        super().__init__(classifiers=classifiers, **settings, **chosen)

    @traitlets.validate("epoch")
    def _fits(self, proposal):
        """Check that the epoch exists."""
        epoch, last = proposal["value"], len(self.classifiers) - 1
        if epoch > last:
            raise wrong("epoch", epoch, f"a whole number from 0, before the training, to {last}")
        return epoch

    def _limits(self):
        vocab_size, seq_len = len(self.classifier.tokens), len(self.tokens)
        tokens = {"axes": {"seq_len": (seq_len, seq_len)}, "most": vocab_size - 1}
        return {"epoch": {"most": len(self.classifiers) - 1}, "tokens": tokens}

    @property
    def classifier(self) -> Classifier:
        """The Classifier after the chosen epoch, in double precision, as the page computes with it."""
        return Classifier(*(array.astype(np.float64) for array in self.classifiers[self.epoch]))

    @property
    def row(self) -> Array["seq_len"]:
        """Where [CLS] looks in the sentence, (seq_len,)."""
        return self.classifier(self.tokens[None]).weights[0, 0, 0, 0]

    @property
    def answer(self) -> float:
        """The probability of yes that the classifier gives the sentence."""
        return float(self.classifier(self.tokens[None]).probability[0])

    def figure(self) -> Axes:
        """Draw loss and accuracy of all epochs, and the mean [CLS] rows of the chosen one and of the last.

        Returns the Axes of the curves.
        """
        names, drawn = position_names(len(self.tokens) - 1), dict.fromkeys((self.epoch, len(self.loss) - 1))
        size = (6 + 6 * len(drawn), max(4.2, 1.2 + 0.29 * len(names)))
        _, (left, *others) = plt.subplots(1, 1 + len(drawn), figsize=size)
        lines = {"loss": self.loss, "accuracy": self.accuracy}
        curves(np.arange(len(self.loss)), lines, xlabel="epoch", ylabel="on unseen sentences", ax=left)
        left.axvline(self.epoch, color="black", linewidth=1)
        for epoch, ax in zip(drawn, others, strict=True):
            row_bars(self.weights[epoch, 0], names, title=f"Epoch {epoch}: where [CLS] looks, mean", ax=ax)
            ax.set_xlim(0, 1.15)  # both on one scale, with room for the numbers
        return left

    def text(self) -> str:
        """Return the epoch's figures, where each position looks on average, the sentence, its answer, its [CLS] row."""
        places, mean = position_names(len(self.tokens) - 1), self.weights[self.epoch]
        says = "yes" if self.answer >= 0.5 else "no"
        names = ["[CLS]", *map(str, self.tokens[1:])]
        return "\n".join(
            [
                f"Epoch {self.epoch} of {len(self.loss) - 1}, on {self.n_sentences} sentences: "
                f"loss {format_number(self.loss[self.epoch], 3)}, accuracy {format_number(self.accuracy[self.epoch])}",
                f"[CLS] looks, on average: {listed(places, mean[0])}",
                *(
                    f"{position} looks most, on average: {listed([places[look.argmax()]], [look.max()])}"
                    for position, look in zip(places[1:], mean[1:], strict=True)
                ),
                f"Sentence: {' '.join(names)}",
                f"{self.question[0]} {says}, probability of yes {format_number(self.answer)}",
                f"[CLS] looks, in this sentence: {listed(names, self.row)}",
            ]
        )


def _measurements(classifiers, task):
    """Loss, accuracy and mean weights of each classifier on a task's sentences, as the traits of TrainingReplay."""
    if not isinstance(task, Task):
        raise wrong("task", task, "a Task of tokens and labels, as make_task gives it")
    tokens, labels = task.tokens, np.asarray(task.labels)
    check_labels(labels)
    if len(tokens) != len(labels):
        raise wrong("task", task, "a Task with one label for each sentence")
    yes, means = [], []
    for classifier in classifiers:
        reading = classifier(tokens)
        yes.append(reading.probability)
        means.append(reading.weights[:, 0, 0].mean(axis=0))  # (seq_len, seq_len)
    yes = np.stack(yes).astype(np.float64)  # (n_epochs, n)
    right = np.clip(np.where(labels == 1, yes, 1 - yes), 1e-7, 1)  # Keras clips there too
    return {
        "loss": -np.log(right).mean(axis=1),
        "accuracy": ((yes >= 0.5) == (labels == 1)).mean(axis=1),
        "weights": means,
        "n_sentences": len(tokens),
    }
