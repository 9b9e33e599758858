"""Grades many returns at once: in processes of this machine, or on a Dask cluster."""

import contextlib
import faulthandler
import functools
import os
import resource
import signal
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

import psutil
from grading.one_return import Row, graded, in_short
from grading.records import Graded
from grading.returns import Unreadable, cells_of, lesson_of
from grading.sandbox import Limits

MEMORY = 4_000_000_000  # bytes, of a process that judges
POLL = 1  # seconds between two looks at the parent
JUDGING = 120  # seconds that a judge may take beyond the time of the return: one that hangs is ended
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
    """Return the Graded of one return, whatever it is. What holds this process for too long ends it."""
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(task.limits.seconds + JUDGING, exit=True, file=nowhere)
        try:
            return graded_now(task)
        finally:
            faulthandler.cancel_dump_traceback_later()


def graded_now(task):
    """The Graded of one return."""
    began, returned = time.monotonic(), task.returned
    number, rows = "", ()
    try:
        cells = cells_of(returned.content)
        number = lesson_of(cells, returned.name, task.lessons)
        rows = rows_of(task, cells, number)
    except Unreadable as problem:
        rows = (Row("", "not graded", (), str(problem)),)
    except Exception as problem:  # one return costs its own rows, and no others
        rows = (Row("", "not graded", (), in_short(f"the grader stopped at it: {type(problem).__name__}: {problem}")),)
    return as_graded(task, number, time.monotonic() - began, rows)


def as_graded(task, number, seconds, rows):
    returned = task.returned
    own = returned.student, returned.number, returned.name, returned.attempt, returned.digest
    return Graded(*own, number, round(seconds, 2), tuple(rows))


def given_up(task):
    """What is written down of a return that ends the process that judges it, or holds it."""
    return as_graded(
        task, "", 0, [Row("", "not graded", (), "the process that judges it ended twice, or took too long")]
    )


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

    Where a process dies, the returns at work are graded again, each alone; one that ends it twice is given up.
    """
    waiting, again = deque(tasks), deque()
    while waiting or again:
        todo, at_once = (again, 1) if again else (waiting, jobs)
        running = {}
        with ProcessPoolExecutor(at_once, initializer=alone_with_its_parent, initargs=(os.getpid(),)) as pool:
            try:
                yield from flowing(pool, todo, at_once, running)
            except BrokenProcessPool:
                if todo is again:
                    yield from map(given_up, running.values())
                else:
                    again.extend(running.values())
            except BaseException:  # Ctrl-C: what runs is given up, and what was not begun stays for the next time
                end_all(pool)
                raise


def flowing(pool, todo, at_once, running):
    """Yield what the pool gives for the tasks, so many of them at work. running: {future: task}, those at this time."""
    while todo or running:
        while todo and len(running) < at_once:
            task = todo.popleft()
            try:
                running[pool.submit(grade_task, task)] = task
            except BrokenProcessPool:
                todo.appendleft(task)
                raise
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            done = future.result()
            del running[future]
            yield done


def end_all(pool):
    running = psutil.Process().children()
    pool.shutdown(wait=False, cancel_futures=True)
    for process in running:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()


def spread_over(address, tasks):
    """Yield the same from the workers of a Dask cluster, which gives the tasks of a worker that is lost to others.

    A task is known by its return, so none is counted twice. Wanted on each worker: the course, and its environment.
    """
    from distributed import Client, KilledWorker, as_completed

    with Client(address) as client:
        keys = [task.returned.digest for task in tasks]
        futures = client.map(grade_task, tasks, key=keys, retries=RETRIES)
        tasks_of = dict(zip(keys, tasks, strict=True))
        for future in as_completed(futures):
            try:
                yield future.result()
            except KilledWorker:
                yield given_up(tasks_of[future.key])


@functools.cache
def fonts():
    """The folder with Matplotlib's list of fonts, which takes seconds to make: it is made here, and in no sandbox."""
    import matplotlib
    from matplotlib import font_manager

    assert font_manager.fontManager  # the list is made, and written down, when the module is imported
    return Path(matplotlib.get_cachedir())


def alone_with_its_parent(parent):
    """Prepare a process that judges: Ctrl-C is its parent's, it ends with it, and has its own limit of memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY if hard < 0 else min(MEMORY, hard), hard))
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(1)
