"""How far features are believed: the evidence of a share, positions integrated out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting.choosing.penalty import LEAST_GAIN
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.laplace.uncertainty import PositionUncertainty
from resemblance.forms import FeaturePrior
from resemblance.judgments import OneKind

ODDS = range(-5, 6)  # log odds of the shares
MOST_COORDINATES = 600  # beyond which a covariance for each share and penalty takes too long
STEP = 2.0  # between penalties, those that answers held out choose among too
MOST_STEPS = 8  # of penalties from the first, either way
DRAWS = 24  # of positions, and as many on the other side
AT_ONCE = 50_000  # rows that all draws are asked about
COVERED = 0.95
LEEWAY = 0.025  # of the evidence: for each coordinate, and coordinate for each answer
CONVINCING = 0.125  # nats for each coordinate, from which answers held out need not agree


@dataclass(frozen=True)
class _Fit:
    """Positions under a share and a penalty, and what they say of these."""

    penalty: float
    model: Embeds
    bound: float  # of the log evidence, from below
    log_evidence: float


def can_be_had(estimator: Embeds, judgments: OneKind) -> bool:
    """Say whether positions can be integrated out: not of too many coordinates."""
    return bool(estimator.n_components * judgments.n_items <= MOST_COORDINATES)


class ShareEvidence:
    r"""The log evidence of each share of a feature prior.

    .. math:: \log Z(\rho, \lambda) \approx \log \frac{1}{S} \sum_s
       \frac{p(\text{answers} \mid X_s) \, p(X_s \mid \rho, \lambda)}{q(X_s)}, \qquad X_s \sim q

    where q is the normal distribution around the fit, with its Laplace covariance. The penalty of
    each share is that of the highest lower bound :math:`E_q \log p - KL(q, p)`: the sum itself, and
    more so Laplace's own approximation, take fits that answers hardly hold for likely.

    Parameters
    ----------
    estimator : estimator
        Its settings count.
    form : FeaturePrior
        Bound to the features of the items.
    judgments : Judgments
        The answers.
    penalty : float
        From which the search for those of the shares goes, at a share of 0.
    moves : bool
        Whether other penalties are tried.

    Attributes
    ----------
    share : float
        The most likely one; before any answer all log odds from -5 to 5 are alike.
    is_convincing : bool
        Whether it is more likely than the least that was tried by 1/8 nat for each coordinate.
    interval : tuple of float
        Within it the share lies by .95. The evidence is divided by 1 + (n d)^2 / 40 m for it, with
        m answers: of few the sum is not sharp, by so much for each coordinate.
    penalty : float
        Of the most likely share.

    References
    ----------
    MacKay 1992, Neural Computation 4, 415: the evidence; Burda et al. 2016, Importance weighted
    autoencoders, eq. 8: the sum.
    """

    def __init__(
        self, estimator: Embeds, form: FeaturePrior, judgments: OneKind, penalty: float, moves: bool
    ) -> None:
        settings = {"n_init": 1, "callback": None, "init": "spectral"}
        self.estimator = clone(estimator).set_params(**settings, warm_start=False)
        self.form, self.judgments, self.moves = form, judgments, moves
        self.asked = judgments.comparisons()
        self.weights = [judgments.trial_weights[compared.rows] for compared in self.asked]
        self.guess = float(judgments.guesses()["log_loss"] @ judgments.trial_weights)
        self.answers = float(judgments.trial_weights.sum())
        self.coordinates = estimator.n_components * judgments.n_items
        self.size, self.vectors = np.linalg.eigh(form.design @ form.design.T)
        self.fits: dict[int, _Fit] = {}
        few = 2 * DRAWS * len(judgments) <= AT_ONCE and judgments.scoring.of_answers
        every = np.arange(len(judgments))
        self.repeated = judgments[np.tile(every, 2 * DRAWS)] if few else None
        near = None
        for odds in ODDS:
            near = self._fitted(odds, penalty, near)
            if near is not None:
                self.fits[odds] = near

    def _fitted(self, odds: int, first: float, near: _Fit | None) -> _Fit | None:
        """Return the fit of a share under its best penalty; None where all lie in one place."""
        rho = float(expit(odds))
        start = near.penalty if near else first
        fits = {0: self._at(rho, start, near)}
        for step in (1, -1) if self.moves else ():
            at = 0
            while abs(at) < MOST_STEPS and (at == 0 or _higher(fits[at], fits[at - step])):
                at += step
                fits[at] = self._at(rho, start * STEP**-at, fits[at - step] or near)
        there = [fit for fit in fits.values() if fit is not None]
        return max(there, key=lambda fit: fit.bound, default=None)

    def _at(self, rho: float, penalty: float, near: _Fit | None) -> _Fit | None:
        """Fit under a share and a penalty, from where another fit ended, and draw from it."""
        init = "spectral" if near is None else near.model.embedding_
        form = self.form.with_share(rho)
        model = clone(self.estimator).set_params(form=form, penalty=penalty, init=init)
        with quiet():
            model.fit(self.judgments)
        X = model.embedding_
        if self._log_likelihood(model, X) < -(1.0 - LEAST_GAIN) * self.guess:
            return None
        spread = rho * self.size + 1.0 - rho
        precision = 2.0 * penalty * (self.vectors / spread) @ self.vectors.T
        sure = PositionUncertainty(
            X, model.choice_, self.asked, weights=self.weights, prior=precision
        )
        n, d = X.shape
        half = 0.5 * (d * (n * np.log(2.0 * penalty) - np.log(spread).sum()))
        half += 0.5 * sure.log_determinant()
        steps = np.random.default_rng(0).normal(size=(DRAWS, n * d))
        steps = np.concatenate([steps, -steps])
        drawn = X + (sure.root() @ steps.T).T.reshape(-1, n, d)
        prior = (drawn * (precision @ drawn)).sum(axis=(1, 2))
        fits_answers = self._log_likelihoods(model, drawn)
        each = fits_answers - 0.5 * prior + 0.5 * (steps**2).sum(axis=1)
        bound = float(np.mean(each)) + half
        return _Fit(penalty, model, bound, float(logsumexp(each) - np.log(len(each))) + half)

    def _log_likelihood(self, model: Embeds, X: Floats) -> float:
        """Return that of all answers, the items at X."""
        space = replace(model._space, points=X)  # as log_loss has it, which would check each draw
        return -float(self.judgments.log_losses(space) @ self.judgments.trial_weights)

    def _log_likelihoods(self, model: Embeds, drawn: Floats) -> Floats:
        """Return those of positions drawn, (k, n_items, d), all at once where the rows are few."""
        if self.repeated is None:
            return np.array([self._log_likelihood(model, X) for X in drawn])
        losses = self.repeated.log_losses(model._space.at_each(drawn)).reshape(len(drawn), -1)
        return np.array([-float(each @ self.judgments.trial_weights) for each in losses])

    @property
    def share(self) -> float:
        """The most likely one."""
        return float(expit(self._best))

    @property
    def penalty(self) -> float:
        """That of the most likely share."""
        return self.fits[self._best].penalty

    @property
    def is_convincing(self) -> bool:
        """Whether it is much more likely than the least share that was tried."""
        gain = self.fits[self._best].log_evidence - self.fits[min(self.fits)].log_evidence
        return gain > CONVINCING * self.coordinates

    @cached_property
    def _best(self) -> int:
        return max(self.fits, key=lambda odds: self.fits[odds].log_evidence)

    @property
    def interval(self) -> tuple[float, float]:
        """Within it the share lies by .95."""
        odds = np.array(list(self.fits))
        evidence = np.array([fit.log_evidence for fit in self.fits.values()])
        evidence /= 1.0 + LEEWAY * self.coordinates**2 / self.answers
        below = np.cumsum(np.exp(evidence - logsumexp(evidence)))
        ends = np.concatenate([[odds[0] - 0.5], odds + 0.5])
        outside = (1.0 - COVERED) / 2.0, (1.0 + COVERED) / 2.0
        low, high = np.interp(outside, np.concatenate([[0.0], below]), ends)
        return float(expit(low)), float(expit(high))


def _higher(fit: _Fit | None, before: _Fit | None) -> bool:
    """Say whether a fit is above the one before it."""
    return fit is not None and (before is None or fit.bound > before.bound)
