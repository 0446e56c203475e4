"""Maps that are monotone in a feature, or one-to-one."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import KernelMap, LinearMap, ShapedMap

RNG = np.random.default_rng(0)
LINE = np.linspace(-1, 1, 9)[:, None]
SIDE = np.linspace(-1, 1, 4)
GRID = np.array([(a, b) for a in SIDE for b in SIDE])


def counts(X, seen, trials, seed=0):
    person = rs.SpaceObserver(seen, rs.choice.Gaussian(), random_state=seed)
    pairs = np.column_stack(np.triu_indices(len(X), 1))
    return person.confuse(pairs, trials, rs.Items(features=X))


@pytest.mark.parametrize("one_to_one", [False, True])
def test_the_gradient_of_the_penalty(one_to_one):
    base = KernelMap(bandwidth=0.8)
    form = ShapedMap(base, [1], one_to_one, strength=3.0).bound(GRID, 0.2)
    objective = Objective(batches(counts(GRID, GRID, 20)), rs.choice.Gaussian(), form, 0.2)
    params = form.start(GRID @ [[0.3, 1.0], [1.0, -0.5]])
    _, gradient = objective(params)
    for _ in range(4):
        step = RNG.normal(size=params.shape)
        rise = objective(params + 1e-6 * step)[0] - objective(params - 1e-6 * step)[0]
        assert rise / 2e-6 == pytest.approx(np.vdot(gradient, step), rel=1e-4)


def test_noise_that_folds_a_map_does_not_fold_a_monotone_one():
    data = counts(LINE, np.tanh(3 * LINE), 8, seed=3)
    settings = {"bandwidth": 0.25, "penalty": 1e-3, "max_iter": 3000}
    free, kept = (rs.Yada(1, **settings, monotone=m).fit(data) for m in ((), [0]))
    x = np.linspace(-1, 1, 300)[:, None]
    rises = np.diff(free.transform(x).ravel()) > 0
    assert rises.any()
    assert not rises.all()
    assert (np.diff(kept.transform(x).ravel()) > 0).all()
    assert kept.form_.least_slope(kept.components_) > 0
    assert kept.loss_ >= free.loss_ - 1e-3


def test_a_one_to_one_map_takes_no_two_stimuli_to_one_point():
    seen = np.column_stack([GRID[:, 0], GRID[:, 1] ** 2])  # people fold the second feature
    data = counts(GRID, 1.5 * seen, 40)
    settings = {"bandwidth": 0.7, "penalty": 1e-2, "max_iter": 800}
    free, kept = (rs.Yada(2, **settings, one_to_one=o).fit(data) for o in (False, True))
    assert kept.form_.least_slope(kept.components_) > 0
    assert max(len(s) for s in kept.preimages(kept.embedding_[::5]).solutions) == 1
    assert max(len(s) for s in free.preimages(free.embedding_[::5]).solutions) > 1


def test_a_true_monotone_map_is_found_with_the_shape_as_without():
    data = counts(LINE, np.exp(LINE), 5000)
    free, kept = (rs.Yada(1, penalty=1e-5, monotone=m).fit(data) for m in ((), [0]))
    assert kept.score(data) == pytest.approx(free.score(data), abs=1e-4)


def test_bad_shapes_are_refused():
    data = counts(GRID, GRID, 5)
    with pytest.raises(SettingError, match="features are 0 to 1"):
        rs.Yada(2, monotone=[2]).fit(data)
    with pytest.raises(SettingError, match="the space has 1 dimensions"):
        rs.Yada(1, monotone=[1]).fit(data)
    with pytest.raises(SettingError, match="above 0: give a small one"):
        rs.Yada(2, penalty=0.0, monotone=[0]).fit(data)
    with pytest.raises(SettingError, match="say which"):
        rs.STE(2, form=ShapedMap(LinearMap())).fit(
            rs.Triplets([[0, 1, 2]], rs.Items(features=GRID))
        )
