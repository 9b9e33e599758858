"""Write course_utils/checks/MISTAKES.md, the table of all mistakes that the checks know.

python tools/list_mistakes.py
"""

from importlib import import_module
from pathlib import Path

from course_utils.checks.faults import Value
from course_utils.checks.mistakes import MISTAKES
from course_utils.checks.names import LESSONS

TABLE = Path(__file__).resolve().parents[1] / "course_utils" / "checks" / "MISTAKES.md"
HEAD = """# The mistakes that the checks know

Made by `python tools/list_mistakes.py` from the catalogue in this folder; edit that. The ids do not change: records of progress, tests and
instructors' tables use them. Words in braces are filled in. An exercise may say the suspicion in its own words.

| id | what is seen, what is suspected | an example | exercises |
|---|---|---|---|
"""


def exercises_of():
    """Return {id: names of the exercises whose fault model has it}."""
    found = {id: [] for id in MISTAKES}
    for lesson in LESSONS:
        for exercise in import_module(f"course_utils.checks.lesson_{lesson}").EXERCISES:
            ids = exercise.ids if isinstance(exercise, Value) else [fault.id for fault in exercise.faults]
            for id in dict.fromkeys(ids):
                found[id].append(exercise.name)
    return found


def cell(text):
    return text.replace("|", "\\|")


def table():
    """Return the text of the file."""
    found = exercises_of()
    rows = [
        f"| `{id}` | {cell(m.seen)} {cell(m.suspect)} | `{cell(m.example)}` | {', '.join(found[id]) or 'any'} |\n"
        for id, m in MISTAKES.items()
    ]
    return HEAD + "".join(rows)


if __name__ == "__main__":
    TABLE.write_bytes(table().encode())
    print(f"{len(MISTAKES)} mistakes in {TABLE.name}")
