"""A home for each student, and what a student's processes may take. Linux and macOS; nothing of JupyterHub is needed.

Where the server runs as root, each home belongs to a number of its own, and the student's processes run under that
number: no account is made on this machine, none can be taken over, and no student reads another one's files.
Elsewhere all homes belong to whoever started the server.
"""

import os
import re
import resource
from pathlib import Path

FIRST = 200_000  # the numbers of students begin here, far above those of people and services
NAME = r"[a-z][a-z0-9_-]{0,30}"  # of a student: it names a folder
PROCESSES = 1000  # threads count too, and TensorFlow alone starts some dozens


def home(homes, name, separate):
    """The home of a student, made where there is none: nobody else reads it. Raises ValueError for an odd name."""
    if not re.fullmatch(NAME, name):
        raise ValueError(f"{name!r} cannot be the name of a student: a letter, then letters, digits, - and _")
    folder = Path(homes) / name
    if not folder.exists():
        number = max([FIRST - 1, *(one.stat().st_uid for one in Path(homes).iterdir())]) + 1
        folder.mkdir(mode=0o700)
        if separate:
            os.chown(folder, number, number)
    return folder


def owner(folder, separate):
    """The number under which a student's processes run; None where all run under that of the server."""
    return folder.stat().st_uid if separate else None


def restrict(number, memory=None, cpus=None):
    """Give away all rights, and take no more than this: for a new process, before its program begins.

    number: its owner, or None for that of the server. memory: bytes of data for each process. cpus: which may be used.
    """
    os.umask(0o077)
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    if cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)
    if number is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
        os.setgroups([])
        os.setgid(number)
        os.setuid(number)


def cpus_of(turn, limit):
    """Which processors a student may use: `limit` of them, others for the next student; None where all may be used."""
    there = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    wanted = max(1, round(limit or len(there) or 1))
    return None if wanted >= len(there) else {there[(turn * wanted + i) % len(there)] for i in range(wanted)}


def closed_to_others(paths):
    """The first folder above these paths that others than root may not enter; None where all are open."""
    for path in paths:
        for folder in [Path(path).resolve(), *Path(path).resolve().parents]:
            if not folder.stat().st_mode & 0o001 and folder.is_dir():
                return folder
    return None


def scope(number, memory, cpus):
    """The command of systemd that holds all processes of a student together, to be put before theirs."""
    rights = [] if number is None else [f"--uid={number}", f"--gid={number}"]
    limits = [f"--property=MemoryMax={memory}", "--property=MemorySwapMax=0", f"--property=CPUQuota={cpus * 100:.0f}%"]
    return ["systemd-run", "--scope", "--quiet", "--collect", *rights, *limits, "--"]
