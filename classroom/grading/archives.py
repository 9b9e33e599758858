"""Read the files of a folder and of the archives in it, with limits on their size."""

import io
import re
import zipfile
import zlib
from pathlib import PurePosixPath

MAX_FILE_BYTES = 50_000_000  # bytes of one file
MODULE_NAME = re.compile(r"(?:^|_)my_(?:attention|model)(?:-\d+)?\.py$")  # Canvas puts the student before the name
BATCH_NAME = re.compile(r"_assignsubmission_|_\d+_\d+_")  # in the file names that Moodle and Canvas give a class
MAX_MODULE_BYTES = 1_000_000
MAX_ARCHIVE_BYTES = 200_000_000  # bytes of all files of an archive, or, if larger,
MAX_RATIO = 20  # times the size of the archive: more is a zip bomb
IGNORED_FOLDERS = {".ipynb_checkpoints", "__MACOSX"}
READ_ERRORS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError)


class Unreadable(Exception):
    """Raised for a file that is not a notebook."""


def files_in(folder):
    """Yield (relative path, content) of all relevant files, including those in archives.

    An unreadable archive yields a notebook holding the reason, so that its student still appears in the results.
    """
    if folder.is_file():
        yield from archive_files(folder, folder.name)
        return
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
        relative = PurePosixPath(path.relative_to(folder).as_posix())
        if path.suffix.lower() == ".zip" and not is_hidden(relative):
            yield from files_or_reason(path, relative)
        elif is_relevant(relative):
            yield (
                relative,
                path.read_bytes() if path.stat().st_size <= size_limit(relative) else too_large_message(relative),
            )


def files_or_reason(file, relative, zips=True):
    """Yield the files of an archive found in a folder, or the reason why it cannot be read.

    If all files share one folder, the archive belongs to one student and is named after them: anna.zip.
    """
    try:
        files = list(archive_files(file, relative.name, zips))
    except Unreadable as problem:
        files = [(PurePosixPath(f"{relative.name}.ipynb"), str(problem).encode("utf-8", "replace"))]
    is_single_folder = len({path.parent for path, _ in files}) == 1 and not BATCH_NAME.search(str(files[0][0]))
    folder = relative.with_suffix("") if is_single_folder else relative.parent
    yield from ((folder / path, content) for path, content in files)


def archive_files(file, name, zips=True):
    """Yield (path, content) from an archive and those nested in it. Nothing is extracted, so no path can escape."""
    try:
        remaining = max(MAX_ARCHIVE_BYTES, MAX_RATIO * size_of(file))
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                path = PurePosixPath(entry.filename)
                is_nested = zips and path.suffix.lower() == ".zip" and not is_hidden(path)
                if entry.is_dir() or not (is_nested or is_relevant(path)):
                    continue
                content = read_entry(archive, entry, path)
                remaining -= len(content)
                if remaining < 0:
                    raise Unreadable(f"{name}: too large when it is unpacked")
                yield from files_or_reason(io.BytesIO(content), path, zips=False) if is_nested else [(path, content)]
    except READ_ERRORS as problem:
        raise Unreadable(f"{name}: {problem}") from None


def size_of(file):
    return file.getbuffer().nbytes if isinstance(file, io.BytesIO) else file.stat().st_size


def read_entry(archive, entry, path):
    if entry.file_size > size_limit(path):
        return too_large_message(path)
    with archive.open(entry) as file:
        return file.read(size_limit(path))


def size_limit(path):
    return MAX_MODULE_BYTES if path.suffix == ".py" else MAX_FILE_BYTES


def too_large_message(path):
    return f"larger than {size_limit(path):,} bytes".encode()


def is_hidden(path):
    return bool(IGNORED_FOLDERS & set(path.parts)) or path.name.startswith("._")


def is_relevant(path):
    return not is_hidden(path) and (path.suffix == ".ipynb" or bool(MODULE_NAME.search(path.name)))
