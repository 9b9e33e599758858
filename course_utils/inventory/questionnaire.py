"""The questionnaire of the inventory, in a notebook and on a page without a kernel. The only module with anywidget."""

import base64
import json
from pathlib import Path

import anywidget
import traitlets

from course_utils.arrays.arguments import wrong
from course_utils.checks.student.record import all_entries
from course_utils.computer.notebook import keeps_files
from course_utils.explorables.assets import STYLE, bundle
from course_utils.inventory import answers
from course_utils.inventory.codes import as_code, draw_code
from course_utils.inventory.items import FORMS, load, picture_of
from pagecheck.words import NOT_STARTED

HERE = Path(__file__).parent
STORAGE_TEXTS = {
    "file": "Your answers are kept in the file {name}, beside this notebook. Nothing else leaves the page.",
    "page": "Your answers stay in this browser until you download them. Nothing leaves this machine by itself.",
    "nothing": "Nothing is kept here: your answers are gone when the kernel ends.",
}


class Questionnaire(anywidget.AnyWidget):
    """The fourteen questions before or after the course; the student's code says which form.

    sitting: "before" or "after". code: the student's own; without it, the newest answers in this folder are continued,
    or new ones begun under a new code. keeps: "page" for a page without a kernel. Python reads `content`.
    Raises ValueError for another sitting, and for an invalid code.
    """

    _esm = bundle(HERE / "questionnaire.js")
    _css = STYLE + (HERE / "questionnaire.css").read_text(encoding="utf-8")
    sitting = traitlets.Unicode().tag(sync=True)
    version = traitlets.Int().tag(sync=True)
    forms = traitlets.Dict().tag(sync=True)
    concepts = traitlets.List().tag(sync=True)
    sealed = traitlets.Unicode().tag(sync=True)
    content = traitlets.Dict().tag(sync=True)
    keeps = traitlets.Unicode().tag(sync=True)
    place = traitlets.Unicode().tag(sync=True)
    share = traitlets.Bool(False).tag(sync=True)
    trouble = traitlets.Unicode("").tag(sync=True)
    stored = traitlets.Int(0).tag(sync=True)  # how often something was saved: the page waits for it

    def __init__(self, sitting: str, code: str | None = None, *, keeps: str | None = None):
        if sitting not in answers.SITTINGS:
            raise wrong("sitting", sitting, " or ".join(map(repr, answers.SITTINGS)))
        if code is not None and not as_code(code):
            raise wrong("code", code, "the code that the first questionnaire showed, six letters and digits")
        keeps = keeps or ("file" if keeps_files() else "nothing")
        content = load_or_start(as_code(code) if code else "", keeps)
        super().__init__(
            sitting=sitting,
            version=load().version,
            forms={form: [_page_item(item) for item in load().form(form)] for form in FORMS},
            concepts=[[name, concept.name] for name, concept in load().concepts.items()],
            sealed=sealed_keys(),
            keeps=keeps,
            content=content,
            share="checks" in content,
            place=STORAGE_TEXTS[keeps].format(name=answers.file_of(content["code"]).name),
        )
        self.observe(self._keep, "content")
        self.observe(self._share, "share")

    def _keep(self, change):
        """Save the answers of the page, merged with those that are already here under the same code."""
        if self.keeps != "file":
            return
        try:
            content = answers.validate(change["new"])
            if content["code"] != change["old"].get("code"):
                content = load_or_start(content["code"], "file") | content
                self.place = STORAGE_TEXTS["file"].format(name=answers.file_of(content["code"]).name)
            if len(content) > 2:  # more than version and code: something was answered
                answers.write(content)
            self.content, self.trouble = content, ""
            self.stored += 1
        except (ValueError, OSError) as problem:
            self.trouble = f"Your last answer could not be kept: {problem}"

    def _share(self, change):
        """Add the record of the checks to the answers, or remove it again."""
        without = {name: part for name, part in self.content.items() if name != "checks"}
        self.content = without | ({"checks": check_summary()} if change["new"] else {})

    def text(self) -> str:
        """Return the text that replaces the questionnaire where nothing runs."""
        return (
            f"The questionnaire {self.sitting} the course: {len(self.forms['A'])} questions, made for ten minutes.\n"
            "Run this cell, and it appears: Shift+Enter."
        )

    def picture(self) -> str:
        """Return HTML for a page without scripts."""
        return "<p>This questionnaire needs JavaScript.</p>"

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and beside it what a stored notebook shows."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/plain": self.text()}, metadata


def load_or_start(code: str, keeps: str) -> dict:
    """Return the answers in this folder with this code, or without one the newest; new ones if there are none."""
    if keeps == "file":
        for path in [answers.file_of(code)] if code else answers.files_in():
            try:
                return answers.read(path)
            except ValueError:
                continue
    return {"inventory": load().version, "code": code or draw_code()}


def check_summary() -> dict[str, dict]:
    """Return what the record of the checks says of each exercise that was started."""
    fields = ("state", "tries", "seconds", "seen")
    started = {name: entry for name, entry in all_entries().items() if entry["state"] != NOT_STARTED}
    return {name: {part: entry[part] for part in fields if part in entry} for name, entry in started.items()}


def sealed_keys() -> str:
    """Return the right options and all reasons, encoded so that nobody reads them by accident; it is not a secret."""
    keys = {
        name: {"right": item.right, "why": [option.why for option in item.options]}
        for name, item in load().items.items()
    }
    return base64.b64encode(json.dumps(keys).encode()).decode()


def _page_item(item):
    """What the page needs of an item, without anything that reveals the right option."""
    svg, alt = picture_of(item)
    picture = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}" if svg else ""
    options = [option.text for option in item.options]
    return {
        "id": item.id,
        "concept": item.concept,
        "question": item.question,
        "options": options,
        "picture": picture,
        "alt": alt,
    }
