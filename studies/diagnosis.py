"""How often are the checks right about answers that nobody listed? nox -s diagnosis

    nox -s diagnosis                        the reported half, by exercise, and the page DIAGNOSIS.md
    nox -s diagnosis -- --half tune         the other half; with --show each answer and its message, to improve on
    nox -s diagnosis -- --unread FILE       what nobody has read yet, as a table to fill in (FILE.csv)
    nox -s diagnosis -- --read FILE NAME    keep the grades that the reader NAME has written into the column "grade"

What a check says of a wrong answer is read by people: exact (it names the mistake, or both), one of two, helpful,
unhelpful, misleading. A reading is kept with a hash of the answer and the message: when the message changes,
the answer counts as unread until somebody reads it again.
"""

import argparse
import csv
import hashlib
import importlib
import inspect
import os
import statistics
import sys
import threading
import time
import tomllib
import warnings
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np

os.environ["LEARNING_TO_LOOK_DATA"] = "off"
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "studies" / "unseen"
READINGS = FOLDER / "readings.csv"
PAGE = ROOT / "DIAGNOSIS.md"
GRADES = ("exact", "one of two", "helpful", "unhelpful", "misleading")
GOALS = {"rejected": 100, "exact or one of two": 85, "exact or helpful": 95, "misleading": 0.5}


class Case(NamedTuple):
    """An answer, the verdict on it, the seconds that it took, and whether the process is as it was before."""

    unseen: object
    verdict: object
    seconds: float
    survived: bool

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
        before, start = process(), time.perf_counter()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            verdict = check(unseen.exercise, unseen.answer)
        seconds = time.perf_counter() - start
        cases.append(Case(unseen, verdict, seconds, process() == before))
    return cases


def process():
    """What later cells of a notebook rely on, as one value."""
    from course_utils.checks.engine.kernel_state import MODULES, OURS, STATES

    names = [vars(module).get(name) is value for of, module in MODULES.items() for name, value in OURS[of].items()]
    streams = (sys.stdout, sys.stderr, threading.active_count())
    return names, streams, repr([get() for get, _ in STATES.values()])


def readings():
    """Return {hash: {reader: grade}}."""
    found = defaultdict(dict)
    if READINGS.exists():
        with READINGS.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found[row["hash"]][row["reader"]] = row["grade"]
    return found


def row_of(cases, read):
    """Return the figures of some cases: counts, and medians of milliseconds."""
    wrong, right, odd = ([case for case in cases if case.unseen.label == label] for label in ("wrong", "right", "odd"))
    grades = Counter(grade_of(read.get(case.hash, {})) for case in wrong if case.verdict.state == "not yet")
    times = {name: [1000 * c.seconds for c in some] for name, some in (("right ms", right), ("wrong ms", wrong))}
    return {
        "wrong": len(wrong),
        "rejected": sum(case.verdict.state == "not yet" for case in wrong),
        **{grade: grades[grade] for grade in (*GRADES, "unread")},
        "right": len(right),
        "refused": sum(case.verdict.state != "done" for case in right),
        "odd": len(odd),
        "survived": sum(case.survived for case in odd),
        **{name: round(statistics.median(values), 1) if values else "" for name, values in times.items()},
        "slowest s": round(max(case.seconds for case in cases), 2),
    }


def grade_of(grades):
    """Return the grade of two readers, the worse one where they differ; "unread" until two have read it."""
    return max(grades.values(), key=GRADES.index) if len(grades) > 1 else "unread"


def agreement(cases, read):
    """Return in how many readings two readers agree, and Cohen's kappa; None where nobody has read twice."""
    both = [list(read[case.hash].values())[:2] for case in cases if len(read.get(case.hash, ())) > 1]
    if not both:
        return None
    agree = sum(a == b for a, b in both) / len(both)
    first, second = (Counter(pair[i] for pair in both) for i in (0, 1))
    chance = sum(first[g] * second[g] for g in GRADES) / len(both) ** 2
    return agree, (agree - chance) / (1 - chance) if chance < 1 else 1.0


def shares(row):
    """Return the shares in percent that the course has set itself goals for, of the wrong answers that were read."""
    read = sum(row[grade] for grade in GRADES) or float("nan")
    named = row["exact"] + row["one of two"]
    return {
        "rejected": 100 * row["rejected"] / row["wrong"],
        "exact or one of two": 100 * named / read,
        "exact or helpful": 100 * (named + row["helpful"]) / read,
        "misleading": 100 * row["misleading"] / read,
    }


def as_table(rows):
    """Return rows {name: figures} as a Markdown table."""
    head = ["exercise", *next(iter(rows.values()))]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, row.values()))} |" for name, row in rows.items())])


def report(cases, read):
    """Return the figures as Markdown: the shares beside their goals, the agreement, and each exercise."""
    names = dict.fromkeys(case.unseen.exercise for case in cases)
    rows = {"**all**": row_of(cases, read)}
    rows |= {name: row_of([case for case in cases if case.unseen.exercise == name], read) for name in names}
    goals = {"misleading": "at most"}
    lines = [
        f"| {name} | {share:.1f} % | {goals.get(name, 'at least')} {GOALS[name]} % |"
        for name, share in shares(rows["**all**"]).items()
    ]
    both = agreement(cases, read)
    said = "Two readers agree on {:.0%} of the messages (kappa {:.2f}).".format(*both) if both else "Nobody has read."
    return "\n".join(["| | here | goal |", "|---|---|---|", *lines, "", said, "", as_table(rows)])


def write_page(cases, read):
    """Write the page of the project that shows the reported half."""
    import unseen

    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    head = (FOLDER / "page.md").read_text(encoding="utf-8")
    facts = {"version": version, "date": date.today(), "seed": unseen.SEED, "frozen": unseen.FROZEN}
    counts = {"reported": len(cases), "all": len(unseen.ANSWERS), "moved": len(unseen.MOVED)}
    PAGE.write_text(head.format(**facts, **counts) + report(cases, read) + "\n", encoding="utf-8")


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


def write_unread(path, cases, read):
    """Write the wrong answers whose message no two readers have read; the grade is left empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("hash", "grade", "exercise", "what is wrong", "code", "message"))
        for case in cases:
            if case.unseen.label == "wrong" and case.verdict.state == "not yet" and len(read.get(case.hash, ())) < 2:
                words = "; ".join(case.unseen.words)
                table.writerow((case.hash, "", case.unseen.exercise, words, source_of(case), case.verdict.message))


def keep_readings(path, reader):
    """Add the grades of one reader to those that are kept. Raises ValueError for a grade that there is not."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        grades = {row["hash"]: row["grade"].strip() for row in csv.DictReader(file)}
    if unknown := {grade for grade in grades.values() if grade not in GRADES}:
        raise ValueError(f"grade is {', '.join(map(repr, sorted(unknown)))}; wanted: one of {', '.join(GRADES)}")
    kept = readings()
    for hash, grade in grades.items():
        kept[hash][reader] = grade
    with READINGS.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("hash", "reader", "grade"))
        table.writerows((hash, who, grade) for hash, by in sorted(kept.items()) for who, grade in sorted(by.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("report", "tune"), default="report")
    parser.add_argument("--show", action="store_true", help="each answer of the half to tune on, with its message")
    parser.add_argument("--unread", type=Path, help="write what nobody has read yet to this file (csv)")
    parser.add_argument("--read", nargs=2, metavar=("FILE", "NAME"), help="keep the grades of a reader")
    options = parser.parse_args()
    if options.read:
        return keep_readings(*options.read)
    cases = judged([unseen for unseen in all_answers() if unseen.half == options.half])
    read = readings()
    if options.show and options.half == "tune":
        show(cases)
    if options.unread:
        write_unread(options.unread, cases, read)
    elif options.half == "report":
        write_page(cases, read)
    print(report(cases, read))
    return None


if __name__ == "__main__":
    main()
