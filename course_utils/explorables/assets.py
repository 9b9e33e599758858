"""The scripts and the style of this folder, each as one text for a widget.

anywidget takes a module as one text, so `bundle` puts the modules that a module imports from this folder, or from one
beside it, before it, without their `import` and `export` keywords.
Each file stays a plain ES module. Names must therefore be unique within a bundle; a clash is a SyntaxError, which the
browser tests reveal.
"""

import re
from pathlib import Path

from course_utils.pictures.palette import css

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[\w/]+\.js)";\n', re.M)
STYLE = css(".look") + (FOLDER / "explorables.css").read_text(encoding="utf-8")


def bundle(name: Path | str) -> str:
    """Return the module `name` of this folder with everything it imports from here, each once, as one text.

    name: may be the path of a module in another folder.

    >>> "import " in bundle("vector_pad.js"), bundle("vector_pad.js").count("function softmax(")
    (False, 1)
    """
    parts = {}

    def add(file):
        if file not in parts:
            parts[file] = ""  # ends circular imports
            text = file.read_text(encoding="utf-8")
            for needed in IMPORT.findall(text):
                add((file.parent / needed).resolve())
            del parts[file]  # to the end, after what it needs
            parts[file] = IMPORT.sub("", text)

    add(FOLDER / name)
    *needed, (_, own) = parts.items()  # the module itself comes last
    return "".join(re.sub(r"^export ", "", text, flags=re.M) for _, text in needed) + own
