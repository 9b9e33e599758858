"""Each explorable opens once, from its stored state, as a page without a kernel; test_all drives them."""

import pytest
import real_browser as machine
from samples import ORDINARY

from course_utils.explorables import export_html


@pytest.fixture(scope="module")
def page():
    with machine.chromium() as running:
        if running is None:
            pytest.skip(machine.MISSING)
        yield running.new_page()


@pytest.mark.parametrize("name", ORDINARY)
def test_it_says_what_python_says_and_no_error(name, page, tmp_path):
    widget = ORDINARY[name]()
    errors, hosts = machine.watch(page)
    page.goto(export_html(widget, tmp_path / "page.html").as_uri())
    assert page.locator("section.look .look-text").text_content() == widget.text()
    assert page.locator("section.look svg, section.look canvas, section.look table").first.is_visible()
    assert not errors and not hosts
