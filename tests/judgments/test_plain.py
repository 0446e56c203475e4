"""CSV files where pandas is not installed are read as where it is."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError
from resemblance.judgments import plain

FILES = {
    "notes": (
        rs.read_triplets,
        "head,near,far,observer,weight,response_id,rt,note\n7,10,2,ann,1,r2,1.5,a\n2,7,10,b,2,r1,,c\n",
    ),
    "decimal commas": (rs.read_triplets, "anchor;closer;farther;rt\na;b;c;1,5\nb;a;c;2\n\n"),
    "columns without names": (rs.read_triplets, ",head,near,far,\n0,a,b,c,x\n1,b,a,c,y\n"),
    "ids": (rs.read_triplets, "head,near,far,response_id\na,b,c,7\nb,a,c,3\n"),
    "sides": (rs.read_triplets, "head,near,far,left,right\na,b,c,c,b\na,c,b,c,b\n"),
    "a side unknown": (rs.read_triplets, "head,near,far,left,right\na,b,c,c,b\na,c,b,,d\n"),
    "pairs": (rs.read_quadruplets, "a,b,c,d\n x ,y,z,w\n"),
    "choices": (rs.read_choices, "head,chosen,options\na,b,b|c|d\nb,c,a|c\n"),
    "odd": (rs.read_odd_one_outs, "odd,options\na,a|b|c\n"),
    "kept": (rs.read_odd_one_outs, "kept_a,odd,kept_b\nb,a,c\n"),
    "ratings": (rs.read_ratings, "a,b,rating,points\nx,y,3,5\nx,z,5,5\n"),
    "confusions": (rs.read_confusions, "a,b,errors,trials\nx,y,3,5\nx,z,5,5\n"),
    "similar": (rs.read_similar_pairs, "a,b,similar\nx,y,true\nx,z,False\n"),
}
BAD = {
    "empty cell": (rs.read_triplets, "head,near,far\na,b,c\na,b,\n", "line 3"),
    "same twice": (rs.read_triplets, "head,near,far\na,b,c\n\na,b,b\n", "line 4"),
    "not shown": (rs.read_triplets, "head,near,far,left,right\na,b,c,b,c\na,b,c,b,d\n", "line 3"),
    "no options": (rs.read_choices, "head,chosen,options\na,b,b|c\na,b,[]\n", "line 3"),
    "no number": (rs.read_ratings, "a,b,rating,points\nx,y,3,5\nx,z,five,5\n", "line 3"),
    "no name": (rs.read_triplets, "head,near,far\n1,2,0.5\n", "line 2"),
    "no column": (rs.read_triplets, "head,near\na,b\n", "'far'"),
    "no rows": (rs.read_triplets, "head,near,far\n", "no rows"),
    "nothing": (rs.read_triplets, "", "empty"),
    "not UTF-8": (rs.read_triplets, "head,near,far\na,b,\udce9\n", "UTF-8"),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.csv"


@pytest.fixture
def bare(monkeypatch):
    monkeypatch.setattr(plain, "is_there", lambda package: False)


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_is_the_same(path, name, monkeypatch):
    read, text = FILES[name]
    path.write_text(text)
    wanted = read(path)
    monkeypatch.setattr(plain, "is_there", lambda package: False)
    found = read(path)
    assert type(found) is type(wanted)
    assert found.items.names == wanted.items.names
    np.testing.assert_array_equal(found.index, wanted.index)
    pd.testing.assert_frame_equal(found.to_pandas(), wanted.to_pandas(), check_dtype=False)


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_is_the_same(path, name, monkeypatch):
    read, text, where = BAD[name]
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises((JudgmentError, FileError), match=where) as wanted:
        read(path)
    monkeypatch.setattr(plain, "is_there", lambda package: False)
    with pytest.raises((JudgmentError, FileError)) as found:
        read(path)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("more", [",d", ""])
def test_a_row_of_another_length_is_named(path, bare, more):
    path.write_text(f"head,near,far\na,b,c\na,b{more}{more}\n")
    with pytest.raises(JudgmentError, match="line 3"):
        rs.read_triplets(path)


def test_names_of_columns_and_items_are_those_asked_for(path, bare):
    path.write_text("x,y,z\na,b,c\n")
    columns = {"head": "y", "near": "x", "far": "z"}
    read = rs.read_triplets(path, ["c", "b", "a"], columns)
    assert read.index.tolist() == [[1, 2, 0]]


def test_catch_trials_are_set_apart_or_refused(path, bare):
    path.write_text("head,near,far\na,b,c\na,a,c\n")
    kept = rs.read_triplets(path, catches="keep")
    assert (len(kept), len(kept.catches)) == (1, 1)
    with pytest.raises(JudgmentError, match="line 3"):
        rs.read_triplets(path)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, ""])
def test_a_side_that_nobody_wrote_down_contradicts_nothing(nothing):
    sides = {"left": ["c", nothing], "right": ["b", "d"]}
    rows = pd.DataFrame({"head": ["a", "a"], "near": ["b", "c"], "far": ["c", "b"]} | sides)
    assert len(rs.read_triplets(rows)) == 2
