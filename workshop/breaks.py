"""Break the course in thirty places, one at a time, in a clone, and report whether a test notices.

    python workshop/breaks.py [WORD ...]    only the breaks whose name or suite contains one of the words

breaks.toml lists them. A break that no test notices calls for a new test; the last line counts them.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(words):
    """Try the breaks. Returns how many went unnoticed."""
    breaks = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["break"]
    chosen = [one for one in breaks if not words or any(word in f"{one['name']} {one['suite']}" for word in words)]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        for one in chosen:
            noticed = is_noticed(Path(folder), one)
            missed += not noticed
            print(f"{'red  ' if noticed else 'GREEN'}  {one['suite']:10}  {one['name']}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} breaks are noticed.")
    return missed


def is_noticed(folder, one):
    """Apply a break to a clone, run the tests that should notice, and undo it."""
    path = folder / one["file"]
    before = path.read_text(encoding="utf-8")
    if one["old"] not in before:
        raise SystemExit(f"{one['file']} has no {one['old']!r}")
    path.write_text(before.replace(one["old"], one["new"], 1), encoding="utf-8")
    command = ["-m", "pytest", "-q", "-x", *one["tests"].split()]
    environment = os.environ | {"PYTHONPATH": str(folder), "LEARNING_TO_LOOK_DATA": "off"}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True)
    path.write_text(before, encoding="utf-8")
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
