"""What the errors of Keras and TensorFlow mean, in plain words, without what Keras puts round them."""

import re

from course_utils.checks.engine.error_reasons import kind
from course_utils.checks.engine.grammar import in_brackets

ROUND_IT = re.compile(r"\x1b\[1m(.*?)(?:\x1b\[0m|$)")  # Keras prints in bold what went wrong inside a layer
OF_TENSORFLOW = re.compile(r"\{\{.*?\}\} ?|\[Op:\w*\].*")  # the place in its own code

# As REASONS in error_reasons.py.
REASONS = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (
            r"Only input tensors may be passed as positional arguments.*\(of type <class '(.*?)'>\)",
            lambda m: f"A layer is called with an array or a tensor, and {kind(m[1])} came.",
        ),
        (
            r"Dimensions must be equal, but are (\d+) and (\d+) for",
            "An axis of length {0} meets one of length {1} there, and they must be equal.",
        ),
        (
            r"indices\[.*?\] = (-?\d+) is not in \[0, (\d+)\)",
            "Row {0} is looked up there in a table of {1} rows, and rows are counted from 0.",
        ),
        (
            r"both shapes must be equal: shape\[0\] = (\[.*?\]) vs\. shape\[1\] = (\[.*?\])",
            lambda m: f"The shapes {in_brackets(m[1])} and {in_brackets(m[2])} do not fit together there.",
        ),
        (
            r"dtype='string' is not a valid dtype|Expected `loss_weights` argument",
            "Text came where numbers are wanted. Does the third argument of `compile` have a name? "
            "Without one, it is taken for loss_weights, and not for `metrics=`.",
        ),
        (
            r"Invalid dtype: NoneType",
            "A length is None there: how many sentences a batch holds is not known before the sentences come.",
        ),
        (
            r"has type int\d+ that does not match type float\d+",
            "Whole numbers meet numbers with a point there, and TensorFlow does not mix them.",
        ),
    )
)


def bare(message):
    """Return an error's own words, without what Keras puts round those of an error inside a layer.

    >>> bare("Exception encountered when calling A.call(). \\x1b[1mnot so\\x1b[0m Arguments received by A.call(): ...")
    'not so'
    """
    if found := ROUND_IT.search(message):
        message = OF_TENSORFLOW.sub("", found[1].split("Error encountered: ")[-1])
    return message.strip()
