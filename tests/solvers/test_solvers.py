import os
import signal

import numpy as np
import pytest

from resemblance.solvers import (
    Progress,
    bounded_lbfgs,
    lbfgs,
    projected_gradient,
    stochastic_descent,
)


def quadratic(seed=0, n=20):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    A = A @ A.T + 0.1 * np.eye(n)
    b = rng.normal(size=n)
    return A, b, lambda x: (0.5 * x @ A @ x - b @ x, A @ x - b)


def test_lbfgs_finds_the_minimum_of_a_quadratic():
    A, b, f = quadratic()
    found = lbfgs(f, np.zeros(20), tol=1e-12)
    assert found.converged
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), atol=1e-4)


def test_lbfgs_keeps_the_shape():
    target = np.arange(6.0).reshape(3, 2)
    found = lbfgs(lambda x: (((x - target) ** 2).sum(), 2 * (x - target)), np.zeros((3, 2)))
    np.testing.assert_allclose(found.x, target, atol=1e-6)


def test_projected_gradient_solves_nonnegative_least_squares():
    from scipy.optimize import nnls

    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(40, 10)), rng.normal(size=40)
    expected, _ = nnls(A, b)
    found = projected_gradient(
        lambda x: (0.5 * ((A @ x - b) ** 2).sum(), A.T @ (A @ x - b)),
        lambda x: np.maximum(x, 0.0),
        np.ones(10),
        tol=1e-12,
        max_iter=5000,
    )
    assert found.converged
    np.testing.assert_allclose(found.x, expected, atol=1e-4)


def test_bounded_lbfgs_solves_nonnegative_least_squares():
    from scipy.optimize import nnls

    for seed in range(2):
        rng = np.random.default_rng(seed)
        A, b = rng.normal(size=(60, 30)), rng.normal(size=60)
        expected, _ = nnls(A, b)
        found = bounded_lbfgs(
            lambda x, A=A, b=b: (0.5 * ((A @ x - b) ** 2).sum(), A.T @ (A @ x - b)),
            np.zeros(30),
            rng.normal(size=30),
            tol=1e-13,
        )
        assert found.converged
        assert (found.x[expected == 0] == 0).all()  # not almost 0
        np.testing.assert_allclose(found.x, expected, atol=1e-4)


SOLVERS = {
    "lbfgs": lbfgs,
    "bounded": lambda f, x, **kw: bounded_lbfgs(f, np.full(x.shape, -1.0), x, **kw),
    "projected": lambda f, x, **kw: projected_gradient(f, lambda x: x, x, **kw),
}


@pytest.fixture
def obeying_ctrl_c():
    """Obey SIGINT even where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)
class TestEverySolver:
    def test_says_that_it_ran_out_of_iterations(self, solve):
        found = solve(quadratic()[2], np.zeros(20), max_iter=3, tol=1e-12)
        assert found.n_iter == 3
        assert not found.converged
        assert not found.interrupted

    def test_tells_its_progress(self, solve):
        told = []
        found = solve(quadratic()[2], np.zeros(20), callback=told.append)
        assert [p.iteration for p in told] == list(range(1, found.n_iter + 1))
        assert all(isinstance(p, Progress) for p in told)
        assert told[-1].loss <= told[0].loss

    def test_a_true_answer_stops_it(self, solve):
        found = solve(quadratic()[2], np.zeros(20), callback=lambda p: p.iteration == 4)
        assert found.n_iter == 4
        assert found.interrupted
        assert not found.converged
        assert found.loss == pytest.approx(quadratic()[2](found.x)[0])

    def test_ctrl_c_keeps_the_best_so_far(self, solve, obeying_ctrl_c):
        def interrupt(progress):
            if progress.iteration == 5:
                os.kill(os.getpid(), signal.SIGINT)

        found = solve(quadratic()[2], np.zeros(20), tol=1e-14, callback=interrupt)
        assert found.interrupted
        assert 5 <= found.n_iter <= 7
        assert found.loss < 0


def test_stochastic_descent_returns_the_best_it_saw():
    target = np.array([1.0, -2.0])
    seen = []

    def sweep(x, rate):
        x -= rate * (x - target)

    def loss(x):
        seen.append(((x - target) ** 2).sum())
        return seen[-1]

    best = stochastic_descent(sweep, loss, np.zeros(2), n_passes=20, rate=0.3)
    assert ((best - target) ** 2).sum() == min(seen)
    assert min(seen) < 1e-2 * seen[0]


def test_stochastic_descent_halves_a_rate_that_overshoots():
    rates = []

    def sweep(x, rate):
        rates.append(rate)
        x *= 1 - 2.5 * rate

    stochastic_descent(sweep, lambda x: float(x @ x), np.ones(2), n_passes=10, rate=1.0)
    assert rates[-1] < rates[0]
