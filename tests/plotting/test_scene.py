import numpy as np
import pytest

from resemblance.errors import SettingError
from resemblance.judgments import Items
from resemblance.plotting.scene import principal_axes, scene_of


def test_flags_are_positions_or_booleans():
    by_position = scene_of(np.zeros((4, 1)), flagged=[1, 3]).flagged
    by_boolean = scene_of(np.zeros((4, 1)), flagged=[False, True, False, True]).flagged
    np.testing.assert_array_equal(by_position, by_boolean)
    assert not scene_of(np.zeros(4)).flagged.any()


@pytest.mark.parametrize("flagged", [[4], [-1], [0.5], [True]])
def test_flags_outside_the_items_are_refused(flagged):
    with pytest.raises(SettingError, match="indices from 0 to 3"):
        scene_of(np.zeros((4, 1)), flagged=flagged)


def test_a_row_that_is_not_finite_is_named():
    points = np.zeros((3, 2))
    points[1, 0] = np.nan
    with pytest.raises(SettingError, match=r"row 1 \('pear'\)"):
        scene_of(points, Items(["apple", "pear", "plum"]))


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (2, 2, 2)])
def test_an_embedding_is_a_table(shape):
    with pytest.raises(SettingError, match="shape"):
        scene_of(np.zeros(shape))


def test_parts_of_another_length_are_refused():
    with pytest.raises(SettingError, match="2 labels for the 3 rows"):
        scene_of(np.zeros((3, 2)), labels=["a", "b"])
    with pytest.raises(SettingError, match="2 items for the 3 rows"):
        scene_of(np.zeros((3, 2)), Items(["a", "b"]))


def test_principal_axes_of_one_place_are_no_division_by_zero():
    _, shares = principal_axes(np.ones((3, 4)))
    assert shares.tolist() == [0, 0, 0]


def test_an_svg_is_no_picture_of_a_map_and_that_is_told():
    items = Items(["a", "b"], images=["a.png", "b.svg"])
    with pytest.warns(UserWarning, match="1 pictures are SVG, such as that of 'b'"):
        scene = scene_of([[0.0, 0.0], [1.0, 1.0]], items)
    assert scene.images == ["a.png", None]
