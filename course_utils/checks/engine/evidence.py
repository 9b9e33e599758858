"""Holds what a message says of the code against the code.

A hypothesis that gives the numbers of an answer may do so by chance, or in a different way from the student's.
So a sentence that speaks of a comparison is said only where the code has one, and an edit only where the code holds
what it puts there. Where no code can be read, the numbers must suffice.
"""

import ast
import re
from collections import Counter

from course_utils.checks.engine import known_for_sure
from course_utils.checks.engine.edits import replaced
from course_utils.checks.engine.features import features_of, name_of, numeral, sources
from course_utils.checks.engine.source import code_of, tree_of
from course_utils.checks.engine.stubs import globals_read, loops, reads
from course_utils.checks.engine.verdict import NOT_YET

ADDERS = {"sum", "mean", "average", "fsum", "cumsum", "einsum", "reduce", "trace", "dot", "add"}
HIDES_NAN = {"nan_to_num", "isnan", "isfinite", "nansum"}  # zeros may have been NaN, and tell nothing of a sum
TURNS = {"T", "transpose", "swapaxes", "moveaxis", "rollaxis", "einsum", "reshape"}
DIVIDES = re.compile("div|mean|average|var|std|stdev|norm|softmax|reciprocal|cov|pow")
LARGEST = re.compile("max|sort|nlargest|top")
ONLY_OF = {"axis of": "edit-size", "inside": "edit-brackets"}  # features that matter to one kind of edit
MISSING = ("edit-left-out", "edit-early")


def _has(*kinds):
    return lambda code, case, said: any(isinstance(node, kinds) for node in code.nodes)


def _calculates(kind, *names):
    """Whether this operator stands in the code, or a function of one of these names."""
    return lambda code, case, said: (
        bool(code.called & set(names)) or any(isinstance(getattr(node, "op", None), kind) for node in code.nodes)
    )


def _has_own_number(code, case, said):
    """Whether a number stands in the code that the plain solution does not have, or one of the notebook is read.

    Where the sentence names the length that is always the same, that number, or as many things in a row.
    """
    if globals_read(case.answer, int | float):
        return True
    there = {numeral(node) for node in code.nodes}
    if length := re.search(r"has length (\d+)", said):
        rows = {len(node.elts) for node in code.nodes if isinstance(node, ast.List | ast.Tuple)}
        return int(length[1]) in there | rows
    ours = tree_of(case.exercise.solution) if case.exercise.solution else None
    return bool(there - {numeral(node) for node in ast.walk(ours)} if ours else there - {None})


def _is_not_read(code, case, said):
    """Whether the argument that is called unused is never read."""
    words = f" {said.lower().replace('`', '').replace('number of ', 'n ')} "
    for place, name in enumerate(case.exercise.arguments):
        if f" {name.lower().replace('_', ' ')} " in words.replace("_", " "):
            return not reads(case.answer, place)
    return True


def _is_not_cut(code, case, said):
    """Whether the array that was taken as it is stands nowhere with an index."""
    subscripts = [node.value for node in code.nodes if isinstance(node, ast.Subscript)]
    return not any(isinstance(value, ast.Name) and value.id == said.split()[0] for value in subscripts)


def _measures_each(code, case, said):
    """Whether something is computed from one argument alone: its length is none of both at once."""
    return any(
        len(feature) == 2 and isinstance(feature[1], tuple) and len(feature[1]) == 1 for feature in code.features
    )


def _divides(code, case, said):
    """Whether something is divided, or a function is called that divides: a mean, a variance."""
    names = any(DIVIDES.search(name) for name in code.called)
    return names or _calculates(ast.Div | ast.FloorDiv | ast.Pow)(code, case, said)


def _starts_late(node):
    """Whether this is a slice, a range or a while loop that begins behind the first place, or may do so."""
    if isinstance(node, ast.Slice):
        return node.lower is not None and numeral(node.lower) != 0
    if isinstance(node, ast.Call) and name_of(node) in ("range", "arange", "islice"):
        ends = node.args[1:] if name_of(node) == "islice" else node.args
        return len(ends) > 1 and numeral(ends[0]) != 0
    return isinstance(node, ast.While)


def _compares(code, case, said):
    """Whether two things are compared; a question about 0 or None only guards something."""
    sides = [{numeral(node.left), numeral(node.comparators[0])} for node in code.nodes if isinstance(node, ast.Compare)]
    return any(0 not in pair for pair in sides) or bool(
        code.called & {"less", "less_equal", "greater", "greater_equal"}
    )


def _loops(code, case, said):
    return loops(case.answer)


EXPONENTIALS = _calculates(ast.Pow, "exp", "exp2", "expm1", "power", "pow", "softmax", "logsumexp", "sigmoid", "expit")
PRODUCTS = _calculates(
    ast.Mult | ast.MatMult | ast.Div, "multiply", "prod", "cumprod", "einsum", "dot", "matmul", "outer"
)

WHOLE_NUMBERS = re.compile("int|astype|zeros|empty|ones|full|array|arange|floor|ceil|round|trunc|rint|fix")

CLAIMS = {  # words of a sentence: what has to stand in the code
    r"\b[Cc]omparison": _compares,
    r"sign \*": _calculates(ast.Mult, "multiply"),
    r"sign \^": _calculates(ast.BitXor, "bitwise_xor"),
    r"\*\* 1/2": _calculates(ast.Pow, "power", "pow"),
    r"minus sign seems to stand": _calculates(ast.USub | ast.Sub, "negative", "subtract"),
    r"minus sign seems to have become a plus": _calculates(ast.Add | ast.UAdd, "add"),
    r"(?<!loop or a )\bslice\b": _has(ast.Slice),
    r"\b(index|indices)\b": _has(ast.Subscript),
    r"\b([Tt]he|[Aa]|your) loop\b(?! or)": _loops,
    r"start one step too late": lambda code, case, said: any(map(_starts_late, code.nodes)),
    r"stop one step too early": lambda code, case, said: loops(case.answer) or _has(ast.Slice)(code, case, said),
    r"[Ff]ixed (number|token|position)|A number seems to stand": _has_own_number,
    r"seems? to be (unused|left out)\.": _is_not_read,
    r"was added as it is": _is_not_cut,
    r"made from the sum of": lambda code, case, said: (
        not code.called & HIDES_NAN and (bool(code.called & ADDERS) or loops(case.answer))
    ),
    r"length of an arrow seems": _measures_each,
    r"[Tt]he exponentials seem": EXPONENTIALS,
    r"[Yy]ou seem to divide|seems? to be divided": _divides,
    r"[Yy]ou seem to multiply|seems? to be multiplied": PRODUCTS,
    r"made for whole numbers|lost their decimals|lost its decimals": lambda code, case, said: (
        any(WHOLE_NUMBERS.search(name) for name in code.called) or _calculates(ast.FloorDiv)(code, case, said)
    ),
    r"logarithms of": lambda code, case, said: any("log" in name for name in code.called),
    r"absolute values": _calculates(ast.Pow, "abs", "absolute", "fabs", "sqrt", "norm", "hypot", "max", "maximum"),
    r"standard deviation|a root too many": _calculates(ast.Pow, "std", "stdev", "pstdev", "sqrt", "norm"),
    r"root is missing|scaling is missing": lambda code, case, said: "sqrt" not in code.called,
    r"maximum seems|take a maximum|take the largest": lambda code, case, said: (
        any(LARGEST.search(name) for name in code.called) or _has(ast.Compare)(code, case, said)
    ),
}
SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z`])")
OF_ERRORS = ("raises", "promise-broken")  # their messages quote the code, or speak of inputs alone
BY_HAND = "Work it out by hand"  # a sentence of numbers: it says what came, and nothing of the code
NEVER_EMPTY = {"differs", "only-some-inputs", "shape"}


def held(case, found):
    """Return a finding without the sentences that the code does not bear out, with a small example in their place.

    None where the first sentence is one of them, or where one of two mistakes is: a later step has to speak.
    """
    if not found or found.state != NOT_YET or found.mistakes[0].startswith(OF_ERRORS):
        return found
    sentences = SENTENCES.split(found.message)
    left = _borne_out(case, sentences)
    if left == sentences:
        return found
    if not NEVER_EMPTY & set(found.mistakes) and (not left[0] or sentences[0].startswith("Two things")):
        return None
    small = "" if BY_HAND in found.message else known_for_sure.example(case)
    return found._replace(message=" ".join(filter(None, [*left, small])))


def _borne_out(case, sentences):
    """Return the sentences, "" in the place of one that speaks of something that the code does not hold.

    Of one that asks a question behind a colon, what stands before is left.
    """
    claims = {
        said: [words for words in CLAIMS if re.search(words, said)] if not said.startswith(BY_HAND) else []
        for said in sentences
    }
    code = code_of(case.answer, case.exercise.arguments) if any(claims.values()) else None
    wrong = {s for s, words in claims.items() if code and not all(CLAIMS[w](code, case, s) for w in words)}
    return [said if said not in wrong else _before_question(said) for said in sentences]


def _before_question(said):
    statement, _, question = said.partition(": ")
    return f"{statement}." if question.endswith("?") and not any(re.search(w, statement) for w in CLAIMS) else ""


def bears_out(case, edit, unread=True):
    """Tell whether the code of an answer holds what an edit puts in the place of something, or lacks what it takes.

    unread: what is told where no code can be read.
    """
    code = code_of(case.answer, case.exercise.arguments)
    if code is None:
        return unread
    (tree, node, edited), arguments = edit.change, case.exercise.arguments
    before, after = _around(tree, node, arguments), _around(replaced(tree, node, edited), edited, arguments)
    if edit.id in MISSING:
        return not loops(case.answer) and _lacks(code, before - after, _whole(tree, node, arguments))
    if edit.id == "edit-twice":
        return (
            sum(f"`{name_of(node)}`" == edit.details["step"] for node in code.nodes if isinstance(node, ast.Call)) > 1
        )
    if edit.id == "edit-transposed":
        return bool({feature[0] for feature in code.features} & TURNS)
    put = {feature for feature in after - before if edit.id == ONLY_OF.get(feature[0], edit.id)}
    return (
        bool(put)
        and put <= set(code.features)
        and not (edit.id == "edit-constant" and any(f[0] == "axis of" for f in after))
    )


def _lacks(code, taken, whole):
    """Whether the code has nothing of what an edit takes, and more than half of the other steps of that line."""
    rest, there = whole - taken, {feature[0] for feature in code.features}
    gone, names = set(taken) - set(rest), {feature[0] for feature in rest}
    return bool(gone) and not gone & set(code.features) and 2 * len(names & there) > len(names)


def _around(tree, node, arguments):
    """Return the features of a node with what is inside it, and of the first node around it that has any."""
    made_of, above = _made_of(tree, arguments), _above(tree)
    found = Counter(feature for part in ast.walk(node) for feature in features_of(part, made_of))
    while (node := above.get(id(node))) and not isinstance(node, ast.stmt):
        more = Counter(features_of(node, made_of))
        if more and not isinstance(node, ast.UnaryOp):  # the minus of a number
            return found + more
    return found + Counter(features_of(node, made_of) if node else ())


def _whole(tree, node, arguments):
    """Return the features of the line in which a node stands, and of the whole function for a line."""
    made_of, above = _made_of(tree, arguments), _above(tree)
    line = tree if isinstance(node, ast.stmt) else node
    while not isinstance(line, ast.stmt | ast.Module):
        line = above[id(line)]
    return Counter(feature for part in ast.walk(line) for feature in features_of(part, made_of))


def _made_of(tree, arguments):
    return sources(list(ast.walk(tree)), {name: frozenset({name}) for name in arguments})


def _above(tree):
    return {id(child): parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
