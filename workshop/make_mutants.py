"""Make the mutants of a module: copies of its text with one change each, by mutmut's operators.

mutmut's runner is not used: it makes every mutant a function beside the original and calls all functions through a
switch, with which the engine is too slow to keep its deadlines; and it leaves out code outside functions.
"""

import difflib
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).resolve().parents[1]
# Every mutant must be killed or listed with a reason; comments in the code exempt none.
NOTHING_IGNORED = IgnoredCode(set(), set(), set())


class Mutant(NamedTuple):
    """One change: the differing lines before and after it, stripped, and the text of the mutated module."""

    path: str
    function: str
    line: int
    before: str
    after: str
    source: str


def make_mutants(path):
    """Return the distinct mutants of the module at `path` (relative to the project root), sorted by line."""
    visitor = MutationVisitor(mutation_operators, NOTHING_IGNORED)
    module = MetadataWrapper(cst.parse_module((ROOT / path).read_text(encoding="utf-8"))).visit(visitor)
    head = "".join(module.code_for_node(line) for line in module.header)
    parts = [module.code_for_node(statement) for statement in module.body]
    statement_of = {id(node): i for i, statement in enumerate(module.body) for node in nodes(statement)}
    mutants = {}
    for mutation in visitor.mutations:
        i = statement_of[id(mutation.original_node)]
        changed = module.code_for_node(deep_replace(module.body[i], mutation.original_node, mutation.mutated_node))
        source = head + "".join([*parts[:i], changed, *parts[i + 1 :]])
        name = name_of(module.body[i], mutation.contained_by_top_level_function)
        first = (head + "".join(parts[:i])).count("\n")
        with suppress(SyntaxError):  # it is not a mutant
            compile(source, "mutant", "exec")
            if not is_less_strict(parts[i], changed) and changed != parts[i]:
                mutants[source] = Mutant(path, name, *difference(parts[i], changed, first), source)
    return sorted(mutants.values(), key=lambda mutant: mutant.line)


def is_less_strict(before, after):
    """Whether only zip's `strict` is loosened: True asserts equal lengths, as they are; None or no value is False."""
    bare = [re.sub(r",\s*(strict=\w+)?\s*\)", ")", code) for code in (before, after)]
    return bare[0] == bare[1] and after.count("strict=True") <= before.count("strict=True")


def nodes(node):
    """Yield the node and every node below it."""
    yield node
    for child in node.children:
        yield from nodes(child)


def name_of(statement, function):
    """Return `function`, `Class.method`, or an empty text for code outside functions."""
    return ".".join(node.name.value for node in dict.fromkeys((statement, function)) if hasattr(node, "name"))


def difference(before, after, first):
    """Return the number of the first differing line of texts after `first` lines, and the lines that differ."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    sides = ["\n".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"]
    return first + int(re.match(r"@@ -(\d+)", lines[0])[1]), *sides
