"""Thresholds of ratings: the best ones, how far people differ, and what is said of new ratings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.spatial.distance import pdist
from scipy.special import expit

import naive
import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.fitting.objective.thresholds import (
    Grades,
    Prior,
    likeliest_prior,
    scales_of,
)
from resemblance.forms import Coordinates

N = 16
X = np.random.default_rng(5).uniform(-2, 2, size=(N, 2))  # no far item, which few ratings place
PAIRS = np.column_stack(np.triu_indices(N, 1))
CROWD = np.array([-7.0, -4.5, -3.0, -1.8, -1.0, -0.3])
PEOPLE = ["ann", "bob", "cid", "dan", "eve", "fay"]
MANY = PEOPLE + [f"person {number}" for number in range(14)]


def drawn(seed=0, m=80, n_people=2, top=3, prior=Prior(1.5, 0.7)):  # noqa: B008
    rng = np.random.default_rng(seed)
    similarity = -rng.gamma(1.0, 2.0, m)
    who = rng.integers(0, n_people + 1, m)
    noisy = similarity + rng.logistic(size=m) + 0.5 * who
    step = np.searchsorted(np.linspace(-5, 0, top), noisy)
    return similarity, Grades(step, who, rng.uniform(0.2, 2.0, m), n_people, top, prior)


def rated(differ=0.0, seed=0, n_each=100, people=PEOPLE, thresholds=CROWD, stretch=0.0):
    """Give the ratings of some people, whose thresholds are moved and drawn apart by so much."""
    rng, parts = np.random.default_rng(seed), []
    own = thresholds + differ * rng.normal(size=(len(people), 1))
    if stretch:
        apart = np.exp(stretch * rng.normal(size=(len(people), 1)))
        own = own + (apart - 1.0) * (thresholds - thresholds.mean())
    for name, mine in zip(people, own, strict=True):
        asked = PAIRS[rng.integers(0, len(PAIRS), n_each)]
        person = rs.SpaceObserver(X, thresholds=mine, random_state=rng.integers(2**31 - 1))
        told = person.rate(asked, len(mine) + 1)
        parts.append(told._with(observer=np.full(n_each, name)))
    return rs.join_judgments(parts), own


@pytest.mark.parametrize("n_people", [0, 2])
@pytest.mark.parametrize("top", [1, 2, 5])
def test_the_loss_is_the_plain_sum_and_its_thresholds_the_best(n_people, top):
    similarity, grades = drawn(n_people=n_people, top=top)
    at, bowl, slopes = grades.best(similarity)
    told = similarity, grades.step, grades.who, grades.weight
    own = grades.prior.shift, grades.prior.stretch

    def plain(flat):
        rows = flat.reshape(at.shape)
        return naive.ratings_loss(*told, rows, *own) if (np.diff(rows) > 0).all() else np.inf

    assert bowl.loss == pytest.approx(plain(at.ravel()), rel=1e-10)
    np.testing.assert_allclose(approx_fprime(at.ravel(), plain, 1e-7), 0.0, atol=1e-4)
    found = minimize(plain, at.ravel() + 0.01, method="Nelder-Mead", options={"maxiter": 500})
    assert bowl.loss <= found.fun + 1e-9
    step = np.random.default_rng(0).normal(size=len(similarity))
    ends = [grades.best(similarity + e * step)[1].loss for e in (1e-5, -1e-5)]
    assert slopes @ step == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("steps", [[0], [6, 6, 6], [0, 6, 0, 6], [3]])
def test_thresholds_increase_whatever_points_are_used(steps):
    m = len(steps)
    grades = Grades(np.array(steps), np.arange(m) % 2, np.ones(m), 1, 6)
    at, bowl, _ = grades.best(np.full(m, -1.0))
    assert (np.diff(at) > 0).all()
    assert np.isfinite(bowl.loss)
    silent = replace(grades, weight=np.zeros(m))
    assert (np.diff(silent.best(np.full(m, -1.0))[0]) > 0).all()


def test_the_evidence_has_the_determinants_of_all_thresholds():
    similarity, grades = drawn(n_people=3, top=4)
    value, at = grades.evidence(similarity)
    (diagonal, beside), shape = grades.prior.precision(4), at.shape
    Q = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    slopes = np.empty(len(similarity))

    def gradient(flat):
        return grades._bowl(similarity, flat.reshape(shape), slopes).gradient.ravel()

    eye = 1e-5 * np.eye(at.size)
    H = np.array([gradient(at.ravel() + e) - gradient(at.ravel() - e) for e in eye]) / 2e-5
    expected = 0.5 * (3 * np.linalg.slogdet(Q)[1] - np.linalg.slogdet(H)[1])
    assert value == pytest.approx(expected - grades.best(similarity)[1].loss, abs=1e-5)


def test_a_shift_and_a_stretch_cost_what_they_say():
    diagonal, beside = Prior(2.0, 3.0).precision(5)
    Q = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    assert np.ones(5) @ Q @ np.ones(5) == pytest.approx(1 / 2.0**2)
    ramp = np.linspace(-0.5, 0.5, 5)
    assert ramp @ Q @ ramp == pytest.approx(1 / 3.0**2 + (ramp**2).mean() / 2.0**2)


def test_how_far_people_differ_is_told_by_the_ratings():
    def chosen(differ):
        ratings, _ = rated(differ)
        similarity = -((X[ratings.index[:, 0]] - X[ratings.index[:, 1]]) ** 2).sum(axis=1)
        (one,) = scales_of(ratings.numbers())
        return likeliest_prior(one.grades, similarity)

    assert chosen(0.0).shift < chosen(2.0).shift
    assert chosen(2.0).stretch <= 1.0


def test_a_stretch_is_told_as_large_as_it_is():
    """In 20 worlds told over true was .91, its logarithm with a standard deviation of .08."""
    ratings, own = rated(stretch=0.3, n_each=60, people=MANY)
    (scale,) = rs.STE(2, random_state=0).fit(ratings).thresholds_.scales
    true = np.std(own[:, -1] - own[:, 0], ddof=1)
    assert 0.6 < scale.stretch / true < 1.4
    assert scale.shift < 0.5 * scale.stretch


def test_a_threshold_alone_is_not_stretched():
    ratings, _ = rated(1.0, thresholds=CROWD[[2]])
    (scale,) = rs.STE(2, random_state=0).fit(ratings).thresholds_.scales
    assert scale.shift > 0
    assert scale.stretch == 0


def test_thresholds_of_people_who_differ_are_found_again():
    """In 50 other worlds the least correlations were .993 (median .997) and .977 (.989)."""
    ratings, own = rated(2.0)
    model = rs.STE(2, random_state=0).fit(ratings)
    found = model.thresholds_.scales[0]
    assert found.people == tuple(PEOPLE)
    assert np.corrcoef(found.own.ravel(), own.ravel())[0, 1] > 0.95
    assert np.corrcoef(pdist(model.embedding_), pdist(X))[0, 1] > 0.95
    shared = rs.STE(2, random_state=0).fit(ratings._with(observer=None))
    new, _ = rated(2.0)
    assert model.log_loss(new) < shared.log_loss(new)


def test_who_is_not_told_has_the_thresholds_of_the_crowd():
    ratings, _ = rated(0.0)
    nobody = ratings._with(observer=np.full(len(ratings), ""))
    plain = ratings._with(observer=None)
    one, two = (rs.STE(2, random_state=0).fit(r) for r in (nobody, plain))
    assert np.array_equal(one.embedding_, two.embedding_)
    assert one.thresholds_.scales[0].people == ()
    assert np.array_equal(one.thresholds_.of(), two.thresholds_.of("ann"))


def test_a_lone_person_is_the_crowd():
    ratings, _ = rated(people=["ann"], n_each=300)
    model = rs.STE(2, random_state=0).fit(ratings)
    np.testing.assert_allclose(model.thresholds_.of("ann"), model.thresholds_.of(), atol=1e-2)
    assert model.thresholds_.scales[0].sureness == 1.0


def test_people_who_were_not_met_are_rated_less_surely():
    ratings, _ = rated(2.0, n_each=40, people=MANY)
    model = rs.STE(2, random_state=0).fit(ratings)
    (scale,) = model.thresholds_.scales
    s = -((model.embedding_[0] - model.embedding_[1]) ** 2).sum()
    asked = [
        rs.Ratings([[0, 1]], [3], 7, N, observer=None if name is None else [name])
        for name in ("bob", "zoe", None)
    ]
    bob, zoe, none = (model.predict_proba(one)[0] for one in asked)
    for p, at, slope in ((bob, scale.own[1], 1.0), (zoe, scale.crowd, scale.sureness)):
        expected = [naive.rating_probability(slope * s, c, slope * at) for c in range(7)]
        np.testing.assert_allclose(p, expected, atol=1e-12)
    assert np.array_equal(zoe, none)
    assert 0.3 < scale.sureness < 1.0  # .64 in 16 worlds, with a standard deviation of .05
    assert model.predict(asked[0])[0] == pytest.approx(1 + bob @ np.arange(7))


def test_each_number_of_points_has_thresholds_of_its_own():
    coarse, _ = rated(0.0, people=["ann", "gus"], thresholds=CROWD[[1, 4]], n_each=200)
    fine, _ = rated(0.0, n_each=60)
    model = rs.STE(2, random_state=0).fit(rs.join_judgments([coarse, fine]))
    assert [scale.points for scale in model.thresholds_.scales] == [3, 7]
    assert model.thresholds_.scale(3).people == ("ann", "gus")
    p = model.predict_proba(rs.join_judgments([coarse[:1], fine[:1]]))
    assert p.shape == (2, 7)
    assert (p[0, 3:] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    table = model.thresholds_.to_pandas()
    assert len(table) == 2 * 3 + 6 * 7
    with pytest.raises(JudgmentError, match="points="):
        model.thresholds_.of("ann")
    with pytest.raises(JudgmentError, match=r"row 0.* 5 points"):
        model.predict(rs.Ratings([[0, 1]], [3], 5, N))


def test_the_objective_has_the_best_thresholds_at_every_state():
    ratings, _ = rated(1.0, n_each=30)
    objective = Objective(batches(ratings), rs.choice.Softmax(), Coordinates())
    similarity = -((X[ratings.index[:, 0]] - X[ratings.index[:, 1]]) ** 2).sum(axis=1)
    (one,) = scales_of(ratings.numbers())
    expected = one.grades.best(similarity)[1].loss
    objective(3.0 * X)
    assert objective(X)[0] == pytest.approx(expected, rel=1e-10)


def test_thresholds_are_kept_with_the_model(tmp_path):
    ratings, _ = rated(1.0, n_each=40)
    model = rs.STE(2, random_state=0).fit(ratings)
    again = rs.load(rs.save(model, tmp_path / "model"))
    assert again.log_loss(ratings) == model.log_loss(ratings)
    assert again.thresholds_.scales[0].people == tuple(PEOPLE)
    rng = np.random.default_rng(0)
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(200)])
    triplets = rs.SpaceObserver(X, random_state=0).answer(rs.Triplets(asked, N))
    both = rs.STE(2, random_state=0).fit([triplets, ratings])
    assert both.log_loss(ratings) < np.log(7)
    model.fit(triplets)
    with pytest.raises(JudgmentError, match="without ratings"):
        model.score(ratings)


@pytest.mark.parametrize("differ", [0.0, 2.0])
def test_thresholds_at_given_positions_have_the_likeliest_prior(differ):
    """People who do not differ get the crowd's thresholds, people who do get their own."""
    ratings, _ = rated(differ, seed=3, n_each=40)
    scale = rs.STE(2).set_positions(X, ratings=ratings).thresholds_.scale(7)
    similarity = -((X[ratings.index[:, 0]] - X[ratings.index[:, 1]]) ** 2).sum(axis=1)
    (plain,) = scales_of(ratings.numbers())
    prior = likeliest_prior(plain.grades, similarity)
    assert prior.shift != plain.grades.prior.shift
    at, _, _ = replace(plain.grades, prior=prior).best(similarity)
    np.testing.assert_allclose(scale.crowd, at[0])
    np.testing.assert_allclose(scale.own, at[1:])
    spread = (scale.own - scale.crowd).mean(axis=1).std()
    assert (spread > 0.6) if differ else (spread < 0.2)


def test_folds_of_people_score_people_who_were_not_met():
    """By .22 less surely in 16 worlds, with a standard deviation of .04."""
    ratings, _ = rated(2.0, n_each=40, people=MANY)
    rows, whole = (
        rs.evaluate(rs.STE(2, random_state=0), ratings, cv=3, by=by) for by in (None, "observer")
    )
    assert rows.held_out.error < whole.held_out.error < np.log(7)
    (told,) = whole.as_dict()["thresholds"]
    assert (told["points"], told["observers"], len(told["crowd"])) == (7, 20, 6)


def test_minibatches_of_ratings_are_refused():
    ratings = rated(n_each=20)[0]._with(items=rs.Items(features=X))
    model = rs.STE(2, form="linear", batch_size=10)
    with pytest.raises(SettingError) as told:
        model.fit(ratings)
    assert told.value.setting == "batch_size"


def test_an_observer_rates_by_thresholds():
    asked = np.repeat(PAIRS[:3], 4000, axis=0)
    person = rs.SpaceObserver(X, thresholds=CROWD, lapse=0.1, temperature=2.0, random_state=0)
    ratings = person.rate(asked, 7).rating.reshape(3, -1)
    d = ((X[PAIRS[:3, 0]] - X[PAIRS[:3, 1]]) ** 2).sum(axis=1)
    above = 0.9 * expit((-d[:, None] - CROWD) / 2.0) + 0.1 * (1 - np.arange(1, 7) / 7)
    shares = np.array([(ratings > j).mean(axis=1) for j in range(1, 7)]).T
    np.testing.assert_allclose(shares, above, atol=0.03)


@pytest.mark.parametrize("thresholds", [[1.0, 0.0], [[0.0]], [], [0.0, np.nan]])
def test_thresholds_that_do_not_increase_are_refused(thresholds):
    with pytest.raises(SettingError) as told:
        rs.SpaceObserver(X, thresholds=thresholds)
    assert told.value.setting == "thresholds"


def test_thresholds_of_another_scale_are_refused():
    with pytest.raises(SettingError) as told:
        rs.SpaceObserver(X, thresholds=[-1.0, 0.0]).rate(PAIRS, 7)
    assert told.value.setting == "thresholds"
