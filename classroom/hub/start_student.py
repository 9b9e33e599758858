"""Bring a student's lessons up to date, then start the student's server in place of this program.

    python classroom/hub/start_student.py LESSONS [PROGRAM ARGUMENTS ...]

It runs with the student's rights, so that no link in the home leads further than the student could go.
What the student changed stays as it is, by the rules of workshop/my_work.py.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workshop"))  # affects this program only, not the server
FIRST, RECORD = "00_start_here.ipynb", ".local/share/learning-to-look/progress.json"


def main():
    """Update the home, then become the program, if there is one."""
    lessons, *program = sys.argv[1:]
    home = Path.home()
    try:
        for line in lay_out(Path(lessons), home):
            print(line, flush=True)
    except Exception as problem:
        if not program:
            raise
        print(f"The lessons stay as they are: {type(problem).__name__}: {problem}", flush=True)
    if program:  # students get at their work even if the update fails
        os.execvp(program[0], program)


def lay_out(lessons, home):
    """Copy the lessons into a home. Returns messages about those the student has changed, which stay."""
    import my_work

    is_new = not (home / FIRST).exists()
    messages = my_work.prepare(lessons, home, my_work.version())
    fonts = home / ".cache" / "matplotlib"
    if is_new:
        trust(home / FIRST)
        fonts.mkdir(parents=True, exist_ok=True)
        for cache in lessons.parent.glob("fonts/fontlist-*.json"):  # building it takes seconds
            shutil.copyfile(cache, fonts / cache.name)
    return messages


def trust(notebook):
    """Sign the first lesson as the course brings it, so that JupyterLab shows the playground in it."""
    from nbformat import read
    from nbformat.sign import NotebookNotary

    NotebookNotary().sign(read(notebook, as_version=4))


if __name__ == "__main__":
    main()
