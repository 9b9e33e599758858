"""Break the course in every room, one place at a time, in a clone, and report whether a test notices.

    python workshop/breaks.py [WORD ...]    only the breaks whose name or suite contains one of the words

breaks.toml lists them. A break that no test notices calls for a new test; the last line counts them.
A break is untried if its tests do not pass without it: a browser, or what `nox -s book` or `hub` installs, is missing.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# By a part of the path of a test; else "test".
SUITES = {"tests/apart": "test_all", "notebooks/solutions": "test_all", "book/tests/built": "book"}
SUITES |= {"tests/grading": "grade_test", "tests/hub": "hub"}


def main(words):
    """Try the breaks. Returns how many were not noticed."""
    breaks = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["break"]
    chosen = [one for one in breaks if not words or any(word in f"{one['name']} {one['suite']}" for word in words)]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        for name, environment in ((".venv", sys.prefix), (".venv-hub", ROOT / ".venv-hub")):
            Path(folder, name).symlink_to(environment)
        for one in chosen:
            outcome = try_break(Path(folder), one)
            missed += outcome != "red"
            print(f"{outcome:7}  {one['suite']:10}  {one['name']}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} breaks are noticed.")
    return missed


def try_break(folder, one):
    """Run the tests that should notice a break in a clone, without it and with it. Returns red, GREEN or untried."""
    path = folder / one["file"]
    before = path.read_text(encoding="utf-8")
    if one["old"] not in before:
        raise SystemExit(f"{one['file']} has no {one['old']!r}")
    for test in (word for word in one["tests"].split() if "/" in word):
        if one["suite"] != next((suite for part, suite in SUITES.items() if part in test), "test"):
            raise SystemExit(f"{test} is no test of the suite {one['suite']}")
    if run_tests(folder, one) != 0:
        return "untried"
    path.write_text(before.replace(one["old"], one["new"], 1), encoding="utf-8")
    status = run_tests(folder, one)
    path.write_text(before, encoding="utf-8")
    return "red" if status == 1 else "GREEN"


def run_tests(folder, one):
    """Return the exit status of pytest, 5 also if all tests were skipped. The tests of the book need a built one."""
    paths = [folder, folder / "workshop", folder / ".venv" / "book"][: 3 if one["suite"] == "book" else 1]
    # HUB_SHARED_ACCOUNT: the accounts of students cannot enter a temporary folder.
    settings = {"HUB_SHARED_ACCOUNT": "1", "PYTHONPATH": os.pathsep.join(map(str, paths))}
    options = {"cwd": folder, "env": os.environ | settings, "capture_output": True}
    if one["suite"] == "book":
        subprocess.run([sys.executable, "book/build_book.py"], **options)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", *one["tests"].split()], **options)
    return done.returncode or 5 * (b" passed" not in done.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
