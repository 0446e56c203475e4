"""Which dimensions are real, and how sure each loading is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.stats import t as student_t
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.embeddings.spose import SPoSE
from resemblance.errors import EmptyError, SettingError, quiet
from resemblance.fitting import GroupedKFold, JudgmentsLike
from resemblance.fitting.objective.checks import check_same_items
from resemblance.fitting.objective.threads import at_a_time
from resemblance.judgments import Judgments, as_judgments
from resemblance.notebook import Shown
from resemblance.progress import Told
from resemblance.scores import column_correlations, match_dimensions


@dataclass(frozen=True)
class LoadingIntervals(Shown):
    """How sure each loading of a fit is; :func:`loading_intervals` makes it.

    Attributes
    ----------
    loadings : array (n_items, d)
        Those of the fit.
    deviation : array (n_items, d)
        The standard deviation of each under other answers of the same kind.
    low, high : array (n_items, d)
        The interval, not below 0.
    level : float
        What share of true loadings it is to hold.

    Examples
    --------
    >>> sure = LoadingIntervals(*np.array([[[2.0]], [[0.1]], [[1.8]], [[2.2]]]), level=0.95)
    >>> sure.low < sure.loadings
    array([[ True]])
    """

    loadings: Floats
    deviation: Floats
    low: Floats
    high: Floats
    level: float

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each item and dimension.

        Returns
        -------
        DataFrame
            With the columns item and dimension (numbers from 0), loading, deviation, low and high.
        """
        n_items, d = self.loadings.shape
        columns = {
            "item": np.repeat(np.arange(n_items), d),
            "dimension": np.tile(np.arange(d), n_items),
            "loading": self.loadings.ravel(),
        }
        bounds = {name: getattr(self, name).ravel() for name in ("deviation", "low", "high")}
        return pd.DataFrame({**columns, **bounds})


def loading_intervals(
    model: SPoSE,
    judgments: JudgmentsLike,
    *,
    n_draws: int = 30,
    level: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> LoadingIntervals:
    r"""Say how sure each loading is, by fits to reweighted answers.

    .. math:: w^b_g \sim \mathrm{Exp}(1), \qquad
       \sigma_{ik} = \mathrm{sd}_b \, x^b_{ik}, \qquad x_{ik} \pm t_{B-1} \, \sigma_{ik}

    for draws b of weights of the responses g, each fit from where the first ended, under its
    penalty and at its scale. A loading of 0 that stays 0 in all draws has the interval [0, 0].

    Source: Newton & Raftery 1994 (weighted likelihood bootstrap); Rubin 1981. What the intervals
    hold is counted in ``papers/calibration/loadings.py``.

    Parameters
    ----------
    model : SPoSE
        Fitted.
    judgments : OddOneOuts, Choices, Triplets or Quadruplets
        What it was fitted to.
    n_draws : int
        The number of fits, 2 or more.
    level : float
        The share of true loadings that intervals are to hold, between 0 and 1.
    random_state : int, RandomState or None
        Draws the weights.
    n_jobs : int, optional
        Fits at a time (threads), as in joblib.
    callback : callable, optional
        Called with (fits done, fits in all) after each fit.

    Returns
    -------
    LoadingIntervals

    Raises
    ------
    SettingError
        If there are fewer than two draws, or the level is no share.
    JudgmentError
        If the judgments are about other items.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver(np.repeat(2.0 * np.eye(2), 6, axis=0), rs.choice.Logistic())
    >>> shown = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(shown, [row[0] for row in shown]))
    >>> model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    >>> loading_intervals(model, answers, n_draws=5, random_state=0).low.shape
    (12, 2)
    """
    told = _known(model, judgments)
    if n_draws < 2 or not 0 < level < 1:
        raise SettingError(
            f"n_draws is {n_draws!r} and level {level!r}: give 2 draws or more, and a level "
            "between 0 and 1"
        )
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_draws)
    start = model.embedding_ / np.sqrt(model.scale_)
    one = clone(model).set_params(
        **model.chosen_, init=start, n_components=start.shape[1], n_init=1, callback=None
    )
    jobs = ((clone(one), _reweighted(told, seed)) for seed in seeds)
    X = model.embedding_
    drawn = np.array([_in_place(X, loadings) for loadings in _fits(jobs, n_jobs, callback)])
    deviation = drawn.std(axis=0, ddof=1)
    half = student_t.ppf(0.5 + level / 2, n_draws - 1) * deviation
    return LoadingIntervals(X, deviation, np.maximum(X - half, 0.0), X + half, level)


@dataclass(frozen=True)
class Reproducibility(Shown):
    """How well the dimensions of a fit are found again; :func:`reproducibility` makes it.

    Attributes
    ----------
    seeds : array (d,)
        The mean correlation of each dimension with its match in fits from other random starts.
    halves : array (d,)
        The mean correlation of its matches in fits to one half of the answers and to the other.
    n_seeds, n_halves : int
        The number of such fits.

    Examples
    --------
    >>> again = Reproducibility(np.array([0.99, 0.2]), np.array([0.97, 0.1]), 5, 2)
    >>> again.halves > 0.5
    array([ True, False])
    """

    seeds: Floats
    halves: Floats
    n_seeds: int
    n_halves: int

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each dimension: its number from 0, seeds and halves.

        Returns
        -------
        DataFrame
        """
        numbers = np.arange(len(self.seeds))
        return pd.DataFrame({"dimension": numbers, "seeds": self.seeds, "halves": self.halves})


def reproducibility(
    model: SPoSE,
    judgments: JudgmentsLike,
    *,
    n_seeds: int = 5,
    n_splits: int = 1,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> Reproducibility:
    r"""Say how well each dimension is found again: from other starts, and in half of the answers.

    .. math:: r_k = \tanh \operatorname{mean}_b \operatorname{artanh}
       \mathrm{corr}(x_k, x^b_{\pi_b(k)})

    with :math:`\pi_b` the matching of the dimensions of fit b with those of the model, and 0 for
    one that has no match. Of halves, the correlation is between the matches in either half, so that
    no answer is in both.

    Source: Hebart, Zheng, Pereira & Baker 2020, "reproducibility of dimensions", who match each
    dimension with its best match instead of one to one.

    Parameters
    ----------
    model : SPoSE
        Fitted; its penalty is kept.
    judgments : OddOneOuts, Choices, Triplets or Quadruplets
        What it was fitted to.
    n_seeds : int
        Fits from random starts, 0 or more.
    n_splits : int
        Divisions into two halves, 0 or more; groups are kept whole.
    random_state : int, RandomState or None
        Draws starts and halves.
    n_jobs : int, optional
        Fits at a time (threads), as in joblib.
    callback : callable, optional
        Called with (fits done, fits in all) after each fit.

    Returns
    -------
    Reproducibility

    Raises
    ------
    SettingError
        If a number of fits is negative.
    JudgmentError
        If the judgments are about other items.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver(np.repeat(2.0 * np.eye(2), 6, axis=0), rs.choice.Logistic())
    >>> shown = [[a, b, c] for a in range(12) for b in range(a) for c in range(b)]
    >>> answers = person.answer(rs.OddOneOuts(shown, [row[0] for row in shown]))
    >>> model = rs.SPoSE(2, penalty=1.0, random_state=0).fit(answers)
    >>> reproducibility(model, answers, n_seeds=2, random_state=0).seeds.shape
    (2,)
    """
    told = _known(model, judgments)
    if n_seeds < 0 or n_splits < 0:
        raise SettingError(
            f"n_seeds is {n_seeds!r} and n_splits {n_splits!r}: give numbers of fits, 0 or more"
        )
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_seeds + n_splits).tolist()
    d = model.embedding_.shape[1]
    one = clone(model).set_params(
        **model.chosen_, init="random", n_init=1, warm_start=False, callback=None
    )
    jobs = [(clone(one).set_params(random_state=seed), told) for seed in seeds[:n_seeds]]
    for seed in seeds[n_seeds:]:
        half = GroupedKFold(2, random_state=seed).split(told)
        jobs += [(clone(one).set_params(init="auto"), told[rows]) for rows, _ in half]
    found = [_in_place(model.embedding_, X) for X in _fits(iter(jobs), n_jobs, callback)]
    again = [column_correlations(model.embedding_, X) for X in found[:n_seeds]]
    halves = [column_correlations(*pair) for pair in pairwise(found[n_seeds:])]
    return Reproducibility(_mean(again, d), _mean(halves[::2], d), n_seeds, 2 * n_splits)


def _known(model: SPoSE, judgments: JudgmentsLike) -> Judgments:
    """Check that the model is fitted, to judgments of the same items."""
    check_is_fitted(model, "embedding_")
    told = as_judgments(judgments)
    check_same_items(told, model.items_)
    return told


def _fits(
    jobs: Iterator[tuple[SPoSE, Judgments]], n_jobs: int | None, callback: Told | None
) -> Iterator[Floats]:
    """Fit each model to its judgments; yield the loadings."""
    tasks = list(jobs)
    for done, loadings in enumerate(at_a_time(_loadings, tasks, n_jobs), 1):
        if callback is not None:
            callback(done, len(tasks))
        yield loadings


def _loadings(model: SPoSE, judgments: Judgments) -> Floats:
    """Fit; return the loadings, without any where the penalty leaves none."""
    try:
        with quiet():
            return model.fit(judgments).embedding_
    except EmptyError:
        return np.empty((judgments.n_items, 0))


def _reweighted(judgments: Judgments, seed: int) -> Judgments:
    """Draw weights of responses from the exponential distribution."""
    rng = np.random.default_rng(seed)
    if judgments.response_id is None:
        drawn = rng.exponential(size=len(judgments))
    else:
        group = np.unique(judgments.response_id, return_inverse=True)[1]
        drawn = rng.exponential(size=group.max() + 1)[group]
    return judgments.reweighted(judgments.weights * drawn)


def _in_place(start: Floats, loadings: Floats) -> Floats:
    """Put columns where the fit had them before it ordered them; emptied ones are 0."""
    columns, _ = match_dimensions(start, loadings)
    padded = np.pad(loadings, ((0, 0), (0, 1)))
    return np.asarray(padded[:, columns])


def _mean(correlations: list[Floats], d: int) -> Floats:
    """Average the correlations of each of d dimensions by Fisher's z."""
    if not correlations:
        return np.full(d, np.nan)
    return np.tanh(np.arctanh(np.clip(correlations, -0.9999, 0.9999)).mean(axis=0))
