"""Makes an exercise of its page: the solution is compiled once, with a choice for each line that has others."""

import ast
import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, partial

from course_utils.checks.engine.exercise import Exercise, Value
from course_utils.checks.engine.fault import Fault, hypotheses
from course_utils.checks.engine.grammar import listed
from course_utils.checks.engine.lines import Lines, NoSuchLine
from course_utils.checks.engine.page import Page

OF_VALUES = ("judge", "wanted", "stand_in", "takes")
OF_EXERCISES = (
    *("gives", "probes", "promises", "by_hand", "parts", "shapes", "tied", "allowed", "axes", "facts"),
    *("adapt", "takes", "kind", "returns", "course"),
)


def exercise_of(page, names, other: Callable[[str], Page]):
    """Return the Exercise or the Value of a page.

    names: what the Python of all pages may use. other: a function that returns the page of another name.
    Raises ValueError with file and line for a line that the solution does not have.
    """
    space, written_out = names_of(page, names)
    if "judge" in space:
        space["ways"] = cache(partial(_ways, page, space, other))  # for a judge that computes with the answer
        ids = tuple(dict.fromkeys(entry.id for entry in page.entries))
        return Value(page.name, ids=ids, **{name: space[name] for name in OF_VALUES if name in space})
    _refuse(page, space, written_out)
    solution, spelled_out = written_out[0][1], written_out[-1][0]
    lines = Lines(spelled_out.text, spelled_out.at, str(page.file))
    faults = tuple(_faults(page, lines, other))  # they tell `lines` what to compile
    reference = lines.compiled(space)
    reference.__signature__ = inspect.signature(solution)  # the selectors are nobody else's
    reference.__doc__ = f"Return {listed([f'{name}, {shape}' for name, shape in space['gives'].items()])}."
    return Exercise(
        name=page.name,
        reference=reference,
        solution=solution,
        arguments=solution.__code__.co_varnames[: solution.__code__.co_argcount],
        faults=faults,
        hint=page.says.get("hint", ""),
        **{name: space[name] for name in OF_EXERCISES if name in space},
    )


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


def names_of(page, names):
    """Run the Python of a page: return its names, and each block that holds the solution, with what it defines."""
    space, written_out = dict(names), []
    for block in page.blocks:
        exec(compile("\n" * (block.at - 1) + block.text, str(page.file), "exec"), space)
        if _is_solution(block, page.blocks[0]):
            written_out.append((block, space[_name_in(block)]))
    return space, written_out


def wrong_answers(page, other):
    """Yield (id, text) for each way to make a mistake on a page of a function: the code of an answer that makes it."""
    written_out = [block for block in page.blocks if _is_solution(block, page.blocks[0])]
    lines = Lines(written_out[-1].text, written_out[-1].at, str(page.file))
    for entry, hunks, _ in differences(page, other):
        yield entry.id, lines.source(hunks)


def _ways(page, space, other):
    """Return [(faults, function)]: what a judge computes with an answer, right first, then with wrong lines."""
    block = next(block for block in page.blocks if _is_solution(block, block))
    lines = Lines(block.text, block.at, str(page.file))
    sets = hypotheses(tuple(_faults(page, lines, other)))
    function = lines.compiled(space)
    return [(faults, partial(function, **dict(way for fault in faults for way in fault.switches))) for faults in sets]


def _name_in(block):
    """The name of the function with which a block begins."""
    return block.text[4 : block.text.index("(")]


def _is_solution(block, first):
    """Tell whether a block holds the function of the first block and nothing else: the plain solution, or the same
    spelled out.
    """
    if not first.text.startswith("def ") or not block.text.startswith(f"def {_name_in(first)}("):
        return False
    return len(ast.parse(block.text).body) == 1


def differences(page, other):
    """Yield (entry, hunks, line) for each way to make a mistake, those that are taken from other pages at their place.

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
        same = [one for one in there.groups if one.line.text == group.line.text]
        if len(same) != 1:
            raise page.error(group.line.at, f"{name} has {len(same)} headings {group.line.text!r}")
        entries = [*_taken(there, same[0], other, (*seen, page.name)), *same[0].entries]
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
            yield Fault(entry.id, lines.settings(hunks), says, lines.moves(hunks))
        except NoSuchLine as error:
            raise page.error(at or error.at, error) from None
