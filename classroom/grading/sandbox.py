"""Runs a returned notebook in a process that can reach no file, no network and no other process.

It uses bubblewrap if installed, https://github.com/containers/bubblewrap, else a container (container.py).
The process sees the course and its environment read-only, and a temporary folder in memory. It sets limits on itself;
this module adds those that count over all its children, and kills them together.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import psutil
from grading import container
from grading.system_calls import filter_program
from grading.watch import Watch
from grading.wire import Wire

from course_utils import QUIET_TENSORFLOW

ROOT = Path(__file__).resolve().parents[2]
WORK, COURSE = "/home/student", "/course"
COURSE_PACKAGES = {name: ROOT / name for name in ("course_utils", "pagecheck")} | {
    "grading": ROOT / "classroom" / "grading"
}
ISOLATION = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
READ_ONLY = ("/proc", "/dev", "/")  # root could change kernel settings, and /dev and / would be unlimited memory
SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect")
SESSION = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # what systemd-run needs
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
    files: int = 512  # open at once, sockets among them, by all its processes

    def of_one_process(self):
        """Return the limits that the process sets on itself before running the notebook."""
        return {
            "memory": self.memory,
            "file_bytes": self.disk,
            "processes": 4096,  # counts threads of this user machine-wide; `processes` is enforced from outside
            "seconds": 2 * self.seconds,
            "files": self.files,
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
    probe = subprocess.run(bubblewrap_command(["true"], "/usr", 1_000_000), capture_output=True, env={})
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
    process = start_trusted(fonts) if trusted else start_shut_in(fonts, limits)
    watch = Watch(process, limits)
    try:
        yield Wire(process.stdout.fileno(), process.stdin.fileno()), watch
    finally:
        watch.end()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        if trusted:
            shutil.rmtree(process.cwd_made, ignore_errors=True)


INSIDE = (sys.executable, "-m", "grading.inside")
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}


def start_trusted(fonts):
    """Start the process with the rights and variables of the grader, in a folder that is removed at the end.

    Folders of graders that were killed are removed first.
    """
    for left in Path(tempfile.gettempdir()).glob("return-*-*"):
        if (number := left.name.split("-")[1]).isdigit() and not psutil.pid_exists(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    work = tempfile.mkdtemp(prefix=f"return-{os.getpid()}-")
    python_path = os.pathsep.join(map(str, (ROOT / "classroom", ROOT)))
    process = psutil.Popen(INSIDE, cwd=work, env=os.environ | environment(python_path, work, work, fonts), **PIPES)
    process.cwd_made = work
    return process


def start_shut_in(fonts, limits):
    """Start the process in a sandbox. It inherits no variables and leaves nothing outside."""
    if not shutil.which("bwrap") and container.engine():
        python_path = f"{container.COURSE}/classroom:{container.COURSE}"
        variables = environment(python_path, container.WORK, "/tmp", "/nowhere")
        del variables["PATH"]  # the image has its own
        return psutil.Popen(container.container_command(limits, variables), cwd="/", **PIPES)
    filter_bytes = filter_program()
    with tempfile.TemporaryFile() as file:
        file.write(filter_bytes)
        file.seek(0)
        command = bubblewrap_command(INSIDE, fonts, limits.disk, filter_fd=file.fileno() if filter_bytes else None)
        variables = {name: os.environ[name] for name in SESSION if name in os.environ}  # bubblewrap clears them
        return psutil.Popen([*scope(limits), *command], cwd="/", env=variables, pass_fds=[file.fileno()], **PIPES)


def scope(limits):
    """Return the start of a command that puts it into a cgroup, where systemd gives its user one; else nothing.

    There the system itself counts the memory, that of sockets and files in memory too.
    """
    return (
        [*SCOPE, "-p", f"MemoryMax={limits.memory + 3 * limits.disk}", "-p", "MemorySwapMax=0"] if has_scope() else []
    )


@functools.cache
def has_scope():
    return bool(shutil.which(SCOPE[0])) and subprocess.run([*SCOPE, "true"], capture_output=True).returncode == 0
