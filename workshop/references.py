"""Insert docs/references.bib into the lessons: [@vaswani2017] becomes authors and year, with the address.

At the start of a list item it becomes authors, year and title, with the address.
"""

import functools
import re
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).resolve().parents[1] / "docs" / "references.bib"


class Reference(NamedTuple):
    """A citation as readers see it: authors as in a sentence, year, title, address."""

    authors: str
    year: str
    title: str
    address: str


def cite(text, references):
    """Return the text with its keys replaced. Raises KeyError for a key that is not among the references.

    >>> known = {"ba2016": Reference("Ba et al.", "2016", "Layer Normalization", "https://arxiv.org/abs/1607.06450")}
    >>> cite("- [@ba2016]: how.", known)
    '- Ba et al. 2016, [Layer Normalization](https://arxiv.org/abs/1607.06450): how.'
    >>> cite("So do\\n[@ba2016].", known)
    'So do\\n[Ba et al. 2016](https://arxiv.org/abs/1607.06450).'
    """

    def citation(match):
        authors, year, title, address = references[match[2]]
        return f"- {authors} {year}, [{title}]({address})" if match[1] else f"[{authors} {year}]({address})"

    return re.sub(r"(?:^(- ))?\[@(\w+)\]", citation, text, flags=re.M)


def keys(text):
    """The keys that a text cites, in order."""
    return re.findall(r"\[@(\w+)\]", text)


@functools.cache
def read(path=FILE):
    """Return the references of a BibTeX file: key -> Reference. Raises ValueError for one without an identifier."""
    from pybtex.database import parse_file

    return {key: _reference(key, entry) for key, entry in parse_file(str(path)).entries.items()}


def _reference(key, entry):
    fields = entry.fields
    addresses = [
        start + fields[name]
        for name, start in (("eprint", "https://arxiv.org/abs/"), ("doi", "https://doi.org/"), ("url", ""))
        if name in fields
    ]
    if not addresses or not entry.persons.get("author") or not {"year", "title"} <= set(fields):
        raise ValueError(f"references.bib: {key} wants an author, a year, a title, and an eprint, a doi or a url")
    return Reference(_authors(entry.persons["author"]), fields["year"], _plain(fields["title"]), addresses[0])


def _authors(persons):
    """One name, two names, or the first one and "et al."."""
    names = [_plain(" ".join([*person.prelast_names, *person.last_names])) for person in persons]
    if len(names) > 2 or "others" in names:
        return f"{names[0]} et al."
    return " and ".join(names)


def _plain(text):
    return text.replace("{", "").replace("}", "")
