"""A real class server: a hub on loopback, students with passwords and kernels. `nox -s hub -- --test`."""

import os
import re
import stat
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from hub_student import CLASS_SERVER, PYTHON, ClassServer, Refused, Student, cells

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="`nox -s hub -- --test` makes the hub's environment")
LESSON, ROOT = "05_not_good.ipynb", PYTHON.parents[2]
SHARED = bool(os.environ.get("HUB_SHARED_ACCOUNT"))


@pytest.fixture(scope="module")
def hub():
    with tempfile.TemporaryDirectory(prefix="class-") as folder:  # pytest's own folders are closed to others
        running = ClassServer(folder, ["anna", "ben"], "--disk", "0.2", *["--shared-account"] * SHARED)
        running.start()
        yield running
        running.stop()


@pytest.fixture(scope="module")
def anna(hub):
    student = hub.student("anna")
    student.sign_in()
    return student


@pytest.fixture
def kernel(anna):
    kernel = anna.open(LESSON)
    yield kernel
    kernel.close()


def post(student, page, **words):
    """Send a form of the hub and return the page that answers, in one line."""
    student.pages.get(f"{student.url}/hub/login", timeout=300)
    words["_xsrf"] = student._xsrf("/hub/")
    answer = student.pages.post(f"{student.url}/hub/{page}", data=words, timeout=300)
    return answer.url, " ".join(answer.text.split())


def test_it_listens_on_this_machine_only(hub):
    table = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1].split(":") for row in table if row[3] == "0A"]
    ports = range(hub.port, hub.port + 3)
    assert {address for address, port in listening if int(port, 16) in ports} == {"0100007F"}  # 127.0.0.1


@pytest.mark.parametrize(("name", "password"), [("anna", "wrong"), ("carla", "anything"), ("root", ""), ("", "")])
def test_nobody_comes_in_or_makes_an_account_without_being_on_the_list(hub, name, password):
    with pytest.raises(Refused):
        Student(hub.url, name, password).sign_in()
    assert requests.get(f"{hub.url}/hub/signup", timeout=20).status_code == 404


class Elsewhere(requests.adapters.HTTPAdapter):
    """Requests from another address."""

    def init_poolmanager(self, *arguments, **settings):
        super().init_poolmanager(*arguments, source_address=("127.0.0.2", 0), **settings)


def test_the_page_to_sign_in_says_what_is_wrong_and_knows_a_name_as_people_type_it(hub):
    ben, far = hub.student("ben"), hub.student("ben")
    far.pages.mount("http://", Elsewhere())
    for number in range(12):
        ben.pages.headers["X-Real-Ip"] = f"10.0.0.{number}"  # forged, and not believed
        _, page = post(ben, "login", username=" Ben ", password="wrong")
    assert re.search(r'role="alert".*?Whoever guesses often waits', page)
    seconds = []
    for student in (far, ben):
        start = time.monotonic()
        url, _ = post(student, "login?next=%2Fhub%2Fhome", username=" Ben ", password=ben.password)
        seconds.append(time.monotonic() - start)
        assert url == f"{hub.url}/hub/home"  # nobody is locked out
    assert seconds[1] > 3 and seconds[1] - seconds[0] > 2  # and who guesses from there waits, nobody else


def test_many_guesses_at_once_do_not_keep_others_waiting(hub):
    far = hub.student("anna")
    far.pages.mount("http://", Elsewhere())
    wrong = [Student(hub.url, "anna", "wrong") for _ in range(40)]
    with ThreadPoolExecutor(len(wrong)) as pool:
        guesses = [pool.submit(post, one, "login", username="anna", password="wrong") for one in wrong]
        while sum(guess.done() for guess in guesses) < 20:
            time.sleep(0.05)
        url, _ = post(far, "login?next=%2Fhub%2Fhome", username="anna", password=far.password)
        assert url == f"{hub.url}/hub/home" and not all(guess.done() for guess in guesses)


@pytest.mark.parametrize("word", ["short", "password"])
def test_a_password_that_others_would_guess_is_refused(hub, anna, word):
    again = {"new_password": word, "new_password_confirmation": word}
    _, page = post(anna, "change-password", old_password=anna.password, **again)
    assert "at least 8 characters and is not too common" in page
    hub.student("anna").sign_in()


@pytest.mark.parametrize(
    ("names", "output"),
    [
        (["cleo", "--idle", "120"], "The least is 300 seconds"),
        (["cleo", "--disk", "0"], "The least is 0.1 GB"),
        (["cleo", "Ben Müller"], "No account was made, because these cannot be names: ben müller."),
        (["cleo", "Dan", "dan"], "No account was made, because these names are listed twice: dan."),
        (["@no such file"], "The list of names cannot be read"),
    ],
)
def test_a_list_that_cannot_be_used_makes_no_account_and_says_why(hub, names, output):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        hub.command("students", *names)
    assert output in refused.value.stdout and "cleo" not in (hub.folder / "passwords.csv").read_text()


def test_a_list_of_windows_is_read_and_who_has_an_account_keeps_the_password(hub):
    (hub.folder / "list.txt").write_text("\ufeffemil\r\n\r\nanna\r\n", encoding="utf-8")
    told = hub.command("students", f"@{hub.folder / 'list.txt'}")
    assert "1 new passwords" in told and "anna has an account" in told
    hub.student("anna").sign_in()


def test_passwords_are_kept_as_hashes(hub):
    database = (hub.folder / "hub" / "hub.sqlite").read_bytes()
    assert b"$2b$" in database and not [word for word in hub.passwords.values() if word.encode() in database]
    modes = [stat.S_IMODE((hub.folder / name).stat().st_mode) for name in ("passwords.csv", "hub")]
    assert modes == [0o600, 0o700]


def test_a_student_runs_a_lesson_in_the_environment_of_the_course(anna, kernel):
    for code in cells(anna.read(LESSON)["content"]):
        kernel.run(code)
    assert kernel.run("import sys; print(sys.prefix)").strip() == str(ROOT / ".venv")
    first = anna.read("00_start_here.ipynb")["content"]["cells"]  # is trusted, so that its playground moves
    assert all(cell["metadata"].get("trusted") for cell in first if cell["cell_type"] == "code")


@pytest.mark.skipif(os.geteuid() != 0 or SHARED, reason="only root can give each student a number")
def test_a_student_cannot_read_others_nor_change_the_course(hub, kernel):
    hub.student("ben").sign_in()
    private = [hub.folder / name for name in (f"homes/ben/{LESSON}", "passwords.csv", "hub/hub.sqlite")]
    ours = [ROOT / "course_utils/x.py", ROOT / "pagecheck/x.py", hub.folder / "lessons" / LESSON]
    assert all(path.exists() for path in private)
    for path in (*private, *ours):
        with pytest.raises(RuntimeError, match="PermissionError"):
            kernel.run(f"open({str(path)!r}, {'a' if path in ours else 'r'!r})")


def test_a_process_that_takes_too_much_memory_gets_an_error_and_the_kernel_lives(kernel):
    with pytest.raises(RuntimeError, match="MemoryError"):
        kernel.run("import numpy as np; big = np.ones(3_000_000_000 // 8)")
    assert kernel.run("print(1 + 1)").strip() == "2"


def test_a_file_cannot_be_larger_than_a_home(kernel):
    with pytest.raises(RuntimeError, match="File too large"):
        kernel.run("with open('big', 'wb') as file:\n    file.seek(300_000_000)\n    file.write(b'x')")


def test_what_writes_without_end_is_ended_and_says_why_and_the_files_stay(hub, anna):
    kernel, home = anna.open(LESSON), hub.folder / "homes" / "anna"
    files = [home / f"{number}.bin" for number in range(3)]
    writing = "import time\nfor i in range(3): open(f'{i}.bin', 'wb').write(bytes(90_000_000))\n"
    with pytest.raises(RuntimeError, match="The kernel ended"):
        kernel.run(writing + "while True: time.sleep(1)", seconds=120)
    kernel.close()
    note, deadline = home / "YOUR FOLDER IS FULL.txt", time.monotonic() + 60
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < deadline
        time.sleep(1)
    assert "Nothing of yours was deleted" in note.read_text() and "0.bin" in note.read_text()
    assert files[0].stat().st_size == 90_000_000 and anna.read(LESSON)["name"] == LESSON
    for file in files:
        file.unlink(missing_ok=True)


def test_the_work_of_one_lesson_is_collected_as_grade_takes_it_and_no_link_is_followed(hub, anna, tmp_path):
    home = hub.folder / "homes" / "anna"
    (home / "my_attention.py").write_text("x = 1")
    (home / "05_not_good-2.ipynb").symlink_to(hub.folder / "passwords.csv")
    said = hub.command("collect", "5", "--out", str(tmp_path))
    assert sorted(path.name for path in (tmp_path / "anna").iterdir()) == [LESSON, "my_attention.py"]
    assert (tmp_path / "anna" / LESSON).read_bytes() == (home / LESSON).read_bytes()
    assert "Passed over, as a link" in said and "anna/05_not_good-2.ipynb" in said
    (home / "my_attention.py").unlink(), (home / "05_not_good-2.ipynb").unlink()


def test_solutions_come_when_they_are_released_and_a_changed_lesson_stays(hub, anna):
    home, staged = hub.folder / "homes" / "anna", hub.folder / "lessons" / LESSON
    notebook = anna.read(LESSON)["content"]
    notebook["cells"][0]["source"] = "Mine."
    anna.save(LESSON, notebook)
    assert not list((home / "solutions").glob("*"))
    assert "homes are up to date" in hub.command("release", "4", "5")
    released = ["04_queries_keys_values.ipynb", LESSON, "solved_attention.py"]
    assert sorted(path.name for path in (home / "solutions").iterdir()) == released
    tools = (home / "solutions" / "solved_attention.py").read_text()
    assert "def embed" in tools and "def cosine" not in tools  # of lesson 04, and of another one
    staged.write_text(staged.read_text().replace("A review with a trap", "A review with two traps"))
    command = [PYTHON, CLASS_SERVER.parent / "start_student.py", staged.parent]
    subprocess.run(command, check=True, env={"HOME": str(home), "PATH": ""})
    assert [path for path in home.glob("05_not_good-*.ipynb") if "two traps" in path.read_text()]
    assert anna.read(LESSON)["content"]["cells"][0]["source"] == "Mine."


def test_a_crash_of_the_hub_loses_neither_work_nor_kernels(hub, anna, kernel):
    saved = anna.read(LESSON)["content"]
    kernel.run("kept = 42")
    hub.crash_and_start()
    deadline = time.monotonic() + 60
    while not kernel_is_back(kernel):
        assert time.monotonic() < deadline
        time.sleep(1)
    assert kernel.run("print(kept)").strip() == "42" and anna.read(LESSON)["content"] == saved


def kernel_is_back(kernel):
    try:
        kernel.connect()
    except Exception:
        return False
    return True
