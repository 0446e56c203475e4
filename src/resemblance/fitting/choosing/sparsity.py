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
SPARSITY_STEP, MOST_SPARSITY_STEPS = 1.5, 14  # ratio of consecutive penalties, and most steps
MANY_HELD_OUT = 50_000  # answers from which a tenth held out once is enough
SPARSITY_FOLDS, PARTS = 5, 10
ROUGH_TOL, MOST_ITERATIONS = 3e-4, 60  # fits that only compare penalties may be rough
SCALES = np.log(0.25), np.log(4.0)


@dataclass(frozen=True)
class Strength:
    penalty: float  # minimum of a parabola through those tried
    scale: float  # factor of inner products with the least held-out log loss
    loadings: Floats  # (n_items, n_kept), fitted to the first fold at scale 1
    tried: Floats  # (k, 2), penalties and their held-out log losses


def choose_strength(estimator: Embeds, judgments: Judgments) -> Strength:
    r"""Choose the penalty of non-negative loadings, and the scale of their inner products.

    Loadings that have become 0 together stay there, so the path goes from weak to strong,

    .. math:: \lambda_k = \lambda_0 \, 1.5^k, \quad k = 0, 1, \dots

    each fit from the last one, until there is no gain. A tenth of the answers is held out, or five
    folds if there are few. The scale s with p proportional to exp(s x_a . x_b) makes up for the
    shrinkage.
    """
    folds = [(judgments[train], judgments[test]) for train, test in _folds(judgments)]
    for weakest in STARTS:
        trials = _trials(estimator, folds, weakest)
        losses = [trial.log_loss for trial in trials]
        if losses and (np.argmin(losses) > 0 or weakest == STARTS[-1]):
            break
    else:
        raise SettingError(
            f"even a penalty of {STARTS[-1]:g} leaves no dimension: inner products do not "
            "explain these answers. Collect more answers, or use another model.",
            setting="penalty",
        )
    tried = np.array([[trial.penalty, trial.log_loss] for trial in trials])
    penalty = least_between(*tried.T)
    scales = [trial.scale for trial in trials]
    scale = float(np.exp(np.interp(np.log(penalty), np.log(tried[:, 0]), np.log(scales))))
    return Strength(penalty, scale, trials[int(np.argmin(losses))].loadings, tried)


class _Trial(NamedTuple):
    penalty: float
    log_loss: float
    scale: float
    loadings: Floats


def _trials(
    estimator: Embeds, folds: list[tuple[Judgments, Judgments]], weakest: float
) -> list[_Trial]:
    """Go up the path from the weakest penalty until there is no gain, or no dimension."""
    paths = [_SparsityPath(estimator, *fold) for fold in folds]
    trials: list[_Trial] = []
    for penalty in (weakest * SPARSITY_STEP ** np.arange(MOST_SPARSITY_STEPS)).tolist():
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
    few = len(judgments) < MANY_HELD_OUT
    folds = Units(judgments, n_splits=SPARSITY_FOLDS if few else PARTS).folds()
    if not folds:
        raise SettingError(
            "one response cannot be held out to choose the penalty: give a number.",
            setting="penalty",
        )
    return folds if few else folds[:1]


class _SparsityPath:
    """Fits to the same answers under ever stronger penalties, each from the last one."""

    def __init__(self, estimator: Embeds, train: Judgments, test: Judgments) -> None:
        self.model = clone(estimator).set_params(n_init=1, tol=ROUGH_TOL, max_iter=MOST_ITERATIONS)
        self.train, self.test = train, test

    @property
    def loadings(self) -> Floats:
        return self.model.embedding_

    def log_probabilities(self, penalty: float) -> Floats | None:
        """Return the weight of each held-out answer and the log probability of each option.

        None if no dimension is left.
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
    """Return the most likely factor of inner products, and the log loss.

    ``logs`` has the weight of each row and the log probabilities of its options at factor 1, the
    given answer first.
    """
    weight, log_p = logs[:, 0], logs[:, 1:]

    def loss(log_scale: float) -> float:
        scaled = np.exp(log_scale) * log_p
        return float(np.average(logsumexp(scaled, axis=1) - scaled[:, 0], weights=weight))

    result = minimize_scalar(loss, bounds=SCALES, method="bounded")
    return float(np.exp(result.x)), float(result.fun)
