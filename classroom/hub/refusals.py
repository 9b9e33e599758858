"""What keeps a class server from starting: asked before anything is made, by the server and by preflight."""

import os
from pathlib import Path

import accounts
import running

ROOT = Path(__file__).resolve().parents[2]
COURSE, OWN = (ROOT / name / "bin" / "python" for name in (".venv", ".venv-hub"))
REPORTS = 5  # times that a student's server reports what happens within --idle
LEAST_IDLE = 300  # seconds: a student thinking about an exercise does nothing for minutes
LEAST_DISK = 0.1  # GB: the lessons, with outputs


def refusals(folder: Path, idle: int = 3600, disk: float = 1.0, shared_account: bool = False, starts: bool = True):
    """Yield the sentences of what has to change before a class in this folder can start.

    starts: whether it is about to; accounts are made while it runs, too.
    """
    if starts and running.is_hub_running(folder):
        yield "The hub of this class runs already; end it with Ctrl-C where it runs, or with: nox -s hub -- stop"
    if idle < LEAST_IDLE:
        yield (
            f"--idle {idle} ends people who think: a student reads longer than that without touching the page. "
            f"The least is {LEAST_IDLE} seconds."
        )
    if disk < LEAST_DISK:
        yield f"--disk {disk:g} is less than the lessons take, so no kernel would live. The least is {LEAST_DISK} GB."
    if os.geteuid() == 0 and not shared_account and (closed := closed_folder(folder)):
        yield (
            f"Students' processes do not run as root, and {closed} is closed to everybody else. "
            "Start nox with a Python outside of it, such as /usr/bin/python3, put the course where others may read, "
            "and delete .venv and .venv-hub; or type --shared-account if every student may do all that root can do "
            "on this machine, as in a container that holds nothing else."
        )


def closed_folder(folder):
    """Return the first folder above what students need that only root may enter; None if there is none."""
    pythons = [python.resolve() for python in (COURSE, OWN) if python.exists()]
    exists = next(one for one in folder.parents if one.exists())  # the class itself is opened by the hub
    return accounts.find_closed_folder([*pythons, ROOT / "classroom" / "hub", exists])
