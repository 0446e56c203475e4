"""Choose few cases for tests of many settings, in which each pair of values occurs.

Most faults of software depend on one setting or on two, and very few on three.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product


def pairwise(
    *factors: Sequence[object], allowed: Callable[..., object] = lambda *row: True
) -> list[tuple[object, ...]]:
    """Return rows, with a value of each factor, that contain every allowed pair of values.

    The next row is always one with the most new pairs. This number never grows, so one pass over
    the combinations for each number is enough.
    """
    places = product(*(range(len(values)) for values in factors))
    rows = {
        frozenset(combinations(enumerate(place), 2)): row
        for place, row in zip(places, product(*factors), strict=True)
        if allowed(*row)
    }
    left = set().union(*rows)
    chosen = []
    for new in range(len(factors) * (len(factors) - 1) // 2, 0, -1):
        for pairs, row in rows.items():
            if len(pairs & left) == new:
                left -= pairs
                chosen.append(row)
    return chosen
