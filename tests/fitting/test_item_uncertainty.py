"""Uncertainty of each item's position where items are many, and positions that follow answers."""

import numpy as np
import pytest

from resemblance.asking.question import MostSimilar, OddOneOut
from resemblance.choice import Logistic, StudentT
from resemblance.fitting import Noise, PositionUncertainty
from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.laplace import ItemUncertainty, likelihood_slopes

N, D = 9, 2
POINTS = np.random.default_rng(0).normal(size=(N, D))
NOISE = Noise(temperature=1.3, lapse=0.1)
TYPES = [MostSimilar(2), MostSimilar(4), OddOneOut(3)]
each_type = pytest.mark.parametrize("asks", TYPES, ids=str)


def drawn(asks, m, seed=0):
    return asks.random(np.random.default_rng(seed), m, N)


def sure(choice=None):
    return ItemUncertainty(POINTS, choice or StudentT(1.0), noise=NOISE, prior=0.5)


@each_type
def test_what_is_learned_is_the_block_of_the_full_information(asks):
    questions = asks.asked(drawn(asks, 40))
    ours = sure().learn(questions)
    full = PositionUncertainty(POINTS, StudentT(1.0), [questions], noise=NOISE, prior=0.5)
    inverse = np.linalg.inv(full.covariance).reshape(N, D, N, D)
    np.testing.assert_allclose(ours.precision, np.einsum("iaib->iab", inverse), rtol=1e-8)


@each_type
@pytest.mark.parametrize("choice", [StudentT(1.0), Logistic()])
def test_slopes_of_the_likelihood_are_those_of_finite_differences(asks, choice):
    rows = drawn(asks, 1)
    slopes = likelihood_slopes(POINTS, choice, NOISE, asks.asked(rows))[0]

    def log_p(X):
        return np.log(NOISE.apply(answer_probabilities(X, asks.judgments(rows, N), choice))[0, 0])

    for place, item in enumerate(rows[0]):
        for axis in range(D):
            step = np.zeros((N, D))
            step[item, axis] = 1e-6
            slope = (log_p(POINTS + step) - log_p(POINTS - step)) / 2e-6
            assert slopes[place, axis] == pytest.approx(slope, abs=1e-6)


@each_type
def test_an_answer_moves_its_items_by_one_step_of_newton_and_no_others(asks):
    rows = drawn(asks, 1)
    ours, before = sure(), sure()
    questions = asks.asked(rows)
    J = before.slopes(questions)[0].reshape(-1, asks.width * D)
    g = likelihood_slopes(POINTS, StudentT(1.0), NOISE, questions)[0].ravel()
    step = np.linalg.solve(0.5 * np.eye(asks.width * D) + J.T @ J, g)
    ours.follow(questions)
    moved = ours.points - POINTS
    np.testing.assert_allclose(moved[rows[0]].ravel(), step, rtol=1e-8)
    assert not np.delete(moved, rows[0], axis=0).any()


@each_type
def test_what_is_expected_is_learned_with_the_other_items_unsure(asks):
    rows = drawn(asks, 1)
    ours = sure()
    J = ours.slopes(asks.asked(rows))[0]
    seen = np.eye(len(J)) + sum(J[:, t] @ J[:, t].T / 0.5 for t in range(asks.width))
    ours.expect(asks.asked(rows))
    for place, item in enumerate(rows[0]):
        told = J[:, place].T @ np.linalg.inv(seen) @ J[:, place]
        np.testing.assert_allclose(ours.precision[item], 0.5 * np.eye(D) + told, rtol=1e-8)


def test_a_plan_has_a_precision_of_its_own_and_positions_that_follow():
    ours = sure()
    plan, question = ours.planned(), TYPES[0].asked(drawn(TYPES[0], 1))
    plan.expect(question)
    assert (ours.precision == sure().precision).all()
    ours.follow(question)
    assert (plan.points == ours.points).all()
    assert (plan.points != POINTS).any()


def test_further_items_are_as_unsure_as_before_any_answer():
    grown = sure().learn(TYPES[0].asked(drawn(TYPES[0], 20))).grown(np.zeros((2, D)))
    assert grown.points.shape == (N + 2, D)
    np.testing.assert_array_equal(grown.precision[N:], np.tile(0.5 * np.eye(D), (2, 1, 1)))
    some = grown.among(np.array([3, 10]))
    np.testing.assert_array_equal(some.precision, grown.precision[[3, 10]])
