"""LookPlayground: twenty small Transformers train in the page, and the question is whether they look."""

import matplotlib.pyplot as plt
import numpy as np
import traitlets

from course_utils.cls_reader import Classifier, cls_row, load_training
from course_utils.cls_task import make_task
from course_utils.explorables.assets import joined
from course_utils.explorables.base import Explorable, written
from course_utils.explorables.look_recipes import (
    SCENES,
    SENTENCE,
    Recipe,
    Tokens,
    classifier_of,
    flat_weights,
    recipe_of,
    sizes_of,
    tokens_of,
)
from course_utils.explorables.traits import Count, Numbers, Yes
from course_utils.plots import row_bars

SHARP = 0.99  # of the weight, on the place that the question is about: it really looks
RECIPE = ("question", "position", "target", "other", "length", *SCENES["full"][2], "first_seed")


class LookPlayground(Recipe, Explorable):
    """Twenty classifiers of 777 weights train in the page, without a kernel: are they right, and do they look?

    preset: "usual", "decoys", "early" or "full", the scenes of the story; each other argument changes its recipe.
    question: "target" (is the token at `position` the `target`?), "above" (is it above it?), "equal" (is it the token
    at position `other`?). length: tokens after [CLS], 2 to 12. decoys: how often the target stands elsewhere.
    reward: how much it counts that [CLS] looks at one place, once an epoch's loss was below `patience`; 10 waits for
    nothing. learning_rate, batch_size, epochs: of Adam. seeds: how many models, the first one with `first_seed`.
    classifier: a Classifier that the first model begins with. tokens (length + 1,): the sentence that they answer.
    running: train as soon as the page shows it. pace: batches a second, 0 for all that it can.
    presenter: a larger view.

    Python reads and sets the recipe, `opened`, `running` and `step` (batches trained), and reads `accuracy`, `looks`,
    `rows`, `classifier`, `row` and `answer`, which are None until the page has trained.
    Raises ValueError for what does not fit.

    >>> playground = LookPlayground("full", position=2, length=4)
    >>> print(playground.text().splitlines()[0])
    Is the token at position 2 the number 42? Sentences of 4 tokens.
    >>> playground.looks is None
    True
    """

    _esm = joined("look_playground.js")
    STATE = (*RECIPE, "opened", "all_tokens", "pace", "running", "step")
    scenes = traitlets.List().tag(sync=True)
    sizes = traitlets.Dict().tag(sync=True)
    first_weights = Numbers([0.0], "(n_weights,)")  # one number: none are given
    seeds = Count(20, least=1, most=40)
    opened, pace, step = Count(0), Count(0, most=1000), Count(0)
    all_tokens = Tokens(SENTENCE)
    running = Yes(False)
    _result = traitlets.Dict().tag(sync=True)  # what the page measured last, and for which recipe

    def __init__(self, preset="usual", *, classifier=None, tokens=None, **given):
        changed = {name: given.pop(name) for name in SCENES["full"][2] if name in given}
        given |= recipe_of(preset, changed)
        own = len(classifier.positions) - 1 if isinstance(classifier, Classifier) else 6
        length = given.get("length", own)
        given["length"] = length = type(self).length.validate(self, length)
        if classifier is not None:
            given["first_weights"] = flat_weights(classifier, length)
        if tokens is not None:
            given["all_tokens"] = tokens_of(tokens, length)
        scenes = [{"title": title, "line": line, "recipe": recipe} for title, line, recipe in SCENES.values()]
        super().__init__(**given, scenes=scenes, sizes=sizes_of(classifier))

    @traitlets.validate("opened", "seeds", "first_weights")
    def _is_there(self, proposal):
        """A model that is there, and nothing new in what the page reads once."""
        name, value = proposal["trait"].name, proposal["value"]
        if self.made and name != "opened":
            raise ValueError(f"{name}: no change, since the page reads it once; make a new LookPlayground")
        return min(value, self.seeds - 1) if name == "opened" else value

    @property
    def accuracy(self):
        """The share of right answers of each model on unseen sentences, (n_models,); None before the training."""
        return self._measured("accuracy")

    @property
    def looks(self):
        """The mean weight of each model on the place of the question, (n_models,); None before the training."""
        return self._measured("look")

    @property
    def rows(self):
        """Where [CLS] looks on average, for each model, (n_models, length + 1); None before the training."""
        return self._measured("rows")

    @property
    def classifier(self):
        """The Classifier that is open, as it is trained now, in double precision; None before the training."""
        result = self._fresh()
        if result is None or result["opened"] != self.opened:
            return None
        return classifier_of(result["weights"], self.length, self.sizes)

    @property
    def tokens(self):
        """The sentence, (length + 1,)."""
        return np.array(self.all_tokens[: self.length + 1])

    @property
    def row(self):
        """Where [CLS] of the open model looks in the sentence, (length + 1,); None before the training."""
        return None if self.classifier is None else cls_row(self.classifier, self.tokens[None])[0]

    @property
    def answer(self):
        """The probability of yes that the open model gives the sentence; None before the training."""
        return None if self.classifier is None else float(self.classifier(self.tokens[None]).probability[0])

    def _measured(self, name):
        result = self._fresh()
        return None if result is None else np.array(result[name])

    def _fresh(self):
        """What the page measured, if it belongs to the present recipe and batch."""
        result = self._result
        if not result.get("recipe") or result["step"] != self.step:
            return None
        return result if all(result["recipe"][name] == getattr(self, name) for name in RECIPE) else None

    def figure(self):
        """Draw where the open model looks; before the training, where the two recorded ones do. Returns the Axes."""
        if self.rows is not None:
            ax = row_bars(self.rows[self.opened], self._places(), highlight=self._asked())
            ax.set_title(f"{self._names()[self.opened]}: where [CLS] looks, mean")
            return ax
        task = make_task(2000, decoys=0.5, seed=1)
        _, axes = plt.subplots(1, 2, figsize=(12, 3.1))
        places = ["[CLS]", *(f"position {i}" for i in range(1, 7))]
        for ax, name, title in zip(axes, ("usual", "focused"), ("usual recipe", "reward with patience"), strict=True):
            row = cls_row(load_training(name)[-1], task.tokens).mean(axis=0)
            row_bars(row, places, title=f"Recorded, {title}", highlight=[4], ax=ax)
        axes[0].figure.suptitle("Nothing is trained here yet. Two recorded models, mean [CLS] row on decoys:")
        return axes[0]

    def text(self):
        """Return question, recipe, what each model gets right and where it looks, and what the open one answers."""
        lines = [f"{self._question()} Sentences of {self.length} tokens.", self._recipe_line(), *self._seeds_lines()]
        own, places = ["[CLS]", *map(str, self.tokens[1:])], self._places()
        lines.append(f"Sentence: {' '.join(own)}")
        if self.classifier is None:
            return "\n".join(lines)
        reading = self.classifier(self.tokens[None]).weights[0, 0, 0]  # (n, n)
        says = "yes" if self.answer >= 0.5 else "no"
        parts = zip(places, *self._score_parts(), strict=True)
        lines += [
            f"{self._names()[self.opened]} says {says}, probability of yes {written(self.answer)}.",
            f"[CLS] looks, in this sentence: {_listed(own, reading[0])}",
            "Parts of the scores, token and place: "
            + ", ".join(f"{name} {written(token)} and {written(place)}" for name, token, place in parts),
            *(
                f"{place} looks most, in this sentence: {_listed([places[row.argmax()]], [row.max()])}"
                for place, row in zip(places[1:], reading[1:], strict=True)
            ),
        ]
        return "\n".join(lines)

    def _score_parts(self):
        """What each token and what each place of the sentence adds to its score, (length + 1,) both."""
        one = self.classifier
        query = (one.tokens[0] + one.positions[0]) @ one.W_Q + one.b_Q  # (d_k,)
        through = one.W_K @ query / np.sqrt(len(query))  # (d_model,)
        return one.tokens[self.tokens] @ through, one.positions @ through

    def _seeds_lines(self):
        if self.looks is None:
            return ["Nothing is trained yet."]
        sharp, places = int((self.looks >= SHARP).sum()), self._places()
        where = " and ".join(places[i] for i in self._asked())
        lines = [
            f"Epoch {self._result['epoch']} of {self.epochs}: {_percent(self.accuracy)} % right. "
            f"{sharp} of {self.seeds} look at {where}, with a weight of at least {written(SHARP)}."
        ]
        models = zip(self._names(), self.accuracy, self.looks, self.rows, strict=True)
        return lines + [
            f"{name}: {_percent([right])} % right, look {written(look)}; "
            f"[CLS] looks, on average: {_listed(places, row)}"
            for name, right, look, row in models
        ]

    def _question(self):
        return {
            "target": f"Is the token at position {self.position} the number {self.target}?",
            "above": f"Is the token at position {self.position} above {self.target}?",
            "equal": f"Are the tokens at positions {self.position} and {self.other} equal?",
        }[self.question]

    def _recipe_line(self):
        waits = "from the first batch on" if self.patience >= 10 else f"once a loss was below {written(self.patience)}"
        return (
            f"Recipe: decoys {written(self.decoys)}; reward {written(self.reward)} for one place, {waits}; "
            f"learning rate {written(self.learning_rate, 4)}; batches of {self.batch_size}; {self.epochs} epochs."
        )

    def _asked(self):
        return [self.position, self.other] if self.question == "equal" else [self.position]

    def _places(self):
        return ["[CLS]", *(f"position {i}" for i in range(1, self.length + 1))]

    def _names(self):
        names = [f"seed {self.first_seed + i}" for i in range(self.seeds)]
        return ["yours", *names[1:]] if self.first_weights.size > 1 else names


def _listed(names, weights):
    return ", ".join(f"{name} {written(weight)}" for name, weight in zip(names, weights, strict=True))


def _percent(accuracy):
    """The share of right answers of all models; each is a count out of 1,000."""
    return written(sum(round(1000 * x) for x in accuracy) / (10 * len(accuracy)), 1)
