import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import log_ndtr

import naive
from resemblance.choice import (
    MODELS,
    Hinge,
    Logistic,
    Probit,
    Relative,
    Softmax,
    SquaredHinge,
    StudentT,
)
from resemblance.choice._loops import choose_all, compare_all
from resemblance.errors import SettingError
from resemblance.judgments.base import odd_one_out, one_of

CASES = [
    (Hinge(1.0), 1.0),
    (Hinge(2.5), 2.5),
    (Relative(0.05), 0.05),
    (Relative(3.0), 3.0),
    (Logistic(), None),
    (Softmax(), None),
    (StudentT(1.0), 1.0),
    (StudentT(4.5), 4.5),
    (SquaredHinge(1.0), 1.0),
    (Probit(), None),
]
SIMILAR = [case for case in CASES if case[0].one_of_many]
ids = lambda case: f"{type(case[0]).__name__}-{case[1]}"  # noqa: E731


@pytest.fixture(scope="module")
def distances():
    return np.random.default_rng(0).uniform(0.0, 6.0, size=(2, 300))


@pytest.mark.parametrize("case", CASES, ids=ids)
class TestEveryChoiceModel:
    def test_loss_is_the_papers_formula(self, case, distances):
        model, p = case
        expected = [naive.loss(type(model).__name__, n, f, p) for n, f in distances.T]
        np.testing.assert_allclose(model.loss(*distances), expected, rtol=1e-12, atol=1e-14)

    def test_slopes_are_the_derivatives(self, case, distances):
        model, _ = case
        near, far = distances
        step = 1e-6
        slope_near, slope_far = model.slopes(near, far)
        by_near = (model.loss(near + step, far) - model.loss(near - step, far)) / (2 * step)
        by_far = (model.loss(near, far + step) - model.loss(near, far - step)) / (2 * step)
        corner = np.abs(getattr(model, "margin", 0.0) + near - far) < 2 * step
        np.testing.assert_allclose(slope_near[~corner], by_near[~corner], atol=1e-6)
        np.testing.assert_allclose(slope_far[~corner], by_far[~corner], atol=1e-6)

    def test_sum_of_weighted_losses(self, case, distances):
        model, _ = case
        near, far = distances
        weight = np.random.default_rng(1).uniform(0, 3, near.size)
        slope = np.empty((2, near.size))
        total = compare_all(model.code, near, far, weight, *slope)
        assert total == pytest.approx(weight @ model.loss(near, far), rel=1e-12)
        np.testing.assert_allclose(slope[0], weight * model.slopes(near, far)[0])
        plain = compare_all(model.code, near, far, np.empty(0), *slope)
        assert plain == pytest.approx(model.loss(near, far).sum(), rel=1e-12)

    def test_probability_of_an_answer_and_its_reverse_sum_to_one(self, case, distances):
        model, _ = case
        p = model.probability(*distances)
        np.testing.assert_allclose(p + model.probability(*distances[::-1]), 1.0)
        assert np.all((p >= 0) & (p <= 1))

    def test_the_nearer_is_the_likelier(self, case, distances):
        model, _ = case
        near, far = distances
        wins = near > far if model.reads == "inner" else near < far
        assert np.all((model.probability(near, far) > 0.5) == wins)

    def test_huge_distances_stay_finite(self, case, distances):
        model, _ = case
        near, far = np.array([0.0, 1e8, 1e8, 0.0]), np.array([1e8, 0.0, 1e8, 0.0])
        assert np.isfinite(model.loss(near, far)).all()
        assert np.isfinite(model.slopes(near, far)).all()
        assert np.isfinite(model.probability(near, far)).all()


@pytest.mark.parametrize("case", SIMILAR, ids=ids)
class TestModelsOfOneAmongMany:
    def test_likelihood_is_exp_of_minus_loss(self, case, distances):
        model, _ = case
        np.testing.assert_allclose(
            model.probability(*distances), np.exp(-model.loss(*distances)), rtol=1e-9
        )

    def test_choice_probability_is_the_share_of_similarity(self, case):
        model, p = case
        d = np.random.default_rng(2).uniform(0, 4, (20, 5))
        s = np.array([[naive.similarity(type(model).__name__, x, p) for x in row] for row in d])
        np.testing.assert_allclose(
            model.choice_probability(d), s / s.sum(axis=1, keepdims=True), rtol=1e-10
        )

    def test_choice_of_two_is_a_comparison(self, case, distances):
        model, _ = case
        slopes = np.empty_like(distances)
        each = one_of(2).members
        total = choose_all(model.code, np.ascontiguousarray(distances), each, np.empty(0), slopes)
        assert total == pytest.approx(model.loss(*distances).sum(), rel=1e-10)
        np.testing.assert_allclose(slopes, model.slopes(*distances), atol=1e-12)

    @pytest.mark.parametrize("layout", [one_of(4), odd_one_out(4)], ids=["one of", "odd one"])
    def test_choice_slopes_are_the_derivatives(self, case, layout):
        model, _ = case
        d = np.random.default_rng(3).uniform(0.1, 4, (len(layout.pairs), 10))
        slopes, junk = np.empty_like(d), np.empty_like(d)
        w = np.random.default_rng(4).uniform(0, 2, 10)
        told = layout.members, w
        choose_all(model.code, d, *told, slopes)
        expected = naive.derivative(lambda x: choose_all(model.code, x, *told, junk), d)
        np.testing.assert_allclose(slopes, expected, atol=1e-6)


def test_rounded_hinge_tends_to_the_hinge(distances):
    exact = Hinge().loss(*distances)
    for width in (1.0, 0.1, 0.01):
        gap = exact - Hinge(width=width).loss(*distances)
        assert np.all(gap >= -1e-12)
        assert np.all(gap <= width / 2 + 1e-12)


def test_relative_is_the_right_way_up():
    # the nearer pair is the likelier answer; the STE paper prints the fraction upside down
    assert Relative(0.1).probability(1.0, 9.0) == pytest.approx(9.1 / 10.2)


@pytest.mark.parametrize("model", [m for m in MODELS if not m.one_of_many])
def test_margin_losses_refuse_choices_and_say_who_takes_them(model):
    with pytest.raises(SettingError, match=r"Relative, Logistic, Softmax, StudentT.*triplets_from"):
        model().choice_probability(np.ones((2, 3)))


@pytest.mark.parametrize(
    "make",
    [lambda v: Relative(v), lambda v: StudentT(v), lambda v: Hinge(v), lambda v: SquaredHinge(v)],
)
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_parameters_must_be_positive(make, value):
    with pytest.raises(SettingError) as error:
        make(value)
    assert error.value.setting in ("mu", "alpha", "margin")


class TestProbit:
    GAPS = np.concatenate([np.linspace(-40, 40, 4001), [-1e4, 5.999999, 6.0, 6.000001, 1e4]])

    def test_loss_and_slopes_far_into_both_tails(self):
        near, far = np.maximum(self.GAPS, 0), np.maximum(-self.GAPS, 0)
        expected = -log_ndtr(far - near)
        np.testing.assert_allclose(Probit().loss(near, far), expected, rtol=1e-12, atol=1e-15)
        mills = np.exp(-0.5 * self.GAPS**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-self.GAPS))
        slope_near, slope_far = Probit().slopes(near, far)
        inside = np.abs(self.GAPS) < 38  # where scipy's exponent has digits left
        np.testing.assert_allclose(slope_near[inside], mills[inside], rtol=1e-11, atol=1e-300)
        np.testing.assert_array_equal(slope_far, -slope_near)

    def test_probability_is_the_likelihood(self, distances):
        p = Probit().probability(*distances)
        np.testing.assert_allclose(p, np.exp(-Probit().loss(*distances)), rtol=1e-9)


NO_WEIGHT = np.empty(0)


AFTER_SUMS_IN_ANY_ORDER = """
import numpy as np
from resemblance.choice._loops import softmax_all
from resemblance.forms._loops import _tiles_n

X, index = np.ones((3, 5)), np.arange(3, dtype=np.int32)[:, None]
_tiles_n(X, (index[0], index[1], index[2]), np.empty(0), (3, 0.0, 0.0, 0.0), np.zeros_like(X))
slopes = np.empty((2, 1))
softmax_all(np.zeros(1), np.ones(1), np.empty(0), *slopes)
print(slopes[0, 0])
"""


class TestSoftmaxOfMany:
    """The loop that takes several rows at a time says what the formula says."""

    GAPS = np.concatenate([np.linspace(-800, 800, 4001), [0.0, 1e-300, -1e-9, 36.7, -36.7]])

    def all_of(self, gaps, weight=NO_WEIGHT):
        near, far = 1000.0 + gaps, np.full(len(gaps), 1000.0)
        slopes = np.empty((2, len(gaps)))
        loss = compare_all(Softmax().code, near, far, weight, *slopes)
        return near - far, loss, slopes

    def test_slopes_to_the_last_digits(self):
        u, _, (near, far) = self.all_of(self.GAPS)
        np.testing.assert_allclose(near, 1.0 / (1.0 + np.exp(-np.clip(u, -708, 708))), rtol=2e-15)
        np.testing.assert_array_equal(far, -near)

    def test_each_loss_by_itself(self):
        for gap in self.GAPS[::50]:
            u, loss, _ = self.all_of(np.array([gap]))
            assert loss == pytest.approx(np.logaddexp(0.0, u[0]), rel=1e-14, abs=1e-15)

    def test_weights(self):
        weight = np.random.default_rng(0).random(len(self.GAPS))
        u, loss, (near, far) = self.all_of(self.GAPS, weight)
        assert loss == pytest.approx(weight @ np.logaddexp(0.0, u))
        np.testing.assert_allclose(near, weight * self.all_of(self.GAPS)[2][0], rtol=1e-15)
        np.testing.assert_array_equal(far, -near)

    @pytest.mark.long
    def test_compiled_first_by_a_loop_that_may_reorder_sums(self, tmp_path):
        command = [sys.executable, "-c", AFTER_SUMS_IN_ANY_ORDER]
        fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        slope = float(subprocess.check_output(command, env=fresh))
        assert slope == pytest.approx(1.0 / (1.0 + np.e), rel=1e-14)

    def test_what_is_no_number_stays_none(self):
        near, far, slopes = (
            np.array([np.nan, 1.0, np.inf]),
            np.array([1.0, 2.0, np.inf]),
            np.empty((2, 3)),
        )
        assert np.isnan(compare_all(Softmax().code, near, far, np.empty(0), *slopes))
        np.testing.assert_array_equal(np.isnan(slopes), [[True, False, True]] * 2)
        assert (
            compare_all(Softmax().code, np.array([np.inf]), far[:1], np.empty(0), *slopes[:, :1])
            == np.inf
        )
