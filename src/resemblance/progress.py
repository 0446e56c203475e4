"""Report progress of long computations to a callback, as (steps done, steps in all)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, TypeVar

Told = Callable[[int, int], object]
Thing = TypeVar("Thing")


class Steps:
    """Counts steps, and reports each step to a callback with the expected total ``n``.

    >>> steps = Steps(lambda done, n: print(done, "of", n), 2)
    >>> list(steps.each([7, 8]))
    1 of 2
    2 of 2
    [7, 8]
    """

    def __init__(self, callback: Told | None = None, n: int = 0) -> None:
        self.callback, self.done, self.n = callback, 0, n

    def expect(self, n: int) -> None:
        self.n += n

    def take(self) -> None:
        self.done += 1
        if self.callback is not None:
            self.callback(self.done, self.n)

    def each(self, things: Iterable[Thing]) -> Iterator[Thing]:
        for thing in things:
            yield thing
            self.take()


class Watch:
    """Watches a computation of several stages, and can stop it at safe points.

    This class only reports the steps of each stage. The subclass in the command line shows progress
    bars, and stops at Ctrl-C.
    """

    ending: Any = None  # callback of fits; a fit stops if it returns a true value

    def __init__(self, callback: Told | None = None) -> None:
        self.callback = callback

    def check(self, what: str = "working") -> None:
        """Raise an error if the computation should stop here."""

    def iterations(self, what: str) -> Any:
        return None

    def steps(self, what: str) -> Told | None:
        return self.callback

    def folds(self, what: str, total: int) -> Told | None:
        """Return a callback for folds of several fits; a fit stops if it returns a true value."""
        callback, numbers = self.callback, count()
        return callback and (lambda done, n: callback(next(numbers), total))

    def words(self, warning: Warning | str) -> str:
        return str(warning)
