"""Reads what came: the files of a folder and of the archives in it, none of them larger than a notebook may be."""

import io
import re
import zipfile
import zlib
from pathlib import PurePosixPath

LARGEST = 50_000_000  # bytes of one file
MODULE = re.compile(r"(?:^|_)my_(?:attention|model)(?:-\d+)?\.py$")  # Canvas puts the student before the name
MANY = re.compile(r"_assignsubmission_|_\d+_\d+_")  # what Moodle and Canvas write into the names of a class
LARGEST_MODULE = 1_000_000
LARGEST_TOGETHER = 200_000_000  # bytes of all files of an archive, or
MOST_TIMES = 20  # so many times its own size: more is a bomb, and would fill the memory
NOT_LOOKED_AT = {".ipynb_checkpoints", "__MACOSX"}
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError)


class Unreadable(Exception):
    """Raised for what is no notebook."""


def files_in(folder):
    """Yield (path below the folder, content) of all files that matter, those in archives too.

    What cannot be read is there all the same, as a notebook that says why: somebody has handed it in.
    """
    if folder.is_file():
        yield from in_archive(folder, folder.name)
        return
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        below = PurePosixPath(path.relative_to(folder).as_posix())
        if path.suffix.lower() == ".zip" and not hidden(below):
            yield from or_why(path, below)
        elif matters(below):
            yield below, path.read_bytes() if path.stat().st_size <= most_of(below) else too_large(below)


def or_why(file, below, zips=True):
    """Yield the files of an archive that lies among others, or the reason why there are none.

    One with the files of a single folder is one student's, and called as the student is: anna.zip.
    """
    try:
        found = list(in_archive(file, below.name, zips))
    except Unreadable as problem:
        found = [(PurePosixPath(f"{below.name}.ipynb"), str(problem).encode("utf-8", "replace"))]
    alone = len({path.parent for path, _ in found}) == 1 and not MANY.search(str(found[0][0]))
    folder = below.with_suffix("") if alone else below.parent
    yield from ((folder / path, content) for path, content in found)


def in_archive(file, name, zips=True):
    """Yield (path, content) of an archive, and of those in it. No name in it leads anywhere: nothing is written."""
    try:
        left = max(LARGEST_TOGETHER, MOST_TIMES * size_of(file))
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                path = PurePosixPath(entry.filename)
                inner = zips and path.suffix.lower() == ".zip" and not hidden(path)
                if entry.is_dir() or not (inner or matters(path)):
                    continue
                content = content_of(archive, entry, path)
                left -= len(content)
                if left < 0:
                    raise Unreadable(f"{name}: too large when it is unpacked")
                yield from or_why(io.BytesIO(content), path, zips=False) if inner else [(path, content)]
    except BROKEN as problem:
        raise Unreadable(f"{name}: {problem}") from None


def size_of(file):
    return file.getbuffer().nbytes if isinstance(file, io.BytesIO) else file.stat().st_size


def content_of(archive, entry, path):
    if entry.file_size > most_of(path):
        return too_large(path)
    with archive.open(entry) as file:
        return file.read(most_of(path))


def most_of(path):
    return LARGEST_MODULE if path.suffix == ".py" else LARGEST


def too_large(path):
    return f"larger than {most_of(path):,} bytes".encode()


def hidden(path):
    return bool(NOT_LOOKED_AT & set(path.parts)) or path.name.startswith("._")


def matters(path):
    return not hidden(path) and (path.suffix == ".ipynb" or bool(MODULE.search(path.name)))
