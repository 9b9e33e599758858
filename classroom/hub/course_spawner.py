"""How the class server starts the server of a student: own home, own rights where that can be had, and limits."""

import functools
import os
from pathlib import Path

import accounts
from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Bool, List, Unicode

ONE_THREAD_EACH = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


class CourseSpawner(LocalProcessSpawner):
    """A process on this machine for each student, under a number of its own where the server runs as root."""

    homes = Unicode(help="the folder that holds the homes").tag(config=True)
    separate = Bool(help="whether each student has a number of their own").tag(config=True)
    systemd = Bool(help="whether systemd limits each student as a whole").tag(config=True)
    program = List(Unicode(), help="the command of the student's server").tag(config=True)

    def user_env(self, env):
        """The student's home and name in the environment; as many threads as processors are allowed."""
        threads = dict.fromkeys(ONE_THREAD_EACH, str(max(1, round(self.cpu_limit or 1))))
        return env | threads | {"USER": self.user.name, "HOME": str(self.home()), "SHELL": "/bin/sh"}

    def home(self):
        return accounts.home(self.homes, self.user.name, self.separate)

    def make_preexec_fn(self, name):
        """What a new process does before its program begins; where systemd limits it, systemd does the same."""
        if self.systemd:
            return functools.partial(os.umask, 0o077)
        number = accounts.owner(self.home(), self.separate)
        return functools.partial(
            accounts.restrict, number, self.mem_limit, accounts.cpus_of(self.turn(), self.cpu_limit)
        )

    def turn(self):
        """The place of the student among all homes, so that students take turns on the processors."""
        return sorted(one.name for one in Path(self.homes).iterdir()).index(self.user.name)

    async def start(self):
        """Start the server in the student's home."""
        home = self.home()
        number = accounts.owner(home, self.separate)
        before = accounts.scope(number, self.mem_limit, self.cpu_limit) if self.systemd else []
        self.cmd, self.popen_kwargs = [*before, *self.program], {"cwd": home}
        return await super().start()
