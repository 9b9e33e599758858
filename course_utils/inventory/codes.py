"""A student's code: it pairs the answers before and after, names nobody, and says which form comes first.

Six letters and digits, none of which looks like another one. The last one is a check symbol, which reveals typos.
"""

import secrets

SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # 31, a prime; no 0 and O, no 1, I and L
LENGTH = 6


def draw_code(first: str | None = None) -> str:
    """Return a new random code. first: the form that it begins with, random by default."""
    first = first or secrets.choice("AB")
    while True:
        symbols = "".join(secrets.choice(SYMBOLS) for _ in range(LENGTH - 1))
        if first_form(symbols) == first:
            return symbols + check_symbol(symbols)


def first_form(code: str) -> str:
    """Return the form that comes before the course: A if the symbols add up to an even number.

    >>> first_form("22222"), first_form("32222")
    ('A', 'B')
    """
    return "AB"[sum(map(SYMBOLS.index, code[: LENGTH - 1])) % 2]


def form_of(code: str, sitting: str) -> str:
    """Return the form of a sitting, "before" or "after": each student answers both forms."""
    first = first_form(code)
    return first if sitting == "before" else "BA"["AB".index(first)]


def check_symbol(symbols: str) -> str:
    """Return the last symbol of a code; it changes if one symbol is wrong or two neighbours are swapped."""
    return SYMBOLS[sum(weight * SYMBOLS.index(symbol) for weight, symbol in enumerate(symbols, 2)) % len(SYMBOLS)]


def as_code(text: object) -> str:
    """Return a code in its standard form from what somebody typed, "" if it is not a valid code.

    >>> as_code(" k7q-2m4 "), as_code("222222")
    ('', '222222')
    """
    code = "".join(symbol for symbol in str(text).upper() if symbol not in " -")
    is_valid = len(code) == LENGTH and set(code) <= set(SYMBOLS)
    return code if is_valid and check_symbol(code[:-1]) == code[-1] else ""
