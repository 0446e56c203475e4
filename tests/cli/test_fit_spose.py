"""`resemblance fit --model spose`: dimensions that people can name, from odd ones out."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.catalog import SPARSE
from resemblance.cli.loadings import FILES

ODD = ("--kind", "odd_one_outs", "--model", "spose", "--out", "m")
FOUND = {
    "overruled.csv",
    "embedding.csv",
    "map.png",
    "map.html",
    "model.npz",
    "report.json",
    *FILES,
}


@pytest.fixture
def odd(tmp_path):
    """All odd ones out among twelve items of three kinds."""
    person = rs.SpaceObserver(
        np.repeat(2.0 * np.eye(3), 4, axis=0), rs.choice.Logistic(), random_state=0
    )
    shown = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    answers = person.answer(rs.OddOneOuts(shown, [row[0] for row in shown]))
    answers.write(tmp_path / "odd.csv")
    return tmp_path / "odd.csv"


@pytest.fixture
def plain(quick, monkeypatch):
    """Run a command that writes no maps and empty pictures of dimensions."""
    save = rs.plotting.save_loadings

    def without_pictures(model, path, **words):
        return path.touch() if path.suffix == ".png" else save(model, path, **words)

    monkeypatch.setattr("resemblance.plotting.save_loadings", without_pictures)
    return quick


def test_loadings_are_those_of_the_class(plain, report, odd, tmp_path):
    plain("fit", odd, *ODD, "--folds", 0, "--seed", 3, "--dims", 6, "--l1-ratio", 0.5)
    model = rs.SPoSE(6, l1_ratio=0.5, random_state=3).fit(rs.read_odd_one_outs(odd))
    written = pd.read_csv(tmp_path / "m" / "embedding.csv").filter(regex="^x")
    np.testing.assert_allclose(written, model.embedding_, rtol=1e-12)
    found = report("m")
    assert found["loadings"]["penalty"] == model.penalty_
    assert found["loadings"]["zeros"] == (model.embedding_ == 0).mean()
    assert found["loadings"]["shares"] == pytest.approx(model.shares_.tolist())
    assert (found["loadings"]["at_first"], found["loadings"]["l1_ratio"]) == (6, 0.5)
    assert found["loadings"]["reproducibility"] is None
    assert found["model"]["how_to_cite"] == SPARSE["spose"].reference


def test_all_that_a_fit_leaves(run, report, odd, tmp_path):
    printed = run("fit", odd, *ODD, "--folds", 3).stdout
    assert {path.name for path in (tmp_path / "m").iterdir()} == FOUND
    found, model = report("m"), rs.load(tmp_path / "m" / "model.npz")
    assert found["loadings"]["at_first"] == 12
    assert found["held_out"]["error"] < 0.5 < found["held_out"]["guessing"]["error"]
    assert found["held_out"]["log_loss"] > 0
    d = found["loadings"]["dimensions"]
    again = found["loadings"]["reproducibility"]
    assert len(again["seeds"]) == len(again["halves"]) == d == model.embedding_.shape[1]
    assert min(again["seeds"][:2]) > 0.8
    assert again["n_splits"] == 5
    assert len(again["found_again"]) == d
    assert 1 <= max(again["found_again"]) <= 5
    table = pd.read_csv(tmp_path / "m" / "dimensions.csv")
    assert table["share"].to_numpy() == pytest.approx(model.shares_, abs=1e-6)
    assert table["seeds"].to_numpy() == pytest.approx(again["seeds"], abs=1e-6)
    assert table["found_again"].tolist() == again["found_again"]
    assert '"lowest":[' in (tmp_path / "m" / "dimensions.html").read_text()
    assert '"uncertainty":null' in (tmp_path / "m" / "map.html").read_text()
    assert all(name in printed for name in FILES)


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["--dims", "auto"], "--dims"),
        (["--dims", 0], "--dims"),
        (["--l1-ratio", 1.5], "--l1-ratio"),
        (["--penalty", 1e6], "--penalty"),
        (["--alpha", 1], "--alpha"),
        (["--form", "gram"], "--form"),
    ],
)
def test_what_does_not_go_with_it(plain, odd, words, flag):
    assert flag in plain("fit", odd, *ODD, "--folds", 0, *words, code=1).stderr
