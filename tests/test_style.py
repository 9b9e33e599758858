"""Style, format and spelling of all code, by the tools that know them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMANDS = {
    "ruff": ["ruff", "check", "--quiet"],
    "format: nox -s lint -- --fix mends it": ["ruff", "format", "--check", "--quiet"],
    "codespell": ["codespell_lib"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_is_found(words):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
