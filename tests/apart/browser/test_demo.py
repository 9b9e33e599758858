"""The demo as an instructor sees it: the notebook alone, alive before anything runs; the page, from a file."""

import os
import secrets
import socket
import subprocess
import time
import urllib.error
import urllib.request

import demo
import pytest
import real_browser as machine
import talk_script as talk
from clicker import FOCUS, PROJECTORS, click_with_focus_on, go_to, least, number_of
from talk_steps import DO
from test_next_day import LATE

SIZE = {"width": 1024, "height": 768}  # an old projector
OPEN = "(path) => window.jupyterapp.commands.execute('docmanager:open', { path }).then(() => null)"
LOOK = "section.look"
ROOM = """() => [...document.querySelectorAll('section.look')].filter((look) => look.offsetHeight).map((look) => {
  const room = document.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect().bottom;
  return { size: parseFloat(look.style.fontSize), bottom: look.getBoundingClientRect().bottom, room,
    wide: look.scrollWidth - look.clientWidth };
})"""
BESIDE = ("#jp-left-stack", ".jp-SideBar", "#jp-main-statusbar", "#jp-title-panel-title", ".jp-NotebookPanel-toolbar")


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """The address and the token of a JupyterLab as `nox -s demo` starts it."""
    with socket.socket() as free:
        free.bind((machine.LOOPBACK, 0))
        port = free.getsockname()[1]
    scratch, token = tmp_path_factory.mktemp("demo"), secrets.token_hex(16)
    environment = demo.set_up(scratch) | {"JUPYTER_TOKEN": token, "IPYTHONDIR": str(scratch / "ipython")}
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


@pytest.fixture(scope="module")
def showing(stage, chromium):
    """A window of an old projector's size that shows the demo in JupyterLab."""
    context = chromium.new_context(viewport=SIZE)
    page = context.new_page()
    errors, _ = machine.watch(page)
    page.goto(f"{stage[0]}/doc/tree/{demo.NAME}?token={stage[1]}")
    page.locator(".on-stage").wait_for(timeout=60_000)
    yield page
    context.close()
    assert not errors


def look_of(page):
    return page.locator(LOOK).locator("visible=true")


def test_widgets_live_before_anything_ran_one_part_a_screen_and_nothing_beside_it(showing, shot):
    page = showing
    parts = talk.parts(weights=demo.has_weights())
    for number, part in enumerate(parts):
        go_to(page, number)
        assert part["ask"][0].replace("*", "") in page.locator(".jp-Notebook").inner_text()
        if talk.has_widget(part):
            look_of(page).wait_for(timeout=60_000)
            assert look_of(page).get_attribute("aria-label") == f"{part['name']}."
            for width, height in reversed(PROJECTORS):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(300)
                (seen,) = page.evaluate(ROOM)
                assert seen["size"] >= least(height) and seen["bottom"] <= seen["room"] and seen["wide"] <= 1
        shot(page, f"demo/{number}-{part['name']}")
    go_to(page, 1)
    page.get_by_role("button", name="90°").click()
    assert "nothing in common" in look_of(page).inner_text()
    for beside in BESIDE:
        assert page.locator(beside).locator("visible=true").count() == 0, beside


@pytest.mark.parametrize("what", FOCUS)
def test_a_clicker_goes_on_and_darkens_whatever_has_the_focus(what, showing):
    cells = showing.locator(".jp-Cell").count()
    click_with_focus_on(showing, what, look_of)
    assert showing.locator(".jp-Cell").count() == cells, "b inserts no cell"


def test_nothing_of_jupyterlab_lies_over_the_left_edge_of_an_explorable(showing):
    go_to(showing, 2)
    DO["Take the tick away."](showing, look_of(showing))
    assert "into softmax = score × √64" in look_of(showing).inner_text()
    look_of(showing).get_by_role("button", name="Reset").click()


def test_the_notes_open_from_jupyterlab_too(showing):
    go_to(showing, 2)
    with showing.expect_popup() as opened:
        showing.keyboard.press("n")
    assert opened.value.locator("section[data-now] h2").inner_text().startswith("2 ·")
    opened.value.close()


def test_run_all_leaves_the_part_on_its_screen(showing):
    go_to(showing, 2)
    showing.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    showing.evaluate(machine.RUN_ALL, 120)
    look_of(showing).wait_for()
    showing.wait_for_timeout(300)
    assert number_of(showing) == 2
    (seen,) = showing.evaluate(ROOM)
    assert seen["size"] >= least(SIZE["height"]) and seen["bottom"] <= seen["room"]


def test_a_kernel_that_begins_slowly_costs_no_widget(stage, page):
    address, token = stage
    page.goto(f"{address}/doc/tree/{demo.NAME}?token={token}")
    page.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    page.keyboard.press("PageDown")
    look_of(page).wait_for(timeout=60_000)
    page.evaluate(LATE)
    page.evaluate(machine.CLOSE)
    page.evaluate(OPEN, demo.NAME)
    page.wait_for_function(machine.READY, arg=demo.NAME, timeout=90_000)
    page.keyboard.press("PageDown")
    look_of(page).wait_for(timeout=60_000)
    assert not page.get_by_text("Error displaying widget").count()


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
        frame.locator("section.look").wait_for(state="attached")
        assert frame.locator(".look-text").text_content() == widget.text()
    go_to(page, 3)
    shot(page, f"demo/page-{'dark' if dark else 'light'}")
