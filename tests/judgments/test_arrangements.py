"""Arrangements: rows, their likelihood, and the space that they come from."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import naive
import resemblance as rs
from resemblance.choice import Softmax
from resemblance.choice._loops import NOISE, NOISE_DF
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import Coordinates

N = 12
NAMES = [f"item{k}" for k in range(N)]
TRIANGLE = [[0.0, 0.0], [0.3, 0.0], [0.0, 0.4]]


def space(seed=0, d=2):
    return np.random.default_rng(seed).normal(size=(N, d))


def drawn(m, k, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(N)[:k] for _ in range(m)])


def arranged(m=20, k=6, seed=0, d=2, noise=0.05):
    person = rs.SpaceObserver(space(seed, d), random_state=seed)
    return person.arrange(drawn(m, k, seed), NAMES, noise=noise)


def test_gaps_come_last_and_have_no_place():
    trials = rs.Arrangements([[-1, 0, 1, 2], [3, 2, 1, 0]], np.arange(16.0).reshape(2, 4, 2), N)
    assert trials.index.tolist() == [[0, 1, 2, -1], [3, 2, 1, 0]]
    assert trials.places[0, :3].tolist() == [[2, 3], [4, 5], [6, 7]]
    assert np.isnan(trials.places[0, 3]).all()
    assert trials.n_shown.tolist() == [3, 4]
    assert trials[1:].places.shape == (1, 4, 2)
    assert trials.distances(0) == pytest.approx([8**0.5, 32**0.5, 8**0.5])


@pytest.mark.parametrize(
    ("shown", "places", "named"),
    [
        ([[0, 1]], [TRIANGLE[:2]], ["row 0", "2 items"]),
        ([[0, 1, 1]], [TRIANGLE], ["row 0", "'item1'"]),
        ([[0, 1, 2]], [[[0, 0], [np.nan, 0], [0, 1]]], ["row 0", "'item1'"]),
        ([[0, 1, 2]], [[[0, 0], [0, 0], [0, 1.01]]], ["row 0", "'item2'", "circle"]),
        ([[0, 1, 2]], [[[0, 0.5]] * 3], ["row 0", "item0, item1, item2"]),
        ([[0, 1, 2]], [TRIANGLE[:2]], ["(1, 3)", "(1, 2, 2)"]),
        ([[0, 1, 99]], [TRIANGLE], ["99"]),
    ],
)
def test_what_is_no_arrangement_is_named(shown, places, named):
    with pytest.raises(JudgmentError) as refused:
        rs.Arrangements(shown, places, NAMES, radius=1.0)
    assert all(word in str(refused.value) for word in named)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_objective_is_the_plain_sum(d):
    trials, X = arranged(m=5), space(3, d)
    expected = sum(
        naive.arrangement_loss(X, items, places, NOISE, NOISE_DF)
        for items, places in zip(trials.index, trials.places, strict=True)
    )
    value, _ = Objective(batches(trials), Softmax(), Coordinates())(X)
    assert value == pytest.approx(expected, rel=1e-9)


def test_weights_equal_repeats():
    trials, X = arranged(m=5), space(3)
    weighted = trials.reweighted([1, 3, 1, 0, 2])
    repeated = trials[[0, 1, 1, 1, 2, 4, 4]]
    both = [Objective(batches(j), Softmax(), Coordinates())(X)[0] for j in (weighted, repeated)]
    assert both[0] == pytest.approx(both[1], rel=1e-9)


def test_the_space_is_found_again():
    model = rs.STE(2, random_state=0).fit(arranged())
    assert np.corrcoef(pdist(model.embedding_), pdist(space()))[0, 1] > 0.97
    assert model.score(arranged(m=30)) > 0.85


def test_a_careless_trial_counts_little():
    trials = arranged(m=20)
    rng = np.random.default_rng(5)
    places = trials.places.copy()
    places[:3] = rng.uniform(-0.7, 0.7, places[:3].shape)
    model = rs.STE(2, random_state=0).fit(rs.Arrangements(trials.index, places, trials.items))
    assert np.corrcoef(pdist(model.embedding_), pdist(space()))[0, 1] > 0.95


def test_the_score_counts_order_and_shares_ties():
    trials = rs.Arrangements([[0, 1, 2]], [TRIANGLE], 3)
    line = rs.STE(1).set_positions([[0.0], [1.0], [-2.0]], trials.items)  # apart 1, 2 and 3
    assert line.score(trials) == 1.0
    tied = rs.STE(1).set_positions([[0.0], [1.0], [-1.0]], trials.items)  # 1, 1 and 2
    assert tied.score(trials) == pytest.approx(1 - 0.5 / 3)
    assert tied.row_losses(trials) == pytest.approx([0.5 / 3])


def test_what_cannot_be_asked_of_them_is_refused():
    trials = arranged()
    with pytest.raises(SettingError, match="penalty"):
        rs.STE(2, penalty=0.1).fit(trials)
    with pytest.raises(SettingError, match="penalty"):
        rs.STE(2, penalty="auto").fit(trials)
    model = rs.STE(2, random_state=0).fit(trials)
    with pytest.raises(JudgmentError, match="probability"):
        model.predict_proba(trials)
    with pytest.raises(JudgmentError, match="Arrangements"):
        rs.as_judgments(trials)


def test_several_kinds_fit_one_space():
    X = 1.5 * space()
    person = rs.SpaceObserver(X, random_state=1)
    rng = np.random.default_rng(1)
    asked = np.array([rng.permutation(N)[:3] for _ in range(60)])
    kinds = [
        person.answer(rs.Triplets(asked, NAMES)),
        person.rate(asked[:30, :2], 7, NAMES),
        person.arrange(drawn(4, 5), NAMES, noise=0.05),
    ]
    joined = rs.join_judgments(kinds)
    assert [len(part) for part in joined.parts] == [60, 30, 4]
    model, same = rs.STE(2, random_state=0).fit(kinds), rs.STE(2, random_state=0).fit(joined)
    assert np.array_equal(model.embedding_, same.embedding_)
    losses = [Objective(batches(k), Softmax(), Coordinates())(model.embedding_)[0] for k in kinds]
    assert model.loss_ == pytest.approx(sum(losses))
    for asked_of in (model.score, model.row_losses, model.log_loss, model.predict_proba):
        with pytest.raises(JudgmentError, match="several kinds"):
            asked_of(joined)


def test_arrangements_of_several_sizes_and_items_are_joined():
    one = arranged(m=2, k=4)
    other = rs.Arrangements([[0, 1, 2]], [TRIANGLE], ["item3", "new", "item5"], observer=["bob"])
    joined = rs.join_judgments([one, other])
    assert joined.items.names == (*NAMES, "new")
    assert joined.index[2].tolist() == [3, 12, 5, -1]
    assert joined.distances(2) == pytest.approx([0.3, 0.4, 0.5])
    assert joined.observer.tolist() == ["", "", "bob"]


def test_simulated_people_fill_the_circle_and_stay_inside():
    trials = arranged(m=30, k=7, d=5, noise=0.2)
    radius = np.linalg.norm(trials.places, axis=2)
    assert radius.max() <= 1.0 + 1e-12
    assert radius.max(axis=1).min() > 0.5
    with pytest.raises(SettingError, match="noise"):
        rs.SpaceObserver(space()).arrange([[0, 1, 2]], noise=-1)


def test_a_report_has_an_error_and_no_ceiling():
    found = rs.evaluate(rs.STE(2, random_state=0), arranged(m=30, noise=0.15), cv=5)
    told = found.as_dict()
    assert 0.02 < told["held_out"]["error"] < 0.3
    assert told["held_out"]["guessing"] == {"error": 0.5}
    assert told["held_out"]["log_loss"] is None
    assert told["next"]["code"] == "more_trials"
    assert "noise ceiling" not in dict(found.lines())
    low, high = found.held_out.interval
    later = rs.evaluate(found.model, arranged(m=60, noise=0.15)[30:]).held_out.error
    assert low - 0.03 < later < high + 0.03
