"""The analysis of a fit, for every kind of judgment, in words, tables and JSON."""

import json

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

RNG = np.random.default_rng(0)
X = 2 * RNG.normal(size=(9, 2))
ITEMS = rs.Items([f"item {k}" for k in range(9)], features=X, labels=[*"aaaabbbbb"])
ASKED = np.array([RNG.choice(9, 4, replace=False) for _ in range(200)])
PAIRS = np.column_stack(np.triu_indices(9, 1))
GAP = ((X[PAIRS[:, 0]] - X[PAIRS[:, 1]]) ** 2).sum(axis=1)
TRIPLETS = rs.SpaceObserver(X, random_state=0).answer(rs.Triplets(ASKED[:, :3], ITEMS))
APART = ((X[ASKED[:, :3]][:, :, None] - X[ASKED[:, :3]][:, None]) ** 2).sum(axis=(2, 3))
KINDS = {
    "triplets": TRIPLETS,
    "quadruplets": rs.Quadruplets(TRIPLETS.index[:, [0, 1, 0, 2]], ITEMS),
    "choices": rs.Choices(ASKED[:, 0], ASKED[:, 1:], ASKED[:, 1], ITEMS),
    "odd_one_outs": rs.OddOneOuts(ASKED[:, :3], ASKED[np.arange(200), APART.argmax(axis=1)], ITEMS),
    "ratings": rs.SpaceObserver(X / 2, random_state=0).rate(PAIRS, 7, ITEMS),
    "confusions": rs.Confusions(PAIRS, RNG.binomial(80, np.exp(-GAP) / 2), 80, ITEMS),
}
COUNTED = "confusions", "ratings"
OPTIONS = {"triplets": 2, "quadruplets": 2, "choices": 3, "odd_one_outs": 3}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_judgment_has_an_evaluation(kind):
    judgments = KINDS[kind]
    model = rs.STE(2, penalty=0.1, random_state=0)
    found = rs.evaluate(model, judgments, cv=3)
    plain = json.loads(found.to_json())
    assert plain == found.as_dict()
    assert plain["data"]["kind"] == kind
    assert plain["data"]["rows"] == len(judgments)
    assert plain["held_out"]["folds_finished"] == 3
    assert plain["labels"]["classes"] == 2
    folds = rs.GroupedKFold(3, random_state=0)
    scores = cross_val_score(model, judgments, cv=folds)
    if kind in COUNTED:
        np.testing.assert_allclose(plain["held_out"]["log_likelihood_of_folds"], scores)
        if kind == "confusions":
            assert plain["held_out"]["log_likelihood"] < plain["held_out"]["own_ratios"]
    else:
        np.testing.assert_allclose(plain["held_out"]["error_of_folds"], 1 - scores)
        assert plain["held_out"]["guessing"]["error"] == pytest.approx(1 - 1 / OPTIONS[kind])
        assert plain["held_out"]["standard_error"] >= scores.std(ddof=1) / 3**0.5 - 1e-12
    table = found.to_pandas()
    low, high = table.iloc[0][["low", "high"]]
    assert low <= table["value"].iloc[0] <= high
    assert low < high
    assert f"{table['value'].iloc[0]:.3f} (95% interval {low:.3f} to {high:.3f}; " in str(found)


def test_what_a_fit_holds_for_impossible_is_told():
    """Positions from elsewhere, by which no trial can go wrong; one did."""
    model = rs.STE(1).set_positions([[0.0], [1e3], [2e3]])
    found = rs.evaluate(model, rs.Confusions([[0, 1], [1, 2]], [1, 0], 80, items=3))
    assert found.as_dict()["held_out"]["log_likelihood"] is None
    assert found.as_dict()["next"]["code"] == "above_chance"
    assert "impossible" in str(found)


@pytest.mark.parametrize("kind", KINDS)
def test_new_answers_have_an_interval_around_the_score_of_the_model(kind):
    judgments = KINDS[kind]
    model = rs.STE(2, random_state=0).fit(judgments[1::2])
    new = judgments[::2]
    held = rs.evaluate(model, new).as_dict()["held_out"]
    name, score = ("log_likelihood", model.score(new)) if kind in COUNTED else (
        "error", 1 - model.score(new)
    )  # fmt: skip
    assert held[name] == pytest.approx(score, abs=1e-12)
    assert held["interval"][0] <= held[name] <= held["interval"][1]
    assert held["folds"] == 0


def test_a_map_says_how_much_its_kernels_count():
    found = rs.evaluate(rs.POE(2, beta=10.0), TRIPLETS, cv=2)
    assert sum(found.as_dict()["kernel_weights"].values()) == pytest.approx(1)
    assert "kernels" in dict(found.lines())


def test_a_callback_ends_it_with_the_folds_so_far():
    held = rs.evaluate(
        rs.STE(2, random_state=0), TRIPLETS, cv=5, callback=lambda done, n: done == 2
    ).held_out
    assert (len(held.errors), held.n_folds) == (2, 5)


def test_without_folds_nothing_is_held_out_and_warnings_are_kept():
    found = rs.evaluate(rs.STE(2, max_iter=1, random_state=0), TRIPLETS, cv=0)
    assert found.held_out is None
    assert any("max_iter" in warning for warning in found.warnings)
    assert found.seconds > 0
    assert found.as_dict()["fit"]["training_error"] == pytest.approx(
        1 - found.model.score(TRIPLETS)
    )


def test_what_cannot_be_evaluated_is_refused():
    with pytest.raises(SettingError, match="MMC cannot be evaluated"):
        rs.evaluate(rs.MMC(2), TRIPLETS, cv=2)
    with pytest.raises(JudgmentError, match="have no observers") as error:
        rs.evaluate(rs.STE(2), TRIPLETS, cv=2, by="observer")
    assert error.value.setting == "by"
    with pytest.raises(SettingError, match="by is 'row'"):
        rs.evaluate(rs.STE(2), TRIPLETS, cv=2, by="row")


def test_one_response_leaves_no_model_to_choose():
    """All rows are of one response: t-STE is fitted, and it is said that nothing was compared."""
    answers = TRIPLETS._with(response_id=np.zeros(len(TRIPLETS), dtype=int))
    found = rs.analyse(answers)
    assert type(found.model) is rs.TSTE
    assert found.models is None
    assert found.warnings
    assert found.held_out is None


def test_dims_that_are_not_those_of_an_estimator_are_refused():
    with pytest.raises(SettingError) as refused:
        rs.analyse(TRIPLETS, rs.STE(2), dims=3)
    assert refused.value.setting == "dims"


def test_answers_that_would_fit_nothing_are_refused():
    with pytest.raises(SettingError, match="extra"):
        rs.evaluate(rs.STE(2, penalty=0.1).fit(TRIPLETS), TRIPLETS, extra=TRIPLETS)


def test_features_beside_a_model_of_its_own_are_refused():
    told = rs.Triplets([[0, 1, 2], [1, 0, 2]], rs.Items(features=[[0.0], [1.0], [3.0]]))
    with pytest.raises(SettingError) as problem:
        rs.analyse(told, rs.STE(1), features=True)
    assert problem.value.setting == "features"
