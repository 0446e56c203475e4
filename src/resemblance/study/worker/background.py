"""Run one piece of work in a thread beside the worker's loop."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """One piece of work at a time: begun by the loop, and taken by it when it is done.

    Examples
    --------
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
        """Whether it is under way, or not taken yet."""
        return self._future is not None

    def begin(self, threads: Executor, work: Callable[..., T], *arguments: object) -> None:
        """Begin it."""
        self._future = threads.submit(work, *arguments)

    def ended(self) -> "Future[T] | None":
        """Return what is done, once; None before that."""
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return future
