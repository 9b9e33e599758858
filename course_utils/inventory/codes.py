"""The code that a student keeps: it pairs the answers before and after, names nobody, and says which form comes first.

Six letters and digits, none of which looks like another one. The last one is a check: it betrays a slip of the pen.
"""

import secrets

SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # 31, a prime; no 0 and O, no 1, I and L
LENGTH = 6


def draw_code(first=None):
    """Return a new code. first: the form that it begins with, drawn by a coin where it is not given."""
    first = first or secrets.choice("AB")
    while True:
        begin = "".join(secrets.choice(SYMBOLS) for _ in range(LENGTH - 1))
        if first_form(begin) == first:
            return begin + check_symbol(begin)


def first_form(code):
    """Return the form that comes before the course: A where the symbols add up to an even number.

    >>> first_form("22222"), first_form("32222")
    ('A', 'B')
    """
    return "AB"[sum(map(SYMBOLS.index, code[: LENGTH - 1])) % 2]


def form_of(code, sitting):
    """Return the form of a sitting, "before" or "after": the second one is the other one."""
    first = first_form(code)
    return first if sitting == "before" else "BA"["AB".index(first)]


def check_symbol(begin):
    """Return the last symbol of a code; one wrong symbol, or two neighbours in the wrong order, give another one."""
    return SYMBOLS[sum(place * SYMBOLS.index(symbol) for place, symbol in enumerate(begin, 2)) % len(SYMBOLS)]


def as_code(text):
    """Return a code as it is written, from what somebody typed; "" for what is no code.

    >>> as_code(" k7q-2m4 "), as_code("222222")
    ('', '222222')
    """
    code = "".join(symbol for symbol in str(text).upper() if symbol not in " -")
    known = len(code) == LENGTH and set(code) <= set(SYMBOLS)
    return code if known and check_symbol(code[:-1]) == code[-1] else ""
