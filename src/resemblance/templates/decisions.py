"""Estimate the templates behind decisions, by maximum likelihood, and their uncertainty."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import NotConvergedWarning, SettingError, quiet
from resemblance.fitting import GroupedKFold
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.folds import Units
from resemblance.fitting.objective.threads import one_blas_thread
from resemblance.judgments import Classifications
from resemblance.judgments.checks import of_kind
from resemblance.notebook import Shown
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, NOT_NEGATIVE, POSITIVE, check, integers, setting
from resemblance.scores.intervals import percentile_interval
from resemblance.templates.classifier import TemplateClassifier
from resemblance.templates.gaussians import spreads
from resemblance.templates.likelihood import (
    LAPSE,
    PAYS,
    Decisions,
    Fitted,
    HeldOut,
    Matcher,
    Problem,
    fewest,
    fit_from,
)
from resemblance.templates.pixels import (
    Components,
    ImagesLike,
    Pixels,
    as_trials,
    codes_among,
    images_like,
    region_means,
    score_of,
    trials_to_fit,
)
from resemblance.templates.strategy import StrategyComparison, compare_strategies, kept_share

SMOOTHNESS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
# standard deviations of matches to which templates from clusters are scaled, as starts to try
GAINS = (0.25, 1.0, 4.0)


class DecisionTemplates(Estimator):
    r"""The templates behind a person's decisions, estimated by likelihood.

    .. math::
        P(c | x) = (1 - \lambda) \frac{\sum_{k \in c} e^{m_k}}{\sum_k e^{m_k}} +
        \frac{\lambda}{C}, \quad m_k = \langle t_k, x - \bar x \rangle + b_k

    P is the probability of answer c to image x, with templates t_k, biases b_k, the mean image, and
    C classes. Usually the template with the best match gives the answer. Longer templates mean less
    internal noise; a share lambda of answers are lapses. A prior keeps templates smooth: the
    objective adds penalty / 2 times the sum, over templates and their components, of (1 +
    smoothness * roughness) times the squared length. The roughness of a component is the sum of
    squared differences of neighbouring pixels.

    The fit starts with one template per class. It then splits one template after another, along the
    leading eigenvector of the answer-triggered covariance that is not explained yet. Smoothness and
    penalty are chosen by the likelihood of held-out answers. The number of templates is the lowest
    within two standard errors of the best. A second fit starts from the result of
    :class:`TemplateClassifier`; the better fit is kept.

    Parameters
    ----------
    n_templates : int, optional
        The number of templates of all classes. Default: chosen from one per class to
        ``max_templates``.
    max_templates : int
        The largest number of templates to try.
    smoothness, penalty : float, optional
        The settings of the prior, in units of the pixels' standard deviation. Default: chosen.
    regions : array of int, of the shape of an image, optional
        Regions of the image; pixels of different regions do not count as neighbours.
    rank : int, optional
        The largest number of smooth components. Default: all.
    classifier : TemplateClassifier, optional
        The model for the second start. Default: a classifier with diagonal covariances.
    cv : int
        The number of folds; responses stay whole.
    max_iter : int
        The largest number of iterations of a descent.
    tol : float
        The relative tolerance per iteration, as in :class:`~resemblance.STE`.
    random_state : int
        The seed of the folds and the classifier.
    callback : callable, optional
        Called with (steps done, steps in all) after each fold and each part of the fit.

    Attributes
    ----------
    templates_ : array (K, d)
        The templates t, per unit of a pixel, sorted by class. Their sum is 0, because adding a
        pattern to all of them changes no decision.
    labels_, biases_ : arrays (K,)
        The class and the bias b of each template.
    lapse_, smoothness_, penalty_ : float
        Lambda, and the settings of the prior.
    masks_ : array (K, d)
        Inverse variances of the pixels of the images that match each template best.
    n_templates_ : int
        The number K of templates.
    held_out_ : array (m, n_numbers)
        The log-likelihood of each held-out answer. The first column is for one template per class,
        the next for one template more, and so on. None if nothing was chosen.
    kept_ : float
        With one template per class: the gain over guessing on held-out answers, as a share of the
        gain on fitted answers, minus the standard error. None if nothing was chosen.
    classifier_, start_ : TemplateClassifier, str
        The clusters, and the better start: "splits" or "clusters".
    classes_, image_shape_, mean_, loss_, converged_
        The classes, the shape of an image, the mean image, the objective (nats), and whether the
        descent converged.

    Raises
    ------
    SettingError
        For a setting out of range, or regions of another shape than images.
    JudgmentError
        For trials that :class:`~resemblance.Classifications` refuses.

    References
    ----------
    The paper on image templates models decisions by the best match; the likelihood is our own.
    Answer-triggered covariance: P. Neri (2004), Estimation of nonlinear psychophysical kernels,
    Journal of Vision 4(2):2.

    Examples
    --------
    >>> import resemblance as rs
    >>> task = rs.stimuli.FourSquares(side=2)
    >>> person = rs.TemplateObserver(task.signals, task.labels, "prototype", random_state=0)
    >>> trials = rs.observers.run_staircase(person, task, rs.Staircase(1.0), 400, random_state=0)
    >>> model = DecisionTemplates(random_state=0).fit(trials)
    >>> model.labels_.tolist(), model.strategy_comparison().verdict
    (['bottom', 'top'], 'prototype')
    """

    n_templates: int | None = field(default=None, kw_only=False)
    max_templates: int = 6
    smoothness: float | None = setting(NOT_NEGATIVE.besides(None), default=None)
    penalty: float | None = setting(POSITIVE.besides(None), default=None)
    regions: ArrayLike | None = None
    rank: int | None = setting(integers(1).besides(None), default=None)
    classifier: TemplateClassifier | None = None
    cv: int = 5
    max_iter: int = setting(integers(1), default=300)
    tol: float = setting(NOT_NEGATIVE, default=1e-6)
    random_state: int = 0
    callback: Told | None = None

    def fit(self, X: Classifications | ArrayLike, y: ArrayLike | None = None) -> Self:
        """Fit to classifications X, or to images X (m, ...) and answers y (m,)."""
        trials = trials_to_fit(X, y)
        self._check(len(trials.classes))
        with one_blas_thread:  # Matrices are small, and other processes may be busy.
            self._fit(trials)
        return self

    def _fit(self, trials: Classifications) -> None:
        points, components = self._seen(trials)
        problem = Problem(components, trials.codes, len(trials.classes), self.max_iter)
        steps = Steps(self.callback, 3)  # Choosing smoothness and penalty adds further steps.
        self._choose(problem, trials, steps)
        decisions = problem.decisions(self.smoothness_, self.penalty_, np.arange(len(trials)))
        path = problem.path(decisions, self.n_templates_, self.tol, forced=True)
        steps.take()
        self._set_kept(path[0].matcher, decisions)
        with quiet():
            clusters = self.classifier or TemplateClassifier(random_state=self.random_state)
            self.classifier_ = clone(clusters).fit(trials)
        steps.take()
        shapes = points.whole(components.shapes(self.smoothness_))
        self._keep(self._better(path[-1], decisions, shapes), points, shapes, trials)
        steps.take()

    def predict(self, X: ImagesLike) -> NDArray[Any]:
        """Return the most likely answer to each image, (m,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: ImagesLike) -> Floats:
        """Return the probability of each answer, (m, n_classes)."""
        return self._matcher.probabilities(self._centred(X)).T

    def matches(self, X: ImagesLike) -> Floats:
        """Return the match of each image with each template, (m, K)."""
        return self._matcher.matches(self._centred(X)).T

    def score(self, X: Classifications | ArrayLike, y: ArrayLike | None = None) -> float:
        """Return the share of answers that are the most probable answer."""
        return score_of(self, X, y)

    def log_likelihood(self, X: Classifications | ArrayLike, y: ArrayLike | None = None) -> Floats:
        """Return the log probability of each answer, (m,), in nats."""
        trials = as_trials(X, y)
        matcher = self._matcher
        return matcher.log_likelihoods(self._centred(trials), codes_among(self.classes_, trials))

    def region_averages(self, regions: ArrayLike | None = None) -> Floats:
        """Average the templates over regions, by default the fit's, (K, n_regions)."""
        check_is_fitted(self, "templates_")
        regions = self.regions if regions is None else regions
        if regions is None:
            raise SettingError("no regions are set: give them here, or to the model")
        return region_means(self.templates_, regions)

    def strategy_comparison(
        self, level: float = 0.95, margin: float = 0.02, random_state: Any = 0
    ) -> StrategyComparison:
        """Compare the exemplar and the prototype strategy by held-out log-likelihood.

        An exemplar observer has several templates per class, a prototype observer has one. A model
        with two templates per class (on average) is compared with a model with one template per
        class. See :class:`StrategyComparison` for the verdict and its interval.

        Parameters
        ----------
        level : float
            The level of the interval, between 0 and 1.
        margin : float
            The smallest gain, in nats per answer, at which exemplars count as better.
        random_state : int, RandomState or None
            The seed of the bootstrap.
        """
        check_is_fitted(self, "templates_")
        if self.held_out_ is None:
            raise SettingError(
                "nothing was held out, because n_templates, smoothness and penalty were given: "
                "leave one of them out"
            )
        n = len(self.classes_)
        exemplar, prototype = self.held_out_[:, n], self.held_out_[:, 0]
        assert self.kept_ is not None
        return compare_strategies(
            exemplar,
            prototype,
            self.held_out_groups_,
            self.cv,
            level,
            margin,
            random_state,
            kept=self.kept_,
        )

    @property
    def _matcher(self) -> Matcher:
        check_is_fitted(self, "templates_")
        codes = np.searchsorted(self.classes_, self.labels_)
        return Matcher(self.templates_, self.biases_, float(logit(self.lapse_)), codes)

    def _centred(self, X: ImagesLike) -> Floats:
        check_is_fitted(self, "templates_")
        return images_like(X, self.image_shape_) - self.mean_

    def _choose(self, problem: Problem, trials: Classifications, steps: Steps) -> None:
        n = problem.n_classes
        self.held_out_ = self.held_out_groups_ = None
        if not (self.n_templates is None or self.smoothness is None or self.penalty is None):
            self.n_templates_, self.smoothness_ = self.n_templates, self.smoothness
            self.penalty_ = self.penalty
            return
        pairs = list(GroupedKFold(self.cv, random_state=self.random_state).split(trials))
        most = max(self.max_templates, self.n_templates or 0, 2 * n)
        self.smoothness_, self.held_out_, penalties = HeldOut(problem, pairs, most, steps).choose(
            SMOOTHNESS if self.smoothness is None else (self.smoothness,),
            PENALTIES if self.penalty is None else (self.penalty,),
        )
        self.held_out_groups_ = Units(trials, n_splits=self.cv).groups
        self.n_templates_ = self.n_templates or n + fewest(self.held_out_)
        self.penalty_ = float(penalties[self.n_templates_ - n])

    def _set_kept(self, matcher: Matcher, decisions: Decisions) -> None:
        self.kept_ = None
        if self.held_out_ is not None:
            fitted = matcher.log_likelihoods(decisions.images, decisions.answers)
            self.kept_ = kept_share(fitted, self.held_out_[:, 0], decisions.answers)

    def refits(self, trials: Classifications) -> tuple[Matcher, Decisions, Floats]:
        """Return the fit's templates, the answers to these trials, and the components (r, d)."""
        images_like(trials, self.image_shape_)
        codes = codes_among(self.classes_, trials)
        points, components = self._seen(trials)
        shapes = points.whole(components.shapes(self.smoothness_))
        images = components.scaled(self.smoothness_, slice(None))
        start = replace(self._matcher, weights=in_components(self.templates_, shapes))
        return start, Decisions(images, codes, self.penalty_), shapes

    def _seen(self, trials: Classifications) -> tuple[Pixels, Components]:
        points = Pixels.of(trials.stimuli)
        return points, Components.of(points, trials.image_shape, self.regions, self.rank)

    def _better(self, fit: Fitted, decisions: Decisions, shapes: Floats) -> Fitted:
        """Also descend from the clusters, if their number is K; return the better result."""
        self.start_ = "splits"
        clusters = self.classifier_
        codes = np.searchsorted(clusters.classes_, clusters.labels_)
        if len(codes) != self.n_templates_ or len(set(codes)) < len(clusters.classes_):
            return fit
        weights = in_components(clusters.templates_ - clusters.mean_, shapes)
        weights /= np.std(decisions.images @ weights.T)
        zero = np.zeros(len(codes))
        starts = [Matcher(gain * weights, zero, logit(LAPSE), codes) for gain in GAINS]
        start = min(starts, key=decisions.value)
        other = fit_from(decisions, start, self.max_iter, self.tol)
        if other.loss > fit.loss - PAYS:
            return fit
        self.start_ = "clusters"
        return other

    def _keep(self, fit: Fitted, points: Pixels, shapes: Floats, trials: Classifications) -> None:
        at = fit.matcher
        order = np.argsort(at.codes, kind="stable")
        self.image_shape_ = trials.image_shape
        self.classes_, self.mean_ = trials.classes, points.mean
        self.labels_ = trials.classes[at.codes[order]]
        self.templates_ = at.weights[order] @ shapes
        self.biases_, self.lapse_ = at.biases[order], float(expit(at.lapse_odds))
        self.loss_, self.converged_ = fit.loss, fit.converged
        templates = self.templates_[:, points.varying].T
        blocks = [block @ templates + self.biases_ for _, block in points.blocks()]
        best = np.concatenate([block.argmax(axis=1) for block in blocks])
        variances = spreads(points, best, len(order))[1]
        inverse = np.divide(1.0, variances, out=np.zeros_like(variances), where=variances > 0)
        self.masks_ = points.whole(inverse)
        if not self.converged_:
            warnings.warn(
                f"DecisionTemplates stopped after {self.max_iter} iterations: raise max_iter, or "
                "tol",
                NotConvergedWarning,
                stacklevel=3,
            )

    def _check(self, n_classes: int) -> None:
        self._check_settings()
        at_least = integers(n_classes)
        check(max_templates=(self.max_templates, at_least))
        check(n_templates=(self.n_templates, at_least.besides(None)))


def in_components(templates: Floats, shapes: Floats) -> Floats:
    """Project templates (K, d) on orthogonal shapes (r, d); return the weights (K, r)."""
    return templates @ shapes.T / np.einsum("rd,rd->r", shapes, shapes)


COARSE = 1e-5  # Refits need less tolerance, because they start from the fit.


@dataclass(frozen=True)
class TemplateUncertainty(Shown):
    """The uncertainty of each pixel of each template.

    Attributes
    ----------
    standard_error : array (K, d)
        The standard deviation over the resamples.
    z : array (K, d)
        The templates divided by their standard errors.
    low, high : array (K, d)
        The ends of the percentile interval.
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
    """Estimate the uncertainty of templates by a bootstrap.

    Trials (whole responses) are resampled with replacement, and the templates are refitted with the
    same prior, starting from the model's templates. The result does not include the bias from the
    prior, which is the same in all refits.

    Parameters
    ----------
    model : DecisionTemplates
        A model fitted to these trials.
    X, y
        The trials.
    n_resamples : int
        The number of resamples, 2 or more.
    level : float
        The level of the interval, between 0 and 1.
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (fits done, fits in all) after each fit.

    Raises
    ------
    SettingError
        If a setting is out of range, or the model is not a DecisionTemplates.

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
