"""The texts of the talk, all from talk/talk.toml: the demo's cells, the notes, and the table in INSTRUCTORS.md.

python classroom/talk_script.py   writes talk/notes.md and the table anew; `nox -s draw` does that too
"""

import base64
import re
import tomllib
from itertools import accumulate
from pathlib import Path

import mistune

from course_utils.pictures.palette import LIGHT, PAGE_FONT

ROOT = Path(__file__).resolve().parents[1]
TALK, INSTRUCTORS = Path(__file__).with_name("talk"), ROOT / "INSTRUCTORS.md"
SOURCE, NOTES = TALK / "talk.toml", TALK / "notes.md"
TABLE = "| minutes | part | stop at |\n|---|---|---|\n"
HEAD = """# Notes for the talk

{minutes} minutes in {count} parts, each a screen.
Made from `talk.toml` by `nox -s draw`; edit that file.
What stands in *italics* after → is on the screen then, word for word.

| key | what it does |
|---|---|
| Page Down, Page Up (a clicker's keys) | the next part, the part before; in part {story}, the story first |
| b | a dark screen, and back |
| m | the machine of the course, as far as this part speaks of it, and back |
| n | these notes in a window of their own, which follows the talk |

"""
SPEECH = re.compile(r"\*([^*]+)\*")  # what is on the screen word for word
STYLE = f"""
body {{ font: 19px/1.4 {PAGE_FONT}; margin: 1em; color-scheme: light dark }}
section {{ opacity: 0.45; padding: 0 0.8em; border-left: 6px solid transparent }}
img {{ max-width: 100% }}
section[data-now] {{ opacity: 1; border-color: {LIGHT["look-orange"]} }}
"""


def script(path=SOURCE):
    """Return the whole script, parsed."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def parts(*, weights=True, path=SOURCE):
    """Return the parts; weights: whether the model of lesson 19 is on this machine."""
    return [part if weights else part | part.get("without_weights", {}) for part in script(path)["part"]]


def has_widget(part):
    """Whether a part shows an explorable, whose name it then has."""
    return part["name"][0].isupper()


def markdown(number, part):
    """Return the cell above an explorable: title, what is shown, the question, and the drawing of a part with one."""
    show = [f"{part['show']}\n"] if "show" in part else []
    lines = [f"## {number} · {part['title']}\n", *show, f"**Ask first:** {' '.join(part['ask'])}"]
    if "drawing" in part:  # with a dark version of its own, as workshop/jupyterlab/static/lesson.js calls it
        lines += ["", page(drawing(part["drawing"])).replace("<img", '<img class="learning-dark"')]
    return "\n".join(lines)


def table():
    """Return the rows of the table in INSTRUCTORS.md."""
    rows = [f"| {part['minutes']} | {part['name']} | {part['stop']} |" for part in parts()]
    return TABLE + "\n".join(rows) + "\n"


def notes():
    """Return the presenter's notes as Markdown: each part with its clock, question, answers to expect, and steps."""
    all_parts = parts()
    story = next(i for i, part in enumerate(all_parts) if part["name"] == "LookPlayground")
    head = HEAD.format(minutes=sum(part["minutes"] for part in all_parts), count=len(all_parts), story=story)
    starts = accumulate((part["minutes"] for part in all_parts), initial=0)
    return head + "\n".join(map(note, range(len(all_parts)), all_parts, starts))


def note(number, part, start):
    """Return the notes of one part."""
    lines = [f"## {number} · {part['title']}\n", f"Minute {start} to {start + part['minutes']}.\n"]
    lines += note_lines(part)
    if "machine" in part:
        lines += [f"With m the screen shows:\n\n{machine(part)}\n"]
    if "without_weights" in part:
        lines += ["Where the weights of lesson 19 are missing, the screen shows three heads made by hand:\n"]
        lines += note_lines(part["without_weights"])
    return "\n".join([*lines, f"**Stop at:** {part['stop']}.\n"])


def machine(part):
    """Return the drawing of the machine that a part speaks of, as Markdown; "" if it speaks of none."""
    return drawing(f"machine_{part['machine']}") if "machine" in part else ""


def drawing(name):
    """Return a drawing as Markdown, with what it says of itself in words."""
    path = f"../../images/{name}.svg"
    says = re.search(r"<desc[^>]*>(.*?)</desc>", (TALK / path).read_text(encoding="utf-8"), re.DOTALL)[1]
    return f"![{says}]({path})"


def page(markdown):
    """Return Markdown as HTML that needs no other file: its drawings are in it."""

    def data(match):
        svg = (TALK / match[1]).read_bytes()
        return f'src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"'

    return re.sub(r'src="([^"]*\.svg)"', data, mistune.html(markdown))


def note_lines(part):
    """Return the lines for question, answers and steps."""
    question = [f"**Ask:** {' '.join(part['ask'])}\n", "**You will hear, and say:**\n"]
    steps = [f"{number}. {step['do']}\n   → {step['see']}" for number, step in enumerate(part["step"], 1)]
    return [*question, *(f"- {answer}" for answer in part["expect"]), "", *steps, ""]


def notes_page():
    """Return the notes as a page for a window of their own, one section for each part."""
    head, *sections = re.split(r"^(?=## )", notes(), flags=re.MULTILINE)
    body = page(head) + "".join(f"<section>{page(section)}</section>" for section in sections)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title><style>{STYLE}</style>{body}'


def instructors(text):
    """Return INSTRUCTORS.md with its table replaced by the script's."""
    before, after = text.split(TABLE)
    return before + table() + after[re.match(r"(\|.*\n)*", after).end() :]


def main():
    """Write the notes and the table."""
    NOTES.write_text(notes(), encoding="utf-8")
    INSTRUCTORS.write_text(instructors(INSTRUCTORS.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
