"""The class server's parts that need no JupyterHub: numbers and limits, files of other engines, the class that fits."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import preflight_class
import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
HUB = ROOT / "classroom" / "hub"
LOCKED = re.findall(r"^([\w.-]+)==([^ ;\\]+)", (ROOT / "locks" / "hub.lock").read_text(encoding="utf-8"), re.MULTILINE)
COURSE = re.findall(r"^([\w.-]+)==([^ ;\\]+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="JupyterHub does not run on Windows")


@pytest.fixture
def accounts(monkeypatch):
    monkeypatch.syspath_prepend(str(HUB))
    import accounts

    yield accounts
    sys.modules.pop("accounts")


def test_a_home_is_closed_to_others_and_stays(accounts, tmp_path):
    home = accounts.ensure_home(tmp_path, "anna", separate=False)
    (home / "work").touch()
    assert home.stat().st_mode & 0o777 == 0o700 and accounts.ensure_home(tmp_path, "anna", separate=False) == home
    assert (home / "work").exists()


@pytest.mark.parametrize("name", ["", "..", "a/b", "../root", "-x", "Anna", "a b", "a" * 32, "anna\n"])
def test_a_name_that_leads_elsewhere_is_refused(accounts, tmp_path, name):
    with pytest.raises(ValueError, match="name of a student"):
        accounts.ensure_home(tmp_path, name, separate=False)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives numbers")
def test_each_student_has_a_number_that_no_account_of_the_machine_has(accounts, tmp_path):
    numbers = [accounts.ensure_home(tmp_path, name, separate=True).stat().st_uid for name in ("anna", "ben", "root")]
    assert numbers == [accounts.FIRST_UID, accounts.FIRST_UID + 1, accounts.FIRST_UID + 2]


def test_students_take_turns_on_the_processors(accounts, monkeypatch):
    monkeypatch.setattr(accounts.os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert [accounts.cpus_of(turn, 1) for turn in range(5)] == [{0}, {1}, {2}, {3}, {0}]
    assert [accounts.cpus_of(turn, 2) for turn in range(2)] == [{0, 1}, {2, 3}]
    assert accounts.cpus_of(0, 4) is None is accounts.cpus_of(0, None)


def test_a_closed_folder_is_found(accounts, tmp_path):
    (tmp_path / "in").mkdir(mode=0o755)
    tmp_path.chmod(0o700)
    assert accounts.find_closed_folder([tmp_path / "in"]) == tmp_path
    assert accounts.find_closed_folder(["/"]) is None


def test_systemd_gets_the_limits_and_the_number(accounts):
    words = accounts.systemd_command(200_000, 2_000_000_000, 1.5)
    assert {"--scope", "--uid=200000", "--gid=200000"} <= set(words) and words[-1] == "--"
    assert {"--property=MemoryMax=2000000000", "--property=CPUQuota=150%"} <= set(words)
    assert not [word for word in accounts.systemd_command(None, 1, 1) if "id=" in word]


def test_the_hub_has_its_own_lock_with_the_versions_of_the_course():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["hub"]
    there, course = dict(LOCKED), dict(COURSE)
    assert all(one.specifier.contains(there[one.name]) for one in map(Requirement, wanted))
    assert {name: there[name] for name in there if name in course} == {n: course[n] for n in there if n in course}
    text = (ROOT / "locks" / "hub.lock").read_text(encoding="utf-8")
    assert text.count("--hash=sha256:") > len(LOCKED) and not re.search(r"https?://|--index-url", text)
    assert '"resolved"' not in (HUB / "package-lock.json").read_text(encoding="utf-8")


def test_nobody_signs_up_and_no_password_is_for_all():
    settings = (HUB / "jupyterhub_config.py").read_text(encoding="utf-8")
    assert "enable_signup = False" in settings and not re.search("dummy|shared-password|open_signup", settings)
    native = yaml.safe_load((HUB / "values.yaml").read_text(encoding="utf-8"))["hub"]["config"]["NativeAuthenticator"]
    assert native["open_signup"] is False  # there the instructor approves


@pytest.mark.parametrize(
    "file", ["classroom/hub/Dockerfile", "classroom/hub/values.yaml", "environment.yml", "postBuild"]
)
def test_a_file_that_was_not_run_says_so_in_its_head(file):
    head = [line for line in (ROOT / file).read_text(encoding="utf-8").splitlines()[:6] if line.startswith("#")]
    assert re.search("not run here|neither of which was run here", " ".join(head), re.IGNORECASE)


def test_the_container_copies_what_is_there_and_leaves_out_work_and_environments():
    copied = re.findall(r"^COPY (.+) \./$", (HUB / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert copied and all((ROOT / name).is_file() for name in copied[0].split())
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv*", "class", "my_work"} <= set(left_out)
    assert {name.rstrip("/") for name in ignored if name.startswith(("my_", "class"))} <= set(left_out)


def test_a_student_gets_in_even_when_the_lessons_cannot_be_renewed(tmp_path):
    (tmp_path / ".copied.json").mkdir()  # the record cannot be written
    (lessons := tmp_path / "lessons").mkdir()
    command = [sys.executable, str(HUB / "start_student.py"), str(lessons)]
    own = os.environ | {"HOME": str(tmp_path)}
    said = subprocess.run([*command, sys.executable, "-c", "print('in')"], env=own, capture_output=True, text=True)
    assert said.stdout.splitlines()[-1] == "in" and "stay as they are" in said.stdout
    assert subprocess.run(command, env=own, capture_output=True).returncode != 0  # release and update say it


# A class that fits

ONE = {"own": 0.4, "shared": 0.4, "cpu": 20.0, "seconds": 25.0}


@pytest.mark.parametrize(
    ("free", "cores", "disk", "signs"),
    [(32, 16, 50, "✓✓✓"), (8, 16, 50, "✗✓✓"), (32, 2, 50, "✓○✓"), (32, 16, 0.5, "✓✓✗")],
)
def test_what_does_not_fit_is_named(free, cores, disk, signs):
    assert "".join(sign for sign, _ in preflight_class.verdict(30, ONE, free, cores, disk)) == signs


def test_the_advice_says_how_many_fit():
    [(sign, words), *_] = preflight_class.verdict(30, ONE, 5.4, 16, 50)
    assert sign == "✗" and "10 students fit" in words


def test_a_lesson_is_measured_in_a_real_kernel(tmp_path):
    import nbformat

    cell = "import numpy as np; kept = np.ones(25_000_000); print(kept.sum())"  # 0.2 GB
    path = tmp_path / "lesson.ipynb"
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in (cell, "sum(range(10**8))")]), path
    )
    found = preflight_class.run_lesson(path, tmp_path)
    assert 0.2 < found["own"] < 0.5 and 0 < found["cpu"] <= found["seconds"]
