"""Nearest items."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import resemblance as rs
from resemblance.errors import SettingError

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 2, 20])
def test_they_are_those_of_all_distances(d):
    X = RNG.normal(size=(60, d))
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    found = rs.nearest_items(X, k=5)
    np.testing.assert_array_equal(found.index, np.argsort(D, axis=1)[:, :5])
    np.testing.assert_allclose(found.distance, np.sort(D, axis=1)[:, :5])


def test_items_in_one_place_are_neighbours_at_zero_and_ties_keep_the_order():
    X = np.full((5, 20), 1e6)
    found = rs.nearest_items(X, k=4)
    assert (found.distance == 0).all()
    others = [{*range(5)} - {own} for own in range(5)]
    assert [set(row) for row in found.index.tolist()] == others
    square = rs.nearest_items([[0, 0], [0, 1], [1, 0], [1, 1]], k=2)
    assert square.index.tolist() == [[1, 2], [0, 3], [0, 3], [1, 2]]


def test_a_model_names_its_items_and_maps_new_features():
    X = RNG.normal(size=(15, 2))
    rows = np.array([RNG.choice(15, 3, replace=False) for _ in range(500)])
    items = rs.Items([f"s{i}" for i in range(15)], X)
    person = rs.SpaceObserver(3 * X, random_state=0)
    model = rs.STE(2, form="linear", random_state=0).fit(
        rs.Triplets(person.answer(rs.Triplets(rows, 15)).index, items)
    )
    table = rs.nearest_items(model, k=2).to_pandas()
    assert list(table) == ["item", "rank", "neighbour", "distance"]
    assert table["item"].tolist() == [name for name in items.names for _ in range(2)]
    assert table["rank"].tolist() == [1, 2] * 15
    new = rs.nearest_items(model, k=15, features=X[3:5])
    assert new.index[:, 0].tolist() == [3, 4]
    assert new.distance[:, 0].max() < 1e-12
    assert new.to_pandas()["item"].tolist() == ["0"] * 15 + ["1"] * 15
    assert new.to_pandas()["neighbour"][0] == "s3"


def test_what_cannot_be_found_is_refused():
    with pytest.raises(SettingError, match="k is 3: give a whole number from 1 to 2"):
        rs.nearest_items(np.eye(3), k=3)
    with pytest.raises(SettingError, match="give the fitted model"):
        rs.nearest_items(np.eye(3), k=1, features=np.eye(3))
    with pytest.raises(SettingError, match="2 items for 3 positions"):
        rs.nearest_items(np.eye(3), k=1, items=rs.Items(2))
