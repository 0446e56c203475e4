"""Choosing the items of the next arrangement."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.asking.arranging import STRATEGIES
from resemblance.errors import JudgmentError, SettingError

NAMES = [f"item{k}" for k in range(12)]


def person(seed=0, n=12, d=2):
    return rs.SpaceObserver(np.random.default_rng(seed).normal(size=(n, d)), random_state=seed)


def answered(session, someone, m, noise=0.1):
    for _ in range(m):
        session.tell(someone.arrange([session.ask()], noise=noise).places[0])
    return session


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_session_learns_the_space(strategy):
    someone = person()
    session = rs.ArrangementSession(NAMES, strategy, size=5, random_state=3)
    answered(session, someone, 1, noise=0.15)
    truth = pdist(someone.points)
    first = np.corrcoef(pdist(session.model_.embedding_), truth)[0, 1]
    answered(session, someone, 12, noise=0.15)
    assert np.corrcoef(pdist(session.model_.embedding_), truth)[0, 1] > first
    assert session.arrangements_.items.names == tuple(NAMES)
    assert session.arrangements_.n_shown[0] == 12


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_seed_gives_one_course(strategy):
    courses = [
        answered(rs.ArrangementSession(12, strategy, size=4, random_state=5), person(), 4)
        for _ in range(2)
    ]
    assert np.array_equal(*(session.arrangements_.index for session in courses))


def test_a_question_stays_until_it_is_told():
    session = rs.ArrangementSession(12, size=4)
    shown = session.ask()
    assert session.ask() == shown
    with pytest.raises(JudgmentError, match="circle"):
        session.tell(np.full((12, 2), 0.9))
    assert session.ask() == shown
    assert session.arrangements_ is None


def test_many_items_are_all_shown_first_in_sets_that_hang_together():
    someone, session = person(n=40), rs.ArrangementSession(40, size=5, most=12)
    seen, told = set(), 0
    while len(seen) < 40:
        shown = set(session.ask())
        assert 3 <= len(shown) <= 12
        assert not seen or shown & seen
        answered(session, someone, 1)
        seen |= shown
        told += 1
    assert told == 5
    assert len(session.ask()) == 5
    assert session.model_.parts_.max() == 0


def test_the_least_known_are_shown_next():
    """Of two groups, one was laid out five times as often: the next set is of the other."""
    someone, session = person(n=12), rs.ArrangementSession(12, size=3, random_state=1)
    answered(session, someone, 1)
    often = np.arange(8)
    more = someone.arrange(np.tile(often, (6, 1)), 12, noise=0.05)
    session.arrangements_ = rs.join_judgments([session.arrangements_, more])
    assert len(set(session.ask()) - set(often.tolist())) >= 2


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"strategy": "best"}, "strategy"),
        ({"size": 2}, "size"),
        ({"size": 4.5}, "size"),
        ({"most": 2}, "most"),
        ({"items": 2}, "items"),
    ],
)
def test_settings_are_checked(changes, named):
    with pytest.raises(SettingError) as refused:
        rs.ArrangementSession(**({"items": 12} | changes))
    assert refused.value.setting == named
