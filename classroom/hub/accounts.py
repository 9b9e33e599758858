"""Homes and resource limits of students, on Linux and macOS, independent of JupyterHub.

If the server runs as root, each home has its own uid, and the student's processes run under it: no system account is
created, none can be taken over, and no student can read another's files. Otherwise all homes belong to the user who
started the server.
"""

import os
import re
import resource
from pathlib import Path

FIRST_UID = 200_000  # of students, far above those of people and services
NAME_PATTERN = r"[a-z][a-z0-9_-]{0,30}"  # of a student name, which becomes a folder name
MAX_PROCESSES = 1000  # threads count too, and TensorFlow alone starts dozens


def ensure_home(homes, name, separate):
    """Return the private home of a student, created if needed. Raises ValueError for an invalid name."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise ValueError(f"{name!r} cannot be the name of a student: a letter, then letters, digits, - and _")
    folder = Path(homes) / name
    if not folder.exists():
        uid = max([FIRST_UID - 1, *(one.stat().st_uid for one in Path(homes).iterdir())]) + 1
        folder.mkdir(mode=0o700)
        if separate:
            os.chown(folder, uid, uid)
    return folder


def uid_for(folder, separate):
    """Return the uid of a student's processes; None if all run under the server's."""
    return folder.stat().st_uid if separate else None


def restrict(uid, memory=None, cpus=None, disk=None):
    """Drop privileges and set limits in a new process, before its program starts.

    uid: its owner, None for the server's. memory: bytes of data per process. cpus: which may be used. disk: bytes of
    one file.
    """
    os.umask(0o077)
    if disk:
        resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    if cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)
    if uid is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)


def cpus_of(turn, limit):
    """Return `limit` processors for a student, rotating by turn; None if all may be used."""
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    count = max(1, round(limit or len(available) or 1))
    return None if count >= len(available) else {available[(turn * count + i) % len(available)] for i in range(count)}


def find_closed_folder(paths):
    """Return the first parent folder of these paths that only root may enter; None if there is none."""
    for path in paths:
        for folder in [Path(path).resolve(), *Path(path).resolve().parents]:
            if not folder.stat().st_mode & 0o001 and folder.is_dir():
                return folder
    return None


def systemd_command(uid, memory, cpus):
    """Return the systemd-run prefix that limits all processes of a student together."""
    identity = [] if uid is None else [f"--uid={uid}", f"--gid={uid}"]
    limits = [f"--property=MemoryMax={memory}", "--property=MemorySwapMax=0", f"--property=CPUQuota={cpus * 100:.0f}%"]
    return ["systemd-run", "--scope", "--quiet", "--collect", *identity, *limits, "--"]
