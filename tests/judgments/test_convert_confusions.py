import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import fisher_exact, rankdata

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import (
    Confusions,
    Items,
    pair_ranks_from_confusions,
    quadruplets_from_confusions,
    similar_from_confusions,
    triplets_from_confusions,
)
from resemblance.judgments.convert import fisher_exact as fisher_exact_of_many

LEVELS = [None, 0.05, 0.4]
CONVERSIONS = {
    "ranks": pair_ranks_from_confusions,
    "triplets": triplets_from_confusions,
    "triplets at a level": lambda c: triplets_from_confusions(c, level=0.3),
    "quadruplets": quadruplets_from_confusions,
    "similar": lambda c: similar_from_confusions(c, 0.3),
}


@pytest.fixture
def counts():
    """Counts of most pairs of nine items, with ties among their ratios."""
    rng = np.random.default_rng(5)
    pairs = rng.permutation(np.argwhere(np.triu(np.ones((9, 9)), 1)))[:30]
    trials = rng.choice([6, 12, 30], len(pairs))
    return Confusions(pairs, rng.binomial(trials, rng.random(len(pairs)) / 2), trials, items=10)


def decided(counts, r, s, level):
    """Whether row r is more confused than row s, straight from the definition."""
    (a, m), (b, n) = ((int(counts.errors[i]), int(counts.trials[i])) for i in (r, s))
    if Fraction(a, m) <= Fraction(b, n):
        return False
    return level is None or fisher_exact([[a, m - a], [b, n - b]]).pvalue <= level


def said(judgments):
    """What judgments say in the names of items, the order within a pair left out."""
    index = np.array(judgments.items.names)[judgments.index]
    measures = zip(*(getattr(judgments, name).tolist() for name in judgments.measures))  # noqa: B905
    if judgments.shape[1] == 3:
        rows = map(tuple, index.tolist())
    else:
        rows = (tuple(map(frozenset, zip(r[::2], r[1::2], strict=True))) for r in index.tolist())
    rows = list(rows)
    return sorted(
        zip(rows, list(measures) or [()] * len(rows), strict=True),
        key=lambda row: (str([sorted(part) for part in row[0]]), row[1]),
    )


@pytest.mark.parametrize("level", LEVELS)
def test_triplets_match_plain_loops(counts, level):
    expected = set()
    for r, s in itertools.permutations(range(len(counts)), 2):
        for head in set(counts.index[r]) & set(counts.index[s]):
            if decided(counts, r, s, level):
                near, far = (sum(counts.index[i]) - head for i in (r, s))
                expected.add((head, near, far))
    triplets = triplets_from_confusions(counts, level)
    assert {tuple(row) for row in triplets.index} == expected
    assert len(triplets) == len(expected)
    assert triplets.items is counts.items
    assert (np.diff(triplets.index[:, 0]) >= 0).all()


@pytest.mark.parametrize("level", LEVELS)
def test_quadruplets_match_plain_loops(counts, level):
    expected = {
        (*counts.index[r], *counts.index[s])
        for r, s in itertools.permutations(range(len(counts)), 2)
        if decided(counts, r, s, level)
    }
    quadruplets = quadruplets_from_confusions(counts, level)
    assert {tuple(row) for row in quadruplets.index} == expected
    assert len(quadruplets) == len(expected)


def test_the_most_confused_pair_ranks_first(counts):
    ranks = pair_ranks_from_confusions(counts)
    assert ranks.ranks[counts.ratio.argmax()] == ranks.ranks.min()
    np.testing.assert_array_equal(ranks.ranks, rankdata(-counts.ratio))
    assert len(np.unique(ranks.ranks)) < len(ranks)
    np.testing.assert_array_equal(ranks.index, counts.index)


def test_a_ratio_at_the_threshold_is_not_similar(counts):
    for threshold in (0, 1 / 6, 0.5, 1):
        similar = similar_from_confusions(counts, threshold).similar
        expected = [
            Fraction(int(a), int(n)) > Fraction(threshold).limit_denominator(100)
            for a, n in zip(counts.errors, counts.trials, strict=True)
        ]
        assert similar.tolist() == expected


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
def test_relabelled_items_and_shuffled_rows_say_the_same(counts, convert):
    rng = np.random.default_rng(2)
    moved, rows = rng.permutation(10), rng.permutation(len(counts))
    names = np.empty(10, dtype=object)
    names[moved] = counts.items.names
    flipped = moved[counts.index[rows]][:, ::-1]
    other = Confusions(flipped, counts.errors[rows], counts.trials[rows], Items(names))
    assert said(convert(other)) == said(convert(counts))


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
def test_rows_of_several_people_are_pooled_first(counts, convert):
    part = counts.errors // 2
    apart = Confusions(
        np.vstack([counts.index, counts.index]),
        np.hstack([part, counts.errors - part]),
        np.hstack([counts.trials - counts.trials // 2, counts.trials // 2]),
        counts.items,
        observer=np.repeat(["ann", "bob"], len(counts)),
    )
    assert said(convert(apart)) == said(convert(counts))


def test_what_decides_nothing_is_refused():
    with pytest.raises(JudgmentError, match=r"no two pairs that share an item .*add pairs"):
        triplets_from_confusions(Confusions([[0, 1], [2, 3]], [1, 2], 9))
    with pytest.raises(JudgmentError, match="no two pairs have different ratios: add pairs"):
        quadruplets_from_confusions(Confusions([[0, 1], [2, 3]], [1, 2], [5, 10]))


@pytest.mark.parametrize("level", [0, -0.1, 1.5, float("nan")])
def test_levels_out_of_range_are_refused(counts, level):
    with pytest.raises(SettingError, match="level is"):
        triplets_from_confusions(counts, level)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_thresholds_out_of_range_are_refused(counts, threshold):
    with pytest.raises(SettingError, match="threshold is"):
        similar_from_confusions(counts, threshold)


def test_fishers_test_matches_scipy(monkeypatch):
    monkeypatch.setattr("resemblance.judgments.convert.CELLS", 500)  # several chunks
    rng = np.random.default_rng(0)
    m, n = rng.integers(1, 40, (2, 300))
    n[:100] = m[:100]  # tables with equally likely ones at the other end
    a, b = rng.binomial(m, rng.random(300)), rng.binomial(n, rng.random(300))
    expected = [
        fisher_exact([[i, k - i], [j, l - j]]).pvalue for i, k, j, l in zip(a, m, b, n, strict=True)
    ]
    np.testing.assert_allclose(fisher_exact_of_many(a, m, b, n), expected, rtol=1e-9)
    assert fisher_exact_of_many(*np.empty((4, 0), dtype=int)).shape == (0,)


def test_couples_of_pairs_can_be_drawn():
    pairs = np.column_stack(np.triu_indices(9, 1))
    counts = Confusions(pairs, np.random.default_rng(0).permutation(len(pairs)), 99)
    every = {tuple(row) for row in quadruplets_from_confusions(counts).index}
    most = len(pairs) * (len(pairs) - 1) // 2
    assert len(every) == most
    drawn = quadruplets_from_confusions(counts, n_compared=100, random_state=0)
    assert len({tuple(row) for row in drawn.index}) == 100
    assert {tuple(row) for row in drawn.index} < every
    again = quadruplets_from_confusions(counts, n_compared=most)
    assert {tuple(row) for row in again.index} == every


def test_too_many_couples_are_refused_before_they_are_made():
    pairs = np.column_stack(np.triu_indices(120, 1))
    counts = Confusions(pairs, np.arange(len(pairs)), 10_000)
    with pytest.raises(SettingError, match="25486230 couples to compare: say how many"):
        quadruplets_from_confusions(counts)
    with pytest.raises(SettingError, match="n_compared is 0"):
        quadruplets_from_confusions(counts, n_compared=0)
    with pytest.raises(SettingError, match="n_compared is 2"):
        quadruplets_from_confusions(counts, n_compared=2.5)
    assert len(quadruplets_from_confusions(counts, n_compared=50, random_state=1)) == 50


@pytest.mark.parametrize(
    "convert",
    [
        rs.judgments.pair_ranks_from_confusions,
        rs.judgments.triplets_from_confusions,
        rs.judgments.quadruplets_from_confusions,
        lambda told: rs.judgments.similar_from_confusions(told, 0.5),
        lambda told: rs.fitting.calibrate_scale([[0.0], [1.0], [2.0]], told),
        lambda told: rs.judgments.choices_from_triplets(told.index),
    ],
)
def test_what_is_converted_is_of_its_kind(convert):
    with pytest.raises(JudgmentError):
        convert(rs.Triplets([[0, 1, 2]]))
