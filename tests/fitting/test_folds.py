import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score

from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.choosing.folds import GroupedKFold
from resemblance.judgments import Triplets


def held_out(splitter, X, groups=None):
    return [test for _, test in splitter.split(X, groups=groups)]


def triplets_of(n_rows, **notes):
    return Triplets(np.tile([[0, 1, 2]], (n_rows, 1)), items=3, **notes)


@settings(max_examples=50, deadline=None)
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


@pytest.mark.parametrize("X", [triplets_of(103), np.zeros((103, 3))])
def test_without_groups_every_row_is_its_own(X):
    tests = held_out(GroupedKFold(10, random_state=0), X)
    assert sorted(len(test) for test in tests) == [10] * 7 + [11] * 3


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


class Recorder(BaseEstimator):
    """Scores 1 when no group was both fitted and held out."""

    def __init__(self, setting=0):
        self.setting = setting

    def fit(self, X, y=None):
        self.groups_ = set(X.response_id)
        return self

    def score(self, X, y=None):
        return float(X.n_items == 3 and self.groups_.isdisjoint(X.response_id))


def test_scikit_learn_uses_it():
    X, folds = triplets_of(30, response_id=np.arange(30) // 3), GroupedKFold(5, random_state=0)
    np.testing.assert_array_equal(cross_val_score(Recorder(), X, cv=folds), np.ones(5))
    search = GridSearchCV(Recorder(), {"setting": [1, 2]}, cv=folds).fit(X)
    assert search.best_score_ == 1
    assert "n_splits=5" in repr(folds)


def test_what_cannot_be_split_is_named():
    with pytest.raises(JudgmentError, match="needs an observer for every row"):
        held_out(GroupedKFold(2, by="observer"), triplets_of(4))
    with pytest.raises(SettingError, match="by is 'person'"):
        held_out(GroupedKFold(2, by="person"), triplets_of(4))
    with pytest.raises(SettingError, match="n_splits is 1"):
        held_out(GroupedKFold(1), triplets_of(4))
