"""`resemblance simulate`."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs


def test_answers_can_be_fitted_and_the_truth_found_again(quick, tmp_path):
    quick("simulate", "a.csv", "--items", 12, "--answers", 3000, "--cheaters", 0)
    quick("fit", "a.csv", "--model", "ste", "--folds", 0)
    truth = pd.read_csv(tmp_path / "a.truth.csv")[["x1", "x2"]].to_numpy()
    found = pd.read_csv(tmp_path / "a-map" / "embedding.csv")[["x1", "x2"]].to_numpy()
    assert rs.procrustes_distance(truth, found) < 0.1


def test_what_is_written(run, tmp_path):
    result = run("simulate", "a.csv", "--items", 9, "--dims", 3, "--answers", 500, "--people", 10)
    assert "500 answers by 10 people to 9 items: a.csv" in result.stdout
    assert "a.truth.csv and a.people.csv" in result.stdout
    answers = rs.read_triplets(tmp_path / "a.csv")
    people = pd.read_csv(tmp_path / "a.people.csv")
    assert set(answers.observer) == set(people["observer"])
    assert set(answers.extra["side"].tolist()) == {0, 1}
    assert (people["kind"] != "SpaceObserver").sum() == 1
    assert list(people.columns[-3:]) == ["weight_1", "weight_2", "weight_3"]
    assert list(pd.read_csv(tmp_path / "a.truth.csv").columns) == ["item", "x1", "x2", "x3"]


@pytest.mark.parametrize("model", ["ckl"])
def test_the_space_of_a_fit_is_read_as_it_was_written(run, tmp_path, model):
    names, X = ["jazz", "soul", "punk", "folk"], np.arange(12.0).reshape(4, 3)
    table = pd.DataFrame({"item": names, "name": "?", "x1": X[:, 0], "x2": X[:, 1], "x10": X[:, 2]})
    table.to_csv(tmp_path / "embedding.csv", index=False)
    run("simulate", "a.parquet", "--space", "embedding.csv", "--model", model)
    truth = pd.read_csv(tmp_path / "a.truth.csv")
    assert truth["item"].tolist() == names
    np.testing.assert_array_equal(truth[["x1", "x2", "x3"]], X)
    assert set(rs.read_triplets(tmp_path / "a.parquet").items.names) == set(names)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.xls"], "unknown type '.xls'"),
        (["a.csv", "--space", "none.csv"], "none.csv is not there"),
        (["a.csv", "--space", "few.csv"], "2 items: give three or more"),
        (["a.csv", "--space", "flat.csv"], "no positions x1"),
        (["a.csv", "--space", "few.csv", "--dims", 2], "leave out --items and --dims"),
        (["none/a.csv"], "check the folder"),
    ],
)
def test_errors_are_told_in_one_line_and_nothing_is_written(run, tmp_path, words, told):
    (tmp_path / "few.csv").write_text("item,x1\na,1\nb,2\n")
    (tmp_path / "flat.csv").write_text("item,y\na,1\nb,2\n")
    result = run("simulate", *words, code=1)
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.glob("a.*"))


def test_answers_that_no_simulation_wrote_stay(run, tmp_path):
    (tmp_path / "a.csv").write_text("head,near,far\na,b,c\n")
    result = run("simulate", "a.csv", code=1)
    assert "no simulation wrote it" in result.stderr
    assert (tmp_path / "a.csv").read_text() == "head,near,far\na,b,c\n"
    run("simulate", "b.csv", "--items", 5, "--answers", 20)
    run("simulate", "b.csv", "--items", 5, "--answers", 30)
    assert len(rs.read_triplets(tmp_path / "b.csv")) == 30
