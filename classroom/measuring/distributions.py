"""Quantiles of Student's t distribution and the power of a t test, by numerical integration with NumPy."""

import math
from functools import cache
from statistics import NormalDist

import numpy as np

STEPS = 20_001


@cache
def t_quantile(share, df):
    """Return a quantile of Student's t distribution. df: degrees of freedom.

    >>> round(t_quantile(0.975, 9), 3)
    2.262
    """
    low, high = 0.0, 1.0
    while t_below(high, df) < share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_below(middle, df) < share else (low, middle)
    return (low + high) / 2


def t_below(x, df):
    """Return the share of the distribution below x, for x of at least 0."""
    angle = np.linspace(0, math.atan(x / math.sqrt(df)), STEPS)  # with t = √df·tan(angle) the density is a cosine
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    return 0.5 + scale * np.trapezoid(np.cos(angle) ** (df - 1), angle)


def power(effect, df, level=0.05):
    """Return the power of a two-sided t test. effect: the expected t; df: degrees of freedom.

    The test's t is (z + effect) / s, where s² is chi-square over df: the power for each s, weighted by its density.
    """
    middle, width = 1.0, 12 / math.sqrt(2 * df)
    s = np.linspace(max(1e-9, middle - width), middle + width, 4001)
    log_density = (df - 1) * np.log(s) - df * s**2 / 2
    weight = np.exp(log_density - log_density.max())
    bound = t_quantile(1 - level / 2, df)
    normal = np.vectorize(NormalDist().cdf)
    rejected = 1 - normal(bound * s - effect) + normal(-bound * s - effect)
    return float((weight * rejected).sum() / weight.sum())
