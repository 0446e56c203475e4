import numpy as np
import pytest
from scipy.spatial.distance import pdist

from resemblance.plotting.layout import beeswarm, crowding, place_names


@pytest.mark.parametrize("n", [1, 5, 300])
def test_a_swarm_keeps_its_points_apart(n):
    x = np.random.default_rng(n).normal(size=n)
    y = beeswarm(x, 0.1)
    assert n == 1 or pdist(np.column_stack([x, y])).min() > 0.1 - 1e-6


def test_points_with_room_stay_on_the_line():
    assert beeswarm(np.array([3.0, 1.0, 2.0]), 0.9).tolist() == [0, 0, 0]


def test_a_swarm_keeps_to_its_line_as_it_is_scaled():
    x = np.random.default_rng(0).normal(size=50)
    np.testing.assert_allclose(beeswarm(7 * x, 0.7), 7 * beeswarm(x, 0.1), atol=1e-6)


def boxes_of(points, sizes, placed):
    middles = np.array([points[name.item] + name.offset for name in placed])
    halves = np.array([sizes[name.item] for name in placed]) / 2
    return np.hstack([middles - halves, middles + halves])


def test_names_cover_no_name_no_point_and_stay_on_the_page():
    rng = np.random.default_rng(0)
    points, sizes = rng.uniform(0, 400, (60, 2)), np.array([[50.0, 10.0]] * 60)
    page = np.array([0.0, 0, 400, 400])
    placed = place_names(points, sizes, np.arange(60), 3.0, page, (0.0, 10.0))
    boxes = boxes_of(points, sizes, placed)
    assert len(placed) > 40
    assert boxes.min() >= 0
    assert boxes.max() <= 400
    for i, box in enumerate(boxes):
        others = np.delete(boxes, i, axis=0)
        assert not ((others[:, :2] < box[2:]).all(1) & (others[:, 2:] > box[:2]).all(1)).any()
        rest = np.delete(points, placed[i].item, axis=0)
        assert not ((rest + 3 > box[:2]).all(1) & (rest - 3 < box[2:]).all(1)).any()


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_first_to_choose_takes_the_only_place(order):
    points, sizes = np.array([[0.0, 0], [20, 0]]), np.array([[12.0, 4.0]] * 2)
    page = np.array([-0.6, -2.5, 20.6, 2.5])
    placed = place_names(points, sizes, np.array(order), 0.5, page, [0.0])
    assert [name.item for name in placed] == order[:1]


def test_a_name_away_from_its_point_gets_a_leader():
    points, sizes = np.array([[0.0, 0], [8.0, 0]]), np.array([[6.0, 4.0]] * 2)
    page = np.array([-1.0, -2.5, 40, 2.5])
    (placed,) = place_names(points, sizes, np.array([0]), 0.5, page, (0.0, 9.0))
    assert placed.leader


def test_crowding_is_the_distance_to_the_nearest():
    assert crowding(np.array([[0.0, 0], [3, 4], [9, 12]])).tolist() == [5, 5, 10]
    assert crowding(np.zeros((1, 2))).tolist() == [np.inf]
