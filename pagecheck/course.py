"""A course: a folder of pages, one per exercise, and how an exercise is built from its page."""

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
RETIRED = "retired"  # the folder of pages that no lesson asks for any more: right answers still pass
OF_VALUES = ("judge", "wanted", "stand_in", "takes")
OF_EXERCISES = (
    *("gives", "probes", "promises", "by_hand", "parts", "shapes", "tied", "allowed", "fresh", "axes", "facts"),
    *("secret", "adapt", "takes", "kind", "returns", "stands_in", "numbers_for_bools"),
)


class Course:
    """A folder of pages, one per exercise, and what its exercises have in common.

    folder: holds NAME.md for each exercise, and optionally shared.md with the words of mistakes that several share.
    names: what the Python of every page may use without an import.
    package: the course's own, where `adapt` and `stands_in` are looked up, and whose functions are not the student's.
    errors: TOML files with more reasons of errors, read before the general ones.
    steps_in_words: what variables of the solutions hold, {"total": "the sum so far"}, to say which step is right.
    helpers: the right functions, by the names under which an answer may call its own.
    fitted: the variable whose line a step of the course may set to a number.
    further: the course's own steps, each step(case) -> Finding or None, for answers that no line explains.
    numbers_for_bools: the id of the mistake of right numbers in place of True and False; "" for none.
    position_in_words, is_seen: a position of a result in the words of the course, and whether a mistake shows in the
    results that an exercise asks for.
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
        self._known_words: dict[str, Words] = {}  # by ids, of the pages read so far

    @cached_property
    def helpers(self) -> dict[str, Callable]:
        return self._helpers()

    def resolve(self, name: str) -> Callable:
        """Return the object named "module.function" in the course's package."""
        module, _, function = name.rpartition(".")
        return getattr(import_module(f"{self.package}.{module}" if self.package else module), function)

    def _page(self, name: str) -> Page:
        """Return the page of this name, read once."""
        places = (self.folder, self.folder / RETIRED, HERE if name == "general" else self.folder)
        paths = [place / f"{name}.md" for place in places]
        page = read(next(filter(Path.exists, paths), paths[0]))
        definitions = {entry.id: entry.sentences for entry in page.entries if len(entry.sentences) == 2}
        self._known_words.update({id: Words(*sentences, page=name) for id, sentences in definitions.items()})
        return page

    def mistake(self, id: str) -> Words:
        """Return the words of a mistake. Raises KeyError for an id that no page has.

        Pages are read on demand: all of them only for an id that the pages read so far lack.
        """
        for name in ("shared", "general"):
            if id not in self._known_words and (name == "general" or (self.folder / f"{name}.md").exists()):
                self.page(name)
        return self._known_words[id] if id in self._known_words else self.mistakes[id]

    @cached_property
    def mistakes(self) -> dict[str, Words]:
        """All mistakes by id, those of several exercises first. Reads every page."""
        names = sorted((path.stem for path in self.folder.glob("*.md")), key=lambda name: (name != "shared", name))
        return words_of(map(self.page, dict.fromkeys([*names, "general"])))

    def about(self, id: str, **details) -> str:
        """Return what the pages say about a mistake, with the placeholders of its sentences filled in."""
        words = self.mistake(id)
        return f"{words.seen} {words.suspect}".strip().format(**details)

    def not_yet(self, id: str, message: str = "", **details) -> Finding:
        """Return the finding of one mistake, in the words of its page or in those of `message`."""
        return Finding(NOT_YET, (id,), message or self.about(id, **details))

    def first_of(self, ids: Iterator[str], message: str = "") -> Finding:
        """Return the finding of the first of these ids; done, with this message, if there is none."""
        id = next(iter(ids), None)
        return self.not_yet(id) if id else Finding(DONE, (), message)

    def on_faults(self, faults: tuple[Fault, ...], exercise: Exercise | None = None) -> Finding:
        """Return the finding of one fault or two; done for none."""
        ids = tuple(dict.fromkeys(fault.id for fault in faults))
        return Finding(NOT_YET, ids, self._suspicion(faults, exercise)) if faults else Finding(DONE)

    def _suspicion(self, faults, exercise):
        """Return the message about one fault, or about two at once, in at most three sentences.

        A fault's own `says` replaces both sentences: what is seen was written for other exercises.
        """
        if len({fault.id for fault in faults}) > 1:
            suspects = (fault.says or self.mistake(fault.id).suspect for fault in faults)
            return " ".join(["There are two things to look at.", *suspects])
        fault, words = faults[0], self.mistake(faults[0].id)
        is_seen = exercise is None or self.is_seen(fault.id, exercise)
        return fault.says or (f"{words.seen} {words.suspect}" if is_seen else words.suspect)

    def _exercise(self, name: str) -> Exercise | Value:
        """Return the exercise of a page, built once. Raises ValueError with file and line for an invalid page."""
        return _build_exercise(self, self.page(name))

    def namespace(self) -> dict:
        """Return the names that the Python of every page may use."""
        own = ("not_yet", "first_of", "on_faults", "about", "mistake", "reasons")
        words = {"DONE": DONE, "NOT_STARTED": NOT_STARTED, "NOT_YET": NOT_YET, "Finding": Finding}
        names = {"__name__": self.package or "page", "np": np, "Part": Part, "Promise": Promise}
        return names | words | {name: getattr(self, name) for name in own} | self._names()


def _build_exercise(course, page):
    namespace, definitions = names_of(page, course.namespace())
    if "judge" in namespace:
        return _build_value(course, page, namespace)
    _check_fields(page, namespace, definitions)
    solution, spelled_out = definitions[0][1], definitions[-1][0]
    lines = Lines(spelled_out.text, spelled_out.at, str(page.file), course.fitted)
    faults = tuple(_faults(page, lines, course.page))  # they tell `lines` what to compile
    reference = lines.compiled(namespace)
    reference.__signature__ = inspect.signature(solution)  # hides the selectors
    reference.__doc__ = f"Return {listed([f'{name}, {shape}' for name, shape in namespace['gives'].items()])}."
    exercise = Exercise(
        course,
        name=page.name,
        reference=reference,
        solution=solution,
        arguments=solution.__code__.co_varnames[: solution.__code__.co_argcount],
        faults=faults,
        insight=page.says.get("insight", ""),
        **{name: namespace[name] for name in OF_EXERCISES if name in namespace},
    )
    _check_inputs(page, exercise)
    return exercise


def _build_value(course, page, namespace):
    if any(_is_solution(block, block) for block in page.blocks):  # a judge may compute with the answer
        functions = _hypothesis_functions(course, page, namespace)
        namespace["ways"] = lambda: functions
    ids = tuple(dict.fromkeys(entry.id for entry in page.entries))
    fields = {name: namespace[name] for name in OF_VALUES if name in namespace}
    return Value(course, page.name, ids=ids, insight=page.says.get("insight", ""), **fields)


def _check_inputs(page, exercise):
    """Raise ValueError if the inputs of a page are invalid, or its solution does not return what `gives` says."""
    line, names = page.blocks[-1].at, exercise.arguments
    fresh = [exercise.fresh(np.random.default_rng(0))] if exercise.fresh else []
    for inputs in (exercise.probes, fresh, *(promise.inputs for promise in exercise.promises)):
        for arguments in inputs:
            if not isinstance(arguments, tuple) or len(arguments) != len(names):
                raise page.error(line, f"{arguments!r} is no input: a tuple of {listed(names)} is wanted")
    if unknown := set(exercise.shapes) - set(names):
        raise page.error(line, f"shapes names {listed(sorted(unknown))}, and the arguments are {listed(names)}")
    for i, arguments in enumerate(exercise.probes):
        if problem := exercise.imagine((), i).problem:
            results = f"{len(exercise.gives)} results of numbers: {listed(list(exercise.gives))}"
            raise page.error(line, f"for probe {i}, {arguments!r}, the solution does not give {results} ({problem})")


def _check_fields(page, namespace, definitions):
    """Raise ValueError if a page has no solution, lacks a field, or misspells one."""
    if not definitions:
        raise page.error(1, "the first block of Python holds the solution, a function and nothing else")
    if missing := [name for name in ("gives", "probes") if name not in namespace]:
        raise page.error(page.blocks[-1].at, f"{' and '.join(missing)} are missing")
    for block in page.blocks:
        for statement in ast.parse(block.text).body:
            names = [target.id for target in getattr(statement, "targets", ()) if isinstance(target, ast.Name)]
            for name in set(names) - {*OF_EXERCISES, *OF_VALUES}:
                if matches := get_close_matches(name, OF_EXERCISES, cutoff=0.8):
                    line = block.at + statement.lineno - 1
                    raise page.error(line, f"{name} is no field: is {matches[0]} meant? If not, choose another name")


def names_of(page: Page, names: dict) -> tuple[dict, list]:
    """Run the Python of a page: return its names, and (block, function) for each block with the solution."""
    namespace, definitions = dict(names), []
    for block in page.blocks:
        exec(compile("\n" * (block.at - 1) + block.text, str(page.file), "exec"), namespace)
        if _is_solution(block, page.blocks[0]):
            definitions.append((block, namespace[_function_name(block)]))
    return namespace, definitions


def wrong_answers(page: Page, other: Callable[[str], Page]) -> Iterator[tuple[str, str]]:
    """Yield (id, code) for each way to make a mistake on the page of a function."""
    blocks = [block for block in page.blocks if _is_solution(block, page.blocks[0])]
    lines = Lines(blocks[-1].text, blocks[-1].at, str(page.file))
    for entry, hunks, _ in differences(page, other):
        yield entry.id, lines.source(hunks)


def _hypothesis_functions(course, page, namespace):
    """Return [(faults, function)]: what a judge compares an answer with, right first, then with wrong lines."""
    block = next(block for block in page.blocks if _is_solution(block, block))
    lines = Lines(block.text, block.at, str(page.file))
    sets = hypotheses(tuple(_faults(page, lines, course.page)))
    function = lines.compiled(namespace)
    return [
        (faults, partial(function, **dict(switch for fault in faults for switch in fault.switches))) for faults in sets
    ]


def _function_name(block):
    """The name of the function at the beginning of a block."""
    return block.text[4 : block.text.index("(")]


def _is_solution(block, first):
    """Tell whether a block holds the function of the first block, plain or spelled out, and nothing else."""
    if not first.text.startswith("def ") or not block.text.startswith(f"def {_function_name(first)}("):
        return False
    return len(ast.parse(block.text).body) == 1


def differences(page: Page, other: Callable[[str], Page]) -> Iterator[tuple]:
    """Yield (entry, hunks, line) for each way to make a mistake, including those borrowed from other pages.

    line: the line of this page to report if the solution lacks a line; None for the hunk's own.
    """
    for group in page.groups:
        for entry in _borrowed_entries(page, group, other, ()):
            yield from ((entry, hunks, group.line.at) for hunks in entry.differences)
        for entry in group.entries:
            yield from ((entry, hunks, None) for hunks in entry.differences)


def _borrowed_entries(page, group, other, visited):
    """Yield the entries that a group borrows from other pages, directly and through them."""
    for name, without in group.borrowed:
        if name in (page.name, *visited):
            raise page.error(group.line.at, f"{name} takes {group.line.text!r} from a page that takes it from {name}")
        try:
            source = other(name)
        except FileNotFoundError:
            raise page.error(group.line.at, f"there is no page {name}") from None
        matches = [one for one in source.groups if one.line.text == group.line.text]
        if len(matches) != 1:
            raise page.error(group.line.at, f"{name} has {len(matches)} headings {group.line.text!r}")
        entries = [*_borrowed_entries(source, matches[0], other, (*visited, page.name)), *matches[0].entries]
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
