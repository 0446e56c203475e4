"""The cleaning benchmark runs on a small problem, and counts what the library counts."""

import numpy as np
import pytest

import resemblance as rs
from scripts import scripts


@pytest.fixture(scope="module")
def cleaning():
    with scripts("benchmarks", "cleaning") as modules:
        yield modules.cleaning


def test_a_fifth_of_the_answers_is_wrong(cleaning):
    right, wrong = (cleaning.answers(40, 5000, share).index for share in (0.0, 0.2))
    assert (right != wrong).any(axis=1).mean() == pytest.approx(0.2, abs=0.02)
    assert rs.SimilarityGraph(right).components() == []


def test_methods_are_compared_on_the_same_comparisons(cleaning):
    rows = {row["method"]: row for row in cleaning.compare(30, 3000)}
    kept = [rows[method]["kept"] for method in ("win-loss order", "greedy", "sifting")]
    assert kept == sorted(kept)
    assert len({row["comparisons"] for row in rows.values()}) == 1


def test_the_win_loss_order_keeps_all_of_a_chain(cleaning):
    chain = rs.SimilarityGraph(
        np.column_stack([np.zeros(8, int), np.arange(1, 9), np.arange(2, 10)])
    )
    assert cleaning.win_loss(chain) >= 6  # the pairs between have won as often as they lost


def test_all_steps_are_timed(cleaning):
    row = cleaning.whole(20, 1500, repeats=2)
    _, report = rs.clean(cleaning.answers(20, 1500), reduce=True, random_state=1)
    assert row["kept"] == report.steps["weight"]["acyclic"]
    assert 0 < row["s min"] <= row["s median"]
    assert row["peak_mb"] > 50
