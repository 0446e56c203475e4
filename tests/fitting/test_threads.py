"""Parts of an objective, and the threads that take them."""

import os
import runpy
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import joblib
import numpy as np
import pytest
from joblib.parallel import BACKENDS

import resemblance as rs
from pairwise import pairwise
from resemblance.errors import NotConvergedWarning
from resemblance.fitting.objective import objective as objectives, threads
from resemblance.fitting.objective.objective import (
    BLOCK,
    MOST_PARTS,
    Objective,
    Part,
    batches,
    n_parts,
)
from resemblance.fitting.objective.threads import Crew, allowed, at_a_time, elsewhere, in_turn, left
from resemblance.forms import Coordinates, Form, Gram, NonNegative

N = 30
SPACE = np.random.default_rng(0).normal(size=(N, 2))
CHOICES = [
    rs.choice.Hinge(1.0),
    rs.choice.Relative(0.3),
    rs.choice.Logistic(),
    rs.choice.Softmax(),
    rs.choice.StudentT(1.0),
    rs.choice.StudentT(2.5),
    rs.choice.SquaredHinge(1.0),
]
FORMS = [Coordinates(), Coordinates(unit_norm=True), NonNegative(), Gram()]


def fits(kind, choice, _form):
    return kind != "odd one outs" or choice.one_of_many


def rows(m, width, seed=0):
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((m, N)), axis=1)[:, :width].astype(np.int32)


KINDS = {
    "triplets": rs.Triplets(rows(4 * BLOCK, 3), items=N),
    "weighted": rs.Triplets(
        rows(3 * BLOCK, 3), items=N, weight=np.random.default_rng(1).random(3 * BLOCK)
    ),
    "quadruplets": rs.Quadruplets(rows(3 * BLOCK, 4), items=N),
    "odd one outs": rs.OddOneOuts(rows(3 * BLOCK, 3), rows(3 * BLOCK, 3)[:, 0], items=N),
}


@pytest.fixture
def many_parts(monkeypatch):
    """Cut rows that would be too few."""
    monkeypatch.setattr(objectives, "PART", 1)


@pytest.fixture
def answers():
    return rs.SpaceObserver(2 * SPACE, random_state=0).answer(rows(3 * BLOCK, 3))


@pytest.fixture
def busy(monkeypatch):
    """Count how many parts are summed at a time; the most so far is the last."""
    now, most, lock, plain = [0], [0], threading.Lock(), Part.__call__

    def counted(part, state):
        with lock:
            now[0] += 1
            most.append(max(most[-1], now[0]))
        time.sleep(0.0005)
        found = plain(part, state)
        with lock:
            now[0] -= 1
        return found

    monkeypatch.setattr(Part, "__call__", counted)
    return most


class TestParts:
    def test_few_rows_or_large_states_stay_whole(self):
        def n(rows, state_size):
            return n_parts(2 * rows, state_size)

        assert n(100_000, 2_000) == 1
        assert n(1_000_000, 10_000) == MOST_PARTS
        assert n(1_000_000, 1_000_000) == 2  # a Gram matrix of 1,000 items
        assert n(1_000_000, 4_000_000) == 1
        assert n(10, 2) == 1

    @pytest.mark.parametrize(
        ("kind", "choice", "form"),
        pairwise(list(KINDS), CHOICES, FORMS, allowed=fits),
        ids=lambda value: type(value).__name__ if isinstance(value, Form) else str(value),
    )
    def test_sum_to_the_whole_on_any_number_of_threads(self, form, choice, kind, monkeypatch):
        params, data = form.start(np.abs(SPACE) + 0.1), batches(KINDS[kind])
        whole = Objective(data, choice, form, 0.1)(params)
        monkeypatch.setattr(objectives, "PART", 1)
        cut = Objective(data, choice, form, 0.1)
        found = []
        for n_threads in (1, 2, 4):
            with Crew(n_threads) as crew:
                found.append(cut.with_crew(crew)(params))
        for value, slope in found:
            assert value == found[0][0]
            np.testing.assert_array_equal(slope, found[0][1])
        assert found[0][0] == pytest.approx(whole[0], rel=1e-10)
        np.testing.assert_allclose(found[0][1], whole[1], rtol=1e-10, atol=1e-10 * BLOCK)


class TestFits:
    @pytest.mark.parametrize("model", [rs.TSTE, rs.SOE])
    def test_one_seed_one_result_bit_for_bit(self, model, answers, many_parts):
        fits = [model(2, random_state=3, n_jobs=n).fit(answers) for n in (None, 1, 2, 4)]
        assert len({fit.embedding_.tobytes() for fit in fits}) == 1
        assert len({fit.loss_ for fit in fits}) == 1

    def test_several_threads_work(self, answers, many_parts, busy):
        rs.TSTE(2, random_state=0, n_jobs=3, max_iter=5, tol=1.0).fit(answers)
        assert 2 <= busy[-1] <= 3

    def test_what_joblib_is_configured_to_counts(self, answers, many_parts, busy):
        with joblib.parallel_config(n_jobs=2):
            rs.TSTE(2, random_state=0, max_iter=5, tol=1.0).fit(answers)
        assert busy[-1] == 2

    def test_descents_share_the_threads(self, answers, many_parts, busy):
        rs.TSTE(2, random_state=0, n_init=3, n_jobs=2, max_iter=5, tol=1.0).fit(answers)
        assert busy[-1] <= 2

    def test_folds_share_the_threads(self, answers, many_parts, busy):
        model = rs.TSTE(random_state=0, n_jobs=4, max_iter=5, tol=1.0)
        rs.select_dimension(model, answers, [2, 3], cv=rs.GroupedKFold(2), n_jobs=2)
        assert busy[-1] <= 2

    def test_parallel_runs_of_others_get_one_thread_each(self, answers, many_parts, busy):
        model = rs.TSTE(2, random_state=0, n_jobs=4, max_iter=5, tol=1.0)
        run = joblib.Parallel(n_jobs=2, backend="threading")
        run(joblib.delayed(rs.TSTE.fit)(model, answers) for _ in range(2))
        assert busy[-1] <= 2

    def test_no_thread_is_left_behind(self, answers, many_parts):
        before = threading.active_count()
        rs.TSTE(2, random_state=0, n_jobs=4, max_iter=5, tol=1.0).fit(answers)
        assert threading.active_count() == before

    def test_ctrl_c_keeps_the_best_so_far(self, answers, many_parts):
        def press(progress):
            if progress.iteration == 4:
                os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.warns(NotConvergedWarning, match="was stopped after"):
                model = rs.TSTE(2, random_state=0, n_jobs=2, tol=1e-14, callback=press).fit(answers)
        finally:
            signal.signal(signal.SIGINT, before)
        assert 4 <= model.n_iter_ <= 6
        assert np.isfinite(model.embedding_).all()


class TestCrew:
    @pytest.mark.parametrize("n_threads", [1, 2, 5])
    def test_keeps_the_order(self, n_threads):
        with Crew(n_threads) as crew:
            assert crew.each(lambda k: k * k, range(20)) == [k * k for k in range(20)]
            assert crew.each(str, []) == []

    @pytest.mark.parametrize("n_threads", [1, 3])
    def test_an_error_ends_it(self, n_threads):
        begun = []

        def fail(k):
            begun.append(k)
            time.sleep(0.01)
            raise ValueError(k)

        with Crew(n_threads) as crew:
            with pytest.raises(ValueError, match=r"\d"):
                crew.each(fail, range(100))
            assert len(begun) <= n_threads
            assert crew.each(str, [1]) == ["1"]

    def test_tasks_share_a_budget(self):
        assert list(at_a_time(lambda _: left(), [(k,) for k in range(3)], 8)) == [2, 2, 2]
        assert list(at_a_time(lambda _: left(), [(0,)], 8)) == [8]
        assert list(at_a_time(lambda _: left(), [], 8)) == []

    def test_budgets_nest(self):
        inner = lambda _: list(at_a_time(lambda _: left(), [(0,)], 16))  # noqa: E731
        assert list(at_a_time(inner, [(0,), (1,)], 8)) == [[4], [4]]

    def test_a_thread_of_somebody_else_asks_for_itself(self):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(allowed, 3).result() == 3
        assert allowed(None) == 1


def test_where_the_system_has_no_locks_between_processes_there_are_threads(monkeypatch):
    """As where nobody may write to /dev/shm: joblib then knows two backends only."""
    for name in ("loky", "multiprocessing"):
        monkeypatch.delitem(BACKENDS, name)
    assert len(runpy.run_path(threads.__file__)["HERE"]) == 2


def test_tasks_are_done_in_their_order():
    assert not elsewhere()
    assert [*at_a_time(pow, [(2, 3), (3, 2)], n_jobs=2)] == [8, 9]
    assert [*in_turn(pow, [(2, 3), (3, 2)])] == [8, 9]


def test_blas_has_its_threads_again_after_any_order_of_leaving(monkeypatch):
    """BLAS itself stays as it is here, since each test process has one thread."""
    limits = []
    libraries = mock.Mock()
    libraries.limit.side_effect = lambda **to: (
        limits.append(to) or mock.Mock(restore_original_limits=lambda: limits.append("restored"))
    )
    one = threads.OneBlasThread()
    monkeypatch.setitem(vars(one), "_libraries", libraries)
    monkeypatch.setattr(threads, "one_blas_thread", one)
    first, second = threads.blas_threads(18), threads.blas_threads(40)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert limits == [{"limits": 1, "user_api": "blas"}]
    second.__exit__(None, None, None)
    assert limits[1:] == ["restored"]
    with threads.blas_threads(threads.SMALL):
        assert len(limits) == 2
