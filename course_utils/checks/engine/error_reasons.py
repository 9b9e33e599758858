"""What the errors of Python and NumPy mean, in plain words: one pattern and one sentence for each."""

import re

from course_utils.checks.engine.grammar import capital, counted, in_brackets, with_article

KINDS = {
    "numpy.ndarray": "an array",
    "ndarray": "an array",
    "NoneType": "None",
    "builtin_function_or_method": "a function",
    "function": "a function",
    "type": "a type",
    "int": "a whole number",
    "float": "a number",
    "numpy.float64": "a number",
    "numpy.int64": "a whole number",
    "str": "a text",
    "bool": "True or False",
}
# What is said of a float, 4.0 too, where a whole number is wanted, as for a size.
FLOAT = "a float came. Does a / make it? Also 8 / 2 gives a float, 4.0; for two whole numbers, // gives a whole one."


def kind(name):
    """Return a type's name with its article, in the words of the course.

    >>> kind("numpy.ndarray"), kind("tuple"), kind("ellipsis")
    ('an array', 'a tuple', 'an ellipsis')
    """
    plain = name.rsplit(".", 1)[-1]
    return KINDS.get(name) or KINDS.get(plain) or with_article(plain)


def _index(m):
    last = int(m[3]) - 1
    return f"There is no index {m[1]} along axis {m[2]}, which has length {m[3]}: " + (
        f"the last index is {last}." if last >= 0 else "it is empty."
    )


def _plain(function):
    """A function by its own name: that of a method without its class, and that of what makes a class the class's."""
    return function.removesuffix(".__init__").rsplit(".", 1)[-1]


def _wanted(number):
    return f"{counted(number, 'thing')} {'is' if number == '1' else 'are'} wanted there"


# What an error's text looks like, and what is said instead: a sentence with the pattern's groups, or a function of the
# match.
REASONS = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (
            r"size (\d+) is different from (\d+)",
            "An axis of length {1} meets one of length {0} there, and they must be equal.",
        ),
        (
            r"shapes (\(.*?\)) and (\(.*?\)) not aligned: (\d+) .* != (\d+)",
            "An axis of length {2} meets one of length {3} there, and they must be equal.",
        ),
        (r"does not have enough dimensions", "The sign @ needs arrays on both sides, and one side is a number."),
        (
            r"broadcast together with (?:remapped )?shapes (?:\[original->remapped\]: )?"
            r"(\([\d,]*\))(?:->\S*)? ?(?:and requested shape )?(\([\d,]*\))",
            lambda m: f"The shapes {in_brackets(m[1])} and {in_brackets(m[2])} do not fit together there.",
        ),
        (
            r"could not broadcast input array from shape (\(.*?\)) into shape (\(.*?\))",
            lambda m: (
                f"Numbers of shape {in_brackets(m[1])} do not fit there into a place of shape {in_brackets(m[2])}."
            ),
        ),
        (r"broadcast", "The shapes do not fit together there."),
        (
            r"cannot access (?:local|free) variable '(\w+)'",
            "The name {0} has no value yet in that line: is it given one later, or only sometimes?",
        ),
        (
            r"name '(\w+)' is not defined",
            "Nothing is called {0} there. Is it spelt as in the line that makes it, and has that line run?",
        ),
        (r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", _index),
        (
            r"(list|tuple|string) (?:assignment )?index out of range",
            "The index there lies beyond the ends of the {0}.",
        ),
        (
            r"too many indices for array: array is (\d+)-dimensional, but (\d+) were",
            lambda m: f"The array there has {counted(m[1], 'axis')}, and {counted(m[2], 'index')} came.",
        ),
        (
            r"axis (-?\d+) is out of bounds for array of dimension (\d+)",
            lambda m: (
                f"There is no axis {m[1]}: the array there has {counted(m[2], 'axis')}, and the first one is axis 0."
            ),
        ),
        (
            r"boolean index did not match.*axis (\d+); size of axis is (\d+) "
            r"but size of corresponding boolean axis is (\d+)",
            "The mask there has another shape than the array that it picks from: "
            "along axis {0} it has length {2}, and the array {1}.",
        ),
        (
            r"arrays used as indices must be of integer",
            "An index must be a whole number, or True and False; other numbers stand there.",
        ),
        (
            r"only integers, slices .* are valid indices",
            "An index must be a whole number, and something else stands there.",
        ),
        (r"slice indices must be integers", "The ends of a slice are whole numbers, and something else stands there."),
        (
            r"(list|tuple|string) indices must be integers(?: or slices)?, not '?(\w+)",
            lambda m: (
                f"{capital(kind(m[1].replace('string', 'str')))} takes one whole number as an index, "
                f"and {kind(m[2])} came."
            ),
        ),
        (
            r"only integer scalar arrays can be converted",
            "One whole number is wanted there, as for an axis or an index, and an array came.",
        ),
        (
            r"only (?:length-1|0-dimensional) arrays can be converted|only convert an array of size 1",
            "One number is wanted there, and a whole array came. "
            "The functions of math take one number, those of np take arrays.",
        ),
        (r"inhomogeneous", "The pieces that become one array there have different lengths."),
        (r"setting an array element with a sequence", "One place of an array takes one number, and several came."),
        (
            r"truth value of an array",
            "One True or False is wanted there, and a whole array of them came: "
            "if, and, or, not, Python's max and min, and a chain such as a == b == c cannot choose number by number.",
        ),
        (
            r"cannot reshape array of size (\d+) into shape (\(.*?\))",
            lambda m: f"{m[1]} numbers cannot be cut into shape {in_brackets(m[2])}.",
        ),
        (r"all input arrays must have the same shape", "The arrays that are stacked there have different shapes."),
        (r"must have same number of dimensions", "The arrays that are joined there have different numbers of axes."),
        (
            r"dimensions except for the concatenation axis must match",
            "The arrays that are joined there have different lengths along another axis.",
        ),
        (
            r"array split does not result in an equal division",
            "The array cannot be cut there into so many equal pieces.",
        ),
        (r"axes don't match array", "The transpose there names more axes than the array has, or fewer."),
        (r"axes must be|repeated axis", "The axes named there do not belong together."),
        (r"Cannot cast ufunc", "The array there holds whole numbers, and a result with a point does not fit into it."),
        (
            r"ufunc '(\w+)' not supported|bad operand type for unary ~",
            "The signs &, |, ^ and ~ take True and False or whole numbers, and other numbers came.",
        ),
        (
            r"unsupported operand type\(s\) for (\S+?)=?(?: or pow\(\))?: '(.*?)' and '(.*?)'",
            lambda m: f"The sign {m[1]} cannot join {kind(m[2])} and {kind(m[3])}.",
        ),
        (
            r"can't multiply sequence by non-int",
            "A list can only be multiplied by a whole number, and that repeats it.",
        ),
        (
            r"not supported between instances of '(.*?)' and '(.*?)'",
            lambda m: f"Python cannot tell which is larger, {kind(m[1])} or {kind(m[2])}.",
        ),
        (r"'([\w.]+)' object has no attribute '(\w+)'", lambda m: f"{capital(kind(m[1]))} has no {m[2]}."),
        (r"module '(.*?)' has no attribute '(\w+)'", "There is no {1} in {0}."),
        (
            r"'(.*?)' object is not callable",
            lambda m: f"Round brackets call a function, and there they follow {kind(m[1])}.",
        ),
        (
            r"'(.*?)' object is not subscriptable",
            lambda m: f"Square brackets take out a part, and there they follow {kind(m[1])}.",
        ),
        (
            r"'(.*?)' object is not an iterator",
            lambda m: f"Only a generator, or what iter gives, has a next part, and there {kind(m[1])} came.",
        ),
        (
            r"'(.*?)' object is not iterable|cannot unpack non-iterable (.*?) object",
            lambda m: f"Several things are wanted there, and {kind(m[1] or m[2])} came.",
        ),
        (
            r"iteration over a 0-d array|len\(\) of unsized object|object of type '.*?' has no len",
            "Several numbers are wanted there, and a single one came.",
        ),
        (
            r"'(.*?)' object does not support item assignment",
            lambda m: f"{capital(kind(m[1]))} cannot be changed in one place.",
        ),
        (
            r"'(.*?)' object cannot be interpreted as an integer|a single integer, got '(np\.float)",
            lambda m: f"A whole number is wanted there, and {FLOAT if 'float' in m[0] else kind(m[1]) + ' came.'}",
        ),
        (
            r"unhashable type: '(.*?)'",
            lambda m: f"{capital(kind(m[1]))} cannot stand in a set, nor be the key of a dict.",
        ),
        (
            r"too large to convert|too large for|out of bounds for int|Integer out of",
            "A whole number there is too large.",
        ),
        (r"(\w+)\(\) got an unexpected keyword argument '(\w+)'", "{0} does not take the argument {1}."),
        (r"'(\w+)' is an invalid keyword argument for (\w+)", "{1} does not take the argument {0}."),
        (
            r"([\w.]+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+)",
            lambda m: f"{_plain(m[1])} takes {counted(m[2], 'argument')}, and {m[3]} came.",
        ),
        (
            r"([\w.]+)\(\) missing (\d+) required .*?: (.*)",
            lambda m: f"{_plain(m[1])} needs {counted(m[2], 'more argument')}: {m[3].replace(chr(39), '')}.",
        ),
        (
            r"not enough values to unpack \(expected (?:at least )?(\d+), got (\d+)\)",
            lambda m: f"{_wanted(m[1])}, and {m[2]} came.",
        ),
        (r"too many values to unpack \(expected (\d+)", lambda m: f"{_wanted(m[1])}, and more came."),
        (r"read.only", "The array there can be read but not changed."),
        (r"No module named '(\w+)'", "The package {0} is not installed here."),
        (r"(?:division|modulo) by zero", "Something is divided by 0 there."),
        (
            r"math domain error|expected a (?:positive|nonnegative) input",
            "A root or a logarithm meets a number there that has none.",
        ),
        (r"math range error|result out of range|Result too large", "The result there is too large for a float."),
        (
            r"wanted: no NaN and no \+inf",
            "NaN or an infinite number has reached the softmax: does something multiply an infinite number by 0?",
        ),
        (
            r"attempt to get argmax of an empty|zero-size array to reduction",
            "Nothing is left there to choose from: the array is empty.",
        ),
        (r"einstein sum|einsum|subscripts", "The letters of the einsum do not fit the axes of its arrays."),
        (r"not in (?:list|tuple)", "It looks for something in a list there that the list does not hold."),
    )
)
