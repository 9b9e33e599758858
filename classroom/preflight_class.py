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
sys.path += [str(ROOT / "workshop"), str(ROOT / "classroom" / "hub")]
import real_browser as machine  # noqa: E402
from build_notebooks import ENVIRONMENT  # noqa: E402
from refusals import refusals  # noqa: E402

LESSON = ROOT / "notebooks" / "13_making_it_look.ipynb"
PATIENCE = 60  # seconds: a cell that a student waits for longer seems to hang
SPARE = 1.0  # GB for the system, the hub and its proxy
HOME = 0.05  # GB of disk that a student needs: lessons, saved outputs, own models
RUN = "import sys, nbclient, nbformat; nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=600).execute()"


def main(arguments=None):
    """Measure for a class of this size. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s preflight --", description=__doc__.splitlines()[0])
    parser.add_argument("--class", type=int, dest="students", required=True, help="how many students")
    return report(parser.parse_args(arguments).students)


def report(students):
    """Print the measurements and the verdict. Returns the exit status: 0 if the class fits."""
    refused = list(refusals(ROOT / "class"))
    for text in refused:
        print(f"✗ nox -s hub would refuse to start: {text}")
    print(f"One student in {LESSON.stem}, measured on this machine:")
    one = measure_lesson()
    print(f"  memory     {one['own']:.2f} GB of its own, {one['shared']:.2f} GB that all share")
    print(f"  processor  {one['cpu']:.0f} s for the whole lesson, {one['seconds']:.0f} s by the clock")
    free, cores = psutil.virtual_memory().available / 1e9, cpus()
    disk = shutil.disk_usage(ROOT).free / 1e9
    lines = verdict(students, one, free, cores, disk)
    print(f"{students} students, {cores} processors, {free:.1f} GB of free memory, {disk:.0f} GB of free disk:")
    for sign, text in lines:
        print(f"{sign} {text}")
    return int(bool(refused) or any(sign == "✗" for sign, _ in lines))


def verdict(students, one, free, cores, disk):
    """Return (sign, sentence) pairs, ✗ for what has to change."""
    needed = one["shared"] + students * one["own"] + SPARE
    fit = max(0, int((free - one["shared"] - SPARE) / one["own"]))
    advice = (
        f"{fit} students fit. Close other programs, take a machine with {needed:.0f} GB free, or see hub/values.yaml"
    )
    memory_text = f"memory: {needed:.1f} GB are needed, {free:.1f} GB are free"
    lines = [("✓", memory_text) if needed <= free else ("✗", f"{memory_text}: {advice}")]
    wait = max(one["seconds"], students * one["cpu"] / cores)
    alone = one["seconds"]
    processor_text = (
        f"processors: if all run the lesson at the same moment, it takes {wait:.0f} s in place of {alone:.0f} s"
    )
    advice = f"let pairs share a computer, or let groups of {max(1, int(PATIENCE * cores / one['cpu']))} train in turn"
    lines.append(("✓", processor_text) if wait <= PATIENCE else ("○", f"{processor_text}: {advice}"))
    needed_disk = students * HOME
    disk_text = f"disk: {needed_disk:.1f} GB for the homes, {disk:.0f} GB are free"
    return [
        *lines,
        ("✓", disk_text)
        if needed_disk <= disk
        else ("✗", f"{disk_text}: empty the bin, or name a folder on another disk"),
    ]


def cpus():
    """Return how many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def measure_lesson(lesson=LESSON):
    """Run a lesson beside a JupyterLab. Returns GB of own and shared memory, CPU seconds and elapsed seconds."""
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
    """Run a notebook in a kernel, single-threaded as for one student. Returns its peak figures."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")
    environment = os.environ | ENVIRONMENT | one_thread | {"LEARNING_TO_LOOK_DATA": "off"}
    peaks, start = {"own": 0, "shared": 0, "cpu": 0}, time.monotonic()
    running = subprocess.Popen(
        [sys.executable, "-c", RUN, str(notebook)], cwd=folder, env=environment, stderr=subprocess.PIPE
    )
    watch = threading.Thread(target=record_peaks, args=(running, peaks), daemon=True)
    watch.start()
    errors = running.communicate()[1].decode(errors="replace").strip()
    watch.join()
    if running.returncode:
        raise RuntimeError(errors.splitlines()[-1])
    return peaks | {"seconds": time.monotonic() - start}


def record_peaks(running, peaks):
    """Poll the kernel until the program ends, updating `peaks` in place."""
    while running.poll() is None:
        try:
            for kernel in psutil.Process(running.pid).children():
                own, times = own_memory(kernel), kernel.cpu_times()
                now = {"own": own, "shared": kernel.memory_info().rss / 1e9 - own}
                now["cpu"] = times.user + times.system
                peaks.update({name: max(peaks[name], size) for name, size in now.items()})
        except psutil.Error:
            pass  # it has just exited
        time.sleep(0.2)


def own_memory(process):
    """Return GB of private memory: pages only read from files would be shared with other students."""
    if sys.platform == "linux":
        return sum(part.private_dirty for part in process.memory_maps()) / 1e9
    return process.memory_full_info().uss / 1e9


if __name__ == "__main__":
    sys.exit(main())
