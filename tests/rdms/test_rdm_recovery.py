"""Can people's RDMs tell models apart? Who is found, and what is refused."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import RDMError, SettingError

N = 12
TRIANGLE = N * (N - 1) // 2


def models(seed=0, far=1.0):
    """Three spaces of the same items: each as far from a common one."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(N, 3))
    spaces = [base + far * rng.normal(size=base.shape) for _ in range(3)]
    return rs.RDMs(
        [rs.rdm(one).dissimilarities[0] for one in spaces], names=["one", "two", "three"]
    )


def people(of, noise, n=10, seed=1):
    return rs.RDMs(of + noise * of.std() * np.random.default_rng(seed).normal(size=(n, len(of))))


@pytest.mark.parametrize("method", ["spearman", "cosine"])
def test_the_model_that_people_see_by_is_told(method):
    of = models()
    told = people(np.sqrt(of.dissimilarities[1]), noise=0.5)  # another scale of the same order
    found = rs.rdm_recovery(told, of, method, n_simulations=80)
    assert (found.best, found.verdict) == ("two", "told")
    assert found.rivals == ()
    assert found.p_values[1] == 1
    np.testing.assert_allclose(found.confusion.sum(axis=1), 1)
    table = rs.compare_rdms(told, of, method, n_resamples=100).table
    np.testing.assert_allclose(found.estimates, table["estimate"])
    assert found.to_pandas().index[0] == "two"


def test_twins_are_not_told():
    of = models()
    twins = rs.RDMs(of.dissimilarities[[0, 0]], names=["one", "twin"])
    found = rs.rdm_recovery(people(of.dissimilarities[0], 0.5), twins, n_simulations=20)
    assert found.verdict == "not told"
    np.testing.assert_allclose(found.confusion, 0.5)


def test_noise_tells_nothing():
    of = models(far=0.02)
    told = people(of.dissimilarities[0], noise=50.0, n=5)
    found = rs.rdm_recovery(told, of, n_simulations=200)
    assert found.verdict == "not told"
    assert found.confusion.diagonal().max() < 0.75  # .43 +- .05 in 60 worlds


def test_what_cannot_be_simulated_is_refused():
    of = models()
    told = people(of.dissimilarities[0], 0.5)
    with pytest.raises(RDMError, match="4"):
        rs.rdm_recovery(told[:3], of)
    with pytest.raises(SettingError):
        rs.rdm_recovery(told, of[:1])
    gaps = told.dissimilarities.copy()
    gaps[2, 5] = np.nan
    with pytest.raises(RDMError, match="'2'"):
        rs.rdm_recovery(rs.RDMs(gaps), of)


def test_it_stands_beside_a_comparison_where_it_is_asked_for():
    of, calls = models(), []
    told = people(of.dissimilarities[1], 0.5)
    settings = {"n_resamples": 100, "over": "people", "random_state": 0}
    found = rs.compare_rdms(
        told, of, n_simulations=3, callback=lambda *at: calls.append(at), **settings
    )
    alone = rs.rdm_recovery(told, of, n_simulations=3)
    np.testing.assert_array_equal(found.recovery.confusion, alone.confusion)
    assert calls == [(k, 9 + len(told)) for k in range(1, 10 + len(told))]
    assert found.to_pandas()["p_value"].tolist() == alone.p_values.tolist()
    assert alone.sentence in found._repr_html_()
    without = rs.compare_rdms(told, of, **settings)
    assert (without.recovery, "p_value" in without.to_pandas()) == (None, False)
    assert "told apart" in without._repr_html_()
    assert without.table.equals(found.table)
    with pytest.raises(SettingError):
        rs.compare_rdms(told, of, n_simulations=-1)
    with pytest.raises(SettingError):
        rs.compare_rdms(told, of[:1], n_simulations=3)
