import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import Items


def test_positions_undo_names():
    items = Items(["soul", "jazz", 7])
    assert items.positions(items.names).tolist() == [0, 1, 2]
    assert items.positions([7, "soul"]).tolist() == [2, 0]
    assert items.positions("jazz").tolist() == [1]
    rows = np.array([["soul", "jazz"], ["jazz", "7"]])
    assert items.positions(rows).tolist() == items.positions(rows.tolist()).tolist()
    assert items.positions(rows).tolist() == [[0, 1], [1, 2]]
    assert items.positions([]).tolist() == []
    with pytest.raises(JudgmentError, match=r"row 1.*'rock'"):
        items.positions([["soul", "jazz"], ["jazz", "rock"]])


def test_unknown_name_is_named_with_a_close_one():
    with pytest.raises(JudgmentError, match=r"row 1: 'jaz' is not among .*did you mean 'jazz'"):
        Items(["soul", "jazz"]).positions(["soul", "jaz"])


def test_repeated_name_names_both_positions():
    with pytest.raises(JudgmentError, match=r"row 2: the name 'a' is also that .* position 0"):
        Items(["a", "b", "a"])


@pytest.mark.parametrize("name", ["", " a", "a\n", "a\nb"])
def test_names_are_one_clean_line(name):
    with pytest.raises(JudgmentError, match=r"row 1: the name .* is empty, padded or of several"):
        Items(["ok", name])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": []}, "there are no items"),
        ({}, "give a sequence of names"),
        ({"names": ["a", None]}, "row 1: the name is missing"),
        ({"names": ["a", np.nan]}, "row 1: the name is missing"),
        ({"names": "abc"}, "give a sequence of names"),
        ({"names": 5.0}, "the number of items"),
        ({"names": True}, "the number of items"),
        ({"names": {"a", "b"}}, "give a list"),
        ({"names": np.zeros((3, 2))}, "features="),
        ({"names": 3, "labels": ["a"]}, "labels has 1 rows for 3 items"),
        ({"names": 2, "images": ["a.png"]}, "images has 1 rows for 2 items"),
        ({"features": np.zeros((2, 2)), "feature_names": ["a"]}, "1 feature_names for features"),
        ({"names": 2, "feature_names": ["a"]}, "1 feature_names for features"),
        ({"names": 2, "features": np.zeros(2)}, r"must have shape \(items, dimensions\)"),
        ({"names": 2, "features": [[0, 1], [0, np.nan]]}, "row 1: column 1 of features is nan"),
    ],
)
def test_bad_items_are_refused(arguments, message):
    with pytest.raises(JudgmentError, match=message):
        Items(**arguments)


def test_items_never_change():
    items = Items(2, features=np.zeros((2, 2)), labels=["a", "b"])
    with pytest.raises(AttributeError, match="never changes"):
        items.names = ("a", "b")
    with pytest.raises(ValueError, match="read-only"):
        items.features[0, 0] = 1


def test_a_memory_map_is_kept_and_read_only(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r+")
    items = Items(features=mapped)
    assert isinstance(items.features, np.memmap)
    assert np.shares_memory(items.features, mapped)
    assert not items.features.flags.writeable
    assert mapped.flags.writeable
    mapped[1, 1] = np.nan
    with pytest.raises(JudgmentError, match="row 1: column 1 of features is nan"):
        Items(features=mapped)


def test_only_large_arrays_in_single_precision_are_kept():
    small = Items(features=np.ones((3, 2), np.float32)).features
    assert small.dtype == np.float64
    large = np.ones((2**22, 4), np.float32)
    assert np.shares_memory(Items(features=large).features, large)


@pytest.mark.parametrize("show", [rs.nearest_items, rs.plot_neighbours, rs.show_map])
def test_the_items_of_a_model_in_another_order_are_refused(show):
    model = rs.STE(1).set_positions([[0.0], [1.0], [5.0]], Items(["sun", "star", "sea"]))
    settings = {} if show is rs.show_map else {"k": 1}
    with pytest.raises(SettingError, match="another order"):
        show(model, items=Items(["sea", "star", "sun"]), **settings)
    show(model, items=Items(["Sonne", "Stern", "Meer"]), **settings)
