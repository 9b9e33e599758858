"""Runs one returned notebook, in its sandbox, and calls its functions for the judge, who sits outside.

    python -m grading.inside        messages come and go through its standard input and output

Whatever happens in here, nothing of it is a verdict: the judge learns what came back for inputs of its own, as numbers.
"""

import contextlib
import copy
import itertools
import os
import resource
import shutil
import signal
import sys
from pathlib import Path

from grading.about_answers import changed, in_words, parameters
from grading.plain_values import NotPlain
from grading.wire import Wire

PATIENCE = 3600  # seconds: the judge outside counts, and ends this process


class TooSlow(BaseException):
    """Raised where a cell or a call takes too long; no Exception, because notebooks catch these."""


def main():
    """Run the cells that come in the first message."""
    wire = Wire(*streams())
    told = wire.receive(PATIENCE)
    limit(**told["limits"])
    bring_fonts()
    bring_own(told["files"])
    shell = new_shell()
    sandbox = Sandboxed(wire, told["call_seconds"])
    wire.as_number, wire.as_function = sandbox.number_of, sandbox.function_of
    sandbox.ask_the_judge()
    for number, cell in enumerate(told["cells"]):
        ran = None
        with contextlib.suppress(TooSlow), ended_after(told["cell_seconds"]):
            ran = shell.run_cell(cell)
        sandbox.note_answers(shell, told["wanted"])
        wire.send({"ran": number, "whole": bool(ran and ran.success)})
    sandbox.late = True
    for name in [name for name in sandbox.unchecked if name not in sandbox.checked]:
        shell.user_ns["its_answer"] = sandbox.unchecked[name]
        shell.run_cell(f"from course_utils.checks import check\ncheck({name!r}, its_answer)")
    wire.send({"end": sorted(told["wanted"])})


def streams():
    """Return the line to the judge; what the notebook itself reads and prints goes nowhere."""
    line = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return line


def limit(memory, file_bytes, processes, seconds):
    """Set what one process may take, once and for all."""
    limits = {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_CORE: 0,
    }
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))


def bring_own(files):
    """Put the student's own modules beside the notebook; with them a lesson takes from there what `mine` asks for."""
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    if files:
        del os.environ["LEARNING_TO_LOOK_DATA"]  # "off" by sandbox.py, and then nothing is read or kept


def bring_fonts():
    """Spare Matplotlib its search for fonts, which takes seconds: it finds the list in a folder that it may write."""
    folder = Path(os.environ["MPLCONFIGDIR"])
    folder.mkdir(parents=True, exist_ok=True)
    for file in Path(os.environ["COURSE_FONTS"]).glob("fontlist*.json"):
        shutil.copy(file, folder)


def new_shell():
    """IPython without a kernel: cells, magics and displays, and no socket."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.display_pub.publish = lambda *_, **__: None
    shell.ask_exit = lambda: None  # as a kernel has it: `exit` in a cell does not end the cell
    return shell


def value_of(shell, expression):
    """The answer that the lesson checks, None where it is not there."""
    try:
        return eval(compile(expression, "<answer>", "eval"), shell.user_ns)  # the course's own expression
    except Exception:
        return None


def of_the_course(name, value):
    """Whether an answer is what `keep` gives for an exercise that is not done."""
    from course_utils.checks.exercises import exercise_of

    home = str(getattr(value, "__module__", ""))
    return home.startswith("course_utils.") or value is getattr(exercise_of(name), "stand_in", None)


@contextlib.contextmanager
def ended_after(seconds):
    """Raise TooSlow in the code inside, after so many seconds; what runs in compiled code ends from outside."""

    def ring(*_):
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)
        signal.signal(signal.SIGALRM, before)


class Sandboxed:
    """The answers of the notebook: their functions by number, called when the judge asks."""

    def __init__(self, wire, call_seconds):
        self.wire, self.call_seconds = wire, call_seconds
        self.functions, self.numbers, self.checked, self.late = {}, itertools.count(1), set(), False
        self.unchecked = {}

    def ask_the_judge(self):
        """Let `check` ask the judge outside, in place of the one that every notebook has."""
        import course_utils.checks  # noqa: F401  the name `check` in it is the function; the module is found below

        sys.modules["course_utils.checks.check"].judge = self.judged

    def note_answers(self, shell, wanted):
        """Hold on to answers that no cell has checked: a later one may put the course's own in their place."""
        for name, expression in wanted.items():
            value = None if name in self.checked else value_of(shell, expression)
            if value is not None and not of_the_course(name, value):
                self.unchecked[name] = value

    def number_of(self, function):
        number = next(self.numbers)
        self.functions[number] = function
        return number

    def function_of(self, number, name):
        """A function of the judge's, which an exercise hands to the answer."""

        def asked(*arguments):
            self.wire.send({"back": number, "arguments": arguments})
            said = self.wire.receive(PATIENCE)
            if "refused" in said:
                raise ValueError(said["refused"])
            return said["returned"]

        asked.__name__ = name
        return asked

    def judged(self, exercise, answer, trace=False):
        """Return the verdict of the judge outside on an answer."""
        from pagecheck.source import is_stub
        from pagecheck.words import Verdict

        self.checked.add(exercise.name)
        message = {
            "check": exercise.name,
            "late": self.late,
            "stub": bool(is_stub(answer)),
            **self.seen(exercise, answer),
        }
        try:
            self.wire.send(message)
        except NotPlain as problem:
            self.wire.send(message | {"answer": None, "too_large": str(problem)})
        while "call" in (asked := self.wire.receive(PATIENCE)):
            self.answer_call(asked)
        return Verdict(asked["state"], tuple(asked["mistakes"]), asked["message"], exercise.name)

    def seen(self, exercise, answer):
        """What the judge is told of an answer: a value as it is, a function as its number, its words and its names."""
        from pagecheck.source import modules_read

        if not callable(answer):
            return {"answer": answer}
        return {
            "function": self.number_of(exercise.as_function(answer) if exercise.adapt else answer),
            "name": str(getattr(answer, "__name__", "")),
            "doc": str(getattr(answer, "__doc__", None) or ""),
            "class": isinstance(answer, type),
            "parameters": parameters(answer),
            "modules": modules_read(answer),
        }

    def answer_call(self, asked):
        """Call a function for the judge, and send what became of it."""
        given = asked["arguments"]
        before = copy.deepcopy([value if not callable(value) else None for value in given])
        try:
            with ended_after(self.call_seconds):
                returned = self.functions[asked["call"]](*given)
            reply = {"returned": returned, "given": changed(before, given)}
            self.wire.send(reply)
        except TooSlow:
            self.wire.send({"slow": True})
        except NotPlain as problem:
            self.wire.send({"raised": ["MemoryError", str(problem), "", ""]})
        except BaseException as problem:  # sys.exit() too: the judge says it
            self.wire.send({"raised": in_words(problem)})


if __name__ == "__main__":
    main()
