"""A class of thirty on one class server on this machine, each in a real kernel: what it takes, and what a crash costs.

    nox -s bench -- hub                                  spread over five minutes, then all at once
    nox -s bench -- hub --students 4 --minutes 0.5       smaller

Every student signs in with a password, opens a lesson, runs each of its cells and saves it; 8 of 30 take lesson 12, all
others lesson 05. When everybody is in, the hub is killed and started again: what was saved must be there, and the
kernels too. Nothing is asserted but that; the goals stand beside the figures. The class and its folder go when it ends.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "classroom"))
import psutil  # noqa: E402
from hub_student import ClassServer, cells  # noqa: E402

LIGHT, HEAVY = "05_not_good.ipynb", "12_cls_classifier.ipynb"
MARK = "Saved before the hub went down."
GOAL = 60  # seconds from sign-in to the first cell done, for 95 of 100 students


def main():
    """Measure both, print. Returns the exit status: 0 when all signed in, all ran, and nothing saved was lost."""
    asked = arguments().parse_args()
    load = os.getloadavg()[0]
    gigabytes = psutil.virtual_memory().total / 1e9
    print(f"{os.cpu_count()} processors, {gigabytes:.0f} GB; load before: {load:.2f}, so much other work goes on")
    bad = 0
    for minutes in (asked.minutes, 0) if asked.minutes else (0,):
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            bad += one_class(Path(folder), asked.students, minutes, asked.option)
    return int(bool(bad))


def arguments():
    parser = argparse.ArgumentParser(prog="nox -s bench -- hub", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=5, help="over which sign-ins are spread; 0: all at once only")
    parser.add_argument("--option", action="append", default=[], help="for the class server: --option=--shared-account")
    return parser


def one_class(folder, number, minutes, options):
    """One class from sign-in to the end. Returns how many things went wrong."""
    names = [f"student{i:02d}" for i in range(1, number + 1)]
    hub = ClassServer(folder, names, *options)
    hub.start()
    try:
        heavy = [i * 8 // 30 != (i + 1) * 8 // 30 for i in range(number)]
        visits = [Visit(hub, *one) for one in zip(names, (HEAVY if h else LIGHT for h in heavy), strict=True)]
        with Watch(folder) as watch, ThreadPoolExecutor(number) as pool:
            started = time.monotonic()
            runs = [pool.submit(visit.go, started + minutes * 60 * i / number) for i, visit in enumerate(visits)]
            for visit in visits:
                visit.inside.wait()
            away = hub.crash_and_start()
            for run in runs:
                run.result()
        return report(visits, watch, minutes, away, time.monotonic() - started)
    finally:
        hub.stop()


class Visit:
    """One student: what was done, how long it took, what went wrong."""

    def __init__(self, hub, name, lesson):
        self.hub, self.student, self.lesson = hub, hub.student(name), lesson
        self.inside = threading.Event()  # saved, with a first cell done: from now on the hub may go
        self.first = self.whole = self.wrong = None

    def go(self, when):
        """Come at a time, work, and note the first thing that goes wrong."""
        time.sleep(max(0, when - time.monotonic()))
        try:
            self.work()
        except Exception as problem:
            self.wrong = f"{type(problem).__name__}: {problem} ({traceback.extract_tb(problem.__traceback__)[-1].name})"
        finally:
            self.inside.set()

    def work(self):
        """Sign in, run the first cell, save; run the rest; look whether all is there still."""
        began = time.monotonic()
        self.student.sign_in()
        notebook = self.student.read(self.lesson)["content"]
        kernel = self.student.open(self.lesson)
        first, *others = cells(notebook)
        kernel.run(first)
        self.first = time.monotonic() - began
        notebook["cells"][0]["source"] = MARK
        self.student.save(self.lesson, notebook)
        kernel.run(f"mark = {MARK!r}")
        self.inside.set()
        for code in others:
            patiently(lambda code=code: kernel.run(code), kernel)
        self.whole = time.monotonic() - began
        self.look_again(kernel)

    def look_again(self, kernel):
        """What was saved is there, the kernel knows what it knew, and saving goes on. Raises AssertionError."""
        while not self.hub.was_away:
            time.sleep(0.5)
        found = patiently(lambda: self.student.read(self.lesson)["content"])
        assert "".join(found["cells"][0]["source"]) == MARK, "what was saved before the crash is lost"
        assert patiently(lambda: kernel.run("print(mark)"), kernel).strip() == MARK, "the kernel is another one"
        patiently(lambda: self.student.save(self.lesson, found))


def patiently(do, kernel=None, seconds=120):
    """Do something, again and again while the hub is away, as JupyterLab does. RuntimeError is the cell's own."""
    until = time.monotonic() + seconds
    while True:
        try:
            return do()
        except (RuntimeError, AssertionError):
            raise
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(1)
            if kernel:
                reconnect(kernel)


def reconnect(kernel):
    """Open the kernel's websocket again, if it can be had by now."""
    try:
        kernel.connect()
    except Exception:
        time.sleep(1)


class Watch:
    """The memory of a class while it works: of each student's server with its kernels, and of the whole machine."""

    def __init__(self, folder):
        self.homes, self.students, self.least = f"{folder}/homes/", {}, psutil.virtual_memory().available
        self.before, self.done = self.least, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def look(self):
        """Every few seconds: the proportional memory of each student's processes, shared pages divided among all."""
        while not self.done.wait(5):
            self.least = min(self.least, psutil.virtual_memory().available)
            now = {}
            for process in psutil.process_iter():
                try:
                    home = process.environ().get("HOME", "")
                    if home.startswith(self.homes):
                        now[home] = now.get(home, 0) + process.memory_full_info().pss
                except psutil.Error:
                    continue  # it has ended, or is not ours
            for home, size in now.items():
                self.students[home[len(self.homes) :]] = max(size, self.students.get(home[len(self.homes) :], 0))


def report(visits, watch, minutes, away, whole):
    """Print the figures of one class. Returns how many students met something wrong."""
    wrong = [visit for visit in visits if visit.wrong]
    first = sorted(visit.first for visit in visits if visit.first)
    print(f"\n{len(visits)} students, " + (f"spread over {minutes:g} minutes" if minutes else "all at once"))
    print(f"  signed in and ran all cells    {len(visits) - len(wrong)} of {len(visits)}")
    if first:
        late = first[min(len(first) - 1, int(0.95 * len(first)))]
        goal = f"   goal {GOAL} s" + ("" if late < GOAL else ": missed") if minutes else "   (no goal)"
        print(f"  sign-in to first cell done     median {statistics.median(first):.1f} s, p95 {late:.1f} s{goal}")
        print(f"                                 slowest {first[-1]:.1f} s")
    for lesson in (LIGHT, HEAVY):
        of_lesson(lesson, [visit for visit in visits if visit.lesson == lesson and visit.whole], watch)
    print(f"  memory of the machine in use   {(watch.before - watch.least) / 1e9:.1f} GB more than before")
    print(f"  the hub was killed in between  and away for {away:.1f} s; the class took {whole / 60:.1f} minutes")
    for visit in wrong:
        print(f"  ✗ {visit.student.name}, lesson {visit.lesson[:2]}: {visit.wrong}")
    lost = sum("lost" in visit.wrong or "another one" in visit.wrong for visit in wrong)
    print(f"  saved work or kernels lost     {lost} of {len(visits)}")
    return len(wrong)


def of_lesson(lesson, visits, watch):
    """Print the figures of those who finished a lesson."""
    if visits:
        whole = statistics.median(visit.whole for visit in visits)
        sizes = [watch.students.get(visit.student.name, 0) / 1e9 for visit in visits]
        print(f"  lesson {lesson[:2]}, {len(visits):>2} students          {whole:.0f} s to the last cell (median)")
        print(f"    memory a student             median {statistics.median(sizes):.2f} GB, largest {max(sizes):.2f} GB")


if __name__ == "__main__":
    sys.exit(main())
