"""Prepare my_work/, the student's folder: copies of the lessons to work in, next to what the student keeps.

    python workshop/my_work.py [FOLDER]    instead of my_work

The folder is not in the repository, so updating the course touches nothing in it. A lesson that the student changed
stays as it is, with the new version beside it; one that was only run, or never opened, is replaced.
"""

import hashlib
import itertools
import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIES = ("*.ipynb", "GLOSSARY.md", "SHEET.md", "sheet.pdf", "inventory/*.ipynb", "solutions/*.*")
RECORD = ".copied.json"  # the content of each file when it was copied: {name: digest}
MOVED = {  # lessons that had another number up to version 2
    "09_gradient_by_hand": "10_gradient_by_hand",
    "10_learning_where": "09_learning_where",
    "18_real_encoder": "19_real_encoder",
    "19_your_question": "21_your_question",
}
SAID = "said"  # in the record, of a lesson that moved


def main(arguments=None):
    """Prepare the folder and print notices. Returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    folder = Path(arguments[0]) if arguments else ROOT / "my_work"
    for line in prepare(ROOT / "notebooks", folder, version()):
        print(line)
    return 0


def version():
    """The version of the course, as its pyproject.toml sets it."""
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def prepare(lessons, folder, version):
    """Copy the lessons into the student's folder, and update those that the student did not change.

    Returns a notice for each changed lesson that has a new version, once per version.
    """
    folder.mkdir(exist_ok=True)
    copied = read_record(folder / RECORD)
    notices = move_lessons(folder, copied)
    for source in sorted(path for pattern in COPIES for path in lessons.glob(pattern)):
        name, new = source.relative_to(lessons).as_posix(), content(source)
        if copied.get(name) == new and (folder / name).exists():
            continue
        if not update_copy(source, folder, name, copied):
            beside = next(other for other in names_beside(name, version) if update_copy(source, folder, other, copied))
            notices.append(f"{name}: there is a new version. Yours has your work in it and stays; see {beside}")
        copied[name] = new
    (folder / RECORD).write_text(json.dumps(copied, indent=1), encoding="utf-8")
    return notices


def move_lessons(folder, copied):
    """Say once where each lesson with an old number went, and remove it unless the student changed it."""
    notices = []
    for old, new in MOVED.items():
        for place in ("", "solutions/"):
            name = f"{place}{old}.ipynb"
            if not (folder / name).exists() or copied.get(name) == SAID:
                continue
            if content(folder / name) == copied.get(name):
                (folder / name).unlink()
                stays = ""
            else:
                stays = " Yours has your work in it and stays under its old name."
            copied[name] = SAID
            if not place or stays:
                notices.append(f"{name}: this lesson is {place}{new}.ipynb now.{stays}")
    return notices


def names_beside(name, version):
    """The names for a new version beside a student's file, in order: another change may have come at this version."""
    path = Path(name)
    for number in itertools.count(1):
        yield path.with_stem(f"{path.stem}-{version}" + (f"-{number}" if number > 1 else "")).as_posix()


def update_copy(source, folder, name, copied):
    """Copy the file under this name unless the student changed it. Returns whether the copy is up to date."""
    target, new = folder / name, content(source)
    if target.exists() and content(target) != new and content(target) != copied.get(name):
        return False
    if not target.exists() or content(target) != new:  # if only outputs differ, the student's run stays
        target.parent.mkdir(exist_ok=True)
        part = target.with_name(target.name + ".part")
        shutil.copyfile(source, part)
        part.replace(target)  # atomically: never half written
    copied[name] = new
    return True


def content(path):
    """A digest of the source text: the cells of a notebook without outputs, or a whole file."""
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        try:
            cells = json.loads(text)["cells"]
            text = json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode()
        except (ValueError, KeyError, TypeError):
            pass  # not a notebook any more: compare the raw bytes
    return hashlib.sha256(text).hexdigest()


def read_record(record):
    """What was copied before; empty if the record is missing or damaged, and then every copy counts as changed."""
    try:
        return dict(json.loads(record.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


if __name__ == "__main__":
    sys.exit(main())
