"""The verdict on the strategy."""

import numpy as np
import pytest

from resemblance.errors import SettingError
from resemblance.templates import compare_strategies
from resemblance.templates.strategy import kept_share

NOISE = np.random.default_rng(0).normal(size=500) * 0.2
NOISE -= NOISE.mean()


@pytest.mark.parametrize(
    ("gain", "verdict"),
    [(0.1, "exemplar"), (0.0, "undecided"), (-0.01, "prototype"), (-0.1, "prototype")],
)
def test_the_verdict_needs_the_whole_interval(gain, verdict):
    found = compare_strategies(NOISE + gain, np.zeros(500), margin=0.01)
    assert found.verdict == verdict
    assert found.difference == pytest.approx(gain)
    low, high = found.interval
    assert high - low == pytest.approx(4 * 0.2 / np.sqrt(500), rel=0.1)
    assert f"{gain:.3f}" in str(found)


def test_prototypes_must_be_known_before_exemplars_are_ruled_out():
    said = [compare_strategies(NOISE, NOISE, kept=kept) for kept in (0.7, 0.8)]
    assert [one.verdict for one in said] == ["undecided", "prototype"]
    assert "certainly keeps only 70% of its gain on held-out answers" in str(said[0])
    assert "more trials" not in str(said[1])
    assert compare_strategies(NOISE + 0.1, np.zeros(500), kept=0.1).verdict == "exemplar"


def test_the_gain_that_is_kept_is_over_guessing():
    codes = np.array([0] * 9 + [1])
    guess = np.log(np.where(codes == 0, 0.9, 0.1))
    assert kept_share(guess + 0.2, guess + 0.1, codes) == pytest.approx(0.5)
    assert kept_share(guess + 0.2, guess - 0.1, codes) == 0.0
    assert kept_share(guess, guess, codes) == 0.0
    spread = 0.2 * np.tile([-1.0, 1.0], 5)
    expected = (0.1 - 0.2 / np.sqrt(10)) / 0.2
    assert kept_share(guess + 0.2, guess + 0.1 + spread, codes) == pytest.approx(expected)


def test_groups_make_the_interval_wider():
    each = np.repeat(np.random.default_rng(1).normal(size=50), 10)
    zero = np.zeros(500)
    alone = np.ptp(compare_strategies(each, zero).interval)
    together = np.ptp(compare_strategies(each, zero, groups=np.repeat(range(50), 10)).interval)
    assert together > 2 * alone


def test_folds_that_share_trials_make_the_interval_wider():
    alone = np.array(compare_strategies(NOISE + 0.1, np.zeros(500)).interval)
    five = np.array(compare_strategies(NOISE + 0.1, np.zeros(500), folds=5).interval)
    np.testing.assert_allclose(five - 0.1, 1.5 * (alone - 0.1))
    with pytest.raises(SettingError, match="folds is 1"):
        compare_strategies(NOISE, NOISE, folds=1)
