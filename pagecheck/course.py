"""A course: a folder of pages, one an exercise, and how an exercise is made of its page."""

import ast
import inspect
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path

import numpy as np

from pagecheck.exercise import Exercise, Fault, Part, Promise, Value, hypotheses
from pagecheck.lines import Lines, NoSuchLine
from pagecheck.page import Page, Words, read, words_of
from pagecheck.words import DONE, NOT_STARTED, NOT_YET, Finding, Reasons, listed

HERE = Path(__file__).parent
OF_VALUES = ("judge", "wanted", "stand_in", "takes")
OF_EXERCISES = (
    *("gives", "probes", "promises", "by_hand", "parts", "shapes", "tied", "allowed", "axes", "facts", "secret"),
    *("adapt", "takes", "kind", "returns", "stands_in"),
)


class Course:
    """A folder of pages, one an exercise, and what its exercises have in common.

    folder: holds NAME.md for each exercise, and perhaps shared.md with the words of mistakes that several of them make.
    names: what the Python of every page may use without an import.
    package: the course's own, where `adapt` and `stands_in` look, and whose functions are not the student's.
    errors: TOML files with more reasons of errors, read before general ones.
    steps_in_words: what variables of the solutions hold, {"total": "the sum so far"}, to say which step is right.
    helpers: the right functions by the names under which an answer may call its own.
    fitted: the variable whose line a step of the course may give as a number.
    further: the course's own steps, each step(case) -> Finding or None, for answers that no line explains.
    numbers_for_bools: the id of the mistake where right numbers came in place of True and False; "" for none.
    position_in_words, is_seen: a position of a result in the words of the course, and whether what a mistake shows is
    seen in what an exercise asks for.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        names: Callable[[], dict] | None = None,
        package: str = "",
        errors: tuple[Path, ...] = (),
        steps_in_words: dict[str, str] | None = None,
        helpers: Callable[[], dict] = dict,
        fitted: str = "",
        further: tuple[Callable, ...] = (),
        numbers_for_bools: str = "",
        position_in_words: Callable[[Exercise, tuple], str] = lambda exercise, place: "",
        is_seen: Callable[[str, Exercise], bool] = lambda id, exercise: True,
    ):
        self.folder, self.package, self.fitted = Path(folder), package, fitted
        self._names, self._helpers = names or dict, helpers
        self.reasons = Reasons(*errors, HERE / "errors.toml")
        self.steps_in_words = steps_in_words or {}
        self.further, self.numbers_for_bools = further, numbers_for_bools
        self.position_in_words, self.is_seen = position_in_words, is_seen
        self.page, self.exercise = cache(self._page), cache(self._exercise)
        self._found: dict[str, Words] = {}  # ids of the pages that were read so far

    @cached_property
    def helpers(self) -> dict[str, Callable]:
        return self._helpers()

    def named(self, name: str) -> Callable:
        """Return what is called "module.function" in the course's package."""
        module, _, function = name.rpartition(".")
        return getattr(import_module(f"{self.package}.{module}" if self.package else module), function)

    def _page(self, name: str) -> Page:
        """Return the page of this name, read once."""
        path = self.folder / f"{name}.md"
        page = read(path if path.exists() or name != "general" else HERE / "general.md")
        found = {entry.id: entry.sentences for entry in page.entries if len(entry.sentences) == 2}
        self._found.update({id: Words(*sentences, page=name) for id, sentences in found.items()})
        return page

    def mistake(self, id: str) -> Words:
        """Return what is said of a mistake. Raises KeyError for an id that no page has.

        A page is read when it is needed: all of them only for an id that stands somewhere else.
        """
        for name in ("shared", "general"):
            if id not in self._found and (name == "general" or (self.folder / f"{name}.md").exists()):
                self.page(name)
        return self._found[id] if id in self._found else self.mistakes[id]

    @cached_property
    def mistakes(self) -> dict[str, Words]:
        """All mistakes by their ids, those of several exercises first. Reads every page."""
        names = sorted((path.stem for path in self.folder.glob("*.md")), key=lambda name: (name != "shared", name))
        return words_of(map(self.page, dict.fromkeys([*names, "general"])))

    def about(self, id: str, **details) -> str:
        """Return what the pages say about a mistake, with the blanks of its sentences filled in."""
        said = self.mistake(id)
        return f"{said.seen} {said.suspect}".strip().format(**details)

    def not_yet(self, id: str, message: str = "", **details) -> Finding:
        """Return the finding of one mistake, in the words of its page or in those of `message`."""
        return Finding(NOT_YET, (id,), message or self.about(id, **details))

    def first_of(self, ids: Iterator[str], message: str = "") -> Finding:
        """Return the finding of the first of these ids; done, with this message, where there is none."""
        id = next(iter(ids), None)
        return self.not_yet(id) if id else Finding(DONE, (), message)

    def on_faults(self, faults: tuple[Fault, ...], exercise: Exercise | None = None) -> Finding:
        """Return the finding of one fault or two; done for none."""
        ids = tuple(dict.fromkeys(fault.id for fault in faults))
        return Finding(NOT_YET, ids, self._suspicion(faults, exercise)) if faults else Finding(DONE)

    def _suspicion(self, faults, exercise):
        """Return what is said about one fault, or about two at once, in at most three sentences.

        A fault's own `says` stands alone: the sentence about what is seen was written for other exercises.
        """
        if len({fault.id for fault in faults}) > 1:
            suspects = (fault.says or self.mistake(fault.id).suspect for fault in faults)
            return " ".join(["Two things at once.", *suspects])
        fault, said = faults[0], self.mistake(faults[0].id)
        seen = exercise is None or self.is_seen(fault.id, exercise)
        return fault.says or (f"{said.seen} {said.suspect}" if seen else said.suspect)

    def _exercise(self, name: str) -> Exercise | Value:
        """Return the exercise of a page, made once.

        Raises ValueError with file and line for what the page cannot mean.
        """
        return _made(self, self.page(name))

    def space(self) -> dict:
        """Return the names that the Python of every page may use."""
        own = ("not_yet", "first_of", "on_faults", "about", "mistake", "reasons")
        words = {"DONE": DONE, "NOT_STARTED": NOT_STARTED, "NOT_YET": NOT_YET, "Finding": Finding}
        names = {"__name__": self.package or "page", "np": np, "Part": Part, "Promise": Promise}
        return names | words | {name: getattr(self, name) for name in own} | self._names()


def _made(course, page):
    space, written_out = names_of(page, course.space())
    if "judge" in space:
        return _value(course, page, space)
    _refuse(page, space, written_out)
    solution, spelled_out = written_out[0][1], written_out[-1][0]
    lines = Lines(spelled_out.text, spelled_out.at, str(page.file), course.fitted)
    faults = tuple(_faults(page, lines, course.page))  # they tell `lines` what to compile
    reference = lines.compiled(space)
    reference.__signature__ = inspect.signature(solution)  # the selectors are nobody else's
    reference.__doc__ = f"Return {listed([f'{name}, {shape}' for name, shape in space['gives'].items()])}."
    made = Exercise(
        course,
        name=page.name,
        reference=reference,
        solution=solution,
        arguments=solution.__code__.co_varnames[: solution.__code__.co_argcount],
        faults=faults,
        insight=page.says.get("insight", ""),
        **{name: space[name] for name in OF_EXERCISES if name in space},
    )
    _try(page, made)
    return made


def _value(course, page, space):
    if any(_is_solution(block, block) for block in page.blocks):  # a judge may compute with the answer
        ways = _ways(course, page, space)
        space["ways"] = lambda: ways
    ids = tuple(dict.fromkeys(entry.id for entry in page.entries))
    fields = {name: space[name] for name in OF_VALUES if name in space}
    return Value(course, page.name, ids=ids, insight=page.says.get("insight", ""), **fields)


def _try(page, exercise):
    """Raise ValueError where the inputs of a page are not such, or its solution does not give what `gives` says."""
    at, names = page.blocks[-1].at, exercise.arguments
    for inputs in (exercise.probes, *(promise.inputs for promise in exercise.promises)):
        for arguments in inputs:
            if not isinstance(arguments, tuple) or len(arguments) != len(names):
                raise page.error(at, f"{arguments!r} is no input: a tuple of {listed(names)} is wanted")
    if unknown := set(exercise.shapes) - set(names):
        raise page.error(at, f"shapes names {listed(sorted(unknown))}, and the arguments are {listed(names)}")
    for i, arguments in enumerate(exercise.probes):
        if problem := exercise.imagine((), i).problem:
            results = f"{len(exercise.gives)} results of numbers: {listed(list(exercise.gives))}"
            raise page.error(at, f"for probe {i}, {arguments!r}, the solution does not give {results} ({problem})")


def _refuse(page, space, written_out):
    """Raise ValueError where a page has no solution, lacks a field, or has a name that is nearly one."""
    if not written_out:
        raise page.error(1, "the first block of Python holds the solution, a function and nothing else")
    if missing := [name for name in ("gives", "probes") if name not in space]:
        raise page.error(page.blocks[-1].at, f"{' and '.join(missing)} are missing")
    for block in page.blocks:
        for statement in ast.parse(block.text).body:
            names = [target.id for target in getattr(statement, "targets", ()) if isinstance(target, ast.Name)]
            for name in set(names) - {*OF_EXERCISES, *OF_VALUES}:
                if close := get_close_matches(name, OF_EXERCISES, cutoff=0.8):
                    at = block.at + statement.lineno - 1
                    raise page.error(at, f"{name} is no field: is {close[0]} meant? If not, choose another name")


def names_of(page: Page, names: dict) -> tuple[dict, list]:
    """Run the Python of a page: return its names, and each block that holds the solution, with what it defines."""
    space, written_out = dict(names), []
    for block in page.blocks:
        exec(compile("\n" * (block.at - 1) + block.text, str(page.file), "exec"), space)
        if _is_solution(block, page.blocks[0]):
            written_out.append((block, space[_name_in(block)]))
    return space, written_out


def wrong_answers(page: Page, other: Callable[[str], Page]) -> Iterator[tuple[str, str]]:
    """Yield (id, text) for each way to make a mistake on the page of a function: the code that makes it."""
    written_out = [block for block in page.blocks if _is_solution(block, page.blocks[0])]
    lines = Lines(written_out[-1].text, written_out[-1].at, str(page.file))
    for entry, hunks, _ in differences(page, other):
        yield entry.id, lines.source(hunks)


def _ways(course, page, space):
    """Return [(faults, function)]: what a judge computes with an answer, right first, then with wrong lines."""
    block = next(block for block in page.blocks if _is_solution(block, block))
    lines = Lines(block.text, block.at, str(page.file))
    sets = hypotheses(tuple(_faults(page, lines, course.page)))
    function = lines.compiled(space)
    return [(faults, partial(function, **dict(way for fault in faults for way in fault.switches))) for faults in sets]


def _name_in(block):
    """The name of the function with which a block begins."""
    return block.text[4 : block.text.index("(")]


def _is_solution(block, first):
    """Tell whether a block holds the function of the first block, plain or spelled out, and nothing else."""
    if not first.text.startswith("def ") or not block.text.startswith(f"def {_name_in(first)}("):
        return False
    return len(ast.parse(block.text).body) == 1


def differences(page: Page, other: Callable[[str], Page]) -> Iterator[tuple]:
    """Yield (entry, hunks, line) for each way to make a mistake, those taken from other pages in their place.

    line: of this page, where a line is to be found that the solution does not have; None for the hunk's own.
    """
    for group in page.groups:
        for entry in _taken(page, group, other, ()):
            yield from ((entry, hunks, group.line.at) for hunks in entry.differences)
        for entry in group.entries:
            yield from ((entry, hunks, None) for hunks in entry.differences)


def _taken(page, group, other, seen):
    """Yield the entries that a group takes from other pages, and those that these take."""
    for name, without in group.taken:
        if name in (page.name, *seen):
            raise page.error(group.line.at, f"{name} takes {group.line.text!r} from a page that takes it from {name}")
        try:
            there = other(name)
        except FileNotFoundError:
            raise page.error(group.line.at, f"there is no page {name}") from None
        alike = [one for one in there.groups if one.line.text == group.line.text]
        if len(alike) != 1:
            raise page.error(group.line.at, f"{name} has {len(alike)} headings {group.line.text!r}")
        entries = [*_taken(there, alike[0], other, (*seen, page.name)), *alike[0].entries]
        if unknown := set(without) - {entry.id for entry in entries}:
            raise page.error(group.line.at, f"{name} has no {' and no '.join(sorted(unknown))} there")
        yield from (entry for entry in entries if entry.id not in without)


def _faults(page, lines, other):
    for entry, hunks, at in differences(page, other):
        if not hunks[0].old and page.blocks[0].text.startswith("def "):
            raise page.error(hunks[0].new_at, "a new line stands below the old one: ## `old line`, or - old line")
        if not hunks[0].old:
            continue  # an answer to a question
        says = entry.sentences[0] if len(entry.sentences) == 1 else ""
        try:
            yield Fault(entry.id, lines.settings(hunks), says, lines.sets_fitted(hunks))
        except NoSuchLine as error:
            raise page.error(at or error.at, error) from None
