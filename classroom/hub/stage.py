"""Put the lessons of a class in one folder: all of them without solutions, and the solutions that were released.

    python classroom/hub/stage.py FOLDER [NUMBER ...]

It writes FOLDER/lessons, the source of each home, and FOLDER/fonts, Matplotlib's font cache.
The solved tools contain only the functions of released lessons.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workshop"))
from derive_solved_tools import solved_tools  # noqa: E402
from front_door import open_door  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"


def main():
    """Write both folders anew."""
    folder, released = Path(sys.argv[1]), sys.argv[2:]
    staging, lessons = folder / "lessons.part", folder / "lessons"
    shutil.rmtree(staging, ignore_errors=True)
    stage(staging, released)
    open_door(staging / "00_start_here.ipynb")
    shutil.rmtree(lessons, ignore_errors=True)
    staging.rename(lessons)
    cache_fonts(folder / "fonts")


def stage(folder, released):
    """Copy the lessons, and the solutions of those whose numbers are released."""
    (folder / "solutions").mkdir(parents=True)
    beside = (NOTEBOOKS / name for name in ("GLOSSARY.md", "SHEET.md", "sheet.pdf"))
    for path in (*NOTEBOOKS.glob("*.ipynb"), *beside):
        shutil.copyfile(path, folder / path.name)
    sources = [source for number in sorted(released) for source in (NOTEBOOKS / "source").glob(f"{number}_*.py")]
    for source in sources:
        name = f"solutions/{source.stem}.ipynb"
        shutil.copyfile(NOTEBOOKS / name, folder / name)
    for name, text in solved_tools(sources).items() if sources else ():
        (folder / "solutions" / name).write_text(text, encoding="utf-8")


def cache_fonts(folder):
    """Build Matplotlib's font cache once for all students."""
    if not list(folder.glob("fontlist-*.json")):
        code = "import matplotlib.font_manager"
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"MPLCONFIGDIR": str(folder)})


if __name__ == "__main__":
    main()
