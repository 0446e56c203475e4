"""Alignment without names: what it finds, what it does not tell, what it refuses."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import RDMError, SettingError

pytest.importorskip("ot")
CLOUD = np.random.default_rng(0).normal(size=(8, 2)) + np.arange(8)[:, None] ** 2 * [0.2, 0.0]
QUICK = {"n_starts": 15, "n_draws": 19}


def align(one, other, **settings):
    return rs.unsupervised_alignment(one, other, **QUICK | settings)


def distances(points):
    square = rs.rdm(points).squares()[0]
    return square / np.sqrt((square**2).mean())


@pytest.fixture(scope="module")
def shuffled():
    """A turned, larger copy in another order: item i is at place order.index(i)."""
    order = np.random.default_rng(1).permutation(8)
    turned = 3.0 * CLOUD[order] @ [[0.6, -0.8], [0.8, 0.6]] + 7.0
    return rs.rdm(turned, items=[f"item {k}" for k in order]), order


@pytest.fixture(scope="module")
def found(shuffled):
    named = rs.rdm(CLOUD, items=[f"item {k}" for k in range(8)])
    return align(named, shuffled[0], n_starts=40)  # of 15, 5 or more did as well, in 40 seeds


def test_the_same_structure_is_matched(found, shuffled):
    assert found.distance == pytest.approx(0.0, abs=1e-6)
    assert shuffled[1][found.matches].tolist() == list(range(8))
    assert (found.verdict, found.p_value, found.sure.all()) == ("matched", 0.05, True)
    assert found.matching_rate(1) == 1.0
    assert found.to_pandas()["match"].tolist() == list(found.items)


def test_the_distance_is_the_least_over_all_matches():
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=(2, 5, 2))
    a, b = distances(one), distances(other)
    least = min(
        np.sqrt(((a - b[np.ix_(order, order)]) ** 2).mean())
        for order in map(list, permutations(range(5)))
    )
    assert align(one, other).distance == pytest.approx(least)


def test_numbers_of_items_may_differ():
    aligned = align(CLOUD, CLOUD[:6])
    np.testing.assert_allclose(aligned.plan.sum(axis=1), 1 / 8)
    np.testing.assert_allclose(aligned.plan.sum(axis=0), 1 / 6)
    np.testing.assert_allclose(aligned.agreement.sum(axis=1), 1.0)


ANGLES, HALF = np.arange(10) * np.pi / 5, CLOUD[:5] - CLOUD[:5].mean(axis=0) + [9.0, 0.0]
SYMMETRIC = {
    "ring": np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]),
    "two alike clusters": np.vstack([HALF, -HALF]),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_what_is_symmetric_is_ambiguous(name):
    rng, points = np.random.default_rng(3), SYMMETRIC[name]
    aligned = align(points, points + 0.01 * rng.normal(size=points.shape), n_starts=30)
    assert aligned.verdict == "ambiguous"
    assert aligned.p_value == 0.05
    assert not aligned.sure.any()


def test_no_match_is_sure_where_structures_may_agree_by_chance(found):
    by_chance, few = replace(found, p_value=0.06), replace(found, n_near=4)
    assert (by_chance.verdict, few.verdict) == ("not told", "unknown")
    assert not by_chance.sure.any()
    assert not few.sure.any()


def test_partners_that_are_as_likely_share_their_place(found):
    even = replace(found, agreement=np.full((8, 8), 1 / 8))
    assert (even.matching_rate(2), even.matching_rate(8)) == (0.25, 1.0)


def test_a_fitted_model_is_taken_as_its_distances():
    rows = np.array(
        [[a, b, c] for a in range(6) for b in range(6) for c in range(b) if a not in (b, c)]
    )
    model = rs.STE(n_init=1, random_state=0).fit(rs.SpaceObserver(CLOUD[:6]).answer(rows))
    told = []
    one = align(model, CLOUD, callback=lambda done, n: told.append((done, n)))
    other = align(rs.rdm(model), CLOUD)
    assert np.array_equal(one.agreement, other.agreement)  # one seed gives one result
    assert told[-1] == (110, 110)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (CLOUD[:3], "other has 3 items"),
        (rs.RDMs(np.ones(6)), "all dissimilarities of other are the same"),
        (rs.RDMs([1.0, 2, 3, np.nan, 5, 6], list("abcd")), "'b' and 'c'"),
        (rs.RDMs([1.0, 2, -3, 4, 5, 6], list("abcd")), "'a' and 'd'"),
        (rs.RDMs(np.arange(12.0).reshape(2, 6)), "2 matrices"),
    ],
)
def test_what_has_no_structure_is_refused(other, words):
    with pytest.raises(RDMError, match=words):
        align(CLOUD, other)


@pytest.mark.parametrize(
    ("points", "settings", "words"),
    [
        ([[0.0], [1.0], [np.nan], [2.0]], {}, "one has NaN or infinity in row 2"),
        ([0.0, 1.0, 2.0, 3.0], {}, "shape"),
        (CLOUD, {"n_starts": 4}, "n_starts is 4"),
        (CLOUD, {"n_draws": 18}, "n_draws is 18"),
    ],
)
def test_settings_and_positions_that_are_wrong_are_refused(points, settings, words):
    with pytest.raises(SettingError, match=words):
        align(points, CLOUD, **settings)


def test_names_are_asked_for_where_matches_are_checked(found):
    with pytest.raises(RDMError, match="same name"):
        replace(found, others=tuple("abcdefgh")).matching_rate()
    with pytest.raises(SettingError, match="k is 9"):
        found.matching_rate(9)
