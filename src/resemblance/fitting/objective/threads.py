"""Run the parts of a fit on threads of this machine, or on workers of a cluster.

The number of threads is ``n_jobs`` of the outermost call, and its parallel tasks share them: with 8
threads and 3 descents, each descent uses 2. In a parallel run of another library, such as a grid
search with ``n_jobs``, there is one thread.

Within ``joblib.parallel_config("dask")``, or the backend of another cluster, parallel tasks run on
the cluster's workers with one thread each. A single task runs in this process.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cached_property
from threading import Lock
from typing import Any, Self, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import BACKENDS, get_active_backend
from threadpoolctl import ThreadpoolController

# "loky" and "multiprocessing" are missing on systems without semaphores
OURS = "sequential", "threading", "loky", "multiprocessing"
HERE = tuple(BACKENDS[name] for name in OURS if name in BACKENDS)

SMALL = 256  # matrices with fewer rows are faster with one thread of BLAS

Task = TypeVar("Task")
Result = TypeVar("Result")

_share: ContextVar[int | None] = ContextVar("share", default=None)


def allowed(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``: 1 to the number that the calling fit may use.

    ``n_jobs`` is as in joblib: -1 is all processors; None is the number of
    ``joblib.parallel_config``, or one.
    """
    share = _share.get()
    if share is None and (get_active_backend()[0].nesting_level or elsewhere()):
        share = 1  # one thread in a parallel run of another library
    if share == 1:
        return 1
    asked = int(effective_n_jobs(n_jobs))
    return asked if share is None else min(asked, share)


class OneBlasThread:
    """Limit BLAS to one thread in this process, however many threads enter and leave.

    BLAS wakes its threads even for tiny matrices: a Cholesky factor of an 18 x 18 matrix then takes
    25 times as long.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        return ThreadpoolController()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = self._libraries.limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


one_blas_thread = OneBlasThread()


def blas_threads(n: int) -> AbstractContextManager[None]:
    """Limit BLAS to one thread for matrices with n rows, if they are small."""
    return one_blas_thread if n < SMALL else nullcontext()


def left() -> int:
    return _share.get() or 1


@contextmanager
def sharing(n_threads: int) -> Iterator[None]:
    token = _share.set(n_threads)
    try:
        yield
    finally:
        _share.reset(token)


def elsewhere() -> bool:
    return not isinstance(get_active_backend()[0], HERE)


def at_a_time(
    do: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    here: bool = False,
) -> Iterator[Result]:
    """Yield ``do(*task)`` of each task, in order. Parallel tasks share the threads.

    ``here`` runs tasks in this process even if joblib is configured for a cluster, because
    callbacks need it.
    """
    if not here and _spreads(tasks):
        return _far(do, tasks)
    budget = allowed(n_jobs)
    together = max(1, min(budget, len(tasks)))

    def shared(*task: Any) -> Result:
        with sharing(budget // together):
            return do(*task)

    if together == 1:
        return (shared(*task) for task in tasks)
    run = Parallel(n_jobs=together, backend="threading", return_as="generator")
    results: Iterator[Result] = run(delayed(shared)(*task) for task in tasks)
    return results


def _on_a_worker() -> bool:
    dask = sys.modules.get("distributed")
    try:
        return dask is not None and bool(dask.get_worker())
    except ValueError:
        return False


def in_turn(do: Callable[..., Result], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Result]:
    return _far(do, tasks) if _spreads(tasks) else (do(*task) for task in tasks)


def _spreads(tasks: Sequence[tuple[Any, ...]]) -> bool:
    return len(tasks) > 1 and _share.get() is None and elsewhere() and not _on_a_worker()


def _far(do: Callable[..., Result], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Result]:
    results: Iterator[Result] = Parallel(return_as="generator")(
        delayed(_alone)(do, *task) for task in tasks
    )
    return results


def _alone(do: Callable[..., Result], *task: Any) -> Result:
    with sharing(1):
        return do(*task)


class Crew:
    """A pool of ``n_threads`` threads for a whole fit; the calling thread is one of them."""

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads = n_threads
        self._helpers = ThreadPoolExecutor(n_threads - 1, "fit") if n_threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._helpers is not None:
            self._helpers.shutdown()

    def each(self, do: Callable[[Task], Result], tasks: Iterable[Task]) -> list[Result]:
        """Return ``do(task)`` of each task, in order.

        After an error or Ctrl-C, running tasks are finished, and no other task is started.
        """
        if self._helpers is None:
            return [do(task) for task in tasks]
        todo = deque(enumerate(tasks))
        done: dict[int, Result] = {}
        n_helpers = min(self.n_threads, len(todo)) - 1

        def work() -> None:
            while todo:
                try:
                    at, task = todo.popleft()
                except IndexError:  # another thread took the last task
                    return
                done[at] = do(task)

        helpers = [self._helpers.submit(work) for _ in range(n_helpers)]
        try:
            work()
        finally:
            todo.clear()
            for helper in helpers:
                helper.result()
        return [done[at] for at in sorted(done)]
