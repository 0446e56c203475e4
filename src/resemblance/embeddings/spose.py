"""Fit sparse, non-negative dimensions (SPoSE), and measure their reproducibility."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import Logistic
from resemblance.errors import EmptyError, SettingError, quiet
from resemblance.fitting import GroupedKFold, JudgmentsLike
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.objective.checks import check_same_items
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.fitting.objective.threads import at_a_time
from resemblance.fitting.penalty import Strength, choose_strength
from resemblance.forms import Form, NonNegative
from resemblance.judgments import AnyJudgments, Judgments, are_answers, as_judgments, of_kind
from resemblance.judgments.convert import Fitted
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, SHARE, check, integers, setting
from resemblance.scores import column_correlations, match_dimensions
from resemblance.scores.recovery import recurring_dimensions
from resemblance.solvers import Solution

MOST_COMPONENTS = 60


class SPoSE(OrdinalEmbedding):
    r"""Sparse positive similarity embedding, whose dimensions can be interpreted.

    .. math:: \min_{X \ge 0} \; \sum_r -w_r \log p_r
       + \lambda \sum_{ik} \big( \rho \, x_{ik} + (1 - \rho) \, x_{ik}^2 \big), \qquad
       p = \frac{e^{x_a \cdot x_b}}{\sum_{i<j} e^{x_i \cdot x_j}}

    where p is the probability that (a, b) is the pair of three that remains without the odd one. In
    triplets and choices, options are compared by inner products with the head. Loadings X are
    non-negative and most are 0, so that each dimension is a property that items have to some
    degree.

    ``penalty="auto"`` chooses the penalty with the best held-out likelihood, on a path from weak to
    strong, because a strong first penalty would remove dimensions that are needed. The penalty
    shrinks loadings. A factor ``scale_`` on all inner products compensates for this; it is fitted
    to the same held-out answers.

    Source: Zheng, Pereira, Baker & Hebart 2019 (ICLR), with :math:`\rho = 1`; Hebart, Zheng,
    Pereira & Baker 2020. The second term of the penalty is an addition: with it, predictions are
    better.

    Parameters
    ----------
    n_components : int, optional
        The initial number of dimensions. None is 60, or the number of items if smaller.
    l1_ratio : float
        :math:`\rho`, the share of the first term in the penalty, 0 to 1. With a higher share, there
        are fewer dimensions and more loadings of 0.
    penalty : float or "auto"
        The strength :math:`\lambda`.
    scale : float, optional
        The factor on inner products after the fit. None is the factor that "auto" chooses with the
        penalty, or 1 if the penalty is a number.
    n_init : int
        The number of descents. The first starts from signed parts of eigenvectors (NNDSVD), the
        others at random. Another one starts from the dimensions that recur in at least half of the
        descents (matched one to one, with r of .85 or more). The result with the lowest loss is
        kept.
    init, max_iter, tol, random_state, n_jobs, device, callback, warm_start
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Attributes
    ----------
    embedding_ : array (n_items, n_kept)
        The non-negative loadings. Dimensions are sorted by their sum; dimensions of 0 are left out.
    shares_ : array (n_kept,)
        The share of each dimension in the sum of loadings.
    strengths_ : array (k, 2)
        The penalties that "auto" tried, with their held-out log losses.
    scale_ : float
        The factor on inner products after the fit. ``embedding_`` includes its square root.

    Raises
    ------
    JudgmentError, SettingError
        As in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Examples
    --------
    >>> import resemblance as rs
    >>> animals_plants_tools = np.repeat(2.0 * np.eye(3), 5, axis=0)
    >>> person = rs.SpaceObserver(animals_plants_tools, rs.choice.Logistic(), random_state=0)
    >>> questions = [[a, b, c] for a in range(15) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(questions, [row[0] for row in questions]))
    >>> model = rs.SPoSE(n_components=6, random_state=0).fit(answers)
    >>> kinds = model.embedding_.argmax(axis=1)
    >>> [len(set(kinds[first : first + 5].tolist())) for first in (0, 5, 10)]
    [1, 1, 1]
    """

    choice: None = field(init=False)  # the class has a fixed choice model
    form: str | Form = field(init=False)
    batch_size: None = field(init=False)
    n_components: int | None = setting(integers(1).besides(None), default=None, kw_only=False)  # type: ignore[assignment]
    penalty: float | Literal["auto"] = setting(NOT_NEGATIVE.besides("auto", None), default="auto")
    scale: float | None = setting(POSITIVE.besides(None), default=None)
    l1_ratio: float = setting(SHARE, default=0.25)
    n_init: int = setting(integers(1), default=4)

    def _choice(self) -> Logistic:
        return Logistic()

    def _form(self) -> Form:
        return NonNegative(self.l1_ratio)

    def _n_components(self, n_items: int) -> int:
        d = min(MOST_COMPONENTS, n_items) if self.n_components is None else self.n_components
        return int(d)

    def fit(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the loadings, as in :meth:`~resemblance.fitting.OrdinalEmbedding.fit`."""
        self._path: Strength | None = None
        super().fit(X, y, sample_weight)
        path: Strength | None = vars(self).pop("_path")
        self.strengths_ = np.empty((0, 2)) if path is None else path.tried
        return self

    @property
    def chosen_(self) -> dict[str, float]:
        """The penalty and the scale that the fit chose, if they were "auto" or None."""
        return {**super().chosen_, "scale": self.scale_}

    def _scale(self) -> float:
        if self.scale is None:
            return 1.0 if self._path is None else self._path.scale
        return float(self.scale)

    def _auto(self, form: Form, judgments: AnyJudgments, data: list[Batch]) -> tuple[Form, float]:
        if not are_answers(judgments):
            raise SettingError(
                'penalty="auto" needs comparisons, and these are not: give a number, 0 or more.',
                setting="penalty",
            )
        self._path = choose_strength(self, of_kind(judgments, Judgments, "penalty='auto'"))
        return form, self._path.penalty

    def _start(
        self, objective: Objective, shape: tuple[int, int], start: Any, rng: np.random.Generator
    ) -> Floats:
        if self._path is not None and not (isinstance(start, str) and start == "random"):
            start = self._path.loadings
        if isinstance(start, str):
            return super()._start(objective, shape, start, rng)
        missing = max(shape[1] - np.shape(start)[1], 0)
        return super()._start(objective, shape, np.pad(start, ((0, 0), (0, missing))), rng)

    def _of_descents(
        self, solutions: list[Solution], objective: Objective, max_iter: int
    ) -> Solution:
        best = super()._of_descents(solutions, objective, max_iter)
        if len(solutions) == 1 or any(solution.interrupted for solution in solutions):
            return best
        spaces = [solution.x[:, solution.x.any(axis=0)] for solution in solutions]
        at, recurs = recurring_dimensions(spaces)
        if not recurs.any():
            return best
        start = replace(solutions[at], x=spaces[at][:, recurs])
        last = self._descend(objective, start.x.shape, max_iter, start, len(solutions), 0)
        return min(best, last, key=lambda solution: solution.loss)

    def _keep(
        self,
        solution: Solution,
        objective: Objective,
        form: Form,
        n_components: int,
        mentioned: NDArray[np.bool_],
    ) -> None:
        super()._keep(solution, objective, form, n_components, mentioned)
        if not self.embedding_.any():
            raise EmptyError(
                f"a penalty of {self.penalty_:g} leaves no dimension: give a smaller one.",
                setting="penalty",
            )
        self.scale_ = self._scale()
        self.embedding_ = self.embedding_ * np.sqrt(self.scale_)
        self.shares_ = self.embedding_.sum(axis=0) / max(self.embedding_.sum(), 1e-300)


AGAIN = 0.7  # minimum correlation between halves for a dimension that is found again


@dataclass(frozen=True)
class LoadingSpread(Shown):
    """The spread of each loading over refits, from :func:`loading_spread`.

    It is not a confidence interval: see :func:`loading_spread`.

    Attributes
    ----------
    loadings, deviation : array (n_items, d)
        The loadings of the fit, and their standard deviations over refits.
    lowest, highest : array (n_items, d)
        The smallest and the largest value of each loading in the fit and its refits.
    n_refits : int
        The number of refits.

    Examples
    --------
    >>> moved = LoadingSpread(*np.array([[[2.0]], [[0.1]], [[1.8]], [[2.2]]]), n_refits=30)
    >>> moved.lowest < moved.loadings
    array([[ True]])
    """

    loadings: Floats
    deviation: Floats
    lowest: Floats
    highest: Floats
    n_refits: int

    def to_pandas(self) -> pd.DataFrame:
        """Return a table per item and dimension: loading, deviation, lowest, highest."""
        ends = {name: getattr(self, name) for name in ("deviation", "lowest", "highest")}
        return loadings_table(self.loadings, **ends)


def loadings_table(loadings: Floats, **others: Floats) -> pd.DataFrame:
    n_items, d = loadings.shape
    columns = {
        "item": np.repeat(np.arange(n_items), d),
        "dimension": np.tile(np.arange(d), n_items),
    }
    values = {name: value.ravel() for name, value in {"loading": loadings, **others}.items()}
    return pd.DataFrame({**columns, **values})


def loading_spread(
    model: SPoSE,
    judgments: JudgmentsLike,
    *,
    n_refits: int = 30,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> LoadingSpread:
    r"""Measure the variation of each loading over fits to reweighted answers.

    .. math:: w^b_g \sim \mathrm{Exp}(1), \qquad
       \big[ \min_b x^b_{ik}, \; \max_b x^b_{ik} \big]

    where w is the weight of response g in refit b, and x the loading of item i on dimension k.
    Refits start from the fit and have its settings.

    This is a spread, not a confidence interval: the penalty shrinks all fits, lapses are ignored,
    and all answers are treated as those of one person. Its coverage of true loadings depends on the
    study (``papers/calibration/loadings.py``).

    Source: Newton & Raftery 1994 (weighted likelihood bootstrap); Rubin 1981.

    Parameters
    ----------
    model : SPoSE
        The fitted model.
    judgments : OddOneOuts, Choices, Triplets or Quadruplets
        The judgments that the model was fitted to.
    n_refits : int
        The number of fits, 2 or more.
    random_state : int, RandomState or None
        Seed of the weights.
    n_jobs : int, optional
        The number of parallel fits (threads), as in joblib.
    callback : callable, optional
        Called with (fits done, number of fits) after each fit.

    Raises
    ------
    SettingError
        If there are fewer than two refits, or the model is not a SPoSE.
    JudgmentError
        If the judgments are about other items.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver(np.repeat(2.0 * np.eye(2), 6, axis=0), rs.choice.Logistic())
    >>> questions = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(questions, [row[0] for row in questions]))
    >>> model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    >>> loading_spread(model, answers, n_refits=5, random_state=0).lowest.shape
    (12, 2)
    """
    check(n_refits=(n_refits, integers(2)))
    answers = checked_answers(model, judgments)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_refits)
    start = model.embedding_ / np.sqrt(model.scale_)
    refit = clone(model).set_params(
        **model.chosen_, init=start, n_components=start.shape[1], n_init=1, callback=None
    )
    jobs = ((clone(refit), _reweighted(answers, seed)) for seed in seeds)
    X = model.embedding_
    drawn = np.array([_in_place(X, loadings) for loadings in _fits(jobs, n_jobs, callback)])
    lowest, highest = (np.fmin(X, drawn.min(axis=0)), np.fmax(X, drawn.max(axis=0)))
    return LoadingSpread(X, drawn.std(axis=0, ddof=1), lowest, highest, n_refits)


@dataclass(frozen=True)
class Reproducibility(Shown):
    """The reproducibility of the dimensions of a fit, from :func:`reproducibility`.

    Attributes
    ----------
    seeds : array (d,)
        The mean correlation of each dimension with its match in fits from random starts.
    halves : array (d,)
        The mean correlation between the matching dimensions in fits to two halves of the answers.
    found_again : int array (d,)
        The number of splits in which the correlation between halves is .7 or more.
    n_seeds, n_splits : int
        The numbers of random starts and of splits into halves.

    Examples
    --------
    >>> halves, found_again = np.array([0.97, 0.1]), np.array([5, 0])
    >>> again = Reproducibility(np.array([0.99, 0.2]), halves, found_again, 5, 5)
    >>> again.found_again / again.n_splits
    array([1., 0.])
    """

    seeds: Floats
    halves: Floats
    found_again: NDArray[np.int64]
    n_seeds: int
    n_splits: int

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each dimension: seeds, halves, found_again, splits."""
        columns = {"seeds": self.seeds, "halves": self.halves, "found_again": self.found_again}
        numbers = np.arange(len(self.seeds))
        return pd.DataFrame({"dimension": numbers, **columns, "splits": self.n_splits})


def reproducibility(
    model: SPoSE,
    judgments: JudgmentsLike,
    *,
    n_seeds: int = 5,
    n_splits: int = 5,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> Reproducibility:
    r"""Measure how well dimensions recur in fits from other starts and to half of the answers.

    .. math:: r_k = \tanh \operatorname{mean}_b \operatorname{artanh}
       \mathrm{corr}(x_k, x^b_{\pi_b(k)})

    where x_k are the loadings on dimension k, and :math:`\pi_b` matches the dimensions of fit b one
    to one with those of the model. Without a match, r is 0. For halves, the correlation is between
    the matching dimensions in the two halves, which have different answers. A dimension is found
    again in a split if this correlation is .7 or more.

    If the true space has no sparse dimensions, such as a plane, each dimension covers a part of the
    space. Such dimensions may be found again too.

    Source: Hebart, Zheng, Pereira & Baker 2020, "reproducibility of dimensions", whose matching is
    not one to one.

    Parameters
    ----------
    model : SPoSE
        The fitted model, whose penalty is used in all fits.
    judgments : OddOneOuts, Choices, Triplets or Quadruplets
        The judgments that the model was fitted to.
    n_seeds : int
        The number of fits from random starts. With 0, ``seeds`` is NaN.
    n_splits : int
        The number of splits into halves, which do not divide questions or responses. With 0,
        ``halves`` is NaN.
    random_state : int, RandomState or None
        Seed of starts and halves.
    n_jobs : int, optional
        The number of parallel fits (threads), as in joblib.
    callback : callable, optional
        Called with (fits done, number of fits) after each fit.

    Raises
    ------
    SettingError
        If a number of fits is negative, or the model is not a SPoSE.
    JudgmentError
        If the judgments are about other items.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver(np.repeat(2.0 * np.eye(2), 6, axis=0), rs.choice.Logistic())
    >>> questions = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(questions, [row[0] for row in questions]))
    >>> model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    >>> reproducibility(model, answers, n_seeds=2, random_state=0).seeds.shape
    (2,)
    """
    check(n_seeds=(n_seeds, integers(0)), n_splits=(n_splits, integers(0)))
    answers = checked_answers(model, judgments)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_seeds + n_splits).tolist()
    d = model.embedding_.shape[1]
    refit = clone(model).set_params(
        **model.chosen_, init="random", n_init=1, warm_start=False, callback=None
    )
    jobs = [(clone(refit).set_params(random_state=seed), answers) for seed in seeds[:n_seeds]]
    for seed in seeds[n_seeds:]:
        half = GroupedKFold(2, random_state=seed).split(answers)
        jobs += [(clone(refit).set_params(init="auto"), answers[rows]) for rows, _ in half]
    fits = [_in_place(model.embedding_, X) for X in _fits(iter(jobs), n_jobs, callback)]
    again = [column_correlations(model.embedding_, X) for X in fits[:n_seeds]]
    halves = [column_correlations(*pair) for pair in pairwise(fits[n_seeds:])][::2]
    found_again = (np.reshape(halves, (n_splits, d)) >= AGAIN).sum(axis=0)
    return Reproducibility(_mean(again, d), _mean(halves, d), found_again, n_seeds, n_splits)


def checked_answers(model: SPoSE, judgments: JudgmentsLike) -> Judgments:
    check_is_fitted(of_kind(model, SPoSE, "the model", "fit one", SettingError), "embedding_")
    answers = as_judgments(judgments)
    check_same_items(answers, model.items_)
    return answers


def _fits(
    jobs: Iterator[tuple[SPoSE, Judgments]], n_jobs: int | None, callback: Told | None
) -> Iterator[Floats]:
    tasks = list(jobs)
    return Steps(callback, len(tasks)).each(at_a_time(_loadings, tasks, n_jobs))


def _loadings(model: SPoSE, judgments: Judgments) -> Floats:
    try:
        with quiet():
            return model.fit(judgments).embedding_
    except EmptyError:
        return np.empty((judgments.n_items, 0))


def _reweighted(judgments: Judgments, seed: int) -> Judgments:
    rng = np.random.default_rng(seed)
    if judgments.response_id is None:
        drawn = rng.exponential(size=len(judgments))
    else:
        group = np.unique(judgments.response_id, return_inverse=True)[1]
        drawn = rng.exponential(size=group.max() + 1)[group]
    return judgments.reweighted(judgments.weights * drawn)


def _in_place(start: Floats, loadings: Floats) -> Floats:
    columns, _ = match_dimensions(start, loadings)
    padded = np.pad(loadings, ((0, 0), (0, 1)))
    return np.asarray(padded[:, columns])


def _mean(correlations: list[Floats], d: int) -> Floats:
    if not correlations:
        return np.full(d, np.nan)
    return np.tanh(np.arctanh(np.clip(correlations, -0.9999, 0.9999)).mean(axis=0))
