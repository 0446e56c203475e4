"""`resemblance design`: the stimuli that lie at nodes or points of a fitted space."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.stimuli import Lines, Screws


@pytest.fixture
def screws(tmp_path):
    """A map of screws, linear, in the folder of a fit."""
    rows = np.array([[d, a] for d in (50.0, 75.0, 100.0) for a in (0.0, 30.0, 60.0)])
    pairs = np.column_stack(np.triu_indices(9, 1))
    gap = np.linalg.norm(np.diff(rows[pairs], axis=1)[:, 0] / [20, 30], axis=1)
    errors = np.rint(1000 * np.exp(-(gap**2)) / 2)
    counts = rs.Confusions(pairs, errors, 1000, rs.Items(features=rows))
    model = rs.Yada(2, kernel="linear", penalty=1e-6).fit(counts)
    return folder_of(tmp_path / "screws-map", model, ["diameter", "angle"])


@pytest.fixture
def lines(tmp_path):
    x = Lines().features
    counts = rs.Confusions([[0, 1], [3, 4], [9, 10]], [30, 25, 33], 100, rs.Items(features=x))
    return folder_of(tmp_path / "lines-map", rs.Yada(1, kernel="linear").fit(counts), ["length"])


def folder_of(folder, model, names):
    folder.mkdir()
    rs.save(model, folder / "model.npz")
    report = {"settings": {}, "model": {}, "features": names}
    (folder / "report.json").write_text(json.dumps(report))
    return folder


def design_of(folder):
    return pd.read_csv(folder / "design.csv")


def test_the_grid_is_that_of_the_model(run, screws, tmp_path):
    printed = run("design", "screws-map", "--grid", "3x3").stdout
    found = design_of(tmp_path / "screws-map-design")
    assert list(found) == ["x1", "x2", "diameter", "angle", "reachable", "distance"]
    grid = rs.load(screws / "model.npz").perceptual_grid((3, 3))
    np.testing.assert_allclose(found[["x1", "x2"]], grid.points)
    np.testing.assert_allclose(found[["diameter", "angle"]], grid.features)
    assert found["reachable"].tolist() == grid.reachable.tolist()
    assert f"{grid.reachable.sum()} of 9 nodes" in printed
    assert f"{grid.spacing:.3g} apart" in printed


def test_bounds_hold_for_the_features_that_they_name(run, screws, tmp_path):
    run("design", screws, "--grid", "3x2", "--bounds", "angle=10:20", "--out", "d")
    found = design_of(tmp_path / "d")
    assert found["angle"].between(10 - 1e-6, 20 + 1e-6).all()
    assert found["diameter"].between(50 - 1e-6, 100 + 1e-6).all()
    assert found["diameter"].max() > 80


def test_stimuli_that_are_reached_are_drawn_as_their_features_say(run, screws, tmp_path):
    (tmp_path / "points.csv").write_text("x1,x2\n0,0\n99,0\n0.1,0.2\n")
    run("design", screws, "--points", "points.csv", "--stimuli", "screws", "--out", "d")
    found = design_of(tmp_path / "d")
    assert found["reachable"].tolist() == [True, False, True]
    assert found["image"].notna().tolist() == found["reachable"].tolist()
    reached = found[found["reachable"]]
    names = Screws(reached[["diameter", "angle"]]).names
    assert reached["image"].tolist() == [f"screws/{name}.png" for name in names]
    assert all((tmp_path / "d" / image).is_file() for image in reached["image"])
    features = pd.read_csv(tmp_path / "d" / "features.csv")
    assert features["item"].tolist() == list(names)
    np.testing.assert_array_equal(features[["diameter", "angle"]], reached[["diameter", "angle"]])


def test_lines_are_evenly_spaced_in_one_dimension(run, lines, tmp_path):
    run("design", lines, "--grid", 5, "--stimuli", "lines", "--out", "d")
    found = design_of(tmp_path / "d")
    assert found["reachable"].all()
    np.testing.assert_allclose(np.diff(np.sort(found["length"])), 72, rtol=1e-2)


def test_a_model_alone_has_numbered_features_or_those_of_the_stimuli(run, lines, tmp_path):
    (lines / "model.npz").rename(tmp_path / "alone.npz")
    run("design", "alone.npz", "--grid", 3)
    assert list(design_of(tmp_path / "alone-design"))[1] == "f1"
    run("design", "alone.npz", "--grid", 3, "--stimuli", "lines")
    assert list(design_of(tmp_path / "alone-design"))[1] == "length"


def test_what_fit_leaves_is_what_design_takes(quick, tmp_path):
    x = Lines().features[::4]
    pairs = np.column_stack(np.triu_indices(len(x), 1))
    errors = np.rint(500 * np.exp(-((np.diff(x[pairs], axis=1)[:, 0, 0] / 100) ** 2)))
    names = Lines(x).names
    rs.Confusions(pairs, errors, 1000, rs.Items(names)).write(tmp_path / "c.csv")
    pd.DataFrame({"item": names, "length": x[:, 0]}).to_csv(tmp_path / "f.csv", index=False)
    words = ["--model", "yada", "--features", "f.csv", "--dims", 1, "--penalty", 1e-4, "--folds", 0]
    quick("fit", "c.csv", *words, "--bandwidth", 200)
    quick("design", "c-map", "--grid", 4, "--stimuli", "lines")
    found = design_of(tmp_path / "c-map-design")
    assert list(found) == ["x1", "length", "reachable", "distance", "image"]
    np.testing.assert_allclose(np.diff(np.sort(found["length"])), 96, rtol=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ["--grid", "--points"]),
        (["--grid", "3x3", "--points", "p.csv"], ["either"]),
        (["--grid", "3"], ["2 dimensions"]),
        (["--grid", "3x3", "--bounds", "hue=0:1"], ["'hue'", "diameter, angle"]),
        (["--grid", "3x3", "--bounds", "angle=9:1"], ["angle", "give the lower one first"]),
        (["--grid", "2x2", "--stimuli", "lines"], ["length", "diameter, angle"]),
        (["--points", "p.csv"], ["p.csv", "'x2'"]),
    ],
)
def test_what_cannot_be_is_told(run, screws, tmp_path, words, said):
    (tmp_path / "p.csv").write_text("x1\n0\n")
    message = run("design", screws, *words, code=1).stderr
    assert all(part in message for part in said), message
    assert not (tmp_path / "screws-map-design" / "design.csv").exists()
