"""Convert several picks from one question into choices of one."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def choices(picked: Sequence[T], options: Sequence[T], ordered: bool) -> Iterator[tuple[T, ...]]:
    r"""Yield, for each that was picked, it and what it was chosen from.

    .. math:: P = \prod_{i = 1}^{k} \frac{s_i}{s_i + \sum_{j \in R_i} s_j}

    In order, R_i are those not picked before i, and P is the probability of the order (Plackett,
    1975; Luce, 1959). Together, R are those that nobody picked: each factor is the probability that
    i comes before all of these, and their product is a composite likelihood of the set, at most k!
    times less than its probability under the same model.

    Parameters
    ----------
    picked : sequence
        The k options that were picked, the most similar one first.
    options : sequence
        All options.
    ordered : bool
        Whether they were picked in order.

    Examples
    --------
    >>> list(choices("bc", "abcd", ordered=True))
    [('b', 'a', 'c', 'd'), ('c', 'a', 'd')]
    >>> list(choices("bc", "abcd", ordered=False))
    [('b', 'a', 'd'), ('c', 'a', 'd')]
    """
    for n, chosen in enumerate(picked, 1):
        gone = picked[:n] if ordered else picked
        yield (chosen, *(option for option in options if option not in gone))
