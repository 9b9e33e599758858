"""How many students a study needs: by the power of a t test, and by how narrow the interval of the gain becomes."""

from measuring.distributions import power
from measuring.simulated import coverage

EFFECTS = (0.2, 0.5, 0.8)  # Cohen's small, medium and large
POWERS = (0.8, 0.9)
CLASSES = (10, 20, 30, 60, 100, 300)
GAIN = 0.3


def paired(effect, wanted):
    """Students of one class who answer before and after, for an effect in standard deviations of the change.

    >>> paired(0.5, 0.8)
    34
    """
    return smallest(lambda n: power(effect * n**0.5, n - 1), wanted)


def each_group(effect, wanted):
    """Students in each of two groups, course and comparison, for an effect in standard deviations of the change.

    >>> each_group(0.5, 0.8)
    64
    """
    return smallest(lambda n: power(effect * (n / 2) ** 0.5, 2 * n - 2), wanted)


def smallest(power_of, wanted):
    """The smallest n of at least 3 whose power is enough; power grows with n."""
    high = 3
    while power_of(high) < wanted:
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= wanted else (middle, high)
    return max(3, high)


def tables():
    """Return the three tables as lines of Markdown."""
    yield from ["| effect | power 0.8 | power 0.9 |", "|---|---|---|"]
    for effect in EFFECTS:
        yield f"| {effect} | {' | '.join(str(paired(effect, wanted)) for wanted in POWERS)} |"
    yield from ["", "| effect | power 0.8, each group | power 0.9, each group |", "|---|---|---|"]
    for effect in EFFECTS:
        yield f"| {effect} | {' | '.join(str(each_group(effect, wanted)) for wanted in POWERS)} |"
    yield from ["", "| students | width of the interval of the gain |", "|---|---|"]
    for n in CLASSES:
        yield f"| {n} | {coverage(n, GAIN, 500)[1]:.2f} |"
