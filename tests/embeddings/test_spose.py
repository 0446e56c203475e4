"""Sparse non-negative dimensions: found again, with what they promise."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.scores.recovery import recurring_dimensions

N, D = 60, 4
KEPT = [0, 1, 2, 3], [0, 1, 2], [0, 1], [2]  # true dimensions that each of four descents finds


def loadings(seed=0):
    """Most are 0; each item has one dimension or two."""
    rng = np.random.default_rng(seed)
    X = np.zeros((N, D))
    X[np.arange(N), np.arange(N) % D] = rng.uniform(1.0, 2.0, N)
    second = rng.random(N) < 0.4
    X[second, rng.integers(D, size=second.sum())] += rng.uniform(0.5, 1.0, second.sum())
    return X


def answers(X, m, seed=0):
    """Odd ones out by the inner products of the loadings."""
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(len(X), 3, replace=False) for _ in range(m)])
    asked = rs.OddOneOuts(shown, shown[:, 0], items=len(X))
    return rs.SpaceObserver(X, rs.choice.Logistic(), random_state=seed).answer(asked)


def matched(X, Y):
    """The correlation of each column of X with the column of Y that is its own."""
    C = np.corrcoef(X.T, Y.T)[: X.shape[1], X.shape[1] :]
    rows, columns = linear_sum_assignment(-C)
    return C[rows, columns]


@pytest.fixture(scope="module")
def fitted():
    return rs.SPoSE(12, random_state=0).fit(answers(loadings(), 6000))


class TestDimensions:
    def test_the_true_ones_are_found_and_no_more(self, fitted):
        assert fitted.embedding_.shape[1] <= D + 2
        assert matched(loadings(), fitted.embedding_).min() > 0.9

    def test_several_descents_end_no_higher_than_the_first(self):
        told = answers(loadings(), 800)
        once = rs.SPoSE(12, penalty=2.0, n_init=1, random_state=0).fit(told)
        model = clone(once).set_params(n_init=4).fit(told)
        assert model.loss_ <= once.loss_
        assert model.embedding_.shape[1] <= 12

    def test_those_recur_that_half_of_other_descents_find(self):
        rng = np.random.default_rng(0)
        X, noise = loadings(), rng.normal(size=(4, N, 2))
        spaces = [np.hstack([part, X[:, keep]]) for part, keep in zip(noise, KEPT, strict=True)]
        at, recurs = recurring_dimensions(spaces)
        assert (at, recurs.tolist()) == (0, [False, False, True, True, True, False])

    def test_are_non_negative_sparse_and_in_order(self, fitted):
        assert (fitted.embedding_ >= 0).all()
        assert (fitted.embedding_ == 0).mean() > 0.3
        assert (np.diff(fitted.embedding_.sum(axis=0)) <= 0).all()
        assert fitted.shares_.sum() == pytest.approx(1.0)
        assert (fitted.shares_ > 0).all()

    def test_more_of_the_l1_norm_leaves_fewer_loadings(self):
        told = answers(loadings(), 2000)
        few, many = (
            rs.SPoSE(12, penalty=3.0, l1_ratio=ratio, random_state=0).fit(told)
            for ratio in (1.0, 0.0)
        )
        assert (few.embedding_ > 0).sum() < (many.embedding_ > 0).sum()

    def test_strength_is_between_those_tried(self, fitted):
        penalties, log_losses = fitted.strengths_.T
        assert penalties[0] <= fitted.penalty_ <= penalties[-1]
        assert log_losses.min() < np.log(3)
        assert fitted.scale_ > 0

    def test_from_triplets_too(self):
        X = loadings()
        rng = np.random.default_rng(1)
        asked = np.array([rng.choice(N, 3, replace=False) for _ in range(5000)])
        told = rs.SpaceObserver(X, rs.choice.Logistic(), random_state=1).answer(asked)
        model = rs.SPoSE(10, random_state=0).fit(told)
        assert np.median(matched(X, model.embedding_)) > 0.85

    def test_one_random_state_gives_one_result(self):
        told = answers(loadings(), 2000)
        one, two = (
            rs.SPoSE(8, penalty=2.0, n_init=3, n_jobs=jobs, random_state=4).fit(told)
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.embedding_, two.embedding_)

    def test_a_second_fit_goes_on(self):
        told = answers(loadings(), 2000)
        model = rs.SPoSE(8, penalty=2.0, warm_start=True, random_state=0).fit(told)
        first, kept = model.loss_, model.embedding_.shape
        model.fit(told)
        assert model.loss_ <= first * (1 + 1e-9)
        assert model.embedding_.shape[1] <= kept[1]

    def test_saved_and_loaded(self, fitted, tmp_path):
        rs.save(fitted, tmp_path / "space.json")
        again = rs.load(tmp_path / "space.json")
        new = answers(loadings(), 500, seed=3)
        assert again.log_loss(new) == pytest.approx(fitted.log_loss(new))


class TestBadInput:
    @pytest.mark.parametrize("n_components", [0, -1, 2.5])
    def test_dimensions_are_a_whole_number(self, n_components):
        with pytest.raises(SettingError) as told:
            rs.SPoSE(n_components).fit(answers(loadings(), 100))
        assert told.value.setting == "n_components"

    def test_more_dimensions_than_items_are_allowed(self):
        odd = answers(np.eye(4)[[0, 0, 1, 1]] * 2.0, 300)
        model = rs.SPoSE(6, penalty=0.5, random_state=0).fit(odd)
        assert 2 <= model.embedding_.shape[1] <= 6
        assert model.score(odd) > 0.8  # .94 to .99 for 200 seeds

    def test_a_penalty_that_leaves_no_dimension(self):
        with pytest.raises(SettingError) as told:
            rs.SPoSE(4, penalty=1e6).fit(answers(loadings(), 500))
        assert told.value.setting == "penalty"

    def test_answers_without_any_order(self):
        rng = np.random.default_rng(0)
        shown = np.array([rng.choice(12, 3, replace=False) for _ in range(60)] * 3)
        odd = np.concatenate([shown[at * 60 : (at + 1) * 60, at] for at in range(3)])
        with pytest.raises(SettingError) as told:
            rs.SPoSE(4, random_state=0).fit(rs.OddOneOuts(shown, odd, items=12))
        assert told.value.setting == "penalty"

    @pytest.mark.parametrize("penalty", ["much", -1.0, np.inf])
    def test_a_penalty_is_a_number_or_auto(self, penalty):
        with pytest.raises(SettingError) as told:
            rs.SPoSE(penalty=penalty).fit(answers(loadings(), 100))
        assert told.value.setting in ("penalty", None)

    def test_confusions_are_refused(self):
        counts = rs.Confusions([[0, 1], [1, 2]], [1, 2], 10)
        with pytest.raises((SettingError, JudgmentError)):
            rs.SPoSE(2).fit(counts)

    def test_a_limit_of_iterations_is_told(self):
        with pytest.warns(NotConvergedWarning):
            rs.SPoSE(6, penalty=1.0, max_iter=2).fit(answers(loadings(), 1000))
