"""Convert several picks in one question into single choices."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def choices(picked: Sequence[T], options: Sequence[T], ordered: bool) -> Iterator[tuple[T, ...]]:
    r"""Yield for each pick the picked option, then the options that it was preferred to.

    .. math:: P = \prod_{i = 1}^{k} \frac{s_i}{s_i + \sum_{j \in R_i} s_j}

    with the similarities s of options. If ordered, R_i are the options that remain after pick i,
    and P is the probability of the order (Plackett, 1975; Luce, 1959). Otherwise all R_i are the
    options that were not picked, and each factor is the probability that pick i is preferred to
    R_i. Then P is a composite likelihood of the set: at least its probability divided by k!.

    >>> list(choices("bc", "abcd", ordered=True))
    [('b', 'a', 'c', 'd'), ('c', 'a', 'd')]
    >>> list(choices("bc", "abcd", ordered=False))
    [('b', 'a', 'd'), ('c', 'a', 'd')]
    """
    for n, chosen in enumerate(picked, 1):
        gone = picked[:n] if ordered else picked
        yield (chosen, *(option for option in options if option not in gone))
