import numpy as np
import pytest

import resemblance as rs
from resemblance.asking import Session, stopping_advice
from resemblance.errors import SettingError


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
    assert late.standard_error < early.standard_error


def test_advice_needs_a_fit():
    with pytest.raises(SettingError, match="refit"):
        stopping_advice(Session(5))
