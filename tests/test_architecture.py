"""The shape of the code: imports point one way, heavy packages stay where they belong, files stay short."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils import QUIET_TENSORFLOW

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "course_utils"
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))

# module or folder of course_utils -> what of the course it may import. Every module stands here once.
ARROWS = {
    "__init__": set(),
    "arguments": set(),
    "attention_arguments": {"arguments"},
    "attention": {"arguments", "attention_arguments"},
    "sentences": set(),
    "toolbox": set(),
    "cls_task": {"arguments"},
    "cls_reader": {"arguments", "attention", "layers", "named_arrays", "reading"},
    "cls_model": {"arguments", "cls_task", "cls_reader"},
    "cls_baselines": {"arguments", "cls_model"},
    "review_task": {"arguments"},
    "review_reader": {"arguments", "attention", "layers", "named_arrays", "reading", "review_task"},
    "review_model": {"arguments", "attention", "review_reader", "review_task"},
    "layers": {"arguments", "attention", "named_arrays"},
    "named_arrays": {"arguments"},
    "reading": {"arguments", "attention_arguments"},
    "heads": {"arguments"},
    "head_plots": {"arguments", "plots"},
    "notebook": set(),
    "stored": {"notebook"},
    "encoder": {"arguments", "attention", "layers", "reading"},
    "long_sequences": {"arguments", "attention_arguments", "attention"},
    "measure": {"arguments"},
    "plots": {"arguments", "attention", "sentences", "cls_task"},
    "live": {"arguments", "notebook", "plots"},
    "explorables": {"arguments", "attention", "sentences", "notebook", "plots", "cls_task", "cls_reader"},
    "checks": {"arguments", "attention", "sentences", "notebook", "cls_task"},
}
# heavy package -> the only modules that may import it
HEAVY = {
    "keras": {"cls_model", "cls_baselines", "review_model"},
    "tensorflow": {"cls_model", "review_model"},
    "matplotlib": {"plots", "head_plots", "toolbox", "explorables"},
    "ipywidgets": {"checks", "live", "stored"},
    "anywidget": {"explorables"},
    "platformdirs": {"checks"},
    "safetensors": {"encoder"},
    "tokenizers": {"encoder"},
}
# what Jupyter and TensorFlow have fixed -> the only file that writes it down
FACTS = {
    "vnd.jupyter.widget-view": "course_utils/notebook.py",
    "get_ipython": "course_utils/notebook.py",
    "TF_ENABLE_ONEDNN_OPTS": "course_utils/__init__.py",
}
TENSORFLOW_LESSONS = {"07", "09", "10", "11", "12"}  # in 07 and 09 as the oracle only


def room(path: Path) -> str:
    """Return the module or folder of course_utils that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports name the package, not dots"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    assert room(path) in ARROWS, f"{room(path)} is new: give it its place in ARROWS, CONTRIBUTING.md names the rooms"
    inside = {name.split(".")[1] for name in imports(path) if name.startswith("course_utils.")} - {room(path)}
    assert inside <= ARROWS[room(path)], f"{path.name} may not import {inside - ARROWS[room(path)]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_stay_in_their_room(path):
    outside = {name.split(".")[0] for name in imports(path)}
    assert {package for package in outside & set(HEAVY) if room(path) not in HEAVY[package]} == set()


def test_the_arrows_have_no_circle():
    left = dict(ARROWS)
    while left:
        leaves = [name for name, needs in left.items() if not needs & set(left)]
        assert leaves, f"these import each other in a circle: {sorted(left)}"
        for name in leaves:
            del left[name]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_stay_readable(path):
    most = {"attention.py": 300}.get(path.name, 250)  # attention.py is the contract in one file, half of it docstrings
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= most, f"{path.name} has {lines} lines of at most {most}: split it where it has two reasons to exist"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_only_the_keras_lessons_load_tensorflow(path):
    loads = any(
        name.split(".")[0] in {"keras", "tensorflow"} or re.search("cls_(model|baselines)|review_model", name)
        for name in imports(path)
    )
    assert not loads or path.stem[:2] in TENSORFLOW_LESSONS


@pytest.mark.parametrize(
    "module",
    [
        "attention",
        "long_sequences",
        "measure",
        "sentences",
        "toolbox",
        "cls_task",
        "cls_reader",
        "review_reader",
        "plots",
        "live",
        "explorables",
        "checks",
    ],
)
def test_numpy_modules_leave_tensorflow_alone(module):
    code = f"import sys, course_utils.{module}; sys.exit('tensorflow' in sys.modules or 'keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_importing_the_package_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import course_utils; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['course_utils']"


@pytest.mark.parametrize("given, seen", [({}, "2 0"), ({"TF_CPP_MIN_LOG_LEVEL": "0"}, "0 0")], ids=["unset", "set"])
def test_tensorflow_is_quiet_unless_the_user_wants_to_hear_it(given, seen):
    code = "import course_utils, os; print(*map(os.environ.get, course_utils.QUIET_TENSORFLOW))"
    environment = {name: value for name, value in os.environ.items() if name not in QUIET_TENSORFLOW} | given
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == seen


@pytest.mark.parametrize("fact, place", FACTS.items())
def test_a_fact_is_written_down_once(fact, place):
    code = [
        path for folder in ("course_utils", "tools", "benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    found = [path for path in code if fact in path.read_text(encoding="utf-8") and path != Path(__file__)]
    assert [path.relative_to(ROOT).as_posix() for path in found] == [place]


def test_nothing_is_read_with_pickle_or_eval():
    for path in [*MODULES, *(ROOT / "tools").glob("*.py"), *(ROOT / "benchmarks").glob("*.py"), *SOURCES]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & {"eval", "exec"}, path
        assert not {name.split(".")[0] for name in imports(path)} & {"pickle", "dill", "joblib", "shelve"}, path
        unsafe = [n for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg == "allow_pickle"]
        assert all(isinstance(n.value, ast.Constant) and n.value.value is False for n in unsafe), path
