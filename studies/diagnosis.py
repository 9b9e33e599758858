"""How often are the checks right about answers that nobody listed? nox -s diagnosis

    nox -s diagnosis                        the answers that are reported, by exercise, and the page DIAGNOSIS.md
    nox -s diagnosis -- --half tune         the others; with --show each answer and its message, to improve on
    nox -s diagnosis -- --unread FILE       what nobody has read yet, as a table to fill in (FILE.csv)
    nox -s diagnosis -- --read FILE NAME    keep the grades that the reader NAME has written into the column "grade"
    nox -s diagnosis -- --close             keep the figures of this wave in history.csv, before somebody looks at it

What a check says of a wrong answer is read by two readers: exact (it names the mistake, or both), one of two, helpful,
unhelpful, misleading. A reading is kept with a hash of the answer and the message: when the message changes,
the answer counts as unread until somebody reads it again.
"""

import argparse
import csv
import hashlib
import importlib
import os
import statistics
import sys
import threading
import time
import tomllib
import warnings
from collections import Counter
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from readings import GRADES, agreement, grade_of, keep_readings, readings, source_of, write_unread

os.environ["LEARNING_TO_LOOK_DATA"] = "off"
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "studies" / "unseen"
HISTORY = FOLDER / "history.csv"
CLOSED = (
    "This wave is closed: it has been looked at to improve the checks.\n"
    "So the table, of today's checks, says little about new answers.\n"
    "What the checks said when they first met the wave stands in the last row of the history."
)
PAGE = ROOT / "DIAGNOSIS.md"
GOALS = {"rejected": 100, "exact or one of two": 85, "exact or helpful": 95, "misleading": 0.5}


class Case(NamedTuple):
    """An answer, the verdict on it, the seconds that it took, and whether the process is as it was before."""

    unseen: object
    verdict: object
    seconds: float
    survived: bool

    @property
    def hash(self):
        """Of the answer, its code too, and of what is said about it."""
        text = f"{self.unseen.key}\n{source_of(self)}\n{self.verdict.state}\n{self.verdict.message}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def all_answers():
    """Return the answers of all hands that were written for the texts of today."""
    sys.path.insert(0, str(FOLDER.parent))
    import unseen

    for path in sorted(FOLDER.glob("[a-z]*.py")):
        importlib.import_module(f"unseen.{path.stem}")
    return [one for one in unseen.ANSWERS if one.fits]


def judged(answers):
    """Return a Case for each answer.

    The first answer of an exercise loads what the check needs; its time does not count.
    """
    from course_utils.checks import check
    from course_utils.checks.exercises import lesson_of

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
    from pagecheck.guard import AROUND_A_RUN, MODULES, OURS, STATES

    names = [vars(module).get(name) is value for of, module in MODULES.items() for name, value in OURS[of].items()]
    streams = (sys.stdout, sys.stderr, threading.active_count())
    return names, streams, repr([get() for get, *_ in (*STATES.values(), *AROUND_A_RUN.values())])


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


def shares(row):
    """Return the shares in percent that the course has set itself goals for, of all wrong answers.

    One that was accepted, or whose message nobody has read, is in none of them.
    """
    named = int(row["exact"]) + int(row["one of two"])
    counts = {
        "rejected": int(row["rejected"]),
        "exact or one of two": named,
        "exact or helpful": named + int(row["helpful"]),
        "misleading": int(row["misleading"]),
    }
    return {name: 100 * count / int(row["wrong"]) for name, count in counts.items()}


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
    return "\n".join(["| share | here | goal |", "|---|---|---|", *lines, "", said, "", as_table(rows)])


def facts_of(cases):
    """Return what the page says of this wave: its number, the version, the date, when the checks were frozen."""
    import unseen

    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return {"wave": unseen.REPORTED, "version": version, "date": date.today(), "frozen": unseen.FROZEN}


def write_page(cases, read):
    """Write the page of the project: the wave that is reported, and the history of the waves before."""
    import unseen

    from course_utils.checks.exercises import LESSONS
    from pagecheck.words import counted, listed

    head = (FOLDER / "page.md").read_text(encoding="utf-8")
    changed = listed(f"`{name}`" for name in unseen.CHANGED)
    counts = {"reported": len(cases), "all": len(unseen.ANSWERS), "seed": unseen.SEED, "changed": changed}
    unmet = {name for names in LESSONS.values() for name in names} - {one.exercise for one in unseen.ANSWERS}
    said = f"\nNobody has written answers to {listed(f'`{name}`' for name in sorted(unmet))} yet."
    counts["unmet"] = said if unmet else ""
    counts["exercises"] = counted(len({case.unseen.exercise for case in cases}), "exercise")
    with HISTORY.open(newline="", encoding="utf-8") as file:
        waves = {f"wave {row.pop('wave')}": row for row in csv.DictReader(file)}
    history = as_table(waves).replace("exercise", "wave", 1)
    standing = CLOSED if f"wave {unseen.REPORTED}" in waves else "What changed since then came from other answers."
    text = head.format(**facts_of(cases), **counts, standing=standing, report=report(cases, read), history=history)
    PAGE.write_text(text, encoding="utf-8")


def close(cases, read):
    """Add the figures of this wave to the history."""
    row = {
        **facts_of(cases),
        **row_of(cases, read),
        **{f"{n} %": f"{s:.1f}" for n, s in shares(row_of(cases, read)).items()},
    }
    new = not HISTORY.exists()
    with HISTORY.open("a", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, row, lineterminator="\n")
        if new:
            table.writeheader()
        table.writerow(row)


def show(cases):
    """Print each wrong answer with its code and what the check says."""
    for case in cases:
        if case.unseen.label != "wrong" or "done" in case.verdict.state:
            print(f"== {case.unseen.label}")
        print(f"-- {case.unseen.exercise} [{case.unseen.hand}] {'; '.join(case.unseen.words)}")
        print(f"{source_of(case)}\n=> {case.verdict}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("report", "tune"), default="report")
    parser.add_argument("--show", action="store_true", help="each answer of the half to tune on, with its message")
    parser.add_argument("--unread", type=Path, help="write what nobody has read yet to this file (csv)")
    parser.add_argument("--close", action="store_true", help="keep the figures of this wave in history.csv")
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
    elif options.close:
        close(cases, read)
    elif options.half == "report":
        write_page(cases, read)
    print(report(cases, read))
    return None


if __name__ == "__main__":
    main()
