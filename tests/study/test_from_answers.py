"""A study of answers that a file holds: what it keeps, and that nobody can take part."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.catalog import FOR_OTHERS
from resemblance.errors import ResemblanceError
from resemblance.store import Store
from resemblance.study.export import Export, publish, write_export
from resemblance.study.folder import StudyFolder
from resemblance.study.from_answers import create_from_answers
from resemblance.study.live import LiveStudy
from small_study import Hands
from study.test_published import WORDS, published

HEADS, OPTIONS, CHOSEN = [0, 1, 4], [[1, 2, 3], [2, 3, 4], [0, 1, 2]], [1, 4, 0]
NOTED = {
    "items": ["bow", "clip", "knot", "pin", "tie"],
    "observer": ["ann", "bob", "ann"],
    "extra": {"rt_ms": [500.0, 700.0, 900.0], "colour": ["red", "blue", "red"]},
}
ANSWERS = {
    "triplets": rs.Triplets([[0, 1, 2], [3, 2, 4], [4, 0, 1]], **NOTED),
    "choices": rs.Choices(HEADS, OPTIONS, CHOSEN, **NOTED),
    "odd_one_outs": rs.OddOneOuts(OPTIONS, CHOSEN, **NOTED),
    "ratings": rs.Ratings([[0, 1], [2, 3], [4, 0]], [1, 7, 3], 7, **NOTED),
}


def opened(folder):
    return LiveStudy.open(folder, Store.open(folder.database))


@pytest.mark.parametrize("name", ANSWERS)
def test_its_export_is_the_file_again(tmp_path, name):
    given = ANSWERS[name]
    live = opened(create_from_answers(tmp_path / "ties", given))
    write_export(Export(live), tmp_path / "out")
    back = type(given).read(tmp_path / "out" / f"{name}.csv", items=given.items)
    who = dict(zip(back.observer, ["ann", "ann", "bob"], strict=True))
    rows = [0, 2, 1]  # a person's answers are together
    names = list(given.to_pandas().columns[: len(given.columns)])
    wanted = given.to_pandas()[names].iloc[rows]
    assert back.to_pandas()[names].values.tolist() == wanted.values.tolist()
    assert [who[one] for one in back.observer] == given.observer[rows].tolist()
    assert back.extra["rt_ms"].tolist() == given.extra["rt_ms"][rows].tolist()
    log = pd.read_csv(tmp_path / "out" / "answers.csv")
    assert [json.loads(one)["file"] for one in log["question"]] == [
        {"colour": colour} for colour in ("red", "red", "blue")
    ]
    assert pd.read_csv(tmp_path / "out" / f"{name}.csv")["side"].isna().all()  # no file tells it
    assert back.at_random is None  # nor what chose its questions
    live.store.close()


@pytest.mark.parametrize("name", ["triplets", "ratings"])
def test_the_desk_has_its_map_and_nobody_enters(tmp_path, name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    pairs = np.array([(a, b) for a in range(8) for b in range(a)])
    near = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    answers = rs.Ratings(pairs, np.clip(8 - 2 * near, 1, 7).round(), 7)
    if name == "triplets":
        drawn = np.array([rng.choice(8, 3, replace=False) for _ in range(120)])
        gaps = np.linalg.norm(X[drawn[:, 1:]] - X[drawn[:, :1]], axis=2)
        swapped = gaps[:, 0] > gaps[:, 1]
        drawn[swapped, 1:] = drawn[swapped, :0:-1]
        answers = rs.Triplets(drawn)
    live = opened(create_from_answers(tmp_path / "dots", answers))
    hands = Hands(live)
    hands.begin()
    hands.work.close()
    space = live.store.spaces.latest(live.record)
    assert (space.answers, len(space.positions)) == (len(answers), 8)
    live.store.studies.set_state(live.record, "open", "researcher")  # at the desk
    assert live.state == "closed"
    live.store.close()


def test_answers_without_times_are_published(tmp_path):
    folder = create_from_answers(tmp_path / "dots", rs.Triplets([[0, 1, 2], [1, 2, 3]]))
    file = folder.path / "study.toml"
    words = re.sub(r"(?s)\[publication\].*?(?=\[server\])", f"{WORDS}\n", file.read_text())
    file.write_text(words)
    live = opened(StudyFolder.open(folder.path))
    for to, target in FOR_OTHERS.items():
        publish(published(live), tmp_path / f"{to}{target.suffix}", to)
    [events] = tmp_path.rglob("*_events.tsv")
    assert pd.read_csv(events, sep="\t")["response_time"].isna().all()
    live.store.close()


def test_times_that_are_no_numbers_stay_with_the_question(tmp_path):
    answers = rs.Triplets([[0, 1, 2], [1, 2, 3]], extra={"rt_ms": ["quick", "slow"]})
    live = opened(create_from_answers(tmp_path / "dots", answers))
    log = live.store.answers.after(live.record)
    assert [(one.rt_ms, one.spec["file"]["rt_ms"]) for one in log] == [
        (None, "quick"),
        (None, "slow"),
    ]
    live.store.close()


def test_catch_trials_are_gold(tmp_path):
    (tmp_path / "answers.csv").write_text("odd,options\na,a|b|c\nb,a|a|b\na,a|a|c\n")
    answers = rs.read_odd_one_outs(tmp_path / "answers.csv", catches="keep")
    live = opened(create_from_answers(tmp_path / "letters", answers))
    log = live.store.answers.after(live.record)
    right = [live.kind.right(one.spec, one.response) for one in log if one.purpose == "gold"]
    assert (len(log), right) == (3, [True, False])
    live.store.close()


@pytest.mark.parametrize(
    "answers",
    [
        rs.Quadruplets([[0, 1, 2, 3]]),
        rs.Triplets([[0, 1, 2]], weight=[2.0]),
        rs.Triplets([[0, 1, 2], [0, 1, 3]], response_id=[4, 4]),
        rs.Triplets([[0, 1, 2], [0, 1, 3]])[:0],
        rs.Choices([0, 1], [[1, 2, 3], [2, 3, -1]], [1, 3]),
    ],
)
def test_what_no_study_holds_is_refused_and_leaves_nothing(tmp_path, answers):
    with pytest.raises(ResemblanceError):
        create_from_answers(tmp_path / "dots", answers)
    assert not list(tmp_path.iterdir())


def test_an_item_without_a_stimulus_is_named(tmp_path):
    (tmp_path / "items.csv").write_text("item,text\nbow,a bow\nclip,a clip\nknot,a knot\npin,p\n")
    with pytest.raises(ResemblanceError, match="name tie, which"):
        create_from_answers(tmp_path / "ties", ANSWERS["triplets"], tmp_path / "items.csv")
    assert not (tmp_path / "ties").exists()
