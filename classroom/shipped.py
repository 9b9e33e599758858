"""Is every file of the course here, and as it was shipped? For preflight, with nothing but Python's own library.

Where the folder is a clone, git knows each file. In a download without git, each lesson has to have its notebooks, and
the data have to be there.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AGAIN = "delete the folder .venv and type: nox -s preflight"
DATA = {  # what the lessons and the demo read
    "cls": ("focused.npz", "study.csv", "usual.npz"),
    "questions": ("question_study.csv",),
    "reviews": ("review_study.csv", "reviewer.npz"),
    "writer": ("induction_study.csv", "writer.npz", "writer_study.csv"),
}
NEEDED = (
    "course_utils/data/",
    "classroom/",
    "workshop/",
)  # changed, these are broken; others are somebody's work
SHOWN = 3


class Missing(Exception):
    """Something is missing. The text says what, and what to do."""


class Worth(Missing):
    """Something is worth knowing, and the course works without it."""


def files(root=ROOT):
    """Each file that was shipped is here; a changed file of data breaks lessons, any other may be meant."""
    gone, changed = told_by_git(root) if (root / ".git").exists() else (None, [])
    if gone is None:
        return files_without_git(root)
    broken = [name for name in changed if name.startswith(NEEDED) and not name.endswith((".py", ".js", ".md", ".toml"))]
    if gone or broken:
        state = "gone" if not broken else "changed" if not gone else "gone or changed"
        raise Missing(f"{listed([*gone, *broken])}: {state}. Type: git restore {' '.join(quoted([*gone, *broken]))}")
    if changed:
        raise Worth(f"{listed(changed)}: changed here. If nobody meant it: git restore {' '.join(quoted(changed))}")
    return "all there, as they were shipped"


def told_by_git(root):
    """Lists of the files that are gone and that are changed; (None, []) where git does not say it."""
    command = ["git", "-c", "core.quotePath=false", "status", "--porcelain", "-z", "--untracked-files=no"]
    try:
        done = subprocess.run([*command, "--no-renames"], cwd=root, capture_output=True, text=True, encoding="utf-8")
    except OSError:
        return None, []
    if done.returncode:
        return None, []
    lines = [(line[:2], line[3:]) for line in done.stdout.split("\0") if line]
    gone = [name for state, name in lines if "D" in state]
    return gone, [name for state, name in lines if "M" in state and name not in gone]


def files_without_git(root):
    """The same for a download: lessons and data."""
    stems = [path.stem for path in sorted((root / "notebooks" / "source").glob("[0-9]*.py"))]
    wanted = [f"notebooks/{folder}{stem}.ipynb" for stem in stems for folder in ("", "solutions/")]
    wanted += [f"notebooks/inventory/{sitting}.ipynb" for sitting in ("before", "after")]
    wanted += [f"course_utils/data/{folder}/{name}" for folder, names in DATA.items() for name in names]
    gone = [name for name in wanted if not (root / name).exists()]
    if gone or not stems:
        raise Missing(f"{listed(gone or ['notebooks/source'])}: gone. Download the course anew; take my_work/ along")
    return f"all {len(stems)} lessons and their data are there"


def listed(names):
    """The first names, and how many more there are."""
    more = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join([*names[:SHOWN], *more])


def quoted(names):
    """The names for a terminal; for many of them the whole folder."""
    if len(names) > SHOWN:
        return ["."]
    return [f'"{name}"' if " " in name else name for name in names]


def excuse(error):
    """What to print where preflight itself cannot be loaded, because a file or a package of it is gone."""
    try:
        files()
    except Worth:
        pass
    except Missing as found:
        return f"✗ files       {found}"
    return f"✗ packages    {type(error).__name__}: {error}; {AGAIN}"
