"""The scale of a space, and simulated 2AFC."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.choice import Exponential, Gaussian, Hinge, StudentT
from resemblance.errors import SettingError

PAIRS = np.column_stack(np.triu_indices(7, 1))
X = np.random.default_rng(0).normal(size=(7, 2))


@pytest.mark.parametrize("choice", [Gaussian(), Exponential(lapse=0.1), StudentT(1.0)], ids=repr)
def test_the_scale_of_the_truth_is_one(choice):
    person = rs.SpaceObserver(X, choice, random_state=0)
    counts = person.confuse(PAIRS, 20_000)
    assert rs.fitting.calibrate_scale(X, counts, choice) == pytest.approx(1.0, abs=0.03)
    assert rs.fitting.calibrate_scale(7.0 * X, counts, choice) == pytest.approx(
        rs.fitting.calibrate_scale(X, counts, choice) / 7.0, rel=1e-4
    )


def test_errors_are_as_frequent_as_said():
    person = rs.SpaceObserver(X, Gaussian(), 0.2, temperature=1.5, weights=[2, 0.5], random_state=1)
    counts = person.confuse(PAIRS, 50_000)
    Z = X * np.sqrt([2, 0.5])
    d = ((Z[PAIRS[:, 0]] - Z[PAIRS[:, 1]]) ** 2).sum(axis=1)
    odds = (0.5 * np.exp(-d) / (1 - 0.5 * np.exp(-d))) ** (1 / 1.5)
    p = 0.8 * odds / (1 + odds) + 0.1
    np.testing.assert_allclose(counts.ratio, p, atol=0.01)


def test_what_has_no_errors_or_no_distances_is_refused():
    with pytest.raises(SettingError, match="no probability"):
        rs.SpaceObserver(X, Hinge()).confuse(PAIRS, 5)
    counts = rs.SpaceObserver(X, Gaussian(), random_state=0).confuse(PAIRS, 5)
    with pytest.raises(SettingError, match="distance 0"):
        rs.fitting.calibrate_scale(np.zeros((7, 1)), counts)
    with pytest.raises(SettingError, match="there are no errors"):
        rs.fitting.calibrate_scale(X, rs.Confusions(PAIRS, np.zeros(len(PAIRS), int), 5, 7))
    with pytest.raises(SettingError, match="NaN"):
        rs.fitting.calibrate_scale(np.full((7, 1), np.nan), counts)
    with pytest.raises(SettingError, match="each of the 7"):
        rs.fitting.calibrate_scale(X[:3], counts)
