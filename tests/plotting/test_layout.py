import numpy as np
import pytest
from scipy.spatial.distance import pdist

from resemblance.plotting.canvas import beeswarm, crowding


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


def test_crowding_is_the_distance_to_the_nearest():
    assert crowding(np.array([[0.0, 0], [3, 4], [9, 12]])).tolist() == [5, 5, 10]
    assert crowding(np.zeros((1, 2))).tolist() == [np.inf]
