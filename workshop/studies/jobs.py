"""What every study does: each job once, on all cores, in a folder named after the code; and a table in the end."""

import csv
import hashlib
import inspect
import io
import json
import os
import tokenize
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType, ModuleType

from rich.progress import track

ROOT = Path(__file__).resolve().parents[2]
RESULTS, DATA = ROOT / "artefacts", ROOT / "course_utils" / "data"
MADE_BY = "made_by.txt"  # beside shipped data: the fingerprints of all code that is known to give these numbers


def run_all(make, jobs, folder):
    """Do what is not done yet, on all cores, and return the paths of all results, in order.

    jobs: a dict, name of a file -> job. make(job, path) writes the file;
    it is a function of a module, for another process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {folder / name: job for name, job in jobs.items()}
    missing = {path: job for path, job in paths.items() if not path.exists()}
    print(f"{len(paths)} runs, {len(paths) - len(missing)} of them done before; the rest on {os.cpu_count()} cores")
    # A fresh process for each core: TensorFlow does not survive a fork.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        started = [pool.submit(_do, make, job, path) for path, job in missing.items()]
        for done in track(as_completed(started), total=len(started), description="training"):
            done.result()
    return list(paths)


def rows_of(runs, folder, measure):
    """Return the row of each run, in order; those that are not there yet are measured.

    The values of a run are the name of its file.
    """
    jobs = {"-".join(str(value) for value in run.values()) + ".json": run for run in runs}
    return [json.loads(path.read_text()) for path in run_all(measure, jobs, folder)]


def _do(make, job, path):
    part = path.with_name(f"part-{path.name}")  # a run that breaks off leaves no half result
    make(job, part)
    os.replace(part, path)


def fingerprint(*parts):
    """Return what results depend on, as a short hash: of the code of modules and functions, and of other values.

    Comments, docstrings, imports and spaces do not count.
    """
    texts = (
        _bare(inspect.getsource(part)) if isinstance(part, ModuleType | FunctionType) else repr(part) for part in parts
    )
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def _bare(source):
    """Return the code as lines without comments, docstrings, imports and spaces, the same in every Python."""
    ignored = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    lines, line = [], []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            says_nothing = len(line) == 1 and line[0].type == tokenize.STRING  # a docstring
            imports = line and line[0].string in ("import", "from")
            lines += [] if says_nothing or imports else ["".join("".join(one.string.split()) for one in line)]
            line = []
        elif token.type not in ignored:
            line.append(token)
    return "\n".join(lines)


def write_made_by(shipped, study, *codes):
    """Write down which study, and which code of it, has given the data in this folder."""
    name = Path(study).resolve().relative_to(ROOT).as_posix()
    (shipped / MADE_BY).write_text("".join(f"{code} {name}\n" for code in codes), encoding="utf-8")


def known_codes(shipped):
    """Return the fingerprints of all code that is known to give the data in this folder: the first words of MADE_BY."""
    return [line.split()[0] for line in (shipped / MADE_BY).read_text(encoding="utf-8").splitlines()]


def folder_of_runs(study, code, shipped):
    """Return where the runs of this code are; where it gives what is shipped, runs of other such code count too."""
    known = known_codes(shipped)
    folders = [RESULTS / study / one for one in (known if code in known else [])]
    return next((folder for folder in folders if folder.exists()), RESULTS / study / code)


def write_table(rows, columns, path):
    """Write the columns of rows, a list of dicts, as a table (csv), figures with four digits, and print it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = [[_short(row[name]) for name in columns] for row in rows]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *table])
    print("\n" + "  ".join(columns))
    for cells in table:
        print("  ".join(str(cell).rjust(min(len(name), 8)) for name, cell in zip(columns, cells, strict=True)))
    print(f"table: {path}")


def _short(value):
    return round(value, 4) if isinstance(value, float) else value
