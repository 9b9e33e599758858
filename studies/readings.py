"""What readers found in what the checks say of unseen answers: kept with a hash of answer and message."""

import csv
import inspect
from collections import Counter, defaultdict
from pathlib import Path

READINGS = Path(__file__).parent / "unseen" / "readings.csv"
GRADES = ("exact", "one of two", "helpful", "unhelpful", "misleading")


def readings():
    """Return {hash: {reader: grade}}."""
    found = defaultdict(dict)
    if READINGS.exists():
        with READINGS.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found[row["hash"]][row["reader"]] = row["grade"]
    return found


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
