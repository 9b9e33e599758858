"""Does this machine hold a class? One student in lesson 13 is measured, and the figures are multiplied with care.

    nox -s preflight -- --class 30

A real kernel runs the whole lesson beside a real JupyterLab. What many students share on one machine, the pages of
TensorFlow and of Python, is counted once; what each of them needs is counted for each.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "workshop"))
import real_browser as machine  # noqa: E402
from build_notebooks import ENVIRONMENT  # noqa: E402

LESSON = ROOT / "notebooks" / "13_making_it_look.ipynb"
PATIENCE = 60  # seconds: a cell that a student waits for longer seems to hang
SPARE = 1.0  # GB that the system, the hub and its proxy keep
HOME = 0.05  # GB of disk for a student: lessons, saved outputs, own models
RUN = "import sys, nbclient, nbformat; nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=600).execute()"


def main(arguments=None):
    """Measure for a class of this size. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s preflight --", description=__doc__.splitlines()[0])
    parser.add_argument("--class", type=int, dest="students", required=True, help="how many students")
    return report(parser.parse_args(arguments).students)


def report(students):
    """Print what was measured and what follows. Returns the exit status: 0 when the class fits."""
    print(f"One student in {LESSON.stem}, measured on this machine:")
    one = measured()
    print(f"  memory     {one['own']:.2f} GB of its own, {one['shared']:.2f} GB that all share")
    print(f"  processor  {one['cpu']:.0f} s for the whole lesson, {one['seconds']:.0f} s by the clock")
    free, cores = psutil.virtual_memory().available / 1e9, cpus()
    disk = shutil.disk_usage(ROOT).free / 1e9
    lines = verdict(students, one, free, cores, disk)
    print(f"{students} students, {cores} processors, {free:.1f} GB of free memory, {disk:.0f} GB of free disk:")
    for sign, words in lines:
        print(f"{sign} {words}")
    return int(any(sign == "✗" for sign, _ in lines))


def verdict(students, one, free, cores, disk):
    """What follows from the figures: pairs of a sign and a sentence, ✗ for what has to change."""
    needed = one["shared"] + students * one["own"] + SPARE
    fit = max(0, int((free - one["shared"] - SPARE) / one["own"]))
    advice = (
        f"{fit} students fit. Close other programs, take a machine with {needed:.0f} GB free, or see hub/values.yaml"
    )
    yes = f"memory: {needed:.1f} GB are needed, {free:.1f} GB are free"
    lines = [("✓", yes) if needed <= free else ("✗", f"{yes}: {advice}")]
    wait = max(one["seconds"], students * one["cpu"] / cores)
    alone = one["seconds"]
    said = f"processors: if all run the lesson at the same moment, it takes {wait:.0f} s in place of {alone:.0f} s"
    calm = f"let pairs share a computer, or let groups of {max(1, int(PATIENCE * cores / one['cpu']))} train in turn"
    lines.append(("✓", said) if wait <= PATIENCE else ("○", f"{said}: {calm}"))
    room = students * HOME
    kept = f"disk: {room:.1f} GB for the homes, {disk:.0f} GB are free"
    return [*lines, ("✓", kept) if room <= disk else ("✗", f"{kept}: empty the bin, or name a folder on another disk")]


def cpus():
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def measured(lesson=LESSON):
    """Run a lesson beside a JupyterLab. Returns GB of memory, own and shared, and seconds, of processor and clock."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(lesson, folder)
        lab = machine.Lab(folder)
        try:
            lab_own = own_memory(psutil.Process(lab.process.pid))
            kernel = run_lesson(copy, folder)
        finally:
            lab.stop()
    return kernel | {"own": kernel["own"] + lab_own}


def run_lesson(notebook, folder):
    """Run a notebook in a kernel, with the threads of one student. Returns its largest figures."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")
    own = os.environ | ENVIRONMENT | one_thread | {"LEARNING_TO_LOOK_DATA": "off"}
    found, began = {"own": 0, "shared": 0, "cpu": 0}, time.monotonic()
    running = subprocess.Popen([sys.executable, "-c", RUN, str(notebook)], cwd=folder, env=own, stderr=subprocess.PIPE)
    watch = threading.Thread(target=keep_largest, args=(running, found), daemon=True)
    watch.start()
    words = running.communicate()[1].decode(errors="replace").strip()
    watch.join()
    if running.returncode:
        raise RuntimeError(words.splitlines()[-1])
    return found | {"seconds": time.monotonic() - began}


def keep_largest(running, found):
    """Look at the kernel until the program ends; what is larger than before is kept."""
    while running.poll() is None:
        try:
            for kernel in psutil.Process(running.pid).children():
                own, times = own_memory(kernel), kernel.cpu_times()
                now = {"own": own, "shared": kernel.memory_info().rss / 1e9 - own}
                now["cpu"] = times.user + times.system
                found.update({name: max(found[name], size) for name, size in now.items()})
        except psutil.Error:
            pass  # it has just ended
        time.sleep(0.2)


def own_memory(process):
    """GB that a process has written: what it only read from files, others would read from the same pages."""
    if sys.platform == "linux":
        return sum(part.private_dirty for part in process.memory_maps()) / 1e9
    return process.memory_full_info().uss / 1e9


if __name__ == "__main__":
    sys.exit(main())
