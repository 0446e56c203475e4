"""The reference that Yada is timed beside minimises the same objective."""

import numpy as np
import pytest

import resemblance as rs
from scripts import scripts


def test_the_reference_comes_to_the_same_objective():
    x = np.linspace(-1, 1, 9)[:, None]
    person = rs.SpaceObserver(np.exp(x), rs.choice.Gaussian(), random_state=0)
    pairs = np.column_stack(np.triu_indices(9, 1))
    counts = person.confuse(pairs, 60, rs.Items(features=x))
    ours = rs.Yada(1, bandwidth=0.7, penalty=0.1, tol=1e-9).fit(counts).loss_
    with scripts("benchmarks", "yada") as modules:
        reference = modules.yada.reference_fit(counts, 1, 0.7, 0.1)
    assert reference == pytest.approx(ours, rel=1e-3)  # it stops a little earlier
    assert ours <= reference * (1 + 1e-6)
