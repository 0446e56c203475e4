import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

POINTS = np.random.default_rng(0).normal(size=(8, 2))
SIDED = [rs.observers.PositionBiasObserver(0), rs.observers.PositionBiasObserver(1)]


def asked(m, **notes):
    return rs.Triplets([[0, 1, 2]] * m, 8, **notes)


def test_rows_that_name_their_observer_are_answered_by_that_person():
    who = np.resize(["bob", "ann", "ann"], 300)
    answers = rs.Crowd(SIDED, ["ann", "bob"], random_state=0).answer(asked(300, observer=who))
    np.testing.assert_array_equal(answers.observer, who)
    np.testing.assert_array_equal(answers.extra["side"], (who == "bob").astype(int))


def test_without_names_everybody_answers_about_alike():
    answers = rs.Crowd(SIDED, random_state=0).answer(asked(2000))
    names, counts = np.unique(answers.observer, return_counts=True)
    assert names.tolist() == ["person1", "person2"]
    assert abs(counts[0] - 1000) < 100


def test_sides_are_drawn_evenly_and_say_nothing_of_the_item():
    person = rs.SpaceObserver([[0.0], [1.0], [-1.2], *[[9.0]] * 5], random_state=0)
    answers = rs.Crowd([person], random_state=0).answer(asked(4000))
    first = answers.index[:, 1] == 1
    p = person.probability([[0, 1, 2]])[0]
    assert 0.55 < p < 0.7  # both answers are given
    assert first.mean() == pytest.approx(p, abs=0.03)
    for near in (first, ~first):
        assert answers.extra["side"][near].mean() == pytest.approx(0.5, abs=0.06)


def test_one_of_many_is_answered_on_a_side_too():
    question = rs.Choices([0, 3], [[1, 2, 4, 5], [6, 7, -1, -1]], chosen=[1, 6], items=8)
    answers = rs.Crowd([SIDED[1]], random_state=0).answer(question[np.resize([0, 1], 4000)])
    assert (answers.extra["side"] == 1).all()
    found, counts = np.unique(answers.index[::2, 1], return_counts=True)
    assert found.tolist() == [1, 2, 4, 5]
    assert counts.min() > 400
    assert set(answers.index[1::2, 1]) == {6, 7}


def test_other_columns_are_kept():
    answers = rs.Crowd(SIDED).answer(asked(3, response_id=[5, 5, 6], extra={"rt": [1, 2, 3]}))
    assert answers.response_id.tolist() == [5, 5, 6]
    assert answers.extra["rt"].tolist() == [1, 2, 3]


def test_a_crowd_as_drawn():
    crowd = rs.Crowd.like(POINTS, 400, cheaters=0.1, temperature=2.0, random_state=0)
    kinds = crowd.table["kind"].value_counts()
    assert kinds.to_dict() == {
        "SpaceObserver": 360,
        "PositionBiasObserver": 26,
        "InattentiveObserver": 14,
    }
    honest = crowd.table[crowd.table["kind"] == "SpaceObserver"]
    log_t, log_w = np.log(honest["temperature"]), np.log(honest[["weight_1", "weight_2"]])
    assert log_t.mean() == pytest.approx(np.log(2.0), abs=0.05)
    assert log_t.std() == pytest.approx(0.3, abs=0.04)
    np.testing.assert_allclose(log_w.sum(axis=1), 0.0, atol=1e-12)
    assert log_w.to_numpy().std() == pytest.approx(0.3 / np.sqrt(2), abs=0.03)


def test_one_random_state_gives_one_crowd_and_its_answers():
    first, again, other = (
        rs.Crowd.like(POINTS, 9, random_state=seed).answer(asked(200)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.index, again.index)
    np.testing.assert_array_equal(first.observer, again.observer)
    assert (first.observer != other.observer).any()


def test_what_is_no_crowd():
    with pytest.raises(SettingError, match="0 observers"):
        rs.Crowd([])
    with pytest.raises(SettingError, match="2 observers and 1 different"):
        rs.Crowd(SIDED, ["ann", "ann"])
    with pytest.raises(SettingError, match="n_people is 0"):
        rs.Crowd.like(POINTS, 0)
    with pytest.raises(SettingError, match="cheaters"):
        rs.Crowd.like(POINTS, cheaters=2)
    with pytest.raises(JudgmentError, match="row 1: 'eve' is not in this crowd"):
        rs.Crowd(SIDED, ["ann", "bob"]).answer(asked(2, observer=["ann", "eve"]))
