"""Starts a student's server in their own home, with their own uid if possible, and with limits."""

import asyncio
import functools
from pathlib import Path

import accounts
import disk
from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Bool, Int, List, Unicode

ONE_THREAD_EACH = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


class CourseSpawner(LocalProcessSpawner):
    """A local process for each student, under its own uid if the server runs as root."""

    homes = Unicode(help="the folder that holds the homes").tag(config=True)
    separate = Bool(help="whether each student has a number of their own").tag(config=True)
    systemd = Bool(help="whether systemd limits each student as a whole").tag(config=True)
    disk_limit = Int(help="bytes of a home, and of a file").tag(config=True)
    program = List(Unicode(), help="the command of the student's server").tag(config=True)

    def user_env(self, env):
        """Add the student's name and home, and a thread count that matches the allowed processors."""
        threads = dict.fromkeys(ONE_THREAD_EACH, str(max(1, round(self.cpu_limit or 1))))
        return env | threads | {"USER": self.user.name, "HOME": str(self.home()), "SHELL": "/bin/sh"}

    def home(self):
        return accounts.ensure_home(self.homes, self.user.name, self.separate)

    def make_preexec_fn(self, name):
        """Return what a new process does before its program starts; systemd sets the limits itself if used."""
        if self.systemd:
            return functools.partial(accounts.restrict, None, disk=self.disk_limit)
        uid, cpus = accounts.uid_for(self.home(), self.separate), accounts.cpus_of(self.index(), self.cpu_limit)
        return functools.partial(accounts.restrict, uid, self.mem_limit, cpus, self.disk_limit)

    async def poll(self):
        """Say whether the server runs, as the hub asks every half a minute, and hold the home to its size."""
        status = await super().poll()
        if status is None:
            await asyncio.to_thread(disk.hold, Path(self.homes) / self.user.name, self.disk_limit, self.pid)
        return status

    def index(self):
        """Return the index of the student among all homes, which spreads students over the processors."""
        return sorted(one.name for one in Path(self.homes).iterdir()).index(self.user.name)

    async def start(self):
        """Start the server in the student's home."""
        home = self.home()
        uid = accounts.uid_for(home, self.separate)
        prefix = accounts.systemd_command(uid, self.mem_limit, self.cpu_limit) if self.systemd else []
        self.cmd, self.popen_kwargs = [*prefix, *self.program], {"cwd": home}
        return await super().start()
