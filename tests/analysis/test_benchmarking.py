"""Networks compared by their agreement with people, on small data sets with a known truth."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError

N = 60
RNG = np.random.default_rng(0)
SPACE = RNG.normal(size=(N, 3))
NOISE = RNG.normal(size=(N, 40))
NAMES = [f"i{k}" for k in range(N)]


def answers(n=2400, seed=0, n_people=20):
    rng = np.random.default_rng(seed)
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(n)])
    items = rs.Items(NAMES)
    questions = rs.Triplets(asked, items, observer=np.arange(n) % n_people)
    return rs.SpaceObserver(2 * SPACE, random_state=seed).answer(questions)


def of(**networks):
    return {name: {"people": features} for name, features in networks.items()}


@pytest.fixture(scope="module")
def result():
    return rs.analysis.benchmark({"people": answers()}, of(alike=SPACE, chance=NOISE))


def test_a_network_like_people_is_told_from_chance(result):
    assert result.verdicts == {"people": "all apart"}
    assert (result.differences["verdict"] == "apart").all()
    assert (result.differences["low"] > 0).all()
    table = result.table.set_index("network")
    assert table["learned"]["alike"] > 0.75
    # Many features that say nothing gain nothing by weights: .47 to .54 in 20 worlds.
    assert 0.4 < table["learned"]["chance"] < 0.6
    assert table["chance"].eq(0.5).all()
    assert table["ceiling"].isna().all()  # no question was asked twice
    assert "as_is_share" not in table


def test_equal_networks_are_not_told_apart():
    moved = SPACE @ np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    found = rs.analysis.benchmark({"people": answers(600)}, of(one=SPACE, other=moved))
    assert found.verdicts == {"people": "not apart"}
    assert (found.differences["detectable"] >= 0).all()


def test_too_few_items_or_a_single_network_say_nothing():
    few = rs.Triplets([[0, 1, 2], [1, 0, 2], [2, 0, 1]] * 9, rs.Items(["a", "b", "c"]))
    features = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    found = rs.analysis.benchmark({"people": few}, of(a=features, b=features[::-1]))
    assert found.verdicts == {"people": "unknown"}
    assert found.differences["low"].isna().all()
    assert list(found.left_out) == ["people, learned weights"]  # too few items for folds
    alone = rs.analysis.benchmark({"people": answers(300)}, of(a=SPACE))
    assert alone.verdicts == {"people": "unknown"}


def test_features_are_matched_by_name_or_refused_by_name(result):
    order = np.random.default_rng(2).permutation(N)
    named = rs.Items([NAMES[k] for k in order], SPACE[order])
    found = rs.analysis.benchmark({"people": answers()}, of(alike=named, chance=NOISE))
    assert found.table["as_is"].tolist() == result.table["as_is"].tolist()
    people = {"people": answers(50)}
    with pytest.raises(SettingError, match=r"net, people: .*59"):
        rs.analysis.benchmark(people, of(net=SPACE[1:]))
    with pytest.raises(SettingError, match=r"net, people: .*i7"):
        rs.analysis.benchmark(people, of(net=rs.Items(NAMES[:7], SPACE[:7])))
    with pytest.raises(SettingError, match="net, people"):
        rs.analysis.benchmark(people, of(net=np.ones((N, 2))))
    with pytest.raises(SettingError, match="data set"):
        rs.analysis.benchmark({}, of(net=SPACE))
    with pytest.raises(SettingError, match="net"):
        rs.analysis.benchmark(people, {"net": {}})


def test_data_sets_without_features_are_left_out():
    data = {"people": answers(300), "others": answers(300)}
    found = rs.analysis.benchmark(data, of(a=SPACE, b=NOISE))
    assert list(found.left_out) == ["others"]
    assert set(found.table["data"]) == {"people"}


def test_repeated_questions_give_a_ceiling_and_shares():
    rows = answers(300).index
    asked = np.concatenate([rows] * 8)
    questions = rs.Triplets(asked, rs.Items(NAMES), observer=np.repeat(np.arange(8), len(rows)))
    told = rs.SpaceObserver(SPACE, random_state=0).answer(questions)
    row = rs.analysis.benchmark({"people": told}, of(a=SPACE)).table.iloc[0]
    assert row["ceiling_low"] < row["ceiling"] < row["ceiling_high"]
    assert row["as_is_share_low"] < row["as_is_share"] < row["as_is_share_high"]


def test_a_network_that_is_always_right_has_no_interval():
    told = answers(500)
    sure = rs.ModelObserver(SPACE, items=told.items, temperature=1e-9, random_state=0)
    result = rs.analysis.benchmark({"people": sure.answer(told)}, of(a=SPACE), similarity="dot")
    row = result.table.iloc[0]
    assert row["as_is"] == pytest.approx(1.0)
    assert np.isnan(row["as_is_low"])


def test_weights_that_are_all_zero_in_folds_leave_out_learned_weights():
    told = answers(300)
    weights = np.zeros(300)
    weights[:4] = 1.0
    result = rs.analysis.benchmark({"people": told.reweighted(weights)}, of(a=SPACE, b=NOISE))
    assert list(result.left_out) == ["people, learned weights"]
    assert set(result.differences["measure"]) == {"as_is"}
