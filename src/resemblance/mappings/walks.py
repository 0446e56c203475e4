"""Fits along a path of settings, several at a time, that tell how far they are."""

from collections.abc import Callable, Sequence
from typing import Any

from joblib import Parallel


def counted(
    tasks: Sequence[Any], n_jobs: int | None, callback: Callable[[int, int], object] | None
) -> list[Any]:
    """Run delayed tasks; tell the callback after each how many are done, and how many there are.

    Examples
    --------
    >>> from joblib import delayed
    >>> counted([delayed(abs)(-1), delayed(abs)(2)], None, print)
    1 2
    2 2
    [1, 2]
    """
    found = []
    for one in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        found.append(one)
        if callback is not None:
            callback(len(found), len(tasks))
    return found
