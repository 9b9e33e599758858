"""Is every file of the course here, as it was shipped? For preflight, with the standard library only.

In a clone, git knows each file. In a download without git, each lesson needs its notebooks and its data.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REINSTALL = "delete the folder .venv and type: nox -s preflight"
DATA = {  # what the lessons and the demo read
    "card": (
        "adapters.csv",
        "cards.toml",
        "gated.npz",
        "mixed.npz",
        "near.npz",
        "one_key_head.npz",
        "plain.npz",
        "writers.csv",
    ),
    "cls": ("focused.npz", "study.csv", "usual.npz"),
    "encoder": ("good_in_the_review.npz", "sentences.npz"),
    "questions": ("question_study.csv",),
    "reviews": ("review_study.csv", "reviewer.npz"),
    "writer": ("induction.npz", "induction_study.csv", "writer.npz", "writer_study.csv"),
}
PROTECTED = (
    "course_utils/data/",
    "classroom/",
    "workshop/",
)  # changed files here are broken; elsewhere they are somebody's work
MAX_LISTED = 3


class Missing(Exception):
    """Something is missing. The message says what, and what to do."""


class Notice(Missing):
    """Something is worth knowing, but the course works without it."""


def files(root=ROOT):
    """Every shipped file is here. A changed data file breaks lessons; other changes may be intended."""
    gone, changed = git_changes(root) if (root / ".git").exists() else (None, [])
    if gone is None:
        return files_without_git(root)
    broken = [
        name for name in changed if name.startswith(PROTECTED) and not name.endswith((".py", ".js", ".md", ".toml"))
    ]
    if gone or broken:
        state = "gone" if not broken else "changed" if not gone else "gone or changed"
        raise Missing(
            f"{abbreviate([*gone, *broken])}: {state}. Type: git restore {' '.join(shell_arguments([*gone, *broken]))}"
        )
    if changed:
        raise Notice(
            f"{abbreviate(changed)}: changed here. If nobody meant it: git restore {' '.join(shell_arguments(changed))}"
        )
    return "all there, as they were shipped"


def git_changes(root):
    """Return lists of deleted and of changed files; (None, []) if git cannot tell."""
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
    """Check the lessons and data of a download."""
    stems = [path.stem for path in sorted((root / "notebooks" / "source").glob("[0-9]*.py"))]
    expected = [f"notebooks/{folder}{stem}.ipynb" for stem in stems for folder in ("", "solutions/")]
    expected += [f"notebooks/inventory/{sitting}.ipynb" for sitting in ("before", "after")]
    expected += [f"course_utils/data/{folder}/{name}" for folder, names in DATA.items() for name in names]
    gone = [name for name in expected if not (root / name).exists()]
    if gone or not stems:
        raise Missing(
            f"{abbreviate(gone or ['notebooks/source'])}: gone. Download the course anew; take my_work/ along"
        )
    return f"all {len(stems)} lessons and their data are there"


def abbreviate(names):
    """Return the first names and how many more there are."""
    more = [f"and {len(names) - MAX_LISTED} more"] if len(names) > MAX_LISTED else []
    return ", ".join([*names[:MAX_LISTED], *more])


def shell_arguments(names):
    """Quote the names for a terminal; many of them become the whole folder."""
    if len(names) > MAX_LISTED:
        return ["."]
    return [f'"{name}"' if " " in name else name for name in names]


def explain_failure(error):
    """Return what to print if preflight itself cannot be imported because a file or package is missing."""
    try:
        files()
    except Notice:
        pass
    except Missing as problem:
        return f"✗ files       {problem}"
    return f"✗ packages    {type(error).__name__}: {error}; {REINSTALL}"
