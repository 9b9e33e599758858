"""One sentence a line in the text of the lessons and in the documents, so that a difference shows sentences."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
FILES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("course_utils/**/*.md"),
        *ROOT.glob("pagecheck/**/*.md"),
        *ROOT.glob("book/**/*.md"),
        *ROOT.glob("classroom/*.md"),
        *ROOT.glob("classroom/hub/*.md"),
        *ROOT.glob("workshop/*.md"),
        *ROOT.glob("notebooks/source/*.py"),
        *ROOT.glob("notebooks/inventory/*.py"),
    ]
)
MARKDOWN = MarkdownIt("commonmark").enable("table")
# What is one thing to the reader of a sentence: code, formulas, figures. A full stop inside ends nothing.
WHOLE = re.compile(r"(`+).+?\1|\$\$.+?\$\$|\$[^$]+\$|!\[.*?\]\(.*?\)", re.S)
TAG = re.compile(r"<[^<>]+>")
# A few bold words that open a paragraph are the name of its first sentence, as in "**Goal.** See where it looks."
LABEL = re.compile(r"\A\*\*\w+(?: \w+){,5}[.?!]\*\* ")
END = r"(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.?!][)\]\"'”*_]*"
NEXT = re.compile(END + r" +(?=[^\Wa-z]|[a-z]+[A-Z_]|[(\[\"'“*`$\\√✓✗])")
LAST = re.compile(rf"(?:{END}|</?(?:details|summary)>|(?:\A|\n)\*+)\Z")  # or a line of tags alone, masked


def markdown(path):
    """The Markdown of a document, or of the Markdown cells of a lesson, each line where it stands in the file."""
    lines, inside = path.read_text(encoding="utf-8").splitlines(), path.suffix == ".md"
    for place, line in enumerate(lines):
        if line.startswith("# %%") and path.suffix == ".py":
            inside, lines[place] = line == "# %% [markdown]", ""
        else:
            lines[place] = (line if path.suffix == ".md" else line[2:]) if inside else ""
    return "\n".join(lines)


def paragraphs(text):
    """(line, text) of each paragraph, of a list too, and of each block of HTML.

    Headings, tables and code are left out.
    """
    opened = ""
    for token in MARKDOWN.parse(text):
        if token.type == "html_block" or (opened == "paragraph_open" and token.type == "inline"):
            yield token.map[0] + 1, token.content.rstrip("\n")
        opened = token.type


def masked(paragraph):
    """A paragraph of the same length in which only the ends of its sentences look like ends."""
    text = WHOLE.sub(lambda found: "X" * len(found[0]), paragraph)
    text = LABEL.sub(lambda found: "X" * (len(found[0]) - 1) + " ", text)
    return TAG.sub(
        lambda found: found[0] if "details" in found[0] or "summary" in found[0] else "*" * len(found[0]), text
    )


def complaints(text):
    """(line, what is wrong) for every line that holds two sentences, or a part of one."""
    for start, paragraph in paragraphs(text):
        text = masked(paragraph)
        for end in NEXT.finditer(text):
            follows = paragraph[end.end() :].split("\n")[0][:40]
            yield start + paragraph.count("\n", 0, end.start()), f"a second sentence begins: {follows}"
        for end in re.finditer("\n", text):
            if not LAST.search(text[: end.start()]):
                yield start + paragraph.count("\n", 0, end.start()), "the sentence goes on in the next line"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_sentence_a_line(path):
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {wrong}" for line, wrong in sorted(complaints(markdown(path)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("One. Two.", [1]),
        ("It says *so.* And `more`", [1]),
        ("- One?\n  *Two* is\n  three.", [2]),
        ("<details><summary>Hint</summary>One. Two\n<code>three</code>.</details>", [1, 1]),
        ("<ul>\n<li>One.</li>\n<li>Two\nthree.</li>\n</ul>", [3]),
        ("# One. Two.\n\n| One. Two. | three |\n|---|---|\n\n```\nOne. Two.\n```", []),
        (
            '**Goal.** See `x. Y` and $a. B$, e.g. 0.33 by Ba et al. 2016: *"It is."* or ![One. Two.](a.svg) so.\nTwo',
            [],
        ),
    ],
)
def test_what_counts_as_a_sentence(text, wrong):
    assert [line for line, _ in complaints(text)] == wrong
