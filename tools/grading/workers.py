"""Grades many returns at once: in processes of this machine, or on a Dask cluster."""

import atexit
import contextlib
import functools
import shutil
import signal
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

import psutil
from grading.one_return import Row, graded
from grading.records import Graded
from grading.returns import Unreadable, cells_of, lesson_of
from grading.sandbox import Limits

RETRIES = 3  # for a return whose worker is lost


class Task(NamedTuple):
    """A return, and what has to be known to grade it. lessons: {number: {exercise: expression}}; only: "" or one."""

    returned: object
    lessons: dict[str, dict[str, str]]
    only: str
    seed: int
    limits: Limits
    trusted: bool


def grade_task(task):
    """Return the Graded of one return, whatever it is."""
    began, returned = time.monotonic(), task.returned
    number, rows = "", ()
    try:
        cells = cells_of(returned.content)
        number = lesson_of(cells, returned.name, task.lessons)
        rows = rows_of(task, cells, number)
    except Unreadable as problem:
        rows = (Row("", "not graded", (), str(problem)),)
    own = returned.student, returned.number, returned.name, returned.attempt, returned.digest
    return Graded(*own, number, round(time.monotonic() - began, 2), tuple(rows))


def rows_of(task, cells, number):
    """The rows of a notebook that can be read."""
    if not number:
        return (Row("", "not graded", (), "not a notebook of this course: it checks no exercise, nor has it a number"),)
    if task.only and number != task.only:
        return (Row("", "another lesson", (), f"this is lesson {number}, and {task.only} was asked for"),)
    how = task.seed, fonts(), task.limits, task.trusted
    return graded(cells, task.returned.files, task.lessons[number], *how)


def spread(tasks, jobs):
    """Yield the Graded of each task, in the order in which they end, from so many processes of this machine.

    Where a process dies, which no notebook can bring about, its return is graded again, alone.
    """
    left = {task.returned.digest: task for task in tasks}
    while left:
        with ProcessPoolExecutor(jobs, initializer=leave_interrupts_to_the_parent) as pool:
            try:
                futures = [pool.submit(grade_task, task) for task in left.values()]
                for future in as_completed(futures):
                    done = future.result()
                    del left[done.digest]
                    yield done
            except BrokenProcessPool:
                jobs = 1
            except BaseException:  # Ctrl-C: what runs is given up, and what was not begun stays for the next time
                running = psutil.Process().children()
                pool.shutdown(wait=False, cancel_futures=True)
                for process in running:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        process.terminate()
                raise


def spread_over(address, tasks):
    """Yield the same from the workers of a Dask cluster, which gives the tasks of a worker that is lost to others.

    A task is known by its return, so none is counted twice. Wanted on each worker: the course, and its environment.
    """
    from distributed import Client, as_completed

    with Client(address) as client:
        keys = [task.returned.digest for task in tasks]
        futures = client.map(grade_task, tasks, key=keys, retries=RETRIES)
        for future in as_completed(futures):
            yield future.result()


@functools.cache
def fonts():
    """A folder with Matplotlib's list of fonts, which takes seconds to make: once in a process, and in no sandbox."""
    import matplotlib
    from matplotlib import font_manager

    assert font_manager.fontManager  # the list is made, and written down, when the module is imported
    folder = Path(tempfile.mkdtemp(prefix="fonts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for file in Path(matplotlib.get_cachedir()).glob("fontlist*.json"):
        shutil.copy(file, folder)
    return folder


def leave_interrupts_to_the_parent():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
