"""Judgments on the workers of a Dask cluster: fits find what fits in memory find."""

import os
import signal
import time

import joblib
import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from plane import world
from resemblance.choice import Hinge, Softmax, StudentT
from resemblance.errors import (
    FileError,
    JudgmentError,
    NotConvergedWarning,
    SettingError,
    UnavailableError,
)
from resemblance.fitting.objective import stored as stored_room
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.fitting.objective.stored import DaskObjective
from resemblance.fitting.objective.threads import allowed, at_a_time
from resemblance.forms import Coordinates, Gram
from resemblance.judgments.partitions import FilePartition, StoredPartition

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")
from distributed import Client, LocalCluster  # noqa: E402

N = 15
PATIENCE = 300  # seconds, on a machine that others keep busy


@pytest.fixture(scope="session")
def shared_client():
    """Two processes of one thread each, for all tests.

    A cluster gives up a worker that is not back in time after its end, 15 seconds as it is set,
    which a process may need to begin where others keep the machine busy.
    """
    settings = {"processes": True, "n_workers": 2, "threads_per_worker": 1}
    patient = {"distributed.deploy.lost-worker-timeout": f"{PATIENCE}s"}
    with (
        dask.config.set(patient),
        LocalCluster(**settings, dashboard_address=":0", memory_limit=0) as cluster,
        Client(cluster, timeout=PATIENCE, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def client(shared_client):
    """Wait until both workers are there, whatever a test before did to them."""
    shared_client.wait_for_workers(2, timeout=PATIENCE)
    with shared_client.as_current():
        yield shared_client


@pytest.fixture(autouse=True)
def few_in_memory(monkeypatch):
    """Begin with a few hundred rows."""
    monkeypatch.setattr(stored_room, "SAMPLE_ROWS", 400)
    monkeypatch.setattr(stored_room, "ROWS_PER_ITEM", 5)


def frame_of(told, n_parts=3, **further):
    """Lay triplets out as a Dask DataFrame of labels."""
    names = np.array(told.items.names)
    columns = {role: names[told.index[:, k]] for k, role in enumerate(("head", "near", "far"))}
    return dd.from_pandas(pd.DataFrame({**columns, **further}), npartitions=n_parts)


def folder_of(told, folder):
    """Write triplets to three files."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(np.array_split(np.arange(len(told)), 3)):
        told[rows].write(folder / f"{number}.parquet")
    return folder


def objective(told, rows, choice, form, penalty=0.3):
    some = Objective(batches(told[:50]), choice, form, penalty)
    return DaskObjective(some, rows)


class TestObjective:
    @pytest.mark.parametrize(
        ("kind", "choice"),
        [
            ("triplets", Hinge(1.0)),
            ("quadruplets", StudentT(1.0)),
            ("choices", StudentT(1.0)),
            ("odd_one_outs", Softmax()),
        ],
        ids=repr,
    )
    def test_is_that_in_memory(self, kind, choice, client):
        told = world(kind)
        form = Gram() if isinstance(choice, StudentT) else Coordinates()
        memory = Objective(batches(told), choice, form, 0.3)
        far = objective(told, rs.distribute(told, client, n_parts=5), choice, form)
        params = form.start(np.random.default_rng(1).normal(size=(N, 2)))
        (one, slope), (other, known) = far(params), memory(params)
        assert one == pytest.approx(other, rel=1e-10)
        np.testing.assert_allclose(slope, known, rtol=1e-10, atol=1e-8)

    @pytest.mark.parametrize("n_items", [15, 3000])
    @pytest.mark.long
    def test_hangs_on_partitions_and_not_on_workers(self, n_items, client):
        """Of many items few are mentioned, and only these travel."""
        told = world(m=600, n=n_items) if n_items == N else few_of(n_items)
        X = np.random.default_rng(1).normal(size=(n_items, 2))
        found = [objective(told, rs.distribute(told, client, n_parts=7), Softmax(), Coordinates())]
        assert (found[0].groups[0].items is not None) == (n_items > N)
        values = [found[0](X)]
        for n_workers in (1, 4):
            with Client(processes=False, n_workers=n_workers, dashboard_address=":0") as other:
                rows = rs.distribute(told, other, n_parts=7)
                values.append(objective(told, rows, Softmax(), Coordinates())(X))
        for value, slope in values[1:]:
            assert value == values[0][0]
            np.testing.assert_array_equal(slope, values[0][1])

    @pytest.mark.long
    def test_more_groups_than_one_task_adds(self, client, monkeypatch):
        monkeypatch.setattr("resemblance.fitting.objective.stored.FAN", 2)
        monkeypatch.setattr("resemblance.fitting.objective.stored.SMALL", 0)
        told, X = world(), np.random.default_rng(1).normal(size=(N, 2))
        with Client(processes=False, n_workers=5, dashboard_address=":0") as other:
            rows = rs.distribute(told, other, n_parts=9)
            many = objective(told, rows, Softmax(), Coordinates())(X)
        rows = rs.distribute(told, client, n_parts=9)
        assert many[0] == objective(told, rows, Softmax(), Coordinates())(X)[0]


def few_of(n_items):
    """Triplets of which each partition mentions items of its own, but for a few."""
    rng = np.random.default_rng(0)
    heads = np.sort(rng.choice(n_items - 3, 500, replace=False))
    return rs.Triplets(np.column_stack([heads, heads + 1, heads + 2]), items=n_items)


class TestFits:
    @pytest.mark.parametrize(
        ("kind", "settings"),
        [
            ("choices", {"penalty": 0.3}),
            ("triplets", {"form": "linear", "penalty": 0.01}),
        ],
    )
    def test_find_what_they_find_in_memory(self, kind, settings, client):
        told = world(kind)
        rows = rs.distribute(told, client, n_parts=4)
        model = rs.STE(2, tol=1e-9, random_state=0, **settings)
        loss, score, likely = (
            model.fit(rows).loss_,
            model.score(rows),
            model.log_loss(rows),
        )
        assert score == pytest.approx(model.score(told), abs=1e-12)
        assert likely == pytest.approx(model.log_loss(told), abs=1e-12)
        assert loss == pytest.approx(model.fit(told).loss_, rel=1e-6)

    def test_of_a_frame_find_the_same_too(self, client):
        told = world()
        frame = frame_of(told, weight=told.weight)
        model = rs.STE(2, tol=1e-9, random_state=0).fit(frame)
        assert model.items_.names == tuple(sorted(told.items.names, key=lambda t: int(t[4:])))
        plain = rs.STE(2, tol=1e-9, random_state=0).fit(told)
        assert model.loss_ == pytest.approx(plain.loss_, rel=1e-6)
        assert model.score(frame) == pytest.approx(plain.score(told), abs=1e-3)

    @pytest.mark.long
    def test_a_worker_that_is_killed_changes_nothing_but_time(self, client, tmp_path):
        stored = rs.scan_triplets(folder_of(world(), tmp_path / "answers"))
        killed = []

        def kill(progress):
            whole = progress.loss > 600  # all rows, no longer the sample
            if whole and progress.iteration >= 2 and not killed:
                address, process = sorted(client.run(os.getpid).items())[0]
                os.kill(process, signal.SIGKILL)
                killed.append(address)

        quiet = rs.STE(2, random_state=0).fit(rs.distribute(stored, client, n_parts=5))
        rows = rs.distribute(stored, client, n_parts=5)
        model = rs.STE(2, random_state=0, callback=kill).fit(rows)
        assert len(killed) == 1
        np.testing.assert_array_equal(model.embedding_, quiet.embedding_)
        assert model.n_iter_ == quiet.n_iter_

    def test_a_fit_that_is_stopped_keeps_what_it_has(self, client):
        losses = []

        def stop(progress):
            losses.append(progress.loss)
            if progress.loss > 2 * losses[0]:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.5)

        rows, before = rs.distribute(world(), client), signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.warns(NotConvergedWarning, match="was stopped"):
                model = rs.STE(2, random_state=0, callback=stop).fit(rows)
        finally:
            signal.signal(signal.SIGINT, before)
        assert model.loss_ > 2 * losses[0]
        assert np.isfinite(model.embedding_).all()

    def test_what_needs_all_rows_here_says_so(self, client):
        rows = rs.distribute(world(), client)
        with pytest.raises(JudgmentError, match="sample"):
            rs.evaluate(rs.STE(2), rows)
        with pytest.raises(SettingError, match="batch_size"):
            rs.STE(2, form="linear", batch_size=100).fit(rows)


class TestRows:
    def test_a_sample_is_that_of_the_disk(self, client, tmp_path):
        stored = rs.scan_triplets(folder_of(world(), tmp_path / "answers"))
        rows = rs.distribute(stored, client, n_parts=4)
        for n in (10, 2000, 5000):
            mine, theirs = rows.sample(n, 1), stored.sample(n, 1)
            np.testing.assert_array_equal(mine.index, theirs.index)
            np.testing.assert_array_equal(mine.weight, theirs.weight)
            assert mine.items.names == theirs.items.names

    def test_a_folder_of_files_is_read_by_workers(self, client, tmp_path):
        told = world()
        rows = rs.distribute(folder_of(told, tmp_path / "answers"), client, items=told.items)
        assert len(rows.parts) == 3
        np.testing.assert_array_equal(rows.sample(5000).index, told.index)
        found = rs.distribute(tmp_path / "answers", client)
        assert set(found.items.names) == set(told.items.names)

    def test_folds_hold_all_rows_once(self, client):
        told = world()
        people = np.array([f"person{k}" for k in np.arange(2000) % 50])
        rows = rs.distribute(told._with(observer=people), client, n_parts=3)
        train, test = rows.split(4, 1, by="observer")
        assert len(train) + len(test) == 2000
        a, b = train.sample(2000), test.sample(2000)
        assert not {*a.observer} & {*b.observer}
        assert 0.1 < len(test) / 2000 < 0.45
        with pytest.raises(JudgmentError, match="response_id"):
            rows.split(4, by="response_id")

    def test_one_response_is_in_one_fold_on_any_partitions(self, client):
        told = world()._with(response_id=np.arange(2000) // 4)
        folds = [rs.distribute(told, client, n_parts=n).split(3, 2)[1] for n in (1, 4)]
        one, other = (fold.sample(2000) for fold in folds)
        np.testing.assert_array_equal(one.index, other.index)

    def test_choices_of_several_sizes(self, client):
        few = rs.Choices([0, 1], [[1, 2], [2, 0]], [1, 2], items=5)
        many = rs.Choices([0, 1], [[1, 2, 3], [2, 0, 4]], [1, 4], items=5)
        names = np.array(few.items.names)
        frames = [
            pd.DataFrame(
                {
                    "head": names[rows.index[:, 0]],
                    "chosen": names[rows.index[:, 1]],
                    "options": ["|".join(names[row]) for row in rows.index[:, 1:]],
                }
            )
            for rows in (few, many)
        ]
        found = rs.distribute(dd.concat([dd.from_pandas(f, npartitions=1) for f in frames]), client)
        assert found.kind is rs.Choices
        assert found.shape == (4, 4)
        assert found.sample(4).shape == (4, 4)

    def test_partitions_without_rows_are_left_out(self, client):
        frame = frame_of(world(m=300))
        rows = rs.distribute(frame.map_partitions(lambda part: part[part.index >= 150]), client)
        assert len(rows) == 150
        assert len(rows.parts) == 2
        with pytest.raises(JudgmentError, match="no rows"):
            rs.distribute(frame.map_partitions(lambda part: part[:0]), client)

    def test_parts_that_nothing_connects_are_found(self, client):
        line = [[0, 1, 2], [1, 2, 0], [3, 4, 5], [4, 5, 3]]
        model = rs.STE(1, random_state=0)
        rows = rs.distribute(rs.Triplets(line, items=7), client, n_parts=2)
        with pytest.warns(UserWarning, match=r"parts|mentions"):
            model.fit(rows)
        assert model.parts_.tolist() == [0, 0, 0, 1, 1, 1, -1]


class TestRefused:
    def test_a_bad_row_of_a_frame(self, client):
        frame = frame_of(world(m=300)).compute()
        frame.loc[170, "near"] = frame.loc[170, "head"]
        with pytest.raises(JudgmentError, match=r"partition 1, row 71: the head"):
            rs.distribute(dd.from_pandas(frame, npartitions=3), client)

    def test_a_bad_row_of_a_file(self, client, tmp_path):
        folder = folder_of(world(m=300), tmp_path / "answers")
        frame = pd.read_parquet(folder / "1.parquet")
        frame.loc[6, "far"] = " "
        frame.to_parquet(folder / "1.parquet")
        with pytest.raises(JudgmentError, match=r"1\.parquet, row 7: far is empty"):
            rs.distribute(folder, client)

    def test_a_file_that_is_gone(self, client, tmp_path):
        stored = rs.scan_triplets(folder_of(world(m=300), tmp_path / "answers"))
        path = stored.sources[1].path
        path.unlink()
        with pytest.raises(FileError, match=r"1\.parquet is gone"):
            rs.distribute(stored, client)
        for partition in (StoredPartition(stored), FilePartition(rs.Triplets, path, None)):
            with pytest.raises(FileError, match=r"1\.parquet .* worker's disk"):
                client.submit(partition.rows, stored.items).result()

    def test_other_things(self, client):
        with pytest.raises(JudgmentError, match="distributed"):
            rs.distribute([[0, 1, 2]], client)
        with pytest.raises(SettingError, match="kind"):
            rs.distribute(frame_of(world(m=30)), client, kind="pairs")
        with pytest.raises(SettingError, match="client"):
            rs.distribute(world(m=30), "tcp://127.0.0.1:8786")

    def test_no_client(self, shared_client):
        with pytest.raises(SettingError, match="no Dask client"):
            rs.distribute(world(m=30))

    def test_a_closed_client(self):
        told = world()
        with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
            rows = rs.distribute(told, client)
        for use in (rs.STE(2).fit, lambda _: rs.distribute(told, client)):
            with pytest.raises(UnavailableError, match="closed"):
                use(rows)

    def test_a_client_that_is_closed_while_a_fit_runs(self):
        with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
            rows = rs.distribute(world(), client)

            def close(progress):
                if progress.loss > 600:  # all rows, no longer the sample
                    client.close()

            with pytest.raises(UnavailableError, match="closed"):
                rs.STE(2, random_state=0, callback=close).fit(rows)

    def test_no_workers(self):
        with (
            Client(processes=False, n_workers=0, dashboard_address=":0") as client,
            pytest.raises(UnavailableError, match="no workers"),
        ):
            rs.distribute(world(m=30), client)

    @pytest.mark.parametrize("found", ["0.0.1", None])
    def test_workers_with_another_version_or_none(self, found, client):
        def patch():
            from importlib import metadata

            def version(name):
                if found is None:
                    raise metadata.PackageNotFoundError(name)
                return found

            metadata.plain, metadata.version = metadata.version, version

        def mend():
            from importlib import metadata

            metadata.version = metadata.plain

        worker = next(iter(client.run(os.getpid)))
        client.run(patch, workers=[worker])
        try:
            with pytest.raises(UnavailableError, match=f"{worker} has .*{found or 'install'}"):
                rs.distribute(world(m=30), client)
        finally:
            client.run(mend, workers=[worker])

    def test_a_partition_that_ends_its_workers(self, client):
        from dask import delayed

        def forgiving(n, dask_scheduler):
            dask_scheduler.allowed_failures, before = n, dask_scheduler.allowed_failures
            return before

        def die():
            os._exit(1)

        meta = pd.DataFrame({name: pd.Series(dtype=str) for name in ("head", "near", "far")})
        frame = dd.from_delayed([delayed(die)()], meta=meta, verify_meta=False)
        before = client.run_on_scheduler(forgiving, 0)
        try:
            with pytest.raises(UnavailableError, match=r"partition 0 ended .* memory"):
                rs.distribute(frame, client)
        finally:
            client.run_on_scheduler(forgiving, before)


class TestJoblib:
    def test_tasks_go_to_the_workers_one_thread_each(self, client):
        def who(_):
            time.sleep(0.3)
            return os.getpid(), allowed(8)

        workers = {*client.run(os.getpid).values()}
        with joblib.parallel_config("dask"):
            found = list(at_a_time(who, [(k,) for k in range(8)], 2))
            here = list(at_a_time(who, [(0,), (1,)], 2, here=True))
            assert allowed(8) == 1
        assert {process for process, _ in found} <= workers
        assert {threads for _, threads in found} == {1}
        assert {process for process, _ in here} == {os.getpid()}

    def test_folds_of_people_too(self, client):
        told, rng = world(m=400), np.random.default_rng(0)
        told = told._with(observer=rng.choice(["ann", "bob", "cid"], len(told)))

        def found():
            steps = []
            spaces = rs.IndividualSpaces(
                rs.STE(2, random_state=0),
                strength=5.0,
                cv=2,
                random_state=0,
                callback=lambda done, n: steps.append((done, n)),
            ).fit(told)
            return spaces.held_out_, steps

        plain = found()
        with joblib.parallel_config("dask"):
            far = found()
        np.testing.assert_array_equal(plain[0], far[0])
        assert plain[1] == far[1] == [(k, 6) for k in range(1, 7)]  # clarity, weights, the control
