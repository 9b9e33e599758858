"""Compare a notebook that is there with a fresh build, cell by cell: texts exactly, pictures by their pixels."""

import base64
import copy
import hashlib
import io
import itertools
import json
import re

import matplotlib.image
import numpy as np

# Root mean square over the pixels, on their scale of 0 to 255.
# Rounding differs between machines: a trained model's weights moved by 2e-8,
# and even 1e-6 in each cell of a heat map changes no pixel. A last digit that flips gives 1.1 to 2.1.
# What must be found gives more: two cells of a 12x12 heat map swapped 3.4, another word on its axes 5.6,
# two rows swapped 12.
PICTURE_RMS = 2.5
# A comment in the code of a cell: its picture shows measured times, so every run draws another one.
MEASURED = "# times differ"
# A picture under a cover (course_utils/checks/student/covers.py) stands in the text of its fold.
INLINE = re.compile(r'(?<=src="data:image/png;base64,)[^"]*')


def digest(notebook):
    """A sum over all that the build put into the cells. A hand edit changes it, of an output too."""
    kept = ("id", "cell_type", "metadata", "source", "attachments", "execution_count", "outputs")
    cells = [{key: cell.get(key) for key in kept} for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def stored_digest(notebook):
    """The digest that the build wrote into the notebook; None in a notebook that no build made."""
    return notebook.metadata.get("learning_to_look", {}).get("digest")


def first_difference(stored, fresh):
    """Return (position, words) of the first cell that differs, position counted from 0; None when none does.

    A cell that only one side has differs.
    Pictures differ when their sizes do, or their pixels by more than PICTURE_RMS;
    those of measured times are not compared, but they must be there.
    """
    for position, (old, new) in enumerate(itertools.zip_longest(stored.cells, fresh.cells, fillvalue={})):
        if words := difference(old, new):
            return position, words
    return None


def difference(old, new):
    """What differs between two cells, with both sides; an empty text when nothing does."""
    sides = [json.dumps(without_pictures(cell), indent=1, sort_keys=True, ensure_ascii=False) for cell in (old, new)]
    for before, after in itertools.zip_longest(*(side.split("\n") for side in sides), fillvalue=""):
        if before != after:
            same = sum(
                1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
            )
            there, built = (side[max(0, same - 40) :][:120].strip() for side in (before, after))
            return f"  there:  {there}\n  built:  {built}"
    if MEASURED in new["source"]:
        return ""
    for before, after in zip(pictures(old), pictures(new), strict=True):
        distance = rms(before, after)
        if distance > PICTURE_RMS:
            return f"  a picture differs: RMS of its pixels {distance:.1f}, allowed {PICTURE_RMS}"
    return ""


def pictures(cell):
    """The PNG pictures of a cell's outputs, as the base64 texts that the notebook holds."""
    bundles = [output.get("data", {}) for output in cell.get("outputs", ())]
    shown = [data["image/png"] for data in bundles if "image/png" in data]
    return shown + [picture for data in bundles for picture in INLINE.findall("".join(data.get("text/html", "")))]


def without_pictures(cell):
    """A copy of the cell that says of each PNG picture only that it is there."""
    cell = copy.deepcopy(cell)
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/png" in data:
            data["image/png"] = "a picture"
        if "text/html" in data:
            data["text/html"] = INLINE.sub("a picture", "".join(data["text/html"]))
    return cell


def rms(before, after):
    """The root mean square difference of two PNG pictures in base64, 0 to 255; infinite when their sizes differ."""
    before, after = (pixels(picture) for picture in (before, after))
    return float(np.sqrt(np.mean((before - after) ** 2))) if before.shape == after.shape else float("inf")


def pixels(picture):
    """A PNG picture in base64 as an array (height, width, 3), 0 to 255."""
    return 255.0 * matplotlib.image.imread(io.BytesIO(base64.b64decode(picture)), format="png")[..., :3]
