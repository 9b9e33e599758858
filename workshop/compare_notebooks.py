"""Compare a stored notebook with a fresh build, cell by cell: texts exactly, pictures by their pixels."""

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
# Real differences give more: two cells of a 12x12 heat map swapped 3.4, another word on its axes 5.6,
# two rows swapped 12.
PICTURE_RMS = 2.5
# A comment in a cell whose picture shows measured times and so differs in every run.
MEASURED = "# times differ"
# A picture under a cover (course_utils/checks/student/covers.py) is inlined in the HTML of its fold.
INLINE = re.compile(r'(?<=src="data:image/png;base64,)[^"]*')


def digest(notebook):
    """A hash of everything that the build put into the cells. A manual edit changes it, even of an output."""
    fields = ("id", "cell_type", "metadata", "source", "attachments", "execution_count", "outputs")
    cells = [{key: cell.get(key) for key in fields} for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def stored_digest(notebook):
    """The digest that the build wrote into the notebook; None if no build made it."""
    return notebook.metadata.get("learning_to_look", {}).get("digest")


def first_difference(stored, fresh):
    """Return (position, description) of the first cell that differs, counted from 0; None if all are equal.

    A cell that exists on one side only counts as different.
    Pictures differ when their sizes do, or their pixels by more than PICTURE_RMS;
    those of measured times must exist, but are not compared.
    """
    for position, (old, new) in enumerate(itertools.zip_longest(stored.cells, fresh.cells, fillvalue={})):
        if description := difference(old, new):
            return position, description
    return None


def difference(old, new):
    """What differs between two cells, with both sides; an empty text if nothing does."""
    sides = [json.dumps(without_pictures(cell), indent=1, sort_keys=True, ensure_ascii=False) for cell in (old, new)]
    for before, after in itertools.zip_longest(*(side.split("\n") for side in sides), fillvalue=""):
        if before != after:
            n_equal = sum(
                1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
            )
            stored, fresh = (side[max(0, n_equal - 40) :][:120].strip() for side in (before, after))
            return f"  there:  {stored}\n  built:  {fresh}"
    if MEASURED in new["source"]:
        return ""
    for before, after in zip(pictures(old), pictures(new), strict=True):
        distance = rms(before, after)
        if distance > PICTURE_RMS:
            return f"  a picture differs: RMS of its pixels {distance:.1f}, allowed {PICTURE_RMS}"
    return ""


def pictures(cell):
    """The PNG pictures of a cell's outputs, as the base64 texts in the notebook."""
    bundles = [output.get("data", {}) for output in cell.get("outputs", ())]
    attached = [data["image/png"] for data in bundles if "image/png" in data]
    return attached + [picture for data in bundles for picture in INLINE.findall("".join(data.get("text/html", "")))]


def without_pictures(cell):
    """A copy of the cell with a placeholder for each PNG picture."""
    cell = copy.deepcopy(cell)
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/png" in data:
            data["image/png"] = "a picture"
        if "text/html" in data:
            data["text/html"] = INLINE.sub("a picture", "".join(data["text/html"]))
    return cell


def rms(before, after):
    """The root mean square difference of two PNG pictures in base64, 0 to 255; infinite if their sizes differ."""
    before, after = (pixels(picture) for picture in (before, after))
    return float(np.sqrt(np.mean((before - after) ** 2))) if before.shape == after.shape else float("inf")


def pixels(picture):
    """A PNG picture in base64 as an array (height, width, 3), 0 to 255."""
    return 255.0 * matplotlib.image.imread(io.BytesIO(base64.b64decode(picture)), format="png")[..., :3]
