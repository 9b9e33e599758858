"""Write notebooks/GLOSSARY.md from docs/glossary.toml: each term with a sentence, its lesson, and its other names."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, PAGE = ROOT / "docs" / "glossary.toml", ROOT / "notebooks" / "GLOSSARY.md"
HEAD = """# Glossary

Each term with its symbol, one sentence, the lesson that introduces it, and what others call it.
<!-- Made from docs/glossary.toml by nox -s build: edit that file. -->

"""


def terms(path=SOURCE):
    """Return the terms of the source, one dict each."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["term"]


def page(root=ROOT):
    """Return the text of the glossary."""
    return HEAD + "".join(map(_item, terms(root / SOURCE.relative_to(ROOT))))


def _item(term):
    lesson = next((ROOT / "notebooks" / "source").glob(f"{term['lesson']}_*.py")).stem
    symbol = f", {term['symbol']}" if term["symbol"] else ""
    others = {"Keras": term["keras"], "PyTorch": term["pytorch"], "Papers": term["papers"]}
    elsewhere = "".join(f"\n  *{where}:* {name}." for where, name in others.items() if name)
    return f"- **{term['name']}**{symbol} ([{term['lesson']}]({lesson}.ipynb)).\n  {term['says']}{elsewhere}\n"
