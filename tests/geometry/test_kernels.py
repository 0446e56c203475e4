import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from resemblance.errors import SettingError
from resemblance.geometry import kernel_matrix

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(12, 3)), RNG.normal(size=(5, 3))


def test_kernels_are_those_of_scikit_learn():
    np.testing.assert_allclose(kernel_matrix(X, Y, bandwidth=0.7), rbf_kernel(X, Y, 1 / 0.98))
    np.testing.assert_allclose(kernel_matrix(X, Y, "linear"), X @ Y.T)
    np.testing.assert_allclose(
        kernel_matrix(X, Y, "polynomial", degree=3), polynomial_kernel(X, Y, 3, gamma=1, coef0=1)
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", lambda a, b: a @ b.T])
def test_one_argument_is_both_and_gives_a_symmetric_psd_matrix(kernel):
    K = kernel_matrix(X, kernel=kernel)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, kernel_matrix(X, X, kernel))
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.abs(K).max()


def test_rbf_is_exact_on_the_diagonal_far_from_the_origin():
    np.testing.assert_array_equal(np.diag(kernel_matrix(X + 1e8, bandwidth=1e-6)), 1.0)


def test_units_of_the_features_and_the_bandwidth_cancel():
    np.testing.assert_allclose(
        kernel_matrix(60 * X, Y=60 * Y, bandwidth=90), kernel_matrix(X, Y, bandwidth=1.5)
    )


def test_a_computed_matrix_is_taken_as_it_is():
    K = X @ X.T
    assert kernel_matrix(K, kernel="precomputed") is K
    across = Y @ X.T
    np.testing.assert_array_equal(kernel_matrix(across, K, "precomputed"), across)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "gauss"}, "'gauss': choose 'rbf', 'linear', 'polynomial', 'cosine', .*'precomputed'"),
        ({"bandwidth": 0}, "bandwidth is 0: it must be above 0"),
        ({"bandwidth": np.nan}, "bandwidth is nan"),
        ({"kernel": "polynomial", "degree": 1.5}, r"degree is 1.5: it must be a whole number"),
        ({"kernel": "polynomial", "degree": 0}, "degree is 0"),
        ({"kernel": lambda a, b: a}, r"shape \(12, 3\); it must be \(12, 12\)"),
        ({"Y": Y[:, :2]}, "X has 3 columns and Y 2"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(SettingError, match=message):
        kernel_matrix(X, **settings)


def test_bad_numbers_are_named_with_their_row_and_column():
    bad = X.copy()
    bad[3, 2] = np.nan
    with pytest.raises(SettingError, match="row 3, column 2 of X is nan"):
        kernel_matrix(bad)
    with pytest.raises(SettingError, match="row 3, column 2 of Y is nan"):
        kernel_matrix(X, bad)
    with pytest.raises(SettingError, match=r"shape \(12,\)"):
        kernel_matrix(X[:, 0])


def test_computed_matrices_are_checked():
    K = kernel_matrix(X)
    skewed = K.copy()
    skewed[2, 5] += 0.5
    with pytest.raises(SettingError, match=r"not symmetric: entry \(2, 5\)"):
        kernel_matrix(skewed, kernel="precomputed")
    with pytest.raises(SettingError, match=r"least eigenvalue is -0\.9"):
        kernel_matrix(np.diag([1.0, 1.0, -0.9]), kernel="precomputed")
    with pytest.raises(SettingError, match=r"shape \(12, 3\); it must be \(12, 12\)"):
        kernel_matrix(X, kernel="precomputed")
    with pytest.raises(SettingError, match=r"shape \(5, 3\); it must be \(5, 12\)"):
        kernel_matrix(Y, K, "precomputed")
