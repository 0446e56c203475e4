"""From the space back to stimuli."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError, UnreachableWarning
from resemblance.fitting.maps import perceptual_grid, preimages

BOX = np.array([[-1.0, 1.0]])


def test_both_stimuli_of_a_folded_map_are_found():
    found = preimages(lambda x: x**2, np.array([[0.25], [0.0], [2.0]]), BOX)
    assert sorted(np.round(found.solutions[0].ravel(), 6)) == [-0.5, 0.5]
    assert len(found.solutions[1]) == 1
    assert found.distance[2] == pytest.approx(1.0)
    assert abs(found.features[2, 0]) == pytest.approx(1.0)


def disc(x):
    return x / np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))


def turned(x):
    """Turn a rectangle of 4 by 2 by 30 degrees."""
    return (x * [2.0, 1.0]) @ np.array([[0.866, 0.5], [-0.5, 0.866]])


@pytest.mark.parametrize(
    ("forward", "shape", "d", "widest"),
    [
        (disc, (5, 5), 2, 2.0 / (4.0 * 2**0.5)),
        (turned, (5, 3), 2, 1.0),
        (np.tanh, (3, 3, 3), 3, np.tanh(1.0)),
        (lambda x: np.tanh(x[:, :1]), (5,), 3, np.tanh(1.0) / 2.0),
    ],
)
def test_a_grid_turns_and_shrinks_until_all_nodes_are_reached(forward, shape, d, widest):
    grid = perceptual_grid(forward, shape, np.array([[-1.0, 1.0]] * d))
    assert grid.reachable.all()
    assert 0.93 * widest <= grid.spacing <= 1.01 * widest
    places = forward(grid.features)
    np.testing.assert_allclose(places, grid.points, atol=0.01 * grid.spacing)
    gaps = np.linalg.norm(places[:, None] - places, axis=-1)
    np.testing.assert_allclose(np.sort(gaps, axis=1)[:, 1], grid.spacing, rtol=0.02)


def test_an_image_that_is_too_thin_for_a_grid_says_what_is_not_reached():
    curve = lambda x: np.column_stack([x[:, 0], x[:, 0] ** 2])  # noqa: E731
    grid = perceptual_grid(curve, (3, 3), np.array([[-1.0, 1.0]] * 2))
    assert not grid.reachable.all()
    assert grid.distance.max() > 0.1 * grid.spacing


@pytest.fixture(scope="module")
def yada():
    side = np.linspace(-1, 1, 6)
    X = np.array([(a, b) for a in side for b in side])
    Z = np.column_stack([np.tanh(2 * X[:, 0]), np.exp(X[:, 1])])
    i, j = np.triu_indices(36, 1)
    near = np.linalg.norm(X[i] - X[j], axis=1) <= 0.9
    d = np.linalg.norm(Z[i] - Z[j], axis=1)[near]
    errors = np.random.default_rng(0).binomial(5000, 0.5 * np.exp(-(d**2)))
    pairs = np.column_stack([i[near], j[near]])
    return rs.Yada(2, penalty=0.01).fit(rs.Confusions(pairs, errors, 5000, rs.Items(features=X)))


def test_every_stimulus_comes_back_to_its_point(yada):
    X = yada.items_.features[::4]
    back = yada.inverse_transform(yada.transform(X))
    np.testing.assert_allclose(yada.transform(back), yada.transform(X), atol=1e-4)


def test_a_point_far_outside_is_answered_with_the_nearest_stimulus(yada):
    with pytest.warns(UnreachableWarning, match=r"row 0 by \d"):
        x = yada.inverse_transform([[50.0, 0.0]])
    assert (np.abs(x) <= 1.0).all()
    reached = yada.transform(x)[0, 0]
    dense = yada.transform(np.random.default_rng(0).uniform(-1, 1, (2000, 2)))
    assert reached >= dense[:, 0].max() - 0.05


def test_perceptual_grid_of_a_map(yada):
    grid = yada.perceptual_grid((4, 4))
    assert grid.reachable.all()
    np.testing.assert_allclose(yada.transform(grid.features), grid.points, atol=0.01 * grid.spacing)


def test_bad_settings_are_refused(yada):
    with pytest.raises(SettingError, match="space of 2 dimensions"):
        yada.perceptual_grid((4,))
    with pytest.raises(SettingError, match="bounds have shape"):
        yada.inverse_transform([[0.0, 0.0]], bounds=[[0, 1]])
    with pytest.raises(SettingError, match="feature 1"):
        yada.inverse_transform([[0.0, 0.0]], bounds=[[0, 1], [1, 0]])
    with pytest.raises(SettingError, match="3 coordinates"):
        yada.inverse_transform([[0.0, 0.0, 0.0]])
    with pytest.raises(SettingError, match="nan"):
        yada.inverse_transform([[0.0, np.nan]])
