"""What own weights are said to bring, in a few worlds: a quick look at papers/calibration."""

import pandas as pd
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def gains():
    with scripts("papers/calibration", "gains") as modules:
        yield modules.gains


def test_the_gain_of_people_who_differ_is_near_the_truth(gains):
    found = pd.DataFrame([gains.look(seed, 200, True) for seed in range(5)])
    assert found["chosen"].sum() >= 3
    assert found["gain"].median() > 0.005
    assert abs(found["bias"].median()) < 0.015
    assert (found["error"].dropna() > 0).all()


def test_people_who_are_alike_gain_nothing(gains):
    found = pd.DataFrame([gains.look(seed, 100, False) for seed in range(5)])
    assert found["gain"].median() < 0.004
