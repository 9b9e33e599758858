"""The limits of a returned notebook that count over all its processes, watched from outside."""

import contextlib
import threading
import time

import psutil

POLL = 0.1  # seconds between looks


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
            elif sum(map(files_of, family)) > self.limits.files:
                self.kill(f"stopped: more than {self.limits.files} open files")

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


def files_of(process):
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return process.num_fds()
    return 0


def memory_of(process):
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return process.memory_info().rss
    return 0
