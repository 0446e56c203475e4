"""Cycles of comparisons, to be shown."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from resemblance.graphs.acyclic import Edges


def shortest_cycles(edges: Edges, limit: int) -> list[NDArray[np.intp]]:
    """Find the shortest cycle through an edge, then through one that no cycle has met so far."""
    labels = edges.labels()
    open_ = np.flatnonzero(labels[edges.tail] == labels[edges.head])
    ids = csr_array((open_ + 1, (edges.tail[open_], edges.head[open_])), shape=(edges.n, edges.n))
    cycles: list[NDArray[np.intp]] = []
    while len(open_) and len(cycles) < limit:
        cycles.append(shortest_cycle(ids, edges, open_[0]))
        open_ = open_[~np.isin(open_, cycles[-1])]
    return sorted(cycles, key=len)


def shortest_cycle(ids: csr_array, edges: Edges, edge: int) -> NDArray[np.intp]:
    """Return the edge, and those of the shortest path from its head back to its tail."""
    before = breadth_first_order(ids, edges.head[edge])[1]
    path = [int(edges.tail[edge])]
    while path[-1] != edges.head[edge]:
        path.append(int(before[path[-1]]))
    path.reverse()
    steps = [int(ids[u, v]) - 1 for u, v in pairwise(path)]
    return np.array([edge, *steps])
