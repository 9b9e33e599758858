"""Load test: thirty students on one class server, each with a real kernel, and a crash of the hub in between.

    nox -s bench -- hub                                  spread over five minutes, then all at once
    nox -s bench -- hub --students 4 --minutes 0.5       smaller

Every student signs in with a password, opens a lesson, runs each of its cells and saves it; 8 of 30 take lesson 12, all
others lesson 05. When everybody is in, the hub is killed and restarted: saved work and kernels must survive.
Nothing else is asserted; goals are printed beside the figures. The class and its folder are deleted at the end.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
from timing import ROOT, p95, print_row

sys.path.append(str(ROOT / "classroom"))
from hub_student import ClassServer, cells

LIGHT, HEAVY = "05_not_good.ipynb", "12_cls_classifier.ipynb"
MARK = "Saved before the hub went down."


def main():
    """Run and print both measurements. Returns 0 if all signed in, all cells ran, and nothing was lost."""
    parser = argparse.ArgumentParser(prog="nox -s bench -- hub", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=5, help="over which sign-ins are spread; 0: all at once only")
    parser.add_argument("--option", action="append", default=[], help="for the class server: --option=--shared-account")
    options = parser.parse_args()
    gigabytes, load = psutil.virtual_memory().total / 1e9, os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, {gigabytes:.0f} GB; load before: {load:.2f}, so much other work goes on")
    failures = 0
    for minutes in (options.minutes, 0) if options.minutes else (0,):
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            failures += run_class(Path(folder), options.students, minutes, options.option)
    return int(bool(failures))


def run_class(folder, number, minutes, options):
    """One class from sign-in to the end. Returns how many things went wrong."""
    names = [f"student{i:02d}" for i in range(1, number + 1)]
    hub = ClassServer(folder, names, *options)
    hub.start()
    try:
        heavy = [i * 8 // 30 != (i + 1) * 8 // 30 for i in range(number)]
        visits = [Visit(hub, *one) for one in zip(names, (HEAVY if h else LIGHT for h in heavy), strict=True)]
        with ThreadPoolExecutor(number) as pool:
            started = time.monotonic()
            runs = [pool.submit(visit.go, started + minutes * 60 * i / number) for i, visit in enumerate(visits)]
            for visit in visits:
                visit.inside.wait()
            downtime = hub.crash_and_start()
            for run in runs:
                run.result()
        return report(visits, minutes, downtime, time.monotonic() - started)
    finally:
        hub.stop()


class Visit:
    """One student: the work, its duration, and what went wrong."""

    def __init__(self, hub, name, lesson):
        self.hub, self.student, self.lesson = hub, hub.student(name), lesson
        self.inside = threading.Event()  # saved, with a first cell done: from now on the hub may crash
        self.first = self.total = self.error = None
        self.home, self.memory = hub.folder / "homes" / name, 0

    def go(self, when):
        """Arrive at a time, work, and record the first error."""
        time.sleep(max(0, when - time.monotonic()))
        try:
            self.work()
        except Exception as problem:
            self.error = f"{type(problem).__name__}: {problem} ({traceback.extract_tb(problem.__traceback__)[-1].name})"
        finally:
            self.inside.set()

    def work(self):
        """Sign in, run the first cell, save, run the rest, and check that nothing was lost."""
        start = time.monotonic()
        self.student.sign_in()
        notebook = self.student.read(self.lesson)["content"]
        kernel = self.student.open(self.lesson)
        first, *others = cells(notebook)
        kernel.run(first)
        self.first = time.monotonic() - start
        notebook["cells"][0]["source"] = MARK
        self.student.save(self.lesson, notebook)
        kernel.run(f"mark = {MARK!r}")
        self.inside.set()
        for code in others:
            retry(lambda code=code: kernel.run(code), kernel)
        self.total, self.memory = time.monotonic() - start, memory_of(self.home)
        self.check_recovery(kernel)

    def check_recovery(self, kernel):
        """Check that saved work and the kernel survived and that saving works. Raises AssertionError."""
        while not self.hub.was_away:
            time.sleep(0.5)
        content = retry(lambda: self.student.read(self.lesson)["content"])
        assert "".join(content["cells"][0]["source"]) == MARK, "what was saved before the crash is lost"
        assert retry(lambda: kernel.run("print(mark)"), kernel).strip() == MARK, "the kernel is another one"
        retry(lambda: self.student.save(self.lesson, content))


def retry(action, kernel=None, seconds=120):
    """Retry while the hub is down, as JupyterLab does. A RuntimeError comes from the cell itself."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return action()
        except Exception as problem:
            if isinstance(problem, RuntimeError) or time.monotonic() > deadline:
                raise
            time.sleep(1)
            if kernel:
                with contextlib.suppress(Exception):  # the hub may be away still
                    kernel.connect()


def memory_of(home):
    """Return the bytes of all processes with this home folder, shared ones counted in parts (proportional set size)."""
    size = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):  # it has exited, or is not ours
            if process.environ().get("HOME") == str(home):
                size += process.memory_full_info().pss
    return size


def report(visits, minutes, downtime, total):
    """Print the figures of one class. Returns how many students had an error."""
    failed = [visit for visit in visits if visit.error]
    first = [visit.first for visit in visits if visit.first]
    print(f"\n{len(visits)} students, " + (f"spread over {minutes:g} minutes" if minutes else "all at once"))
    print_row("signed in and ran all cells", len(visits) - len(failed))
    if len(first) > 1:
        print_row("sign-in to first cell done: median", statistics.median(first), "s")
        print_row("  p95", p95(first), "s", 60 if minutes else None)
        print_row("  slowest", max(first), "s")
    for lesson in (LIGHT, HEAVY):
        done = [visit for visit in visits if visit.lesson == lesson and visit.total]
        if done:
            seconds = statistics.median(visit.total for visit in done)
            print_row(f"lesson {lesson[:2]}, {len(done)} students: to the last cell", seconds, "s")
            print_row("  memory a student: median", statistics.median(visit.memory / 1e9 for visit in done), "GB")
            print_row("  largest", max(visit.memory for visit in done) / 1e9, "GB")
    print_row("memory of all, when they end", sum(visit.memory for visit in visits) / 1e9, "GB")
    print_row("the hub was killed in between and away for", downtime, "s")
    print_row("the class took", total / 60, "min")
    for visit in failed:
        print(f"✗ {visit.student.name}, lesson {visit.lesson[:2]}: {visit.error}")
    lost = sum("lost" in visit.error or "another one" in visit.error for visit in failed)
    print_row("saved work or kernels lost", lost, "", 0)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
