"""Repeats as weights, and back."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import resemblance as rs
from resemblance.errors import JudgmentError
from resemblance.judgments import Choices, Triplets

triplet_rows = st.lists(st.permutations(range(4)).map(lambda p: p[:3]), min_size=1, max_size=30)


def sorted_rows(triplets):
    keys = [*triplets.index.T, triplets.response_id, triplets.observer]
    return triplets[np.lexsort(keys[::-1])]


@given(triplet_rows, st.data())
def test_merge_then_expand_is_a_stable_sort(rows, data):
    response_id = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    people = st.lists(st.sampled_from(["ann", "bo"]), min_size=len(rows), max_size=len(rows))
    triplets = Triplets(rows, items=4, response_id=response_id, observer=data.draw(people))
    merged = triplets.merge_repeats()
    back, expected = merged.expand_repeats(), sorted_rows(triplets)
    np.testing.assert_array_equal(back, expected)
    np.testing.assert_array_equal(back.response_id, expected.response_id)
    np.testing.assert_array_equal(back.observer, expected.observer)
    assert back.weight is None
    assert merged.weight.sum() == len(rows)
    assert len(merged) == len({*zip(map(tuple, rows), response_id, triplets.observer, strict=True)})


def test_responses_and_observers_stay_apart():
    rows = [[0, 1, 2]] * 4
    assert len(Triplets(rows).merge_repeats()) == 1
    assert len(Triplets(rows, response_id=[0, 0, 1, 1]).merge_repeats()) == 2
    both = Triplets(rows, response_id=[0, 0, 1, 1], observer=["a", "b", "a", "a"]).merge_repeats()
    assert both.weight.tolist() == [1, 1, 2]


def test_choices_merge_whatever_the_order_of_options():
    merged = Choices([0, 0], [[1, 2, 3], [3, 1, 2]], [2, 2]).merge_repeats()
    assert merged.weight.tolist() == [2]


def test_extra_columns_are_given_up_only_on_demand():
    triplets = Triplets([[0, 1, 2]] * 2, extra={"rt": [1, 2]})
    with pytest.raises(JudgmentError, match=r"rt cannot be merged: .*drop_extra=True"):
        triplets.merge_repeats()
    assert triplets.merge_repeats(drop_extra=True).extra == {}


def test_expanding_repeats_extra_columns():
    triplets = Triplets([[0, 1, 2], [1, 2, 0]], weight=[2, 1], extra={"rt": [7, 8]})
    assert triplets.expand_repeats().extra["rt"].tolist() == [7, 7, 8]


def test_only_whole_weights_expand():
    with pytest.raises(JudgmentError, match=r"row 1: weight 1\.5 is not a whole number"):
        Triplets([[0, 1, 2], [1, 2, 0]], weight=[1, 1.5]).expand_repeats()


@pytest.mark.parametrize("model", [rs.STE, rs.SOE])
def test_both_forms_have_one_loss_and_one_penalty(model):
    """The same noise ten times over foretells itself neither as rows nor as weights."""
    rng = np.random.default_rng(0)
    noise = Triplets([rng.choice(10, 3, replace=False) for _ in range(60)], items=10)
    merged = noise._with(weight=np.full(60, 10.0))
    rows = merged.expand_repeats()
    scale = 10.0 if model is rs.SOE else 1.0
    fits = [model(2, penalty=scale, random_state=0).fit(form) for form in (merged, rows)]
    assert fits[0].loss_ == pytest.approx(fits[1].loss_, rel=1e-3)
    if model is rs.STE:
        chosen = [model(2, penalty="auto", random_state=0).fit(form) for form in (rows, merged)]
        assert chosen[0].penalty_ == pytest.approx(chosen[1].penalty_)
        assert chosen[0].penalty_losses_.mean() > 0.65  # a guess has .693
