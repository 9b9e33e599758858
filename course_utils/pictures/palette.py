"""The colours and the type of the course: for figures, pages and drawings alike.

All other code names black and white at most, except pagecheck/words.py: pagecheck imports nothing of the course.

Marks in figures have Okabe and Ito's palette, which survives colour blindness. Words on a page have darker tones of the
same colours, 4.5:1 on their paper (WCAG 2.2), and lighter ones on dark paper.
"""

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072b2", "#d55e00", "#009e73", "#8f4a77", "#5f6368"
WEIGHTS = "#ffffff", "#9ec5e5", "#0b3c6f"  # from 0 to the largest; the lightness falls evenly
GRID, CELLS, MISSING, MIXTURES = "#e5e8eb", "#d0d7de", "#c9ced4", "#ddf1ea"  # lines and areas behind the marks

# Of a page: the variables of its style sheet, on light paper and on dark. JupyterLab's own come before those without
# "look-".
LIGHT = {
    "ink": "#1b1f24", "soft": "#57606a", "line": CELLS, "paper": "#ffffff", "raised": "#f3f5f7",
    "look-blue": BLUE, "look-orange": "#c2530a", "look-green": "#00795a", "look-purple": PURPLE,
    "look-heat-0": WEIGHTS[0], "look-heat-1": WEIGHTS[1], "look-heat-2": WEIGHTS[2],
    "look-on-light": "#000000", "look-on-dark": "#ffffff", "look-more": "rgb(120 130 140 / 0.6)",
}  # fmt: skip
DARK = {
    "ink": "#eef1f4", "soft": "#b6bec7", "line": "#4a525b", "paper": "#15191d", "raised": "#2a3037",
    "look-blue": "#5ab4f0", "look-orange": "#ff9d5c", "look-green": "#3ecf9f", "look-purple": "#d79bc2",
    "look-heat-0": "#1c2126", "look-heat-1": "#2a6ea6", "look-heat-2": "#d3ebff",
}  # fmt: skip

# Of a drawing, which is a light card on any page. Black words read on each of the fills.
FILLS = {"query": BLUE, "key": "#f9c795", "value": "#38aa88", "ring": "#d9820f"}
OUTLINE, FAINT = "#8b929a", "#d4d9de"
DARK_OUTLINE, DARK_FAINT = "#8f979f", "#3a4148"  # the same two on a dark page

PAGE_FONT = "var(--jp-ui-font-family, system-ui, sans-serif)"
PAGE_TYPE = f"15px/1.45 {PAGE_FONT}"
PRESENTER = "24px"  # the letters of a page that a room reads from its last row
FIGURE_FONT = "DejaVu Sans"  # shipped with Matplotlib, so every machine draws the same letters
FIGURE_SIZES = {"font.size": 13, "axes.titlesize": 15, "axes.labelsize": 14}  # points


def css(selector: str) -> str:
    """Return the rules that give an element of a page its type and its colours, in light themes and in dark ones.

    JupyterLab says in its body which theme it has; any other page follows the system.

    >>> print(css(".look")[:46])
    .look { --ink: #1b1f24; --soft: #57606a; --lin
    """
    light, dark = ("".join(f"--{name}: {colour}; " for name, colour in tones.items()) for tones in (LIGHT, DARK))
    return (
        f"{selector} {{ {light}--look-presenter: {PRESENTER}; --look-font: {PAGE_FONT}; font: {PAGE_TYPE}; }}\n"
        f'body[data-jp-theme-light="false"] {selector} {{ {dark}}}\n'
        f"@media (prefers-color-scheme: dark) {{ body:not([data-jp-theme-light]) {selector} {{ {dark}}} }}\n"
    )
