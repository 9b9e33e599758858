"""The measures measure: work that is known gives the figures that are known."""

import time

import numpy as np
import pytest

from course_utils.measure import Power, peak_bytes, power, seconds


def test_ten_times_the_work_takes_about_ten_times_the_time():
    ratio = seconds(sum, range(200_000)) / seconds(sum, range(20_000))
    assert 4 < ratio < 25


def test_waiting_is_no_work():
    calls = []

    def wait():
        calls.append(1)
        time.sleep(0.05)
        sum(range(50_000))

    assert seconds(wait) < 0.025
    assert len(calls) > 2


def test_the_peak_holds_what_is_let_go_and_not_what_was_there():
    there = np.ones(1_000_000)

    def hold():
        np.ones(500_000)
        return there[:10]

    assert 4_000_000 <= peak_bytes(hold) < 4_100_000
    assert peak_bytes(np.sum, there) < 100_000


def test_a_call_that_fails_leaves_the_next_measure_right():
    with pytest.raises(ZeroDivisionError):
        peak_bytes(lambda: 1 / 0)
    assert peak_bytes(np.ones, 1000) < 10_000


@pytest.mark.parametrize("exponent", [-1, 0.5, 2, 3])
def test_the_power_of_a_power(exponent):
    n = np.array([3, 10, 70, 500])
    found = power(n, 4.0 * n.astype(float) ** exponent)
    assert found == pytest.approx((exponent, 0), abs=1e-9)


def test_the_error_is_that_of_least_squares():
    x, y = np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 1, 3])
    slope = 0.9  # by hand: sum of (x - 1.5) * y is 4.5, sum of (x - 1.5)**2 is 5
    left = y - (slope * x - 0.1)
    error = np.sqrt((left**2).sum() / 2 / 5)
    assert power(np.exp(x), np.exp(y)) == pytest.approx((slope, error))
    assert str(Power(0.9, 0.2646)) == "0.90 ± 0.26"


@pytest.mark.parametrize(
    "sizes, values, sentence",
    [
        ([1, 2], [1, 2], "sizes has shape .*m at least 3"),
        ([0, 1, 2], [1, 2, 3], "sizes has shape .*all above 0"),
        ([1, 2, 3], [1, 2], r"values has shape \(2,\).*wanted: \(3,\)"),
        ([1, 2, 3], [1, 0, 2], "values has shape .*all above 0"),
        ([[1, 2, 3]], [1, 2, 3], "sizes has shape"),
        ([1, 2, 3], "abc", "values is 'abc'|values has shape"),
    ],
)
def test_what_cannot_be_fitted_is_refused(sizes, values, sentence):
    with pytest.raises(ValueError, match=sentence):
        power(sizes, values)
