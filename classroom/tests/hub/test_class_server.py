"""A real class server: a hub on loopback, students with passwords and kernels. `nox -s hub -- --test`."""

import os
import re
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import requests
from hub_student import CLASS_SERVER, PYTHON, ClassServer, Refused, Student, cells

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="`nox -s hub -- --test` makes the hub's environment")
LESSON = "05_not_good.ipynb"


@pytest.fixture(scope="module")
def hub():
    shared = ["--shared-account"] if os.environ.get("HUB_SHARED_ACCOUNT") else []
    with tempfile.TemporaryDirectory(prefix="class-") as folder:  # pytest's own folders are closed to others
        running = ClassServer(folder, ["anna", "ben"], *shared)
        running.start()
        yield running
        running.stop()


@pytest.fixture(scope="module")
def anna(hub):
    student = hub.student("anna")
    student.sign_in()
    return student


def test_it_listens_on_this_machine_only(hub):
    table = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1] for row in table if row[3] == "0A"]  # the listening ones
    ours = {
        address.split(":")[0]
        for address in listening
        if int(address.split(":")[1], 16) in range(hub.port, hub.port + 3)
    }
    assert ours == {"0100007F"}  # 127.0.0.1


@pytest.mark.parametrize(("name", "password"), [("anna", "wrong"), ("carla", "anything"), ("root", ""), ("", "")])
def test_nobody_comes_in_without_an_account_and_its_password(hub, name, password):
    with pytest.raises(Refused):
        Student(hub.url, name, password).sign_in()


def test_a_name_is_known_as_people_type_it(hub):
    ben = hub.student("ben")
    ben.pages.get(f"{hub.url}/hub/login", timeout=20)
    words = {"username": " Ben ", "password": ben.password, "_xsrf": ben._xsrf("/hub/")}
    page = ben.pages.post(f"{hub.url}/hub/login?next=%2Fhub%2Fhome", data=words, timeout=60)
    assert page.url == f"{hub.url}/hub/home"


def test_the_page_to_sign_in_names_its_fields_and_says_what_is_wrong(hub):
    student = Student(hub.url, "anna", "wrong")
    page = student.pages.get(f"{hub.url}/hub/login", timeout=20).text
    assert set(re.findall(r'<label for="(\w+)"', page)) == {"username_input", "password_input"}
    assert 'role="alert"' not in page and ">Login<" not in "".join(page.split())
    words = {"username": "anna", "password": "wrong", "_xsrf": student._xsrf("/hub/")}
    page = student.pages.post(f"{hub.url}/hub/login", data=words, timeout=60).text
    assert re.search(r'role="alert".*?waits five minutes', page, re.S)
    assert re.search(r'<input id="username_input"[^>]*value="anna"', page)


@pytest.mark.parametrize("word", ["short", "password"])
def test_a_password_that_others_would_guess_is_refused(hub, anna, word):
    words = dict.fromkeys(("new_password", "new_password_confirmation"), word)
    words |= {"old_password": anna.password, "_xsrf": anna._xsrf("/hub/")}
    page = anna.pages.post(f"{hub.url}/hub/change-password", data=words, timeout=60).text
    assert "at least 8 characters and is not too common" in " ".join(page.split())
    hub.student("anna").sign_in()


@pytest.mark.parametrize(
    ("names", "output"),
    [
        (["cleo", "Ben Müller"], "No account was made, because these cannot be names: ben müller."),
        (["cleo", "Dan", "dan"], "No account was made, because these stand there twice: dan."),
        (["@no such file"], "The list of names cannot be read"),
    ],
)
def test_a_list_that_cannot_be_used_makes_no_account_and_says_why(hub, names, output):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        hub.command("students", *names)
    assert output in refused.value.stdout
    assert "cleo" not in (hub.folder / "passwords.csv").read_text()


def test_a_list_of_windows_is_read(hub):
    (hub.folder / "list.txt").write_text("\ufeffemil\r\n\r\n", encoding="utf-8")
    assert "1 new passwords" in hub.command("students", f"@{hub.folder / 'list.txt'}")


def test_nobody_makes_an_account_for_oneself(hub):
    assert requests.get(f"{hub.url}/hub/signup", timeout=20).status_code == 404


def test_passwords_are_kept_as_hashes(hub):
    database = (hub.folder / "hub" / "hub.sqlite").read_bytes()
    assert b"$2b$" in database and not [word for word in hub.passwords.values() if word.encode() in database]
    assert stat.S_IMODE((hub.folder / "passwords.csv").stat().st_mode) == 0o600
    assert stat.S_IMODE((hub.folder / "hub").stat().st_mode) == 0o700


def test_a_student_runs_a_lesson_in_the_environment_of_the_course(anna):
    notebook = anna.read(LESSON)["content"]
    kernel = anna.open(LESSON)
    for code in cells(notebook):
        kernel.run(code)
    assert kernel.run("import sys; print(sys.prefix)").strip() == str(PYTHON.parents[2] / ".venv")
    kernel.close()


def test_the_first_lesson_is_trusted_so_that_its_playground_moves(anna):
    notebook = anna.read("00_start_here.ipynb")["content"]
    assert all(cell["metadata"].get("trusted") for cell in notebook["cells"] if cell["cell_type"] == "code")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give each student a number")
def test_a_student_cannot_read_others_nor_change_the_course(hub, anna):
    ben = hub.student("ben")
    ben.sign_in()
    kernel = anna.open(LESSON)
    private_paths = [
        hub.folder / "homes" / "ben" / LESSON,
        hub.folder / "passwords.csv",
        hub.folder / "hub" / "hub.sqlite",
    ]
    for path in private_paths:
        assert path.exists()
        with pytest.raises(RuntimeError, match="PermissionError"):
            kernel.run(f"open({str(path)!r})")
    ours = [PYTHON.parents[2] / package / "x.py" for package in ("course_utils", "pagecheck")]
    for path in (*ours, hub.folder / "lessons" / LESSON):
        with pytest.raises(RuntimeError, match="PermissionError"):
            kernel.run(f"open({str(path)!r}, 'a')")
    kernel.close()


def test_a_process_that_takes_too_much_memory_gets_an_error_and_the_kernel_lives(anna):
    kernel = anna.open(LESSON)
    with pytest.raises(RuntimeError, match="MemoryError"):
        kernel.run("import numpy as np; big = np.ones(3_000_000_000 // 8)")
    assert kernel.run("print(1 + 1)").strip() == "2"
    kernel.close()


def test_solutions_come_when_they_are_released_and_no_work_is_lost(hub, anna):
    home = hub.folder / "homes" / "anna"
    notebook = anna.read(LESSON)["content"]
    notebook["cells"][0]["source"] = "Mine."
    anna.save(LESSON, notebook)
    assert not list((home / "solutions").glob("*"))
    output = hub.command("release", "5")
    assert "homes are up to date" in output
    assert sorted(path.name for path in (home / "solutions").iterdir()) == [LESSON, "solved_attention.py"]
    assert (
        "def good_row" in (tools := (home / "solutions" / "solved_attention.py").read_text())
        and "split_heads" not in tools
    )
    assert anna.read(LESSON)["content"]["cells"][0]["source"] == "Mine."


def test_an_update_puts_a_new_version_beside_a_lesson_that_the_student_changed(hub, anna):
    home, staged = hub.folder / "homes" / "anna", hub.folder / "lessons" / LESSON
    staged.write_text(staged.read_text().replace("A review with a trap", "A review with two traps"))
    command = [PYTHON, CLASS_SERVER.parent / "start_student.py", staged.parent]
    subprocess.run(command, check=True, env={"HOME": str(home), "PATH": ""})
    assert "Mine." in (home / LESSON).read_text() and "two traps" not in (home / LESSON).read_text()
    assert [path for path in home.glob("05_not_good-*.ipynb") if "two traps" in path.read_text()]


def test_a_crash_of_the_hub_loses_neither_work_nor_kernels(hub, anna):
    kernel = anna.open(LESSON)
    kernel.run("kept = 42")
    hub.crash_and_start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            kernel.connect()
            break
        except Exception:
            time.sleep(1)
    assert kernel.run("print(kept)").strip() == "42"
    assert anna.read(LESSON)["content"]["cells"][0]["source"] == "Mine."
    kernel.close()


def test_an_account_that_exists_keeps_its_password(hub):
    assert "anna has an account" in hub.command("students", "anna")
    hub.student("anna").sign_in()
