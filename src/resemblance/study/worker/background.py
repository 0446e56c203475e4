"""Run one piece of work in a thread beside the worker's loop."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """One piece of work at a time, begun by the loop and collected by it when done.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> work = Background[int]()
    >>> with ThreadPoolExecutor(1) as threads:
    ...     work.begin(threads, lambda: 3)
    >>> work.ended().result(), work.is_busy
    (3, False)
    """

    def __init__(self) -> None:
        self._future: Future[T] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it runs, or is not collected yet."""
        return self._future is not None

    def begin(self, threads: Executor, work: Callable[..., T], *arguments: object) -> None:
        self._future = threads.submit(work, *arguments)

    def ended(self) -> "Future[T] | None":
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return future
