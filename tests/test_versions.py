"""pyproject.toml, requirements.lock and environment.yml give one set of versions; the course has one version."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK_TEXT = (ROOT / "requirements.lock").read_text(encoding="utf-8")
# One entry: `name==version ; marker \` and then its hashes, indented, up to the next entry.
ENTRY = re.compile(r"^(\S+==[^\\\n]+?) \\\n((?:    --hash=\S+(?: \\)?\n)+)", flags=re.MULTILINE)
ENTRIES = ENTRY.findall(LOCK_TEXT)
LOCKED = [Requirement(line) for line, _ in ENTRIES]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
RANGES = [Requirement(line) for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]]


def version_of(requirement: Requirement) -> str:
    return str(requirement.specifier).removeprefix("==")


@pytest.mark.parametrize("wanted", RANGES, ids=lambda wanted: wanted.name)
def test_each_range_of_the_project_is_met_by_the_lock(wanted):
    found = [entry for entry in LOCKED if entry.name == wanted.name]
    assert found, f"{wanted.name} stands in pyproject.toml and not in requirements.lock: run nox -s lock"
    for entry in found:
        assert wanted.specifier.contains(version_of(entry)), f"{entry} is outside {wanted}: run nox -s lock"


def test_every_entry_of_the_lock_has_hashes_and_one_version():
    stated = [line for line in LOCK_TEXT.splitlines() if line and line[0] not in " #"]
    assert len(ENTRIES) == len(stated) > 50
    names = [entry.name for entry in LOCKED]
    assert sorted(set(names)) == sorted(names), (
        "a package stands twice: `nox -s lock` picks one version for all systems"
    )


@pytest.mark.parametrize("name", ["mutants", "cluster", "hub"])
def test_a_group_has_a_lock_of_its_own_with_hashes_and_the_versions_of_the_course(name):
    text = (ROOT / "locks" / f"{name}.lock").read_text(encoding="utf-8")
    found = {entry.name: version_of(entry) for entry in (Requirement(line) for line, _ in ENTRY.findall(text))}
    assert len(found) == len([line for line in text.splitlines() if line and line[0] not in " #"])
    group = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"][name]
    assert all(wanted.specifier.contains(found[wanted.name]) for wanted in map(Requirement, group))
    ours = {entry.name: version_of(entry) for entry in LOCKED}
    assert {one: found[one] for one in found if one in ours} == {one: ours[one] for one in found if one in ours}


def test_the_weights_have_a_lock_of_their_own():
    """One package, pinned and hashed, installed without its dependencies; it must not come in by the other lock."""
    text = (ROOT / "locks" / "model.lock").read_text(encoding="utf-8")
    stated = [line for line in text.splitlines() if line and line[0] not in " #"]
    name, version = stated[0].removesuffix(" \\").split("==")
    assert len(stated) == 1 and version and re.search(r"--hash=sha256:[0-9a-f]{64}", text)
    assert name not in {entry.name for entry in LOCKED} and not re.search(r"https?://|--(extra-)?index-url", text)


def test_the_changelog_the_citation_and_what_jupyterlab_loads_know_the_version():
    entries = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert entries[0] == (PROJECT["version"], citation["date-released"])
    package = json.loads((ROOT / "workshop" / "jupyterlab" / "package.json").read_text("utf-8"))
    assert citation["version"] == package["version"] == PROJECT["version"] and citation["license"] == PROJECT["license"]


def test_an_installed_course_has_every_file():
    """Lesson 17 reads a trained writer, the checks their tables, the explorables their scripts."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    packed = {
        path for name, globs in patterns.items() for one in globs for path in (ROOT / name.replace(".", "/")).glob(one)
    }
    there = {path for path in (ROOT / "course_utils").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    there |= set((ROOT / "pagecheck").glob("*.*"))
    assert sorted(path for path in there - packed if path.suffix != ".py") == []


BEFORE_PAGECHECK = """
import sys
from importlib.util import find_spec, spec_from_file_location

class Before:
    def find_spec(name, path=None, target=None):
        return spec_from_file_location(name, sys.argv[1]) if name == "course_utils" else None

sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in finder.__module__] + [Before]
assert find_spec("pagecheck") is None
import course_utils.checks
import pagecheck
print(pagecheck.__file__)
"""


def test_an_environment_that_knows_course_utils_alone_goes_on_working(tmp_path):
    """It was made before `pagecheck` stood beside it, and nobody has installed anything since."""
    command = [sys.executable, "-c", BEFORE_PAGECHECK, str(ROOT / "course_utils" / "__init__.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == str(ROOT / "pagecheck" / "__init__.py"), done.stderr


def test_conda_takes_its_versions_from_the_lock():
    by_kind = {type(entry): entry for entry in ENVIRONMENT["dependencies"]}
    assert by_kind[dict] == {"pip": ["-r requirements.lock"]}
    pinned = dict(entry.split("=") for entry in ENVIRONMENT["dependencies"] if isinstance(entry, str))
    assert set(pinned) == {"python", "pip"}, "everything else comes from the lock"
    assert SpecifierSet(PROJECT["requires-python"]).contains(pinned["python"])


def test_this_environment_is_the_lock():
    from importlib.metadata import PackageNotFoundError, version

    wrong = {}
    for entry in LOCKED:
        if entry.marker is None or entry.marker.evaluate():
            try:
                found = version(entry.name)
            except PackageNotFoundError:
                found = "missing"
            if found != version_of(entry):
                wrong[entry.name] = (found, version_of(entry))
    assert not wrong, f"{{name: (installed, locked)}} in {sys.prefix}: {wrong}"
