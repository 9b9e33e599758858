"""nox -s preflight: every item passes here, and fails with words that help when what it looks at is broken."""

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
from shipped import REINSTALL, Missing, Notice

ROOT = Path(__file__).resolve().parents[3]


def test_this_machine_is_ready(capsys):
    assert preflight.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [*preflight.QUICK, *preflight.SLOW]
    assert {line[0] for line in lines} <= {"✓", "○"}


def raising(error):
    """A function that raises this, whatever it is given."""

    def function(*_, **__):
        raise error

    return function


CRASH, FINE = raising(RuntimeError("no front end")), lambda: ""
MAIN = [  # (quick checks, slow checks, exit status, what is printed)
    ({"disk": raising(Missing("do this"))}, {"kernel": FINE}, 1, r"^✗ disk +do this$"),
    ({"disk": FINE}, {"kernel": raising(Notice("by the way"))}, 0, r"^○ kernel +by the way$"),
    ({"files": raising(Missing("x: gone"))}, {"kernel": CRASH}, 1, "end; first mend what the line files names$"),
]


@pytest.mark.parametrize(("quick", "slow", "status", "line"), MAIN)
def test_what_is_missing_makes_the_whole_red(quick, slow, status, line, monkeypatch, capsys):
    monkeypatch.setattr(preflight, "QUICK", quick)
    monkeypatch.setattr(preflight, "SLOW", slow)
    assert preflight.main() == status and re.search(line, capsys.readouterr().out, re.MULTILINE)


class LabThatIsOpen(preflight_lab.OwnLab):
    """A JupyterLab that asks for no token."""

    def _environment(self):
        file = self.scratch / "config" / "jupyter_server_config.json"
        file.parent.mkdir(parents=True)
        file.write_text('{"IdentityProvider": {"token": ""}}')
        usual = {name: value for name, value in super()._environment().items() if name != "JUPYTER_TOKEN"}
        return usual | {"JUPYTER_CONFIG_DIR": str(file.parent)}


def page_with_an_error(path):
    path.write_text("<script>throw new Error('broken')</script>", encoding="utf-8")
    return path


NO_FRONT_END = {"fullLabextensionsUrl": "", "federated_extensions": [], "disabledExtensions": []}
CLOSED = raising(preflight.BrowserError("it has been closed\nCall log:\n - pid=1"))
WEIGHTS = rf"go online, {REINSTALL}; .*three heads made by hand"
BROKEN = [  # (check, its arguments, what is exchanged in preflight, words)
    (
        preflight.packages,
        {},
        {"toolbox.toolbox": lambda: ["numpy ready", "x     MISSING; type this"]},
        "^x MISSING; type",
    ),
    (preflight.disk, {"needed": 1e9}, {}, "GB are free"),
    (preflight.port, {"first": 70_000}, {}, "there is no port 70000"),
    (preflight.kernel, {"cells": ["raise RuntimeError('no front end')"]}, {}, "RuntimeError: no front end"),
    (preflight.kernel, {"cells": ["import time; time.sleep(60)"], "seconds": 6}, {}, "no answer in"),
    (preflight.kernel, {"cells": []}, {"sys.prefix": str(ROOT)}, "another Python"),
    (preflight_lab.front_ends, {"config": NO_FRONT_END}, {}, "does not find anywidget"),
    (preflight_lab.jupyterlab, {"lab": LabThatIsOpen}, {}, "without its token"),
    (preflight.tensorflow, {"code": "import no_such_tensorflow"}, {}, "No module named.*lessons 07, .* need it"),
    (preflight.tensorflow, {"code": "while 1: pass", "seconds": 2}, {}, "no step"),
    (preflight.browser, {"chromium": CLOSED}, {}, "page, it has been closed: close other programs[^\n]*$"),
    (preflight.browser, {}, {"demo.write_page": page_with_an_error, "demo.widgets": list}, "broken|nothing was drawn"),
    (preflight.other_browser, {}, {"webbrowser.get": raising(preflight.webbrowser.Error)}, "open the address"),
    (preflight.weights, {"load": raising(FileNotFoundError)}, {}, f"not there: {WEIGHTS}"),
]


@pytest.mark.parametrize(("check", "given", "exchanged", "words"), BROKEN)
def test_an_item_that_is_broken_says_what_to_do(check, given, exchanged, words, monkeypatch):
    for name, value in exchanged.items():
        monkeypatch.setattr(f"preflight.{name}", value)
    with ThreadPoolExecutor(1) as pool:  # as preflight does it; Playwright runs once in a thread
        sign, said = pool.submit(preflight.run_check, lambda: check(**given)).result()
    assert re.search(words, said), said
    assert sign == ("○" if check is preflight.other_browser else "✓" if "nothing was drawn" in said else "✗")


def test_a_port_that_is_taken(monkeypatch, capsys):
    monkeypatch.setattr(preflight, "QUICK", {})
    monkeypatch.setattr(preflight, "SLOW", {"nothing": FINE})
    with socket.socket() as taken:
        taken.bind((preflight.machine.LOOPBACK, 0))
        number = taken.getsockname()[1]
        assert preflight.main(["--port", f"{number}"]) == 0 and f"{number} is taken" in capsys.readouterr().out
        with pytest.raises(Missing, match="--port"):
            preflight.port(number, tries=1)


# The files: what the advice says is done, and mends


@pytest.fixture
def copy(tmp_path):
    """A small course in a repository of its own."""
    for name in COPIED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)
    return tmp_path


COPIED = ["course_utils/data/cls/usual.npz", "notebooks/source/05_a.py", "notebooks/05_a b.ipynb", "README.md"]


@pytest.mark.parametrize(
    ("names", "act", "words"),
    [
        (COPIED[:1], Path.unlink, "usual.npz: gone"),
        (COPIED[:1], lambda path: path.write_text("x"), "usual.npz: changed"),
        (COPIED[2:3], Path.unlink, "05_a b.ipynb: gone"),
        (COPIED, Path.unlink, "and 1 more: gone"),
        (COPIED[3:], lambda path: path.write_text("mine"), "README.md: changed here"),
    ],
)
def test_a_file_that_is_gone_or_changed_comes_back_by_the_advice(names, act, words, copy):
    assert "as they were shipped" in shipped.files(copy)
    for name in names:
        act(copy / name)
    with pytest.raises(Missing, match=words) as found:
        shipped.files(copy)
    assert isinstance(found.value, Notice) == ("here" in words), "a page that somebody changed stops nobody"
    subprocess.run(re.search(r"(git restore .*)$", str(found.value))[1], shell=True, cwd=copy, check=True)
    assert "as they were shipped" in shipped.files(copy)


def test_a_download_without_git_knows_its_lessons_and_data(tmp_path):
    for folder in ("notebooks", "course_utils/data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    assert re.match(r"all \d\d lessons", shipped.files(tmp_path))
    data = [path for path in tmp_path.glob("course_utils/data/*/*") if not path.name.startswith("made_by")]
    for path in [*tmp_path.glob("notebooks/solutions/05_*.ipynb"), *data]:
        path.rename(path.with_suffix(".away"))
        with pytest.raises(Missing, match=rf"{path.name}: gone. Download the course anew"):
            shipped.files(tmp_path)
        path.with_suffix(".away").rename(path)


def test_preflight_itself_says_what_to_do_where_it_cannot_be_loaded(tmp_path):
    """The tools alone, in a folder without the course: as where files are gone that preflight needs."""
    for house in ("workshop", "classroom"):
        shutil.copytree(ROOT / house, tmp_path / house)
    (tmp_path / "classroom" / "demo.py").unlink()
    command = [sys.executable, str(tmp_path / "classroom" / "preflight.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "✗ files" in done.stderr and "Download the course anew" in done.stderr
