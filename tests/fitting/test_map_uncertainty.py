"""Uncertainty of a map: against the spread of refits, and under rotations."""

import copy

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting import MapUncertainty

X = np.linspace(-1, 1, 8)[:, None]
PAIRS = np.column_stack(np.triu_indices(8, 1))


def counts(seed, trials=400):
    d = np.abs(np.exp(X[PAIRS[:, 0]]) - np.exp(X[PAIRS[:, 1]])).ravel()
    errors = np.random.default_rng(seed).binomial(trials, 0.5 * np.exp(-(d**2)))
    return rs.Confusions(PAIRS, errors, trials, rs.Items(features=X))


def test_standard_errors_are_the_spread_of_refits():
    at = np.linspace(-1, 1, 5)[:, None]
    maps = [rs.Yada(1, penalty=0.01, tol=1e-9).fit(counts(seed)) for seed in range(40)]
    places = np.array([m.transform(at).ravel() * np.sign(m.components_.sum()) for m in maps])
    places = np.array([p if p[-1] > p[0] else -p for p in places])
    said = MapUncertainty(maps[0], counts(0)).standard_errors(at).ravel()
    np.testing.assert_allclose(said, places.std(axis=0), rtol=0.5)
    assert said.mean() == pytest.approx(places.std(axis=0).mean(), rel=0.25)


@pytest.mark.parametrize("choice", ["gaussian", "exponential"])
def test_information_is_that_of_finite_differences(choice):
    data = counts(0)
    model = rs.Yada(2, choice=choice, random_state=0).fit(data)
    belief = MapUncertainty(model, data)
    B, design = model.components_, model.form_.design

    def p(B):
        Z = design @ B
        d = np.linalg.norm(Z[PAIRS[:, 0]] - Z[PAIRS[:, 1]], axis=1)
        return model.choice_.error_probability(d if choice == "exponential" else d**2)

    slopes = np.empty((len(PAIRS), B.size))
    for k in range(B.size):
        step = np.zeros(B.size)
        step[k] = 1e-6
        slopes[:, k] = (p(B + step.reshape(B.shape)) - p(B - step.reshape(B.shape))) / 2e-6
    J = slopes * np.sqrt(7 / (p(B) * (1 - p(B))))[:, None]
    np.testing.assert_allclose(np.abs(belief.information_rows(PAIRS, 7)), np.abs(J), atol=1e-5)


def test_how_sure_a_place_is_does_not_change_as_the_space_turns():
    rng = np.random.default_rng(3)
    features = 0.4 * rng.normal(size=(9, 2))
    pairs = np.column_stack(np.triu_indices(9, 1))
    d = np.linalg.norm(features[pairs[:, 0]] - features[pairs[:, 1]], axis=1)
    errors = rng.binomial(200, 0.5 * np.exp(-(d**2)))
    data = rs.Confusions(pairs, errors, 200, rs.Items(features=features))
    model = rs.Yada(2, penalty=0.01, random_state=0).fit(data)
    turned = copy.deepcopy(model)
    turned.components_ = model.components_ @ [[0.6, -0.8], [0.8, 0.6]]
    before, after = (MapUncertainty(one, data).standard_errors(features) for one in (model, turned))
    np.testing.assert_allclose((after**2).sum(axis=1), (before**2).sum(axis=1), rtol=1e-6)


def test_what_has_no_map_is_refused():
    with pytest.raises(SettingError, match="no map of features"):
        MapUncertainty(rs.TSTE(1).fit(counts(0)), counts(0)).standard_errors([[0.0]])
    with pytest.raises(SettingError, match="takes Confusions"):
        MapUncertainty(rs.Yada(1).fit(counts(0)), rs.Triplets([[0, 1, 2]]))
