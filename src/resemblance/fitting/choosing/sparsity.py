"""Choose the sparsity penalty of non-negative loadings, along a path from weak to strong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.errors import EmptyError, SettingError, quiet
from resemblance.fitting.choosing.folds import Units
from resemblance.fitting.choosing.penalty import least_between
from resemblance.fitting.estimator import Embeds
from resemblance.judgments import Judgments

STARTS = 2.0, 0.3, 0.05  # starts of paths; a weaker one is tried if the first penalty was best
STEP, MOST_STEPS = 1.5, 14  # ratio of consecutive penalties, and most steps
MANY = 50_000  # answers from which a tenth held out once is enough
FOLDS, PART = 5, 10
ROUGH_TOL, MOST_ITERATIONS = 3e-4, 60  # fits that only compare penalties may be rough
SCALES = np.log(0.25), np.log(4.0)


@dataclass(frozen=True)
class Strength:
    """A penalty, and what was found on the way to it.

    Attributes
    ----------
    penalty : float
        Under which answers held out are most likely: between those tried, by a parabola.
    scale : float
        The factor of all inner products under which they are.
    loadings : array (n_items, n_kept)
        Fitted to the answers of the first fold under the best of those tried, at scale 1.
    tried : array (k, 2)
        All penalties that were tried, and the log loss of the answers held out under each.
    """

    penalty: float
    scale: float
    loadings: Floats
    tried: Floats


def choose_strength(estimator: Embeds, judgments: Judgments) -> Strength:
    r"""Choose the penalty of non-negative loadings, and the scale of their inner products.

    Loadings that have become 0 together stay there, so that the path goes from weak to strong:

    .. math:: \lambda_k = \lambda_0 \, 1.5^k, \quad k = 0, 1, \dots

    each fit from where the last one ended, until one brings no gain. The answers held out are a
    tenth of all, or five folds where there are few. A penalty shrinks; the scale s under which the
    answers held out are most likely, with p proportional to exp(s x_a . x_b), makes up for it.

    Parameters
    ----------
    estimator : Embeds
        Its settings count; its form is non-negative, its choice model reads inner products.
    judgments : Judgments
        What it is to be fitted to; folds keep questions and responses whole.

    Returns
    -------
    Strength

    Raises
    ------
    SettingError
        If even the weakest penalty leaves no dimension.
    """
    folds = [(judgments[train], judgments[test]) for train, test in _folds(judgments)]
    for weakest in STARTS:
        trials = _trials(estimator, folds, weakest)
        losses = [trial.log_loss for trial in trials]
        if losses and (np.argmin(losses) > 0 or weakest == STARTS[-1]):
            break
    else:
        raise SettingError(
            f"even a penalty of {STARTS[-1]:g} leaves no dimension: these answers have no order "
            "that inner products explain.",
            setting="penalty",
        )
    tried = np.array([[trial.penalty, trial.log_loss] for trial in trials])
    penalty = least_between(*tried.T)
    scales = [trial.scale for trial in trials]
    scale = float(np.exp(np.interp(np.log(penalty), np.log(tried[:, 0]), np.log(scales))))
    return Strength(penalty, scale, trials[int(np.argmin(losses))].loadings, tried)


class _Trial(NamedTuple):
    """What is found under one penalty."""

    penalty: float
    log_loss: float
    scale: float
    loadings: Floats


def _trials(
    estimator: Embeds, folds: list[tuple[Judgments, Judgments]], weakest: float
) -> list[_Trial]:
    """Go up the path from the weakest penalty until there is no gain, or no dimension."""
    paths = [_Path(estimator, *fold) for fold in folds]
    trials: list[_Trial] = []
    for penalty in (weakest * STEP ** np.arange(MOST_STEPS)).tolist():
        with quiet():
            logs = [path.log_probabilities(penalty) for path in paths]
        if any(log is None for log in logs):
            break
        scale, loss = best_scale(np.concatenate([log for log in logs if log is not None]))
        trials.append(_Trial(penalty, loss, scale, paths[0].loadings))
        if loss > min(trial.log_loss for trial in trials):
            break
    return trials


def _folds(judgments: Judgments) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to fit and to hold out: one part of many, or folds."""
    few = len(judgments) < MANY
    folds = Units(judgments, n_splits=FOLDS if few else PART).folds()
    if not folds:
        raise SettingError(
            "one response cannot be held out to choose the penalty: give a number.",
            setting="penalty",
        )
    return folds if few else folds[:1]


class _Path:
    """Fits to the same answers under stronger and stronger penalties, each from the last one."""

    def __init__(self, estimator: Embeds, train: Judgments, test: Judgments) -> None:
        self.model = clone(estimator).set_params(n_init=1, tol=ROUGH_TOL, max_iter=MOST_ITERATIONS)
        self.train, self.test = train, test

    @property
    def loadings(self) -> Floats:
        """What the last fit found."""
        return self.model.embedding_

    def log_probabilities(self, penalty: float) -> Floats | None:
        """Return the weight of each answer held out and the log probability of each option.

        None where no dimension is left.
        """
        try:
            model = self.model.set_params(penalty=penalty).fit(self.train)
        except EmptyError:
            return None
        model.set_params(init=model.embedding_, n_components=model.embedding_.shape[1])
        with np.errstate(divide="ignore"):  # options that a row does not have
            logs = np.log(model.predict_proba(self.test))
        return np.column_stack([self.test.weights, logs])


def best_scale(logs: Floats) -> tuple[float, float]:
    """Return the factor of inner products under which answers are most likely, and the log loss.

    ``logs`` has the weight of each row and the log probabilities of its options at factor 1, the
    answer first.
    """
    weight, log_p = logs[:, 0], logs[:, 1:]

    def loss(log_scale: float) -> float:
        scaled = np.exp(log_scale) * log_p
        return float(np.average(logsumexp(scaled, axis=1) - scaled[:, 0], weights=weight))

    result = minimize_scalar(loss, bounds=SCALES, method="bounded")
    return float(np.exp(result.x)), float(result.fun)
