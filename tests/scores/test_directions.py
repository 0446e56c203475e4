"""Directions of features on a map."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import special_ortho_group
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import resemblance as rs
from resemblance.errors import SettingError


def test_the_share_is_of_predictions_for_items_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 3))
    feature = X @ [1.0, -0.5, 0.0] + rng.normal(size=15)
    found = rs.feature_directions(X, feature[:, None], ["length"])
    predicted = cross_val_predict(LinearRegression(), X, feature, cv=LeaveOneOut())
    means = (feature.sum() - feature) / 14
    share = 1 - ((feature - predicted) ** 2).sum() / ((feature - means) ** 2).sum()
    np.testing.assert_allclose(found.share, [share])
    slope = LinearRegression().fit(X, feature).coef_
    np.testing.assert_allclose(found.direction, [slope / np.linalg.norm(slope)])


def test_a_turned_and_larger_map_has_the_same_shares_and_turned_directions():
    rng = np.random.default_rng(1)
    X, turn = rng.normal(size=(30, 3)), special_ortho_group.rvs(3, random_state=1)
    features = {"a": X[:, 0] + 0.1 * rng.normal(size=30), "b": X[:, 1] + rng.normal(size=30)}
    first, second = (
        rs.feature_directions(X, features),
        rs.feature_directions(5 * X @ turn, features),
    )
    np.testing.assert_allclose(first.share, second.share)
    np.testing.assert_allclose(first.direction @ turn, second.direction)
    np.testing.assert_allclose(5 * first.arrows @ turn, second.arrows)


def test_items_whose_feature_is_unknown_count_for_nothing():
    X = np.random.default_rng(2).normal(size=(12, 2))
    table = pd.DataFrame({"size": X[:, 0], "age": X[:, 1] ** 3})
    gap = table.copy()
    gap.loc[9:, "age"] = np.nan
    found, known = rs.feature_directions(X, gap), rs.feature_directions(X[:9], table[:9])
    age, alone = found.names.index("age"), known.names.index("age")
    assert found.n_items.tolist() == [12, 9]
    assert found.share[age] == pytest.approx(known.share[alone])


@pytest.mark.parametrize("draw", ["normal", "exponential", "rare"])
@pytest.mark.parametrize(("n", "k"), [(8, 2), (30, 5)])
@pytest.mark.long
def test_features_that_have_nothing_to_do_with_the_map_are_rarely_drawn(draw, n, k):
    rng = np.random.default_rng(n)
    draws = {
        "normal": lambda: rng.normal(size=(n, 6)),
        "exponential": lambda: rng.exponential(size=(n, 6)),
        "rare": lambda: (rng.random((n, 6)) < 0.2) + 1e-6 * rng.normal(size=(n, 6)),
    }
    worlds = [rs.feature_directions(rng.normal(size=(n, k)), draws[draw]()) for _ in range(400)]
    drawn = sum(bool(found.shown) for found in worlds)
    assert drawn <= 36  # 5 % are 20, and 36 are beyond 3.5 standard deviations


@pytest.mark.parametrize(
    ("features", "named"),
    [
        ({"size": [1.0] * 6}, "size"),
        ({"size": [1.0, 2.0]}, "size"),
        ({"size": ["a"] * 6}, "numbers"),
        ({"size": [1.0, 2.0, np.nan, np.nan, np.nan, np.nan]}, "size"),
        (np.ones((5, 2)), "6 items"),
        (np.ones(6), "shape"),
        ({}, "shape"),
    ],
)
def test_what_has_no_direction_is_refused(features, named):
    with pytest.raises(SettingError, match=named):
        rs.feature_directions(np.random.default_rng(0).normal(size=(6, 2)), features)


def test_items_in_one_place_have_no_direction():
    with pytest.raises(SettingError, match="one place"):
        rs.feature_directions(np.zeros((6, 2)), np.arange(6.0)[:, None])
