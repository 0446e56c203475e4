"""`resemblance fit` with POE and MK-POE: files of features, kernels, weights."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

N = 24
NAMES = [f"item{i}" for i in range(N)]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A folder with answers that follow one file of features, and another file of noise."""
    folder, rng = tmp_path_factory.mktemp("poe"), np.random.default_rng(0)
    space = rng.normal(size=(N, 2))
    asked = [rng.choice(N, 3, replace=False) for _ in range(300)]
    index = rs.SpaceObserver(3 * space, random_state=0).answer(asked).index
    rs.Triplets(index, items=rs.Items(NAMES)).write(folder / "answers.csv")
    table = pd.DataFrame({"item": NAMES, "x": space[:, 0], "y": space[:, 1]})
    table.sample(frac=1.0, random_state=0).to_csv(folder / "shape.csv", index=False)
    table[:-6].to_csv(folder / "part.csv", index=False)
    table[["item"]].to_csv(folder / "items.csv", index=False)
    np.save(folder / "noise.npy", rng.normal(size=(N, 3)))
    return folder


@pytest.fixture
def fit(quick, study, tmp_path):
    """Run `fit` on the answers, with files of the folder."""

    def run(*words, code=0):
        paths = [study / word if word.endswith((".csv", ".npy")) else word for word in words]
        done = quick("fit", study / "answers.csv", *paths, "--out", "map", code=code)
        return " ".join(done.output.split()), tmp_path / "map"

    return run


def test_several_views_with_a_chosen_beta(fit):
    features = "--features", "shape.csv", "--features", "noise.npy", "--items", "items.csv"
    told, out = fit(*features, "--model", "mkpoe", "--diagonal", "--folds", "2")
    report = json.loads((out / "report.json").read_text())
    assert report["kernel_weights"]["noise"] < 0.3 < report["kernel_weights"]["shape"]
    beta = report["model"]["parameters"]["beta"]
    assert report["tuning"]["chosen"]["beta"] == beta
    assert report["tuning"]["scores"][report["tuning"]["betas"].index(beta)] > 0.8
    without = {view: held["error"] for view, held in report["without_views"].items()}
    assert report["held_out"]["error"] < 0.25 < without["shape"]
    assert without["noise"] < without["shape"]
    assert (out / "kernel_weights.png").stat().st_size > 1000
    assert "chosen on held-out answers" in told
    model = rs.load(out / "model.npz")
    assert model.items_.names == tuple(NAMES)
    np.testing.assert_allclose(model.transform(model.items_.features), model.embedding_)
    table = pd.read_csv(out / "embedding.csv")
    assert list(table["item"]) == NAMES
    assert table.shape[1] == 2 + model.embedding_.shape[1]


def test_items_that_a_view_lacks(fit):
    features = "--features", "shape.csv", "--features", "part.csv", "--model", "mkpoe"
    told, _ = fit(*features, code=1)
    assert "no features in view 'part' of 'item" in told
    assert "1 more" in told
    assert "--missing mean" in told
    settings = (
        "--missing",
        "mean",
        "--beta",
        "10",
        "--folds",
        "0",
        "--kernels",
        "shape=rbf,part=linear",
    )
    _, out = fit(*features, *settings)
    model = rs.load(out / "model.npz")
    part = model.items_.features["part"]
    lacking = [model.items_.names.index(name) for name in NAMES[-6:]]
    np.testing.assert_allclose(part[lacking], np.tile(np.delete(part, lacking, 0).mean(0), (6, 1)))
    assert model.kernels == {"shape": "rbf", "part": "linear"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "mkpoe"], "mkpoe needs features: give them with --features FILE"),
        (["--model", "poe", *["--features", "shape.csv"] * 2], "use --model .*mkpoe.* for sev"),
        (["--model", "mkpoe", *["--features", "shape.csv"] * 2], "two files .* called shape"),
        (["--model", "mkpoe", "--features", "noise.npy"], "has no names of items"),
        (["--beta", "3"], "--beta does not apply to auto.* --model poe or mkpoe"),
        (
            ["--model", "poe", "--features", "shape.csv", "--dims", "auto"],
            "does not work with poe",
        ),
        (
            ["--model", "mkpoe", "--features", "shape.csv", "--kernels", "shape=round"],
            "has round for shape: choose rbf",
        ),
    ],
)
def test_options_that_make_no_sense(fit, words, message):
    told, _ = fit(*words, code=1)
    assert re.search(message, told), told
