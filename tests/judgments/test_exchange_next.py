"""NEXT's answers, in the formats of its dashboard and of its server."""

import json

import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, ResemblanceWarning

SHOWN = [("i2.png", "i10.png", "i30.png", "i10.png"), ("i10.png", "i2.png", "i30.png", "i30.png")]


def rows_of(triplets):
    return [tuple(triplets.items.names[i] for i in row) for row in triplets.index]


EXPECTED = [("i2", "i10", "i30"), ("i10", "i30", "i2")]


@pytest.mark.parametrize(
    "header",
    [
        "Participant ID,Center,Left,Right,Answer,Alg Label",
        "Participant.ID,Center,Left,Right,Answer,Alg.Label",
        "participant_uid,target_center,target_left,target_right,target_winner,alg_label",
    ],
)
def test_every_spelling_of_the_table_is_read(tmp_path, header):
    rows = [",".join(["x9", *shown, "Random"]) for shown in SHOWN]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join([header, *rows]))
    triplets = rs.read_next(path)
    assert triplets.items.names == ("i2", "i10", "i30")
    assert rows_of(triplets) == EXPECTED
    assert triplets.observer.tolist() == ["x9", "x9"]
    assert triplets.extra["side"].tolist() == [0, 1]
    assert triplets.extra[header.rpartition(",")[2]].tolist() == ["Random"] * 2


def new(center, left, right, winner):
    """A response as the newer server keeps it."""
    ids = {name: number for number, name in enumerate(["i2.png", "i10.png", "i30.png"])}
    shown = [
        {"target_id": ids[name], "label": label, "primary_description": f"https://x.org/{name}"}
        for label, name in (("center", center), ("left", left), ("right", right))
    ]
    return {
        "target_indices": shown,
        "target_winner": ids[winner],
        "participant_uid": "exp_x9",
        "exp_uid": "exp",
        "response_time": 1.5,
        "alg_label": "Random",
        "q": [0, 1, 2],
    }


def old(center, left, right, winner):
    """A response as the older server kept it."""
    response = new(center, left, right, winner)
    response["index_winner"] = response.pop("target_winner")
    response["target_indices"] = [
        {"index": t["target_id"], "label": t["label"], "target": {"target_id": name}}
        for t, name in zip(response["target_indices"], (center, left, right), strict=True)
    ]
    return response


def write(tmp_path, responses):
    path = tmp_path / "participants.json"
    path.write_text(json.dumps({"participant_responses": {"exp_x9": responses}}))
    return path


@pytest.mark.parametrize("kept", [new, old])
def test_participants_json_gives_the_same(tmp_path, kept):
    triplets = rs.read_next(write(tmp_path, [kept(*shown) for shown in SHOWN]))
    assert rows_of(triplets) == EXPECTED
    assert triplets.observer.tolist() == ["x9", "x9"]
    assert triplets.extra["response_time"].tolist() == [1.5, 1.5]
    assert set(triplets.extra) == {"side", "response_time", "alg_label"}


def test_queries_without_an_answer_are_told(tmp_path):
    unanswered = new(*SHOWN[0])
    del unanswered["target_winner"]
    path = write(tmp_path, [new(*SHOWN[0]), unanswered])
    with pytest.warns(ResemblanceWarning, match="1 of 2 queries have no answer: left out"):
        assert len(rs.read_next(path)) == 1


def test_what_cannot_be_is_refused_at_its_place(tmp_path):
    stranger = new(*SHOWN[0]) | {"target_winner": 7}
    with pytest.raises(FileError, match="participant exp_x9, response 2: the winner 7 was not"):
        rs.read_next(write(tmp_path, [new(*SHOWN[0]), stranger]))
    half = new(*SHOWN[0])
    del half["target_indices"][2]
    with pytest.raises(FileError, match="response 1 has no 'right'; it has 'center', 'left'"):
        rs.read_next(write(tmp_path, [half]))
    with pytest.raises(JudgmentError, match="response 1: near and far are both 'i10'"):
        rs.read_next(write(tmp_path, [new("i2.png", "i10.png", "i10.png", "i10.png")]))
    with pytest.raises(FileError, match="response 1 is no JSON object"):
        rs.read_next(write(tmp_path, ["x"]))
    path = tmp_path / "answers.csv"
    path.write_text("Center,Left,Right,Answer\na,b,c,d\n")
    with pytest.raises(JudgmentError, match=r"answers.csv, line 2: chosen is 'd'"):
        rs.read_next(path)
    path.write_text("Center,Left,Right\na,b,c\n")
    with pytest.raises(FileError, match="no column 'Answer'"):
        rs.read_next(path)
