"""Dimensions of a study that grows, in two worlds: papers/calibration/growing.py, made small."""

import pandas as pd
import pytest

from scripts import scripts

N_ITEMS = 12


@pytest.fixture(scope="module")
def growing():
    with scripts("papers/calibration", "growing") as modules:
        yield modules.growing


def test_dimensions_become_right_with_answers(growing):
    few, many = (
        pd.DataFrame([growing.look(seed, N_ITEMS, n) for seed in range(2)]).mean() for n in (5, 80)
    )
    assert many["correlation"] > max(few["correlation"], 0.8)
    assert many["again"] > few["again"]


def test_names_of_properties_go_on(growing):
    found = pd.DataFrame([pair for seed in range(2) for pair in growing.follow(seed, N_ITEMS)])
    assert found.loc[found["right"], "follows"].mean() > 0.9
