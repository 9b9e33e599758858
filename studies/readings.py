"""What readers found in what the checks say of unseen answers: kept with a hash of answer and message."""

import ast
import csv
import inspect
import types
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
    """Return the code of an answer; of a value, the value."""
    answer = case.unseen.answer
    try:
        return _of_class(answer) if isinstance(answer, type) else inspect.getsource(answer)
    except (TypeError, OSError):
        return repr(answer)


def _of_class(answer):
    """Return the code of the class that holds the lines of its functions: several in a file may have one name.

    Raises OSError where none can be found.
    """
    functions = [part for part in vars(answer).values() if isinstance(part, types.FunctionType)]
    if not functions:
        return inspect.getsource(answer)
    lines, _ = inspect.findsource(functions[0])
    place = functions[0].__code__.co_firstlineno
    holds = [
        node
        for node in ast.walk(ast.parse("".join(lines)))
        if isinstance(node, ast.ClassDef) and node.name == answer.__name__ and node.lineno < place <= node.end_lineno
    ]
    if not holds:
        raise OSError(f"no class {answer.__name__} holds line {place}")
    first = min([holds[-1].lineno, *(line.lineno for line in holds[-1].decorator_list)])
    return "".join(lines[first - 1 : holds[-1].end_lineno])


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
