"""Draw the handout of the talk: each question of classroom/talk/talk.toml with room for a guess, on one page."""

import re
import textwrap
import tomllib
from pathlib import Path

import style

SCRIPT = Path(__file__).resolve().parents[1] / "classroom" / "talk" / "talk.toml"
TITLE = "Handout of the talk"
ALT = (
    "One page to write on: the questions of the talk in their order, each with a line for your guess and one for what "
    "it was, and the lesson that goes on from there; below them the formula of attention."
)
HEIGHT = 1273  # A4 at a width of 900
LEFT, RIGHT, TOP, STEP = 36, 864, 106, 138
LINE_LENGTH = 98  # letters
FORMULA = r"$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\dfrac{Q K^{T}}{\sqrt{d_k}}\right) V$"


def draw():
    """Return the figure of the page."""
    script = tomllib.loads(SCRIPT.read_text(encoding="utf-8"))
    figure, axes = style.canvas(HEIGHT)
    style.write(axes, LEFT, 36, script["title"], size=17, weight="bold", ha="left")
    style.write(axes, RIGHT, 36, "Learning to Look", ha="right", color=style.MUTED)
    style.write(axes, LEFT, 68, "First guess, in writing. Then look.", ha="left", color=style.MUTED)
    for number, part in enumerate(script["part"]):
        write_part(axes, TOP + STEP * number, number, part)
    style.write(axes, LEFT, HEIGHT - 46, FORMULA, size=14, ha="left", math_fontfamily="dejavuserif")
    style.write(axes, RIGHT, HEIGHT - 46, "rows look (queries), columns are looked at (keys)", ha="right")
    return figure


def write_part(axes, y, number, part):
    """Write one part from y down: its title, its question, and two lines to write on."""
    heading = f"{number} · {plain(part['title'])}"
    style.write(axes, LEFT, y, heading, size=13, weight="bold", ha="left", color=style.QUERY)
    style.write(axes, RIGHT, y, f"goes on in lesson {part['lesson']}", ha="right", color=style.MUTED)
    words = [*([part["show"]] if "show" in part else []), *part["ask"]]
    lines = textwrap.wrap(plain(" ".join(words)), LINE_LENGTH)
    style.write(axes, LEFT, y + 27, "\n".join(lines), ha="left")
    for column, (words, end) in enumerate((("My guess:", 440), ("It was:", RIGHT))):
        x = LEFT + 432 * column
        style.write(axes, x, y + 94, words, ha="left", color=style.MUTED)
        axes.plot([x + 84, end], [y + 100, y + 100], color=style.LINE, linewidth=1)


def plain(words):
    """Return words with quotation marks instead of Markdown emphasis."""
    return re.sub(r"\*([^*]+)\*", r"“\1”", words)
