"""The answers of the waves in tests/answers/, the verdicts of the checks on them, and the grades of readers."""

import csv
import hashlib
import json
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))
import oracle

FOLDER = oracle.FOLDER
GRADES = ("exact", "one of two", "helpful", "unhelpful", "misleading")


class Answer(NamedTuple):
    """One answer: the exercise, its label, the author's description, its code, the wave and the readings."""

    key: str
    exercise: str
    label: str  # "wrong", "right" or "odd"
    what: list[str]
    code: str
    wave: int
    frozen: str  # when the checks were last changed before they met the wave
    read: dict  # hash of a message -> {reader: grade}
    path: Path


class Case(NamedTuple):
    """An answer, the verdict on it, its duration in seconds, and whether the process was left unchanged."""

    answer: Answer
    verdict: object
    seconds: float
    survived: bool

    @property
    def hash(self):
        """A hash of the message."""
        return hashlib.sha256(f"{self.verdict.state}\n{self.verdict.message}".encode()).hexdigest()[:12]

    @property
    def grade(self):
        """The grade of two readers, the worse one if they differ; "unread" until two have read it."""
        return worse(self.answer.read.get(self.hash, {}))


def worse(grades):
    """Return the worse of two readers' grades; "unread" with fewer than two."""
    return max(grades.values(), key=GRADES.index) if len(grades) > 1 else "unread"


def all_answers():
    """Return the answers of all waves that were written for the current exercise texts."""
    loaded = []
    helpers, _ = oracle.read()
    for path in sorted(FOLDER.glob("wave_*.jsonl")):
        head, *answers = records(path)
        for one in answers:
            own = (one[part] for part in ("key", "exercise", "label", "what"))
            if not one.get("old_text"):
                code = oracle.code_of(helpers, one)
                loaded.append(Answer(*own, code, head["wave"], head["frozen"], one.get("read", {}), path))
    return loaded


def records(path):
    """Return the records of a jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def judge_answers(answers):
    """Return a Case for each answer.

    A dummy check of each lesson first loads what its checks need, so that this time does not count.
    """
    from course_utils.checks import check
    from course_utils.checks.exercises import lesson_of

    lessons, cases = set(), []
    for answer in answers:
        if (lesson := lesson_of(answer.exercise)) not in lessons:
            lessons.add(lesson)
            check(answer.exercise, ...)
        with oracle.quiet():
            given = oracle.run_cell(answer.code, answer.key)
            before, start = process_state(), time.perf_counter()
            verdict = check(answer.exercise, given)
            seconds = time.perf_counter() - start
            cases.append(Case(answer, verdict, seconds, process_state() == before))
    return cases


def process_state():
    """The state that later cells of a notebook rely on, as one value."""
    from pagecheck.guard import AROUND_A_RUN, ORIGINALS, STATES

    names = [vars(module).get(name) is value for module, _, own in ORIGINALS for name, value in own.items()]
    streams = (sys.stdout, sys.stderr, threading.active_count())
    return names, streams, repr([get() for get, *_ in (*STATES.values(), *AROUND_A_RUN.values())])


def agreement(cases):
    """Return the share of readings in which two readers agree, and Cohen's kappa; None without double readings."""
    both = [list(grades.values())[:2] for case in cases if len(grades := case.answer.read.get(case.hash, {})) > 1]
    if not both:
        return None
    agree = sum(a == b for a, b in both) / len(both)
    first, second = (Counter(pair[i] for pair in both) for i in (0, 1))
    chance = sum(first[g] * second[g] for g in GRADES) / len(both) ** 2
    return agree, (agree - chance) / (1 - chance) if chance < 1 else 1.0


def write_unread(path, cases):
    """Write the wrong answers whose message fewer than two readers have read, with an empty grade."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("key", "hash", "grade", "exercise", "what is wrong", "code", "message"))
        for case in cases:
            if case.answer.label == "wrong" and case.verdict.state == "not yet" and case.grade == "unread":
                answer, what = case.answer, "; ".join(case.answer.what)
                table.writerow((answer.key, case.hash, "", answer.exercise, what, answer.code, case.verdict.message))


def store_readings(path, reader, folder=FOLDER):
    """Add the grades of one reader to the answers. Raises ValueError for an unknown grade."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if unknown := {row["grade"].strip() for row in rows} - {*GRADES}:
        raise ValueError(f"grade is {', '.join(map(repr, sorted(unknown)))}; wanted: one of {', '.join(GRADES)}")
    grades = defaultdict(dict)
    for row in rows:
        grades[row["key"]][row["hash"]] = row["grade"].strip()
    for path in sorted(folder.glob("wave_*.jsonl")):
        answers = records(path)
        for one in answers:
            for hash, grade in grades.get(one.get("key"), {}).items():
                one.setdefault("read", {}).setdefault(hash, {})[reader] = grade
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in answers), encoding="utf-8")
