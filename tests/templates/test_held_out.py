"""Choosing by held-out answers."""

import numpy as np
import pytest

from resemblance.templates.likelihood import climb, fewest


@pytest.mark.parametrize("best", [(0, 0), (6, 2), (3, 4)])
def test_climbing_comes_to_the_top_of_one_hill(best):
    seen = []

    def score(x, y):
        seen.append((x, y))
        return -((x - best[0]) ** 2) - 2 * (y - best[1]) ** 2

    assert climb((range(7), range(5)), score) == best
    assert len(seen) == len(set(seen)) < 35  # nothing twice, and not the whole grid


def test_more_templates_need_two_standard_errors():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    noise = rng.normal(size=400)
    noise -= noise.mean()
    error = noise.std(ddof=1) / 20
    better, same = base + noise + 2.5 * error, base + noise + 1.5 * error
    assert fewest(np.column_stack([base, better])) == 1
    assert fewest(np.column_stack([base, same])) == 0
    assert fewest(np.column_stack([base, base, better])) == 2
    assert fewest(np.column_stack([better, base])) == 0
    assert fewest(np.column_stack([base, base])) == 0
