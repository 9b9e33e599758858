"""The class server's parts that need no JupyterHub: numbers and limits, its lock, the class that fits."""

import asyncio
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import nbformat
import preflight_class
import pytest

ROOT = Path(__file__).resolve().parents[3]
HUB = ROOT / "classroom" / "hub"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="JupyterHub does not run on Windows")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def accounts(monkeypatch):
    monkeypatch.syspath_prepend(str(HUB))
    import accounts

    yield accounts
    sys.modules.pop("accounts")


def test_a_home_is_closed_to_others_stays_and_has_a_number_that_no_account_has(accounts, tmp_path):
    homes = [accounts.ensure_home(tmp_path, name, separate=IS_ROOT) for name in ("anna", "ben", "root", "anna")]
    assert homes[0] == homes[3] and {home.stat().st_mode & 0o777 for home in homes} == {0o700}
    numbers = [home.stat().st_uid - accounts.FIRST_UID for home in homes]
    assert numbers == [0, 1, 2, 0] or not IS_ROOT  # only root gives numbers


@pytest.mark.parametrize("name", ["", "..", "a/b", "../root", "-x", "Anna", "a b", "a" * 32, "anna\n"])
def test_a_name_that_leads_elsewhere_is_refused(accounts, tmp_path, name):
    with pytest.raises(ValueError, match="name of a student"):
        accounts.ensure_home(tmp_path, name, separate=False)


def test_students_take_turns_on_the_processors(accounts, monkeypatch):
    monkeypatch.setattr(accounts.os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert [accounts.cpus_of(turn, 1) for turn in range(5)] == [{0}, {1}, {2}, {3}, {0}]
    assert [accounts.cpus_of(turn, 2) for turn in range(2)] == [{0, 1}, {2, 3}]
    assert accounts.cpus_of(0, 4) is None is accounts.cpus_of(0, None)


def test_who_guesses_waits_and_nobody_else(guesses):
    waits = [guesses.delay("there", now) for now in range(30)]
    assert waits[:3] == [0, 0.25, 0.5] and waits[-1] == 5 and guesses.delay("here", 30) == 0
    assert guesses.delay("there", 1000) == 0  # after five minutes
    for number in range(20_000):
        guesses.delay(str(number), 1000)
    assert len(guesses.times) <= 10_000


def test_a_class_that_signs_in_at_once_behind_one_address_waits_for_seconds(guesses):
    waits = [guesses.delay("the room", 1.0) for _ in range(40)]
    for _ in range(40):
        guesses.forget("the room", 1.0)
    assert max(waits) == 5 and guesses.delay("the room", 2.0) == 0


@pytest.fixture
def guesses(monkeypatch):
    monkeypatch.syspath_prepend(str(HUB))
    from guesses import Guesses

    return Guesses()


def test_what_would_keep_the_hub_from_starting_is_said_before(monkeypatch, tmp_path):
    import refusals

    monkeypatch.setattr(refusals.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(refusals.accounts, "find_closed_folder", lambda paths: Path("/root"))
    assert len(list(refusals.refusals(tmp_path / "class", idle=120, disk=0))) == 3
    assert not list(refusals.refusals(tmp_path / "class", shared_account=True))
    monkeypatch.setattr(refusals.running, "is_hub_running", lambda folder: True)
    assert "runs already" in next(refusals.refusals(tmp_path, shared_account=True))
    assert not list(refusals.refusals(tmp_path, shared_account=True, starts=False))
    monkeypatch.setattr(preflight_class, "measure_lesson", lambda: {"own": 0.1, "shared": 0.1, "cpu": 1, "seconds": 1})
    assert preflight_class.report(1) == 1


def test_the_folder_above_the_class_has_to_be_open_and_the_hub_opens_the_class_itself(monkeypatch, tmp_path):
    import refusals

    monkeypatch.setattr(refusals.accounts, "find_closed_folder", lambda paths: paths[-1])
    (tmp_path / "class").mkdir(mode=0o700)
    assert [refusals.closed_folder(tmp_path / name) for name in ("class", "new", "new/class")] == [tmp_path] * 3


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(HUB))
    (home := tmp_path / "homes" / "anna").mkdir(parents=True)
    return home


def test_a_full_home_ends_the_kernels_keeps_the_files_and_writes_through_no_link(home):
    import disk

    (secret := home.parent / "secret").write_text("secret")
    (home / disk.NOTE).symlink_to(secret)
    (home / "big").write_bytes(b"1" * 300_000)
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    server = subprocess.Popen([sys.executable, "-c", code])
    disk.hold(home, 10_000_000, server.pid)
    assert server.poll() is None and (home / disk.NOTE).is_symlink()
    while not preflight_class.psutil.Process(server.pid).children():
        pass
    disk.hold(home, 100_000, server.pid)
    assert server.wait(20) == 0 and (home / "big").exists()  # its child was ended, it was not
    assert "GB  big" in (home / disk.NOTE).read_text() and secret.read_text() == "secret"
    disk.hold(home.parent / "nobody", 100_000, server.pid)  # raises nothing


@pytest.mark.skipif(not IS_ROOT, reason="only root can give each student a number")
def test_what_has_left_a_students_server_is_ended_too(home):
    import disk

    os.chown(home, number := disk.FIRST_UID + 54_321, number)
    (home / "big").write_bytes(b"1" * 300_000)
    left, server = (subprocess.Popen(["/bin/sleep", "60"], user=number) for _ in range(2))
    disk.hold(home, 100_000, server.pid)
    assert left.wait(20) == -9 and server.poll() is None
    server.kill()


def test_only_regular_files_of_one_name_are_collected_and_no_student_reads_them(home, tmp_path, monkeypatch):
    import collect

    monkeypatch.setattr(collect, "MAX_BYTES", 1000)
    (home.parent / "ben").mkdir()
    for name in ("05_a.ipynb", "05_a-2.ipynb", "my_model.py", "06_a.ipynb", "notes.txt"):
        (home / name).write_text(name)
    (home / "05_large.ipynb").write_bytes(bytes(2000))
    for name in ("secret", "hard"):
        (tmp_path / name).write_text(name)
    (home / "my_attention.py").symlink_to(tmp_path / "secret")
    os.link(tmp_path / "hard", home / "05_hard.ipynb")
    os.mkfifo(home / "05_pipe.ipynb")
    umask = os.umask(0o022)
    found = collect.collect(home.parent, "05", out := tmp_path / "returns")
    os.umask(umask)
    right = ["05_a-2.ipynb", "05_a.ipynb", "my_model.py"]
    passed_over = ["05_hard.ipynb", "05_large.ipynb", "05_pipe.ipynb", "my_attention.py"]
    assert found == {"anna": (right, passed_over), "ben": ([], [])}
    assert sorted(path.name for path in out.rglob("*.*")) == right and out.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("seconds", "asked", "idle"), [(3500, 3500, False), (15, 4000, False), (3700, 4000, True)])
def test_a_server_is_ended_only_if_the_proxy_has_seen_nothing_either(home, monkeypatch, seconds, asked, idle):
    """seconds: since the student saved; asked: since the hub has heard of anything."""
    import culler_config

    async def fetch(_, request):
        assert (request.url, request.headers["Authorization"]) == ("http://proxy/api/routes", "token secret")
        saved = (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
        return SimpleNamespace(body=json.dumps({"/": {}, "/user/anna": {"last_activity": saved}}))

    monkeypatch.setenv("CONFIGPROXY_AUTH_TOKEN", "secret")
    monkeypatch.setenv("PROXY_ROUTES", "http://proxy/api/routes")
    monkeypatch.setattr(culler_config, "AsyncHTTPClient", type("Client", (), {"fetch": fetch}))
    given = {"inactive": timedelta(seconds=asked), "inactive_limit": 3600, "server": {"url": "/user/anna/"}}
    assert asyncio.run(culler_config.is_idle(**given)) is idle


def test_systemd_gets_the_limits_and_the_number(accounts):
    words = accounts.systemd_command(200_000, 2_000_000_000, 1.5)
    assert {"--scope", "--uid=200000", "--gid=200000"} <= set(words) and words[-1] == "--"
    assert {"--property=MemoryMax=2000000000", "--property=CPUQuota=150%"} <= set(words)
    assert not [word for word in accounts.systemd_command(None, 1, 1) if "id=" in word]


def test_the_container_copies_what_is_there_and_leaves_out_work_and_environments():
    [copied] = re.findall(r"^COPY (.+) \./$", (HUB / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert all((ROOT / name).is_file() for name in copied.split())
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv*", "class", "my_work"} <= set(left_out)


def test_a_student_gets_in_even_when_the_lessons_cannot_be_renewed(tmp_path):
    (tmp_path / ".copied.json").mkdir()  # the record cannot be written
    (lessons := tmp_path / "lessons").mkdir()
    command = [sys.executable, str(HUB / "start_student.py"), str(lessons)]
    own = os.environ | {"HOME": str(tmp_path)}
    said = subprocess.run([*command, sys.executable, "-c", "print('in')"], env=own, capture_output=True, text=True)
    assert said.stdout.splitlines()[-1] == "in" and "stay as they are" in said.stdout
    assert subprocess.run(command, env=own, capture_output=True).returncode != 0  # release and update say it


@pytest.mark.parametrize(
    ("free", "cores", "disk", "signs", "advice"),
    [
        (32, 16, 50, "✓✓✓", ""),
        (5.4, 16, 50, "✗✓✓", "10 students fit"),
        (32, 2, 50, "✓○✓", "groups of 6 train in turn"),
        (32, 16, 0.5, "✓✓✗", "empty the bin"),
    ],
)
def test_what_does_not_fit_is_named_with_what_helps(free, cores, disk, signs, advice):
    one = {"own": 0.4, "shared": 0.4, "cpu": 20.0, "seconds": 25.0}
    lines = preflight_class.verdict(30, one, free, cores, disk)
    assert "".join(sign for sign, _ in lines) == signs and advice in "".join(words for _, words in lines)


def test_a_lesson_is_measured_in_a_real_kernel(tmp_path):
    large = "import numpy as np; kept = np.ones(25_000_000); print(kept.sum())"  # 0.2 GB
    cells = [nbformat.v4.new_code_cell(code) for code in (large, "sum(range(10**8))")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "lesson.ipynb")
    found = preflight_class.run_lesson(tmp_path / "lesson.ipynb", tmp_path)
    assert 0.2 < found["own"] < 0.5 and 0 < found["cpu"] <= found["seconds"]


def test_a_closed_folder_is_found(accounts, tmp_path):
    (tmp_path / "in").mkdir(mode=0o755)
    tmp_path.chmod(0o700)
    assert accounts.find_closed_folder([tmp_path / "in"]) == tmp_path
    assert accounts.find_closed_folder(["/"]) is None
