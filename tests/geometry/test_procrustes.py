import numpy as np
import pytest
from scipy.stats import ortho_group

from resemblance.errors import SettingError
from resemblance.geometry.kernels import as_features
from resemblance.geometry.procrustes import align_by_certainty, procrustes_align


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_similarity_transform_is_undone(rng, d):
    truth = rng.normal(size=(20, d))
    turn = ortho_group.rvs(d, random_state=1) if d > 1 else -np.ones((1, 1))
    moved = 7 * truth @ turn + rng.normal(size=d)
    np.testing.assert_allclose(procrustes_align(truth, moved), truth, atol=1e-12)


def test_no_other_similarity_transform_fits_better(rng):
    truth, points = rng.normal(size=(2, 15, 2))
    best = procrustes_align(truth, points)
    for _ in range(50):
        turn = ortho_group.rvs(2, random_state=rng)
        other = rng.gamma(2.0) * best @ turn + rng.normal(size=2)
        assert np.sum((truth - best) ** 2) <= np.sum((truth - other) ** 2)


def test_the_narrower_is_padded_with_zeros(rng):
    truth = rng.normal(size=(10, 2))
    wide = np.column_stack([truth, np.zeros(10)])
    np.testing.assert_allclose(procrustes_align(truth, wide), wide, atol=1e-12)
    np.testing.assert_allclose(procrustes_align(wide, truth), wide, atol=1e-12)


def test_a_collapsed_embedding_lies_on_the_centroid(rng):
    truth = rng.normal(size=(10, 2))
    aligned = procrustes_align(truth, np.ones((10, 2)))
    np.testing.assert_allclose(aligned, np.tile(truth.mean(axis=0), (10, 1)))


def test_what_cannot_be_aligned_is_named():
    with pytest.raises(SettingError, match="3 rows and embedding 2"):
        procrustes_align(np.eye(3), np.eye(2))
    with pytest.raises(SettingError, match="embedding has NaN or infinity in row 1"):
        procrustes_align([[0.0], [1.0]], [[0.0], [np.nan]])
    with pytest.raises(SettingError, match=r"truth has shape \(2,\)"):
        procrustes_align([0.0, 1.0], [[0.0], [1.0]])


def test_by_certainty_a_similarity_transform_is_undone(rng):
    truth = rng.normal(size=(20, 2))
    moved = 7 * truth @ ortho_group.rvs(2, random_state=1) + rng.normal(size=2)
    laid, A = align_by_certainty(truth, moved, rng.gamma(2.0, size=20))
    np.testing.assert_allclose(laid, truth, atol=1e-9)
    np.testing.assert_allclose(A @ A.T, np.eye(2) / 49, atol=1e-9)


def test_an_item_far_off_moves_no_others(rng):
    truth = rng.normal(size=(20, 2))
    astray = truth.copy()
    astray[3] += 5.0
    laid, _ = align_by_certainty(truth, astray, np.full(20, 0.01))
    others = np.arange(20) != 3
    assert np.abs(laid - truth)[others].max() < 0.05
    assert np.abs(procrustes_align(truth, astray) - truth)[others].max() > 0.5


def test_where_all_are_alike_and_near_it_is_least_squares(rng):
    truth = rng.normal(size=(20, 2))
    points = truth + 0.1 * rng.normal(size=(20, 2))
    laid, _ = align_by_certainty(truth, points, np.ones(20))
    np.testing.assert_allclose(laid, procrustes_align(truth, points), atol=1e-9)


@pytest.mark.parametrize("points", ["abc", [["a"]], [[1], [1, 2]], np.ma.array([[1]], mask=True)])
def test_points_that_are_no_numbers_or_masked(points):
    with pytest.raises(SettingError):
        procrustes_align([[0.0], [1.0]], points)
    with pytest.raises(SettingError):
        as_features(points)
