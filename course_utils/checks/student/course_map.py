"""The map of the course, from the record: what is done, where to go on, what comes next."""

from dataclasses import dataclass
from html import escape

from course_utils.checks.exercises import LESSONS as EXERCISES
from course_utils.checks.student.record import all_entries
from course_utils.pictures.palette import BLUE, CELLS, LIGHT
from pagecheck.words import DONE

# Each lesson and what the student has at its end.
LESSONS = {
    "00_start_here": "a baseline that fails",
    "01_dot_products": "scores for one query",
    "02_softmax": "weights that sum to 1",
    "03_scaling": "why divide by √d_k",
    "04_queries_keys_values": "attention in four steps",
    "05_not_good": "“good” looks at “not”",
    "06_masks": "no look into the future",
    "07_many_heads": "heads that match Keras",
    "08_word_order": "positions added to tokens",
    "09_learning_where": "a reader that finds its critic",
    "10_gradient_by_hand": "the backward pass",
    "11_the_block": "what stands around attention",
    "12_cls_classifier": "your own Keras model",
    "13_making_it_look": "a reward that you write",
    "14_reading_attention": "what a heat map shows",
    "15_learning_not_good": "one look, cut",
    "16_cost_and_scale": "time and memory, measured",
    "17_a_model_that_writes": "a decoder, and its limit",
    "18_learning_in_context": "one head's words, patched",
    "19_real_encoder": "a real encoder, your attention",
    "20_a_model_card": "a published model, line by line",
    "21_your_question": "a claim, tested by you",
}
PARTS = {"Attention by hand": (0, 10), "The classifier": (11, 15), "Beyond the toy": (16, 21)}

RIGHT = LIGHT["look-green"]
RESUME, NEXT = "go on here", "next"
CARD_STYLES = {  # of a card, in JupyterLab's own colours, so that light and dark themes both fit
    DONE: f"border-color: var(--jp-success-color1, {RIGHT})",
    RESUME: f"border: 3px solid var(--jp-brand-color1, {BLUE})",
    NEXT: f"border: 3px solid var(--jp-brand-color1, {BLUE})",
    "": f"border-color: var(--jp-border-color1, {CELLS})",
}
CARD = "display: block; padding: 6px 10px; border: 1px solid; border-radius: 8px; text-decoration: none; color: inherit"
GRID = "display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; margin: 4px 0 12px"
BAR = f"height: 5px; border-radius: 3px; background: linear-gradient(to right, var(--jp-success-color1, {RIGHT}) {{0}}%"
BAR += f", var(--jp-border-color2, {CELLS}) {{0}}%)"


@dataclass(frozen=True, repr=False)
class CourseMap:
    """The lessons with the progress in each: displays as cards in a notebook, and as plain lines elsewhere.

    done: file name of a lesson -> how many of its exercises are done. mark: the lesson to open now, and why.
    """

    done: dict[str, int]
    mark: tuple[str, str]

    def __repr__(self):
        lines = [f"{name:<24} {self._count(name)}  {self._state(name)}".rstrip() for name in LESSONS]
        return "\n".join([self._caption(), *(f"  {line}" for line in lines)])

    def _repr_html_(self):
        parts = []
        for title, (first, last) in PARTS.items():
            cards = "".join(self._card(name) for name in list(LESSONS)[first : last + 1])
            parts.append(f'<div style="font-weight: bold">{title}</div><div style="{GRID}">{cards}</div>')
        return f'<div style="max-width: 62em"><p>{escape(self._caption())}</p>{"".join(parts)}</div>'

    def _card(self, name):
        number, title = name.replace("_", " ").replace("cls", "[CLS]").split(" ", 1)
        state, share = self._state(name), 100 * self.done[name] // len(EXERCISES[number])
        status = f"{escape(state)} · {self._count(name)}" if state else self._count(name)
        lines = [
            f"<strong>{number} {escape(title)}</strong>",
            f"<small>{escape(LESSONS[name])}</small>",
            f'<div style="{BAR.format(share)}"></div><small>{status}</small>',
        ]
        return f'<a href="{name}.ipynb" style="{CARD}; {CARD_STYLES[state]}">{"<br>".join(lines)}</a>'

    def _state(self, name):
        if name == self.mark[0]:
            return self.mark[1]
        return DONE if self.done[name] == len(EXERCISES[name[:2]]) else ""

    def _count(self, name):
        return f"{self.done[name]} of {len(EXERCISES[name[:2]])}"

    def _caption(self):
        total, done = sum(map(len, EXERCISES.values())), sum(self.done.values())
        name, why = self.mark
        return f"{done} of {total} exercises done." + (
            f" {why.capitalize()}: {name}." if name else " All of it is done."
        )


def course_map() -> CourseMap:
    """Show all lessons, the progress in each, and which one to open now: where you were, or the next one.

    It reads the record that every check writes.

    >>> print(str(course_map()).splitlines()[1][:17])
      00_start_here
    """
    entries = all_entries()
    states = {name: [entries.get(exercise, {}).get("state") for exercise in EXERCISES[name[:2]]] for name in LESSONS}
    done = {name: lesson_states.count(DONE) for name, lesson_states in states.items()}
    started = [name for name, lesson_states in states.items() if any(lesson_states)]
    unfinished = [name for name in started if done[name] < len(states[name])]
    if unfinished and unfinished[-1] == started[-1]:
        return CourseMap(done, (unfinished[-1], RESUME))
    incomplete = [name for name in LESSONS if done[name] < len(states[name])]
    later = [name for name in incomplete if not started or name > started[-1]]
    candidates = later or incomplete  # after the last lesson: those that were skipped
    return CourseMap(done, (candidates[0], NEXT) if candidates else ("", ""))
