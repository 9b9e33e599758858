"""The questionnaire of the inventory, in a notebook and on a page without a kernel. The only module with anywidget."""

import base64
import io
import json
from pathlib import Path

import anywidget
import matplotlib.pyplot as plt
import traitlets

from course_utils.arguments import wrong
from course_utils.checks.student.record import known
from course_utils.explorables.assets import STYLE, joined
from course_utils.inventory import answers
from course_utils.inventory.codes import as_code, draw_code
from course_utils.inventory.items import FORMS, load, picture_of
from course_utils.notebook import keeps_files
from pagecheck.words import NOT_STARTED

HERE = Path(__file__).parent
PLACES = {
    "file": "Your answers are kept in the file {name}, beside this notebook. Nothing else leaves the page.",
    "page": "Your answers stay in this browser until you download them. Nothing leaves this machine by itself.",
    "nothing": "Nothing is kept here: your answers are gone when the kernel ends.",
}


class Questionnaire(anywidget.AnyWidget):
    """The fourteen questions before or after the course; the code of a student says which form.

    sitting: "before" or "after". code: a student's own; without it the answers are taken that lie in this folder, or
    begun under a new code. keeps: "page" for a page without a kernel. Python reads the answers as `kept`.
    Raises ValueError for another sitting, and for what is no code.
    """

    _esm = joined(HERE / "questionnaire.js")
    _css = STYLE + (HERE / "questionnaire.css").read_text(encoding="utf-8")
    sitting = traitlets.Unicode().tag(sync=True)
    version = traitlets.Int().tag(sync=True)
    forms = traitlets.Dict().tag(sync=True)
    concepts = traitlets.List().tag(sync=True)
    sealed = traitlets.Unicode().tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    keeps = traitlets.Unicode().tag(sync=True)
    place = traitlets.Unicode().tag(sync=True)
    share = traitlets.Bool(False).tag(sync=True)
    trouble = traitlets.Unicode("").tag(sync=True)
    stored = traitlets.Int(0).tag(sync=True)  # how often something was written down: the page waits for it

    def __init__(self, sitting, code=None, *, keeps=None):
        if sitting not in answers.SITTINGS:
            raise wrong("sitting", sitting, " or ".join(map(repr, answers.SITTINGS)))
        if code is not None and not as_code(code):
            raise wrong("code", code, "the code that the first questionnaire showed, six letters and digits")
        keeps = keeps or ("file" if keeps_files() else "nothing")
        kept = begun(as_code(code) if code else "", keeps)
        super().__init__(
            sitting=sitting,
            version=load().version,
            forms={form: [_shown(item) for item in load().form(form)] for form in FORMS},
            concepts=[[name, concept.name] for name, concept in load().concepts.items()],
            sealed=sealed_keys(),
            keeps=keeps,
            kept=kept,
            share="checks" in kept,
            place=PLACES[keeps].format(name=answers.file_of(kept["code"]).name),
        )
        self.observe(self._keep, "kept")
        self.observe(self._share, "share")

    def _keep(self, change):
        """Write down what the page says; answers to the same code that lie here already are not lost."""
        if self.keeps != "file":
            return
        try:
            kept = answers.checked(change["new"])
            if kept["code"] != change["old"].get("code"):
                kept = begun(kept["code"], "file") | kept
                self.place = PLACES["file"].format(name=answers.file_of(kept["code"]).name)
            if len(kept) > 2:  # more than version and code: something was answered
                answers.write(kept)
            self.kept, self.trouble = kept, ""
            self.stored += 1
        except (ValueError, OSError) as problem:
            self.trouble = f"Your last answer could not be kept: {problem}"

    def _share(self, change):
        """Add what the checks noted to the answers, or take it out again."""
        without = {name: part for name, part in self.kept.items() if name != "checks"}
        self.kept = without | ({"checks": noted()} if change["new"] else {})

    def text(self):
        """Return what stands in the questionnaire's place where nothing runs."""
        return (
            f"The questionnaire {self.sitting} the course: {len(self.forms['A'])} questions, made for ten minutes.\n"
            "Run this cell, and it appears: Shift+Enter."
        )

    def picture(self):
        """Return the same text as PNG bytes, for a page without scripts."""
        figure, file = plt.figure(figsize=(6, 0.8)), io.BytesIO()
        figure.text(0.02, 0.5, "This questionnaire needs JavaScript.", va="center")
        figure.savefig(file, format="png")
        plt.close(figure)
        return file.getvalue()

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and beside it what a stored notebook shows."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/plain": self.text()}, metadata


def begun(code, keeps):
    """Return the answers that lie in this folder under a code, or those written last; new ones where there are none."""
    if keeps == "file":
        for path in [answers.file_of(code)] if code else answers.files_in():
            try:
                return answers.read(path)
            except ValueError:
                continue
    return {"inventory": load().version, "code": code or draw_code()}


def noted():
    """Return what the checks noted of each exercise that was begun."""
    wanted = ("state", "tries", "seconds", "seen")
    begun = {name: entry for name, entry in known().items() if entry["state"] != NOT_STARTED}
    return {name: {part: entry[part] for part in wanted if part in entry} for name, entry in begun.items()}


def sealed_keys():
    """Return the right options and all reasons, so that nobody reads them in passing; it is no secret."""
    keys = {
        name: {"right": item.right, "why": [option.why for option in item.options]}
        for name, item in load().items.items()
    }
    return base64.b64encode(json.dumps(keys).encode()).decode()


def _shown(item):
    """What the page needs of an item; nothing that says which option is right."""
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
