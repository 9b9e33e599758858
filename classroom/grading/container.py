"""The sandbox where there is no bubblewrap: a container of podman or Docker, for each return one of its own.

*Not run here*: the machine on which this was written has no container engine. The image is that of hub/Dockerfile:
docker build -f classroom/hub/Dockerfile -t learning-to-look .
"""

import functools
import shutil
import subprocess

IMAGE = "learning-to-look"
WORK, COURSE = "/home/student", "/course"  # in the image
SHUT = (
    *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
    *("--user", "65534:65534", "--ipc", "private", "--cpus", "1"),
)


@functools.cache
def engine():
    """The container engine of this machine that has the image, "" for none."""
    for name in filter(None, map(shutil.which, ("podman", "docker"))):
        if subprocess.run([name, "image", "inspect", IMAGE], capture_output=True).returncode == 0:
            return name
    return ""


def contained(limits, variables):
    """Return a command that runs grading.inside in a container with these limits and variables.

    It ends itself, too: killing the engine's client leaves a container of Docker alive.
    """
    memory = [f"/tmp:size={limits.disk}", f"{WORK}:size={limits.disk},mode=1777", f"{COURSE}/notebooks/solutions"]
    return [
        *(engine(), "run", "--rm", "--interactive", *SHUT, "--memory", str(limits.memory)),
        *("--pids-limit", str(16 * limits.processes)),  # threads count here
        *(word for place in memory for word in ("--tmpfs", place)),
        *("--workdir", WORK, "--entrypoint", "timeout"),
        *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        *(IMAGE, "--signal", "KILL", str(limits.seconds), "python", "-m", "grading.inside"),
    ]
