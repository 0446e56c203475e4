"""Kernel of distributions given as mixtures of Gaussians, such as the sounds of a song."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import logsumexp

from resemblance.arrays import Floats
from resemblance.errors import SettingError


class Mixture(Protocol):
    """A mixture of Gaussians with diagonal covariances, such as scikit-learn's, fitted."""

    weights_: Floats
    means_: Floats
    covariances_: Floats


def probability_product(
    first: Sequence[Mixture], second: Sequence[Mixture] | None = None, normalize: bool = True
) -> Floats:
    r"""Return the probability product kernel of Gaussian mixtures: how much they overlap.

    .. math:: k(p, q) = \int p(x) q(x) dx
       = \sum_{ab} w_a v_b \, N(\mu_a; \nu_b, \Sigma_a + \Sigma_b)

    normalised by :math:`\sqrt{k(p, p) k(q, q)}`, since in many dimensions it is else as good as 0.

    Parameters
    ----------
    first : sequence of n mixtures
        Fitted ``sklearn.mixture.GaussianMixture(covariance_type="diag")``, one for each item.
    second : sequence of m mixtures, optional
        Those of the known items; ``first`` if left out.
    normalize : bool
        Whether the kernel of each item with itself is 1.

    Returns
    -------
    array (n, m)
        A kernel, to be used as ``"precomputed"``.

    Raises
    ------
    SettingError
        If covariances are not diagonal.

    References
    ----------
    Jebara, Kondor & Howard 2004, Probability product kernels, with the exponent 1; McFee &
    Lanckriet 2011, section 5.2.1.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> sounds = [np.random.default_rng(s).normal(s, 1, (200, 3)) for s in range(3)]
    >>> songs = [GaussianMixture(2, covariance_type="diag", random_state=0).fit(x) for x in sounds]
    >>> K = probability_product(songs)
    >>> K.shape, bool(K[0, 0] > K[0, 1] > K[0, 2])
    ((3, 3), True)
    """
    others = first if second is None else second
    logs = np.array([[_log_overlap(p, q) for q in others] for p in first])
    if normalize:
        own, other = (np.array([_log_overlap(p, p) for p in group]) for group in (first, others))
        logs -= 0.5 * (own[:, None] + other)
    return np.exp(logs)


def _log_overlap(p: Mixture, q: Mixture) -> float:
    """Return the logarithm of the integral of p times q."""
    for mixture in (p, q):
        if np.shape(mixture.covariances_) != np.shape(mixture.means_):
            raise SettingError(
                f"a mixture has covariances of shape {np.shape(mixture.covariances_)} and means of "
                f'shape {np.shape(mixture.means_)}: fit it with covariance_type="diag".'
            )
    variance = p.covariances_[:, None] + q.covariances_
    gap = p.means_[:, None] - q.means_
    logs = -0.5 * (gap**2 / variance + np.log(2.0 * np.pi * variance)).sum(axis=2)
    return float(logsumexp(logs, b=np.outer(p.weights_, q.weights_)))
