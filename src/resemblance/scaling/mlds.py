"""Maximum likelihood difference scaling."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import Probit
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.fitting.answers import most_probable
from resemblance.fitting.estimator import Estimator, by_class, in_classes, learn_classes
from resemblance.fitting.objective import checks
from resemblance.judgments import Items, as_judgments
from resemblance.ranges import BELOW_ONE, setting
from resemblance.scaling.trials import Scaled, Trials, fit_scale, intervals
from resemblance.scores import log_loss, weighted_mean


class MLDS(Estimator):
    r"""Maximum likelihood difference scaling: a perceptual scale of ordered stimuli.

    .. math:: \max_{\psi, \lambda} \sum_r w_r \log \Big(\tfrac\lambda2 + (1 - \lambda)
       \Phi\big((\psi_{d_r} - \psi_{c_r}) - (\psi_{b_r} - \psi_{a_r})\big)\Big)
       + \log \mathrm{Beta}(\lambda; 1, 10), \qquad \psi_{\text{lowest}} = 0

    where the interval from c to d was judged larger than that from a to b, each from its lower to
    its upper stimulus. The total noise of a judgment is normal with standard deviation 1, which is
    the unit of the scale. A share lambda of the judgments are lapses, answered by chance. Without
    lapses this is a concave binomial regression with probit link, solved by Newton's method: the
    choice model :class:`~resemblance.choice.Probit` with plain distances on a line of known order.
    The scale need not be monotone.

    Source: Maloney & Yang 2003; as a generalised linear model, Knoblauch & Maloney 2008; lapses,
    Wichmann & Hill 2001, and their prior, Schuett, Harmeling, Macke & Wichmann 2016.

    Parameters
    ----------
    levels : array (n_items,), optional
        The physical level of each item. Default: the items' feature where they have one, else
        their positions 0, 1, 2, ...
    nested : bool
        Accept rows in which one interval lies within the other, such as a triad whose head is its
        lowest stimulus. The order of the stimuli already answers them, so the literature does not
        ask them, or tests them separately (the three-point test). Predictions always accept them.
    lapse : "auto" or float
        The share of judgments that are lapses, 0 or more and below 1; "auto" estimates it. With 0,
        lapses count as noise, and the scale in units of the noise comes out too small.

    Attributes
    ----------
    scale_ : array (n_items,)
        psi of each item, in units of the noise; 0 at the lowest level. :meth:`normalised` gives
        it from 0 to 1.
    sigma_ : float
        The noise of the normalised scale, 1 / psi of the highest level; NaN where that is not
        above 0.
    levels_ : array (n_items,)
        The physical levels.
    order_ : array (n_items,) of int
        The items from the lowest level to the highest.
    lapse_ : float
        The share of lapses.
    log_likelihood_ : float
        In nats; without the prior of lapses.
    deviance_ : float
        -2 log-likelihood.
    deviance_accounted_for_ : float
        1 - deviance / deviance of guessing.
    aic_ : float
        Deviance + 2 (n_items - 1), and 2 more where lapses were estimated.
    converged_ : bool
        Whether the likelihood has a finite maximum.
    embedding_ : array (n_items, 1)
        The scale as positions on a line.
    choice_ : ChoiceModel
        Probit.
    items_ : Items
        The items, in the order of ``scale_``.

    Raises
    ------
    JudgmentError
        For judgments that are no triads or quadruples, rows with nested intervals, or items with
        values that the judgments do not determine.
    SettingError
        For levels that are not one distinct finite number for each item, or lapses out of range.

    Examples
    --------
    >>> import resemblance as rs
    >>> observer = rs.MLDS().set_scale([0.0, 1.0, 2.0, 4.0])
    >>> asked = [[1, 0, 2], [2, 1, 3], [1, 0, 3], [2, 0, 3]] * 100
    >>> larger = np.random.default_rng(0).random(400) < observer.predict_proba(asked)[:, 0]
    >>> rs.MLDS().fit(asked, larger).scale_.round()
    array([0., 1., 2., 4.])
    """

    levels: ArrayLike | None = field(default=None, kw_only=False)
    nested: bool = False
    lapse: float | Literal["auto"] = setting(BELOW_ONE.besides("auto"), default="auto")

    lapse_: float = field(default=0.0, init=False)  # older saved models have no lapses

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Find the scale.

        Parameters
        ----------
        X : Triplets, Quadruplets, or array (m, 3 or 4)
            Triads (head, near, far), the head the middle stimulus, the interval from head to far
            judged the larger one; quadruples (a, b, c, d), that from c to d judged the larger.
            Weights count as repeats.
        y : array (m,) or (m, 2), optional
            The responses, where the rows of X are in no order: see
            :func:`~resemblance.judgments.as_judgments`.

        Returns
        -------
        self
        """
        self._check_settings()
        judgments = as_judgments(X, y)
        learn_classes(self, y)
        self._place(judgments.items)
        trials = Trials(judgments, self.order_, self.nested)
        trials.refuse_undetermined()
        estimate = fit_scale(trials.design, trials.answer_weights, self.given_lapse)
        self._keep(on_items(estimate.values, self.order_), estimate.lapse)
        self.log_likelihood_, self.converged_ = estimate.log_likelihood, estimate.converged
        self.deviance_ = -2.0 * self.log_likelihood_
        self.deviance_accounted_for_ = 1.0 - self.deviance_ / (
            2.0 * np.log(2.0) * trials.answer_weights.sum()
        )
        self.aic_ = self.deviance_ + 2.0 * (len(self.scale_) - (self.given_lapse is not None))
        if not estimate.converged:
            warnings.warn(
                "some differences of the scale are unbounded, as no answer to trials about "
                "them contradicts the others: the scale is where the fit stopped. Ask more "
                "trials with similar intervals.",
                NotConvergedWarning,
                stacklevel=2,
            )
        return self

    def set_scale(self, scale: ArrayLike, items: Items | None = None) -> Self:
        """Use a scale from elsewhere as the fitted one, to predict, score and simulate with it.

        There are as many lapses as the setting says; of "auto", none.

        Parameters
        ----------
        scale : array (n_items,)
            psi of each item, in units of the noise; it is shifted to 0 at the lowest level.
        items : Items, optional
            The items; default: as many, numbered.

        Returns
        -------
        self

        Raises
        ------
        SettingError
            If the scale is not one finite number for each item.

        Examples
        --------
        >>> model = MLDS().set_scale([0.0, 1.0, 3.0])
        >>> model.predict_proba([[1, 0, 2]]).round(3)
        array([[0.841, 0.159]])
        """
        psi = np.asarray(scale, float)
        taken = Items(len(psi)) if items is None else items
        if psi.shape != (len(taken),) or not np.isfinite(psi).all():
            raise SettingError(
                f"scale has shape {psi.shape} for {len(taken)} items: give one finite number for "
                "each",
                setting="scale",
            )
        self._place(taken)
        self._keep(psi - psi[self.order_[0]], self.given_lapse or 0.0)
        for name in ("log_likelihood_", "deviance_", "deviance_accounted_for_", "aic_"):
            self.__dict__.pop(name, None)  # attributes of an earlier fit
        return self

    def normalised(self) -> Floats:
        """Return the scale from 0 at the lowest level to 1 at the highest.

        Returns
        -------
        array (n_items,)

        Raises
        ------
        JudgmentError
            If the scale does not rise from the lowest level to the highest.
        """
        check_is_fitted(self, "scale_")
        if not self.scale_[self.order_[-1]] > 0:
            raise JudgmentError(
                "the scale does not rise from the lowest level to the highest, so it cannot be "
                "normalised from 0 to 1: see scale_, and check the direction of the answers"
            )
        return np.asarray(self.scale_ / self.scale_[self.order_[-1]])

    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probability of the answer that was given, and of the other: (m, 2).

        After a fit with responses, of an array: of each of ``classes_``.
        """
        check_is_fitted(self, "scale_")
        judgments = as_judgments(X)
        checks.check_same_items(judgments, self.items_)
        rising = self.scale_[self.order_]
        near, far = (rising[i[:, 1]] - rising[i[:, 0]] for i in intervals(judgments, self.order_))
        p, other = self.choice_.probability(near, far), self.choice_.probability(far, near)
        given = 0.5 * self.lapse_ + (1.0 - self.lapse_) * np.column_stack([p, other])
        return by_class(self, X, given)

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Return 0 if the scale agrees with an answer, else 1; -1 for ties."""
        check_is_fitted(self, "scale_")
        best, ties = most_probable(self.predict_proba(as_judgments(X)))
        return in_classes(self, X, np.where(ties > 1, -1, best))

    def row_losses(self, X: JudgmentsLike) -> Floats:
        """Return 0 if the scale agrees with an answer, 1 if not, one half for ties."""
        best, ties = most_probable(self.predict_proba(as_judgments(X)))
        return np.asarray(1.0 - (best == 0) / ties)

    def score(self, X: JudgmentsLike, y: ArrayLike | None = None) -> float:
        """Return the share of judgments that agree with the scale; ties count one half."""
        judgments = as_judgments(X, y)
        return 1.0 - weighted_mean(self.row_losses(judgments), judgments.weights)

    def log_loss(self, X: JudgmentsLike) -> float:
        """Return the mean of -log p(answer), in nats; 0.693 is guessing."""
        judgments = as_judgments(X)
        return log_loss(self.predict_proba(judgments)[:, 0], judgments.weights)

    @property
    def given_lapse(self) -> float | None:
        """The share of lapses, if it is given."""
        if self.lapse == "auto":
            return None
        return self.lapse

    @property
    def estimate(self) -> Scaled:
        """The scale in ascending order of levels without its first value, and the lapses."""
        return Scaled(self.scale_[self.order_[1:]], self.lapse_)

    def _place(self, items: Items) -> None:
        self.items_, self.choice_ = items, Probit()
        self.levels_ = _levels(self.levels, items)
        self.order_ = np.argsort(self.levels_)

    def _keep(self, scale: Floats, lapse: float) -> None:
        self.scale_, self.embedding_, self.lapse_ = scale, scale[:, None], lapse
        top = scale[self.order_[-1]]
        self.sigma_ = float(1.0 / top) if top > 0 else np.nan


def on_items(values: Floats, order: NDArray[np.intp]) -> Floats:
    """Return the value of each item; the lowest item has 0."""
    scale = np.zeros(len(order))
    scale[order[1:]] = values
    return scale


def _levels(given: ArrayLike | None, items: Items) -> Floats:
    levels = items.features if given is None else given
    if levels is None:
        return np.arange(len(items), dtype=float)
    if given is None and isinstance(levels, dict):
        raise SettingError(
            f"the items have several views, {', '.join(levels)}, none of which is the physical "
            "level: give levels, one number for each item",
            setting="levels",
        )
    try:
        taken = np.asarray(levels, float)
    except (TypeError, ValueError):
        raise SettingError(
            f"levels are {levels!r}: give one number for each item", setting="levels"
        ) from None
    taken = taken[:, 0] if taken.ndim == 2 and taken.shape[1] == 1 else taken
    if taken.shape != (len(items),) or not np.isfinite(taken).all():
        raise SettingError(
            f"levels has shape {taken.shape} for {len(items)} items: give one finite number for "
            "each item" + (", the feature that is the physical level" if given is None else ""),
            setting="levels",
        )
    distinct, times = np.unique(taken, return_counts=True)
    if (times > 1).any():
        same = np.flatnonzero(taken == distinct[times.argmax()])[:2]
        raise SettingError(
            f"items {items.names[same[0]]} and {items.names[same[1]]} have the same level, "
            f"{taken[same[0]]:g}: give each its own, or make them one item",
            setting="levels",
        )
    return taken
