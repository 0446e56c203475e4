"""Judgments of several files, people and ways of asking, joined."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError

NAMES = ["rock", "jazz", "soul", "folk"]


def triplets(index, names=NAMES, **notes):
    return rs.Triplets(index, rs.Items(names), **notes)


def named(rows):
    return [[rows.items.names[i] if i >= 0 else None for i in row] for row in rows.index]


def test_halves_joined_are_the_whole():
    rng = np.random.default_rng(0)
    index = [rng.permutation(4)[:3] for _ in range(20)]
    notes = {
        "weight": rng.random(20),
        "observer": ["ann", "bob"] * 10,
        "response_id": np.arange(20),
    }
    whole = triplets(index, **notes, extra={"rt_ms": rng.random(20)})
    again = rs.join_judgments([whole[:7], whole[7:]])
    assert np.array_equal(again.index, whole.index)
    assert np.array_equal(again.weights, whole.weights)
    assert np.array_equal(again.observer, whole.observer)
    assert np.array_equal(again.extra["rt_ms"], whole.extra["rt_ms"])
    assert again.items is whole.items
    assert len(np.unique(again.response_id)) == 20


def test_items_are_told_apart_by_name():
    one = triplets([[0, 1, 2]], ["rock", "jazz", "soul"])
    other = triplets([[0, 1, 2]], ["soul", "folk", "rock"])
    both = rs.join_judgments([one, other])
    assert set(both.items.names) == set(NAMES)
    assert named(both) == [["rock", "jazz", "soul"], ["soul", "folk", "rock"]]


def test_triplets_and_choices_become_choices_of_the_same_likelihood():
    few = triplets([[0, 1, 2], [2, 3, 1]])
    many = rs.Choices([1], [[0, 2, 3]], [3], rs.Items(NAMES))
    both = rs.join_judgments([few, many])
    assert isinstance(both, rs.Choices)
    assert named(both)[0] == ["rock", "jazz", "soul", None]
    model = rs.TSTE(2).set_positions(np.random.default_rng(0).normal(size=(4, 2)), both.items)
    p = [model.predict_proba(part)[:, 0] for part in (both, few, many)]
    assert np.allclose(p[0], np.r_[p[1], p[2]], rtol=1e-12)


def test_a_choice_among_other_items_is_in_the_order_of_choices():
    names = ["folk", "soul", "jazz", "rock"]
    many = rs.Choices([0], [[1, 2, 3]], [2], rs.Items(names))
    both = rs.join_judgments([triplets([[0, 1, 2]]), many])
    assert np.array_equal(both.index[1], rs.Choices([3], [[2, 1, 0]], [1]).index[0])
    assert named(both)[1] == ["folk", "jazz", "rock", "soul"]


def test_responses_of_different_parts_differ():
    one = triplets([[0, 1, 2], [0, 1, 3]], response_id=[5, 5])
    both = rs.join_judgments([one, triplets([[0, 1, 2]] * 2), one])
    a, b, c, d, e, f = both.response_id
    assert (a, e) == (b, f)
    assert len({a, c, d, e}) == 4


def test_what_a_part_lacks_is_nothing():
    one = triplets([[0, 1, 2]], weight=[2.0], extra={"rt_ms": [812.5], "page": ["a"]})
    both = rs.join_judgments([one, triplets([[1, 2, 3]], observer=["ann"])])
    assert both.weights.tolist() == [2.0, 1.0]
    assert both.observer.tolist() == ["", "ann"]
    assert both.extra["page"].tolist() == ["a", ""]
    assert both.extra["rt_ms"][0] == 812.5
    assert np.isnan(both.extra["rt_ms"][1])


def test_catch_trials_stay_aside():
    caught = rs.Triplets.split_catches([[0, 0, 1], [0, 1, 2]], rs.Items(NAMES))
    both = rs.join_judgments([caught, rs.Choices([1], [[0, 2, 3]], [3], rs.Items(NAMES)), caught])
    assert (len(both), len(both.catches)) == (3, 2)
    assert both.catches.pass_rate == 1.0


def test_items_are_described_once_and_all_of_them():
    items = rs.Items(NAMES, features=np.eye(4))
    features = rs.Triplets([[0, 1, 2]], items)
    assert rs.join_judgments([triplets([[0, 1, 3]]), features]).items is items
    with pytest.raises(JudgmentError, match="give every part the same items"):
        rs.join_judgments([features, rs.Triplets([[0, 1, 2]], rs.Items(NAMES, labels=["a"] * 4))])
    with pytest.raises(JudgmentError, match=r"item 'punk' .*give every part the items of all"):
        rs.join_judgments([features, triplets([[0, 1, 2]], ["rock", "jazz", "punk"])])


def test_what_cannot_be_joined():
    with pytest.raises(JudgmentError, match="nothing to join"):
        rs.join_judgments([])
    similar = rs.SimilarPairs([[0, 1]], [True])
    with pytest.raises(JudgmentError, match="SimilarPairs and Quadruplets cannot be joined"):
        rs.join_judgments([rs.Quadruplets([[0, 1, 2, 3]]), similar])


@pytest.mark.parametrize("given", [rs.Triplets([[0, 1, 2]]), [[[0, 1, 2]]], ["abc"]])
def test_what_is_no_list_of_judgments(given):
    with pytest.raises(JudgmentError):
        rs.join_judgments(given)
