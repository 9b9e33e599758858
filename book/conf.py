"""The settings of Sphinx for the book."""

import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]  # this file is copied to build/book/pages
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project, author = "Learning to Look", "The authors of Learning to Look"
version = release = PROJECT["version"]
copyright = author
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["README.md", "static", "templates"]
nb_execution_mode = "off"  # the stored outputs are the lesson's
nb_code_prompt_show = nb_code_prompt_hide = "The imports of this lesson"  # only these are folded
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]
autodoc_member_order = "bysource"

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["static"]
html_css_files = ["explorables.css", "book.css"]
html_js_files = ["typeface.js", ("book.js", {"defer": "defer"})]
html_sidebars = {"start": []}  # it has no sibling pages
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = str(Path(__file__).parent / "static" / "search_order.js")
html_show_search_summary = False  # it fetches other pages, which browsers forbid on file://
html_context = {"default_mode": "auto"}  # follow the reader's system
html_baseurl = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
html_baseurl += "/" if html_baseurl else ""
mathjax_path = "mathjax.js"
mathjax_options = {"async": "async"}  # what moves on a page does not wait until all formulas are set
# Tab skips formulas, so that it reaches the interactive elements.
mathjax3_config = {"options": {"menuOptions": {"settings": {"inTabOrder": False}}}}
nb_ipywidgets_js = {}  # the widgets of these pages need no widget manager
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,  # the arrow keys belong to the explorables
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
    "header_links_before_dropdown": 6,
}
if html_baseurl:  # both need absolute URLs
    extensions += ["sphinx_sitemap", "sphinxext.opengraph"]
    sitemap_url_scheme = "{link}"
    ogp_site_url, ogp_image = html_baseurl, "_static/preview.png"
    ogp_image_alt = "Twenty small models train on the front page, and none of them looks at position 4."
    ogp_social_cards = {"enable": False}

RST = re.compile(r"([*|]|_(?=\W|$)|`)")


def escape_rst(app, what, name, obj, options, lines):
    """Escape reStructuredText markup in docstrings, which are plain text here, except in doctests."""
    in_doctest = False
    for i, line in enumerate(lines):
        in_doctest = line.strip().startswith(">>>") or (in_doctest and bool(line.strip()))
        if not in_doctest:
            line = re.sub(r"`([^`]+)`", "\0\\1\1", line.replace("\\", "\\\\"))
            lines[i] = RST.sub(r"\\\1", line).replace("\0", "``").replace("\1", "``")


def add_words(app, pagename, template, context, doctree):
    if pagename == "search":
        app.add_js_file("words.js")  # for a query with a typo


def setup(app):
    app.connect("html-page-context", add_words)
    app.connect("autodoc-process-docstring", escape_rst)
