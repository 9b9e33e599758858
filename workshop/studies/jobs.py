"""Shared by all studies: run each job once, on all cores, in a folder named after the code, and write a table."""

import argparse
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
MADE_BY = "made_by.txt"  # beside shipped data: the fingerprints of all code known to produce these numbers


def options_of(description, **numbers):
    """Return the options of a study: --ship, to write into course_utils/data too, and a whole number for each name."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ship", action="store_true", help="also write what the lessons read, in course_utils/data")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"how many; else {default}")
    return parser.parse_args()


def run_all(make, jobs, folder):
    """Run the unfinished jobs on all cores, and return the paths of all results, in order.

    jobs: a dict, file name -> job. make(job, path) writes the file;
    it is a module-level function, because it runs in another process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {folder / name: job for name, job in jobs.items()}
    missing = {path: job for path, job in paths.items() if not path.exists()}
    print(f"{len(paths)} runs, {len(paths) - len(missing)} of them done before; the rest on {os.cpu_count()} cores")
    # A fresh process for each core: TensorFlow does not survive a fork.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_run_job, make, job, path) for path, job in missing.items()]
        for future in track(as_completed(futures), total=len(futures), description="training"):
            future.result()
    return list(paths)


def rows_of(runs, folder, measure):
    """Return the row of each run, in order, measuring the missing ones.

    The values of a run make up its file name.
    """
    jobs = {"-".join(str(value) for value in run.values()) + ".json": run for run in runs}
    return [json.loads(path.read_text()) for path in run_all(measure, jobs, folder)]


def _run_job(make, job, path):
    part = path.with_name(f"part-{path.name}")  # an interrupted run leaves no partial result
    make(job, part)
    os.replace(part, path)


def fingerprint(*parts):
    """Return a short hash of what results depend on: the code of modules and functions, and other values.

    Comments, docstrings, imports and whitespace are ignored.
    """
    texts = (
        _canonical(inspect.getsource(part)) if isinstance(part, ModuleType | FunctionType) else repr(part)
        for part in parts
    )
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def _canonical(source):
    """Return the code as lines without comments, docstrings, imports and whitespace, the same in every Python."""
    ignored = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    lines, line = [], []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            is_docstring = len(line) == 1 and line[0].type == tokenize.STRING
            is_import = line and line[0].string in ("import", "from")
            lines += [] if is_docstring or is_import else ["".join("".join(one.string.split()) for one in line)]
            line = []
        elif token.type not in ignored:
            line.append(token)
    return "\n".join(lines)


def write_made_by(shipped, study, *codes):
    """Record which study, and which code, produced the data in this folder."""
    name = Path(study).resolve().relative_to(ROOT).as_posix()
    (shipped / MADE_BY).write_text("".join(f"{code} {name}\n" for code in codes), encoding="utf-8")


def known_codes(shipped):
    """Return the fingerprints of all code known to produce the data in this folder: the first words of MADE_BY."""
    return [line.split()[0] for line in (shipped / MADE_BY).read_text(encoding="utf-8").splitlines()]


def folder_of_runs(study, code, shipped):
    """Return the folder of runs of this code; if it produces the shipped data, also accept runs of equivalent code."""
    known = known_codes(shipped)
    folders = [RESULTS / study / name for name in (known if code in known else [])]
    return next((folder for folder in folders if folder.exists()), RESULTS / study / code)


def write_table(rows, columns, path):
    """Write the columns of rows, a list of dicts, as csv with four decimal places, and print the table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = [[_rounded(row[name]) for name in columns] for row in rows]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *table])
    print("\n" + "  ".join(columns))
    for cells in table:
        print("  ".join(str(cell).rjust(min(len(name), 8)) for name, cell in zip(columns, cells, strict=True)))
    print(f"table: {path}")


def _rounded(value):
    return round(value, 4) if isinstance(value, float) else value
