"""Draws of the maps that answers leave possible: against integrals, and against the truth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammainc
from scipy.stats import kstest

import resemblance as rs
from resemblance.asking import Belief, possible_maps
from resemblance.asking.possible import gamma_below
from resemblance.choice import Softmax, StudentT
from resemblance.errors import SettingError
from resemblance.fitting.laplace.uncertainty import effective_penalty


def told(person, n_items, m, seed, model=None):
    rng = np.random.default_rng(seed)
    answers = person.answer(np.array([rng.choice(n_items, 3, replace=False) for _ in range(m)]))
    model = model or rs.STE(2, penalty="auto", tol=1e-3, random_state=0)
    model = model.fit(rs.Triplets(answers.index, items=n_items))
    return Belief(model.embedding_, model.choice_, answers.index, penalty=effective_penalty(model))


def test_draws_agree_with_an_integral_over_a_grid():
    """Three items on a line, the precision integrated out: x has the density below."""
    rows = [(0, 1, 2)] * 9 + [(0, 2, 1)] * 3 + [(1, 0, 2)] * 6 + [(1, 2, 0)] * 4 + [(2, 1, 0)] * 7
    rows += [(2, 0, 1)] * 3
    penalty, axis = 0.4, np.arange(-5, 5.01, 0.25)
    X = np.array(np.meshgrid(axis, axis, axis)).reshape(3, -1).T
    square = np.maximum((X**2).sum(axis=1), 1e-6)
    w = gammainc(1.5, penalty * square) / square**1.5
    for h, a, b in rows:
        w *= Softmax().probability((X[:, h] - X[:, a]) ** 2, (X[:, h] - X[:, b]) ** 2)
    belief = Belief(np.array([[-0.5], [0.0], [0.8]]), answered=np.array(rows), penalty=penalty)
    drawn = possible_maps(belief, np.random.default_rng(0), 4000)[:, :, 0]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = w @ np.abs(X[:, i] - X[:, j]) / w.sum()
        assert np.abs(drawn[:, i] - drawn[:, j]).mean() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("m", [400, 1500])
def test_the_truth_is_where_draws_are(m):
    """The true distances lie anywhere among those drawn: in the middle 80 % about 80 times."""
    inside = []
    for seed in range(4):
        person = rs.SpaceObserver(
            np.random.default_rng(seed).normal(size=(15, 2)), random_state=seed
        )
        belief = told(person, 15, m, seed)
        asked = belief.asks.random(np.random.default_rng(seed), 200, 15)
        p = [probability(X, asked) for X in possible_maps(belief, np.random.default_rng(1), 200)]
        low, high = np.quantile(p, [0.1, 0.9], axis=0)
        truth = person.probability(asked)
        inside.append(((low <= truth) & (truth <= high)).mean())
    assert 0.65 < np.mean(inside) < 0.95


def probability(X, rows):
    near, far = (((X[rows[:, 0]] - X[rows[:, c]]) ** 2).sum(axis=1) for c in (1, 2))
    return Softmax().probability(near, far)


def test_few_answers_do_not_let_the_items_fall_together():
    person = rs.SpaceObserver(0.5 * np.random.default_rng(0).normal(size=(20, 2)), random_state=0)
    belief = told(person, 20, 60, 0)
    drawn = possible_maps(belief, np.random.default_rng(0), 100)
    assert ((drawn**2).mean(axis=(1, 2)) > 0.1 / belief.penalty).all()


@pytest.mark.parametrize("asks", ["choices", "odd ones out"])
def test_any_question_will_do(asks):
    person = rs.SpaceObserver(np.random.default_rng(0).normal(size=(12, 2)), random_state=0)
    settings = {"n_options": 4} if asks == "choices" else {"n_options": 3, "odd_one_out": True}
    session = rs.Session(12, rs.RandomQuestions(), start_per_head=20, **settings)
    for _ in range(240):
        question = session.ask()
        session.tell(question, question.answered_by(person))
    drawn = possible_maps(session.belief(), np.random.default_rng(0), 20)
    assert drawn.shape == (20, 12, 2)
    assert np.isfinite(drawn).all()
    assert session.belief().penalty == effective_penalty(session.model_)


def test_one_seed_gives_the_same_maps_and_no_penalty_needs_no_other_way():
    person = rs.SpaceObserver(np.random.default_rng(2).normal(size=(10, 2)), random_state=0)
    belief = replace(told(person, 10, 300, 0), penalty=0.0, choice=StudentT(1.0))
    first, again = (possible_maps(belief, np.random.default_rng(7), 10) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.ptp(first, axis=0).min() > 0


def test_a_gamma_distribution_is_cut_off_exactly():
    rng = np.random.default_rng(0)
    drawn = np.array([gamma_below(1.2, 3.0, 2.0, rng) for _ in range(4000)])
    assert drawn.max() <= 1.2
    share = kstest(drawn, lambda x: gammainc(3.0, 2.0 * x) / gammainc(3.0, 2.4)).pvalue
    assert share > 1e-4
    assert gamma_below(1e-9, 300.0, 1.0, rng) == 1e-9  # where the share underflows


def test_a_model_without_probabilities_is_refused():
    belief = Belief(np.zeros((3, 1)), rs.choice.Hinge(), np.array([[0, 1, 2]]))
    with pytest.raises(SettingError):
        possible_maps(belief, np.random.default_rng(0))
