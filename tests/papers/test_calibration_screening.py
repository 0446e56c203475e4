"""Screening in a few worlds with known truth: the table of papers/calibration, made small."""

import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def found():
    with scripts("papers/calibration", "screening") as modules:
        return modules.screening.table(6).set_index(["who", "answers", "worlds"])["rejected"]


def test_people_who_look_are_kept(found):
    for n in (50, 200):
        assert found["honest, all", n, "all"] <= 0.08  # one in a hundred in 24 worlds
        assert found["honest, lapse 0.05", n, "all"] <= 0.08


def test_who_does_not_look_is_found(found):
    assert found["clicker", 50, "all"] >= 0.9
    assert found["guesser", 50, "all"] >= 0.35  # three in four in 24 worlds
    assert found["guesser", 200, "all"] >= 0.85
