"""Smooth components of images."""

import numpy as np
import pytest

from resemblance.errors import SettingError
from resemblance.templates import pixels
from resemblance.templates.pixels import Components, Pixels, grid_laplacian

ALL = np.ones(12, bool)
T = np.random.default_rng(0).normal(size=(3, 4))


def test_the_form_sums_squared_differences_of_neighbours():
    L = grid_laplacian((3, 4), ALL)
    by_hand = (np.diff(T, axis=0) ** 2).sum() + (np.diff(T, axis=1) ** 2).sum()
    assert T.ravel() @ (L @ T.ravel()) == pytest.approx(by_hand)


def test_regions_and_pixels_that_never_vary_have_no_neighbours():
    L = grid_laplacian((3, 4), ALL, np.repeat([[0, 0, 1, 1]], 3, axis=0))
    by_hand = (np.diff(T, axis=0) ** 2).sum() + (np.diff(T, axis=1)[:, [0, 2]] ** 2).sum()
    assert T.ravel() @ (L @ T.ravel()) == pytest.approx(by_hand)
    varying = ALL.copy()
    varying[:4] = False
    rest = grid_laplacian((3, 4), varying)
    assert T[1:].ravel() @ (rest @ T[1:].ravel()) == pytest.approx(
        (np.diff(T[1:], axis=0) ** 2).sum() + (np.diff(T[1:], axis=1) ** 2).sum()
    )
    with pytest.raises(SettingError, match=r"regions have shape \(3, 3\)"):
        grid_laplacian((3, 4), ALL, np.zeros((3, 3)))


def components(**settings):
    X = np.random.default_rng(1).normal(size=(30, 12))
    settings = {"shape": (3, 4), "regions": None, "rank": None} | settings
    points = Pixels.of(X)
    return X, points, Components.of(points, **settings)


def test_patterns_are_orthonormal_and_images_are_kept_whole():
    X, _, found = components()
    np.testing.assert_allclose(found.patterns.T @ found.patterns, np.eye(12), atol=1e-12)
    L = grid_laplacian((3, 4), ALL)
    np.testing.assert_allclose(
        found.patterns.T @ (L @ found.patterns), np.diag(found.roughness), atol=1e-12
    )
    again = found.unit * found.images @ found.patterns.T
    np.testing.assert_allclose(again, X - X.mean(axis=0), atol=1e-5)


def test_many_pixels_give_the_same_components(monkeypatch):
    _, _, dense = components(rank=5)
    monkeypatch.setattr(pixels, "DENSE", 3)
    _, _, sparse = components(rank=5)
    np.testing.assert_allclose(sparse.roughness, dense.roughness, atol=1e-8)
    again = np.abs(np.linalg.svd(sparse.patterns.T @ dense.patterns)[1])
    np.testing.assert_allclose(again[:4], 1.0, atol=1e-6)
