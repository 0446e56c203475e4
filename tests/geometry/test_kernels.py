import numpy as np
import pytest
from sklearn.metrics.pairwise import chi2_kernel, polynomial_kernel, rbf_kernel
from sklearn.mixture import GaussianMixture

from resemblance.errors import SettingError
from resemblance.geometry import (
    center_kernel,
    kernel_matrix,
    normalize_kernel,
    probability_product,
)

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


def test_a_computed_matrix_is_taken_as_it_is():
    K = X @ X.T
    assert kernel_matrix(K, kernel="precomputed") is K
    across = Y @ X.T
    np.testing.assert_array_equal(kernel_matrix(across, K, "precomputed"), across)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"kernel": "gauss"},
            "'gauss': choose 'rbf', 'linear', 'polynomial', 'cosine', .*'precomputed'",
        ),
        ({"bandwidth": 0}, "bandwidth is 0: give a number above 0"),
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


COUNTS = RNG.integers(0, 5, (12, 6)).astype(float)


def test_kernels_of_counts_and_directions():
    known = COUNTS[:7]
    np.testing.assert_allclose(
        kernel_matrix(COUNTS, known, "chi2", bandwidth=2.0), chi2_kernel(COUNTS, known, 1 / 8)
    )
    common = np.minimum(COUNTS[:, None], known).sum(axis=2)
    np.testing.assert_allclose(kernel_matrix(COUNTS, known, "histogram"), common)
    lengths = np.linalg.norm(COUNTS, axis=1)
    cosines = COUNTS @ known.T / np.outer(lengths, lengths[:7])
    np.testing.assert_allclose(kernel_matrix(COUNTS, known, "cosine"), cosines)


def test_tfidf_makes_what_all_have_count_less():
    words = np.array([[1.0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1]])
    K, plain = (kernel_matrix(words, kernel=kernel) for kernel in ("tfidf", "cosine"))
    np.testing.assert_allclose(np.diag(K), 1.0)
    assert K[0, 1] < plain[0, 1]
    assert K[0, 2] == pytest.approx(1.0)
    idf = 1 + np.log(5 / (1 + (words > 0).sum(axis=0)))
    weighted = words * idf / np.linalg.norm(words * idf, axis=1)[:, None]
    np.testing.assert_allclose(K, weighted @ weighted.T)


@pytest.mark.parametrize("kernel", ["rbf", "chi2", "tfidf"])
def test_a_kernel_learns_of_the_known_rows_alone(kernel):
    known = COUNTS[:7]
    whole = kernel_matrix(COUNTS, known, kernel, bandwidth="median")
    one = kernel_matrix(COUNTS[9:10], known, kernel, bandwidth="median")
    np.testing.assert_allclose(whole[9:10], one)
    square = kernel_matrix(known, kernel=kernel, bandwidth="median")
    np.testing.assert_allclose(square, whole[:7])


def test_median_bandwidth():
    line = np.array([[0.0], [1.0], [3.0]])  # distances 1, 2, 3
    K = kernel_matrix(line, bandwidth="median")
    np.testing.assert_allclose(K, kernel_matrix(line, bandwidth=2.0))
    with pytest.raises(SettingError, match="same features"):
        kernel_matrix(np.ones((3, 2)), bandwidth="median")


@pytest.mark.parametrize("kernel", ["chi2", "histogram", "tfidf"])
def test_kernels_of_counts_refuse_negative_numbers(kernel):
    with pytest.raises(SettingError, match=r"row 1, column 0 of X is -2: .* from 0 upwards"):
        kernel_matrix([[1.0, 2.0], [-2.0, 0.0]], kernel=kernel)


def test_centred_and_normalised_kernels_are_those_of_such_features():
    known = X[:7]
    K, whole = kernel_matrix(X, known, "linear"), kernel_matrix(known, kernel="linear")
    moved, mean = X - known.mean(axis=0), known - known.mean(axis=0)
    np.testing.assert_allclose(center_kernel(K, whole), moved @ mean.T, atol=1e-12)
    scaled = X / np.linalg.norm(X, axis=1)[:, None]
    own = (X**2).sum(axis=1)
    np.testing.assert_allclose(normalize_kernel(K, own, own[:7]), scaled @ scaled[:7].T)
    np.testing.assert_allclose(normalize_kernel(X @ X.T), scaled @ scaled.T)
    with pytest.raises(SettingError, match="item 1 with itself is 0"):
        normalize_kernel(np.diag([1.0, 0.0]))


def test_probability_product_is_the_integral_of_the_product():
    rng = np.random.default_rng(0)
    mixtures = [
        GaussianMixture(2, covariance_type="diag", random_state=0).fit(rng.normal(m, 1, (200, 1)))
        for m in (0.0, 1.0, 4.0)
    ]
    grid = np.linspace(-15, 20, 20_001)[:, None]
    densities = np.exp([mixture.score_samples(grid) for mixture in mixtures])
    integral = densities @ densities.T * (grid[1, 0] - grid[0, 0])
    K = probability_product(mixtures, normalize=False)
    np.testing.assert_allclose(K, integral, rtol=1e-6)
    np.testing.assert_allclose(probability_product(mixtures), normalize_kernel(K))
    across = probability_product(mixtures[:1], mixtures)
    np.testing.assert_allclose(across, normalize_kernel(K)[:1])
    full = GaussianMixture(1, random_state=0).fit(rng.normal(size=(50, 2)))
    with pytest.raises(SettingError, match='covariance_type="diag"'):
        probability_product([full])
