"""Quantiles of Student's t distribution and the power of a t test, by numerical integration with NumPy."""

import math
from functools import cache
from statistics import NormalDist

import numpy as np

STEPS = 200_001


@cache
def t_quantile(share, df):
    """Return a quantile of Student's t distribution, for a share of at least a half. df: degrees of freedom.

    >>> round(t_quantile(0.975, 9), 3)
    2.262
    """
    angle = np.linspace(0, math.pi / 2, STEPS)  # with t = √df·tan(angle) the density is a cosine
    density = np.cos(angle) ** (df - 1)
    below = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(df) * math.tan(np.interp(2 * share - 1, below / below[-1], angle))


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
