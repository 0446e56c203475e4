"""A data set is read back as it was, its card is YAML that says what is there, and names nobody."""

import numpy as np
import pandas as pd
import pytest
import yaml
from pyarrow import parquet

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, SettingError
from resemblance.judgments.dataset import KINDS

NAMES = ["bow", "knot", "clip", "pin | a", "ring"]
TOLD = {"title": "Ties: a test", "license": "CC-BY-4.0", "asked": "Which is\nmore alike?"}
WHO = ["P2", "P1", "P2"]
EACH = {
    "triplets": rs.Triplets([[0, 1, 2], [2, 0, 1], [1, 2, 0]], NAMES, observer=WHO),
    "quadruplets": rs.Quadruplets([[0, 1, 2, 3]], NAMES, weight=[2.0]),
    "choices": rs.Choices([0, 1], [[1, 2, 3], [0, 2, 3]], chosen=[1, 2], items=NAMES),
    "odd_one_outs": rs.OddOneOuts([[0, 1, 2], [1, 2, 4]], odd=[0, 4], items=NAMES),
    "confusions": rs.Confusions([[0, 1]], errors=[3], trials=[9], items=NAMES),
    "ratings": rs.Ratings([[0, 1], [1, 4]], rating=[1, 4], points=5, items=NAMES),
    "similar_pairs": rs.SimilarPairs([[0, 1], [1, 4]], similar=[True, False], items=NAMES),
    "arrangements": rs.Arrangements(
        [[0, 2, 1], [1, 4, 3]],
        [[[0, 0], [0.5, 0], [0, 1]], [[1, 0], [0, 1], [0, -1]]],
        NAMES,
        observer=["P1", "P2"],
    ),
}


def card_of(folder):
    text = (folder / "README.md").read_text(encoding="utf-8")
    empty, front, body = text.split("---\n", 2)
    assert empty == ""
    return yaml.safe_load(front), body


def written(judgments, folder, **more):
    rs.write_dataset(judgments, folder, **TOLD, **more)
    return card_of(folder)


def test_every_kind_is_among_them():
    assert [one.name for one in KINDS] == list(EACH)


@pytest.mark.parametrize("name", EACH)
def test_it_is_read_back_as_it_was(name, tmp_path):
    judgments = EACH[name]
    front, _ = written(judgments, tmp_path / "out")
    read = getattr(rs, f"read_{name}")
    again = read(tmp_path / "out" / f"{name}.parquet", items=tmp_path / "out" / "items.parquet")
    assert type(again) is type(judgments)
    assert again.items.names == judgments.items.names  # those that no row mentions too
    np.testing.assert_array_equal(again.index, judgments.index)
    for measure in (*judgments.measures, "weight", "observer"):
        np.testing.assert_array_equal(getattr(again, measure), getattr(judgments, measure))
    assert [one["config_name"] for one in front["configs"]] == [name, "items"]
    rows = pd.read_parquet(tmp_path / "out" / f"{name}.parquet")
    assert len(rows) == len(judgments.to_pandas())


@pytest.mark.parametrize("name", EACH)
def test_the_card_names_every_column_with_its_type(name, tmp_path):
    front, body = written(EACH[name], tmp_path / "out")
    for config, told in zip(front["configs"], front["dataset_info"], strict=True):
        [file] = config["data_files"]
        schema = parquet.read_schema(tmp_path / "out" / file["path"])
        assert config["config_name"] == told["config_name"]
        assert [one["name"] for one in told["features"]] == schema.names
        for feature in told["features"]:
            assert f"| {feature['name']} |" in body
        kinds = {one["name"]: one.get("dtype", one.get("list")) for one in told["features"]}
        assert set(kinds.values()) <= {"string", "int64", "int32", "float64", "bool"}
        assert (
            told["splits"][0]["num_examples"]
            == parquet.read_metadata(tmp_path / "out" / file["path"]).num_rows
        )
    options = [one for one in front["dataset_info"][0]["features"] if one["name"] == "options"]
    assert all(one == {"name": "options", "list": "string"} for one in options)
    assert bool(options) is (name in ("choices", "odd_one_outs"))


def test_the_card_says_how_it_was_asked_and_what_may_be_done(tmp_path):
    front, body = written(
        EACH["triplets"],
        tmp_path / "out",
        authors=["Young, Ann", "A Laboratory"],
        doi="10.17605/OSF.IO/ABCDE",
        excluded="Two people who guessed were left out.",
        tags=["ties"],
    )
    assert (front["license"], front["pretty_name"]) == ("cc-by-4.0", "Ties: a test")
    assert front["size_categories"] == ["n<1K"]
    assert "ties" in front["tags"]
    assert "> Which is more alike?" in body  # one line
    for told in ("2 people", "Two people who guessed", "Young, Ann", "OSF.IO/ABCDE", "CC-BY-4.0"):
        assert told in body


def test_the_code_of_the_card_reads_it(tmp_path, monkeypatch):
    (tmp_path / "both.csv").write_text(
        "head,near,far,observer\nbow,bow,knot,P1\nbow,knot,clip,P2\n"
    )
    catches = rs.read_triplets(tmp_path / "both.csv", items=NAMES, on_error="skip")
    _, body = written(catches, tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    found = {}
    exec(body.split("```python\n")[1].split("```")[0], found)
    assert (len(found["triplets"]), len(found["triplets"].catches)) == (1, 1)
    assert "2 people" in body  # who answered catch trials alone counts


def test_titles_labels_and_features_of_items_are_kept(tmp_path):
    items = rs.Items(
        ["a", "b", "c"], [[1.0, 2.0]] * 3, labels=["x", None, "y"], titles=["A", "B", "C"]
    )
    written(rs.Triplets([[0, 1, 2]], items), tmp_path / "out")
    again = rs.read_items(tmp_path / "out" / "items.parquet", features=["x1", "x2"])
    assert (again.names, again.titles) == (items.names, items.titles)
    assert again.labels.tolist() == ["x", None, "y"]
    np.testing.assert_array_equal(again.features, items.features)


@pytest.mark.parametrize("name", ["5f0c3a2b1d4e6f7a8b9c0d1e", "A2SUAM1J3GNN3B", "ann@example.org"])
def test_ids_of_people_are_refused_and_can_be_numbered(name, tmp_path):
    judgments = rs.Triplets([[0, 1, 2], [0, 2, 1]], NAMES, observer=["me", name])
    with pytest.raises(FileError, match="row 1") as refused:
        written(judgments, tmp_path / "out")
    assert 'observers="number"' in str(refused.value)
    assert not (tmp_path / "out").exists()
    written(judgments, tmp_path / "out", observers="number")
    again = rs.read_triplets(tmp_path / "out" / "triplets.parquet")
    assert again.observer.tolist() == ["P1", "P2"]
    for file in (tmp_path / "out").iterdir():
        assert name.encode() not in file.read_bytes()


def test_an_extra_column_needs_words(tmp_path):
    judgments = rs.Triplets([[0, 1, 2]], NAMES, extra={"rt_ms": [812.0]})
    with pytest.raises(FileError, match="rt_ms"):
        written(judgments, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    _, body = written(judgments, tmp_path / "out", columns={"rt_ms": "Milliseconds."})
    assert "| rt_ms | float64 | Milliseconds. |" in body


def test_what_cannot_be_written_is_refused(tmp_path):
    triplets = EACH["triplets"]
    with pytest.raises(SettingError, match="ODbL"):
        rs.write_dataset(triplets, tmp_path / "out", **{**TOLD, "license": "mine"})
    with pytest.raises(SettingError, match="observers"):
        written(triplets, tmp_path / "out", observers="hash")
    with pytest.raises(JudgmentError, match="PairRanks"):
        written(rs.PairRanks([[0, 1], [1, 2]], ranks=[1, 2]), tmp_path / "out")
    written(triplets, tmp_path / "out")
    with pytest.raises(FileError, match="out is there"):
        written(triplets, tmp_path / "out")
