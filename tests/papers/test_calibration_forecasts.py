"""The program that counts how forecasts hold, on few small studies, within wide bounds."""

import numpy as np
import pandas as pd
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def forecasts():
    with scripts("papers/calibration", "forecasts") as modules:
        found = modules.forecasts.table(3, fewest=300, most=320)
        yield modules.forecasts, found


def test_what_comes_is_of_the_size_foretold_and_mostly_inside(forecasts):
    module, found = forecasts
    told = module.summary(found)
    assert told["forecasts"] == 18
    assert told["inside"] >= 0.5
    assert told["foretold"] / 4 < told["came"] < 4 * told["foretold"]
    assert told["width"] < 0.2


def test_each_study_is_told_of_thrice_from_one_map(forecasts):
    _, found = forecasts
    assert set(found["kind"]) == {"relative", "student", "other shapes"}
    for _, study in found.groupby(["world", "chosen"]):
        assert study["answers"].nunique() == 1
        assert (np.diff(study["foretold"]) > 0).all()  # a quarter more, as many more, twice as many
    assert ((found["low"] < found["foretold"]) & (found["foretold"] < found["high"])).all()


def test_markdown_has_a_line_for_each_part():
    with scripts("papers/calibration", "forecasts") as modules:
        lines = modules.forecasts.markdown({"all": pd.Series({"n": 3, "share": 0.12345})})
    assert lines.splitlines() == ["| | n | share |", "|---|---|---|", "| all | 3 | 0.123 |"]
