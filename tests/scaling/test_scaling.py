"""The bootstrap of difference scales: intervals."""

from itertools import combinations

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.scaling.bootstrap import likely, refits, trials_of
from resemblance.scaling.mlds import Scaled, fit_scale

N = 8
TRUE = 6.0 * np.linspace(0, 1, N) ** 2
QUADS = np.array(list(combinations(range(N), 4)))


def answered(scale=TRUE, repeats=6, seed=0):
    asked = rs.Quadruplets(np.tile(QUADS, (repeats, 1)), items=N)
    p = rs.MLDS().set_scale(scale).predict_proba(asked)[:, 0]
    return asked.answered(np.random.default_rng(seed).random(len(p)) < p)


@pytest.fixture(scope="module")
def told():
    return answered()


@pytest.fixture(scope="module")
def model(told):
    return rs.MLDS().fit(told)


class TestIntervals:
    @pytest.mark.parametrize("method", ["bca", "percentile"])
    @pytest.mark.parametrize("normalised", [False, True])
    def test_they_lie_about_the_scale(self, model, told, method, normalised):
        settings = {"normalised": normalised, "method": method, "n_draws": 200}
        sure = rs.scale_intervals(model, told, random_state=0, **settings)
        expected = model.normalised() if normalised else model.scale_
        np.testing.assert_array_equal(sure.scale, expected)
        free = slice(1, N - normalised)
        assert (sure.deviation[free] > 0).all()
        assert (sure.low[free] < sure.high[free]).all()
        assert (sure.low <= expected + sure.deviation).all()
        assert (expected - sure.deviation <= sure.high).all()
        fixed = [0, -1] if normalised else [0]
        np.testing.assert_array_equal(sure.deviation[fixed], 0.0)
        np.testing.assert_array_equal(sure.low[fixed], sure.high[fixed])
        again = rs.scale_intervals(model, told, random_state=0, **settings)
        np.testing.assert_array_equal(sure.low, again.low)

    def test_standard_errors_are_those_of_the_information(self, model, told):
        from resemblance.scaling.mlds import Trials, slopes

        trials = Trials(told, model.order_, False)
        J, (p, q) = slopes(trials.design, model.scale_[1:], 0.0)
        known = (J[:, :-1].T * (trials.answer_weights.sum(axis=0) / (p * q))) @ J[:, :-1]
        model = rs.MLDS(lapse=0.0).fit(told)
        expected = np.sqrt(np.diag(np.linalg.inv(known)))
        sure = rs.scale_intervals(model, told, n_draws=400, random_state=1)
        np.testing.assert_allclose(sure.deviation[1:], expected, rtol=0.35)

    def test_more_answers_and_a_lower_level_make_them_narrower(self, model, told):
        settings = {"n_draws": 100, "random_state": 0}
        wide = rs.scale_intervals(model, told, **settings)
        lower = rs.scale_intervals(model, told, level=0.5, **settings)
        more = rs.scale_intervals(model, told.reweighted(np.full(len(told), 9.0)), **settings)
        for narrow in (lower, more):
            assert (narrow.high - narrow.low)[1:].sum() < 0.6 * (wide.high - wide.low)[1:].sum()

    def test_weights_are_repeats(self, model, told):
        half = told[: len(told) // 2]
        twice = half.reweighted(np.full(len(half), 2.0))
        rows = np.concatenate([[r, r] for r in range(len(half))])
        one, other = (
            rs.scale_intervals(rs.MLDS().fit(t), t, n_draws=20, random_state=0)
            for t in (twice, half[rows])
        )
        np.testing.assert_allclose(one.low, other.low, atol=1e-6)

    def test_progress(self, model, told):
        seen = []
        rs.scale_intervals(model, told, n_draws=20, callback=lambda *at: seen.append(at))
        assert seen == [(k, 20) for k in range(1, 21)]

    @pytest.mark.parametrize("bad", [{"n_draws": 3}, {"level": 1.0}, {"method": "normal"}])
    def test_settings_out_of_range(self, model, told, bad):
        with pytest.raises(SettingError) as error:
            rs.scale_intervals(model, told, **bad)
        assert error.value.setting in bad

    def test_shares_of_a_trial_cannot_be_drawn(self, model, told):
        weight = np.ones(len(told))
        weight[5] = 0.5
        with pytest.raises(JudgmentError) as error:
            rs.scale_intervals(model, told.reweighted(weight))
        assert error.value.row == 5

    def test_draws_that_fall_have_no_form_from_0_to_1(self):
        told = answered(0.05 * TRUE, repeats=1, seed=3)
        model = rs.MLDS().set_scale(0.01 * TRUE)
        with pytest.raises(JudgmentError):
            rs.scale_intervals(model, told, normalised=True, n_draws=100, random_state=0)
        rs.scale_intervals(model, told, n_draws=20, random_state=0)

    def test_a_draw_that_falls_counts_as_beyond_all_others(self):
        told = answered(0.26 * TRUE, repeats=1, seed=3)
        model = rs.MLDS(lapse=0.0).set_scale(0.26 * TRUE)
        drawn = {"n_draws": 400, "random_state": 0}
        trials = trials_of(model, told)
        tops = [one.values[-1] for one in refits(trials, model, 400, 0, None, model.estimate)]
        assert 0 < np.sum(np.array(tops) <= 0) <= 20
        sure = rs.scale_intervals(model, told, normalised=True, **drawn)
        assert np.isfinite([sure.low, sure.high]).all()
        assert (sure.low[1:-1] < sure.high[1:-1]).all()

    @pytest.mark.parametrize("repeats", [1, 20])
    def test_lapses_are_drawn_with_their_posterior_mean(self, repeats):
        told = answered(repeats=repeats)
        model = rs.MLDS().fit(told)
        trials = trials_of(model, told)
        shares = np.linspace(0.0, 0.5 / np.sqrt(repeats), 61)
        counts, start = trials.answer_weights, model.estimate.values
        fits = [fit_scale(trials.design, counts, x, Scaled(start, x)) for x in shares]
        height = np.array([fit.log_likelihood for fit in fits]) + 9.0 * np.log1p(-shares)
        density = np.exp(height - height.max())
        mean = np.trapezoid(shares * density, shares) / np.trapezoid(density, shares)
        found = likely(trials, model)
        assert found.lapse == pytest.approx(mean, rel=0.05)
        assert found.lapse > 0
        known = rs.MLDS(lapse=0.0).fit(told)
        np.testing.assert_array_equal(likely(trials, known).values, known.scale_[1:])
        given = rs.MLDS().set_scale(TRUE)
        np.testing.assert_array_equal(likely(trials, given).values, TRUE[1:])

    def test_unbounded_draws_are_counted(self):
        told = answered(3.0 * TRUE, repeats=1)
        model = rs.MLDS().set_scale(3.0 * TRUE)
        sure = rs.scale_intervals(model, told, n_draws=50, random_state=0)
        assert 0 < sure.n_unbounded <= 50
        # above what grows without end in more draws than the tail holds there is no upper end
        assert np.isinf(sure.high).any()
        assert np.isinf(sure.deviation[np.isinf(sure.high)]).all()
        assert np.isfinite(sure.low).all()
        known = rs.scale_intervals(model, told, n_draws=50, normalised=True, random_state=0)
        assert np.isfinite([known.low, known.high]).all()

    @pytest.mark.parametrize("method", ["bca", "percentile"])
    @pytest.mark.parametrize("lapse", ["auto", 0.0])
    def test_a_scale_without_an_end_has_no_intervals(self, method, lapse):
        """Answers that nothing contradicts: what the fit came to is no estimate."""
        told = answered(1e3 * TRUE, repeats=3)
        with pytest.warns(NotConvergedWarning):
            model = rs.MLDS(lapse=lapse).fit(told)
        with pytest.raises(JudgmentError):
            rs.scale_intervals(model, told, method=method, n_draws=20, random_state=0)
