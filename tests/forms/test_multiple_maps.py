"""Several maps: distances against plain loops, gradients against finite differences."""

import numpy as np
import pytest

import naive
import resemblance as rs
from resemblance.choice import Relative, Softmax, StudentT
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import READS, Coordinates, SeveralMaps

N = 7
MODELS = [(Softmax(), None), (StudentT(1.0), 1.0), (StudentT(2.5), 2.5), (Relative(0.3), 0.3)]
SPLIT = np.arange(N) % 2 == 0


def made(choice, d, n_maps=2, extent=None, split=SPLIT):
    rng = np.random.default_rng(d)
    form = SeveralMaps(Coordinates(extent=extent), n_maps, choice, 0.4, split)
    return form, rng.normal(size=(N, n_maps * (d + 1)))


def asked(kind):
    rng = np.random.default_rng(3)
    rows = np.array([rng.choice(N, 4, replace=False) for _ in range(40)])
    if kind == "triplets":
        return rs.Triplets(rows[:, :3], N, weight=rng.uniform(0.5, 2.0, 40))
    if kind == "quadruplets":
        return rs.Quadruplets(rows, N)
    return rs.Choices(rows[:, 0], rows[:, 1:], rows[:, 1], items=N)


@pytest.mark.parametrize(("choice", "p"), MODELS, ids=repr)
@pytest.mark.parametrize("d", [1, 3])
def test_distances_are_those_of_the_summed_similarity(choice, p, d):
    form, params = made(choice, d, 3, split=np.ones(N, bool))
    a, b = (np.array(x, dtype=np.int32) for x in np.triu_indices(N, 1))
    out = np.empty(len(a))
    form.distances(form.expand(params), a, b, READS["squared"], out)
    maps, logs = form.parts(params)
    name = type(choice).__name__
    expected = [
        naive.distance_in_maps(name, p, maps, logs, i, j) for i, j in zip(a, b, strict=True)
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-9)


@pytest.mark.parametrize("choice", [model for model, _ in MODELS], ids=repr)
@pytest.mark.parametrize("kind", ["triplets", "quadruplets", "choices"])
@pytest.mark.parametrize("extent", [None, 0.5])
def test_the_gradient_is_that_of_the_loss(choice, kind, extent):
    form, params = made(choice, 2, 3, extent)
    objective = Objective(batches(asked(kind)), choice, form, 1.0)
    expected = naive.derivative(lambda x: objective(x.reshape(params.shape))[0], params.ravel())
    np.testing.assert_allclose(objective(params)[1].ravel(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("choice", [model for model, _ in MODELS], ids=repr)
def test_items_with_one_place_have_the_distances_of_one_map(choice):
    form, _ = made(choice, 2, split=np.zeros(N, bool))
    X, data = np.random.default_rng(1).normal(size=(N, 2)), batches(asked("triplets"))
    of_one = Objective(data, choice, Coordinates(), 0.4)(X)[0]
    several = Objective(data, choice, form, 1.0)
    # equal weights divide all similarities by the number of maps, which changes no probability
    assert several(form.start(X))[0] == pytest.approx(of_one, rel=1e-9)
    moved = form.start(X) + np.random.default_rng(2).normal(size=(N, 6)) * [0, 0, 0, 0, 1, 1]
    assert several(moved)[0] == pytest.approx(several(form.start(X))[0], rel=1e-12)
