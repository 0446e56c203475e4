"""`resemblance fit FOLDER`: answers that stay on the disk."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.fitting.objective import stored as stored_room


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Four thousand triplets in two files, of which a fit begins with a few hundred."""
    monkeypatch.setattr(stored_room, "SAMPLE_ROWS", 500)
    monkeypatch.setattr(stored_room, "MOST_ROWS", 500)
    told = rs.datasets.digits_triplets(4000, n_items=30, n_neighbours=10, random_state=0)
    place = tmp_path / "answers"
    place.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(4000), 2)):
        told[rows].write(place / f"{number}.parquet")
    return place


def test_a_folder_is_fitted_and_scored_on_rows_held_out(run, folder, tmp_path):
    said = run("fit", folder, "--model", "ste", "--penalty", "0.1").stdout
    made = tmp_path / "answers-map"
    report = json.loads((made / "report.json").read_text())
    assert report["status"] == "complete"
    rows = report["rows"]
    assert rows["scanned"] == 4000 == rows["fitted"] + rows["held_out"]
    assert rows["scored"] == rows["held_out"] > 10
    assert report["held_out"]["error"] < 0.35
    assert f"{rows['fitted']:,} triplets" in said
    positions = pd.read_csv(made / "embedding.csv")
    assert len(positions) == 30
    model = rs.load(made / "model.npz")
    np.testing.assert_allclose(model.embedding_, positions[["x1", "x2"]], atol=1e-9)
    assert (made / "map.png").stat().st_size > 1000
    assert "<svg" in (made / "map.html").read_text() or (made / "map.html").stat().st_size > 1000


def test_many_items_are_shown_in_part(run, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("resemblance.cli.fitting.MOST_SHOWN", 10)
    run("fit", folder, "--model", "ste", "--penalty", "0.1")
    page = (tmp_path / "answers-map" / "map.html").read_text()
    assert "10 of 30 items" in page
    assert len(pd.read_csv(tmp_path / "answers-map" / "embedding.csv")) == 30


@pytest.mark.parametrize(
    "words",
    [
        ["--folds", "5"],
        ["--by", "observer"],
        ["--dims", "auto"],
        ["--model", "auto"],
        ["--kind", "ratings"],
        ["--clicks", "clicks.jsonl"],
    ],
)
def test_what_is_not_done_with_a_folder_is_refused(run, folder, tmp_path, words):
    (tmp_path / "clicks.jsonl").write_text('{"head": "1", "chosen": "2", "options": ["2", "3"]}\n')
    said = run("fit", folder, *words, code=1).stderr
    assert words[0] in said
    assert not (tmp_path / "answers-map").exists()


def test_a_broken_file_is_named(run, folder):
    (folder / "0.parquet").write_bytes(b"PAR1")
    assert "0.parquet" in run("fit", folder, "--model", "ste", code=1).stderr
