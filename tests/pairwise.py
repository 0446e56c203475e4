"""Few cases for tests of many settings: each pair of values comes together, not each combination.

What goes wrong in software hangs on one setting, or on two that meet; hardly ever on three.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product


def pairwise(
    *factors: Sequence[object], allowed: Callable[..., object] = lambda *row: True
) -> list[tuple[object, ...]]:
    """Give rows, one value of each factor, that hold every pair of values that may meet.

    The row with the most pairs that no row before it has comes first; what a row adds never
    grows, so one pass for each number of new pairs finds it.
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
