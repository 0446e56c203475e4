"""Remove contradictions from judgments, and report what was removed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.graphs.graph import KEEPS, SimilarityGraph
from resemblance.judgments import Judgments
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, checks_bools, one_of

STEPS = ("given", "without contradictions", "acyclic", "reduced")


@dataclass(frozen=True)
class CleaningReport(Shown):
    r"""What cleaning removed, and who contradicts most.

    .. math:: excess_p = removed_p - answers_p \cdot \frac{\sum removed}{\sum answers}

    Attributes
    ----------
    steps : DataFrame
        Rows, their weight and the different comparisons that there were after each step: given,
        without contradictions, acyclic and, where asked for, reduced.
    contradictory, cyclic, redundant : arrays of int
        The rows that went: of comparisons opposite to others, those that would close a cycle, and
        those that follow from others.
    kept : array of int
        The rows that are left.
    n_pairs : int
        The number of pairs of items that were compared.
    components : array of int
        The number of pairs in each strongly connected component after contradictions were removed,
        largest first; components of one pair are left out.
    observers : DataFrame or None
        For each observer the weight of the answers, of those that went as contradictory and as
        cyclic, their share, and their excess over what the share of all observers makes of that
        many answers; largest excess first. None where the judgments name no observers.

    Examples
    --------
    >>> from resemblance import Triplets, clean
    >>> answers = Triplets([[0, 1, 2], [0, 1, 2], [0, 2, 1]], observer=["ann", "bob", "cem"])
    >>> _, report = clean(answers)
    >>> report.contradictory, report.observers.index[0]
    (array([2]), 'cem')
    >>> print(report)
    rows              3, which compare 2 pairs
    contradictory     1 removed
    in cycles         0 removed
    consistent        2 (66.7% of the weight)
    contradicts most  cem: 1 of 1 removed (100%)
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
        """Return the report in words, as names and descriptions."""
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
    r"""Keep comparisons that some space satisfies jointly, and report the removed ones.

    .. math:: \max \sum_{e \in E'} w_e \text{ such that } E' \subseteq E \text{ has no cycle}

    approximately: to find the most is NP-hard. Direct contradictions go first, then comparisons
    that close a cycle, then, if asked for, those that follow from others.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, or array_like of shape (m, 3) or (m, 4)
        People's answers; repeats and weights count as frequencies.
    method : {"sifting", "greedy", "heaviest"}, default "sifting"
        The comparisons to keep, see :meth:`SimilarityGraph.acyclic`.
    contradictions : {"majority", "none"}, default "majority"
        Of two opposite comparisons the one of larger weight stays, or neither (as in the paper).
        Of two of equal weight neither stays.
    reduce : bool, default False
        Also remove what follows from other comparisons: the transitive reduction. A fit to it
        costs less, but no longer knows how often something was said, directly or indirectly.
    random_state : int, RandomState or None, default None
        Seed.
    callback : callable, optional
        Called with (steps done, steps in all) after each step; where breaking cycles takes
        another round, the steps in all grow.

    Returns
    -------
    judgments : of the same class
        The rows that are left, with their weights, responses, observers and further columns. Catch
        trials stay with them.
    report : CleaningReport

    Raises
    ------
    JudgmentError
        If nothing is left, or the judgments cannot be compared (see :class:`SimilarityGraph`).
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
    steps = Steps(callback, 3 if reduce else 2)  # breaking cycles adds steps of its own
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
