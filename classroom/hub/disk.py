"""Holds homes to their size: what writes without end is stopped, and its files stay for their owner to sort out."""

import contextlib
import os
import subprocess
from pathlib import Path

import psutil
from accounts import FIRST_UID

NOTE = "YOUR FOLDER IS FULL.txt"
WORDS = (
    "Your folder holds {size:.1f} GB, and {limit:.1f} GB are allowed, so your kernels were ended.\n"
    "Nothing of yours was deleted. Delete what you do not need in the list of files, then start the kernel again.\n"
    "What is largest:\n"
)
LARGEST = 5


def sizes(home: Path, *options: str) -> list[tuple[int, str]]:
    """Return (bytes, path) of what `du` finds, the home itself last. It follows no link, however a student turns it."""
    listed = subprocess.run(["du", "-k", *options, home], capture_output=True, text=True, errors="replace").stdout
    pairs = [line.split("\t", 1) for line in listed.splitlines() if "\t" in line]
    return [(1024 * int(size), path) for size, path in pairs if size.isdecimal()]


def hold(home: Path, limit: int, server: int) -> None:
    """End the processes of a student whose home is larger than `limit` bytes, and leave a note that says why.

    server: the pid of the student's JupyterLab, which goes on, so that files can be deleted.
    """
    with contextlib.suppress(OSError, psutil.Error, IndexError):  # the home or the server is no more
        if sizes(home, "-s")[-1][0] > limit:
            for process in processes_of(home.stat().st_uid, server):
                with contextlib.suppress(psutil.Error):
                    process.kill()
            write_note(home, limit)


def processes_of(uid, server):
    """Return the processes that a student's server has started, and all others of a student with a uid of their own."""
    started = set(psutil.Process(server).children(recursive=True))
    own = {one for one in psutil.process_iter(["uids"]) if one.info["uids"] and one.info["uids"].real == uid}
    return (started | own if uid >= FIRST_UID else started) - {psutil.Process(server)}


def write_note(home, limit):
    """Write the note as a new file: a student may have put a link in its place, which the server must not follow."""
    *found, (total, _) = sizes(home, "-a")
    text = WORDS.format(size=total / 1e9, limit=limit / 1e9)
    text += "".join(
        f"  {size / 1e9:6.2f} GB  {os.path.relpath(path, home)}\n" for size, path in sorted(found)[-LARGEST:][::-1]
    )
    (home / NOTE).unlink(missing_ok=True)
    file = os.open(home / NOTE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    owner = home.stat()
    os.fchown(file, owner.st_uid, owner.st_gid)
    with os.fdopen(file, "w", encoding="utf-8", errors="replace") as note:
        note.write(text)
