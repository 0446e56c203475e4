"""The graph of comparisons."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import resemblance as rs

ITEMS = 6


@st.composite
def comparisons(draw, least=1, most=40):
    """Rows of quadruplets on six items, of which many contradict each other."""
    item = st.integers(0, ITEMS - 1)
    pair = st.tuples(item, item).filter(lambda p: p[0] != p[1])
    row = st.tuples(pair, pair).filter(lambda r: set(r[0]) != set(r[1]))
    rows = draw(st.lists(row, min_size=least, max_size=most))
    return rs.Quadruplets(np.reshape(rows, (-1, 4)), ITEMS)


def edges_of(graph):
    """The edges as pairs of sets of items."""
    pairs = [frozenset(map(int, pair)) for pair in graph.pairs]
    return {(pairs[u], pairs[v]) for u, v in graph.edges}


def network(graph):
    out = nx.DiGraph(graph.edges.tolist())
    out.add_nodes_from(range(graph.n_vertices))
    return out


def random_dag(n, m, seed, near=None):
    """Comparisons of n pairs (0, i) that follow a hidden order, perhaps only of near ones."""
    rng = np.random.default_rng(seed)
    one = rng.integers(n - 1, size=m)
    other = np.minimum(one + 1 + rng.integers(near or n, size=m), n - 1)
    index = 1 + rng.permutation(n)[np.column_stack([one, other])[one < other]]
    return rs.Triplets(np.column_stack([np.zeros(len(index), int), index]), n + 1)


def test_vertices_are_unordered_pairs_and_equal_comparisons_one_edge():
    rows = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 2]]
    graph = rs.SimilarityGraph(rs.Quadruplets(rows, weight=[1.0, 2.5, 4.0]))
    assert graph.pairs.tolist() == [[0, 1], [0, 2], [2, 3]]
    assert graph.edges.tolist() == [[0, 2], [2, 1]]
    assert graph.weights.tolist() == [3.5, 4.0]
    assert graph.rows(0).tolist() == [0, 1]
    assert graph.rows([0, 1]).tolist() == [0, 1, 2]
    assert repr(graph) == "SimilarityGraph(3 pairs, 2 comparisons)"


@given(comparisons())
@settings(max_examples=40)
def test_edges_are_the_comparisons(quadruplets):
    graph = rs.SimilarityGraph(quadruplets)
    expected = {(frozenset((a, b)), frozenset((c, d))) for a, b, c, d in quadruplets.index.tolist()}
    assert edges_of(graph) == expected
    assert graph.weights.sum() == len(quadruplets)
    np.testing.assert_array_equal(graph.rows(), np.arange(len(quadruplets)))


def test_triplets_are_quadruplets_of_the_head_twice():
    rng = np.random.default_rng(0)
    triplets = np.array([rng.choice(9, 3, replace=False) for _ in range(60)])
    one = rs.SimilarityGraph(triplets)
    other = rs.SimilarityGraph(triplets[:, [0, 1, 0, 2]])
    assert edges_of(one) == edges_of(other)


def test_weights_count_like_repeats():
    rng = np.random.default_rng(1)
    rows = np.array([rng.choice(5, 3, replace=False) for _ in range(80)])
    repeated = rs.Triplets(rows, 5)
    merged = repeated.merge_repeats()
    for keep in ("none", "majority"):
        one, other = (
            rs.SimilarityGraph(judgments).prune_contradictions(keep).acyclic(random_state=0)
            for judgments in (repeated, merged)
        )
        np.testing.assert_array_equal(one.edges, other.edges)
        np.testing.assert_array_equal(one.weights, other.weights)


@given(comparisons())
@settings(max_examples=40)
def test_contradictions_are_the_edges_that_are_there_both_ways(quadruplets):
    graph = rs.SimilarityGraph(quadruplets)
    edges = graph.edges.tolist()
    found = {frozenset(map(tuple, graph.edges[both])) for both in graph.contradictions()}
    assert found == {frozenset([(u, v), (v, u)]) for u, v in edges if [v, u] in edges}
    heavier, lighter = graph.weights[graph.contradictions()].T
    assert (heavier >= lighter).all()


def test_which_of_two_opposite_comparisons_stays():
    tie, won = [[0, 1, 2], [0, 2, 1]], [[3, 0, 1], [3, 0, 1], [3, 1, 0]]
    graph = rs.SimilarityGraph([*tie, *won, [1, 2, 3]])
    assert graph.prune_contradictions().rows().tolist() == [5]
    assert graph.prune_contradictions("majority").rows().tolist() == [2, 3, 5]
    alone = rs.SimilarityGraph(tie).prune_contradictions("majority")
    assert (alone.n_vertices, alone.n_edges, len(alone.judgments())) == (2, 0, 0)
    assert len(alone.contradictions()) == len(alone.components()) == len(alone.cycles()) == 0
    with pytest.raises(rs.errors.SettingError, match="'none' or 'majority'"):
        graph.prune_contradictions("all")


@given(comparisons())
@settings(max_examples=40)
def test_components_hold_all_cycles(quadruplets):
    graph = rs.SimilarityGraph(quadruplets)
    expected = [c for c in nx.strongly_connected_components(network(graph)) if len(c) > 1]
    assert {frozenset(part.tolist()) for part in graph.components()} == set(
        map(frozenset, expected)
    )
    sizes = [len(part) for part in graph.components()]
    assert sizes == sorted(sizes, reverse=True)


@given(comparisons(), st.integers(0, 5))
@settings(max_examples=40)
def test_cycles_close_and_each_is_the_shortest_through_its_first_edge(quadruplets, limit):
    graph = rs.SimilarityGraph(quadruplets)
    cycles = graph.cycles(limit)
    assert len(cycles) <= limit
    assert bool(cycles) == bool(graph.components() and limit)
    for cycle in cycles:
        tail, head = graph.edges[cycle].T
        np.testing.assert_array_equal(head, np.roll(tail, -1))
        back = nx.shortest_path_length(network(graph), head[0], tail[0])
        assert len(cycle) == back + 1


@pytest.mark.parametrize(("n", "m", "near"), [(8, 30, None), (60, 300, None), (300, 2000, 6)])
def test_reduction_and_levels_are_those_of_networkx(n, m, near):
    graph = rs.SimilarityGraph(random_dag(n, m, 0, near))
    reduced = graph.reduced()
    assert set(map(tuple, reduced.edges.tolist())) == set(
        nx.transitive_reduction(network(graph)).edges
    )
    layers = nx.topological_generations(network(graph))
    assert {v: level for level, layer in enumerate(layers) for v in layer} == dict(
        enumerate(graph.levels().tolist())
    )
    np.testing.assert_array_equal(reduced.levels(), graph.levels())


@given(comparisons(), st.sampled_from(["sifting", "greedy", "heaviest"]))
@settings(max_examples=40)
def test_contradictions_that_nobody_pruned_are_cycles_of_two(quadruplets, method):
    graph = rs.SimilarityGraph(quadruplets)
    kept = graph.acyclic(method, random_state=0)
    assert kept.components() == []
    for tail, head in edges_of(graph) - edges_of(kept):
        one, other = ([set(pair) for pair in kept.pairs.tolist()].index(p) for p in (tail, head))
        assert nx.has_path(network(kept), other, one)


def test_topological_order():
    graph = rs.SimilarityGraph(random_dag(50, 200, 0))
    place = np.argsort(graph.topological_order())
    tail, head = graph.edges.T
    assert (place[tail] < place[head]).all()


@given(comparisons())
@settings(max_examples=30)
def test_the_embedding_of_a_graph_without_cycles_satisfies_all_of_it(quadruplets):
    graph = rs.SimilarityGraph(quadruplets).prune_contradictions("majority").acyclic(random_state=0)
    X = graph.embedding()
    assert X.shape == (ITEMS, ITEMS - 1)
    a, b, c, d = graph.judgments().index.T
    near, far = (((X[i] - X[j]) ** 2).sum(axis=1) for i, j in ((a, b), (c, d)))
    assert (near + 1 <= far + 1e-9).all()


def test_the_square_has_an_embedding_although_no_line_can_satisfy_it():
    """Figure 7 of the paper: each side is shorter than each diagonal."""
    sides, diagonals = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 2), (1, 3)]
    square = rs.Quadruplets([[*s, *d] for s in sides for d in diagonals])
    assert rs.triplet_error(rs.SimilarityGraph(square).embedding(), square) == 0
    a, b, c, d = square.index.T
    lines = np.random.default_rng(0).random((5000, 4))
    satisfied = abs(lines[:, a] - lines[:, b]) < abs(lines[:, c] - lines[:, d])
    assert not satisfied.all(axis=1).any()


def test_what_goes_with_the_rows_stays_with_them():
    triplets = rs.Triplets(
        [[0, 1, 2], [0, 2, 1], [1, 2, 0]],
        ["ant", "bee", "cow"],
        weight=[1.0, 2.0, 3.0],
        observer=["ann", "bob", "cem"],
        extra={"side": [0, 1, 0]},
    )
    left = rs.SimilarityGraph(triplets).prune_contradictions("majority").judgments()
    assert isinstance(left, rs.Triplets)
    assert left.items.names == ("ant", "bee", "cow")
    assert left.weight.tolist() == [2.0, 3.0]
    assert left.observer.tolist() == ["bob", "cem"]
    assert left.extra["side"].tolist() == [1, 0]


def test_it_never_changes():
    graph = rs.SimilarityGraph([[0, 1, 2]])
    with pytest.raises(AttributeError, match="never changes"):
        graph.weights = np.ones(1)
    with pytest.raises(ValueError, match="read-only"):
        graph.edges[0] = 1


@pytest.mark.parametrize("method", ["topological_order", "levels", "reduced", "embedding"])
def test_what_needs_an_order_names_the_remedy(method):
    graph = rs.SimilarityGraph([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 3]])
    with pytest.raises(rs.errors.JudgmentError, match=r"has cycles.*take \.acyclic\(\)"):
        getattr(graph, method)()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([[0, 1, 2], [1, 1, 2]], "row 1: the head '1' is also among its options"),
        ([[0, 1, 2], [0, 2, 2]], "row 1: near and far are both '2'"),
        ([[0, 1, 2, 3], [2, 2, 0, 1]], "row 1: a and b are both '2'"),
        ([[0, 1, 2, 3], [0, 1, 1, 0]], "row 1: both pairs are '0' with '1'"),
    ],
)
def test_pairs_of_one_item_and_pairs_with_themselves_are_refused(rows, told):
    with pytest.raises(rs.errors.JudgmentError, match=told):
        rs.SimilarityGraph(rows)


def test_other_judgments_are_refused_with_the_remedy():
    choices = rs.Choices([0, 1], [[1, 2, 3], [0, 2, 3]], chosen=[2, 0])
    with pytest.raises(rs.errors.JudgmentError, match=r"not Choices.*triplets_from_choices"):
        rs.SimilarityGraph(choices)
    assert rs.SimilarityGraph(rs.judgments.triplets_from_choices(choices)).n_edges == 4
    with pytest.raises(rs.errors.JudgmentError, match="there are no comparisons"):
        rs.SimilarityGraph(rs.Triplets([[0, 1, 2]])[:0])


def test_doubtful_edges_are_ties_and_the_lightest_of_cycles():
    rows = [[0, 1, 2], [0, 2, 1], [3, 4, 5], [3, 4, 5], [5, 3, 4], [5, 3, 4], [4, 5, 3], [6, 0, 1]]
    graph = rs.SimilarityGraph(rows)
    asked = [graph.rows([edge]).tolist() for edge in graph.doubtful()]
    assert asked[0] in ([0], [1])
    assert asked[1:] == [[6]]
    assert len(graph.doubtful(limit=1)) == 1
    assert len(graph._keep(np.zeros(graph.n_edges, bool)).doubtful()) == 0
