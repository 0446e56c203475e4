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


@pytest.mark.parametrize("name", list(MODELS))
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


def test_rows_that_were_fitted_are_counted(quick, table, tmp_path):
    table.head(300).to_csv(tmp_path / "first.csv", index=False)
    table.iloc[200:400].to_csv(tmp_path / "later.csv", index=False)
    quick("fit", tmp_path / "first.csv", *FAST)
    found = json.loads(quick("score", "first-map", tmp_path / "later.csv", "--json").stdout)
    assert 0.5 <= found["seen"]["share"] < 1.0
    assert found["held_out"]["error"] == pytest.approx(found["seen"]["error"])
    assert found["held_out"]["answers"] == 200


def test_the_terminal_shows_what_the_json_holds(quick, halves):
    first, last = halves
    quick("fit", first, *FAST)
    found = json.loads(quick("score", "first-map", last, "--json").stdout)
    printed = quick("score", "first-map", last).stdout
    assert (
        f"{found['held_out']['error']:.3f} (95% interval {found['held_out']['interval'][0]:.3f}"
        in printed
    )
    assert f"{found['held_out']['log_loss']:.3f} (guessing 0.693)" in printed


def test_the_kind_is_that_of_the_fit(quick, answers, tmp_path):
    four = rs.Quadruplets(rs.read_triplets(answers).index[:, [0, 1, 0, 2]])
    four.write(tmp_path / "four.jsonl")
    quick("fit", "four.jsonl", "--kind", "quadruplets", *FAST)
    assert (
        json.loads(quick("score", "four-map", "four.jsonl", "--json").stdout)["data"]["rows"] == 400
    )
    assert "head near far" in quick("score", "four-map", answers, code=1).stderr


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
        ("{", "is no JSON"),
        ("[]", "is no report of a fit"),
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
