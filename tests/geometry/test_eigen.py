"""Eigenvectors of large matrices hang on the generator given, and on nothing else."""

import numpy as np
import pytest
from scipy.sparse import eye_array

from resemblance.geometry import some_eigenvectors


@pytest.fixture
def nothing_else_drawn(monkeypatch):
    made_of = np.random.default_rng

    def seeded(seed=None):
        assert seed is not None
        return made_of(seed)

    monkeypatch.setattr(np.random, "default_rng", seeded)


@pytest.mark.usefixtures("nothing_else_drawn")
def test_one_seed_gives_one_result_where_the_space_closes():
    A = eye_array(40)  # any vector is an eigenvector: the space closes after one step
    one, same = (some_eigenvectors(A, 3, np.random.default_rng(1), which="LA") for _ in range(2))
    assert np.array_equal(one[1], same[1])
    assert one[0] == pytest.approx(1.0)
