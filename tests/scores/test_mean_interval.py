"""The interval of a mean loss: what it covers, by rows, by groups and by folds."""

import numpy as np
import pytest
from scipy.stats import t

from resemblance.scores import (
    mean_interval,
    percentile_interval,
    student_interval,
    wilson_interval,
)


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


def test_it_covers_by_groups_what_it_says():
    """Five answers of one response are alike: by rows the interval would be far too narrow."""
    rng, share = np.random.default_rng(0), 0.1
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


def test_the_error_is_that_of_means_without_each_group():
    rng = np.random.default_rng(0)
    losses, weights, who = rng.random(60), rng.random(60), rng.integers(7, size=60)
    means = [np.average(losses[who != k], weights=weights[who != k]) for k in range(7)]
    whole = np.average(losses, weights=weights)
    error, (low, high) = mean_interval(losses, weights, who, share=False)
    assert error == pytest.approx(np.sqrt(6 / 7 * np.sum((np.array(means) - whole) ** 2)))
    of_group = np.bincount(who, weights)
    freedom = of_group.sum() ** 2 / np.sum(of_group**2) - 1
    assert high - low == pytest.approx(2 * error * t.ppf(0.975, freedom))


def test_it_covers_where_few_people_give_most():
    """Of twenty people three give ten times as many answers."""
    rng, size = np.random.default_rng(0), np.where(np.arange(20) < 3, 60, 6)
    covered = 0
    for _ in range(300):
        own = rng.beta(6, 14, size=20)
        losses = (rng.random(size.sum()) < np.repeat(own, size)).astype(float)
        low, high = mean_interval(losses, groups=np.repeat(np.arange(20), size))[1]
        covered += low <= 0.3 <= high
    assert 0.9 * 300 <= covered <= 0.99 * 300


@pytest.mark.parametrize(("people", "questions"), [(0.3, 0.0), (0.0, 0.4), (0.2, 0.2)])
def test_people_who_answered_the_same_questions_are_crossed_with_them(people, questions):
    """Twelve people and forty questions, both drawn anew each time: either alone may matter."""
    rng, covered, narrow = np.random.default_rng(0), 0, 0
    who, asked = (x.ravel() for x in np.meshgrid(np.arange(12), np.arange(40), indexing="ij"))
    for _ in range(300):
        own = people * rng.uniform(-1, 1, 12)[who] + questions * rng.uniform(-1, 1, 40)[asked]
        losses = (rng.random(480) < 0.4 + own).astype(float)
        low, high = mean_interval(losses, groups=who, crossed=asked)[1]
        covered += low <= 0.4 <= high
        low, high = mean_interval(losses, groups=who)[1]
        narrow += low <= 0.4 <= high
    assert 0.92 * 300 <= covered <= 300
    if questions > people:
        assert narrow < covered - 0.05 * 300


def test_people_crossed_with_rows_of_their_own_are_people():
    rng = np.random.default_rng(0)
    losses, who = rng.random(50), np.arange(50) % 6
    crossed = mean_interval(losses, groups=who, crossed=np.arange(50), share=False)
    plain = mean_interval(losses, groups=who, share=False)
    assert crossed[0] >= plain[0] * (1 - 1e-12)
    if plain[0] > mean_interval(losses)[0]:
        assert crossed[0] == pytest.approx(plain[0])


def test_known_intervals():
    error, (low, high) = mean_interval([0, 0, 0, 1] * 25)
    assert (round(error, 3), round(low, 2), round(high, 2)) == (0.044, 0.17, 0.34)
    ends = percentile_interval(np.arange(101), 0.9), student_interval(1.0, 0.1, 9)
    np.testing.assert_allclose(ends, [(5, 95), (0.774, 1.226)], atol=1e-3)
