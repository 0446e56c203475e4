"""What is learned of people in a few worlds: the table of papers/calibration, made small."""

import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def found():
    with scripts("papers/calibration", "people") as modules:
        drawn = modules.people.table(3, answers=(50, 200))
    return drawn.set_index(["measure", "value", "space", "answers"]).sort_index()


@pytest.mark.parametrize("value", ["temperature", "lapse", "weight_1"])
@pytest.mark.parametrize("answers", [50, 200])
def test_intervals_hold_the_truth(found, value, answers):
    assert found["found"]["coverage", value, "true", answers] >= 0.8  # 94 % in nine worlds


@pytest.mark.parametrize("value", ["temperature", "weight_1"])
def test_reliability_is_told_as_it_is_and_grows_with_answers(found, value):
    few, many = (found.loc["reliability", value, "true", n] for n in (50, 200))
    assert few["claimed"] < many["claimed"]
    for row in (few, many):
        assert abs(row["claimed"] - row["found"]) < 0.3


def test_estimates_err_less_than_people_differ(found):
    for value in ("temperature", "weight_1"):
        assert found["found"]["error, of the spread", value, "true", 200] < 0.9
