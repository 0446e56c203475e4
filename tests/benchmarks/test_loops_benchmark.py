"""The loop benchmark runs, and times every choice model in every loop that it has."""

import pytest

from resemblance.choice.models import MODELS
from scripts import scripts


@pytest.fixture(scope="module")
def rows():
    with scripts("benchmarks", "loops") as modules:
        yield modules.loops.run(10, 64, 3)


def test_every_time_is_positive_and_the_median_lies_between(rows):
    assert all(0 < row["ns min"] <= row["ns median"] <= row["ns max"] for row in rows)


@pytest.mark.parametrize("model", MODELS)
def test_every_choice_model_is_timed(rows, model):
    loops = {row["loop"].split(",")[0] for row in rows}
    wanted = {f"{loop} {model.__name__}" for loop in ("compare_all", "sweep", "objective")}
    if model.one_of_many:
        wanted.add(f"choose_all {model.__name__}")
    assert wanted <= loops
