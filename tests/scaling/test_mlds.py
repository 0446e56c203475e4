"""Difference scaling: the probit regression, its order, its refusals, its place in the grid."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import resemblance as rs
from resemblance.choice import Probit
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError

TRUE = np.array([0.0, 0.3, 0.9, 1.8, 2.9, 4.5])
N = len(TRUE)
TRIADS = np.array([(b, a, c) for a, b, c in combinations(range(N), 3)])
QUADS = np.array(list(combinations(range(N), 4)))


def answered(asked, seed, scale=TRUE):
    p = rs.MLDS().set_scale(scale).predict_proba(asked)[:, 0]
    return asked.answered(np.random.default_rng(seed).random(len(p)) < p)


def triads(repeats=12, seed=0):
    return answered(rs.Triplets(np.tile(TRIADS, (repeats, 1)), items=N), seed)


def quadruples(repeats=16, seed=0):
    return answered(rs.Quadruplets(np.tile(QUADS, (repeats, 1)), items=N), seed)


KINDS = pytest.mark.parametrize("make", [triads, quadruples])


def regression(told):
    """The coefficients of a probit regression, from its textbook likelihood alone."""
    rows = told.index
    near, far = (rows[:, [0, 1]], rows[:, [0, 2]]) if rows.shape[1] == 3 else np.hsplit(rows, 2)
    X, y = np.zeros((len(rows), N)), np.zeros(len(rows))
    for r in range(len(rows)):
        first, second = sorted([sorted(near[r]), sorted(far[r])])
        y[r] = sorted(far[r]) == second
        for item, sign in ((second[1], 1), (second[0], -1), (first[1], -1), (first[0], 1)):
            X[r, item] += sign
    X = X[:, 1:]

    def loss(beta):
        return -norm.logcdf(np.where(y, 1, -1) * (X @ beta)).sum()

    found = minimize(loss, np.zeros(N - 1), method="BFGS", options={"gtol": 1e-8})
    return found.x, -found.fun


@KINDS
def test_coefficients_are_those_of_a_probit_regression(make):
    told = make()
    model = rs.MLDS(lapse=0.0).fit(told)
    beta, log_likelihood = regression(told)
    np.testing.assert_allclose(model.scale_, [0.0, *beta], atol=2e-4)
    assert model.log_likelihood_ == pytest.approx(log_likelihood, abs=1e-6)
    assert model.converged_


@KINDS
def test_goodness_of_fit_follows_from_the_probabilities(make):
    told = make()
    model = rs.MLDS().fit(told)
    assert model.aic_ == pytest.approx(model.deviance_ + 2 * N)
    assert model.sigma_ == pytest.approx(1 / model.scale_[-1])
    np.testing.assert_allclose(model.normalised(), model.scale_ / model.scale_[-1])
    model = rs.MLDS(lapse=0.0).fit(told)
    p = model.predict_proba(told)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.log_likelihood_ == pytest.approx(np.log(p[:, 0]).sum())
    assert model.deviance_ == pytest.approx(-2 * model.log_likelihood_)
    assert model.aic_ == pytest.approx(model.deviance_ + 2 * (N - 1))
    guessing = 2 * np.log(2) * len(told)
    assert model.deviance_accounted_for_ == pytest.approx(1 - model.deviance_ / guessing)
    assert model.log_loss(told) == pytest.approx(-model.log_likelihood_ / len(told))
    agrees = model.predict(told) == 0
    assert model.score(told) == pytest.approx(agrees.mean())
    np.testing.assert_array_equal(model.row_losses(told), 1.0 - agrees)


@KINDS
def test_it_is_the_probit_cell_of_the_grid_on_a_line(make):
    told = make(40)
    model = rs.MLDS(lapse=0.0).fit(told)
    assert (np.diff(model.scale_) > 0).all()  # differences are then distances
    cell = rs.OrdinalEmbedding(Probit(), n_components=1, init=model.embedding_, tol=1e-9).fit(told)
    assert cell.loss_ == pytest.approx(-model.log_likelihood_, rel=1e-6)
    line = cell.embedding_[:, 0] - cell.embedding_[0, 0]
    np.testing.assert_allclose(np.abs(line), model.scale_, atol=0.02)
    np.testing.assert_allclose(cell.predict_proba(told), model.predict_proba(told), atol=0.01)


@KINDS
def test_weights_are_repeats(make):
    told = make(10)
    times = np.random.default_rng(3).integers(1, 4, len(told))
    again = told[np.repeat(np.arange(len(told)), times)]
    one, other = rs.MLDS().fit(told.reweighted(times)), rs.MLDS().fit(again)
    np.testing.assert_allclose(one.scale_, other.scale_, atol=1e-6)
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_)


def test_levels_say_the_order_whatever_that_of_the_items():
    told = triads()
    order = np.random.default_rng(2).permutation(N)
    levels = 10.0 * np.argsort(order)
    shuffled = rs.Triplets(order[told.index], items=rs.Items(N))
    given = rs.MLDS(levels=levels).fit(shuffled)
    featured = rs.MLDS().fit(rs.Triplets(shuffled.index, items=rs.Items(features=levels[:, None])))
    expected = rs.MLDS().fit(told).scale_
    for model in (given, featured):
        np.testing.assert_allclose(model.scale_[order], expected, atol=1e-6)
        np.testing.assert_array_equal(model.levels_, levels)
        np.testing.assert_array_equal(model.levels_[model.order_], 10.0 * np.arange(N))
        assert model.normalised()[order[-1]] == 1.0


def test_responses_beside_the_rows():
    told = quadruples()
    larger = np.random.default_rng(0).random(len(told)) < 0.5
    asked = np.where(larger[:, None], told.index, told.index[:, [2, 3, 0, 1]])
    model = rs.MLDS().fit(asked, larger)
    np.testing.assert_allclose(model.scale_, rs.MLDS().fit(told).scale_, atol=1e-9)
    assert model.score(asked, larger) == rs.MLDS().fit(told).score(told)


def test_a_scale_may_fall_where_answers_say_so():
    down = TRUE.copy()
    down[2] = 0.1  # below its neighbour
    model = rs.MLDS().fit(answered(rs.Triplets(np.tile(TRIADS, (300, 1)), items=N), 1, down))
    assert model.scale_[2] < model.scale_[1]
    np.testing.assert_allclose(model.scale_, down, atol=0.4)


class TestRefusals:
    def test_a_triad_whose_head_is_not_in_the_middle(self):
        rows = np.vstack([triads().index, [[0, 1, 2]]])
        with pytest.raises(JudgmentError) as error:
            rs.MLDS().fit(rows)
        assert error.value.row == len(rows) - 1
        assert rs.MLDS(nested=True).fit(rows).converged_

    @pytest.mark.parametrize("row", [[1, 2, 0, 3], [0, 3, 1, 2], [0, 1, 0, 2], [3, 0, 2, 1]])
    def test_an_interval_within_the_other(self, row):
        rows = np.vstack([[row], quadruples().index])
        with pytest.raises(JudgmentError) as error:
            rs.MLDS().fit(rows)
        assert error.value.row == 0

    def test_intervals_that_overlap_in_part_are_taken(self):
        rows = np.vstack([[[0, 2, 1, 3]], quadruples().index])
        assert rs.MLDS().fit(rows).converged_

    def test_values_that_nothing_determines(self):
        told = rs.Triplets(triads().index, items=rs.Items([*"abcdef", "nobody"]))
        with pytest.raises(JudgmentError, match="nobody"):
            rs.MLDS().fit(told)
        with pytest.raises(JudgmentError):
            rs.MLDS().fit([[1, 0, 2], [1, 2, 0]])

    def test_other_judgments(self):
        with pytest.raises(JudgmentError):
            rs.MLDS().fit(rs.Choices([0, 1], [[1, 2], [0, 2]], [1, 2], items=3))
        with pytest.raises(JudgmentError):
            rs.MLDS().fit(triads()).predict(rs.Triplets([[1, 0, 6]], items=7))

    @pytest.mark.parametrize(
        "levels", [[0, 1], [0, 1, 2, 3, 4, np.nan], [0, 1, 2, 2, 3, 4], np.zeros((N, 2))]
    )
    def test_levels(self, levels):
        with pytest.raises(SettingError) as error:
            rs.MLDS(levels=levels).fit(triads())
        assert error.value.setting == "levels"

    def test_features_that_are_no_level(self):
        for features in (np.eye(N), {"size": np.eye(N)[:, :1], "hue": np.eye(N)[:, :1]}):
            told = rs.Triplets(triads().index, items=rs.Items(features=features))
            with pytest.raises(SettingError):
                rs.MLDS().fit(told)
            assert rs.MLDS(levels=np.arange(N)).fit(told).converged_

    def test_a_scale_that_falls_has_no_form_from_0_to_1(self):
        model = rs.MLDS().set_scale([0.0, 1.0, -1.0])
        assert np.isnan(model.sigma_)
        with pytest.raises(JudgmentError):
            model.normalised()

    @pytest.mark.parametrize("scale", [[0.0, np.nan], [[0.0, 1.0]]])
    def test_a_scale_that_is_none(self, scale):
        with pytest.raises(SettingError):
            rs.MLDS().set_scale(scale)


@KINDS
def test_answers_that_nothing_contradicts_have_no_finite_scale(make):
    sure = np.array([0.0, 1.0, 3.0, 7.0, 15.0, 31.0])
    told = make()
    near, far = rs.MLDS().set_scale(1e3 * sure).predict_proba(told).T
    with pytest.warns(NotConvergedWarning):
        model = rs.MLDS().fit(told.answered(near > far))
    assert not model.converged_
    assert model.score(told.answered(near > far)) == 1.0
    assert np.isfinite(model.scale_).all()


def test_ties_count_one_half():
    model = rs.MLDS().set_scale([0.0, 1.0, 2.0])
    np.testing.assert_array_equal(model.predict([[1, 0, 2]]), [-1])
    assert model.score([[1, 0, 2]]) == 0.5


def test_predictions_take_nested_intervals():
    model = rs.MLDS().set_scale([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(model.scale_, [0.0, 1.0, 3.0])
    np.testing.assert_allclose(model.predict_proba([[0, 1, 2]])[0, 0], norm.cdf(2.0))


def test_as_estimators_of_scikit_learn_are(tmp_path):
    told = quadruples(40)
    model = rs.MLDS(nested=True)
    assert clone(model).get_params() == {"levels": None, "nested": True, "lapse": "auto"}
    assert (cross_val_score(rs.MLDS(), told, cv=3) > 0.7).all()
    again = rs.load(rs.save(model.fit(told), tmp_path / "scale"))
    np.testing.assert_array_equal(again.scale_, model.scale_)
    np.testing.assert_array_equal(again.predict_proba(told), model.predict_proba(told))
    assert again.set_scale(TRUE).scale_[-1] == TRUE[-1]
    assert not hasattr(again, "deviance_")


def lapsing(told, share, seed=1):
    rng = np.random.default_rng(seed)
    return told.answered((rng.random(len(told)) > share) | (rng.random(len(told)) > 0.5))


@KINDS
def test_lapses_are_found_and_no_longer_taken_for_noise(make):
    """Of 200 fits lapse_ is .05 (standard deviation .004), the highest value off by 2.3 %."""
    told = lapsing(make(800), 0.05)
    model, without = rs.MLDS().fit(told), rs.MLDS(lapse=0.0).fit(told)
    assert model.lapse_ == pytest.approx(0.05, abs=0.02)
    assert model.scale_[-1] == pytest.approx(TRUE[-1], rel=0.12)
    assert without.scale_[-1] < 0.85 * TRUE[-1]
    assert model.log_loss(told) == pytest.approx(-model.log_likelihood_ / len(told))
    assert model.log_loss(told) < without.log_loss(told)


@KINDS
def test_lapses_that_are_known_are_a_floor_under_every_answer(make):
    told = lapsing(make(800), 0.05)
    model = rs.MLDS(lapse=0.05).fit(told)
    assert model.lapse_ == 0.05
    np.testing.assert_allclose(model.scale_, rs.MLDS().fit(told).scale_, atol=0.4)
    known = rs.MLDS(lapse=0.1).set_scale([0.0, 1.0, 20.0])
    np.testing.assert_allclose(known.predict_proba([[1, 0, 2], [1, 2, 0]])[:, 0], [0.95, 0.05])


@pytest.mark.parametrize("lapse", [-0.1, 1.0, "none", None])
def test_shares_of_lapses_that_are_none(lapse):
    with pytest.raises(SettingError) as error:
        rs.MLDS(lapse=lapse).fit(triads())
    assert error.value.setting == "lapse"


def test_levels_and_models_that_are_none():
    told = rs.Triplets([[1, 0, 2]] * 3 + [[1, 2, 0]] * 4)
    for levels in (list("abc"), {"a": 1}):
        with pytest.raises(SettingError) as problem:
            rs.MLDS(levels).fit(told)
        assert problem.value.setting == "levels"
    with pytest.raises(SettingError):
        rs.scale_intervals(rs.STE(1, random_state=0).fit(told), told)
