"""How often are the checks right about unlisted answers? nox -s diagnosis

    nox -s diagnosis                        the reported answers by exercise, and the page DIAGNOSIS.md
    nox -s diagnosis -- --half tune         the others; with --show each answer and its message, to tune on
    nox -s diagnosis -- --unread FILE       the unread messages, as a table to fill in (csv)
    nox -s diagnosis -- --read FILE NAME    store the grades that the reader NAME entered in the column "grade"
    nox -s diagnosis -- --close             add the figures of this wave to waves.csv, before anyone looks at it

The answers are in tests/answers/, a file per author of each wave; the last wave is reported, the others are for tuning.
Two readers grade the message on each wrong answer: exact (it names the mistake, or both), one of two, helpful,
unhelpful, misleading. A grade is stored with a hash of the message: when the message changes, the answer counts as
unread until somebody reads it again.
"""

import argparse
import csv
import os
import statistics
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path

from waves import FOLDER, GRADES, agreement, all_answers, judge_answers, records, store_readings, write_unread

os.environ["LEARNING_TO_LOOK_DATA"] = "off"
ROOT = Path(__file__).resolve().parents[2]
HISTORY = Path(__file__).parent / "waves.csv"
TEMPLATE = Path(__file__).parent / "diagnosis.md"
CLOSED = (
    "This wave is closed: it has been looked at to improve the checks.\n"
    "So the table, of today's checks, says little about new answers.\n"
    "What the checks said when they first met the wave stands in the last row of the history."
)
PAGE = ROOT / "docs" / "DIAGNOSIS.md"
GOALS = {"rejected": 100, "exact or one of two": 85, "exact or helpful": 95, "misleading": 0.5}


def row_of(cases):
    """Return the figures of some cases: counts, and medians of milliseconds."""
    wrong, right, odd = ([case for case in cases if case.answer.label == label] for label in ("wrong", "right", "odd"))
    grades = Counter(case.grade for case in wrong if case.verdict.state == "not yet")
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
    """Return the shares, in percent of all wrong answers, for which the course has goals.

    One that was accepted is in none of them; one whose message is unread counts as rejected, and nothing else.
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


def report(cases):
    """Return the figures as Markdown: shares and goals, agreement, and each exercise."""
    names = dict.fromkeys(case.answer.exercise for case in cases)
    rows = {"**all**": row_of(cases)}
    rows |= {name: row_of([case for case in cases if case.answer.exercise == name]) for name in names}
    goals = {"misleading": "at most"}
    lines = [
        f"| {name} | {share:.1f} % | {goals.get(name, 'at least')} {GOALS[name]} % |"
        for name, share in shares(rows["**all**"]).items()
    ]
    both = agreement(cases)
    said = "Two readers agree on {:.0%} of the messages (kappa {:.2f}).".format(*both) if both else "Nobody has read."
    return "\n".join(["| share | here | goal |", "|---|---|---|", *lines, "", said, "", as_table(rows)])


def facts_of(cases):
    """Return the facts about this wave: number, version, date, and when the checks were frozen."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return {"wave": cases[0].answer.wave, "version": version, "date": date.today(), "frozen": cases[0].answer.frozen}


def write_page(cases, answers):
    """Write docs/DIAGNOSIS.md: the reported wave, and the history of the earlier ones."""
    from course_utils.checks.exercises import LESSONS
    from pagecheck.words import counted, listed

    facts = facts_of(cases)
    old = {one["exercise"] for path in FOLDER.glob("wave_*.jsonl") for one in records(path) if one.get("old_text")}
    counts = {"reported": len(cases), "all": len(answers), "changed": listed(f"`{name}`" for name in sorted(old))}
    unmet = {name for names in LESSONS.values() for name in names} - {one.exercise for one in answers}
    names = [f"`{name}`" for name in sorted(unmet)]
    counts["unmet"] = f"\nNobody has written answers to {listed(names)} yet." if names else ""
    counts["exercises"] = counted(len({case.answer.exercise for case in cases}), "exercise")
    with HISTORY.open(newline="", encoding="utf-8") as file:
        waves = {f"wave {row.pop('wave')}": row for row in csv.DictReader(file)}
    history = as_table(waves).replace("exercise", "wave", 1)
    standing = CLOSED if f"wave {facts['wave']}" in waves else "What changed since then came from other answers."
    head = TEMPLATE.read_text(encoding="utf-8")
    PAGE.write_text(head.format(**facts, **counts, standing=standing, report=report(cases), history=history), "utf-8")


def close(cases):
    """Add the figures of this wave to the history."""
    row = {
        **facts_of(cases),
        **row_of(cases),
        **{f"{n} %": f"{s:.1f}" for n, s in shares(row_of(cases)).items()},
    }
    with HISTORY.open("a", newline="", encoding="utf-8") as file:
        csv.DictWriter(file, row, lineterminator="\n").writerow(row)


def show(cases):
    """Print each answer with its code and what the check says."""
    for case in cases:
        if case.answer.label != "wrong" or "done" in case.verdict.state:
            print(f"== {case.answer.label}")
        print(f"-- {case.answer.exercise} [{case.answer.path.stem}] {'; '.join(case.answer.what)}")
        print(f"{case.answer.code}\n=> {case.verdict}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("report", "tune"), default="report")
    parser.add_argument("--show", action="store_true", help="print each answer of the tuning half, with its message")
    parser.add_argument("--unread", type=Path, help="write the unread messages to this file (csv)")
    parser.add_argument("--close", action="store_true", help="add the figures of this wave to waves.csv")
    parser.add_argument("--read", nargs=2, metavar=("FILE", "NAME"), help="store the grades of a reader")
    options = parser.parse_args()
    if options.read:
        return store_readings(*options.read)
    answers = all_answers()
    last = max(one.wave for one in answers)
    cases = judge_answers([one for one in answers if (one.wave == last) is (options.half == "report")])
    if options.show and options.half == "tune":
        show(cases)
    if options.unread:
        write_unread(options.unread, cases)
    elif options.close:
        close(cases)
    elif options.half == "report":
        write_page(cases, answers)
    print(report(cases))
    return None


if __name__ == "__main__":
    main()
