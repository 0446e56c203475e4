"""Progress of long work, reported by a callback with (steps done, total steps)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, TypeVar

Told = Callable[[int, int], object]
Thing = TypeVar("Thing")


class Steps:
    """Counts steps of work and reports each to a callback, with the expected total ``n``.

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
    """Follows work of several stages, and may end it at safe places.

    This one only reports each stage's steps; the command line's shows bars and ends at Ctrl-C.
    """

    ending: Any = None  # a callback of fits that says whether to end them

    def __init__(self, callback: Told | None = None) -> None:
        self.callback = callback

    def check(self, what: str = "working") -> None:
        """Raise if the work shall end here."""

    def iterations(self, what: str) -> Any:
        return None

    def steps(self, what: str) -> Told | None:
        return self.callback

    def folds(self, what: str, total: int) -> Told | None:
        """Return a callback for folds, over several fits; it returns whether to end here."""
        callback, numbers = self.callback, count()
        return callback and (lambda done, n: callback(next(numbers), total))

    def words(self, warning: Warning | str) -> str:
        return str(warning)
