import numpy as np
import pytest
from scipy.stats import norm

from resemblance.errors import JudgmentError, SettingError
from resemblance.scores import bootstrap_interval


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_many_single_rows_give_the_normal_interval(rng):
    losses = rng.exponential(size=2000)
    half = norm.ppf(0.95) * losses.std() / np.sqrt(2000)
    interval = bootstrap_interval(losses, level=0.9, n_resamples=4000, random_state=0)
    np.testing.assert_allclose(interval, [losses.mean() - half, losses.mean() + half], atol=0.004)


def test_rows_that_repeat_within_groups_tell_nothing_new(rng):
    losses = (rng.random(100) < 0.3).astype(float)
    once = bootstrap_interval(losses, random_state=0)
    repeated = bootstrap_interval(losses.repeat(5), groups=np.arange(100).repeat(5), random_state=0)
    np.testing.assert_allclose(repeated, once)
    low, high = bootstrap_interval(losses.repeat(5), random_state=0)
    assert high - low < 0.6 * (once[1] - once[0])


def test_weights_equal_repeats_within_groups(rng):
    losses, weights, names = rng.random(50), rng.integers(0, 4, 50), rng.choice(list("abcde"), 50)
    weighted = bootstrap_interval(losses, weights, names, random_state=0)
    losses, names = losses.repeat(weights), names.repeat(weights)
    np.testing.assert_allclose(weighted, bootstrap_interval(losses, None, names, random_state=0))


def test_the_same_seed_gives_the_same_interval_in_any_blocks(rng, monkeypatch):
    losses = rng.random(30)
    whole = bootstrap_interval(losses, random_state=3)
    assert bootstrap_interval(losses, random_state=3) == whole
    monkeypatch.setattr("resemblance.scores.intervals._BLOCK", 100)
    assert bootstrap_interval(losses, random_state=3) == whole


def test_a_higher_level_is_wider_and_a_million_rows_are_quick(rng):
    losses = (rng.random(1_000_000) < 0.2).astype(float)
    narrow, wide = (bootstrap_interval(losses, level=x, random_state=0) for x in (0.5, 0.99))
    assert wide[0] < narrow[0] < losses.mean() < narrow[1] < wide[1]


def test_what_cannot_be_resampled_is_named():
    with pytest.raises(SettingError, match="level is 95"):
        bootstrap_interval([0, 1], level=95)
    with pytest.raises(SettingError, match="n_resamples is 0"):
        bootstrap_interval([0, 1], n_resamples=0)
    with pytest.raises(SettingError, match="finite"):
        bootstrap_interval([0, np.inf])
    with pytest.raises(SettingError, match="3 labels for 2 rows"):
        bootstrap_interval([0, 1], groups=[1, 2, 3])
    with pytest.raises(JudgmentError, match="no rows"):
        bootstrap_interval([])
