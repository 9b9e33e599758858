"""Grades one returned notebook: runs it in a sandbox, answers its checks, and says what came out."""

import time
from typing import NamedTuple

from grading import judge
from grading.plain_values import NotPlain
from grading.returns import checked_in, syntax_error_in
from grading.sandbox import running
from grading.wire import Closed, Silent

from pagecheck.words import NOT_YET

UNJUDGED = "not judged"
UNEXPLAINED = {"differs", "only-some-inputs"}  # they say that an answer is wrong, and not by which mistake
MOST_SIGNS = 1500  # of what is said about an exercise


class Row(NamedTuple):
    """The verdict on one exercise of one return. exercise is "" for what holds of the whole notebook.

    gave: what an answer gave back that no mistake of the table explains, in short.
    """

    exercise: str
    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""
    gave: str = ""


def graded(cells, files, wanted, seed, fonts, limits, trusted=False):
    """Return a Row for each exercise of a lesson, in its order, and one more for what went wrong with the notebook.

    cells: the code cells of the return, as texts. files: the student's own modules, {name: bytes}.
    wanted: {exercise: the expression that its lesson checks}.
    """
    with running(fonts, limits, trusted) as (wire, watch):
        line = Line(wire, limits)
        problem = line.until_the_end(cells, files, wanted, seed)
    rows = [line.verdicts.get(name) or without_verdict(name, cells, line.ended and not line.suspect) for name in wanted]
    why = watch.why or problem
    return rows + ([Row("", "suspect" if line.suspect else "not graded", (), why)] if why else [])


def without_verdict(name, cells, ended):
    """The Row of an exercise that was never judged: no Python, not there, or its turn never came."""
    for cell in cells:
        if name in cell and (problem := syntax_error_in(cell)):
            return Row(name, "syntax error", (), problem)
    return Row(name, "missing" if ended else UNJUDGED)


class Line:
    """The conversation with one sandbox. `verdicts`: the last one on each exercise."""

    def __init__(self, wire, limits):
        self.wire, self.limits = wire, limits
        self.verdicts, self.functions = {}, {}
        self.ended = self.suspect = self.owed = False  # owed: a call was given up, and its answer still comes
        self.broken = None
        self.whole = set()  # the numbers of the cells that ran without an error
        wire.as_number, wire.as_function = self.number_of, lambda number, name: len

    def until_the_end(self, cells, files, wanted, seed):
        """Run a notebook and answer its checks. Returns what went wrong, "" for nothing."""
        texts = {name: content.decode("utf-8", "replace") for name, content in files.items()}
        told = {"cells": cells, "files": texts, "wanted": wanted, "limits": self.limits.of_one_process()}
        times = {"cell_seconds": self.limits.cell_seconds, "call_seconds": self.limits.call_seconds}
        try:
            self.wire.send(told | times)
            for number, _ in enumerate(cells):
                self.until({"ran": number}, wanted, seed)
            self.until({"end": sorted(wanted)}, wanted, seed)
            self.ended = True
        except Closed:
            return "its process died"
        except Silent:
            return f"a cell took more than {self.limits.cell_seconds} s and could not be stopped"
        except (NotPlain, judge.Suspect) as problem:
            self.suspect = True
            return in_short(f"it writes to the judge what no notebook writes: {problem}")
        except Exception as problem:  # what a stranger's values do to a judge costs this return alone
            return in_short(f"the judge cannot go on with it: {type(problem).__name__}: {problem}")
        return self.never_asked(cells, wanted)

    def until(self, end, wanted, seed):
        """Answer checks until this message comes; another one comes from no notebook."""
        while "check" in (said := self.heard()):
            self.answer(said, wanted, seed)
        if said.pop("whole", False) is True:
            self.whole.add(said.get("ran"))
        if said != end:
            raise judge.Suspect("not what comes next")

    def never_asked(self, cells, wanted):
        """Say which checks were called in a cell that ran to its end, and yet did not reach the judge; "" for none."""
        called = {name for number in self.whole if number in range(len(cells)) for name in checked_in([cells[number]])}
        lost = sorted((called & set(wanted)) - set(self.verdicts))
        self.suspect = bool(lost)
        return f"its check does not ask the judge: {', '.join(lost)}" if lost else ""

    def heard(self):
        said = self.wire.receive(self.limits.cell_seconds + 10)
        if not isinstance(said, dict) or not said:
            raise judge.Suspect("no message of a notebook")
        return said

    def answer(self, told, wanted, seed):
        """Judge an answer, note the verdict, and tell the notebook of it."""
        verdict = judge.verdict_on(told, self, seed)
        message = in_short("It is checked in no cell. " * (told.get("late") is True) + verdict.message)
        if verdict.name in wanted and not self.broken:
            odd = verdict.state == NOT_YET and set(verdict.mistakes) <= UNEXPLAINED
            gave = judge.gave_back(told, self) if odd else ""
            self.verdicts[verdict.name] = Row(verdict.name, verdict.state, verdict.mistakes, message, in_short(gave))
        self.settle()
        self.wire.send({"state": verdict.state, "mistakes": list(verdict.mistakes), "message": verdict.message})

    def number_of(self, function):
        number = len(self.functions)
        self.functions[number] = function
        return number

    def called(self, number, arguments):
        """Call a function of the notebook, and answer what it asks meanwhile. Returns what it says.

        The checks take what is raised here for an error of the function. So what breaks the line is kept, and `settle`
        raises it again.
        """
        self.settle()
        self.wire.send({"call": number, "arguments": arguments})
        self.owed = True
        try:
            said = self.until_it_returns()
        except (Closed, Silent, NotPlain, judge.Suspect) as problem:
            self.broken = problem
            raise
        self.owed = False
        return said

    def until_it_returns(self):
        until = time.monotonic() + self.limits.call_seconds + 5
        while "back" in (said := self.heard()):
            if time.monotonic() > until:
                raise Silent
            self.wire.send(self.given_to(said))
        if not {"returned", "slow", "raised"} & set(said):
            raise judge.Suspect("an answer to no question")
        return said

    def given_to(self, said):
        """What a function of the judge's gives to the notebook that calls it."""
        try:
            function, arguments = self.functions[said["back"]], said["arguments"]
        except (KeyError, TypeError):
            raise judge.Suspect("a call of no function") from None
        try:
            return {"returned": function(*arguments)}
        except Exception as problem:  # a wrong argument is the notebook's own error, and is raised there
            return {"refused": in_short(f"{type(problem).__name__}: {problem}")}

    def settle(self):
        """Take the answer to a call that was given up; raise what has broken the line."""
        if self.broken:
            raise self.broken
        if self.owed:
            self.until_it_returns()
            self.owed = False


def in_short(text):
    """A text in one line, of words that can be shown anywhere: no signs that steer a screen."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(shown.split())[:MOST_SIGNS]
