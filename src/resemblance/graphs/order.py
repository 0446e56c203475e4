"""Reachability in acyclic graphs, read off the order of their vertices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Ints
from resemblance.graphs import _loops

Mask = NDArray[np.bool_]

HUBS = 64  # one bit each


@dataclass(frozen=True)
class Dag:
    """Edges without cycles as linked lists (see ``_loops``), and an order of the vertices."""

    first: Ints
    links: Ints
    order: NDArray[np.int64]

    @classmethod
    def of(cls, n: int, tail: Ints, head: Ints) -> "Dag":
        """Order the vertices so that edges lead forward, without those on or behind a cycle."""
        first, links = _loops.linked(n, tail, head)
        return cls(first, links, _loops.sorted_vertices(first, links))

    def levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the longest path that ends in each vertex, and the longest that starts there."""
        up, down = (_loops.levels(self.first, self.links, self.order, s) for s in (1, 0))
        return up, down

    def hubs(self) -> NDArray[np.int64]:
        """Choose vertices through which many paths go: evenly along a longest one."""
        up, down = self.levels()
        longest = np.flatnonzero(up + down == (up + down).max())
        longest = longest[np.argsort(up[longest], kind="stable")]
        return longest[np.linspace(0, len(longest) - 1, HUBS).astype(np.intp)]

    def joined(self, sources: Ints, targets: Ints) -> Mask:
        """Mark pairs of vertices that a path through a hub joins; other pairs may be joined too."""
        own = np.zeros(len(self.order), np.uint64)
        own[self.hubs()] = np.uint64(1) << np.arange(HUBS, dtype=np.uint64)
        behind, before = (
            _loops.reached(self.first, self.links, self.order, s, own) for s in (0, 1)
        )
        return (behind[sources] & before[targets]) != 0


def ranks(values: NDArray[Any]) -> Ints:
    """Return the place of each value in increasing order, equal ones as they come."""
    return np.argsort(np.argsort(values, kind="stable")).astype(np.int32)


def redundant(order: NDArray[np.int64], tail: Ints, head: Ints) -> Mask:
    """Mark the edges of a graph without cycles whose ends a longer path joins.

    Most are found by a path through a hub. For the others a search from both ends looks only at
    vertices between them, by the longest paths that end and that start there.
    """
    place = np.argsort(order).astype(np.int32)
    # neighbours in a search are neighbours in memory
    sequence = np.lexsort((place[head], place[tail]))
    tail, head = place[tail][sequence], place[head][sequence]
    first, links = _loops.linked(len(order), tail, head)
    dag = Dag(first, links, np.arange(len(order)))
    up, down = dag.levels()
    key = np.column_stack([up, -down]).astype(np.int32)
    joined = dag.joined(tail, head)
    unsure = np.flatnonzero(~joined & (key[head] - key[tail] > 1).all(axis=1))
    _loops.redundant(tail, head, dag.first, dag.links, key, unsure, joined)
    out = np.empty_like(joined)
    out[sequence] = joined
    return out
