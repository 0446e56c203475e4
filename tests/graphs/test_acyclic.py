"""Selecting comparisons without cycles."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import resemblance as rs
from resemblance.graphs import _loops, acyclic
from resemblance.graphs.acyclic import Edges, keep_acyclic

METHODS = list(acyclic.METHODS)


def tournament(n, m, seed, weights=4):
    """Some weighted edges among n vertices, no two of them opposite."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))
    pairs = pairs[rng.permutation(len(pairs))[:m]]
    swapped = rng.random(len(pairs)) < 0.5
    pairs[swapped] = pairs[swapped, ::-1]
    tail, head = pairs.T.astype(np.int32)
    return Edges(n, tail, head, rng.integers(1, weights, len(pairs)).astype(float))


def kept_weight(edges, method, seed):
    return edges.weight[keep_acyclic(edges, method, np.random.RandomState(seed))].sum()


def most_weight(edges):
    """The most that any order keeps: over all subsets, what is best to come first."""
    W = np.zeros((edges.n, edges.n))
    W[edges.tail, edges.head] = edges.weight
    lost = np.full(1 << edges.n, np.inf)
    lost[0] = 0.0
    for first in range(1 << edges.n):
        inside = [v for v in range(edges.n) if first >> v & 1]
        for x in set(range(edges.n)) - set(inside):
            both = first | 1 << x
            lost[both] = min(lost[both], lost[first] + W[x, inside].sum())
    return edges.weight.sum() - lost[-1]


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12), m=st.integers(1, 60))
@settings(max_examples=40)
def test_no_cycle_is_left_and_nothing_can_be_put_back(method, seed, n, m):
    edges = tournament(n, m, seed)
    kept = keep_acyclic(edges, method, np.random.RandomState(seed))
    graph = nx.DiGraph(np.column_stack([edges.tail, edges.head])[kept].tolist())
    assert nx.is_directed_acyclic_graph(graph)
    for tail, head in zip(edges.tail[~kept], edges.head[~kept], strict=True):
        assert nx.has_path(graph, head, tail)


@pytest.mark.parametrize("seed", range(20))
def test_small_graphs_keep_the_most_possible(seed):
    edges = tournament(3 + seed % 5, 4 + seed, seed)
    assert kept_weight(edges, "sifting", seed) == most_weight(edges)


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_sifting_keeps_at_least_what_20_greedy_orders_keep_on_average(seed):
    edges = tournament(12 + 8 * seed, 60 * (seed + 1), seed)
    greedy = [kept_weight(edges, "greedy", order) for order in range(20)]
    heaviest = [kept_weight(edges, "heaviest", order) for order in range(20)]
    assert kept_weight(edges, "sifting", 0) > max(np.mean(greedy), np.mean(heaviest))
    assert np.mean(heaviest) > np.mean(greedy)


def test_comparisons_without_cycles_all_stay():
    rng = np.random.default_rng(0)
    pairs = np.unique(np.sort(rng.integers(40, size=(200, 2)), axis=1), axis=0)
    pairs = rng.permutation(40)[pairs[pairs[:, 0] < pairs[:, 1]]].astype(np.int32)
    edges = Edges(40, *pairs.T.copy(), np.ones(len(pairs)))
    for method in METHODS:
        assert keep_acyclic(edges, method, np.random.RandomState(0)).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_seed_gives_one_result_and_another_a_different_one(method):
    edges = tournament(60, 900, 0, weights=2)
    one, again, other = (
        keep_acyclic(edges, method, np.random.RandomState(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_heavy_comparisons_outweigh_many_light_ones():
    tail, head = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 0]], np.int32).T.copy()
    edges = Edges(4, tail, head, np.array([10.0, 10.0, 1.0, 1.0, 9.0]))
    for method in ("sifting", "heaviest"):
        assert keep_acyclic(edges, method, np.random.RandomState(0)).tolist() == [
            *(True, True, False, False, True)
        ]


def test_paths_through_hubs_change_nothing_but_the_time(monkeypatch):
    edges = tournament(80, 1500, 0)
    whole = [keep_acyclic(edges, m, np.random.RandomState(0)) for m in ("greedy", "heaviest")]
    monkeypatch.setattr(acyclic, "BATCH", 100)
    monkeypatch.setattr(acyclic.Dag, "joined", spy := Spy(acyclic.Dag.joined))
    in_batches = [keep_acyclic(edges, m, np.random.RandomState(0)) for m in ("greedy", "heaviest")]
    np.testing.assert_array_equal(whole, in_batches)
    assert spy.found > 0


class Spy:
    """Counts the pairs that a path through a hub joins."""

    def __init__(self, joined):
        self.joined, self.found = joined, 0

    def __get__(self, dag, kind):
        def joined(*ends):
            found = self.joined(dag, *ends)
            self.found += int(found.sum())
            return found

        return joined


def test_unknown_methods_are_refused():
    graph = rs.SimilarityGraph([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    with pytest.raises(rs.errors.SettingError, match="'sifting', 'greedy' or 'heaviest'"):
        graph.acyclic("random")


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30)
def test_sift_puts_a_vertex_where_no_other_place_keeps_more(seed):
    rng = np.random.default_rng(seed)
    n, d = 9, int(rng.integers(1, 8))
    others = rng.choice(np.arange(1, n), d, replace=False).astype(np.int32)
    gain = rng.integers(-3, 4, d).astype(float)
    start = np.zeros(n + 1, np.int32)
    start[1:] = d
    key = rng.permutation(n).astype(float)

    def kept(x):
        return gain[key[others] > x].sum()

    best = max(kept(x) for x in np.arange(-1, n) + 0.5)
    before = key[1:].copy()
    _loops.sift(start, others, gain, np.array([0]), rng.random((1, 2)), 1e-9, key)
    assert kept(key[0]) == best
    np.testing.assert_array_equal(key[1:], before)


def test_keys_that_come_too_close_are_ranked_anew():
    """Two vertices of a chain at a time go between a vertex and their successors."""
    n, before, last = 200, np.arange(200, 210), 210
    chain, starts = np.arange(n), np.arange(n - 2, -1, -2)
    tail = np.concatenate([chain[:-1], before, np.full(len(starts), last)]).astype(np.int32)
    head = np.concatenate([chain[1:], np.full(len(before), last), starts]).astype(np.int32)
    edges = Edges(last + 1, tail, head, np.ones(len(tail)))
    kept, place = acyclic.inserted(edges, np.arange(len(tail)))
    assert kept.all()
    assert (place[tail] < place[head]).all()
