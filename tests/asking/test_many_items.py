"""Sessions of very many items: what a step looks at, and positions that follow the answers."""

import json
import tracemalloc

import numpy as np
import pytest

from asking.replaying import replay
from resemblance import InformationGain, PredictiveGain, RandomQuestions, UncertainQuestions
from resemblance.asking import Belief, Session, fit_job, state
from resemblance.asking.gain import item_gain, target_weight
from resemblance.asking.log import answered_judgments
from resemblance.asking.question import MostSimilar, OddOneOut
from resemblance.choice import StudentT
from resemblance.fitting.laplace import ItemUncertainty

N = 5000
MB = 2**20
TRIPLETS = MostSimilar(2)
SPACE = 2 * np.random.default_rng(0).normal(size=(24, 2))
SMALL = {"start_per_head": 3, "random_state": 7, "refit_every": 40}


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    answered, pending = TRIPLETS.random(rng, 3 * N, N), TRIPLETS.random(rng, 30, N)
    return Belief(rng.normal(size=(N, 2)), StudentT(1.0), answered, pending, asks=TRIPLETS)


@pytest.fixture
def large(monkeypatch):
    """Take 24 items for very many."""
    monkeypatch.setattr(fit_job, "MAX_PARAMETERS", 30)
    monkeypatch.setattr(state, "FOLLOWED", 8)
    return {**SMALL, "strategies": PredictiveGain(max_candidates=64, max_parameters=30)}


def play(session, n):
    for _ in range(n):
        question = session.ask()
        near = [((SPACE[question.head] - SPACE[o]) ** 2).sum() for o in question.options]
        chosen = question.options[int(np.argsort(near)[int(question.number % 7 == 0)])]
        session.tell(question, None if question.number % 11 == 0 else chosen, "pq"[chosen % 2])
    return session


@pytest.mark.parametrize(
    "strategy", [PredictiveGain(), InformationGain(), UncertainQuestions(), RandomQuestions()]
)
def test_no_strategy_makes_a_table_of_all_items(many, strategy):
    tracemalloc.start()
    rows = strategy.propose(many, 200, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 200
    assert peak < 40 * MB  # a table of all items is 200


def test_a_pool_is_all_that_a_question_looks_at(many, monkeypatch):
    looked = []
    plain = ItemUncertainty.slopes
    monkeypatch.setattr(
        ItemUncertainty, "slopes", lambda self, q: (looked.append(len(q.index)), plain(self, q))[1]
    )
    sure = many.item_uncertainty()
    looked.clear()
    known = Belief(many.points, many.choice, many.answered, many.pending, asks=TRIPLETS, sure=sure)
    stream = PredictiveGain(max_candidates=320).questions(known, np.random.default_rng(0))
    asked = [next(stream) for _ in range(60)]
    assert len({TRIPLETS.key(row) for row in asked}) == 60
    assert max(looked) <= 320
    assert sum(looked) <= 256 + 30 + 3 * (320 + 20)


def test_a_strategy_has_all_of_what_was_told_and_learns_nothing_twice(many):
    """Positions of a session go on moving under a stream; its precisions are the stream's own."""
    sure = many.item_uncertainty()
    before = sure.precision.copy()
    known = Belief(many.points, many.choice, many.answered, many.pending, asks=TRIPLETS, sure=sure)
    PredictiveGain().propose(known, 300, np.random.default_rng(0))
    np.testing.assert_array_equal(sure.precision, before)


@pytest.mark.parametrize("asks", [TRIPLETS, MostSimilar(3), OddOneOut(3)], ids=str)
def test_gain_is_the_fall_of_variance_of_the_items_of_a_question(asks):
    rng, n = np.random.default_rng(1), 8
    sure = ItemUncertainty(rng.normal(size=(n, 2)), StudentT(1.0), prior=0.4)
    sure.learn(asks.asked(asks.random(rng, 30, n)))
    rows = asks.random(rng, 10, n)
    weight = target_weight(sure, asks.smallest.asked(asks.smallest.random(rng, 50, n)))
    gains = item_gain(sure, weight, asks.asked(rows))
    for row, gain in zip(rows, gains, strict=True):
        S = np.zeros((2 * len(row), 2 * len(row)))
        W = np.kron(np.eye(len(row)), weight)
        for at, item in enumerate(row):
            S[2 * at : 2 * at + 2, 2 * at : 2 * at + 2] = np.linalg.inv(sure.precision[item])
        J = sure.slopes(asks.asked(row[None]))[0].reshape(-1, len(S))
        after = np.linalg.inv(np.linalg.inv(S) + J.T @ J)
        assert gain == pytest.approx(np.trace(W @ (S - after)), rel=1e-8)


def test_positions_follow_answers_and_the_last_fit_stays(large):
    session = play(Session(24, **large), 72)
    assert session.n_fits == 1
    fitted = session.model_.embedding_.copy()
    play(session, 7)
    np.testing.assert_array_equal(session.belief().points, fitted)
    play(session, 1)
    about = {i for q in session.questions[72:80] for i in q.row}
    moved = np.flatnonzero((session.belief().points != fitted).any(axis=1))
    assert set(moved.tolist()) <= about
    assert len(moved) > 5
    np.testing.assert_array_equal(session.model_.embedding_, fitted)


def test_a_session_of_many_items_replays_bit_for_bit(large):
    session = play(Session(24, **large), 150)
    again = replay(json.loads(json.dumps(session.log)), 24, **large)
    assert again.log == session.log
    np.testing.assert_array_equal(again.belief().points, session.belief().points)
    np.testing.assert_array_equal(again.sure.precision, session.sure.precision)


def test_a_resumed_session_of_many_items_asks_what_the_first_would_have(large):
    session = play(Session(24, **large), 131)
    again = Session.resume(json.loads(json.dumps(session.log)), 24, **large)
    np.testing.assert_array_equal(again.sure.precision, session.sure.precision)
    assert play(again, 60).log == play(session, 60).log


def test_a_fit_that_ran_elsewhere_is_followed_by_what_was_told_meanwhile(large):
    session = play(Session(24, auto_refit=False, **large), 72)
    job = session.fit_job()
    play(session, 20)
    result = job.run()
    session.adopt(result)
    expected = ItemUncertainty(result.model.embedding_, result.model.choice_, noise=result.noise)
    assert session.followed == 72 + 16
    assert (session.belief().points != result.model.embedding_).any()
    assert session.belief().points.shape == expected.points.shape


def test_fits_of_many_items_come_at_growing_intervals(large):
    large["refit_every"] = None
    session = play(Session(24, **large), 500)
    fits = [line["told"] for line in session.log if line["event"] == "fit"]
    assert fits[:4] == [72, 96, 120, 150]
    assert fits[4] == 150 + int(0.25 * 150)


def test_answers_as_columns_are_those_told():
    session = play(Session(24, **SMALL), 130)
    session.exclude_observers(["q"])
    wanted = {
        "fitted": lambda a: not a.question.held_out and a.observer != "q",
        "held out": lambda a: a.question.held_out and a.observer != "q",
        "all": lambda a: True,
    }
    for which, counts in wanted.items():
        kept = [answer for answer in [*session.answers.values()][:100] if counts(answer)]
        plain = answered_judgments(kept, session.items, session.asks)
        ours = session.judgments(which, 100)
        np.testing.assert_array_equal(ours.index, plain.index)
        if kept:  # of those held out there may be none
            assert ours.observer.tolist() == plain.observer.tolist()
            assert ours.extra["strategy"].tolist() == plain.extra["strategy"].tolist()


def test_new_items_join_a_session_of_many(large):
    session = play(Session(20, **large), 70)
    session.add_items(["x", "y"])
    assert len(session.sure.points) == 22
    assert play(session, 60).n_fits > 1
