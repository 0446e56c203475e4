"""Similarities, noise ceilings and the bootstrap: known values, invariances, refusals."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import pearsonr, rankdata, spearmanr, t

import resemblance as rs
from resemblance.catalog import RDM_SIMILARITIES
from resemblance.errors import RDMError, SettingError
from resemblance.rdms.ceiling import apart
from resemblance.rdms.comparing import in_all, in_samples
from resemblance.rdms.similarity import (
    NOT_CENTRED,
    RANKS,
    coded,
    rescaled,
    sampled_similarities,
    samples_at_once,
    shared_cells,
    similarities,
)

TIED = pytest.mark.parametrize("tied", [False, True])


def people(seed=0, n=6, n_items=10, noise=0.5):
    rng = np.random.default_rng(seed)
    true = rs.rdm(rng.normal(size=(n_items, 2)))
    values = true.dissimilarities + noise * rng.normal(size=(n, true.dissimilarities.shape[1]))
    return rs.RDMs(values, names=[f"p{i}" for i in range(n)]), true


def tau_a(x, y):
    """Count concordant and discordant pairs, one by one."""
    n = len(x)
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(n) for j in range(i)]
    return sum(signs) / len(signs)


RSATOOLBOX = {  # what its version 0.3.2 says of the matrices of `two_by_two`
    "whitened cosine": [[0.5301752, 0.2027976], [0.9721999, 0.1852213]],
    "whitened pearson": [[0.276566, -0.1274936], [0.9612282, -0.0942444]],
    "kendall tau-b": [[0.3555556, -0.0260675], [0.7777778, -0.0586518]],
    "kendall tau-a": [[0.3555556, -0.0253968], [0.7777778, -0.0571429]],
    "rho-a": [[0.5083655, -0.0480051], [0.9346203, -0.0924067]],
    "spearman": [[0.5083655, -0.0481604], [0.9346203, -0.0927055]],
}


def two_by_two():
    """Make two matrices of squared distances, and two others, of which one is no such."""
    x = np.sin(1.7 * np.arange(36) ** 1.3).reshape(9, 4)
    y = x + np.cos(2.3 * np.arange(36) ** 1.1).reshape(9, 4)
    noisy = y + 0.3 * np.sin(0.9 * np.arange(36) ** 1.5).reshape(9, 4)
    z = np.round(2 * np.cos(1.1 * np.arange(18) ** 1.2).reshape(9, 2), 1)
    a, b = np.triu_indices(9, 1)
    x, y, noisy, z = (((one[a] - one[b]) ** 2).sum(axis=1) for one in (x, y, noisy, z))
    return np.array([x, y]), np.array([noisy, np.round(z)])


@pytest.mark.parametrize("method", RSATOOLBOX)
def test_rsatoolbox_says_the_same(method):
    np.testing.assert_allclose(similarities(*two_by_two(), method), RSATOOLBOX[method], atol=1e-6)


LACKING = {  # the same, of `lacking`, of which it takes the cells that both of two matrices have
    "whitened cosine": [[0.6400319, 0.2088792], [0.9758964, 0.1873595]],
    "whitened pearson": [[0.3995069, -0.1388637], [0.9650125, -0.096781]],
    "kendall tau-b": [[0.3849462, -0.0271391], [0.8104839, -0.0915235]],
    "kendall tau-a": [[0.3849462, -0.0265152], [0.8104839, -0.0891266]],
    "rho-a": [[0.5302419, -0.0601604], [0.9530792, -0.1419404]],
    "spearman": [[0.5302419, -0.060327], [0.9530792, -0.1424199]],
    "pearson": [[0.5223894, -0.0530296], [0.9682714, -0.1037404]],
    "cosine": [[0.8689474, 0.7171342], [0.9862948, 0.6363247]],
}
CEILINGS = {  # of three matrices that lack the same cells
    "spearman": [0.1841859, 0.6316298],
    "pearson": [0.1676711, 0.6359935],
    "cosine": [0.7819869, 0.9035694],
    "kendall tau-a": [0.125, 0.4590054],
    "rho-a": [0.1842925, 0.6309262],
}


def lacking():
    """Make the matrices of `two_by_two`, of which three lack two or three cells."""
    first, second = two_by_two()
    first[0, [3, 17, 20]] = first[1, [5, 20]] = second[0, [0, 30]] = np.nan
    return first, second


class TestMissing:
    @pytest.mark.parametrize("method", LACKING)
    def test_rsatoolbox_says_the_same(self, method):
        np.testing.assert_allclose(similarities(*lacking(), method), LACKING[method], atol=1e-6)

    @pytest.mark.parametrize("method", CEILINGS)
    def test_rsatoolbox_says_the_same_of_a_ceiling(self, method):
        first, second = lacking()
        told = np.vstack([first, second[1:]])
        told[:, [3, 5, 17, 20]] = np.nan
        found = rs.rdm_noise_ceiling(rs.RDMs(told), method)
        np.testing.assert_allclose(found[:2], CEILINGS[method], atol=1e-6)
        assert np.isfinite([*found.lower_interval, *found.upper_interval]).all()

    @pytest.mark.parametrize("method", LACKING)
    def test_estimates_and_their_pairs_are_of_what_both_have(self, method):
        told, models = (rs.RDMs(values) for values in lacking())
        found = rs.compare_rdms(told, models, method, n_resamples=100, random_state=0)
        np.testing.assert_allclose(
            found.table["estimate"], np.mean(LACKING[method], axis=0), atol=1e-6
        )
        assert found.table["pairs"].tolist() == [36 - 5, 36 - 3]
        whole = rs.RDMs(two_by_two()[0])
        assert rs.compare_rdms(whole, whole, method, n_resamples=100).table["pairs"][0] == 36
        assert (found.table["low"] < found.table["estimate"]).all()

    @pytest.mark.parametrize("method", LACKING)
    def test_a_sample_has_the_cells_that_two_matrices_share(self, method):
        told, models = (rs.RDMs(values) for values in lacking())
        shared = shared_cells(told.dissimilarities, models.dissimilarities)
        drawn = [np.random.default_rng(seed).integers(9, size=9) for seed in range(20)]
        found = in_all(drawn, told, models, shared, method)
        for x, g in zip(told, range(2), strict=True):
            for y, m in zip(models, range(2), strict=True):
                a, b = np.triu_indices(9, 1)
                for sample, value in zip(drawn, found[:, g, m], strict=True):
                    kept = sample[a] != sample[b]
                    cells = np.array([one.squares()[0][sample][:, sample][a, b] for one in (x, y)])
                    kept &= ~np.isnan(cells).any(axis=0)
                    rows = cells[:1, kept], cells[1:, kept]
                    expected = similarities(*rows, method, (a[kept], b[kept]))[0, 0]
                    np.testing.assert_allclose(value, expected, atol=1e-10)

    def test_too_few_pairs_in_common_are_named(self):
        first, second = two_by_two()
        first[1, 2:], second[1, :20] = np.nan, np.nan
        told, models = rs.RDMs(first, names=["ann", "bob"]), rs.RDMs(second, names=["m", "z"])
        with pytest.raises(RDMError, match="'bob'"):
            rs.compare_rdms(told, models)
        with pytest.raises(RDMError, match="'ann'"):
            rs.rdm_noise_ceiling(told)
        assert rs.compare_rdms(told["ann"], models).table["pairs"].tolist() == [36, 16]

    def test_samples_of_items_are_refused_where_they_often_lack_pairs(self):
        whole, model = rs.RDMs(two_by_two()[0][[0, 0, 0]]), rs.RDMs(two_by_two()[1])
        squares = np.full((3, 9, 9), np.nan)
        kept = [[(0, 1), (2, 3), (4, 5)], [(3, 4), (5, 6), (7, 8)], [(0, 8), (1, 7), (2, 6)]]
        for square, of, pairs in zip(squares, whole.squares(), kept, strict=True):
            for a, b in pairs:
                square[a, b] = square[b, a] = of[a, b]
        told = rs.RDMs.from_squares(squares, names=["ann", "bob", "cy"])
        with pytest.raises(RDMError, match="'0'"):
            rs.compare_rdms(told, model, n_resamples=1000, random_state=0)
        found = rs.compare_rdms(told, model, over=["people"], n_resamples=100, random_state=0)
        assert found.table["pairs"].tolist() == [3, 3]
        assert found.ceiling is None

    def test_the_pool_does_not_hang_on_how_many_cells_somebody_lacks(self):
        true = rs.rdm(np.random.default_rng(0).normal(size=(12, 2))).dissimilarities
        told = np.repeat(true, 4, axis=0)
        gone = np.random.default_rng(1).random(told.shape) < 0.5
        gone[0] = False
        told[gone] = np.nan
        for method in RDM_SIMILARITIES:
            found = rs.rdm_noise_ceiling(rs.RDMs(told), method)
            assert found.lower > 0.9


def test_pairs_that_are_left_out_leave_the_covariance_of_the_others():
    first, second = two_by_two()
    kept = np.random.default_rng(0).random(36) < 0.7
    a, b = (ends[kept] for ends in np.triu_indices(9, 1))
    shared = (a[:, None] == a) * 1.0 + (a[:, None] == b) + (b[:, None] == a) + (b[:, None] == b)
    inverse = np.linalg.inv(shared**2)  # 2 with itself, 1 with a pair that shares an item
    x, y = first[:1, kept], second[:1, kept]
    expected = x @ inverse @ y.T / np.sqrt((x @ inverse @ x.T) * (y @ inverse @ y.T))
    found = similarities(x, y, "whitened cosine", (a, b))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@TIED
class TestSimilarities:
    def both(self, tied):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(2, 3, 15))
        return (x.round(), y.round()) if tied else (x, y)

    @pytest.mark.parametrize(
        ("method", "known"),
        [
            ("spearman", lambda x, y: spearmanr(x, y).statistic),
            ("pearson", lambda x, y: pearsonr(x, y).statistic),
            ("cosine", lambda x, y: x @ y / np.linalg.norm(x) / np.linalg.norm(y)),
            ("kendall tau-a", tau_a),
        ],
    )
    def test_they_are_what_they_are_called(self, tied, method, known):
        x, y = self.both(tied)
        expected = [[known(a, b) for b in y] for a in x]
        np.testing.assert_allclose(similarities(x, y, method), expected, atol=1e-12)

    def test_rho_a_is_spearman_with_ties_broken_at_random(self, tied):
        x, y = self.both(tied)
        rng = np.random.default_rng(0)
        broken = (rankdata(v[0] + 1e-6 * rng.normal(size=(4000, 15)), axis=1) for v in (x, y))
        a, b = (ranks - ranks.mean() for ranks in broken)
        found = (a * b).sum(axis=1) / (a**2).sum(axis=1)  # Spearman's, where no ranks tie
        error = np.std(found) / np.sqrt(len(found))
        assert abs(similarities(x, y, "rho-a")[0, 0] - np.mean(found)) < 5 * error + 1e-12

    @pytest.mark.parametrize("method", RDM_SIMILARITIES)
    def test_scale_does_not_count(self, tied, method):
        x, y = self.both(tied)
        np.testing.assert_allclose(
            similarities(4 * x, y, method), similarities(x, y, method), atol=1e-12
        )


@TIED
@pytest.mark.parametrize("method", ["pearson", "cosine", *RANKS])
def test_samples_of_whole_numbers_are_as_similar(tied, method):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3, 30))
    x, y = (x.round(), y.round()) if tied else (x, y)
    for _ in range(5):
        cells = rng.integers(30, size=40)
        np.testing.assert_allclose(
            similarities(coded(x, method)[:, cells], coded(y, method)[:, cells], method),
            similarities(x[:, cells], y[:, cells], method),
            atol=1e-12,
        )


@pytest.mark.parametrize("method", RDM_SIMILARITIES)
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e9 + 0.1])
def test_a_constant_row_is_like_nothing(method, value):
    if method in NOT_CENTRED:
        value = 0.0
    rows = np.full((1, 10), value), np.random.default_rng(0).normal(size=(1, 10))
    assert similarities(*rows, method)[0, 0] == 0


class TestCeiling:
    @pytest.mark.parametrize("method", ["spearman", "pearson", "cosine", "rho-a"])
    def test_no_matrix_is_above_the_upper_bound(self, method):
        told, true = people()
        lower, upper = rs.rdm_noise_ceiling(told, method)[:2]
        assert lower < upper
        rng = np.random.default_rng(0)
        mean = told.mean().dissimilarities
        tried = mean + 0.1 * rng.normal(size=(200, mean.shape[1]))
        tried = np.vstack([tried, true.dissimilarities])
        found = similarities(told.dissimilarities, tried, method).mean(axis=0)
        assert found.max() <= upper + 1e-9

    def test_people_who_see_alike_have_a_ceiling_of_1(self):
        _, true = people()
        same = rs.RDMs(np.repeat(true.dissimilarities, 3, axis=0))
        for method in RDM_SIMILARITIES:
            ceiling = rs.rdm_noise_ceiling(same, method)
            np.testing.assert_allclose([*ceiling[:2], *ceiling.lower_interval], 1)

    def test_intervals_hold_the_mean_of_all_worlds(self):
        """Of 60 worlds 57 (lower) and 58 (upper) hold it; of 25, 20 or fewer in 1 of 100."""
        found = [rs.rdm_noise_ceiling(people(seed, n=8, noise=1.0)[0]) for seed in range(25)]
        for bound in ("lower", "upper"):
            mean = np.mean([getattr(one, bound) for one in found])
            ends = np.array([getattr(one, f"{bound}_interval") for one in found])
            assert ((ends[:, 0] <= mean) & (mean <= ends[:, 1])).sum() > 20

    def test_intervals_are_of_the_jackknife(self):
        told, _ = people(n=7)
        found = rs.rdm_noise_ceiling(told, over=["people"])
        each = [rs.rdm_noise_ceiling(told[np.delete(np.arange(7), g)])[:2] for g in range(7)]
        half = t.ppf(0.975, 6) * np.sqrt(6 * np.var(each, axis=0))
        for bound, ends, width in zip(found[:2], found[2:], half, strict=True):
            np.testing.assert_allclose(ends, [bound - width, bound + width])

    def test_one_level_and_one_unit_are_narrower(self):
        told, _ = people(n=8, noise=1.0)
        whole = np.ptp(rs.rdm_noise_ceiling(told).lower_interval)
        assert np.ptp(rs.rdm_noise_ceiling(told, level=0.5).lower_interval) < whole
        for unit in ("items", "people"):
            assert np.ptp(rs.rdm_noise_ceiling(told, over=[unit]).lower_interval) < 1.2 * whole

    def test_two_people_have_no_interval(self):
        found = rs.rdm_noise_ceiling(people(n=2)[0])
        assert np.isnan([*found.lower_interval, *found.upper_interval]).all()

    @pytest.mark.parametrize("bad", [{"over": ["weather"]}, {"over": []}, {"level": 1.0}])
    def test_settings_out_of_range(self, bad):
        with pytest.raises(SettingError):
            rs.rdm_noise_ceiling(people()[0], **bad)

    def test_one_alone_is_refused(self):
        with pytest.raises(RDMError):
            rs.rdm_noise_ceiling(people()[1])


class TestBootstrap:
    @TIED
    @pytest.mark.parametrize("method", RDM_SIMILARITIES)
    def test_a_sample_has_the_pairs_of_items_drawn_but_of_one_with_itself(self, method, tied):
        rng = np.random.default_rng(0)
        a, b = ends = np.triu_indices(9, 1)
        rows = [np.abs(rng.normal(2, 1, size=(2, 36))) for _ in range(2)]
        rows = [np.round(x) for x in rows] if tied else rows
        for _ in range(10):
            drawn = rng.integers(9, size=9)
            squares = np.zeros((2, 2, 9, 9))
            for square, x in zip(squares, rows, strict=True):
                square[:, a, b] = square[:, b, a] = x
            sample = squares[:, :, drawn][:, :, :, drawn][:, :, a, b]
            kept = drawn[a] != drawn[b]
            expected = similarities(*sample[:, :, kept], method, (a[kept], b[kept]))
            found = in_samples(*(coded(x, method) for x in rows), method, [drawn, drawn], ends)[1]
            np.testing.assert_allclose(found, expected, atol=1e-10)

    @pytest.mark.parametrize("method", RDM_SIMILARITIES)
    def test_the_estimate_is_the_mean_over_people(self, method):
        told, true = people(n=4, n_items=6)
        found = rs.compare_rdms(told, true, method, n_resamples=100, random_state=0)
        each = similarities(told.dissimilarities, true.dissimilarities, method)
        np.testing.assert_allclose(found.table["estimate"], each.mean(axis=0))
        assert found.ceiling == rs.rdm_noise_ceiling(told, method)

    def test_people_alone_have_the_standard_error_of_a_mean(self):
        told, true = people(n=12)
        found = rs.compare_rdms(told, true, over=["people"], n_resamples=20000, random_state=0)
        each = similarities(told.dissimilarities, true.dissimilarities, "spearman")[:, 0]
        expected = each.std(ddof=1) / np.sqrt(12)
        np.testing.assert_allclose(found.table["standard_error"][0], expected, rtol=0.05)

    def test_both_are_no_surer_than_people_or_items_alone(self):
        told, true = people(noise=1.0)
        errors = [
            rs.compare_rdms(told, true, over=over, n_resamples=500, random_state=0).table[
                "standard_error"
            ][0]
            for over in (["items", "people"], ["items"], ["people"])
        ]
        assert errors[0] >= max(errors[1:]) * 0.9

    def test_order_of_items_and_names_change_nothing(self):
        told, true = people()
        order = np.random.default_rng(1).permutation(10)
        turned = true.of_items([true.items.names[i] for i in order])
        one = rs.compare_rdms(told, true, n_resamples=100, random_state=3)
        two = rs.compare_rdms(told, turned, n_resamples=100, random_state=3)
        for column in ("estimate", "standard_error", "low", "high"):
            np.testing.assert_allclose(one.table[column], two.table[column], atol=1e-12)

    def test_a_model_does_not_differ_from_itself(self):
        told, true = people()
        twice = rs.RDMs(np.repeat(true.dissimilarities, 2, axis=0), names=["a", "b"])
        row = rs.compare_rdms(told, twice, n_resamples=100, random_state=0).differences.iloc[0]
        assert (row["model_a"], row["model_b"]) == ("a", "b")
        np.testing.assert_allclose(
            row[["difference", "standard_error", "low", "high"]].astype(float), 0, atol=1e-12
        )

    def test_one_matrix_is_compared_over_items(self):
        told, true = people()
        found = rs.compare_rdms(told["p0"], true, n_resamples=100, random_state=0)
        assert found.over == ("items",)
        assert found.ceiling is None
        assert found.table["standard_error"][0] > 0
        assert len(found.differences) == 0

    def test_a_model_that_says_nothing_of_some_items_is_compared(self):
        told, _ = people(n_items=5)
        square = np.zeros((5, 5))
        square[0, 1:] = square[1:, 0] = 1
        one_of_five = rs.RDMs.from_squares(square)
        found = rs.compare_rdms(told, one_of_five, "rho-a", n_resamples=300, random_state=0)
        assert np.isfinite(found.table.drop(columns="model").to_numpy(float)).all()

    def test_a_seed_gives_one_result(self):
        told, true = people()
        one, two = (rs.compare_rdms(told, true, n_resamples=100, random_state=4) for _ in range(2))
        assert one.table.equals(two.table)


class TestRefused:
    @pytest.mark.parametrize(
        ("settings", "setting"),
        [
            ({"method": "spearmann"}, "method"),
            ({"over": []}, "over"),
            ({"over": ["stimuli"]}, "over"),
            ({"n_resamples": 10}, "n_resamples"),
            ({"level": 1.0}, "level"),
        ],
    )
    def test_settings(self, settings, setting):
        told, true = people()
        with pytest.raises(SettingError) as raised:
            rs.compare_rdms(told, true, **settings)
        assert raised.value.setting == setting

    def test_people_of_one(self):
        told, true = people()
        with pytest.raises(SettingError) as raised:
            rs.compare_rdms(told["p0"], true, over=["people"])
        assert raised.value.setting == "over"

    def test_other_items_are_named(self):
        told, _ = people()
        other = rs.RDMs(told.dissimilarities[:1], [*map(str, range(9)), "new"])
        with pytest.raises(RDMError, match="9"):
            rs.compare_rdms(told, other)
        more = rs.rdm(np.random.default_rng(0).normal(size=(11, 2)))
        with pytest.raises(RDMError, match="10"):
            rs.compare_rdms(told, more)

    def test_constant_matrices_are_named(self):
        told, _ = people()
        flat = rs.RDMs(np.ones((1, 45)), names=["flat"])
        with pytest.raises(RDMError, match="flat"):
            rs.compare_rdms(told, flat)
        assert np.isfinite(rs.compare_rdms(told, flat, "cosine").table["estimate"][0])

    def test_too_few_items(self):
        few = rs.RDMs([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
        with pytest.raises(RDMError):
            rs.compare_rdms(few, few[0])
        assert len(rs.compare_rdms(few, few[0], over=["people"], n_resamples=100).table) == 1


def parts_of(whole, n_people, n_kept, noise=0.0, shift=0.0, seed=0):
    """Let people see some of the items each, in units of their own."""
    rng = np.random.default_rng(seed)
    n_items = whole.shape[0]
    rows = np.full((n_people, *whole.shape), np.nan)
    for row in rows:
        kept = rng.choice(n_items, n_kept, replace=False)
        seen = np.ix_(kept, kept)
        own = whole[seen] * rng.uniform(0.3, 3.0) + shift * rng.uniform(0.0, 2.0)
        wrong = np.triu(rng.normal(0, noise * own.std(), own.shape), 1)
        row[seen] = own + wrong + wrong.T
    return rows[:, *np.triu_indices(n_items, 1)]


@pytest.mark.parametrize("method", ["spearman", "pearson", "cosine", "rho-a", "whitened cosine"])
def test_exact_parts_of_one_matrix_leave_no_noise(method):
    """Whoever saw which items, and in whatever units: the true model explains everything."""
    whole = squareform(pdist(np.random.default_rng(3).normal(size=(16, 3))))
    shift = 0.0 if "cosine" in method else 1.0
    ceiling = rs.rdm_noise_ceiling(rs.RDMs(parts_of(whole, 14, 7, shift=shift)), method)
    assert ceiling.lower == pytest.approx(1.0, abs=1e-6)
    assert ceiling.upper == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("method", ["spearman", "pearson", "cosine"])
def test_the_true_matrix_lies_in_the_ceiling_of_parts_with_noise(method):
    whole = squareform(pdist(np.random.default_rng(4).normal(size=(16, 3))))
    truth = rs.RDMs(whole[np.triu_indices(16, 1)][None])
    found = []
    for seed in range(8):
        people = rs.RDMs(parts_of(whole, 12, 10, noise=0.4, seed=seed))
        ceiling = rs.rdm_noise_ceiling(people, method, over=["people"])
        alike = similarities(people.dissimilarities, truth.dissimilarities, method).mean()
        found.append((ceiling.lower, alike, ceiling.upper))
    lower, alike, upper = np.mean(found, axis=0)
    assert lower < alike < upper
    assert upper - lower < 0.12


@pytest.mark.parametrize("method", ["spearman", "kendall tau-b", "rho-a"])
def test_mean_ranks_of_parts_keep_ties(method):
    """Three people with the same ties, of whom each lacks a pair: no rounding takes ties apart."""
    row = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 1.0]) / 3.0
    people = np.tile(row, (3, 1)) * [[1.0], [0.1], [0.7]]
    people[0, 1] = people[1, 5] = people[2, 9] = np.nan
    ceiling = rs.rdm_noise_ceiling(rs.RDMs(people), method)
    itself = [similarities(p[None], row[None], method)[0, 0] for p in people]
    assert ceiling.upper == pytest.approx(np.mean(itself), abs=1e-12)


@pytest.mark.parametrize("method", ["spearman", "pearson", "cosine", "whitened pearson"])
def test_intervals_of_similarities_end_at_1(method):
    rng = np.random.default_rng(0)
    model = rs.rdm(rng.normal(size=(8, 2)))
    people = rs.RDMs(model.dissimilarities + rng.normal(0, 0.25, (4, 28)))
    result = rs.compare_rdms(people, model, method, n_resamples=100, random_state=0)
    ceiling = result.ceiling
    ends = [
        *result.table[["low", "high"]].iloc[0],
        *ceiling.lower_interval,
        *ceiling.upper_interval,
    ]
    assert min(ends) >= -1.0
    assert max(ends) <= 1.0
    assert result.table["high"][0] > result.table["estimate"][0]


def test_a_known_similarity_of_whole_matrices_and_of_samples_of_their_items():
    x, y, ends = np.array([[0, 1, 2]]), np.array([[0, 2, 1]]), np.triu_indices(3, 1)
    np.testing.assert_allclose(similarities(x, y, "spearman"), 0.5)
    times = np.array([[1, 1, 1], [2, 1, 1]])
    found = sampled_similarities(x, y, "spearman", times, ends).ravel()
    np.testing.assert_allclose(found, [0.5, 2 / 3])
    assert samples_at_once(3, 780) == 16
    assert samples_at_once(100, 1854 * 1853 // 2) == 1


def test_parts_of_one_matrix_in_other_units_are_brought_to_one_scale():
    rows = np.array([[1.0, 2.0, 4.0, np.nan], [np.nan, 4.0, 8.0, 12.0]])
    one, two = rescaled(rows, centred=False)
    np.testing.assert_allclose(one[1:3], two[1:3])
    rows = np.array([[1.0, np.nan, np.nan, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    assert apart(rows).tolist() == [True, False, False]
