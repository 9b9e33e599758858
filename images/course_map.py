"""Draw the course map: every lesson as a station on one path, and the three ways through."""

import style
from matplotlib.path import Path as Line

from course_utils.checks.student.course_map import LESSONS, PARTS

TITLE = "The course map"
ALT = (
    "A path of twenty lessons. Attention by hand: 00 to 09. The classifier: 10 to 14. Beyond the toy: 15 to 19. "
    "Rings mark the short way, an afternoon: 01, 02, 04, 05, 12, 13. "
    "A small figure says in which of three sessions an instructor takes a lesson."
)

SHORT_WAY = ("01", "02", "04", "05", "12", "13")
SESSIONS = {  # with an instructor: see INSTRUCTORS.md
    1: ("00", "01", "04", "05"),
    2: ("03", "06", "07", "08", "10"),
    3: ("12", "13", "14", "15", "18"),
}

HEIGHT = 844
COLUMNS = (130, 290, 450, 610, 770)
ROWS = (80, 248, 456, 664)
RADIUS = 19


def station(index):
    """Return the pixel position of lesson `index`.

    Every second row runs from right to left, so that the path is unbroken.
    """
    row, column = divmod(index, len(COLUMNS))
    return COLUMNS[-1 - column if row % 2 else column], ROWS[row]


def draw_parts(axes):
    """Draw the panels of the three parts with their names."""
    for x, y, width, height in ((12, 12, 876, 362), (12, 388, 876, 192), (12, 594, 876, 188)):
        style.box(axes, x, y, width, height, fill=style.PANEL, edge="none", zorder=0)
    for name, (first, last) in PARTS.items():
        words = f"{name} · {first:02d} to {last:02d}"
        style.write(
            axes, COLUMNS[0] - 64, station(first)[1] - 45, words, size=13, weight="bold", ha="left", color=style.QUERY
        )


def draw_ways(axes):
    """Draw the legend of the three ways."""
    style.dot(axes, 40, 814, 9, style.QUERY, style.QUERY)
    style.dot(axes, 40, 814, 14, "none", style.RING, linewidth=3)
    style.write(axes, 62, 814, "the short way, an afternoon", ha="left")
    style.write(axes, 352, 814, "the whole path, 20 lessons", ha="left")
    style.arrow(axes, (312, 814), (344, 814), color=style.QUERY, width=3)
    draw_session(axes, 604, 814, "1")
    style.write(axes, 620, 814, "the session with an instructor", ha="left")


def draw_session(axes, x, y, number):
    """Write the number of a session."""
    style.write(axes, x, y, number, weight="bold", color=style.MUTED, zorder=4)


def draw_step(axes, index):
    """Draw the path from the previous lesson to lesson `index`."""
    (x0, y0), (x1, y1) = station(index - 1), station(index)
    look = {"color": style.QUERY, "width": 3}
    if y0 == y1:
        side = RADIUS if x1 > x0 else -RADIUS
        style.arrow(axes, (x0 + side, y0), (x1 - side - side / 8, y1), **look)
        return
    side, reach = (RADIUS, 870) if x0 == COLUMNS[-1] else (-RADIUS, 30)
    curve = [
        (x0 + side, y0),
        (reach, y0),
        (reach, y0 + 40),
        (reach, y1 - 40),
        (reach, y1),
        (x1 + side * 9 / 8, y1),
    ]
    codes = [Line.MOVETO, Line.CURVE3, Line.CURVE3, Line.LINETO, Line.CURVE3, Line.CURVE3]
    style.arrow(axes, path=Line(curve, codes), **look)


def draw_lesson(axes, index, name):
    """Draw lesson `index` as a station with its title and what the student has at its end."""
    x, y = station(index)
    number, title = name.replace("_", " ").replace("cls", "[CLS]").split(" ", 1)
    style.dot(axes, x, y, RADIUS, style.QUERY, style.QUERY, linewidth=2)
    style.write(axes, x, y, number, size=14, weight="bold", color=style.PAPER, zorder=4)
    if number in SHORT_WAY:
        style.dot(axes, x, y, RADIUS + 5, "none", style.RING, linewidth=3)
    for session, lessons in SESSIONS.items():
        if number in lessons:
            draw_session(axes, x - 36, y - 17, str(session))
    title = style.fold(title)
    style.write(axes, x, y + 36, title, size=13, weight="bold")
    style.write(axes, x, y + 60 + 21 * title.count("\n"), style.fold(LESSONS[name]))


def draw():
    """Return the figure."""
    figure, axes = style.canvas(HEIGHT)
    draw_parts(axes)
    draw_ways(axes)
    for index, name in enumerate(LESSONS):
        if index:
            draw_step(axes, index)
        draw_lesson(axes, index, name)
    return figure
