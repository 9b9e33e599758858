"""Lint what people read and edit: lessons, documents, code. A finding is a line: FILE:LINE: what is wrong.

    python workshop/lint.py

A rule yields (path, line, what is wrong). A word or a sign in the wrong place needs only a row of NEVER.
"""

import re
import statistics
import sys
from pathlib import Path

import glossary
import lint_code
import nbformat
import references
import sentences
from lesson_time import without_optional, words

from course_utils.checks.exercises import COURSE

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
PAGES = "*.md docs/*.md locks/*.md course_utils/**/*.md pagecheck/**/*.md classroom/*.md classroom/hub/*.md"
PAGES += " workshop/*.md book/README.md"
CODE = "*.py " + " ".join(f"{house}/**/*.py" for house in ("course_utils", "classroom", "images", "book", "workshop"))
PROGRAMS = f"{CODE} pagecheck/*.py pagecheck/example/*.py tests/runner/*.py"
SCRIPTS = "course_utils/**/*.js course_utils/**/*.css classroom/*/*.js workshop/jupyterlab/**/*.js"
SOURCES = "notebooks/source/*.py"
EVERYTHING = f"{PAGES} {PROGRAMS} {SOURCES} {SCRIPTS} *.toml *.yml *.lock locks/* notebooks/**/*.ipynb images/*.svg"
LINT = "workshop/lint.py"
FACTS = f"{LINT} course_utils/__init__.py computer/notebook.py"
EVALS = "pagecheck/course.py pagecheck/lines.py workshop/oracle.py grading/inside.py grading/judge.py in_process.py"

# Files, what never stands in them, why, and in which of them it may.
NEVER = [
    (SOURCES, r"^# .*\b(just|simply|obviously)\b", "a word that belittles", ""),
    (SOURCES, r"\b(many texts|well-known|famous)", "name the source: [@key]", ""),
    (SOURCES, r"arxiv\.org|doi\.org", "a work is named by its key in docs/references.bib", ""),
    (f"{PAGES} {SOURCES}", r"!\[\s*\]\((?!\.\./images/)|<img (?![^>]*\balt=[\"'][^\"']*\w)", "has no words", ""),
    (EVERYTHING, r"/(?:home/\w+|Users/\w+|root)/|[A-Z]:\\{1,2}Users\\", "the home folder of somebody", ""),
    ("*.lock locks/*.lock", r"https?://|--(extra-)?index-url|--find-links|file:", "a lock names no host", ""),
    (".github/workflows/*.yml", r"uses: (?!\S+@[0-9a-f]{40} # v[\d.]+$)", "a tag can be moved: name its hash", ""),
    (f"{CODE} {SCRIPTS}", r"#[0-9a-f]{6}\b|#[0-9a-f]{3}[\"; ]|rgb\(\d", "colours have a place", "palette.py"),
    (PROGRAMS, r"TF_ENABLE_ONEDNN_OPTS|vnd\.jupyter\.widget-view", "such a fact has one place", FACTS),
    (f"{PROGRAMS} {SOURCES}", r"\b(import|from) (pickle|dill|joblib|shelve)|allow_pickle=(?!F)", "no pickle", LINT),
    # What runs a text as code runs pages of the course, its lessons, or an answer in a process of its own.
    (f"{PROGRAMS} {SOURCES}", r"(?<![\w.])(eval|exec)\(", "what runs a text needs a reason", EVALS),
]
PARTS = "You will build", "You will be able to", "You need", "## What we now know", "## Next question"


def files(globs):
    """The files of the project, tests and packages of others left out."""
    found = {path.relative_to(ROOT) for one in globs.split() for path in ROOT.glob(one)}
    return [ROOT / path for path in sorted(found) if not {"tests", "node_modules"} & set(path.parts[1:])]


def forbidden_text():
    for globs, pattern, why, may in NEVER:
        for path in files(globs):
            if not path.as_posix().endswith(tuple(may.split())):
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    if found := re.search(pattern, line, re.I):
                        yield path, number, f"{found[0]}: {why}"


def one_sentence_a_line():
    """So that a difference shows sentences."""
    for path in files(f"{PAGES} {SOURCES} notebooks/inventory/*.py book/**/*.md"):
        yield from ((path, line, wrong) for line, wrong in sentences.complaints(sentences.markdown(path)))


def links_lead_somewhere():
    """In documents, in lessons, and in what their cells print."""
    for path in files(PAGES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from ((path, number, why) for why in link_problems(path, line, ROOT))
    for path in files("notebooks/*.ipynb notebooks/*/*.ipynb"):
        for place, cell in enumerate(read(path).cells, 1):
            text = cell.source if cell.cell_type == "markdown" else "\n".join(output_texts(cell))
            yield from ((path, f"cell {place}", why) for why in link_problems(path, text, NOTEBOOKS))


def link_problems(page, text, inside):
    """What is wrong with the links of a text in Markdown or HTML, which may not leave a folder."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "`", text, flags=re.S)
    targets = re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", text) + re.findall(r"""\shref=["']([^"']+)""", text)
    for target in targets:
        file, _, fragment = target.partition("#")
        found = (page.parent / file).resolve() if file else page
        if re.match(r"[a-z]+:", target):
            if not target.startswith("https://"):
                yield f"{target}: only https"
        elif not found.exists() or not found.is_relative_to(inside):
            yield f"{target}: no such file in {inside.name}/"
        elif fragment.startswith("cell-id=") and fragment[8:] not in [cell.id for cell in read(found).cells]:
            yield f"{target}: no such cell"


def lessons_have_one_shape():
    """Opening, closing, and budgets of minutes, cells, words and code."""
    for path in files(SOURCES):
        cells = read(NOTEBOOKS / "solutions" / f"{path.stem}.ipynb").cells
        asked = without_optional(cells)
        texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
        n_words = sum(words(cell.source) for cell in asked if cell.cell_type == "markdown")
        missing = [part for part in PARTS if part not in "\n".join([texts[0], *texts[-3:]])]
        lines = r"^(?!# answers).*\S"  # which is a line for the build
        lengths = [len(re.findall(lines, cell.source, re.M)) for cell in cells if cell.cell_type == "code"]
        wanted = {
            "begins with its title": texts[0].startswith("# "),
            f"has its first and last parts, not without {missing}": not missing,
            "takes at most 45 minutes": int(re.search(r"\*\*Time:\*\* (\d+) minutes", texts[0])[1]) <= 45,
            f"has 20 to 45 cells, not {len(asked)}": 20 <= len(asked) <= 45,
            f"has at most 2000 words, not {n_words}": n_words <= 2000,
            "has code cells of 5 lines, as a median, and of 15 at most": statistics.median(lengths) <= 5
            and max(lengths) <= 15,
        }
        yield from ((path, 1, f"a lesson {promise}") for promise, kept in wanted.items() if not kept)


def headings_have_their_place():
    """None skips a level, and one of an optional part begins a cell, because the parts are counted by cells."""
    for path in files(SOURCES):
        level, text = 0, path.read_text(encoding="utf-8").splitlines()
        for line, heading in sentences.headings(sentences.markdown(path)):
            if heading > level + 1:
                yield path, line, "a heading skips a level"
            if re.match(r"# #+ Optional: ", text[line - 1]) and not text[line - 2].startswith("# %%"):
                yield path, line, "an optional part begins a cell"
            level = heading


def cells_name_no_machine_and_no_moment():
    """No path, address of an object, date or time of day."""
    fleeting = re.compile(
        r"(?<![\w./:])/(?:home|root|work|tmp|Users|usr|var|opt)/|\b[A-Za-z]:\\+Users"
        r"|\b0x[0-9a-f]{8,}|\b\d{4}-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b"
    )
    for path in files("notebooks/*.ipynb notebooks/*/*.ipynb"):
        for place, cell in enumerate(read(path).cells, 1):
            for text in (cell.source, *output_texts(cell)):
                if found := fleeting.search(re.sub(r"data:image/[^\"]*", "", text)):
                    yield path, f"cell {place}", found[0]
                if re.search(r"""<img (?![^>]*\balt=["'][^"']*\w)""", text):
                    yield path, f"cell {place}", "a picture without words"


def output_texts(cell):
    """The texts of a cell's outputs."""
    for output in cell.get("outputs", []):
        yield from (text for kind, text in output.get("data", {}).items() if kind.startswith("text/"))
        yield output.get("text", "")


def terms_and_works_are_known():
    """What a lesson calls by a name in bold is a term of the glossary, and each work of references.bib is cited."""
    lesson_of = {term["name"].split(" (")[0].lower(): term["lesson"] for term in glossary.terms()}
    cited = set(re.findall(r"\]\((https://[^)]+)\)", (ROOT / "docs" / "GAIN.md").read_text(encoding="utf-8")))
    for path in files(SOURCES):
        text = path.read_text(encoding="utf-8")
        cited |= {references.read()[key].address for key in references.keys(text)}
        for number, line in enumerate(text.splitlines(), 1):
            for word in re.findall(r"called \*\*([^*]+)\*\*", line):
                forms = (word.lower(), word.lower().removesuffix("s"), word.removeprefix("to "))
                if path.stem[:2] not in {lesson_of.get(form) for form in forms}:
                    yield path, number, f"{word}: no term of this lesson in docs/glossary.toml"
    for key, work in references.read().items():
        if work.address not in cited:
            yield references.FILE, 1, f"{key}: cited nowhere"


def named_things_exist():
    """Commands, ids of mistakes, and the last lesson, as the documents name them."""
    last = files(SOURCES)[-1].stem[:2]
    commands = re.findall(r'^(?:@nox\.session.*\ndef |    ")(\w+)', (ROOT / "noxfile.py").read_text("utf-8"), re.M)
    for path in files(PAGES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for other in set(re.findall(r"\b00 to (\d\d)\b", line)) - {last}:
                yield path, number, f"00 to {other}: the last lesson is {last}"
            for command in set(re.findall(r"nox -s (\w+)", line)) - set(commands):
                yield path, number, f"nox -s {command}: no such command"
            if path.name == "INSTRUCTORS.md" and re.match(r"\| \d\d \|", line):
                for id in set(re.findall(r"`([\w-]+)`", line)) - set(COURSE.mistakes):
                    yield path, number, f"{id}: no such mistake"


def code_stays_short():
    yield from lint_code.too_long(files(PROGRAMS))


def public_functions_say_what_they_take():
    yield from lint_code.without_types(files("course_utils/**/*.py"))


def read(path):
    return nbformat.read(path, as_version=4)


RULES = (
    forbidden_text,
    one_sentence_a_line,
    links_lead_somewhere,
    lessons_have_one_shape,
    headings_have_their_place,
    cells_name_no_machine_and_no_moment,
    terms_and_works_are_known,
    named_things_exist,
    code_stays_short,
    public_functions_say_what_they_take,
)


def findings(rule):
    return [f"{path.relative_to(ROOT).as_posix()}:{line}: {wrong}" for path, line, wrong in rule()]


if __name__ == "__main__":
    found = [finding for rule in RULES for finding in findings(rule)]
    print("\n".join(found))
    sys.exit(bool(found))
