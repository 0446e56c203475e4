"""The form of several kernels: its start, its metrics, and fits with softer choice models."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.forms import MultiKernelMap

N = 30
RNG = np.random.default_rng(0)
SPACE = RNG.normal(size=(N, 2))
VIEWS = {"seen": SPACE, "noise": RNG.normal(size=(N, 3))}


def test_one_kernel_is_a_kernel_map():
    one = MultiKernelMap("rbf", bandwidth=0.8).bound(SPACE, 0.1)
    other = rs.forms.KernelMap("rbf", bandwidth=0.8).bound(SPACE, 0.1)
    np.testing.assert_allclose(one.design, other.design)
    np.testing.assert_allclose(one.start(SPACE), other.start(SPACE))
    np.testing.assert_allclose(one.describe(SPACE + 0.1), other.describe(SPACE + 0.1))


@pytest.mark.parametrize("diagonal", [False, True])
def test_start_has_the_size_of_the_positions(diagonal):
    form = MultiKernelMap("linear", diagonal=diagonal).bound(VIEWS, 1e-6)
    X = form.expand(form.start(SPACE))
    size = X.var(axis=0).sum()
    assert size == pytest.approx(SPACE.var(axis=0).sum(), rel=1e-6 if diagonal else 0.6)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("combine", ["concatenate", "sum"])
def test_penalty_is_the_trace_of_w_times_the_kernel(diagonal, combine):
    form = MultiKernelMap("rbf", diagonal=diagonal, combine=combine).bound(VIEWS, 0.1)
    params = form.start(SPACE)
    kernels = [rs.geometry.kernel_matrix(view, bandwidth="median") for view in VIEWS.values()]
    kernels = kernels if combine == "concatenate" else [sum(kernels)]
    metrics = form.metrics(params).values()
    traces = [
        np.diag(K) @ W if diagonal else np.trace(K @ W)
        for K, W in zip(kernels, metrics, strict=True)
    ]
    assert form.penalty(params, form.expand(params))[0] == pytest.approx(sum(traces))
    shares = np.array(traces) / sum(traces)
    np.testing.assert_allclose(list(form.shares(params).values()), shares)


@pytest.mark.parametrize(
    ("choice", "diagonal"), [(rs.choice.Softmax(), False), (rs.choice.StudentT(1.0), True)]
)
def test_softer_choice_models_place_new_items(choice, diagonal):
    asked = [RNG.choice(N, 3, replace=False) for _ in range(900)]
    index = rs.SpaceObserver(2 * SPACE, random_state=0).answer(asked).index
    known = (index < 24).all(axis=1)
    items = rs.Items(features={name: view[:24] for name, view in VIEWS.items()})
    form = MultiKernelMap("rbf", diagonal=diagonal)
    settings = {"penalty": 0.1, "max_iter": 200, "tol": 1e-3, "random_state": 0}
    model = rs.fitting.OrdinalEmbedding(choice, 4, form=form, **settings)
    model.fit(rs.Triplets(index[known], items=items))
    assert clone(model).get_params()["form"] is not None
    assert model.embedding_.shape == (24, 4)
    np.testing.assert_allclose(
        model.transform({name: view[:24] for name, view in VIEWS.items()}), model.embedding_
    )
    of_new = rs.Triplets(index[~known], items=N)
    assert rs.triplet_error(model.transform(VIEWS), of_new) < 0.3
