"""Draw the handout of the talk, and write the page that says the same: classroom/talk/handout.pdf and handout.md.

Each question of classroom/talk/talk.toml has room for a guess; the machine of the course stands below.
"""

import re
import textwrap
import tomllib
from pathlib import Path

import sheet
import style

SCRIPT = Path(__file__).resolve().parents[1] / "classroom" / "talk" / "talk.toml"
STAGE = "machine_04"
TITLE = "Handout of the talk"
ALT = (
    "One page to write on: the questions of the talk in their order, each with a line for your guess and one for what "
    f"it was, and the lesson that goes on from there. {sheet.machine_in_words(STAGE)}"
)
HEIGHT = 1273  # A4 at a width of 900
LEFT, RIGHT, TOP = 36, 864, 100
LINE, ROOM, GAP = 20, 26, 26  # a line of a question, the room to write in, and down to the next part
LINE_LENGTH = 98  # letters
(ATTENTION,) = (entry for entry in sheet.ENTRIES if entry["name"] == "Scaled dot-product attention")
HEAD = """# {title}: the handout

First guess, in writing.
Then look.
This page is the accessible version of the [page to print](handout.pdf), and says all that it says.
Copy it, and write into it.
<!-- Made from talk.toml by nox -s draw: edit that file. -->
"""


def script():
    return tomllib.loads(SCRIPT.read_text(encoding="utf-8"))


def question(part):
    """Return what a part shows and asks, as Markdown."""
    return " ".join([*([part["show"]] if "show" in part else []), *part["ask"]])


def draw():
    """Return the figure of the page."""
    figure, axes = style.canvas(HEIGHT)
    style.write(axes, LEFT, 36, script()["title"], size=17, weight="bold", ha="left")
    style.write(axes, RIGHT, 36, "Learning to Look", ha="right", color=style.MUTED)
    style.write(axes, LEFT, 68, "First guess, in writing. Then look.", ha="left", color=style.MUTED)
    formula = f"${ATTENTION['formula'][0]}$"
    style.write(axes, RIGHT, 68, formula, size=14, ha="right", math_fontfamily="dejavuserif")
    y = TOP
    for number, part in enumerate(script()["part"]):
        y = write_part(axes, y, number, part)
    sheet.draw_machine(axes, STAGE)
    return figure


def write_part(axes, y, number, part):
    """Write one part from y down: its title, its question, and two lines to write on. Returns where the next begins."""
    heading = f"{number} · {plain(part['title'])}"
    style.write(axes, LEFT, y, heading, size=13, weight="bold", ha="left", color=style.QUERY)
    style.write(axes, RIGHT, y, f"goes on in lesson {part['lesson']}", ha="right", color=style.MUTED)
    lines = textwrap.wrap(plain(question(part)), LINE_LENGTH)
    style.write(axes, LEFT, y + 23, "\n".join(lines), ha="left")
    y += 23 + LINE * (len(lines) - 1) + ROOM
    for column, (words, end) in enumerate((("My guess:", 440), ("It was:", RIGHT))):
        x = LEFT + 432 * column
        style.write(axes, x, y, words, ha="left", color=style.MUTED)
        axes.plot([x + 84, end], [y + 6, y + 6], color=style.LINE, linewidth=1)
    return y + GAP


def plain(words):
    """Return words with quotation marks instead of Markdown emphasis."""
    return re.sub(r"\*([^*]+)\*", r"“\1”", words)


def text():
    """Return the handout as Markdown."""
    parts = "".join(part_text(number, part) for number, part in enumerate(script()["part"]))
    formula = f"$${ATTENTION['formula'][0]}$$"
    picture = f"![{sheet.machine_in_words(STAGE)}](../../images/{STAGE}.svg)"
    below = f"## The formula\n\n{ATTENTION['says']}\n\n{formula}\n\n## The machine\n\n{picture}"
    return f"{HEAD.format(title=script()['title'])}{parts}\n{below}\n"


def part_text(number, part):
    lesson = next(sheet.LESSONS.glob(f"{part['lesson']}_*.py")).stem
    return (
        f"\n## {number} · {part['title']}\n\n{question(part)}\n\n- My guess:\n- It was:\n"
        f"- Goes on in lesson [{lesson}](../../notebooks/{lesson}.ipynb)\n"
    )
