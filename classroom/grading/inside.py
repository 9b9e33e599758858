"""Runs one returned notebook in its sandbox and calls its functions for the judge outside.

    python -m grading.inside        exchanges messages over standard input and output

Nothing in this process decides a verdict: the judge only receives the results for inputs of its own.
"""

import contextlib
import copy
import itertools
import os
import resource
import shutil
import signal
import sys
import threading
from pathlib import Path

from grading.about_answers import changed_arguments, describe_error, parameters
from grading.cell_runner import CellRunner, TooSlow
from grading.origin import Witness, is_of_course
from grading.plain_values import NotPlain
from grading.wire import Wire

PATIENCE = 3600  # seconds: in practice the judge outside ends this process earlier
AGAIN = 5  # seconds that are left for the rest of a cell, after a line that took too long


def main():
    """Run the cells received in the first message."""
    wire = Wire(*streams())
    task = wire.receive(PATIENCE)
    set_limits(**task["limits"])
    copy_font_cache()
    write_student_modules(task["files"])
    shell = new_shell()
    sandbox = SandboxedAnswers(wire, task["call_seconds"])
    wire.as_number, wire.as_function = sandbox.number_of, sandbox.function_of
    runner = CellRunner(shell)
    for number, cell in enumerate(task["cells"]):
        whole = False
        sandbox.redirect_checks()
        with contextlib.suppress(TooSlow), time_limit(task["cell_seconds"], AGAIN):
            whole = runner.run(cell)
        sandbox.record_answers(shell, task["wanted"])
        wire.send({"ran": number, "whole": whole, "remarks": runner.take_remarks()})
    sandbox.late = True
    sandbox.redirect_checks()
    for name in [name for name in sandbox.unchecked if name not in sandbox.checked]:
        shell.user_ns["its_answer"] = sandbox.unchecked[name]
        shell.run_cell(f"from course_utils.checks import check\ncheck({name!r}, its_answer)")
    wire.send({"end": sorted(task["wanted"])})


def streams():
    """Return the pipes to the judge, and point the notebook's own standard streams to /dev/null."""
    pipes = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return pipes


def set_limits(memory, file_bytes, processes, seconds, files):
    """Set the resource limits of this process, soft and hard."""
    limits = {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: files,
    }
    for kind, maximum in limits.items():
        resource.setrlimit(kind, (maximum, maximum))


def write_student_modules(files):
    """Put the student's own modules beside the notebook, where `mine` finds them."""
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    if files:
        del os.environ["LEARNING_TO_LOOK_DATA"]  # sandbox.py sets it to "off", which disables reading and saving


def copy_font_cache():
    """Copy the font list into Matplotlib's writable cache, since building it takes seconds."""
    folder = Path(os.environ["MPLCONFIGDIR"])
    folder.mkdir(parents=True, exist_ok=True)
    for file in Path(os.environ["COURSE_FONTS"]).glob("fontlist*.json"):
        shutil.copy(file, folder)


def new_shell():
    """Return an IPython shell without a kernel, so that no socket is opened."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.display_pub.publish = lambda *_, **__: None
    shell.ask_exit = lambda: None  # as in a kernel, `exit` in a cell does not stop the cell
    return shell


def evaluate(shell, expression):
    """Return the answer that the lesson checks, None if it is not defined."""
    try:
        return eval(compile(expression, "<answer>", "eval"), shell.user_ns)  # the course's own expression
    except Exception:
        return None


@contextlib.contextmanager
def time_limit(seconds, again=0):
    """Raise TooSlow in the body after this many seconds, then every `again`; compiled code is stopped from outside.

    Only the main thread can be interrupted; a check in another one ends with its cell.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_alarm(*_):
        raise TooSlow("its time was over")

    previous = signal.signal(signal.SIGALRM, on_alarm)
    remaining = signal.setitimer(signal.ITIMER_REAL, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *remaining)
        signal.signal(signal.SIGALRM, previous)


class SandboxedAnswers:
    """The notebook's answers: functions by number, called at the judge's request."""

    def __init__(self, wire, call_seconds):
        self.wire, self.call_seconds = wire, call_seconds
        self.functions, self.numbers, self.checked, self.late = {}, itertools.count(1), set(), False
        self.unchecked, self.witnesses = {}, {}

    def redirect_checks(self):
        """Make `check` ask the judge outside instead of the local one, also where a cell has loaded it anew."""
        import course_utils.checks  # noqa: F401  its attribute `check` is the function, so the module is looked up below

        module = sys.modules["course_utils.checks.check"]
        if getattr(module.judge, "__module__", "") == "pagecheck.judge":  # one that a notebook puts there is to be seen
            module.judge = self.judge

    def record_answers(self, shell, wanted):
        """Remember unchecked answers, because a later cell may replace them with the course's own."""
        from course_utils.checks.exercises import exercise_of

        for name, expression in wanted.items():
            value = None if name in self.checked else evaluate(shell, expression)
            if value is not None and not is_of_course(exercise_of(name), value):
                self.unchecked[name] = value

    def number_of(self, function):
        number = next(self.numbers)
        self.functions[number] = function
        return number

    def function_of(self, number, name):
        """Return a proxy for a function of the judge that an exercise passes to the answer."""

        def callback(*arguments):
            self.wire.send({"back": number, "arguments": arguments})
            reply = self.wire.receive(PATIENCE)
            if "refused" in reply:
                raise ValueError(reply["refused"])
            return reply["returned"]

        callback.__name__ = name
        return callback

    def judge(self, exercise, answer, trace=False):
        """Return the outside judge's verdict on an answer."""
        from pagecheck.source import is_stub
        from pagecheck.words import Verdict

        of_course = is_of_course(exercise, answer)
        if not of_course:
            self.checked.add(exercise.name)
        message = {
            "check": exercise.name,
            "late": self.late,
            "stub": bool(is_stub(answer)),
            "of_course": of_course,
            **self.describe(exercise, answer),
        }
        remaining = signal.setitimer(signal.ITIMER_REAL, 0)  # the judge's time is not the cell's
        try:
            self.wire.send(message)
        except NotPlain as problem:
            self.wire.send(message | {"answer": None, "too_large": str(problem)})
        while "call" in (request := self.wire.receive(PATIENCE)):
            self.answer_call(request)
        signal.setitimer(signal.ITIMER_REAL, *remaining)
        return Verdict(request["state"], tuple(request["mistakes"]), request["message"], exercise.name)

    def describe(self, exercise, answer):
        """Describe an answer for the judge: a value as it is, a function by number, name, docstring and signature."""
        from pagecheck.source import modules_read

        if not callable(answer):
            return {"answer": answer}
        number = self.number_of(exercise.as_function(answer) if exercise.adapt else answer)
        self.witnesses[number] = Witness(exercise.name)
        return {
            "function": number,
            "name": str(getattr(answer, "__name__", "")),
            "doc": str(getattr(answer, "__doc__", None) or ""),
            "class": isinstance(answer, type),
            "parameters": parameters(answer),
            "modules": modules_read(answer),
        }

    def answer_call(self, request):
        """Call a function for the judge and send the outcome."""
        number, arguments = request["call"], request["arguments"]
        witness = self.witnesses.get(number, contextlib.nullcontext())
        before = copy.deepcopy([value if not callable(value) else None for value in arguments])
        try:
            with time_limit(self.call_seconds), witness:
                returned = self.functions[number](*arguments)
            reply = {"returned": returned, "given": changed_arguments(before, arguments)}
            self.wire.send(reply | {"of_course": bool(getattr(witness, "seen", False))})
        except TooSlow:
            self.wire.send({"slow": True})
        except NotPlain as error:
            self.wire.send({"raised": ["MemoryError", str(error), "", ""], "too_large": str(error)})
        except BaseException as error:  # including SystemExit, which the judge reports
            self.wire.send({"raised": describe_error(error)})


if __name__ == "__main__":
    main()
