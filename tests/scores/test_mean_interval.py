"""The interval of a mean loss: what it covers, by rows, by groups and by folds."""

import numpy as np
import pytest
from scipy.stats import t

from resemblance.scores import mean_interval, wilson_interval


def test_independent_shares_have_wilsons_interval_a_little_widened():
    losses = np.repeat([0.0, 1.0], [70, 30])
    error, (low, high) = mean_interval(losses)
    assert error == pytest.approx(np.sqrt(0.3 * 0.7 / 99))
    narrow = wilson_interval(0.3, 100)
    assert low < narrow[0] < 0.3 < narrow[1] < high
    assert high - low == pytest.approx(narrow[1] - narrow[0], rel=0.05)


def test_folds_that_differ_widen_it():
    losses = np.repeat([0.0, 1.0], [70, 30])
    alike, apart = (
        mean_interval(losses, fold_means=folds) for folds in ([0.3] * 10, [0.1, 0.5] * 5)
    )
    assert alike[0] == mean_interval(losses)[0]
    assert apart[0] == pytest.approx(np.std([0.1, 0.5] * 5, ddof=1) / 10**0.5)
    assert np.ptp(apart[1]) > np.ptp(alike[1]) > np.ptp(mean_interval(losses)[1])


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_it_covers_by_groups_what_it_says(share):
    """Five answers of one response are alike: by rows the interval would be far too narrow."""
    rng = np.random.default_rng(0)
    covered = {"response_id": 0, "row": 0}
    for _ in range(300):
        own = rng.beta(share, 1 - share, size=80)
        losses = (rng.random((80, 5)) < own[:, None]).astype(float).ravel()
        for name, groups in (("response_id", np.repeat(np.arange(80), 5)), ("row", None)):
            low, high = mean_interval(losses, groups=groups)[1]
            covered[name] += low <= share <= high
    assert 0.91 * 300 <= covered["response_id"] <= 0.985 * 300
    assert covered["row"] < 0.85 * 300


def test_losses_beyond_one_have_students_interval():
    losses = np.random.default_rng(0).gamma(2.0, size=50)
    error, (low, high) = mean_interval(losses, share=False)
    half = t.ppf(0.975, 49) * losses.std(ddof=1) / 50**0.5
    assert error == pytest.approx(losses.std(ddof=1) / 50**0.5)
    assert (low, high) == pytest.approx((losses.mean() - half, losses.mean() + half))


@pytest.mark.parametrize("wrong", [0, 20])
def test_all_alike_does_not_close_it(wrong):
    low, high = mean_interval([float(wrong > 0)] * 20)[1]
    assert high - low > 0.1
    assert (high == 1.0) if wrong else (low == 0.0)


def test_one_group_says_nothing():
    assert mean_interval([0.0, 1.0], groups=["ann", "ann"]) == (None, None)
    assert mean_interval([1.0]) == (None, None)


def test_weights_are_shares_of_the_mean_and_no_more_answers():
    losses, weights = [0.0, 1.0] * 20, [1.0, 3.0] * 20
    _, (low, high) = mean_interval(losses, weights)
    _, scaled = mean_interval(losses, [10 * w for w in weights])
    assert (low, high) == pytest.approx(scaled)
    assert low < 0.75 < high
