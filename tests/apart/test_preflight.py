"""nox -s preflight: every item is green here, and turns red when its thing is broken, with words that help."""

import contextlib
import re
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import preflight
import preflight_lab
import pytest
import shipped
from shipped import Missing, Notice

ROOT = Path(__file__).resolve().parents[2]

CONFIG = {
    "fullLabextensionsUrl": "/lab/extensions",
    "federated_extensions": [{"name": name, "load": "static/x.js"} for name in preflight_lab.FRONT_ENDS],
    "disabledExtensions": [],
}


def test_this_machine_is_ready(capsys):
    assert preflight.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [*preflight.QUICK, *preflight.SLOW]
    assert {line[0] for line in lines} <= {"✓", "○"}


@pytest.mark.parametrize("item", [*preflight.QUICK, *preflight.SLOW])
def test_one_item_that_is_missing_makes_the_whole_red(item, monkeypatch, capsys):
    def broken():
        raise Missing("do this")

    for items in (preflight.QUICK, preflight.SLOW):
        monkeypatch.setattr(
            preflight, "QUICK" if items is preflight.QUICK else "SLOW", dict.fromkeys(items, lambda: "")
        )
        for table in (preflight.QUICK, preflight.SLOW):
            if item in table:
                monkeypatch.setitem(table, item, broken)
    assert preflight.main() == 1
    assert re.search(rf"^✗ {item} +do this$", capsys.readouterr().out, re.MULTILINE)


def test_what_is_only_worth_knowing_stops_nobody(monkeypatch, capsys):
    def worth():
        raise Notice("by the way")

    monkeypatch.setattr(preflight, "QUICK", {})
    monkeypatch.setattr(preflight, "SLOW", {"browser": worth})
    assert preflight.main() == 0 and "○ browser" in capsys.readouterr().out


def test_a_check_that_breaks_off_is_red_and_says_why():
    sign, words = preflight.run_check(lambda: 1 / 0)
    assert sign == "✗" and "ZeroDivisionError" in words


# Each item, broken


def test_packages(monkeypatch):
    lines = ["numpy         ready", "anywidget     MISSING; type this"]
    monkeypatch.setattr(preflight.toolbox, "toolbox", lambda: lines)
    with pytest.raises(Missing, match=r"^anywidget MISSING; type this$"):
        preflight.packages()


def test_memory():
    with pytest.raises(Missing, match="close other programs"):
        preflight.memory(needed=1e6)


def test_disk(tmp_path, monkeypatch):
    with pytest.raises(Missing, match="GB are free"):
        preflight.disk(tmp_path, needed=1e9)
    monkeypatch.setattr(preflight.os, "access", lambda *_: False)
    with pytest.raises(Missing, match="your own folder"):
        preflight.disk(tmp_path, needed=0)


def test_port():
    with socket.socket() as taken:
        taken.bind((preflight.machine.LOOPBACK, 0))
        taken.listen()
        number = taken.getsockname()[1]
        with pytest.raises(Missing, match="--port"):
            preflight.port(number, tries=1)
        assert f"{number} is taken" in preflight.port(number)


def test_kernel_that_is_not_there():
    sign, words = preflight.run_check(lambda: preflight.kernel("no-such-kernel"))
    assert sign == "✗" and "no-such-kernel" in words


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("raise RuntimeError('no front end')", "RuntimeError: no front end"),
        ("'a text'", "no widget came from"),
        ("import time; time.sleep(60)", "no answer in"),
    ],
)
def test_kernel_whose_explorables_fail(cell, words):
    sign, said = preflight.run_check(lambda: preflight.kernel(cells=[cell], seconds=6))
    assert sign == "✗" and words in said


def test_kernel_of_another_python(monkeypatch):
    monkeypatch.setattr(preflight.sys, "prefix", str(ROOT))
    with pytest.raises(Missing, match="another Python"):
        preflight.kernel(cells=[])


def test_front_ends():
    assert len(preflight_lab.front_ends(CONFIG)) == 2
    with pytest.raises(Missing, match="does not find anywidget"):
        preflight_lab.front_ends(CONFIG | {"federated_extensions": CONFIG["federated_extensions"][1:]})
    for off in ("anywidget", "anywidget:plugin"):
        with pytest.raises(Missing, match="anywidget is switched off"):
            preflight_lab.front_ends(CONFIG | {"disabledExtensions": [off]})


class LabWithout(preflight_lab.OwnLab):
    """A JupyterLab whose folders hold no widgets."""

    def _environment(self):
        folder = self.scratch / "config" / "labconfig"
        folder.mkdir(parents=True)
        (folder / "page_config.json").write_text('{"disabledExtensions": {"anywidget": true}}')
        return super()._environment() | {"JUPYTER_CONFIG_DIR": str(folder.parent)}


class LabThatIsOpen(preflight_lab.OwnLab):
    """A JupyterLab that asks for no token."""

    def _environment(self):
        folder = self.scratch / "config"
        folder.mkdir()
        (folder / "jupyter_server_config.json").write_text('{"IdentityProvider": {"token": ""}}')
        own = super()._environment() | {"JUPYTER_CONFIG_DIR": str(folder)}
        return {name: value for name, value in own.items() if name != "JUPYTER_TOKEN"}


@pytest.mark.parametrize(("lab", "words"), [(LabWithout, "switched off"), (LabThatIsOpen, "without its token")])
def test_jupyterlab(lab, words):
    with pytest.raises(Missing, match=words):
        preflight_lab.jupyterlab(lab)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_tensorflow", "No module named"),
        ("import os; os._exit(3)", "ended with 3"),
        ("while 1: pass", "no step"),
    ],
)
def test_tensorflow(code, words):
    with pytest.raises(Missing, match=words):
        preflight.tensorflow(code, seconds=2)


def test_a_browser_that_breaks_off_is_no_fault_of_the_environment():
    def breaks():
        raise preflight.BrowserError("it has been closed\nCall log:\n - pid=1")

    sign, words = preflight.run_check(lambda: preflight.browser(breaks))
    assert sign == "✗" and words.count("\n") == 0
    assert "it has been closed: close other programs" in words and preflight.REINSTALL not in words


def test_no_browser_at_all(monkeypatch):
    def none(*_):
        raise preflight.webbrowser.Error

    monkeypatch.setattr(preflight.webbrowser, "get", none)
    with pytest.raises(Notice, match="open the address"):
        preflight.browser(lambda: contextlib.nullcontext())


def test_a_page_with_an_error(monkeypatch):
    def broken(path):
        path.write_text("<script>throw new Error('broken')</script>", encoding="utf-8")
        return path

    def drawn():
        with preflight.machine.chromium() as here:
            if here is None:
                raise Notice(preflight.machine.MISSING)
        return preflight.browser()

    monkeypatch.setattr(preflight.demo, "write_page", broken)
    monkeypatch.setattr(preflight.demo, "widgets", list)
    with ThreadPoolExecutor(1) as pool:  # as preflight does it; Playwright runs once in a thread
        sign, words = pool.submit(preflight.run_check, drawn).result()
    if sign == "○":
        pytest.skip(words)
    assert sign == "✗" and "broken" in words


def test_weights():
    def gone():
        raise FileNotFoundError

    def altered():
        raise ValueError

    for load, words in ((gone, "not there"), (altered, "altered")):
        with pytest.raises(Missing, match=rf"{words}: go online, delete the folder \.venv .*three heads made by hand"):
            preflight.weights(load)


# The files: what the advice says is done, and mends


@pytest.fixture
def copy(tmp_path):
    """A small course in a repository of its own."""
    names = ["course_utils/data/cls/usual.npz", "notebooks/source/05_a.py", "notebooks/05_a b.ipynb", "README.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        git(tmp_path, *words)
    return tmp_path


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def follow(advice, folder):
    """Type what stands after "Type:" or after a colon, as an instructor does."""
    command = re.search(r"(git restore .*)$", advice)[1]
    subprocess.run(command, shell=True, cwd=folder, check=True)


@pytest.mark.parametrize(
    ("name", "act", "words"),
    [
        ("course_utils/data/cls/usual.npz", Path.unlink, "gone"),
        ("course_utils/data/cls/usual.npz", lambda path: path.write_text("x"), "changed"),
        ("notebooks/05_a b.ipynb", Path.unlink, "gone"),
    ],
)
def test_a_file_that_is_gone_or_broken_comes_back_by_the_advice(name, act, words, copy):
    assert "as they were shipped" in shipped.files(copy)
    act(copy / name)
    with pytest.raises(Missing, match=f"{name}: {words}") as found:
        shipped.files(copy)
    assert not isinstance(found.value, Notice)
    follow(str(found.value), copy)
    assert "as they were shipped" in shipped.files(copy)


def test_all_files_of_a_folder_come_back_by_the_advice(copy):
    for name in ("README.md", "notebooks/source/05_a.py", "notebooks/05_a b.ipynb", "course_utils/data/cls/usual.npz"):
        (copy / name).unlink()
    with pytest.raises(Missing, match="and 1 more: gone") as found:
        shipped.files(copy)
    follow(str(found.value), copy)
    assert "as they were shipped" in shipped.files(copy)


def test_a_page_that_somebody_changed_stops_nobody(copy):
    (copy / "README.md").write_text("mine")
    with pytest.raises(Notice, match=r"README.md: changed here"):
        shipped.files(copy)


def test_a_download_without_git_knows_its_lessons_and_data(tmp_path):
    for folder in ("notebooks", "course_utils/data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    assert re.match(r"all \d\d lessons", shipped.files(tmp_path))
    for path in [*tmp_path.glob("notebooks/solutions/05_*.ipynb"), *tmp_path.glob("course_utils/data/*/*.npz")]:
        path.rename(path.with_suffix(".away"))
        with pytest.raises(Missing, match=rf"{path.name}: gone. Download the course anew"):
            shipped.files(tmp_path)
        path.with_suffix(".away").rename(path)


def test_the_data_that_a_download_is_asked_for_are_those_that_ship():
    there = {
        folder: tuple(sorted(path.name for path in (ROOT / "course_utils" / "data" / folder).glob("*.[nc]*")))
        for folder in shipped.DATA
    }
    assert there == shipped.DATA
    assert {path.parent.name for path in (ROOT / "course_utils" / "data").glob("*/*")} == set(shipped.DATA)


def test_a_port_that_is_asked_for(capsys, monkeypatch):
    monkeypatch.setattr(preflight, "QUICK", {"port": preflight.port})
    monkeypatch.setattr(preflight, "SLOW", {"nothing": lambda: ""})
    with socket.socket() as taken:
        taken.bind((preflight.machine.LOOPBACK, 0))
        number = taken.getsockname()[1]
        assert preflight.main(["--port", f"{number}"]) == 0
    assert f"{number} is taken" in capsys.readouterr().out
    assert preflight.main(["--port", "70000"]) == 1
    assert "there is no port 70000" in capsys.readouterr().out


def test_what_breaks_because_a_file_is_gone_names_the_file_not_the_environment(capsys, monkeypatch):
    def gone():
        raise Missing("x: gone. Type: git restore x")

    monkeypatch.setattr(preflight, "QUICK", {"files": gone})
    monkeypatch.setattr(preflight, "SLOW", {"kernel": lambda: 1 / 0})
    assert preflight.main() == 1
    said = capsys.readouterr().out
    assert "git restore x" in said and "first mend what the line files names" in said and ".venv" not in said


def test_preflight_itself_says_what_to_do_where_it_cannot_be_loaded(tmp_path):
    """The tools alone, in a folder without the course: as where files are gone that preflight needs."""
    for house in ("workshop", "classroom"):
        shutil.copytree(ROOT / house, tmp_path / house)
    (tmp_path / "classroom" / "demo.py").unlink()
    done = subprocess.run(
        [sys.executable, str(tmp_path / "classroom" / "preflight.py")], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "✗ files" in done.stderr and "Download the course anew" in done.stderr
