import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.folds import GroupedKFold, Units
from resemblance.judgments import Triplets


def held_out(splitter, X, groups=None):
    return [test for _, test in splitter.split(X, groups=groups)]


def triplets_of(n_rows, **notes):
    return Triplets(np.tile([[0, 1, 2]], (n_rows, 1)), items=3, **notes)


@settings(max_examples=50)
@given(
    st.lists(st.integers(-3, 8), min_size=3, max_size=60),
    st.integers(2, 5),
    st.booleans(),
    st.sampled_from(["response_id", "observer"]),
)
def test_groups_stay_whole_and_folds_are_balanced(labels, n_splits, shuffle, by):
    labels = np.array(labels)
    sizes = np.unique(labels, return_counts=True)[1]
    X = triplets_of(len(labels), **{by: labels.astype(str) if by == "observer" else labels})
    splitter = GroupedKFold(n_splits, by, shuffle, random_state=0)
    if len(sizes) < n_splits:
        with pytest.raises(SettingError, match=f"{len(sizes)} groups cannot fill {n_splits} folds"):
            held_out(splitter, X)
        return
    tests = []
    for train, test in splitter.split(X):
        assert not set(labels[train]) & set(labels[test])
        np.testing.assert_array_equal(np.sort(np.append(train, test)), np.arange(len(labels)))
        tests.append(test)
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(len(labels)))
    n_rows = [len(test) for test in tests]
    assert min(n_rows) > 0
    assert max(n_rows) - min(n_rows) <= sizes.max()


def test_without_groups_every_row_is_its_own():
    tests = held_out(GroupedKFold(10, random_state=0), triplets_of(103))
    assert sorted(len(test) for test in tests) == [10] * 7 + [11] * 3


def test_the_number_of_folds_is_told_as_scikit_learn_asks():
    assert GroupedKFold(5).get_n_splits(np.zeros((7, 3))) == 5


def test_one_random_state_gives_one_result():
    X = triplets_of(60, response_id=np.arange(60) // 3)
    first, again, other = (
        np.concatenate(held_out(GroupedKFold(5, random_state=seed), X)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    # Also where every group has a size of its own.
    X = triplets_of(55, response_id=np.repeat(np.arange(10), np.arange(1, 11)))
    folds = {str(held_out(GroupedKFold(5, random_state=seed), X)) for seed in range(5)}
    assert len(folds) > 1


def test_given_groups_go_before_those_of_the_judgments():
    X = triplets_of(6, response_id=[0, 0, 1, 1, 2, 2])
    tests = held_out(GroupedKFold(2, shuffle=False), X, groups=list("ababab"))
    np.testing.assert_array_equal(tests, [[0, 2, 4], [1, 3, 5]])


def test_what_cannot_be_split_is_named():
    with pytest.raises(JudgmentError, match="needs an observer for every row"):
        held_out(GroupedKFold(2, by="observer"), triplets_of(4))
    with pytest.raises(SettingError, match="by is 'person'"):
        held_out(GroupedKFold(2, by="person"), triplets_of(4))
    with pytest.raises(SettingError, match="n_splits is 1"):
        held_out(GroupedKFold(1), triplets_of(4))


def shown(n, width, n_items=30, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(n_items, width, replace=False) for _ in range(n)])


def turned(index):
    """The same questions, whose options and ends stand in another order."""
    if index.shape[1] == 4:
        return index[:, [3, 2, 0, 1]]
    return np.concatenate([index[:, :1], index[:, :0:-1]], axis=1)


PAIRS = shown(40, 2)
ASKED_OF_SEVERAL = {  # 40 questions, each asked of four people
    "triplets": Triplets(np.concatenate([shown(40, 3), turned(shown(40, 3))] * 2), 30),
    "quadruplets": rs.Quadruplets(np.concatenate([shown(40, 4), turned(shown(40, 4))] * 2), 30),
    "choices": rs.Choices(
        np.tile(shown(40, 5)[:, 0], 4),
        np.tile(shown(40, 5)[:, 1:], (4, 1)),
        np.concatenate([shown(40, 5)[:, 1 + at] for at in range(4)]),
        items=30,
    ),
    "odd ones out": rs.OddOneOuts(
        np.tile(shown(40, 3), (4, 1)),
        np.concatenate([shown(40, 3)[:, at] for at in (0, 1, 2, 0)]),
        items=30,
    ),
    "ratings": rs.Ratings(
        np.concatenate([PAIRS, PAIRS[:, ::-1]] * 2),
        np.arange(160) % 5 + 1,
        np.full(160, 5),
        items=30,
        observer=np.repeat(list("abcd"), 40),
    ),
    "classifications": rs.Classifications(
        np.tile(np.random.default_rng(0).random((40, 5, 5)), (4, 1, 1)), np.arange(160) % 3
    ),
}


@pytest.mark.parametrize("kind", ASKED_OF_SEVERAL)
@pytest.mark.parametrize("n_splits", [2, 10])
def test_a_question_is_never_fitted_and_held_out(kind, n_splits):
    told = ASKED_OF_SEVERAL[kind]
    question = told.questions()
    assert (np.bincount(question) % 4 == 0).all()  # pairs may be drawn twice, by chance
    assert question.max() >= 30
    for train, test in GroupedKFold(n_splits, random_state=0).split(told):
        assert not set(question[train]) & set(question[test])
        assert len(train) + len(test) == len(told)


def test_rows_of_a_response_follow_each_others_questions():
    """Two questions in one response, of which others were asked one each, are one group."""
    index = np.concatenate([shown(60, 3), shown(60, 3)])
    told = Triplets(index, 30, response_id=np.append(np.arange(60) // 2, 30 + np.arange(60)))
    units = Units(told, n_splits=10)
    assert units.name == "question"
    np.testing.assert_array_equal(np.unique(units.groups), np.arange(30))
    np.testing.assert_array_equal(units.groups[:60], units.groups[60:])
    for train, test in GroupedKFold(10, random_state=0).split(told):
        assert not set(units.groups[train]) & set(units.groups[test])


def test_responses_that_chance_ties_together_leave_the_fit_without_what_is_asked():
    """Of many triplets in a response some are asked elsewhere, and join nearly all of the rows."""
    rng = np.random.default_rng(0)
    index = np.array([rng.choice(12, 3, replace=False) for _ in range(900)])
    told = Triplets(index, 12, response_id=np.arange(900) // 9)
    units, question = Units(told, n_splits=10), told.questions()
    assert (units.name, units.n_folds) == ("response_id", 10)
    for train, test in GroupedKFold(10, random_state=0).split(told):
        assert not set(question[train]) & set(question[test])
        assert not set(told.response_id[train]) & set(told.response_id[test])
        assert len(train) > 400


@pytest.mark.parametrize("by", ["question", "response_id", "observer"])
def test_where_there_are_no_other_questions_the_same_are_fitted_and_this_is_known(by):
    who = np.repeat([f"p{k}" for k in range(12)], 3)
    told = Triplets(np.tile(shown(3, 3), (12, 1)), 30, observer=who)
    units = Units(told, by, 6)
    for train, test in GroupedKFold(6, by, random_state=0).split(told):
        others, again = units.others(test)
        assert again
        np.testing.assert_array_equal(train, others)
        assert len(train) + len(test) == len(told)


def test_whole_people_are_held_out_without_what_others_say_of_their_questions():
    who = np.repeat(["ann", "bob", "cid", "dan"], 50)
    index = shown(200, 3)
    index[50:60] = index[:10]  # which two are asked
    index[150:] = index[100:150]
    told = Triplets(index, 30, observer=who)
    question = told.questions()
    for train, test in GroupedKFold(4, "observer", random_state=0).split(told):
        assert len(set(who[test])) == 1
        apart = ~np.isin(who, who[test]) & ~np.isin(question, question[test])
        np.testing.assert_array_equal(train, np.flatnonzero(apart))
        assert 90 < len(train) < 145


def test_many_rows_are_split_in_seconds():
    rng = np.random.default_rng(0)
    index = rng.integers(0, 1000, size=(200_000, 3)) + np.arange(3) * 1000
    told = Triplets(index, 3000, response_id=np.arange(200_000) // 2)
    start = time.process_time()
    assert len(list(GroupedKFold(2, random_state=0).split(told))) == 2
    assert time.process_time() - start < 5  # .3 on two cores of 2025
