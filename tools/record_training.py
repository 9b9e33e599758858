"""Record the two trainings that the course ships, epoch by epoch: python tools/record_training.py

Data, recipes and seed are those of `nox -s study -- --ship`, so that a recording ends with the classifier that is shipped. The
weights before the training and after each epoch go into course_utils/data/training, 777 numbers each.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from course_utils.cls_model import FOCUSED, build_classifier, to_reader, train  # noqa: E402 - the line above finds them
from course_utils.cls_reader import DATA, save_training  # noqa: E402
from course_utils.cls_task import make_task  # noqa: E402

TRAININGS = {"usual": (0.0, {}), "focused": (0.5, FOCUSED)}  # name -> (decoys, recipe)


def record(decoys, recipe):
    """Train and return the classifier before the training and after each epoch."""
    model = build_classifier()
    classifiers = [to_reader(model)]
    train(model, make_task(decoys=decoys), **recipe, on_epoch=lambda epoch, logs: classifiers.append(to_reader(model)))
    return classifiers


if __name__ == "__main__":
    (DATA / "training").mkdir(exist_ok=True)
    for name, training in TRAININGS.items():
        path = DATA / "training" / f"{name}.npz"
        save_training(record(*training), path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")
