"""Bring a student's lessons up to date, then start the student's server in place of this program.

    python classroom/hub/start_student.py LESSONS [PROGRAM ARGUMENTS ...]

It runs with the student's own rights in the student's own home, so that no link that lies there leads further than the
student could go. What the student changed stays as it is: the rules are those of workshop/my_work.py.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workshop"))  # to the end of this program only; the server's is not changed by it
FIRST, RECORD = "00_start_here.ipynb", ".local/share/learning-to-look/progress.json"


def main():
    """Lay out, then become the program. Without a program: say what was done, and end."""
    lessons, *program = sys.argv[1:]
    home = Path.home()
    try:
        for line in lay_out(Path(lessons), home):
            print(line, flush=True)
    except Exception as problem:
        if not program:
            raise
        print(f"The lessons stay as they are: {type(problem).__name__}: {problem}", flush=True)
    if program:  # whatever is wrong with the course, students get at their work
        os.execvp(program[0], program)


def lay_out(lessons, home):
    """Copy the lessons into a home. Returns sentences about those that stayed as the student has them."""
    import my_work

    new = not (home / FIRST).exists()
    said = my_work.prepare(lessons, home, my_work.version())
    fonts = home / ".cache" / "matplotlib"
    if new:
        trust(home / FIRST)
        fonts.mkdir(parents=True, exist_ok=True)
        for cache in lessons.parent.glob("fonts/fontlist-*.json"):  # searching all fonts takes seconds
            shutil.copyfile(cache, fonts / cache.name)
    return said


def trust(notebook):
    """Sign the first lesson as the course brings it, so that JupyterLab shows the playground in it."""
    from nbformat import read
    from nbformat.sign import NotebookNotary

    NotebookNotary().sign(read(notebook, as_version=4))


if __name__ == "__main__":
    main()
