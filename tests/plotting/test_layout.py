import numpy as np
import pytest
from scipy.spatial.distance import pdist

from resemblance.plotting.canvas import beeswarm


@pytest.mark.parametrize("n", [1, 5, 300])
def test_a_swarm_keeps_its_points_apart(n):
    x = np.random.default_rng(n).normal(size=n)
    y = beeswarm(x, 0.1)
    assert n == 1 or pdist(np.column_stack([x, y])).min() > 0.1 - 1e-6
