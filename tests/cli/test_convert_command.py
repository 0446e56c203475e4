"""`resemblance convert`: nothing is lost on the way, or it is said."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "raw-files.md"
OF_TWO = "jatos.txt", "qualtrics.csv", "labvanced.csv", "otree.csv"  # people, in the guide


def same(one, other):
    """Two sets of judgments with the same names, rows and notes."""
    assert one.items.names == other.items.names
    np.testing.assert_array_equal(one.index, other.index)
    for note in ("weight", "response_id", "observer"):
        np.testing.assert_array_equal(getattr(one, note), getattr(other, note))
    for name, column in one.extra.items():
        np.testing.assert_array_equal(column, other.extra[name])


@pytest.mark.parametrize("middle", ["middle.parquet", "middle.jsonl"])
def test_there_and_back_is_the_same(run, answers, table, tmp_path, middle):
    table.assign(weight=2.5, response_id=7, colour="red").to_csv(answers, index=False)
    assert "400 triplets written to" in run("convert", answers, middle).stdout
    run("convert", middle, "back.csv")
    same(rs.read_triplets(answers), rs.read_triplets(tmp_path / "back.csv"))


def test_catch_trials_are_left_out_and_counted(run, answers, table, tmp_path):
    catch = pd.DataFrame([[0, 0, 1, "ann"]], columns=table.columns)
    pd.concat([catch, table]).to_csv(answers, index=False)
    assert "--on-error skip" in run("convert", answers, "out.jsonl", code=1).stderr
    result = run("convert", answers, "out.jsonl", "--on-error", "skip")
    assert "400 triplets" in result.stdout
    assert "left out: 1 catch trial, of which 1 passed" in result.stderr
    same(rs.read_triplets(tmp_path / "out.jsonl"), rs.read_triplets(answers, on_error="skip"))


def of_the_guide():
    """Return the files that the guide shows of each tool, and the words of their commands."""
    text = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r":caption: (.+)\n((?s:.+?))\n```\n|\$ resemblance (fit .+)", text)
    files = {}
    for name, lines, command in blocks:
        if name:
            files[name] = lines
        elif files:
            yield pytest.param(files, command.split()[1:], id=next(iter(files)))
            files = {}


@pytest.mark.parametrize(("files", "words"), list(of_the_guide()))
def test_the_file_of_each_tool_in_the_guide_is_read(run, tmp_path, files, words):
    for name, lines in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(lines, encoding="utf-8")
    n = 4 if "--design" in words else 2  # of two people who saw both trials
    run("convert", *words, "out.csv")
    table = pd.read_csv(tmp_path / "out.csv")
    assert (len(table), set(table["head"])) == (n, {"bow", "knot"})
    if words[0] != "lab.csv":  # says of nobody
        assert table["observer"].nunique() == 1 + (words[0] in OF_TWO)


def test_choices_become_triplets(run, tmp_path):
    many = "head,chosen,options,observer\na,b,b|c|d,ann\nd,a,a|b,bob\n"
    (tmp_path / "many.csv").write_text(many)
    run("convert", "many.csv", "three.csv", "--from", "choices")
    expected = rs.judgments.triplets_from_choices(rs.read_choices(tmp_path / "many.csv"))
    same(rs.read_triplets(tmp_path / "three.csv"), expected)


def test_odd_ones_out_become_triplets(run, tmp_path):
    rows = "odd,shown,participant,note\ncat,dog|wolf|cat,ann,x\nfox,fox|dog|wolf|cat,bob,y\n"
    (tmp_path / "odd.csv").write_text(rows)
    words = ["--from", "odd-one-out", "--columns", "options=shown"]
    assert run("convert", "odd.csv", "three.csv", *words).stderr == ""
    three = pd.read_csv(tmp_path / "three.csv")
    assert set(three.query("observer == 'ann'")["note"]) == {"x"}
    assert sorted(three.query("observer == 'ann'")["head"]) == ["dog", "wolf"]
    assert set(three.query("observer == 'ann'")["far"]) == {"cat"}
    assert (three["observer"] == "bob").sum() == 6
    assert three.groupby("observer")["response_id"].nunique().tolist() == [1, 1]


def test_options_that_say_nothing_about_responses_are_refused(run):
    words = ["convert", "in.csv", "out.csv", "--from", "ranks"]
    assert "leave --on-error out" in run(*words, "--on-error", "skip", code=1).stderr
    assert "gives triplets, not choices" in run(*words, "--kind", "choices", code=1).stderr
