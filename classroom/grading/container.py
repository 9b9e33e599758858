"""The sandbox for machines without bubblewrap: a podman or Docker container for each return.

*Not run here*: the machine on which this was written has no container engine. The image is that of hub/Dockerfile:
docker build -f classroom/hub/Dockerfile -t learning-to-look .
"""

import functools
import shutil
import subprocess

IMAGE = "learning-to-look"
WORK, COURSE = "/home/student", "/course"  # in the image
ISOLATION = (
    *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
    *("--user", "65534:65534", "--ipc", "private", "--cpus", "1"),
)


@functools.cache
def engine():
    """Return the path of a container engine that has the image, "" if there is none."""
    for name in filter(None, map(shutil.which, ("podman", "docker"))):
        if subprocess.run([name, "image", "inspect", IMAGE], capture_output=True).returncode == 0:
            return name
    return ""


def container_command(limits, variables):
    """Return a command that runs grading.inside in a container with these limits and variables.

    It also stops itself after the time limit: killing the Docker client leaves the container running.
    """
    memory = [f"/tmp:size={limits.disk}", f"{WORK}:size={limits.disk},mode=1777", f"{COURSE}/notebooks/solutions"]
    return [
        *(engine(), "run", "--rm", "--interactive", *ISOLATION, "--memory", str(limits.memory)),
        *("--pids-limit", str(16 * limits.processes)),  # podman and Docker count threads
        *(word for mount in memory for word in ("--tmpfs", mount)),
        *("--workdir", WORK, "--entrypoint", "timeout"),
        *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        *(IMAGE, "--signal", "KILL", str(limits.seconds), "python", "-m", "grading.inside"),
    ]
