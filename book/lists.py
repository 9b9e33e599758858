"""The pages of the book that are lists: the claims as cards, the glossary with letters, and the words of the search."""

import json
import re
from collections import Counter
from html import escape

from docutils.nodes import make_id

CLAIM = re.compile(r"^\| (“.+”.*?) \| (.+?) \| (\d\d, \*[^|*]+\*) \| `([^|]+)` \| ([^|]+) \|$", re.M)
TABLE_HEAD = "| quote | where | section | printed there | verdict |\n|---|---|---|---|---|\n"
VERDICT = re.compile(r"(holds with a condition|holds|does not hold)(?:: (.*))?")
MARKS = {"holds": "✓", "holds with a condition": "◐", "does not hold": "✗"}
SECTION = re.compile(r"(\d\d), \*([^*]+)\*")
CARD = """<article class="book-item claim" id="{id}" data-kind="{kind}">
<blockquote>{quote}</blockquote>
<p class="claim-verdict"><b>{mark} {kind}</b>{condition}</p>
<p class="claim-where">{where} <a class="headerlink" href="#{id}" aria-label="Link to this claim">#</a></p>
<details><summary>Evidence</summary><p>Lesson {section} prints:</p><pre>{printed}</pre></details>
</article>
"""
TERM = re.compile(r"^- \*\*(.+?)\*\*", re.M)
FEWEST = 2  # a word that occurs this often is not a typo


def claims_page(text, lessons):
    """Return docs/CLAIMS.md with a card for each row of its tables. lessons: the folder of the notebooks.

    Raises ValueError for a section that no lesson has.
    """
    cards = iter(range(1, text.count("\n| “") + 1))
    text = CLAIM.sub(lambda row: card(row, f"claim-{next(cards)}", lessons), text)
    text = text.replace("The first five tables have a row for", "The first five sections have a card for")
    text = text.replace(TABLE_HEAD, '<div class="book-list">\n')
    return re.sub(r"(</article>\n)(?!<article)", r"\1</div>\n", text)


def card(row, place, lessons):
    quote, where, section, printed, verdict = (cell.replace("\\|", "|") for cell in row.groups())
    kind, condition = VERDICT.fullmatch(verdict).groups()
    return CARD.format(
        id=place,
        kind=kind,
        mark=MARKS[kind],
        quote=inline(quote, lessons),
        condition=f": {inline(condition, lessons)}" if condition else "",
        where=escape(where),
        section=inline(section, lessons),
        printed=escape(printed),
    ).rstrip("\n")


def inline(text, lessons):
    """Return a cell of the table as HTML, with a link to each section that it names."""
    text = SECTION.sub(lambda match: section_link(match[1], match[2], lessons), escape(text, quote=False))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text))


def section_link(number, heading, lessons):
    (lesson,) = lessons.glob(f"{number}_*.ipynb")
    cells = json.loads(lesson.read_text(encoding="utf-8"))["cells"]
    headings = re.findall(r"^#{2,3} (.+)$", "\n".join("".join(cell["source"]) for cell in cells), re.M)
    if heading not in [re.sub("[`*]", "", one) for one in headings]:
        raise ValueError(f"docs/CLAIMS.md names a section that lesson {number} does not have: {heading}")
    return f'<a href="../notebooks/{lesson.stem}.html#{make_id(heading)}">{number}, {heading}</a>'


def glossary_page(text):
    """Return the glossary with a place for each term that can be linked, and with its letters on top."""
    terms = TERM.findall(text)
    first = {}
    for term in terms:
        first.setdefault(re.search("[A-Za-z]", term)[0].upper(), make_id(f"term {term}"))
    letters = " ".join(f'<a href="#{place}">{letter}</a>' for letter, place in first.items())
    head, _, entries = text.partition("\n- ")
    entries = TERM.sub(lambda match: f"- **{match[1]}** {anchor(match[1])}", f"- {entries}")
    return f'{head}\n<p class="book-letters">{letters}</p>\n<div class="book-list"></div>\n\n{entries}'


def anchor(term):
    place = make_id(f"term {term}")
    name = escape(f"Link to {term}")
    return f'<a class="headerlink" id="{place}" href="#{place}" aria-label="{name}">#</a>'


def words_script(texts):
    """Return the script with the words of the lessons, for the search. texts: of the lessons and of the glossary."""
    counts = Counter(re.findall(r"[a-z]{4,}", " ".join(texts).lower()))
    return f"const WORDS = {json.dumps(sorted(word for word, n in counts.items() if n >= FEWEST))};\n"
