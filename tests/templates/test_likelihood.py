"""The likelihood of decisions, and splitting templates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression

from resemblance.templates.likelihood import Decisions, Matcher, fit_from, grow, split

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
AT = Matcher(RNG.normal(size=(4, 5)), RNG.normal(size=4), -2.0, np.array([0, 0, 1, 2]))


def answers(at, x=X, seed=0):
    p = at.probabilities(x)
    u = np.random.default_rng(seed).uniform(size=len(x))
    return (u >= p.cumsum(axis=0)[:-1]).sum(axis=0)


def test_the_gradient_is_that_of_finite_differences():
    decisions = Decisions(X[:40], answers(AT)[:40], 1.7)
    wrong = check_grad(
        lambda t: decisions.objective(t, AT)[0], lambda t: decisions.objective(t, AT)[1], AT.theta
    )
    assert wrong < 1e-4
    assert decisions.objective(AT.theta, AT)[0] == pytest.approx(decisions.value(AT))


def test_one_template_per_class_is_logistic_regression():
    truth = Matcher(np.array([[1.0, 0, -1, 0, 0], [0.0] * 5]), np.zeros(2), -40.0, np.array([0, 1]))
    said = answers(truth)
    start = replace(Matcher.null(2, 5), lapse_odds=-40.0)
    decisions = Decisions(X, said, 1.0)

    def without_lapses(theta):
        value, gradient = decisions.objective(np.append(theta, -40.0), start)
        return value, gradient[:-1]

    from scipy.optimize import minimize

    found = minimize(without_lapses, start.theta[:-1], jac=True, tol=1e-9).x[:10].reshape(2, 5)
    # two templates of penalty 1 are one difference of penalty 1 / 2
    peer = LogisticRegression(C=2.0, tol=1e-8).fit(X, said == 0)
    np.testing.assert_allclose(found[0] - found[1], peer.coef_[0], atol=0.01)
    np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-4)


def test_the_split_follows_the_templates_that_were_merged():
    a, b = np.array([2.5, 0, 0, 0, 0]), np.array([0, 2.5, 0, 0, 0])
    truth = Matcher(np.array([a, b, [0.0] * 5]), np.zeros(3), -4.0, np.array([0, 0, 1]))
    x = np.random.default_rng(1).normal(size=(3000, 5))
    decisions = Decisions(x, answers(truth, x), 1.0)
    first = fit_from(decisions, Matcher.null(2, 5), 300, 1e-7)
    start = split(decisions, first.matcher)
    assert start.codes.tolist() == [0, 0, 1]
    apart = start.weights[0] - start.weights[1]
    assert abs(apart @ (a - b)) > 0.95 * np.linalg.norm(apart) * np.linalg.norm(a - b)
    path = grow(decisions, first, 4, 300, 1e-7, forced=True)
    gains = -np.diff([fitted.loss for fitted in path])
    assert gains[0] > 40
    assert gains[1] < 15  # there is nothing more to explain: 2.8 in 40 draws, 7.6 at most
    found = path[1].matcher.weights
    away = found[:2] - found[2]
    cosines = away @ np.array([a, b]).T / np.linalg.norm(away, axis=1)[:, None] / 2.5
    assert np.sort(cosines.ravel())[-2:].min() > 0.94  # .994 in 40 draws, .977 at least
