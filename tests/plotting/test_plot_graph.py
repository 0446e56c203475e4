"""The picture of a graph of comparisons."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

import resemblance as rs
from resemblance.plotting import graph as drawing

ROWS = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 3, 1], [0, 2, 3], [1, 2, 3], [1, 0, 3]]


@pytest.fixture
def graph():
    return rs.SimilarityGraph(rs.Triplets(ROWS, ["a$", "b$", "c", "d"]))


def arrows(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]


def test_every_comparison_is_an_arrow_of_its_kind(graph):
    ax = rs.plot_similarity_graph(graph, title="all")
    colours = [to_hex(arrow.get_edgecolor()) for arrow in arrows(ax)]
    assert len(colours) == graph.n_edges
    assert colours.count(drawing.LIGHT[3]) == 2  # two contradictions
    assert colours.count(drawing.LIGHT[1]) == 1  # one more closes the cycle of three
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["redundant", "comparison", "closes a cycle", "contradiction"]
    assert ax.get_title(loc="left") == "all"


def test_arrows_of_consistent_comparisons_lead_to_the_right(graph):
    consistent = graph.prune_contradictions().acyclic(random_state=0)
    ax = rs.plot_similarity_graph(consistent)
    x, y = ax.lines[0].get_data()
    tail, head = consistent.edges.T
    assert (x[tail] < x[head]).all()
    assert len(set(zip(x, y, strict=True))) == consistent.n_vertices


def test_names_are_written_as_they_are_and_only_where_they_can_be_read(graph, monkeypatch):
    names = [text.get_text() for text in rs.plot_similarity_graph(graph).texts]
    assert "a$ – b$" in names
    assert len(names) == graph.n_vertices
    monkeypatch.setattr(drawing, "NAMED", 3)
    assert not rs.plot_similarity_graph(graph).texts


def test_too_many_pairs_are_refused():
    rows = np.column_stack([np.zeros(501, int), np.arange(1, 502), np.arange(2, 503)])
    with pytest.raises(rs.errors.SettingError, match="500 pairs at most"):
        rs.plot_similarity_graph(rs.SimilarityGraph(rows))
