"""A process that runs a returned notebook and can reach nothing: no file, no network, no other process.

bubblewrap makes it, where there is one: https://github.com/containers/bubblewrap; else a container (container.py).
The process sees the course and its environment, read-only, and a folder in memory that is gone with it. It has limits
of its own; this module adds those that count over all of its children, and ends them together.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import psutil
from grading import container
from grading.system_calls import program
from grading.wire import Wire

from course_utils import QUIET_TENSORFLOW

ROOT = Path(__file__).resolve().parents[2]
WORK, COURSE = "/home/student", "/course"
SHOWN = {name: ROOT / name for name in ("course_utils", "pagecheck")} | {"grading": ROOT / "classroom" / "grading"}
SHUT = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
NOT_TO_WRITE = ("/proc", "/dev", "/")  # as root the kernel's settings are open, and two are memory without a limit
POLL = 0.1  # seconds between two looks at the memory
ONE_CORE = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"
)


class NoSandbox(Exception):
    """Raised where this machine has nothing that could shut a process in."""


class Limits(NamedTuple):
    """What one notebook may take."""

    seconds: int = 300
    cell_seconds: int = 60
    call_seconds: int = 10
    memory: int = 2_000_000_000  # bytes, of all its processes
    disk: int = 200_000_000  # bytes
    processes: int = 64

    def of_one_process(self):
        """Those that the process itself sets, before it runs anything of the notebook."""
        return {
            "memory": self.memory,
            "file_bytes": self.disk,
            "processes": 4096,  # of this user, with threads, on the whole machine; `processes` is watched from outside
            "seconds": 2 * self.seconds,
        }


def wrapped(command, fonts, disk, filter_at=None):
    """Return a command that runs `command` shut in by bubblewrap. Raises NoSandbox where there is none.

    filter_at: the number of the open file that holds the filter of system calls.
    """
    if (bubblewrap := shutil.which("bwrap")) is None:
        raise NoSandbox
    words = [bubblewrap, *SHUT, *system(), "--proc", "/proc", "--dev", "/dev"]
    for place in ("/dev/shm", "/tmp", WORK):
        words += ["--size", str(disk), "--tmpfs", place]
    words += ["--chdir", WORK, *shown(), "--ro-bind", str(fonts), f"{COURSE}/fonts"]
    for place in NOT_TO_WRITE:
        words += ["--remount-ro", place]
    if filter_at is not None:
        words += ["--seccomp", str(filter_at)]
    words.append("--clearenv")
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return [*words, *command]


def tried():
    """Shut a program in that does nothing. Raises NoSandbox where nothing on this machine can do that."""
    if not shutil.which("bwrap") and container.engine():
        return
    with tempfile.TemporaryDirectory() as fonts:
        ran = subprocess.run(wrapped(["true"], fonts, 1_000_000), capture_output=True, env={})
    if ran.returncode:
        raise NoSandbox(ran.stderr.decode(errors="replace").strip())


def system():
    """Options that show the programs and libraries of the machine, and none of its settings or people."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            options += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            options += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime"):
        options += ["--ro-bind-try", name, name]
    return options


def shown():
    """Options that show Python, the packages and the course, and none of the solutions."""
    prefixes = dict.fromkeys((sys.base_prefix, sys.prefix))
    places = [word for prefix in prefixes if not prefix.startswith("/usr") for word in ("--ro-bind", prefix, prefix)]
    return places + [word for name, path in SHOWN.items() for word in ("--ro-bind", str(path), f"{COURSE}/{name}")]


def environment(course=COURSE, work=WORK, temporary="/tmp", fonts=f"{COURSE}/fonts"):
    """The variables of the sandbox; none of this machine's own are among them."""
    return {
        "COURSE_FONTS": str(fonts),
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "PYTHONPATH": course,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": work,
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": f"{temporary}/matplotlib",
        "IPYTHONDIR": f"{temporary}/ipython",
        "LEARNING_TO_LOOK_DATA": "off",
        **ONE_CORE,
        **QUIET_TENSORFLOW,
    }


@contextlib.contextmanager
def running(fonts, limits, trusted=False):
    """Start the process that runs a notebook, and yield its Wire; end all that it has started."""
    work = tempfile.mkdtemp(prefix="return-")  # in the sandbox nobody sees it
    process = started(fonts, limits, trusted, work)
    watch = Watch(process, limits)
    try:
        yield Wire(process.stdout.fileno(), process.stdin.fileno()), watch
    finally:
        watch.end()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        shutil.rmtree(work, ignore_errors=True)


def started(fonts, limits, trusted, work):
    """Start the process, with pipes to it; of this machine's variables a sandbox has none, nor has bubblewrap."""
    inside = [sys.executable, "-m", "grading.inside"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    if trusted:
        places = os.pathsep.join(map(str, (ROOT / "classroom", ROOT)))
        return psutil.Popen(inside, cwd=work, env=os.environ | environment(places, work, work, fonts), **pipes)
    if not shutil.which("bwrap") and container.engine():
        python_path = f"{container.COURSE}/classroom:{container.COURSE}"
        variables = environment(python_path, container.WORK, "/tmp", "/nowhere")
        del variables["PATH"]  # the image has its own
        return psutil.Popen(container.contained(limits, variables), cwd=work, **pipes)
    calls = program()
    with tempfile.TemporaryFile() as file:
        file.write(calls)
        file.seek(0)
        command = wrapped(inside, fonts, limits.disk, filter_at=file.fileno() if calls else None)
        return psutil.Popen(command, cwd=work, env={}, pass_fds=[file.fileno()], **pipes)


class Watch(threading.Thread):
    """Looks at a process and all that it has started, and ends them when they take too much: `why` is the reason."""

    def __init__(self, process, limits):
        super().__init__(daemon=True)
        self.process, self.limits, self.why, self.over = process, limits, "", threading.Event()
        self.start()

    def run(self):
        until = time.monotonic() + self.limits.seconds
        while not self.over.wait(POLL) and self.process.poll() is None:
            family = self.family()
            if time.monotonic() > until:
                self.kill(f"stopped after {self.limits.seconds} s")
            elif sum(map(memory_of, family)) > self.limits.memory:
                self.kill(f"stopped: more than {self.limits.memory / 1e9:g} GB of memory")
            elif len(family) > self.limits.processes:
                self.kill(f"stopped: more than {self.limits.processes} processes")

    def family(self):
        with contextlib.suppress(psutil.NoSuchProcess):
            return [self.process, *self.process.children(recursive=True)]
        return []

    def kill(self, why):
        """End the process and all that it has started, for a reason."""
        self.why = self.why or why
        for member in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()

    def end(self):
        """End what is left of it."""
        self.over.set()
        self.kill("")
        with contextlib.suppress(psutil.TimeoutExpired):
            self.process.wait(5)


def memory_of(process):
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return process.memory_info().rss
    return 0
