"""Intervals of loadings: the sampler, and what it says."""

import numpy as np
import pytest

import naive
import resemblance as rs
from resemblance.embeddings._loops import sweep
from resemblance.embeddings.intervals import _Chain, _pairs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError

LOGISTIC = rs.choice.Logistic()


def loadings(seed, n=16, d=2):
    """As the sampler expects them: each is 0 or not, and normal above 0."""
    rng = np.random.default_rng([seed, 1])
    X = np.abs(rng.normal(1.2, 0.4, size=(n, d))) * (rng.random((n, d)) < 0.6)
    X[X.sum(axis=1) == 0, 0] = 1.2
    return X


def answers_of(X, m, seed=0, lapse=0.0):
    rng = np.random.default_rng([seed, 2])
    shown = np.array([rng.choice(len(X), 3, replace=False) for _ in range(m)])
    person = rs.SpaceObserver(X, LOGISTIC, lapse, random_state=seed)
    return person.answer(rs.OddOneOuts(shown, shown[:, 0], items=len(X)))


@pytest.fixture(scope="module")
def world():
    X = loadings(0)
    answers = answers_of(X, 700)
    return X, answers, rs.SPoSE(2, penalty=2.0, random_state=0).fit(answers)


MIXED = rs.Choices([0, 1, 2, 3], [[1, 2, 3], [0, 2, -1], [4, 3, 0], [4, 0, -1]], [2, 0, 3, 4])


@pytest.mark.parametrize("answers", [answers_of(loadings(3, 6, 2), 40), MIXED])
def test_the_compiled_sweep_is_the_plain_one(answers):
    rng = np.random.default_rng(0)
    pairs, _ = _pairs(answers)
    X = loadings(3, answers.n_items, 2)
    weights = rng.choice([0.5, 1.0, 2.0], len(pairs))
    chain = _Chain(X.copy(), pairs, weights, rng, lapse=0.1)
    steps = rng.normal(size=X.shape)
    backs, uniform = rng.random(X.shape), rng.random((2, *X.shape))
    odds, mean, variance = np.array([0.3, -0.5]), np.array([1.0, 0.4]), np.array([0.5, 2.0])
    slab = np.array([odds, mean, variance])
    draws = np.stack([steps, backs, *np.log(uniform)], axis=-1)
    sweep(chain.X, pairs, chain.starts, chain.rows, chain.terms, slab, 0.1, draws)
    rows = [[(a, b) for a, b in row if a >= 0] for row in pairs.tolist()]
    plain = naive.swept(X, rows, weights, odds, mean, variance, 0.1, steps, backs, uniform)
    np.testing.assert_allclose(chain.X, plain)
    log_chance = [naive.log_of_answer(plain, row, 0.1) for row in rows]
    np.testing.assert_allclose(chain.terms[:, -2], log_chance, atol=1e-10)


def test_intervals_hold_what_is_true(world):
    X, answers, model = world
    found = rs.loading_intervals(model, answers, n_sweeps=400, random_state=0)
    columns, likeness = rs.scores.match_dimensions(X, found.loadings)
    assert (likeness > 0.8).all()
    low, high = found.low[:, columns], found.high[:, columns]
    assert ((low <= X) & (high >= X)).mean() > 0.8
    assert (found.low <= found.loadings).all()
    assert (found.loadings <= found.high).all()
    zero = found.zero[:, columns]
    assert zero[X == 0].mean() > 0.3 > zero[X > 1].mean()


def test_more_answers_make_them_narrower_and_lapses_are_found(world):
    X, answers, model = world
    many = answers_of(2 * X, 6000, seed=1, lapse=0.2)
    fitted = rs.SPoSE(2, penalty=2.0, random_state=0).fit(many)
    few = rs.loading_intervals(model, answers, n_sweeps=200, random_state=0)
    more = rs.loading_intervals(fitted, many, n_sweeps=200, random_state=0)
    fewer = rs.loading_intervals(fitted, many[:600], n_sweeps=200, random_state=0)
    assert (more.high - more.low).mean() < 0.7 * (fewer.high - fewer.low).mean()
    assert few.lapse < 0.1 < more.lapse


def test_one_seed_gives_one_result_rows_of_no_weight_none_and_progress_is_told(world):
    _, answers, model = world
    heard = []
    none = answers.reweighted(np.where(np.arange(len(answers)) < 400, 1.0, 0.0))
    one, two, alone = (
        rs.loading_intervals(
            model,
            told,
            n_sweeps=100,
            random_state=5,
            n_jobs=jobs,
            callback=lambda *done: heard.append(done),
        ).low
        for told, jobs in ((none, 1), (none, 2), (answers[:400], 1))
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, alone)
    assert heard == [(1, 2), (2, 2)] * 3


def test_a_table_has_a_row_for_each_loading(world):
    _, answers, model = world
    table = rs.loading_intervals(model, answers, n_sweeps=100, random_state=0).to_pandas()
    assert [*table.columns] == ["item", "dimension", "loading", "low", "high", "zero"]
    assert len(table) == model.embedding_.size


def test_chains_that_tell_other_things_are_told():
    """Dense loadings of few answers can be turned."""
    X = np.abs(np.random.default_rng(0).normal(size=(14, 4)))
    answers = answers_of(X, 300)
    model = rs.SPoSE(4, penalty=0.1, random_state=0).fit(answers)
    with pytest.warns(NotConvergedWarning):
        rs.loading_intervals(model, answers, n_sweeps=100, random_state=0)


@pytest.mark.parametrize("settings", [{"n_sweeps": 99}, {"level": 1.0}])
def test_settings_out_of_range(world, settings):
    _, answers, model = world
    with pytest.raises(SettingError):
        rs.loading_intervals(model, answers, **settings)


def test_other_items_and_odd_ones_out_of_four_are_refused(world):
    _, answers, model = world
    named = rs.OddOneOuts(answers.index, answers.index[:, 0], [f"other {i}" for i in range(16)])
    with pytest.raises(JudgmentError):
        rs.loading_intervals(model, named)
    with pytest.raises(SettingError, match="loading_spread"):
        rs.loading_intervals(model, rs.OddOneOuts([[0, 1, 2, 15]], [0], items=16))
