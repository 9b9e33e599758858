"""The sentences of a verdict that depend on the answer: shapes, places, errors."""

import re

import numpy as np

from course_utils.checks.engine.grammar import capital, listed
from course_utils.checks.engine.mistakes import mistake
from course_utils.checks.engine.outcome import close
from course_utils.sentences import REVIEW

MOST_SHOWN = 12  # numbers of an array that is written out
DIGITS, MOST_DIGITS = 4, 12  # of a number: more only where they are needed to see that it is wrong
MOST_PROMISES = 3  # that are named when an answer is right
MOST_NUMBERS = 24  # of an input that is written out
ALL_RIGHT = "Everything is right"  # as the page says it: of several results it is meant for one
OF_EVERY_INPUT = re.compile(r"\b(never|always|no case)\b")  # one input is enough to make such a sentence false

# What these mistakes show in weights or scores: nothing of it is seen in an answer that goes on to compute something
# else from them.
SEEN_IN_WEIGHTS = ("softmax-", "product-", "query-key-swapped", "row-", "scale-after-softmax")


def suspicion(faults, gives=("the weights",)):
    """Return what is said about one fault, or about two at once, in at most three sentences. gives: what the exercise
    asks for.

    A fault's own `says` stands alone: the sentence about what is seen was written for other exercises.
    """
    if len({f.id for f in faults}) > 1:
        return " ".join(["Two things at once.", *(fault.says or mistake(fault.id).suspect for fault in faults)])
    fault, said = faults[0], mistake(faults[0].id)
    if fault.says:
        return fault.says
    inside = fault.id.startswith(SEEN_IN_WEIGHTS) and not any("weight" in name or "score" in name for name in gives)
    return said.suspect if inside else f"{said.seen} {said.suspect}"


def about(id, **details):
    """Return what the pages say about a mistake, with its blanks filled in."""
    said = mistake(id)
    return f"{said.seen} {said.suspect}".strip().format(**details)


def two_edits(edits):
    """Return what is said about two edits of the right answer at once."""
    first, second = (mistake(edit.id).seen.format(**edit.details).removesuffix(".") for edit in edits)
    return f"Two things at once. {first}, and {second.removeprefix('Your result fits an answer ')}."


def capital_unless_name(text):
    """Return text as the beginning of a sentence; a name such as dQ stays as it is."""
    return capital(text) if text.startswith(("the ", "a ", "an ")) else text


def why_done(exercise):
    """Return what a right answer was held to: how many inputs, and what the text promises of them."""
    inputs = f"Right on {len(exercise.probes) + len(exercise.promised)} inputs"
    *most, last = [promise.when for promise in exercise.promises][:MOST_PROMISES] or [""]
    also = "; ".join([*most, f"and {last}" if most else last])
    return f"{inputs}: also {also}." if last else f"{inputs}."


def several(names):
    """Whether names in words stand for more than one thing: two of them, or one like "the random numbers of NumPy"."""
    return len(names) > 1 or bool(re.match(r"the \w+ (?:numbers|variables)|the filters", names[0]))


def left_behind(put_back, taken_away, running):
    """Return what is said about what an answer, or a cell before it, left in the kernel; nothing for nothing.

    put_back, taken_away: names in words. running: the threads that go on.
    """
    said = [
        f"Something had {what} {listed(names)}. The check has {done.format('them' if several(names) else 'it')}."
        for what, names, done in (("changed", put_back, "put {} back"), ("added", taken_away, "taken {} away"))
        if names
    ]
    if running:
        said.append("Something that your function started still runs. Choose Kernel, Restart Kernel to end it.")
    return " ".join(said)


def what_will_do(came, gives, wanted):
    """Return what should come in place of something that is not a number, as blanks of a message.

    gives: what the exercise says of the shapes of the right answer. wanted: its arrays.
    """
    several = len(wanted) > 1 or wanted[0].ndim
    should = "be numbers" if several else f"be {next(iter(gives.values()))}"
    if several and wanted[0].dtype == bool:
        should = "hold True and False"
    return {
        "should": should.replace("number", "real number") if "complex" in came else should,
        "carrier": "An array, a list or a tensor" if several else "A value of Python, NumPy or TensorFlow",
    }


def shapes(exercise, part, got, right):
    """Return what is said about a wrong shape; `part` is the name of what was wanted."""
    came = "one number" if got.shape == () else f"an array of shape {got.shape}"
    if right.shape == ():
        return f"Your function gives {came}, and one number is wanted for {part}."
    return f"Your function gives {came} where {right.shape} was wanted for {part}, {exercise.gives[part]}."


def first_difference(exercise, arguments, part, got, right):
    """Return where the answer differs first, and what stands there."""
    if right.ndim == 0:
        named = f" for {part}" if len(exercise.gives) > 1 else ""
        few = sum(map(np.size, arguments)) <= MOST_NUMBERS and not any(map(callable, arguments))
        given = f"For {call(exercise, arguments)} your" if few else "Your"
        return f"{given} function gives {number(got, digits=digits_to_see(got, right))}{named}, and that is not it."
    wrong = ~near(got, right)
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * right.ndim
    of = f" of {part}" if len(exercise.gives) > 1 else ""
    digits = digits_to_see(got[place], right[place])
    return f"{_place(exercise, place)}{of} holds {number(got[place], digits=digits)}, and that is not it."


def near(got, right):
    """Tell, for each number, whether it is right."""
    return np.isclose(got.astype(float), right, rtol=1e-5, atol=1e-6, equal_nan=True)


def can_be_shown(arguments):
    """Tell whether all of an input can be written out, for a person to compute with: no function, and few numbers."""
    return not any(
        callable(value) or (np.size(value) > MOST_SHOWN and not _is_one_thing_again(value)) for value in arguments
    )


def _is_one_thing_again(value):
    return isinstance(value, list) and len(set(map(str, value))) == 1


def example(exercise, found):
    """Return a small input on which an answer is wrong, and what it gives there; found: what `smallest` returns.

    Where the input cannot be written out, its sizes stand there, and nobody is asked to work it out.
    """
    arguments, got, right = found
    part, name = next((g, n) for g, r, n in zip(got.parts, right.parts, exercise.gives, strict=True) if not close(g, r))
    named = f" for {name}" if len(exercise.gives) > 1 else ""
    wanted = right.parts[list(exercise.gives).index(name)]
    there = f"there your function gives {short(part, digits_to_see(part, wanted))}{named}"
    if part.size > MOST_SHOWN:
        place = tuple(int(i) for i in np.argwhere(~near(part, wanted))[0])
        digits = digits_to_see(part[place], wanted[place])
        there = f"there place {list(place)} of your result{named} holds {number(part[place], digits=digits)}"
    if not can_be_shown(arguments):
        return f"With {sizes(exercise, arguments)}, {there.removeprefix('there ')}, and that is not it."
    return f"Work it out by hand for {call(exercise, arguments)}: {there}, and that is not it."


def contrast(exercise, found):
    """Return three lines about a small input: it, what the answer gives there, and what is right; `found` as above.

    Empty where one of them cannot be written out.
    """
    arguments, got, right = found
    if not can_be_shown(arguments) or any(part.size > MOST_SHOWN for part in (*got.parts, *right.parts)):
        return ()
    digits = max(digits_to_see(*pair) for pair in zip(got.parts, right.parts, strict=True))
    yours, wanted = (", ".join(short(part, digits) for part in outcome.parts) for outcome in (got, right))
    return f"For {call(exercise, arguments)}", f"your function gives {yours}", f"and right is {wanted}"


def _place(exercise, place):
    if len(place) > 2:
        return f"Place {list(place)}"
    axes = ["row", "column"] if len(place) == 2 else ["position"]
    words = ", ".join(f"{axis} {i}" for axis, i in zip(axes, place, strict=True))
    if exercise.axes == ("query", "key"):
        return f'The place where "{REVIEW[place[0]]}" looks at "{REVIEW[place[1]]}" ({words})'
    if exercise.axes == ("key",):
        return f'The place for the key of "{REVIEW[place[0]]}" ({words})'
    return capital(words)


def call(exercise, arguments):
    """Return the arguments with their names, large arrays as shapes only."""
    pairs = zip(exercise.arguments, arguments, strict=True)
    return ", ".join(f"{name} = {short(value)}" for name, value in pairs)


def digits_to_see(got, right):
    """Return how many digits show that numbers are not the right ones: what stands there twice seems right.

    >>> digits_to_see(0.5, 1.0), digits_to_see(0.268962, 0.268941)
    (4, 6)
    """
    if np.shape(got) != np.shape(right):
        return DIGITS
    wrong = ~near(np.asarray(got), np.asarray(right))
    got, right = (np.asarray(value, dtype=float)[wrong] for value in (got, right))
    finite = np.isfinite(got) & np.isfinite(right)
    if not finite.all() or not got.size:
        return DIGITS
    gap = (abs(got - right) / np.maximum(abs(got), abs(right))).max()
    return int(np.clip(np.ceil(-np.log10(gap)) + 1, DIGITS, MOST_DIGITS))


def sizes(exercise, arguments):
    """Return the arguments with their names: of an array its shape, of a text or list its length."""
    return ", ".join(f"{name} {_size(value)}" for name, value in zip(exercise.arguments, arguments, strict=True))


def _size(value):
    if isinstance(value, np.ndarray):
        return f"of shape {value.shape}"
    return f"of length {len(value)}" if isinstance(value, list) else f"= {short(value)}"


def short(value, digits=DIGITS):
    """Return a value as a student would write it down; of a large array only its shape."""
    if isinstance(value, np.ndarray) and value.size > MOST_SHOWN:
        return f"an array of shape {value.shape}"
    if callable(value):
        return "a function"
    if np.size(value) > MOST_SHOWN and _is_one_thing_again(value):
        return f"{len(value)} times {short(value[0])}"
    if np.ndim(value):
        return f"[{', '.join(_inside(one, digits) for one in value)}]"
    return repr(value) if isinstance(value, str) else number(value, digits=digits)


def _inside(value, digits):
    """One thing of a list: no commas but those between two of them."""
    plain = np.ndim(value) or isinstance(value, str)
    return short(value, digits) if plain else number(value, separator="", digits=digits)


def number(value, separator=",", digits=DIGITS):
    """Return a number as a student would write it down; True and False are not numbers.

    >>> number(0.123456), number(np.array(True)), number(7)
    ('0.1235', 'True', '7')
    >>> number(3e9), number(1e18), number(np.nan)
    ('3,000,000,000', '1e+18', 'NaN')
    """
    if np.asarray(value).dtype == bool:
        return str(bool(value))
    value = float(value)
    if np.isnan(value):
        return "NaN"
    whole = 1e6 <= abs(value) < 1e15 and not value % 1
    return f"{value:{separator}.0f}" if whole else f"{value:.{digits}g}"
