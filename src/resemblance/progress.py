"""Progress of long work, reported by a callback with (steps done, total steps)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, TypeVar

Told = Callable[[int, int], object]
Thing = TypeVar("Thing")


class Steps:
    """Counts the steps of a work and tells of each.

    Parameters
    ----------
    callback : callable, optional
        Called with (steps done, steps in all) after each step.
    n : int
        The steps in all, as far as they are known.

    Examples
    --------
    >>> steps = Steps(lambda done, n: print(done, "of", n), 2)
    >>> list(steps.each([7, 8]))
    1 of 2
    2 of 2
    [7, 8]
    """

    def __init__(self, callback: Told | None = None, n: int = 0) -> None:
        self.callback, self.done, self.n = callback, 0, n

    def expect(self, n: int) -> None:
        """Learn of further steps, where work turns out to be longer."""
        self.n += n

    def take(self) -> None:
        """Count a step that is done, and tell of it."""
        self.done += 1
        if self.callback is not None:
            self.callback(self.done, self.n)

    def each(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """Yield one thing after another; what is done with each is a step."""
        for thing in things:
            yield thing
            self.take()


class Watch:
    """Follows a work of several stages, and may end it at a place where nothing is lost.

    This one tells a callback of the steps of each stage, and never ends anything; that of the
    command line shows bars and ends at Ctrl-C.

    Parameters
    ----------
    callback : callable, optional
        Called with (steps done, steps in all) of each stage in turn.
    """

    ending: Any = None  # a callback of fits that says whether to end them

    def __init__(self, callback: Told | None = None) -> None:
        self.callback = callback

    def check(self, what: str = "working") -> None:
        """Raise if the work is to end here."""

    def iterations(self, what: str) -> Any:
        """Return the callback of a fit."""
        return None

    def steps(self, what: str) -> Told | None:
        """Return a callback of the steps of a stage."""
        return self.callback

    def folds(self, what: str, total: int) -> Told | None:
        """Return a callback of folds, so many over several fits; it says whether to end here."""
        callback, numbers = self.callback, count()
        return callback and (lambda done, n: callback(next(numbers), total))

    def words(self, warning: Warning | str) -> str:
        """Return the text of a warning."""
        return str(warning)
