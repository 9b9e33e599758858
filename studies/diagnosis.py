"""How often are the checks right about answers that nobody listed? nox -s diagnosis

    nox -s diagnosis                  the reported half, by exercise, and the page DIAGNOSIS.md
    nox -s diagnosis -- --half tune   the other half, with every message, to improve the checks on
    nox -s diagnosis -- --unread      what no reader has read yet, as a file to fill in

What a check says of a wrong answer is read by people: exact (it names the mistake, or both), one of two, helpful,
unhelpful, misleading.
A reading is stored with the answer and the message. When a message changes, its reading no longer counts until
somebody reads it again.
"""

import argparse
import csv
import hashlib
import importlib
import inspect
import os
import statistics
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

os.environ["LEARNING_TO_LOOK_DATA"] = "off"
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "studies" / "unseen"
READINGS = FOLDER / "readings.csv"
GRADES = ("exact", "one of two", "helpful", "unhelpful", "misleading")


class Case(NamedTuple):
    """An answer, the verdict on it, and the seconds that it took."""

    unseen: object
    verdict: object
    seconds: float

    @property
    def hash(self):
        """Of the answer and of what is said about it."""
        text = f"{self.unseen.key}\n{self.verdict.state}\n{self.verdict.message}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def all_answers():
    """Return the answers of all hands."""
    sys.path.insert(0, str(FOLDER.parent))
    import unseen

    for path in sorted(FOLDER.glob("[a-z]*.py")):
        importlib.import_module(f"unseen.{path.stem}")
    return unseen.ANSWERS


def judged(answers):
    """Return a Case for each answer.

    The first answer of an exercise loads what the check needs; its time does not count.
    """
    from course_utils.checks import check
    from course_utils.checks.lessons.names import lesson_of

    loaded, cases = set(), []
    for unseen in answers:
        if (lesson := lesson_of(unseen.exercise)) not in loaded:
            loaded.add(lesson)
            check(unseen.exercise, ...)
        start = time.perf_counter()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            verdict = check(unseen.exercise, unseen.answer)
        cases.append(Case(unseen, verdict, time.perf_counter() - start))
    return cases


def readings():
    """Return {hash: [grades of its readers]}."""
    found = {}
    if READINGS.exists():
        with READINGS.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["hash"], []).append(row["grade"])
    return found


def row_of(cases, read):
    """Return the figures of some cases: counts, and medians of milliseconds."""
    wrong = [case for case in cases if case.unseen.label == "wrong"]
    right = [case for case in cases if case.unseen.label == "right"]
    grades = Counter(grade_of(read.get(case.hash, [])) for case in wrong if case.verdict.state == "not yet")
    times = {name: [1000 * c.seconds for c in some] for name, some in (("right ms", right), ("wrong ms", wrong))}
    return {
        "wrong": len(wrong),
        "rejected": sum(case.verdict.state == "not yet" for case in wrong),
        **{grade: grades[grade] for grade in (*GRADES, "unread")},
        "right": len(right),
        "refused": sum(case.verdict.state != "done" for case in right),
        "odd": sum(case.unseen.label == "odd" for case in cases),
        **{name: round(statistics.median(values), 1) if values else 0 for name, values in times.items()},
        "slowest s": round(max(case.seconds for case in cases), 2),
    }


def grade_of(grades):
    """Return the grade of two readers, the worse one where they differ; "unread" when nobody has read it."""
    return max(grades, key=GRADES.index) if grades else "unread"


def agreement(read):
    """Return in how many readings two readers agree, and Cohen's kappa."""
    pairs = [grades[:2] for grades in read.values() if len(grades) > 1]
    if not pairs:
        return 0.0, 0.0
    agree = sum(a == b for a, b in pairs) / len(pairs)
    first, second = (Counter(pair[i] for pair in pairs) for i in (0, 1))
    chance = sum(first[g] * second[g] for g in GRADES) / len(pairs) ** 2
    return agree, (agree - chance) / (1 - chance) if chance < 1 else 1.0


def as_table(rows):
    """Return rows {name: figures} as a Markdown table."""
    head = ["exercise", *next(iter(rows.values()))]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, row.values()))} |" for name, row in rows.items())])


def show(cases):
    """Print each wrong answer with its code and what the check says."""
    for case in cases:
        if case.unseen.label != "wrong" or "done" in case.verdict.state:
            print(f"== {case.unseen.label}")
        print(f"-- {case.unseen.exercise} [{case.unseen.hand}] {'; '.join(case.unseen.words)}")
        print(f"{source_of(case)}\n=> {case.verdict}\n")


def source_of(case):
    try:
        return inspect.getsource(case.unseen.answer)
    except (TypeError, OSError):
        return repr(case.unseen.answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("report", "tune"), default="report")
    parser.add_argument(
        "--show", action="store_true", help="every answer with its code and its message; for the half to tune on"
    )
    parser.add_argument("--unread", type=Path, help="write what nobody has read yet to this file (csv)")
    options = parser.parse_args()
    cases = judged([unseen for unseen in all_answers() if unseen.half == options.half])
    read = readings()
    if options.show and options.half == "tune":
        show(cases)
    if options.unread:
        write_unread(options.unread, cases, read)
    names = dict.fromkeys(case.unseen.exercise for case in cases)
    rows = {"**all**": row_of(cases, read)} | {
        name: row_of([case for case in cases if case.unseen.exercise == name], read) for name in names
    }
    print(as_table(rows))
    print("readers agree in {:.0%} (kappa {:.2f})".format(*agreement(read)))


def write_unread(path, cases, read):
    """Write the wrong answers whose message no two readers have read."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("hash", "exercise", "what is wrong", "code", "message"))
        for case in cases:
            if case.unseen.label == "wrong" and case.verdict.state == "not yet" and len(read.get(case.hash, [])) < 2:
                message = case.verdict.message
                table.writerow(
                    (case.hash, case.unseen.exercise, "; ".join(case.unseen.words), source_of(case), message)
                )


if __name__ == "__main__":
    main()
