"""Every reader takes labels as text, those too that look like numbers, truth values or nothing."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.cli.compare import groups_of
from resemblance.errors import JudgmentError, ResemblanceWarning
from resemblance.observers.model import read_vectors
from resemblance.study.features import ItemFeatures
from resemblance.study.files import read_rows

ODD = ("001", "1.0", "1e3", "true", "NA", "null", "nan", "inf", "-", "1_0", "0x1", "TRUE", "é")
NUMBERS = ("001", "002", "010", "0100")
TRUTH = ("true", "false", "True")
LABELS = {"odd": ODD, "numbers": NUMBERS, "truth": TRUTH}
PLAIN = pytest.mark.filterwarnings("ignore::resemblance.errors.ResemblanceWarning")


def table_of(labels):
    """Three columns, in each of which every label stands; rows compare different ones."""
    n = len(labels)
    columns = {role: [labels[(i + k) % n] for i in range(n)] for k, role in enumerate(ROLES)}
    return pd.DataFrame({**columns, "observer": list(labels)})


ROLES = ("head", "near", "far")


def written(frame, path):
    if path.suffix in (".csv", ".tsv"):
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")))
    elif path.suffix == ".json":
        path.write_text(json.dumps(frame.to_dict("records")))
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_parquet(path, index=False)
    return path


@PLAIN
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet"])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_judgments_and_experiments(tmp_path, labels, suffix):
    path = written(table_of(labels), tmp_path / f"answers{suffix}")
    read = [
        rs.read_triplets(path),
        rs.read_experiment(path).judgments,
        rs.read_triplets(table_of(labels)),
    ]
    raw = table_of(labels).rename(columns={"near": "left", "far": "right"}).assign(chosen="left")
    read.append(rs.read_experiment(written(raw, tmp_path / f"raw{suffix}")).judgments)
    for triplets in read:
        assert set(triplets.items.names) == set(labels)
        assert triplets.observer.tolist() == list(labels)
        names = np.array(triplets.items.names)[triplets.index]
        assert names.tolist() == table_of(labels)[list(ROLES)].to_numpy().tolist()


@PLAIN
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_tables_of_items_features_people_and_groups(tmp_path, labels):
    x = np.arange(len(labels), dtype=float)
    items = written(pd.DataFrame({"item": labels, "label": labels, "x": x}), tmp_path / "items.csv")
    read = rs.read_items(items, features=["x"])
    assert read.names == labels
    assert read.labels.tolist() == list(labels)
    written(pd.DataFrame({"item": labels, "x": x}), tmp_path / "vectors.csv")
    named = read_vectors(tmp_path / "vectors.csv", None)[1]
    assert named.names == labels
    features = ItemFeatures.read(tmp_path / "vectors.csv", ["x"], labels)
    assert list(features.rows) == list(labels)
    rows = [row["item"] for row in read_rows(items, ["item"])]
    assert rows == list(labels)
    people = pd.DataFrame({"observer": labels, "group": labels})
    assert groups_of(written(people, tmp_path / "people.csv"), "group") == dict(
        zip(labels, labels, strict=True)
    )


@PLAIN
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_joined_tables(tmp_path, labels):
    asked = table_of(labels)
    trials = asked[list(ROLES)].rename(columns={"near": "left", "far": "right"})
    design = written(trials.assign(trial=labels), tmp_path / "design.csv")
    answers = pd.DataFrame({"trial": labels, "chosen": "left", "observer": labels})
    groups = [f"group {label}" for label in labels]
    people = pd.DataFrame({"observer": labels, "group": groups})
    experiment = rs.read_experiment(
        written(answers, tmp_path / "answers.csv"),
        design=design,
        people=written(people, tmp_path / "people.csv"),
    )
    assert set(experiment.judgments.items.names) == set(labels)
    assert experiment.judgments.extra["group"].tolist() == groups


@PLAIN
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_matrices(tmp_path, labels):
    n = len(labels)
    square = pd.DataFrame(1.0 - np.eye(n), labels, labels)
    square.to_csv(tmp_path / "square.csv")
    assert rs.read_rdms(tmp_path / "square.csv").items.names == labels
    counts = pd.DataFrame(np.full((n, n), 3), labels, labels)
    counts.to_csv(tmp_path / "confusions.csv")
    assert rs.read_confusion_matrix(tmp_path / "confusions.csv").items.names == labels


@pytest.mark.parametrize(
    ("name", "cells"),
    [("practice", ["false", "true"]), ("block", ["01", "1"]), ("n", ["1.0", "1"])],
)
def test_rows_are_chosen_by_what_a_cell_says(tmp_path, name, cells):
    frame = pd.concat([table_of("abcdef")] * 2, ignore_index=True).assign(**{name: cells * 6})
    path = written(frame, tmp_path / "answers.csv")
    assert len(rs.read_experiment(path, only={name: cells[0]}).judgments) == 6


def test_numbers_and_texts_of_ids_are_one_label():
    for ids in ([1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], ["1.0", "2.0", "3.0"]):
        frame = pd.DataFrame({"head": ids, "near": ids[1:] + ids[:1], "far": ids[2:] + ids[:2]})
        triplets = rs.read_triplets(frame.assign(observer=ids))
        assert triplets.items.names == ("1", "2", "3")
        assert triplets.observer.tolist() == ["1", "2", "3"]
    assert rs.Triplets([[0, 1, 2]], observer=[12.0]).observer.tolist() == ["12"]


@pytest.mark.parametrize(
    ("one", "other", "label"),
    [
        ("tie ", "tie", "tie"),
        ("e\u0301", "\u00e9", "\u00e9"),
        ("o\u0308", "\u00f6", "\u00f6"),
        ("tie\u200b", "tie", "tie"),
        ("\ufefftie", "tie", "tie"),
        ("tie\u00a0", "tie", "tie"),
    ],
)
def test_ways_of_writing_a_label_are_joined_and_told(one, other, label):
    frame = pd.DataFrame({"head": [one, "a"], "near": ["b", other], "far": ["c", "b"]})
    with pytest.warns(ResemblanceWarning, match="written in several ways"):
        triplets = rs.read_triplets(frame)
    assert set(triplets.items.names) == {label, "a", "b", "c"}


def test_names_of_items_are_composed():
    items = rs.Items(["e\u0301", "a"])
    assert items.names == ("\u00e9", "a")
    assert items.positions(["\u00e9", "e\u0301"]).tolist() == [0, 0]
    with pytest.raises(JudgmentError, match="unique"):
        rs.Items(["e\u0301", "\u00e9"])


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".xlsx", ".json"])
def test_an_apostrophe_is_taken_off_only_where_it_was_put(tmp_path, suffix):
    frame = pd.DataFrame({"head": ["'=a", "'-b"], "near": ["'-b", "'=a"], "far": ["c", "c"]})
    read = rs.read_triplets(written(frame, tmp_path / f"answers{suffix}"))
    assert set(read.items.names) == {"'=a", "'-b", "c"}
    read.write(tmp_path / "again.csv")
    assert set(rs.read_triplets(tmp_path / "again.csv").items.names) == {"'=a", "'-b", "c"}


def test_sparse_ids_are_refused():
    ids = np.array([[10**8, 5, 7], [5, 7, 10**8]] * 10)
    with pytest.raises(JudgmentError) as raised:
        rs.Triplets(ids)
    assert raised.value.setting == "items"
    with pytest.raises(JudgmentError):
        rs.STE().fit(pd.DataFrame(ids, columns=list(ROLES)))
    with pytest.raises(JudgmentError):
        rs.Triplets([[0, 1, 20_000]] * 60)
    assert rs.Triplets([[0, 1, 20_000]], items=20_001).n_items == 20_001
    names, index = np.unique(ids, return_inverse=True)
    assert rs.Triplets(index.reshape(ids.shape), names).items.names[-1] == str(10**8)


def test_a_scan_of_sparse_ids_is_refused(tmp_path):
    np.save(tmp_path / "rows.npy", np.array([[10**8, 5, 7]] * 20, dtype=np.int32))
    with pytest.raises(JudgmentError):
        rs.Triplets.scan(tmp_path / "rows.npy")


@PLAIN
def test_decimal_commas_are_numbers_and_not_labels(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("head;near;far;rt\n0,5;1,5;2,5x;1,25\n1,5;2,5x;0,5;0,5\n")
    read = rs.read_triplets(path)
    assert set(read.items.names) == {"0,5", "1,5", "2,5x"}
    assert read.extra["rt"].tolist() == [1.25, 0.5]


def test_further_columns_are_numbers_only_where_all_cells_are(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "head,near,far,block,n,mixed,id,flag\n"
        "a,b,c,01,1,1,123456789012345678901,true\nb,c,a,02,2,x,123456789012345678902,FALSE\n"
    )
    extra = rs.read_triplets(path).extra
    assert extra["block"].tolist() == ["01", "02"]
    assert extra["n"].tolist() == [1, 2]
    assert extra["mixed"].tolist() == ["1", "x"]
    assert extra["id"].tolist() == ["123456789012345678901", "123456789012345678902"]
    assert extra["flag"].tolist() == [True, False]
