"""The demo as an instructor sees it: the notebook alone, alive before anything runs; the page, from a file."""

import os
import re
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import demo
import pytest
import real_browser as machine
from explorable_text import text
from test_next_day import LATE

INSTRUCTORS = (Path(__file__).resolve().parents[2] / "INSTRUCTORS.md").read_text(encoding="utf-8")

SIZE = {"width": 1024, "height": 768}  # an old projector
OPEN = "(path) => window.jupyterapp.commands.execute('docmanager:open', { path }).then(() => null)"
FIT = """() => [...document.querySelectorAll('iframe')].every((frame) =>
  frame.contentDocument.documentElement.scrollHeight <= frame.clientHeight && frame.clientHeight < 3000)"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """The address and the token of a JupyterLab as `nox -s demo` starts it."""
    with socket.socket() as free:
        free.bind((machine.LOOPBACK, 0))
        port = free.getsockname()[1]
    scratch, token = tmp_path_factory.mktemp("demo"), secrets.token_hex(16)
    environment = demo.furnish(scratch) | {"JUPYTER_TOKEN": token, "IPYTHONDIR": str(scratch / "ipython")}
    words = demo.command(scratch, ["--no-browser", "--port", str(port), "--expose-app-in-browser"])
    with (scratch / "log").open("wb") as log:
        running = subprocess.Popen(words, env=os.environ | environment, stdout=log, stderr=log)
    address = f"http://{machine.LOOPBACK}:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=2).close()
            break
        except OSError:
            time.sleep(0.1)
    yield address, token
    running.terminate()
    running.wait(15)


def test_widgets_live_before_anything_ran_and_nothing_stands_beside_the_notebook(stage, page, shot):
    address, token = stage
    page.set_viewport_size(SIZE)
    page.goto(f"{address}/doc/tree/{demo.NAME}?token={token}")
    wanted = [type(one).__name__ for one in demo.widgets()]
    for number, name in enumerate(wanted):
        root = page.locator("section.look").nth(number)
        root.wait_for(timeout=60_000)
        root.scroll_into_view_if_needed()
        assert root.get_attribute("aria-label") == f"{name}."
        page.wait_for_timeout(300)
        shot(page, f"demo/{number + 1}-{name}")
    page.get_by_role("button", name="90°").click()
    assert "nothing in common" in page.locator(".look-text").first.text_content()
    for beside in ("#jp-left-stack", ".jp-SideBar", "#jp-main-statusbar", "#jp-title-panel-title"):
        assert page.locator(beside).locator("visible=true").count() == 0, beside


def test_a_kernel_that_begins_slowly_costs_no_widget(stage, page):
    address, token = stage
    page.goto(f"{address}/doc/tree/{demo.NAME}?token={token}")
    page.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    page.locator("section.look").first.wait_for(timeout=60_000)
    page.evaluate(LATE)
    page.evaluate(machine.CLOSE)
    page.evaluate(OPEN, demo.NAME)
    page.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    page.locator("section.look").first.wait_for(timeout=60_000)
    assert not page.get_by_text("Error displaying widget").count()


def test_part_5_goes_as_its_script_says(static):
    """Right on every sentence, and fooled: what to write, and where, is read from INSTRUCTORS.md."""
    script = re.search(r"\| TrainingReplay \| (.*) \|", INSTRUCTORS)[1]
    wanted = r"Play it: accuracy ([\d.]+), ([\d.]+) on position 4, and \*no\*. Write 42 at ([\d, ]+), never at 4"
    accuracy, look, places = re.match(wanted, script).groups()
    replay = next(one for one in demo.widgets() if type(one).__name__ == "TrainingReplay")
    page = static(replay)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelector('.look-text').textContent.startsWith('Epoch 10 of 10')")
    first, looks, *_ = text(page).splitlines()
    assert first.endswith(f"accuracy {accuracy}") and f"position 4 {look}" in looks
    reply = page.locator(".look-reply strong").first
    said = [reply.text_content()]
    for place in places.split(", "):
        page.get_by_label(f"token at position {place}").fill("42")
        said.append(reply.text_content())
    assert said == ["no", "no", "no", "no", "yes"]
    assert replay.accuracy[-1] == 1, "right on every sentence"


def test_the_door_is_shut_without_the_token(stage):
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{stage[0]}/api/contents", timeout=5)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_works_from_a_file_without_a_kernel(dark, page, shot, tmp_path):
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(demo.write_page(tmp_path / "stage.html").as_uri())
    for number, widget in enumerate(demo.widgets()):
        frame = page.frame_locator("iframe").nth(number)
        frame.locator("section.look").wait_for()
        assert frame.locator(".look-text").text_content() == widget.text()
    for question in re.findall(r"^# \*\*Ask first:\*\* (.*?[.?])$", demo.SOURCE.read_text(encoding="utf-8"), re.M):
        assert question.replace("*", "") in page.locator("body").inner_text()
    page.wait_for_function(FIT, timeout=10_000)  # no scroll bar within a scroll bar
    shot(page, f"demo/page-{'dark' if dark else 'light'}")
