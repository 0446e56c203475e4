"""What is claimed of difference scales, in a few worlds: the table of papers/calibration."""

import pandas as pd
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def mlds():
    with scripts("papers/calibration", "mlds") as modules:
        modules.mlds.DRAWS = 100
        yield modules.mlds


@pytest.mark.parametrize("kind", ["triads", "quadruples"])
def test_intervals_hold_the_truth(mlds, kind):
    found = pd.DataFrame([mlds.look(seed, kind, 300) for seed in range(12)]).mean()
    assert found["in units of the noise, bca"] > 0.8
    assert found["0 to 1, bca"] > 0.8
    assert abs(found["bias of sigma"]) < 0.25


def test_false_alarms_are_few(mlds):
    found = pd.DataFrame([mlds.tested(seed, "quadruples", 200, 0.0) for seed in range(10)])
    assert set(found) == {"residuals", "runs", "six points"}
    assert (found.sum() <= 4).all()


def test_a_table_has_a_row_for_each_claim(mlds, monkeypatch):
    monkeypatch.setattr(mlds, "DRAWS", 20)
    table = mlds.table(n_worlds=2, n_jobs=1, sizes=(120,))
    assert set(table["condition"]) == {"120 triads", "120 quadruples"}
    assert len(table) == 6 + 2 * 2 + 6 + 2 * 3 + 2 * 2 * 2
