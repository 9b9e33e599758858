"""Reads the page of an exercise: a plain solution, its data, and each mistake as other lines of that solution.

People read and edit the pages; README.md shows one. Invalid text raises an error with file and line.
"""

import re
from pathlib import Path
from typing import NamedTuple

from pagecheck.lines import Hunk

LINE = re.compile(r"## `(.+)`")
BORROWED = re.compile(r"As in \[(\w+)\]\(\1\.md\)(?:, without ([^.]+))?\.")
SAYS = re.compile(r"(insight|retired): (.+)")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Text(NamedTuple):
    """Lines of a page that belong together, and the number of the first one."""

    text: str
    at: int


class Entry(NamedTuple):
    """A mistake on a page: its id, its line, what makes it, and its sentences.

    differences: each is the whole change of one wrong answer, a tuple of hunks, or an answer for a value.
    sentences: two where the mistake is defined, one where an exercise has its own words for it, none elsewhere.
    """

    id: str
    at: int
    differences: list
    sentences: list[str]


class Group(NamedTuple):
    """The mistakes at one line: the line ("" for several), the entries, and the pages from which more are borrowed."""

    line: Text
    entries: list[Entry]
    borrowed: list[tuple[str, tuple[str, ...]]]


class Page(NamedTuple):
    """A page. says: the insight, and where a retired exercise was. blocks: its Python."""

    file: Path
    name: str
    says: dict[str, str]
    blocks: list[Text]
    groups: list[Group]

    def error(self, at, text):
        return ValueError(f"{self.file.name}, line {at}: {text}")

    @property
    def entries(self):
        return [entry for group in self.groups for entry in group.entries]


def read(path) -> Page:
    """Return a page. Raises ValueError with file and line for text that does not belong to a page."""
    lines = path.read_text(encoding="utf-8").splitlines()
    page = Page(path, lines[0].removeprefix("# ").strip() if lines else "", {}, [], [])
    if not page.name or not lines[0].startswith("# "):
        raise page.error(1, "a page begins with the name of its exercise: # share")
    number = 1
    while number < len(lines):
        line, number = lines[number], number + 1
        if line.startswith("```"):
            end = next((k for k in range(number, len(lines)) if lines[k].startswith("```")), None)
            if end is None:
                raise page.error(number, "a block of code that does not end")
            page.blocks.append(Text("\n".join(lines[number:end]) + "\n", number + 1))
            number = end + 1
        elif line.startswith("    "):
            end = next((k for k in range(number, len(lines)) if lines[k][:4].strip()), len(lines))
            if not page.groups or not page.groups[-1].entries:
                raise page.error(number, "lines of code stand below a heading ### with the id of a mistake")
            _add_differences(page, lines[number - 1 : end], number)
            number = end
        elif line.strip():
            _add_line(page, line, number)
    return page


def _add_line(page, line, at):
    """Add a line that is not code: a heading, a sentence, the insight, or a comment."""
    if line.startswith(("## ", "### ")):
        _add_heading(page, line.rstrip(), at)
        return
    entries, borrowed, says = (
        page.groups[-1].entries if page.groups else [],
        BORROWED.fullmatch(line),
        SAYS.fullmatch(line),
    )
    if line.lower().startswith("as in") and not borrowed:
        raise page.error(at, "what is taken from another page is written so: As in [name](name.md), without `id`.")
    if entries:
        if len(entries[-1].sentences) == 2 or borrowed:
            raise page.error(at, f"{entries[-1].id} has two sentences: what is seen, and what is suspected; no more")
        entries[-1].sentences.append(line.strip())
    elif page.groups and borrowed:
        page.groups[-1].borrowed.append((borrowed[1], tuple(re.findall(r"`([^`]+)`", borrowed[2] or ""))))
    elif not page.groups and says:
        page.says[says[1]] = says[2]
    elif page.says and not page.blocks:  # a second sentence
        page.says[list(page.says)[-1]] += f" {line.strip()}"


def _add_heading(page, line, at):
    """Add a heading: ## with a line of the solution, or ### with the id of a mistake."""
    if line.startswith("### "):
        id = line[4:].strip()
        if not page.groups or not ID.fullmatch(id):
            raise page.error(at, f"{id!r}: an id has small letters, digits and hyphens, and stands below a heading ##")
        page.groups[-1].entries.append(Entry(id, at, [], []))
        return
    match = LINE.fullmatch(line)
    if not match and re.search(r"[`=()\[\]]", line):
        raise page.error(at, f"{line!r}: a line of the solution stands between backticks, with nothing after it")
    page.groups.append(Group(Text(match[1] if match else "", at), [], []))


def _add_differences(page, lines, at):
    """Add the indented lines below an id: `+` is new, `-` is old, a line without a sign continues the one above.

    A blank line ends a difference; a second `+` below the same old line is another way to make the mistake.
    """
    group = page.groups[-1]
    differences, heading = group.entries[-1].differences, (group.line.text, group.line.at)
    old, hunks, is_removed = heading, [], False  # is_removed: the old line has no new one yet
    for sign, text, number in [*_signed(page, lines, at), ("", "", 0)]:
        if is_removed and sign != "+":
            hunks.append(Hunk(old[0], "", old[1], old[1]))
        if sign == "-":
            old, is_removed = (text, number), True
            continue
        if hunks and (not sign or not is_removed):  # a difference ends: this is the next, or another way
            differences.append(tuple(hunks))
            hunks = []
        if sign:
            hunks.append(Hunk(old[0], text, old[1], number))
        else:
            old = heading
        is_removed = False


def _signed(page, lines, at):
    """Return (sign, text, number) for each line of code with its continuations; the sign of a blank line is ""."""
    pieces = []
    for number, line in enumerate(lines, at):
        sign, text = line[4:6].strip(), line[6:].rstrip()
        if sign in ("+", "-") or not line.strip():
            pieces.append([sign, text, number])
        elif pieces and pieces[-1][0] and not sign:
            pieces[-1][1] += f"\n{text}"
        else:
            raise page.error(number, "a line of code begins with + where it is new, and with - where it is old")
    return pieces


class Words(NamedTuple):
    """The words of a mistake: what is seen and what is suspected, the first line that makes it, and its page."""

    seen: str
    suspect: str
    example: str = ""
    page: str = ""


def words_of(pages) -> dict[str, Words]:
    """Return the words of each mistake. Raises ValueError for an id that is defined twice, or nowhere."""
    words, first_uses, examples = {}, {}, {}
    for page in pages:
        for entry in page.entries:
            example = _example(entry)
            if len(entry.sentences) == 2:
                if entry.id in words:
                    raise page.error(entry.at, f"{entry.id} has its two sentences in {words[entry.id].page} already")
                words[entry.id] = Words(*entry.sentences, example, page.name)
            first_uses.setdefault(entry.id, (page, entry))
            if example:
                examples.setdefault(entry.id, example)
    for id, (page, entry) in first_uses.items():
        if id not in words:
            raise page.error(entry.at, f"{id} has its two sentences nowhere")
        words[id] = words[id]._replace(example=words[id].example or examples.get(id, ""))
    return words


def _example(entry):
    """The new lines of the first difference; for a deleted line, a comment that it is missing."""
    hunks = entry.differences[0] if entry.differences else ()
    lines = (line.strip() for hunk in hunks for line in (hunk.new or f"# without {hunk.old}").splitlines())
    return "; ".join(lines).replace(":;", ":")
