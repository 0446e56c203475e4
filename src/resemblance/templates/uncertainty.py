"""Uncertainty of templates, by resampling trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.judgments import Classifications
from resemblance.judgments.checks import of_kind
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, integers
from resemblance.scores.intervals import percentile_interval
from resemblance.templates.decisions import DecisionTemplates
from resemblance.templates.likelihood import Decisions
from resemblance.templates.pixels import as_trials

COARSE = 1e-5  # the tolerance of refits, which start where the fit has ended


@dataclass(frozen=True)
class TemplateUncertainty:
    """Maps of uncertainty, one per template.

    Attributes
    ----------
    standard_error : array (K, d)
        The standard deviation of each pixel of each template over the resamples.
    z : array (K, d)
        The template in standard errors.
    low, high : array (K, d)
        The ends of the percentile interval.

    Examples
    --------
    >>> ones = np.ones((1, 2))
    >>> TemplateUncertainty(ones, 2 * ones, 0 * ones, 4 * ones).z
    array([[2., 2.]])
    """

    standard_error: Floats
    z: Floats
    low: Floats
    high: Floats


def template_uncertainty(
    model: DecisionTemplates,
    X: Classifications | ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_resamples: int = 100,
    level: float = 0.95,
    random_state: Any = None,
    callback: Told | None = None,
) -> TemplateUncertainty:
    """Map the uncertainty of templates by a bootstrap.

    Trials are drawn with replacement (responses as a whole), and the templates are fitted anew from
    where they are, under the same prior. The prior pulls all refits the same way: this is how far
    trials move the templates, not how far the prior does.

    Parameters
    ----------
    model : DecisionTemplates
        Fitted to these trials.
    X, y
        The trials.
    n_resamples : int
        Two or more.
    level : float
        Of the interval, between 0 and 1.
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (fits done, fits in all) after each fit.

    Returns
    -------
    TemplateUncertainty

    Raises
    ------
    SettingError
        If a setting is out of range, or the model is no DecisionTemplates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(300, 4))
    >>> trials = Classifications(noise, noise[:, 0] + rng.normal(size=300) > 0)
    >>> model = DecisionTemplates(2, smoothness=0, penalty=1.0).fit(trials)
    >>> maps = template_uncertainty(model, trials, n_resamples=20, random_state=0)
    >>> maps.standard_error.shape, int(maps.z[1].argmax())
    ((2, 4), 0)
    """
    check(n_resamples=(n_resamples, integers(2)), level=(level, LEVEL))
    check_is_fitted(of_kind(model, DecisionTemplates, "the model", "fit one", SettingError))
    trials = as_trials(X, y)
    start, decisions, shapes = model.refits(trials)
    random = check_random_state(random_state)
    templates = np.empty((n_resamples, *model.templates_.shape))
    for draw in Steps(callback, n_resamples).each(templates):
        rows = _resampled(trials, random)
        resampled = Decisions(decisions.images[rows], decisions.answers[rows], decisions.penalty)
        draw[:] = resampled.fit(start, model.max_iter, COARSE)[0].weights @ shapes
    error = templates.std(axis=0, ddof=1)
    z = np.divide(model.templates_, error, out=np.zeros_like(error), where=error > 0)
    low, high = percentile_interval(templates, level)
    return TemplateUncertainty(error, z, low, high)


def _resampled(trials: Classifications, random: np.random.RandomState) -> NDArray[np.intp]:
    if trials.response_id is None:
        return random.randint(len(trials), size=len(trials))
    members = np.unique(trials.response_id, return_inverse=True)[1]
    drawn = random.randint(members.max() + 1, size=members.max() + 1)
    order = np.argsort(members, kind="stable")
    ends = np.searchsorted(members[order], np.arange(members.max() + 2))
    return np.concatenate([order[ends[g] : ends[g + 1]] for g in drawn])
