"""Can people's RDMs tell which of several models is like them? RDMs simulated from each model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import RDMError, SettingError
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers
from resemblance.rdms.comparing import FEWEST_ITEMS
from resemblance.rdms.rdms import RDMs, same_items
from resemblance.rdms.samples import drawn_items, in_all
from resemblance.rdms.similarity import check_comparable, check_method, shared_cells, similarities
from resemblance.scores import Recovery

FEWEST_PEOPLE = 4  # of whose differences the noise is taken
BY_SIZE = "pearson", "cosine", "whitened pearson", "whitened cosine", "bures"  # not ranks alone


class RDMRecovery(Recovery):
    """Which of several models is found from people's RDMs, and from RDMs simulated by each.

    It is a :class:`~resemblance.scores.Recovery` whose losses are minus the mean similarity to
    people's matrices; ``estimates`` are the similarities.

    Examples
    --------
    >>> even = np.full(2, 0.5)
    >>> RDMRecovery(("a", "b"), np.array([-0.3, -0.1]), np.eye(2), even, even, 9).estimates
    array([0.3, 0.1])
    """

    measure = "similarity"
    title = "RDM recovery"

    @property
    def estimates(self) -> Floats:
        """The mean similarity of each model to people's matrices."""
        return -self.losses

    measured = estimates


def rdm_recovery(
    rdms: RDMs,
    models: RDMs,
    method: str = "spearman",
    *,
    n_simulations: int = 100,
    n_resamples: int = 500,
    random_state: Any = 0,
    callback: Told | None = None,
) -> RDMRecovery:
    r"""Say whether people's RDMs can tell which of several models they are like.

    .. math:: d^{g} = f_k(d^{k}) + \sum_h z_{gh} \, \frac{d^h - \bar d}{\sqrt{G - 1}}, \qquad
       z_{gh} \sim N(0, 1)

    Matrices of as many people G are drawn from each model k in turn: its dissimilarities, turned
    into those of people by a function f (increasing, of methods by ranks; else linear) that brings
    them as near to people's mean as it can, and noise with the covariance that people's matrices
    have. How often is the model found that gave them, and how often is the best of people's
    matrices as far ahead of it as there? Beside this people and items are drawn with replacement,
    as in :func:`compare_rdms`.

    Parameters
    ----------
    rdms : RDMs
        One of each person, four or more, with all pairs.
    models : RDMs
        Two or more, on the same items, with all pairs.
    method : str
        As for :func:`compare_rdms`.
    n_simulations : int
        Of each model; 80 in which the best is never as far ahead tell that it is so in less than
        5 %.
    n_resamples : int
        Draws of people and items.
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (simulations done, simulations in all).

    Returns
    -------
    RDMRecovery

    Raises
    ------
    SettingError
        If there are fewer than two models, or a number is out of range.
    RDMError
        If there are fewer than four people or items, the items differ, or pairs are missing.

    Notes
    -----
    How often a model is falsely told: ``papers/calibration/rdm_recovery.py``.

    References
    ----------
    Why: Avitan & Golan 2025. Its two parts: parametric bootstrap, and that of people and items,
    Schütt et al. 2023, eLife 12.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 3))
    >>> models = rs.RDMs([rs.rdm(points[:, k]).dissimilarities[0] for k in ([0, 1], [2])])
    >>> people = rs.RDMs(models.dissimilarities[0] + rng.normal(0, 0.5, (10, 66)))
    >>> recovery = rdm_recovery(people, models, n_simulations=80)
    >>> recovery.best, recovery.verdict
    ('0', 'told')
    """
    check_method(method)
    check(n_simulations=(n_simulations, integers(1)), n_resamples=(n_resamples, integers(1)))
    models = same_items(rdms, models)
    _refuse(rdms, models, method)
    rng = check_random_state(random_state)
    own, of = rdms.dissimilarities, models.dissimilarities
    losses = -similarities(own, of, method).mean(axis=0)
    simulations = (_drawn(own, model, method, n_simulations, rng) for model in of)
    draws = ((-similarities(d, of, method).mean(axis=0) for d in drawn) for drawn in simulations)
    shared = shared_cells(own, of)
    each = in_all(drawn_items(rdms, models, shared, n_resamples, rng), rdms, models, shared, method)
    people = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), size=n_resamples)
    again = -np.einsum("bg,bgm->bm", people / len(own), each)
    steps = Steps(callback, len(models) * n_simulations)
    return RDMRecovery.simulated(models.names, losses, draws, again, steps)


def _refuse(rdms: RDMs, models: RDMs, method: str) -> None:
    """Refuse what cannot be simulated."""
    if len(models) < 2:
        raise SettingError(f"{len(models)} model is nothing to tell apart: give two or more.")
    if len(rdms) < FEWEST_PEOPLE:
        raise RDMError(
            f"of {len(rdms)} people it is not known how they differ: give {FEWEST_PEOPLE} or more"
        )
    if len(rdms.items) < FEWEST_ITEMS:
        raise RDMError(f"there are {len(rdms.items)} items: give {FEWEST_ITEMS} or more")
    for matrices in (rdms, models):
        check_comparable(matrices.dissimilarities, matrices.names, method)
        missing = np.isnan(matrices.dissimilarities).any(axis=1)
        if missing.any():
            raise RDMError(
                f"{matrices.names[int(missing.argmax())]!r} lacks pairs, which are not simulated: "
                "leave it out"
            )


def _drawn(own: Floats, model: Floats, method: str, n: int, rng: Any) -> Iterator[Floats]:
    """Draw people's matrices as a model has them, n times (G, pairs)."""
    mean = own.mean(axis=0)
    apart = (own - mean) / np.sqrt(len(own) - 1)
    if method in BY_SIZE:
        slope, shift = np.polyfit(model, mean, 1)
        signal = max(slope, 0.0) * model + (shift if slope > 0 else mean.mean())
    else:
        signal = IsotonicRegression().fit_transform(model, mean)
    for _ in range(n):
        yield signal + rng.normal(size=(len(own), len(own))) @ apart
