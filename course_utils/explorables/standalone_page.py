"""Exports an explorable as a page of its own, which needs no kernel: standalone_page.js runs it there."""

import json
from pathlib import Path

from course_utils.arrays.arguments import wrong
from course_utils.explorables.assets import bundle

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 1em }}
{style}</style>
<main>
<h1 class="look-hidden">{title}</h1>
<div id="explorable"></div>
<noscript>{picture}</noscript>
</main>
<script type="application/json" id="state">{state}</script>
<script type="module">
{module}
{start}</script>
</html>
"""


def export_html(widget: object, path: Path | str) -> Path:
    """Write an explorable, in its current state, as a page that needs no kernel, no network and no other file.

    widget: an explorable. path: of the HTML file. Returns the Path. Raises ValueError for anything but an explorable.
    """
    if not hasattr(widget, "_esm") or not hasattr(widget, "picture"):
        raise wrong("widget", widget, "an explorable, such as VectorPad()")
    state = {name: value for name, value in widget.get_state().items() if name in _page_traits(widget)}
    page = PAGE.format(
        title=type(widget).__name__,
        style=widget._css,
        picture=widget.picture(),
        state=json.dumps(state).replace("<", "\\u003c"),  # a word may hold "</script>"
        module=widget._esm.replace("export default ", "const explorable = "),
        start=bundle("standalone_page.js"),
    )
    path = Path(path)
    path.write_text(page, encoding="utf-8")
    return path


def _page_traits(widget):
    """The names of the traits that the page reads: the explorable's own, not those of every widget."""
    return {name for kind in type(widget).__mro__ if kind.__module__.startswith("course_utils.") for name in vars(kind)}
