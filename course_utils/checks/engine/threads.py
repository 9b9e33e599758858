"""The threads of a check: the one that checks, those in which an answer runs, and those that the answer starts."""

import contextlib
import ctypes
import os
import sys
import weakref
from pathlib import Path
from threading import Lock, Thread, current_thread

OF_A_CHECK = weakref.WeakSet()
# A thread that is ended while it starts another one, or before or after its own work, stays in Python's list of threads
# for ever. So one is ended only while it stands in STOPPABLE, and nobody starts one, or leaves there, at that moment.
STOPPABLE = set()
ONE_AT_A_TIME = Lock()
STANDARD_LIBRARY = str(Path(os.__file__).parent)


class Stopped(SystemExit):
    """Raised inside a thread to end it. Neither `except Exception` nor the thread's own error report sees it."""


@contextlib.contextmanager
def noted():
    """Note this thread as one that checks, and all threads that it or they start; then end those that were left.

    Gives a list of the threads that Python cannot end, complete when the block has ended. Threads that a library
    starts, such as those of a pool, are its own to end.
    """
    start, me, started, left = Thread.start, current_thread(), [], []

    def note_and_start(thread):
        if current_thread() in OF_A_CHECK:
            OF_A_CHECK.add(thread)
            if not is_installed(sys._getframe(1).f_code.co_filename):
                started.append(stoppable(thread))
        with ONE_AT_A_TIME:
            start(thread)

    OF_A_CHECK.add(me)
    Thread.start = note_and_start
    try:
        yield left
    finally:
        left += stop(started)  # what they start meanwhile is noted too
        Thread.start = start
        OF_A_CHECK.discard(me)


def stoppable(thread):
    """Let a thread that has not started yet be ended by stop(), without a report of Python's. Returns the thread."""
    run = thread.run

    def until_stopped():
        try:
            STOPPABLE.add(thread)
            run()
        except Stopped:
            pass
        finally:  # nothing here calls a function of Python's own: at its first line a thread can be ended
            try:
                with ONE_AT_A_TIME:
                    STOPPABLE.discard(thread)
            except Stopped:  # it was told to end while it waited for its turn
                STOPPABLE.discard(thread)

    thread.run = until_stopped
    return thread


def is_installed(filename):
    """Tell whether a file belongs to Python or to an installed package."""
    return "site-packages" in filename or filename.startswith(STANDARD_LIBRARY)


def stop(threads):
    """End stoppable threads, and return those that go on: one that is inside a call into compiled code cannot be ended.

    Repeated, since a bare `except` in the student's loop may catch the first one; for a second or more, since on a busy
    machine a thread has to wait for its turn.
    """
    for _ in range(500):
        alive = [thread for thread in threads if thread.is_alive()]  # anew: one of them may have started another
        if not alive:
            break
        for thread in alive:
            with ONE_AT_A_TIME:
                if thread in STOPPABLE:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
        alive[0].join(0.002)
    return alive
