"""`resemblance convert --from` and `--to`: the files of other programs."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

SALMON = "head,left,right,winner,puid,sampler,head_html,left_html,right_html,winner_html\n" + (
    "0,1,2,2,ann,ARR,<b>bow</b>,tie,knot,knot\n2,0,1,0,bob,Random,knot,<b>bow</b>,tie,<b>bow</b>\n"
)
TRIAL = {"content": "trial", "query": 0, "references": [1, 2, 3], "choices": [2, 3, 1]}


@pytest.fixture
def session(tmp_path):
    trial = {**TRIAL, "nSelect": 2, "isRanked": True}
    catch = {**TRIAL, "references": [0, 2, 3], "choices": [0, 3, 2], "nSelect": 1, "isRanked": True}
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"workerId": "ann", "docket": [trial, catch]}))
    (tmp_path / "stimuli.txt").write_text("a.png\nb.png\nc.png\nd.png\n")
    return path


def test_salmon_becomes_a_file_that_fit_reads(run, tmp_path):
    (tmp_path / "responses.csv").write_text(SALMON)
    assert (
        "2 triplets written to"
        in run("convert", "responses.csv", "answers.csv", "--from", "salmon").stdout
    )
    table = pd.read_csv(tmp_path / "answers.csv")
    assert table.columns.tolist() == ["head", "near", "far", "observer", "side", "sampler"]
    assert table.iloc[0].tolist() == ["bow", "knot", "tie", "ann", 1, "ARR"]


def test_psiz_becomes_triplets_or_stays_choices(run, tmp_path, session):
    words = ["convert", session, "out.csv", "--from", "psiz", "--stimuli", "stimuli.txt"]
    assert "--on-error skip" in run(*words, code=1).stderr
    assert run(*words, "--on-error", "skip").stderr == "left out: 1 catch trials\n"
    triplets = rs.read_triplets(tmp_path / "out.csv")
    assert triplets.items.names == ("a", "b", "c", "d")
    assert len(triplets) == 3
    run(*words, "--on-error", "skip", "--kind", "choices")
    choices = rs.read_choices(tmp_path / "out.csv")
    assert choices.n_options.tolist() == [3, 2]


def test_things_becomes_triplets_of_two_to_a_response(run, tmp_path):
    (tmp_path / "trainset.txt").write_text("0 1 2\n2 3 0\n")
    (tmp_path / "names.txt").write_text("bow\ntie\nknot\nclip\n")
    words = ["--from", "things", "--stimuli", "names.txt"]
    assert "4 triplets" in run("convert", "trainset.txt", "out.csv", *words).stdout
    rows = (tmp_path / "out.csv").read_text().split()
    assert rows[1:3] == ["bow,tie,knot,0", "tie,bow,knot,0"]
    assert (
        "2 odd ones out written"
        in run("convert", "trainset.txt", "odd.csv", *words, "--kind", "odd_one_outs").stdout
    )
    odd = rs.read_odd_one_outs(tmp_path / "odd.csv")
    assert odd.index[:, 0].tolist() == odd.items.positions(["knot", "bow"]).tolist()


@pytest.mark.parametrize("end", ["npz", "csv"])
def test_cblearn_gets_positions(run, tmp_path, answers, end):
    told = run("convert", answers, f"out.{end}", "--to", "cblearn")
    triplets = rs.read_triplets(answers)
    if end == "npz":
        with np.load(tmp_path / "out.npz") as arrays:
            index = arrays["triplets"]
            assert arrays["items"].tolist() == list(triplets.items.names)
        assert told.stderr == ""
    else:
        index = np.loadtxt(tmp_path / "out.csv", delimiter=",", dtype=int)
        assert told.stderr == "left out: observer\n"
    np.testing.assert_array_equal(index, triplets.index)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["a.csv", "b.csv", "--from", "salmon", "--kind", "choices"],
            "makes triplets, not choices",
        ),
        (["a.csv", "b.csv", "--from", "salmon", "--columns", "head=x"], "--columns does not apply"),
        (["a.csv", "b.csv", "--from", "salmon", "--stimuli", "x"], "--stimuli does not apply"),
        (["gone.csv", "b.csv", "--from", "salmon"], "gone.csv is not there"),
    ],
)
def test_words_that_make_no_sense_are_refused(run, words, says):
    said = run("convert", *words, code=1).stderr
    assert says in said
    assert said.count("\n") == 1


def test_arrays_need_their_own_suffix(run, tmp_path, answers):
    said = run("convert", answers, "out.jsonl", "--to", "cblearn", code=1).stderr
    assert "is of an unknown type '.jsonl': use .npz" in said
    assert not (tmp_path / "out.jsonl").exists()
