"""Features that are kept on disk or in single precision."""

import numpy as np
import pytest

from resemblance.geometry import kernels as tall

X = np.random.default_rng(0).normal(size=(2 * tall.ROWS + 7, 3))
B = np.random.default_rng(1).normal(size=(3, 2))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16])
def test_products_are_those_of_double_precision(kind):
    some = (100 * X).astype(kind)
    exact = some.astype(np.float64)
    # roundings of a sum of n terms, as a share of their sizes: at most n, about the root of it
    unit = np.finfo(np.float32 if kind == np.float32 else np.float64).eps
    for found, a, b in (
        (tall.times(some, B), exact, B),
        (tall.transposed_times(some, X), exact.T, X),
    ):
        assert (np.abs(found - a @ b) <= 100 * unit * (np.abs(a) @ np.abs(b))).all()
    assert tall.times(some, B).dtype == tall.transposed_times(some, X).dtype == np.float64


def test_blocks_are_the_rows():
    assert [len(block) for block in tall.in_blocks(X)] == [tall.ROWS, tall.ROWS, 7]
    np.testing.assert_array_equal(np.concatenate(list(tall.in_blocks(X))), X)


def test_rows_that_are_not_finite_are_found_in_every_block():
    some, bad = X.copy(), [0, tall.ROWS + 1, len(X) - 1]
    some[bad, 1] = [np.nan, np.inf, -np.inf]
    assert np.flatnonzero(~tall.finite_rows(some)).tolist() == bad


def test_what_is_tall(tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert tall.is_tall(np.load(tmp_path / "x.npy", mmap_mode="r"))
    assert not tall.is_tall(X)
    assert not tall.is_tall(X.astype(np.float32))
    assert tall.is_tall(np.broadcast_to(np.float32(1), (tall.LARGE, 1)))
    assert not tall.is_tall(X.tolist())


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_ridge_is_that_of_the_larger_system(shape, kind):
    rng = np.random.default_rng(0)
    some, Y = rng.normal(size=shape).astype(kind), rng.normal(size=(shape[0], 2))
    exact = some.astype(np.float64)
    G = exact.T @ exact
    for penalty, scale, least in ((0.5, 1.0, 0.0), (0.5, 0.3, 0.0), (0.0, 1.0, 0.01)):
        mu = max(penalty, least * np.trace(G) / len(G))
        expected = np.linalg.solve(scale * G + mu * np.eye(len(G)), exact.T @ Y)
        found = tall.ridge(some, Y, penalty, scale, least)
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-5)
