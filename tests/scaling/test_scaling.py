"""The bootstrap of difference scales: intervals, residuals, six points."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.scaling.bootstrap import likely, refits, trials_of
from resemblance.scaling.trials import Scaled, fit_scale, six_point_uses

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
        from resemblance.scaling.trials import Trials, slopes

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

    def test_items_in_another_order(self, model, told):
        order = np.random.default_rng(1).permutation(N)
        other = rs.Quadruplets(order[told.index], items=N)
        turned = rs.MLDS(levels=np.argsort(order)).fit(other)
        one, two = (
            rs.scale_intervals(m, t, n_draws=40, random_state=0)
            for m, t in ((model, told), (turned, other))
        )
        np.testing.assert_allclose(two.high[order], one.high, atol=1e-5)

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
        tops = [one.values[-1] for _, one in refits(trials_of(model, told), model, 400, 0, None)]
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


class TestDiagnostics:
    def test_residuals_are_the_deviance(self, model, told):
        found = rs.scale_diagnostics(model, told, n_draws=60, random_state=0)
        assert found.deviance == pytest.approx(model.deviance_)
        assert found.residuals @ found.residuals == pytest.approx(model.deviance_)
        assert (np.diff(found.residuals) >= 0).all()
        assert (found.low <= found.high).all()
        assert found.share[[0, -1]] == pytest.approx([0.5 / len(told), 1 - 0.5 / len(told)])

    def test_runs_are_those_of_trials_in_the_order_of_their_probabilities(self, model, told):
        found = rs.scale_diagnostics(model, told, n_draws=60, random_state=0)
        rank = told.index
        swap = rank[:, 0] > rank[:, 2]  # the lower interval was judged the larger one
        p = model.predict_proba(told)[:, 0]
        signs = ~swap[np.argsort(np.where(swap, 1 - p, p).round(12), kind="stable")]
        runs = 1
        for one, other in pairwise(signs):
            runs += one != other
        assert found.n_runs == runs
        assert found.p_runs == pytest.approx((1 + (found.drawn_runs <= runs).sum()) / 61)
        assert 0.005 < found.p_runs <= 1
        assert 0.005 < found.p_residuals <= 1

    def test_many_trials_keep_some_ranks(self, model, told):
        many = told.reweighted(np.full(len(told), 5.0))
        found = rs.scale_diagnostics(model, many, n_draws=20, random_state=0)
        assert len(found.residuals) == 1000

    def test_lapses_are_found(self):
        told = answered(2.0 * TRUE, repeats=30)
        rng = np.random.default_rng(5)
        lapsed = told.answered((rng.random(len(told)) > 0.1) | (rng.random(len(told)) > 0.5))
        model = rs.MLDS(lapse=0.0).fit(lapsed)
        assert rs.scale_diagnostics(model, lapsed, n_draws=60, random_state=0).p_residuals < 0.05


class TestSixPoints:
    def test_conditions_are_all_that_there_are(self):
        rng = np.random.default_rng(0)
        quads = np.array(
            [
                (*one, *other)
                for one, other in combinations(list(combinations(range(6), 2)), 2)
                if rng.random() < 0.6
            ]
        )
        known = {tuple(row): r for r, row in enumerate(quads.tolist())}
        known |= {(*row[2:], *row[:2]): r for row, r in list(known.items())}
        uses, found = np.zeros(len(quads), int), 0
        for abc in combinations(range(6), 3):
            for other in combinations(range(6), 3):
                a, b, c = abc
                x, y, z = other
                trials = [(a, b, x, y), (b, c, y, z), (a, c, x, z)]
                if abc < other and all(t in known for t in trials):
                    found += 1
                    for t in trials:
                        uses[known[t]] += 1
        assert found > 0
        np.testing.assert_array_equal(six_point_uses(quads), uses)

    def test_the_statistic_is_the_likelihood_of_their_answers(self, model, told):
        tested = rs.six_point_test(model, told, n_draws=40, random_state=0)
        assert tested.n_conditions == len(list(combinations(range(N), 6)))
        p = {}
        for row, one in zip(told.index, model.predict_proba(told)[:, 0], strict=True):
            p.setdefault(frozenset([tuple(row[:2]), tuple(row[2:])]), []).append(np.log(one))
        total = 0.0
        for a, b, c, x, y, z in combinations(range(N), 6):
            for one, other in (((a, b), (x, y)), ((b, c), (y, z)), ((a, c), (x, z))):
                total += sum(p[frozenset([one, other])])
        assert tested.log_likelihood == pytest.approx(total)
        assert tested.p_value == pytest.approx((1 + (tested.drawn <= total).sum()) / 41)

    def test_triads_have_none(self):
        rows = [p for p in permutations(range(4), 3) if min(p[1:]) < p[0] < max(p[1:])]
        told = rs.Triplets(np.tile(rows, (3, 1)), items=4)
        model = rs.MLDS().set_scale([0.0, 1.0, 2.0, 3.0])
        with pytest.raises(JudgmentError):
            rs.six_point_test(model, told)

    def test_other_items(self, model):
        with pytest.raises(JudgmentError):
            rs.six_point_test(model, rs.Quadruplets([[0, 1, 8, 9]], items=10))
