"""Lint, format and spelling of everything, and words that must stand nowhere."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(module, *words):
    return subprocess.run([sys.executable, "-m", module, *words], capture_output=True, text=True, cwd=ROOT)


def test_ruff_finds_nothing():
    done = run("ruff", "check", "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr


def test_codespell_finds_nothing():
    done = run("codespell_lib")
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_is_formatted():
    done = run("ruff", "format", "--check", "--quiet")
    assert done.returncode == 0, f"run nox -s lint -- --fix\n{done.stdout}{done.stderr}"


def test_no_file_names_a_home_folder():
    kinds = {".py", ".md", ".toml", ".yml", ".yaml", ".lock", ".js", ".css", ".svg", ".ipynb"}
    homes = re.compile(r"/(?:home/\w+|Users/\w+|root)/|[A-Z]:\\{1,2}Users\\")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    files = [ROOT / name for name in listed] or [p for p in ROOT.rglob("*") if ".venv" not in p.parts]
    for path in files:
        if path.suffix in kinds and path.exists():
            found = homes.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(ROOT)} names {found[0]}"
