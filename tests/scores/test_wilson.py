"""The interval of a share: against SciPy, and against what it claims to cover."""

import numpy as np
import pytest
from scipy.stats import binomtest

from resemblance.errors import SettingError
from resemblance.scores import wilson_interval


@pytest.mark.parametrize(("wrong", "n"), [(0, 5), (3, 40), (40, 40), (500, 1234)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_it_is_scipys_where_answers_are_whole(wrong, n, level):
    expected = binomtest(wrong, n).proportion_ci(level, "wilson")
    assert wilson_interval(wrong / n, n, level) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("n", [1, 7, 30, 1000])
def test_its_ends_are_exact_where_nothing_or_all_was_counted(n):
    assert wilson_interval(0.0, n)[0] == 0.0
    assert wilson_interval(1.0, n)[1] == 1.0
    assert all(
        low <= k / n <= high for k in range(n + 1) for low, high in [wilson_interval(k / n, n)]
    )


@pytest.mark.parametrize(
    "given", [(-0.1, 5, 0.95), (1.1, 5, 0.95), (0.5, 0, 0.95), (0.5, 5, 1.0), (np.nan, 5, 0.95)]
)
def test_numbers_out_of_range(given):
    with pytest.raises(SettingError):
        wilson_interval(*given)
