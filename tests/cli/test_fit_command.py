"""`resemblance fit`: it computes what the library computes, and leaves all of it in a folder."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.model_selection import cross_val_score

import resemblance as rs
from map_page import pictures
from resemblance.catalog import MODELS, choices_in
from resemblance.scores.ceiling import WIDEST

FAST = "--model", "ste", "--penalty", 0.1, "--folds", 0
FILES = {"embedding.csv", "map.png", "map.html", "model.npz", "overruled.csv", "report.json"}


def as_fit_has(name):
    """The settings in which the command differs from the class."""
    return {key: MODELS[name].settings[key] for key in ("penalty",) if key in MODELS[name].settings}


def positions(folder):
    return pd.read_csv(folder / "embedding.csv").filter(regex="^x")


def test_a_file_alone_gives_the_four_files_beside_it(run, answers, tmp_path):
    printed = run("fit", answers, "--model", "ste").stdout
    assert {path.name for path in (tmp_path / "answers-map").iterdir()} == FILES
    assert "answers-map/map.html" in printed
    assert "400 triplets" in printed
    assert "95% interval" in printed


@pytest.mark.parametrize(
    ("name", "form"), [("tste", "coordinates"), ("gnmds", "coordinates"), ("ckl", "gram")]
)
def test_positions_are_those_of_the_estimator(quick, report, answers, tmp_path, name, form):
    quick("fit", answers, "--model", name, "--form", form, "--folds", 0, "--seed", 3, "--out", "m")
    settings = as_fit_has(name) if form == "coordinates" else {}
    model = MODELS[name].load()(form=form, random_state=3, **settings)
    model.fit(rs.read_triplets(answers))
    np.testing.assert_allclose(positions(tmp_path / "m"), model.embedding_, rtol=1e-12)
    found = report("m")
    assert found["fit"]["loss"] == model.loss_
    assert found["held_out"] is None
    assert found["model"]["how_to_cite"] == MODELS[name].reference


@pytest.mark.parametrize("by", ["question", "response_id"])
def test_held_out_errors_are_those_of_the_folds(quick, report, answers, table, by):
    if by == "response_id":
        table.assign(response_id=np.arange(len(table)) // 3).to_csv(answers, index=False)
    given = () if by == "question" else ("--penalty", 0.1)
    units = () if by == "question" else ("--by", by)
    quick("fit", answers, "--model", "tste", "--folds", 4, *given, *units)
    found = report("answers-map")["held_out"]
    folds = rs.GroupedKFold(4, by=by, random_state=0)
    told = rs.read_triplets(answers)
    penalty = 0.1 if given else rs.TSTE(random_state=0, penalty="auto").fit(told).penalty_
    scores = cross_val_score(rs.TSTE(random_state=0, penalty=penalty), told, cv=folds)
    assert found["by"] == by
    np.testing.assert_allclose(found["error_of_folds"], 1 - scores, rtol=1e-12)
    assert found["error"] == pytest.approx(1 - scores.mean())
    assert found["standard_error"] >= scores.std(ddof=1) / 2 - 1e-12
    assert found["interval"][0] < found["error"] < found["interval"][1]


def about_five_items(table):
    """Merge items until there are five, and leave out the rows that then name one item twice."""
    five = table.assign(**table[["head", "near", "far"]] % 5)
    return five[five.nunique(axis=1) == 4]


def test_auto_dimensions_are_those_of_select_dimension(quick, report, answers, table, tmp_path):
    about_five_items(table).to_csv(answers, index=False)
    printed = quick("fit", answers, "--dims", "auto", "--folds", 3, "--model", "ste").stdout
    judgments, cv = rs.read_triplets(answers), rs.GroupedKFold(3, random_state=0)
    model = rs.STE(random_state=0, penalty="auto")
    curve = rs.select_dimension(model, judgments, range(1, 5), cv=cv)
    found = report("answers-map")
    np.testing.assert_allclose(found["dimensions"]["error"], curve.error_mean)
    np.testing.assert_allclose(found["dimensions"]["standard_error"], curve.error_se)
    assert found["dimensions"]["dims"] == [1, 2, 3, 4]
    assert (
        found["dimensions"]["chosen"]
        == curve.chosen
        == positions(tmp_path / "answers-map").shape[1]
    )
    assert found["held_out"]["error"] == pytest.approx(curve.error_mean[curve.chosen - 1])
    assert (tmp_path / "answers-map" / "dimensions.png").stat().st_size > 0
    assert "one-standard-error" in printed


def test_other_columns_are_read_by_their_names(quick, answers, table, tmp_path):
    quick("fit", answers, *FAST, "--out", "plain")
    table.columns = ["this", "like", "unlike", "who"]
    table.to_csv(tmp_path / "other.csv", index=False)
    roles = "head=this, near=like, far=unlike, observer=who"
    quick("fit", "other.csv", "--columns", roles, *FAST, "--out", "named")
    written = [(tmp_path / name / "embedding.csv").read_bytes() for name in ("plain", "named")]
    assert written[0] == written[1]


def test_numbers_of_items_are_directions_of_the_map(run, report, answers, tmp_path):
    run("fit", answers, *FAST)
    X = positions(tmp_path / "answers-map").to_numpy()
    ids = pd.read_csv(tmp_path / "answers-map" / "embedding.csv")["item"]
    numbers = {"length": X[:, 0], "price": [3, 1, 4, 1, 5, 9, 2, 6, 5], "year": 1999}
    items = pd.DataFrame({"id": ids, **numbers, "maker": list("aabbccaab")})
    items.sample(frac=1, random_state=0).to_csv(tmp_path / "items.csv", index=False)
    printed = run("fit", answers, "--items", "items.csv", *FAST).stdout
    table = pd.read_csv(tmp_path / "answers-map" / "directions.csv")
    assert table["feature"].tolist() == ["length", "price"]
    assert table["share"][0] > 0.99
    direction = rs.feature_directions(X, {"length": X[:, 0]}).direction
    np.testing.assert_allclose(table.loc[0, ["x1", "x2"]].astype(float), direction[0], atol=1e-3)
    page = (tmp_path / "answers-map" / "map.html").read_text(encoding="utf-8")
    assert '"arrows":[{"name":"length"' in page
    assert [row["feature"] for row in report("answers-map")["directions"]] == ["length", "price"]
    assert "year" in printed
    run("fit", answers, *FAST)
    assert not (tmp_path / "answers-map" / "directions.csv").exists()


def test_words_of_several_people_are_directions_of_the_map(run, report, tmp_path):
    rng = np.random.default_rng(0)
    X, shown = rng.normal(size=(16, 2)), rng.random((800, 16)).argpartition(3, axis=1)[:, :3]
    told = rs.SpaceObserver(1.5 * X, random_state=0).answer(rs.OddOneOuts(shown, shown[:, 0], 16))
    z = X[told.index[:, 0]] - X[told.index[:, 1:]].mean(axis=1)
    people = np.arange(800) % 20
    words = np.where(z[:, 0] > 0, "<b>$louder", "quieter")
    words = np.where((people == 7) | (rng.random(800) < 0.1), "zebra", words)
    words = np.where((people != 7) & (words == "zebra"), "", words)
    extra = {"reason": words}
    odd = rs.OddOneOuts(told.index, told.index[:, 0], 16, observer=people.astype(str), extra=extra)
    odd.write(tmp_path / "odd.csv")
    printed = run("fit", "odd.csv", "--kind", "odd_one_outs", *FAST).stdout
    table = pd.read_csv(tmp_path / "odd-map" / "directions.csv")
    assert {*table["word"]} == {"<b>$louder", "quieter"}
    assert table["p_value"].max() < 0.05
    assert table["correlation"].min() > 0.3
    pd.testing.assert_frame_equal(pd.DataFrame(report("odd-map")["words"]), table)
    page = (tmp_path / "odd-map" / "map.html").read_text(encoding="utf-8")
    assert "<b>$louder" not in page
    assert "\\u003cb>$louder" in page
    assert "quieter" in printed
    files = {*(tmp_path / "odd-map").glob("*.*")} - {tmp_path / "odd-map" / "overruled.csv"}
    assert all(b"zebra" not in file.read_bytes() for file in files)  # besides the answers' own rows


@pytest.mark.parametrize("words", [range(40), ["same"] * 40, [f"w{k}" for k in range(40)]])
def test_words_that_tell_no_direction_are_named(run, report, tmp_path, words):
    index = np.random.default_rng(0).random((40, 8)).argsort()[:, :3]
    told = {"observer": np.arange(40) % 4, "extra": {"reason": list(words)}}
    rs.OddOneOuts(index, index[:, 0], 8, **told).write(tmp_path / "odd.csv")
    run("fit", "odd.csv", "--kind", "odd_one_outs", *FAST)
    assert any("reason" in line for line in report("odd-map")["warnings"])
    assert report("odd-map")["words"] is None


def test_items_give_names_labels_and_pictures(run, report, answers, tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "dot.png")
    items = {
        "id": range(9),
        "name": list("ABCDEFGHI"),
        "genre": list("xxxxyyyyy"),
        "image": "dot.png",
    }
    pd.DataFrame(items).to_csv(tmp_path / "items.csv", index=False)
    run("fit", answers, "--items", "items.csv", "--item-columns", "label=genre", *FAST)
    written = pd.read_csv(tmp_path / "answers-map" / "embedding.csv")
    ellipse = ["var_x1", "var_x2", "cov_x1_x2"]
    assert list(written) == ["item", "name", "label", "x1", "x2", *ellipse, "mentioned"]
    variances = written[ellipse[:2]].to_numpy()
    assert (written["cov_x1_x2"] ** 2 < variances.prod(axis=1)).all()
    assert written["name"].tolist() == items["name"]
    page = (tmp_path / "answers-map" / "map.html").read_text(encoding="utf-8")
    assert '"names":["A","B"' in page
    assert pictures(page) == 9
    labels = report("answers-map")["labels"]
    X = written[["x1", "x2"]]
    assert labels["neighbour_error"] == pytest.approx(rs.neighbour_error(X, items["genre"]))
    assert labels["majority_error"] == pytest.approx(4 / 9)
    assert labels["balanced_majority_error"] == 0.5


def test_catch_trials_are_kept_apart_and_counted(quick, report, answers, table):
    catch = pd.DataFrame([[0, 0, 1, "ann"], [1, 2, 1, "bob"]], columns=table.columns)
    pd.concat([table, catch]).to_csv(answers, index=False)
    message = quick("fit", answers, code=1).stderr
    assert "line 402" in message
    assert "--on-error skip" in message
    assert "1 of 2 passed" in quick("fit", answers, "--on-error", "skip", *FAST).stdout
    found = report("answers-map")["data"]
    assert found["rows"] == 400
    assert found["catch_trials"]["pass_rate_by_observer"] == {"ann": 1.0, "bob": 0.0}


def test_noise_ceiling_is_that_of_the_repeated_questions(quick, report, answers, table):
    quick("fit", answers, *FAST)
    expected = rs.noise_ceiling(rs.read_triplets(answers))
    found = report("answers-map")["noise_ceiling"]
    least, most = 1 - expected.interval[1], 1 - expected.interval[0]
    assert found["interval"] == [least, most]
    assert (found["error"] is None) == (most - least > WIDEST)  # by so few it is not told
    table.drop(columns="observer").drop_duplicates().head(8).to_csv(answers, index=False)
    printed = quick("fit", answers, *FAST).stdout
    assert report("answers-map")["noise_ceiling"]["error"] is None
    assert "unknown" in printed


def test_quadruplets_and_choices_are_read_as_such(quick, report, answers, tmp_path):
    triplets = rs.read_triplets(answers)
    rs.Quadruplets(triplets.index[:, [0, 1, 0, 2]]).write(tmp_path / "four.csv")
    quick("fit", "four.csv", "--kind", "quadruplets", *FAST)
    options = triplets.index[:, 1:]
    rs.Choices(triplets.index[:, 0], options, options[:, 0]).write(tmp_path / "many.csv")
    quick("fit", "many.csv", "--kind", "choices", *FAST)
    losses = [report(name)["fit"]["loss"] for name in ("four-map", "many-map")]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)  # each descent ends where it may


def test_odd_ones_out_are_fitted_held_out_and_scored(quick, report, tmp_path):
    rng = np.random.default_rng(0)
    shown = np.array([rng.choice(6, 3, replace=False) for _ in range(90)])
    x = np.array([0.0, 0.1, 0.2, 3.0, 3.1, 3.2])
    odd = [row[np.abs(x[row] - np.median(x[row])).argmax()] for row in shown]
    rows = [
        {"odd": str(o), "options": "|".join(map(str, row))}
        for o, row in zip(odd, shown, strict=True)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "odd.csv", index=False)
    quick("fit", "odd.csv", "--kind", "odd_one_outs", "--model", "ste", "--dims", 1, "--folds", 3)
    found = report("odd-map")
    judgments = rs.read_odd_one_outs(tmp_path / "odd.csv")
    expected = rs.evaluate(rs.STE(1, random_state=0, penalty="auto"), judgments, cv=3)
    assert found["data"]["kind"] == "odd_one_outs"
    assert found["held_out"]["error"] == pytest.approx(expected.held_out.error)
    assert found["held_out"]["guessing"]["error"] == pytest.approx(2 / 3)
    scored = json.loads(quick("score", "odd-map", "odd.csv", "--json").stdout)
    assert scored["seen"]["error"] == pytest.approx(1 - expected.model.score(judgments))


@pytest.fixture
def clicks(tmp_path):
    """Two searches whose clicks were kept."""
    rows = [
        {"head": "3", "chosen": "1", "options": ["1", "4", "7"], "search": "a"},
        {"head": "2", "chosen": "8", "options": ["8", "5", "0"], "search": "b"},
    ]
    path = tmp_path / "clicks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_clicks_are_fitted_with_the_answers_and_never_tested(run, report, answers, clicks):
    printed = run(
        "fit", answers, "--model", "tste", "--clicks", clicks, "--folds", 4, "--out", "m"
    ).stdout
    triplets = rs.read_triplets(answers)
    both = rs.join_judgments([triplets, rs.read_choices(clicks, triplets.items)])
    model = rs.TSTE(random_state=0, penalty="auto").fit(both)
    np.testing.assert_allclose(positions(Path("m")), model.embedding_, rtol=1e-12)
    found = report("m")
    assert (found["settings"]["clicks"], found["data"]["extra"]) == (str(clicks), 2)
    assert (found["data"]["rows"], found["data"]["kind"]) == (400, "triplets")
    errors = []
    for train, test in rs.GroupedKFold(4, random_state=0).split(triplets):
        fold = rs.TSTE(random_state=0, penalty=model.penalty_)
        fold.fit(rs.join_judgments([triplets[train], both[400:]]))
        errors.append(1 - fold.score(triplets[test]))
    np.testing.assert_allclose(found["held_out"]["error_of_folds"], errors, rtol=1e-12)
    assert "400 triplets and 2 clicks" in printed


def test_a_page_shows_how_sure_positions_are(run, answers, tmp_path):
    def told(*words):
        run("fit", answers, *FAST, *words, "--out", "m")
        return '"uncertainty":[' in (tmp_path / "m" / "map.html").read_text()

    assert told("--model", "tste")
    explained = json.loads((tmp_path / "m" / "report.json").read_text())["explanations"]
    assert sum(one["weight"] for one in explained) == pytest.approx(1.0)
    assert all(0.0 <= one["lapse"] < 1.0 for one in explained)
    assert not told("--model", "gnmds")
    assert not told("--model", "ste", "--form", "gram")


def test_the_model_is_chosen_by_log_loss_and_then_the_dimensions(quick, report, answers, table):
    about_five_items(table).to_csv(answers, index=False)
    printed = quick("fit", answers, "--dims", "auto", "--folds", 2).stdout
    found = report("answers-map")
    compared = rs.compare_models(rs.read_triplets(answers))
    losses = {name: row["log_loss"] for name, row in found["models"].items()}
    expected = compared.to_pandas()["log_loss"].to_dict()
    assert {"tste", "ste"} < losses.keys() <= expected.keys()  # until one brings no gain
    assert losses == pytest.approx({name: expected[name] for name in losses})
    model, settings = choices_in(2)[compared.chosen]
    assert MODELS[model].path.endswith(f":{found['model']['estimator']}")
    assert settings.items() <= found["model"]["parameters"].items()
    assert found["dimensions"] is not None
    assert found["settings"]["model"] == "auto"
    assert "log loss" in printed


@pytest.mark.parametrize("words", [["--alpha", 2], ["--form", "gram"]])
def test_what_does_not_go_with_a_model_to_be_chosen(quick, answers, words):
    quick("fit", answers, "--model", "auto", *words, code=1)


def test_features_of_the_items_are_a_prior(quick, report, answers, points, tmp_path):
    features = pd.DataFrame(points * [1, 100], columns=["hue", "size"]).rename_axis("item")
    features.to_csv(tmp_path / "features.csv")
    with_them = "--features", tmp_path / "features.csv", "--folds", 0
    quick("fit", answers, "--model", "ste", *with_them)
    found = report("answers-map")
    assert 0.0 < found["prior"]["share"] <= 1.0
    assert found["prior"]["map"] in ("linear map", "kernel map")
    assert found["features"] == ["hue", "size"]
    assert rs.load(tmp_path / "answers-map" / "model.npz").transform([[0, 0]]).shape == (1, 2)
    quick("fit", answers, "--model", "ste", *with_them, "--form", "gram", code=1)
    quick("fit", answers, "--model", "gnmds", *with_them, code=1)
    noise = pd.DataFrame({"x": np.random.default_rng(0).normal(size=len(features))}, features.index)
    noise.to_csv(tmp_path / "noise.csv")
    quick("fit", answers, "--model", "ste", *with_them, "--features", tmp_path / "noise.csv")
    assert report("answers-map")["prior"]["share"] > 0.0


def test_counts_and_likeness_of_pairs_are_read_as_what_they_are(quick, report, tmp_path):
    """Counts get a map of a model of distances; of similar pairs the models are named."""
    pairs = np.column_stack(np.triu_indices(8, 1))
    table = pd.DataFrame({"a": pairs[:, 0], "b": pairs[:, 1]})
    errors = np.random.default_rng(0).binomial(40, 0.3, len(pairs))
    table.assign(errors=errors, trials=40).to_csv(tmp_path / "counts.csv", index=False)
    table.assign(similar=pairs[:, 1] < 4).to_csv(tmp_path / "similar.csv", index=False)
    for options in ([], ["--kind", "confusions"], ["--model", "ckl", "--dims", "auto"]):
        quick("fit", "counts.csv", "--out", "map", "--folds", "3", *options)
        found = report("map")
        assert found["settings"]["kind"] == found["data"]["kind"] == "confusions"
        assert found["data"]["trials"] == 40 * len(pairs)
        assert found["held_out"]["answers"] == len(pairs)
    told = quick("fit", "similar.csv", code=1).stderr
    assert "similar pairs" in told
    assert "MMC" in told
    assert not (tmp_path / "similar-map").exists()
