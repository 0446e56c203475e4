"""Steps over the parts of a sum."""

import numpy as np
import pytest

from resemblance.solvers import adam


def least_squares(n=400, d=5, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    A, truth = rng.normal(size=(n, d)), rng.normal(size=d)
    b = A @ truth + noise * rng.normal(size=n)

    def part(rows):
        def value(x):
            miss = A[rows] @ x - b[rows]
            return float(miss @ miss), 2.0 * A[rows].T @ miss

        return value

    return [part(slice(k, k + 10)) for k in range(0, n, 10)], np.linalg.lstsq(A, b)[0]


def test_it_comes_close_to_the_least_squares():
    parts, best = least_squares(noise=0.3)
    found = adam(lambda: parts, np.ones(5), tol=1e-6)
    assert found.converged
    np.testing.assert_allclose(found.x, best, atol=0.05)
    assert np.mean([sum(part(x)[0] for part in parts) for x in (found.x,)]) < 1.01 * sum(
        part(best)[0] for part in parts
    )


def test_the_size_of_x_scales_its_steps():
    parts, _ = least_squares()
    small = adam(lambda: parts, np.ones(5), max_iter=1).x

    def times(part):
        return lambda x: (part(x / 100)[0], part(x / 100)[1] / 100)

    large = adam(lambda: [times(part) for part in parts], 100 * np.ones(5), max_iter=1).x
    np.testing.assert_allclose(large, 100 * small)


def test_the_start_is_left_alone_and_the_shape_is_kept():
    parts, _ = least_squares(d=6)
    start = np.ones((3, 2))

    def shaped(part):
        return lambda x: (part(x.ravel())[0], part(x.ravel())[1].reshape(x.shape))

    found = adam(lambda: map(shaped, parts), start, max_iter=2)
    assert found.x.shape == (3, 2)
    assert (start == 1.0).all()
    assert (found.n_iter, found.converged) == (2, False)


@pytest.mark.parametrize("after", [1, 2])
def test_ctrl_c_and_a_callback_keep_whole_passes(after):
    parts, _ = least_squares()
    passes = iter(range(9))

    def interrupted():
        if next(passes) == after:
            raise KeyboardInterrupt
        return parts

    pressed = adam(interrupted, np.ones(5))
    told = adam(lambda: parts, np.ones(5), callback=lambda now: now.iteration == after)
    assert pressed.interrupted
    assert told.interrupted
    assert pressed.n_iter == told.n_iter == after
    np.testing.assert_array_equal(pressed.x, told.x)
