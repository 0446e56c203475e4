"""A new item is where the answers about it are most probable, and good questions help."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.asking.out_of_sample import _Evidence, embed_item
from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import Noise

X = np.random.default_rng(0).normal(size=(40, 3))
MODELS = [
    rs.CKL(3, mu=0.05).set_positions(X),
    rs.STE(3).set_positions(X),
    rs.TSTE(3, alpha=2.0).set_positions(X),
    OrdinalEmbedding(rs.choice.Logistic(), 3).set_positions(X),
]
ANSWERS = [(3, 8), (4, 30, 2), (11, 12, 13, 14), (8, 4), (3, 20)]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m.choice_).__name__)
def test_slope_is_that_of_the_objective(model):
    evidence = _Evidence(model, Noise(1.3, 0.1), ANSWERS)
    x, h = np.array([0.3, -0.2, 0.5]), 1e-6
    nudged = [
        (evidence._objective(x + h * e)[0] - evidence._objective(x - h * e)[0]) / (2 * h)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(evidence._objective(x)[1], nudged, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m.choice_).__name__)
def test_no_point_is_more_probable(model):
    placed, evidence = embed_item(model, ANSWERS), _Evidence(model, None, ANSWERS)
    others = placed.position + np.random.default_rng(0).normal(size=(3000, 3))
    at = evidence.log_posterior(np.vstack([placed.position, others]))
    assert at[0] >= at[1:].max() - 1e-6


def test_no_answer_gives_the_prior():
    placed = embed_item(MODELS[0], [])
    np.testing.assert_allclose(placed.position, X.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(placed.covariance, np.cov(X, rowvar=False), rtol=1e-6)


def test_answers_that_contradict_each_other_beyond_underflow_have_a_most_probable_point():
    model = rs.STE(1).set_positions([[0.0], [10.0], [40.0], [60.0]])
    answers = [(0, 3)] * 3 + [(3, 2), (2, 0)]
    placed, evidence = embed_item(model, answers), _Evidence(model, None, answers)
    line = np.linspace(-20, 80, 100_001)[:, None]
    assert placed.position == pytest.approx(line[evidence.log_posterior(line).argmax()], abs=2e-3)


def test_many_answers_find_the_position_as_surely_as_said():
    truth = np.array([[0.8, -0.4, 0.3]])
    person = rs.SpaceObserver(np.vstack([X, truth]), rs.choice.Relative(0.05), random_state=0)
    rows = np.random.default_rng(0).choice(40, (3000, 2)).astype(np.int32)
    rows = rows[rows[:, 0] != rows[:, 1]]
    asked = np.column_stack([np.full(len(rows), 40), rows])
    placed = embed_item(MODELS[0], person.answer(asked).index[:, 1:])
    error = placed.position - truth[0]
    assert placed.deviation < 0.1
    assert error @ np.linalg.solve(placed.covariance, error) < 16  # chi squared, 3: 99.9 %


def test_adaptive_questions_place_better():
    far = {adaptive: [distance(adaptive, seed) for seed in range(5)] for adaptive in (True, False)}
    assert np.mean(far[True]) < np.mean(far[False]) - 0.1


def distance(adaptive, seed, n_answers=15):
    truth = np.random.default_rng(seed).normal(size=(1, 3))
    person = rs.SpaceObserver(3 * np.vstack([X, truth]), random_state=seed)
    model = rs.STE(3).set_positions(3 * X)
    session = rs.OutOfSampleSession(model, adaptive=adaptive, random_state=seed)
    for _ in range(n_answers):
        options = session.ask()
        session.tell(options[person.pick([[40, *options]])[0]])
    assert len(set(map(frozenset, session.answers))) == n_answers
    return np.linalg.norm(session.place().position / 3 - truth)


def test_the_next_question_follows_from_the_answers_alone():
    first, again = (rs.OutOfSampleSession(MODELS[0], random_state=5) for _ in range(2))
    options = first.ask()
    first.tell(options[1])
    again.tell(options[1], options)
    assert first.ask() == again.ask()


def test_bad_use():
    with pytest.raises(SettingError, match=r"answer 1 is .3, 40."):
        embed_item(MODELS[0], [(1, 2), (3, 40)])
    with pytest.raises(SettingError, match="Triplets"):
        embed_item(MODELS[0], rs.Triplets([[0, 1, 2]]))
    with pytest.raises(SettingError, match="answer 0"):
        embed_item(MODELS[0], [(0.9, 2)])
    with pytest.raises(SettingError, match="Hinge"):
        embed_item(rs.GNMDS(3).set_positions(X), [])
    with pytest.raises(SettingError, match="from 2 to 40"):
        rs.OutOfSampleSession(MODELS[0], 41)
    session = rs.OutOfSampleSession(MODELS[0])
    session.ask()
    with pytest.raises(UnknownQuestionError, match="not among the options"):
        session.tell(next(item for item in range(40) if item not in session.asked))
