"""The shape of the code: the map in CONTRIBUTING.md is true, heavy packages stay in their rooms, all stays short."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

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
RUNNER = sorted((ROOT / "tests" / "runner").glob("*.py"))
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAP = re.search(r"```text\n(course_utils/.*?)```", PAGE, re.S)[1]
# A room, which stands inside course_utils where spaces are before it, what it is, and behind the arrow what it imports:
# of the course first, then heavy packages in brackets.
ROOMS = {
    name.rstrip("/"): (set(inside.replace(",", " ").split()), set((heavy or "").replace(",", " ").split()))
    for name, inside, heavy in re.findall(
        r"^(?:  )?([\w/]+)(?:\.py)? +[^←\n]*(?:← *([\w/, ]*)(?:\[(.+?)\])?)?$", MAP, re.M
    )
}
HEAVY = {"keras", "tensorflow", "matplotlib", "ipywidgets", "anywidget", "platformdirs", "safetensors", "tokenizers"}
# What is longer than 250 lines, or a function longer than 25 lines of code.
# How long it may be, and why it reads better so.
LONG = {
    "noxfile.py": (435, "one short function for each command, in the one file that nox reads"),
    "course_utils/attention.py": (275, "the contract, half of it docstrings: a student reads attention in one place"),
    "course_utils/models/cls_model.py:train": (28, "one signature for the usual training and one with a reward"),
    "pagecheck/compare.py": (270, "when two results are the same, and the table of all ways in which they can differ"),
    "pagecheck/course.py": (290, "all that a page can say, from its Python to its wrong lines"),
    "pagecheck/guard.py": (445, "all that an answer can touch stands in one list, so that nothing of it is forgotten"),
    "pagecheck/guard.py:protect": (30, "what is noted, and in what order it is put back, is read side by side"),
    "pagecheck/judge.py": (275, "every way to a verdict, in the order in which they are tried"),
    "pagecheck/name.py": (300, "every way to name a mistake, in the order in which they are tried"),
    "pagecheck/run.py": (420, "one clock, and its two ways to end an answer, which need each other's care"),
    "pagecheck/source.py": (400, "all that is read from an answer's code and variables"),
    "pagecheck/words.py": (370, "all that is said in English: numbers, inputs, errors, verdicts"),
}
# What Jupyter and TensorFlow have fixed, and the only file of a language that writes it down: in the course, and in
# pagecheck, which stands alone.
FACTS = {
    "vnd.jupyter.widget-view": ["course_utils/computer/notebook.py", "workshop/jupyterlab/static/next_day.js"],
    "get_ipython": ["course_utils/computer/notebook.py", "pagecheck/guard.py"],
    "TF_ENABLE_ONEDNN_OPTS": ["course_utils/__init__.py"],
}
# Where eval or exec is called, and why it does no harm.
EVALS = {
    "pagecheck/course.py": "the Python of a course's own pages",
    "pagecheck/lines.py": "the lines of a course's own pages",
    "workshop/oracle.py": "the answers that the project holds, in a process of their own",
    "workshop/studies/waves.py": "the answers that others wrote, in a process of its own",
    "classroom/grading/inside.py": "the course's own expression, among the names of a return, within its sandbox",
    "classroom/grading/judge.py": "two words of the course's own, so that an error has the line of the answer",
    "tests/runner/in_process.py": "the cells of the course's own lessons",
}
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


def code_lines(function, lines):
    """How many lines of a function hold code: without docstring, comments and blank lines."""
    first = function.body[0]
    docstring = range(first.lineno, first.end_lineno + 1) if ast.get_docstring(function) is not None else ()
    places = (i for i in range(function.lineno, function.end_lineno + 1) if i not in docstring)
    return sum(bool(line := lines[i - 1].strip()) and not line.startswith("#") for i in places)


def too_long():
    """What exceeds the measure: {"folder/file.py": lines} and {"folder/file.py:function": lines of code}."""
    found = {}
    for path in (*PROGRAMS, *RUNNER):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        lines = text.splitlines()
        functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        found |= {f"{name}:{f.name}": n for f in functions if (n := code_lines(f, lines)) > 25}
        found |= {name: len(lines)} if len(lines) > 250 else {}
    return found


def test_modules_and_functions_stay_readable():
    found = too_long()
    assert found.keys() == LONG.keys(), f"split what has two reasons to exist: {found}"
    grown = {name: found[name] for name, (most, _) in LONG.items() if found[name] > most}
    assert not grown, f"these have a reason to be long, and have grown beyond it: {grown}"


def test_only_the_palette_names_a_colour():
    """pagecheck, which stands alone, has three of its own, for pages without JupyterLab's."""
    kinds = "*.py", "*.css", "*.js"
    paths = {
        path
        for folder in (PACKAGE, *(ROOT / name for name in FOLDERS))
        for kind in kinds
        for path in folder.rglob(kind)
    }
    ours = {path for path in paths if not {"tests", "node_modules"} & set(path.parts)}
    named = {
        path.name
        for path in ours
        if re.search(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}[\"; ]|rgb\(\d", path.read_text("utf-8"), re.I)
    }
    assert named == {"palette.py"}


def lessons_with(package):
    return {path.stem[:2] for path in SOURCES if reaches(path, package)}


def test_the_lessons_that_load_tensorflow():
    assert lessons_with("tensorflow") == {"07", "09", "11", "12", "13", "15", "17", "19"}  # in 07, 09, 11 as the oracle


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


@pytest.mark.parametrize("fact, places", FACTS.items())
def test_a_fact_is_written_down_once(fact, places):
    scripts = [path for folder in ("course_utils", *FOLDERS) for path in (ROOT / folder).rglob("*.js")]
    paths = [path for path in (*PROGRAMS, *scripts, *(ROOT / "tests").rglob("*.py")) if path != Path(__file__)]
    found = [path.relative_to(ROOT).as_posix() for path in paths if fact in path.read_text(encoding="utf-8")]
    assert found == places


@pytest.mark.parametrize("path", [*PROGRAMS, *RUNNER, *SOURCES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_read_with_pickle_or_eval(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec"} or path.relative_to(ROOT).as_posix() in EVALS
    stored = {name.split(".")[0] for name in imports(path)} & {"pickle", "dill", "joblib", "shelve"}
    assert not stored
    unsafe = [n for n in nodes if isinstance(n, ast.keyword) and n.arg == "allow_pickle"]
    assert all(isinstance(n.value, ast.Constant) and n.value.value is False for n in unsafe)
