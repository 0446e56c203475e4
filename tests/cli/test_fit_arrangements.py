"""`resemblance fit --kind arrangements`: a file of places becomes a map with an honest error."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting.laplace import PositionUncertainty

N_ITEMS, N_TRIALS = 9, 8


@pytest.fixture
def arranged():
    person = rs.SpaceObserver(np.random.default_rng(0).normal(size=(N_ITEMS, 2)), random_state=0)
    rng = np.random.default_rng(1)
    sets = [rng.permutation(N_ITEMS)[:6] for _ in range(N_TRIALS)]
    trials = [person.arrange([shown]).to_pandas().assign(trial=n) for n, shown in enumerate(sets)]
    return rs.read_arrangements(pd.concat(trials))


def test_a_map_its_error_and_its_score(quick, report, arranged, tmp_path):
    arranged.write(tmp_path / "places.csv")
    said = quick("fit", "places.csv", "--kind", "arrangements", "--folds", 4).output
    assert "8 arrangements of 6 items" in said
    found = report("places-map")
    assert found["data"]["kind"] == found["settings"]["kind"] == "arrangements"
    assert found["held_out"]["folds_finished"] == 4
    assert found["held_out"]["error"] < 0.25  # guessing is one half
    assert len(pd.read_csv(tmp_path / "places-map/embedding.csv")) == N_ITEMS
    assert "error on the questions asked" in quick("score", "places-map", "places.csv").output


def test_a_model_of_comparisons_alone_says_so(quick, arranged, tmp_path):
    arranged.write(tmp_path / "places.csv")
    told = quick("fit", "places.csv", "--kind", "arrangements", "--model", "spose", code=1).output
    assert "Arrangements are not comparisons" in told


def test_positions_from_arrangements_have_no_uncertainty(arranged):
    model = rs.STE(2, random_state=0).fit(arranged)
    with pytest.raises(SettingError, match="arrangement"):
        PositionUncertainty.of_fit(model, arranged)
