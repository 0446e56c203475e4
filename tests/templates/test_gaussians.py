"""Gaussian clusters."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

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
