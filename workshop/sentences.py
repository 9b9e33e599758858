"""One sentence a line in lessons and documents, so that a difference shows sentences; a rule of lint.py."""

import re

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
# What is one thing to the reader of a sentence: code, formulas, figures. A full stop inside ends nothing.
WHOLE = re.compile(r"(`+).+?\1|\$\$.+?\$\$|\$[^$]+\$|!\[.*?\]\(.*?\)", re.S)
TAG = re.compile(r"<(?!/?details|/?summary)[^<>]+>")
# A few bold words that open a paragraph are the name of its first sentence, as in "**Goal.** See where it looks."
LABEL = re.compile(r"\A\*\*\w+(?: \w+){,5}[.?!]\*\*(?= )")
END = r"(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.?!][)\]\"'”*_]*"
NEXT = re.compile(END + r" +(?=[^\Wa-z]|[a-z]+[A-Z_]|[(\[\"'“*`$\\√✓✗])")
LAST = re.compile(rf"(?:{END}|</?(?:details|summary)>|(?:\A|\n)\*+)\Z")  # or a line of tags alone, masked


def complaints(text):
    """(line, what is wrong) for every line that holds two sentences, or a part of one."""
    opened = ""
    for token in MARKDOWN.parse(text):
        if token.type == "html_block" or (opened == "paragraph_open" and token.type == "inline"):
            yield from wrong_lines(token.map[0] + 1, masked(token.content.rstrip("\n")))
        opened = token.type


def wrong_lines(first, paragraph):
    for end in NEXT.finditer(paragraph):
        yield first + paragraph.count("\n", 0, end.start()), "a second sentence begins"
    for end in re.finditer("\n", paragraph):
        if not LAST.search(paragraph[: end.start()]):
            yield first + paragraph.count("\n", 0, end.start()), "the sentence goes on in the next line"


def masked(text):
    """A paragraph of the same length in which only the ends of its sentences look like ends."""
    for pattern, sign in ((WHOLE, "X"), (LABEL, "X"), (TAG, "*")):
        text = pattern.sub(lambda found, sign=sign: sign * len(found[0]), text)
    return text


def headings(text):
    """(line, level) of the headings."""
    return [(token.map[0] + 1, int(token.tag[1])) for token in MARKDOWN.parse(text) if token.type == "heading_open"]


def markdown(path):
    """The Markdown of a document, or of the Markdown cells of a lesson, each line where it stands in the file."""
    lines, inside = path.read_text(encoding="utf-8").splitlines(), path.suffix == ".md"
    for place, line in enumerate(lines):
        if line.startswith("# %%") and path.suffix == ".py":
            inside, lines[place] = line == "# %% [markdown]", ""
        else:
            lines[place] = (line if path.suffix == ".md" else line[2:]) if inside else ""
    return "\n".join(lines)
