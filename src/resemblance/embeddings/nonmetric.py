"""Fit nonmetric multidimensional scaling to ranked pairs."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import shortest_path
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError, UndeterminedWarning
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.objective import checks
from resemblance.fitting.objective.starts import feature_positions
from resemblance.fitting.objective.threads import at_a_time
from resemblance.geometry import positions_from_gram, principal_axes
from resemblance.judgments import PairRanks, of_kind
from resemblance.judgments.convert import refuse_y
from resemblance.ranges import NOT_NEGATIVE, integers, setting
from resemblance.solvers import Callback, Progress, Solution

# Ranks are probably reversed if the stress is above POOR, and reversed ranks have less than TURNED
# times this stress.
POOR, TURNED = 0.15, 0.75
QUICK = 100  # maximum number of iterations of a fit to reversed ranks


class NonmetricMDS(Estimator):
    """Nonmetric multidimensional scaling: distances have the order of the ranks of pairs.

    minimise  stress = sqrt(sum_r w_r (d_r - f_r)^2 / sum_r w_r d_r^2)

    over positions with plain distances d_r, and over disparities f_r that increase with the rank,
    where w_r are weights. Isotonic regression of f, with equal disparities for equal ranks, and the
    Guttman transform of positions alternate. Unranked pairs are ignored.

    Source: Kruskal 1964; the majorisation is de Leeuw's SMACOF. The MDS of scikit-learn is not
    used, because it treats unranked pairs as pairs at distance 0.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    n_init : int
        The number of descents. The first starts from ``init``, the others at random.
    init : {"classical", "features", "random"} or array (n_items, n_components)
        Classical scaling of the ranks, the features of the items, random positions, or given
        positions. More features than dimensions are replaced by principal components; if there are
        fewer features, random dimensions are added.
    max_iter : int
        The maximum number of iterations of one descent.
    tol : float
        A descent has converged when an iteration lowers the stress by less than this.
    random_state : int, RandomState or None
        An int gives the same result at every call.
    n_jobs : int, optional
        The number of descents to run in parallel (threads), as in joblib.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each iteration, with the stress
        as loss. If it returns a true value, the fit stops at the best positions so far.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions, centred and along principal axes. Their unit is arbitrary.
    stress_ : float
        Kruskal's stress-1. 0 is a perfect fit.
    n_iter_ : int
        The number of iterations of the descent that was kept.
    converged_ : bool
        Whether the descent that was kept met its stopping rule.
    unmentioned_ : array of int
        Row numbers of items that no ranked pair mentions; they are placed at the centroid.
    parts_ : array (n_items,) of int
        The number of each item's connected component of ranked pairs; -1 for unmentioned items.
    items_ : Items
        The items, in the order of the rows of ``embedding_``.

    Examples
    --------
    >>> import resemblance as rs
    >>> ranks = rs.PairRanks([[0, 1], [1, 2], [0, 2]], ranks=[1, 2, 3])
    >>> rs.NonmetricMDS(1).fit(ranks).stress_ < 1e-3
    True
    """

    n_components: int = field(default=2, kw_only=False)
    n_init: int = setting(integers(1), default=4)
    init: Literal["classical", "features", "random"] | ArrayLike = "classical"
    max_iter: int = setting(integers(1), default=1000)
    tol: float = setting(NOT_NEGATIVE, default=1e-6)
    random_state: Any = None
    n_jobs: int | None = None
    callback: Callback | None = None

    def fit(self, X: PairRanks, y: None = None) -> Self:
        """Fit the positions to ranked pairs, where rank 1 is the most similar pair.

        Warns
        -----
        UnmentionedWarning, DisconnectedWarning
            If an item is in no pair, or pairs do not connect all items.
        UndeterminedWarning
            If there are too few pairs for a meaningful stress, or reversed ranks fit better.
        """
        refuse_y(y, X)
        remedy = "build them with PairRanks(pairs, ranks), or fit SOE to comparisons"
        of_kind(X, PairRanks, "NonmetricMDS", remedy)
        self._check_settings()
        if not X.weights.any():
            raise JudgmentError("no pair has a rank and a weight above 0: give at least one")
        mentioned = checks.mentioned_items(X)
        self.parts_ = checks.connected_parts(X, mentioned)
        self.unmentioned_ = np.flatnonzero(~mentioned)
        shape = X.n_items, checks.check_components(self.n_components, X.n_items)
        random = check_random_state(self.random_state)
        starts = [self._first_start(X, shape, random)]
        starts += [random.normal(size=shape) for _ in range(self.n_init - 1)]
        tasks, solutions = [(X, start, at) for at, start in enumerate(starts)], []
        here = self.callback is not None
        for solution in at_a_time(self._descend, tasks, self.n_jobs, here):
            solutions.append(solution)
            if solution.interrupted:
                break
        best = min(solutions, key=lambda solution: solution.loss)
        best.x[~mentioned] = best.x[mentioned].mean(axis=0)
        self.embedding_, self.items_ = principal_axes(best.x), X.items
        self.stress_, self.n_iter_, self.converged_ = best.loss, best.n_iter, best.converged
        if not best.converged:
            self._warn_unconverged(best)
        self._tell_undetermined(X, int(mentioned.sum()))
        return self

    def score(self, X: PairRanks, y: None = None) -> float:
        """Return Spearman's correlation between fitted distances and ranks."""
        check_is_fitted(self, "embedding_")
        return float(spearmanr(_distances(self.embedding_, X), X.ranks).statistic)

    def _warn_unconverged(self, best: Solution) -> None:
        checks.tell_unconverged(
            self,
            best,
            f"at max_iter={self.max_iter} iterations before its stress settled to tol={self.tol}: "
            "raise one of them.",
        )

    def _tell_undetermined(self, ranked: PairRanks, n_items: int) -> None:
        d = self.embedding_.shape[1]
        free, n_pairs = n_items * d - d * (d + 1) // 2 - 1, int((ranked.weights > 0).sum())
        if n_pairs <= free:
            warnings.warn(
                f"{n_pairs} pairs are ranked, but {n_items} items in {d} dimensions have {free} "
                "free parameters: any ranks fit, and the stress is meaningless. Rank more pairs, "
                "or choose a smaller n_components.",
                UndeterminedWarning,
                stacklevel=3,
            )
        elif self.stress_ > POOR:
            turned = ranked._with(ranks=-ranked.ranks)
            quick = clone(self).set_params(max_iter=QUICK, callback=None)
            other = quick._descend(turned, _classical_start(turned, d), 0).loss
            if other < TURNED * self.stress_:
                warnings.warn(
                    f"reversed ranks fit far better (stress {other:.3f}, not "
                    f"{self.stress_:.3f}): rank 1 is the most similar pair. Give -ranks, or "
                    "PairRanks.from_matrix(..., similarities=True).",
                    UndeterminedWarning,
                    stacklevel=3,
                )

    def _first_start(
        self, ranked: PairRanks, shape: tuple[int, int], random: np.random.RandomState
    ) -> Floats:
        if not isinstance(self.init, str):
            return checks.given_positions("init", self.init, shape)
        if self.init == "classical":
            return _classical_start(ranked, shape[1])
        if self.init == "random":
            return random.normal(size=shape)
        features = checks.one_view(ranked.items)
        if self.init != "features" or features is None:
            raise SettingError(
                f"init is {self.init!r}: choose 'classical', 'random', an array, or, of items that "
                "have features, 'features'."
            )
        rng = np.random.default_rng(random.randint(2**31 - 1))
        return feature_positions(features, shape[1], rng)

    def _descend(self, ranked: PairRanks, X: Floats, restart: int) -> Solution:
        tied = np.unique(ranked.ranks, return_inverse=True)[1]
        inverse = np.linalg.pinv(_laplacian(ranked, ranked.weights))
        at = Solution(X, np.inf, 0, converged=False)
        for at.n_iter in range(1, self.max_iter + 1):
            d = _distances(at.x, ranked)
            f = _disparities(d, ranked.weights, tied)
            stress = float(np.sqrt(ranked.weights @ (d - f) ** 2 / (ranked.weights @ d**2)))
            f = _of_size(f, d, ranked.weights)
            at.converged = at.loss - stress < self.tol
            at.loss = stress
            now = Progress(at.n_iter, stress, at.x, restart)
            if self.callback is not None and self.callback(now):
                at.interrupted, at.converged = True, False
            if at.converged or at.interrupted:
                break
            ratio = np.divide(f, d, out=np.zeros_like(d), where=d > 0)
            at.x = inverse @ (_laplacian(ranked, ranked.weights * ratio) @ at.x)
        return at


def _distances(X: Floats, ranked: PairRanks) -> Floats:
    a, b = ranked.index.T
    return np.linalg.norm(X[a] - X[b], axis=1)


def _laplacian(ranked: PairRanks, weight: Floats) -> Floats:
    W = np.zeros((ranked.n_items, ranked.n_items))
    np.add.at(W, tuple(ranked.index.T), weight)
    W += W.T
    return np.diag(W.sum(axis=1)) - W


def _disparities(d: Floats, weight: Floats, tied: NDArray[np.intp]) -> Floats:
    mass = np.bincount(tied, weight)
    mean = np.bincount(tied, weight * d) / np.maximum(mass, 1e-300)
    return np.asarray(isotonic_regression(mean, sample_weight=np.maximum(mass, 1e-300))[tied])


def _of_size(f: Floats, d: Floats, weight: Floats) -> Floats:
    size = np.sqrt((weight @ f**2) / (weight @ d**2))
    return f / size if size > 0 else f


def _classical_start(ranked: PairRanks, n_components: int) -> Floats:
    n = ranked.n_items
    D = np.full((n, n), np.inf)
    a, b = ranked.index.T
    D[a, b] = D[b, a] = ranked.ranks - min(0.0, ranked.ranks.min()) + 1e-9
    finite = np.isfinite(D)
    paths = shortest_path(np.where(finite, D, 0.0), directed=False)
    D = np.where(finite, D, np.where(np.isfinite(paths), paths, D[finite].max()))
    np.fill_diagonal(D, 0.0)
    X = positions_from_gram(-0.5 * D**2, n_components)
    return np.asarray(X + 1e-6 * np.arange(n * n_components).reshape(n, n_components) / n)
