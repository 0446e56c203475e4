"""Rows that a fit has seen are known again, in whatever order and form they come back."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting import answers
from resemblance.fitting.answers import share_seen

RNG = np.random.default_rng(0)
N, M = 12, 60
ITEMS = rs.Items([f"item {k}" for k in range(N)])
FOUR = np.array([RNG.choice(N, 4, replace=False) for _ in range(M)])
WHO = np.repeat(["ann", "bob", "cid"], M // 3)
COINS = rs.Triplets(FOUR[:, :3], ITEMS)
PAIRS = np.column_stack(np.triu_indices(N, 1))[:M]
KINDS = {
    "triplets": COINS,
    "people": COINS._with(observer=WHO),
    "quadruplets": rs.Quadruplets(FOUR, ITEMS),
    "choices": rs.Choices(FOUR[:, 0], FOUR[:, 1:], FOUR[:, 1], ITEMS),
    "odd_one_outs": rs.OddOneOuts(FOUR, FOUR[:, 0], ITEMS),
    "ratings": rs.Ratings(PAIRS, RNG.integers(1, 8, len(PAIRS)), 7, items=ITEMS),
    "confusions": rs.Confusions(PAIRS, RNG.integers(0, 20, len(PAIRS)), 40, items=ITEMS),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("beside", [False, True])
def test_rows_that_were_fitted_are_refused_in_any_order(name, beside):
    rows = KINDS[name]
    fitted = [KINDS["ratings" if name == "confusions" else "confusions"], rows] if beside else rows
    model = rs.STE(2, penalty=0.1, random_state=0).fit(fitted)
    shuffled = rows[np.random.default_rng(1).permutation(len(rows))]
    for again in (rows, shuffled, rows[7:19], rows[[5]], rows[[3, 4, 3, 4]]):
        with pytest.raises(SettingError) as refused:
            rs.evaluate(model, again)
        assert refused.value.setting == "cv"


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("triplets", COINS[[1, 1, 2, 2, 2, 9]].merge_repeats()),
        ("triplets", COINS.weighted(np.arange(1, M + 1)).expand_repeats()),
        ("triplets", COINS._with(observer=np.full(M, ""))),
        ("people", KINDS["people"]._with(observer=None)),
        ("triplets", rs.Triplets(N - 1 - COINS.index, ITEMS.names[::-1])),
        ("quadruplets", rs.Quadruplets(FOUR[:, [1, 0, 3, 2]], ITEMS)),
        ("choices", rs.Choices(FOUR[:, 0], FOUR[:, [3, 2, 1]], FOUR[:, 1], ITEMS)),
        ("odd_one_outs", rs.OddOneOuts(FOUR[:, [2, 0, 3, 1]], FOUR[:, 0], ITEMS)),
        ("ratings", rs.Ratings(PAIRS[:, ::-1], KINDS["ratings"].rating, 7, items=ITEMS)),
    ],
)  # fmt: skip
def test_the_same_answers_in_another_form_are_the_same_rows(name, changed):
    fitted = answers.fingerprints([KINDS[name]])
    assert share_seen(changed, fitted) == 1.0


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("triplets", rs.Triplets(COINS.index[:, [0, 2, 1]], ITEMS)),
        ("triplets", rs.Triplets(COINS.index[:, [1, 0, 2]], ITEMS)),
        ("triplets", rs.Triplets(COINS.index, [f"other {k}" for k in range(N)])),
        ("people", KINDS["people"]._with(observer=np.full(M, "dan"))),
        ("quadruplets", rs.Quadruplets(FOUR[:, [2, 3, 0, 1]], ITEMS)),
        ("choices", rs.Choices(FOUR[:, 0], FOUR[:, 1:], FOUR[:, 2], ITEMS)),
        ("odd_one_outs", rs.OddOneOuts(FOUR, FOUR[:, 1], ITEMS)),
        ("ratings", rs.Ratings(PAIRS, 8 - KINDS["ratings"].rating, 9, items=ITEMS)),
    ],
)
def test_other_answers_are_new(name, changed):
    fitted = answers.fingerprints([KINDS[name]])
    assert share_seen(changed, fitted) < 0.1  # an equal row may come up by chance


def test_rows_of_which_some_were_fitted_are_counted_and_told():
    rows = KINDS["quadruplets"]
    model = rs.STE(2, penalty=0.1, random_state=0).fit(rows[:40])
    analysis = rs.evaluate(model, rows[20:])
    assert analysis.seen == 0.5
    assert analysis.as_dict()["seen"]["error"] == pytest.approx(1 - model.score(rows[20:]))
    assert "fitted rows" in dict(analysis.lines())


def test_of_many_rows_a_sample_is_kept(monkeypatch):
    monkeypatch.setattr(answers, "KEPT_HASHES", 200)
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(60, 3, replace=False) for _ in range(4000)])
    first, later = rs.Triplets(rows[:2000], 60), rs.Triplets(rows[1000:], 60)
    fitted = answers.fingerprints([first])
    assert not fitted["all"]
    assert share_seen(first, fitted) == 1.0
    # a third of 3,000: about 300 of them can be in the sample, so that 6 deviations are .17
    assert abs(share_seen(later, fitted) - 1 / 3) < 0.17
    assert share_seen(rs.Triplets(rows[:2000], [f"item {i}" for i in range(60)]), fitted) == 0.0
    assert share_seen(first[first.row_hashes() > fitted["hashes"].max()], fitted) is None


def test_a_model_read_from_a_file_knows_its_rows(tmp_path):
    model = rs.STE(2, penalty=0.1, random_state=0).fit(COINS)
    again = rs.load(rs.save(model, tmp_path / "model"))
    with pytest.raises(SettingError):
        rs.evaluate(again, COINS[::-1])
    placed = again.set_positions(again.embedding_, ITEMS)
    assert rs.evaluate(placed, COINS[::-1]).seen is None
