"""What keeps a class server from starting: asked before anything is made, by the server and by preflight."""

import os
import sys
from pathlib import Path

import accounts

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / ".venv" / "bin" / "python"
REPORTS = 5  # times that a student's server reports what happens within --idle
LEAST_IDLE = 300  # seconds: one that thinks about an exercise does nothing for minutes


def refusals(folder, idle=3600, shared_account=False):
    """Yield the sentences of what has to change before a class in this folder can start."""
    if idle < LEAST_IDLE:
        yield (
            f"--idle {idle} ends people who think: servers report what happens {REPORTS} times in that time, and a "
            f"student reads longer than that. The least is {LEAST_IDLE} seconds."
        )
    if os.geteuid() == 0 and not shared_account and (closed := closed_folder(folder)):
        yield (
            f"Students' processes do not run as root, and {closed} is closed to everybody else. "
            "Start nox with a Python outside of it, such as /usr/bin/python3, put the course where others may read, "
            "and delete .venv and .venv-hub; or type --shared-account if every student may do all that root can do "
            "on this machine, as in a container that holds nothing else."
        )


def closed_folder(folder):
    """Return the first folder above what students need that only root may enter; None if there is none."""
    pythons = [Path(python).resolve() for python in (COURSE, sys.executable)]
    exists = next(one for one in (folder, *folder.parents) if one.exists())
    return accounts.find_closed_folder([*pythons, ROOT / "classroom" / "hub", exists])
