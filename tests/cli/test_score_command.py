"""`resemblance score`: the positions that fit has written, on other answers."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.catalog import MODELS
from resemblance.scores import mean_interval, triplet_losses

FAST = "--model", "ste", "--penalty", 0.1, "--folds", 0


@pytest.fixture
def halves(answers, table, tmp_path):
    """Two files, of the first and of the last answers."""
    table.head(300).to_csv(tmp_path / "first.csv", index=False)
    table.tail(100).to_csv(tmp_path / "last.csv", index=False)
    return tmp_path / "first.csv", tmp_path / "last.csv"


@pytest.mark.parametrize("name", ["tste", "gnmds"])
def test_scores_are_those_of_the_fitted_model(quick, halves, name):
    first, last = halves
    quick("fit", first, "--model", name, "--folds", 0)
    found = json.loads(quick("score", "first-map", last, "--json").stdout)
    train = rs.read_triplets(first)
    test = rs.read_triplets(last, items=train.items)
    penalty = MODELS[name].settings.get("penalty")
    model = MODELS[name].load()(random_state=0, penalty=penalty).fit(train)
    assert found["data"]["rows"] == 100
    assert found["held_out"]["error"] == pytest.approx(1 - model.score(test), abs=1e-12)
    loss = model.log_loss(test)  # JSON has no infinity
    expected = pytest.approx(loss, rel=1e-9) if np.isfinite(loss) else None
    assert found["held_out"]["log_loss"] == expected


def test_the_interval_is_by_what_stays_whole(quick, halves, table):
    first, last = halves
    quick("fit", first, "--model", "tste", "--folds", 0)
    model = rs.TSTE(random_state=0, penalty="auto").fit(rs.read_triplets(first))
    grouped = table.tail(100).assign(response_id=[row // 10 for row in range(100)])
    losses = triplet_losses(model.embedding_, grouped[["head", "near", "far"]].to_numpy())
    for by, groups in (
        ("question", rs.read_triplets(last).questions()),
        ("observer", grouped["observer"]),
        ("response_id", grouped["response_id"]),
    ):
        if by == "response_id":
            grouped.to_csv(last, index=False)
        words = ["--by", by] if by == "observer" else []
        found = json.loads(quick("score", "first-map", last, "--json", *words).stdout)
        assert found["held_out"]["by"] == by
        _, expected = mean_interval(losses, None, groups)
        assert found["held_out"]["interval"] == pytest.approx(expected)


def test_of_the_fitted_file_the_error_is_that_of_answers_held_out(quick, report, answers):
    quick("fit", answers, *FAST, "--folds", 3, "--dims", 3)
    found = json.loads(quick("score", "answers-map", answers, "--json").stdout)
    fitted = report("answers-map")
    for part in ("held_out", "noise_ceiling", "next"):
        assert found[part] == fitted[part]
    assert found["seen"]["share"] == 1.0
    assert found["seen"]["error"] == pytest.approx(fitted["fit"]["training_error"], abs=1e-12)


def test_items_that_the_fit_has_not_seen_are_refused(quick, halves, table, tmp_path):
    first, _ = halves
    quick("fit", first, *FAST)
    pd.DataFrame({"head": [1], "near": [2], "far": [77]}).to_csv(tmp_path / "odd.csv", index=False)
    message = quick("score", "first-map", "odd.csv", code=1).stderr
    assert "odd.csv, line 2: far: '77' is not among the 9 items" in message


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "is not there"),
        ("{", "is not JSON"),
        ("[]", "is not a report of a fit"),
        ('{"settings": {"kind": "triplets"}, "model": {}}', "model.npz is not there"),
    ],
)
def test_a_folder_without_a_good_report_is_refused(quick, answers, tmp_path, text, problem):
    (tmp_path / "folder").mkdir()
    if text is not None:
        (tmp_path / "folder" / "report.json").write_text(text)
    message = quick("score", "folder", answers, code=1).stderr
    assert problem in message
    assert ("folder/model.npz" if "model.npz" in problem else "folder/report.json") in message
