"""Fits to judgments on the disk find what fits in memory find."""

import os

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from plane import world
from resemblance.choice import Hinge, Relative, Softmax, StudentT
from resemblance.errors import FileError, JudgmentError, NotConvergedWarning, SettingError
from resemblance.fitting.objective import stored as stored_room
from resemblance.fitting.objective.objective import Objective, batches, one_pass
from resemblance.fitting.objective.stored import StoredObjective
from resemblance.forms import Coordinates, LinearMap
from resemblance.judgments import stored as stored_judgments


@pytest.fixture(autouse=True)
def few_in_memory(monkeypatch):
    """Begin with a few hundred rows, and read some dozens at a time."""
    monkeypatch.setattr(stored_room, "SAMPLE_ROWS", 400)
    monkeypatch.setattr(stored_room, "MOST_ROWS", 400)
    monkeypatch.setattr(stored_room, "ENOUGH_PER_ITEM", 20)
    monkeypatch.setattr(stored_room, "ROWS", 97)


@pytest.fixture
def on_disk(tmp_path):
    """Write judgments to a folder of three files, and scan it."""

    def write(told):
        for number, rows in enumerate(np.array_split(np.arange(len(told)), 3)):
            part = tmp_path / "answers" / f"{number}.parquet"
            part.parent.mkdir(exist_ok=True)
            told[rows].write(part)
        return type(told).scan(tmp_path / "answers", told.items)

    return write


def distances(model):
    X = model.embedding_
    return np.sqrt(((X[:, None] - X) ** 2).sum(-1))


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("quadruplets", rs.STE(2, penalty=0.3, tol=1e-9, random_state=0)),
        ("choices", rs.STE(2, tol=1e-9, random_state=0)),
    ],
)
def test_the_fit_is_that_in_memory(kind, model, on_disk):
    told = world(kind)
    model.fit(on_disk(told))
    loss, found = model.loss_, distances(model)
    model.fit(told)
    assert loss == pytest.approx(model.loss_, rel=1e-6)
    np.testing.assert_allclose(found, distances(model), atol=5e-3 * found.max())


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        ("triplets", StudentT(1.0)),
        ("quadruplets", Hinge(1.0)),
        ("choices", Softmax()),
        ("odd_one_outs", Relative(0.1)),
    ],
)
def test_the_objective_is_that_in_memory(kind, choice, on_disk):
    told = world(kind)
    memory = Objective(batches(told), choice, Coordinates(), 0.3)
    stored = StoredObjective(
        Objective(batches(told[:50]), choice, Coordinates(), 0.3), on_disk(told)
    )
    X = np.random.default_rng(0).normal(size=(15, 2))
    (one, slope), (other, known) = stored(X), memory(X)
    assert one == pytest.approx(other, rel=1e-12)
    np.testing.assert_allclose(slope, known, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["triplets", "choices", "odd_one_outs"])
def test_the_minibatches_of_a_pass_sum_to_the_objective(on_disk, monkeypatch, kind):
    monkeypatch.setattr(stored_judgments, "BLOCK", 50)
    monkeypatch.setattr(stored_room, "POOL_ROWS", 300)
    told = world(kind)
    form = LinearMap().bound(told.items.features, 0.3)
    memory = Objective(batches(told), Softmax(), form, 0.3)
    stored = StoredObjective(Objective(batches(told[:100]), Softmax(), form, 0.3), on_disk(told))
    B = np.random.default_rng(0).normal(size=(3, 2))
    found = [part(B) for part in one_pass(stored, 64, np.random.default_rng(1))]
    values, slopes = zip(*found, strict=True)
    assert len(found) > 2000 / 64
    (value, slope), parts = memory(B), list(one_pass(stored, 64, np.random.default_rng(2)))
    assert sum(values) == pytest.approx(value)
    np.testing.assert_allclose(sum(slopes), slope, atol=1e-9 * np.abs(slope).max())
    assert max(part.n_rows for part in parts) <= 64
    assert [part(B)[0] for part in parts[:5]] != pytest.approx(values[:5])


def test_minibatches_from_sorted_files_come_close_to_all_rows(on_disk, monkeypatch):
    monkeypatch.setattr(stored_judgments, "BLOCK", 50)
    monkeypatch.setattr(stored_room, "POOL_ROWS", 300)
    told = world("triplets", 6000)
    stored = on_disk(told[np.argsort(told.index[:, 0], kind="stable")])
    model = rs.STE(2, form="linear", penalty=0.01, random_state=0)
    whole = model.fit(told).loss_
    small = clone(model).set_params(batch_size=100).fit(stored)
    assert small.converged_
    assert whole <= small.loss_ < 1.01 * whole
    again = clone(small).fit(stored)
    np.testing.assert_array_equal(again.embedding_, small.embedding_)
    few = clone(small).set_params(max_iter=1)
    with pytest.warns(NotConvergedWarning):
        assert few.fit(stored).loss_ < 1.1 * whole
    assert few.n_iter_ <= 2  # one pass over the sample, and one over all


def test_loadings_too(on_disk):
    told = world("odd_one_outs", 3000)
    model = rs.SPoSE(4, penalty=2.0, tol=1e-8, random_state=0)
    stored = on_disk(told)
    loss = model.fit(stored).log_loss(stored)
    assert (model.embedding_ >= 0).all()
    assert loss == pytest.approx(model.fit(told).log_loss(told), rel=0.03)  # of several minima


def test_a_sample_of_all_rows_is_all_there_is_to_fit(on_disk, monkeypatch):
    told = world("triplets", 300)
    stored = on_disk(told)
    called = []
    monkeypatch.setattr(stored_room.StoredPart, "__call__", lambda *_: called.append(1))
    one, other = (rs.STE(2, random_state=0).fit(rows) for rows in (stored, told))
    assert not called
    np.testing.assert_array_equal(one.embedding_, other.embedding_)


def test_parts_and_threads_change_nothing(on_disk, monkeypatch):
    monkeypatch.setattr("resemblance.fitting.objective.objective.PART", 200)
    stored = on_disk(world("triplets"))
    fits = [rs.STE(2, random_state=0, n_jobs=n).fit(stored).embedding_ for n in (1, 2, 4)]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0], fits[2])


def test_scores_are_those_in_memory(on_disk):
    told = world("choices")
    stored = on_disk(told)
    model = rs.STE(2, random_state=0).fit(stored)
    assert model.score(stored) == pytest.approx(model.score(told), abs=1e-12)
    assert model.log_loss(stored) == pytest.approx(model.log_loss(told), abs=1e-12)
    train, test = stored.split(4, 1)
    held = rs.STE(2, random_state=0).fit(train)
    assert held.log_loss(test) == pytest.approx(held.log_loss(test.sample(len(test))), abs=1e-12)


def test_a_penalty_is_not_chosen_on_a_few_rows_of_many(on_disk, monkeypatch):
    stored = on_disk(world("triplets"))
    assert rs.STE(2, penalty="auto", random_state=0).fit(stored).penalty_ > 0
    monkeypatch.setattr(stored_room, "ENOUGH_PER_ITEM", 50)
    with pytest.raises(SettingError) as refused:
        rs.STE(2, penalty="auto", random_state=0).fit(stored)
    assert refused.value.setting == "penalty"


def test_items_that_only_late_rows_mention_are_found(on_disk):
    told = world("triplets")
    late = np.argsort((told.index == 3).any(axis=1), kind="stable")
    model = rs.STE(2, random_state=0).fit(on_disk(told[late]))
    assert model.unmentioned_.size == 0
    assert set(model.parts_) == {0}


def test_a_file_that_changes_while_a_fit_runs_ends_it(on_disk):
    stored = on_disk(world("triplets"))
    begun = []

    def touch(progress):
        begun.append(progress.loss)
        if progress.loss > 2 * begun[0]:  # all rows, no longer the sample
            os.utime(stored.sources[1].path, ns=(1, 1))

    with pytest.raises(FileError, match=r"1\.parquet has changed"):
        rs.STE(2, random_state=0, callback=touch).fit(stored)


def test_a_fit_that_is_stopped_keeps_what_it_has(on_disk):
    stored = on_disk(world("triplets"))
    losses = []

    def stop(progress):
        losses.append(progress.loss)
        return progress.loss > 2 * losses[0]

    with pytest.warns(NotConvergedWarning):
        model = rs.STE(2, random_state=0, callback=stop).fit(stored)
    assert not model.converged_
    assert model.loss_ > 2 * losses[0]
    assert np.isfinite(model.embedding_).all()


def test_what_needs_all_rows_in_memory_says_so(on_disk):
    stored = on_disk(world("triplets"))
    with pytest.raises(JudgmentError, match="sample"):
        rs.evaluate(rs.STE(2), stored)
    with pytest.raises(JudgmentError, match="sample"):
        rs.STE(2).fit(stored.sample(300)).predict(stored)
    with pytest.raises(JudgmentError, match="sample"):
        rs.POE().fit(stored)


def test_blocks_are_read_ahead_in_their_order():
    assert [*stored_room.ahead(iter("abc"))] == ["a", "b", "c"]


def test_gaps_of_choices_mention_no_item():
    choices = rs.Choices([4], [[1, 2, -1]], [1])
    assert stored_room.mentioned_items(choices).tolist() == [1, 2, 4]
