"""`nox -s test -- --changed`: tests affected by a change, judged by names and imports; no substitute for a full run.

Also leaves to the browser the notebooks that its tests run and compare anyway, if there is a Chromium.
pytest-testmon and pytest-picked know Python files only: here a page, a notebook, a script or a table touches tests too.
"""

import re
import shutil
import subprocess

import pytest
from lesson_imports import ENGINE, PACKAGE, ROOT, files_of, imports, is_ours, reaches

from course_utils.checks.exercises import LESSONS

TESTED = "tests/**", "*/tests", "*/tests/apart/**"  # suites with a command of their own are not among them
TESTS = [path for folder in TESTED for path in sorted(ROOT.glob(f"{folder}/test_*.py"))]
STUDIES = sorted((ROOT / "workshop" / "studies").glob("*.py"))
READERS = [path for house in (PACKAGE, ENGINE, ROOT / "workshop", ROOT / "classroom") for path in house.rglob("*.py")]
EXERCISES = PACKAGE / "checks" / "exercises"
OF_LESSONS = [f"tests/test_{name}.py" for name in ("notebooks", "lint", "readme")]
OF_LESSONS += ["classroom/tests/test_instructors.py"]
OF_PAGES = "tests/test_checks_sets.py", "tests/test_checks_promises.py"
OF_EXERCISES = "tests/test_checks_engine.py", "tests/test_checks_pages.py", "tests/test_oracle.py"  # ids name them
IN_BROWSER = re.compile(r"tests/apart/browser/test_lessons\.py::test_run_all\[(.+)\]")
IN_NBVAL = re.compile(r"notebooks/(.+)\.ipynb::")
FILES, SELECTED = pytest.StashKey[list](), pytest.StashKey[dict]()


def pytest_addoption(parser):
    words = "run only tests affected by changes since the merge base with the upstream branch; not a full run"
    parser.addoption("--changed", action="store_true", help=words)


def pytest_configure(config):
    """Collect only the selected tests. The workers get the list of files: files may change while they start."""
    if config.option.changed:
        given = getattr(config, "workerinput", {}).get("changed")
        files = given or changed_files() or pytest.exit("nothing changed", returncode=0)
        config.stash[FILES], config.stash[SELECTED] = files, select_tests(files)
        config.args[:] = [name for name in config.stash[SELECTED] if (ROOT / name).exists()]


@pytest.hookimpl(optionalhook=True)  # the hook exists only with xdist
def pytest_configure_node(node):
    node.workerinput["changed"] = node.config.stash.get(FILES, [])


def pytest_report_header(config):
    if files := config.stash.get(FILES, []):
        untested = [name for name in files if not tests_of(name).keys() - {name}]
        unknown = [f"for these no test is known that runs here: {', '.join(untested)}"] if untested else []
        return [f"changed: {', '.join(files)}", f"chosen, no full run: {', '.join(config.stash[SELECTED])}", *unknown]
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Deselect the tests of a file that were not selected, and notebooks that run in the browser as well."""
    words, wanted = config.stash.get(SELECTED, {}), []
    for item in items:
        some = words.get(item.nodeid.partition("::")[0])
        if not some or any(re.search(rf"[\[-]{word}[\]-]", item.nodeid) for word in some):
            wanted.append(item)
    shown = {match[1] for item in wanted if (match := IN_BROWSER.match(item.nodeid))}
    if shown and has_browser():
        wanted = [item for item in wanted if not ((match := IN_NBVAL.match(item.nodeid)) and match[1] in shown)]
    config.hook.pytest_deselected(items=set(items) - set(wanted))
    items[:] = wanted


def has_browser():
    from real_browser import NAMES

    return any(map(shutil.which, NAMES))


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
    tests = {"tests/test_style.py": set()}
    for file in files:
        for name, words in tests_of(file).items():
            tests[name] = tests[name] and words and tests[name] | words if name in tests else words
    return tests


def tests_of(name):
    """The tests affected by a change of one file, in the form of `select_tests`."""
    file = ROOT / name
    if lesson := re.fullmatch(r"notebooks/source/(\d\d)_.*\.py", name):
        return tests_of_lesson(file, lesson[1])
    if file.parent == EXERCISES:
        number = next((number for number, names in LESSONS.items() if file.stem in names), "")
        return tests_of_exercises(number) if number else all_tests_of("tests/test_checks_pages.py")
    if file.suffix == ".jsonl":
        return all_tests_of("tests/test_oracle.py")
    if file.suffix == ".ipynb":
        return all_tests_of(name, "tests/test_notebooks.py")
    if file in TESTS:
        return all_tests_of(name)
    found = tests_about(file)
    if not found or (file.is_relative_to(PACKAGE) and not is_module(file)):
        found += [test for reader in readers_of(file) for test in tests_about(reader)]
    if not is_module(file):
        return all_tests_of(*found)
    pages = {page.stem for page in EXERCISES.glob("*.md") if f'"{file.stem}.' in page.read_text(encoding="utf-8")}
    return ({"tests/test_checks_pages.py": pages} if pages else {}) | all_tests_of(name, *found)


def all_tests_of(*paths):
    return {path if isinstance(path, str) else path.relative_to(ROOT).as_posix(): set() for path in paths}


def tests_of_lesson(source, number):
    """Both notebooks, the tests of all lessons, of its exercises, and those that open the lesson.

    Also the student notebook in the browser, unless TensorFlow would make it slow.
    """
    notebooks = [f"notebooks/{folder}{source.stem}.ipynb" for folder in ("", "solutions/")]
    opening = [test for test in TESTS if f'/ "{source.stem}.ipynb"' in test.read_text(encoding="utf-8")]
    browser = {} if reaches(source, "keras") else {"tests/apart/browser/test_lessons.py": {source.stem}}
    return all_tests_of(*notebooks, *OF_LESSONS, *opening) | tests_of_exercises(number) | browser


def tests_of_exercises(number):
    """The tests of a lesson's exercises."""
    return all_tests_of(*OF_PAGES) | {test: set(LESSONS.get(number, ["no exercise"])) for test in OF_EXERCISES}


def is_module(file):
    """Whether a file is Python that others import, unlike pagecheck/example, which is run."""
    return file.suffix == ".py" and (file.is_relative_to(PACKAGE) or file.parent == ENGINE)


def tests_about(file):
    """The tests with the name of a file or its folder, that import it, or that name it if it is not Python."""
    if file.is_relative_to(ENGINE):
        return [test for test in TESTS if test.parent.parent == ENGINE or is_about(test, file)]
    return [test for test in TESTS if is_about(test, file)]


def is_about(test, file):
    if test.stem.removeprefix("test_") in (file.stem, file.parent.name):
        return True
    if file.suffix != ".py" or file.parent == ENGINE / "example":
        return is_named(file, test.read_text(encoding="utf-8"))
    if not is_module(file):
        return file.stem in {part for name in imports(test) for part in name.split(".")}
    if test.parent.name == "browser":
        return False
    # The test of the studies holds the fingerprint of the code that they train with.
    studies = [imports(study) for study in STUDIES if study.stem in imports(test)]
    return file in files_of_names(imports(test).union(*studies)) | files_of_names(through_packages(imports(test)))


def readers_of(file):
    """The modules that import a module, or name a file such as a script or data."""
    if is_module(file):
        return [path for path in READERS if path.name != "__init__.py" and file in files_of_names(imports(path))]
    return [path for path in READERS if path != file and is_named(file, path.read_text(encoding="utf-8"))]


def is_named(file, text):
    """Whether a text names a file: by name, by folder and name if it has no extension, or data by their folder."""
    folder, name = file.parent.name, file.name
    words = [name] if "." in name else [f"{folder}/{name}", f'"{folder}" / "{name}"']
    words += [f"data/{folder}"] if file.is_relative_to(PACKAGE / "data") else []
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) for word in words)


def through_packages(names):
    """What packages import under these names: `from course_utils.checks import keep` -> the module of keep."""
    found = set()
    for name in filter(is_ours, names):
        *_, last = files_of(name) or [None]
        if last and last.name == "__init__.py":
            wanted = name.rpartition(".")[2]
            found |= {source for source in imports(last) if wanted in (source.rpartition(".")[2], last.parent.name)}
    return found


def files_of_names(names):
    return {file for name in names if is_ours(name) for file in files_of(name)}
