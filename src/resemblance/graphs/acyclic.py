"""Select a set of comparisons without cycles and with a large total weight."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from resemblance.arrays import Ints
from resemblance.graphs import _loops
from resemblance.progress import Steps
from resemblance.ranges import check, one_of

Mask = NDArray[np.bool_]

HUBS = 64  # number of hubs; each is a bit of a 64-bit integer
SWEEPS = 10  # number of sweeps before each insertion of edges
WORTH = 0.05  # rounds end if the lost weight falls by less than this share
BATCH = 4000  # minimum number of edges between new choices of hubs
FEW_EDGES = 500  # up to this many edges, several orders are tried, which costs almost nothing
ORDERS = 5  # number of random orders tried with few edges


@dataclass(frozen=True)
class Dag:
    first: Ints
    links: Ints
    order: NDArray[np.int64]

    @classmethod
    def of(cls, n: int, tail: Ints, head: Ints) -> "Dag":
        first, links = _loops.linked(n, tail, head)
        return cls(first, links, _loops.sorted_vertices(first, links))

    def levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lengths of the longest paths to each vertex and from each vertex."""
        up, down = (_loops.levels(self.first, self.links, self.order, s) for s in (1, 0))
        return up, down

    def hubs(self) -> NDArray[np.int64]:
        """Choose vertices that are probably on many paths: evenly along a longest path."""
        up, down = self.levels()
        longest = np.flatnonzero(up + down == (up + down).max())
        longest = longest[np.argsort(up[longest], kind="stable")]
        return longest[np.linspace(0, len(longest) - 1, HUBS).astype(np.intp)]

    def joined(self, sources: Ints, targets: Ints) -> Mask:
        """Return a mask of pairs of vertices that are joined by a path through a hub."""
        own = np.zeros(len(self.order), np.uint64)
        own[self.hubs()] = np.uint64(1) << np.arange(HUBS, dtype=np.uint64)
        behind, before = (
            _loops.reached(self.first, self.links, self.order, s, own) for s in (0, 1)
        )
        return (behind[sources] & before[targets]) != 0


def ranks(values: NDArray[Any]) -> Ints:
    return np.argsort(np.argsort(values, kind="stable")).astype(np.int32)


def redundant(order: NDArray[np.int64], tail: Ints, head: Ints) -> Mask:
    """Return a mask of edges whose ends are also joined by a longer path."""
    place = np.argsort(order).astype(np.int32)
    # In this order, consecutive searches read neighbouring memory.
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


@dataclass(frozen=True)
class Edges:
    n: int
    tail: Ints
    head: Ints
    weight: NDArray[np.float64]

    def labels(self) -> Ints:
        ones = np.ones(len(self.tail), np.int8)
        matrix = csr_array((ones, (self.tail, self.head)), shape=(self.n, self.n))
        return connected_components(matrix, connection="strong")[1]

    def subset(self, chosen: Mask) -> "Edges":
        tail, head = self.tail[chosen], self.head[chosen]
        met = np.zeros(self.n, bool)
        met[tail] = met[head] = True
        place = (np.cumsum(met) - 1).astype(np.int32)
        return Edges(int(met.sum()), place[tail], place[head], self.weight[chosen])

    def sorted_along(self, place: Ints) -> tuple["Edges", NDArray[np.intp], int]:
        tail, head = place[self.tail], place[self.head]
        back = tail > head
        length = np.where(back, tail - head, head)
        order = np.lexsort((length, np.where(back, -self.weight, tail), back))
        sorted_ = Edges(self.n, tail[order], head[order], self.weight[order])
        return sorted_, order, len(back) - int(back.sum())


def keep_acyclic(
    edges: Edges, method: str, rng: np.random.RandomState, steps: Steps | None = None
) -> Mask:
    check(method=(method, one_of(*METHODS)))
    labels = edges.labels()
    inside = labels[edges.tail] == labels[edges.head]
    kept = ~inside
    if inside.any():
        kept[inside] = METHODS[method](edges.subset(inside), rng, steps or Steps())
    return kept


def greedy(edges: Edges, rng: np.random.RandomState, steps: Steps) -> Mask:
    return inserted(edges, rng.permutation(len(edges.tail)), steps=steps)[0]


def heaviest(edges: Edges, rng: np.random.RandomState, steps: Steps) -> Mask:
    sequence = rng.permutation(len(edges.tail))
    falling = np.argsort(-edges.weight[sequence], kind="stable")
    return inserted(edges, sequence[falling], steps=steps)[0]


def sifting(edges: Edges, rng: np.random.RandomState, steps: Steps) -> Mask:
    tries = ORDERS if len(edges.tail) <= FEW_EDGES else 1
    masks = [sifted_once(edges, rng, steps) for _ in range(tries)]
    return max(masks, key=lambda kept: float(edges.weight[kept].sum()))


def sifted_once(edges: Edges, rng: np.random.RandomState, steps: Steps) -> Mask:
    n, gain = edges.n, csr_array((edges.weight, (edges.tail, edges.head)), shape=(edges.n,) * 2)
    gain = (gain - gain.T).tocsr()
    place, best, lost = rng.permutation(n).astype(np.int32), np.zeros(len(edges.tail), bool), np.inf
    while True:
        place = sifted(gain, place, rng, steps)
        along, order, n_forward = edges.sorted_along(place)
        kept, moved = inserted(along, np.arange(len(order)), n_forward, steps)
        place = moved[place]
        before, lost = lost, float(along.weight[~kept].sum())
        if lost < before:
            best[order] = kept
        if lost >= (1.0 - WORTH) * before:
            return best


def sifted(gain: csr_array, place: Ints, rng: np.random.RandomState, steps: Steps) -> Ints:
    key = place.astype(float)
    tolerance = 1e-9 * abs(gain.data).max(initial=0.0)
    steps.expect(SWEEPS)
    for _ in steps.each(range(SWEEPS)):
        order, draws = rng.permutation(len(key)), rng.random_sample((len(key), 2))
        _loops.sift(gain.indptr, gain.indices, gain.data, order, draws, tolerance, key)
    return ranks(key)


def inserted(
    edges: Edges, sequence: NDArray[np.intp], n_sure: int = 0, steps: Steps | None = None
) -> tuple[Mask, Ints]:
    """Insert edges that do not close a cycle; return a mask of these, and the order of vertices."""
    n, m = edges.n, len(edges.tail)
    first, links = np.full((2, n), -1, np.int32), np.empty((m, 4), np.int32)
    key, kept = np.arange(n, dtype=float)[:, None], np.zeros(m, bool)
    parts, steps = batches(sequence, n_sure), steps or Steps()
    steps.expect(len(parts))
    for batch in steps.each(parts):
        if kept.any() and len(batch) > BATCH // 8:
            ends = edges.tail[batch], edges.head[batch]
            dag = Dag(first, links, np.argsort(key[:, 0]))
            batch = batch[~dag.joined(*ends[::-1])]
        _loops.insert(edges.tail, edges.head, first, links, key, batch, kept)
    return kept, ranks(key[:, 0])


def batches(sequence: NDArray[np.intp], n_sure: int) -> list[NDArray[np.intp]]:
    size = max(BATCH, -(-(len(sequence) - n_sure) // 16))
    cuts = np.arange(n_sure, len(sequence), size)
    return [part for part in np.split(sequence, cuts) if len(part)]


METHODS: dict[str, Callable[[Edges, np.random.RandomState, Steps], Mask]] = {
    "sifting": sifting,
    "greedy": greedy,
    "heaviest": heaviest,
}


def shortest_cycles(edges: Edges, limit: int) -> list[NDArray[np.intp]]:
    labels = edges.labels()
    open_ = np.flatnonzero(labels[edges.tail] == labels[edges.head])
    ids = csr_array((open_ + 1, (edges.tail[open_], edges.head[open_])), shape=(edges.n, edges.n))
    cycles: list[NDArray[np.intp]] = []
    while len(open_) and len(cycles) < limit:
        cycles.append(shortest_cycle(ids, edges, open_[0]))
        open_ = open_[~np.isin(open_, cycles[-1])]
    return sorted(cycles, key=len)


def shortest_cycle(ids: csr_array, edges: Edges, edge: int) -> NDArray[np.intp]:
    before = breadth_first_order(ids, edges.head[edge])[1]
    path = [int(edges.tail[edge])]
    while path[-1] != edges.head[edge]:
        path.append(int(before[path[-1]]))
    path.reverse()
    steps = [int(ids[u, v]) - 1 for u, v in pairwise(path)]
    return np.array([edge, *steps])
