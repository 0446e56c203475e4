"""Psi, the probability of an error in 2AFC: values, slopes, extremes."""

import numpy as np
import pytest

from resemblance.choice import Exponential, Gaussian, Hinge, Relative, Softmax, StudentT, _loops
from resemblance.errors import SettingError

D = np.array([0.0, 1e-12, 0.3, 1.0, 4.0, 30.0])


def test_the_formulas_of_the_paper():
    np.testing.assert_allclose(Exponential().error_probability(D), 0.5 * np.exp(-D))
    np.testing.assert_allclose(Gaussian().error_probability(D**2), 0.5 * np.exp(-(D**2)))


@pytest.mark.parametrize(
    "model",
    [Gaussian(), Exponential(0.9, 0.1), Relative(0.3), Softmax(), StudentT(1.0), StudentT(3.0)],
    ids=repr,
)
def test_slopes_are_derivatives_and_losses_are_logs(model):
    d = D[2:5]
    slope = (model.error_probability(d + 1e-6) - model.error_probability(d - 1e-6)) / 2e-6
    np.testing.assert_allclose(model.error_slope(d), slope, rtol=1e-5, atol=1e-10)
    counts, out = np.array([[1.0, 0.0]] * 3), np.empty(3)
    errors = _loops.confuse_all(model.code, d, counts, out)
    right = _loops.confuse_all(model.code, d, counts[:, ::-1].copy(), out)
    p = model.error_probability(d)
    assert errors == pytest.approx(-np.log(p).sum())
    assert right == pytest.approx(-np.log1p(-p).sum())


@pytest.mark.parametrize("model", [Relative(0.3), Softmax(), StudentT(2.0)], ids=repr)
def test_a_comparison_confuses_as_a_triplet_with_the_item_itself(model):
    np.testing.assert_allclose(model.error_probability(D), model.probability(D, 0.0))
    assert model.error_probability(0.0) == pytest.approx(0.5)


def test_what_underflows_keeps_its_loss():
    counts, slopes = np.array([[3.0, 2.0]]), np.empty(1)
    loss = _loops.confuse_all(Gaussian().code, np.array([5000.0]), counts, slopes)
    assert loss == pytest.approx(3 * (5000 + np.log(2)))
    assert slopes[0] == pytest.approx(3.0)


def test_at_distance_zero_nothing_is_infinite():
    for model in (Gaussian(), Exponential(), Gaussian(lapse=0.3)):
        slopes = np.empty(1)
        loss = _loops.confuse_all(model.code, np.zeros(1), np.array([[5.0, 5.0]]), slopes)
        assert loss == pytest.approx(10 * np.log(2))
        assert np.isfinite(slopes[0])


@pytest.mark.parametrize(
    "make", [lambda: Gaussian(1.0), lambda: Gaussian(0.0), lambda: Exponential(lapse=1.0)]
)
def test_settings_out_of_range_are_refused(make):
    with pytest.raises(SettingError) as error:
        make()
    assert error.value.setting in ("ceiling", "lapse")


def test_what_makes_no_sense_is_refused_with_what_does():
    with pytest.raises(SettingError, match="cannot compare distances"):
        Gaussian().probability(1.0, 2.0)
    with pytest.raises(SettingError, match="use Gaussian"):
        Hinge().error_probability(1.0)
