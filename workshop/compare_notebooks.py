"""Compare a stored notebook with a fresh build, cell by cell: texts exactly, drawings by their numbers."""

import base64
import configparser
import copy
import hashlib
import io
import itertools
import json
import re
from pathlib import Path
from urllib.parse import unquote

import matplotlib.image
import numpy as np

# How far a number of a drawing may move, in points, and the root mean square over the pixels of an image in it, on
# their scale of 0 to 255. Rounding differs between machines: a trained model's weights moved by 2e-8, and even 1e-6 in
# each cell of a heat map changes no pixel. The words of a picture, which name its values, are compared exactly.
MOVED = 1.5
PICTURE_RMS = 2.5
DRAWING = re.compile(r'(?<=src="data:image/svg\+xml,)[^"]*')
NUMBER = re.compile(r"(?<![#\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")
IMAGE = re.compile(r"(?<=data:image/png;base64,)[^']*")
# What nbval does not compare either: drawings, measured times, numbers that each processor rounds in its own way.
RULES = configparser.RawConfigParser()
RULES.read(Path(__file__).parents[1] / "tests" / "not_compared.cfg", encoding="utf-8")
NOT_COMPARED = {name: (re.compile(RULES[name]["regex"]), RULES[name]["replace"]) for name in RULES.sections()}
MEASURED, _ = NOT_COMPARED["picture of measured times"]


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
    Pictures of measured times must exist, but are not compared.
    """
    for position, (old, new) in enumerate(itertools.zip_longest(stored.cells, fresh.cells, fillvalue={})):
        if description := difference(old, new):
            return position, description
    return None


def difference(old, new):
    """What differs between two cells, with both sides; an empty text if nothing does."""
    sides = [json.dumps(without_drawings(cell), indent=1, sort_keys=True, ensure_ascii=False) for cell in (old, new)]
    for before, after in itertools.zip_longest(*(side.split("\n") for side in sides), fillvalue=""):
        if before != after:
            n_equal = sum(
                1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
            )
            stored, fresh = (side[max(0, n_equal - 40) :][:120].strip() for side in (before, after))
            return f"  there:  {stored}\n  built:  {fresh}"
    pairs = zip(drawings(old), drawings(new), strict=True)
    return next(filter(None, itertools.starmap(drawing_difference, pairs)), "")


def pages(cell):
    """The HTML of a cell's outputs, with a placeholder for each picture of measured times."""
    found = (output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ()))
    return [MEASURED.sub("measured times", "".join(page)) for page in found]


def drawings(cell):
    """The drawings of a cell's outputs, as SVG."""
    return [unquote(drawing) for page in pages(cell) for drawing in DRAWING.findall(page)]


def without_drawings(cell):
    """A copy of the cell with a placeholder for each drawing, and for all else that is not compared."""
    cell = copy.deepcopy(cell)
    for output in cell.get("outputs", ()):
        texts = output.get("data", output)
        for kind in texts.keys() & {"text/html", "text/plain", "text"}:
            text = "".join(texts[kind])
            for pattern, placeholder in NOT_COMPARED.values():
                text = pattern.sub(placeholder, text)
            texts[kind] = text
    return cell


def drawing_difference(before, after):
    """What differs between two drawings; an empty text if they look alike."""
    shapes, numbers, images = zip(*map(drawing_parts, (before, after)), strict=True)
    if shapes[0] != shapes[1]:
        return "  a drawing differs in its lines, words or colours"
    if (moved := np.abs(np.subtract(*numbers)).max(initial=0)) > MOVED:
        return f"  a drawing differs: something moved by {moved:.1f} points, allowed {MOVED}"
    for pair in zip(*images, strict=True):
        if (distance := rms(*pair)) > PICTURE_RMS:
            return f"  a drawing differs: RMS of the pixels of an image {distance:.1f}, allowed {PICTURE_RMS}"
    return ""


def drawing_parts(drawing):
    """A drawing as (what is drawn, without its numbers; its numbers; its images)."""
    images, drawing = IMAGE.findall(drawing), IMAGE.sub("", drawing)
    return NUMBER.sub("0", drawing), [float(number) for number in NUMBER.findall(drawing)], images


def rms(before, after):
    """The root mean square difference of two PNG images in base64, 0 to 255; infinite if their sizes differ."""
    before, after = (pixels(picture) for picture in (before, after))
    return float(np.sqrt(np.mean((before - after) ** 2))) if before.shape == after.shape else float("inf")


def pixels(picture):
    """A PNG image in base64 as an array (height, width, 3), 0 to 255."""
    return 255.0 * matplotlib.image.imread(io.BytesIO(base64.b64decode(picture)), format="png")[..., :3]
