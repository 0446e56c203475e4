import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

SHAPE = ["a", "b", "c"], [[1.0], [2.0], [3.0]]
SOUND = ["c", "a", "b"], [[30.0, 0.0], [10.0, 0.0], [20.0, 1.0]]


def test_views_are_brought_into_one_order():
    items = rs.join_views({"shape": SHAPE, "sound": SOUND}, labels=["x", "y", "y"])
    assert items.names == ("a", "b", "c")
    np.testing.assert_array_equal(items.features["sound"], [[10, 0], [20, 1], [30, 0]])
    assert list(items.labels) == ["x", "y", "y"]
    other = rs.join_views({"shape": SHAPE, "sound": SOUND}, names=["c", "b"])
    np.testing.assert_array_equal(other.features["shape"], [[3], [2]])


def test_missing_rows_are_named_or_filled_when_asked():
    short = {"shape": SHAPE, "sound": (["a", "b"], [[1.0], [3.0]])}
    with pytest.raises(JudgmentError, match=r"no features in view 'sound' of 'c': add them"):
        rs.join_views(short)
    np.testing.assert_array_equal(
        rs.join_views(short, missing="mean").features["sound"], [[1], [3], [2]]
    )
    holes = {"shape": (["a", "b", "c"], [[np.nan], [2.0], [np.nan]]), "sound": short["sound"]}
    with pytest.raises(JudgmentError, match=r"view 'shape' of 'a', 'c', nor in view 'sound' of"):
        rs.join_views(holes)


def test_bad_input():
    with pytest.raises(JudgmentError, match=r"'sound' has features of shape \(1, 1\) for 2 names"):
        rs.join_views({"sound": (["a", "b"], [[1.0]])})
    with pytest.raises(JudgmentError, match="of none of the items x"):
        rs.join_views({"shape": SHAPE}, names=["x"])
    with pytest.raises(SettingError, match="'error' or 'mean'"):
        rs.join_views({"shape": SHAPE}, missing="zero")
    with pytest.raises(JudgmentError, match="unique"):
        rs.join_views({"shape": (["a", "a"], [[1.0], [2.0]])})
