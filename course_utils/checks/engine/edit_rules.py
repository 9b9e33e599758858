"""The edits that the checks know: what students write in the place of one call, sign, name, number or line."""

import ast
import copy

AXES = (0, 1, -1, -2, None)
STANDS_FOR = {  # what students write in place of what: method or function -> others
    "sum": ("mean", "max", "prod"),
    "mean": ("sum", "max", "var"),
    "max": ("sum", "mean", "min"),
    "min": ("max",),
    "var": ("std", "mean"),
    "sqrt": ("square",),
    "exp": ("exp2", "expm1"),
    "sin": ("cos",),
    "cos": ("sin",),
    "all": ("any",),
    "any": ("all",),
    "tri": ("eye",),
    "tril": ("triu",),
    "triu": ("tril",),
    "argmax": ("argmin",),
    "outer": ("dot", "inner"),
    "zeros": ("ones",),
    "ones": ("zeros",),
}
MOVES_AXES = {"swapaxes", "moveaxis", "transpose"}  # functions whose numbers are axes
OF_THE_LESSONS = (2, 4, 5, 6, 7, 8, 12, 42)  # sizes of the examples that students see
OTHER_OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Div),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.Mod: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Div, ast.Mod),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
OTHER_COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}

# What a sign makes, and what leaving out one of its sides leaves out. A line of the solution itself is never quoted.
MAKES = {
    ast.Add: ("a sum", "a term of a sum"),
    ast.Sub: ("a difference", "a subtraction"),
    ast.Mult: ("a product", "a factor"),
    ast.Div: ("a quotient", "a division"),
    ast.Pow: ("a power", "a power"),
    ast.MatMult: ("a matrix product", "a matrix product"),
}

# The kinds, those that students make most often first. Each is an id of the page shared.md.
KINDS = (
    "edit-axis",
    "edit-brackets",
    "edit-size",
    "edit-fixed",
    "edit-transposed",
    "edit-left-out",
    "edit-argument",
    "edit-function",
    "edit-operator",
    "edit-order",
    "edit-constant",
    "edit-comparison",
    "edit-early",
    "edit-twice",
)


def changes(node, names):
    """Yield (id, details, node, what stands in its place) for one node of the code."""
    for of_kind in (_of_calls, _of_operators, _of_sizes, _of_names, _of_constants, _of_comparisons):
        yield from ((id, details, node, edited) for id, details, edited in of_kind(node, names))


def moves_axes(node):
    """Tell whether a node calls a function whose numbers are axes."""
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in MOVES_AXES


def _of_calls(node, names):
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    owner = getattr(node.func, "value", None)
    is_method = owner is not None and not (isinstance(owner, ast.Name) and owner.id == "np")
    subject = owner if is_method else (node.args[0] if node.args else None)
    for keyword in node.keywords:
        if keyword.arg in ("axis", "keepdims"):
            yield from _other_keyword(node, keyword)
    if moves_axes(node):
        yield from _other_axes(node)
    yield from _other_function(node, name)
    if subject is not None and len(node.args) <= 1:
        yield "edit-left-out", {"step": f"`{name}`"}, subject
        twice = copy.deepcopy(node)
        if is_method:
            twice.func.value = copy.deepcopy(node)
        else:
            twice.args[0] = copy.deepcopy(node)
        yield "edit-twice", {"step": f"`{name}`"}, twice
    if len(node.args) > 1:
        swapped = copy.deepcopy(node)
        swapped.args[-1], swapped.args[-2] = swapped.args[-2], swapped.args[-1]
        yield "edit-order", {"step": f"`{name}`"}, swapped


def _other_axes(node):
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Constant | ast.UnaryOp):
            for axis in (0, 1, 2, -1, -2, -3):
                edited = copy.deepcopy(node)
                edited.args[place] = ast.Constant(axis)
                yield "edit-transposed", {"what": "the array"}, edited


def _other_function(node, name):
    for other in STANDS_FOR.get(name, ()):
        edited = copy.deepcopy(node)
        setattr(edited.func, "attr" if hasattr(edited.func, "attr") else "id", other)
        yield "edit-function", {"wrong": other, "right": name}, edited


def _other_keyword(node, keyword):
    if keyword.arg == "keepdims":
        without = copy.deepcopy(node)
        without.keywords = [other for other in without.keywords if other.arg != "keepdims"]
        yield "edit-left-out", {"step": "`keepdims`"}, without
        return
    for axis in AXES:
        edited = copy.deepcopy(node)
        next(other for other in edited.keywords if other.arg == "axis").value = ast.Constant(axis)
        where = "all numbers at once" if axis is None else f"axis {axis}"
        yield "edit-axis", {"where": where}, edited


def _of_operators(node, names):
    if isinstance(node, ast.Attribute) and node.attr == "T":
        what = node.value.id if isinstance(node.value, ast.Name) else "a matrix"
        yield "edit-transposed", {"what": what}, node.value
    if isinstance(node, ast.UnaryOp):
        yield (
            "edit-left-out",
            {"step": {"USub": "a minus sign", "Not": "`not`"}.get(type(node.op).__name__, "`~`")},
            node.operand,
        )
    if not isinstance(node, ast.BinOp):
        return
    yield from _of_brackets(node)
    for operator in OTHER_OPERATORS.get(type(node.op), ()):
        words = {"wrong": _sign(operator()), "right": _sign(node.op)}
        yield "edit-operator", words, ast.BinOp(node.left, operator(), node.right)
    if not isinstance(node.op, ast.Add | ast.Mult):
        yield "edit-order", {"step": f"`{_sign(node.op)}`"}, ast.BinOp(node.right, node.op, node.left)
    step = {"step": MAKES.get(type(node.op), ("", "a step"))[1]}
    yield from (("edit-left-out", step, side) for side in (node.left, node.right))


def _of_brackets(node):
    """(a + b) / c is written as a + b / c, and a / (b * c) as a / b * c."""
    left, right = node.left, node.right
    if (
        isinstance(node.op, ast.Mult | ast.Div)
        and isinstance(left, ast.BinOp)
        and isinstance(left.op, ast.Add | ast.Sub)
    ):
        edited = ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, right))
        yield "edit-brackets", {"what": MAKES[type(left.op)][0]}, edited
    if (
        isinstance(node.op, ast.Div | ast.Sub | ast.Mult)
        and isinstance(right, ast.BinOp)
        and not isinstance(right.op, ast.Pow)
    ):
        edited = ast.BinOp(ast.BinOp(left, node.op, right.left), right.op, right.right)
        yield "edit-brackets", {"what": MAKES.get(type(right.op), ("a part", ""))[0]}, edited


def _of_sizes(node, names):
    """Another axis of a shape, or a number of the lesson's own example in its place."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        for axis in (0, 1, 2, -1, -2):
            other = ast.Subscript(node.value, ast.Constant(axis), ast.Load())
            if ast.unparse(other) != ast.unparse(node):
                yield "edit-size", {"wrong": ast.unparse(other)}, other
    is_size = isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape"
    if is_size or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len"):
        for number in OF_THE_LESSONS:
            yield "edit-fixed", {"wrong": number}, ast.Constant(number)


def _of_names(node, names):
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names):
        return
    for other in names:
        if other != node.id:
            yield "edit-argument", {"wrong": other, "right": node.id}, ast.Name(other, ast.Load())
    yield "edit-transposed", {"what": node.id}, ast.Attribute(node, "T", ast.Load())


def _of_constants(node, names):
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        others = (node.value + 1, node.value - 1, -node.value, 2 * node.value, node.value / 2)
        for other in dict.fromkeys(others):
            if other != node.value:
                yield "edit-constant", {"wrong": f"{other:g}", "right": f"{node.value:g}"}, ast.Constant(other)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "edit-constant", {"wrong": str(not node.value), "right": str(node.value)}, ast.Constant(not node.value)


def _of_comparisons(node, names):
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for operator in OTHER_COMPARISONS.get(type(node.ops[0]), ()):
            words = {"wrong": _sign(operator()), "right": _sign(node.ops[0])}
            yield "edit-comparison", words, ast.Compare(node.left, [operator()], node.comparators)
    if isinstance(node, ast.IfExp):
        yield "edit-order", {"step": "`if` and `else`"}, ast.IfExp(node.test, node.orelse, node.body)


def of_statements(function, place):
    """Yield edits of whole lines: one that is left out, and a return of what a line has made."""
    statement = function.body[place]
    if not isinstance(statement, ast.Assign | ast.AugAssign) or not isinstance(
        statement.targets[0] if isinstance(statement, ast.Assign) else statement.target, ast.Name
    ):
        return
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    yield "edit-early", {"what": f"`{target.id}`"}, function.body[-1], ast.Return(ast.Name(target.id, ast.Load()))
    if isinstance(statement, ast.AugAssign):
        yield "edit-left-out", {"step": f"the line that changes `{target.id}`"}, statement, ast.Pass()


def _sign(operator):
    """Return an operator as it is written."""
    if isinstance(operator, ast.cmpop):
        return ast.unparse(ast.Compare(ast.Name("a"), [operator], [ast.Name("b")]))[2:-2]
    return ast.unparse(ast.BinOp(ast.Name("a"), operator, ast.Name("b")))[2:-2]
