"""Grades one returned notebook: runs it in a sandbox and answers its checks."""

import re
import time
from typing import NamedTuple

from grading import judge
from grading.cells import certain_checks, syntax_error_in
from grading.plain_values import NotPlain
from grading.sandbox import open_sandbox
from grading.wire import Closed, Silent

from course_utils.checks.student.own_file import text_in
from pagecheck.words import NOT_STARTED, NOT_YET, Verdict

NOT_JUDGED, MISSING, REMARK = "not judged", "missing", "remark"
OF_COURSE = "What is checked here is the course's own function, so there is nothing of yours to judge."
MAX_REMARKS = 20
UNEXPLAINED = {"differs", "only-some-inputs"}  # wrong, but no specific mistake was recognized
CODING = re.compile(r"\A((?:.*\n)?#.*?coding[:=]\s*)[-\w.]+")  # of a module, which the sandbox writes in UTF-8
MAX_MESSAGE = 1500  # characters of the message about an exercise


class Row(NamedTuple):
    """The verdict on one exercise of one return. exercise is "" for a row about the whole notebook.

    gave: a short form of the result of a wrong answer that no known mistake explains.
    """

    exercise: str
    state: str
    mistakes: tuple[str, ...] = ()
    message: str = ""
    gave: str = ""


def grade_return(cells, files, expressions, seed, fonts, limits, trusted=False):
    """Return a Row for each exercise of a lesson, in order, and one more if something went wrong with the notebook.

    cells: the code cells of the return, as texts. files: the student's own modules, {name: bytes}.
    expressions: {exercise: the expression that its lesson checks}.
    """
    with open_sandbox(fonts, limits, trusted) as (wire, watch):
        conversation = Conversation(wire, limits)
        problem = conversation.run_notebook(cells, files, expressions, seed)
    rows = [
        conversation.verdicts.get(name)
        or unjudged_row(name, cells, conversation.finished and not conversation.is_suspect)
        for name in expressions
    ]
    reason = watch.reason or problem
    if reason:
        rows.append(Row("", "suspect" if conversation.is_suspect else "not graded", (), reason))
    return rows + [Row("", REMARK, (), text) for text in conversation.remarks]


def unjudged_row(name, cells, finished):
    """Return the Row of an exercise that was never judged: a syntax error, missing, or not reached."""
    for cell in cells:
        if name in cell and (problem := syntax_error_in(cell)):
            return Row(name, "syntax error", (), problem)
    return Row(name, MISSING if finished else NOT_JUDGED)


class Conversation:
    """The conversation with one sandbox. `verdicts`: the last one on each exercise."""

    def __init__(self, wire, limits):
        self.wire, self.limits = wire, limits
        self.verdicts, self.functions, self.remarks = {}, {}, {}  # remarks: their texts, each once
        self.finished = self.is_suspect = self.pending = (
            False  # pending: an abandoned call whose result is still to come
        )
        self.failure = None
        self.of_course, self.too_large = set(), {}  # numbers of functions: those that the course's own answered, why
        self.completed = set()  # the numbers of the cells that ran without an error
        wire.as_number, wire.as_function = self.number_of, lambda number, name: len

    def run_notebook(self, cells, files, expressions, seed):
        """Run a notebook and answer its checks. Returns what went wrong, "" if nothing did."""
        texts = {name: CODING.sub(r"\1utf-8", text_in(content), count=1) for name, content in files.items()}
        task = {"cells": cells, "files": texts, "wanted": expressions, "limits": self.limits.of_one_process()}
        times = {"cell_seconds": self.limits.cell_seconds, "call_seconds": self.limits.call_seconds}
        try:
            self.wire.send(task | times)
            for number, _ in enumerate(cells):
                self.answer_until({"ran": number}, expressions, seed)
            self.answer_until({"end": sorted(expressions)}, expressions, seed)
            self.finished = True
        except Closed:
            return "its process died"
        except Silent:
            return f"a cell took more than {self.limits.cell_seconds} s and could not be stopped"
        except (NotPlain, judge.Suspect) as problem:
            self.is_suspect = True
            return one_line(f"it writes to the judge what no notebook writes: {problem}")
        except Exception as problem:  # an unexpected value must not affect other returns
            return one_line(f"the judge cannot go on with it: {type(problem).__name__}: {problem}")
        return self.unreached_checks(cells, expressions)

    def answer_until(self, end, expressions, seed):
        """Answer checks until this message arrives. Raises Suspect for any other."""
        while "check" in (message := self.receive()):
            self.handle_check(message, expressions, seed)
        for text in message.pop("remarks", ())[:MAX_REMARKS]:
            if len(self.remarks) < MAX_REMARKS:
                self.remarks[one_line(str(text))] = True
        if message.pop("whole", False) is True:
            self.completed.add(message.get("ran"))
        if message != end:
            raise judge.Suspect("not what comes next")

    def unreached_checks(self, cells, expressions):
        """Name the checks in completed cells that never reached the judge; "" if there are none."""
        completed = [cells[number] for number in self.completed if number in range(len(cells))]
        expected = {name for cell in completed for name in certain_checks(cell)}
        missing = sorted((expected & set(expressions)) - set(self.verdicts))
        self.is_suspect = bool(missing)
        named = ", ".join(missing)
        return f"its check does not ask the judge, as if it had been replaced or loaded anew: {named}" if named else ""

    def receive(self):
        message = self.wire.receive(self.limits.cell_seconds + 10)
        if not isinstance(message, dict) or not message:
            raise judge.Suspect("no message of a notebook")
        return message

    def handle_check(self, request, expressions, seed):
        """Judge an answer, record the verdict, and send it to the notebook."""
        verdict = judge.verdict_on(request, self, seed)
        name, of_course = verdict.name, request.get("of_course") is True or request.get("function") in self.of_course
        if what := self.too_large.get(request.get("function")):
            verdict = judge.too_large(name, what)
        if of_course:
            verdict = Verdict(NOT_STARTED, (), OF_COURSE, name)
        if name in expressions and not self.failure and not (of_course and name in self.verdicts):
            self.verdicts[name] = self.row_of(verdict, request)._replace(**{"state": MISSING} if of_course else {})
        self.settle()
        self.wire.send({"state": verdict.state, "mistakes": list(verdict.mistakes), "message": verdict.message})

    def row_of(self, verdict, request):
        is_unexplained = verdict.state == NOT_YET and set(verdict.mistakes) <= UNEXPLAINED
        result = judge.summarize_result(request, self) if is_unexplained else ""
        message = one_line(
            "No check of it asked the judge: none was run, or `check` was replaced. " * (request.get("late") is True)
            + verdict.message
        )
        return Row(verdict.name, verdict.state, verdict.mistakes, message, one_line(result))

    def number_of(self, function):
        number = len(self.functions)
        self.functions[number] = function
        return number

    def call(self, number, arguments):
        """Call a function of the notebook, serving its callbacks meanwhile. Returns its reply.

        The checks take anything raised here for an error of the function, so a broken connection is recorded for
        `settle` to raise again.
        """
        self.settle()
        self.wire.send({"call": number, "arguments": arguments})
        self.pending = True
        try:
            reply = self.wait_for_result()
        except (Closed, Silent, NotPlain, judge.Suspect) as problem:
            self.failure = problem
            raise
        self.pending = False
        if reply.get("of_course") is True:
            self.of_course.add(number)
        if "too_large" in reply:
            self.too_large[number] = str(reply["too_large"])
        return reply

    def wait_for_result(self):
        deadline = time.monotonic() + self.limits.call_seconds + 5
        while "back" in (reply := self.receive()):
            if time.monotonic() > deadline:
                raise Silent
            self.wire.send(self.answer_callback(reply))
        if not {"returned", "slow", "raised"} & set(reply):
            raise judge.Suspect("an answer to no question")
        return reply

    def answer_callback(self, request):
        """Call a function of the judge for the notebook and return the reply to send."""
        try:
            function, arguments = self.functions[request["back"]], request["arguments"]
        except (KeyError, TypeError):
            raise judge.Suspect("a call of no function") from None
        try:
            return {"returned": function(*arguments)}
        except Exception as problem:  # a wrong argument is the notebook's error and is raised there
            return {"refused": one_line(f"{type(problem).__name__}: {problem}")}

    def settle(self):
        """Receive the result of an abandoned call; raise the failure that broke the connection, if any."""
        if self.failure:
            raise self.failure
        if self.pending:
            self.wait_for_result()
            self.pending = False


def one_line(text):
    """Return a text as one line without control characters."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:MAX_MESSAGE]
