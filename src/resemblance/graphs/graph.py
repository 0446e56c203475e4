"""Build the graph of comparisons of pairs, and remove contradictions from judgments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from resemblance.errors import JudgmentError
from resemblance.geometry import eigenvectors_between, positions_from_gram
from resemblance.graphs.acyclic import Dag, Edges, keep_acyclic, redundant, shortest_cycles
from resemblance.judgments import Items, Judgments, Quadruplets, Triplets, as_judgments, of_kind
from resemblance.judgments.base import Pair
from resemblance.judgments.immutable import Frozen
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, checks_bools, one_of

KEEPS = ("none", "majority")


def constant_shift(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Place n items in n - 1 dimensions, with squared distances Delta plus a constant.

    .. math:: K = -\tfrac12 H \Delta H - \lambda_{min} H, \quad H = I - 11'/n

    lambda_min is the smallest eigenvalue of the first term. The positions have the Gram matrix K.
    Source: Roth, Laub, Kawanabe and Buhmann (2003).
    """
    n = len(squared)
    squared = squared * (1.0 - np.eye(n))
    rows = squared.mean(axis=0)
    gram = -0.5 * (squared - rows - rows[:, None] + rows.mean())
    least = eigenvectors_between(gram, 0, 0)[0][0]
    return positions_from_gram(gram - least * np.eye(n), n - 1)


class SimilarityGraph(Frozen):
    r"""A directed graph whose vertices are pairs of items, and whose edges are comparisons.

    .. math:: (a, b) \to (c, d) \iff d(a, b) < d(c, d) \text{ was judged}

    Contradictory comparisons form cycles. No space satisfies all edges of a cycle, but a graph
    without cycles is satisfied by the space of :meth:`embedding`. Operations return new graphs with
    the same vertices and some of the edges. :meth:`judgments` converts a graph to judgments.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, or array_like of shape (m, 3) or (m, 4)
        The comparisons. Equal comparisons become one edge with the sum of their weights.

    Attributes
    ----------
    pairs : array of int of shape (n_vertices, 2)
        The items of each vertex, the smaller index first.
    edges : array of int of shape (n_edges, 2)
        The vertices of each edge; the pair judged more similar comes first.
    weights : array of shape (n_edges,)
        The sum of the weights of the rows of each edge.
    items : Items
        The items of the judgments.

    Raises
    ------
    JudgmentError
        If there are no comparisons, a row has an item with itself or a pair with the same pair, or
        the judgments are neither triplets nor quadruplets.

    See Also
    --------
    clean : Remove contradictions and cycles in one step, with a report.

    Notes
    -----
    McFee and Lanckriet (2011), Learning multi-modal similarity, JMLR 12, section 2.

    Examples
    --------
    >>> graph = SimilarityGraph([[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 0]])
    >>> graph
    SimilarityGraph(3 pairs, 4 comparisons)
    >>> graph.pairs.tolist(), graph.edges.tolist()
    ([[0, 1], [0, 2], [1, 2]], [[0, 1], [0, 2], [1, 0], [2, 1]])
    >>> acyclic = graph.prune_contradictions().acyclic()
    >>> acyclic.judgments().index.tolist()
    [[1, 0, 2], [2, 1, 0]]
    """

    pairs: NDArray[np.int32]
    edges: NDArray[np.int32]
    weights: NDArray[np.float64]
    _judgments: Judgments
    _edge: NDArray[np.int64]  # edge of each row, or -1 for removed rows

    def __init__(self, judgments: Judgments | ArrayLike) -> None:
        judgments = _comparable(judgments)
        near, far = (_codes(pair, judgments.n_items) for pair in judgments.comparisons()[0].pairs)
        codes, ends = np.unique(np.concatenate([near, far]), return_inverse=True)
        n, ends = len(codes), ends.reshape(2, -1)
        edges, edge = np.unique(ends[0] * n + ends[1], return_inverse=True)
        self._set(
            pairs=np.column_stack(np.divmod(codes, judgments.n_items)).astype(np.int32),
            edges=np.column_stack(np.divmod(edges, n)).astype(np.int32),
            weights=np.bincount(edge, judgments.weights),
            _judgments=judgments,
            _edge=edge,
        )

    @property
    def items(self) -> Items:
        """The items of the judgments."""
        return self._judgments.items

    @property
    def n_vertices(self) -> int:
        """The number of compared pairs."""
        return len(self.pairs)

    @property
    def n_edges(self) -> int:
        """The number of distinct comparisons."""
        return len(self.edges)

    def __repr__(self) -> str:
        return f"SimilarityGraph({self.n_vertices} pairs, {self.n_edges} comparisons)"

    def rows(self, edges: ArrayLike | None = None) -> NDArray[np.intp]:
        """Return the indices of the rows of the given edges; default: of all edges."""
        wanted = np.ones(self.n_edges, bool) if edges is None else np.zeros(self.n_edges, bool)
        if edges is not None:
            wanted[np.asarray(edges, dtype=np.intp)] = True
        return np.flatnonzero(np.append(wanted, False)[self._edge])

    def judgments(self) -> Judgments:
        """Return the judgments of the edges, with their rows, weights and notes."""
        return self._judgments[self.rows()]

    def contradictions(self) -> NDArray[np.intp]:
        """Return pairs of opposite edges, (k, 2), the heavier edge first."""
        n, (tail, head) = np.int64(self.n_vertices), self.edges.T
        up = np.flatnonzero(tail < head)
        codes, opposite = tail * n + head, head[up] * n + tail[up]
        place = np.searchsorted(codes, opposite)  # edges are sorted by code
        there = np.append(codes, -1)[place] == opposite
        both = np.column_stack([up[there], place[there]])
        lighter = self.weights[both[:, 0]] < self.weights[both[:, 1]]
        both[lighter] = both[lighter, ::-1]
        return both

    def prune_contradictions(self, keep: str = "none") -> SimilarityGraph:
        """Remove direct contradictions.

        Parameters
        ----------
        keep : {"none", "majority"}, default "none"
            "none" removes both opposite edges, as in the paper. "majority" keeps the heavier edge,
            or none if weights are equal.

        Raises
        ------
        SettingError
            If ``keep`` has another value.
        """
        check(keep=(keep, one_of(*KEEPS)))
        heavier, lighter = self.contradictions().T
        kept = np.ones(self.n_edges, bool)
        won = (self.weights[heavier] > self.weights[lighter]) & (keep == "majority")
        kept[lighter] = kept[heavier[~won]] = False
        return self._keep(kept)

    def components(self) -> list[NDArray[np.intp]]:
        """Return the strongly connected components with two or more vertices, largest first.

        Each edge within a component is on a cycle, and each cycle is within a component.
        """
        labels = self._weighted().labels()
        many = np.flatnonzero(np.bincount(labels)[labels] > 1)
        many = many[np.argsort(labels[many], kind="stable")]
        parts = np.split(many, np.flatnonzero(np.diff(labels[many])) + 1)
        return sorted((part for part in parts if len(part)), key=len, reverse=True)

    def cycles(self, limit: int = 10) -> list[NDArray[np.intp]]:
        """Find shortest cycles. Each has an edge that no earlier cycle has.

        Parameters
        ----------
        limit : int, default 10
            The maximum number of cycles.

        Returns
        -------
        list of arrays of int
            The edges along each cycle. Shorter cycles come first.
        """
        return shortest_cycles(self._weighted(), limit)

    def doubtful(self, limit: int = 10) -> NDArray[np.intp]:
        """Return the edges whose comparisons are most worth asking again, (k,).

        First comes one edge of each two opposite edges of equal weight. Then, without the lighter
        opposite edges, comes the lightest edge of each shortest cycle.

        Parameters
        ----------
        limit : int, default 10
            The maximum number of edges.
        """
        opposite = self.contradictions()
        equal = opposite[self.weights[opposite[:, 0]] == self.weights[opposite[:, 1]], 0][:limit]
        rest = self.prune_contradictions("majority")
        if len(equal) == limit or not rest.n_edges:
            return equal
        codes, left = (graph.edges @ np.array([self.n_vertices, 1]) for graph in (self, rest))
        kept = np.flatnonzero(np.isin(codes, left))
        lightest = [c[int(rest.weights[c].argmin())] for c in rest.cycles(limit - len(equal))]
        return np.concatenate([equal, kept[list(dict.fromkeys(lightest))]])

    def acyclic(
        self,
        method: str = "sifting",
        random_state: int | np.random.RandomState | None = None,
        callback: Told | None = None,
    ) -> SimilarityGraph:
        """Remove edges until there are no cycles, with as little weight as possible.

        Each removed edge would close a cycle. Keeping the largest weight, the maximum acyclic
        subgraph, is NP-hard, so the result is an approximation.

        Parameters
        ----------
        method : {"sifting", "greedy", "heaviest"}, default "sifting"
            "sifting" improves an order of the pairs by moving single pairs to their best places.
            Then it inserts backward edges that do not close a cycle. With up to 500 edges, it uses
            the best of five random orders. "greedy" goes through edges in random order and keeps
            those that do not close a cycle (algorithm 1 of the paper). "heaviest" is "greedy" from
            the heaviest edge on.
        random_state : int, RandomState or None, default None
            Seed of the random orders.
        callback : callable, optional
            Called with (steps done, number of steps) after each sweep over the pairs and each batch
            of edges. The number of steps may grow.

        Raises
        ------
        SettingError
            If the method is unknown.

        Notes
        -----
        Sifting is by Matuszewski, Schoenfeld and Molitor (1999). An order that no move improves
        keeps at least half of the weight. Edges are inserted by the method of Pearce and Kelly
        (2006), A dynamic topological sort algorithm for directed acyclic graphs.
        """
        return self._acyclic(method, random_state, Steps(callback))

    def _acyclic(
        self, method: str, random_state: int | np.random.RandomState | None, steps: Steps
    ) -> SimilarityGraph:
        rng = check_random_state(random_state)
        return self._keep(keep_acyclic(self._weighted(), method, rng, steps))

    def topological_order(self) -> NDArray[np.intp]:
        """Return the vertices in an order in which each edge leads to a later vertex.

        Raises JudgmentError if there are cycles.
        """
        return self._dag().order

    def levels(self) -> NDArray[np.int64]:
        """Return the length of the longest path to each vertex, (n_vertices,).

        Raises JudgmentError if there are cycles.
        """
        return self._dag().levels()[0]

    def reduced(self) -> SimilarityGraph:
        """Remove each edge that other edges imply (the transitive reduction).

        Positions that satisfy the remaining edges also satisfy the removed ones. Raises
        JudgmentError if there are cycles.
        """
        return self._keep(~redundant(self.topological_order(), *self._ends()))

    def embedding(self) -> NDArray[np.float64]:
        r"""Place the items so that every edge is satisfied, with a margin of 1 (algorithm 5).

        .. math:: \lVert x_i - x_j \rVert^2 = \Delta_{ij} - 2 \lambda, \quad
            \Delta_{ij} = 1 + level(i, j)

        where level(i, j) is from :meth:`levels`, or 1 for pairs without edges, and lambda is the
        smallest eigenvalue of the centred matrix :math:`-\tfrac12 H \Delta H`.

        Returns
        -------
        array (n_items, n_items - 1)
            Positions along principal axes. They satisfy all edges, but a fit in few dimensions
            predicts new answers better.

        Raises
        ------
        JudgmentError
            If there are cycles.

        Notes
        -----
        McFee and Lanckriet (2011), appendix A; Roth, Laub, Kawanabe and Buhmann (2003), Optimal
        cluster preserving embedding of nonmetric proximity data.
        """
        squared = np.ones((self._judgments.n_items,) * 2)
        a, b = self.pairs.T
        squared[a, b] = squared[b, a] = 1.0 + self.levels()
        return constant_shift(squared)

    def _ends(self) -> NDArray[np.int32]:
        return np.ascontiguousarray(self.edges.T)

    def _weighted(self) -> Edges:
        tail, head = self._ends()
        return Edges(self.n_vertices, tail, head, self.weights)

    def _dag(self) -> Dag:
        dag = Dag.of(self.n_vertices, *self._ends())
        if len(dag.order) < self.n_vertices:
            raise JudgmentError(
                f"{self!r} has cycles, so the pairs have no order: take .acyclic() of it first"
            )
        return dag

    def _keep(self, kept: NDArray[np.bool_]) -> Self:
        place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        edges, weights = self.edges[kept], self.weights[kept]
        return self._with(edges=edges, weights=weights, _edge=place[self._edge])


def _comparable(judgments: Judgments | ArrayLike) -> Judgments:
    remedy = "judgments.triplets_from_choices(...) makes N - 1 triplets of a choice among N"
    judgments = of_kind(
        as_judgments(judgments), (Triplets, Quadruplets), "a graph of comparisons", remedy
    )
    if len(judgments) == 0:
        raise JudgmentError("there are no comparisons: give one row at least")
    return judgments


def _codes(pair: Pair, n_items: int) -> NDArray[np.int64]:
    return np.minimum(*pair).astype(np.int64) * n_items + np.maximum(*pair)


STEPS = ("given", "without contradictions", "acyclic", "reduced")


@dataclass(frozen=True)
class CleaningReport(Shown):
    r"""A report of removed rows, and of the observers with most removed answers.

    .. math:: excess_p = removed_p - answers_p \cdot \frac{\sum removed}{\sum answers}

    Attributes
    ----------
    steps : DataFrame
        The numbers of rows and of distinct comparisons, and the weight, after each step: given,
        without contradictions, acyclic and, if requested, reduced.
    contradictory, cyclic, redundant : arrays of int
        The removed rows: with an opposite comparison, on a cycle, or implied by other rows.
    kept : array of int
        The remaining rows.
    n_pairs : int
        The number of pairs of items that were compared.
    components : array of int
        The sizes of strongly connected components of two pairs or more, after the removal of
        contradictions, largest first.
    observers : DataFrame or None
        A row for each observer, largest excess first: the weight of answers, of answers removed as
        contradictory and as cyclic, and the share and excess of removed answers. None without
        observers.

    Examples
    --------
    >>> from resemblance import Triplets, clean
    >>> answers = Triplets([[0, 1, 2], [0, 1, 2], [0, 2, 1]], observer=["ann", "bob", "cem"])
    >>> _, report = clean(answers)
    >>> report.contradictory, report.observers.index[0]
    (array([2]), 'cem')
    """

    steps: pd.DataFrame
    contradictory: NDArray[np.intp]
    cyclic: NDArray[np.intp]
    redundant: NDArray[np.intp]
    kept: NDArray[np.intp]
    n_pairs: int
    components: NDArray[np.int64]
    observers: pd.DataFrame | None

    def lines(self) -> list[tuple[str, str]]:
        """Return the report as pairs (name, description)."""
        rows, weight = self.steps["rows"], self.steps["weight"]
        share = weight["acyclic"] / weight["given"]
        lines = [
            ("rows", f"{rows['given']:,}, which compare {self.n_pairs:,} pairs"),
            ("contradictory", f"{len(self.contradictory):,} removed"),
            ("in cycles", f"{len(self.cyclic):,} removed{self._cycle_words()}"),
            ("consistent", f"{rows['acyclic']:,} ({share:.1%} of the weight)"),
        ]
        if "reduced" in rows.index:
            lines.append(("redundant", f"{len(self.redundant):,} removed"))
            lines.append(("kept", f"{len(self.kept):,}"))
        return lines + self._observer_lines()

    def _cycle_words(self) -> str:
        n = len(self.components)
        largest = f": the largest component has {self.components[0]:,} pairs" if n else ""
        return largest + (f", and there are {n - 1:,} more" if n > 1 else "")

    def _observer_lines(self) -> list[tuple[str, str]]:
        if self.observers is None or self.observers["excess"].iloc[0] <= 0:
            return []
        worst = self.observers.iloc[0]
        removed = worst["contradictory"] + worst["cyclic"]
        said = f"{removed:,g} of {worst['answers']:,g} removed ({worst['share']:.0%})"
        return [("contradicts most", f"{worst.name}: {said}")]

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.lines())
        return "\n".join(f"{name:{width}}  {said}" for name, said in self.lines())


@checks_bools
def clean(
    judgments: Judgments | ArrayLike,
    method: str = "sifting",
    contradictions: str = "majority",
    reduce: bool = False,
    random_state: int | np.random.RandomState | None = None,
    callback: Told | None = None,
) -> tuple[Judgments, CleaningReport]:
    r"""Remove comparisons that contradict other comparisons, and report the removed rows.

    .. math:: \max \sum_{e \in E'} w_e \text{ such that } E' \subseteq E \text{ has no cycle}

    E are the edges of the graph of comparisons, E' the edges that are kept, and w_e their weights.
    The problem is NP-hard, so the result is approximate. Direct contradictions are removed first,
    then comparisons that close a cycle, then, if requested, comparisons that others imply.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, or array_like of shape (m, 3) or (m, 4)
        The answers. Repeats and weights are frequencies.
    method : {"sifting", "greedy", "heaviest"}, default "sifting"
        The method of removing cycles: see :meth:`SimilarityGraph.acyclic`.
    contradictions : {"majority", "none"}, default "majority"
        "majority" keeps the heavier of two opposite comparisons, or none if weights are equal.
        "none" removes both, as in the paper.
    reduce : bool, default False
        Also remove comparisons that other comparisons imply (the transitive reduction). A fit is
        then faster, but has no counts of how often a comparison was made.
    random_state : int, RandomState or None, default None
        Seed of the method.
    callback : callable, optional
        Called with (steps done, number of steps) after each step. The number of steps may grow.

    Returns
    -------
    judgments : of the same class
        The remaining rows, with their notes and the catch trials.
    report : CleaningReport

    Raises
    ------
    JudgmentError
        If no row is left, or :class:`SimilarityGraph` refuses the judgments.
    SettingError
        If a setting is unknown.

    Notes
    -----
    McFee and Lanckriet (2011), Learning multi-modal similarity, JMLR 12, sections 2.2 and 5.2.4.

    Examples
    --------
    >>> answers = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 3, 1], [0, 3, 1]]
    >>> cleaned, report = clean(answers, random_state=0)
    >>> len(cleaned), report.contradictory, len(report.cyclic)
    (4, array([3]), 1)
    """
    check(contradictions=(contradictions, one_of(*KEEPS)))
    steps = Steps(callback, 3 if reduce else 2)  # removing cycles adds more steps
    given = SimilarityGraph(judgments)
    pruned = given.prune_contradictions(keep=contradictions)
    if not pruned.weights.any():
        raise JudgmentError(
            f"no comparison is left: each of the {len(given.rows())} rows is contradicted by "
            'another one, or has no weight. Keep majorities (contradictions="majority"), ask more '
            "people, or fit all rows with a model that expects noise, such as STE"
        )
    steps.take()
    graphs = [given, pruned, pruned._acyclic(method, random_state, steps)]
    if reduce:
        graphs.append(graphs[-1].reduced())
        steps.take()
    report = report_on(graphs)
    steps.take()
    return _with_catches(graphs[-1].judgments(), judgments), report


Some = TypeVar("Some", bound=Judgments)


def _with_catches(cleaned: Some, judgments: object) -> Some:
    catches = getattr(judgments, "catches", None)
    return cleaned if catches is None else cleaned._with(catches=catches)


def report_on(steps: list[SimilarityGraph]) -> CleaningReport:
    rows = [graph.rows() for graph in steps]
    gone = [np.setdiff1d(*two, assume_unique=True) for two in pairwise(rows)]
    table = {
        "rows": [len(numbers) for numbers in rows],
        "comparisons": [graph.n_edges for graph in steps],
        "weight": [float(graph.weights.sum()) for graph in steps],
    }
    return CleaningReport(
        pd.DataFrame(table, index=list(STEPS[: len(steps)])),
        contradictory=gone[0],
        cyclic=gone[1],
        redundant=gone[2] if len(gone) > 2 else np.array([], np.intp),
        kept=rows[-1],
        n_pairs=steps[0].n_vertices,
        components=np.array([len(part) for part in steps[1].components()], np.int64),
        observers=observer_table(steps[0].judgments(), contradictory=gone[0], cyclic=gone[1]),
    )


def observer_table(judgments: Judgments, **removed: NDArray[np.intp]) -> pd.DataFrame | None:
    if judgments.observer is None:
        return None
    people, who = np.unique(judgments.observer, return_inverse=True)
    sums = {"answers": np.bincount(who, judgments.weights)}
    for why, rows in removed.items():
        sums[why] = np.bincount(who[rows], judgments.weights[rows], minlength=len(people))
    table = pd.DataFrame(sums, index=pd.Index(people.tolist(), name="observer"))
    gone = table[list(removed)].sum(axis=1)
    table["share"] = gone / table["answers"].where(table["answers"] > 0, 1.0)
    table["excess"] = gone - table["answers"] * (gone.sum() / table["answers"].sum())
    return table.sort_values("excess", ascending=False, kind="stable")
