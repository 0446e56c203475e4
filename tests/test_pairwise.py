"""The helper that picks cases: no pair of values is lost, and few rows are left."""

from itertools import combinations, product

from pairwise import pairwise

FACTORS = list(range(8)), list("abcdefgh"), [True, False], list(range(10, 16))


def pairs_in(rows):
    return {pair for row in rows for pair in combinations(row, 2)}


def test_every_pair_that_may_meet_comes_in_few_rows():
    allowed = lambda number, letter, *_: (number < 4) == (letter < "e")  # noqa: E731
    rows = pairwise(*FACTORS, allowed=allowed)
    assert all(allowed(*row) for row in rows)
    assert len(rows) <= 60
    assert pairs_in(rows) == pairs_in(row for row in product(*FACTORS) if allowed(*row))
