"""Choose the items of the next arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.embeddings import STE
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.objective.arrangement_mean import mean_distances
from resemblance.judgments import Arrangements, Items, join_judgments
from resemblance.judgments.arrangements import FEWEST
from resemblance.ranges import check, integers, one_of

Positions = NDArray[np.int64]

HAND = 0.1  # sigma: standard deviation of placing, as a share of the circle's radius
# number of pairs that begin sets of items; half of these pairs have the most uncertain distances
PAIRS = 10
UTILITY, EFFORT = 10.0, 1.5  # paper's constants: exponents of the utility and of the effort


class ArrangementSession:
    r"""Ask for arrangements, and choose the items of each trial to measure all distances.

    The first trial shows all items, or ``most``. Later trials show few items, which people then
    place far apart, so that their distances are measured precisely. The strategy "gain" chooses the
    set of ``size`` items that most lowers the summed variance of all distances:

    .. math:: \min_S \operatorname{tr}\Bigl(P + \frac{I_S - 1_S 1_S' / |S|}
       {\sigma^2 r_S^2 + f_S}\Bigr)^{-1}

    where P is the precision of the positions, to which each trial with the set S of items adds the
    fraction; sigma is .1; r_S is the radius of S in the space, which is scaled to the circle; and
    f_S is the mean squared distance of the items in S from the best-fitting plane. The strategy
    "weakest" is lift-the-weakest of the inverse-MDS paper: it starts from the pair with the least
    evidence, and adds items while they raise the utility of evidence per effort.

    Source: Kriegeskorte, Mur (2012), Inverse MDS: inferring dissimilarity structure from multiple
    item arrangements, Frontiers in Psychology 3, 245. "gain" is not in the paper; it is
    A-optimality.

    Parameters
    ----------
    items : Items, sequence of names, or int
        The items to arrange, three or more.
    strategy : {"gain", "weakest"}
        "gain" needs far fewer trials in simulations (docs/benchmarks.md).
    size : int
        The number of items in a set of "gain", three or more.
    most : int
        The largest number of items in a trial. The first trials show this many, until each item
        has been shown.
    model : OrdinalEmbedding, optional
        Default: ``STE(5)``, with fewer dimensions for five items or less. Too few dimensions do
        more harm than too many.
    random_state : int or sequence of int
        The seed of all random draws.

    Attributes
    ----------
    arrangements_ : Arrangements or None
        The arrangements so far.
    model_ : OrdinalEmbedding
        The space, fitted to all arrangements.

    Raises
    ------
    SettingError
        If a setting is out of range.

    Examples
    --------
    >>> from resemblance import SpaceObserver
    >>> person = SpaceObserver(np.random.default_rng(0).normal(size=(12, 2)), random_state=0)
    >>> session = ArrangementSession(12, size=5)
    >>> for _ in range(3):
    ...     items = session.ask()
    ...     session.tell(person.arrange([items]).places[0])
    >>> session.arrangements_.n_shown
    array([12,  5,  5])
    """

    def __init__(
        self,
        items: Items | Iterable[Any] | int,
        strategy: str = "gain",
        *,
        size: int = 8,
        most: int = 30,
        model: OrdinalEmbedding | None = None,
        random_state: int | Sequence[int] = 0,
    ) -> None:
        self.items = items if isinstance(items, Items) else Items(items)
        n = len(self.items)
        asked = {"size": size, "most": most, "items": n}
        check(strategy=(strategy, one_of(*STRATEGIES)))
        check(**{name: (value, integers(FEWEST)) for name, value in asked.items()})
        self.strategy, self.size, self.most = strategy, min(size, n), min(most, n)
        self.random_state = random_state
        self.model_ = STE(min(5, n - 1), random_state=0) if model is None else clone(model)
        self.arrangements_: Arrangements | None = None
        self._asked: tuple[int, ...] | None = None

    def ask(self) -> tuple[int, ...]:
        """Return the indices of the items to arrange next, unchanged until :meth:`tell`."""
        if self._asked is None:
            n_trials = 0 if self.arrangements_ is None else len(self.arrangements_)
            rng = np.random.default_rng([*np.atleast_1d(self.random_state), n_trials])
            fresh = self._never_shown()
            choose = STRATEGIES[self.strategy]
            items = self._first_set(fresh, rng) if len(fresh) else choose(self, rng)
            self._asked = tuple(map(int, items))
        return self._asked

    def tell(self, places: ArrayLike, observer: str | None = None) -> None:
        """Record the places of the items that :meth:`ask` returned, and fit the space again.

        Parameters
        ----------
        places : array (k, 2)
            The places of the items, in the order of :meth:`ask`, within a circle of radius 1.
        observer : str, optional
            The person who arranged them. Name the person in every trial or in none.

        Raises
        ------
        JudgmentError
            If :class:`~resemblance.Arrangements` refuses the places.
        """
        who = None if observer is None else [observer]
        put = np.asarray(places, dtype=float)[None]
        trial = Arrangements([self.ask()], put, self.items, observer=who, radius=1.0)
        before = self.arrangements_
        self.arrangements_ = trial if before is None else join_judgments([before, trial])
        self._asked = None
        if not len(self._never_shown()):
            self.model_.fit(self.arrangements_)

    def _never_shown(self) -> Positions:
        seen = () if self.arrangements_ is None else self.arrangements_.index
        return np.setdiff1d(np.arange(len(self.items)), seen)

    def _first_set(self, fresh: Positions, rng: np.random.Generator) -> Positions:
        seen = np.setdiff1d(np.arange(len(self.items)), fresh)
        links = rng.permutation(seen)[: self.most // 3]
        new = rng.permutation(fresh)[: self.most - len(links)]
        more = rng.permutation(np.setdiff1d(seen, links))[: self.most - len(links) - len(new)]
        return np.concatenate([links, new, more])


def _most_telling(session: ArrangementSession, rng: np.random.Generator) -> list[int]:
    assert session.arrangements_ is not None
    return next(telling_sets(session.model_, session.arrangements_, session.size, rng))


def telling_sets(
    model: OrdinalEmbedding, arrangements: Arrangements, size: int, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yield item sets with the largest gain, each as if the previous sets had been arranged."""
    X = model.embedding_ - model.embedding_.mean(axis=0)
    precision = np.eye(len(X)) / np.mean(X**2)
    seen = [index[index >= 0] for index in arrangements.index]
    while True:
        for there in seen:
            precision[np.ix_(there, there)] += _precision(X, there) * _apart(len(there))
        best = _best_set(np.linalg.inv(precision), X, size, rng)
        yield best
        seen = [np.array(best)]


def _best_set(cov: Floats, X: Floats, size: int, rng: np.random.Generator) -> list[int]:
    n = len(X)
    spread = np.diag(cov)[:, None] + np.diag(cov) - 2.0 * cov
    pairs = np.column_stack(np.triu_indices(n, 1))
    order = np.argsort(-spread[tuple(pairs.T)], kind="stable")
    others = rng.permutation(len(pairs))[: PAIRS - PAIRS // 2]
    begun = [list(pairs[k]) for k in [*order[: PAIRS // 2], *others]]
    grown = [_grown(pair, size, n, lambda there: _gain(cov, X, there)) for pair in begun]
    return max(grown, key=lambda there: _gain(cov, X, np.array(there)))


def _grown(
    begun: list[int], size: int, n_items: int, value: Callable[[Positions], float]
) -> list[int]:
    there = [int(item) for item in begun]
    while len(there) < size:
        rest = [item for item in range(n_items) if item not in there]
        there.append(max(rest, key=lambda item: value(np.array([*there, item]))))
    return there


def _precision(X: Floats, there: Positions) -> float:
    Y = X[there] - X[there].mean(axis=0)
    missed = (np.linalg.svd(Y, compute_uv=False)[2:] ** 2).sum() / len(there)
    return float(1.0 / max(HAND**2 * (Y**2).sum(axis=1).max() + missed, 1e-300))


def _apart(k: int) -> Floats:
    return np.asarray(np.eye(k) - 1.0 / k)


def _gain(cov: Floats, X: Floats, there: Positions) -> float:
    root = np.sqrt(_precision(X, there)) * _apart(len(there))
    seen = cov[:, there] @ root
    inner = np.eye(len(there)) + root @ cov[np.ix_(there, there)] @ root
    return float((seen * np.linalg.solve(inner, seen.T).T).sum())


def _lift_the_weakest(session: ArrangementSession, rng: np.random.Generator) -> list[int]:
    assert session.arrangements_ is not None
    D, evidence = mean_distances(session.arrangements_)
    D = np.where(np.isnan(D), np.nanmean(D), D)
    n = len(D)
    pairs = np.column_stack(np.triu_indices(n, 1))
    least = evidence[tuple(pairs.T)]
    weakest = np.flatnonzero(least == least.min())
    there = [int(item) for item in pairs[rng.choice(weakest)]]
    reached = -np.inf
    while len(there) < session.most:
        rest = [item for item in range(n) if item not in there]
        worth = [_efficiency(D, evidence, np.array([*there, item])) for item in rest]
        best = int(np.argmax(worth))
        if worth[best] <= reached and len(there) >= FEWEST:
            break
        reached = worth[best]
        there.append(rest[best])
    return there


def _efficiency(D: Floats, evidence: Floats, there: Positions) -> float:
    within = np.ix_(there, there)
    screen = 2.0 * D[within] / max(D[within].max(), 1e-300)
    before, after = evidence[within], evidence[within] + screen**2
    gained = np.exp(-UTILITY * before) - np.exp(-UTILITY * after)
    return float(gained.sum() / 2.0 / len(there) ** EFFORT)


STRATEGIES: dict[str, Callable[[ArrangementSession, np.random.Generator], list[int]]] = {
    "gain": _most_telling,
    "weakest": _lift_the_weakest,
}
