"""LookPlayground: twenty small Transformers train in the page. Do they look?"""

import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.axes import Axes

from course_utils.arrays.shapes import Array
from course_utils.explorables.assets import bundle
from course_utils.explorables.base import Explorable, format_number, listed, position_names
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
from course_utils.models.cls_reader import Classifier, cls_row, load_study
from course_utils.pictures.palette import ORANGE
from course_utils.pictures.plots import row_bars

SHARP = 0.99  # a model looks if this share of the weight is on the position of the question
RECIPE = ("question", "position", "target", "other", "length", *SCENES["full"][2], "first_seed")


class LookPlayground(Recipe, Explorable):
    """Twenty classifiers of 777 weights train in the page, without a kernel: are they right, and do they look?

    preset: "usual", "decoys", "early" or "full", the scenes of the story; any other argument changes its recipe.
    question: "target" (is the token at `position` the `target`?), "above" (is it above it?), "equal" (is it the token
    at position `other`?). length: tokens after [CLS], 2 to 12. decoys: how often the target stands elsewhere.
    reward: how much it counts that [CLS] looks at one place, once an epoch's loss was below `patience`; 10 waits for
    nothing. learning_rate, batch_size, epochs: of Adam. seeds: how many models, the first one with `first_seed`.
    classifier: a Classifier that the first model begins with. tokens (length + 1,): the sentence that they answer.
    running: train as soon as the page shows it. pace: batches a second, 0 for all that it can.
    presenter: a larger view. reduced: how many look, the models and one button to the next scene; all else unfolds.
    given: the recipe is given, and only the training of the open model is shown, as in the pages of lessons 12 and 13.

    Python reads and sets the recipe, `opened`, `running` and `step` (batches trained), and reads `accuracy`, `looks`,
    `rows`, `classifier`, `row` and `answer`, which are None until the page has trained.
    Raises ValueError for what does not fit.

    >>> playground = LookPlayground("full", position=2, length=4)
    >>> print(playground.text().splitlines()[0])
    Is the token at position 2 the number 42? Sentences of 4 tokens.
    >>> playground.looks is None
    True
    """

    _esm = bundle("look_playground.js")
    STATE = (*RECIPE, "opened", "all_tokens", "pace", "running", "step")
    scenes = traitlets.List().tag(sync=True)
    sizes = traitlets.Dict().tag(sync=True)
    first_weights = Numbers([0.0], "(n_weights,)", fixed=True)  # one number: none
    seeds = Count(20, least=1, most=40, fixed=True)
    opened, pace, step = Count(0), Count(0, most=1000), Count(0)
    all_tokens = Tokens(SENTENCE)
    running = Yes(False)
    reduced, given = Yes(False, fixed=True), Yes(False, fixed=True)
    _result = traitlets.Dict().tag(sync=True)  # what the page measured last, and the recipe

    def __init__(
        self,
        preset: str = "usual",
        *,
        classifier: Classifier | None = None,
        tokens: Array["length + 1"] | None = None,
        **settings: object,
    ) -> None:
        changed = {name: settings.pop(name) for name in SCENES["full"][2] if name in settings}
        settings |= recipe_of(preset, changed)
        own = len(classifier.positions) - 1 if isinstance(classifier, Classifier) else 6
        length = settings.get("length", own)
        settings["length"] = length = type(self).length.validate(self, length)
        if classifier is not None:
            settings["first_weights"] = flat_weights(classifier, length)
        if tokens is not None:
            settings["all_tokens"] = tokens_of(tokens, length)
        scenes = [{"title": title, "line": line, "recipe": recipe} for title, line, recipe in SCENES.values()]
        super().__init__(**settings, scenes=scenes, sizes=sizes_of(classifier))

    @traitlets.validate("opened")
    def _clip_opened(self, proposal):
        """Open the last model for a number beyond it."""
        return min(proposal["value"], self.seeds - 1)

    def _limits(self):
        return {"opened": {"most": self.seeds - 1}}

    @property
    def accuracy(self) -> Array["n_models"] | None:
        """The share of right answers of each model on unseen sentences, (n_models,); None before the training."""
        return self._measured("accuracy")

    @property
    def looks(self) -> Array["n_models"] | None:
        """The mean weight of each model on the position of the question, (n_models,); None before the training."""
        return self._measured("look")

    @property
    def rows(self) -> Array["n_models, length + 1"] | None:
        """Where [CLS] looks on average, for each model, (n_models, length + 1); None before the training."""
        return self._measured("rows")

    @property
    def classifier(self) -> Classifier | None:
        """The open Classifier in its current state, in double precision; None before the training."""
        result = self._current_result()
        if result is None or result["opened"] != self.opened:
            return None
        return classifier_of(result["weights"], self.length, self.sizes)

    @property
    def tokens(self) -> Array["length + 1"]:
        """The sentence, (length + 1,)."""
        return np.array(self.all_tokens[: self.length + 1])

    @property
    def row(self) -> Array["length + 1"] | None:
        """Where [CLS] of the open model looks in the sentence, (length + 1,); None before the training."""
        return None if self.classifier is None else cls_row(self.classifier, self.tokens[None])[0]

    @property
    def answer(self) -> float | None:
        """The probability of yes that the open model gives the sentence; None before the training."""
        return None if self.classifier is None else float(self.classifier(self.tokens[None]).probability[0])

    def _measured(self, name):
        result = self._current_result()
        return None if result is None else np.array(result[name])

    def _current_result(self):
        """What the page measured, if it fits the current recipe and step."""
        result = self._result
        if not result.get("recipe") or result["step"] != self.step:
            return None
        return result if all(result["recipe"][name] == getattr(self, name) for name in RECIPE) else None

    def figure(self) -> Axes:
        """Draw where the open model looks, or before the training how far recorded ones do."""
        if self.rows is not None:
            ax = row_bars(self.rows[self.opened], position_names(self.length), highlight=self._question_positions())
            ax.set(title=f"{self._model_names()[self.opened]}: where [CLS] looks, mean", xlim=(0, 1.1))
            return ax
        _, axes = plt.subplots(1, 2, figsize=(12, 3.1), sharey=True)
        for ax, recipe, scene in zip(axes, ("usual", "focused"), ("usual", "full"), strict=True):
            looks = recorded_looks(recipe)
            ax.bar(range(len(looks)), looks, color=ORANGE)
            ax.axhline(SHARP, color="black", linewidth=0.8)
            sharp = sum(look >= SHARP for look in looks)
            ax.set(title=f"{SCENES[scene][0]}: {sharp} of {len(looks)} look", xlabel="model", ylim=(0, 1), xticks=[])
        axes[0].set_ylabel("weight on position 4")
        axes[0].figure.suptitle("Nothing is trained here yet. The first scene and the last, as recorded:")
        return axes[0]

    def text(self) -> str:
        """Return the question, the recipe, accuracy and look of each model, and the answer of the open one."""
        lines = [f"{self._question()} Sentences of {self.length} tokens.", self._recipe_line(), *self._seeds_lines()]
        own, places = ["[CLS]", *map(str, self.tokens[1:])], position_names(self.length)
        lines.append(f"Sentence: {' '.join(own)}")
        if self.classifier is None:
            return "\n".join(lines)
        reading = self.classifier(self.tokens[None]).weights[0, 0, 0]  # (n, n)
        says = "yes" if self.answer >= 0.5 else "no"
        parts = zip(places, *self._score_parts(), strict=True)
        lines += [
            f"{self._model_names()[self.opened]} says {says}, probability of yes {format_number(self.answer)}.",
            f"[CLS] looks, in this sentence: {listed(own, reading[0])}",
            "Parts of the scores, token and place: "
            + ", ".join(
                f"{name} {format_number(token)} and {format_number(position)}" for name, token, position in parts
            ),
            *(
                f"{position} looks most, in this sentence: {listed([places[row.argmax()]], [row.max()])}"
                for position, row in zip(places[1:], reading[1:], strict=True)
            ),
        ]
        return "\n".join(lines)

    def _score_parts(self):
        """The parts of the scores from the tokens and from the positions of the sentence, (length + 1,) each."""
        model = self.classifier
        query = (model.tokens[0] + model.positions[0]) @ model.W_Q + model.b_Q  # (d_k,)
        through = model.W_K @ query / np.sqrt(len(query))  # (d_model,)
        return model.tokens[self.tokens] @ through, model.positions @ through

    def _seeds_lines(self):
        if self.looks is None:
            return ["Nothing is trained yet."]
        sharp, places = int((self.looks >= SHARP).sum()), position_names(self.length)
        targets = " and ".join(places[i] for i in self._question_positions())
        lines = [
            f"Epoch {self._result['epoch']} of {self.epochs}: {_percent(self.accuracy)} % right. "
            f"{sharp} of {self.seeds} look at {targets}, with a weight of at least {format_number(SHARP)}."
        ]
        models = zip(self._model_names(), self.accuracy, self.looks, self.rows, strict=True)
        return lines + [
            f"{name}: {_percent([right])} % right, look {format_number(look)}; "
            f"[CLS] looks, on average: {listed(places, row)}"
            for name, right, look, row in models
        ]

    def _question(self):
        return {
            "target": f"Is the token at position {self.position} the number {self.target}?",
            "above": f"Is the token at position {self.position} above {self.target}?",
            "equal": f"Are the tokens at positions {self.position} and {self.other} equal?",
        }[self.question]

    def _recipe_line(self):
        waits = (
            "from the first batch on"
            if self.patience >= 10
            else f"once a loss was below {format_number(self.patience)}"
        )
        return (
            f"Recipe: decoys {format_number(self.decoys)}; reward {format_number(self.reward)} for one place, {waits}; "
            f"learning rate {format_number(self.learning_rate, 4)}; batches of {self.batch_size}; {self.epochs} epochs."
        )

    def _question_positions(self):
        return [self.position, self.other] if self.question == "equal" else [self.position]

    def _model_names(self):
        names = [f"seed {self.first_seed + i}" for i in range(self.seeds)]
        return ["yours", *names[1:]] if self.first_weights.size > 1 else names


def recorded_looks(recipe: str) -> list[float]:
    """Return the weight on position 4 of the twenty models of a recipe, "usual" or "focused", in the recorded study."""
    return [run["weight"] for run in load_study() if run["recipe"] == recipe and run["seed"] < 20]


def _percent(accuracy):
    """The share of right answers of all models; each is a count out of 1,000."""
    return format_number(sum(round(1000 * x) for x in accuracy) / (10 * len(accuracy)), 1)
