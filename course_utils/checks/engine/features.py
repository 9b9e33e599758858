"""What one node of a code holds: an operator, a call, a size, a number, each with the arguments that it meets.

A feature is a tuple: ("Sub", ("p",), ("labels",)) is a difference between something made from p and something made from
labels. Two codes that do the same thing in other words have the same features where it matters.
"""

import ast

SAME = {  # functions by other names
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "average": "mean",
    "fsum": "sum",
    "dot": "MatMult",
    "matmul": "MatMult",
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mult",
    "divide": "Div",
    "true_divide": "Div",
    "floor_divide": "FloorDiv",
    "power": "Pow",
    "pow": "Pow",
}
EITHER_WAY = {"Add", "Mult", "MatMult", "BitAnd", "BitOr", "Eq", "NotEq"}  # their sides may change places
MIRRORED = {"Gt": "Lt", "GtE": "LtE"}
SIZES = {"shape", "size", "ndim"}
COUNTS = {"len", "range", "ndindex"}  # what they give depends on sizes alone


def sources(nodes, made_of):
    """Return {variable: the arguments that it is made from}; the arguments themselves stay what they are."""
    nodes, found = list(nodes), dict(made_of)
    for _ in range(2):  # a loop may read what stands further down
        for node in nodes:
            for target, value in _stored(node):
                if isinstance(target, ast.Name) and target.id not in made_of:
                    found[target.id] = found.get(target.id, frozenset()) | made_from(value, found)
    return found


def _stored(node):
    """Yield (target, value) for each variable that a node gives a value."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield from _pairs(node.target, _each(node.iter))


def _each(iterable):
    """What a loop runs over, one thing for each of its variables: the number of a round is made from nothing."""
    if isinstance(iterable, ast.Call) and name_of(iterable) == "enumerate" and iterable.args:
        return ast.Tuple([ast.Constant(0), _each(iterable.args[0])])
    if isinstance(iterable, ast.Call) and name_of(iterable) == "zip":
        return ast.Tuple(iterable.args)
    return iterable


def _pairs(target, value):
    if not isinstance(target, ast.Tuple | ast.List):
        yield (target.value if isinstance(target, ast.Subscript | ast.Starred) else target), value
        return
    several = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
    for i, part in enumerate(target.elts):
        yield from _pairs(part, value.elts[i] if several else value)


def made_from(node, made_of):
    """Return the arguments that an expression is made from. A size is a number, whatever it is the size of."""
    if isinstance(node, ast.Name):
        return made_of.get(node.id, frozenset())
    if (isinstance(node, ast.Attribute) and node.attr in SIZES) or (
        isinstance(node, ast.Call) and name_of(node) in COUNTS
    ):
        return frozenset()
    inside = sources(ast.walk(node), made_of) if isinstance(node, ast.ListComp | ast.GeneratorExp) else made_of
    return frozenset().union(*(made_from(child, inside) for child in ast.iter_child_nodes(node)))


def name_of(call):
    """Return the name of what a call calls."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def features_of(node, made_of):
    """Yield the features of one node."""

    def made(*parts):
        return tuple(tuple(sorted(made_from(part, made_of))) for part in parts)

    if isinstance(node, ast.BinOp):
        yield _ordered(type(node.op).__name__, *made(node.left, node.right))
        yield from _beside(node)
    elif isinstance(node, ast.AugAssign):
        yield _ordered(type(node.op).__name__, *made(node.target, node.value))
    elif isinstance(node, ast.Compare):
        yield _ordered(type(node.ops[0]).__name__, *made(node.left, node.comparators[0]))
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield type(node.op).__name__, *made(node.operand)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, made)
    elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield "in a row", *made(*node.elts)
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield "T", *made(node.value)
    elif isinstance(node, ast.Subscript):
        yield from _of_subscript(node, made)
    elif (value := numeral(node)) is not None:
        yield "number", value


def _beside(node):
    """Yield which operator stands inside the other, and on which side, and a number beside an operator."""
    operator = type(node.op).__name__
    for side, child in (("left", node.left), ("right", node.right)):
        if isinstance(child, ast.BinOp):
            yield "inside", operator, side, type(child.op).__name__
        elif (value := numeral(child)) is not None:
            yield "beside", operator, value


def _ordered(operator, *sides):
    if operator in MIRRORED:
        operator, sides = MIRRORED[operator], sides[::-1]
    return operator, *(sorted(sides) if operator in EITHER_WAY else sides)


def _of_call(node, made):
    name = SAME.get(name_of(node), name_of(node))
    owner = getattr(node.func, "value", None)
    of_module = owner is None or getattr(owner, "id", "") in ("np", "math", "tf")
    parts = node.args if of_module else [owner, *node.args]
    if name == "len":
        yield "axis of", *made(*parts), 0
        yield "size of", *made(*parts)
    elif name in SAME.values() and len(parts) == 2 and name[0].isupper():
        yield _ordered(name, *made(*parts))
    else:
        yield name, tuple(sorted({argument for part in made(*parts) for argument in part}))
    axes = [keyword.value for keyword in node.keywords if keyword.arg == "axis"] or parts[1:2]
    if axes and isinstance(numeral(axes[0]), int):
        yield "axis", numeral(axes[0])
    if any(keyword.arg == "keepdims" for keyword in node.keywords):
        yield ("keepdims",)


def _of_subscript(node, made):
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        yield "axis of", *made(node.value.value), numeral(node.slice)
        yield "size of", *made(node.value.value)
    else:
        yield "at", *made(node.value, node.slice)


def numeral(node):
    """Return the number that stands there, with its sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = numeral(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None
