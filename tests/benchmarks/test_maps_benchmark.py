"""The benchmark of large maps runs, and its answers are those of its truth."""

import json

import numpy as np
import pytest

from scripts import scripts


@pytest.mark.parametrize("words", [[], ["--batch-size", "500"]])
def test_a_small_one_comes_between_the_truth_and_raw_distance(words, capsys):
    with scripts("benchmarks", "maps") as modules:
        modules.maps.main(["--items", "500", "--features", "40", "--triplets", "20000", *words])
    found = json.loads(capsys.readouterr().out)
    assert found["error_truth"] - 0.01 < found["error_fit"] < found["error_raw"] - 0.05
    assert found["peak_mb"] >= found["peak_mb_before_fit"] > 0


def test_triplets_are_of_three_items_and_mostly_as_the_truth_says():
    rng = np.random.default_rng(0)
    space = rng.normal(size=(30, 2))
    with scripts("benchmarks", "maps") as modules:
        rows = modules.maps.answers(space, 3000, rng)
    assert all(len(set(row)) == 3 for row in rows.tolist())
    near, far = (np.linalg.norm(space[rows[:, 0]] - space[rows[:, k]], axis=1) for k in (1, 2))
    assert 0.7 < np.mean(near < far) < 0.95
