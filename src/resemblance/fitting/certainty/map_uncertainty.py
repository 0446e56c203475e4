"""Uncertainty of a map of features that was fitted to confusions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.laplace import turns_of
from resemblance.forms import FeaturePrior
from resemblance.judgments import Confusions, of_kind

ROWS = 2048  # pairs whose derivatives are held at a time
LEAST_PRIOR = 1e-8  # keeps the information of an unpenalised map invertible


class MapUncertainty:
    r"""The covariance of a map's parameters, given its confusions (Laplace approximation).

    .. math:: \Sigma = \Big( 2 \mu I + \sum_{ij} n_{ij} \frac{p'(d_{ij})^2}{p (1 - p)}
       \nabla d_{ij} \nabla d_{ij}' \Big)^{-1}

    with d the distance that the choice model reads, p its probability of an error, and the gradient
    in B, where positions are Phi B (:class:`~resemblance.forms.FeatureMap`). Turning the space
    changes no distance, and is held fixed.

    Parameters
    ----------
    model : OrdinalEmbedding
        Fitted, with a map of features as its form, such as :class:`~resemblance.Yada`.
    confusions : Confusions
        The judgments that the model was fitted to.

    Raises
    ------
    SettingError
        If the model has no map, or its choice model no probability of errors.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 6)[:, None]
    >>> pairs = np.column_stack(np.triu_indices(6, 1))
    >>> counts = [rs.Confusions(pairs, [k * 2] * 15, k * 10, rs.Items(features=x)) for k in (1, 9)]
    >>> few, many = (MapUncertainty(rs.Yada(1).fit(c), c) for c in counts)
    >>> bool((many.standard_errors(x) < few.standard_errors(x)).all())
    True
    """

    def __init__(self, model: OrdinalEmbedding, confusions: Confusions) -> None:
        model._check_maps()
        if isinstance(model.form_, FeaturePrior):
            raise SettingError(
                "only maps have this uncertainty, and a FeaturePrior adds a deviation of each "
                "item: fit a LinearMap or a KernelMap.",
                setting="form",
            )
        of_kind(confusions, Confusions, "the uncertainty of a map", error=SettingError)
        self.model = model
        self.prior = max(2.0 * model._penalty(model.form_), LEAST_PRIOR)
        size = model.components_.size
        H = self.prior * np.eye(size)
        for first in range(0, len(confusions), ROWS):
            part = confusions[first : first + ROWS]
            J = self.information_rows(part.index, part.trials)
            H += J.T @ J
        self.covariance = np.asarray(cho_solve(cho_factor(H), np.eye(size)))

    def information_rows(self, pairs: ArrayLike, trials: ArrayLike = 1) -> Floats:
        """Return J (m, q p): J'J is the information of so many trials of pairs (m, 2)."""
        choice = self.model.choice_
        gradient, d = self._gradients(np.asarray(pairs), plain=choice.reads == "plain")
        p, slope = choice.error_probability(d), choice.error_slope(d)
        worth = slope**2 / np.maximum(p * (1.0 - p), 1e-300)
        return np.asarray(gradient * np.sqrt(np.asarray(trials) * worth)[:, None])

    def distance_rows(self, pairs: ArrayLike) -> Floats:
        """Return the gradients (m, q p) of the plain distances of pairs (m, 2)."""
        return self._gradients(np.asarray(pairs), plain=True)[0]

    def standard_errors(self, features: ArrayLike) -> Floats:
        """Return the standard errors (m, p) of the positions of features (m, d).

        They are of positions relative to the centroid of the items.
        """
        form, (q, p) = self.model.form_, self.model.components_.shape
        at = form.describe(features) - form.design.mean(axis=0)
        turns = self._turns()
        held = self.covariance - turns @ turns.T / self.prior
        blocks = held.reshape(q, p, q, p)
        variance = np.einsum("mq,qkrk,mr->mk", at, blocks, at, optimize=True)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def _gradients(self, pairs: NDArray[np.integer], plain: bool) -> tuple[Floats, Floats]:
        design = self.model.form_.design
        gap = design[pairs[:, 0]] - design[pairs[:, 1]]
        z = gap @ self.model.components_
        squared = (z**2).sum(axis=1)
        root = np.sqrt(np.maximum(squared, 1e-24))
        along = z / root[:, None] if plain else 2.0 * z
        gradient = (gap[:, :, None] * along[:, None, :]).reshape(len(pairs), -1)
        return gradient, root if plain else squared

    def _turns(self) -> Floats:
        """Return an orthonormal basis of the directions in B that only rotate the space."""
        B = self.model.components_
        return np.linalg.qr(np.reshape(turns_of(B), (-1, B.size)).T)[0]
