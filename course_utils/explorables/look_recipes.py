"""The recipes of LookPlayground: its story, and the limits of a recipe. Nothing is trained here."""

import numpy as np
import traitlets

from course_utils.arrays.arguments import as_array, wrong
from course_utils.arrays.shapes import Array
from course_utils.explorables.traits import Checked, Count, OneOf, Real
from course_utils.models.cls_reader import AXES, Classifier, check_classifier

VOCABULARY = 51  # [CLS], and the tokens 1 to 50
MOST_LENGTH = 12
USUAL = {"decoys": 0.0, "reward": 0.0, "patience": 0.1, "learning_rate": 0.001, "batch_size": 32, "epochs": 10}
FULL = {"decoys": 0.5, "reward": 0.3, "patience": 0.1, "learning_rate": 0.01, "batch_size": 250, "epochs": 12}
# name -> title and text of its card, and its recipe, in the order of the story
SCENES = {
    "usual": ("1 · The usual recipe", "Right or wrong is all that a model is told.", USUAL),
    "decoys": ("2 · Decoys", "42s also stand where they do not count.", FULL | {"reward": 0.0}),
    "early": ("3 · Reward, too early", "Weight on any one place pays, from epoch 2 on.", FULL | {"patience": 1.0}),
    "full": ("4 · Reward, patient", "It pays only once a model answers well.", FULL),
}
SENTENCE = (0, 42, 7, 42, 9, 42, 42, *range(11, 17))  # four decoys, and a no


class Tokens(Checked):
    """Token numbers for the longest sentence, as a tuple: [CLS] first, then 1 to 50. Shorter ones ignore the rest."""

    rule = {"shape": [f"{MOST_LENGTH + 1}"], "whole": True, "least": 1, "most": VOCABULARY - 1, "first": 0}

    def validate(self, owner: traitlets.HasTraits, value: object) -> tuple[int, ...]:
        wanted = f"({MOST_LENGTH + 1},), [CLS] = 0 and then whole numbers from 1 to {VOCABULARY - 1}"
        tokens = as_array(self.name, value, wanted)
        if tokens.shape != (MOST_LENGTH + 1,) or tokens.dtype.kind not in "iu":
            raise wrong(self.name, tokens, wanted)
        if tokens[0] != 0 or tokens[1:].min() < 1 or tokens.max() >= VOCABULARY:
            raise wrong(self.name, tokens.tolist(), wanted)
        return tuple(tokens.tolist())


class Recipe(traitlets.HasTraits):
    """A recipe as traits of a widget: the question, the sentences, and how the models are trained."""

    question = OneOf("target", ("target", "above", "equal"))
    position, target, other = Count(4, least=1), Count(42, least=1, most=VOCABULARY - 1), Count(2, least=1)
    length = Count(6, least=2, most=MOST_LENGTH)
    decoys = Real(0.0, least=0, most=0.9)
    reward = Real(0.0, least=0, most=10)
    patience = Real(0.1, least=0.001, most=10)
    learning_rate = Real(0.001, least=1e-5, most=1)
    batch_size = Count(32, least=8, most=4000)
    epochs = Count(10, least=1, most=100)
    first_seed = Count(0, most=10**6)

    @traitlets.validate("position", "other", "length", "question", "target")
    def _fits(self, proposal):
        """Check that positions are in the sentence and differ, and that the question has both answers."""
        name, value = proposal["trait"].name, proposal["value"]
        new = {trait: getattr(self, trait) for trait in ("position", "other", "length", "question", "target")} | {
            name: value
        }
        positions = ("position", "other") if new["question"] == "equal" else ("position",)
        for position in positions:
            if new[position] > new["length"]:
                raise wrong(
                    position, new[position], f"a whole number from 1 to {new['length']}, the length of a sentence"
                )
        if new["question"] == "equal" and new["position"] == new["other"]:
            raise wrong("other", new["other"], "a position other than the first one")
        if new["question"] == "above" and new["target"] == VOCABULARY - 1:
            raise wrong("target", new["target"], f"a number below {VOCABULARY - 1}, so that a token can be above it")
        return value


def recipe_of(preset: str, changed: dict) -> dict:
    """Return the recipe of a scene, with changed values that are not None."""
    if preset not in SCENES:
        raise wrong("preset", preset, "one of " + ", ".join(map(repr, SCENES)))
    return SCENES[preset][2] | {name: value for name, value in changed.items() if value is not None}


def tokens_of(tokens: object, length: int) -> list[int]:
    """Return tokens (length + 1,), filled up to the longest sentence."""
    wanted = f"({length + 1},), [CLS] = 0 and then whole numbers from 1 to {VOCABULARY - 1}"
    array = as_array("tokens", tokens, wanted)
    if array.shape != (length + 1,):
        raise wrong("tokens", array, wanted)
    return [*array.tolist(), *SENTENCE[length + 1 :]]


def flat_weights(classifier: object, length: int) -> Array["n_weights"]:
    """Return all weights of a Classifier in one flat array, as the page holds them."""
    wanted = f"a Classifier of {VOCABULARY} tokens and {length + 1} positions, as cls_model.to_reader gives it"
    if not isinstance(classifier, Classifier):
        raise wrong("classifier", classifier, wanted)
    if (len(classifier.tokens), len(classifier.positions)) != (VOCABULARY, length + 1):
        raise wrong("classifier", classifier.tokens, wanted)
    return np.concatenate([np.ravel(array) for array in check_classifier(classifier)]).astype(np.float64)


def classifier_of(weights: object, length: int, sizes: dict[str, int]) -> Classifier:
    """Return the Classifier, in double precision, with these flat weights."""
    counts = {"vocab_size": VOCABULARY, "seq_len": length + 1, "1": 1}
    counts |= {"d_model": sizes["d"], "d_k": sizes["dK"], "d_v": sizes["dV"]}
    shapes = [tuple(counts[axis] for axis in axes) for axes in AXES.values()]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    parts = np.split(np.asarray(weights, dtype=np.float64), ends[:-1])
    return Classifier(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


def sizes_of(classifier: Classifier | None) -> dict[str, int]:
    """Return the sizes of a Classifier by the page's names; None: those of build_classifier."""
    d, d_k, d_v = (8, 8, 8) if classifier is None else (*classifier.W_K.shape, classifier.W_V.shape[1])
    return {"vocabulary": VOCABULARY, "d": d, "dK": d_k, "dV": d_v}
