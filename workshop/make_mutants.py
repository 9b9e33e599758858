"""Make the mutants of a module: copies of its text that differ in one place. Where, and in what, is mutmut's knowledge.

The operators are mutmut's; its runner is not used. It puts every mutant into a copy of the module as one more function:
then doctests run once for each of them, a test that lists the functions of a module fails, and what stands outside of
functions is left alone.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).resolve().parents[1]
# A mutant is killed, or listed with a reason; comments in the code hide none.
NOTHING_IGNORED = IgnoredCode(set(), set(), set())


@dataclass(frozen=True)
class Mutant:
    """One change: the lines that differ, `before` and `after` it, each stripped; and the whole module after it."""

    path: str
    function: str
    line: int
    before: str
    after: str
    source: str


def make_mutants(path):
    """Return the mutants of the module at `path` (from the root of the project) by line. No two have the same text."""
    visitor = MutationVisitor(mutation_operators, NOTHING_IGNORED)
    module = MetadataWrapper(cst.parse_module((ROOT / path).read_text(encoding="utf-8"))).visit(visitor)
    head = "".join(module.code_for_node(line) for line in module.header)
    parts = [module.code_for_node(statement) for statement in module.body]
    statement_of = {id(node): i for i, statement in enumerate(module.body) for node in nodes(statement)}
    found = {}
    for mutation in visitor.mutations:
        i = statement_of[id(mutation.original_node)]
        changed = module.code_for_node(deep_replace(module.body[i], mutation.original_node, mutation.mutated_node))
        before, after = head + "".join(parts), head + "".join([*parts[:i], changed, *parts[i + 1 :]])
        if after != before and after not in found and compiles(after):
            first = 1 + (head + "".join(parts[:i])).count("\n")
            place = name_of(module.body[i], mutation.contained_by_top_level_function)
            found[after] = Mutant(path, place, *difference(parts[i], changed, first), after)
    return sorted(found.values(), key=lambda mutant: mutant.line)


def nodes(node):
    """Yield the node and every node below it."""
    yield node
    for child in node.children:
        yield from nodes(child)


def compiles(source):
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def name_of(statement, function):
    """Return `function`, `Class.method`, or the empty text for what stands outside functions."""
    names = [node.name.value for node in dict.fromkeys((statement, function)) if hasattr(node, "name")]
    return ".".join(names)


def difference(before, after, first):
    """Return the number of the first line that differs, and the lines that differ in both texts."""
    old, new = before.splitlines(), after.splitlines()
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [step for step in steps if step[0] != "equal"]
    removed = [line.strip() for _, start, end, _, _ in changes for line in old[start:end]]
    added = [line.strip() for _, _, _, start, end in changes for line in new[start:end]]
    return first + changes[0][1], "\n".join(removed), "\n".join(added)
