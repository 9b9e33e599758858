"""Holds a home to its size: what writes without end is ended, and what was written stays for its owner to sort out."""

import contextlib
import os
from pathlib import Path

import psutil

NOTE = "YOUR FOLDER IS FULL.txt"
WORDS = (
    "Your folder holds {size:.1f} GB, and {limit:.1f} GB are allowed, so your kernels were ended.\n"
    "Nothing of yours was deleted. Delete what you do not need in the list of files, then start the kernel again.\n"
    "The largest files:\n"
)
LARGEST = 5


def sizes(home):
    """Return {path: bytes on disk} of the files below a home. Links are not followed."""
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(folder, name))
                found[os.path.relpath(os.path.join(folder, name), home)] = 512 * status.st_blocks
    return found


def hold(home, limit, server):
    """End the kernels of a student whose home is larger than `limit` bytes, and leave a note that says why.

    server: the pid of the student's JupyterLab, which goes on, so that files can be deleted.
    """
    found = sizes(home)
    if sum(found.values()) <= limit:
        return
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(server).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.kill()
    write_note(Path(home), found, limit)


def write_note(home, found, limit):
    """Write the note as a new file: a student may have put a link in its place, which the server must not follow."""
    largest = sorted(found, key=found.get, reverse=True)[:LARGEST]
    text = WORDS.format(size=sum(found.values()) / 1e9, limit=limit / 1e9)
    text += "".join(f"  {found[name] / 1e9:6.2f} GB  {name}\n" for name in largest)
    with contextlib.suppress(OSError):
        (home / NOTE).unlink(missing_ok=True)
        file = os.open(home / NOTE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        owner = home.stat()
        os.fchown(file, owner.st_uid, owner.st_gid)
        with os.fdopen(file, "w", encoding="utf-8", errors="replace") as note:
            note.write(text)
