from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

import resemblance as rs
from resemblance.asking import Session, stopping, stopping_advice
from resemblance.asking.question import random_rows
from resemblance.asking.stopping import expected_gains
from resemblance.asking.strategies import log_probabilities
from resemblance.errors import SettingError
from resemblance.fitting import Noise, PositionUncertainty


def play(session, person, n):
    for _ in range(n):
        question = session.ask()
        picked = person.pick([[question.head, *question.options]])[0]
        session.tell(question, question.options[picked])


def truth_error(session, person, asked):
    """The expected error on random triplets: what the crowd answers against what the map says."""
    p, E = person.probability(asked), session.model_.embedding_
    near, far = (((E[asked[:, 0]] - E[asked[:, c]]) ** 2).sum(axis=1) for c in (1, 2))
    return np.where(near < far, 1 - p, p).mean()


def test_the_gain_foretold_is_about_the_gain_found():
    foretold, found = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = 1.5 * rng.normal(size=(20, 2))
        person = rs.SpaceObserver(X, rs.choice.StudentT(1.0), random_state=seed)
        asked = np.array([rng.choice(20, 3, replace=False) for _ in range(2000)])
        session = Session(20, rs.RandomQuestions(), start_per_head=25, refit_every=2000)
        play(session, person, 500)
        foretold.append(stopping_advice(session, n_more=1000).gain)
        before = truth_error(session, person, asked)
        play(session, person, 1000)
        session.refit()
        found.append(before - truth_error(session, person, asked))
    assert np.mean(found) / 2 < np.mean(foretold) < 2 * np.mean(found)


@pytest.mark.parametrize(("n_options", "answers"), [(4, 300), (8, 200)])
def test_with_more_options_too(n_options, answers):
    foretold, found, inside = [], [], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = 1.5 * rng.normal(size=(20, 2))
        person = rs.SpaceObserver(X, rs.choice.StudentT(1.0), random_state=seed)
        rows = random_rows(rng, 2000, 20, n_options)
        asked = rs.Choices(rows[:, 0], rows[:, 1:], rows[:, 1])
        plan = {"n_options": n_options, "start_per_head": answers // 20, "refit_every": 5000}
        session = Session(20, rs.RandomQuestions(), **plan)
        choose(session, person, answers)
        advice = stopping_advice(session, n_more=2 * answers)
        before = expected_error(session, person, asked)
        choose(session, person, 2 * answers)
        session.refit()
        foretold.append(advice.gain)
        found.append(before - expected_error(session, person, asked))
        inside += advice.interval[0] < found[-1] < advice.interval[1]
    assert np.mean(found) / 2 < np.mean(foretold) < 2 * np.mean(found)
    assert inside >= 4


def choose(session, person, n):
    for _ in range(n):
        question = session.ask()
        asked = question.as_judgment()
        session.tell(question, int(asked.index[0, 1 + person.pick(asked)[0]]))


def expected_error(session, person, asked):
    """The share of what people choose that the nearest option is not."""
    says = session.model_.predict_proba(asked).argmax(axis=1)
    return 1.0 - person.probabilities(asked)[np.arange(len(says)), says].mean()


def test_two_options_are_weighed_alike_whichever_way():
    """Two options by the difference of their log odds, as the formula for triplets has it."""
    person = rs.SpaceObserver(np.random.default_rng(1).normal(size=(12, 2)), random_state=1)
    session = Session(12, rs.RandomQuestions(), start_per_head=25, random_state=1)
    play(session, person, 300)
    belief = session.belief()
    gains = expected_gains(belief, 300, np.random.default_rng(0), n_draws=4000)
    assert gains.mean() == pytest.approx(triplet_gain(belief, 300), rel=0.05)


def test_answers_that_are_lapses_gain_nothing(monkeypatch):
    """With lapses, two probabilities differ by (1 - lapse) of what they would: so does a gain."""
    session = Session(12, rs.RandomQuestions(), start_per_head=25, random_state=1)
    play(session, rs.SpaceObserver(np.random.default_rng(1).normal(size=(12, 2))), 300)
    sharp = replace(session.belief(), noise=Noise(1.0, 0.0))
    dull = replace(sharp, noise=Noise(1.0, 0.3))
    uncertainty = stopping._uncertainty(sharp)
    monkeypatch.setattr(stopping, "_uncertainty", lambda _: uncertainty)
    gains = [expected_gains(known, 300, np.random.default_rng(0)) for known in (sharp, dull)]
    np.testing.assert_allclose(gains[1], 0.7 * gains[0])


def triplet_gain(belief, n_more):
    rng = np.random.default_rng(0)
    rows = random_rows(rng, 300, belief.n_items, 2)
    log_p = log_probabilities(belief, rows)
    z = log_p[:, 0] - log_p[:, 1]
    told = [belief.asked(belief.answered)]
    uncertainty = PositionUncertainty(belief.points, belief.choice, told)
    J = (
        uncertainty.information_rows(belief.asked(rows)).toarray()
        / np.sqrt(expit(z) * expit(-z))[:, None]
    )
    C = J @ uncertainty.covariance @ J.T
    first, second = rng.multivariate_normal(np.zeros(300), C, size=(2, 4000), method="eigh")
    r = len(belief.answered) / (len(belief.answered) + n_more)
    truth, later = z + first, z + (1 - r) * first + np.sqrt(r * (1 - r)) * second
    cost = np.abs(2 * expit(truth) - 1)
    return (cost * (truth * z < 0)).mean() - (cost * (truth * later < 0)).mean()


def test_more_answers_leave_less_to_gain_and_surer_items():
    X = 1.5 * np.random.default_rng(0).normal(size=(15, 2))
    person = rs.SpaceObserver(X, rs.choice.StudentT(1.0), random_state=0)
    session = Session(15, start_per_head=5, held_out=0.2, random_state=0)
    play(session, person, 150)
    early = stopping_advice(session)
    play(session, person, 900)
    late = stopping_advice(session)
    assert late.gain < early.gain
    assert late.deviation.shape == (15,)
    assert late.n_answers == 1050
    assert 0 < late.held_out_error < 0.5
    width = [np.ptp(advice.error_interval) for advice in (early, late)]
    assert width[1] < width[0]


def test_advice_needs_a_fit():
    with pytest.raises(SettingError, match="refit"):
        stopping_advice(Session(5))
