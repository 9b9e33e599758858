"""The grammar of sentences: lists, numbers of things, articles, capitals, shapes."""

import re

PLURALS = {"axis": "axes", "index": "indices"}


def listed(names):
    """Return names as a list in a sentence.

    >>> listed(["Q"]), listed(["Q", "K", "V"])
    ('Q', 'Q, K and V')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def counted(number, thing):
    """Return how many things there are: 1 axis, 2 axes.

    >>> counted("1", "axis"), counted(2, "axis"), counted(2, "argument")
    ('1 axis', '2 axes', '2 arguments')
    """
    return f"{number} {thing if int(number) == 1 else PLURALS.get(thing, thing + 's')}"


def with_article(word):
    """Return a word with its article, a or an.

    >>> with_article("array"), with_article("ufunc"), with_article("generator")
    ('an array', 'a ufunc', 'a generator')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def capital(text):
    """Return text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def in_brackets(text):
    """A shape as a student writes it: (3,) and (3, 2); what a reshape leaves open is -1."""
    numbers = re.findall(r"\d+|newaxis", text)
    inside = ", ".join("-1" if number == "newaxis" else number for number in numbers)
    return f"({inside},)" if len(numbers) == 1 else f"({inside})"


def by_kind(message, kind):
    """Return a message about a function as one about an answer of this kind: a class makes a layer.

    >>> by_kind("There your function gives 2.", "class")
    'There your layer gives 2.'
    """
    return re.sub(r"\b([Yy]our) function\b", r"\1 layer", message) if kind == "class" else message
