"""Grades many returns in parallel, in local processes or on a Dask cluster."""

import faulthandler
import functools
import multiprocessing
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

from grading.cells import lesson_of
from grading.one_return import Row, grade_return, one_line
from grading.records import GradedReturn
from grading.sandbox import Limits

MEMORY = 4_000_000_000  # bytes, of a judging process
POLL = 1  # seconds between checks of the parent
JUDGING = 120  # seconds that a judge gets beyond the time of the return before it counts as hanging
RETRIES = 3  # for a return whose worker was lost
SPAWN = multiprocessing.get_context("spawn")  # a fork keeps locks of threads that it does not have; it hung the judge


class Task(NamedTuple):
    """A return and what is needed to grade it. lessons: {number: {exercise: expression}}; only: a number or ""."""

    returned: object
    lessons: dict[str, dict[str, str]]
    only: str
    seed: int
    limits: Limits
    trusted: bool


def grade_task(task):
    """Return the result of one return, whatever it holds. A judge that hangs kills this process."""
    with open(os.devnull, "w") as devnull:
        faulthandler.dump_traceback_later(task.limits.seconds + JUDGING, exit=True, file=devnull)
        try:
            return grade_now(task)
        finally:
            faulthandler.cancel_dump_traceback_later()


def grade_now(task):
    """Return the result of one return, turning every error into a row."""
    start, returned = time.monotonic(), task.returned
    number, rows = "", ()
    try:
        number = lesson_of(returned.cells, returned.name, task.lessons, task.only)
        rows = rows_of(task, returned.cells, number)
    except Exception as error:  # one bad return must not affect others
        rows = (Row("", "not graded", (), one_line(f"the grader stopped at it: {type(error).__name__}: {error}")),)
    return make_result(task, number, time.monotonic() - start, rows)


def make_result(task, number, seconds, rows):
    returned = task.returned
    identity = returned.student, returned.number, returned.place, returned.name, returned.attempt, returned.digest
    return GradedReturn(*identity, number, round(seconds, 2), tuple(rows))


def abandoned_result(task):
    """Return the result for a return that crashes or hangs its judge."""
    return make_result(
        task, "", 0, [Row("", "not graded", (), "the process that judges it ended twice, or took too long")]
    )


def rows_of(task, cells, number):
    """Return the rows of a return."""
    if task.returned.problem:
        return (Row("", "not graded", (), task.returned.problem),)
    if not number:
        return (Row("", "not graded", (), "not a notebook of this course: it checks no exercise, nor has it a number"),)
    if task.only and number != task.only:
        return (Row("", "another lesson", (), f"this is lesson {number}, and {task.only} was asked for"),)
    settings = task.seed, fonts(), task.limits, task.trusted
    return grade_return(cells, task.returned.files, task.lessons[number], *settings)


def grade_locally(tasks, jobs):
    """Yield the result of each task as it completes, from this many local processes.

    If a process dies, the running tasks are retried one by one; a task that kills its process twice is abandoned.
    """
    waiting, retries = deque(tasks), deque()
    while waiting or retries:
        queue, workers = (retries, 1) if retries else (waiting, jobs)
        running = {}
        with ProcessPoolExecutor(workers, SPAWN, init_worker, (os.getpid(),)) as pool:
            try:
                yield from run_tasks(pool, queue, workers, running)
            except BrokenProcessPool:
                if queue is retries:
                    yield from map(abandoned_result, running.values())
                else:
                    retries.extend(running.values())
            except BaseException:  # on Ctrl-C, unfinished tasks stay for the next run
                terminate_all(pool)
                raise


def run_tasks(pool, todo, workers, running):
    """Yield results from the pool, with a bounded number of running tasks. running: {future: task}."""
    while todo or running:
        while todo and len(running) < workers:
            task = todo.popleft()
            try:
                running[pool.submit(grade_task, task)] = task
            except BrokenProcessPool:
                todo.appendleft(task)
                raise
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            result = future.result()
            del running[future]
            yield result


def terminate_all(pool):
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.terminate()


def grade_on_cluster(address, tasks):
    """Yield the same from a Dask cluster, which moves the tasks of a lost worker to others.

    Tasks are keyed by their return, so none counts twice. Each worker needs the course and its environment.
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
                yield abandoned_result(tasks_of[future.key])


@functools.cache
def fonts():
    """Return the folder with Matplotlib's font list, built here because it takes seconds in each sandbox."""
    import matplotlib
    from matplotlib import font_manager

    assert font_manager.fontManager  # importing it builds and saves the list
    return Path(matplotlib.get_cachedir())


def init_worker(parent):
    """Prepare a judging process: ignore Ctrl-C, exit with the parent, limit its memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY if hard < 0 else min(MEMORY, hard), hard))
    threading.Thread(target=exit_with_parent, args=(parent,), daemon=True).start()


def exit_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(1)
