"""Effects with intervals that hold for people."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import resemblance as rs
from beside_people import NAMES, answers, world
from resemblance.analysis import estimate_effects
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.machine_weight import WeighedMachine

PAIRS = [*combinations(NAMES, 2)]


@pytest.fixture(scope="module")
def seen():
    X, people, machine = world(people=600)
    return X, rs.analyse(people, "ste", folds=2), machine


def truth(X):
    squared = pdist(X, "sqeuclidean")
    return np.sqrt(squared / squared.mean())


def test_most_intervals_hold_the_distances_of_people(seen):
    X, analysis, _ = seen
    heard = []
    effects = estimate_effects(analysis, distances=PAIRS, callback=lambda *n: heard.append(n))
    table = effects.to_pandas()
    assert effects.over == "observer"
    assert heard[-1][0] == heard[-1][1]
    assert list(zip(table["item_1"], table["item_2"], strict=True)) == PAIRS
    assert table["estimate"].between(table["low"], table["high"]).all()
    inside = (table["low"] <= truth(X)) & (truth(X) <= table["high"])
    assert inside.mean() > 0.8
    assert np.corrcoef(table["estimate"], truth(X))[0, 1] > 0.9


def test_an_adversarial_machine_does_not_move_them(seen):
    X, analysis, _ = seen
    machine = answers(X, 600, 5, turned=True)
    joint = rs.STE(2, penalty=0.3, random_state=0).fit(
        rs.join_judgments([rs.Triplets(analysis.judgments.index, NAMES), machine])
    )
    weighed = WeighedMachine(machine, 1.0, 0.3, {})
    spoilt = replace(analysis, model=joint, machine=weighed)
    table = estimate_effects(spoilt, distances=PAIRS).table
    error = np.abs(table["estimate"] - truth(X)).mean()
    assert error < 0.5 * np.abs(truth(joint.embedding_) - truth(X)).mean()


def test_correlations_with_models_and_differences_of_groups(seen):
    X, analysis, _ = seen
    rdm = squareform(pdist(X + np.random.default_rng(0).normal(size=X.shape)))
    groups = {f"person {k}": "AB"[k % 2] for k in range(12)}
    table = estimate_effects(analysis, rdms={"noisy": rdm}, groups=groups).table
    assert table["group"].tolist() == ["A", "B", "A - B"]
    assert (table["model"] == "noisy").all()
    r = np.corrcoef(pdist(X), squareform(rdm))[0, 1]
    assert abs(table["estimate"][:2].mean() - r) < 0.15
    assert table["low"][2] < 0 < table["high"][2]


def test_without_people_intervals_are_over_responses():
    _, people, _ = world(people=300)
    anonymous = rs.Triplets(people.index, NAMES)
    effects = estimate_effects(rs.analyse(anonymous, "ste", folds=2), distances=PAIRS[:1])
    assert effects.over == "response"


WRONG = {
    "no effect": {},
    "one item": {"distances": [("item 1", "item 1")]},
    "a shape": {"rdms": {"network": np.eye(3)}},
    "not finite": {"rdms": {"network": np.full((12, 12), np.nan)}},
    "constant": {"rdms": {"network": np.ones((12, 12))}},
}


@pytest.mark.parametrize("asked", WRONG.values(), ids=WRONG)
def test_impossible_effects_are_refused(seen, asked):
    with pytest.raises(SettingError):
        estimate_effects(seen[1], **asked)


def test_unknown_items_and_people_without_a_group_are_refused(seen):
    with pytest.raises(JudgmentError, match="unknown"):
        estimate_effects(seen[1], distances=[("item 1", "unknown")])
    with pytest.raises(JudgmentError):
        estimate_effects(seen[1], distances=PAIRS[:1], groups={"person 0": "A"})


def test_correlations_need_more_answers(seen):
    few = replace(seen[1], judgments=seen[1].judgments[:160])
    with pytest.raises(SettingError) as refused:
        estimate_effects(few, rdms={"network": squareform(pdist(seen[0]))})
    assert refused.value.setting == "rdms"
    assert len(estimate_effects(few, distances=PAIRS[:1]).table) == 1


def test_nine_answers_are_too_few():
    _, people, _ = world(people=9)
    analysis = rs.analyse(rs.Triplets(people.index, NAMES), "ste", folds=2)
    with pytest.raises(SettingError):
        estimate_effects(
            analysis, distances=[(NAMES[k], NAMES[j]) for k, j in people.index[:1, :2]]
        )
