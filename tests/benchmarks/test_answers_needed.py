"""Every way of asking that was tried asks valid questions, and what it needs is summed up right."""

import numpy as np
import pandas as pd
import pytest

from resemblance.asking import Belief
from resemblance.asking.question import MostSimilar
from resemblance.choice import StudentT
from scripts import scripts

ASKS = MostSimilar(2)


@pytest.fixture(scope="module")
def modules():
    with scripts("benchmarks", "answers_needed") as found:
        yield found


@pytest.fixture(scope="module")
def world():
    with scripts("papers/calibration", "worlds") as found:
        yield found.worlds.world(1)


def belief(n):
    rng = np.random.default_rng(1)
    answered = ASKS.random(rng, 60, n)
    return Belief(rng.normal(size=(n, 2)), StudentT(1.0), answered, penalty=0.3)


def test_every_way_asks_valid_questions_and_none_twice(modules, world):
    known = belief(world.n_items)
    for name, way in modules.answers_needed.WAYS.items():
        strategy = way(world).get("strategies")
        rows = strategy.propose(known, 12, np.random.default_rng(0))
        assert rows.shape == (12, 3), name
        assert all(len(set(row)) == 3 for row in rows.tolist()), name
        assert len({ASKS.key(row) for row in rows}) == 12, name


def test_answers_needed_lie_between_marks(modules):
    curve = pd.Series([0.3, 0.2, 0.1], index=[10, 20, 30])
    needed = modules.answers_needed.needed
    assert needed(curve, 0.15) == pytest.approx(25.0)
    assert (needed(curve, 0.4), needed(curve, 0.05)) == (10.0, np.inf)


def test_differences_are_paired_and_drawn(modules, tmp_path):
    marks = modules.answers_needed.MARKS
    rows = [
        {
            "way": way,
            "seed": seed,
            "seconds": 1.0,
            "kind": "softmax",
            **dict.fromkeys(marks, 0.1 * seed + worse),
        }
        for way, worse in (("random", 0.0), ("default", 0.02), ("start 5", 0.03))
        for seed in range(3)
    ]
    table = modules.answers_needed.summary(pd.DataFrame(rows))
    assert table.loc["start 5", "18-22"] == "+1.00 ± 0.00"
    assert table.loc["default", "softmax - random"] == "+2.00 ± 0.00"
    assert table.loc["default", "needed"].startswith("inf")
    assert not table.loc["start 5", "of them"]  # neither reaches it
    ratios = np.array([1.02, 0.9, np.nan, 1.1])
    assert modules.answers_needed._told(ratios, 2) == "1.02 (0.90 to 1.10)"
    modules.answers_needed.draw(table, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 5_000
