"""The page of all formulas, from the source of the printed sheet."""

import tomllib

HEAD = """# All formulas

What the lessons build, formula by formula, with shapes and code.
[The same on two pages, to print](sheet.pdf).

| lesson | name | formula | shapes | code |
|---|---|---|---|---|
"""


def formulas_page(root):
    """Return the page as Markdown. root: the folder of the course."""
    entries = tomllib.loads((root / "images" / "sheet.toml").read_text(encoding="utf-8"))["entry"]
    return HEAD + "".join(row(entry, root) for entry in entries)


def row(entry, root):
    lesson = next((root / "notebooks" / "source").glob(f"{entry['lesson']}_*.py")).stem
    formula = " ".join(f"${line}$" for line in entry["formula"])
    cells = [f"[{entry['lesson']}]({lesson}.ipynb)", entry["name"], formula, entry["shapes"], f"`{entry['code']}`"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
