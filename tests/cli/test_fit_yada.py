"""`resemblance fit --model yada`: from counts and features to a map, settings chosen or given."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

FAST = "--model", "ste", "--penalty", 0.1, "--folds", 0
GIVEN = ["--dims", 1, "--penalty", 1e-3, "--bandwidth", 2]


@pytest.fixture
def counts(tmp_path):
    """Nine stimuli by two features, of which the first is seen, and as a cubic."""
    features = np.random.default_rng(0).uniform(-1, 1, size=(9, 2))
    pairs = np.column_stack(np.triu_indices(9, 1))
    gap = np.diff((features[:, 0] ** 3 * 2)[pairs])[:, 0]
    errors = np.random.default_rng(1).binomial(80, np.exp(-(gap**2)) / 2)
    names = [f"s{k}" for k in range(9)]
    rs.Confusions(pairs, errors, 80, rs.Items(names)).write(tmp_path / "counts.csv")
    table = pd.DataFrame({"item": names, "label": [*"aaaabbbbb"]})
    table[["width", "hue"]] = features
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "features.csv", index=False)
    return rs.read_confusions(
        tmp_path / "counts.csv",
        rs.read_items(tmp_path / "features.csv", features=["width", "hue"]),
    )


@pytest.fixture
def fit(quick, counts):
    """Fit those counts."""
    words = ["fit", "counts.csv", "--features", "features.csv", "--model", "yada"]
    return lambda *more, code=0: quick(*words, *more, code=code)


@pytest.fixture
def small_grid(monkeypatch):
    defaults = rs.YadaCV.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "penalties", (0.01, 1.0))
    monkeypatch.setitem(defaults, "bandwidths", (0.5, 2.0))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_map_is_that_of_the_estimator(fit, report, counts, tmp_path, kernel):
    settings = {"choice": "exponential", "lapse": 0.1, "penalty": 0.02, "kernel": kernel}
    settings |= {"bandwidth": 0.7} if kernel == "rbf" else {}
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    fit("--folds", 0, "--seed", 3, *words)
    model = rs.Yada(2, random_state=3, **settings).fit(counts)
    written = pd.read_csv(tmp_path / "counts-map" / "embedding.csv")
    np.testing.assert_allclose(written[["x1", "x2"]], model.embedding_, rtol=1e-9, atol=1e-12)
    saved = rs.load(tmp_path / "counts-map" / "model.npz")
    np.testing.assert_allclose(saved.transform([[0.1, 0.2]]), model.transform([[0.1, 0.2]]))
    found = report("counts-map")
    assert found["fit"]["log_likelihood"] == pytest.approx(model.score(counts))
    assert found["tuning"] is None
    assert found["held_out"] is None


def test_it_leaves_the_usual_folder_with_names_and_counts(run, counts, report, tmp_path):
    words = ["counts.csv", "--features", "features.csv", "--model", "yada", *GIVEN, "--folds", 3]
    printed = run("fit", *words).stdout
    names = {"embedding.csv", "directions.csv", "map.png", "map.html", "report.json", "model.npz"}
    assert {path.name for path in (tmp_path / "counts-map").iterdir()} == names
    assert "width, hue" in printed
    assert "2,880 trials" in printed
    found = report("counts-map")
    assert found["status"] == "complete"
    assert found["features"] == ["width", "hue"]
    assert found["data"]["kind"] == "confusions"
    assert (found["data"]["trials"], found["data"]["errors"]) == (2880, counts.errors.sum())
    assert found["labels"]["classes"] == 2


def test_held_out_likelihoods_are_those_of_the_folds(fit, report, counts):
    fit(*GIVEN, "--folds", 4)
    model = rs.Yada(1, penalty=1e-3, bandwidth=2, random_state=0)
    folds = rs.GroupedKFold(4, random_state=0).split(counts)
    scores = [model.fit(counts[train]).score(counts[test]) for train, test in folds]
    found = report("counts-map")["held_out"]
    np.testing.assert_allclose(found["log_likelihood_of_folds"], scores, rtol=1e-9)
    assert found["log_likelihood"] == pytest.approx(np.mean(scores))
    assert found["guessing"]["log_likelihood"] < found["log_likelihood"] < found["own_ratios"]


def test_open_settings_are_chosen_as_yada_cv_does(fit, report, counts, small_grid):
    printed = fit("--folds", 0, "--dims", 1, "--seed", 5).stdout
    unit = np.sqrt(counts.items.features.var(axis=0).mean())
    search = rs.YadaCV(
        rs.Yada(1, random_state=5), penalties=(0.01, 1.0), bandwidths=unit * np.array([0.5, 2.0]),
        random_state=5,
    ).fit(counts)  # fmt: skip
    found = report("counts-map")
    np.testing.assert_allclose(found["tuning"]["scores"], search.scores_, rtol=1e-6)
    assert found["model"]["parameters"]["penalty"] == search.best_penalty_
    assert found["model"]["parameters"]["bandwidth"] == pytest.approx(search.best_bandwidth_)
    assert found["settings"]["penalty"] is found["settings"]["bandwidth"] is None
    assert "penalty and bandwidth chosen" in " ".join(printed.split())


def test_the_columns_of_features_can_be_named(fit, report, tmp_path):
    table = pd.read_csv(tmp_path / "features.csv").rename(columns={"item": "stimulus"})
    table.assign(note="seen").to_csv(tmp_path / "features.csv", index=False)
    words = ["--item-columns", "item=stimulus", *GIVEN, "--folds", 0]
    fit(*words, "--feature-columns", "hue, width")
    assert report("counts-map")["features"] == ["hue", "width"]
    message = fit(*words, code=1).stderr
    assert "note must be a number" in message
    assert "--feature-columns" in message
    message = fit(*words, "--feature-columns", "height", code=1).stderr
    assert "'height'" in message
    assert "--feature-columns" in message


def test_other_counts_are_scored(fit, quick, counts, tmp_path):
    fit(*GIVEN, "--folds", 0)
    later = rs.Confusions(counts.index, 80 - counts.errors, 80, counts.items)[::2]
    later.write(tmp_path / "later.csv")
    found = json.loads(quick("score", "counts-map", "later.csv", "--json").stdout)
    model = rs.load(tmp_path / "counts-map" / "model.npz")
    assert (found["data"]["rows"], found["data"]["trials"]) == (18, 18 * 80)
    found = found["held_out"]
    assert found["log_likelihood"] == pytest.approx(model.score(later))
    assert found["interval"][0] < found["log_likelihood"] < found["interval"][1]
    assert found["log_likelihood"] < found["own_ratios"] == later.own_ratios
    printed = quick("score", "counts-map", "later.csv").stdout
    assert f"{found['log_likelihood']:.3f} (95% interval" in printed
    message = quick("score", "counts-map", "later.csv", "--kind", "triplets", code=1).stderr
    assert "--kind applies to comparisons" in message
    (tmp_path / "odd.csv").write_text("a,b,errors,trials\ns1,s77,3,10\n")
    assert "'s77' is not among the 9" in quick("score", "counts-map", "odd.csv", code=1).stderr


def test_a_map_keeps_the_shape_that_is_asked_for(fit, report, counts, tmp_path):
    words = ["--penalty", 1e-3, "--bandwidth", 2, "--folds", 0]
    fit(*words, "--dims", 1, "--monotone", "width")
    saved = rs.load(tmp_path / "counts-map" / "model.npz")
    assert saved.form_.least_slope(saved.components_) > 0
    assert report("counts-map")["settings"]["monotone"] == ["width"]
    assert report("counts-map")["model"]["parameters"]["monotone"] == [0]
    fit(*words, "--dims", 2, "--one-to-one")
    assert rs.load(tmp_path / "counts-map" / "model.npz").one_to_one
    message = fit(*words, "--dims", 1, "--monotone", "weight", code=1).stderr
    assert "--monotone has no feature 'weight': use some of width, hue" in message


def test_the_nearest_items_are_written(fit, quick, answers, tmp_path):
    fit(*GIVEN, "--folds", 0, "--neighbours", "near.csv")
    table = pd.read_csv(tmp_path / "near.csv")
    model = rs.load(tmp_path / "counts-map" / "model.npz")
    expected = rs.nearest_items(model, 8).to_pandas()
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    quick("fit", answers, *FAST, "--neighbours", "near.jsonl")
    assert len(rs.read_items(tmp_path / "answers-map" / "embedding.csv")) == 9
    assert pd.read_json(tmp_path / "near.jsonl", lines=True)["rank"].max() == 8
