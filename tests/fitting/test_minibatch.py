"""Maps of features by minibatches, and of features that lie on disk."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting.objective.objective import Objective, batches, one_pass
from resemblance.fitting.objective.starts import (
    Scale,
    gap_scatters,
)

RNG = np.random.default_rng(0)
N, D, P = 300, 12, 3
X = RNG.normal(size=(N, D)) * np.logspace(0, -1, D)
SEEN = 1.5 * X[:, [1, 5, 8]] / X[:, [1, 5, 8]].std(axis=0)  # not the features that vary most


def answers(n_rows, seed):
    rows = np.random.default_rng(seed).integers(N, size=(2 * n_rows, 3))
    rows = rows[[len(set(row)) == 3 for row in rows.tolist()]][:n_rows]
    person = rs.SpaceObserver(SEEN, random_state=seed)
    return rs.Triplets(person.answer(rs.Triplets(rows, N)).index, rs.Items(features=X))


TRAIN, TEST = answers(20_000, 1), answers(4_000, 2)


def quadruplets():
    rows = np.array([RNG.choice(N, 4, replace=False) for _ in range(400)])
    return rs.Quadruplets(rows, rs.Items(features=X), weight=RNG.uniform(size=400))


def choices():
    rows = np.array([RNG.choice(N, 5, replace=False) for _ in range(400)])
    options = rows[:, 1:].copy()
    options[:150, 3] = -1
    return rs.Choices(rows[:, 0], options, options[:, 0], rs.Items(features=X))


def confusions():
    pairs = np.unique(
        np.sort([RNG.choice(N, 2, replace=False) for _ in range(400)], axis=1), axis=0
    )
    return rs.Confusions(pairs, RNG.integers(0, 9, len(pairs)), 20, rs.Items(features=X))


KINDS = {f.__name__: f() for f in (quadruplets, choices, confusions)} | {"triplets": TRAIN[:500]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", [rs.forms.LinearMap(), rs.forms.KernelMap(landmarks=20)])
def test_the_parts_of_a_pass_sum_to_the_objective(kind, form):
    bound = form.bound(X, 0.3)
    whole = Objective(batches(KINDS[kind]), rs.choice.Softmax(), bound, 0.3)
    B = bound.start(SEEN)
    parts = list(one_pass(whole, 64, np.random.default_rng(0)))
    values, slopes = zip(*(part(B) for part in parts), strict=True)
    value, slope = whole(B)
    assert len(parts) > 5
    assert sum(values) == pytest.approx(value)
    np.testing.assert_allclose(sum(slopes), slope, atol=1e-9 * np.abs(slope).max())


def test_a_part_reads_only_the_items_that_it_mentions():
    whole = Objective(batches(TRAIN), rs.choice.Softmax(), rs.forms.LinearMap().bound(X, 0.0))
    part = next(iter(one_pass(whole, 10, np.random.default_rng(0))))
    assert part.form.design.shape[0] <= 30
    assert {tuple(row) for row in part.form.design} <= {tuple(row) for row in X}


def test_minibatches_come_close_to_all_rows_and_to_the_truth():
    whole = rs.STE(P, form="linear", random_state=0).fit(TRAIN)
    small = rs.STE(P, form="linear", random_state=0, batch_size=500).fit(TRAIN)
    assert small.loss_ < 1.01 * whole.loss_
    assert small.converged_
    errors = [rs.triplet_error(at, TEST) for at in (SEEN, small.embedding_, X)]
    assert errors[0] - 0.01 < errors[1] < errors[0] + 0.01 < errors[2] - 0.1
    np.testing.assert_allclose(small.transform(X), small.embedding_)


def test_one_random_state_gives_one_result_and_passes_are_told():
    told = []
    model = rs.TSTE(2, form="linear", random_state=3, batch_size=2000, callback=told.append)
    first = model.fit(TRAIN).embedding_
    np.testing.assert_array_equal(clone(model).fit(TRAIN).embedding_, first)
    assert [now.iteration for now in told[: model.n_iter_]] == list(range(1, model.n_iter_ + 1))
    assert told[0].x.shape == model.components_.shape
    assert (clone(model).set_params(random_state=4).fit(TRAIN).embedding_ != first).any()


@pytest.mark.parametrize("batch_size", [None, 1000])
def test_a_callback_stops_after_what_was_done(batch_size):
    model = rs.STE(2, form="linear", batch_size=batch_size, callback=lambda now: True)
    with pytest.warns(rs.errors.NotConvergedWarning, match="stopped after 1 it"):
        model.fit(TRAIN)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("batch_size", [None, 1000])
def test_features_in_a_memory_map_give_the_same_map(tmp_path, batch_size):
    np.save(tmp_path / "features.npy", X.astype(np.float32))
    features = np.load(tmp_path / "features.npy", mmap_mode="r")
    settings = {"form": "linear", "random_state": 0, "batch_size": batch_size}
    mapped, copied = (
        rs.STE(P, **settings).fit(rs.Triplets(TRAIN.index, rs.Items(features=x)))
        for x in (features, X)
    )
    assert np.shares_memory(mapped.items_.features, features)
    assert np.shares_memory(mapped.form_.design, features)
    np.testing.assert_allclose(mapped.embedding_, copied.embedding_, atol=2e-2)
    np.testing.assert_allclose(mapped.transform(features), mapped.embedding_, atol=1e-5)
    again = rs.load(rs.save(mapped, tmp_path / "model.npz"))
    np.testing.assert_allclose(again.transform(X[:5]), mapped.transform(X[:5]), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_scatters_are_sums_over_pairs(kind):
    data = batches(KINDS[kind])
    near, far = gap_scatters(rs.forms.LinearMap().bound(X, 0.0), data)
    expected = [np.zeros((D, D)), np.zeros((D, D))]
    for batch in data:
        weight = batch.weight if batch.weight.size else np.ones(len(batch))
        for k, (a, b) in enumerate(batch.pairs):
            gap = X[a] - X[b]
            times = len(batch.pairs) - 1 if k == 0 else 1  # the answer goes with each other option
            if weight.ndim == 2:
                expected = [(w[:, None] * gap).T @ gap for w in weight.T]
            else:
                expected[k > 0] += times * (weight[:, None] * gap).T @ gap
    np.testing.assert_allclose(near, expected[0])
    np.testing.assert_allclose(far, expected[1])


def test_units_of_the_features_make_no_difference_without_a_penalty():
    units = np.logspace(-3, 3, D)
    settings = {"form": "linear", "penalty": 0.0, "random_state": 0, "tol": 1e-6}
    one = rs.STE(P, **settings).fit(TRAIN)
    other = rs.STE(P, **settings).fit(rs.Triplets(TRAIN.index, rs.Items(features=X * units)))
    assert other.loss_ == pytest.approx(one.loss_, rel=1e-4)
    assert other.n_iter_ < 1.5 * one.n_iter_ + 5


def test_the_scale_goes_both_ways():
    objective = Objective(batches(TRAIN), rs.choice.Softmax(), rs.forms.LinearMap().bound(X, 0.1))
    scale, B = Scale.of(objective, objective.data), RNG.normal(size=(D, P))
    np.testing.assert_allclose(scale.outside(scale.inside(B)), B)
    value, slope = scale.of_objective(objective)(scale.inside(B))
    assert value == pytest.approx(objective(B)[0])
    step = RNG.normal(size=B.shape)
    along = np.vdot(objective(B)[1], scale.outside(step))
    assert np.vdot(slope, step) == pytest.approx(along)


def test_what_cannot_be_cut_is_refused():
    with pytest.raises(SettingError, match="batch_size is 0: give"):
        rs.STE(form="linear", batch_size=0).fit(TRAIN)
    with pytest.raises(SettingError, match="the form is coordinates: leave batch_size out"):
        rs.STE(batch_size=100).fit(TRAIN)
