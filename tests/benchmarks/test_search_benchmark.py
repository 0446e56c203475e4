"""The search benchmark runs, and its exhaustive pages are those of the definition."""

import numpy as np
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def search():
    with scripts("benchmarks", "search") as modules:
        yield modules.search


@pytest.fixture(scope="module")
def rows(search):
    return {row["pages"]: row for row in search.run(sizes=(60,), worlds=2, targets=4)}


def test_every_search_ends_and_takes_time(search, rows):
    assert list(rows) == ["ours", "exhaustive greedy", f"best of {search.CRUDE} random"]
    for row in rows.values():
        assert row["items"] == 60
        assert 0 < row["mean"] < search.MOST
        assert 0 < row["ms median"] <= row["ms 99 %"]


def test_information_equals_the_definition(search):
    """What an answer tells: the entropy of its own less that which is left where x is known."""
    rng = np.random.default_rng(0)
    n, page = 7, [4, 1]
    s, tau = rng.uniform(0.1, 2.0, size=(n, n)), rng.dirichlet(np.ones(n))
    gains = search.information(s, tau, page)
    for item in set(range(n)) - set(page):
        shown = [*page, item]
        p = np.zeros((n, n + len(shown)))  # "it is x" for every x, then each tile
        for x in range(n):
            if x in shown:
                p[x, x] = 1.0
            else:
                p[x, n:] = s[x, shown] / s[x, shown].sum()
        told = tau @ p
        known = sum(tau[x] * search.entropy(p[x]) for x in range(n))
        assert gains[item] == pytest.approx(search.entropy(told) - known)


def test_placing_compares_adaptive_with_random_questions(search):
    rows = list(search.place(worlds=2, n=30, new=2, marks=((True, 6), (False, 8))))
    assert [row["questions"] for row in rows] == ["6 adaptive", "8 random", "first less last"]
    ours, other, difference = (row["mean log rank"] for row in rows)
    assert difference == pytest.approx(ours - other)
    assert 0 <= ours < np.log(30)
