"""Gaussian clusters."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from resemblance.errors import SettingError
from resemblance.templates import gaussians
from resemblance.templates.gaussians import Gaussians
from resemblance.templates.pixels import Pixels

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(200, 3)), 4 + RNG.normal(size=(100, 3)) * [1.0, 2.0, 0.5]])
HALVES = np.repeat([0, 1], [200, 100])


@pytest.fixture
def points():
    return Pixels.of(X)


@pytest.mark.parametrize("covariance", ["diagonal", "shrunk", "full"])
def test_densities_are_those_of_scipy_but_for_a_constant(points, covariance):
    found = gaussians.estimate(points, HALVES, covariance)
    shapes = [np.diag(w) if w.ndim == 1 else w for w in found.covariances]
    x = X - points.mean
    expected = np.column_stack(
        [multivariate_normal(c, w).logpdf(x) for c, w in zip(found.centres, shapes, strict=True)]
    )
    away = expected - found.log_densities(x)
    np.testing.assert_allclose(away, 1.5 * -np.log(2 * np.pi), atol=1e-9)


@pytest.mark.parametrize("covariance", ["diagonal", "shrunk", "full"])
def test_a_gaussian_is_that_of_its_points(points, covariance):
    found = gaussians.estimate(points, HALVES, covariance)
    for k in (0, 1):
        mine = X[k == HALVES]
        np.testing.assert_allclose(found.centres[k] + points.mean, mine.mean(axis=0))
        shape = np.cov(mine.T, bias=True)
        if covariance == "diagonal":
            np.testing.assert_allclose(found.covariances[k], np.diag(shape))
        else:
            assert np.trace(found.covariances[k]) == pytest.approx(np.trace(shape), rel=0.02)


def test_a_diagonal_gaussian_is_the_full_one_without_correlations(points):
    thin = gaussians.estimate(points, HALVES, "diagonal")
    full = Gaussians(thin.centres, np.array([np.diag(w) for w in thin.covariances]))
    x = X - points.mean
    np.testing.assert_allclose(thin.log_densities(x), full.log_densities(x))


def test_clusters_are_found_and_their_determinants_count(points):
    random = np.random.RandomState(0)
    clusters = gaussians.two_clusters(points, "diagonal", 3, 100, random)
    assert clusters.settled
    agree = np.mean(clusters.assigned == HALVES)
    assert max(agree, 1 - agree) > 0.98
    # at the centre of a wide cluster within a narrow one, the narrow one is larger
    nested = Gaussians(np.zeros((2, 2)), np.array([[1.0, 1.0], [25.0, 25.0]]))
    assert nested.log_densities(np.array([[0.0, 0.0], [9.0, 0.0]])).argmax(axis=1).tolist() == [
        0,
        1,
    ]


def test_assigning_and_estimating_never_lowers_the_likelihood(points):
    found = gaussians.estimate(points, RNG.integers(2, size=300), "full")
    totals = []
    for _ in range(10):
        assigned, total = gaussians.assign(points, found)
        totals.append(total)
        found = gaussians.estimate(points, assigned, "full")
    # the floor of the variances costs a little
    assert (np.diff(totals) > -0.5).all()
    assert totals[-1] > totals[0]


def test_a_gaussian_with_hardly_a_point_is_dropped(points):
    far = Gaussians(np.array([[0.0] * 3, [500.0] * 3]), np.ones((2, 3)))
    clusters = gaussians.settle(points, far, "diagonal", 20)
    assert len(clusters) == 1
    assert (clusters.assigned == 0).all()


def test_no_gaussian_is_left_with_fewer_points_than_it_needs():
    """The last of five points lies far out: their Gaussian gets wide, and loses the other four."""
    many = np.column_stack([np.linspace(-1, 1, 9), np.tile([-0.3, -0.15, 0.0], 3)])
    five = np.array([[-0.5, 0.05], [-0.2, 0.05], [0.2, 0.05], [0.5, 0.05], [0.0, 15.0]])
    both = np.concatenate([many, five])
    few = Pixels.of(both - both.mean(axis=0))
    start = Gaussians([[0.0, -0.5], [0.0, 0.55]] - both.mean(axis=0), np.ones((2, 2)))
    own, _ = gaussians.assign(few, start)
    moved, _ = gaussians.assign(few, gaussians.estimate(few, own, "diagonal"))
    assert np.bincount(own).tolist() == [9, 5]
    assert np.bincount(moved).tolist() == [13, 1]  # the last step empties one
    clusters = gaussians.settle(few, start, "diagonal", max_iter=1)
    assert np.bincount(clusters.assigned).tolist() == [14]


def test_too_few_points_are_refused_with_what_to_choose():
    with pytest.raises(SettingError, match=r'need 22.* choose covariance="shrunk", or "diagonal"'):
        gaussians.check_enough(21, 10, "full")
    with pytest.raises(SettingError, match=r"9 trials are too few .*run more"):
        gaussians.check_enough(9, 10, "diagonal")
    with pytest.raises(SettingError, match="covariance is 'round'"):
        gaussians.check_enough(99, 10, "round")
