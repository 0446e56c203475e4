"""`resemblance convert --from` and `--to`: the files of other programs."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

SALMON = "head,left,right,winner,puid,sampler,head_html,left_html,right_html,winner_html\n" + (
    "0,1,2,2,ann,ARR,<b>bow</b>,tie,knot,knot\n2,0,1,0,bob,Random,knot,<b>bow</b>,tie,<b>bow</b>\n"
)


def test_salmon_becomes_a_file_that_fit_reads(run, tmp_path):
    (tmp_path / "responses.csv").write_text(SALMON)
    assert (
        "2 triplets written to"
        in run("convert", "responses.csv", "answers.csv", "--from", "salmon").stdout
    )
    table = pd.read_csv(tmp_path / "answers.csv")
    assert table.columns.tolist() == ["head", "near", "far", "observer", "side", "sampler"]
    assert table.iloc[0].tolist() == ["bow", "knot", "tie", "ann", 1, "ARR"]


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
