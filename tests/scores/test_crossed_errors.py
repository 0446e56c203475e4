"""Errors of means over answers that share people or items, against all pairs of answers."""

import numpy as np
import pytest

from resemblance.scores.intervals import CrossedErrors

N_ITEMS, N_PEOPLE = 9, 5


@pytest.mark.parametrize("width", [2, 3, 4])
def test_covariances_are_sums_over_pairs_of_rows_with_something_in_common(width):
    rng = np.random.default_rng(width)
    index = np.array([rng.choice(N_ITEMS, width, replace=False) for _ in range(150)])
    people, values, weights = (
        rng.integers(N_PEOPLE, size=150),
        rng.normal(size=(150, 2)),
        rng.random(150),
    )
    errors = CrossedErrors.of(values, weights, people, index)
    share = weights / weights.sum()
    apart = share[:, None] * (values - share @ values)
    mentioned = np.zeros((150, N_ITEMS))
    mentioned[np.arange(150)[:, None], index] = 1
    item, person = mentioned @ mentioned.T > 0, people[:, None] == people
    up = N_PEOPLE / (N_PEOPLE - 1), N_ITEMS * (N_ITEMS - 1) / (N_ITEMS - width) ** 2
    expected = [
        up[0] * apart.T @ person @ apart,
        up[1] * apart.T @ item @ apart,
        up[0] * up[1] * apart.T @ (person & item) @ apart,
    ]
    np.testing.assert_allclose(errors.covariances, expected)
    assert 0 < errors.freedom < N_ITEMS / width
    row = errors.estimates(np.array([[1.0, -1.0]]))
    assert row["low"] < row["value"] < row["high"]
    assert row["standard_error"] > 0


def test_wide_rows_never_have_smaller_errors_than_rows_alone():
    rng = np.random.default_rng(0)
    index = np.array([rng.choice(40, 6, replace=False) for _ in range(200)])
    index[:50, 5] = -1
    values = rng.integers(2, size=(200, 1)).astype(float)
    errors = CrossedErrors.of(values, np.ones(200), None, index)
    alone = values.std() / np.sqrt(200)
    assert errors.estimates(np.eye(1))["standard_error"][0] > 0.9 * alone


def test_too_few_people_or_items_have_no_interval():
    index = np.array([[0, 1, 2], [2, 0, 1]])
    errors = CrossedErrors.of(np.array([[0.0], [1.0]]), np.ones(2), None, index)
    assert errors.freedom == 0
    assert np.isnan(errors.estimates(np.eye(1))["low"]).all()
