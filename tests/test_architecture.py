"""The shape of the code: the map in CONTRIBUTING.md is true, and heavy packages stay in their rooms."""

import ast
import os
import re
import subprocess
import sys
import tomllib

import pytest
from lesson_imports import ENGINE, PACKAGE, ROOT, imports, is_ours, reaches, room

from course_utils import QUIET_TENSORFLOW
from course_utils.checks.exercises import LESSONS, exercise_of

MODULES = sorted([*PACKAGE.rglob("*.py"), *ENGINE.glob("*.py"), *(ENGINE / "example").glob("*.py")])
EXERCISES = sorted((PACKAGE / "checks" / "exercises").glob("*.md"))
SOURCES = sorted((ROOT / "notebooks" / "source").glob("*.py"))
FOLDERS = "workshop", "classroom", "images", "book"
PROGRAMS = [*MODULES, ROOT / "noxfile.py", ROOT / "conftest.py"] + sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "tests" not in path.parts
)
STUDIES = {path.stem for path in (ROOT / "workshop" / "studies").iterdir()} - {"__pycache__"}
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAP = re.search(r"```text\n(course_utils/.*?)```", PAGE, re.S)[1]
# A room, which stands inside course_utils where spaces are before it, what it is, and behind the arrow what it imports:
# of the course first, then heavy packages in brackets.
ROOMS = {
    name.rstrip("/"): (set(inside.replace(",", " ").split()), set((heavy or "").replace(",", " ").split()))
    for name, inside, heavy in re.findall(
        r"^(?:  )?(\w[\w/]+)(?:\.py)? +[^←\n]*(?:(?:\n +)?← *([\w/, ]*)(?:\[(.+?)\])?)?$", MAP, re.M
    )
}
HEAVY = {"keras", "tensorflow", "matplotlib", "ipywidgets", "anywidget", "platformdirs", "safetensors", "tokenizers"}
# Where a module is imported by a name that the program puts together, and which those are.
IMPORTED_BY_NAME = {
    "course_utils/checks/exercises/__init__.py": "the names of the pages, when the first of them is asked for",
    "pagecheck/course.py": "the late arrows",
}


def inside(path):
    """The rooms that a module imports from, without its own."""
    return {room(name) for name in imports(path) if is_ours(name)} - {room(path)}


def test_the_table_names_everything_at_the_top_and_nothing_else():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not listed:
        pytest.skip("this folder is no git repository")
    table = re.search(r"## Where things are\n(.*?)```", PAGE, re.S)[1]
    cells = (line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    named = {word.split("/")[0] for cell in cells for word in re.findall(r"`([^`]+)`", cell)}
    assert sorted(named) == sorted({name.split("/")[0] for name in listed})


def test_every_place_that_the_table_names_is_there():
    """Words with a capital letter for a part of a name, as NN_name.py, stand for many."""
    table = re.search(r"## Where things are\n(.*?)\n\n[^|\n]", PAGE, re.S)[1]
    named = {word for word in re.findall(r"`([\w./-]+)`", table) if not re.search(r"NN_|NAME", word)}
    places = [ROOT, ROOT / "docs", ROOT / "classroom" / "talk", *{path.parent for path in PROGRAMS}]
    missing = {word for word in named if not any((place / word).exists() for place in places)}
    assert missing - {"my_work/"} == set()  # that comes with the first `nox -s lab`


def test_benchmarks_only_measure():
    for path in (ROOT / "workshop" / "benchmarks").glob("*.py"):
        assert not STUDIES & {name.split(".")[0] for name in imports(path)}, path
        assert not re.search(
            r"\.write_(text|bytes)\(|np\.save|to_csv|open\([^)]*[\"']w", path.read_text(encoding="utf-8")
        ), path


def test_the_map_shows_every_room_and_no_other():
    assert sorted(ROOMS) == sorted({room(path) for path in MODULES} - {"__init__"})


@pytest.mark.parametrize("name", ROOMS)
def test_the_arrows_of_the_map_are_the_imports(name):
    paths = [path for path in [*MODULES, *EXERCISES] if room(path) == name]
    found = set().union(*map(inside, paths)), HEAVY & {word.split(".")[0] for path in paths for word in imports(path)}
    assert found == ROOMS[name], f"CONTRIBUTING.md draws {ROOMS[name]} for {name}, and the code imports {found}"


def test_pagecheck_knows_nothing_of_the_course_and_needs_numpy_alone():
    """Its tests and its example too: the folder can be taken away, and works."""
    for path in ENGINE.rglob("*.py"):
        others = {name.split(".")[0] for name in imports(path)} - sys.stdlib_module_names - {"numpy", ENGINE.name}
        assert path.parent.name == "tests" or not others, path
        assert PACKAGE.name not in path.read_text(encoding="utf-8"), path


def test_the_course_imports_nothing_of_the_houses():
    """Their modules have short names that pytest finds, and a student's Python does not."""
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    theirs = {path.stem for folder in folders["pythonpath"] for path in (ROOT / folder).glob("*.py")}
    for path in [*MODULES, *EXERCISES]:
        assert not theirs & {name.split(".")[0] for name in imports(path)}, path


def test_the_arrows_that_come_late_are_named():
    found = {path.relative_to(ROOT).as_posix() for path in MODULES if "importlib.import_module" in imports(path)}
    assert found == IMPORTED_BY_NAME.keys()
    exercises = [exercise_of(name) for names in LESSONS.values() for name in names]
    named = {getattr(one, part, "") for one in exercises for part in ("adapt", "stands_in")} - {""}
    rooms = {room(f"course_utils.{name}") for name in named}
    late = re.search(r"\nTwo arrows come late .*", PAGE)[0]
    assert sorted(rooms) == sorted(re.findall(r"functions of `(.+)` and of `(.+)`,", late)[0])
    assert all(ROOMS[name][1] for name in rooms), "what loads no heavy package is imported as usual"


def test_only_what_trains_loads_keras():
    """A reader is NumPy, so that a lesson that reads a trained model starts at once."""
    found = {path.stem for path in (PACKAGE / "models").glob("*.py") if imports_any(path, "keras", "tensorflow")}
    said = re.search(r"only those that train \((.+?)\)", PAGE)[1]
    names = {path.stem for word in re.findall(r"`(.+?)`", said) for path in (PACKAGE / "models").glob(f"{word}.py")}
    assert found == names - {"own_model"}  # which holds the arrays of the student's model


def imports_any(path, *packages):
    return bool({name.split(".")[0] for name in imports(path)} & set(packages))


def test_the_map_names_every_module_of_a_room():
    for folder in ("arrays", "tasks", "models", "pictures", "computer"):
        names = {path.stem for path in (PACKAGE / folder).glob("*.py")} - {"__init__"}
        line = re.search(rf"^  {folder}/.*?(?=^  \w|\Z)", MAP, re.M | re.S)[0].split("\n", 1)[1]
        assert names <= set(re.findall(r"\w+", line)), folder


def test_the_short_name_of_a_module_is_the_module_itself():
    code = "import course_utils.cls_task as short, course_utils.tasks.cls_task as long; print(short is long)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


def test_the_arrows_have_no_circle():
    left = {name: needs for name, (needs, _) in ROOMS.items()}
    while left:
        leaves = [name for name, needs in left.items() if not needs & set(left)]
        assert leaves, f"these import each other in a circle: {sorted(left)}"
        for name in leaves:
            del left[name]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_lesson_imports_the_course_before_keras(path):
    """The course tells TensorFlow to be quiet, and TensorFlow listens once."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if hasattr(node, "lineno")]
    nodes = sorted((node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)), key=lambda n: n.lineno)
    homes = [(getattr(node, "module", None) or node.names[0].name).split(".")[0] for node in nodes]
    assert "keras" not in homes or homes.index("course_utils") < homes.index("keras")


def test_no_room_loads_tensorflow_without_an_arrow_to_it():
    """An interpreter confirms the arrows: none comes in by another package."""
    light = [path for path in MODULES if not reaches(path, "tensorflow") and not reaches(path, "keras")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in light]
    assert len(names) > len(MODULES) // 2
    code = f"import sys, {', '.join(names)}; sys.exit('tensorflow' in sys.modules or 'keras' in sys.modules)"
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
