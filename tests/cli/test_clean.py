"""`resemblance clean`."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs


@pytest.fixture
def noisy(table, tmp_path):
    """Some of dee's answers turned around, in answers.csv."""
    swap = (table["observer"] == "dee") & (np.arange(len(table)) % 3 == 0)
    table.loc[swap, ["near", "far"]] = table.loc[swap, ["far", "near"]].to_numpy()
    table.assign(weight=1.5, colour="red").to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path / "answers.csv"


def test_what_is_written_is_what_the_library_keeps(run, noisy, tmp_path):
    result = run("clean", "answers.csv", "--reduce", "--report", "report.json")
    answers = rs.read_triplets(noisy)
    expected, found = rs.clean(answers, reduce=True, random_state=0)
    back = rs.read_triplets(tmp_path / "answers-clean.csv", items=answers.items)
    np.testing.assert_array_equal(back.index, expected.index)
    np.testing.assert_array_equal(back.weight, expected.weight)
    np.testing.assert_array_equal(back.observer, expected.observer)
    assert set(back.extra["colour"]) == {"red"}
    for name, said in found.lines():
        assert name in result.stdout
        assert said in result.stdout
    assert f"{len(expected)} triplets written to answers-clean.csv" in result.stdout
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["rows"]["kept"] == found.kept.tolist()
    assert told["steps"]["acyclic"]["rows"] == found.steps["rows"]["acyclic"]
    assert next(iter(told["observers"])) == "dee"


@pytest.mark.parametrize("option", ["--out", "--report", "--picture"])
def test_nothing_is_overwritten(run, noisy, tmp_path, option):
    taken = {"--out": "there.csv", "--report": "there.json", "--picture": "there.png"}[option]
    (tmp_path / taken).write_text("mine")
    result = run("clean", "answers.csv", option, taken, code=1)
    assert f"{taken} exists" in result.stderr
    assert (tmp_path / taken).read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"answers.csv", taken}
    run("clean", "answers.csv")
    assert "answers-clean.csv exists" in run("clean", "answers.csv", code=1).stderr


def test_quadruplets_in_other_formats(run, tmp_path):
    rows = [[0, 1, 2, 3], [0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3]]
    rs.Quadruplets(rows).write(tmp_path / "four.jsonl.gz")
    words = ["clean", "four.jsonl.gz", "--kind", "quadruplets"]
    run(*words)
    assert len(rs.read_quadruplets(tmp_path / "four-clean.jsonl.gz")) == 3
    run(*words, "--out", "four.csv")
    assert len(pd.read_csv(tmp_path / "four.csv")) == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--kind", "choices"], "convert IN OUT --from choices"),
        (["--out", "a.xls"], "unknown type '.xls'"),
        (["--out", "none/a.csv"], "there is no folder none"),
        (["--picture", "a.gif"], "written as .png or .svg or .pdf"),
        (["--contradictions", "none"], "no comparison is left"),
    ],
)
def test_errors_are_told_in_one_line_and_nothing_is_written(run, tmp_path, words, told):
    (tmp_path / "a.csv").write_text("head,near,far\na,b,c\na,c,b\na,c,b\n")
    result = run("clean", "a.csv", *words, code=1)
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_picture_of_too_many_pairs_is_left_out_and_told(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[f"i{x:02}" for x in rng.choice(40, 3, replace=False)] for _ in range(700)]
    pd.DataFrame(rows, columns=["head", "near", "far"]).to_csv(tmp_path / "many.csv", index=False)
    assert rs.SimilarityGraph(rs.read_triplets(tmp_path / "many.csv")).n_vertices > 500
    result = run("clean", "many.csv", "--picture", "graph.png", "--report", "report.json")
    assert "graph.png is left out" in result.stderr
    assert not (tmp_path / "graph.png").exists()
    assert (tmp_path / "many-clean.csv").is_file()
    assert (tmp_path / "report.json").is_file()
