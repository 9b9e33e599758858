"""The formulas of a gain: Hake's normalised gain, effect size, difficulty and discrimination, each with its interval.

docs/GAIN.md gives the source of each. Scores are shares of right answers, from 0 to 1.
"""

import math
from typing import NamedTuple

import numpy as np
from measuring.distributions import t_quantile

LEVEL = 0.95


class Estimate(NamedTuple):
    """A number and its interval; None for what cannot be estimated.

    Without variation there is no interval: a sample spread of 0 does not make the number certain.
    """

    value: float | None
    low: float | None = None
    high: float | None = None

    def contains(self, truth):
        """Whether the interval contains a number. An unbounded interval contains every number."""
        return self.low is None or self.low <= truth <= self.high


NOTHING = Estimate(None)


def quantile(df):
    return t_quantile(0.5 + LEVEL / 2, df)


def class_gain(before, after):
    """Hake's normalised gain of a class: what it gained, as a share of what it could have gained.

    (mean after − mean before) / (1 − mean before), with Fieller's interval: 1 − gain is a ratio of two means.
    before, after: (n,), the same students. No interval for one student, for students who are all
    alike, or where the mean before is too close to 1.
    """
    before, after = np.asarray(before, float), np.asarray(after, float)
    if not len(before) or before.mean() == 1:
        return NOTHING
    missing_before, missing_after = 1 - before, 1 - after
    value = 1 - missing_after.mean() / missing_before.mean()
    if len(before) < 2:
        return Estimate(value)
    ends = fieller(missing_after, missing_before)
    return Estimate(value, 1 - ends[1], min(1.0, 1 - ends[0])) if ends else Estimate(value)


def fieller(top, bottom):
    """Return the ends of the interval of mean(top) / mean(bottom) for pairs (n,); None if it is unbounded."""
    n = len(top)
    t2 = quantile(n - 1) ** 2 / n
    covariance = np.cov(top, bottom)  # (2, 2)
    a = bottom.mean() ** 2 - t2 * covariance[1, 1]
    b = top.mean() * bottom.mean() - t2 * covariance[0, 1]
    c = top.mean() ** 2 - t2 * covariance[0, 0]
    root = b**2 - a * c
    if a <= 0 or root < 1e-12:  # a root of 0: no student differs from the others
        return None
    width = math.sqrt(root)
    return (b - width) / a, (b + width) / a


def mean_of_changes(before, after):
    """The mean of the students' own normalised changes, after Marx and Cummings, and how many have none.

    An increase is a share of what was missing, a decrease a share of what was there. Students with everything right, or
    nothing, both times have none. Returns (Estimate, how many are left out).
    """
    before, after = np.asarray(before, float), np.asarray(after, float)
    has_change = (before != after) | ((before > 0) & (before < 1))
    before, after = before[has_change], after[has_change]
    most = np.where(after > before, 1 - before, before)
    return mean((after - before) / np.where(most == 0, 1, most)), int((~has_change).sum())


def mean(values):
    """A mean with its t interval."""
    values = np.asarray(values, float)
    if len(values) < 2 or np.ptp(values) < 1e-12:
        return Estimate(float(values[0])) if len(values) else NOTHING
    width = quantile(len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return Estimate(values.mean(), values.mean() - width, values.mean() + width)


def hedges_factor(df):
    """Return the factor that removes the bias of an effect size in small classes.

    >>> round(hedges_factor(9), 3)
    0.914
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def standardised_difference(means, variances, covariance, n):
    """The difference of two paired means in average standard deviations, and its standard error after Bonett.

    means, variances: before and after. covariance: of both. n: pairs.
    """
    (m1, m2), (v1, v2), df = means, variances, n - 1
    s2 = (v1 + v2) / 2
    d = (m2 - m1) / math.sqrt(s2)
    spread_variance = d**2 * (v1**2 + v2**2 + 2 * covariance**2) / (8 * df * s2**2)
    change_variance = (v1 + v2 - 2 * covariance) / (df * s2)
    return d, math.sqrt(spread_variance + change_variance)


def effect_size(before, after):
    """Hedges' g of paired scores: the mean change over the average standard deviation, corrected for small classes.

    No estimate without variation, or for fewer than three students.
    """
    before, after = np.asarray(before, float), np.asarray(after, float)
    n = len(before)
    if n < 3 or np.var(before) + np.var(after) == 0:
        return NOTHING
    (v1, covariance), (_, v2) = np.cov(before, after)
    d, error = standardised_difference((before.mean(), after.mean()), (v1, v2), covariance, n)
    factor, width = hedges_factor(n - 1), quantile(n - 1) * error
    return Estimate(factor * d, factor * (d - width), factor * (d + width))


def share(right, n):
    """A share with Wilson's interval."""
    if n == 0:
        return NOTHING
    p, z2 = right / n, quantile(10_000) ** 2
    middle, width = p + z2 / (2 * n), math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2)))
    return Estimate(p, max(0.0, (middle - width) / (1 + z2 / n)), min(1.0, (middle + width) / (1 + z2 / n)))


def correlation(x, y):
    """Pearson's correlation with Fisher's interval; with x of 0 and 1 it is the point-biserial correlation."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 4 or x.std() == 0 or y.std() == 0:
        return NOTHING
    r = float(np.corrcoef(x, y)[0, 1])
    if abs(r) > 1 - 1e-12:
        return Estimate(r)
    width = quantile(10_000) / math.sqrt(len(x) - 3)
    return Estimate(r, math.tanh(math.atanh(r) - width), math.tanh(math.atanh(r) + width))


def upper_lower(right, totals, part=0.27):
    """The share of right answers in the upper 27 % of the class, less that in the lower 27 %.

    Students tied at the edge of a group share its last places, so their order does not matter.
    """
    right, totals = np.asarray(right, float), np.asarray(totals, float)
    if len(right) < 4:
        return None
    group = max(1, round(part * len(right)))
    return share_of_best(right, totals, group) - share_of_best(right, -totals, group)


def share_of_best(right, totals, group):
    """The share of right answers among the `group` students with the highest totals."""
    edge = np.sort(totals)[-group]
    above, on_edge = right[totals > edge], right[totals == edge]
    return float(above.sum() + (group - len(above)) * on_edge.mean()) / group


def difference(one, other):
    """The difference of two independent estimates, with the interval that their intervals give (Zou and Donner)."""
    if None in (one.value, other.value):
        return NOTHING
    value = one.value - other.value
    if None in (one.low, other.low):
        return Estimate(value)
    down = math.hypot(one.value - one.low, other.high - other.value)
    up = math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, value - down, value + up)
