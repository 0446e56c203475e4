"""How far each of several views of features is believed: their variances, by evidence."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.laplace.uncertainty import PositionUncertainty
from resemblance.forms import FeaturePrior
from resemblance.judgments import OneKind

MOST_COORDINATES = 600  # whose covariance is taken whole; of more, that of each item
MOST_ITEMS = 400  # on which variances are found; of more items, as many spread over all
ROUNDS, STEPS = 15, 20  # fits, and steps of the variances after each
LEAST_WEIGHT = 0.01  # of the largest, below which a view is left out


def likely_weights(
    estimator: Embeds, form: FeaturePrior, judgments: OneKind, penalty: float
) -> dict[str, float]:
    r"""Return the weights of the views of a feature prior, those of the highest evidence.

    Before any answer each dimension of the positions has the covariance
    :math:`C = \sum_k v_k K_k`, where :math:`K_0 = I` is that of items' own parts and
    :math:`K_k = \Phi_k \Phi_k'` that of a view. Given the normal distribution around
    a fit, with :math:`S = E[X X']` of n items in d dimensions, each step takes

    .. math:: v_k \leftarrow v_k \sqrt{\frac{\mathrm{tr}(C^{-1} K_k C^{-1} S)}
       {d \, \mathrm{tr}(C^{-1} K_k)}}

    which raises the lower bound :math:`E_q \log p - KL(q, p)` of the evidence; then positions are
    fitted anew. The weights are the v of the features by their sum.

    Parameters
    ----------
    estimator : estimator
        Its settings count.
    form : FeaturePrior
        Bound to the features of the items.
    judgments : Judgments
        The answers.
    penalty : float
        Of the first fit.

    Returns
    -------
    dict of str to float
        Of each view; they sum to 1, and are 0 below a hundredth of the largest.

    References
    ----------
    Zhou, Hu, Zhou & Lange 2019, MM algorithms for variance components models, Journal of
    Computational and Graphical Statistics 28: the step. MacKay 1992, Neural Computation 4, 415.
    """
    views = list(form.maps)
    each = [form.weighed({name: float(name == view) for name in views}) for view in views]
    n = len(form.design)
    sampled = np.unique(np.linspace(0, n - 1, min(n, MOST_ITEMS)).astype(int))
    designs = [single.design[sampled] for single in each]
    parts = [np.eye(len(sampled)), *(Phi @ Phi.T for Phi in designs)]
    v = np.array([0.5, *np.full(len(views), 0.5 / len(views))]) / (2.0 * penalty)
    model = clone(estimator).set_params(n_init=1, callback=None, init="spectral", warm_start=False)
    for _ in range(ROUNDS):
        share = float(v[1:].sum() / v.sum())
        prior = form.weighed(dict(zip(views, v[1:] / v[1:].sum(), strict=True)))
        model.set_params(form=prior.with_share(share), penalty=float(0.5 / v.sum()))
        with quiet():
            model.fit(judgments)
        if not model.embedding_.any():
            break
        model.set_params(init=model.embedding_)
        S = _second_moments(model, judgments, share, prior.design)[np.ix_(sampled, sampled)]
        v = _stepped(v, parts, S / model.n_components)
    weights = v[1:] / v[1:].sum()
    weights[weights < LEAST_WEIGHT * weights.max()] = 0.0
    return dict(zip(views, (weights / weights.sum()).tolist(), strict=True))


def _second_moments(model: Embeds, judgments: OneKind, share: float, Phi: Floats) -> Floats:
    """Return E[X X'] of the normal distribution around a fit."""
    X, asked = model.embedding_, judgments.comparisons()
    weights = [judgments.trial_weights[compared.rows] for compared in asked]
    n, d = X.shape
    alike = share * Phi @ Phi.T + (1.0 - share) * np.eye(n)
    precision = 2.0 * model.penalty_ * np.linalg.inv(alike)
    sure = PositionUncertainty(
        X,
        model.choice_,
        asked,
        weights=weights,
        prior=np.asarray(precision, dtype=float),
        max_parameters=MOST_COORDINATES,
    )
    if not sure.full:
        return X @ X.T + np.diag(np.einsum("iaa->i", sure.item_covariances))
    return X @ X.T + np.einsum("iaja->ij", sure.covariance.reshape(n, d, n, d))


def _stepped(v: Floats, parts: list[Floats], S: Floats) -> Floats:
    """Return the variances after some steps."""
    for _ in range(STEPS):
        inverse = np.linalg.inv(np.tensordot(v, parts, axes=1))
        outer = inverse @ S @ inverse
        seen = np.array([(inverse * K).sum() for K in parts])  # 0 of features alike for all items
        v = v * np.sqrt([(outer * K).sum() for K in parts] / np.where(seen > 0, seen, np.inf))
        v = np.maximum(v, 1e-8 * v.sum())
    return v
