"""The scripts of the book's pages: each explorable as a script of its own.

A page opened from a file cannot import modules, so each explorable becomes a plain script that registers itself by
name.
"""

import re
from pathlib import Path

from course_utils import explorables
from course_utils.checks.student.predict_widget import PredictionCards
from course_utils.explorables.assets import STYLE, bundle

HERE = Path(__file__).resolve().parent
KINDS = [*(getattr(explorables, name) for name in explorables.__all__ if name != "export_html"), PredictionCards]
OWN = "links.js", "pictures.js", "lists.js", "book.js"
PLAIN = """(() => {{ "use strict";
{module}
(window.learningToLook ??= {{}}).{name} = explorable;
}})();
"""


def write_scripts(folder):
    """Write the pages' scripts and styles into a folder."""
    (folder / "explorables").mkdir(parents=True)
    for kind in KINDS:
        module = re.sub("^export ", "", kind._esm.replace("export default ", "const explorable = "), flags=re.M)
        text = PLAIN.format(module=module, name=kind.__name__)
        (folder / "explorables" / f"{kind.__name__}.js").write_text(text, encoding="utf-8")
    (folder / "explorables.css").write_text(STYLE + PredictionCards._css, encoding="utf-8")
    own = "".join((HERE / "static" / name).read_text(encoding="utf-8") for name in OWN)
    (folder / "book.js").write_text(bundle("page_model.js").replace("export ", "") + own, encoding="utf-8")
