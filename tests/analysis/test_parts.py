"""A report of each condition, and whether conditions differ."""

import json

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(10, 2))
ROWS = np.array([RNG.choice(10, 3, replace=False) for _ in range(600)])
PEOPLE = list("abcdefgh")
FAST = {"model": rs.STE(2, penalty=0.1), "folds": 2, "n_permutations": 199, "n_resamples": 10}


def answers(differ):
    """Answers of eight people, of whom those of the second half may weigh dimensions otherwise."""
    weights = [[4, 0.5]] * 4 + [[0.5, 4] if differ else [4, 0.5]] * 4
    people = [rs.SpaceObserver(POINTS, weights=w, random_state=0) for w in weights]
    told = rs.Crowd(people, PEOPLE, random_state=0).answer(ROWS)
    return told.with_extra("condition", np.where(told.observer < "e", "colour", "shape"))


def test_each_part_is_its_own_analysis_and_parts_are_compared():
    told = answers(differ=True)
    found = rs.analyse_parts(told, "condition", **FAST)
    one = rs.analyse(told[told.extra["condition"] == "shape"], FAST["model"], folds=2)
    assert list(found.parts) == ["colour", "shape"]
    assert found.parts["shape"].to_pandas().equals(one.to_pandas())
    same = rs.compare_groups(told, "condition", n_permutations=199, n_resamples=10, random_state=0)
    assert found.difference.p_value == same.p_value < 0.05
    assert found.to_pandas().loc["shape"].equals(one.to_pandas())
    record = json.loads(found.to_json())
    assert record == found.as_dict()
    assert record["difference"]["people"] == {"colour": 4, "shape": 4}
    assert record["parts"]["colour"]["data"]["rows"] == len(found.parts["colour"].judgments)
    assert f"{found.difference.p_value:.2g}" in str(found)


@pytest.mark.parametrize("why", ["within", "nobody", "ratings"])
def test_what_cannot_be_compared_is_said(why):
    told = answers(differ=False)[:300]
    if why == "within":  # each person is in both
        told = told.with_extra("condition", np.where(np.arange(300) % 2, "colour", "shape"))
    elif why == "nobody":
        told = rs.Triplets(told.index, told.items, extra={"condition": told.extra["condition"]})
    else:
        pairs = np.column_stack(np.triu_indices(10, 1))
        told = rs.SpaceObserver(POINTS, random_state=0).rate(pairs, 7, told.items)
        told = told.with_extra("condition", np.where(np.arange(45) % 2, "colour", "shape"))
    found = rs.analyse_parts(told, "condition", rs.STE(2, penalty=None), folds=2)
    assert (found.difference, len(found.parts)) == (None, 2)
    assert found.untested
    assert found.untested in str(found)
    assert found.as_dict()["difference"] is None


def test_wrong_columns_are_refused():
    told = answers(differ=False)[:50]
    with pytest.raises(JudgmentError, match="'group'"):
        rs.analyse_parts(told, "group")
    with pytest.raises(JudgmentError, match="colour"):
        rs.analyse_parts(told.with_extra("condition", ["colour"] * 50), "condition")
    with pytest.raises(JudgmentError, match="row 49"):
        rs.analyse_parts(told.with_extra("condition", ["a"] * 49 + [""]), "condition")
    with pytest.raises(SettingError, match="condition 'b'"):
        rs.analyse_parts(told.with_extra("condition", ["a"] * 49 + ["b"]), "condition", folds=3)


def test_parts_that_were_not_compared_say_why():
    parts = rs.analysis.PartsAnalysis("condition", {}, None, "there is one person in 'colour'")
    assert str(parts) == "do parts differ  not tested: there is one person in 'colour'"
