"""The judge of mutants judges, and the list of equivalent mutants is one that can be read and believed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from equivalent_mutants import Equivalent, read_equivalents

ROOT = Path(__file__).resolve().parents[3]


def test_the_files_that_the_rooms_name_are_there():
    text = (ROOT / "workshop" / "mutants.py").read_text(encoding="utf-8")
    named = re.findall(r'"((?:tests|course_utils|pagecheck)/?[\w/]*(?:\.py)?)"', text)
    assert named and [path for path in named if not (ROOT / path).exists()] == []


def test_an_entry_stands_for_each_of_its_changes_and_a_broken_one_is_refused(tmp_path):
    entry = (
        "[[equivalent]]\npath = 'a.py'\nfunction = 'f'\nbefore = 'x = 1'\nafter = ['x = 2', '''\nx = 3\ny = 4\n''']\n"
    )
    (tmp_path / "list.toml").write_text(entry + "reason = 'x is unused.'\n", encoding="utf-8")
    first, second = read_equivalents(tmp_path / "list.toml")
    assert first == Equivalent("a.py", "f", "x = 1", "x = 2", "x is unused.")
    assert second.after == "x = 3\ny = 4"
    (tmp_path / "list.toml").write_text(entry, encoding="utf-8")
    with pytest.raises(ValueError, match=r"list\.toml: an entry has .* reason"):
        read_equivalents(tmp_path / "list.toml")


JUDGE = """
import sys
from collections import namedtuple
sys.path.insert(0, "workshop")
import judge_mutants
judge_mutants.PATIENCE, judge_mutants.LEAST_SECONDS = 1, 2
path = "course_utils/tasks/cls_task.py"
text = open(path, encoding="utf-8").read()
changes = ["", "\\nright = 1", "\\nwhile True: pass", "\\n1 / 0", "\\nimport os; os.abort()", "\\nmetrics = None"]
changes += ["\\nlarge = [bytearray(10**9) for _ in range(5)]"]
mutants = [namedtuple("Mutant", "path source")(path, text + change) for change in changes]
print(judge_mutants.judge(mutants, ["tests/test_cls_task.py::test_metrics_of_both_classes", path], workers=2))
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are forked, which Windows cannot")
def test_the_judge_lets_live_what_does_the_same_and_kills_what_is_wrong_endless_broken_or_greedy():
    done = subprocess.run([sys.executable, "-c", JUDGE], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"{['survived'] * 2 + ['killed'] * 5}\n", done.stderr
