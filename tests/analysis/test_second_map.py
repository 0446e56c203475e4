"""The verdict on a second map."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis import second_map
from resemblance.errors import JudgmentError, SettingError
from two_places import answers

MODEL = rs.STE(2, penalty=0.5, random_state=0)


def test_items_with_two_places_are_listed_with_neighbours_and_weights():
    asked, two = answers(0)
    heard = []
    result = second_map(asked, MODEL, callback=lambda *done: heard.append(done))
    assert result.verdict == "yes"
    assert result.interval[0] > 0
    assert {int(item) for item in result.table["item"]} & two
    assert (result.table["weight_1"] + result.table["weight_2"]).tolist() == pytest.approx(
        [1.0] * len(result.table)
    )
    first = result.as_dict()["items"][0]
    assert set(first["neighbours_1"]) != set(first["neighbours_2"])
    assert heard[-1][0] == heard[-1][1]
    *singles, two_maps = result.log_losses.values()
    assert result.gain == pytest.approx(min(singles) - two_maps)


@pytest.mark.parametrize("per_item", [12, 100])
def test_where_there_is_none_it_is_no_or_unknown(per_item):
    result = second_map(answers(3, n_two=0, per_item=per_item)[0], MODEL)
    assert result.verdict in ("no", "unknown")
    assert (result.more is None) == (result.verdict == "no")
    assert result.power is not None


def test_too_few_answers_are_refused_with_the_item_and_how_many_more():
    with pytest.raises(JudgmentError, match="collect about"):
        second_map(answers(0, per_item=4)[0], MODEL)


def test_models_without_a_similarity_are_refused():
    with pytest.raises(SettingError):
        second_map(answers(0, per_item=12)[0], rs.SOE(2))


def test_the_interval_of_one_person_is_that_of_nobody():
    asked = answers(0, per_item=12)[0]
    of_one = rs.Triplets(asked.index, asked.items, observer=["ann"] * len(asked))
    results = [second_map(each, MODEL) for each in (asked, of_one)]
    assert np.isfinite(results[1].interval).all()
    assert results[0].interval == results[1].interval
