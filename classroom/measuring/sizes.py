"""How many students a study needs, from the power of a t test and from the width of the gain's interval."""

from bisect import bisect_left

from measuring.distributions import power
from measuring.simulated import coverage

EFFECTS = (0.2, 0.5, 0.8)  # Cohen's small, medium and large
POWERS = (0.8, 0.9)
CLASSES = (10, 20, 30, 60, 100, 300)
GAIN = 0.3
LARGEST = 10_000  # students


def n_paired(effect, target):
    """Students of one class who answer before and after, for an effect in standard deviations of the change.

    >>> n_paired(0.5, 0.8)
    34
    """
    return smallest(lambda n: power(effect * n**0.5, n - 1), target)


def n_per_group(effect, target):
    """Students in each of two groups, course and comparison, for an effect in standard deviations of the change.

    >>> n_per_group(0.5, 0.8)
    64
    """
    return smallest(lambda n: power(effect * (n / 2) ** 0.5, 2 * n - 2), target)


def smallest(power_of, target):
    """Return the smallest n of at least 3 whose power reaches the target; power grows with n."""
    return 3 + bisect_left(range(3, LARGEST), target, key=power_of)


def tables():
    """Return the three tables as lines of Markdown."""
    yield from ["| effect | power 0.8 | power 0.9 |", "|---|---|---|"]
    for effect in EFFECTS:
        yield f"| {effect} | {' | '.join(str(n_paired(effect, target)) for target in POWERS)} |"
    yield from ["", "| effect | power 0.8, each group | power 0.9, each group |", "|---|---|---|"]
    for effect in EFFECTS:
        yield f"| {effect} | {' | '.join(str(n_per_group(effect, target)) for target in POWERS)} |"
    yield from ["", "| students | width of the interval of the gain |", "|---|---|"]
    for n in CLASSES:
        yield f"| {n} | {coverage(n, GAIN, 500)[1]:.2f} |"
