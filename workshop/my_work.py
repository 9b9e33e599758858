"""Prepare my_work/, the student's own place: copies of the lessons to work in, beside what the student keeps.

    python workshop/my_work.py [FOLDER]    in place of my_work

The folder is no part of the repository, so a new version of the course touches nothing in it: a lesson that the student
changed stays as it is, and the new version is put beside it. One that was only run, or never opened, is replaced.
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIES = ("*.ipynb", "GLOSSARY.md", "sheet.pdf", "inventory/*.ipynb", "solutions/*.*")
COPIED = ".copied.json"  # what each file held when it was copied: {name: digest}


def main(arguments=None):
    """Prepare the folder and say what was done. Returns the exit status."""
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
    """Copy the lessons into the student's folder, and bring those up to date that the student did not change.

    Returns sentences about lessons that the student changed and that have a new version; each is said once.
    """
    folder.mkdir(exist_ok=True)
    copied, said = read(folder / COPIED), []
    for source in sorted(path for pattern in COPIES for path in lessons.glob(pattern)):
        name, new = source.relative_to(lessons).as_posix(), content(source)
        if copied.get(name) == new and (folder / name).exists():
            continue
        if not replaced(source, folder, name, copied):
            beside = Path(name).with_stem(f"{source.stem}-{version}").as_posix()
            replaced(source, folder, beside, copied)
            said.append(f"{name}: there is a new version. Yours has your work in it and stays; see {beside}")
        copied[name] = new
    (folder / COPIED).write_text(json.dumps(copied, indent=1), encoding="utf-8")
    return said


def replaced(source, folder, name, copied):
    """Put a copy under this name, unless a file stands there that the student changed. Returns whether it is there."""
    target, new = folder / name, content(source)
    if target.exists() and content(target) != new and content(target) != copied.get(name):
        return False
    if not target.exists() or content(target) != new:  # the same texts stay, with the outputs of the student's run
        target.parent.mkdir(exist_ok=True)
        part = target.with_name(target.name + ".part")
        shutil.copyfile(source, part)
        part.replace(target)  # in one step: nothing is half written
    copied[name] = new
    return True


def content(path):
    """A digest of what a person wrote: the texts of a notebook's cells without outputs, or a whole file."""
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        try:
            cells = json.loads(text)["cells"]
            text = json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode()
        except (ValueError, KeyError, TypeError):
            pass  # no notebook any more: whatever it is, it is the student's
    return hashlib.sha256(text).hexdigest()


def read(record):
    """What was copied before; nothing where the record is missing or damaged, and then every copy counts as changed."""
    try:
        return dict(json.loads(record.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


if __name__ == "__main__":
    sys.exit(main())
