"""Make the mutants of a module: copies of its text with one change each, by mutmut's operators.

mutmut's runner is not used: it adds every mutant to a copy of the module as another function, so doctests run once per
mutant, a test that lists the functions of a module fails, and code outside functions is not mutated.
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
# Every mutant must be killed or listed with a reason; comments in the code exempt none.
NOTHING_IGNORED = IgnoredCode(set(), set(), set())


@dataclass(frozen=True)
class Mutant:
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
        before, after = head + "".join(parts), head + "".join([*parts[:i], changed, *parts[i + 1 :]])
        if after != before and after not in mutants and compiles(after):
            first = 1 + (head + "".join(parts[:i])).count("\n")
            name = name_of(module.body[i], mutation.contained_by_top_level_function)
            mutants[after] = Mutant(path, name, *difference(parts[i], changed, first), after)
    return sorted(mutants.values(), key=lambda mutant: mutant.line)


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
    """Return `function`, `Class.method`, or an empty text for code outside functions."""
    names = [node.name.value for node in dict.fromkeys((statement, function)) if hasattr(node, "name")]
    return ".".join(names)


def difference(before, after, first):
    """Return the number of the first differing line, and the differing lines of both texts."""
    old, new = before.splitlines(), after.splitlines()
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [step for step in steps if step[0] != "equal"]
    removed = [line.strip() for _, start, end, _, _ in changes for line in old[start:end]]
    added = [line.strip() for _, _, _, start, end in changes for line in new[start:end]]
    return first + changes[0][1], "\n".join(removed), "\n".join(added)
