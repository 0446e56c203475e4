"""Salmon's responses are read as its dashboard gives them."""

import json

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, ResemblanceWarning, SettingError

TARGETS = [
    "<b>bow</b> tie",
    "<img src='/static/targets/tie 3.png' />",
    "<video autoplay controls><source src='/static/targets/knot.mp4' /> No video.</video>",
    "clip",
    "clip",
]


def response(head, left, right, winner, puid="f00d"):
    """One record, with the columns of Salmon's /responses."""
    loser = right if winner == left else left
    shown = {"head": head, "left": left, "right": right, "winner": winner, "loser": loser}
    described = {f"{role}_html": TARGETS[index] for role, index in shown.items()}
    named = {f"{role}_filename": TARGETS[index][-9:] for role, index in shown.items()}
    return {
        **{role: shown[role] for role in ("head", "left", "right", "winner")},
        "sampler": "ARR",
        "score": 0.5,
        "puid": puid,
        "response_time": 2.25,
        "network_latency": 0.1,
        "time_received": 1.6e9,
        "loser": loser,
        **described,
        **named,
        "time_received_since_start": 12.5,
        "datetime_received": "2021-03-01T10:00:00",
        "start_time": 1.5e9,
        "puid_num_responses": 1,
        "num_responses": 1,
    }


@pytest.fixture
def responses():
    return [response(0, 1, 2, 2), response(2, 4, 0, 4, "beef"), response(3, 0, 1, 1)]


def write(tmp_path, responses, name):
    path = tmp_path / name
    if path.suffix == ".json":
        path.write_text(json.dumps(responses))
    else:
        pd.DataFrame(responses).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", ["responses.csv", "responses.json", "responses.csv.gz"])
def test_every_format_gives_the_same_triplets_with_names(tmp_path, responses, name):
    triplets = rs.read_salmon(write(tmp_path, responses, name))
    assert set(triplets.items.names) == {"bow tie", "tie 3", "knot", "clip (3)", "clip (4)"}
    told = [[triplets.items.names[i] for i in row] for row in triplets.index]
    assert told == [
        ["bow tie", "knot", "tie 3"],
        ["knot", "clip (4)", "bow tie"],
        ["clip (3)", "tie 3", "bow tie"],
    ]
    assert triplets.observer.tolist() == ["f00d", "beef", "f00d"]
    assert triplets.extra["side"].tolist() == [1, 0, 1]
    assert triplets.extra["response_time"].tolist() == [2.25] * 3
    assert not [name for name in triplets.extra if "html" in name or "filename" in name]


def test_read_triplets_takes_the_same_file_as_it_is(tmp_path, responses):
    path = write(tmp_path, responses, "responses.csv")
    plain, named = rs.read_triplets(path), rs.read_salmon(path)
    order = {"bow tie": "0", "tie 3": "1", "knot": "2", "clip (3)": "3", "clip (4)": "4"}
    indices = [order[name] for name in named.items.names]
    np.testing.assert_array_equal(plain.index, plain.items.positions(indices)[named.index])


def test_without_descriptions_and_people_indices_are_the_names(tmp_path):
    path = tmp_path / "responses.csv"
    path.write_text("head,left,right,winner,puid\n10,2,3,3,\n3,2,10,2,\n")
    triplets = rs.read_salmon(path)
    assert triplets.items.names == ("2", "3", "10")
    assert triplets.index.tolist() == [[2, 1, 0], [1, 0, 2]]
    assert triplets.observer is None


def test_catch_trials_are_kept_apart(tmp_path, responses):
    path = write(tmp_path, [*responses, response(1, 1, 0, 1)], "responses.csv")
    with pytest.raises(JudgmentError, match=r"line 5: the head 'tie 3' is also among"):
        rs.read_salmon(path)
    assert rs.read_salmon(path, on_error="skip").catches.pass_rate == 1.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"winner": 3, "winner_html": "clip"}, r"line 3: chosen is 'clip \(3\)'"),
        ({"left": None}, "line 3: left is empty"),
        ({"head_html": "scarf"}, "target 2 has two descriptions"),
    ],
)
def test_rows_that_cannot_be_are_refused(tmp_path, responses, change, problem):
    responses[1] |= change
    with pytest.raises(JudgmentError, match=problem):
        rs.read_salmon(write(tmp_path, responses, "responses.csv"))


def test_such_rows_may_be_left_out_and_read_triplets_takes_no_others(tmp_path, responses):
    responses = [*responses * 10, response(0, 1, 2, 2) | {"winner": 3, "winner_html": "clip"}]
    path = write(tmp_path, responses, "responses.csv")
    with pytest.warns(ResemblanceWarning, match="1 of 31 rows were left out; the first: line 32"):
        answers = rs.read_salmon(path, on_error="skip")
    assert (len(answers), answers.refused["where"].tolist()) == (30, ["line 32"])
    with pytest.raises(JudgmentError, match="line 32"):
        rs.read_triplets(path)
    assert rs.read_experiment(path, on_error="skip").refused["where"].tolist() == ["line 32"]
    with pytest.raises(SettingError):
        rs.read_salmon(path, on_error="ignore")


def test_other_files_are_refused(tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("head,near,far\n0,1,2\n")
    with pytest.raises(FileError, match=r"other.csv has no column 'left'; it has 'head', 'near'"):
        rs.read_salmon(other)
    other = tmp_path / "other.json"
    other.write_text('[{"head": 0}]')
    with pytest.raises(FileError, match=r"other.json, response 1 has no 'left'; it has 'head'"):
        rs.read_salmon(other)
    other.write_text("[{]")
    with pytest.raises(FileError, match=r"other.json, line 1: .*check that the file is whole"):
        rs.read_salmon(other)
    other.write_text('{"a": 1}')
    with pytest.raises(FileError, match="is no list of responses"):
        rs.read_salmon(other)
    with pytest.raises(FileError, match=r"gone.json is not there"):
        rs.read_salmon(tmp_path / "gone.json")
