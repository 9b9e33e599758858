"""`nox -s test -- --changed`: what a change touches. By names and imports: it proves less than a full run."""

import functools
import re
import subprocess

import pytest
from lesson_imports import ENGINE, PACKAGE, ROOT, files_of, imports, is_ours, reaches

from course_utils.checks.exercises import LESSONS

CHECKS = PACKAGE / "checks"
TESTS = sorted((ROOT / "tests").glob("**/test_*.py"))  # grading, hub and book have commands of their own
OF_ENGINE = sorted((ENGINE / "tests").glob("test_*.py"))
TESTS += OF_ENGINE
STUDIES = sorted((ROOT / "workshop" / "studies").glob("*.py"))
OF_EVERY_LESSON = [
    ROOT / f"tests/test_{name}.py" for name in ("notebooks", "checks_sets", "prose", "readme", "instructors")
]
FILES, CHOSEN = pytest.StashKey[list](), pytest.StashKey[dict]()


def pytest_addoption(parser):
    words = "run only what the changes since the last common commit with the upstream branch touch; no full run"
    parser.addoption("--changed", action="store_true", help=words)


def pytest_configure(config):
    """Collect only what is chosen. The workers are told what it is: files may change while they start."""
    if not config.option.changed:
        return
    if hasattr(config, "workerinput"):
        files = config.workerinput["changed"]
    else:
        files = changed_files() or pytest.exit("nothing changed", returncode=0)
    config.stash[FILES], config.stash[CHOSEN] = files, chosen(files)
    config.args[:] = [name for name in config.stash[CHOSEN] if (ROOT / name).exists()]


@pytest.hookimpl(optionalhook=True)  # there is no such hook without xdist
def pytest_configure_node(node):
    if node.config.option.changed:
        node.workerinput["changed"] = node.config.stash[FILES]


def pytest_report_header(config):
    if config.option.changed:
        files, tests = config.stash[FILES], config.stash[CHOSEN]
        left_out = [name for name in files if not tests_of(name).keys() - {name}]
        unknown = [f"for these no test is known that runs here: {', '.join(left_out)}"] if left_out else []
        return [f"changed: {', '.join(files)}", f"chosen, no full run: {', '.join(tests)}", *unknown]
    return None


def pytest_collection_modifyitems(config, items):
    """Of a file of which only a part is chosen, keep that part."""
    parts = config.stash.get(CHOSEN, {})
    leave_out(config, items, [item for item in items if not is_kept(item.nodeid, parts)])


def leave_out(config, items, gone):
    """Take these items out of all, and tell pytest."""
    if gone:
        config.hook.pytest_deselected(items=gone)
        gone = set(gone)
        items[:] = [item for item in items if item not in gone]


def is_kept(nodeid, parts):
    words = parts.get(nodeid.partition("::")[0])
    return not words or any(re.search(rf"[\[-]{word}[\]-]", nodeid) for word in words)


def changed_files():
    """The names of the files that differ from the last common commit with the upstream branch, new ones too."""

    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)

    if git("rev-parse", "HEAD").returncode:
        raise pytest.UsageError("--changed asks git what changed, and this folder is no git repository")
    bases = (git("merge-base", "HEAD", upstream) for upstream in ("@{upstream}", "origin/HEAD", "origin/main"))
    base = next((found.stdout.strip() for found in bases if not found.returncode), "HEAD")
    listed = git("diff", "--name-only", base).stdout + git("ls-files", "--others", "--exclude-standard").stdout
    return sorted(listed.splitlines())


def chosen(files):
    """{test file or notebook: the exercises and lessons of which it runs the tests; when there is none, all tests}."""
    tests = {"tests/test_style.py": set()} if files else {}
    for file in files:
        tests = joined(tests, tests_of(file))
    return tests


def joined(tests, others):
    """Both in one, in the form of `chosen`: who runs all tests of a file runs those of an exercise too."""
    shared = {name: tests[name] and others[name] and tests[name] | others[name] for name in tests.keys() & others}
    return tests | others | shared


def tests_of(name):
    """What a change of one file touches, in the form of `chosen`."""
    file = ROOT / name
    if lesson := re.fullmatch(r"notebooks/source/(\d\d)_.*\.py", name):
        return of_lesson(file, lesson[1])
    if file.suffix == ".jsonl":
        return everything([ROOT / "tests" / "test_oracle.py"])
    if file.is_relative_to(CHECKS / "exercises"):
        return of_pages(file)
    if file.name == "conftest.py" and file.parent != ROOT:
        return everything([file.parent])
    if file in TESTS:
        return everything([file])
    if file.suffix == ".ipynb":
        return everything([file, OF_EVERY_LESSON[0]])
    found, inside = tests_about(file), file.is_relative_to(PACKAGE)
    if file.is_relative_to(ENGINE):
        found, inside = [*found, *OF_ENGINE], not OF_ENGINE
    if is_module(file):
        return of_module(file, found)
    return everything([*found, *(tests_of_readers(file) if inside or not found else [])])


def is_module(file):
    """Whether a file is Python that others import; what stands in pagecheck/example is run."""
    return file.suffix == ".py" and (file.is_relative_to(PACKAGE) or file.parent == ENGINE)


def of_module(file, found):
    """Its doctests and what was found; with those of the pages that name it, because they load it late."""
    tests = everything([file, *found])
    for page in (CHECKS / "exercises").glob("*.md"):
        tests = joined(tests, of_pages(page) if f'"{file.stem}.' in page.read_text("utf-8") else {})
    if tests.keys() == everything([file]).keys():
        of_all = [test for test in TESTS if test.stem.startswith("test_checks") and file in files_below(test)]
        tests |= everything(of_all)
    return tests


def everything(paths):
    return {path.relative_to(ROOT).as_posix(): set() for path in paths}


def of_lesson(source, number):
    """Both notebooks, form, answers, tests that open the lesson.

    The student's one in the browser too, unless TensorFlow would make one wait.
    """
    notebooks = [ROOT / f"notebooks/{source.stem}.ipynb", ROOT / f"notebooks/solutions/{source.stem}.ipynb"]
    opening = [test for test in TESTS if f'/ "{source.stem}.ipynb"' in test.read_text(encoding="utf-8")]
    tests = everything([*notebooks, *OF_EVERY_LESSON, *opening]) | of_checks(number)
    return tests if reaches(source, "keras") else tests | {"tests/apart/browser/test_lessons.py": {source.stem}}


def of_checks(number):
    """The tests of a lesson's exercises."""
    exercises = set(LESSONS.get(number, ["no exercise"]))
    parts = {f"tests/test_{name}.py": exercises for name in ("checks_engine", "checks_pages", "oracle")}
    return everything([ROOT / f"tests/test_checks_{name}.py" for name in ("sets", "promises")]) | parts


def of_pages(file):
    """The tests of an exercise for its page, of all pages for what they share."""
    number = next((number for number, names in LESSONS.items() if file.stem in names), None)
    with_doctests = [file] if file.suffix == ".py" else []
    return of_checks(number) if number else everything([ROOT / "tests" / "test_checks_pages.py", *with_doctests])


@functools.cache
def files_below(path):
    """The modules of the course that a file imports, and those that these import, and so on."""
    found, waiting = set(), [path]
    while waiting:
        new = files_behind(imports(waiting.pop())) - found
        found |= new
        waiting += new
    return found


def tests_about(file):
    return [test for test in TESTS if is_about(test, file)]


def tests_of_readers(file):
    """The tests of the modules that name a file, a script, a table, data; or that name a script that names it."""
    modules = [
        path
        for folder in (PACKAGE, ENGINE, ROOT / "workshop", ROOT / "classroom")
        for path in sorted(folder.rglob("*.py"))
    ]
    modules += PACKAGE.rglob("*.js") if file.suffix == ".js" else []
    readers = [path for path in modules if path != file and is_named(file, path.read_text(encoding="utf-8"))]
    return [test for one in readers for test in (tests_about(one) or tests_of_readers(one) * (one.suffix == ".js"))]


def is_named(file, text):
    """Whether a text names a file: by its name, by folder and name if that is one word, or data by their folder."""
    folder, name = file.parent.name, file.name
    words = [name] if "." in name else [f"{folder}/{name}", f'"{folder}" / "{name}"']
    words += [f"data/{folder}"] if file.is_relative_to(PACKAGE / "data") else []
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) for word in words)


def is_about(test, file):
    """Whether a test has the name of a file or of its folder, imports it, or speaks of it where it is no Python."""
    if test.stem.removeprefix("test_") in (file.stem, file.parent.name):
        return True
    if file.suffix != ".py" or file.parent == ENGINE / "example":
        return is_named(file, test.read_text(encoding="utf-8"))
    if not is_module(file):
        return file.stem in {part for name in imports(test) for part in name.split(".")}
    # A study's test holds the fingerprint of what it trains with.
    trains = [study for study in STUDIES if study.stem in imports(test)]
    direct = files_behind(imports(test).union(*map(imports, trains)))
    return test.parent.name != "browser" and (file in direct or file in files_behind(through_doors(imports(test))))


def through_doors(names):
    """Return what a package's `__init__.py` imports under these names: the rest of it passes them by.

    `from course_utils.checks import keep` goes through a door, and leads to what defines `keep`;
    `import course_utils.checks` leads to all behind it.
    """
    found = set()
    for name in names:
        files = files_of(name) if is_ours(name) else []
        if files and files[-1].name == "__init__.py":
            whole = files[-1].parent == ROOT.joinpath(*name.split("."))
            wanted = name.rpartition(".")[2]
            found |= {behind for behind in imports(files[-1]) if whole or behind.rpartition(".")[2] == wanted}
    return found


def files_behind(names):
    return {file for name in names if is_ours(name) for file in files_of(name)}
