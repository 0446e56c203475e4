"""Share the threads of one machine, or the workers of a cluster, among the parts of a fit.

There is one budget, the ``n_jobs`` of whoever is called first. What runs at a time shares it: with
8 threads and 3 descents, each descent sums its parts on 2. Inside somebody else's parallel run
(a grid search with ``n_jobs``), whose share nobody knows, it is one thread.

Inside ``joblib.parallel_config("dask")``, or that of another cluster, what runs at a time goes to
its workers, one thread each; one task alone stays here.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import BACKENDS, get_active_backend

# the last two are there only where a system has locks
OURS = "sequential", "threading", "loky", "multiprocessing"
HERE = tuple(BACKENDS[name] for name in OURS if name in BACKENDS)

Task = TypeVar("Task")
Result = TypeVar("Result")

_share: ContextVar[int | None] = ContextVar("share", default=None)


def allowed(n_jobs: int | None) -> int:
    """Return the number of threads asked for, at least 1, or the caller's remaining ones.

    ``n_jobs`` is as in joblib: -1 is all processors, None one, or what ``joblib.parallel_config``
    says.
    """
    share = _share.get()
    if share is None and (get_active_backend()[0].nesting_level or elsewhere()):
        share = 1  # one thread inside somebody else's parallel run
    if share == 1:
        return 1
    asked = int(effective_n_jobs(n_jobs))
    return asked if share is None else min(asked, share)


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
    """Return whether the user's ``joblib.parallel_config`` names a cluster."""
    return not isinstance(get_active_backend()[0], HERE)


def at_a_time(
    do: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    here: bool = False,
) -> Iterator[Result]:
    """Yield ``do(*task)`` of each task in order, several at a time, which share the threads.

    ``here`` keeps tasks in this process, whatever joblib is configured to, as callbacks need.
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
    """Return whether this is a task of Dask, which submits no further tasks."""
    dask = sys.modules.get("distributed")
    try:
        return dask is not None and bool(dask.get_worker())
    except ValueError:
        return False


def in_turn(do: Callable[..., Result], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Result]:
    """Yield ``do(*task)`` of each task in order, here or on the cluster configured in joblib."""
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
    """Threads that last for a whole fit; the caller is one of ``n_threads``."""

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

        After an error, or Ctrl-C, no further task begins, and running ones are waited for.
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
                except IndexError:  # another thread took the last one
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
