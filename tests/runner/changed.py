"""`nox -s test -- --changed`: tests affected by a change, judged by names and imports; no substitute for a full run."""

import functools
import re
import subprocess

import pytest
from lesson_imports import ENGINE, PACKAGE, ROOT, files_of, imports, is_ours, reaches

from course_utils.checks.exercises import LESSONS

CHECKS = PACKAGE / "checks"
TESTS = sorted((ROOT / "tests").glob("**/test_*.py"))  # grading, hub and book have their own commands
ENGINE_TESTS = sorted((ENGINE / "tests").glob("test_*.py"))
TESTS += ENGINE_TESTS
STUDIES = sorted((ROOT / "workshop" / "studies").glob("*.py"))
LESSON_TESTS = [
    ROOT / f"tests/test_{name}.py" for name in ("notebooks", "checks_sets", "prose", "readme", "instructors")
]
FILES, SELECTED = pytest.StashKey[list](), pytest.StashKey[dict]()


def pytest_addoption(parser):
    words = "run only tests affected by changes since the merge base with the upstream branch; not a full run"
    parser.addoption("--changed", action="store_true", help=words)


def pytest_configure(config):
    """Collect only the selected tests. The workers get the list of files: files may change while they start."""
    if not config.option.changed:
        return
    if hasattr(config, "workerinput"):
        files = config.workerinput["changed"]
    else:
        files = changed_files() or pytest.exit("nothing changed", returncode=0)
    config.stash[FILES], config.stash[SELECTED] = files, select_tests(files)
    config.args[:] = [name for name in config.stash[SELECTED] if (ROOT / name).exists()]


@pytest.hookimpl(optionalhook=True)  # the hook exists only with xdist
def pytest_configure_node(node):
    if node.config.option.changed:
        node.workerinput["changed"] = node.config.stash[FILES]


def pytest_report_header(config):
    if config.option.changed:
        files, tests = config.stash[FILES], config.stash[SELECTED]
        untested = [name for name in files if not tests_of(name).keys() - {name}]
        unknown = [f"for these no test is known that runs here: {', '.join(untested)}"] if untested else []
        return [f"changed: {', '.join(files)}", f"chosen, no full run: {', '.join(tests)}", *unknown]
    return None


def pytest_collection_modifyitems(config, items):
    """Deselect the tests of a file that were not selected."""
    parts = config.stash.get(SELECTED, {})
    deselect(config, items, [item for item in items if not is_selected(item.nodeid, parts)])


def deselect(config, items, unwanted):
    """Remove these items, and report them to pytest as deselected."""
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        unwanted = set(unwanted)
        items[:] = [item for item in items if item not in unwanted]


def is_selected(nodeid, parts):
    words = parts.get(nodeid.partition("::")[0])
    return not words or any(re.search(rf"[\[-]{word}[\]-]", nodeid) for word in words)


def changed_files():
    """The names of the files that differ from the merge base with the upstream branch, including new ones."""

    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)

    if git("rev-parse", "HEAD").returncode:
        raise pytest.UsageError("--changed asks git what changed, and this folder is no git repository")
    bases = (git("merge-base", "HEAD", upstream) for upstream in ("@{upstream}", "origin/HEAD", "origin/main"))
    base = next((result.stdout.strip() for result in bases if not result.returncode), "HEAD")
    listed = git("diff", "--name-only", base).stdout + git("ls-files", "--others", "--exclude-standard").stdout
    return sorted(listed.splitlines())


def select_tests(files):
    """{test file or notebook: the exercises and lessons whose tests to run; an empty set for all tests}."""
    tests = {"tests/test_style.py": set()} if files else {}
    for file in files:
        tests = merge(tests, tests_of(file))
    return tests


def merge(tests, others):
    """Merge two results of `select_tests`; a whole file subsumes its exercises."""
    shared = {name: tests[name] and others[name] and tests[name] | others[name] for name in tests.keys() & others}
    return tests | others | shared


def tests_of(name):
    """The tests affected by a change of one file, in the form of `select_tests`."""
    file = ROOT / name
    if lesson := re.fullmatch(r"notebooks/source/(\d\d)_.*\.py", name):
        return tests_of_lesson(file, lesson[1])
    if file.suffix == ".jsonl":
        return all_tests_in([ROOT / "tests" / "test_oracle.py"])
    if file.is_relative_to(CHECKS / "exercises"):
        return tests_of_page(file)
    if file.name == "conftest.py" and file.parent != ROOT:
        return all_tests_in([file.parent])
    if file in TESTS:
        return all_tests_in([file])
    if file.suffix == ".ipynb":
        return all_tests_in([file, LESSON_TESTS[0]])
    tests, search_readers = tests_about(file), file.is_relative_to(PACKAGE)
    if file.is_relative_to(ENGINE):
        tests, search_readers = [*tests, *ENGINE_TESTS], not ENGINE_TESTS
    if is_module(file):
        return tests_of_module(file, tests)
    return all_tests_in([*tests, *(tests_of_readers(file) if search_readers or not tests else [])])


def is_module(file):
    """Whether a file is Python that others import, unlike pagecheck/example, which is run."""
    return file.suffix == ".py" and (file.is_relative_to(PACKAGE) or file.parent == ENGINE)


def tests_of_module(file, tests):
    """These tests, the doctests of a module, and the tests of exercise pages that name it and import it late."""
    selected = all_tests_in([file, *tests])
    for page in (CHECKS / "exercises").glob("*.md"):
        selected = merge(selected, tests_of_page(page) if f'"{file.stem}.' in page.read_text("utf-8") else {})
    if selected.keys() == all_tests_in([file]).keys():
        check_tests = [test for test in TESTS if test.stem.startswith("test_checks") and file in imported_files(test)]
        selected |= all_tests_in(check_tests)
    return selected


def all_tests_in(paths):
    return {path.relative_to(ROOT).as_posix(): set() for path in paths}


def tests_of_lesson(source, number):
    """Both notebooks, the tests of all lessons, of its exercises, and those that open the lesson.

    Also the student notebook in the browser, unless TensorFlow would make it slow.
    """
    notebooks = [ROOT / f"notebooks/{source.stem}.ipynb", ROOT / f"notebooks/solutions/{source.stem}.ipynb"]
    opening = [test for test in TESTS if f'/ "{source.stem}.ipynb"' in test.read_text(encoding="utf-8")]
    tests = all_tests_in([*notebooks, *LESSON_TESTS, *opening]) | tests_of_exercises(number)
    return tests if reaches(source, "keras") else tests | {"tests/apart/browser/test_lessons.py": {source.stem}}


def tests_of_exercises(number):
    """The tests of a lesson's exercises."""
    exercises = set(LESSONS.get(number, ["no exercise"]))
    parts = {f"tests/test_{name}.py": exercises for name in ("checks_engine", "checks_pages", "oracle")}
    return all_tests_in([ROOT / f"tests/test_checks_{name}.py" for name in ("sets", "promises")]) | parts


def tests_of_page(file):
    """The tests of the lesson of an exercise page, or of all pages for what they share."""
    number = next((number for number, names in LESSONS.items() if file.stem in names), None)
    if number:
        return tests_of_exercises(number)
    return all_tests_in([ROOT / "tests" / "test_checks_pages.py", *([file] if file.suffix == ".py" else [])])


@functools.cache
def imported_files(path):
    """The modules of the course that a file imports, directly or indirectly."""
    files, queue = set(), [path]
    while queue:
        new = files_of_names(imports(queue.pop())) - files
        files |= new
        queue += new
    return files


def tests_about(file):
    return [test for test in TESTS if is_about(test, file)]


def tests_of_readers(file):
    """The tests of modules that mention a file such as a script or data, or mention a script that does."""
    modules = [
        path
        for folder in (PACKAGE, ENGINE, ROOT / "workshop", ROOT / "classroom")
        for path in sorted(folder.rglob("*.py"))
    ]
    modules += PACKAGE.rglob("*.js") if file.suffix == ".js" else []
    readers = [path for path in modules if path != file and is_named(file, path.read_text(encoding="utf-8"))]
    return [test for one in readers for test in (tests_about(one) or tests_of_readers(one) * (one.suffix == ".js"))]


def is_named(file, text):
    """Whether a text mentions a file: by name, by folder and name if it has no extension, or data by their folder."""
    folder, name = file.parent.name, file.name
    words = [name] if "." in name else [f"{folder}/{name}", f'"{folder}" / "{name}"']
    words += [f"data/{folder}"] if file.is_relative_to(PACKAGE / "data") else []
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) for word in words)


def is_about(test, file):
    """Whether a test has the name of a file or its folder, imports it, or mentions it if it is not Python."""
    if test.stem.removeprefix("test_") in (file.stem, file.parent.name):
        return True
    if file.suffix != ".py" or file.parent == ENGINE / "example":
        return is_named(file, test.read_text(encoding="utf-8"))
    if not is_module(file):
        return file.stem in {part for name in imports(test) for part in name.split(".")}
    if test.parent.name == "browser":
        return False
    # The test of a study checks the fingerprint of the code that it trains with.
    trains = [study for study in STUDIES if study.stem in imports(test)]
    direct = files_of_names(imports(test).union(*map(imports, trains)))
    return file in direct or file in files_of_names(resolve_reexports(imports(test)))


def resolve_reexports(names):
    """Return what a package's `__init__.py` imports under these names, and nothing else of it.

    `from course_utils.checks import keep` leads to the module that defines `keep`;
    `import course_utils.checks` leads to everything that the package imports.
    """
    resolved = set()
    for name in names:
        files = files_of(name) if is_ours(name) else []
        if files and files[-1].name == "__init__.py":
            is_package = files[-1].parent == ROOT.joinpath(*name.split("."))
            wanted = name.rpartition(".")[2]
            resolved |= {source for source in imports(files[-1]) if is_package or source.rpartition(".")[2] == wanted}
    return resolved


def files_of_names(names):
    return {file for name in names if is_ours(name) for file in files_of(name)}
