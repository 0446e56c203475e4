"""Names of the rows of a data frame are taken; another order than that of the items is refused."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

NAMES, OTHER = ["c", "a", "b", "d"], ["a", "b", "c", "d"]
POINTS = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 4.0], [5.0, 5.0]])
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=-1)
FRAME, SQUARE = pd.DataFrame(POINTS, NAMES), pd.DataFrame(DISTANCES, NAMES, NAMES)
COUNTS = pd.DataFrame(10 * np.eye(4, dtype=int) + 1, NAMES, NAMES)

TAKEN = {
    "positions": (FRAME, lambda X, items: rs.STE().set_positions(X, items).items_),
    "rdm": (FRAME, lambda X, items: rs.rdm(X, items=items).items),
    "vectors": (FRAME, lambda X, items: rs.ModelObserver(X, items=items).items),
    "distances": (SQUARE, lambda X, items: rs.ModelObserver(distances=X, items=items).items),
    "squares": (SQUARE, lambda X, items: rs.RDMs.from_squares(X, items).items),
    "several squares": (SQUARE, lambda X, items: rs.RDMs.from_squares([X, X], items).items),
    "confusions": (COUNTS, lambda X, items: rs.Confusions.from_matrix(X, items=items).items),
    "features": (FRAME, lambda X, items: rs.Items(items, X)),
    "labels": (FRAME[0], lambda X, items: rs.Items(items, POINTS, labels=X)),
}


@pytest.mark.parametrize("way", TAKEN)
def test_rows_name_the_items(way):
    table, take = TAKEN[way]
    assert take(table, None).names == tuple(NAMES)
    assert take(table, rs.Items(NAMES).names).names == tuple(NAMES)
    assert take(table.to_numpy(), OTHER).names == tuple(OTHER)


@pytest.mark.parametrize("way", TAKEN)
def test_rows_in_another_order_than_the_items_are_refused(way):
    table, take = TAKEN[way]
    with pytest.raises(JudgmentError, match="'c'"):
        take(table, OTHER)


@pytest.mark.parametrize("way", ["distances", "squares", "several squares", "confusions"])
def test_columns_in_another_order_than_the_rows_are_refused(way):
    table, take = TAKEN[way]
    with pytest.raises(JudgmentError, match="column"):
        take(table[OTHER], None)


@pytest.mark.parametrize(
    "take",
    [
        rs.ModelObserver,
        rs.SpaceObserver,
        lambda D: rs.triplet_error(D, [[0, 1, 2]]),
        lambda D: rs.neighbour_error(D, list("xxyy")),
    ],
)
def test_distances_are_no_coordinates(take):
    with pytest.raises(SettingError, match="0 on the diagonal"):
        take(DISTANCES)


def test_features_of_new_items_are_in_the_columns_and_rows_of_the_others():
    features = pd.DataFrame(np.arange(12.0).reshape(4, 3) ** 2, NAMES, ["hue", "size", "x"])
    session = rs.Session(rs.Items(features=features), start_per_head=2)
    new = pd.DataFrame([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ["y", "z"], ["hue", "size", "x"])
    with pytest.raises(JudgmentError):
        session.add_items(["z", "y"], features=new)
    with pytest.raises(SettingError):
        session.add_items(["y", "z"], features=new[["size", "hue", "x"]])
    session.add_items(["y", "z"], features=new)
    assert session.items.feature_names == ("hue", "size", "x")
    assert session.items.features[-1].tolist() == [4.0, 5.0, 6.0]


NAMED = rs.Triplets([[0, 1, 2], [1, 0, 3]], items=NAMES)
SCORED = {
    "triplet_error": lambda X: rs.triplet_error(X, NAMED),
    "neighbour_error": lambda X: rs.neighbour_error(X, pd.Series([*"xxyy"], NAMES)),
    "procrustes_distance": lambda X: rs.procrustes_distance(FRAME, X),
    "nearest_items": lambda X: rs.nearest_items(X, 1, items=rs.Items(NAMES)),
}


@pytest.mark.parametrize("score", SCORED)
def test_positions_of_other_rows_are_not_scored(score):
    SCORED[score](FRAME)
    with pytest.raises(JudgmentError):
        SCORED[score](FRAME.loc[OTHER])


def test_positions_by_name_are_scored_where_judgments_have_no_names():
    assert rs.triplet_error(FRAME, [[0, 1, 2]]) == rs.triplet_error(POINTS, [[0, 1, 2]])
    assert rs.nearest_items(FRAME, 1).queries.tolist() == NAMES


@pytest.mark.parametrize("note", ["weight", "observer", "response_id"])
def test_notes_in_another_order_than_the_rows_are_refused(note):
    column = pd.Series([3, 1, 2])
    rs.Triplets([[0, 1, 2]] * 3, **{note: column})
    rs.Triplets([[0, 1, 2]] * 3, **{note: column.set_axis([4, 2, 9])})  # rows that were chosen
    with pytest.raises(JudgmentError):
        rs.Triplets([[0, 1, 2]] * 3, **{note: column.sort_values()})
