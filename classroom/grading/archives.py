"""Read the files handed in, and those in archives, within a budget. Nothing is extracted, so no path can escape."""

import contextlib
import io
import os
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

MAX_FILE_BYTES = 50_000_000
MAX_BYTES, MAX_FILES, MAX_DEPTH = 200_000_000, 2_000, 3  # of what one person handed in; archives in each other
MAX_LIST_BYTES = 1_000_000  # of an archive's own list of its files, which is read before they can be counted
CLASS_BYTES, CLASS_FILES = 100_000_000_000, 2_000_000
METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED  # the others unpack to any size at one call
HIDDEN = "left by a system or an editor"
HIDDEN_FOLDERS, HIDDEN_FILES = {".ipynb_checkpoints", "__macosx"}, {"thumbs.db", "desktop.ini", ".ds_store"}


class Unreadable(Exception):
    """Raised for what cannot be read, with the reason as an instructor reads it."""


class Spent(Unreadable):
    """Raised when a budget is spent, which ends a return."""


class File(NamedTuple):
    """A file: its path, its content or why it was not read, and how many bytes were unpacked for it."""

    path: PurePosixPath
    content: bytes
    problem: str = ""
    size: int = 0


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


def class_budget():
    return Budget("a class", CLASS_BYTES, CLASS_FILES)


def person_budget(outer):
    return Budget("one return", MAX_BYTES, MAX_FILES, outer)


def is_archive(path):
    return path.suffix.lower() == ".zip"


def is_hidden(path):
    """Whether a file was left there by an editor or a system, and not handed in."""
    folders = {part.lower() for part in path.parts}
    return bool(HIDDEN_FOLDERS & folders) or path.name.startswith("._") or path.name.lower() in HIDDEN_FILES


def files_of(file, budget):
    """Yield a File, or the Files of an archive and of those in it. What breaks the budget ends with the reason."""
    try:
        yield from unpack(file, budget)
    except Spent as problem:
        yield File(file.path, b"", str(problem))
    except Exception as problem:  # an archive may hold anything, and the class goes on
        yield File(file.path, b"", f"cannot be read: {type(problem).__name__}: {problem}")


def unpack(file, budget, depth=0):
    budget.spend(file.size)
    if file.problem or not is_archive(file.path):
        yield file
        return
    try:
        if depth == MAX_DEPTH:
            raise Unreadable(f"not read: an archive in {MAX_DEPTH} others")
        found = False
        for entry in entries(io.BytesIO(file.content), MAX_LIST_BYTES):
            found = True
            yield from unpack(entry._replace(path=file.path / entry.path), budget, depth + 1)
        if not found:
            raise Unreadable("an empty archive")
    except Spent:
        raise
    except Unreadable as problem:
        yield File(file.path, b"", str(problem))


def entries(file, most=None):
    """Yield the Files of one archive. most: bytes of its list of files. Raises Unreadable."""
    try:
        end = zipfile._EndRecData(file) if most else None  # as ZipFile itself finds it, whatever else the file says
        if end and end[zipfile._ECD_SIZE] > most:
            raise ValueError("its list of files is longer than any archive needs")
        archive = zipfile.ZipFile(file)
    except Exception as problem:
        raise Unreadable(f"cannot be read: {problem}") from None
    with archive:
        for entry in archive.infolist():
            path = path_of(entry.filename)
            if entry.is_dir():
                continue
            if path and entry.compress_type not in METHODS:
                yield File(path, b"", "cannot be read: packed as few programs can")
            else:
                yield read(path, entry.file_size, lambda entry=entry: archive.open(entry))


def path_of(name):
    """Return the path of an entry; None if its name leads out of the archive."""
    with contextlib.suppress(UnicodeError):
        name = name.encode("cp437").decode()  # macOS writes UTF-8 and does not say so
    path = PurePosixPath(name.replace("\\", "/"))
    leads_out = not path.parts or path.is_absolute() or ".." in path.parts or path.parts[0][1:] == ":"
    return None if leads_out else path


def read(path, size, opened):
    """Return a File of the bytes that `opened` gives, at most as many as were announced."""
    if path is None:
        return File(PurePosixPath("?"), b"", "not read: its name leads out of the archive")
    if is_hidden(path):
        return File(path, b"", HIDDEN)
    limit = MAX_BYTES if is_archive(path) else MAX_FILE_BYTES
    if size > limit:
        return File(path, b"", f"larger than {limit:,} bytes")
    try:
        with contextlib.closing(opened()) as stream:
            return File(path, stream.read(size), "", size)
    except Exception as problem:  # a damaged archive may raise anything
        return File(path, b"", f"cannot be read: {problem}", size)


def class_paths(place):
    """Return the paths in a place, before anything is read."""
    if place.is_dir():
        return [printable_path(path.relative_to(place)) for path in folder_paths(place)]
    if is_archive(place):
        try:
            with zipfile.ZipFile(place) as archive:
                return [
                    path for entry in archive.infolist() if not entry.is_dir() and (path := path_of(entry.filename))
                ]
        except Exception as problem:
            raise Unreadable(f"{place.name}: cannot be read: {problem}") from None
    return [PurePosixPath(place.name)]


def folder_paths(folder):
    """Return the paths of all files in a folder, of links to folders, and of folders that cannot be opened."""
    closed, found = [], []
    for root, folders, names in os.walk(folder, onerror=lambda problem: closed.append(Path(problem.filename))):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        found += [Path(root, name) for name in (*names, *links)]
    return sorted(found + closed)


def printable_path(path):
    """Return a path that can be written to a table, whatever bytes its names are made of."""
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
        relative = printable_path(path.relative_to(place) if place.is_dir() else Path(path.name))
        if not path.is_file() or (path.is_symlink() and place.is_dir()):
            yield File(relative, b"", "not read: a link, a folder that is closed, or no file")
        else:
            yield read(relative, path.stat().st_size, lambda path=path: path.open("rb"))
