"""Runs a returned notebook in a process that can reach no file, no network and no other process.

It uses bubblewrap if installed, https://github.com/containers/bubblewrap, else a container (container.py).
The process sees the course and its environment read-only, and a temporary folder in memory. It sets limits on itself;
this module adds those that count over all its children, and kills them together.
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
from grading.system_calls import filter_program
from grading.wire import Wire

from course_utils import QUIET_TENSORFLOW

ROOT = Path(__file__).resolve().parents[2]
WORK, COURSE = "/home/student", "/course"
COURSE_PACKAGES = {name: ROOT / name for name in ("course_utils", "pagecheck")} | {
    "grading": ROOT / "classroom" / "grading"
}
ISOLATION = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
READ_ONLY = ("/proc", "/dev", "/")  # root could change kernel settings, and /dev and / would be unlimited memory
POLL = 0.1  # seconds between memory checks
ONE_CORE = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"
)


class NoSandbox(Exception):
    """Raised if this machine offers no way to isolate a process."""


class Limits(NamedTuple):
    """The resource limits of one notebook."""

    seconds: int = 300
    cell_seconds: int = 60
    call_seconds: int = 10
    memory: int = 2_000_000_000  # bytes, of all its processes
    disk: int = 200_000_000  # bytes
    processes: int = 64

    def of_one_process(self):
        """Return the limits that the process sets on itself before running the notebook."""
        return {
            "memory": self.memory,
            "file_bytes": self.disk,
            "processes": 4096,  # counts threads of this user machine-wide; `processes` is enforced from outside
            "seconds": 2 * self.seconds,
        }


def bubblewrap_command(command, fonts, disk, filter_fd=None):
    """Return a command that runs `command` in bubblewrap. Raises NoSandbox without bubblewrap.

    filter_fd: file descriptor of the system call filter.
    """
    if (bubblewrap := shutil.which("bwrap")) is None:
        raise NoSandbox
    words = [bubblewrap, *ISOLATION, *system_mounts(), "--proc", "/proc", "--dev", "/dev"]
    for folder in ("/dev/shm", "/tmp", WORK):
        words += ["--size", str(disk), "--tmpfs", folder]
    words += ["--chdir", WORK, *course_mounts(), "--ro-bind", str(fonts), f"{COURSE}/fonts"]
    for folder in READ_ONLY:
        words += ["--remount-ro", folder]
    if filter_fd is not None:
        words += ["--seccomp", str(filter_fd)]
    words.append("--clearenv")
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return [*words, *command]


def require_sandbox():
    """Run a no-op in a sandbox. Raises NoSandbox if this machine cannot isolate processes."""
    if not shutil.which("bwrap") and container.engine():
        return
    with tempfile.TemporaryDirectory() as fonts:
        probe = subprocess.run(bubblewrap_command(["true"], fonts, 1_000_000), capture_output=True, env={})
    if probe.returncode:
        raise NoSandbox(probe.stderr.decode(errors="replace").strip())


def system_mounts():
    """Return options that mount the machine's programs and libraries, without settings or homes."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            options += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            options += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime"):
        options += ["--ro-bind-try", name, name]
    return options


def course_mounts():
    """Return options that mount Python, the packages and the course, without the solutions."""
    prefixes = dict.fromkeys((sys.base_prefix, sys.prefix))
    mounts = [word for prefix in prefixes if not prefix.startswith("/usr") for word in ("--ro-bind", prefix, prefix)]
    return mounts + [
        word for name, path in COURSE_PACKAGES.items() for word in ("--ro-bind", str(path), f"{COURSE}/{name}")
    ]


def environment(course=COURSE, work=WORK, temporary="/tmp", fonts=f"{COURSE}/fonts"):
    """Return the environment variables of the sandbox, which inherits none."""
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
def open_sandbox(fonts, limits, trusted=False):
    """Start the process that runs a notebook, yield its Wire and Watch, and kill all its processes at the end."""
    work = tempfile.mkdtemp(prefix="return-")  # not visible inside the sandbox
    process = start_process(fonts, limits, trusted, work)
    watch = Watch(process, limits)
    try:
        yield Wire(process.stdout.fileno(), process.stdin.fileno()), watch
    finally:
        watch.end()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        shutil.rmtree(work, ignore_errors=True)


def start_process(fonts, limits, trusted, work):
    """Start the process with pipes to it. Unless trusted, it inherits no environment variables."""
    inside = [sys.executable, "-m", "grading.inside"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    if trusted:
        python_path = os.pathsep.join(map(str, (ROOT / "classroom", ROOT)))
        return psutil.Popen(inside, cwd=work, env=os.environ | environment(python_path, work, work, fonts), **pipes)
    if not shutil.which("bwrap") and container.engine():
        python_path = f"{container.COURSE}/classroom:{container.COURSE}"
        variables = environment(python_path, container.WORK, "/tmp", "/nowhere")
        del variables["PATH"]  # the image has its own
        return psutil.Popen(container.container_command(limits, variables), cwd=work, **pipes)
    filter_bytes = filter_program()
    with tempfile.TemporaryFile() as file:
        file.write(filter_bytes)
        file.seek(0)
        command = bubblewrap_command(inside, fonts, limits.disk, filter_fd=file.fileno() if filter_bytes else None)
        return psutil.Popen(command, cwd=work, env={}, pass_fds=[file.fileno()], **pipes)


class Watch(threading.Thread):
    """Kills a process and its children when they exceed the limits; `reason` says which."""

    def __init__(self, process, limits):
        super().__init__(daemon=True)
        self.process, self.limits, self.reason, self.done = process, limits, "", threading.Event()
        self.start()

    def run(self):
        deadline = time.monotonic() + self.limits.seconds
        while not self.done.wait(POLL) and self.process.poll() is None:
            family = self.family()
            if time.monotonic() > deadline:
                self.kill(f"stopped after {self.limits.seconds} s")
            elif sum(map(memory_of, family)) > self.limits.memory:
                self.kill(f"stopped: more than {self.limits.memory / 1e9:g} GB of memory")
            elif len(family) > self.limits.processes:
                self.kill(f"stopped: more than {self.limits.processes} processes")

    def family(self):
        with contextlib.suppress(psutil.NoSuchProcess):
            return [self.process, *self.process.children(recursive=True)]
        return []

    def kill(self, reason):
        """Kill the process and all its children, keeping the first reason."""
        self.reason = self.reason or reason
        for member in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()

    def end(self):
        """Stop watching and kill what is left."""
        self.done.set()
        self.kill("")
        with contextlib.suppress(psutil.TimeoutExpired):
            self.process.wait(5)


def memory_of(process):
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return process.memory_info().rss
    return 0
