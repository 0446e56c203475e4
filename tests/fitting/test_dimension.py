import numpy as np
import pytest
from scipy import stats

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting import DimensionCurve
from resemblance.fitting.dimension import AnotherDimension

N = 30


@pytest.fixture(scope="module")
def triplets():
    rng = np.random.default_rng(0)
    space = 2 * rng.normal(size=(N, 2))
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(1500)])
    return rs.SpaceObserver(space, random_state=0).answer(asked)


def test_one_standard_error_rule():
    errors = np.array([[0.30, 0.34], [0.20, 0.24], [0.19, 0.23], [0.21, 0.25]])
    curve = DimensionCurve(np.array([1, 2, 3, 4]), errors)
    np.testing.assert_allclose(curve.error_mean, [0.32, 0.22, 0.21, 0.23])
    np.testing.assert_allclose(curve.error_se, 0.02)
    assert curve.best == 3
    assert curve.chosen == 2


def test_the_corrected_test_knows_that_folds_share_answers():
    errors = np.array([[0.30, 0.34, 0.33], [0.22, 0.24, 0.20], [0.20, 0.23, 0.22]])
    curve = DimensionCurve(np.array([1, 2, 3]), errors)
    worse = errors[0] - errors[2]
    t = worse.mean() / np.sqrt((1 / 3 + 1 / 2) * worse.var(ddof=1))
    p = curve.p_values
    assert p[0] == pytest.approx(stats.t.sf(t, 2))
    assert p[2] == 0.5
    assert p[0] < p[1] < 0.5
    assert curve.not_worse == 2


def test_finds_the_two_dimensions_of_the_observer(triplets):
    told = []
    model = rs.STE(penalty=0.1, random_state=0)
    curve = rs.select_dimension(model, triplets, [4, 1, 2, 3], callback=lambda *a: told.append(a))
    assert curve.dims.tolist() == [1, 2, 3, 4]
    assert curve.errors.shape == (4, 10)
    assert curve.chosen == 2
    assert told == [(i, 40) for i in range(1, 41)]
    assert model.n_components == 2
    assert not hasattr(model, "embedding_")


def test_threads_do_not_change_the_curve(triplets):
    model = rs.STE(penalty=0.1, random_state=0, tol=1e-2)
    cv = rs.GroupedKFold(3, random_state=0)
    a, b = (rs.select_dimension(model, triplets, [1, 2], cv=cv, n_jobs=j) for j in (1, 2))
    np.testing.assert_array_equal(a.errors, b.errors)


@pytest.mark.parametrize("dims", [[], [0, 1], [1, N], [1.5, 2]])
def test_dims_out_of_range(dims, triplets):
    with pytest.raises(SettingError, match="between 1 and 29"):
        rs.select_dimension(rs.STE(), triplets, dims)


ERRORS = np.array([[0.30, 0.34, 0.33], [0.20, 0.23, 0.22], [0.22, 0.24, 0.20]])


def test_it_is_that_many_where_answers_are_many_and_no_other_number_is_better():
    dims = np.array([1, 2, 3])
    assert DimensionCurve(dims, ERRORS, per_item=120).is_exact
    assert not DimensionCurve(dims, ERRORS, per_item=119).is_exact
    assert DimensionCurve(dims, ERRORS, per_item=120).least == 2
    better = ERRORS - [[0.0], [0.0], [0.005]]
    curve = DimensionCurve(dims, better, per_item=1000)
    assert (curve.chosen, curve.best) == (2, 3)
    assert not curve.is_exact
    assert curve.least == min(curve.chosen, curve.not_worse)


def test_a_gain_is_the_confidence_interval_of_the_corrected_test():
    curve = DimensionCurve(np.array([1, 2, 3]), ERRORS)
    gain, (low, high) = curve.gain(1, 2)
    differences = ERRORS[0] - ERRORS[1]
    half = stats.t.ppf(0.975, 2) * np.sqrt((1 / 3 + 1 / 2) * differences.var(ddof=1))
    np.testing.assert_allclose([gain, low, high], differences.mean() + half * np.array([0, -1, 1]))
    assert curve.gain(2, 1)[0] == pytest.approx(-gain)


def test_another_dimension_is_the_one_that_may_gain_most():
    curve = DimensionCurve(np.array([1, 2, 3]), ERRORS)
    another = AnotherDimension.of(curve, 1)
    assert another.interval[1] == max(curve.gain(1, d)[1][1] for d in (2, 3))
    assert AnotherDimension.of(curve, 2).dimensions == 3
    assert AnotherDimension.of(curve, 3) is None
    assert AnotherDimension.of(curve, 7) is None
