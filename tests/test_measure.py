"""The measures measure: work that is known gives the figures that are known."""

import time

import numpy as np
import pytest

from course_utils.computer.measure import Power, peak_bytes, power, seconds


def test_time_is_that_of_work_and_not_of_waiting():
    def wait():
        time.sleep(0.05)
        sum(range(50_000))

    assert seconds(wait) < 0.025
    assert 4 < seconds(sum, range(200_000)) / seconds(sum, range(20_000)) < 25


def test_the_peak_holds_what_is_let_go_and_not_what_was_there():
    there = np.ones(1_000_000)
    with pytest.raises(ZeroDivisionError):
        peak_bytes(lambda: 1 / 0)  # leaves the next measure right
    assert 4_000_000 <= peak_bytes(lambda: np.ones(500_000).sum() * there[:10]) < 4_100_000
    assert peak_bytes(np.sum, there) < 100_000


@pytest.mark.parametrize("exponent", [-1, 0.5, 2, 3])
def test_the_power_of_a_power(exponent):
    n = np.array([3, 10, 70, 500])
    found = power(n, 4.0 * n.astype(float) ** exponent)
    assert found == pytest.approx((exponent, 0), abs=1e-9)


def test_the_error_is_that_of_least_squares():
    x, y = np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 1, 3])
    slope = 0.9  # by hand: sum of (x - 1.5) * y is 4.5, sum of (x - 1.5)**2 is 5
    error = np.sqrt(((y - (slope * x - 0.1)) ** 2).sum() / 2 / 5)
    assert power(np.exp(x), np.exp(y)) == pytest.approx((slope, error))
    assert str(Power(0.9, 0.2646)) == "0.90 ± 0.26"
