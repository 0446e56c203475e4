import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.stats import ortho_group

from resemblance.errors import SettingError
from resemblance.scores import column_correlations, procrustes_distance


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_zero_for_similarity_transforms(rng):
    truth = rng.normal(size=(20, 3))
    moved = 0.01 * truth @ ortho_group.rvs(3, random_state=1) + 100
    assert procrustes_distance(truth, moved) == pytest.approx(0, abs=1e-12)


def test_symmetric_and_equal_to_scipys_disparity(rng):
    x, y = rng.normal(size=(2, 20, 3))
    assert procrustes_distance(x, y) == pytest.approx(procrustes(x, y)[2])
    assert procrustes_distance(x, y) == pytest.approx(procrustes_distance(y, x))


def test_one_minus_the_variance_kept_where_a_dimension_is_lost(rng):
    truth = rng.normal(size=(20, 2))
    truth -= truth.mean(axis=0)
    values, turn = np.linalg.eigh(truth.T @ truth)
    best = truth @ turn[:, 1:]
    assert procrustes_distance(truth, best) == pytest.approx(values[0] / values.sum())


def test_one_when_collapsed_and_grows_with_noise(rng):
    truth, noise = rng.normal(size=(2, 50, 2))
    distances = [procrustes_distance(truth, truth + s * noise) for s in (0.0, 0.1, 0.5, 2.0)]
    assert distances == sorted(distances)
    assert procrustes_distance(truth, np.zeros((50, 2))) == 1


def test_a_truth_in_one_place_is_refused():
    with pytest.raises(SettingError, match="all points of truth coincide"):
        procrustes_distance(np.ones((4, 2)), np.eye(4))


def test_a_column_is_correlated_with_that_of_the_same_number():
    first, second = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[2.0, 0.0], [3.0, 5.0]])
    np.testing.assert_allclose(column_correlations(first, second), [1.0, 0.0])
