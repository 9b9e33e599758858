"""Functions for tests, of texts: their source can be read, as that of a cell of a notebook."""

import linecache

import numpy as np


def written(code, arguments="a, b", **names):
    """The function `answer` of an expression, or of the lines of a body. names: what it reads from outside."""
    body = code if "\n" in code else f"return {code}"
    text = f"def answer({arguments}):\n" + "".join(f"    {line}\n" for line in body.strip().splitlines())
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    place = {"np": np} | names
    exec(compile(text, name, "exec"), place)
    return place["answer"]
