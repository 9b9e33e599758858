"""Read the files that came, and those in archives, within a budget. Nothing is extracted, so no path can escape."""

import contextlib
import io
import os
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import NamedTuple

MAX_FILE_BYTES = 50_000_000
MAX_BYTES, MAX_FILES, MAX_DEPTH = 200_000_000, 2_000, 3  # of what one person handed in; archives in each other
MAX_LIST_BYTES = 1_000_000  # of an archive's own list of its files, which is read before they can be counted
CLASS_BYTES, CLASS_FILES = 100_000_000_000, 2_000_000
READ_ERRORS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError)
END_OF_LIST = b"PK\5\6"
HIDDEN = "left by a system or an editor"
HIDDEN_FOLDERS, HIDDEN_FILES = {".ipynb_checkpoints", "__macosx"}, {"thumbs.db", "desktop.ini", ".ds_store"}


class Unreadable(Exception):
    """Raised for what cannot be read, with the reason as an instructor reads it."""


class Spent(Unreadable):
    """Raised when a budget is spent, which ends a return."""


class File(NamedTuple):
    """A file: where it lay, what it holds, or why nobody read it."""

    path: PurePosixPath
    content: bytes
    problem: str = ""


class Budget:
    """What may still be unpacked, of one person and of the class together."""

    def __init__(self, whose, n_bytes, n_files, outer=None):
        self.reason = f"too large when it is unpacked: {whose} may have {n_bytes:,} bytes in {n_files:,} files"
        self.n_bytes, self.n_files, self.outer = n_bytes, n_files, outer

    def spend(self, n_bytes):
        """Take one file of this size. Raises Spent if the budget does not hold it."""
        if n_bytes > self.n_bytes or not self.n_files:
            raise Spent(self.reason)
        self.n_bytes, self.n_files = self.n_bytes - n_bytes, self.n_files - 1
        if self.outer:
            self.outer.spend(n_bytes)


def of_class():
    return Budget("a class", CLASS_BYTES, CLASS_FILES)


def of_person(outer):
    return Budget("one return", MAX_BYTES, MAX_FILES, outer)


def is_archive(path):
    return path.suffix.lower() == ".zip"


def is_hidden(path):
    """Whether an editor or a system left a file there, which nobody handed in."""
    folders = {part.lower() for part in path.parts}
    return bool(HIDDEN_FOLDERS & folders) or path.name.startswith("._") or path.name.lower() in HIDDEN_FILES


def files_of(file, budget):
    """Yield a File, or the Files of an archive and of those in it. What breaks the budget ends with the reason."""
    try:
        yield from unpacked(file, budget)
    except Spent as problem:
        yield File(file.path, b"", str(problem))
    except Exception as problem:  # an archive may hold anything, and the class goes on
        yield File(file.path, b"", f"cannot be read: {type(problem).__name__}: {problem}")


def unpacked(file, budget, depth=0):
    budget.spend(len(file.content))
    if file.problem or not is_archive(file.path):
        yield file
        return
    try:
        if depth == MAX_DEPTH:
            raise Unreadable(f"not read: an archive in {MAX_DEPTH} others")
        found = False
        for entry in entries(io.BytesIO(file.content), MAX_LIST_BYTES):
            found = True
            yield from unpacked(entry._replace(path=file.path / entry.path), budget, depth + 1)
        if not found:
            raise Unreadable("an empty archive")
    except Spent:
        raise
    except Unreadable as problem:
        yield File(file.path, b"", str(problem))


def entries(file, most=None):
    """Yield the Files of one archive. most: bytes of its list of files. Raises Unreadable."""
    try:
        if most and list_bytes(file) > most:
            raise Unreadable("not read: its list of files is longer than any archive needs")
        archive = zipfile.ZipFile(file)
    except READ_ERRORS as problem:
        raise Unreadable(f"cannot be read: {problem}") from None
    with archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                yield read(path_of(entry.filename), lambda entry=entry: archive.open(entry))


def list_bytes(file):
    """How long an archive says that its list of files is, which decides how long it takes to read; 0 for no archive."""
    end = file.getbuffer().nbytes
    file.seek(max(0, end - 66_000))
    tail = file.read()
    at = len(tail) - 22 if tail[-22:-18] == END_OF_LIST and tail.endswith(b"\0\0") else tail.rfind(END_OF_LIST)
    return int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0


def path_of(name):
    """Return the path of an entry, for a name that leads out of its archive one of a file that is not read."""
    path = PurePosixPath(name.replace("\\", "/"))
    leads_out = not path.parts or path.is_absolute() or ".." in path.parts or path.parts[0][1:] == ":"
    return None if leads_out else path


def read(path, opened):
    """Return a File of what `opened` gives."""
    if path is None:
        return File(PurePosixPath("?"), b"", "not read: its name leads out of the archive")
    if is_hidden(path):
        return File(path, b"", HIDDEN)
    limit = MAX_BYTES if is_archive(path) else MAX_FILE_BYTES
    try:
        with contextlib.closing(opened()) as stream:
            content = stream.read(limit + 1)
    except READ_ERRORS as problem:
        return File(path, b"", f"cannot be read: {problem}")
    return File(path, content) if len(content) <= limit else File(path, b"", f"larger than {limit:,} bytes")


def class_paths(place):
    """Return the paths in a place, before anything is read."""
    if place.is_dir():
        return [written(path.relative_to(place)) for path in folder_paths(place)]
    if is_archive(place):
        try:
            with zipfile.ZipFile(place) as archive:
                return list(filter(None, map(path_of, archive.namelist())))
        except READ_ERRORS as problem:
            raise Unreadable(f"{place.name}: cannot be read: {problem}") from None
    return [PurePosixPath(place.name)]


def folder_paths(folder):
    """Return the paths of all files of a folder, of what is no file, and of folders that cannot be opened."""
    closed, found = [], []
    for root, folders, names in os.walk(folder, onerror=lambda problem: closed.append(Path(problem.filename))):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        found += [Path(root, name) for name in (*names, *links)]
    return sorted(found + closed)


def written(path):
    """Return a path that can be written into a table, whatever bytes its names are made of."""
    return PurePosixPath(path.as_posix().encode("utf-8", "replace").decode())


def class_files(place):
    """Yield the Files of a place that an instructor names: a folder, the class's own archive, or one file.

    Links are named and not followed.
    """
    if is_archive(place) and place.is_file():
        with place.open("rb") as file:
            yield from entries(file)
        return
    for path in folder_paths(place) if place.is_dir() else [place]:
        relative = written(path.relative_to(place) if place.is_dir() else Path(path.name))
        if not path.is_file() or (path.is_symlink() and place.is_dir()):
            yield File(relative, b"", "not read: a link, a folder that is closed, or no file")
        else:
            yield read(relative, lambda path=path: path.open("rb"))
