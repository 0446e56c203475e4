"""What own weights are said to bring, in a few worlds: a quick look at papers/calibration."""

import pandas as pd
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def gains():
    with scripts("papers/calibration", "gains") as modules:
        yield modules.gains


def test_the_gain_of_people_who_differ_is_near_the_truth(gains):
    """The gain is that over one space for all; own weights are chosen in 4 of 8 worlds."""
    found = pd.DataFrame([gains.look(seed, 200, True) for seed in range(5)])
    assert found["gain"].median() > 0.005
    known = found.reindex(columns=["bias", "error"]).dropna()
    assert (known["bias"].abs() < 0.02).all()  # a deviation of .003
    assert (known["error"] > 0).all()


def test_people_who_are_alike_gain_nothing(gains):
    found = pd.DataFrame([gains.look(seed, 100, False) for seed in range(5)])
    assert found["gain"].median() < 0.004
