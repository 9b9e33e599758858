"""A mistake as a wrong setting of the reference, and which of them can stand together.

A hypothesis is a set of faults, no two on one switch: none at all for the right answer, one, or two.
"""

from itertools import combinations
from typing import NamedTuple


class Fault(NamedTuple):
    """A wrong setting of some switches: ((name, setting), ...).

    says: the exercise's own words, in place of the suspicion that its id has.
    moves_scale: whether it is about the factor on the scores, which a check may fit.
    """

    id: str
    switches: tuple[tuple[str, object], ...]
    says: str = ""
    moves_scale: bool = False


def hypotheses(faults):
    """Return all sets of at most two faults that turn different switches, the simplest first: () for right."""
    sets = [chosen for most in range(3) for chosen in combinations(faults, most)]
    turned = [(chosen, [name for fault in chosen for name, _ in fault.switches]) for chosen in sets]
    return [chosen for chosen, names in turned if len(set(names)) == len(names)]
